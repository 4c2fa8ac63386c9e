/* Groups of ports for adaptive routing, and the load that each port then carries. */
#include <stdlib.h>
#include <string.h>

#include "core/routing/distances.h"
#include "core/analysis/traffic/pattern.h"
#include "core/analysis/traffic/spread.h"
#include "core/base/memory.h"
#include "core/routing/paths.h"

/* --- groups --------------------------------------------------------------------------------------- */

struct grouping {
	const struct routing *r;
	const struct topo *t;
	const struct fabric *f;
	enum spread_mode mode;
	struct adaptive *a;
	uint16_t *hops;	      /* [n_switches] to the target */
	struct port_set *set; /* [n_switches] of least hops to the target */
};

/* The engine's number of links from a switch to the target by one of its ports (0: the least). */
static unsigned hops_by(const struct grouping *g, uint32_t s, uint32_t target, unsigned port)
{
	uint32_t next;

	if (g->r->ops->hops)
		return g->r->ops->hops(g->r, s, target, port);
	if (!port)
		return g->hops[s];
	next = g->t->peer_switch[switch_port_id(g->f, s, port)];
	return next == NO_ID || g->hops[next] == NO_HOPS ? NO_HOPS : g->hops[next] + 1u;
}

static void find_least(struct grouping *g, uint32_t target)
{
	if (!g->r->ops->hops)
		switch_distances(g->t, target, g->hops);
	for (uint32_t s = 0; s < g->f->n_switches; s++) {
		unsigned least = s == target || !switch_up(g->t, s) ? NO_PATH : hops_by(g, s, target, 0);

		g->set[s] = (struct port_set){{0}};
		for (unsigned p = 1; least < NO_PATH && p <= g->f->switch_nports[s]; p++)
			if (g->t->peer_switch[switch_port_id(g->f, s, p)] != NO_ID &&
			    hops_by(g, s, target, p) == least)
				port_set_add(&g->set[s], p);
	}
}

/* All ports that lead to the same neighbour as this port. */
static struct port_set same_neighbour(const struct grouping *g, uint32_t s, unsigned port)
{
	uint32_t next = g->t->peer_switch[switch_port_id(g->f, s, port)];
	struct port_set set = {{0}};

	for (unsigned p = 1; p <= g->f->switch_nports[s]; p++)
		if (g->t->peer_switch[switch_port_id(g->f, s, p)] == next)
			port_set_add(&set, p);
	return set;
}

/* The switch's group with these ports, made if there is none. Mostly it is the last one. */
static unsigned group_with(struct adaptive_switch *s, const struct port_set *set)
{
	unsigned n;

	for (uint32_t i = s->n_groups; i-- > 0;)
		if (!memcmp(&s->group[i].ports, set, sizeof(*set)))
			return i;
	n = adaptive_group_index(s, s->n_groups);
	s->group[n].ports = *set;
	return n;
}

static void add_lid(struct grouping *g, uint32_t target, unsigned lid)
{
	for (uint32_t s = 0; s < g->f->n_switches; s++) {
		unsigned port = routing_port(g->r, s, lid);
		struct port_set set;

		if (s == target || !port || port > g->f->switch_nports[s] ||
		    g->t->peer_switch[switch_port_id(g->f, s, port)] == NO_ID)
			continue;
		set = g->mode == SPREAD_TREE ? g->set[s] : same_neighbour(g, s, port);
		if (port_set_has(&set, port))
			adaptive_set(&g->a->sw[s], lid, group_with(&g->a->sw[s], &set));
	}
}

/* Endports of hosts, whether they count or not, by switch. */
static int by_target(const void *x, const void *y, void *ctx)
{
	const uint32_t *sw = ctx;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	return sw[a] != sw[b] ? (sw[a] < sw[b] ? -1 : 1) : a < b ? -1 : a > b;
}

static bool make_groups(struct grouping *g, struct progress *p)
{
	const uint32_t *sw = g->t->endport_switch;
	uint32_t *ep = NEW_ARRAY(g->f->n_endports + 1, uint32_t), n = 0, target = NO_ID;
	bool go_on = true;

	for (uint32_t i = 0; i < g->f->n_endports; i++)
		if (!endport_is_switch(g->f, i) && g->t->endport_up[i] && sw[i] != NO_ID &&
		    g->r->lids->base[i])
			ep[n++] = i;
	qsort_r(ep, n, sizeof(*ep), by_target, (void *)sw);
	progress_start(p, "groups of ports", n);
	for (uint32_t i = 0; i < n && go_on; i++) {
		if (sw[ep[i]] != target && g->mode == SPREAD_TREE)
			find_least(g, sw[ep[i]]);
		target = sw[ep[i]];
		for (unsigned k = 0; k < g->r->lids->count[ep[i]]; k++)
			add_lid(g, target, g->r->lids->base[ep[i]] + k);
		go_on = progress_step(p, i);
	}
	free(ep);
	return go_on;
}

const struct routing *spread_routing(const struct routing *r, enum spread_mode mode, struct progress *p,
				     struct err *e)
{
	const struct fabric *f = r->topo->fabric;
	struct grouping g = {.r = r, .t = r->topo, .f = f, .mode = mode};
	struct routing *made = NULL;

	if (r->adaptive)
		return routing_ref(r);
	/* twice, since lists double as they grow */
	if (mem_room(e, 2 * sizeof(uint16_t) * (size_t)f->n_switches * (r->lids->max_lid + 1u),
		     "groups of ports of %u switches", f->n_switches))
		return NULL;
	g.a = adaptive_new(f->n_switches);
	g.hops = NEW_ARRAY(f->n_switches + 1, uint16_t);
	g.set = NEW_ARRAY(f->n_switches + 1, struct port_set);
	if (make_groups(&g, p)) {
		made = routing_with_hosts(r, r->hosts);
		made->adaptive = g.a;
	} else {
		counted_unref(&g.a->counted);
		err_set(e, CANCELLED);
	}
	free(g.hops);
	free(g.set);
	return made;
}

/* --- what each port carries ------------------------------------------------------------------------ */

struct flood {
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

	return hops[a] != hops[b] ? (hops[a] > hops[b] ? -1 : 1) : a < b ? -1 : a > b;
}

static void pass_on(struct flood *w, uint32_t s)
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

static void leave_out(struct spread_left *l, uint32_t s, uint32_t dst, uint32_t pairs, bool loops)
{
	l->left += pairs;
	l->looping += loops ? pairs : 0;
	if (l->n == l->limit)
		return;
	GROW(l->missed, l->n, l->cap);
	l->missed[l->n++] = (struct spread_missed){s, dst, pairs, loops};
}

static void flood_to(struct flood *w, uint32_t dst)
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
			leave_out(w->left, s, dst, pairs, hops[s] == HOPS_LOOP);
	}
	qsort_r(w->order, n, sizeof(*w->order), farthest_first, w->ways.worst);
	for (uint32_t i = 0; i < n; i++)
		if (w->flow[w->order[i]] > 0)
			pass_on(w, w->order[i]);
}

double *spread_shares(const struct routing *r, struct spread_left *left, struct progress *p)
{
	uint32_t n_switches = r->topo->fabric->n_switches, n, *host = pattern_hosts(r, &n);
	struct flood w = {
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
		flood_to(&w, host[i]);
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
