/*
 * The switch graph of LASH: how it is built and renumbered, and how channels and dependencies are found in
 * it.
 */
#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"
#include "core/base/release.h"
#include "engines/lash/internal.h"

/* LASH id of the neighbour at a port, or NO_ID. */
static uint32_t lash_graph_neighbour(const struct lash_graph *g, const struct topo *t, uint32_t sw,
				     unsigned p)
{
	uint32_t peer = t->peer_switch[switch_port_id(t->fabric, sw, p)];

	return peer == NO_ID ? NO_ID : g->id[peer];
}

/*
 * Lists the channels out of switch u, one per neighbour, by lowest port. Once mark[v] >= base[u], the channel
 * to v exists.
 */
static void lash_graph_list_links(struct lash_graph *g, const struct topo *t, uint32_t u, uint32_t *mark,
				  uint32_t *n_ports)
{
	uint32_t sw = g->sw[u], first = g->n_channels;
	unsigned nports = t->fabric->switch_nports[sw];

	for (unsigned p = 1; p <= nports; p++) {
		uint32_t v = lash_graph_neighbour(g, t, sw, p);

		if (v == NO_ID || (mark[v] != NO_ID && mark[v] >= first))
			continue;
		mark[v] = g->n_channels;
		g->from[g->n_channels] = u;
		g->to[g->n_channels] = v;
		g->port_at[g->n_channels++] = *n_ports;
		for (unsigned q = p; q <= nports; q++)
			if (lash_graph_neighbour(g, t, sw, q) == v)
				g->port[(*n_ports)++] = q;
	}
}

static void find_reverse(struct lash_graph *g)
{
	for (uint32_t c = 0; c < g->n_channels; c++) {
		uint32_t v = g->to[c], r = g->base[v];

		while (g->to[r] != g->from[c])
			r++;
		g->rev[c] = r;
	}
}

struct lash_graph *lash_graph_new(const struct topo *t)
{
	struct lash_graph *g = NEW(struct lash_graph);
	const struct fabric *f = t->fabric;
	uint32_t cables = 0, n_ports = 0, *mark;

	g->sw = NEW_ARRAY(f->n_switches, uint32_t);
	g->id = NEW_ARRAY(f->n_switches, uint32_t);
	for (uint32_t sw = 0; sw < f->n_switches; sw++) {
		g->id[sw] = switch_up(t, sw) && f->switch_fdb_cap[sw] ? g->n : NO_ID;
		if (g->id[sw] != NO_ID)
			g->sw[g->n++] = sw;
	}
	for (uint32_t u = 0; u < g->n; u++)
		for (unsigned p = 1; p <= f->switch_nports[g->sw[u]]; p++)
			cables += lash_graph_neighbour(g, t, g->sw[u], p) != NO_ID;
	g->base = NEW_ARRAY(g->n + 1u, uint32_t);
	g->from = NEW_ARRAY(cables, uint32_t);
	g->to = NEW_ARRAY(cables, uint32_t);
	g->rev = NEW_ARRAY(cables, uint32_t);
	g->port_at = NEW_ARRAY(cables + 1u, uint32_t);
	g->port = NEW_ARRAY(cables, uint8_t);
	mark = NEW_ARRAY(g->n, uint32_t);
	memset(mark, 0xff, g->n * sizeof(*mark));
	for (uint32_t u = 0; u < g->n; u++) {
		g->base[u] = g->n_channels;
		lash_graph_list_links(g, t, u, mark, &n_ports);
	}
	g->base[g->n] = g->n_channels;
	g->port_at[g->n_channels] = n_ports;
	find_reverse(g);
	free(mark);
	return g;
}

void lash_graph_free(struct lash_graph *g)
{
	if (!g)
		return;
	FREE_EACH(g->sw, g->id, g->base, g->from, g->to, g->rev, g->port_at, g->port, g);
}

bool lash_graph_equal(const struct lash_graph *a, const struct lash_graph *b)
{
	uint32_t n = a->n, c = a->n_channels;

	return n == b->n && c == b->n_channels && a->port_at[c] == b->port_at[c] &&
	       !memcmp(a->sw, b->sw, n * sizeof(*a->sw)) && !memcmp(a->base, b->base, n * sizeof(*a->base)) &&
	       !memcmp(a->to, b->to, c * sizeof(*a->to)) &&
	       !memcmp(a->port_at, b->port_at, c * sizeof(*a->port_at)) &&
	       !memcmp(a->port, b->port, a->port_at[c]);
}

void lash_graph_map(const struct lash_graph *old, const struct lash_graph *g, uint32_t *now)
{
	uint32_t *to = NEW_ARRAY(g->n + 1u, uint32_t); /* channel of g to each switch, from one switch */

	memset(now, 0xff, old->n_channels * sizeof(*now));
	memset(to, 0xff, g->n * sizeof(*to));
	for (uint32_t u = 0; u < g->n; u++) {
		uint32_t was = old->id[g->sw[u]];

		if (was == NO_ID)
			continue;
		for (uint32_t c = g->base[u]; c < g->base[u + 1]; c++)
			to[g->to[c]] = c;
		for (uint32_t c = old->base[was]; c < old->base[was + 1]; c++) {
			uint32_t v = g->id[old->sw[old->to[c]]];

			now[c] = v == NO_ID ? NO_ID : to[v];
		}
		for (uint32_t c = g->base[u]; c < g->base[u + 1]; c++)
			to[g->to[c]] = NO_ID;
	}
	free(to);
}

void lash_graph_reorder(struct lash_graph *g, const uint32_t *old, const uint32_t *link, uint32_t *moved)
{
	struct lash_graph o = *g;
	uint32_t *id = NEW_ARRAY(g->n, uint32_t), n_ports = 0, c = 0;

	g->sw = NEW_ARRAY(g->n, uint32_t);
	g->base = NEW_ARRAY(g->n + 1u, uint32_t);
	g->from = NEW_ARRAY(g->n_channels, uint32_t);
	g->to = NEW_ARRAY(g->n_channels, uint32_t);
	g->port_at = NEW_ARRAY(g->n_channels + 1u, uint32_t);
	g->port = NEW_ARRAY(o.port_at[g->n_channels], uint8_t);
	for (uint32_t u = 0; u < g->n; u++) {
		id[old[u]] = u;
		g->sw[u] = o.sw[old[u]];
		g->id[g->sw[u]] = u;
	}
	for (uint32_t u = 0; u < g->n; u++) {
		g->base[u] = c;
		for (uint32_t k = o.base[old[u]]; k < o.base[old[u] + 1]; k++, c++) {
			uint32_t was = link[k], ports = o.port_at[was + 1] - o.port_at[was];

			g->from[c] = u;
			g->to[c] = id[o.to[was]];
			g->port_at[c] = n_ports;
			memcpy(g->port + n_ports, o.port + o.port_at[was], ports);
			n_ports += ports;
			if (moved)
				moved[c] = was;
		}
	}
	g->base[g->n] = c;
	g->port_at[c] = n_ports;
	find_reverse(g);
	FREE_EACH(id, o.sw, o.base, o.from, o.to, o.port_at, o.port);
}

uint32_t lash_channel_of(const struct lash_graph *g, uint32_t u, unsigned port)
{
	for (uint32_t c = g->base[u]; c < g->base[u + 1]; c++)
		for (uint32_t i = g->port_at[c]; i < g->port_at[c + 1]; i++)
			if (g->port[i] == port)
				return c;
	return NO_ID;
}

uint32_t *lash_number_dependencies(const struct lash_graph *g)
{
	uint32_t *first = NEW_ARRAY(g->n_channels + 1u, uint32_t);

	for (uint32_t c = 0; c < g->n_channels; c++)
		first[c + 1] = first[c] + lash_degree(g, g->to[c]);
	return first;
}

struct dependency lash_dependency_at(const struct lash_graph *g, const uint32_t *first, uint32_t number)
{
	uint32_t lo = 0, hi = g->n_channels;

	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (first[mid] <= number)
			lo = mid;
		else
			hi = mid;
	}
	return (struct dependency){lo, g->base[g->to[lo]] + number - first[lo]};
}
