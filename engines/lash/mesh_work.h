/* What the steps of the mesh analysis share. */
#ifndef IBSCOPE_LASH_MESH_WORK_H
#define IBSCOPE_LASH_MESH_WORK_H

#include "core/base/defs.h"
#include "engines/lash/mesh.h"

#define NO_CLASS UINT32_MAX

struct mesh_work {
	struct lash_graph *g;
	const struct engine_input *in;
	struct lash_mesh *m; /* with the ids so far until reordered */
	struct mesh_shape shape[MESH_TYPES];
	int32_t *matrix; /* [n * 64] distances between neighbours; see has_matrix() */
	int32_t *poly;	 /* [n * 9] */
};

static inline bool has_matrix(const struct mesh_work *w, uint32_t u)
{
	return lash_degree(w->g, u) <= MESH_LINKS;
}

/* Distance from the neighbour of link i to that of link j without the switch u. */
static inline int32_t apart(const struct mesh_work *w, uint32_t u, unsigned i, unsigned j)
{
	return w->matrix[(size_t)u * MESH_LINKS * MESH_LINKS + i * MESH_LINKS + j];
}

/* mesh_types.c: matrices and polynomials, false = cancelled; types, and the largest class or NO_CLASS. */
bool mesh_measure(struct mesh_work *w);
uint32_t mesh_classify(struct mesh_work *w);

/* mesh_axes.c */
void mesh_seed_axes(struct mesh_work *w);
unsigned mesh_opposite(const struct mesh_work *w, uint32_t u, unsigned code);
/* false: OpenSM 3.3.23 would repeat the passes for ever. */
bool mesh_induce_axes(struct mesh_work *w);

/* mesh_coordinates.c: coordinates, sizes, new order of links and switches. */
void mesh_place(struct mesh_work *w);
void mesh_reorder(struct mesh_work *w);

#endif
