/*
 * Counts routes on links from the tables. The entries of each LID form a tree, and routes add up towards its
 * root.
 */
#ifndef IBSCOPE_TREE_ROUTES_H
#define IBSCOPE_TREE_ROUTES_H

#include "core/base/progress.h"
#include "core/routing/routing.h"

/*
 * Each switch sends own[switch] routes ([n_switches]) to each of lids[from] .. lids[n - 1]. Adds them to all
 * ports on their way: routes[port id]. False when cancelled. Costs (n - from) * switches.
 */
bool tree_routes_add(const struct routing *r, const uint32_t *own, const uint16_t *lids, uint32_t from,
		     uint32_t n, uint32_t *routes, struct progress *p);

#endif
