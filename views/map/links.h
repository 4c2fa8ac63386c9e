/*
 * The cables of one switch as its map shows them, by side. Parallel cables are one entry. It shows the
 * cabling, whatever is up.
 */
#ifndef IBSCOPE_MAP_LINKS_H
#define IBSCOPE_MAP_LINKS_H

#include "core/analysis/shape/layout.h"

/*
 * The place of a neighbour relative to the switch in the middle. Hosts and all other nodes that are no switch
 * come last.
 */
enum map_side { MAP_ABOVE, MAP_LEFT, MAP_RIGHT, MAP_BELOW, MAP_HOSTS, MAP_SIDES };

/* A neighbour with all cables to it, or one host port. */
struct map_entry {
	uint32_t node;	   /* the node at the other end */
	uint32_t sw;	   /* its switch, NO_ID: it is no switch */
	uint32_t port;	   /* the lowest of its ports at the middle */
	uint32_t first, n; /* its cables: map_entries.port[first] to [first + n - 1] */
	uint8_t side;	   /* enum map_side */
	char way[4];	   /* "y+": the step in a grid; otherwise "" */
};

struct map_entries {
	uint32_t middle;	       /* switch */
	uint32_t n;		       /* entries, sorted by side, then port */
	uint32_t first[MAP_SIDES + 1]; /* entries of side s: first[s] to first[s + 1] - 1 */
	struct map_entry *entry;
	uint32_t n_cables; /* each link of the middle counts once, also one to itself */
	uint32_t *port;	   /* [n_cables] ports of the middle, ascending within an entry */
};

/* Never NULL. Free with map_entries_free(). */
struct map_entries *map_entries_new(const struct fabric *f, const struct layout *l, uint32_t middle);
void map_entries_free(struct map_entries *m); /* NULL is fine */

#endif
