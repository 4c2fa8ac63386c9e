/* Minimum contention: distances and acceptable paths, the choice among them, the run, and what is recorded of
 * it. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/defs.h"
#include "core/base/memory.h"
#include "engines/engines.h"
#include "engines/mincontention/mincontention.h"

/* Stages 2 and 3: the paths between elements and inside them for one LID, then the entries of all chips. */

/*
 * Chooses among the links of a node that give its key: least usage, then, if by_next, the lowest next node.
 * Links are sorted by chip GUID and port number, which decides the rest. A path that gives the key is
 * acceptable, since it has the same distance.
 */
static uint32_t best_link(const struct level *v, uint32_t node)
{
	uint32_t best = NO_ID, least = UINT32_MAX, key = v->key[node];

	for (uint32_t l = v->first[node]; l < v->first[node + 1]; l++) {
		if (key_through(v, l, v->key[v->to[l]]) != key)
			continue;
		uint32_t use = v->use[l];
		if (use < least || (v->by_next && use == least && v->to[l] < v->to[best])) {
			best = l;
			least = use;
		}
	}
	return best;
}

static void mincontention_choose_push(struct heap *h, unsigned level, unsigned distance, uint32_t node)
{
	if (!h->used[level] || distance > h->top[level]) {
		for (unsigned d = h->used[level] ? h->top[level] + 1 : 0; d <= distance; d++)
			h->head[level][d] = NO_ID;
		h->top[level] = distance;
		h->used[level] = true;
	}
	h->node[h->n] = node;
	h->next[h->n] = h->head[level][distance];
	h->head[level][distance] = h->n++;
}

/* Offers a settled node's path to its neighbours. A neighbour takes it only within the tolerance. */
static void mincontention_choose_offer(struct level *v, unsigned tolerance, uint32_t node)
{
	uint32_t least = v->key[node] + 1;

	for (uint32_t b = v->first[node]; b < v->first[node + 1]; b++) {
		uint32_t to = v->to[b];

		if (least >= v->key[to] || DISTANCE(least) > v->sp[to] + tolerance)
			continue;
		uint32_t key = key_through(v, v->back[b], v->key[node]);
		if (key >= v->key[to])
			continue;
		v->key[to] = key;
		mincontention_choose_push(&v->heap, CONTENTION(key) & 1, DISTANCE(key), to);
	}
}

/*
 * Dijkstra over (contention, distance). A link adds 0 or 1 to the contention and 1 to the distance, so two
 * levels of contention hold all open nodes.
 */
static void choose_by_key(struct level *v, unsigned tolerance, uint32_t target, const uint32_t *node,
			  uint32_t n)
{
	struct heap *h = &v->heap;

	for (uint32_t i = 0; i < n; i++) {
		v->key[node[i]] = NO_OFFER;
		v->egress[node[i]] = NO_ID;
	}
	h->n = 0;
	h->used[0] = h->used[1] = false;
	v->key[target] = 0;
	mincontention_choose_offer(v, tolerance, target);
	for (unsigned c = 0; h->used[0] || h->used[1]; c++) {
		unsigned level = c & 1;

		for (unsigned d = 0; h->used[level] && d <= h->top[level]; d++)
			for (uint32_t i = h->head[level][d]; i != NO_ID; i = h->next[i]) {
				uint32_t at = h->node[i];

				if (v->key[at] != (c << 16 | d) || v->egress[at] != NO_ID)
					continue;
				v->egress[at] = best_link(v, at);
				mincontention_choose_offer(v, tolerance, at);
			}
		h->used[level] = false;
	}
}

static void mincontention_choose_one(const struct mincontention_run *x, struct level *v, uint32_t target,
				     const uint32_t *node, uint32_t n)
{
	if (v->n_marks) {
		choose_by_key(v, x->tolerance, target, node, n);
		return;
	}
	/* no link is marked: contention is 0 everywhere, and shortest paths have the least keys */
	for (uint32_t i = 0; i < n; i++)
		v->key[node[i]] = v->sp[node[i]];
	for (uint32_t i = 0; i < n; i++)
		v->egress[node[i]] = node[i] == target ? NO_ID : best_link(v, node[i]);
}

/* Stages 2 and 3: chooses a link for every element and for every chip inside, for the current LID. */
static void choose_paths(struct mincontention_run *x)
{
	const struct elements *el = x->el;

	mincontention_choose_one(x, &x->between, x->target, x->near, x->n_near);
	for (uint32_t i = 0; el->n_inside && i < x->n_near; i++) {
		uint32_t e = x->near[i];

		if (element_chips(el, e) == 1)
			continue;
		aim_inside(x, e);
		mincontention_choose_one(x, &x->inside, exit_switch(x, e), &el->chip[el->first_chip[e]],
					 element_chips(el, e));
	}
}

/* One LID: distances to its target, the acceptable paths of an element or chip, existing trees. */

static void level_begin(struct level *v, uint32_t nodes)
{
	size_t links = (size_t)v->n_links + 1;

	v->use = NEW_ARRAY(links, uint32_t);
	v->marked = NEW_ARRAY(links, uint8_t);
	v->mark = NEW_ARRAY(links, uint32_t);
	v->key = NEW_ARRAY(nodes + 1, uint32_t);
	v->egress = NEW_ARRAY(nodes + 1, uint32_t);
	memset(v->egress, 0xff, nodes * sizeof(*v->egress));
	v->heap.head[0] = NEW_ARRAY(nodes + 1, uint32_t);
	v->heap.head[1] = NEW_ARRAY(nodes + 1, uint32_t);
	v->heap.node = NEW_ARRAY(links, uint32_t);
	v->heap.next = NEW_ARRAY(links, uint32_t);
}

static void level_end(struct level *v)
{
	FREE_EACH(v->use, v->marked, v->mark, v->key, v->egress, v->heap.head[0], v->heap.head[1],
		  v->heap.node, v->heap.next);
}

void run_levels(struct mincontention_run *x)
{
	const struct elements *el = x->el;
	uint32_t switches = x->topo->fabric->n_switches;

	x->between = (struct level){
		.first = el->first_link,
		.to = el->link_to,
		.back = el->link_back,
		.port = el->link_port,
		.of_port = el->port_link,
		.n_links = el->n_links,
		.by_next = true,
	};
	x->inside = (struct level){
		.first = el->first_inside,
		.to = el->inside_to,
		.back = el->inside_back,
		.port = el->inside_port,
		.of_port = el->port_inside,
		.n_links = el->n_inside,
	};
	level_begin(&x->between, el->n);
	level_begin(&x->inside, switches);
	x->inside.sp = x->inside_sp = NEW_ARRAY(switches + 1, uint16_t);
	x->all_sp = NEW_ARRAY(el->n + 1, uint16_t *);
	x->all_near = NEW_ARRAY(el->n + 1, uint32_t *);
	x->target = NO_ID;
}

void run_end(struct mincontention_run *x)
{
	for (uint32_t e = 0; e < x->el->n; e++) {
		FREE_EACH(x->all_sp[e], x->all_near[e]);
	}
	FREE_EACH(x->all_sp, x->all_near, x->inside_sp);
	level_end(&x->between);
	level_end(&x->inside);
}

/* --- the target ----------------------------------------------------------------------------------- */

void aim(struct mincontention_run *x, uint32_t target)
{
	uint32_t n = x->el->n, slot = n <= REMEMBERED ? target : 0;

	assert(target < n);
	if (x->target == target)
		return;
	x->target = target;
	x->n_near = n; /* all switches that are up are connected */
	if (!x->all_sp[slot] || n > REMEMBERED) {
		if (!x->all_sp[slot]) {
			x->all_sp[slot] = NEW_ARRAY(n, uint16_t);
			x->all_near[slot] = NEW_ARRAY(n, uint32_t);
		}
		x->n_near = elements_distances(x->el, target, x->all_sp[slot], x->all_near[slot]);
	}
	x->between.sp = x->all_sp[slot];
	x->near = x->all_near[slot];
}

void aim_inside(struct mincontention_run *x, uint32_t e)
{
	const struct elements *el = x->el;
	uint32_t to = el->chip_index[exit_switch(x, e)];

	for (uint32_t c = el->first_chip[e]; c < el->first_chip[e + 1]; c++)
		x->inside_sp[el->chip[c]] = (uint16_t)element_hops(el, e, el->chip_index[el->chip[c]], to);
}

/* --- the ways of one element, or of one chip inside ------------------------------------------------- */

static struct mincontention_way way_through(const struct level *v, uint32_t l)
{
	uint32_t to = v->to[l], key = key_through(v, l, v->key[to]);

	return (struct mincontention_way){
		.port = v->port[l],
		.to = to,
		.key = {(uint16_t)CONTENTION(key), (uint16_t)DISTANCE(key)},
		.usage = v->use[l],
	};
}

/* The first thing in which two ways differ. Links are sorted by chip and port, which settle the rest. */
static enum mincontention_rule mincontention_ways_difference(const struct mincontention_run *x,
							     const struct level *v,
							     const struct mincontention_way *a,
							     const struct mincontention_way *b)
{
	const struct fabric *f = x->topo->fabric;

	if (a->key.contention != b->key.contention)
		return RULE_CONTENTION;
	if (a->key.distance != b->key.distance)
		return RULE_DISTANCE;
	if (a->usage != b->usage)
		return RULE_USAGE;
	if (v->by_next && a->to != b->to)
		return RULE_NEXT_ELEMENT;
	return f->port_node[a->port] != f->port_node[b->port] ? RULE_OWN_CHIP : RULE_PORT;
}

bool acceptable(const struct mincontention_run *x, const struct level *v, uint32_t node, uint32_t l)
{
	uint32_t at = v->to[l];

	if (DISTANCE(v->key[at]) + 1 > v->sp[node] + x->tolerance)
		return false;
	while (at != node && v->egress[at] != NO_ID) /* does its chosen path come back to the node? */
		at = v->to[v->egress[at]];
	return at != node || v->egress[at] == NO_ID;
}

uint32_t list_ways(const struct mincontention_run *x, const struct level *v, uint32_t node, bool kept,
		   struct mincontention_way *way)
{
	uint32_t n = 1;

	if (v->key[node] == NO_OFFER) {
		way[0] = (struct mincontention_way){.port = NO_ID, .to = NO_ID, .open = true};
		return 1;
	}
	assert(v->egress[node] != NO_ID);
	way[0] = way_through(v, v->egress[node]);
	way[0].chosen = true;
	way[0].rule = RULE_ONLY_PATH;
	for (uint32_t l = v->first[node]; l < v->first[node + 1]; l++) {
		if (l == v->egress[node] || !acceptable(x, v, node, l))
			continue;
		way[n] = way_through(v, l);
		way[n].rule = kept ? RULE_KEPT : mincontention_ways_difference(x, v, &way[0], &way[n]);
		if (way[n].rule > way[0].rule)
			way[0].rule = way[n].rule;
		n++;
	}
	if (kept)
		way[0].rule = RULE_KEPT;
	return n;
}

/* Can the target be reached from element `from` over at most `most` links, without passing e? */
static bool near_without(const struct mincontention_run *x, uint32_t from, uint32_t e, unsigned most)
{
	const struct elements *el = x->el;
	uint16_t *dist = NEW_ARRAY(el->n, uint16_t);
	uint32_t *queue = NEW_ARRAY(el->n, uint32_t), n = from != e;
	bool found = false;

	memset(dist, 0xff, el->n * sizeof(*dist));
	dist[from] = 0;
	queue[0] = from;
	for (uint32_t i = 0; i < n && !found && dist[queue[i]] <= most; i++) {
		found = queue[i] == x->target;
		for (uint32_t l = el->first_link[queue[i]]; l < el->first_link[queue[i] + 1]; l++) {
			uint32_t to = el->link_to[l];

			if (to == e || dist[to] != NO_DISTANCE)
				continue;
			dist[to] = (uint16_t)(dist[queue[i]] + 1);
			queue[n++] = to;
		}
	}
	FREE_EACH(dist, queue);
	return found;
}

bool way_not_given(const struct mincontention_run *x, uint32_t e, uint32_t l)
{
	const struct level *v = &x->between;
	uint32_t to = v->to[l];
	unsigned most = v->sp[e] + x->tolerance - 1;

	if (e == x->target || to == e || v->sp[to] > most || acceptable(x, v, e, l))
		return false;
	/* a neighbour no farther than e has a shortest way that does not pass e */
	return v->sp[to] <= v->sp[e] || near_without(x, to, e, most);
}

uint32_t way_deviator(const struct mincontention_run *x, uint32_t e, uint32_t l)
{
	const struct level *v = &x->between;
	unsigned left = v->sp[e] + x->tolerance - 1;
	uint32_t at = v->to[l], next;

	assert(way_not_given(x, e, l));
	/* the entries leave such paths before the target: else l were acceptable */
	for (; near_without(x, next = v->to[v->egress[at]], e, left - 1); left--)
		at = next;
	return at;
}

enum mincontention_rule own_rule(const struct mincontention_run *x, bool kept)
{
	if (kept)
		return RULE_KEPT;
	return x->swport ? RULE_HOST_PORT : RULE_OWN_PORT;
}

/* --- existing trees -------------------------------------------------------------------------- */

uint32_t egress_link(const struct elements *el, const struct routing *r, uint32_t e, unsigned lid)
{
	const struct fabric *f = el->topo->fabric;

	for (uint32_t c = el->first_chip[e]; c < el->first_chip[e + 1]; c++) {
		uint32_t p = routing_port(r, el->chip[c], lid);

		if (!p || p > f->switch_nports[el->chip[c]])
			continue;
		p += f->switch_port[el->chip[c]];
		if (el->port_link[p] != NO_ID)
			return el->port_link[p];
	}
	return NO_ID;
}

uint32_t inside_link(const struct elements *el, const struct routing *r, uint32_t sw, unsigned lid)
{
	unsigned p = routing_port(r, sw, lid);

	if (!p || p > el->topo->fabric->switch_nports[sw])
		return NO_ID;
	return el->port_inside[switch_port_id(el->topo->fabric, sw, p)];
}

/* Finds the distance of a node by egress[]. False when the way loops, or is not acceptably short. */
static bool mincontention_ways_follow(const struct mincontention_run *x, struct level *v, uint32_t node,
				      uint32_t n)
{
	uint32_t steps = 0, at = node, from = node;

	for (; v->key[at] == NO_OFFER; at = v->to[v->egress[at]])
		if (++steps > n)
			return false;
	for (uint32_t d = v->key[at] + steps; v->key[node] == NO_OFFER; node = v->to[v->egress[node]])
		v->key[node] = d--;
	return v->key[from] <= v->sp[from] + x->tolerance;
}

/* Do all chips of an element send to its exit, by acceptable ways inside? */
static bool inside_stands(struct mincontention_run *x, const struct routing *from, uint32_t e)
{
	const struct elements *el = x->el;
	const uint32_t *chip = &el->chip[el->first_chip[e]];
	uint32_t n = element_chips(el, e), exit = exit_switch(x, e);

	if (n == 1)
		return true;
	aim_inside(x, e);
	for (uint32_t i = 0; i < n; i++) {
		x->inside.key[chip[i]] = chip[i] == exit ? 0 : NO_OFFER;
		x->inside.egress[chip[i]] = chip[i] == exit ? NO_ID : inside_link(el, from, chip[i], x->lid);
		if (chip[i] != exit && x->inside.egress[chip[i]] == NO_ID)
			return false;
	}
	for (uint32_t i = 0; i < n; i++)
		if (!mincontention_ways_follow(x, &x->inside, chip[i], n))
			return false;
	return true;
}

/*
 * Do the tables of `from` have a complete tree for the current LID, over live links, that this engine could
 * have chosen? Then egress[] and key[] (with contention 0) of both levels describe it.
 */
static bool tree_stands(struct mincontention_run *x, const struct routing *from)
{
	if (lid_owner(from->lids, x->lid) != x->owner)
		return false;
	for (uint32_t e = 0; e < x->el->n; e++) {
		bool own = e == x->target;

		x->between.key[e] = own ? 0 : NO_OFFER;
		x->between.egress[e] = own ? NO_ID : egress_link(x->el, from, e, x->lid);
		if (own ? routing_port(from, x->sw, x->lid) != x->swport : x->between.egress[e] == NO_ID)
			return false;
		if (!inside_stands(x, from, e))
			return false;
	}
	for (uint32_t e = 0; e < x->el->n; e++)
		if (!mincontention_ways_follow(x, &x->between, e, x->el->n))
			return false;
	return true;
}

/* --- links that other LIDs of an endport use ------------------------------------------------------ */

static void level_mark(struct level *v, uint32_t l)
{
	if (l == NO_ID || v->marked[l])
		return;
	v->marked[l] = 1;
	v->mark[v->n_marks++] = l;
}

void mark_lid(struct mincontention_run *x, const struct routing *r, unsigned lid)
{
	const struct elements *el = x->el;

	for (uint32_t e = 0; e < el->n; e++) {
		level_mark(&x->between, egress_link(el, r, e, lid));
		for (uint32_t c = el->first_chip[e]; element_chips(el, e) > 1 && c < el->first_chip[e + 1];
		     c++)
			level_mark(&x->inside, inside_link(el, r, el->chip[c], lid));
	}
}

/* Marks the links chosen for the current LID. */
static void mark_chosen(struct mincontention_run *x)
{
	for (uint32_t e = 0; e < x->el->n; e++)
		level_mark(&x->between, x->between.egress[e]);
	for (uint32_t s = 0; x->el->n_inside && s < x->topo->fabric->n_switches; s++)
		level_mark(&x->inside, x->inside.egress[s]);
}

/* Minimum contention, shortest path and load balancing (HP 376227-B21): the run over all LIDs, the trees that
 * are kept, and results to look at.  Stability: a LID whose tree has lost no link keeps it. The trees of the
 * other LIDs are chosen again, after the ports of all kept trees were counted and those of kept LIDs of the
 * same endport were marked. */

static const struct optdef options[] = {
	{.name = "tolerance",
	 .own = true,
	 .type = OPT_UINT,
	 .def = "0",
	 .max = 63,
	 .help = "mincontention: elements (chassis) a path may be longer than the shortest"},
	{.name = "chassis_file",
	 .own = true,
	 .type = OPT_FILE,
	 .def = "",
	 .help = "mincontention: which switch chips are one chassis: lines `switch-GUID NAME`"},
	{0},
};

/* --- destinations ---------------------------------------------------------------------------- */

/* CA and router ports by base LID, then switches by LID, each with a LID and a switch. Returns how many. */
static uint32_t destinations(const struct engine_input *in, uint32_t *list)
{
	const struct topo *t = in->topo;
	uint32_t n = 0;

	for (int switches = 0; switches < 2; switches++)
		for (unsigned lid = 1; lid <= in->lids->max_lid; lid++) {
			uint32_t ep = in->lids->owner[lid];

			if (ep == NO_ID || in->lids->base[ep] != lid || t->endport_switch[ep] == NO_ID)
				continue;
			if (endport_is_switch(t->fabric, ep) == switches)
				list[n++] = ep;
		}
	assert(n <= t->fabric->n_endports);
	return n;
}

static void begin_lid(struct mincontention_run *x, uint32_t ep, unsigned lid)
{
	x->lid = lid;
	x->owner = ep;
	x->sw = x->topo->endport_switch[ep];
	x->swport = x->topo->endport_swport[ep];
	aim(x, x->el->of[x->sw]);
}

/* --- what is kept ---------------------------------------------------------------------------- */

/* Finds the LIDs whose trees in the current tables stand. False when cancelled. */
static bool find_kept(struct mincontention_run *x, const uint32_t *list, uint32_t n)
{
	const struct lids *l = x->in->lids;

	progress_start(x->in->progress, "trees that stand", n);
	for (uint32_t i = 0; i < n; i++) {
		if (!progress_step(x->in->progress, i))
			return false;
		for (unsigned k = 0; k < l->count[list[i]]; k++) {
			begin_lid(x, list[i], l->base[list[i]] + k);
			x->kept[x->lid] = tree_stands(x, x->in->current);
		}
	}
	return true;
}

/* During the run, usage is counted per link. */
static void split_usage(const struct level *v, const uint32_t *usage)
{
	for (uint32_t l = 0; l < v->n_links; l++)
		v->use[l] = usage[v->port[l]];
}

static void join_usage(const struct level *v, uint32_t *usage)
{
	for (uint32_t l = 0; l < v->n_links; l++)
		usage[v->port[l]] = v->use[l];
}

/* Takes over the entries of kept LIDs, and counts their ports. */
static void take_kept(struct mincontention_run *x)
{
	const struct fabric *f = x->topo->fabric;
	const struct routing *from = x->in->current;

	for (uint32_t s = 0; s < f->n_switches; s++) {
		struct lft_row *row = x->r->row[s];

		for (unsigned lid = 1; row && lid <= row->top; lid++) {
			if (!x->kept[lid])
				continue;
			row->port[lid] = (uint8_t)routing_port(from, s, lid);
			x->usage[switch_port_id(f, s, row->port[lid])] += row->port[lid] != 0;
		}
	}
}

/* A shortcut for find_kept(): keeps a LID if none of its entries names a port that has lost its link. */
static void keep_unharmed(struct mincontention_run *x, const struct routing *before, const uint32_t *list,
			  uint32_t n)
{
	const struct fabric *f = x->topo->fabric;
	const struct lids *l = x->in->lids;

	for (uint32_t i = 0; i < n; i++)
		for (unsigned lid = l->base[list[i]], k = 0; k < l->count[list[i]]; k++, lid++)
			x->kept[lid] = lid_owner(before->lids, lid) == list[i];
	for (uint32_t s = 0; s < f->n_switches; s++) {
		uint8_t dead[MAX_PORTS + 2] = {0};
		bool any = false;

		for (unsigned p = 1; x->r->row[s] && p <= f->switch_nports[s]; p++) {
			uint32_t port = switch_port_id(f, s, p);

			dead[p] = before->topo->peer[port] != NO_ID && x->topo->peer[port] == NO_ID;
			any |= dead[p];
		}
		for (unsigned lid = 1; any && lid <= l->max_lid; lid++) {
			unsigned p = routing_port(before, s, lid);

			if (p != NO_PATH && dead[p])
				x->kept[lid] = 0;
		}
	}
}

/*
 * May keep_unharmed() be used? It may if the tables are those of the last run with the same tolerance, no
 * link is new, and elements only lost chips (if one falls apart, find_kept() decides).
 */
static bool can_compare(const struct mincontention_run *x)
{
	const struct engine_input *in = x->in;
	const struct mincontention *m = mincontention_of(in->previous);
	const struct elements *el = x->el;

	if (!m || !in->current || m->tolerance != x->tolerance ||
	    in->previous->topo->fabric != in->topo->fabric)
		return false;
	for (uint32_t s = 0; s < in->topo->fabric->n_switches; s++)
		if (switch_up(in->topo, s) &&
		    (!in->previous->row[s] || in->previous->row[s] != in->current->row[s]))
			return false;
	for (uint32_t p = 0; p < in->topo->fabric->n_ports; p++)
		if (in->topo->peer[p] != NO_ID && in->topo->peer[p] != in->previous->topo->peer[p])
			return false;
	AUTO_FREE uint8_t *taken = NEW_ARRAY(m->elements->n + 1, uint8_t);
	bool same = true;
	for (uint32_t e = 0; same && e < el->n; e++) {
		uint32_t was = m->elements->of[el->chip[el->first_chip[e]]];

		for (uint32_t c = el->first_chip[e]; c < el->first_chip[e + 1]; c++)
			same &= m->elements->of[el->chip[c]] == was;
		same = same && !taken[was];
		taken[was] = 1;
	}
	return same;
}

/* What mincontention records. */

struct mc_record {
	/* values of the previous LID in the recording; key: [n + n_switches], elements, then chips inside */
	uint32_t *key, *egress;
	struct mincontention_way *way;
};

static void mincontention_events_release(void *p)
{
	struct mc_kept *k = p;

	elements_unref(k->el);
	FREE_EACH(k->kept, k);
}

/* --- events ---------------------------------------------------------------------------------- */

static struct mc_record *mc_record_new(const struct mincontention_run *x)
{
	struct mc_record *r = NEW(struct mc_record);
	struct recorder *rec = x->in->record;
	struct mc_kept *k = NEW(struct mc_kept);
	uint32_t alone = 0;
	char text[100];
	uint32_t n = x->el->n, keys = n + x->topo->fabric->n_switches;

	r->key = NEW_ARRAY(keys, uint32_t);
	r->egress = NEW_ARRAY(n + 1, uint32_t);
	memset(r->key, 0xff, keys * sizeof(*r->key));
	memset(r->egress, 0xff, n * sizeof(*r->egress));
	r->way = NEW_ARRAY(x->el->n_links + x->el->n_inside + 1u, struct mincontention_way);
	k->el = elements_ref(x->el);
	k->tolerance = x->tolerance;
	k->kept = mem_dup(x->kept, x->in->lids->max_lid + 1u);
	rec_cells(rec, T_KEY, keys);
	rec_cells(rec, T_EGRESS, n);
	rec_cells(rec, T_COUNT, x->topo->fabric->n_ports);
	rec_keep(rec, k, mincontention_events_release);
	rec_text(rec, REC_PHASE, "grouping: chips to elements");
	for (uint32_t e = 0; e < n; e++)
		if (element_chips(x->el, e) > 1)
			rec_event(rec, REC_GROUP, 0, 0, x->el->chip[x->el->first_chip[e]], 0);
		else
			alone++;
	if (alone) {
		snprintf(text, sizeof(text), "%s of one chip", PLURAL(alone, "element"));
		rec_text(rec, REC_NOTE, text);
	}
	return r;
}

/* NULL is fine */
static void mc_record_free(struct mc_record *r)
{
	if (!r)
		return;
	FREE_EACH(r->key, r->egress, r->way, r);
}

/* The entries and counts of kept trees were taken over. */
static void mc_record_kept(const struct mincontention_run *x)
{
	const struct fabric *f = x->topo->fabric;
	struct recorder *rec = x->in->record;
	uint32_t lids = x->in->lids->max_lid + 1u, n = 0;
	char text[100];

	for (uint32_t lid = 1; lid < lids; lid++)
		n += x->kept[lid];
	if (n) {
		snprintf(text, sizeof(text), "%s kept: no cable of the tree failed", PLURAL(n, "LID"));
		rec_text(rec, REC_NOTE, text);
	}
	for (uint32_t s = 0; n && s < f->n_switches; s++)
		for (unsigned lid = 1; x->r->row[s] && lid < lids; lid++)
			if (x->kept[lid])
				rec_delta(rec, T_ENTRY, s * lids + lid, NO_PATH, x->r->row[s]->port[lid]);
	for (uint32_t p = 0; n && p < f->n_ports; p++)
		rec_delta(rec, T_COUNT, p, 0, x->usage[p]);
	if (!x->el->n_inside)
		rec_text(rec, REC_PHASE, "paths between elements");
}

/* The phase "between" elements or "inside" them begins. */
static void mc_record_phase(const struct mincontention_run *x, const char *where)
{
	char text[100];

	snprintf(text, sizeof(text), "paths %s elements: LID %u", where, x->lid);
	rec_text(x->in->record, REC_PHASE, text);
}

/* Changes a cell, and its copy. */
static void change(const struct mincontention_run *x, enum rec_table t, uint32_t *copy, uint32_t e,
		   uint32_t now)
{
	rec_delta(x->in->record, t, e, copy[e], now);
	copy[e] = now;
}

static void mincontention_events_entry(const struct mincontention_run *x, uint32_t sw, uint32_t port)
{
	rec_delta(x->in->record, T_ENTRY, sw * (x->in->lids->max_lid + 1u) + x->lid,
		  x->r->row[sw]->port[x->lid], x->topo->fabric->port_num[port]);
}

/* Element e sends the LID by port id `port` of chip sw. Call before the entry is stored and counted. */
static void mc_record_settle(const struct mincontention_run *x, uint32_t e, uint32_t sw, uint32_t port)
{
	struct recorder *rec = x->in->record;
	unsigned number = x->topo->fabric->port_num[port];
	uint32_t kept = rec_kept_switch(rec);
	unsigned rule = own_rule(x, false);

	if (e != x->target) {
		list_ways(x, &x->between, e, false, x->rec->way);
		rule = x->rec->way[0].rule;
	}
	if (kept != NO_ID && x->el->of[kept] == e) /* the choices of its chips depend on it */
		rec_bears(rec);
	rec_event(rec, REC_SETTLE, rule, number, sw, x->lid);
	if (e != x->target || x->swport)
		rec_flag(rec, REC_COUNTED);
	mincontention_events_entry(x, sw, port);
	change(x, T_KEY, x->rec->key, e, x->between.key[e]);
	change(x, T_EGRESS, x->rec->egress, e, port);
}

/* A chip sends the LID by a port towards the chip with the element's exit. */
static void mc_record_inside(const struct mincontention_run *x, uint32_t sw, uint32_t port)
{
	list_ways(x, &x->inside, sw, false, x->rec->way);
	rec_event(x->in->record, REC_CHOICE, inside_why(x->rec->way[0].rule), x->topo->fabric->port_num[port],
		  sw, x->lid);
	rec_flag(x->in->record, REC_COUNTED);
	mincontention_events_entry(x, sw, port);
	change(x, T_KEY, x->rec->key, x->el->n + sw, x->inside.key[sw]);
}

/* --- entries ------------------------------------------------------------------------------------ */

/* Fills the LID's entries of all chips from the chosen links, and counts them. */
static void place_entries(struct mincontention_run *x)
{
	const struct fabric *f = x->topo->fabric;
	const struct elements *el = x->el;

	for (uint32_t i = 0; i < x->n_near; i++) {
		uint32_t e = x->near[i], port = exit_port(x, e), sw = f->node_switch[f->port_node[port]];

		if (x->rec)
			mc_record_settle(x, e, sw, port);
		x->r->row[sw]->port[x->lid] = f->port_num[port];
		if (i)
			x->between.use[x->between.egress[e]]++;
		else
			x->usage[port] += x->swport != 0;
	}
	if (x->rec && el->n_inside)
		mc_record_phase(x, "inside");
	for (uint32_t i = 0; el->n_inside && i < x->n_near; i++) {
		uint32_t e = x->near[i];

		/* every other chip of an element sends to the chip with the port */
		for (uint32_t c = el->first_chip[e]; element_chips(el, e) > 1 && c < el->first_chip[e + 1];
		     c++) {
			uint32_t sw = el->chip[c], l = x->inside.egress[sw];

			if (l == NO_ID)
				continue;
			if (x->rec)
				mc_record_inside(x, sw, el->inside_port[l]);
			x->r->row[sw]->port[x->lid] = f->port_num[el->inside_port[l]];
			x->inside.use[l]++;
		}
	}
}

/* --- all LIDs -------------------------------------------------------------------------------- */

static void forget_marks(struct level *v)
{
	while (v->n_marks)
		v->marked[v->mark[--v->n_marks]] = 0;
}

/* Counts elements with only one path for the current LID where a neighbour withholds another one. */
static void count_not_given(struct mincontention_run *x)
{
	const struct level *v = &x->between;

	for (uint32_t e = 0; e < x->el->n; e++) {
		bool withheld = false;

		for (uint32_t l = v->first[e]; e != x->target && l < v->first[e + 1]; l++) {
			if (l == v->egress[e])
				continue;
			if (acceptable(x, v, e, l)) {
				withheld = false;
				break;
			}
			withheld = withheld || way_not_given(x, e, l);
		}
		x->not_given += withheld;
	}
}

static void route_endport(struct mincontention_run *x, uint32_t ep)
{
	const struct lids *l = x->in->lids;
	unsigned kept = 0;

	for (unsigned k = 0; k < l->count[ep]; k++)
		kept += x->kept[l->base[ep] + k];
	if (!ASKED(x->in) && kept == l->count[ep])
		return;
	forget_marks(&x->between);
	forget_marks(&x->inside);
	for (unsigned k = 0; l->count[ep] > 1 && k < l->count[ep]; k++)
		if (x->kept[l->base[ep] + k])
			mark_lid(x, x->r, l->base[ep] + k);
	for (unsigned k = 0; k < l->count[ep]; k++) {
		begin_lid(x, ep, l->base[ep] + k);
		if (x->kept[x->lid]) {
			if (ASKED(x->in) && tree_stands(x, x->in->current))
				mc_tell(x, true);
			continue;
		}
		choose_paths(x);
		if (x->tolerance)
			count_not_given(x);
		if (x->rec && x->el->n_inside)
			mc_record_phase(x, "between");
		if (x->rec)
			rec_event(x->in->record, REC_TARGET, 0, 0, x->sw, x->lid);
		if (ASKED(x->in))
			mc_tell(x, false);
		place_entries(x);
		if (l->count[ep] > 1)
			mark_chosen(x);
	}
}

/* --- one run --------------------------------------------------------------------------------- */

static struct routing *mincontention_run(const struct engine_input *in, struct engine_output *out, bool hint)
{
	struct elements *el = elements_new(in->topo, options_file(in->options, "chassis_file"), in->progress,
					   &out->notes.text, &out->refused);
	bool done = true;

	if (!el)
		return NULL;
	struct mincontention_run x = {.in = in, .el = el, .topo = in->topo};
	run_levels(&x);
	x.tolerance = (unsigned)options_uint(in->options, "tolerance");
	x.r = routing_new("mincontention", in->topo, in->lids);
	for (uint32_t s = 0; s < in->topo->fabric->n_switches; s++)
		if (switch_up(in->topo, s))
			x.r->row[s] = lft_row_new(in->lids->max_lid);
	x.usage = NEW_ARRAY((size_t)in->topo->fabric->n_ports + 1, uint32_t);
	x.kept = NEW_ARRAY(in->lids->max_lid + 1u, uint8_t);
	uint32_t *list = NEW_ARRAY(in->topo->fabric->n_endports + 1, uint32_t), n = destinations(in, list);
	if (hint && can_compare(&x))
		keep_unharmed(&x, in->previous, list, n);
	else if (in->current)
		done = find_kept(&x, list, n);
	if (RECORDED(in))
		x.rec = mc_record_new(&x);
	if (in->current)
		take_kept(&x);
	if (x.rec)
		mc_record_kept(&x);
	split_usage(&x.between, x.usage);
	split_usage(&x.inside, x.usage);
	if (done)
		progress_start(in->progress, "paths between elements", n);
	for (uint32_t i = 0; done && i < n; i++) {
		done = progress_step(in->progress, i);
		if (done)
			route_endport(&x, list[i]);
	}
	join_usage(&x.between, x.usage);
	join_usage(&x.inside, x.usage);
	if (x.not_given)
		note_add(&out->notes, 0,
			 "%s had one path only, because neighbours send the LID elsewhere (`why` names "
			 "them).\n",
			 PLURAL(x.not_given, "choice"));
	free(list);
	mc_record_free(x.rec);
	run_end(&x);
	struct mincontention *m = NEW(struct mincontention);
	*m = (struct mincontention){el, x.tolerance, x.usage, x.kept};
	x.r->ops = &mincontention_ops;
	x.r->priv = m;
	if (done)
		return x.r;
	routing_unref(x.r);
	err_set(&out->refused, CANCELLED);
	return NULL;
}

static struct routing *mincontention_route(const struct engine_input *in, struct engine_output *out)
{
	return mincontention_run(in, out, false);
}

static struct routing *mincontention_update(const struct engine_input *in, struct engine_output *out)
{
	return mincontention_run(in, out, true);
}

/* Room for the distances between all elements. There are at most as many as switches. */
static size_t mincontention_room(const struct engine_input *in, const char **what)
{
	size_t n = MIN(in->topo->n_switches_up, REMEMBERED);

	*what = "distances of elements";
	return n * n * (sizeof(uint16_t) + sizeof(uint32_t));
}

const struct engine engine_mincontention = {
	.name = "mincontention",
	.brief = "whole chassis first: least contention among the LIDs of a port, shortest, least used",
	.reference = "HP 376227-B21: the subnet manager of Topspin-family switches; nothing of OpenSM",
	.options = options,
	.route = mincontention_route,
	.update = mincontention_update,
	.room = mincontention_room,
	.scheme = &mincontention_scheme,
};
