/* The table `mesh`: the result of lash's mesh analysis, with dimensions, coordinates of switches, and axes of
 * their ports. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/trace/walk.h"
#include "engines/lash/lash.h"
#include "views/base/view.h"

static const struct column mesh_columns[] = {
	COL("switch", "name of the switch", 8, .flex = 1, .fold = FOLD_CHIP, .kind = CELL_SWITCH),
	COL("at", "coordinates that the analysis gave the switch", 4),
	COL("ports by axis", "its ports, by direction", 13, .flex = 4),
	NUM("type", "row of the table of polynomials that its neighbourhood fits", 0, .drop = 1),
};

struct item {
	int32_t coord[MESH_DIMENSIONS];
	uint32_t id, sw; /* LASH's id, the fabric's id */
};

struct mesh_pane {
	const struct lash *lash;
	const struct lash_mesh *mesh;
	struct item *item; /* [n_rows] sorted by coordinates */
};

static int by_coord(const void *pa, const void *pb)
{
	const struct item *a = pa, *b = pb;

	for (unsigned d = 0; d < MESH_DIMENSIONS; d++)
		if (a->coord[d] != b->coord[d])
			return a->coord[d] < b->coord[d] ? -1 : 1;
	return COMPARED(a->id, b->id);
}

static void coord_cell(const struct lash_mesh *m, const struct item *it, struct text *t)
{
	for (unsigned d = 0; d < m->dimensions; d++)
		mesh_name_coordinate(d, it->coord[d], t);
}

/* Columns for coordinates, and one more before the ports. */
static uint8_t coord_width(const struct lash_mesh *m, const struct item *item, uint32_t n)
{
	AUTO_TEXT struct text t = {0};
	size_t width = 4;

	for (uint32_t i = 0; i < n; i++) {
		text_clear(&t);
		coord_cell(m, &item[i], &t);
		if (t.len >= width)
			width = t.len + 1;
	}
	return width < UINT8_MAX ? (uint8_t)width : UINT8_MAX;
}

/* Why lash did not route. NULL when it did, or was not asked. */
static const char *lash_refusal(const struct view *v)
{
	const struct sweep *w = v->scene->sweep;

	for (size_t i = 0; w && i < w->n_refusals; i++)
		if (!strcmp(w->refusal[i].engine, "lash"))
			return w->refusal[i].why;
	return NULL;
}

/* Title and footer. */
static void mesh_tell(struct view *v)
{
	const struct mesh_pane *p = v->priv;
	const struct lash_mesh *m = p->mesh;
	struct text *t = &v->title, *below = &v->footer;
	AUTO_TEXT struct text remark = {0};

	text_add(t, "Mesh");
	if (!p->lash && lash_refusal(v))
		text_add(t, " ── lash refused: %s", lash_refusal(v));
	else if (!p->lash)
		text_add(t, " ── lash finds it: set do_mesh_analysis TRUE; route lash");
	else if (!m)
		text_add(t, " ── no analysis: set do_mesh_analysis TRUE");
	else if (!m->dimensions)
		text_add(t, " ── no geometry");
	else
		text_add(t, " ── %s:", PLURAL(m->dimensions, "dimension"));
	if (!m)
		return;
	assert(p->lash);
	for (unsigned d = 0; d < m->dimensions; d++)
		text_add(t, "%s%u", d ? " x " : " ", m->size[d]);
	if (m->none) {
		text_add(below, "%s", m->none);
		return;
	}
	if (m->seed != NO_ID)
		text_add(below,
			 "from %s: ", switch_name(v->scene->fabric, p->lash->plan->graph->sw[m->seed]));
	mesh_shape_remark(&m->shape, &remark);
	text_add(below, remark.len ? "shape " : "a switch of the shape ");
	mesh_name_shape(&m->shape, "x", below);
	if (remark.len)
		text_add(below, "; %s", text_str(&remark));
}

static void mesh_load(struct view *v)
{
	const struct scene *sc = v->scene;
	struct mesh_pane *p = v->priv;
	const struct lash_graph *g;

	p->lash = lash_of(scene_routing(sc));
	p->mesh = p->lash ? p->lash->plan->mesh : NULL;
	mesh_tell(v);
	if (!p->mesh)
		return;
	g = p->lash->plan->graph;
	p->item = VIEW_ARRAY(v, g->n + 1, struct item);
	for (uint32_t i = 0; i < g->n; i++) {
		p->item[i].id = i;
		p->item[i].sw = g->sw[i];
		for (unsigned d = 0; d < p->mesh->dimensions; d++)
			p->item[i].coord[d] = lash_coordinate(p->lash, g->sw[i], d);
	}
	qsort(p->item, g->n, sizeof(*p->item), by_coord);
	v->n_rows = g->n;
	v->width[1] = coord_width(p->mesh, p->item, g->n);
}

/* The ports of each axis: "+x 2 -x 3". */
static void mesh_ports(const struct view *v, uint32_t sw, struct text *t)
{
	const struct mesh_pane *p = v->priv;
	unsigned dimensions = p->mesh->dimensions;
	size_t from = t->len;

	for (unsigned code = 1; code <= 2 * dimensions; code++) {
		bool any = false;

		for (unsigned n = 1; n <= v->scene->fabric->switch_nports[sw]; n++) {
			if (lash_axis_of_port(p->lash, sw, n) != code)
				continue;
			if (!any) {
				text_add(t, "%s", t->len > from ? "  " : "");
				mesh_name_axis(dimensions, code, t);
			}
			text_add(t, " %u", n);
			any = true;
		}
	}
}

/* Notes the coordinates and axes that the step has set. */
static void mesh_touch(const struct view *v, uint32_t sw, struct table_row *r)
{
	const struct fabric *f = v->scene->fabric;
	const struct moment *m = v->scene->moment;
	uint32_t dims = m ? (uint32_t)(recording_cells(m->rec, T_COORD) / f->n_switches) : 0;

	for (uint32_t d = 0; d < dims; d++)
		row_touch(v, r, 1, T_COORD, sw * dims + d);
	for (unsigned n = 1; n <= f->switch_nports[sw]; n++)
		row_touch(v, r, 2, T_AXIS, switch_port_id(f, sw, n));
}

static void mesh_row(const struct view *v, uint32_t row, struct table_row *r)
{
	const struct mesh_pane *p = v->priv;
	const struct item *it = &p->item[row];
	int64_t type = p->mesh->type ? p->mesh->type[it->id] : 0;
	size_t coord, ports;

	coord = row_text(r, "%s", "");
	coord_cell(p->mesh, it, &r->text);
	ports = row_text(r, "%s", "");
	mesh_ports(v, it->sw, &r->text);
	ROW_VALUES(v, r, it->sw, coord, ports, type);
	if (type <= 0)
		r->says[3] = row_text(r, type < 0 ? "edge" : "-");
	mesh_touch(v, it->sw, r);
	subject_switch(v, it->sw, &r->about);
}

const struct view_ops view_mesh = {
	.name = "mesh",
	.brief = "lash: shows the result of its mesh analysis: dimensions, coordinates of switches, axes of "
		 "their ports",
	.hints = "follow=ports :fail=fail back=back",
	COLUMNS(mesh_columns),
	.flags = VIEW_WIDE | VIEW_CHIPS,
	.priv_size = sizeof(struct mesh_pane),
	.load = mesh_load,
	.row = mesh_row,
	.enter = "pane ports %node",
};
