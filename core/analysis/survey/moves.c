/*
 * The effect of changed entries, and of hosts that left, on the ways of hosts to one LID that stays.  The
 * ways to a LID are a tree.  A way changes only behind the first switch whose entry changed.  The number of
 * hosts that come by that switch is known from before.  So only these switches, those behind them, and the
 * ways of who left are looked at.
 */
#include "core/analysis/survey/effect.h"

#include <stdlib.h>
#include <string.h>

/* With more moves than this share of all entries, whole columns are as fast. */
#define MOVES_SHARE 8

void moves_init(struct moves *m, const struct effect_base *b)
{
	uint32_t n = b->routing->topo->fabric->n_switches;

	m->first = NEW_ARRAY(MAX_LID + 1, uint32_t);
	m->moved = NEW_ARRAY((size_t)n + 1, uint8_t);
	m->own = NEW_ARRAY((size_t)n + 1, uint32_t);
	m->path = NEW_ARRAY((size_t)n + 1, uint32_t);
	m->most = ((size_t)b->routing->lids->max_lid + 1) * n / MOVES_SHARE;
	moves_clear(m);
}

void moves_free(struct moves *m)
{
	free(m->move);
	free(m->first);
	free(m->moved);
	free(m->own);
	free(m->path);
}

void moves_clear(struct moves *m)
{
	memset(m->first, 0xff, (MAX_LID + 1) * sizeof(*m->first));
	m->n = 0;
	m->too_many = false;
}

void moves_add(struct moves *m, uint32_t sw, unsigned lid)
{
	if (m->n >= m->most) {
		m->too_many = true;
		return;
	}
	GROW(m->move, m->n, m->cap);
	m->move[m->n] = (struct move){.sw = sw, .next = m->first[lid]};
	m->first[lid] = (uint32_t)m->n++;
}

/* --- one LID ----------------------------------------------------------------------------------- */

/* Data needed while the moves of one LID are applied. */
struct applying {
	struct effect_work *w;
	struct moves *m;
	const struct topo *was, *is;
	const struct routing *now;
	const uint8_t *port;  /* [n_switches] entries before */
	const uint16_t *flow; /* [n_switches] hosts that came by before */
	unsigned lid;
	uint32_t dst;
	bool base_lid;
};

static void survey_moves_add_load(struct applying *a, uint32_t port, uint32_t routes)
{
	if (!a->base_lid)
		return;
	a->w->load[port] += routes;
	note_load(a->w, port);
}

/* Takes away the old way of some hosts that came by a switch, up to the next switch that moved. */
static void take_way(struct applying *a, uint32_t sw, uint32_t hosts)
{
	const struct fabric *f = a->was->fabric;

	for (uint32_t s = sw; hosts;) {
		uint32_t port = switch_port_id(f, s, a->port[s]), next = a->was->peer_switch[port];

		if (next == NO_ID)
			return;
		survey_moves_add_load(a, port, 0 - hosts);
		if (a->m->moved[next]) {
			a->m->own[next] -= hosts;
			return;
		}
		s = next;
	}
}

/* The new way from a switch: ports in m->path[0 .. *n - 1]. Returns its links to the LID, or HOPS_NONE. */
static uint32_t survey_moves_follow(struct applying *a, uint32_t sw, uint32_t *n)
{
	const struct fabric *f = a->is->fabric;

	for (*n = 0; *n < f->n_switches;) {
		unsigned out = routing_port(a->now, sw, a->lid);
		uint32_t next;
		uint16_t end = end_hops(a->is, sw, out, a->dst, &next);

		if (end != HOPS_ON)
			return end == HOPS_NONE ? HOPS_NONE : *n + end;
		a->m->path[(*n)++] = switch_port_id(f, sw, out);
		sw = next;
	}
	return HOPS_NONE; /* a loop */
}

/* Do all old channels into a switch come before its new channel in the order? */
static bool order_into(const struct applying *a, uint32_t sw, uint32_t channel)
{
	const struct fabric *f = a->is->fabric;
	const uint32_t *place = a->w->base->place;

	FOR_PORTS(f, sw, port) {
		uint32_t peer = a->is->peer[port], s;

		if (peer == NO_ID || place[peer] < place[channel])
			continue;
		s = f->node_switch[f->port_node[peer]];
		/* who still comes by a switch that moved is put with its own new way */
		if (s != NO_ID && a->flow[s] && !a->m->moved[s] &&
		    routing_port(a->now, s, a->lid) == f->port_num[peer])
			return false;
	}
	return true;
}

/* Adds the new way of the hosts that still come to a switch. */
static void put_way(struct applying *a, uint32_t sw, struct survey_row *row)
{
	const struct effect_base *b = a->w->base;
	uint32_t *path = a->m->path, hosts = a->m->own[sw], n, hops;

	if (!hosts)
		return;
	hops = survey_moves_follow(a, sw, &n);
	row->rerouted += hosts;
	if (hops > b->hops[(size_t)a->lid * a->is->fabric->n_switches + sw])
		row->longer += hosts;
	for (uint32_t i = 0; i < n; i++)
		survey_moves_add_load(a, path[i], hosts);
	if (!b->place || !a->m->order_holds)
		return;
	for (uint32_t i = 0; i + 1 < n; i++)
		a->m->order_holds &= b->place[path[i]] < b->place[path[i + 1]];
	a->m->order_holds = a->m->order_holds && (!n || order_into(a, sw, path[0]));
}

bool moves_apply(struct effect_work *w, const struct routing *is, unsigned lid, uint32_t dst, bool base_lid,
		 struct survey_row *row)
{
	const struct effect_base *b = w->base;
	struct moves *m = &w->moves;
	size_t at = (size_t)lid * b->routing->topo->fabric->n_switches;
	struct applying a = {w, m, b->routing->topo, is->topo, is, NULL, NULL, lid, dst, base_lid};
	uint32_t n;

	if (!b->flow || m->too_many || !b->plain[lid] || !a.is->endport_up[dst])
		return false;
	a.port = b->table + at;
	a.flow = b->flow + at;
	/* do all hosts that came by still arrive, by no too long way? None come by a switch that is down */
	for (uint32_t i = m->first[lid]; i != NO_ID; i = m->move[i].next)
		if (a.flow[m->move[i].sw] && switch_up(a.is, m->move[i].sw) &&
		    survey_moves_follow(&a, m->move[i].sw, &n) >= HOPS_PLAIN)
			return false;
	for (uint32_t i = m->first[lid]; i != NO_ID; i = m->move[i].next) {
		m->moved[m->move[i].sw] = 1;
		m->own[m->move[i].sw] = a.flow[m->move[i].sw];
	}
	for (uint32_t i = m->first[lid]; i != NO_ID; i = m->move[i].next)
		take_way(&a, m->move[i].sw, a.flow[m->move[i].sw]);
	for (uint32_t i = 0; i < w->n_graves; i++) {
		uint32_t s = w->grave[i];

		row->cut_off += w->left[s];
		if (m->moved[s])
			m->own[s] -= w->left[s];
		else
			take_way(&a, s, w->left[s]);
	}
	for (uint32_t i = m->first[lid]; i != NO_ID; i = m->move[i].next)
		put_way(&a, m->move[i].sw, row);
	for (uint32_t i = m->first[lid]; i != NO_ID; i = m->move[i].next)
		m->moved[m->move[i].sw] = 0;
	return true;
}
