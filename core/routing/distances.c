/* Breadth-first search over live cables. */
#include "core/routing/distances.h"

#include <stdlib.h>

#include "core/base/memory.h"

void switch_distances(const struct topo *tp, uint32_t from, uint16_t *hops)
{
	const struct fabric *f = tp->fabric;
	uint32_t *queue = NEW_ARRAY(f->n_switches + 1, uint32_t), head = 0, tail = 0;

	for (uint32_t s = 0; s < f->n_switches; s++)
		hops[s] = NO_HOPS;
	if (switch_up(tp, from)) {
		hops[from] = 0;
		queue[tail++] = from;
	}
	while (head < tail) {
		uint32_t s = queue[head++];

		for (unsigned p = 1; p <= f->switch_nports[s]; p++) {
			uint32_t d = tp->peer_switch[switch_port_id(f, s, p)];

			if (d == NO_ID || hops[d] != NO_HOPS)
				continue;
			hops[d] = (uint16_t)(hops[s] + 1);
			queue[tail++] = d;
		}
	}
	free(queue);
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
