/* Equivalent ports could carry each other's traffic, so their use can be compared. */
#ifndef IBSCOPE_EQUIVALENT_H
#define IBSCOPE_EQUIVALENT_H

#include "core/fabric/elements.h"

/*
 * Which links are equivalent? Links of an element to the same element.  Links of an element to elements that
 * only pass traffic on to the same neighbours.  Inside an element: links of a chip to the same chip, or to
 * chips as above.  Links to different edges are not: the destination decides between them. port: [n] ids of
 * ports of switches that are up. group: [n] gets the number of each port's group, NO_ID for hosts' ports and
 * dead ones.  Returns the number of groups.
 */
uint32_t equivalent_ports(const struct elements *el, const uint32_t *port, uint32_t n, uint32_t *group);

#endif
