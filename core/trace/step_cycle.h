/*
 * The cycle that the event of a step tells: a layer refuses something because of it, or a cut or block breaks
 * it.
 */
#ifndef IBSCOPE_STEP_CYCLE_H
#define IBSCOPE_STEP_CYCLE_H

#include "core/routing/layers.h"
#include "core/trace/moment.h"

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
