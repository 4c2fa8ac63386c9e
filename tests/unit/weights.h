/* What engines that weigh links weigh them at the end of a run. */
#ifndef IBSCOPE_TEST_WEIGHTS_H
#define IBSCOPE_TEST_WEIGHTS_H

#include "engines/dfsssp/dfsssp.h"
#include "engines/nue/nue.h"

/*
 * The final weight of the channel that leaves a port id of a switch, or 0 without a channel. The excess over
 * the initial weight is the number of routes on it, from each LID on each switch (port 0 and routers
 * included) to each LID.
 */
static inline uint64_t dfsssp_weight(const struct dfsssp *d, uint32_t port)
{
	uint32_t c = d->graph->of_port[port];

	return c == NO_ID ? 0 : d->weight[c];
}

/* Growth of a link's weight in the run: the LIDs that pass the port, each with its weight. */
static inline uint64_t nue_weight_growth(const struct nue *n, uint32_t sw, unsigned port)
{
	const struct nue_graph *g = n->graph;
	uint32_t u = g->node[sw];

	/* packets leave by the port at which the channel enters */
	for (uint32_t c = u == NO_ID ? 0 : g->first[u]; u != NO_ID && c < g->first[u + 1]; c++)
		if (g->lport[c] == port)
			return n->weight[g->rev[c]] - n->first_weight;
	return 0;
}

#endif
