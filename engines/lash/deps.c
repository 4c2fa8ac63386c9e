/* The dependencies that LASH's layers have at a step of a recording. */
#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"
#include "core/sm/sweep.h"
#include "engines/lash/lash.h"

/* Where the dependencies of a channel begin in a layer: [n_channels + 1], as T_DEP has them. */
static uint32_t *places(const struct lash_graph *g)
{
	uint32_t *at = NEW_ARRAY(g->n_channels + 1u, uint32_t);

	for (uint32_t c = 0; c < g->n_channels; c++)
		at[c + 1] = at[c] + lash_degree(g, g->to[c]);
	return at;
}

/* The channel whose dependencies hold a place; those of no dependency lie between none. */
static uint32_t channel_at(const struct lash_graph *g, const uint32_t *at, uint32_t place)
{
	uint32_t lo = 0, hi = g->n_channels;

	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (at[mid] <= place)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

static struct rec_dependency decode(const struct recording *r, const struct lash_graph *g, const uint32_t *at,
				    uint32_t cell, uint32_t pair)
{
	const struct fabric *f = recording_sweep(r)->fabric;
	uint32_t all = at[g->n_channels], place = cell % all, from = channel_at(g, at, place);
	uint32_t to = g->base[g->to[from]] + place - at[from];

	return (struct rec_dependency){
		.at = cell,
		.pair = pair,
		.from = lash_channel_port(g, f, from),
		.to = lash_channel_port(g, f, to),
		.layer = (uint8_t)(cell / all),
	};
}

/* Who holds each place after a step: as T_DEP. */
static uint32_t *holders(const struct recording *r, size_t step)
{
	uint32_t *pair = NEW_ARRAY(recording_cells(r, T_DEP) + 1, uint32_t);
	struct rec_delta d;

	memset(pair, 0xff, recording_cells(r, T_DEP) * sizeof(*pair));
	for (size_t i = 1; i <= step; i++)
		for (uint32_t cursor = 0; recording_next_delta(r, i, &cursor, &d);)
			if (d.table == T_DEP)
				pair[d.at] = d.now;
	return pair;
}

struct rec_dependency *lash_dependencies(const struct recording *r, size_t step, uint32_t *n)
{
	const struct lash_plan *p = recording_kept(r);
	struct rec_dependency *dep = NULL;
	uint32_t *at, *pair, cap = 0;

	*n = 0;
	if (!p || !recording_cells(r, T_DEP))
		return NULL;
	at = places(p->graph);
	pair = holders(r, step);
	for (uint32_t i = 0; i < recording_cells(r, T_DEP); i++) {
		if (pair[i] == NO_ID)
			continue;
		GROW(dep, *n, cap);
		dep[(*n)++] = decode(r, p->graph, at, i, pair[i]);
	}
	free(pair);
	free(at);
	return dep;
}
