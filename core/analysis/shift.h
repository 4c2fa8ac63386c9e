/*
 * Shift patterns: every endport sends to the one K places further in an order.
 * All-to-all operations of MPI run through them; a tree routed for its order
 * carries each without two flows on one link (Zahavi et al. 2010).
 */
#ifndef IBSCOPE_SHIFT_H
#define IBSCOPE_SHIFT_H

#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/routing/routing.h"

/*
 * The order of shifts: the one the engine routes for (NO_ID = place of a missing
 * node, which sends and receives nothing), else all hosts that are
 * up and have a LID, by LID; of either those that count.  *n places; caller frees.
 */
uint32_t *shift_order(const struct routing *r, uint32_t *n);

/* How many shifts are looked at in a moment; 0: all. */
uint32_t shift_sample(const struct routing *r);

struct shift_load {
	uint32_t shift;	      /* K, 1 .. n - 1 */
	uint32_t max;	      /* most flows on a link in one direction, host links included */
	uint32_t port;	      /* port id where they leave, the first of such; NO_ID: no flow at all */
	uint32_t flows, lost; /* flows that arrive; that have no way */
};

struct shifts {
	uint32_t n_places, n_missing; /* places in the order; those of missing nodes */
	bool by_engine;		      /* the order is the engine's own */
	uint32_t n;		      /* shifts looked at */
	struct shift_load *load;      /* [n] by K */
	uint32_t worst; /* index in load[] of the first with the greatest max; NO_ID when n is 0 */
	uint32_t free;	/* shifts without two flows on a link */
	double mean;	/* of max over the shifts */
};

/*
 * Flows of shifts; sample: how many, evenly spread over 1 .. n - 1, 0 = every
 * one.  O(shifts * places * hops).  NULL when cancelled.
 */
struct shifts *shifts_new(const struct routing *r, uint32_t sample, struct progress *p);
void shifts_free(struct shifts *s);

/* One shift in full: which pairs are on which link. */
struct shift_pair {
	uint32_t src, dst; /* endports */
};

struct shift_link {
	uint32_t port;	/* port id where its flows leave */
	uint32_t flows; /* at least 1 */
	uint32_t first; /* into pair_of[] */
};

struct shift_links {
	uint32_t n_places;
	bool by_engine;		 /* the order is the engine's own */
	struct shift_load load;	 /* of this shift */
	uint32_t n;		 /* links with a flow in that direction, those of hosts too */
	struct shift_link *link; /* [n] most flows first, then by port id */
	struct shift_pair *pair; /* [load.flows] by the order of sources */
	uint32_t *pair_of;	 /* [link.first .. + flows) pairs of a link, in that order */
};

/*
 * Shift k, from 1 to places - 1: the caller has looked.  O(places * hops + ports).  NULL and *e: cancelled,
 * or there is no room.
 */
struct shift_links *shift_links_new(const struct routing *r, uint32_t k, struct progress *p, struct err *e);
void shift_links_free(struct shift_links *s); /* NULL is fine */

#endif
