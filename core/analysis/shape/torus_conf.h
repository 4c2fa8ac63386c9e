/*
 * A torus-2QoS.conf for a grid (torus-2QoS.conf(5)): radices, seeds and port order.  All seeds have the same
 * coordinates, so path SLs do not depend on which seed is used.
 */
#ifndef IBSCOPE_TORUS_CONF_FILE_H
#define IBSCOPE_TORUS_CONF_FILE_H

#include "core/analysis/shape/grid.h"
#include "core/base/text.h"

#define TORUS_SEEDS 3

struct torus_plan {
	const struct grid *g;
	const struct topo *t;
	unsigned axis[GRID_DIMS];   /* dimension of the grid that becomes x, y, z */
	uint32_t seed[TORUS_SEEDS]; /* places of the seeds' centres; looped dimensions count from the first */
	unsigned n_seeds;
};

/*
 * Places whose switch has the links that a seed needs, the best first: those with most complete links around
 * them.  *n; the caller frees them.
 */
uint32_t *torus_seed_places(const struct topo *t, const struct grid *g, uint32_t *n);

/* Do two seeds share a switch? */
bool torus_seeds_meet(const struct grid *g, uint32_t a, uint32_t b);

/* The file. */
void torus_conf_text(const struct torus_plan *p, struct text *x);

#endif
