/*
 * Nue (J. Domke, T. Hoefler, S. Matsuoka, Routing on the Dependency Graph: A New Approach to Deadlock-Free
 * High-Performance Routing, HPDC 2016) as in OpenSM 3.3.23 built without METIS. Destinations are dealt to
 * layers (SLs) in turn, and routed one by one in the complete channel dependency graph of the fabric. A
 * dependency that would close a cycle is not used. When the search for a destination fails, all switches
 * follow a spanning tree whose paths were reserved (engines/doc/nue.md).
 *
 * The accessors are for panes, on a routing that Nue made. Switches are the fabric's ids, LIDs the subnet's.
 * Layers count from 0, and are SLs when there are several.
 */
#ifndef IBSCOPE_NUE_H
#define IBSCOPE_NUE_H

#include <assert.h>

#include "core/base/defs.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/routing/routing.h"
#include "core/trace/recording.h"
#include "engines/engines.h"
#include "engines/heap4.h"

/*
 * The fabric as Nue sees it (engines/doc/nue.md 4). The search starts from destinations.
 *
 * Nodes are switches 0 .. n-1, sorted by the bytes of their LID. A channel is one direction of a cable
 * between switches. The search goes from[c] -> to[c]; packets go the other way and leave to[c] by rport[c].
 * The channels that leave node u have consecutive numbers, sorted by port: first[u] to first[u + 1] - 1.
 */

#define NUE_INF UINT64_C(0x7FFFFFFF) /* OpenSM's "not reached", even if real distances exceed it */

struct nue_graph {
	uint32_t n;
	uint32_t *sw;	 /* [n] switch id in the fabric */
	uint32_t *node;	 /* [n_switches] the node of a switch, NO_ID = takes no part */
	uint32_t *first; /* [n + 1] */
	uint32_t n_channels;
	uint32_t *from, *to, *rev; /* [n_channels]; rev: the other direction of the cable */
	uint8_t *lport, *rport;	   /* [n_channels] ports at from and to */
	/* [n] LIDs of CAs, routers and port 0 on the switch, modulo 256 as in OpenSM */
	uint8_t *terminals;
	uint64_t total;	    /* LIDs of all CAs and switches */
	unsigned max_lids;  /* most LIDs of one of these ports */
	unsigned throttled; /* cables left out */
};

/* The key by which OpenSM compares LIDs: bytes swapped, like network order on a little-endian machine. */
static inline uint16_t nue_lid_key(uint16_t lid)
{
	return __builtin_bswap16(lid);
}

static inline unsigned nue_degree(const struct nue_graph *g, uint32_t u)
{
	return g->first[u + 1] - g->first[u];
}

/* The node of a switch endport, or of the switch at which another endport hangs. NO_ID when there is none. */
static inline uint32_t nue_node_of(const struct nue_graph *g, const struct topo *t, uint32_t endport)
{
	uint32_t sw = endport == NO_ID ? NO_ID : t->endport_switch[endport];

	return sw == NO_ID ? NO_ID : g->node[sw];
}

#define NUE_MAX_LAYERS 15
#define NUE_NO_LAYER 255
static_assert(NUE_MAX_LAYERS < NUE_NO_LAYER, "the mark is no layer");

/* The number of layers, and the reason for it (engines/doc/nue.md 5). */
struct nue_vls {
	unsigned supported; /* VLs that every port has: 1, 2, 4, 8 or 15 */
	uint32_t port;	    /* port id of a switch that sets this limit; NO_ID: no port is counted */
	unsigned asked;	    /* nue_max_num_vls; 0 = as many as supported */
	bool qos;	    /* without QoS there is one layer */
	unsigned layers;
};

/* Events while a LID was routed (bits). */
enum nue_event {
	NUE_ROUTED = 1,	     /* within the dependency graph of its layer */
	NUE_OUTSIDE = 2,     /* a switch, routed after the layers without regard to cycles */
	NUE_BACKTRACKED = 4, /* a switch could be reached only after another one changed its way */
	NUE_SHORTCUT = 8,    /* backtracking opened a shorter way to a third switch */
	NUE_FALLBACK = 16,   /* all switches follow the escape paths */
};

/* A turn that no route of the layer may make, at switch sw. */
struct nue_turn {
	uint32_t sw;
	uint8_t in, out;
};

/* A switch whose way to a LID is longer than necessary; lengths in links between switches. */
struct nue_detour {
	uint32_t sw;
	uint32_t links, least;
	/*
	 * true: a way of the fewest links makes no turn that the layer finally restricts; it was open, and
	 * weights led elsewhere. false: each such way makes a restricted turn
	 */
	bool open;
};

struct nue_layer {
	uint32_t n_lids;
	uint16_t *lid;	     /* base LIDs in the order of routing */
	uint32_t root;	     /* node of the central switch, NO_ID = the layer has no LIDs */
	uint32_t n_hull;     /* nodes on shortest paths between switches with destinations */
	uint8_t *hull;	     /* [n] 0 no, 1 on a shortest path, 2 has a destination of the layer */
	double *betweenness; /* [n] of hull nodes, computed within the hull */
	uint32_t *escape;    /* [n] channel of the spanning tree into a node, NO_ID for the root */
	uint32_t escape_channels, escape_edges; /* marked before the first destination was routed */
	uint64_t edges, used;			/* of the dependency graph; in use at the end */
	uint32_t n_blocked;
	struct nue_turn *blocked; /* restrictions, sorted by channel */
	uint64_t searches, merges;
	uint32_t backtracked, shortcuts, fallbacks; /* numbers of LIDs */
	/*
	 * The number of dependencies that routes make but OpenSM has not recorded, and whether the routes of
	 * the layer (to its own LIDs, including switches) have a credit loop. Both are rare, and checked only
	 * where they are possible.
	 */
	uint32_t unrecorded;
	bool loop;
};

/* The engine's own results; reference counted. */
struct nue {
	atomic_uint refs;
	/* At a step of a recording: the whole run, with graph and lists of LIDs. Reference held, or NULL. */
	const struct nue *whole;
	struct nue_graph *graph;
	struct nue_vls vls;
	struct nue_layer layer[NUE_MAX_LAYERS];
	bool include_switches;
	uint16_t max_lid;
	uint8_t *sl_of;	       /* [max_lid + 1] layer of a LID, NUE_NO_LAYER = never routed */
	uint8_t *event;	       /* [max_lid + 1] enum nue_event */
	uint32_t n_edges;      /* dependencies, including those of a channel on its own reverse */
	uint64_t first_weight; /* of every channel at the beginning */
	uint64_t *weight;      /* [n_channels] at the end */
};

/* NULL unless Nue made the routing (the unicast cache may keep it). */
const struct nue *nue_of(const struct routing *r);

/* The number of layers (some may be empty), and the layer of a LID (NUE_NO_LAYER = never routed). */
unsigned nue_layers(const struct nue *n);
unsigned nue_layer_of(const struct nue *n, unsigned lid);
unsigned nue_events_of(const struct nue *n, unsigned lid); /* enum nue_event */

/* The central switch of a layer, NO_ID = the layer is empty. */
uint32_t nue_central_switch(const struct nue *n, unsigned layer);
bool nue_in_hull(const struct nue *n, unsigned layer, uint32_t sw);
double nue_betweenness(const struct nue *n, unsigned layer, uint32_t sw);
/*
 * The port of a switch that leads along the escape tree to the central switch. 0: it is the central switch.
 * NO_PATH: the layer is empty, or sw takes no part.
 */
unsigned nue_escape_port(const struct nue *n, unsigned layer, uint32_t sw);
/* Links from a switch to the central switch along the tree. NO_ID when there is no port. */
uint32_t nue_escape_depth(const struct nue *n, unsigned layer, uint32_t sw);

/* The number of restrictions of a layer, and the i-th one. */
uint32_t nue_restrictions(const struct nue *n, unsigned layer);
struct nue_turn nue_restriction(const struct nue *n, unsigned layer, uint32_t i);

/* Destination LIDs in the order of routing; *n is their number. The caller frees the list. */
uint16_t *nue_destinations(const struct routing *r, uint32_t *n);

/*
 * Adds the growth caused by a part of nue_destinations() to growth[port id] ([n_ports]). False when
 * cancelled. Costs LIDs * switches.
 */
bool nue_add_routes(const struct routing *r, struct lids_part lids, uint32_t *growth, struct progress *p);

/*
 * Lists switches whose way to a LID is longer than necessary. list has room for n_switches. Returns their
 * number. Each call does a breadth-first search.
 */
uint32_t nue_detours(const struct routing *r, unsigned lid, struct nue_detour *list);

/* Declarations shared by the files of Nue. */

/* --- run.c: the switch graph --------------------------------------------------------------- */

/* Hops of all nodes from node u into d; NO_ID if there is no way. queue: [nodes]. */
void nue_hops_from(const struct nue_graph *g, uint32_t u, uint32_t *d, uint32_t *queue);

struct nue *nue_ref(const struct nue *n);
void nue_unref(const struct nue *n); /* NULL is fine */
void nue_let_go(void *n);	     /* nue_unref(), for a routing or a recording */

/* --- ccdg.c ------------------------------------------------------------------------------------ */

/*
 * The complete channel dependency graph of a fabric, and its state in a layer (engines/doc/nue.md 9, 10): the
 * dependencies in use, and those that would close a cycle.
 *
 * Its vertices are the channels 0 .. n_channels - 1, and behind them one fake channel per node (n_channels +
 * node), at which a search begins. A dependency c -> x of a channel c into v has the index nue_edge_of(c, x),
 * where x is a channel that leaves v. The dependency of c on its own reverse is BLOCKED.
 *
 * Colours. In OpenSM, each vertex and edge has a colour id, and a table gives the colour of each id. Here
 * vertices and edges have the number of a slot, and slots have ids. OpenSM replaces an id everywhere after
 * each destination; here only a few slots change.
 *
 * Cycles. OpenSM searches the coloured graph. Here a topological order of it is maintained while dependencies
 * are added (D. J. Pearce, P. H. J. Kelly, A Dynamic Topological Sort Algorithm for Directed Acyclic Graphs,
 * ACM Journal of Experimental Algorithmics 11, 2007). It answers most questions without a search. A search
 * goes from both ends in turn, and the side that ends first moves to the other end (M. A. Bender, J. T.
 * Fineman, S. Gilbert, R. E. Tarjan, A New Approach to Incremental Cycle Detection and Related Problems, ACM
 * Transactions on Algorithms 12, 2016).
 */
enum { NUE_BLOCKED, NUE_UNUSED, NUE_ESCAPE, NUE_FIRST_COLOUR };

struct nue_wet {
	uint32_t *of;
	size_t n, cap;
};

struct nue_ccdg {
	const struct nue_graph *g;
	uint32_t n_vertices, n_edges;
	uint32_t *first_edge; /* [n_vertices] index of the edge to channel first[to], minus first[to] */
	uint16_t *edge;	      /* [n_edges] slot */
	/*
	 * A bit for each edge, for searches. used: is it in use, its colour above UNUSED?  led: of the edge
	 * c -> x: is rev[x] -> rev[c] in use? So the channels that lead to one are in a row, too.
	 */
	uint64_t *used, *led;
	uint16_t *vertex; /* [n_vertices] slot */
	/* painted for the current destination: is an edge, and lists */
	uint8_t *edge_wet;
	struct nue_wet wet_edges, wet_vertices; /* of an edge both ends, in turn */
	/* colours */
	uint32_t n_slots;
	uint32_t *slot; /* [n_slots] colour id */
	uint32_t *real; /* [n_colours] colour of an id */
	uint32_t n_colours;
	/* the order of channels: coloured edges lead from lower to higher, unless cyclic */
	uint32_t *order;       /* [n_channels] */
	uint32_t *next, *prev; /* [n_channels + 1] a list in this order; n_channels is before and behind it */
	uint32_t *mark;	       /* [n_channels] epoch of the search that met it last; + 1: it went back */
	uint32_t epoch;
	uint32_t *queue, *before; /* [n_channels] scratch for searches */
	uint64_t *sort;		  /* [n_channels] */
	bool cyclic;		  /* a merge closed a cycle: the order is useless in this layer */
	bool endless;		  /* OpenSM's search would never end in it */
	/* counts of the layer, for those who ask */
	uint64_t searches, blocked, merges;
};

struct nue_ccdg *nue_ccdg_new(const struct nue_graph *g);
void nue_ccdg_free(struct nue_ccdg *d); /* NULL is fine */

/* Begins a layer: nothing is in use. Colour ids will be 0 .. n_colours - 1. */
void nue_ccdg_reset(struct nue_ccdg *d, uint32_t n_colours);

/*
 * Marks a channel or a dependency as part of the escape paths; then nue_ccdg_order() orders the channels. If
 * nothing else decides, channels of lower rank come first.
 */
static inline void nue_mark_channel(struct nue_ccdg *d, uint32_t c)
{
	d->vertex[c] = NUE_ESCAPE;
}
void nue_mark_edge(struct nue_ccdg *d, uint32_t c, uint32_t x);
void nue_ccdg_order(struct nue_ccdg *d, const uint32_t *rank);

static inline uint32_t nue_fake(const struct nue_ccdg *d, uint32_t node)
{
	return d->g->n_channels + node;
}

/* The node into which a vertex leads. */
static inline uint32_t nue_end(const struct nue_ccdg *d, uint32_t c)
{
	return c < d->g->n_channels ? d->g->to[c] : c - d->g->n_channels;
}

static inline uint32_t nue_start(const struct nue_ccdg *d, uint32_t c)
{
	return c < d->g->n_channels ? d->g->from[c] : c - d->g->n_channels;
}

/* The colour of a vertex. */
static inline uint32_t nue_colour(const struct nue_ccdg *d, uint32_t c)
{
	return d->real[d->slot[d->vertex[c]]];
}

static inline uint32_t nue_edge_of(const struct nue_ccdg *d, uint32_t c, uint32_t x)
{
	return d->first_edge[c] + x;
}

/* Is the edge in use (its colour above UNUSED)? */
static inline bool nue_used(const struct nue_ccdg *d, uint32_t e)
{
	return d->edge[e] > NUE_UNUSED;
}

/* Begins a destination of colour s at a node. Returns the node's fake channel. */
uint32_t nue_begin(struct nue_ccdg *d, uint32_t node, uint32_t s);

/*
 * Takes the dependency h -> x into the subgraph of colour s. If that would close a cycle, returns true, and
 * the dependency stays BLOCKED in this layer.
 */
bool nue_try(struct nue_ccdg *d, uint32_t h, uint32_t x, uint32_t s);

/* Takes the dependency c -> x back if it was painted for the current destination. */
void nue_unpaint(struct nue_ccdg *d, uint32_t c, uint32_t x);

/* Ends a destination: keeps what its tree used[] (channel into each node, or NO_ID), takes back the rest. */
void nue_end_destination(struct nue_ccdg *d, const uint32_t *used, uint32_t src);

/*
 * Finds a way h <- ... <- x over dependencies in use, which is the cycle that h -> x would close. Puts its
 * channels, from x to h, into way ([n_channels]), and returns their number, or 0.
 */
uint32_t nue_way_back(struct nue_ccdg *d, uint32_t h, uint32_t x, uint32_t *way);

/* --- a run --------------------------------------------------------------------------------------- */

struct nue_record;

/* What put the last channel into a node. */
enum nue_how { NUE_BY_SEARCH, NUE_BY_BACKTRACKING, NUE_BY_WAY_AROUND, NUE_BY_SHORTCUT };

/* Channels kept for backtracking: other ways into a node, in the order in which they were met. */
struct nue_stacks {
	bool made; /* false: the channels must still be collected from expanded[] */
	uint32_t n_expanded;
	/*
	 * [n] nodes in the order of their expansion, also in a tree without restrictions. Without
	 * backtracking all nodes are in it at the end, each behind the one from which it is reached.
	 */
	uint32_t *expanded;
	uint32_t *accepted;    /* [n_channels] last destination (serial) that took it as a way */
	uint32_t *head, *tail; /* [n] channel, or NO_ID */
	uint32_t *next;	       /* [n_channels] channel, or NO_ID */
	uint32_t *member;      /* [n_channels] last destination (serial) that put it on a stack */
};

struct nue_hop {
	uint32_t to, weight; /* NUE_INF at most */
};

struct nue_run {
	const struct engine_input *in;
	struct engine_output *out;
	struct nue *nue;
	struct nue_graph *g;
	struct nue_ccdg *d;
	struct routing *r;
	struct nue_record *record; /* NULL when nobody records */
	/* per node, for choices; NULL when nobody asks and nobody records */
	uint8_t *how;		 /* enum nue_how */
	uint32_t *links;	 /* to the destination, by the final ways */
	int64_t *far;		 /* weight of these links */
	struct rec_offer *offer; /* [MAX_PORTS] scratch */
	uint64_t *weight;	 /* [n_channels] */
	struct nue_hop *hop;	 /* [n_channels] what a search asks of a channel */
	struct heap4 heap;	 /* nodes by distance */
	uint32_t *lightest;	 /* [n] no channel into the node weighs less */
	uint32_t turn;		 /* counts routes; whose lightest channel is found next */
	/* the search for one destination; per node */
	uint64_t *dist;
	uint32_t *used;	     /* channel by which it is reached, or NO_ID */
	uint32_t *found;     /* step in which it was reached first, NO_ID: before backtracking */
	uint64_t *cd;	     /* [vertices] distance to the end of a channel, set for channels in question */
	uint32_t *candidate; /* [n_channels] scratch */
	struct nue_stacks stacks;
	uint32_t serial; /* number of the destination, from 1 */
	uint32_t colour, src, count, step;
	unsigned layer;
	unsigned events; /* enum nue_event of the destination */
	/* scratch for trees and weights, per node */
	uint32_t *children, *queue;
	uint64_t *sum;
	uint64_t *all_far;   /* a heap with all nodes at NUE_INF */
	struct columns done; /* entries of the LIDs before */
};

/* --- the steps, in order --------------------------------------------------------------------- */

/* search.c: the hull of a layer, and the root with the largest betweenness. False when cancelled. */
bool nue_find_hull(struct nue_run *x, struct nue_layer *l);
bool nue_find_root(struct nue_run *x, struct nue_layer *l);

/*
 * search.c: the tree of shortest paths by weight from a node. tree[v] is the channel into v, or NO_ID for the
 * root and unreached nodes.
 */
void nue_tree(struct nue_run *x, uint32_t root, uint32_t *tree);

/* Marks the escape paths of a layer in the dependency graph, and orders the graph. */
void nue_mark_escape(struct nue_run *x, struct nue_layer *l);

/*
 * search.c: routes a LID of node src in a colour, into used[]. -1, out->refused and out->fatal when OpenSM
 * could not continue.
 */
int nue_search(struct nue_run *x, unsigned lid, uint32_t src, uint32_t colour);

/* Why backtracking does not take a way; NUE_TAKEN: it does. */
enum nue_verdict {
	NUE_TAKEN,
	NUE_KEPT_ASIDE,	    /* usable, but another way was taken before it */
	NUE_STAYS_BLOCKED,  /* its own dependency was refused before */
	NUE_LEADER_BLOCKED, /* the dependency into the neighbour was refused before */
	NUE_CYCLE,	    /* one of the two would close a cycle */
	NUE_FROM_SOURCE,    /* it comes from the destination's switch */
	NUE_TURNS_BACK,	    /* the switch before the neighbour is itself reached over it */
	NUE_VERDICTS
};

/* A way that backtracking examines: u sends to the end of c by h's reverse, which sends on by c's. */
struct nue_way {
	uint32_t u, h, c;
	uint32_t number, of; /* its number among the candidates, from 1; their number */
	uint32_t from, to;   /* the dependency (of channels) that forbids it, or NO_ID */
};

/* T_COLOUR: the state of a dependency in a layer, at layer * n_edges + nue_edge_of(). */
enum nue_use {
	USE_NONE,
	USE_ESCAPE,  /* reserved for the escape paths */
	USE_KEPT,    /* by the routes of an earlier LID */
	USE_PRESENT, /* by the current search */
	USE_BLOCKED  /* it would close a cycle */
};

/* Rules of events. Choices have an enum why_rule, BACKTRACK an enum nue_verdict. */
enum { HULL_MEMBER, HULL_BETWEEN };
enum { LOOK_NOT_SHORTER, LOOK_BLOCKED };
enum { SHORTCUT_TAKEN, SHORTCUT_REFUSED };

#define NUE_OUTSIDE_LAYERS 255 /* port of a TARGET outside the layers; else it is the layer */

/* events.c: what is recorded. Call these only with x->record. */
struct nue_record *nue_record_new(struct nue_run *x);
void nue_record_free(struct nue_record *k); /* NULL is fine */
void nue_record_layer(struct nue_run *x);
void nue_record_hull(struct nue_run *x, uint32_t u, uint32_t i, uint32_t j); /* NO_ID: a destination */
void nue_record_centre(struct nue_run *x, uint32_t root);
void nue_record_escape(struct nue_run *x, const struct nue_layer *l, uint32_t u);
void nue_record_mark(struct nue_run *x, uint32_t e);
void nue_record_layer_done(struct nue_run *x);
void nue_record_begin(struct nue_run *x, unsigned lid, uint32_t src, bool outside);
bool nue_record_try(struct nue_run *x, uint32_t h, uint32_t c);
void nue_record_expand(struct nue_run *x, uint32_t cur);
void nue_record_reach(struct nue_run *x, uint32_t v);
void nue_record_unpaint(struct nue_run *x, uint32_t e);
void nue_record_backtrack(struct nue_run *x, const struct nue_way *w, enum nue_verdict verdict);
/* forbids: a node that cannot be reached over the shortcut; NO_ID: the shortcut is taken. */
void nue_record_shortcut(struct nue_run *x, uint32_t v, uint32_t old, uint32_t now, uint32_t forbids);
void nue_record_fallback(struct nue_run *x);
void nue_record_end_search(struct nue_run *x);
void nue_record_tree(struct nue_run *x); /* for a LID that is routed outside the layers */
void nue_record_routed(struct nue_run *x);

/* nue_try(), and records it. */
static inline bool nue_refused(struct nue_run *x, uint32_t h, uint32_t c)
{
	return x->record ? nue_record_try(x, h, c) : nue_try(x->d, h, c, x->colour);
}

/* nue_unpaint(), and records it. */
static inline void nue_take_back(struct nue_run *x, uint32_t h, uint32_t c)
{
	nue_unpaint(x->d, h, c);
	if (x->record)
		nue_record_unpaint(x, nue_edge_of(x->d, h, c));
}

static inline uint32_t nue_in_hop(uint64_t weight)
{
	return (uint32_t)(MIN(weight, NUE_INF));
}

/* The channel from which the search continues at a node. */
static inline uint32_t nue_way_into(const struct nue_run *x, uint32_t node)
{
	return node == x->src ? nue_fake(x->d, node) : x->used[node];
}

/*
 * All nodes are reached: can one that left the heap at this distance still shorten the way to another? Not if
 * the lightest channel into none makes up for it. *most: 0 before the first question; then the distance from
 * which on none can, since distances only shrink.
 */
static inline bool nue_may_shorten(const struct nue_run *x, uint32_t dist, uint32_t *most)
{
	const struct heap4 *h = &x->heap;

	for (uint32_t i = *most ? h->n : 0; i < h->n; i++) {
		uint32_t d = heap4_key(h->item[i]) - x->lightest[(uint32_t)h->item[i]];

		*most = d > *most ? d : *most;
	}
	return dist < *most;
}

/* No node can be reached by a shorter way any more: ends the search at a node that left the heap. */
static inline void nue_stop(struct nue_run *x, uint32_t node)
{
	uint32_t *list = x->stacks.expanded + x->stacks.n_expanded;

	*list++ = node;
	for (uint32_t i = 0; i < x->heap.n; i++)
		*list++ = (uint32_t)x->heap.item[i];
	heap4_clear(&x->heap);
}

/* --- choices ------------------------------------------------------------------------------------- */

/* Quantities of an offer. */
enum { NUE_LINKS, NUE_DISTANCE, NUE_WEIGHT, NUE_IS_BLOCKED };

/* What led a node to its port for a LID. */
struct nue_cause {
	uint32_t v, src; /* nodes: the one that sends, and the one of the LID */
	uint16_t lid;
	uint8_t port;
	enum why_rule rule;
	unsigned n_offers;
	struct rec_offer *offer; /* the channels of v; none for src */
	const struct rec_offer *own;
	/*
	 * lighter: an offer that could beat the own one, but is blocked or was met later. next: the nearest
	 * open one. NULL: there is none
	 */
	const struct rec_offer *lighter, *next;
};

/* events.c: tells and records the entries of a LID. */
void nue_choices(struct nue_run *x, unsigned lid, uint32_t src);
/* Which figures decide for the own offer against another (o is NULL: there is no other). */
enum why_rule nue_rule_of(const struct rec_offer *own, const struct rec_offer *o);

/* tell.c: what those who ask hear; the others are for operations and the scheme. */
void nue_tell_choice(const struct nue_run *x, const struct nue_cause *cause);
extern const struct rec_scheme nue_scheme;

/* tell.c */
extern const struct routing_ops nue_ops;

#endif
