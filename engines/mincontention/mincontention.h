/*
 * Minimum contention, shortest path and load balancing: how the subnet manager
 * embedded in Topspin-family switches routes (HP 376227-B21, chapter on routing).
 * Whole chassis first, then the chips inside each.  For panes and tests; the
 * rest of the program knows engines by core/engine.h only.
 *
 * Where the source leaves a point open it is settled here so that results are
 * the same everywhere; the comments say where.
 */
#ifndef IBSCOPE_MINCONTENTION_H
#define IBSCOPE_MINCONTENTION_H

#include "core/elements.h"
#include "core/engine.h"

struct mincontention {
	const struct elements *elements; /* reference held */
	unsigned tolerance;
	uint32_t *usage; /* [n_ports] LIDs that leave a switch by the port; port 0: not counted */
	uint8_t *kept;	 /* [max_lid + 1] 1: the LID's tree was kept from the tables before */
};

/* What is behind a routing, NULL when another engine made it. */
const struct mincontention *mincontention_of(const struct routing *r);

/*
 * Port id by which an element sends a LID out, NO_ID without route.  At the
 * element of the endport: the port it hangs on, or port 0 of the switch that has the LID.
 */
uint32_t mincontention_egress(const struct routing *r, uint32_t element, unsigned lid);

/*
 * Key of an element's path for a LID.  contention: ports on it (those of links
 * between elements) that LIDs of the same endport placed before it take as well: kept ones
 * come before chosen ones, then by number.  distance: links between elements.
 */
struct mincontention_key {
	uint16_t contention, distance;
};

/* false: no route. */
bool mincontention_key(const struct routing *r, uint32_t element, unsigned lid, struct mincontention_key *k);

#endif
