/* Equivalent ports: those that could carry each other's traffic, so that their use can be compared. */
#ifndef IBSCOPE_EQUIVALENT_H
#define IBSCOPE_EQUIVALENT_H

#include "core/fabric/elements.h"

/*
 * Links of an element to the same one, or to such as only pass traffic on, to the
 * same neighbours; inside an element, of a chip to the same chip or to such.  Those
 * to different edges are not: the destination decides between them.
 *
 * port: [n] ids of ports of switches that are up; group: [n] gets the number of the
 * group of each, NO_ID for hosts' ports and dead ones.  Returns the number of groups.
 */
uint32_t equivalent_ports(const struct elements *el, const uint32_t *port, uint32_t n, uint32_t *group);

#endif
