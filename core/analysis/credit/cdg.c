/* Making channel dependency graphs: all routes by destination trees. */
#include "core/analysis/credit/cdg.h"
#include "core/base/memory.h"
#include "core/base/progress.h"

#include <stdlib.h>
#include <string.h>
#include "core/analysis/credit/internal.h"
#include "core/base/order.h"

/* --- sources ------------------------------------------------------------------------- */

struct cdg_source *cdg_sources(const struct routing *r, bool switches, uint32_t *n)
{
	const struct topo *t = r->topo;
	struct cdg_source *s = NEW_ARRAY(t->fabric->n_endports, struct cdg_source);

	*n = 0;
	for (uint32_t ep = 0; ep < t->fabric->n_endports; ep++) {
		if (!t->endport_up[ep] || !r->lids->base[ep] || t->endport_switch[ep] == NO_ID)
			continue;
		if (!switches && !routing_counts(r, ep))
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

unsigned cdg_slot_number(struct cdg_counting *k, unsigned sl, unsigned vl)
{
	uint16_t *s = &k->slot_of[sl & 15][vl & 15];

	if (*s == CDG_NO_SLOT) {
		*s = k->n_slots;
		k->slot[k->n_slots++] = (struct cdg_slot){sl & 15, vl & 15};
	}
	return *s;
}

static bool wanted(const struct cdg_counting *k, unsigned vl)
{
	return k->c->want == CDG_ALL_VLS || (unsigned)k->c->want == vl;
}

/* NULL, and k->failed: there is no memory for them. */
static uint32_t *counters(struct cdg_counting *k, uint32_t **table, size_t n)
{
	if (!*table && !k->failed &&
	    mem_room(k->e, n * sizeof(**table), "counts of channel dependencies by the ports of %u switches",
		     k->n))
		k->failed = true;
	if (!*table && !k->failed)
		*table = NEW_ARRAY(n, uint32_t);
	return *table;
}

void cdg_add_load(struct cdg_counting *k, uint32_t port, unsigned vl, uint32_t routes)
{
	uint32_t *load;

	k->c->used |= 1u << vl;
	if (wanted(k, vl) && (load = counters(k, &k->load[vl], k->f->n_ports)))
		cdg_add(&load[port], routes);
}

void cdg_add_dependency(struct cdg_counting *k, uint32_t sw, unsigned in, unsigned va, unsigned out,
			unsigned vb, uint32_t routes)
{
	uint32_t *matrix;

	if (wanted(k, va) && wanted(k, vb) && (matrix = counters(k, &k->matrix[va][vb], k->cells)))
		cdg_add(&matrix[k->at[sw] + (size_t)in * (k->f->switch_nports[sw] + 1u) + out], routes);
}

/* A route enters at its source's switch. */
static void start_route(struct cdg_counting *k, const struct cdg_source *s, unsigned sl, unsigned out)
{
	unsigned vl = routing_vl(k->r, s->sw, s->in, out, sl) & 15;

	if (vl == CDG_DROP_VL) {
		k->c->dropped++;
		return;
	}
	k->c->vl_routes[vl]++;
	k->flow[(size_t)cdg_slot_number(k, sl, vl) * k->n + s->sw]++;
	if (!s->in)
		return;
	cdg_add_load(k, k->f->endport_port[s->endport], vl, 1);
	cdg_add_dependency(k, s->sw, s->in, vl, out, vl, 1);
}

/* Each source by itself. */
static void start_one_by_one(struct cdg_counting *k, unsigned lid, uint32_t owner)
{
	bool by_sl = routing_has_sls(k->r);

	for (uint32_t i = 0; i < k->n_sources; i++) {
		const struct cdg_source *s = &k->source[i];
		struct sl_range sl = {0, 0};
		unsigned out = k->col[s->sw];

		if (s->endport == owner || k->hops[s->sw] >= HOPS_LOOP || !out)
			continue;
		if (by_sl)
			sl = routing_sl(k->r, s->lid, lid);
		for (unsigned v = sl.lo; v <= sl.hi; v++)
			start_route(k, s, v, out);
	}
}

/*
 * All sources of a switch at once, where SLs are equal and VLs go by SL.  Their
 * own links are counted in row 0 of the switch's matrix; spread_rows() gives each
 * its share in the end.
 */
static void start_group(struct cdg_counting *k, const struct cdg_source *s, uint32_t n, unsigned lid)
{
	struct sl_range sl = routing_sl(k->r, s->lid, lid);
	unsigned out = k->col[s->sw];

	for (unsigned v = sl.lo; v <= sl.hi; v++) {
		unsigned vl = routing_vl(k->r, s->sw, 0, out, v) & 15;

		if (vl == CDG_DROP_VL) {
			k->c->dropped += n;
			continue;
		}
		k->c->vl_routes[vl] += n;
		k->c->used |= 1u << vl;
		k->flow[(size_t)cdg_slot_number(k, v, vl) * k->n + s->sw] += n;
		cdg_add_dependency(k, s->sw, 0, vl, out, vl, 1);
	}
}

static void start_groups(struct cdg_counting *k, unsigned lid, uint32_t owner)
{
	for (uint32_t i = 0, next; i < k->n_sources; i = next) {
		const struct cdg_source *s = &k->source[i];
		uint32_t own = 0;

		for (next = i; next < k->n_sources && k->source[next].sw == s->sw; next++)
			own += k->source[next].endport == owner;
		if (next - i > own && k->hops[s->sw] < HOPS_LOOP && k->col[s->sw])
			start_group(k, s, next - i - own, lid);
	}
}

/* What row 0 of each switch says holds for all its sources, but none sends to itself. */
static void spread_rows(struct cdg_counting *k, unsigned vl)
{
	for (uint32_t i = 0; k->matrix[vl][vl] && i < k->n_sources; i++) {
		const struct cdg_source *s = &k->source[i];
		unsigned ports = k->f->switch_nports[s->sw];
		uint32_t *all = k->matrix[vl][vl] + k->at[s->sw], *own = all + (size_t)s->in * (ports + 1);

		for (unsigned out = 1; s->in && out <= ports; out++) {
			if (out == s->in || !all[out])
				continue;
			own[out] += all[out];
			cdg_add_load(k, k->f->endport_port[s->endport], vl, all[out]);
		}
	}
}

/* Everything that leaves a switch goes to the next one. */
static void pass_on(struct cdg_counting *k, uint32_t sw)
{
	uint32_t port = switch_port_id(k->f, sw, k->col[sw]), peer = k->t->peer[port],
		 next = k->t->peer_switch[port];
	unsigned in = k->f->port_num[peer], out = next == NO_ID ? 0 : k->col[next];

	for (unsigned i = 0; i < k->n_slots; i++) {
		uint32_t routes = k->flow[(size_t)i * k->n + sw];
		struct cdg_slot s = k->slot[i];
		unsigned vl;

		if (!routes)
			continue;
		k->flow[(size_t)i * k->n + sw] = 0;
		cdg_add_load(k, port, s.vl, routes);
		if (!out)
			continue;
		vl = routing_vl(k->r, next, in, out, s.sl) & 15;
		if (vl == CDG_DROP_VL) {
			k->c->dropped += routes;
			continue;
		}
		cdg_add_dependency(k, next, in, s.vl, out, vl, routes);
		k->flow[(size_t)cdg_slot_number(k, s.sl, vl) * k->n + next] += routes;
	}
}

/* Switches from which the destination is reached, farthest first (counting sort). */
void cdg_sort_switches(struct cdg_counting *k)
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

static void count_destination(struct cdg_counting *k, unsigned lid)
{
	uint32_t owner = lid_owner(k->r->lids, lid);

	column_hops(k->t, k->col, owner, k->hops, k->work);
	cdg_sort_switches(k);
	if (k->grouped)
		start_groups(k, lid, owner);
	else
		start_one_by_one(k, lid, owner);
	for (uint32_t i = 0; i < k->n_order; i++)
		if (k->col[k->order[i]])
			pass_on(k, k->order[i]);
}

static bool count_all(struct cdg_counting *k, struct progress *p)
{
	unsigned top = k->r->lids->max_lid;
	uint8_t *block = NEW_ARRAY((size_t)k->n * COLUMN_BLOCK, uint8_t);
	bool go_on = true;

	progress_start(p, "channel dependencies", top);
	for (unsigned lid0 = 1; lid0 <= top && (go_on = progress_step(p, lid0) && !k->failed);
	     lid0 += COLUMN_BLOCK) {
		routing_columns(k->r, lid0, COLUMN_BLOCK, block);
		for (unsigned lid = lid0; lid < lid0 + COLUMN_BLOCK && lid <= top; lid++) {
			k->col = block + (size_t)(lid - lid0) * k->n;
			if (!cdg_is_destination(k->r, k->c->switches, lid))
				continue;
			if (k->r->adaptive)
				cdg_count_adaptive(k, lid);
			else
				count_destination(k, lid);
		}
	}
	free(block);
	return go_on && !k->failed;
}

/* May all sources of a switch be counted at once? */
static bool may_group(const struct cdg_counting *k)
{
	if (!routing_vl_by_sl(k->r) || !routing_sls_by_source(k->r))
		return false;
	for (uint32_t i = 0; i < k->n_sources && !routing_sls_by_switch(k->r); i++)
		if (k->f->node_type[endport_node(k->f, k->source[i].endport)] != NODE_CA)
			return false;
	return true;
}

static void counting_start(struct cdg_counting *k, struct cdg *c)
{
	const struct fabric *f = c->routing->topo->fabric;

	*k = (struct cdg_counting){
		.r = c->routing, .t = c->routing->topo, .f = f, .c = c, .n = f->n_switches};
	k->source = cdg_sources(k->r, c->switches, &k->n_sources);
	qsort(k->source, k->n_sources, sizeof(*k->source), by_switch);
	k->grouped = may_group(k);
	k->at = NEW_ARRAY(k->n, size_t);
	for (uint32_t s = 0; s < k->n; s++) {
		k->at[s] = k->cells;
		k->cells += (f->switch_nports[s] + 1u) * (f->switch_nports[s] + 1u);
	}
	memset(k->slot_of, 0xff, sizeof(k->slot_of));
	k->flow = NEW_ARRAY((size_t)CDG_MAX_SLOTS * k->n, uint32_t);
	k->hops = NEW_ARRAY(k->n, uint16_t);
	k->order = NEW_ARRAY(k->n, uint32_t);
	k->work = NEW_ARRAY(k->n, uint32_t);
	k->count = NEW_ARRAY(k->n + 2u, uint32_t);
	if (k->r->adaptive)
		dest_ways_init(&k->ways, k->r);
}

static void counting_end(struct cdg_counting *k)
{
	for (unsigned a = 0; a < CDG_VLS; a++) {
		free(k->load[a]);
		for (unsigned b = 0; b < CDG_VLS; b++)
			free(k->matrix[a][b]);
	}
	free(k->source);
	free(k->at);
	free(k->flow);
	free(k->hops);
	free(k->order);
	free(k->work);
	free(k->count);
	cdg_adaptive_end(k);
}

/* --- from counts to a graph ------------------------------------------------------------------ */

static void list_channels(struct cdg_counting *k)
{
	struct cdg *c = k->c;
	uint32_t cap = 0;

	for (unsigned v = 0; v < CDG_VLS; v++)
		for (uint32_t p = 0; k->load[v] && p < k->f->n_ports; p++)
			cap += k->load[v][p] != 0;
	c->port = NEW_ARRAY(cap, uint32_t);
	c->vl = NEW_ARRAY(cap, uint8_t);
	c->load = NEW_ARRAY(cap, uint32_t);
	for (unsigned v = 0; v < CDG_VLS; v++) {
		for (uint32_t p = 0; k->load[v] && p < k->f->n_ports; p++) {
			if (!k->load[v][p])
				continue;
			c->port[c->n_channels] = p;
			c->vl[c->n_channels] = v;
			c->load[c->n_channels] = k->load[v][p];
			k->load[v][p] = c->n_channels++; /* from here on the channel's number */
		}
	}
}

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
			GROW(c->to, c->n_deps, *cap_to);
			GROW(c->routes, c->n_deps, *cap_routes);
			c->crosses |= va != vb;
			c->to[c->n_deps] = k->load[vb][switch_port_id(k->f, sw, out)];
			c->routes[c->n_deps++] = row[out];
		}
	}
}

/* False: cancelled. */
static bool make_graph(struct cdg_counting *k, struct progress *p)
{
	struct cdg *c = k->c;
	uint32_t cap_to = 0, cap_routes = 0;
	bool go_on = true;

	for (unsigned v = 0; k->grouped && v < CDG_VLS && (go_on = !progress_cancelled(p)); v++)
		spread_rows(k, v);
	list_channels(k);
	c->first = NEW_ARRAY(c->n_channels + 1u, uint32_t);
	for (uint32_t i = 0; i < c->n_channels && (go_on = go_on && !progress_cancelled(p)); i++) {
		c->first[i] = c->n_deps;
		list_row(k, i, &cap_to, &cap_routes);
	}
	c->first[c->n_channels] = c->n_deps;
	return go_on;
}

struct cdg *cdg_new(const struct routing *r, int vl, bool switches, struct progress *p, struct err *e)
{
	struct cdg *c = NEW(struct cdg);
	struct cdg_counting k;
	bool done;

	c->routing = routing_ref(r);
	c->want = vl;
	c->switches = switches;
	counting_start(&k, c);
	k.e = e;
	done = count_all(&k, p) && make_graph(&k, p) && cdg_find_components(c, p);
	counting_end(&k);
	if (done)
		return c;
	if (!k.failed)
		err_set(e, CANCELLED);
	cdg_free(c);
	return NULL;
}

struct cdg *cdg_for_vl(const struct routing *r, int vl, bool switches, struct progress *p, struct err *e)
{
	return cdg_new(r, routing_has_maps(r) ? CDG_ALL_VLS : vl, switches, p, e);
}

void cdg_free(struct cdg *c)
{
	if (!c)
		return;
	routing_unref(c->routing);
	free(c->port);
	free(c->vl);
	free(c->load);
	free(c->first);
	free(c->to);
	free(c->routes);
	free(c->component);
	free(c->size);
	free(c->vls);
	free(c);
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
