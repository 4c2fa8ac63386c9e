/* The map of a whole small fabric: every link with its ports, in rows, with dependencies as arrows. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/defs.h"
#include "core/base/memory.h"
#include "views/base/canvas.h"
#include "views/map/map.h"

/* A whole small fabric in rows of boxes: the levels of a tree, or two rows of groups. Links within a row are
 * arcs in a gap beside it. */

#define GAP_LINES 3 /* least rows of lines in a gap */
#define GAP_MOST 16 /* most rows of lines in a gap */
#define ARC_LINES 2 /* least rows of arcs outside of groups .. */
#define ARC_MOST 4  /* .. and most */
#define GROUP_GAP 3 /* columns between groups */
#define DENSE 8	    /* lines across the whole width, in a gap of 10 rows */

#define ROWS 256 /* most levels */
static_assert(ROWS > UINT8_MAX, "layout_part.levels are fewer");

/* Rows of boxes. Row r is list[first[r]] to list[first[r + 1] - 1], and gap r is above it. */
struct whole_rows {
	unsigned n;
	uint32_t *list;			      /* [part->n] indexes in the part */
	uint8_t *row;			      /* [part->n] */
	uint32_t *block;		      /* [part->n] number of its group within its row; 0 in trees */
	uint32_t first[ROWS + 1];	      /* indexes in list */
	uint32_t blocks[ROWS];		      /* groups in a row; 0 in trees */
	int cell[ROWS];			      /* columns of a box with its labels and a blank */
	bool hosts[ROWS];		      /* there is a line of hosts */
	int gap[ROWS + 1];		      /* rows of lines, 0: none */
	uint8_t up[ROWS + 1], down[ROWS + 1]; /* whether a gap has labels at its upper or lower edge */
};

/* Groups go around: the first half is above from the left, the rest below from the right. */
static void rows_of_groups(struct whole_work *k, struct whole_rows *r)
{
	uint32_t half = (k->part->n_blocks + 1) / 2, n = 0;

	r->n = k->part->n_blocks > 1 ? 2 : 1;
	r->blocks[0] = half;
	r->blocks[1] = k->part->n_blocks - half;
	for (uint32_t b = 0; b < k->part->n_blocks; b++) {
		uint32_t at = b < half ? b : k->part->n_blocks - 1 - (b - half);

		for (uint32_t i = 0; i < k->part->n; i++) {
			if (k->l->block[k->switches[i]] != k->part->first_block + at)
				continue;
			r->row[i] = b >= half;
			r->block[i] = b < half ? b : b - half;
			r->list[n++] = i;
			r->first[r->row[i] + 1] = n;
		}
	}
}

/* The gap in which a bundle is drawn, WHOLE_NO_GAP: none. */
static uint8_t gap_of(const struct whole_rows *r, uint32_t a, uint32_t b)
{
	unsigned x = r->row[a], y = r->row[b];

	if (x != y)
		return abs((int)x - (int)y) > 1 ? WHOLE_NO_GAP : (uint8_t)(MAX(x, y));
	if (r->blocks[0])
		return r->block[a] != r->block[b] ? r->n > 1 : 2 * (x > 0);
	return (uint8_t)(y + 1 < r->n ? y + 1 : y);
}

static void set_sides(struct whole_work *k, struct whole_rows *r)
{
	for (uint32_t m = 0; m < k->plan->n_bundles; m++) {
		uint32_t at[2];
		uint8_t gap;

		for (unsigned i = 0; i < 2; i++)
			at[i] = k->at[k->plan->bundle[m].sw[i]];
		gap = gap_of(r, at[0], at[1]);
		if (gap == WHOLE_NO_GAP)
			k->plan->undrawn += k->plan->bundle[m].n;
		for (unsigned i = 0; i < 2 && gap != WHOLE_NO_GAP; i++) {
			bool top = r->row[at[i]] == gap;

			k->end[k->ends[m][i]].side = top ? WHOLE_TOP : WHOLE_BOTTOM;
			*(top ? &r->down[gap] : &r->up[gap]) = 1;
			if (!r->gap[gap])
				r->gap[gap] = gap && gap < r->n ? GAP_LINES : ARC_LINES;
		}
	}
}

/* Columns of the boxes of each row, and whether the row has hosts. */
static void whole_rows_measure(struct whole_work *k, struct whole_rows *r)
{
	char buf[32];

	for (uint32_t i = 0; i < k->part->n; i++) {
		int w = k->box_w[i], top = whole_side_width(k, i, WHOLE_TOP);
		int bottom = whole_side_width(k, i, WHOLE_BOTTOM), hosts = 0;

		if (k->l->hosts[k->switches[i]]) {
			plural(k->l->hosts[k->switches[i]], "host", buf, sizeof(buf));
			hosts = (int)strlen(buf);
			r->hosts[r->row[i]] = true;
		}
		w = MAX(w, top);
		w = MAX(w, bottom);
		w = 1 + MAX(w, hosts);
		if (w > r->cell[r->row[i]])
			r->cell[r->row[i]] = w;
	}
}

static void set_need(struct whole_work *k, const struct whole_rows *r)
{
	struct whole_plan *p = k->plan;

	for (unsigned i = 0; i < r->n; i++) {
		int n = (int)(r->first[i + 1] - r->first[i]), w = n * r->cell[i];

		if (r->blocks[i] > 1)
			w += GROUP_GAP * (int)(r->blocks[i] - 1);
		p->need_w = MAX(w, p->need_w);
		p->need_h += 1 + r->hosts[i] + (r->blocks[0] > 0);
	}
	for (unsigned g = 0; g <= r->n; g++)
		p->need_h += r->gap[g] + r->up[g] + r->down[g];
	p->fits = p->need_w <= k->w && p->need_h <= k->h;
}

/* Gives spare rows to the gaps. */
static void grow_gaps(const struct whole_work *k, struct whole_rows *r)
{
	int left = k->h - k->plan->need_h;

	for (bool any = true; any && left > 0;) {
		any = false;
		for (unsigned g = 0; g <= r->n && left > 0; g++) {
			int most = g && g < r->n ? GAP_MOST : ARC_MOST;

			if (r->blocks[0] && g == 1)
				most = 3 * GAP_MOST;
			if (!r->gap[g] || r->gap[g] >= most)
				continue;
			r->gap[g]++;
			left--;
			any = true;
		}
	}
}

/* The middle of each box in a row. */
static void whole_rows_spread(struct whole_work *k, const struct whole_rows *r, unsigned row)
{
	int n = (int)(r->first[row + 1] - r->first[row]), blocks = (int)r->blocks[row], between = 0, cell = 0;

	if (blocks > 1) {
		cell = (k->w - GROUP_GAP * (blocks - 1)) / n;
		if (cell > r->cell[row] + 4)
			cell = r->cell[row] + 4;
		between = (k->w - n * cell) / blocks;
	}
	for (int i = 0; i < n; i++) {
		uint32_t at = r->list[r->first[row] + (uint32_t)i];

		if (blocks > 1)
			k->x[at] = between / 2 + (int)r->block[at] * between + i * cell + cell / 2;
		else
			k->x[at] = (2 * i + 1) * k->w / (2 * n);
	}
}

/* Puts the name of each group above (or below) its boxes. */
static void name_groups(struct whole_work *k, const struct whole_rows *r, unsigned row, int y)
{
	for (uint32_t i = r->first[row]; i < r->first[row + 1];) {
		uint32_t from = i, block = k->l->block[k->switches[r->list[i]]];
		const char *name;
		int mid;

		while (i < r->first[row + 1] && k->l->block[k->switches[r->list[i]]] == block)
			i++;
		if (block == NO_ID)
			continue;
		name = k->l->block_name[block];
		mid = (k->x[r->list[from]] + k->x[r->list[i - 1]]) / 2;
		whole_put_note(k, mid - canvas_columns(name) / 2, y, name);
	}
}

/* Places all of a row, from y on. Returns the line after it. */
static int whole_rows_put_row(struct whole_work *k, const struct whole_rows *r, unsigned row, int y)
{
	char buf[32];
	int bottom;

	if (r->blocks[0] && row == 0)
		name_groups(k, r, row, y++);
	y += r->gap[row] * (row == 0);
	bottom = y + r->down[row] + 1 + r->hosts[row];
	for (uint32_t n = r->first[row]; n < r->first[row + 1]; n++) {
		uint32_t i = r->list[n];

		whole_put_side(k, i, WHOLE_TOP, k->x[i] - whole_side_width(k, i, WHOLE_TOP) / 2, y);
		k->y[i] = y + r->down[row];
		whole_put_box(k, i);
		if (k->l->hosts[k->switches[i]]) {
			plural(k->l->hosts[k->switches[i]], "host", buf, sizeof(buf));
			whole_put_note(k, k->x[i] - (int)strlen(buf) / 2, k->y[i] + 1, buf);
		}
		whole_put_side(k, i, WHOLE_BOTTOM, k->x[i] - whole_side_width(k, i, WHOLE_BOTTOM) / 2,
			       bottom);
	}
	y = bottom + r->up[row + 1] + r->gap[row + 1];
	if (r->blocks[0] && row > 0)
		name_groups(k, r, row, y);
	return y;
}

/* Draws a line from label to label. Within a row it has a third point, which is deeper for a longer line. */
static void put_bundle(struct whole_work *k, const struct whole_rows *r, uint32_t m, uint8_t gap)
{
	const struct whole_end *e[2] = {&k->end[k->ends[m][0]], &k->end[k->ends[m][1]]};
	struct whole_line *line = whole_put_line(k, m, gap);
	int depth, span, dots = 4 * r->gap[gap];

	for (int i = 0; i < 2; i++) {
		int at = 2 * i; /* the middle point of an arc is between them */

		line->x[at] = whole_label_dot(k->plan, e[i]);
		line->y[at] = 4 * k->plan->label[e[i]->label].y + (e[i]->side == WHOLE_TOP ? -1 : 4);
	}
	if (e[0]->side != e[1]->side) {
		line->x[1] = line->x[2];
		line->y[1] = line->y[2];
		return;
	}
	span = abs(line->x[0] - line->x[2]);
	depth = dots / 3 + (2 * dots / 3 - 1) * span / (2 * k->w);
	line->n = 3;
	line->x[1] = (line->x[0] + line->x[2]) / 2;
	line->y[1] = line->y[0] + (e[0]->side == WHOLE_TOP ? -depth : depth);
}

static void whole_rows_put_lines(struct whole_work *k, const struct whole_rows *r)
{
	int sum[ROWS + 1] = {0};

	for (uint32_t m = 0; m < k->plan->n_bundles; m++) {
		uint8_t gap;
		int d;

		if (k->end[k->ends[m][0]].side == WHOLE_NOWHERE)
			continue;
		gap = gap_of(r, k->at[k->plan->bundle[m].sw[0]], k->at[k->plan->bundle[m].sw[1]]);
		put_bundle(k, r, m, gap);
		d = whole_label_dot(k->plan, &k->end[k->ends[m][0]]) -
		    whole_label_dot(k->plan, &k->end[k->ends[m][1]]);
		sum[gap] += (d < 0 ? -d : d) / 2;
	}
	for (unsigned g = 0; g <= r->n; g++)
		k->plan->dense[g] = sum[g] > DENSE * k->w * MAX(r->gap[g], 10) / 10;
}

void whole_rows(struct whole_work *k)
{
	AUTO_ARENA void *arena = ARENA_EMPTY;
	struct whole_rows r = {0};
	int y = 0;

	r.list = ARENA_ARRAY(arena, k->part->n, uint32_t);
	r.row = ARENA_ARRAY(arena, k->part->n, uint8_t);
	r.block = ARENA_ARRAY(arena, k->part->n, uint32_t);
	if (k->part->kind == LAYOUT_TREE) {
		r.n = k->part->levels;
		for (uint32_t i = 0; i < k->part->n; i++) {
			r.row[i] = k->l->level[k->switches[i]];
			r.first[r.row[i] + 1]++;
			r.list[i] = i;
		}
		for (unsigned i = 0; i < r.n; i++)
			r.first[i + 1] += r.first[i];
	} else {
		rows_of_groups(k, &r);
	}
	set_sides(k, &r);
	whole_rows_measure(k, &r);
	set_need(k, &r);
	if (r.first[r.n] != k->part->n) {
		k->plan->why = "some switches are in no group";
		k->plan->need_w = k->plan->need_h = 0;
		k->plan->fits = false;
	}
	if (k->plan->fits) {
		grow_gaps(k, &r);
		for (unsigned i = 0; i < r.n; i++)
			whole_rows_spread(k, &r, i);
		whole_order(k);
		for (unsigned i = 0; i < r.n; i++)
			y = whole_rows_put_row(k, &r, i, y);
		whole_rows_put_lines(k, &r);
	}
}

/* The overlay of dependencies in the scale `whole`: as `export svg FILE dependencies` draws them, in dots.
 * Switches stand where the drawing has them, channels run beside their cables, arrows lead through switches
 * from a channel to those that it waits for. */

#define AROUND 46.0f /* points around the boxes, for cables that go round */
#define PIECES 8     /* of a curve */

struct dots {
	struct canvas *c;
	const struct picture *pic;
	const struct fabric *f;
	float x0, y0, sx, sy; /* origin in points; dots of a point */
};

static void to_dot(const struct dots *d, const float at[2], int dot[2])
{
	dot[0] = (int)((at[0] - d->x0) * d->sx);
	dot[1] = (int)((at[1] - d->y0) * d->sy);
}

static void whole_turns_put_piece(const struct dots *d, const float from[2], const float to[2],
				  enum canvas_role role)
{
	int p[2], q[2];

	to_dot(d, from, p);
	to_dot(d, to, q);
	canvas_line(d->c, p[0], p[1], q[0], q[1], role);
}

static void whole_turns_put_lane(const struct dots *d, uint32_t port)
{
	float from[2], to[2], step = (PICTURE_LANE_TO - PICTURE_LANE_FROM) / PIECES;
	uint32_t a, b;

	if (!picture_channel_ends(d->f, port, &a, &b))
		return;
	for (int k = 0; k < PIECES; k++) {
		picture_lane(d->pic, a, b, PICTURE_LANE_FROM + step * (float)k, from);
		picture_lane(d->pic, a, b, PICTURE_LANE_FROM + step * (float)(k + 1), to);
		whole_turns_put_piece(d, from, to, CANVAS_PATH);
	}
}

/* An arrow through a switch; one that is missing is dotted. */
static void whole_turns_put_turn(const struct dots *d, const struct picture_turn *t)
{
	static const uint32_t heads[] = {0x2192, 0x2193, 0x2190, 0x2191}; /* → ↓ ← ↑ */
	static const uint8_t roles[] = {[PICTURE_TURN] = CANVAS_PLAIN,
					[PICTURE_TURN_ON_CYCLE] = CANVAS_CYCLE,
					[PICTURE_TURN_MISSING] = CANVAS_DIM};
	enum canvas_role role = (enum canvas_role)roles[t->kind];
	float p[2], q[2], mid[2], was[2], at[2];
	const struct picture_rect *r;
	uint32_t a, b, c, same;
	int dot[2];
	bool upright;

	if (!picture_channel_ends(d->f, t->from, &a, &b) || !picture_channel_ends(d->f, t->to, &same, &c) ||
	    same != b)
		return;
	r = &d->pic->box[b];
	mid[0] = r->x + r->w / 2;
	mid[1] = r->y + r->h / 2;
	picture_lane(d->pic, a, b, PICTURE_LANE_TO, p);
	picture_lane(d->pic, b, c, PICTURE_LANE_FROM, q);
	for (int k = 0; k <= 2 * PIECES; k++) {
		float u = (float)k / (2 * PIECES), v = 1 - u;

		for (int i = 0; i < 2; i++)
			at[i] = v * v * p[i] + 2 * u * v * mid[i] + u * u * q[i];
		if (k && (t->kind != PICTURE_TURN_MISSING || k % 3 == 1))
			whole_turns_put_piece(d, was, at, role);
		was[0] = at[0];
		was[1] = at[1];
	}
	to_dot(d, q, dot);
	at[0] = (q[0] - mid[0]) * d->sx;
	at[1] = (q[1] - mid[1]) * d->sy;
	/* the direction in which it goes farther */
	upright = fabsf(at[1]) > fabsf(at[0]);
	canvas_put(d->c, dot[0] / 2, dot[1] / 4, heads[2 * (at[upright] < 0) + upright], role);
}

static struct whole_box *whole_turns(struct view *v, struct canvas *c, uint32_t part,
				     const struct whole_plan *plan)
{
	static const unsigned order[] = {PICTURE_TURN_MISSING, PICTURE_TURN, PICTURE_TURN_ON_CYCLE};
	const struct map *m = map_of(v);
	struct svg_page page = {
		.wide = 2 * (unsigned)c->w, .high = 4 * (unsigned)c->h, .letter = 1, .untitled = true};
	struct picture *pic = picture_new(v->scene->fabric, m->layout, &page);
	const struct picture_rect *r = &pic->part[part];
	struct dots d = {c, pic, v->scene->fabric, r->x - AROUND, r->y - AROUND, 0, 0};
	struct whole_box *box = mem_dup(plan->box, plan->n_boxes * sizeof(*box));

	d.sx = 2 * (float)c->w / (r->w + 2 * AROUND);
	d.sy = 4 * (float)(c->h - 1) / (r->h + 2 * AROUND);
	for (uint32_t i = 0; i < plan->n_boxes; i++) {
		const struct picture_rect *b = &pic->box[box[i].sw];
		int dot[2];

		to_dot(&d, (float[]){b->x + b->w / 2, b->y + b->h / 2}, dot);
		box[i].x = dot[0] / 2 - box[i].w / 2;
		box[i].x = box[i].x + box[i].w > c->w ? c->w - box[i].w : MAX(box[i].x, 0);
		box[i].y = dot[1] / 4;
	}
	for (uint32_t port = 0; port < v->scene->fabric->n_ports; port++)
		if (m->channel[port] & MAP_ON_LAYER)
			whole_turns_put_lane(&d, port);
	for (size_t k = 0; k < ARRAY_LEN(order); k++)
		for (size_t i = 0; i < m->n_turns; i++)
			if (m->turn[i].kind == order[k])
				whole_turns_put_turn(&d, &m->turn[i]);
	picture_free(pic);
	return box;
}

/* The map of a whole small fabric: every link, with port numbers at both ends. */

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
	AUTO_TEXT struct text name = {0};

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
	assert(i + 1 < l->n);

	int x0 = l->x[i], y0 = l->y[i], x1 = l->x[i + 1], y1 = l->y[i + 1];
	int dx = x1 - x0, dy = y1 - y0, ax = abs(dx), ay = abs(dy);
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
		canvas_textf(c, x, y, CANVAS_BAD, "%ux", look->down);
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
	AUTO_TEXT struct text t = {0};

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
}

static void whole_draw(struct view *v, struct canvas *c)
{
	const struct whole_own *o = plan_for(v, c->w, c->h);
	AUTO_TEXT struct text why = {0};
	uint32_t left_out;

	if (!o)
		return;
	if (!o->plan->fits) {
		whole_offered(v, c->w, c->h, &why);
		canvas_textf(c, 0, 0, CANVAS_LABEL, "whole is not offered: %s", text_str(&why));
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
