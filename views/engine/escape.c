/* The pane `escape`: the escape tree of a layer of nue, beginning with its central switch. */
#include <stdlib.h>
#include "core/base/memory.h"
#include "engines/nue/nue.h"
#include "core/base/order.h"
#include "views/base/view.h"

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
