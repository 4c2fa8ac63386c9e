/* Places on a page. */
#include "core/analysis/draw/picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/draw/svg.h"
#include "core/base/memory.h"
#include "core/base/order.h"

#define MARGIN 40.0f
#define BOTTOM 50.0f	   /* legend */
#define LEAST_WIDTH 860.0f /* the legend */
#define NAME_ROOM 16.0f
#define NAME_HIGH 22.0f
#define WIDEST_NAMED 2025.0f
#define WIDEST 1575.0f
#define SMALL_WIDE 14.0f
#define SMALL_HIGH 10.0f
#define BESIDE 8.0f /* between boxes */
#define FRAME 10.0f /* of a block around its boxes */
#define FRAME_NAME 14.0f
#define BETWEEN_FRAMES 16.0f
#define MANY_FRAMES 12 /* from here on they stand closer */
#define CLOSE_FRAME 3.0f
#define CLOSE_BETWEEN 4.0f
#define CLOSE_BESIDE 4.0f
#define BETWEEN_PARTS 40.0f
#define GRID_GAP 34.0f
#define CLIQUE_GAP 14.0f
#define LEVELS_APART 34.0f /* in a group */
#define MOST_NAMED_GRID 400
#define PLANE_LEFT 14.0f /* of a frame around the boxes of a plane */
#define PLANE_RIGHT 34.0f
#define PLANE_TOP 44.0f
#define PLANE_BOTTOM 32.0f
#define PLANE_BETWEEN 20.0f /* more between planes one below the other */
#define AXIS_BELOW 26.0f
#define AXIS_LEFT 16.0f
#define MOST_CIRCLE 80
#define MOST_ELLIPSE 24

struct placing {
	struct picture *pic;
	const struct fabric *f;
	const struct layout *l;
	const struct layout_part *is;
	const uint32_t *sw; /* switches of the part */
	uint32_t n;
	float w, h;   /* of a box */
	float beside; /* between boxes of a level */
};

/* Of a division without its rest. */
static float whole(uint32_t n)
{
	return (float)n;
}

static void put(struct placing *g, uint32_t sw, float x, float y)
{
	g->pic->box[sw] = (struct picture_rect){x, y, g->w, g->h};
}

static float name_width(const struct fabric *f, const uint32_t *sw, uint32_t n)
{
	size_t longest = 1;

	for (uint32_t i = 0; i < n; i++) {
		size_t len = svg_columns(switch_name(f, sw[i]));

		longest = len > longest ? len : longest;
	}
	return (float)longest * SVG_LETTER + NAME_ROOM;
}

/* Boxes hold names, or are small. */
static void set_size(struct placing *g, bool named, uint32_t part)
{
	g->pic->named[part] = named;
	g->w = named ? name_width(g->f, g->sw, g->n) : SMALL_WIDE;
	g->h = named ? NAME_HIGH : SMALL_HIGH;
	g->beside = named ? BESIDE : CLOSE_BESIDE;
}

/* Rows from left to right, as wide as the page allows. */
static void place_rows(struct placing *g)
{
	float gap = g->w > SMALL_WIDE ? GRID_GAP : BESIDE;
	uint32_t across = (uint32_t)(WIDEST / (g->w + gap));

	across = across ? across : 1;
	for (uint32_t i = 0; i < g->n; i++) {
		uint32_t row = i / across, at = i % across;

		/* a chain turns back, so that neighbours stay side by side */
		if (g->is && g->is->kind == LAYOUT_CHAIN && row % 2)
			at = across - 1 - at;
		put(g, g->sw[i], (float)at * (g->w + gap), (float)row * (g->h + gap));
	}
}

/* --- circles --- */

#define SWAP_ROUNDS 20

/* Places around a circle of n; of switch ids. */
struct circling {
	const struct placing *g;
	uint32_t *order; /* [n] */
	uint32_t *at;	 /* [switches of the fabric] NO_ID: not placed yet */
};

/* Links to those that are placed. */
static uint32_t links_placed(const struct circling *c, uint32_t sw)
{
	const struct layout *l = c->g->l;
	uint32_t n = 0;

	for (uint32_t i = l->first[sw]; i < l->first[sw + 1]; i++)
		n += c->at[l->to[i]] != NO_ID;
	return n;
}

static bool has_link(const struct layout *l, uint32_t a, uint32_t b)
{
	for (uint32_t i = l->first[a]; i < l->first[a + 1]; i++)
		if (l->to[i] == b)
			return true;
	return false;
}

/* Who follows `last`: of its neighbours, if any is left, the one with most links to those placed. */
static uint32_t next_around(const struct circling *c, uint32_t last)
{
	uint32_t best = NO_ID, most = 0;

	for (uint32_t i = 0; i < c->g->n; i++) {
		uint32_t sw = c->g->sw[i], n;

		if (c->at[sw] != NO_ID)
			continue;
		n = links_placed(c, sw) + (has_link(c->g->l, last, sw) ? c->g->n : 0);
		if (best == NO_ID || n > most) {
			best = sw;
			most = n;
		}
	}
	return best;
}

/* Lengths of the chords of a switch were it at `at`. */
static float chords(const struct circling *c, uint32_t sw, uint32_t at)
{
	const struct layout *l = c->g->l;
	float sum = 0;

	for (uint32_t i = l->first[sw]; i < l->first[sw + 1]; i++)
		sum += fabsf(sinf((float)M_PI * ((float)c->at[l->to[i]] - (float)at) / (float)c->g->n));
	return sum;
}

static bool swap_if_shorter(struct circling *c, uint32_t i, uint32_t k)
{
	uint32_t a = c->order[i], b = c->order[k];
	float before = chords(c, a, i) + chords(c, b, k), after;

	c->at[a] = k;
	c->at[b] = i;
	after = chords(c, a, k) + chords(c, b, i);
	if (after < before - 1e-4f) {
		c->order[i] = b;
		c->order[k] = a;
		return true;
	}
	c->at[a] = i;
	c->at[b] = k;
	return false;
}

/* From the lowest name to whoever is linked best, then by swaps while chords get shorter; [n], to be freed.
 */
static uint32_t *circle_order(const struct placing *g)
{
	static const uint32_t far[] = {1, 2, 3, 5, 8};
	struct circling c = {g, NEW_ARRAY(g->n + 1, uint32_t), NEW_ARRAY(g->l->n + 1, uint32_t)};
	bool changed = true;

	memset(c.at, 0xff, g->l->n * sizeof(*c.at));
	for (uint32_t i = 0; i < g->n; i++) {
		c.order[i] = i ? next_around(&c, c.order[i - 1]) : g->sw[0];
		c.at[c.order[i]] = i;
	}
	for (unsigned round = 0; round < SWAP_ROUNDS && changed; round++) {
		changed = false;
		for (uint32_t i = 0; i < g->n; i++)
			for (size_t k = 0; k < ARRAY_LEN(far); k++)
				changed |= g->n > far[k] && swap_if_shorter(&c, i, (i + far[k]) % g->n);
	}
	free(c.at);
	return c.order;
}

/* Around a circle, the first on top, clockwise: neighbours are a diagonal apart, so no two meet. */
static void place_circle(struct placing *g)
{
	float step = hypotf(g->w, g->h) + 6, radius = (float)g->n * step / (2 * (float)M_PI);
	uint32_t *order;

	/* the chord is shorter than the arc */
	if (g->n > 2)
		radius = fmaxf(radius, step / (2 * sinf((float)M_PI / (float)g->n)));
	radius = fmaxf(radius, 150);
	order = g->is->kind == LAYOUT_OTHER ? circle_order(g) : NULL;
	for (uint32_t i = 0; i < g->n; i++) {
		float turn = 2 * (float)M_PI * (float)i / (float)g->n;

		put(g, order ? order[i] : g->sw[i], radius + radius * sinf(turn),
		    radius - radius * cosf(turn));
	}
	free(order);
}

struct by_x {
	float x, y;
	uint32_t at, sw;
};

COMPARATOR(x_order, struct by_x, UP(x) UP(at))

COMPARATOR(y_order, struct by_x, UP(y) UP(at))

/* Columns of equal numbers by x, within each by y. */
static void place_columns(struct placing *g)
{
	struct by_x *k = NEW_ARRAY(g->n + 1, struct by_x);
	uint32_t columns = (uint32_t)ceil(sqrt(1.6 * g->n * (g->h + GRID_GAP) / (g->w + GRID_GAP)));
	uint32_t rows = (g->n + columns - 1) / columns;

	for (uint32_t i = 0; i < g->n; i++)
		k[i] = (struct by_x){g->l->x[g->sw[i]], g->l->y[g->sw[i]], i, g->sw[i]};
	qsort(k, g->n, sizeof(*k), x_order);
	for (uint32_t c = 0, i = 0; i < g->n; c++, i += rows) {
		uint32_t here = g->n - i < rows ? g->n - i : rows;

		qsort(k + i, here, sizeof(*k), y_order);
		for (uint32_t r = 0; r < here; r++)
			put(g, k[i + r].sw, (float)c * (g->w + GRID_GAP), (float)r * (g->h + GRID_GAP));
	}
	free(k);
}

/* --- grids --- */

/* Which plane of a grid, counting through the dimensions behind the second. */
static uint32_t plane_of(const struct layout_part *is, const uint16_t *c)
{
	uint32_t plane = 0;

	for (unsigned d = is->n_dims; d-- > 2;)
		plane = plane * is->dim[d].size + c[d];
	return plane;
}

static uint32_t count_planes(const struct layout_part *is)
{
	uint32_t planes = 1;

	for (unsigned d = 2; d < is->n_dims; d++)
		planes *= is->dim[d].size;
	return planes;
}

/* x to the right, y up, planes of the further dimensions side by side. */
static void place_grid(struct placing *g, uint32_t part)
{
	uint32_t nx = g->is->dim[0].size, ny = g->is->n_dims > 1 ? g->is->dim[1].size : 1;
	uint32_t planes = count_planes(g->is), beside = 0;
	bool clique = false;
	float gap, wide, high, named;
	uint32_t across;

	for (unsigned d = 0; d < g->is->n_dims; d++)
		clique |= g->is->dim[d].kind == LAYOUT_CLIQUE;
	gap = GRID_GAP + (clique ? CLIQUE_GAP : 0);
	named = (float)(nx * planes) * (name_width(g->f, g->sw, g->n) + gap);
	set_size(g, g->n <= MOST_NAMED_GRID && named <= 2 * WIDEST, part);
	wide = (float)nx * (g->w + gap) + gap;
	high = (float)ny * (g->h + gap) + gap + PLANE_BETWEEN;
	across = wide * (float)planes <= WIDEST ? planes : (uint32_t)(WIDEST / wide);
	across = across ? across : 1;
	for (uint32_t i = 0; i < g->n; i++) {
		const uint16_t *c = layout_coord(g->l, g->sw[i]);
		uint32_t plane = *c == LAYOUT_BESIDE ? 0 : plane_of(g->is, c);

		if (*c == LAYOUT_BESIDE) {
			put(g, g->sw[i], (float)beside++ * (g->w + gap),
			    whole((planes + across - 1) / across) * high);
			continue;
		}
		put(g, g->sw[i], (float)(plane % across) * wide + (float)c[0] * (g->w + gap),
		    whole(plane / across) * high +
			    (float)(ny - 1 - (g->is->n_dims > 1 ? c[1] : 0)) * (g->h + gap));
	}
}

/* --- groups --- */

struct group {
	uint32_t first, n;
	float w, h, x, y; /* x, y: middle */
};

static bool groups_meet(const struct group *g, uint32_t n)
{
	for (uint32_t a = 0; a < n; a++)
		for (uint32_t b = 0; b < a; b++)
			if (fabsf(g[a].x - g[b].x) < (g[a].w + g[b].w) / 2 + FRAME &&
			    fabsf(g[a].y - g[b].y) < (g[a].h + g[b].h) / 2 + FRAME)
				return true;
	return false;
}

/* On an ellipse as large as they need, the first on top; many in rows. */
static void place_groups_at(struct group *g, uint32_t n)
{
	uint32_t across = (uint32_t)ceil(sqrt(n));
	float radius = 100;

	do {
		for (uint32_t k = 0; k < n; k++) {
			float turn = 2 * (float)M_PI * (float)k / (float)n;

			g[k].x = 1.15f * radius * sinf(turn);
			g[k].y = -radius * cosf(turn);
		}
		radius += 12;
	} while (n <= MOST_ELLIPSE && groups_meet(g, n));
	if (n <= MOST_ELLIPSE)
		return;
	for (uint32_t k = 0; k < n; k++) {
		g[k].x = (float)(k % across) * (g[0].w + 4 * FRAME);
		g[k].y = whole(k / across) * (g[0].h + 4 * FRAME);
	}
}

/* Rows of members: of a dragonfly+ one for each level, else as square as that goes. */
struct group_shape {
	uint32_t columns, rows, levels;
};

static struct group_shape shape_of_groups(const struct placing *g, const struct group *group, uint32_t n)
{
	struct group_shape s = {.levels = g->is->levels};
	uint32_t most = 0;

	for (uint32_t k = 0; k < n; k++) {
		uint32_t count[UINT8_MAX + 1] = {0};

		most = group[k].n > most ? group[k].n : most;
		for (uint32_t i = 0; i < group[k].n && s.levels > 1; i++) {
			uint32_t c = ++count[g->l->level[g->sw[group[k].first + i]]];

			s.columns = c > s.columns ? c : s.columns;
		}
	}
	if (s.levels > 1) {
		s.rows = s.levels;
		return s;
	}
	s.columns = most <= 4 ? most : (uint32_t)ceil(sqrt(most));
	s.rows = (most + s.columns - 1) / s.columns;
	return s;
}

static void place_members(struct placing *g, const struct group *group, const struct group_shape *s)
{
	float between = s->levels > 1 ? LEVELS_APART : 2 * BESIDE;
	uint32_t at[UINT8_MAX + 1] = {0};

	for (uint32_t i = 0; i < group->n; i++) {
		uint32_t sw = g->sw[group->first + i], row = s->levels > 1 ? g->l->level[sw] : i / s->columns;

		put(g, sw, group->x - group->w / 2 + FRAME + (float)at[row]++ * (g->w + BESIDE),
		    group->y - group->h / 2 + FRAME + FRAME_NAME + (float)row * (g->h + between));
	}
}

static void place_groups(struct placing *g)
{
	struct group *group = NEW_ARRAY(g->n + 1, struct group);
	struct group_shape s;
	uint32_t n = 0;
	float between;

	for (uint32_t i = 0; i < g->n; i++) {
		if (!i || g->l->block[g->sw[i]] != g->l->block[g->sw[i - 1]])
			group[n++].first = i;
		group[n - 1].n++;
	}
	s = shape_of_groups(g, group, n);
	between = s.levels > 1 ? LEVELS_APART : 2 * BESIDE;
	for (uint32_t k = 0; k < n; k++) {
		group[k].w = (float)s.columns * (g->w + BESIDE) + 2 * FRAME;
		group[k].h = (float)s.rows * (g->h + between) + 2 * FRAME + FRAME_NAME;
	}
	place_groups_at(group, n);
	for (uint32_t k = 0; k < n; k++)
		place_members(g, &group[k], &s);
	free(group);
}

/* --- trees: a column for each block, one more for what is in none at a level with blocks --- */

struct tree {
	unsigned levels;
	uint32_t columns;    /* blocks and one */
	uint32_t *count;     /* [levels * columns] */
	uint8_t *free_level; /* [levels] no blocks: as wide as it likes */
	uint32_t *rows;	     /* [levels] */
	uint32_t *most;	     /* [levels] switches in a column */
	float *wide;	     /* [columns] */
	float *left;	     /* [columns] */
	float page;
};

static uint32_t tree_column(const struct placing *g, const struct tree *t, uint32_t sw)
{
	return g->l->block[sw] == NO_ID ? t->columns - 1 : g->l->block[sw] - g->is->first_block;
}

static float row_width(const struct placing *g, const struct tree *t, unsigned lev, uint32_t column)
{
	uint32_t n = t->count[lev * t->columns + column];

	return whole((n + t->rows[lev] - 1) / t->rows[lev]) * (g->w + g->beside);
}

/* Widths of columns with so many rows; the widest level that more rows make narrower, `levels` = none. */
static unsigned tree_widths(const struct placing *g, struct tree *t)
{
	float most = -1, level_wide, apart;
	unsigned asks = t->levels;

	apart = g->is->n_blocks > MANY_FRAMES ? CLOSE_BETWEEN + 2 * CLOSE_FRAME : BETWEEN_FRAMES + 2 * FRAME;
	memset(t->wide, 0, t->columns * sizeof(*t->wide));
	t->page = 0;
	for (unsigned lev = 0; lev < t->levels; lev++) {
		level_wide = 0;
		for (uint32_t c = 0; c < t->columns; c++) {
			float w = row_width(g, t, lev, c);

			level_wide += w;
			if (!t->free_level[lev])
				t->wide[c] = fmaxf(t->wide[c], w);
		}
		if (t->free_level[lev])
			t->page = fmaxf(t->page, level_wide);
		if (level_wide > most && t->rows[lev] < t->most[lev]) {
			most = level_wide;
			asks = lev;
		}
	}
	level_wide = 0;
	for (uint32_t c = 0; c < t->columns; c++) {
		t->left[c] = level_wide;
		level_wide += t->wide[c] > 0 ? t->wide[c] + apart : 0;
	}
	t->page = fmaxf(t->page, level_wide - apart);
	return asks;
}

static float gap_below(const struct placing *g, unsigned lev)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < g->n; i++)
		for (uint32_t k = g->l->first[g->sw[i]]; k < g->l->first[g->sw[i] + 1]; k++)
			n += g->l->level[g->sw[i]] == lev && g->l->level[g->l->to[k]] == lev + 1;
	return fminf(fmaxf(60 + 1.2f * (float)n, 90), 220);
}

/* Switches of a level from `i` on, down from y; the first of the next level. */
static uint32_t place_level(struct placing *g, struct tree *t, unsigned lev, uint32_t i, float y)
{
	uint32_t *at = NEW_ARRAY(t->columns + 1, uint32_t);
	float left = (t->page - row_width(g, t, lev, t->columns - 1)) / 2;

	for (; i < g->n && g->l->level[g->sw[i]] == lev; i++) {
		uint32_t c = tree_column(g, t, g->sw[i]), n = t->count[lev * t->columns + c];
		uint32_t across = (n + t->rows[lev] - 1) / t->rows[lev], row = at[c] / across;
		uint32_t here = n - row * across < across ? n - row * across : across;
		float x = (float)(at[c] % across) * (g->w + g->beside);
		float room = t->free_level[lev] ? (float)across * (g->w + g->beside) : t->wide[c];

		x += (room - (float)here * (g->w + g->beside)) / 2; /* in the middle */
		put(g, g->sw[i], (t->free_level[lev] ? left : t->left[c]) + x,
		    y + (float)row * (g->h + g->beside));
		at[c]++;
	}
	free(at);
	return i;
}

static void tree_make(struct placing *g, struct tree *t)
{
	t->levels = g->is->levels;
	t->columns = g->is->n_blocks + 1;
	t->count = NEW_ARRAY((size_t)t->levels * t->columns, uint32_t);
	t->free_level = NEW_ARRAY(t->levels, uint8_t);
	t->rows = NEW_ARRAY(t->levels, uint32_t);
	t->most = NEW_ARRAY(t->levels, uint32_t);
	t->wide = NEW_ARRAY(t->columns, float);
	t->left = NEW_ARRAY(t->columns, float);
	memset(t->free_level, 1, t->levels);
	for (uint32_t i = 0; i < g->n; i++) {
		unsigned lev = g->l->level[g->sw[i]];

		t->count[lev * t->columns + tree_column(g, t, g->sw[i])]++;
		if (g->l->block[g->sw[i]] != NO_ID)
			t->free_level[lev] = 0;
		if (t->count[lev * t->columns + tree_column(g, t, g->sw[i])] > t->most[lev])
			t->most[lev]++;
	}
	for (unsigned lev = 0; lev < t->levels; lev++)
		t->rows[lev] = 1;
}

static void place_tree(struct placing *g, uint32_t part)
{
	struct tree t;
	uint32_t i = 0, more;
	float y = 0;

	set_size(g, true, part);
	tree_make(g, &t);
	tree_widths(g, &t);
	if (t.page > WIDEST_NAMED)
		set_size(g, false, part);
	for (more = 0; more <= g->n; more++) {
		unsigned asks = tree_widths(g, &t);

		if (asks == t.levels || t.page <= (g->pic->named[part] ? WIDEST_NAMED : WIDEST))
			break;
		t.rows[asks]++;
	}
	for (unsigned lev = 0; lev < t.levels; lev++) {
		i = place_level(g, &t, lev, i, y);
		y += (float)t.rows[lev] * (g->h + g->beside) + gap_below(g, lev);
	}
	free(t.count);
	free(t.free_level);
	free(t.rows);
	free(t.most);
	free(t.wide);
	free(t.left);
}

/* --- the page --- */

static void place_part(struct placing *g, uint32_t part)
{
	enum layout_kind kind = g->is ? g->is->kind : LAYOUT_ROW;

	set_size(g, g->n <= (kind == LAYOUT_GROUPS ? 160 : kind == LAYOUT_RING ? 150 : MOST_CIRCLE), part);
	if (kind == LAYOUT_TREE)
		place_tree(g, part);
	else if (kind == LAYOUT_GRID)
		place_grid(g, part);
	else if (kind == LAYOUT_GROUPS)
		place_groups(g);
	else if (kind == LAYOUT_RING || kind == LAYOUT_FULL || (kind == LAYOUT_OTHER && g->n <= MOST_CIRCLE))
		place_circle(g);
	else if (kind == LAYOUT_OTHER)
		place_columns(g);
	else
		place_rows(g);
}

static struct picture_rect around(const struct picture *p, const uint32_t *sw, uint32_t n)
{
	float x0 = INFINITY, y0 = INFINITY, x1 = -INFINITY, y1 = -INFINITY;

	for (uint32_t i = 0; i < n; i++) {
		const struct picture_rect *b = &p->box[sw[i]];

		x0 = fminf(x0, b->x);
		y0 = fminf(y0, b->y);
		x1 = fmaxf(x1, b->x + b->w);
		y1 = fmaxf(y1, b->y + b->h);
	}
	return (struct picture_rect){x0, y0, x1 - x0, y1 - y0};
}

/* Move a part to its place on the page; y of the next one. */
static float settle_part(struct placing *g, struct picture_rect *to, float y)
{
	struct picture_rect r = around(g->pic, g->sw, g->n);
	/* room for lines that go round, for frames, and for numbers of hosts */
	float dx = MARGIN + 2 * FRAME - r.x, dy = y + MARGIN - r.y;

	for (uint32_t i = 0; i < g->n; i++) {
		g->pic->box[g->sw[i]].x += dx;
		g->pic->box[g->sw[i]].y += dy;
	}
	*to = (struct picture_rect){r.x + dx, r.y + dy, r.w, r.h};
	g->pic->width = fmaxf(g->pic->width, to->x + to->w + MARGIN + 2 * FRAME);
	return to->y + to->h + BETWEEN_PARTS;
}

/* To the middle of the page, which is as wide as it will be. */
static void centre(struct picture *p, const uint32_t *sw, uint32_t n, struct picture_rect *at)
{
	float dx = (p->width - at->w) / 2 - at->x;

	for (uint32_t i = 0; i < n; i++)
		p->box[sw[i]].x += dx;
	at->x += dx;
}

static bool rects_meet(const struct picture_rect *a, const struct picture_rect *b)
{
	return a->x < b->x + b->w && b->x < a->x + a->w && a->y < b->y + b->h && b->y < a->y + a->h;
}

/* Frames of blocks; not where others would stand in one. */
static void make_frames(struct picture *p)
{
	const struct layout *l = p->layout;
	uint32_t *sw = NEW_ARRAY(l->n + 1, uint32_t);
	float m = l->n_blocks > MANY_FRAMES ? CLOSE_FRAME : FRAME;

	for (uint32_t b = 0; b < l->n_blocks; b++) {
		struct picture_rect r;
		uint32_t n = 0;
		bool clear = true;

		for (uint32_t i = 0; i < l->n; i++)
			if (l->block[l->order[i]] == b)
				sw[n++] = l->order[i];
		r = around(p, sw, n);
		r = (struct picture_rect){r.x - m, r.y - m - FRAME_NAME, r.w + 2 * m,
					  r.h + 2 * m + FRAME_NAME};
		for (uint32_t s = 0; s < l->n && clear; s++)
			clear = l->block[s] == b || !rects_meet(&p->box[s], &r);
		p->block[b] = clear ? r : (struct picture_rect){0};
	}
	free(sw);
}

/* --- what stands beside the boxes --- */

static void add_label(struct picture *p, float x, float y, const char *words)
{
	struct picture_label *l;

	GROW(p->label, p->n_labels, p->cap_labels);
	l = &p->label[p->n_labels++];
	*l = (struct picture_label){.x = x, .y = y};
	snprintf(l->words, sizeof(l->words), "%s", words);
}

/* Numbers of levels, left of all. */
static void label_levels(struct picture *p, const struct layout_part *is, const struct picture_rect *part)
{
	const struct layout *l = p->layout;
	const uint32_t *sw = l->order + is->first;

	for (uint32_t i = 0, n; i < is->n; i += n) {
		unsigned lev = l->level[sw[i]];
		struct picture_rect r;
		char words[16];

		for (n = 1; i + n < is->n && l->level[sw[i + n]] == lev;)
			n++;
		r = around(p, sw + i, n);
		snprintf(words, sizeof(words), "%u", lev);
		add_label(p, part->x - MARGIN, r.y + r.h / 2 + 4, words);
	}
}

static void add_plane(struct picture *p, const struct layout_part *is, const uint16_t *c,
		      struct picture_rect r)
{
	struct picture_plane *k;
	size_t at = 0;

	GROW(p->plane, p->n_planes, p->cap_planes);
	k = &p->plane[p->n_planes++];
	k->at = (struct picture_rect){r.x - PLANE_LEFT, r.y - PLANE_TOP, r.w + PLANE_LEFT + PLANE_RIGHT,
				      r.h + PLANE_TOP + PLANE_BOTTOM};
	for (unsigned d = 2; d < is->n_dims && at < sizeof(k->name); d++)
		at += (size_t)snprintf(k->name + at, sizeof(k->name) - at, "%s%s%u", d > 2 ? "," : "",
				       d > 2		 ? ""
				       : is->n_dims == 3 ? "z = "
							 : "plane ",
				       c[d]);
}

/* Numbers below the lowest row and left of the first column of a plane. */
static void label_axes(struct picture *p, const struct layout_part *is, const uint16_t *c, uint32_t sw,
		       bool left)
{
	const struct picture_rect *b = &p->box[sw];
	char words[16];

	if (is->n_dims < 2 || c[1] == 0) {
		snprintf(words, sizeof(words), c[0] ? "%u" : "x=%u", c[0]);
		add_label(p, b->x + b->w / 2, b->y + b->h + AXIS_BELOW, words);
	}
	if (is->n_dims > 1 && c[0] == 0 && left) {
		snprintf(words, sizeof(words), c[1] ? "%u" : "y=%u", c[1]);
		add_label(p, b->x - AXIS_LEFT - (is->n_dims > 2 ? PLANE_LEFT : 0), b->y + b->h / 2 + 4,
			  words);
	}
}

/* Frames of planes, and axes. */
static void label_grid(struct picture *p, const struct layout_part *is, const struct picture_rect *part)
{
	const struct layout *l = p->layout;
	uint32_t *sw = NEW_ARRAY(is->n + 1, uint32_t);

	for (uint32_t plane = 0; plane < count_planes(is); plane++) {
		uint32_t n = 0;
		struct picture_rect r;

		for (uint32_t i = is->first; i < is->first + is->n; i++)
			if (*layout_coord(l, l->order[i]) != LAYOUT_BESIDE &&
			    plane_of(is, layout_coord(l, l->order[i])) == plane)
				sw[n++] = l->order[i];
		if (!n)
			continue;
		r = around(p, sw, n);
		if (is->n_dims > 2)
			add_plane(p, is, layout_coord(l, sw[0]), r);
		for (uint32_t i = 0; i < n; i++)
			label_axes(p, is, layout_coord(l, sw[i]), sw[i], r.x < part->x + 1);
	}
	free(sw);
}

static void make_labels(struct picture *p)
{
	const struct layout *l = p->layout;

	for (uint32_t k = 0; k < l->n_parts; k++) {
		if (l->part[k].kind == LAYOUT_TREE)
			label_levels(p, &l->part[k], &p->part[k]);
		else if (l->part[k].kind == LAYOUT_GRID)
			label_grid(p, &l->part[k], &p->part[k]);
	}
}

bool picture_draws(const struct picture *p, uint32_t a, uint32_t b)
{
	const struct layout *l = p->layout;
	uint32_t part = l->part_of[a];
	const uint16_t *x = layout_coord(l, a), *y = layout_coord(l, b);

	if (part == NO_ID || l->part[part].kind != LAYOUT_GRID || *x == LAYOUT_BESIDE || *y == LAYOUT_BESIDE)
		return true;
	return !memcmp(x + 2, y + 2, (LAYOUT_DIMS - 2) * sizeof(*x)) && (x[0] == y[0] || x[1] == y[1]);
}

static void count_hidden(struct picture *p)
{
	const struct layout *l = p->layout;

	for (uint32_t s = 0; s < l->n; s++)
		for (uint32_t i = l->first[s]; i < l->first[s + 1]; i++)
			p->hidden += s < l->to[i] && !picture_draws(p, s, l->to[i]);
}

struct picture *picture_new(const struct fabric *f, const struct layout *l)
{
	struct picture *p = NEW(struct picture);
	struct placing g = {.pic = p, .f = f, .l = l};
	struct picture_rect alone;
	float y = SVG_TOP;

	p->layout = layout_ref(l);
	p->width = LEAST_WIDTH;
	p->box = NEW_ARRAY(l->n + 1, struct picture_rect);
	p->named = NEW_ARRAY(l->n_parts + 1, bool);
	p->part = NEW_ARRAY(l->n_parts + 1, struct picture_rect);
	p->block = NEW_ARRAY(l->n_blocks + 1, struct picture_rect);
	for (uint32_t k = 0; k < l->n_parts; k++) {
		g.is = &l->part[k];
		g.sw = l->order + g.is->first;
		g.n = g.is->n;
		place_part(&g, k);
		y = settle_part(&g, &p->part[k], y);
	}
	if (l->n_alone) {
		g.is = NULL;
		g.sw = l->order + l->n - l->n_alone;
		g.n = l->n_alone;
		place_part(&g, l->n_parts);
		y = settle_part(&g, &alone, y);
	}
	p->height = y + BOTTOM;
	for (uint32_t k = 0; k < l->n_parts; k++)
		centre(p, l->order + l->part[k].first, l->part[k].n, &p->part[k]);
	if (l->n_alone)
		centre(p, l->order + l->n - l->n_alone, l->n_alone, &alone);
	make_frames(p);
	make_labels(p);
	if (l->n_alone)
		add_label(p, alone.x + alone.w / 2, alone.y - BESIDE, "not connected");
	count_hidden(p);
	return p;
}

void picture_free(struct picture *p)
{
	if (!p)
		return;
	layout_unref(p->layout);
	free(p->box);
	free(p->named);
	free(p->part);
	free(p->block);
	free(p->plane);
	free(p->label);
	free(p);
}
