/* Cells of LASH's tables by name: they go by its own ids of switches, links and channels. */
#include "core/base/text.h"
#include "core/fabric/labels.h"
#include "core/sm/sweep.h"
#include "engines/lash/lash.h"
#include "engines/lash/mesh_work.h"

/* "layer 0: ring0, ring1, ring2": a dependency of one channel on the next. */
static void name_dependency(const struct lash_graph *g, const struct fabric *f, uint32_t at, struct text *out)
{
	uint32_t cells = 0, c = 0, next;

	for (uint32_t i = 0; i < g->n_channels; i++)
		cells += lash_degree(g, g->to[i]);
	if (!cells)
		return;
	text_add(out, "layer %u: ", at / cells);
	for (at %= cells; at >= lash_degree(g, g->to[c]); c++)
		at -= lash_degree(g, g->to[c]);
	next = g->base[g->to[c]] + at;
	text_add(out, "%s, %s, %s", switch_name(f, g->sw[g->from[c]]), switch_name(f, g->sw[g->to[c]]),
		 switch_name(f, g->sw[g->to[next]]));
}

/* "x", as the pane of the mesh says it; of more than four dimensions "d4". */
static void name_dimension(const struct recording *r, unsigned d, struct text *out)
{
	if (mesh_dimensions(r) <= 4)
		text_putc(out, "xyzw"[d]);
	else
		text_add(out, "d%u", d);
}

void mesh_name_axis(const struct recording *r, unsigned code, struct text *out)
{
	text_putc(out, code & 1 ? '+' : '-');
	name_dimension(r, (code - 1) / 2, out);
}

static void name_coordinate(const struct recording *r, uint32_t at, struct text *out)
{
	unsigned dims = mesh_dimensions(r);

	text_add(out, "%s along ", switch_name(recording_sweep(r)->fabric, at / dims));
	name_dimension(r, at % dims, out);
}

bool lash_cell(const struct recording *r, enum rec_table t, uint32_t at, struct text *out)
{
	const struct lash_plan *p = recording_kept(r);
	const struct fabric *f = recording_sweep(r)->fabric;
	const struct lash_graph *g = p ? p->graph : NULL;

	if (t == T_COORD) {
		name_coordinate(r, at, out);
		return true;
	}
	if (!g || (t != T_OUT && t != T_FIRST && t != T_LAYER && t != T_DEP))
		return false;
	if (t == T_DEP)
		name_dependency(g, f, at, out);
	else if (t == T_OUT)
		text_add(out, "%s to %s", switch_name(f, g->sw[at % g->n]), switch_name(f, g->sw[at / g->n]));
	else
		text_add(out, "%s, %s", switch_name(f, g->sw[at / g->n]), switch_name(f, g->sw[at % g->n]));
	return true;
}

bool lash_value(const struct recording *r, enum rec_table t, uint32_t at, uint32_t value, struct text *out)
{
	const struct lash_plan *p = recording_kept(r);
	const struct lash_graph *g = p ? p->graph : NULL;

	if (t == T_COORD ? value == MESH_FAR : t == T_AXIS && !value) {
		text_add(out, "none");
		return true;
	}
	if (t == T_COORD || t == T_AXIS) {
		if (t == T_COORD)
			text_add(out, "%d", (int)value);
		else
			mesh_name_axis(r, value, out);
		return true;
	}
	if (!g || t != T_OUT)
		return false;
	text_add(out, "port %u", g->port[g->port_at[g->base[at % g->n] + value]]);
	return true;
}
