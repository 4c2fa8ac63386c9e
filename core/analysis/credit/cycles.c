/* Cycles of channel dependencies, and the turns that make them. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/credit/internal.h"
#include "core/analysis/credit/turns.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/progress.h"
#include "core/formats/drawing.h"
#include "core/routing/routing.h"
#include "core/sm/sweep.h"

static char turns_direction(const struct routing *r, uint32_t sw, unsigned port)
{
	return r->ops->direction ? r->ops->direction(r, sw, port) : ' ';
}

bool turn_forbidden(const struct routing *r, uint32_t sw, unsigned in, unsigned out)
{
	const struct topo *t = r->topo;
	const struct fabric *f = t->fabric;

	assert(sw < f->n_switches);
	if (!has_directions(r) || !in || !out || in > f->switch_nports[sw] || out > f->switch_nports[sw])
		return false;
	uint32_t q = t->peer[switch_port_id(f, sw, in)];
	if (q == NO_ID || !node_is_switch(f, f->port_node[q]))
		return false;
	return turns_direction(r, f->node_switch[f->port_node[q]], f->port_num[q]) == 'D' &&
	       turns_direction(r, sw, out) == 'U';
}

/* May a packet not go up after a step in direction c? down: it could not before. */
static bool stays_down(const struct routing *r, bool down, char c)
{
	return c == 'D' || (c == '=' && down && r->ops->level_stays_down);
}

unsigned first_turn(const struct routing *r, const struct path_hop *hop, unsigned n)
{
	bool down = false;

	for (unsigned i = 0; i < n; i++) {
		char c =
			hop[i].out && hop[i].out != NO_PATH ? turns_direction(r, hop[i].sw, hop[i].out) : ' ';

		if (down && c == 'U')
			return i;
		down = stays_down(r, down, c);
	}
	return n;
}

/* --- in the tables ------------------------------------------------------------------ */

struct turns_counter {
	const struct routing *r;
	struct turns *t;
	char *dir;	  /* [n_ports] direction out of a switch port */
	uint32_t *hosts;  /* [n_switches] CA and router ports */
	uint32_t *last;	  /* [n_ports] latest turn by its `in` port id, NO_ID = none */
	uint32_t *before; /* [cap_before] turn before it with the same `in` */
	uint32_t cap_before;
	/* for one LID */
	uint16_t *hops;		/* [n_switches] */
	uint32_t *work, *order; /* [n_switches]; order: switches that reach the LID, nearest first */
	uint32_t n_order;
	uint32_t *start;  /* [n_switches + 2] */
	uint8_t *bad;	  /* [n_switches] the way from here has a forbidden turn */
	uint64_t *load;	  /* [n_switches] routes that pass */
	uint32_t *source; /* [n_switches] a switch where one of these routes starts */
};

static struct turns_counter *counter_new(const struct routing *r, struct turns *t)
{
	const struct fabric *f = r->topo->fabric;
	uint32_t n = f->n_switches;
	struct turns_counter *k = ARENA_NEW(NULL, struct turns_counter);

	*k = (struct turns_counter){.r = r,
				    .t = t,
				    .dir = ARENA_ARRAY(k, f->n_ports, char),
				    .hosts = ARENA_ARRAY(k, n, uint32_t),
				    .last = ARENA_ARRAY(k, f->n_ports, uint32_t),
				    .hops = ARENA_ARRAY(k, n, uint16_t),
				    .work = ARENA_ARRAY(k, n, uint32_t),
				    .order = ARENA_ARRAY(k, n, uint32_t),
				    .start = ARENA_ARRAY(k, n + 2, uint32_t),
				    .bad = ARENA_ARRAY(k, n, uint8_t),
				    .load = ARENA_ARRAY(k, n, uint64_t),
				    .source = ARENA_ARRAY(k, n, uint32_t)};
	memset(k->last, 0xff, f->n_ports * sizeof(*k->last));
	for (uint32_t s = 0; s < n; s++)
		for (unsigned p = 1; switch_up(r->topo, s) && p <= f->switch_nports[s]; p++)
			k->dir[switch_port_id(f, s, p)] = turns_direction(r, s, p);
	for (uint32_t ep = 0; ep < f->n_endports; ep++)
		if (routing_has_host(r, ep))
			k->hosts[r->topo->endport_switch[ep]]++;
	return k;
}

/* A host on a switch, but not the destination. */
static uint32_t source_at(const struct routing *r, uint32_t sw, uint32_t owner)
{
	const struct topo *t = r->topo;
	const struct fabric *f = t->fabric;

	FOR_PORTS(f, sw, port) {
		uint32_t q = t->peer[port], ep = q == NO_ID ? NO_ID : f->port_endport[q];

		if (ep != NO_ID && ep != owner && routing_counts(r, ep))
			return ep;
	}
	return NO_ID;
}

static void note_turn(struct turns_counter *k, uint32_t in, unsigned out, uint64_t routes, uint32_t from,
		      unsigned lid)
{
	const struct fabric *f = k->r->topo->fabric;
	struct turns *t = k->t;

	for (uint32_t i = k->last[in]; i != NO_ID; i = k->before[i])
		if (t->turn[i].out == out) {
			t->turn[i].routes += routes;
			return;
		}
	GROW(t->turn, t->n, t->cap);
	ARENA_GROW(k, k->before, t->n, k->cap_before);
	t->turn[t->n] = (struct turn){.sw = f->node_switch[f->port_node[in]],
				      .in = f->port_num[in],
				      .out = out,
				      .routes = routes,
				      .dlid = lid,
				      .source = source_at(k->r, from, lid_owner(k->r->lids, lid))};
	k->before[t->n] = k->last[in];
	k->last[in] = t->n++;
}

/* The receiving port of a switch's next hop to the LID, if it is a switch's; else NO_ID. */
static uint32_t next_port(const struct turns_counter *k, const uint8_t *col, uint32_t s)
{
	const struct topo *t = k->r->topo;
	uint32_t id = switch_port_id(t->fabric, s, col[s]);

	return col[s] && t->peer_switch[id] != NO_ID ? t->peer[id] : NO_ID;
}

static bool turns_is_bad(const struct turns_counter *k, const uint8_t *col, uint32_t s, uint32_t in)
{
	const struct fabric *f = k->r->topo->fabric;
	uint32_t next = f->node_switch[f->port_node[in]];

	return k->dir[switch_port_id(f, s, col[s])] == 'D' &&
	       k->dir[switch_port_id(f, next, col[next])] == 'U';
}

static void turns_count_lid(struct turns_counter *k, const uint8_t *col, unsigned lid, uint32_t owner)
{
	const struct topo *t = k->r->topo;
	const struct fabric *f = t->fabric;
	bool to_switch = endport_is_switch(f, owner);

	column_hops(t, col, owner, k->hops, k->work);
	k->n_order = hops_order(k->hops, k->r->topo->fabric->n_switches, k->order, k->start);
	for (uint32_t i = 0; i < k->n_order; i++) { /* nearest first: is there a bad turn ahead? */
		uint32_t s = k->order[i], in = next_port(k, col, s);

		k->load[s] = k->hosts[s] - (!to_switch && t->endport_switch[owner] == s);
		k->source[s] = s;
		k->bad[s] = in != NO_ID &&
			    (turns_is_bad(k, col, s, in) || k->bad[f->node_switch[f->port_node[in]]]);
		*(to_switch ? &k->t->switch_routes : &k->t->routes) += k->load[s];
		if (k->bad[s])
			*(to_switch ? &k->t->switch_bad : &k->t->bad) += k->load[s];
	}
	for (uint32_t i = k->n_order; i-- > 0;) { /* farthest first: what passes where */
		uint32_t s = k->order[i], in = next_port(k, col, s);

		if (!k->load[s] || in == NO_ID || !k->bad[s])
			continue;
		uint32_t next = f->node_switch[f->port_node[in]];
		if (turns_is_bad(k, col, s, in))
			note_turn(k, in, col[next], k->load[s], k->source[s], lid);
		if (!k->load[next])
			k->source[next] = k->source[s];
		k->load[next] += k->load[s];
	}
}

/* Does some way to the LIDs of a group turn up? */
static bool some_turn(const struct turns_counter *k, const struct alike *a)
{
	const struct topo *t = k->r->topo;
	const struct fabric *f = t->fabric;

	for (uint32_t s = 0; s < f->n_switches; s++) {
		const uint8_t *port = a->port + (size_t)s * a->n;

		for (unsigned i = 0; a->hops[s] != HOPS_NONE && s != a->sw && i < a->n; i++) {
			uint32_t id = f->switch_port[s] + port[i], next = t->peer_switch[id];

			if (k->dir[id] == 'D' &&
			    k->dir[f->switch_port[next] + a->port[(size_t)next * a->n + i]] == 'U')
				return true;
		}
	}
	return false;
}

/* Counts LIDs to which no way turns up, those of a switch together; the others stay in left[].  -1:
 * cancelled. */
static int count_straight(struct turns_counter *k, uint8_t *left, struct progress *p)
{
	const struct fabric *f = k->r->topo->fabric;
	struct alike a;
	bool go_on = true;

	alike_start(&a, k->r, left);
	for (uint32_t sw = 0; sw < f->n_switches && (go_on = progress_step(p, sw)); sw++)
		while (alike_next(&a, sw)) {
			bool turns = some_turn(k, &a);
			uint64_t sources = 0;

			for (uint32_t s = 0; s < f->n_switches; s++)
				sources += a.hops[s] == HOPS_NONE ? 0 : k->hosts[s];
			for (unsigned i = 0; i < a.n; i++) {
				bool to_switch = endport_is_switch(f, lid_owner(k->r->lids, a.lid[i]));

				left[a.lid[i]] = turns;
				*(to_switch ? &k->t->switch_routes : &k->t->routes) +=
					turns ? 0 : sources - !to_switch;
			}
		}
	alike_end(&a);
	return go_on ? 0 : -1;
}

int turns_count(const struct routing *r, struct turns *t, struct progress *p)
{
	uint32_t n = r->topo->fabric->n_switches;
	unsigned top = r->lids->max_lid;

	*t = (struct turns){0};
	if (!has_directions(r))
		return 0;
	AUTO_ARENA struct turns_counter *k = counter_new(r, t);
	AUTO_FREE uint8_t *col = NEW_ARRAY((size_t)n * COLUMN_BLOCK, uint8_t),
			  *left = NEW_ARRAY(top + 1, uint8_t);
	for (unsigned lid = 1; lid <= top; lid++) {
		uint32_t owner = lid_owner(r->lids, lid);

		left[lid] = owner != NO_ID &&
			    (routing_counts(r, owner) || endport_is_switch(r->topo->fabric, owner));
	}
	progress_start(p, "looking for forbidden turns", top);
	int result = count_straight(k, left, p);
	for (unsigned lid0 = 1; lid0 <= top && !result; lid0 += COLUMN_BLOCK) {
		unsigned end = top - lid0 < COLUMN_BLOCK ? top + 1 : lid0 + COLUMN_BLOCK;

		if (!progress_step(p, lid0)) {
			result = -1;
			break;
		}
		if (!memchr(left + lid0, 1, end - lid0))
			continue;
		routing_columns(r, lid0, COLUMN_BLOCK, col);
		for (unsigned lid = lid0; lid < end; lid++)
			if (left[lid])
				turns_count_lid(k, col + (size_t)(lid - lid0) * n, lid,
						lid_owner(r->lids, lid));
	}
	assert(result || (t->bad <= t->routes && t->switch_bad <= t->switch_routes));
	if (result)
		turns_free(t);
	return result;
}

void turns_free(struct turns *t)
{
	free(t->turn);
	*t = (struct turns){0};
}

/* --- ways that are not in the tables --------------------------------------------------- */

/* A breadth-first search over (switch, came down or not). */
struct turns_walk {
	uint32_t *queue, *from; /* [2 * n_switches] states; from: the state before, NO_ID = start */
	uint8_t *in, *out;	/* [2 * n_switches] port of entry; port of the state before */
	uint8_t *seen;		/* [2 * n_switches] */
	uint32_t end;
};

/* Go from a switch through a port, if the rule allows it and the state is new. state NO_ID: the start. */
static void turns_go(const struct routing *r, struct turns_walk *k, uint32_t state, uint32_t sw,
		     unsigned port, bool lawful)
{
	const struct topo *t = r->topo;
	uint32_t id = switch_port_id(t->fabric, sw, port), next = t->peer_switch[id];

	if (next == NO_ID)
		return;
	char c = lawful ? turns_direction(r, sw, port) : ' ';
	if (c == 'U' && state != NO_ID && state & 1)
		return;
	uint32_t to = 2 * next + stays_down(r, state != NO_ID && state & 1, c);
	if (k->seen[to])
		return;
	k->seen[to] = 1;
	k->from[to] = state;
	k->in[to] = t->fabric->port_num[t->peer[id]];
	k->out[to] = port;
	k->queue[k->end++] = to;
}

static void write_way(struct way *w, const struct turns_walk *k, uint32_t sw, uint32_t state)
{
	uint8_t out = 0;

	w->n = 1;
	for (uint32_t at = state; at != NO_ID; at = k->from[at])
		w->n++;
	w->links = w->n - 1;
	w->hop = NEW_ARRAY(w->n, struct path_hop);
	for (unsigned i = w->n - 1; i > 0; i--, state = k->from[state]) {
		w->hop[i] = (struct path_hop){.sw = state / 2, .in = k->in[state], .out = out};
		out = k->out[state];
	}
	w->hop[0] = (struct path_hop){.sw = sw, .out = out};
}

bool way_find(const struct routing *r, uint32_t sw, unsigned port, uint32_t target, bool lawful,
	      struct way *w)
{
	const struct fabric *f = r->topo->fabric;
	size_t n = 2 * (size_t)f->n_switches;
	AUTO_ARENA void *arena = ARENA_EMPTY;
	struct turns_walk k = {.queue = ARENA_ARRAY(arena, n, uint32_t),
			       .from = ARENA_ARRAY(arena, n, uint32_t),
			       .in = ARENA_ARRAY(arena, n, uint8_t),
			       .out = ARENA_ARRAY(arena, n, uint8_t),
			       .seen = ARENA_ARRAY(arena, n, uint8_t)};
	bool found = false;

	assert(sw < f->n_switches && target < f->n_switches);
	assert(port <= f->switch_nports[sw]);
	*w = (struct way){0};
	k.seen[2 * (size_t)sw] = k.seen[2 * (size_t)sw + 1] = 1;
	turns_go(r, &k, NO_ID, sw, port, lawful);
	for (uint32_t i = 0; i < k.end && !found; i++) {
		uint32_t at = k.queue[i];

		found = at / 2 == target;
		if (found)
			write_way(w, &k, sw, at);
		for (unsigned p = 1; !found && p <= f->switch_nports[at / 2]; p++)
			turns_go(r, &k, at, at / 2, p, lawful);
	}
	return found;
}

bool way_forbidden(const struct routing *r, uint32_t sw, unsigned port, uint32_t target, struct way *w,
		   unsigned *at)
{
	assert(sw < r->topo->fabric->n_switches);
	if (!has_directions(r) || sw == target || !port || port > r->topo->fabric->switch_nports[sw] ||
	    !way_find(r, sw, port, target, false, w))
		return false;
	*at = first_turn(r, w->hop, w->n);
	if (*at < w->n)
		return true;
	way_free(w);
	return false;
}

bool step_way(const struct moment *m, struct way *w, unsigned *at)
{
	const struct rec_event *ev = moment_event(m);
	const struct routing *r = ev ? recording_sweep(m->rec)->routing : NULL;

	if (!r || (ev->kind != REC_FORBID && ev->kind != REC_PRICE))
		return false;
	if (way_forbidden(r, ev->a, ev->port, ev->b, w, at))
		return true;
	uint32_t peer = r->topo->peer[switch_port_id(r->topo->fabric, ev->a, ev->port)];
	uint32_t sw = peer == NO_ID ? NO_ID : r->topo->fabric->node_switch[r->topo->fabric->port_node[peer]];
	for (unsigned out = 1; sw != NO_ID && out <= r->topo->fabric->switch_nports[sw]; out++) {
		unsigned in = r->topo->fabric->port_num[peer];

		if (out == in || !turn_forbidden(r, sw, in, out))
			continue;
		*w = (struct way){.hop = NEW_ARRAY(2, struct path_hop), .n = 2, .links = 1};
		w->hop[0] = (struct path_hop){.sw = ev->a, .out = ev->port};
		w->hop[1] = (struct path_hop){.sw = sw, .in = (uint8_t)in, .out = (uint8_t)out};
		*at = 1;
		return true;
	}
	return false;
}

void way_free(struct way *w)
{
	free(w->hop);
	*w = (struct way){0};
}

/* Cycles of a channel dependency graph. */

/*
 * Strongly connected components (R. E. Tarjan, Depth-First Search and Linear
 * Graph Algorithms, SIAM Journal on Computing 1(2), 1972), without recursion.
 */
struct tarjan {
	uint32_t *number, *low; /* [n_channels] order of discovery, 0 = not yet; smallest number reached */
	uint32_t *next;		/* [n_channels] dependency to look at next */
	uint32_t *path, n_path; /* channels on the path being searched */
	uint32_t *open, n_open; /* channels not yet in a component */
	uint32_t numbers;
};

static void cycles_enter(struct tarjan *t, const struct cdg *c, uint32_t v)
{
	t->number[v] = t->low[v] = ++t->numbers;
	t->next[v] = c->first[v];
	t->path[t->n_path++] = v;
	t->open[t->n_open++] = v;
}

/* Makes all open channels from v on one component, if it has a cycle. */
static void close_component(struct tarjan *t, struct cdg *c, uint32_t v)
{
	bool cyclic = t->open[t->n_open - 1] != v || cdg_dependency(c, v, v) != NO_ID;
	uint32_t x;

	do {
		x = t->open[--t->n_open];
		t->low[x] = UINT32_MAX;
		c->component[x] = cyclic ? c->n_components : NO_ID;
	} while (x != v);
	c->n_components += cyclic;
}

/* False: cancelled. */
static bool cycles_search_from(struct tarjan *t, struct cdg *c, uint32_t start, struct progress *p)
{
	cycles_enter(t, c, start);
	while (t->n_path) {
		uint32_t v = t->path[t->n_path - 1], x;

		if (t->next[v] == c->first[v + 1]) {
			if (!progress_step(p, t->numbers))
				return false;
			t->n_path--;
			if (t->low[v] == t->number[v])
				close_component(t, c, v);
			else if (t->n_path && t->low[v] < t->low[t->path[t->n_path - 1]])
				t->low[t->path[t->n_path - 1]] = t->low[v];
			continue;
		}
		x = c->to[t->next[v]++];
		if (!t->number[x])
			cycles_enter(t, c, x);
		else if (t->low[x] != UINT32_MAX && t->number[x] < t->low[v])
			t->low[v] = t->number[x];
	}
	return true;
}

/* Numbers the components by their first channel; finds sizes and VLs. */
static void renumber(struct cdg *c)
{
	AUTO_FREE uint32_t *id = NEW_ARRAY(c->n_components, uint32_t);
	uint32_t n = 0;

	memset(id, 0xff, c->n_components * sizeof(*id));
	c->size = ARENA_ARRAY(c, c->n_components, uint32_t);
	c->vls = ARENA_ARRAY(c, c->n_components, uint16_t);
	for (uint32_t v = 0; v < c->n_channels; v++) {
		if (c->component[v] == NO_ID)
			continue;
		if (id[c->component[v]] == NO_ID)
			id[c->component[v]] = n++;
		c->component[v] = id[c->component[v]];
		c->size[c->component[v]]++;
		c->vls[c->component[v]] |= (uint16_t)(1u << c->vl[v]);
	}
}

bool cdg_find_components(struct cdg *c, struct progress *p)
{
	AUTO_ARENA void *arena = ARENA_EMPTY;
	struct tarjan t = {
		.number = ARENA_ARRAY(arena, c->n_channels, uint32_t),
		.low = ARENA_ARRAY(arena, c->n_channels, uint32_t),
		.next = ARENA_ARRAY(arena, c->n_channels, uint32_t),
		.path = ARENA_ARRAY(arena, c->n_channels, uint32_t),
		.open = ARENA_ARRAY(arena, c->n_channels, uint32_t),
	};
	bool go_on = true;

	assert(!c->n_channels || c->first[c->n_channels] == c->n_deps);
	assert(!c->component && !c->n_components);
	c->component = ARENA_ARRAY(c, c->n_channels, uint32_t);
	progress_start(p, "credit loops", c->n_channels);
	for (uint32_t v = 0; v < c->n_channels && go_on; v++)
		if (!t.number[v])
			go_on = cycles_search_from(&t, c, v, p);
	if (go_on)
		renumber(c);
	return go_on;
}

static bool touches(const struct cdg *c, int vl, uint32_t component)
{
	return vl == CDG_ALL_VLS || c->vls[component] >> vl & 1;
}

uint32_t cdg_components_below(const struct cdg *c, int vl, uint32_t component)
{
	uint32_t n = 0;

	assert(component <= c->n_components);
	for (uint32_t i = 0; i < component; i++)
		n += touches(c, vl, i);
	return n;
}

uint32_t cdg_component_on(const struct cdg *c, int vl, uint32_t n)
{
	for (uint32_t i = 0; i < c->n_components; i++)
		if (touches(c, vl, i) && !n--)
			return i;
	return NO_ID;
}

/* --- a shortest cycle -------------------------------------------------------------------- */

struct seeker {
	const struct cdg *c;
	uint32_t component;
	uint32_t *seen, *parent, *dist, *queue; /* [n_channels] */
	uint32_t generation;
};

/* A shortest cycle through `start`, shorter than `limit`: its last channel, NO_ID = none. */
static uint32_t way_back(struct seeker *s, uint32_t start, uint32_t limit)
{
	const struct cdg *c = s->c;
	uint32_t head = 0, tail = 0;

	s->seen[start] = ++s->generation;
	s->dist[start] = 1;
	s->parent[start] = NO_ID;
	s->queue[tail++] = start;
	while (head < tail) {
		uint32_t v = s->queue[head++];

		if (s->dist[v] >= limit)
			return NO_ID;
		for (uint32_t i = c->first[v]; i < c->first[v + 1]; i++) {
			uint32_t x = c->to[i];

			if (x == start)
				return v;
			/* cycles through a smaller channel were found from that one */
			if (x < start || c->component[x] != s->component || s->seen[x] == s->generation)
				continue;
			s->seen[x] = s->generation;
			s->dist[x] = s->dist[v] + 1;
			s->parent[x] = v;
			s->queue[tail++] = x;
		}
	}
	return NO_ID;
}

static uint32_t receiver(const struct cdg *c, uint32_t v)
{
	return c->routing->topo->peer_switch[c->port[v]];
}

/*
 * A lower bound of the length of cycles: 1 or 2 if a dependency turns back at once, 4 if the switches have
 * two colours, else 3. Colours come from a union-find of "same" and "other" halves.
 */
static uint32_t least_length(const struct cdg *c, uint32_t component)
{
	const struct fabric *f = c->routing->topo->fabric;
	uint32_t n = f->n_switches, least = 4;
	AUTO_FREE uint32_t *up = NEW_ARRAY(2 * (size_t)n, uint32_t);

	for (uint32_t i = 0; i < 2 * n; i++)
		up[i] = i;
	for (uint32_t v = 0; v < c->n_channels; v++) {
		if (c->component[v] != component)
			continue;
		uint32_t a = f->node_switch[f->port_node[c->port[v]]];
		uint32_t b = receiver(c, v);
		for (uint32_t i = c->first[v]; b == NO_ID || i < c->first[v + 1]; i++)
			if (b == NO_ID || receiver(c, c->to[i]) == a)
				return 1;
		up[disjoint_root(up, a)] = disjoint_root(up, n + b);
		up[disjoint_root(up, n + a)] = disjoint_root(up, b);
		if (disjoint_root(up, a) == disjoint_root(up, n + a))
			least = 3;
	}
	return least;
}

uint32_t cdg_cycle(const struct cdg *c, uint32_t component, uint32_t *cycle, struct progress *p)
{
	assert(component < c->n_components);
	uint32_t n = c->n_channels, best = c->size[component] + 1, least = least_length(c, component);
	AUTO_ARENA void *arena = ARENA_EMPTY;
	struct seeker s = {
		.c = c,
		.component = component,
		.seen = ARENA_ARRAY(arena, n, uint32_t),
		.parent = ARENA_ARRAY(arena, n, uint32_t),
		.dist = ARENA_ARRAY(arena, n, uint32_t),
		.queue = ARENA_ARRAY(arena, n, uint32_t),
	};
	bool go_on = true;

	progress_start(p, "a shortest credit loop", n);
	for (uint32_t v = 0; v < n && best > least && (go_on = progress_step(p, v)); v++) {
		uint32_t end = c->component[v] == component ? way_back(&s, v, best) : NO_ID;

		if (end == NO_ID)
			continue;
		best = s.dist[end];
		for (uint32_t i = best; end != NO_ID; end = s.parent[end])
			cycle[--i] = end;
	}
	return go_on ? best : 0;
}

uint32_t cdg_find(const struct cdg *c, uint32_t port, unsigned vl)
{
	uint32_t lo = 0, hi = c->n_channels;

	assert(vl < CDG_VLS);
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (c->vl[mid] < vl || (c->vl[mid] == vl && c->port[mid] < port))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < c->n_channels && c->vl[lo] == vl && c->port[lo] == port ? lo : NO_ID;
}

uint32_t cdg_dependency(const struct cdg *c, uint32_t from, uint32_t to)
{
	assert(from < c->n_channels && to < c->n_channels);
	for (uint32_t i = c->first[from]; i < c->first[from + 1]; i++)
		if (c->to[i] == to)
			return i;
	return NO_ID;
}

/* --- routes behind a dependency ------------------------------------------------------------------ */

/* The pair to look for: two successive ports, each on its VL. */
struct wanted_pair {
	uint32_t port[2];
	unsigned vl[2];
};

static bool on_path(const struct routing *r, const struct path *p, unsigned sl, const struct wanted_pair *w)
{
	const struct fabric *f = r->topo->fabric;
	uint32_t last = NO_ID;
	unsigned last_vl = 0;

	for (unsigned i = 0; i < p->n && p->hop[i].out; i++) {
		const struct path_hop *h = &p->hop[i];
		unsigned vl = routing_vl(r, h->sw, h->in, h->out, sl) & 15;

		if (vl == CDG_DROP_VL)
			return false;
		if (i == 0 && h->in) {
			last = f->endport_port[p->src];
			last_vl =
				routing_endport_known(r) ? sl2vl_of(routing_endport_map(r, p->src), sl) : vl;
			if (last_vl == CDG_DROP_VL)
				return false;
		}
		uint32_t port = switch_port_id(f, h->sw, h->out);
		if (last == w->port[0] && last_vl == w->vl[0] && port == w->port[1] && vl == w->vl[1])
			return true;
		last = port;
		last_vl = vl;
	}
	return false;
}

static bool route_makes(const struct routing *r, const struct cdg_source *s, unsigned lid,
			const struct wanted_pair *w)
{
	struct path p;
	bool found = false;

	path_trace(r, s->endport, 0, lid, &p); /* by the tables; each SL is checked for drops on VL 15 */
	p.sl = routing_sl(r, s->lid, lid);
	for (unsigned sl = p.sl.lo; p.end == PATH_OK && sl <= p.sl.hi && !found; sl++)
		found = on_path(r, &p, sl, w);
	path_free(&p);
	return found;
}

/* The channel where a dependency begins. */
static uint32_t from_of(const struct cdg *c, uint32_t dependency)
{
	uint32_t lo = 0, hi = c->n_channels;

	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (c->first[mid] <= dependency)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

/* Do the tables send the LID through both ports? */
static bool tables_agree(const struct routing *r, const struct wanted_pair *w, unsigned lid)
{
	const struct fabric *f = r->topo->fabric;

	for (unsigned i = 0; i < 2; i++) {
		uint32_t sw = f->node_switch[f->port_node[w->port[i]]];

		if (sw != NO_ID && routing_port(r, sw, lid) != f->port_num[w->port[i]])
			return false;
	}
	return true;
}

/*
 * Does a switch send a LID through a port? The answer holds for all switches on the way, except in a loop.
 * known: [n_switches] 0: not known, 1: no, 2: yes.  way: [n_switches], scratch.
 */
static bool leads_through(const struct routing *r, uint32_t sw, uint32_t port, unsigned lid, uint8_t *known,
			  uint32_t *way)
{
	const struct topo *t = r->topo;
	uint32_t n = 0;
	uint8_t found = 0;

	while (!found) {
		unsigned out = sw == NO_ID ? 0 : routing_port(r, sw, lid);

		if (!out || out == NO_PATH || out > t->fabric->switch_nports[sw]) {
			found = 1;
			break;
		}
		uint32_t at = switch_port_id(t->fabric, sw, out);
		found = at == port ? 2 : known[sw];
		known[sw] = 1;
		way[n++] = sw;
		sw = t->peer_switch[at];
	}
	while (n)
		known[way[--n]] = found;
	return found == 2;
}

size_t cdg_routes(const struct cdg *c, uint32_t dependency, struct cdg_route *route, size_t max,
		  struct progress *p)
{
	assert(dependency < c->n_deps);
	const struct routing *r = c->routing;
	const struct fabric *f = r->topo->fabric;
	uint32_t from = from_of(c, dependency), to = c->to[dependency], n_sources,
		 n_switches = r->topo->fabric->n_switches;
	struct wanted_pair w = {{c->port[from], c->port[to]}, {c->vl[from], c->vl[to]}};
	AUTO_ARENA struct cdg_source *s = cdg_sources(NULL, r, c->switches, &n_sources);
	AUTO_FREE uint8_t *known = NEW_ARRAY(n_switches, uint8_t);
	AUTO_FREE uint32_t *way = NEW_ARRAY(n_switches, uint32_t);
	size_t n = 0;
	/* a route may pass both ports if it begins at the first, or if its switch sends the LID there */
	bool begins = f->node_switch[f->port_node[w.port[0]]] == NO_ID;

	for (unsigned lid = 1; lid <= r->lids->max_lid && n < max && !progress_cancelled(p); lid++) {
		uint32_t owner = lid_owner(r->lids, lid);

		if (!cdg_is_destination(r, c->switches, lid) || !tables_agree(r, &w, lid))
			continue;
		memset(known, 0, n_switches);
		for (uint32_t i = 0; i < n_sources && n < max; i++)
			if (s[i].endport != owner &&
			    (begins ? f->endport_port[s[i].endport] == w.port[0]
				    : leads_through(r, s[i].sw, w.port[0], lid, known, way)) &&
			    route_makes(r, &s[i], lid, &w))
				route[n++] = (struct cdg_route){s[i].endport, s[i].lid, lid};
	}
	return n;
}

/* The part to draw: a component, or everything connected with a VL. */
struct drawn {
	int vl;
	uint32_t component;
};

bool cdg_at_host(const struct cdg *c, uint32_t channel)
{
	assert(channel < c->n_channels);
	const struct topo *t = c->routing->topo;
	uint32_t port = c->port[channel], peer = t->peer[port];

	return !node_is_switch(t->fabric, t->fabric->port_node[port]) ||
	       (peer != NO_ID && !node_is_switch(t->fabric, t->fabric->port_node[peer]));
}

static bool is_drawn(const struct cdg *c, const struct drawn *d, uint32_t from, uint32_t to)
{
	if (cdg_at_host(c, from) || cdg_at_host(c, to)) /* no cycle goes there */
		return false;
	if (d->component != NO_ID)
		return c->component[from] == d->component && c->component[to] == d->component;
	return d->vl == CDG_ALL_VLS || c->vl[from] == d->vl || c->vl[to] == d->vl;
}

static void dot_channels(FILE *f, const struct cdg *c, const struct drawn *d)
{
	const struct fabric *fb = c->routing->topo->fabric;
	AUTO_FREE bool *near = NEW_ARRAY(c->n_channels, bool);
	char label[300];

	for (uint32_t v = 0; v < c->n_channels; v++) {
		near[v] |= is_drawn(c, d, v, v);
		for (uint32_t i = c->first[v]; i < c->first[v + 1]; i++)
			if (is_drawn(c, d, v, c->to[i]))
				near[v] = near[c->to[i]] = true;
	}
	for (uint32_t v = 0; v < c->n_channels; v++) {
		if (!near[v])
			continue;
		fprintf(f, "\tc%u [label=\"", v);
		dot_text(f, port_label(fb, c->port[v], label, sizeof(label)));
		fprintf(f, "\\nto ");
		dot_text(f, fb->node_name[fb->port_node[c->routing->topo->peer[c->port[v]]]]);
		fprintf(f, ", VL %u\"%s];\n", c->vl[v], c->component[v] == NO_ID ? "" : ", color=red");
	}
}

int cdg_write_dot(FILE *f, const struct cdg *c, int vl, uint32_t component, struct progress *p)
{
	const struct drawn d = {vl, component};
	bool go_on = true;

	assert(component == NO_ID || component < c->n_components);
	assert(vl == CDG_ALL_VLS || (vl >= 0 && vl < CDG_VLS));
	fprintf(f, "digraph cdg {\n\tranksep=0.3; nodesep=0.1;\n\tnode [shape=box, fontsize=9];\n\tedge "
		   "[fontsize=8];\n");
	dot_channels(f, c, &d);
	progress_start(p, "writing the drawing", c->n_channels);
	for (uint32_t v = 0; v < c->n_channels && (go_on = progress_step(p, v)); v++) {
		for (uint32_t i = c->first[v]; i < c->first[v + 1]; i++) {
			bool cyclic = c->component[v] != NO_ID && c->component[v] == c->component[c->to[i]];

			if (is_drawn(c, &d, v, c->to[i]))
				fprintf(f, "\tc%u -> c%u [label=%u%s];\n", v, c->to[i], c->routes[i],
					cyclic ? ", color=red" : "");
		}
	}
	fprintf(f, "}\n");
	return ferror(f) || !go_on ? -1 : 0;
}
