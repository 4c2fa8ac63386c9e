/*
 * The pane `survey`: single failures or pairs of them, and the result of the next sweep for each; or, of all
 * pairs, those that part hosts; computed by another thread. Enter tries one. The rows then stay, and still
 * belong to the state before.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "core/analysis/draw/picture.h"
#include "core/analysis/survey/parted.h"
#include "core/analysis/survey/share.h"
#include "core/analysis/survey/survey.h"
#include "core/base/defs.h"
#include "core/session/patterns.h"
#include "engines/engines.h"
#include "views/base/view.h"

enum { C_WHAT, C_ENGINE = 3, C_BEYOND = 12, C_HOTTEST, C_BAR, C_FROM, C_TO };

#define CELLS 20 /* cells of the longest bar in a printed list, and the most on the screen */

static const struct column survey_columns[] = {
	COL("fails", "what fails", 24, .flex = 3),
	NUM("loops", "groups of credit loops on VLs that had none", 5),
	NUM("between", "lost pairs whose hosts the subnet manager still reaches", 7),
	COL("engine", "the engine that routes after the failure", 6, .drop = 2),
	NUM("cut off", "lost pairs with a host that is down, or that the subnet manager no longer reaches",
	    7),
	NUM("load", "most routes on a link after the failure", 5),
	NUM("longer", "rerouted pairs whose path gets longer", 6, .drop = 3),
	NUM("rerouted", "pairs that take another path", 8, .drop = 1),
	NUM("entries", "table entries that the sweep changes", 7, .drop = 5),
	NUM("lost", "pairs that lose their path: those in `cut off` and those in `between`", 5, .drop = 6),
	NUM("gone", "host ports that are up, but that the subnet manager no longer reaches", 4, .drop = 7),
	NUM("outside",
	    "cut-off pairs in a part that the subnet manager does not reach: the old tables may still "
	    "connect them",
	    7, .drop = 8),
	NUM("beyond", "lost pairs that neither of the two failures loses alone", 6),
	COL("hottest", "the link with most routes after the failure", 12, .flex = 1, .drop = 9),
	COL("bar", "most routes on a link after the failure, as a bar", 8, .drop = 4, .bar = true,
	    .meter = CELLS),
	COL("from", "all pairs: a host that it parts", 14, .flex = 1, .drop = 2),
	COL("to", "all pairs: and one that it reaches no more", 14, .flex = 1, .drop = 1),
};
static_assert(ARRAY_LEN(survey_columns) == C_TO + 1, "a column for each C_");

/* v->held is the answer shown, possibly of an earlier state. */
struct survey_pane {
	struct survey_request rq;      /* the request; `before` and `engines` are not set */
	bool all;		       /* all pairs: the answer is a struct parted, else a survey */
	uint64_t most_lost, most_load; /* over all rows */
};

/* --- computed by another thread ----------------------------------------------------------------- */

#define KIND_BITS 4

FREED_BY(free_survey, arena_free)

/* arg: kind and number of pairs, then both halves of the seed. */
static void *run_survey(const struct job *j)
{
	struct survey_request rq = {
		.before = j->sweep,
		.engines = all_engines,
		.kind = (enum part_kind)(j->arg[0] & ((1u << KIND_BITS) - 1)),
		.pairs = j->arg[0] >> KIND_BITS,
		.seed = (uint64_t)j->arg[2] << 32 | j->arg[1],
		.ready = j->ready,
	};

	return survey_run(&rq, j->progress, j->e);
}

static const struct task task_survey = {.run = run_survey, .free = free_survey};

FREED_BY(free_parted, arena_free)

static void *run_parted(const struct job *j)
{
	return parted_run(j->sweep, (enum part_kind)j->arg[0], j->progress, j->e);
}

static const struct task task_parted = {.run = run_parted, .free = free_parted};

/* --- the pane ------------------------------------------------------------------------------------ */

static int survey_pane_open_view(struct view *v, const struct args *a, struct err *e)
{
	struct survey_pane *p = v->priv;

	p->all = args_has(a, "all");
	return survey_asked(&p->rq, a, e);
}

/* Is the kept answer still about the present fabric, apart from what is down? */
static bool survey_pane_still_holds(const struct view *v)
{
	const struct sweep *now = v->scene->real, *was = v->held ? v->held->ask.sweep : NULL;
	const struct setup *s;
	bool same;

	if (!now || !was || now->fabric != was->fabric)
		return false;
	if (now == was)
		return true;
	s = setup_with(now->setup, &(struct setup){.state = was->setup->state});
	same = setup_equal(s, was->setup) && !strcmp(s->chain, was->setup->chain);
	setup_unref(s);
	return same;
}

static bool of_all(const struct view *v)
{
	return ((const struct survey_pane *)v->priv)->all;
}

static const struct survey *survey_of(const struct view *v)
{
	return v->held && !of_all(v) ? v->held->value : NULL;
}

static const struct parted *parted_of(const struct view *v)
{
	return v->held && of_all(v) ? v->held->value : NULL;
}

static const struct survey_row *survey_pane_row_at(const struct view *v, uint32_t row)
{
	return &survey_of(v)->row[row];
}

/* What fails in a row. */
static const uint32_t *part_at(const struct view *v, uint32_t row)
{
	return parted_of(v) ? parted_of(v)->row[row].part : survey_pane_row_at(v, row)->part;
}

static const struct parts *survey_pane_parts_of(const struct view *v)
{
	return parted_of(v) ? parted_of(v)->parts : survey_of(v)->parts;
}

static void survey_pane_load(struct view *v)
{
	struct survey_pane *p = v->priv;
	const uint32_t arg[TASK_ARGS] = {(uint32_t)p->rq.kind | p->rq.pairs << KIND_BITS,
					 (uint32_t)p->rq.seed, (uint32_t)(p->rq.seed >> 32)};

	if (p->all) {
		for (unsigned c = C_WHAT + 1; c < C_FROM; c++)
			v->width[c] = 0;
		if (!survey_pane_still_holds(v))
			view_hold(v,
				  view_ask(v, &task_parted, NULL, (const uint32_t[TASK_ARGS]){p->rq.kind}));
		if (parted_of(v))
			v->n_rows = (uint32_t)parted_of(v)->n;
		return;
	}
	v->width[C_FROM] = v->width[C_TO] = 0;
	if (p->rq.kind != PART_LINK && !p->rq.pairs)
		v->width[C_WHAT] /= 2; /* one name */
	bool coming = v->held && v->held->partial;
	if (!survey_pane_still_holds(v) || (coming && v->held->ask.sweep == v->scene->real))
		view_hold(v, view_ask(v, &task_survey, NULL, arg));
	if (!survey_of(v))
		return;
	v->n_rows = survey_of(v)->n;
	v->width[C_BEYOND] = survey_of(v)->pairs ? survey_columns[C_BEYOND].width : 0;
	p->most_lost = p->most_load = 0;
	for (uint32_t i = 0; i < v->n_rows; i++) {
		const struct survey_row *r = survey_pane_row_at(v, i);

		p->most_lost = MAX(r->lost, p->most_lost);
		p->most_load = MAX(r->load_after, p->most_load);
	}
}

static void survey_pane_title(const struct view *v, struct text *t)
{
	const struct survey_pane *p = v->priv;
	const struct survey *s = survey_of(v);
	uint64_t bad = 0;

	text_add(t, "Survey of %s", p->all ? "all " : "");
	text_add(t, "%s%s", p->all || p->rq.pairs ? "pairs of " : "", part_words[p->rq.kind]);
	if (parted_of(v))
		text_add(t, " %u/%u ── %" PRIu64 " part hosts", view_count(v) ? v->sel + 1 : 0, view_count(v),
			 parted_of(v)->bad);
	if (!s)
		return;
	for (uint32_t i = 0; i < s->n; i++)
		bad += survey_bad(&s->row[i]);
	text_add(t, " %u/%u ── %" PRIu64 " bad", view_count(v) ? v->sel + 1 : 0, view_count(v), bad);
}

static void survey_pane_footer(const struct view *v, struct text *t)
{
	const struct survey *s = survey_of(v);

	if (v->waiting)
		view_progress(v, t);
	else if (v->held && !v->held->value)
		text_add(t, "%s", v->held->e.msg);
	else if (v->held && v->held->ask.sweep != v->scene->real)
		text_add(t, "of the state before the failure that you try now; u goes back");
	else if (v->held && parted_of(v))
		parted_tell(parted_of(v), v->held->ask.sweep, ' ', t);
	else if (s)
		text_add(t, "by %s; most routes on a link now: %u; Enter tries a failure",
			 s->before->routing->engine, s->load_before);
}

static const char *survey_pane_column_name(const struct view *v, unsigned col)
{
	const struct survey_pane *p = v->priv;

	if (col != C_BAR)
		return survey_columns[col].name;
	return p->most_lost || !survey_of(v) ? "bar of lost" : "bar of load";
}

static void survey_row(const struct view *v, uint32_t row, struct table_row *r)
{
	const struct survey_pane *p = v->priv;
	const struct parts *parts = survey_pane_parts_of(v);
	const struct survey_row *x = p->all ? NULL : survey_pane_row_at(v, row);
	const uint32_t *part = part_at(v, row);
	uint32_t id = parts->id[parts->first[part[0]]];
	AUTO_FREE char *what = survey_what(parts, part);
	char buf[300];

	r->value[C_WHAT] = (int64_t)row_text(r, "%s", what);
	if (x) {
		row_fields(v, r, survey_fields, x);
		r->value[C_ENGINE] = (int64_t)row_text(r, "%s", !x->engine ? "none" : x->engine);
		if (x->load_port != NO_ID)
			r->value[C_HOTTEST] = (int64_t)row_text(
				r, "%s", port_label(parts->fabric, x->load_port, buf, sizeof(buf)));
		r->value[C_BAR] = (int64_t)row_text(r, "%s", "");
		if (p->most_lost)
			word_bar(x->lost, p->most_lost, CELLS, &r->text);
		else
			word_bar(x->load_after, p->most_load, CELLS, &r->text);
		r->marks = mark_if(survey_bad(x), MARK_DOWN) | mark_if(x->fallback, MARK_CHANGED);
	}
	for (unsigned c = C_WHAT + 1; !x && c < C_FROM; c++) {
		r->value[c] = -1;
		r->says[c] = row_text(r, "%s", "");
	}
	for (unsigned c = C_FROM; !x && c <= C_TO; c++) {
		r->value[c] = (int64_t)row_text(r, "%s", "");
		label_endport(parts->fabric, parted_of(v)->row[row].host[c - C_FROM], &r->text);
	}
	r->about.key = x ? x->index : row;
	if (parts->kind == PART_LINK)
		subject_port(v, parts->fabric->link_port[2 * id], &r->about);
	else
		subject_node(v, id, &r->about);
}

/* Loads compare with the most on a link now; lost pairs are heavy. */
static bool survey_pane_meter(const struct view *v, uint32_t row, unsigned col, struct meter *m)
{
	const struct survey_pane *p = v->priv;
	const struct survey_row *r;

	(void)col;
	if (p->all)
		return false;
	r = survey_pane_row_at(v, row);
	*m = p->most_lost ? (struct meter){(double)r->lost / (double)p->most_lost, r->lost ? 4 : 0}
			  : (struct meter){p->most_load ? (double)r->load_after / (double)p->most_load : 0,
					   picture_load_class(r->load_after, survey_of(v)->load_before)};
	return true;
}

/* Enter makes the failure an event of the journal. */
static void survey_pane_follow(const struct view *v, uint32_t row, struct text *t)
{
	AUTO_FREE char *line = survey_command(survey_pane_parts_of(v), part_at(v, row));

	text_add(t, "%s", line);
}

static bool survey_pane_placeholder(const struct view *v, uint32_t row, const char *what, struct text *t)
{
	AUTO_TEXT struct text line = {0};

	if (strcmp(what, "object"))
		return false;
	survey_pane_follow(v, row, &line);
	text_add(t, "%s", text_str(&line) + strlen("fail "));
	return true;
}

#define KINDS "[links|switches|chassis|cards]"

const struct view_ops view_survey = {
	.name = "survey",
	.brief = "tries every single failure, or pairs of failures, and lists the worst first: new credit "
		 "loops, lost pairs, engine, loads; or all pairs that part hosts; Enter tries one",
	.syntax = KINDS " | pairs N " KINDS " [seed=K] | pairs all [links|switches]",
	.hints = "follow=try :undo=undo back=back",
	COLUMNS(survey_columns),
	.flags = VIEW_WIDE | VIEW_PRESENT,
	.priv_size = sizeof(struct survey_pane),
	.priv_kept = offsetof(struct survey_pane, most_lost),
	.open = survey_pane_open_view,
	.load = survey_pane_load,
	.row = survey_row,
	.title = survey_pane_title,
	.footer = survey_pane_footer,
	.placeholder = survey_pane_placeholder,
	.follow = survey_pane_follow,
	.column_name = survey_pane_column_name,
	.meter = survey_pane_meter,
};
