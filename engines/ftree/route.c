/* Routing: the destinations in order, their results, and finally the roots. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/memory.h"
#include "core/base/order.h"
#include "engines/ftree/ftree.h"

/* --- one destination ------------------------------------------------------------------------- */

/* Sorts groups of switches of families that were visited since their counters changed, in part without being
 * asked. */
static void sort_waiting(struct ft_run *r)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->n_waiting; i++) {
		uint32_t w = r->waiting[i];

		if (r->changed[w] != r->n_destinations && r->hop[r->place[w]] != NO_PATH)
			ft_visit(r, w);
		r->waits[w] = r->unsorted[w];
		if (r->waits[w])
			r->waiting[n++] = w;
	}
	r->n_waiting = n;
	r->n_destinations++;
}

static void ftree_route_clear(struct ft_run *r)
{
	sort_waiting(r);
	memset(r->port, NO_PATH, r->n_switches);
	memset(r->hop, NO_PATH, r->n_switches);
	memset(r->told, 0xff, r->n_families * sizeof(*r->told)); /* FT_UNTOLD */
	r->n_untold = r->n_low;
	r->farthest = 0;
	r->n_touched = 0;
}

static void ftree_route_start(struct ft_run *r, uint32_t leaf, uint16_t lid, uint32_t target, unsigned local,
			      unsigned hop)
{
	assert(lid <= r->t->max_lid);
	r->lid = lid;
	r->target = target;
	if (r->rec)
		ft_record_start(r, leaf, local, r->port[leaf]);
	ft_touch(r, leaf);
	r->hop[r->place[leaf]] = hop;
	if (lid)
		r->port[r->place[leaf]] = local;
	if (r->reversed)
		r->reversed[leaf] = 0;
	if (r->tell)
		ft_tell_begin(r, leaf);
}

/* Counts switches with hosts that did not learn the route to a CA's LID. */
static void count_unreached(struct ft_run *r)
{
	if (!memchr(r->port, NO_PATH, r->n_switches))
		return;
	for (uint32_t i = 0; i < r->n_askers; i++)
		r->unreached += r->port[r->place[r->asker[i]]] == NO_PATH;
}

/* Saves the entries for the tables, and clears them. */
static void ftree_route_finish(struct ft_run *r)
{
	struct ftree *t = r->t;

	memcpy(columns_next(&r->done, r->lid), r->port, r->n_switches);
	for (uint32_t i = 0; r->reversed && i < r->n_touched; i++) {
		uint32_t x = r->touched[i];

		if (!r->reversed[x])
			continue;
		GROW(t->reverse, t->n_reverse, t->cap_reverse);
		t->reverse[t->n_reverse++] = (struct ft_reverse){x, r->lid, r->port[x], r->hop[x]};
		r->reversed[x] = 0;
	}
	if (r->target == NO_ID)
		count_unreached(r);
	if (r->tell)
		ft_tell_end(r);
	ftree_route_clear(r);
}

/* --- compute nodes --------------------------------------------------------------------------- */

/*
 * Entries of the compute nodes of a leaf that has not only CAs around it. Its groups may be sorted while they
 * are visited. A node may then be routed again, on top of its earlier entries.
 */
struct ftree_route_kept {
	uint16_t *lid;
	uint8_t *col; /* per LID: ports, then hops */
	uint32_t n;
};

static void recall(struct ft_run *r, const struct ftree_route_kept *k, uint16_t lid)
{
	for (uint32_t i = k->n; i-- > 0;) {
		const uint8_t *c = k->col + (size_t)i * 2 * r->n_switches;

		if (k->lid[i] != lid)
			continue;
		for (uint32_t s = 0; s < r->n_switches; s++) {
			if (c[s] == NO_PATH)
				continue;
			ft_touch(r, s);
			r->port[s] = c[s];
			r->hop[s] = c[r->n_switches + s];
		}
		return;
	}
}

/* Routes a compute node. With k, its entries are also kept there. */
static void route_node(struct ft_run *r, uint32_t leaf, const struct ft_group *g, struct ftree_route_kept *k)
{
	struct ft_ca *ca = &r->t->ca[g->ca];
	size_t n = r->n_switches;

	assert(ca->is_cn);
	if (ca->routed && k)
		recall(r, k, ca->lid);
	ca->routed = true;
	ftree_route_start(r, leaf, ca->lid, NO_ID, r->t->link[g->link].port, 1);
	ft_ascend(r, leaf, NO_ID, true, 0, 1);
	if (k) {
		k->lid = mem_resize(k->lid, k->n + 1, sizeof(*k->lid));
		k->col = mem_resize(k->col, k->n + 1, 2 * n);
		memcpy(k->col + k->n * 2 * n, r->port, n);
		memcpy(k->col + k->n * 2 * n + n, r->hop, n);
		k->lid[k->n++] = ca->lid;
	}
	ftree_route_finish(r);
}

static void route_leaf(struct ft_run *r, uint32_t leaf)
{
	struct ftree *t = r->t;
	const struct ft_switch *s = &t->sw[leaf];
	struct ftree_route_kept kept = {0};
	bool delicate = !s->plain && s->n_cn;
	uint32_t n = 0;

	for (uint32_t j = 0; j < s->n[FT_DOWN] && !r->stop; j++) {
		const struct ft_group *g = ftree_group(t, leaf, FT_DOWN, j);

		if (g->peer != NO_ID || !t->ca[g->ca].is_cn)
			continue;
		r->at_leaf = leaf;
		r->at_group = j;
		route_node(r, leaf, g, delicate ? &kept : NULL);
		n++;
	}
	r->at_leaf = NO_ID;
	FREE_EACH(kept.lid, kept.col);
	for (; n < t->max_cn && !r->stop; n++) { /* dummies */
		ftree_route_start(r, leaf, 0, NO_ID, NO_PATH, 1);
		ft_ascend(r, leaf, NO_ID, true, 0, 1);
		ftree_route_clear(r);
	}
}

/* Notes compute nodes of a leaf not routed because groups changed places. Returns the number of its CAs. */
static uint32_t note_left_out(struct ft_run *r, uint32_t leaf)
{
	const struct ftree *t = r->t;
	const struct fabric *f = t->topo->fabric;
	uint32_t cas = 0;
	char a[200];

	for (uint32_t j = 0; j < t->sw[leaf].n[FT_DOWN]; j++) {
		const struct ft_group *g = ftree_group(t, leaf, FT_DOWN, j);

		cas += g->peer == NO_ID;
		if (g->peer != NO_ID || !t->ca[g->ca].is_cn || t->ca[g->ca].routed)
			continue;
		port_label(f, f->endport_port[t->ca[g->ca].endport], a, sizeof(a));
		note_add(&r->out->notes, 0,
			 "ftree leaves out compute node %s, and no route leads there: ", a);
		note_add(&r->out->notes, 0, "the CAs of %s changed places while ftree routed them\n",
			 ft_name(t, leaf));
	}
	return cas;
}

/* Notes leaves whose CAs OpenSM sorts while it visits them: it sorts by heap addresses. */
static void note_leaves(struct ft_run *r)
{
	struct notes *notes = &r->out->notes;
	uint32_t n = 0, first = NO_ID;

	for (uint32_t i = 0; i < r->t->n_leaves; i++) {
		uint32_t leaf = r->t->leaf[i];

		if (note_left_out(r, leaf) < 2 || !r->resorted[leaf])
			continue;
		first = n++ ? first : leaf;
	}
	if (!n)
		return;
	note_add(notes, NOTE_LOTTERY,
		 "ftree: OpenSM's choice differs from run to run on this fabric (leaf %s ",
		 ft_name(r->t, first));
	if (n > 1)
		note_add(notes, 0, "and %u more have", n - 1);
	else
		note_add(notes, 0, "has");
	note_add(notes, 0, " side links or switches below); ibscope shows one of its possible results\n");
}

/* --- other CAs, switches --------------------------------------------------------------------- */

static void route_others(struct ft_run *r)
{
	rec_phase(r->in, "CA ports that are no compute nodes");
	for (uint32_t i = 0; i < r->t->n_ca && !r->stop; i++) {
		struct ft_ca *ca = &r->t->ca[i];

		if (ca->is_cn)
			continue;
		ca->routed = true;
		ftree_route_start(r, ca->sw, ca->lid, NO_ID, ca->port, 1);
		ft_ascend(r, ca->sw, NO_ID, true, ca->is_io && !r->t->manual ? r->t->max_reverse : 0, 1);
		if (ca->is_io && r->t->manual)
			ft_turn(r, r->t->max_reverse);
		ftree_route_finish(r);
	}
}

static void add_cost(struct ftree *t, uint32_t d, uint32_t port, uint8_t value)
{
	GROW(t->cost, t->n_costs, t->cap_costs);
	t->cost[t->n_costs++] = (struct ft_cost){d, port, value};
}

static void route_switches(struct ft_run *r)
{
	struct ftree *t = r->t;
	const struct fabric *f = t->topo->fabric;
	uint32_t last = t->leaf[t->n_leaves - 1];

	rec_phase(r->in, "switches");
	for (uint32_t s = 0; s < r->n_switches && !r->stop; s++) {
		if (!t->sw[s].in || !t->sw[s].lid)
			continue;
		ftree_route_start(r, s, t->sw[s].lid, s, 0, 0);
		ft_ascend(r, s, NO_ID, false, 0, 0);
		for (uint32_t i = 0; i < r->n_costs; i++) { /* keep costs that differ from Min Hop's */
			uint32_t id = r->costs[i], x = f->node_switch[f->port_node[id]];

			if (r->cost[id] != hops_value(t->hops, t->topo, x, s, id - f->switch_port[x]))
				add_cost(t, s, id, r->cost[id]);
		}
		r->n_costs = 0;
		r->from_last[s] = r->hop[r->place[last]];
		if (s == last)
			memcpy(r->to_last, r->hop, r->n_switches); /* by place */
		ftree_route_finish(r);
	}
}

/* Switches above the leaves reach unknown switches through the last leaf. */
static void connect_roots(struct ft_run *r)
{
	struct ftree *t = r->t;
	const struct fabric *f = t->topo->fabric;
	uint32_t last = t->leaf[t->n_leaves - 1];

	for (uint32_t w = 0; w < r->n_switches; w++) {
		uint8_t *port = t->sw[w].in ? r->r->row[w]->port : NULL;

		if (!port || t->sw[w].rank >= t->leaf_rank)
			continue;
		uint8_t way = port[t->sw[last].lid];
		for (uint32_t d = 0; d < r->n_switches; d++) {
			if (!t->sw[d].in || !t->sw[d].lid || port[t->sw[d].lid] != NO_PATH)
				continue;
			if (r->from_last[d] != NO_PATH && way != NO_PATH) {
				uint8_t h = r->to_last[r->place[w]] + r->from_last[d];
				uint8_t least = hops_least(t->hops, w, d);

				port[t->sw[d].lid] = way;
				if (r->rec)
					ft_record_roots(r, w, d, way, h);
				add_cost(t, d, f->switch_port[w] + way, h);
				if (h < least)
					add_cost(t, d, f->switch_port[w], h);
			}
			if (r->tell)
				ft_tell_roots(r, w, d, port[t->sw[d].lid]);
		}
	}
}

COMPARATOR(by_place, struct ft_cost, UP(d) UP(port))

/* --- all of it ------------------------------------------------------------------------------- */

/* Has a switch switches below, and no CAs? */
static bool has_switches(const struct ftree *t, uint32_t s)
{
	uint32_t n = t->sw[s].n[FT_DOWN], i = 0;

	while (i < n && ftree_group(t, s, FT_DOWN, i)->peer != NO_ID)
		i++;
	return n && i == n;
}

/* Has u the n switches below that bear this mark, and no others? */
static bool is_kin(const struct ftree *t, uint32_t u, uint32_t n, const uint32_t *mark, uint32_t family)
{
	bool yes = t->sw[u].n[FT_DOWN] == n && has_switches(t, u);

	for (uint32_t i = 0; yes && i < n; i++)
		yes = mark[ftree_group(t, u, FT_DOWN, i)->peer] == family;
	return yes;
}

/* The family of a switch. mark: the last family that was seen above each. */
static void find_family(struct ft_run *r, uint32_t s, uint32_t *mark)
{
	const struct ftree *t = r->t;
	uint32_t n = t->sw[s].n[FT_DOWN], first = ftree_group(t, s, FT_DOWN, 0)->peer;

	for (uint32_t i = 0; i < n; i++)
		mark[ftree_group(t, s, FT_DOWN, i)->peer] = r->n_families;
	for (uint32_t i = 0; i < t->sw[first].n[FT_UP]; i++) {
		uint32_t u = ftree_group(t, first, FT_UP, i)->peer;

		if (is_kin(t, u, n, mark, r->n_families))
			r->family[u] = r->n_families;
	}
	r->n_families++;
}

static void find_families(struct ft_run *r)
{
	const struct ftree *t = r->t;
	AUTO_FREE uint32_t *mark = NEW_ARRAY(r->n_switches, uint32_t);
	bool none = r->tell || r->rec || t->max_reverse;

	for (uint32_t s = 0; s < r->n_switches && !none; s++)
		none = t->sw[s].n[FT_SIDE];
	r->n_families = FIRST_FAMILY;
	for (uint32_t s = 0; s < r->n_switches && !none; s++) {
		if (t->sw[s].plain)
			r->family[s] = PLAIN;
		else if (!r->family[s] && has_switches(t, s))
			find_family(r, s, mark);
	}
	r->told = NEW_ARRAY(r->n_families, uint16_t);
	memset(r->told, 0xff, r->n_families * sizeof(*r->told)); /* FT_UNTOLD */
}

/* Switches of a family, and switches that one family is above, get places in a row. */
static void give_places(struct ft_run *r)
{
	const struct ftree *t = r->t;
	AUTO_FREE uint64_t *sort = NEW_ARRAY(r->n_switches, uint64_t);

	for (uint32_t s = 0; s < r->n_switches; s++) {
		bool top = !t->sw[s].n[FT_UP];
		uint32_t family = r->family[top ? s : ftree_group(t, s, FT_UP, 0)->peer];

		sort[s] = (uint64_t)(2 * family + top) << 32 | s;
	}
	if (r->n_families > FIRST_FAMILY)
		qsort(sort, r->n_switches, sizeof(*sort), order_u64);
	for (uint32_t i = 0; i < r->n_switches; i++)
		r->place[r->at[i] = r->n_families > FIRST_FAMILY ? (uint32_t)sort[i] : i] = i;
}

/* The first place of the switches in a direction, or NO_ID when they are not in a row, a cable each. */
static uint32_t ftree_route_find_row(struct ft_run *r, uint32_t s, enum ft_dir d)
{
	const struct ft_switch *w = &r->t->sw[s];
	const struct ft_group *g = r->t->group + w->slot[d];
	uint32_t first = NO_ID;

	for (uint32_t i = 0; i < w->n[d]; i++)
		if (g[i].peer != NO_ID && r->place[g[i].peer] < first)
			first = r->place[g[i].peer];
	for (uint32_t i = 0; i < w->n[d]; i++) {
		if (g[i].peer == NO_ID || g[i].n_links > 1 || r->place[g[i].peer] - first >= w->n[d])
			return NO_ID;
		r->way[w->slot[d] + r->place[g[i].peer] - first] = r->t->link[g[i].link].remote;
	}
	return first;
}

/* Are all below of low families? */
static bool is_over_low(const struct ft_run *r, uint32_t s)
{
	uint32_t i = 0, n = r->t->sw[s].n[FT_DOWN];

	while (i < n && r->low[r->family[ftree_group(r->t, s, FT_DOWN, i)->peer]])
		i++;
	return i == n;
}

/* The family of all above, when nothing is above it, or 0. */
static uint32_t find_crown(const struct ft_run *r, uint32_t s)
{
	const struct ftree *t = r->t;
	uint32_t n = t->sw[s].n[FT_UP], i = 0, first = n ? r->family[ftree_group(t, s, FT_UP, 0)->peer] : 0;

	for (; i < n; i++) {
		uint32_t u = ftree_group(t, s, FT_UP, i)->peer;

		if (t->sw[u].n[FT_UP] || r->family[u] != first)
			return 0;
	}
	return first;
}

static void find_rows(struct ft_run *r)
{
	const struct ftree *t = r->t;

	give_places(r);
	memset(r->unknown, NO_PATH, sizeof(r->unknown));
	r->low = NEW_ARRAY(r->n_families, uint8_t);
	memset(r->low + FIRST_FAMILY, 1, r->n_families - FIRST_FAMILY);
	for (uint32_t s = 0; s < r->n_switches; s++) {
		r->below[s] = r->family[s] > PLAIN ? ftree_route_find_row(r, s, FT_DOWN) : NO_ID;
		r->above[s] = ftree_route_find_row(r, s, FT_UP);
		r->crown[s] = r->above[s] != NO_ID ? find_crown(r, s) : 0;
		for (uint32_t i = 0; r->family[s] > PLAIN && i < t->sw[s].n[FT_DOWN]; i++)
			r->low[r->family[s]] &= r->family[ftree_group(t, s, FT_DOWN, i)->peer] == PLAIN;
	}
	for (uint32_t i = FIRST_FAMILY; i < r->n_families; i++)
		r->n_low += r->low[i];
	r->n_untold = r->n_low;
	for (uint32_t s = 0; s < r->n_switches; s++)
		r->over[s] = r->below[s] != NO_ID && is_over_low(r, s);
}

/* Counts what teach_new() left to be counted. */
static void count_taught(struct ft_run *r)
{
	struct ftree *t = r->t;

	for (uint32_t s = 0; s < r->n_switches; s++) {
		for (uint32_t i = 0; r->taught[s] && i < t->sw[s].n[FT_DOWN]; i++) {
			struct ft_group *g = &t->group[t->sw[s].slot[FT_DOWN] + i];

			g->cu += r->taught[s];
			t->link[g->link].cu += r->taught[s];
		}
	}
}

static void ftree_route_run_start(struct ft_run *r)
{
	const struct fabric *f = r->t->topo->fabric;
	uint32_t n = r->n_switches = f->n_switches;

	r->port = NEW_ARRAY(n, uint8_t);
	r->hop = NEW_ARRAY(n, uint8_t);
	memset(r->port, NO_PATH, n);
	memset(r->hop, NO_PATH, n);
	r->reversed = r->t->max_reverse ? NEW_ARRAY(n, uint8_t) : NULL;
	r->touched = r->t->max_reverse ? NEW_ARRAY(n, uint32_t) : NULL;
	r->done = columns_new(n);
	r->cost = NEW_ARRAY(f->n_ports, uint8_t);
	r->cost_of = NEW_ARRAY(f->n_ports, uint32_t);
	memset(r->cost_of, 0xff, f->n_ports * sizeof(*r->cost_of));
	r->costs = NEW_ARRAY(f->n_ports, uint32_t);
	r->resorted = NEW_ARRAY(n, uint8_t);
	r->to_last = NEW_ARRAY(n, uint8_t);
	r->from_last = NEW_ARRAY(n, uint8_t);
	r->tell = ASKED(r->in) ? ft_tell_new(r->t) : NULL;
	r->rec = r->in->record;
	r->offers = r->rec && rec_wants_any(r->rec, REC_OFFER);
	r->unsorted = NEW_ARRAY(n, uint8_t);
	r->family = NEW_ARRAY(n, uint32_t);
	r->crown = NEW_ARRAY(n, uint32_t);
	r->over = NEW_ARRAY(n, uint8_t);
	r->taught = NEW_ARRAY(n, uint32_t);
	r->place = NEW_ARRAY(n, uint32_t);
	r->at = NEW_ARRAY(n, uint32_t);
	r->changed = NEW_ARRAY(n, uint32_t);
	r->waiting = NEW_ARRAY(n, uint32_t);
	r->waits = NEW_ARRAY(n, uint8_t);
	r->below = NEW_ARRAY(n, uint32_t);
	r->above = NEW_ARRAY(n, uint32_t);
	r->way = NEW_ARRAY(r->t->n_groups, uint8_t);
	find_families(r);
	find_rows(r);
	r->asker = NEW_ARRAY(n, uint32_t);
	for (uint32_t s = 0; s < n; s++) {
		if (r->t->sw[s].n[FT_DOWN] && !has_switches(r->t, s))
			r->asker[r->n_askers++] = s;
		r->t->sw[s].climbed = true;
		if (!switch_up(r->t->topo, s))
			continue;
		r->r->row[s] = lft_row_new(r->t->max_lid);
		r->done.row[r->place[s]] = r->r->row[s]->port;
	}
}

/* From this many reverse hops on a note says that they take long. */
#define SLOW_REVERSE 8

static void note_unreached(struct ft_run *r)
{
	const struct ftree *t = r->t;
	bool has_io = false;

	for (uint32_t i = 0; i < t->n_ca; i++)
		has_io |= t->ca[i].is_io;
	if (has_io && t->max_reverse >= SLOW_REVERSE && !t->manual)
		note_add(&r->out->notes, 0,
			 "ftree: max_reverse_hops %u: each reverse hop multiplies the work for every I/O "
			 "port, so "
			 "OpenSM may take very long in each sweep\n",
			 t->max_reverse);

	if (r->unreached)
		note_add(
			&r->out->notes, 0,
			"ftree: switches with CAs lack %llu entries toward other CAs, because no way "
			"goes up and then down%s\n",
			(unsigned long long)r->unreached,
			t->max_reverse
				? "; a larger max_reverse_hops or more ports in io_guid_file may connect them"
				: "; io_guid_file with max_reverse_hops may connect them");
	if (t->max_reverse && (t->manual || r->unreached))
		note_add(&r->out->notes, NOTE_RULES,
			 "ftree: by the manual max_reverse_hops is the number of switches that a route to an "
			 "I/O port may pass the wrong way round; OpenSM's climbs spend it on ways back, too; "
			 "rules in force: %s\n",
			 t->manual ? "manual" : "opensm");
}

bool ft_route(struct ftree *t, const struct engine_input *in, struct engine_output *out, struct routing *rt)
{
	struct ft_run r = {.t = t, .in = in, .out = out, .r = rt, .target = NO_ID, .at_leaf = NO_ID};

	assert(t->n_leaves && !t->refusal.rule && !t->n_costs);
	progress_start(in->progress,
		       t->max_reverse < SLOW_REVERSE
			       ? "fat-tree routes"
			       : "fat-tree routes (each reverse hop multiplies the work)",
		       t->max_lid);
	ftree_route_run_start(&r);
	rec_phase(in, "compute nodes, leaf by leaf");
	r.first_phase = true;
	for (uint32_t i = 0; i < t->n_leaves && !r.stop; i++)
		route_leaf(&r, t->leaf[i]);
	r.first_phase = false;
	if (!r.stop)
		note_leaves(&r);
	route_others(&r);
	route_switches(&r);
	columns_write(&r.done);
	count_taught(&r);
	if (t->connect_roots && !r.stop) {
		rec_phase(in, "connecting the roots through the last leaf");
		connect_roots(&r);
	}
	if (!r.stop && t->n_costs)
		qsort(t->cost, t->n_costs, sizeof(*t->cost), by_place);
	if (!r.stop)
		note_unreached(&r);
	ft_tell_free(r.tell, t);
	columns_free(&r.done);
	FREE_EACH(r.port, r.hop, r.reversed, r.touched, r.cost, r.cost_of, r.costs, r.resorted, r.to_last,
		  r.from_last, r.family, r.told, r.low, r.over, r.crown, r.taught, r.place, r.at, r.changed,
		  r.waiting, r.waits, r.below, r.above, r.way, r.unsorted, r.asker);
	if (r.stop && !out->refused.msg[0])
		err_set(&out->refused, CANCELLED);
	return !r.stop;
}
