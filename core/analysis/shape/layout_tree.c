/* Levels of a tree, and the order of switches within each level. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/shape/layout.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/text.h"

/* Pods and chassis of a tree, and the order of switches within each level: first by name, then by the places
 * of their neighbours (barycentres). The order with the shortest links is taken. */

#define LEAST_LEVELS 3 /* of a tree with pods: with two, each leaf would be one */
#define SWEEPS 2
#define PODS_WORTH 1.1 /* with pods, links may be this many times as long */
#define FINE 1e7       /* keys that differ by less are equal */

/* Blocks hold units; both stay together in a level. */
struct ordering {
	struct lpart *p;
	uint32_t *block, n_blocks; /* [n] NO_ID: none; numbered by lowest name */
	uint32_t *unit;		   /* [n] chassis within a level, or the switch alone */
	uint8_t *tall;		   /* [n_blocks] blocks in several levels keep their order in all */
	uint32_t *order;	   /* [n] by level, then place */
	double *x;		   /* [n] 0 .. 1 */
};

struct layout_tree_order_keyed {
	int64_t block_key, unit_key, own;
	uint32_t block, unit, u;
};

COMPARATOR(keyed_order, struct layout_tree_order_keyed,
	   UP(block_key) UP(block) UP(unit_key) UP(unit) UP(own) UP(u))

static int key_order(const void *x, const void *y)
{
	const int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;

	return COMPARED(a, b);
}

/* Connected parts without the roots (NO_ID: a root).  Returns their number. */
static uint32_t find_pods(const struct lpart *p, uint32_t *pod)
{
	AUTO_FREE uint32_t *parent = NEW_ARRAY(p->n, uint32_t);
	uint32_t n = 0;

	for (uint32_t u = 0; u < p->n; u++)
		parent[u] = u;
	for (uint32_t l = 0; l < p->n_links; l++)
		if (p->level[p->end[2 * l]] && p->level[p->end[2 * l + 1]])
			lpart_join(parent, p->end[2 * l], p->end[2 * l + 1]);
	for (uint32_t u = 0; u < p->n; u++) {
		uint32_t root = disjoint_root(parent, u);

		pod[u] = NO_ID;
		if (p->level[u])
			pod[u] = root == u ? n++ : pod[root];
	}
	return n;
}

/* of[u]: the first switch of u's chassis, or NO_ID if u is alone. */
static void layout_tree_order_find_chassis(const struct lpart *p, uint32_t *of)
{
	AUTO_FREE struct layout_tree_order_keyed *k = NEW_ARRAY(p->n, struct layout_tree_order_keyed);

	for (uint32_t u = 0; u < p->n; u++)
		k[u] = (struct layout_tree_order_keyed){.block = p->chassis[u], .u = u};
	qsort(k, p->n, sizeof(*k), keyed_order);
	for (uint32_t i = 0, end; i < p->n; i = end) {
		for (end = i + 1; end < p->n && k[end].block == k[i].block;)
			end++;
		for (uint32_t j = i; j < end; j++)
			of[k[j].u] = end - i > 1 && k[i].block != NO_ID ? k[i].u : NO_ID;
	}
}

static bool pods_split_chassis(const struct lpart *p, const uint32_t *pod, const uint32_t *chassis)
{
	for (uint32_t u = 0; u < p->n; u++)
		if (chassis[u] != NO_ID && pod[u] != pod[chassis[u]])
			return true;
	return false;
}

/* chassis: from layout_tree_order_find_chassis(). false: pods are wanted, but none are useful. */
static bool ordering_make(void *arena, struct ordering *o, struct lpart *p, const uint32_t *chassis,
			  bool pods)
{
	AUTO_FREE uint32_t *seen = NEW_ARRAY(p->n, uint32_t);

	*o = (struct ordering){.p = p,
			       .block = ARENA_ARRAY(arena, p->n, uint32_t),
			       .unit = ARENA_ARRAY(arena, p->n, uint32_t),
			       .order = ARENA_ARRAY(arena, p->n, uint32_t),
			       .x = ARENA_ARRAY(arena, p->n, double)};
	if (pods)
		o->n_blocks = find_pods(p, o->block);
	for (uint32_t u = 0; u < p->n; u++) {
		o->unit[u] = chassis[u] == NO_ID ? u : chassis[u];
		if (!pods)
			o->block[u] = chassis[u] == NO_ID ? NO_ID
				      : chassis[u] == u	  ? o->n_blocks++
							  : o->block[chassis[u]];
	}
	o->tall = ARENA_ARRAY(arena, o->n_blocks + 1, uint8_t);
	for (uint32_t u = 0; u < p->n; u++) {
		if (o->block[u] == NO_ID)
			continue;
		o->tall[o->block[u]] |= seen[o->block[u]] && seen[o->block[u]] != p->level[u] + 1u;
		seen[o->block[u]] = p->level[u] + 1u;
	}
	return !pods || (p->is.levels >= LEAST_LEVELS && o->n_blocks >= 2 && o->n_blocks <= p->n / 3 &&
			 !pods_split_chassis(p, o->block, chassis));
}

/* Mean place of the neighbours above (or below); u's own place if there are none. */
static double barycentre(const struct ordering *o, uint32_t u, bool above)
{
	const struct lpart *p = o->p;
	double sum = 0;
	uint32_t n = 0;

	for (uint32_t i = p->first[u]; i < p->first[u + 1]; i++) {
		uint32_t v = p->to[i];

		if (above ? p->level[v] < p->level[u] : p->level[v] > p->level[u]) {
			sum += o->x[v];
			n++;
		}
	}
	return n ? sum / n : o->x[u];
}

/* Means of keys over what stays together: by the id of a unit or block. */
struct means {
	double *sum; /* [n] */
	uint32_t *n; /* [n] */
};

static int64_t fine(double sum, uint32_t n)
{
	return llround(sum / n * FINE);
}

/* Tall blocks exchange their keys in this level, so that they stand in the order of their numbers. */
static void order_tall(const struct ordering *o, struct layout_tree_order_keyed *k, uint32_t n)
{
	AUTO_FREE int64_t *key = NEW_ARRAY(o->n_blocks + 1, int64_t),
			  *sorted = NEW_ARRAY(o->n_blocks + 1, int64_t);
	AUTO_FREE uint8_t *here = NEW_ARRAY(o->n_blocks + 1, uint8_t);
	uint32_t tall = 0, at = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t b = o->block[k[i].u];

		if (b == NO_ID || !o->tall[b] || here[b])
			continue;
		here[b] = 1;
		sorted[tall++] = k[i].block_key;
	}
	qsort(sorted, tall, sizeof(*sorted), key_order);
	for (uint32_t b = 0; b < o->n_blocks; b++)
		if (here[b])
			key[b] = sorted[at++];
	for (uint32_t i = 0; i < n; i++)
		if (o->block[k[i].u] != NO_ID && here[o->block[k[i].u]])
			k[i].block_key = key[o->block[k[i].u]];
}

/* Sort the n switches from `at` on, which are one level. */
static void order_level(struct ordering *o, uint32_t at, uint32_t n, int above)
{
	uint32_t ids = o->n_blocks + o->p->n;
	AUTO_FREE struct layout_tree_order_keyed *k = NEW_ARRAY(n + 1, struct layout_tree_order_keyed);
	AUTO_ARENA void *arena = ARENA_EMPTY;
	struct means block = {ARENA_ARRAY(arena, ids, double), ARENA_ARRAY(arena, ids, uint32_t)};
	struct means unit = {ARENA_ARRAY(arena, o->p->n, double), ARENA_ARRAY(arena, o->p->n, uint32_t)};

	for (uint32_t i = 0; i < n; i++) {
		uint32_t u = o->order[at + i],
			 b = o->block[u] != NO_ID ? o->block[u] : o->n_blocks + o->unit[u];
		double own = above < 0 ? 0 : barycentre(o, u, above);

		block.sum[b] += own;
		block.n[b]++;
		unit.sum[o->unit[u]] += own;
		unit.n[o->unit[u]]++;
		k[i] = (struct layout_tree_order_keyed){
			.own = llround(own * FINE), .unit = o->unit[u], .u = u, .block = b};
	}
	for (uint32_t i = 0; i < n; i++) {
		k[i].block_key = fine(block.sum[k[i].block], block.n[k[i].block]);
		k[i].unit_key = fine(unit.sum[k[i].unit], unit.n[k[i].unit]);
	}
	order_tall(o, k, n);
	qsort(k, n, sizeof(*k), keyed_order);
	for (uint32_t i = 0; i < n; i++) {
		o->order[at + i] = k[i].u;
		o->x[k[i].u] = (i + 0.5) / n;
	}
}

/* Finds the best order after no sweep, one and two. Returns the length of links. */
static double find_order(struct ordering *o, const uint32_t *start)
{
	AUTO_FREE uint32_t *best = NEW_ARRAY(o->p->n, uint32_t),
			   *fill = NEW_ARRAY(o->p->is.levels + 1u, uint32_t);
	double least = INFINITY;

	memcpy(fill, start, o->p->is.levels * sizeof(*fill));
	for (uint32_t u = 0; u < o->p->n; u++)
		o->order[fill[o->p->level[u]]++] = u;
	for (int k = 0; k <= SWEEPS && !progress_cancelled(o->p->progress); k++) {
		double sum = 0;
		/* first by block, unit and name; then upwards, or down from the roots */
		int above = k == 0 ? -1 : k % 2;

		for (unsigned i = 0; i < o->p->is.levels; i++) {
			unsigned lev = above ? i : o->p->is.levels - 1 - i;

			if (above < 0 || i)
				order_level(o, start[lev], start[lev + 1] - start[lev], above);
		}
		for (uint32_t l = 0; l < o->p->n_links; l++)
			sum += fabs(o->x[o->p->end[2 * l]] - o->x[o->p->end[2 * l + 1]]);
		double length = sum / o->p->n_links;
		if (length >= least)
			continue;
		least = length;
		memcpy(best, o->order, o->p->n * sizeof(*best));
	}
	memcpy(o->order, best, o->p->n * sizeof(*best));
	return least;
}

/* Blocks in one level are numbered by place. Tall ones are in their order already. */
static void layout_tree_order_take(struct lpart *p, const struct ordering *o, bool pods)
{
	AUTO_FREE uint32_t *number = NEW_ARRAY(o->n_blocks + 1, uint32_t);
	uint32_t n = 0;

	memset(number, 0xff, (o->n_blocks + 1) * sizeof(*number));
	for (uint32_t b = 0; b < o->n_blocks; b++)
		if (o->tall[b])
			number[b] = n++;
	for (uint32_t i = 0; i < p->n; i++) {
		uint32_t b = o->block[o->order[i]];

		if (b != NO_ID && number[b] == NO_ID)
			number[b] = n++;
	}
	for (uint32_t u = 0; u < p->n; u++)
		p->block[u] = o->block[u] == NO_ID ? NO_ID : number[o->block[u]];
	memcpy(p->order, o->order, p->n * sizeof(*p->order));
	p->is.n_blocks = o->n_blocks;
	p->is.pods = pods;
}

/* pods or chassis, and order within levels */
static void layout_order_tree(struct lpart *p)
{
	AUTO_FREE uint32_t *chassis = NEW_ARRAY(p->n, uint32_t),
			   *start = NEW_ARRAY(p->is.levels + 1u, uint32_t);
	AUTO_ARENA void *arena = ARENA_EMPTY;
	struct ordering plain, pods;

	for (uint32_t u = 0; u < p->n; u++)
		start[p->level[u] + 1]++;
	for (unsigned k = 0; k < p->is.levels; k++)
		start[k + 1] += start[k];
	layout_tree_order_find_chassis(p, chassis);
	ordering_make(arena, &plain, p, chassis, false);
	double length = find_order(&plain, start);
	bool has_pods = ordering_make(arena, &pods, p, chassis, true) &&
			find_order(&pods, start) <= PODS_WORTH * length + 1e-9;
	layout_tree_order_take(p, has_pods ? &pods : &plain, has_pods);
}

/* Levels of a tree from its cables: distances from the switches with hosts. Corrected are links within a
 * level, and leaves without hosts that look like roots. */

#define LAYOUT_TREE_SWEEPS 4
#define LOOK_AT 8 /* switches to compare with */
#define LEAST_ALIKE 0.75
#define MOST_WRONG 0.1 /* of the links may be wrong */
#define NO_LEVEL 255
#define MOST_LEVELS 64

static uint32_t link_wrong(int a, int b)
{
	return (uint32_t)abs(abs(a - b) - 1);
}

/* Finds levels as distances from the seeds. false: there are no seeds, or too many levels. */
static bool distances(const struct lpart *p, uint32_t least_hosts, uint8_t *level)
{
	AUTO_FREE uint32_t *queue = NEW_ARRAY(p->n, uint32_t);
	uint32_t head = 0, tail = 0;
	bool fits = true;

	for (uint32_t u = 0; u < p->n; u++) {
		bool seed = p->hosts[u] >= least_hosts || (!p->hosts[u] && lpart_degree(p, u) == 1);

		level[u] = seed ? 0 : NO_LEVEL;
		if (seed)
			queue[tail++] = u;
	}
	while (head < tail && fits) {
		uint32_t u = queue[head++];

		fits = level[u] < MOST_LEVELS;
		for (uint32_t i = p->first[u]; i < p->first[u + 1]; i++)
			if (level[p->to[i]] == NO_LEVEL) {
				level[p->to[i]] = (uint8_t)(level[u] + 1);
				queue[tail++] = p->to[i];
			}
	}
	return tail && fits;
}

/* The level of u with which fewest of its links are wrong. */
static uint8_t best_level(const struct lpart *p, const uint8_t *level, uint32_t u)
{
	uint32_t least = UINT32_MAX, count[MOST_LEVELS + 2] = {0};
	int lo = MOST_LEVELS, hi = 0;
	uint8_t best = level[u];

	for (uint32_t i = p->first[u]; i < p->first[u + 1]; i++) {
		int v = level[p->to[i]];

		count[v]++;
		lo = MIN(v, lo);
		hi = MAX(v, hi);
	}
	for (int pass = 0, at = level[u]; pass < hi - lo + 4; at = lo - 1 + pass++) {
		uint32_t wrong = 0;

		if (at < 0 || at > MOST_LEVELS)
			continue;
		for (int v = lo; v <= hi; v++)
			wrong += count[v] * link_wrong(at, v);
		if (wrong < least) {
			least = wrong;
			best = (uint8_t)at;
		}
	}
	return best;
}

/* All neighbours of u are one below it. Is u more like switches two below than like those beside it? */
static bool looks_lower(const struct lpart *p, const uint8_t *level, uint32_t u)
{
	double best[2] = {0, 0}; /* below, beside */
	unsigned seen[2] = {0, 0};
	uint32_t near = p->to[p->first[u]];

	for (uint32_t i = p->first[u]; i < p->first[u + 1]; i++)
		if (lpart_degree(p, p->to[i]) < lpart_degree(p, near))
			near = p->to[i];
	for (uint32_t i = p->first[near]; i < p->first[near + 1]; i++) {
		uint32_t v = p->to[i];
		bool beside = level[v] == level[u];

		if (v == u || (!beside && level[v] + 2 != level[u]) || seen[beside] >= LOOK_AT)
			continue;
		seen[beside]++;
		uint32_t common = lpart_shared(p, u, v);
		double o = (double)common / (lpart_degree(p, u) + lpart_degree(p, v) - common);
		best[beside] = MAX(o, best[beside]);
	}
	return best[0] > best[1] || (best[0] == best[1] && best[0] >= LEAST_ALIKE);
}

static bool all_one_below(const struct lpart *p, const uint8_t *level, uint32_t u)
{
	for (uint32_t i = p->first[u]; i < p->first[u + 1]; i++)
		if (level[p->to[i]] + 1 != level[u])
			return false;
	return true;
}

/* Finds the levels with fewest wrong links: p->level and p->is.wrong. false: there are none. */
static bool layout_tree_find_levels(struct lpart *p)
{
	AUTO_FREE uint8_t *level = NEW_ARRAY(p->n, uint8_t);
	uint32_t most = 0, least = UINT32_MAX;

	for (uint32_t u = 0; u < p->n; u++)
		most = MAX(p->hosts[u], most);
	for (unsigned k = 0; k < 3 && least && !progress_cancelled(p->progress); k++) {
		uint32_t t = ((const uint32_t[]){1, (most + 3) / 4, (most + 1) / 2})[k], wrong = 0;
		bool changed = true;

		if (!distances(p, t ? t : 1, level))
			continue;
		for (unsigned sweep = 0; sweep < LAYOUT_TREE_SWEEPS && changed; sweep++) {
			changed = false;
			for (uint32_t u = 0; u < p->n; u++) {
				uint8_t best = best_level(p, level, u);

				changed |= best != level[u];
				level[u] = best;
			}
		}
		AUTO_FREE uint8_t *lower = NEW_ARRAY(p->n, uint8_t);
		for (uint32_t u = 0; u < p->n; u++)
			lower[u] = !p->hosts[u] && level[u] >= 2 && all_one_below(p, level, u) &&
				   looks_lower(p, level, u);
		for (uint32_t u = 0; u < p->n; u++)
			level[u] = (uint8_t)(level[u] - 2 * lower[u]);
		for (uint32_t l = 0; l < p->n_links; l++)
			wrong += link_wrong(level[p->end[2 * l]], level[p->end[2 * l + 1]]);
		if (wrong >= least)
			continue;
		least = wrong;
		memcpy(p->level, level, p->n);
	}
	p->is.wrong = least;
	return least != UINT32_MAX;
}

static bool levels_fit(const struct lpart *p)
{
	uint32_t at[2] = {0, 0}, with = 0;

	if (p->is.levels < 2 || p->is.wrong > MOST_WRONG * p->n_links)
		return false;
	for (uint32_t u = 0; u < p->n; u++) {
		with += p->hosts[u] > 0;
		if (p->level[u] < 2)
			at[p->level[u]]++;
	}
	return with < p->n || 2 * at[0] <= at[1];
}

bool layout_is_tree(struct lpart *p)
{
	uint32_t count[256] = {0};
	uint8_t to[256] = {0}, n = 0;

	if (!layout_tree_find_levels(p)) {
		memset(p->level, 0, p->n);
		p->is.wrong = 0;
		return false;
	}
	/* from now on level 0 is the highest, and no level is empty */
	for (uint32_t u = 0; u < p->n; u++)
		count[p->level[u]]++;
	for (unsigned k = 256; k-- > 0;)
		if (count[k])
			to[k] = n++;
	for (uint32_t u = 0; u < p->n; u++)
		p->level[u] = to[p->level[u]];
	p->is.levels = n;
	if (!levels_fit(p))
		return false;
	p->is.kind = LAYOUT_TREE;
	layout_order_tree(p);
	if (p->is.n_blocks && p->is.pods)
		p->is.words = str_printf("%u levels, %s", p->is.levels, PLURAL(p->is.n_blocks, "pod"));
	else if (p->is.n_blocks)
		p->is.words = str_printf("%u levels, %u chassis", p->is.levels, p->is.n_blocks);
	else
		p->is.words = str_printf("%u levels", p->is.levels);
	return true;
}
