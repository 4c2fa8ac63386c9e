/* Loads of links under a pattern, by port, and compared with another routing's. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/traffic/internal.h"
#include "core/analysis/traffic/loads.h"
#include "core/analysis/traffic/shift.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/base/rng.h"
#include "core/routing/paths.h"
#include "core/routing/routing.h"

static void port_use_count_switch(const struct routing *r, uint32_t s, const uint8_t *kind,
				  struct port_use *use)
{
	const struct fabric *f = r->topo->fabric;
	const struct lft_row *row = r->row[s];
	uint32_t count[4][256] = {{0}};

	for (unsigned lid = 1; row && lid <= row->top; lid++)
		count[kind[lid]][row->port[lid]]++;
	for (unsigned n = 1; n <= f->switch_nports[s]; n++) {
		struct port_use *u = &use[switch_port_id(f, s, n)];

		u->hosts = count[1][n];
		u->switches = count[2][n];
		u->lids = count[0][n] + u->hosts + u->switches;
	}
}

struct port_use *port_use_new(const struct routing *r, struct progress *p)
{
	const struct fabric *f = r->topo->fabric;
	struct port_use *use = NEW_ARRAY(f->n_ports + 1, struct port_use);
	AUTO_FREE uint8_t *kind = NEW_ARRAY(MAX_LID + 1, uint8_t);
	bool done = true;

	for (unsigned lid = 1; lid <= r->lids->max_lid; lid++) {
		uint32_t ep = lid_owner(r->lids, lid);

		if (ep != NO_ID)
			kind[lid] = endport_is_switch(f, ep) ? 2 : 1;
	}
	progress_start(p, "usage of ports", f->n_switches);
	for (uint32_t s = 0; s < f->n_switches && done; s++) {
		port_use_count_switch(r, s, kind, use);
		done = progress_step(p, s);
	}
	if (done)
		return use;
	free(use);
	return NULL;
}

const struct pattern pattern_all = {.kind = PATTERN_ALL}, pattern_lids = {.kind = PATTERN_LIDS};

bool pattern_is_host(const struct routing *r, uint32_t endport)
{
	assert(endport < r->lids->n_endports);
	return routing_has_host(r, endport) && r->lids->base[endport];
}

static int pattern_by_lid(const void *x, const void *y, void *ctx)
{
	const struct lids *l = ctx;
	uint32_t a = l->base[*(const uint32_t *)x], b = l->base[*(const uint32_t *)y];

	return COMPARED(a, b);
}

uint32_t *pattern_hosts(const struct routing *r, uint32_t *n)
{
	uint32_t all = r->topo->fabric->n_endports, *ep = NEW_ARRAY(all + 1, uint32_t);

	*n = 0;
	for (uint32_t i = 0; i < all; i++)
		if (pattern_is_host(r, i))
			ep[(*n)++] = i;
	qsort_r(ep, *n, sizeof(*ep), pattern_by_lid, (void *)r->lids);
	return ep;
}

void pattern_add(const struct routing *r, uint32_t src, uint32_t dst, uint32_t weight, struct pattern *p)
{
	p->kind = PATTERN_LIST;
	if (src == dst || !pattern_is_host(r, src) || !pattern_is_host(r, dst)) {
		p->left_out += weight;
		return;
	}
	GROW(p->flow, p->n, p->cap);
	p->flow[p->n++] = (struct flow){src, dst, weight, r->lids->base[dst]};
}

void shuffle(uint32_t *a, uint32_t n, uint64_t *seed)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t k = i + rng_below(seed, n - i), x = a[k];

		a[k] = a[i];
		a[i] = x;
	}
}

void pattern_shift(const struct routing *r, const struct shift_order *o, unsigned long k, struct pattern *p)
{
	uint32_t n = o->n;

	p->kind = PATTERN_LIST;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t src = o->place[i], dst = o->place[(i + k % n) % n];

		if (src != dst && src != NO_ID && dst != NO_ID)
			pattern_add(r, src, dst, 1, p);
	}
}

void pattern_bisection(const struct routing *r, uint64_t seed, struct pattern *p)
{
	uint32_t n;
	AUTO_FREE uint32_t *host = pattern_hosts(r, &n);

	p->kind = PATTERN_LIST;
	shuffle(host, n, &seed);
	for (uint32_t i = 0; i + 1 < n; i += 2) {
		pattern_add(r, host[i], host[i + 1], 1, p);
		pattern_add(r, host[i + 1], host[i], 1, p);
	}
}

static bool has_fixed_point(const uint32_t *to, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (to[i] == i)
			return true;
	return false;
}

void pattern_random(const struct routing *r, uint64_t seed, struct pattern *p)
{
	uint32_t n;
	AUTO_FREE uint32_t *host = pattern_hosts(r, &n), *to = NEW_ARRAY(n + 1, uint32_t);

	p->kind = PATTERN_LIST;
	for (uint32_t i = 0; i < n; i++)
		to[i] = i;
	do
		shuffle(to, n, &seed);
	while (n > 1 && has_fixed_point(to, n));
	for (uint32_t i = 0; n > 1 && i < n; i++)
		pattern_add(r, host[i], host[to[i]], 1, p);
}

void pattern_to(const struct routing *r, const uint32_t *target, uint32_t n, struct pattern *p)
{
	uint32_t n_hosts;
	AUTO_FREE uint32_t *host = pattern_hosts(r, &n_hosts);

	p->kind = PATTERN_LIST;
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t i = 0; i < n_hosts; i++)
			if (host[i] != target[k])
				pattern_add(r, host[i], target[k], 1, p);
}

void pattern_free(struct pattern *p)
{
	free(p->flow);
	*p = (struct pattern){0};
}

/* Routes over a port where it leads to a switch. */
static uint32_t channel_load(const struct routing *r, const struct loads *l, uint32_t port)
{
	return port != NO_ID && r->topo->peer_switch[port] != NO_ID ? l->port[port] : 0;
}

/* The same port of a switch in another fabric, or NO_ID. */
static uint32_t load_diff_same_port(const struct fabric *f, uint32_t port, const struct fabric *to)
{
	if (f == to)
		return port;
	uint32_t node = fabric_node_by_guid(to, f->node_guid[f->port_node[port]]);
	if (node == NO_ID || !node_is_switch(to, node) || f->port_num[port] > to->node_nports[node])
		return NO_ID;
	return to->node_port[node] + f->port_num[port];
}

static void load_diff_add(struct load_diff *d, const struct load_change *c)
{
	if (c->before == c->after)
		return;
	d->change[d->n++] = *c;
	d->hotter += c->after > c->before;
	d->cooler += c->after < c->before;
	d->gain += load_gain(c);
}

static int hottest_first(const void *x, const void *y, void *ctx)
{
	const struct load_change *a = x, *b = y;
	int64_t ga = load_gain(a), gb = load_gain(b);
	uint32_t pa, pb;

	if ((ga > 0) != (gb > 0))
		return ga > 0 ? -1 : 1;
	if (ga != gb)
		return llabs(ga) > llabs(gb) ? -1 : 1;
	if (a->after != b->after)
		return a->after > b->after ? -1 : 1;
	const struct fabric *fa = load_change_fabric(ctx, a, &pa);
	const struct fabric *fb = load_change_fabric(ctx, b, &pb);
	int c = strcmp(fa->node_name[fa->port_node[pa]], fb->node_name[fb->port_node[pb]]);
	return c ? c : COMPARED(pa, pb);
}

static void load_diff_compare(struct load_diff *d, const struct loads *before, const struct loads *after)
{
	const struct fabric *fa = d->a->topo->fabric, *fb = d->b->topo->fabric;

	for (uint32_t s = 0; s < fb->n_switches; s++)
		FOR_PORTS(fb, s, port) {
			uint32_t was = load_diff_same_port(fb, port, fa);

			load_diff_add(d, &(struct load_change){port, was, channel_load(d->a, before, was),
							       channel_load(d->b, after, port)});
		}
	for (uint32_t s = 0; fa != fb && s < fa->n_switches; s++)
		FOR_PORTS(fa, s, was)
			if (load_diff_same_port(fa, was, fb) == NO_ID)
				load_diff_add(d, &(struct load_change){NO_ID, was,
								       channel_load(d->a, before, was), 0});
	qsort_r(d->change, d->n, sizeof(*d->change), hottest_first, d);
}

const struct fabric *load_change_fabric(const struct load_diff *d, const struct load_change *c,
					uint32_t *port)
{
	assert(c->port != NO_ID || c->port_was != NO_ID);
	*port = c->port != NO_ID ? c->port : c->port_was;
	return (c->port != NO_ID ? d->b : d->a)->topo->fabric;
}

const char *load_change_label(const struct load_diff *d, const struct load_change *c, char *buf, size_t size)
{
	bool now = c->port != NO_ID && (c->after || c->port_was == NO_ID);
	const struct topo *t = (now ? d->b : d->a)->topo;
	uint32_t port = now ? c->port : c->port_was;
	char a[300], b[300] = "nothing";

	if (t->peer[port] != NO_ID)
		port_label(t->fabric, t->peer[port], b, sizeof(b));
	snprintf(buf, size, "%s -> %s", port_label(t->fabric, port, a, sizeof(a)), b);
	return buf;
}

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

static void all_start(void *arena, struct all_work *w, const struct routing *r, unsigned columns)
{
	const struct topo *t = r->topo;
	uint32_t n = t->fabric->n_switches;

	*w = (struct all_work){
		.r = r,
		.columns = columns,
		.block = ARENA_ARRAY(arena, (size_t)n * COLUMN_BLOCK, uint8_t),
		.hops = ARENA_ARRAY(arena, n, uint16_t),
		.work = ARENA_ARRAY(arena, n, uint32_t),
		.order = ARENA_ARRAY(arena, n, uint32_t),
		.flow = ARENA_ARRAY(arena, n, uint32_t),
		.hosts = ARENA_ARRAY(arena, n, uint32_t),
		.reached = ARENA_ARRAY(arena, n, uint32_t),
		.lids = ARENA_ARRAY(arena, n, uint32_t),
		.to = NO_ID,
	};
	w->host = pattern_hosts(r, &w->n_hosts);
	w->own = ARENA_ARRAY(arena, w->n_hosts + 1, uint32_t);
	for (uint32_t i = 0; i < w->n_hosts; i++)
		w->hosts[t->endport_switch[w->host[i]]]++;
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
		uint32_t s = w->order[k], id = f->switch_port[s] + col[s];

		if (!flow[s])
			continue;
		l->port[id] += flow[s] * (uint32_t)sign;
		uint32_t q = t->peer_switch[id];
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
	uint32_t n = w->r->topo->fabric->n_switches;
	AUTO_FREE uint32_t *flow = NEW_ARRAY((size_t)n * ALIKE_MOST, uint32_t);
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
	AUTO_ARENA void *arena = ARENA_EMPTY;
	uint8_t *wanted = ARENA_ARRAY(arena, r->lids->max_lid + 1u, uint8_t);
	struct all_work w;

	all_start(arena, &w, r, marked ? 1 : COLUMN_BLOCK);
	for (uint32_t i = 0; i < w.n_hosts; i++) {
		unsigned base = r->lids->base[w.host[i]], n_lids = lids ? r->lids->count[w.host[i]] : 1;

		for (unsigned lid = base; lid < base + n_lids; lid++)
			wanted[lid] = !marked || marked[lid];
	}
	uint8_t *left = arena_dup(arena, wanted, r->lids->max_lid + 1u);
	int rc = add_alike(l, &w, left, sign, p);
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
	load_hosts(l, &w, sign);
	free(w.host);
	return rc;
}

static int load_list(struct loads *l, const struct routing *r, const struct pattern *pt, struct progress *p)
{
	AUTO_FREE uint32_t *way =
		routing_has_maps(r) ? NULL : NEW_ARRAY(r->topo->fabric->n_switches + 2, uint32_t);
	bool go_on = true;

	progress_start(p, "adding up routes", (unsigned)pt->n);
	for (size_t i = 0; go_on && i < pt->n; i++) {
		go_on = i % 256 || progress_step(p, (unsigned)i);
		if (go_on)
			loads_add_flow(l, r, &pt->flow[i], way);
	}
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
	struct loads *l = ARENA_NEW(NULL, struct loads);

	assert(pattern->kind == PATTERN_LIST || !pattern->n);
	assert(r->lids->n_endports == r->topo->fabric->n_endports);
	l->port = ARENA_ARRAY(l, r->topo->fabric->n_ports, uint32_t);
	int rc = pattern->kind == PATTERN_LIST
			 ? load_list(l, r, pattern, p)
			 : loads_load_all(l, r, pattern->kind == PATTERN_LIDS, NULL, 1, p);
	if (rc) {
		arena_free(l);
		return NULL;
	}
	loads_sum_up(l, r->topo);
	return l;
}

double channels_fastest(const struct topo *t)
{
	const struct fabric *f = t->fabric;
	double most = 0, least = 0;

	for (uint32_t port = 0; port < f->n_ports; port++) {
		if (t->peer_switch[port] == NO_ID)
			continue;
		double rate = fabric_port_gbps(f, port);

		least = most > 0 ? MIN(rate, least) : rate;
		most = MAX(rate, most);
		if (rate <= 0)
			return 0;
	}
	return most > least ? most : 0;
}

double routes_by_rate(const struct fabric *f, uint32_t port, uint32_t routes, double fastest)
{
	double rate = fabric_port_gbps(f, port);

	return fastest > 0 && rate > 0 ? routes * fastest / rate : routes;
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
			while (plain && lid + EQUAL_RUN <= held &&
			       !memcmp(a->row[s]->port + lid, b->row[s]->port + lid, EQUAL_RUN))
				lid += EQUAL_RUN;
			unsigned port = routing_port(a, s, lid);

			marked[lid] |= port != routing_port(b, s, lid) ||
				       (links && port < ports && t->peer[at + port] != u->peer[at + port]);
		}
	}
	return marked;
}

static struct loads *loads_after(const struct loads *before, const struct routing *a, const struct routing *b,
				 struct progress *p)
{
	if (a->adaptive || b->adaptive || !loads_same_hosts(a, b))
		return loads_new(b, &pattern_all, p);
	struct loads *l = ARENA_NEW(NULL, struct loads);
	l->port = arena_dup(l, before->port, a->topo->fabric->n_ports * sizeof(*l->port));
	l->routes = before->routes;
	AUTO_FREE uint8_t *marked = lids_unlike(a, b, p);
	int rc = !marked || loads_load_all(l, a, false, marked, -1, p) ||
		 loads_load_all(l, b, false, marked, 1, p);
	if (rc) {
		arena_free(l);
		return NULL;
	}
	loads_sum_up(l, b->topo);
	return l;
}

struct load_diff *load_diff_new(const struct routing *a, const struct routing *b, struct progress *p)
{
	AUTO_ARENA struct loads *before = loads_new(a, &pattern_all, p),
				*after = before ? loads_after(before, a, b, p) : NULL;

	if (!after)
		return NULL;
	struct load_diff *d = ARENA_NEW(NULL, struct load_diff);
	d->a = routing_unref_later(d, routing_ref(a));
	d->b = routing_unref_later(d, routing_ref(b));
	d->change = ARENA_ARRAY(d, (size_t)a->topo->fabric->n_ports + b->topo->fabric->n_ports + 1,
				struct load_change);
	d->max_before = before->max;
	d->max_after = after->max;
	load_diff_compare(d, before, after);
	return d;
}

uint32_t *loads_busiest(const struct loads *l, const struct fabric *f)
{
	uint32_t *most = NEW_ARRAY(f->n_switches + 1, uint32_t);

	for (uint32_t p = 0; p < f->n_ports; p++) {
		uint32_t a = f->node_switch[f->port_node[p]], q = f->port_peer[p],
			 b = q == NO_ID ? NO_ID : f->node_switch[f->port_node[q]];

		if (a == NO_ID || b == NO_ID || a == b)
			continue;
		most[a] = MAX(l->port[p], most[a]);
		most[b] = MAX(l->port[p], most[b]);
	}
	return most;
}
