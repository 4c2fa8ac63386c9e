/* The map of a whole small fabric: every link, with port numbers at both ends. */
#include <stdlib.h>
#include <string.h>
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "views/map/map.h"
#include "views/map/whole_plan.h"

/* Characters of lines: plain, marked, of a cable that is down. */
static const uint32_t across[] = {0x2500, 0x2501, 0x2504}, upright[] = {0x2502, 0x2503, 0x2506};

struct whole_own {
	const struct layout *layout; /* of the members below; NULL: nothing is computed */
	struct whole_plan *plan;     /* for this part, w and h */
	uint32_t part;
	int w, h;
	int column; /* column last reached by Left or Right; -1: none */
};

static void close_whole(void *own)
{
	whole_plan_free(((struct whole_own *)own)->plan);
}

static void whole_renewed(void *own, bool same)
{
	if (same) /* the plan does not depend on what is up */
		return;
	close_whole(own);
	*(struct whole_own *)own = (struct whole_own){.column = -1};
}

/* Computes the places for a size. The last row is for the text below. NULL: there is no layout. */
static struct whole_own *plan_for(const struct view *v, int w, int h)
{
	const struct map *m = map_of(v);
	struct whole_own *o = map_own(v, &map_whole);
	uint32_t sw = map_selected(v), part = 0;

	if (!m->layout || !v->scene->fabric)
		return NULL;
	if (sw != NO_ID && m->layout->part_of[sw] != NO_ID)
		part = m->layout->part_of[sw];
	if (!o->plan || o->layout != m->layout || o->part != part || o->w != w || o->h != h) {
		whole_plan_free(o->plan);
		*o = (struct whole_own){
			.layout = m->layout, .part = part, .w = w, .h = h, .column = o->column};
		o->plan = whole_plan_new(v->scene->fabric, m->layout, part, w, h - 1);
	}
	return o;
}

static bool whole_offered(const struct view *v, int w, int h, struct text *why)
{
	const struct map_scale *now = map_of(v)->scale;
	const struct whole_own *o;

	if (now && now->below < map_whole.below) /* w, h: of a scale with fewer lines below */
		h -= (int)(map_whole.below - now->below);
	o = plan_for(v, w, h);
	if (!o)
		return false;
	if (o->plan->fits)
		return true;
	if (o->plan->why)
		text_add(why, "%s", o->plan->why);
	else
		text_add(why, "it needs %d x %d, the pane has %d x %d", o->plan->need_w,
			 o->plan->need_h + 1 + (int)map_whole.below, w, h + (int)map_whole.below);
	return false;
}

/* --- the look of a bundle ------------------------------------------------------------------------- */

struct bundle_look {
	uint32_t down; /* number of cables that are down */
	uint32_t load; /* routes on the busiest cable, either direction */
	uint8_t bits;  /* MAP_ON_ bits of either direction */
	uint8_t role;
	bool marked;
};

static struct bundle_look whole_look_of(const struct view *v, const struct whole_own *o, uint32_t bundle)
{
	const struct map *m = map_of(v);
	const struct fabric *f = v->scene->fabric;
	const struct whole_bundle *b = &o->plan->bundle[bundle];
	struct bundle_look l = {.role = CANVAS_DIM};

	for (uint32_t i = 0; i < b->n; i++) {
		uint32_t end[2] = {b->cable[i], f->port_peer[b->cable[i]]};

		l.down += v->scene->data && !state_link_up(f, v->scene->data, f->port_link[end[0]]);
		for (int k = 0; k < 2; k++) {
			l.bits |= m->channel ? m->channel[end[k]] : 0;
			if (m->load && m->load[end[k]] > l.load)
				l.load = m->load[end[k]];
		}
	}
	if (m->colour == MAP_LOAD && m->load)
		l.role = (uint8_t)(CANVAS_SHADE0 + map_shade(m, l.load));
	l.marked = l.bits != 0;
	l.role = (uint8_t)map_channel_role(l.bits,
					   l.bits & MAP_ON_LINKS ? CANVAS_MARK : (enum canvas_role)l.role);
	if (l.down == b->n || l.bits == MAP_ON_DOWN)
		l.role = CANVAS_BAD;
	return l;
}

/* --- drawing ----------------------------------------------------------------------------------- */

static void whole_put_boxes(const struct view *v, struct canvas *c, const struct whole_plan *p)
{
	const struct map *m = map_of(v);
	uint32_t selected = map_selected(v);
	struct text name = {0};

	for (uint32_t i = 0; i < p->n_boxes; i++) {
		const struct whole_box *b = &p->box[i];
		struct map_cell cell = map_cell_of(v, b->sw);
		enum canvas_role role = cell.bold ? (enum canvas_role)cell.role : CANVAS_PLAIN;
		int w;

		if (b->sw == selected)
			role = CANVAS_SELECTED;
		map_put(v, c, b->x, b->y, b->sw);
		canvas_put(c, b->x + 1, b->y, '[', role);
		whole_name(p, v->scene->fabric, b->sw, &name);
		w = canvas_text_cut(c, b->x + 2, b->y, b->w - 3, text_str(&name), role);
		canvas_put(c, b->x + 2 + w, b->y, ']', role);
		canvas_object(c, b->x, b->y, b->w, 1, map_object(m, b->sw, NO_ID));
	}
	text_free(&name);
}

static void put_labels(const struct view *v, struct canvas *c, const struct whole_own *o)
{
	const struct map *m = map_of(v);

	for (uint32_t i = 0; i < o->plan->n_labels; i++) {
		const struct whole_label *l = &o->plan->label[i];
		const struct whole_bundle *b = &o->plan->bundle[l->bundle];
		struct bundle_look look = whole_look_of(v, o, l->bundle);
		enum canvas_role role = look.marked ? (enum canvas_role)look.role : CANVAS_PLAIN;

		canvas_text(c, l->x, l->y, l->w, l->text, look.down ? CANVAS_BAD : role);
		for (int x = l->x; x < l->x + l->w && look.marked; x++)
			if (canvas_at(c, x, l->y))
				canvas_at(c, x, l->y)->bold = true;
		canvas_object(c, l->x, l->y, l->w, 1, map_object(m, b->sw[l->end], b->port[l->end]));
	}
	for (uint32_t i = 0; i < o->plan->n_notes; i++) {
		const struct whole_note *n = &o->plan->note[i];

		canvas_text(c, n->x, n->y, n->w, n->text, CANVAS_LABEL);
	}
}

/*
 * Draws straight from point i to the next, in dots. A dashed line leaves out every other piece of four dots.
 */
static void whole_put_piece(struct canvas *c, const struct whole_line *l, int i,
			    const struct bundle_look *look, bool dashed)
{
	int x0 = l->x[i], y0 = l->y[i], x1 = l->x[i + 1], y1 = l->y[i + 1];
	int dx = x1 - x0, dy = y1 - y0, ax = dx < 0 ? -dx : dx, ay = dy < 0 ? -dy : dy;
	int n = dashed ? MAX(ax, ay) / 4 : 1;

	n = n > 0 ? n : 1;
	for (int k = 0; k < n; k += 2) {
		int a = k * dx / n, b = k * dy / n, e = (k + 1) * dx / n, g = (k + 1) * dy / n;

		canvas_line(c, x0 + a, y0 + b, x0 + e, y0 + g, (enum canvas_role)look->role);
		if (look->marked && !dashed)
			canvas_line(c, x0 + a + 1, y0 + b, x0 + e + 1, y0 + g, (enum canvas_role)look->role);
	}
}

static void put_straight(struct canvas *c, const struct whole_line *l, const struct bundle_look *look,
			 bool down)
{
	int x0 = MIN(l->x[0], l->x[1]), x1 = l->x[0] + l->x[1] - x0;
	int y0 = MIN(l->y[0], l->y[1]), y1 = l->y[0] + l->y[1] - y0;
	enum canvas_role role = (enum canvas_role)look->role;
	int as = down ? 2 : look->marked;

	if (l->across)
		canvas_across(c, x0, x1, y0, across[as], role);
	else
		canvas_down(c, x0, y0, y1, upright[as], role);
}

/* "x" in the middle of a line whose cables are all down; "2x" if two of several cables are down. */
static void put_cross(struct canvas *c, const struct whole_line *l, const struct bundle_look *look,
		      uint32_t n)
{
	int x = l->n > 2 ? l->x[1] : (l->x[0] + l->x[1]) / 2,
	    y = l->n > 2 ? l->y[1] : (l->y[0] + l->y[1]) / 2;

	if (!l->cells) {
		x /= 2;
		y /= 4;
	}
	if (look->down == n)
		canvas_put(c, x, y, 'x', CANVAS_BAD);
	else
		canvas_textf(c, x, y, 12, CANVAS_BAD, "%ux", look->down);
}

/*
 * Draws either the marked lines, or all others. Leaves out the lines of a gap that they would fill, except
 * those of the selected switch. Returns the number of cables left out.
 */
static uint32_t whole_put_lines(const struct view *v, struct canvas *c, const struct whole_own *o,
				bool marked)
{
	uint32_t left_out = 0, selected = map_selected(v);

	for (uint32_t i = 0; i < o->plan->n_lines; i++) {
		const struct whole_line *l = &o->plan->line[i];
		struct bundle_look look = whole_look_of(v, o, l->bundle);
		const struct whole_bundle *b = &o->plan->bundle[l->bundle];
		uint32_t n = b->n;
		bool shows = look.marked || look.down;

		if (shows != marked)
			continue;
		if (!shows && l->gap != WHOLE_NO_GAP && o->plan->dense[l->gap] && b->sw[0] != selected &&
		    b->sw[1] != selected) {
			left_out += n;
			continue;
		}
		if (l->cells)
			put_straight(c, l, &look, look.down == n);
		for (int k = 0; k + 1 < l->n && !l->cells; k++)
			whole_put_piece(c, l, k, &look, look.down == n);
	}
	return left_out;
}

/* The last row: the number of links, and what no line shows. */
static void whole_put_last(const struct view *v, struct canvas *c, const struct whole_own *o,
			   uint32_t left_out)
{
	const struct whole_plan *p = o->plan;
	uint32_t others = map_of(v)->layout->n_parts - 1;
	struct text t = {0};

	left_out += p->undrawn;
	text_add(&t, "%s", PLURAL(p->n_cables, "link"));
	if (p->n_bundles < p->n_cables)
		text_add(&t, " in %s", PLURAL(p->n_bundles, "bundle"));
	if (left_out)
		text_add(&t, ", %u not drawn", left_out);
	text_add(&t, "  ");
	if (p->same_hosts > 0)
		text_add(&t, "%s on each switch  ", PLURAL((uint64_t)p->same_hosts, "host"));
	if (p->pre + p->suf)
		text_add(&t, "names are %.*s*%s  ", (int)p->pre, p->names.like,
			 p->names.like + p->names.len - p->suf);
	if (others)
		text_add(&t, "%s of the fabric not shown", PLURAL(others, "other part"));
	canvas_text_cut(c, 0, c->h - 1, c->w, text_str(&t), CANVAS_LABEL);
	text_free(&t);
}

static void whole_draw(struct view *v, struct canvas *c)
{
	const struct whole_own *o = plan_for(v, c->w, c->h);
	struct text why = {0};
	uint32_t left_out;

	if (!o)
		return;
	if (!o->plan->fits) {
		whole_offered(v, c->w, c->h, &why);
		canvas_textf(c, 0, 0, c->w, CANVAS_LABEL, "whole is not offered: %s", text_str(&why));
		text_free(&why);
		return;
	}
	if (map_of(v)->overlay == MAP_DEPENDENCIES && map_of(v)->turn) {
		struct whole_plan turned = *o->plan;

		turned.box = whole_turns(v, c, o->part, o->plan);
		whole_put_boxes(v, c, &turned);
		whole_put_last(v, c, o, 0);
		free(turned.box);
		return;
	}
	whole_put_boxes(v, c, o->plan);
	put_labels(v, c, o);
	left_out = whole_put_lines(v, c, o, false);
	whole_put_lines(v, c, o, true);
	for (uint32_t i = 0; i < o->plan->n_lines; i++) {
		const struct whole_line *l = &o->plan->line[i];
		struct bundle_look look = whole_look_of(v, o, l->bundle);

		if (look.down)
			put_cross(c, l, &look, o->plan->bundle[l->bundle].n);
	}
	whole_put_last(v, c, o, left_out);
}

static void whole_title(const struct view *v, struct text *t)
{
	const struct map *m = map_of(v);
	const struct whole_own *o = map_own(v, &map_whole);

	text_add(t, "Map");
	if (!o->plan || !m->layout || o->part >= m->layout->n_parts)
		return;
	text_add(t, " ── %s%s", m->layout->part[o->part].words, o->plan->fits ? " ── whole" : "");
}

/* --- keys -------------------------------------------------------------------------------------- */

static int whole_middle(const struct whole_box *b)
{
	return b->x + b->w / 2;
}

static int away(int a, int b)
{
	return a < b ? b - a : a - b;
}

/* The next box of the row (`far`: the last one) in direction dx, or NULL. */
static const struct whole_box *whole_beside(const struct whole_plan *p, const struct whole_box *from, int dx,
					    bool far)
{
	const struct whole_box *best = NULL;

	for (uint32_t i = 0; i < p->n_boxes; i++) {
		const struct whole_box *b = &p->box[i];

		if (b->y != from->y || (b->x - from->x) * (dx < 0 ? -1 : 1) <= 0)
			continue;
		if (!best || (away(b->x, from->x) > away(best->x, from->x)) == far)
			best = b;
	}
	return best;
}

/* The box nearest to a column in the next row (`far`: the last one) in direction dy, or NULL. */
static const struct whole_box *whole_next_row(const struct whole_plan *p, const struct whole_box *from,
					      int dy, bool far, int column)
{
	const struct whole_box *best = NULL;

	for (uint32_t i = 0; i < p->n_boxes; i++) {
		const struct whole_box *b = &p->box[i];

		if ((b->y - from->y) * (dy < 0 ? -1 : 1) <= 0)
			continue;
		if (!best || (b->y != best->y && (away(b->y, from->y) > away(best->y, from->y)) == far) ||
		    (b->y == best->y && away(whole_middle(b), column) < away(whole_middle(best), column)))
			best = b;
	}
	return best;
}

static void whole_move(struct view *v, int dx, int dy)
{
	struct map *m = map_of(v);
	struct whole_own *o = plan_for(v, m->w, m->h);
	const struct whole_box *from = NULL, *to;
	uint32_t sw = map_selected(v);
	int right = dx < 0 ? -1 : 1;

	if (!o || !o->plan->n_boxes)
		return;
	for (uint32_t i = 0; i < o->plan->n_boxes; i++)
		if (o->plan->box[i].sw == sw)
			from = &o->plan->box[i];
	if (!from) {
		map_select(v, o->plan->box[0].sw);
		return;
	}
	if (dx) {
		const struct layout_part *p = &m->layout->part[o->part];

		to = whole_beside(o->plan, from, right, dx * right > 1);
		if (!to && p->kind == LAYOUT_GRID && p->dim[0].kind == LAYOUT_CYCLE && dx * right == 1)
			to = whole_beside(o->plan, from, -right, true);
		o->column = whole_middle(to ? to : from);
	} else {
		if (o->column < 0)
			o->column = whole_middle(from);
		to = whole_next_row(o->plan, from, dy, dy < -1 || dy > 1, o->column);
	}
	if (to)
		map_select(v, to->sw);
}

/* The same as in the overview. */
static void whole_plane(struct view *v, int dir)
{
	struct whole_own *o = map_own(v, &map_whole);

	map_overview.plane(v, dir);
	o->column = -1;
}

const struct map_scale map_whole = {
	.name = "whole",
	.own = 1,
	.own_size = sizeof(struct whole_own),
	.offered = whole_offered,
	.title = whole_title,
	.draw = whole_draw,
	.below = 2,
	.move = whole_move,
	.plane = whole_plane,
	.renewed = whole_renewed,
	.close = close_whole,
};
