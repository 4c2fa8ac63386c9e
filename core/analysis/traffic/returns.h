/*
 * The way back: tables lead to destinations, so the path from B to A is made by other entries than that from
 * A to B, and may take other cables.
 */
#ifndef IBSCOPE_RETURNS_H
#define IBSCOPE_RETURNS_H

#include "core/base/progress.h"
#include "core/routing/routing.h"

#define RETURNS_MOST \
	4000000 /* pairs looked at; of larger fabrics hosts at equal distances in the list begin them */

struct returns {
	uint64_t pairs; /* of hosts that count, each once, by their first LIDs, with a path both ways */
	uint64_t other; /* of these: the way back takes another cable */
};

/* Does the path from endport b to a take the cables of that from a to b?  -1: one does not arrive. */
int return_same(const struct routing *r, uint32_t a, unsigned lid_a, uint32_t b, unsigned lid_b);
/* To be freed by free(); NULL: cancelled. */
struct returns *returns_count(const struct routing *r, struct progress *p);

#endif
