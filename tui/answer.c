/* Input: what a key or a click does, and what the terminal says among the keys. */
#include <assert.h>
#include <curses.h>
#include <string.h>

#include "core/base/clean.h"
#include "core/base/err.h"
#include "tui/colours.h"
#include "tui/ui.h"

/* What the terminal says among the keys, told from them. */

#define ESC_PATIENCE 0.05 /* seconds of silence for which a beginning is held */
#define PART_PATIENCE 1.0 /* ... after which the rest of a sequence is not waited for */

static const char background[] = "11;";
static_assert(sizeof(background) - 1 + 3 <= ARRAY_LEN(((struct answer *)0)->back),
	      "a beginning, Esc, what follows it and a key can be given back");

keycode answer_back(struct answer *a)
{
	assert(a->n_back);
	return a->back[--a->n_back];
}

/* It was none: gives held keys and k back, and returns the first of them. */
static keycode answer_give_back(struct answer *a, keycode k)
{
	bool begun = a->part != ANSWER_ESC;

	assert(a->part != ANSWER_NONE && !a->n_back);
	assert(!a->late || a->len <= strlen(background));
	a->typed = true;
	a->esc = !begun && k == K_NONE;
	a->part = ANSWER_NONE;
	if (k != K_NONE)
		a->back[a->n_back++] = k;
	while (a->late && a->len)
		a->back[a->n_back++] = (keycode)a->text[--a->len];
	if (begun)
		a->back[a->n_back++] = a->alone || a->late ? a->kind : a->kind | KEYF_META;
	if (a->alone || !begun)
		a->back[a->n_back++] = K_ESC;
	return answer_back(a);
}

/* Does this character, behind Esc, begin a string, CSI or SS3? */
static bool answer_introduces(keycode k)
{
	return k && k < 0x80 && strchr("[]OPX^_", (int)k);
}

static keycode answer_begins(struct answer *a, keycode kind, bool alone, bool late)
{
	a->part = ANSWER_BEGUN;
	a->kind = kind;
	a->alone = alone;
	a->late = late;
	a->len = 0;
	return NO_KEY;
}

static keycode answer_ends(struct answer *a)
{
	a->part = ANSWER_NONE;
	a->text[a->len] = 0;
	if (a->kind == '[' || a->kind == 'O')
		return K_SEQUENCE;
	if (a->kind == ']' && a->asked && !strncmp(a->text, background, strlen(background))) {
		a->asked = false;
		colours_background(a->text + strlen(background));
	}
	return NO_KEY;
}

/* A key where nothing has begun. */
static keycode answer_first(struct answer *a, keycode k, bool esc)
{
	bool one_byte = k >= 0x80 && k < 0xa0; /* C1 */
	keycode kind = one_byte ? k - 0x40 : k & ~KEYF_META;

	if (k == K_ESC && a->asked && !a->typed) {
		a->part = ANSWER_ESC;
		return NO_KEY;
	}
	if ((one_byte || k & KEYF_META) && answer_introduces(kind))
		return answer_begins(a, kind, false, false);
	if (esc && a->asked && k == ']')
		return answer_begins(a, k, false, true);
	a->typed = true;
	return k;
}

/* Is this key a character that a string or sequence may hold? */
static bool answer_holds(const struct answer *a, keycode k)
{
	bool string = a->kind != '[' && a->kind != 'O';

	if (KEY_IS_SPECIAL(k) || k & KEYF_META)
		return false;
	if (!string || a->part == ANSWER_BEGUN)
		return k >= ' ' && (string || k < 0x7f);
	return k != K_CTRL('C') && k != K_CTRL('X') && k != K_CTRL('Z');
}

/* A key behind a beginning. */
static keycode answer_next(struct answer *a, keycode k, bool esc)
{
	bool string = a->kind != '[' && a->kind != 'O', begun = a->part == ANSWER_BEGUN;
	bool ended = k == ('\\' | KEYF_META) || k == 0x9c || (esc && k == '\\') ||
		     (k == K_CTRL('G') && a->kind == ']');
	bool expected = a->len < strlen(background) && k == (keycode)background[a->len];

	if ((a->late && a->len < strlen(background) && !expected) || (begun && a->silent && !expected))
		return answer_give_back(a, k);
	if (string && ended)
		return answer_ends(a);
	if (string && !begun && k == K_ESC)
		return NO_KEY;
	if (esc || !answer_holds(a, k)) {
		if (begun)
			return answer_give_back(a, k);
		a->part = ANSWER_NONE;
		return answer_first(a, esc ? k | KEYF_META : k, false);
	}
	a->part = ANSWER_INSIDE;
	if (a->len + 1 < sizeof(a->text))
		a->text[a->len++] = (char)k;
	if (string || (a->kind == '[' && k < '@') || (begun && k == '['))
		return NO_KEY;
	return answer_ends(a);
}

/* Nothing is there to be read. */
static keycode answer_silence(struct answer *a, double silence)
{
	bool cut = a->part == ANSWER_INSIDE && !(a->late && a->len < strlen(background));
	bool expected = a->part == ANSWER_BEGUN && a->kind == ']' && a->asked && !a->late;

	a->silent = silence >= ESC_PATIENCE;
	if (a->late && a->part == ANSWER_BEGUN)
		return answer_give_back(a, K_NONE);
	if (silence < (a->part == ANSWER_INSIDE || expected ? PART_PATIENCE : ESC_PATIENCE))
		return K_NONE;
	if (!cut)
		return answer_give_back(a, K_NONE);
	a->part = ANSWER_NONE;
	return K_NONE;
}

keycode answer_key(struct answer *a, keycode k, double now)
{
	bool esc = a->esc;

	if (k == K_NONE)
		return a->part == ANSWER_NONE ? K_NONE : answer_silence(a, now - a->since);
	if (k == NO_KEY || k == K_MOUSE || k == K_RESIZE)
		return k;
	a->esc = k == K_ESC;
	if (a->part == ANSWER_NONE)
		k = answer_first(a, k, esc);
	else if (a->part != ANSWER_ESC)
		k = answer_next(a, k, esc);
	else if (answer_introduces(k))
		k = answer_begins(a, k, true, false);
	else
		k = answer_give_back(a, k);
	a->silent = false;
	a->since = now;
	return k;
}

/* What a key or a click does. */

/* Applies the typed line. done: Enter was pressed; then a wrong filter is replaced by the earlier one. */
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

/* A key that edits a line of text. False: it is none. */
static bool edit_line(char *line, size_t size, keycode k)
{
	size_t n = strlen(line);
	char bytes[16];

	if (k == K_CTRL('U')) {
		line[0] = 0;
	} else if (k == K_BACKSPACE || k == K_CTRL('H')) {
		while (n && (line[--n] & 0xc0) == 0x80)
			;
		line[n] = 0;
	} else if (k == K_CTRL('W')) {
		while (n && line[n - 1] == ' ')
			n--;
		while (n && line[n - 1] != ' ')
			n--;
		line[n] = 0;
	} else if (k >= ' ' && !KEY_IS_SPECIAL(k) && !(k & KEYF_META)) {
		term_key_bytes(k, bytes, sizeof(bytes));
		if (n + strlen(bytes) + 1 < size)
			strcat(line, bytes);
	} else {
		return false;
	}
	return true;
}

/* A key of a pane that is typed into. False: it is an ordinary key. */
static bool typed_key(struct view *v, keycode k)
{
	char line[VIEW_TYPED_MAX + 1];

	if (!v || !(v->ops->flags & VIEW_TYPED) || ui.n_pending)
		return false;
	snprintf(line, sizeof(line), "%s", v->typed);
	if (k == K_ESC || k == K_CTRL('C') || k == K_CTRL('G') ||
	    (!*line && (k == '?' || k == K_BACKSPACE || k == K_CTRL('H')))) {
		pane_leave();
		return true;
	}
	if (k == K_CTRL('P') || k == K_CTRL('N')) {
		view_move(v, 0, k == K_CTRL('P') ? -1 : 1);
		return true;
	}
	if (k == K_TAB && v->ops->complete) {
		view_complete(v);
		return true;
	}
	if ((!*line && k == ':') || !edit_line(line, sizeof(line), k))
		return false;
	view_type(v, line);
	return true;
}

/* A key while a line is typed at the bottom. */
static void line_key(keycode k)
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
		edit_line(ui.line, sizeof(ui.line), k);
		line_apply(v, false);
	}
}

/* The keys of an unfinished sequence have no binding. */
static void no_binding(bool repl)
{
	char name[96];

	assert(ui.n_pending >= 1 && ui.n_pending <= KEY_SEQ);
	if (repl && ui.pending[ui.n_pending - 1] == K_CTRL('C')) {
		repl_abort(); /* vi's insert mode would take it for a letter */
		return;
	}
	if (repl) {
		for (unsigned i = 0; i < ui.n_pending; i++)
			repl_key(ui.pending[i]);
		return;
	}
	keys_text(ui.pending, ui.n_pending, name, sizeof(name));
	ui_message(true, "%s is not bound in pane %s; `pane help` lists what is", name, pane_map());
}

void key_pressed(keycode k)
{
	bool repl = ui.focus == SLOT_REPL, more;

	ui.message[0] = 0;
	repl_note_use();
	ui.keys_seen++;
	if (ui.leave_key && ui.keys_seen == ui.leave_at + 1 && k != ui.leave_key)
		return;
	if (ui.line_mode) {
		line_key(k);
		return;
	}
	if (find_accept(k))
		return;
	if (repl && k == K_CTRL('C') && !ui.n_pending) {
		bool any = repl_abort();

		if (!any && ui.one_line != LINE_STAYS)
			pane_focus(ui.last_pane);
		if (!worker_busy(NULL) && (any || ui.focus != SLOT_REPL))
			return;
	}
	if ((k == K_ESC || k == K_CTRL('C')) && play_stop())
		return;
	if (k == K_CTRL('C') && worker_busy(NULL)) {
		stop_running();
		return;
	}
	if (!repl && typed_key(pane_top(ui.focus), k))
		return;
	if (repl && !ui.n_pending && (repl_busy_editing() || (k == K_ESC && repl_vi()))) {
		repl_key(k);
		return;
	}
	if (ui.n_pending == KEY_SEQ)
		ui.n_pending = 0;
	ui.pending[ui.n_pending++] = k;
	const struct binding *b = keymap_find(&ui.keys, pane_map(), ui.pending, ui.n_pending, &more);
	if (!b && more)
		return;
	if (b) {
		struct err e = {0};

		if (action_run(b->does, &e))
			ui_message(true, "%s", e.msg);
	} else if (ui.n_pending > 1 && k == K_ESC)
		;
	else
		no_binding(repl);
	ui.n_pending = 0;
}

void pasted(const char *text)
{
	ui.message[0] = 0;
	ui.keys_seen++;
	ui.n_pending = 0;
	if (ui.line_mode == LINE_COPY)
		ui.line_mode = LINE_NONE;
	if (!ui.line_mode) {
		repl_go(LINE_GOES_BACK);
		repl_paste(text);
		return;
	}
	while (*text && *text != '\n') {
		uint32_t c;
		int n = utf8_decode(text, 4, &c);

		if (n > 0)
			line_key(c);
		text += n > 0 ? n : 1;
	}
}

/* A click on a drawing. A double click, or a click on what is selected, acts as Enter. */
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
	struct err e;

	if (r->h >= 5 && y == r->y + 1) {
		int col = header_column(p, v, x);

		if (col >= 0 && view_sort(v, col, v->sort == col && !v->descending, &e))
			ui_message(true, "%s", e.msg);
		return;
	}
	if (row < 0 || y >= r->y + r->h - 1 || v->top + (uint32_t)row >= view_count(v))
		return;
	bool was = v->sel == v->top + (uint32_t)row && ui.focus == p;
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
		ui.track |= p == SLOT_LIST;
		return;
	}
	if (p != SLOT_REPL && pane_top(p) && (button == 1 || button == 6)) {
		if (pane_top(p)->ops->draw)
			click_drawing(p, y, x, button == 6);
		else
			click_row(p, y, x, button == 6);
	}
	if (p == SLOT_REPL)
		repl_go(LINE_STAYS);
	else if (p != SLOT_REPL && ui.focus == SLOT_REPL)
		pane_focus(p);
	else if (button == 1 && pane_top(p) && ui.rect[p].h)
		pane_focus(y > ui.rect[p].y ? p : ui.focus); /* on its title it stays where it is */
}
