/*
 * Even shares: what a channel carries when every pair's unit of flow is divided equally, at each switch, over
 * all ports of least hops.  It depends on cables and hosts only, not on tables.
 */
#ifndef IBSCOPE_SPREAD_H
#define IBSCOPE_SPREAD_H

#include "core/base/progress.h"
#include "core/fabric/state.h"

/*
 * Flow out of each port of a switch [n_ports], pairs of hosts; hosts: [n_switches] on each.  The caller
 * frees.  NULL when cancelled.
 */
double *even_shares(const struct topo *t, const uint32_t *hosts, struct progress *p);

#endif
