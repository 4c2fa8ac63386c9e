/* The steps of mesh analysis, in order. */

#include "core/base/memory.h"
#include "core/base/release.h"
#include "engines/lash/internal.h"

/* Goes from the seed's class to coordinates. False when OpenSM would not terminate. */
static bool find_geometry(struct mesh_work *w, uint32_t class)
{
	struct lash_mesh *m = w->m;
	struct text t = {0}, remark = {0};

	m->seed = m->class[class].exemplar;
	m->shape = w->shape[m->class[class].type - 1];
	m->dimensions = m->shape.dimensions;
	m->axis = NEW_ARRAY(w->g->n_channels, uint8_t);
	mesh_name_shape(&m->shape, " x ", &t);
	if (m->shape.dimensions > 1)
		mesh_shape_remark(&m->shape, &remark);
	rec_note(w->in, "seed %s: %s%s%s%s", switch_name(w->in->topo->fabric, w->g->sw[m->seed]),
		 text_str(&t), remark.len ? " (" : "", text_str(&remark), remark.len ? ")" : "");
	text_free(&remark);
	text_free(&t);
	rec_phase(w->in, MESH_PHASE ": axes of links");
	mesh_seed_axes(w);
	if (!mesh_induce_axes(w))
		return false;
	rec_phase(w->in, MESH_PHASE ": coordinates");
	mesh_place(w);
	for (unsigned d = 0; d < m->dimensions; d++)
		text_add(&t, "%s%u", d ? " x " : "", m->size[d]);
	rec_note(w->in, "%s switches along the dimensions; the longest counts first", text_str(&t));
	text_free(&t);
	rec_phase(w->in, MESH_PHASE ": order of switches and links");
	mesh_reorder(w);
	return true;
}

struct lash_mesh *lash_mesh_new(struct lash_graph *g, const struct engine_input *in, struct err *e)
{
	struct mesh_work *w = NEW(struct mesh_work);
	struct lash_mesh *m = NEW(struct lash_mesh);
	uint32_t class = NO_CLASS;
	int rc = 0;

	rec_phase(in, MESH_PHASE);
	*w = (struct mesh_work){.g = g, .in = in, .m = m};
	w->matrix = NEW_ARRAY((size_t)g->n * MESH_LINKS * MESH_LINKS, int32_t);
	w->poly = NEW_ARRAY((size_t)g->n * (MESH_LINKS + 1), int32_t);
	mesh_shapes(w->shape);
	m->seed = NO_ID;
	if (!mesh_measure(w))
		rc = err_set(e, CANCELLED);
	else
		class = mesh_classify(w);
	if (!rc && class == NO_CLASS)
		m->none = "no switch has 8 neighbours or less and lies off the edge";
	else if (!rc && !m->class[class].type)
		m->none = "the most frequent neighbourhood is that of no known mesh or torus";
	else if (!rc && !find_geometry(w, class))
		rc = err_set(e, "mesh analysis of this fabric never ends: OpenSM 3.3.23 would hang; set "
				"do_mesh_analysis FALSE");
	if (rc) {
		lash_mesh_free(m);
		m = NULL;
	} else if (m->none) {
		rec_note(in, "no geometry: %s", m->none);
	}
	FREE_EACH(w->matrix, w->poly, w);
	return m;
}
