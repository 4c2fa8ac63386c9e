/* The panes `layers` and `layer-pairs`. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/session/command.h"
#include "core/sm/ucast_cache.h"
#include "core/trace/walk.h"
#include "views/base/view.h"

/* The pane `layer-pairs`: what an engine has put in a layer: pairs of switches, or routes to LIDs. */

enum { C_FROM, C_LID, C_TO, C_HOPS, C_FIRST };

static const struct column columns[] = {
	COL("switch", "the switch where the routes begin", 8, .flex = 1, .fold = FOLD_CHIP),
	NUM("LID", "the LID that they lead to", 3),
	COL("and switch", "the other switch of the pair", 8, .flex = 1),
	NUM("hops", "cables between switches on the route", 0, .fold = FOLD_RANGE),
	NUM("first", "the layer that took it first; balancing may have moved it since", 0,
	    .fold = FOLD_RANGE),
};
static_assert(ARRAY_LEN(columns) == C_FIRST + 1, "a column for each C_");

struct layer_pairs_pane_list {
	struct layer_route *route;
	uint32_t n, cap;
};

struct layer_pairs_pane {
	unsigned layer;
	const struct routing *r; /* NULL: the engine has no layers */
	struct layer_info info;
	const struct layer_pairs_pane_list *list; /* NULL: missing */
	uint32_t last;				  /* row of the pair that the step is about, or NO_ID */
};

/* The routing with layers, or NULL. */
static const struct routing *layered(const struct scene *sc)
{
	const struct routing *r = scene_origin(sc);

	return r && r->ops->next_route ? r : NULL;
}

static int layer_pairs_pane_open_view(struct view *v, const struct args *a, struct err *e)
{
	const struct routing *r = layered(v->scene);
	unsigned layer = (unsigned)v->args.arg[0].n;

	if (!r)
		return err_set(e, "pane layer-pairs: lash, dfsssp and nue put routes in layers; try `route "
				  "lash`");
	if (layer >= r->ops->n_layers(r) && !v->scene->moment)
		return err_set(e, "pane layer-pairs: found \"%s\", expected a layer 0 .. %u",
			       v->args.n ? a->arg[0].word : "", r->ops->n_layers(r) - 1);
	((struct layer_pairs_pane *)v->priv)->layer = layer;
	return 0;
}

/* --- computed by another thread -------------------------------------------------------------- */

static void free_list(void *value)
{
	struct layer_pairs_pane_list *l = value;

	free(l->route);
	free(l);
}

static void *run_list(const struct job *j)
{
	const struct routing *r = routing_origin(j->sweep->routing);
	struct layer_pairs_pane_list *l = NEW(struct layer_pairs_pane_list);
	struct layer_route lr;
	uint64_t cursor = 0;
	bool go_on = true;

	progress_start(j->progress, "routes of a layer", 0);
	while (r->ops->next_route(r, j->arg[0], &cursor, &lr) &&
	       (go_on = progress_step(j->progress, cursor))) {
		GROW(l->route, l->n, l->cap);
		l->route[l->n++] = lr;
	}
	if (go_on)
		return l;
	free_list(l);
	return NULL;
}

static const struct task task_list = {.run = run_list, .free = free_list};

/* --- the pane ---------------------------------------------------------------------------------- */

/* Finds the pair of the event that is shown. */
static void find_last(struct view *v)
{
	struct layer_pairs_pane *p = v->priv;
	const struct rec_event *ev = moment_event(v->scene->moment);
	uint32_t n = p->r->topo->fabric->n_switches;

	p->last = NO_ID;
	for (uint32_t i = 0; ev && rec_kinds[ev->kind].a == FIELD_PAIR && i < v->n_rows; i++) {
		const struct layer_route *lr = &p->list->route[i];

		if (lr->sw2 != NO_ID && (lr->sw * n + lr->sw2 == ev->a || lr->sw2 * n + lr->sw == ev->a))
			p->last = i;
	}
}

static bool layer_pairs_pane_touched(const struct view *v, uint32_t row, unsigned col)
{
	return (col == C_FROM || col == C_TO) && row == ((const struct layer_pairs_pane *)v->priv)->last;
}

static void layer_pairs_pane_load(struct view *v)
{
	struct layer_pairs_pane *p = v->priv;

	p->r = layered(v->scene);
	if (!p->r || p->layer >= p->r->ops->n_layers(p->r)) {
		p->r = NULL;
		return;
	}
	p->r->ops->layer(p->r, p->layer, &p->info);
	p->list = view_ask_value(v, &task_list, (const uint32_t[TASK_ARGS]){p->layer});
	v->n_rows = p->list ? p->list->n : 0;
	find_last(v);
	if (p->info.unit == LAYER_SWITCH_PAIRS)
		v->width[C_LID] = 0;
	else
		v->width[C_FIRST] = 0;
	if (p->info.unit == LAYER_LIDS)
		v->width[C_FROM] = v->width[C_HOPS] = 0;
}

static const char *layer_pairs_pane_column_name(const struct view *v, unsigned col)
{
	const struct layer_pairs_pane *p = v->priv;

	if (!p->r || p->info.unit == LAYER_SWITCH_PAIRS || (col != C_FROM && col != C_TO))
		return columns[col].name;
	return col == C_FROM ? "CAs of" : "to";
}

static void layer_pairs_pane_title(const struct view *v, struct text *t)
{
	static const char *const one[] = {"pair", "route", "LID"};
	static const char *const more[] = {"both ways", "from CAs of a switch to a LID", "from wherever"};
	const struct layer_pairs_pane *p = v->priv;

	text_add(t, "Layer %u", p->layer);
	if (v->scene->moment && !p->r)
		text_add(t, " ── not opened yet at this step");
	if (p->list)
		text_add(t, " ── %s, %s", PLURAL(v->n_rows, one[p->info.unit]), more[p->info.unit]);
}

static const struct layer_route *route_of(const struct view *v, uint32_t row)
{
	return &((const struct layer_pairs_pane *)v->priv)->list->route[row];
}

static unsigned layer_pairs_pane_switch_lid(const struct routing *r, uint32_t sw)
{
	const struct fabric *f = r->topo->fabric;

	assert(sw < f->n_switches);
	return r->lids->base[f->port_endport[f->switch_port[sw]]];
}

static unsigned layer_pairs_pane_lid_of(const struct view *v, const struct layer_route *lr)
{
	return lr->sw2 == NO_ID
		       ? lr->lid
		       : layer_pairs_pane_switch_lid(((const struct layer_pairs_pane *)v->priv)->r, lr->sw2);
}

/* Cables between switches on the route by the tables, or -1 when it does not arrive. */
static int64_t hops(const struct view *v, const struct layer_route *lr)
{
	const struct routing *r = ((const struct layer_pairs_pane *)v->priv)->r;
	const struct fabric *f = r->topo->fabric;
	uint32_t sw = lr->sw;

	for (uint32_t n = 0; n <= f->n_switches; n++) {
		unsigned port = routing_port(r, sw, layer_pairs_pane_lid_of(v, lr));
		uint32_t peer = port == NO_PATH ? NO_ID : r->topo->peer[switch_port_id(f, sw, port)];

		if (!port)
			return n;
		if (peer == NO_ID)
			return -1;
		if (!node_is_switch(f, f->port_node[peer]))
			return n;
		sw = f->node_switch[f->port_node[peer]];
	}
	return -1;
}

static int64_t layer_pairs_pane_number(const struct view *v, uint32_t row, unsigned col)
{
	const struct layer_pairs_pane *p = v->priv;
	const struct layer_route *lr = route_of(v, row);
	struct pair_layer pl = {0};

	if (col == C_LID)
		return layer_pairs_pane_lid_of(v, lr);
	if (col == C_HOPS)
		return lr->sw == NO_ID ? -1 : hops(v, lr);
	if (lr->sw2 == NO_ID || !p->r->ops->pair_layer(p->r, layer_pairs_pane_switch_lid(p->r, lr->sw),
						       layer_pairs_pane_lid_of(v, lr), &pl))
		return -1;
	return pl.first;
}

static void layer_pairs_pane_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const struct layer_pairs_pane *p = v->priv;
	const struct layer_route *lr = route_of(v, row);

	if (col == C_FROM)
		text_add(t, "%s", lr->sw == NO_ID ? "all" : switch_name(v->scene->fabric, lr->sw));
	else if (col == C_TO && lr->sw2 != NO_ID)
		text_add(t, "%s", switch_name(v->scene->fabric, lr->sw2));
	else if (col == C_TO)
		lid_label(v->scene->fabric, p->r->lids, lr->lid, t);
	else
		number_cell(layer_pairs_pane_number(v, row, col), t);
}

static void tell_first(const struct layer_pairs_pane *p, unsigned first, struct text *t)
{
	if (first != p->layer)
		text_add(t, "layer %u took it; balancing moved it here", first);
	else if (first == 1)
		text_add(t, "layer 0 refused it, for a cycle");
	else if (first)
		text_add(t, "layers 0 .. %u refused it, for cycles", first - 1);
	else
		text_add(t, "the lowest layer took it");
}

/* For pairs of switches, tells what took them. Otherwise shows the first line of the engine's explanation. */
static void layer_pairs_pane_footer(const struct view *v, struct text *t)
{
	const struct layer_pairs_pane *p = v->priv;
	AUTO_TEXT struct text why = {0};
	uint32_t row, ca;

	if (!p->list || !view_selected(v, &row))
		return;
	if (p->info.unit == LAYER_SWITCH_PAIRS) {
		tell_first(p, (unsigned)layer_pairs_pane_number(v, row, C_FIRST), t);
		return;
	}
	ca = p->info.unit == LAYER_LID_PAIRS ? ca_on_switch(p->r->topo, route_of(v, row)->sw) : NO_ID;
	if (ca == NO_ID)
		return;
	p->r->ops->explain_pair(p->r, p->r->lids->base[v->scene->fabric->port_endport[ca]],
				route_of(v, row)->lid, &why, NULL);
	text_add(t, "%.*s", (int)strcspn(text_str(&why), "\n"), text_str(&why));
}

static void layer_pairs_pane_follow(const struct view *v, uint32_t row, struct text *t)
{
	const struct layer_route *lr = route_of(v, row);

	if (lr->sw == NO_ID) {
		text_add(t, "pane lids %u", lr->lid);
		return;
	}
	text_add(t, "pane path ");
	word_on_switch(v->scene->topo, lr->sw, t);
	text_putc(t, ' ');
	if (lr->sw2 == NO_ID)
		text_add(t, "%u", lr->lid);
	else
		word_on_switch(v->scene->topo, lr->sw2, t);
}

/* The switch where the route starts; for a LID with any source, where it ends. */
static uint32_t from_switch(const struct layer_pairs_pane *p, const struct layer_route *lr)
{
	const struct routing *r = p->r;

	return lr->sw != NO_ID ? lr->sw : r->topo->endport_switch[lid_owner(r->lids, lr->lid)];
}

static bool layer_pairs_pane_about(const struct view *v, uint32_t row, struct subject *s)
{
	const struct layer_pairs_pane *p = v->priv;
	const struct layer_route *lr = route_of(v, row);
	bool one = lr->sw2 == NO_ID; /* to an endport */

	subject_switch(v, from_switch(p, lr), s);
	s->src = one && lr->sw != NO_ID ? (struct end){END_ON_SWITCH, lr->sw}
					: (struct end){END_NODE, s->node};
	if (one)
		subject_lid(lr->lid, s);
	else
		s->dst = (struct end){END_NODE, v->scene->fabric->switch_node[lr->sw2]};
	s->layer = (int)p->info.vl;
	s->key = (uint64_t)lr->sw << 32 | (one ? lr->lid : lr->sw2);
	return true;
}

const struct view_ops view_layer_pairs = {
	.name = "layer-pairs",
	.brief = "lists the content of a layer of lash, dfsssp or nue: pairs of switches, or routes to LIDs",
	.syntax = "[LAYER]",
	.hints = "follow=path :pane_cycle=why :pane_cdg=cdg back=back",
	COLUMNS(columns),
	.flags = VIEW_DETAIL | VIEW_CHIPS,
	.priv_size = sizeof(struct layer_pairs_pane),
	.priv_kept = offsetof(struct layer_pairs_pane, r),
	.open = layer_pairs_pane_open_view,
	.load = layer_pairs_pane_load,
	.title = layer_pairs_pane_title,
	.footer = layer_pairs_pane_footer,
	.cell = layer_pairs_pane_cell,
	.number = layer_pairs_pane_number,
	.touched = layer_pairs_pane_touched,
	.about = layer_pairs_pane_about,
	.follow = layer_pairs_pane_follow,
	.column_name = layer_pairs_pane_column_name,
	.fold_row = "pair",
};

/* The pane `layers`: layers (virtual lanes in use), with pairs before and after balancing, dependencies, and
 * credit loops. */

enum { C_LAYER, C_VL, C_PAIRS, C_BEFORE, C_MOVED, C_LOOPS, C_ROUTES, C_CHANNELS, C_DEPS, C_CYCLIC };

static const struct column layers_columns[] = {
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
static_assert(ARRAY_LEN(layers_columns) == C_CYCLIC + 1, "a column for each C_");

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
	assert(v->n_rows <= CDG_VLS);
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

	return p->pairs && col == C_PAIRS && p->info[0].unit == LAYER_LIDS ? "LIDs"
									   : layers_columns[col].name;
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
	assert(p->graph && row < CDG_VLS);

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
	COLUMNS(layers_columns),
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
