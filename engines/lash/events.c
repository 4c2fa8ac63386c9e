/* What LASH records: mesh analysis, layers, balancing and tables. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/defs.h"
#include "core/base/memory.h"
#include "engines/lash/lash.h"

/* --- mesh analysis --------------------------------------------------------------------------- */

static uint32_t lash_events_port_of(const struct mesh_work *w, uint32_t channel)
{
	return lash_channel_port(w->g, w->in->topo->fabric, channel);
}

void mesh_record_measure(const struct mesh_work *w, uint32_t u)
{
	struct recorder *r = w->in->record;
	unsigned k = lash_degree(w->g, u);
	int type = w->m->type[u]; /* NOLINT(bugprone-signed-char-misuse): -1 means edge */
	const struct mesh_shape *shape = type > 0 ? &w->shape[type - 1] : NULL;
	uint32_t sizes = 0; /* 4 bits per size */

	rec_event(r, REC_MEASURE, (unsigned)(type + 1), k, w->g->sw[u], 0);
	for (unsigned d = 0; shape && d < shape->dimensions; d++)
		sizes |= (uint32_t)shape->size[d] << 4 * d;
	rec_extra(r, sizes);
	for (unsigned i = 0; has_matrix(w, u) && i < k; i++)
		for (unsigned j = i + 1; j < k; j++)
			rec_extra(r, (uint32_t)apart(w, u, i, j));
}

void mesh_record_class(const struct mesh_work *w, uint32_t u, uint32_t exemplar)
{
	rec_event(w->in->record, REC_CLASS, 0, 0, w->g->sw[u], w->g->sw[exemplar]);
}

void mesh_record_axis(const struct mesh_work *w, uint32_t channel, unsigned code, enum mesh_axis_rule rule)
{
	struct recorder *r = w->in->record;
	uint32_t port = lash_events_port_of(w, channel);

	rec_cells(r, T_AXIS, w->in->topo->fabric->n_ports);
	rec_cells(r, T_COORD, (size_t)w->in->topo->fabric->n_switches * w->m->dimensions);
	rec_event(r, REC_AXIS, rule, w->in->topo->fabric->port_num[port], w->g->sw[w->g->from[channel]],
		  code);
	rec_delta(r, T_AXIS, port, w->m->axis[channel], code);
}

void mesh_record_place(const struct mesh_work *w, uint32_t u, uint32_t from, const int32_t *was)
{
	struct recorder *r = w->in->record;
	unsigned dims = w->m->dimensions;
	uint32_t sw = w->g->sw[u];

	rec_event(r, REC_COORD, 0, 0, sw, from == NO_ID ? NO_ID : w->g->sw[from]);
	for (unsigned d = 0; d < dims; d++)
		rec_delta(r, T_COORD, sw * dims + d, (uint32_t)was[d],
			  (uint32_t)w->m->coord[(size_t)u * dims + d]);
}

void mesh_record_numbers(const struct mesh_work *w, const uint32_t *old)
{
	const struct lash_graph *g = w->g;
	struct recorder *r = w->in->record;

	for (uint32_t u = 0; u < g->n; u++) {
		rec_event(r, REC_NUMBER, 0, 0, g->sw[u], u);
		rec_extra(r, old[u]);
		for (uint32_t c = g->base[u]; c < g->base[u + 1]; c++)
			rec_extra(r, lash_events_port_of(w, c));
	}
}

/* --- layers ---------------------------------------------------------------------------------- */

/* For each dependency in each layer: the pair that holds it. */
struct lash_record {
	const struct engine_input *in;
	const struct lash_plan *p;
	uint32_t *at;	  /* lash_number_dependencies() */
	uint32_t *holder; /* [layers * at[n_channels]] as T_DEP */
	uint32_t *cycle;  /* [n_channels] */
	/* For balancing: the pairs s * n + d (LASH ids, s < d) that have a dependency, in whatever layer. */
	uint32_t *begin; /* [at[n_channels] + 1] */
	uint32_t *pair;
};

static uint32_t pair_of(const struct lash_record *r, size_t s, size_t d)
{
	return rec_pair(r->in, r->p->graph->sw[s], r->p->graph->sw[d]);
}

/* The number of a dependency. */
static uint32_t lash_events_number_of(const struct lash_record *r, struct dependency d)
{
	const struct lash_graph *g = r->p->graph;

	return r->at[d.from] + (d.to - g->base[g->to[d.from]]);
}

static size_t lash_events_place(const struct lash_record *r, unsigned layer, struct dependency d)
{
	return (size_t)layer * r->at[r->p->graph->n_channels] + lash_events_number_of(r, d);
}

static void release_plan(void *kept)
{
	lash_plan_unref(kept);
}

struct lash_record *lash_record_new(struct lash_plan *p, const struct engine_input *in, unsigned avail)
{
	const struct lash_graph *g = p->graph;
	struct lash_record *r = NEW(struct lash_record);
	size_t n = g->n;

	r->in = in;
	r->p = p;
	r->at = lash_number_dependencies(g);
	r->cycle = NEW_ARRAY(g->n_channels, uint32_t);
	size_t cells = (size_t)avail * r->at[g->n_channels];
	r->holder = NEW_ARRAY(cells + 1, uint32_t);
	memset(r->holder, 0xff, cells * sizeof(*r->holder));
	rec_cells(in->record, T_FIRST, n * n);
	rec_cells(in->record, T_LAYER, n * n);
	rec_cells(in->record, T_DEP, cells);
	rec_keep(in->record, lash_plan_ref(p), release_plan);
	return r;
}

void lash_record_free(struct lash_record *r)
{
	if (!r)
		return;
	FREE_EACH(r->at, r->holder, r->cycle, r->begin, r->pair, r);
}

void lash_record_tree(const struct lash_plan *p, const struct engine_input *in, uint32_t root,
		      const uint8_t *before)
{
	size_t n = p->graph->n;

	assert(root < n);
	rec_cells(in->record, T_OUT, n * n);
	rec_event(in->record, REC_TREE, 0, 0, p->graph->sw[root], 0);
	for (size_t i = 0; i < n * n; i++)
		if (before[i] != p->out[i])
			rec_delta(in->record, T_OUT, (uint32_t)i, before[i], p->out[i]);
}

void lash_record_try(struct lash_record *r, const struct lash_pair *p, unsigned layer)
{
	uint32_t pair = pair_of(r, p->s, p->d), fresh = 0;

	if (!rec_wants_pair(r->in->record, REC_TRY, pair, layer))
		return;
	for (unsigned i = 0; i < p->n; i++)
		fresh += r->holder[lash_events_place(r, layer, p->deps[i])] == NO_ID;
	rec_event(r->in->record, REC_TRY, 0, 0, pair, layer);
	rec_extra(r->in->record, p->n);
	rec_extra(r->in->record, fresh);
}

/* Records the dependencies that a layer did not have yet, with the pair that brings them. */
static void lash_events_add_dependencies(struct lash_record *r, uint32_t pair, unsigned layer,
					 const struct dependency *deps, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		size_t at = lash_events_place(r, layer, deps[i]);

		if (r->holder[at] != NO_ID)
			continue;
		rec_delta(r->in->record, T_DEP, (uint32_t)at, NO_ID, pair);
		r->holder[at] = pair;
	}
}

void lash_record_accept(struct lash_record *r, const struct lash_pair *p, unsigned layer)
{
	uint32_t size = r->p->graph->n, pair = pair_of(r, p->s, p->d);
	static const enum rec_table both[] = {T_FIRST, T_LAYER};

	rec_event(r->in->record, REC_ACCEPT, 0, 0, pair, layer);
	for (int i = 0; i < 2; i++) {
		rec_delta(r->in->record, both[i], p->s * size + p->d, LASH_NO_LAYER, layer);
		rec_delta(r->in->record, both[i], p->d * size + p->s, LASH_NO_LAYER, layer);
	}
	lash_events_add_dependencies(r, pair, layer, p->deps, p->n);
	rec_extra(r->in->record, p->n);
}

void lash_record_open(struct lash_record *r, const struct lash_pair *p, unsigned layer)
{
	rec_event(r->in->record, REC_OPEN, 0, 0, pair_of(r, p->s, p->d), layer);
}

/*
 * Records the cycle that a pair would close in a layer, and the holder of each dependency: the pair itself if
 * it brings the dependency, or NO_ID if the holder has moved to another layer.
 */
static void lash_events_add_cycle(struct lash_record *r, uint32_t pair, unsigned layer, struct acyclic *a,
				  const struct dependency *deps, unsigned n)
{
	uint32_t len = acyclic_cycle(a, deps, n, r->cycle);

	for (uint32_t i = 0; i < len; i++) {
		struct dependency edge = {r->cycle[i], r->cycle[i + 1 < len ? i + 1 : 0]};
		uint32_t holder = r->holder[lash_events_place(r, layer, edge)];

		for (unsigned k = 0; holder == NO_ID && k < n; k++)
			if (deps[k].from == edge.from && deps[k].to == edge.to)
				holder = pair;
		rec_extra(r->in->record, lash_channel_port(r->p->graph, r->in->topo->fabric, r->cycle[i]));
		rec_extra(r->in->record, holder);
	}
}

void lash_record_refuse(struct lash_record *r, const struct lash_pair *p, unsigned layer, struct acyclic *a)
{
	uint32_t pair = pair_of(r, p->s, p->d);

	rec_event(r->in->record, REC_REFUSE, 0, 0, pair, layer);
	lash_events_add_cycle(r, pair, layer, a, p->deps, p->n);
}

/* --- while layers are balanced --------------------------------------------------------------- */

/* Counts the pairs with dependency i in begin[i + 1]; with `list`, lists them, and begin[i] is their end. */
static void gather_pairs(struct lash_record *r, bool list)
{
	uint32_t n = r->p->graph->n;
	AUTO_FREE struct dependency *deps = NEW_ARRAY(2 * (size_t)n, struct dependency);

	for (uint32_t s = 0; s < n; s++)
		for (uint32_t d = s + 1; d < n; d++)
			for (unsigned i = lash_pair_dependencies(r->p, s, d, deps); i--;)
				if (list)
					r->pair[r->begin[lash_events_number_of(r, deps[i])]++] = s * n + d;
				else
					r->begin[lash_events_number_of(r, deps[i]) + 1]++;
}

int lash_record_balance(struct lash_record *r, struct err *e)
{
	uint32_t n = r->at[r->p->graph->n_channels];

	r->begin = NEW_ARRAY(n + 1u, uint32_t);
	gather_pairs(r, false);
	for (uint32_t i = 0; i < n; i++)
		r->begin[i + 1] += r->begin[i];
	if (mem_room(e, (size_t)r->begin[n] * sizeof(*r->pair), "dependencies of all pairs"))
		return -1;
	r->pair = NEW_ARRAY(r->begin[n] + 1u, uint32_t);
	gather_pairs(r, true);
	memmove(r->begin + 1, r->begin, n * sizeof(*r->begin));
	r->begin[0] = 0;
	return 0;
}

/* A pair has left a layer. Its dependency passes to the first pair left there that also has it. */
static void lash_events_pass_on(struct lash_record *r, uint32_t pair, const struct lash_turn *t,
				struct dependency dep)
{
	uint32_t n = r->p->graph->n, number = lash_events_number_of(r, dep), next = NO_ID;
	size_t at = lash_events_place(r, t->from, dep);

	if (r->holder[at] != pair)
		return;
	for (uint32_t i = r->begin[number]; i < r->begin[number + 1] && next == NO_ID; i++)
		if (t->layer[r->pair[i]] == t->from)
			next = pair_of(r, r->pair[i] / n, r->pair[i] % n);
	rec_delta(r->in->record, T_DEP, (uint32_t)at, pair, next);
	r->holder[at] = next;
}

void lash_record_turn(struct lash_record *r, const struct lash_turn *t, struct dependency *deps)
{
	struct recorder *rec = r->in->record;
	uint32_t size = r->p->graph->n, pair = pair_of(r, t->s, t->d);
	size_t lo = MIN(t->s, t->d), hi = MAX(t->s, t->d);
	uint32_t held = pair_of(r, lo, hi); /* the order in which it was assigned */
	unsigned n = lash_pair_dependencies(r->p, (uint32_t)lo, (uint32_t)hi, deps);

	assert(t->from < r->p->need && t->to < r->p->need);
	rec_event(rec, REC_TURN, !t->moved, t->from, pair, t->to);
	if (t->moved) {
		rec_delta(rec, T_LAYER, (uint32_t)(t->s * size + t->d), t->from, t->to);
		rec_delta(rec, T_LAYER, (uint32_t)(t->d * size + t->s), t->from, t->to);
		for (unsigned i = 0; i < n; i++)
			lash_events_pass_on(r, held, t, deps[i]);
		lash_events_add_dependencies(r, held, t->to, deps, n);
	}
	rec_extra(rec, t->drawn[0]);
	rec_extra(rec, t->drawn[1]);
	rec_extra(rec, (uint32_t)t->count[0]);
	rec_extra(rec, (uint32_t)t->count[1]);
	rec_extra(rec, (uint32_t)(t->trials / 2));
	if (!t->moved)
		lash_events_add_cycle(r, pair, t->to, t->target, deps, n);
}

/* --- tables ---------------------------------------------------------------------------------- */

void lash_record_choice(const struct engine_input *in, uint32_t sw, unsigned lid, unsigned port,
			enum why_rule rule)
{
	rec_event(in->record, REC_CHOICE, rule, port, sw, lid);
	rec_delta(in->record, T_ENTRY, sw * (in->lids->max_lid + 1u) + lid, NO_PATH, port);
}
