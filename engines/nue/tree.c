/* The spanning tree of shortest paths by weight (engines/doc/nue.md 11.3). */
#include <string.h>
#include "engines/nue/internal.h"

void nue_tree(struct nue_run *x, uint32_t root, uint32_t *tree)
{
	const struct nue_graph *g = x->g;
	struct nue_heap *h = &x->heap;
	uint64_t *dist = x->dist;
	uint32_t u;

	h->n = g->n;
	memcpy(h->item, x->all_far, g->n * sizeof(*h->item));
	for (u = 0; u < g->n; u++) {
		dist[u] = NUE_INF;
		tree[u] = NO_ID;
		h->at[u] = u;
	}
	dist[root] = 0;
	nue_heap_lower(h, root, 0);
	while ((u = nue_heap_extract(h)) != NO_ID) {
		for (uint32_t c = g->first[u]; c < g->first[u + 1]; c++) {
			uint64_t d = dist[u] + x->weight[c];

			if (d >= dist[g->to[c]])
				continue;
			tree[g->to[c]] = c;
			dist[g->to[c]] = d;
			nue_heap_lower(h, g->to[c], d);
		}
	}
}
