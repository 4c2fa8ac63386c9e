/* Cells of a drawing, and results computed outside the interface's loop. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "core/base/clean.h"
#include "core/base/counted.h"
#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "engines/engines.h"
#include "views/base/canvas.h"
#include "views/base/view.h"

/* Cells of a drawing: characters, text, frames, and lines made of dots. */

#define BRAILLE 0x2800
#define COVERED 0 /* the right half of a wide character */
#define ELLIPSIS 0x2026

static const struct canvas_cell empty = {.ch = ' ', .object = {NO_ID, NO_ID}};

void canvas_clear(struct canvas *c, int w, int h, bool ascii)
{
	size_t n;

	c->w = MAX(w, 0);
	c->h = MAX(h, 0);
	c->ascii = ascii;
	n = (size_t)c->w * (size_t)c->h;
	if (n > c->cap) {
		c->cell = mem_resize(c->cell, n, sizeof(*c->cell));
		c->cap = n;
	}
	for (size_t i = 0; i < n; i++)
		c->cell[i] = empty;
}

void canvas_free(struct canvas *c)
{
	free(c->cell);
	*c = (struct canvas){0};
}

struct canvas_cell *canvas_at(const struct canvas *c, int x, int y)
{
	if (x < 0 || y < 0 || x >= c->w || y >= c->h)
		return NULL;
	return &c->cell[(size_t)y * (size_t)c->w + (size_t)x];
}

bool canvas_is_free(const struct canvas *c, int x, int y)
{
	const struct canvas_cell *cell = canvas_at(c, x, y);

	return cell && (cell->ch == ' ' || cell->dots);
}

/* --- characters --------------------------------------------------------------------------- */

uint32_t canvas_ascii(uint32_t ch)
{
	static const struct {
		uint32_t ch;
		char a;
	} map[] = {
		{0x2500, '-'}, {0x2502, '|'}, {0x2501, '='}, {0x2550, '='}, {0x2503, '#'}, {0x2551, '#'},
		{0x2504, '.'}, {0x2506, ':'}, {0x2192, '>'}, {0x2190, '<'}, {0x2191, '^'}, {0x2193, 'v'},
		{0x2194, '='}, {0x00b7, '.'}, {0x2026, '.'}, {0x25b8, '>'}, {0x25c2, '<'}, {0x25cf, '@'},
		{0x25c6, '*'}, {0x25c7, '%'}, {0x2505, '~'}, {0x2507, ';'}, {0x2591, ':'}, {0x2592, '+'},
		{0x2593, '*'}, {0x2588, '#'}, {0x00bd, '/'}, {0x2013, '-'}, {0x2014, '-'}, {0x00d7, 'x'},
	};

	if (ch < 0x80)
		return ch;
	for (size_t i = 0; i < ARRAY_LEN(map); i++)
		if (map[i].ch == ch)
			return (uint32_t)(unsigned char)map[i].a;
	if (ch >= 0x2581 && ch <= 0x2587) /* eighths of a column become digits */
		return '1' + (ch - 0x2581);
	return ch >= 0x250c && ch <= 0x256c ? '+' : '?';
}

struct canvas_cell *canvas_put(struct canvas *c, int x, int y, uint32_t ch, enum canvas_role role)
{
	struct canvas_cell *cell = canvas_at(c, x, y);

	assert(role < CANVAS_ROLES);
	if (!cell)
		return NULL;
	cell->ch = c->ascii ? canvas_ascii(ch) : ch;
	cell->role = (uint8_t)role;
	cell->dots = 0;
	cell->bold = cell->reverse = false;
	return cell;
}

/* Columns of a character. 0 means that it is left out. */
static int canvas_columns_of(uint32_t ch)
{
	int w;

	if (ch < 0x80)
		return 1;
	w = wcwidth((wchar_t)ch);
	return w < 0 ? 1 : w;
}

static const char *canvas_next_char(const char *s, uint32_t *ch)
{
	int n = utf8_decode(s, 4, ch);

	return s + (n > 0 ? n : 1);
}

int canvas_columns(const char *s)
{
	AUTO_TEXT struct text t = {0};
	uint32_t ch;
	int n = 0;

	for (s = clean_string(s, &t); *s; n += canvas_columns_of(ch))
		s = canvas_next_char(s, &ch);
	return n;
}

static int canvas_put_text(struct canvas *c, int x, int y, int w, const char *s, enum canvas_role role)
{
	int used = 0;

	while (*s) {
		uint32_t ch;
		int cols;

		s = canvas_next_char(s, &ch);
		cols = canvas_columns_of(ch);
		if (used + cols > w)
			break;
		if (!cols)
			continue;
		if (cols > 1 && (c->ascii || x + used + 1 >= c->w))
			ch = '?';
		canvas_put(c, x + used, y, ch, role);
		if (cols > 1 && ch != '?') {
			struct canvas_cell *right = canvas_put(c, x + used + 1, y, ' ', role);

			if (right)
				right->ch = COVERED;
		}
		used += cols;
	}
	return used;
}

int canvas_text(struct canvas *c, int x, int y, int w, const char *s, enum canvas_role role)
{
	AUTO_TEXT struct text t = {0};

	return canvas_put_text(c, x, y, w, clean_string(s, &t), role);
}

int canvas_text_cut(struct canvas *c, int x, int y, int w, const char *s, enum canvas_role role)
{
	int used;

	if (canvas_columns(s) <= w)
		return canvas_text(c, x, y, w, s, role);
	used = canvas_text(c, x, y, w - 1, s, role);
	if (w > 0)
		canvas_put(c, x + used, y, ELLIPSIS, role);
	return w > 0 ? used + 1 : 0;
}

int canvas_textf(struct canvas *c, int x, int y, enum canvas_role role, const char *fmt, ...)
{
	AUTO_TEXT struct text t = {0};
	va_list ap;

	va_start(ap, fmt);
	text_addv(&t, fmt, ap);
	va_end(ap);
	return canvas_text(c, x, y, c->w - x, text_str(&t), role);
}

void canvas_object(struct canvas *c, int x, int y, int w, int h, struct canvas_object o)
{
	for (int j = MAX(y, 0); j < y + h && j < c->h; j++)
		for (int i = MAX(x, 0); i < x + w && i < c->w; i++)
			canvas_at(c, i, j)->object = o;
}

void canvas_box(struct canvas *c, int x, int y, int w, int h, enum canvas_role role)
{
	if (w < 2 || h < 2)
		return;
	canvas_across(c, x + 1, x + w - 2, y, 0x2500, role);
	canvas_across(c, x + 1, x + w - 2, y + h - 1, 0x2500, role);
	canvas_down(c, x, y + 1, y + h - 2, 0x2502, role);
	canvas_down(c, x + w - 1, y + 1, y + h - 2, 0x2502, role);
	canvas_put(c, x, y, 0x250c, role);
	canvas_put(c, x + w - 1, y, 0x2510, role);
	canvas_put(c, x, y + h - 1, 0x2514, role);
	canvas_put(c, x + w - 1, y + h - 1, 0x2518, role);
}

/* --- lines --------------------------------------------------------------------------------- */

void canvas_across(struct canvas *c, int x0, int x1, int y, uint32_t ch, enum canvas_role role)
{
	for (int x = MAX(x0, 0); x <= x1 && x < c->w; x++)
		if (canvas_is_free(c, x, y))
			canvas_put(c, x, y, ch, role);
}

void canvas_down(struct canvas *c, int x, int y0, int y1, uint32_t ch, enum canvas_role role)
{
	for (int y = MAX(y0, 0); y <= y1 && y < c->h; y++)
		if (canvas_is_free(c, x, y))
			canvas_put(c, x, y, ch, role);
}

/* The bit in U+2800 for each dot of a cell, by row and column. */
static const uint8_t dot_bit[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};

/* The character for a line of this slope. Cells are twice as high as wide. */
static uint32_t slope_char(int dx, int dy)
{
	int ax = abs(dx), ay = abs(dy);

	if (ay * 4 <= ax)
		return '-';
	if (ax * 3 <= ay)
		return '|';
	return (dx < 0) == (dy < 0) ? '\\' : '/';
}

static void put_dot(struct canvas *c, int x, int y, uint32_t slope, enum canvas_role role)
{
	struct canvas_cell *cell;

	if (x < 0 || y < 0 || !canvas_is_free(c, x / 2, y / 4))
		return;
	cell = canvas_at(c, x / 2, y / 4);
	cell->dots |= dot_bit[y % 4][x % 2];
	cell->ch = c->ascii ? slope : (uint32_t)BRAILLE + cell->dots;
	cell->role = (uint8_t)role;
}

/* Bresenham's algorithm, 1965. */
void canvas_line(struct canvas *c, int x0, int y0, int x1, int y1, enum canvas_role role)
{
	int dx = abs(x1 - x0), dy = abs(y1 - y0), off = dx - dy;
	int sx = x0 < x1 ? 1 : -1;
	int sy = y0 < y1 ? 1 : -1;
	uint32_t slope = slope_char(x1 - x0, y1 - y0);

	for (;;) {
		int twice = 2 * off;

		put_dot(c, x0, y0, slope, role);
		if (x0 == x1 && y0 == y1)
			return;
		if (twice > -dy) {
			off -= dy;
			x0 += sx;
		}
		if (twice < dx) {
			off += dx;
			y0 += sy;
		}
	}
}

/* --- as text -------------------------------------------------------------------------------- */

static void add_utf8(struct text *t, uint32_t ch)
{
	if (ch < 0x80) {
		text_putc(t, (char)ch);
	} else if (ch < 0x800) {
		text_putc(t, (char)(0xc0 | ch >> 6));
		text_putc(t, (char)(0x80 | (ch & 0x3f)));
	} else {
		if (ch < 0x10000) {
			text_putc(t, (char)(0xe0 | ch >> 12));
		} else {
			text_putc(t, (char)(0xf0 | ch >> 18));
			text_putc(t, (char)(0x80 | (ch >> 12 & 0x3f)));
		}
		text_putc(t, (char)(0x80 | (ch >> 6 & 0x3f)));
		text_putc(t, (char)(0x80 | (ch & 0x3f)));
	}
}

void canvas_row(const struct canvas *c, int y, struct text *t)
{
	int end = c->w;

	while (end > 0 && canvas_at(c, end - 1, y) && canvas_at(c, end - 1, y)->ch == ' ')
		end--;
	for (int x = 0; x < end; x++)
		if (canvas_at(c, x, y) && canvas_at(c, x, y)->ch != COVERED)
			add_utf8(t, canvas_at(c, x, y)->ch);
}

/* Results computed outside the interface's loop: their references, and the tasks that several panes share. */

bool ask_equal(const struct ask *a, const struct ask *b)
{
	return a->task == b->task && a->sweep == b->sweep && a->base == b->base &&
	       !memcmp(a->arg, b->arg, sizeof(a->arg));
}

struct ask ask_copy(const struct ask *a)
{
	struct ask c = *a;

	if (a->sweep)
		sweep_ref(a->sweep);
	result_ref(a->base);
	return c;
}

void ask_clear(struct ask *a)
{
	sweep_unref(a->sweep);
	result_unref(a->base);
	memset(a, 0, sizeof(*a));
}

struct result *ask_run(const struct ask *a, struct progress *p, void (*ready)(void *value))
{
	assert(a->task->run && (a->sweep || a->base));
	assert(a->base || a->task->any_sweep || a->sweep->routing);

	struct err e = {0};
	struct job j = {a->sweep, a->base ? a->base->value : NULL, a->arg, p, &e, ready};
	void *value = a->task->run(&j);
	bool cancelled = progress_cancelled(p);
	struct result *r;

	if (cancelled && value && !a->task->partial) {
		a->task->free(value);
		value = NULL;
	}
	if (!value && (cancelled || !e.msg[0]))
		return NULL;
	r = result_new(a, value);
	r->partial = cancelled;
	r->e = e;
	return r;
}

struct result *result_new(const struct ask *a, void *value)
{
	struct result *r = NEW(struct result);

	r->refs = 1;
	r->ask = ask_copy(a);
	r->value = value;
	return r;
}

static void result_release(struct result *r)
{
	if (r->value)
		r->ask.task->free(r->value);
	ask_clear(&r->ask);
	free(r);
}

COUNTED(struct result, const struct result, result_ref, result_unref, result_release)

const struct result *result_keep(const struct result *was, void *value, const struct task *kind)
{
	assert(kind->same && kind->free);
	if (was && value && kind->same(was->value, value)) {
		kind->free(value);
		return was;
	}
	result_unref(was);
	return value ? result_new(&(struct ask){.task = kind}, value) : NULL;
}

/* --- loads ------------------------------------------------------------------------------ */

static void *beside_run_loads(const struct job *j)
{
	return loads_new(j->sweep->routing, &pattern_all, j->progress);
}

FREED_BY(free_loads, arena_free)

const struct task task_loads = {.run = beside_run_loads, .free = free_loads};

/* --- shifts ------------------------------------------------------------------------------- */

FREED_BY(free_order, arena_free)

static void *beside_run_order(const struct job *j)
{
	struct err e;

	return shift_order_new(j->sweep->routing, j->sweep->setup, all_engines, NULL, j->progress, &e);
}

const struct task task_shift_order = {.run = beside_run_order, .free = free_order};

/* --- usage of ports ----------------------------------------------------------------------- */

static void *run_usage(const struct job *j)
{
	return port_use_new(j->sweep->routing, j->progress);
}

const struct task task_usage = {.run = run_usage, .free = free};

/* --- channel dependencies ------------------------------------------------------------------ */

static void free_graph(void *value)
{
	struct graph *g = value;

	arena_free(g->cdg);
	free(g->in);
	free(g);
}

static void *run_graph(const struct job *j)
{
	struct cdg *c = cdg_new(j->sweep->routing, CDG_ALL_VLS, j->arg[0] != 0, j->progress, NULL);
	struct graph *g;

	if (!c)
		return NULL;
	g = NEW(struct graph);
	g->cdg = c;
	g->in = NEW_ARRAY(c->n_channels + 1, uint32_t);
	for (uint32_t v = 0; v < c->n_channels; v++) {
		struct graph_vl *s = &g->vl[c->vl[v]];

		s->channels++;
		s->deps += c->first[v + 1] - c->first[v];
		s->on_cycles += c->component[v] != NO_ID;
	}
	for (int l = 0; l < CDG_VLS; l++)
		g->vl[l].components = cdg_components_below(c, l, c->n_components);
	for (uint32_t i = 0; i < c->n_deps; i++)
		g->in[c->to[i]]++;
	return g;
}

const struct task task_graph = {.run = run_graph, .free = free_graph};
