/* Runs commands in a thread of its own, one after the other, while the loop continues. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/number.h"
#include "core/base/parallel.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "tui/ui.h"

static struct {
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t work;	 /* there is something to do, or to stop */
	pthread_cond_t answered; /* a UI request was served, or output was taken */
	struct interpreter *interpreter;
	struct progress progress; /* of the running line */
	struct queued {
		struct command_list *in;
		char *echo; /* the line, if it must be shown before its output; or NULL */
		bool typed;
	} * queue;
	size_t n, cap;
	struct text line;  /* that runs */
	unsigned long job; /* its number */
	bool running, stop, typed;
	double since;
	struct text output;
	struct ui_request *request;
} w = {.mutex = PTHREAD_MUTEX_INITIALIZER,
       .work = PTHREAD_COND_INITIALIZER,
       .answered = PTHREAD_COND_INITIALIZER};

static ssize_t worker_collect(void *cookie, const char *buf, size_t size)
{
	(void)cookie;
	pthread_mutex_lock(&w.mutex);
	while (w.output.len > (size_t)OUTPUT_MIB << 20 && !w.stop)
		pthread_cond_wait(&w.answered, &w.mutex);
	for (size_t i = 0; i < size; i++)
		text_putc(&w.output, buf[i]);
	pthread_mutex_unlock(&w.mutex);
	ui_wake();
	return (ssize_t)size;
}

/* Hands a command of the interface over to its thread, and waits for it. */
static int hand_over(const struct command *c, const struct args *args, struct out *o, struct err *e)
{
	struct ui_request rq = {.command = c, .args = args, .out = o, .err = e, .rc = -1};

	fflush(o->run->f);
	err_set(e, "ibscope closes its screen");
	pthread_mutex_lock(&w.mutex);
	rq.job = w.job;
	rq.typed = w.typed;
	w.request = &rq;
	ui_wake();
	while (w.request == &rq && !w.stop)
		pthread_cond_wait(&w.answered, &w.mutex);
	w.request = NULL;
	pthread_mutex_unlock(&w.mutex);
	return rq.rc;
}

static void job_free(struct queued *j)
{
	commands_free(j->in);
	free(j->echo);
}

static void worker_run(const struct command_list *in, FILE *f)
{
	struct command_run r = {.in = w.interpreter,
				.f = f,
				.width = ui.columns,
				.progress = &w.progress,
				.on_screen = hand_over};
	struct err e = {0};

	w.interpreter->selected = in->selected;
	if (run_commands(&r, in, &e))
		fprintf(f, "\001%s\n", e.msg); /* \001 at the start of a line: an error */
	if (r.unclear) {
		char *line = str_printf("pane pick %s", r.unclear);

		free(r.unclear);
		r.unclear = NULL;
		run_text(&r, line, &e);
		free(line);
		free(r.unclear);
	}
	fflush(f);
}

static void *worker_work(void *arg)
{
	FILE *f = arg;

	pthread_mutex_lock(&w.mutex);
	while (!w.stop) {
		struct queued job;

		if (!w.n) {
			w.running = false;
			pthread_cond_wait(&w.work, &w.mutex);
			continue;
		}
		job = w.queue[0];
		memmove(w.queue, w.queue + 1, --w.n * sizeof(*w.queue));
		w.running = true;
		w.typed = job.typed;
		w.job++;
		text_clear(&w.line);
		text_add(&w.line, "%s", job.in->text ? job.in->text : "");
		w.since = now_seconds();
		atomic_store(&w.progress.cancel, false);
		pthread_mutex_unlock(&w.mutex);
		if (job.echo)
			fprintf(f, "\002> %s\n", job.echo); /* \002 at the start of a line: what was typed */
		worker_run(job.in, f);
		job_free(&job);
		pthread_mutex_lock(&w.mutex);
		if (!w.n)
			w.running = false;
		ui_wake();
	}
	pthread_mutex_unlock(&w.mutex);
	fclose(f);
	return NULL;
}

void worker_start(struct interpreter *in)
{
	static const cookie_io_functions_t io = {.write = worker_collect};
	FILE *f = fopencookie(NULL, "w", io);

	w.interpreter = in;
	setvbuf(f, NULL, _IOLBF, BUFSIZ);
	if (!thread_start(&w.thread, worker_work, f))
		mem_exhausted(0);
}

void worker_stop(void)
{
	pthread_mutex_lock(&w.mutex);
	w.stop = true;
	while (w.n)
		job_free(&w.queue[--w.n]);
	atomic_store(&w.progress.cancel, true);
	pthread_cond_broadcast(&w.work);
	pthread_cond_broadcast(&w.answered);
	pthread_mutex_unlock(&w.mutex);
	pthread_join(w.thread, NULL);
	free(w.queue);
	text_free(&w.output);
	text_free(&w.line);
}

void worker_add(struct command_list *in, const char *echo, bool typed)
{
	const struct view *v = pane_focused();
	struct text guid = {0};
	uint64_t n = 0;
	uint32_t row;

	/* GUID of the selection in the last used pane, 0: it has none */
	if (v && ui.scene.fabric && view_current(v, &row) && view_place(v, row, "guid", &guid))
		number_of_hex(text_str(&guid), &n);
	text_free(&guid);
	in->selected = n;
	pthread_mutex_lock(&w.mutex);
	GROW(w.queue, w.n, w.cap);
	w.queue[w.n++] = (struct queued){in, echo ? str_dup(echo) : NULL, typed};
	if (!w.running)
		w.since = now_seconds();
	w.running = true;
	pthread_cond_signal(&w.work);
	pthread_mutex_unlock(&w.mutex);
}

bool worker_idle(void)
{
	bool idle;

	pthread_mutex_lock(&w.mutex);
	idle = !w.running && !w.n && !w.output.len;
	pthread_mutex_unlock(&w.mutex);
	return idle;
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
		job_free(&w.queue[--w.n]);
	atomic_store(&w.progress.cancel, true);
	pthread_mutex_unlock(&w.mutex);
}

bool worker_line(struct text *t)
{
	bool runs;

	pthread_mutex_lock(&w.mutex);
	runs = w.running;
	text_add(t, "%s", runs ? text_str(&w.line) : "");
	pthread_mutex_unlock(&w.mutex);
	return runs;
}

struct progress *worker_progress(void)
{
	return &w.progress;
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
