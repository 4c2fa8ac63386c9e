#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"
#include "core/base/release.h"
#include "engines/dfsssp/internal.h"

struct ds_search *ds_search_new(const struct ds_graph *g, bool in_order)
{
	struct ds_search *s = NEW(struct ds_search);
	uint64_t hosts = 0;

	s->g = g;
	s->weight = NEW_ARRAY(g->n_edges + DS_BEHIND, uint32_t);
	for (uint32_t e = 0; e < g->n_edges; e++)
		s->weight[e] = (uint32_t)g->start;
	s->load = NEW_ARRAY(g->n, uint32_t);
	for (uint32_t v = 0; v < g->n; v++)
		hosts += g->hosts[v];
	s->heap = ds_heap_new(g);
	/* distances plus weights must fit in 32 bits, whatever the routes */
	if (!in_order && g->start + hosts * g->lids < UINT32_MAX - DS_INFINITE)
		s->levels = ds_levels_new(g, true);
	return s;
}

void ds_search_free(struct ds_search *s)
{
	if (!s)
		return;
	FREE_EACH(s->weight, s->load);
	ds_heap_free(s->heap);
	ds_levels_free(s->levels);
	free(s);
}

struct ds_source ds_source_of(const struct ds_graph *g, const struct topo *t, uint32_t ep)
{
	uint32_t sw = t->endport_switch[ep];

	return (struct ds_source){sw == NO_ID ? NO_ID : g->id[sw], !endport_is_switch(t->fabric, ep)};
}

void ds_search_run(struct ds_search *s, struct ds_source from)
{
	s->tree = s->levels ? ds_levels_run(s->levels, s->weight, from, s->heap) : NULL;
	if (!s->tree)
		s->tree = ds_heap_run(s->heap, s->weight, from, !s->levels);
}

void ds_search_load(struct ds_search *s)
{
	const uint32_t *to = s->g->to, *order = s->tree->order, *out = s->tree->out;
	uint32_t *load = s->load;

	memcpy(load, s->g->hosts, s->g->n * sizeof(*load));
	for (uint32_t i = s->tree->n_order; i-- > 1;) {
		uint32_t v = order[i], c = out[v];

		s->weight[c] += load[v];
		load[to[c]] += load[v];
	}
}
