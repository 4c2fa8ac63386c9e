/*
 * The order of hosts in a ring of GPUs (gpus.h), judged by the flows that share links between switches: flows
 * without a way, then most flows on a link, then how many links have so many, then pairs of flows that meet.
 */
#ifndef IBSCOPE_RING_ORDER_H
#define IBSCOPE_RING_ORDER_H

#include "core/analysis/traffic/gpus.h"

#define RING_ALL_ORDERS 8 /* so many hosts at most: all orders are tried */

struct ring_cost {
	uint32_t lost;	/* flows without a way */
	uint32_t max;	/* most flows on a link in one direction */
	uint32_t links; /* with so many */
	uint64_t meet;	/* pairs of flows on the same link, summed over links */
};
int ring_cost_order(const struct ring_cost *a, const struct ring_cost *b); /* the better first */

struct ring_order {
	struct ring_cost now, swapped, best;
	uint32_t *flows;      /* [n_ports] on each link now; of ports between switches */
	uint32_t swap[2];     /* the hosts whose swap helps most; NO_ID: no swap of two helps */
	uint32_t *best_order; /* [n_hosts] hosts; that of `now` where none better was found */
	bool proved;	      /* no order is better: no link has two flows, or all orders were tried */
	bool all_tried;
};

/* NULL and *e: cancelled. */
struct ring_order *ring_order_new(const struct routing *r, const struct gpus *g, bool direct,
				  struct progress *p, struct err *e);
void ring_order_free(struct ring_order *x); /* NULL is fine */

#endif
