/* Shared by the files of the channel dependency graph. */
#ifndef IBSCOPE_CDG_PARTS_H
#define IBSCOPE_CDG_PARTS_H

#include "core/analysis/credit/cdg.h"
#include "core/base/defs.h"
#include "core/routing/paths.h"

/* Where routes begin. */
struct cdg_source {
	uint32_t endport, sw; /* switch it hangs on */
	uint16_t lid;	      /* base LID */
	uint8_t in;	      /* port of the switch; 0 = the switch's own port 0 */
};

/* Caller frees. */
struct cdg_source *cdg_sources(const struct routing *r, bool switches, uint32_t *n);
bool cdg_is_destination(const struct routing *r, bool switches, unsigned lid);

/* --- counting routes ---------------------------------------------------------------------- */

/*
 * Routes to one destination that are still on their way, told apart by SL and VL.  Each such pair has a slot.
 */
struct cdg_slot {
	uint8_t sl, vl;
};

#define CDG_NO_SLOT 0xFFFF
#define CDG_MAX_SLOTS (CDG_VLS * CDG_VLS)

struct cdg_counting {
	const struct routing *r;
	const struct topo *t;
	const struct fabric *f;
	struct cdg *c;
	uint32_t n; /* switches of the fabric */
	struct cdg_source *source;
	uint32_t n_sources;
	bool grouped; /* the sources of a switch need not be told apart */
	size_t *at;   /* [n] first cell of a switch in a matrix */
	size_t cells;
	uint32_t *matrix[CDG_VLS][CDG_VLS]; /* by VLs in and out: [cells] routes by ports; NULL = none */
	uint32_t *load[CDG_VLS];	    /* [n_ports] */
	struct cdg_slot slot[CDG_MAX_SLOTS];
	unsigned n_slots;
	uint16_t slot_of[CDG_VLS][CDG_VLS]; /* by SL and VL */
	uint32_t *flow;			    /* [CDG_MAX_SLOTS * n] routes of a slot that leave a switch */
	/* of one destination */
	const uint8_t *col;
	uint16_t *hops;
	uint32_t *order, *work, *count; /* switches that arrive, farthest first */
	uint32_t n_order;
	bool failed; /* for want of memory, as *e tells */
	struct err *e;
	/* with adaptive routing */
	struct dest_ways ways;
	uint32_t
		*leaving[CDG_VLS * CDG_VLS]; /* by slot: [n_ports] routes that leave by a port; NULL = none */
};

/* Counts stop at the largest number. */
static inline void cdg_add(uint32_t *count, uint32_t n)
{
	if (__builtin_add_overflow(*count, n, count))
		*count = UINT32_MAX;
}

unsigned cdg_slot_number(struct cdg_counting *k, unsigned sl, unsigned vl);
/* Routes over a port on a VL; from one port to another of a switch.  */
void cdg_add_load(struct cdg_counting *k, uint32_t port, unsigned vl, uint32_t routes);
void cdg_add_dependency(struct cdg_counting *k, uint32_t sw, unsigned in, unsigned va, unsigned out,
			unsigned vb, uint32_t routes);
/* Order k->order by k->hops, farthest first. */
void cdg_sort_switches(struct cdg_counting *k);
/* Count all ways to a LID that adaptive routing may take. */
void cdg_count_adaptive(struct cdg_counting *k, unsigned lid);
void cdg_adaptive_end(struct cdg_counting *k);

/* Fill component[], n_components and size[]; false: cancelled. */
bool cdg_find_components(struct cdg *c, struct progress *p);

#endif
