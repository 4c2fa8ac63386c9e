/* Between the files of shifts. */
#ifndef IBSCOPE_SHIFT_PARTS_H
#define IBSCOPE_SHIFT_PARTS_H

#include "core/routing/routing.h"

/*
 * The way of a pair of hosts by the tables: port ids from which it leaves, that of the source first.  port:
 * room for n_switches + 2.  Their number; 0: it has no way.  A loop ends when more switches were passed than
 * there are.
 */
uint32_t shift_way(const struct routing *r, uint32_t src, uint32_t dst, uint32_t *port);

#endif
