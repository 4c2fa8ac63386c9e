/*
 * A bound that the cabling sets for every routing: no routing has an edge-forwarding index (M.-C. Heydemann,
 * J.-C. Meyer, D. Sotteau, "On forwarding indices of networks", Discrete Applied Mathematics 23, 1989) below
 * it.
 */
#ifndef IBSCOPE_CABLING_H
#define IBSCOPE_CABLING_H

#include "core/fabric/elements.h"

/*
 * The greatest of these, rounded up: links of all shortest ways between hosts, over the cables between
 * switches; for each switch, and each element of el (NULL: none), the pairs of hosts with one end there, over
 * the cables that leave it.  Pairs are ordered, and have a way.  hosts: [n_switches] how many hang on each.
 * 0: there is no cable.
 */
uint64_t cabling_bound(const struct topo *t, const uint32_t *hosts, const struct elements *el);

#endif
