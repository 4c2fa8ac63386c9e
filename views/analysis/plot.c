/*
 * The pane `plot`: numbers as bars. Links by their routes, paths by their lengths, or shifts by the most
 * flows on a link. `export svg FILE plot` draws the same.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include "core/analysis/draw/picture.h"
#include "core/analysis/traffic/bisection.h"
#include "core/analysis/traffic/loads.h"
#include "core/analysis/traffic/shift.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/session/command.h"
#include "views/base/view.h"

enum kind { LOADS, HOPS, SHIFTS, KINDS };

static const char *const kind_words[KINDS] = {"loads", "hops", "shifts"};

enum { C_VALUE, C_COUNT, C_SHARE, C_BAR, C_ONE };

#define CELLS 32 /* cells of the longest bar */

static const struct column plot_columns[] = {
	NUM("value", "the value: routes, links or flows", 6),
	NUM("count", "number of links, pairs or shifts with that value", 6),
	NUM("share", "their share of all", 6, .drop = 2),
	COL("bar", "the same as a bar", CELLS / 2, .bar = true, .meter = 2 * CELLS),
	COL("for example", "an example", 12, .flex = 1, .drop = 1),
};
static_assert(ARRAY_LEN(plot_columns) == C_ONE + 1, "a column for each C_");

static const struct {
	const char *title, *value, *count;
} words[KINDS] = {
	{"Routes on links", "routes", "links"},
	{"Lengths of paths", "links", "pairs"},
	{"Most flows on a link when all send K places further", "K", "flows"},
};

#define HISTORY 16 /* sweeps in the line of history */

/* Most routes on a link between switches after each of the last events. Question and answer have this
 * form. */
struct history {
	unsigned n;
	const struct sweep *sweep[HISTORY]; /* the oldest first; references held, with tables */
	uint32_t most[HISTORY];		    /* UNKNOWN only in a question */
};

#define UNKNOWN UINT32_MAX

struct plot_pane {
	enum kind kind;
	const struct buckets *buckets; /* of a result; NULL: missing, or SHIFTS */
	const struct shifts *shifts;
	uint64_t most;		       /* largest count */
	const struct history *history; /* NULL: missing, or another kind */
};

/* --- computed by another thread ----------------------------------------------------------------- */

static void *plot_pane_run_loads(const struct job *j)
{
	struct loads *l = loads_new(j->sweep->routing, &pattern_all, j->progress);
	struct buckets *b = l ? load_buckets(j->sweep->routing, l, 0) : NULL;

	arena_free(l);
	return b;
}

static void *run_hops(const struct job *j)
{
	return hop_buckets(j->sweep->routing, j->progress);
}

FREED_BY(free_buckets, buckets_free)

static void *run_shifts(const struct job *j)
{
	return shifts_new(j->sweep->routing, j->base, shift_sample(j->base), 0, j->progress);
}

FREED_BY(free_shifts, arena_free)

static const struct task tasks[KINDS] = {
	{.run = plot_pane_run_loads, .free = free_buckets},
	{.run = run_hops, .free = free_buckets},
	{.run = run_shifts, .free = free_shifts},
};

/* --- the line of history ------------------------------------------------------------------------- */

static struct history *history_copy(const struct history *from)
{
	struct history *h = NEW(struct history);

	*h = *from;
	for (unsigned i = 0; i < h->n; i++)
		sweep_ref(h->sweep[i]);
	return h;
}

static void free_history(void *value)
{
	struct history *h = value;

	for (unsigned i = 0; i < h->n; i++)
		sweep_unref(h->sweep[i]);
	free(h);
}

static bool same_history(const void *was, const void *value)
{
	const struct history *x = was, *y = value;

	return x->n == y->n && !memcmp(x->sweep, y->sweep, x->n * sizeof(*x->sweep));
}

static void *run_history(const struct job *j)
{
	struct history *h = history_copy(j->base);

	for (unsigned i = 0; i < h->n && !progress_cancelled(j->progress); i++) {
		struct loads *l = NULL;

		if (h->most[i] == UNKNOWN)
			l = loads_new(h->sweep[i]->routing, &pattern_all, j->progress);
		h->most[i] = l ? l->max : h->most[i];
		arena_free(l);
	}
	return h;
}

static const struct task task_history = {.run = run_history, .free = free_history};
static const struct task task_sweeps = {.free = free_history, .same = same_history};

/* The last sweeps up to the present event, with what the answer before has counted. */
static struct history *sweeps_of(const struct scene *sc, const struct history *known)
{
	struct history h = {0};

	for (size_t i = sc->at + 1; i-- && h.n < HISTORY;) {
		const struct sweep *w = sc->session->event[i].sweep;

		if (w && w->routing && !(h.n && h.sweep[HISTORY - h.n] == w))
			h.sweep[HISTORY - ++h.n] = w;
	}
	memmove(h.sweep, h.sweep + HISTORY - h.n, h.n * sizeof(*h.sweep));
	for (unsigned i = 0; i < h.n; i++) {
		h.most[i] = UNKNOWN;
		for (unsigned k = 0; known && k < known->n; k++)
			h.most[i] = known->sweep[k] == h.sweep[i] ? known->most[k] : h.most[i];
	}
	return history_copy(&h);
}

static void load_history(struct view *v)
{
	struct plot_pane *p = v->priv;
	const struct history *known = v->held ? v->held->value : NULL;
	const struct result *r = NULL;

	if (p->kind == LOADS)
		r = view_ask_about(v, &task_history, sweeps_of(v->scene, known), &task_sweeps, NULL);
	if (r)
		view_hold(v, r);
	p->history = r ? r->value : NULL;
}

static void plot_pane_tell_history(const struct history *h, struct text *t)
{
	uint64_t level[HISTORY], low = UINT64_MAX, high = 0;

	for (unsigned i = 0; i < h->n; i++) {
		level[i] = h->most[i];
		low = MIN(level[i], low);
		high = MAX(level[i], high);
	}
	text_add(t, "; most %u", h->most[h->n - 1]);
	if (h->n < 2 || !high)
		return;
	text_add(t, " now, ");
	text_levels(t, level, h->n, high);
	text_add(t, " in the last %u sweeps", h->n);
	if (low < high)
		text_add(t, " (%" PRIu64 " to %" PRIu64 ")", low, high);
}

/* --- the pane ------------------------------------------------------------------------------------ */

static int plot_pane_open_view(struct view *v, const struct args *a, struct err *e)
{
	struct plot_pane *p = v->priv;
	int kind = args_which(a, kind_words, KINDS);

	(void)e;
	p->kind = kind < 0 ? p->kind : (enum kind)kind;
	return 0;
}

/* The row for pairs without a path comes after the lengths. */
static bool plot_pane_is_none(const struct plot_pane *p, uint32_t row)
{
	return p->kind == HOPS && row == p->buckets->n;
}

static uint64_t plot_pane_count_at(const struct plot_pane *p, uint32_t row)
{
	if (p->kind == SHIFTS)
		return p->shifts->load[row].max;
	return plot_pane_is_none(p, row) ? p->buckets->none : p->buckets->at[row].count;
}

static void plot_pane_load(struct view *v)
{
	struct plot_pane *p = v->priv;
	const struct result *order = NULL, *answer;
	const void *found;

	if (!v->scene->fabric || !scene_real_routing(v->scene))
		return;
	v->width[C_SHARE] = p->kind == SHIFTS ? 0 : plot_columns[C_SHARE].width;
	if (p->kind == SHIFTS && !(order = view_ask(v, &task_shift_order, NULL, NULL)))
		return;
	answer = view_ask(v, &tasks[p->kind], order, NULL);
	if (!answer)
		return;
	found = answer->value;
	if (v->scene->session->on_screen) /* a list prints no footer */
		load_history(v);
	if (p->kind == SHIFTS) {
		p->shifts = found;
		v->n_rows = p->shifts->n;
	} else {
		p->buckets = found;
		v->n_rows = p->buckets->n + (p->kind == HOPS && p->buckets->none);
	}
	for (uint32_t i = 0; i < v->n_rows; i++)
		p->most = plot_pane_count_at(p, i) > p->most ? plot_pane_count_at(p, i) : p->most;
	if (p->buckets && p->buckets->step > 1)
		v->width[C_VALUE] = (uint8_t)(2 * digits(p->buckets->at[p->buckets->n - 1].high, 2) + 2);
}

static void plot_pane_title(const struct view *v, struct text *t)
{
	const struct plot_pane *p = v->priv;

	text_add(t, "%s", words[p->kind].title);
	if (p->buckets && p->kind == LOADS)
		text_add(t, " ── %s, all hosts to all", PLURAL(p->buckets->all, "directed link"));
	else if (p->buckets)
		text_add(t, " ── %s", PLURAL(p->buckets->all + p->buckets->none, "pair"));
	else if (p->shifts)
		text_add(t, " ── %u of %s", p->shifts->n,
			 PLURAL(p->shifts->n_places ? p->shifts->n_places - 1 : 0, "shift"));
}

static void plot_pane_footer(const struct view *v, struct text *t)
{
	const struct plot_pane *p = v->priv;
	const struct shifts *s = p->shifts;

	if (p->buckets && p->kind == LOADS) {
		text_add(t, "mean %.1f", p->buckets->mean);
		if (p->history && p->history->n)
			plot_pane_tell_history(p->history, t);
		if (!p->history || p->history->n < 2)
			text_add(t, "; each direction of a link by itself");
	} else if (p->buckets)
		text_add(t, "mean %.3f links, those of both hosts included", p->buckets->mean);
	else if (s && s->n)
		text_add(t, "order %s; mean %.2f, worst %u, %u free of congestion", shift_by_text(s->by),
			 s->mean, s->load[s->worst].max, s->free);
}

static const char *plot_pane_column_name(const struct view *v, unsigned col)
{
	const struct plot_pane *p = v->priv;

	return col == C_VALUE	? words[p->kind].value
	       : col == C_COUNT ? words[p->kind].count
				: plot_columns[col].name;
}

/* An example: a host with a path of this length, a link with this load, the link with most flows; or
 * NO_ID. */
static uint32_t plot_pane_example(const struct plot_pane *p, uint32_t row)
{
	if (p->kind == SHIFTS)
		return p->shifts->load[row].port;
	return plot_pane_is_none(p, row) ? p->buckets->none_first : p->buckets->at[row].first;
}

/* The LID to which the path of such a host leads. */
static unsigned plot_pane_lid(const struct plot_pane *p, uint32_t row)
{
	return plot_pane_is_none(p, row) ? p->buckets->none_lid : p->buckets->at[row].lid;
}

static void plot_row(const struct view *v, uint32_t row, struct table_row *r)
{
	const struct plot_pane *p = v->priv;
	const struct sweep *w = v->scene->real;
	const struct buckets *k = p->buckets; /* NULL: shifts */
	const struct bucket *b = k && !plot_pane_is_none(p, row) ? &k->at[row] : NULL;
	uint64_t n = plot_pane_count_at(p, row);
	uint32_t one = plot_pane_example(p, row);
	size_t bar = row_text(r, "%s", ""), example;

	word_bar(n, p->most, CELLS, &r->text);
	example = row_text(r, "%s", "");
	if (one != NO_ID && p->kind == HOPS) {
		label_endport(w->fabric, one, &r->text);
		text_add(&r->text, " → ");
		lid_label(w->fabric, w->lids, plot_pane_lid(p, row), &r->text);
	} else if (one != NO_ID) {
		label_channel(w->topo, one, false, &r->text);
	}
	ROW_VALUES(v, r, b ? (int64_t)b->low : -1, (int64_t)n, (int64_t)n, (int64_t)bar, (int64_t)example);
	if (!k)
		r->value[C_VALUE] = p->shifts->load[row].shift;
	else if (!b)
		r->says[C_VALUE] = row_text(r, "none");
	else if (b->low != b->high)
		r->says[C_VALUE] = row_text(r, "%" PRIu64 "..%" PRIu64, b->low, b->high);
	r->says[C_SHARE] = row_text(r, "%s", "");
	if (k)
		text_add(&r->text, "%.1f%%", 100.0 * (double)n / (double)(k->all + k->none));
	r->marks = mark_if(k ? !b : p->shifts->load[row].lost, MARK_DOWN);
	r->about.key = (uint64_t)r->value[C_VALUE];
	if (one == NO_ID)
		return;
	if (p->kind == HOPS)
		r->about.dst = (struct end){END_LID, plot_pane_lid(p, row)};
	subject_port(v, p->kind == HOPS ? v->scene->fabric->endport_port[one] : one, &r->about);
}

/* The shade shows how a value compares with the mean, as in the map; for shifts it compares flows. */
static bool plot_pane_meter(const struct view *v, uint32_t row, unsigned col, struct meter *m)
{
	const struct plot_pane *p = v->priv;
	uint64_t n = p->kind == SHIFTS		 ? plot_pane_count_at(p, row)
		     : plot_pane_is_none(p, row) ? 0
						 : p->buckets->at[row].high;
	double mean = p->kind == SHIFTS ? p->shifts->mean : p->buckets->mean;

	(void)col;
	*m = (struct meter){p->most ? (double)plot_pane_count_at(p, row) / (double)p->most : 0,
			    picture_load_class(n < UINT32_MAX ? (uint32_t)n : UINT32_MAX, mean)};
	return true;
}

/* Enter shows who uses the link, the path, or the load of the shift. */
static void plot_pane_follow(const struct view *v, uint32_t row, struct text *t)
{
	const struct plot_pane *p = v->priv;
	const struct sweep *w = v->scene->real;
	uint32_t one = plot_pane_example(p, row);

	if (p->kind == SHIFTS) {
		text_add(t, "load-map shift %u", p->shifts->load[row].shift);
	} else if (one != NO_ID && p->kind == LOADS) {
		text_add(t, "pane flows ");
		word_port(w->fabric, one, t);
	} else if (one != NO_ID && w->lids->base[one]) {
		text_add(t, "pane path %u %u", w->lids->base[one], plot_pane_lid(p, row));
	}
}

const struct view_ops view_plot = {
	.name = "plot",
	.brief = "shows bars: links by their routes, paths by their length, or shifts by the most flows on a "
		 "link",
	.syntax = "[loads|hops|shifts]",
	.hints = "follow=follow :pane_plot_hops=hops :pane_plot_shifts=shifts back=back",
	COLUMNS(plot_columns),
	.flags = VIEW_WIDE | VIEW_PRESENT,
	.priv_size = sizeof(struct plot_pane),
	.priv_kept = offsetof(struct plot_pane, buckets),
	.open = plot_pane_open_view,
	.load = plot_pane_load,
	.row = plot_row,
	.title = plot_pane_title,
	.footer = plot_pane_footer,
	.follow = plot_pane_follow,
	.column_name = plot_pane_column_name,
	.meter = plot_pane_meter,
};
