/* Paths through forwarding tables, and distances over live cables. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"
#include "core/routing/paths.h"

/* Breadth-first search over live cables. */

uint32_t spread_hops(const struct topo *tp, uint16_t *hops, uint32_t *queue, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		FOR_CABLES(tp, queue[i], port, to) {
			if (hops[to] != NO_HOPS)
				continue;
			hops[to] = (uint16_t)(hops[queue[i]] + 1);
			queue[n++] = to;
		}
	assert(n <= tp->fabric->n_switches);
	return n;
}

uint32_t spread_arcs(const uint32_t *first, const uint32_t *to, uint32_t *hops, uint32_t *queue, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t a = first[queue[i]]; a < first[queue[i] + 1]; a++) {
			if (hops[to[a]] != NO_ID)
				continue;
			hops[to[a]] = hops[queue[i]] + 1;
			queue[n++] = to[a];
		}
	return n;
}

uint32_t switch_distances(const struct topo *tp, uint32_t from, uint16_t *hops)
{
	uint32_t n = tp->fabric->n_switches, reached = 0;
	AUTO_FREE uint32_t *queue = NEW_ARRAY(n + 1, uint32_t);

	assert(from < n);
	for (uint32_t s = 0; s < n; s++)
		hops[s] = NO_HOPS;
	if (switch_up(tp, from)) {
		hops[from] = 0;
		queue[0] = from;
		reached = spread_hops(tp, hops, queue, 1);
	}
	return reached;
}

struct farthest switches_farthest(const struct topo *tp, uint32_t most, uint8_t *in)
{
	const struct fabric *f = tp->fabric;
	AUTO_FREE uint32_t *hosts = NEW_ARRAY(f->n_switches + 1, uint32_t),
			   *queue = NEW_ARRAY(f->n_switches + 1, uint32_t);
	AUTO_FREE uint16_t *hops = NEW_ARRAY(f->n_switches + 1, uint16_t);
	struct farthest x = {0};

	for (uint32_t ep = 0; ep < f->n_endports; ep++)
		if (tp->endport_up[ep] && !endport_is_switch(f, ep) && tp->endport_switch[ep] != NO_ID)
			hosts[tp->endport_switch[ep]]++;
	for (uint32_t s = 0; s < f->n_switches; s++) {
		in[s] = 0;
		hops[s] = switch_up(tp, s) && hosts[s] > most ? 0 : NO_HOPS;
		if (!hops[s])
			queue[x.n_leaves++] = s;
	}
	uint32_t end = spread_hops(tp, hops, queue, x.n_leaves);
	/* the queue is in the order of distance */
	for (uint32_t i = end; i-- > x.n_leaves && hops[queue[i]] == hops[queue[end - 1]]; x.n++)
		in[queue[i]] = 1;
	x.one = x.n ? queue[end - 1] : NO_ID;
	return x;
}

int endport_distance(const struct topo *tp, uint32_t from, uint32_t to)
{
	assert(from < tp->fabric->n_endports && to < tp->fabric->n_endports);

	const struct fabric *f = tp->fabric;
	uint32_t a = tp->endport_switch[from], b = tp->endport_switch[to];

	if (a == NO_ID || b == NO_ID)
		return -1;
	AUTO_FREE uint16_t *hops = NEW_ARRAY(f->n_switches + 1, uint16_t);
	switch_distances(tp, a, hops);
	return hops[b] == NO_HOPS ? -1 : hops[b] + !endport_is_switch(f, from) + !endport_is_switch(f, to);
}

/* Values of hops while the way to the end is unknown. */
#define UNKNOWN HOPS_ON
#define WALKING 0xFFFC

const char *path_end_text(enum path_end e)
{
	static const char *const text[] = {
		[PATH_OK] = "arrives",
		[PATH_NO_SOURCE] = "the source is down or has no LID",
		[PATH_NO_LID] = "nobody has the destination LID",
		[PATH_NO_ENTRY] = "no entry for the LID",
		[PATH_DEAD_PORT] = "the entry names a port without a live link",
		[PATH_WRONG_END] = "arrives at the wrong endport",
		[PATH_LOOP] = "forwarding loop",
		[PATH_IDLE] = "a port on the way is not active: no subnet manager has activated it",
		[PATH_SILENT] = "cannot be told: what is at the port did not answer",
		[PATH_DROPPED] = "dropped, its SL is mapped to VL 15",
	};

	static_assert(ARRAY_LEN(text) == PATH_DROPPED + 1, "each end has words");
	assert(e < ARRAY_LEN(text));
	return text[e];
}

/* Why nothing goes on by a port without a peer. */
static enum path_end paths_dead_end(const struct topo *t, uint32_t port)
{
	if (t->data && fabric_idle_end(t->fabric, port) != NO_ID)
		return PATH_IDLE;
	return fabric_port_open(t->fabric, port) ? PATH_SILENT : PATH_DEAD_PORT;
}

/*
 * One step from a switch by the port out. Returns PATH_OK with the next switch in *next, or NO_ID when the
 * packet has arrived.
 */
static enum path_end paths_step(const struct topo *t, uint32_t sw, unsigned out, uint32_t dst, uint32_t *next,
				unsigned *in)
{
	const struct fabric *f = t->fabric;

	*next = NO_ID;
	if (out == NO_PATH || out > f->switch_nports[sw])
		return PATH_NO_ENTRY;
	if (out == 0)
		return f->port_endport[f->switch_port[sw]] == dst ? PATH_OK : PATH_WRONG_END;
	uint32_t q = t->peer[f->switch_port[sw] + out];
	if (q == NO_ID)
		return paths_dead_end(t, f->switch_port[sw] + out);
	if (!node_is_switch(f, f->port_node[q]))
		return f->port_endport[q] == dst ? PATH_OK : PATH_WRONG_END;
	*next = f->node_switch[f->port_node[q]];
	*in = f->port_num[q];
	return PATH_OK;
}

/* SLs that the path may have, as bits: those of its range that the source's own link does not drop. */
static unsigned sls_at_start(const struct routing *r, uint32_t src, struct sl_range sl)
{
	bool known = !endport_is_switch(r->topo->fabric, src) && routing_endport_known(r);
	sl2vl_map m = known ? routing_endport_map(r, src) : 0;
	unsigned sls = 0;

	for (unsigned v = sl.lo; v <= sl.hi; v++)
		sls |= (unsigned)(sl2vl_of(m, v) != 15) << v;
	return sls;
}

/* Those of the SLs that a switch does not drop. */
static unsigned sls_through(const struct routing *r, uint32_t sw, unsigned in, unsigned out, unsigned sls)
{
	unsigned through = sls;

	for (unsigned left = sls; left; left &= left - 1)
		if ((routing_vl(r, sw, in, out, (unsigned)__builtin_ctz(left)) & 15) == 15)
			through &= ~(left & -left);
	return through;
}

static uint16_t one_more(uint16_t hops)
{
	return hops < WALKING ? hops + 1 : hops;
}

/* The next port on the path of path_trace(), or (with w) of path_trace_worst(). */
static unsigned paths_choose(const struct routing *r, const struct dest_ways *w, uint32_t sw, unsigned dlid,
			     uint32_t dst)
{
	uint16_t want = w ? w->worst[sw] : 0;
	uint32_t next;
	unsigned in;

	for (unsigned p = w ? port_set_next(&w->set[sw], 0) : 256; p < 256;
	     p = port_set_next(&w->set[sw], p + 1)) {
		enum path_end end = paths_step(r->topo, sw, p, dst, &next, &in);
		uint16_t hops = end != PATH_OK	? HOPS_NONE
				: next == NO_ID ? (p != 0)
						: one_more(w->worst[next]);

		if (hops == want)
			return p;
	}
	return routing_next_port(r, sw, dlid);
}

static void trace(const struct routing *r, uint32_t src, unsigned slid, unsigned dlid,
		  const struct dest_ways *w, struct path *p)
{
	const struct topo *t = r->topo;
	uint32_t sw, next;

	assert(src < t->fabric->n_endports);
	*p = (struct path){.src = src, .dst = lid_owner(r->lids, dlid), .slid = slid, .dlid = dlid};
	unsigned in = t->endport_swport[src];
	sw = t->endport_up[src] ? t->endport_switch[src] : NO_ID;
	if (!r->lids->base[src] && !endport_is_switch(t->fabric, src))
		sw = NO_ID; /* nobody can answer a host without a LID, so it has no path */
	if (p->dst == NO_ID) {
		p->end = PATH_NO_LID;
		return;
	}
	if (src == p->dst)
		return;
	if (topo_mute(t, src)) {
		p->end = PATH_IDLE;
		return;
	}
	if (sw == NO_ID) {
		const struct fabric *f = t->fabric; /* two hosts cabled to each other */
		bool direct = t->endport_up[src] && !endport_is_switch(f, src) &&
			      t->peer[f->endport_port[src]] == f->endport_port[p->dst];

		p->hops = direct;
		p->end = direct ? PATH_OK : PATH_NO_SOURCE;
		return;
	}
	p->sl = slid ? routing_sl(r, slid, dlid) : (struct sl_range){0, 0};
	unsigned sls = sls_at_start(r, src, p->sl);
	bool has_sl = slid && !sl_is_open(p->sl); /* without an SL yet, none can stop the path */
	if (has_sl && !sls) {
		p->end = PATH_DROPPED;
		return;
	}
	for (p->hops = in ? 1 : 0;; sw = next) {
		unsigned out = paths_choose(r, w, sw, dlid, p->dst);
		unsigned from = in;

		p->end = paths_step(t, sw, out, p->dst, &next, &in);
		GROW(p->hop, p->n, p->cap);
		p->hop[p->n++] = (struct path_hop){.sw = sw, .in = from, .out = out};
		if (out && out != NO_PATH)
			p->hop[p->n - 1].vl = routing_vl(r, sw, from, out, p->sl.lo);
		if (p->end != PATH_OK || (next == NO_ID && out == 0))
			return;
		sls = sls_through(r, sw, from, out, sls);
		if (has_sl && !sls) {
			p->end = PATH_DROPPED;
			return;
		}
		p->hops++;
		if (next == NO_ID)
			return;
		if (p->n > t->fabric->n_switches) {
			p->end = PATH_LOOP;
			return;
		}
	}
}

void path_trace(const struct routing *r, uint32_t src, unsigned slid, unsigned dlid, struct path *p)
{
	trace(r, src, slid, dlid, NULL, p);
}

void path_trace_worst(const struct routing *r, uint32_t src, unsigned slid, unsigned dlid,
		      const struct dest_ways *w, struct path *p)
{
	assert(!w || w->lid == dlid);
	trace(r, src, slid, dlid, w, p);
}

void path_free(struct path *p)
{
	free(p->hop);
	*p = (struct path){0};
}

/* The usual step: to the next switch; NO_ID: it is another one. */
static inline uint32_t paths_next_switch(const struct topo *t, uint32_t sw, unsigned out)
{
	const struct fabric *f = t->fabric;

	return out <= f->switch_nports[sw] ? t->peer_switch[f->switch_port[sw] + out] : NO_ID;
}

uint16_t end_hops(const struct topo *t, uint32_t sw, unsigned out, uint32_t dst, uint32_t *next)
{
	unsigned in;

	*next = paths_next_switch(t, sw, out);
	if (*next != NO_ID)
		return UNKNOWN;
	if (paths_step(t, sw, out, dst, next, &in) != PATH_OK)
		return HOPS_NONE;
	if (*next == NO_ID)
		return out ? 1 : 0;
	return UNKNOWN;
}

bool tables_lead(const struct routing *r, uint32_t sw, unsigned lid)
{
	uint32_t owner = lid <= r->lids->max_lid ? lid_owner(r->lids, lid) : NO_ID, steps = 0, next = NO_ID;

	for (; owner != NO_ID && sw != NO_ID && steps++ < r->topo->fabric->n_switches; sw = next) {
		unsigned out = routing_port(r, sw, lid);
		uint16_t hops = out == NO_PATH ? HOPS_NONE : end_hops(r->topo, sw, out, owner, &next);

		if (hops != HOPS_ON)
			return hops != HOPS_NONE;
	}
	return false;
}

uint32_t hops_order(const uint16_t *hops, uint32_t n_switches, uint32_t *order, uint32_t *start)
{
	memset(start, 0, (n_switches + 2) * sizeof(*start));
	for (uint32_t s = 0; s < n_switches; s++)
		if (hops[s] <= n_switches)
			start[hops[s] + 1]++;
	for (uint32_t h = 0; h <= n_switches; h++)
		start[h + 1] += start[h];
	for (uint32_t s = 0; s < n_switches; s++)
		if (hops[s] <= n_switches)
			order[start[hops[s]]++] = s;
	return start[n_switches + 1];
}

void column_hops(const struct topo *t, const uint8_t *col, uint32_t owner, uint16_t *hops, uint32_t *work)
{
	uint32_t n = t->fabric->n_switches;

	assert(owner == NO_ID || owner < t->fabric->n_endports);
	for (uint32_t s = 0; s < n; s++)
		hops[s] = owner == NO_ID || !switch_up(t, s) ? HOPS_NONE : UNKNOWN;
	for (uint32_t s = 0; s < n; s++) {
		uint32_t depth = 0, next = s;
		uint16_t h = UNKNOWN;

		/* walk to a known switch, then number the walk backwards */
		while (hops[next] == UNKNOWN) {
			uint32_t sw = next;

			hops[sw] = WALKING;
			work[depth++] = sw;
			next = paths_next_switch(t, sw, col[sw]);
			if (next == NO_ID && (h = end_hops(t, sw, col[sw], owner, &next)) != UNKNOWN) {
				hops[work[--depth]] = h;
				break;
			}
		}
		if (h == UNKNOWN)
			h = hops[next] == WALKING ? HOPS_LOOP : hops[next];
		while (depth) {
			if (h < WALKING)
				h++;
			hops[work[--depth]] = h;
		}
	}
}

void dest_hops(const struct routing *r, unsigned lid, uint16_t *hops, uint32_t *work)
{
	uint32_t n = r->topo->fabric->n_switches;
	AUTO_FREE uint8_t *col = NEW_ARRAY(n, uint8_t);

	for (uint32_t s = 0; s < n; s++)
		col[s] = routing_next_port(r, s, lid);
	column_hops(r->topo, col, lid_owner(r->lids, lid), hops, work);
}

static bool reaches(const struct routing *r, uint32_t from, unsigned lid)
{
	uint32_t owner = lid_owner(r->lids, lid), n = r->topo->fabric->n_switches;
	uint16_t h = UNKNOWN;

	for (uint32_t i = 0; i <= n && h == UNKNOWN; i++)
		h = end_hops(r->topo, from, routing_next_port(r, from, lid), owner, &from);
	return h < WALKING;
}

uint32_t manager_misses(const struct routing *judged, uint8_t *missed)
{
	const struct routing *r =
		routing_discovered(judged); /* management packets pass every cable that is up */
	const struct topo *t = r->topo;
	uint32_t at = t->sm_endport == NO_ID ? NO_ID : t->endport_switch[t->sm_endport], n = 0;

	for (uint32_t s = 0; s < t->fabric->n_switches; s++) {
		unsigned lid = r->lids->base[t->fabric->port_endport[t->fabric->switch_port[s]]];

		missed[s] = at != NO_ID && lid && switch_up(t, s) && !reaches(r, at, lid);
		n += missed[s];
	}
	return n;
}

/* --- adaptive routing ------------------------------------------------------------------ */

struct dest_ways *dest_ways_new(void *arena, const struct routing *r)
{
	struct dest_ways *w = ARENA_NEW(arena, struct dest_ways);
	uint32_t n = r->topo->fabric->n_switches;

	w->worst = ARENA_ARRAY(w, n, uint16_t);
	w->set = ARENA_ARRAY(w, n, struct port_set);
	w->work = ARENA_ARRAY(w, 2 * (size_t)n, uint32_t);
	w->live = ARENA_ARRAY(w, n, struct port_set);
	w->group = ARENA_ARRAY(w, n, const struct adaptive_group *);
	w->entry = ARENA_ARRAY(w, n, uint8_t);
	for (uint32_t s = 0; s < n; s++)
		for (unsigned p = 1; p <= r->topo->fabric->switch_nports[s]; p++)
			if (r->topo->peer[switch_port_id(r->topo->fabric, s, p)] != NO_ID)
				port_set_add(&w->live[s], p);
	return w;
}

/* Does what routing_ports() does, by w->live. */
static void paths_take_ports(const struct routing *r, struct dest_ways *w, uint32_t s, unsigned lid)
{
	const struct adaptive_group *g = adaptive_find(r->adaptive, s, lid);
	unsigned entry = routing_port(r, s, lid);
	uint64_t any = 0;

	w->group[s] = g;
	w->entry[s] = (uint8_t)entry;
	for (unsigned x = 0; x < ARRAY_LEN(w->set[s].word); x++)
		any |= w->set[s].word[x] = g ? g->ports.word[x] & w->live[s].word[x] : 0;
	if (entry != NO_PATH && (!any || port_set_has(&w->live[s], entry)))
		port_set_add(&w->set[s], entry);
}

/*
 * Take one choice of a switch into account: its links to the end, or the reason why it does not arrive. A
 * loop is worst, then no way, then the longer way.
 */
static void take_choice(struct dest_ways *w, uint32_t sw, uint16_t worst)
{
	if (w->worst[sw] != HOPS_LOOP && (worst == HOPS_LOOP || worst > w->worst[sw]))
		w->worst[sw] = worst;
}

/* Depth first from a switch over all choices; state: 1 = on the walk, 2 = all its choices are known. */
static void walk_choices(const struct routing *r, uint32_t owner, uint32_t from, uint8_t *state,
			 struct dest_ways *w)
{
	uint32_t depth = 0, *stack = w->work, *at = w->work + r->topo->fabric->n_switches;
	unsigned in;

	stack[0] = from;
	at[0] = 0;
	state[from] = 1;
	while (depth != NO_ID) {
		uint32_t sw = stack[depth], next;
		unsigned port = port_set_next(&w->set[sw], at[depth]);

		if (port == 256) {
			state[sw] = 2;
			depth = depth ? depth - 1 : NO_ID;
			if (depth != NO_ID) /* the previous switch's choice led here */
				take_choice(w, stack[depth], one_more(w->worst[sw]));
			continue;
		}
		at[depth] = port + 1;
		next = paths_next_switch(r->topo, sw, port);
		if (next == NO_ID && paths_step(r->topo, sw, port, owner, &next, &in) != PATH_OK)
			take_choice(w, sw, HOPS_NONE);
		else if (next == NO_ID)
			take_choice(w, sw, port != 0);
		else if (state[next] == 1)
			take_choice(w, sw, HOPS_LOOP);
		else if (state[next] == 2)
			take_choice(w, sw, one_more(w->worst[next]));
		else {
			stack[++depth] = next;
			at[depth] = 0;
			state[next] = 1;
		}
	}
}

/* Does a switch's group lead on by this port? */
static bool in_group(const struct dest_ways *w, uint32_t s, unsigned port)
{
	return port != NO_PATH && port_set_has(&w->group[s]->ports, port) && port_set_has(&w->live[s], port);
}

/* Has a LID the ways of the one before, since both are of hosts of a switch?  Takes its last link. */
static bool ways_as_before(const struct routing *r, unsigned lid, uint32_t owner, struct dest_ways *w)
{
	const struct topo *t = r->topo;
	uint32_t old = lid_owner(r->lids, w->lid), sw = owner == NO_ID ? NO_ID : t->endport_switch[owner];
	struct port_set last;

	if (!w->lid || old == NO_ID || sw == NO_ID || t->endport_switch[old] != sw || w->worst[sw] != 1 ||
	    endport_is_switch(t->fabric, old) || endport_is_switch(t->fabric, owner))
		return false;
	routing_ports(r, sw, lid, &last);
	unsigned port = t->endport_swport[owner];
	if (!port_set_has(&last, port) || port_set_next(&last, 0) != port ||
	    port_set_next(&last, port + 1) < 256)
		return false;
	for (uint32_t s = 0; s < t->fabric->n_switches; s++) {
		unsigned entry = routing_port(r, s, lid);

		if (s == sw || !switch_up(t, s))
			continue;
		if (adaptive_find(r->adaptive, s, lid) != w->group[s])
			return false;
		/* a live entry in the group changes nothing */
		if (entry != w->entry[s] &&
		    !(w->group[s] && in_group(w, s, w->entry[s]) && in_group(w, s, entry)))
			return false;
	}
	w->set[sw] = last;
	w->lid = lid;
	return true;
}

bool dest_ways(const struct routing *r, unsigned lid, struct dest_ways *w)
{
	uint32_t n = r->topo->fabric->n_switches, owner = lid_owner(r->lids, lid);

	if (ways_as_before(r, lid, owner, w))
		return true;
	w->lid = lid;
	AUTO_FREE uint8_t *state = NEW_ARRAY(n, uint8_t); /* 0 not seen, 1 on the walk, 2 known */
	for (uint32_t s = 0; s < n; s++) {
		w->worst[s] = 0;
		if (owner == NO_ID || !switch_up(r->topo, s)) {
			w->worst[s] = HOPS_NONE;
			w->set[s] = (struct port_set){{0}};
			state[s] = 2;
			continue;
		}
		paths_take_ports(r, w, s, lid);
		if (port_set_next(&w->set[s], 0) == 256)
			w->worst[s] = HOPS_NONE;
	}
	for (uint32_t s = 0; s < n; s++)
		if (!state[s])
			walk_choices(r, owner, s, state, w);
	return false;
}

uint32_t switches_behind(const struct routing *r, unsigned lid, uint32_t *list, uint32_t n, uint32_t most,
			 uint8_t *mark)
{
	const struct topo *t = r->topo;

	assert(n <= t->fabric->n_switches);
	for (uint32_t i = 0; i < n; i++)
		mark[list[i]] = 1;
	for (uint32_t i = 0; i < n && n <= most; i++)
		FOR_CABLES(t, list[i], id, peer) {
			if (mark[peer] || routing_port(r, peer, lid) != t->fabric->port_num[t->peer[id]])
				continue;
			mark[peer] = 1;
			list[n++] = peer;
		}
	for (uint32_t i = 0; i < n; i++)
		mark[list[i]] = 0;
	return n <= most ? n : NO_ID;
}

void routing_columns(const struct routing *r, unsigned lid0, unsigned n, uint8_t *col)
{
	uint32_t n_switches = r->topo->fabric->n_switches;

	for (uint32_t s = 0; s < n_switches; s++) {
		const struct lft_row *row = r->row[s];
		unsigned held = !row || lid0 > row->top	   ? 0
				: row->top - lid0 + 1u < n ? row->top - lid0 + 1u
							   : n;

		if (held && !r->adaptive) {
			uint8_t *to = col + s;

			for (const uint8_t *p = row->port + lid0, *end = p + held; p < end;
			     p++, to += n_switches)
				*to = *p;
		}
		for (unsigned i = 0; r->adaptive && i < held; i++)
			col[(size_t)i * n_switches + s] = routing_next_port(r, s, lid0 + i);
		for (unsigned i = held; i < n; i++)
			col[(size_t)i * n_switches + s] = NO_PATH;
	}
}
