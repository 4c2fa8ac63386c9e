/* Dependency graphs of LASH that are kept acyclic, and the balancing of layers. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/routing/paths.h"
#include "engines/lash/lash.h"

/* A channel dependency graph that is kept acyclic. */

/* A dependency that closes a cycle by itself. The channels back are way[at] to way[at + len - 1]. */
struct lash_acyclic_refusal {
	struct dependency d;
	uint32_t at, len;
};

/* Sorted by d.from: those of channel c are list[first[c]] to list[first[c + 1] - 1]. */
struct refusals {
	struct lash_acyclic_refusal *list;
	uint32_t n, cap;
	uint32_t *way;
	uint32_t n_way, cap_way;
	uint32_t *first; /* NULL until all are listed */
};

/* The channels that a search reached from one end. */
struct lash_acyclic_side {
	uint32_t *channel; /* [n_channels] */
	uint32_t n, done;  /* number reached; number of them already expanded */
};

struct acyclic {
	const struct lash_graph *g;
	/*
	 * Rows of bits, one row per channel. out: the dependencies on the channel, one bit per link of the
	 * switch it leads to. in: the channel's dependents, one bit per link of the switch it leaves (the
	 * bit's link is the reverse of the dependent channel). bad: dependencies that would close a cycle by
	 * themselves.
	 */
	uint64_t *out, *bad, *in;
	uint32_t *out_at, *in_at; /* [n_channels + 1] first word of a row */
	/* The topological order: a linked list with ascending labels, headed by entry n_channels. */
	uint32_t *next, *prev; /* [n_channels + 1] */
	uint64_t *label;       /* [n_channels] */
	uint32_t n_deps;
	uint64_t searches;
	struct refusals refused;
	struct refusals doubted; /* cycles of an earlier graph, not yet known to exist in this one */
	/* state of a search */
	uint32_t *stamp, generation; /* [n_channels] search that reached it: generation, or + 1 backwards */
	uint32_t *parent;	     /* [n_channels] the channel from which it was reached */
	struct lash_acyclic_side fore, back;
	uint32_t fore_end, back_end; /* the channels at which the two sides of the last search met */
	struct dependency *added;
	unsigned n_added, cap_added;
};

/* Sets all labels again, with equal gaps. */
static void relabel(struct acyclic *a)
{
	uint32_t n = a->g->n_channels;
	uint64_t step = UINT64_MAX / (n + 1u), label = 0;

	for (uint32_t c = a->next[n]; c != n; c = a->next[c])
		a->label[c] = label += step;
}

/* Makes channel[n_channels] the topological order. */
static void set_order(struct acyclic *a, const uint32_t *channel)
{
	uint32_t n = a->g->n_channels, last = n;

	for (uint32_t i = 0; i < n; i++) {
		a->next[last] = channel[i];
		a->prev[channel[i]] = last;
		last = channel[i];
	}
	a->next[last] = n;
	a->prev[n] = last;
	relabel(a);
}

/*
 * Any first order is correct. This one puts channels towards switch 0 before channels away from it, so that
 * the first routes, which begin or end at that switch, fit the order.
 */
static void first_order(struct acyclic *a)
{
	const struct lash_graph *g = a->g;
	uint32_t *level = NEW_ARRAY(g->n + 1u, uint32_t), *queue = NEW_ARRAY(g->n, uint32_t);
	uint32_t *place = NEW_ARRAY(2 * (size_t)g->n + 2, uint32_t), *key = a->back.channel, sum = 0;

	memset(level, 0xff, g->n * sizeof(*level));
	level[0] = queue[0] = 0;
	spread_arcs(g->base, g->to, level, queue, 1);
	for (uint32_t c = 0; c < g->n_channels; c++) {
		uint32_t from = level[g->from[c]], to = level[g->to[c]];

		if (from == UINT32_MAX || to == UINT32_MAX)
			key[c] = 0;
		else
			key[c] = from > to ? g->n - from : g->n + to;
		place[key[c] + 1]++;
	}
	for (uint32_t k = 0; k < 2 * g->n + 2; k++)
		sum = place[k] += sum;
	for (uint32_t c = 0; c < g->n_channels; c++)
		a->fore.channel[place[key[c]]++] = c;
	set_order(a, a->fore.channel);
	FREE_EACH(level, queue, place);
}

struct acyclic *acyclic_new(const struct lash_graph *g)
{
	struct acyclic *a = NEW(struct acyclic);
	uint32_t n = g->n_channels;

	a->g = g;
	a->out_at = NEW_ARRAY(n + 1u, uint32_t);
	a->in_at = NEW_ARRAY(n + 1u, uint32_t);
	for (uint32_t c = 0; c < n; c++) {
		a->out_at[c + 1] = a->out_at[c] + (lash_degree(g, g->to[c]) + 63) / 64;
		a->in_at[c + 1] = a->in_at[c] + (lash_degree(g, g->from[c]) + 63) / 64;
	}
	a->out = NEW_ARRAY(a->out_at[n], uint64_t);
	a->bad = NEW_ARRAY(a->out_at[n], uint64_t);
	a->in = NEW_ARRAY(a->in_at[n], uint64_t);
	a->next = NEW_ARRAY(n + 1u, uint32_t);
	a->prev = NEW_ARRAY(n + 1u, uint32_t);
	a->label = NEW_ARRAY(n, uint64_t);
	a->stamp = NEW_ARRAY(n, uint32_t);
	a->parent = NEW_ARRAY(n, uint32_t);
	a->fore.channel = NEW_ARRAY(n, uint32_t);
	a->back.channel = NEW_ARRAY(n, uint32_t);
	a->generation = 1;
	if (g->n)
		first_order(a);
	return a;
}

static void refusals_clear(struct refusals *r)
{
	FREE_EACH(r->list, r->way, r->first);
	*r = (struct refusals){0};
}

void acyclic_free(struct acyclic *a)
{
	if (!a)
		return;
	FREE_EACH(a->out, a->bad, a->in, a->out_at, a->in_at, a->next, a->prev, a->label, a->stamp, a->parent,
		  a->fore.channel, a->back.channel, a->added);
	refusals_clear(&a->refused);
	refusals_clear(&a->doubted);
	free(a);
}

/* The word and the bit of a dependency in rows of bits. */
static uint64_t *lash_acyclic_word_of(const struct acyclic *a, uint64_t *rows, struct dependency d,
				      uint64_t *mask)
{
	uint32_t bit = d.to - a->g->base[a->g->from[d.to]];

	*mask = (uint64_t)1 << (bit & 63);
	return rows + a->out_at[d.from] + (bit >> 6);
}

static void lash_acyclic_flip(struct acyclic *a, struct dependency d)
{
	uint32_t from = a->g->rev[d.from], bit = from - a->g->base[a->g->from[from]];
	uint64_t mask, *w = lash_acyclic_word_of(a, a->out, d, &mask);

	*w ^= mask;
	a->in[a->in_at[d.to] + (bit >> 6)] ^= (uint64_t)1 << (bit & 63);
}

static void lash_acyclic_put(struct acyclic *a, struct dependency d)
{
	lash_acyclic_flip(a, d);
	GROW(a->added, a->n_added, a->cap_added);
	a->added[a->n_added++] = d;
}

bool acyclic_has(const struct acyclic *a, struct dependency d)
{
	uint64_t mask, *w = lash_acyclic_word_of(a, a->out, d, &mask);

	return *w & mask;
}

uint32_t acyclic_count(const struct acyclic *a)
{
	return a->n_deps;
}

uint64_t acyclic_searches(const struct acyclic *a)
{
	return a->searches;
}

static void new_generation(struct acyclic *a)
{
	if (a->generation < UINT32_MAX - 3) {
		a->generation += 2;
		return;
	}
	memset(a->stamp, 0, a->g->n_channels * sizeof(*a->stamp));
	a->generation = 1;
}

/* --- the search ------------------------------------------------------------------------------ */

static void lash_acyclic_reach(struct acyclic *a, struct lash_acyclic_side *s, uint32_t channel,
			       uint32_t parent, uint32_t stamp)
{
	a->stamp[channel] = stamp;
	a->parent[channel] = parent;
	s->channel[s->n++] = channel;
}

/* Expands the next channel of the forward side, up to label `limit`. False when the two sides meet. */
static bool lash_acyclic_go_on(struct acyclic *a, uint64_t limit)
{
	uint32_t c = a->fore.channel[a->fore.done++], first = a->g->base[a->g->to[c]];

	for (uint32_t w = a->out_at[c]; w < a->out_at[c + 1]; w++, first += 64) {
		for (uint64_t m = a->out[w]; m; m &= m - 1) {
			uint32_t x = first + __builtin_ctzll(m);

			if (a->label[x] > limit || a->stamp[x] == a->generation)
				continue;
			if (a->stamp[x] == a->generation + 1) {
				a->fore_end = c;
				a->back_end = x;
				return false;
			}
			lash_acyclic_reach(a, &a->fore, x, c, a->generation);
		}
	}
	return true;
}

/* Expands the next channel of the backward side, down to label `limit`. False when the two sides meet. */
static bool go_back(struct acyclic *a, uint64_t limit)
{
	uint32_t c = a->back.channel[a->back.done++], first = a->g->base[a->g->from[c]];

	for (uint32_t w = a->in_at[c]; w < a->in_at[c + 1]; w++, first += 64) {
		for (uint64_t m = a->in[w]; m; m &= m - 1) {
			uint32_t x = a->g->rev[first + __builtin_ctzll(m)];

			if (a->label[x] < limit || a->stamp[x] == a->generation + 1)
				continue;
			if (a->stamp[x] == a->generation) {
				a->fore_end = x;
				a->back_end = c;
				return false;
			}
			lash_acyclic_reach(a, &a->back, x, c, a->generation + 1);
		}
	}
	return true;
}

/*
 * Searches for a way from d.to to d.from, when d.from comes later in the order. Both ends search in turn
 * until they meet or one has nothing left. Returns the side that has nothing left, or NULL when there is a
 * way.
 */
static struct lash_acyclic_side *lash_acyclic_search(struct acyclic *a, struct dependency d)
{
	uint64_t lo = a->label[d.to], hi = a->label[d.from];

	a->searches++;
	new_generation(a);
	a->fore.n = a->fore.done = a->back.n = a->back.done = 0;
	lash_acyclic_reach(a, &a->fore, d.to, NO_ID, a->generation);
	lash_acyclic_reach(a, &a->back, d.from, NO_ID, a->generation + 1);
	for (;;) {
		if (a->fore.done == a->fore.n)
			return &a->fore;
		if (a->back.done == a->back.n)
			return &a->back;
		if (!lash_acyclic_go_on(a, hi) || !go_back(a, lo))
			return NULL;
	}
}

/* --- the order ------------------------------------------------------------------------------- */

struct lash_acyclic_placed {
	uint64_t label;
	uint32_t channel;
};

COMPARATOR(by_label, struct lash_acyclic_placed, UP(label))

/* Sorts channels by their place in the order. */
static void sort_channels(const struct acyclic *a, uint32_t *channel, uint32_t n)
{
	for (uint32_t i = 1; n <= 32 && i < n; i++) { /* insertion sort for a few channels */
		uint32_t c = channel[i], k = i;

		for (; k && a->label[channel[k - 1]] > a->label[c]; k--)
			channel[k] = channel[k - 1];
		channel[k] = c;
	}
	if (n <= 32)
		return;
	AUTO_FREE struct lash_acyclic_placed *p = NEW_ARRAY(n, struct lash_acyclic_placed);
	for (uint32_t i = 0; i < n; i++)
		p[i] = (struct lash_acyclic_placed){a->label[channel[i]], channel[i]};
	qsort(p, n, sizeof(*p), by_label);
	for (uint32_t i = 0; i < n; i++)
		channel[i] = p[i].channel;
}

/*
 * Moves the channels that one side of the search has reached, in their order: those that follow from d.to go
 * right behind d.from, or those that lead to d.from go right before d.to. All others stay.
 */
static void reorder(struct acyclic *a, struct dependency d, struct lash_acyclic_side *s)
{
	uint32_t head = a->g->n_channels, last = s == &a->fore ? d.from : a->prev[d.to];

	sort_channels(a, s->channel, s->n);
	uint32_t end = s == &a->fore ? a->next[d.from] : d.to;
	uint64_t lo = last == head ? 0 : a->label[last];
	uint64_t hi = end == head ? UINT64_MAX : a->label[end];
	uint64_t step = (hi - lo) / (s->n + 1u);
	for (uint32_t i = 0; i < s->n; i++) { /* each goes behind the one before it */
		uint32_t c = s->channel[i];

		a->next[a->prev[c]] = a->next[c];
		a->prev[a->next[c]] = a->prev[c];
		a->prev[c] = last;
		a->next[c] = a->next[last];
		a->prev[a->next[c]] = a->next[last] = c;
		a->label[c] = lo += step;
		last = c;
	}
	if (!step)
		relabel(a);
}

/* --- dependencies that close a cycle by themselves ------------------------------------------- */

static void lash_acyclic_add_refusal(struct refusals *r, struct dependency d, uint32_t len)
{
	GROW(r->list, r->n, r->cap);
	r->list[r->n++] = (struct lash_acyclic_refusal){d, r->n_way - len, len};
}

static void lash_acyclic_add_way(struct refusals *r, uint32_t channel)
{
	GROW(r->way, r->n_way, r->cap_way);
	r->way[r->n_way++] = channel;
}

/* Remembers the cycle of d, after a search that found a way from d.to to d.from. */
static void refuse_found(struct acyclic *a, struct dependency d)
{
	struct refusals *r = &a->refused;
	uint32_t first = r->n_way;
	uint64_t mask, *w = lash_acyclic_word_of(a, a->bad, d, &mask);

	for (uint32_t c = a->back_end; c != NO_ID; c = a->parent[c])
		lash_acyclic_add_way(r, c);
	for (uint32_t i = first, k = r->n_way; i + 1 < k; i++) {
		uint32_t c = r->way[i];

		r->way[i] = r->way[--k];
		r->way[k] = c;
	}
	for (uint32_t c = a->fore_end; c != NO_ID; c = a->parent[c])
		lash_acyclic_add_way(r, c);
	lash_acyclic_add_refusal(r, d, r->n_way - first);
	*w |= mask;
}

static bool lash_acyclic_is_bad(struct acyclic *a, struct dependency d)
{
	uint64_t mask, *w = lash_acyclic_word_of(a, a->bad, d, &mask);
	const struct refusals *old = &a->doubted;
	const struct lash_acyclic_refusal *r = NULL;

	if (*w & mask)
		return true;
	for (uint32_t i = old->n ? old->first[d.from] : 0; !r && old->n && i < old->first[d.from + 1]; i++)
		if (old->list[i].d.to == d.to)
			r = &old->list[i];
	if (!r)
		return false;
	const uint32_t *way = old->way + r->at; /* from d.from back to d.to; do all of them exist here? */
	for (uint32_t i = 1; i < r->len; i++)
		if (!acyclic_has(a, (struct dependency){way[i], way[i - 1]}))
			return false;
	for (uint32_t i = 0; i < r->len; i++)
		lash_acyclic_add_way(&a->refused, way[i]);
	lash_acyclic_add_refusal(&a->refused, d, r->len);
	*w |= mask;
	return true;
}

bool acyclic_add(struct acyclic *a, const struct dependency *d, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (lash_acyclic_is_bad(a, d[i]))
			return false;
	a->n_added = 0;
	for (unsigned i = 0; i < n; i++) {
		if (acyclic_has(a, d[i]))
			continue;
		if (a->label[d[i].from] > a->label[d[i].to]) {
			struct lash_acyclic_side *s = lash_acyclic_search(a, d[i]);

			if (!s) { /* takes back what was added; the order stays correct without it */
				bool alone = !a->n_added;

				while (a->n_added)
					lash_acyclic_flip(a, a->added[--a->n_added]);
				if (alone || (a->label[d[i].from] > a->label[d[i].to] &&
					      !lash_acyclic_search(a, d[i])))
					refuse_found(a, d[i]); /* d[i] closes a cycle by itself */
				return false;
			}
			reorder(a, d[i], s);
		}
		lash_acyclic_put(a, d[i]);
	}
	a->n_deps += a->n_added;
	return true;
}

/* --- memory for the next graph that is much like this one ------------------------------------ */

struct acyclic_memory {
	uint32_t n;   /* channels */
	uint32_t *at; /* [n] in topological order */
	struct refusals refused;
};

struct acyclic_memory *acyclic_remember(const struct acyclic *a)
{
	struct acyclic_memory *m = NEW(struct acyclic_memory);

	m->n = a->g->n_channels;
	m->at = NEW_ARRAY(m->n + 1u, uint32_t);
	for (uint32_t c = a->next[m->n], i = 0; c != m->n; c = a->next[c])
		m->at[i++] = c;
	m->refused = a->refused;
	m->refused.list = mem_dup(a->refused.list, a->refused.n * sizeof(*a->refused.list));
	m->refused.way = mem_dup(a->refused.way, a->refused.n_way * sizeof(*a->refused.way));
	return m;
}

void acyclic_forget(struct acyclic_memory *m)
{
	if (!m)
		return;
	free(m->at);
	refusals_clear(&m->refused);
	free(m);
}

static void recall_refusals(struct acyclic *a, const struct acyclic_memory *m, const uint32_t *now)
{
	uint32_t channels = a->g->n_channels;
	struct refusals r = {.first = NEW_ARRAY(channels + 2u, uint32_t)}, *to = &a->doubted;
	uint32_t *place = r.first + 1;

	for (uint32_t i = 0; i < m->refused.n; i++) {
		const struct lash_acyclic_refusal *old = &m->refused.list[i];
		const uint32_t *way = m->refused.way + old->at;
		bool gone = false;

		for (uint32_t k = 0; k < old->len; k++)
			gone |= now[way[k]] == NO_ID;
		if (gone)
			continue;
		for (uint32_t k = 0; k < old->len; k++)
			lash_acyclic_add_way(&r, now[way[k]]);
		lash_acyclic_add_refusal(&r, (struct dependency){now[old->d.from], now[old->d.to]}, old->len);
	}
	for (uint32_t i = 0; i < r.n; i++)
		place[r.list[i].d.from + 1]++;
	for (uint32_t c = 0; c < channels; c++)
		place[c + 1] += place[c];
	*to = r;
	to->list = NEW_ARRAY(r.n + 1u, struct lash_acyclic_refusal);
	for (uint32_t i = 0; i < r.n; i++)
		to->list[place[r.list[i].d.from]++] = r.list[i];
	free(r.list);
}

void acyclic_recall(struct acyclic *a, const struct acyclic_memory *m, const uint32_t *now)
{
	uint32_t n = 0, channels = a->g->n_channels, *order = a->fore.channel;

	assert(!a->n_deps);
	new_generation(a);
	for (uint32_t i = 0; i < m->n; i++) { /* channels that still exist keep their order */
		uint32_t c = now[m->at[i]];

		if (c == NO_ID)
			continue;
		a->stamp[c] = a->generation;
		order[n++] = c;
	}
	for (uint32_t c = a->next[channels]; c != channels; c = a->next[c]) /* new ones come behind */
		if (a->stamp[c] != a->generation)
			order[n++] = c;
	set_order(a, order);
	recall_refusals(a, m, now);
}

/* --- a cycle to show ------------------------------------------------------------------------- */

/* Finds the shortest way from `start` to `goal` of fewer than `limit` channels. Returns its length, or 0. */
static uint32_t shortest_way(struct acyclic *a, uint32_t start, uint32_t goal, uint32_t limit,
			     uint32_t *cycle)
{
	uint32_t n = 0;

	new_generation(a);
	a->fore.n = a->fore.done = 0;
	lash_acyclic_reach(a, &a->fore, start, NO_ID, a->generation);
	while (a->fore.done < a->fore.n && a->stamp[goal] != a->generation)
		lash_acyclic_go_on(a, UINT64_MAX);
	for (uint32_t c = a->stamp[goal] == a->generation ? goal : NO_ID; c != NO_ID; c = a->parent[c])
		n++;
	if (n >= limit)
		return 0;
	for (uint32_t c = goal, i = n; i; c = a->parent[c])
		cycle[--i] = c;
	return n;
}

uint32_t acyclic_cycle(struct acyclic *a, const struct dependency *d, unsigned n, uint32_t *cycle)
{
	uint32_t best = UINT32_MAX;

	a->n_added = 0;
	for (unsigned i = 0; i < n; i++)
		if (!acyclic_has(a, d[i]))
			lash_acyclic_put(a, d[i]);
	for (unsigned i = 0; i < a->n_added; i++) {
		uint32_t len = shortest_way(a, a->added[i].to, a->added[i].from, best, cycle);

		if (len)
			best = len;
	}
	while (a->n_added)
		lash_acyclic_flip(a, a->added[--a->n_added]);
	return best == UINT32_MAX ? 0 : best;
}

/* Balancing moves randomly chosen pairs from the fullest layer to the emptiest one (engines/doc/lash.md
 * 9). */

#define CLOSE_ENOUGH 6	    /* ordered pairs: balancing ends below this difference of layers */
#define NO_DESTINATION 9999 /* a layer with this many ordered pairs is never chosen as the emptiest */

/* The pairs of one layer that may still move, and the pairs that the layer refused to take. */
struct movable {
	uint64_t *bits;	   /* [n * words] each pair in both orders */
	uint32_t *row;	   /* [n] number of bits set in a row */
	uint64_t *refused; /* [n * words] */
	size_t *flagged;   /* pairs s * n + d cleared in bits because the emptiest layer refused them */
	size_t n_flagged, cap_flagged;
	bool was_source;
};

struct balance {
	struct lash *l;
	const struct lash_plan *p;
	struct lash_cdgs *c;
	const struct engine_input *in;
	struct engine_output *out;
	struct movable m[LASH_MAX_LAYERS];
	struct glibc_random random;
	struct dependency *deps;
	size_t n, words;
	unsigned mx, mn;
	int64_t trials;
	uint32_t drawn[2]; /* the last two random numbers */
	bool warned;
};

static void put_bit(const struct balance *b, struct movable *m, size_t s, size_t d, bool on)
{
	uint64_t *w = m->bits + s * b->words + d / 64, mask = (uint64_t)1 << (d & 63);

	if (!(*w & mask) == on) { /* NOLINT(clang-analyzer-core.NullDereference): movable() made the bits */
		*w ^= mask;
		m->row[s] += on ? 1 : -1u;
	}
}

static void put_pair(const struct balance *b, struct movable *m, size_t s, size_t d, bool on)
{
	put_bit(b, m, s, d, on);
	put_bit(b, m, d, s, on);
}

static void clear_flags(const struct balance *b, struct movable *m)
{
	for (size_t i = 0; i < m->n_flagged; i++)
		put_pair(b, m, m->flagged[i] / b->n, m->flagged[i] % b->n, true);
	m->n_flagged = 0;
}

/* The first bit set at or after place `from` in a row of n bits, cyclically. The row must not be empty. */
static size_t next_bit(const uint64_t *row, size_t words, size_t from)
{
	assert(from < words * 64);

	uint64_t m = row[from / 64] & (UINT64_MAX << (from & 63));

	for (size_t w = from / 64; !m;) {
		w = w + 1 == words ? 0 : w + 1;
		m = row[w];
		from = w * 64;
	}
	return from / 64 * 64 + __builtin_ctzll(m);
}

/* Draws two switches, and takes the first movable pair of layer mx from there on. False: there is none. */
static bool draw_pair(struct balance *b, size_t *s, size_t *d)
{
	const struct movable *m = &b->m[b->mx];
	size_t src = glibc_random_next(&b->random) % b->n, dst = glibc_random_next(&b->random) % b->n;

	b->drawn[0] = src;
	b->drawn[1] = dst;
	b->l->draws += 2;
	for (size_t i = 0; i < b->n; i++) {
		*s = src + i < b->n ? src + i : src + i - b->n;
		if (!m->row[*s])
			continue;
		*d = next_bit(m->bits + *s * b->words, b->words, dst);
		return true;
	}
	return false;
}

/* Adds the pair to layer mn if that closes no cycle. A refusal is final: dependencies are only added. */
static bool lash_balance_takes(struct balance *b, size_t s, size_t d)
{
	size_t lo = MIN(s, d), hi = MAX(s, d);
	uint64_t *w = b->m[b->mn].refused + lo * b->words + hi / 64, mask = (uint64_t)1 << (hi & 63);

	/* Dependencies of pairs that moved away stay in the layer; OpenSM's book-keeping is inexact here. */
	if (b->m[b->mn].was_source && !b->warned) {
		b->warned = true;
		note_add(&b->out->notes, 0,
			 "lash: balancing gives pairs back to layer %u; OpenSM 3.3.23 keeps wrong counts "
			 "there, so its service levels may differ\n",
			 b->mn);
	}
	if (b->mn < b->p->first[lo * b->n + hi] || (*w & mask))
		return false;
	if (!b->c->layer[b->mn])
		b->c->layer[b->mn] = lash_layer_before(b->p, b->mn, b->p->graph->n, 0, NULL);
	unsigned n = lash_pair_dependencies(b->p, lo, hi, b->deps);
	if (acyclic_add(b->c->layer[b->mn], b->deps, n))
		return true;
	*w |= mask;
	return false;
}

static void move_or_flag(struct balance *b, size_t s, size_t d)
{
	struct lash *l = b->l;
	struct movable *m = &b->m[b->mx];
	bool moved = lash_balance_takes(b, s, d);

	put_pair(b, m, s, d, false);
	if (moved) {
		put_pair(b, &b->m[b->mn], s, d, true);
		m->was_source = true;
		l->layer[s * b->n + d] = l->layer[d * b->n + s] = b->mn;
		l->count[b->mx] -= 2;
		l->count[b->mn] += 2;
		l->moved++;
	} else {
		GROW(m->flagged, m->n_flagged, m->cap_flagged);
		m->flagged[m->n_flagged++] = s * b->n + d;
		b->trials -= 2;
		l->refused++;
	}
	if (b->c->record)
		lash_record_turn(b->c->record,
				 &(struct lash_turn){.s = s,
						     .d = d,
						     .from = b->mx,
						     .to = b->mn,
						     .drawn = {b->drawn[0], b->drawn[1]},
						     .moved = moved,
						     .count = {l->count[b->mx], l->count[b->mn]},
						     .trials = b->trials,
						     .layer = l->layer,
						     .target = b->c->layer[b->mn]},
				 b->deps);
}

/* Chooses the emptiest and the fullest layer again. */
static void choose_layers(struct balance *b)
{
	const uint64_t *count = b->l->count;
	unsigned mx = b->mx, mn = b->mn, least = UINT32_MAX;

	b->mx = 0;
	for (unsigned v = 0; v < b->p->need; v++) {
		if (count[v] < NO_DESTINATION && (least == UINT32_MAX || count[v] < count[least]))
			least = v;
		if (count[v] > count[b->mx])
			b->mx = v;
	}
	b->mn = least == UINT32_MAX ? mn : least;
	if (b->mn != mn) {
		b->trials = count[b->mx];
		clear_flags(b, &b->m[b->mx]);
	}
	if (b->mx != mx) {
		b->trials = count[b->mx];
		clear_flags(b, &b->m[mx]);
	}
}

static int run_turns(struct balance *b)
{
	bool stop = false;

	while (!stop) {
		size_t s, d;

		if (!draw_pair(b, &s, &d)) {
			b->out->fatal = "never ends";
			return err_set(&b->out->refused, "balancing of the layers never ends with these "
							 "random numbers: OpenSM 3.3.23 would hang");
		}
		move_or_flag(b, s, d);
		stop = !b->trials || (int64_t)(b->l->count[b->mx] - b->l->count[b->mn]) < CLOSE_ENOUGH;
		choose_layers(b);
		if (!(b->l->draws & 0xfff) && !progress_step(b->in->progress, b->l->moved))
			return err_set(&b->out->refused, CANCELLED);
	}
	return 0;
}

/*
 * The random numbers continue from sweep to sweep, unless scatter_ports seeds them before each attempt. The
 * generator's last state saves drawing the earlier numbers again.
 */
static void start_random(struct balance *b)
{
	const struct lash *old = b->in->previous ? lash_of(b->in->previous) : NULL;
	unsigned seed = options_uint(b->in->options, "scatter_ports");
	uint64_t skip = b->in->random && !seed && *b->in->random != RANDOM_BY_CLOCK ? *b->in->random : 0;

	if (old && old->random_at && old->random_at <= skip) {
		b->random = old->random;
		skip -= old->random_at;
	} else {
		glibc_random_seed(&b->random, seed ? seed : RANDOM_DEFAULT_SEED);
	}
	glibc_random_skip(&b->random, skip);
}

int lash_balance(struct lash *l, struct lash_cdgs *c, const struct engine_input *in,
		 struct engine_output *out)
{
	struct balance *b = NEW(struct balance);
	size_t n = l->plan->graph->n;

	assert(l->layer && l->plan->need > 1 && l->plan->need <= l->vls.avail);
	if (c->record && lash_record_balance(c->record, &out->refused)) {
		free(b);
		return -1;
	}
	*b = (struct balance){
		.l = l, .p = l->plan, .c = c, .in = in, .out = out, .n = n, .words = (n + 63) / 64};
	b->deps = NEW_ARRAY(2 * n, struct dependency);
	b->mn = l->plan->need - 1;
	b->trials = l->count[0];
	rec_phase(in, "balancing of the layers");
	progress_start(in->progress, "balancing layers", 0);
	for (unsigned v = 0; v < l->plan->need; v++) {
		b->m[v].bits = NEW_ARRAY(n * b->words, uint64_t);
		b->m[v].refused = NEW_ARRAY(n * b->words, uint64_t);
		b->m[v].row = NEW_ARRAY(n, uint32_t);
	}
	for (size_t s = 0; s < n; s++)
		for (size_t d = 0; d < n; d++)
			if (s != d)
				put_bit(b, &b->m[l->plan->first[s * n + d]], s, d, true);
	start_random(b);
	int rc = run_turns(b);
	l->by_clock = l->draws && in->random && *in->random == RANDOM_BY_CLOCK &&
		      !options_uint(in->options, "scatter_ports");
	if (l->by_clock)
		note_add(&out->notes, 0,
			 "lash: dfsssp in routing_engine seeds OpenSM's random numbers by the clock, so a "
			 "pair may have "
			 "any SL from %u to %u; one draw is judged (scatter_ports sets the seed)\n",
			 l->vls.start, l->vls.start + l->plan->need - 1);
	else if (!rc && in->random && !options_uint(in->options, "scatter_ports")) {
		*in->random += l->draws; /* the next sweep continues from here */
		l->random = b->random;
		l->random_at = *in->random;
	}
	for (unsigned v = 0; v < LASH_MAX_LAYERS; v++)
		FREE_EACH(b->m[v].bits, b->m[v].row, b->m[v].refused, b->m[v].flagged);
	FREE_EACH(b->deps, b);
	return rc;
}
