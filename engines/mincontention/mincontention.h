/*
 * Minimum contention, shortest path and load balancing: how the subnet manager embedded in Topspin-family
 * switches routes (HP 376227-B21, chapter on routing). It routes whole chassis first, then the chips inside
 * each. For panes and tests; the rest of the program knows engines only by core/sm/engine.h.
 *
 * Where the source leaves a point open, this engine settles it so that results are the same everywhere. The
 * comments say where.
 */
#ifndef IBSCOPE_MINCONTENTION_H
#define IBSCOPE_MINCONTENTION_H

#include "core/base/progress.h"
#include "core/fabric/elements.h"
#include "core/sm/engine.h"

struct mincontention {
	const struct elements *elements; /* reference held */
	unsigned tolerance;
	uint32_t *usage; /* [n_ports] LIDs that leave a switch by the port; port 0 is not counted */
	uint8_t *kept;	 /* [max_lid + 1] 1: the LID's tree was kept from the tables before */
};

/* The results behind a routing, NULL when another engine made it. */
const struct mincontention *mincontention_of(const struct routing *r);

/*
 * Key of an element's path for a LID. contention: ports on it (of links between elements) that are also taken
 * by LIDs of the same endport placed earlier (kept ones first, then by number). distance: links between
 * elements.
 */
struct mincontention_key {
	uint16_t contention, distance;
};

/* False when there is no route. */
bool mincontention_key(const struct routing *r, uint32_t element, unsigned lid, struct mincontention_key *k);

/* What decides between the acceptable paths of an element, in the order of comparison; then other reasons. */
enum mincontention_rule {
	RULE_ONLY_PATH,
	RULE_CONTENTION,
	RULE_DISTANCE,
	RULE_USAGE,
	RULE_NEXT_ELEMENT, /* by lowest chip GUID */
	RULE_OWN_CHIP,	   /* by GUID */
	RULE_PORT,	   /* by number */
	RULE_KEPT,	   /* the LID's tree was kept: nothing was compared */
	RULE_HOST_PORT,	   /* the endport hangs on it */
	RULE_OWN_PORT,	   /* port 0 of the switch that has the LID */
};

/* "least contention": the rule in words. */
const char *mincontention_rule_name(enum mincontention_rule rule);

/*
 * An acceptable path of an element for a LID: it leaves by this port, and continues as the next element
 * sends.
 */
struct mincontention_way {
	uint32_t port; /* id of the sending port */
	uint32_t to;   /* element (for a chip inside: switch) at the other end; NO_ID at the LID's own */
	struct mincontention_key key; /* of the path */
	uint32_t usage;		      /* LIDs sent by the port before the LID was placed */
	bool chosen;
	bool open; /* at a step of a recording: nothing is chosen yet, port and `to` are NO_ID */
	/*
	 * The chosen one: the last comparison, which settled it. Another one: in what the chosen one was
	 * better.
	 */
	uint8_t rule; /* enum mincontention_rule */
};

/* The ways of all elements for one LID. */
struct mincontention_ways {
	const struct elements *elements; /* reference held */
	unsigned lid;
	uint32_t target; /* element of the LID; NO_ID: the LID has no route, and no element has a way */
	uint32_t *first; /* [n + 1] ways of e: way[first[e]] (the chosen one) to way[first[e + 1] - 1] */
	struct mincontention_way *way;
	/*
	 * The ways of a chip inside its element: inside[first_inside[s]] (the chosen one) to
	 * inside[first_inside[s + 1] - 1]. There are none for the chip where the LID leaves, and in elements
	 * of one chip. `to` is a switch.
	 */
	uint32_t *first_inside; /* [n_switches + 1] */
	struct mincontention_way *inside;
};

/*
 * What the engine compared when it placed a LID, found again from its tables, as a listener hears it.
 * Contention of a kept LID is as in struct mincontention_key (the engine did not compare it). Tables of the
 * unicast cache are explained by the LIDs it kept. At a step of a recording: the ways through what was
 * settled so far. Cost: all tables are read once. NULL when cancelled. r must be of this engine.
 */
struct mincontention_ways *mincontention_ways(const struct routing *r, unsigned lid, struct progress *p);
void mincontention_ways_free(struct mincontention_ways *w); /* NULL is fine */

#endif
