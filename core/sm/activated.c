#include "core/sm/activated.h"

void activated_reset(uint8_t *active, const struct fabric *f, const struct state *before,
		     const uint8_t *flapped)
{
	for (uint32_t l = 0; l < f->n_links; l++)
		if (!state_link_up(f, before, l) || (flapped && flapped[l]))
			active[f->link_port[2 * l]] = active[f->link_port[2 * l + 1]] = 0;
}

uint32_t activated_lacking(const uint8_t *active, const struct topo *t, const struct state *s)
{
	const struct fabric *f = t->fabric;

	for (uint32_t p = 0; t->n_cut && p < f->n_ports; p++)
		if (t->peer[p] == NO_ID && !active[p] && f->port_peer[p] != NO_ID &&
		    node_is_switch(f, f->port_node[p]) && t->node_up[f->port_node[p]] &&
		    state_live_peer(f, s, p) != NO_ID)
			return p;
	return NO_ID;
}

void activated_program(uint8_t *active, const struct topo *t)
{
	for (uint32_t p = 0; p < t->fabric->n_ports; p++)
		if (t->peer[p] != NO_ID)
			active[p] = 1;
}
