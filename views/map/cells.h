/*
 * Cells for the switches of a layout, for the overview of the map. Places depend only on layout and size, not
 * on what is up, selected or marked. Costs O(n + links), or O(n log n) for layouts of points.
 */
#ifndef IBSCOPE_VIEWS_MAP_CELLS_H
#define IBSCOPE_VIEWS_MAP_CELLS_H

#include "core/analysis/shape/layout.h"

/* A text beside cells: the name of a level or group, or a coordinate. */
struct map_label {
	int x, y, w;
	char *text;
};

/* A link drawn with characters between two cells, first across, then down. */
struct map_stroke {
	uint32_t a, b; /* switches */
	int x0, y0, x1, y1;
};

struct map_cells {
	int w, h;      /* as asked for */
	int height;    /* lines needed; more than h if h is too small */
	uint32_t n;    /* switches */
	int *x, *y;    /* [n] cell of each */
	uint32_t most; /* switches in one cell */
	struct map_label *label;
	uint32_t n_labels, cap_labels;
	struct map_stroke *stroke;
	uint32_t n_strokes, cap_strokes;
	/*
	 * Trees: first line below level l of part k, and first line of the next level, at [part * 256 +
	 * level]
	 */
	int *below, *next;
	uint32_t *order; /* [n] switches by line, then column, then the layout's order */
	uint32_t *at;	 /* [n] place of a switch in `order` */
};

struct map_cells *map_cells_new(const struct fabric *f, const struct layout *l, int w, int h);
void map_cells_free(struct map_cells *c); /* NULL is fine */

#endif
