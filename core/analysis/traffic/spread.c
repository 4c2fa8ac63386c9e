#include "core/analysis/traffic/spread.h"

#include <stdlib.h>
#include <string.h>

#include "core/routing/distances.h"
#include "core/routing/paths.h"
#include "core/base/memory.h"

struct spread_flood {
	const struct topo *t;
	const uint32_t *hosts;
	double *share;	 /* [n_ports] */
	double *flow;	 /* [n_switches] towards the target */
	uint16_t *hops;	 /* [n_switches] to the target */
	uint32_t *order; /* [n_switches] nearest first */
	uint32_t *start; /* [n_switches + 2], scratch */
};

/* The next switch by a port, if the port has least hops, or NO_ID. */
static uint32_t next_nearer(const struct spread_flood *w, uint32_t s, unsigned port)
{
	uint32_t d = w->t->peer_switch[switch_port_id(w->t->fabric, s, port)];

	return d != NO_ID && w->hops[d] + 1 == w->hops[s] ? d : NO_ID;
}

/* Passes the flow at a switch on, in equal parts. */
static void spread_pass_on(struct spread_flood *w, uint32_t s)
{
	const struct fabric *f = w->t->fabric;
	unsigned n = 0;

	for (unsigned p = 1; p <= f->switch_nports[s]; p++)
		n += next_nearer(w, s, p) != NO_ID;
	for (unsigned p = 1; p <= f->switch_nports[s]; p++) {
		uint32_t d = next_nearer(w, s, p);

		if (d == NO_ID)
			continue;
		w->share[switch_port_id(f, s, p)] += w->flow[s] / n;
		w->flow[d] += w->flow[s] / n;
	}
}

/* Adds the flows from all hosts to the hosts on one switch. */
static void spread_flood_to(struct spread_flood *w, uint32_t target)
{
	uint32_t n = w->t->fabric->n_switches, reached;

	switch_distances(w->t, target, w->hops);
	reached = hops_order(w->hops, n, w->order, w->start);
	for (uint32_t s = 0; s < n; s++)
		w->flow[s] = (double)w->hosts[s] * w->hosts[target];
	for (uint32_t i = reached; i > 1; i--)
		if (w->flow[w->order[i - 1]] > 0)
			spread_pass_on(w, w->order[i - 1]);
}

double *even_shares(const struct topo *t, const uint32_t *hosts, struct progress *p)
{
	uint32_t n = t->fabric->n_switches;
	struct spread_flood w = {
		.t = t,
		.hosts = hosts,
		.share = NEW_ARRAY(t->fabric->n_ports, double),
		.flow = NEW_ARRAY(n, double),
		.hops = NEW_ARRAY(n, uint16_t),
		.order = NEW_ARRAY(n, uint32_t),
		.start = NEW_ARRAY(n + 2, uint32_t),
	};
	bool done = true;

	progress_start(p, "even shares", n);
	for (uint32_t s = 0; s < n && (done = progress_step(p, s)); s++)
		if (hosts[s] && switch_up(t, s))
			spread_flood_to(&w, s);
	free(w.flow);
	free(w.hops);
	free(w.order);
	free(w.start);
	if (done)
		return w.share;
	free(w.share);
	return NULL;
}
