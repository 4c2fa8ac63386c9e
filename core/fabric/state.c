#include "core/base/counted.h"
#include "core/base/memory.h"
#include "core/fabric/state.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct state *state_new(const struct fabric *f)
{
	struct state *s = ARENA_NEW(NULL, struct state);

	atomic_init(&s->refs, 1);
	s->n_links = f->n_links;
	s->n_nodes = f->n_nodes;
	s->link_down = ARENA_ARRAY(s, s->n_links, uint8_t);
	s->node_down = ARENA_ARRAY(s, s->n_nodes, uint8_t);
	return s;
}

struct state *state_copy(const struct state *s)
{
	struct state *c =
		ARENA_NEW(NULL, struct state); /* not mem_dup(): others may count references to s now */

	atomic_init(&c->refs, 1);
	c->n_links = s->n_links;
	c->n_nodes = s->n_nodes;
	c->link_down = arena_dup(c, s->link_down, s->n_links);
	c->node_down = arena_dup(c, s->node_down, s->n_nodes);
	return c;
}

bool state_equal(const struct state *a, const struct state *b)
{
	return a->n_links == b->n_links && a->n_nodes == b->n_nodes &&
	       !memcmp(a->link_down, b->link_down, a->n_links) &&
	       !memcmp(a->node_down, b->node_down, a->n_nodes);
}

struct state *state_on(const struct state *s, const struct fabric *from, const struct fabric *to,
		       bool unknown_down)
{
	struct state *n = state_new(to);

	assert(s->n_links == from->n_links && s->n_nodes == from->n_nodes);
	for (uint32_t l = 0; l < to->n_links; l++) {
		uint32_t was = fabric_link_in(from, to, l);

		n->link_down[l] = was == NO_ID ? unknown_down : s->link_down[was];
	}
	for (uint32_t i = 0; i < to->n_nodes; i++) {
		uint32_t was = fabric_node_by_guid(from, to->node_guid[i]);

		n->node_down[i] = was == NO_ID ? unknown_down : s->node_down[was];
	}
	return n;
}

static void state_release(struct state *m)
{
	arena_free(m);
}

COUNTED(struct state, struct state, state_ref, state_free, state_release)
COUNTED_LATER(struct state, state_free)

bool state_link_up(const struct fabric *f, const struct state *s, uint32_t link)
{
	uint32_t a = f->port_node[f->link_port[2 * link]], b = f->port_node[f->link_port[2 * link + 1]];

	return !s->link_down[link] && !s->node_down[a] && !s->node_down[b];
}

uint32_t state_live_peer(const struct fabric *f, const struct state *s, uint32_t port)
{
	uint32_t q = f->port_peer[port];

	if (q == NO_ID || !state_link_up(f, s, f->port_link[port]) || f->port_state[port] == PORT_DOWN ||
	    f->port_state[q] == PORT_DOWN)
		return NO_ID;
	return q;
}

/* Can an SM work at this endport? Its node must be up, and a CA port must have a live cable. */
static bool sm_can_run(const struct fabric *f, const struct state *s, uint32_t ep)
{
	return !s->node_down[endport_node(f, ep)] &&
	       (endport_is_switch(f, ep) || state_live_peer(f, s, f->endport_port[ep]) != NO_ID);
}

/* The endport where the SM runs under the state. If its place is gone: the first in the source's order. */
static uint32_t choose_sm(struct topo *t, const struct state *s)
{
	const struct fabric *f = t->fabric;
	uint32_t best = NO_ID;

	if (f->sm_endport == NO_ID || sm_can_run(f, s, f->sm_endport))
		return f->sm_endport;
	t->sm_moved = true;
	for (uint32_t ep = 0; ep < f->n_endports; ep++) {
		uint32_t n = endport_node(f, ep);

		if (!sm_can_run(f, s, ep))
			continue;
		if (best == NO_ID || f->node_order[n] < f->node_order[endport_node(f, best)])
			best = ep;
	}
	return best;
}

/* Switches reached, nearest first, and the hops of the directed route to each. */
struct state_search {
	uint32_t *queue;
	uint8_t *hops;
	uint32_t n;
};

static void reach_switch(struct topo *t, struct state_search *q, uint32_t sw, unsigned hops)
{
	const struct fabric *f = t->fabric;
	uint32_t node = f->switch_node[sw];

	if (t->node_up[node])
		return;
	t->node_up[node] = 1;
	q->hops[q->n] = (uint8_t)hops;
	q->queue[q->n++] = sw;
}

/* Record the live cable between two ports, and the node at its end, `hops` away. */
static void reach_port(struct topo *t, struct state_search *q, uint32_t port, uint32_t peer, unsigned hops)
{
	const struct fabric *f = t->fabric;
	uint32_t node = f->port_node[peer], ep = f->port_endport[peer];

	t->peer[port] = peer;
	t->peer[peer] = port;
	if (f->node_type[node] == NODE_SWITCH) {
		reach_switch(t, q, f->node_switch[node], hops);
		return;
	}
	t->node_up[node] = 1;
	if (ep != NO_ID && !t->endport_up[ep]) {
		t->endport_up[ep] = 1;
		t->n_endports_up++;
	}
}

static void state_search_from(struct topo *t, const struct state *s, struct state_search *q)
{
	const struct fabric *f = t->fabric;
	uint32_t port = f->endport_port[t->sm_endport], node = f->port_node[port], peer;

	if (f->node_type[node] == NODE_SWITCH) {
		reach_switch(t, q, f->node_switch[node], 0);
	} else {
		t->node_up[node] = 1;
		t->endport_up[t->sm_endport] = 1;
		t->n_endports_up++;
		peer = state_live_peer(f, s, port);
		if (peer != NO_ID)
			reach_port(t, q, port, peer, 1);
	}
	for (uint32_t i = 0; i < q->n && q->hops[i] < DR_MAX_HOPS; i++) {
		uint32_t sw = q->queue[i], p0 = f->switch_port[sw];

		for (unsigned p = 1; p <= f->switch_nports[sw]; p++) {
			/* the other end has been there already? */
			peer = t->peer[p0 + p] == NO_ID ? state_live_peer(f, s, p0 + p) : NO_ID;
			if (peer != NO_ID)
				reach_port(t, q, p0 + p, peer, q->hops[i] + 1u);
		}
	}
}

/* Number of hosts' ports reached. */
static uint32_t hosts_reached(const struct topo *t)
{
	uint32_t n = 0;

	for (uint32_t ep = 0; ep < t->fabric->n_endports; ep++)
		n += t->endport_up[ep] && !endport_is_switch(t->fabric, ep);
	return n;
}

static void forget_search(struct topo *t, struct state_search *q)
{
	const struct fabric *f = t->fabric;

	memset(t->node_up, 0, f->n_nodes);
	memset(t->endport_up, 0, f->n_endports);
	memset(t->peer, 0xff, f->n_ports * sizeof(*t->peer));
	t->n_endports_up = 0;
	q->n = 0;
}

/*
 * A guessed SM, and a standby that is assumed, move if another part of the fabric has more hosts than their
 * own. Each part is searched from its first endport in the source's order.
 */
static void regard_parts(struct topo *t, const struct state *s, struct state_search *q)
{
	const struct fabric *f = t->fabric;
	uint32_t here = t->sm_endport, best = here, most = hosts_reached(t);
	AUTO_FREE uint32_t *in_order = NEW_ARRAY(f->n_nodes, uint32_t);
	AUTO_FREE uint8_t *seen = mem_dup(t->node_up, f->n_nodes);

	memset(in_order, 0xff, f->n_nodes * sizeof(*in_order));
	for (uint32_t ep = f->n_endports; ep--;)
		in_order[f->node_order[endport_node(f, ep)]] = ep;
	for (uint32_t i = 0; i < f->n_nodes; i++) {
		t->sm_endport = in_order[i];
		if (t->sm_endport == NO_ID || seen[endport_node(f, t->sm_endport)] ||
		    !sm_can_run(f, s, t->sm_endport))
			continue;
		forget_search(t, q);
		state_search_from(t, s, q);
		for (uint32_t n = 0; n < f->n_nodes; n++)
			seen[n] |= t->node_up[n];
		uint32_t hosts = hosts_reached(t);
		if (hosts > most) {
			most = hosts;
			best = t->sm_endport;
		}
	}
	t->sm_endport = best;
	t->sm_regard = f->sm_guessed && best != here;
	t->sm_moved |= t->sm_regard;
	forget_search(t, q);
	state_search_from(t, s, q);
}

/* Could another part have more hosts than the one searched? */
static bool may_be_small(const struct topo *t)
{
	const struct fabric *f = t->fabric;
	uint32_t hosts = 0;

	for (uint32_t ep = 0; ep < f->n_endports; ep++)
		hosts += !endport_is_switch(f, ep);
	return 2 * hosts_reached(t) < hosts;
}

/*
 * Counts cables that lead on where directed routes end, and that were not seen from the other end. A cable
 * between two switches that are still there is known if it was known before.
 */
static void state_count_cut(struct topo *t, const struct state *s, const struct state_search *q,
			    const struct topo *before)
{
	const struct fabric *f = t->fabric;

	for (uint32_t i = q->n; i-- && q->hops[i] == DR_MAX_HOPS;) {
		uint32_t p0 = f->switch_port[q->queue[i]];

		for (unsigned p = 1; p <= f->switch_nports[q->queue[i]]; p++) {
			uint32_t peer = state_live_peer(f, s, p0 + p);
			if (t->peer[p0 + p] != NO_ID || peer == NO_ID)
				continue;
			if (before && before->peer[p0 + p] == peer && t->node_up[f->port_node[peer]] &&
			    node_is_switch(f, f->port_node[peer]))
				t->peer[p0 + p] = peer;
			else
				t->n_cut++;
		}
	}
}

/* Fills in the switches of endports, and the counts. All that is reached must be known. */
static void fill_topo(struct topo *t)
{
	const struct fabric *f = t->fabric;

	for (uint32_t sw = 0; sw < f->n_switches; sw++) {
		uint32_t p0 = f->switch_port[sw];

		if (!switch_up(t, sw))
			continue;
		t->n_switches_up++;
		for (unsigned p = 1; p <= f->switch_nports[sw]; p++) {
			uint32_t q = t->peer[p0 + p],
				 other = q == NO_ID ? NO_ID : f->node_switch[f->port_node[q]];

			if (other != sw)
				t->peer_switch[p0 + p] = other;
		}
	}
	for (uint32_t ep = 0; ep < f->n_endports; ep++) {
		uint32_t port = f->endport_port[ep], q = t->peer[port];

		if (endport_is_switch(f, ep)) {
			t->endport_up[ep] = t->node_up[f->port_node[port]];
			t->n_endports_up += t->endport_up[ep];
			t->endport_switch[ep] =
				t->endport_up[ep] ? f->node_switch[f->port_node[port]] : NO_ID;
		} else if (t->endport_up[ep] && q != NO_ID && node_is_switch(f, f->port_node[q])) {
			t->endport_switch[ep] = f->node_switch[f->port_node[q]];
			t->endport_swport[ep] = f->port_num[q];
		}
	}
	for (uint32_t l = 0; l < f->n_links; l++)
		t->n_links_up += t->peer[f->link_port[2 * l]] != NO_ID;
}

/* One of which nothing is up, and no SM is known; the caller sets peer and peer_switch of all ports. */
static struct topo *topo_made(const struct fabric *f)
{
	struct topo *t = ARENA_NEW(NULL, struct topo);

	atomic_init(&t->refs, 1);
	t->fabric = fabric_ref(f);
	t->sm_endport = NO_ID;
	t->node_up = ARENA_ARRAY(t, f->n_nodes, uint8_t);
	t->peer = ARENA_ARRAY(t, f->n_ports, uint32_t);
	t->peer_switch = ARENA_ARRAY(t, f->n_ports, uint32_t);
	t->endport_up = ARENA_ARRAY(t, f->n_endports, uint8_t);
	t->endport_switch = ARENA_ARRAY(t, f->n_endports, uint32_t);
	t->endport_swport = ARENA_ARRAY(t, f->n_endports, uint8_t);
	memset(t->endport_switch, 0xff, f->n_endports * sizeof(*t->endport_switch));
	return t;
}

struct topo *topo_new(const struct fabric *f, const struct state *s)
{
	return topo_after(f, s, NULL);
}

struct topo *topo_after(const struct fabric *f, const struct state *s, const struct topo *before)
{
	struct topo *t = topo_made(f);
	AUTO_ARENA void *arena = ARENA_EMPTY;
	struct state_search q = {
		.queue = ARENA_ARRAY(arena, f->n_switches, uint32_t),
		.hops = ARENA_ARRAY(arena, f->n_switches, uint8_t),
	};

	assert(s->n_links == f->n_links && s->n_nodes == f->n_nodes);
	assert(!before || before->fabric->n_ports == f->n_ports);
	memset(t->peer, 0xff, f->n_ports * sizeof(*t->peer));
	memset(t->peer_switch, 0xff, f->n_ports * sizeof(*t->peer_switch));
	t->sm_endport = choose_sm(t, s);
	if (t->sm_endport != NO_ID) {
		state_search_from(t, s, &q);
		if ((f->sm_guessed || t->sm_moved) && may_be_small(t))
			regard_parts(t, s, &q);
		state_count_cut(t, s, &q, before);
		fill_topo(t);
		assert(t->endport_up[t->sm_endport]);
	}
	return t;
}

struct topo *topo_on(const struct topo *t, const struct fabric *f, const uint32_t *match)
{
	struct topo *n = topo_made(f);

	n->data = t->data;
	for (uint32_t node = 0; node < f->n_nodes; node++) {
		uint32_t was = fabric_node_by_guid(t->fabric, f->node_guid[node]);

		n->node_up[node] = was != NO_ID && t->node_up[was];
		n->n_switches_up += n->node_up[node] && node_is_switch(f, node);
	}
	for (uint32_t p = 0; p < f->n_ports; p++) {
		uint32_t here = fabric_port_in(t->fabric, f, p), peer = here == NO_ID ? NO_ID : t->peer[here];
		uint32_t q = peer == NO_ID ? NO_ID : fabric_port_in(f, t->fabric, peer);
		uint32_t sw = q == NO_ID ? NO_ID : f->node_switch[f->port_node[q]];

		n->peer[p] = q;
		n->n_links_up += q != NO_ID && q > p;
		n->peer_switch[p] = sw != NO_ID && sw != f->node_switch[f->port_node[p]] ? sw : NO_ID;
	}
	for (uint32_t ep = 0; ep < t->fabric->n_endports; ep++) {
		uint32_t to = match[ep];

		assert(to == NO_ID || to < f->n_endports);
		if (to == NO_ID || !t->endport_up[ep])
			continue;
		n->endport_up[to] = 1;
		n->n_endports_up++;
		n->endport_swport[to] = t->endport_swport[ep];
		if (t->endport_switch[ep] != NO_ID)
			n->endport_switch[to] = fabric_switch_in(f, t->fabric, t->endport_switch[ep]);
	}
	return n;
}

static struct topo *topo_copy(const struct topo *t)
{
	const struct fabric *f = t->fabric;
	struct topo *n = topo_made(f);

	memcpy(n->node_up, t->node_up, f->n_nodes);
	memcpy(n->peer, t->peer, f->n_ports * sizeof(*t->peer));
	memcpy(n->peer_switch, t->peer_switch, f->n_ports * sizeof(*t->peer_switch));
	memcpy(n->endport_up, t->endport_up, f->n_endports);
	memcpy(n->endport_switch, t->endport_switch, f->n_endports * sizeof(*t->endport_switch));
	memcpy(n->endport_swport, t->endport_swport, f->n_endports);
	n->n_switches_up = t->n_switches_up;
	n->n_endports_up = t->n_endports_up;
	n->n_links_up = t->n_links_up;
	n->n_cut = t->n_cut;
	n->sm_endport = t->sm_endport;
	n->sm_moved = t->sm_moved;
	n->sm_regard = t->sm_regard;
	n->data = t->data;
	return n;
}

uint32_t topo_idle(const struct topo *t, uint32_t *first)
{
	const struct fabric *f = t->fabric;
	uint32_t n = 0, idle;

	if (first)
		*first = NO_ID;
	for (uint32_t l = 0; l < f->n_links; l++) {
		idle = t->peer[f->link_port[2 * l]] == NO_ID ? NO_ID
							     : fabric_idle_end(f, f->link_port[2 * l]);
		if (idle != NO_ID && !n++ && first)
			*first = idle;
	}
	return n;
}

struct topo *topo_data(const struct topo *t)
{
	const struct fabric *f = t->fabric;

	if (!topo_idle(t, NULL))
		return topo_ref(t);
	struct topo *n = topo_copy(t);
	n->data = true;
	for (uint32_t p = 0; p < f->n_ports; p++)
		if (n->peer[p] != NO_ID && fabric_idle_end(f, p) != NO_ID) {
			n->n_links_up -= n->peer[p] > p;
			n->peer[p] = n->peer_switch[p] = NO_ID;
		}
	for (uint32_t ep = 0; ep < f->n_endports; ep++)
		if (topo_mute(n, ep)) {
			n->endport_switch[ep] = NO_ID;
			n->endport_swport[ep] = 0;
		}
	return n;
}

struct topo *topo_without(const struct topo *t, const struct state *s)
{
	const struct fabric *f = t->fabric;
	struct topo *n = topo_copy(t);

	assert(s->n_links == f->n_links && s->n_nodes == f->n_nodes);
	n->sm_endport = NO_ID;
	n->n_switches_up = n->n_endports_up = n->n_links_up = 0;
	for (uint32_t node = 0; node < f->n_nodes; node++) {
		n->node_up[node] &= !s->node_down[node];
		n->n_switches_up += n->node_up[node] && node_is_switch(f, node);
	}
	for (uint32_t p = 0; p < f->n_ports; p++) {
		if (n->peer[p] != NO_ID &&
		    (f->port_peer[p] != n->peer[p] || !state_link_up(f, s, f->port_link[p])))
			n->peer[p] = n->peer_switch[p] = NO_ID;
		n->n_links_up += n->peer[p] > p && n->peer[p] != NO_ID;
	}
	for (uint32_t ep = 0; ep < f->n_endports; ep++) {
		uint32_t port = f->endport_port[ep];

		n->endport_up[ep] &= n->node_up[f->port_node[port]];
		if (!endport_is_switch(f, ep))
			n->endport_up[ep] &= n->peer[port] != NO_ID;
		n->n_endports_up += n->endport_up[ep];
		if (!n->endport_up[ep])
			n->endport_switch[ep] = NO_ID;
	}
	if (t->sm_endport != NO_ID && n->endport_up[t->sm_endport])
		n->sm_endport = t->sm_endport;
	return n;
}

static void topo_release(struct topo *t)
{
	fabric_unref(t->fabric);
	arena_free(t);
}

COUNTED(struct topo, struct topo, topo_ref, topo_unref, topo_release)
COUNTED_LATER(struct topo, topo_unref)

bool topo_ranks_told(const struct topo *t)
{
	const struct fabric *f = t->fabric;

	for (uint32_t s = 0; s < f->n_switches; s++)
		if (!f->switch_rank[s])
			return false;
	return t->n_switches_up == f->n_switches && t->n_links_up == f->n_links;
}
