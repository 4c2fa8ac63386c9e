#include "engines/nue/internal.h"

#include <stdlib.h>
#include <string.h>
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/counted.h"
#include "core/routing/distances.h"

struct keyed {
	uint16_t key;
	uint32_t sw;
};

COMPARATOR(by_key, struct keyed, UP(key) UP(sw))

static void number_nodes(struct nue_graph *g, const struct topo *t, const struct lids *l)
{
	const struct fabric *f = t->fabric;
	struct keyed *k = NEW_ARRAY(f->n_switches + 1u, struct keyed);

	for (uint32_t sw = 0; sw < f->n_switches; sw++) {
		uint32_t ep = f->port_endport[f->switch_port[sw]];

		g->node[sw] = NO_ID;
		if (switch_up(t, sw))
			k[g->n++] = (struct keyed){nue_lid_key(l->base[ep]), sw};
	}
	qsort(k, g->n, sizeof(*k), by_key);
	for (uint32_t u = 0; u < g->n; u++) {
		g->sw[u] = k[u].sw;
		g->node[k[u].sw] = u;
	}
	free(k);
}

/* A CA or router port adds as many LIDs as the subnet's LMC gives. */
static unsigned lids_behind(const struct topo *t, const struct lids *l, uint32_t peer)
{
	return node_is_switch(t->fabric, t->fabric->port_node[peer]) ? 0 : 1u << l->lmc;
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
		terminals += lids_behind(t, l, peer);
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

static void pair_channels(struct nue_graph *g, const struct fabric *f, const uint32_t *channel_at)
{
	for (uint32_t c = 0; c < g->n_channels; c++)
		g->rev[c] = channel_at[switch_port_id(f, g->sw[g->to[c]], g->rport[c])];
}

static uint32_t count_links(const struct topo *t)
{
	const struct fabric *f = t->fabric;
	uint32_t n = 0;

	for (uint32_t sw = 0; sw < f->n_switches; sw++)
		FOR_PORTS(f, sw, id)
			n += t->peer_switch[id] != NO_ID;
	return n;
}

/* Routers have LIDs, but Nue gives them no routes and does not count them here. */
static void count_lids(struct nue_graph *g, const struct topo *t, const struct lids *l)
{
	const struct fabric *f = t->fabric;

	for (uint32_t ep = 0; ep < f->n_endports; ep++) {
		if (!t->endport_up[ep] || f->node_type[endport_node(f, ep)] == NODE_ROUTER)
			continue;
		g->total += l->count[ep];
		if (l->count[ep] > g->max_lids)
			g->max_lids = l->count[ep];
	}
}

struct nue_graph *nue_graph_new(const struct topo *t, const struct lids *l, bool avoid)
{
	const struct fabric *f = t->fabric;
	struct nue_graph *g = NEW(struct nue_graph);
	uint32_t links = count_links(t), *channel_at = NEW_ARRAY(f->n_ports + 1u, uint32_t);

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
	pair_channels(g, f, channel_at);
	count_lids(g, t, l);
	free(channel_at);
	return g;
}

void nue_graph_free(struct nue_graph *g)
{
	if (!g)
		return;
	free(g->sw);
	free(g->node);
	free(g->first);
	free(g->from);
	free(g->to);
	free(g->rev);
	free(g->lport);
	free(g->rport);
	free(g->terminals);
	free(g);
}

void nue_spread(const struct nue_graph *g, uint32_t *d, uint32_t *queue, uint32_t n)
{
	spread_arcs(g->first, g->to, d, queue, n);
}

void nue_hops_from(const struct nue_graph *g, uint32_t u, uint32_t *d, uint32_t *queue)
{
	memset(d, 0xff, g->n * sizeof(*d)); /* NO_ID */
	d[u] = 0;
	queue[0] = u;
	nue_spread(g, d, queue, 1);
}

static void nue_release(struct nue *n)
{
	for (unsigned v = 0; v < NUE_MAX_LAYERS; v++) {
		if (!n->whole) {
			free(n->layer[v].lid);
			free(n->layer[v].betweenness);
		}
		free(n->layer[v].hull);
		free(n->layer[v].escape);
		free(n->layer[v].blocked);
	}
	if (!n->whole)
		nue_graph_free(n->graph);
	free(n->sl_of);
	free(n->event);
	free(n->weight);
	nue_unref(n->whole);
	free(n);
}

COUNTED(struct nue, struct nue, nue_ref, nue_unref, nue_release)
