#include "core/base/defs.h"
#include "core/session/commands/commands.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/compare/figures.h"
#include "core/analysis/compare/transition.h"
#include "core/analysis/traffic/bisection.h"
#include "core/analysis/traffic/shift.h"
#include "core/base/memory.h"

void plot_words(struct plot_of *of, const struct args *args)
{
	static const char *const words[] = {"loads", "hops", "shifts", "survey", "transition"};
	static_assert(ARRAY_LEN(words) == PLOT_TRANSITION + 1, "a word for each kind");
	int kind = args_which(args, words, ARRAY_LEN(words)),
	    part = part_kind_of(args->arg[args->n - 1].word);

	assert(kind >= 0);
	of->kind = (enum plot_kind)kind;
	of->args = args;
	of->survey = part < 0 ? PART_LINK : (enum part_kind)part;
	of->sample = (uint32_t)args_number(args, "SAMPLE", 0);
}

/* Routings whose numbers stand in one plot. */
struct series {
	const struct plot_of *of;  /* what is asked of them; borrowed */
	const struct setup *setup; /* of the first; borrowed */
	struct routing *r[2];	   /* references held */
	unsigned n;
};

static void series_free(struct series *x)
{
	for (unsigned k = 0; k < x->n; k++)
		routing_unref(x->r[k]);
}

/* Routes with one of the engines asked for. */
static int plots_command_add_engine(struct session *s, const struct side_request *rq, struct series *x,
				    struct progress *p, struct err *e)
{
	AUTO_SWEEP struct sweep *w = side_sweep(rq, x->n, p, e);

	if (!w)
		return -1;
	if (!w->routing)
		return err_set(e, "%s refuses this fabric: %s", rq->engine[x->n]->name,
			       w->n_refusals ? w->refusal[0].why : "there is nothing to route");
	x->r[x->n++] = session_counted(s, w->routing);
	return 0;
}

/* The routing in force, or those of the two engines named. */
static int series_make(struct session *s, const struct plot_of *of, struct series *x, struct progress *p,
		       struct err *e)
{
	struct side_base at = {.setup = s->setup, .list = s->engines, .sweep = session_sweep(s)};
	const struct arg *a = args_get(of->args, "ENGINE"), *b = a ? args_next(of->args, "ENGINE", a) : NULL;
	int rc = 0;

	assert(at.sweep && at.sweep->routing);
	*x = (struct series){.of = of, .setup = session_sweep(s)->setup};
	if (!b) {
		x->r[x->n++] = session_counted(s, session_routing(s));
		return 0;
	}
	struct side_request *rq = side_request_new(&at, 2, (char *[]){(char *)a->word, (char *)b->word}, e);
	while (rq && x->n < rq->n && !rc)
		rc = plots_command_add_engine(s, rq, x, p, e);
	side_request_unref(rq);
	return rq ? rc : -1;
}

/* The same numbers of both, [n] of each, from x0 on in steps. */
static void take_series(struct plots *d, const struct series *x, uint32_t n, double x0, double step)
{
	assert(!d->n);
	d->number = NEW_ARRAY(2 * (size_t)n + 1, double);
	d->plot[0] = (struct plot){.n = n, .value = d->number, .x0 = x0, .step = step};
	d->n = 1;
	if (x->n < 2)
		return;
	for (unsigned k = 0; k < 2; k++)
		d->name[k] = str_dup(x->r[k]->engine);
	d->plot[0].other = d->number + n;
	d->plot[0].value_name = d->name[0];
	d->plot[0].other_name = d->name[1];
}

/* Frequencies, and their mean if there is one series; of two, ranges of values are joined. */
static void take_buckets(struct plots *d, const struct series *x, struct buckets *const *b)
{
	uint64_t low = UINT64_MAX, high = 0, step = b[0]->step;

	for (unsigned k = 0; k < x->n; k++) {
		low = b[k]->n && b[k]->at[0].low < low ? b[k]->at[0].low : low;
		high = b[k]->n && b[k]->at[b[k]->n - 1].low >= high ? b[k]->at[b[k]->n - 1].low + step : high;
	}
	low = MIN(low, high);
	take_series(d, x, (uint32_t)((high - low) / step), (double)low, (double)step);
	for (unsigned k = 0; k < x->n; k++)
		for (uint32_t i = 0; i < b[k]->n; i++)
			d->number[k * d->plot[0].n + (b[k]->at[i].low - low) / step] =
				(double)b[k]->at[i].count;
	d->plot[0].at = b[0]->mean;
	d->plot[0].at_name = x->n == 1 && b[0]->all ? "mean" : NULL;
}

/* Before the figures of a series: which it is, if there are two. */
static void tell_series(const struct series *x, unsigned k, struct text *line)
{
	if (x->n > 1)
		text_add(line, "%s%s: ", k ? "\n" : "", x->r[k]->engine);
}

/* Links by their routes, or paths by their lengths. */
static int make_buckets(struct session *s, const struct series *x, struct plots *d, struct text *line,
			struct progress *p, struct err *e)
{
	bool hops = x->of->kind == PLOT_HOPS;
	struct loads *l[2] = {NULL};
	struct buckets *b[2] = {NULL};
	uint32_t most = 0;
	bool whole = true;

	for (unsigned k = 0; k < x->n && whole && !hops; k++) {
		l[k] = loads_new(x->r[k], &pattern_all, p);
		whole = l[k];
		most = whole && l[k]->max > most ? l[k]->max : most;
	}
	for (unsigned k = 0; k < x->n && whole; k++) {
		b[k] = hops ? hop_buckets(x->r[k], p) : load_buckets(x->r[k], l[k], most);
		whole = b[k];
		if (!whole)
			break;
		tell_series(x, k, line);
		if (hops)
			text_add(line, "%s, mean %.3f links, longest %" PRIu64 "; %s without a path",
				 PLURAL(b[k]->all, "path"), b[k]->mean,
				 b[k]->n ? b[k]->at[b[k]->n - 1].low : 0, PLURAL(b[k]->none, "pair"));
		else
			text_add(line, "%s over %s: least %u, mean %.1f, most %u",
				 PLURAL(l[k]->routes, "route"), PLURAL(l[k]->n_links, "directed link"),
				 l[k]->min, b[k]->mean, l[k]->max);
	}
	if (whole) {
		take_buckets(d, x, b);
		d->plot[0].x_name = hops ? "links of a path, those of both hosts included"
					 : "routes on a link, all hosts to all";
		d->plot[0].y_name = hops ? "pairs of a host and a LID of another" : "links, each direction";
		if (x->n == 1)
			d->plot[0].value_name =
				hops ? "paths that are so long" : "links that carry so many routes";
		d->title = str_printf("%s: %s", drawing_source(s->fabric),
				      hops ? "lengths of paths" : "routes on links");
	}
	for (unsigned k = 0; k < x->n; k++) {
		buckets_free(b[k]);
		arena_free(l[k]);
	}
	return whole ? 0 : err_set(e, CANCELLED);
}

static int make_shifts(struct session *s, const struct series *x, struct plots *d, struct text *line,
		       struct progress *p, struct err *e)
{
	unsigned sample = x->of->sample;
	AUTO_ARENA struct shift_order *order = shift_order_new(x->r[0], x->setup, s->engines, NULL, p, e);
	int rc = 0;

	if (!order)
		return -1;
	for (unsigned k = 0; k < x->n && !rc; k++) {
		struct shifts *sh = shifts_new(x->r[k], order, sample ? sample : shift_sample(order), 0, p);

		if (!sh) {
			rc = err_set(e, CANCELLED);
			break;
		}
		if (!k) {
			take_series(d, x, sh->n, 1, sh->n ? (sh->n_places - 1.0) / sh->n : 1);
			d->plot[0].x_name = "K: every host sends to the one K places further";
			d->plot[0].y_name = "most flows on a link";
		}
		if (x->n == 1) {
			d->plot[0].value_name = "most flows on a link in one direction";
			d->plot[0].level = sh->mean;
			d->plot[0].level_name = sh->n ? "mean" : NULL;
		}
		for (uint32_t i = 0; i < sh->n && i < d->plot[0].n; i++)
			d->number[k * d->plot[0].n + i] = sh->load[i].max;
		tell_series(x, k, line);
		text_add(line, "%u of %s of %s (%s): mean %.2f, worst %u, %u free of congestion", sh->n,
			 PLURAL(sh->n_places ? sh->n_places - 1 : 0, "shift"), PLURAL(sh->n_places, "place"),
			 shift_by_text(sh->by), sh->mean, sh->n ? sh->load[sh->worst].max : 0, sh->free);
		arena_free(sh);
	}
	if (!rc)
		d->title = str_printf("%s: contention of shifts", drawing_source(s->fabric));
	return rc;
}

/* For each failure: lost pairs above (if any), most routes on a link below. Is any pair lost? */
static bool take_survey(struct plots *d, const struct survey *v)
{
	bool any = false;

	d->number = NEW_ARRAY(3 * (size_t)v->n + 1, double);
	double *lost = d->number;
	double *between = lost + v->n;
	double *load = between + v->n;
	d->n_labels = v->n;
	d->label = NEW_ARRAY(v->n + 1, char *);
	for (uint32_t k = 0; k < v->n; k++) {
		lost[k] = (double)v->row[k].lost;
		between[k] = (double)v->row[k].between_survivors;
		load[k] = v->row[k].load_after;
		any |= v->row[k].lost != 0;
		d->label[k] = survey_what(v->parts, v->row[k].part);
	}
	d->plot[0] = (struct plot){.x_name = "what fails, the worst first",
				   .y_name = "pairs of hosts lost",
				   .value_name = "cut off with what failed",
				   .part_name = "between survivors",
				   .n = v->n,
				   .value = lost,
				   .part = between,
				   .x0 = 1,
				   .step = 1,
				   .label = (const char *const *)d->label};
	d->plot[1] = d->plot[0];
	d->plot[1].y_name = "most routes on a link";
	d->plot[1].value_name = "most routes on a link then";
	d->plot[1].value = load;
	d->plot[1].part = NULL;
	d->plot[1].level = v->load_before;
	d->plot[1].level_name = "now";
	d->n = 2;
	if (!any)
		d->plot[--d->n - 1] = d->plot[1];
	return any;
}

static int make_survey(struct session *s, const struct plot_of *of, struct plots *d, struct text *line,
		       struct progress *p, struct err *e)
{
	assert(of->survey < PART_NAMED);
	struct survey_request rq = {
		.before = session_sweep(s), .engines = s->engines, .kind = of->survey, .pairs = 0};
	AUTO_ARENA struct survey *v = survey_run(&rq, p, e);
	uint32_t bad = 0;

	if (!v)
		return -1;
	bool any = take_survey(d, v);
	for (uint32_t k = 0; k < v->n; k++)
		bad += survey_bad(&v->row[k]);
	text_add(line, "%s of %s, %u of them bad%s; most routes on a link now: %u", PLURAL(v->n, "failure"),
		 part_words[of->survey], bad, any ? "" : "; none loses a pair of hosts", v->load_before);
	d->title = str_printf("%s: survey of %s", drawing_source(s->fabric), part_words[of->survey]);
	return 0;
}

/* After each write: pairs cut and looping above, pairs that wait below. */
static int make_transition(struct session *s, const struct plot_of *of, struct plots *d, struct text *line,
			   struct progress *p, struct err *e)
{
	const struct sweep *a, *b;

	if (diff_sides(s, of->args, &a, &b, e))
		return -1;
	AUTO_ARENA struct transition *t = session_transition(s, a, b, p, e);
	if (!t)
		return -1;
	uint32_t n = t->n_writes + 1;
	double *harm = d->number = NEW_ARRAY(3 * (size_t)n, double);
	double *looping = harm + n;
	double *waiting = looping + n;
	for (uint32_t k = 0; k < n; k++) {
		const struct mix_pairs *c = k ? &t->write[k - 1].after : &t->before;

		harm[k] = (double)(c->cut + c->looping);
		looping[k] = (double)c->looping;
		waiting[k] = (double)c->waiting;
	}
	d->plot[0] = (struct plot){.x_name = "writes of OpenSM that are done",
				   .y_name = "pairs cut or looping",
				   .value_name = "cut: old and new tables serve them",
				   .part_name = "looping",
				   .n = n,
				   .value = harm,
				   .part = looping,
				   .step = 1,
				   .at = t->worst == NO_ID ? 0 : t->worst + 1,
				   .at_name = t->worst == NO_ID ? NULL : "worst"};
	d->plot[1] = d->plot[0];
	d->plot[1].y_name = "pairs that wait";
	d->plot[1].value_name = "waiting: only the new tables serve them";
	d->plot[1].value = waiting;
	d->plot[1].part = NULL;
	d->n = 2;
	transition_sentence(t, line);
	if (line->len && line->s[line->len - 1] == '.')
		line->s[--line->len] = '\0';
	d->title = str_printf("%s: from the old tables to the new ones", drawing_source(s->fabric));
	return 0;
}

int plots_make(struct session *s, const struct plot_of *of, struct plots *d, struct progress *p,
	       struct err *e)
{
	AUTO_TEXT struct text line = {0};
	struct series x = {0};
	int rc = series_make(s, of, &x, p, e);

	assert(of->kind <= PLOT_TRANSITION);
	*d = (struct plots){0};
	if (x.n < 2) { /* two are named with their figures */
		drawing_engine_words(s, &line);
		text_add(&line, "; ");
	}
	if (!rc)
		rc = of->kind <= PLOT_HOPS     ? make_buckets(s, &x, d, &line, p, e)
		     : of->kind == PLOT_SHIFTS ? make_shifts(s, &x, d, &line, p, e)
		     : of->kind == PLOT_SURVEY ? make_survey(s, of, d, &line, p, e)
					       : make_transition(s, of, d, &line, p, e);
	series_free(&x);
	drawing_down_words(s, &line);
	d->line = str_dup(text_str(&line));
	if (rc)
		plots_free(d);
	return rc;
}

void plots_free(struct plots *d)
{
	for (uint32_t k = 0; k < d->n_labels; k++)
		free(d->label[k]);
	free(d->label);
	free(d->name[0]);
	free(d->name[1]);
	free(d->number);
	free(d->title);
	free(d->line);
	*d = (struct plots){0};
}
