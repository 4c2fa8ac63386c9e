/* Pictures of fabrics: places on a page, and descriptions of switches and cables. */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/analysis/draw/picture.h"
#include "core/analysis/shape/layout.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/routing/routing.h"

/* Descriptions of switches and cables for a reader who does not see the drawing, and for programs. */

/* A second element of the same thing has a number behind its id. */
static void end_id(FILE *to, unsigned again)
{
	if (again)
		fprintf(to, "-%u", again);
	putc('"', to);
}

void picture_switch_id(FILE *to, const struct fabric *f, uint32_t sw, unsigned again)
{
	uint64_t guid = f->node_guid[f->switch_node[sw]];

	fprintf(to, " id=\"node-%016" PRIx64, guid);
	end_id(to, again);
	fprintf(to, " data-guid=\"0x%016" PRIx64 "\"", guid);
}

void picture_switch_words(FILE *to, const struct fabric *f, const struct picture_look *look, uint32_t sw)
{
	const struct routing *r = look->ranks;
	unsigned lid = node_lid(f, look->lids, f->switch_node[sw]);
	uint32_t rank = r && r->ops->rank && switch_up(r->topo, sw) ? r->ops->rank(r, sw) : NO_RANK;

	svg_text(to, switch_name(f, sw));
	putc(':', to);
	if (lid)
		fprintf(to, " LID %u,", lid);
	if (rank != NO_RANK)
		fprintf(to, " rank %u,", rank);
}

/* Numbers of these ports, or of those at the other ends of their cables. */
static void picture_words_put_numbers(FILE *to, const struct fabric *f, const uint32_t *port, uint32_t n,
				      bool peers)
{
	for (uint32_t k = 0; k < n; k++) {
		if (k)
			putc(' ', to);
		fprintf(to, "%u", f->port_num[peers ? f->port_peer[port[k]] : port[k]]);
	}
}

void picture_cables_id(FILE *to, const struct fabric *f, const char *kind, const uint32_t *port, uint32_t n,
		       unsigned again)
{
	assert(n);
	uint64_t guid = f->node_guid[f->port_node[*port]],
		 peer = f->node_guid[f->port_node[f->port_peer[*port]]];

	fprintf(to, " id=\"%s-%016" PRIx64 "-%u", kind, guid, f->port_num[*port]);
	end_id(to, again);
	fprintf(to, " data-guid=\"0x%016" PRIx64 "\" data-port=\"", guid);
	picture_words_put_numbers(to, f, port, n, false);
	fprintf(to, "\" data-peer-guid=\"0x%016" PRIx64 "\" data-peer-port=\"", peer);
	picture_words_put_numbers(to, f, port, n, true);
	putc('"', to);
}

void picture_cables_words(FILE *to, const struct fabric *f, const uint32_t *port, uint32_t n)
{
	svg_text(to, f->node_name[f->port_node[*port]]);
	putc('[', to);
	picture_words_put_numbers(to, f, port, n, false);
	fputs("] to ", to);
	svg_text(to, f->node_name[f->port_node[f->port_peer[*port]]]);
	putc('[', to);
	picture_words_put_numbers(to, f, port, n, true);
	putc(']', to);
}

/* Places on a page. */

#define MARGIN 40.0f
#define BOTTOM 50.0f	    /* legend */
#define LEAST_WIDTH 860.0f  /* the legend */
#define FITTED_WIDTH 560.0f /* the same on a page of a given size, where it takes more rows */
#define FITTED_BOTTOM 82.0f
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
#define MANY_FRAMES 12 /* with this many frames they are closer together */
#define CLOSE_FRAME 3.0f
#define CLOSE_BETWEEN 4.0f
#define CLOSE_BESIDE 4.0f
#define BETWEEN_PARTS 40.0f
#define GRID_GAP 34.0f
#define CLIQUE_GAP 14.0f
#define LEVELS_APART 34.0f /* between levels in a group */
#define MOST_NAMED_GRID 400
#define PLANE_LEFT 14.0f /* of a frame around the boxes of a plane */
#define PLANE_RIGHT 34.0f
#define PLANE_TOP 44.0f
#define PLANE_BOTTOM 32.0f
#define PLANE_BETWEEN 20.0f /* extra space between planes below one another */
#define PLANE_NAME 14.0f
#define UNDER 12.0f /* words under a box */
#define AXIS_BELOW 26.0f
#define AXIS_LEFT 16.0f
#define MOST_CIRCLE 80
#define MOST_ELLIPSE 24

struct picture_placing {
	struct picture *pic;
	const struct fabric *f;
	const struct layout *l;
	const struct layout_part *is;
	const uint32_t *sw; /* switches of the part */
	uint32_t n;
	float letter; /* of the page */
	float w, h;   /* of a box */
	float beside; /* between boxes of a level */
};

/* Shows that an integer division without its rest is wanted. */
static float picture_whole(uint32_t n)
{
	return (float)n;
}

static void picture_put(struct picture_placing *g, uint32_t sw, float x, float y)
{
	g->pic->box[sw] = (struct picture_rect){x, y, g->w, g->h};
}

/* A gap with words in it: `words` of it are as high as letters. */
static float gap_for(const struct picture_placing *g, float gap, float words)
{
	return gap + words * (g->letter - 1);
}

static float picture_name_width(const struct picture_placing *g)
{
	size_t longest = 1;

	for (uint32_t i = 0; i < g->n; i++) {
		size_t len = svg_columns(switch_name(g->f, g->sw[i]));

		longest = MAX(len, longest);
	}
	return ((float)longest * SVG_LETTER + NAME_ROOM) * g->letter;
}

/* Boxes that hold names, or small ones. */
static void picture_set_size(struct picture_placing *g, bool named, uint32_t part)
{
	g->pic->named[part] = named;
	g->w = named ? picture_name_width(g) : SMALL_WIDE;
	g->h = named ? NAME_HIGH * g->letter : SMALL_HIGH;
	g->beside = named ? BESIDE : CLOSE_BESIDE;
}

/* Places boxes in rows, from left to right, as wide as the page allows. */
static void picture_place_rows(struct picture_placing *g)
{
	float gap = g->w > SMALL_WIDE ? gap_for(g, GRID_GAP, UNDER) : BESIDE;
	uint32_t across = (uint32_t)(WIDEST * g->letter / (g->w + gap));

	across = across ? across : 1;
	for (uint32_t i = 0; i < g->n; i++) {
		uint32_t row = i / across, at = i % across;

		/* a chain turns back, so that neighbours stay side by side */
		if (g->is && g->is->kind == LAYOUT_CHAIN && row % 2)
			at = across - 1 - at;
		picture_put(g, g->sw[i], (float)at * (g->w + gap), (float)row * (g->h + gap));
	}
}

/* --- circles --- */

#define SWAP_ROUNDS 20

/* The order around a circle, and each switch's place in it. */
struct circling {
	const struct picture_placing *g;
	uint32_t *order; /* [n] */
	uint32_t *at;	 /* [switches of the fabric] NO_ID: not placed yet */
};

/* The next switch: of `last`'s neighbours, if any are left, the one with most links to placed switches. */
static uint32_t next_around(const struct circling *c, uint32_t last)
{
	const struct layout *l = c->g->l;
	uint32_t best = NO_ID, most = 0;

	for (uint32_t i = 0; i < c->g->n; i++) {
		uint32_t sw = c->g->sw[i], n = 0;
		bool beside = false;

		if (c->at[sw] != NO_ID)
			continue;
		for (uint32_t k = l->first[sw]; k < l->first[sw + 1]; k++) {
			n += c->at[l->to[k]] != NO_ID;
			beside |= l->to[k] == last;
		}
		n += beside ? c->g->n : 0;
		if (best == NO_ID || n > most) {
			best = sw;
			most = n;
		}
	}
	return best;
}

/* The sum of the chords of a switch if it were at `at`. */
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
	float before = chords(c, a, i) + chords(c, b, k);

	c->at[a] = k;
	c->at[b] = i;
	float after = chords(c, a, k) + chords(c, b, i);
	if (after < before - 1e-4f) {
		c->order[i] = b;
		c->order[k] = a;
		return true;
	}
	c->at[a] = i;
	c->at[b] = k;
	return false;
}

/* The order around a circle, [n], to be freed: by links from the lowest name on, then by swaps. */
static uint32_t *circle_order(const struct picture_placing *g)
{
	static const uint32_t far[] = {1, 2, 3, 5, 8};
	AUTO_FREE uint32_t *at = NEW_ARRAY(g->l->n + 1, uint32_t);
	struct circling c = {g, NEW_ARRAY(g->n + 1, uint32_t), at};
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
	return c.order;
}

/* Places boxes around a circle, clockwise from the top. Neighbours are a diagonal apart: none overlap. */
static void place_circle(struct picture_placing *g)
{
	float step = hypotf(g->w, g->h) + gap_for(g, 6, UNDER),
	      radius = (float)g->n * step / (2 * (float)M_PI);

	/* the chord is shorter than the arc */
	if (g->n > 2)
		radius = fmaxf(radius, step / (2 * sinf((float)M_PI / (float)g->n)));
	radius = fmaxf(radius, 150);
	AUTO_FREE uint32_t *order = g->is->kind == LAYOUT_OTHER ? circle_order(g) : NULL;
	for (uint32_t i = 0; i < g->n; i++) {
		float turn = 2 * (float)M_PI * (float)i / (float)g->n;

		picture_put(g, order ? order[i] : g->sw[i], radius + radius * sinf(turn),
			    radius - radius * cosf(turn));
	}
}

/* Columns of equal numbers: by x, then by y. */
static void place_columns(struct picture_placing *g)
{
	uint32_t columns = (uint32_t)ceil(sqrt(1.6 * g->n * (g->h + GRID_GAP) / (g->w + GRID_GAP)));
	uint32_t rows = (g->n + columns - 1) / columns;
	AUTO_FREE uint32_t *order = shape_columns(g->l, g->sw, g->n, rows);

	for (uint32_t i = 0; i < g->n; i++)
		picture_put(g, order[i], picture_whole(i / rows) * (g->w + GRID_GAP),
			    picture_whole(i % rows) * (g->h + GRID_GAP));
}

/* x leads to the right, y up. Planes of further dimensions stand side by side. */
static void picture_place_grid(struct picture_placing *g, uint32_t part)
{
	uint32_t nx = g->is->dim[0].size, ny = g->is->n_dims > 1 ? g->is->dim[1].size : 1;
	uint32_t planes = grid_planes(g->is), beside = 0;
	const struct svg_page *page = &g->pic->page;
	bool clique = false;

	for (unsigned d = 0; d < g->is->n_dims; d++)
		clique |= g->is->dim[d].kind == LAYOUT_CLIQUE;
	float gap = gap_for(g, GRID_GAP, UNDER) + (clique ? CLIQUE_GAP : 0);
	float named = (float)(nx * planes) * (picture_name_width(g) + gap);
	picture_set_size(g, g->n <= MOST_NAMED_GRID && named <= 2 * WIDEST * g->letter, part);
	float wide = (float)nx * (g->w + gap) + gap;
	float high = (float)ny * (g->h + gap) + gap + gap_for(g, PLANE_BETWEEN, PLANE_NAME + AXIS_BELOW);
	uint32_t across =
		wide * (float)planes <= WIDEST * g->letter ? planes : (uint32_t)(WIDEST * g->letter / wide);
	if (page->wide) /* as the page is */
		across = (uint32_t)lroundf(
			sqrtf((float)planes * high / wide * (float)page->wide / (float)page->high));
	across = MIN(MAX(across, 1), planes);
	for (uint32_t i = 0; i < g->n; i++) {
		const uint16_t *c = layout_coord(g->l, g->sw[i]);
		uint32_t plane = *c == LAYOUT_BESIDE ? 0 : grid_plane(g->is, c);

		if (*c == LAYOUT_BESIDE) {
			picture_put(g, g->sw[i], (float)beside++ * (g->w + gap),
				    picture_whole((planes + across - 1) / across) * high);
			continue;
		}
		picture_put(g, g->sw[i], (float)(plane % across) * wide + (float)c[0] * (g->w + gap),
			    picture_whole(plane / across) * high +
				    (float)(ny - 1 - (g->is->n_dims > 1 ? c[1] : 0)) * (g->h + gap));
	}
}

struct picture_group {
	float w, h, x, y; /* x, y: middle */
};

static bool groups_meet(const struct picture_group *g, uint32_t n)
{
	for (uint32_t a = 0; a < n; a++)
		for (uint32_t b = 0; b < a; b++)
			if (fabsf(g[a].x - g[b].x) < (g[a].w + g[b].w) / 2 + FRAME &&
			    fabsf(g[a].y - g[b].y) < (g[a].h + g[b].h) / 2 + FRAME)
				return true;
	return false;
}

/* Groups stand on an ellipse, as large as needed, the first on top. Many groups stand in rows. */
static void place_groups_at(struct picture_group *g, uint32_t n)
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
		g[k].y = picture_whole(k / across) * (g[0].h + 4 * FRAME);
	}
}

/* Members of a group stand in rows: one for each level in a dragonfly+, else nearly a square. */
static void picture_place_groups(struct picture_placing *g)
{
	uint32_t n, levels = g->is->levels, columns = 0, rows = levels;
	AUTO_FREE struct shape_run *run = shape_runs(g->l, g->sw, g->n, false, &n);
	AUTO_FREE struct picture_group *group = NEW_ARRAY(n + 1, struct picture_group);
	float between = levels > 1 ? gap_for(g, LEVELS_APART, UNDER) : gap_for(g, 2 * BESIDE, UNDER);
	float above = FRAME + FRAME_NAME * g->letter;

	if (levels <= 1) {
		uint32_t most = shape_most(run, n);

		columns = most <= 4 ? most : (uint32_t)ceil(sqrt(most));
		rows = (most + columns - 1) / columns;
	}
	for (uint32_t k = 0; levels > 1 && k < n; k++) {
		uint32_t count[UINT8_MAX + 1] = {0};

		for (uint32_t i = 0; i < run[k].n; i++) {
			uint32_t c = ++count[g->l->level[g->sw[run[k].first + i]]];

			columns = MAX(c, columns);
		}
	}
	for (uint32_t k = 0; k < n; k++) {
		group[k].w = (float)columns * (g->w + BESIDE) + 2 * FRAME;
		group[k].h = (float)rows * (g->h + between) + FRAME + above;
	}
	place_groups_at(group, n);
	for (uint32_t k = 0; k < n; k++) {
		uint32_t at[UINT8_MAX + 1] = {0};

		for (uint32_t i = 0; i < run[k].n; i++) {
			uint32_t sw = g->sw[run[k].first + i],
				 row = levels > 1 ? g->l->level[sw] : i / columns;

			picture_put(g, sw,
				    group[k].x - group[k].w / 2 + FRAME + (float)at[row]++ * (g->w + BESIDE),
				    group[k].y - group[k].h / 2 + above + (float)row * (g->h + between));
		}
	}
}

struct picture_tree {
	struct shape_tree is;
	float *left; /* [columns] */
	float page;
};

/* Sets widths of columns. Returns the widest level that more rows make narrower; `levels` = none. */
static unsigned tree_widths(const struct picture_placing *g, struct picture_tree *t)
{
	float box = g->w + g->beside, left = 0;
	float apart =
		g->is->n_blocks > MANY_FRAMES ? CLOSE_BETWEEN + 2 * CLOSE_FRAME : BETWEEN_FRAMES + 2 * FRAME;
	unsigned asks = t->is.levels;

	shape_tree_widths(&t->is, 1);
	t->page = 0;
	for (unsigned lev = 0; lev < t->is.levels; lev++) {
		if (t->is.loose[lev])
			t->page = fmaxf(t->page, picture_whole(t->is.sum[lev]) * box);
		if (t->is.rows[lev] < t->is.most[lev] &&
		    (asks == t->is.levels || t->is.sum[lev] > t->is.sum[asks]))
			asks = lev;
	}
	for (uint32_t c = 0; c < t->is.columns; c++) {
		t->left[c] = left;
		left += t->is.wide[c] ? picture_whole(t->is.wide[c]) * box + apart : 0;
	}
	t->page = fmaxf(t->page, left - apart);
	return asks;
}

/* Places the switches of a level, from y downwards. */
static void place_level(struct picture_placing *g, const struct picture_tree *t, unsigned lev, float y)
{
	const struct shape_tree *is = &t->is;
	float box = g->w + g->beside,
	      left = (t->page - picture_whole(shape_tree_across(is, lev, is->columns - 1, 1)) * box) / 2;
	AUTO_FREE uint32_t *at = NEW_ARRAY(is->columns + 1, uint32_t);

	for (uint32_t i = is->first[lev]; i < is->first[lev + 1]; i++) {
		uint32_t c = shape_tree_column(is, g->sw[i]), n = is->count[lev * is->columns + c];
		uint32_t across = shape_tree_across(is, lev, c, 1), row = at[c] / across;
		uint32_t here = MIN(n - row * across, across);
		float room = picture_whole(is->loose[lev] ? across : is->wide[c]) * box;
		float x = picture_whole(at[c]++ % across) * box +
			  (room - picture_whole(here) * box) / 2; /* in the middle */

		picture_put(g, g->sw[i], (is->loose[lev] ? left : t->left[c]) + x,
			    y + picture_whole(row) * (g->h + g->beside));
	}
}

static void picture_place_tree(struct picture_placing *g, uint32_t part)
{
	struct picture_tree t = {0};
	float y = 0;

	picture_set_size(g, true, part);
	shape_tree_make(&t.is, g->l, g->is);
	AUTO_FREE float *left = NEW_ARRAY(t.is.columns, float);
	t.left = left;
	tree_widths(g, &t);
	if (t.page > WIDEST_NAMED * g->letter)
		picture_set_size(g, false, part);
	for (uint32_t more = 0; more <= g->n; more++) {
		unsigned asks = tree_widths(g, &t);

		if (asks == t.is.levels ||
		    t.page <= (g->pic->named[part] ? WIDEST_NAMED : WIDEST) * g->letter)
			break;
		t.is.rows[asks]++;
	}
	for (unsigned lev = 0; lev < t.is.levels; lev++) {
		uint32_t n = 0; /* links to the next level; the gap grows with them */

		place_level(g, &t, lev, y);
		for (uint32_t i = 0; i < g->n; i++)
			for (uint32_t k = g->l->first[g->sw[i]]; k < g->l->first[g->sw[i] + 1]; k++)
				n += g->l->level[g->sw[i]] == lev && g->l->level[g->l->to[k]] == lev + 1;
		y += picture_whole(t.is.rows[lev]) * (g->h + g->beside) +
		     gap_for(g, fminf(fmaxf(60 + 1.2f * (float)n, 90), 220), UNDER);
	}
	shape_tree_free(&t.is);
}

static void place_part(struct picture_placing *g, uint32_t part)
{
	enum layout_kind kind = g->is ? g->is->kind : LAYOUT_ROW;

	uint32_t most = kind == LAYOUT_GROUPS ? 160 : kind == LAYOUT_RING ? 150 : MOST_CIRCLE;

	picture_set_size(g, g->n <= most, part);
	if (kind == LAYOUT_TREE)
		picture_place_tree(g, part);
	else if (kind == LAYOUT_GRID)
		picture_place_grid(g, part);
	else if (kind == LAYOUT_GROUPS)
		picture_place_groups(g);
	else if (kind == LAYOUT_RING || kind == LAYOUT_FULL || (kind == LAYOUT_OTHER && g->n <= MOST_CIRCLE))
		place_circle(g);
	else if (kind == LAYOUT_OTHER)
		place_columns(g);
	else
		picture_place_rows(g);
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

/* Move a part to its place on the page. Returns the y of the next one. */
static float settle_part(struct picture_placing *g, struct picture_rect *to, float y)
{
	struct picture_rect r = around(g->pic, g->sw, g->n);
	/* room for lines that go round, for frames, and for numbers of hosts */
	float beside = gap_for(g, MARGIN + 2 * FRAME, AXIS_LEFT);
	float dx = beside - r.x, dy = y + gap_for(g, MARGIN, PLANE_NAME) - r.y;

	for (uint32_t i = 0; i < g->n; i++) {
		g->pic->box[g->sw[i]].x += dx;
		g->pic->box[g->sw[i]].y += dy;
	}
	*to = (struct picture_rect){r.x + dx, r.y + dy, r.w, r.h};
	g->pic->width = fmaxf(g->pic->width, to->x + to->w + beside);
	return to->y + to->h + gap_for(g, BETWEEN_PARTS, AXIS_BELOW);
}

/* Makes frames of blocks, unless a frame would hold other switches. */
static void make_frames(struct picture *p)
{
	const struct layout *l = p->layout;
	AUTO_FREE uint32_t *sw = NEW_ARRAY(l->n + 1, uint32_t);
	float m = l->n_blocks > MANY_FRAMES ? CLOSE_FRAME : FRAME, name = FRAME_NAME * p->page.letter;

	for (uint32_t b = 0; b < l->n_blocks; b++) {
		uint32_t n = 0;
		bool clear = true;

		for (uint32_t i = 0; i < l->n; i++)
			if (l->block[l->order[i]] == b)
				sw[n++] = l->order[i];
		struct picture_rect r = around(p, sw, n);
		r = (struct picture_rect){r.x - m, r.y - m - name, r.w + 2 * m,
					  r.h + 2 * m + name + UNDER * (p->page.letter - 1)};
		for (uint32_t s = 0; s < l->n && clear; s++) {
			const struct picture_rect *a = &p->box[s];

			clear = l->block[s] == b || a->x >= r.x + r.w || r.x >= a->x + a->w ||
				a->y >= r.y + r.h || r.y >= a->y + a->h;
		}
		p->block[b] = clear ? r : (struct picture_rect){0};
	}
}

/* --- what stands beside the boxes --- */

static void add_label(struct picture *p, float x, float y, const char *words)
{
	ARENA_GROW(p, p->label, p->n_labels, p->cap_labels);
	struct picture_label *l = &p->label[p->n_labels++];
	*l = (struct picture_label){.x = x, .y = y};
	snprintf(l->words, sizeof(l->words), "%s", words);
}

/* Numbers of levels, to the left of everything. */
static void label_levels(struct picture *p, const struct layout_part *is, const struct picture_rect *part)
{
	const struct layout *l = p->layout;
	const uint32_t *sw = l->order + is->first;

	for (uint32_t i = 0, n; i < is->n; i += n) {
		unsigned lev = l->level[sw[i]];
		char words[16];

		for (n = 1; i + n < is->n && l->level[sw[i + n]] == lev;)
			n++;
		struct picture_rect r = around(p, sw + i, n);
		snprintf(words, sizeof(words), "%u", lev);
		add_label(p, part->x - MARGIN, r.y + r.h / 2 + 4, words);
	}
}

static void add_plane(struct picture *p, const struct layout_part *is, const uint16_t *c,
		      struct picture_rect r)
{
	size_t at = 0;

	ARENA_GROW(p, p->plane, p->n_planes, p->cap_planes);
	struct picture_plane *k = &p->plane[p->n_planes++];
	float top = PLANE_TOP + PLANE_NAME * (p->page.letter - 1);
	float bottom = PLANE_BOTTOM + AXIS_BELOW * (p->page.letter - 1);
	k->at = (struct picture_rect){r.x - PLANE_LEFT, r.y - top, r.w + PLANE_LEFT + PLANE_RIGHT,
				      r.h + top + bottom};
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
		add_label(p, b->x + b->w / 2, b->y + b->h + AXIS_BELOW * p->page.letter, words);
	}
	if (is->n_dims > 1 && c[0] == 0 && left) {
		snprintf(words, sizeof(words), c[1] ? "%u" : "y=%u", c[1]);
		add_label(p, b->x - AXIS_LEFT * p->page.letter - (is->n_dims > 2 ? PLANE_LEFT : 0),
			  b->y + b->h / 2 + 4, words);
	}
}

/* Frames of planes, and axes. */
static void label_grid(struct picture *p, const struct layout_part *is, const struct picture_rect *part)
{
	const struct layout *l = p->layout;
	AUTO_FREE uint32_t *sw = NEW_ARRAY(is->n + 1, uint32_t);

	for (uint32_t plane = 0; plane < grid_planes(is); plane++) {
		uint32_t n = 0;

		for (uint32_t i = is->first; i < is->first + is->n; i++)
			if (*layout_coord(l, l->order[i]) != LAYOUT_BESIDE &&
			    grid_plane(is, layout_coord(l, l->order[i])) == plane)
				sw[n++] = l->order[i];
		if (!n)
			continue;
		struct picture_rect r = around(p, sw, n);
		if (is->n_dims > 2)
			add_plane(p, is, layout_coord(l, sw[0]), r);
		for (uint32_t i = 0; i < n; i++)
			label_axes(p, is, layout_coord(l, sw[i]), sw[i], r.x < part->x + 1);
	}
}

bool picture_draws(const struct picture *p, uint32_t a, uint32_t b)
{
	const struct layout *l = p->layout;
	uint32_t part = l->part_of[a];

	assert(a < l->n && b < l->n);
	if (part == NO_ID || l->part[part].kind != LAYOUT_GRID)
		return true;
	struct grid_way way = grid_way(l, a, b);
	return !way.differ || (way.differ == 1 && way.dim < 2);
}

struct picture *picture_new(const struct fabric *f, const struct layout *l, const struct svg_page *page)
{
	struct picture *p = ARENA_NEW(NULL, struct picture);
	struct picture_placing g = {.pic = p, .f = f, .l = l, .letter = page->letter};
	uint32_t n_parts = l->n_parts + (l->n_alone ? 1 : 0); /* the last holds what is not connected */
	float y = svg_top(page), high;

	assert(l->n == f->n_switches && page->letter > 0);
	p->layout = layout_ref(l);
	p->page = *page;
	p->width = (page->wide ? FITTED_WIDTH : LEAST_WIDTH) * page->letter;
	p->box = ARENA_ARRAY(p, l->n + 1, struct picture_rect);
	p->named = ARENA_ARRAY(p, l->n_parts + 1, bool);
	p->part = ARENA_ARRAY(p, l->n_parts + 1, struct picture_rect);
	p->block = ARENA_ARRAY(p, l->n_blocks + 1, struct picture_rect);
	struct picture_rect *alone = &p->part[l->n_parts];
	for (uint32_t k = 0; k < n_parts; k++) {
		g.is = k < l->n_parts ? &l->part[k] : NULL;
		g.n = k < l->n_parts ? l->part[k].n : l->n_alone;
		g.sw = l->order + (k < l->n_parts ? l->part[k].first : l->n - l->n_alone);
		place_part(&g, k);
		y = settle_part(&g, &p->part[k], y);
	}
	p->height = high = y + (page->wide ? FITTED_BOTTOM : BOTTOM) * page->letter;
	svg_fit(page, &p->width, &p->height);
	/* centre all parts: the size of the page is final now */
	for (uint32_t k = 0; k < n_parts; k++) {
		const uint32_t *sw = l->order + (k < l->n_parts ? l->part[k].first : l->n - l->n_alone);
		uint32_t n = k < l->n_parts ? l->part[k].n : l->n_alone;
		float dx = (p->width - p->part[k].w) / 2 - p->part[k].x, dy = (p->height - high) / 2;

		for (uint32_t i = 0; i < n; i++) {
			p->box[sw[i]].x += dx;
			p->box[sw[i]].y += dy;
		}
		p->part[k].x += dx;
		p->part[k].y += dy;
	}
	make_frames(p);
	for (uint32_t k = 0; k < l->n_parts; k++)
		if (l->part[k].kind == LAYOUT_TREE)
			label_levels(p, &l->part[k], &p->part[k]);
		else if (l->part[k].kind == LAYOUT_GRID)
			label_grid(p, &l->part[k], &p->part[k]);
	if (l->n_alone)
		add_label(p, alone->x + alone->w / 2, alone->y - BESIDE, "not connected");
	for (uint32_t s = 0; s < l->n; s++)
		for (uint32_t i = l->first[s]; i < l->first[s + 1]; i++)
			p->hidden += s < l->to[i] && !picture_draws(p, s, l->to[i]);
	return p;
}

void picture_free(struct picture *p)
{
	if (!p)
		return;
	layout_unref(p->layout);
	arena_free(p);
}
