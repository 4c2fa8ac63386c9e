/*
 * The command `step`: what its files share.
 *   step.c        walks through recordings, conditions, one step in full
 *   step_play.c   playing them
 */
#ifndef IBSCOPE_STEPS_H
#define IBSCOPE_STEPS_H

#include "core/session/command.h"
#include "core/trace/walk.h"

#define STEP_PAGE 15

/* step.c: the place where a walk stands, in a line and as JSON. */
void step_line(struct walk *w, struct out *o);

/* step.c: the nearest step in focus after one (dir 1) or before it; recording_steps() + 1 or 0 when there is
 * none. */
size_t step_neighbour(const struct recording *r, size_t step, int dir);
/* The step where `step go` stops, and its breakpoint; recording_steps() + 1 when there is none, or 0 and
 * *e. */
size_t step_next_break(struct session *s, const struct interpreter *in, size_t *number, struct progress *p,
		       struct err *e);

/* step_play.c: a speed by its name; -1 and *e. */
int step_pace(const char *word, struct err *e);
/* drain.c: a frame of `drain play`. */
int drain_frame(struct session *s, struct out *o);

/* step_play.c: stops playing, and says whether it was playing.  For the thread that runs commands. */
bool step_stand_still(struct session *s);
/* `step play [SPEED]`, `step pause`, `step stop`. played: it was playing until now. */
int step_play(struct session *s, const struct args *args, bool played, struct out *o, struct err *e);

#endif
