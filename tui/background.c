/* Computes what panes ask for, one request after the other, in its own thread. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/parallel.h"
#include "core/base/progress.h"
#include "tui/ui.h"

#define WANTED (2 * VIEW_ASKS)

static struct {
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t work;
	bool stop;
	struct ask wanted[WANTED]; /* with references; not started */
	unsigned n_wanted;
	struct ask current; /* with references; being computed while `running` */
	bool running;
	const struct result *done; /* reference; computed, but not yet taken */
	/* with references: what the person gave up waiting for; nothing else was requested since */
	struct ask given_up[WANTED];
	unsigned n_given_up;
	bool no_memory; /* memory was short for a result; not yet told */
	struct progress progress;
} b = {.mutex = PTHREAD_MUTEX_INITIALIZER, .work = PTHREAD_COND_INITIALIZER};

static bool is_given_up(const struct ask *a)
{
	for (unsigned k = 0; k < b.n_given_up; k++)
		if (ask_equal(a, &b.given_up[k]))
			return true;
	return false;
}

/* Runs the first request; its result is b.done. The mutex is held, except during the computation. */
static void background_run_first(void)
{
	struct result *r;

	b.current = b.wanted[0];
	memmove(&b.wanted[0], &b.wanted[1], --b.n_wanted * sizeof(b.wanted[0]));
	atomic_store(&b.progress.cancel, false);
	atomic_store(&b.progress.done, 0);
	atomic_store(&b.progress.total, 0);
	atomic_store(&b.progress.since, now_seconds());
	b.running = true;
	pthread_mutex_unlock(&b.mutex);
	r = ask_run(&b.current, &b.progress);
	pthread_mutex_lock(&b.mutex);
	b.running = false;
	if (r && r->partial && !is_given_up(&b.current)) {
		result_unref(r);
		r = NULL;
	}
	b.done = r;
	if (!r && !atomic_load(&b.progress.cancel)) { /* it is not tried again automatically */
		b.no_memory = true;
		if (b.n_given_up < WANTED)
			b.given_up[b.n_given_up++] = ask_copy(&b.current);
	}
	ask_clear(&b.current);
	ui_wake();
}

static void *background_work(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&b.mutex);
	while (!b.stop) {
		if (b.n_wanted && !b.done)
			background_run_first();
		else
			pthread_cond_wait(&b.work, &b.mutex);
	}
	pthread_mutex_unlock(&b.mutex);
	return NULL;
}

void background_start(void)
{
	if (!thread_start(&b.thread, background_work, NULL))
		mem_exhausted(0);
}

static void forget_wanted(void)
{
	while (b.n_wanted)
		ask_clear(&b.wanted[--b.n_wanted]);
}

static void forget_given_up(void)
{
	while (b.n_given_up)
		ask_clear(&b.given_up[--b.n_given_up]);
}

void background_stop(void)
{
	pthread_mutex_lock(&b.mutex);
	b.stop = true;
	atomic_store(&b.progress.cancel, true);
	pthread_cond_signal(&b.work);
	pthread_mutex_unlock(&b.mutex);
	pthread_join(b.thread, NULL);
	forget_wanted();
	forget_given_up();
	result_unref(b.done);
	b.done = NULL;
}

void background_give_up(void)
{
	pthread_mutex_lock(&b.mutex);
	forget_given_up();
	if (b.running)
		b.given_up[b.n_given_up++] = ask_copy(&b.current);
	for (unsigned i = 0; i < b.n_wanted && b.n_given_up < WANTED; i++)
		b.given_up[b.n_given_up++] = ask_copy(&b.wanted[i]);
	forget_wanted();
	atomic_store(&b.progress.cancel, true);
	pthread_mutex_unlock(&b.mutex);
}

void background_resume(void)
{
	pthread_mutex_lock(&b.mutex);
	forget_given_up();
	pthread_mutex_unlock(&b.mutex);
}

bool background_given_up(void)
{
	bool up;

	pthread_mutex_lock(&b.mutex);
	up = b.n_given_up != 0;
	pthread_mutex_unlock(&b.mutex);
	return up;
}

/* Was everything that is requested given up before? */
static bool only_given_up(const struct ask *a, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (!is_given_up(&a[i]))
			return false;
	return n != 0;
}

void background_take(struct scene *sc)
{
	unsigned done = atomic_load(&b.progress.done), total = atomic_load(&b.progress.total);
	bool no_memory;

	sc->left = -1;
	sc->percent = 0;
	pthread_mutex_lock(&b.mutex);
	/* what has ended, or is ending, is nothing that a pane still waits for */
	if (b.running && !atomic_load(&b.progress.cancel)) {
		sc->left = progress_left(&b.progress, now_seconds());
		sc->percent = total ? (unsigned)(100.0 * MIN(done, total) / total) : 0;
	}
	no_memory = b.no_memory;
	b.no_memory = false;
	if (b.done) {
		scene_add_result(sc, b.done);
		b.done = NULL;
	}
	pthread_mutex_unlock(&b.mutex);
	scene_drop_results(sc);
	if (no_memory)
		ui_message(true, OUT_OF_MEMORY "what a pane shows is too large");
}

static bool background_is_known(const struct ask *a)
{
	if (b.done && !b.done->partial && ask_equal(a, &b.done->ask))
		return true;
	for (unsigned i = 0; i < b.n_wanted; i++)
		if (ask_equal(a, &b.wanted[i]))
			return true;
	return false;
}

void background_want(const struct ask *a, unsigned n)
{
	bool keep = false;

	pthread_mutex_lock(&b.mutex);
	forget_wanted();
	if (only_given_up(a, n)) {
		pthread_mutex_unlock(&b.mutex);
		return;
	}
	forget_given_up();
	for (unsigned i = 0; i < n && i < WANTED; i++) {
		/* a cancelled computation that is ending must be started again */
		if (b.running && ask_equal(&a[i], &b.current) && !atomic_load(&b.progress.cancel))
			keep = true;
		else if (!background_is_known(&a[i]))
			b.wanted[b.n_wanted++] = ask_copy(&a[i]);
	}
	if (b.running && !keep)
		atomic_store(&b.progress.cancel, true);
	if (b.n_wanted)
		pthread_cond_signal(&b.work);
	pthread_mutex_unlock(&b.mutex);
}

double background_since(void)
{
	return atomic_load(&b.progress.since);
}

bool background_busy(void)
{
	bool busy;

	pthread_mutex_lock(&b.mutex);
	busy = b.running || b.n_wanted;
	pthread_mutex_unlock(&b.mutex);
	return busy;
}
