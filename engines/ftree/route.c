/*
 * Routing: each destination climbs from its leaf by the least loaded cables,
 * and from every switch on the way all below learn to climb there.
 */
#include <stdlib.h>
#include <string.h>
#include "engines/ftree/internal.h"

/* Calls within calls before max_reverse_hops is given up: the climb repeats itself through every group. */
#define MAX_DEPTH 4000

/* Destinations whose entries are written into the tables together: one byte in each table at a time is slow.
 */
#define BLOCK 64

struct run {
	struct ftree *t;
	const struct engine_input *in;
	struct engine_output *out;
	struct routing *r;
	struct ft_watch *watch; /* NULL: nobody listens */
	uint32_t n_switches;

	/* the destination at hand */
	uint16_t lid;	     /* 0: a dummy */
	uint32_t target;     /* switch id when it is one, else NO_ID */
	uint8_t *port, *hop; /* [n_switches] entries, NO_PATH = none */
	uint8_t *reversed;   /* [n_switches] the entry came by reverse hops; NULL without any */
	uint32_t *touched, n_touched;
	uint8_t *done; /* [BLOCK * n_switches] entries of destinations that are not in the tables yet */
	uint16_t done_lid[BLOCK];
	unsigned n_done;
	unsigned reverse; /* reverse hops on the way to the present call */
	unsigned depth;
	uint64_t calls;

	/* costs of the entries toward a switch, before they are compared with Min Hop's */
	uint8_t *cost;	   /* [n_ports] */
	uint32_t *cost_of; /* [n_ports] target they are for */
	uint32_t *costs, n_costs;

	bool first_phase;   /* compute nodes are being routed */
	uint8_t *resorted;  /* [n_switches] a leaf whose CAs were sorted meanwhile */
	uint8_t *to_last;   /* [n_switches] hops to the last leaf */
	uint8_t *from_last; /* [n_switches] hops from the last leaf */
	uint64_t unreached; /* (switch with CAs, CA LID) pairs without entry */
	bool stop;
};

/* --- order of groups ------------------------------------------------------------------- */

/* Stable, by counter, then by index of the peer.  The slots are nearly sorted. */
static void sort_slots(struct ft_slot *a, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		struct ft_slot x = a[i];
		uint64_t key = (uint64_t)x.count << 32 | x.key;
		uint32_t j = i;

		for (; j && ((uint64_t)a[j - 1].count << 32 | a[j - 1].key) > key; j--)
			a[j] = a[j - 1];
		if (j != i)
			a[j] = x;
	}
}

static void sort_by_cu(struct run *r, uint32_t sw, enum ft_dir d)
{
	const struct ft_switch *s = &r->t->sw[sw];
	struct ft_slot *a = r->t->slot + s->slot[d];

	for (uint32_t i = 0; i < s->n[d]; i++)
		a[i].count = r->t->group[a[i].group].cu;
	sort_slots(a, s->n[d]);
	if (d == FT_DOWN && r->first_phase && s->n_cn)
		r->resorted[sw] = 1;
}

static void sort_by_cd(struct run *r, uint32_t sw, enum ft_dir d)
{
	const struct ft_switch *s = &r->t->sw[sw];
	struct ft_slot *a = r->t->slot + s->slot[d];

	for (uint32_t i = 0; i < s->n[d]; i++)
		a[i].count = r->t->group[a[i].group].cd;
	sort_slots(a, s->n[d]);
}

static struct ft_link *least_cu(const struct ftree *t, const struct ft_group *g)
{
	struct ft_link *l = t->link + g->link, *best = l;

	for (uint32_t i = 1; i < g->n_links; i++)
		if (l[i].cu < best->cu)
			best = l + i;
	return best;
}

static struct ft_link *least_cd(const struct ftree *t, const struct ft_group *g)
{
	struct ft_link *l = t->link + g->link, *best = l;

	for (uint32_t i = 1; i < g->n_links; i++)
		if (l[i].cd < best->cd)
			best = l + i;
	return best;
}

/* --- entries ------------------------------------------------------------------------------- */

static void touch(struct run *r, uint32_t sw)
{
	if (r->port[sw] == NO_PATH && r->hop[sw] == NO_PATH)
		r->touched[r->n_touched++] = sw;
}

static uint8_t *cost_at(struct run *r, uint32_t port_id, unsigned fresh)
{
	if (r->cost_of[port_id] != r->target) {
		r->cost_of[port_id] = r->target;
		r->cost[port_id] = fresh;
		r->costs[r->n_costs++] = port_id;
	}
	return &r->cost[port_id];
}

/* An entry toward a switch leaves its hops in the matrix, at all cables of the group. */
static void note_cost(struct run *r, const struct ft_group *g, uint8_t h)
{
	uint32_t p0 = r->t->topo->fabric->switch_port[g->peer];
	uint8_t *least = cost_at(r, p0, hops_least(r->t->hops, g->peer, r->target));

	for (uint32_t i = 0; i < g->n_links; i++)
		*cost_at(r, p0 + r->t->link[g->link + i].remote, NO_PATH) = h;
	if (h < *least)
		*least = h;
}

static void set(struct run *r, const struct ft_group *g, const struct ft_link *l, uint8_t h)
{
	uint32_t x = g->peer;

	touch(r, x);
	r->port[x] = l->remote;
	r->hop[x] = h;
	if (r->reversed)
		r->reversed[x] = r->reverse > 0;
	if (r->target != NO_ID)
		note_cost(r, g, h);
}

static void tell(struct run *r, const struct ft_group *g, const struct ft_link *l, enum ft_cause cause,
		 uint8_t h, bool taken)
{
	struct ft_offer o = {.g = g,
			     .link = l,
			     .cause = cause,
			     .hops = h,
			     .old_hops = r->hop[g->peer],
			     .old_port = r->port[g->peer],
			     .reverse = r->reverse > 0,
			     .taken = taken};

	watch_offer(r->watch, &o);
}

/* --- down ------------------------------------------------------------------------------------ */

static bool descend(struct run *r, uint32_t w, uint32_t prev, uint8_t h);

/* A switch below or beside w learns to climb through it.  Is there a CA behind it? */
static bool teach(struct run *r, uint32_t w, const struct ft_slot *s, uint8_t h)
{
	struct ftree *t = r->t;
	uint32_t x = s->peer;
	struct ft_group *g = &t->group[s->group];
	struct ft_link *k = least_cu(t, g);

	if (r->watch)
		tell(r, g, k, FT_DESCENT, h + 1, true);
	set(r, g, k, h + 1);
	if (!t->sw[x].plain && !descend(r, x, NO_ID, h + 1))
		return false;
	k->cu++;
	g->cu++;
	t->sw[w].changed = true;
	return true;
}

/* One group below or beside w.  Most calls end at a switch that knows a route as short. */
static inline bool descend_group(struct run *r, uint32_t w, const struct ft_slot *s, uint32_t prev, uint8_t h)
{
	uint32_t x = s->peer;

	if (x == NO_ID)
		return true;
	if (x == prev)
		return false;
	if (r->hop[x] == NO_PATH || h + 1 < r->hop[x])
		return teach(r, w, s, h);
	if (r->watch) {
		const struct ft_group *g = &r->t->group[s->group];

		tell(r, g, least_cu(r->t, g), FT_DESCENT, h + 1, false);
	}
	return false;
}

/* Teach all below and beside w a route through w, which is h hops from the destination.  Are there CAs? */
static bool descend(struct run *r, uint32_t w, uint32_t prev, uint8_t h)
{
	struct ft_switch *s = &r->t->sw[w];
	const struct ft_slot *down = r->t->slot + s->slot[FT_DOWN], *side = r->t->slot + s->slot[FT_SIDE];
	bool created = false;

	if (!s->n[FT_DOWN])
		return false;
	if (s->changed) {
		sort_by_cu(r, w, FT_DOWN);
		s->changed = false;
	}
	if (s->n[FT_SIDE])
		sort_by_cu(r, w, FT_SIDE);
	for (uint32_t i = 0; i < s->n[FT_DOWN]; i++)
		created |= descend_group(r, w, &down[i], prev, h);
	for (uint32_t i = 0; r->lid && i < s->n[FT_SIDE]; i++)
		created |= descend_group(r, w, &side[i], prev, h);
	if (created)
		s->rot = (s->rot + 1) % s->n[FT_DOWN];
	return created;
}

/* --- up -------------------------------------------------------------------------------------- */

static bool ascend(struct run *r, uint32_t w, uint32_t prev, bool main, unsigned credit, uint8_t h);

static bool better(const struct run *r, uint32_t x, uint8_t h)
{
	return r->port[x] == NO_PATH || h + 1 < r->hop[x];
}

/* A climb that nobody has taken yet: through all parents but the main one, or through siblings. */
static bool try_group(struct run *r, uint32_t w, const struct ft_slot *s, enum ft_cause cause,
		      unsigned credit, uint8_t h, struct ft_link **link)
{
	struct ft_group *g = &r->t->group[s->group];
	bool yes = better(r, g->peer, h);

	if (!yes && !r->watch)
		return false;
	*link = least_cd(r->t, g);
	if (r->watch)
		tell(r, g, *link, cause, h + 1, yes);
	if (!yes)
		return false;
	set(r, g, *link, h + 1);
	return ascend(r, g->peer, w, false, credit, h + 1);
}

/* The climb through the least loaded parent, counted. */
static bool climb_main(struct run *r, uint32_t w, struct ft_group *g, struct ft_link *k, unsigned credit,
		       uint8_t h)
{
	bool yes = better(r, g->peer, h);

	if (r->watch) {
		watch_climb(r->watch, w);
		tell(r, g, k, FT_MAIN, h + 1, yes);
	}
	g->cd++;
	k->cd++;
	r->t->sw[w].climbed = true;
	if (yes)
		set(r, g, k, h + 1);
	return ascend(r, g->peer, w, true, credit, h + 1);
}

/* Parents, then siblings. */
static bool climb(struct run *r, uint32_t w, bool main, unsigned credit, uint8_t h)
{
	struct ft_switch *s = &r->t->sw[w];
	const struct ft_slot *up = r->t->slot + s->slot[FT_UP], *side = r->t->slot + s->slot[FT_SIDE];
	struct ft_group *g0;
	struct ft_link *k;
	bool created = false;

	if (s->climbed) {
		sort_by_cd(r, w, FT_UP);
		s->climbed = false;
	}
	g0 = &r->t->group[up[0].group];
	if (main)
		created |= climb_main(r, w, g0, least_cd(r->t, g0), credit, h);
	for (uint32_t i = main; i < s->n[FT_UP]; i++)
		created |= try_group(r, w, &up[i], FT_SECOND, credit, h, &k);
	if (s->n[FT_SIDE])
		sort_by_cd(r, w, FT_SIDE);
	for (uint32_t i = 0; i < s->n[FT_SIDE]; i++) {
		if (!try_group(r, w, &side[i], FT_BESIDE, credit, h, &k))
			continue;
		created = true;
		g0->cd++;
		k->cd++;
		s->climbed = true;
	}
	return created;
}

static bool reverse_group(struct run *r, uint32_t w, const struct ft_slot *s, bool main, unsigned credit,
			  uint8_t h)
{
	bool created;

	if (s->peer == NO_ID)
		return false;
	r->reverse++;
	created = ascend(r, s->peer, w, main, credit - 1, h + 1);
	r->reverse--;
	return created;
}

/* Reverse hops of a root begin at another group each time. */
static bool reverse_root(struct run *r, uint32_t w, bool main, unsigned credit, uint8_t h)
{
	struct ft_switch *s = &r->t->sw[w];
	const struct ft_slot *down = r->t->slot + s->slot[FT_DOWN];
	uint32_t n = s->n[FT_DOWN], i;
	bool created = false;

	if (!n)
		return false;
	i = s->rot = (s->rot + 1) % n;
	for (uint32_t k = 0; k < n; k++, i = (i + 1) % n)
		created |= reverse_group(r, w, &down[i], main, credit, h);
	return created;
}

/* Is it time to give up?  Reverse hops may take as good as for ever. */
static bool give_up(struct run *r)
{
	if (!(++r->calls & 0xFFF) && !progress_step(r->in->progress, r->lid))
		r->stop = true;
	if (r->depth > MAX_DEPTH && !r->stop) {
		r->stop = true;
		err_set(&r->out->refused,
			"max_reverse_hops %u: routes to an I/O node turn round more than %u levels deep, "
			"which "
			"OpenSM's stack may not survive; lower max_reverse_hops",
			r->t->max_reverse, MAX_DEPTH);
	}
	return r->stop;
}

/* Climb from w, which is h hops from the destination, on all ways that lead up; main: the counted one. */
static bool ascend(struct run *r, uint32_t w, uint32_t prev, bool main, unsigned credit, uint8_t h)
{
	struct ft_switch *s = &r->t->sw[w];
	const struct ft_slot *down = r->t->slot + s->slot[FT_DOWN];
	bool created;

	if (give_up(r))
		return false;
	r->depth++;
	created = descend(r, w, prev, h);
	if (s->rank == 0 || !s->n[FT_UP]) {
		if (credit)
			created |= reverse_root(r, w, main, credit, h);
	} else {
		created |= climb(r, w, main, credit, h);
		for (uint32_t i = 0; credit && !s->is_leaf && i < s->n[FT_DOWN]; i++)
			created |= reverse_group(r, w, &down[i], true, credit, h);
	}
	r->depth--;
	return created;
}

/* --- one destination ---------------------------------------------------------------------- */

static void clear(struct run *r)
{
	for (uint32_t i = 0; i < r->n_touched; i++)
		r->port[r->touched[i]] = r->hop[r->touched[i]] = NO_PATH;
	r->n_touched = 0;
}

static void start(struct run *r, uint32_t leaf, uint16_t lid, uint32_t target, unsigned local, unsigned hop)
{
	r->lid = lid;
	r->target = target;
	touch(r, leaf);
	r->hop[leaf] = hop;
	if (lid)
		r->port[leaf] = local;
	if (r->reversed)
		r->reversed[leaf] = 0;
	if (r->watch)
		watch_begin(r->watch, lid, leaf, target, local);
}

static void keep_reversed(struct run *r)
{
	struct ftree *t = r->t;

	for (uint32_t i = 0; i < r->n_touched; i++) {
		uint32_t x = r->touched[i];

		if (!r->reversed[x])
			continue;
		GROW(t->reverse, t->n_reverse, t->cap_reverse);
		t->reverse[t->n_reverse++] = (struct ft_reverse){x, r->lid, r->port[x], r->hop[x]};
		r->reversed[x] = 0;
	}
}

/* Switches with hosts that did not learn a CA's LID. */
static void count_unreached(struct run *r)
{
	if (r->n_touched == r->t->n_in)
		return;
	for (uint32_t s = 0; s < r->n_switches; s++) {
		const struct ft_switch *w = &r->t->sw[s];

		if (!w->in || r->port[s] != NO_PATH)
			continue;
		for (uint32_t i = 0; i < w->n[FT_DOWN]; i++) {
			if (ftree_group(r->t, s, FT_DOWN, i)->peer == NO_ID) {
				r->unreached++;
				break;
			}
		}
	}
}

/* Write what is done into the tables. */
static void flush(struct run *r)
{
	for (uint32_t s = 0; s < r->n_switches; s++) {
		uint8_t *port = r->r->row[s] ? r->r->row[s]->port : NULL;

		for (unsigned i = 0; port && i < r->n_done; i++)
			port[r->done_lid[i]] = r->done[(size_t)i * r->n_switches + s];
	}
	r->n_done = 0;
}

/* Put the entries aside for the tables and forget them. */
static void finish(struct run *r)
{
	memcpy(r->done + (size_t)r->n_done * r->n_switches, r->port, r->n_switches);
	r->done_lid[r->n_done++] = r->lid;
	if (r->n_done == BLOCK)
		flush(r);
	if (r->reversed)
		keep_reversed(r);
	if (r->target == NO_ID)
		count_unreached(r);
	if (r->watch)
		watch_end(r->watch, r->n_touched, r->port);
	clear(r);
}

/* --- compute nodes ---------------------------------------------------------------------------- */

/*
 * Columns of the compute nodes of a leaf that has more than CAs around it: its
 * groups may be sorted while they are gone through, and then a node may be
 * routed again on top of what it has.
 */
struct kept {
	uint16_t *lid;
	uint8_t *col; /* per LID: ports, then hops */
	uint32_t n, room;
};

static void recall(struct run *r, const struct kept *k, uint16_t lid)
{
	for (uint32_t i = k->n; i-- > 0;) {
		const uint8_t *c = k->col + (size_t)i * 2 * r->n_switches;

		if (k->lid[i] != lid)
			continue;
		for (uint32_t s = 0; s < r->n_switches; s++) {
			if (c[s] == NO_PATH)
				continue;
			touch(r, s);
			r->port[s] = c[s];
			r->hop[s] = c[r->n_switches + s];
		}
		return;
	}
}

static void keep(struct run *r, struct kept *k, uint16_t lid)
{
	uint8_t *c;

	k->lid = mem_resize(k->lid, k->n + 1, sizeof(*k->lid));
	k->col = mem_resize(k->col, k->n + 1, 2 * (size_t)r->n_switches);
	c = k->col + (size_t)k->n * 2 * r->n_switches;
	memcpy(c, r->port, r->n_switches);
	memcpy(c + r->n_switches, r->hop, r->n_switches);
	k->lid[k->n++] = lid;
}

static void route_node(struct run *r, uint32_t leaf, const struct ft_group *g, struct kept *k)
{
	struct ft_ca *ca = &r->t->ca[g->ca];

	if (ca->routed && k)
		recall(r, k, ca->lid);
	ca->routed = true;
	start(r, leaf, ca->lid, NO_ID, r->t->link[g->link].port, 1);
	ascend(r, leaf, NO_ID, true, 0, 1);
	if (k)
		keep(r, k, ca->lid);
	finish(r);
}

static void route_dummies(struct run *r, uint32_t leaf, uint32_t n)
{
	for (uint32_t i = 0; i < n && !r->stop; i++) {
		start(r, leaf, 0, NO_ID, NO_PATH, 1);
		ascend(r, leaf, NO_ID, true, 0, 1);
		if (r->watch)
			watch_end(r->watch, r->n_touched, r->port);
		clear(r);
	}
}

static void route_leaf(struct run *r, uint32_t leaf)
{
	struct ftree *t = r->t;
	const struct ft_switch *s = &t->sw[leaf];
	struct kept kept = {0};
	bool delicate = !s->plain && s->n_cn;
	uint32_t n = 0;

	for (uint32_t j = 0; j < s->n[FT_DOWN] && !r->stop; j++) {
		const struct ft_group *g = ftree_group(t, leaf, FT_DOWN, j);

		if (g->peer != NO_ID || !t->ca[g->ca].is_cn)
			continue;
		route_node(r, leaf, g, delicate ? &kept : NULL);
		n++;
	}
	free(kept.lid);
	free(kept.col);
	route_dummies(r, leaf, t->max_cn > n ? t->max_cn - n : 0);
}

/* OpenSM sorts CAs by addresses of its heap, while it goes through them. */
static void note_leaf(struct run *r, uint32_t leaf)
{
	const struct ftree *t = r->t;
	uint32_t cas = 0;
	char a[200];

	for (uint32_t j = 0; j < t->sw[leaf].n[FT_DOWN]; j++) {
		const struct ft_group *g = ftree_group(t, leaf, FT_DOWN, j);

		cas += g->peer == NO_ID;
		if (g->peer == NO_ID && t->ca[g->ca].is_cn && !t->ca[g->ca].routed)
			text_add(&r->out->notes,
				 "ftree: compute node %s is left out and cannot be reached: the CAs of %s "
				 "changed "
				 "places while they were routed\n",
				 port_label(t->topo->fabric,
					    t->topo->fabric->endport_port[t->ca[g->ca].endport], a,
					    sizeof(a)),
				 ft_name(t, leaf));
	}
	if (r->resorted[leaf] && cas > 1)
		text_add(&r->out->notes,
			 "ftree: OpenSM's own choice is not reproducible on this fabric (leaf %s has side "
			 "links or "
			 "switches below it); shown is one of its possible results\n",
			 ft_name(t, leaf));
}

static void route_nodes(struct run *r)
{
	if (r->watch)
		watch_phase(r->watch, "compute nodes, leaf by leaf");
	r->first_phase = true;
	for (uint32_t i = 0; i < r->t->n_leaves && !r->stop; i++)
		route_leaf(r, r->t->leaf[i]);
	r->first_phase = false;
	for (uint32_t i = 0; i < r->t->n_leaves && !r->stop; i++)
		note_leaf(r, r->t->leaf[i]);
}

/* --- other CAs, switches ------------------------------------------------------------------------- */

static void route_others(struct run *r)
{
	if (r->watch)
		watch_phase(r->watch, "CA ports that are no compute nodes");
	for (uint32_t i = 0; i < r->t->n_ca && !r->stop; i++) {
		struct ft_ca *ca = &r->t->ca[i];

		if (ca->is_cn)
			continue;
		ca->routed = true;
		start(r, ca->sw, ca->lid, NO_ID, ca->port, 1);
		ascend(r, ca->sw, NO_ID, true, ca->is_io ? r->t->max_reverse : 0, 1);
		finish(r);
	}
}

static void add_cost(struct ftree *t, uint32_t d, uint32_t port, uint8_t value)
{
	GROW(t->cost, t->n_costs, t->cap_costs);
	t->cost[t->n_costs++] = (struct ft_cost){d, port, value};
}

/* Keep the costs toward the switch just routed where they differ from Min Hop's. */
static void keep_costs(struct run *r)
{
	const struct fabric *f = r->t->topo->fabric;

	for (uint32_t i = 0; i < r->n_costs; i++) {
		uint32_t id = r->costs[i], s = f->node_switch[f->port_node[id]];

		if (r->cost[id] != hops_value(r->t->hops, r->t->topo, s, r->target, id - f->switch_port[s]))
			add_cost(r->t, r->target, id, r->cost[id]);
	}
	r->n_costs = 0;
}

static void route_switches(struct run *r)
{
	struct ftree *t = r->t;
	uint32_t last = t->leaf[t->n_leaves - 1];

	if (r->watch)
		watch_phase(r->watch, "switches");
	for (uint32_t s = 0; s < r->n_switches && !r->stop; s++) {
		if (!t->sw[s].in || !t->sw[s].lid)
			continue;
		start(r, s, t->sw[s].lid, s, 0, 0);
		ascend(r, s, NO_ID, false, 0, 0);
		keep_costs(r);
		r->from_last[s] = r->hop[last];
		if (s == last)
			memcpy(r->to_last, r->hop, r->n_switches);
		finish(r);
	}
}

/* Switches above the leaves reach the switches they do not know through the last leaf. */
static void connect_roots(struct run *r)
{
	struct ftree *t = r->t;
	const struct fabric *f = t->topo->fabric;
	uint32_t last = t->leaf[t->n_leaves - 1];

	for (uint32_t w = 0; w < r->n_switches; w++) {
		uint8_t *port = t->sw[w].in ? r->r->row[w]->port : NULL, way;

		if (!port || t->sw[w].rank >= t->leaf_rank)
			continue;
		way = port[t->sw[last].lid];
		for (uint32_t d = 0; d < r->n_switches; d++) {
			if (!t->sw[d].in || !t->sw[d].lid || port[t->sw[d].lid] != NO_PATH)
				continue;
			if (r->from_last[d] != NO_PATH && way != NO_PATH) {
				uint8_t h = r->to_last[w] + r->from_last[d];
				uint8_t least = hops_least(t->hops, w, d);

				port[t->sw[d].lid] = way;
				add_cost(t, d, f->switch_port[w] + way, h);
				if (h < least)
					add_cost(t, d, f->switch_port[w], h);
			}
			if (r->watch)
				watch_roots(r->watch, w, d, t->sw[d].lid, last, port[t->sw[d].lid]);
		}
	}
}

static int by_place(const void *x, const void *y)
{
	const struct ft_cost *a = x, *b = y;

	if (a->d != b->d)
		return a->d < b->d ? -1 : 1;
	return a->port < b->port ? -1 : a->port > b->port;
}

/* --- all of it -------------------------------------------------------------------------------------- */

static void run_start(struct run *r)
{
	const struct fabric *f = r->t->topo->fabric;
	uint32_t n = r->n_switches = f->n_switches;

	r->port = NEW_ARRAY(n, uint8_t);
	r->hop = NEW_ARRAY(n, uint8_t);
	memset(r->port, NO_PATH, n);
	memset(r->hop, NO_PATH, n);
	r->reversed = r->t->max_reverse ? NEW_ARRAY(n, uint8_t) : NULL;
	r->touched = NEW_ARRAY(n, uint32_t);
	r->done = NEW_ARRAY((size_t)BLOCK * n, uint8_t);
	r->cost = NEW_ARRAY(f->n_ports, uint8_t);
	r->cost_of = NEW_ARRAY(f->n_ports, uint32_t);
	memset(r->cost_of, 0xff, f->n_ports * sizeof(*r->cost_of));
	r->costs = NEW_ARRAY(f->n_ports, uint32_t);
	r->resorted = NEW_ARRAY(n, uint8_t);
	r->to_last = NEW_ARRAY(n, uint8_t);
	r->from_last = NEW_ARRAY(n, uint8_t);
	r->watch = OBSERVED(r->in) ? watch_new(r->t, r->in) : NULL;
	for (uint32_t s = 0; s < n; s++) {
		r->t->sw[s].climbed = true;
		if (switch_up(r->t->topo, s))
			r->r->row[s] = lft_row_new(r->t->max_lid);
	}
}

static void run_end(struct run *r)
{
	watch_free(r->watch);
	free(r->port);
	free(r->hop);
	free(r->reversed);
	free(r->touched);
	free(r->done);
	free(r->cost);
	free(r->cost_of);
	free(r->costs);
	free(r->resorted);
	free(r->to_last);
	free(r->from_last);
}

static void note_unreached(struct run *r)
{
	const struct ftree *t = r->t;

	if (r->unreached)
		text_add(
			&r->out->notes,
			"ftree: %llu entries toward CAs are missing on switches that have CAs, as no way "
			"goes up and "
			"then down%s\n",
			(unsigned long long)r->unreached,
			t->max_reverse
				? "; a larger max_reverse_hops or more ports in io_guid_file may connect them"
				: "; io_guid_file with max_reverse_hops may connect them");
}

bool ft_route(struct ftree *t, const struct engine_input *in, struct engine_output *out, struct routing *rt)
{
	struct run r = {.t = t, .in = in, .out = out, .r = rt, .target = NO_ID};

	progress_start(in->progress, "fat-tree routes", t->max_lid);
	run_start(&r);
	route_nodes(&r);
	route_others(&r);
	route_switches(&r);
	flush(&r);
	if (t->connect_roots && !r.stop) {
		if (r.watch)
			watch_phase(r.watch, "connecting the roots through the last leaf");
		connect_roots(&r);
	}
	if (!r.stop && t->n_costs)
		qsort(t->cost, t->n_costs, sizeof(*t->cost), by_place);
		note_unreached(&r);
	}
	run_end(&r);
	if (r.stop && !out->refused.msg[0])
		err_set(&out->refused, CANCELLED);
	return !r.stop;
}
