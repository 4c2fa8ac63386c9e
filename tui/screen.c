/* The whole screen, drawing primitives, and walks that are played. */
#include <assert.h>
#include <ctype.h>
#include <curses.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "core/base/clean.h"
#include "core/base/progress.h"
#include "core/session/lesson.h"
#include "tui/colours.h"
#include "tui/ui.h"

/* The whole screen, and the results for which panes wait. */

/* Hands over the results that have arrived, and starts those that the topmost panes request. */
static void serve_panes(void)
{
	struct ask a[SLOT_REPL * VIEW_ASKS];
	unsigned n = 0;

	background_take(&ui.scene);
	for (int p = 0; p < SLOT_REPL; p++) {
		const struct view *v = pane_top((enum place_id)p);

		if (!v || !v->loaded || v->serial != ui.scene.serial)
			continue;
		assert(v->n_ask <= VIEW_ASKS);
		for (unsigned i = 0; i < v->n_ask; i++)
			if (!scene_result(&ui.scene, &v->ask[i]))
				a[n++] = v->ask[i];
	}
	if (!n && (propose_ask(&a[0]) || summary_ask(&a[0]))) /* requests of panes come first */
		n = 1;
	background_want(a, n);
}

/* Notes a fabric that comes from a file, once. */
static void note_file(const struct fabric *f)
{
	static uint64_t generation;

	if (generation == ui.scene.generation)
		return;
	generation = ui.scene.generation;
	if (strcmp(f->format, "synthetic") != 0 && strcmp(f->format, "live") != 0)
		recent_note(f->source);
}

/*
 * Puts the switches in the place of `start` once there is a fabric, ports beside. The focus stays.  For those
 * on call, what is wrong comes before them: Backspace goes to the switches.
 */
static void screen_begin(void)
{
	static char ports[] = "ports", judged[] = "doctor";
	enum place_id focus = ui.focus, last = ui.last_pane;
	char *argv[] = {ports}, *doctor[] = {judged};

	if (ui.scene.fabric) {
		note_file(ui.scene.fabric);
		ui.begin |= pane_begin();
	}
	if (!ui.begin || !ui.scene.fabric)
		return;
	ui.begin = false;
	if (pane_top(SLOT_DETAIL))
		return;
	pane_open(1, argv, NULL);
	ui.focus = focus;
	ui.last_pane = last;
	if (summary_first())
		pane_open(1, doctor, NULL);
}

void ui_refresh(void)
{
	if (scene_stale(&ui.scene, ui.session))
		scene_take(&ui.scene, ui.session);
	screen_begin();
	if (pane_top(SLOT_LIST)) /* its row decides what stands beside it */
		view_refresh(pane_top(SLOT_LIST));
	pane_third();
	serve_panes();
	propose_tell();
	summary_take();
	for (int p = 0; p < SLOT_REPL; p++) {
		struct view *v = pane_top((enum place_id)p);

		if (v)
			view_refresh(v);
	}
	pane_track();
}

/* The caller holds the session's lock. */
void ui_draw(void)
{
	ui_refresh();
	looked_note();
	if (LINES < MIN_ROWS || COLS < MIN_COLS) {
		erase();
		draw_text(0, 0, COLS, "terminal too small", ST_NORMAL, false);
		draw_cursor(0, 0);
	} else {
		erase();
		panes_layout(LINES, COLS);
		draw_cursor(LINES - 1, COLS - 1);
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
	curs_set(ui.focus == SLOT_REPL || ui.line_mode ||
		 (pane_top(ui.focus) && pane_top(ui.focus)->ops->flags & VIEW_TYPED));
	move(ui.cursor_y, ui.cursor_x);
	refresh();
	serve_panes();
}

/* Drawing primitives.  UTF-8 line drawing with an ASCII fallback. */

/* The next character of clean text. Returns its end. */
static const char *draw_next_char(const char *s, uint32_t *c)
{
	int n = utf8_decode(s, 4, c);

	return s + (n > 0 ? n : 1);
}

static char ascii_of(uint32_t c)
{
	static const struct {
		uint32_t c;
		char a;
	} map[] = {
		{0x2500, '-'}, {0x2502, '|'}, {0x2501, '='}, {0x2550, '='}, {0x2503, '|'},
		{0x2551, '|'}, {0x2504, '.'}, {0x2192, '>'}, {0x2190, '<'}, {0x2191, 'U'},
		{0x2193, 'D'}, {0x2194, '='}, {0x00b7, '.'}, {0x2026, '.'}, {0x25b8, '>'},
		{0x25b4, '^'}, {0x25be, 'v'}, {0x2588, '#'}, {0x2591, '.'}, {0x2592, '+'},
		{0x2013, '-'}, {0x2014, '-'}, {0x2039, '<'}, {0x203a, '>'}, {0x23ce, '/'},
	};

	if (c < 0x80)
		return (char)c;
	for (size_t i = 0; i < ARRAY_LEN(map); i++)
		if (map[i].c == c)
			return map[i].a;
	if (c >= 0x2581 && c <= 0x2587) /* eighths of a column become digits */
		return (char)('1' + (c - 0x2581));
	return c >= 0x250c && c <= 0x254b ? '+' : '?';
}

/* The character that is put on the screen. *w: the columns it takes. */
static uint32_t printable(uint32_t c, int *w)
{
	*w = 1;
	if (c < 0x20 || c == 0x7f)
		return '?';
	if (c < 0x7f)
		return c;
	if (ui.ascii)
		return (uint32_t)ascii_of(c);
	*w = wcwidth((wchar_t)c);
	if (*w < 0) {
		*w = 1;
		return '?';
	}
	return c;
}

int text_columns(const char *s)
{
	AUTO_TEXT struct text t = {0};
	int n = 0, w;
	uint32_t c;

	s = clean_string(s, &t);
	while (*s) {
		s = draw_next_char(s, &c);
		printable(c, &w);
		n += w;
	}
	return n;
}

/* Puts a character. over: the combining characters after it, at most CCHARW_MAX - 2; NULL = none. */
static void put_as(int y, int x, uint32_t c, const wchar_t *over, attr_t attr, short pair)
{
	wchar_t ws[CCHARW_MAX + 1] = {(wchar_t)c};
	cchar_t cc;

	if (ui.ascii) {
		attr_set(attr, pair, NULL);
		mvaddch(y, x, (chtype)(unsigned char)c);
		return;
	}
	if (over)
		wcsncpy(ws + 1, over, CCHARW_MAX - 2);
	setcchar(&cc, ws, attr, pair, NULL);
	mvadd_wch(y, x, &cc);
}

static void put_char(int y, int x, uint32_t c, enum style st)
{
	struct look look = colours_look(st);

	put_as(y, x, c, NULL, look.attr, look.pair);
}

/* Takes the characters without a width of their own, such as accents, that follow one. Returns their end. */
static const char *take_combining(const char *s, wchar_t *over)
{
	unsigned n = 0;

	while (*s) {
		uint32_t c;
		const char *end = draw_next_char(s, &c);

		if (ui.ascii || c < 0x300 || wcwidth((wchar_t)c) != 0)
			break;
		if (n < CCHARW_MAX - 2)
			over[n++] = (wchar_t)c;
		s = end;
	}
	over[n] = 0;
	return s;
}

void draw_char(int y, int x, uint32_t ch, enum style st, bool bold, bool reverse)
{
	struct look look = colours_look(st);
	attr_t attr = look.attr;

	if (bold)
		attr |= A_BOLD;
	if (reverse)
		attr |= A_REVERSE;
	if (ch && !(ui.ascii && ch > 0x7f))
		put_as(y, x, ch, NULL, attr, look.pair);
}

/* As draw_text_from(), for clean text at a place on the screen. */
static int draw_clean(int y, int x, int w, unsigned skip, const char *s, enum style st)
{
	struct look look = colours_look(st);
	wchar_t over[CCHARW_MAX];
	int used = 0, cw;
	uint32_t c;

	while (*s) {
		s = draw_next_char(s, &c);
		c = printable(c, &cw);
		s = take_combining(s, over);
		if (!cw)
			continue; /* nothing for it to stand on */
		if (skip >= (unsigned)cw) {
			skip -= (unsigned)cw;
			continue;
		}
		skip = 0;
		if (used + cw > w)
			break;
		put_as(y, x + used, c, over, look.attr, look.pair);
		used += cw;
	}
	return used;
}

static bool in_number(char c)
{
	return isdigit((unsigned char)c) || c == '.';
}

void text_window(const char *s, unsigned skip, int w, struct text *t)
{
	unsigned at = 0, end = skip + (w > 0 ? (unsigned)w : 0);
	bool left = skip > 0, cut = text_columns(s) > (int)end, number = false, name = false;
	AUTO_TEXT struct text clean = {0};
	uint32_t c;
	int cw;

	for (s = clean_string(s, &clean); *s; at += (unsigned)cw) {
		const char *from = s, *next;
		bool digit = in_number(*s);

		name = *s != ' ' && (name || isalpha((unsigned char)*s)); /* digits of a name may be cut */

		s = draw_next_char(s, &c);
		printable(c, &cw);
		for (next = s; *next && ((unsigned char)*next & 0xc0) == 0x80; next++)
			;
		if (at < skip + left) { /* the mark stands for the first column and for what is before */
			number = digit && !name;
			continue;
		}
		if (left)
			text_add(t, "…");
		left = false;
		if (at + (unsigned)cw + cut > end)
			break;
		number &= digit;
		text_add(t, number ? "…" : "%.*s", (int)(s - from), from);
	}
	while (cut && t->len && in_number(t->s[t->len - 1]))
		t->s[--t->len] = 0;
	if (cut && w > 0 && !(t->len > 2 && !strcmp(t->s + t->len - 3, "…")))
		text_add(t, "…");
}

/* How many of w columns from a place on are on the screen. */
static int columns_on_screen(int y, int x, int w)
{
	return y < 0 || y >= LINES || x < 0 || x >= COLS ? 0 : MIN(w, COLS - x);
}

int draw_text_from(int y, int x, int w, unsigned skip, const char *s, enum style st)
{
	AUTO_TEXT struct text t = {0};

	return draw_clean(y, x, columns_on_screen(y, x, w), skip, clean_string(s, &t), st);
}

int draw_text(int y, int x, int w, const char *s, enum style st, bool pad)
{
	AUTO_TEXT struct text t = {0};

	if (text_columns(s) > w) {
		text_window(s, 0, w, &t);
		s = text_str(&t);
	}
	int used = draw_text_from(y, x, w, 0, s, st);
	for (int i = used; pad && i < columns_on_screen(y, x, w); i++)
		put_char(y, x + i, ' ', st);
	return used;
}

void draw_fill(int y, int x, int w, const char *ch, enum style st)
{
	for (int i = 0; i < w; i++)
		draw_text(y, x + i, 1, ch, st, false);
}

static void draw_edge(int y, int x, int w, const char *corner[2], enum style st)
{
	draw_text(y, x, 1, corner[0], st, false);
	draw_fill(y, x + 1, w - 2, "─", st);
	draw_text(y, x + w - 1, 1, corner[1], st, false);
}

#define TITLE_LEAST 6 /* an edge of fewer columns has no title */

void draw_box_top(int y, int x, int w, const char *title, const char *right, bool focus)
{
	enum style st = focus ? ST_BORDER_FOCUS : ST_BORDER;
	int rw = text_columns(right);

	draw_edge(y, x, w, (const char *[]){"┌", "┐"}, st);
	if (w < TITLE_LEAST)
		return;
	draw_text(y, x + 1, 1, focus ? "▸" : " ", st, false);
	int n = draw_text(y, x + 2, w - 4, title, ST_TITLE, false);
	draw_text(y, x + 2 + n, 1, " ", st, false);
	if (rw && n + rw + 8 < w)
		draw_text(y, x + w - rw - 3, rw + 2, right, st, false);
}

void draw_box_bottom(int y, int x, int w, const char *title, bool focus)
{
	enum style st = focus ? ST_BORDER_FOCUS : ST_BORDER;

	draw_edge(y, x, w, (const char *[]){"└", "┘"}, st);
	if (!*title || w < TITLE_LEAST)
		return;
	draw_text(y, x + 1, 1, " ", st, false);
	int n = draw_text(y, x + 2, w - 4, title, ST_NORMAL, false);
	draw_text(y, x + 2 + n, 1, " ", st, false);
}

size_t wrap_len(const char *s, size_t len, int w)
{
	size_t at = 0, blank = 0;
	int used = 0, cw;
	uint32_t c;

	while (at < len) {
		size_t n = (size_t)(draw_next_char(s + at, &c) - (s + at));

		printable(c, &cw);
		if (used + cw > w && !blank)
			return at ? at : n;
		if (used + cw > w)
			return blank;
		used += cw;
		at += n;
		if (c == ' ')
			blank = at;
	}
	return len;
}

/* Plays a walk through a run (core/session/lesson.h): decides when the next frame is due. */

static double due; /* time of the next frame; 0 = nothing is played */
static int wait_ms = -1;

/* A late frame delays the following ones; none is skipped or hurried. */
void play_serve(void)
{
	int pace = session_playing(ui.session);
	double now = now_seconds();

	wait_ms = -1;
	if (pace < 0)
		due = 0;
	if (pace < 0 || worker_busy(NULL)) /* its end will wake the loop */
		return;
	if (now >= due) {
		due = now + 1.0 / play_paces[pace].frames;
		worker_add(play_frame(ui.session), NULL, false);
	} else {
		wait_ms = (int)((due - now) * 1000) + 1;
	}
}

int play_wait(void)
{
	return wait_ms;
}

bool play_stop(void)
{
	bool played = session_playing(ui.session) >= 0;

	session_play(ui.session, -1);
	return played;
}
