#include "core/analysis/loads.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/base/rng.h"

#include <stdlib.h>
#include <string.h>

#include "core/analysis/shift.h"
#include "core/routing/paths.h"

struct host_list {
	uint32_t *ep; /* hosts that count and have a LID, by ascending base LID */
	uint32_t n;
};

static int by_lid(const void *x, const void *y, void *ctx)
{
	const struct lids *l = ctx;
	uint32_t a = l->base[*(const uint32_t *)x], b = l->base[*(const uint32_t *)y];

	return a < b ? -1 : a > b;
}

static struct host_list list_hosts(const struct routing *r)
{
	const struct topo *t = r->topo;
	struct host_list h = {.ep = NEW_ARRAY(t->fabric->n_endports, uint32_t)};

	for (uint32_t ep = 0; ep < t->fabric->n_endports; ep++)
		if (routing_has_host(r, ep) && r->lids->base[ep])
			h.ep[h.n++] = ep;
	qsort_r(h.ep, h.n, sizeof(*h.ep), by_lid, (void *)r->lids);
	return h;
}

/* One route, added along its path. */
static void add_route(struct loads *l, const struct routing *r, uint32_t src, uint32_t dst)
{
	const struct fabric *f = r->topo->fabric;
	struct path p;

	path_trace(r, src, 0, r->lids->base[dst], &p);
	if (p.end == PATH_OK) {
		l->routes++;
		l->port[f->endport_port[src]]++;
		for (unsigned i = 0; i < p.n; i++)
			if (p.hop[i].out)
				l->port[switch_port_id(f, p.hop[i].sw, p.hop[i].out)]++;
	}
	path_free(&p);
}

struct all_work {
	uint8_t *col;
	uint16_t *hops;
	uint32_t *work, *order, *flow, *hosts;
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

		if (w->hops[s] >= 256 || !w->flow[s])
			continue;
		l->port[switch_port_id(f, s, w->col[s])] += w->flow[s];
		q = t->peer_switch[switch_port_id(f, s, w->col[s])];
		if (q != NO_ID)
			w->flow[q] += w->flow[s];
		else
			l->routes += w->flow[s];
	}
}

/* From every host to the base LID of every other, or to all its LIDs. */
static int load_all(struct loads *l, const struct routing *r, const struct host_list *h, bool lids,
		    struct progress *p)
{
	const struct topo *t = r->topo;
	uint32_t n = t->fabric->n_switches;
	struct all_work w = {
		.col = NEW_ARRAY(n, uint8_t),
		.hops = NEW_ARRAY(n, uint16_t),
		.work = NEW_ARRAY(n, uint32_t),
		.order = NEW_ARRAY(n, uint32_t),
		.flow = NEW_ARRAY(n, uint32_t),
		.hosts = NEW_ARRAY(n, uint32_t),
	};
	uint32_t all = 0;
	int rc = 0;

	progress_start(p, "adding up routes", h->n);
	for (uint32_t i = 0; i < h->n; i++) {
		w.hosts[t->endport_switch[h->ep[i]]]++;
		all += lids ? r->lids->count[h->ep[i]] : 1;
	}
	for (uint32_t i = 0; !rc && i < h->n; i++) {
		unsigned base = r->lids->base[h->ep[i]], n_lids = lids ? r->lids->count[h->ep[i]] : 1;

		l->port[t->fabric->endport_port[h->ep[i]]] = all - n_lids;
		for (unsigned k = 0; k < n_lids; k++)
			add_destination(l, r, &w, h->ep[i], base + k);
		if (!progress_step(p, i))
			rc = -1;
	}
	free(w.col);
	free(w.hops);
	free(w.work);
	free(w.order);
	free(w.flow);
	free(w.hosts);
	return rc;
}

static int load_shift(struct loads *l, const struct routing *r, const char *arg, struct err *e)
{
	char *end;
	unsigned long k = strtoul(arg, &end, 10);
	uint32_t n, *order;

	if (*end || !*arg || !k)
		return err_set(e, "load-map shift: found \"%s\", expected a number from 1", arg);
	order = shift_order(r, &n);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t src = order[i], dst = order[(i + k) % n];

		if (src != dst && src != NO_ID && dst != NO_ID)
			add_route(l, r, src, dst);
	}
	free(order);
	return 0;
}

static int load_bisection(struct loads *l, const struct routing *r, const struct host_list *h,
			  const char *arg, struct err *e)
{
	uint64_t seed = 1;
	char *end;

	if (*arg) {
		if (strncmp(arg, "seed=", 5) || !arg[5])
			return err_set(e, "load-map bisection: found \"%s\", expected seed=K", arg);
		seed = strtoull(arg + 5, &end, 0);
		if (*end)
			return err_set(e, "seed: found \"%s\", expected a number", arg + 5);
	}
	for (uint32_t i = 0; i < h->n; i++) {
		uint32_t k = i + rng_below(&seed, h->n - i), x = h->ep[k];

		h->ep[k] = h->ep[i];
		h->ep[i] = x;
	}
	for (uint32_t i = 0; i + 1 < h->n; i += 2) {
		add_route(l, r, h->ep[i], h->ep[i + 1]);
		add_route(l, r, h->ep[i + 1], h->ep[i]);
	}
	return 0;
}

static int load_hotspot(struct loads *l, const struct routing *r, const struct host_list *h, const char *arg,
			struct err *e)
{
	const struct fabric *f = r->topo->fabric;
	uint32_t node = fabric_node_by_name(f, arg, e), dst = NO_ID;

	for (uint32_t i = 0; node != NO_ID && i < h->n; i++)
		if (endport_node(f, h->ep[i]) == node)
			dst = h->ep[i];
	if (dst == NO_ID)
		return node == NO_ID ? -1
				     : err_set(e, "load-map hotspot: %s is no host that is up and counts",
					       f->node_name[node]);
	for (uint32_t i = 0; i < h->n; i++)
		if (h->ep[i] != dst)
			add_route(l, r, h->ep[i], dst);
	return 0;
}

static void sum_up(struct loads *l, const struct topo *t)
{
	const struct fabric *f = t->fabric;
	uint64_t sum = 0;

	l->max_port = NO_ID;
	l->min = UINT32_MAX;
	for (uint32_t s = 0; s < f->n_switches; s++)
		for (unsigned p = 1; p <= f->switch_nports[s]; p++) {
			uint32_t id = switch_port_id(f, s, p), v = l->port[id];

			if (t->peer_switch[id] == NO_ID)
				continue;
			l->n_links++;
			sum += v;
			l->min = v < l->min ? v : l->min;
			if (l->max_port == NO_ID || v > l->max) {
				l->max = v;
				l->max_port = id;
			}
		}
	l->mean = l->n_links ? (double)sum / l->n_links : 0;
	if (!l->n_links)
		l->min = 0;
}

struct loads *loads_new(const struct routing *r, const char *pattern, struct progress *p, struct err *e)
{
	struct loads *l = NEW(struct loads);
	struct host_list h = list_hosts(r);
	size_t len = strcspn(pattern, " ");
	const char *arg = pattern + len + strspn(pattern + len, " ");
	int rc;

	l->port = NEW_ARRAY(r->topo->fabric->n_ports, uint32_t);
	if (len == 3 && !strncmp(pattern, "all", 3))
		rc = load_all(l, r, &h, false, p) ? err_set(e, CANCELLED) : 0;
	else if (len == 4 && !strncmp(pattern, "lids", 4))
		rc = load_all(l, r, &h, true, p) ? err_set(e, CANCELLED) : 0;
	else if (len == 5 && !strncmp(pattern, "shift", 5))
		rc = load_shift(l, r, arg, e);
	else if (len == 9 && !strncmp(pattern, "bisection", 9))
		rc = load_bisection(l, r, &h, arg, e);
	else if (len == 7 && !strncmp(pattern, "hotspot", 7))
		rc = load_hotspot(l, r, &h, arg, e);
	else
		rc = err_set(e,
			     "load-map: found \"%s\", expected all, lids, shift K, bisection [seed=K] or "
			     "hotspot NODE",
			     pattern);
	free(h.ep);
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
