/* Progress, cancelling, and work shared among threads. */
#include <assert.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/progress.h"

static bool reading_only;
static _Thread_local unsigned in_lesson;

void permit_reading_only(void)
{
	reading_only = true;
}

bool permit_reads_only(void)
{
	return reading_only;
}

void permit_lesson_begin(void)
{
	in_lesson++;
}

void permit_lesson_end(void)
{
	assert(in_lesson);
	in_lesson--;
}

static const char *deed_word(enum permit_deed deed)
{
	switch (deed) {
	case DEED_WRITE:
		return "writing";
	case DEED_RUN:
	case DEED_LEAVE:
		return "running";
	default:
		return "reading";
	}
}

int permitted(enum permit_deed deed, const char *to, struct err *e)
{
	assert(deed && !(deed & (deed - 1))); /* one deed */
	if (in_lesson)
		return err_set_kind(
			e, ERR_NOT_ALLOWED,
			"%s %s is refused: commands of a lesson look, or change the session, and do "
			"nothing else",
			deed_word(deed), to);
	if (!reading_only || deed == DEED_READ || deed == DEED_LEAVE)
		return 0;
	return err_set_kind(e, ERR_NOT_ALLOWED, "%s %s is refused: the program was started with --read-only",
			    deed_word(deed), to);
}

void progress_start(struct progress *p, const char *what, unsigned total)
{
	if (!p)
		return;
	atomic_store(&p->done, 0);
	atomic_store(&p->total, total);
	atomic_store(&p->since, now_seconds());
	atomic_store(&p->what, what);
}

bool progress_step(struct progress *p, unsigned done)
{
	if (!p)
		return true;
	atomic_store_explicit(&p->done, done, memory_order_relaxed);
	return !progress_cancelled(p);
}

bool progress_cancelled(const struct progress *p)
{
	const struct progress *all = p;

	for (; p; p = p->up)
		if (atomic_load_explicit(&p->cancel, memory_order_relaxed))
			return true;
	return progress_late(all);
}

bool progress_late(const struct progress *p)
{
	for (; p; p = p->up) {
		double until = atomic_load_explicit(&p->until, memory_order_relaxed);

		if (until > 0 && now_seconds() >= until)
			return true;
	}
	return false;
}

double progress_left(const struct progress *p, double now)
{
	unsigned done = atomic_load(&p->done), total = atomic_load(&p->total);
	double spent = now - atomic_load(&p->since);

	if (spent < 1 || !done || done > total || done < total / 100)
		return -1;
	return spent * (total - done) / done;
}

double now_seconds(void)
{
	struct timespec t;

	/* the kernel's clock never goes back; libfaketime's clock_gettime() may */
	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

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
	bool started;

	sigfillset(&all);
	sigdelset(&all, SIGSEGV);
	sigdelset(&all, SIGBUS);
	sigdelset(&all, SIGFPE);
	sigdelset(&all, SIGABRT);
	sigdelset(&all, SIGILL);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	started = !pthread_create(t, NULL, run, arg);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return started;
}

int parallel_run(const struct parallel *j, const char *what, struct progress *p, struct err *e)
{
	struct parallel_shared s = {.job = j, .shown = p, .mutex = PTHREAD_MUTEX_INITIALIZER};
	unsigned n = parallel_workers(j), running = 1;
	struct worker *w = NEW_ARRAY(n, struct worker);

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
	free(w);
	if (progress_cancelled(p) || (atomic_load(&s.stop) && !s.failed))
		return err_set(e, CANCELLED);
	if (s.failed)
		*e = s.e;
	return s.failed ? -1 : 0;
}
