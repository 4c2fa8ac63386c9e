/* Advice: engines and options tried on a fabric, ranked, and the files that OpenSM needs for the best. */
#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/advise/advise.h"
#include "core/analysis/compare/compare.h"
#include "core/analysis/credit/cdg.h"
#include "core/analysis/credit/check.h"
#include "core/analysis/shape/torus_conf.h"
#include "core/analysis/survey/survey.h"
#include "core/analysis/traffic/loads.h"
#include "core/analysis/traffic/shift.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/progress.h"
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
	AUTO_FREE uint32_t *hosts = NEW_ARRAY((size_t)t->fabric->n_switches + 1, uint32_t);
	struct setup whole = *j->base;

	whole.scope = NULL;
	j->all = setup_hosts(&whole);
	for (uint32_t ep = 0; ep < t->fabric->n_endports; ep++)
		if (j->all->in[ep] && t->endport_up[ep] && t->endport_switch[ep] != NO_ID)
			hosts[t->endport_switch[ep]]++;
	return levels_new(t, hosts, p);
}

/* The setup of a candidate; NULL and *e. */
static const struct setup *setup_of(const struct advise_job *j, const struct candidate *c, struct err *e)
{
	AUTO_OPTIONS struct options *o =
		candidate_options(c, j->base->options, j->topo, j->levels, j->all->in, e);

	if (!o || ((c->files & CANDIDATE_TORUS) && options_set(o, "torus_config", j->a->fit->path, e)) ||
	    (c->layers && options_set(o, "qos", "TRUE", e)))
		return NULL;
	return setup_with(j->base, &(struct setup){.options = o, .chain = c->engine});
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
	double since = now_seconds();

	r->setup = setup_of(j, r->kind, e);
	if (!r->setup)
		return -1;
	AUTO_SWEEP const struct sweep *w = sweep_run(&(struct sweep_request){.setup = r->setup,
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
	return 0;
}

/* Measures shifts in the order that `shifts` takes once the candidate routes. -1 and *e: cancelled. */
static int measure_shifts(const struct advise_job *j, struct advice_row *r, struct progress *p, struct err *e)
{
	AUTO_ARENA struct shift_order *o =
		shift_order_new(r->sweep->routing, r->setup, j->rq->engines, NULL, p, e);

	if (!o)
		return -1;
	struct shifts *s = shifts_new(r->sweep->routing, o, ADVISE_SHIFTS, 1, p);
	if (!s)
		return err_set(e, CANCELLED);
	r->shift_mean = s->mean;
	r->shift_worst = s->n ? s->load[s->worst].max : 0;
	arena_free(s);
	return 0;
}

/* Most flows on a link of the traffic of GPUs that is asked for. -1 and *e. */
static int measure_gpus(const struct advise_job *j, struct advice_row *r, struct progress *p, struct err *e)
{
	const struct routing *routing = r->sweep->routing;
	struct gpus *g = gpus_new(routing, NULL, 0);
	struct pattern pattern = {0};

	g->direct = j->rq->direct;
	int rc = pattern_gpus(routing, g, (enum gpu_pattern)(j->rq->gpus - 1), &pattern, p, e);
	AUTO_ARENA struct loads *loads = rc ? NULL : loads_new(routing, &pattern, p);

	if (loads)
		r->gpu_load = loads->max;
	else if (!rc)
		rc = err_set(e, CANCELLED);
	pattern_free(&pattern);
	arena_free(g);
	return rc;
}

/* Its class. -1 and *e */
static int classify(struct advice_row *r, struct progress *p, struct err *e)
{
	const struct routing *routing = r->sweep->routing;
	struct check_result check;

	if (check_routing(routing, &check, p))
		return err_set(e, CANCELLED);
	r->pairs = check.pairs;
	r->lost = check.unreachable;
	AUTO_ARENA struct cdg *c = cdg_new_loops(routing, p, e);
	if (!c)
		return -1;
	r->loops = c->n_components;
	r->vls = (unsigned)__builtin_popcount(c->used);
	r->lost += c->dropped;
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
	AUTO_ARENA struct loads *loads = loads_new(routing, &pattern_all, p);

	if (!loads)
		return err_set(e, CANCELLED);
	r->max_load = loads->max;
	const struct ebb_request ebb = {.seed = SEED};
	return ebb_estimate(routing, &ebb, p, &r->ebb, e) || measure_shifts(j, r, p, e) ||
			       (j->rq->gpus && measure_gpus(j, r, p, e))
		       ? -1
		       : 0;
}

/* The ranking of what is measured; rows that others may be at work on are unmeasured in it. */
static struct advice *advise_so_far(const struct advise_job *j)
{
	struct advice *a = NEW(struct advice);

	*a = *j->a;
	a->fit = NULL;
	a->torus = (struct text){0};
	a->row = NEW_ARRAY(n_candidates, struct advice_row);
	for (unsigned i = 0; i < a->n; i++) {
		const struct advice_row *was = &j->a->row[i];
		struct advice_row *r = &a->row[i];

		if (was->unmeasured || (was->kind->files & CANDIDATE_TORUS))
			*r = (struct advice_row){.kind = was->kind, .unmeasured = true};
		else
			*r = *was;
		r->untried |= j->rq->failures && r->sweep && !r->failures && r->class != ADVICE_UNSOUND;
		r->options = str_dup(was->options);
		r->refused = r->refused ? str_dup(r->refused) : NULL;
		r->reason = NULL;
		r->setup = r->setup ? setup_ref(r->setup) : NULL;
		r->sweep = r->sweep ? sweep_ref(r->sweep) : NULL;
	}
	advice_rank(a);
	return a;
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
	if (measured && j->rq->ready)
		j->rq->ready(advise_so_far(j));
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
	AUTO_ARENA struct survey *s = survey_run(&rq, p, e);

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
	return 0;
}

/* --- the whole ------------------------------------------------------------------------------------ */

static int look_at_fabric(struct advise_job *j, struct levels **levels, struct progress *p, struct err *e)
{
	AUTO_OPTIONS struct options *o = options_copy(j->rq->setup->options);
	struct advice *a = j->a;

	for (size_t i = 0; i < ARRAY_LEN(own_options); i++)
		if (options_find(o, own_options[i]))
			options_unset(o, own_options[i]);
	j->base = setup_with(j->rq->setup, &(struct setup){.options = o});
	j->topo = topo_new(j->base->fabric, j->base->state);
	j->levels = *levels = advise_find_levels(j, p);
	if (!j->levels)
		return err_set(e, CANCELLED);
	bool flat = a->direct = j->levels->top == 0;
	a->n_edges = j->levels->n_edges;
	a->n_roots = j->levels->n_roots;
	a->row = NEW_ARRAY(n_candidates, struct advice_row);
	for (unsigned i = 0; i < n_candidates; i++) {
		const struct candidate *c = &drift_candidates[i];
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

	for (unsigned i = 0; i < a->n_routed; i++)
		a->row[i].untried = a->row[i].class != ADVICE_UNSOUND;
	while (!rc) {
		double until = atomic_load(&p->until), left = until - now_seconds();

		struct advice_row *r =
			advise_next(a, (double)j->rq->failures / threads, until <= 0 ? -1 : MAX(left, 0));
		if (!r)
			break;
		rc = try_failures(j, r, p, e);
		r->untried = rc != 0;
		if (!rc && j->rq->ready)
			j->rq->ready(advise_so_far(j));
	}
	return rc;
}

struct advice *advise_run(const struct advise_request *rq, struct progress *p, struct err *e)
{
	struct advise_job j = {.rq = rq, .a = NEW(struct advice), .telling = PTHREAD_MUTEX_INITIALIZER};
	struct progress own = {0}, *shown = p ? p : &own;
	AUTO_ARENA struct levels *levels = NULL;
	struct parallel par = {.threads = rq->threads, .work = try_one, .ctx = &j};
	bool links = false; /* between switches */

	assert(rq->gpus >= 0 && rq->gpus <= GPU_PATTERNS);
	if (rq->within > 0)
		atomic_store(&shown->until, now_seconds() + rq->within);
	int rc = look_at_fabric(&j, &levels, shown, e);
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
	bool stopped = progress_cancelled(shown);
	j.a->late = rc && progress_late(shown);
	atomic_store(&shown->until, 0);
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

/* The order of candidates, and the reason why one comes before the next. */

/* A sound routing is heavy if its most loaded link has more than this many times the routes of B's best. */
#define HEAVY_TIMES 4
/* Means of shifts that differ by less are equal. */
#define MEAN_EPSILON 1e-9

char advice_letter(const struct advice_row *r)
{
	assert(r->class <= ADVICE_UNSOUND);
	return (char)('A' + r->class);
}

/* The class; sound routings that are heavy come after B. */
static unsigned advise_rank_grade(const struct advice_row *r)
{
	if (r->class == ADVICE_UNSOUND)
		return 3;
	return r->heavy ? 2 : r->class == ADVICE_NEARLY;
}

static unsigned fragile(const struct advice_row *r)
{
	return r->failure_lost || r->failure_loops ? 2 : r->failure_fallbacks > 0;
}

/* -1: a comes first, 1: b does, 0: as good. */
static int by_ebb(const struct advice_row *a, const struct advice_row *b)
{
	double d = a->ebb.value - b->ebb.value;

	if (fabs(d) <= a->ebb.half_width + b->ebb.half_width)
		return 0;
	return d > 0 ? -1 : 1;
}

static int advise_rank_by_rest(const struct advice_row *a, const struct advice_row *b)
{
	if (fabs(a->shift_mean - b->shift_mean) > MEAN_EPSILON)
		return a->shift_mean < b->shift_mean ? -1 : 1;
	ORDER(a->max_load, b->max_load);
	ORDER(a->vls, b->vls);
	return COMPARED(a->kind, b->kind);
}

static int by_class(const struct advice *all, const struct advice_row *a, const struct advice_row *b)
{
	ORDER(advise_rank_grade(a), advise_rank_grade(b));
	if (!all->untried)
		ORDER(fragile(a), fragile(b));
	ORDER(a->gpu_load, b->gpu_load);
	return 0;
}

/*
 * The best of row[from .. end - 1]. "As good" is not transitive for bandwidths. So all rows as good as the
 * largest of the best class count as equal, and the other figures decide.
 */
static unsigned advise_rank_best_from(const struct advice *a, unsigned from, unsigned end)
{
	const struct advice_row *r = a->row;
	unsigned top = from;

	for (unsigned i = from + 1; i < end; i++) {
		int c = by_class(a, &r[i], &r[top]);

		if (c < 0 || (!c && r[i].ebb.value > r[top].ebb.value))
			top = i;
	}
	unsigned best = top;
	for (unsigned i = from; i < end; i++)
		if (!by_class(a, &r[i], &r[top]) && !by_ebb(&r[i], &r[top]) &&
		    advise_rank_by_rest(&r[i], &r[best]) < 0)
			best = i;
	return best;
}

/* --- reasons ---------------------------------------------------------------------------------------- */

static char *why_grade(const struct advice_row *a, const struct advice_row *b)
{
	char x[40];

	if (b->heavy && advise_rank_grade(a) < 3)
		return str_printf("most routes on a link %u against %u", a->max_load, b->max_load);
	if (b->loops)
		return str_printf("the next has %s", plural(b->loops, "credit loop", x, sizeof(x)));
	return str_printf("the next loses %s", plural(b->lost, "pair", x, sizeof(x)));
}

static char *why_failures(const struct advice_row *b)
{
	char x[40];

	if (b->failure_loops)
		return str_printf("the next has credit loops after %s of %u",
				  plural(b->failure_loops, "failure", x, sizeof(x)), b->failures);
	if (b->failure_lost)
		return str_printf("the next loses up to %s between survivors after a failure",
				  plural(b->failure_lost, "pair", x, sizeof(x)));
	return str_printf("the next gives way to another engine after %s of %u",
			  plural(b->failure_fallbacks, "failure", x, sizeof(x)), b->failures);
}

/* The first figure by which a comes before b. */
static char *why(const struct advice *all, const struct advice_row *a, const struct advice_row *b)
{
	const char *even = "";

	if (advise_rank_grade(a) < advise_rank_grade(b))
		return why_grade(a, b);
	if (!all->untried && fragile(a) < fragile(b))
		return why_failures(b);
	if (a->gpu_load < b->gpu_load)
		return str_printf("most flows of GPUs on a link %u against %u", a->gpu_load, b->gpu_load);
	if (by_ebb(a, b) < 0)
		return str_printf("effective bisection %.3f against %.3f", a->ebb.value, b->ebb.value);
	if (a->ebb.value < b->ebb.value || a->ebb.value > b->ebb.value)
		even = " (effective bisection equal within its intervals)";
	if (a->shift_mean < b->shift_mean - MEAN_EPSILON)
		return str_printf("mean shift %.2f against %.2f%s", a->shift_mean, b->shift_mean, even);
	if (a->max_load < b->max_load)
		return str_printf("most routes on a link %u against %u%s", a->max_load, b->max_load, even);
	if (a->vls < b->vls)
		return str_printf("%s against %u%s", PLURAL(a->vls, "VL"), b->vls, even);
	return str_printf("the simpler engine; all else is alike%s", even);
}

/* --- the order ---------------------------------------------------------------------------------------- */

static void mark_heavy(struct advice *a, unsigned n)
{
	uint64_t best = 0;
	bool some = false;

	for (unsigned i = 0; i < n; i++)
		if (a->row[i].class == ADVICE_NEARLY && (!some || a->row[i].max_load < best)) {
			best = a->row[i].max_load;
			some = true;
		}
	for (unsigned i = 0; i < n; i++)
		a->row[i].heavy =
			some && a->row[i].class == ADVICE_SOUND && a->row[i].max_load > HEAVY_TIMES * best;
}

static bool advise_rank_alike(const struct advice_row *a, const struct advice_row *b)
{
	return a->vls == b->vls && a->class == b->class && a->failures == b->failures &&
	       a->failure_lost == b->failure_lost && a->failure_loops == b->failure_loops &&
	       a->failure_fallbacks == b->failure_fallbacks && a->loops == b->loops &&
	       a->shift_worst == b->shift_worst && fabs(a->shift_mean - b->shift_mean) <= MEAN_EPSILON &&
	       !entries_unlike(a->sweep->routing, b->sweep->routing);
}

/* Move row[i] down to place `to`; the rows between move up. */
static void move_to(struct advice_row *r, unsigned i, unsigned to)
{
	struct advice_row moved = r[i];

	memmove(&r[to + 1], &r[to], (i - to) * sizeof(*r));
	r[to] = moved;
}

/* Moves rows of row[from .. end - 1] with keep() to the front, in their order. Returns where they end. */
static unsigned advise_rank_first_of(struct advice_row *r, unsigned from, unsigned end,
				     bool (*keep)(const struct advice_row *r, unsigned n,
						  const struct advice_row *x))
{
	unsigned n = from;

	for (unsigned i = from; i < end; i++)
		if (keep(r, n, &r[i]))
			move_to(r, i, n++);
	return n;
}

static bool advise_rank_routes(const struct advice_row *r, unsigned n, const struct advice_row *x)
{
	(void)r, (void)n;
	return !x->refused && !x->unmeasured;
}

static bool is_refused(const struct advice_row *r, unsigned n, const struct advice_row *x)
{
	(void)r, (void)n;
	return x->refused;
}

/* Is it like none of r[0 .. n - 1]? */
static bool advise_rank_is_new(const struct advice_row *r, unsigned n, const struct advice_row *x)
{
	for (unsigned i = 0; i < n; i++)
		if (advise_rank_alike(&r[i], x))
			return false;
	return true;
}

void advice_rank(struct advice *a)
{
	struct advice_row *r = a->row;

	a->n_routed = advise_rank_first_of(r, 0, a->n, advise_rank_routes);
	a->n_measured = advise_rank_first_of(r, a->n_routed, a->n, is_refused);
	a->untried = false;
	for (unsigned i = 0; i < a->n_routed; i++)
		a->untried |= r[i].untried;
	mark_heavy(a, a->n_routed);
	a->n_ranked = advise_rank_first_of(r, 0, a->n_routed, advise_rank_is_new);
	for (unsigned i = 0; i < a->n_ranked; i++)
		move_to(r, advise_rank_best_from(a, i, a->n_ranked), i);
	for (unsigned i = 0; i < a->n; i++) {
		r[i].same = i;
		for (unsigned k = 0; i >= a->n_ranked && i < a->n_routed && k < a->n_ranked; k++)
			if (advise_rank_alike(&r[k], &r[i]))
				r[i].same = k;
	}
	for (unsigned i = 0; i < a->n; i++) {
		free(r[i].reason);
		r[i].reason = i + 1 < a->n_ranked ? why(a, &r[i], &r[i + 1]) : NULL;
	}
	assert(a->n_ranked <= a->n_routed && a->n_routed <= a->n_measured && a->n_measured <= a->n);
}

bool advice_complete(const struct advice *a)
{
	return !a->late && a->n_measured == a->n && !a->untried;
}

/* What OpenSM needs to route as advised. */

/* A list of GUIDs of the setup, without its first line, which is its name. */
static void advise_files_add_list(const struct advice_row *r, const char *option, const char *suffix,
				  const char *path, struct advice_file *file, unsigned *n)
{
	const char *list = options_file(r->setup->options, option);
	const char *lines = list ? strchr(list, '\n') : NULL;

	if (!lines)
		return;
	text_add(&file[0].text, "%s %s%s\n", option, path, suffix);
	file[*n] = (struct advice_file){.suffix = suffix};
	text_add(&file[(*n)++].text, "%s", lines + 1);
}

unsigned advice_files(const struct advice *a, const struct advice_row *r, const char *path,
		      struct advice_file file[ADVICE_FILES])
{
	assert(r->kind && r->setup);
	const struct options *o = r->setup->options;
	struct text *conf = &file[0].text;
	unsigned n = 1;

	file[0] = (struct advice_file){.suffix = ""};
	text_add(conf, "# advised by ibscope; lines for opensm.conf\nrouting_engine %s\n", r->kind->engine);
	if (options_bool(o, "qos"))
		text_add(conf, "qos TRUE\n");
	if (r->kind->option) {
		size_t len = strcspn(r->kind->option, "=");

		text_add(conf, "%.*s %s\n", (int)len, r->kind->option, r->kind->option + len + 1);
	}
	if (r->kind->files & CANDIDATE_ROOTS)
		advise_files_add_list(r, "root_guid_file", ".roots", path, file, &n);
	if (r->kind->files & CANDIDATE_COMPUTE) {
		advise_files_add_list(r, "cn_guid_file", ".cn", path, file, &n);
		advise_files_add_list(r, "io_guid_file", ".io", path, file, &n);
	}
	if (r->kind->files & CANDIDATE_TORUS) {
		text_add(conf, "torus_config %s.torus\n", path);
		file[n] = (struct advice_file){.suffix = ".torus"};
		text_add(&file[n++].text, "%s", text_str(&a->torus));
	}
	return n;
}
