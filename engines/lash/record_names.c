/* Cells of LASH's tables by name: they go by its own ids of switches, links and channels. */
#include "core/base/text.h"
#include "core/fabric/labels.h"
#include "core/sm/sweep.h"
#include "engines/lash/lash.h"

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

bool lash_cell(const struct recording *r, enum rec_table t, uint32_t at, struct text *out)
{
	const struct lash_plan *p = recording_kept(r);
	const struct fabric *f = recording_sweep(r)->fabric;
	const struct lash_graph *g = p ? p->graph : NULL;

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

	if (!g || t != T_OUT)
		return false;
	text_add(out, "port %u", g->port[g->port_at[g->base[at % g->n] + value]]);
	return true;
}
