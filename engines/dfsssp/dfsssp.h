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

/*
 * Destination LIDs in the order of routing (at a step: so far); *n is their number. The caller frees the
 * list.
 */
uint16_t *dfsssp_destinations(const struct routing *r, uint32_t *n);

/*
 * Counts routes in the course of the run: adds the routes to lids[from] to lids[n - 1] of
 * dfsssp_destinations() to routes[port id] ([n_ports]). False when cancelled. Costs (n - from) * switches.
 */
bool dfsssp_add_routes(const struct routing *r, const uint16_t *lids, uint32_t from, uint32_t n,
		       uint32_t *routes, struct progress *p);

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

#endif
