/* The panes `tree` and `ranks`: switches by their place in a tree. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/trace/walk.h"
#include "views/base/view.h"
#include "views/engine/tree.h"

/* The pane `ranks`: switches by rank, roots first, with their links up, down and within a rank. */

enum { C_RANK, C_NAME, C_UP, C_DOWN, C_LEVEL, C_HOSTS, C_GUID };

static const struct column columns[] = {
	NUM("rank", "cables from the switch to the nearest root; in dnup to the nearest switch with hosts", 0,
	    .fold = FOLD_RANGE),
	COL("name", "name of the switch", 8, .flex = 1, .fold = FOLD_CHIP),
	NUM("up", "links up: to switches nearer to the roots; in dnup farther from those with hosts", 3,
	    .fold = FOLD_SUM),
	NUM("down", "links down: to switches farther from the roots; in dnup nearer to hosts", 0,
	    .fold = FOLD_SUM),
	NUM("level", "links to switches of equal rank", 0, .fold = FOLD_SUM),
	NUM("hosts",
	    "its ports that are up and lead to a host or router; to aggregation nodes only if they count", 0,
	    .drop = 2, .fold = FOLD_SUM),
	COL("guid", "its 64-bit GUID, which never changes", 18, .drop = 3),
};
static_assert(ARRAY_LEN(columns) == C_GUID + 1, "a column for each C_");

/* A switch, and its links to other switches by rank. */
struct ranks_pane_line {
	uint32_t sw, rank, was; /* was: before the last event, NO_RANK = the same, or unknown */
	uint32_t order;
	uint8_t up, down, level, hosts;
	bool root;
};

struct ranks_pane {
	struct ranks_pane_line *line; /* [n_rows] */
	uint32_t max, roots, level;   /* largest rank; switches of rank 0; cables within a rank */
	uint32_t changed;
	uint32_t missing; /* at a step: switches without rank that may still get one */
};

static uint32_t rank_in(const struct routing *r, uint32_t sw)
{
	return r && r->ops->rank && switch_up(r->topo, sw) ? r->ops->rank(r, sw) : NO_RANK;
}

/* Counts cables by the engine's direction. Those within a rank also count as level. */
static void ranks_pane_count_links(const struct routing *r, bool aggregation, struct ranks_pane_line *l)
{
	const struct fabric *f = r->topo->fabric;

	for (unsigned port = 1; port <= f->switch_nports[l->sw]; port++) {
		uint32_t id = switch_port_id(f, l->sw, port), q = r->topo->peer[id];
		uint32_t peer = r->topo->peer_switch[id];
		char c = ' ';

		l->hosts += port_of_host(f, q, aggregation);
		if (peer == NO_ID)
			continue;
		if (l->rank != NO_RANK && r->ops->rank(r, peer) == l->rank)
			l->level++;
		if (r->ops->direction)
			c = r->ops->direction(r, l->sw, port);
		else if (r->ops->rank(r, peer) != l->rank)
			c = r->ops->rank(r, peer) < l->rank ? 'U' : 'D';
		l->up += c == 'U';
		l->down += c == 'D';
	}
}

COMPARATOR(by_rank, struct ranks_pane_line, UP(rank) UP(order))

static void ranks_pane_load(struct view *v)
{
	const struct scene *sc = v->scene;
	const struct routing *r = scene_routing(sc);
	const struct fabric *f = sc->fabric;
	struct ranks_pane *p = v->priv;
	uint32_t missing = 0;

	if (!r || !r->ops->rank)
		return;
	p->line = VIEW_ARRAY(v, f->n_switches + 1, struct ranks_pane_line);
	for (uint32_t s = 0; s < f->n_switches; s++) {
		struct ranks_pane_line *l = &p->line[v->n_rows];
		uint32_t was = rank_in(scene_routing_before(sc), s);

		if (!switch_up(r->topo, s))
			continue;
		*l = (struct ranks_pane_line){
			.sw = s, .rank = r->ops->rank(r, s), .order = f->node_order[f->switch_node[s]]};
		l->was = was == l->rank || (sc->moment && l->rank == NO_RANK) ? NO_RANK : was;
		l->root = r->ops->is_root && r->ops->is_root(r, s);
		ranks_pane_count_links(r, scene_counts_aggregation(v->scene), l);
		p->changed += l->was != NO_RANK;
		p->roots += !l->rank;
		missing += l->rank == NO_RANK;
		p->level += l->level;
		if (l->rank != NO_RANK && l->rank > p->max)
			p->max = l->rank;
		v->n_rows++;
	}
	p->level /= 2;
	p->missing = missing && scene_unfinished(sc, T_RANK) ? missing : 0;
	qsort(p->line, v->n_rows, sizeof(*p->line), by_rank);
	if (p->changed)
		v->width[C_RANK] = 5;
	assert(!v->n_rows || p->line[0].rank <= p->line[v->n_rows - 1].rank);
}

static void ranks_pane_title(const struct view *v, struct text *t)
{
	const struct ranks_pane *p = v->priv;
	const struct routing *r = scene_routing(v->scene);
	uint32_t n = view_count(v);

	text_add(t, "Ranks");
	if (r && !r->ops->rank)
		text_add(t, ": %s has none%s", r->engine, scene_unfinished(v->scene, T_RANK) ? " yet" : "");
	if (!r || !v->n_rows)
		return;
	text_add(t, " %u/%u ── 0 to %u, %u ", n ? v->sel + 1 : 0, n, p->max, p->roots);
	if (r->ops->is_root)
		text_add(t, "root%s", p->roots == 1 ? "" : "s");
	else
		text_add(t, "of rank 0");
}

static void ranks_pane_footer(const struct view *v, struct text *t)
{
	const struct ranks_pane *p = v->priv;

	if (p->changed)
		text_add(t, "%u changed; ", p->changed);
	if (p->missing)
		text_add(t, "%u not ranked yet", p->missing);
	else if (p->level)
		text_add(t, "%u cable%s within a rank", p->level, p->level == 1 ? "" : "s");
	else if (v->n_rows)
		text_add(t, "levelled: no cable within a rank");
}

static int64_t ranks_pane_number(const struct view *v, uint32_t row, unsigned col)
{
	const struct ranks_pane_line *l = &((const struct ranks_pane *)v->priv)->line[row];

	switch (col) {
	case C_RANK:
		return l->rank == NO_RANK ? -1 : (int64_t)l->rank;
	case C_UP:
		return l->up;
	case C_DOWN:
		return l->down;
	case C_LEVEL:
		return l->level;
	case C_HOSTS:
		return l->hosts;
	}
	return 0;
}

static void ranks_pane_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const struct ranks_pane_line *l = &((const struct ranks_pane *)v->priv)->line[row];
	const struct fabric *f = v->scene->fabric;

	if (col == C_NAME)
		text_add(t, "%s", switch_name(f, l->sw));
	else if (col == C_GUID)
		text_add(t, "0x%016llx", (unsigned long long)f->node_guid[f->switch_node[l->sw]]);
	else if (col == C_RANK && l->was != NO_RANK)
		text_add(t, "%u → %lld", l->was, (long long)ranks_pane_number(v, row, col));
	else if (col == C_RANK && l->rank == NO_RANK)
		text_putc(t, ((const struct ranks_pane *)v->priv)->missing ? '.' : '-');
	else
		text_add(t, "%lld", (long long)ranks_pane_number(v, row, col));
}

static bool ranks_pane_touched(const struct view *v, uint32_t row, unsigned col)
{
	const struct ranks_pane *p = v->priv;

	return col == C_RANK && moment_touched(v->scene->moment, T_RANK, p->line[row].sw);
}

static unsigned ranks_pane_marks(const struct view *v, uint32_t row)
{
	const struct ranks_pane_line *l = &((const struct ranks_pane *)v->priv)->line[row];

	return l->was != NO_RANK ? MARK_CHANGED : mark_if(l->root, MARK_HERE);
}

static bool ranks_pane_about(const struct view *v, uint32_t row, struct subject *s)
{
	subject_switch(v, ((const struct ranks_pane *)v->priv)->line[row].sw, s);
	return true;
}

const struct view_ops view_ranks = {
	.name = "ranks",
	.brief = "lists switches by rank, roots (*) first, with their links up, down and to switches of "
		 "equal rank",
	.hints = "follow=open :pane_hops=hops :fail=fail",
	COLUMNS(columns),
	.flags = VIEW_CHIPS,
	.priv_size = sizeof(struct ranks_pane),
	.load = ranks_pane_load,
	.title = ranks_pane_title,
	.footer = ranks_pane_footer,
	.cell = ranks_pane_cell,
	.number = ranks_pane_number,
	.marks = ranks_pane_marks,
	.touched = ranks_pane_touched,
	.about = ranks_pane_about,
	.enter = "pane ports %node",
};

/* The pane `tree`: the fat tree as ftree sees it, roots first. For a refused fabric: the rule, the switches
 * that break it, and the cure. */

enum { tree_C_RANK, C_INDEX, tree_C_NAME, tree_C_UP, C_SIDE, tree_C_DOWN, C_CN, C_BREAKS, tree_C_GUID };

static const struct column tree_columns[] = {
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
static_assert(ARRAY_LEN(tree_columns) == tree_C_GUID + 1, "a column for each C_");

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
	v->width[p->breakers ? tree_C_GUID : C_BREAKS] = 0;
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
	case tree_C_RANK:
		return l->rank == FT_UNRANKED ? -1 : (int64_t)l->rank;
	case tree_C_UP:
		return s->n[FT_UP];
	case C_SIDE:
		return s->n[FT_SIDE];
	case tree_C_DOWN:
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
	case tree_C_NAME:
		text_add(t, "%s", switch_name(f, l->sw));
		return;
	case tree_C_UP:
		groups_cell(p, l, FT_UP, t);
		return;
	case C_SIDE:
		groups_cell(p, l, FT_SIDE, t);
		return;
	case tree_C_DOWN:
		groups_cell(p, l, FT_DOWN, t);
		return;
	case C_BREAKS:
		if (l->breaks)
			breaks_cell(p->look.tree, l->sw, t);
		return;
	case tree_C_GUID:
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
	return col == tree_C_RANK && moment_touched(m, T_RANK, sw);
}

static unsigned tree_pane_marks(const struct view *v, uint32_t row)
{
	const struct tree_pane *p = v->priv;
	const struct tree_pane_line *l = &p->line[row];

	if (!switch_up(p->look.tree->topo, l->sw))
		return MARK_DOWN;
	return l->breaks ? MARK_CHANGED : mark_if(p->look.tree->sw[l->sw].is_leaf, MARK_HERE);
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
	COLUMNS(tree_columns),
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
