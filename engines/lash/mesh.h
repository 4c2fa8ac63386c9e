/*
 * Mesh analysis (engines/doc/lash.md 6): find out that the switches form a mesh or torus,
 * and order switches and links by dimension.  OpenSM's own addition to LASH.
 */
#ifndef IBSCOPE_LASH_MESH_H
#define IBSCOPE_LASH_MESH_H

#include "core/base/err.h"
#include "core/sm/engine.h"
#include "engines/lash/graph.h"

#define MESH_LINKS 8 /* switches with more neighbours have no matrix */
#define MESH_DIMENSIONS 8
#define MESH_TYPES 100
#define MESH_FAR 0x7fffffff /* distance to what cannot be reached; coordinate of a switch not reached */

/* A known shape: row of the table of 6.2. */
struct mesh_shape {
	uint8_t dimensions;
	uint8_t degree;		       /* links of a switch */
	uint8_t size[MESH_DIMENSIONS]; /* descending; 6 = 6 or more, or open */
	int32_t poly[MESH_LINKS + 1];  /* of the matrix of distances, modulo 2^32 */
};

/* All MESH_TYPES shapes; row t of the specification is shape[t - 1]. */
void mesh_shapes(struct mesh_shape *shape);

/* Coefficients of det(M - xI) modulo 2^32; M: k x k, row by row with MESH_LINKS columns; poly: [k + 1]. */
void mesh_polynomial(const int32_t *m, unsigned k, int32_t *poly);

/* Switches with equal matrices (by polynomial). */
struct mesh_class {
	uint32_t exemplar; /* LASH id after renumbering */
	uint32_t population;
	uint8_t type; /* row of the table, 0 = unknown */
};

/*
 * Where dimensions of 2 come in pairs: why a grid with rings of 4 is not seen as such ("torus 4 x 4 is the
 * 4-cube: a ring of 4 is 2 x 2").  Added to t; nothing for other shapes.
 */
void mesh_shape_remark(const struct mesh_shape *s, struct text *t);

/* What the analysis found; ids and channels are those after renumbering. */
struct lash_mesh {
	unsigned dimensions;		/* 0: no geometry */
	const char *none;		/* why there is no geometry; static, NULL when there is one */
	uint32_t seed;			/* switch the analysis started from; NO_ID */
	struct mesh_shape shape;	/* of the seed, when there is a geometry */
	uint32_t size[MESH_DIMENSIONS]; /* of each dimension */
	uint8_t order[MESH_DIMENSIONS]; /* dimensions by descending size */
	int32_t *coord;			/* [n * dimensions] MESH_FAR = not reached; NULL without geometry */
	uint8_t *axis; /* [n_channels] 2d + 1 = up in dimension d, 2d + 2 = down, 0 = none; NULL */
	int8_t *type;  /* [n] row of the table, 0 = unknown, -1 = edge */
	struct mesh_class *class;
	uint32_t n_classes;
};

/*
 * Analyse g and reorder it.  NULL and *e when OpenSM 3.3.23 would not
 * terminate, or when cancelled (CANCELLED).  Steps go to in's observer.
 */
struct lash_mesh *lash_mesh_new(struct lash_graph *g, const struct engine_input *in, struct err *e);
void lash_mesh_free(struct lash_mesh *m); /* NULL is fine */

#endif
