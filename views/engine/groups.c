/*
 * The pane `groups`: the port groups of a switch in a fat tree, with their counters, in the order in which
 * ftree visits them.
 */
#include "core/trace/moment.h"
#include "views/engine/tree.h"
#include "views/base/view.h"

enum { C_DIR, C_PEER, C_LINKS, C_CU, C_CD, C_CABLES };

static const struct column columns[] = {
	COL("dir", "up: to a higher level of the tree; down: to a lower one", 4),
	COL("peer", "the switch or host at the other end of the cables", 10, .flex = 1, .fold = FOLD_CHIP),
	NUM("links", "cables of the group", 0, .fold = FOLD_SUM),
	NUM("cu", "routes up over the group", 3, .fold = FOLD_SUM),
	NUM("cd", "routes down over it", 3, .fold = FOLD_SUM),
	COL("port cu,cd", "each port with its own two counters", 12, .flex = 2),
};

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
	text_add(t, "%s", ca->is_io ? " (I/O)" : ca->is_cn ? "" : " (other)");
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
	COLUMNS(columns),
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
