/*
 * Paths through forwarding tables: one path hop by hop, and the hops from every switch to one destination.
 * This module knows tables only, no engine.
 */
#ifndef IBSCOPE_PATHS_H
#define IBSCOPE_PATHS_H

#include "core/base/defs.h"
#include "core/fabric/state.h"
#include "core/routing/routing.h"

enum path_end {
	PATH_OK,
	PATH_NO_SOURCE, /* the source is down, or has no LID or link */
	PATH_NO_LID,	/* nobody has the destination LID */
	PATH_NO_ENTRY,	/* a switch has no entry (255) */
	PATH_DEAD_PORT, /* an entry names a port without live link */
	PATH_WRONG_END, /* arrives at an endport that has another LID */
	PATH_LOOP,
	PATH_IDLE,    /* a port on the way is in Initialize or Armed: its cable carries no data */
	PATH_SILENT,  /* an entry names a port whose other end did not answer, so the rest is unknown */
	PATH_DROPPED, /* the last switch shown, or the source when none is, maps the SL to VL 15 */
};

const char *path_end_text(enum path_end e); /* "no entry for the LID", ... */

struct path_hop {
	uint32_t sw;
	uint8_t in, out; /* port numbers; in 0: the packet starts here; out 0: it ends here; out NO_PATH: it
			    is stuck */
	uint8_t vl;	 /* VL on the link out of `out` */
};

struct path {
	enum path_end end;
	uint32_t src, dst; /* endports; dst NO_ID when nobody has the LID */
	uint16_t slid, dlid;
	struct sl_range sl;
	unsigned hops;	      /* links from source to destination, when PATH_OK */
	struct path_hop *hop; /* switches passed, in order */
	unsigned n, cap;
};

/* Follows a path from an endport (with its LID slid) to a LID.  Initialises p; free it with path_free(). */
void path_trace(const struct routing *r, uint32_t src, unsigned slid, unsigned dlid, struct path *p);
void path_free(struct path *p);

/*
 * Links from each switch to the destination endport of a LID (the switch itself: 0; a CA on it: 1). HOPS_NONE
 * where the tables do not lead there, HOPS_LOOP where they loop. hops: [n_switches]. work: [n_switches].
 */
#define HOPS_NONE 0xFFFF
#define HOPS_LOOP 0xFFFE
void dest_hops(const struct routing *r, unsigned lid, uint16_t *hops, uint32_t *work);

/*
 * Finds the switches to whose LIDs the tables do not lead from the subnet manager's place, and sets missed[s]
 * ([n_switches]) to 1 for these.  Returns their number, or 0 when the place is not up.
 */
uint32_t manager_misses(const struct routing *r, uint8_t *missed);

/*
 * With adaptive routing a packet may take any port of routing_ports() at each switch.  For one destination
 * LID: worst[s] is the longest way over all choices (HOPS_LOOP where some choices loop, HOPS_NONE where some
 * end nowhere).  All arrays are [n_switches]; set[s] is filled with the ports.  Where worst[s] is below
 * HOPS_LOOP every port of set[s] leads on, to a switch of a smaller worst[] or to the destination.
 */
struct dest_ways {
	uint16_t *worst;
	struct port_set *set;
	uint32_t *work;	       /* scratch, [2 * n_switches] */
	unsigned lid;	       /* the LID that these are for; 0: none yet */
	struct port_set *live; /* ports that lead on */
	/* for that LID, or for an earlier one with the same ways: */
	const struct adaptive_group **group;
	uint8_t *entry;
};
struct dest_ways *dest_ways_new(void *arena, const struct routing *r);
/* All calls with one w must have the same r.  Returns true when the ways are those of the LID before, except
 * for the last link. */
bool dest_ways(const struct routing *r, unsigned lid, struct dest_ways *w);

/*
 * The same as path_trace() with adaptive routing.  The choices lead to the end that worst[] has for the
 * source's switch: the longest way, or a way that does not arrive.
 */
void path_trace_worst(const struct routing *r, uint32_t src, unsigned slid, unsigned dlid,
		      const struct dest_ways *w, struct path *p);

/*
 * The same for a column: col[s] is the entry of switch s for a LID of endport `owner`.  NO_ID: the LID is
 * nobody's, and everything is HOPS_NONE.
 */
void column_hops(const struct topo *t, const uint8_t *col, uint32_t owner, uint16_t *hops, uint32_t *work);

/* Do the tables lead from a switch (NO_ID: no) to the endport that has the LID?  The LIDs may belong to other
 * tables.
 */
bool tables_lead(const struct routing *r, uint32_t sw, unsigned lid);

/*
 * Sorts switches by their hops, nearest first: order[] gets those whose way arrives.  Returns their number.
 * start: [n_switches + 2], scratch.
 */
uint32_t hops_order(const uint16_t *hops, uint32_t n_switches, uint32_t *order, uint32_t *start);

/*
 * Adds to list[n] (room: [n_switches]) the switches whose ways to a LID pass one of those listed; the tables
 * must not loop.  Returns the new number, or NO_ID when there are more than `most`. mark: [n_switches], all 0
 * before and after.
 */
#define FEW_SWITCHES(n_switches) ((n_switches) / 16 + 16) /* with more, a walk costs no more */
uint32_t switches_behind(const struct routing *r, unsigned lid, uint32_t *list, uint32_t n, uint32_t most,
			 uint8_t *mark);

/*
 * One step of it: the links from switch sw, whose entry is `out`, to endport dst.  Returns 1 when the way
 * ends at dst (0 for the switch's own LID), HOPS_NONE when it ends elsewhere, and HOPS_ON when it continues
 * at the switch *next.
 */
#define HOPS_ON 0xFFFD
uint16_t end_hops(const struct topo *t, uint32_t sw, unsigned out, uint32_t dst, uint32_t *next);

/*
 * Fills in the columns of up to n consecutive LIDs from lid0, for walking by destination: col[i * n_switches
 * + s] is the port of routing_next_port().  LIDs above the tables give NO_PATH.
 */
#define COLUMN_BLOCK 64
void routing_columns(const struct routing *r, unsigned lid0, unsigned n, uint8_t *col);

/* Distances between switches, independent of any engine. */

#define NO_HOPS 0xFFFF

/*
 * Searches breadth first over live cables.  The search starts from the n switches at the start of the queue,
 * whose hops are set.  Every switch whose hops are NO_HOPS gets the number of links from the nearest of them.
 * The queue [n_switches] then holds all switches reached, nearest first and by ascending ports.  Returns
 * their number.
 */
uint32_t spread_hops(const struct topo *tp, uint16_t *hops, uint32_t *queue, uint32_t n);
/* The same in any graph.  The arcs first[u] to first[u + 1] lead from u to to[].  Hops not yet set are
 * NO_ID. */
uint32_t spread_arcs(const uint32_t *first, const uint32_t *to, uint32_t *hops, uint32_t *queue, uint32_t n);
/*
 * The switches farthest from leaves, which have more than `most` CA and router ports that are up.  in:
 * [n_switches] gets 1 for each of them, else 0.
 */
struct farthest {
	uint32_t n, n_leaves; /* n 0: no switch is a leaf, or none is farther than the leaves */
	uint32_t one;	      /* one of them; NO_ID: there is none */
} switches_farthest(const struct topo *tp, uint32_t most, uint8_t *in);

/*
 * Links from one switch to all others over live cables; NO_HOPS where there is no way. hops: [n_switches].
 * Returns the number of switches reached, with itself.
 */
uint32_t switch_distances(const struct topo *tp, uint32_t from, uint16_t *hops);
/* The number of links on a shortest way from one endport to another; -1 when no way leads over switches. */
int endport_distance(const struct topo *tp, uint32_t from, uint32_t to);

#endif
