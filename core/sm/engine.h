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
#include "core/routing/routing.h"
#include "core/routing/switch_tables.h"
#include "core/routing/why_rule.h"
#include "core/sm/notes.h"
#include "core/sm/options.h"

/* Who listens to a run, and how an engine shows what it told (core/trace/recorder.h). */
struct recorder;
struct rec_ask;
struct rec_scheme;

/*
 * Usage counters and hop values that a refused engine leaves to the engines
 * tried after it in the same run (engines/doc/minhop.md 10.1).  NULL tables = none.
 */
struct leftovers {
	uint32_t *count; /* [n_ports] usage per port id of a switch */
	uint8_t *hops; /* [n_ports * n_switches]: hops[port id * n_switches + d], NO_PATH = untouched; port 0
			  = least */
};

/* What an engine works on.  Everything is read only, `left` excepted. */
struct engine_input {
	const struct topo *topo;
	const struct lids *lids;
	const struct options *options;
	/*
	 * The tables the switches have now, or NULL: existing entries are to be
	 * ignored (first sweep, or something came up: engines/doc/minhop.md section 8).
	 */
	const struct routing *current;
	/*
	 * The routing of the previous sweep whatever came since (NULL in the first
	 * one): for update() only, as a hint; results must not depend on it.
	 */
	const struct routing *previous;
	unsigned sweep;		/* 0 = first heavy sweep of this subnet manager */
	bool refused_before;	/* the engine refused an earlier sweep of this subnet manager */
	const uint8_t *opervls; /* [n_ports] OperVLs codes as this sweep reads them (core/sm/opervls.h); NULL
				   = the source's */
	uint64_t *random; /* state of random() that lasts between sweeps (LASH), owned by the session; may be
			     NULL */
	/*
	 * [n_switches] 1: the ports of a switch bear the marks of port_prof_ignore_file, because an engine
	 * that counts routes (engines/counted/assign.c) began since the switch is there; such engines set it
	 * for all that are up (engines/doc/minhop.md 10.1).  Lasts between sweeps, owned by the session; may
	 * be NULL.
	 */
	uint8_t *marked;
	const struct switch_tables *held; /* what the engine's `holds` asks for; NULL = not known */
	struct leftovers *left;
	struct recorder *record;   /* takes the events; NULL = nobody records */
	const struct rec_ask *ask; /* asks how entries are decided; NULL = nobody does */
	struct progress *progress; /* NULL = none */
};

/* What kind of refusal it is, for who judges it (struct err). */
enum refusal_kind {
	REFUSED_PLAIN,
	REFUSED_LIMIT,	/* distances or VLs end before the fabric does */
	REFUSED_LEAVES, /* all switches pass for leaves */
};

/* What an engine gives back beside the routing. */
struct engine_output {
	struct notes notes; /* lines for the person: oddities, where rules manual/opensm differ, ignored file
			       lines */
	struct err refused; /* why, when it refused, of kind enum refusal_kind; CANCELLED when progress was
			       cancelled */
	/*
	 * With a refusal: what OpenSM itself would do instead of trying another engine
	 * ("never ends", "crashes"; static), NULL = it would try one.
	 */
	const char *fatal;
};

/* What an engine shows instead of computing. */
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
	/* First of a chain it also leaves the LIDs as they were with those tables (lids_found()). */
	enum engine_holds holds;
	/*
	 * Compute.  Returns the routing (caller owns one reference), or NULL: the
	 * engine refuses this fabric or these options (out->refused says why), and
	 * OpenSM would try the next one.
	 */
	struct routing *(*route)(const struct engine_input *in, struct engine_output *out);
	/*
	 * The same result as route(), made faster from in->previous (which the same
	 * engine made under the same options).  NULL: route() is used.
	 */
	struct routing *(*update)(const struct engine_input *in, struct engine_output *out);
	/*
	 * Bytes of tables that grow with more than the fabric (a value for each two switches), beside the
	 * forwarding tables; *what names them ("hop matrix").  NULL: it has none.  What is only known on the
	 * way the engine asks for by mem_room() with &out->refused.
	 */
	size_t (*room)(const struct engine_input *in, const char **what);
	/* How its runs are shown (core/trace/recorder.h); NULL: they cannot be recorded. */
	const struct rec_scheme *scheme;
};

/*
 * Is there memory for what an engine is about to make?  0, or -1 and *e by mem_room(); asked before
 * route() and update().
 */
int engine_room(const struct engine *g, const struct engine_input *in, struct err *e);

/* The list of all engines is handed to the session by main(); ended by NULL. */
const struct engine *engine_find(const struct engine *const *list, const char *name);

/* Is one engine of a chain known?  OpenSM would silently route with Min Hop otherwise.  0, or -1 and *e. */
int engine_chain_known(const struct engine *const *list, const char *chain, struct err *e);

/* Does somebody record?  Events go by the functions of core/trace/recorder.h. */
#define RECORDED(in) ((in)->record != NULL)

/* `set rules manual`: what OpenSM's manual says counts where the program does something else. */
bool manual_rules(const struct options *o);

/* Options that belong to routing in general (rules, lmc, use_ucast_cache, guid, ...), in core/sm/engine.c. */
extern const struct optdef common_options[];

#endif
