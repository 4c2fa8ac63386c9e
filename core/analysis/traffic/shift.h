/*
 * Shift patterns: every endport sends to the endport K places further in an order.  All-to-all operations of
 * MPI run through all K.  A tree routed for its order carries each shift without two flows on one link
 * (Zahavi et al. 2010).
 */
#ifndef IBSCOPE_SHIFT_H
#define IBSCOPE_SHIFT_H

#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/routing/routing.h"
#include "core/sm/engine.h"
#include "core/sm/options.h"

/* By LID; in the order for which a fat tree is routed; by name of the host, then port; GPUs host by host
 * (gpus.h). */
enum shift_by { SHIFT_LID, SHIFT_FTREE, SHIFT_NAME, SHIFT_RAIL };

/* The order of shifts; arena_free() frees it.  It does not depend on the engine that routed, so engines can
 * be compared. */
struct shift_order {
	enum shift_by by;
	uint32_t n; /* places */
	uint32_t *
		place; /* [n] endports that count; NO_ID = a missing node, which sends and receives nothing */
	uint32_t rails; /* for SHIFT_RAIL, places of one host: these send nothing to each other, and to other
			   hosts... */
	bool direct;	/* ... by their own port; otherwise by their host's port on the receiver's rail, if it
			   has one */
};

/* "lid", "ftree", "name", "rail"; and in words: "by LID", "of the fat tree", "by name". */
const char *shift_by_name(enum shift_by by);
const char *shift_by_text(enum shift_by by);

/*
 * Make the order "lid", "ftree", "name" or "rail".  NULL: that of the fat tree if ftree can index the fabric
 * (with LMC 0, under the options of `base`), else by LID. r: its hosts and LIDs count.  NULL and *e: another
 * word, ftree refuses, or cancelled. base NULL: r's own order, else by LID.  Cost: a run of ftree, unless
 * ftree made r.
 */
struct shift_order *shift_order_new(const struct routing *r, const struct setup *base,
				    const struct engine *const *engines, const char *by, struct progress *p,
				    struct err *e);

/* The number of shifts that can be computed quickly; 0: all. */
uint32_t shift_sample(const struct shift_order *o);

struct shift_load {
	uint32_t shift; /* K, 1 .. n - 1 */
	uint32_t max;	/* most flows on a link in one direction, host links included */
	uint32_t port;	/* port id where these flows leave, the first such port; NO_ID: no flow at all */
	uint32_t flows, lost; /* flows that arrive; flows without a way */
};

struct shifts {
	enum shift_by by;
	uint32_t n_places, n_missing; /* places in the order; those of missing nodes */
	uint32_t n;		      /* shifts looked at */
	struct shift_load *load;      /* [n] by K */
	uint32_t worst; /* index in load[] of the first shift with the highest max; NO_ID when n is 0 */
	uint32_t free;	/* shifts in which all flows arrive and no two share a link */
	double mean;	/* of max over the shifts */
};

/*
 * Computes `sample` shifts (0: all), evenly spread over 1 .. n - 1.  O(shifts * places * hops), by at most
 * `threads` (0: all cores).  NULL: cancelled.
 */
struct shifts *shifts_new(const struct routing *r, const struct shift_order *o, uint32_t sample,
			  unsigned threads, struct progress *p);

/* One shift in detail: the pairs on each link. */
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
	enum shift_by by;
	struct shift_load load;	 /* of this shift */
	uint32_t n;		 /* links with a flow in that direction, including hosts' links */
	struct shift_link *link; /* [n] most flows first, then by port id */
	struct shift_pair *pair; /* [load.flows] by the order of sources */
	uint32_t *pair_of;	 /* [link.first .. + flows) pairs of a link, in that order */
};

/* Shift k, 1 .. places - 1.  O(places * hops + ports).  NULL and *e: cancelled, no memory. */
struct shift_links *shift_links_new(const struct routing *r, const struct shift_order *o, uint32_t k,
				    struct progress *p, struct err *e);

#endif
