/* Channel dependency graph of one layer (engines/doc/dfsssp.md 6.4). */
#include <string.h>

#include "core/base/memory.h"
#include "core/base/release.h"
#include "engines/dfsssp/internal.h"

uint32_t *ds_cdg_places(const struct ds_graph *g)
{
	uint32_t *at = NEW_ARRAY(g->n_edges + 1u, uint32_t), n = 0;

	for (uint32_t c = 0; c < g->n_edges; c++) {
		at[c] = n;
		n += g->first[g->to[c] + 1] - g->first[g->to[c]];
	}
	at[g->n_edges] = n;
	return at;
}

struct ds_cdg *ds_cdg_new(const struct ds_graph *g, const uint32_t *at)
{
	struct ds_cdg *c = NEW(struct ds_cdg);
	uint32_t deps = at[g->n_edges];

	c->g = g;
	c->at = at;
	c->channel = NEW_ARRAY(g->n_edges, uint32_t);
	c->known = NEW_ARRAY(g->n_edges, uint8_t);
	c->n_list = NEW_ARRAY(g->n_edges, uint8_t);
	c->listed = NEW_ARRAY(deps, uint8_t);
	c->list = NEW_ARRAY(deps, uint8_t);
	return c;
}

void ds_cdg_free(struct ds_cdg *c)
{
	if (!c)
		return;
	FREE_EACH(c->channel, c->known, c->n_list, c->left, c->listed, c->list, c);
}

void ds_cdg_learn_channel(struct ds_cdg *c, uint32_t channel)
{
	if (c->known[channel])
		return;
	c->known[channel] = 1;
	c->channel[c->n_channels++] = channel;
}

void ds_cdg_learn(struct ds_cdg *c, uint32_t channel, uint32_t next)
{
	uint32_t dep = ds_dependency(c, channel, next);

	ds_cdg_learn_channel(c, channel);
	ds_cdg_learn_channel(c, next);
	if (c->listed[dep])
		return;
	c->listed[dep] = 1;
	c->list[c->at[channel] + c->n_list[channel]++] = (uint8_t)(dep - c->at[channel]);
}

void ds_cdg_cut(struct ds_cdg *c, uint32_t channel, uint32_t next)
{
	uint32_t dep = ds_dependency(c, channel, next), place = dep - c->at[channel], i = 0;
	uint8_t *list = c->list + c->at[channel];

	while (list[i] != place)
		i++;
	memmove(list + i, list + i + 1, --c->n_list[channel] - i);
	c->listed[dep] = 0;
}
