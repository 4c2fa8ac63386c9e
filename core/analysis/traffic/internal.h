/* Between the files of shifts. */
#ifndef IBSCOPE_SHIFT_PARTS_H
#define IBSCOPE_SHIFT_PARTS_H

#include "core/routing/routing.h"

/*
 * Finds the way of a pair of hosts by the tables: the port ids from which it leaves; the first is the
 * source's. port: room for n_switches + 2.  Returns their number; 0: there is no way.  A loop ends when more
 * switches were passed than exist.
 */
uint32_t shift_way(const struct routing *r, uint32_t src, uint32_t dst, uint32_t *port);

#endif
