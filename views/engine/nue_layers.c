/*
 * The pane `nue-layers`: the layers of nue, with destinations, central switch, hull, restrictions, and LIDs
 * that were hard to route.
 */
#include <inttypes.h>
#include "engines/nue/nue.h"
#include "views/base/view.h"

enum { C_LAYER, C_LIDS, C_CENTRAL, C_HULL, C_ESCAPE, C_USED, C_DEPS, C_BLOCKED, C_BACK, C_FALLBACK };

static const struct column columns[] = {
	NUM("layer", "number of the layer, from 0", 0),
	NUM("ports", "destinations in the layer", 0),
	COL("central switch", "root of the escape tree", 8, .flex = 1),
	NUM("hull", "switches in the hull: those with destinations, and those on shortest paths between them",
	    4, .drop = 4),
	NUM("escape deps", "dependencies reserved for the escape tree", 0, .drop = 6),
	NUM("used", "dependencies that routes use in the end", 5, .drop = 3),
	NUM("of deps", "all dependencies", 0, .drop = 5),
	NUM("restricted", "dependencies that no route may use", 0),
	NUM("backtracked", "destinations that some switches reached by backtracking alone", 0, .drop = 2),
	NUM("escape only", "destinations whose routes all follow the escape tree", 0, .drop = 1),
};

struct nue_layers_pane {
	const struct nue *nue; /* NULL: another engine */
};

static void nue_layers_pane_load(struct view *v)
{
	struct nue_layers_pane *p = v->priv;
	const struct routing *r = scene_origin(v->scene);

	p->nue = r ? nue_of(r) : NULL;
	v->n_rows = p->nue ? nue_layers(p->nue) : 0;
}

static void nue_layers_pane_title(const struct view *v, struct text *t)
{
	const struct nue_layers_pane *p = v->priv;

	if (p->nue)
		text_add(t, "Nue: %s of %u that ports support, nue_max_num_vls %u",
			 PLURAL(nue_layers(p->nue), "layer"), p->nue->vls.supported, p->nue->vls.asked);
	else
		text_add(t, "Nue ── needs routes of nue: `route nue`");
}

static int64_t nue_layers_pane_number(const struct view *v, uint32_t row, unsigned col)
{
	const struct nue_layer *l = &((const struct nue_layers_pane *)v->priv)->nue->layer[row];
	const int64_t n[ARRAY_LEN(columns)] = {[C_LAYER] = row,
					       [C_LIDS] = l->n_lids,
					       [C_HULL] = l->n_hull,
					       [C_ESCAPE] = l->escape_edges,
					       [C_USED] = (int64_t)l->used,
					       [C_DEPS] = (int64_t)l->edges,
					       [C_BLOCKED] = l->n_blocked,
					       [C_BACK] = l->backtracked,
					       [C_FALLBACK] = l->fallbacks};

	return n[col];
}

static void nue_layers_pane_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const struct nue_layers_pane *p = v->priv;
	uint32_t sw = nue_central_switch(p->nue, row);

	if (col != C_CENTRAL)
		text_add(t, "%" PRId64, nue_layers_pane_number(v, row, col));
	else
		text_add(t, "%s", sw == NO_ID ? "-" : switch_name(v->scene->fabric, sw));
}

static void nue_layers_pane_footer(const struct view *v, struct text *t)
{
	const struct nue_layers_pane *p = v->priv;
	uint32_t row;

	if (!p->nue || !view_selected(v, &row))
		return;
	if (p->nue->layer[row].unrecorded)
		text_add(t, "routes make %s that OpenSM has no record of%s",
			 PLURAL(p->nue->layer[row].unrecorded, "dependency"),
			 p->nue->layer[row].loop ? ": a CREDIT LOOP" : ", no credit loop");
	else if (!p->nue->vls.qos && p->nue->vls.supported > 1 && p->nue->vls.asked != 1)
		text_add(t, "one layer, as qos is off");
	else if (!p->nue->include_switches)
		text_add(t, "routes to switches keep to no layer (nue_include_switches FALSE)");
}

static unsigned nue_layers_pane_marks(const struct view *v, uint32_t row)
{
	const struct nue_layer *l = &((const struct nue_layers_pane *)v->priv)->nue->layer[row];

	return l->loop || l->fallbacks ? MARK_DETOUR : 0;
}

static bool nue_layers_pane_about(const struct view *v, uint32_t row, struct subject *s)
{
	uint32_t sw = nue_central_switch(((const struct nue_layers_pane *)v->priv)->nue, row);

	s->layer = (int)row;
	if (sw != NO_ID)
		subject_node(v, v->scene->fabric->switch_node[sw], s);
	return true;
}

static void nue_layers_pane_follow(const struct view *v, uint32_t row, struct text *t)
{
	if (nue_central_switch(((const struct nue_layers_pane *)v->priv)->nue, row) != NO_ID)
		view_fill(v, row, "pane escape %layer", t);
}

const struct view_ops view_nue_layers = {
	.name = "nue-layers",
	.brief = "nue: shows each layer: central switch, dependencies, forbidden turns, LIDs whose search "
		 "got stuck",
	.hints = "follow=tree :pane_restricted=restr :pane_detours=detours :pane_cdg=cdg back=back",
	COLUMNS(columns),
	.flags = VIEW_WIDE,
	.priv_size = sizeof(struct nue_layers_pane),
	.load = nue_layers_pane_load,
	.title = nue_layers_pane_title,
	.footer = nue_layers_pane_footer,
	.cell = nue_layers_pane_cell,
	.number = nue_layers_pane_number,
	.marks = nue_layers_pane_marks,
	.about = nue_layers_pane_about,
	.follow = nue_layers_pane_follow,
};
