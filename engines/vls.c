#include "engines/vls.h"

unsigned least_vls_code(const struct engine_input *in, uint32_t *port)
{
	const struct fabric *f = in->topo->fabric;
	const uint8_t *known = in->opervls ? in->opervls : f->port_opervls;
	unsigned least = 0;

	*port = NO_ID;
	for (uint32_t sw = 0; sw < f->n_switches; sw++) {
		if (!switch_up(in->topo, sw))
			continue;
		FOR_PORTS(f, sw, id) {
			unsigned code = in->topo->peer[id] == NO_ID ? 0 : known[id];

			if (!code || (least && code >= least))
				continue;
			least = code;
			*port = id;
		}
	}
	return least;
}
