/*
 * The switch graph that LASH works on (engines/doc/lash.md 3).  Switches have LASH's own
 * ids 0 .. n-1; a channel is an ordered pair of neighbouring switches, numbered
 * so that those that leave a switch lie together, in the order of its links.
 */
#ifndef IBSCOPE_LASH_GRAPH_H
#define IBSCOPE_LASH_GRAPH_H

#include "core/base/defs.h"
#include "core/fabric/state.h"

struct lash_graph {
	uint32_t n;   /* switches */
	uint32_t *sw; /* [n] switch id in the fabric */
	uint32_t *id; /* [n_switches] LASH's id, NO_ID = takes no part */
	uint32_t n_channels;
	uint32_t *base;	     /* [n + 1] first channel that leaves a switch */
	uint32_t *from, *to; /* [n_channels] LASH ids of the switches at its ends */
	uint32_t *rev;	     /* [n_channels] the channel the other way */
	uint32_t *port_at;   /* [n_channels + 1] its place in port[] */
	uint8_t *port;	     /* port numbers of its parallel cables, ascending */
};

/* Switches in GUID order, links by lowest port; cables from a switch to itself are left out. */
struct lash_graph *lash_graph_new(const struct topo *t);
void lash_graph_free(struct lash_graph *g); /* NULL is fine */

/* The same switches, links and ports in the same order? */
bool lash_graph_equal(const struct lash_graph *a, const struct lash_graph *b);

/* now[channel of old] = the channel between the same two switches in g, NO_ID = there is none. */
void lash_graph_map(const struct lash_graph *old, const struct lash_graph *g, uint32_t *now);

/*
 * Renumber: old[i] is the id so far of the switch that gets id i; link[c] is the
 * channel so far whose place among its switch's links the channel's place c takes
 * (both by ids so far: link[base[u] + k] is to become the k-th link of u).
 * moved (may be NULL) gets, per new channel, its number so far.
 */
void lash_graph_reorder(struct lash_graph *g, const uint32_t *old, const uint32_t *link, uint32_t *moved);

static inline unsigned lash_degree(const struct lash_graph *g, uint32_t u)
{
	return g->base[u + 1] - g->base[u];
}

/* Port id of the first cable of a channel, at the switch it leaves. */
static inline uint32_t lash_channel_port(const struct lash_graph *g, const struct fabric *f, uint32_t channel)
{
	return switch_port_id(f, g->sw[g->from[channel]], g->port[g->port_at[channel]]);
}

#endif
