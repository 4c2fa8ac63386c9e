/* The tables of nue: `nue-layers`, `escape`, `detours` and `restricted`. */
#include <assert.h>
#include <stdlib.h>

#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/sm/ucast_cache.h"
#include "engines/nue/nue.h"
#include "views/base/view.h"

/* The layer that the pane is asked about, -1 = all. */
static int nue_table_layer(const struct view *v)
{
	return v->args.n ? v->args.arg[0].n : -1;
}

/* Begins the title. Returns nue's run, or NULL when it or the layer is missing, which the title tells. */
static const struct nue *nue_table_begin(struct view *v, const char *name)
{
	const struct routing *r = scene_origin(v->scene);
	const struct nue *n = r ? nue_of(r) : NULL;
	int layer = nue_table_layer(v);

	text_add(&v->title, "%s", name);
	if (n && layer < (int)nue_layers(n))
		return n;
	if (n)
		text_add(&v->title, " ── there is no layer %d, nue has %s", layer,
			 PLURAL(nue_layers(n), "layer"));
	else
		text_add(&v->title, " ── needs routes of nue: `route nue`");
	return NULL;
}

/* The table `escape`: the escape tree of a layer, beginning with its central switch. */

static const struct column escape_columns[] = {
	NUM("hops", "hops to the central switch, along the tree", 0, .was = "links", .fold = FOLD_RANGE),
	COL("switch", "a switch of the escape tree", 8, .flex = 1, .fold = FOLD_CHIP, .kind = CELL_SWITCH),
	NUM("port", "port towards the central switch", 0),
	COL("towards", "the switch that this port leads to", 8, .flex = 1, .kind = CELL_PEER),
	COL("hull",
	    "yes: in the hull, the switches with destinations and those on shortest paths between them", 8),
	NUM("betweenness", "share of the shortest paths that pass the switch, summed over all pairs", 0,
	    .drop = 1),
	NUM("restricted", "turns that the layer forbids at this switch", 0, .drop = 2, .fold = FOLD_SUM),
};

struct node {
	uint32_t sw, depth;
	uint32_t blocked; /* restrictions of the layer at the switch */
};

struct escape_pane {
	unsigned layer;
	const struct nue *nue;
	struct node *node; /* [n_rows] sorted by depth */
};

COMPARATOR(by_depth, struct node, UP(depth) UP(sw))

static void escape_list(struct view *v)
{
	struct escape_pane *p = v->priv;
	uint32_t n = v->scene->fabric->n_switches, *blocked = VIEW_ARRAY(v, n + 1, uint32_t);

	for (uint32_t i = 0; i < nue_restrictions(p->nue, p->layer); i++)
		blocked[nue_restriction(p->nue, p->layer, i).sw]++;
	p->node = VIEW_ARRAY(v, n + 1, struct node);
	for (uint32_t sw = 0; sw < n; sw++) {
		uint32_t depth = nue_escape_depth(p->nue, p->layer, sw);

		if (depth != NO_ID)
			p->node[v->n_rows++] = (struct node){sw, depth, blocked[sw]};
	}
	qsort(p->node, v->n_rows, sizeof(*p->node), by_depth);
	assert(!v->n_rows || !p->node[0].depth);
}

static void escape_load(struct view *v)
{
	struct escape_pane *p = v->priv;
	const struct nue_layer *l;

	p->layer = v->args.n ? (unsigned)v->args.arg[0].n : 0;
	p->nue = nue_table_begin(v, "Escape tree");
	if (!p->nue)
		return;
	if (nue_central_switch(p->nue, p->layer) != NO_ID)
		escape_list(v);
	l = &p->nue->layer[p->layer];
	if (!v->n_rows)
		text_add(&v->title, " ── layer %u has no destination", p->layer);
	else
		text_add(&v->title, " of layer %u ── central switch %s, %s and %s kept for it", p->layer,
			 switch_name(v->scene->fabric, p->node[0].sw), PLURAL(l->escape_channels, "channel"),
			 PLURAL(l->escape_edges, "dependency"));
}

static void escape_row(const struct view *v, uint32_t row, struct table_row *r)
{
	static const char *const hull[] = {"-", "drawn in", "has LIDs"};
	const struct escape_pane *p = v->priv;
	const struct node *n = &p->node[row];
	unsigned number = nue_escape_port(p->nue, p->layer, n->sw); /* 0: the central switch */
	uint32_t port = number ? switch_port_id(v->scene->fabric, n->sw, number) : NO_ID;
	double between = nue_betweenness(p->nue, p->layer, n->sw);

	assert(number != NO_PATH);
	ROW_VALUES(v, r, n->depth, n->sw, number ? (int)number : -1, port,
		   row_text(r, "%s", hull[p->nue->layer[p->layer].hull[p->nue->graph->node[n->sw]]]),
		   (int64_t)(between * 100), n->blocked);
	r->says[5] = row_text(r, "%.2f", between);
	if (!number) {
		r->says[3] = row_text(r, "(central switch)");
		r->marks = MARK_HERE;
		r->follow = row_text(r, "pane ports %%node");
	}
	subject_switch(v, n->sw, &r->about);
	r->about.port = port;
	r->about.layer = (int)p->layer;
	r->about.key = n->sw;
}

const struct view_ops view_escape = {
	.name = "escape",
	.brief = "nue: shows the escape tree of a layer from its central switch on, with betweenness and "
		 "forbidden turns",
	.syntax = "[LAYER]",
	.hints = "follow=ports :pane_restricted=restr :pane_detours=detours back=back",
	COLUMNS(escape_columns),
	.flags = VIEW_DETAIL | VIEW_WIDE | VIEW_CHIPS,
	.priv_size = sizeof(struct escape_pane),
	.load = escape_load,
	.row = escape_row,
	.enter = "pane ports %node; select %number",
	.fold_row = "switch",
};

/* The table `detours`: routes that are longer than necessary, and what the search for their LID met. */

static const struct column detours_columns[] = {
	COL("switch", "the switch where the route begins", 8, .flex = 1, .fold = FOLD_CHIP,
	    .kind = CELL_SWITCH),
	NUM("LID", "the LID that it leads to", 3),
	COL("to", "the node that has this LID", 8, .flex = 1, .kind = CELL_LID),
	NUM("layer", "the layer of the route", 0, .drop = 2, .fold = FOLD_RANGE),
	NUM("hops", "hops of the route", 0, .was = "links", .fold = FOLD_RANGE),
	NUM("least", "fewest hops possible in the fabric", 0, .fold = FOLD_RANGE),
	NUM("more", "hops above the fewest", 0, .drop = 3, .fold = FOLD_MAX),
	COL("for", "why: weights, restrictions, backtracking or the escape tree", 12),
};

struct detour {
	struct nue_detour d;
	uint16_t lid;
};

struct detours {
	struct detour *at; /* by the order of destinations, then by switch */
	uint32_t n, cap;
	uint32_t n_lids; /* LIDs examined */
};

struct detours_pane {
	const struct nue *nue;
	const struct detours *found;
};

static void free_detours(void *value)
{
	struct detours *d = value;

	free(d->at);
	free(d);
}

static bool of_layer(const struct nue *n, unsigned lid, uint32_t layer)
{
	return layer == NO_ID || (nue_layer_of(n, lid) == layer && !(nue_events_of(n, lid) & NUE_OUTSIDE));
}

static void *run_detours(const struct job *j)
{
	const struct routing *r = routing_origin(j->sweep->routing);
	struct detours *d = NEW(struct detours);
	AUTO_FREE struct nue_detour *room = NEW_ARRAY(r->topo->fabric->n_switches + 1, struct nue_detour);
	uint32_t n_lids;
	AUTO_FREE uint16_t *lid = nue_destinations(r, &n_lids);
	bool go_on = true;

	progress_start(j->progress, "detours", n_lids);
	for (uint32_t i = 0; i < n_lids && (go_on = progress_step(j->progress, i)); i++) {
		uint32_t n = of_layer(nue_of(r), lid[i], j->arg[0]) ? nue_detours(r, lid[i], room) : 0;

		d->n_lids += of_layer(nue_of(r), lid[i], j->arg[0]);
		for (uint32_t k = 0; k < n; k++) {
			GROW(d->at, d->n, d->cap);
			d->at[d->n++] = (struct detour){room[k], lid[i]};
		}
	}
	if (go_on)
		return d;
	free_detours(d);
	return NULL;
}

static const struct task task_detours = {.run = run_detours, .free = free_detours};

static void detours_load(struct view *v)
{
	struct detours_pane *p = v->priv;
	int layer = nue_table_layer(v); /* all: including routes to switches outside the layers */

	p->nue = nue_table_begin(v, "Detours");
	if (!p->nue)
		return;
	p->found = view_ask_value(v, &task_detours,
				  (const uint32_t[TASK_ARGS]){layer < 0 ? NO_ID : (uint32_t)layer});
	v->n_rows = p->found ? p->found->n : 0;
	if (layer >= 0)
		text_add(&v->title, " of layer %d", layer);
	if (p->found)
		text_add(&v->title, " ── %s longer than need be, to %s", PLURAL(v->n_rows, "entry"),
			 PLURAL(p->found->n_lids, "LID"));
}

/* Why this way to a LID is longer. */
static const char *reason(unsigned events, const struct nue_detour *d)
{
	if (events & NUE_FALLBACK)
		return "escape paths";
	if (events & NUE_SHORTCUT)
		return "backtracking, shortcut";
	if (events & NUE_BACKTRACKED)
		return "backtracking";
	return d->open ? "weights" : "restrictions";
}

static void detours_row(const struct view *v, uint32_t row, struct table_row *r)
{
	const struct detours_pane *p = v->priv;
	const struct detour *d = &p->found->at[row];
	unsigned events = nue_events_of(p->nue, d->lid);

	ROW_VALUES(v, r, d->d.sw, d->lid, d->lid,
		   events & NUE_OUTSIDE ? -1 : (int)nue_layer_of(p->nue, d->lid), d->d.links, d->d.least,
		   d->d.links - d->d.least, row_text(r, "%s", reason(events, &d->d)));
	r->footer = row_text(r,
			     d->d.open ? "a way of %u hops was open; weights led elsewhere"
				       : "each way of %u hops makes a turn that the layer restricts",
			     d->d.least);
	subject_switch(v, d->d.sw, &r->about);
	subject_lid(d->lid, &r->about);
	r->about.src = (struct end){END_NODE, r->about.node};
	r->about.key = (uint64_t)d->d.sw << 16 | d->lid;
}

const struct view_ops view_detours = {
	.name = "detours",
	.brief = "nue: lists entries whose route is longer than the shortest one, and why",
	.syntax = "[LAYER]",
	.hints = "follow=path :why=why :trace=trace back=back",
	COLUMNS(detours_columns),
	.flags = VIEW_DETAIL | VIEW_WIDE | VIEW_CHIPS,
	.priv_size = sizeof(struct detours_pane),
	.load = detours_load,
	.row = detours_row,
	.enter = "pane path %src %lid",
	.fold_row = "entry",
};

/* The table `restricted`: turns that no route of a layer may make, because they would close a cycle. */

static const struct column restricted_columns[] = {
	NUM("layer", "the layer that forbids the turn", 0),
	COL("from", "the switch that packets come from", 8, .flex = 1, .kind = CELL_PEER),
	NUM("in", "the port they come in by", 3),
	COL("at switch", "the switch where they may not turn", 9, .flex = 1, .fold = FOLD_CHIP,
	    .kind = CELL_SWITCH),
	NUM("out", "the port they may not leave by", 3),
	COL("not to", "the switch this port leads to", 8, .flex = 1, .kind = CELL_PEER),
};

struct restricted_pane {
	int layer; /* -1 = all */
	const struct nue *nue;
};

static void restricted_load(struct view *v)
{
	struct restricted_pane *p = v->priv;

	p->layer = nue_table_layer(v);
	if (p->layer >= 0)
		v->width[0] = 0;
	p->nue = nue_table_begin(v, "Restrictions");
	if (!p->nue)
		return;
	for (unsigned l = 0; l < nue_layers(p->nue); l++)
		if (p->layer < 0 || (unsigned)p->layer == l)
			v->n_rows += nue_restrictions(p->nue, l);
	if (p->layer >= 0)
		text_add(&v->title, " of layer %d", p->layer);
	text_add(&v->title, " ── %s no route may make", PLURAL(v->n_rows, "turn"));
	if (v->n_rows)
		text_add(&v->footer,
			 "with the routes and escape paths of the layer they would close a cycle");
}

static struct nue_turn turn_of(const struct restricted_pane *p, uint32_t row, unsigned *layer)
{
	unsigned l = p->layer < 0 ? 0 : (unsigned)p->layer;

	for (; row >= nue_restrictions(p->nue, l); l++) {
		row -= nue_restrictions(p->nue, l);
		assert(l + 1 < nue_layers(p->nue));
	}
	*layer = l;
	return nue_restriction(p->nue, l, row);
}

static void restricted_row(const struct view *v, uint32_t row, struct table_row *r)
{
	const struct fabric *f = v->scene->fabric;
	unsigned layer;
	struct nue_turn turn = turn_of(v->priv, row, &layer);

	ROW_VALUES(v, r, layer, switch_port_id(f, turn.sw, turn.in), turn.in, turn.sw, turn.out,
		   switch_port_id(f, turn.sw, turn.out));
	subject_switch_port(v, turn.sw, turn.out, &r->about);
	r->about.layer = (int)layer;
	r->about.key = (uint64_t)layer << 48 | (uint64_t)turn.sw << 16 | (unsigned)turn.in << 8 | turn.out;
}

const struct view_ops view_restricted = {
	.name = "restricted",
	.brief = "nue: lists the turns that a layer forbids, because they would close a cycle",
	.syntax = "[LAYER]",
	.hints = "follow=ports :pane_escape=escape back=back",
	COLUMNS(restricted_columns),
	.flags = VIEW_DETAIL | VIEW_WIDE | VIEW_CHIPS,
	.priv_size = sizeof(struct restricted_pane),
	.load = restricted_load,
	.row = restricted_row,
	.enter = "pane ports %node; select %number",
	.fold_row = "turn",
};

/* The table `nue-layers`: destinations, central switch, hull, restrictions, and LIDs that were hard to
 * route. */

static const struct column nue_layers_columns[] = {
	NUM("layer", "number of the layer, from 0", 0),
	NUM("ports", "destinations in the layer", 0),
	COL("central switch", "root of the escape tree", 8, .flex = 1, .kind = CELL_SWITCH),
	NUM("hull", "switches in the hull: those with destinations, and those on shortest paths between them",
	    4, .drop = 4),
	NUM("escape deps", "dependencies reserved for the escape tree", 0, .drop = 6),
	NUM("used", "dependencies that routes use in the end", 5, .drop = 3),
	NUM("of deps", "all dependencies", 0, .drop = 5),
	NUM("restricted", "dependencies that no route may use", 0),
	NUM("backtracked", "destinations that some switches reached by backtracking alone", 0, .drop = 2),
	NUM("escape only", "destinations whose routes all follow the escape tree", 0, .drop = 1),
};

struct nue_layers_pane {
	const struct nue *nue;
};

static void nue_layers_load(struct view *v)
{
	struct nue_layers_pane *p = v->priv;

	p->nue = nue_table_begin(v, "Nue");
	if (!p->nue)
		return;
	v->n_rows = nue_layers(p->nue);
	text_add(&v->title, ": %s of %u that ports support, nue_max_num_vls %u", PLURAL(v->n_rows, "layer"),
		 p->nue->vls.supported, p->nue->vls.asked);
}

static void nue_layers_row(const struct view *v, uint32_t row, struct table_row *r)
{
	const struct nue *n = ((const struct nue_layers_pane *)v->priv)->nue;
	const struct nue_layer *l = &n->layer[row];
	uint32_t sw = nue_central_switch(n, row);

	ROW_VALUES(v, r, row, l->n_lids, sw, l->n_hull, l->escape_edges, (int64_t)l->used, (int64_t)l->edges,
		   l->n_blocked, l->backtracked, l->fallbacks);
	if (l->unrecorded)
		r->footer = row_text(r, "routes make %s that OpenSM has no record of%s",
				     PLURAL(l->unrecorded, "dependency"),
				     l->loop ? ": a CREDIT LOOP" : ", no credit loop");
	else if (!n->vls.qos && n->vls.supported > 1 && n->vls.asked != 1)
		r->footer = row_text(r, "one layer, as qos is off");
	else if (!n->include_switches)
		r->footer = row_text(r, "routes to switches keep to no layer (nue_include_switches FALSE)");
	r->marks = mark_if(l->loop || l->fallbacks, MARK_DETOUR);
	r->about.layer = (int)row;
	if (sw != NO_ID)
		subject_node(v, v->scene->fabric->switch_node[sw], &r->about);
	else
		r->follow = row_text(r, "%s", ""); /* nowhere */
}

const struct view_ops view_nue_layers = {
	.name = "nue-layers",
	.brief = "nue: shows each layer: central switch, dependencies, forbidden turns, LIDs whose search "
		 "got stuck",
	.hints = "follow=tree :pane_restricted=restr :pane_detours=detours :pane_cdg=cdg back=back",
	COLUMNS(nue_layers_columns),
	.flags = VIEW_WIDE,
	.priv_size = sizeof(struct nue_layers_pane),
	.load = nue_layers_load,
	.row = nue_layers_row,
	.enter = "pane escape %layer",
};
