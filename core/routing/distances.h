/* Distances between switches, independent of any engine. */
#ifndef IBSCOPE_DISTANCES_H
#define IBSCOPE_DISTANCES_H

#include "core/fabric/state.h"

#define NO_HOPS 0xFFFF

/*
 * Breadth first over live cables.  The search starts from the n switches at the start of the queue; their
 * hops are set.  All switches whose hops are NO_HOPS get their links from the nearest of them.  The queue
 * [n_switches] then holds all switches reached, nearest first and by ascending ports.  Returns their number.
 */
uint32_t spread_hops(const struct topo *tp, uint16_t *hops, uint32_t *queue, uint32_t n);
/* The same in any graph.  Arcs first[u] to first[u + 1] lead from u to to[].  Unset hops are NO_ID. */
uint32_t spread_arcs(const uint32_t *first, const uint32_t *to, uint32_t *hops, uint32_t *queue, uint32_t n);
/*
 * Links from one switch to all others over live cables; NO_HOPS where there is no way. hops: [n_switches].
 * Returns the number of switches reached, with itself.
 */
uint32_t switch_distances(const struct topo *tp, uint32_t from, uint16_t *hops);
/* Links on a shortest way from one endport to another; -1 = there is none over switches. */
int endport_distance(const struct topo *tp, uint32_t from, uint32_t to);

#endif
