/*
 * Is the fabric that is up a torus or a mesh of up to three dimensions, and where is each switch? Places are
 * those of the layout (layout.h).  Switches and links may be missing.  Parallel links count as one.  Names
 * decide what the cables leave open.
 */
#ifndef IBSCOPE_GRID_H
#define IBSCOPE_GRID_H

#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/fabric/state.h"

#define GRID_DIMS 3
#define GRID_DIRECTIONS 6 /* 2d: down in dimension d, 2d + 1: up */

struct grid {
	unsigned radix[GRID_DIMS]; /* 1: there is no such dimension; the largest first */
	bool open[GRID_DIMS];	   /* a mesh in this dimension; radix 1 and 2 always */
	uint32_t n_places;
	uint32_t *at;	 /* [n_places] switch id, NO_ID = missing; place x + X * (y + Y * z) */
	uint32_t *place; /* [n_switches] NO_ID = not there */
	uint32_t missing_switches;
	uint32_t missing_links; /* pairs of neighbours, both there, without a link */
	char *missing_link;	/* one of them in words, NULL = none; owned */
};

/*
 * The whole discovered fabric as a grid. variant: 0.  Other numbers give other placements, as long as there
 * are any (dimensions of 4 and 2 can be cut into rings in several ways).  NULL and *e: the break of the
 * pattern and its place, or cancelled.
 */
struct grid *grid_find(const struct topo *t, unsigned variant, struct progress *p, struct err *e);
void grid_free(struct grid *g); /* NULL is fine */

void grid_coordinates(const struct grid *g, uint32_t place, unsigned c[GRID_DIMS]);
uint32_t grid_place(const struct grid *g, const unsigned c[GRID_DIMS]);
/* The next place in a direction.  NO_ID at an open end, and where the radix is 1. */
uint32_t grid_beside(const struct grid *g, uint32_t place, unsigned direction);
/* The switch at that place, when a link that is up leads to it; NO_ID. */
uint32_t grid_neighbour(const struct grid *g, const struct topo *t, uint32_t place, unsigned direction);

/* "5 x 5 torus", "4 x 3 x 2 mesh", "4t x 3m"; buf is returned. */
const char *grid_text(const struct grid *g, char *buf, size_t size);

#endif
