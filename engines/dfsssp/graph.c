/* Switches and cables as SSSP sees them (engines/doc/dfsssp.md 3). */

#include "core/base/memory.h"
#include "core/base/release.h"
#include "engines/dfsssp/internal.h"
#include "core/base/counted.h"

static void add_edges(struct ds_graph *g, const struct engine_input *in)
{
	const struct fabric *f = in->topo->fabric;
	bool avoid = options_bool(in->options, "avoid_throttled_links");

	for (uint32_t v = 0; v < g->n; v++) {
		g->first[v] = g->n_edges;
		for (unsigned p = 1; p <= f->switch_nports[g->sw[v]]; p++) {
			uint32_t port = switch_port_id(f, g->sw[v], p), e = g->n_edges;
			uint32_t peer = in->topo->peer_switch[port];

			if (peer == NO_ID || g->id[peer] == NO_ID)
				continue;
			if (avoid && link_throttled(f, port)) {
				g->throttled += port < in->topo->peer[port]; /* count each cable once */
				continue;
			}
			g->from[e] = v;
			g->to[e] = g->id[peer];
			g->port[e] = p;
			g->to_port[e] = f->port_num[in->topo->peer[port]];
			g->of_port[port] = g->n_edges++;
		}
	}
	g->first[g->n] = g->n_edges;
	for (uint32_t e = 0; e < g->n_edges; e++)
		g->mate[e] = g->of_port[switch_port_id(f, g->sw[g->to[e]], g->to_port[e])];
}

struct ds_graph *ds_graph_new(const struct engine_input *in)
{
	const struct topo *t = in->topo;
	const struct fabric *f = t->fabric;
	struct ds_graph *g = NEW(struct ds_graph);
	uint32_t cables = 0;

	g->refs = 1;
	g->sw = NEW_ARRAY(f->n_switches, uint32_t);
	g->id = NEW_ARRAY(f->n_switches, uint32_t);
	g->of_port = NEW_ARRAY(f->n_ports, uint32_t);
	for (uint32_t s = 0; s < f->n_switches; s++) {
		g->id[s] = switch_up(t, s) ? g->n : NO_ID;
		if (switch_up(t, s))
			g->sw[g->n++] = s;
	}
	for (uint32_t p = 0; p < f->n_ports; p++) {
		g->of_port[p] = NO_ID;
		cables += t->peer[p] != NO_ID;
	}
	g->first = NEW_ARRAY(g->n + 1u, uint32_t);
	g->hosts = NEW_ARRAY(g->n, uint32_t);
	g->from = NEW_ARRAY(cables, uint32_t);
	g->to = NEW_ARRAY(cables, uint32_t);
	g->port = NEW_ARRAY(cables, uint8_t);
	g->to_port = NEW_ARRAY(cables, uint8_t);
	g->mate = NEW_ARRAY(cables, uint32_t);
	for (uint32_t ep = 0; ep < f->n_endports; ep++) {
		uint32_t sw = t->endport_switch[ep];

		if (!t->endport_up[ep])
			continue;
		if (f->node_type[endport_node(f, ep)] != NODE_ROUTER)
			g->lids += in->lids->count[ep];
		if (sw != NO_ID && g->id[sw] != NO_ID)
			g->hosts[g->id[sw]] += in->lids->count[ep];
	}
	g->start = (uint64_t)g->lids * g->lids;
	add_edges(g, in);
	return g;
}

static void ds_graph_release(struct ds_graph *g)
{
	FREE_EACH(g->sw, g->id, g->first, g->from, g->to, g->port, g->to_port, g->mate, g->of_port, g->hosts,
		  g);
}

COUNTED(struct ds_graph, struct ds_graph, ds_graph_ref, ds_graph_unref, ds_graph_release)

static void ds_layers_release(struct ds_layers *l)
{
	FREE_EACH(l->source, l->source_of, l->ca_lids, l->layer, l->cut, l->cycle_channel, l->cycle_left, l);
}

COUNTED(struct ds_layers, struct ds_layers, ds_layers_ref, ds_layers_unref, ds_layers_release)
