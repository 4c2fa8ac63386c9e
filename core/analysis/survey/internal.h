/*
 * How a survey is made: what the files survey*.c share.
 *   survey.c         the list of failures, one sweep each, on all cores
 *   random.c    pairs at random, the interval of a share
 *   effect.c  what a failure does to pairs, loads and loops: by the difference, or from nothing
 *   parted*.c  all pairs of failures: proofs, without sweeps (parted.h)
 *   moves.c   the ways to one LID, by the switches whose entries changed
 */
#ifndef IBSCOPE_SURVEY_PARTS_H
#define IBSCOPE_SURVEY_PARTS_H

#include "core/analysis/survey/survey.h"

/* Facts about the tables before.  All workers share them; they never change. */
struct effect_base;
/* The own data of a worker. */
struct effect_work;

/* NULL and *e: cancelled, or no memory. */
struct effect_base *effect_base_new(const struct sweep *before, bool whole, unsigned workers,
				    struct progress *p, struct err *e);
void effect_base_free(struct effect_base *b);
uint32_t effect_load_before(const struct effect_base *b);

struct effect_work *effect_work_new(const struct effect_base *b);
void effect_work_free(struct effect_work *w);

/*
 * Fill in all of a row that tables tell: pairs, entries, loads, loops.  `after` has tables.  -1 and *e:
 * cancelled, or no memory.
 *
 * Unchanged parts are not looked at again.  A pair's path can change only if an entry for its LID changed, if
 * a cable that such an entry names went down, or if one of its ends went away.  Loads and channel
 * dependencies are sums over LIDs.  All old dependencies follow an order of channels.  If each new one
 * follows it too, or if another such order is found, there is no cycle.
 */
int effect_of(struct effect_work *w, const struct sweep *after, struct survey_row *row, struct progress *p,
	      struct err *e);

#endif
