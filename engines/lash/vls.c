#include "core/base/defs.h"
#include "engines/lash/lash.h"

#define DEFAULT_CODE 5

static unsigned known_code(const struct engine_input *in, uint32_t port)
{
	return in->opervls ? in->opervls[port] : in->topo->fabric->port_opervls[port];
}

struct lash_vls lash_find_vls(const struct engine_input *in)
{
	const struct fabric *f = in->topo->fabric;
	struct lash_vls v = {.port = NO_ID, .start = options_uint(in->options, "lash_start_vl")};
	unsigned min = DEFAULT_CODE;

	for (uint32_t sw = 0; sw < f->n_switches; sw++) {
		if (!switch_up(in->topo, sw))
			continue;
		for (unsigned p = 1; p <= f->switch_nports[sw]; p++) {
			uint32_t port = switch_port_id(f, sw, p);
			unsigned code = in->topo->peer[port] == NO_ID ? 0 : known_code(in, port);

			if (!code || code >= min)
				continue;
			min = code;
			v.port = port;
		}
	}
	v.vls = min == DEFAULT_CODE ? LASH_MAX_LAYERS : 1u << (min - 1);
	v.avail = v.start < v.vls ? v.vls - v.start : 0;
	return v;
}
