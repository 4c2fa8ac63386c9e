/*
 * Dimension Order Routing: Min Hop that takes the first neighbour in port order. Port numbers give the order
 * of dimensions, or port_search_ordering_file does (engines/doc/dor.md, as in OpenSM 3.3.23). H. Sullivan, T.
 * R. Bashkow, A Large Scale, Homogeneous, Fully Distributed Parallel Machine, ISCA 1977.
 */
#include "engines/engines.h"
#include "engines/counted/hops.h"
#include "engines/counted/minhop.h"
#include "engines/record.h"

static struct routing *dor_route(const struct engine_input *in, struct engine_output *out)
{
	return min_hop_route("dor", true, in, out);
}

static struct routing *dor_update(const struct engine_input *in, struct engine_output *out)
{
	return min_hop_update("dor", true, in, out);
}

const struct engine engine_dor = {
	.name = "dor",
	.brief = "fewest hops, first neighbour in port order: dimension order on meshes cabled alike",
	.reference = "Sullivan, Bashkow, ISCA 1977; as OpenSM 3.3.23",
	.route = dor_route,
	.update = dor_update,
	.room = hops_build_room,
	.scheme = &dor_scheme,
};
