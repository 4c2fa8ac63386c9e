/*
 * The edge and the top of a fabric, found from its cables and hosts alone, without any engine.  OpenSM finds
 * roots by counting.  That fails where switches carry aggregation nodes, or where a few hosts stand on a
 * spine.
 */
#ifndef IBSCOPE_LEVELS_H
#define IBSCOPE_LEVELS_H

#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/fabric/state.h"

struct levels {
	uint32_t n_switches;
	uint32_t *hosts;  /* [n_switches] hosts that count on each */
	uint8_t *edge;	  /* [n_switches] 1 = edge switch */
	uint16_t *level;  /* [n_switches] links to the nearest edge switch; NO_HOPS: it reaches none, or is
			     down */
	double *share;	  /* [n_ports] even shares with the hosts on edge switches only (spread.h) */
	unsigned top;	  /* highest level with a switch of positive share; 0: a direct fabric */
	uint32_t n_edges; /* edge switches */
	/* [n_switches] 1 = on the top level with a positive share; in a direct fabric only the switch in the
	 * middle */
	uint8_t *root;
	uint32_t n_roots;
};

/* hosts: [n_switches] number of hosts that count on each, copied.  Returns NULL when cancelled. */
struct levels *levels_new(const struct topo *t, const uint32_t *hosts, struct progress *p);

/*
 * Writes GUIDs in the form of OpenSM's files, a line each: those of the roots, or those of the host ports in
 * `in` [n_endports], either on edge switches (edge) or the others.
 */
void levels_root_guids(const struct levels *l, const struct fabric *f, struct text *t);
void levels_host_guids(const struct levels *l, const struct topo *tp, const uint8_t *in, bool edge,
		       struct text *t);

/*
 * Is the part of the fabric that is up a torus or a mesh of up to three dimensions, and where is each switch?
 * Places come from the layout (layout.h).  Switches and links may be missing.  Parallel links count as one.
 * Names decide what the cables leave open.
 */

#define GRID_DIMS 3
#define GRID_DIRECTIONS (2 * GRID_DIMS) /* 2d: down in dimension d, 2d + 1: up */

struct grid {
	unsigned radix[GRID_DIMS]; /* 1: no such dimension; largest first */
	bool open[GRID_DIMS];	   /* a mesh in this dimension; radix 1 and 2 always */
	uint32_t n_places;
	uint32_t *at;	 /* [n_places] switch id, NO_ID = missing; place x + X * (y + Y * z) */
	uint32_t *place; /* [n_switches] NO_ID = not there */
	uint32_t missing_switches;
	uint32_t missing_links; /* pairs of neighbours that are both present but have no link */
	char *missing_link;	/* one of these in words, NULL = none; owned */
};

/*
 * Finds the whole discovered fabric's grid. variant 0 is the first placement; other numbers give other
 * placements, as long as there are any (dimensions of 4 and 2 can be cut into rings in several ways).  NULL
 * and *e: the break of the pattern and its place, or cancelled.
 */
struct grid *grid_find(const struct topo *t, unsigned variant, struct progress *p, struct err *e);

void grid_coordinates(const struct grid *g, uint32_t place, unsigned c[GRID_DIMS]);
/* The next place in a direction; NO_ID at an open end, and where the radix is 1. */
uint32_t grid_beside(const struct grid *g, uint32_t place, unsigned direction);
/* Is b the next place from a in some direction? */
bool grid_adjacent(const struct grid *g, uint32_t a, uint32_t b);
/* The switch at the next place in a direction, when a live link leads to it; otherwise NO_ID. */
uint32_t grid_neighbour(const struct grid *g, const struct topo *t, uint32_t place, unsigned direction);

/* "5 x 5 torus", "4 x 3 x 2 mesh", "4t x 3m"; buf is returned. */
const char *grid_text(const struct grid *g, char *buf, size_t size);

#endif
