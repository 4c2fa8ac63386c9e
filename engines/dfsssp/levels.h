/*
 * The same tree without a heap.  Every channel weighs about the same, so the shortest
 * ways have the fewest links: a vertex k links away from the source sends to one that
 * is k - 1 away.  Level by level, each vertex takes the best of its channels.
 *
 * That is right as long as the distances of a level are less than the least weight
 * apart: a way through its own level or a farther one is longer then.  Of channels that
 * make a vertex equally near, OpenSM takes the one to the nearest vertex, and of
 * equally near ones the one to that which left its heap first.  Only for the last the
 * heap is needed, and only up to their distance.
 */
#ifndef IBSCOPE_DFSSSP_LEVELS_H
#define IBSCOPE_DFSSSP_LEVELS_H

#include "engines/dfsssp/heap.h"

struct ds_levels;

struct ds_levels *ds_levels_new(const struct ds_graph *g);
void ds_levels_free(struct ds_levels *l); /* NULL is fine */

/*
 * The tree of a source, without distances; borrowed, overwritten by the next call.
 * NULL: it cannot be done that way.  Distances and weights must fit 32 bits when added
 * up.  link: [n_edges].  The heap is overwritten.
 */
const struct ds_tree *ds_levels_run(struct ds_levels *l, const ds_link *link, struct ds_source from,
				    struct ds_heap *heap);

#endif
