/*
 * Layer 0: the dependencies of all pairs, collected from the trees of the destinations (engines/doc/dfsssp.md
 * 6.2, 6.3).
 */
#include <string.h>

#include "core/base/memory.h"
#include "core/base/release.h"
#include "engines/dfsssp/internal.h"
#include "engines/vls.h"

static void dfsssp_build_list_sources(struct ds_builder *b, const struct ds_order *o)
{
	const struct topo *t = b->in->topo;
	struct ds_layers *l = b->l;

	l->source = NEW_ARRAY(b->g->n, uint32_t);
	l->source_of = NEW_ARRAY(b->g->n, uint32_t);
	l->ca_lids = NEW_ARRAY(b->g->n, uint32_t);
	memset(l->source_of, 0xff, b->g->n * sizeof(*l->source_of));
	for (uint32_t i = 0; i < o->n; i++) {
		uint32_t ep = o->endport[i], v;
		uint64_t lids = b->in->lids->count[ep];

		if (!ds_is_routed(b->in, ep))
			continue;
		b->pairs += lids;
		b->own += lids * lids;
		if (o->phase[i] == DS_SWITCH)
			continue;
		v = b->g->id[t->endport_switch[ep]];
		if (l->source_of[v] == NO_ID) {
			l->source_of[v] = l->n_sources;
			l->source[l->n_sources++] = v;
		}
		l->ca_lids[l->source_of[v]] += lids;
		b->source[v] = 1;
	}
	b->pairs = b->pairs * b->pairs - b->own;
}

struct ds_builder *ds_builder_new(const struct engine_input *in, const struct ds_graph *g,
				  const struct ds_order *o)
{
	struct ds_builder *b = NEW(struct ds_builder);
	unsigned code;

	b->in = in;
	b->g = g;
	b->o = o;
	b->l = NEW(struct ds_layers);
	b->l->refs = 1;
	b->source = NEW_ARRAY(g->n, uint8_t);
	b->passed = NEW_ARRAY(g->n, uint8_t);
	b->missing = NO_ID;
	b->at = ds_cdg_places(g);
	b->cdg = ds_cdg_new(g, b->at);
	dfsssp_build_list_sources(b, o);
	code = least_vls_code(in, &b->l->vls_port);
	b->l->vls = code ? vls_of_code(code) : 1;
	return b;
}

void ds_builder_free(struct ds_builder *b)
{
	if (!b)
		return;
	ds_layers_unref(b->l);
	ds_cdg_free(b->cdg);
	FREE_EACH(b->at, b->source, b->passed, b->next, b->seen, b);
}

/* Has the tree a channel or dependency that is not listed, on the way of a pair? */
static void look_for_new(struct ds_builder *b, const struct ds_search *s, const uint32_t *next)
{
	const struct ds_cdg *c = b->cdg;

	for (uint32_t i = s->tree->n_order; i-- > 0;) {
		uint32_t v = s->tree->order[i], u;
		bool some = b->passed[v] || b->source[v];

		b->passed[v] = 0;
		if (!some || next[v] == NO_ID)
			continue;
		u = b->g->to[next[v]];
		b->passed[u] = 1;
		b->fresh |= !c->known[next[v]] ||
			    (next[u] != NO_ID && !c->listed[ds_dependency(c, next[v], next[u])]);
	}
}

void ds_builder_add_tree(struct ds_builder *b, const struct ds_search *s, unsigned lid)
{
	uint32_t *next, ep = lid_owner(b->in->lids, lid);
	uint32_t target = b->g->id[b->in->topo->endport_switch[ep]];
	size_t n = b->g->n;

	if (b->n_trees == b->cap_trees) {
		b->cap_trees = b->cap_trees ? 2 * b->cap_trees : 1;
		b->next = mem_resize(b->next, b->cap_trees * n, sizeof(*b->next));
		b->seen = mem_resize(b->seen, b->cap_trees * n, sizeof(*b->seen));
	}
	next = b->next + b->n_trees++ * n;
	for (uint32_t v = 0; v < b->g->n; v++)
		next[v] = s->tree->out[v];
	for (uint32_t i = 0; s->tree->n_order < n && b->missing == NO_ID && i < b->l->n_sources; i++) {
		uint32_t source = b->l->source[i];

		if (s->tree->out[source] != NO_ID || source == target)
			continue;
		b->missing = source;
		b->missing_lid = lid;
	}
	look_for_new(b, s, next);
}

/* Lists the new channels and dependencies of one class, up to a switch that another class has passed. */
static void learn_path(struct ds_builder *b, unsigned tree, uint32_t v)
{
	const uint32_t *next = b->next + (size_t)tree * b->g->n;
	uint8_t *seen = b->seen + (size_t)tree * b->g->n;

	while (next[v] != NO_ID && !seen[v]) {
		uint32_t u = b->g->to[next[v]];

		seen[v] = 1;
		ds_cdg_learn_channel(b->cdg, next[v]);
		if (next[u] != NO_ID)
			ds_cdg_learn(b->cdg, next[v], next[u]);
		v = u;
	}
}

int ds_builder_add_destination(struct ds_builder *b, struct err *e)
{
	const struct fabric *f = b->in->topo->fabric;

	if (b->fresh) {
		memset(b->seen, 0, (size_t)b->n_trees * b->g->n);
		for (uint32_t i = 0; i < b->l->n_sources; i++)
			for (unsigned t = 0; t < b->n_trees; t++)
				learn_path(b, t, b->l->source[i]);
	}
	b->fresh = false;
	b->n_trees = 0;
	if (b->missing == NO_ID)
		return 0;
	return err_set_kind(e, REFUSED_LIMIT,
			    "switch %s has CAs, but no route to LID %u: distances with %u LIDs pass the "
			    "limit of 2^31 (AD14)",
			    switch_name(f, b->g->sw[b->missing]), b->missing_lid, b->g->lids);
}
