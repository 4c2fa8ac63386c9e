/* The table `ranks`: switches by rank, roots first, with their links up, down and within a rank. */
#include <assert.h>
#include <stdlib.h>

#include "core/base/order.h"
#include "core/trace/walk.h"
#include "views/base/view.h"

static const struct column ranks_columns[] = {
	NUM("rank", "cables from the switch to the nearest root; in dnup to the nearest switch with hosts", 0,
	    .fold = FOLD_RANGE),
	COL("name", "name of the switch", 8, .flex = 1, .fold = FOLD_CHIP, .kind = CELL_SWITCH),
	NUM("up", "links up: to switches nearer to the roots; in dnup farther from those with hosts", 3,
	    .fold = FOLD_SUM),
	NUM("down", "links down: to switches farther from the roots; in dnup nearer to hosts", 0,
	    .fold = FOLD_SUM),
	NUM("level", "links to switches of equal rank", 0, .fold = FOLD_SUM),
	NUM("hosts",
	    "its ports that are up and lead to a host or router; to aggregation nodes only if they count", 0,
	    .drop = 2, .fold = FOLD_SUM),
	COL("guid", "its 64-bit GUID, which never changes", 18, .drop = 3, .kind = CELL_GUID),
};

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

static void ranks_load(struct view *v)
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
	if (p->changed) {
		v->width[0] = 5;
		text_add(&v->footer, "%u changed; ", p->changed);
	}
	if (p->missing)
		text_add(&v->footer, "%u not ranked yet", p->missing);
	else if (p->level)
		text_add(&v->footer, "%s within a rank", PLURAL(p->level, "cable"));
	else if (v->n_rows)
		text_add(&v->footer, "levelled: no cable within a rank");
	assert(!v->n_rows || p->line[0].rank <= p->line[v->n_rows - 1].rank);
}

static void ranks_title(const struct view *v, struct text *t)
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

static void ranks_row(const struct view *v, uint32_t row, struct table_row *r)
{
	const struct ranks_pane *p = v->priv;
	const struct ranks_pane_line *l = &p->line[row];

	ROW_VALUES(v, r, l->rank == NO_RANK ? -1 : (int64_t)l->rank, l->sw, l->up, l->down, l->level,
		   l->hosts, l->sw);
	if (l->was != NO_RANK)
		r->says[0] = row_text(r, "%u → %d", l->was, (int)r->value[0]);
	else if (l->rank == NO_RANK && p->missing)
		r->says[0] = row_text(r, ".");
	r->marks = l->was != NO_RANK ? MARK_CHANGED : mark_if(l->root, MARK_HERE);
	row_touch(v, r, 0, T_RANK, l->sw);
	subject_switch(v, l->sw, &r->about);
}

const struct view_ops view_ranks = {
	.name = "ranks",
	.brief = "lists switches by rank, roots (*) first, with their links up, down and to switches of "
		 "equal rank",
	.hints = "follow=open :pane_hops=hops :fail=fail",
	COLUMNS(ranks_columns),
	.flags = VIEW_CHIPS,
	.priv_size = sizeof(struct ranks_pane),
	.load = ranks_load,
	.row = ranks_row,
	.title = ranks_title,
	.enter = "pane ports %node",
};
