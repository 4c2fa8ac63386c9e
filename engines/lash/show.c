/* What can be shown of LASH's routing, and of a step of a recording: layers of pairs, cycles, the mesh. */
#include <stdlib.h>
#include <string.h>

#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/release.h"
#include "core/sm/sweep.h"
#include "core/sm/ucast_cache.h"
#include "core/trace/walk.h"
#include "engines/lash/internal.h"

const struct lash *lash_of(const struct routing *r)
{
	r = routing_origin(r);
	return r && r->ops == &lash_ops ? r->priv : NULL;
}

void lash_free(void *priv)
{
	struct lash *l = priv;

	if (!l)
		return;
	lash_plan_unref(l->plan);
	FREE_EACH(l->layer, l);
}

/* --- layers of pairs ------------------------------------------------------------------------- */

static unsigned lash_show_entry(const struct lash *l, const uint8_t *table, uint32_t sw, uint32_t sw2)
{
	const struct lash_graph *g = l->plan->graph;

	if (g->id[sw] == NO_ID || g->id[sw2] == NO_ID)
		return LASH_NO_LAYER;
	return table[(size_t)g->id[sw] * g->n + g->id[sw2]];
}

unsigned lash_layer_of(const struct lash *l, uint32_t sw, uint32_t sw2)
{
	return lash_show_entry(l, l->layer, sw, sw2);
}

unsigned lash_first_layer_of(const struct lash *l, uint32_t sw, uint32_t sw2)
{
	return lash_show_entry(l, l->plan->first, sw, sw2);
}

bool lash_ends(const struct routing *r, unsigned slid, unsigned dlid, uint32_t *sw, uint32_t *sw2)
{
	uint32_t s = lid_owner(r->lids, slid), d = lid_owner(r->lids, dlid);

	*sw = s == NO_ID ? NO_ID : r->topo->endport_switch[s];
	*sw2 = d == NO_ID ? NO_ID : r->topo->endport_switch[d];
	return *sw != NO_ID && *sw2 != NO_ID;
}

static bool lash_show_pair_layer(const struct routing *r, unsigned slid, unsigned dlid, struct pair_layer *pl)
{
	const struct lash *l = lash_of(r);
	uint32_t sw, sw2;

	if (!lash_ends(r, slid, dlid, &sw, &sw2))
		return false;
	pl->first = lash_first_layer_of(l, sw, sw2);
	pl->now = lash_layer_of(l, sw, sw2);
	return pl->now != LASH_NO_LAYER;
}

static void layer(const struct routing *r, unsigned number, struct layer_info *info)
{
	const struct lash *l = lash_of(r);

	*info = (struct layer_info){.vl = number + l->vls.start,
				    .lanes = 1,
				    .pairs = l->count[number],
				    .pairs_first = l->plan->count[number],
				    .balanced = l->moved != 0};
}

/* The pairs of a layer, each once, in LASH's order. */
static bool next_route(const struct routing *r, unsigned number, uint64_t *cursor, struct layer_route *lr)
{
	const struct lash *l = lash_of(r);
	const struct lash_graph *g = l->plan->graph;
	uint64_t n = g->n;

	*lr = (struct layer_route){0};
	for (; *cursor < n * n; ++*cursor) {
		uint64_t s = *cursor / n, d = *cursor % n;

		if (s >= d || l->layer[*cursor] != number)
			continue;
		lr->sw = g->sw[s];
		lr->sw2 = g->sw[d];
		++*cursor;
		return true;
	}
	return false;
}

static unsigned lash_show_n_layers(const struct routing *r)
{
	const struct lash *l = r->priv;

	return l->plan->need;
}

static unsigned lash_show_layers_available(const struct routing *r)
{
	return ((const struct lash *)r->priv)->vls.avail;
}

/* The service level (engines/doc/lash.md 11). At a step a pair may have no layer yet: then no SL is right. */
static struct sl_range sl(const struct routing *r, unsigned slid, unsigned dlid)
{
	const struct lash *l = r->priv;
	uint32_t a, b;
	unsigned number;

	if (!lash_ends(r, slid, dlid, &a, &b) || l->plan->graph->id[a] == NO_ID ||
	    l->plan->graph->id[b] == NO_ID)
		return (struct sl_range){0, 0};
	number = a == b ? 0 : lash_layer_of(l, a, b);
	if (number == LASH_NO_LAYER)
		return (struct sl_range){1, 0};
	return (struct sl_range){l->vls.start + number, l->vls.start + number};
}

/* Where each start of OpenSM draws other numbers: all layers between two switches. */
static struct sl_range sl_by_chance(const struct routing *r, unsigned slid, unsigned dlid)
{
	const struct lash *l = r->priv;
	struct sl_range drawn = sl(r, slid, dlid);
	uint32_t a, b;

	if (l->by_clock && lash_ends(r, slid, dlid, &a, &b) && a != b && !sl_is_open(drawn))
		return (struct sl_range){l->vls.start, l->vls.start + l->plan->need - 1};
	return drawn;
}

/* --- the cycle that keeps a pair out of a layer ---------------------------------------------- */

struct lash_show_search {
	const struct lash_plan *p;
	struct witness *w;
	uint32_t *edge_of; /* [n_channels] edge of the cycle, or NO_ID */
	uint32_t *route;   /* room for n channels */
};

/* Counts a route that uses a channel of the cycle and then the next one. */
static void note_route(struct lash_show_search *s, uint32_t from, uint32_t to, bool own)
{
	unsigned n = lash_route(s->p, from, to, s->route);

	for (unsigned i = 0; i + 1 < n; i++) {
		uint32_t k = s->edge_of[s->route[i]];
		struct witness_edge *e;

		if (k == NO_ID || s->edge_of[s->route[i + 1]] != (k + 1) % s->w->n)
			continue;
		e = &s->w->edge[k];
		if (own) {
			e->own = true;
		} else if (!e->routes++) {
			e->sw = s->p->graph->sw[from];
			e->sw2 = s->p->graph->sw[to];
		}
	}
}

/*
 * Notes the routes of all pairs that were in the layer before the pair a < b, and those of the pair itself.
 */
static bool note_pairs(struct lash_show_search *s, uint32_t a, uint32_t b, unsigned layer, struct progress *p)
{
	size_t n = s->p->graph->n;

	progress_start(p, "looking for who holds the cycle", a + 1);
	for (uint32_t i = 0; i <= a; i++) {
		for (uint32_t j = i + 1; j < (i == a ? b : n); j++) {
			if (s->p->first[i * n + j] != layer)
				continue;
			note_route(s, i, j, false);
			note_route(s, j, i, false);
		}
		if (!progress_step(p, i))
			return false;
	}
	note_route(s, a, b, true);
	note_route(s, b, a, true);
	return true;
}

struct witness *lash_find_witness(const struct routing *r, unsigned slid, unsigned dlid, unsigned layer,
				  struct progress *progress)
{
	const struct lash_plan *p = lash_of(r)->plan;
	const struct lash_graph *g = p->graph;
	struct witness *w = NEW(struct witness);
	uint32_t *cycle = NEW_ARRAY(g->n_channels + 1u, uint32_t), sw, sw2, a = NO_ID, b = NO_ID;
	struct lash_show_search s = {p, w, NEW_ARRAY(g->n_channels + 1u, uint32_t),
				     NEW_ARRAY(g->n + 1u, uint32_t)};
	bool done;

	if (lash_ends(r, slid, dlid, &sw, &sw2)) {
		a = MIN(g->id[sw], g->id[sw2]);
		b = MAX(g->id[sw], g->id[sw2]);
	}
	if (b != NO_ID && a != b && layer < p->first[(size_t)a * g->n + b]) {
		struct dependency *deps = NEW_ARRAY(2 * (size_t)g->n, struct dependency);
		struct acyclic *x = lash_layer_before(p, layer, a, b, progress);

		w->n = x ? acyclic_cycle(x, deps, lash_pair_dependencies(p, a, b, deps), cycle) : 0;
		acyclic_free(x);
		free(deps);
	}
	w->cut = NO_ID;
	w->edge = NEW_ARRAY(w->n + 1, struct witness_edge);
	memset(s.edge_of, 0xff, g->n_channels * sizeof(*s.edge_of));
	for (uint32_t i = 0; i < w->n; i++) {
		w->edge[i] = (struct witness_edge){
			.port = lash_channel_port(g, r->topo->fabric, cycle[i]), .sw = NO_ID, .sw2 = NO_ID};
		s.edge_of[cycle[i]] = i;
	}
	done = w->n ? note_pairs(&s, a, b, layer, progress) : !progress_cancelled(progress);
	FREE_EACH(cycle, s.edge_of, s.route);
	if (done)
		return w;
	witness_free(w);
	return NULL;
}

/* --- the mesh -------------------------------------------------------------------------------- */

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
	uint32_t u = l->plan->graph->id[sw], c;

	if (!m || !m->axis || u == NO_ID)
		return 0;
	c = lash_channel_of(l->plan->graph, u, port);
	return c == NO_ID ? 0 : m->axis[c];
}

const struct routing_ops lash_ops = {
	.sl = sl,
	.sl_by_chance = sl_by_chance,
	.sl_by_switch = true,
	.n_layers = lash_show_n_layers,
	.layers_available = lash_show_layers_available,
	.layer = layer,
	.next_route = next_route,
	.pair_layer = lash_show_pair_layer,
	.witness = lash_find_witness,
	.explain_pair = lash_explain_pair,
	.decide_pair = lash_decide_pair,
	.explain_layers = lash_explain_layers,
	.free_priv = lash_free,
};

/* --- a step of a recording ------------------------------------------------------------------- */

/* The analysis at a step, with the final numbers. whole: the complete analysis. */
static struct lash_mesh *mesh_at(const struct walk *w, const struct lash_graph *g,
				 const struct lash_mesh *whole)
{
	struct lash_mesh *m = NEW(struct lash_mesh);
	const struct fabric *f = recording_sweep(walk_recording(w))->fabric;
	unsigned dims = whole->dimensions;
	bool seed = false;

	*m = *whole;
	m->class = NULL;
	m->n_classes = 0;
	m->coord = NULL;
	m->axis = NULL;
	m->type = NEW_ARRAY(g->n, int8_t);
	for (size_t i = 1; i <= walk_step(w); i++) { /* only what the steps so far have told */
		const struct rec_event *ev = recording_event(walk_recording(w), i);

		if (ev->kind == REC_MEASURE)
			m->type[g->id[ev->a]] = (int8_t)(ev->rule - 1);
		seed |= ev->kind == REC_AXIS;
	}
	if (!seed) {
		m->dimensions = 0;
		m->seed = NO_ID;
		m->shape = (struct mesh_shape){0};
		m->none = "the analysis is not that far yet";
		if (whole->none && *walk_phase(w) && strcmp(walk_phase(w), MESH_PHASE) != 0)
			m->none = whole->none;
		return m;
	}
	m->axis = NEW_ARRAY(g->n_channels, uint8_t);
	m->coord = NEW_ARRAY((size_t)g->n * dims, int32_t);
	for (uint32_t c = 0; c < g->n_channels; c++)
		m->axis[c] = (uint8_t)walk_value(w, T_AXIS, lash_channel_port(g, f, c));
	for (uint32_t u = 0; u < g->n; u++)
		for (unsigned d = 0; d < dims; d++)
			m->coord[(size_t)u * dims + d] = (int32_t)walk_value(w, T_COORD, g->sw[u] * dims + d);
	mesh_measure_sizes(m, g->n);
	return m;
}

/* Routes and layers at a step; everything else is that of the run. */
static struct lash_plan *plan_at(const struct walk *w, const struct lash_plan *whole)
{
	struct lash_plan *p = NEW(struct lash_plan);
	size_t n = whole->graph->n;

	p->refs = 1;
	p->whole = lash_plan_ref(whole);
	p->collapsed = whole->collapsed;
	p->graph = whole->graph;
	p->before = whole->before;
	p->mesh = whole->mesh ? mesh_at(w, whole->graph, whole->mesh) : NULL;
	memcpy(p->memory, whole->memory, sizeof(p->memory));
	for (size_t i = 0; i < recording_cells(walk_recording(w), T_DEP); i++)
		p->deps += walk_value(w, T_DEP, i) != NO_ID;
	p->out = mem_dup(walk_bytes(w, T_OUT), n * n);
	p->first = mem_dup(walk_bytes(w, T_FIRST), n * n);
	p->need = 1;
	for (size_t i = 0; i < n * n; i++) {
		if (p->first[i] == LASH_NO_LAYER)
			continue;
		p->count[p->first[i]]++;
		p->need = p->first[i] >= p->need ? p->first[i] + 1u : p->need;
	}
	return p;
}

void *lash_priv_at(struct walk *w, const struct routing *end)
{
	const struct recording *r = walk_recording(w);
	const struct lash_plan *whole = recording_kept(r);
	struct lash *l;
	size_t n;

	if (!whole) /* refused before there were routes */
		return NULL;
	l = NEW(struct lash);
	if (end)
		l->vls = lash_of(end)->vls;
	l->plan = plan_at(w, whole);
	n = l->plan->graph->n;
	l->layer = mem_dup(walk_bytes(w, T_LAYER), n * n);
	for (size_t i = 0; i < n * n; i++)
		if (l->layer[i] != LASH_NO_LAYER)
			l->count[l->layer[i]]++;
	for (size_t i = 1; i <= walk_step(w); i++) {
		const struct rec_event *ev = recording_event(r, i);

		l->moved += ev->kind == REC_TURN && !ev->rule;
		l->refused += ev->kind == REC_TURN && ev->rule;
	}
	l->draws = 2 * (l->moved + l->refused);
	l->unwritten = strcmp(walk_phase(w), LASH_TABLES) != 0;
	return l;
}

/* Tables are written last. Before that, rows follow the trees, with the first of parallel cables. */
bool lash_row_at(struct walk *w, const void *priv, uint32_t sw, uint8_t *port)
{
	const struct lash *l = priv;
	const struct lash_graph *g = l->plan->graph;
	const struct sweep *s = recording_sweep(walk_recording(w));
	uint32_t u = g->id[sw];

	if (u == NO_ID || !l->unwritten)
		return false;
	for (unsigned lid = 1; lid <= s->lids->max_lid; lid++) {
		uint32_t ep = lid_owner(s->lids, lid), d = ep == NO_ID ? NO_ID : s->topo->endport_switch[ep];
		unsigned link;

		if (d == NO_ID)
			continue;
		if (d == sw) {
			port[lid] = s->topo->endport_swport[ep];
			continue;
		}
		link = l->plan->out[(size_t)g->id[d] * g->n + u];
		if (link != LASH_NO_LINK)
			port[lid] = g->port[g->port_at[g->base[u] + link]];
	}
	return true;
}

struct rec_dependency *lash_dependencies(const struct recording *r, size_t step, uint32_t *n)
{
	const struct lash_plan *p = recording_kept(r);
	const struct lash_graph *g = p ? p->graph : NULL;
	const struct fabric *f = recording_sweep(r)->fabric;
	struct rec_dependency *dep = NULL;
	uint32_t *first, *pair, cap = 0, all, cells = (uint32_t)recording_cells(r, T_DEP);
	struct rec_delta change;

	*n = 0;
	if (!p || !cells)
		return NULL;
	first = lash_number_dependencies(g);
	all = first[g->n_channels];
	pair = NEW_ARRAY(cells, uint32_t); /* holder of each cell */
	memset(pair, 0xff, cells * sizeof(*pair));
	for (size_t i = 1; i <= step; i++)
		for (uint32_t cursor = 0; recording_next_delta(r, i, &cursor, &change);)
			if (change.table == T_DEP)
				pair[change.at] = change.now;
	for (uint32_t i = 0; i < cells; i++) {
		struct dependency d;

		if (pair[i] == NO_ID)
			continue;
		d = lash_dependency_at(g, first, i % all);
		GROW(dep, *n, cap);
		dep[(*n)++] = (struct rec_dependency){.at = i,
						      .pair = pair[i],
						      .from = lash_channel_port(g, f, d.from),
						      .to = lash_channel_port(g, f, d.to),
						      .layer = (uint8_t)(i / all)};
	}
	FREE_EACH(pair, first);
	return dep;
}
