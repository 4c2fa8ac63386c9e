/*
 * A torus-2QoS.conf for a grid (torus-2QoS.conf(5)): radices, seeds and port order.  All seeds have the same
 * coordinates, so path SLs do not depend on which seed is used.
 */
#ifndef IBSCOPE_ANALYSIS_SHAPE_TORUS_CONF_H
#define IBSCOPE_ANALYSIS_SHAPE_TORUS_CONF_H

#include "core/analysis/shape/levels.h"
#include "core/base/outfile.h"
#include "core/base/text.h"
#include "core/sm/engine.h"
#include "core/sm/options.h"

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

/* The file. */
void torus_conf_text(const struct torus_plan *p, struct text *x);

/* A torus-2QoS.conf for a fabric that is a torus or mesh, tried on the engine itself. */

struct torus_fit {
	const struct engine *const *engines;
	struct progress *progress;
	const struct topo *t;
	const struct setup *setup; /* the base, with the engine and its options: they name `path` */
	struct torus_plan plan;	   /* the last one that was tried; owned */
	char path[SCRATCH_PATH];   /* of the file that the engine reads, there until torus_fit_end() */
	int fd;			   /* of that file, -1 = none */
	char *refused;		   /* why the engine did not take the last one; owned, NULL = not tried */
};

/* Prepare.  Call torus_fit_end() afterwards, also after a failure.  0; -1 and *e. */
int torus_fit_begin(struct torus_fit *m, const struct setup *base, const struct engine *const *engines,
		    struct progress *p, struct err *e);

/*
 * Find a plan.  1: the engine routes the whole fabric with it, and the file holds it.  0: the engine does not
 * (m->refused); the plan is right once everything is there.  -1 and *e: the fabric is no grid, or cancelled.
 */
int torus_fit_make(struct torus_fit *m, struct err *e);
void torus_fit_end(struct torus_fit *m);

#endif
