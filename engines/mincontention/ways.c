/* One LID: distances to its target, the acceptable paths of an element or chip, existing trees. */
#include <assert.h>
#include <string.h>

#include "core/base/memory.h"
#include "core/base/release.h"
#include "engines/mincontention/internal.h"

/* --- room ---------------------------------------------------------------------------------------- */

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

	if (v->key[node] == NO_KEY) {
		way[0] = (struct mincontention_way){.port = NO_ID, .to = NO_ID, .open = true};
		return 1;
	}
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
	return kept ? RULE_KEPT : x->swport ? RULE_HOST_PORT : RULE_OWN_PORT;
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

	for (; v->key[at] == NO_KEY; at = v->to[v->egress[at]])
		if (++steps > n)
			return false;
	for (uint32_t d = v->key[at] + steps; v->key[node] == NO_KEY; node = v->to[v->egress[node]])
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
		x->inside.key[chip[i]] = chip[i] == exit ? 0 : NO_KEY;
		x->inside.egress[chip[i]] = chip[i] == exit ? NO_ID : inside_link(el, from, chip[i], x->lid);
		if (chip[i] != exit && x->inside.egress[chip[i]] == NO_ID)
			return false;
	}
	for (uint32_t i = 0; i < n; i++)
		if (!mincontention_ways_follow(x, &x->inside, chip[i], n))
			return false;
	return true;
}

bool tree_stands(struct mincontention_run *x, const struct routing *from)
{
	if (lid_owner(from->lids, x->lid) != x->owner)
		return false;
	for (uint32_t e = 0; e < x->el->n; e++) {
		bool own = e == x->target;

		x->between.key[e] = own ? 0 : NO_KEY;
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

void mark_chosen(struct mincontention_run *x)
{
	for (uint32_t e = 0; e < x->el->n; e++)
		level_mark(&x->between, x->between.egress[e]);
	for (uint32_t s = 0; x->el->n_inside && s < x->topo->fabric->n_switches; s++)
		level_mark(&x->inside, x->inside.egress[s]);
}
