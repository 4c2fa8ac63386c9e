/* The map of a whole small fabric with straight lines, and the plan that all shapes share. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clean.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "views/base/canvas.h"
#include "views/map/map.h"

/* A whole small fabric: what all shapes share. */

int whole_side_width(const struct whole_work *k, uint32_t i, enum whole_side side)
{
	int w = 0;

	for (uint32_t e = k->first[i]; e < k->first[i + 1]; e++)
		if (k->end[e].side == side)
			w += k->end[e].width + (w > 0);
	return w;
}

int whole_put_side(struct whole_work *k, uint32_t i, enum whole_side side, int x, int y)
{
	struct whole_plan *p = k->plan;
	bool any = false;

	for (uint32_t n = k->first[i]; n < k->first[i + 1]; n++) {
		struct whole_end *e = &k->end[n];
		struct whole_label *l;

		if (e->side != side)
			continue;
		GROW(p->label, p->n_labels, p->cap_labels);
		x += any;
		any = true;
		l = &p->label[p->n_labels];
		*l = (struct whole_label){e->bundle, e->end, x, y, e->width, ""};
		memcpy(l->text, e->text, sizeof(l->text));
		e->label = (int)p->n_labels++;
		x += e->width;
	}
	return x;
}

void whole_put_box(struct whole_work *k, uint32_t i)
{
	struct whole_plan *p = k->plan;

	assert(i < k->part->n);
	GROW(p->box, p->n_boxes, p->cap_boxes);
	p->box[p->n_boxes++] =
		(struct whole_box){k->switches[i], k->x[i] - k->box_w[i] / 2, k->y[i], k->box_w[i]};
}

void whole_put_note(struct whole_work *k, int x, int y, const char *text)
{
	struct whole_plan *p = k->plan;
	struct whole_note *n;

	GROW(p->note, p->n_notes, p->cap_notes);
	n = &p->note[p->n_notes++];
	*n = (struct whole_note){x, y, 0, ""};
	snprintf(n->text, sizeof(n->text), "%s", text);
	n->w = canvas_columns(n->text);
}

struct whole_line *whole_put_line(struct whole_work *k, uint32_t bundle, uint8_t gap)
{
	struct whole_plan *p = k->plan;

	GROW(p->line, p->n_lines, p->cap_lines);
	p->line[p->n_lines] = (struct whole_line){.bundle = bundle, .gap = gap, .n = 2};
	return &p->line[p->n_lines++];
}

int whole_label_dot(const struct whole_plan *p, const struct whole_end *e)
{
	assert(e->label >= 0 && (uint32_t)e->label < p->n_labels);

	const struct whole_label *l = &p->label[e->label];

	return 2 * l->x + l->w - 1;
}

COMPARATOR(by_side_and_place, struct whole_end, UP(side) UP(toward) UP(bundle))

void whole_order(struct whole_work *k)
{
	uint32_t n = k->part->n;

	assert(k->first[n] == 2 * k->plan->n_bundles);
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t e = k->first[i]; e < k->first[i + 1]; e++) {
			const struct whole_bundle *m = &k->plan->bundle[k->end[e].bundle];

			k->end[e].toward = k->x[k->at[m->sw[!k->end[e].end]]];
		}
		if (k->first[i + 1] > k->first[i])
			qsort(k->end + k->first[i], k->first[i + 1] - k->first[i], sizeof(*k->end),
			      by_side_and_place);
	}
	for (uint32_t e = 0; e < k->first[n]; e++)
		k->ends[k->end[e].bundle][k->end[e].end] = e;
}

/* Finds the bundles. Switches go by id, like neighbours. */
static void find_bundles(struct whole_work *k)
{
	const struct layout *l = k->l;
	struct whole_plan *p = k->plan;

	p->bundle = NEW_ARRAY(k->part->n_links + 1u, struct whole_bundle);
	for (uint32_t a = 0; a < l->n; a++)
		for (uint32_t i = l->first[a]; k->at[a] != NO_ID && i < l->first[a + 1]; i++) {
			struct whole_bundle *b = &p->bundle[p->n_bundles];

			if (l->to[i] < a)
				continue;
			p->n_bundles++;
			b->sw[0] = a;
			b->sw[1] = l->to[i];
			b->cable = l->port + l->cable[i];
			b->n = l->cable[i + 1] - l->cable[i];
			b->port[0] = b->cable[0];
			b->port[1] = l->port[l->cable[layout_arc(l, l->to[i], a)]];
			p->n_cables += b->n;
		}
	assert(p->n_bundles <= k->part->n_links);
}

/* Finds the ends of the bundles; sides are not set yet. */
static void whole_plan_find_ends(struct whole_work *k)
{
	uint32_t n = k->part->n, *fill;

	free(k->end);
	memset(k->first, 0, (n + 1u) * sizeof(*k->first));
	for (uint32_t m = 0; m < k->plan->n_bundles; m++)
		for (unsigned i = 0; i < 2; i++)
			k->first[k->at[k->plan->bundle[m].sw[i]] + 1]++;
	for (uint32_t i = 0; i < n; i++)
		k->first[i + 1] += k->first[i];
	k->end = NEW_ARRAY(k->first[n] + 1u, struct whole_end);
	fill = mem_dup(k->first, (n + 1u) * sizeof(*fill));
	for (uint32_t m = 0; m < k->plan->n_bundles; m++) {
		const struct whole_bundle *d = &k->plan->bundle[m];

		for (unsigned i = 0; i < 2; i++) {
			struct whole_end *e = &k->end[fill[k->at[d->sw[i]]]];
			unsigned port = k->f->port_num[d->port[i]];

			*e = (struct whole_end){
				.bundle = m, .end = (uint8_t)i, .side = WHOLE_NOWHERE, .label = -1};
			if (d->n > 1)
				snprintf(e->text, sizeof(e->text), "%ux%u", port, (unsigned)d->n);
			else
				snprintf(e->text, sizeof(e->text), "%u", port);
			e->width = (uint8_t)strlen(e->text);
			k->ends[m][i] = fill[k->at[d->sw[i]]]++;
		}
	}
	free(fill);
}

static const char *not_offered(const struct layout *l, const struct layout_part *p)
{
	struct shape_run *run;
	uint32_t most, n;

	switch (p->kind) {
	case LAYOUT_TREE:
		return p->levels < 2 ? "the tree has one level" : NULL;
	case LAYOUT_ROW:
	case LAYOUT_RING:
	case LAYOUT_CHAIN:
		return NULL;
	case LAYOUT_GRID:
		return p->n > WHOLE_GRID ? "grids of up to 64 switches have one" : NULL;
	case LAYOUT_GROUPS:
		run = shape_runs(l, l->order + p->first, p->n, false, &n);
		most = shape_most(run, n);
		free(run);
		return p->n_blocks > WHOLE_GROUPS || most > WHOLE_MEMBERS
			       ? "up to 9 groups of up to 8 switches have one"
			       : NULL;
	case LAYOUT_FULL:
	case LAYOUT_OTHER:
		break;
	}
	return "trees, grids, rings and groups have one";
}

void whole_name(const struct whole_plan *p, const struct fabric *f, uint32_t sw, struct text *t)
{
	assert(sw < f->n_switches);

	AUTO_TEXT struct text clean = {0};

	t->len = 0;
	text_add(t, "%s", "");
	affix_strip(&p->names, p->pre, p->suf, clean_string(switch_name(f, sw), &clean), t);
}

static void whole_ring(struct whole_work *k);

static void whole_grid(struct whole_work *k);

/* Computes the widths of boxes, and all places if they fit. Nothing of an earlier try remains. */
static void place_named(struct whole_work *k)
{
	static void (*const place[])(struct whole_work *) = {
		[LAYOUT_TREE] = whole_rows, [LAYOUT_GROUPS] = whole_rows, [LAYOUT_GRID] = whole_grid,
		[LAYOUT_ROW] = whole_ring,  [LAYOUT_RING] = whole_ring,	  [LAYOUT_CHAIN] = whole_ring};
	AUTO_TEXT struct text t = {0};

	assert((size_t)k->part->kind < ARRAY_LEN(place) && place[k->part->kind]);
	k->plan->undrawn = 0;
	k->plan->need_w = k->plan->need_h = 0;
	for (uint32_t i = 0; i < k->part->n; i++) {
		int name;

		whole_name(k->plan, k->f, k->switches[i], &t);
		name = canvas_columns(text_str(&t));
		k->box_w[i] = 3 + MIN(name, WHOLE_NAME);
	}
	whole_plan_find_ends(k);
	place[k->part->kind](k);
}

/* Places everything. Names lose what they share if that makes room; whole words first. */
static void whole_plan_place_all(struct whole_work *k)
{
	struct whole_plan *p = k->plan;
	AUTO_TEXT struct text clean = {0};
	size_t pre;

	for (uint32_t i = 0; i < k->part->n; i++) {
		const char *name = clean_string(switch_name(k->f, k->switches[i]), &clean);

		affix_note(&p->names, name, canvas_columns(name));
	}
	place_named(k);
	if (p->fits || p->why)
		return;
	affix_get(&p->names, &pre, &p->suf);
	if (!pre && !p->suf)
		return;
	for (p->pre = pre; p->pre && !strchr(";:/-_ ", p->names.like[p->pre - 1]); p->pre--)
		;
	place_named(k);
	if (p->fits || p->pre == pre)
		return;
	p->pre = pre;
	place_named(k);
}

struct whole_plan *whole_plan_new(const struct fabric *f, const struct layout *l, uint32_t part, int w, int h)
{
	struct whole_plan *p = NEW(struct whole_plan);
	AUTO_ARENA void *arena = ARENA_EMPTY;
	struct whole_work k = {.f = f, .l = l, .plan = p, .w = w, .h = h};

	p->same_hosts = -1;
	if (part >= l->n_parts) {
		p->why = "there are no links";
		return p;
	}
	k.part = &l->part[part];
	p->why = not_offered(l, k.part);
	if (p->why)
		return p;
	k.switches = l->order + k.part->first;
	k.at = ARENA_ARRAY(arena, l->n + 1u, uint32_t);
	memset(k.at, 0xff, (l->n + 1u) * sizeof(*k.at));
	for (uint32_t i = 0; i < k.part->n; i++)
		k.at[k.switches[i]] = i;
	k.x = ARENA_ARRAY(arena, k.part->n, int);
	k.y = ARENA_ARRAY(arena, k.part->n, int);
	k.box_w = ARENA_ARRAY(arena, k.part->n, int);
	k.first = ARENA_ARRAY(arena, k.part->n + 1u, uint32_t);
	find_bundles(&k);
	k.ends = arena_array(arena, p->n_bundles + 1u, sizeof(*k.ends));
	whole_plan_place_all(&k);
	free(k.end);
	return p;
}

void whole_plan_free(struct whole_plan *p)
{
	if (!p)
		return;
	affix_free(&p->names);
	free(p->bundle);
	free(p->box);
	free(p->label);
	free(p->line);
	free(p->note);
	free(p);
}

/* A whole small fabric with straight lines: rings and chains around the edge; grids with x to the right and y
 * up, plane beside plane. */

#define LINK 2	    /* least length of a line or stub, in columns */
#define PITCH 4	    /* rows: labels above, box, labels below, line */
#define LINK_MOST 8 /* most columns that spare room adds to a line */

/*
 * Columns to the left and right of the middle of a box, including labels and notes. Hosts are written below
 * boxes unless all have equally many.
 */
struct around {
	int left, right, cell; /* cell: both of them and a line */
	bool notes;
};

static int side_columns(const struct whole_work *k, uint32_t i, enum whole_side side)
{
	int w = whole_side_width(k, i, side);

	return w ? w + 1 : 0;
}

static void whole_grid_measure(struct whole_work *k, struct around *a)
{
	uint32_t some = k->l->hosts[k->switches[0]];
	char buf[32];

	for (uint32_t i = 1; i < k->part->n; i++)
		a->notes |= k->l->hosts[k->switches[i]] != some;
	k->plan->same_hosts = a->notes ? -1 : (int)some;
	for (uint32_t i = 0; i < k->part->n; i++) {
		int left = k->box_w[i] / 2, right = k->box_w[i] - left, w;
		int top = whole_side_width(k, i, WHOLE_TOP), bottom = whole_side_width(k, i, WHOLE_BOTTOM);

		left += side_columns(k, i, WHOLE_LEFT);
		right += side_columns(k, i, WHOLE_RIGHT);
		w = top - top / 2 + side_columns(k, i, WHOLE_ASIDE);
		right = MAX(right, w);
		w = bottom - bottom / 2;
		if (a->notes) {
			plural(k->l->hosts[k->switches[i]], "host", buf, sizeof(buf));
			w += 1 + (int)strlen(buf);
		}
		right = MAX(right, w);
		w = top > bottom ? top / 2 : bottom / 2;
		left = MAX(left, w);
		a->left = MAX(left, a->left);
		a->right = MAX(right, a->right);
	}
	a->cell = a->left + a->right + LINK;
}

/* Puts a box with all its labels around x[i], y[i]. */
static void whole_grid_put_switch(struct whole_work *k, const struct around *a, uint32_t i)
{
	int x = k->x[i], y = k->y[i], from = x - k->box_w[i] / 2, w;
	char buf[32];

	whole_put_box(k, i);
	w = side_columns(k, i, WHOLE_LEFT);
	whole_put_side(k, i, WHOLE_LEFT, from - w, y); /* a blank before the sign, which may be a digit */
	whole_put_side(k, i, WHOLE_RIGHT, from + k->box_w[i], y);
	w = whole_put_side(k, i, WHOLE_TOP, x - whole_side_width(k, i, WHOLE_TOP) / 2, y - 1);
	whole_put_side(k, i, WHOLE_ASIDE, w + 1, y - 1);
	w = whole_put_side(k, i, WHOLE_BOTTOM, x - whole_side_width(k, i, WHOLE_BOTTOM) / 2, y + 1);
	if (a->notes && k->l->hosts[k->switches[i]]) {
		plural(k->l->hosts[k->switches[i]], "host", buf, sizeof(buf));
		whole_put_note(k, w + 1, y + 1, buf);
	}
}

/* The cell (or dot) beside a label, where a line begins. */
static void whole_grid_line_end(const struct whole_plan *p, const struct whole_end *e, bool cells, int *x,
				int *y)
{
	const struct whole_label *l = &p->label[e->label];

	*x = cells ? l->x + l->w / 2 : 2 * l->x + l->w - 1;
	*y = cells ? l->y : 4 * l->y + 1;
	if (e->side == WHOLE_TOP)
		*y -= cells ? 1 : 2;
	else if (e->side == WHOLE_BOTTOM)
		*y += cells ? 1 : 3;
	else if (e->side == WHOLE_LEFT)
		*x = (cells ? 1 : 2) * l->x - 1;
	else
		*x = (cells ? 1 : 2) * (l->x + l->w);
}

/* Draws a line between both labels. If they do not face each other, it consists of dots. */
static void whole_grid_put_line(struct whole_work *k, uint32_t m)
{
	const struct whole_end *e[2] = {&k->end[k->ends[m][0]], &k->end[k->ends[m][1]]};
	struct whole_line *line = whole_put_line(k, m, WHOLE_NO_GAP);
	int x[2], y[2];

	line->cells = true;
	line->across = e[0]->side == WHOLE_LEFT || e[0]->side == WHOLE_RIGHT;
	for (int i = 0; i < 2; i++)
		whole_grid_line_end(k->plan, e[i], true, &x[i], &y[i]);
	if (x[0] != x[1] && y[0] != y[1])
		line->cells = false;
	for (int i = 0; i < 2; i++)
		whole_grid_line_end(k->plan, e[i], line->cells, &line->x[i], &line->y[i]);
	/* labels of two and three digits: their middles differ by one column */
	if (x[0] != x[1] && abs(x[0] - x[1]) <= 1 && e[0]->side <= WHOLE_BOTTOM) {
		line->cells = true;
		for (int i = 0; i < 2; i++) {
			line->x[i] = x[0];
			line->y[i] = y[i];
		}
	}
}

/* --- rings and chains -------------------------------------------------------------------------------- */

/*
 * A ring of boxes: `top` boxes above from the left, `right` down the right side, `bottom` from the right, and
 * `left` up.
 */
struct whole_grid_ring {
	int top, right, bottom, left;
};

static void ring_shape(const struct whole_work *k, int cell, struct whole_grid_ring *r)
{
	int n = (int)k->part->n, most = k->w / cell;

	if (most < 2)
		most = 2;
	*r = (struct whole_grid_ring){0};
	if (k->part->kind != LAYOUT_RING && n <= most) {
		r->top = n;
	} else if (n <= 2 * most) {
		r->top = (n + 1) / 2;
		r->bottom = n - r->top;
	} else {
		r->top = r->bottom = most;
		r->right = (n - 2 * most + 1) / 2;
		r->left = n - 2 * most - r->right;
	}
}

/* The side of box a that faces b, by the places of the smallest size. */
static enum whole_side whole_grid_facing(const struct whole_work *k, uint32_t a, uint32_t b)
{
	if (k->y[a] == k->y[b])
		return k->x[b] > k->x[a] ? WHOLE_RIGHT : WHOLE_LEFT;
	return k->y[b] > k->y[a] ? WHOLE_BOTTOM : WHOLE_TOP;
}

/* Places the middles of the boxes of a ring, `cell` columns apart, in `rows` rows. */
static void ring_boxes(struct whole_work *k, const struct whole_grid_ring *r, const struct around *a,
		       int cell, int rows)
{
	int left = a->left, right = left + (r->top - 1) * cell, last = rows - 1 - (a->notes ? 1 : 0);

	for (uint32_t n = 0; n < k->part->n; n++) {
		int i = (int)n;

		if (i < r->top) {
			k->x[n] = left + i * cell;
			k->y[n] = 0;
		} else if ((i -= r->top) < r->right) {
			k->x[n] = right;
			k->y[n] = (i + 1) * last / (r->right + 1);
		} else if ((i -= r->right) < r->bottom) {
			k->x[n] = r->bottom > 1 ? right - i * (right - left) / (r->bottom - 1)
						: (left + right) / 2;
			k->y[n] = last;
		} else {
			k->x[n] = left;
			k->y[n] = last - (i - r->bottom + 1) * last / (r->left + 1);
		}
	}
}

static int ring_rows(const struct whole_grid_ring *r, const struct around *a)
{
	int side = MAX(r->right, r->left);

	return (r->bottom ? PITCH + 1 + PITCH * side : 1) + a->notes;
}

static void whole_ring(struct whole_work *k)
{
	struct whole_plan *p = k->plan;
	struct around a = {0};
	struct whole_grid_ring r;
	int cell, rows;

	/*
	 * the sides of labels depend on the shape, and the shape on the labels' widths: start with the widest
	 */
	for (uint32_t e = 0; e < k->first[k->part->n]; e++)
		k->end[e].side = WHOLE_LEFT;
	whole_grid_measure(k, &a);
	a.cell += a.left;
	for (int turn = 0; turn < 2; turn++) {
		ring_shape(k, a.cell, &r);
		ring_boxes(k, &r, &a, a.cell, ring_rows(&r, &a));
		for (uint32_t m = 0; m < k->plan->n_bundles; m++) {
			uint32_t from = k->at[p->bundle[m].sw[0]], to = k->at[p->bundle[m].sw[1]];

			k->end[k->ends[m][0]].side = whole_grid_facing(k, from, to);
			k->end[k->ends[m][1]].side = whole_grid_facing(k, to, from);
		}
		if (!turn) {
			a = (struct around){0};
			whole_grid_measure(k, &a);
			/* the second pass may find more columns and other sides: keep room for both */
			a.left = a.right = MAX(a.left, a.right);
			a.cell = a.left + a.right + LINK;
		}
	}
	p->need_w = a.left + (r.top - 1) * a.cell + a.right;
	p->need_h = ring_rows(&r, &a);
	p->fits = p->need_w <= k->w && p->need_h <= k->h;
	if (!p->fits)
		return;
	cell = r.top > 1 ? (k->w - a.left - a.right) / (r.top - 1) : a.cell;
	if (cell > a.cell + 2 * LINK_MOST)
		cell = a.cell + 2 * LINK_MOST;
	rows = k->h < p->need_h + LINK_MOST ? k->h : p->need_h + LINK_MOST;
	if (!r.bottom)
		rows = p->need_h;
	ring_boxes(k, &r, &a, cell, rows);
	whole_order(k);
	for (uint32_t i = 0; i < k->part->n; i++)
		whole_grid_put_switch(k, &a, i);
	for (uint32_t m = 0; m < k->plan->n_bundles; m++)
		whole_grid_put_line(k, m);
}

/* --- grids -------------------------------------------------------------------------------------------- */

struct whole_grid {
	int a, b;	      /* boxes of a plane, across and up */
	int planes, across;   /* number of planes, and planes side by side */
	int plane_w, plane_h; /* with the space behind the plane */
	bool wrap_x, wrap_y;
	int title; /* a row for "z=1" */
};

/* The way in which a link is drawn. */
enum way { WAY_STRAIGHT, WAY_STUBS, WAY_NONE };

static enum way link_way(const struct whole_work *k, uint32_t bundle)
{
	const struct whole_bundle *b = &k->plan->bundle[bundle];
	struct grid_way w = grid_way(k->l, b->sw[0], b->sw[1]);

	if (!grid_beside_in_plane(&w))
		return WAY_NONE;
	return w.around ? WAY_STUBS : WAY_STRAIGHT;
}

static void grid_sides(struct whole_work *k)
{
	for (uint32_t m = 0; m < k->plan->n_bundles; m++) {
		for (unsigned i = 0; i < 2; i++) {
			const struct whole_bundle *b = &k->plan->bundle[m];
			struct whole_end *e = &k->end[k->ends[m][i]];
			struct grid_way w = grid_way(k->l, b->sw[i], b->sw[!i]);

			if (link_way(k, m) == WAY_NONE) {
				char was[sizeof(e->text)],
					axis = w.dim < 3 ? "xyz"[w.dim] : (char)('0' + w.dim);

				/* a label with its target: "z+5x2", or in a fully linked dimension "x3:5" */
				e->side = WHOLE_ASIDE;
				memcpy(was, e->text, sizeof(was));
				if (abs(w.by) == 1)
					snprintf(e->text, sizeof(e->text), "%c%c%.16s", axis,
						 w.by > 0 ? '+' : '-', was);
				else
					snprintf(e->text, sizeof(e->text), "%c%u:%.14s", axis,
						 layout_coord(k->l, b->sw[!i])[w.dim], was);
				e->width = (uint8_t)strlen(e->text);
				k->plan->undrawn += i ? 0 : b->n;
			} else if (w.dim == 0) {
				e->side = w.by > 0 ? WHOLE_RIGHT : WHOLE_LEFT;
			} else {
				e->side = w.by > 0 ? WHOLE_TOP : WHOLE_BOTTOM;
			}
		}
	}
}

/* Are all switches at different places of the grid? */
static bool all_placed(const struct whole_work *k)
{
	for (uint32_t i = 0; i < k->part->n; i++) {
		const uint16_t *c = layout_coord(k->l, k->switches[i]);

		if (c[0] == LAYOUT_BESIDE)
			return false;
		for (uint32_t j = 0; j < i; j++)
			if (!memcmp(c, layout_coord(k->l, k->switches[j]), k->part->n_dims * sizeof(*c)))
				return false;
	}
	return true;
}

/* Sizes with `cell` columns and `pitch` rows per box. */
static void grid_size(const struct whole_work *k, struct whole_grid *g, const struct around *a, int cell,
		      int pitch)
{
	const struct layout_part *p = k->part;

	g->a = p->dim[0].size;
	g->b = p->n_dims > 1 ? p->dim[1].size : 1;
	g->planes = (int)grid_planes(p);
	g->title = g->planes > 1;
	g->wrap_x = p->dim[0].kind == LAYOUT_CYCLE;
	g->wrap_y = p->n_dims > 1 && p->dim[1].kind == LAYOUT_CYCLE;
	g->plane_w = (g->a - 1) * cell + a->left + a->right + 2 * LINK * g->wrap_x + 2;
	g->plane_h = g->title + (g->b - 1) * pitch + PITCH - 1 + 2 * g->wrap_y;
	g->across = (k->w + 2) / g->plane_w;
	g->across = g->across < 1 ? 1 : MIN(g->across, g->planes);
}

static void grid_need(const struct whole_grid *g, int *w, int *h)
{
	*w = g->across * g->plane_w - 2;
	*h = (g->planes + g->across - 1) / g->across * g->plane_h;
}

/* Draws both ends of a link that wraps around the grid, each as a stub. */
static void put_stubs(struct whole_work *k, uint32_t m)
{
	for (int i = 0; i < 2; i++) {
		const struct whole_end *e = &k->end[k->ends[m][i]];
		struct whole_line *line = whole_put_line(k, m, WHOLE_NO_GAP);

		line->cells = true;
		line->across = e->side == WHOLE_LEFT || e->side == WHOLE_RIGHT;
		whole_grid_line_end(k->plan, e, true, &line->x[0], &line->y[0]);
		line->x[1] = line->x[0];
		line->y[1] = line->y[0];
		if (e->side == WHOLE_LEFT)
			line->x[1] -= LINK - 1;
		else if (e->side == WHOLE_RIGHT)
			line->x[1] += LINK - 1;
	}
}

static void whole_grid(struct whole_work *k)
{
	struct whole_plan *p = k->plan;
	struct around a = {0};
	struct whole_grid g, wider;
	int cell, pitch = PITCH, w, h;

	if (!all_placed(k)) {
		p->why = "some switches have no place of their own in the grid";
		return;
	}
	grid_sides(k);
	whole_grid_measure(k, &a);
	cell = a.cell;
	grid_size(k, &g, &a, cell, pitch);
	grid_need(&g, &p->need_w, &p->need_h);
	p->fits = p->need_w <= k->w && p->need_h <= k->h;
	if (!p->fits)
		return;
	for (int more = 1; more <= LINK_MOST; more++) { /* use spare room */
		grid_size(k, &wider, &a, a.cell + more, pitch);
		grid_need(&wider, &w, &h);
		if (w <= k->w && h <= k->h)
			cell = a.cell + more;
		grid_size(k, &wider, &a, cell, PITCH + more);
		grid_need(&wider, &w, &h);
		if (more <= 3 && w <= k->w && h <= k->h)
			pitch = PITCH + more;
	}
	grid_size(k, &g, &a, cell, pitch);
	for (uint32_t i = 0; i < k->part->n; i++) {
		const uint16_t *c = layout_coord(k->l, k->switches[i]);
		int plane = (int)grid_plane(k->part, c), up = k->part->n_dims > 1 ? c[1] : 0;

		k->x[i] = plane % g.across * g.plane_w + LINK * g.wrap_x + a.left + c[0] * cell;
		k->y[i] = plane / g.across * g.plane_h + g.title + g.wrap_y + 1 + (g.b - 1 - up) * pitch;
	}
	whole_order(k);
	for (int n = 0; n < g.planes && g.planes > 1; n++) {
		AUTO_FREE char *name = grid_plane_name(k->part, (uint32_t)n);

		whole_put_note(k, n % g.across * g.plane_w, n / g.across * g.plane_h, name);
	}
	for (uint32_t i = 0; i < k->part->n; i++)
		whole_grid_put_switch(k, &a, i);
	for (uint32_t m = 0; m < k->plan->n_bundles; m++) {
		enum way way = link_way(k, m);

		if (way == WAY_STRAIGHT)
			whole_grid_put_line(k, m);
		else if (way == WAY_STUBS)
			put_stubs(k, m);
	}
}
