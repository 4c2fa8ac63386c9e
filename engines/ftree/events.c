/* What ftree records. */

#include "core/base/defs.h"
#include "engines/ftree/internal.h"

/* --- the tree -------------------------------------------------------------------------------- */

void ft_record_begin(const struct ftree *t)
{
	uint32_t n = t->topo->fabric->n_switches;

	rec_cells(t->rec, T_RANK, n);
	rec_cells(t->rec, T_TUPLE, 2 * (size_t)n);
	rec_text(t->rec, REC_PHASE, "ranks");
	rec_text(t->rec, REC_NOTE,
		 t->root_file ? "roots are those in root_guid_file"
			      : "roots are the switches farthest from the CAs");
}

void ft_record_rank(const struct ftree *t, uint32_t sw, uint32_t from, uint32_t was)
{
	rec_event(t->rec, REC_RANK, 0, 0, sw, from);
	rec_delta(t->rec, T_RANK, sw, was, t->sw[sw].rank);
}

void ft_record_groups(const struct ftree *t)
{
	rec_cells(t->rec, T_SLOT, t->n_groups);
	rec_text(t->rec, REC_PHASE, "groups of ports");
	for (uint32_t s = 0; s < t->topo->fabric->n_switches; s++) {
		const struct ft_switch *w = &t->sw[s];

		if (!w->in)
			continue;
		rec_event(t->rec, REC_GROUP, 0, 0, s, 0);
		for (unsigned d = 0; d < FT_DIRS; d++)
			for (uint32_t i = w->slot[d]; i < w->slot[d] + w->n[d]; i++)
				rec_delta(t->rec, T_SLOT, i, NO_ID, t->slot[i].group);
	}
}

void ft_record_tuple(const struct ftree *t, uint32_t sw, uint32_t from)
{
	uint64_t tuple = t->sw[sw].tuple;

	rec_event(t->rec, REC_TUPLE, 0, 0, sw, from);
	rec_delta(t->rec, T_TUPLE, 2 * sw, NO_ID, (uint32_t)(tuple >> 32));
	rec_delta(t->rec, T_TUPLE, 2 * sw + 1, NO_ID, (uint32_t)tuple);
}

void ft_record_indexed(const struct ftree *t, const struct ft_slot *before)
{
	for (uint32_t s = 0; s < t->topo->fabric->n_switches; s++)
		for (unsigned d = 0; t->sw[s].in && d < FT_DIRS; d++)
			ft_record_sort(t->rec, t, s, d, before + t->sw[s].slot[d]);
}

void ft_record_leaves(const struct ftree *t)
{
	rec_text(t->rec, REC_PHASE, "leaves");
	for (uint32_t i = 0; i < t->n_leaves; i++)
		rec_event(t->rec, REC_LEAF, 0, 0, t->leaf[i], i);
}

void ft_record_pure(const struct ftree *t, uint32_t sw, uint32_t first, bool alike)
{
	rec_event(t->rec, REC_PURE, !alike, 0, sw, first);
}

void ft_record_tree(const struct ftree *t, struct recorder *rec)
{
	rec_keep(rec, ft_copy(t), ftree_free);
	rec_cells(rec, T_UP, t->n_links + t->n_groups);
	rec_cells(rec, T_DOWN, t->n_links + t->n_groups);
}

static void ftree_events_entry(const struct ft_run *r, uint32_t sw, unsigned was, unsigned now)
{
	rec_delta(r->rec, T_ENTRY, sw * (r->in->lids->max_lid + 1u) + r->lid, was, now);
}

void ft_record_start(const struct ft_run *r, uint32_t leaf, unsigned local, unsigned was)
{
	rec_event(r->rec, REC_TARGET, 0, 0, leaf, r->lid);
	if (!r->lid)
		return;
	rec_event(r->rec, REC_CHOICE, FT_LOCAL, local, leaf, r->lid);
	ftree_events_entry(r, leaf, was, local);
}

static void flag(const struct ft_run *r, uint8_t hops)
{
	rec_flag(r->rec, (r->reverse ? BY_REVERSE : 0) | MIN(hops, MOST_HOPS) << HOPS_AT);
}

void ft_record_set(const struct ft_run *r, const struct ft_group *g, const struct ft_link *l, uint8_t hops,
		   enum ft_cause cause)
{
	rec_event(r->rec, REC_CHOICE, cause, l->remote, g->peer, r->lid);
	flag(r, hops);
	if (cause == FT_MAIN && r->t->sw[g->sw].n[FT_UP] > 1) /* the climb is already counted in its group */
		rec_flag(r->rec, ftree_group(r->t, g->sw, FT_UP, 1)->cd > g->cd - 1 ? BY_LOAD : BY_INDEX);
	if (r->lid)
		ftree_events_entry(r, g->peer, r->port[g->peer], l->remote);
}

void ft_record_offer(const struct ft_run *r, const struct ft_group *g, const struct ft_link *l, uint8_t hops,
		     enum ft_cause cause)
{
	if (!r->lid || !rec_wants(r->rec, REC_OFFER, g->peer, r->lid))
		return;
	rec_event(r->rec, REC_OFFER, cause, l->remote, g->peer, r->lid);
	flag(r, hops);
}

void ft_record_cost(const struct ft_run *r, uint32_t target, uint32_t port_id, unsigned was, unsigned now)
{
	rec_delta(r->rec, T_HOPS, target * r->t->topo->fabric->n_ports + port_id, was, now);
}

/* Records that the counters of a cable and of its group grow by one. */
static void ftree_events_count(const struct ft_run *r, enum rec_table t, const struct ft_group *g,
			       const struct ft_link *l)
{
	bool up = t == T_UP;

	rec_delta(r->rec, t, (uint32_t)(l - r->t->link), up ? l->cu : l->cd, (up ? l->cu : l->cd) + 1);
	rec_delta(r->rec, t, r->t->n_links + (uint32_t)(g - r->t->group), up ? g->cu : g->cd,
		  (up ? g->cu : g->cd) + 1);
}

void ft_record_spread(const struct ft_run *r, const struct ft_group *g, const struct ft_link *l)
{
	rec_event(r->rec, REC_SPREAD, 0, l->port, g->sw, r->lid);
	ftree_events_count(r, T_UP, g, l);
}

void ft_record_climb(const struct ft_run *r, uint32_t sw, const struct ft_group *g0, const struct ft_group *g,
		     const struct ft_link *l)
{
	rec_event(r->rec, REC_CLIMB, 0, l->port, sw, r->lid);
	if (g0 != g)
		rec_flag(r->rec, BY_REVERSE); /* over a side link, counted at the main parent */
	ftree_events_count(r, T_DOWN, g0, l);
}

void ft_record_sort(struct recorder *rec, const struct ftree *t, uint32_t sw, enum ft_dir d,
		    const struct ft_slot *before)
{
	const struct ft_switch *s = &t->sw[sw];
	const struct ft_slot *a = t->slot + s->slot[d];
	bool any = false;

	for (uint32_t i = 0; i < s->n[d]; i++) {
		if (a[i].group == before[i].group)
			continue;
		if (!any)
			rec_event(rec, REC_SORT, 0, d, sw, 0);
		any = true;
		rec_delta(rec, T_SLOT, s->slot[d] + i, before[i].group, a[i].group);
	}
}

void ft_record_roots(const struct ft_run *r, uint32_t sw, uint32_t target, unsigned port, unsigned hops)
{
	const struct ftree *t = r->t;
	uint32_t p0 = t->topo->fabric->switch_port[sw];
	unsigned lid = t->sw[target].lid, least = hops_least(t->hops, sw, target);

	rec_event(r->rec, REC_CHOICE, FT_ROOTS, port, sw, lid);
	rec_delta(r->rec, T_ENTRY, sw * (r->in->lids->max_lid + 1u) + lid, NO_PATH, port);
	if (port)
		ft_record_cost(r, target, p0 + port, hops_value(t->hops, t->topo, sw, target, port), hops);
	if (hops < least)
		ft_record_cost(r, target, p0, least, hops);
}
