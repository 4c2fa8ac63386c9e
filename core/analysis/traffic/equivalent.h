/* Equivalent ports could carry each other's traffic, so their use can be compared. */
#ifndef IBSCOPE_EQUIVALENT_H
#define IBSCOPE_EQUIVALENT_H

#include "core/fabric/elements.h"

/*
 * Links of an element are equivalent if they lead to the same element, or to elements that only pass traffic
 * on, to the same neighbours.  Inside an element the same holds for links of a chip to other chips.  Links to
 * different edges are not equivalent: the destination decides between them. port: [n] ids of ports of
 * switches that are up. group: [n] gets the number of each port's group, NO_ID for hosts' ports and dead
 * ones.  Returns the number of groups.
 */
uint32_t equivalent_ports(const struct elements *el, const uint32_t *port, uint32_t n, uint32_t *group);

#endif
