/*
 * A run of an engine as a recording: what it decided, event by event, with what each changed.
 *
 * The engine is run once more with the very inputs it had (core/sm/sweep.h), and a recorder beside them.
 * Every change of a table keeps the value before and after, so that a cursor (core/trace/walk.h) goes both
 * ways.  No words are kept: sentences are made when somebody reads them.
 *
 * This is for those who read one; what engines say is core/trace/recording.h.
 */
#ifndef IBSCOPE_RECORDING_H
#define IBSCOPE_RECORDING_H

#include <assert.h>

#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/sm/engine.h"

/*
 * How an engine tells of a run: the one channel, with two kinds of listeners.  Without one, a run costs a
 * test of a pointer.
 *
 * A recording (core/trace/recording.h) wants all that happens, as events.  `if (RECORDED(in))` an engine
 * tells an event by rec_event(in->record, ...), then each cell that it changed by rec_delta(). rec_phase()
 * and rec_note() tell phases and notes.  No words are kept: the engine's scheme makes the sentence when
 * somebody reads a step.
 *
 * A question (`why`, quiz, drift, the candidates of a step) wants to know how entries were decided, and
 * nothing else:
 *
 *	struct rec_choice *c = rec_choice(in, sw, lid);	NULL: nobody asks about this entry
 *
 *	if (c) {
 *		c->port = port;				NO_PATH (as it begins): there is none
 *		c->rule = "least count";		a short static name of the rule
 *		c->quantity = names;			what is compared, in the order of q[]
 *		c->n_quantities = 2;
 *		o = rec_offer(c, p, peer);		each candidate
 *		o->q[0] = hops;				those that are not set do not apply
 *		decide(&c->decided, WHY_..., "...");	the rule of the closed list, with its sentence
 *		if (c->via)				a port whose case is asked for as well
 *			decide(&c->against, WHY_..., "...");
 *		rec_chosen(in, c);			it is told, and gone
 *	}
 *
 * The last choice of an entry counts.  Work that only serves choices is done `if (ASKED(in))` alone. in->ask
 * says which entries matter.  All others may be skipped, and so may all that does not bear on the entries
 * that matter.
 *
 * In each engine's folder tell.c has how steps and choices are told.
 */

struct recording;
struct rec_dependency;
struct walk;

/* --- events ------------------------------------------------------------------------------- */

/*
 * Tables that events change.  A cell's place (`at`) is told by the index; [a x b] is at = a * (size of b) +
 * b. Cells of `wide` ones are 32 bits, the others bytes.  All begin as the value in brackets.
 */
enum rec_table {
	T_ENTRY,  /* [switch x LID] port of a forwarding table (NO_PATH); a row has max_lid + 1 cells */
	T_HOPS,	  /* [target switch x port id] cost through a port, port 0: the least (NO_PATH) */
	T_PLAIN,  /* the same: a matrix made before the one of T_HOPS (NO_PATH) */
	T_ROOT,	  /* [switch] verdict on a root, 1 + enum root_verdict (0) */
	T_RANK,	  /* wide [switch] rank (NO_RANK) */
	T_COUNT,  /* wide [port id] routes counted (0) */
	T_OUT,	  /* [target x switch] link a route takes, by the engine's own ids (255) */
	T_FIRST,  /* [switch x switch] layer a pair was put in first, by the engine's own ids (255) */
	T_LAYER,  /* the same after it was moved (255); of dfsssp [source switch x LID] as T_ENTRY */
	T_DEP,	  /* wide [layer x dependency] pair that brought it, s * n_switches + d (NO_ID) */
	T_AXIS,	  /* [port id] axis of the channel it sends (0) */
	T_COORD,  /* wide [switch x dimension] coordinate, signed (INT32_MAX) */
	T_TUPLE,  /* wide [switch x 2] index that places a switch, upper and lower half (NO_ID) */
	T_UP,	  /* wide [cable, then group] those taught to climb by it (0) */
	T_DOWN,	  /* wide [cable, then group] main climbs through it (0) */
	T_SLOT,	  /* wide [slot] group that stands there, as an engine goes through them (NO_ID) */
	T_KEY,	  /* wide [element] what its way is weighed by (NO_ID) */
	T_EGRESS, /* wide [element] port id by which it sends (NO_ID) */
	T_USE,	  /* wide [link] routes (0) */
	T_DIST,	  /* wide [switch] distance to the LID in turn; of sssp, dfsssp below 2^31 (NO_ID) */
	T_VIA,	  /* wide [switch] port id by which it sends (NO_ID) */
	T_WEIGHT, /* wide [port id] weight of a channel (0) */
	T_COLOUR, /* [layer x dependency] what a search made of it, by the engine (0) */
	T_PLACE,  /* wide [place] switch that stands there (NO_ID) */
	N_TABLES
};

struct rec_table_info {
	const char *name;
	uint32_t start; /* value of all cells before the first step */
	bool wide;
};
extern const struct rec_table_info rec_tables[N_TABLES];

enum rec_kind {
	/* all engines */
	REC_PHASE,   /* a: text */
	REC_NOTE,    /* a: text */
	REC_REFUSED, /* a: text; the last event of a run that refused */
	REC_DONE,    /* the last event otherwise */
	REC_LEARN,   /* a switch, port, b round; T_HOPS of the targets it lowers */
	REC_CHOICE,  /* a switch, b LID, port (NO_PATH: none), rule; T_ENTRY, T_COUNT by REC_COUNTED */
	REC_TABLE,   /* a switch: its table is done */
	/* updn, dnup */
	REC_VERDICT, /* a switch, rule; T_ROOT, T_RANK */
	REC_RANK,    /* a switch, b neighbour it was reached from (NO_ID); T_RANK */
	REC_COPY,    /* b target: its column is taken from the matrix before; T_HOPS */
	REC_VISIT,   /* a switch, b target, port: least hops, flags: way; T_HOPS of neighbours it teaches */
	REC_FORBID,  /* a switch that may not send to it, b target, port; only in focus */
	REC_PRICE,   /* the same, allowed at a price; only in focus */
	REC_ERASE,   /* the same, entry erased in the visit before */
	/* lash */
	REC_TREE, /* a root; T_OUT */
	REC_TRY,  /* pair, b layer; extra: number of dependencies, of those that the layer lacks; in focus */
	REC_ACCEPT, /* pair, b layer; T_FIRST, T_LAYER, T_DEP of what is new; extra: number of dependencies */
	REC_REFUSE, /* pair, b layer; extra: the cycle (recording_cycle()) */
	REC_OPEN,   /* pair, b layer */
	/*
	 * pair, b layer it goes to, port: layer it is in, rule; T_LAYER, T_DEP; extra: REC_TURN_WORDS, then
	 * the cycle where it is refused
	 */
	REC_TURN,
	/* mesh analysis of lash */
	/*
	 * a switch, port: its neighbours, rule: type + 1; extra: sizes of the type, 4 bits each, then how far
	 * its neighbours are apart: first and second, first and third, ...
	 */
	REC_MEASURE,
	REC_CLASS,  /* a switch, b the first switch that is like it */
	REC_AXIS,   /* a switch, port, b code of the axis, rule; T_AXIS */
	REC_COORD,  /* a switch, b neighbour it follows from (NO_ID: the seed); T_COORD */
	REC_NUMBER, /* a switch, b its new number; extra: number before, ports of its links in order */
	/* ftree, mincontention */
	REC_TARGET, /* a switch it hangs on, b LID (0: a dummy): what is for it begins */
	REC_CLIMB,  /* a switch, b LID, port: goes up by it; T_DOWN */
	REC_SPREAD, /* a switch, b LID, port: taught those behind it; T_UP or T_DOWN */
	REC_SORT,   /* a switch, port: direction; T_SLOT */
	REC_SETTLE, /* a switch by which its element sends, b LID, port, rule; T_ENTRY, T_KEY, T_EGRESS */
	/* ftree alone */
	REC_GROUP, /* a switch; T_SLOT */
	REC_LEAF,  /* a switch, b place among the leaves */
	REC_TUPLE, /* a switch, b neighbour it was reached from (NO_ID: the first); T_TUPLE */
	REC_PURE,  /* a switch, b the first of its rank, rule: like it, or not */
	REC_OFFER, /* a switch, b LID, port, rule: an entry that is not taken; in focus */
	/* sssp, dfsssp; a switch that leaves the heap is a CHOICE: from then on its entry is decided */
	REC_TRIAL,   /* a switch, b LID of the subnet manager; T_DIST; extra: switches reached */
	REC_RELAX,   /* a switch, b LID, port by which it is nearer than before; T_DIST; only in focus */
	REC_WEIGHTS, /* b LID: its routes count; T_WEIGHT; extra: channels, port id of that which gains most,
			by how much, to what weight */
	REC_PATHS,   /* b layer: all pairs begin there; T_LAYER; extra: pairs (two words), channels, edges */
	REC_BREAK,  /* a number of the cut, b layer; extra: the cycle as channel (port id), then pairs left on
		       its edge to the next; ...: the first edge with the fewest is cut */
	REC_CYCLE,  /* the same of one that no VL is left for; a NO_ID */
	REC_MOVE,   /* pair, b layer it goes to, port: layer it leaves; T_LAYER */
	REC_SEARCH, /* a cycles cut, b layer: it has no cycle left; extra: pairs (two words) */
	REC_SPLIT,  /* a lanes it has now, b layer; extra: pairs (two words) */
	REC_SHIFT,  /* b layer; extra: its first lane, their number, pairs (two words) */
	/* nue */
	REC_HULL,   /* a switch, b layer, rule; extra: the two switches it lies between */
	REC_CENTRE, /* a switch, b layer */
	REC_ESCAPE, /* a switch, b layer, port towards the centre (0: it is); T_COLOUR */
	REC_REACH,  /* a switch, b LID, port; T_VIA, T_DIST, T_COLOUR */
	REC_LOOK,   /* the same, not taken, rule; extra: its distance; only in focus */
	REC_MERGE,  /* the same, taken; T_COLOUR; extra: the colours that become one */
	REC_BLOCK,  /* the same, refused; T_COLOUR; extra: the cycle: channel as port id, then LID that holds
		       what follows (0: the escape paths); ... */
	REC_BACKTRACK, /* a switch not reached, b LID, port to the neighbour, rule; T_VIA, T_DIST, T_COLOUR;
			  extra: neighbour, switch that leads it, number of the candidate, of how many; then
			  the cycle as above */
	REC_SHORTCUT, /* a switch, b LID, port, rule; T_VIA, T_DIST, T_COLOUR; extra: peer so far, switch that
			 forbids it (NO_ID) */
	REC_FALLBACK, /* a switch of the LID b; T_VIA; extra: switches not reached */
	REC_RECOLOUR, /* the same: its search is over; T_COLOUR */
	REC_ROUTED,   /* the same: it has its entries; T_WEIGHT; extra: what happened, by the engine */
	REC_LAYER,    /* b layer: it is done */
	/* torus-2QoS */
	REC_SEED,  /* a number of the seed, from 0, rule; extra: the two halves of a GUID that is missing */
	REC_CELL,  /* a place of a cell with empty corners, rule; extra: its fingerprint, or the place that
		      stays empty, then the switches that were asked */
	REC_PLACE, /* a switch, rule; T_PLACE; extra: switches that led to it, or direction of the seed */
	REC_LINK,  /* a switch, port; extra: port id at the other end, dimension, lower and upper member,
		      number of the bundle */
	REC_ENDS,  /* a switch; extra: its member: end points are listed */
	REC_RING,  /* a switch of the line, port: dimension, rule; extra: place where the line begins */
	REC_SPAN,  /* a root of the master spanning tree; extra: members it reaches */
	REC_HOP,   /* a switch, b target, rule; only in focus */
	REC_KINDS
};

enum rec_flags {
	REC_COUNTED = 1, /* a choice (or SETTLE) adds 1 to T_COUNT of its port */
};

/* One event is one step, and one sentence. */
struct rec_event {
	uint8_t kind, rule, port, flags;
	uint32_t a, b;
	uint32_t first; /* its words; they end where the next event's begin */
};
static_assert(REC_KINDS <= UINT8_MAX + 1 && N_WHY_RULES <= UINT8_MAX + 1, "kind and rule are bytes");

/* Does it decide an entry; does it count a route at its port? */
static inline bool rec_decides(const struct rec_event *ev)
{
	return ev->kind == REC_CHOICE || ev->kind == REC_SETTLE;
}

static inline bool rec_counts(const struct rec_event *ev)
{
	return rec_decides(ev) && (ev->flags & REC_COUNTED);
}

/* Cells of a table; before the first change of it. */
void rec_cells(struct recorder *k, enum rec_table t, size_t n);
/* An event; changes and extra words that follow are its. */
void rec_event(struct recorder *k, enum rec_kind kind, unsigned rule, unsigned port, uint32_t a, uint32_t b);
void rec_flag(struct recorder *k, unsigned flags); /* of the event before; before its changes */
void rec_text(struct recorder *k, enum rec_kind kind, const char *text);
/* A change by the event before; a cell changes at most once by one event. */
void rec_delta(struct recorder *k, enum rec_table t, uint32_t at, uint32_t was, uint32_t now);
/* After the changes. */
void rec_extra(struct recorder *k, uint32_t word);
/*
 * If a run is too long, only a part of it is kept: that of this switch, NO_ID = none.  An event that is not
 * about the part may yet bear on it: rec_bears() keeps the next event.
 */
uint32_t rec_kept_switch(const struct recorder *k);
void rec_bears(struct recorder *k);
/* Some kinds are kept in focus only.  May events of such a kind be wanted?  Is this one? */
bool rec_wants_any(const struct recorder *k, enum rec_kind kind);
bool rec_wants(const struct recorder *k, enum rec_kind kind, uint32_t sw, unsigned lid);
/* The same of an event about a pair. */
bool rec_wants_pair(const struct recorder *k, enum rec_kind kind, uint32_t pair, uint32_t layer);
/* The table for the hop matrix that is made now: T_HOPS, unless T_PLAIN was said. */
void rec_use_matrix(struct recorder *k, enum rec_table t);
enum rec_table rec_matrix(const struct recorder *k);
/* Things that moments need and no step changes; release() frees them. */
void rec_keep(struct recorder *k, void *kept, void (*release)(void *));
/* Change the rules of the choices recorded so far: the function returns the new rule. */
void rec_amend(struct recorder *k, unsigned (*rule)(void *ctx, const struct rec_event *ev), void *ctx,
	       struct progress *p);
/* A pair of switches as one word. */
static inline uint32_t rec_pair(const struct engine_input *in, uint32_t a, uint32_t b)
{
	return a * in->topo->fabric->n_switches + b;
}

/* A text event, made only when somebody records. */
void rec_phase(const struct engine_input *in, const char *fmt, ...) PRINTF_LIKE(2, 3);
void rec_note(const struct engine_input *in, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* --- choices ------------------------------------------------------------------------------ */

#define REC_QUANTITIES 6

/* A candidate port of a choice, with the quantities compared. */
struct rec_offer {
	uint8_t port;
	uint32_t peer;		   /* port id at the other end, NO_ID = none */
	int64_t q[REC_QUANTITIES]; /* INT64_MIN = does not apply */
};

/* How an entry was decided. */
struct rec_choice {
	uint32_t sw;
	uint16_t lid;
	uint8_t via;	  /* a port of sw that is asked about as well, 0 = none */
	uint32_t target;  /* switch the LID hangs on, NO_ID = none, or not told */
	uint8_t port;	  /* chosen; NO_PATH = none */
	uint8_t old_port; /* entry of the table before, NO_PATH = none or not looked at */
	const char *rule; /* short static name of the rule that decided; NULL = not told */
	struct text text; /* plain words on it; empty = the rule says all */
	unsigned n_quantities;
	const char *const *quantity; /* names of q[], static ("hops", "routes", ...) */
	unsigned n_offers;
	struct rec_offer *offer;
	size_t cap;		/* room of offer[] */
	struct decided decided; /* rule of the closed list, with its sentence; WHY_UNTOLD = none */
	struct decided against; /* what speaks against port `via`; WHY_UNTOLD = nothing was weighed there */
};

/* A question about the entries of a run; who asks fills it in. */
struct rec_ask {
	uint32_t sw;  /* NO_ID = of every switch */
	uint16_t lid; /* 0 = for every LID */
	uint8_t via;  /* a port of `sw`: what speaks against it? 0 = not asked */
	bool last;    /* each entry once, as it is in the end, with all that was offered for it */
	bool (*wanted)(const void *those, uint32_t sw, unsigned lid); /* this entry? NULL = each */
	const void *those;
	void (*tell)(void *ctx, const struct rec_choice *c); /* c is valid during the call only */
	void *ctx;
};

/*
 * Ask (q->ask) the engine that made the tables of a sweep.  The unicast cache may have kept them while the
 * fabric changed: what is told then is of the fabric of the sweep, and candidates that led to what is gone
 * are counted in the words.  As sweep_repeat() else.
 */
struct sweep;
struct sweep_repeat;
int rec_ask_again(const struct sweep *s, const struct sweep_repeat *q, struct err *e);

/* Does somebody ask about entries? */
#define ASKED(in) ((in)->ask != NULL)
/* Does it concern the question? */
bool rec_asks(const struct engine_input *in, uint32_t sw, unsigned lid);
/* Begin a choice; NULL: nobody asks about it.  Several may be begun at a time. */
struct rec_choice *rec_choice(const struct engine_input *in, uint32_t sw, unsigned lid);
/* One more candidate, all of its quantities unset; valid until the next. */
struct rec_offer *rec_offer(struct rec_choice *c, unsigned port, uint32_t peer);
/* It is complete: told and freed. */
void rec_chosen(const struct engine_input *in, struct rec_choice *c);
/* Not told after all; NULL is fine. */
void rec_choice_free(struct rec_choice *c);

/* For those who hear: a copy that stays; rec_choice_free(). */
struct rec_choice *rec_choice_copy(const struct rec_choice *c);
/*
 * A candidate may be on another chip of the same chassis than the choice: the port id that leaves there.
 * NO_ID: it is on the switch itself.
 */
uint32_t rec_elsewhere(const struct fabric *f, const struct rec_choice *c, const struct rec_offer *o);

/* --- how an engine shows what it told ------------------------------------------------------ */

/* How an engine shows its recordings; static.  NULL in struct engine: it cannot be recorded. */
struct rec_scheme {
	const char *(*rule)(const struct rec_event *ev); /* its rule, of a kind that has one; static */
	const char *order; /* of its steps, where it is not OpenSM's; static.  NULL: it is */
	/*
	 * Where to read about such a step: a section of engines/doc, then the literature, as in "updn.md 5.2;
	 * Schroeder et al. 1991"; static.  NULL, or "": nowhere.
	 */
	const char *(*source)(const struct rec_event *ev);
	/* The sentence of the step at which the walk is. */
	void (*sentence)(struct walk *w, struct text *t);
	/*
	 * The routing's operations at a step, and the tables behind them (freed by ops->free_priv).  NULL: no
	 * tables, and then no operations.  end: the routing of the whole run, NULL when it refused.
	 */
	const struct routing_ops *ops;
	void *(*priv_at)(struct walk *w, const struct routing *end);
	/*
	 * Routes that are found but not in the tables yet: the row of a switch as they make it, port[max_lid
	 * + 1], NO_PATH so far.  false: the tables count.  NULL: they always do.
	 */
	bool (*row_at)(struct walk *w, const void *priv, uint32_t sw, uint8_t *port);
	/* Dependencies of its layers after a step, by layer; the caller frees.  NULL: T_DEP has none. */
	struct rec_dependency *(*dependencies)(const struct recording *r, size_t step, uint32_t *n);
	/*
	 * Name of a cell and its value in words, for tables with the engine's own ids or with values that it
	 * alone can read.  false: nothing was added, and the common words will do.  NULL: no such tables.
	 */
	bool (*cell)(const struct recording *r, enum rec_table t, uint32_t at, struct text *out);
	bool (*value)(const struct recording *r, enum rec_table t, uint32_t at, uint32_t value,
		      struct text *out);
};

struct sweep;

/* What a field of an event is. */
enum rec_field {
	FIELD_NONE,
	FIELD_TEXT,
	FIELD_SWITCH,
	FIELD_TARGET,
	FIELD_LID,
	FIELD_LAYER,
	FIELD_PAIR,
	FIELD_ROUND
};

/* Kinds of boundaries between steps ("the next round"). */
enum rec_key { KEY_PHASE, KEY_ROUND, KEY_SWITCH, KEY_LID, KEY_PAIR, KEY_LAYER, N_KEYS };
extern const char *const rec_keys[N_KEYS]; /* "phase", "round", ... */

struct rec_kind_info {
	const char *name;
	enum rec_field a, b;
	bool port;  /* its port is one of the switch a */
	bool rule;  /* its rule is one of the engine's list */
	bool focus; /* kept in focus only, unless the whole run is small */
	/*
	 * If a run is above the limit, only the part in focus is kept from this stage on; 0: always kept
	 * whole.  1: hops and distances, 2: choices of ports, 3: ways of elements, counters and orders, 4:
	 * pairs.
	 */
	uint8_t bulk;
};
#define REC_BULKS 4
extern const struct rec_kind_info rec_kinds[REC_KINDS];

/* The part of a run that is asked for. */
struct rec_focus {
	uint32_t sw;		 /* NO_ID = every switch */
	uint16_t lid;		 /* 0 = every LID */
	uint32_t pair_a, pair_b; /* switches; NO_ID = every pair */
	uint8_t layer;		 /* 255 = every layer */
};
#define REC_EVERYTHING ((struct rec_focus){NO_ID, 0, NO_ID, NO_ID, 255})

/* Immutable once made, shared by reference. */
struct recording;

#define REC_MB ((size_t)1000 * 1000)
#define REC_LIMIT (200 * REC_MB) /* bytes of a recording: the default of the option record_limit, in MB */

struct rec_request {
	const struct sweep *sweep;
	const char *engine; /* NULL: the engine in force; it may be one that refused in this sweep */
	struct rec_focus focus;
	const struct engine *const *engines;
	size_t limit; /* bytes, 0 = REC_LIMIT: above it kinds are kept of one part only (rec_kinds.bulk) */
	uint32_t selected; /* that part if there is no focus: 1 + switch; 0 = the first leaf */
	struct progress *progress;
};

/*
 * Record.  A reference of the caller's; NULL and *e: there is no such run, the engine has no scheme
 * (recording_possible()), memory, cancelled.  A run that refuses is a recording up to the refusal.
 */
const struct recording *recording_make(const struct rec_request *rq, struct err *e);
/* The engine that recording_make() would record; NULL: it has no scheme, or there is no such run. */
const struct engine *recording_possible(const struct sweep *s, const char *engine,
					const struct engine *const *engines);
const struct recording *recording_ref(const struct recording *r);
void recording_unref(const struct recording *r); /* NULL is fine */

size_t recording_steps(const struct recording *r); /* steps are 1 .. that many */
size_t recording_bytes(const struct recording *r);
/* "", or the part of the run that is kept: "switch leaf-03 only (the whole run: 640.0 MB)". */
const char *recording_part(const struct recording *r);
/*
 * Does it hold everything that the run did to a cell? false: the cell is outside of the part that was kept,
 * and its value says nothing.  Entries and hops of such cells keep their first value at every step.
 */
bool recording_keeps(const struct recording *r, enum rec_table t, uint32_t at);
/* The part of a long run that was kept: the one asked for, or a switch. */
const struct rec_focus *recording_kept_part(const struct recording *r);
const char *recording_engine(const struct recording *r);
const struct engine *recording_scheme_of(const struct recording *r);
/* The sweep that was recorded.  For cached tables, it is the sweep that computed them. */
const struct sweep *recording_sweep(const struct recording *r);
/* The reason why the engine refused; NULL: it did not. */
const char *recording_refusal(const struct recording *r);
/* Cells in which the run differs from the sweep's tables.  Not 0: the program has a mistake. */
size_t recording_differs(const struct recording *r);
/* Event of a step, 1 .. recording_steps(). */
const struct rec_event *recording_event(const struct recording *r, size_t step);
/* Text of a PHASE, NOTE or REFUSED. */
const char *recording_text(const struct recording *r, const struct rec_event *ev);
/* Is a step about the part asked for? Steps about nothing in particular are. */
bool recording_in_focus(const struct recording *r, size_t step);
bool rec_focus_is_all(const struct rec_focus *f);
/* What the engine gave to rec_keep(). */
const void *recording_kept(const struct recording *r);
/* Cells of a table, 0: the engine has none. */
size_t recording_cells(const struct recording *r, enum rec_table t);

/* A changed cell. */
struct rec_delta {
	enum rec_table table;
	uint32_t at, was, now;
};
/* The next change of a step from *cursor = 0 on; false at the end. */
bool recording_next_delta(const struct recording *r, size_t step, uint32_t *cursor, struct rec_delta *d);
/* Its extra words: how many, and where. */
uint32_t recording_extra(const struct recording *r, size_t step, const uint32_t **word);

/* A dependency of a layer: the route that holds a channel and wants the next. */
struct rec_dependency {
	uint32_t at, pair; /* of T_DEP: place, and who brought it */
	uint32_t from, to; /* channels, as port ids */
	uint8_t layer;
};

/*
 * The words of a TURN before its cycle: the two switches drawn (LASH ids); the pairs then in its layer and in
 * the other; the refusals that are still allowed.
 */
#define REC_TURN_WORDS 5
/*
 * The cycle of a step (REFUSE, a refused TURN): channels as port ids.  Behind each stands the pair that holds
 * the dependency on the next channel: the event's own pair a, if it would bring it; NO_ID, if nobody holds it
 * any more.  Returns their number; word[2 * i] and word[2 * i + 1] are the i-th.
 */
uint32_t recording_cycle(const struct recording *r, size_t step, const uint32_t **word);

/* Name of the rule of an event, "" when it has none. */
const char *recording_rule(const struct recording *r, const struct rec_event *ev);

/* "leaf-01 LID 17", "leaf-01[5] to core-02"; and what it holds: "port 6", "2 hops", "none". */
void recording_cell(const struct recording *r, enum rec_table t, uint32_t at, struct text *out);
void recording_value(const struct recording *r, enum rec_table t, uint32_t at, uint32_t value,
		     struct text *out);

/*
 * A step decides an entry: how was this entry decided in the end?  *c tells the candidates and the rule.  *c
 * is the caller's (rec_choice_free()); NULL if the engine does not tell.  The engine runs once more, for all
 * steps nearby at once.  engines: those that it was made with.  0, or -1 and *e: cancelled, no memory.  Safe
 * beside other readers.
 */
int recording_choice(const struct recording *r, size_t step, const struct engine *const *engines,
		     struct rec_choice **c, struct progress *progress, struct err *e);

/* Where to read about an event, "" when nowhere (struct rec_scheme). */
const char *recording_source(const struct recording *r, const struct rec_event *ev);

#endif
