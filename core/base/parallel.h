/*
 * Many like pieces of work on all cores.
 */
#ifndef IBSCOPE_PARALLEL_H
#define IBSCOPE_PARALLEL_H

#include <pthread.h>
#include "core/base/err.h"
#include "core/base/progress.h"

/* Cores that this process may run on, at least 1. */
unsigned cores_available(void);

/* Who does the work: one is told his number, and each piece is given to one of them. */
struct parallel {
	unsigned n;	  /* pieces, 0 .. n - 1 */
	unsigned threads; /* at most that many at a time, 0 = cores_available() */
	/*
	 * Do piece i.  worker: 0 .. parallel_workers() - 1, no two at the same time with one number.  p: of
	 * this worker, cancelled when the whole is; steps told to it are not shown.  -1 and *e: stop all.
	 */
	int (*work)(void *ctx, unsigned worker, unsigned i, struct progress *p, struct err *e);
	void *ctx;
};

unsigned parallel_workers(const struct parallel *j);

/*
 * Do all of it; `p` (may be NULL) is told how many pieces are done, under the name `what` (static).
 * Returns when no worker runs any more: 0 when all is done; -1 and *e: CANCELLED, else what the first work()
 * that failed said.  Pieces are begun in order, and may end in any.
 */
int parallel_run(const struct parallel *j, const char *what, struct progress *p, struct err *e);

/* A thread to which the system gives no signals but its own faults.  false: there is no room for one. */
bool thread_start(pthread_t *t, void *(*run)(void *), void *arg);

#endif
