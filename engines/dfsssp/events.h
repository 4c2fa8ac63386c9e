/*
 * sssp and dfsssp in a recording (core/trace/recording.h): what events.c hears of a run.  All are called only
 * while somebody records.
 */
#ifndef IBSCOPE_DFSSSP_RECORD_H
#define IBSCOPE_DFSSSP_RECORD_H

#include "core/trace/walk.h"
#include "engines/dfsssp/layers.h"
#include "engines/dfsssp/run.h"

extern const struct rec_scheme sssp_scheme, dfsssp_scheme;

/* What a recording keeps of its run; moments share it. */
struct ds_kept {
	struct ds_graph *graph;
	struct ds_order order;	  /* empty: refused before there was one */
	struct ds_layers *layers; /* as they were in the end; NULL: sssp, or refused before */
};

/* In the flags of a choice: channels to the destination's switch, 0: more than fit. */
#define DS_ONE_HOP 2u
#define DS_MOST_HOPS 127u

/* sentences.c: struct rec_scheme */
const char *ds_say_rule(const struct rec_event *ev);
const char *ds_say_source(const struct rec_event *ev);
void ds_say(struct walk *w, struct text *t);

struct ds_record *ds_record_new(const struct ds_run *x);
void ds_record_free(struct ds_record *k); /* NULL is fine */

/* Weights at first: of the event before. */
void ds_record_graph(struct ds_record *k);
/* The search from the subnet manager's port is done. */
void ds_record_trial(struct ds_record *k, const struct ds_run *x, struct ds_source from);
/* Order and (NULL: sssp) layers are there, the latter to be filled; both are kept with the recording. */
void ds_record_plan(struct ds_record *k, const struct ds_order *o, struct ds_layers *l);
/* After the search to a LID, ranked (ds_rank_tree()), before its routes count. */
void ds_record_tree(struct ds_record *k, const struct ds_run *x, unsigned lid, struct ds_source from,
		    const uint8_t *column); /* [n] its entries */
/* Its routes count. */
void ds_record_weights(struct ds_record *k, const struct ds_run *x, unsigned lid);

/* All pairs are in layer 0. */
void ds_record_paths(const struct engine_input *in, const struct ds_graph *g, const struct ds_order *o,
		     const struct ds_layers *l);
/* A cycle that was found, before it is cut. */
struct ds_cycle {
	uint32_t cut; /* number of the cut, NO_ID: there is no VL for what would move */
	unsigned layer;
	uint32_t length;
	const uint32_t *channel, *left; /* [length] */
};
void ds_record_cycle(const struct engine_input *in, const struct ds_graph *g, const struct ds_cycle *c);
/* A class goes to the next layer; opens: the first that does. */
void ds_record_move(const struct engine_input *in, uint32_t sw, unsigned lid, unsigned layer, bool opens);
/* A layer has no cycle left. */
void ds_record_clean(const struct engine_input *in, const struct ds_layers *l, unsigned layer);
/* A layer got one more lane; where its lanes are in the end. */
void ds_record_split(const struct engine_input *in, const struct ds_layers *l, unsigned layer);
void ds_record_shift(const struct engine_input *in, const struct ds_layers *l, unsigned layer);

#endif
