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
