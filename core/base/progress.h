/* Progress and cancellation of long work, and the clock for it. */
#ifndef IBSCOPE_PROGRESS_H
#define IBSCOPE_PROGRESS_H

#include <stdatomic.h>
#include "core/base/defs.h"

/*
 * Progress of long work, shared between the working thread and the thread that shows it.  Workers call
 * progress_step() now and then (NULL is allowed).  When it returns false the work was cancelled, and they
 * give up.
 */
struct progress {
	atomic_bool cancel;
	atomic_uint done, total;
	_Atomic(const char *) what; /* static string: what is being done */
	_Atomic double since;	    /* now_seconds() when it was started */
	_Atomic double until;	    /* now_seconds() from which it counts as cancelled; 0 = never */
	const struct progress *up;  /* cancelled with that one; NULL = none */
};

void progress_start(struct progress *p, const char *what, unsigned total);
bool progress_step(struct progress *p, unsigned done);
bool progress_cancelled(const struct progress *p);
bool progress_late(const struct progress *p); /* Is `until` past, of it or of one that it follows? */

/*
 * Seconds left at `now` (now_seconds()) at the speed so far.  Below 0: too early to say (less than a second
 * has passed, or less than a hundredth is done).
 */
double progress_left(const struct progress *p, double now);

/* Message of an operation that ended because of progress.cancel. */
#define CANCELLED "cancelled"

/* Seconds on the monotonic clock. */
double now_seconds(void);

#endif
