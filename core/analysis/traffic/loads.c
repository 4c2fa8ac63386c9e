#include "core/analysis/traffic/loads.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/base/release.h"

#include <stdlib.h>
#include <string.h>

#include "core/analysis/traffic/internal.h"
#include "core/routing/alike.h"
#include "core/routing/paths.h"

/* One flow, added along its path. way: as shift_way() has it; NULL: the path depends on VLs. */
static void loads_add_flow(struct loads *l, const struct routing *r, const struct flow *w, uint32_t *way)
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

/* Adding up the routes of one routing from all hosts to all. */
struct all_work {
	const struct routing *r;
	uint32_t *host, n_hosts; /* by LID */
	uint8_t *block;		 /* [COLUMN_BLOCK][n_switches] columns of LIDs from lid0, 0 = none yet */
	unsigned lid0, columns;	 /* columns of a block: few LIDs are better fetched one by one */
	uint16_t *hops;
	uint32_t *work, *flow;
	uint32_t *order, n; /* switches that reach the LID, the nearest first */
	uint32_t to;	    /* with routing.exact: the switch for which that order is */
	uint32_t *hosts;    /* [n_switches] */
	uint32_t *reached;  /* [n_switches] number of LIDs that the switch can reach */
	uint32_t *
		lids; /* [n_switches] LIDs there; with routing.exact they are added to `reached` at the end */
	uint32_t *own; /* [hosts] of these, the host's own */
};

static void all_start(struct all_work *w, const struct routing *r, unsigned columns)
{
	const struct topo *t = r->topo;
	uint32_t n = t->fabric->n_switches;

	*w = (struct all_work){
		.r = r,
		.columns = columns,
		.block = NEW_ARRAY((size_t)n * COLUMN_BLOCK, uint8_t),
		.hops = NEW_ARRAY(n, uint16_t),
		.work = NEW_ARRAY(n, uint32_t),
		.order = NEW_ARRAY(n, uint32_t),
		.flow = NEW_ARRAY(n, uint32_t),
		.hosts = NEW_ARRAY(n, uint32_t),
		.reached = NEW_ARRAY(n, uint32_t),
		.lids = NEW_ARRAY(n, uint32_t),
		.to = NO_ID,
	};
	w->host = pattern_hosts(r, &w->n_hosts);
	w->own = NEW_ARRAY(w->n_hosts + 1, uint32_t);
	for (uint32_t i = 0; i < w->n_hosts; i++)
		w->hosts[t->endport_switch[w->host[i]]]++;
}

static void all_free(struct all_work *w)
{
	FREE_EACH(w->host, w->block, w->hops, w->work, w->order, w->flow, w->hosts, w->reached, w->lids,
		  w->own);
}

static const uint8_t *column(struct all_work *w, unsigned lid)
{
	if (!w->lid0 || lid < w->lid0 || lid >= w->lid0 + w->columns) {
		w->lid0 = lid;
		routing_columns(w->r, lid, w->columns, w->block);
	}
	return w->block + (size_t)(lid - w->lid0) * w->r->topo->fabric->n_switches;
}

/* Puts the switches that reach a LID in order by their hops to it. */
static void order_switches(struct all_work *w, uint32_t dst, const uint8_t *col)
{
	const struct topo *t = w->r->topo;
	uint32_t n = t->fabric->n_switches, to = t->endport_switch[dst], count[258] = {0};

	if (w->r->exact && w->to == to)
		return;
	w->to = to;
	if (!w->r->exact)
		column_hops(t, col, dst, w->hops, w->work);
	for (uint32_t s = 0; w->r->exact && s < n; s++) {
		unsigned hops = w->r->exact[(size_t)s * n + to];

		w->hops[s] = hops == NO_PATH ? 256 : hops;
	}
	for (uint32_t s = 0; s < n; s++)
		count[(MIN(w->hops[s], 256)) + 1]++;
	for (unsigned h = 0; h < 257; h++)
		count[h + 1] += count[h];
	w->n = count[256];
	for (uint32_t s = 0; s < n; s++)
		if (w->hops[s] < 256)
			w->order[count[w->hops[s]]++] = s;
}

/* Routes from everywhere to one LID of a host, gathered from the far end inwards.  sign: 1, or -1 to take
 * them out. */
static void add_destination(struct loads *l, struct all_work *w, uint32_t i, unsigned lid, int sign)
{
	const struct topo *t = w->r->topo;
	const struct fabric *f = t->fabric;
	const uint8_t *col = column(w, lid);
	uint32_t to = t->endport_switch[w->host[i]], *flow = w->flow;

	order_switches(w, w->host[i], col);
	memcpy(flow, w->hosts, f->n_switches * sizeof(*flow));
	flow[to]--;
	w->own[i] += w->hops[to] < 256;
	w->lids[to]++;
	for (uint32_t k = 0; !w->r->exact && k < w->n; k++)
		w->reached[w->order[k]]++;
	for (uint32_t k = w->n; k-- > 0;) {
		uint32_t s = w->order[k], id = f->switch_port[s] + col[s], q;

		if (!flow[s])
			continue;
		l->port[id] += flow[s] * (uint32_t)sign;
		q = t->peer_switch[id];
		if (q != NO_ID)
			flow[q] += flow[s];
		else
			l->routes += (uint64_t)flow[s] * (uint64_t)(int64_t)sign;
	}
}

/* Routes to the LIDs of a group. flow: [n_switches][LIDs of the group] */
static void loads_add_group(struct loads *l, struct all_work *w, const struct alike *a, uint32_t *flow,
			    int sign)
{
	const struct topo *t = w->r->topo;
	unsigned m = a->n;

	memset(flow, 0, (size_t)t->fabric->n_switches * m * sizeof(*flow));
	for (uint32_t j = a->n_order; j-- > 0;) {
		uint32_t s = a->order[j], base = t->fabric->switch_port[s],
			 start = w->hosts[s] - (s == a->sw);
		const uint8_t *port = a->port + (size_t)s * m;

		w->reached[s] += m;
		for (unsigned i = 0; i < m; i++) {
			uint32_t id = base + port[i], all = flow[(size_t)s * m + i] + start,
				 q = t->peer_switch[id];

			l->port[id] += all * (uint32_t)sign;
			if (q != NO_ID)
				flow[(size_t)q * m + i] += all;
			else
				l->routes += (uint64_t)all * (uint64_t)(int64_t)sign;
		}
	}
}

/* LIDs of a switch to which ways are alike are counted together; the others stay in left[]. */
static int add_alike(struct loads *l, struct all_work *w, uint8_t *left, int sign, struct progress *p)
{
	uint32_t n = w->r->topo->fabric->n_switches, *flow = NEW_ARRAY((size_t)n * ALIKE_MOST, uint32_t);
	struct alike a;
	bool go_on = true;

	alike_start(&a, w->r, left);
	a.trust = true;
	progress_start(p, "adding up routes", n);
	for (uint32_t sw = 0; sw < n && (go_on = progress_step(p, sw)); sw++)
		while (alike_next(&a, sw)) {
			alike_order(&a);
			if (a.hops[a.order[a.n_order - 1]] < 256)
				loads_add_group(l, w, &a, flow, sign);
			else
				for (unsigned i = 0; i < a.n; i++)
					left[a.lid[i]] = 1;
		}
	alike_end(&a);
	free(flow);
	return go_on ? 0 : -1;
}

/* Loads of the hosts' own ports: routes that have a way. */
static void load_hosts(struct loads *l, struct all_work *w, int sign)
{
	const struct topo *t = w->r->topo;
	uint32_t n = t->fabric->n_switches;

	for (uint32_t s = 0; w->r->exact && s < n; s++)
		for (uint32_t d = 0; d < n; d++)
			w->reached[s] += w->r->exact[(size_t)s * n + d] == NO_PATH ? 0 : w->lids[d];
	for (uint32_t i = 0; i < w->n_hosts; i++)
		l->port[t->fabric->endport_port[w->host[i]]] +=
			(w->reached[t->endport_switch[w->host[i]]] - w->own[i]) * (uint32_t)sign;
}

/*
 * From every host to the base LID of every other, or to all its LIDs; of these only the marked ones (NULL:
 * all).
 */
static int loads_load_all(struct loads *l, const struct routing *r, bool lids, const uint8_t *marked,
			  int sign, struct progress *p)
{
	uint8_t *wanted = NEW_ARRAY(r->lids->max_lid + 1u, uint8_t), *left;
	struct all_work w;
	int rc;

	all_start(&w, r, marked ? 1 : COLUMN_BLOCK);
	for (uint32_t i = 0; i < w.n_hosts; i++) {
		unsigned base = r->lids->base[w.host[i]], n_lids = lids ? r->lids->count[w.host[i]] : 1;

		for (unsigned lid = base; lid < base + n_lids; lid++)
			wanted[lid] = !marked || marked[lid];
	}
	left = mem_dup(wanted, r->lids->max_lid + 1u);
	rc = add_alike(l, &w, left, sign, p);
	progress_start(p, "adding up routes", w.n_hosts);
	for (uint32_t i = 0; !rc && i < w.n_hosts; i++) {
		unsigned base = r->lids->base[w.host[i]];

		for (unsigned lid = base; lid < base + r->lids->count[w.host[i]]; lid++)
			if (left[lid])
				add_destination(l, &w, i, lid, sign);
			else
				w.own[i] += wanted[lid];
		if (!progress_step(p, i))
			rc = -1;
	}
	FREE_EACH(wanted, left);
	load_hosts(l, &w, sign);
	all_free(&w);
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
			loads_add_flow(l, r, &pt->flow[i], way);
	}
	free(way);
	return go_on ? 0 : -1;
}

static void loads_sum_up(struct loads *l, const struct topo *t)
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
			l->min = MIN(v, l->min);
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
					   : loads_load_all(l, r, pattern->kind == PATTERN_LIDS, NULL, 1, p);
	if (rc) {
		loads_free(l);
		return NULL;
	}
	loads_sum_up(l, r->topo);
	return l;
}

/* Are the same hosts up at the same places, with the same LIDs? */
static bool loads_same_hosts(const struct routing *a, const struct routing *b)
{
	const struct topo *t = a->topo, *u = b->topo;
	bool same = t->fabric == u->fabric;

	for (uint32_t ep = 0; same && ep < t->fabric->n_endports; ep++)
		same = pattern_is_host(a, ep) == pattern_is_host(b, ep) &&
		       (!pattern_is_host(a, ep) ||
			(t->endport_switch[ep] == u->endport_switch[ep] &&
			 t->endport_swport[ep] == u->endport_swport[ep] &&
			 a->lids->base[ep] == b->lids->base[ep] && a->lids->count[ep] == b->lids->count[ep]));
	return same;
}

#define EQUAL_RUN 64 /* entries compared at once */

/* Marks the LIDs with an entry, or a link behind one, that differs.  NULL: cancelled. */
static uint8_t *lids_unlike(const struct routing *a, const struct routing *b, struct progress *p)
{
	unsigned top = MAX(a->lids->max_lid, b->lids->max_lid);
	const struct topo *t = a->topo, *u = b->topo;
	const struct fabric *f = t->fabric;
	uint8_t *marked = NEW_ARRAY(top + 1, uint8_t);

	progress_start(p, "comparing tables", f->n_switches);
	for (uint32_t s = 0; s < f->n_switches; s++) {
		size_t at = f->switch_port[s], ports = f->switch_nports[s] + 1u;
		bool links = memcmp(t->peer + at, u->peer + at, ports * sizeof(*t->peer)) != 0;
		bool plain = !links && a->row[s] && b->row[s];
		unsigned held = !plain ? 0 : MIN(a->row[s]->top, b->row[s]->top);

		if (a->row[s] == b->row[s] && !links)
			continue;
		if (!progress_step(p, s)) {
			free(marked);
			return NULL;
		}
		for (unsigned lid = 1; lid <= top; lid++) {
			unsigned port;

			while (plain && lid + EQUAL_RUN <= held &&
			       !memcmp(a->row[s]->port + lid, b->row[s]->port + lid, EQUAL_RUN))
				lid += EQUAL_RUN;
			port = routing_port(a, s, lid);

			marked[lid] |= port != routing_port(b, s, lid) ||
				       (links && port < ports && t->peer[at + port] != u->peer[at + port]);
		}
	}
	return marked;
}

struct loads *loads_after(const struct loads *before, const struct routing *a, const struct routing *b,
			  struct progress *p)
{
	struct loads *l;
	uint8_t *marked;
	int rc;

	if (a->adaptive || b->adaptive || !loads_same_hosts(a, b))
		return loads_new(b, &pattern_all, p);
	l = NEW(struct loads);
	l->port = mem_dup(before->port, a->topo->fabric->n_ports * sizeof(*l->port));
	l->routes = before->routes;
	marked = lids_unlike(a, b, p);
	rc = !marked || loads_load_all(l, a, false, marked, -1, p) ||
	     loads_load_all(l, b, false, marked, 1, p);
	free(marked);
	if (rc) {
		loads_free(l);
		return NULL;
	}
	loads_sum_up(l, b->topo);
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
