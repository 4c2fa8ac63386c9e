/* What a search from a destination works on, and what comes of it (engines/doc/dfsssp.md 5). */
#ifndef IBSCOPE_DFSSSP_TREE_H
#define IBSCOPE_DFSSSP_TREE_H

#include "engines/dfsssp/graph.h"

/* OpenSM's distance of what is not reached: what would be as far or farther is never reached. */
#define DS_INFINITE 0x7FFFFFFFu

/*
 * A channel with its weight now: weight << 32 | channel.  Weights are never above
 * 2 * lids squared, and lids squared is below DS_INFINITE or nothing is reached.
 */
typedef uint64_t ds_link;

static inline uint32_t ds_weight(ds_link l)
{
	return (uint32_t)(l >> 32);
}

/* Where a search starts: at vertex v, or (host) at a CA port that hangs on it. */
struct ds_source {
	uint32_t v;
	bool host;
};

struct ds_tree {
	uint32_t *out;	/* [n] channel by which a vertex sends to another; NO_ID = it does not */
	uint32_t *dist; /* [n] to the source; NULL where only the tree is known */
	/* [n] vertices that were reached: the source's, then each after the one that it sends to */
	uint32_t *order;
	uint32_t n_order;
};

#endif
