/* The cycle that the event of a step tells of: what a layer refuses, or what is cut or blocked for it. */
#ifndef IBSCOPE_VIEWS_STEP_CYCLE_H
#define IBSCOPE_VIEWS_STEP_CYCLE_H

#include "core/routing/layers.h"
#include "core/trace/moment.h"

/*
 * Its channels and who holds each while he wants the next; `own`: what is refused would bring the dependency.
 * routes is 0 where nobody holds it any more.  NULL: the event tells of none, or m is NULL.  The caller frees
 * by witness_free().
 */
struct witness *step_cycle(const struct moment *m);
/* Who holds the i-th channel where it is a LID's tree, 0: the escape paths; -1: others do. */
int step_holder(const struct moment *m, uint32_t i);
/* What became of it: "not in layer 1". */
void step_cycle_title(const struct moment *m, struct text *t);

/* The layer that the event is about, -1 = none. */
int step_layer(const struct moment *m);
/* Did that layer refuse what the event is about? */
bool step_refused(const struct moment *m);

#endif
