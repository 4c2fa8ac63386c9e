/*
 * The fabric as Nue sees it (engines/doc/nue.md 4), searched from destinations outwards.
 *
 * Nodes are switches 0 .. n-1, ordered by the bytes of their LID.  A channel is a cable between switches in
 * one direction: the search goes from[c] -> to[c], packets go the other way and leave to[c] by rport[c].
 * Channels that leave a node lie together, by port: first[u] .. first[u + 1].
 */
#ifndef IBSCOPE_NUE_GRAPH_H
#define IBSCOPE_NUE_GRAPH_H

#include "core/routing/lids.h"

#define NUE_INF UINT64_C(0x7FFFFFFF) /* OpenSM's "not reached", whatever the distances are */

struct nue_graph {
	uint32_t n;
	uint32_t *sw;	 /* [n] switch id in the fabric */
	uint32_t *node;	 /* [n_switches] the other way, NO_ID = takes no part */
	uint32_t *first; /* [n + 1] */
	uint32_t n_channels;
	uint32_t *from, *to, *rev; /* [n_channels]; rev: the same cable the other way */
	uint8_t *lport, *rport;	   /* [n_channels] ports at from and to */
	/* [n] LIDs of CAs, routers and port 0 on the switch, modulo 256 as in OpenSM */
	uint8_t *terminals;
	uint64_t total;	    /* LIDs of all CAs and switches */
	unsigned max_lids;  /* most LIDs of one of these ports */
	unsigned throttled; /* cables left out */
};

/* Places LIDs as OpenSM compares them: bytes swapped, as held in network order by a little-endian machine. */
static inline uint16_t nue_lid_key(uint16_t lid)
{
	return __builtin_bswap16(lid);
}

static inline unsigned nue_degree(const struct nue_graph *g, uint32_t u)
{
	return g->first[u + 1] - g->first[u];
}

/* Node that an endport hangs on, or is; NO_ID. */
static inline uint32_t nue_node_of(const struct nue_graph *g, const struct topo *t, uint32_t endport)
{
	uint32_t sw = endport == NO_ID ? NO_ID : t->endport_switch[endport];

	return sw == NO_ID ? NO_ID : g->node[sw];
}

#endif
