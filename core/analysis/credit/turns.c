#include "core/analysis/credit/turns.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/routing/alike.h"
#include "core/sm/sweep.h"

#include <stdlib.h>
#include <string.h>

static char turns_direction(const struct routing *r, uint32_t sw, unsigned port)
{
	return r->ops->direction ? r->ops->direction(r, sw, port) : ' ';
}

bool turn_forbidden(const struct routing *r, uint32_t sw, unsigned in, unsigned out)
{
	const struct topo *t = r->topo;
	const struct fabric *f = t->fabric;
	uint32_t q;

	if (!has_directions(r) || !in || !out || in > f->switch_nports[sw] || out > f->switch_nports[sw])
		return false;
	q = t->peer[switch_port_id(f, sw, in)];
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
	uint32_t *source; /* [n_switches] switch where one of these routes starts */
};

static struct turns_counter *counter_new(const struct routing *r, struct turns *t)
{
	const struct fabric *f = r->topo->fabric;
	uint32_t n = f->n_switches;
	struct turns_counter *k = NEW(struct turns_counter);

	*k = (struct turns_counter){.r = r,
				    .t = t,
				    .dir = NEW_ARRAY(f->n_ports, char),
				    .hosts = NEW_ARRAY(n, uint32_t),
				    .last = NEW_ARRAY(f->n_ports, uint32_t),
				    .hops = NEW_ARRAY(n, uint16_t),
				    .work = NEW_ARRAY(n, uint32_t),
				    .order = NEW_ARRAY(n, uint32_t),
				    .start = NEW_ARRAY(n + 2, uint32_t),
				    .bad = NEW_ARRAY(n, uint8_t),
				    .load = NEW_ARRAY(n, uint64_t),
				    .source = NEW_ARRAY(n, uint32_t)};
	memset(k->last, 0xff, f->n_ports * sizeof(*k->last));
	for (uint32_t s = 0; s < n; s++)
		for (unsigned p = 1; switch_up(r->topo, s) && p <= f->switch_nports[s]; p++)
			k->dir[switch_port_id(f, s, p)] = turns_direction(r, s, p);
	for (uint32_t ep = 0; ep < f->n_endports; ep++)
		if (routing_has_host(r, ep))
			k->hosts[r->topo->endport_switch[ep]]++;
	return k;
}

static void counter_free(struct turns_counter *k)
{
	free(k->dir);
	free(k->hosts);
	free(k->last);
	free(k->before);
	free(k->hops);
	free(k->work);
	free(k->order);
	free(k->start);
	free(k->bad);
	free(k->load);
	free(k->source);
	free(k);
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
	uint32_t i;

	for (i = k->last[in]; i != NO_ID; i = k->before[i])
		if (t->turn[i].out == out) {
			t->turn[i].routes += routes;
			return;
		}
	GROW(t->turn, t->n, t->cap);
	GROW(k->before, t->n, k->cap_before);
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
		uint32_t s = k->order[i], in = next_port(k, col, s), next;

		if (!k->load[s] || in == NO_ID || !k->bad[s])
			continue;
		next = f->node_switch[f->port_node[in]];
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

/* Counts LIDs to which no way turns up, those of a switch together.  The others stay in left[].  -1:
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
	struct turns_counter *k;
	uint8_t *col, *left;
	int result;

	*t = (struct turns){0};
	if (!has_directions(r))
		return 0;
	k = counter_new(r, t);
	col = NEW_ARRAY((size_t)n * COLUMN_BLOCK, uint8_t);
	left = NEW_ARRAY(top + 1, uint8_t);
	for (unsigned lid = 1; lid <= top; lid++) {
		uint32_t owner = lid_owner(r->lids, lid);

		left[lid] = owner != NO_ID &&
			    (routing_counts(r, owner) || endport_is_switch(r->topo->fabric, owner));
	}
	progress_start(p, "looking for forbidden turns", top);
	result = count_straight(k, left, p);
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
	free(left);
	free(col);
	counter_free(k);
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
	uint32_t id = switch_port_id(t->fabric, sw, port), next = t->peer_switch[id], to;
	char c;

	if (next == NO_ID)
		return;
	c = lawful ? turns_direction(r, sw, port) : ' ';
	if (c == 'U' && state != NO_ID && state & 1)
		return;
	to = 2 * next + stays_down(r, state != NO_ID && state & 1, c);
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
	uint32_t at;

	w->n = 1;
	for (at = state; at != NO_ID; at = k->from[at])
		w->n++;
	w->links = w->n - 1;
	w->hop = NEW_ARRAY(w->n, struct path_hop);
	at = state;
	for (unsigned i = w->n - 1; i > 0; i--, at = k->from[at]) {
		w->hop[i] = (struct path_hop){.sw = at / 2, .in = k->in[at], .out = out};
		out = k->out[at];
	}
	w->hop[0] = (struct path_hop){.sw = sw, .out = out};
}

bool way_find(const struct routing *r, uint32_t sw, unsigned port, uint32_t target, bool lawful,
	      struct way *w)
{
	const struct fabric *f = r->topo->fabric;
	size_t n = 2 * (size_t)f->n_switches;
	struct turns_walk k = {.queue = NEW_ARRAY(n, uint32_t),
			       .from = NEW_ARRAY(n, uint32_t),
			       .in = NEW_ARRAY(n, uint8_t),
			       .out = NEW_ARRAY(n, uint8_t),
			       .seen = NEW_ARRAY(n, uint8_t)};
	bool found = false;

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
	free(k.queue);
	free(k.from);
	free(k.in);
	free(k.out);
	free(k.seen);
	return found;
}

bool way_forbidden(const struct routing *r, uint32_t sw, unsigned port, uint32_t target, struct way *w,
		   unsigned *at)
{
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
	uint32_t peer, sw;

	if (!r || (ev->kind != REC_FORBID && ev->kind != REC_PRICE))
		return false;
	if (way_forbidden(r, ev->a, ev->port, ev->b, w, at))
		return true;
	peer = r->topo->peer[switch_port_id(r->topo->fabric, ev->a, ev->port)];
	sw = peer == NO_ID ? NO_ID : r->topo->fabric->node_switch[r->topo->fabric->port_node[peer]];
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
