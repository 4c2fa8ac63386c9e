/*
 * Nue (J. Domke, T. Hoefler, S. Matsuoka, Routing on the Dependency Graph: A New Approach to Deadlock-Free
 * High-Performance Routing, HPDC 2016) as OpenSM 3.3.23 built without METIS: destinations are dealt to layers
 * (SLs) in turn, and routed one by one within the complete channel dependency graph of the fabric, where a
 * dependency that would close a cycle is not used; what cannot be reached that way follows a spanning tree
 * whose paths were reserved (engines/doc/nue.md).
 *
 * For panes: the accessors, on a routing that Nue made.  Switches are the fabric's ids, LIDs the subnet's;
 * layers count from 0 and are SLs when there are several.
 */
#ifndef IBSCOPE_NUE_H
#define IBSCOPE_NUE_H

#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/routing/routing.h"
#include "engines/nue/graph.h"

#define NUE_MAX_LAYERS 15
#define NUE_NO_LAYER 255

/* The number of layers, and its reason (engines/doc/nue.md 5). */
struct nue_vls {
	unsigned supported; /* VLs that every port has: 1, 2, 4, 8, 15 */
	uint32_t port;	    /* port id of a switch that sets this limit; NO_ID: no port counts */
	unsigned asked;	    /* nue_max_num_vls; 0 = as many as supported */
	bool qos;	    /* without it there is one layer */
	unsigned layers;
};

/* What happened while a LID was routed: bits. */
enum nue_event {
	NUE_ROUTED = 1,	     /* within the dependency graph of its layer */
	NUE_OUTSIDE = 2,     /* a switch routed after the layers, without regard to cycles */
	NUE_BACKTRACKED = 4, /* a switch was only reached by leading another one differently */
	NUE_SHORTCUT = 8,    /* ... which opened a shorter way to a third */
	NUE_FALLBACK = 16,   /* all switches follow the escape paths */
};

/* A turn that no route of the layer may make: at switch sw, in by a port, out of a port. */
struct nue_turn {
	uint32_t sw;
	uint8_t in, out;
};

/* A switch whose way to a LID is longer than it would have to be; links between switches. */
struct nue_detour {
	uint32_t sw;
	uint32_t links, least;
	/* a way of the fewest links makes no turn that the layer restricts in the end: it was open, and
	 * weights led elsewhere.  false: each of them makes one */
	bool open;
};

struct nue_layer {
	uint32_t n_lids;
	uint16_t *lid;	     /* base LIDs in the order in which they were routed */
	uint32_t root;	     /* node of the central switch, NO_ID = the layer is empty */
	uint32_t n_hull;     /* nodes on shortest paths between switches with destinations */
	uint8_t *hull;	     /* [n] 0 no, 1 drawn in, 2 has a destination of the layer */
	double *betweenness; /* [n] of hull nodes, within the hull */
	uint32_t *escape;    /* [n] channel of the spanning tree into a node, NO_ID = root */
	uint32_t escape_channels, escape_edges; /* marked before any destination was routed */
	uint64_t edges, used;			/* of the dependency graph; in use in the end */
	uint32_t n_blocked;
	struct nue_turn *blocked; /* restrictions, in the order of channels */
	uint64_t searches, merges;
	uint32_t backtracked, shortcuts, fallbacks; /* LIDs */
	/*
	 * Dependencies that its routes make though OpenSM has no record of them, and
	 * whether the routes of the layer have a credit loop (to its own LIDs, those of
	 * switches included).  Rare, and only looked for where it can be.
	 */
	uint32_t unrecorded;
	bool loop;
};

/* The engine's own tables; counted. */
struct nue {
	atomic_uint refs;
	/* A step of a recording: graph and lists of LIDs are the whole run's; reference held, or NULL. */
	const struct nue *whole;
	struct nue_graph *graph;
	struct nue_vls vls;
	struct nue_layer layer[NUE_MAX_LAYERS];
	bool include_switches;
	uint16_t max_lid;
	uint8_t *sl_of;	       /* [max_lid + 1] layer of a LID, NUE_NO_LAYER = never routed */
	uint8_t *event;	       /* [max_lid + 1] enum nue_event */
	uint32_t n_edges;      /* dependencies, those of a channel with its own reverse included */
	uint64_t first_weight; /* of every channel in the beginning */
	uint64_t *weight;      /* [n_channels] in the end */
};

/* NULL unless Nue made the routing (use_ucast_cache may have kept it since). */
const struct nue *nue_of(const struct routing *r);

/* Layers that there are (some may be empty), and that of a LID; NUE_NO_LAYER = never routed. */
unsigned nue_layers(const struct nue *n);
unsigned nue_layer_of(const struct nue *n, unsigned lid);
unsigned nue_events_of(const struct nue *n, unsigned lid); /* enum nue_event */

/* Central switch of a layer, NO_ID = the layer is empty. */
uint32_t nue_central_switch(const struct nue *n, unsigned layer);
bool nue_in_hull(const struct nue *n, unsigned layer, uint32_t sw);
double nue_betweenness(const struct nue *n, unsigned layer, uint32_t sw);
/*
 * Port of a switch that leads along the escape tree towards the central switch;
 * 0 = it is the central switch, NO_PATH = the layer is empty or sw takes no part.
 */
unsigned nue_escape_port(const struct nue *n, unsigned layer, uint32_t sw);
/* Links from a switch to the central one along the tree; NO_ID as above. */
uint32_t nue_escape_depth(const struct nue *n, unsigned layer, uint32_t sw);

/* Restrictions of a layer: their number, and the i-th. */
uint32_t nue_restrictions(const struct nue *n, unsigned layer);
struct nue_turn nue_restriction(const struct nue *n, unsigned layer, uint32_t i);

/* LIDs whose way out of a port of a switch was chosen, weighted: growth of the link's weight in the run. */
uint64_t nue_weight_growth(const struct nue *n, uint32_t sw, unsigned port);

/* Destination LIDs in the order in which they were routed (caller frees), *n of them. */
uint16_t *nue_destinations(const struct routing *r, uint32_t *n);

/*
 * The same growth over the run, by port id: that of lids[from] up to lids[n - 1] of nue_destinations() is
 * added.  growth: [n_ports].  false when cancelled.  Costs (n - from) * switches.
 */
bool nue_add_routes(const struct routing *r, const uint16_t *lids, uint32_t from, uint32_t n,
		    uint32_t *growth, struct progress *p);

/*
 * Switches whose way to a LID is longer than the fabric allows.  list: room for
 * n_switches.  Their number; breadth-first search each time.
 */
uint32_t nue_detours(const struct routing *r, unsigned lid, struct nue_detour *list);

/* At a step of a recording: will the run route a LID, and has not yet? */
bool nue_not_yet(const struct nue *n, unsigned lid);

#endif
