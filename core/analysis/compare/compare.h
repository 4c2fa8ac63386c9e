/*
 * Compares two routings of one fabric or of two.  It compares LFT entries and the paths of all pairs (source
 * host, destination LID of another host).  Hosts are those that count in the second routing.
 */
#ifndef IBSCOPE_COMPARE_H
#define IBSCOPE_COMPARE_H

#include "core/base/progress.h"
#include "core/routing/routing.h"

/*
 * A routing of one fabric seen on another: nodes are found by GUID, ports by node GUID and number.  It serves
 * to compare fabrics that were loaded or discovered at different times.
 */

/* Parts that exist on one side only, or that are connected only to such parts. */
struct one_sided {
	uint32_t switches, hosts; /* hosts: ports that count */
	uint32_t lids; /* LIDs that nobody has on the other side, though its tables have entries for them */
	uint64_t entries; /* the number of these entries */
	char *names;	  /* the first of them, "leaf-01, node0003, ..."; owned */
};

struct across {
	const struct routing *own, *own_b; /* the earlier and the later routing, unchanged; references held */
	uint32_t *sw; /* [n_switches of the later fabric] the same switch in the earlier one, NO_ID */
	struct one_sided only[2]; /* in the earlier fabric, in the later fabric */
	/* [largest LID of both + 1] 1: the later side's LID exists on one side only, so it is not compared */
	uint8_t *skip;
	/*
	 * Both routings on the later fabric, with the LIDs, hosts and entries that both have.  Entries are
	 * port numbers, without SLs and adaptive-routing groups.  References held.
	 */
	struct routing *a, *b;
};

struct across *across_new(void *arena, const struct routing *a, const struct routing *b);

/* PAIR_SL: the same path with another SL. */
enum pair_change { PAIR_REROUTED, PAIR_LOST, PAIR_REGAINED, PAIR_NEW, PAIR_SL };

/* All pairs from the endports of one switch to one LID whose path changed in the same way. */
struct pair_group {
	uint32_t sw;		/* switch of the sources (after; before when lost) */
	uint16_t lid;		/* destination: after, or before if its endport has none after */
	uint8_t change;		/* enum pair_change */
	uint8_t who;		/* the sources that stayed (0), left (1) or came (2) */
	uint16_t before, after; /* links from the source endport, HOPS_NONE/HOPS_LOOP = none */
	uint32_t n;		/* pairs: endports on the switch, the destination itself excluded */
	uint32_t skip;		/* the first `skip` of these endports are not in the group */
	uint32_t dst;		/* endport of the destination */
	uint64_t first;		/* running number of its first pair */
};

/* A LID with listed pairs.  Its groups are computed when they are asked for. */
struct pair_dest {
	uint64_t first; /* running number of its first pair */
	uint32_t dst;	/* its endport */
	uint16_t lid;
};

struct pair_list; /* the groups of the LID that was asked for last */

struct comparison {
	const struct routing *a, *b; /* references held: before, after, both on the fabric of the one after */
	struct across *across;	     /* of two fabrics, only what is in both is compared; NULL: one fabric */
	uint32_t switches_changed;   /* switches with at least one changed entry */
	uint64_t entries_changed;    /* (switch, LID) with another port, 255 included */
	uint32_t switches_gone, switches_new;  /* not counted in the entries */
	uint64_t entries_lost, entries_gained; /* of these entries: changed to 255, changed from 255 */
	uint32_t *switch_entries;	       /* [n_switches] entries changed */
	uint64_t pairs, pairs_before;	       /* pairs in b; pairs in a of hosts that count in b */
	uint64_t rerouted, lost, regained;     /* of pairs; of pairs_before; of pairs */
	uint64_t fresh;	  /* pairs with a new LID: its endport was up before, but did not have it */
	uint64_t cut_off; /* of the lost: an end is gone, or no longer in the subnet manager's part */
	uint64_t between_survivors;    /* of the lost: both ends are there */
	uint64_t longer, shorter;      /* of the rerouted */
	uint64_t sl_changed, sl_alone; /* pairs that had and still have a path: with another SL now; with
					  another SL on the same path */
	unsigned max_hops_before, max_hops_after;
	double mean_hops_before, mean_hops_after;
	/* in order of LIDs; LIDs that have another owner after come last.  The pairs of one LID are in order
	 * of switches */
	struct pair_dest *dest;
	size_t n_dests, cap_dests;
	struct pair_list *list;
	bool listing; /* groups are added to the list and no longer counted */
	/* CA and router ports by switch: source[source_at[3 * sw + who]] up to the next source_at[] */
	uint32_t *source, *source_at;
};

/* Walks only destinations with a changed entry on the way; skips equal row objects.  NULL: cancelled. */
struct comparison *compare_routings(const struct routing *a, const struct routing *b, struct progress *p);

/* The number of LFT entries of b that differ from a's, as comparison.entries_changed; paths are not
 * compared. */
uint64_t entries_unlike(const struct routing *a, const struct routing *b);

/* The port of an entry before or after.  If LIDs differ between the two, it is matched by endport and
 * offset. */
bool entry_changed(const struct comparison *c, uint32_t sw, unsigned lid, uint8_t *before, uint8_t *after);

/* Pairs whose path changed in any way. */
static inline uint64_t comparison_pairs(const struct comparison *c)
{
	return c->rerouted + c->lost + c->regained + c->fresh;
}

/* All listed pairs: these, and those with another SL on the same path. */
static inline uint64_t comparison_listed(const struct comparison *c)
{
	return comparison_pairs(c) + c->sl_alone;
}

/* Do the SLs of a pair (given by its source) differ before and after?  Returns false when a path is
 * missing. */
bool comparison_sls(const struct comparison *c, const struct pair_group *g, uint32_t src,
		    struct sl_range *was, struct sl_range *now);

/*
 * The tables after with the SLs before: a host that asked for its paths before continues with their SLs.  New
 * pairs have their new SLs.  Not for two fabrics.  Returns a reference.
 */
const struct routing *comparison_held(const struct comparison *c);

/*
 * Source endport of pair number i (0 .. comparison_listed() - 1).  *g gets its group.  The ways to a LID are
 * walked again when the previous pair had another LID.  Threads may share c.
 */
uint32_t comparison_pair(const struct comparison *c, uint64_t i, struct pair_group *g);

#endif
