/*
 * Hop matrices: the cost from a switch to a switch through a port (engines/doc/minhop.md section 4), and the
 * ports of least cost as bit masks.
 *
 * There are two kinds with one interface. A plain matrix has only the least costs: the cost through a port is
 * the port's weight plus the least cost of the switch at its other end. A full one has an arbitrary value for
 * every port (updn, dnup, hop files, leftovers of a refused engine).
 */
#ifndef IBSCOPE_HOPS_H
#define IBSCOPE_HOPS_H

#include "core/base/defs.h"
#include "core/sm/engine.h"

/* Immutable once made, and shared by reference. It belongs to a fabric, but to no particular state of it. */
struct hops {
	atomic_uint refs;
	uint32_t n_switches, n_ports; /* of the fabric */
	uint8_t *least;	 /* [n_switches * n_switches] least[s * n_switches + d]; NO_PATH = none */
	uint8_t *weight; /* [n_ports] weight of leaving through a port; NULL = 1 everywhere */
	/*
	 * Levelled, otherwise plain: Up/Down on a fabric without cables within a level (0 = top). A port
	 * downwards reaches only targets below its neighbour: least + the neighbour's level = the target's
	 * level. Targets with open 0xff are exempt. NULL = not levelled.
	 */
	uint8_t *level;	  /* [n_switches] */
	uint8_t *open;	  /* [n_switches] */
	uint8_t *by_port; /* full: by_port[d * n_ports + port id]; NULL = plain */
};

/* Bytes of so many plain and full matrices of a fabric. */
size_t hops_size(const struct fabric *f, unsigned plain, unsigned full);
/* As room() of struct engine, for engines that use hops_build(). */
size_t hops_build_room(const struct engine_input *in, const char **what);
/* A matrix without any path. full: with values by port. The caller fills them. */
struct hops *hops_new(const struct fabric *f, bool full);
/*
 * A levelled matrix: all levels are 0, no target is open, and no path exists. The caller fills level, open
 * and least.
 */
struct hops *hops_new_levelled(const struct fabric *f);
struct hops *hops_copy(const struct hops *h); /* of a plain matrix */
/* Lowers the costs of s to those of its neighbour r plus 1 where these are less. */
void hops_relax_row(struct hops *h, uint32_t s, uint32_t r);
struct hops *hops_ref(const struct hops *h);
void hops_unref(const struct hops *h);

static inline unsigned hops_least(const struct hops *h, uint32_t s, uint32_t d)
{
	return h->least[(size_t)s * h->n_switches + d];
}

/* Cost from s to d through a port. Port 0 means the least cost. */
unsigned hops_value(const struct hops *h, const struct topo *t, uint32_t s, uint32_t d, unsigned port);

/* 64-bit words in the port mask (ports 0 .. N) of a switch. */
static inline unsigned mask_words(const struct fabric *f, uint32_t sw)
{
	return (f->switch_nports[sw] + 64u) / 64;
}

/*
 * The ports of a switch with the least cost, for every target d: bit p of mask[d * words ...]. Port 0 and
 * ports without a live cable are never set. Undefined for targets without a path and for d = s.
 */
void hops_masks(const struct hops *h, const struct topo *t, uint32_t s, uint64_t *mask);
/* The same for one target; empty without a path. */
void hops_mask(const struct hops *h, const struct topo *t, uint32_t s, uint32_t d, uint64_t *mask);

/*
 * Min Hop's matrix of the topology, with the weights of hop_weights_file, starting from what a refused engine
 * left (engines/doc/minhop.md 4, 10.1). Bad lines of the file become notes. NULL when cancelled. Costs
 * O(links * switches / 64) per unit of diameter without weights, O(switches * links) with weights.
 */
struct hops *hops_build(const struct engine_input *in, struct engine_output *out);

/*
 * OpenSM's matrix has one column per LID, not per switch: switches with the same base LID share a column
 * (with the least values), and a switch without LID has none. Returns true when there are such switches, and
 * changes the plain matrix h accordingly (NULL: only checks).
 */
bool hops_share_lids(struct hops *h, const struct topo *t, const struct lids *l);

/*
 * Makes the matrix of topology `now` from the matrix of `was`, if that is plain without weights and only
 * cables are gone; NULL otherwise. Sets touched[switch] ([n_switches], all 0) where masks or costs may
 * differ: TOUCHED for the targets with farther[target] ([n_switches], all 0) alone, TOUCHED_ALL for any.
 */
enum { TOUCHED = 1, TOUCHED_ALL = 2 };
struct hops *hops_update(const struct hops *old, const struct topo *was, const struct topo *now,
			 uint8_t *touched, uint8_t *farther);

/*
 * The same marks for two matrices of any kind that are there.  False: they cannot be compared, and all may
 * differ.
 */
bool hops_compare(const struct hops *a, const struct topo *was, const struct hops *b, const struct topo *now,
		  uint8_t *touched, uint8_t *farther);

/* routing_ops of engines whose private data is just a struct hops. */
extern const struct routing_ops hops_routing_ops;

#endif
