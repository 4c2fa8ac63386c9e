/* The map's overview: all switches, one or several per cell. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "core/analysis/shape/layout.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "views/map/map.h"

#define LINES_A_GAP 16	/* most lines drawn in a gap of a tree */
#define LINES_ACROSS 48 /* most lines drawn between groups or points */

#define LINE_H 0x2500 /* ─ */
#define LINE_V 0x2502 /* │ */
#define PATH_H 0x2501 /* ━ */
#define PATH_V 0x2503 /* ┃ */
#define BACK_H 0x2505 /* ┅ */
#define BACK_V 0x2507 /* ┇ */

/* The characters of a horizontal and a vertical line. */
static uint32_t line_across(bool strong, enum canvas_role role)
{
	if (!strong)
		return LINE_H;
	return role == CANVAS_BACK ? BACK_H : PATH_H;
}

static uint32_t line_down(bool strong, enum canvas_role role)
{
	if (!strong)
		return LINE_V;
	return role == CANVAS_BACK ? BACK_V : PATH_V;
}

struct overview {
	struct map_cells *cells; /* NULL: not computed yet */
	int top;		 /* first line shown */
	int goal;		 /* column last reached by Left or Right; -1: that of the selection */
	bool follow;		 /* the selection has moved: scroll to it */
	uint32_t selected;
};

static void close_overview(void *own)
{
	map_cells_free(((struct overview *)own)->cells);
}

static void overview_renewed(void *own, bool same)
{
	if (same)
		return;
	close_overview(own);
	*(struct overview *)own = (struct overview){.goal = -1};
}

/* Places the cells for a size. They are kept while the size is the same. */
static const struct map_cells *overview_place(const struct view *v, int w, int h)
{
	const struct map *m = map_of(v);
	struct overview *o = map_own(v, &map_overview);

	if (o->cells && o->cells->w == w && o->cells->h == h)
		return o->cells;
	map_cells_free(o->cells);
	o->cells = map_cells_new(v->scene->fabric, m->layout, w, h);
	o->follow = true;
	return o->cells;
}

static void scroll(const struct view *v, struct overview *o, int h)
{
	uint32_t sel = map_selected(v);
	const struct map_cells *c = o->cells;
	int most = c->height > h ? c->height - h : 0, y;

	if (sel != o->selected)
		o->follow = true;
	o->selected = sel;
	if (sel != NO_ID && o->follow) {
		y = c->y[sel];
		if (y < o->top)
			o->top = y;
		else if (y >= o->top + h)
			o->top = y - h + 1;
	}
	o->follow = false;
	o->top = o->top > most ? most : MAX(o->top, 0);
}

/* --- lines ------------------------------------------------------------------------------------------ */

struct overview_drawing {
	const struct view *v;
	struct canvas *c;
	const struct map_cells *cells;
	int top;
};

static const struct layout_part *overview_part_of(const struct overview_drawing *d, uint32_t sw)
{
	const struct layout *l = map_of(d->v)->layout;

	return l->part_of[sw] == NO_ID ? NULL : &l->part[l->part_of[sw]];
}

/* Draws down, then across, with a corner. */
static void draw_stroke(const struct overview_drawing *d, const struct map_stroke *s, bool strong,
			enum canvas_role role)
{
	int xl = MIN(s->x0, s->x1), xr = MAX(s->x0, s->x1), yt = MIN(s->y0, s->y1) - d->top,
	    yb = MAX(s->y0, s->y1) - d->top;

	if (s->x0 != s->x1 && s->y0 != s->y1 && canvas_is_free(d->c, s->x0, s->y1 - d->top))
		canvas_put(d->c, s->x0, s->y1 - d->top, strong ? 0x2517 : 0x2514, role);
	canvas_down(d->c, s->x0, yt, yb, line_down(strong, role), role);
	canvas_across(d->c, xl, xr, s->y1 - d->top, line_across(strong, role), role);
}

/* Have all cables between two neighbours failed? */
static bool link_is_down(const struct view *v, uint32_t a, uint32_t b)
{
	const struct layout *l = map_of(v)->layout;
	uint32_t i = layout_arc(l, a, b);

	for (uint32_t k = l->cable[i]; k < l->cable[i + 1]; k++)
		if (state_link_up(v->scene->fabric, v->scene->data, v->scene->fabric->port_link[l->port[k]]))
			return false;
	return true;
}

static void draw_strokes(const struct overview_drawing *d)
{
	bool failed = map_anything_failed(d->v);

	for (uint32_t i = 0; i < d->cells->n_strokes; i++) {
		const struct map_stroke *s = &d->cells->stroke[i];

		if (s->y0 < d->top - d->c->h && s->y1 < d->top)
			continue;
		if (!failed || !link_is_down(d->v, s->a, s->b)) {
			draw_stroke(d, s, false, CANVAS_DIM);
		} else if (canvas_is_free(d->c, (s->x0 + s->x1) / 2, (s->y0 + s->y1) / 2 - d->top)) {
			canvas_put(d->c, (s->x0 + s->x1) / 2, (s->y0 + s->y1) / 2 - d->top, 'x', CANVAS_BAD);
		}
	}
}

/* A marked line of a grid or ring: along its stroke; or out at both ends of a row, if it wraps around. */
static void draw_on_strokes(const struct overview_drawing *d, const struct map_line *l)
{
	const struct map_cells *c = d->cells;
	int xa = c->x[l->from], ya = c->y[l->from], xb = c->x[l->to], yb = c->y[l->to];
	int left = MIN(xa, xb), right = MAX(xa, xb), up = MIN(ya, yb) - d->top, down = MAX(ya, yb) - d->top;
	enum canvas_role role = (enum canvas_role)l->role;
	bool strong = map_of(d->v)->overlay != MAP_LINKS;
	struct grid_way way = grid_way(map_of(d->v)->layout, l->from, l->to);
	uint32_t across = line_across(strong, role), upright = line_down(strong, role);

	if (!grid_beside_in_plane(&way) || role == CANVAS_BAD)
		return;
	if (!way.around) {
		if (xa == xb || ya == yb)
			draw_stroke(d, &(struct map_stroke){l->from, l->to, xa, ya, xb, yb}, strong, role);
	} else if (ya == yb) {
		canvas_across(d->c, left - 1, left - 1, up, across, role);
		canvas_across(d->c, right + 1, right + 1, up, across, role);
	} else if (xa == xb) {
		canvas_down(d->c, xa, up - 1, up - 1, upright, role);
		canvas_down(d->c, xa, down + 1, down + 1, upright, role);
	}
}

/*
 * Counts the lines in the gap below each level of each part. Lines of other shapes count in gap 255 of their
 * part.
 */
static uint32_t *count_lines(const struct overview_drawing *d)
{
	const struct map *m = map_of(d->v);
	uint32_t *n = NEW_ARRAY(((size_t)m->layout->n_parts + 1) * 256, uint32_t);

	for (uint32_t i = 0; i < m->n_lines; i++) {
		const struct map_line *l = &m->line[i];
		const struct layout_part *is = overview_part_of(d, l->from);
		unsigned a = m->layout->level[l->from], b = m->layout->level[l->to];

		if (is)
			n[(size_t)(is - m->layout->part) * 256 +
			  (is->kind == LAYOUT_TREE ? MIN(a, b) : 255)]++;
	}
	return n;
}

static void draw_one_line(const struct overview_drawing *d, const struct map_line *l, const uint32_t *n)
{
	const struct map *m = map_of(d->v);
	const struct map_cells *c = d->cells;
	const struct layout_part *is = overview_part_of(d, l->from);
	enum canvas_role role = (enum canvas_role)l->role;
	unsigned a = m->layout->level[l->from], b = m->layout->level[l->to];
	uint32_t up = a < b ? l->from : l->to;
	uint32_t low = a < b ? l->to : l->from;
	size_t gap;

	if (!is)
		return;
	gap = (size_t)(is - m->layout->part) * 256;
	if (is->kind == LAYOUT_GRID) {
		draw_on_strokes(d, l);
	} else if (is->kind == LAYOUT_RING || is->kind == LAYOUT_CHAIN) {
		for (uint32_t k = 0; k < c->n_strokes && role != CANVAS_BAD; k++)
			if ((c->stroke[k].a == l->from && c->stroke[k].b == l->to) ||
			    (c->stroke[k].a == l->to && c->stroke[k].b == l->from))
				draw_stroke(d, &c->stroke[k], m->overlay != MAP_LINKS, role);
	} else if (is->kind != LAYOUT_TREE) {
		if (n[gap + 255] <= LINES_ACROSS)
			canvas_line(d->c, 2 * c->x[l->from] + 1, 4 * (c->y[l->from] - d->top) + 2,
				    2 * c->x[l->to] + 1, 4 * (c->y[l->to] - d->top) + 2, role);
	} else if (abs((int)a - (int)b) == 1) {
		/* from the last row of the upper level to the first row of the lower one */
		gap += MIN(a, b);
		if (n[gap] <= LINES_A_GAP && c->next[gap] > c->below[gap])
			canvas_line(d->c, 2 * c->x[up], 4 * (c->below[gap] - d->top), 2 * c->x[low],
				    4 * (c->next[gap] - d->top) - 1, role);
	}
}

/* Lines of the way back lie under all others. */
static void draw_lines(const struct overview_drawing *d)
{
	const struct map *m = map_of(d->v);
	AUTO_FREE uint32_t *n = m->n_lines ? count_lines(d) : NULL;

	for (int back = 1; back >= 0; back--)
		for (uint32_t i = 0; i < m->n_lines; i++)
			if ((m->line[i].role == CANVAS_BACK) == back)
				draw_one_line(d, &m->line[i], n);
}

/* --- cells ------------------------------------------------------------------------------------------- */

/* Draws the most important switch of each cell. The selected one is always shown. */
static void draw_cells(const struct overview_drawing *d)
{
	const struct map *m = map_of(d->v);
	const struct map_cells *c = d->cells;

	for (uint32_t i = 0; i < c->n;) {
		uint32_t first = c->order[i];
		int x = c->x[first], y = c->y[first];
		struct map_cell most = {0};
		bool reverse = false;
		struct canvas_cell *cell;

		for (bool any = false; i < c->n && c->x[c->order[i]] == x && c->y[c->order[i]] == y; i++) {
			struct map_cell is = map_cell_of(d->v, c->order[i]);

			reverse |= is.reverse;
			if (!any || is.weight > most.weight)
				most = is;
			any = true;
		}
		cell = canvas_put(d->c, x, y - d->top, most.ch, (enum canvas_role)most.role);
		if (!cell)
			continue;
		cell->bold = most.bold;
		cell->reverse = reverse;
		cell->object = map_object(m, first, NO_ID);
	}
}

/* Writes the switches per cell at the right end of a line with room for it. */
static void draw_share(const struct overview_drawing *d)
{
	char text[80];
	int len, x;

	if (d->cells->most < 2)
		return;
	snprintf(text, sizeof(text), "1 cell = up to %u switches, the worst shown", d->cells->most);
	len = (int)strlen(text);
	for (int y = d->c->h - 1; y >= 0; y--) {
		for (x = d->c->w - 1; x >= 0 && canvas_at(d->c, x, y)->ch == ' '; x--)
			;
		if (d->c->w - x - 3 >= len) {
			canvas_text(d->c,
				    x < 0		     ? 0
				    : x + 5 + len <= d->c->w ? x + 5
							     : x + 3,
				    y, len, text, CANVAS_DIM);
			return;
		}
	}
}

static void overview_draw(struct view *v, struct canvas *c)
{
	struct overview *o = map_own(v, &map_overview);
	struct overview_drawing d = {v, c, overview_place(v, c->w, c->h), 0};

	scroll(v, o, c->h);
	d.top = o->top;
	draw_cells(&d);
	for (uint32_t i = 0; i < d.cells->n_labels; i++) {
		const struct map_label *l = &d.cells->label[i];
		int y = l->y - d.top;

		if (y >= 0 && y < d.c->h)
			canvas_text_cut(d.c, l->x, y, l->w, l->text, CANVAS_LABEL);
	}
	draw_lines(&d);
	draw_strokes(&d);
	draw_share(&d);
}

/* --- keys --------------------------------------------------------------------------------------------- */

/* The first place in c->order of line y, or of the next line below it. */
static uint32_t line_start(const struct map_cells *c, int y)
{
	uint32_t lo = 0, hi = c->n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (c->y[c->order[mid]] < y)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static const struct layout_part *grid_of(const struct layout *l, uint32_t sw)
{
	const struct layout_part *is = l->part_of[sw] == NO_ID ? NULL : &l->part[l->part_of[sw]];

	return is && is->kind == LAYOUT_GRID && *layout_coord(l, sw) != LAYOUT_BESIDE ? is : NULL;
}

static uint32_t overview_switch_at(const struct layout *l, const struct layout_part *is, const uint16_t *at)
{
	for (uint32_t i = is->first; i < is->first + is->n; i++)
		if (!memcmp(layout_coord(l, l->order[i]), at, LAYOUT_DIMS * sizeof(*at)))
			return l->order[i];
	return NO_ID;
}

/* Steps along a dimension, around a ring if it is one. NO_ID: no switch is there. */
static uint32_t grid_step(const struct view *v, uint32_t sw, unsigned dim, int by)
{
	const struct layout *l = map_of(v)->layout;
	const struct layout_part *is = grid_of(l, sw);
	uint16_t want[LAYOUT_DIMS], last;

	if (!is || dim >= is->n_dims)
		return NO_ID;
	memcpy(want, layout_coord(l, sw), sizeof(want));
	last = (uint16_t)(is->dim[dim].size - 1);
	if (want[dim] != (by < 0 ? 0 : last))
		want[dim] = (uint16_t)(want[dim] + by);
	else if (is->dim[dim].kind == LAYOUT_CYCLE)
		want[dim] = by < 0 ? last : 0;
	return overview_switch_at(l, is, want);
}

/* The same place in the next plane, cyclically. NO_ID: there is no other plane. */
static uint32_t next_plane(const struct view *v, uint32_t sw, int by)
{
	const struct layout *l = map_of(v)->layout;
	const struct layout_part *is = grid_of(l, sw);
	uint16_t want[LAYOUT_DIMS];

	if (!is || is->n_dims < 3)
		return NO_ID;
	memcpy(want, layout_coord(l, sw), sizeof(want));
	for (unsigned d = 2; d < is->n_dims; d++) { /* count up with carry */
		uint16_t last = (uint16_t)(is->dim[d].size - 1);

		if (want[d] != (by < 0 ? 0 : last)) {
			want[d] = (uint16_t)(want[d] + by);
			break;
		}
		want[d] = by < 0 ? last : 0;
	}
	return overview_switch_at(l, is, want);
}

static bool in_grid(const struct view *v, const struct map_cells *c, uint32_t sw)
{
	return c->most == 1 && grid_of(map_of(v)->layout, sw);
}

static void move_across(struct view *v, const struct map_cells *c, uint32_t sel, int dx)
{
	struct overview *o = map_own(v, &map_overview);
	uint32_t at = c->at[sel], to = sel;
	int y = c->y[sel];

	if (in_grid(v, c, sel) && dx >= -1 && dx <= 1) {
		to = grid_step(v, sel, 0, dx);
	} else if (dx >= VIEW_FAR) {
		to = c->order[line_start(c, y + 1) - 1];
	} else if (dx <= -VIEW_FAR) {
		to = c->order[line_start(c, y)];
	} else if (dx > 0 && at + 1 < c->n && c->y[c->order[at + 1]] == y) {
		to = c->order[at + 1];
	} else if (dx < 0 && at && c->y[c->order[at - 1]] == y) {
		to = c->order[at - 1];
	}
	map_select(v, to);
	o->goal = to == NO_ID ? -1 : c->x[to];
}

/* The switch nearest to a column in the line that begins at place `at`; of two, the left one. */
static uint32_t overview_nearest(const struct map_cells *c, uint32_t at, int x)
{
	assert(at < c->n);

	int y = c->y[c->order[at]], best = INT32_MAX;
	uint32_t to = NO_ID;

	for (; at < c->n && c->y[c->order[at]] == y; at++) {
		int far = abs(c->x[c->order[at]] - x);

		if (far < best) {
			best = far;
			to = c->order[at];
		}
	}
	return to;
}

static void move_down(struct view *v, const struct map_cells *c, uint32_t sel, int dy)
{
	assert(sel < c->n);

	struct overview *o = map_own(v, &map_overview);
	int goal = o->goal >= 0 ? o->goal : c->x[sel], y = c->y[sel];
	uint32_t to = sel, at;

	if (in_grid(v, c, sel) && map_of(v)->layout->part[map_of(v)->layout->part_of[sel]].n_dims > 1) {
		to = grid_step(v, sel, 1, -dy);
		map_select(v, to);
		o->goal = to == NO_ID ? -1 : c->x[to];
		return;
	}
	if (dy > 0) {
		at = line_start(c, y + 1);
		to = at < c->n ? overview_nearest(c, at, goal) : sel;
	} else {
		at = line_start(c, y);
		to = at ? overview_nearest(c, line_start(c, c->y[c->order[at - 1]]), goal) : sel;
	}
	map_select(v, to);
	o->goal = goal;
}

static void overview_move(struct view *v, int dx, int dy)
{
	const struct map *m = map_of(v);
	struct overview *o = map_own(v, &map_overview);
	const struct map_cells *c = overview_place(v, m->w > 0 ? m->w : 80, m->h > 0 ? m->h : 20);
	uint32_t sel = map_selected(v);

	if (dy > 1 || dy < -1) { /* a page: the visible part of the drawing */
		o->top += dy;
		return;
	}
	if (sel == NO_ID) {
		if (c->n)
			map_select(v, c->order[0]);
		return;
	}
	if (dx)
		move_across(v, c, sel, dx);
	else if (dy)
		move_down(v, c, sel, dy);
}

/* The first switch of the next block in a direction, on the same level if there are levels. */
static uint32_t next_block(const struct layout *l, uint32_t sw, int dir)
{
	const struct layout_part *is = l->part_of[sw] == NO_ID ? NULL : &l->part[l->part_of[sw]];
	uint32_t b = l->block[sw], want, any = NO_ID;

	if (!is || !is->n_blocks)
		return NO_ID;
	if (b == NO_ID)
		want = dir > 0 ? is->first_block : is->first_block + is->n_blocks - 1;
	else
		want = is->first_block +
		       (b - is->first_block + (dir > 0 ? 1 : is->n_blocks - 1)) % is->n_blocks;
	for (uint32_t i = is->first; i < is->first + is->n; i++) {
		uint32_t s = l->order[i];

		if (l->block[s] != want)
			continue;
		if (l->level[s] == l->level[sw])
			return s;
		any = any == NO_ID ? s : any;
	}
	return any;
}

static void overview_plane(struct view *v, int dir)
{
	struct overview *o = map_own(v, &map_overview);
	uint32_t sel = map_selected(v), to;

	if (sel == NO_ID)
		return;
	to = next_plane(v, sel, dir);
	map_select(v, to == NO_ID ? next_block(map_of(v)->layout, sel, dir) : to);
	o->goal = -1;
}

const struct map_scale map_overview = {
	.name = "overview",
	.own_size = sizeof(struct overview),
	.draw = overview_draw,
	.below = 2,
	.move = overview_move,
	.plane = overview_plane,
	.renewed = overview_renewed,
	.close = close_overview,
};
