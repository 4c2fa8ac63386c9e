/* Layers for pairs of switches (engines/doc/lash.md 8). */
#include <string.h>

#include "core/base/memory.h"
#include "core/base/release.h"
#include "engines/lash/internal.h"

struct assignment {
	struct lash_plan *p;
	const struct lash_plan *old; /* NULL = none */
	uint32_t *now;		     /* old channel -> channel of the new graph */
	struct lash_cdgs *c;
	const struct engine_input *in;
	unsigned avail;
	struct dependency *deps;
};

static void open_layer(const struct assignment *a, unsigned v)
{
	a->c->layer[v] = acyclic_new(a->p->graph);
	if (a->old && v < a->old->need)
		acyclic_recall(a->c->layer[v], a->old->memory[v], a->now);
}

/* Puts a pair in the first layer that takes it, or in a new one. False when no more layers are allowed. */
static bool place_pair(const struct assignment *a, uint32_t s, uint32_t d)
{
	struct lash_plan *p = a->p;
	size_t switches = p->graph->n;
	struct lash_record *r = a->c->record;
	unsigned n = lash_pair_dependencies(p, s, d, a->deps), v;

	for (v = 0; v < p->need; v++) {
		if (r)
			lash_record_try(r, s, d, v, a->deps, n);
		if (acyclic_add(a->c->layer[v], a->deps, n))
			break;
		if (r)
			lash_record_refuse(r, s, d, v, a->c->layer[v], a->deps, n);
	}
	if (v == p->need) {
		if (++p->need > a->avail)
			return false;
		open_layer(a, v);
		acyclic_add(a->c->layer[v], a->deps, n);
		if (r)
			lash_record_open(r, s, d, v);
	}
	if (r)
		lash_record_accept(r, s, d, v, a->deps, n);
	p->first[s * switches + d] = p->first[d * switches + s] = v;
	p->count[v] += 2;
	return true;
}

int lash_assign_layers(struct lash_plan *p, const struct lash_plan *old, struct lash_cdgs *c, unsigned avail,
		       const struct engine_input *in, struct err *e)
{
	size_t n = p->graph->n;
	struct assignment a = {.p = p, .old = old, .c = c, .in = in, .avail = avail};
	bool enough = true, go_on = true;

	rec_phase(in, "layers for pairs of switches");
	a.deps = NEW_ARRAY(2 * n, struct dependency);
	if (old) {
		a.now = NEW_ARRAY(old->graph->n_channels + 1u, uint32_t);
		lash_graph_map(old->graph, p->graph, a.now);
	}
	p->first = mem_array(n * n, 1);
	memset(p->first, LASH_NO_LAYER, n * n);
	p->need = 1;
	p->kept = old != NULL;
	open_layer(&a, 0);
	progress_start(in->progress, "assigning layers", n);
	for (uint32_t s = 0; s < n && enough && go_on; s++) {
		for (uint32_t d = s + 1; d < n && enough; d++)
			enough = place_pair(&a, s, d);
		go_on = progress_step(in->progress, s);
	}
	FREE_EACH(a.deps, a.now);
	if (!go_on)
		return err_set(e, CANCELLED);
	for (unsigned v = 0; v < LASH_MAX_LAYERS && c->layer[v]; v++) {
		p->memory[v] = acyclic_remember(c->layer[v]);
		p->searches += acyclic_searches(c->layer[v]);
		p->deps += acyclic_count(c->layer[v]);
	}
	return 0;
}

struct acyclic *lash_layer_before(const struct lash_plan *p, unsigned layer, uint32_t s, uint32_t d,
				  struct progress *progress)
{
	size_t n = p->graph->n;
	struct dependency *deps = NEW_ARRAY(2 * n, struct dependency);
	uint32_t *same = NEW_ARRAY(p->graph->n_channels + 1u, uint32_t);
	struct acyclic *a = acyclic_new(p->graph);
	bool go_on = true;

	for (uint32_t c = 0; c < p->graph->n_channels; c++)
		same[c] = c;
	acyclic_recall(a, p->memory[layer], same);
	progress_start(progress, "making a layer again", s + 1);
	for (uint32_t i = 0; i <= s && i < n && go_on; i++) {
		for (uint32_t j = i + 1; j < (i == s ? d : n); j++)
			if (p->first[i * n + j] == layer)
				acyclic_add(a, deps, lash_pair_dependencies(p, i, j, deps));
		go_on = progress_step(progress, i);
	}
	FREE_EACH(deps, same);
	if (go_on)
		return a;
	acyclic_free(a);
	return NULL;
}

void lash_free_cdgs(struct lash_cdgs *c)
{
	for (unsigned v = 0; v < LASH_MAX_LAYERS; v++)
		acyclic_free(c->layer[v]);
	lash_record_free(c->record);
	*c = (struct lash_cdgs){{NULL}, NULL};
}
