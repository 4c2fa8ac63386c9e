/* Loads of links for traffic patterns: (source, destination) routes that leave through a port. */
#ifndef IBSCOPE_LOADS_H
#define IBSCOPE_LOADS_H

#include "core/analysis/traffic/pattern.h"
#include "core/base/progress.h"
#include "core/routing/routing.h"

struct loads {
	uint32_t *port;	   /* [n_ports] routes leaving through the port, CA ports included */
	uint64_t routes;   /* routes counted */
	uint32_t max;	   /* over ports between switches */
	uint32_t max_port; /* a port with it, NO_ID when none */
	double mean;	   /* over live ports between switches */
	double mean_used;  /* over live ports between switches that carry routes; 0: none does */
	uint32_t min;
	uint32_t n_links; /* live ports between switches */
};

/* The load of a pattern on each port.  The sum of its weights fits in 32 bits.  NULL when cancelled. */
struct loads *loads_new(const struct routing *r, const struct pattern *pattern, struct progress *p);
/*
 * The load of all hosts to all with b, from that with a: only routes to LIDs for which something differs are
 * followed again.  NULL when cancelled.
 */
struct loads *loads_after(const struct loads *before, const struct routing *a, const struct routing *b,
			  struct progress *p);
void loads_free(struct loads *l);

/* [n_switches] most routes on a link from or to another switch, in one direction; the caller frees. */
uint32_t *loads_busiest(const struct loads *l, const struct fabric *f);

#endif
