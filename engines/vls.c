#include "engines/vls.h"

static unsigned known_code(const struct engine_input *in, uint32_t port)
{
	return in->opervls ? in->opervls[port] : in->topo->fabric->port_opervls[port];
}

unsigned least_vls_code(const struct engine_input *in, uint32_t *port)
{
	const struct fabric *f = in->topo->fabric;
	unsigned least = 0;

	*port = NO_ID;
	for (uint32_t sw = 0; sw < f->n_switches; sw++) {
		if (!switch_up(in->topo, sw))
			continue;
		FOR_PORTS(f, sw, id) {
			unsigned code = in->topo->peer[id] == NO_ID ? 0 : known_code(in, id);

			if (!code || (least && code >= least))
				continue;
			least = code;
			*port = id;
		}
	}
	return least;
}
