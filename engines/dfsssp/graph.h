/*
 * The graph that SSSP and DFSSSP work on, and their order of destinations
 * (engines/doc/dfsssp.md 3, 4).  Vertices are the switches that are up, in GUID
 * order, from 0.  Each cable between two switches is two edges, and an edge is
 * a channel as well: what leaves `from` through `port`.
 *
 * Searches run from the destination outwards: a search that goes along an edge
 * puts routes on its mate, the channel the other way.
 */
#ifndef IBSCOPE_DFSSSP_GRAPH_H
#define IBSCOPE_DFSSSP_GRAPH_H

#include "core/sm/engine.h"

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

struct ds_graph *ds_graph_new(const struct engine_input *in);
struct ds_graph *ds_graph_ref(struct ds_graph *g);
void ds_graph_unref(struct ds_graph *g); /* NULL is fine */

/* Why a destination has its place. */
enum ds_phase { DS_COMPUTE, DS_IO, DS_OTHER, DS_SWITCH };

struct ds_order {
	uint32_t *by_hosts; /* [vertices] by descending hosts[], equal ones by GUID */
	uint32_t n;
	uint32_t *endport; /* [n] destinations: CA and router ports, then switches; each once */
	uint8_t *phase;	   /* [n] enum ds_phase */
};

/* -1 and out->refused: a GUID file cannot be used. */
int ds_order_build(const struct engine_input *in, struct engine_output *out, const struct ds_graph *g,
		   struct ds_order *o);
void ds_order_copy(struct ds_order *to, const struct ds_order *o, uint32_t vertices);
void ds_order_free(struct ds_order *o);

/* Routers have a place in the order, but no routes. */
bool ds_is_routed(const struct engine_input *in, uint32_t endport);

#endif
