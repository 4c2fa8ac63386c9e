/*
 * The heap follows OpenSM's in every move, because among equal distances its
 * shape decides which vertex comes first, and that decides between routes.
 */
#include <stdlib.h>
#include <string.h>

#include "engines/dfsssp/search.h"
#include "core/base/memory.h"

#define SENTINELS 4

static inline uint32_t key(uint64_t e)
{
	return (uint32_t)(e >> 32);
}

static inline uint64_t entry(uint32_t dist, uint32_t v)
{
	return (uint64_t)dist << 32 | v;
}

struct ds_search *ds_search_new(const struct ds_graph *g)
{
	struct ds_search *s = NEW(struct ds_search);

	s->g = g;
	s->link = NEW_ARRAY(g->n_edges, struct ds_link);
	s->dist = NEW_ARRAY(g->n + 1u, uint32_t);
	s->used = NEW_ARRAY(g->n + 1u, uint32_t);
	s->order = NEW_ARRAY(g->n + 1u, uint32_t);
	s->heap = NEW_ARRAY(g->n + 1u + SENTINELS, uint64_t);
	s->pos = NEW_ARRAY(g->n + 1u, uint32_t);
	s->least_weight = (uint32_t)g->start;
	s->heap0 = NEW_ARRAY(g->n + 1u, uint64_t);
	s->pos0 = NEW_ARRAY(g->n + 1u, uint32_t);
	for (uint32_t v = 0; v <= g->n; v++) {
		s->heap0[v] = entry(DS_INFINITE, v);
		s->pos0[v] = v;
	}
	for (uint32_t e = 0; e < g->n_edges; e++)
		s->link[e] = (struct ds_link){g->to[e], (uint32_t)g->start};
	return s;
}

void ds_search_free(struct ds_search *s)
{
	if (!s)
		return;
	free(s->link);
	free(s->dist);
	free(s->used);
	free(s->order);
	free(s->heap);
	free(s->heap0);
	free(s->pos0);
	free(s->pos);
	free(s);
}

struct ds_source ds_source_of(const struct ds_graph *g, const struct topo *t, uint32_t ep)
{
	uint32_t sw = t->endport_switch[ep];

	return (struct ds_source){sw == NO_ID ? NO_ID : g->id[sw], !endport_is_switch(t->fabric, ep)};
}

/* --- the heap ------------------------------------------------------------------------- */

static inline void put(struct ds_search *s, uint32_t at, uint64_t e)
{
	s->heap[at] = e;
	s->pos[(uint32_t)e] = at;
}

static inline void sift_up(struct ds_search *s, uint32_t at, uint64_t e)
{
	while (at) {
		uint32_t parent = (at - 1) / 4;

		if (key(e) >= key(s->heap[parent]))
			break;
		put(s, at, s->heap[parent]);
		at = parent;
	}
	put(s, at, e);
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

static inline void sift_down(struct ds_search *s, uint64_t e)
{
	uint64_t *heap = s->heap, mine = key(e);
	uint32_t *pos = s->pos, at = 0, size = s->size;

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

static __attribute__((noinline)) uint64_t take_least(struct ds_search *s)
{
	uint64_t least = s->heap[0], last = s->heap[--s->size];

	s->heap[s->size] = UINT64_MAX;
	if (s->size)
		sift_down(s, last);
	return least;
}

/* All vertices at no distance yet: equal keys stay as they are put, the destination's CA port last. */
static void fill(struct ds_search *s, struct ds_source from)
{
	uint32_t n = s->g->n;

	s->size = n + from.host;
	memcpy(s->heap, s->heap0, (n + 1u) * sizeof(*s->heap));
	memcpy(s->pos, s->pos0, (n + 1u) * sizeof(*s->pos));
	memset(s->used, 0xff, (n + 1u) * sizeof(*s->used)); /* NO_ID */
	for (uint32_t v = 0; v <= n; v++)
		s->dist[v] = DS_INFINITE;
	for (uint32_t i = 0; i < SENTINELS; i++)
		s->heap[s->size + i] = UINT64_MAX;
}

/* --- the search ------------------------------------------------------------------------ */

/* Out of line: the loop that calls it now and then is what takes the time. */
static __attribute__((noinline)) void lower(struct ds_search *s, uint32_t v, uint32_t dist, uint32_t edge)
{
	s->reached += s->dist[v] == DS_INFINITE;
	s->dist[v] = dist;
	s->used[v] = edge;
	sift_up(s, s->pos[v], entry(dist, v));
}

static __attribute__((noinline)) void relax(struct ds_search *s, uint32_t u)
{
	const struct ds_link *end = s->link + s->g->first[u + 1];
	const uint32_t *dist = s->dist;
	uint64_t here = dist[u];

	for (const struct ds_link *l = s->link + s->g->first[u]; l < end; l++) {
		uint64_t d = here + l->weight;

		/* never of what was taken already: that is nearer */
		if (d < dist[l->to])
			lower(s, l->to, (uint32_t)d, (uint32_t)(l - s->link));
	}
}

/*
 * Can what comes off the heap from this distance on still shorten something?  Every
 * edge weighs least_weight or more, and distances only fall.
 */
static bool is_over(struct ds_search *s, uint32_t dist)
{
	if (!s->brief || s->reached < s->g->n)
		return false;
	if (s->farthest == DS_INFINITE) {
		s->farthest = dist;
		for (uint32_t i = 0; i < s->size; i++)
			if (key(s->heap[i]) > s->farthest)
				s->farthest = key(s->heap[i]);
	}
	return (uint64_t)dist + s->least_weight >= s->farthest;
}

/* Vertices still on the heap are the ends of their branches. */
static void take_rest(struct ds_search *s)
{
	for (uint32_t i = 0; i < s->size; i++)
		s->order[s->n_order++] = (uint32_t)s->heap[i];
	s->size = 0;
}

void ds_search_run(struct ds_search *s, struct ds_source from)
{
	uint32_t n = s->g->n, source = from.host ? n : from.v;

	fill(s, from);
	s->n_order = 0;
	s->reached = !from.host;
	s->farthest = DS_INFINITE;
	s->dist[source] = 0;
	sift_up(s, source, entry(0, source));
	while (s->size) {
		uint64_t e = take_least(s);
		uint32_t u = (uint32_t)e;

		if (key(e) == DS_INFINITE)
			break;
		if (u == n) {
			lower(s, from.v, 1, DS_ATTACHED);
			continue;
		}
		s->order[s->n_order++] = u;
		if (is_over(s, key(e)))
			take_rest(s);
		else
			relax(s, u);
	}
}

void ds_search_load(struct ds_search *s, uint32_t *load)
{
	for (uint32_t i = s->n_order; i-- > 0;) {
		uint32_t v = s->order[i], e = s->used[v];

		if (e < DS_ATTACHED) {
			load[v] += s->g->hosts[v];
			s->link[e].weight += load[v];
			load[s->g->from[e]] += load[v];
		}
		load[v] = 0;
	}
}
