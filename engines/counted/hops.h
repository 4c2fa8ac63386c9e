/*
 * Hop matrices: what it costs to reach a switch from a switch through a port (engines/doc/minhop.md section
 * 4), and the ports of least cost as bit masks.
 *
 * Two shapes behind one interface.  A plain matrix holds only the least costs: the cost through a port is its
 * weight plus the least cost of the switch at its other end.  A full one has a value for every port, which
 * may be anything (updn, dnup, hop files, leftovers of a refused engine).
 */
#ifndef IBSCOPE_HOPS_H
#define IBSCOPE_HOPS_H

#include "core/base/defs.h"
#include "core/sm/engine.h"

/* Immutable once made, shared by reference; of one fabric, but of no particular state of it. */
struct hops {
	atomic_uint refs;
	uint32_t n_switches, n_ports; /* of the fabric */
	uint8_t *least;	 /* [n_switches * n_switches] least[s * n_switches + d]; NO_PATH = none */
	uint8_t *weight; /* [n_ports] weight of leaving through a port; NULL = 1 everywhere */
	/*
	 * Levelled (plain otherwise): Up/Down on a fabric without cables within a level, 0 = top.  A port
	 * downwards reaches only what is below the switch at its other end: least + its level = level of the
	 * target.  Targets with open 0xff are free of that.  NULL = not levelled.
	 */
	uint8_t *level;	  /* [n_switches] */
	uint8_t *open;	  /* [n_switches] */
	uint8_t *by_port; /* full: by_port[d * n_ports + port id]; NULL = plain */
};

/* Bytes of matrices for a fabric: so many plain ones, and full ones. */
size_t hops_size(const struct fabric *f, unsigned plain, unsigned full);
/* As struct engine's room(): of engines that make one by hops_build(). */
size_t hops_build_room(const struct engine_input *in, const char **what);
/* A matrix without any path; full: with values by port, all NO_PATH (the caller fills both). */
struct hops *hops_new(const struct fabric *f, bool full);
/* A levelled one: all levels 0, nothing open, no path (the caller fills level, open and least). */
struct hops *hops_new_levelled(const struct fabric *f);
/* Costs of s become those of its neighbour r plus 1 where that is less. */
void hops_relax_row(struct hops *h, uint32_t s, uint32_t r);
struct hops *hops_ref(const struct hops *h);
void hops_unref(const struct hops *h);

static inline unsigned hops_least(const struct hops *h, uint32_t s, uint32_t d)
{
	return h->least[(size_t)s * h->n_switches + d];
}

/* Cost from s to d through a port; port 0: the least. */
unsigned hops_value(const struct hops *h, const struct topo *t, uint32_t s, uint32_t d, unsigned port);

/* 64-bit words in the mask of the ports (0 .. N) of a switch. */
static inline unsigned mask_words(const struct fabric *f, uint32_t sw)
{
	return (f->switch_nports[sw] + 64u) / 64;
}

/*
 * Ports of a switch that have the least cost, for every target: bit p of the words mask[d * words ...].  Port
 * 0 and ports without a live cable are never in.  Undefined for targets without a path and for d = s.
 */
void hops_masks(const struct hops *h, const struct topo *t, uint32_t s, uint64_t *mask);

/*
 * Min Hop's matrix of the topology, with the weights of hop_weights_file and what a refused engine left
 * (engines/doc/minhop.md 4, 10.1).  Bad lines of the file become notes.  NULL when cancelled.  O(links *
 * switches / 64) per unit of diameter without weights, O(switches * links) with.
 */
struct hops *hops_build(const struct engine_input *in, struct engine_output *out);

/*
 * OpenSM's matrix has a column a LID, not a switch: switches with the same base LID
 * share one (the least of them counts), and a switch without LID has none.  True
 * when there are such switches; a plain matrix h (NULL: only look) is then changed to that.
 */
bool hops_share_lids(struct hops *h, const struct topo *t, const struct lids *l);

/*
 * The matrix of topology `now` from the plain one without weights of `was`,
 * when cables only went away in between; NULL otherwise.  Adds to touched
 * [n_switches] every switch whose mask or cost for any target may differ.
 */
struct hops *hops_update(const struct hops *old, const struct topo *was, const struct topo *now,
			 uint8_t *touched);

/* routing_ops of engines whose private table is a struct hops: the hop matrix, nothing else. */
extern const struct routing_ops hops_routing_ops;

#endif
