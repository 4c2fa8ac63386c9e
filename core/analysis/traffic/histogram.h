/* Frequencies of numbers: routes on links, lengths of paths; for pane `plot` and `export svg FILE plot`. */
#ifndef IBSCOPE_BUCKETS_H
#define IBSCOPE_BUCKETS_H

#include "core/analysis/traffic/loads.h"
#include "core/base/progress.h"
#include "core/routing/routing.h"

/* Numbers from `low` to `high`, both included, and their frequency. */
struct bucket {
	uint64_t low, high, count;
	uint32_t first; /* one of them; loads: the first port with the highest load; lengths: the source, an
			   endport; NO_ID: none */
	uint16_t lid;	/* of lengths: where the path leads */
};

struct buckets {
	uint32_t n;
	uint64_t step;	     /* numbers in a bucket */
	uint64_t all;	     /* sum of the counts */
	double mean;	     /* of the numbers; 0 without any */
	uint64_t none;	     /* of lengths: pairs without a path; not in a bucket */
	uint32_t none_first; /* the source of one, NO_ID; and its LID */
	uint16_t none_lid;
	struct bucket at[]; /* [n] ascending, without holes */
};

#define BUCKETS_MOST 24 /* of loads */

/* Live ports between switches, counted by the routes that leave by them, from 0 up to `most` or what they
 * have. */
struct buckets *load_buckets(const struct routing *r, const struct loads *l, uint32_t most);

/*
 * Pairs (source host, LID of another host), counted by the links of their paths (those of both hosts
 * included), from the shortest on.  The pairs are those of struct figures.  Cost: LIDs of hosts times
 * switches.  NULL when cancelled.
 */
struct buckets *hop_buckets(const struct routing *r, struct progress *p);

void buckets_free(struct buckets *b); /* NULL is fine */

#endif
