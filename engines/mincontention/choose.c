/* Stages 2 and 3: the paths between elements and inside them for one LID, then the entries of all chips. */
#include <string.h>

#include "engines/mincontention/internal.h"

/* --- paths of one level ------------------------------------------------------------------------ */

/*
 * Chooses among the links of a node that give its key: least usage, then, if by_next, the lowest next node.
 * Links are sorted by chip GUID and port number, which decides the rest. A path that gives the key is
 * acceptable, since it has the same distance.
 */
static uint32_t best_link(const struct level *v, uint32_t node)
{
	uint32_t best = NO_ID, least = UINT32_MAX, key = v->key[node];

	for (uint32_t l = v->first[node]; l < v->first[node + 1]; l++) {
		uint32_t use;

		if (key_through(v, l, v->key[v->to[l]]) != key)
			continue;
		use = v->use[l];
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
		uint32_t to = v->to[b], key;

		if (least >= v->key[to] || DISTANCE(least) > v->sp[to] + tolerance)
			continue;
		key = key_through(v, v->back[b], v->key[node]);
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
		v->key[node[i]] = NO_KEY;
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

void choose_paths(struct mincontention_run *x)
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

/* --- entries ------------------------------------------------------------------------------------ */

void place_entries(struct mincontention_run *x)
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
