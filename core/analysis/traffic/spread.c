/* Loads that cables make necessary: equivalent ports, equal paths, groups of adaptive routing. */
#include <stdlib.h>
#include <string.h>

#include "core/analysis/traffic/loads.h"
#include "core/analysis/traffic/spread.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/progress.h"
#include "core/routing/paths.h"

/* A port, by the ends of its link. */
struct far {
	uint64_t own;	/* who sends: element or chip */
	uint64_t to;	/* a key of the far end: equal for all ends with the same neighbours */
	uint32_t place; /* in the list asked for */
};

/* A hash of a set of neighbours, whatever their order and repetitions. No id takes its first value to 0. */
static uint64_t neighbours(uint32_t *set, uint32_t n)
{
	uint64_t h = 0xcbf29ce484222325u;

	qsort(set, n, sizeof(*set), order_u32);
	for (uint32_t i = 0; i < n; i++)
		h = i && set[i] == set[i - 1] ? h : mix(h, set[i] + 1u);
	return h | (uint64_t)1 << 63;
}

/* The key of an element as the target of a link; never 0. */
static uint64_t far_element(const struct elements *el, uint32_t e, uint32_t *set)
{
	uint32_t n = 0;

	if (el->hosts[e])
		return e + 1u;
	for (uint32_t l = el->first_link[e]; l < el->first_link[e + 1]; l++)
		set[n++] = el->link_to[l];
	return neighbours(set, n);
}

/* The same for a chip within its element; never 0. */
static uint64_t far_chip(const struct elements *el, uint32_t sw, uint32_t *set)
{
	const struct fabric *f = el->topo->fabric;
	uint32_t n = 0;

	FOR_PORTS(f, sw, port) {
		uint32_t peer = el->topo->peer[port];

		if (peer == NO_ID)
			continue;
		if (!node_is_switch(f, f->port_node[peer]) ||
		    el->of[f->node_switch[f->port_node[peer]]] != el->of[sw])
			return sw + 1u;
		set[n++] = f->node_switch[f->port_node[peer]];
	}
	return neighbours(set, n);
}

/* Keys known so far; 0: not yet. */
struct fars {
	uint64_t *element; /* [elements] */
	uint64_t *chip;	   /* [n_switches] */
	uint32_t *set;	   /* room for n_ports */
};

static bool far_end(const struct elements *el, uint32_t port, struct fars *k, struct far *x)
{
	const struct fabric *f = el->topo->fabric;
	uint32_t sw = f->node_switch[f->port_node[port]], link = el->port_link[port],
		 peer = el->topo->peer_switch[port];

	if (link != NO_ID) {
		uint32_t to = el->link_to[link];

		x->own = el->of[sw];
		x->to = k->element[to] = k->element[to] ? k->element[to] : far_element(el, to, k->set);
		return true;
	}
	if (peer == NO_ID || el->of[peer] != el->of[sw])
		return false;
	x->own = (uint64_t)1 << 32 | sw;
	x->to = k->chip[peer] = k->chip[peer] ? k->chip[peer] : far_chip(el, peer, k->set);
	return true;
}

COMPARATOR(by_far, struct far, UP(own) UP(to))

uint32_t equivalent_ports(const struct elements *el, const uint32_t *port, uint32_t n, uint32_t *group)
{
	const struct fabric *f = el->topo->fabric;
	AUTO_FREE struct far *x = NEW_ARRAY((size_t)n + 1, struct far);
	AUTO_ARENA void *arena = ARENA_EMPTY;
	struct fars k = {ARENA_ARRAY(arena, el->n + 1, uint64_t),
			 ARENA_ARRAY(arena, f->n_switches + 1, uint64_t),
			 ARENA_ARRAY(arena, f->n_ports + 1, uint32_t)};
	uint32_t used = 0, groups = 0;

	for (uint32_t i = 0; i < n; i++) {
		x[used].place = i;
		group[i] = NO_ID;
		used += far_end(el, port[i], &k, &x[used]);
	}
	qsort(x, used, sizeof(*x), by_far);
	for (uint32_t i = 0; i < used; i++) {
		groups += !i || by_far(&x[i - 1], &x[i]);
		group[x[i].place] = groups - 1;
	}
	return groups;
}

struct equal_paths_work {
	const struct elements *el;
	uint16_t *sp;	  /* [n] to the destination */
	uint16_t *around; /* [n] the same without passing the source */
	uint8_t *aside;	  /* [n] 1: a shortest way from there to the destination meets a link sideways */
	uint32_t *queue;
};

/* Distances to d as if element `without` had no links. */
static void distances_around(struct equal_paths_work *w, uint32_t d, uint32_t without)
{
	const struct elements *el = w->el;
	uint32_t n = 1;

	memset(w->around, 0xff, el->n * sizeof(*w->around));
	w->around[d] = 0;
	w->queue[0] = d;
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t l = el->first_link[w->queue[i]]; l < el->first_link[w->queue[i] + 1]; l++) {
			uint32_t to = el->link_to[l];

			if (to == without || w->around[to] != NO_DISTANCE)
				continue;
			w->around[to] = (uint16_t)(w->around[w->queue[i]] + 1);
			w->queue[n++] = to;
		}
}

/* Fills aside[]. order[n]: elements that reach the destination, nearest first. */
static void find_sideways(struct equal_paths_work *w, const uint32_t *order, uint32_t n)
{
	const struct elements *el = w->el;

	memset(w->aside, 0, el->n);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t e = order[i];

		for (uint32_t l = el->first_link[e]; l < el->first_link[e + 1]; l++) {
			uint32_t to = el->link_to[l];

			w->aside[e] |= w->sp[to] == w->sp[e] || (w->sp[to] < w->sp[e] && w->aside[to]);
		}
	}
}

/* Are all neighbours of e one step nearer to the destination? Then e has shortest ways only. */
static bool all_nearer(const struct equal_paths_work *w, uint32_t e)
{
	for (uint32_t l = w->el->first_link[e]; l < w->el->first_link[e + 1]; l++)
		if (w->sp[w->el->link_to[l]] >= w->sp[e])
			return false;
	return true;
}

/* Counts the way that begins with a link to `to`. on: length of the shortest way from there. */
static void count_way(const struct equal_paths_work *w, uint32_t to, uint16_t on, struct unequal_pair *p)
{
	bool aside = w->sp[to] + 1 == p->least && w->aside[to];
	uint16_t most = (uint16_t)(on + 1 + (aside && on + 1 == p->least));

	if (on == NO_DISTANCE)
		return;
	p->n_least += on + 1 == p->least;
	p->n_longer += most > p->least;
	p->most = MAX(most, p->most);
}

static void equal_paths_look_at(struct equal_paths_work *w, uint32_t e, uint32_t d, struct unequal_paths *u)
{
	struct unequal_pair p = {.from = e, .to = d, .least = w->sp[e], .most = w->sp[e]};
	const uint16_t *on = w->sp;

	if (all_nearer(w, e)) {
		if (!w->aside[e])
			return;
	} else {
		distances_around(w, d, e);
		on = w->around;
	}
	for (uint32_t l = w->el->first_link[e]; l < w->el->first_link[e + 1]; l++)
		count_way(w, w->el->link_to[l], on[w->el->link_to[l]], &p);
	if (!p.n_longer)
		return;
	ARENA_GROW(u, u->pair, u->n, u->cap);
	u->pair[u->n++] = p;
}

COMPARATOR(by_pair, struct unequal_pair, UP(from) UP(to))

struct unequal_paths *unequal_paths_new(const struct elements *el, struct progress *p)
{
	struct unequal_paths *u = ARENA_NEW(NULL, struct unequal_paths);
	AUTO_ARENA void *arena = ARENA_EMPTY;
	struct equal_paths_work w = {.el = el,
				     .sp = ARENA_ARRAY(arena, el->n + 1, uint16_t),
				     .around = ARENA_ARRAY(arena, el->n + 1, uint16_t),
				     .aside = ARENA_ARRAY(arena, el->n + 1, uint8_t),
				     .queue = ARENA_ARRAY(arena, el->n + 1, uint32_t)};
	bool going = true;

	for (uint32_t e = 0; e < el->n; e++)
		u->n_edges += el->hosts[e] > 0;
	progress_start(p, "ways between edge elements", el->n);
	for (uint32_t d = 0; going && d < el->n; d++) {
		going = progress_step(p, d);
		if (!going || !el->hosts[d])
			continue;
		find_sideways(&w, w.queue, elements_distances(el, d, w.sp, w.queue));
		for (uint32_t e = 0; e < el->n; e++)
			if (el->hosts[e] && e != d && w.sp[e] != NO_DISTANCE) {
				u->pairs++;
				equal_paths_look_at(&w, e, d, u);
			}
	}
	if (u->n)
		qsort(u->pair, u->n, sizeof(*u->pair), by_pair);
	if (going)
		return u;
	arena_free(u);
	return NULL;
}

/* The load that each port carries where groups of adaptive routing choose it. */

struct spread_groups_flood {
	const struct routing *r;
	const struct topo *t;
	const struct fabric *f;
	uint32_t *hosts; /* [n_switches] */
	double *flow;	 /* [n_switches] on its way to the destination */
	double *share;	 /* [n_ports] */
	uint32_t *order; /* [n_switches] */
	struct dest_ways *ways;
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
	const struct port_set *set = &w->ways->set[s];
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
	const uint16_t *hops = w->ways->worst;
	uint32_t n = 0;

	dest_ways(w->r, w->r->lids->base[dst], w->ways);
	for (uint32_t s = 0; s < w->f->n_switches; s++) {
		uint32_t pairs = w->hosts[s] - (w->t->endport_switch[dst] == s);

		w->left->pairs += pairs;
		w->flow[s] = hops[s] < HOPS_LOOP ? pairs : 0;
		if (hops[s] < HOPS_LOOP)
			w->order[n++] = s;
		else if (pairs)
			spread_groups_leave_out(w->left, s, dst, pairs, hops[s] == HOPS_LOOP);
	}
	qsort_r(w->order, n, sizeof(*w->order), farthest_first, w->ways->worst);
	for (uint32_t i = 0; i < n; i++)
		if (w->flow[w->order[i]] > 0)
			spread_groups_pass_on(w, w->order[i]);
}

double *spread_shares(const struct routing *r, struct spread_left *left, struct progress *p)
{
	uint32_t n_switches = r->topo->fabric->n_switches, n;
	AUTO_FREE uint32_t *host = pattern_hosts(r, &n);
	AUTO_ARENA void *arena = ARENA_EMPTY;
	struct spread_groups_flood w = {
		.r = r,
		.t = r->topo,
		.f = r->topo->fabric,
		.hosts = ARENA_ARRAY(arena, n_switches + 1, uint32_t),
		.flow = ARENA_ARRAY(arena, n_switches + 1, double),
		.share = NEW_ARRAY(r->topo->fabric->n_ports + 1, double),
		.order = ARENA_ARRAY(arena, n_switches + 1, uint32_t),
		.ways = dest_ways_new(arena, r),
		.left = left,
	};
	bool go_on = true;

	*left = (struct spread_left){.limit = left->limit};
	for (uint32_t i = 0; i < n; i++)
		w.hosts[w.t->endport_switch[host[i]]]++;
	progress_start(p, "shares of ports", n);
	for (uint32_t i = 0; i < n && go_on; i++) {
		spread_groups_flood_to(&w, host[i]);
		go_on = progress_step(p, i);
	}
	if (go_on)
		return w.share;
	free(w.share);
	return NULL;
}

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
	uint32_t n = w->t->fabric->n_switches;

	switch_distances(w->t, target, w->hops);
	uint32_t reached = hops_order(w->hops, n, w->order, w->start);
	for (uint32_t s = 0; s < n; s++)
		w->flow[s] = (double)w->hosts[s] * w->hosts[target];
	for (uint32_t i = reached; i > 1; i--)
		if (w->flow[w->order[i - 1]] > 0)
			spread_pass_on(w, w->order[i - 1]);
}

double *even_shares(const struct topo *t, const uint32_t *hosts, struct progress *p)
{
	uint32_t n = t->fabric->n_switches;
	AUTO_ARENA void *arena = ARENA_EMPTY;
	struct spread_flood w = {
		.t = t,
		.hosts = hosts,
		.share = NEW_ARRAY(t->fabric->n_ports, double),
		.flow = ARENA_ARRAY(arena, n, double),
		.hops = ARENA_ARRAY(arena, n, uint16_t),
		.order = ARENA_ARRAY(arena, n, uint32_t),
		.start = ARENA_ARRAY(arena, n + 2, uint32_t),
	};
	bool done = true;

	progress_start(p, "even shares", n);
	for (uint32_t s = 0; s < n && (done = progress_step(p, s)); s++)
		if (hosts[s] && switch_up(t, s))
			spread_flood_to(&w, s);
	if (done)
		return w.share;
	free(w.share);
	return NULL;
}
