/* Entries and weights from the ways that were found (engines/doc/nue.md 13, 14). */
#include <inttypes.h>
#include <string.h>
#include "engines/nue/internal.h"

/*
 * Lists nodes (without src) in x->stacks.expanded so that each comes behind the node from which it is
 * reached. False when ways form a ring.
 */
static bool order_nodes(struct nue_run *x, uint32_t src)
{
	const struct nue_graph *g = x->g;
	uint32_t *order = x->stacks.expanded, at = g->n;

	memset(x->children, 0, g->n * sizeof(*x->children));
	for (uint32_t v = 0; v < g->n; v++)
		if (v != src)
			x->children[g->from[x->used[v]]]++;
	for (uint32_t v = 0; v < g->n; v++)
		if (v != src && !x->children[v])
			order[--at] = v;
	for (uint32_t i = g->n; i-- > at;) {
		uint32_t p = g->from[x->used[order[i]]];

		if (!--x->children[p] && p != src)
			order[--at] = p;
	}
	return at == 1;
}

/* In so many routes all nodes have their turn in which their lightest channel is found. */
#define TURNS 32

/* Adds to the weight of every link the terminals whose way leads over it. */
static int add_weights(struct nue_run *x, unsigned lid, uint32_t src)
{
	const struct nue_graph *g = x->g;

	if (x->events & (NUE_BACKTRACKED | NUE_FALLBACK) && !order_nodes(x, src)) {
		x->out->fatal = "never ends";
		return err_set(&x->out->refused, "LID %u: the ways of OpenSM's nue go round in a ring", lid);
	}
	for (uint32_t v = 0; v < g->n; v++)
		x->sum[v] = g->terminals[v];
	for (uint32_t i = g->n; i-- > 1;) {
		uint32_t v = x->stacks.expanded[i], c = x->used[v];

		x->weight[c] += x->sum[v];
		x->hop[c].weight = nue_in_hop(x->weight[c]);
		x->sum[g->from[c]] += x->sum[v];
	}
	/* weights only grow, so what was the least remains below them */
	for (uint32_t v = x->turn++ % TURNS; v < g->n; v += TURNS) {
		x->lightest[v] = NUE_INF;
		for (uint32_t k = g->first[v]; k < g->first[v + 1]; k++)
			if (x->hop[g->rev[k]].weight < x->lightest[v])
				x->lightest[v] = x->hop[g->rev[k]].weight;
	}
	return 0;
}

int nue_write(struct nue_run *x, unsigned lid, uint32_t src)
{
	const struct nue_graph *g = x->g;
	uint8_t *port = columns_next(&x->done, lid);

	for (uint32_t v = 0; v < g->n; v++)
		port[v] = v == src ? x->in->topo->endport_swport[lid_owner(x->in->lids, lid)]
				   : g->rport[x->used[v]];
	x->nue->event[lid] = x->events;
	x->nue->sl_of[lid] = x->layer;
	if (x->how) {
		columns_write(&x->done);
		nue_choices(x, lid, src);
	}
	if (add_weights(x, lid, src))
		return -1;
	if (x->record)
		nue_record_routed(x);
	return 0;
}

int nue_route_switches(struct nue_run *x)
{
	const struct fabric *f = x->in->topo->fabric;

	progress_start(x->in->progress, "nue: switches", x->g->n);
	x->layer = 0;
	x->events = NUE_OUTSIDE;
	rec_phase(x->in, "routes to switches");
	for (uint32_t u = 0; u < x->g->n; u++) {
		unsigned lid = x->in->lids->base[f->port_endport[f->switch_port[x->g->sw[u]]]];

		x->src = u;
		if (!lid)
			continue;
		if (x->record)
			nue_record_begin(x, lid, u, true);
		nue_tree(x, u, x->used);
		for (uint32_t v = 0; v < x->g->n; v++) {
			if (v == u || x->used[v] != NO_ID)
				continue;
			x->out->fatal = "crashes";
			return err_set(&x->out->refused,
				       "%s is farther from %s than the distances of OpenSM's nue reach: "
				       "weights of links begin with %" PRIu64
				       ", the square of the number of LIDs; expected sums below 2^31",
				       switch_name(f, x->g->sw[v]), switch_name(f, x->g->sw[u]),
				       x->g->total * x->g->total);
		}
		if (x->record)
			nue_record_tree(x);
		if (nue_write(x, lid, u))
			return -1;
		if (!progress_step(x->in->progress, u))
			return err_set(&x->out->refused, CANCELLED);
	}
	return 0;
}
