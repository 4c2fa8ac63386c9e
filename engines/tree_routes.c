#include "engines/tree_routes.h"

#include <string.h>

#include "core/base/memory.h"
#include "core/base/release.h"

struct tree {
	const struct topo *t;
	uint32_t *next;	 /* [n_switches] port id by which a switch sends to another, NO_ID */
	uint32_t *waits; /* [n_switches] neighbours whose routes are still to come */
	uint32_t *load;	 /* [n_switches] */
};

static void begin(struct tree *x, const struct routing *r, const uint32_t *own, unsigned lid)
{
	const struct fabric *f = x->t->fabric;

	memcpy(x->load, own, f->n_switches * sizeof(*own));
	for (uint32_t s = 0; s < f->n_switches; s++) {
		unsigned port = routing_port(r, s, lid);
		uint32_t id = port == NO_PATH ? NO_ID : switch_port_id(f, s, port);

		x->next[s] = id == NO_ID || x->t->peer_switch[id] == NO_ID ? NO_ID : id;
		if (x->next[s] != NO_ID)
			x->waits[x->t->peer_switch[id]]++;
	}
}

/* From the leaves of the tree inwards. */
static void add(struct tree *x, uint32_t *routes)
{
	for (uint32_t start = 0; start < x->t->fabric->n_switches; start++)
		for (uint32_t s = start; !x->waits[s] && x->next[s] != NO_ID;) {
			uint32_t to = x->t->peer_switch[x->next[s]];

			routes[x->next[s]] += x->load[s];
			x->load[to] += x->load[s];
			x->next[s] = NO_ID;
			x->waits[to]--;
			s = to;
		}
}

bool tree_routes_add(const struct routing *r, const uint32_t *own, const uint16_t *lids, uint32_t from,
		     uint32_t n, uint32_t *routes, struct progress *p)
{
	uint32_t switches = r->topo->fabric->n_switches;
	struct tree x = {r->topo, NEW_ARRAY(switches, uint32_t), NEW_ARRAY(switches, uint32_t),
			 NEW_ARRAY(switches, uint32_t)};
	bool go_on = true;

	progress_start(p, "routes per channel", n);
	for (uint32_t i = from; i < n && (go_on = progress_step(p, i)); i++) {
		begin(&x, r, own, lids[i]);
		add(&x, routes);
	}
	FREE_EACH(x.next, x.waits, x.load);
	return go_on;
}
