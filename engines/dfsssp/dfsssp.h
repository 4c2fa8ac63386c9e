/*
 * SSSP (T. Hoefler, T. Schneider, A. Lumsdaine, Optimized Routing for Large-Scale InfiniBand Networks, HOTI
 * 2009) and DFSSSP (J. Domke, T. Hoefler, W. E. Nagel, Deadlock-Free Oblivious Routing for Arbitrary
 * Topologies, IPDPS 2011) as OpenSM 3.3.23: for one destination LID after the other the shortest ways from
 * all switches, where each route makes the cables it takes longer for those to come. DFSSSP then puts pairs
 * of LIDs in layers without cycles; the tables are the same.
 *
 * For panes: the accessors below, on a routing that one of the two made.
 */
#ifndef IBSCOPE_DFSSSP_H
#define IBSCOPE_DFSSSP_H

#include "core/sm/engine.h"

/*
 * The graph that SSSP and DFSSSP work on, and their order of destinations (engines/doc/dfsssp.md 3, 4).
 * Vertices are the switches that are up, in GUID order, from 0.  Each cable between two switches is two
 * edges, and an edge is a channel as well: what leaves `from` through `port`.
 *
 * Searches run from the destination outwards: a search that goes along an edge puts routes on its mate, the
 * channel the other way.
 */
struct ds_graph {
	atomic_uint refs;
	uint32_t n;   /* vertices */
	uint32_t *sw; /* [n] switch id in the fabric */
	uint32_t *id; /* [n_switches] vertex, NO_ID = not up */
	uint32_t n_edges;
	uint32_t *first;     /* [n + 1] first edge that leaves a vertex; by ascending port */
	uint32_t *from, *to; /* [n_edges] vertices */
	uint8_t *port;	     /* [n_edges] port number at `from` */
	uint8_t *to_port;    /* [n_edges] port number at `to` */
	uint32_t *mate;	     /* [n_edges] the same cable the other way */
	uint32_t *of_port;   /* [n_ports] edge that leaves a port of a switch, NO_ID = none */
	uint32_t *hosts;     /* [n] LIDs of a vertex: its port 0 and what hangs on it, routers too */
	uint32_t lids;	     /* of all CA ports and switches */
	uint64_t start;	     /* weight of every edge at first: lids squared */
	uint32_t throttled;  /* cables left out by avoid_throttled_links */
};

/* Why a destination has its place. */
enum ds_phase { DS_COMPUTE, DS_IO, DS_OTHER, DS_SWITCH };

struct ds_order {
	uint32_t *by_hosts; /* [vertices] by descending hosts[], equal ones by GUID */
	uint32_t n;
	uint32_t *endport; /* [n] destinations: CA and router ports, then switches; each once */
	uint8_t *phase;	   /* [n] enum ds_phase */
};

/*
 * Virtual layers of DFSSSP (engines/doc/dfsssp.md 6): pairs of LIDs start in layer 0; as long as a layer's
 * channel dependency graph has a cycle, the cycle's weakest dependency is cut and the pairs that make it move
 * one layer up.
 *
 * All LIDs of the CA ports of a switch take the same way to a LID, so they move together: what has a layer is
 * a class, (source switch, destination LID).  Pairs whose source is a switch, or both ends of which hang on
 * one switch, make no dependency and stay in layer 0.
 */
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

static inline unsigned ds_layer_of(const struct ds_layers *l, uint32_t source, unsigned lid)
{
	return l->layer ? l->layer[(size_t)lid * l->n_sources + source] : 0;
}

struct dfsssp {
	struct ds_graph *graph;
	struct ds_order order;
	uint32_t *weight;	  /* [n_edges] of the graph, after the last destination */
	struct ds_layers *layers; /* NULL: sssp */
	/* a step of a recorded run */
	bool partial;	 /* it is one */
	bool unlayered;	 /* pairs have no layers yet */
	uint32_t n_lids; /* destination LIDs routed so far */
};

/* NULL unless sssp or dfsssp made the routing; of one that the unicast cache kept ask routing_origin(). */
const struct dfsssp *dfsssp_of(const struct routing *r);

/* --- weights ----------------------------------------------------------------------------- */

/* Weight of every channel before the first destination: (LIDs of CAs and switches) squared. */
uint64_t dfsssp_start_weight(const struct dfsssp *d);

/*
 * Weight of the channel that leaves a port of a switch (port id) in the end; 0
 * where there is none.  What it is above the start is the number of routes on it:
 * from each LID on each switch (port 0 and routers included) to each LID.
 */
uint64_t dfsssp_weight(const struct dfsssp *d, uint32_t port);

/* Destination LIDs in the order in which they were routed (caller frees), *n of them; at a step so far. */
uint16_t *dfsssp_destinations(const struct routing *r, uint32_t *n);

/*
 * The same over the run: routes[port id] of each channel once the first n of dfsssp_destinations() were
 * routed.  routes: [n_ports], filled.  false when cancelled.  Costs n * switches; step by step it may go on
 * from an earlier result: routes of the LIDs from `from` on are added to what is there.
 */
bool dfsssp_add_routes(const struct routing *r, const uint16_t *lids, uint32_t from, uint32_t n,
		       uint32_t *routes, struct progress *p);

/* Cables between switches on the route of a switch to a LID; HOPS_NONE of core/routing/paths.h. */
unsigned dfsssp_hops(const struct routing *r, uint32_t sw, unsigned lid);

/* --- layers (dfsssp) -------------------------------------------------------------------------- */

/* Layers needed, numbered from 0; 0 for sssp. */
unsigned dfsssp_layers(const struct dfsssp *d);
/* Layer of the routes from the CA ports of a switch to a LID. */
unsigned dfsssp_layer_of(const struct dfsssp *d, uint32_t sw, unsigned lid);
/* SLs of a layer. */
struct sl_range dfsssp_lanes(const struct dfsssp *d, unsigned layer);
/* Cuts of a layer: from cut[*first] on, their number. */
uint32_t dfsssp_cuts(const struct dfsssp *d, unsigned layer, uint32_t *first);
/* Port id of the sender of a channel (an edge of the graph). */
static inline uint32_t dfsssp_channel_port(const struct ds_graph *g, const struct fabric *f, uint32_t channel)
{
	return switch_port_id(f, g->sw[g->from[channel]], g->port[channel]);
}
/* The cut that moved a class (source switch, LID) out of a layer: index in cut[]; NO_ID: none did. */
uint32_t dfsssp_moved_by(const struct routing *r, uint32_t sw, unsigned lid, unsigned layer);

#endif
