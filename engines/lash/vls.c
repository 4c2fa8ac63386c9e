#include "core/sm/opervls.h"
#include "engines/lash/lash.h"
#include "engines/vls.h"

struct lash_vls lash_find_vls(const struct engine_input *in)
{
	struct lash_vls v = {.start = options_uint(in->options, "lash_start_vl")};
	unsigned code = least_vls_code(in, &v.port);

	if (!code || code >= VLS_CODE_MAX)
		v.port = NO_ID;
	v.vls = vls_of_code(code ? code : VLS_CODE_MAX);
	v.avail = v.start < v.vls ? v.vls - v.start : 0;
	return v;
}

unsigned lash_next_vls(const struct engine_input *in)
{
	const struct topo *t = in->topo;
	const struct fabric *f = t->fabric;
	unsigned max = (unsigned)options_uint(in->options, "max_op_vls"), least = VLS_CODE_MAX;

	for (uint32_t sw = 0; sw < f->n_switches; sw++)
		for (unsigned p = 1; switch_up(t, sw) && p <= f->switch_nports[sw]; p++) {
			uint32_t id = switch_port_id(f, sw, p);
			unsigned code = t->peer[id] == NO_ID ? 0 : opervls_given(t, id, max);

			if (code && code < least)
				least = code;
		}
	return vls_of_code(least);
}
