/* One LID: distances to its element, the acceptable paths of an element side by side, trees that are there.
 */
#include <stdlib.h>

#include "core/base/memory.h"
#include "engines/mincontention/internal.h"

void aim(struct run *x, uint32_t target)
{
	uint32_t n = x->el->n, slot = n <= REMEMBERED ? target : 0;

	if (x->target == target)
		return;
	x->target = target;
	x->n_near = n; /* all that is up is connected */
	if (!x->all_sp[slot] || n > REMEMBERED) {
		if (!x->all_sp[slot]) {
			x->all_sp[slot] = NEW_ARRAY(n, uint16_t);
			x->all_near[slot] = NEW_ARRAY(n, uint32_t);
		}
		x->n_near = elements_distances(x->el, target, x->all_sp[slot], x->all_near[slot]);
	}
	x->sp = x->all_sp[slot];
	x->near = x->all_near[slot];
}

void run_end(struct run *x)
{
	for (uint32_t e = 0; e < x->el->n; e++) {
		free(x->all_sp[e]);
		free(x->all_near[e]);
	}
	free(x->all_sp);
	free(x->all_near);
	free(x->use);
	free(x->marked);
	free(x->mark);
	free(x->key);
	free(x->egress);
	free(x->heap.head[0]);
	free(x->heap.head[1]);
	free(x->heap.element);
	free(x->heap.next);
}

/* --- the ways of one element ----------------------------------------------------------------- */

/* Does the path that element n has chosen pass e? */
static bool passes(const struct run *x, uint32_t n, uint32_t e)
{
	for (; n != x->target; n = x->el->link_to[x->egress[n]])
		if (n == e)
			return true;
	return false;
}

static struct mincontention_way way_through(const struct run *x, uint32_t l)
{
	uint32_t to = x->el->link_to[l], key = key_through(x, l, x->key[to]);

	return (struct mincontention_way){
		.port = x->el->link_port[l],
		.to = to,
		.key = {(uint16_t)CONTENTION(key), (uint16_t)DISTANCE(key)},
		.usage = x->use[l],
	};
}

/* The first thing in which two ways differ; links are in order of chip and port, which settle the rest. */
static enum mincontention_rule difference(const struct run *x, const struct mincontention_way *a,
					  const struct mincontention_way *b)
{
	const struct fabric *f = x->topo->fabric;

	if (a->key.contention != b->key.contention)
		return RULE_CONTENTION;
	if (a->key.distance != b->key.distance)
		return RULE_DISTANCE;
	if (a->usage != b->usage)
		return RULE_USAGE;
	if (a->to != b->to)
		return RULE_NEXT_ELEMENT;
	return f->port_node[a->port] != f->port_node[b->port] ? RULE_OWN_CHIP : RULE_PORT;
}

uint32_t list_ways(const struct run *x, uint32_t e, bool kept, struct mincontention_way *way)
{
	const struct elements *el = x->el;
	uint32_t n = 1;

	if (x->key[e] == NO_KEY) {
		way[0] = (struct mincontention_way){.port = NO_ID, .to = NO_ID, .open = true};
		return 1;
	}
	way[0] = way_through(x, x->egress[e]);
	way[0].chosen = true;
	way[0].rule = RULE_ONLY_PATH;
	for (uint32_t l = el->first_link[e]; l < el->first_link[e + 1]; l++) {
		if (l == x->egress[e] || DISTANCE(x->key[el->link_to[l]]) + 1 > x->sp[e] + x->tolerance ||
		    passes(x, el->link_to[l], e))
			continue;
		way[n] = way_through(x, l);
		way[n].rule = kept ? RULE_KEPT : difference(x, &way[0], &way[n]);
		if (way[n].rule > way[0].rule)
			way[0].rule = way[n].rule;
		n++;
	}
	if (kept)
		way[0].rule = RULE_KEPT;
	return n;
}

enum mincontention_rule own_rule(const struct run *x, bool kept)
{
	return kept ? RULE_KEPT : x->swport ? RULE_HOST_PORT : RULE_OWN_PORT;
}

/* --- within an element ----------------------------------------------------------------------- */

unsigned list_inside(const struct elements *el, uint32_t sw, uint32_t exit, const uint32_t *usage,
		     struct inside *way)
{
	uint32_t e = el->of[sw], to = el->chip_index[exit];
	unsigned n = 0, hops = element_hops(el, e, el->chip_index[sw], to);

	for (uint32_t i = el->first_inside[sw]; sw != exit && i < el->first_inside[sw + 1]; i++)
		if (element_hops(el, e, el->inside_to[i], to) + 1 == hops)
			way[n++] = (struct inside){el->inside_port[i], usage[el->inside_port[i]]};
	return n;
}

unsigned least_inside(const struct inside *way, unsigned n)
{
	unsigned best = 0;

	for (unsigned i = 1; i < n; i++)
		if (way[i].usage < way[best].usage)
			best = i;
	return best;
}

enum why_rule inside_rule(const struct inside *way, unsigned n, unsigned taken)
{
	unsigned equal = 0;

	for (unsigned i = 0; i < n; i++)
		equal += way[i].usage == way[taken].usage;
	return n == 1 ? WHY_INSIDE_ONLY : equal == 1 ? WHY_INSIDE_USAGE : WHY_INSIDE_PORT;
}

/* --- trees that are there -------------------------------------------------------------------- */

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

/* Do all chips of an element but `exit` go there by shortest ways inside? */
static bool inside_stands(const struct run *x, const struct routing *from, uint32_t e, uint32_t exit)
{
	const struct fabric *f = x->topo->fabric;
	const struct elements *el = x->el;

	for (uint32_t c = el->first_chip[e]; c < el->first_chip[e + 1]; c++) {
		uint32_t sw = el->chip[c], to;
		unsigned p = routing_port(from, sw, x->lid);

		if (sw == exit)
			continue;
		if (!p || p > f->switch_nports[sw])
			return false;
		to = x->topo->peer_switch[switch_port_id(f, sw, p)];
		if (to == NO_ID || el->of[to] != e ||
		    element_hops(el, e, el->chip_index[to], el->chip_index[exit]) + 1 !=
			    element_hops(el, e, el->chip_index[sw], el->chip_index[exit]))
			return false;
	}
	return true;
}

/* The port an element sends by, and whether its chips agree on it. */
static bool element_stands(struct run *x, const struct routing *from, uint32_t e)
{
	const struct fabric *f = x->topo->fabric;
	uint32_t l;

	if (e == x->target) {
		x->egress[e] = NO_ID;
		return routing_port(from, x->sw, x->lid) == x->swport && inside_stands(x, from, e, x->sw);
	}
	l = x->egress[e] = egress_link(x->el, from, e, x->lid);
	return l != NO_ID && inside_stands(x, from, e, f->node_switch[f->port_node[x->el->link_port[l]]]);
}

/* Distance of e by egress[]; false when the way loops. */
static bool follow(struct run *x, uint32_t e)
{
	uint32_t steps = 0, at = e;

	for (; x->key[at] == NO_KEY; at = x->el->link_to[x->egress[at]])
		if (++steps > x->el->n)
			return false;
	for (uint32_t d = x->key[at] + steps; x->key[e] == NO_KEY; e = x->el->link_to[x->egress[e]])
		x->key[e] = d--;
	return true;
}

bool tree_stands(struct run *x, const struct routing *from)
{
	if (lid_owner(from->lids, x->lid) != x->owner)
		return false;
	for (uint32_t e = 0; e < x->el->n; e++) {
		x->key[e] = NO_KEY;
		if (!element_stands(x, from, e))
			return false;
	}
	x->key[x->target] = 0;
	for (uint32_t e = 0; e < x->el->n; e++)
		if (!follow(x, e) || x->key[e] > x->sp[e] + x->tolerance)
			return false;
	return true;
}
