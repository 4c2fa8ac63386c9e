/* Pairs of links and of switches that leave two hosts without a legal way: up, then down. */
#include <stdlib.h>
#include <string.h>

#include "core/analysis/survey/parted.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/progress.h"

#define NO_RANK_YET UINT32_MAX
#define WAYS 3 /* this many ways without a common part: no two failures can separate them */

struct legal {
	struct parted_net *g;
	bool levels;		 /* equal ranks: a level step, which frees the packet; else GUIDs decide */
	uint8_t *top;		 /* [n] rank 0, as long as it is up */
	uint32_t *rank;		 /* [n] with nothing failed */
	uint32_t *ends, n_ends;	 /* switches with hosts */
	uint8_t *joined;	 /* [n_ends * n] by a legal way with nothing failed */
	uint8_t *shifts;	 /* [n_parts] without it some rank changes */
	_Atomic uint64_t *shift; /* bits of pairs of which the same is true */
	uint32_t (*seen)[2];	 /* [n_parts] two ends that it parts alone, ranks as before; NO_ID */
	pthread_mutex_t lock;	 /* of seen */
	_Atomic uint64_t reranked;
	struct parted_legal_search *own; /* of legal_witness() */
};

/* A worker's own. */
struct parted_legal_search {
	const struct legal *l;
	uint32_t *rank;		     /* [n] in force */
	uint8_t *closed;	     /* [n_parts] 1: not to be used */
	uint8_t *reached;	     /* [n] bit 0: still free to go up; bit 1: came down */
	uint32_t *queue, *from, *by; /* [2 * n]; of state 2 * switch + down */
};

static struct parted_legal_search *parted_legal_search_new(void *arena, const struct legal *l)
{
	struct parted_legal_search *s = ARENA_NEW(arena, struct parted_legal_search);
	size_t n = l->g->n;

	s->l = l;
	s->rank = ARENA_ARRAY(s, n + 1, uint32_t);
	s->closed = ARENA_ARRAY(s, (size_t)l->g->n_parts + 1, uint8_t);
	s->reached = ARENA_ARRAY(s, n + 1, uint8_t);
	s->queue = ARENA_ARRAY(s, 2 * n + 1, uint32_t);
	s->from = ARENA_ARRAY(s, 2 * n + 1, uint32_t);
	s->by = ARENA_ARRAY(s, 2 * n + 1, uint32_t);
	if (l->rank)
		memcpy(s->rank, l->rank, n * sizeof(*s->rank));
	return s;
}

static bool parted_legal_usable(const struct parted_legal_search *s, const struct net_arc *c)
{
	uint32_t part = s->l->g->switches ? s->l->g->part_of[c->to] : c->edge;

	return part == NO_ID || !s->closed[part];
}

static bool is_down(const struct parted_legal_search *s, uint32_t sw)
{
	return s->l->g->switches && s->l->g->part_of[sw] != NO_ID && s->closed[s->l->g->part_of[sw]];
}

/* Distances from the top, into s->rank. */
static void rank_all(struct parted_legal_search *s)
{
	const struct parted_net *g = s->l->g;
	uint32_t end = 0;

	for (uint32_t v = 0; v < g->n; v++) {
		s->rank[v] = s->l->top[v] && !is_down(s, v) ? 0 : NO_RANK_YET;
		if (!s->rank[v])
			s->queue[end++] = v;
	}
	for (uint32_t i = 0; i < end; i++)
		for (uint32_t k = g->off[s->queue[i]]; k < g->off[s->queue[i] + 1]; k++)
			if (parted_legal_usable(s, &g->arc[k]) && s->rank[g->arc[k].to] == NO_RANK_YET) {
				s->rank[g->arc[k].to] = s->rank[s->queue[i]] + 1;
				s->queue[end++] = g->arc[k].to;
			}
}

/* 'U', 'D' or '=', as struct routing_ops.direction; root to root is down. */
static char parted_legal_direction(const struct parted_legal_search *s, uint32_t from, uint32_t to)
{
	const struct fabric *f = s->l->g->sweep->fabric;
	uint32_t a = s->rank[from], b = s->rank[to];

	if (a != b)
		return (a > b) != s->l->levels ? 'U' : 'D'; /* Down/Up: away from the hosts is up */
	if (s->l->levels)
		return '=';
	return a && f->node_guid[f->switch_node[to]] <= f->node_guid[f->switch_node[from]] ? 'U' : 'D';
}

/* Legal ways from x to y, or (NO_ID) to all.  Returns the state that reached y; NO_ID. */
static uint32_t parted_legal_go(struct parted_legal_search *s, uint32_t x, uint32_t y)
{
	const struct parted_net *g = s->l->g;
	uint32_t end = 0;

	memset(s->reached, 0, g->n);
	s->queue[end++] = 2 * x;
	s->reached[x] = 1;
	s->from[2 * x] = NO_ID;
	for (uint32_t i = 0; i < end; i++) {
		uint32_t state = s->queue[i], v = state / 2;

		if ((state & 1) && (s->reached[v] & 1))
			continue; /* it is also reached free, which can do more */
		for (uint32_t k = g->off[v]; k < g->off[v + 1]; k++) {
			const struct net_arc *c = &g->arc[k];

			if ((s->reached[c->to] & 1) || !parted_legal_usable(s, c))
				continue;
			char way = parted_legal_direction(s, v, c->to);
			unsigned down = way == 'D';
			if (((state & 1) && way == 'U') || (s->reached[c->to] & 1u << down))
				continue;
			s->reached[c->to] |= (uint8_t)(1u << down);
			s->from[2 * c->to + down] = state;
			s->by[2 * c->to + down] = c->edge;
			if (c->to == y)
				return 2 * y + down;
			s->queue[end++] = 2 * c->to + down;
		}
	}
	return NO_ID;
}

/* The parts of the way that ends in a state, without its two ends.  Returns their number. */
static uint32_t parts_of_way(const struct parted_legal_search *s, uint32_t state, uint32_t *part)
{
	const struct parted_net *g = s->l->g;
	uint32_t n = 0;

	for (; s->from[state] != NO_ID; state = s->from[state])
		if (!g->switches)
			part[n++] = s->by[state];
		else if (s->from[s->from[state]] != NO_ID)
			part[n++] = g->part_of[s->from[state] / 2];
	return n;
}

/* --- ranks that change ---------------------------------------------------------------------------------- */

/* Notes the parts without which a switch loses its rank: all its links, or neighbours, one rank above. */
static void note_supports(struct legal *l, uint32_t v)
{
	const struct parted_net *g = l->g;
	uint32_t part[2], n = 0;

	for (uint32_t k = g->off[v]; k < g->off[v + 1]; k++) {
		if (l->rank[g->arc[k].to] + 1 != l->rank[v])
			continue;
		if (n == 2)
			return;
		part[n++] = g->switches ? g->part_of[g->arc[k].to] : g->arc[k].edge;
	}
	if (n == 1)
		l->shifts[part[0]] = 1;
	else if (n == 2)
		pair_mark(l->shift, pair_bit(g, part[0], part[1]));
}

static bool ranks_shift(const struct legal *l, uint32_t a, uint32_t b)
{
	return l->shifts[a] || (b != NO_ID && (l->shifts[b] || pair_is(l->shift, pair_bit(l->g, a, b))));
}

/* --- one pair from nothing ------------------------------------------------------------------------------ */

/* Two ends that are joined with nothing failed, and not without a and b. */
static bool parts_two(struct parted_legal_search *s, uint32_t a, uint32_t b, uint32_t sw[2])
{
	const struct legal *l = s->l;
	bool found = false;

	s->closed[a] = 1;
	if (b != NO_ID)
		s->closed[b] = 1;
	rank_all(s);
	for (uint32_t i = 0; i < l->n_ends && !found; i++) {
		if (is_down(s, l->ends[i]))
			continue;
		parted_legal_go(s, l->ends[i], NO_ID);
		for (uint32_t k = i + 1; k < l->n_ends && !found; k++) {
			uint32_t y = l->ends[k];

			found = l->joined[(size_t)i * l->g->n + y] && !s->reached[y] && !is_down(s, y);
			sw[0] = l->ends[i];
			sw[1] = y;
		}
	}
	s->closed[a] = 0;
	if (b != NO_ID)
		s->closed[b] = 0;
	memcpy(s->rank, l->rank, l->g->n * sizeof(*s->rank));
	return found;
}

bool legal_witness(struct legal *l, uint32_t a, uint32_t b, uint32_t sw[2])
{
	return parts_two(l->own, a, b, sw);
}

bool legal_meets(const struct legal *l, uint32_t sw)
{
	for (uint32_t i = 0; i < l->n_ends; i++)
		for (uint32_t k = 0; l->ends[i] == sw && k < l->n_ends; k++)
			if (k != i && l->joined[(size_t)i * l->g->n + l->ends[k]])
				return true;
	return false;
}

/* --- ranks as before: two ends -------------------------------------------------------------------------- */

struct legal_job {
	struct legal *l;
	struct parted_legal_search **search; /* [workers] */
};

/* Are there three ways without a common part?  The first one is in part[], *n. */
static bool three_ways(struct parted_legal_search *s, uint32_t x, uint32_t y, uint32_t *part, uint32_t *n,
		       uint32_t *other)
{
	uint32_t all = 0;
	bool safe = false;
	unsigned ways;

	*n = 0;
	for (ways = 0; ways < WAYS && !safe; ways++) {
		uint32_t state = parted_legal_go(s, x, y);
		if (state == NO_ID)
			break;
		uint32_t first = parts_of_way(s, state, other + all);
		safe = !first; /* neighbours: no switch parts them */
		if (!ways) {
			*n = first;
			memcpy(part, other, first * sizeof(*part));
		}
		for (uint32_t i = all; i < all + first; i++)
			s->closed[other[i]] = 1;
		all += first;
	}
	for (uint32_t i = 0; i < all; i++)
		s->closed[other[i]] = 0;
	return safe || ways == WAYS;
}

static void note_alone(struct legal *l, uint32_t a, uint32_t x, uint32_t y)
{
	pthread_mutex_lock(&l->lock);
	if (l->seen[a][0] == NO_ID || x < l->seen[a][0] || (x == l->seen[a][0] && y < l->seen[a][1])) {
		l->seen[a][0] = x;
		l->seen[a][1] = y;
	}
	pthread_mutex_unlock(&l->lock);
}

static void cuts_of(struct parted_legal_search *s, struct legal *l, uint32_t x, uint32_t y, uint32_t *a,
		    uint32_t *b)
{
	uint32_t n;

	if (three_ways(s, x, y, a, &n, b))
		return;
	for (uint32_t i = 0; i < n; i++) {
		s->closed[a[i]] = 1;
		uint32_t state = parted_legal_go(s, x, y);
		uint32_t m = state == NO_ID ? 0 : parts_of_way(s, state, b);
		if (state == NO_ID)
			note_alone(l, a[i], x, y);
		for (uint32_t k = 0; k < m; k++) {
			s->closed[b[k]] = 1;
			if (parted_legal_go(s, x, y) == NO_ID)
				pair_mark(l->g->bad, pair_bit(l->g, a[i], b[k]));
			s->closed[b[k]] = 0;
		}
		s->closed[a[i]] = 0;
	}
}

static int try_end(void *ctx, unsigned worker, unsigned i, struct progress *p, struct err *e)
{
	struct legal_job *j = ctx;
	struct legal *l = j->l;
	AUTO_FREE uint32_t *a = NEW_ARRAY((size_t)2 * l->g->n + 1, uint32_t),
			   *b = NEW_ARRAY((size_t)6 * l->g->n + 1, uint32_t);

	for (uint32_t k = i + 1; k < l->n_ends && !progress_cancelled(p); k++)
		if (l->joined[(size_t)i * l->g->n + l->ends[k]])
			cuts_of(j->search[worker], l, l->ends[i], l->ends[k], a, b);
	return progress_cancelled(p) ? err_set(e, CANCELLED) : 0;
}

/* --- the whole ------------------------------------------------------------------------------------------ */

/* Decides the pairs of part a: bits of ranks as before are true unless some rank changes. */
static int decide_part(void *ctx, unsigned worker, unsigned i, struct progress *p, struct err *e)
{
	struct legal_job *j = ctx;
	struct legal *l = j->l;
	struct parted_net *g = l->g;
	uint32_t a = i, sw[2];

	for (uint32_t b = a + 1; b < g->n_parts; b++) {
		bool anew = ranks_shift(l, a, b), one = l->seen[a][0] != NO_ID, two = l->seen[b][0] != NO_ID;
		uint64_t at = pair_bit(g, a, b);

		if (b % 64 == 0 && progress_cancelled(p))
			return err_set(e, CANCELLED);
		l->reranked += anew;
		if (!anew && g->switches) { /* the ends that one parts may be on the other */
			one = one && g->part_of[l->seen[a][0]] != b && g->part_of[l->seen[a][1]] != b;
			two = two && g->part_of[l->seen[b][0]] != a && g->part_of[l->seen[b][1]] != a;
			anew = !one && !two && (l->seen[a][0] != NO_ID || l->seen[b][0] != NO_ID);
		}
		if (anew) {
			if (parts_two(j->search[worker], a, b, sw))
				pair_mark(g->bad, at);
			else
				atomic_fetch_and(&g->bad[at / 64], ~(1ull << at % 64));
		} else if (one || two) {
			pair_mark(g->bad, at);
		}
	}
	g->alone[a] = l->shifts[a] ? parts_two(j->search[worker], a, NO_ID, sw) : l->seen[a][0] != NO_ID;
	return 0;
}

int parted_legal(struct legal *l, uint64_t *reranked, struct progress *p, struct err *e)
{
	AUTO_ARENA void *arena = ARENA_EMPTY;
	struct legal_job j = {.l = l};
	struct parallel ends = {.n = l->n_ends, .work = try_end, .ctx = &j},
			parts = {.n = l->g->n_parts, .work = decide_part, .ctx = &j};
	unsigned n = parallel_workers(&ends), m = parallel_workers(&parts);

	n = MAX(n, m);
	j.search = ARENA_ARRAY(arena, (size_t)n + 1, struct parted_legal_search *);
	for (unsigned i = 0; i < n; i++)
		j.search[i] = parted_legal_search_new(arena, l);
	int rc = parallel_run(&ends, "ways of pairs of switches", p, e);
	if (!rc)
		rc = parallel_run(&parts, "pairs of failures", p, e);
	*reranked = l->reranked;
	return rc;
}

static bool has_end_node(const struct topo *t, uint32_t sw)
{
	FOR_PORTS(t->fabric, sw, port)
		if (t->peer[port] != NO_ID && !node_is_switch(t->fabric, t->fabric->port_node[t->peer[port]]))
			return true;
	return false;
}

/* Are the directions in force those of ranks and GUIDs? */
static int same_directions(const struct legal *l, const struct parted_legal_search *s, struct err *e)
{
	const struct routing *r = l->g->sweep->routing;
	const struct topo *t = r->topo;
	char a[300];

	for (uint32_t v = 0; v < l->g->n; v++)
		FOR_CABLES(t, v, port, to) {
			char is = r->ops->direction(r, v, t->fabric->port_num[port]);

			if (is != parted_legal_direction(s, v, to) && (is != '=' || s->rank[v]))
				return err_set(
					e,
					"%s: found direction %c, expected %c by ranks and GUIDs; pairs "
					"cannot be proved with ids from a file",
					port_plain(t->fabric, port, a, sizeof(a)), is,
					parted_legal_direction(s, v, to));
		}
	return 0;
}

struct legal *legal_new(void *arena, struct parted_net *g, struct err *e)
{
	const struct routing *r = g->sweep->routing;
	struct legal *l = ARENA_NEW(arena, struct legal);
	size_t words = (size_t)((uint64_t)g->n_parts * (g->n_parts - 1) / 2 / 64) + 1;
	bool levels = !r->ops->is_root;

	l->g = g;
	arena_mutex(l, &l->lock);
	l->levels = levels;
	l->top = ARENA_ARRAY(l, (size_t)g->n + 1, uint8_t);
	l->ends = ARENA_ARRAY(l, (size_t)g->n + 1, uint32_t);
	for (uint32_t v = 0; v < g->n; v++) {
		bool up = switch_up(r->topo, v);

		l->top[v] = up && (levels ? has_end_node(r->topo, v) : r->ops->is_root(r, v));
		if (g->hosts[v])
			l->ends[l->n_ends++] = v;
	}
	l->own = parted_legal_search_new(l, l);
	rank_all(l->own);
	l->rank = ARENA_ARRAY(l, (size_t)g->n + 1, uint32_t);
	memcpy(l->rank, l->own->rank, g->n * sizeof(*l->rank));
	l->shifts = ARENA_ARRAY(l, (size_t)g->n_parts + 1, uint8_t);
	l->shift = ARENA_ARRAY(l, words, _Atomic uint64_t);
	l->seen = arena_array(l, (size_t)g->n_parts + 1, sizeof(*l->seen));
	memset(l->seen, 0xff, ((size_t)g->n_parts + 1) * sizeof(*l->seen));
	if (same_directions(l, l->own, e) ||
	    mem_room(e, (uint64_t)l->n_ends * g->n, "ways between %u switches", l->n_ends))
		return NULL;
	l->joined = ARENA_ARRAY(l, (size_t)l->n_ends * g->n + 1, uint8_t);
	for (uint32_t i = 0; i < l->n_ends; i++) {
		parted_legal_go(l->own, l->ends[i], NO_ID);
		memcpy(l->joined + (size_t)i * g->n, l->own->reached, g->n);
	}
	for (uint32_t v = 0; v < g->n; v++)
		if (l->rank[v] && l->rank[v] != NO_RANK_YET)
			note_supports(l, v);
	return l;
}
