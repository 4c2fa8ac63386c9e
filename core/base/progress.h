/* Progress and cancellation of long work, and the clock for it. */
#ifndef IBSCOPE_PROGRESS_H
#define IBSCOPE_PROGRESS_H

#include <pthread.h>
#include <stdatomic.h>

#include "core/base/defs.h"
#include "core/base/err.h"

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
	const struct progress *up;  /* cancelled together with that one; NULL = none */
};

void progress_start(struct progress *p, const char *what, unsigned total);
bool progress_step(struct progress *p, unsigned done);
bool progress_cancelled(const struct progress *p);
bool progress_late(const struct progress *p); /* has `until` passed, here or in `up`? */

/*
 * Seconds left at `now` (now_seconds()) at the speed so far.  Negative when it is too early to say (less than
 * a second has passed, or less than a hundredth is done).
 */
double progress_left(const struct progress *p, double now);

/* The message of an operation that ended because of progress.cancel. */
#define CANCELLED "cancelled"

/* Seconds on the monotonic clock. */
double now_seconds(void);

/* Many pieces of similar work on all cores. */

/* Cores that this process may run on, at least 1. */
unsigned cores_available(void);

/* The workers.  Each worker has a number, and each piece goes to one worker. */
struct parallel {
	unsigned n;	  /* pieces, 0 .. n - 1 */
	unsigned threads; /* at most this many at a time, 0 = cores_available() */
	/*
	 * Does piece i. `worker` is 0 .. parallel_workers() - 1; no two threads have the same number at a
	 * time. p belongs to this worker and is cancelled with the whole; its steps are not shown.  -1 and
	 * *e: stop all.
	 */
	int (*work)(void *ctx, unsigned worker, unsigned i, struct progress *p, struct err *e);
	void *ctx;
};

unsigned parallel_workers(const struct parallel *j);
/* Is this thread working on a piece beside other threads?  Then all cores are busy. */
bool parallel_inside(void);

/*
 * Do all pieces.  `p` (may be NULL) gets the number of finished pieces under the name `what` (static).
 * Returns when no worker runs any more: 0 when all is done; -1 and *e: CANCELLED, or the error of the first
 * work() that failed.  Pieces are begun in order and may end in any order.
 */
int parallel_run(const struct parallel *j, const char *what, struct progress *p, struct err *e);

/* Starts a thread that receives no signals but those of its own faults. Returns false when the system cannot
 * start one. */
bool thread_start(pthread_t *t, void *(*run)(void *), void *arg);

#endif
