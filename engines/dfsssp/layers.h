/*
 * Virtual layers of DFSSSP (engines/doc/dfsssp.md 6): pairs of LIDs start in
 * layer 0; as long as a layer's channel dependency graph has a cycle, the
 * cycle's weakest dependency is cut and the pairs that make it move one layer up.
 *
 * All LIDs of the CA ports of a switch take the same way to a LID, so they move
 * together: what has a layer is a class, (source switch, destination LID).  Pairs
 * whose source is a switch, or both ends of which hang on one switch, make no
 * dependency and stay in layer 0.
 */
#ifndef IBSCOPE_DFSSSP_LAYERS_H
#define IBSCOPE_DFSSSP_LAYERS_H

#include "engines/dfsssp/search.h"

#define DS_MAX_LAYERS 15

/* A dependency that was cut, in the order of the cuts. */
struct ds_cut {
	uint8_t layer;	   /* it was cut in */
	uint32_t at;	   /* place in the cycle of the channel that the dependency leaves */
	uint32_t length;   /* channels of the cycle */
	size_t first;	   /* the first of them in cycle_channel[], cycle_left[] */
	uint32_t from, to; /* the two channels (edges of the graph) */
	uint64_t moved;	   /* pairs that went one layer up */
	uint64_t skipped;  /* pairs that had made the dependency, but had moved before */
};

struct ds_layers {
	atomic_uint refs;
	unsigned vls;	   /* that there are: 1, 2, 4, 8 or 15 */
	uint32_t vls_port; /* port id of a switch that sets it, NO_ID = there is no cable */
	unsigned need;	   /* layers; vls + 1 when these do not suffice */
	/* sources: switches with CA ports, in the order in which these are destinations */
	uint32_t n_sources;
	uint32_t *source;    /* [n_sources] vertex */
	uint32_t *source_of; /* [n] index in source[], NO_ID */
	uint32_t *ca_lids;   /* [n_sources] LIDs of its CA ports */
	/* [(max_lid + 1) * n_sources] layer of (LID, source); NULL = nothing ever moved */
	uint8_t *layer;
	uint64_t count[DS_MAX_LAYERS + 1]; /* ordered pairs of LIDs per layer */
	uint64_t channels, deps;	   /* in layer 0 before any cut */
	/* lanes (VLs, and SLs) that a layer has: width[t] from base[t] on */
	uint8_t base[DS_MAX_LAYERS + 1], width[DS_MAX_LAYERS + 1];
	uint8_t idle; /* lanes given to layers that got no use of them (quirk of 6.8) */
	/* all cuts, and the cycles they broke: channels, each with the pairs left on its dependency on the
	 * next */
	struct ds_cut *cut;
	uint32_t n_cuts, cap_cuts;
	uint32_t *cycle_channel, *cycle_left;
	size_t n_cycle, cap_cycle;
};

struct ds_layers *ds_layers_ref(struct ds_layers *l);
void ds_layers_unref(struct ds_layers *l); /* NULL is fine */

static inline unsigned ds_layer_of(const struct ds_layers *l, uint32_t source, unsigned lid)
{
	return l->layer ? l->layer[(size_t)lid * l->n_sources + source] : 0;
}

/* --- dependencies of one layer (cdg.c) ------------------------------------------------------ */

/*
 * A dependency is from a channel to one that leaves its end; their numbers:
 * at[channel] + place of the other among those that leave that switch.
 */
struct ds_cdg {
	const struct ds_graph *g;
	const uint32_t *at; /* [n_edges] */
	uint32_t *channel;  /* channels in the order of their first use */
	uint32_t n_channels;
	uint8_t *known;	 /* [n_edges] 1 = in channel[] */
	uint32_t *left;	 /* [n_deps] pairs of the layer that make the dependency */
	uint8_t *listed; /* [n_deps] 1 = in list[] */
	uint8_t *list; /* [n_deps] places of the dependencies of a channel, in the order of their first use */
	uint8_t *n_list; /* [n_edges] */
};

/* Its at[], for all layers of a graph: [n_edges + 1], the last is the number of dependencies. */
uint32_t *ds_cdg_places(const struct ds_graph *g);
struct ds_cdg *ds_cdg_new(const struct ds_graph *g, const uint32_t *at);
void ds_cdg_free(struct ds_cdg *c); /* NULL is fine */

static inline uint32_t ds_dependency(const struct ds_cdg *c, uint32_t channel, uint32_t next)
{
	return c->at[channel] + (next - c->g->first[c->g->to[channel]]);
}

void ds_cdg_learn_channel(struct ds_cdg *c, uint32_t channel);
void ds_cdg_learn(struct ds_cdg *c, uint32_t channel, uint32_t next);
void ds_cdg_cut(struct ds_cdg *c, uint32_t channel, uint32_t next);

/* --- cycles of one layer (cycles.c) ------------------------------------------------------------ */

struct ds_cycles;

/* A search over a layer to which nothing is added any more.  lids: of the vertices' port 0. */
struct ds_cycles *ds_cycles_new(struct ds_cdg *c, const uint16_t *lids);
void ds_cycles_free(struct ds_cycles *k);
/* The channel at which the next cycle was closed, NO_ID = there is none left. */
uint32_t ds_cycles_next(struct ds_cycles *k);
/*
 * The channels of that cycle from that one on, and what is left on the dependency
 * of each on the next; at[0..] with room for n_channels.  Returns their number;
 * *weakest = index of the one whose dependency is to be cut.
 */
uint32_t ds_cycles_walk(struct ds_cycles *k, uint32_t channel, uint32_t *cycle, uint32_t *left,
			uint32_t *weakest);

/* --- all of it ----------------------------------------------------------------------------------- */

struct ds_builder;

struct ds_builder *ds_builder_new(const struct engine_input *in, const struct ds_graph *g,
				  const struct ds_order *o);
void ds_builder_free(struct ds_builder *b); /* NULL is fine */
/* The tree of the next LID of a destination, before its routes are put on the edges. */
void ds_builder_add_tree(struct ds_builder *b, const struct ds_search *s, unsigned lid);
/* All LIDs of a destination have been added. -1 and *e: a switch with CAs has no route to one of them (AD14).
 */
int ds_builder_add_destination(struct ds_builder *b, struct err *e);
/*
 * Find the layers for the tables of r and even them out.  NULL and *e when there
 * are not enough VLs (AD25) or when cancelled.
 */
struct ds_layers *ds_builder_finish(struct ds_builder *b, const struct routing *r, struct err *e);

/* balance.c: base[], width[] from count[]; steps are told. */
void ds_balance(struct ds_layers *l, const struct engine_input *in);

#endif
