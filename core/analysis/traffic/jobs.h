/* Several jobs at once, each with traffic among its own GPUs: links x jobs, and what strangers put on a job's
 * links. */
#ifndef IBSCOPE_JOBS_H
#define IBSCOPE_JOBS_H

#include "core/analysis/traffic/gpus.h"

/* Links are those between switches, in one direction. */
struct job_sum {
	uint64_t flows, routes; /* that it makes; that arrive */
	uint32_t links;		/* that carry them */
	uint32_t shared;	/* of these: with routes of another job */
	uint32_t max;		/* most of its own on one */
	uint32_t strangers;	/* most that others put on one of its links */
	uint32_t both;		/* most of all together on one of its links */
	uint32_t port;		/* that one, the first of such; NO_ID: it uses none */
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
				enum gpu_pattern kind, bool direct, struct progress *p, struct err *e);
void job_loads_free(struct job_loads *j); /* NULL is fine */

#endif
