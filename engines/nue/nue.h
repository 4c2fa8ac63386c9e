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

#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/routing/routing.h"
#include "engines/nue/graph.h"

#define NUE_MAX_LAYERS 15
#define NUE_NO_LAYER 255

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
	/*
	 * At a step of a recording: the whole run, which has the graph and lists of LIDs. Reference held, or
	 * NULL.
	 */
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
 * Adds the growth caused by lids[from] to lids[n - 1] of nue_destinations() to growth[port id] ([n_ports]).
 * False when cancelled. Costs (n - from) * switches.
 */
bool nue_add_routes(const struct routing *r, const uint16_t *lids, uint32_t from, uint32_t n,
		    uint32_t *growth, struct progress *p);

/*
 * Lists switches whose way to a LID is longer than necessary. list has room for n_switches. Returns their
 * number. Each call does a breadth-first search.
 */
uint32_t nue_detours(const struct routing *r, unsigned lid, struct nue_detour *list);

/* At a step of a recording: will the run route this LID later? */
bool nue_not_yet(const struct nue *n, unsigned lid);

#endif
