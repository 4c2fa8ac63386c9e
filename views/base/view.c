/* A pane: how it is opened, loaded, sorted, filtered and searched, and the questions of several panes. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/compare/outage.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "views/base/filter.h"
#include "views/base/fold.h"
#include "views/base/view.h"

/* The questions of several panes. */

struct sweep_question *sweep_question_new(const struct scene *sc)
{
	assert(sc->fabric && sc->event);

	struct sweep_question *q = NEW(struct sweep_question);

	q->setup = setup_ref(sc->event->setup);
	q->engines = sc->session->engines;
	q->now = sc->real ? sweep_ref(sc->real) : NULL;
	q->named = sc->session->conf_engines ? str_dup(sc->session->conf_engines) : NULL;
	q->configured = sc->session->configured ? str_dup(sc->session->configured) : NULL;
	return q;
}

void sweep_question_free(struct sweep_question *q)
{
	if (!q)
		return;
	setup_unref(q->setup);
	sweep_unref(q->now);
	free(q->chain);
	FREE_EACH(q->configured, q->named);
	measured_free(q->counted);
	opensm_log_unref(q->log);
	free(q);
}

FREED_BY(free_value, sweep_question_free)

static bool asks_same(const void *was, const void *value)
{
	const struct sweep_question *a = was, *b = value;

	return a->now == b->now && str_same(a->chain, b->chain) && str_same(a->configured, b->configured) &&
	       str_same(a->named, b->named) && a->counts == b->counts && setup_equal(a->setup, b->setup);
}

const struct task task_sweep_question = {.free = free_value, .same = asks_same};

/* --- between two sweeps ----------------------------------------------------------------------------------
 */

static void free_between(void *value)
{
	struct between_question *q = value;

	routing_unref(q->ra);
	routing_unref(q->rb);
	sweep_unref(q->a);
	sweep_unref(q->b);
	setup_unref(q->ahead);
	free(q);
}

static bool question_same_hosts(const struct routing *x, const struct routing *y)
{
	for (uint32_t ep = 0; x != y && ep < x->topo->fabric->n_endports; ep++)
		if (routing_counts(x, ep) != routing_counts(y, ep))
			return false;
	return true;
}

static bool between_same(const void *was, const void *value)
{
	const struct between_question *x = was, *y = value;

	if (x->a != y->a || x->b != y->b || !x->ahead != !y->ahead)
		return false;
	return x->ahead ? setup_equal(x->ahead, y->ahead)
			: question_same_hosts(x->ra, y->ra) && question_same_hosts(x->rb, y->rb);
}

const struct task task_between_question = {.free = free_between, .same = between_same};

struct between_question *between_question_new(const struct view *v, const char *snapshot, const char **why)
{
	const struct scene *sc = v->scene;
	const struct event *before = sc->session ? session_event_before(sc->session, sc->at) : NULL;
	const struct sweep *a = before ? before->sweep : NULL;
	struct between_question *q;

	*why = NULL;
	if (!scene_real_routing(sc))
		*why = "nothing is routed";
	else if (snapshot && !(a = session_find_snapshot(sc->session, snapshot)))
		*why = "there is no such snapshot; `snapshot` lists them";
	else if (!a || !a->routing)
		*why = "the event before had no tables to compare with";
	if (*why)
		return NULL;
	q = NEW(struct between_question);
	q->a = sweep_ref(a);
	q->b = sweep_ref(sc->real);
	q->ra = session_counted(sc->session, a->routing);
	q->rb = session_counted(sc->session, sc->real->routing);
	q->lost = sc->real_change ? sc->real_change->lost : OUTAGE_NO_AFTER;
	return q;
}

struct between_question *between_question_ahead(const struct scene *sc, const struct setup *ahead)
{
	assert(ahead && sc->real && sc->session);

	struct between_question *q = NEW(struct between_question);

	q->a = sweep_ref(sc->real);
	q->ahead = ahead;
	q->engines = sc->session->engines;
	return q;
}

int between_question_open(struct view *v, const struct args *a, struct err *e)
{
	if (a->n && v->scene->session && !session_find_snapshot(v->scene->session, v->word[0]))
		return err_set(e, "pane %s: there is no snapshot \"%s\"; `snapshot` lists them", v->ops->name,
			       v->word[0]);
	return 0;
}

/* A pane: how it is opened, loaded, sorted, filtered and searched. */

struct view *view_new(const struct view_ops *ops, struct scene *sc, int argc, char **argv, struct err *e)
{
	char **looked = NULL;
	int n = argc ? 0 : view_args_looked(ops, sc, &looked);
	struct view *v;

	assert(ops->name && ops->column && ops->load && (ops->cell || ops->row));
	assert(ops->n_columns >= 1 && ops->n_columns <= VIEW_COLUMNS && ops->priv_kept <= ops->priv_size);
	assert(!ops->complete || ops->flags & VIEW_TYPED);
	assert(ops->draw || (!ops->move && !ops->hit));
	if (n) {
		v = view_new(ops, sc, n, looked, e);
		words_free(n, looked);
		return v;
	}
	v = NEW(struct view);
	v->ops = ops;
	v->scene = sc;
	v->sort = -1;
	v->select = -1;
	v->priv = mem_alloc(ops->priv_size ? ops->priv_size : 1);
	v->told = ops->row ? NEW(struct table_row) : NULL;
	v->word = NEW_ARRAY((size_t)argc + 1, char *);
	for (; v->n_words < argc; v->n_words++)
		v->word[v->n_words] = str_dup(argv[v->n_words]);
	if (view_args_open(v, argc, argv, e)) {
		view_free(v);
		return NULL;
	}
	return v;
}

/* Frees what was loaded. The kept part of priv stays. */
static void view_unload(struct view *v)
{
	if (v->ops->unload)
		v->ops->unload(v);
	while (v->n_arrays)
		free(v->array[--v->n_arrays]);
	text_clear(&v->title);
	text_clear(&v->footer);
	if (v->told)
		v->told->row = NO_ID;
	memset((char *)v->priv + v->ops->priv_kept, 0, v->ops->priv_size - v->ops->priv_kept);
}

void view_free(struct view *v)
{
	if (!v)
		return;
	view_unload(v);
	if (v->ops->close)
		v->ops->close(v);
	result_unref(v->question);
	result_unref(v->held);
	words_free(v->n_words, v->word);
	for (unsigned i = 0; i < v->n_ask; i++)
		result_unref(v->results[i]);
	fold_free(v);
	filter_free(v->terms);
	for (unsigned c = 0; c < VIEW_COLUMNS; c++)
		affix_free(&v->affix[c]);
	canvas_free(&v->canvas);
	text_free(&v->title);
	text_free(&v->footer);
	if (v->told)
		text_free(&v->told->text);
	free(v->told);
	free(v->array);
	free(v->priv);
	free(v->order);
	free(v->open);
	free(v);
}

#define LOOK_MOST 200000 /* rows searched for the selection at most, so that huge lists stay fast */

static bool select_key(struct view *v, uint64_t key)
{
	uint32_t n = view_count(v);

	for (uint32_t i = 0; i < n && i < LOOK_MOST; i++) {
		if (view_key(v, view_row(v, i)) == key) {
			v->sel = i;
			return true;
		}
	}
	return false;
}

static bool select_header(struct view *v, uint32_t header)
{
	for (uint32_t i = 0; header != NO_ID && v->order && i < v->n_order; i++) {
		if (v->order[i] == header) {
			v->sel = i;
			return true;
		}
	}
	return false;
}

/*
 * Finds the selected row again. If it is folded away, its header is selected; if a header is gone, its first
 * row.
 */
static void restore_selection(struct view *v)
{
	uint32_t n = view_count(v);

	if (v->sel < n && view_key(v, view_row(v, v->sel)) == v->sel_key)
		return;
	if (select_key(v, v->sel_key) || (v->sel_inner != v->sel_key && select_key(v, v->sel_inner)) ||
	    select_header(v, fold_header_of(v, v->sel_inner, LOOK_MOST)))
		return;
	if (v->sel >= n)
		v->sel = n ? n - 1 : 0;
}

static void order_start(struct view *v)
{
	filter_free(v->terms);
	v->terms = v->filter[0] ? filter_new(v, v->filter) : NULL;
	v->scanned = 0;
	v->n_order = 0;
	fold_start(v);
	v->ordering = v->filter[0] || v->sort >= 0 || fold_wanted(v);
	if (!v->ordering) {
		free(v->order);
		v->order = NULL;
		v->cap_order = 0;
	} else if (!v->order) {
		GROW(v->order, 0, v->cap_order);
	}
}

bool view_select_row(struct view *v, uint32_t row)
{
	uint32_t n;

	fold_reveal(v, row);
	n = view_count(v);
	if (!v->order) {
		view_select(v, row);
		return row < n;
	}
	for (uint32_t i = 0; i < n; i++) {
		if (v->order[i] == row) {
			view_select(v, i);
			return true;
		}
	}
	return false;
}

/* Selects the row that load() wished for, once the rows are in order. */
static bool take_wish(struct view *v)
{
	uint32_t row = (uint32_t)v->select;

	if (v->select < 0)
		return false;
	v->select = -1;
	view_select_row(v, row);
	return true;
}

const struct result *view_ask(struct view *v, const struct task *task, const struct result *base,
			      const uint32_t arg[TASK_ARGS])
{
	const struct sweep *w = v->ops->flags & VIEW_PRESENT ? v->scene->real : v->scene->sweep;
	struct ask *a = &v->ask[v->n_ask];

	assert(task->run && task->free);
	assert(base || !task->no_sweep || task->no_fabric);
	if (v->n_ask == VIEW_ASKS || (!base && (!w || (!w->routing && !task->any_sweep))))
		return NULL;
	*a = (struct ask){.task = task, .sweep = task->no_sweep ? NULL : w, .base = base};
	if (arg)
		memcpy(a->arg, arg, sizeof(a->arg));
	v->results[v->n_ask] = result_ref(scene_result_so_far(v->scene, a));
	v->waiting |= !v->results[v->n_ask] || v->results[v->n_ask]->partial;
	return v->results[v->n_ask++];
}

const void *view_ask_value(struct view *v, const struct task *task, const uint32_t arg[TASK_ARGS])
{
	const struct result *r = view_ask(v, task, NULL, arg);

	return r ? r->value : NULL;
}

const struct result *view_ask_about(struct view *v, const struct task *task, void *question,
				    const struct task *kind, const uint32_t arg[TASK_ARGS])
{
	v->question = result_keep(v->question, question, kind);
	return v->question ? view_ask(v, task, v->question, arg) : NULL;
}

void view_hold(struct view *v, const struct result *r)
{
	result_ref(r);
	result_unref(v->held);
	v->held = r;
}

void *view_room(struct view *v, size_t n, size_t size)
{
	assert(size);
	GROW(v->array, v->n_arrays, v->cap_arrays);
	return v->array[v->n_arrays++] = mem_array(n, size);
}

/* Loads the pane. Old results are released afterwards, as load() may still use them. */
static void load_view(struct view *v)
{
	const struct result *old[VIEW_ASKS];
	unsigned n = v->n_ask;

	memcpy(old, v->results, sizeof(old));
	v->n_ask = 0;
	v->waiting = false;
	view_unload(v);
	v->ops->load(v);
	for (unsigned i = 0; i < n; i++)
		result_unref(old[i]);
}

void view_refresh(struct view *v)
{
	bool other = !v->loaded || v->serial != v->scene->serial ||
		     (v->ops->flags & VIEW_CHIPS && v->folded != v->scene->fold);
	bool first = !v->loaded, wish;

	other |= v->ops->flags & VIEW_SELECTS && v->asked_sel != v->sel;

	if (!other && v->results_version == v->scene->results_version)
		return;
	/* while rows still come, the first row stays selected if nobody has moved from it */
	bool coming = v->held && v->held->partial && !v->sel;
	v->asked_sel = v->sel;
	v->serial = v->scene->serial;
	v->results_version = v->scene->results_version;
	v->loaded = true;
	v->measured = false;
	v->folded = v->scene->fold;
	v->n_rows = 0;
	v->select = -1;
	for (unsigned c = 0; c < v->ops->n_columns; c++) {
		const struct column *col = &v->ops->column[c];

		v->width[c] = col->width ? col->width : (uint8_t)strlen(col->name);
	}
	load_view(v);
	order_start(v);
	wish = v->select >= 0;
	view_work(v, 0.05);
	if (wish && !v->ordering)
		take_wish(v);
	else if (first || coming || !v->noted)
		view_select(v, v->ops->flags & VIEW_AT_END ? (int64_t)view_count(v) - 1 : 0);
	else
		restore_selection(v);
	view_note_selection(v);
}

void view_reload(struct view *v)
{
	v->serial = v->scene->serial - 1;
	view_refresh(v);
}

void view_type(struct view *v, const char *text)
{
	assert(v->ops->flags & VIEW_TYPED);
	snprintf(v->typed, sizeof(v->typed), "%s", text);
	view_reload(v);
	view_select(v, 0);
}

void view_complete(struct view *v)
{
	AUTO_TEXT struct text t = {0};

	assert(v->ops->complete);
	v->ops->complete(v, &t);
	if (t.len)
		view_type(v, t.s);
}

void view_fit(struct view *v, unsigned columns)
{
	if (v->ops->fit && v->ops->fit(v, columns))
		view_reload(v);
}

/* The first result that is asked for but missing, NULL = none. */
static const struct ask *missing(const struct view *v)
{
	for (unsigned i = 0; i < v->n_ask; i++)
		if (!v->results[i])
			return &v->ask[i];
	return NULL;
}

bool view_settle(struct view *v, struct progress *p)
{
	const struct ask *a;
	struct result *r;

	for (view_refresh(v); (a = missing(v)); view_refresh(v)) {
		r = ask_run(a, p, NULL);
		if (!r || r->partial) {
			result_unref(r);
			return false;
		}
		scene_add_result(v->scene, r);
	}
	while (!view_work(v, 0.1))
		if (progress_cancelled(p))
			return false;
	return true;
}

void view_move(struct view *v, int dx, int dy)
{
	if (v->ops->move)
		v->ops->move(v, dx, dy);
	else if (dx >= VIEW_FAR || dx <= -VIEW_FAR)
		view_select(v, dx < 0 ? 0 : (int64_t)view_count(v) - 1);
	else
		view_select(v, (int64_t)v->sel + dy);
}

/* --- filter ---------------------------------------------------------------- */

void view_filter(struct view *v, const char *filter)
{
	view_note_selection(v);
	snprintf(v->filter, sizeof(v->filter), "%s", filter);
	order_start(v);
	view_work(v, 0.03);
	restore_selection(v);
	v->top = 0;
}

int view_filter_check(const struct view *v, struct err *e)
{
	return v->terms && !v->ordering ? filter_check(v->terms, v, e) : 0;
}

/* --- sort ------------------------------------------------------------------ */

bool view_work(struct view *v, double seconds)
{
	double end = now_seconds() + seconds;

	if (!v->ordering)
		return true;
	while (v->scanned < v->n_rows) {
		uint32_t row = v->scanned++;
		bool hit = !v->terms || filter_row(v->terms, v, row);

		if (fold_wanted(v))
			fold_note(v, row, hit);
		if (hit) {
			GROW(v->order, v->n_order, v->cap_order);
			v->order[v->n_order++] = row;
		}
		if (!(v->scanned & 255) && now_seconds() > end)
			break;
	}
	if (v->scanned < v->n_rows || (fold_wanted(v) && !fold_work(v, end)))
		return false;
	v->ordering = false;
	if (fold_wanted(v))
		fold_show(v);
	else if (v->sort >= 0 && v->n_order <= VIEW_SORT_MAX)
		view_sort_rows(v, v->order, v->n_order);
	if (!take_wish(v))
		restore_selection(v);
	return true;
}

int view_sort(struct view *v, int column, bool descending, struct err *e)
{
	assert(column >= -1 && column < (int)v->ops->n_columns);
	if (column >= 0 && v->ops->fit)
		return err_set(e, "pane %s is running text: its lines stay in their order", v->ops->name);
	if (column >= 0 && view_count(v) > VIEW_SORT_MAX)
		return err_set(e, "%u rows are too many to sort (at most %u): filter them first",
			       view_count(v), VIEW_SORT_MAX);
	view_note_selection(v);
	v->sort = column;
	v->descending = descending;
	order_start(v);
	view_work(v, 0.05);
	restore_selection(v);
	return 0;
}

int view_column(const struct view *v, const char *name, struct err *e)
{
	struct column_part found[VIEW_COLUMNS];

	if (columns_named(v, name, strlen(name), found))
		return (int)found[0].col;
	for (unsigned i = 0; i < v->ops->n_columns; i++) /* by its name in the manual page */
		if (!strcmp(v->ops->column[i].name, name))
			return (int)i;
	return no_column(v, name, strlen(name), e);
}

/* --- search ---------------------------------------------------------------- */

/* A closed header is also found by its rows. */
static bool row_found(const struct view *v, uint32_t row, struct filter *what)
{
	const struct fold_group *g = view_is_header(v, row) ? fold_group_of(v, row) : NULL;
	bool hit = filter_row(what, v, row);

	for (uint32_t i = 0; g && !fold_is_open(v, g) && i < g->n && !hit; i++)
		hit = filter_row(what, v, v->fold->member[g->at + i]);
	return hit;
}

/* The place k rows from the selection, cyclically. */
static uint32_t place_from(const struct view *v, uint32_t k, int dir)
{
	uint32_t n = view_count(v);

	assert(dir == 1 || dir == -1);
	return dir > 0 ? (uint32_t)(((uint64_t)v->sel + k) % n)
		       : (uint32_t)(((uint64_t)v->sel + n - k % n) % n);
}

int view_search(struct view *v, const char *what, const struct search *how, struct err *e)
{
	struct filter *f = filter_new(v, what);
	uint32_t n = view_count(v);
	double end = now_seconds() + how->seconds;
	int rc = 0;

	for (uint32_t k = how->start ? 0 : 1; k <= n && n && !rc; k++) {
		uint32_t i = place_from(v, k, how->dir);

		rc = row_found(v, view_row(v, i), f);
		if (rc)
			view_select(v, i);
		else if (!(k & 255) && now_seconds() > end)
			break;
	}
	if (!rc && filter_check(f, v, e))
		rc = -1;
	filter_free(f);
	return rc;
}

bool view_search_like(struct view *v, const char *what, const struct search *how)
{
	uint32_t n = view_count(v), at = 0;
	double end = now_seconds() + how->seconds;
	unsigned best = 0;

	for (uint32_t k = how->start ? 0 : 1; k <= n && n; k++) {
		uint32_t i = place_from(v, k, how->dir);
		unsigned now = row_likeness(v, view_row(v, i), what);

		if (now && (!best || now < best)) {
			best = now;
			at = i;
		}
		if ((best && !how->best) || (!(k & 255) && now_seconds() > end))
			break;
	}
	if (best)
		view_select(v, at);
	return best != 0;
}
