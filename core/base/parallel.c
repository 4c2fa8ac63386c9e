#include "core/base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>

#include "core/base/memory.h"

#define MOST_WORKERS 256

struct shared {
	const struct parallel *job;
	struct progress *shown; /* of the whole; may be NULL */
	atomic_uint next, done;
	atomic_bool stop;
};

struct worker {
	struct shared *shared;
	unsigned number;
	struct progress progress;
	pthread_t thread;
};

unsigned cores_available(void)
{
	cpu_set_t set;
	int n = 0;

	if (!sched_getaffinity(0, sizeof(set), &set))
		n = CPU_COUNT(&set);
	return n > 0 ? (unsigned)n : 1;
}

unsigned parallel_workers(const struct parallel *j)
{
	unsigned n = j->threads ? j->threads : cores_available();

	n = n < MOST_WORKERS ? n : MOST_WORKERS;
	n = n < j->n ? n : j->n;
	return n ? n : 1;
}

static void *work(void *arg)
{
	struct worker *w = arg;
	struct shared *s = w->shared;
	unsigned i;

	while (!atomic_load(&s->stop) && (i = atomic_fetch_add(&s->next, 1)) < s->job->n) {
		if (progress_cancelled(&w->progress) ||
		    !s->job->work(s->job->ctx, w->number, i, &w->progress))
			atomic_store(&s->stop, true);
		else if (!progress_step(s->shown, atomic_fetch_add(&s->done, 1) + 1))
			atomic_store(&s->stop, true);
	}
	return NULL;
}

/* All signals but those of the thread's own faults stay with whoever started it. */
static void block_signals(sigset_t *old)
{
	sigset_t all;

	sigfillset(&all);
	sigdelset(&all, SIGSEGV);
	sigdelset(&all, SIGBUS);
	sigdelset(&all, SIGFPE);
	sigdelset(&all, SIGABRT);
	sigdelset(&all, SIGILL);
	pthread_sigmask(SIG_BLOCK, &all, old);
}

bool parallel_run(const struct parallel *j, const char *what, struct progress *p)
{
	struct shared s = {.job = j, .shown = p};
	unsigned n = parallel_workers(j), running = 1;
	struct worker *w = NEW_ARRAY(n, struct worker);
	sigset_t old;

	progress_start(p, what, j->n);
	for (unsigned i = 0; i < n; i++) {
		w[i].shared = &s;
		w[i].number = i;
		w[i].progress.up = p;
	}
	block_signals(&old);
	/* where the system gives no more threads, those there are do it */
	while (running < n && !pthread_create(&w[running].thread, NULL, work, &w[running]))
		running++;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	work(&w[0]);
	while (running > 1)
		pthread_join(w[--running].thread, NULL);
	free(w);
	return !atomic_load(&s.stop) && !progress_cancelled(p);
}
