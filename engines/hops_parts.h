/*
 * How hop matrices are made: what the files hops*.c share.
 *   hops.c         a matrix, its values and masks
 *   hops_search.c  the least costs of a topology, by search
 *   hops_rounds.c  the same round by round, as OpenSM 3.3.23 does it
 *   hops_build.c   the weights file, and which way is taken
 *   hops_update.c  after failures, from the matrix before
 *   hops_record.c  out of a recording
 */
#ifndef IBSCOPE_HOPS_PARTS_H
#define IBSCOPE_HOPS_PARTS_H

#include "core/sm/recording.h"
#include "engines/hops.h"

/* Paths above this cost do not exist. */
#define MAX_COST 254

/* Weight of leaving through a port. */
static inline unsigned hops_weight(const struct hops *h, uint32_t port)
{
	return h->weight ? h->weight[port] : 1;
}

/* Neighbours of each switch, parallel cables once. */
struct neighbours {
	uint32_t *off; /* [n_switches + 1] */
	uint32_t *nbr; /* those of s: nbr[off[s]] .. nbr[off[s + 1] - 1] */
};

struct neighbours neighbours_new(const struct topo *t);
void neighbours_free(struct neighbours *g);

/*
 * Fill h->least, which holds no path yet: all weights 1, or h->weight.
 * false: cancelled.  progress may be NULL.
 */
bool hops_search(const struct topo *t, struct hops *h, struct progress *progress);
bool hops_search_weighted(const struct topo *t, struct hops *h, struct progress *progress);

/*
 * The relaxation as OpenSM 3.3.23 does it, starting from what a refused engine
 * left (in->left); fills h->least, and h->by_port of a full matrix.  Tells the
 * observer.  false: cancelled.
 */
bool hops_relax(const struct engine_input *in, struct hops *h);

#endif
