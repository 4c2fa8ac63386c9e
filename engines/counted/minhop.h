/* Min Hop as other engines start from it. */
#ifndef IBSCOPE_MINHOP_H
#define IBSCOPE_MINHOP_H

#include "core/base/defs.h"
#include "core/sm/engine.h"

/* route() and update() of the engines that use Min Hop's matrix: minhop, dor. */
struct routing *min_hop_route(const char *engine, bool dor, const struct engine_input *in,
			      struct engine_output *out);
struct routing *min_hop_update(const char *engine, bool dor, const struct engine_input *in,
			       struct engine_output *out);

#endif
