/* Drawing primitives and colour schemes.  UTF-8 line drawing with an ASCII fallback. */
#include <curses.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include "core/base/clean.h"
#include "core/base/err.h"
#include "tui/ui.h"

/* --- colours ----------------------------------------------------------------- */

struct paint {
	short fg, bg; /* -1 = the terminal's own */
	attr_t attr;
};

struct scheme {
	const char *name;
	bool colour;
	struct paint paint[N_STYLES];
};

static const struct scheme schemes[] = {
	{"default",
	 true,
	 {[ST_NORMAL] = {-1, -1, 0},
	  [ST_BAR] = {COLOR_WHITE, COLOR_BLUE, A_BOLD},
	  [ST_BORDER] = {-1, -1, A_DIM},
	  [ST_BORDER_FOCUS] = {COLOR_CYAN, -1, 0},
	  [ST_TITLE] = {-1, -1, A_BOLD},
	  [ST_HEADER] = {COLOR_CYAN, -1, 0},
	  [ST_SELECT] = {COLOR_BLACK, COLOR_CYAN, 0},
	  [ST_SELECT_AWAY] = {-1, -1, A_REVERSE},
	  [ST_CHANGED] = {COLOR_YELLOW, -1, A_BOLD},
	  [ST_DOWN] = {COLOR_RED, -1, A_BOLD},
	  [ST_DETOUR] = {COLOR_MAGENTA, -1, 0},
	  [ST_KEY] = {-1, -1, A_BOLD},
	  [ST_LABEL] = {COLOR_BLACK, COLOR_CYAN, 0},
	  [ST_ERROR] = {COLOR_RED, -1, A_BOLD},
	  [ST_ECHO] = {COLOR_GREEN, -1, 0},
	  [ST_DIM] = {-1, -1, A_DIM},
	  [ST_PATH] = {COLOR_BLUE, -1, A_BOLD},
	  [ST_BACK] = {COLOR_MAGENTA, -1, 0},
	  [ST_CYCLE] = {COLOR_RED, -1, A_BOLD},
	  [ST_SHADE0] = {-1, -1, A_DIM},
	  [ST_SHADE1] = {COLOR_CYAN, -1, 0},
	  [ST_SHADE3] = {COLOR_YELLOW, -1, 0},
	  [ST_SHADE4] = {COLOR_RED, -1, 0},
	  [ST_TOUCHED] = {COLOR_YELLOW, -1, A_REVERSE}}},
	{"contrast", true, {[ST_NORMAL] = {COLOR_WHITE, COLOR_BLACK, A_BOLD},
			    [ST_BAR] = {COLOR_BLACK, COLOR_WHITE, 0},
			    [ST_BORDER] = {COLOR_WHITE, COLOR_BLACK, 0},
			    [ST_BORDER_FOCUS] = {COLOR_YELLOW, COLOR_BLACK, A_BOLD},
			    [ST_TITLE] = {COLOR_WHITE, COLOR_BLACK, A_BOLD},
			    [ST_HEADER] = {COLOR_YELLOW, COLOR_BLACK, 0},
			    [ST_SELECT] = {COLOR_BLACK, COLOR_YELLOW, 0},
			    [ST_SELECT_AWAY] = {COLOR_BLACK, COLOR_WHITE, 0},
			    [ST_CHANGED] = {COLOR_YELLOW, COLOR_BLACK, A_BOLD},
			    [ST_DOWN] = {COLOR_WHITE, COLOR_RED, A_BOLD},
			    [ST_DETOUR] = {COLOR_MAGENTA, COLOR_BLACK, A_BOLD},
			    [ST_KEY] = {COLOR_YELLOW, COLOR_BLACK, A_BOLD},
			    [ST_LABEL] = {COLOR_BLACK, COLOR_WHITE, 0},
			    [ST_ERROR] = {COLOR_WHITE, COLOR_RED, A_BOLD},
			    [ST_ECHO] = {COLOR_GREEN, COLOR_BLACK, A_BOLD},
			    [ST_DIM] = {COLOR_WHITE, COLOR_BLACK, 0},
			    [ST_PATH] = {COLOR_CYAN, COLOR_BLACK, A_BOLD},
			    [ST_BACK] = {COLOR_MAGENTA, COLOR_BLACK, A_BOLD},
			    [ST_CYCLE] = {COLOR_WHITE, COLOR_RED, A_BOLD},
			    [ST_SHADE0] = {COLOR_WHITE, COLOR_BLACK, 0},
			    [ST_SHADE1] = {COLOR_CYAN, COLOR_BLACK, 0},
			    [ST_SHADE2] = {COLOR_WHITE, COLOR_BLACK, A_BOLD},
			    [ST_SHADE3] = {COLOR_YELLOW, COLOR_BLACK, A_BOLD},
			    [ST_SHADE4] = {COLOR_RED, COLOR_BLACK, A_BOLD},
			    [ST_TOUCHED] = {COLOR_YELLOW, COLOR_BLACK, A_REVERSE}}},
	{"light",
	 true,
	 {[ST_NORMAL] = {-1, -1, 0},
	  [ST_BAR] = {COLOR_BLACK, COLOR_CYAN, 0},
	  [ST_BORDER] = {-1, -1, 0},
	  [ST_BORDER_FOCUS] = {COLOR_BLUE, -1, A_BOLD},
	  [ST_TITLE] = {-1, -1, A_BOLD},
	  [ST_HEADER] = {COLOR_BLUE, -1, 0},
	  [ST_SELECT] = {COLOR_WHITE, COLOR_BLUE, 0},
	  [ST_SELECT_AWAY] = {-1, -1, A_REVERSE},
	  [ST_CHANGED] = {COLOR_BLUE, -1, A_BOLD},
	  [ST_DOWN] = {COLOR_RED, -1, A_BOLD},
	  [ST_DETOUR] = {COLOR_MAGENTA, -1, 0},
	  [ST_KEY] = {-1, -1, A_BOLD},
	  [ST_LABEL] = {COLOR_WHITE, COLOR_BLUE, 0},
	  [ST_ERROR] = {COLOR_RED, -1, A_BOLD},
	  [ST_ECHO] = {COLOR_GREEN, -1, 0},
	  [ST_DIM] = {-1, -1, 0},
	  [ST_PATH] = {COLOR_BLUE, -1, A_BOLD},
	  [ST_BACK] = {COLOR_MAGENTA, -1, 0},
	  [ST_CYCLE] = {COLOR_RED, -1, A_BOLD},
	  [ST_SHADE0] = {-1, -1, 0},
	  [ST_SHADE1] = {COLOR_BLUE, -1, 0},
	  [ST_SHADE2] = {-1, -1, 0},
	  [ST_SHADE3] = {COLOR_MAGENTA, -1, 0},
	  [ST_SHADE4] = {COLOR_RED, -1, 0},
	  [ST_TOUCHED] = {COLOR_BLUE, -1, A_REVERSE}}},
	{"mono",
	 false,
	 {[ST_BAR] = {-1, -1, A_REVERSE},
	  [ST_BORDER_FOCUS] = {-1, -1, A_BOLD},
	  [ST_TITLE] = {-1, -1, A_BOLD},
	  [ST_HEADER] = {-1, -1, A_UNDERLINE},
	  [ST_SELECT] = {-1, -1, A_REVERSE},
	  [ST_SELECT_AWAY] = {-1, -1, A_BOLD},
	  [ST_CHANGED] = {-1, -1, A_BOLD},
	  [ST_DOWN] = {-1, -1, A_BOLD},
	  [ST_KEY] = {-1, -1, A_BOLD},
	  [ST_LABEL] = {-1, -1, A_REVERSE},
	  [ST_ERROR] = {-1, -1, A_BOLD},
	  [ST_ECHO] = {-1, -1, A_BOLD},
	  [ST_PATH] = {-1, -1, A_BOLD},
	  [ST_CYCLE] = {-1, -1, A_BOLD},
	  [ST_TOUCHED] = {-1, -1, A_BOLD}}},
};

static struct {
	attr_t attr;
	short pair;
} styles[N_STYLES];

static bool coloured;

bool colours_used(void)
{
	return coloured;
}

static void use_scheme(const struct scheme *sc)
{
	coloured = sc->colour;
	for (int i = 0; i < N_STYLES; i++) {
		styles[i].attr = sc->paint[i].attr;
		styles[i].pair = 0;
		if (sc->colour && init_pair((short)(i + 1), sc->paint[i].fg, sc->paint[i].bg) == OK)
			styles[i].pair = (short)(i + 1);
	}
}

int colours_choose(const char *name, struct err *e)
{
	for (size_t i = 0; i < ARRAY_LEN(schemes); i++) {
		if (strcmp(schemes[i].name, name))
			continue;
		if (schemes[i].colour && !ui.colour)
			return err_set(e, "colours %s: this terminal has no colours, or NO_COLOR is set",
				       name);
		use_scheme(&schemes[i]);
		return 0;
	}
	return err_set(e, "found colour scheme \"%s\", expected one of " COLOURS, name);
}

void colours_start(void)
{
	const char *no = getenv("NO_COLOR");

	ui.colour = !(no && *no) && has_colors() && start_color() == OK && COLOR_PAIRS > N_STYLES;
	if (ui.colour)
		use_default_colors();
	colours_choose(ui.colour ? "default" : "mono", NULL);
}

/* --- text -------------------------------------------------------------------- */

/* The next character of clean text, and where it ends. */
static const char *next_char(const char *s, uint32_t *c)
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
		{0x2500, '-'}, {0x2502, '|'}, {0x2501, '='}, {0x2550, '='}, {0x2503, '|'}, {0x2551, '|'},
		{0x2504, '.'}, {0x2192, '>'}, {0x2190, '<'}, {0x2191, 'U'}, {0x2193, 'D'}, {0x2194, '='},
		{0x00b7, '.'}, {0x2026, '.'}, {0x25b8, '>'}, {0x25b4, '^'}, {0x25be, 'v'}, {0x2588, '#'},
		{0x2591, '.'}, {0x2013, '-'}, {0x2014, '-'},
	};

	if (c < 0x80)
		return (char)c;
	for (size_t i = 0; i < ARRAY_LEN(map); i++)
		if (map[i].c == c)
			return map[i].a;
	if (c >= 0x2581 && c <= 0x2587) /* eighths of a column: a digit for each */
		return (char)('1' + (c - 0x2581));
	return c >= 0x250c && c <= 0x254b ? '+' : '?';
}

/* What is put on the screen for a character, and how many columns it takes. */
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
	struct text t = {0};
	int n = 0, w;
	uint32_t c;

	s = clean_string(s, &t);
	while (*s) {
		s = next_char(s, &c);
		printable(c, &w);
		n += w;
	}
	text_free(&t);
	return n;
}

static void put_char(int y, int x, uint32_t c, enum style st)
{
	wchar_t ws[2] = {(wchar_t)c, 0};
	cchar_t cc;

	if (ui.ascii) {
		attr_set(styles[st].attr, styles[st].pair, NULL);
		mvaddch(y, x, (chtype)(unsigned char)c);
		return;
	}
	setcchar(&cc, ws, styles[st].attr, styles[st].pair, NULL);
	mvadd_wch(y, x, &cc);
}

void draw_char(int y, int x, uint32_t ch, enum style st, bool bold, bool reverse)
{
	attr_t attr = styles[st].attr | (bold ? A_BOLD : 0) | (reverse ? A_REVERSE : 0);
	wchar_t ws[2] = {(wchar_t)ch, 0};
	cchar_t cc;

	if (!ch || (ui.ascii && ch > 0x7f))
		return;
	if (ui.ascii) {
		attr_set(attr, styles[st].pair, NULL);
		mvaddch(y, x, (chtype)ch);
		return;
	}
	setcchar(&cc, ws, attr, styles[st].pair, NULL);
	mvadd_wch(y, x, &cc);
}

/* As draw_text_from(), of clean text at a place on the screen, without padding. */
static int draw_clean(int y, int x, int w, unsigned skip, const char *s, enum style st)
{
	int used = 0, cw;
	uint32_t c;

	while (*s) {
		s = next_char(s, &c);
		c = printable(c, &cw);
		if (!cw)
			continue; /* combining characters are left out */
		if (skip >= (unsigned)cw) {
			skip -= (unsigned)cw;
			continue;
		}
		skip = 0;
		if (used + cw > w)
			break;
		put_char(y, x + used, c, st);
		used += cw;
	}
	return used;
}

int draw_text_from(int y, int x, int w, unsigned skip, const char *s, enum style st, bool pad)
{
	struct text t = {0};
	int used;

	if (y < 0 || y >= LINES || x < 0 || x >= COLS)
		return 0;
	if (w > COLS - x)
		w = COLS - x;
	used = draw_clean(y, x, w, skip, clean_string(s, &t), st);
	text_free(&t);
	for (int i = used; pad && i < w; i++)
		put_char(y, x + i, ' ', st);
	return used;
}

int draw_text(int y, int x, int w, const char *s, enum style st, bool pad)
{
	return draw_text_from(y, x, w, 0, s, st, pad);
}

void draw_fill(int y, int x, int w, const char *ch, enum style st)
{
	for (int i = 0; i < w; i++)
		draw_text(y, x + i, 1, ch, st, false);
}

void draw_box_top(int y, int x, int w, const char *title, const char *right, bool focus)
{
	enum style st = focus ? ST_BORDER_FOCUS : ST_BORDER;
	int n, rw = text_columns(right);

	draw_text(y, x, 1, "┌", st, false);
	draw_fill(y, x + 1, w - 2, "─", st);
	draw_text(y, x + w - 1, 1, "┐", st, false);
	if (w < 6)
		return;
	draw_text(y, x + 1, 1, focus ? "▸" : " ", st, false);
	n = draw_text(y, x + 2, w - 4, title, ST_TITLE, false);
	draw_text(y, x + 2 + n, 1, " ", st, false);
	if (rw && n + rw + 8 < w)
		draw_text(y, x + w - rw - 3, rw + 2, right, st, false);
}

void draw_box_bottom(int y, int x, int w, const char *title, bool focus)
{
	enum style st = focus ? ST_BORDER_FOCUS : ST_BORDER;
	int n;

	draw_text(y, x, 1, "└", st, false);
	draw_fill(y, x + 1, w - 2, "─", st);
	draw_text(y, x + w - 1, 1, "┘", st, false);
	if (!*title || w < 6)
		return;
	draw_text(y, x + 1, 1, " ", st, false);
	n = draw_text(y, x + 2, w - 4, title, ST_NORMAL, false);
	draw_text(y, x + 2 + n, 1, " ", st, false);
}

size_t wrap_len(const char *s, size_t len, int w)
{
	size_t at = 0, blank = 0;
	int used = 0, cw;
	uint32_t c;

	while (at < len) {
		size_t n = (size_t)(next_char(s + at, &c) - (s + at));

		printable(c, &cw);
		if (used + cw > w)
			return blank ? blank : at ? at : n;
		used += cw;
		at += n;
		if (c == ' ')
			blank = at;
	}
	return len;
}
