/*
 * A step of a recording as panes show it: what was decided so far, and what the last move changed.
 * Immutable and counted; made by the thread that moves the walk (core/trace/walk.h), looked at by any.
 */
#ifndef IBSCOPE_MOMENT_H
#define IBSCOPE_MOMENT_H

#include "core/trace/walk.h"

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

#endif
