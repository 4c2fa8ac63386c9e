#include "engines/nue/internal.h"

#include <stdlib.h>
#include <string.h>
#include "core/base/memory.h"
#include "core/base/release.h"
#include "core/base/order.h"
#include "core/base/counted.h"
#include "core/routing/distances.h"

struct nue_graph_keyed {
	uint16_t key;
	uint32_t sw;
};

COMPARATOR(by_key, struct nue_graph_keyed, UP(key) UP(sw))

static void number_nodes(struct nue_graph *g, const struct topo *t, const struct lids *l)
{
	const struct fabric *f = t->fabric;
	struct nue_graph_keyed *k = NEW_ARRAY(f->n_switches + 1u, struct nue_graph_keyed);

	for (uint32_t sw = 0; sw < f->n_switches; sw++) {
		uint32_t ep = f->port_endport[f->switch_port[sw]];

		g->node[sw] = NO_ID;
		if (switch_up(t, sw))
			k[g->n++] = (struct nue_graph_keyed){nue_lid_key(l->base[ep]), sw};
	}
	qsort(k, g->n, sizeof(*k), by_key);
	for (uint32_t u = 0; u < g->n; u++) {
		g->sw[u] = k[u].sw;
		g->node[k[u].sw] = u;
	}
	free(k);
}

static void add_links(struct nue_graph *g, const struct topo *t, const struct lids *l, uint32_t u, bool avoid,
		      uint32_t *channel_at)
{
	const struct fabric *f = t->fabric;
	uint32_t sw = g->sw[u];
	unsigned terminals = l->count[f->port_endport[f->switch_port[sw]]];

	for (unsigned p = 1; p <= f->switch_nports[sw]; p++) {
		uint32_t port = switch_port_id(f, sw, p), peer = t->peer[port], c = g->n_channels;

		channel_at[port] = NO_ID;
		if (peer == NO_ID)
			continue;
		/* a CA or router port counts as many LIDs as the subnet's LMC gives */
		terminals += node_is_switch(f, f->port_node[peer]) ? 0 : 1u << l->lmc;
		if (t->peer_switch[port] == NO_ID)
			continue;
		if (avoid && link_throttled(f, port)) {
			g->throttled++;
			continue;
		}
		g->from[c] = u;
		g->to[c] = g->node[t->peer_switch[port]];
		g->lport[c] = p;
		g->rport[c] = f->port_num[peer];
		channel_at[port] = c;
		g->n_channels++;
	}
	g->terminals[u] = terminals;
}

struct nue_graph *nue_graph_new(const struct topo *t, const struct lids *l, bool avoid)
{
	const struct fabric *f = t->fabric;
	struct nue_graph *g = NEW(struct nue_graph);
	uint32_t links = 0, *channel_at = NEW_ARRAY(f->n_ports + 1u, uint32_t);

	for (uint32_t sw = 0; sw < f->n_switches; sw++)
		FOR_PORTS(f, sw, id)
			links += t->peer_switch[id] != NO_ID;
	g->sw = NEW_ARRAY(f->n_switches + 1u, uint32_t);
	g->node = NEW_ARRAY(f->n_switches + 1u, uint32_t);
	g->first = NEW_ARRAY(f->n_switches + 1u, uint32_t);
	g->terminals = NEW_ARRAY(f->n_switches + 1u, uint8_t);
	g->from = NEW_ARRAY(links + 1u, uint32_t);
	g->to = NEW_ARRAY(links + 1u, uint32_t);
	g->rev = NEW_ARRAY(links + 1u, uint32_t);
	g->lport = NEW_ARRAY(links + 1u, uint8_t);
	g->rport = NEW_ARRAY(links + 1u, uint8_t);
	number_nodes(g, t, l);
	for (uint32_t u = 0; u < g->n; u++) {
		add_links(g, t, l, u, avoid, channel_at);
		g->first[u + 1] = g->n_channels;
	}
	for (uint32_t c = 0; c < g->n_channels; c++)
		g->rev[c] = channel_at[switch_port_id(f, g->sw[g->to[c]], g->rport[c])];
	for (uint32_t ep = 0; ep < f->n_endports; ep++) {
		/* routers have LIDs, but Nue neither routes to them nor counts them here */
		if (!t->endport_up[ep] || f->node_type[endport_node(f, ep)] == NODE_ROUTER)
			continue;
		g->total += l->count[ep];
		if (l->count[ep] > g->max_lids)
			g->max_lids = l->count[ep];
	}
	free(channel_at);
	return g;
}

void nue_graph_free(struct nue_graph *g)
{
	if (!g)
		return;
	FREE_EACH(g->sw, g->node, g->first, g->from, g->to, g->rev, g->lport, g->rport, g->terminals, g);
}

void nue_hops_from(const struct nue_graph *g, uint32_t u, uint32_t *d, uint32_t *queue)
{
	memset(d, 0xff, g->n * sizeof(*d)); /* NO_ID */
	d[u] = 0;
	queue[0] = u;
	spread_arcs(g->first, g->to, d, queue, 1);
}

static void nue_release(struct nue *n)
{
	for (unsigned v = 0; v < NUE_MAX_LAYERS; v++) {
		if (!n->whole) {
			FREE_EACH(n->layer[v].lid, n->layer[v].betweenness);
		}
		FREE_EACH(n->layer[v].hull, n->layer[v].escape, n->layer[v].blocked);
	}
	if (!n->whole)
		nue_graph_free(n->graph);
	FREE_EACH(n->sl_of, n->event, n->weight);
	nue_unref(n->whole);
	free(n);
}

COUNTED(struct nue, struct nue, nue_ref, nue_unref, nue_release)

void nue_let_go(void *n)
{
	nue_unref(n);
}
