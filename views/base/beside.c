/* Results computed outside the interface's loop: their references, and the tasks that several panes share. */
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
	struct err e = {0};
	struct job j = {a->sweep, a->base ? a->base->value : NULL, a->arg, p, &e};
	void *value = a->task->run(&j);
	bool cancelled = progress_cancelled(p);
	struct result *r;

	if (cancelled && value && !a->task->partial) {
		a->task->free(value);
		value = NULL;
	}
	if (!value && (cancelled || !e.msg[0]))
		return NULL;
	r = result_new(a, value);
	r->partial = cancelled;
	r->e = e;
	return r;
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
	if (r->value)
		r->ask.task->free(r->value);
	ask_clear(&r->ask);
	free(r);
}

COUNTED(struct result, const struct result, result_ref, result_unref, result_release)

const struct result *result_keep(const struct result *was, void *value, const struct task *kind)
{
	if (was && value && kind->same(was->value, value)) {
		kind->free(value);
		return was;
	}
	result_unref(was);
	return value ? result_new(&(struct ask){.task = kind}, value) : NULL;
}

/* --- loads ------------------------------------------------------------------------------ */

static void *beside_run_loads(const struct job *j)
{
	return loads_new(j->sweep->routing, &pattern_all, j->progress);
}

FREED_BY(free_loads, loads_free)

const struct task task_loads = {.run = beside_run_loads, .free = free_loads};

/* --- shifts ------------------------------------------------------------------------------- */

static void free_order(void *value)
{
	shift_order_free(value);
	free(value);
}

static void *beside_run_order(const struct job *j)
{
	struct shift_order *o = NEW(struct shift_order);
	struct err e;

	if (!shift_order_find(j->sweep->routing, j->sweep->setup, all_engines, NULL, j->progress, o, &e))
		return o;
	free(o);
	return NULL;
}

const struct task task_shift_order = {.run = beside_run_order, .free = free_order};

/* --- usage of ports ----------------------------------------------------------------------- */

static void *run_usage(const struct job *j)
{
	return port_use_new(j->sweep->routing, j->progress);
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

static void *run_graph(const struct job *j)
{
	struct cdg *c = cdg_new(j->sweep->routing, CDG_ALL_VLS, j->arg[0] != 0, j->progress, NULL);
	struct graph *g;

	if (!c)
		return NULL;
	g = NEW(struct graph);
	g->cdg = c;
	g->in = NEW_ARRAY(c->n_channels + 1, uint32_t);
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
	return g;
}

const struct task task_graph = {.run = run_graph, .free = free_graph};
