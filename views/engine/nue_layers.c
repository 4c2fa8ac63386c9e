/* The panes of nue: `nue-layers`, `escape`, `detours` and `restricted`. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/sm/ucast_cache.h"
#include "engines/nue/nue.h"
#include "views/base/view.h"

/* The pane `escape`: the escape tree of a layer of nue, beginning with its central switch. */

enum { C_LINKS, C_SWITCH, C_PORT, C_TO, C_HULL, C_BETWEEN, C_BLOCKED };

static const struct column columns[] = {
	NUM("hops", "hops to the central switch, along the tree", 0, .was = "links", .fold = FOLD_RANGE),
	COL("switch", "a switch of the escape tree", 8, .flex = 1, .fold = FOLD_CHIP),
	NUM("port", "port towards the central switch", 0),
	COL("towards", "the switch that this port leads to", 8, .flex = 1),
	COL("hull",
	    "yes: in the hull, the switches with destinations and those on shortest paths between them", 8),
	NUM("betweenness", "share of the shortest paths that pass the switch, summed over all pairs", 0,
	    .drop = 1),
	NUM("restricted", "turns that the layer forbids at this switch", 0, .drop = 2, .fold = FOLD_SUM),
};
static_assert(ARRAY_LEN(columns) == C_BLOCKED + 1, "a column for each C_");

struct node {
	uint32_t sw, depth;
	uint32_t blocked; /* restrictions of the layer at the switch */
};

struct escape_pane {
	unsigned layer;
	const struct nue *nue; /* NULL: another engine */
	const struct routing *r;
	struct node *node; /* [n_rows] sorted by depth */
};

COMPARATOR(by_depth, struct node, UP(depth) UP(sw))

static void list_tree(struct view *v)
{
	struct escape_pane *p = v->priv;
	const struct fabric *f = p->r->topo->fabric;
	uint32_t *blocked = NEW_ARRAY(f->n_switches + 1, uint32_t);

	for (uint32_t i = 0; i < nue_restrictions(p->nue, p->layer); i++)
		blocked[nue_restriction(p->nue, p->layer, i).sw]++;
	p->node = VIEW_ARRAY(v, f->n_switches + 1, struct node);
	for (uint32_t sw = 0; sw < f->n_switches; sw++) {
		uint32_t depth = nue_escape_depth(p->nue, p->layer, sw);

		if (depth != NO_ID)
			p->node[v->n_rows++] = (struct node){sw, depth, blocked[sw]};
	}
	free(blocked);
	qsort(p->node, v->n_rows, sizeof(*p->node), by_depth);
	assert(!v->n_rows || !p->node[0].depth);
}

static void escape_pane_load(struct view *v)
{
	struct escape_pane *p = v->priv;

	p->layer = v->args.n ? (unsigned)v->args.arg[0].n : 0;
	p->r = scene_origin(v->scene);
	p->nue = p->r ? nue_of(p->r) : NULL;
	if (p->nue && nue_central_switch(p->nue, p->layer) != NO_ID)
		list_tree(v);
}

static void escape_pane_title(const struct view *v, struct text *t)
{
	const struct escape_pane *p = v->priv;
	const struct nue_layer *l;

	text_add(t, "Escape tree");
	if (!p->nue) {
		text_add(t, " ── needs routes of nue: `route nue`");
	} else if (p->layer >= nue_layers(p->nue)) {
		text_add(t, " ── there is no layer %u, nue has %s", p->layer,
			 PLURAL(nue_layers(p->nue), "layer"));
	} else if (!v->n_rows) {
		text_add(t, " ── layer %u has no destination", p->layer);
	} else {
		l = &p->nue->layer[p->layer];
		text_add(t, " of layer %u ── central switch %s, %s and %s kept for it", p->layer,
			 switch_name(v->scene->fabric, p->node[0].sw), PLURAL(l->escape_channels, "channel"),
			 PLURAL(l->escape_edges, "dependency"));
	}
}

/* The port that leads along the tree to the central switch. NO_ID: it is the central switch. */
static uint32_t up_port(const struct view *v, uint32_t row)
{
	const struct escape_pane *p = v->priv;
	unsigned port = nue_escape_port(p->nue, p->layer, p->node[row].sw);

	return port && port != NO_PATH ? switch_port_id(v->scene->fabric, p->node[row].sw, port) : NO_ID;
}

static int64_t escape_pane_number(const struct view *v, uint32_t row, unsigned col)
{
	const struct escape_pane *p = v->priv;
	const struct node *n = &p->node[row];

	switch (col) {
	case C_LINKS:
		return n->depth;
	case C_PORT:
		return up_port(v, row) == NO_ID ? -1 : (int)nue_escape_port(p->nue, p->layer, n->sw);
	case C_BETWEEN:
		return (int64_t)(nue_betweenness(p->nue, p->layer, n->sw) * 100);
	case C_BLOCKED:
		return n->blocked;
	}
	return 0;
}

static void escape_pane_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const struct escape_pane *p = v->priv;
	static const char *const hull[] = {"-", "drawn in", "has LIDs"};
	uint32_t port = up_port(v, row);
	const struct topo *tp = p->r->topo;

	switch (col) {
	case C_SWITCH:
		text_add(t, "%s", switch_name(v->scene->fabric, p->node[row].sw));
		break;
	case C_TO:
		if (port == NO_ID)
			text_add(t, "(central switch)");
		else if (tp->peer[port] != NO_ID)
			text_add(t, "%s", tp->fabric->node_name[tp->fabric->port_node[tp->peer[port]]]);
		break;
	case C_HULL:
		text_add(t, "%s", hull[p->nue->layer[p->layer].hull[p->nue->graph->node[p->node[row].sw]]]);
		break;
	case C_BETWEEN:
		text_add(t, "%.2f", nue_betweenness(p->nue, p->layer, p->node[row].sw));
		break;
	default:
		number_cell(escape_pane_number(v, row, col), t);
	}
}

static unsigned escape_pane_marks(const struct view *v, uint32_t row)
{
	return ((const struct escape_pane *)v->priv)->node[row].depth ? 0 : MARK_HERE;
}

static bool escape_pane_about(const struct view *v, uint32_t row, struct subject *s)
{
	const struct escape_pane *p = v->priv;
	uint32_t sw = p->node[row].sw;

	subject_switch(v, sw, s);
	s->port = up_port(v, row);
	s->layer = (int)p->layer;
	s->key = sw;
	return true;
}

static void escape_pane_follow(const struct view *v, uint32_t row, struct text *t)
{
	view_fill(v, row,
		  escape_pane_number(v, row, C_PORT) > 0 ? "pane ports %node; select %number"
							 : "pane ports %node",
		  t);
}

const struct view_ops view_escape = {
	.name = "escape",
	.brief = "nue: shows the escape tree of a layer from its central switch on, with betweenness and "
		 "forbidden turns",
	.syntax = "[LAYER]",
	.hints = "follow=ports :pane_restricted=restr :pane_detours=detours back=back",
	COLUMNS(columns),
	.flags = VIEW_DETAIL | VIEW_WIDE | VIEW_CHIPS,
	.priv_size = sizeof(struct escape_pane),
	.load = escape_pane_load,
	.title = escape_pane_title,
	.cell = escape_pane_cell,
	.number = escape_pane_number,
	.marks = escape_pane_marks,
	.about = escape_pane_about,
	.follow = escape_pane_follow,
	.fold_row = "switch",
};

/* The pane `detours`: routes of nue that are longer than necessary, and what its search for their LID met. */

enum { detours_C_SWITCH, C_LID, detours_C_TO, C_LAYER, detours_C_LINKS, C_LEAST, C_EXTRA, C_EVENT };

static const struct column detours_columns[] = {
	COL("switch", "the switch where the route begins", 8, .flex = 1, .fold = FOLD_CHIP),
	NUM("LID", "the LID that it leads to", 3),
	COL("to", "the node that has this LID", 8, .flex = 1),
	NUM("layer", "the layer of the route", 0, .drop = 2, .fold = FOLD_RANGE),
	NUM("hops", "hops of the route", 0, .was = "links", .fold = FOLD_RANGE),
	NUM("least", "fewest hops possible in the fabric", 0, .fold = FOLD_RANGE),
	NUM("more", "hops above the fewest", 0, .drop = 3, .fold = FOLD_MAX),
	COL("for", "why: weights, restrictions, backtracking or the escape tree", 12),
};
static_assert(ARRAY_LEN(detours_columns) == C_EVENT + 1, "a column for each C_");

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
	int layer; /* -1 = all, including routes to switches outside the layers */
	const struct nue *nue;
	const struct routing *r;
	const struct detours *found;
};

/* --- computed by another thread -------------------------------------------------------------- */

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
	struct nue_detour *room = NEW_ARRAY(r->topo->fabric->n_switches + 1, struct nue_detour);
	uint32_t n_lids;
	uint16_t *lid = nue_destinations(r, &n_lids);
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
	free(lid);
	free(room);
	if (go_on)
		return d;
	free_detours(d);
	return NULL;
}

static const struct task task_detours = {.run = run_detours, .free = free_detours};

/* --- the pane ---------------------------------------------------------------------------------- */

static void detours_pane_load(struct view *v)
{
	struct detours_pane *p = v->priv;

	p->layer = v->args.n ? v->args.arg[0].n : -1;
	p->r = scene_origin(v->scene);
	p->nue = p->r ? nue_of(p->r) : NULL;
	if (!p->nue || p->layer >= (int)nue_layers(p->nue))
		return;
	p->found = view_ask_value(v, &task_detours,
				  (const uint32_t[TASK_ARGS]){p->layer < 0 ? NO_ID : (uint32_t)p->layer});
	v->n_rows = p->found ? p->found->n : 0;
}

static void detours_pane_title(const struct view *v, struct text *t)
{
	const struct detours_pane *p = v->priv;

	text_add(t, "Detours");
	if (!p->nue) {
		text_add(t, " ── needs routes of nue: `route nue`");
		return;
	}
	if (p->layer >= (int)nue_layers(p->nue)) {
		text_add(t, " ── there is no layer %d, nue has %s", p->layer,
			 PLURAL(nue_layers(p->nue), "layer"));
		return;
	}
	if (p->layer >= 0)
		text_add(t, " of layer %d", p->layer);
	if (p->found)
		text_add(t, " ── %s longer than need be, to %s", PLURAL(v->n_rows, "entry"),
			 PLURAL(p->found->n_lids, "LID"));
}

static const struct detour *detour_of(const struct view *v, uint32_t row)
{
	assert(row < ((const struct detours_pane *)v->priv)->found->n);
	return &((const struct detours_pane *)v->priv)->found->at[row];
}

static int64_t detours_pane_number(const struct view *v, uint32_t row, unsigned col)
{
	const struct detours_pane *p = v->priv;
	const struct detour *d = detour_of(v, row);

	switch (col) {
	case C_LID:
		return d->lid;
	case C_LAYER:
		return nue_events_of(p->nue, d->lid) & NUE_OUTSIDE ? -1 : (int)nue_layer_of(p->nue, d->lid);
	case detours_C_LINKS:
		return d->d.links;
	case C_LEAST:
		return d->d.least;
	case C_EXTRA:
		return d->d.links - d->d.least;
	}
	return 0;
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

static void detours_pane_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const struct detours_pane *p = v->priv;
	const struct detour *d = detour_of(v, row);

	if (col == detours_C_SWITCH)
		text_add(t, "%s", switch_name(v->scene->fabric, d->d.sw));
	else if (col == detours_C_TO)
		lid_label(v->scene->fabric, p->r->lids, d->lid, t);
	else if (col == C_EVENT)
		text_add(t, "%s", reason(nue_events_of(p->nue, d->lid), &d->d));
	else
		number_cell(detours_pane_number(v, row, col), t);
}

static void detours_pane_footer(const struct view *v, struct text *t)
{
	const struct detours_pane *p = v->priv;
	uint32_t row;

	if (!p->found || !view_selected(v, &row))
		return;
	text_add(t,
		 detour_of(v, row)->d.open ? "a way of %u hops was open; weights led elsewhere"
					   : "each way of %u hops makes a turn that the layer restricts",
		 detour_of(v, row)->d.least);
}

static bool detours_pane_about(const struct view *v, uint32_t row, struct subject *s)
{
	const struct detour *d = detour_of(v, row);

	subject_switch(v, d->d.sw, s);
	subject_lid(d->lid, s);
	s->src = (struct end){END_NODE, s->node};
	s->key = (uint64_t)d->d.sw << 16 | d->lid;
	return true;
}

const struct view_ops view_detours = {
	.name = "detours",
	.brief = "nue: lists entries whose route is longer than the shortest one, and why",
	.syntax = "[LAYER]",
	.hints = "follow=path :why=why :trace=trace back=back",
	COLUMNS(detours_columns),
	.flags = VIEW_DETAIL | VIEW_WIDE | VIEW_CHIPS,
	.priv_size = sizeof(struct detours_pane),
	.load = detours_pane_load,
	.title = detours_pane_title,
	.footer = detours_pane_footer,
	.cell = detours_pane_cell,
	.number = detours_pane_number,
	.about = detours_pane_about,
	.enter = "pane path %src %lid",
	.fold_row = "entry",
};

/* The pane `restricted`: turns that no route of a layer of nue may make, because they would close a cycle. */

enum { restricted_C_LAYER, C_FROM, C_IN, restricted_C_SWITCH, C_OUT, restricted_C_TO };

static const struct column restricted_columns[] = {
	NUM("layer", "the layer that forbids the turn", 0),
	COL("from", "the switch that packets come from", 8, .flex = 1),
	NUM("in", "the port they come in by", 3),
	COL("at switch", "the switch where they may not turn", 9, .flex = 1, .fold = FOLD_CHIP),
	NUM("out", "the port they may not leave by", 3),
	COL("not to", "the switch this port leads to", 8, .flex = 1),
};
static_assert(ARRAY_LEN(restricted_columns) == restricted_C_TO + 1, "a column for each C_");

struct restricted_pane {
	int layer; /* -1 = all */
	const struct routing *r;
	const struct nue *nue; /* NULL: another engine */
};

static void restricted_pane_load(struct view *v)
{
	struct restricted_pane *p = v->priv;

	p->layer = v->args.n ? v->args.arg[0].n : -1;
	p->r = scene_origin(v->scene);
	p->nue = p->r ? nue_of(p->r) : NULL;
	for (unsigned l = 0; p->nue && l < nue_layers(p->nue); l++)
		if (p->layer < 0 || (unsigned)p->layer == l)
			v->n_rows += nue_restrictions(p->nue, l);
	if (p->layer >= 0)
		v->width[restricted_C_LAYER] = 0;
}

static void restricted_pane_title(const struct view *v, struct text *t)
{
	const struct restricted_pane *p = v->priv;

	text_add(t, "Restrictions");
	if (!p->nue)
		text_add(t, " ── needs routes of nue: `route nue`");
	else if (p->layer >= (int)nue_layers(p->nue))
		text_add(t, " ── there is no layer %d, nue has %s", p->layer,
			 PLURAL(nue_layers(p->nue), "layer"));
	else if (p->layer >= 0)
		text_add(t, " of layer %d ── %s no route may make", p->layer, PLURAL(v->n_rows, "turn"));
	else
		text_add(t, " ── %s no route may make", PLURAL(v->n_rows, "turn"));
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

static int64_t restricted_pane_number(const struct view *v, uint32_t row, unsigned col)
{
	unsigned layer;
	struct nue_turn turn = turn_of(v->priv, row, &layer);

	if (col == restricted_C_LAYER)
		return layer;
	return col == C_IN ? turn.in : turn.out;
}

static const char *restricted_pane_neighbour(const struct restricted_pane *p, uint32_t sw, unsigned port)
{
	const struct topo *tp = p->r->topo;
	uint32_t peer = tp->peer[switch_port_id(tp->fabric, sw, port)];

	return peer == NO_ID ? "" : tp->fabric->node_name[tp->fabric->port_node[peer]];
}

static void restricted_pane_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const struct restricted_pane *p = v->priv;
	unsigned layer;
	struct nue_turn turn = turn_of(p, row, &layer);

	if (col == restricted_C_SWITCH)
		text_add(t, "%s", switch_name(v->scene->fabric, turn.sw));
	else if (col == C_FROM || col == restricted_C_TO)
		text_add(t, "%s", restricted_pane_neighbour(p, turn.sw, col == C_FROM ? turn.in : turn.out));
	else
		text_add(t, "%" PRId64, restricted_pane_number(v, row, col));
}

static void restricted_pane_footer(const struct view *v, struct text *t)
{
	const struct restricted_pane *p = v->priv;

	if (p->nue && v->n_rows)
		text_add(t, "with the routes and escape paths of the layer they would close a cycle");
}

static bool restricted_pane_about(const struct view *v, uint32_t row, struct subject *s)
{
	unsigned layer;
	struct nue_turn turn = turn_of(v->priv, row, &layer);

	subject_switch_port(v, turn.sw, turn.out, s);
	s->layer = (int)layer;
	s->key = (uint64_t)layer << 48 | (uint64_t)turn.sw << 16 | (unsigned)turn.in << 8 | turn.out;
	return true;
}

const struct view_ops view_restricted = {
	.name = "restricted",
	.brief = "nue: lists the turns that a layer forbids, because they would close a cycle",
	.syntax = "[LAYER]",
	.hints = "follow=ports :pane_escape=escape back=back",
	COLUMNS(restricted_columns),
	.flags = VIEW_DETAIL | VIEW_WIDE | VIEW_CHIPS,
	.priv_size = sizeof(struct restricted_pane),
	.load = restricted_pane_load,
	.title = restricted_pane_title,
	.footer = restricted_pane_footer,
	.cell = restricted_pane_cell,
	.number = restricted_pane_number,
	.about = restricted_pane_about,
	.enter = "pane ports %node; select %number",
	.fold_row = "turn",
};

/* The pane `nue-layers`: the layers of nue, with destinations, central switch, hull, restrictions, and LIDs
 * that were hard to route. */

enum {
	nue_layers_C_LAYER,
	C_LIDS,
	C_CENTRAL,
	nue_layers_C_HULL,
	C_ESCAPE,
	C_USED,
	C_DEPS,
	nue_layers_C_BLOCKED,
	C_BACK,
	C_FALLBACK
};

static const struct column nue_layers_columns[] = {
	NUM("layer", "number of the layer, from 0", 0),
	NUM("ports", "destinations in the layer", 0),
	COL("central switch", "root of the escape tree", 8, .flex = 1),
	NUM("hull", "switches in the hull: those with destinations, and those on shortest paths between them",
	    4, .drop = 4),
	NUM("escape deps", "dependencies reserved for the escape tree", 0, .drop = 6),
	NUM("used", "dependencies that routes use in the end", 5, .drop = 3),
	NUM("of deps", "all dependencies", 0, .drop = 5),
	NUM("restricted", "dependencies that no route may use", 0),
	NUM("backtracked", "destinations that some switches reached by backtracking alone", 0, .drop = 2),
	NUM("escape only", "destinations whose routes all follow the escape tree", 0, .drop = 1),
};
static_assert(ARRAY_LEN(nue_layers_columns) == C_FALLBACK + 1, "a column for each C_");

struct nue_layers_pane {
	const struct nue *nue; /* NULL: another engine */
};

static void nue_layers_pane_load(struct view *v)
{
	struct nue_layers_pane *p = v->priv;
	const struct routing *r = scene_origin(v->scene);

	p->nue = r ? nue_of(r) : NULL;
	v->n_rows = p->nue ? nue_layers(p->nue) : 0;
}

static void nue_layers_pane_title(const struct view *v, struct text *t)
{
	const struct nue_layers_pane *p = v->priv;

	if (p->nue)
		text_add(t, "Nue: %s of %u that ports support, nue_max_num_vls %u",
			 PLURAL(nue_layers(p->nue), "layer"), p->nue->vls.supported, p->nue->vls.asked);
	else
		text_add(t, "Nue ── needs routes of nue: `route nue`");
}

static int64_t nue_layers_pane_number(const struct view *v, uint32_t row, unsigned col)
{
	const struct nue_layer *l = &((const struct nue_layers_pane *)v->priv)->nue->layer[row];
	const int64_t n[ARRAY_LEN(nue_layers_columns)] = {[nue_layers_C_LAYER] = row,
							  [C_LIDS] = l->n_lids,
							  [nue_layers_C_HULL] = l->n_hull,
							  [C_ESCAPE] = l->escape_edges,
							  [C_USED] = (int64_t)l->used,
							  [C_DEPS] = (int64_t)l->edges,
							  [nue_layers_C_BLOCKED] = l->n_blocked,
							  [C_BACK] = l->backtracked,
							  [C_FALLBACK] = l->fallbacks};

	return n[col];
}

static void nue_layers_pane_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const struct nue_layers_pane *p = v->priv;
	uint32_t sw = nue_central_switch(p->nue, row);

	if (col != C_CENTRAL)
		text_add(t, "%" PRId64, nue_layers_pane_number(v, row, col));
	else
		text_add(t, "%s", sw == NO_ID ? "-" : switch_name(v->scene->fabric, sw));
}

static void nue_layers_pane_footer(const struct view *v, struct text *t)
{
	const struct nue_layers_pane *p = v->priv;
	uint32_t row;

	if (!p->nue || !view_selected(v, &row))
		return;
	if (p->nue->layer[row].unrecorded)
		text_add(t, "routes make %s that OpenSM has no record of%s",
			 PLURAL(p->nue->layer[row].unrecorded, "dependency"),
			 p->nue->layer[row].loop ? ": a CREDIT LOOP" : ", no credit loop");
	else if (!p->nue->vls.qos && p->nue->vls.supported > 1 && p->nue->vls.asked != 1)
		text_add(t, "one layer, as qos is off");
	else if (!p->nue->include_switches)
		text_add(t, "routes to switches keep to no layer (nue_include_switches FALSE)");
}

static unsigned nue_layers_pane_marks(const struct view *v, uint32_t row)
{
	const struct nue_layer *l = &((const struct nue_layers_pane *)v->priv)->nue->layer[row];

	return l->loop || l->fallbacks ? MARK_DETOUR : 0;
}

static bool nue_layers_pane_about(const struct view *v, uint32_t row, struct subject *s)
{
	uint32_t sw = nue_central_switch(((const struct nue_layers_pane *)v->priv)->nue, row);

	s->layer = (int)row;
	if (sw != NO_ID)
		subject_node(v, v->scene->fabric->switch_node[sw], s);
	return true;
}

static void nue_layers_pane_follow(const struct view *v, uint32_t row, struct text *t)
{
	if (nue_central_switch(((const struct nue_layers_pane *)v->priv)->nue, row) != NO_ID)
		view_fill(v, row, "pane escape %layer", t);
}

const struct view_ops view_nue_layers = {
	.name = "nue-layers",
	.brief = "nue: shows each layer: central switch, dependencies, forbidden turns, LIDs whose search "
		 "got stuck",
	.hints = "follow=tree :pane_restricted=restr :pane_detours=detours :pane_cdg=cdg back=back",
	COLUMNS(nue_layers_columns),
	.flags = VIEW_WIDE,
	.priv_size = sizeof(struct nue_layers_pane),
	.load = nue_layers_pane_load,
	.title = nue_layers_pane_title,
	.footer = nue_layers_pane_footer,
	.cell = nue_layers_pane_cell,
	.number = nue_layers_pane_number,
	.marks = nue_layers_pane_marks,
	.about = nue_layers_pane_about,
	.follow = nue_layers_pane_follow,
};
