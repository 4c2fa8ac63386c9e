/* What the steps of the mesh analysis share. */
#ifndef IBSCOPE_LASH_MESH_WORK_H
#define IBSCOPE_LASH_MESH_WORK_H

#include "core/base/defs.h"
#include "core/trace/recording.h"
#include "engines/lash/mesh.h"

#define NO_CLASS UINT32_MAX
#define MESH_PHASE "mesh analysis" /* begins the names of its phases */

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

/* --- recordings (mesh_events.c), with w->in->record ---------------------------------------- */

/* How a link came by its axis. */
enum mesh_axis_rule { MESH_SEED, MESH_FACING, MESH_STRAIGHT, MESH_ACROSS, MESH_SQUARE };

/* A switch whose type is known; it is like another one, or the first of its kind. */
void mesh_record_measure(const struct mesh_work *w, uint32_t u);
void mesh_record_class(const struct mesh_work *w, uint32_t u, uint32_t exemplar);
/* A channel gets an axis, before that is put; a switch coordinates, was[] before, from a neighbour or NO_ID.
 */
void mesh_record_axis(const struct mesh_work *w, uint32_t channel, unsigned code, enum mesh_axis_rule rule);
void mesh_record_place(const struct mesh_work *w, uint32_t u, uint32_t from, const int32_t *was);
/* All are renumbered, their links in order; old[new number]. */
void mesh_record_numbers(const struct mesh_work *w, const uint32_t *old);
const char *mesh_axis_rule(unsigned rule);
/* Dimensions of the seed, 0: not known; "+x" of an axis code (names.c). */
unsigned mesh_dimensions(const struct recording *r);
void mesh_name_axis(const struct recording *r, unsigned code, struct text *out);
/* The sentence of an event of the analysis; false: it is another's. */
bool mesh_sentence(const struct walk *w, const struct rec_event *ev, struct text *t);
/* The analysis at a step, by the numbers of the end; whole: all of it. */
struct lash_mesh *mesh_at(const struct walk *w, const struct lash_graph *g, const struct lash_mesh *whole);

#endif
