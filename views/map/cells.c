/* Cells of switches in the overview, for trees, rings, grids, groups and points. */
#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/text.h"
#include "views/map/map.h"

#define LABELS 11    /* columns to the left of a tree */
#define WIDE_PART 26 /* least width of parts side by side */
#define TALL 30	     /* with this many lines, gaps may be wide */

/* --- helpers for all shapes --------------------------------------------------------------------- */

static void cells_put(struct placing *g, uint32_t sw, int x, int y)
{
	assert(sw < g->c->n);
	g->c->x[sw] = g->x + x;
	g->c->y[sw] = g->y + y;
	if (y + 1 > g->used)
		g->used = y + 1;
}

/* text is taken over */
static void cells_label(struct placing *g, int x, int y, int w, char *text)
{
	struct map_cells *c = g->c;

	GROW(c->label, c->n_labels, c->cap_labels);
	c->label[c->n_labels++] = (struct map_label){g->x + x, g->y + y, w, text};
	if (y + 1 > g->used)
		g->used = y + 1;
}

static void cells_stroke(struct map_cells *c, uint32_t a, uint32_t b)
{
	assert(a < c->n && b < c->n);
	GROW(c->stroke, c->n_strokes, c->cap_strokes);
	c->stroke[c->n_strokes++] = (struct map_stroke){a, b, c->x[a], c->y[a], c->x[b], c->y[b]};
}

/* The next number of switches per cell after s: 1 2 3 4 6 8 12 16 24 .. */
static uint32_t next_share(uint32_t s)
{
	assert(s);
	if (s < 4)
		return s + 1;
	return (s & (s - 1)) ? s / 3 * 4 : s / 2 * 3;
}

static uint32_t cells_for(uint32_t n, uint32_t s)
{
	return (n + s - 1) / s;
}

/* The largest distance of adjacent cells, up to `most`, with which that many cells fit. */
static int stride_for(uint32_t units, int room, int most)
{
	int sx = most;

	while (sx > 1 && (int64_t)units * sx - (sx - 1) > room)
		sx--;
	return sx;
}

/* --- runs of switches in lines ------------------------------------------------------------------- */

/* Cells of switches that belong together are adjacent. A run of them that fits in one line is not broken. */
struct cells_lines {
	int width;    /* cells */
	int gap;      /* cells between runs */
	uint32_t s;   /* switches per cell */
	int at, line; /* place of the next cell */
	const uint32_t *sw;
	uint32_t n;	   /* switches in them: sw[0] to sw[n - 1] */
	int rows, longest; /* lines that they take; cells of the longest one */
};

static void run_begin(struct cells_lines *l, uint32_t n)
{
	int len = (int)cells_for(n, l->s);

	if (l->at && l->at + l->gap + len > l->width) {
		l->at = 0;
		l->line++;
	} else if (l->at) {
		l->at += l->gap;
	}
}

/* The end of the run that begins at i, which has the switches of one block. */
static uint32_t cells_run_end(const struct layout *l, const uint32_t *sw, uint32_t n, uint32_t i)
{
	assert(i < n);

	uint32_t b = l->block[sw[i]];

	while (i < n && l->block[sw[i]] == b)
		i++;
	return i;
}

/* Counts the lines that the switches take. */
static int cells_lines_of(const struct placing *g, struct cells_lines *l)
{
	l->longest = l->at = l->line = 0;
	for (uint32_t i = 0; i < l->n;) {
		uint32_t end = cells_run_end(g->l, l->sw, l->n, i);
		int len = (int)cells_for(end - i, l->s), first;

		run_begin(l, end - i);
		first = l->width - l->at;
		if (len > first) { /* only a run longer than a line: it fills this line and the next ones */
			l->line += (len - first - 1) / l->width + 1;
			l->at = (len - first - 1) % l->width + 1;
			l->longest = l->width;
		} else {
			l->at += len;
		}
		if (l->at > l->longest)
			l->longest = l->at;
		i = end;
	}
	l->rows = l->n ? l->line + 1 : 0;
	return l->rows;
}

/* As few lines as the width allows, then as narrow as possible, with gaps if these need no extra line. */
static struct cells_lines fit_lines(const struct placing *g, const uint32_t *sw, uint32_t n, uint32_t s,
				    int width)
{
	struct cells_lines l = {.width = width > 0 ? width : 1, .s = s, .sw = sw, .n = n}, with = l;
	int few = cells_lines_of(g, &l), lo;

	with.gap = 1;
	if (cells_lines_of(g, &with) == few)
		l = with;
	lo = 1;
	for (int hi = l.width; lo < hi;) {
		struct cells_lines t = l;

		t.width = lo + (hi - lo) / 2;
		if (cells_lines_of(g, &t) <= few)
			hi = t.width;
		else
			lo = t.width + 1;
	}
	l.width = lo;
	cells_lines_of(g, &l);
	l.at = l.line = 0;
	return l;
}

/* Places the switches in lines. (x, y) is the first cell. */
static void cells_put_lines(struct placing *g, struct cells_lines l, int x, int y, int stride)
{
	for (uint32_t i = 0; i < l.n;) {
		uint32_t end = cells_run_end(g->l, l.sw, l.n, i);

		run_begin(&l, end - i);
		for (uint32_t k = i; k < end; k++) {
			if ((k - i) % l.s == 0) {
				if (l.at >= l.width) {
					l.at = 0;
					l.line++;
				}
				l.at++;
			}
			cells_put(g, l.sw[k], x + (l.at - 1) * stride, y + l.line);
		}
		i = end;
	}
}

static void place_rows(struct placing *g)
{
	struct cells_lines l = {0};
	uint32_t s = 1;

	do {
		l = fit_lines(g, g->sw, g->n, s, g->w);
		s = next_share(s);
	} while (l.rows > g->h && l.s < g->n);
	cells_put_lines(g, l, 0, 0, stride_for((uint32_t)l.longest, g->w, 4));
}

/* --- trees ---------------------------------------------------------------------------------------- */

struct cells_tree {
	struct shape_tree is; /* its last column has switches below the roots without a pod */
	unsigned levels;
	int label;	  /* columns to the left of the cells */
	int room;	  /* columns for cells */
	bool hosts;	  /* the last line is for hosts */
	int least;	  /* least gap, in lines */
	int gap, between; /* lines between levels; cells between pods */
	uint32_t s;
	int units; /* cells of the longest line */
};

static int cells_rows_of(const struct cells_tree *t)
{
	int n = 0;

	for (unsigned l = 0; l < t->levels; l++)
		n += (int)t->is.rows[l];
	return n;
}

/* Least number of lines, with gaps and hosts. */
static int lines_with_gaps(const struct cells_tree *t)
{
	return cells_rows_of(t) + t->least * ((int)t->levels - 1) + t->hosts;
}

/* Cells of all pods side by side. *asks: the level that needs most of them. */
static int pod_widths(struct cells_tree *t, unsigned *asks)
{
	uint32_t all = 0;

	shape_tree_widths(&t->is, t->s);
	*asks = 1;
	for (unsigned l = 1; l < t->levels; l++)
		*asks = t->is.sum[l] > t->is.sum[*asks] ? l : *asks;
	for (uint32_t p = 0; p < t->is.columns; p++)
		all += t->is.wide[p];
	return (int)all;
}

/* Fits pods in as columns, and sets the rows of each level. False: too high with s switches per cell. */
static bool fit_pods(const struct placing *g, struct cells_tree *t)
{
	uint32_t roots = cells_for(t->is.first[1], t->s), pods = 0;
	unsigned asks;
	int all;

	for (unsigned l = 1; l < t->levels; l++)
		t->is.rows[l] = 1;
	t->is.rows[0] = cells_for(roots, (uint32_t)t->room);
	while ((all = pod_widths(t, &asks)) > t->room) {
		if (lines_with_gaps(t) >= g->h)
			return false;
		t->is.rows[asks]++;
	}
	for (uint32_t p = 0; p < t->is.columns; p++)
		pods += t->is.wide[p] != 0;
	t->between = pods && all + (int)pods - 1 <= t->room;
	t->units = all + (t->between ? (int)pods - 1 : 0);
	if ((int)cells_for(roots, t->is.rows[0]) > t->units)
		t->units = (int)cells_for(roots, t->is.rows[0]);
	return lines_with_gaps(t) <= g->h;
}

/* Fits in lines of whole blocks instead. */
static bool fit_blocks(const struct placing *g, struct cells_tree *t)
{
	t->units = 0;
	for (unsigned l = 0; l < t->levels; l++) {
		const uint32_t *sw = g->sw + t->is.first[l];
		struct cells_lines x = fit_lines(g, sw, t->is.first[l + 1] - t->is.first[l], t->s, t->room);

		t->is.rows[l] = (uint32_t)x.rows;
		if (x.longest > t->units)
			t->units = x.longest;
	}
	return lines_with_gaps(t) <= g->h;
}

/* Finds the fewest switches per cell that fit. False: the height is never enough. */
static bool fit_tree(const struct placing *g, struct cells_tree *t,
		     bool (*fit)(const struct placing *, struct cells_tree *))
{
	for (t->s = 1;; t->s = next_share(t->s)) {
		if (fit(g, t))
			return true;
		if (t->s >= g->n)
			return false;
	}
}

/* Places a level with pods as columns. Roots begin at the left, independent of pods. */
static void put_pods(struct placing *g, const struct cells_tree *t, unsigned lev, int y, int stride)
{
	uint32_t k = 0, pod = NO_ID;
	AUTO_FREE int *left = NEW_ARRAY(t->is.columns + 1, int);

	for (uint32_t p = 0, x = 0; p < t->is.columns; p++) {
		left[p] = (int)x;
		x += (t->is.wide[p] ? t->is.wide[p] + (uint32_t)t->between : 0);
	}
	for (uint32_t i = t->is.first[lev]; i < t->is.first[lev + 1]; i++) {
		uint32_t p = shape_tree_column(&t->is, g->sw[i]), cell, wide;

		if (p != pod)
			k = 0;
		pod = p;
		cell = k++ / t->s;
		wide = shape_tree_across(&t->is, lev, p, t->s);
		cells_put(g, g->sw[i],
			  t->label + ((t->is.loose[lev] ? 0 : left[p]) + (int)(cell % wide)) * stride,
			  y + (int)(cell / wide));
	}
}

/*
 * Letters with which names of a level begin: those of at least half of its switches. Names that several
 * switches share are used, too: they tell the kind of switch, not its place.
 */
static size_t level_word(const struct placing *g, const struct cells_tree *t, unsigned lev, const char **word)
{
	uint32_t votes = 0, same = 0, n = t->is.first[lev + 1] - t->is.first[lev];
	size_t len = 0;

	for (int pass = 0; pass < 2; pass++) { /* majority vote (Boyer, Moore 1981), then a count */
		for (uint32_t i = t->is.first[lev]; i < t->is.first[lev + 1]; i++) {
			/* skip the text before ';' in some vendors' switch names */
			const char *given = switch_given(g->f, g->sw[i]), *semicolon = strrchr(given, ';'),
				   *s = semicolon && semicolon[1] ? semicolon + 1 : given;
			size_t k = 0;
			bool is;

			if (!strstr(given, switch_name(g->f, g->sw[i])))
				continue;
			while (isalpha((unsigned char)s[k]))
				k++;
			is = len && k == len && !strncasecmp(s, *word, len);
			same += pass && is;
			if (pass)
				continue;
			if (!votes) {
				*word = s;
				len = k;
				votes = 1;
			} else {
				votes += is ? 1u : UINT32_MAX;
			}
		}
	}
	return len > 1 && 2 * same >= n ? len : 0;
}

static void label_level(struct placing *g, const struct cells_tree *t, unsigned lev, int y)
{
	static const char *const names[] = {"roots", "mid", "leaves"};
	uint32_t n = t->is.first[lev + 1] - t->is.first[lev];
	const char *word = "", *other = "";
	int room = 6 - (n > 99) - (n > 999) - (n > 9999); /* columns beside the number */
	size_t len = level_word(g, t, lev, &word), same;

	if (t->label < LABELS) {
		if (t->label)
			cells_label(g, 0, y, t->label - 1, str_printf("%u", lev));
		return;
	}
	for (unsigned l = 0; l < t->levels && len; l++) {
		same = l == lev ? len + 1 : level_word(g, t, l, &other);
		if (!same || (same == len && !strncasecmp(word, other, len)))
			len = 0;
	}
	if (!len || len > (t->is.rows[lev] > 1 ? 8u : (size_t)room)) { /* a cut word says nothing */
		word = names[MIN(lev, 1)];
		if (lev && lev + 1 == t->levels)
			word = names[2];
		len = strlen(word);
	}
	if (t->is.rows[lev] > 1) {
		cells_label(g, 0, y, LABELS - 1, str_printf("%u %.*s", lev, (int)len, word));
		cells_label(g, 0, y + 1, LABELS - 1, str_printf("  %u", n));
	} else {
		cells_label(g, 0, y, LABELS - 1,
			    str_printf("%u %-*.*s%*u", lev, room, (int)len < room ? (int)len : room, word,
				       8 - room, n));
	}
}

/* " hosts 3675 0-20 a leaf" */
static void label_hosts(struct placing *g, const struct cells_tree *t, int y)
{
	uint32_t all = 0, most = 0, least = UINT32_MAX;

	for (uint32_t i = 0; i < g->n; i++)
		all += g->l->hosts[g->sw[i]];
	for (uint32_t i = t->is.first[t->levels - 1]; i < g->n; i++) {
		uint32_t n = g->l->hosts[g->sw[i]];

		most = MAX(n, most);
		least = MIN(n, least);
	}
	cells_label(g, 0, y, g->w,
		    least == most ? str_printf("  hosts %5u  %u a leaf", all, most)
				  : str_printf("  hosts %5u  %u-%u a leaf", all, least, most));
}

static void put_tree(struct placing *g, struct cells_tree *t, bool pods)
{
	int stride = stride_for((uint32_t)t->units, t->room, pods ? 4 : 8), rows = cells_rows_of(t), y = 0,
	    left = g->h - rows - t->hosts, most = g->h >= TALL ? 8 : 4;

	assert(t->levels >= 1 && t->levels <= 256);
	t->gap = t->levels > 1 ? left / ((int)t->levels - 1) : 0;
	t->gap = t->gap > most ? most : MAX(t->gap, t->least);
	for (unsigned lev = 0; lev < t->levels; lev++) {
		const uint32_t *sw = g->sw + t->is.first[lev];
		uint32_t n = t->is.first[lev + 1] - t->is.first[lev];
		size_t at = (size_t)(g->is - g->l->part) * 256 + lev;

		label_level(g, t, lev, y);
		if (pods)
			put_pods(g, t, lev, y, stride);
		else
			cells_put_lines(g, fit_lines(g, sw, n, t->s, t->room), t->label, y, stride);
		y += (int)t->is.rows[lev];
		g->c->below[at] = g->y + y;
		y += lev + 1 < t->levels ? t->gap : 0;
		g->c->next[at] = g->y + y;
	}
	if (t->hosts)
		label_hosts(g, t, y);
}

static void cells_place_tree(struct placing *g)
{
	struct cells_tree t = {.label = g->w >= 36 ? LABELS : 3 * (g->w >= 10)};
	bool pods = false, fits = false;

	t.room = g->w - t.label > 0 ? g->w - t.label : 1;
	shape_tree_make(&t.is, g->l, g->is);
	t.levels = t.is.levels;
	for (int tight = 0; tight < 2 && !fits; tight++) {
		t.hosts = !tight;
		t.least = t.hosts;
		pods = g->is->pods && t.levels > 1 && fit_tree(g, &t, fit_pods);
		fits = pods || fit_tree(g, &t, fit_blocks);
	}
	put_tree(g, &t, pods);
	shape_tree_free(&t.is);
}

/* --- rings and chains ------------------------------------------------------------------------------ */

/* Two rows, clockwise. A chain is open on the left; a ring is joined there. */
static void place_ring(struct placing *g)
{
	int cols, stride, lines, left;
	uint32_t s = 1, top;
	bool names;

	while (cells_for(g->n, s) > 2 * (uint32_t)g->w)
		s = next_share(s);
	cols = (int)(cells_for(g->n, s) + 1) / 2;
	stride = stride_for((uint32_t)cols, g->w - 6 > 0 ? g->w - 6 : 1, 20);
	names = s == 1 && g->h >= 5;
	for (uint32_t i = 0; i < g->n; i++)
		names &= strlen(switch_name(g->f, g->sw[i])) < (size_t)stride;
	left = names ? 4 : 0;
	if (!names)
		stride = stride_for((uint32_t)cols, g->w, 8);
	lines = g->h - 2 * names - 2;
	lines = lines < 0 ? 0 : MIN(lines, 5);
	top = (uint32_t)cols * s;
	for (uint32_t i = 0; i < g->n; i++) {
		bool up = i < top;
		int col = up ? (int)(i / s) : 2 * cols - 1 - (int)(i / s);
		int y = names + (up ? 0 : lines + 1);

		if (g->n <= 2) { /* both in one row */
			y = names;
			col = (int)i;
		}
		cells_put(g, g->sw[i], left + col * stride, y);
		if (names)
			cells_label(g, left + col * stride - 2, up ? 0 : lines + 3, stride - 1,
				    str_dup(switch_name(g->f, g->sw[i])));
	}
	for (uint32_t i = 0; i + 1 < g->n && s == 1; i++)
		cells_stroke(g->c, g->sw[i], g->sw[i + 1]);
	if (g->is && g->is->kind == LAYOUT_RING && s == 1)
		cells_stroke(g->c, g->sw[0], g->sw[g->n - 1]);
}

/* --- grids ---------------------------------------------------------------------------------------- */

struct cells_more_grid {
	uint32_t nx, ny, nz; /* numbers of places; dimensions above the third are part of z */
	uint32_t kx, ky;     /* places per cell */
	int cx, cy;	     /* cells of a plane */
	int sx, sy;	     /* from cell to cell */
	int left;	     /* columns for the names of y */
	bool head, foot;     /* there are names of planes; names of x */
	int pw, ph;	     /* size of a plane with its lines of names */
	int gap, across;     /* between planes; planes per row */
	int rows;	     /* of planes */
};

/* Computes the sizes from strides and places per cell. Returns the number of lines. */
static int cells_more_measure(const struct placing *g, struct cells_more_grid *r)
{
	int room;

	r->cx = (int)((r->nx + r->kx - 1) / r->kx);
	r->cy = (int)((r->ny + r->ky - 1) / r->ky);
	r->left = g->w >= 16 && r->ky == 1 && r->ny > 1 ? (int)digits(r->ny - 1, 1) + 2 : g->w >= 16 ? 3 : 0;
	r->pw = (r->cx - 1) * r->sx + 1;
	r->ph = (r->cy - 1) * r->sy + 1 + r->head + r->foot;
	r->gap = r->sx < 2 ? 1 : 4;
	if (r->nz == 1)
		r->gap = 0;
	room = g->w - r->left;
	r->across = r->pw > room ? 0 : (room + r->gap) / (r->pw + r->gap);
	r->across = r->across > (int)r->nz ? (int)r->nz : r->across;
	if (!r->across)
		return INT32_MAX;
	r->rows = ((int)r->nz + r->across - 1) / r->across;
	return (int64_t)r->rows * r->ph < INT32_MAX ? r->rows * r->ph : INT32_MAX;
}

/*
 * Chooses strides: of the wide ones that fit, the one with fewest rows of planes, then the largest; else the
 * first narrow one that fits.
 */
static bool fit_strides(const struct placing *g, struct cells_more_grid *r)
{
	static const int stride[][2] = {{8, 3}, {6, 3}, {5, 2}, {4, 2}, {3, 2}, {2, 2}, {2, 1}, {1, 1}};
	enum { WIDE = 4 };
	struct cells_more_grid best = *r;
	bool any = false;

	for (size_t i = 0; i < ARRAY_LEN(stride) && (i < WIDE || !any); i++) {
		bool fits;

		r->sx = stride[i][0];
		r->sy = stride[i][1];
		fits = cells_more_measure(g, r) <= g->h;
		if (i >= WIDE || (fits && (!any || r->rows < best.rows)))
			best = *r;
		any |= fits;
	}
	*r = best;
	return any;
}

static void fit_shared(const struct placing *g, struct cells_more_grid *r)
{
	r->sx = r->sy = 1;
	r->foot = false;
	r->head &= g->h > 6;
	if (r->nz == 1) {
		int room = g->w - 3 > 0 ? g->w - 3 : 1;

		r->kx = (r->nx + (uint32_t)room - 1) / (uint32_t)room;
		r->ky = (r->ny + (uint32_t)g->h - 1) / (uint32_t)g->h;
		if (cells_more_measure(g, r) <= g->h)
			return;
	}
	for (uint32_t k = 2;; k = next_share(k)) {
		r->kx = MIN(k, r->nx);
		r->ky = MIN(k, r->ny);
		if (cells_more_measure(g, r) <= g->h)
			return;
		if (k >= r->nx && k >= r->ny)
			break;
	}
	r->head = false;
	if (cells_more_measure(g, r) == INT32_MAX) {
		r->across = 1;
		r->rows = (int)r->nz;
	}
}

static void fit_grid(const struct placing *g, struct cells_more_grid *r)
{
	r->kx = r->ky = 1;
	for (int less = 0; less < 3; less++) { /* names are dropped before places share cells */
		r->head = r->nz > 1 && less < 2;
		r->foot = less < 1;
		if (fit_strides(g, r))
			return;
	}
	r->head = r->nz > 1;
	fit_shared(g, r);
}

static void plane_corner(const struct cells_more_grid *r, uint32_t z, int *x, int *y)
{
	*x = r->left + (int)(z % (uint32_t)r->across) * (r->pw + r->gap);
	*y = (int)(z / (uint32_t)r->across) * r->ph + r->head;
}

static void name_planes(struct placing *g, const struct cells_more_grid *r)
{
	for (uint32_t z = 0; z < r->nz; z++) {
		int x, y, bottom, wide = (int)digits(r->nx - 1, 1);

		plane_corner(r, z, &x, &y);
		bottom = y + (r->cy - 1) * r->sy;
		if (r->head)
			cells_label(g, x, y - 1, r->pw + r->gap - 1 > 3 ? r->pw + r->gap - 1 : 3,
				    grid_plane_name(g->is, z));
		for (int i = 0; r->foot && z < (uint32_t)r->across && r->sx > wide && i < r->cx; i++)
			cells_label(g, x + i * r->sx, bottom + 1, wide, str_printf("%d", i));
		if (z % (uint32_t)r->across || r->left < 3 || r->ky > 1)
			continue;
		for (int i = 0; i < r->cy && r->ny > 1; i++)
			cells_label(g, 0, bottom - i * r->sy, r->left - 1, str_printf("%*d", r->left - 1, i));
		if (r->foot && r->sx > wide && !z)
			cells_label(g, 0, bottom + 1, r->left - 1,
				    str_printf("%*s", r->left - 1, r->ny > 1 ? "yx" : "x"));
	}
}

static void stroke_grid(struct placing *g, const struct cells_more_grid *r)
{
	const struct layout *l = g->l;

	for (uint32_t i = 0; i < g->n; i++) {
		uint32_t a = g->sw[i];

		for (uint32_t k = l->first[a]; k < l->first[a + 1]; k++) {
			uint32_t b = l->to[k];
			struct grid_way way = grid_way(l, a, b);

			if (a < b && grid_beside_in_plane(&way) && !way.around &&
			    (way.dim ? r->sy : r->sx) > 1)
				cells_stroke(g->c, a, b);
		}
	}
}

static void place_grid(struct placing *g)
{
	const struct layout_part *is = g->is;
	struct cells_more_grid r = {
		.nx = is->dim[0].size, .ny = is->n_dims > 1 ? is->dim[1].size : 1, .nz = grid_planes(is)};
	uint32_t beside = 0;

	for (uint32_t i = 0; i < g->n; i++)
		beside += *layout_coord(g->l, g->sw[i]) == LAYOUT_BESIDE;
	g->h -= beside ? 1 : 0;
	fit_grid(g, &r);
	for (uint32_t i = 0, k = 0; i < g->n; i++) {
		const uint16_t *at = layout_coord(g->l, g->sw[i]);
		int x, y;

		if (*at == LAYOUT_BESIDE) {
			x = r.left + (int)(k * 2 % (uint32_t)(g->w > r.left + 1 ? g->w - r.left : 1));
			cells_put(g, g->sw[i], x, r.rows * r.ph);
			k++;
			continue;
		}
		plane_corner(&r, grid_plane(is, at), &x, &y);
		x += (int)(at[0] / r.kx) * r.sx;
		y += (r.cy - 1 - (is->n_dims > 1 ? (int)(at[1] / r.ky) : 0)) * r.sy;
		cells_put(g, g->sw[i], x, y);
	}
	name_planes(g, &r);
	stroke_grid(g, &r);
}

/* --- groups ---------------------------------------------------------------------------------------- */

struct cells_more_groups {
	struct shape_run *group; /* if all are linked to all, each switch is a group */
	uint32_t n, most;	 /* number of groups; most members */
	int name;		 /* columns of names */
};

#define NAME_MOST 12
#define ELLIPSE_MOST 24

static const char *cells_more_name_of(const struct placing *g, const struct shape_run *group)
{
	if (g->is->kind == LAYOUT_FULL)
		return switch_name(g->f, g->sw[group->first]);
	return group->block == NO_ID ? "others" : g->l->block_name[group->block];
}

/* How groups are drawn. */
struct group_box {
	bool names;
	int stride;
	uint32_t s;
	int cols, rows; /* cells */
	int w, h;	/* of a box */
};

static void box_size(const struct cells_more_groups *q, struct group_box *b, int rows)
{
	uint32_t cells = cells_for(q->most, b->s);

	b->rows = rows;
	b->cols = (int)((cells + (uint32_t)rows - 1) / (uint32_t)rows);
	b->w = (b->cols - 1) * b->stride + 1;
	if (b->names && q->name > b->w)
		b->w = q->name;
	b->h = rows + b->names;
}

static void cells_more_put_group(struct placing *g, const struct cells_more_groups *q,
				 const struct group_box *b, uint32_t k, int x, int y)
{
	const struct shape_run *is = &q->group[k];

	if (b->names)
		cells_label(g, x, y, b->w, str_dup(cells_more_name_of(g, is)));
	for (uint32_t i = 0; i < is->n; i++) {
		int cell = (int)(i / b->s);

		cells_put(g, g->sw[is->first + i], x + cell % b->cols * b->stride,
			  y + b->names + cell / b->cols);
	}
}

/* The corner of box k on an ellipse; the first is on top, then clockwise. */
static void on_ellipse(const struct placing *g, const struct cells_more_groups *q, const struct group_box *b,
		       uint32_t k, int *x, int *y)
{
	double angle = 2 * M_PI * k / q->n, rx = (g->w - b->w - 2) / 2.0, ry = (g->h - b->h) / 2.0;

	*x = (int)lround(1 + rx + rx * sin(angle));
	*y = (int)lround(ry - ry * cos(angle));
}

static bool ellipse_fits(const struct placing *g, const struct cells_more_groups *q,
			 const struct group_box *b)
{
	int x[ELLIPSE_MOST], y[ELLIPSE_MOST];

	if (q->n > ELLIPSE_MOST || q->n < 3 || b->w + 2 > g->w || b->h > g->h)
		return false;
	for (uint32_t k = 0; k < q->n; k++) {
		on_ellipse(g, q, b, k, &x[k], &y[k]);
		for (uint32_t i = 0; i < k; i++)
			if (abs(x[k] - x[i]) < b->w + 1 && abs(y[k] - y[i]) < b->h)
				return false;
	}
	return true;
}

/* Arranges boxes in lines, with the fewest rows of cells per box that fit. False: none fit. */
static bool boxes_fit(const struct placing *g, const struct cells_more_groups *q, struct group_box *b,
		      int *across)
{
	uint32_t cells = cells_for(q->most, b->s);

	for (int rows = 1; rows <= (int)cells && rows <= 64; rows++) {
		box_size(q, b, rows);
		*across = (g->w + 1) / (b->w + 1);
		if (*across && (int64_t)((q->n + (uint32_t)*across - 1) / (uint32_t)*across) * b->h <= g->h)
			return true;
	}
	return false;
}

static void cells_more_put_boxes(struct placing *g, const struct cells_more_groups *q,
				 const struct group_box *b, int across)
{
	assert(across > 0);

	int lines = (int)((q->n + (uint32_t)across - 1) / (uint32_t)across), wide, high;

	across = (int)((q->n + (uint32_t)lines - 1) / (uint32_t)lines); /* make the lines equally long */
	wide = b->w + 1 + (g->w + 1 - across * (b->w + 1)) / across;
	wide = wide > b->w + 6 ? b->w + 6 : wide;
	high = b->h + ((g->h - lines * b->h) / lines > 0 && lines > 1 ? 1 : 0);
	for (uint32_t k = 0; k < q->n; k++)
		cells_more_put_group(g, q, b, k, (int)(k % (uint32_t)across) * wide,
				     (int)(k / (uint32_t)across) * high);
}

static void place_groups(struct placing *g)
{
	struct cells_more_groups q = {0};
	struct group_box b = {.names = true, .stride = 2, .s = 1};
	int across = 0, x, y;
	bool fits;

	q.group = shape_runs(g->l, g->sw, g->n, g->is->kind == LAYOUT_FULL, &q.n);
	q.most = shape_most(q.group, q.n);
	for (uint32_t k = 0; k < q.n; k++) {
		int len = (int)strlen(cells_more_name_of(g, &q.group[k]));

		q.name = MAX(len, q.name);
	}
	q.name = MIN(q.name, NAME_MOST);
	box_size(&q, &b, (int)((q.most + 5) / 6));
	fits = ellipse_fits(g, &q, &b);
	for (uint32_t k = 0; fits && k < q.n; k++) {
		on_ellipse(g, &q, &b, k, &x, &y);
		cells_more_put_group(g, &q, &b, k, x, y);
	}
	if (!fits) {
		bool room = boxes_fit(g, &q, &b, &across);

		for (int less = 0; !room && less < 2; less++) {
			b.stride = 1;
			b.names = !less;
			room = boxes_fit(g, &q, &b, &across);
		}
		while (!room && b.s < q.most) {
			b.s = next_share(b.s);
			room = boxes_fit(g, &q, &b, &across);
		}
		cells_more_put_boxes(g, &q, &b, across > 0 ? across : 1);
	}
	for (uint32_t i = 0; b.stride > 1 && i < g->n && g->is->kind == LAYOUT_FULL && q.n < 3; i++)
		cells_stroke(g->c, g->sw[0], g->sw[i]);
	free(q.group);
}

/* --- points ----------------------------------------------------------------------------------------- */

/* Columns of equally many switches by x, and in each column by y: so no two meet. */
static void place_points(struct placing *g)
{
	static const int strides[][2] = {{8, 3}, {6, 3}, {4, 2}, {3, 2}, {2, 2}, {2, 1}, {1, 1}};
	uint32_t s = 1, cols, per, across = 1, down = 1, share;
	int sx = 1, sy = 1;

	for (size_t i = 0; i < ARRAY_LEN(strides); i++) {
		across = (uint32_t)((g->w - 1) / strides[i][0] + 1);
		down = (uint32_t)((g->h - 1) / strides[i][1] + 1);
		sx = strides[i][0];
		sy = strides[i][1];
		if ((uint64_t)across * down >= g->n)
			break;
	}
	while ((uint64_t)across * down * s < g->n)
		s = next_share(s);
	/* use the aspect ratio of the area */
	cols = (uint32_t)ceil(sqrt((double)g->n / s * across / down));
	cols = cols > across ? across : MAX(cols, 1);
	while ((uint64_t)cols * down * s < g->n)
		cols++;
	per = (g->n + cols - 1) / cols; /* switches per column; a cell belongs to one column */
	AUTO_FREE uint32_t *order = shape_columns(g->l, g->sw, g->n, per);
	share = (per + down - 1) / down;
	for (uint32_t i = 0; i < g->n; i++)
		cells_put(g, order[i], (int)(i / per) * sx, (int)(i % per / share) * sy);
}

/* --- all parts --------------------------------------------------------------------------------------- */

/* Places the switches [first, end) of the order in lines at the bottom. Returns the number of lines. */
static int place_rest(struct placing *all, uint32_t first, uint32_t end, int y, int h, const char *what)
{
	int label = all->w >= 36 ? (int)strlen(what) + 1 : 0;
	struct placing g = {.c = all->c,
			    .f = all->f,
			    .l = all->l,
			    .x = label,
			    .y = y,
			    .sw = all->l->order + first,
			    .n = end - first};

	if (first == end)
		return 0;
	g.w = all->w - label > 0 ? all->w - label : 1;
	g.h = h > 0 ? h : 1;
	place_rows(&g);
	g.x = 0;
	if (label)
		cells_label(&g, 0, 0, label - 1, str_dup(what));
	return g.used;
}

/* The parts that stand side by side, and their widths. Returns their number. */
static uint32_t share_width(const struct layout *l, int w, int *wide)
{
	uint32_t k = l->n_parts, all = 0, left;

	while (k > 1 && w / (int)k < WIDE_PART)
		k--;
	for (uint32_t i = 0; i < k; i++)
		all += l->part[i].n;
	left = (uint32_t)(k > 1 ? w - (int)k * WIDE_PART : 0);
	for (uint32_t i = 0; i < k; i++)
		wide[i] = k > 1 ? WIDE_PART + (int)((uint64_t)left * l->part[i].n / all) : w;
	return k;
}

struct cell_place {
	int x, y;
	uint32_t place, sw;
};

COMPARATOR(by_line, struct cell_place, UP(y) UP(x) UP(place))

static void cells_put_in_order(struct map_cells *c, const struct layout *l)
{
	AUTO_FREE struct cell_place *p = NEW_ARRAY(c->n + 1, struct cell_place);
	uint32_t same = 0;

	for (uint32_t i = 0; i < c->n; i++)
		p[i] = (struct cell_place){c->x[l->order[i]], c->y[l->order[i]], i, l->order[i]};
	qsort(p, c->n, sizeof(*p), by_line);
	for (uint32_t i = 0; i < c->n; i++) {
		c->order[i] = p[i].sw;
		c->at[p[i].sw] = i;
		same = i && p[i].x == p[i - 1].x && p[i].y == p[i - 1].y ? same + 1 : 1;
		if (same > c->most)
			c->most = same;
		if (p[i].y + 1 > c->height)
			c->height = p[i].y + 1;
	}
}

/* Lines reserved for what stands below the parts. */
static int lines_for_rest(const struct layout *l, uint32_t shown, int w, int h)
{
	uint32_t n = l->n_alone;
	int lines;

	for (uint32_t k = shown; k < l->n_parts; k++)
		n += l->part[k].n;
	lines = n ? (int)(n / (uint32_t)(w > 20 ? w - 14 : w)) + 1 : 0;
	if (lines > h / 4)
		lines = h / 4 > 0 ? h / 4 : n != 0;
	return n && shown < l->n_parts && l->n_alone ? lines + 1 : lines;
}

struct map_cells *map_cells_new(const struct fabric *f, const struct layout *l, int w, int h)
{
	assert(l->n == f->n_switches);

	static void (*const place[])(struct placing *) = {
		[LAYOUT_TREE] = cells_place_tree, [LAYOUT_GRID] = place_grid, [LAYOUT_GROUPS] = place_groups,
		[LAYOUT_FULL] = place_groups,	  [LAYOUT_RING] = place_ring, [LAYOUT_CHAIN] = place_ring,
		[LAYOUT_OTHER] = place_points,	  [LAYOUT_ROW] = place_rows};
	struct map_cells *c = NEW(struct map_cells);
	struct placing g = {.c = c, .f = f, .l = l, .w = MAX(w, 1), .h = MAX(h, 1)};
	AUTO_FREE int *wide = NEW_ARRAY(l->n_parts + 1, int);
	uint32_t shown = share_width(l, g.w, wide);
	int rest = lines_for_rest(l, shown, g.w, g.h), y = 0, x = 0, full = g.w;

	c->w = w;
	c->h = h;
	c->n = l->n;
	c->x = NEW_ARRAY(l->n + 1, int);
	c->y = NEW_ARRAY(l->n + 1, int);
	c->order = NEW_ARRAY(l->n + 1, uint32_t);
	c->at = NEW_ARRAY(l->n + 1, uint32_t);
	c->below = NEW_ARRAY((size_t)(shown + 1) * 256, int);
	c->next = NEW_ARRAY((size_t)(shown + 1) * 256, int);
	g.h = g.h - rest > 0 ? g.h - rest : 1;
	for (uint32_t k = 0; k < shown; k++) {
		g.is = &l->part[k];
		g.sw = l->order + g.is->first;
		g.n = g.is->n;
		g.x = x;
		g.w = wide[k] - (k + 1 < shown ? 2 : 0);
		g.used = 0;
		place[g.is->kind](&g);
		x += wide[k];
		y = MAX(g.used, y);
	}
	g.x = 0;
	g.w = full;
	if (y < h - rest)
		y = h - rest;
	if (shown < l->n_parts)
		y += place_rest(&g, l->part[shown].first, l->n - l->n_alone, y, rest > 1 ? rest / 2 : 1,
				"other parts");
	place_rest(&g, l->n - l->n_alone, l->n, y, h - y, "not connected");
	cells_put_in_order(c, l);
	for (uint32_t i = 0; i < c->n_labels; i++)
		if (c->label[i].y + 1 > c->height)
			c->height = c->label[i].y + 1;
	return c;
}

void map_cells_free(struct map_cells *c)
{
	if (!c)
		return;
	for (uint32_t i = 0; i < c->n_labels; i++)
		free(c->label[i].text);
	free(c->label);
	free(c->stroke);
	free(c->x);
	free(c->y);
	free(c->order);
	free(c->at);
	free(c->below);
	free(c->next);
	free(c);
}
