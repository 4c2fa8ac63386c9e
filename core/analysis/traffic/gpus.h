/*
 * The traffic of GPUs.  Each host port that can be an end (pattern.h) has a GPU of its own; GPUs of a host
 * reach each other without the network.  What a GPU sends to another host may go by two rules:
 *
 *	by rail   the host hands it to its port of the receiver's rail first, so that no packet leaves the
 *rail; a host without that rail sends by the GPU's own port direct    by the GPU's own port: packets cross
 *from rail to rail in the network
 *
 * Hosts stand in an order, the GPUs of a host by rail (core/fabric/rails.h).
 */
#ifndef IBSCOPE_GPUS_H
#define IBSCOPE_GPUS_H

#include "core/analysis/traffic/pattern.h"

struct gpu {
	uint32_t rail, endport;
};

struct gpus {
	uint32_t n_hosts, n_rails, n;
	uint32_t *first; /* [n_hosts + 1] into gpu[] */
	struct gpu *gpu; /* [n] */
};

/*
 * The GPUs of some endports (those that cannot be ends are left out): hosts in the order in which `endport`
 * first names them.  NULL: of all, by name.  Free with gpus_free().
 */
struct gpus *gpus_new(const struct routing *r, const uint32_t *endport, uint32_t n);
void gpus_free(struct gpus *g); /* NULL is fine */
/* The same with the hosts in another order: order[] numbers those of g. */
struct gpus *gpus_in_order(const struct gpus *g, const uint32_t *order);

/* The GPU of a host on a rail, NULL: none. */
const struct gpu *gpu_on(const struct gpus *g, uint32_t host, uint32_t rail);
/* The GPU of the host that is `by` (1 or -1) from this one, round. */
const struct gpu *gpu_beside(const struct gpus *g, uint32_t host, const struct gpu *x, int by);
/* The port by which a GPU of a host sends to one of another host. */
uint32_t gpu_sends_by(const struct gpus *g, uint32_t host, const struct gpu *x, const struct gpu *to,
		      bool direct);
/* The name of a host: the first word of its nodes' names. */
const char *gpus_host_name(const struct gpus *g, const struct fabric *f, uint32_t host, char *buf,
			   size_t size);

enum gpu_pattern { GPUS_RING, GPUS_TREE, GPUS_ALLTOALL, GPU_PATTERNS };
extern const char *const gpu_pattern_word[GPU_PATTERNS]; /* "ring", "tree", "alltoall" */

/*
 * Adds the flows of a pattern to a list:
 *
 *	ring      a ring on each rail, over the hosts that have it: the GPU before the rail's one sends to the
 *next host's GPU of the rail, as the ring has passed all GPUs of the host then tree      on each rail two
 *binary trees over these hosts, so that a leaf of one is none of the other (Sanders, Speck, Traeff 2009); all
 *edges carry a flow both ways.  Direct: parents meet their children by the GPU behind the rail's one alltoall
 *each GPU to each one of other hosts
 *
 * -1 and *e: there is no room, more flows than 32 bits count, or cancelled.
 */
int pattern_gpus(const struct routing *r, const struct gpus *g, enum gpu_pattern kind, bool direct,
		 struct pattern *p, struct progress *pr, struct err *e);

/*
 * Adds the flows of one step of alltoall: all GPUs stand in a row, host by host, and each sends to the one k
 * places on, round (1 <= k < GPUs).  All steps together are alltoall.
 */
void pattern_gpus_step(const struct routing *r, const struct gpus *g, uint32_t k, bool direct,
		       struct pattern *p);

/* The parent of place i of n in the first (0) or second (1) tree; NO_ID: it is the root. */
uint32_t tree_parent(uint32_t i, uint32_t n, int tree);

#endif
