/* An engine run without a session: fabric, options, LIDs, and what the engine made of them. */
#ifndef IBSCOPE_ENGINE_RUN_H
#define IBSCOPE_ENGINE_RUN_H

#include "fixture.h"

struct run {
	struct fabric *f;
	struct state *st;
	struct options *op;
	struct lid_memory *m;
	struct topo *t;
	struct lids *l;
	struct engine_input in;
	struct engine_output out;
	struct leftovers left;
	uint64_t random;
	struct routing *r; /* of the last run_engine() */
};

/* What is up now, with LIDs: tests call it again after they changed x->st. */
static inline void run_sweep(struct run *x)
{
	struct text notes = {0};

	topo_unref(x->t);
	lids_unref(x->l);
	x->t = topo_new(x->f, x->st);
	x->l = lids_assign(x->m, x->t, &notes, NULL);
	text_free(&notes);
	x->in = (struct engine_input){
		.topo = x->t, .lids = x->l, .options = x->op, .left = &x->left, .random = &x->random};
}

/* f is owned from now on; the options are those of g. */
static inline void run_start(struct run *x, struct fabric *f, const struct engine *g, struct lid_options o)
{
	const struct optdef *const tables[] = {common_options, g->options, NULL};

	*x = (struct run){.f = f, .st = state_new(f), .op = options_new(tables), .m = lid_memory_new(f, &o)};
	run_sweep(x);
}

static inline void run_set(struct run *x, const char *name, const char *value)
{
	struct err e;

	if (options_set(x->op, name, value, &e))
		fail_msg("%s", e.msg);
}

/* x->r, x->out: of this run; NULL when the engine refuses. */
static inline const struct routing *run_engine(struct run *x, const struct engine *g)
{
	routing_unref(x->r);
	notes_free(&x->out.notes);
	x->out = (struct engine_output){0};
	x->r = g->route(&x->in, &x->out);
	return x->r;
}

#define AUTO_RUN AUTO_BY(run_free)
static inline void run_free(struct run *x)
{
	routing_unref(x->r);
	notes_free(&x->out.notes);
	free(x->left.count);
	free(x->left.hops);
	topo_unref(x->t);
	lids_unref(x->l);
	lid_memory_free(x->m);
	options_free(x->op);
	state_free(x->st);
	fabric_unref(x->f);
}

#endif
