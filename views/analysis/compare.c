/*
 * The pane `compare`: engines side by side on the present fabric, one row per figure, one column per engine.
 * Another thread routes and measures the engines one after the other.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "core/analysis/compare/figures.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "views/base/view.h"

#define CELL 40

static_assert(COMPARE_MOST < VIEW_COLUMNS, "a column for each engine");
static_assert(COMPARE_MOST < VIEW_ASKS, "a result for each engine, and the loads");

/* The names are those of the engines. Narrow panes drop columns from the right. */
static const struct column columns[COMPARE_MOST + 1] = {
	COL("figure", "the figure", 25, .flex = 1),
	COL("", "an engine; its name stands at the top", 0, .flex = 1, .right = true),
	COL("", "an engine; its name stands at the top", 0, .flex = 1, .right = true),
	COL("", "an engine; its name stands at the top", 0, .flex = 1, .right = true, .drop = 1),
	COL("", "an engine; its name stands at the top", 0, .flex = 1, .right = true, .drop = 2),
	COL("", "an engine; its name stands at the top", 0, .flex = 1, .right = true, .drop = 3),
	COL("", "an engine; its name stands at the top", 0, .flex = 1, .right = true, .drop = 4),
	COL("", "an engine; its name stands at the top", 0, .flex = 1, .right = true, .drop = 5),
	COL("", "an engine; its name stands at the top", 0, .flex = 1, .right = true, .drop = 6),
	COL("", "an engine; its name stands at the top", 0, .flex = 1, .right = true, .drop = 7),
	COL("", "an engine; its name stands at the top", 0, .flex = 1, .right = true, .drop = 8),
	COL("", "an engine; its name stands at the top", 0, .flex = 1, .right = true, .drop = 9),
};

struct compare_pane {
	unsigned n;				       /* engines */
	const struct engine_figures *of[COMPARE_MOST]; /* [n] borrowed from results; NULL = missing */
	char name[COMPARE_MOST][CELL];
	unsigned refused[COMPARE_MOST]; /* engines that refuse; they have the first rows */
	unsigned n_refused;
	const struct loads *loads; /* of the tables in force, NULL = missing */
	struct err why;		   /* why there is no request */
};

/* --- computed by another thread ------------------------------------------------------------- */

static void *compare_pane_measure(const struct side_request *rq, unsigned i,
				  const struct engine_figures *first, struct progress *p)
{
	struct err e;
	struct engine_figures *f = side_measure(rq, i, first, p, &e);

	return f ? f : engine_figures_refused(rq, i, e.msg);
}

static void *compare_pane_run_first(const struct job *j)
{
	return compare_pane_measure(j->base, 0, NULL, j->progress);
}

/* base: the result of the first engine. */
static void *run_other(const struct job *j)
{
	const struct engine_figures *first = j->base;

	return compare_pane_measure(first->request, j->arg[0], first, j->progress);
}

FREED_BY(free_figures, engine_figures_free)

FREED_BY(free_request, side_request_unref)

static const struct task task_first = {.run = compare_pane_run_first, .free = free_figures},
			 task_other = {.run = run_other, .free = free_figures};

static bool request_equal(const void *was, const void *value)
{
	return side_request_equal(was, value);
}

static const struct task task_request = {.free = free_request, .same = request_equal};

/* --- the request ------------------------------------------------------------------------------ */

static const char *engine_in_force(const struct scene *sc)
{
	return scene_real_routing(sc) ? scene_real_routing(sc)->engine : NULL;
}

static void compare_pane_add_word(char **word, int *n, const char *w)
{
	for (int i = 0; i < *n; i++)
		if (!strcmp(word[i], w))
			return;
	word[(*n)++] = (char *)(uintptr_t)w;
}

/* Makes the request. If fewer than two engines are named, adds the usual ones. NULL and *e. */
static struct side_request *make_request(const struct view *v, struct err *e)
{
	static const char *const usual[] = {"minhop", "updn", "ftree"};
	const struct scene *sc = v->scene;
	struct side_base at = {.setup = sc->event->setup, .list = sc->session->engines, .sweep = sc->real};
	AUTO_FREE char **word = NEW_ARRAY((size_t)v->n_words + ARRAY_LEN(usual) + 2, char *);
	const char *now = engine_in_force(sc);
	struct side_request *rq;
	int n = 0, engines = 0;

	for (int i = 0; i < v->n_words; i++)
		engines += !strchr(v->word[i], '=');
	if (engines < 2 && now)
		compare_pane_add_word(word, &n, now);
	for (int i = 0; i < v->n_words; i++) {
		if (engines < 2)
			compare_pane_add_word(word, &n, v->word[i]);
		else
			word[n++] = v->word[i];
	}
	for (size_t i = 0; engines < 2 && i < ARRAY_LEN(usual); i++)
		compare_pane_add_word(word, &n, usual[i]);
	rq = side_request_new(&at, n, word, e);
	if (rq && rq->n > COMPARE_MOST) {
		err_set_kind(e, ERR_LIMIT, "pane compare: found %u engines, expected at most %d", rq->n,
			     COMPARE_MOST);
		side_request_unref(rq);
		return NULL;
	}
	return rq;
}

static int compare_pane_open_view(struct view *v, const struct args *a, struct err *e)
{
	struct side_request *rq;

	(void)a;
	if (!v->scene->fabric)
		return 0;
	rq = make_request(v, e);
	side_request_unref(rq);
	return rq ? 0 : -1;
}

/* --- the table -------------------------------------------------------------------------------- */

static void compare_pane_ask_all(struct view *v)
{
	struct compare_pane *p = v->priv;
	const struct result *first = view_ask(v, &task_first, v->question, NULL);

	p->of[0] = first ? first->value : NULL;
	v->waiting |= p->n > 1 && !first;
	for (unsigned i = 1; first && i < p->n; i++) {
		uint32_t arg[TASK_ARGS] = {i};
		const struct result *r = view_ask(v, &task_other, first, arg);

		p->of[i] = r ? r->value : NULL;
	}
	p->loads = view_ask_value(v, &task_loads, NULL); /* for Enter; nothing waits for it */
}

static enum figure figure_of(const struct compare_pane *p, uint32_t row)
{
	return (enum figure)(row - p->n_refused);
}

static bool is_measured(const struct compare_pane *p, unsigned i)
{
	return p->of[i] && !p->of[i]->refused;
}

/* Is no engine better in a figure, and some worse? */
static bool is_best(const struct compare_pane *p, unsigned engine, enum figure which)
{
	int sign = COMPARED(figure_fields[which].better, 0);
	bool worse = false;

	for (unsigned i = 0; i < p->n; i++) {
		int order;

		if (!is_measured(p, i) || p->of[i]->f.v[which] < 0)
			continue;
		order = sign * figure_order(&p->of[i]->f, &p->of[engine]->f, which);
		if (order > 0)
			return false;
		worse |= order < 0;
	}
	return worse;
}

static void figure_cell(const struct compare_pane *p, unsigned i, enum figure which, struct text *t)
{
	char buf[CELL];

	if (!p->of[i])
		text_add(t, "… ");
	else if (!is_measured(p, i) || (which == FIG_DIFFER && !i))
		text_add(t, "- ");
	else
		text_add(t, "%s%c", figure_text(&p->of[i]->f, which, buf, sizeof(buf)),
			 is_best(p, i, which) ? '*' : ' ');
}

static void compare_row(const struct view *v, uint32_t row, struct table_row *r)
{
	const struct compare_pane *p = v->priv;

	if (row < p->n_refused) {
		const struct engine_figures *f = p->of[p->refused[row]];

		r->value[0] = (int64_t)row_text(r, "%s refuses: %s", f->engine->name, f->refused);
		r->marks = MARK_DOWN;
		r->about.key = FIGURES + p->refused[row];
		return;
	}
	r->value[0] = (int64_t)row_text(r, "%s", figure_fields[figure_of(p, row)].column);
	for (unsigned i = 0; i < p->n; i++) {
		r->value[i + 1] = (int64_t)row_text(r, "%s", "");
		figure_cell(p, i, figure_of(p, row), &r->text);
	}
	r->about.key = figure_of(p, row);
}

static uint8_t column_width(const struct compare_pane *p, unsigned i)
{
	size_t w = strlen(p->name[i]);

	for (unsigned fig = 0; fig < FIGURES; fig++) {
		AUTO_TEXT struct text t = {0};

		figure_cell(p, i, fig, &t);
		w = MAX(t.len, w);
	}
	return (uint8_t)(w < 2 * CELL ? w : 2 * CELL);
}

/* The engine in force, unless a word sets other options. */
static const char *marked_engine(const struct view *v)
{
	for (int i = 0; i < v->n_words; i++)
		if (strchr(v->word[i], '='))
			return NULL;
	return engine_in_force(v->scene);
}

static void compare_pane_load(struct view *v)
{
	const char *now = marked_engine(v);
	struct compare_pane *p = v->priv;
	const struct side_request *rq;

	v->question =
		result_keep(v->question, v->scene->fabric ? make_request(v, &p->why) : NULL, &task_request);
	rq = v->question ? v->question->value : NULL;
	if (rq) {
		p->n = rq->n;
		compare_pane_ask_all(v);
		v->n_rows = FIGURES;
	}
	for (unsigned i = 0; rq && i < p->n; i++) {
		bool here = now && !strcmp(now, rq->engine[i]->name);

		snprintf(p->name[i], CELL, here ? "[%s]" : "%s ", rq->engine[i]->name);
		if (p->of[i] && p->of[i]->refused)
			p->refused[p->n_refused++] = i;
	}
	v->n_rows += p->n_refused;
	for (unsigned i = 0; i < COMPARE_MOST; i++)
		v->width[i + 1] = i < p->n ? column_width(p, i) : 0;
}

static const char *compare_pane_column_name(const struct view *v, unsigned col)
{
	const struct compare_pane *p = v->priv;

	if (!col)
		return columns[0].name;
	return col <= p->n ? p->name[col - 1] : "";
}

static void compare_pane_title(const struct view *v, struct text *t)
{
	const struct compare_pane *p = v->priv;
	const char *between = " ──";

	text_add(t, "Compare");
	if (p->n)
		text_add(t, " %s", PLURAL(p->n, "engine"));
	for (int i = 0; i < v->n_words; i++) {
		if (!strchr(v->word[i], '='))
			continue;
		text_add(t, "%s %s", between, v->word[i]);
		between = "";
	}
}

static void compare_pane_footer(const struct view *v, struct text *t)
{
	const struct compare_pane *p = v->priv;
	const char *now = marked_engine(v);

	if (p->why.msg[0])
		text_add(t, "%s", p->why.msg);
	else if (p->n && now)
		text_add(t, "[%s] in force, ", now);
	if (!p->why.msg[0] && p->n)
		text_add(t, "* best of its row; each as if it started now");
}

/* Enter goes to the pane that shows the figure for the routing in force. */
static void compare_pane_follow(const struct view *v, uint32_t row, struct text *t)
{
	static const char *const where[FIGURES] = {
		[FIG_UNREACHABLE] = "check",
		[FIG_HOPS_MEAN] = "pane histogram",
		[FIG_HOPS_MOST] = "pane histogram",
		[FIG_ELEMENTS_MEAN] = "pane elements",
		[FIG_ELEMENTS_MOST] = "pane elements",
		[FIG_SLS] = "pane layers",
		[FIG_VLS] = "pane layers",
		[FIG_LOOPS] = "pane cycle all",
		[FIG_DIFFER] = "pane changes",
	};
	const struct compare_pane *p = v->priv;
	enum figure which = figure_of(p, row);

	if (row < p->n_refused || !engine_in_force(v->scene))
		return;
	if (which < FIG_LOAD_LEAST || which > FIG_USAGE_MOST) {
		text_add(t, "%s", where[which] ? where[which] : "");
		return;
	}
	/* the ports of the switch with the most loaded link, if it is known */
	text_add(t, "pane ports");
	if (p->loads && p->loads->max_port != NO_ID) {
		text_putc(t, ' ');
		word_node(v->scene->fabric, v->scene->fabric->port_node[p->loads->max_port], t);
	}
}

const struct view_ops view_compare = {
	.name = "compare",
	.brief = "shows engines side by side on the fabric as it is now: path lengths, loads, links, credit "
		 "loops",
	.syntax = "[ENGINE...] [OPTION=VALUE]...",
	.hints = "follow=show :pane_layers=layers :pane_cycle_all=loops back=back",
	COLUMNS(columns),
	.flags = VIEW_WIDE | VIEW_PRESENT,
	.priv_size = sizeof(struct compare_pane),
	.open = compare_pane_open_view,
	.load = compare_pane_load,
	.row = compare_row,
	.title = compare_pane_title,
	.footer = compare_pane_footer,
	.follow = compare_pane_follow,
	.column_name = compare_pane_column_name,
};
