/* The loop: keys, news from the threads beside it, drawing. */
#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tui/ui.h"
#include "core/base/err.h"
#include "core/base/text.h"

struct ui ui = {.scene.panes = all_views};

static int wake_pipe[2] = {-1, -1};
static struct {
	int y, x;
} cursor;

/* Also from signal handlers. */
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

/* --- drawing --------------------------------------------------------------------- */

void draw_cursor(int y, int x)
{
	cursor.y = y;
	cursor.x = x;
}

/* Results that came are handed over, those that the panes on top ask for are begun. */
static void serve_panes(void)
{
	struct ask a[SLOT_REPL * VIEW_ASKS];
	unsigned n = 0;

	background_take(&ui.scene);
	for (int p = 0; p < SLOT_REPL; p++) {
		const struct view *v = pane_top((enum place_id)p);

		if (!v || !v->loaded || v->serial != ui.scene.serial)
			continue;
		for (unsigned i = 0; i < v->n_ask; i++)
			if (!scene_result(&ui.scene, &v->ask[i]))
				a[n++] = v->ask[i];
	}
	if (!n && summary_ask(&a[0])) /* panes come first */
		n = 1;
	background_want(a, n);
}

/* Ports beside the switches, for a fabric that was asked for at the start; the focus stays where it is. */
static void begin(void)
{
	static char ports[] = "ports";
	enum place_id focus = ui.focus, last = ui.last_pane;
	char *argv[] = {ports};

	if (!ui.begin || !ui.scene.fabric)
		return;
	ui.begin = false;
	if (pane_top(SLOT_DETAIL))
		return;
	pane_open(1, argv, NULL);
	ui.focus = focus;
	ui.last_pane = last;
}

void ui_refresh(void)
{
	if (scene_stale(&ui.scene, ui.session))
		scene_take(&ui.scene, ui.session);
	begin();
	pane_third();
	serve_panes();
	summary_take();
	for (int p = 0; p < SLOT_REPL; p++) {
		struct view *v = pane_top((enum place_id)p);

		if (v)
			view_refresh(v);
	}
	pane_track();
}

static void draw_too_small(void)
{
	erase();
	draw_text(0, 0, COLS, "terminal too small", ST_NORMAL, false);
	cursor.y = cursor.x = 0;
}

static void draw_all(void)
{
	erase();
	panes_layout(LINES, COLS);
	cursor.y = LINES - 1;
	cursor.x = COLS - 1;
	draw_top_bar(COLS);
	for (int p = 0; p < N_PLACES; p++) {
		if (!ui.rect[p].h)
			continue;
		if (p == SLOT_REPL)
			draw_repl(&ui.rect[p], ui.focus == SLOT_REPL && !ui.line_mode);
		else if (pane_top((enum place_id)p))
			draw_view((enum place_id)p, pane_top((enum place_id)p));
	}
	draw_function_bar(LINES - 1, COLS);
}

/* The caller holds the session's lock. */
void ui_draw(void)
{
	ui_refresh();
	looked_note();
	if (LINES < MIN_ROWS || COLS < MIN_COLS)
		draw_too_small();
	else
		draw_all();
	curs_set(ui.focus == SLOT_REPL || ui.line_mode);
	move(cursor.y, cursor.x);
	refresh();
	serve_panes();
}

/* --- keys ------------------------------------------------------------------------ */

static void run_binding(const struct binding *b)
{
	struct err e = {0};

	if (action_run(b->does, &e))
		ui_message(true, "%s", e.msg);
}

/* done: Enter was pressed; a filter that is wrong then gives way to the one before. */
static void line_apply(struct view *v, bool done)
{
	struct err e;

	if (ui.line_mode == LINE_FILTER) {
		view_filter(v, ui.line);
		if (done && view_filter_check(v, &e)) {
			view_filter(v, ui.line_before);
			ui_message(true, "%s", e.msg);
		}
		return;
	}
	view_select(v, ui.line_sel);
	if (ui.line[0] && done)
		find_entered(v, ui.line);
	else if (ui.line[0])
		find_typed(v, ui.line);
}

static void line_edit(keycode k)
{
	size_t n = strlen(ui.line);
	char bytes[16];

	if (k == K_CTRL('U')) {
		ui.line[0] = 0;
	} else if (k == K_BACKSPACE || k == K_CTRL('H')) {
		while (n && (ui.line[--n] & 0xc0) == 0x80)
			;
		ui.line[n] = 0;
	} else if (k == K_CTRL('W')) {
		while (n && ui.line[n - 1] == ' ')
			n--;
		while (n && ui.line[n - 1] != ' ')
			n--;
		ui.line[n] = 0;
	} else if (k >= ' ' && !KEY_IS_SPECIAL(k) && !(k & KEYF_META)) {
		term_key_bytes(k, bytes, sizeof(bytes));
		if (n + strlen(bytes) + 1 < sizeof(ui.line))
			strcat(ui.line, bytes);
	}
}

/* A key while something is typed into the bottom line. */
void line_key(keycode k)
{
	struct view *v = pane_focused();

	if (!v) {
		ui.line_mode = LINE_NONE;
	} else if (ui.line_mode == LINE_COPY) {
		ui.line_mode = LINE_NONE;
		copy_key(k, v);
	} else if (k == K_ESC || k == K_CTRL('C') || k == K_CTRL('G')) {
		if (ui.line_mode == LINE_FILTER)
			view_filter(v, ui.line_before);
		else
			view_select(v, ui.line_sel);
		ui.line_mode = LINE_NONE;
	} else if (k == K_ENTER) {
		line_apply(v, true);
		ui.line_mode = LINE_NONE;
	} else if (k == K_UP || k == K_DOWN) {
		view_select(v, (int64_t)v->sel + (k == K_UP ? -1 : 1));
		ui.line_sel = v->sel;
	} else {
		line_edit(k);
		line_apply(v, false);
	}
}

/* Keys of an unfinished sequence that led nowhere. */
static void no_binding(bool repl)
{
	char name[96];

	if (repl) {
		for (unsigned i = 0; i < ui.n_pending; i++)
			repl_key(ui.pending[i]);
		return;
	}
	keys_text(ui.pending, ui.n_pending, name, sizeof(name));
	ui_message(true, "%s is not bound in pane %s; `help` lists what is", name, pane_map());
}

void key_pressed(keycode k)
{
	bool repl = ui.focus == SLOT_REPL, more;
	const struct binding *b;

	ui.message[0] = 0;
	ui.keys_seen++;
	if (ui.line_mode) {
		line_key(k);
		return;
	}
	if (find_accept(k))
		return;
	if (repl && k == K_CTRL('C') && !ui.n_pending && repl_abort() && !worker_busy(NULL))
		return;
	if ((k == K_ESC || k == K_CTRL('C')) && play_stop())
		return;
	if ((k == K_ESC || k == K_CTRL('C')) && worker_busy(NULL)) {
		worker_cancel();
		return;
	}
	if (repl && !ui.n_pending && (repl_busy_editing() || (k == K_ESC && repl_vi()))) {
		repl_key(k);
		return;
	}
	if (ui.n_pending == KEY_SEQ)
		ui.n_pending = 0;
	ui.pending[ui.n_pending++] = k;
	b = keymap_find(&ui.keys, pane_map(), ui.pending, ui.n_pending, &more);
	if (!b && more)
		return;
	if (b)
		run_binding(b);
	else if (ui.n_pending > 1 && k == K_ESC)
		;
	else
		no_binding(repl);
	ui.n_pending = 0;
}

/* A click on a pane that draws; twice, or on what is selected already: Enter. */
static void click_drawing(enum place_id p, int y, int x, bool twice)
{
	struct view *v = pane_top(p);
	const struct canvas_cell *cell = canvas_at(&v->canvas, x - ui.rect[p].x - 1, y - ui.rect[p].y - 1);
	struct canvas_object o = cell ? cell->object : (struct canvas_object){NO_ID, NO_ID};
	uint32_t row;
	struct err e;

	if (o.row == NO_ID || o.row >= v->n_rows)
		return;
	twice |= ui.focus == p && view_selected(v, &row) && row == o.row && o.port == NO_ID;
	if (v->ops->hit)
		v->ops->hit(v, o);
	else
		view_select_row(v, o.row);
	if (twice) {
		pane_focus(p);
		if (action_run("follow", &e))
			ui_message(true, "%s", e.msg);
	}
}

static void click_row(enum place_id p, int y, int x, bool twice)
{
	struct view *v = pane_top(p);
	const struct rect *r = &ui.rect[p];
	int first = r->y + 1 + (r->h >= 5), row = y - first;
	bool was;
	struct err e;

	if (r->h >= 5 && y == r->y + 1) {
		int col = header_column(p, v, x);

		if (col >= 0 && view_sort(v, col, v->sort == col && !v->descending, &e))
			ui_message(true, "%s", e.msg);
		return;
	}
	if (row < 0 || y >= r->y + r->h - 1 || v->top + (uint32_t)row >= view_count(v))
		return;
	was = v->sel == v->top + (uint32_t)row && ui.focus == p;
	view_select(v, (int64_t)v->top + row);
	if (twice || was) {
		pane_focus(p);
		if (action_run("follow", &e))
			ui_message(true, "%s", e.msg);
	}
}

void mouse_pressed(void)
{
	int y, x, button;
	enum place_id p;
	keycode key[KEY_SEQ];
	unsigned n;

	if (!term_mouse(&y, &x, &button))
		return;
	ui.message[0] = 0;
	ui.keys_seen++;
	if (y == LINES - 1 && button == 1 && function_bar_keys(x, key, &n)) {
		for (unsigned i = 0; i < n; i++)
			key_pressed(key[i]);
		return;
	}
	if (!pane_at(y, x, &p))
		return;
	if (button == 4 || button == 5) {
		if (p == SLOT_REPL)
			repl_scroll(button == 4 ? 3 : -3);
		else if (pane_top(p))
			view_move(pane_top(p), 0, button == 4 ? -3 : 3);
		return;
	}
	if (p != SLOT_REPL && pane_top(p) && (button == 1 || button == 6)) {
		if (pane_top(p)->ops->draw)
			click_drawing(p, y, x, button == 6);
		else
			click_row(p, y, x, button == 6);
	}
	if (ui.focus != p && p == SLOT_REPL)
		pane_focus(p);
	else if (p != SLOT_REPL && ui.focus == SLOT_REPL)
		pane_focus(p);
	else if (button == 1 && pane_top(p) && ui.rect[p].h)
		pane_focus(ui.focus == p ? p : y > ui.rect[p].y ? p : ui.focus);
}

/* All keys that are there; bounded, so that a flood of input still lets the screen be drawn. */
static void read_keys(void)
{
	for (int i = 0; i < 200 && !ui.quit; i++) {
		keycode k = term_key();

		if (k == K_NONE)
			return;
		if (k == K_RESIZE)
			term_resized();
		else if (k == K_MOUSE)
			mouse_pressed();
		else if (k <= K_F12 || !KEY_IS_SPECIAL(k) || (k & KEYF_META))
			key_pressed(k);
	}
}

/* --- the loop -------------------------------------------------------------------- */

/*
 * A command of the interface out of a line that the worker runs.  Once something was
 * typed since, the focus is the typist's: it does not move, or his text would be taken for keys.
 */
static void serve_request(void)
{
	struct ui_request *rq = worker_request();
	enum place_id focus = ui.focus, last = ui.last_pane;
	enum line_mode mode = ui.line_mode;
	struct text t = {0};

	if (!rq)
		return;
	if (worker_output(&t))
		repl_print(t.s, t.len);
	text_free(&t);
	rq->err->msg[0] = 0;
	rq->rc = rq->command->run(ui.session, rq->args, rq->out, rq->err);
	if (ui.keys_seen != ui.keys_asked) {
		pane_focus(focus);
		ui.last_pane = last;
		ui.line_mode = mode;
	}
	worker_answer();
}

static void take_output(void)
{
	struct text t = {0};

	if (worker_output(&t))
		repl_print(t.s, t.len);
	text_free(&t);
}

/* Panes that still filter or sort; true when any has more to do. */
static bool pane_work(void)
{
	bool more = false;

	for (int p = 0; p < SLOT_REPL; p++) {
		struct view *v = pane_top((enum place_id)p);

		if (v && ui.rect[p].h && !scene_stale(&ui.scene, ui.session))
			more |= !view_work(v, 0.03);
	}
	return more;
}

static void wait_for_news(bool busy)
{
	struct pollfd fds[2] = {{.fd = STDIN_FILENO, .events = POLLIN},
				{.fd = wake_pipe[0], .events = POLLIN}};
	char drain[256];
	int most = busy ? 0 : worker_busy(NULL) ? 100 : background_busy() ? 200 : top_bar_ages() ? 1000 : -1;

	if (play_wait() >= 0 && (most < 0 || play_wait() < most))
		most = play_wait();
	poll(fds, 2, most);
	while (read(wake_pipe[0], drain, sizeof(drain)) > 0)
		;
	if (fds[0].revents & (POLLHUP | POLLERR | POLLNVAL))
		raise(SIGHUP); /* the terminal is gone */
}

static void loop(void)
{
	bool more = false;

	while (!ui.quit && !ui.interpreter->quit && !term_signal) {
		session_lock(ui.session);
		ui_draw();
		session_unlock(ui.session);
		wait_for_news(more);
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
		more = pane_work();
		play_serve();
		session_unlock(ui.session);
	}
}

static int open_pipe(struct err *e)
{
	if (pipe2(wake_pipe, O_CLOEXEC | O_NONBLOCK))
		return err_set(e, "cannot make a pipe: %s", strerror(errno));
	return 0;
}

static void open_panes(void)
{
	static char switches[] = "switches", ports[] = "ports";
	char *a[] = {switches}, *b[] = {ports};
	struct err e;

	session_lock(ui.session);
	ui_refresh();
	pane_open(1, a, &e);
	view_refresh(pane_top(SLOT_LIST));
	if (ui.scene.fabric)
		pane_open(1, b, &e);
	pane_focus(SLOT_LIST);
	session_unlock(ui.session);
}

/* The key that goes to the prompt, as the loaded map has it. */
static const char *prompt_key(char *buf, size_t size)
{
	const struct keymap *km = &ui.keys;

	for (size_t i = 0; i < km->n; i++)
		if (!strcmp(km->b[i].map, "all") && !strcmp(km->b[i].does, "repl"))
			return keys_text(km->b[i].key, km->b[i].n, buf, size);
	return "Tab";
}

/* One line for those who never were here. */
static void first_steps(void)
{
	char key[64], *line;

	line = str_printf("echo 'First steps: press' %s 'and type  fail random 2, then diff, undo, help'",
			  prompt_key(key, sizeof(key)));
	worker_add(commands_split(ui.session, line));
	free(line);
}

static void run_start(const struct ui_config *c)
{
	if (c->greeting)
		repl_print(c->greeting, strlen(c->greeting));
	session_lock(ui.session);
	for (size_t i = 0; i < c->n_start; i++)
		repl_run(c->start[i], true);
	first_steps();
	session_unlock(ui.session);
	ui.begin = c->n_start != 0;
	if (ui.key_errors.len)
		repl_print(ui.key_errors.s, ui.key_errors.len);
	text_free(&ui.key_errors);
	memset(&ui.key_errors, 0, sizeof(ui.key_errors));
}

int ui_run(struct interpreter *in, const struct ui_config *c, struct err *e)
{
	int sig;

	ui.interpreter = in;
	ui.session = in->session;
	ui.about = c->about;
	if (keymap_choose(c->keymap, e) || open_pipe(e))
		return -1;
	repl_start();
	if (term_start(e)) {
		repl_stop();
		return -1;
	}
	worker_start(in);
	background_start();
	open_panes();
	run_start(c);
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
	keymap_clear(&ui.keys);
	repl_stop();
	if (sig)
		term_die(sig);
	return 0;
}
