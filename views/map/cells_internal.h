/* Declarations shared by the files that place cells. */
#ifndef IBSCOPE_VIEWS_MAP_CELLS_INTERNAL_H
#define IBSCOPE_VIEWS_MAP_CELLS_INTERNAL_H

#include "core/analysis/shape/place.h"
#include "views/map/cells.h"

/* One part, placed in its own area. Coordinates below count from the area's corner. */
struct placing {
	struct map_cells *c;
	const struct fabric *f;
	const struct layout *l;
	const struct layout_part *is; /* NULL: switches that belong to no part */
	const uint32_t *sw;	      /* [n] in the layout's order */
	uint32_t n;
	int x, y, w, h; /* the area */
	int used;	/* lines used */
};

void cells_put(struct placing *g, uint32_t sw, int x, int y);
void cells_label(struct placing *g, int x, int y, int w, char *text); /* text is taken over */
void cells_stroke(struct map_cells *c, uint32_t a, uint32_t b);	      /* both must have their cells */
/* The next number of switches per cell after s: 1 2 3 4 6 8 12 16 24 .. */
uint32_t next_share(uint32_t s);
/* The largest distance of adjacent cells, up to `most`, with which that many cells fit. */
int stride_for(uint32_t units, int room, int most);

void place_rows(struct placing *g);
void place_grid(struct placing *g);
void place_groups(struct placing *g);
void place_points(struct placing *g);

#endif
