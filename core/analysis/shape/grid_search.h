/* Between the files that find grids: the graph of switches, shapes by counting, and the search. */
#ifndef IBSCOPE_GRID_SEARCH_H
#define IBSCOPE_GRID_SEARCH_H

#include "core/analysis/shape/grid.h"

/* Switches that are up and which of them are linked; parallel links once, loop-backs not. */
struct switch_graph {
	uint32_t n, n_edges; /* edges: unordered pairs */
	uint32_t *sw;	     /* [n] switch id */
	uint32_t *first;     /* [n + 1] */
	uint32_t *to;	     /* neighbours of u: to[first[u]] .. */
	unsigned max_degree;
	uint32_t widest; /* a switch with that many */
};

struct switch_graph *switch_graph_new(const struct topo *t);
void switch_graph_free(struct switch_graph *g);
bool switch_graph_linked(const struct switch_graph *g, uint32_t u, uint32_t v);
/* Take the edge u - v out (or, with v NO_ID, all edges of u and the switch itself); a new graph. */
struct switch_graph *switch_graph_without(const struct switch_graph *g, uint32_t u, uint32_t v);

/* Links between neighbours that may be missing. */
uint32_t grid_most_unlinked(const struct switch_graph *g);

/* A shape that the numbers of switches and links allow. */
struct grid_shape {
	unsigned radix[GRID_DIMS];
	bool open[GRID_DIMS];
	uint32_t missing; /* switches */
	uint32_t lost;	  /* links fewer than the whole shape has */
};

/* All of them, the likeliest first; *n; caller frees. */
struct grid_shape *grid_shapes(const struct switch_graph *g, size_t *n);

/* How far a search came. */
struct grid_failure {
	struct grid_shape shape;
	uint32_t placed; /* switches that fitted */
	uint32_t stuck;	 /* the one that did not, NO_ID = none */
	uint32_t a, b;	 /* two of its neighbours that were placed, NO_ID = none */
	unsigned at_a[GRID_DIMS], at_b[GRID_DIMS];
};

/*
 * Place all switches of a graph: coord[u * 3 + d].  false: impossible, given up, or
 * cancelled; *why gets the furthest try when it came further than what is there.
 */
bool grid_search(const struct switch_graph *g, const struct grid_shape *s, unsigned variant, unsigned *coord,
		 struct progress *p, struct grid_failure *why);

#endif
