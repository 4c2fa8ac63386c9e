/* Number of layers (engines/doc/nue.md 5). */
#include "engines/nue/internal.h"
#include "engines/vls.h"

struct nue_vls nue_find_vls(const struct engine_input *in)
{
	struct nue_vls v = {.port = NO_ID,
			    .asked = options_uint(in->options, "nue_max_num_vls"),
			    .qos = options_bool(in->options, "qos")};
	unsigned code = least_vls_code(in, &v.port);

	v.supported = code ? 1u << (code - 1) : 1;
	if (v.supported > NUE_MAX_LAYERS)
		v.supported = NUE_MAX_LAYERS;
	v.layers = v.asked && v.asked < v.supported ? v.asked : v.supported;
	if (!v.qos)
		v.layers = 1;
	return v;
}
