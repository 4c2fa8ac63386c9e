/* The tables of ftree: `tree`, `ca-order` and `groups`. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/trace/walk.h"
#include "engines/ftree/ftree.h"
#include "views/base/view.h"

/*
 * The fat tree of the routing; or, if another engine routed, one built only for viewing, with the reason why
 * ftree refuses it. The first member of priv.
 */
struct tree_look {
	const struct ftree *tree; /* NULL = nothing has been routed */
	struct ftree *built;	  /* not of the routing; owned */
};

static void tree_look_free(struct tree_look *look)
{
	ftree_free(look->built);
	memset(look, 0, sizeof(*look));
}

/* Takes the tree of a scene. Building one costs time for all links and for sorting switches. */
static void tree_look_take(struct tree_look *look, const struct scene *sc)
{
	const struct sweep *w = sc->sweep;
	struct engine_input in = {0};
	struct engine_output out = {0};

	if (!w)
		return;
	look->tree = ftree_of(w->routing);
	if (look->tree)
		return;
	in.topo = w->topo;
	in.lids = w->lids;
	in.options = w->setup->options;
	look->tree = look->built = ftree_build(&in, &out);
	notes_free(&out.notes);
}

/* The status of the tree, for titles: "routed", "refused (AB09)", "not routed by it". */
static void tree_standing(const struct tree_look *look, struct text *t)
{
	const struct ft_refusal *x = look->tree ? &look->tree->refusal : NULL;

	if (!x)
		text_add(t, "nothing is routed");
	else if (!x->rule)
		text_add(t, look->built ? "accepted; another engine routes" : "routed");
	else if (*x->label)
		text_add(t, "refused (%s)", x->label);
	else
		text_add(t, "refused");
}

static void tree_unload(struct view *v)
{
	tree_look_free(v->priv);
}

static uint8_t tree_index_width(const struct ftree *t)
{
	return (uint8_t)(t->leaf_rank < 2 ? 5 : 2 * t->leaf_rank + 3);
}

/* The table `tree`: the fat tree as ftree sees it, roots first. For a refused fabric: the rule, the switches
 * that break it, and the cure. */

static const struct column tree_columns[] = {
	NUM("rank", "level in the tree, 0 at the top", 0, .fold = FOLD_RANGE),
	COL("index", "place in the tree: rank, then a figure for each level", 5),
	COL("switch", "name of the switch", 8, .flex = 1, .fold = FOLD_CHIP, .kind = CELL_SWITCH),
	NUM("up", "port groups towards the roots; /N: their cables, if there are more", 3, .fold = FOLD_SUM),
	NUM("side", "port groups to switches of equal rank", 0, .fold = FOLD_SUM),
	NUM("down", "port groups away from the roots", 0, .fold = FOLD_SUM),
	NUM("nodes", "its hosts", 0, .fold = FOLD_SUM),
	COL("breaks the rule", "if ftree refuses: the rule that this switch breaks", 15, .flex = 3),
	COL("guid", "its 64-bit GUID, which never changes", 18, .drop = 1, .kind = CELL_GUID),
};

struct tree_pane_line {
	uint32_t sw, rank, key, order;
	uint32_t links[FT_DIRS];
	bool breaks;
};

struct tree_pane {
	struct tree_look look;
	struct tree_pane_line *line; /* [n_rows] */
	uint32_t breakers;
};

/*
 * A group of the switch with an unexpected number of cables, or NULL. Of the groups down, only the first is
 * examined.
 */
static const struct ft_group *odd_group(const struct ftree *t, uint32_t sw, enum ft_dir d)
{
	uint32_t n = d == FT_DOWN && t->sw[sw].n[d] > 1 ? 1 : t->sw[sw].n[d];

	assert(sw < t->topo->fabric->n_switches);
	for (uint32_t i = 0; i < n; i++)
		if (ftree_group(t, sw, d, i)->n_links != t->refusal.expected)
			return ftree_group(t, sw, d, i);
	return NULL;
}

static bool node_off_leaves(const struct ftree *t, uint32_t sw)
{
	if (t->sw[sw].rank == t->leaf_rank)
		return false;
	for (uint32_t i = 0; i < t->n_ca; i++)
		if (t->ca[i].sw == sw && t->ca[i].is_cn)
			return true;
	return false;
}

/* Does a switch break the rule by which the tree is refused? */
static bool tree_breaks(const struct ftree *t, uint32_t sw)
{
	const struct ft_refusal *x = &t->refusal;
	const struct ft_switch *s = &t->sw[sw];

	if (!x->rule || !s->in)
		return false;
	if (sw == x->sw || !strcmp(x->label, "AB2B"))
		return true;
	if (!strcmp(x->label, "AB26"))
		return node_off_leaves(t, sw);
	if (x->sw == NO_ID || s->rank != t->sw[x->sw].rank)
		return false;
	if (!strcmp(x->label, "AB09"))
		return s->n[FT_UP] != x->expected;
	if (!strcmp(x->label, "AB0A"))
		return s->n[FT_DOWN] != x->expected;
	if (!strcmp(x->label, "AB0B"))
		return odd_group(t, sw, FT_UP) != NULL;
	return !strcmp(x->label, "AB0C") && odd_group(t, sw, FT_DOWN);
}

/*
 * Ends the title, and tells the footer: for a refused fabric the cure, which is the last part of the
 * explanation; if there is none, the whole explanation.
 */
static void tree_tell(const struct tree_pane *p, struct text *title, struct text *footer)
{
	const struct ftree *t = p->look.tree;
	const char *why = t->refusal.why.msg, *cure;

	if (!t->refusal.rule) {
		text_add(title, ", %u levels, %u leaves", t->leaf_rank + 1, t->n_leaves);
		if (t->n_reverse)
			text_add(title, ", %s by reverse hops", PLURAL(t->n_reverse, "route"));
		text_add(footer, "up to %s on a leaf (*)", PLURAL(t->max_cn, "compute node"));
		if (t->unindexed)
			text_add(footer, ", %u without index", t->unindexed);
		return;
	}
	text_add(title, ": %s", t->refusal.rule);
	if (p->breakers)
		text_add(title, " ── %u break%s it", p->breakers, p->breakers == 1 ? "s" : "");
	cure = p->breakers ? strrchr(why, ';') : NULL;
	text_add(footer, "%s%s", cure ? "mend: " : "", cure ? cure + 2 : why);
}

COMPARATOR(by_level, struct tree_pane_line, UP(rank) UP(key) UP(order))

static void tree_load(struct view *v)
{
	const struct fabric *f = v->scene->fabric;
	struct tree_pane *p = v->priv;
	const struct ftree *t;

	tree_look_take(&p->look, v->scene);
	t = p->look.tree;
	text_add(&v->title, "Tree ── ");
	tree_standing(&p->look, &v->title);
	if (!t)
		return;
	p->line = VIEW_ARRAY(v, f->n_switches + 1, struct tree_pane_line);
	for (uint32_t s = 0; s < f->n_switches; s++) {
		struct tree_pane_line *l = &p->line[v->n_rows++];

		*l = (struct tree_pane_line){.sw = s,
					     .rank = t->sw[s].in ? t->sw[s].rank : FT_UNRANKED,
					     .key = t->sw[s].key,
					     .order = f->node_order[f->switch_node[s]]};
		l->breaks = tree_breaks(t, s);
		p->breakers += l->breaks;
		for (unsigned d = 0; d < FT_DIRS; d++)
			for (uint32_t i = 0; i < t->sw[s].n[d]; i++)
				l->links[d] += ftree_group(t, s, d, i)->n_links;
	}
	qsort(p->line, v->n_rows, sizeof(*p->line), by_level);
	v->width[p->breakers ? 8 : 7] = 0;
	v->width[1] = tree_index_width(t);
	tree_tell(p, &v->title, &v->footer);
}

/* The dead cabled ports: "; 5, 6 down". */
static void tree_dead_ports(const struct topo *tp, uint32_t sw, struct text *t)
{
	const struct fabric *f = tp->fabric;
	bool any = false;

	for (unsigned n = 1; n <= f->switch_nports[sw]; n++) {
		uint32_t id = switch_port_id(f, sw, n);

		if (f->port_peer[id] == NO_ID || tp->peer[id] != NO_ID)
			continue;
		text_add(t, any ? ", %u" : "; %u", n);
		any = true;
	}
	if (any)
		text_add(t, " down");
}

static void breaks_cell(const struct ftree *tree, uint32_t sw, struct text *t)
{
	const struct ft_refusal *x = &tree->refusal;
	const struct ft_switch *s = &tree->sw[sw];
	bool up = !strcmp(x->label, "AB0B"), links = up || !strcmp(x->label, "AB0C");
	const struct ft_group *odd = links ? odd_group(tree, sw, up ? FT_UP : FT_DOWN) : NULL;

	if (!strcmp(x->label, "AB09"))
		text_add(t, "%u up, siblings %u", s->n[FT_UP], x->expected);
	else if (!strcmp(x->label, "AB0A"))
		text_add(t, "%u down, siblings %u", s->n[FT_DOWN], x->expected);
	else if (odd && odd->peer != NO_ID)
		text_add(t, "%u to %s, not %u", odd->n_links, switch_name(tree->topo->fabric, odd->peer),
			 x->expected);
	else if (!strcmp(x->label, "AB26"))
		text_add(t, "compute node above rank %u", tree->leaf_rank);
	else if (!strcmp(x->label, "AB2B"))
		text_add(t, tree->root_file ? "root or CA on it" : "CA on it");
	else
		text_add(t, "%s", x->rule);
	tree_dead_ports(tree->topo, sw, t);
}

static void tree_row(const struct view *v, uint32_t row, struct table_row *r)
{
	static const uint8_t of_direction[FT_DIRS] = {3, 4, 5}; /* columns of the groups up, side and down */
	const struct tree_pane *p = v->priv;
	const struct tree_pane_line *l = &p->line[row];
	const struct ftree *t = p->look.tree;
	const struct ft_switch *s = &t->sw[l->sw];
	size_t breaks;
	char tuple[40];

	breaks = row_text(r, "%s", "");
	if (l->breaks)
		breaks_cell(t, l->sw, &r->text);
	ROW_VALUES(v, r, l->rank == FT_UNRANKED ? -1 : (int64_t)l->rank,
		   row_text(r, "%s", ftree_tuple(t, l->sw, tuple, sizeof(tuple))), l->sw, s->n[FT_UP],
		   s->n[FT_SIDE], s->n[FT_DOWN], s->n_cn, breaks, l->sw);
	for (unsigned d = 0; d < FT_DIRS; d++)
		if (s->n[d] != l->links[d])
			r->says[of_direction[d]] = row_text(r, "%u/%u", s->n[d], l->links[d]);
	r->marks = l->breaks ? MARK_CHANGED : mark_if(s->is_leaf, MARK_HERE);
	if (!switch_up(t->topo, l->sw))
		r->marks = MARK_DOWN;
	row_touch(v, r, 0, T_RANK, l->sw);
	row_touch(v, r, 1, T_TUPLE, 2 * l->sw);
	row_touch(v, r, 1, T_TUPLE, 2 * l->sw + 1);
	subject_switch(v, l->sw, &r->about);
}

const struct view_ops view_tree = {
	.name = "tree",
	.brief = "shows the fat tree by levels: index, port groups (/cables), leaves (*); if ftree refuses: "
		 "the rule, the switch that breaks it (!), the cure",
	.hints = "follow=groups :pane_ca-order=order :fail=fail",
	COLUMNS(tree_columns),
	.flags = VIEW_WIDE | VIEW_CHIPS,
	.priv_size = sizeof(struct tree_pane),
	.load = tree_load,
	.row = tree_row,
	.unload = tree_unload,
	.enter = "pane groups %node",
};

/* The table `ca-order`: the order of compute nodes for which ftree routes, leaf by leaf. Shifts in this order
 * do not collide. */

static const struct column caorder_columns[] = {
	NUM("place", "place in the order, which shifts follow (each node sends K places further)", 0),
	COL("leaf", "the node's leaf switch", 8, .flex = 1, .fold = FOLD_CHIP, .kind = CELL_SWITCH),
	COL("index", "index of the leaf in the tree", 5, .drop = 1),
	NUM("lid", "LID of the node", 0),
	COL("node", "the compute node; DUMMY where one is missing", 8, .flex = 1),
};

struct caorder_pane {
	struct tree_look look;
	uint32_t *order; /* [n_rows] endports, NO_ID: a dummy */
};

static void caorder_unload(struct view *v)
{
	struct caorder_pane *p = v->priv;

	tree_look_free(&p->look);
	free(p->order);
}

static void caorder_load(struct view *v)
{
	struct caorder_pane *p = v->priv;
	const struct ftree *t;
	uint32_t dummies = 0;

	tree_look_take(&p->look, v->scene);
	t = p->look.tree;
	text_add(&v->title, "CA order ── ");
	if (!t || t->refusal.rule) {
		tree_standing(&p->look, &v->title);
		text_add(&v->footer, "%s", t ? t->refusal.why.msg : "");
		return;
	}
	p->order = ftree_order(t, &v->n_rows);
	for (uint32_t i = 0; i < v->n_rows; i++)
		dummies += p->order[i] == NO_ID;
	v->width[3] = (uint8_t)digits(t->max_lid, 3);
	v->width[2] = tree_index_width(t);
	text_add(&v->title, "%s", PLURAL(v->n_rows, "place"));
	if (dummies)
		text_add(&v->title, ", %u DUMMY", dummies);
	if (p->look.built)
		text_add(&v->footer, "as ftree would route; another engine does");
}

static void caorder_row(const struct view *v, uint32_t row, struct table_row *r)
{
	const struct caorder_pane *p = v->priv;
	const struct ftree *t = p->look.tree;
	const struct fabric *f = v->scene->fabric;
	/* each leaf has as many places as the largest leaf has compute nodes */
	uint32_t ep = p->order[row], leaf = t->leaf[row / t->max_cn];
	unsigned lid = ep == NO_ID ? 0 : t->lids->base[ep];
	size_t node = row_text(r, "%s", ep == NO_ID ? "DUMMY" : "");
	char tuple[40];

	assert(row / t->max_cn < t->n_leaves);
	r->about.sw = r->about.chip = leaf;
	if (ep == NO_ID) {
		r->says[3] = row_text(r, "-");
		r->marks = MARK_DOWN;
	} else {
		label_endport(f, ep, &r->text);
		r->about.key = f->port_guid[f->endport_port[ep]];
		r->about.node = endport_node(f, ep);
		subject_lid(lid, &r->about);
	}
	ROW_VALUES(v, r, row, leaf, row_text(r, "%s", ftree_tuple(t, leaf, tuple, sizeof(tuple))), lid, node);
}

const struct view_ops view_caorder = {
	.name = "ca-order",
	.brief = "lists compute nodes in the order that ftree routes for: leaf by leaf, missing ones as "
		 "DUMMY (x)",
	.hints = "follow=lft :pane_tree=tree back=back",
	COLUMNS(caorder_columns),
	.flags = VIEW_CHIPS,
	.priv_size = sizeof(struct caorder_pane),
	.load = caorder_load,
	.row = caorder_row,
	.unload = caorder_unload,
	.enter = "pane lft %switch %dst",
	.fold_row = "place",
};

/* The table `groups`: the port groups of a switch in a fat tree, with their counters, in the order in which
 * ftree visits them. */

static const struct column groups_columns[] = {
	COL("dir", "up: to a higher level of the tree; down: to a lower one", 4),
	COL("peer", "the switch or host at the other end of the cables", 10, .flex = 1, .fold = FOLD_CHIP),
	NUM("links", "cables of the group", 0, .fold = FOLD_SUM),
	NUM("cu", "routes up over the group", 3, .fold = FOLD_SUM),
	NUM("cd", "routes down over it", 3, .fold = FOLD_SUM),
	COL("port cu,cd", "each port with its own two counters", 12, .flex = 2),
};

struct groups_pane {
	struct tree_look look;
	uint32_t sw; /* NO_ID when it is no longer in the fabric */
};

static void groups_load(struct view *v)
{
	const struct fabric *f = v->scene->fabric;
	struct groups_pane *p = v->priv;
	uint32_t node = f ? fabric_node_by_guid(f, v->args.arg[0].guid) : NO_ID;
	const struct ftree *t;
	char tuple[40];

	p->sw = node == NO_ID ? NO_ID : f->node_switch[node];
	tree_look_take(&p->look, v->scene);
	t = p->look.tree;
	if (p->look.built)
		text_add(&v->footer, "counters are those of a routing by ftree; none yet");
	if (p->sw == NO_ID) {
		text_add(&v->title, "Groups of a switch that is gone");
		return;
	}
	assert(f);
	text_add(&v->title, "Groups of %s ── ", switch_name(f, p->sw));
	for (unsigned d = 0; t && d < FT_DIRS; d++)
		v->n_rows += t->sw[p->sw].n[d];
	if (v->n_rows && !p->look.built)
		text_add(&v->footer, "cu: climbs of the peer, cd: main climbs");
	if (t && !t->sw[p->sw].in) {
		text_add(&v->title,
			 switch_up(t->topo, p->sw) ? "takes no part in the tree" : "the switch is down");
		return;
	}
	if (t && t->sw[p->sw].tuple != FT_NO_TUPLE)
		text_add(&v->title, "%s, ", ftree_tuple(t, p->sw, tuple, sizeof(tuple)));
	tree_standing(&p->look, &v->title);
}

/* Names the peer of a group, and follows to its groups; or to the routes to a host. */
static size_t groups_peer(const struct view *v, const struct ft_group *g, struct table_row *r)
{
	const struct ft_ca *ca;
	size_t name;

	if (g->peer != NO_ID)
		return row_text(r, "%s", switch_name(v->scene->fabric, g->peer));
	ca = &((const struct groups_pane *)v->priv)->look.tree->ca[g->ca];
	r->follow = row_text(r, "pane lft %%node %u", ca->lid);
	name = row_text(r, "%s", "");
	label_endport(v->scene->fabric, ca->endport, &r->text);
	if (ca->is_io)
		text_add(&r->text, " (I/O)");
	else if (!ca->is_cn)
		text_add(&r->text, " (other)");
	return name;
}

/* Rows are first the groups up, then side, then down. */
static void groups_row(const struct view *v, uint32_t row, struct table_row *r)
{
	static const char *const words[FT_DIRS] = {"up", "side", "down"};
	const struct groups_pane *p = v->priv;
	const struct ftree *t = p->look.tree;
	const struct ft_switch *s = &t->sw[p->sw];
	enum ft_dir d = FT_UP;
	const struct ft_group *g;
	uint32_t group;
	size_t ports = row_text(r, "%s", "");

	for (; d < FT_DOWN && row >= s->n[d]; ++d)
		row -= s->n[d];
	g = ftree_group(t, p->sw, d, row);
	group = (uint32_t)(g - t->group);
	for (uint32_t i = g->link; i < g->link + g->n_links; i++)
		text_add(&r->text, "%s[%u] %u,%u", i > g->link ? "  " : "", t->link[i].port, t->link[i].cu,
			 t->link[i].cd);
	ROW_VALUES(v, r, row_text(r, "%s", words[d]), groups_peer(v, g, r), g->n_links, g->cu, g->cd, ports);
	/* places of groups that the step has sorted, and counters that it has incremented */
	row_touch(v, r, 1, T_SLOT, s->slot[d] + row);
	row_touch(v, r, 3, T_UP, t->n_links + group);
	row_touch(v, r, 4, T_DOWN, t->n_links + group);
	r->about.key = t->link[g->link].port;
	subject_switch_port(v, p->sw, t->link[g->link].port, &r->about);
	r->about.chip = g->peer;
}

const struct view_ops view_groups = {
	.name = "groups",
	.brief = "ftree: lists the port groups of a switch (cables to one peer) with their counters",
	.syntax = "SWITCH",
	.hints = "follow=open :fail=fail back=back",
	COLUMNS(groups_columns),
	.flags = VIEW_DETAIL | VIEW_WIDE | VIEW_TRACKS | VIEW_CHIPS,
	.priv_size = sizeof(struct groups_pane),
	.load = groups_load,
	.row = groups_row,
	.unload = tree_unload,
	.enter = "pane groups %peer",
	.fold_row = "group",
};
