/*
 * Routes per link for traffic patterns.  A load is a number of (source,
 * destination) routes leaving through a port.
 */
#ifndef IBSCOPE_LOADS_H
#define IBSCOPE_LOADS_H

#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/routing/routing.h"

struct loads {
	uint32_t *port;	   /* [n_ports] routes leaving through the port, CA ports included */
	uint64_t routes;   /* routes counted */
	uint32_t max;	   /* over ports between switches */
	uint32_t max_port; /* a port with it, NO_ID when none */
	double mean;	   /* over live ports between switches */
	uint32_t min;
	uint32_t n_links; /* live ports between switches */
};

/*
 * Patterns: "all" (every host that counts to every other, base LIDs), "lids" (to all LIDs of every other),
 * "shift K" (endport i to i+K in the order of shift_order(), shift.h), "bisection [seed=N]" (a random half to
 * the other half, one to one, both ways), "hotspot NODE" (all to one).
 * NULL and *e for an unknown pattern or when cancelled.
 */
struct loads *loads_new(const struct routing *r, const char *pattern, struct progress *p, struct err *e);
void loads_free(struct loads *l);

#endif
