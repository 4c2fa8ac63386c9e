#include "core/analysis/traffic/ring_order.h"

#include <stdlib.h>
#include <string.h>

#include "core/analysis/traffic/internal.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/order.h"

int ring_cost_order(const struct ring_cost *a, const struct ring_cost *b)
{
	ORDER(a->lost, b->lost);
	ORDER(a->max, b->max);
	ORDER(a->links, b->links);
	ORDER(a->meet, b->meet);
	return 0;
}

/* A ring under change. An edge is named by its rail and the place of its sender. */
struct ring_order_state {
	const struct routing *r;
	const struct gpus *g;
	bool direct;
	uint32_t n;
	uint32_t *at;	  /* [n] hosts by place */
	uint32_t *flows;  /* [n_ports] */
	uint32_t *having; /* [flows at most + 1] links with so many */
	uint32_t *way;	  /* as shift_way() has it */
	struct ring_cost cost;
	uint32_t *log; /* [n_log] ports and what was on them, in pairs, since n_log was 0 */
	size_t n_log, cap_log;
};

static void ring_order_count(struct ring_order_state *x, uint32_t port, int by)
{
	uint32_t *v = &x->flows[port];

	GROW(x->log, x->n_log + 1, x->cap_log);
	x->log[x->n_log++] = port;
	x->log[x->n_log++] = *v;
	x->having[*v]--;
	x->cost.meet += by > 0 ? *v : (uint64_t)0 - (*v - 1);
	*v += (uint32_t)by;
	x->having[*v]++;
	if (*v > x->cost.max)
		x->cost.max = *v;
	while (x->cost.max && !x->having[x->cost.max])
		x->cost.max--;
	x->cost.links = x->cost.max ? x->having[x->cost.max] : 0;
}

/* The place before this one whose host has the rail; round, and maybe itself. */
static uint32_t ring_order_before(const struct ring_order_state *x, uint32_t place, uint32_t rail)
{
	do
		place = place ? place - 1 : x->n - 1;
	while (!gpu_on(x->g, x->at[place], rail));
	return place;
}

static uint32_t ring_order_behind(const struct ring_order_state *x, uint32_t place, uint32_t rail)
{
	do
		place = place + 1 < x->n ? place + 1 : 0;
	while (!gpu_on(x->g, x->at[place], rail));
	return place;
}

/* The links between switches of an edge's flow: x->way[1 .. n - 2]. Returns n; 0: there is no way. */
static uint32_t ring_order_find_way(struct ring_order_state *x, uint32_t place, uint32_t rail)
{
	uint32_t to = ring_order_behind(x, place, rail), host = x->at[place];
	const struct gpu *own = gpu_on(x->g, host, rail), *dst = gpu_on(x->g, x->at[to], rail);

	if (to == place)
		return 2; /* alone on its rail: no flow */
	own = gpu_beside(x->g, host, own, -1);
	return shift_way(x->r, gpu_sends_by(x->g, host, own, dst, x->direct), dst->endport, x->way);
}

static void count_edge(struct ring_order_state *x, uint32_t place, uint32_t rail, int by)
{
	uint32_t n = ring_order_find_way(x, place, rail);

	if (!n)
		x->cost.lost += (uint32_t)by;
	for (uint32_t i = 1; i + 1 < n; i++)
		ring_order_count(x, x->way[i], by);
}

/* All edges of a rail that end, begin or pass at either place. */
static void count_around(struct ring_order_state *x, uint32_t i, uint32_t j, uint32_t rail, int by)
{
	uint32_t from[4], n = 0;
	const uint32_t place[] = {i, j};

	for (int k = 0; k < 2; k++) {
		from[n++] = ring_order_before(x, place[k], rail);
		if (gpu_on(x->g, x->at[place[k]], rail))
			from[n++] = place[k];
	}
	for (uint32_t k = 0; k < n; k++) {
		bool again = false;

		for (uint32_t m = 0; m < k; m++)
			again |= from[m] == from[k];
		if (!again)
			count_edge(x, from[k], rail, by);
	}
}

/* For each rail of either host: its edges at both places leave, or come. */
static void count_rails(struct ring_order_state *x, uint32_t i, uint32_t j, int by)
{
	const struct gpus *g = x->g;
	uint32_t a = x->at[i], b = x->at[j];

	for (uint32_t k = g->first[a]; k < g->first[a + 1]; k++)
		count_around(x, i, j, g->gpu[k].rail, by);
	for (uint32_t k = g->first[b]; k < g->first[b + 1]; k++)
		if (!gpu_on(g, a, g->gpu[k].rail))
			count_around(x, i, j, g->gpu[k].rail, by);
}

static void swap(struct ring_order_state *x, uint32_t i, uint32_t j)
{
	uint32_t host = x->at[i];

	x->n_log = 0;
	count_rails(x, i, j, -1);
	x->at[i] = x->at[j];
	x->at[j] = host;
	count_rails(x, i, j, 1);
}

/* Takes back the last swap, before which the log was empty. */
static void ring_order_take_back(struct ring_order_state *x, uint32_t i, uint32_t j,
				 const struct ring_cost *cost)
{
	uint32_t host = x->at[i];

	x->at[i] = x->at[j];
	x->at[j] = host;
	while (x->n_log) {
		uint32_t was = x->log[--x->n_log], *v = &x->flows[x->log[--x->n_log]];

		x->having[*v]--;
		x->having[was]++;
		*v = was;
	}
	x->cost = *cost;
}

static void ring_order_take(struct ring_order_state *x, const uint32_t *order)
{
	const struct gpus *g = x->g;

	memset(x->flows, 0, x->r->topo->fabric->n_ports * sizeof(*x->flows));
	memset(x->having, 0, (g->n + 2) * sizeof(*x->having));
	x->having[0] = UINT32_MAX / 2; /* all others */
	x->cost = (struct ring_cost){0};
	memcpy(x->at, order, x->n * sizeof(*order));
	for (uint32_t i = 0; i < x->n; i++)
		for (uint32_t k = g->first[x->at[i]]; k < g->first[x->at[i] + 1]; k++)
			count_edge(x, i, g->gpu[k].rail, 1);
	x->n_log = 0;
}

/* Places at which an edge with a flow over one of the most loaded links begins, ends or passes. */
static void find_hot(struct ring_order_state *x, uint8_t *hot)
{
	const struct gpus *g = x->g;

	memset(hot, 0, x->n);
	for (uint32_t i = 0; i < x->n; i++)
		for (uint32_t k = g->first[x->at[i]]; k < g->first[x->at[i] + 1]; k++) {
			uint32_t n = ring_order_find_way(x, i, g->gpu[k].rail),
				 to = ring_order_behind(x, i, g->gpu[k].rail);
			bool most = !n;

			for (uint32_t m = 1; m + 1 < n && !most; m++)
				most = x->flows[x->way[m]] == x->cost.max;
			for (uint32_t at = i; most; at = at + 1 < x->n ? at + 1 : 0) {
				hot[at] = 1;
				if (at == to)
					break;
			}
		}
}

/*
 * The swap of two places that helps most, or the first that helps; false: none helps, or cancelled.  Only hot
 * places can help.
 */
static bool best_swap(struct ring_order_state *x, bool first, uint32_t *from, uint32_t *to,
		      struct ring_cost *cost, struct progress *p)
{
	uint8_t *hot = NEW_ARRAY(x->n + 1, uint8_t);
	struct ring_cost now = x->cost;
	bool found = false, go_on = true;

	*cost = now;
	find_hot(x, hot);
	for (uint32_t i = 0; i < x->n && go_on && (now.max > 1 || now.lost); i++)
		for (uint32_t j = 0; j < x->n && hot[i] && go_on; j++) {
			if (i == j || (j < i && hot[j]))
				continue;
			swap(x, i, j);
			if (ring_cost_order(&x->cost, cost) < 0) {
				*cost = x->cost;
				*from = i;
				*to = j;
				found = true;
			}
			ring_order_take_back(x, i, j, &now);
			go_on = progress_step(p, 0) && !(first && found);
		}
	free(hot);
	return found && !progress_cancelled(p);
}

/* Keeps the order if it is the best so far. */
static void keep_best(const struct ring_order_state *x, struct ring_order *o)
{
	if (ring_cost_order(&x->cost, &o->best) >= 0)
		return;
	o->best = x->cost;
	memcpy(o->best_order, x->at, x->n * sizeof(*x->at));
}

/* All orders that begin with the first host: places from `from` on are free. False: cancelled. */
static bool try_orders(struct ring_order_state *x, uint32_t from, struct ring_order *o, struct progress *p)
{
	bool go_on = progress_step(p, 0);

	if (from + 1 >= x->n)
		keep_best(x, o);
	for (uint32_t i = from; i < x->n && go_on && from + 1 < x->n; i++) {
		if (i != from)
			swap(x, from, i);
		go_on = try_orders(x, from + 1, o, p);
		if (i != from)
			swap(x, from, i);
	}
	return go_on;
}

/* A host with the switches of its ports. */
struct ring_order_leaves {
	const struct ring_order_state *x;
	uint32_t host;
};

static int by_leaf(const void *first, const void *second)
{
	const struct ring_order_leaves *a = first, *b = second;
	const struct gpus *g = a->x->g;
	const uint32_t *sw = a->x->r->topo->endport_switch;

	for (uint32_t i = g->first[a->host], k = g->first[b->host];
	     i < g->first[a->host + 1] && k < g->first[b->host + 1]; i++, k++)
		ORDER(sw[g->gpu[i].endport], sw[g->gpu[k].endport]);
	ORDER(a->host, b->host);
	return 0;
}

/* From an order downhill, swap by swap, until none helps. */
static bool go_down(struct ring_order_state *x, const uint32_t *order, struct ring_order *o,
		    struct progress *p)
{
	struct ring_cost cost;
	uint32_t i, j;

	ring_order_take(x, order);
	while (best_swap(x, true, &i, &j, &cost, p))
		swap(x, i, j);
	keep_best(x, o);
	return !progress_cancelled(p);
}

static bool ring_order_find_best(struct ring_order_state *x, struct ring_order *o, struct progress *p)
{
	struct ring_order_leaves *l = NEW_ARRAY(x->n + 1, struct ring_order_leaves);
	uint32_t *given = NEW_ARRAY(x->n + 1, uint32_t), *order = NEW_ARRAY(x->n + 1, uint32_t);
	bool go_on = true;

	for (uint32_t i = 0; i < x->n; i++) {
		given[i] = i;
		l[i] = (struct ring_order_leaves){x, i};
	}
	if (x->n)
		qsort(l, x->n, sizeof(*l), by_leaf);
	for (uint32_t i = 0; i < x->n; i++)
		order[i] = l[i].host;
	if (o->now.max <= 1 && !o->now.lost) {
		; /* no order is better */
	} else if (x->n <= RING_ALL_ORDERS) {
		ring_order_take(x, given);
		go_on = try_orders(x, 1, o, p);
		o->all_tried = go_on;
	} else {
		go_on = go_down(x, order, o, p);
		if (go_on && (o->best.max > 1 || o->best.lost))
			go_on = go_down(x, given, o, p);
	}
	free(l);
	free(given);
	free(order);
	return go_on;
}

struct ring_order *ring_order_new(const struct routing *r, const struct gpus *g, bool direct,
				  struct progress *p, struct err *e)
{
	const struct fabric *f = r->topo->fabric;
	struct ring_order *o = NEW(struct ring_order);
	struct ring_order_state x = {.r = r,
				     .g = g,
				     .direct = direct,
				     .n = g->n_hosts,
				     .at = NEW_ARRAY(g->n_hosts + 1, uint32_t),
				     .flows = NEW_ARRAY(f->n_ports + 1, uint32_t),
				     .having = NEW_ARRAY(g->n + 2, uint32_t),
				     .way = NEW_ARRAY(f->n_switches + 2, uint32_t)};
	uint32_t i, j;
	bool go_on;

	progress_start(p, "orders of a ring", 0);
	o->best_order = NEW_ARRAY(g->n_hosts + 1, uint32_t);
	o->flows = NEW_ARRAY(f->n_ports + 1, uint32_t);
	for (uint32_t k = 0; k < x.n; k++)
		o->best_order[k] = k;
	ring_order_take(&x, o->best_order);
	o->now = o->best = x.cost;
	memcpy(o->flows, x.flows, f->n_ports * sizeof(*x.flows));
	o->swap[0] = o->swap[1] = NO_ID;
	if (best_swap(&x, false, &i, &j, &o->swapped, p)) {
		o->swap[0] = MIN(i, j);
		o->swap[1] = MAX(i, j);
	}
	go_on = !progress_cancelled(p) && ring_order_find_best(&x, o, p);
	o->proved = o->all_tried || (o->best.max <= 1 && !o->best.lost);
	free(x.at);
	free(x.flows);
	free(x.having);
	free(x.way);
	free(x.log);
	if (go_on)
		return o;
	ring_order_free(o);
	err_set(e, CANCELLED);
	return NULL;
}

void ring_order_free(struct ring_order *x)
{
	if (!x)
		return;
	free(x->flows);
	free(x->best_order);
	free(x);
}
