#include "core/session/commands/plots.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/compare/transition.h"
#include "core/analysis/traffic/histogram.h"
#include "core/analysis/traffic/shift.h"
#include "core/base/memory.h"
#include "core/session/commands/commands.h"
#include "core/session/commands/drawing.h"

void plot_words(struct plot_of *of, const struct args *args)
{
	static const char *const words[] = {"loads", "hops", "shifts", "survey", "transition"};
	int kind = args_which(args, words, ARRAY_LEN(words)),
	    part = part_kind_of(args->arg[args->n - 1].word);

	of->kind = (enum plot_kind)kind;
	of->args = args;
	of->survey = part < 0 ? PART_LINK : (enum part_kind)part;
	of->sample = (uint32_t)args_number(args, "SAMPLE", 0);
}

static void take_buckets(struct plots *d, const struct buckets *b)
{
	d->number = NEW_ARRAY(b->n + 1, double);
	for (uint32_t k = 0; k < b->n; k++)
		d->number[k] = (double)b->at[k].count;
	d->plot[0] = (struct plot){.n = b->n,
				   .value = d->number,
				   .x0 = b->n ? (double)b->at[0].low : 0,
				   .step = (double)b->step,
				   .at = b->mean,
				   .at_name = b->all ? "mean" : NULL};
	d->n = 1;
}

static int make_loads(struct session *s, struct plots *d, struct text *line, struct progress *p,
		      struct err *e)
{
	struct loads *l = loads_new(session_routing(s), &pattern_all, p);
	struct buckets *b;

	if (!l)
		return err_set(e, CANCELLED);
	b = load_buckets(session_routing(s), l);
	take_buckets(d, b);
	d->plot[0].x_name = "routes on a link, all hosts to all";
	d->plot[0].y_name = "links, each direction";
	d->plot[0].value_name = "links that carry so many routes";
	text_add(line, "%s over %s: least %u, mean %.1f, most %u", PLURAL(l->routes, "route"),
		 PLURAL(l->n_links, "directed link"), l->min, b->mean, l->max);
	d->title = str_printf("%s: routes on links", drawing_source(s->fabric));
	buckets_free(b);
	loads_free(l);
	return 0;
}

static int make_hops(struct session *s, struct plots *d, struct text *line, struct progress *p, struct err *e)
{
	struct buckets *b = hop_buckets(session_routing(s), p);

	if (!b)
		return err_set(e, CANCELLED);
	take_buckets(d, b);
	d->plot[0].x_name = "links of a path, those of both hosts included";
	d->plot[0].y_name = "pairs of a host and a LID of another";
	d->plot[0].value_name = "paths that are so long";
	text_add(line, "%s, mean %.3f links, longest %" PRIu64 "; %s without a path", PLURAL(b->all, "path"),
		 b->mean, b->n ? b->at[b->n - 1].low : 0, PLURAL(b->none, "pair"));
	d->title = str_printf("%s: lengths of paths", drawing_source(s->fabric));
	buckets_free(b);
	return 0;
}

static int make_shifts(struct session *s, const struct plot_of *of, struct plots *d, struct text *line,
		       struct progress *p, struct err *e)
{
	const struct routing *r = session_routing(s);
	struct shift_order order;
	struct shifts *sh;

	if (shift_order_find(r, session_sweep(s)->setup, s->engines, NULL, p, &order, e))
		return -1;
	sh = shifts_new(r, &order, of->sample ? of->sample : shift_sample(&order), p);
	shift_order_free(&order);
	if (!sh)
		return err_set(e, CANCELLED);
	d->number = NEW_ARRAY(sh->n + 1, double);
	for (uint32_t k = 0; k < sh->n; k++)
		d->number[k] = sh->load[k].max;
	d->plot[0] = (struct plot){.x_name = "K: every host sends to the one K places further",
				   .y_name = "most flows on a link",
				   .value_name = "most flows on a link in one direction",
				   .n = sh->n,
				   .value = d->number,
				   .x0 = 1,
				   .step = sh->n ? (sh->n_places - 1.0) / sh->n : 1,
				   .level = sh->mean,
				   .level_name = sh->n ? "mean" : NULL};
	d->n = 1;
	text_add(line, "%u of %s of %s (%s): mean %.2f, worst %u, %u free of congestion", sh->n,
		 PLURAL(sh->n_places ? sh->n_places - 1 : 0, "shift"), PLURAL(sh->n_places, "place"),
		 shift_by_text(sh->by), sh->mean, sh->n ? sh->load[sh->worst].max : 0, sh->free);
	d->title = str_printf("%s: contention of shifts", drawing_source(s->fabric));
	shifts_free(sh);
	return 0;
}

/* For each failure: lost pairs above (if any), most routes on a link below. Is any pair lost? */
static bool take_survey(struct plots *d, const struct survey *v)
{
	double *lost, *between, *load;
	bool any = false;

	d->number = NEW_ARRAY(3 * (size_t)v->n + 1, double);
	lost = d->number;
	between = lost + v->n;
	load = between + v->n;
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
	struct survey_request rq = {
		.before = session_sweep(s), .engines = s->engines, .kind = of->survey, .pairs = 0};
	struct survey *v = survey_run(&rq, p, e);
	uint32_t bad = 0;
	bool any;

	if (!v)
		return -1;
	any = take_survey(d, v);
	for (uint32_t k = 0; k < v->n; k++)
		bad += survey_bad(&v->row[k]);
	text_add(line, "%s of %s, %u of them bad%s; most routes on a link now: %u", PLURAL(v->n, "failure"),
		 part_words[of->survey], bad, any ? "" : "; none loses a pair of hosts", v->load_before);
	d->title = str_printf("%s: survey of %s", drawing_source(s->fabric), part_words[of->survey]);
	survey_free(v);
	return 0;
}

/* After each write: pairs cut and looping above, pairs that wait below. */
static int make_transition(struct session *s, const struct plot_of *of, struct plots *d, struct text *line,
			   struct progress *p, struct err *e)
{
	const struct sweep *a, *b;
	struct transition *t;
	double *harm, *looping, *waiting;
	uint32_t n;

	if (diff_sides(s, of->args, &a, &b, e))
		return -1;
	t = session_transition(s, a, b, p, e);
	if (!t)
		return -1;
	n = t->n_writes + 1;
	harm = d->number = NEW_ARRAY(3 * (size_t)n, double);
	looping = harm + n;
	waiting = looping + n;
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
	transition_free(t);
	return 0;
}

int plots_make(struct session *s, const struct plot_of *of, struct plots *d, struct progress *p,
	       struct err *e)
{
	struct text line = {0};
	int rc;

	*d = (struct plots){0};
	drawing_engine_words(s, &line);
	text_add(&line, "; ");
	rc = of->kind == PLOT_LOADS    ? make_loads(s, d, &line, p, e)
	     : of->kind == PLOT_HOPS   ? make_hops(s, d, &line, p, e)
	     : of->kind == PLOT_SHIFTS ? make_shifts(s, of, d, &line, p, e)
	     : of->kind == PLOT_SURVEY ? make_survey(s, of, d, &line, p, e)
				       : make_transition(s, of, d, &line, p, e);
	drawing_down_words(s, &line);
	d->line = str_dup(text_str(&line));
	text_free(&line);
	if (rc)
		plots_free(d);
	return rc;
}

int plots_svg(const struct plots *d, FILE *to, struct progress *p)
{
	return plot_svg(to, d->title, d->line, d->plot, d->n, p);
}

void plots_free(struct plots *d)
{
	for (uint32_t k = 0; k < d->n_labels; k++)
		free(d->label[k]);
	free(d->label);
	free(d->number);
	free(d->title);
	free(d->line);
	*d = (struct plots){0};
}
