/*
 * A destination climbs from its leaf by the least loaded cables, and each switch on the way teaches the route
 * to all switches below.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "engines/ftree/ftree.h"

/*
 * At this depth of calls a climb that repeats itself through every group has no end in sight. OpenSM's stack
 * of 8 MiB holds the two calls of a reverse hop some 20,000 times (it survives 19,700, and dies of 20,400).
 */
#define MAX_DEPTH 4000
#define OPENSM_REVERSE_HOPS_MOST 20000

/* --- order of groups ------------------------------------------------------------------------- */

/*
 * The groups of a leaf were sorted while its compute nodes are routed. One that may come to a place that was
 * visited, whatever the order of the CAs, may be left out. Only switches below the leaf move a second time.
 */
static void mark_by_chance(struct ft_run *r, uint32_t leaf)
{
	struct ftree *t = r->t;
	const struct fabric *f = t->topo->fabric;
	const struct ft_slot *a = t->slot + t->sw[leaf].slot[FT_DOWN];
	uint32_t n = t->sw[leaf].n[FT_DOWN], before = 0, cas = 0;

	for (uint32_t i = 0; i < n; i++) {
		cas += a[i].peer == NO_ID;
		before += a[i].peer != NO_ID && !a[i].count && a[i].key < FT_KEY_CA;
	}
	for (uint32_t i = 0; i < n && (!r->resorted[leaf] || cas < n); i++) {
		struct ft_ca *ca = a[i].peer == NO_ID ? &t->ca[t->group[a[i].group].ca] : NULL;
		uint32_t same = 0;

		if (!ca || !ca->is_cn || ca->routed)
			continue;
		for (uint32_t k = 0; k < i; k++) /* ports of one CA stay in order */
			same += a[k].peer == NO_ID &&
				endport_node(f, t->ca[t->group[a[k].group].ca].endport) ==
					endport_node(f, ca->endport);
		ca->by_chance |= before + same <= r->at_group;
	}
}

/*
 * Sorts the groups of a switch in one direction by their counter: main climbs (climb), or else switches
 * taught to climb. Ties go by index of the peer. Insertion sort, as the groups are nearly sorted.
 */
static void sort_groups(struct ft_run *r, uint32_t sw, enum ft_dir d, bool climb)
{
	const struct ft_switch *s = &r->t->sw[sw];
	struct ft_slot *a = r->t->slot + s->slot[d], before[MAX_PORTS + 1];

	assert(s->n[d] <= MAX_PORTS);
	for (uint32_t i = 0; i < s->n[d]; i++)
		a[i].count = climb ? r->t->group[a[i].group].cd : r->t->group[a[i].group].cu;
	if (r->rec)
		memcpy(before, a, s->n[d] * sizeof(*a));
	for (uint32_t i = 1; i < s->n[d]; i++) {
		struct ft_slot x = a[i];
		uint64_t key = (uint64_t)x.count << 32 | x.key;
		uint32_t j = i;

		for (; j && ((uint64_t)a[j - 1].count << 32 | a[j - 1].key) > key; j--)
			a[j] = a[j - 1];
		if (j != i)
			a[j] = x;
	}
	if (r->rec)
		ft_record_sort(r->rec, r->t, sw, d, before);
	if (!climb && d == FT_DOWN && r->first_phase && s->n_cn) {
		if (sw == r->at_leaf)
			mark_by_chance(r, sw);
		r->resorted[sw] = 1;
	}
}

void ft_sort_below(struct ft_run *r, uint32_t sw)
{
	sort_groups(r, sw, FT_DOWN, false);
	r->unsorted[sw] = false;
}

/* The first cable of least load, by the same counter. */
static inline struct ft_link *ftree_climb_least(struct ft_link *link, const struct ft_group *g, bool climb)
{
	struct ft_link *l = link + g->link, *best = l;

	for (uint32_t i = 1; i < g->n_links; i++)
		if (climb ? l[i].cd < best->cd : l[i].cu < best->cu)
			best = l + i;
	return best;
}

/* --- entries --------------------------------------------------------------------------------- */

/* The value of the hop matrix toward the target at a port id. */
static inline unsigned cost_now(const struct ft_run *r, uint32_t sw, uint32_t p0, uint32_t id)
{
	return r->cost_of[id] == r->target ? r->cost[id]
					   : hops_value(r->t->hops, r->t->topo, sw, r->target, id - p0);
}

static void set_cost(struct ft_run *r, uint32_t id, unsigned was, uint8_t h)
{
	if (r->rec) /* a recording starts with Min Hop's matrix */
		ft_record_cost(r, r->target, id, was, h);
	if (r->cost_of[id] != r->target)
		r->costs[r->n_costs++] = id;
	r->cost_of[id] = r->target;
	r->cost[id] = h;
}

/* Does the hop matrix give h hops for entries through w, and is nothing noted about others yet? */
static inline bool as_matrix(const struct ft_run *r, uint32_t w, unsigned h)
{
	const struct hops *m = r->t->hops;

	return r->target == NO_ID ||
	       (!r->n_costs && !m->by_port && !m->weight && h == hops_least(m, w, r->target) + 1u);
}

/*
 * Notes the hops of an entry toward a switch for all cables of the group, and where they are the least,
 * unless the hop matrix has them.
 */
static void note_cost(struct ft_run *r, const struct ft_group *g, uint8_t h)
{
	uint32_t p0 = r->t->topo->fabric->switch_port[g->peer];
	unsigned was;

	if (as_matrix(r, g->sw, h))
		return;
	for (uint32_t i = 0; i < g->n_links; i++) {
		uint32_t id = p0 + r->t->link[g->link + i].remote;

		was = cost_now(r, g->peer, p0, id);
		if (was != h)
			set_cost(r, id, was, h);
	}
	was = cost_now(r, g->peer, p0, p0);
	if (h < was)
		set_cost(r, p0, was, h);
}

static void set(struct ft_run *r, const struct ft_group *g, const struct ft_link *l, uint8_t h,
		enum ft_cause cause)
{
	if (r->rec)
		ft_record_set(r, g, l, h, cause);
	ft_touch(r, g->peer);
	r->port[r->place[g->peer]] = l->remote;
	r->hop[r->place[g->peer]] = h;
	if (r->reversed)
		r->reversed[g->peer] = r->reverse > 0;
	note_cost(r, g, h);
}

/* Tells and records that a switch is offered an entry, and whether it takes it. */
static void ftree_climb_offered(struct ft_run *r, const struct ft_group *g, const struct ft_link *l,
				uint8_t h, enum ft_cause cause, bool taken)
{
	if (r->tell)
		ft_tell_offer(r, g, l, h, cause, taken);
	if (!taken && r->offers)
		ft_record_offer(r, g, l, h, cause);
}

/* --- down ------------------------------------------------------------------------------------ */

static bool descend(struct ft_run *r, uint32_t w, uint32_t prev, uint8_t h);

/* A switch below or beside w learns to climb through w. Returns whether a CA is below it. */
static bool teach(struct ft_run *r, uint32_t w, const struct ft_slot *s, uint8_t h)
{
	struct ftree *t = r->t;
	uint32_t x = s->peer;
	struct ft_group *g = &t->group[s->group];
	struct ft_link *k = ftree_climb_least(t->link, g, false);

	ftree_climb_offered(r, g, k, h + 1, FT_DESCENT, true);
	set(r, g, k, h + 1, FT_DESCENT);
	if (!t->sw[x].plain && !descend(r, x, NO_ID, h + 1))
		return false;
	if (r->rec)
		ft_record_spread(r, g, k);
	k->cu++;
	g->cu++;
	r->unsorted[w] = true;
	return true;
}

/* Handles one group below or beside w. Most switches there already know a route that is as short. */
static inline bool descend_group(struct ft_run *r, uint32_t w, const struct ft_slot *s, uint32_t prev,
				 uint8_t h)
{
	uint32_t x = s->peer;

	if (x == NO_ID)
		return true;
	if (x == prev)
		return false;
	uint8_t hop = r->hop[r->place[x]];
	if (hop == NO_PATH || (!r->fill && h + 1 < hop))
		return teach(r, w, s, h);
	if (r->tell || r->offers) {
		const struct ft_group *g = &r->t->group[s->group];

		ftree_climb_offered(r, g, ftree_climb_least(r->t->link, g, false), h + 1, FT_DESCENT, false);
	}
	return false;
}

/* Does none of n switches in a row know a way? */
static inline bool are_new(const struct ft_run *r, uint32_t first, uint32_t n)
{
	return !memcmp(r->hop + first, r->unknown, n);
}

/* learn() where some know a longer way: a descent from them would visit them once more. */
static void learn_better(struct ft_run *r, uint32_t first, const uint8_t *way, uint32_t n, uint8_t next)
{
	for (uint32_t i = 0; i < n; i++) {
		if (r->hop[first + i] <= next)
			continue;
		ft_visit(r, r->at[first + i]);
		r->port[first + i] = way[i];
		r->hop[first + i] = next;
	}
}

/* Switches in a row learn a way, by a port each, where they know none that is as short. */
static void learn(struct ft_run *r, uint32_t first, const uint8_t *way, uint32_t n, uint8_t next)
{
	uint8_t *hop = r->hop + first, *port = r->port + first;

	for (uint32_t i = 0; i < n; i++) {
		if (n - i >= 8 && are_new(r, first + i, 8)) {
			memcpy(port + i, way + i, 8);
			memset(hop + i, next, 8);
			i += 7;
		} else if (hop[i] == NO_PATH) {
			port[i] = way[i];
			hop[i] = next;
		} else if (hop[i] > next) {
			learn_better(r, first + i, way + i, n - i, next);
			return;
		}
	}
}

/*
 * Switches in a row below w, at which a descent ends, learn to climb through it, if none knows a way. Each
 * counter grows by one, which leaves the order of the groups as it is: only their number is counted.
 */
static bool teach_new(struct ft_run *r, uint32_t w, uint8_t next)
{
	const struct ft_switch *s = &r->t->sw[w];
	uint32_t n = s->n[FT_DOWN];

	if (!r->low[r->family[w]] || r->below[w] == NO_ID || !are_new(r, r->below[w], n) ||
	    !as_matrix(r, w, next))
		return false;
	learn(r, r->below[w], r->way + s->slot[FT_DOWN], n, next);
	r->taught[w]++;
	return true;
}

/* The same for switches that have taught everything below, so that nothing is counted. */
static bool teach_told(struct ft_run *r, uint32_t w, uint8_t next)
{
	const struct ft_switch *s = &r->t->sw[w];

	if (!r->over[w] || r->n_untold || r->farthest > next || !as_matrix(r, w, next))
		return false;
	learn(r, r->below[w], r->way + s->slot[FT_DOWN], s->n[FT_DOWN], next);
	return true;
}

/*
 * The switches below w learn to climb through it, one by one. Returns whether a CA was found. One that would
 * only find that all below it are told is not asked.
 */
static bool teach_each(struct ft_run *r, uint32_t w, uint8_t next)
{
	const struct ft_switch *s = &r->t->sw[w];
	const struct ft_slot *down = r->t->slot + s->slot[FT_DOWN];
	uint32_t n = s->n[FT_DOWN], taught = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t x = down[i].peer, kin = r->family[x];
		struct ft_group *g = &r->t->group[down[i].group];

		if (r->hop[r->place[x]] <= next)
			continue;
		struct ft_link *k = ftree_climb_least(r->t->link, g, false);
		set(r, g, k, next, FT_DESCENT);
		if (r->told[kin] <= next) {
			ft_visit(r, x);
			continue;
		}
		if (kin != PLAIN && !descend(r, x, NO_ID, next))
			continue;
		k->cu++;
		g->cu++;
		taught++;
	}
	if (!taught || taught == n) /* when each counter grew by one, their order stays */
		return taught;
	r->unsorted[w] = true;
	r->changed[w] = r->n_destinations;
	if (!r->waits[w])
		r->waiting[r->n_waiting++] = w;
	r->waits[w] = true;
	return true;
}

/* descend() from a switch of a family, when nobody asks or records. */
static bool descend_family(struct ft_run *r, uint32_t w, uint8_t h)
{
	struct ft_switch *s = &r->t->sw[w];
	uint16_t *told = &r->told[r->family[w]];

	ft_visit(r, w);
	if (*told <= h)
		return false; /* all below know a way through another one that is as near */
	if (r->low[r->family[w]]) {
		r->n_untold -= *told == FT_UNTOLD;
		r->farthest = MAX(h, r->farthest);
	}
	*told = h;
	if (teach_told(r, w, h + 1) || (!teach_new(r, w, h + 1) && !teach_each(r, w, h + 1)))
		return false;
	s->rot = s->rot + 1 < s->n[FT_DOWN] ? s->rot + 1 : 0;
	return true;
}

/*
 * Teaches all switches below and beside w a route through w, which is h hops from the destination. Returns
 * whether a CA was found.
 */
static bool descend(struct ft_run *r, uint32_t w, uint32_t prev, uint8_t h)
{
	struct ft_switch *s = &r->t->sw[w];
	const struct ft_slot *down = r->t->slot + s->slot[FT_DOWN], *side = r->t->slot + s->slot[FT_SIDE];
	const uint8_t *hop = r->hop;
	uint32_t n = s->n[FT_DOWN], from = r->tell || r->offers ? 0 : MIN(h + 2u, NO_PATH);
	bool created = false;

	if (!n)
		return false;
	if (r->family[w] > PLAIN)
		return descend_family(r, w, h);
	ft_visit(r, w);
	if (s->n[FT_SIDE])
		sort_groups(r, w, FT_SIDE, false);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t x = down[i].peer;

		/* most switches know a route that is as short: skip the call */
		if (x == NO_ID || hop[r->place[x]] >= from)
			created |= descend_group(r, w, &down[i], prev, h);
	}
	for (uint32_t i = 0; r->lid && i < s->n[FT_SIDE]; i++)
		created |= descend_group(r, w, &side[i], prev, h);
	if (created)
		s->rot = (s->rot + 1) % n;
	return created;
}

/* --- up -------------------------------------------------------------------------------------- */

/* Should the climb stop? Reverse hops can take practically for ever. */
static bool ftree_climb_give_up(struct ft_run *r)
{
	if (++r->calls >= r->look) {
		r->look = r->calls + 0x1000;
		r->stop |= !progress_step(r->in->progress, r->lid);
	}
	if (r->t->most_calls && r->calls > r->t->most_calls)
		r->stop = true;
	if (r->depth > MAX_DEPTH && !r->stop) {
		r->stop = true;
		r->out->fatal = r->t->max_reverse > OPENSM_REVERSE_HOPS_MOST ? "crashes" : "never ends";
		err_set(&r->out->refused,
			"max_reverse_hops %u: routes to an I/O node turn round more than %u levels deep, and "
			"each level multiplies the work; more than %u fill OpenSM's stack; lower "
			"max_reverse_hops",
			r->t->max_reverse, MAX_DEPTH, OPENSM_REVERSE_HOPS_MOST);
	}
	return r->stop;
}

static bool better(const struct ft_run *r, uint32_t x, uint8_t h)
{
	return r->port[r->place[x]] == NO_PATH || h + 1 < r->hop[r->place[x]];
}

/*
 * Climbs through a group if the peer has no better route: a parent other than the main one, or a sibling.
 * Returns the link when that created a path, or NULL.
 */
static struct ft_link *try_group(struct ft_run *r, uint32_t w, const struct ft_slot *s, enum ft_cause cause,
				 unsigned credit, uint8_t h)
{
	struct ft_group *g = &r->t->group[s->group];
	bool yes = better(r, g->peer, h);

	if (!yes && !r->tell && !r->offers)
		return NULL;
	struct ft_link *k = ftree_climb_least(r->t->link, g, true);
	ftree_climb_offered(r, g, k, h + 1, cause, yes);
	if (!yes)
		return NULL;
	set(r, g, k, h + 1, cause);
	return ft_ascend(r, g->peer, w, false, credit, h + 1) ? k : NULL;
}

/* try_group() for all parents of w, if they are a family at the top that has taught all below it. */
static bool take_crown(struct ft_run *r, uint32_t w, uint8_t next)
{
	const struct ft_switch *s = &r->t->sw[w];

	if (r->told[r->crown[w]] > next || !as_matrix(r, w, next))
		return false;
	r->calls += s->n[FT_UP];
	learn(r, r->above[w], r->way + s->slot[FT_UP], s->n[FT_UP], next);
	return true;
}

/* Climbs through the least loaded parent, and counts it. */
static bool climb_main(struct ft_run *r, uint32_t w, uint32_t prev, struct ft_group *g, unsigned credit,
		       uint8_t h)
{
	struct ft_link *k = ftree_climb_least(r->t->link, g, true);
	bool yes = better(r, g->peer, h);

	if (r->tell) {
		ft_tell_climb(r, w, prev);
		ft_tell_offer(r, g, k, h + 1, FT_MAIN, yes);
	}
	if (r->rec)
		ft_record_climb(r, w, g, g, k);
	g->cd++;
	k->cd++;
	r->t->sw[w].climbed = true;
	if (yes)
		set(r, g, k, h + 1, FT_MAIN);
	else if (r->offers)
		ft_record_offer(r, g, k, h + 1, FT_MAIN);
	return ft_ascend(r, g->peer, w, true, credit, h + 1);
}

/* Climbs through the parents, then through siblings. */
static bool climb(struct ft_run *r, uint32_t w, uint32_t prev, bool main, unsigned credit, uint8_t h)
{
	struct ft_switch *s = &r->t->sw[w];
	const struct ft_slot *up = r->t->slot + s->slot[FT_UP], *side = r->t->slot + s->slot[FT_SIDE];
	bool created = false;

	if (s->climbed) {
		sort_groups(r, w, FT_UP, true);
		s->climbed = false;
	}
	struct ft_group *g0 = &r->t->group[up[0].group];
	if (main)
		created |= climb_main(r, w, prev, g0, credit, h);
	for (uint32_t i = main; i < s->n[FT_UP] && !take_crown(r, w, h + 1); i++)
		created |= try_group(r, w, &up[i], FT_SECOND, credit, h) != NULL;
	if (s->n[FT_SIDE])
		sort_groups(r, w, FT_SIDE, true);
	for (uint32_t i = 0; i < s->n[FT_SIDE]; i++) {
		struct ft_link *k = try_group(r, w, &side[i], FT_BESIDE, credit, h);

		if (!k)
			continue;
		created = true;
		if (r->rec)
			ft_record_climb(r, w, g0, &r->t->group[side[i].group], k);
		g0->cd++;
		k->cd++;
		s->climbed = true;
	}
	return created;
}

static bool reverse_group(struct ft_run *r, uint32_t w, const struct ft_slot *s, bool main, unsigned credit,
			  uint8_t h)
{
	if (s->peer == NO_ID)
		return false;
	r->reverse++;
	bool created = ft_ascend(r, s->peer, w, main, credit - 1, h + 1);
	r->reverse--;
	return created;
}

bool ft_ascend(struct ft_run *r, uint32_t w, uint32_t prev, bool main, unsigned credit, uint8_t h)
{
	struct ft_switch *s = &r->t->sw[w];
	const struct ft_slot *down = r->t->slot + s->slot[FT_DOWN];
	uint32_t n = s->n[FT_DOWN];

	if (ftree_climb_give_up(r))
		return false;
	r->depth++;
	bool created = descend(r, w, prev, h);
	if (s->rank == 0 || !s->n[FT_UP]) {
		if (credit && n) /* each reverse hop of a root begins at the next group */
			s->rot = (s->rot + 1) % n;
		for (uint32_t k = 0, i = s->rot; credit && k < n; k++, i = (i + 1) % n)
			created |= reverse_group(r, w, &down[i], main, credit, h);
	} else {
		created |= climb(r, w, prev, main, credit, h);
		for (uint32_t i = 0; credit && !s->is_leaf && i < n; i++)
			created |= reverse_group(r, w, &down[i], true, credit, h);
	}
	r->depth--;
	return created;
}

/* Parents of a switch that have no route take one down to it. */
static void offer_up(struct ft_run *r, uint32_t w)
{
	const struct ft_switch *s = &r->t->sw[w];

	for (uint32_t i = 0; r->hop[w] + 1 < NO_PATH && i < s->n[FT_UP]; i++) {
		const struct ft_slot *up = r->t->slot + s->slot[FT_UP] + i;
		struct ft_group *g = &r->t->group[up->group];
		struct ft_link *k = ftree_climb_least(r->t->link, g, true);

		if (r->port[g->peer] != NO_PATH) /* with reverse hops places are ids */
			continue;
		ftree_climb_offered(r, g, k, r->hop[w] + 1, FT_SECOND, true);
		set(r, g, k, r->hop[w] + 1, FT_SECOND);
	}
}

void ft_turn(struct ft_run *r, unsigned most)
{
	AUTO_FREE uint8_t *known = NEW_ARRAY(r->n_switches + 1, uint8_t);
	uint32_t before = 0, n;

	assert(r->touched || !r->n_touched);
	r->fill = true;
	while (r->reverse < most && r->n_touched > before && !ftree_climb_give_up(r)) {
		before = r->n_touched;
		memcpy(known, r->hop, r->n_switches);
		r->reverse++;
		/* first, switches take routes down, since those above them can then do so too */
		for (unsigned h = 0; h < NO_PATH - 1; h++)
			for (uint32_t w = 0; w < r->n_switches; w++)
				if (known[w] == h)
					offer_up(r, w);
		for (n = before; n < r->n_touched; n++)
			offer_up(r, r->touched[n]);
		/* then the switches below learn to climb */
		for (uint32_t i = before; i < n; i++)
			descend(r, r->touched[i], NO_ID, r->hop[r->touched[i]]);
	}
	r->fill = false;
	r->reverse = 0;
}
