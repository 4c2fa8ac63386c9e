/*
 * One search from a destination (engines/doc/dfsssp.md 5): Dijkstra with a 4-ary
 * heap whose shape decides between equal distances.
 */
#ifndef IBSCOPE_DFSSSP_SEARCH_H
#define IBSCOPE_DFSSSP_SEARCH_H

#include "engines/dfsssp/graph.h"

/* OpenSM's distance of what is not reached: what would be as far or farther is never reached. */
#define DS_INFINITE 0x7FFFFFFFu
/* In used[]: the switch that the destination port hangs on. */
#define DS_ATTACHED (NO_ID - 1)

struct ds_link {
	uint32_t to;
	uint32_t weight; /* never above 2 * lids squared, and lids squared is below DS_INFINITE or nothing is
			    reached */
};

struct ds_search {
	const struct ds_graph *g;
	struct ds_link *link; /* [n_edges] the edges with their weights now */
	uint32_t *dist;	      /* [n + 1] */
	uint32_t *used; /* [n + 1] edge that reached a vertex; NO_ID = none, or the source; DS_ATTACHED */
	/*
	 * [n] vertices that were reached, in the order they were taken from the heap; with `brief` those in
	 * no particular order at the end that could not have changed anything any more.
	 */
	uint32_t *order;
	uint32_t n_order;
	bool brief;
	uint32_t least_weight; /* no edge weighs less */
	uint32_t reached;      /* vertices at some distance */
	uint32_t farthest;     /* distance that none is beyond, once all are reached */
	/* the heap: distance << 32 | vertex, vertex n = the destination CA port; sentinels behind the last */
	uint64_t *heap;
	uint32_t *pos; /* [n + 1] place in the heap */
	uint32_t size;
	/* heap and pos at the start of a search */
	uint64_t *heap0;
	uint32_t *pos0;
};

struct ds_search *ds_search_new(const struct ds_graph *g);
void ds_search_free(struct ds_search *s); /* NULL is fine */

/* Where a search starts: at vertex v, or (host) at a CA port that hangs on it. */
struct ds_source {
	uint32_t v;
	bool host;
};

struct ds_source ds_source_of(const struct ds_graph *g, const struct topo *t, uint32_t endport);

/* Fill dist, used, order. */
void ds_search_run(struct ds_search *s, struct ds_source from);

/*
 * Put the routes of the tree on its edges: each switch sends one from each of its
 * LIDs.  load: [n] all 0, and again afterwards.
 */
void ds_search_load(struct ds_search *s, uint32_t *load);

#endif
