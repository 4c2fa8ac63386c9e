/*
 * OpenSM's search, move by move (engines/doc/dfsssp.md 5.2, 5.3): Dijkstra with a
 * 4-ary heap whose shape decides between equal distances.
 */
#ifndef IBSCOPE_DFSSSP_HEAP_H
#define IBSCOPE_DFSSSP_HEAP_H

#include "engines/dfsssp/tree.h"

struct ds_heap;

struct ds_heap *ds_heap_new(const struct ds_graph *g);
void ds_heap_free(struct ds_heap *h); /* NULL is fine */

/*
 * The tree of a source, with distances.  in_order: order[] is the order in which
 * vertices leave the heap; otherwise those that could not have changed anything any
 * more come last, in no particular order.  link: [n_edges].  Borrowed, overwritten by
 * the next call of either.
 */
const struct ds_tree *ds_heap_run(struct ds_heap *h, const ds_link *link, struct ds_source from,
				  bool in_order);

/*
 * The order in which vertices leave the heap: rank[v] of all up to a distance, of
 * others anything.  Costs less than a run.  Borrowed in the same way.
 */
const uint32_t *ds_heap_ranks(struct ds_heap *h, const ds_link *link, struct ds_source from, uint32_t limit);

#endif
