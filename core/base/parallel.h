/* Many pieces of similar work on all cores. */
#ifndef IBSCOPE_PARALLEL_H
#define IBSCOPE_PARALLEL_H

#include <pthread.h>
#include "core/base/err.h"
#include "core/base/progress.h"

/* Cores that this process may run on, at least 1. */
unsigned cores_available(void);

/* The workers.  Each worker has a number, and each piece goes to one worker. */
struct parallel {
	unsigned n;	  /* pieces, 0 .. n - 1 */
	unsigned threads; /* at most that many at a time, 0 = cores_available() */
	/*
	 * Do piece i. worker: 0 .. parallel_workers() - 1; at any time only one thread has a number. p
	 * belongs to this worker and is cancelled with the whole; its steps are not shown.  -1 and *e: stop
	 * all.
	 */
	int (*work)(void *ctx, unsigned worker, unsigned i, struct progress *p, struct err *e);
	void *ctx;
};

unsigned parallel_workers(const struct parallel *j);
/* Does this thread do a piece beside others?  Then all cores have work. */
bool parallel_inside(void);

/*
 * Do all pieces.  `p` (may be NULL) gets the number of finished pieces under the name `what` (static).
 * Returns when no worker runs any more: 0 when all is done; -1 and *e: CANCELLED, or the error of the first
 * work() that failed.  Pieces are begun in order and may end in any order.
 */
int parallel_run(const struct parallel *j, const char *what, struct progress *p, struct err *e);

/* A thread that receives no signals but those of its own faults. false: there is no room for one. */
bool thread_start(pthread_t *t, void *(*run)(void *), void *arg);

#endif
