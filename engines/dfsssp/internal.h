/* Declarations shared by the files of SSSP and DFSSSP. */
#ifndef IBSCOPE_DFSSSP_INTERNAL_H
#define IBSCOPE_DFSSSP_INTERNAL_H

#include "core/trace/recorder.h"
#include "engines/columns.h"
#include "engines/dfsssp/dfsssp.h"

/* --- graph.c, order.c: the graph and the order of destinations ----------------------------- */

struct ds_graph *ds_graph_new(const struct engine_input *in);
struct ds_graph *ds_graph_ref(const struct ds_graph *g);
void ds_graph_unref(const struct ds_graph *g); /* NULL is fine */

/* Builds the order. -1 and out->refused when a GUID file cannot be used. */
int ds_order_build(const struct engine_input *in, struct engine_output *out, const struct ds_graph *g,
		   struct ds_order *o);
void ds_order_copy(struct ds_order *to, const struct ds_order *o, uint32_t vertices);
void ds_order_free(struct ds_order *o);

/* False for routers: they have a place in the order, but no routes. */
bool ds_is_routed(const struct engine_input *in, uint32_t endport);

struct ds_layers *ds_layers_ref(const struct ds_layers *l);
void ds_layers_unref(const struct ds_layers *l); /* NULL is fine */

/* --- searches ------------------------------------------------------------------------------- */

/*
 * OpenSM's distance of unreached vertices (engines/doc/dfsssp.md 5). Vertices at this distance or farther are
 * never reached.
 */
#define DS_INFINITE 0x7FFFFFFFu

/*
 * Weights of channels are at most 2 * lids squared; if lids squared is not below DS_INFINITE, nothing is
 * reached. Behind the last one there is room for so many that are read and not used.
 */
#define DS_BEHIND 8

/* The start of a search: vertex v, or (host) a CA port on it. */
struct ds_source {
	uint32_t v;
	bool host;
};

struct ds_tree {
	uint32_t *out;	/* [n] channel by which a vertex sends, or NO_ID */
	uint32_t *dist; /* [n] distance to the source; NULL when only the tree is known */
	/* [n] reached vertices: the source, then each one after the one that it sends to */
	uint32_t *order;
	uint32_t n_order;
};

/*
 * OpenSM's search, move for move (engines/doc/dfsssp.md 5.2, 5.3): Dijkstra with a 4-ary heap, whose shape
 * decides between equal distances.
 */
struct ds_heap;

struct ds_heap *ds_heap_new(const struct ds_graph *g);
void ds_heap_free(struct ds_heap *h); /* NULL is fine */

/*
 * Finds the tree of a source, with distances. in_order: order[] is the order of extraction from the heap;
 * otherwise vertices that can no longer change anything come last, in any order. weight: [n_edges]. The
 * result is borrowed, and overwritten by the next call of either function.
 */
const struct ds_tree *ds_heap_run(struct ds_heap *h, const uint32_t *weight, struct ds_source from,
				  bool in_order);

/*
 * Finds the order of extraction: rank[v] is right for vertices up to a distance `limit`, and undefined for
 * others. This costs less than a run. Borrowed in the same way.
 */
const uint32_t *ds_heap_ranks(struct ds_heap *h, const uint32_t *weight, struct ds_source from,
			      uint32_t limit);

/*
 * Finds the same tree without a heap. All channels have nearly the same weight, so the shortest ways have the
 * fewest links: a vertex k links away from the source sends to one that is k - 1 links away. Level by level,
 * each vertex takes its best channel.
 *
 * This is correct while the distances within a level differ by less than the least weight, since a way
 * through the same level or a farther one is then longer. Of several channels that give the same distance,
 * OpenSM takes the one to the nearest vertex, and of equally near vertices the one that left its heap first.
 * Only this last rule needs the heap, and only up to that distance.
 */
struct ds_levels;

/* wide: by vectors, where the processor has them; the tree is the same. */
struct ds_levels *ds_levels_new(const struct ds_graph *g, bool wide);
void ds_levels_free(struct ds_levels *l); /* NULL is fine */

/*
 * Finds the tree of a source, without distances. NULL when the method is not applicable. Sums of distances
 * and weights must fit in 32 bits. weight: [n_edges + DS_BEHIND]. The heap is overwritten. The result is
 * borrowed, and overwritten by the next call.
 */
const struct ds_tree *ds_levels_run(struct ds_levels *l, const uint32_t *weight, struct ds_source from,
				    struct ds_heap *heap);

/*
 * A search from a destination (engines/doc/dfsssp.md 5). The tree is the one of OpenSM's heap; most of it can
 * be found without a heap (levels.c).
 */
struct ds_search {
	const struct ds_graph *g;
	uint32_t *weight;	    /* [n_edges + DS_BEHIND] current weights of channels */
	const struct ds_tree *tree; /* of the last search; borrowed */
	struct ds_heap *heap;
	struct ds_levels *levels; /* NULL: not used */
	uint32_t *load;		  /* [n] */
};

/* in_order: trees have distances, and vertices in the order of extraction from the heap. */
struct ds_search *ds_search_new(const struct ds_graph *g, bool in_order);
void ds_search_free(struct ds_search *s); /* NULL is fine */

struct ds_source ds_source_of(const struct ds_graph *g, const struct topo *t, uint32_t endport);

void ds_search_run(struct ds_search *s, struct ds_source from);

/* Counts the tree's routes on its channels: each switch sends one route for each of its LIDs. */
void ds_search_load(struct ds_search *s);

/* --- dependencies of one layer (cdg.c) ------------------------------------------------------ */

/*
 * A dependency leads from a channel to one that leaves its end. Its number is at[channel] + the place of the
 * other channel among those that leave that switch.
 */
struct ds_cdg {
	const struct ds_graph *g;
	const uint32_t *at; /* [n_edges] */
	uint32_t *channel;  /* channels in the order of their first use */
	uint32_t n_channels;
	uint8_t *known; /* [n_edges] 1 = in channel[] */
	uint32_t *left; /* [n_deps] pairs of the layer that still make the dependency; NULL: not needed yet */
	uint8_t *listed; /* [n_deps] 1 = in list[] */
	uint8_t *list;	 /* [n_deps] places of a channel's dependencies, in the order of their first use */
	uint8_t *n_list; /* [n_edges] */
};

/* at[] for all layers of a graph: [n_edges + 1]. The last value is the number of dependencies. */
uint32_t *ds_cdg_places(const struct ds_graph *g);
struct ds_cdg *ds_cdg_new(const struct ds_graph *g, const uint32_t *at); /* without left[] */
void ds_cdg_free(struct ds_cdg *c);					 /* NULL is fine */

static inline uint32_t ds_dependency(const struct ds_cdg *c, uint32_t channel, uint32_t next)
{
	return c->at[channel] + (next - c->g->first[c->g->to[channel]]);
}

void ds_cdg_learn_channel(struct ds_cdg *c, uint32_t channel);
void ds_cdg_learn(struct ds_cdg *c, uint32_t channel, uint32_t next);
void ds_cdg_cut(struct ds_cdg *c, uint32_t channel, uint32_t next);

/* --- cycles of one layer (cycles.c) ------------------------------------------------------------ */

struct ds_cycles;

/* Begins a search in a layer that does not grow any more. lids: LIDs of the vertices' port 0. */
struct ds_cycles *ds_cycles_new(struct ds_cdg *c, const uint16_t *lids);
void ds_cycles_free(struct ds_cycles *k);
/* The channel at which the next cycle closes, or NO_ID when no cycle is left. */
uint32_t ds_cycles_next(struct ds_cycles *k);
/*
 * Lists the channels of that cycle, starting with this channel, and in left[] the pairs left on each one's
 * dependency on the next. Both have room for n_channels. Returns their number. *weakest: index of the channel
 * whose dependency must be cut.
 */
uint32_t ds_cycles_walk(struct ds_cycles *k, uint32_t channel, uint32_t *cycle, uint32_t *left,
			uint32_t *weakest);

/* --- the builder of layers ----------------------------------------------------------------------- */

struct ds_builder;

struct ds_builder *ds_builder_new(const struct engine_input *in, const struct ds_graph *g,
				  const struct ds_order *o);
void ds_builder_free(struct ds_builder *b); /* NULL is fine */
/* Adds the tree of the next LID of a destination. Call it before its routes are counted. */
void ds_builder_add_tree(struct ds_builder *b, const struct ds_search *s, unsigned lid);
/* All LIDs of a destination were added. -1 and *e: a switch with CAs has no route to one of them (AD14). */
int ds_builder_add_destination(struct ds_builder *b, struct err *e);
/* Makes balanced layers for the tables of r. NULL and *e: there are too few VLs (AD25), or cancelled. */
struct ds_layers *ds_builder_finish(struct ds_builder *b, const struct routing *r, struct err *e);

/* balance.c: computes base[] and width[] from count[]. */
void ds_balance(struct ds_layers *l, const struct engine_input *in);

/* The builder of layers, for the files that share it. */
struct ds_builder {
	const struct engine_input *in;
	const struct ds_graph *g;
	const struct ds_order *o;
	struct ds_layers *l; /* owned until finished */
	uint32_t *at;	     /* at[] of the dependencies */
	struct ds_cdg *cdg;  /* layer 0 */
	uint8_t *source;     /* [n] 1 = CA ports are on a vertex */
	uint64_t pairs, own; /* ordered pairs of LIDs of different ports, and within one port */
	/* trees of the current destination */
	unsigned n_trees, cap_trees;
	uint32_t *next;	 /* [n_trees * n] channel by which a vertex sends, or NO_ID */
	uint8_t *seen;	 /* [n_trees * n] */
	bool fresh;	 /* the trees have channels or dependencies that are not listed yet */
	uint8_t *passed; /* [n] all 0 between two trees */
	/* first source without a route, NO_ID = none */
	uint32_t missing;
	unsigned missing_lid;
};

/* --- a run ------------------------------------------------------------------------------------- */

struct ds_run {
	const struct engine_input *in;
	struct dfsssp *d;
	struct ds_search *s;
	struct routing *r;
	struct ds_builder *b;  /* NULL: sssp */
	struct columns done;   /* entries of the LIDs before */
	struct ds_record *rec; /* NULL: nobody records */
	/* when somebody asks or records */
	uint32_t *rank;		 /* [n] place in the order of extraction */
	uint32_t *hops;		 /* [n] */
	struct rec_offer *offer; /* [MAX_PORTS + 1] scratch */
};

/* --- choices ------------------------------------------------------------------------------------- */

/* The values of an offer: distance by it, weight of the channel, hops, place in the order of extraction. */
enum { DS_DISTANCE, DS_WEIGHT, DS_HOPS, DS_TAKEN };

/* What decided how a vertex sends to a LID. */
struct ds_cause {
	uint32_t v;
	unsigned lid;
	struct ds_source from;
	uint8_t port;
	enum why_rule rule;
	unsigned n_offers;
	struct rec_offer *offer;	      /* its channels; none for the destination's own switch */
	const struct rec_offer *own;	      /* NULL: there is none */
	const struct rec_offer *near, *few;   /* best others by distance, by hops; or NULL */
	const struct rec_offer *tie, *beside; /* equal to own by another switch, by the same one; or NULL */
};

/* sentences.c: for those who ask; the others are for operations and schemes. */
void ds_tell_choice(const struct ds_run *x, const struct ds_cause *cause);
const char *ds_say_rule(const struct rec_event *ev);
const char *ds_say_source(const struct rec_event *ev);
void ds_say(struct walk *w, struct text *t);
bool ds_say_cell(const struct recording *r, enum rec_table t, uint32_t at, struct text *out);
void dfsssp_explain_pair(const struct routing *r, unsigned slid, unsigned dlid, struct text *t,
			 struct progress *p);
void dfsssp_decide_pair(const struct routing *r, unsigned slid, unsigned dlid, struct decided *d);
void dfsssp_explain_layers(const struct routing *r, struct text *t);

/* show.c */
extern const struct routing_ops sssp_ops, dfsssp_ops;
extern const struct rec_scheme sssp_scheme, dfsssp_scheme;
/* The switch of slid, if it is a CA's LID whose routes to dlid have a layer; else NO_ID. */
uint32_t dfsssp_source_switch(const struct routing *r, unsigned slid, unsigned dlid);

/* --- events.c ------------------------------------------------------------------------------------ */

/*
 * Tells and records the entries of a LID (column: [n]), after its search and before its routes are counted.
 */
void ds_choices(struct ds_run *x, unsigned lid, struct ds_source from, const uint8_t *column);
/*
 * The rule that decided for the own way, against the nearest of the others and the one of fewest hops (NULL:
 * none).
 */
enum why_rule ds_rule_of(const struct rec_offer *own, const struct rec_offer *near,
			 const struct rec_offer *few);

/* --- the rest is called only while somebody records --- */

/* Data of a run that a recording keeps, and that its moments share. */
struct ds_kept {
	struct ds_graph *graph;
	struct ds_order order;	  /* empty: refused before there was an order */
	struct ds_layers *layers; /* as at the end; NULL: sssp, or refused before */
};

/* In the flags of a choice: channels to the destination's switch; 0: too many to store. */
#define DS_ONE_HOP 2u
#define DS_MOST_HOPS 127u

struct ds_record *ds_record_new(const struct ds_run *x);
void ds_record_free(struct ds_record *k); /* NULL is fine */

/* Records the initial weights, as part of the last event. */
void ds_record_graph(struct ds_record *k);
/* The search from the subnet manager's port has ended. */
void ds_record_trial(struct ds_record *k, const struct ds_run *x, struct ds_source from);
/* The order is made, and layers will be filled (NULL: sssp). Both are kept with the recording. */
void ds_record_plan(struct ds_record *k, const struct ds_order *o, struct ds_layers *l);
/* The routes to a LID are counted. */
void ds_record_weights(struct ds_record *k, const struct ds_run *x, unsigned lid);

/* All pairs are in layer 0. */
void ds_record_paths(const struct engine_input *in, const struct ds_graph *g, const struct ds_order *o,
		     const struct ds_layers *l);
/* A cycle that was found, before it is cut. */
struct ds_cycle {
	uint32_t cut; /* number of the cut; NO_ID: there is no VL left to move to */
	unsigned layer;
	uint32_t length;
	const uint32_t *channel, *left; /* [length] */
};
void ds_record_cycle(const struct engine_input *in, const struct ds_graph *g, const struct ds_cycle *c);
/* A class moves to the next layer. opens: it is the first one there. */
void ds_record_move(const struct engine_input *in, uint32_t sw, unsigned lid, unsigned layer, bool opens);
/* A layer has no cycle left. */
void ds_record_clean(const struct engine_input *in, const struct ds_layers *l, unsigned layer);
/* A layer got one more lane (split); the final place of its lanes (shift). */
void ds_record_split(const struct engine_input *in, const struct ds_layers *l, unsigned layer);
void ds_record_shift(const struct engine_input *in, const struct ds_layers *l, unsigned layer);

#endif
