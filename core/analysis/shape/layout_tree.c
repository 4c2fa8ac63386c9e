/*
 * Levels of a tree from its cables: distances from the switches with hosts. Corrected are links within a
 * level, and leaves without hosts that look like roots.
 */
#include <stdlib.h>
#include <string.h>

#include "core/analysis/shape/internal.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/text.h"

#define SWEEPS 4
#define LOOK_AT 8 /* switches to compare with */
#define LEAST_ALIKE 0.75
#define MOST_WRONG 0.1 /* of the links may be wrong */
#define NO_LEVEL 255
#define MOST_LEVELS 64

static uint32_t link_wrong(int a, int b)
{
	return (uint32_t)abs(abs(a - b) - 1);
}

static uint32_t all_wrong(const struct lpart *p, const uint8_t *level)
{
	uint32_t wrong = 0;

	for (uint32_t l = 0; l < p->n_links; l++)
		wrong += link_wrong(level[p->end[2 * l]], level[p->end[2 * l + 1]]);
	return wrong;
}

/* Finds levels as distances from the seeds. false: there are no seeds, or too many levels. */
static bool distances(const struct lpart *p, uint32_t least_hosts, uint8_t *level)
{
	uint32_t *queue = NEW_ARRAY(p->n, uint32_t), head = 0, tail = 0;
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
	free(queue);
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
		int beside = level[v] == level[u] ? 1 : level[v] + 2 == level[u] ? 0 : -1;
		double o;
		uint32_t common;

		if (v == u || beside < 0 || seen[beside] >= LOOK_AT)
			continue;
		seen[beside]++;
		common = lpart_shared(p, u, v);
		o = (double)common / (lpart_degree(p, u) + lpart_degree(p, v) - common);
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
	uint8_t *level = NEW_ARRAY(p->n, uint8_t);
	uint32_t most = 0, least = UINT32_MAX;

	for (uint32_t u = 0; u < p->n; u++)
		most = MAX(p->hosts[u], most);
	for (unsigned k = 0; k < 3 && least && !progress_cancelled(p->progress); k++) {
		uint32_t t = k == 0 ? 1 : k == 1 ? (most + 3) / 4 : (most + 1) / 2, wrong;
		bool changed = true;
		uint8_t *lower;

		if (!distances(p, t ? t : 1, level))
			continue;
		for (unsigned sweep = 0; sweep < SWEEPS && changed; sweep++) {
			changed = false;
			for (uint32_t u = 0; u < p->n; u++) {
				uint8_t best = best_level(p, level, u);

				changed |= best != level[u];
				level[u] = best;
			}
		}
		lower = NEW_ARRAY(p->n, uint8_t);
		for (uint32_t u = 0; u < p->n; u++)
			lower[u] = !p->hosts[u] && level[u] >= 2 && all_one_below(p, level, u) &&
				   looks_lower(p, level, u);
		for (uint32_t u = 0; u < p->n; u++)
			level[u] = (uint8_t)(level[u] - 2 * lower[u]);
		free(lower);
		wrong = all_wrong(p, level);
		if (wrong >= least)
			continue;
		least = wrong;
		memcpy(p->level, level, p->n);
	}
	free(level);
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
