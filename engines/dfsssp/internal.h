/* Between the files of SSSP and DFSSSP. */
#ifndef IBSCOPE_DFSSSP_INTERNAL_H
#define IBSCOPE_DFSSSP_INTERNAL_H

#include "core/trace/recorder.h"
#include "engines/dfsssp/dfsssp.h"

/* --- graph.c, order.c: what all lean on ---------------------------------------------------- */

struct ds_graph *ds_graph_new(const struct engine_input *in);
struct ds_graph *ds_graph_ref(const struct ds_graph *g);
void ds_graph_unref(const struct ds_graph *g); /* NULL is fine */

/* -1 and out->refused: a GUID file cannot be used. */
int ds_order_build(const struct engine_input *in, struct engine_output *out, const struct ds_graph *g,
		   struct ds_order *o);
void ds_order_copy(struct ds_order *to, const struct ds_order *o, uint32_t vertices);
void ds_order_free(struct ds_order *o);

/* Routers have a place in the order, but no routes. */
bool ds_is_routed(const struct engine_input *in, uint32_t endport);

struct ds_layers *ds_layers_ref(const struct ds_layers *l);
void ds_layers_unref(const struct ds_layers *l); /* NULL is fine */

/* --- searches ------------------------------------------------------------------------------- */

/* What a search from a destination works on, and what comes of it (engines/doc/dfsssp.md 5). */
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

/*
 * OpenSM's search, move by move (engines/doc/dfsssp.md 5.2, 5.3): Dijkstra with a
 * 4-ary heap whose shape decides between equal distances.
 */
struct ds_heap;

struct ds_heap *ds_heap_new(const struct ds_graph *g);
void ds_heap_free(struct ds_heap *h); /* NULL is fine */

/*
 * The tree of a source, with distances.  in_order: order[] is the order in which vertices leave the heap;
 * otherwise those that could not have changed anything any more come last, in no particular order.  link:
 * [n_edges].  Borrowed, overwritten by the next call of either.
 */
const struct ds_tree *ds_heap_run(struct ds_heap *h, const ds_link *link, struct ds_source from,
				  bool in_order);

/*
 * The order in which vertices leave the heap: rank[v] of all up to a distance, of
 * others anything.  Costs less than a run.  Borrowed in the same way.
 */
const uint32_t *ds_heap_ranks(struct ds_heap *h, const ds_link *link, struct ds_source from, uint32_t limit);

/*
 * The same tree without a heap.  Every channel weighs about the same, so the shortest ways have the fewest
 * links: a vertex k links away from the source sends to one that is k - 1 away.  Level by level, each vertex
 * takes the best of its channels.
 *
 * That is right as long as the distances of a level are less than the least weight apart: a way through its
 * own level or a farther one is longer then.  Of channels that make a vertex equally near, OpenSM takes the
 * one to the nearest vertex, and of equally near ones the one to that which left its heap first.  Only for
 * the last the heap is needed, and only up to their distance.
 */
struct ds_levels;

struct ds_levels *ds_levels_new(const struct ds_graph *g);
void ds_levels_free(struct ds_levels *l); /* NULL is fine */

/*
 * The tree of a source, without distances; borrowed, overwritten by the next call.
 * NULL: it cannot be done that way.  Distances and weights must fit 32 bits when added
 * up.  link: [n_edges].  The heap is overwritten.
 */
const struct ds_tree *ds_levels_run(struct ds_levels *l, const ds_link *link, struct ds_source from,
				    struct ds_heap *heap);

/*
 * One search from a destination (engines/doc/dfsssp.md 5).  The tree is the one that
 * OpenSM's heap gives; most of it can be found without (levels.c).
 */
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

/* A search over a layer that no longer grows.  lids: of the vertices' port 0. */
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
/* All LIDs of a destination are added. -1 and *e: a switch with CAs has no route to one of them (AD14). */
int ds_builder_add_destination(struct ds_builder *b, struct err *e);
/* Layers for the tables of r, evened out.  NULL and *e: there are not enough VLs (AD25), or cancelled. */
struct ds_layers *ds_builder_finish(struct ds_builder *b, const struct routing *r, struct err *e);

/* balance.c: base[], width[] from count[]. */
void ds_balance(struct ds_layers *l, const struct engine_input *in);

/* The builder of layers, as its files share it. */
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

/* --- a run ------------------------------------------------------------------------------------- */

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
	/* when somebody asks or records */
	uint32_t *rank;		 /* [n] place in the order of extraction */
	uint32_t *hops;		 /* [n] */
	struct rec_offer *offer; /* [MAX_PORTS + 1] room */
};

/* --- choices ------------------------------------------------------------------------------------- */

/* Of an offer: distance that way, weight of the channel, hops, place in the order of extraction. */
enum { DS_DISTANCE, DS_WEIGHT, DS_HOPS, DS_TAKEN };

/* What made a vertex send to a LID as it does. */
struct ds_cause {
	uint32_t v;
	unsigned lid;
	struct ds_source from;
	uint8_t port;
	enum why_rule rule;
	unsigned n_offers;
	struct rec_offer *offer;	    /* its channels; none of the destination's own switch */
	const struct rec_offer *own;	    /* NULL: there is none */
	const struct rec_offer *near, *few; /* of the others that of least distance, of fewest hops; NULL */
	const struct rec_offer *tie,
		*beside; /* as near as the own one: by another switch, by the same; NULL */
};

/* sentences.c: to those who ask; the rest for operations and schemes. */
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
/* The switch from whose CAs, a LID among them, routes go to another LID; NO_ID: they have no layer. */
uint32_t dfsssp_source_switch(const struct routing *r, unsigned slid, unsigned dlid);

/* --- events.c ------------------------------------------------------------------------------------ */

/* After the search to a LID, before its routes count: tell and record its entries (column: [n]). */
void ds_choices(struct ds_run *x, unsigned lid, struct ds_source from, const uint8_t *column);
/* What decides for the own way: the nearest of others, and that of fewest hops; NULL: there is none. */
enum why_rule ds_rule_of(const struct rec_offer *own, const struct rec_offer *near,
			 const struct rec_offer *few);

/* The rest is called only while somebody records. */

/* What a recording keeps of its run; moments share it. */
struct ds_kept {
	struct ds_graph *graph;
	struct ds_order order;	  /* empty: refused before there was one */
	struct ds_layers *layers; /* as they were in the end; NULL: sssp, or refused before */
};

/* In the flags of a choice: channels to the destination's switch, 0: more than fit. */
#define DS_ONE_HOP 2u
#define DS_MOST_HOPS 127u

struct ds_record *ds_record_new(const struct ds_run *x);
void ds_record_free(struct ds_record *k); /* NULL is fine */

/* Weights at first: of the event before. */
void ds_record_graph(struct ds_record *k);
/* The search from the subnet manager's port is done. */
void ds_record_trial(struct ds_record *k, const struct ds_run *x, struct ds_source from);
/* Order and (NULL: sssp) layers are there, the latter to be filled; both are kept with the recording. */
void ds_record_plan(struct ds_record *k, const struct ds_order *o, struct ds_layers *l);
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
