#include "core/analysis/credit/check.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/progress.h"
#include "core/routing/alike.h"

#include <stdlib.h>
#include <string.h>

static enum path_end why_not(const struct routing *r, uint32_t sw, unsigned lid, const struct dest_ways *w)
{
	struct path p;
	enum path_end e;
	const struct fabric *f = r->topo->fabric;

	path_trace_worst(r, f->port_endport[f->switch_port[sw]], 0, lid, w, &p);
	e = p.end;
	path_free(&p);
	return e;
}

static void add_example(struct check_result *c, const struct routing *r, uint32_t sw, unsigned lid,
			const struct dest_ways *w)
{
	if (c->n_examples < ARRAY_LEN(c->example))
		c->example[c->n_examples++] = (struct check_example){sw, lid, why_not(r, sw, lid, w)};
}

static void credit_check_count_lid(struct check_result *c, const struct routing *r, unsigned lid,
				   const uint16_t *hops, const uint32_t *hosts, const struct dest_ways *w,
				   const struct check_listener *to)
{
	const struct topo *t = r->topo;
	uint32_t ep = lid_owner(r->lids, lid);
	bool to_switch = endport_is_switch(t->fabric, ep);

	for (uint32_t s = 0; s < t->fabric->n_switches; s++) {
		uint32_t n = hosts[s] - (!to_switch && t->endport_switch[ep] == s);
		unsigned links = hops[s] + 1u;

		if (!n)
			continue;
		if (to_switch) {
			c->switch_unreachable += hops[s] >= HOPS_LOOP ? n : 0;
			continue;
		}
		c->pairs += n;
		if (hops[s] >= HOPS_LOOP) {
			c->unreachable += n;
			c->looping += hops[s] == HOPS_LOOP ? n : 0;
			add_example(c, r, s, lid, w);
			if (to)
				to->broken(to->ctx, s, lid, hops[s] == HOPS_LOOP);
			continue;
		}
		if (links > c->max_hops)
			c->max_hops = links;
		c->hops_count[MIN(links, 63)] += n;
	}
}

/* Counts endports that are up but have no LID. */
static void count_endports(struct check_result *c, const struct routing *r)
{
	const struct topo *t = r->topo;

	for (uint32_t ep = 0; ep < t->fabric->n_endports; ep++)
		if (t->endport_up[ep] && host_set_matters(r->hosts, t->fabric, ep))
			c->no_lid += !r->lids->base[ep];
}

/* An order of endports by their partitions; 0: in the same ones, in the same way. */
static int order_partitions(const struct pair_sls *s, uint32_t a, uint32_t b)
{
	uint32_t n = s->first[a + 1] - s->first[a];

	ORDER(n, s->first[b + 1] - s->first[b]);
	return memcmp(s->member + s->first[a], s->member + s->first[b], n * sizeof(*s->member));
}

static int by_partitions(const void *x, const void *y, void *ctx)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	int c = order_partitions(ctx, a, b);

	return c ? c : COMPARED(a, b);
}

/* Ports in the same partitions, in the same way. */
struct alike_ports {
	uint32_t n, some, other; /* two of them, or one twice */
	uint64_t lids;
};

/* Counts pairs without a common P_Key, those of such ports together. */
static bool credit_check_count_apart(struct check_result *c, const struct routing *r, struct progress *p)
{
	const struct pair_sls *s = r->pair_sls;
	uint32_t *ep, n = 0, n_groups = 0;
	struct alike_ports *g;
	bool go_on = true;

	if (!s || s->one || !s->first)
		return true;
	ep = NEW_ARRAY(s->n_endports + 1, uint32_t);
	g = NEW_ARRAY(s->n_endports + 1, struct alike_ports);
	for (uint32_t i = 0; i < s->n_endports; i++)
		if (routing_has_host(r, i))
			ep[n++] = i;
	qsort_r(ep, n, sizeof(*ep), by_partitions, (void *)s);
	for (uint32_t i = 0; i < n; i++) {
		if (!i || order_partitions(s, ep[i - 1], ep[i]))
			g[n_groups++].some = ep[i];
		g[n_groups - 1].n++;
		g[n_groups - 1].other = ep[i];
		g[n_groups - 1].lids += r->lids->count[ep[i]];
	}
	for (uint32_t i = 0; i < n_groups && (go_on = !progress_cancelled(p)); i++)
		for (uint32_t k = i; k < n_groups; k++) {
			uint64_t pairs =
				k == i ? (g[i].n - 1) * g[i].lids : g[i].n * g[k].lids + g[k].n * g[i].lids;

			if (!pairs || pair_sls_common(s, g[i].some, g[k].other))
				continue;
			if (!c->apart) {
				c->apart_from = g[i].some;
				c->apart_to = g[k].other;
			}
			c->apart += pairs;
		}
	free(ep);
	free(g);
	return go_on;
}

/* Counts LIDs whose ways all arrive, those of each switch together; the others are still in a->left[]. */
static bool count_alike(struct check_result *c, struct alike *a, const uint32_t *hosts, struct progress *p)
{
	const struct topo *t = a->r->topo;
	uint32_t n = t->fabric->n_switches;
	bool go_on = true;

	for (uint32_t sw = 0; sw < n && (go_on = progress_step(p, sw)); sw++)
		while (alike_next(a, sw)) {
			unsigned to_hosts = 0;
			bool arrive = true;

			for (unsigned i = 0; i < a->n; i++)
				to_hosts += !endport_is_switch(t->fabric, lid_owner(a->r->lids, a->lid[i]));
			for (uint32_t s = 0; arrive && s < n; s++)
				arrive = !hosts[s] || a->hops[s] != HOPS_NONE;
			for (unsigned i = 0; !arrive && i < a->n; i++)
				a->left[a->lid[i]] = 1;
			for (uint32_t s = 0; arrive && to_hosts && s < n; s++) {
				uint64_t pairs = (uint64_t)(hosts[s] - (s == sw)) * to_hosts;
				unsigned links = a->hops[s] + 1u;

				if (!hosts[s] || !pairs)
					continue;
				c->pairs += pairs;
				c->max_hops = MAX(links, c->max_hops);
				c->hops_count[MIN(links, 63)] += pairs;
			}
		}
	return go_on;
}

/* The same where switches choose among ports. */
static bool count_ways(struct check_result *c, const struct alike *a, const uint32_t *hosts,
		       struct progress *p)
{
	uint32_t n = a->r->topo->fabric->n_switches;
	struct dest_ways w;
	bool go_on = true;

	if (!a->r->adaptive)
		return true;
	dest_ways_init(&w, a->r);
	for (uint32_t sw = 0; sw < n && (go_on = progress_step(p, sw)); sw++)
		for (uint32_t at = a->lid_at[sw]; at < a->lid_at[sw + 1]; at++) {
			unsigned lid = a->lid_of[at];
			bool arrive = true;

			dest_ways(a->r, lid, &w);
			for (uint32_t s = 0; arrive && s < n; s++)
				arrive = !hosts[s] || w.worst[s] < HOPS_LOOP;
			if (arrive)
				credit_check_count_lid(c, a->r, lid, w.worst, hosts, NULL, NULL);
			a->left[lid] = !arrive;
		}
	dest_ways_free(&w);
	return go_on;
}

/* Counts LIDs one by one. */
static bool count_left(struct check_result *c, const struct routing *r, const uint8_t *left,
		       const uint32_t *hosts, const struct check_listener *to, struct progress *p)
{
	uint32_t n = r->topo->fabric->n_switches;
	uint8_t *col = NEW_ARRAY((size_t)n * COLUMN_BLOCK, uint8_t);
	uint16_t *hops = NEW_ARRAY(n, uint16_t);
	uint32_t *work = NEW_ARRAY(n, uint32_t);
	struct dest_ways ways = {0}, *w = r->adaptive ? &ways : NULL;
	unsigned lid0 = 0;
	bool go_on = true;

	if (w)
		dest_ways_init(w, r);
	for (unsigned lid = 1; lid <= r->lids->max_lid && go_on; lid++) {
		if (!left[lid])
			continue;
		go_on = progress_step(p, lid);
		if (!lid0 || lid >= lid0 + COLUMN_BLOCK)
			routing_columns(r, lid0 = lid, COLUMN_BLOCK, col);
		if (w)
			dest_ways(r, lid, w);
		else
			column_hops(r->topo, col + (size_t)(lid - lid0) * n, lid_owner(r->lids, lid), hops,
				    work);
		credit_check_count_lid(c, r, lid, w ? w->worst : hops, hosts, w, to);
	}
	free(col);
	free(hops);
	free(work);
	dest_ways_free(&ways);
	return go_on;
}

/* Counts pairs from hosts whose own cables carry no data.  None arrives. */
static void count_mute(struct check_result *c, const struct routing *r)
{
	uint64_t lids = r->topo->data ? routing_host_lids(r) : 0;

	for (uint32_t ep = 0; r->topo->data && ep < r->topo->fabric->n_endports; ep++)
		if (routing_mute_host(r, ep) && r->lids->base[ep]) {
			c->pairs += lids - r->lids->count[ep];
			c->unreachable += lids - r->lids->count[ep];
		}
}

bool check_shared_lid(const struct routing *r, const uint32_t *hosts, uint32_t endport, uint64_t *pairs,
		      uint64_t *lost)
{
	const struct topo *t = r->topo;
	uint32_t n = t->fabric->n_switches;
	uint8_t *col = NULL;
	uint16_t *hops = NULL;
	uint32_t *work = NULL;

	*pairs = *lost = 0;
	for (unsigned i = 0; routing_has_host(r, endport) && i < r->lids->count[endport]; i++) {
		unsigned lid = r->lids->base[endport] + i;

		if (lid_owner(r->lids, lid) == endport)
			continue;
		col = col ? col : NEW_ARRAY(n, uint8_t);
		hops = hops ? hops : NEW_ARRAY(n, uint16_t);
		work = work ? work : NEW_ARRAY(n, uint32_t);
		routing_columns(r, lid, 1, col);
		column_hops(t, col, endport, hops, work);
		for (uint32_t s = 0; s < n; s++) {
			uint32_t from = hosts[s] - (t->endport_switch[endport] == s);

			*pairs += from;
			*lost += hops[s] >= HOPS_LOOP ? from : 0;
		}
	}
	free(col);
	free(hops);
	free(work);
	return *pairs > 0;
}

/* Counts pairs to hosts whose LID another port has, too. */
static void count_shared(struct check_result *c, const struct routing *r, const uint32_t *hosts)
{
	uint64_t pairs, lost;

	for (uint32_t ep = 0; ep < r->topo->fabric->n_endports; ep++)
		if (check_shared_lid(r, hosts, ep, &pairs, &lost)) {
			c->pairs += pairs;
			c->unreachable += lost;
		}
}

int check_routing(const struct routing *r, struct check_result *c, struct progress *p)
{
	return check_routing_to(r, c, NULL, p);
}

int check_routing_to(const struct routing *r, struct check_result *c, const struct check_listener *to,
		     struct progress *p)
{
	uint32_t *hosts = routing_hosts(r);
	uint8_t *left = NEW_ARRAY(r->lids->max_lid + 1u, uint8_t);
	struct alike a;
	int result;

	*c = (struct check_result){0};
	progress_start(p, "checking paths", r->lids->max_lid);
	count_endports(c, r);
	count_mute(c, r);
	count_shared(c, r, hosts);
	for (unsigned lid = 1; lid <= r->lids->max_lid; lid++) {
		uint32_t owner = lid_owner(r->lids, lid);

		left[lid] = owner != NO_ID &&
			    (routing_counts(r, owner) || endport_is_switch(r->topo->fabric, owner));
	}
	alike_start(&a, r, left);
	result = count_alike(c, &a, hosts, p) && count_ways(c, &a, hosts, p) &&
				 count_left(c, r, left, hosts, to, p) && credit_check_count_apart(c, r, p)
			 ? 0
			 : -1;
	alike_end(&a);
	free(left);
	free(hosts);
	return result;
}
