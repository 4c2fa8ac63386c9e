/*
 * The pane `advise`: engines with sensible options, ranked for this fabric, with figures and the reason for
 * each place. It is computed by another thread. Enter tries an engine, or tells which files it needs. The
 * rows then stay.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "core/analysis/advise/advise.h"
#include "core/session/command.h"
#include "views/base/view.h"

enum { C_RANK, C_ENGINE, C_OPTIONS, C_CLASS, C_FAILURES = 11, C_REASON };

static const struct column columns[] = {
	NUM("rank", "rank, the best first; =N: the same tables as rank N", 4),
	COL("engine", "the engine", 10),
	COL("options", "options that advise adds to those in force", 12, .flex = 3, .prose = true),
	COL("class", "A: sound; B: no credit loop, at most 1 pair in 10,000 lost; C: the rest", 5),
	NUM("lost", "pairs of hosts without a path", 4, .drop = 4),
	NUM("loops", "groups of credit loops", 5, .drop = 3),
	NUM("VLs", "data VLs that the routes use", 3),
	NUM("load", "most routes on a link when all hosts send to all", 5),
	NUM("EBB",
	    "effective bisection bandwidth: the share of its link that a host gets when random pairs send",
	    5),
	NUM("shift",
	    "most flows on a link in a shift, mean of up to 20 shifts (each host sends K places further)", 5,
	    .drop = 2),
	NUM("worst", "most flows on a link in the worst of these shifts", 5, .drop = 5),
	COL("a failure", "the worst effect of a single failed link", 9, .drop = 1),
	COL("before the next, or why not", "why it ranks before the next one, or why it refuses the fabric",
	    12, .flex = 4, .drop = 6, .prose = true),
};
static_assert(ARRAY_LEN(columns) == C_REASON + 1, "a column for each C_");

/* v->question is the question whose answer is shown or awaited; v->held is the answer. */
struct advise_pane {
	uint32_t failures; /* failures tried with each engine */
};

/* --- computed by another thread ----------------------------------------------------------------- */

FREED_BY(free_advice, advice_free)

static void *run_advise(const struct job *j)
{
	const struct sweep_question *q = j->base;
	struct advise_request rq = {.setup = q->setup,
				    .engines = q->engines,
				    .now = q->now,
				    .failures = j->arg[0],
				    .ready = j->ready};

	return advise_run(&rq, j->progress, j->e);
}

static const struct task task_advise = {.run = run_advise, .free = free_advice, .partial = true};

/* --- the question ------------------------------------------------------------------------------- */

static int advise_pane_open_view(struct view *v, const struct args *a, struct err *e)
{
	(void)e;
	((struct advise_pane *)v->priv)->failures = (uint32_t)args_number(a, "failures N", ADVISE_FAILURES);
	return 0;
}

/* Is the fabric still the one in the question? Options tried since then do not matter. */
static bool advise_pane_still_holds(const struct view *v)
{
	const struct setup *now = v->scene->event->setup, *was, *s;
	bool same;

	if (!v->question)
		return false;
	was = ((const struct sweep_question *)v->question->value)->setup;
	if (now->fabric != was->fabric)
		return false;
	s = setup_with(now, &(struct setup){.options = was->options});
	same = setup_equal(s, was);
	setup_unref(s);
	return same;
}

/* --- the pane ------------------------------------------------------------------------------------ */

static const struct advice *advice_of(const struct view *v)
{
	return v->held ? v->held->value : NULL;
}

static void advise_pane_load(struct view *v)
{
	const uint32_t arg[TASK_ARGS] = {((const struct advise_pane *)v->priv)->failures};

	if (!v->scene->fabric)
		return;
	if (!advise_pane_still_holds(v)) {
		view_hold(v, NULL);
		v->question = result_keep(v->question, sweep_question_new(v->scene), &task_sweep_question);
	}
	/* a partial ranking gives way to the whole one; once another engine is tried, it stays */
	if (!v->held || (v->held->partial && v->held->ask.sweep == v->scene->real))
		view_hold(v, view_ask(v, &task_advise, v->question, arg));
	v->n_rows = advice_of(v) ? advice_of(v)->n : 0;
}

static const struct advice_row *advise_pane_row_at(const struct view *v, uint32_t row)
{
	assert(row < advice_of(v)->n);
	return &advice_of(v)->row[row];
}

/* The row's place in the ranking, from 1; equal rows share a place. 0: the engine refuses. */
static unsigned advise_pane_rank_of(const struct view *v, uint32_t row)
{
	if (row >= advice_of(v)->n_routed)
		return 0;
	return (row < advice_of(v)->n_ranked ? row : advise_pane_row_at(v, row)->same) + 1;
}

static void advise_pane_title(const struct view *v, struct text *t)
{
	const struct advice *a = advice_of(v);

	text_add(t, "Advise");
	if (!a)
		return;
	if (a->direct)
		text_add(t, " ── no levels");
	else
		text_add(t, " ── %s, %s", PLURAL(a->n_edges, "edge switch"), PLURAL(a->n_roots, "root"));
	if (!advice_complete(a))
		text_add(t, " ── INCOMPLETE: %u of %u measured%s", a->n_measured, a->n,
			 a->untried ? ", not all failures tried" : "");
}

/* Tells the worst effect of a single failure. */
static void add_failures(const struct advice_row *r, struct text *t)
{
	if (r->untried)
		text_add(t, "?");
	else if (!r->failures)
		text_add(t, "-");
	else if (r->failure_loops)
		text_add(t, "loops %u", r->failure_loops);
	else if (r->failure_lost)
		text_add(t, "lost %" PRIu64, r->failure_lost);
	else if (r->failure_fallbacks)
		text_add(t, "other %u", r->failure_fallbacks);
	else
		text_add(t, "as before");
}

static void add_reason(const struct view *v, uint32_t row, struct text *t)
{
	const struct advice_row *r = advise_pane_row_at(v, row);

	if (r->refused)
		text_add(t, "refuses: %s", r->refused);
	else if (r->unmeasured)
		text_add(t, "not finished%s", r->hopeless ? "; put last, as class C" : "");
	else if (row >= advice_of(v)->n_ranked)
		text_add(t, "the same tables as rank %u", advise_pane_rank_of(v, row));
	else if (r->reason)
		text_add(t, "%s", r->reason);
}

static void advise_pane_footer(const struct view *v, struct text *t)
{
	uint32_t row;

	if (v->waiting && !v->held)
		view_progress(v, t);
	else if (v->held && !v->held->value)
		text_add(t, "%s", v->held->e.msg);
	else if (advice_of(v) && view_selected(v, &row))
		add_reason(v, row, t);
}

static int64_t advise_pane_number(const struct view *v, uint32_t row, unsigned col)
{
	const struct advice_row *r = advise_pane_row_at(v, row);

	if (col == C_RANK)
		return advise_pane_rank_of(v, row) ? advise_pane_rank_of(v, row) : UINT32_MAX;
	if (r->refused || r->unmeasured)
		return -1;
	return field_number(field_of_column(advice_fields, columns[col].name), r);
}

static void advise_pane_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const struct advice_row *r = advise_pane_row_at(v, row);

	if (col == C_ENGINE)
		text_add(t, "%s", r->kind->engine);
	else if (col == C_REASON)
		add_reason(v, row, t);
	else if ((r->refused || r->unmeasured) && col != C_OPTIONS)
		text_add(t, "-");
	else if (col == C_RANK)
		text_add(t, "%s%u", row < advice_of(v)->n_ranked ? "" : "=", advise_pane_rank_of(v, row));
	else if (col == C_CLASS)
		text_add(t, "%c", advice_letter(r));
	else if (col == C_FAILURES)
		add_failures(r, t);
	else
		field_cell(field_of_column(advice_fields, columns[col].name), r, t);
}

static unsigned advise_pane_marks(const struct view *v, uint32_t row)
{
	const struct advice_row *r = advise_pane_row_at(v, row);

	return !r->unmeasured && (r->refused || r->class == ADVICE_UNSOUND) ? MARK_DOWN : 0;
}

/* Tells everything about a row. */
static void advise_pane_add_all(const struct view *v, uint32_t row, struct text *t)
{
	const struct advice_row *r = advise_pane_row_at(v, row);

	text_add(t, "%s%s%s: ", r->kind->engine, *r->options ? ", " : "", r->options);
	if (r->refused) {
		add_reason(v, row, t);
		return;
	}
	text_add(t, "class %c, %s lost, credit loops in %s of channels, %s, most routes on a link %u, ",
		 advice_letter(r), PLURAL(r->lost, "pair"), PLURAL(r->loops, "group"), PLURAL(r->vls, "VL"),
		 r->max_load);
	text_add(t, "effective bisection %.3f +- %.3f, shifts %.2f (worst %u); after %s: ", r->ebb.value,
		 r->ebb.half_width, r->shift_mean, r->shift_worst, PLURAL(r->failures, "single failure"));
	text_add(t, "up to %s lost, credit loops in %u, another engine in %u",
		 PLURAL(r->failure_lost, "pair"), r->failure_loops, r->failure_fallbacks);
	if (row >= advice_of(v)->n_ranked || r->reason)
		text_add(t, "; %s", row < advice_of(v)->n_ranked ? "before the next: " : "");
	add_reason(v, row, t);
	if (r->kind->files && row < advice_of(v)->n_ranked)
		text_add(t, "; it needs files: `advise write FILE rank %u`, then `config FILE`", row + 1);
}

static bool advise_pane_placeholder(const struct view *v, uint32_t row, const char *what, struct text *t)
{
	AUTO_TEXT struct text all = {0};

	if (strcmp(what, "advice") != 0)
		return false;
	advise_pane_add_all(v, row, &all);
	word_text(text_str(&all), t);
	return true;
}

/* Enter routes the fabric with the row's engine. If that refuses or needs files, it tells so. */
static void advise_pane_follow(const struct view *v, uint32_t row, struct text *t)
{
	const struct advice_row *r = advise_pane_row_at(v, row);

	if (r->refused || r->kind->files) {
		text_add(t, "echo ");
		advise_pane_placeholder(v, row, "advice", t);
		return;
	}
	text_add(t, "route %s", r->kind->engine);
	if (r->kind->option)
		text_add(t, " %s", r->kind->option);
	if (r->kind->layers && options_bool(r->setup->options, "qos"))
		text_add(t, " qos=TRUE");
}

const struct view_ops view_advise = {
	.name = "advise",
	.brief = "ranks all engines for this fabric, with figures and reasons; Enter routes with the "
		 "selected one",
	.syntax = "[failures N]",
	.hints = "follow=route :echo=text :undo=undo back=back",
	COLUMNS(columns),
	.flags = VIEW_WIDE | VIEW_PRESENT,
	.priv_size = sizeof(struct advise_pane),
	.priv_kept = sizeof(struct advise_pane),
	.open = advise_pane_open_view,
	.load = advise_pane_load,
	.title = advise_pane_title,
	.footer = advise_pane_footer,
	.cell = advise_pane_cell,
	.number = advise_pane_number,
	.marks = advise_pane_marks,
	.follow = advise_pane_follow,
	.placeholder = advise_pane_placeholder,
};
