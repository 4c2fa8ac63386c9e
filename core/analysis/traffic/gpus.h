/*
 * The traffic of GPUs.  Each host port that can be an end (loads.h) has a GPU of its own; GPUs of a host
 * reach each other without the network.  What a GPU sends to another host may go by two rules:
 *
 * - by rail: the host hands it first to its port of the receiver's rail, so that no packet leaves the rail; a
 *   host without that rail sends by the GPU's own port;
 * - direct: by the GPU's own port; packets cross from rail to rail in the network.
 *
 * Hosts stand in an order, the GPUs of a host by rail (core/fabric/fabric.h).
 */
#ifndef IBSCOPE_GPUS_H
#define IBSCOPE_GPUS_H

#include "core/analysis/traffic/loads.h"

struct gpu {
	uint32_t rail, endport;
};

struct gpus {
	uint32_t n_hosts, n_rails, n;
	uint32_t *first; /* [n_hosts + 1] into gpu[] */
	struct gpu *gpu; /* [n] */
	bool direct;	 /* they send so; by rail unless the caller of gpus_new() sets it */
};

/*
 * The GPUs of some endports (those that cannot be ends are left out): hosts in the order in which `endport`
 * first names them.  NULL: of all, by name.  Free with arena_free().
 */
struct gpus *gpus_new(const struct routing *r, const uint32_t *endport, uint32_t n);
/* The same with the hosts in another order: order[] numbers those of g. */
struct gpus *gpus_in_order(const struct gpus *g, const uint32_t *order);

/* The GPU of a host on a rail, or NULL. */
const struct gpu *gpu_on(const struct gpus *g, uint32_t host, uint32_t rail);
/* The name of a host: the first word of its nodes' names. */
const char *gpus_host_name(const struct gpus *g, const struct fabric *f, uint32_t host, char *buf,
			   size_t size);

enum gpu_pattern { GPUS_RING, GPUS_TREE, GPUS_ALLTOALL, GPU_PATTERNS };
extern const char *const gpu_pattern_word[GPU_PATTERNS]; /* "ring", "tree", "alltoall" */

/*
 * Adds the flows of a pattern to a list.
 *
 * ring: one on each rail, over the hosts that have it.  The GPU before the rail's GPU sends to the next
 * host's GPU of the rail, because the ring has then passed all GPUs of the host.
 *
 * tree: on each rail two binary trees over these hosts, so that no host is a leaf of both (Sanders, Speck,
 * Traeff 2009).  All edges carry a flow both ways.  Direct: parents meet their children by the GPU behind the
 * rail's one.
 *
 * alltoall: each GPU sends to every GPU of other hosts.
 *
 * -1 and *e: there is no room, more flows than 32 bits count, or cancelled.
 */
int pattern_gpus(const struct routing *r, const struct gpus *g, enum gpu_pattern kind, struct pattern *p,
		 struct progress *pr, struct err *e);

/*
 * Adds the flows of one step of alltoall: all GPUs stand in a row, host by host, and each sends to the one k
 * places on, round (1 <= k < GPUs).  All steps together are alltoall.
 */
void pattern_gpus_step(const struct routing *r, const struct gpus *g, uint32_t k, struct pattern *p);

/*
 * The order of hosts in a ring of GPUs (gpus.h), judged by the flows that share links between switches: flows
 * without a way, then most flows on a link, then the number of links with that many, then pairs of flows that
 * meet.
 */

#define RING_ALL_ORDERS 8 /* with at most this many hosts all orders are tried */

struct ring_cost {
	uint32_t lost;	/* flows without a way */
	uint32_t max;	/* most flows on a link in one direction */
	uint32_t links; /* with so many */
	uint64_t meet;	/* pairs of flows on the same link, summed over links */
};
int ring_cost_order(const struct ring_cost *a, const struct ring_cost *b); /* the better one first */

struct ring_order {
	struct ring_cost now, swapped, best;
	uint32_t *flows;      /* [n_ports] on each link now; of ports between switches */
	uint32_t swap[2];     /* the hosts whose swap helps most; NO_ID: no swap of two helps */
	uint32_t *best_order; /* [n_hosts] hosts; equals the order of `now` where no better one was found */
	bool proved;	      /* no order is better: no link has two flows, or all orders were tried */
	bool all_tried;
};

/* NULL and *e: cancelled. */
struct ring_order *ring_order_new(const struct routing *r, const struct gpus *g, struct progress *p,
				  struct err *e);

#endif
