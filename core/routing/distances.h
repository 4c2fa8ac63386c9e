/* Distances between switches, whatever an engine makes of them. */
#ifndef IBSCOPE_DISTANCES_H
#define IBSCOPE_DISTANCES_H

#include "core/fabric/state.h"

#define NO_HOPS 0xFFFF

/* Links from one switch to all others over live cables, NO_HOPS where there is no way; hops: [n_switches]. */
void switch_distances(const struct topo *tp, uint32_t from, uint16_t *hops);
/* Links on a shortest way from one endport to another, -1 = there is none over switches. */
int endport_distance(const struct topo *tp, uint32_t from, uint32_t to);

#endif
