/*
 * The heap follows OpenSM's in every move, because among equal distances its
 * shape decides which vertex comes first, and that decides between routes.
 */
#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"
#include "engines/dfsssp/internal.h"

#define SENTINELS 4

struct ds_heap {
	const struct ds_graph *g;
	const ds_link *link; /* of the present search */
	struct ds_tree tree; /* vertex n is the destination CA port */
	uint32_t *rank;	     /* [n + 1] */
	bool in_order;
	uint32_t limit;	   /* distances beyond it need not be right */
	uint32_t reached;  /* vertices at some distance */
	uint32_t farthest; /* distance that none is beyond, once all are reached */
	/* distance << 32 | vertex; sentinels behind the last */
	uint64_t *heap;
	uint32_t *pos; /* [n + 1] place in the heap */
	uint32_t size;
	/* heap and pos at the start of a search */
	uint64_t *heap0;
	uint32_t *pos0;
};

static inline uint32_t key(uint64_t e)
{
	return (uint32_t)(e >> 32);
}

static inline uint64_t entry(uint32_t dist, uint32_t v)
{
	return (uint64_t)dist << 32 | v;
}

struct ds_heap *ds_heap_new(const struct ds_graph *g)
{
	struct ds_heap *h = NEW(struct ds_heap);

	h->g = g;
	h->tree.dist = NEW_ARRAY(g->n + 1u, uint32_t);
	h->tree.out = NEW_ARRAY(g->n + 1u, uint32_t);
	h->tree.order = NEW_ARRAY(g->n + 1u, uint32_t);
	h->heap = NEW_ARRAY(g->n + 1u + SENTINELS, uint64_t);
	h->pos = NEW_ARRAY(g->n + 1u, uint32_t);
	h->heap0 = NEW_ARRAY(g->n + 1u, uint64_t);
	h->rank = NEW_ARRAY(g->n + 1u, uint32_t);
	h->pos0 = NEW_ARRAY(g->n + 1u, uint32_t);
	for (uint32_t v = 0; v <= g->n; v++) {
		h->heap0[v] = entry(DS_INFINITE, v);
		h->pos0[v] = v;
	}
	return h;
}

void ds_heap_free(struct ds_heap *h)
{
	if (!h)
		return;
	free(h->tree.dist);
	free(h->tree.out);
	free(h->tree.order);
	free(h->heap);
	free(h->heap0);
	free(h->pos0);
	free(h->pos);
	free(h->rank);
	free(h);
}

/* --- the heap ------------------------------------------------------------------------- */

static inline void put(struct ds_heap *h, uint32_t at, uint64_t e)
{
	h->heap[at] = e;
	h->pos[(uint32_t)e] = at;
}

static inline void sift_up(struct ds_heap *h, uint32_t at, uint64_t e)
{
	while (at) {
		uint32_t parent = (at - 1) / 4;

		if (key(e) >= key(h->heap[parent]))
			break;
		put(h, at, h->heap[parent]);
		at = parent;
	}
	put(h, at, e);
}

static inline uint64_t least(uint64_t a, uint64_t b)
{
	return b < a ? b : a;
}

/*
 * Where among four children the one with the smallest key is; of equal ones the
 * right-most: the key with (3 - its place) below, as vertices are below 2^30.
 */
static inline uint64_t smallest(const uint64_t *child)
{
	return least(least(child[0] >> 30 | 3, child[1] >> 30 | 2),
		     least(child[2] >> 30 | 1, child[3] >> 30));
}

static inline void sift_down(struct ds_heap *h, uint64_t e)
{
	uint64_t *heap = h->heap, mine = key(e);
	uint32_t *pos = h->pos, at = 0, size = h->size;

	for (uint32_t c; (c = 4 * at + 1) < size;) {
		uint64_t child = smallest(heap + c);

		if (mine <= child >> 2)
			break;
		c += 3 - (child & 3);
		pos[(uint32_t)heap[c]] = at;
		heap[at] = heap[c];
		at = c;
	}
	heap[at] = e;
	pos[(uint32_t)e] = at;
}

static __attribute__((noinline)) uint64_t take_least(struct ds_heap *h)
{
	uint64_t least = h->heap[0], last = h->heap[--h->size];

	h->heap[h->size] = UINT64_MAX;
	if (h->size)
		sift_down(h, last);
	return least;
}

/* All vertices at no distance yet: equal keys stay as they are put, the destination's CA port last. */
static void fill(struct ds_heap *h, struct ds_source from)
{
	uint32_t n = h->g->n;

	h->size = n + from.host;
	memcpy(h->heap, h->heap0, (n + 1u) * sizeof(*h->heap));
	memcpy(h->pos, h->pos0, (n + 1u) * sizeof(*h->pos));
	memset(h->tree.out, 0xff, (n + 1u) * sizeof(*h->tree.out)); /* NO_ID */
	for (uint32_t v = 0; v <= n; v++)
		h->tree.dist[v] = DS_INFINITE;
	for (uint32_t i = 0; i < SENTINELS; i++)
		h->heap[h->size + i] = UINT64_MAX;
}

/* --- the search ------------------------------------------------------------------------ */

/* Out of line: the loop that calls it now and then is what takes the time. */
static __attribute__((noinline)) void lower(struct ds_heap *h, uint32_t v, uint32_t dist, uint32_t out)
{
	h->reached += h->tree.dist[v] == DS_INFINITE;
	h->tree.dist[v] = dist;
	h->tree.out[v] = out;
	sift_up(h, h->pos[v], entry(dist, v));
}

static __attribute__((noinline)) void relax(struct ds_heap *h, uint32_t u)
{
	const struct ds_graph *g = h->g;
	const uint32_t *dist = h->tree.dist;
	uint64_t here = dist[u];

	for (uint32_t c = g->first[u], end = g->first[u + 1]; c < end; c++) {
		uint32_t v = g->to[c], back = g->mate[c];
		uint64_t d = here + ds_weight(h->link[back]);

		/* never of what was taken already: that is nearer */
		if (d < dist[v])
			lower(h, v, (uint32_t)d, back);
	}
}

/*
 * Can what comes off the heap from this distance on still shorten something?  Every
 * edge weighs least_weight or more, and distances only fall.
 */
static bool is_over(struct ds_heap *h, uint32_t dist)
{
	if (h->in_order || h->reached < h->g->n)
		return false;
	if (h->farthest == DS_INFINITE) {
		h->farthest = dist;
		for (uint32_t i = 0; i < h->size; i++)
			if (key(h->heap[i]) > h->farthest)
				h->farthest = key(h->heap[i]);
	}
	return dist + h->g->start >= h->farthest;
}

/* Vertices still on the heap are the ends of their branches. */
static void take_rest(struct ds_heap *h)
{
	for (uint32_t i = 0; i < h->size; i++)
		h->tree.order[h->tree.n_order++] = (uint32_t)h->heap[i];
	h->size = 0;
}

/* What is farther than the limit may be anything. */
static void run(struct ds_heap *h, struct ds_source from)
{
	uint32_t n = h->g->n, source = from.host ? n : from.v;

	fill(h, from);
	h->tree.n_order = 0;
	h->reached = !from.host;
	h->farthest = DS_INFINITE;
	h->tree.dist[source] = 0;
	sift_up(h, source, entry(0, source));
	while (h->size) {
		uint64_t e = take_least(h);
		uint32_t u = (uint32_t)e;

		if (key(e) > h->limit || key(e) == DS_INFINITE)
			break;
		if (u == n) {
			lower(h, from.v, 1, NO_ID);
			continue;
		}
		h->tree.order[h->tree.n_order++] = u;
		if (is_over(h, key(e)))
			take_rest(h);
		else if (key(e) + h->g->start <= h->limit)
			relax(h, u);
	}
}

const struct ds_tree *ds_heap_run(struct ds_heap *h, const ds_link *link, struct ds_source from,
				  bool in_order)
{
	h->link = link;
	h->in_order = in_order;
	h->limit = DS_INFINITE;
	run(h, from);
	return &h->tree;
}

const uint32_t *ds_heap_ranks(struct ds_heap *h, const ds_link *link, struct ds_source from, uint32_t limit)
{
	h->link = link;
	h->in_order = true;
	h->limit = limit;
	run(h, from);
	for (uint32_t i = 0; i < h->tree.n_order; i++)
		h->rank[h->tree.order[i]] = i;
	return h->rank;
}
