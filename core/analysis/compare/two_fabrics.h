/*
 * A routing of one fabric seen on another: nodes are found by GUID, ports by node GUID and number.  It serves
 * to compare fabrics that were loaded or discovered at different times.
 */
#ifndef IBSCOPE_ACROSS_H
#define IBSCOPE_ACROSS_H

#include "core/routing/routing.h"

/* Parts that are on one side only, or that hang on such parts. */
struct one_sided {
	uint32_t switches, hosts; /* hosts: ports that count */
	uint32_t lids;	  /* that nobody holds on the other side, though its tables have entries for them */
	uint64_t entries; /* these entries */
	char *names;	  /* the first of them, "leaf-01, node0003, ..."; owned */
};

struct across {
	const struct routing *own, *own_b; /* the earlier and the later routing, unchanged; references held */
	uint32_t *sw; /* [n_switches of the later fabric] the same switch in the earlier one, NO_ID */
	struct one_sided only[2]; /* in the earlier, in the later fabric */
	/* [largest LID of both + 1] 1: the LID, as the later has them, is held on one side alone: not
	 * compared */
	uint8_t *skip;
	/*
	 * Both on the later fabric, with the LIDs, hosts and entries that are in both.  Entries are by port
	 * number, without SLs and adaptive-routing groups.  References held.
	 */
	struct routing *a, *b;
};

struct across *across_new(const struct routing *a, const struct routing *b);
void across_free(struct across *x); /* NULL is fine */

#endif
