/*
 * Load where switches spread packets over several ports.
 *
 * Even shares: every pair has one unit of flow, and each switch divides it equally over all ports of least
 * hops.  A channel's share depends on cables and hosts only, not on tables.
 */
#ifndef IBSCOPE_SPREAD_H
#define IBSCOPE_SPREAD_H

#include "core/base/progress.h"
#include "core/base/err.h"
#include "core/fabric/state.h"
#include "core/routing/routing.h"

/*
 * Flow out of each port of a switch [n_ports], in pairs of hosts. hosts: [n_switches] number on each.  The
 * caller frees it.  NULL when cancelled.
 */
double *even_shares(const struct topo *t, const uint32_t *hosts, struct progress *p);

/* Pairs without a share: some way of theirs loops or ends nowhere, as check.h counts them. */
struct spread_left {
	uint64_t pairs;	  /* of hosts, all that were looked at */
	uint64_t left;	  /* of these: left out whole */
	uint64_t looping; /* of these: some way loops */
	struct spread_missed {
		uint32_t sw, dst; /* from the hosts on a switch to an endport */
		uint32_t pairs;
		bool loops;
	} * missed;	      /* [n] the first of them, in the order of destinations; the caller frees them */
	size_t n, cap, limit; /* limit: of n, as the caller wants it */
};

/*
 * Flow out of each port of a switch [n_ports], for all hosts to all base LIDs.  Each switch divides it
 * equally over all ports of the group.  *left is filled, up to its limit.  The caller frees the shares.  NULL
 * when cancelled.
 */
double *spread_shares(const struct routing *r, struct spread_left *left, struct progress *p);

#endif
