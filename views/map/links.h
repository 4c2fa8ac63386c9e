/*
 * The cables of one switch as its map shows them, by the side they leave it to.  Parallel cables are
 * together. As cabled: what is up plays no part.
 */
#ifndef IBSCOPE_MAP_LINKS_H
#define IBSCOPE_MAP_LINKS_H

#include "core/analysis/shape/layout.h"

/* Where a neighbour stands from the switch in the middle; hosts and all else that is no switch come last. */
enum map_side { MAP_ABOVE, MAP_LEFT, MAP_RIGHT, MAP_BELOW, MAP_HOSTS, MAP_SIDES };

/* A neighbour with all cables to it, or one host port. */
struct map_entry {
	uint32_t node;	   /* at the other end */
	uint32_t sw;	   /* its switch, NO_ID: it is none */
	uint32_t port;	   /* of the middle, the lowest of them */
	uint32_t first, n; /* its cables: map_entries.port[first] .. [first + n - 1] */
	uint8_t side;	   /* enum map_side */
	char way[4];	   /* "y+": the step in a grid; "" elsewhere */
};

struct map_entries {
	uint32_t middle;	       /* switch */
	uint32_t n;		       /* entries, by side, then by port */
	uint32_t first[MAP_SIDES + 1]; /* entries of side s: first[s] .. first[s + 1] - 1 */
	struct map_entry *entry;
	uint32_t n_cables; /* each link of the middle once, also from it to itself */
	uint32_t *port;	   /* [n_cables] ports of the middle, of one entry ascending */
};

/* Never NULL; to be freed. */
struct map_entries *map_entries_new(const struct fabric *f, const struct layout *l, uint32_t middle);
void map_entries_free(struct map_entries *m); /* NULL is fine */

#endif
