/* The dependencies that LASH's layers have at a step of a recording. */
#include <stdlib.h>

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
				    const struct rec_delta *d)
{
	const struct fabric *f = recording_sweep(r)->fabric;
	uint32_t all = at[g->n_channels], place = d->at % all, from = channel_at(g, at, place);
	uint32_t to = g->base[g->to[from]] + place - at[from];

	return (struct rec_dependency){
		.at = d->at,
		.pair = d->now,
		.from = lash_channel_port(g, f, from),
		.to = lash_channel_port(g, f, to),
		.layer = (uint8_t)(d->at / all),
	};
}

struct rec_dependency *lash_dependencies(const struct recording *r, size_t step, uint32_t *n)
{
	const struct lash_plan *p = recording_kept(r);
	struct rec_dependency *dep = NULL;
	uint32_t *at, cap = 0;
	struct rec_delta d;

	*n = 0;
	if (!p)
		return NULL;
	at = places(p->graph);
	for (size_t i = 1; i <= step; i++)
		for (uint32_t cursor = 0; recording_next_delta(r, i, &cursor, &d);) {
			if (d.table != T_DEP || d.now == NO_ID)
				continue;
			GROW(dep, *n, cap);
			dep[(*n)++] = decode(r, p->graph, at, &d);
		}
	free(at);
	return dep;
}
