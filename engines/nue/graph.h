/*
 * The fabric as Nue sees it (engines/doc/nue.md 4). The search starts from destinations.
 *
 * Nodes are switches 0 .. n-1, sorted by the bytes of their LID. A channel is one direction of a cable
 * between switches. The search goes from[c] -> to[c]; packets go the other way and leave to[c] by rport[c].
 * The channels that leave node u have consecutive numbers, sorted by port: first[u] to first[u + 1] - 1.
 */
#ifndef IBSCOPE_NUE_GRAPH_H
#define IBSCOPE_NUE_GRAPH_H

#include "core/routing/lids.h"

#define NUE_INF UINT64_C(0x7FFFFFFF) /* OpenSM's "not reached", even if real distances exceed it */

struct nue_graph {
	uint32_t n;
	uint32_t *sw;	 /* [n] switch id in the fabric */
	uint32_t *node;	 /* [n_switches] the node of a switch, NO_ID = takes no part */
	uint32_t *first; /* [n + 1] */
	uint32_t n_channels;
	uint32_t *from, *to, *rev; /* [n_channels]; rev: the other direction of the cable */
	uint8_t *lport, *rport;	   /* [n_channels] ports at from and to */
	/* [n] LIDs of CAs, routers and port 0 on the switch, modulo 256 as in OpenSM */
	uint8_t *terminals;
	uint64_t total;	    /* LIDs of all CAs and switches */
	unsigned max_lids;  /* most LIDs of one of these ports */
	unsigned throttled; /* cables left out */
};

/*
 * The key by which OpenSM compares LIDs: with its bytes swapped, like network order on a little-endian
 * machine.
 */
static inline uint16_t nue_lid_key(uint16_t lid)
{
	return __builtin_bswap16(lid);
}

static inline unsigned nue_degree(const struct nue_graph *g, uint32_t u)
{
	return g->first[u + 1] - g->first[u];
}

/* The node of a switch endport, or of the switch at which another endport hangs. NO_ID when there is none. */
static inline uint32_t nue_node_of(const struct nue_graph *g, const struct topo *t, uint32_t endport)
{
	uint32_t sw = endport == NO_ID ? NO_ID : t->endport_switch[endport];

	return sw == NO_ID ? NO_ID : g->node[sw];
}

#endif
