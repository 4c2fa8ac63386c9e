/*
 * The pane `tree`: the fat tree as ftree sees it, roots first. For a refused fabric: the rule, the switches
 * that break it, and the cure.
 */
#include <stdlib.h>
#include <string.h>
#include "views/engine/tree.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/trace/moment.h"
#include "views/base/view.h"

enum { C_RANK, C_INDEX, C_NAME, C_UP, C_SIDE, C_DOWN, C_CN, C_BREAKS, C_GUID };

static const struct column columns[] = {
	NUM("rank", "level in the tree, 0 at the top", 0, .fold = FOLD_RANGE),
	COL("index", "place in the tree: rank, then a figure for each level", 5),
	COL("switch", "name of the switch", 8, .flex = 1, .fold = FOLD_CHIP),
	NUM("up", "port groups towards the roots; /N: their cables, if there are more", 3, .fold = FOLD_SUM),
	NUM("side", "port groups to switches of equal rank", 0, .fold = FOLD_SUM),
	NUM("down", "port groups away from the roots", 0, .fold = FOLD_SUM),
	NUM("nodes", "its hosts", 0, .fold = FOLD_SUM),
	COL("breaks the rule", "if ftree refuses: the rule that this switch breaks", 15, .flex = 3),
	COL("guid", "its 64-bit GUID, which never changes", 18, .drop = 1),
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

/* --- the tree ---------------------------------------------------------------------------- */

void tree_look_free(struct tree_look *look)
{
	ftree_free(look->built);
	memset(look, 0, sizeof(*look));
}

void tree_look_take(struct tree_look *look, const struct scene *sc)
{
	const struct sweep *w = sc->sweep;
	struct engine_input in = {0};
	struct engine_output out = {0};

	tree_look_free(look);
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

void tree_standing(const struct tree_look *look, struct text *t)
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

/*
 * A group of the switch with an unexpected number of cables, or NULL. Of the groups down, only the first is
 * examined.
 */
static const struct ft_group *odd_group(const struct ftree *t, uint32_t sw, enum ft_dir d)
{
	uint32_t n = d == FT_DOWN && t->sw[sw].n[d] > 1 ? 1 : t->sw[sw].n[d];

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

bool tree_breaks(const struct ftree *t, uint32_t sw)
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

/* --- the pane ---------------------------------------------------------------------------- */

static void tree_pane_unload(struct view *v)
{
	tree_look_free(&((struct tree_pane *)v->priv)->look);
}

COMPARATOR(by_level, struct tree_pane_line, UP(rank) UP(key) UP(order))

static void tree_pane_load(struct view *v)
{
	const struct fabric *f = v->scene->fabric;
	struct tree_pane *p = v->priv;
	const struct ftree *t;

	tree_look_take(&p->look, v->scene);
	t = p->look.tree;
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
	v->width[p->breakers ? C_GUID : C_BREAKS] = 0;
	v->width[C_INDEX] = (uint8_t)(t->leaf_rank < 2 ? 5 : 2 * t->leaf_rank + 3);
}

static void tree_pane_title(const struct view *v, struct text *t)
{
	const struct tree_pane *p = v->priv;
	const struct ftree *tree = p->look.tree;

	text_add(t, "Tree ── ");
	tree_standing(&p->look, t);
	if (!tree)
		return;
	if (tree->refusal.rule) {
		text_add(t, ": %s", tree->refusal.rule);
		if (p->breakers)
			text_add(t, " ── %u break%s it", p->breakers, p->breakers == 1 ? "s" : "");
		return;
	}
	text_add(t, ", %u levels, %u leaves", tree->leaf_rank + 1, tree->n_leaves);
	if (tree->n_reverse)
		text_add(t, ", %s by reverse hops", PLURAL(tree->n_reverse, "route"));
}

/* The last part of the explanation is the cure; if there is none, the whole explanation is shown. */
static void tree_pane_footer(const struct view *v, struct text *t)
{
	const struct tree_pane *p = v->priv;
	const struct ftree *tree = p->look.tree;
	const char *cure, *why;

	if (!tree)
		return;
	if (!tree->refusal.rule) {
		text_add(t, "up to %u compute node%s on a leaf (*)", tree->max_cn,
			 tree->max_cn == 1 ? "" : "s");
		if (tree->unindexed)
			text_add(t, ", %u without index", tree->unindexed);
		return;
	}
	why = tree->refusal.why.msg;
	cure = strrchr(why, ';');
	if (cure && p->breakers)
		text_add(t, "mend: %s", cure + 2);
	else
		text_add(t, "%s", why);
}

static int64_t tree_pane_number(const struct view *v, uint32_t row, unsigned col)
{
	const struct tree_pane *p = v->priv;
	const struct tree_pane_line *l = &p->line[row];
	const struct ft_switch *s = &p->look.tree->sw[l->sw];

	switch (col) {
	case C_RANK:
		return l->rank == FT_UNRANKED ? -1 : (int64_t)l->rank;
	case C_UP:
		return s->n[FT_UP];
	case C_SIDE:
		return s->n[FT_SIDE];
	case C_DOWN:
		return s->n[FT_DOWN];
	case C_CN:
		return s->n_cn;
	}
	return 0;
}

static void groups_cell(const struct tree_pane *p, const struct tree_pane_line *l, enum ft_dir d,
			struct text *t)
{
	uint32_t n = p->look.tree->sw[l->sw].n[d];

	text_add(t, n == l->links[d] ? "%u" : "%u/%u", n, l->links[d]);
}

/* The dead cabled ports: "; 5, 6 down". */
static void tree_pane_dead_ports(const struct topo *tp, uint32_t sw, struct text *t)
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
	tree_pane_dead_ports(tree->topo, sw, t);
}

static void tree_pane_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const struct tree_pane *p = v->priv;
	const struct tree_pane_line *l = &p->line[row];
	const struct fabric *f = v->scene->fabric;
	char tuple[40];

	switch (col) {
	case C_INDEX:
		text_add(t, "%s", ftree_tuple(p->look.tree, l->sw, tuple, sizeof(tuple)));
		return;
	case C_NAME:
		text_add(t, "%s", switch_name(f, l->sw));
		return;
	case C_UP:
	case C_SIDE:
	case C_DOWN:
		groups_cell(p, l, col == C_UP ? FT_UP : col == C_SIDE ? FT_SIDE : FT_DOWN, t);
		return;
	case C_BREAKS:
		if (l->breaks)
			breaks_cell(p->look.tree, l->sw, t);
		return;
	case C_GUID:
		text_add(t, "0x%016llx", (unsigned long long)f->node_guid[f->switch_node[l->sw]]);
		return;
	}
	number_cell(tree_pane_number(v, row, col), t);
}

static bool tree_pane_touched(const struct view *v, uint32_t row, unsigned col)
{
	const struct moment *m = v->scene->moment;
	uint32_t sw = ((const struct tree_pane *)v->priv)->line[row].sw;

	if (col == C_INDEX)
		return moment_touched(m, T_TUPLE, 2 * sw) || moment_touched(m, T_TUPLE, 2 * sw + 1);
	return col == C_RANK && moment_touched(m, T_RANK, sw);
}

static unsigned tree_pane_marks(const struct view *v, uint32_t row)
{
	const struct tree_pane *p = v->priv;
	const struct tree_pane_line *l = &p->line[row];

	if (!switch_up(p->look.tree->topo, l->sw))
		return MARK_DOWN;
	return l->breaks ? MARK_CHANGED : p->look.tree->sw[l->sw].is_leaf ? MARK_HERE : 0;
}

static bool tree_pane_about(const struct view *v, uint32_t row, struct subject *s)
{
	subject_switch(v, ((const struct tree_pane *)v->priv)->line[row].sw, s);
	return true;
}

const struct view_ops view_tree = {
	.name = "tree",
	.brief = "shows the fat tree by levels: index, port groups (/cables), leaves (*); if ftree refuses: "
		 "the rule, the switch that breaks it (!), the cure",
	.hints = "follow=groups :pane_ca-order=order :fail=fail",
	COLUMNS(columns),
	.flags = VIEW_WIDE | VIEW_CHIPS,
	.priv_size = sizeof(struct tree_pane),
	.load = tree_pane_load,
	.unload = tree_pane_unload,
	.title = tree_pane_title,
	.footer = tree_pane_footer,
	.cell = tree_pane_cell,
	.number = tree_pane_number,
	.marks = tree_pane_marks,
	.touched = tree_pane_touched,
	.about = tree_pane_about,
	.enter = "pane groups %node",
};
