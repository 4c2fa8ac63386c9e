/* The panes `mesh` of lash, `ca-order` and `groups` of ftree. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/trace/walk.h"
#include "engines/lash/lash.h"
#include "views/base/view.h"
#include "views/engine/tree.h"

/* The pane `mesh`: the result of lash's mesh analysis, with dimensions, coordinates of switches, and axes of
 * their ports. */

enum { C_SWITCH, C_COORD, C_PORTS, C_TYPE };

static const struct column columns[] = {
	COL("switch", "name of the switch", 8, .flex = 1, .fold = FOLD_CHIP),
	COL("at", "coordinates that the analysis gave the switch", 4),
	COL("ports by axis", "its ports, by direction", 13, .flex = 4),
	NUM("type", "row of the table of polynomials that its neighbourhood fits", 0, .drop = 1),
};
static_assert(ARRAY_LEN(columns) == C_TYPE + 1, "a column for each C_");

struct item {
	int32_t coord[MESH_DIMENSIONS];
	uint32_t id, sw; /* LASH's id, the fabric's id */
};

struct mesh_pane {
	const struct lash *lash;
	const struct lash_mesh *mesh;
	struct item *item; /* [n_rows] sorted by coordinates */
};

static int by_coord(const void *pa, const void *pb)
{
	const struct item *a = pa, *b = pb;

	for (unsigned d = 0; d < MESH_DIMENSIONS; d++)
		if (a->coord[d] != b->coord[d])
			return a->coord[d] < b->coord[d] ? -1 : 1;
	return COMPARED(a->id, b->id);
}

static void coord_cell(const struct lash_mesh *m, const struct item *it, struct text *t)
{
	for (unsigned d = 0; d < m->dimensions; d++)
		mesh_name_coordinate(d, it->coord[d], t);
}

/* Columns for coordinates, and one more before the ports. */
static uint8_t coord_width(const struct lash_mesh *m, const struct item *item, uint32_t n)
{
	struct text t = {0};
	size_t width = 4;

	for (uint32_t i = 0; i < n; i++) {
		text_clear(&t);
		coord_cell(m, &item[i], &t);
		if (t.len >= width)
			width = t.len + 1;
	}
	text_free(&t);
	return width < UINT8_MAX ? (uint8_t)width : UINT8_MAX;
}

static void mesh_pane_load(struct view *v)
{
	const struct scene *sc = v->scene;
	struct mesh_pane *p = v->priv;
	const struct lash_graph *g;

	p->lash = lash_of(scene_routing(sc));
	p->mesh = p->lash ? p->lash->plan->mesh : NULL;
	if (!p->mesh)
		return;
	g = p->lash->plan->graph;
	p->item = VIEW_ARRAY(v, g->n + 1, struct item);
	for (uint32_t i = 0; i < g->n; i++) {
		p->item[i].id = i;
		p->item[i].sw = g->sw[i];
		for (unsigned d = 0; d < p->mesh->dimensions; d++)
			p->item[i].coord[d] = lash_coordinate(p->lash, g->sw[i], d);
	}
	qsort(p->item, g->n, sizeof(*p->item), by_coord);
	v->n_rows = g->n;
	v->width[C_COORD] = coord_width(p->mesh, p->item, g->n);
}

/* Why lash did not route. NULL when it did, or was not asked. */
static const char *lash_refusal(const struct view *v)
{
	const struct sweep *w = v->scene->sweep;

	for (size_t i = 0; w && i < w->n_refusals; i++)
		if (!strcmp(w->refusal[i].engine, "lash"))
			return w->refusal[i].why;
	return NULL;
}

static void mesh_pane_title(const struct view *v, struct text *t)
{
	const struct mesh_pane *p = v->priv;
	const struct lash_mesh *m = p->mesh;

	text_add(t, "Mesh");
	if (!p->lash && lash_refusal(v))
		text_add(t, " ── lash refused: %s", lash_refusal(v));
	else if (!p->lash)
		text_add(t, " ── lash finds it: set do_mesh_analysis TRUE; route lash");
	else if (!m)
		text_add(t, " ── no analysis: set do_mesh_analysis TRUE");
	else if (!m->dimensions)
		text_add(t, " ── no geometry");
	else
		text_add(t, " ── %u dimension%s:", m->dimensions, m->dimensions == 1 ? "" : "s");
	for (unsigned d = 0; m && d < m->dimensions; d++)
		text_add(t, "%s%u", d ? " x " : " ", m->size[d]);
}

static void mesh_pane_footer(const struct view *v, struct text *t)
{
	const struct mesh_pane *p = v->priv;
	const struct lash_mesh *m = p->mesh;
	struct text remark = {0};

	if (!m)
		return;
	if (m->none) {
		text_add(t, "%s", m->none);
		return;
	}
	if (m->seed != NO_ID)
		text_add(t, "from %s: ", switch_name(v->scene->fabric, p->lash->plan->graph->sw[m->seed]));
	mesh_shape_remark(&m->shape, &remark);
	text_add(t, remark.len ? "shape " : "a switch of the shape ");
	mesh_name_shape(&m->shape, "x", t);
	if (remark.len)
		text_add(t, "; %s", text_str(&remark));
	text_free(&remark);
}

/* The ports of each axis: "+x 2 -x 3". */
static void mesh_pane_ports_cell(const struct view *v, uint32_t sw, struct text *t)
{
	const struct mesh_pane *p = v->priv;
	const struct lash_mesh *m = p->mesh;

	for (unsigned code = 1; code <= 2 * m->dimensions; code++) {
		bool any = false;

		for (unsigned n = 1; n <= v->scene->fabric->switch_nports[sw]; n++) {
			if (lash_axis_of_port(p->lash, sw, n) != code)
				continue;
			if (!any) {
				text_add(t, "%s", t->len ? "  " : "");
				mesh_name_axis(m->dimensions, code, t);
			}
			text_add(t, " %u", n);
			any = true;
		}
	}
}

static int64_t mesh_pane_number(const struct view *v, uint32_t row, unsigned col)
{
	const struct mesh_pane *p = v->priv;

	(void)col;
	return p->mesh->type ? p->mesh->type[p->item[row].id] : 0;
}

static void mesh_pane_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const struct mesh_pane *p = v->priv;
	const struct item *it = &p->item[row];
	struct text own = {0};
	int64_t n;

	switch (col) {
	case C_SWITCH:
		text_add(t, "%s", switch_name(v->scene->fabric, it->sw));
		break;
	case C_COORD:
		coord_cell(p->mesh, it, t);
		break;
	case C_PORTS:
		mesh_pane_ports_cell(v, it->sw, &own);
		text_add(t, "%s", text_str(&own));
		text_free(&own);
		break;
	case C_TYPE:
		n = mesh_pane_number(v, row, col);
		if (n > 0)
			text_add(t, "%d", (int)n);
		else
			text_add(t, n < 0 ? "edge" : "-");
		break;
	}
}

static bool mesh_pane_touched(const struct view *v, uint32_t row, unsigned col)
{
	const struct mesh_pane *p = v->priv;
	const struct moment *m = v->scene->moment;
	const struct fabric *f = v->scene->fabric;
	uint32_t sw = p->item[row].sw, dims = (uint32_t)(recording_cells(m->rec, T_COORD) / f->n_switches);

	for (uint32_t d = 0; col == C_COORD && d < dims; d++)
		if (moment_touched(m, T_COORD, sw * dims + d))
			return true;
	for (unsigned n = 1; col == C_PORTS && n <= f->switch_nports[sw]; n++)
		if (moment_touched(m, T_AXIS, switch_port_id(f, sw, n)))
			return true;
	return false;
}

static bool mesh_pane_about(const struct view *v, uint32_t row, struct subject *s)
{
	subject_switch(v, ((const struct mesh_pane *)v->priv)->item[row].sw, s);
	return true;
}

const struct view_ops view_mesh = {
	.name = "mesh",
	.brief = "lash: shows the result of its mesh analysis: dimensions, coordinates of switches, axes of "
		 "their ports",
	.hints = "follow=ports :fail=fail back=back",
	COLUMNS(columns),
	.flags = VIEW_WIDE | VIEW_CHIPS,
	.priv_size = sizeof(struct mesh_pane),
	.load = mesh_pane_load,
	.title = mesh_pane_title,
	.footer = mesh_pane_footer,
	.cell = mesh_pane_cell,
	.number = mesh_pane_number,
	.touched = mesh_pane_touched,
	.about = mesh_pane_about,
	.enter = "pane ports %node",
};

/* The pane `ca-order`: the order of compute nodes for which ftree routes, leaf by leaf. Shifts in this order
 * do not collide. */

enum { C_PLACE, C_LEAF, C_INDEX, C_LID, C_NAME };

static const struct column caorder_columns[] = {
	NUM("place", "place in the order, which shifts follow (each node sends K places further)", 0),
	COL("leaf", "the node's leaf switch", 8, .flex = 1, .fold = FOLD_CHIP),
	COL("index", "index of the leaf in the tree", 5, .drop = 1),
	NUM("lid", "LID of the node", 0),
	COL("node", "the compute node; DUMMY where one is missing", 8, .flex = 1),
};
static_assert(ARRAY_LEN(caorder_columns) == C_NAME + 1, "a column for each C_");

struct caorder_pane {
	struct tree_look look;
	uint32_t *order; /* [n_rows] endports, NO_ID: a dummy */
	uint32_t dummies;
};

static void caorder_pane_unload(struct view *v)
{
	struct caorder_pane *p = v->priv;

	tree_look_free(&p->look);
	free(p->order);
}

static void caorder_pane_load(struct view *v)
{
	struct caorder_pane *p = v->priv;

	tree_look_take(&p->look, v->scene);
	if (!p->look.tree || p->look.tree->refusal.rule)
		return;
	p->order = ftree_order(p->look.tree, &v->n_rows);
	for (uint32_t i = 0; i < v->n_rows; i++)
		p->dummies += p->order[i] == NO_ID;
	v->width[C_LID] = (uint8_t)digits(p->look.tree->max_lid, 3);
	v->width[C_INDEX] = (uint8_t)(p->look.tree->leaf_rank < 2 ? 5 : 2 * p->look.tree->leaf_rank + 3);
}

static void caorder_pane_title(const struct view *v, struct text *t)
{
	const struct caorder_pane *p = v->priv;

	text_add(t, "CA order ── ");
	if (!p->order) {
		tree_standing(&p->look, t);
		return;
	}
	text_add(t, "%u place%s", v->n_rows, v->n_rows == 1 ? "" : "s");
	if (p->dummies)
		text_add(t, ", %u DUMMY", p->dummies);
}

static void caorder_pane_footer(const struct view *v, struct text *t)
{
	const struct caorder_pane *p = v->priv;

	if (p->look.tree && p->look.tree->refusal.rule)
		text_add(t, "%s", p->look.tree->refusal.why.msg);
	else if (p->look.built)
		text_add(t, "as ftree would route; another engine does");
}

/* Each leaf has as many places as the largest leaf has compute nodes. */
static uint32_t leaf_of(const struct caorder_pane *p, uint32_t row)
{
	assert(row / p->look.tree->max_cn < p->look.tree->n_leaves);
	return p->look.tree->leaf[row / p->look.tree->max_cn];
}

static int64_t caorder_pane_number(const struct view *v, uint32_t row, unsigned col)
{
	const struct caorder_pane *p = v->priv;

	if (col == C_PLACE)
		return row;
	return p->order[row] == NO_ID ? 0 : p->look.tree->lids->base[p->order[row]];
}

static void caorder_pane_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const struct caorder_pane *p = v->priv;
	uint32_t ep = p->order[row];
	char tuple[40];

	switch (col) {
	case C_LEAF:
		text_add(t, "%s", switch_name(v->scene->fabric, leaf_of(p, row)));
		return;
	case C_INDEX:
		text_add(t, "%s", ftree_tuple(p->look.tree, leaf_of(p, row), tuple, sizeof(tuple)));
		return;
	case C_NAME:
		if (ep == NO_ID)
			text_add(t, "DUMMY");
		else
			label_endport(v->scene->fabric, ep, t);
		return;
	}
	if (col == C_LID && ep == NO_ID)
		text_putc(t, '-');
	else
		text_add(t, "%lld", (long long)caorder_pane_number(v, row, col));
}

static unsigned caorder_pane_marks(const struct view *v, uint32_t row)
{
	const struct caorder_pane *p = v->priv;

	return p->order[row] == NO_ID ? MARK_DOWN : 0;
}

static bool caorder_pane_about(const struct view *v, uint32_t row, struct subject *s)
{
	const struct caorder_pane *p = v->priv;
	const struct fabric *f = v->scene->fabric;
	uint32_t ep = p->order[row];

	s->sw = s->chip = leaf_of(p, row);
	if (ep == NO_ID)
		return true;
	s->key = f->port_guid[f->endport_port[ep]];
	s->node = endport_node(f, ep);
	subject_lid(p->look.tree->lids->base[ep], s);
	return true;
}

const struct view_ops view_caorder = {
	.name = "ca-order",
	.brief = "lists compute nodes in the order that ftree routes for: leaf by leaf, missing ones as "
		 "DUMMY (x)",
	.hints = "follow=lft :pane_tree=tree back=back",
	COLUMNS(caorder_columns),
	.flags = VIEW_CHIPS,
	.priv_size = sizeof(struct caorder_pane),
	.load = caorder_pane_load,
	.unload = caorder_pane_unload,
	.title = caorder_pane_title,
	.footer = caorder_pane_footer,
	.cell = caorder_pane_cell,
	.number = caorder_pane_number,
	.marks = caorder_pane_marks,
	.about = caorder_pane_about,
	.enter = "pane lft %switch %dst",
	.fold_row = "place",
};

/* The pane `groups`: the port groups of a switch in a fat tree, with their counters, in the order in which
 * ftree visits them. */

enum { C_DIR, C_PEER, C_LINKS, C_CU, C_CD, C_CABLES };

static const struct column groups_columns[] = {
	COL("dir", "up: to a higher level of the tree; down: to a lower one", 4),
	COL("peer", "the switch or host at the other end of the cables", 10, .flex = 1, .fold = FOLD_CHIP),
	NUM("links", "cables of the group", 0, .fold = FOLD_SUM),
	NUM("cu", "routes up over the group", 3, .fold = FOLD_SUM),
	NUM("cd", "routes down over it", 3, .fold = FOLD_SUM),
	COL("port cu,cd", "each port with its own two counters", 12, .flex = 2),
};
static_assert(ARRAY_LEN(groups_columns) == C_CABLES + 1, "a column for each C_");

struct groups_pane {
	uint32_t sw; /* NO_ID when it is no longer in the fabric */
	struct tree_look look;
};

static void groups_pane_unload(struct view *v)
{
	tree_look_free(&((struct groups_pane *)v->priv)->look);
}

static void groups_pane_load(struct view *v)
{
	const struct fabric *f = v->scene->fabric;
	struct groups_pane *p = v->priv;
	uint32_t node = f ? fabric_node_by_guid(f, v->args.arg[0].guid) : NO_ID;

	p->sw = node == NO_ID ? NO_ID : f->node_switch[node];
	tree_look_take(&p->look, v->scene);
	for (unsigned d = 0; p->look.tree && p->sw != NO_ID && d < FT_DIRS; d++)
		v->n_rows += p->look.tree->sw[p->sw].n[d];
}

/* Rows are first the groups up, then side, then down. */
static const struct ft_group *groups_pane_group_of(const struct view *v, uint32_t row, enum ft_dir *d)
{
	const struct groups_pane *p = v->priv;
	const struct ftree *t = p->look.tree;

	for (*d = FT_UP; *d < FT_DOWN && row >= t->sw[p->sw].n[*d]; ++*d)
		row -= t->sw[p->sw].n[*d];
	return ftree_group(t, p->sw, *d, row);
}

static void groups_pane_title(const struct view *v, struct text *t)
{
	const struct groups_pane *p = v->priv;
	const struct ftree *tree = p->look.tree;
	char tuple[40];

	if (p->sw == NO_ID) {
		text_add(t, "Groups of a switch that is gone");
		return;
	}
	text_add(t, "Groups of %s ── ", switch_name(v->scene->fabric, p->sw));
	if (tree && !tree->sw[p->sw].in) {
		text_add(t,
			 switch_up(tree->topo, p->sw) ? "takes no part in the tree" : "the switch is down");
		return;
	}
	if (tree && tree->sw[p->sw].tuple != FT_NO_TUPLE)
		text_add(t, "%s, ", ftree_tuple(tree, p->sw, tuple, sizeof(tuple)));
	tree_standing(&p->look, t);
}

static void groups_pane_footer(const struct view *v, struct text *t)
{
	const struct groups_pane *p = v->priv;

	if (p->look.built)
		text_add(t, "counters are those of a routing by ftree; none yet");
	else if (v->n_rows)
		text_add(t, "cu: climbs of the peer, cd: main climbs");
}

static int64_t groups_pane_number(const struct view *v, uint32_t row, unsigned col)
{
	enum ft_dir d;
	const struct ft_group *g = groups_pane_group_of(v, row, &d);

	switch (col) {
	case C_LINKS:
		return g->n_links;
	case C_CU:
		return g->cu;
	case C_CD:
		return g->cd;
	}
	return 0;
}

static void peer_cell(const struct view *v, const struct ft_group *g, struct text *t)
{
	const struct groups_pane *p = v->priv;
	const struct ft_ca *ca;

	if (g->peer != NO_ID) {
		text_add(t, "%s", switch_name(v->scene->fabric, g->peer));
		return;
	}
	ca = &p->look.tree->ca[g->ca];
	label_endport(v->scene->fabric, ca->endport, t);
	if (ca->is_io)
		text_add(t, " (I/O)");
	else if (!ca->is_cn)
		text_add(t, " (other)");
}

static void groups_pane_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	static const char *const words[FT_DIRS] = {"up", "side", "down"};
	const struct groups_pane *p = v->priv;
	const struct ftree *tree = p->look.tree;
	enum ft_dir d;
	const struct ft_group *g = groups_pane_group_of(v, row, &d);

	switch (col) {
	case C_DIR:
		text_add(t, "%s", words[d]);
		return;
	case C_PEER:
		peer_cell(v, g, t);
		return;
	case C_CABLES:
		for (uint32_t i = g->link; i < g->link + g->n_links; i++)
			text_add(t, "%s[%u] %u,%u", i > g->link ? "  " : "", tree->link[i].port,
				 tree->link[i].cu, tree->link[i].cd);
		return;
	}
	number_cell(groups_pane_number(v, row, col), t);
}

/* Counters that the step has incremented, and places of groups that it has sorted. */
static bool groups_pane_touched(const struct view *v, uint32_t row, unsigned col)
{
	const struct groups_pane *p = v->priv;
	const struct ftree *t = p->look.tree;
	const struct moment *m = v->scene->moment;
	uint32_t group, place = row;
	enum ft_dir d;

	group = (uint32_t)(groups_pane_group_of(v, row, &d) - t->group);
	for (unsigned k = FT_UP; k < d; k++)
		place -= t->sw[p->sw].n[k];
	if (col == C_PEER)
		return moment_touched(m, T_SLOT, t->sw[p->sw].slot[d] + place);
	return (col == C_CU && moment_touched(m, T_UP, t->n_links + group)) ||
	       (col == C_CD && moment_touched(m, T_DOWN, t->n_links + group));
}

static bool groups_pane_about(const struct view *v, uint32_t row, struct subject *s)
{
	const struct groups_pane *p = v->priv;
	enum ft_dir d;
	const struct ft_group *g = groups_pane_group_of(v, row, &d);

	s->key = p->look.tree->link[g->link].port;
	subject_switch_port(v, p->sw, (unsigned)s->key, s);
	s->chip = g->peer;
	return true;
}

static void groups_pane_follow(const struct view *v, uint32_t row, struct text *t)
{
	const struct groups_pane *p = v->priv;
	enum ft_dir d;
	const struct ft_group *g = groups_pane_group_of(v, row, &d);

	view_fill(v, row, g->peer != NO_ID ? "pane groups %peer" : "pane lft %node", t);
	if (g->peer == NO_ID)
		text_add(t, " %u", p->look.tree->ca[g->ca].lid);
}

const struct view_ops view_groups = {
	.name = "groups",
	.brief = "ftree: lists the port groups of a switch (cables to one peer) with their counters",
	.syntax = "SWITCH",
	.hints = "follow=open :fail=fail back=back",
	COLUMNS(groups_columns),
	.flags = VIEW_DETAIL | VIEW_WIDE | VIEW_TRACKS | VIEW_CHIPS,
	.priv_size = sizeof(struct groups_pane),
	.load = groups_pane_load,
	.unload = groups_pane_unload,
	.title = groups_pane_title,
	.footer = groups_pane_footer,
	.cell = groups_pane_cell,
	.number = groups_pane_number,
	.touched = groups_pane_touched,
	.about = groups_pane_about,
	.follow = groups_pane_follow,
	.fold_row = "group",
};
