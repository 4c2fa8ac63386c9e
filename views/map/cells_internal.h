/* What the files that place cells share. */
#ifndef IBSCOPE_VIEWS_MAP_CELLS_PARTS_H
#define IBSCOPE_VIEWS_MAP_CELLS_PARTS_H

#include "core/analysis/shape/place.h"
#include "views/map/cells.h"

/* One part being placed in an area of its own; coordinates below count from its corner. */
struct placing {
	struct map_cells *c;
	const struct fabric *f;
	const struct layout *l;
	const struct layout_part *is; /* NULL: switches that are of no part */
	const uint32_t *sw;	      /* [n] in the order of the layout */
	uint32_t n;
	int x, y, w, h; /* the area */
	int used;	/* lines */
};

void cells_put(struct placing *g, uint32_t sw, int x, int y);
void cells_label(struct placing *g, int x, int y, int w, char *text); /* text is taken over */
void cells_stroke(struct map_cells *c, uint32_t a, uint32_t b);	      /* both have their cells */
/* How many switches a cell after s: 1 2 3 4 6 8 12 16 24 .. */
uint32_t next_share(uint32_t s);
/* The largest distance of neighbours, up to most, with which that many cells fit. */
int stride_for(uint32_t units, int room, int most);

void place_rows(struct placing *g);
void place_grid(struct placing *g);
void place_groups(struct placing *g);
void place_points(struct placing *g);

#endif
