#include <string.h>

#include "core/base/memory.h"
#include "core/base/release.h"
#include "engines/dfsssp/internal.h"

/* After so many searches from one vertex, a list of its inward channels pays. */
#define LIST_SEARCHES 4

#define UNREACHED ((uint64_t)DS_INFINITE << 32)

/* A channel of a vertex, and the vertex to which it leads. */
struct way {
	uint32_t u, c;
};

struct ds_levels {
	const struct ds_graph *g;
	struct ds_tree tree;
	uint64_t *dist; /* [n] distance << 32 */
	/* levels of the source */
	uint32_t source; /* NO_ID = none yet */
	uint32_t *level; /* [n_levels + 1] first vertex of each level in tree.order */
	uint32_t n_levels;
	uint8_t *open; /* [n] 1 = not yet in order[] */
	/* ways of v: from first[v] to end[v] - 1 */
	struct way *all;      /* [n_edges] */
	struct way *inward;   /* [n_edges] only those that lead to the level before */
	uint32_t *inward_end; /* [n] */
	uint32_t *level_of;   /* [n] */
	bool listed;	      /* inward[] is filled for this source */
	/* of the current search */
	const struct way *way; /* all or inward */
	const uint32_t *end;
	const ds_link *link;
	uint32_t *tied; /* [n] vertices for which the heap must decide */
	uint32_t n_tied;
	uint64_t limit; /* largest distance for which the heap must decide */
};

struct ds_levels *ds_levels_new(const struct ds_graph *g)
{
	struct ds_levels *l = NEW(struct ds_levels);

	l->g = g;
	l->tree.out = NEW_ARRAY(g->n, uint32_t);
	l->tree.order = NEW_ARRAY(g->n + 1u, uint32_t);
	l->dist = NEW_ARRAY(g->n, uint64_t);
	l->source = NO_ID;
	l->level = NEW_ARRAY(g->n + 1u, uint32_t);
	l->open = NEW_ARRAY(g->n, uint8_t);
	l->all = NEW_ARRAY(g->n_edges, struct way);
	l->inward = NEW_ARRAY(g->n_edges, struct way);
	l->inward_end = NEW_ARRAY(g->n, uint32_t);
	l->level_of = NEW_ARRAY(g->n, uint32_t);
	l->tied = NEW_ARRAY(g->n, uint32_t);
	for (uint32_t c = 0; c < g->n_edges; c++)
		l->all[c] = (struct way){g->to[c], c};
	return l;
}

void ds_levels_free(struct ds_levels *l)
{
	if (!l)
		return;
	FREE_EACH(l->tree.out, l->tree.order, l->dist, l->level, l->open, l->all, l->inward, l->inward_end,
		  l->level_of, l->tied, l);
}

/* --- levels ------------------------------------------------------------------------------- */

/* Adds new neighbours of u behind the n vertices of order[]. Returns their number. */
static inline uint32_t add_new(const struct ds_graph *g, uint32_t u, uint8_t *open, uint32_t *order,
			       uint32_t n)
{
	const uint32_t *to = g->to;

	for (uint32_t c = g->first[u], end = g->first[u + 1]; c < end; c++) {
		order[n] = to[c];
		n += open[to[c]];
		open[to[c]] = 0;
	}
	return n;
}

/* Sorts vertices by their links from the source. */
static void make_levels(struct ds_levels *l, uint32_t source)
{
	const struct ds_graph *g = l->g;
	uint32_t n = 1;

	memset(l->open, 1, g->n);
	l->open[source] = 0;
	l->tree.order[0] = source;
	l->n_levels = 0;
	for (uint32_t first = 0, end = 1; first < n; first = end, end = n) {
		l->level[l->n_levels++] = first;
		for (uint32_t i = first; i < end && n < g->n; i++)
			n = add_new(g, l->tree.order[i], l->open, l->tree.order, n);
	}
	l->level[l->n_levels] = n;
	l->tree.n_order = n;
	l->source = source;
	l->listed = false;
	memset(l->tree.out, 0xff, g->n * sizeof(*l->tree.out)); /* NO_ID */
}

static void list_inward(struct ds_levels *l)
{
	const uint32_t *level_of = l->level_of;
	struct way *inward = l->inward;

	for (uint32_t k = 0; k < l->n_levels; k++)
		for (uint32_t i = l->level[k]; i < l->level[k + 1]; i++)
			l->level_of[l->tree.order[i]] = k;
	for (uint32_t i = 0; i < l->tree.n_order; i++) {
		uint32_t v = l->tree.order[i], before = level_of[v] - 1, n = l->g->first[v];

		for (const struct way *w = l->all + n, *end = l->all + l->g->first[v + 1]; w < end; w++) {
			inward[n] = *w;
			n += level_of[w->u] == before;
		}
		l->inward_end[v] = n;
	}
	l->listed = true;
}

/* --- distances ------------------------------------------------------------------------------ */

/*
 * Several channels give v its distance. Takes the one to the nearest vertex, then of least rank, then of the
 * lowest port at the other end (parallel cables). Returns that vertex. *sure: ranks were not needed.
 */
static uint32_t choose(struct ds_levels *l, uint32_t v, const uint32_t *rank, bool *sure)
{
	const uint32_t *mate = l->g->mate;
	uint64_t near = UINT64_MAX;
	uint32_t best = NO_ID;

	*sure = true;
	for (const struct way *w = l->way + l->g->first[v], *end = l->way + l->end[v]; w < end; w++) {
		uint64_t dist = l->dist[w->u];

		if ((dist + l->link[w->c]) >> 32 != l->dist[v] >> 32 || dist > near)
			continue;
		if (dist < near) {
			*sure = true;
		} else if (w->u == best) {
			if (mate[w->c] > mate[l->tree.out[v]])
				continue;
		} else {
			*sure = false;
			if (!rank || rank[w->u] > rank[best])
				continue;
		}
		near = dist;
		best = w->u;
		l->tree.out[v] = w->c;
	}
	return best;
}

/* Several channels give v its distance. */
static __attribute__((noinline)) void tie(struct ds_levels *l, uint32_t v)
{
	bool sure;
	uint32_t u = choose(l, v, NULL, &sure);

	if (sure)
		return;
	l->tied[l->n_tied++] = v;
	if (l->dist[u] > l->limit)
		l->limit = l->dist[u];
}

/* Chooses the way of v. Returns its distance << 32. */
static inline uint64_t settle(struct ds_levels *l, uint32_t v)
{
	const ds_link *link = l->link;
	const uint64_t *dist = l->dist;
	uint64_t best = UINT64_MAX, second = UINT64_MAX;

	for (const struct way *w = l->way + l->g->first[v], *end = l->way + l->end[v]; w < end; w++) {
		uint64_t new = dist[w->u] + link[w->c], worse = best <= new ? new : best;

		best = best <= new ? best : new;
		second = second <= worse ? second : worse;
	}
	l->tree.out[v] = (uint32_t)best;
	l->dist[v] = best & ~(uint64_t)UINT32_MAX;
	if ((best ^ second) >> 32 == 0)
		tie(l, v);
	return best & ~(uint64_t)UINT32_MAX;
}

/* False when distances within a level differ too much. */
static bool settle_level(struct ds_levels *l, uint32_t first, uint32_t end)
{
	uint64_t least = UNREACHED, most = 0;

	for (uint32_t i = first; i < end; i++) {
		uint64_t dist = settle(l, l->tree.order[i]);

		least = dist < least ? dist : least;
		most = dist > most ? dist : most;
	}
	return most < UNREACHED && (most - least) >> 32 < l->g->start;
}

const struct ds_tree *ds_levels_run(struct ds_levels *l, const ds_link *link, struct ds_source from,
				    struct ds_heap *heap)
{
	const uint32_t *rank;
	bool sure;

	if (l->source != from.v)
		make_levels(l, from.v);
	if (!l->listed && from.host && l->g->hosts[from.v] >= LIST_SEARCHES)
		list_inward(l);
	l->way = l->listed ? l->inward : l->all;
	l->end = l->listed ? l->inward_end : l->g->first + 1;
	/* without the list, ways to levels not settled yet must lose */
	for (uint32_t v = 0; !l->listed && v < l->g->n; v++)
		l->dist[v] = UNREACHED;
	l->link = link;
	l->n_tied = 0;
	l->limit = 0;
	l->dist[from.v] = (uint64_t)from.host << 32;
	for (uint32_t k = 1; k < l->n_levels; k++)
		if (!settle_level(l, l->level[k], l->level[k + 1]))
			return NULL;
	if (!l->n_tied)
		return &l->tree;
	rank = ds_heap_ranks(heap, link, from, (uint32_t)(l->limit >> 32));
	for (uint32_t i = 0; i < l->n_tied; i++)
		choose(l, l->tied[i], rank, &sure);
	return &l->tree;
}
