/* Shared by the files that find grids.  Squares put links in classes, and classes become dimensions. */
#ifndef IBSCOPE_LAYOUT_SQUARES_H
#define IBSCOPE_LAYOUT_SQUARES_H

#include "core/analysis/shape/internal.h"

/*
 * The direction of every link. dim: NO_ID = not known.  A link leads up from its lower end (end[2 l]) or,
 * with back, from the other end.  Links of one dimension agree in that.
 */
struct ldirections {
	unsigned n_dims;
	bool clique[GRID_MOST];
	uint32_t *dim; /* [n_links] */
	uint8_t *back; /* [n_links] */
};

/* false: not a grid, or cancelled. */
bool ldirections_find(const struct lpart *p, struct ldirections *d);
void ldirections_free(struct ldirections *d);

#endif
