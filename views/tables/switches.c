/* The pane `switches`: switches in the source's order; by rank if the engine has ranks. */
#include <stdlib.h>
#include "core/base/memory.h"
#include "core/base/order.h"
#include "views/base/view.h"

enum { C_RANK, C_NAME, C_LID, C_PORTS, C_UP, C_LIDS, C_CHANGED, C_HOSTS, C_GUID };

static const struct column columns[] = {
	NUM("rank", "level by the engine in force; for Up/Down cables to the nearest root", 0, .drop = 3,
	    .fold = FOLD_RANGE),
	COL("name", "name of the switch", 8, .flex = 1, .fold = FOLD_CHIP),
	NUM("lid", "its LID", 0),
	NUM("ports", "ports it has", 0, .drop = 5, .fold = FOLD_SUM),
	NUM("up", "ports that are up", 0, .fold = FOLD_SUM),
	NUM("lids", "LIDs for which its table has a port", 0, .was = "routes", .drop = 2, .fold = FOLD_SUM),
	NUM("changed", "entries that the last event changed", 0, .drop = 6, .fold = FOLD_SUM),
	NUM("hosts",
	    "its ports that are up and lead to a host or router; to aggregation nodes only if they count", 0,
	    .drop = 7, .fold = FOLD_SUM),
	COL("guid", "its 64-bit GUID, which never changes", 18, .drop = 8),
};

struct switches_pane {
	uint32_t *sw;	/* [n] switches in the order of rows */
	uint8_t *up;	/* [n_switches] live ports */
	uint8_t *hosts; /* [n_switches] of these, to hosts that count */
	bool ranks;
};

static uint32_t switches_pane_rank_of(const struct scene *sc, uint32_t sw)
{
	const struct routing *r = scene_real_routing(sc);

	return r && r->ops->rank ? r->ops->rank(r, sw) : NO_RANK;
}

struct switches_pane_place {
	uint32_t rank, order, sw;
};

COMPARATOR(by_place, struct switches_pane_place, DOWN(rank) UP(order)) /* leaves first, as hosts are there */

static void switches_pane_load(struct view *v)
{
	const struct scene *sc = v->scene;
	const struct fabric *f = sc->fabric;
	struct switches_pane *p = v->priv;
	bool aggregation = scene_counts_aggregation(sc);
	struct switches_pane_place *pl;

	if (!f)
		return;
	v->n_rows = f->n_switches;
	p->sw = VIEW_ARRAY(v, f->n_switches + 1, uint32_t);
	p->up = VIEW_ARRAY(v, f->n_switches + 1, uint8_t);
	p->hosts = VIEW_ARRAY(v, f->n_switches + 1, uint8_t);
	pl = NEW_ARRAY(f->n_switches + 1, struct switches_pane_place);
	for (uint32_t s = 0; s < f->n_switches; s++) {
		uint32_t rank = switches_pane_rank_of(sc, s);

		p->ranks |= rank != NO_RANK;
		pl[s] = (struct switches_pane_place){rank == NO_RANK ? 0 : rank,
						     f->node_order[f->switch_node[s]], s};
		FOR_PORTS(f, s, port) {
			p->up[s] += state_live_peer(f, sc->state, port) != NO_ID; /* reached or not */
			p->hosts[s] += port_of_host(f, sc->real_topo->peer[port], aggregation);
		}
	}
	qsort(pl, f->n_switches, sizeof(*pl), by_place);
	for (uint32_t i = 0; i < f->n_switches; i++)
		p->sw[i] = pl[i].sw;
	free(pl);
	if (!p->ranks)
		v->width[C_RANK] = 0;
	v->width[C_LID] = (uint8_t)digits(sc->real ? sc->real->lids->max_lid : 0, 3);
}

static void switches_pane_title(const struct view *v, struct text *t)
{
	title_place(v, "switches", t);
	if (v->sort < 0 && ((const struct switches_pane *)v->priv)->ranks)
		text_add(t, " by rank");
}

static int64_t switches_pane_number(const struct view *v, uint32_t row, unsigned col)
{
	const struct scene *sc = v->scene;
	const struct switches_pane *p = v->priv;
	const struct fabric *f = sc->fabric;
	uint32_t sw = p->sw[row], ep;
	const struct lft_row *lft;
	int64_t n = 0;

	switch (col) {
	case C_RANK:
		return switches_pane_rank_of(sc, sw) == NO_RANK ? -1 : (int64_t)switches_pane_rank_of(sc, sw);
	case C_LID:
		ep = f->port_endport[f->switch_port[sw]];
		return ep != NO_ID ? scene_lid(sc, ep) : 0;
	case C_PORTS:
		return f->switch_nports[sw];
	case C_UP:
		return p->up[sw];
	case C_LIDS:
		lft = scene_real_routing(sc) ? scene_real_routing(sc)->row[sw] : NULL;
		for (unsigned l = 0; lft && l <= lft->top; l++)
			n += lft->port[l] != NO_PATH;
		return n;
	case C_CHANGED:
		return sc->real_change && sc->real_change->switch_entries
			       ? sc->real_change->switch_entries[sw]
			       : 0;
	case C_HOSTS:
		return p->hosts[sw];
	}
	return 0;
}

static void switches_pane_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const struct switches_pane *p = v->priv;
	const struct fabric *f = v->scene->fabric;
	int64_t n;

	if (col == C_NAME) {
		text_add(t, "%s", switch_name(f, p->sw[row]));
		return;
	}
	if (col == C_GUID) {
		text_add(t, "0x%016llx", (unsigned long long)f->node_guid[f->switch_node[p->sw[row]]]);
		return;
	}
	n = switches_pane_number(v, row, col);
	if (col != C_CHANGED || n)
		number_cell(col == C_LID && !n ? -1 : n, t);
}

static unsigned switches_pane_marks(const struct view *v, uint32_t row)
{
	uint32_t sw = ((const struct switches_pane *)v->priv)->sw[row];

	return (switch_up(v->scene->real_topo, sw) ? 0 : MARK_DOWN) |
	       (switches_pane_number(v, row, C_CHANGED) ? MARK_CHANGED : 0);
}

static bool switches_pane_about(const struct view *v, uint32_t row, struct subject *s)
{
	subject_switch(v, ((const struct switches_pane *)v->priv)->sw[row], s);
	s->lid = (int)switches_pane_number(v, row, C_LID);
	return true;
}

const struct view_ops view_switches = {
	.name = "switches",
	.brief = "lists all switches: rank, LID, live ports, routes, entries that the last event changed",
	.hints = "follow=open :fail=fail :pane_lft=lft",
	COLUMNS(columns),
	.flags = VIEW_PRESENT | VIEW_CHIPS,
	.priv_size = sizeof(struct switches_pane),
	.load = switches_pane_load,
	.title = switches_pane_title,
	.cell = switches_pane_cell,
	.number = switches_pane_number,
	.marks = switches_pane_marks,
	.about = switches_pane_about,
	.enter = "pane ports %node",
};
