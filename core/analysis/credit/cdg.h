/*
 * Channel dependency graphs (W. J. Dally, C. L. Seitz, Deadlock-Free Message Routing in Multiprocessor
 * Interconnection Networks, IEEE Transactions on Computers 36(5), 1987) of any routing.  It looks only at
 * tables, SLs and VLs and knows no engine.
 *
 * A channel is a directed link on one VL, named by the port that sends.  One depends on the next when a route
 * passes both in turn.  A cycle of dependencies is a credit loop: the fabric can deadlock.  Links of CAs and
 * routers are channels too, but never part of a cycle.
 *
 * Routes lead from every present host that counts (routing.h; its base LID) to every LID of the others.  Only
 * routes that arrive count.  With `switches`, routes of all endports count, port 0 of switches among them.  A
 * route whose SL OpenSM draws at random counts once on each VL that the SLs of the range lead to.  The VL of
 * a CA's own link comes from its map; where that is not known, the VL of the route's first switch is assumed.
 *
 * With adaptive routing a route is every way that a packet may take: all ports of routing_ports() at each
 * switch.
 *
 * VL 15 is for management and no lane: a switch that maps an SL to it drops the packet (InfiniBand
 * Architecture Specification 1.3, 7.6.6).  The route ends before that channel.
 */
#ifndef IBSCOPE_CDG_H
#define IBSCOPE_CDG_H

#include <assert.h>
#include <stdio.h>
#include "core/base/progress.h"
#include "core/routing/paths.h"

#define CDG_ALL_VLS (-1)
#define CDG_VLS 16
#define CDG_DROP_VL 15
static_assert(sizeof(sl2vl_map) * 8 == CDG_VLS * 4, "a map holds a VL of four bits for each SL");

struct cdg {
	const struct routing *routing; /* reference held */
	int want;		       /* the VL for which it was made, or CDG_ALL_VLS */
	bool switches;		       /* routes of switches count as well */
	uint32_t used;		       /* bit v: routes use VL v somewhere, wanted or not */
	uint64_t vl_routes[CDG_VLS];   /* routes that begin on each VL, wanted or not */
	uint64_t dropped;	       /* routes that end where their SL leads to VL 15 */
	bool crosses;		       /* some dependency leads from one VL to another */
	/* Channels that carry routes [n_channels], by VL, then by port id. */
	uint32_t n_channels;
	uint32_t *port; /* port id that sends */
	uint8_t *vl;
	uint32_t *load; /* routes through it */
	/* Dependencies [n_deps] of channel c: from first[c] up to first[c + 1]. */
	uint32_t n_deps;
	uint32_t *first;  /* [n_channels + 1] */
	uint32_t *to;	  /* the channel depended on, ascending within a row */
	uint32_t *routes; /* number of routes that make it; at least 1 */
	/* Strongly connected components with a cycle, in order of their first channel. */
	uint32_t n_components;
	uint32_t *component; /* [n_channels] NO_ID = on no cycle */
	uint32_t *size;	     /* [n_components] channels */
	uint16_t *vls;	     /* [n_components] bit v: has a channel on VL v */
};

/*
 * Makes the graph for one VL (dependencies between channels of that VL) or for all VLs.  With all,
 * dependencies from one VL to another are included: an engine with SL2VL maps of its own may have them.  NULL
 * when cancelled.  Cost: destinations x (switches x SLs + sources).
 */
struct cdg *cdg_new(const struct routing *r, int vl, bool switches, struct progress *p, struct err *e);
/*
 * Makes a graph only for judging credit loops between hosts, on all VLs.  If there are none, it may lack what
 * is not needed to know that (channels of hosts, load[], routes[], vl_routes[]).
 */
struct cdg *cdg_new_loops(const struct routing *r, struct progress *p, struct err *e);
/*
 * The graph that shows one VL.  If SL2VL maps can lead its routes to other VLs: the graph of all VLs.
 * Otherwise the graph of this VL.
 */
struct cdg *cdg_for_vl(const struct routing *r, int vl, bool switches, struct progress *p, struct err *e);
/*
 * For a graph that the caller made on the topology of c->routing: fills in component[], n_components, size[]
 * and vls[] from channels and dependencies.  load[] and routes[] may be NULL.  false: cancelled.
 */
bool cdg_find_components(struct cdg *c, struct progress *p);

uint32_t cdg_find(const struct cdg *c, uint32_t port, unsigned vl); /* channel; NO_ID: no traffic */
bool cdg_at_host(const struct cdg *c, uint32_t channel);	    /* does it lead to or from a host? */
uint32_t cdg_dependency(const struct cdg *c, uint32_t from, uint32_t to); /* index in to[], NO_ID */

/* [n_switches] bit v: links to other switches carry routes on VL v, in either direction; the caller frees. */
uint16_t *cdg_switch_vls(const struct cdg *c);

/* The number of components below an index that touch a VL; CDG_ALL_VLS: any VL. */
uint32_t cdg_components_below(const struct cdg *c, int vl, uint32_t component);
/* The n-th component that touches it, from 0, or NO_ID. */
uint32_t cdg_component_on(const struct cdg *c, int vl, uint32_t n);

/*
 * Finds a shortest cycle of a component: channels in order; the first follows the last. cycle: room for
 * size[component].  Returns their number, or 0 when p (may be NULL) was cancelled.
 */
uint32_t cdg_cycle(const struct cdg *c, uint32_t component, uint32_t *cycle, struct progress *p);

struct cdg_route {
	uint32_t source; /* endport */
	uint16_t slid, dlid;
};

/*
 * Lists the routes that make a dependency, by DLID, then by source.  At most max are stored.  Returns the
 * number stored.  It is smaller than what routes[] counts when p (may be NULL) was cancelled.
 */
size_t cdg_routes(const struct cdg *c, uint32_t dependency, struct cdg_route *route, size_t max,
		  struct progress *p);

/*
 * Writes it as Graphviz text: one strongly connected component on all its VLs; or (NO_ID) the channels of a
 * VL between switches (CDG_ALL_VLS: all), with the channels of other VLs that depend on them or on which they
 * depend.  Channels on cycles stand out.  -1: the stream failed, or p (may be NULL) was cancelled.
 */
int cdg_write_dot(FILE *f, const struct cdg *c, int vl, uint32_t component, struct progress *p);

#endif
