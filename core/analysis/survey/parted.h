/*
 * All double failures of links or of switches: which of them separate hosts?  Every pair is decided, none is
 * sampled.
 *
 * Parted: two hosts that count, on switches that stay, with a way before and none after.  A way is a chain of
 * cables.  Under a routing of Up/Down's kind (it tells directions, and a level step frees the packet) it is a
 * legal one: up, then down.  Ranks are then computed anew after the failures, from the roots that are left,
 * or from the switches with hosts.
 */
#ifndef IBSCOPE_PARTED_H
#define IBSCOPE_PARTED_H

#include <stdatomic.h>

#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/fabric/elements.h"
#include "core/sm/sweep.h"

#define PARTED_MOST_ROWS 10000

/* A bad pair although each part alone is harmless; part[1] NO_ID: a part that is bad alone. */
struct parted_row {
	uint32_t part[2];
	uint32_t host[2]; /* two endports that are parted, as proof */
};

struct parted {
	const struct parts *parts; /* owned: what fails; links are those between switches */
	bool legal;		   /* by legal ways, not by all cables */
	uint64_t pairs, bad;	   /* pairs of parts and cables of hosts: all, and those that part hosts */
	uint32_t host_left_out; /* cables of hosts that were left out of the links: they may change ranks */
	uint32_t host_links;	/* cables of hosts, which also fail where links do */
	uint32_t host_alone; /* of these: the host counts and has a way to another host, so each cable cuts it
				off */
	uint64_t reranked;   /* of pairs: some rank changes, so they were computed from scratch */
	uint32_t alone;	     /* parts that separate hosts alone */
	uint64_t together;   /* of bad: neither part does it alone */
	struct parted_row *row; /* [n] alone, then together, by part; PARTED_MOST_ROWS at most */
	size_t n;
};

/*
 * kind: links or switches.  NULL and *e: cancelled, no memory, nothing of that kind, or directions that do
 * not come from ranks and GUIDs.
 *
 * Links by connectivity: bridges and pairs of links by one depth-first search.  The cover of a tree link is
 * the set of other links that close a circle over it.  Two tree links part the fabric when their covers are
 * equal, a tree link and another one when that is the whole cover.  Covers are equal where their sizes and
 * highest ends are (sort, no trial).  A host's cable cuts that host, whatever else fails; under Down/Up no
 * other cables of hosts are looked at, because ranks come from switches with hosts.  Switches: for each one
 * the articulation points of what is left (R. Tarjan, Depth-first search and linear graph algorithms, SIAM
 * Journal on Computing 1, 1972).  Legal ways: three ways without a common part prove two hosts safe; else
 * each pair that parts them has one part on a first way and the other on a way without it.
 */
struct parted *parted_run(const struct sweep *w, enum part_kind kind, struct progress *p, struct err *e);
/* Adds what was proved, in two or three sentences, with `end` after each. */
void parted_tell(const struct parted *r, const struct sweep *w, char end, struct text *t);

/* Shared by the files parted*.c: the switches as a graph, and pairs of parts as bits. */

/* A cable as one of its ends sees it. */
struct net_arc {
	uint32_t to, edge;
};

struct parted_net {
	const struct sweep *sweep;
	bool switches;	       /* parts are switches; else links */
	uint32_t n, n_parts;   /* n: switches */
	uint32_t *off;	       /* [n + 1] */
	struct net_arc *arc;   /* edge: number of the part, where parts are links */
	uint32_t *hosts;       /* [n] hosts that count */
	uint32_t *part_of;     /* [n] part of a switch; NO_ID */
	uint32_t *sw_of;       /* [n_parts] switch of a part; NULL: parts are links */
	uint32_t (*end)[2];    /* [n_parts] switches at a link; NULL: parts are switches */
	uint8_t *alone;	       /* [n_parts] bad alone */
	_Atomic uint64_t *bad; /* bits of pairs */
};

static inline uint64_t pair_bit(const struct parted_net *g, uint32_t a, uint32_t b)
{
	uint64_t i = MIN(a, b), j = MAX(a, b);

	return i * (2 * (uint64_t)g->n_parts - i - 1) / 2 + (j - i - 1);
}

static inline void pair_mark(_Atomic uint64_t *bits, uint64_t at)
{
	atomic_fetch_or_explicit(&bits[at / 64], 1ull << at % 64, memory_order_relaxed);
}

static inline bool pair_is(const _Atomic uint64_t *bits, uint64_t at)
{
	return atomic_load_explicit(&bits[at / 64], memory_order_relaxed) >> at % 64 & 1;
}

/* Is an arc usable from a switch when parts a and b (NO_ID: none) are down? */
static inline bool arc_up(const struct parted_net *g, const struct net_arc *c, uint32_t a, uint32_t b)
{
	uint32_t part = g->switches ? g->part_of[c->to] : c->edge;

	return part != a && part != b;
}

static inline bool net_down(const struct parted_net *g, uint32_t sw, uint32_t a, uint32_t b)
{
	return g->switches && (g->part_of[sw] == a || g->part_of[sw] == b);
}

/* The same by legal ways. */
struct legal;
/* NULL and *e: the directions do not come from ranks and GUIDs, cancelled, or no memory. */
struct legal *legal_new(void *arena, struct parted_net *g, struct err *e);
int parted_legal(struct legal *l, uint64_t *reranked, struct progress *p, struct err *e);
/* Has a switch with hosts a way to another such switch when nothing has failed? */
bool legal_meets(const struct legal *l, uint32_t sw);
/* Finds two switches with hosts that the failure of a and b (NO_ID: none) separates.  Returns false when
 * there are none. */
bool legal_witness(struct legal *l, uint32_t a, uint32_t b, uint32_t sw[2]);

#endif
