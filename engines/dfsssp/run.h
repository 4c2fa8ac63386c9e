/* A run of SSSP over all destinations (engines/doc/dfsssp.md 3.5, 5). */
#ifndef IBSCOPE_DFSSSP_RUN_H
#define IBSCOPE_DFSSSP_RUN_H

#include "engines/dfsssp/dfsssp.h"

/* Columns of tables that are put down at a time. */
#define DS_BLOCK 256

struct ds_run {
	const struct engine_input *in;
	struct dfsssp *d;
	struct ds_search *s;
	struct routing *r;
	struct ds_builder *b; /* NULL: sssp */
	uint8_t *block;	      /* [stride * DS_BLOCK] columns to be put down, one behind the other */
	size_t stride; /* from one to the next: an odd number of cache lines, so that one entry of each fits
			  the cache */
	uint16_t block_lid[DS_BLOCK];
	unsigned n_block;
	struct ds_record *rec; /* NULL: nobody records */
	/* for a listener, or a recording */
	uint32_t *rank; /* [n] place in the order of extraction */
	uint32_t *hops; /* [n] */
	struct step_candidate *candidate;
};

/* The search from the subnet manager's port: -1 and *e when it does not reach all switches. */
int ds_trial(struct ds_run *x, struct err *e);
/* Route all destinations.  -1 and *e: AD14, or cancelled. */
int ds_route_all(struct ds_run *x, struct err *e);
/* What the counters and hops of the run leave to engines after a refusal (engines/doc/dfsssp.md 8). */
void ds_leave(const struct ds_run *x);

/* Fill rank[] and hops[] of the search: NO_ID of what was not reached. */
void ds_rank_tree(struct ds_run *x);

/* watch.c: what a listener hears. */
void ds_tell_graph(const struct ds_run *x);
/* After the search to a LID, before its routes count. */
void ds_tell_tree(struct ds_run *x, unsigned lid, struct ds_source from,
		  const uint8_t *column); /* [n] its entries */
void ds_tell_weights(const struct ds_run *x);

#endif
