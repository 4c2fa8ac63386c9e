/* Cells for grids and their planes, for groups, and for points. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "views/map/cells_internal.h"

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

static int cells_more_digits_of(uint32_t n)
{
	int d = 1;

	for (; n > 9; n /= 10)
		d++;
	return d;
}

/* Computes the sizes from strides and places per cell. Returns the number of lines. */
static int cells_more_measure(const struct placing *g, struct cells_more_grid *r)
{
	int room;

	r->cx = (int)((r->nx + r->kx - 1) / r->kx);
	r->cy = (int)((r->ny + r->ky - 1) / r->ky);
	r->left = g->w >= 16 && r->ky == 1 && r->ny > 1 ? cells_more_digits_of(r->ny - 1) + 2
		  : g->w >= 16				? 3
							: 0;
	r->pw = (r->cx - 1) * r->sx + 1;
	r->ph = (r->cy - 1) * r->sy + 1 + r->head + r->foot;
	r->gap = r->nz == 1 ? 0 : r->sx < 2 ? 1 : 4;
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
		int x, y, bottom, wide = cells_more_digits_of(r->nx - 1);

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

void place_grid(struct placing *g)
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
	uint32_t cells = (q->most + b->s - 1) / b->s;

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
	uint32_t cells = (q->most + b->s - 1) / b->s;

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
	int lines = (int)((q->n + (uint32_t)across - 1) / (uint32_t)across), wide, high;

	across = (int)((q->n + (uint32_t)lines - 1) / (uint32_t)lines); /* make the lines equally long */
	wide = b->w + 1 + (g->w + 1 - across * (b->w + 1)) / across;
	wide = wide > b->w + 6 ? b->w + 6 : wide;
	high = b->h + ((g->h - lines * b->h) / lines > 0 && lines > 1 ? 1 : 0);
	for (uint32_t k = 0; k < q->n; k++)
		cells_more_put_group(g, q, b, k, (int)(k % (uint32_t)across) * wide,
				     (int)(k / (uint32_t)across) * high);
}

void place_groups(struct placing *g)
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
void place_points(struct placing *g)
{
	static const int strides[][2] = {{8, 3}, {6, 3}, {4, 2}, {3, 2}, {2, 2}, {2, 1}, {1, 1}};
	uint32_t s = 1, cols, per, across = 1, down = 1, share, *order;
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
	order = shape_columns(g->l, g->sw, g->n, per);
	share = (per + down - 1) / down;
	for (uint32_t i = 0; i < g->n; i++)
		cells_put(g, order[i], (int)(i / per) * sx, (int)(i % per / share) * sy);
	free(order);
}
