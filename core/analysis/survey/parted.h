/*
 * All double failures of links or of switches: after which of them are hosts parted?  Every pair is decided,
 * none is sampled.
 *
 * Parted: two hosts that count, on switches that stay, with a way before and none after.  A way is a chain of
 * cables.  Under a routing of Up/Down's kind (it tells directions, and a level step frees the packet) it is a
 * legal one: up, then down.  Ranks are then computed anew after the failures, from the roots that are left,
 * or from the switches with hosts.
 */
#ifndef IBSCOPE_SURVEY_PARTED_H
#define IBSCOPE_SURVEY_PARTED_H

#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/fabric/chassis.h"
#include "core/sm/sweep.h"

#define PARTED_MOST_ROWS 10000

/* A bad pair that neither part alone makes bad; part[1] NO_ID: a part that is bad alone. */
struct parted_row {
	uint32_t part[2];
	uint32_t host[2]; /* endports that are parted: the witness */
};

struct parted {
	const struct parts *parts; /* owned: what fails; of links those between switches */
	bool legal;		   /* by legal ways, not by all cables */
	uint64_t pairs, bad;	   /* of parts and cables of hosts: all; those that part hosts */
	uint32_t host_left_out;	   /* cables of hosts that are not among the links: they may change ranks */
	uint32_t host_links;	   /* cables of hosts, which fail too where links do */
	uint32_t host_alone;	   /* of these: their host counts and has a way to another, so each cuts it */
	uint64_t reranked;	   /* of pairs: some rank changes, so they were computed from nothing */
	uint32_t alone;		   /* parts that part hosts alone */
	uint64_t together;	   /* of bad: neither part does it alone */
	struct parted_row *row;	   /* [n] alone, then together, by part; PARTED_MOST_ROWS at most */
	size_t n;
};

/*
 * kind: PART_LINK or PART_SWITCH. w: has tables.  NULL and *e: cancelled, no memory, nothing of that kind,
 * or directions that do not come from ranks and GUIDs.
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
/* What was proved, in two or three sentences, with `end` behind each. */
void parted_tell(const struct parted *r, const struct sweep *w, char end, struct text *t);
void parted_free(struct parted *r);

#endif
