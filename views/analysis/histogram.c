/*
 * Two panes that show why switches are roots or not. histogram: all switches, with the number of CA and
 * router ports at every distance. bars: one switch as a drawing.
 */
#include <assert.h>
#include <stdlib.h>
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/trace/walk.h"
#include "engines/updown/updown.h"
#include "views/base/view.h"

#define SHOWN 8 /* distances with a column; the last one includes all greater ones */
#define FULL 20 /* cells of a bar of 100 %: the lower threshold is 1 cell, the upper 18 */

/* --- computed by another thread ----------------------------------------------------------- */

static void *run_search(const struct job *j)
{
	struct engine_input in = {.topo = j->sweep->topo,
				  .lids = j->sweep->lids,
				  .options = j->sweep->setup->options,
				  .progress = j->progress};
	struct engine_output out = {0};
	const char *what;
	struct hops *plain =
		mem_room(NULL, hops_build_room(&in, &what), "%s", "") ? NULL : hops_build(&in, &out);
	struct root_search *s = plain ? root_search_new(j->sweep->topo, plain) : NULL;

	notes_free(&out.notes);
	hops_unref(plain);
	return s;
}

FREED_BY(free_search, root_search_free)

static const struct task task_search = {.run = run_search, .free = free_search, .any_sweep = true};

/* --- both panes ----------------------------------------------------------------------------- */

/* The counts in force, or counts made for the pane if the engine did not look for roots. */
struct histogram_pane_counts {
	const struct root_search *search; /* of the routing, or of a result; NULL = missing */
	bool own;			  /* from a result */
	uint8_t *judged;		  /* [n_switches] judged up to this step of the run; NULL: all are */
	bool uncounted;			  /* at this step, the matrix for the counts is not complete */
};

static void counts_free(struct histogram_pane_counts *c)
{
	free(c->judged);
	*c = (struct histogram_pane_counts){0};
}

/* Finds the switches with a verdict up to the step. */
static void take_judged(const struct scene *sc, struct histogram_pane_counts *c)
{
	const struct recording *r = sc->moment->rec;

	c->judged = NEW_ARRAY(sc->fabric->n_switches + 1, uint8_t);
	for (size_t i = 1; i <= sc->moment->step; i++)
		if (recording_event(r, i)->kind == REC_VERDICT)
			c->judged[recording_event(r, i)->a] = 1;
	c->uncounted = scene_unfinished(sc, T_PLAIN);
}

/* Has a switch its verdict at the step? */
static bool is_judged(const struct histogram_pane_counts *c, uint32_t sw)
{
	return !c->judged || c->judged[sw];
}

static bool histogram_pane_passes(const struct histogram_pane_counts *c, uint32_t sw)
{
	return is_judged(c, sw) && root_verdict(c->search, sw) == ROOT_YES;
}

static void counts_take(struct view *v, struct histogram_pane_counts *c)
{
	const struct updown *u = updown_of(scene_routing(v->scene));

	counts_free(c);
	c->own = !u || !u->search;
	if (!c->own && v->scene->moment)
		take_judged(v->scene, c);
	c->search = c->own ? view_ask_value(v, &task_search, NULL) : u->search;
}

struct histogram_pane_place {
	uint32_t no_root, order, sw;
};

COMPARATOR(by_place, struct histogram_pane_place, UP(no_root) UP(order))

/* Lists switches that are up: roots first, then by the source's order. Returns their number. */
static uint32_t list_switches(const struct histogram_pane_counts *c, uint32_t *sw)
{
	const struct root_search *s = c->search;
	const struct fabric *f = s->topo->fabric;
	AUTO_FREE struct histogram_pane_place *pl = NEW_ARRAY(f->n_switches + 1, struct histogram_pane_place);
	uint32_t n = 0;

	for (uint32_t i = 0; i < f->n_switches; i++)
		if (switch_up(s->topo, i))
			pl[n++] = (struct histogram_pane_place){!histogram_pane_passes(c, i),
								f->node_order[f->switch_node[i]], i};
	qsort(pl, n, sizeof(*pl), by_place);
	for (uint32_t i = 0; i < n; i++)
		sw[i] = pl[i].sw;
	return n;
}

static void verdict_text(const struct root_search *s, uint32_t sw, struct text *t)
{
	const uint32_t *bar = root_bars(s, sw);
	enum root_verdict v = root_verdict(s, sw);
	unsigned most, next;

	root_peaks(s, sw, &most, &next);
	if (v == ROOT_YES)
		text_add(t, "root: %u of %u at %u, next most %u", bar[most], s->total, most,
			 next < ROOT_BARS ? bar[next] : 0);
	else if (v == ROOT_SPREAD && most < ROOT_BARS)
		text_add(t, "no root: most is %u at %u, %u needed", bar[most], most, root_main_limit(s));
	else if (v == ROOT_SECOND)
		text_add(t, "no root: also %u at %u, %u allowed", bar[next], next, root_second_limit(s) - 1);
	else
		text_add(t, "%s", root_verdict_text(v));
}

/* --- histogram ------------------------------------------------------------------------- */

enum { H_NAME, H_ROOT, H_D0, H_WHY = H_D0 + SHOWN };

#define AT_HELP "CA and router ports at this distance"

static const struct column histogram_columns[] = {
	COL("name", "name of the switch", 8, .flex = 1, .fold = FOLD_CHIP),
	COL("root", "does updn take it for a root?", 0),
	NUM("0", AT_HELP, 0),
	NUM("1", AT_HELP, 0),
	NUM("2", AT_HELP, 0),
	NUM("3", AT_HELP, 0),
	NUM("4", AT_HELP, 0),
	NUM("5", AT_HELP, 0),
	NUM("6", AT_HELP, 0),
	NUM("7+", "CA and router ports at this distance, and at all beyond it", 0),
	COL("why", "the threshold that it misses", 40, .flex = 1, .drop = 1),
};
static_assert(ARRAY_LEN(histogram_columns) == H_WHY + 1, "a column for each C_");

struct histogram_pane_list {
	struct histogram_pane_counts counts;
	uint32_t *sw; /* [n_rows] */
	uint32_t roots, judged;
	uint64_t want; /* GUID of the switch to select at the next load, 0 = none */
};

static int histogram_open(struct view *v, const struct args *a, struct err *e)
{
	(void)a;
	(void)e;
	((struct histogram_pane_list *)v->priv)->want = v->args.arg[0].guid;
	return 0;
}

static void histogram_close(struct view *v)
{
	struct histogram_pane_list *p = v->priv;

	free(p->sw);
	p->sw = NULL;
	counts_free(&p->counts);
}

static uint32_t ports_at(const struct root_search *s, uint32_t sw, unsigned shown)
{
	assert(shown < SHOWN);

	const uint32_t *bar = root_bars(s, sw);
	uint32_t n = bar[shown];

	for (unsigned k = SHOWN; shown == SHOWN - 1 && k < ROOT_BARS; k++)
		n += bar[k];
	return n;
}

static void histogram_load(struct view *v)
{
	struct histogram_pane_list *p = v->priv;
	const struct root_search *s;
	uint32_t most[SHOWN] = {0};

	histogram_close(v);
	p->roots = p->judged = 0;
	counts_take(v, &p->counts);
	s = p->counts.search;
	if (!s)
		return;
	p->sw = NEW_ARRAY(s->topo->fabric->n_switches + 1, uint32_t);
	v->n_rows = list_switches(&p->counts, p->sw);
	for (uint32_t i = 0; i < v->n_rows; i++) {
		p->roots += histogram_pane_passes(&p->counts, p->sw[i]);
		p->judged += is_judged(&p->counts, p->sw[i]);
		for (unsigned k = 0; k < SHOWN; k++)
			if (ports_at(s, p->sw[i], k) > most[k])
				most[k] = ports_at(s, p->sw[i], k);
		if (p->want && s->topo->fabric->node_guid[s->topo->fabric->switch_node[p->sw[i]]] == p->want)
			v->select = i;
	}
	p->want = 0;
	for (unsigned k = 0; k < SHOWN; k++)
		v->width[H_D0 + k] = most[k] ? (uint8_t)digits(most[k], 2) : 0;
}

static void histogram_title(const struct view *v, struct text *t)
{
	const struct histogram_pane_list *p = v->priv;
	const struct root_search *s = p->counts.search;
	const struct updown *u = updown_of(scene_routing(v->scene));
	uint32_t n = view_count(v);

	text_add(t, "Histogram");
	if (s)
		text_add(t, " %u/%u ── %u pass%s", n ? v->sel + 1 : 0, n, p->roots,
			 p->counts.own && u && u->id ? ", file used" : "");
	if (s && p->judged < v->n_rows)
		text_add(t, ", %u not judged yet", v->n_rows - p->judged);
}

static void histogram_footer(const struct view *v, struct text *t)
{
	const struct root_search *s = ((const struct histogram_pane_list *)v->priv)->counts.search;

	if (s)
		text_add(t, "%s: one %u+, others up to %u", PLURAL(s->total, "port"), root_main_limit(s),
			 root_second_limit(s) - 1);
}

static void histogram_row(const struct view *v, uint32_t row, struct table_row *r)
{
	const struct histogram_pane_list *p = v->priv;
	const struct root_search *s = p->counts.search;
	uint32_t sw = p->sw[row];
	bool judged = is_judged(&p->counts, sw), passes = histogram_pane_passes(&p->counts, sw);
	const char *verdict = passes ? "yes" : "no";
	size_t unknown = row_text(r, p->counts.uncounted ? "." : "-");

	r->value[H_NAME] = (int64_t)row_text(r, "%s", switch_name(s->topo->fabric, sw));
	r->value[H_ROOT] = (int64_t)row_text(r, "%s", judged ? verdict : ".");
	for (unsigned k = 0; k < SHOWN; k++) {
		r->value[H_D0 + k] = ports_at(s, sw, k);
		if (p->counts.uncounted || !r->value[H_D0 + k])
			r->says[H_D0 + k] = unknown;
	}
	if (judged) {
		r->value[H_WHY] = (int64_t)row_text(r, "%s", "");
		verdict_text(s, sw, &r->text);
	}
	r->marks = mark_if(passes, MARK_HERE);
	row_touch(v, r, H_ROOT, T_ROOT, sw);
	row_touch(v, r, H_WHY, T_ROOT, sw);
	subject_switch(v, sw, &r->about);
}

const struct view_ops view_histogram = {
	.name = "histogram",
	.brief = "counts host ports by distance from each switch, and tells whether updn takes it for a root",
	.syntax = "[SWITCH]",
	.hints = "follow=bars :pane_ranks=ranks",
	COLUMNS(histogram_columns),
	.flags = VIEW_CHIPS,
	.priv_size = sizeof(struct histogram_pane_list),
	.priv_kept = sizeof(struct histogram_pane_list),
	.open = histogram_open,
	.load = histogram_load,
	.close = histogram_close,
	.row = histogram_row,
	.title = histogram_title,
	.footer = histogram_footer,
	.enter = "pane bars %node",
};

/* --- bars -------------------------------------------------------------------------------- */

static const struct column bars_columns[] = {
	NUM("at", "distance in hops", 2),
	NUM("ports", "CA and router ports at that distance", 0),
	COL("5%               90%",
	    "share of the host ports as a bar; two marks show the thresholds of 5% and 90%", FULL + 2),
	NUM("share", "their share of all", 6, .drop = 1),
	COL("passes", "the thresholds that this distance exceeds", 10, .drop = 2),
};

struct one {
	struct histogram_pane_counts counts;
	uint64_t guid; /* 0 = the first in the list */
	uint32_t sw;   /* NO_ID when it is not in the fabric or not up */
};

static void bars_load(struct view *v)
{
	struct one *p = v->priv;
	const struct root_search *s;
	const struct fabric *f;
	uint32_t node;

	p->sw = NO_ID;
	counts_take(v, &p->counts);
	s = p->counts.search;
	if (!s)
		return;
	f = s->topo->fabric;
	p->guid = p->guid ? p->guid : v->args.arg[0].guid;
	if (!p->guid) {
		AUTO_FREE uint32_t *sw = NEW_ARRAY(f->n_switches + 1, uint32_t);

		if (list_switches(&p->counts, sw))
			p->guid = f->node_guid[f->switch_node[sw[0]]];
	}
	node = fabric_node_by_guid(f, p->guid);
	if (node == NO_ID || f->node_switch[node] == NO_ID || !switch_up(s->topo, f->node_switch[node]))
		return;
	p->sw = f->node_switch[node];
	for (unsigned k = 0; k < ROOT_BARS && !p->counts.uncounted; k++)
		if (root_bars(s, p->sw)[k])
			v->n_rows = k + 1;
}

static void bars_close(struct view *v)
{
	counts_free(&((struct one *)v->priv)->counts);
}

static void bars_title(const struct view *v, struct text *t)
{
	const struct one *p = v->priv;

	if (p->sw == NO_ID)
		text_add(t, p->counts.search ? "Bars of a switch that is down" : "Bars");
	else
		text_add(t, "Ports by distance from %s", switch_name(p->counts.search->topo->fabric, p->sw));
}

static void bars_footer(const struct view *v, struct text *t)
{
	const struct one *p = v->priv;

	if (p->sw != NO_ID && !is_judged(&p->counts, p->sw))
		text_add(t, p->counts.uncounted ? "not counted yet at this step" : "not judged yet");
	else if (p->sw != NO_ID)
		verdict_text(p->counts.search, p->sw, t);
}

/* FULL cells with both thresholds between them. A share too small for a cell is a dot. */
static void draw_bar(uint32_t n, uint32_t total, struct text *t)
{
	assert(n <= total && total);

	unsigned cells = (unsigned)((uint64_t)n * FULL / total);

	for (unsigned i = 0; i < FULL; i++) {
		if (i == 1 || i == 18)
			text_add(t, "│");
		if (i < cells)
			text_add(t, "█");
		else
			text_add(t, n && !i ? "·" : " ");
	}
}

static void bars_row(const struct view *v, uint32_t row, struct table_row *r)
{
	const struct one *p = v->priv;
	const struct root_search *s = p->counts.search;
	uint32_t n = root_bars(s, p->sw)[row];
	const char *second = n >= root_second_limit(s) ? "5 %" : "";
	size_t bar = row_text(r, "%s", "");

	draw_bar(n, s->total, &r->text);
	ROW_VALUES(v, r, row, n, (int64_t)bar, n,
		   row_text(r, "%s", n >= root_main_limit(s) ? "90 %, 5 %" : second));
	r->says[3] = row_text(r, "%.1f%%", 100.0 * n / s->total);
	row_touch(v, r, 1, T_ROOT, p->sw);
	subject_node(v, v->scene->fabric->switch_node[p->sw], &r->about);
}

const struct view_ops view_bars = {
	.name = "bars",
	.brief = "shows host ports by distance from one switch as bars, with both thresholds for roots",
	.syntax = "[SWITCH]",
	.hints = ":pane_ranks=ranks back=back",
	COLUMNS(bars_columns),
	.flags = VIEW_DETAIL | VIEW_TRACKS,
	.priv_size = sizeof(struct one),
	.priv_kept = sizeof(struct one),
	.load = bars_load,
	.close = bars_close,
	.row = bars_row,
	.title = bars_title,
	.footer = bars_footer,
};
