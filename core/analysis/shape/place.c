/* Places in abstract units. */
#include "core/analysis/shape/place.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/text.h"

/* --- grids --- */

uint32_t grid_planes(const struct layout_part *is)
{
	uint32_t planes = 1;

	for (unsigned d = 2; d < is->n_dims; d++)
		planes *= is->dim[d].size;
	return planes;
}

uint32_t grid_plane(const struct layout_part *is, const uint16_t *coord)
{
	uint32_t plane = 0;

	for (unsigned d = is->n_dims; d-- > 2;)
		plane = plane * is->dim[d].size + coord[d];
	return plane;
}

char *grid_plane_name(const struct layout_part *is, uint32_t plane)
{
	struct text t = {0};
	char *s;

	for (unsigned d = 2; d < is->n_dims; d++) {
		text_add(&t, "%s%u", d > 2 ? "," : "z=", plane % is->dim[d].size);
		plane /= is->dim[d].size;
	}
	s = str_dup(text_str(&t));
	text_free(&t);
	return s;
}

struct grid_way grid_way(const struct layout *l, uint32_t a, uint32_t b)
{
	const struct layout_part *is = &l->part[l->part_of[a]];
	const uint16_t *from = layout_coord(l, a), *to = layout_coord(l, b);
	struct grid_way w = {0};

	if (*from == LAYOUT_BESIDE || *to == LAYOUT_BESIDE)
		return w;
	for (unsigned d = is->n_dims; d-- > 0;)
		if (from[d] != to[d]) {
			w.dim = d;
			w.differ++;
		}
	w.by = to[w.dim] - from[w.dim];
	w.around = is->dim[w.dim].kind == LAYOUT_CYCLE && 2 * abs(w.by) > is->dim[w.dim].size;
	if (w.around)
		w.by += w.by < 0 ? is->dim[w.dim].size : -(int)is->dim[w.dim].size;
	return w;
}

/* --- groups --- */

struct shape_run *shape_runs(const struct layout *l, const uint32_t *sw, uint32_t n, bool single,
			     uint32_t *n_runs)
{
	struct shape_run *run = NEW_ARRAY(n + 1, struct shape_run);

	*n_runs = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (!i || single || l->block[sw[i]] != l->block[sw[i - 1]])
			run[(*n_runs)++] = (struct shape_run){i, 0, l->block[sw[i]]};
		run[*n_runs - 1].n++;
	}
	return run;
}

uint32_t shape_most(const struct shape_run *run, uint32_t n)
{
	uint32_t most = 0;

	for (uint32_t k = 0; k < n; k++)
		most = MAX(run[k].n, most);
	return most;
}

/* --- points --- */

struct point {
	float x, y;
	uint32_t place, sw; /* place: by name */
};

COMPARATOR(by_x, struct point, UP(x) UP(place))
COMPARATOR(by_y, struct point, UP(y) UP(x) UP(place))

uint32_t *shape_columns(const struct layout *l, const uint32_t *sw, uint32_t n, uint32_t per)
{
	struct point *p = NEW_ARRAY(n + 1, struct point);
	uint32_t *order = NEW_ARRAY(n + 1, uint32_t);

	for (uint32_t i = 0; i < n; i++)
		p[i] = (struct point){l->x[sw[i]], l->y[sw[i]], i, sw[i]};
	qsort(p, n, sizeof(*p), by_x);
	for (uint32_t i = 0; i < n; i += per)
		qsort(p + i, n - i < per ? n - i : per, sizeof(*p), by_y);
	for (uint32_t i = 0; i < n; i++)
		order[i] = p[i].sw;
	free(p);
	return order;
}

/* --- trees --- */

uint32_t shape_tree_column(const struct shape_tree *t, uint32_t sw)
{
	uint32_t b = t->layout->block[sw];

	return b == NO_ID ? t->columns - 1 : b - t->is->first_block;
}

void shape_tree_make(struct shape_tree *t, const struct layout *l, const struct layout_part *is)
{
	*t = (struct shape_tree){.levels = is->levels ? is->levels : 1, .columns = is->n_blocks + 1};
	t->layout = l;
	t->is = is;
	t->first = NEW_ARRAY(t->levels + 1, uint32_t);
	t->count = NEW_ARRAY((size_t)t->levels * t->columns, uint32_t);
	t->loose = NEW_ARRAY(t->levels, bool);
	t->most = NEW_ARRAY(t->levels, uint32_t);
	t->rows = NEW_ARRAY(t->levels, uint32_t);
	t->wide = NEW_ARRAY(t->columns, uint32_t);
	t->sum = NEW_ARRAY(t->levels, uint32_t);
	for (unsigned lev = 0; lev < t->levels; lev++) {
		t->loose[lev] = true;
		t->rows[lev] = 1;
	}
	for (uint32_t i = 0; i < is->n; i++) {
		uint32_t sw = l->order[is->first + i];
		unsigned lev = l->level[sw];
		uint32_t *count = &t->count[lev * t->columns + shape_tree_column(t, sw)];

		t->first[lev + 1] = i + 1;
		t->loose[lev] &= l->block[sw] == NO_ID;
		t->most[lev] = ++*count > t->most[lev] ? *count : t->most[lev];
	}
}

void shape_tree_free(struct shape_tree *t)
{
	free(t->first);
	free(t->count);
	free(t->loose);
	free(t->most);
	free(t->rows);
	free(t->wide);
	free(t->sum);
}

uint32_t shape_tree_across(const struct shape_tree *t, unsigned level, uint32_t column, uint32_t share)
{
	uint32_t places = (t->count[level * t->columns + column] + share - 1) / share;

	return (places + t->rows[level] - 1) / t->rows[level];
}

void shape_tree_widths(struct shape_tree *t, uint32_t share)
{
	memset(t->wide, 0, t->columns * sizeof(*t->wide));
	for (unsigned lev = 0; lev < t->levels; lev++) {
		t->sum[lev] = 0;
		for (uint32_t c = 0; c < t->columns; c++) {
			uint32_t w = shape_tree_across(t, lev, c, share);

			t->sum[lev] += w;
			if (!t->loose[lev] && w > t->wide[c])
				t->wide[c] = w;
		}
	}
}
