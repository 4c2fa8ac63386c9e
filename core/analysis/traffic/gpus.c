/* Hosts of GPUs in rings: the order of a ring and what its neighbours share. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/traffic/gpus.h"
#include "core/analysis/traffic/internal.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/fabric/fabric.h"

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
	uint32_t n;
	uint32_t *at;	  /* [n] hosts by place */
	uint32_t *flows;  /* [n_ports] */
	uint32_t *having; /* [flows at most + 1] number of links with this many flows */
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
	x->cost.max = MAX(*v, x->cost.max);
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

/* The GPU of the host that is `by` (1 or -1) from this one, round. */
static const struct gpu *gpu_beside(const struct gpus *g, uint32_t host, const struct gpu *x, int by)
{
	uint32_t n = g->first[host + 1] - g->first[host], i = (uint32_t)(x - &g->gpu[g->first[host]]);

	return &g->gpu[g->first[host] + (i + n + (uint32_t)by) % n];
}

/* The port by which a GPU of a host sends to one of another host. */
static uint32_t gpu_sends_by(const struct gpus *g, uint32_t host, const struct gpu *x, const struct gpu *to)
{
	const struct gpu *same = g->direct ? NULL : gpu_on(g, host, to->rail);

	return same ? same->endport : x->endport;
}

/* Finds the links between switches of an edge's flow: x->way[1 .. n - 2].  Returns n, or 0 when there is no
 * way. */
static uint32_t ring_order_find_way(struct ring_order_state *x, uint32_t place, uint32_t rail)
{
	uint32_t to = ring_order_behind(x, place, rail), host = x->at[place];
	const struct gpu *own = gpu_on(x->g, host, rail), *dst = gpu_on(x->g, x->at[to], rail);

	if (to == place)
		return 2; /* alone on its rail: no flow */
	own = gpu_beside(x->g, host, own, -1);
	return shift_way(x->r, gpu_sends_by(x->g, host, own, dst), dst->endport, x->way);
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
	AUTO_FREE uint8_t *hot = NEW_ARRAY(x->n + 1, uint8_t);
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
	AUTO_FREE struct ring_order_leaves *l = NEW_ARRAY(x->n + 1, struct ring_order_leaves);
	AUTO_FREE uint32_t *given = NEW_ARRAY(x->n + 1, uint32_t), *order = NEW_ARRAY(x->n + 1, uint32_t);
	bool go_on = true;

	for (uint32_t i = 0; i < x->n; i++) {
		given[i] = i;
		l[i] = (struct ring_order_leaves){x, i};
	}
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
	return go_on;
}

struct ring_order *ring_order_new(const struct routing *r, const struct gpus *g, struct progress *p,
				  struct err *e)
{
	const struct fabric *f = r->topo->fabric;
	struct ring_order *o = ARENA_NEW(NULL, struct ring_order);
	AUTO_ARENA void *arena = ARENA_EMPTY;
	struct ring_order_state x = {.r = r,
				     .g = g,
				     .n = g->n_hosts,
				     .at = ARENA_ARRAY(arena, g->n_hosts + 1, uint32_t),
				     .flows = ARENA_ARRAY(arena, f->n_ports + 1, uint32_t),
				     .having = ARENA_ARRAY(arena, g->n + 2, uint32_t),
				     .way = ARENA_ARRAY(arena, f->n_switches + 2, uint32_t)};
	uint32_t i, j;

	progress_start(p, "orders of a ring", 0);
	o->best_order = ARENA_ARRAY(o, g->n_hosts + 1, uint32_t);
	o->flows = ARENA_ARRAY(o, f->n_ports + 1, uint32_t);
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
	bool go_on = !progress_cancelled(p) && ring_order_find_best(&x, o, p);
	o->proved = o->all_tried || (o->best.max <= 1 && !o->best.lost);
	free(x.log);
	if (go_on)
		return o;
	arena_free(o);
	err_set(e, CANCELLED);
	return NULL;
}

const char *const gpu_pattern_word[GPU_PATTERNS] = {"ring", "tree", "alltoall"};

/* --- hosts and rails ------------------------------------------------------------------------------- */

/* A GPU on its way into the order. */
struct gpus_placed {
	const char *name;     /* of the host's first node */
	uint32_t place, host; /* of the host: first place in the list, or 0; number in rail_ports() */
	uint32_t rail, endport;
};

COMPARATOR(by_place, struct gpus_placed, UP(place) FIELD_BY(strverscmp, name) UP(host) UP(rail) UP(endport))
COMPARATOR(by_rail, struct gpus_placed, UP(rail))

/* The GPUs that count, with the host's place and name. */
static struct gpus_placed *gpus_place_all(const struct routing *r, const uint32_t *endport, uint32_t n,
					  uint32_t *kept)
{
	const struct fabric *f = r->topo->fabric;
	size_t n_ports;
	AUTO_FREE struct rail_port *port = rail_ports(f, &n_ports);
	struct gpus_placed *p = NEW_ARRAY(n_ports + 1, struct gpus_placed);
	AUTO_FREE uint32_t *place = NEW_ARRAY(f->n_endports + 1, uint32_t); /* from 1; 0: not meant */

	for (uint32_t i = 0; i < n; i++)
		if (!place[endport[i]])
			place[endport[i]] = i + 1;
	*kept = 0;
	for (size_t i = 0, end; i < n_ports; i = end) {
		uint32_t first = NO_ID, from = *kept;

		for (end = i; end < n_ports && port[end].host == port[i].host; end++) {
			uint32_t ep = f->port_endport[port[end].port];

			if (ep == NO_ID || !pattern_is_host(r, ep) || (endport && !place[ep]))
				continue;
			first = MIN(place[ep], first);
			p[(*kept)++] =
				(struct gpus_placed){port[i].name, 0, port[i].host, port[end].rail, ep};
		}
		while (from < *kept)
			p[from++].place = first;
	}
	return p;
}

struct gpus *gpus_new(const struct routing *r, const uint32_t *endport, uint32_t n)
{
	struct gpus *g = ARENA_NEW(NULL, struct gpus);
	AUTO_FREE struct gpus_placed *p = gpus_place_all(r, endport, n, &g->n);

	g->first = ARENA_ARRAY(g, g->n + 1, uint32_t);
	g->gpu = ARENA_ARRAY(g, g->n + 1, struct gpu);
	qsort(p, g->n, sizeof(*p), by_rail);
	for (uint32_t i = 0, old = 0; i < g->n; i++) { /* without gaps */
		g->n_rails += !i || p[i].rail != old;
		old = p[i].rail;
		p[i].rail = g->n_rails - 1;
	}
	qsort(p, g->n, sizeof(*p), by_place);
	for (uint32_t i = 0; i < g->n; i++) {
		if (!i || p[i].host != p[i - 1].host)
			g->first[g->n_hosts++] = i;
		g->gpu[i] = (struct gpu){p[i].rail, p[i].endport};
	}
	g->first[g->n_hosts] = g->n;
	assert(g->n_hosts <= g->n && g->n_rails <= g->n);
	return g;
}

struct gpus *gpus_in_order(const struct gpus *g, const uint32_t *order)
{
	struct gpus *o = ARENA_NEW(NULL, struct gpus);

	*o = (struct gpus){.n_hosts = g->n_hosts,
			   .n_rails = g->n_rails,
			   .first = ARENA_ARRAY(o, g->n_hosts + 1, uint32_t),
			   .gpu = ARENA_ARRAY(o, g->n + 1, struct gpu),
			   .direct = g->direct};
	for (uint32_t h = 0; h < g->n_hosts; h++) {
		for (uint32_t k = g->first[order[h]]; k < g->first[order[h] + 1]; k++)
			o->gpu[o->n++] = g->gpu[k];
		o->first[h + 1] = o->n;
	}
	assert(o->n == g->n);
	return o;
}

const struct gpu *gpu_on(const struct gpus *g, uint32_t host, uint32_t rail)
{
	assert(host < g->n_hosts);
	uint32_t low = g->first[host], high = g->first[host + 1];

	while (low < high) {
		uint32_t mid = (low + high) / 2;

		if (g->gpu[mid].rail < rail)
			low = mid + 1;
		else
			high = mid;
	}
	return low < g->first[host + 1] && g->gpu[low].rail == rail ? &g->gpu[low] : NULL;
}

const char *gpus_host_name(const struct gpus *g, const struct fabric *f, uint32_t host, char *buf,
			   size_t size)
{
	assert(host < g->n_hosts);
	const char *given = f->node_given[endport_node(f, g->gpu[g->first[host]].endport)];
	size_t len;
	const char *name = box_name(given, &len);

	snprintf(buf, size, "%.*s", (int)len, len ? name : given);
	return buf;
}

/* The parent of place i of n in the first (0) or second (1) tree; NO_ID: it is the root. */
static uint32_t tree_parent(uint32_t i, uint32_t n, int tree)
{
	/* the second is the first with its places mirrored, or moved by one if their number is odd */
	uint32_t at = !tree   ? i
		      : n % 2 ? (i + n - 1) % n
			      : n - 1 - i,
		 bit = at & -at, up = (at ^ bit) | (bit << 1);

	if (!at)
		return NO_ID;
	if (up >= n)
		up = at ^ bit;
	if (!tree)
		return up;
	return n % 2 ? (up + 1) % n : n - 1 - up;
}

/* What the flows are added with. */
struct gpus_maker {
	const struct routing *r;
	const struct gpus *g;
	struct pattern *p;
};

static void ring_on(const struct gpus_maker *m, uint32_t rail, const uint32_t *host, uint32_t n)
{
	for (uint32_t i = 0; n > 1 && i < n; i++) {
		const struct gpu *own = gpu_on(m->g, host[i], rail),
				 *to = gpu_on(m->g, host[(i + 1) % n], rail);
		const struct gpu *last = gpu_beside(m->g, host[i], own, -1);

		pattern_add(m->r, gpu_sends_by(m->g, host[i], last, to), to->endport, 1, m->p);
	}
}

static void trees_on(const struct gpus_maker *m, uint32_t rail, const uint32_t *host, uint32_t n)
{
	for (int tree = 0; tree < 2; tree++)
		for (uint32_t i = 0; i < n; i++) {
			uint32_t up = tree_parent(i, n, tree), child, parent;

			if (up == NO_ID)
				continue;
			const struct gpu *x = gpu_on(m->g, host[up], rail);
			child = gpu_on(m->g, host[i], rail)->endport;
			parent = (m->g->direct ? gpu_beside(m->g, host[up], x, 1) : x)->endport;
			pattern_add(m->r, child, parent, 1, m->p);
			pattern_add(m->r, parent, child, 1, m->p);
		}
}

/* All that a host sends to another one. */
static void send_all(const struct gpus_maker *m, uint32_t from, uint32_t to)
{
	const struct gpus *g = m->g;

	for (uint32_t k = g->first[to]; k < g->first[to + 1]; k++) {
		const struct gpu *same = g->direct ? NULL : gpu_on(g, from, g->gpu[k].rail);

		if (same)
			pattern_add(m->r, same->endport, g->gpu[k].endport,
				    g->first[from + 1] - g->first[from], m->p);
		for (uint32_t i = g->first[from]; !same && i < g->first[from + 1]; i++)
			pattern_add(m->r, g->gpu[i].endport, g->gpu[k].endport, 1, m->p);
	}
}

int pattern_gpus(const struct routing *r, const struct gpus *g, enum gpu_pattern kind, struct pattern *p,
		 struct progress *pr, struct err *e)
{
	struct gpus_maker m = {r, g, p};
	AUTO_FREE uint32_t *host = NEW_ARRAY(g->n_hosts + 1, uint32_t);
	uint64_t flows = kind == GPUS_ALLTOALL ? (uint64_t)g->n * g->n : 4 * (uint64_t)g->n;
	int rc = flows > UINT32_MAX ? err_set(e, "too many flows to count: %u ports to all others", g->n) : 0;

	assert(kind < GPU_PATTERNS);
	p->kind = PATTERN_LIST;
	progress_start(pr, "flows of GPUs", g->n_hosts);
	if (!rc) /* the list doubles as it grows */
		rc = mem_room(e, 2 * flows * sizeof(struct flow), "flows of %u GPUs", g->n);
	for (uint32_t rail = 0; !rc && kind != GPUS_ALLTOALL && rail < g->n_rails; rail++) {
		uint32_t n = 0;

		for (uint32_t h = 0; h < g->n_hosts; h++)
			if (gpu_on(g, h, rail))
				host[n++] = h;
		(kind == GPUS_RING ? ring_on : trees_on)(&m, rail, host, n);
		rc = progress_cancelled(pr) ? err_set(e, CANCELLED) : 0;
	}
	for (uint32_t a = 0; !rc && kind == GPUS_ALLTOALL && a < g->n_hosts; a++) {
		for (uint32_t b = 0; b < g->n_hosts; b++)
			if (a != b)
				send_all(&m, a, b);
		rc = progress_step(pr, a) ? 0 : err_set(e, CANCELLED);
	}
	return rc;
}

void pattern_gpus_step(const struct routing *r, const struct gpus *g, uint32_t k, struct pattern *p)
{
	assert(k && k < g->n);
	p->kind = PATTERN_LIST;
	for (uint32_t host = 0; host < g->n_hosts; host++)
		for (uint32_t i = g->first[host]; i < g->first[host + 1]; i++) {
			uint32_t to = (uint32_t)(((uint64_t)i + k) % g->n);

			if (to < g->first[host] || to >= g->first[host + 1])
				pattern_add(r, gpu_sends_by(g, host, &g->gpu[i], &g->gpu[to]),
					    g->gpu[to].endport, 1, p);
		}
}
