#include "core/base/memory.h"
#include "core/base/text.h"

#include <stdlib.h>
#include "core/fabric/builder.h"
#include "core/fabric/names.h"

struct fabric_builder *fb_from(const struct fabric *f)
{
	struct fabric_builder *b = fb_new();
	uint32_t *at = NEW_ARRAY(f->n_nodes, uint32_t);

	for (uint32_t n = 0; n < f->n_nodes; n++)
		at[f->node_order[n]] = n;
	for (uint32_t i = 0; i < f->n_nodes; i++) {
		uint32_t n = at[i];
		uint32_t s = f->node_switch[n];
		struct fb_node *to;

		fb_add(b, f->node_type[n], f->node_guid[n], f->node_nports[n], f->node_desc[n]);
		to = &b->node[i];
		to->sysguid = f->node_sysguid[n];
		to->vendor = f->node_vendor[n];
		to->device = f->node_device[n];
		to->chassis = f->node_chassis[n];
		to->chassis_place = f->node_chassis_place[n] ? str_dup(f->node_chassis_place[n]) : NULL;
		if (s != NO_ID) {
			to->fdb_cap = f->switch_fdb_cap[s];
			to->esp0 = f->switch_esp0[s];
			to->rank = f->switch_rank[s];
		}
		for (unsigned p = 0; p <= to->nports; p++) {
			uint32_t id = f->node_port[n] + p, q = f->port_peer[id];

			to->port[p] = (struct fb_port){
				.guid = f->port_guid[id],
				.peer_node = NO_ID,
				.lid = f->port_lid[id],
				.lmc = f->port_lmc[id],
				.width = f->port_width[id],
				.speed = f->port_speed[id],
				.widths = f->port_widths[id],
				.speeds = f->port_speeds[id],
				.state = f->port_state[id],
				.opervls = f->port_vls_told[id] ? f->port_opervls[id] : 0,
				.ext = f->port_ext[id],
			};
			if (fabric_port_label(f, id))
				to->port[p].label = str_dup(fabric_port_label(f, id));
			if (q != NO_ID) {
				to->port[p].peer_node = f->node_order[f->port_node[q]];
				to->port[p].peer_port = f->port_num[q];
			}
		}
	}
	warnings_copy(&b->warnings, &f->warnings);
	if (f->sm_endport != NO_ID) {
		b->sm_node = f->node_order[endport_node(f, f->sm_endport)];
		b->sm_port = f->port_num[f->endport_port[f->sm_endport]];
	}
	b->generated = f->generated ? str_dup(f->generated) : NULL;
	b->untold = f->untold ? str_dup(f->untold) : NULL;
	b->sm_guessed = f->sm_guessed;
	b->states_told = f->states_told;
	b->again = true;
	free(at);
	return b;
}

struct fabric *fb_again(struct fabric_builder *b, const struct fabric *f)
{
	struct fabric *g = NULL;

	if (fb_finish(b, f->source, f->format, &g, NULL))
		abort(); /* a finished fabric can always be built again */
	g->managers = counted_ref(f->managers);
	return g;
}

struct fabric *fabric_at_place(const struct fabric *f, uint32_t node, unsigned port)
{
	struct fabric_builder *b = fb_from(f);
	struct fabric *g;

	b->sm_node = f->node_order[node];
	b->sm_port = (uint8_t)port;
	g = fb_again(b, f);
	g->switch_tables = counted_ref(f->switch_tables);
	return g;
}

struct fabric *fabric_renamed(const struct fabric *f, const struct name_map *map)
{
	struct fabric *g = fb_again(fb_from(f), f);

	g->switch_tables = counted_ref(f->switch_tables);
	for (size_t i = 0; i < map->n; i++) {
		uint32_t n = fabric_node_by_guid(g, map->guid[i]);

		if (n == NO_ID)
			continue;
		free(g->node_given[n]);
		g->node_given[n] = str_dup(map->name[i]);
	}
	fabric_show_names(g);
	return g;
}

struct fabric *fabric_variant(const struct fabric *f, uint32_t sm_endport, bool as_ibsim)
{
	struct fabric_builder *b = fb_from(f);
	struct fabric *g;

	if (sm_endport != NO_ID) {
		b->sm_node = f->node_order[endport_node(f, sm_endport)];
		b->sm_port = f->port_num[f->endport_port[sm_endport]];
	}
	b->sm_guessed = b->sm_guessed && sm_endport == NO_ID && !as_ibsim; /* with ibsim the place is known */
	for (uint32_t i = 0; as_ibsim && i < b->n; i++)
		for (unsigned p = 0; p <= b->node[i].nports; p++) {
			b->node[i].port[p].guid = 0;
			if (b->node[i].type == NODE_ROUTER)
				b->node[i].port[p].lid = b->node[i].port[p].lmc = 0;
		}
	g = fb_again(b, f);
	g->switch_tables = counted_ref(f->switch_tables);
	for (uint32_t n = 0; n < f->n_nodes; n++) {
		free(g->node_given[n]);
		g->node_given[n] = str_dup(f->node_given[n]);
	}
	fabric_show_names(g);
	return g;
}
