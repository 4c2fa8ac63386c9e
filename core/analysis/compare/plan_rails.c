/* Rails of hosts, and ports on switches for hosts that should hang elsewhere. */
#include "core/analysis/compare/plan.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/progress.h"
#include "core/fabric/rails.h"

#include <stdlib.h>
#include <string.h>

/* Hosts that differ alike from a group this many times as large are of it; with most in common, from any
 * larger. */
#define FEW 4

/* --- ports on switches ------------------------------------------------------------------------------- */

/* The switch that a port leads to, NO_ID: none. */
static uint32_t leads_to(const struct fabric *f, uint32_t port)
{
	uint32_t peer = f->port_peer[port];

	return peer == NO_ID ? NO_ID : f->node_switch[f->port_node[peer]];
}

struct plan_rails_places {
	const struct fabric *f;
	struct plan_place *place;
	size_t n;
	bool *failed; /* [n] no port is left */
	bool *taken;  /* [n_ports] */
	struct progress *p;
};

static void plan_rails_take(struct plan_rails_places *x, size_t i, uint32_t port)
{
	x->place[i].to = port;
	x->taken[port] = true;
}

/* A port of another host that leaves the switch; mutual: which goes to where this one is. */
static void take_left(struct plan_rails_places *x, size_t i, bool mutual)
{
	const struct plan_place *p = &x->place[i];
	uint32_t here = leads_to(x->f, p->port);

	for (size_t j = 0; j < x->n; j++) {
		const struct plan_place *q = &x->place[j];

		if (x->failed[j] || leads_to(x->f, q->port) != p->sw || x->taken[x->f->port_peer[q->port]])
			continue;
		if (mutual &&
		    (here == NO_ID || q->sw != here || q->to != NO_ID || x->taken[x->f->port_peer[p->port]]))
			continue;
		if (mutual)
			plan_rails_take(x, j, x->f->port_peer[p->port]);
		plan_rails_take(x, i, x->f->port_peer[q->port]);
		return;
	}
}

static void plan_rails_take_free(struct plan_rails_places *x, size_t i)
{
	FOR_PORTS(x->f, x->place[i].sw, port)
		if (x->f->port_peer[port] == NO_ID && !x->taken[port]) {
			plan_rails_take(x, i, port);
			return;
		}
}

/* One try with those that have not failed.  True: each got a port. */
static bool plan_rails_place_all(struct plan_rails_places *x)
{
	bool all = true;

	memset(x->taken, 0, x->f->n_ports * sizeof(*x->taken));
	for (size_t i = 0; i < x->n; i++)
		x->place[i].to = NO_ID;
	for (int how = 0; how < 3; how++)
		for (size_t i = 0; i < x->n; i++) {
			if (x->failed[i] || x->place[i].to != NO_ID || !progress_step(x->p, 0))
				continue;
			if (how < 2)
				take_left(x, i, how == 0);
			else
				plan_rails_take_free(x, i);
		}
	for (size_t i = 0; i < x->n; i++)
		if (!x->failed[i] && x->place[i].to == NO_ID) {
			x->failed[i] = true;
			all = false;
		}
	return all || progress_cancelled(x->p);
}

void plan_wish_places(const struct fabric *f, struct plan_place *place, size_t n, struct plan_report *r,
		      struct progress *p)
{
	struct plan_rails_places x = {f, place, n, NEW_ARRAY(n + 1, bool), NEW_ARRAY(f->n_ports + 1, bool),
				      p};

	while (!plan_rails_place_all(&x))
		; /* who got a port of one that stays must look again */
	for (size_t i = 0; i < n; i++)
		if (place[i].to == NO_ID)
			r->left++;
		else
			plan_add_wish(r, place[i].port, place[i].to, 0, 0, false);
	free(x.failed);
	free(x.taken);
}

/* --- hosts ------------------------------------------------------------------------------------------- */

/* Ports of one host: hca[first] up to the next host's. */
struct host {
	uint32_t first, n;
	uint32_t cabled; /* to switches */
	uint32_t group;	 /* the host with the group's switches, NO_ID: none */
	uint32_t alike;	 /* hosts with the same rails and switches */
};

struct rails {
	const struct fabric *f;
	struct rail_port *hca;
	size_t n;
	struct host *host;
	size_t n_hosts, cap_hosts;
	struct progress *p;
};

static void find_ports(struct rails *x)
{
	x->hca = rail_ports(x->f, &x->n);
	for (uint32_t i = 0; i < x->n; i++) {
		if (!i || x->hca[i - 1].host != x->hca[i].host) {
			GROW(x->host, x->n_hosts, x->cap_hosts);
			x->host[x->n_hosts++] = (struct host){i, 0, 0, NO_ID, 0};
		}
		x->host[x->n_hosts - 1].n++;
		x->host[x->n_hosts - 1].cabled += x->hca[i].sw != NO_ID;
	}
}

/* The next cabled port of a host from *at on; NULL: none. */
static const struct rail_port *next_cabled(const struct rails *x, const struct host *h, uint32_t *at)
{
	while (*at < h->n) {
		const struct rail_port *c = &x->hca[h->first + (*at)++];

		if (c->sw != NO_ID)
			return c;
	}
	return NULL;
}

/* The switch on which a host has a rail, NO_ID: none. */
static uint32_t plan_rails_switch_of(const struct rails *x, const struct host *h, uint32_t rail)
{
	const struct rail_port *c;
	uint32_t at = 0;

	while ((c = next_cabled(x, h, &at)))
		if (c->rail == rail)
			return c->sw;
	return NO_ID;
}

/* Rails that two hosts have on the same switch, counted twice, and more: any on switches that both have. */
static uint32_t in_common(const struct rails *x, const struct host *h, const struct host *g)
{
	const struct rail_port *c, *d;
	uint32_t at = 0, score = 0;

	while ((c = next_cabled(x, h, &at))) {
		bool both = false;
		uint32_t k = 0;

		score += 2 * (plan_rails_switch_of(x, g, c->rail) == c->sw);
		while (!both && (d = next_cabled(x, g, &k)))
			both = d->sw == c->sw;
		score += both;
	}
	return score;
}

/* Order of the hosts by their rails and switches. */
static int compare_hosts(const struct rails *x, const struct host *a, const struct host *b)
{
	uint32_t i = 0, k = 0;

	for (;;) {
		const struct rail_port *c = next_cabled(x, a, &i), *d = next_cabled(x, b, &k);

		if (!c || !d)
			return (c != NULL) - (d != NULL);
		ORDER(c->rail, d->rail);
		ORDER(c->sw, d->sw);
	}
}

/* A host that stands for all alike. */
struct plan_rails_alike {
	const struct rails *x;
	uint32_t host, count;
};

static int by_switches(const void *first, const void *second)
{
	const struct plan_rails_alike *a = first, *b = second;
	int d = compare_hosts(a->x, &a->x->host[a->host], &b->x->host[b->host]);

	return d ? d : (a->host > b->host) - (a->host < b->host);
}

COMPARATOR(most_first, struct plan_rails_alike, DOWN(count) UP(host))

/* The groups: what hosts have in common, but for those that are another group with some cables elsewhere. */
static size_t find_groups(struct rails *x, struct plan_rails_alike *g)
{
	size_t n = 0, kinds = 0, groups = 0;

	for (uint32_t i = 0; i < x->n_hosts; i++)
		if (x->host[i].cabled > 1)
			g[n++] = (struct plan_rails_alike){x, i, 1};
	qsort(g, n, sizeof(*g), by_switches);
	for (size_t i = 0; i < n; i++)
		if (kinds && !compare_hosts(x, &x->host[g[kinds - 1].host], &x->host[g[i].host]))
			g[kinds - 1].count++;
		else
			g[kinds++] = g[i];
	qsort(g, kinds, sizeof(*g), most_first);
	for (size_t i = 0; i < kinds && g[i].count > 1; i++) {
		const struct host *h = &x->host[g[i].host];
		bool own = true;

		for (size_t k = 0; own && k < groups && g[k].count > g[i].count; k++)
			own = in_common(x, h, &x->host[g[k].host]) <
			      h->cabled * (g[k].count >= FEW * g[i].count ? 1 : 2);
		if (own)
			g[groups++] = g[i];
	}
	return groups;
}

/* Each host's group: that with which it has most in common; on a tie that of the host before it by name. */
static void join_groups(struct rails *x, const struct plan_rails_alike *g, size_t groups)
{
	uint32_t before = NO_ID;

	for (uint32_t i = 0; i < x->n_hosts && progress_step(x->p, i); i++) {
		struct host *h = &x->host[i];
		uint32_t best = 0;

		for (size_t k = 0; h->cabled > 1 && k < groups; k++) {
			uint32_t score = in_common(x, h, &x->host[g[k].host]);

			if (score > best || (score && score == best && g[k].host == before)) {
				best = score;
				h->group = g[k].host;
			}
		}
		before = h->group == NO_ID ? before : h->group;
	}
}

/* --- what is told ------------------------------------------------------------------------------------ */

static void count_groups(const struct rails *x, const struct plan_rails_alike *g, size_t groups,
			 struct plan_rails *r)
{
	r->groups = (uint32_t)groups;
	for (size_t k = 0; k < groups; k++) {
		const struct host *h = &x->host[g[k].host];
		const struct rail_port *c, *first;
		uint32_t at = 0;

		first = c = next_cabled(x, h, &at);
		while (c && c->sw == first->sw)
			c = next_cabled(x, h, &at);
		r->shared += !c;
		r->rails = MAX(h->cabled, r->rails);
	}
	for (size_t i = 0; i < x->n_hosts; i++) {
		r->hosts += x->host[i].group != NO_ID;
		r->alone += x->host[i].group == NO_ID && x->host[i].cabled > 1;
	}
}

/* Ports that are elsewhere than their group's rail. */
static size_t plan_rails_find_places(const struct rails *x, struct plan_place *place, struct plan_report *r)
{
	size_t n = 0;

	for (size_t i = 0; i < x->n_hosts; i++)
		for (uint32_t k = 0; x->host[i].group != NO_ID && k < x->host[i].n; k++) {
			const struct rail_port *c = &x->hca[x->host[i].first + k];
			uint32_t sw = plan_rails_switch_of(x, &x->host[x->host[i].group], c->rail);

			if (sw == NO_ID)
				continue;
			r->cables++;
			r->there += sw == c->sw;
			if (sw != c->sw)
				place[n++] = (struct plan_place){c->port, sw, NO_ID};
		}
	return n;
}

static void tell_places(const struct rails *x, struct plan_place *place, size_t n, struct plan_report *r)
{
	const uint32_t *peer = x->f->port_peer;

	for (size_t i = 0; i < n && progress_step(x->p, 0); i++) {
		struct plan_difference *d;
		size_t other = 0;

		while (other < n &&
		       (peer[place[i].port] == NO_ID || place[i].to == NO_ID ||
			place[other].to != peer[place[i].port] || peer[place[other].port] != place[i].to))
			other++;
		if (other < i)
			continue; /* told with that one */
		d = plan_tell(r,
			      other < n			     ? PLAN_SWAPPED
			      : peer[place[i].port] == NO_ID ? PLAN_MISSING
							     : PLAN_LEAF,
			      NO_ID);
		d->at = place[i].port;
		d->found = peer[place[i].port];
		d->planned = other < n ? place[i].to : x->f->switch_port[place[i].sw];
		d->other = other < n ? place[other].port : NO_ID;
	}
}

int plan_compare_rails(const struct fabric *f, struct plan_rails *rails, struct plan_report *r,
		       struct progress *p, struct err *e)
{
	struct rails x = {.f = f, .p = p};
	struct plan_rails_alike *group;
	struct plan_place *place;
	size_t groups, n;

	*rails = (struct plan_rails){0};
	*r = (struct plan_report){0};
	progress_start(p, "looking for rails", 0);
	find_ports(&x);
	group = NEW_ARRAY(x.n_hosts + 1, struct plan_rails_alike);
	place = NEW_ARRAY(x.n + 1, struct plan_place);
	groups = find_groups(&x, group);
	join_groups(&x, group, groups);
	count_groups(&x, group, groups, rails);
	n = plan_rails_find_places(&x, place, r);
	plan_wish_places(f, place, n, r, p);
	tell_places(&x, place, n, r);
	free(x.hca);
	free(x.host);
	free(group);
	free(place);
	return progress_cancelled(p) ? (plan_free(r), err_set(e, CANCELLED)) : 0;
}
