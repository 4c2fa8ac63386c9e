/*
 * SSSP (T. Hoefler, T. Schneider, A. Lumsdaine, Optimized Routing for Large-Scale InfiniBand Networks, HOTI
 * 2009) and DFSSSP (J. Domke, T. Hoefler, W. E. Nagel, Deadlock-Free Oblivious Routing for Arbitrary
 * Topologies, IPDPS 2011) as in OpenSM 3.3.23. Destination LIDs are routed one after the other, each by
 * shortest ways from all switches, and each route adds weight to its cables for later destinations. DFSSSP
 * then puts pairs of LIDs in layers without cycles; the tables are the same.
 *
 * The accessors below are for panes, on a routing that one of the two made.
 */
#ifndef IBSCOPE_DFSSSP_H
#define IBSCOPE_DFSSSP_H

#include "core/sm/engine.h"
#include "core/trace/recording.h"
#include "engines/engines.h"

/*
 * The graph of SSSP and DFSSSP, and their order of destinations (engines/doc/dfsssp.md 3, 4). Vertices are
 * the switches that are up, in GUID order, from 0. Each cable between two switches is two edges. An edge is
 * also the channel that leaves `from` through `port`.
 *
 * Searches start at the destination. A search that goes along an edge puts routes on its mate, the channel in
 * the other direction.
 */
struct ds_graph {
	atomic_uint refs;
	uint32_t n;   /* vertices */
	uint32_t *sw; /* [n] switch id in the fabric */
	uint32_t *id; /* [n_switches] vertex, NO_ID = not up */
	uint32_t n_edges;
	uint32_t *first;     /* [n + 1] first edge that leaves a vertex; sorted by port */
	uint32_t *from, *to; /* [n_edges] vertices */
	uint8_t *port;	     /* [n_edges] port number at `from` */
	uint8_t *to_port;    /* [n_edges] port number at `to` */
	uint32_t *mate;	     /* [n_edges] the other direction of the cable */
	uint32_t *of_port;   /* [n_ports] edge that leaves through a port, NO_ID = none */
	uint32_t *hosts;    /* [n] LIDs of a vertex: those of its port 0 and of all its hosts, also routers */
	uint32_t lids;	    /* of all CA ports and switches */
	uint64_t start;	    /* initial weight of every edge: lids squared */
	uint32_t throttled; /* cables left out by avoid_throttled_links */
};

/* The reason for a destination's place in the order. */
enum ds_phase { DS_COMPUTE, DS_IO, DS_OTHER, DS_SWITCH };

struct ds_order {
	uint32_t *by_hosts; /* [vertices] by descending hosts[], ties by GUID */
	uint32_t n;
	uint32_t *endport; /* [n] destinations: CA and router ports, then switches */
	uint8_t *phase;	   /* [n] enum ds_phase */
};

/*
 * The virtual layers of DFSSSP (engines/doc/dfsssp.md 6). Pairs of LIDs start in layer 0. While the channel
 * dependency graph of a layer has a cycle, the cycle's weakest dependency is cut: the pairs that make it move
 * one layer up.
 *
 * All LIDs of the CA ports of a switch take the same way to a LID, so they move together. A layer belongs to
 * such a class (source switch, destination LID). Pairs whose source is a switch, or whose ends are on the
 * same switch, make no dependency and stay in layer 0.
 */
#define DS_MAX_LAYERS 15

/* A cut dependency, in the order of the cuts. */
struct ds_cut {
	uint8_t layer;	   /* the layer of the cut */
	uint32_t at;	   /* index in the cycle of the channel where the dependency begins */
	uint32_t length;   /* channels of the cycle */
	size_t first;	   /* index of the first channel in cycle_channel[], cycle_left[] */
	uint32_t from, to; /* the two channels (edges of the graph) */
	uint64_t moved;	   /* pairs that moved one layer up */
	uint64_t skipped;  /* pairs that made the dependency, but had moved before */
};

struct ds_layers {
	atomic_uint refs;
	unsigned vls;	   /* 1, 2, 4, 8 or 15 */
	uint32_t vls_port; /* port id of a switch that sets vls, NO_ID = there is no cable */
	unsigned need;	   /* number of layers; vls + 1 when vls are too few */
	/* sources: switches with CA ports, in the order of these as destinations */
	uint32_t n_sources;
	uint32_t *source;    /* [n_sources] vertex */
	uint32_t *source_of; /* [n] index in source[], or NO_ID */
	uint32_t *ca_lids;   /* [n_sources] LIDs of its CA ports */
	/* [(max_lid + 1) * n_sources] layer of (LID, source); NULL = no pair has moved */
	uint8_t *layer;
	uint64_t count[DS_MAX_LAYERS + 1]; /* ordered pairs of LIDs per layer */
	uint64_t channels, deps;	   /* in layer 0 before the first cut */
	/* lanes (VLs and SLs) of a layer t: width[t] lanes from base[t] */
	uint8_t base[DS_MAX_LAYERS + 1], width[DS_MAX_LAYERS + 1];
	uint8_t idle; /* lanes assigned to layers that cannot use them (quirk of 6.8) */
	/*
	 * all cuts, and the cycles that they broke: channels, and the pairs left on each one's dependency on
	 * the next channel
	 */
	struct ds_cut *cut;
	uint32_t n_cuts, cap_cuts;
	uint32_t *cycle_channel, *cycle_left;
	size_t n_cycle, cap_cycle;
};

static inline unsigned ds_layer_of(const struct ds_layers *l, uint32_t source, unsigned lid)
{
	return l->layer ? l->layer[(size_t)lid * l->n_sources + source] : 0;
}

struct dfsssp {
	struct ds_graph *graph;
	struct ds_order order;
	uint32_t *weight;	  /* [n_edges] at the end of the run */
	struct ds_layers *layers; /* NULL: sssp */
	/* only at a step of a recorded run */
	bool partial;	 /* this is such a step */
	bool unlayered;	 /* pairs have no layers yet */
	uint32_t n_lids; /* destination LIDs routed so far */
};

/* NULL unless sssp or dfsssp made the routing. If the unicast cache kept it, ask routing_origin(). */
const struct dfsssp *dfsssp_of(const struct routing *r);

/* --- weights ----------------------------------------------------------------------------- */

/* The weight of every channel before the first destination: (LIDs of CAs and switches) squared. */
uint64_t dfsssp_start_weight(const struct dfsssp *d);

/* Destination LIDs in the order of routing (at a step: so far), *n of them. The caller frees the list. */
uint16_t *dfsssp_destinations(const struct routing *r, uint32_t *n);

/*
 * Counts routes in the course of the run: adds the routes to a part of dfsssp_destinations() to
 * routes[port id] ([n_ports]). False when cancelled. Costs LIDs * switches.
 */
bool dfsssp_add_routes(const struct routing *r, struct lids_part lids, uint32_t *routes, struct progress *p);

/* Cables between switches on the route of a switch to a LID, or HOPS_NONE of core/routing/paths.h. */
unsigned dfsssp_hops(const struct routing *r, uint32_t sw, unsigned lid);

/* --- layers (dfsssp) -------------------------------------------------------------------------- */

/* The number of layers needed; 0 for sssp. */
unsigned dfsssp_layers(const struct dfsssp *d);
/* The layer of the routes from a switch's CA ports to a LID. */
unsigned dfsssp_layer_of(const struct dfsssp *d, uint32_t sw, unsigned lid);
/* The SLs of a layer. */
struct sl_range dfsssp_lanes(const struct dfsssp *d, unsigned layer);
/* The cuts of a layer begin at cut[*first]. Returns their number. */
uint32_t dfsssp_cuts(const struct dfsssp *d, unsigned layer, uint32_t *first);
/* The port id that sends into a channel (an edge of the graph). */
static inline uint32_t dfsssp_channel_port(const struct ds_graph *g, const struct fabric *f, uint32_t channel)
{
	return switch_port_id(f, g->sw[g->from[channel]], g->port[channel]);
}
/* The cut (index in cut[]) that moved a class (source switch, LID) out of a layer, or NO_ID. */
uint32_t dfsssp_moved_by(const struct routing *r, uint32_t sw, unsigned lid, unsigned layer);

/* Declarations shared by the files of SSSP and DFSSSP. */

/* --- run.c: the graph and the order of destinations ----------------------------- */

struct ds_graph *ds_graph_new(const struct engine_input *in);
struct ds_graph *ds_graph_ref(const struct ds_graph *g);
void ds_graph_unref(const struct ds_graph *g); /* NULL is fine */

/* Builds the order. -1 and out->refused when a GUID file cannot be used. */
void ds_order_copy(struct ds_order *to, const struct ds_order *o, uint32_t vertices);
void ds_order_free(struct ds_order *o);

/* False for routers: they have a place in the order, but no routes. */
bool ds_is_routed(const struct engine_input *in, uint32_t endport);

struct ds_layers *ds_layers_ref(const struct ds_layers *l);
void ds_layers_unref(const struct ds_layers *l); /* NULL is fine */

/* --- searches ------------------------------------------------------------------------------- */

/* OpenSM's distance of unreached vertices (engines/doc/dfsssp.md 5); none so far or farther is reached. */
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

/* --- dependencies of one layer (layers.c) ------------------------------------------------------ */

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

/* --- cycles of one layer (layers.c) ------------------------------------------------------------ */

struct ds_cycles;

/* --- the builder of layers ----------------------------------------------------------------------- */

struct ds_builder;

/* Makes balanced layers for the tables of r. NULL and *e: there are too few VLs (AD25), or cancelled. */
struct ds_layers *ds_builder_finish(struct ds_builder *b, const struct routing *r, struct err *e);

/* layers.c: computes base[] and width[] from count[]. */
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

/* tell.c: for those who ask; the others are for operations and schemes. */
void ds_tell_choice(const struct ds_run *x, const struct ds_cause *cause);
void dfsssp_explain_pair(const struct routing *r, unsigned slid, unsigned dlid, struct text *t,
			 struct progress *p);
void dfsssp_explain_layers(const struct routing *r, struct text *t);

/* tell.c */
extern const struct routing_ops sssp_ops, dfsssp_ops;
extern const struct rec_scheme sssp_scheme, dfsssp_scheme;

/* --- levels.c ------------------------------------------------------------------------------------ */

/* Tells and records the entries of a LID (column: [n]) after its search, before its routes are counted. */
void ds_choices(struct ds_run *x, unsigned lid, struct ds_source from, const uint8_t *column);
/* The rule that decided for the own way, against the nearest other and the one of fewest hops (or NULL). */
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
