/* The cycle that keeps a pair out of a layer, and the pairs that hold its channels. */
#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"
#include "core/base/progress.h"
#include "engines/lash/lash.h"

struct search {
	const struct routing *r;
	struct witness *w;
	uint32_t *edge_of; /* [n_ports] edge whose channel a port sends, NO_ID */
	uint32_t *route;   /* room for n_switches */
};

/* Count a route where it holds a channel of the cycle and wants the next. */
static void note_route(struct search *s, uint32_t sw, uint32_t sw2, bool own)
{
	unsigned n = lash_route_ports(s->r, sw, sw2, s->route);

	for (unsigned i = 0; i + 1 < n; i++) {
		uint32_t k = s->edge_of[s->route[i]];
		struct witness_edge *e;

		if (k == NO_ID || s->edge_of[s->route[i + 1]] != (k + 1) % s->w->n)
			continue;
		e = &s->w->edge[k];
		if (own) {
			e->own = true;
			continue;
		}
		if (!e->routes++) {
			e->sw = sw;
			e->sw2 = sw2;
		}
	}
}

/* Pairs that were in the layer when the turn of the pair came, and itself. */
static bool note_pairs(struct search *s, uint32_t sw, uint32_t sw2, unsigned layer, struct progress *p)
{
	const struct lash_plan *plan = lash_of(s->r)->plan;
	const struct lash_graph *g = plan->graph;
	uint32_t a = g->id[sw], b = g->id[sw2], lo = a < b ? a : b, hi = a < b ? b : a;

	progress_start(p, "looking for who holds the cycle", lo + 1);
	for (uint32_t i = 0; i <= lo; i++) {
		for (uint32_t j = i + 1; j < (i == lo ? hi : g->n); j++) {
			if (plan->first[(size_t)i * g->n + j] != layer)
				continue;
			note_route(s, g->sw[i], g->sw[j], false);
			note_route(s, g->sw[j], g->sw[i], false);
		}
		if (!progress_step(p, i))
			return false;
	}
	note_route(s, sw, sw2, true);
	note_route(s, sw2, sw, true);
	return true;
}

struct witness *lash_find_witness(const struct routing *r, unsigned slid, unsigned dlid, unsigned layer,
				  struct progress *p)
{
	const struct fabric *f = r->topo->fabric;
	struct witness *w = NEW(struct witness);
	uint32_t *ports = NEW_ARRAY(f->n_ports + 1, uint32_t);
	struct search s = {r, w, NEW_ARRAY(f->n_ports + 1, uint32_t), NEW_ARRAY(f->n_switches + 1, uint32_t)};
	uint32_t sw, sw2;
	bool done;

	w->n = lash_ends(r, slid, dlid, &sw, &sw2) ? lash_witness(r, sw, sw2, layer, ports, p) : 0;
	w->cut = NO_ID;
	w->edge = NEW_ARRAY(w->n + 1, struct witness_edge);
	memset(s.edge_of, 0xff, (f->n_ports + 1) * sizeof(*s.edge_of));
	for (uint32_t i = 0; i < w->n; i++) {
		w->edge[i] = (struct witness_edge){.port = ports[i], .sw = NO_ID, .sw2 = NO_ID};
		s.edge_of[ports[i]] = i;
	}
	done = w->n ? note_pairs(&s, sw, sw2, layer, p) : !progress_cancelled(p);
	free(ports);
	free(s.edge_of);
	free(s.route);
	if (done)
		return w;
	witness_free(w);
	return NULL;
}
