/*
 * A cursor over a recording (core/trace/recording.h), forward and back, and a step of it as a sweep.
 * Step n is the state after n events; 0 is before the first.  One thread at a time.
 */
#ifndef IBSCOPE_WALK_H
#define IBSCOPE_WALK_H

#include <assert.h>

#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/routing/routing.h"
#include "core/trace/recording.h"

struct walk;

struct walk *walk_new(const struct recording *r); /* at step 0; takes a reference */
void walk_free(struct walk *w);			  /* NULL is fine */
const struct recording *walk_recording(const struct walk *w);

/* Bytes of the tables of a walk over it.  Ask for them by mem_room() where they may be large. */
size_t walk_room(const struct recording *r);

/* Go to a step from any place.  0, or -1: cancelled on the way. */
int walk_to(struct walk *w, size_t step, struct progress *p);
size_t walk_step(const struct walk *w);
/* The event of the step at which it is, NULL at 0. */
const struct rec_event *walk_event(const struct walk *w);

/* A cell of a table now; tables that the engine does not have are as they begin. */
uint32_t walk_value(const struct walk *w, enum rec_table t, uint32_t at);
/* The changes of the present step, with the route that it counts; as recording_next_delta(). */
bool walk_next_delta(const struct walk *w, uint32_t *cursor, struct rec_delta *d);
/* All cells of a table of bytes, or of a wide table; NULL: the engine has none. */
const uint8_t *walk_bytes(const struct walk *w, enum rec_table t);
const uint32_t *walk_words(const struct walk *w, enum rec_table t);
/* Is the entry decided? It may be decided that there is none. */
bool walk_decided(const struct walk *w, uint32_t sw, unsigned lid);

/* How far the run has come with each switch: [n_switches] of enum. */
enum walk_reach { REACH_NOT_YET, REACH_BEFORE, REACH_NOW };
void walk_reach(const struct walk *w, uint8_t *reach);

/* The phase a step belongs to: the last PHASE up to it; "" before the first. */
const char *walk_phase(const struct walk *w);
/* The sentence of the present step.  Its event must exist. */
void walk_sentence(struct walk *w, struct text *t);

/*
 * The step as a sweep: a routing with the decided entries, and the engine's tables as they are.  A reference,
 * to the same object until the walk moves.  At the last step of a run that did not refuse, it is the result
 * of the run.
 */
const struct sweep *walk_moment(struct walk *w);

/* The next boundary of a kind behind the step (dir 1) or before it (-1): the first step of another phase,
 * round, switch, ...; recording_steps() + 1: none. */
size_t walk_next(const struct walk *w, enum rec_key key, int dir);

/* Conditions by which a step may be looked for. */
enum rec_word {
	WORD_REFUSED,
	WORD_OPENED,
	WORD_MOVED,
	WORD_FORBIDDEN,
	WORD_KEPT,
	WORD_TIE,
	WORD_LOWERED,
	WORD_AHEAD,
	WORD_ROOT,
	WORD_NO_ENTRY,
	N_WORDS
};
extern const char *const rec_words[N_WORDS];
static_assert(N_WORDS <= 32, "a bit each in rec_condition.words");

/* Terms that must all hold.  A term that is not set (NO_ID, 0, 255, NULL, false) always holds. */
struct rec_condition {
	uint32_t sw, target, pair_a, pair_b, round; /* NO_ID */
	uint32_t port;				    /* port id, NO_ID */
	uint16_t lid;				    /* 0 */
	uint8_t layer;				    /* 255 */
	bool decided;				    /* sw and lid: this entry is decided */
	const char *phase, *rule, *text;	    /* words, in any case; NULL */
	unsigned words;				    /* bits 1 << enum rec_word */
};
#define REC_ANY                                  \
	((struct rec_condition){.sw = NO_ID,     \
				.target = NO_ID, \
				.pair_a = NO_ID, \
				.pair_b = NO_ID, \
				.round = NO_ID,  \
				.port = NO_ID,   \
				.layer = 255})

/*
 * The next step behind (dir 1) or before (-1) the walk's step that fulfils it.  The walk stays.
 * recording_steps() + 1: none, or cancelled.
 */
size_t walk_find(struct walk *w, const struct rec_condition *c, int dir, struct progress *p);

/*
 * A step of a recording as panes show it: what was decided so far, and what the last move changed.
 * Immutable and counted; made by the thread that moves the walk (core/trace/walk.h), looked at by any.
 */

struct moment {
	atomic_uint refs;
	const struct recording *rec; /* reference held */
	size_t step;		     /* of it; 0 = before the first */
	const struct sweep *sweep;   /* the step (walk_moment()); reference held */
	const struct sweep *before;  /* the step before the last move, of the same recording; NULL = none */
	char *phase, *sentence;	     /* of the step; sentence "" at 0 */
	uint8_t *reach;		     /* [n_switches] of enum walk_reach */
	uint8_t *decided;	     /* [n_switches x (max_lid + 1)] not 0: the entry is decided */
	uint64_t *touched; /* [n_touched] cells that the last move changed, table << 32 | at, sorted */
	size_t n_touched;
};

/* The moment where the walk stands; the caller owns it.  before: the moment shown last, NULL: none. */
const struct moment *moment_new(struct walk *w, const struct moment *before);
const struct moment *moment_ref(const struct moment *m);
void moment_unref(const struct moment *m); /* NULL is fine */

/* Is an entry decided there (perhaps as "no port")? NULL (the present): all are. */
bool moment_decided(const struct moment *m, uint32_t sw, unsigned lid);
/* Did the last move change a cell?  NULL: no. */
bool moment_touched(const struct moment *m, enum rec_table t, uint32_t at);
/* Its event, NULL at step 0 and of the present. */
const struct rec_event *moment_event(const struct moment *m);

/*
 * The cycle that the event of a step tells: a layer refuses something because of it, or a cut or block breaks
 * it.
 */

/*
 * Its channels, and who holds each while waiting for the next. `own`: the refused item would bring the
 * dependency. routes is 0 where nobody holds it any more. NULL: the event tells no cycle, or m is NULL. The
 * caller frees it with witness_free().
 */
struct witness *step_cycle(const struct moment *m);
/* The LID whose tree holds the i-th channel; 0: the escape paths hold it; -1: something else does. */
int step_holder(const struct moment *m, uint32_t i);
/* What happened because of it: "not in layer 1". */
void step_cycle_title(const struct moment *m, struct text *t);

/* The layer that the event is about, -1 = none. */
int step_layer(const struct moment *m);
/* Did that layer refuse the event's object? */
bool step_refused(const struct moment *m);

#endif
