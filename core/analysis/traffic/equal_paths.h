/*
 * "Equal paths": should all ways between two switch elements have the same length? The user guide HP
 * 376227-B21 advises it: then routing with a tolerance of 0 uses all ways.
 *
 * A way of element A to B here: any link of A to a neighbour, then the shortest way on to B that does not
 * come back to A; or a shortest way but for one step sideways, to an element that is as far from B.  Steps
 * away from B behind the first are left out: every tree has such detours.
 */
#ifndef IBSCOPE_EQUAL_PATHS_H
#define IBSCOPE_EQUAL_PATHS_H

#include "core/base/progress.h"
#include "core/fabric/elements.h"

/* A pair of edge elements (with CAs or routers) whose ways differ. */
struct unequal_pair {
	uint32_t from, to;
	uint16_t least, most;	    /* distances: links between elements */
	uint32_t n_least, n_longer; /* links of `from` that begin a shortest way, a longer one; some both */
};

struct unequal_paths {
	uint32_t n_edges;
	uint64_t pairs;		   /* ordered pairs of edge elements looked at */
	struct unequal_pair *pair; /* by from, then to */
	size_t n, cap;
};

/* NULL: cancelled.  Cost: pairs x links whose neighbour is farther away than the element itself. */
struct unequal_paths *unequal_paths_new(const struct elements *el, struct progress *p);
void unequal_paths_free(struct unequal_paths *u);

#endif
