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
	uint32_t seed[TORUS_SEEDS]; /* places of the seeds' centres; looped dimensions are counted from the
				       first seed */
	unsigned n_seeds;
};

/*
 * The *n places whose switch has the links that a seed needs, best first: those with most complete links
 * around them.  The caller frees them.
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
	struct torus_plan plan;	   /* the last plan that was tried; owned */
	char path[SCRATCH_PATH]; /* the path of the file that the engine reads, valid until torus_fit_end() */
	int fd;			 /* of that file, -1 = none */
	char *refused; /* the reason why the engine refused the last plan; owned, NULL = not tried */
};

/* Prepares.  Call torus_fit_end() afterwards, also after a failure.  Returns 0, or -1 and *e. */
int torus_fit_begin(struct torus_fit *m, const struct setup *base, const struct engine *const *engines,
		    struct progress *p, struct err *e);

/*
 * Finds a plan.  Returns 1 when the engine routes the whole fabric with it; the file then holds it.  Returns
 * 0 when the engine does not (m->refused); the plan is still right once everything is present.  Returns -1
 * and *e when the fabric is not a grid, or when cancelled.
 */
int torus_fit_make(struct torus_fit *m, struct err *e);
void torus_fit_end(struct torus_fit *m);

#endif
