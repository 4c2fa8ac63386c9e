#include "core/analysis/compare/side_by_side.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/sm/guid_names.h"
#include "core/base/counted.h"

#include <stdlib.h>
#include <string.h>

/* --- the request ----------------------------------------------------------------------------- */

struct side_request *side_request_new(const struct side_base *at, int argc, char **argv, struct err *e)
{
	struct side_request *rq = NEW(struct side_request);
	struct options *opts = options_copy(at->setup->options);
	int rc = 0;

	rq->refs = 1;
	rq->list = at->list;
	for (int i = 0; i < argc && !rc; i++) {
		const struct engine *g = strchr(argv[i], '=') ? NULL : engine_find(rq->list, argv[i]);

		if (strchr(argv[i], '='))
			rc = options_assign(opts, at->setup->fabric, argv[i], e);
		else if (!g)
			rc = err_set(e, "there is no engine \"%s\"; `show engines` lists them", argv[i]);
		else if (rq->n == SIDES_MOST)
			rc = err_set_kind(e, ERR_LIMIT, "more than %d engines; expected fewer", SIDES_MOST);
		else
			rq->engine[rq->n++] = g;
	}
	rq->setup = setup_with(at->setup, &(struct setup){.options = opts});
	options_free(opts);
	if (rc) {
		side_request_unref(rq);
		return NULL;
	}
	rq->lids_of = at->sweep ? sweep_ref(at->sweep) : NULL;
	return rq;
}

static void side_request_release(struct side_request *rq)
{
	setup_unref(rq->setup);
	sweep_unref(rq->lids_of);
	free(rq);
}

COUNTED(struct side_request, struct side_request, side_request_ref, side_request_unref, side_request_release)

bool side_request_equal(const struct side_request *a, const struct side_request *b)
{
	return a->lids_of == b->lids_of && a->n == b->n &&
	       !memcmp(a->engine, b->engine, a->n * sizeof(a->engine[0])) && setup_equal(a->setup, b->setup);
}

/* --- an engine ------------------------------------------------------------------------------- */

struct engine_figures *engine_figures_refused(const struct side_request *rq, unsigned i, const char *why)
{
	struct engine_figures *f = NEW(struct engine_figures);

	f->request = side_request_ref(rq);
	f->engine = rq->engine[i];
	f->refused = str_dup(why);
	f->notes = str_dup("");
	return f;
}

void engine_figures_free(struct engine_figures *f)
{
	if (!f)
		return;
	side_request_unref(f->request);
	if (f->routing)
		routing_unref(f->routing);
	free(f->refused);
	free(f->notes);
	free(f);
}

/* Only two figures need the grouping. Without it they stay unknown, and the notes say why. */
static int side_by_side_take(const struct sweep *w, const struct routing *other, struct figures *f,
			     struct text *notes, struct progress *p)
{
	bool known = options_find(w->setup->options, "chassis_file") != NULL;
	struct err e;
	struct elements *el = elements_new(
		w->topo, known ? options_file(w->setup->options, "chassis_file") : NULL, p, NULL, &e);
	int rc;

	text_add(notes, "%s", w->notes);
	if (!el)
		text_add(notes, "elements are not counted: %s\n", e.msg);
	rc = figures_of_routing(w->routing, el, other, f, p);
	elements_unref(el);
	return rc;
}

struct sweep *side_sweep(const struct side_request *rq, unsigned i, struct progress *p, struct err *e)
{
	char *chain = str_printf("%s,no_fallback", rq->engine[i]->name);
	const struct setup *setup = setup_with(rq->setup, &(struct setup){.chain = chain});
	struct sweep *w = sweep_run(&(struct sweep_request){.setup = setup,
							    .engines = rq->list,
							    .restart = true,
							    .prev = rq->lids_of,
							    .progress = p},
				    e);

	setup_unref(setup);
	free(chain);
	return w;
}

struct engine_figures *side_measure(const struct side_request *rq, unsigned i,
				    const struct engine_figures *first, struct progress *p, struct err *e)
{
	struct sweep *w = side_sweep(rq, i, p, e);
	struct engine_figures *f = NULL;
	struct text notes = {0};
	struct figures measured;

	if (!w)
		return NULL;
	if (!w->routing) {
		f = engine_figures_refused(rq, i,
					   w->n_refusals ? w->refusal[0].why : "there is nothing to route");
	} else if (side_by_side_take(w, first ? first->routing : NULL, &measured, &notes, p)) {
		err_set(e, CANCELLED);
	} else {
		f = NEW(struct engine_figures);
		f->request = side_request_ref(rq);
		f->engine = rq->engine[i];
		f->notes = str_dup(text_str(&notes));
		f->routing = i ? NULL : routing_ref(w->routing);
		f->f = measured;
		if (!i)
			f->f.v[FIG_DIFFER] = 0;
	}
	text_free(&notes);
	sweep_unref(w);
	return f;
}
