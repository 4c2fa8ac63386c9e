#include "core/analysis/traffic/loads.h"
#include "core/base/memory.h"
#include "core/base/progress.h"

#include <stdlib.h>
#include <string.h>

#include "core/analysis/traffic/internal.h"
#include "core/routing/paths.h"

/* One flow, added along its path. way: as shift_way() has it; NULL: the path depends on VLs. */
static void add_flow(struct loads *l, const struct routing *r, const struct flow *w, uint32_t *way)
{
	const struct fabric *f = r->topo->fabric;
	struct path p;

	if (way && w->lid == r->lids->base[w->dst]) {
		uint32_t n = shift_way(r, w->src, w->dst, way);

		l->routes += n ? w->weight : 0;
		for (uint32_t i = 0; i < n; i++)
			l->port[way[i]] += w->weight;
		return;
	}
	path_trace(r, w->src, 0, w->lid, &p);
	if (p.end == PATH_OK) {
		l->routes += w->weight;
		l->port[f->endport_port[w->src]] += w->weight;
		for (unsigned i = 0; i < p.n; i++)
			if (p.hop[i].out)
				l->port[switch_port_id(f, p.hop[i].sw, p.hop[i].out)] += w->weight;
	}
	path_free(&p);
}

struct all_work {
	uint8_t *col;
	uint16_t *hops;
	uint32_t *work, *order, *flow, *hosts;
	uint32_t *reached; /* [n_switches] number of LIDs that the switch can reach */
	uint32_t *own;	   /* [hosts] of these, the host's own */
};

/* Routes from everywhere to one LID of a destination, gathered from the far end inwards. */
static void add_destination(struct loads *l, const struct routing *r, struct all_work *w, uint32_t dst,
			    unsigned lid)
{
	const struct topo *t = r->topo;
	const struct fabric *f = t->fabric;
	uint32_t n = f->n_switches, count[258] = {0};

	for (uint32_t s = 0; s < n; s++)
		w->col[s] = routing_next_port(r, s, lid);
	column_hops(t, w->col, dst, w->hops, w->work);
	for (uint32_t s = 0; s < n; s++)
		count[(w->hops[s] < 256 ? w->hops[s] : 256) + 1]++;
	for (unsigned h = 0; h < 257; h++)
		count[h + 1] += count[h];
	for (uint32_t s = 0; s < n; s++) {
		w->order[count[w->hops[s] < 256 ? w->hops[s] : 256]++] = s;
		w->flow[s] = w->hosts[s] - (t->endport_switch[dst] == s);
	}
	for (uint32_t i = n; i-- > 0;) {
		uint32_t s = w->order[i], q;

		if (w->hops[s] >= 256)
			continue;
		w->reached[s]++;
		if (!w->flow[s])
			continue;
		l->port[switch_port_id(f, s, w->col[s])] += w->flow[s];
		q = t->peer_switch[switch_port_id(f, s, w->col[s])];
		if (q != NO_ID)
			w->flow[q] += w->flow[s];
		else
			l->routes += w->flow[s];
	}
}

/* Loads of the hosts' own ports: routes that have a way. */
static void load_hosts(struct loads *l, const struct routing *r, const struct all_work *w,
		       const uint32_t *host, uint32_t n)
{
	const struct topo *t = r->topo;

	for (uint32_t i = 0; i < n; i++)
		l->port[t->fabric->endport_port[host[i]]] =
			w->reached[t->endport_switch[host[i]]] - w->own[i];
}

/* From every host to the base LID of every other, or to all its LIDs. */
static int load_all(struct loads *l, const struct routing *r, bool lids, struct progress *p)
{
	const struct topo *t = r->topo;
	uint32_t n = t->fabric->n_switches, n_hosts, *host = pattern_hosts(r, &n_hosts);
	struct all_work w = {
		.col = NEW_ARRAY(n, uint8_t),
		.hops = NEW_ARRAY(n, uint16_t),
		.work = NEW_ARRAY(n, uint32_t),
		.order = NEW_ARRAY(n, uint32_t),
		.flow = NEW_ARRAY(n, uint32_t),
		.hosts = NEW_ARRAY(n, uint32_t),
		.reached = NEW_ARRAY(n, uint32_t),
		.own = NEW_ARRAY(n_hosts + 1, uint32_t),
	};
	int rc = 0;

	progress_start(p, "adding up routes", n_hosts);
	for (uint32_t i = 0; i < n_hosts; i++)
		w.hosts[t->endport_switch[host[i]]]++;
	for (uint32_t i = 0; !rc && i < n_hosts; i++) {
		unsigned base = r->lids->base[host[i]], n_lids = lids ? r->lids->count[host[i]] : 1;

		for (unsigned k = 0; k < n_lids; k++) {
			add_destination(l, r, &w, host[i], base + k);
			w.own[i] += w.hops[t->endport_switch[host[i]]] < 256;
		}
		if (!progress_step(p, i))
			rc = -1;
	}
	load_hosts(l, r, &w, host, n_hosts);
	free(w.col);
	free(w.hops);
	free(w.work);
	free(w.order);
	free(w.flow);
	free(w.hosts);
	free(w.reached);
	free(w.own);
	free(host);
	return rc;
}

static int load_list(struct loads *l, const struct routing *r, const struct pattern *pt, struct progress *p)
{
	uint32_t *way = routing_has_maps(r) ? NULL : NEW_ARRAY(r->topo->fabric->n_switches + 2, uint32_t);
	bool go_on = true;

	progress_start(p, "adding up routes", (unsigned)pt->n);
	for (size_t i = 0; go_on && i < pt->n; i++) {
		go_on = i % 256 || progress_step(p, (unsigned)i);
		if (go_on)
			add_flow(l, r, &pt->flow[i], way);
	}
	free(way);
	return go_on ? 0 : -1;
}

static void sum_up(struct loads *l, const struct topo *t)
{
	const struct fabric *f = t->fabric;
	uint64_t sum = 0;
	uint32_t used = 0;

	l->max_port = NO_ID;
	l->min = UINT32_MAX;
	for (uint32_t s = 0; s < f->n_switches; s++)
		FOR_PORTS(f, s, id) {
			uint32_t v = l->port[id];

			if (t->peer_switch[id] == NO_ID)
				continue;
			l->n_links++;
			sum += v;
			used += v != 0;
			l->min = v < l->min ? v : l->min;
			if (l->max_port == NO_ID || v > l->max) {
				l->max = v;
				l->max_port = id;
			}
		}
	l->mean = l->n_links ? (double)sum / l->n_links : 0;
	l->mean_used = used ? (double)sum / used : 0;
	if (!l->n_links)
		l->min = 0;
}

struct loads *loads_new(const struct routing *r, const struct pattern *pattern, struct progress *p)
{
	struct loads *l = NEW(struct loads);
	int rc;

	l->port = NEW_ARRAY(r->topo->fabric->n_ports, uint32_t);
	rc = pattern->kind == PATTERN_LIST ? load_list(l, r, pattern, p)
					   : load_all(l, r, pattern->kind == PATTERN_LIDS, p);
	if (rc) {
		loads_free(l);
		return NULL;
	}
	sum_up(l, r->topo);
	return l;
}

void loads_free(struct loads *l)
{
	if (l)
		free(l->port);
	free(l);
}

uint32_t *loads_busiest(const struct loads *l, const struct fabric *f)
{
	uint32_t *most = NEW_ARRAY(f->n_switches + 1, uint32_t);

	for (uint32_t p = 0; p < f->n_ports; p++) {
		uint32_t a = f->node_switch[f->port_node[p]], q = f->port_peer[p],
			 b = q == NO_ID ? NO_ID : f->node_switch[f->port_node[q]];

		if (a == NO_ID || b == NO_ID || a == b)
			continue;
		if (l->port[p] > most[a])
			most[a] = l->port[p];
		if (l->port[p] > most[b])
			most[b] = l->port[p];
	}
	return most;
}
