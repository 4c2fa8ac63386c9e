/*
 * SSSP (T. Hoefler, T. Schneider, A. Lumsdaine, Optimized Routing for Large-Scale
 * InfiniBand Networks, HOTI 2009) and DFSSSP (J. Domke, T. Hoefler, W. E. Nagel,
 * Deadlock-Free Oblivious Routing for Arbitrary Topologies, IPDPS 2011) as OpenSM
 * 3.3.23: for one destination LID after the other the shortest ways from all
 * switches, where each route makes the cables it takes longer for those to come.
 * DFSSSP then puts pairs of LIDs in layers without cycles; the tables are the same.
 *
 * For panes: the accessors below, on a routing that one of the two made.
 */
#ifndef IBSCOPE_DFSSSP_H
#define IBSCOPE_DFSSSP_H

#include "engines/dfsssp/layers.h"

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

extern const struct routing_ops sssp_ops, dfsssp_ops;

/* NULL unless sssp or dfsssp made the routing; ask for routing_origin() of one that the unicast cache kept.
 */
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
 * The same over the run: routes[port id] of each channel once the first n of
 * dfsssp_destinations() were routed.  routes: [n_ports], filled.  false when
 * cancelled.  Costs n * switches; step by step it may go on from an earlier result:
 * routes of the LIDs from `from` on are added to what is there.
 */
bool dfsssp_add_routes(const struct routing *r, const uint16_t *lids, uint32_t from, uint32_t n,
		       uint32_t *routes, struct progress *p);

/* Links of the route of a switch to a LID, with the port it leaves by; HOPS_NONE of core/routing/paths.h. */
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
uint32_t dfsssp_channel_port(const struct dfsssp *d, const struct fabric *f, uint32_t channel);
/*
 * The cut that moved a class (source switch, LID) out of a layer: index in cut[],
 * NO_ID when it stayed or never was there.
 */
uint32_t dfsssp_moved_by(const struct routing *r, uint32_t sw, unsigned lid, unsigned layer);

/* struct routing_ops */
void dfsssp_layer(const struct routing *r, unsigned layer, struct layer_info *info);
bool dfsssp_next_route(const struct routing *r, unsigned layer, uint64_t *cursor, struct layer_route *lr);
bool dfsssp_pair_layer(const struct routing *r, unsigned slid, unsigned dlid, struct pair_layer *l);
struct witness *dfsssp_witness(const struct routing *r, unsigned slid, unsigned dlid, unsigned layer,
			       struct progress *p);
void dfsssp_explain_pair(const struct routing *r, unsigned slid, unsigned dlid, struct text *t,
			 struct progress *p);
void dfsssp_decide_pair(const struct routing *r, unsigned slid, unsigned dlid, struct decided *d);
void dfsssp_explain_layers(const struct routing *r, struct text *t);

#endif
