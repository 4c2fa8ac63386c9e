/*
 * Min Hop: OpenSM's default engine.  Least hop counts by the distance-vector
 * method (R. Bellman, Quarterly of Applied Mathematics 16, 1958; L. R. Ford,
 * Network Flow Theory, RAND 1956), ports by a greedy balance at each switch.
 */
#include "engines/assign.h"
#include "engines/engines.h"

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
};
