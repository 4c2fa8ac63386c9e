/* Layers by service level; what a run records and how its choices are explained. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"
#include "engines/dfsssp/dfsssp.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "core/base/defs.h"

/* Channels that are examined together. */
#define LANES DS_BEHIND
#define MOST_BLOCKS (MAX_PORTS / 4 + 2)

/* A distance less 2^31, so that sums of distances and weights are compared with sign. */
#define LESS(dist) ((int32_t)((dist) ^ 0x80000000u))
#define UNREACHED LESS(DS_INFINITE) /* -1: all bits are set */

/* n channels of a vertex from c on. They lead to the vertices at places u, u + 1, ...; NO_ID: to any. */
struct block {
	uint32_t c, u, n;
};

struct ds_levels {
	const struct ds_graph *g;
	struct ds_tree tree;
	uint32_t *place; /* [n] neighbours of a vertex are mostly in a row */
	int32_t *dist;	 /* [n + LANES] by place */
	int32_t *to;	 /* [n_edges + LANES] place */
	/* levels of the source */
	uint32_t source; /* NO_ID = none yet */
	uint32_t *level; /* [n_levels + 1] first vertex of each level in tree.order */
	uint32_t n_levels;
	uint8_t *open; /* [n] 1 = not yet in order[] */
	/* blocks of v: all[first[v]] to all[first[v + 1] - 1] */
	uint32_t *first;   /* [n + 1] */
	struct block *all; /* [n_edges] */
	/* for the source, in the order of vertices: n_inward[i] blocks of order[i], those to settled ones */
	struct block *inward; /* [n_edges + 1] */
	uint8_t *n_inward;    /* [n] */
	bool listed;	      /* is filled */
	bool keep;	      /* is being filled */
	struct block *at;     /* of the next vertex */
	/* Chooses the ways of a level, order[first] to order[end - 1]. False: distances differ too much. */
	bool (*settle)(struct ds_levels *l, uint32_t first, uint32_t end);
	/* of the current search */
	const uint32_t *weight;
	uint32_t *tied; /* [n] vertices for which the heap must decide */
	uint32_t n_tied;
	int32_t limit; /* largest distance for which the heap must decide */
};

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

/* Numbers vertices as they are met from each one not met before, and groups their channels. */
static void make_blocks(struct ds_levels *l)
{
	const struct ds_graph *g = l->g;
	uint32_t blocks = 0, n = 0;

	memset(l->open, 1, g->n);
	for (uint32_t v = 0, i = 0; v < g->n; v++) {
		l->tree.order[n] = v;
		n += l->open[v];
		l->open[v] = 0;
		for (; i < n; i++)
			n = add_new(g, l->tree.order[i], l->open, l->tree.order, n);
	}
	for (uint32_t i = 0; i < g->n; i++)
		l->place[l->tree.order[i]] = i;
	for (uint32_t c = 0; c < g->n_edges; c++)
		l->to[c] = (int32_t)l->place[g->to[c]];
	for (uint32_t v = 0; v < g->n; v++) {
		l->first[v] = blocks;
		for (uint32_t c = g->first[v], end = g->first[v + 1], run; c < end; c += run) {
			for (run = 1; run < LANES && c + run < end &&
				      (uint32_t)l->to[c + run] == (uint32_t)l->to[c] + run;)
				run++;
			bool in_row = run >= LANES / 2 || c + run == end;
			if (!in_row)
				run = end - c < LANES ? end - c : LANES;
			l->all[blocks++] = (struct block){c, in_row ? (uint32_t)l->to[c] : NO_ID, run};
		}
	}
	l->first[g->n] = blocks;
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

/* --- distances ------------------------------------------------------------------------------ */

/*
 * Several channels give v its distance. Takes the one to the nearest vertex, then of least rank, then of the
 * lowest port at the other end (parallel cables). Returns that vertex. *sure: ranks were not needed.
 */
static uint32_t dfsssp_levels_choose(struct ds_levels *l, uint32_t v, const uint32_t *rank, bool *sure)
{
	const struct ds_graph *g = l->g;
	int32_t near = INT32_MAX;
	uint32_t best = NO_ID;

	*sure = true;
	for (uint32_t c = g->first[v], end = g->first[v + 1]; c < end; c++) {
		uint32_t u = g->to[c];
		int32_t dist = l->dist[l->to[c]];

		if ((uint32_t)dist + l->weight[c] != (uint32_t)l->dist[l->place[v]] || dist > near)
			continue;
		if (dist < near) {
			*sure = true;
		} else if (u == best) {
			if (g->mate[c] > g->mate[l->tree.out[v]])
				continue;
		} else {
			*sure = false;
			if (!rank || rank[u] > rank[best])
				continue;
		}
		near = dist;
		best = u;
		l->tree.out[v] = c;
	}
	return best;
}

/* Several channels give v its distance. */
static __attribute__((noinline)) void tie(struct ds_levels *l, uint32_t v)
{
	bool sure;
	uint32_t u = dfsssp_levels_choose(l, v, NULL, &sure);

	if (sure)
		return;
	l->tied[l->n_tied++] = v;
	if (l->dist[l->place[u]] > l->limit)
		l->limit = l->dist[l->place[u]];
}

/* The blocks of vertex order[i], which is v. */
static inline const struct block *blocks_of(const struct ds_levels *l, uint32_t i, uint32_t v, uint32_t *n)
{
	*n = l->listed ? l->n_inward[i] : l->first[v + 1] - l->first[v];
	return l->listed ? l->at : l->all + l->first[v];
}

/* Lists what of a block leads to settled vertices (a bit each), if anything. */
static inline void dfsssp_levels_keep(struct ds_levels *l, const struct block *b, uint32_t settled)
{
	uint32_t low = (uint32_t)__builtin_ctz(settled | 1u << LANES),
		 n = 32 - (uint32_t)__builtin_clz(settled | 1) - low, c = b->c + low, u = NO_ID;

	if (!settled)
		return;
	if (b->u != NO_ID)
		u = b->u + low;
	else if (n == 1)
		u = (uint32_t)l->to[c];
	*l->at++ = (struct block){c, u, n};
}

static bool settle_plain(struct ds_levels *l, uint32_t first, uint32_t end)
{
	const int32_t *to = l->to, *dist = l->dist;
	const uint32_t *weight = l->weight;
	int32_t nearest = UNREACHED, farthest = INT32_MIN;

	for (uint32_t i = first; i < end; i++) {
		uint32_t v = l->tree.order[i], n, best = 0, last = 0;
		const struct block *b = blocks_of(l, i, v, &n), *start = l->at;
		int32_t least = INT32_MAX;

		for (uint32_t j = 0; j < n; j++) {
			uint32_t settled = 0, c = b[j].c, behind = c + b[j].n;

			for (uint32_t bit = 1; l->keep && c < behind; c++, bit <<= 1)
				settled |= dist[to[c]] != UNREACHED ? bit : 0;
			if (l->keep)
				dfsssp_levels_keep(l, &b[j], settled);
			for (c = b[j].c; c < behind; c++) {
				int32_t sum = (int32_t)((uint32_t)dist[to[c]] + weight[c]);

				last = sum <= least ? c : last;
				best = sum < least ? c : best;
				least = MIN(sum, least);
			}
		}
		if (l->keep)
			l->n_inward[i] = (uint8_t)(l->at - start);
		else if (l->listed)
			l->at += n;
		l->tree.out[v] = best;
		l->dist[l->place[v]] = least;
		if (best != last)
			tie(l, v);
		nearest = MIN(least, nearest);
		farthest = MAX(least, farthest);
	}
	return farthest < UNREACHED && (uint32_t)farthest - (uint32_t)nearest < l->g->start;
}

#if defined(__x86_64__)
#define WIDE __attribute__((target("avx2")))
#define WIDE_INLINE static inline __attribute__((always_inline, target("avx2")))

/* The lanes behind a block of n channels, from place LANES - n on. */
static const int32_t lanes_behind[2 * LANES] = {[LANES] = INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX,
						INT32_MAX,	     INT32_MAX, INT32_MAX, INT32_MAX};

WIDE_INLINE __m256i lanes(const void *at)
{
	return _mm256_loadu_si256(at);
}

WIDE_INLINE int32_t least_lane(__m256i x)
{
	__m128i half = _mm_min_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));

	half = _mm_min_epi32(half, _mm_shuffle_epi32(half, 0x4e));
	return _mm_cvtsi128_si32(_mm_min_epi32(half, _mm_shuffle_epi32(half, 0xb1)));
}

/* A bit for each lane. */
WIDE_INLINE uint32_t equal_lanes(__m256i x, __m256i y)
{
	return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(x, y)));
}

/* Does what settle_plain() does, a block at a time. */
static WIDE bool settle_wide(struct ds_levels *l, uint32_t first, uint32_t end)
{
	const __m256i unreached = _mm256_set1_epi32(UNREACHED);
	const uint32_t *weight = l->weight;
	int32_t *dist = l->dist, nearest = UNREACHED, farthest = INT32_MIN;
	__m256i sum[MOST_BLOCKS];

	for (uint32_t i = first; i < end; i++) {
		uint32_t v = l->tree.order[i], n, best, found = 0;
		const struct block *b = blocks_of(l, i, v, &n), *start = l->at;
		int32_t least;

		if (n == 1 && b->n == 1 && l->listed) {
			best = b->c;
			least = (int32_t)((uint32_t)dist[b->u] + weight[best]);
			l->at++;
		} else {
			__m256i low = _mm256_set1_epi32(INT32_MAX);

			for (uint32_t j = 0; j < n; j++) {
				__m256i behind = lanes(lanes_behind + LANES - b[j].n),
					d = b[j].u != NO_ID
						    ? lanes(dist + b[j].u)
						    : _mm256_i32gather_epi32(dist, lanes(l->to + b[j].c), 4);

				/* distances are negative: behind the block they become UNREACHED */
				sum[j] = _mm256_or_si256(_mm256_add_epi32(d, lanes(weight + b[j].c)), behind);
				low = _mm256_min_epi32(low, sum[j]);
				if (l->keep)
					dfsssp_levels_keep(
						l, &b[j],
						0xff & ~equal_lanes(_mm256_or_si256(d, behind), unreached));
			}
			if (l->keep)
				l->n_inward[i] = (uint8_t)(l->at - start);
			else if (l->listed)
				l->at += n;
			least = least_lane(low);
			low = _mm256_set1_epi32(least);
			best = NO_ID;
			for (uint32_t j = 0; j < n; j++) {
				uint32_t equal = equal_lanes(sum[j], low);

				if (!equal)
					continue;
				found += 1 + (equal & (equal - 1));
				best = b[j].c + (uint32_t)__builtin_ctz(equal);
			}
		}
		l->tree.out[v] = best;
		dist[l->place[v]] = least;
		if (found > 1)
			tie(l, v);
		nearest = MIN(least, nearest);
		farthest = MAX(least, farthest);
	}
	return farthest < UNREACHED && (uint32_t)farthest - (uint32_t)nearest < l->g->start;
}
#endif

/* --- the search -------------------------------------------------------------------------------- */

struct ds_levels *ds_levels_new(const struct ds_graph *g, bool wide)
{
	struct ds_levels *l = NEW(struct ds_levels);

	l->g = g;
	l->tree.out = NEW_ARRAY(g->n, uint32_t);
	l->tree.order = NEW_ARRAY(g->n + 1u, uint32_t);
	l->dist = NEW_ARRAY(g->n + LANES, int32_t);
	l->place = NEW_ARRAY(g->n, uint32_t);
	l->to = NEW_ARRAY(g->n_edges + LANES, int32_t);
	l->source = NO_ID;
	l->level = NEW_ARRAY(g->n + 1u, uint32_t);
	l->open = NEW_ARRAY(g->n, uint8_t);
	l->first = NEW_ARRAY(g->n + 1u, uint32_t);
	l->all = NEW_ARRAY(g->n_edges + 1u, struct block);
	l->inward = NEW_ARRAY(g->n_edges + 1u, struct block);
	l->n_inward = NEW_ARRAY(g->n, uint8_t);
	l->tied = NEW_ARRAY(g->n, uint32_t);
	make_blocks(l);
	l->settle = settle_plain;
#if defined(__x86_64__)
	if (wide && __builtin_cpu_supports("avx2"))
		l->settle = settle_wide;
#else
	(void)wide;
#endif
	return l;
}

void ds_levels_free(struct ds_levels *l)
{
	if (!l)
		return;
	FREE_EACH(l->tree.out, l->tree.order, l->place, l->dist, l->to, l->level, l->open, l->first, l->all,
		  l->inward, l->n_inward, l->tied, l);
}

const struct ds_tree *ds_levels_run(struct ds_levels *l, const uint32_t *weight, struct ds_source from,
				    struct ds_heap *heap)
{
	bool sure;

	assert(from.v < l->g->n);
	if (l->source != from.v)
		make_levels(l, from.v);
	/* ways to levels not settled yet, and what is behind, must lose */
	memset(l->dist, 0xff, (l->g->n + LANES) * sizeof(*l->dist)); /* UNREACHED */
	l->weight = weight;
	l->n_tied = 0;
	l->limit = INT32_MIN;
	l->dist[l->place[from.v]] = LESS(from.host);
	l->keep = !l->listed && from.host && l->g->hosts[from.v] > 1;
	l->at = l->inward;
	for (uint32_t k = 1; k < l->n_levels; k++)
		if (!l->settle(l, l->level[k], l->level[k + 1])) {
			l->source = NO_ID; /* the list has an end missing */
			return NULL;
		}
	l->listed |= l->keep;
	if (!l->n_tied)
		return &l->tree;
	const uint32_t *rank = ds_heap_ranks(heap, weight, from, (uint32_t)LESS((uint32_t)l->limit));
	for (uint32_t i = 0; i < l->n_tied; i++)
		dfsssp_levels_choose(l, l->tied[i], rank, &sure);
	return &l->tree;
}

/* What a run of SSSP or DFSSSP records, and how its choices are explained. */

/* The state of a recorder: values as recorded so far. */
struct ds_record {
	const struct engine_input *in;
	struct recorder *r;
	struct ds_kept *kept; /* kept by the recording */
	uint32_t *dist;	      /* [n] T_DIST */
	uint32_t *weight;     /* [n_edges] T_WEIGHT */
	uint32_t *nearest;    /* [n] distances while the search lowers them */
	uint8_t *taken;	      /* [n] the vertex has left the heap */
};

/* --- the search ------------------------------------------------------------------------------------- */

static void dfsssp_events_release(void *kept)
{
	struct ds_kept *k = kept;

	ds_graph_unref(k->graph);
	ds_order_free(&k->order);
	ds_layers_unref(k->layers);
	free(k);
}

struct ds_record *ds_record_new(const struct ds_run *x)
{
	struct ds_record *k = NEW(struct ds_record);
	const struct engine_input *in = x->in;
	const struct fabric *f = in->topo->fabric;
	const struct ds_graph *g = x->d->graph;

	k->in = in;
	k->r = in->record;
	k->kept = NEW(struct ds_kept);
	k->kept->graph = ds_graph_ref(x->d->graph);
	k->dist = NEW_ARRAY(g->n, uint32_t);
	memset(k->dist, 0xff, g->n * sizeof(*k->dist)); /* NO_ID */
	k->weight = NEW_ARRAY(g->n_edges, uint32_t);
	k->nearest = NEW_ARRAY(g->n, uint32_t);
	k->taken = NEW_ARRAY(g->n, uint8_t);
	rec_keep(k->r, k->kept, dfsssp_events_release);
	rec_cells(k->r, T_DIST, f->n_switches);
	rec_cells(k->r, T_WEIGHT, f->n_ports);
	return k;
}

void ds_record_free(struct ds_record *k)
{
	if (!k)
		return;
	FREE_EACH(k->dist, k->weight, k->nearest, k->taken, k);
}

void ds_record_plan(struct ds_record *k, const struct ds_order *o, struct ds_layers *l)
{
	assert(!k->kept->layers);
	ds_order_copy(&k->kept->order, o, k->kept->graph->n);
	k->kept->layers = l ? ds_layers_ref(l) : NULL;
}

/* Records the new weight of a channel, as part of the last event. */
static void set_weight(struct ds_record *k, uint32_t c, uint32_t now)
{
	rec_delta(k->r, T_WEIGHT, dfsssp_channel_port(k->kept->graph, k->in->topo->fabric, c), k->weight[c],
		  now);
	k->weight[c] = now;
}

void ds_record_graph(struct ds_record *k)
{
	for (uint32_t c = 0; c < k->kept->graph->n_edges; c++)
		set_weight(k, c, (uint32_t)k->kept->graph->start);
}

/* Records the new distance of a switch, as part of the last event. */
static void set_distance(struct ds_record *k, uint32_t v, uint32_t now)
{
	rec_delta(k->r, T_DIST, k->kept->graph->sw[v], k->dist[v], now);
	k->dist[v] = now;
}

void ds_record_trial(struct ds_record *k, const struct ds_run *x, struct ds_source from)
{
	const struct ds_tree *t = x->s->tree;

	if (from.v == NO_ID)
		return;
	rec_event(k->r, REC_TRIAL, 0, 0, k->kept->graph->sw[from.v],
		  k->in->lids->base[k->in->topo->sm_endport]);
	for (uint32_t i = 0; i < t->n_order; i++)
		set_distance(k, t->order[i], t->dist[t->order[i]]);
	rec_extra(k->r, t->n_order);
}

/* Records the vertices to which u, taken from the heap, gives a shorter distance. */
static void dfsssp_events_relax(struct ds_record *k, const struct ds_run *x, uint32_t u, unsigned lid)
{
	const struct ds_graph *g = x->d->graph;

	for (uint32_t c = g->first[u]; c < g->first[u + 1]; c++) {
		uint32_t v = g->to[c], back = g->mate[c];
		uint64_t dist = x->s->tree->dist[u] + (uint64_t)x->s->weight[back];

		if (k->taken[v] || dist >= k->nearest[v])
			continue;
		k->nearest[v] = (uint32_t)dist;
		if (!rec_wants(k->r, REC_RELAX, g->sw[v], lid))
			continue;
		rec_event(k->r, REC_RELAX, 0, g->port[back], g->sw[v], lid);
		set_distance(k, v, (uint32_t)dist);
	}
}

/* Does the way from u, which was reached, lead over v? */
static bool dfsssp_events_leads_over(const struct ds_run *x, uint32_t u, uint32_t v)
{
	const uint32_t *out = x->s->tree->out;

	while (u != v && out[u] != NO_ID)
		u = x->d->graph->to[out[u]];
	return u == v;
}

/* Lists v's channels, each with the distance by that way. */
static void dfsssp_events_list_offers(const struct ds_run *x, struct ds_cause *c)
{
	const struct ds_graph *g = x->d->graph;
	const struct topo *t = x->in->topo;

	for (uint32_t e = g->first[c->v]; e < g->first[c->v + 1]; e++) {
		uint32_t u = g->to[e];
		int64_t weight = x->s->weight[e];
		struct rec_offer *o = &c->offer[c->n_offers++];

		*o = (struct rec_offer){.port = g->port[e],
					.peer = t->peer[dfsssp_channel_port(g, t->fabric, e)],
					.q = {INT64_MIN, weight, INT64_MIN, INT64_MIN}};
		if (o->port == c->port)
			c->own = o;
		if (x->rank[u] == NO_ID || dfsssp_events_leads_over(x, u, c->v))
			continue;
		o->q[DS_DISTANCE] = x->s->tree->dist[u] + weight;
		o->q[DS_HOPS] = x->hops[u] + 1;
		o->q[DS_TAKEN] = x->rank[u];
	}
}

static void dfsssp_events_compare_offers(const struct ds_run *x, struct ds_cause *c)
{
	const uint32_t *to = x->d->graph->to + x->d->graph->first[c->v];

	for (unsigned i = 0; i < c->n_offers; i++) {
		const struct rec_offer *o = &c->offer[i];

		if (o == c->own || o->q[DS_DISTANCE] == INT64_MIN)
			continue;
		if (!c->near || o->q[DS_DISTANCE] < c->near->q[DS_DISTANCE])
			c->near = o;
		if (!c->few || o->q[DS_HOPS] < c->few->q[DS_HOPS])
			c->few = o;
		if (!c->own || o->q[DS_DISTANCE] != c->own->q[DS_DISTANCE])
			continue;
		if (to[i] == to[c->own - c->offer])
			c->beside = o;
		else
			c->tie = o;
	}
}

enum why_rule ds_rule_of(const struct rec_offer *own, const struct rec_offer *near,
			 const struct rec_offer *few)
{
	if (near && near->q[DS_DISTANCE] == own->q[DS_DISTANCE])
		return WHY_TIE;
	return few && few->q[DS_HOPS] < own->q[DS_HOPS] ? WHY_LIGHTER : WHY_SHORTEST;
}

static void dfsssp_events_choose(struct ds_run *x, uint32_t v, unsigned lid, struct ds_source from,
				 unsigned port)
{
	struct ds_cause c = {.v = v, .lid = lid, .from = from, .port = (uint8_t)port, .offer = x->offer};
	struct ds_record *k = x->rec;
	uint32_t sw = x->d->graph->sw[v];

	if (!k && !rec_asks(x->in, sw, lid))
		return;
	if (v == from.v) {
		c.rule = from.host ? WHY_ATTACHED : WHY_OWN_LID;
	} else {
		dfsssp_events_list_offers(x, &c);
		dfsssp_events_compare_offers(x, &c);
		c.rule = port == NO_PATH ? WHY_TOO_FAR : ds_rule_of(c.own, c.near, c.few);
	}
	if (ASKED(x->in))
		ds_tell_choice(x, &c);
	if (!k)
		return;
	rec_event(k->r, REC_CHOICE, c.rule, c.port, sw, lid);
	if (v != from.v && port != NO_PATH && x->hops[v] <= DS_MOST_HOPS)
		rec_flag(k->r, x->hops[v] * DS_ONE_HOP);
	rec_delta(k->r, T_ENTRY, sw * (k->in->lids->max_lid + 1u) + lid, NO_PATH, c.port);
	if (port != NO_PATH)
		set_distance(k, v, x->s->tree->dist[v]);
	if (c.rule == WHY_TIE)
		rec_extra(k->r, c.near->port);
}

void ds_choices(struct ds_run *x, unsigned lid, struct ds_source from, const uint8_t *column)
{
	const struct ds_tree *t = x->s->tree;
	const struct ds_graph *g = x->d->graph;

	assert(x->rank && x->hops && x->offer);
	if (!x->rec && !rec_asks(x->in, x->in->ask->sw, lid))
		return;
	/* the place of each vertex in the order of extraction, and its hops to the destination's switch */
	memset(x->rank, 0xff, g->n * sizeof(*x->rank)); /* NO_ID */
	for (uint32_t i = 0; i < t->n_order; i++) {
		uint32_t v = t->order[i], c = t->out[v];

		x->rank[v] = i + 1;
		x->hops[v] = c != NO_ID ? x->hops[g->to[c]] + 1 : 0;
	}
	if (x->rec) {
		rec_event(x->rec->r, REC_TARGET, 0, 0, g->sw[from.v], lid);
		for (uint32_t v = 0; v < g->n; v++) {
			set_distance(x->rec, v, NO_ID);
			x->rec->nearest[v] = DS_INFINITE;
		}
		memset(x->rec->taken, 0, g->n);
	}
	for (uint32_t i = 0; i < t->n_order; i++) {
		uint32_t v = t->order[i];

		if (x->rec)
			x->rec->taken[v] = 1;
		dfsssp_events_choose(x, v, lid, from, column[v]);
		if (x->rec)
			dfsssp_events_relax(x->rec, x, v, lid);
	}
	for (uint32_t v = 0; v < g->n; v++)
		if (x->rank[v] == NO_ID)
			dfsssp_events_choose(x, v, lid, from, NO_PATH);
}

void ds_record_weights(struct ds_record *k, const struct ds_run *x, unsigned lid)
{
	const struct ds_tree *t = x->s->tree;
	uint32_t n = 0, most = 0, at = 0;

	rec_event(k->r, REC_WEIGHTS, 0, 0, 0, lid);
	for (uint32_t i = 0; i < t->n_order; i++) {
		uint32_t c = t->out[t->order[i]];

		if (c == NO_ID)
			continue;
		uint32_t gain = x->s->weight[c] - k->weight[c];
		n += gain > 0;
		if (gain > most) {
			most = gain;
			at = c;
		}
		set_weight(k, c, x->s->weight[c]);
	}
	rec_extra(k->r, n);
	if (!n)
		return;
	rec_extra(k->r, dfsssp_channel_port(x->d->graph, k->in->topo->fabric, at));
	rec_extra(k->r, most);
	rec_extra(k->r, k->weight[at]);
}

/* --- layers ------------------------------------------------------------------------------------------ */

static void extra_count(struct recorder *r, uint64_t n)
{
	rec_extra(r, (uint32_t)n);
	rec_extra(r, (uint32_t)(n >> 32));
}

void ds_record_paths(const struct engine_input *in, const struct ds_graph *g, const struct ds_order *o,
		     const struct ds_layers *l)
{
	struct recorder *r = in->record;
	uint32_t row = in->lids->max_lid + 1u;

	rec_cells(r, T_LAYER, (size_t)in->topo->fabric->n_switches * row);
	rec_text(r, REC_PHASE, "pairs put in layers");
	rec_event(r, REC_PATHS, 0, 0, 0, 0);
	for (uint32_t i = 0; i < l->n_sources; i++)
		for (uint32_t j = 0; j < o->n; j++)
			for (unsigned n = 0;
			     ds_is_routed(in, o->endport[j]) && n < in->lids->count[o->endport[j]]; n++)
				rec_delta(r, T_LAYER,
					  g->sw[l->source[i]] * row + in->lids->base[o->endport[j]] + n,
					  rec_tables[T_LAYER].start, 0);
	extra_count(r, l->count[0]);
	rec_extra(r, (uint32_t)l->channels);
	rec_extra(r, (uint32_t)l->deps);
}

void ds_record_cycle(const struct engine_input *in, const struct ds_graph *g, const struct ds_cycle *c)
{
	rec_event(in->record, c->cut == NO_ID ? REC_CYCLE : REC_BREAK, 0, 0, c->cut, c->layer);
	for (uint32_t i = 0; i < c->length; i++) {
		rec_extra(in->record, dfsssp_channel_port(g, in->topo->fabric, c->channel[i]));
		rec_extra(in->record, c->left[i]);
	}
}

void ds_record_move(const struct engine_input *in, uint32_t sw, unsigned lid, unsigned layer, bool opens)
{
	uint32_t pair = rec_pair(in, sw, in->topo->endport_switch[lid_owner(in->lids, lid)]);

	assert(layer < DS_MAX_LAYERS);
	if (opens)
		rec_event(in->record, REC_OPEN, 0, 0, pair, layer + 1);
	rec_event(in->record, REC_MOVE, 0, layer, pair, layer + 1);
	rec_delta(in->record, T_LAYER, sw * (in->lids->max_lid + 1u) + lid, layer, layer + 1);
}

void ds_record_clean(const struct engine_input *in, const struct ds_layers *l, unsigned layer)
{
	uint32_t cuts = 0;

	for (uint32_t i = l->n_cuts; i && l->cut[i - 1].layer == layer; i--)
		cuts++;
	rec_event(in->record, REC_SEARCH, 0, 0, cuts, layer);
	extra_count(in->record, l->count[layer]);
}

void ds_record_split(const struct engine_input *in, const struct ds_layers *l, unsigned layer)
{
	rec_event(in->record, REC_SPLIT, 0, 0, l->width[layer], layer);
	extra_count(in->record, l->count[layer]);
}

void ds_record_shift(const struct engine_input *in, const struct ds_layers *l, unsigned layer)
{
	rec_event(in->record, REC_SHIFT, 0, 0, 0, layer);
	rec_extra(in->record, l->base[layer]);
	rec_extra(in->record, l->width[layer]);
	extra_count(in->record, l->count[layer]);
}
