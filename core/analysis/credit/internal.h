/* Shared by the files of the channel dependency graph. */
#ifndef IBSCOPE_CDG_PARTS_H
#define IBSCOPE_CDG_PARTS_H

#include "core/analysis/credit/cdg.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/routing/paths.h"

/* Where routes begin. */
struct cdg_source {
	uint32_t endport, sw; /* switch it hangs on */
	uint16_t lid;	      /* base LID */
	uint8_t in;	      /* port of the switch; 0 = the switch's own port 0 */
};

/* Caller frees. */
struct cdg_source *cdg_sources(void *arena, const struct routing *r, bool switches, uint32_t *n);
bool cdg_is_destination(const struct routing *r, bool switches, unsigned lid);

/* --- counting routes ---------------------------------------------------------------------- */

/*
 * Routes to one destination that are still on their way, grouped by the SLs that they may have and the VLs of
 * the channel they are on.  Each group has a slot.
 */
struct cdg_slot {
	struct sl_range sl;
	sl2vl_map vls; /* by SL of the range; CDG_DROP_VL: the route has ended with this SL; else 0 */
};

#define CDG_NO_SLOT UINT32_MAX /* it continues with no SL */

struct cdg_counting {
	void *arena;
	const struct routing *r;
	const struct topo *t;
	const struct fabric *f;
	struct cdg *c;
	uint32_t n; /* switches of the fabric */
	struct cdg_source *source;
	uint32_t n_sources;
	bool grouped;  /* the sources of a switch need not be distinguished */
	bool steady;   /* a route stays on its VL, whatever its SL */
	sl2vl_map map; /* steady: by SL */
	size_t *at;    /* [n] first cell of a switch in a matrix */
	size_t cells;
	uint32_t *matrix[CDG_VLS][CDG_VLS]; /* by VLs in and out: [cells] routes by ports; NULL = none */
	uint32_t *load[CDG_VLS];	    /* [n_ports] */
	uint32_t *begin[CDG_VLS]; /* grouped: [n_ports] LIDs to which the hosts of a switch send through a
				     port, by the VL of their own links; port 0: through any port */
	struct cdg_slot *slot;
	uint32_t n_slots, cap_slots;
	uint32_t slot_of[CDG_VLS][CDG_VLS]; /* for a single SL: by SL and VL */
	uint32_t **flow;		    /* by slot: [n] routes that leave a switch; NULL = none */
	/* of one destination */
	const uint8_t *col;
	uint16_t *hops;
	uint32_t *order, *work, *count; /* switches that arrive, farthest first */
	uint32_t n_order;
	bool failed; /* out of memory, as *e says */
	struct err *e;
	/* with adaptive routing */
	struct dest_ways *ways;
	uint32_t **leaving; /* by slot: [n_ports] routes that leave by a port; NULL = none */
};

/* Counts stop at the largest number. */
static inline void cdg_add(uint32_t *count, uint32_t n)
{
	if (__builtin_add_overflow(*count, n, count))
		*count = UINT32_MAX;
}

/* Adds to the routes of a slot: *of is its flow or leaving, [size]. */
static inline void cdg_add_to(struct cdg_counting *k, uint32_t **of, size_t size, uint32_t at,
			      uint32_t routes)
{
	if (!*of)
		*of = ARENA_ARRAY(k->arena, size, uint32_t);
	cdg_add(&(*of)[at], routes);
}
/* Is this VL wanted? */
bool cdg_wanted(const struct cdg_counting *k, unsigned vl);
/* Makes a table of n counters when it is first needed. NULL, and k->failed: there is no memory. */
uint32_t *cdg_counters(struct cdg_counting *k, uint32_t **table, size_t n);
void cdg_counting_start(void *arena, struct cdg_counting *k, struct cdg *c); /* for c->routing */
/*
 * Counts LIDs of hosts, those of a switch together, where all routes are on one VL.  left: [max_lid + 1] 1
 * for destinations; set to 0 for those counted.  Returns false when cancelled or out of memory.
 */
bool cdg_count_alike(struct cdg_counting *k, uint8_t *left, struct progress *p);

#endif
