/* The flows that share a link: flows of a pattern that leave by one port, alone and in groups. */
#ifndef IBSCOPE_FLOWS_H
#define IBSCOPE_FLOWS_H

#include "core/analysis/traffic/gpus.h"
#include "core/analysis/traffic/loads.h"
#include "core/base/progress.h"
#include "core/routing/routing.h"

/* Sorted by source, then by LID; for a list pattern in the list's order. */
struct flow_list {
	struct flow *flow; /* [n] */
	size_t n, cap;
	uint64_t pairs; /* sum of the weights; equals the count of loads_new() on the port */
};

/*
 * Lists the flows that leave by a port of a switch, or by a host's own.  Returns NULL and *e when cancelled
 * or out of memory.  Cost: destinations that leave by the port * switches; for a list: its flows * links of a
 * path.
 */
struct flow_list *flows_over(const struct routing *r, const struct pattern *pattern, uint32_t port,
			     struct progress *p, struct err *e);
void flow_list_free(struct flow_list *l); /* NULL is fine */

enum flow_by {
	FLOWS_BY_SWITCHES,    /* source switch and destination switch */
	FLOWS_BY_SOURCE,      /* source switch */
	FLOWS_BY_DESTINATION, /* destination switch */
	FLOWS_BY_HOST,	      /* source host: its endport */
	FLOWS_BY_SCOPE,	      /* is the source in the scope, is the destination? */
	FLOWS_BY_PAIR,	      /* source and destination: endports */
	FLOWS_BYS,
};

/* "switches", "source", "destination", "host", "scope", "pair" */
extern const char *const flow_by_word[FLOWS_BYS];

struct flow_group {
	uint32_t from, to; /* depending on FLOWS_BY_; for a scope 1 = inside, 0 = outside; NO_ID: not grouped
			      by it */
	uint64_t pairs;
	size_t first; /* a flow of it */
};

/*
 * Makes the *n groups, most pairs first, then by name; the caller frees them. scope: hosts of the scope, for
 * FLOWS_BY_SCOPE (NULL: all are in it).
 */
struct flow_group *flow_groups(const struct flow_list *l, const struct routing *r, enum flow_by by,
			       const struct host_set *scope, size_t *n);

/* The name of a group's from or to: a switch, a host, "the scope", "others"; "" for NO_ID. */
const char *flow_end_label(const struct fabric *f, enum flow_by by, uint32_t end, char *buf, size_t size);

/* Several jobs at once, each with traffic among its own GPUs: links x jobs, and what other jobs put on a
 * job's links. */

/* Links are those between switches, counted in one direction. */
struct job_sum {
	uint64_t flows, routes; /* flows and routes that it makes; that arrive */
	uint32_t links;		/* links that carry them */
	uint32_t shared;	/* of these: links with routes of another job */
	uint32_t max;		/* most of its own routes on one link */
	uint32_t strangers;	/* most routes of others on one of its links */
	uint32_t both;		/* most routes of all jobs on one of its links */
	uint32_t port;		/* the first link with that; NO_ID: it uses none */
};

/* What a job puts on a link. */
struct job_load {
	uint32_t port, job, routes;
};

struct job_loads {
	uint32_t n_jobs;
	struct job_sum *sum;   /* [n_jobs] */
	struct job_load *load; /* [n] by port id, then job */
	size_t n, cap;
	struct job_link {
		size_t first;	 /* load[first .. + jobs) */
		uint32_t jobs;	 /* that use it */
		uint64_t routes; /* of all */
	} * link;		 /* [n_links] by port id */
	uint32_t n_links;
};

/* NULL and *e: cancelled, or a job has too many flows. */
struct job_loads *job_loads_new(const struct routing *r, struct gpus *const *job, uint32_t n_jobs,
				enum gpu_pattern kind, struct progress *p, struct err *e);

/*
 * The way back.  Tables lead to destinations, so the path from B to A comes from other entries than the path
 * from A to B, and may take other cables.
 */

#define RETURNS_MOST                                                                                      \
	4000000 /* most pairs examined; in larger fabrics only hosts at equal distances in the list begin \
		   them */

struct returns {
	uint64_t pairs; /* of hosts that count, each once, by their first LIDs, with a path both ways */
	uint64_t other; /* of these: pairs whose way back takes another cable */
};

/* Does the path from endport b to a take the same cables as the path from a to b?  Returns -1 when one of
 * them does not arrive. */
int return_same(const struct routing *r, uint32_t a, unsigned lid_a, uint32_t b, unsigned lid_b);
/* The caller frees it with free(); NULL when cancelled. */
struct returns *returns_count(const struct routing *r, struct progress *p);

#endif
