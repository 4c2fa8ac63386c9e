/* Shared by the files parted*.c: the switches as a graph, and pairs of parts as bits. */
#ifndef IBSCOPE_SURVEY_PARTED_NET_H
#define IBSCOPE_SURVEY_PARTED_NET_H

#include <stdatomic.h>

#include "core/analysis/survey/parted.h"
#include "core/base/defs.h"

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

/* Fill in alone[] and bad by connectivity.  -1 and *e: cancelled. */
int parted_links(struct parted_net *g, struct progress *p, struct err *e);
int parted_switches(struct parted_net *g, struct progress *p, struct err *e);

/* The same by legal ways. */
struct legal;
/* NULL and *e: the directions do not come from ranks and GUIDs, cancelled, or no memory. */
struct legal *legal_new(struct parted_net *g, struct err *e);
void legal_free(struct legal *l);
int parted_legal(struct legal *l, uint64_t *reranked, struct progress *p, struct err *e);
/* Has a switch with hosts a way to another one, with nothing failed? */
bool legal_meets(const struct legal *l, uint32_t sw);
/* Two switches with hosts that parts a and b (NO_ID: none) part. false: there are none. */
bool legal_witness(struct legal *l, uint32_t a, uint32_t b, uint32_t sw[2]);

#endif
