/*
 * The pane `ca-order`: the order of compute nodes for which ftree routes, leaf by leaf. Shifts in this order
 * do not collide.
 */
#include <stdlib.h>
#include "views/engine/tree.h"
#include "views/base/view.h"

enum { C_PLACE, C_LEAF, C_INDEX, C_LID, C_NAME };

static const struct column columns[] = {
	NUM("place", "place in the order, which shifts follow (each node sends K places further)", 0),
	COL("leaf", "the node's leaf switch", 8, .flex = 1, .fold = FOLD_CHIP),
	COL("index", "index of the leaf in the tree", 5, .drop = 1),
	NUM("lid", "LID of the node", 0),
	COL("node", "the compute node; DUMMY where one is missing", 8, .flex = 1),
};

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
	COLUMNS(columns),
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
