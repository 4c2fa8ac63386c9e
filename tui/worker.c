/* Commands run here, in a thread of their own, one after the other; the loop goes on meanwhile. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "tui/ui.h"

#define OUTPUT_MOST (4u << 20) /* a command that writes more waits until the pane has taken it */

static struct {
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t work;	 /* something to do, or stop */
	pthread_cond_t answered; /* a UI request was served; output was taken */
	struct session *session;
	char **queue;
	size_t n, cap;
	bool running, stop;
	double since;
	struct text output;
	struct ui_request *request;
} w = {.mutex = PTHREAD_MUTEX_INITIALIZER,
       .work = PTHREAD_COND_INITIALIZER,
       .answered = PTHREAD_COND_INITIALIZER};

static ssize_t collect(void *cookie, const char *buf, size_t size)
{
	(void)cookie;
	pthread_mutex_lock(&w.mutex);
	while (w.output.len > OUTPUT_MOST && !w.stop)
		pthread_cond_wait(&w.answered, &w.mutex);
	for (size_t i = 0; i < size; i++)
		text_putc(&w.output, buf[i]);
	pthread_mutex_unlock(&w.mutex);
	ui_wake();
	return (ssize_t)size;
}

static void run(char *line, FILE *f)
{
	struct out o = {.f = f, .width = repl_columns()};
	struct err e = {{0}};

	atomic_store(&w.session->progress.cancel, false);
	progress_start(&w.session->progress, NULL, 0);
	if (session_execute(w.session, line, &o, &e))
		fprintf(f, "\001%s\n", e.msg); /* \001 at the start of a line: an error */
	fflush(f);
}

static void *work(void *arg)
{
	FILE *f = arg;

	pthread_mutex_lock(&w.mutex);
	while (!w.stop) {
		char *line;

		if (!w.n) {
			w.running = false;
			pthread_cond_wait(&w.work, &w.mutex);
			continue;
		}
		line = w.queue[0];
		memmove(w.queue, w.queue + 1, --w.n * sizeof(*w.queue));
		w.running = true;
		w.since = now_seconds();
		pthread_mutex_unlock(&w.mutex);
		run(line, f);
		free(line);
		pthread_mutex_lock(&w.mutex);
		if (!w.n)
			w.running = false;
		ui_wake();
	}
	pthread_mutex_unlock(&w.mutex);
	fclose(f);
	return NULL;
}

void worker_start(struct session *s)
{
	static const cookie_io_functions_t io = {.write = collect};
	FILE *f = fopencookie(NULL, "w", io);
	sigset_t all, old;

	w.session = s;
	setvbuf(f, NULL, _IOLBF, BUFSIZ);
	sigfillset(&all);
	sigdelset(&all, SIGSEGV);
	sigdelset(&all, SIGBUS);
	sigdelset(&all, SIGFPE);
	sigdelset(&all, SIGABRT);
	sigdelset(&all, SIGILL);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	if (pthread_create(&w.thread, NULL, work, f))
		abort();
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

void worker_stop(void)
{
	pthread_mutex_lock(&w.mutex);
	w.stop = true;
	while (w.n)
		free(w.queue[--w.n]);
	atomic_store(&w.session->progress.cancel, true);
	pthread_cond_broadcast(&w.work);
	pthread_cond_broadcast(&w.answered);
	pthread_mutex_unlock(&w.mutex);
	pthread_join(w.thread, NULL);
	free(w.queue);
	text_free(&w.output);
}

void worker_add(const char *line)
{
	pthread_mutex_lock(&w.mutex);
	GROW(w.queue, w.n, w.cap);
	w.queue[w.n++] = str_dup(line);
	if (!w.running)
		w.since = now_seconds();
	w.running = true;
	pthread_cond_signal(&w.work);
	pthread_mutex_unlock(&w.mutex);
}

bool worker_busy(double *since)
{
	bool busy;

	pthread_mutex_lock(&w.mutex);
	busy = w.running;
	if (since)
		*since = w.since;
	pthread_mutex_unlock(&w.mutex);
	return busy;
}

void worker_cancel(void)
{
	pthread_mutex_lock(&w.mutex);
	while (w.n)
		free(w.queue[--w.n]);
	atomic_store(&w.session->progress.cancel, true);
	pthread_mutex_unlock(&w.mutex);
}

bool worker_output(struct text *t)
{
	bool any;

	pthread_mutex_lock(&w.mutex);
	any = w.output.len > 0;
	if (any) {
		text_free(t);
		*t = w.output;
		memset(&w.output, 0, sizeof(w.output));
		pthread_cond_broadcast(&w.answered);
	}
	pthread_mutex_unlock(&w.mutex);
	return any;
}

struct ui_request *worker_request(void)
{
	struct ui_request *rq;

	pthread_mutex_lock(&w.mutex);
	rq = w.request;
	pthread_mutex_unlock(&w.mutex);
	return rq;
}

void worker_answer(void)
{
	pthread_mutex_lock(&w.mutex);
	w.request = NULL;
	pthread_cond_broadcast(&w.answered);
	pthread_mutex_unlock(&w.mutex);
}

int tui_ui_command(void *cookie, int argc, char **argv, FILE *out, struct err *e)
{
	struct ui_request rq = {.argc = argc, .argv = argv, .out = out, .err = e, .rc = -1};

	(void)cookie;
	fflush(out);
	err_set(e, "the interface is being closed");
	pthread_mutex_lock(&w.mutex);
	w.request = &rq;
	ui_wake();
	while (w.request == &rq && !w.stop)
		pthread_cond_wait(&w.answered, &w.mutex);
	w.request = NULL;
	pthread_mutex_unlock(&w.mutex);
	return rq.rc;
}
