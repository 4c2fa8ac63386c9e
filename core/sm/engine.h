/*
 * The contract between a routing engine and everything else.  An engine is one
 * file in engines/ that defines a `const struct engine`, and one line in
 * engines/engines.c.
 */
#ifndef IBSCOPE_ENGINE_H
#define IBSCOPE_ENGINE_H

#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/fabric/state.h"
#include "core/routing/routing.h"
#include "core/sm/options.h"

/*
 * Notes: lines that a sweep and its engines leave for the person.  The kinds of a line say what it is about.
 * Code that judges a routing uses the kinds; the words are only for people.
 */

/* A line may have several kinds, or 0 for none in particular. */
enum note_kind {
	NOTE_GUID_FILE = 1,   /* a file of GUIDs is not used as it stands */
	NOTE_RULES = 2,	      /* OpenSM and its manual differ here */
	NOTE_LOTTERY = 4,     /* OpenSM's own result cannot be foreseen */
	NOTE_TORUS_HOLES = 8, /* switches outside the torus */
};

/* From offset `at` of the text on, a note or a piece of one has these kinds. */
struct note_mark {
	size_t at;
	unsigned kinds;
};

/* All zero: none. */
struct notes {
	struct text text; /* whole lines in the end; functions that know no kinds add to it */
	struct note_mark *mark;
	size_t n_marks;
};

/* Adds a line with its line end, or a piece of a line. */
void note_add(struct notes *n, unsigned kinds, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* Moves all pieces of `from` to the end; `from` becomes empty. */
void notes_take(struct notes *n, struct notes *from);
/* The kinds of the text from `from` up to, but not including, `to`. */
unsigned notes_kinds(const struct note_mark *mark, size_t n_marks, size_t from, size_t to);
void notes_free(struct notes *n);

/* The recorder that receives a run's events, and how an engine displays them (core/trace/recording.h). */
struct recorder;
struct rec_ask;
struct rec_scheme;

/*
 * Usage counters and hop values that an engine left when it refused, for the engines tried after it in the
 * same run (engines/doc/minhop.md 10.1).  NULL tables = none.
 */
struct leftovers {
	uint32_t *count; /* [n_ports] usage per port id of a switch */
	uint8_t *hops; /* [n_ports * n_switches]: hops[port id * n_switches + d], NO_PATH = untouched; port 0
			  = least */
};

/* What an engine works on.  Everything but `left` is read-only. */
struct engine_input {
	const struct topo *topo;
	const struct lids *lids;
	const struct options *options;
	/*
	 * The tables that the switches have now.  NULL: existing entries are to be ignored (first sweep, or
	 * something came up: engines/doc/minhop.md section 8).
	 */
	const struct routing *current;
	/*
	 * The routing of the previous sweep (NULL in the first one), also after other events.  It is a hint
	 * for update() only; results must not depend on it.
	 */
	const struct routing *previous;
	unsigned threads;    /* that it may use where its tables do not depend on it; 0 = none of its own */
	unsigned sweep;	     /* 0 = first heavy sweep of this subnet manager */
	bool refused_before; /* the engine refused an earlier sweep of this subnet manager */
	const uint8_t *opervls; /* [n_ports] OperVLs codes as this sweep reads them (core/sm/engine.h); NULL
				   = the source's */
	/*
	 * State of random() that lasts between sweeps (LASH), owned by the session; may be NULL.
	 * RANDOM_BY_CLOCK: OpenSM seeded it by the clock, when dfsssp was set up.
	 */
	uint64_t *random;
#define RANDOM_BY_CLOCK UINT64_MAX
	/*
	 * [n_switches] 1: the ports of the switch bear the marks of port_prof_ignore_file.  They do when an
	 * engine that counts routes (engines/counted/assign.c) has begun since the switch came; such engines
	 * set the value for all switches that are up (engines/doc/minhop.md 10.1).  It lasts between sweeps
	 * and is owned by the session; may be NULL.
	 */
	uint8_t *marked;
	const struct switch_tables *held; /* answer to the engine's `holds`; NULL = not known */
	const char *program;		  /* as in struct setup */
	const struct routing *made; /* what this same run made before (sweep_repeat()); NULL = nothing */
	struct leftovers *left;
	struct recorder *record;   /* receives the events; NULL = nothing is recorded */
	const struct rec_ask *ask; /* asks how entries are decided; NULL = nobody asks */
	struct progress *progress; /* NULL = none */
};

/* The kind of a refusal, for code that judges it (struct err). */
enum refusal_kind {
	REFUSED_PLAIN,
	REFUSED_LIMIT,	/* the fabric exceeds the distances or VLs */
	REFUSED_LEAVES, /* all switches look like leaves */
};

/* What an engine returns beside the routing. */
struct engine_output {
	struct notes notes; /* lines for the person: oddities, where rules manual/opensm differ, ignored file
			       lines */
	struct err refused; /* why it refused, of kind enum refusal_kind; CANCELLED when progress was
			       cancelled */
	/* With a refusal: no other engine takes its place, and the sweep fails with `refused`, whose kind is
	 * an enum err_kind.
	 */
	bool failed;
	/*
	 * With a refusal: what OpenSM itself does instead of trying another engine ("never ends", "crashes";
	 * static).  NULL = it tries another.
	 */
	const char *fatal;
};

/* The tables that an engine shows instead of computing any. */
enum engine_holds {
	HOLDS_NOTHING, /* it computes */
	HOLDS_LIVE,    /* the tables that were read from a live fabric */
	HOLDS_TABLES   /* the tables that were read last, from files or live (setup_tables()) */
};

struct engine {
	const char *name;	      /* as in opensm -R */
	const char *brief;	      /* one line */
	const char *reference;	      /* paper or "as OpenSM 3.3.23" */
	const struct optdef *options; /* its own, ended by a NULL name; NULL when it has none */
	/*
	 * When it is the first engine of a chain, it also leaves the LIDs as they were with those tables
	 * (lids_found()).  When it refuses, no engine is tried after it, not even Min Hop.
	 */
	enum engine_holds holds;
	/*
	 * Computes the routing and returns it (the caller owns one reference).  Returns NULL when the engine
	 * refuses this fabric or these options (out->refused says why), and OpenSM tries the next one.
	 */
	struct routing *(*route)(const struct engine_input *in, struct engine_output *out);
	/*
	 * Makes the same result as route(), but faster, from in->previous (made by the same engine under the
	 * same options).  NULL: route() is used.
	 */
	struct routing *(*update)(const struct engine_input *in, struct engine_output *out);
	/*
	 * Bytes of tables that grow faster than the fabric (a value for each two switches), beside the
	 * forwarding tables.  *what gets their name ("hop matrix").  NULL: it has no such tables.  If a size
	 * is only known later, the engine asks for it by mem_room() with &out->refused.
	 */
	size_t (*room)(const struct engine_input *in, const char **what);
	/* How its runs are shown (core/trace/recording.h); NULL: they cannot be recorded. */
	const struct rec_scheme *scheme;
};

/* Do an engine's tables fit in memory?  Asked before route() and update().  Returns 0, or -1 and *e from
 * mem_room(). */
int engine_room(const struct engine *g, const struct engine_input *in, struct err *e);

/* Finds an engine in the list of all engines, which ends with NULL. main() hands the list to the session. */
const struct engine *engine_find(const struct engine *const *list, const char *name);

/*
 * NVIDIA's subnet manager has engines that ibscope does not compute.  chain_computed() splits a chain at
 * commas and returns false when no engine is left to compute.
 */
#define NOT_COMPUTED "of NVIDIA's subnet manager, which ibscope does not compute"
bool engine_not_computed(const char *name);
bool chain_computed(const char *chain, struct text *computed, struct text *others);

/* Is any engine of a chain known?  If not, OpenSM silently routes with Min Hop.  Returns 0, or -1 and *e. */
int engine_chain_known(const struct engine *const *list, const char *chain, struct err *e);

/* Is the run recorded?  Events are sent by the functions of core/trace/recording.h. */
#define RECORDED(in) ((in)->record != NULL)

/* With `set rules manual`, what OpenSM's manual says counts where the program does something else. */
bool manual_rules(const struct options *o);
/* With `set rules nvidia`, what is known of NVIDIA's OpenSM 5.21 counts (engines/doc/nvidia.md). */
bool nvidia_rules(const struct options *o);
/* The chain where none is asked for: "minhop", by NVIDIA's rules "ar_updn". */
const char *default_chain(const struct options *o);

/* Options of routing in general (rules, lmc, use_ucast_cache, guid, ...), defined in core/sm/engine.c. */
extern const struct optdef common_options[];

/*
 * Ports that the subnet manager has made active.  It does so for both ends of a cable that it knows.  Where
 * directed routes end, it cannot follow a cable (topo's n_cut): the near end stays in state INIT.  One such
 * port of a switch makes a sweep ignore existing entries (engines/doc/minhop.md sections 1.4 and 8).
 */

/*
 * Called before a sweep: a port starts over when its link was down in `before`, or has gone down and up since
 * (flapped: [n_links]; NULL = none). active: [n_ports] 1 = made active.
 */
void activated_reset(uint8_t *active, const struct fabric *f, const struct state *before,
		     const uint8_t *flapped);

/* Returns a live port in state INIT that no sweep can follow, on a switch that is reached, or NO_ID. */
uint32_t activated_lacking(const uint8_t *active, const struct topo *t, const struct state *s);

/* Called after a sweep: marks both ends of the cables that it knows as active. */
void activated_program(uint8_t *active, const struct topo *t);

/*
 * Operational VLs: the number of virtual lanes that a port uses.  The subnet manager reads the code that a
 * port reports (OperVLs of PortInfo: 1, 2, 3, 4, 5 for 1, 2, 4, 8, 15 data VLs) and routes by it.  Before the
 * sweep ends it programs the least of both ends and max_op_vls.  The next sweep reads that value (as OpenSM
 * 3.3.23).
 */

/* The codes that the source reports, [n_ports]; the caller frees them. */
uint8_t *opervls_of_source(const struct fabric *f);

/*
 * The code that the subnet manager gives a port with a live cable: the least of both ends in the source and
 * max_op_vls (a max_op_vls of 0 is programmed as 0).  0 when the source does not report it.
 */
unsigned opervls_given(const struct topo *t, uint32_t port, unsigned max_op_vls);

/* Programs all ports with a live cable; the others keep their codes. */
void opervls_program(uint8_t *code, const struct topo *t, unsigned max_op_vls);

/*
 * Ports that were programmed with 0 report the source's value again when their link was down in `before`, or
 * went down and came up since (flapped: [n_links]; NULL = none).  This was observed with ibsim.  Other codes
 * stay.  The reach of the subnet manager does not matter: a link that comes back behind a gap counts too.
 */
void opervls_reset(uint8_t *code, const struct fabric *f, const struct state *before, const uint8_t *flapped);

/*
 * Limits an SL-to-VL map to a port's code.  VLs are cut to the port's lanes (of 8 lanes, VL 8 becomes 0).  VL
 * 15 stays.  Code 0 cuts nothing.
 */
sl2vl_map opervls_cut(sl2vl_map m, unsigned code);

#endif
