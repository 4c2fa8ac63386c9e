/* The builder of layers, as its files share it. */
#ifndef IBSCOPE_DFSSSP_BUILD_H
#define IBSCOPE_DFSSSP_BUILD_H

#include "engines/dfsssp/layers.h"

struct ds_builder {
	const struct engine_input *in;
	const struct ds_graph *g;
	const struct ds_order *o;
	struct ds_layers *l; /* owned until finished */
	uint32_t *at;	     /* of the dependencies */
	struct ds_cdg *cdg;  /* layer 0 */
	uint32_t *weight;    /* [n] LIDs of CA ports on a vertex */
	uint64_t pairs, own; /* ordered pairs of LIDs of different ports; own: pairs within one port */
	/* trees of the present destination */
	unsigned n_trees, cap_trees;
	uint32_t *next; /* [n_trees * n] channel by which a vertex sends, NO_ID */
	uint8_t *seen;	/* [n_trees * n] */
	bool fresh;	/* they have channels or dependencies not listed yet */
	uint32_t *flow; /* [n] all 0 between trees */
	/* first source without a route, NO_ID = none */
	uint32_t missing;
	unsigned missing_lid;
};

/* The observer wants to hear of layers. */
static inline bool ds_tells_layers(const struct engine_input *in)
{
	return OBSERVED(in) && in->observer->sw == NO_ID && !in->observer->lid;
}

#endif
