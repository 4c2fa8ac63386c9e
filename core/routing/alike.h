/*
 * Destinations walked together: LIDs on one switch to which all switches have ways of the same lengths, as
 * most engines make them.  What holds for all of them is found once.  Each entry is still looked at: a LID
 * whose entries do not lead one link nearer, switch by switch, is left to the caller.  Knows tables only, no
 * engine.
 */
#ifndef IBSCOPE_ALIKE_H
#define IBSCOPE_ALIKE_H

#include "core/routing/routing.h"

#define ALIKE_MOST 64 /* LIDs at a time */

struct alike {
	const struct routing *r;
	/* [max_lid + 1] the caller sets what is wanted; LIDs that were handed out are 0. */
	uint8_t *left;
	bool trust;	  /* the caller may set it: routing.exact is taken for true */
	uint32_t *lid_at; /* [n_switches + 1] lid_of[lid_at[s]] to lid_of[lid_at[s + 1] - 1] are wanted and on
			     s */
	uint16_t *lid_of;
	/* Entries for the LIDs of some switches, read row by row: lid_of[loaded] to lid_of[loaded_end - 1].
	 */
	uint8_t *entries;
	size_t room;
	uint32_t loaded, loaded_end;
	uint32_t *work; /* [n_switches] */
	uint32_t taken; /* of lid_of[] of this switch */
	/* One group: */
	uint32_t sw; /* the switch; NO_ID at the start */
	unsigned n;
	uint16_t lid[ALIKE_MOST];
	uint8_t *port;	/* [n_switches][n] entries of each switch; in entries[] */
	uint16_t *hops; /* [n_switches] links to a host on sw, or HOPS_NONE: none of the LIDs; to sw itself
			   one fewer */
	uint32_t *order, n_order; /* alike_order(): the switches with a way, sw first, the farthest last */
	uint32_t *start;	  /* [n_switches + 2] */
};

/* left: as above, only read here; several threads may share it when each asks for other switches. */
void alike_start(struct alike *a, const struct routing *r, uint8_t *left);
void alike_end(struct alike *a);

/* The next group of a switch; false: there is none any more.  Switches are best asked for in ascending order.
 */
bool alike_next(struct alike *a, uint32_t sw);
void alike_order(struct alike *a);

#endif
