/* The load that each port carries where groups of adaptive routing choose it. */
#include <stdlib.h>
#include <string.h>

#include "core/analysis/traffic/pattern.h"
#include "core/analysis/traffic/spread.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/routing/paths.h"

struct spread_groups_flood {
	const struct routing *r;
	const struct topo *t;
	const struct fabric *f;
	uint32_t *hosts; /* [n_switches] */
	double *flow;	 /* [n_switches] on its way to the destination */
	double *share;	 /* [n_ports] */
	uint32_t *order; /* [n_switches] */
	struct dest_ways ways;
	struct spread_left *left;
};

static int farthest_first(const void *x, const void *y, void *ctx)
{
	const uint16_t *hops = ctx;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	return hops[a] != hops[b] ? (hops[a] > hops[b] ? -1 : 1) : COMPARED(a, b);
}

static void spread_groups_pass_on(struct spread_groups_flood *w, uint32_t s)
{
	const struct port_set *set = &w->ways.set[s];
	unsigned n = 0;

	for (unsigned p = port_set_next(set, 0); p < 256; p = port_set_next(set, p + 1))
		n++;
	for (unsigned p = port_set_next(set, 0); p < 256; p = port_set_next(set, p + 1)) {
		uint32_t id = switch_port_id(w->f, s, p);

		w->share[id] += w->flow[s] / n;
		if (w->t->peer_switch[id] != NO_ID)
			w->flow[w->t->peer_switch[id]] += w->flow[s] / n;
	}
}

static void spread_groups_leave_out(struct spread_left *l, uint32_t s, uint32_t dst, uint32_t pairs,
				    bool loops)
{
	l->left += pairs;
	l->looping += loops ? pairs : 0;
	if (l->n == l->limit)
		return;
	GROW(l->missed, l->n, l->cap);
	l->missed[l->n++] = (struct spread_missed){s, dst, pairs, loops};
}

static void spread_groups_flood_to(struct spread_groups_flood *w, uint32_t dst)
{
	const uint16_t *hops = w->ways.worst;
	uint32_t n = 0;

	dest_ways(w->r, w->r->lids->base[dst], &w->ways);
	for (uint32_t s = 0; s < w->f->n_switches; s++) {
		uint32_t pairs = w->hosts[s] - (w->t->endport_switch[dst] == s);

		w->left->pairs += pairs;
		w->flow[s] = hops[s] < HOPS_LOOP ? pairs : 0;
		if (hops[s] < HOPS_LOOP)
			w->order[n++] = s;
		else if (pairs)
			spread_groups_leave_out(w->left, s, dst, pairs, hops[s] == HOPS_LOOP);
	}
	qsort_r(w->order, n, sizeof(*w->order), farthest_first, w->ways.worst);
	for (uint32_t i = 0; i < n; i++)
		if (w->flow[w->order[i]] > 0)
			spread_groups_pass_on(w, w->order[i]);
}

double *spread_shares(const struct routing *r, struct spread_left *left, struct progress *p)
{
	uint32_t n_switches = r->topo->fabric->n_switches, n, *host = pattern_hosts(r, &n);
	struct spread_groups_flood w = {
		.r = r,
		.t = r->topo,
		.f = r->topo->fabric,
		.hosts = NEW_ARRAY(n_switches + 1, uint32_t),
		.flow = NEW_ARRAY(n_switches + 1, double),
		.share = NEW_ARRAY(r->topo->fabric->n_ports + 1, double),
		.order = NEW_ARRAY(n_switches + 1, uint32_t),
		.left = left,
	};
	bool go_on = true;

	*left = (struct spread_left){.limit = left->limit};

	dest_ways_init(&w.ways, r);
	for (uint32_t i = 0; i < n; i++)
		w.hosts[w.t->endport_switch[host[i]]]++;
	progress_start(p, "shares of ports", n);
	for (uint32_t i = 0; i < n && go_on; i++) {
		spread_groups_flood_to(&w, host[i]);
		go_on = progress_step(p, i);
	}
	dest_ways_free(&w.ways);
	free(w.hosts);
	free(w.flow);
	free(w.order);
	free(host);
	if (go_on)
		return w.share;
	free(w.share);
	return NULL;
}
