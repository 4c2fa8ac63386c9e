/*
 * The dependencies that the routes of a layer really make. OpenSM takes some back by mistake after shortcuts
 * (engines/doc/nue.md 12.3), and adds some without a search (10). So its records may differ from the real
 * dependencies, and these may have cycles.
 */
#include <stdlib.h>
#include "core/base/memory.h"
#include "core/base/release.h"
#include "engines/nue/internal.h"

struct nue_verify_check {
	struct nue_run *x;
	uint32_t *leaving; /* [ports of the fabric] channel that leaves by the port */
	uint8_t *made;	   /* [edges of the dependency graph] */
	uint32_t *before;  /* [n_channels] made edges that lead into it */
};

/* The channel by which the search came to a node, taken from the node's table entry for a LID. */
static uint32_t nue_verify_way_of(const struct nue_verify_check *k, uint32_t v, unsigned lid)
{
	uint32_t sw = k->x->g->sw[v];

	return k->x->g
		->rev[k->leaving[switch_port_id(k->x->in->topo->fabric, sw, routing_port(k->x->r, sw, lid))]];
}

/* The number of channels that are on cycles, or reached from one. */
static uint32_t count_cyclic(struct nue_verify_check *k)
{
	const struct nue_graph *g = k->x->g;
	uint32_t *queue = NEW_ARRAY(g->n_channels + 1u, uint32_t), n = 0, done = 0;

	for (uint32_t c = 0; c < g->n_channels; c++)
		if (!k->before[c])
			queue[n++] = c;
	for (; done < n; done++) {
		uint32_t c = queue[done];

		for (uint32_t y = g->first[g->to[c]]; y < g->first[g->to[c] + 1]; y++)
			if (k->made[nue_edge_of(k->x->d, c, y)] && !--k->before[y])
				queue[n++] = y;
	}
	free(queue);
	return g->n_channels - done;
}

void nue_verify(struct nue_run *x, struct nue_layer *l)
{
	const struct nue_graph *g = x->g;
	const struct fabric *f = x->in->topo->fabric;
	struct nue_verify_check k = {.x = x,
				     .leaving = NEW_ARRAY(f->n_ports, uint32_t),
				     .made = NEW_ARRAY(x->d->n_edges + 1u, uint8_t),
				     .before = NEW_ARRAY(g->n_channels + 1u, uint32_t)};

	for (uint32_t c = 0; c < g->n_channels; c++)
		k.leaving[switch_port_id(f, g->sw[g->from[c]], g->lport[c])] = c;
	for (uint32_t i = 0; i < l->n_lids; i++) {
		uint32_t ep = lid_owner(x->in->lids, l->lid[i]);

		uint32_t src = nue_node_of(g, x->in->topo, ep), end = l->lid[i] + x->in->lids->count[ep];

		for (unsigned lid = l->lid[i]; lid < end; lid++)
			for (uint32_t v = 0; v < g->n; v++) {
				uint32_t c = v == src ? NO_ID : nue_verify_way_of(&k, v, lid), e;

				if (c == NO_ID || g->from[c] == src)
					continue;
				e = nue_edge_of(x->d, nue_verify_way_of(&k, g->from[c], lid), c);
				k.before[c] += !k.made[e];
				k.made[e] = 1;
			}
	}
	for (uint32_t e = 0; e < x->d->n_edges; e++)
		l->unrecorded += k.made[e] && !nue_used(x->d, e);
	l->loop = count_cyclic(&k) > 0;
	FREE_EACH(k.leaving, k.made, k.before);
}
