/*
 * One search from a destination (engines/doc/dfsssp.md 5).  The tree is the one that
 * OpenSM's heap gives; most of it can be found without (levels.h).
 */
#ifndef IBSCOPE_DFSSSP_SEARCH_H
#define IBSCOPE_DFSSSP_SEARCH_H

#include "engines/dfsssp/levels.h"

struct ds_search {
	const struct ds_graph *g;
	ds_link *link;		    /* [n_edges] */
	const struct ds_tree *tree; /* of the last run; borrowed */
	struct ds_heap *heap;
	struct ds_levels *levels; /* NULL: none are to be used */
	uint64_t *hosts;	  /* [n] LIDs of a vertex << 32 */
	uint64_t *load;		  /* [n] */
};

/* in_order: trees are to have distances, and vertices in the order in which they leave the heap. */
struct ds_search *ds_search_new(const struct ds_graph *g, bool in_order);
void ds_search_free(struct ds_search *s); /* NULL is fine */

struct ds_source ds_source_of(const struct ds_graph *g, const struct topo *t, uint32_t endport);

void ds_search_run(struct ds_search *s, struct ds_source from);

/* Put the routes of the tree on its channels: each switch sends one from each of its LIDs. */
void ds_search_load(struct ds_search *s);

#endif
