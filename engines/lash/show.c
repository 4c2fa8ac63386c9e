/* Accessors for panes. */
#include <inttypes.h>
#include <stdlib.h>

#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "engines/lash/lash.h"

unsigned lash_layers(const struct lash *l)
{
	return l->plan->need;
}

uint64_t lash_pairs_before(const struct lash *l, unsigned layer)
{
	return layer < l->plan->need ? l->plan->count[layer] : 0;
}

uint64_t lash_pairs_after(const struct lash *l, unsigned layer)
{
	return layer < l->plan->need ? l->count[layer] : 0;
}

static unsigned entry(const struct lash *l, const uint8_t *table, uint32_t sw, uint32_t sw2)
{
	const struct lash_graph *g = l->plan->graph;

	if (g->id[sw] == NO_ID || g->id[sw2] == NO_ID)
		return LASH_NO_LAYER;
	return table[(size_t)g->id[sw] * g->n + g->id[sw2]];
}

unsigned lash_layer_of(const struct lash *l, uint32_t sw, uint32_t sw2)
{
	return entry(l, l->layer, sw, sw2);
}

unsigned lash_first_layer_of(const struct lash *l, uint32_t sw, uint32_t sw2)
{
	return entry(l, l->plan->first, sw, sw2);
}

void lash_layer(const struct routing *r, unsigned layer, struct layer_info *info)
{
	const struct lash *l = lash_of(r);

	*info = (struct layer_info){.vl = layer + l->vls.start,
				    .lanes = 1,
				    .pairs = lash_pairs_after(l, layer),
				    .pairs_first = lash_pairs_before(l, layer),
				    .balanced = l->moved != 0};
}

bool lash_ends(const struct routing *r, unsigned slid, unsigned dlid, uint32_t *sw, uint32_t *sw2)
{
	uint32_t s = lid_owner(r->lids, slid), d = lid_owner(r->lids, dlid);

	*sw = s == NO_ID ? NO_ID : r->topo->endport_switch[s];
	*sw2 = d == NO_ID ? NO_ID : r->topo->endport_switch[d];
	return *sw != NO_ID && *sw2 != NO_ID;
}

bool lash_path_layer(const struct routing *r, unsigned slid, unsigned dlid, struct pair_layer *pl)
{
	const struct lash *l = lash_of(r);
	uint32_t sw, sw2;

	if (!lash_ends(r, slid, dlid, &sw, &sw2))
		return false;
	pl->first = lash_first_layer_of(l, sw, sw2);
	pl->now = lash_layer_of(l, sw, sw2);
	return pl->now != LASH_NO_LAYER;
}

bool lash_next_pair(const struct lash *l, unsigned layer, uint64_t *cursor, uint32_t *sw, uint32_t *sw2)
{
	const struct lash_graph *g = l->plan->graph;
	uint64_t n = g->n;

	for (; *cursor < n * n; ++*cursor) {
		uint64_t s = *cursor / n, d = *cursor % n;

		if (s >= d || l->layer[*cursor] != layer)
			continue;
		*sw = g->sw[s];
		*sw2 = g->sw[d];
		++*cursor;
		return true;
	}
	return false;
}

bool lash_next_route(const struct routing *r, unsigned layer, uint64_t *cursor, struct layer_route *lr)
{
	*lr = (struct layer_route){0};
	return lash_next_pair(lash_of(r), layer, cursor, &lr->sw, &lr->sw2);
}

unsigned lash_route_ports(const struct routing *r, uint32_t sw, uint32_t sw2, uint32_t *ports)
{
	const struct lash *l = lash_of(r);
	const struct lash_graph *g = l->plan->graph;
	uint32_t s = g->id[sw], d = g->id[sw2];
	unsigned n = 0;

	if (s == NO_ID || d == NO_ID)
		return 0;
	while (s != d) {
		unsigned link = l->plan->out[(size_t)d * g->n + s];

		if (link == LASH_NO_LINK)
			return 0;
		ports[n++] = lash_channel_port(g, r->topo->fabric, g->base[s] + link);
		s = g->to[g->base[s] + link];
	}
	return n;
}

unsigned lash_witness(const struct routing *r, uint32_t sw, uint32_t sw2, unsigned layer, uint32_t *ports,
		      struct progress *progress)
{
	const struct lash *l = lash_of(r);
	const struct lash_plan *p = l->plan;
	uint32_t a = p->graph->id[sw], b = p->graph->id[sw2], s = a < b ? a : b, d = a < b ? b : a, *cycle;
	struct dependency *deps;
	struct acyclic *g;
	unsigned n = 0;

	if (a == NO_ID || b == NO_ID || a == b || layer >= p->first[(size_t)s * p->graph->n + d])
		return 0;
	deps = NEW_ARRAY(2 * (size_t)p->graph->n, struct dependency);
	cycle = NEW_ARRAY(p->graph->n_channels, uint32_t);
	g = lash_layer_before(p, layer, s, d, progress);
	if (g)
		n = acyclic_cycle(g, deps, lash_pair_dependencies(p, s, d, deps), cycle);
	for (unsigned i = 0; i < n; i++)
		ports[i] = lash_channel_port(p->graph, r->topo->fabric, cycle[i]);
	acyclic_free(g);
	free(deps);
	free(cycle);
	return n;
}

const struct lash_mesh *lash_mesh_of(const struct lash *l)
{
	return l->plan->mesh;
}

int32_t lash_coordinate(const struct lash *l, uint32_t sw, unsigned dimension)
{
	const struct lash_mesh *m = l->plan->mesh;
	uint32_t u = l->plan->graph->id[sw];

	if (!m || dimension >= m->dimensions || u == NO_ID)
		return MESH_FAR;
	return m->coord[(size_t)u * m->dimensions + dimension];
}

unsigned lash_axis_of_port(const struct lash *l, uint32_t sw, unsigned port)
{
	const struct lash_mesh *m = l->plan->mesh;
	const struct lash_graph *g = l->plan->graph;
	uint32_t u = g->id[sw];

	if (!m || !m->axis || u == NO_ID)
		return 0;
	for (uint32_t c = g->base[u]; c < g->base[u + 1]; c++)
		for (uint32_t i = g->port_at[c]; i < g->port_at[c + 1]; i++)
			if (g->port[i] == port)
				return m->axis[c];
	return 0;
}

/* --- in words ------------------------------------------------------------------------------ */

/* "ring3-ring4-ring0": the channel of an edge of a cycle, the next one. */
static void add_edge(const struct fabric *f, const struct witness *w, uint32_t i, struct text *t)
{
	for (uint32_t k = 0; k < 3; k++)
		text_add(t, "%s%s", k ? "-" : "", f->node_name[f->port_node[w->edge[(i + k) % w->n].port]]);
}

/* Who holds each edge of a cycle. */
static void tell_holders(const struct fabric *f, const struct witness *w, struct text *t)
{
	bool any = false;

	for (uint32_t i = 0; i < w->n; i++) {
		const struct witness_edge *e = &w->edge[i];

		text_add(t, "%s", i ? "; " : "  ");
		add_edge(f, w, i, t);
		if (!e->routes) {
			text_add(t, " is new");
			continue;
		}
		text_add(t, " %sby %s, ", any ? "" : "held ", switch_name(f, e->sw));
		any = true;
		text_add(t, "%s", switch_name(f, e->sw2));
		if (e->routes > 1)
			text_add(t, " and %" PRIu32 " more", e->routes - 1);
	}
	text_add(t, ".\n");
}

static void tell_witness(const struct routing *r, unsigned slid, unsigned dlid, unsigned layer,
			 struct text *t, struct progress *p)
{
	const struct fabric *f = r->topo->fabric;
	struct witness *w = lash_find_witness(r, slid, dlid, layer, p);

	if (!w)
		return;
	text_add(t, "Not in layer %u: that would have closed the cycle\n ", layer);
	for (uint32_t i = 0; i < w->n; i++)
		text_add(t, " %s[%u] ->", f->node_name[f->port_node[w->edge[i].port]],
			 f->port_num[w->edge[i].port]);
	if (w->n) {
		text_add(t, " %s\n", f->node_name[f->port_node[w->edge[0].port]]);
		tell_holders(f, w, t);
	}
	witness_free(w);
}

/* Where among all pairs its turn came. */
static void tell_turn(const struct lash *l, uint32_t sw, uint32_t sw2, struct text *t)
{
	const struct lash_graph *g = l->plan->graph;
	uint64_t n = g->n, a = g->id[sw], b = g->id[sw2], s = a < b ? a : b, d = a < b ? b : a;

	text_add(t, "Its turn was number %" PRIu64 " of %" PRIu64 ".\n", s * (2 * n - s - 1) / 2 + d - s,
		 n * (n - 1) / 2);
}

void lash_explain_pair(const struct routing *r, unsigned slid, unsigned dlid, struct text *t,
		       struct progress *p)
{
	const struct lash *l = lash_of(r);
	const struct fabric *f = r->topo->fabric;
	unsigned first, now;
	uint32_t a, b;

	if (!lash_ends(r, slid, dlid, &a, &b))
		return;
	first = lash_first_layer_of(l, a, b);
	now = lash_layer_of(l, a, b);
	if (first == LASH_NO_LAYER) {
		text_add(t,
			 a == b ? "Both are on one switch: no layer is needed, the SL is that of layer 0.\n"
				: "The pair has no layer yet.\n");
		return;
	}
	text_add(t, "The pair %s, %s was put in layer %u", switch_name(f, a), switch_name(f, b), first);
	text_add(t, first ? ".\n" : ", the lowest.\n");
	if (first)
		tell_turn(l, a, b, t);
	for (unsigned v = 0; v < first && !progress_cancelled(p); v++)
		tell_witness(r, slid, dlid, v, t, p);
	if (now != first)
		text_add(t, "Balancing moved it to layer %u.\n", now);
}

/* Did an earlier pair open its layer already? */
static bool was_open(const struct lash *l, uint32_t a, uint32_t b, unsigned layer)
{
	const struct lash_graph *g = l->plan->graph;
	uint32_t s = g->id[a] < g->id[b] ? g->id[a] : g->id[b], d = g->id[a] < g->id[b] ? g->id[b] : g->id[a];

	for (uint32_t i = 0; i <= s; i++)
		for (uint32_t j = i + 1; j < (i < s ? (uint32_t)g->n : d); j++)
			if (l->plan->first[(size_t)i * g->n + j] == layer)
				return true;
	return false;
}

void lash_decide_pair(const struct routing *r, unsigned slid, unsigned dlid, struct decided *d)
{
	const struct lash *l = lash_of(r);
	const struct fabric *f = r->topo->fabric;
	unsigned first, now, sl;
	uint32_t a, b;

	if (!lash_ends(r, slid, dlid, &a, &b))
		return;
	first = lash_first_layer_of(l, a, b);
	now = lash_layer_of(l, a, b);
	sl = now + l->vls.start;
	if (first == LASH_NO_LAYER && a != b)
		return; /* a step of a recording before its turn */
	if (first == LASH_NO_LAYER)
		decide(d, WHY_SAME_SWITCH, "Both are on one switch, so no layer is needed: SL %u.",
		       l->vls.start);
	else if (now != first)
		decide(d, WHY_MOVED, "Layer %u took the pair %s, %s; balancing moved it to layer %u, SL %u.",
		       first, switch_name(f, a), switch_name(f, b), now, sl);
	else if (!first)
		decide(d, WHY_LOWEST, "Layer 0 took the pair %s, %s: SL %u.", switch_name(f, a),
		       switch_name(f, b), sl);
	else if (was_open(l, a, b, first))
		decide(d, WHY_REFUSED,
		       "Every layer below %u refused the pair %s, %s, as it would have closed a cycle there: "
		       "SL %u.",
		       first, switch_name(f, a), switch_name(f, b), sl);
	else
		decide(d, WHY_OPENED,
		       "No layer took the pair %s, %s, so layer %u was opened for it; balancing left it "
		       "there: SL %u.",
		       switch_name(f, a), switch_name(f, b), first, sl);
}

static void tell_counts(const char *what, const uint64_t *count, unsigned n, struct text *t)
{
	text_add(t, "%s", what);
	for (unsigned v = 0; v < n; v++)
		text_add(t, "%s%" PRIu64, v ? ", " : " ", count[v]);
	text_add(t, ".\n");
}

void lash_explain_layers(const struct routing *r, struct text *t)
{
	const struct lash *l = lash_of(r);
	const struct lash_plan *p = l->plan;

	tell_counts("Ordered pairs of switches per layer, as they were put there:", p->count, p->need, t);
	if (p->need > 1)
		tell_counts("After balancing:", l->count, p->need, t);
	text_add(t, "%" PRIu64 " dependencies; %" PRIu64 " searches for cycles%s.\n", p->deps, p->searches,
		 p->kept ? ", those of unchanged routes kept their order and cycles" : "");
}
