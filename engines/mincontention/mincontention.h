/*
 * Minimum contention, shortest path and load balancing: how the subnet manager embedded in Topspin-family
 * switches routes (HP 376227-B21, chapter on routing). Whole chassis first, then the chips inside each.  For
 * panes and tests; the rest of the program knows engines by core/sm/engine.h only.
 *
 * Where the source leaves a point open it is settled here so that results are the same everywhere; the
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
	uint32_t *usage; /* [n_ports] LIDs that leave a switch by the port; port 0: not counted */
	uint8_t *kept;	 /* [max_lid + 1] 1: the LID's tree was kept from the tables before */
};

/* What is behind a routing, NULL when another engine made it. */
const struct mincontention *mincontention_of(const struct routing *r);

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

/* What settles between the acceptable paths of an element, in the order of asking; then the rest. */
enum mincontention_rule {
	RULE_ONLY_PATH,
	RULE_CONTENTION,
	RULE_DISTANCE,
	RULE_USAGE,
	RULE_NEXT_ELEMENT, /* by lowest chip GUID */
	RULE_OWN_CHIP,	   /* by GUID */
	RULE_PORT,	   /* by number */
	RULE_KEPT,	   /* the LID's tree stood: nothing was compared */
	RULE_HOST_PORT,	   /* the endport hangs on it */
	RULE_OWN_PORT,	   /* port 0 of the switch that has the LID */
};

/* "least contention": of the path that was chosen. */
const char *mincontention_rule_name(enum mincontention_rule rule);

/* An acceptable path of an element for a LID: one that leaves by this port and goes on as the next element
 * does. */
struct mincontention_way {
	uint32_t port; /* id of the one that sends */
	uint32_t to;   /* element (of a chip inside: switch) at the other end; NO_ID at the LID's own */
	struct mincontention_key key; /* of the path */
	uint32_t usage;		      /* LIDs sent by the port when the LID was placed */
	bool chosen;
	bool open; /* at a step of a recording: the element has chosen none yet, port and `to` are NO_ID */
	/* Of the chosen one: what settled it, the last thing asked.  Of another: in what the chosen one was
	 * better. */
	uint8_t rule; /* enum mincontention_rule */
};

/* The ways of all elements for one LID. */
struct mincontention_ways {
	const struct elements *elements; /* reference held */
	unsigned lid;
	uint32_t target; /* element of the LID, NO_ID: it has no route, and no element has a way */
	uint32_t *first; /* [n + 1] ways of e: way[first[e]], the chosen one, up to way[first[e + 1]] */
	struct mincontention_way *way;
	/*
	 * Those of a chip to where its element sends, over links inside: inside[first_inside[s]], the chosen
	 * one, up to inside[first_inside[s + 1]]; none for the chip where it leaves and in elements of one
	 * chip.  `to` is a switch.
	 */
	uint32_t *first_inside; /* [n_switches + 1] */
	struct mincontention_way *inside;
};

/*
 * What the engine compared when it placed a LID, found again from its tables: as who asks hears it.
 * Contention of a LID that was kept is as in struct mincontention_key (nobody compared it).  Tables of the
 * unicast cache are explained by those it kept. Of a step of a recording: the ways through what was settled
 * so far. Cost: all tables are read once.  NULL when cancelled; r must be of this engine.
 */
struct mincontention_ways *mincontention_ways(const struct routing *r, unsigned lid, struct progress *p);
void mincontention_ways_free(struct mincontention_ways *w); /* NULL is fine */

#endif
