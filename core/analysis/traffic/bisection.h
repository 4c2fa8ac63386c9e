/*
 * Effective bisection bandwidth (T. Hoefler, T. Schneider, A. Lumsdaine, "Multistage switches are not
 * crossbars", Cluster 2008, and their simulator ORCS): the mean share of its link that a host gets when
 * random pairs of hosts talk.
 *
 * One sample: the hosts are shuffled and paired, (0, 1), (2, 3), ...; with an odd number the last one is
 * idle.  The first of each pair sends to the second, with `both` also the second to the first.  Congestion of
 * a channel (a port between two switches) = flows over it; the share of a flow is 1 / the largest congestion
 * on its way, 1 where it crosses no channel, 0 without a way.  The value of a sample is the mean share. Rates
 * of links are not weighed.
 *
 * The traffic of GPUs (gpus.h) can replace the pairs.  Its hosts have a random order in each sample, as a
 * scheduler may give them to a job.  All flows of a ring or of the trees run at once; of alltoall one step
 * runs, with a random number of places.
 */
#ifndef IBSCOPE_BISECTION_H
#define IBSCOPE_BISECTION_H

#include "core/analysis/traffic/gpus.h"
#include "core/analysis/traffic/loads.h"
#include "core/base/progress.h"
#include "core/routing/routing.h"

#define EBB_LEAST 30	     /* the fewest samples drawn; */
#define EBB_MOST 1000	     /* at most, */
#define EBB_HALF_WIDTH 0.005 /* further ones until the half width is this small */

struct ebb {
	double value;	   /* mean over the samples, 0 .. 1; 0 with fewer than two hosts */
	double half_width; /* of its 95 % confidence interval: 1.96 s / sqrt(samples) */
	uint32_t samples;  /* 0 with fewer than two hosts */
	uint32_t hosts;	   /* that count, are up and have a LID */
};

struct ebb_request {
	const struct gpus *gpus; /* NULL: pairs of host ports */
	int pattern; /* enum gpu_pattern; -1: their hosts are paired, and send by each rail that both have */
	uint64_t seed;
	bool both; /* each flow also back */
};

/* 0; -1 and *e when cancelled, or without memory.  Cost: samples * flows * links of a path. */
int ebb_estimate(const struct routing *r, const struct ebb_request *rq, struct progress *p, struct ebb *out,
		 struct err *e);

/*
 * The value of one sample: host[0] sends to host[1], host[2] to host[3], ...; these are endports.  The data
 * that all samples need is made once; arena_free() frees it.
 */
struct ebb_sampler;
struct ebb_sampler *ebb_sampler_new(const struct routing *r, uint32_t most_flows);
double ebb_sample(struct ebb_sampler *s, const uint32_t *host, uint32_t n, bool both);

/* Frequencies of numbers: routes on links, lengths of paths; for pane `plot` and `export svg FILE plot`. */

/* Numbers from `low` to `high`, both included, and their frequency. */
struct bucket {
	uint64_t low, high, count;
	uint32_t first; /* one of them; for loads the first port with the highest load; for lengths the
			   source, an endport; NO_ID: none */
	uint16_t lid;	/* for lengths: the destination of the path */
};

struct buckets {
	uint32_t n;
	uint64_t step;	     /* numbers in a bucket */
	uint64_t all;	     /* sum of the counts */
	double mean;	     /* of the numbers; 0 without any */
	uint64_t none;	     /* for lengths: pairs without a path; not in a bucket */
	uint32_t none_first; /* an example: its source, or NO_ID, and its LID */
	uint16_t none_lid;
	struct bucket at[]; /* [n] ascending, without holes */
};

#define BUCKETS_MOST 24 /* of loads */

/* Counts live ports between switches by the routes that leave by them, from 0 up to `most` or to the highest
 * load. */
struct buckets *load_buckets(const struct routing *r, const struct loads *l, uint32_t most);

/*
 * Counts pairs (source host, LID of another host) by the links of their paths (those of both hosts included),
 * from the shortest on.  The pairs are those of struct figures.  Cost: LIDs of hosts times switches.  NULL
 * when cancelled.
 */
struct buckets *hop_buckets(const struct routing *r, struct progress *p);

void buckets_free(struct buckets *b); /* NULL is fine */

#endif
