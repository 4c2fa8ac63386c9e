#include "core/analysis/advise/advise.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/credit/cdg.h"
#include "core/analysis/credit/check.h"
#include "core/analysis/traffic/loads.h"
#include "core/analysis/traffic/shift.h"
#include "core/analysis/survey/survey.h"
#include "core/analysis/shape/torus_fit.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/parallel.h"
#include "core/sm/guid_names.h"

#define ROW(key, member, column, help) FIELD(key, struct advice_row, member, NULL, column, help)
#define REAL(key_, member_, column_, help_, decimals_)                                    \
	{                                                                                 \
		.key = (key_), .help = (help_), .column = (column_), .kind = MEMBER_REAL, \
		.offset = offsetof(struct advice_row, member_), .decimals = (decimals_)   \
	}

const struct field advice_fields[] = {
	FIELD_BY_CODE("rank", "integer(1..)", "from 1"),
	FIELD_BY_CODE("engine", "engine", "the engine"),
	ROW("options", options, "options", "what it has beside the options in force"),
	FIELD_BY_CODE("class", "string(A/B/C)", "A, B or C"),
	FIELD_BY_CODE("sound", "boolean", "class A: every pair has a path, no credit loop"),
	ROW("pairs", pairs, NULL, "=pairs"),
	ROW("lost", lost, "lost", "of these without a path"),
	ROW("loops", loops, "loops", "=groups of credit loops"),
	ROW("vls", vls, "VLs", "=VLs"),
	ROW("max_load", max_load, "load", "=load"),
	ROW("overloaded", heavy, NULL, "sound, but its most loaded link puts it behind class B"),
	REAL("bisection", ebb.value, "EBB", "=effective bisection", 3),
	ROW("bisection_half_width", ebb.half_width, NULL, "of its 95 % interval"),
	REAL("shift_mean", shift_mean, "shift", "=mean shift", 2),
	ROW("shift_worst", shift_worst, "worst", "=flows of a shift"),
	ROW("gpu_load", gpu_load, NULL, "for ring, tree, alltoall: most flows on a link; 0: not asked for"),
	ROW("failures", failures, NULL, "single failures of links tried"),
	ROW("failure_lost", failure_lost, NULL, "most pairs lost between survivors by one of them"),
	ROW("failure_loops", failure_loops, NULL, "failures with new credit loops"),
	ROW("failure_fallbacks", failure_fallbacks, NULL,
	    "failures after which another engine routes, or none"),
	FIELD("reason", struct advice_row, reason, "string?", NULL, "why it ranks before the next one"),
	FIELD_BY_CODE("same[]", "object?", "others with the same tables and figures"),
	FIELD_BY_CODE("same[].engine", "string", "the engine"),
	FIELD_BY_CODE("same[].options", "string", "as above"),
	{.key = NULL},
};

/* Class B: at most one pair in this many is lost. */
#define NEARLY_PART 10000
#define SEED 1

/* Options that each candidate sets for itself. */
static const char *const own_options[] = {
	"root_guid_file",   "cn_guid_file",    "io_guid_file", "torus_config",
	"do_mesh_analysis", "nue_max_num_vls", "qos"};

struct advise_job {
	const struct advise_request *rq;
	struct advice *a;
	const struct setup *base; /* reference held: own_options are not set */
	const struct topo *topo;  /* reference held */
	const struct levels *levels;
	struct host_set *all; /* hosts, whatever the scope */
	pthread_mutex_t telling;
	unsigned told; /* rows */
	bool last;     /* hopeless rows are measured */
};

/* --- what is tried ------------------------------------------------------------------------------ */

/* Levels of the whole fabric, without the scope: files of GUIDs are not for one job. */
static struct levels *advise_find_levels(struct advise_job *j, struct progress *p)
{
	const struct topo *t = j->topo;
	uint32_t *hosts = NEW_ARRAY((size_t)t->fabric->n_switches + 1, uint32_t);
	struct setup whole = *j->base;
	struct levels *l;

	whole.scope = NULL;
	j->all = setup_hosts(&whole);
	for (uint32_t ep = 0; ep < t->fabric->n_endports; ep++)
		if (j->all->in[ep] && t->endport_up[ep] && t->endport_switch[ep] != NO_ID)
			hosts[t->endport_switch[ep]]++;
	l = levels_new(t, hosts, p);
	free(hosts);
	return l;
}

/* The setup of a candidate; NULL and *e. */
static const struct setup *setup_of(const struct advise_job *j, const struct candidate *c, struct err *e)
{
	struct options *o = candidate_options(c, j->base->options, j->topo, j->levels, j->all->in, e);
	const struct setup *s = NULL;
	int rc = o ? 0 : -1;

	if (!rc && (c->files & CANDIDATE_TORUS))
		rc = options_set(o, "torus_config", j->a->fit->path, e);
	if (!rc && c->layers)
		rc = options_set(o, "qos", "TRUE", e);
	if (!rc)
		s = setup_with(j->base, &(struct setup){.options = o, .chain = c->engine});
	options_free(o);
	return s;
}

/* A file for torus-2QoS, or why there is none.  -1 and *e: cancelled. */
static int fit_torus(struct advise_job *j, struct advice_row *r, struct progress *p, struct err *e)
{
	struct torus_fit *fit = j->a->fit = NEW(struct torus_fit);
	int rc = torus_fit_begin(fit, j->base, j->rq->engines, p, e);

	if (!rc)
		rc = torus_fit_make(fit, e);
	if (rc > 0)
		torus_conf_text(&fit->plan, &j->a->torus);
	else if (progress_cancelled(p))
		return err_set(e, CANCELLED);
	else
		r->refused = str_dup(rc < 0	    ? e->msg
				     : fit->refused ? fit->refused
						    : "it routes no part of it");
	return 0;
}

/* --- one candidate ------------------------------------------------------------------------------ */

/* -1 and *e */
static int route_candidate(const struct advise_job *j, struct advice_row *r, struct progress *p,
			   struct err *e)
{
	const struct sweep *w;
	double since = now_seconds();

	r->setup = setup_of(j, r->kind, e);
	if (!r->setup)
		return -1;
	w = sweep_run(&(struct sweep_request){.setup = r->setup,
					      .engines = j->rq->engines,
					      .restart = j->rq->now != NULL,
					      .prev = j->rq->now,
					      .progress = p},
		      e);
	if (!w)
		return -1;
	r->seconds = now_seconds() - since;
	if (w->fatal)
		r->refused = str_printf("%s: OpenSM %s", w->refusal[0].why, w->fatal);
	else if (w->n_refusals || !w->routing)
		r->refused = str_dup(w->n_refusals ? w->refusal[0].why : "there is nothing to route");
	else
		r->sweep = sweep_ref(w);
	sweep_unref(w);
	return 0;
}

/* Measures shifts in the order that `shifts` takes once the candidate routes. -1 and *e: cancelled. */
static int measure_shifts(const struct advise_job *j, struct advice_row *r, struct progress *p, struct err *e)
{
	struct shift_order o;
	struct shifts *s;

	if (shift_order_find(r->sweep->routing, r->setup, j->rq->engines, NULL, p, &o, e))
		return -1;
	s = shifts_new(r->sweep->routing, &o, ADVISE_SHIFTS, 1, p);
	shift_order_free(&o);
	if (!s)
		return err_set(e, CANCELLED);
	r->shift_mean = s->mean;
	r->shift_worst = s->n ? s->load[s->worst].max : 0;
	shifts_free(s);
	return 0;
}

/* Most flows on a link of the traffic of GPUs that is asked for. -1 and *e. */
static int measure_gpus(const struct advise_job *j, struct advice_row *r, struct progress *p, struct err *e)
{
	const struct routing *routing = r->sweep->routing;
	struct gpus *g = gpus_new(routing, NULL, 0);
	struct pattern pattern = {0};
	int rc = pattern_gpus(routing, g, (enum gpu_pattern)(j->rq->gpus - 1), j->rq->direct, &pattern, p, e);
	struct loads *loads = rc ? NULL : loads_new(routing, &pattern, p);

	if (loads)
		r->gpu_load = loads->max;
	else if (!rc)
		rc = err_set(e, CANCELLED);
	loads_free(loads);
	pattern_free(&pattern);
	gpus_free(g);
	return rc;
}

/* Its class. -1 and *e */
static int classify(struct advice_row *r, struct progress *p, struct err *e)
{
	const struct routing *routing = r->sweep->routing;
	struct check_result check;
	struct cdg *c;

	if (check_routing(routing, &check, p))
		return err_set(e, CANCELLED);
	r->pairs = check.pairs;
	r->lost = check.unreachable;
	c = cdg_new_loops(routing, p, e);
	if (!c)
		return -1;
	r->loops = c->n_components;
	r->vls = (unsigned)__builtin_popcount(c->used);
	r->lost += c->dropped;
	cdg_free(c);
	r->class = r->loops || !r->pairs	       ? ADVICE_UNSOUND
		   : !r->lost			       ? ADVICE_SOUND
		   : r->lost <= r->pairs / NEARLY_PART ? ADVICE_NEARLY
						       : ADVICE_UNSOUND;
	return 0;
}

/* Its other figures. -1 and *e */
static int advise_measure(const struct advise_job *j, struct advice_row *r, struct progress *p, struct err *e)
{
	const struct routing *routing = r->sweep->routing;
	struct loads *loads = loads_new(routing, &pattern_all, p);

	if (!loads)
		return err_set(e, CANCELLED);
	r->max_load = loads->max;
	loads_free(loads);
	if (ebb_estimate(routing, NULL, SEED, false, p, &r->ebb, e) || measure_shifts(j, r, p, e) ||
	    (j->rq->gpus && measure_gpus(j, r, p, e)))
		return -1;
	return 0;
}

/* A row is measured, or put last. Tells the measured ones that are in turn, up to the first that is not. */
static void advise_settle(struct advise_job *j, struct advice_row *r, bool measured)
{
	pthread_mutex_lock(&j->telling);
	r->unmeasured = !measured;
	r->hopeless |= !measured;
	for (; j->told < j->a->n; j->told++) {
		const struct advice_row *x = &j->a->row[j->told];

		if (x->hopeless != j->last)
			continue;
		if (x->unmeasured)
			break;
		if (j->rq->tell)
			j->rq->tell(j->rq->ctx, x);
	}
	pthread_mutex_unlock(&j->telling);
}

static int try_one(void *ctx, unsigned worker, unsigned i, struct progress *p, struct err *e)
{
	struct advise_job *j = ctx;
	struct advice_row *r = &j->a->row[i];

	(void)worker;
	if (j->last && !r->hopeless)
		return 0;
	if (!j->last && !r->refused && (route_candidate(j, r, p, e) || (!r->refused && classify(r, p, e))))
		return -1;
	if (!j->last && !r->refused && r->class == ADVICE_UNSOUND) {
		advise_settle(j, r, false);
		return 0;
	}
	if (!r->refused && advise_measure(j, r, p, e))
		return -1;
	advise_settle(j, r, true);
	return 0;
}

static int try_failures(const struct advise_job *j, struct advice_row *r, struct progress *p, struct err *e)
{
	struct survey_request rq = {.before = r->sweep,
				    .engines = j->rq->engines,
				    .kind = PART_LINK,
				    .sample = j->rq->failures,
				    .seed = SEED,
				    .threads = j->rq->threads};
	struct survey *s = survey_run(&rq, p, e);

	if (!s)
		return -1;
	r->failures = s->n;
	for (uint32_t i = 0; i < s->n; i++) {
		const struct survey_row *f = &s->row[i];

		if (f->between_survivors > r->failure_lost)
			r->failure_lost = f->between_survivors;
		r->failure_loops += f->new_loops > 0;
		r->failure_fallbacks += f->fallback;
	}
	survey_free(s);
	return 0;
}

/* --- the whole ------------------------------------------------------------------------------------ */

static int look_at_fabric(struct advise_job *j, struct levels **levels, struct progress *p, struct err *e)
{
	struct options *o = options_copy(j->rq->setup->options);
	struct advice *a = j->a;
	bool flat;

	for (size_t i = 0; i < ARRAY_LEN(own_options); i++)
		if (options_find(o, own_options[i]))
			options_unset(o, own_options[i]);
	j->base = setup_with(j->rq->setup, &(struct setup){.options = o});
	options_free(o);
	j->topo = topo_new(j->base->fabric, j->base->state);
	j->levels = *levels = advise_find_levels(j, p);
	if (!j->levels)
		return err_set(e, CANCELLED);
	flat = a->direct = j->levels->top == 0;
	a->n_edges = j->levels->n_edges;
	a->n_roots = j->levels->n_roots;
	a->row = NEW_ARRAY(n_candidates, struct advice_row);
	for (unsigned i = 0; i < n_candidates; i++) {
		const struct candidate *c = &candidates[i];
		const char *words = flat && c->files == CANDIDATE_ROOTS ? "one root in the middle" : c->words;

		if (!engine_find(j->rq->engines, c->engine) || (c->direct && !flat) ||
		    ((c->files & CANDIDATE_ROOTS) && !j->levels->n_roots))
			continue;
		a->row[a->n++] = (struct advice_row){.kind = c,
						     .unmeasured = true,
						     .options = str_printf("%s%s%s", words,
									   *words && c->layers ? ", " : "",
									   c->layers ? "qos TRUE" : "")};
		if ((c->files & CANDIDATE_TORUS) && fit_torus(j, &a->row[a->n - 1], p, e))
			return -1;
	}
	return 0;
}

struct advice_row *advise_next(struct advice *a, double share, double left)
{
	struct advice_row *last = NULL;

	for (unsigned i = 0; i < a->n_routed; i++) {
		struct advice_row *r = &a->row[i];

		r->too_long |= r->untried && left >= 0 && r->seconds * share > left;
		if (r->untried && !r->too_long)
			return r;
		last = !last && r->untried ? r : last;
	}
	return last;
}

/* Tries failures with the rows as they rank without.  rc: of what came before. */
static int try_all_failures(const struct advise_job *j, int rc, struct progress *p, struct err *e)
{
	unsigned threads = j->rq->threads ? j->rq->threads : cores_available();
	struct advice *a = j->a;
	struct advice_row *r;

	for (unsigned i = 0; i < a->n_routed; i++)
		a->row[i].untried = a->row[i].class != ADVICE_UNSOUND;
	while (!rc) {
		double until = atomic_load(&p->until), left = until - now_seconds();

		r = advise_next(a, (double)j->rq->failures / threads, until <= 0 ? -1 : MAX(left, 0));
		if (!r)
			break;
		rc = try_failures(j, r, p, e);
		r->untried = rc != 0;
	}
	return rc;
}

struct advice *advise_run(const struct advise_request *rq, struct progress *p, struct err *e)
{
	struct advise_job j = {.rq = rq, .a = NEW(struct advice), .telling = PTHREAD_MUTEX_INITIALIZER};
	struct progress own = {0}, *shown = p ? p : &own;
	struct levels *levels = NULL;
	struct parallel par = {.threads = rq->threads, .work = try_one, .ctx = &j};
	bool links = false, stopped; /* links between switches */
	int rc;

	if (rq->within > 0)
		atomic_store(&shown->until, now_seconds() + rq->within);
	rc = look_at_fabric(&j, &levels, shown, e);
	par.n = j.a->n;
	if (!rc)
		rc = parallel_run(&par, "trying engines", shown, e);
	j.last = true;
	j.told = 0;
	if (!rc)
		rc = parallel_run(&par, "measuring those without hope", shown, e);
	for (uint32_t port = 0; j.topo && port < rq->setup->fabric->n_ports; port++)
		links |= j.topo->peer_switch[port] != NO_ID;
	if (j.topo)
		advice_rank(j.a);
	if (rq->failures && links && j.a->n_routed) {
		rc = try_all_failures(&j, rc, shown, e);
		advice_rank(j.a);
	}
	stopped = progress_cancelled(shown);
	j.a->late = rc && progress_late(shown);
	atomic_store(&shown->until, 0);
	levels_free(levels);
	host_set_unref(j.all);
	topo_unref(j.topo);
	setup_unref(j.base);
	if (!rc || (stopped && j.a->n_ranked) || (j.a->late && j.topo))
		return j.a;
	advice_free(j.a);
	return NULL;
}

void advice_free(struct advice *a)
{
	if (!a)
		return;
	for (unsigned i = 0; i < a->n; i++) {
		free(a->row[i].options);
		free(a->row[i].refused);
		free(a->row[i].reason);
		setup_unref(a->row[i].setup);
		sweep_unref(a->row[i].sweep);
	}
	if (a->fit)
		torus_fit_end(a->fit);
	free(a->fit);
	text_free(&a->torus);
	free(a->row);
	free(a);
}
