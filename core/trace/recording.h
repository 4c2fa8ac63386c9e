/*
 * A run of an engine as a recording: what it decided, event by event, with what each changed.
 *
 * The engine is run once more with the very inputs it had (core/sm/sweep.h), and a recorder beside them.
 * Every change of a table keeps the value before and after, so that a cursor (core/trace/walk.h) goes both
 * ways.  No words are kept: sentences are made when somebody reads them.
 *
 * This is for those who read one; what engines say is core/trace/recorder.h.
 */
#ifndef IBSCOPE_RECORDING_H
#define IBSCOPE_RECORDING_H

#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/trace/recorder.h"

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
