/* Breadth-first search over live cables. */
#include "core/routing/distances.h"

#include <stdlib.h>

#include "core/base/memory.h"

uint32_t spread_hops(const struct topo *tp, uint16_t *hops, uint32_t *queue, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		FOR_CABLES(tp, queue[i], port, to) {
			if (hops[to] != NO_HOPS)
				continue;
			hops[to] = (uint16_t)(hops[queue[i]] + 1);
			queue[n++] = to;
		}
	return n;
}

uint32_t spread_arcs(const uint32_t *first, const uint32_t *to, uint32_t *hops, uint32_t *queue, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t a = first[queue[i]]; a < first[queue[i] + 1]; a++) {
			if (hops[to[a]] != NO_ID)
				continue;
			hops[to[a]] = hops[queue[i]] + 1;
			queue[n++] = to[a];
		}
	return n;
}

uint32_t switch_distances(const struct topo *tp, uint32_t from, uint16_t *hops)
{
	uint32_t n = tp->fabric->n_switches, *queue = NEW_ARRAY(n + 1, uint32_t), reached = 0;

	for (uint32_t s = 0; s < n; s++)
		hops[s] = NO_HOPS;
	if (switch_up(tp, from)) {
		hops[from] = 0;
		queue[0] = from;
		reached = spread_hops(tp, hops, queue, 1);
	}
	free(queue);
	return reached;
}

int endport_distance(const struct topo *tp, uint32_t from, uint32_t to)
{
	const struct fabric *f = tp->fabric;
	uint32_t a = tp->endport_switch[from], b = tp->endport_switch[to];
	uint16_t *hops;
	int n = -1;

	if (a == NO_ID || b == NO_ID)
		return -1;
	hops = NEW_ARRAY(f->n_switches + 1, uint16_t);
	switch_distances(tp, a, hops);
	if (hops[b] != NO_HOPS)
		n = hops[b] + !endport_is_switch(f, from) + !endport_is_switch(f, to);
	free(hops);
	return n;
}
