/*
 * The pane `layers`: layers (virtual lanes in use), with pairs before and after balancing, dependencies, and
 * credit loops.
 */
#include <inttypes.h>
#include <string.h>
#include "core/base/defs.h"
#include "core/trace/step_cycle.h"
#include "views/base/view.h"

enum { C_LAYER, C_VL, C_PAIRS, C_BEFORE, C_MOVED, C_LOOPS, C_ROUTES, C_CHANNELS, C_DEPS, C_CYCLIC };

static const struct column columns[] = {
	NUM("layer", "number of the layer, from 0", 0),
	NUM("VL", "the virtual lane that the layer uses", 2, .drop = 9),
	NUM("pairs", "pairs of switches, or routes, that the engine put in the layer", 0),
	NUM("before", "pairs or routes in the layer before any moved", 0),
	NUM("moved", "pairs or routes that moved in or out", 0, .drop = 2),
	NUM("loops", "groups of channels that wait for each other", 5),
	NUM("routes", "routes of hosts on the VL; of several VLs, on the busiest one", 0, .drop = 3),
	NUM("channels", "channels that its routes use: cables, each in one direction", 0, .drop = 5),
	NUM("deps", "pairs of channels that a route uses one after the other", 5, .drop = 4),
	NUM("cyclic", "channels with credit loops", 0, .drop = 10),
};

struct layers_pane {
	bool pairs; /* the engine has put pairs in layers, which are in force or being made at a step */
	bool kept;  /* these layers are the VLs of the tables, so figures of VLs belong to layers */
	struct layer_info info[CDG_VLS];     /* [n_rows] with pairs */
	const struct graph *graph;	     /* NULL: missing */
	uint8_t vl[CDG_VLS], lanes[CDG_VLS]; /* [n_rows] first lane, number of lanes */
};

/* Loads the layers in which the engine put pairs, if they are in force. */
static void load_pairs(struct view *v, const struct routing *r)
{
	const struct routing_ops *ops = scene_ops(v->scene);
	struct layers_pane *p = v->priv;
	unsigned n = ops->layer ? r->ops->n_layers(r) : 0, first, end;

	n = MIN(n, CDG_VLS);
	for (unsigned l = 0; l < n; l++)
		ops->layer(r, l, &p->info[l]);
	first = n ? p->info[0].vl : 0;
	end = n ? p->info[n - 1].vl + p->info[n - 1].lanes : 0;
	/* hosts with their own maps may put routes on other VLs */
	p->kept = n && routing_keeps_layers(r, first, end - first) &&
		  !(p->graph && (p->graph->cdg->used >> end || p->graph->cdg->used & ((1u << first) - 1)));
	p->pairs = n && (p->kept || v->scene->sweep != v->scene->real);
	for (unsigned l = 0; p->pairs && l < n; l++) {
		p->lanes[l] = (uint8_t)p->info[l].lanes;
		p->vl[v->n_rows++] = (uint8_t)p->info[l].vl;
	}
}

/* Makes room for large numbers. Hides columns of moves if LIDs stay in their layers. */
static void set_widths(struct view *v)
{
	const struct layers_pane *p = v->priv;
	uint64_t most = 0;

	for (uint32_t l = 0; l < v->n_rows; l++)
		most = MAX(p->info[l].pairs_first, most);
	v->width[C_PAIRS] = (uint8_t)digits(most, 5);
	v->width[C_BEFORE] = (uint8_t)digits(most, 6);
	if (p->info[0].unit == LAYER_LIDS)
		v->width[C_BEFORE] = v->width[C_MOVED] = 0;
}

static void layers_pane_load(struct view *v)
{
	const struct scene *sc = v->scene;
	const struct routing *r = scene_routing(sc);
	struct layers_pane *p = v->priv;

	if (!r)
		return;
	p->graph = view_ask_value(v, &task_graph, (const uint32_t[TASK_ARGS]){v->args.flag});
	load_pairs(v, r);
	p->kept |= !p->pairs;
	for (unsigned l = 0; !p->pairs && p->graph && l < CDG_VLS; l++)
		if (p->graph->cdg->used >> l & 1) {
			p->lanes[v->n_rows] = 1;
			p->vl[v->n_rows++] = (uint8_t)l;
		}
	if (p->pairs)
		set_widths(v);
	if (p->pairs && !p->kept)
		v->width[C_LOOPS] = v->width[C_ROUTES] = v->width[C_CHANNELS] = v->width[C_DEPS] =
			v->width[C_CYCLIC] = 0;
	else if (!p->pairs)
		v->width[C_LAYER] = v->width[C_PAIRS] = v->width[C_BEFORE] = v->width[C_MOVED] = 0;
}

/* Tells how many layers are done. */
static void progress_title(const struct view *v, struct text *t)
{
	const struct layers_pane *p = v->priv;

	const struct moment *m = v->scene->moment;

	if (scene_unfinished(v->scene, m && recording_cells(m->rec, T_FIRST) ? T_FIRST : T_LAYER))
		text_add(t, " so far");
	else if (scene_unfinished(v->scene, T_LAYER))
		text_add(t, p->info[0].balanced ? ", being balanced" : "");
	else if (p->info[0].balanced)
		text_add(t, ", balanced");
}

static void layers_pane_title(const struct view *v, struct text *t)
{
	const struct layers_pane *p = v->priv;
	const struct routing *r = scene_routing(v->scene);

	if (!r)
		text_add(t, "Layers");
	else
		text_add(t, "%s%s: %u layer%s", r->engine, v->args.flag ? " with switches" : "", v->n_rows,
			 v->n_rows == 1 ? "" : "s");
	if (p->pairs && v->n_rows)
		progress_title(v, t);
	if (r && v->scene->sweep == v->scene->real && routing_layers_idle(r))
		text_add(t, " in force, of %u computed (qos is off)", r->ops->n_layers(r));
}

/* Is there a layer of pairs that no routes between hosts use? */
static bool hidden_pairs(const struct view *v)
{
	const struct layers_pane *p = v->priv;

	if (p->pairs && p->info[0].unit != LAYER_SWITCH_PAIRS)
		return false;
	for (uint32_t i = 0; p->pairs && !v->args.flag && i < v->n_rows; i++)
		if (p->info[i].pairs && !p->graph->cdg->vl_routes[p->vl[i]])
			return true;
	return false;
}

static const char *layers_pane_column_name(const struct view *v, unsigned col)
{
	const struct layers_pane *p = v->priv;

	return p->pairs && col == C_PAIRS && p->info[0].unit == LAYER_LIDS ? "LIDs" : columns[col].name;
}

/* Tells the sentence of the step, if it is about a layer. */
static bool step_footer(const struct view *v, struct text *t)
{
	if (step_layer(v->scene->moment) < 0)
		return false;
	text_add(t, "%s", v->scene->moment->sentence);
	return true;
}

static bool layers_pane_touched(const struct view *v, uint32_t row, unsigned col)
{
	const struct moment *m = v->scene->moment;
	const struct rec_event *ev = moment_event(m);

	if (step_layer(m) < 0 || !((const struct layers_pane *)v->priv)->pairs)
		return false;
	if (step_refused(m))
		return col == C_LAYER && row == ev->b;
	return col == C_PAIRS &&
	       (row == ev->b || ((ev->kind == REC_TURN || ev->kind == REC_MOVE) && row == ev->port));
}

static void layers_pane_footer(const struct view *v, struct text *t)
{
	const struct layers_pane *p = v->priv;
	uint32_t vls = 0, on = 0;

	if (step_footer(v, t) || !p->graph || (p->pairs && !p->kept))
		return;
	for (unsigned l = 0; l < CDG_VLS; l++) {
		vls += p->graph->vl[l].on_cycles != 0;
		on += p->graph->vl[l].on_cycles;
	}
	if (on)
		text_add(t, "credit loops: %s on %s", PLURAL(on, "channel"), PLURAL(vls, "VL"));
	else if (p->graph->cdg->used)
		text_add(t, "no credit loops");
	if (p->graph->cdg->dropped)
		text_add(t, "; %" PRIu64 " route%s dropped", p->graph->cdg->dropped,
			 p->graph->cdg->dropped == 1 ? "" : "s");
	if (p->pairs && p->info[0].unit == LAYER_LID_PAIRS)
		text_add(t, "; pairs are of LIDs");
	if (hidden_pairs(v))
		text_add(t, "; pairs of switches without hosts: pane layers switches");
}

/* The sum over all lanes of a row. */
static int64_t sum_lanes(const struct layers_pane *p, uint32_t row, unsigned col)
{
	int64_t sum = 0;

	for (unsigned vl = p->vl[row]; vl < p->vl[row] + (unsigned)p->lanes[row] && vl < CDG_VLS; vl++) {
		const struct graph_vl *g = &p->graph->vl[vl];

		sum += col == C_LOOPS	   ? g->components
		       : col == C_CHANNELS ? g->channels
		       : col == C_DEPS	   ? g->deps
					   : g->on_cycles;
	}
	return sum;
}

/* A route counts on each lane that it may get; maps of the hosts' own can give the lanes other routes. */
static int64_t most_routes(const struct layers_pane *p, uint32_t row)
{
	uint64_t most = 0;

	for (unsigned vl = p->vl[row]; vl < p->vl[row] + (unsigned)p->lanes[row] && vl < CDG_VLS; vl++)
		most = MAX(p->graph->cdg->vl_routes[vl], most);
	return (int64_t)most;
}

static int64_t layers_pane_number(const struct view *v, uint32_t row, unsigned col)
{
	const struct layers_pane *p = v->priv;
	int64_t before = p->pairs ? (int64_t)p->info[row].pairs_first : 0;
	int64_t after = p->pairs ? (int64_t)p->info[row].pairs : 0;

	switch (col) {
	case C_LAYER:
		return row;
	case C_VL:
		return p->vl[row];
	case C_PAIRS:
		return after;
	case C_BEFORE:
		return before;
	case C_MOVED:
		return after - before;
	case C_ROUTES:
		return p->graph ? most_routes(p, row) : -1;
	}
	return p->graph ? sum_lanes(p, row, col) : -1;
}

static void layers_pane_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const struct layers_pane *p = v->priv;
	int64_t n = layers_pane_number(v, row, col);

	if (col == C_VL && p->lanes[row] > 1)
		text_add(t, "%u-%u", p->vl[row], p->vl[row] + p->lanes[row] - 1);
	else if (col == C_MOVED)
		text_add(t, n ? "%+" PRId64 : "%" PRId64, n);
	else if (n < 0)
		text_add(t, "…");
	else if (col == C_LOOPS && !n)
		text_add(t, "none");
	else
		text_add(t, "%" PRId64, n);
}

static unsigned layers_pane_marks(const struct view *v, uint32_t row)
{
	const struct moment *now = v->scene->moment;
	unsigned m = step_refused(now) && (int)row == step_layer(now) ? MARK_DOWN : 0;

	return m | (((const struct layers_pane *)v->priv)->kept && layers_pane_number(v, row, C_LOOPS) > 0
			    ? MARK_DETOUR
			    : 0);
}

static bool layers_pane_about(const struct view *v, uint32_t row, struct subject *s)
{
	const struct layers_pane *p = v->priv;

	s->key = p->vl[row];
	return false;
}

/* Enter shows the pairs if there are any, else the dependencies. */
static void layers_pane_follow(const struct view *v, uint32_t row, struct text *t)
{
	const struct layers_pane *p = v->priv;

	if (p->pairs)
		text_add(t, "pane layer-pairs %u", row);
	else
		text_add(t, "pane cdg %u%s", p->vl[row], v->args.flag ? " switches" : "");
}

static bool layers_pane_placeholder(const struct view *v, uint32_t row, const char *what, struct text *t)
{
	const struct layers_pane *p = v->priv;

	if (strcmp(what, "layer") && strcmp(what, "vl"))
		return false;
	text_add(t, v->args.flag ? "%u switches" : "%u", p->vl[row]);
	return true;
}

const struct view_ops view_layers = {
	.name = "layers",
	.brief = "shows the layers (VLs): pairs in each before and after some moved, dependencies, credit "
		 "loops",
	.syntax = "[switches]",
	.hints = "follow=pairs :pane_cdg=cdg :pane_cycle=loops back=back",
	COLUMNS(columns),
	.priv_size = sizeof(struct layers_pane),
	.load = layers_pane_load,
	.title = layers_pane_title,
	.footer = layers_pane_footer,
	.cell = layers_pane_cell,
	.number = layers_pane_number,
	.marks = layers_pane_marks,
	.touched = layers_pane_touched,
	.about = layers_pane_about,
	.follow = layers_pane_follow,
	.placeholder = layers_pane_placeholder,
	.column_name = layers_pane_column_name,
};
