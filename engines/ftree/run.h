/* State of a routing run, between route.c (what is routed when) and climb.c (how one destination is). */
#ifndef IBSCOPE_FTREE_RUN_H
#define IBSCOPE_FTREE_RUN_H

#include "core/base/defs.h"
#include "core/trace/recording.h"
#include "engines/ftree/internal.h"

/* Destinations whose entries are written into the tables together: one byte in each table at a time is slow.
 */
#define BLOCK 64

struct ft_run {
	struct ftree *t;
	const struct engine_input *in;
	struct engine_output *out;
	struct routing *r;
	struct ft_watch *watch; /* NULL: nobody listens */
	struct recorder *rec;	/* NULL: nobody records */
	bool offers;		/* entries that are not taken may be wanted by it */
	uint32_t n_switches;

	/* the destination at hand */
	uint16_t lid;	     /* 0: a dummy */
	uint32_t target;     /* switch id when it is one, else NO_ID */
	uint8_t *port, *hop; /* [n_switches] entries, NO_PATH = none */
	uint8_t *reversed;   /* [n_switches] the entry came by reverse hops; NULL without any */
	uint32_t *touched, n_touched;
	uint8_t *done; /* [BLOCK * n_switches] entries of destinations that are not in the tables yet */
	uint16_t done_lid[BLOCK];
	unsigned n_done;
	unsigned reverse; /* reverse hops on the way to the present call */
	unsigned depth;
	uint64_t calls;

	/* costs of the entries toward a switch, before they are compared with Min Hop's */
	uint8_t *cost;	   /* [n_ports] */
	uint32_t *cost_of; /* [n_ports] target they are for */
	uint32_t *costs, n_costs;

	bool first_phase;   /* compute nodes are being routed */
	uint8_t *resorted;  /* [n_switches] a leaf whose CAs were sorted meanwhile */
	uint8_t *to_last;   /* [n_switches] hops to the last leaf */
	uint8_t *from_last; /* [n_switches] hops from the last leaf */
	uint64_t unreached; /* (switch with CAs, CA LID) pairs without entry */
	bool stop;
};

/* --- recordings (events.c), with r->rec --------------------------------------------------------- */

/* A destination begins at its leaf, which has the entry `local` (NO_PATH: none) that was `was`. */
void ft_record_start(const struct ft_run *r, uint32_t leaf, unsigned local, unsigned was);
/* The switch behind a group takes its cable, before that is put; or is offered it, and does not. */
void ft_record_set(const struct ft_run *r, const struct ft_group *g, const struct ft_link *l, uint8_t hops,
		   enum ft_cause cause);
void ft_record_offer(const struct ft_run *r, const struct ft_group *g, const struct ft_link *l, uint8_t hops,
		     enum ft_cause cause);
/* A cell of the hop matrix toward the target, by the event before. */
void ft_record_cost(const struct ft_run *r, uint32_t port_id, unsigned was, unsigned now);
/* Counters grew by one: those of who was taught to climb (up), or of main climbs. */
void ft_record_spread(const struct ft_run *r, const struct ft_group *g, const struct ft_link *l);
void ft_record_climb(const struct ft_run *r, uint32_t sw, const struct ft_group *g0, const struct ft_group *g,
		     const struct ft_link *l);
/* Slots of a switch in one direction were sorted; before[] as they stood. */
void ft_record_sort(struct recorder *rec, const struct ftree *t, uint32_t sw, enum ft_dir d,
		    const struct ft_slot *before);
/* An entry through the last leaf. */
void ft_record_roots(const struct ft_run *r, uint32_t sw, uint32_t target, unsigned port);

/* Note that a switch is about to get its first entry for the destination. */
static inline void ft_touch(struct ft_run *r, uint32_t sw)
{
	if (r->port[sw] == NO_PATH && r->hop[sw] == NO_PATH)
		r->touched[r->n_touched++] = sw;
}

/*
 * Climb from w, which is h hops from the destination, having come from prev
 * (NO_ID: from nowhere), on all ways that lead up; all below them learn to climb
 * there.  main: the first parent is counted; credit: reverse hops left.  True when
 * a CA was found below.
 */
bool ft_ascend(struct ft_run *r, uint32_t w, uint32_t prev, bool main, unsigned credit, uint8_t h);

/* Cells and values of a recording in words (names.c). */
bool ft_cell(const struct recording *r, enum rec_table t, uint32_t at, struct text *out);
bool ft_value(const struct recording *r, enum rec_table t, uint32_t at, uint32_t value, struct text *out);

#endif
