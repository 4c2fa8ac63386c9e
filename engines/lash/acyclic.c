#include "engines/lash/acyclic.h"

#include <stdlib.h>
#include <string.h>

struct acyclic {
	const struct lash_graph *g;
	/*
	 * Rows of bits by channel: a bit a link of the switch it leads to.  out:
	 * dependencies; bad: those that would close a cycle by themselves.
	 */
	uint64_t *out, *bad;
	uint32_t *out_at;    /* [n_channels + 1] first word of a row */
	uint32_t *rank, *at; /* [n_channels] place in the topological order; channel at a place */
	uint32_t n_deps;
	/* of a search */
	uint32_t *stamp, generation; /* [n_channels] generation that saw it last */
	uint32_t *parent;	     /* [n_channels] */
	uint32_t *stack, *fore;	     /* [n_channels] */
	struct dependency *added;
	unsigned n_added, cap_added;
};

/* Links from switch 0 to each switch. */
static void find_levels(const struct lash_graph *g, uint32_t *level, uint32_t *queue)
{
	uint32_t n = 0;

	memset(level, 0xff, g->n * sizeof(*level));
	level[0] = 0;
	queue[n++] = 0;
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t c = g->base[queue[i]]; c < g->base[queue[i] + 1]; c++) {
			if (level[g->to[c]] != UINT32_MAX)
				continue;
			level[g->to[c]] = level[queue[i]] + 1;
			queue[n++] = g->to[c];
		}
	}
}

/*
 * Any order will do to begin with.  This one puts channels towards switch 0
 * before those away from it, so that the first routes, from and to that switch,
 * fit it as they come.
 */
static void first_order(struct acyclic *a)
{
	const struct lash_graph *g = a->g;
	uint32_t *level = NEW_ARRAY(g->n + 1u, uint32_t), *queue = NEW_ARRAY(g->n, uint32_t);
	uint32_t *place = NEW_ARRAY(2 * (size_t)g->n + 2, uint32_t), *key = a->stack, sum = 0;

	find_levels(g, level, queue);
	for (uint32_t c = 0; c < g->n_channels; c++) {
		uint32_t from = level[g->from[c]], to = level[g->to[c]];

		key[c] = from == UINT32_MAX || to == UINT32_MAX ? 0 : from > to ? g->n - from : g->n + to;
		place[key[c] + 1]++;
	}
	for (uint32_t k = 0; k < 2 * g->n + 2; k++)
		sum = place[k] += sum;
	for (uint32_t c = 0; c < g->n_channels; c++) {
		a->rank[c] = place[key[c]]++;
		a->at[a->rank[c]] = c;
	}
	free(level);
	free(queue);
	free(place);
}

struct acyclic *acyclic_new(const struct lash_graph *g)
{
	struct acyclic *a = NEW(struct acyclic);
	uint32_t n = g->n_channels;

	a->g = g;
	a->out_at = NEW_ARRAY(n + 1u, uint32_t);
	for (uint32_t c = 0; c < n; c++)
		a->out_at[c + 1] = a->out_at[c] + (lash_degree(g, g->to[c]) + 63) / 64;
	a->out = NEW_ARRAY(a->out_at[n], uint64_t);
	a->bad = NEW_ARRAY(a->out_at[n], uint64_t);
	a->rank = NEW_ARRAY(n, uint32_t);
	a->at = NEW_ARRAY(n, uint32_t);
	a->stamp = NEW_ARRAY(n, uint32_t);
	a->parent = NEW_ARRAY(n, uint32_t);
	a->stack = NEW_ARRAY(n, uint32_t);
	a->fore = NEW_ARRAY(n, uint32_t);
	if (g->n)
		first_order(a);
	return a;
}

void acyclic_free(struct acyclic *a)
{
	if (!a)
		return;
	free(a->out);
	free(a->bad);
	free(a->out_at);
	free(a->rank);
	free(a->at);
	free(a->stamp);
	free(a->parent);
	free(a->stack);
	free(a->fore);
	free(a->added);
	free(a);
}

/* Word and bit of a dependency in rows of bits. */
static uint64_t *word_of(const struct acyclic *a, uint64_t *rows, struct dependency d, uint64_t *mask)
{
	uint32_t bit = d.to - a->g->base[a->g->from[d.to]];

	*mask = (uint64_t)1 << (bit & 63);
	return rows + a->out_at[d.from] + (bit >> 6);
}

static void flip(struct acyclic *a, struct dependency d)
{
	uint64_t mask, *w = word_of(a, a->out, d, &mask);

	*w ^= mask;
}

bool acyclic_has(const struct acyclic *a, struct dependency d)
{
	uint64_t mask, *w = word_of(a, a->out, d, &mask);

	return *w & mask;
}

uint32_t acyclic_count(const struct acyclic *a)
{
	return a->n_deps;
}

static void new_generation(struct acyclic *a)
{
	if (++a->generation)
		return;
	memset(a->stamp, 0, a->g->n_channels * sizeof(*a->stamp));
	a->generation = 1;
}

/* Stamp the channels that follow from `start` and rank below `goal`; false when `goal` follows too. */
static bool search_on(struct acyclic *a, uint32_t start, uint32_t goal)
{
	const struct lash_graph *g = a->g;
	uint32_t top = 0, limit = a->rank[goal];

	new_generation(a);
	a->stamp[start] = a->generation;
	a->stack[top++] = start;
	while (top) {
		uint32_t c = a->stack[--top], first = g->base[g->to[c]];

		for (uint32_t w = a->out_at[c]; w < a->out_at[c + 1]; w++, first += 64) {
			for (uint64_t m = a->out[w]; m; m &= m - 1) {
				uint32_t x = first + __builtin_ctzll(m);

				if (x == goal)
					return false;
				if (a->rank[x] > limit || a->stamp[x] == a->generation)
					continue;
				a->stamp[x] = a->generation;
				a->stack[top++] = x;
			}
		}
	}
	return true;
}

static void give_rank(struct acyclic *a, uint32_t channel, uint32_t rank)
{
	a->rank[channel] = rank;
	a->at[rank] = channel;
}

/*
 * Between the ranks lo and hi: what leads to the new dependency goes before what
 * follows from it.  Those that follow carry the stamp of this generation; they
 * move up behind hi, all others down, each in the order so far.
 */
static void rerank(struct acyclic *a, uint32_t lo, uint32_t hi)
{
	uint32_t place = lo, n = 0;

	for (uint32_t r = lo; r <= hi; r++) {
		uint32_t c = a->at[r];

		if (a->stamp[c] == a->generation)
			a->fore[n++] = c;
		else
			give_rank(a, c, place++);
	}
	for (uint32_t i = 0; i < n; i++)
		give_rank(a, a->fore[i], place++);
}

/* Add one that is not there; false when it closes a cycle. */
static bool add_one(struct acyclic *a, struct dependency d)
{
	uint32_t lo = a->rank[d.to], hi = a->rank[d.from];

	if (hi > lo) {
		if (!search_on(a, d.to, d.from))
			return false;
		rerank(a, lo, hi);
	}
	flip(a, d);
	GROW(a->added, a->n_added, a->cap_added);
	a->added[a->n_added++] = d;
	return true;
}

static bool is_bad(const struct acyclic *a, struct dependency d)
{
	uint64_t mask, *w = word_of(a, a->bad, d, &mask);

	return *w & mask;
}

/* Take back what was added; is `d` alone to blame?  The order stays right without them. */
static void take_back(struct acyclic *a, struct dependency d)
{
	bool alone = !a->n_added;
	uint64_t mask, *w = word_of(a, a->bad, d, &mask);

	while (a->n_added)
		flip(a, a->added[--a->n_added]);
	if (alone || (a->rank[d.from] > a->rank[d.to] && !search_on(a, d.to, d.from)))
		*w |= mask;
}

bool acyclic_add(struct acyclic *a, const struct dependency *d, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (is_bad(a, d[i]))
			return false;
	a->n_added = 0;
	for (unsigned i = 0; i < n; i++) {
		if (acyclic_has(a, d[i]) || add_one(a, d[i]))
			continue;
		take_back(a, d[i]);
		return false;
	}
	a->n_deps += a->n_added;
	return true;
}

/* --- a cycle to show ---------------------------------------------------------------- */

/* Shortest way from `start` to `goal`, shorter than `limit` channels, into cycle[]; its length, 0 = none. */
static uint32_t shortest_way(struct acyclic *a, uint32_t start, uint32_t goal, uint32_t limit,
			     uint32_t *cycle)
{
	const struct lash_graph *g = a->g;
	uint32_t head = 0, tail = 0, n = 0;

	new_generation(a);
	a->stamp[start] = a->generation;
	a->parent[start] = NO_ID;
	a->fore[tail++] = start;
	while (head < tail && a->stamp[goal] != a->generation) {
		uint32_t c = a->fore[head++], first = g->base[g->to[c]];

		for (uint32_t w = a->out_at[c]; w < a->out_at[c + 1]; w++, first += 64) {
			for (uint64_t m = a->out[w]; m; m &= m - 1) {
				uint32_t x = first + __builtin_ctzll(m);

				if (a->stamp[x] == a->generation)
					continue;
				a->stamp[x] = a->generation;
				a->parent[x] = c;
				a->fore[tail++] = x;
			}
		}
	}
	if (a->stamp[goal] != a->generation)
		return 0;
	for (uint32_t c = goal; c != NO_ID; c = a->parent[c])
		n++;
	if (n >= limit)
		return 0;
	for (uint32_t c = goal, i = n; c != NO_ID; c = a->parent[c])
		cycle[--i] = c;
	return n;
}

uint32_t acyclic_cycle(struct acyclic *a, const struct dependency *d, unsigned n, uint32_t *cycle)
{
	uint32_t best = UINT32_MAX;

	a->n_added = 0;
	for (unsigned i = 0; i < n; i++) {
		if (acyclic_has(a, d[i]))
			continue;
		flip(a, d[i]);
		GROW(a->added, a->n_added, a->cap_added);
		a->added[a->n_added++] = d[i];
	}
	for (unsigned i = 0; i < a->n_added; i++) {
		uint32_t len = shortest_way(a, a->added[i].to, a->added[i].from, best, cycle);

		if (len)
			best = len;
	}
	while (a->n_added)
		flip(a, a->added[--a->n_added]);
	return best == UINT32_MAX ? 0 : best;
}
