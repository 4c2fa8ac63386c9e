/* Work shared among threads. */
#include <sched.h>
#include <signal.h>
#include <stdlib.h>

#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/progress.h"

#define MOST_WORKERS 256

struct parallel_shared {
	const struct parallel *job;
	struct progress *shown; /* progress of the whole; may be NULL */
	atomic_uint next, done;
	atomic_bool stop;
	pthread_mutex_t mutex;
	bool failed;
	struct err e; /* error of the first worker that failed */
	bool several; /* workers */
};

struct worker {
	struct parallel_shared *shared;
	unsigned number;
	struct progress progress;
	pthread_t thread;
};

static _Thread_local bool working; /* this thread does a piece of somebody's work */

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

	n = MIN(n, MOST_WORKERS);
	n = MIN(n, j->n);
	return n ? n : 1;
}

bool parallel_inside(void)
{
	return working;
}

static void *parallel_work(void *arg)
{
	struct worker *w = arg;
	struct parallel_shared *s = w->shared;
	struct err e;
	unsigned i;
	bool before = working;

	working |= s->several;
	while (!atomic_load(&s->stop) && (i = atomic_fetch_add(&s->next, 1)) < s->job->n) {
		if (progress_cancelled(&w->progress))
			atomic_store(&s->stop, true);
		else if (s->job->work(s->job->ctx, w->number, i, &w->progress, &e)) {
			pthread_mutex_lock(&s->mutex);
			if (!s->failed)
				s->e = e;
			s->failed = true;
			pthread_mutex_unlock(&s->mutex);
			atomic_store(&s->stop, true);
		} else if (!progress_step(s->shown, atomic_fetch_add(&s->done, 1) + 1))
			atomic_store(&s->stop, true);
	}
	working = before;
	return NULL;
}

bool thread_start(pthread_t *t, void *(*run)(void *), void *arg)
{
	sigset_t all, old;

	sigfillset(&all);
	sigdelset(&all, SIGSEGV);
	sigdelset(&all, SIGBUS);
	sigdelset(&all, SIGFPE);
	sigdelset(&all, SIGABRT);
	sigdelset(&all, SIGILL);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	bool started = !pthread_create(t, NULL, run, arg);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return started;
}

int parallel_run(const struct parallel *j, const char *what, struct progress *p, struct err *e)
{
	struct parallel_shared s = {.job = j, .shown = p, .mutex = PTHREAD_MUTEX_INITIALIZER};
	unsigned n = parallel_workers(j), running = 1;
	AUTO_FREE struct worker *w = NEW_ARRAY(n, struct worker);

	s.several = n > 1;
	progress_start(p, what, j->n);
	for (unsigned i = 0; i < n; i++) {
		w[i].shared = &s;
		w[i].number = i;
		w[i].progress.up = p;
	}
	/* if the system gives no more threads, the existing ones do the work */
	while (running < n && thread_start(&w[running].thread, parallel_work, &w[running]))
		running++;
	parallel_work(&w[0]);
	while (running > 1)
		pthread_join(w[--running].thread, NULL);
	if (progress_cancelled(p) || (atomic_load(&s.stop) && !s.failed))
		return err_set(e, CANCELLED);
	if (s.failed)
		*e = s.e;
	return s.failed ? -1 : 0;
}
