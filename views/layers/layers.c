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

static const struct column layer_pairs_columns[] = {
	COL("switch", "the switch where the routes begin", 8, .flex = 1, .fold = FOLD_CHIP,
	    .kind = CELL_SWITCH),
	NUM("LID", "the LID that they lead to", 3),
	COL("and switch", "the other switch of the pair", 8, .flex = 1),
	NUM("hops", "cables between switches on the route", 0, .fold = FOLD_RANGE),
	NUM("first", "the layer that took it first; balancing may have moved it since", 0,
	    .fold = FOLD_RANGE),
};

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
		v->width[1] = 0;
	else
		v->width[4] = 0;
	if (p->info.unit == LAYER_LIDS)
		v->width[0] = v->width[3] = 0;
}

static const char *layer_pairs_pane_column_name(const struct view *v, unsigned col)
{
	const struct layer_pairs_pane *p = v->priv;

	if (!p->r || p->info.unit == LAYER_SWITCH_PAIRS || (col != 0 && col != 2))
		return layer_pairs_columns[col].name;
	return col ? "to" : "CAs of";
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
		tell_first(p, (unsigned)view_number(v, row, 4), t);
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

static void layer_pairs_row(const struct view *v, uint32_t row, struct table_row *r)
{
	const struct layer_pairs_pane *p = v->priv;
	const struct layer_route *lr = route_of(v, row);
	bool one = lr->sw2 == NO_ID; /* to an endport */
	unsigned lid = layer_pairs_pane_lid_of(v, lr);
	struct pair_layer pl;
	int64_t first = -1;
	size_t to = row_text(r, "%s", one ? "" : switch_name(v->scene->fabric, lr->sw2));

	if (one)
		lid_label(v->scene->fabric, p->r->lids, lid, &r->text);
	else if (p->r->ops->pair_layer(p->r, layer_pairs_pane_switch_lid(p->r, lr->sw), lid, &pl))
		first = pl.first;
	ROW_VALUES(v, r, lr->sw, lid, to, lr->sw == NO_ID ? -1 : hops(v, lr), first);
	if (lr->sw == NO_ID)
		r->says[0] = row_text(r, "all");
	if (row == p->last)
		r->touched = 1 << 0 | 1 << 2;
	/* where the route starts; for a LID with any source, where it ends */
	subject_switch(v,
		       lr->sw != NO_ID ? lr->sw : p->r->topo->endport_switch[lid_owner(p->r->lids, lr->lid)],
		       &r->about);
	if (one)
		subject_lid(lid, &r->about);
	else
		r->about.dst = (struct end){END_NODE, v->scene->fabric->switch_node[lr->sw2]};
	r->about.src = one && lr->sw != NO_ID ? (struct end){END_ON_SWITCH, lr->sw}
					      : (struct end){END_NODE, r->about.node};
	r->about.layer = (int)p->info.vl;
	r->about.key = (uint64_t)lr->sw << 32 | (one ? lid : lr->sw2);
}

const struct view_ops view_layer_pairs = {
	.name = "layer-pairs",
	.brief = "lists the content of a layer of lash, dfsssp or nue: pairs of switches, or routes to LIDs",
	.syntax = "[LAYER]",
	.hints = "follow=path :pane_cycle=why :pane_cdg=cdg back=back",
	COLUMNS(layer_pairs_columns),
	.flags = VIEW_DETAIL | VIEW_CHIPS,
	.priv_size = sizeof(struct layer_pairs_pane),
	.priv_kept = offsetof(struct layer_pairs_pane, r),
	.open = layer_pairs_pane_open_view,
	.load = layer_pairs_pane_load,
	.row = layer_pairs_row,
	.title = layer_pairs_pane_title,
	.footer = layer_pairs_pane_footer,
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

static void layers_pane_footer(const struct view *v, struct text *t)
{
	const struct layers_pane *p = v->priv;
	uint32_t vls = 0, on = 0;

	if (step_layer(v->scene->moment) >= 0) { /* the step is about a layer */
		text_add(t, "%s", v->scene->moment->sentence);
		return;
	}
	if (!p->graph || (p->pairs && !p->kept))
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

/* Figures of VLs, summed over all lanes of a row. */
static struct graph_vl layers_sum(const struct layers_pane *p, uint32_t row)
{
	struct graph_vl sum = {0};

	assert(p->graph && row < CDG_VLS);
	for (unsigned vl = p->vl[row]; vl < p->vl[row] + (unsigned)p->lanes[row] && vl < CDG_VLS; vl++) {
		const struct graph_vl *g = &p->graph->vl[vl];

		sum.components += g->components;
		sum.channels += g->channels;
		sum.deps += g->deps;
		sum.on_cycles += g->on_cycles;
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

/* Notes the cells that the step's event is about. */
static void layers_touch(const struct view *v, uint32_t row, struct table_row *r)
{
	const struct moment *m = v->scene->moment;
	const struct rec_event *ev = moment_event(m);
	bool to; /* a pair moved to this layer */

	if (step_layer(m) < 0 || !((const struct layers_pane *)v->priv)->pairs)
		return;
	to = (ev->kind == REC_TURN || ev->kind == REC_MOVE) && row == ev->port;
	if (step_refused(m))
		r->touched = row == ev->b ? 1 << C_LAYER : 0;
	else
		r->touched = row == ev->b || to ? 1 << C_PAIRS : 0;
}

static void layers_row(const struct view *v, uint32_t row, struct table_row *r)
{
	const struct layers_pane *p = v->priv;
	const struct moment *now = v->scene->moment;
	int64_t before = p->pairs ? (int64_t)p->info[row].pairs_first : 0;
	int64_t after = p->pairs ? (int64_t)p->info[row].pairs : 0;
	struct graph_vl sum = p->graph ? layers_sum(p, row) : (struct graph_vl){0};

	ROW_VALUES(v, r, row, p->vl[row], after, before, after - before, sum.components,
		   p->graph ? most_routes(p, row) : -1, sum.channels, sum.deps, sum.on_cycles);
	if (p->lanes[row] > 1)
		r->says[C_VL] = row_text(r, "%u-%u", p->vl[row], p->vl[row] + p->lanes[row] - 1);
	r->says[C_MOVED] = row_text(r, after == before ? "%" PRId64 : "%+" PRId64, after - before);
	if (!sum.components)
		r->says[C_LOOPS] = row_text(r, "none");
	for (unsigned c = C_LOOPS; !p->graph && c <= C_CYCLIC; c++) {
		r->value[c] = -1;
		r->says[c] = row_text(r, "…");
	}
	r->marks = mark_if(step_refused(now) && (int)row == step_layer(now), MARK_DOWN) |
		   mark_if(p->kept && sum.components, MARK_DETOUR);
	layers_touch(v, row, r);
	r->about.key = p->vl[row];
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
	.row = layers_row,
	.title = layers_pane_title,
	.footer = layers_pane_footer,
	.follow = layers_pane_follow,
	.placeholder = layers_pane_placeholder,
	.column_name = layers_pane_column_name,
};
