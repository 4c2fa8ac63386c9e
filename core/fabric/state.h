/*
 * What is up.  A struct state is the small set of failures that a person (or the live fabric) has made.  A
 * struct topo is what the subnet manager discovers under that state: the connected part that it reaches.
 */
#ifndef IBSCOPE_STATE_H
#define IBSCOPE_STATE_H

#include "core/base/defs.h"
#include "core/fabric/fabric.h"

/*
 * Failures, in plain bytes, so that copies are cheap and tests simple.  Its maker may change it until it
 * hands it on; then it is shared and never changes.
 */
struct state {
	atomic_uint refs;
	uint32_t n_links, n_nodes;
	uint8_t *link_down; /* [n_links] 1 = failed */
	uint8_t *node_down; /* [n_nodes] 1 = failed, with all its links */
};

struct state *state_new(const struct fabric *f); /* everything up */
struct state *state_copy(const struct state *s);
bool state_equal(const struct state *a, const struct state *b);
struct state *state_ref(const struct state *s);
/*
 * Copies the failures of s to another fabric.  Nodes and cables that `from` does not have are up there, or
 * down with unknown_down.
 */
struct state *state_on(const struct state *s, const struct fabric *from, const struct fabric *to,
		       bool unknown_down);
void state_free(const struct state *s); /* lets go of a reference; NULL is fine */
struct state *state_free_later(void *arena, const struct state *state); /* counted.h */
#define AUTO_STATE __attribute__((cleanup(state_free_at)))
void state_free_at(void *variable);

/* Is a link usable: has neither it failed nor a node at its ends? */
bool state_link_up(const struct fabric *f, const struct state *s, uint32_t link);

/* The peer of a port under the state, whether or not it is reached.  NO_ID when there is none or the cable is
 * not live. */
uint32_t state_live_peer(const struct fabric *f, const struct state *s, uint32_t port);

/* The most hops that a directed route can have (IB_SUBNET_PATH_HOPS_MAX - 1 of OpenSM 3.3.23). */
#define DR_MAX_HOPS 63

/*
 * What a sweep discovers from the SM's port (engines/doc/minhop.md 1.1, 1.2 as OpenSM 3.3.23): every switch
 * port that is not down is followed.  CAs and routers end the search, and each CA port is reached on its own.
 * Ids are the fabric's own.  Nodes that are not reached have node_up 0 and no peers.  Switches DR_MAX_HOPS
 * away are reached, but their cables are not followed from them.  So a host on such a switch is not found,
 * and neither is a cable between two such switches (engines/doc/minhop.md 1.4).
 *
 * A port whose state in the source is PORT_DOWN has no peer here.
 */
struct topo {
	atomic_uint refs;
	const struct fabric *fabric; /* reference held */
	uint8_t *node_up;	     /* [n_nodes] 1 = reached */
	uint32_t *peer; /* [n_ports] port id at the other end of a live cable, NO_ID when none; loop-backs
			   included */
	uint32_t *peer_switch; /* [n_ports] for ports of switches: the switch at the other end; NO_ID: none,
				  no switch, or the same switch (loop-back) */
	uint8_t *endport_up;   /* [n_endports] 1 = reached */
	uint32_t *endport_switch; /* [n_endports] the switch to which it is connected; for a switch's port 0
				     that switch; NO_ID when none */
	uint8_t *endport_swport;  /* [n_endports] port number at that switch, 0 for a switch port 0 */
	uint32_t n_switches_up, n_endports_up, n_links_up; /* counts; links between reached ports */
	uint32_t n_cut;	     /* ports with a live cable that are not followed because of DR_MAX_HOPS */
	uint32_t sm_endport; /* where the SM runs; NO_ID when nothing is left */
	/*
	 * The SM is not at the fabric's own place.  Either that port is down, and the SM moved to the first
	 * endport (in the source's order) that is up, in the part with most hosts.  Or the place was a guess
	 * and its part has fewer hosts than another part: then sm_regard is set, and the SM is at the first
	 * endport of the other part.
	 */
	bool sm_moved, sm_regard;
	bool data; /* only cables that carry data have peers: topo_data() */
};

struct topo *topo_new(const struct fabric *f, const struct state *s);
/*
 * The same for a subnet manager that knows `before` (NULL = nothing).  It remembers cables between switches
 * DR_MAX_HOPS away that it could follow then.
 */
struct topo *topo_after(const struct fabric *f, const struct state *s, const struct topo *before);
/*
 * The same topo with the same cables, in nodes and ports of another fabric (found by node GUID and number).
 * match: [n_endports of its own fabric] endports there, NO_ID for those that are left out.
 */
struct topo *topo_on(const struct topo *t, const struct fabric *f, const uint32_t *match);
/*
 * The same topo as packets meet it when everything down under s has just failed: its cables lead nowhere, its
 * nodes are gone.  No sweep has followed, so what the subnet manager no longer reaches is still there.
 */
struct topo *topo_without(const struct topo *t, const struct state *s);
/*
 * The same topo as data packets meet it while ports are in the states that were read.  A cable whose end is
 * in Initialize or Armed (fabric_idle_end()) passes the packets that discover and program the fabric, but no
 * data, so its ports have no peer here.  Nodes stay up; a host behind such a cable is on no switch
 * (topo_mute()).  Returns a new reference; it is t itself when all cables carry data.
 */
struct topo *topo_data(const struct topo *t);
/* The number of cables in t that carry no data, given the states that were read.  *first (may be NULL) gets a
 * port of one, or NO_ID. */
uint32_t topo_idle(const struct topo *t, uint32_t *first);
/* Is an endport a host that is up, but can neither send nor receive because its own cable carries no data? */
static inline bool topo_mute(const struct topo *t, uint32_t endport)
{
	return t->data && t->endport_up[endport] && !endport_is_switch(t->fabric, endport) &&
	       t->peer[t->fabric->endport_port[endport]] == NO_ID &&
	       fabric_idle_end(t->fabric, t->fabric->endport_port[endport]) != NO_ID;
}

struct topo *topo_ref(const struct topo *t);
void topo_unref(const struct topo *t);
struct topo *topo_unref_later(void *arena, const struct topo *topo); /* counted.h */
#define AUTO_TOPO __attribute__((cleanup(topo_unref_at)))
void topo_unref_at(void *variable);

static inline bool switch_up(const struct topo *t, uint32_t sw)
{
	return t->node_up[t->fabric->switch_node[sw]];
}

/*
 * The next port after *port, up to `last`, that leads to another switch.  Returns that switch; NO_ID: none.
 */
static inline uint32_t next_cable(const struct topo *t, uint32_t *port, uint32_t last)
{
	while (*port < last)
		if (t->peer_switch[++*port] != NO_ID)
			return t->peer_switch[*port];
	return NO_ID;
}

/*
 * Loops over the live cables from a switch to other switches, in the order of its ports: `port` is the id of
 * the port, `to` the other switch.  All engines and analyses use this adjacency, since OpenSM looks at ports
 * in that order.
 */
#define FOR_CABLES(t, sw, port, to)                                        \
	for (uint32_t port = (t)->fabric->switch_port[sw], to,             \
		      port##_last = port + (t)->fabric->switch_nports[sw]; \
	     (to = next_cable(t, &port, port##_last)) != NO_ID;)

/* Does the source report the ranks of all switches (fabric.h), and is nothing down, so that they still
 * hold? */
bool topo_ranks_told(const struct topo *t);

#endif
