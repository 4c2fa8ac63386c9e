#include "core/analysis/survey/survey.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/compare/compare.h"
#include "core/analysis/credit/cdg.h"
#include "core/analysis/traffic/loads.h"
#include "core/base/defs.h"
#include "core/routing/paths.h"

/* --- one column ---------------------------------------------------------------------------------------- */

static void column_init(void *arena, struct effect_column *c, uint32_t n)
{
	c->port = ARENA_ARRAY(arena, (size_t)n + 1, uint8_t);
	c->hops = ARENA_ARRAY(arena, (size_t)n + 1, uint16_t);
	c->order = ARENA_ARRAY(arena, (size_t)n + 1, uint32_t);
}

/* Sort switches by hops. owner: endport of the LID under r, NO_ID = none. */
static void column_order(struct effect_column *c, const struct routing *r, uint32_t owner, uint32_t *work)
{
	uint32_t n = r->topo->fabric->n_switches, count[HOPS_MOST + 1] = {0};

	column_hops(r->topo, c->port, owner, c->hops, work);
	c->too_long = false;
	for (uint32_t s = 0; s < n; s++)
		if (c->hops[s] < HOPS_MOST)
			count[c->hops[s] + 1]++;
		else
			c->too_long |= c->hops[s] < HOPS_LOOP;
	for (unsigned h = 0; h < HOPS_MOST; h++)
		count[h + 1] += count[h];
	c->n_order = count[HOPS_MOST];
	for (uint32_t s = 0; s < n; s++)
		if (c->hops[s] < HOPS_MOST)
			c->order[count[c->hops[s]]++] = s;
}

/* The column of a LID in the tables before. */
static void column_before(struct effect_column *c, const struct effect_base *b, unsigned lid, uint32_t *work)
{
	uint32_t n = b->routing->topo->fabric->n_switches;

	for (uint32_t s = 0; !b->table && s < n; s++)
		c->port[s] = (uint8_t)routing_port(b->routing, s, lid);
	if (b->table)
		memcpy(c->port, b->table + (size_t)lid * n, n);
	column_order(c, b->routing, lid_owner(b->routing->lids, lid), work);
}

/* --- loads and dependencies -------------------------------------------------------------------- */

/* What the routes of a column are added to. */
struct sums {
	uint32_t *load, *dep; /* either may be NULL; load: NULL for a LID that is not its port's base LID */
	uint32_t *flow;	      /* [n_switches] hosts of one column whose way leads through the switch */
	struct effect_work *log; /* notes all changes, for put_back(); NULL: none */
	const struct effect_base *base;
};

/* Adds (sign 1) or subtracts (-1) the routes of all hosts to one LID of dst, by its column. hosts:
 * [n_switches]. */
static void survey_effect_add_column(struct sums *x, const struct topo *t, const struct effect_column *c,
				     const uint32_t *hosts, uint32_t dst, int sign)
{
	const struct fabric *f = t->fabric;
	struct effect_work *log = x->log;
	uint32_t *flow = x->flow;

	memcpy(flow, hosts, f->n_switches * sizeof(*flow));
	if (t->endport_switch[dst] != NO_ID)
		flow[t->endport_switch[dst]]--;
	for (uint32_t i = c->n_order; i-- > 0;) {
		uint32_t s = c->order[i], port = switch_port_id(f, s, c->port[s]), q = t->peer_switch[port];

		if (!flow[s] || q == NO_ID)
			continue;
		flow[q] += flow[s];
		if (x->load) {
			x->load[port] += sign < 0 ? 0 - flow[s] : flow[s];
			if (log)
				note_load(log, port);
		}
		if (x->dep && t->peer_switch[switch_port_id(f, q, c->port[q])] != NO_ID) {
			size_t slot = x->base->dep_at[port] + c->port[q];

			x->dep[slot] += sign < 0 ? UINT32_MAX : 1;
			if (log) {
				ARENA_GROW(log, log->touched_dep, log->n_dep, log->cap_dep);
				log->touched_dep[log->n_dep++] = slot;
			}
		}
	}
}

/* --- before: loads, dependencies, an order of them ----------------------------------------------------- */

static bool all_on_vl0(const struct routing *r)
{
	return !routing_has_sls(r) && !routing_has_maps(r);
}

/* Sums all columns of the tables before. false: cancelled, or a path is too long to be summed. */
static bool sum_before(struct effect_base *b, struct progress *p)
{
	const struct routing *r = b->routing;
	const struct topo *t = r->topo;
	uint32_t n = t->fabric->n_switches;
	AUTO_FREE uint32_t *work = NEW_ARRAY((size_t)n + 1, uint32_t),
			   *flow = NEW_ARRAY((size_t)n + 1, uint32_t);
	struct sums x = {.dep = b->plain_vls ? b->dep : NULL, .flow = flow, .base = b};
	AUTO_ARENA void *arena = ARENA_EMPTY;
	struct effect_column c;
	bool ok = true;

	column_init(arena, &c, n);
	progress_start(p, "adding up routes", r->lids->max_lid);
	for (unsigned lid = 1; ok && lid <= r->lids->max_lid; lid++) {
		uint32_t dst = r->lids->owner[lid];

		ok = progress_step(p, lid);
		if (dst == NO_ID || !routing_has_host(r, dst))
			continue;
		column_before(&c, b, lid, work);
		b->by_difference &= !c.too_long;
		x.load = lid == r->lids->base[dst] ? b->load : NULL;
		survey_effect_add_column(&x, t, &c, b->hosts, dst, 1);
		if (!b->flow)
			continue;
		b->plain[lid] = 1;
		for (uint32_t s = 0; s < n; s++) {
			bool way = c.hops[s] < HOPS_PLAIN;
			size_t at = (size_t)lid * n + s;

			b->flow[at] = way ? (uint16_t)flow[s] : 0;
			b->hops[at] = way ? (uint8_t)c.hops[s] : HOPS_PLAIN;
			b->plain[lid] &= way || !b->hosts[s];
		}
	}
	return ok;
}

/* Number of ports of *sw, the switch where a channel ends. */
static unsigned ports_behind(const struct effect_base *b, uint32_t port, uint32_t *sw)
{
	*sw = b->routing->topo->peer_switch[port];
	return b->routing->topo->fabric->switch_nports[*sw];
}

/* Channels that are ready to be placed, by turn; the first that came is the first that goes. */
struct ready {
	uint32_t *turn;		/* [n_ports] */
	uint32_t *first, *last; /* [turns] channels; NO_ID: none */
	uint32_t *next;		/* [n_ports] */
	uint32_t lowest;	/* no lower turn has one */
};

/*
 * Turns by levels, which are links to the nearest switch with hosts: upward channels from the lowest level
 * on, then those within a level, then downward ones.  So what no route has used yet mostly stands where a
 * later route that goes up and then down has it, too.
 */
static void ready_init(void *arena, struct ready *x, const struct effect_base *b)
{
	const struct topo *t = b->routing->topo;
	const struct fabric *f = t->fabric;
	uint32_t n = 0, top = 0;
	AUTO_FREE uint32_t *queue = NEW_ARRAY((size_t)f->n_switches + 1, uint32_t);
	AUTO_FREE uint16_t *level = NEW_ARRAY((size_t)f->n_switches + 1, uint16_t);

	for (uint32_t s = 0; s < f->n_switches; s++) {
		level[s] = b->hosts[s] ? 0 : NO_HOPS;
		if (b->hosts[s])
			queue[n++] = s;
	}
	n = spread_hops(t, level, queue, n);
	if (n)
		top = level[queue[n - 1]];
	x->turn = ARENA_ARRAY(arena, (size_t)f->n_ports + 1, uint32_t);
	x->next = ARENA_ARRAY(arena, (size_t)f->n_ports + 1, uint32_t);
	x->first = ARENA_ARRAY(arena, 2 * (size_t)top + 1, uint32_t);
	x->last = ARENA_ARRAY(arena, 2 * (size_t)top + 1, uint32_t);
	memset(x->first, 0xff, (2 * (size_t)top + 1) * sizeof(*x->first));
	for (uint32_t i = 0; i < b->n_channels; i++) {
		uint32_t channel = b->channel[i];
		uint16_t from = level[f->node_switch[f->port_node[channel]]],
			 to = level[t->peer_switch[channel]];

		x->turn[channel] = from < to ? from : top;
		if (from > to)
			x->turn[channel] = 2u * top + 1 - from;
	}
	x->lowest = 0;
}

static void ready_add(struct ready *x, uint32_t channel)
{
	uint32_t turn = x->turn[channel];

	if (x->first[turn] == NO_ID)
		x->first[turn] = channel;
	else
		x->next[x->last[turn]] = channel;
	x->last[turn] = channel;
	x->next[channel] = NO_ID;
	if (turn < x->lowest)
		x->lowest = turn;
}

/* One of those with the lowest turn; there is one. */
static uint32_t ready_take(struct ready *x)
{
	while (x->first[x->lowest] == NO_ID)
		x->lowest++;
	uint32_t channel = x->first[x->lowest];
	x->first[x->lowest] = x->next[channel];
	return channel;
}

/*
 * An order of the channels that all dependencies with some of `bits` in dep[] follow (A. B. Kahn, CACM 5(11),
 * 1962); NULL: a cycle.
 */
static uint32_t *order_channels(void *owner, const struct effect_base *b, const uint32_t *dep, uint32_t bits)
{
	const struct fabric *f = b->routing->topo->fabric;
	uint32_t n = 0, found = 0, sw;
	AUTO_FREE uint32_t *before = NEW_ARRAY((size_t)f->n_ports + 1, uint32_t);
	uint32_t *place = ARENA_ARRAY(owner, (size_t)f->n_ports + 1, uint32_t);
	AUTO_ARENA void *arena = ARENA_EMPTY;
	struct ready ready;

	ready_init(arena, &ready, b);
	for (uint32_t i = 0; i < b->n_channels; i++)
		for (unsigned q = ports_behind(b, b->channel[i], &sw); q > 0; q--)
			before[switch_port_id(f, sw, q)] += (dep[b->dep_at[b->channel[i]] + q] & bits) != 0;
	for (uint32_t i = 0; i < b->n_channels; i++)
		if (!before[b->channel[i]]) {
			ready_add(&ready, b->channel[i]);
			found++;
		}
	while (n < found) {
		uint32_t port = ready_take(&ready);
		unsigned ports = ports_behind(b, port, &sw);

		place[port] = n++;
		for (unsigned q = 1; q <= ports; q++)
			if ((dep[b->dep_at[port] + q] & bits) && !--before[switch_port_id(f, sw, q)]) {
				ready_add(&ready, switch_port_id(f, sw, q));
				found++;
			}
	}
	if (n == b->n_channels)
		return place;
	arena_free(place);
	return NULL;
}

/* Count groups of credit loops on VLs not in *vls, and add their VLs to *vls. -1 and *e: cancelled. */
static int count_loops(const struct routing *r, uint16_t *vls, uint32_t *groups, struct progress *p,
		       struct err *e)
{
	AUTO_ARENA struct cdg *c = cdg_new_loops(r, p, e);
	uint16_t old = *vls;

	if (!c)
		return -1;
	for (uint32_t i = 0; i < c->n_components; i++) {
		*groups += (c->vls[i] & ~old) != 0;
		*vls |= c->vls[i];
	}
	return 0;
}

/* The most routes out of a port between switches; -1 and *e: cancelled. */
static int most_load(const struct routing *r, uint32_t *most, uint32_t *port, struct progress *p,
		     struct err *e)
{
	AUTO_ARENA struct loads *l = loads_new(r, &pattern_all, p);

	if (!l)
		return err_set(e, CANCELLED);
	*most = l->max;
	*port = l->max_port;
	return 0;
}

/* Prepares the sums over all columns. */
static int base_by_difference(struct effect_base *b, unsigned workers, struct progress *p, struct err *e)
{
	const struct routing *r = b->routing;
	uint32_t n = r->topo->fabric->n_switches, n_ports = r->topo->fabric->n_ports;
	size_t table = ((size_t)r->lids->max_lid + 1) * n;
	size_t sums = b->n_deps * sizeof(*b->dep) + n_ports * sizeof(*b->load);

	if (table > TABLE_MOST)
		table = 0;
	/* the sums before and those of each worker; also entries, ways and hosts by LID, if there is room */
	if (mem_room(e, sums * (workers + 1) + table * (2 + sizeof(*b->flow)) + table * workers,
		     "routes and dependencies of %u links, for %u workers", b->n_channels / 2, workers))
		return -1;
	b->load = ARENA_ARRAY(b, (size_t)n_ports + 1, uint32_t);
	b->dep = ARENA_ARRAY(b, b->n_deps + 1, uint32_t);
	if (table) {
		b->table = ARENA_ARRAY(b, table, uint8_t);
		b->flow = ARENA_ARRAY(b, table, uint16_t);
		b->hops = ARENA_ARRAY(b, table, uint8_t);
		b->plain = ARENA_ARRAY(b, r->lids->max_lid + 1, uint8_t);
		for (uint32_t s = 0; s < n; s++)
			for (unsigned lid = 0; lid <= r->lids->max_lid; lid++)
				b->table[(size_t)lid * n + s] = (uint8_t)routing_port(r, s, lid);
	}
	return sum_before(b, p) ? 0 : err_set(e, CANCELLED);
}

struct effect_base *effect_base_new(const struct sweep *before, bool whole, unsigned workers,
				    struct progress *p, struct err *e)
{
	assert(before->routing && workers);
	struct effect_base *b = ARENA_NEW(NULL, struct effect_base);
	const struct routing *r = before->routing;
	const struct fabric *f = r->topo->fabric;
	uint32_t none = 0;
	int rc = 0;

	b->sweep = sweep_unref_later(b, sweep_ref(before));
	b->routing = r;
	/* the difference is enough if all counted hosts have a LID, and each packet has a single way */
	b->by_difference = !whole && !r->adaptive;
	for (uint32_t ep = 0; ep < f->n_endports; ep++)
		b->by_difference &= !routing_has_host(r, ep) || r->lids->base[ep];
	b->plain_vls = all_on_vl0(r);
	b->hosts = routing_hosts(b, r);
	b->channel = ARENA_ARRAY(b, (size_t)f->n_ports + 1, uint32_t);
	b->dep_at = ARENA_ARRAY(b, (size_t)f->n_ports + 1, size_t);
	for (uint32_t s = 0; s < f->n_switches; s++)
		FOR_PORTS(f, s, id) {
			uint32_t q = r->topo->peer_switch[id];

			b->dep_at[id] = NO_SLOT;
			if (q == NO_ID)
				continue;
			b->channel[b->n_channels++] = id;
			b->dep_at[id] = b->n_deps;
			b->n_deps += f->switch_nports[q] + 1u;
		}
	if (b->by_difference)
		rc = base_by_difference(b, workers, p, e);
	if (!rc && b->by_difference && b->plain_vls) {
		b->place = order_channels(b, b, b->dep, UINT32_MAX);
		b->looped = !b->place;
	} else if (!rc) {
		rc = count_loops(r, &b->looped, &none, p, e);
	}
	if (!rc && !b->by_difference)
		rc = most_load(r, &b->load_max, &none, p, e);
	for (uint32_t i = 0; !rc && b->by_difference && i < b->n_channels; i++)
		if (b->load[b->channel[i]] > b->load_max)
			b->load_max = b->load[b->channel[i]];
	if (!rc)
		return b;
	arena_free(b);
	return NULL;
}

/* --- a worker ----------------------------------------------------------------------------------------- */

struct effect_work *effect_work_new(void *arena, const struct effect_base *b)
{
	const struct routing *r = b->routing;
	uint32_t n = r->topo->fabric->n_switches;
	struct effect_work *w = ARENA_NEW(arena, struct effect_work);

	w->base = b;
	if (b->by_difference) {
		w->load = arena_dup(w, b->load, r->topo->fabric->n_ports * sizeof(*b->load));
		w->dep = arena_dup(w, b->dep, (b->n_deps + 1) * sizeof(*b->dep));
	}
	column_init(w, &w->was, n);
	column_init(w, &w->is, n);
	w->work = ARENA_ARRAY(w, (size_t)n + 1, uint32_t);
	w->flow = ARENA_ARRAY(w, (size_t)n + 1, uint32_t);
	w->changed = ARENA_ARRAY(w, (size_t)n + 1, uint8_t);
	w->row = ARENA_ARRAY(w, (size_t)n + 1, uint32_t);
	w->marked = ARENA_ARRAY(w, MAX_LID + 1, uint8_t);
	w->stayed = ARENA_ARRAY(w, (size_t)n + 1, uint32_t);
	w->left = ARENA_ARRAY(w, (size_t)n + 1, uint32_t);
	w->working = ARENA_ARRAY(w, (size_t)n + 1, uint32_t);
	w->grave = ARENA_ARRAY(w, (size_t)n + 1, uint32_t);
	w->part = ARENA_ARRAY(w, (size_t)n + 1, uint32_t);
	moves_init(w, &w->moves, b);
	return w;
}

/* --- parts that the subnet manager does not reach ---------------------------------------------- */

/* Number the connected parts of switches that work but are not reached. */
static void survey_effect_find_parts(struct effect_work *w, const struct sweep *after)
{
	const struct fabric *f = after->fabric;
	const struct state *st = after->setup->state;
	uint32_t *queue = w->work, parts = 0;

	memset(w->part, 0xff, f->n_switches * sizeof(*w->part));
	for (uint32_t s = 0; s < f->n_switches; s++) {
		uint32_t n = 0;

		if (w->part[s] != NO_ID || switch_up(after->topo, s) || st->node_down[f->switch_node[s]])
			continue;
		w->part[s] = parts;
		queue[n++] = s;
		for (uint32_t i = 0; i < n; i++)
			FOR_PORTS(f, queue[i], port) {
				uint32_t peer = state_live_peer(f, st, port);
				uint32_t q = peer == NO_ID ? NO_ID : f->node_switch[f->port_node[peer]];

				if (q == NO_ID || w->part[q] != NO_ID || switch_up(after->topo, q))
					continue;
				w->part[q] = parts;
				queue[n++] = q;
			}
		parts++;
	}
}

/* The part of a destination: that of its switch, if the destination itself is up. */
static uint32_t survey_effect_part_of(const struct effect_work *w, const struct sweep *after, uint32_t ep)
{
	uint32_t s = w->base->routing->topo->endport_switch[ep];

	if (s == NO_ID || after->setup->state->node_down[endport_node(after->fabric, ep)])
		return NO_ID;
	return w->part[s];
}

/* --- from nothing ------------------------------------------------------------------------------ */

static int pairs_from_nothing(struct effect_work *w, const struct sweep *after, struct survey_row *row,
			      struct progress *p, struct err *e)
{
	AUTO_ARENA struct comparison *c = compare_routings(w->base->routing, after->routing, p);

	if (!c)
		return err_set(e, CANCELLED);
	row->cut_off = c->cut_off;
	row->between_survivors = c->between_survivors;
	row->rerouted = c->rerouted;
	row->longer = c->longer;
	row->entries = c->entries_changed;
	if (c->cut_off)
		survey_effect_find_parts(w, after);
	for (size_t i = 0; c->cut_off && i < c->n_dests; i++) {
		uint64_t k = c->dest[i].first,
			 end = i + 1 < c->n_dests ? c->dest[i + 1].first : comparison_listed(c);
		uint32_t part = after->topo->endport_up[c->dest[i].dst]
					? NO_ID
					: survey_effect_part_of(w, after, c->dest[i].dst);
		struct pair_group g;

		for (; part != NO_ID && k < end; k++) {
			uint32_t src = comparison_pair(c, k, &g);

			row->outside += g.change == PAIR_LOST && survey_effect_part_of(w, after, src) == part;
		}
	}
	return 0;
}

/* --- by the difference ------------------------------------------------------------------------------- */

/* Do all endports that are still up have their LIDs and places, and did none come? */
static bool only_left(const struct sweep *was, const struct sweep *now)
{
	const struct topo *t = was->topo, *u = now->topo;

	for (uint32_t ep = 0; ep < t->fabric->n_endports; ep++) {
		if (!u->endport_up[ep])
			continue;
		if (!t->endport_up[ep] || t->endport_switch[ep] != u->endport_switch[ep] ||
		    was->lids->base[ep] != now->lids->base[ep] ||
		    was->lids->count[ep] != now->lids->count[ep])
			return false;
	}
	for (uint32_t s = 0; s < t->fabric->n_switches; s++)
		if (switch_up(u, s) && !switch_up(t, s))
			return false;
	return true;
}

/* Counts hosts by switch: those that stayed and those that left. */
static void survey_effect_sort_hosts(struct effect_work *w, const struct sweep *after)
{
	const struct routing *r = w->base->routing;
	uint32_t n = r->topo->fabric->n_switches;

	memset(w->stayed, 0, n * sizeof(*w->stayed));
	memset(w->left, 0, n * sizeof(*w->left));
	memset(w->working, 0, n * sizeof(*w->working));
	w->n_graves = 0;
	for (uint32_t ep = 0; ep < r->topo->fabric->n_endports; ep++) {
		uint32_t s = r->topo->endport_switch[ep];

		if (!routing_has_host(r, ep))
			continue;
		if (after->topo->endport_up[ep] && after->topo->endport_switch[ep] == s) {
			w->stayed[s]++;
			continue;
		}
		if (!w->left[s]++)
			w->grave[w->n_graves++] = s;
		w->working[s] += !after->setup->state->node_down[endport_node(r->topo->fabric, ep)];
	}
}

/* Marks LIDs with a changed entry. Returns the number of changed entries on switches in both. */
static uint64_t mark_entries(struct effect_work *w, const struct routing *a, const struct routing *b)
{
	unsigned top = MAX(a->lids->max_lid, b->lids->max_lid);
	uint64_t n = 0;

	w->n_rows = 0;
	for (uint32_t s = 0; s < a->topo->fabric->n_switches; s++) {
		const struct lft_row *x = a->row[s], *y = b->row[s];
		bool even = x && y && x->top == y->top;

		if (x == y)
			continue;
		w->row[w->n_rows++] = s;
		for (unsigned lid = 1; lid <= top; lid++) {
			if (even && lid + 8 <= x->top && !memcmp(x->port + lid, y->port + lid, 8)) {
				lid += 7;
				continue;
			}
			if (routing_port(a, s, lid) == routing_port(b, s, lid))
				continue;
			w->marked[lid] = 1;
			moves_add(&w->moves, s, lid);
			n += x && y;
		}
	}
	return n;
}

/* Marks LIDs with unchanged entries into a cable that went down. */
static void survey_effect_mark_cables(struct effect_work *w, const struct routing *a, const struct routing *b)
{
	const struct fabric *f = a->topo->fabric;

	for (uint32_t s = 0; s < f->n_switches; s++)
		for (unsigned p = 1; p <= f->switch_nports[s]; p++) {
			uint32_t id = switch_port_id(f, s, p);

			if (a->topo->peer[id] == b->topo->peer[id])
				continue;
			for (unsigned lid = 1; lid <= a->lids->max_lid; lid++) {
				if (routing_port(a, s, lid) != p || routing_port(b, s, lid) != p)
					continue;
				w->marked[lid] = 1;
				moves_add(&w->moves, s, lid);
			}
		}
}

/* Counts the pairs of one destination LID. */
static void survey_effect_count_lid(struct effect_work *w, const struct sweep *after, uint32_t dst,
				    struct survey_row *row)
{
	const struct topo *t = w->base->routing->topo, *u = after->topo;
	bool stays = u->endport_up[dst];
	uint32_t own = t->endport_switch[dst], part = stays ? NO_ID : survey_effect_part_of(w, after, dst);

	/* switches whose paths differ while both arrive; nearest first, so that the next switch is known */
	memset(w->changed, 1, t->fabric->n_switches);
	for (uint32_t i = 0; i < w->is.n_order; i++) {
		uint32_t s = w->is.order[i];

		if (w->was.port[s] != w->is.port[s])
			continue;
		uint32_t q =
			w->is.hops[s] ? u->peer_switch[switch_port_id(u->fabric, s, w->is.port[s])] : NO_ID;
		w->changed[s] = q != NO_ID && w->changed[q];
	}
	for (uint32_t s = 0; s < t->fabric->n_switches; s++) {
		uint64_t stayed = w->stayed[s] - (s == own && stays),
			 left = w->left[s] - (s == own && !stays);

		if (w->was.hops[s] >= HOPS_LOOP)
			continue;
		if (w->is.hops[s] >= HOPS_LOOP) {
			*(stays ? &row->between_survivors : &row->cut_off) += stayed;
		} else if (w->changed[s]) {
			row->rerouted += stayed;
			row->longer += w->is.hops[s] > w->was.hops[s] ? stayed : 0;
		}
		row->cut_off += left;
		if (part != NO_ID && w->part[s] == part) /* only there dst itself may be among them */
			row->outside += w->working[s] - (s == own);
	}
}

/* Compares the ways of all hosts to one LID, before and after. false: a way is too long. */
static bool survey_effect_walk_lid(struct effect_work *w, const struct sweep *after, unsigned lid,
				   struct survey_row *row)
{
	const struct effect_base *b = w->base;
	const struct routing *was = b->routing, *is = after->routing;
	uint32_t dst = was->lids->owner[lid];
	struct sums x = {.load = lid == was->lids->base[dst] ? w->load : NULL,
			 .dep = b->plain_vls ? w->dep : NULL,
			 .flow = w->flow,
			 .log = w,
			 .base = b};

	column_before(&w->was, b, lid, w->work);
	/* the column after the failure: the old one with the changed rows */
	memcpy(w->is.port, w->was.port, is->topo->fabric->n_switches);
	for (uint32_t i = 0; i < w->n_rows; i++)
		w->is.port[w->row[i]] = (uint8_t)routing_port(is, w->row[i], lid);
	column_order(&w->is, is, lid_owner(is->lids, lid), w->work);
	if (w->is.too_long)
		return false;
	survey_effect_count_lid(w, after, dst, row);
	survey_effect_add_column(&x, was->topo, &w->was, b->hosts, dst, -1);
	if (lid_owner(is->lids, lid) != NO_ID)
		survey_effect_add_column(&x, is->topo, &w->is, w->stayed, dst, 1);
	return true;
}

/*
 * Walks all marked LIDs. by_moves: visits only changed switches where that is enough, and does not sum
 * dependencies.  Returns 1 when done, 0 when a way is too long, -1 when cancelled.
 */
static int walk_marked(struct effect_work *w, const struct sweep *after, bool by_moves,
		       struct survey_row *row, struct progress *p)
{
	const struct routing *was = w->base->routing;

	w->moves.order_holds = true;
	for (unsigned lid = 1; lid <= was->lids->max_lid; lid++) {
		uint32_t dst = was->lids->owner[lid];

		if (!w->marked[lid] || dst == NO_ID || !routing_has_host(was, dst))
			continue;
		if (progress_cancelled(p))
			return -1;
		if (by_moves && moves_apply(w, after->routing, lid, dst, lid == was->lids->base[dst], row))
			continue;
		if (!survey_effect_walk_lid(w, after, lid, row))
			return 0;
	}
	return 1;
}

static void hottest(const struct effect_work *w, const struct sweep *after, struct survey_row *row)
{
	const struct effect_base *b = w->base;

	row->load_port = NO_ID;
	for (uint32_t i = 0; i < b->n_channels; i++) {
		uint32_t port = b->channel[i];

		if (after->topo->peer_switch[port] == NO_ID ||
		    (row->load_port != NO_ID && w->load[port] <= row->load_after))
			continue;
		row->load_after = w->load[port];
		row->load_port = port;
	}
}

/* Do all new dependencies follow the order of the old ones? */
static bool order_holds(const struct effect_work *w)
{
	const struct effect_base *b = w->base;
	const struct topo *t = b->routing->topo;

	for (size_t i = 0; i < w->n_dep; i++) {
		size_t at = w->touched_dep[i];
		uint32_t lo = 0, hi = b->n_channels;

		if (!w->dep[at] || b->dep[at])
			continue;
		while (hi - lo > 1) { /* the channel of this slot */
			uint32_t mid = lo + (hi - lo) / 2;

			if (b->dep_at[b->channel[mid]] <= at)
				lo = mid;
			else
				hi = mid;
		}
		uint32_t port = b->channel[lo];
		uint32_t next =
			switch_port_id(t->fabric, t->peer_switch[port], (unsigned)(at - b->dep_at[port]));
		if (b->place[port] >= b->place[next])
			return false;
	}
	return true;
}

static void put_back(struct effect_work *w)
{
	while (w->n_load) {
		uint32_t at = w->touched_load[--w->n_load];

		w->load[at] = w->base->load[at];
	}
	while (w->n_dep) {
		size_t at = w->touched_dep[--w->n_dep];

		w->dep[at] = w->base->dep[at];
	}
}

/* Returns 1 when done, 0 when the difference is not enough, -1 when cancelled. *acyclic: there is no new
 * credit loop. */
static int by_difference(struct effect_work *w, const struct sweep *after, struct survey_row *row,
			 struct progress *p, bool *acyclic)
{
	const struct effect_base *b = w->base;
	const struct routing *was = b->routing, *is = after->routing;
	struct survey_row first = *row;

	if (!b->by_difference || is->adaptive || !only_left(b->sweep, after))
		return 0;
	memset(w->marked, 0, MAX_LID + 1);
	moves_clear(&w->moves);
	first.entries = mark_entries(w, was, is);
	survey_effect_mark_cables(w, was, is);
	survey_effect_sort_hosts(w, after);
	if (w->n_graves) {
		survey_effect_find_parts(w, after);
		memset(w->marked, 1, MAX_LID + 1);
	}
	bool tells = b->plain_vls && all_on_vl0(is);
	struct survey_row r = first;
	int rc = walk_marked(w, after, true, &r, p);
	if (rc > 0 && tells && !b->looped && !(w->moves.order_holds && order_holds(w))) {
		put_back(w); /* a new order needs all dependencies */
		r = first;
		rc = walk_marked(w, after, false, &r, p);
	}
	/* the old order mostly shows that there is no cycle */
	*acyclic = rc > 0 && tells && (b->looped || order_holds(w));
	if (rc > 0 && tells && !*acyclic) {
		AUTO_ARENA uint32_t *place = order_channels(NULL, b, w->dep, UINT32_MAX);

		*acyclic = place != NULL;
	}
	hottest(w, after, &r);
	put_back(w);
	if (rc > 0)
		*row = r;
	return rc;
}

/* --- credit loops in layers --------------------------------------------------------------------------- */

/*
 * Do all routes from a switch to a LID begin alike and stay on their VL?  Then *source is a LID of a host on
 * each switch (0: none), and *map is the VL of each SL; the caller frees *source.
 */
static bool layers_by_switch(const struct routing *r, uint16_t **source, sl2vl_map *map)
{
	const struct fabric *f = r->topo->fabric;

	if (!routing_vl_by_sl(r) || !routing_sls_by_source(r))
		return false;
	for (uint32_t ep = 0; !routing_sls_by_switch(r) && ep < f->n_endports; ep++)
		if (routing_has_host(r, ep) && f->node_type[endport_node(f, ep)] != NODE_CA)
			return false;
	*map = 0;
	for (unsigned sl = 0; sl < 16; sl++)
		*map |= (sl2vl_map)(routing_vl(r, 0, 0, 0, sl) & 15) << (4 * sl);
	*source = NEW_ARRAY((size_t)f->n_switches + 1, uint16_t);
	for (uint32_t ep = 0; ep < f->n_endports; ep++)
		if (routing_has_host(r, ep))
			(*source)[r->topo->endport_switch[ep]] = r->lids->base[ep];
	return true;
}

/* Adds to w->dep the VLs, as bits, on which routes to a LID pass from link to link.  Its column is w->is. */
static void add_lanes(struct effect_work *w, const struct routing *r, const uint16_t *source, sl2vl_map map,
		      unsigned lid)
{
	const struct topo *t = r->topo;
	const struct effect_column *c = &w->is;
	uint32_t *vls = w->flow;

	memset(vls, 0, t->fabric->n_switches * sizeof(*vls));
	for (uint32_t i = c->n_order; i-- > 0;) {
		uint32_t s = c->order[i], port = switch_port_id(t->fabric, s, c->port[s]),
			 q = t->peer_switch[port];

		if (q == NO_ID)
			continue;
		if (source[s]) {
			struct sl_range sl = routing_sl(r, source[s], lid);

			for (unsigned v = sl.lo; v <= sl.hi; v++)
				vls[s] |= 1u << sl2vl_of(map, v);
			vls[s] &= ~(1u << CDG_DROP_VL);
		}
		vls[q] |= vls[s];
		if (t->peer_switch[switch_port_id(t->fabric, q, c->port[q])] != NO_ID)
			w->dep[w->base->dep_at[port] + c->port[q]] |= vls[s];
	}
}

/* Is there surely no credit loop on other VLs than `looped`?  false: perhaps there is one. */
static bool lanes_acyclic(struct effect_work *w, const struct sweep *after, unsigned looped,
			  struct progress *p)
{
	const struct effect_base *b = w->base;
	const struct routing *r = after->routing;
	uint32_t n = r->topo->fabric->n_switches, used = 0;
	AUTO_FREE uint16_t *source = NULL;
	sl2vl_map map;
	bool sure = b->by_difference && !b->plain_vls && !r->adaptive && only_left(b->sweep, after) &&
		    layers_by_switch(r, &source, &map);

	if (!sure)
		return false;
	AUTO_FREE uint8_t *block = NEW_ARRAY((size_t)n * COLUMN_BLOCK, uint8_t);
	/* with several VLs nothing goes by its sums */
	memset(w->dep, 0, b->n_deps * sizeof(*w->dep));
	for (unsigned lid = 1; sure && lid <= r->lids->max_lid; lid++) {
		uint32_t dst = lid_owner(r->lids, lid), k = (lid - 1) % COLUMN_BLOCK;

		if (!k)
			routing_columns(r, lid, COLUMN_BLOCK, block);
		if (dst == NO_ID || !routing_has_host(r, dst))
			continue;
		memcpy(w->is.port, block + (size_t)k * n, n);
		column_order(&w->is, r, dst, w->work);
		add_lanes(w, r, source, map, lid);
		sure = !w->is.too_long && !progress_cancelled(p);
	}
	for (size_t i = 0; i < b->n_deps; i++)
		used |= w->dep[i];
	for (used &= ~looped; sure && used; used &= used - 1) {
		uint32_t *place = order_channels(NULL, b, w->dep, used & -used);
		sure = place != NULL;
		arena_free(place);
	}
	return sure;
}

int effect_of(struct effect_work *w, const struct sweep *after, struct survey_row *row, struct progress *p,
	      struct err *e)
{
	assert(after->routing && fabric_alike(after->fabric, w->base->sweep->fabric));
	bool acyclic = false;
	uint16_t looped = w->base->looped;
	int rc = by_difference(w, after, row, p, &acyclic);

	if (rc < 0)
		return err_set(e, CANCELLED);
	if (!rc && (pairs_from_nothing(w, after, row, p, e) ||
		    most_load(after->routing, &row->load_after, &row->load_port, p, e)))
		return -1;
	if (!acyclic && !lanes_acyclic(w, after, looped, p) &&
	    count_loops(after->routing, &looped, &row->new_loops, p, e))
		return -1;
	row->lost = row->cut_off + row->between_survivors;
	return 0;
}
