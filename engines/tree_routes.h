/* Routes on links, counted by the tables: each LID's entries are a tree, and all that hangs on it goes down
 * it. */
#ifndef IBSCOPE_TREE_ROUTES_H
#define IBSCOPE_TREE_ROUTES_H

#include "core/base/progress.h"
#include "core/routing/routing.h"

/*
 * What each switch sends (own: [n_switches] routes that begin there) towards lids[from] .. lids[n - 1] is
 * added to the port by which it goes: routes[port id].  false when cancelled.  Costs (n - from) * switches.
 */
bool tree_routes_add(const struct routing *r, const uint32_t *own, const uint16_t *lids, uint32_t from,
		     uint32_t n, uint32_t *routes, struct progress *p);

#endif
