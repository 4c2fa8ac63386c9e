/* Shared by effect.c and moves.c: the tables before a failure, and a worker's data. */
#ifndef IBSCOPE_SURVEY_EFFECT_H
#define IBSCOPE_SURVEY_EFFECT_H

#include "core/analysis/survey/internal.h"
#include "core/base/memory.h"
#include "core/routing/paths.h"

#define HOPS_MOST 256 /* as in loads.c: longer paths are not added up */

struct effect_base {
	const struct sweep *sweep;     /* reference held */
	const struct routing *routing; /* of it */
	bool by_difference;	       /* pairs and loads */
	bool plain_vls;		       /* all routes are on VL 0 */
	uint16_t looped;	       /* bit v: VL v has credit loops */
	uint32_t load_max;
	uint32_t *hosts;   /* [n_switches] hosts that count on each */
	uint32_t *channel; /* [n_channels] ports between switches, ascending */
	uint32_t n_channels;
	uint32_t *load; /* [n_ports] routes, as loads_new(&pattern_all); of ports between switches only */
	/*
	 * dep[dep_at[p] + q] counts LIDs: their routes come by the channel of port id p, then leave that
	 * switch by port q.  dep_at NO_ID: no channel.
	 */
	size_t *dep_at, n_deps;
	uint32_t *dep;
	uint8_t *table;	 /* [(max_lid + 1) * n_switches] entries by LID; NULL: too many, they are read row by
			    row */
	uint32_t *place; /* [n_ports] place in an order that all dependencies follow; NULL: there is none */
	/* For moves.c; all NULL when there is no table[]. */
	uint16_t *flow; /* [(max_lid + 1) * n_switches] hosts whose way to the LID leads through the switch */
	uint8_t *hops;	/* [(max_lid + 1) * n_switches] links from the switch to the LID */
	uint8_t *plain; /* [max_lid + 1] all switches with hosts have a way of less than HOPS_PLAIN links */
};

#define NO_SLOT SIZE_MAX
#define HOPS_PLAIN UINT8_MAX
#define TABLE_MOST ((size_t)256 << 20) /* bytes of effect_base.table */

/* A switch whose entry for a LID changed, or whose entry names a cable that went down. */
struct move {
	uint32_t sw, next; /* the next one of the same LID; NO_ID */
};

/* What changed, as lists by LID. */
struct moves {
	struct move *move;
	size_t n, cap, most; /* more than `most` are not kept */
	bool too_many;
	uint32_t *first;  /* [MAX_LID + 1] the first move of a LID; NO_ID */
	uint8_t *moved;	  /* [n_switches] 1: the switch is among the moves of the LID at hand */
	uint32_t *own;	  /* [n_switches] of these: hosts with the way as before up to here */
	uint32_t *path;	  /* [n_switches] ports (ids) of a new way */
	bool order_holds; /* each new dependency follows the order of the old ones */
};

/* One destination LID at a time: scratch of walks along a column. */
struct effect_column {
	uint8_t *port;	 /* [n_switches] entries */
	uint16_t *hops;	 /* [n_switches] */
	uint32_t *order; /* [n_order] switches with a way, the nearest first */
	uint32_t n_order;
	bool too_long; /* some way is of HOPS_MOST or more */
};

struct effect_work {
	const struct effect_base *base;
	uint32_t *load, *dep; /* as in the base, with what changed; put back after each failure */
	uint32_t *touched_load;
	size_t *touched_dep;
	size_t n_load, cap_load, n_dep, cap_dep;
	struct effect_column was, is;
	uint32_t *work, *flow;
	uint8_t *changed, *marked;
	uint32_t *row; /* [n_rows] switches whose rows are not those before */
	uint32_t n_rows;
	uint32_t *stayed, *left;   /* [n_switches] hosts that count: in both, only before */
	uint32_t *working;	   /* [n_switches] of those that left: their nodes are not down */
	uint32_t *grave, n_graves; /* switches with some that left */
	uint32_t *part;		   /* [n_switches] part of a switch that the SM does not reach; NO_ID */
	struct moves moves;
};

/* Remembers each change of a sum, to undo it after the failure. */
static inline void note_load(struct effect_work *w, uint32_t at)
{
	GROW(w->touched_load, w->n_load, w->cap_load);
	w->touched_load[w->n_load++] = at;
}

/* --- moves.c ------------------------------------------------------------------------------------ */

void moves_init(struct moves *m, const struct effect_base *b);
void moves_free(struct moves *m);
void moves_clear(struct moves *m);
/* Once per switch and LID. */
void moves_add(struct moves *m, uint32_t sw, unsigned lid);

/*
 * The old ways to a LID of dst that changed, and those of hosts that left, leave the sums, and the new ones
 * enter: pairs in *row; loads, where they count (base_lid), in w->load.  Dependencies are only compared with
 * the order of the old ones (moves.order_holds). false (nothing changed): dst left, or the moves are not
 * enough to tell.
 */
bool moves_apply(struct effect_work *w, const struct routing *is, unsigned lid, uint32_t dst, bool base_lid,
		 struct survey_row *row);

#endif
