/* Results computed beside the loop: their references, and the tasks several panes share. */
#include <stdlib.h>
#include <string.h>
#include "views/base/beside.h"
#include "engines/engines.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/base/counted.h"

bool ask_equal(const struct ask *a, const struct ask *b)
{
	return a->task == b->task && a->sweep == b->sweep && a->base == b->base &&
	       !memcmp(a->arg, b->arg, sizeof(a->arg));
}

struct ask ask_copy(const struct ask *a)
{
	struct ask c = *a;

	if (a->sweep)
		sweep_ref(a->sweep);
	result_ref(a->base);
	return c;
}

void ask_clear(struct ask *a)
{
	sweep_unref(a->sweep);
	result_unref(a->base);
	memset(a, 0, sizeof(*a));
}

struct result *ask_run(const struct ask *a, struct progress *p)
{
	void *value = a->task->run(a->sweep, a->base ? a->base->value : NULL, a->arg, p);

	if (value && progress_cancelled(p)) {
		a->task->free(value);
		value = NULL;
	}
	return value ? result_new(a, value) : NULL;
}

struct result *result_new(const struct ask *a, void *value)
{
	struct result *r = NEW(struct result);

	r->refs = 1;
	r->ask = ask_copy(a);
	r->value = value;
	return r;
}

static void result_release(struct result *r)
{
	r->ask.task->free(r->value);
	ask_clear(&r->ask);
	free(r);
}

COUNTED(struct result, const struct result, result_ref, result_unref, result_release)

const struct result *result_keep(const struct result *was, void *value, const struct task *kind,
				 bool (*same)(const void *was, const void *value))
{
	if (was && value && same(was->value, value)) {
		kind->free(value);
		return was;
	}
	result_unref(was);
	return value ? result_new(&(struct ask){.task = kind}, value) : NULL;
}

/* --- loads ------------------------------------------------------------------------------ */

static void *run_loads(const struct sweep *w, const void *base, const uint32_t *arg, struct progress *p)
{
	(void)base;
	(void)arg;
	return loads_new(w->routing, &pattern_all, p);
}

static void free_loads(void *value)
{
	loads_free(value);
}

const struct task task_loads = {.run = run_loads, .free = free_loads};

/* --- shifts ------------------------------------------------------------------------------- */

static void free_order(void *value)
{
	shift_order_free(value);
	free(value);
}

static void *run_order(const struct sweep *w, const void *base, const uint32_t *arg, struct progress *p)
{
	struct shift_order *o = NEW(struct shift_order);
	struct err e;

	(void)base;
	(void)arg;
	if (!shift_order_find(w->routing, w->setup, all_engines, NULL, p, o, &e))
		return o;
	free(o);
	return NULL;
}

const struct task task_shift_order = {.run = run_order, .free = free_order};

/* --- usage of ports ----------------------------------------------------------------------- */

static void *run_usage(const struct sweep *w, const void *base, const uint32_t *arg, struct progress *p)
{
	(void)base;
	(void)arg;
	return port_use_new(w->routing, p);
}

const struct task task_usage = {.run = run_usage, .free = free};

/* --- channel dependencies ------------------------------------------------------------------ */

static void free_graph(void *value)
{
	struct graph *g = value;

	cdg_free(g->cdg);
	free(g->in);
	free(g);
}

static void sum_up(struct graph *g)
{
	const struct cdg *c = g->cdg;

	for (uint32_t v = 0; v < c->n_channels; v++) {
		struct graph_vl *s = &g->vl[c->vl[v]];

		s->channels++;
		s->deps += c->first[v + 1] - c->first[v];
		s->on_cycles += c->component[v] != NO_ID;
	}
	for (int l = 0; l < CDG_VLS; l++)
		g->vl[l].components = cdg_components_below(c, l, c->n_components);
	for (uint32_t i = 0; i < c->n_deps; i++)
		g->in[c->to[i]]++;
}

static void *run_graph(const struct sweep *w, const void *base, const uint32_t *arg, struct progress *p)
{
	struct cdg *c = cdg_new(w->routing, CDG_ALL_VLS, arg[0] != 0, p, NULL);
	struct graph *g;

	(void)base;
	if (!c)
		return NULL;
	g = NEW(struct graph);
	g->cdg = c;
	g->in = NEW_ARRAY(c->n_channels + 1, uint32_t);
	sum_up(g);
	return g;
}

const struct task task_graph = {.run = run_graph, .free = free_graph};
