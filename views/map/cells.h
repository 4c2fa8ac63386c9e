/*
 * Cells for the switches of a layout: the overview of the map.  Pure: from a layout and a size to places,
 * nothing of what is up, looked at or marked.  O(n + links), O(n log n) for layouts of points.
 */
#ifndef IBSCOPE_VIEWS_MAP_CELLS_H
#define IBSCOPE_VIEWS_MAP_CELLS_H

#include "core/analysis/shape/layout.h"

/* Text beside cells: names of levels, groups, coordinates. */
struct map_label {
	int x, y, w;
	char *text;
};

/* A link drawn with characters between two cells: across, then down. */
struct map_stroke {
	uint32_t a, b; /* switches */
	int x0, y0, x1, y1;
};

struct map_cells {
	int w, h;      /* as asked for */
	int height;    /* lines that all takes: more than h when even that is too little */
	uint32_t n;    /* switches */
	int *x, *y;    /* [n] cell of each */
	uint32_t most; /* switches in one cell */
	struct map_label *label;
	uint32_t n_labels, cap_labels;
	struct map_stroke *stroke;
	uint32_t n_strokes, cap_strokes;
	/* Trees: first line below level l of part k, and first line of the next: [part * 256 + level] */
	int *below, *next;
	uint32_t *order; /* [n] switches by line, then column, then as in the layout */
	uint32_t *at;	 /* [n] place of a switch in it */
};

struct map_cells *map_cells_new(const struct fabric *f, const struct layout *l, int w, int h);
void map_cells_free(struct map_cells *c); /* NULL is fine */

#endif
