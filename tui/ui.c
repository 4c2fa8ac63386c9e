/* The loop, the state that all files of the interface share, and the threads for commands and results. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/session/help.h"
#include "engines/engines.h"
#include "tui/ui.h"

/* The state of the user interface, which all its files use. */

struct ui ui = {.scene.panes = all_views,
		.scene.places = all_places,
		.words = &help_words_none,
		.rules = &(struct rule_difference){.what = NULL}};

static int wake_pipe[2] = {-1, -1};

/* Also called from signal handlers. */
void ui_wake(void)
{
	int saved = errno;
	ssize_t n = write(wake_pipe[1], "", 1);

	(void)n;
	errno = saved;
}

void ui_message(bool bad, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(ui.message, sizeof(ui.message), fmt, ap);
	va_end(ap);
	ui.message_bad = bad;
}

void draw_cursor(int y, int x)
{
	ui.cursor_y = y;
	ui.cursor_x = x;
}

static short ui_wait(int most)
{
	struct pollfd fds[2] = {{.fd = STDIN_FILENO, .events = POLLIN},
				{.fd = wake_pipe[0], .events = POLLIN}};
	char drain[256];

	poll(fds, 2, most);
	while (read(wake_pipe[0], drain, sizeof(drain)) > 0)
		;
	return fds[0].revents;
}

/* Computes what panes ask for, one request after the other, in its own thread. */

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
	bool no_memory; /* memory was short for a result; not yet reported */
	struct progress progress;
} b = {.mutex = PTHREAD_MUTEX_INITIALIZER, .work = PTHREAD_COND_INITIALIZER};

static bool is_given_up(const struct ask *a)
{
	for (unsigned k = 0; k < b.n_given_up; k++)
		if (ask_equal(a, &b.given_up[k]))
			return true;
	return false;
}

/* A partial value of what runs replaces the last one. */
static void background_ready(void *value)
{
	pthread_mutex_lock(&b.mutex);
	assert(b.running && (!b.done || b.done->partial));
	struct result *r = result_new(&b.current, value);
	r->partial = true;
	result_unref(b.done);
	b.done = r;
	pthread_mutex_unlock(&b.mutex);
	ui_wake();
}

/* Runs the first request; its result is b.done. The mutex is held, except during the computation. */
static void background_run_first(void)
{
	assert(b.n_wanted && !b.done && !b.running);
	b.current = b.wanted[0];
	memmove(&b.wanted[0], &b.wanted[1], --b.n_wanted * sizeof(b.wanted[0]));
	atomic_store(&b.progress.cancel, false);
	atomic_store(&b.progress.done, 0);
	atomic_store(&b.progress.total, 0);
	atomic_store(&b.progress.since, now_seconds());
	b.running = true;
	pthread_mutex_unlock(&b.mutex);
	struct result *r = ask_run(&b.current, &b.progress, background_ready);
	pthread_mutex_lock(&b.mutex);
	b.running = false;
	if (r && r->partial && !is_given_up(&b.current)) {
		result_unref(r);
		r = NULL;
	}
	if (r) {
		result_unref(b.done);
		b.done = r;
	}
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

static void background_stop(void)
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
	pthread_mutex_lock(&b.mutex);
	bool up = b.n_given_up != 0;
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

	sc->left = -1;
	sc->percent = 0;
	pthread_mutex_lock(&b.mutex);
	/* what has ended, or is ending, is nothing that a pane still waits for */
	if (b.running && !atomic_load(&b.progress.cancel)) {
		sc->left = progress_left(&b.progress, now_seconds());
		sc->percent = total ? (unsigned)(100.0 * MIN(done, total) / total) : 0;
	}
	bool no_memory = b.no_memory;
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
	pthread_mutex_lock(&b.mutex);
	bool busy = b.running || b.n_wanted;
	pthread_mutex_unlock(&b.mutex);
	return busy;
}

/* Runs commands in a thread of its own, one after the other, while the loop continues. */

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
	assert(!w.request); /* one at a time */
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
		AUTO_FREE char *line = str_printf("pane pick %s", r.unclear);

		free(r.unclear);
		r.unclear = NULL;
		run_text(&r, line, &e);
		free(r.unclear);
	}
	fflush(f);
}

static void *worker_work(void *arg)
{
	FILE *f = arg;

	pthread_mutex_lock(&w.mutex);
	while (!w.stop) {
		if (!w.n) {
			w.running = false;
			pthread_cond_wait(&w.work, &w.mutex);
			continue;
		}
		struct queued job = w.queue[0];
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

	assert(!w.interpreter && !w.stop); /* once */
	w.interpreter = in;
	setvbuf(f, NULL, _IOLBF, BUFSIZ);
	if (!thread_start(&w.thread, worker_work, f))
		mem_exhausted(0);
}

static void worker_stop(void)
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
	AUTO_TEXT struct text guid = {0};
	uint64_t n = 0;
	uint32_t row;

	/* GUID of the selection in the last used pane, 0: it has none */
	if (v && ui.scene.fabric && view_current(v, &row) && view_place(v, row, "guid", &guid))
		number_of_hex(text_str(&guid), &n);
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
	pthread_mutex_lock(&w.mutex);
	bool idle = !w.running && !w.n && !w.output.len;
	pthread_mutex_unlock(&w.mutex);
	return idle;
}

bool worker_busy(double *since)
{
	pthread_mutex_lock(&w.mutex);
	bool busy = w.running;
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
	pthread_mutex_lock(&w.mutex);
	bool runs = w.running;
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
	pthread_mutex_lock(&w.mutex);
	bool any = w.output.len > 0;
	if (any) {
		text_free(t);
		*t = w.output;
		memset(&w.output, 0, sizeof(w.output));
		pthread_cond_broadcast(&w.answered);
	}
	pthread_mutex_unlock(&w.mutex);
	return any;
}

/* a UI command for which a running command waits; NULL */
static struct ui_request *worker_request(void)
{
	pthread_mutex_lock(&w.mutex);
	struct ui_request *rq = w.request;
	pthread_mutex_unlock(&w.mutex);
	return rq;
}

static void worker_answer(void)
{
	pthread_mutex_lock(&w.mutex);
	assert(w.request);
	w.request = NULL;
	pthread_cond_broadcast(&w.answered);
	pthread_mutex_unlock(&w.mutex);
}

/* The loop: keys, news from other threads, and drawing. It calls all the other files; none of them calls
 * it. */

/* Reads all available keys; a bounded number, so that the screen is drawn even during a flood of input. */
static void read_keys(void)
{
	char bytes[80];

	for (int i = 0; i < 200 && !ui.quit; i++) {
		keycode k = term_key();

		if (k == K_NONE)
			return;
		if (k == K_RESIZE)
			term_resized();
		else if (k == K_MOUSE)
			mouse_pressed();
		else if (k == K_PASTE)
			pasted(term_paste());
		else if (k == K_SEQUENCE && ui.focus == SLOT_REPL && !ui.line_mode)
			repl_sequence(term_sequence(bytes, sizeof(bytes)));
		else if (k <= K_F12 || !KEY_IS_SPECIAL(k) || (k & KEYF_META))
			key_pressed(k);
	}
}

/* --- the loop -------------------------------------------------------------------- */

static void take_output(void)
{
	AUTO_TEXT struct text t = {0};

	if (worker_output(&t))
		repl_print(t.s, t.len);
}

/* May what the pane computes let a command succeed that failed now? Not when a person stopped either. */
static bool worth_waiting(void)
{
	return ui.addressed && ui.addressed->waiting && !background_given_up() &&
	       !atomic_load(&worker_progress()->cancel);
}

/*
 * Runs a command of the interface from a line that the worker runs. One that fails while its pane is being
 * computed is tried again with what has arrived. If the person has typed since, the focus
 * does not move, since the text would be taken for keys. Commands of a typed line address the panes that this
 * line has opened, and leave the focus where it was.
 */
static void serve_request(void)
{
	struct ui_request *rq = worker_request();
	static unsigned long job;
	static struct focus addressed; /* by the commands of the line */
	struct focus before = pane_focus_now();
	enum line_mode mode = ui.line_mode;

	if (!rq)
		return;
	take_output();
	if (rq->typed && job == rq->job) {
		pane_focus(addressed.now);
		ui.last_pane = addressed.last_pane;
	}
	job = rq->job;
	rq->err->msg[0] = 0;
	ui.addressed = NULL;
	rq->rc = rq->command->run(ui.session, rq->args, rq->out, rq->err);
	addressed = (struct focus){.now = ui.focus, .last_pane = ui.last_pane};
	if (ui.keys_seen != ui.keys_asked) {
		pane_focus(before.now);
		ui.last_pane = before.last_pane;
		ui.one_line = before.one_line;
		ui.line_mode = mode;
	} else if (rq->typed) {
		pane_give_back(&before);
	}
	if (!rq->rc || !worth_waiting())
		worker_answer();
}

/* The key that goes to the prompt, by the loaded keymap. */
static const char *prompt_key(char *buf, size_t size)
{
	const struct keymap *km = &ui.keys;

	for (size_t i = 0; i < km->n; i++)
		if (!strcmp(km->b[i].map, "all") && !strcmp(km->b[i].does, "command"))
			return keys_text(km->b[i].key, km->b[i].n, buf, size);
	return "Tab";
}

/* One line for new users, with commands that run in the session's present state. */
static void tell_first_steps(void)
{
	const struct sweep *s = session_sweep(ui.session);
	uint32_t ends = 0;
	char key[64];

	if (!session_routing(ui.session))
		return; /* the pane `start`, or the proposed engine, says what to do */
	for (uint32_t sw = 0; s && sw < s->fabric->n_switches && ends < 4; sw++)
		FOR_CABLES(s->topo, sw, port, to)
			ends++;
	const char *what = ends < 4 ? "check, then help" : "fail random 2, then diff, undo, help";
	repl_printf("First steps: press %s and type  %s\n", prompt_key(key, sizeof(key)), what);
}

static void loop(void)
{
	bool more = false, greeted = false;

	while (!ui.quit && !ui.interpreter->quit && !term_signal) {
		session_lock(ui.session);
		if (!greeted && worker_idle()) {
			greeted = true;
			tell_first_steps();
		}
		ui_draw();
		session_unlock(ui.session);
		int most = more		       ? 0
			   : worker_busy(NULL) ? 100
			   : background_busy() ? 200
			   : top_bar_ages()    ? 1000
					       : -1;
		if (term_waits() && (most < 0 || most > 10))
			most = 10;
		if (play_wait() >= 0 && (most < 0 || play_wait() < most))
			most = play_wait();
		if (ui_wait(most) & (POLLHUP | POLLERR | POLLNVAL))
			raise(SIGHUP); /* the terminal is gone */
		if (term_stopped)
			term_suspend();
		if (term_continued) {
			term_continued = 0;
			term_resized();
		}
		session_lock(ui.session);
		ui_refresh();
		take_output();
		serve_request();
		read_keys();
		more = false; /* whether panes are still filtering or sorting */
		for (int p = 0; p < SLOT_REPL; p++) {
			struct view *v = pane_top((enum place_id)p);

			if (v && ui.rect[p].h && !scene_stale(&ui.scene, ui.session))
				more |= !view_work(v, 0.03);
		}
		play_serve();
		session_unlock(ui.session);
	}
}

static void ui_open_panes(void)
{
	static char switches[] = "switches", ports[] = "ports", start[] = "start";
	static char doctor[] = "doctor";
	char *list[] = {switches}, *detail[] = {ports}, *judged[] = {doctor};
	struct err e;

	session_lock(ui.session);
	ui_refresh();
	list[0] = ui.scene.fabric ? switches : start;
	pane_open(1, list, &e);
	view_refresh(pane_top(SLOT_LIST));
	if (ui.scene.fabric)
		pane_open(1, detail, &e);
	pane_focus(SLOT_LIST);
	if (summary_first())
		pane_open(1, judged, &e);
	session_unlock(ui.session);
}

int ui_run(struct interpreter *in, const struct ui_config *c, struct err *e)
{
	assert(in->session && c->about && !ui.interpreter); /* once */
	ui.interpreter = in;
	ui.session = in->session;
	ui.session->on_screen = true;
	ui.about = c->about;
	if (keymap_choose(c->keymap, e))
		return -1;
	if (pipe2(wake_pipe, O_CLOEXEC | O_NONBLOCK))
		return err_set_kind(e, ERR_IO, "cannot make a pipe: %s", strerror(errno));
	repl_start();
	recent_start();
	if (term_start(e)) {
		repl_stop();
		return -1;
	}
	worker_start(in);
	if (!thread_start(&b.thread, background_work, NULL))
		mem_exhausted(0);
	ui_open_panes();
	if (c->greeting)
		repl_print(c->greeting, strlen(c->greeting));
	session_lock(ui.session);
	for (size_t i = 0; i < c->n_start; i++)
		repl_run(c->start[i], true);
	session_unlock(ui.session);
	ui.begin = c->n_start != 0;
	if (ui.key_errors.len)
		repl_print(ui.key_errors.s, ui.key_errors.len);
	text_free(&ui.key_errors);
	loop();
	int sig = term_signal;
	term_stop();
	worker_stop();
	background_stop();
	panes_free();
	scene_release(&ui.scene);
	scene_drop_results(&ui.scene);
	free(ui.told_source);
	help_free();
	palette_free();
	recent_stop();
	free(ui.proposed_for);
	keymap_clear(&ui.keys);
	repl_stop();
	if (sig)
		term_die(sig);
	return 0;
}
