/*
 * Traffic patterns: pairs of senders and receivers.  Both ends of every flow are hosts that count
 * (routing.h), are up and have a LID.  So a scope limits both ends.
 */
#ifndef IBSCOPE_PATTERN_H
#define IBSCOPE_PATTERN_H

#include "core/analysis/traffic/shift.h"
#include "core/base/err.h"
#include "core/routing/routing.h"

struct flow {
	uint32_t src, dst; /* endports */
	uint32_t weight;   /* flows that it stands for, from 1 */
	uint16_t lid;	   /* of dst */
};

enum pattern_kind {
	PATTERN_ALL,  /* every host to the base LID of every other: no list */
	PATTERN_LIDS, /* every host to all LIDs of every other: no list */
	PATTERN_LIST,
};

struct pattern {
	enum pattern_kind kind;
	struct flow *flow; /* [n] of a list, in the order that the pattern is made in */
	size_t n, cap;
	uint64_t left_out; /* flows left out: an end does not count, is down or has no LID */
};

extern const struct pattern pattern_all, pattern_lids;

/* Hosts that can be ends, by ascending base LID; *n of them; the caller frees them. */
uint32_t *pattern_hosts(const struct routing *r, uint32_t *n);
bool pattern_is_host(const struct routing *r, uint32_t endport);

/* The functions below make a list of a zeroed pattern; pattern_free() frees it. */

/* Each place of an order (shift.h) sends to the place k further on. */
void pattern_shift(const struct routing *r, const struct shift_order *o, unsigned long k, struct pattern *p);
/* A random half and the other half send to each other, one to one.  Of an odd number one host rests. */
void pattern_bisection(const struct routing *r, uint64_t seed, struct pattern *p);
/*
 * A random permutation without fixed points, each equally likely: each host sends once and receives once.  It
 * is drawn by shuffling until no host is in its place (2.7 shuffles in the mean).  A single host sends
 * nothing.
 */
void pattern_random(const struct routing *r, uint64_t seed, struct pattern *p);
/* Every host sends to each of the targets, which are hosts' endports. */
void pattern_to(const struct routing *r, const uint32_t *target, uint32_t n, struct pattern *p);
/* One more flow.  A flow is left out when an end is no possible end, or when a host would send to itself. */
void pattern_add(const struct routing *r, uint32_t src, uint32_t dst, uint32_t weight, struct pattern *p);

void pattern_free(struct pattern *p);

/* The order of hosts, shuffled in place (Fisher-Yates). */
void shuffle(uint32_t *a, uint32_t n, uint64_t *seed);

#endif
