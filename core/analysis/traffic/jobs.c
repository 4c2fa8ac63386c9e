#include "core/analysis/traffic/jobs.h"

#include <stdlib.h>

#include "core/analysis/traffic/loads.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/order.h"

/* Adds what one job puts on links. */
static int add_job(struct job_loads *j, uint32_t job, const struct routing *r, const struct gpus *g,
		   enum gpu_pattern kind, bool direct, struct progress *p, struct err *e)
{
	struct pattern pt = {0};
	struct job_sum *sum = &j->sum[job];
	struct loads *l = NULL;
	int rc = pattern_gpus(r, g, kind, direct, &pt, p, e);

	if (!rc) {
		l = loads_new(r, &pt, p);
		rc = l ? 0 : err_set(e, CANCELLED);
	}
	for (size_t i = 0; !rc && i < pt.n; i++)
		sum->flows += pt.flow[i].weight;
	for (uint32_t port = 0; !rc && port < r->topo->fabric->n_ports; port++) {
		if (!l->port[port] || r->topo->peer_switch[port] == NO_ID ||
		    !node_is_switch(r->topo->fabric, r->topo->fabric->port_node[port]))
			continue;
		GROW(j->load, j->n, j->cap);
		j->load[j->n++] = (struct job_load){port, job, l->port[port]};
	}
	if (!rc)
		sum->routes = l->routes;
	loads_free(l);
	pattern_free(&pt);
	return rc;
}

COMPARATOR(by_port, struct job_load, UP(port) UP(job))

/* Links from the loads, and what they mean to each job. */
static void jobs_sum_up(struct job_loads *j)
{
	if (j->n)
		qsort(j->load, j->n, sizeof(*j->load), by_port);
	j->link = NEW_ARRAY(j->n + 1, struct job_link);
	for (size_t i = 0, end; i < j->n; i = end) {
		struct job_link *x = &j->link[j->n_links++];

		*x = (struct job_link){.first = i};
		for (end = i; end < j->n && j->load[end].port == j->load[i].port; end++)
			x->routes += j->load[end].routes;
		x->jobs = (uint32_t)(end - i);
		for (size_t k = i; k < end; k++) {
			struct job_sum *s = &j->sum[j->load[k].job];
			uint32_t own = j->load[k].routes, others = (uint32_t)x->routes - own;

			s->links++;
			s->shared += others != 0;
			s->max = MAX(own, s->max);
			s->strangers = MAX(others, s->strangers);
			if (s->port == NO_ID || x->routes > s->both) {
				s->both = (uint32_t)x->routes;
				s->port = j->load[k].port;
			}
		}
	}
}

struct job_loads *job_loads_new(const struct routing *r, struct gpus *const *job, uint32_t n_jobs,
				enum gpu_pattern kind, bool direct, struct progress *p, struct err *e)
{
	struct job_loads *j = NEW(struct job_loads);
	uint64_t all = 0;
	int rc = 0;

	j->n_jobs = n_jobs;
	j->sum = NEW_ARRAY(n_jobs + 1, struct job_sum);
	for (uint32_t i = 0; i < n_jobs && !rc; i++) {
		j->sum[i].port = NO_ID;
		rc = add_job(j, i, r, job[i], kind, direct, p, e);
		all += j->sum[i].flows;
		if (!rc && all > UINT32_MAX)
			rc = err_set(e, "too many flows of all jobs to count");
	}
	if (!rc) {
		jobs_sum_up(j);
		return j;
	}
	job_loads_free(j);
	return NULL;
}

void job_loads_free(struct job_loads *j)
{
	if (!j)
		return;
	free(j->sum);
	free(j->load);
	free(j->link);
	free(j);
}
