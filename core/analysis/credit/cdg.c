/* Channel dependency graphs: all routes by destination trees, and every way where switches choose. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/credit/cdg.h"
#include "core/analysis/credit/internal.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/progress.h"

/* Making channel dependency graphs: all routes by destination trees. */

struct cdg_source *cdg_sources(void *arena, const struct routing *r, bool switches, uint32_t *n)
{
	const struct topo *t = r->topo;
	struct cdg_source *s = ARENA_ARRAY(arena, t->fabric->n_endports, struct cdg_source);

	*n = 0;
	for (uint32_t ep = 0; ep < t->fabric->n_endports; ep++) {
		if (!t->endport_up[ep] || !r->lids->base[ep] || t->endport_switch[ep] == NO_ID ||
		    (!switches && !routing_counts(r, ep)))
			continue;
		s[(*n)++] = (struct cdg_source){ep, t->endport_switch[ep], r->lids->base[ep],
						t->endport_swport[ep]};
	}
	return s;
}

bool cdg_is_destination(const struct routing *r, bool switches, unsigned lid)
{
	uint32_t ep = lid_owner(r->lids, lid);

	return ep != NO_ID && (switches || routing_counts(r, ep));
}

COMPARATOR(by_switch, struct cdg_source, UP(sw) UP(endport))

/* --- counting ---------------------------------------------------------------------------- */

/* Single SLs have a table, since they are many. */
static uint32_t slot_number(struct cdg_counting *k, const struct cdg_slot *s)
{
	uint32_t *known = NULL, cap[2] = {k->cap_slots, k->cap_slots};

	if (s->sl.lo == s->sl.hi)
		known = &k->slot_of[s->sl.lo & 15][sl2vl_of(s->vls, s->sl.lo)];
	for (uint32_t i = 0; !known && i < k->n_slots; i++)
		if (k->slot[i].vls == s->vls && k->slot[i].sl.lo == s->sl.lo && k->slot[i].sl.hi == s->sl.hi)
			return i;
	if (known && *known != CDG_NO_SLOT)
		return *known;
	ARENA_GROW(k->arena, k->slot, k->n_slots, k->cap_slots);
	ARENA_GROW(k->arena, k->flow, k->n_slots, cap[0]);
	ARENA_GROW(k->arena, k->leaving, k->n_slots, cap[1]);
	k->slot[k->n_slots] = *s;
	k->flow[k->n_slots] = k->leaving[k->n_slots] = NULL;
	if (known)
		*known = k->n_slots;
	return k->n_slots++;
}

bool cdg_wanted(const struct cdg_counting *k, unsigned vl)
{
	return k->c->want == CDG_ALL_VLS || (unsigned)k->c->want == vl;
}

/* VLs of a slot as bits, without the VL that drops. */
static unsigned vls_of(const struct cdg_slot *s)
{
	unsigned vls = 0;

	for (unsigned sl = s->sl.lo; sl <= s->sl.hi; sl++)
		vls |= 1u << sl2vl_of(s->vls, sl);
	return vls & ~(1u << CDG_DROP_VL);
}

uint32_t *cdg_counters(struct cdg_counting *k, uint32_t **table, size_t n)
{
	if (!*table && !k->failed &&
	    mem_room(k->e, n * sizeof(**table), "counts of channel dependencies by the ports of %u switches",
		     k->n))
		k->failed = true;
	if (!*table && !k->failed)
		*table = ARENA_ARRAY(k->arena, n, uint32_t);
	return *table;
}

static void add_load(struct cdg_counting *k, uint32_t port, unsigned vl, uint32_t routes)
{
	uint32_t *load;

	k->c->used |= 1u << vl;
	if (cdg_wanted(k, vl) && (load = cdg_counters(k, &k->load[vl], k->f->n_ports)))
		cdg_add(&load[port], routes);
}

/* Routes over a port, once on each VL. */
static void cdg_add_load(struct cdg_counting *k, uint32_t port, struct cdg_slot s, uint32_t routes)
{
	for (unsigned vls = vls_of(&s); vls; vls &= vls - 1)
		add_load(k, port, (unsigned)__builtin_ctz(vls), routes);
}

/* Routes pass a switch, once on each pair of VLs.  Returns the slot behind it, or CDG_NO_SLOT. */
static uint32_t cdg_pass(struct cdg_counting *k, uint32_t sw, unsigned in, unsigned out, struct cdg_slot s,
			 uint32_t routes)
{
	struct cdg_slot to = {.sl = s.sl};
	size_t cell = k->at[sw] + (size_t)in * (k->f->switch_nports[sw] + 1u) + out;
	uint16_t seen[CDG_VLS] = {0}; /* by VL in: bits of VLs out */
	bool goes_on = false, dropped = false, before = false;

	if (k->steady) {
		for (unsigned vls = vls_of(&s); vls; vls &= vls - 1) {
			unsigned vl = (unsigned)__builtin_ctz(vls);
			uint32_t *matrix =
				cdg_wanted(k, vl) ? cdg_counters(k, &k->matrix[vl][vl], k->cells) : NULL;

			if (matrix)
				cdg_add(&matrix[cell], in ? routes : 1);
			goes_on = true;
		}
		return goes_on ? slot_number(k, &s) : CDG_NO_SLOT;
	}
	for (unsigned sl = s.sl.lo; sl <= s.sl.hi; sl++) {
		unsigned va = sl2vl_of(s.vls, sl),
			 vb = va == CDG_DROP_VL ? va : routing_vl(k->r, sw, in, out, sl) & 15;
		uint32_t *matrix;

		to.vls |= (sl2vl_map)vb << (4 * sl);
		dropped |= vb != va && vb == CDG_DROP_VL;
		before |= va == CDG_DROP_VL;
		if (vb == CDG_DROP_VL)
			continue;
		goes_on = true;
		if (!(seen[va] >> vb & 1) && cdg_wanted(k, va) && cdg_wanted(k, vb) &&
		    (matrix = cdg_counters(k, &k->matrix[va][vb], k->cells)))
			cdg_add(&matrix[cell], in ? routes : 1); /* row 0: see spread_rows() */
		seen[va] |= (uint16_t)(1u << vb);
	}
	/* a dropped route counts once, whatever its other SLs do */
	k->c->dropped += dropped && !before ? routes : 0;
	return goes_on ? slot_number(k, &to) : CDG_NO_SLOT;
}

/* The VLs of the first channel: the source's link, or the port out if the source is port 0. */
static struct cdg_slot first_slot(const struct cdg_counting *k, const struct cdg_source *s, unsigned in,
				  struct sl_range sl, unsigned out)
{
	struct cdg_slot first = {.sl = sl};

	if (k->steady || (s->in && routing_endport_known(k->r))) {
		first.vls = k->steady ? k->map : routing_endport_map(k->r, s->endport);
		first.vls &= ~0ull << (4 * sl.lo) & ~0ull >> (4 * (15 - sl.hi));
		return first;
	}
	for (unsigned v = sl.lo; v <= sl.hi; v++)
		first.vls |= (sl2vl_map)(routing_vl(k->r, s->sw, in, out, v) & 15) << (4 * v);
	return first;
}

/* Counts n routes at their beginning, once on each VL. in: port of their own link; 0: counted elsewhere. */
static void count_start(struct cdg_counting *k, const struct cdg_source *s, unsigned in,
			const struct cdg_slot *first, uint32_t n)
{
	for (unsigned v = first->sl.lo; v <= first->sl.hi; v++)
		if (sl2vl_of(first->vls, v) == CDG_DROP_VL) {
			k->c->dropped += n;
			break;
		}
	for (unsigned left = vls_of(first); left; left &= left - 1) {
		unsigned vl = (unsigned)__builtin_ctz(left);

		k->c->vl_routes[vl] += n;
		k->c->used |= 1u << vl;
		if (in)
			add_load(k, k->f->endport_port[s->endport], vl, n);
	}
}

/*
 * Routes of a source, or of n sources at once, begin and leave their switch by a way out.  *counted: another
 * way out has counted the beginning already.  Returns the slot at the way out, or CDG_NO_SLOT.
 */
static uint32_t cdg_start(struct cdg_counting *k, const struct cdg_source *s, struct sl_range sl,
			  unsigned out, uint32_t n, bool *counted)
{
	unsigned in = k->grouped ? 0 : s->in; /* 0: of the switch's own, or of many */
	struct cdg_slot first = first_slot(k, s, in, sl, out);
	unsigned vls = vls_of(&first);

	if (!*counted)
		count_start(k, s, in, &first, n);
	for (unsigned left = k->grouped ? vls : 0; left; left &= left - 1) {
		unsigned vl = (unsigned)__builtin_ctz(left);
		uint32_t *begin = cdg_wanted(k, vl) ? cdg_counters(k, &k->begin[vl], k->f->n_ports) : NULL;

		if (begin) {
			begin[switch_port_id(k->f, s->sw, out)]++;
			begin[switch_port_id(k->f, s->sw, 0)] += !*counted;
		}
	}
	*counted |= vls != 0;
	if (!vls)
		return CDG_NO_SLOT;
	return s->in || k->grouped ? cdg_pass(k, s->sw, in, out, first, n) : slot_number(k, &first);
}

/* Gives each source's link the counts of its switch, less what the source would send to itself. */
static void spread_rows(struct cdg_counting *k, unsigned va)
{
	for (uint32_t i = 0; k->begin[va] && i < k->n_sources; i++) {
		const struct cdg_source *s = &k->source[i];
		unsigned ports = k->f->switch_nports[s->sw];
		const uint32_t *begin = k->begin[va] + switch_port_id(k->f, s->sw, 0);

		if (s->in && begin[0] > begin[s->in])
			add_load(k, k->f->endport_port[s->endport], va, begin[0] - begin[s->in]);
		for (unsigned out = 1; s->in && out <= ports; out++) {
			if (out == s->in || !begin[out])
				continue;
			for (unsigned vb = 0; vb < CDG_VLS; vb++) {
				uint32_t *all = k->matrix[va][vb] ? k->matrix[va][vb] + k->at[s->sw] : NULL;

				if (all)
					all[(size_t)s->in * (ports + 1) + out] += all[out];
			}
		}
	}
}

/* Passes all routes that leave a switch on to the next one. */
static void cdg_pass_on(struct cdg_counting *k, uint32_t sw)
{
	uint32_t port = switch_port_id(k->f, sw, k->col[sw]), peer = k->t->peer[port],
		 next = k->t->peer_switch[port];
	unsigned in = k->f->port_num[peer], out = next == NO_ID ? 0 : k->col[next];

	for (uint32_t i = 0; i < k->n_slots; i++) {
		uint32_t routes = k->flow[i] ? k->flow[i][sw] : 0;

		if (!routes)
			continue;
		k->flow[i][sw] = 0;
		cdg_add_load(k, port, k->slot[i], routes);
		uint32_t slot = out ? cdg_pass(k, next, in, out, k->slot[i], routes) : CDG_NO_SLOT;
		if (slot != CDG_NO_SLOT)
			cdg_add_to(k, &k->flow[slot], k->n, next, routes);
	}
}

/* Sorts the switches that reach the destination, farthest first (counting sort). */
static void cdg_sort_switches(struct cdg_counting *k)
{
	uint32_t max = 0, sum = 0;

	for (uint32_t s = 0; s < k->n; s++)
		if (k->hops[s] < HOPS_LOOP && k->hops[s] > max)
			max = k->hops[s];
	memset(k->count, 0, (max + 1u) * sizeof(*k->count));
	for (uint32_t s = 0; s < k->n; s++)
		if (k->hops[s] < HOPS_LOOP)
			k->count[k->hops[s]]++;
	for (uint32_t h = max + 1; h-- > 0;) {
		uint32_t n = k->count[h];

		k->count[h] = sum;
		sum += n;
	}
	k->n_order = sum;
	for (uint32_t s = 0; s < k->n; s++)
		if (k->hops[s] < HOPS_LOOP)
			k->order[k->count[k->hops[s]]++] = s;
}

/*
 * Does the choice of a port lead to the destination? *next: the next switch, NO_ID at the end. A pair is left
 * out as a whole if one of its ways fails: such routes never count.
 */
static bool credit_adaptive_leads_on(const struct cdg_counting *k, uint32_t sw, unsigned out, uint32_t owner,
				     uint32_t *next)
{
	uint32_t port = switch_port_id(k->f, sw, out);

	*next = NO_ID;
	if (!out || out > k->f->switch_nports[sw])
		return false;
	uint32_t peer = k->t->peer[port];
	if (peer == NO_ID)
		return false;
	*next = k->t->peer_switch[port];
	return *next == NO_ID ? k->f->port_endport[peer] == owner : k->hops[*next] < k->hops[sw];
}

/* Starts the routes of n sources on a switch by all ports that it may choose. */
static void start_routes(struct cdg_counting *k, const struct cdg_source *s, uint32_t n, struct sl_range sl,
			 uint32_t owner)
{
	const struct port_set *set = &k->ways->set[s->sw];
	bool counted = false;
	uint32_t next;

	for (unsigned out = port_set_next(set, 0); out < 256; out = port_set_next(set, out + 1)) {
		uint32_t slot = credit_adaptive_leads_on(k, s->sw, out, owner, &next)
					? cdg_start(k, s, sl, out, n, &counted)
					: CDG_NO_SLOT;

		if (slot != CDG_NO_SLOT)
			cdg_add_to(k, &k->leaving[slot], k->f->n_ports, switch_port_id(k->f, s->sw, out), n);
	}
}

/*
 * Starts sources one by one, or all of a switch with equal SLs and VLs at once. Then row 0 of the switch's
 * matrix and begin[] count their own links; in the end spread_rows() gives each link its share.
 */
static void start_all(struct cdg_counting *k, unsigned lid, uint32_t owner)
{
	for (uint32_t i = 0, next; i < k->n_sources; i = next) {
		const struct cdg_source *s = &k->source[i];
		uint32_t own = 0;

		for (next = i;
		     next < k->n_sources && (next == i || (k->grouped && k->source[next].sw == s->sw));
		     next++)
			own += k->source[next].endport == owner;
		uint32_t n = next - i - own;
		unsigned out = k->col[s->sw];

		if (!n || k->hops[s->sw] >= HOPS_LOOP)
			continue;
		if (k->r->adaptive) {
			start_routes(k, s, n, routing_sl(k->r, s->lid, lid), owner);
		} else if (out) {
			bool counted = false;
			uint32_t slot = cdg_start(k, s, routing_sl(k->r, s->lid, lid), out, n, &counted);

			if (slot != CDG_NO_SLOT)
				cdg_add_to(k, &k->flow[slot], k->n, s->sw, n);
		}
	}
}

/* Passes the flow of a port on to all ports that the next switch may choose. */
static void credit_adaptive_pass_on(struct cdg_counting *k, uint32_t sw, unsigned out, uint32_t owner)
{
	static const struct port_set none;
	uint32_t port = switch_port_id(k->f, sw, out), next, after;

	if (!credit_adaptive_leads_on(k, sw, out, owner, &next))
		return;
	unsigned in = k->f->port_num[k->t->peer[port]];
	const struct port_set *set = next == NO_ID ? &none : &k->ways->set[next];
	for (uint32_t i = 0; i < k->n_slots; i++) {
		uint32_t routes = k->leaving[i] ? k->leaving[i][port] : 0;

		if (!routes)
			continue;
		k->leaving[i][port] = 0;
		cdg_add_load(k, port, k->slot[i], routes);
		for (unsigned p = port_set_next(set, 0); p < 256; p = port_set_next(set, p + 1)) {
			uint32_t slot = credit_adaptive_leads_on(k, next, p, owner, &after)
						? cdg_pass(k, next, in, p, k->slot[i], routes)
						: CDG_NO_SLOT;

			if (slot != CDG_NO_SLOT)
				cdg_add_to(k, &k->leaving[slot], k->f->n_ports, switch_port_id(k->f, next, p),
					   routes);
		}
	}
}

/* Count all ways to a LID that adaptive routing may take. */
static void cdg_count_adaptive(struct cdg_counting *k, unsigned lid)
{
	uint32_t owner = lid_owner(k->r->lids, lid);

	dest_ways(k->r, lid, k->ways);
	memcpy(k->hops, k->ways->worst, k->n * sizeof(*k->hops));
	cdg_sort_switches(k);
	start_all(k, lid, owner);
	for (uint32_t i = 0; i < k->n_order; i++) {
		uint32_t sw = k->order[i];
		const struct port_set *set = &k->ways->set[sw];

		for (unsigned out = port_set_next(set, 0); out < 256; out = port_set_next(set, out + 1))
			credit_adaptive_pass_on(k, sw, out, owner);
	}
}

/* Routes of hosts to the LID of their own switch. They use nothing but the host's link. */
static void start_to_own(struct cdg_counting *k, unsigned lid, uint32_t sw)
{
	for (uint32_t i = 0; !routing_next_port(k->r, sw, lid) && i < k->n_sources; i++) {
		const struct cdg_source *s = &k->source[i];

		if (s->sw == sw && s->in) {
			struct cdg_slot first = first_slot(k, s, s->in, routing_sl(k->r, s->lid, lid), 0);

			count_start(k, s, s->in, &first, 1);
		}
	}
}

static bool count_all(struct cdg_counting *k, struct progress *p)
{
	unsigned top = k->r->lids->max_lid;
	AUTO_FREE uint8_t *block = NEW_ARRAY((size_t)k->n * COLUMN_BLOCK, uint8_t),
			  *left = NEW_ARRAY(top + 1, uint8_t);

	for (unsigned lid = 1; lid <= top; lid++)
		left[lid] = cdg_is_destination(k->r, k->c->switches, lid);
	bool go_on = cdg_count_alike(k, left, p);
	progress_start(p, "channel dependencies", top);
	for (unsigned lid0 = 1; lid0 <= top && go_on && (go_on = progress_step(p, lid0) && !k->failed);
	     lid0 += COLUMN_BLOCK) {
		if (!memchr(left + lid0, 1, top - lid0 + 1 < COLUMN_BLOCK ? top - lid0 + 1 : COLUMN_BLOCK))
			continue;
		routing_columns(k->r, lid0, COLUMN_BLOCK, block);
		for (unsigned lid = lid0; lid < lid0 + COLUMN_BLOCK && lid <= top; lid++) {
			uint32_t owner = lid_owner(k->r->lids, lid);

			k->col = block + (size_t)(lid - lid0) * k->n;
			if (!left[lid])
				continue;
			if (endport_is_switch(k->f, owner))
				start_to_own(k, lid, k->t->endport_switch[owner]);
			if (k->r->adaptive) {
				cdg_count_adaptive(k, lid);
				continue;
			}
			column_hops(k->t, k->col, owner, k->hops, k->work);
			cdg_sort_switches(k);
			start_all(k, lid, owner);
			for (uint32_t i = 0; i < k->n_order; i++)
				if (k->col[k->order[i]])
					cdg_pass_on(k, k->order[i]);
		}
	}
	return go_on && !k->failed;
}

/* May all sources of a switch be counted at once? */
static bool may_group(const struct cdg_counting *k)
{
	bool known = routing_endport_known(k->r);
	sl2vl_map one = 0;

	if (!routing_vl_by_sl(k->r) || !routing_sls_by_source(k->r))
		return false;
	for (unsigned sl = 0; k->c->switches && sl < 16; sl++)
		one |= (sl2vl_map)(routing_vl(k->r, 0, 0, 0, sl) & 15) << (4 * sl);
	if (known && !k->c->switches && k->n_sources)
		one = routing_endport_map(k->r, k->source[0].endport);
	for (uint32_t i = 0; i < k->n_sources; i++) {
		const struct cdg_source *s = &k->source[i];

		if ((known && s->in && routing_endport_map(k->r, s->endport) != one) ||
		    (!routing_sls_by_switch(k->r) &&
		     k->f->node_type[endport_node(k->f, s->endport)] != NODE_CA))
			return false;
	}
	return true;
}

void cdg_counting_start(void *arena, struct cdg_counting *k, struct cdg *c)
{
	const struct fabric *f = c->routing->topo->fabric;

	assert(!c->n_channels && !c->n_deps);
	*k = (struct cdg_counting){
		.arena = arena, .r = c->routing, .t = c->routing->topo, .f = f, .c = c, .n = f->n_switches};
	k->source = cdg_sources(arena, k->r, c->switches, &k->n_sources);
	qsort(k->source, k->n_sources, sizeof(*k->source), by_switch);
	k->grouped = may_group(k);
	k->steady = k->n && routing_vl_by_sl(k->r) && !routing_endport_known(k->r);
	for (unsigned sl = 0; k->steady && sl < 16; sl++)
		k->map |= (sl2vl_map)(routing_vl(k->r, 0, 0, 0, sl) & 15) << (4 * sl);
	k->at = ARENA_ARRAY(arena, k->n, size_t);
	for (uint32_t s = 0; s < k->n; s++) {
		k->at[s] = k->cells;
		k->cells += (f->switch_nports[s] + 1u) * (f->switch_nports[s] + 1u);
	}
	memset(k->slot_of, 0xff, sizeof(k->slot_of));
	k->hops = ARENA_ARRAY(arena, k->n, uint16_t);
	k->order = ARENA_ARRAY(arena, k->n, uint32_t);
	k->work = ARENA_ARRAY(arena, k->n, uint32_t);
	k->count = ARENA_ARRAY(arena, k->n + 2u, uint32_t);
	if (k->r->adaptive)
		k->ways = dest_ways_new(arena, k->r);
}

/* --- from counts to a graph ------------------------------------------------------------------ */

static void list_row(struct cdg_counting *k, uint32_t channel, uint32_t *cap_to, uint32_t *cap_routes)
{
	struct cdg *c = k->c;
	uint32_t peer = k->t->peer[c->port[channel]], sw = k->f->node_switch[k->f->port_node[peer]];
	unsigned va = c->vl[channel], ports = sw == NO_ID ? 0 : k->f->switch_nports[sw];

	for (unsigned vb = 0; sw != NO_ID && vb < CDG_VLS; vb++) {
		const uint32_t *row = k->matrix[va][vb];

		if (!row)
			continue;
		row += k->at[sw] + (size_t)k->f->port_num[peer] * (ports + 1);
		for (unsigned out = 1; out <= ports; out++) {
			if (!row[out])
				continue;
			ARENA_GROW(c, c->to, c->n_deps, *cap_to);
			ARENA_GROW(c, c->routes, c->n_deps, *cap_routes);
			c->crosses |= va != vb;
			c->to[c->n_deps] = k->load[vb][switch_port_id(k->f, sw, out)];
			c->routes[c->n_deps++] = row[out];
		}
	}
}

/* False: cancelled. */
static bool cdg_make_graph(struct cdg_counting *k, struct progress *p)
{
	struct cdg *c = k->c;
	uint32_t cap_to = 0, cap_routes = 0, cap = 0;
	bool go_on = true;

	for (unsigned v = 0; k->grouped && v < CDG_VLS && (go_on = !progress_cancelled(p)); v++)
		spread_rows(k, v);
	for (unsigned v = 0; v < CDG_VLS; v++)
		for (uint32_t at = 0; k->load[v] && at < k->f->n_ports; at++)
			cap += k->load[v][at] != 0;
	c->port = ARENA_ARRAY(c, cap, uint32_t);
	c->vl = ARENA_ARRAY(c, cap, uint8_t);
	c->load = ARENA_ARRAY(c, cap, uint32_t);
	for (unsigned v = 0; v < CDG_VLS; v++)
		for (uint32_t at = 0; k->load[v] && at < k->f->n_ports; at++) {
			if (!k->load[v][at])
				continue;
			c->port[c->n_channels] = at;
			c->vl[c->n_channels] = v;
			c->load[c->n_channels] = k->load[v][at];
			k->load[v][at] = c->n_channels++; /* from now on: the channel's number */
		}
	c->first = ARENA_ARRAY(c, c->n_channels + 1u, uint32_t);
	for (uint32_t i = 0; i < c->n_channels && (go_on = go_on && !progress_cancelled(p)); i++) {
		c->first[i] = c->n_deps;
		list_row(k, i, &cap_to, &cap_routes);
	}
	c->first[c->n_channels] = c->n_deps;
	return go_on;
}

struct cdg *cdg_new(const struct routing *r, int vl, bool switches, struct progress *p, struct err *e)
{
	struct cdg *c = ARENA_NEW(NULL, struct cdg);
	AUTO_ARENA void *arena = ARENA_EMPTY;
	struct cdg_counting k;

	assert(vl == CDG_ALL_VLS || (vl >= 0 && vl < CDG_VLS));
	assert(r->lids->n_endports == r->topo->fabric->n_endports);
	c->routing = routing_unref_later(c, routing_ref(r));
	c->want = vl;
	c->switches = switches;
	cdg_counting_start(arena, &k, c);
	k.e = e;
	if (count_all(&k, p) && cdg_make_graph(&k, p) && cdg_find_components(c, p))
		return c;
	if (!k.failed)
		err_set(e, CANCELLED);
	arena_free(c);
	return NULL;
}

struct cdg *cdg_for_vl(const struct routing *r, int vl, bool switches, struct progress *p, struct err *e)
{
	return cdg_new(r, routing_has_maps(r) ? CDG_ALL_VLS : vl, switches, p, e);
}

uint16_t *cdg_switch_vls(const struct cdg *c)
{
	const struct fabric *f = c->routing->topo->fabric;
	uint16_t *vls = NEW_ARRAY(f->n_switches + 1, uint16_t);

	for (uint32_t i = 0; i < c->n_channels; i++) {
		uint32_t p = c->port[i], q = f->port_peer[p], a = f->node_switch[f->port_node[p]],
			 b = q == NO_ID ? NO_ID : f->node_switch[f->port_node[q]];

		if (a == NO_ID || b == NO_ID)
			continue;
		vls[a] |= (uint16_t)(1u << c->vl[i]);
		vls[b] |= (uint16_t)(1u << c->vl[i]);
	}
	return vls;
}
