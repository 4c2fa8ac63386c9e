/*
 * The loop: keys, news from other threads, and drawing. It calls all the other files; none of them calls it.
 */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "tui/ui.h"
#include "core/base/err.h"
#include "core/base/text.h"

/*
 * Reads all available keys. The number is bounded, so that the screen is drawn even during a flood of input.
 */
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
	struct text t = {0};

	if (worker_output(&t))
		repl_print(t.s, t.len);
	text_free(&t);
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
	const char *what;
	char key[64];

	if (!session_routing(ui.session))
		return; /* the pane `start`, or the proposed engine, tells what to do */
	for (uint32_t sw = 0; s && sw < s->fabric->n_switches && ends < 4; sw++)
		FOR_CABLES(s->topo, sw, port, to)
			ends++;
	what = ends < 4 ? "check, then help" : "fail random 2, then diff, undo, help";
	repl_printf("First steps: press %s and type  %s\n", prompt_key(key, sizeof(key)), what);
}

static void loop(void)
{
	bool more = false, greeted = false;

	while (!ui.quit && !ui.interpreter->quit && !term_signal) {
		int most;

		session_lock(ui.session);
		if (!greeted && worker_idle()) {
			greeted = true;
			tell_first_steps();
		}
		ui_draw();
		session_unlock(ui.session);
		most = more		   ? 0
		       : worker_busy(NULL) ? 100
		       : background_busy() ? 200
		       : top_bar_ages()	   ? 1000
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
	char *a[] = {switches}, *b[] = {ports};
	struct err e;

	session_lock(ui.session);
	ui_refresh();
	a[0] = ui.scene.fabric ? switches : start;
	pane_open(1, a, &e);
	view_refresh(pane_top(SLOT_LIST));
	if (ui.scene.fabric)
		pane_open(1, b, &e);
	pane_focus(SLOT_LIST);
	session_unlock(ui.session);
}

int ui_run(struct interpreter *in, const struct ui_config *c, struct err *e)
{
	int sig;

	ui.interpreter = in;
	ui.session = in->session;
	ui.session->on_screen = true;
	ui.about = c->about;
	if (keymap_choose(c->keymap, e) || ui_open(e))
		return -1;
	repl_start();
	recent_start();
	if (term_start(e)) {
		repl_stop();
		return -1;
	}
	worker_start(in);
	background_start();
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
	sig = term_signal;
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
