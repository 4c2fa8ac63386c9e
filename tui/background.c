/* Routes per port of the routing in force, computed beside the loop when a pane shows them. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "tui/ui.h"

static struct {
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t work;
	bool stop;
	const struct routing *wanted;	/* reference; what the thread is to do, or does */
	const struct routing *done_for;	/* reference; what `done` belongs to */
	struct loads *done;
	bool running;
	struct progress progress;
} b = {.mutex = PTHREAD_MUTEX_INITIALIZER, .work = PTHREAD_COND_INITIALIZER};

/* What the scene shows; the loop's own. */
static const struct routing *shown_for;
static struct loads *shown;

static void *work(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&b.mutex);
	while (!b.stop) {
		const struct routing *r;
		struct loads *l;
		struct err e;

		if (!b.wanted) {
			pthread_cond_wait(&b.work, &b.mutex);
			continue;
		}
		r = routing_ref(b.wanted);
		atomic_store(&b.progress.cancel, false);
		b.running = true;
		pthread_mutex_unlock(&b.mutex);
		l = loads_new(r, "all", &b.progress, &e);
		pthread_mutex_lock(&b.mutex);
		b.running = false;
		if (l) {
			loads_free(b.done);
			routing_unref(b.done_for);
			b.done = l;
			b.done_for = routing_ref(r);
		}
		if (b.wanted == r) {
			routing_unref(b.wanted);
			b.wanted = NULL;
		}
		routing_unref(r);
		ui_wake();
	}
	pthread_mutex_unlock(&b.mutex);
	return NULL;
}

void background_start(void)
{
	sigset_t all, old;

	sigfillset(&all);
	sigdelset(&all, SIGSEGV);
	sigdelset(&all, SIGBUS);
	sigdelset(&all, SIGFPE);
	sigdelset(&all, SIGABRT);
	sigdelset(&all, SIGILL);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	if (pthread_create(&b.thread, NULL, work, NULL))
		abort();
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

void background_stop(void)
{
	pthread_mutex_lock(&b.mutex);
	b.stop = true;
	atomic_store(&b.progress.cancel, true);
	pthread_cond_signal(&b.work);
	pthread_mutex_unlock(&b.mutex);
	pthread_join(b.thread, NULL);
	loads_free(b.done);
	loads_free(shown);
	routing_unref(b.done_for);
	routing_unref(b.wanted);
	routing_unref(shown_for);
	b.done = shown = NULL;
	b.done_for = b.wanted = shown_for = NULL;
}

static void show(struct scene *sc, struct loads *l, const struct routing *r)
{
	loads_free(shown);
	routing_unref(shown_for);
	shown = l;
	shown_for = r;
	sc->loads = l;
	sc->loads_version++;
}

bool background_loads(struct scene *sc)
{
	const struct routing *r = sc->sweep ? sc->sweep->routing : NULL;
	bool came = false;

	pthread_mutex_lock(&b.mutex);
	if (b.done && b.done_for == r) {
		show(sc, b.done, b.done_for);
		b.done = NULL;
		b.done_for = NULL;
		came = true;
	} else if (r != shown_for && sc->loads) {
		sc->loads = NULL;
		sc->loads_version++;
	} else if (r && r == shown_for && !sc->loads) {
		sc->loads = shown;
		sc->loads_version++;
		came = true;
	}
	if (sc->want_loads && r && !sc->loads && b.wanted != r) {
		routing_unref(b.wanted);
		b.wanted = routing_ref(r);
		if (b.running)
			atomic_store(&b.progress.cancel, true);
		pthread_cond_signal(&b.work);
	}
	pthread_mutex_unlock(&b.mutex);
	return came;
}
