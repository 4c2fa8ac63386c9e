/* Stages 2 and 3: paths between elements for one LID, then the entries of all chips. */
#include <string.h>

#include "engines/mincontention/internal.h"

/* --- paths between elements ------------------------------------------------------------------ */

/*
 * Of the links of e that give its key: least usage, then the lowest next element.
 * Links are in order of chip GUID and port number, which settles the rest.  A
 * path that gives the key of e is acceptable: it has the distance that was.
 */
static uint32_t best_link(const struct run *x, uint32_t e)
{
	const struct elements *el = x->el;
	uint32_t best = NO_ID, least = UINT32_MAX, key = x->key[e];

	for (uint32_t l = el->first_link[e]; l < el->first_link[e + 1]; l++) {
		uint32_t n = el->link_to[l], use;

		if (key_through(x, l, x->key[n]) != key)
			continue;
		use = x->use[l];
		if (use < least || (use == least && n < el->link_to[best])) {
			best = l;
			least = use;
		}
	}
	return best;
}

/* Nothing is marked: contention is 0 everywhere and the shortest paths have the least keys. */
static void choose_shortest(struct run *x)
{
	for (uint32_t e = 0; e < x->el->n; e++)
		x->key[e] = x->sp[e];
	x->egress[x->target] = NO_ID;
	for (uint32_t i = 1; i < x->n_near; i++)
		x->egress[x->near[i]] = best_link(x, x->near[i]);
}

static void push(struct heap *h, unsigned level, unsigned distance, uint32_t e)
{
	if (!h->used[level] || distance > h->top[level]) {
		for (unsigned d = h->used[level] ? h->top[level] + 1 : 0; d <= distance; d++)
			h->head[level][d] = NO_ID;
		h->top[level] = distance;
		h->used[level] = true;
	}
	h->element[h->n] = e;
	h->next[h->n] = h->head[level][distance];
	h->head[level][distance] = h->n++;
}

/*
 * Offer the path of a settled element to its neighbours; one may use it when it
 * is not longer than the tolerance allows.
 */
static void offer(struct run *x, uint32_t n)
{
	const struct elements *el = x->el;
	uint32_t least = x->key[n] + 1;

	for (uint32_t b = el->first_link[n]; b < el->first_link[n + 1]; b++) {
		uint32_t e = el->link_to[b], key;

		if (least >= x->key[e] || DISTANCE(least) > x->sp[e] + x->tolerance)
			continue;
		key = key_through(x, el->link_back[b], x->key[n]);
		if (key >= x->key[e])
			continue;
		x->key[e] = key;
		push(&x->heap, CONTENTION(key) & 1, DISTANCE(key), e);
	}
}

/*
 * Dijkstra over (contention, distance).  A link adds 0 or 1 to the contention and
 * 1 to the distance, so two levels of contention hold all that is under way.
 */
static void choose_by_key(struct run *x)
{
	struct heap *h = &x->heap;

	for (uint32_t e = 0; e < x->el->n; e++)
		x->key[e] = NO_KEY;
	memset(x->egress, 0xff, x->el->n * sizeof(*x->egress));
	h->n = 0;
	h->used[0] = h->used[1] = false;
	x->key[x->target] = 0;
	offer(x, x->target);
	for (unsigned c = 0; h->used[0] || h->used[1]; c++) {
		unsigned level = c & 1;

		for (unsigned d = 0; h->used[level] && d <= h->top[level]; d++)
			for (uint32_t i = h->head[level][d]; i != NO_ID; i = h->next[i]) {
				uint32_t e = h->element[i];

				if (x->key[e] != (c << 16 | d) || x->egress[e] != NO_ID)
					continue;
				x->egress[e] = best_link(x, e);
				offer(x, e);
			}
		h->used[level] = false;
	}
}

void choose_paths(struct run *x)
{
	if (x->n_marks)
		choose_by_key(x);
	else
		choose_shortest(x);
}

/* --- inside each element --------------------------------------------------------------------- */

/*
 * Port id by which a chip goes towards another of its element: shortest way, least usage, lowest port.  As
 * least_inside() has it; without a list, since every entry asks.
 */
static uint32_t inside_link(const struct run *x, uint32_t e, uint32_t sw, uint32_t to)
{
	const struct elements *el = x->el;
	unsigned hops = element_hops(el, e, el->chip_index[sw], to);
	uint32_t best = NO_ID;

	for (uint32_t i = el->first_inside[sw]; i < el->first_inside[sw + 1]; i++) {
		if (element_hops(el, e, el->inside_to[i], to) + 1 != hops)
			continue;
		if (best == NO_ID || x->usage[el->inside_port[i]] < x->usage[best])
			best = el->inside_port[i];
	}
	return best;
}

/* Every other chip of an element goes to the one that has the port. */
static void place_inside(struct run *x, uint32_t e, uint32_t exit)
{
	const struct fabric *f = x->topo->fabric;
	const struct elements *el = x->el;

	for (uint32_t c = el->first_chip[e]; c < el->first_chip[e + 1]; c++) {
		uint32_t sw = el->chip[c], port;

		if (sw == exit)
			continue;
		port = inside_link(x, e, sw, el->chip_index[exit]);
		if (x->rec)
			mc_record_inside(x, sw, port);
		x->r->row[sw]->port[x->lid] = f->port_num[port];
		x->usage[port]++;
	}
}

void place_entries(struct run *x)
{
	const struct fabric *f = x->topo->fabric;
	const struct elements *el = x->el;

	for (uint32_t i = 0; i < x->n_near; i++) {
		uint32_t e = x->near[i];
		uint32_t port = i ? el->link_port[x->egress[e]] : switch_port_id(f, x->sw, x->swport);
		uint32_t sw = f->node_switch[f->port_node[port]];

		if (x->rec)
			mc_record_settle(x, e, sw, port);
		x->r->row[sw]->port[x->lid] = f->port_num[port];
		if (i)
			x->use[x->egress[e]]++;
		else
			x->usage[port] += x->swport != 0;
		if (element_chips(el, e) > 1)
			place_inside(x, e, sw);
	}
}
