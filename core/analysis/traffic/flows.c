/* Flows: who shares a link, for all pairs or the pairs of jobs, and packets that return. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/traffic/flows.h"
#include "core/analysis/traffic/loads.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/fabric/names.h"
#include "core/routing/paths.h"

#define LONGEST 512 /* switches of a path; longer ones do not arrive */

/* Fills in[] with the ports where a path enters switches. Returns their number; -1: it does not arrive. */
static int returns_walk(const struct routing *r, uint32_t from, uint32_t to, unsigned lid, uint32_t *in)
{
	const struct topo *t = r->topo;
	uint32_t sw = t->endport_switch[from];
	int n = 0;

	while (sw != NO_ID && sw != t->endport_switch[to]) {
		unsigned out = routing_port(r, sw, lid);
		uint32_t port = out && out <= t->fabric->switch_nports[sw]
					? switch_port_id(t->fabric, sw, out)
					: NO_ID;

		if (port == NO_ID || t->peer_switch[port] == NO_ID || n == LONGEST)
			return -1;
		in[n++] = t->peer[port];
		sw = t->peer_switch[port];
	}
	return sw != NO_ID && routing_port(r, sw, lid) == t->endport_swport[to] ? n : -1;
}

int return_same(const struct routing *r, uint32_t a, unsigned lid_a, uint32_t b, unsigned lid_b)
{
	uint32_t there[LONGEST], back[LONGEST];
	int n = returns_walk(r, a, b, lid_b, there), m = returns_walk(r, b, a, lid_a, back);

	if (n < 0 || m < 0)
		return -1;
	for (int i = 0; i < n && n == m; i++)
		if (r->topo->peer[there[i]] != back[n - 1 - i])
			return 0;
	return n == m;
}

struct returns *returns_count(const struct routing *r, struct progress *p)
{
	const struct topo *t = r->topo;
	struct returns *x = NEW(struct returns);
	AUTO_FREE uint32_t *host = NEW_ARRAY(t->fabric->n_endports + 1, uint32_t);
	uint32_t n = 0;
	bool go_on = true;

	for (uint32_t ep = 0; ep < t->fabric->n_endports; ep++)
		if (pattern_is_host(r, ep))
			host[n++] = ep;
	uint64_t step = (uint64_t)n * n / 2 / RETURNS_MOST + 1;
	progress_start(p, "ways back", n);
	for (uint64_t i = 0; i < n && go_on; i += step)
		for (uint32_t k = (uint32_t)i + 1; k < n && (go_on = progress_step(p, i)); k++) {
			int same = return_same(r, host[i], r->lids->base[host[i]], host[k],
					       r->lids->base[host[k]]);

			x->pairs += same >= 0;
			x->other += same == 0;
		}
	if (go_on)
		return x;
	free(x);
	return NULL;
}

/* Adds what the flows of one job put on links. */
static int add_job(struct job_loads *j, uint32_t job, const struct routing *r, const struct pattern *pt,
		   struct progress *p, struct err *e)
{
	struct job_sum *sum = &j->sum[job];
	AUTO_ARENA struct loads *l = loads_new(r, pt, p);

	if (!l)
		return err_set(e, CANCELLED);
	for (size_t i = 0; i < pt->n; i++)
		sum->flows += pt->flow[i].weight;
	for (uint32_t port = 0; port < r->topo->fabric->n_ports; port++) {
		if (!l->port[port] || r->topo->peer_switch[port] == NO_ID ||
		    !node_is_switch(r->topo->fabric, r->topo->fabric->port_node[port]))
			continue;
		ARENA_GROW(j, j->load, j->n, j->cap);
		j->load[j->n++] = (struct job_load){port, job, l->port[port]};
	}
	sum->routes = l->routes;
	return 0;
}

COMPARATOR(by_port, struct job_load, UP(port) UP(job))

/* Links from the loads, and what they mean to each job. */
static void jobs_sum_up(struct job_loads *j)
{
	if (j->n)
		qsort(j->load, j->n, sizeof(*j->load), by_port);
	j->link = ARENA_ARRAY(j, j->n + 1, struct job_link);
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
				enum gpu_pattern kind, struct progress *p, struct err *e)
{
	struct job_loads *j = ARENA_NEW(NULL, struct job_loads);
	uint64_t all = 0;
	int rc = 0;

	assert(kind < GPU_PATTERNS);
	j->n_jobs = n_jobs;
	j->sum = ARENA_ARRAY(j, n_jobs + 1, struct job_sum);
	for (uint32_t i = 0; i < n_jobs && !rc; i++) {
		struct pattern pt = {0};

		j->sum[i].port = NO_ID;
		rc = pattern_gpus(r, job[i], kind, &pt, p, e) || add_job(j, i, r, &pt, p, e) ? -1 : 0;
		pattern_free(&pt);
		all += j->sum[i].flows;
		if (!rc && all > UINT32_MAX)
			rc = err_set(e, "too many flows of all jobs to count");
	}
	if (!rc) {
		jobs_sum_up(j);
		assert(j->n_links <= j->n);
		return j;
	}
	arena_free(j);
	return NULL;
}

const char *const flow_by_word[FLOWS_BYS] = {"switches", "source", "destination", "host", "scope", "pair"};

static void flows_add(struct flow_list *l, const struct flow *w)
{
	GROW(l->flow, l->n, l->cap);
	l->flow[l->n++] = *w;
	l->pairs += w->weight;
}

/* Does a flow's path leave by the port? */
static bool crosses(const struct routing *r, const struct flow *w, uint32_t port)
{
	const struct fabric *f = r->topo->fabric;
	struct path p;

	path_trace(r, w->src, 0, w->lid, &p);
	bool yes = p.end == PATH_OK && f->endport_port[w->src] == port;
	for (unsigned i = 0; p.end == PATH_OK && !yes && i < p.n; i++)
		yes = p.hop[i].out && switch_port_id(f, p.hop[i].sw, p.hop[i].out) == port;
	path_free(&p);
	return yes;
}

static int list_over(const struct routing *r, const struct pattern *pt, uint32_t port, struct flow_list *l,
		     struct progress *p)
{
	progress_start(p, "flows", (unsigned)pt->n);
	for (size_t i = 0; i < pt->n; i++) {
		if (i % 256 == 0 && !progress_step(p, (unsigned)i))
			return -1;
		if (crosses(r, &pt->flow[i], port))
			flows_add(l, &pt->flow[i]);
	}
	return 0;
}

/* Hosts by the switch they are on: host[at[s]] up to host[at[s + 1]]. */
struct by_switch {
	uint32_t *at, *host;
};

static struct by_switch sort_by_switch(void *arena, const struct topo *t, const uint32_t *host, uint32_t n)
{
	uint32_t n_switches = t->fabric->n_switches;
	struct by_switch b = {ARENA_ARRAY(arena, n_switches + 2, uint32_t),
			      ARENA_ARRAY(arena, n + 1, uint32_t)};

	for (uint32_t i = 0; i < n; i++)
		b.at[t->endport_switch[host[i]] + 2]++;
	for (uint32_t s = 0; s < n_switches; s++)
		b.at[s + 2] += b.at[s + 1];
	for (uint32_t i = 0; i < n; i++)
		b.host[b.at[t->endport_switch[host[i]] + 1]++] = host[i];
	return b;
}

/* Scratch of one destination, and the hosts. */
struct to_one {
	struct by_switch from;
	uint8_t *col;
	uint16_t *hops;
	uint32_t *work, *order;
	uint8_t *through; /* [n_switches] packets from there pass the port's switch */
};

static int by_hops(const void *x, const void *y, void *ctx)
{
	const uint16_t *hops = ctx;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	return hops[a] != hops[b] ? (hops[a] < hops[b] ? -1 : 1) : COMPARED(a, b);
}

/* The switches whose packets to a LID of an endport pass switch sw. */
static void find_upstream(const struct routing *r, uint32_t sw, unsigned lid, uint32_t dst, struct to_one *w)
{
	const struct topo *t = r->topo;
	uint32_t n = t->fabric->n_switches, kept = 0;

	routing_columns(r, lid, 1, w->col);
	column_hops(t, w->col, dst, w->hops, w->work);
	memset(w->through, 0, n);
	for (uint32_t s = 0; s < n; s++)
		if (w->hops[s] < HOPS_LOOP && w->hops[s] >= w->hops[sw])
			w->order[kept++] = s;
	qsort_r(w->order, kept, sizeof(*w->order), by_hops, w->hops);
	for (uint32_t i = 0; w->hops[sw] < HOPS_LOOP && i < kept; i++) {
		uint32_t s = w->order[i], next = t->peer_switch[switch_port_id(t->fabric, s, w->col[s])];

		w->through[s] = s == sw || (next != NO_ID && w->through[next]);
	}
}

/* Flows to a LID over a port of switch sw. */
static void add_to(const struct routing *r, uint32_t sw, unsigned lid, uint32_t dst, struct to_one *w,
		   struct flow_list *l)
{
	const struct by_switch *b = &w->from;

	find_upstream(r, sw, lid, dst, w);
	for (uint32_t s = 0; s < r->topo->fabric->n_switches; s++)
		for (uint32_t i = b->at[s]; w->through[s] && i < b->at[s + 1]; i++)
			if (b->host[i] != dst)
				flows_add(l, &(struct flow){b->host[i], dst, 1, (uint16_t)lid});
}

COMPARATOR(by_source, struct flow, UP(src) UP(lid))

/* Flows from all hosts to all others, or to all their LIDs, over a switch's port. */
static int all_over(const struct routing *r, bool lids, uint32_t port, struct flow_list *l,
		    struct progress *p, struct err *e)
{
	const struct fabric *f = r->topo->fabric;
	uint32_t n = f->n_switches, n_hosts, sw = f->node_switch[f->port_node[port]];
	AUTO_FREE uint32_t *host = pattern_hosts(r, &n_hosts);
	AUTO_ARENA void *arena = ARENA_EMPTY;
	struct to_one w = {
		.from = sort_by_switch(arena, r->topo, host, n_hosts),
		.col = ARENA_ARRAY(arena, n, uint8_t),
		.hops = ARENA_ARRAY(arena, n, uint16_t),
		.work = ARENA_ARRAY(arena, n, uint32_t),
		.order = ARENA_ARRAY(arena, n, uint32_t),
		.through = ARENA_ARRAY(arena, n, uint8_t),
	};
	int rc = 0;

	progress_start(p, "flows", n_hosts);
	for (uint32_t i = 0; !rc && i < n_hosts; i++) {
		unsigned n_lids = lids ? r->lids->count[host[i]] : 1;

		for (unsigned k = 0; k < n_lids; k++)
			if (routing_next_port(r, sw, r->lids->base[host[i]] + k) == f->port_num[port])
				add_to(r, sw, r->lids->base[host[i]] + k, host[i], &w, l);
		if (!progress_step(p, i))
			rc = err_set(e, CANCELLED);
		else /* the list doubles as it grows */
			rc = mem_room(e, 2 * l->n * sizeof(*l->flow), "flows over a link");
	}
	if (l->n)
		qsort(l->flow, l->n, sizeof(*l->flow), by_source);
	return rc;
}

/* The same for a host's port. */
static int out_of_host(const struct routing *r, bool lids, uint32_t port, struct flow_list *l,
		       struct progress *p)
{
	uint32_t n, src = r->topo->fabric->port_endport[port];
	AUTO_FREE uint32_t *host = pattern_hosts(r, &n);
	int rc = 0;

	progress_start(p, "flows", n);
	for (uint32_t i = 0; !rc && src != NO_ID && pattern_is_host(r, src) && i < n; i++) {
		struct flow w = {src, host[i], 1, r->lids->base[host[i]]};

		for (unsigned k = 0; host[i] != src && k < (lids ? r->lids->count[host[i]] : 1u);
		     k++, w.lid++)
			if (crosses(r, &w, port))
				flows_add(l, &w);
		if (!progress_step(p, i))
			rc = -1;
	}
	return rc;
}

struct flow_list *flows_over(const struct routing *r, const struct pattern *pattern, uint32_t port,
			     struct progress *p, struct err *e)
{
	const struct fabric *f = r->topo->fabric;
	struct flow_list *l = NEW(struct flow_list);
	bool lids = pattern->kind == PATTERN_LIDS;
	int rc;

	assert(port < f->n_ports);
	if (pattern->kind == PATTERN_LIST)
		rc = list_over(r, pattern, port, l, p) ? err_set(e, CANCELLED) : 0;
	else if (node_is_switch(f, f->port_node[port]))
		rc = all_over(r, lids, port, l, p, e);
	else
		rc = out_of_host(r, lids, port, l, p) ? err_set(e, CANCELLED) : 0;
	if (!rc)
		return l;
	flow_list_free(l);
	return NULL;
}

void flow_list_free(struct flow_list *l)
{
	if (l)
		free(l->flow);
	free(l);
}

/* The group of a single flow. */
static struct flow_group flows_group_of(const struct routing *r, const struct flow *w, enum flow_by by,
					const struct host_set *scope)
{
	const uint32_t *sw = r->topo->endport_switch;
	struct flow_group g = {.from = NO_ID, .to = NO_ID, .pairs = w->weight};

	switch (by) {
	case FLOWS_BY_SWITCHES:
		g.from = sw[w->src];
		g.to = sw[w->dst];
		break;
	case FLOWS_BY_SOURCE:
		g.from = sw[w->src];
		break;
	case FLOWS_BY_DESTINATION:
		g.to = sw[w->dst];
		break;
	case FLOWS_BY_HOST:
		g.from = w->src;
		break;
	case FLOWS_BY_SCOPE:
		g.from = !scope || scope->in[w->src];
		g.to = !scope || scope->in[w->dst];
		break;
	default:
		g.from = w->src;
		g.to = w->dst;
	}
	return g;
}

COMPARATOR(by_ends, struct flow_group, UP(from) UP(to) UP(first))

struct naming {
	const struct fabric *f;
	enum flow_by by;
};

static int by_end_name(const struct naming *n, uint32_t a, uint32_t b)
{
	char x[300], y[300];

	return a == b ? 0
		      : strcmp(flow_end_label(n->f, n->by, a, x, sizeof(x)),
			       flow_end_label(n->f, n->by, b, y, sizeof(y)));
}

static int flows_most_first(const void *x, const void *y, void *ctx)
{
	const struct flow_group *a = x, *b = y;

	if (a->pairs != b->pairs)
		return a->pairs > b->pairs ? -1 : 1;
	int c = by_end_name(ctx, a->from, b->from);
	if (!c)
		c = by_end_name(ctx, a->to, b->to);
	return c ? c : by_ends(a, b);
}

struct flow_group *flow_groups(const struct flow_list *l, const struct routing *r, enum flow_by by,
			       const struct host_set *scope, size_t *n)
{
	struct flow_group *g = NEW_ARRAY(l->n + 1, struct flow_group);
	struct naming naming = {r->topo->fabric, by};
	size_t kept = 0;

	assert(by < FLOWS_BYS);
	for (size_t i = 0; i < l->n; i++) {
		g[i] = flows_group_of(r, &l->flow[i], by, scope);
		g[i].first = i;
	}
	qsort(g, l->n, sizeof(*g), by_ends);
	for (size_t i = 0; i < l->n; i++) {
		if (kept && g[kept - 1].from == g[i].from && g[kept - 1].to == g[i].to)
			g[kept - 1].pairs += g[i].pairs;
		else
			g[kept++] = g[i];
	}
	qsort_r(g, kept, sizeof(*g), flows_most_first, &naming);
	*n = kept;
	return g;
}

const char *flow_end_label(const struct fabric *f, enum flow_by by, uint32_t end, char *buf, size_t size)
{
	assert(by < FLOWS_BYS);
	if (end == NO_ID)
		return "";
	if (by == FLOWS_BY_SCOPE)
		return end ? "the scope" : "others";
	if (by == FLOWS_BY_HOST || by == FLOWS_BY_PAIR)
		return endport_label(f, end, buf, size);
	return switch_name(f, end);
}
