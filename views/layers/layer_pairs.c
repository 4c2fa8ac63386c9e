/* The pane `layer-pairs`: what an engine has put in a layer: pairs of switches, or routes to LIDs. */
#include <stdlib.h>
#include <string.h>
#include "core/session/args.h"
#include "core/base/memory.h"
#include "core/sm/ucast_cache.h"
#include "core/trace/moment.h"
#include "views/base/view.h"

enum { C_FROM, C_LID, C_TO, C_HOPS, C_FIRST };

static const struct column columns[] = {
	COL("switch", "the switch where the routes begin", 8, .flex = 1, .fold = FOLD_CHIP),
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

	if (!p->r || p->info.unit == LAYER_SWITCH_PAIRS)
		return columns[col].name;
	return col == C_FROM ? "CAs of" : col == C_TO ? "to" : columns[col].name;
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
	struct text why = {0};
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
	text_free(&why);
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
