#include "engines/tree_routes.h"

#include <string.h>

#include "core/base/memory.h"
#include "core/base/release.h"

bool tree_routes_add(const struct routing *r, const uint32_t *own, const uint16_t *lids, uint32_t from,
		     uint32_t n, uint32_t *routes, struct progress *p)
{
	const struct topo *t = r->topo;
	const struct fabric *f = t->fabric;
	uint32_t switches = f->n_switches, *load = NEW_ARRAY(switches, uint32_t);
	uint32_t *next = NEW_ARRAY(switches, uint32_t);	 /* port id towards the LID, or NO_ID */
	uint32_t *waits = NEW_ARRAY(switches, uint32_t); /* neighbours not counted yet */
	bool go_on = true;

	progress_start(p, "routes per channel", n);
	for (uint32_t i = from; i < n && (go_on = progress_step(p, i)); i++) {
		memcpy(load, own, switches * sizeof(*own));
		for (uint32_t s = 0; s < switches; s++) {
			unsigned port = routing_port(r, s, lids[i]);
			uint32_t id = port == NO_PATH ? NO_ID : switch_port_id(f, s, port);

			next[s] = id == NO_ID || t->peer_switch[id] == NO_ID ? NO_ID : id;
			if (next[s] != NO_ID)
				waits[t->peer_switch[id]]++;
		}
		for (uint32_t start = 0; start < switches; start++) /* from the leaves of the tree inwards */
			for (uint32_t s = start; !waits[s] && next[s] != NO_ID;) {
				uint32_t to = t->peer_switch[next[s]];

				routes[next[s]] += load[s];
				load[to] += load[s];
				next[s] = NO_ID;
				waits[to]--;
				s = to;
			}
	}
	FREE_EACH(load, next, waits);
	return go_on;
}
