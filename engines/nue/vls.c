/* Number of layers (engines/doc/nue.md 5). */
#include "engines/nue/internal.h"

static unsigned known_code(const struct engine_input *in, uint32_t port)
{
	return in->opervls ? in->opervls[port] : in->topo->fabric->port_opervls[port];
}

/* The least code of all cabled switch ports, and a port that has it; 0 = none counts. */
static unsigned least_code(const struct engine_input *in, uint32_t *at)
{
	const struct fabric *f = in->topo->fabric;
	unsigned min = 0;

	for (uint32_t sw = 0; sw < f->n_switches; sw++) {
		if (!switch_up(in->topo, sw))
			continue;
		for (unsigned p = 1; p <= f->switch_nports[sw]; p++) {
			uint32_t port = switch_port_id(f, sw, p);
			unsigned code = in->topo->peer[port] == NO_ID ? 0 : known_code(in, port);

			if (!code || (min && code >= min))
				continue;
			min = code;
			*at = port;
		}
	}
	return min;
}

struct nue_vls nue_find_vls(const struct engine_input *in)
{
	struct nue_vls v = {.port = NO_ID,
			    .asked = options_uint(in->options, "nue_max_num_vls"),
			    .qos = options_bool(in->options, "qos")};
	unsigned code = least_code(in, &v.port);

	v.supported = code ? 1u << (code - 1) : 1;
	if (v.supported > NUE_MAX_LAYERS)
		v.supported = NUE_MAX_LAYERS;
	v.layers = v.asked && v.asked < v.supported ? v.asked : v.supported;
	if (!v.qos)
		v.layers = 1;
	return v;
}
