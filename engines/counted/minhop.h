/* Min Hop, for engines that use its matrix. */
#ifndef IBSCOPE_MINHOP_H
#define IBSCOPE_MINHOP_H

#include "core/base/defs.h"
#include "core/sm/engine.h"

/* route() and update() of minhop and dor. */
struct routing *min_hop_route(const char *engine, bool dor, const struct engine_input *in,
			      struct engine_output *out);
struct routing *min_hop_update(const char *engine, bool dor, const struct engine_input *in,
			       struct engine_output *out);

#endif
