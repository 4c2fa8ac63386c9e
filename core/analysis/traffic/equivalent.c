#include "core/analysis/traffic/equivalent.h"

#include <stdlib.h>

#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/mix.h"

/* A port, by the ends of its link. */
struct far {
	uint64_t own;	/* who sends: element or chip */
	uint64_t to;	/* a key of the far end: equal for all ends with the same neighbours */
	uint32_t place; /* in the list asked for */
};

/* A hash of a set of neighbours, whatever their order and repetitions. No id takes its first value to 0. */
static uint64_t neighbours(uint32_t *set, uint32_t n)
{
	uint64_t h = 0xcbf29ce484222325u;

	qsort(set, n, sizeof(*set), order_u32);
	for (uint32_t i = 0; i < n; i++)
		h = i && set[i] == set[i - 1] ? h : mix(h, set[i] + 1u);
	return h | (uint64_t)1 << 63;
}

/* The key of an element as the target of a link; never 0. */
static uint64_t far_element(const struct elements *el, uint32_t e, uint32_t *set)
{
	uint32_t n = 0;

	if (el->hosts[e])
		return e + 1u;
	for (uint32_t l = el->first_link[e]; l < el->first_link[e + 1]; l++)
		set[n++] = el->link_to[l];
	return neighbours(set, n);
}

/* The same for a chip within its element; never 0. */
static uint64_t far_chip(const struct elements *el, uint32_t sw, uint32_t *set)
{
	const struct fabric *f = el->topo->fabric;
	uint32_t n = 0;

	FOR_PORTS(f, sw, port) {
		uint32_t peer = el->topo->peer[port];

		if (peer == NO_ID)
			continue;
		if (!node_is_switch(f, f->port_node[peer]) ||
		    el->of[f->node_switch[f->port_node[peer]]] != el->of[sw])
			return sw + 1u;
		set[n++] = f->node_switch[f->port_node[peer]];
	}
	return neighbours(set, n);
}

/* Keys known so far; 0: not yet. */
struct fars {
	uint64_t *element; /* [elements] */
	uint64_t *chip;	   /* [n_switches] */
	uint32_t *set;	   /* room for n_ports */
};

static bool far_end(const struct elements *el, uint32_t port, struct fars *k, struct far *x)
{
	const struct fabric *f = el->topo->fabric;
	uint32_t sw = f->node_switch[f->port_node[port]], link = el->port_link[port],
		 peer = el->topo->peer_switch[port], to;

	if (link != NO_ID) {
		to = el->link_to[link];
		x->own = el->of[sw];
		x->to = k->element[to] = k->element[to] ? k->element[to] : far_element(el, to, k->set);
		return true;
	}
	if (peer == NO_ID || el->of[peer] != el->of[sw])
		return false;
	x->own = (uint64_t)1 << 32 | sw;
	x->to = k->chip[peer] = k->chip[peer] ? k->chip[peer] : far_chip(el, peer, k->set);
	return true;
}

COMPARATOR(by_far, struct far, UP(own) UP(to))

uint32_t equivalent_ports(const struct elements *el, const uint32_t *port, uint32_t n, uint32_t *group)
{
	const struct fabric *f = el->topo->fabric;
	struct far *x = NEW_ARRAY((size_t)n + 1, struct far);
	struct fars k = {NEW_ARRAY(el->n + 1, uint64_t), NEW_ARRAY(f->n_switches + 1, uint64_t),
			 NEW_ARRAY(f->n_ports + 1, uint32_t)};
	uint32_t used = 0, groups = 0;

	for (uint32_t i = 0; i < n; i++) {
		x[used].place = i;
		group[i] = NO_ID;
		used += far_end(el, port[i], &k, &x[used]);
	}
	qsort(x, used, sizeof(*x), by_far);
	for (uint32_t i = 0; i < used; i++) {
		groups += !i || by_far(&x[i - 1], &x[i]);
		group[x[i].place] = groups - 1;
	}
	free(x);
	free(k.element);
	free(k.chip);
	free(k.set);
	return groups;
}
