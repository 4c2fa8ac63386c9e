/*
 * Places of a layout in abstract units, which the map scales to cells and drawings to points: the planes of a
 * grid and its steps, runs of groups, columns of points and of trees.
 */
#ifndef IBSCOPE_SHAPE_PLACE_H
#define IBSCOPE_SHAPE_PLACE_H

#include "core/analysis/shape/layout.h"

/* --- grids --- */

/* Number of planes along x and y, and the plane of a place: further dimensions are counted through. */
uint32_t grid_planes(const struct layout_part *is);
uint32_t grid_plane(const struct layout_part *is, const uint16_t *coord);
/* "z=2", "z=2,0"; to be freed. */
char *grid_plane_name(const struct layout_part *is, uint32_t plane);

/* The way from one switch of a grid to another. */
struct grid_way {
	unsigned differ; /* dimensions in which they are apart; 0: one of them is beside the grid */
	unsigned dim;	 /* the first of these */
	int by;		 /* places in it, the short way round a ring */
	bool around;	 /* over its end */
};
struct grid_way grid_way(const struct layout *l, uint32_t a, uint32_t b);

/* Neighbours along x or y. */
static inline bool grid_beside_in_plane(const struct grid_way *w)
{
	return w->differ == 1 && w->dim < 2 && (w->by == 1 || w->by == -1);
}

/* --- groups --- */

/* Switches of one block, in the order of a part. */
struct shape_run {
	uint32_t first, n; /* switches order[is->first + first] .. */
	uint32_t block;	   /* NO_ID: of those in none, the last */
};

/* Runs of n switches; *n_runs; to be freed. single: each switch is a run by itself. */
struct shape_run *shape_runs(const struct layout *l, const uint32_t *sw, uint32_t n, bool single,
			     uint32_t *n_runs);
/* Members of the largest. */
uint32_t shape_most(const struct shape_run *run, uint32_t n);

/* --- points --- */

/* Switches of a part in columns of `per`: columns by x, each column by y. [n], to be freed. */
uint32_t *shape_columns(const struct layout *l, const uint32_t *sw, uint32_t n, uint32_t per);

/* --- trees --- */

/* A column for each block, and one for switches in none.  Each level takes the rows that it is given. */
struct shape_tree {
	unsigned levels;
	uint32_t columns;
	const struct layout *layout;
	const struct layout_part *is;
	uint32_t *first; /* [levels + 1] switches of a level: order[is->first + first[l]] .. */
	uint32_t *count; /* [levels * columns] */
	bool *loose;	 /* [levels] no blocks: its switches keep to no column */
	uint32_t *most;	 /* [levels] switches in a column */
	uint32_t *rows;	 /* [levels] one at first */
	uint32_t *wide;	 /* [columns] places of levels with blocks */
	uint32_t *sum;	 /* [levels] places across, of all columns */
};

void shape_tree_make(struct shape_tree *t, const struct layout *l, const struct layout_part *is);
void shape_tree_free(struct shape_tree *t);
uint32_t shape_tree_column(const struct shape_tree *t, uint32_t sw);
/* Number of places across in one row of a column, with this many switches a place. */
uint32_t shape_tree_across(const struct shape_tree *t, unsigned level, uint32_t column, uint32_t share);
/* wide and sum for the rows as they are. */
void shape_tree_widths(struct shape_tree *t, uint32_t share);

#endif
