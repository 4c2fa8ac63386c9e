/*
 * Min Hop: OpenSM's default engine. It finds least hop counts by the distance-vector method (R. Bellman,
 * Quarterly of Applied Mathematics 16, 1958; L. R. Ford, Network Flow Theory, RAND 1956), and ports by a
 * greedy balance at each switch.
 */
#include "engines/counted/minhop.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "engines/counted/assign.h"
#include "engines/engines.h"
#include "engines/record.h"

struct routing *min_hop_route(const char *engine, bool dor, const struct engine_input *in,
			      struct engine_output *out)
{
	struct hops *h = hops_build(in, out);
	struct routing *r;
	bool shared = h && !h->by_port && hops_share_lids(NULL, in->topo, in->lids);

	if (shared) {
		struct hops *was = RECORDED(in) ? hops_copy(h) : NULL;

		hops_share_lids(h, in->topo, in->lids);
		if (was)
			hops_record_changes(in, was, h);
		hops_unref(was);
	}
	if (!h) {
		err_set(&out->refused, CANCELLED);
		return NULL;
	}
	r = assign_routing(engine, in, out, h, dor, NULL, NULL);
	if (r && shared)
		r->exact = NULL;
	return r;
}

struct routing *min_hop_update(const char *engine, bool dor, const struct engine_input *in,
			       struct engine_output *out)
{
	const struct routing *old = in->previous;
	struct hops *h = NULL;
	struct routing *r;
	uint8_t *touched, *farther;

	if (!old || ASKED(in) || (in->left && in->left->hops) ||
	    options_file(in->options, "hop_weights_file") || old->ops != &hops_routing_ops ||
	    strcmp(old->engine, engine) || old->topo->fabric != in->topo->fabric ||
	    hops_share_lids(NULL, old->topo, old->lids) || hops_share_lids(NULL, in->topo, in->lids))
		return min_hop_route(engine, dor, in, out);
	touched = NEW_ARRAY(in->topo->fabric->n_switches, uint8_t);
	farther = NEW_ARRAY(in->topo->fabric->n_switches, uint8_t);
	h = hops_update(old->priv, old->topo, in->topo, touched, farther);
	if (h)
		r = assign_routing(engine, in, out, h, dor, assign_keeps(in, old) ? touched : NULL, farther);
	else
		r = min_hop_route(engine, dor, in, out);
	free(touched);
	free(farther);
	return r;
}

static struct routing *minhop_route(const struct engine_input *in, struct engine_output *out)
{
	return min_hop_route("minhop", false, in, out);
}

static struct routing *minhop_update(const struct engine_input *in, struct engine_output *out)
{
	return min_hop_update("minhop", false, in, out);
}

const struct engine engine_minhop = {
	.name = "minhop",
	.brief = "fewest hops, routes balanced over equal ports at each switch",
	.reference = "as OpenSM 3.3.23",
	.route = minhop_route,
	.update = minhop_update,
	.room = hops_build_room,
	.scheme = &hops_scheme,
};
