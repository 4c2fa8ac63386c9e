/*
 * Load where switches spread packets over several ports.
 *
 * Even shares: every pair has one unit of flow, and each switch divides it equally over all ports of least
 * hops.  A channel's share depends on cables and hosts only, not on tables.
 */
#ifndef IBSCOPE_SPREAD_H
#define IBSCOPE_SPREAD_H

#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/fabric/elements.h"
#include "core/fabric/state.h"
#include "core/routing/routing.h"

/* Equivalent ports could carry each other's traffic, so their use can be compared. */

/*
 * Links of an element are equivalent if they lead to the same element, or to elements that only pass traffic
 * on, to the same neighbours.  Inside an element the same holds for links of a chip to other chips.  Links to
 * different edges are not equivalent: the destination decides between them. port: [n] ids of ports of
 * switches that are up. group: [n] gets the number of each port's group, NO_ID for hosts' ports and dead
 * ones.  Returns the number of groups.
 */
uint32_t equivalent_ports(const struct elements *el, const uint32_t *port, uint32_t n, uint32_t *group);

/*
 * "Equal paths": should all ways between two switch elements have the same length?  The user guide HP
 * 376227-B21 advises it: then routing with a tolerance of 0 uses all ways.
 *
 * A way of element A to B here: any link of A to a neighbour, then the shortest way on to B that does not
 * come back to A; or a way that is shortest except for one step sideways, to an element equally far from B.
 * Steps away from B behind the first are left out: every tree has such detours.
 */

/* A pair of edge elements (with CAs or routers) whose ways differ. */
struct unequal_pair {
	uint32_t from, to;
	uint16_t least, most;	    /* distances: links between elements */
	uint32_t n_least, n_longer; /* links of `from` that begin a shortest way, and those that begin a
				       longer one; some do both */
};

struct unequal_paths {
	uint32_t n_edges;
	uint64_t pairs;		   /* ordered pairs of edge elements examined */
	struct unequal_pair *pair; /* by from, then to */
	size_t n, cap;
};

/* NULL: cancelled.  Cost: pairs x links whose neighbour is farther away than the element itself. */
struct unequal_paths *unequal_paths_new(const struct elements *el, struct progress *p);

/*
 * Computes the flow out of each port of a switch [n_ports], in pairs of hosts. hosts: [n_switches] number on
 * each.  The caller frees it.  NULL when cancelled.
 */
double *even_shares(const struct topo *t, const uint32_t *hosts, struct progress *p);

/* Pairs without a share, because one of their ways loops or ends nowhere, as check.h counts them. */
struct spread_left {
	uint64_t pairs;	  /* all pairs of hosts that were examined */
	uint64_t left;	  /* of these: left out entirely */
	uint64_t looping; /* of these: a way loops */
	struct spread_missed {
		uint32_t sw, dst; /* from the hosts on a switch to an endport */
		uint32_t pairs;
		bool loops;
	} * missed;	      /* [n] the first of them, in the order of destinations; the caller frees them */
	size_t n, cap, limit; /* limit: of n, as the caller wants it */
};

/*
 * Computes the flow out of each port of a switch [n_ports], for all hosts to all base LIDs.  Each switch
 * divides it equally over all ports of the group.  *left is filled, up to its limit.  The caller frees the
 * shares.  NULL when cancelled.
 */
double *spread_shares(const struct routing *r, struct spread_left *left, struct progress *p);

#endif
