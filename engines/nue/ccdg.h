/*
 * The complete channel dependency graph of a fabric with what a layer has made
 * of it (engines/doc/nue.md 9, 10): which dependencies are in use, which would close a cycle.
 *
 * Its vertices are the channels 0 .. n_channels - 1 and, behind them, one fake
 * channel a node (n_channels + node) by which a search begins there.  A
 * dependency c -> x of a channel c into v has its place at edge_of(c, x); x runs
 * over the channels that leave v.  The place of c's own reverse is BLOCKED.
 *
 * Colours.  OpenSM gives each vertex and edge a colour id, and ids a table of
 * what they stand for.  Here things carry the number of a slot, and slots carry
 * ids: replacing an id everywhere, as OpenSM does after each destination, is
 * then a matter of a few slots.
 *
 * Cycles.  OpenSM searches the coloured graph.  Here a topological order of it is
 * kept as dependencies come (D. J. Pearce, P. H. J. Kelly, A Dynamic Topological
 * Sort Algorithm for Directed Acyclic Graphs, ACM Journal of Experimental
 * Algorithmics 11, 2007), which answers most questions at once.
 */
#ifndef IBSCOPE_NUE_CCDG_H
#define IBSCOPE_NUE_CCDG_H

#include "engines/nue/graph.h"

enum { NUE_BLOCKED, NUE_UNUSED, NUE_ESCAPE, NUE_FIRST_COLOUR };

struct nue_wet {
	uint32_t *of;
	size_t n, cap;
};

struct nue_ccdg {
	const struct nue_graph *g;
	uint32_t n_vertices, n_edges;
	uint32_t *first_edge; /* [n_vertices] place of the edge to channel first[to], minus first[to] */
	uint16_t *edge;	      /* [n_edges] slot */
	uint16_t *vertex;     /* [n_vertices] slot */
	/* painted for the present destination, and the lists of these */
	uint8_t *edge_wet, *vertex_wet;
	struct nue_wet wet_edges, wet_vertices;
	/* colours */
	uint32_t n_slots;
	uint32_t *slot; /* [n_slots] colour id */
	uint32_t *real; /* [n_colours] colour of an id */
	uint32_t n_colours;
	/* order of channels: no coloured edge leads from a higher to a lower one, unless cyclic */
	uint32_t *order; /* [n_channels] */
	uint32_t *mark;	 /* [n_channels] epoch in which a search met it */
	uint32_t epoch;
	uint32_t *queue, *before, *place; /* [n_channels] room for searches */
	uint64_t *sort;			  /* [n_channels] */
	bool cyclic;  /* a merge closed a cycle: the order is worth nothing in this layer */
	bool endless; /* OpenSM's search would go round in it for ever */
	/* of the layer, for those who ask */
	uint64_t searches, blocked, merges;
};

struct nue_ccdg *nue_ccdg_new(const struct nue_graph *g);
void nue_ccdg_free(struct nue_ccdg *d); /* NULL is fine */

/* Begin a layer: nothing is used; n_colours: ids 0 .. n_colours - 1 will be asked for. */
void nue_ccdg_reset(struct nue_ccdg *d, uint32_t n_colours);

/*
 * Mark a channel or dependency as part of the escape paths; then order the
 * channels, those of lower rank first where nothing else decides.
 */
static inline void nue_mark_channel(struct nue_ccdg *d, uint32_t c)
{
	d->vertex[c] = NUE_ESCAPE;
}
void nue_mark_edge(struct nue_ccdg *d, uint32_t c, uint32_t x);
void nue_ccdg_order(struct nue_ccdg *d, const uint32_t *rank);

static inline uint32_t nue_fake(const struct nue_ccdg *d, uint32_t node)
{
	return d->g->n_channels + node;
}

/* Node that a vertex leads into. */
static inline uint32_t nue_end(const struct nue_ccdg *d, uint32_t c)
{
	return c < d->g->n_channels ? d->g->to[c] : c - d->g->n_channels;
}

static inline uint32_t nue_start(const struct nue_ccdg *d, uint32_t c)
{
	return c < d->g->n_channels ? d->g->from[c] : c - d->g->n_channels;
}

static inline uint32_t nue_edge_of(const struct nue_ccdg *d, uint32_t c, uint32_t x)
{
	return d->first_edge[c] + x;
}

/* Is the edge in use (its colour above UNUSED)? */
static inline bool nue_used(const struct nue_ccdg *d, uint32_t e)
{
	return d->edge[e] > NUE_UNUSED;
}

/* Begin a destination with colour s at a node; its fake channel. */
uint32_t nue_begin(struct nue_ccdg *d, uint32_t node, uint32_t s);

/*
 * Take the dependency h -> x into the subgraph of colour s; true when that would
 * close a cycle: it is then BLOCKED for the rest of the layer.
 */
bool nue_try(struct nue_ccdg *d, uint32_t h, uint32_t x, uint32_t s);

/* Take it back if it was painted for the present destination. */
static inline void nue_unpaint(struct nue_ccdg *d, uint32_t e)
{
	if (!d->edge_wet[e])
		return;
	d->edge[e] = NUE_UNUSED;
	d->edge_wet[e] = 0;
}

/* End a destination: keep what its tree uses[] (channel into each node, NO_ID), clean the rest. */
void nue_end_destination(struct nue_ccdg *d, const uint32_t *used, uint32_t src);

/*
 * A way h <- ... <- x over dependencies in use: the cycle that h -> x would close.
 * Channels from x to h, their number, 0 when there is none.  way: [n_channels].
 */
uint32_t nue_way_back(struct nue_ccdg *d, uint32_t h, uint32_t x, uint32_t *way);

#endif
