/* Dijkstra's search with OpenSM's heap. */
#include <string.h>

#include "core/base/memory.h"
#include "core/base/release.h"
#include "engines/dfsssp/internal.h"
#include "engines/heap4.h"

struct ds_heap {
	const struct ds_graph *g;
	const uint32_t *weight; /* of the current search */
	struct ds_tree tree;	/* vertex n is the destination CA port */
	uint32_t *rank;		/* [n + 1] */
	bool in_order;
	uint32_t limit;	   /* distances beyond this may be wrong */
	uint32_t reached;  /* number of vertices with a distance */
	uint32_t farthest; /* largest distance, once all are reached */
	struct heap4 q;	   /* vertices by distance */
	/* items and places of the heap at the start of a search */
	uint64_t *heap0;
	uint32_t *pos0;
};

struct ds_heap *ds_heap_new(const struct ds_graph *g)
{
	struct ds_heap *h = NEW(struct ds_heap);

	h->g = g;
	h->tree.dist = NEW_ARRAY(g->n + 1u, uint32_t);
	h->tree.out = NEW_ARRAY(g->n + 1u, uint32_t);
	h->tree.order = NEW_ARRAY(g->n + 1u, uint32_t);
	h->q = heap4_new(g->n + 1u);
	h->heap0 = NEW_ARRAY(g->n + 1u, uint64_t);
	h->rank = NEW_ARRAY(g->n + 1u, uint32_t);
	h->pos0 = NEW_ARRAY(g->n + 1u, uint32_t);
	for (uint32_t v = 0; v <= g->n; v++) {
		h->heap0[v] = heap4_item(DS_INFINITE, v);
		h->pos0[v] = v;
	}
	return h;
}

void ds_heap_free(struct ds_heap *h)
{
	if (!h)
		return;
	FREE_EACH(h->tree.dist, h->tree.out, h->tree.order);
	heap4_free(&h->q);
	FREE_EACH(h->heap0, h->pos0, h->rank, h);
}

/* Not inlined, like dfsssp_heap_lower(): this keeps the hot loops fast. */
static __attribute__((noinline)) uint64_t take_least(struct ds_heap *h)
{
	return heap4_take(&h->q);
}

/* --- the search ------------------------------------------------------------------------ */

static __attribute__((noinline)) void dfsssp_heap_lower(struct ds_heap *h, uint32_t v, uint32_t dist,
							uint32_t out)
{
	h->reached += h->tree.dist[v] == DS_INFINITE;
	h->tree.dist[v] = dist;
	h->tree.out[v] = out;
	heap4_lower(&h->q, v, dist);
}

static __attribute__((noinline)) void dfsssp_heap_relax(struct ds_heap *h, uint32_t u)
{
	const struct ds_graph *g = h->g;
	const uint32_t *dist = h->tree.dist;
	uint64_t here = dist[u];

	for (uint32_t c = g->first[u], end = g->first[u + 1]; c < end; c++) {
		uint32_t v = g->to[c], back = g->mate[c];
		uint64_t d = here + h->weight[back];

		/* skips vertices taken before: they are nearer */
		if (d < dist[v])
			dfsssp_heap_lower(h, v, (uint32_t)d, back);
	}
}

/*
 * Once all vertices are reached, can no item from this distance on shorten a distance? Every edge weighs
 * g->start or more, and distances only fall.
 */
static bool dfsssp_heap_is_over(struct ds_heap *h, uint32_t dist)
{
	if (h->in_order || h->reached < h->g->n)
		return false;
	if (h->farthest == DS_INFINITE) {
		h->farthest = dist;
		for (uint32_t i = 0; i < h->q.n; i++)
			if (heap4_key(h->q.item[i]) > h->farthest)
				h->farthest = heap4_key(h->q.item[i]);
	}
	return dist + h->g->start >= h->farthest;
}

/* Runs the search. Distances beyond h->limit are undefined. */
static void dfsssp_heap_run(struct ds_heap *h, struct ds_source from)
{
	uint32_t n = h->g->n, source = from.host ? n : from.v;

	/* all start unreached, in the order of insertion, with the destination's CA port last */
	h->q.n = n + from.host;
	memcpy(h->q.item, h->heap0, (n + 1u) * sizeof(*h->q.item));
	memcpy(h->q.at, h->pos0, (n + 1u) * sizeof(*h->q.at));
	memset(h->tree.out, 0xff, (n + 1u) * sizeof(*h->tree.out)); /* NO_ID */
	for (uint32_t v = 0; v <= n; v++)
		h->tree.dist[v] = DS_INFINITE;
	for (uint32_t i = 0; i < HEAP4_SENTINELS; i++)
		h->q.item[h->q.n + i] = UINT64_MAX;
	h->tree.n_order = 0;
	h->reached = !from.host;
	h->farthest = DS_INFINITE;
	h->tree.dist[source] = 0;
	heap4_lower(&h->q, source, 0);
	while (h->q.n) {
		uint64_t e = take_least(h);
		uint32_t u = (uint32_t)e;

		if (heap4_key(e) > h->limit || heap4_key(e) == DS_INFINITE)
			break;
		if (u == n) {
			dfsssp_heap_lower(h, from.v, 1, NO_ID);
			continue;
		}
		h->tree.order[h->tree.n_order++] = u;
		if (dfsssp_heap_is_over(h, heap4_key(e))) {
			/* vertices still in the heap are leaves of the tree */
			for (uint32_t i = 0; i < h->q.n; i++)
				h->tree.order[h->tree.n_order++] = (uint32_t)h->q.item[i];
			break;
		}
		if (heap4_key(e) + h->g->start <= h->limit)
			dfsssp_heap_relax(h, u);
	}
}

const struct ds_tree *ds_heap_run(struct ds_heap *h, const uint32_t *weight, struct ds_source from,
				  bool in_order)
{
	h->weight = weight;
	h->in_order = in_order;
	h->limit = DS_INFINITE;
	dfsssp_heap_run(h, from);
	return &h->tree;
}

const uint32_t *ds_heap_ranks(struct ds_heap *h, const uint32_t *weight, struct ds_source from,
			      uint32_t limit)
{
	h->weight = weight;
	h->in_order = true;
	h->limit = limit;
	dfsssp_heap_run(h, from);
	for (uint32_t i = 0; i < h->tree.n_order; i++)
		h->rank[h->tree.order[i]] = i;
	return h->rank;
}
