/* The pane `detours`: routes of nue that are longer than necessary, and what its search for their LID met. */
#include <stdlib.h>
#include "core/base/memory.h"
#include "core/sm/ucast_cache.h"
#include "engines/nue/nue.h"
#include "views/base/view.h"

enum { C_SWITCH, C_LID, C_TO, C_LAYER, C_LINKS, C_LEAST, C_EXTRA, C_EVENT };

static const struct column columns[] = {
	COL("switch", "the switch where the route begins", 8, .flex = 1, .fold = FOLD_CHIP),
	NUM("LID", "the LID that it leads to", 3),
	COL("to", "the node that has this LID", 8, .flex = 1),
	NUM("layer", "the layer of the route", 0, .drop = 2, .fold = FOLD_RANGE),
	NUM("hops", "hops of the route", 0, .was = "links", .fold = FOLD_RANGE),
	NUM("least", "fewest hops possible in the fabric", 0, .fold = FOLD_RANGE),
	NUM("more", "hops above the fewest", 0, .drop = 3, .fold = FOLD_MAX),
	COL("for", "why: weights, restrictions, backtracking or the escape tree", 12),
};

struct detour {
	struct nue_detour d;
	uint16_t lid;
};

struct detours {
	struct detour *at; /* by the order of destinations, then by switch */
	uint32_t n, cap;
	uint32_t n_lids; /* LIDs examined */
};

struct detours_pane {
	int layer; /* -1 = all, including routes to switches outside the layers */
	const struct nue *nue;
	const struct routing *r;
	const struct detours *found;
};

/* --- computed by another thread -------------------------------------------------------------- */

static void free_detours(void *value)
{
	struct detours *d = value;

	free(d->at);
	free(d);
}

static bool of_layer(const struct nue *n, unsigned lid, uint32_t layer)
{
	return layer == NO_ID || (nue_layer_of(n, lid) == layer && !(nue_events_of(n, lid) & NUE_OUTSIDE));
}

static void *run_detours(const struct job *j)
{
	const struct routing *r = routing_origin(j->sweep->routing);
	struct detours *d = NEW(struct detours);
	struct nue_detour *room = NEW_ARRAY(r->topo->fabric->n_switches + 1, struct nue_detour);
	uint32_t n_lids;
	uint16_t *lid = nue_destinations(r, &n_lids);
	bool go_on = true;

	progress_start(j->progress, "detours", n_lids);
	for (uint32_t i = 0; i < n_lids && (go_on = progress_step(j->progress, i)); i++) {
		uint32_t n = of_layer(nue_of(r), lid[i], j->arg[0]) ? nue_detours(r, lid[i], room) : 0;

		d->n_lids += of_layer(nue_of(r), lid[i], j->arg[0]);
		for (uint32_t k = 0; k < n; k++) {
			GROW(d->at, d->n, d->cap);
			d->at[d->n++] = (struct detour){room[k], lid[i]};
		}
	}
	free(lid);
	free(room);
	if (go_on)
		return d;
	free_detours(d);
	return NULL;
}

static const struct task task_detours = {.run = run_detours, .free = free_detours};

/* --- the pane ---------------------------------------------------------------------------------- */

static void detours_pane_load(struct view *v)
{
	struct detours_pane *p = v->priv;

	p->layer = v->args.n ? v->args.arg[0].n : -1;
	p->r = scene_origin(v->scene);
	p->nue = p->r ? nue_of(p->r) : NULL;
	if (!p->nue || p->layer >= (int)nue_layers(p->nue))
		return;
	p->found = view_ask_value(v, &task_detours,
				  (const uint32_t[TASK_ARGS]){p->layer < 0 ? NO_ID : (uint32_t)p->layer});
	v->n_rows = p->found ? p->found->n : 0;
}

static void detours_pane_title(const struct view *v, struct text *t)
{
	const struct detours_pane *p = v->priv;

	text_add(t, "Detours");
	if (!p->nue) {
		text_add(t, " ── needs routes of nue: `route nue`");
		return;
	}
	if (p->layer >= (int)nue_layers(p->nue)) {
		text_add(t, " ── there is no layer %d, nue has %s", p->layer,
			 PLURAL(nue_layers(p->nue), "layer"));
		return;
	}
	if (p->layer >= 0)
		text_add(t, " of layer %d", p->layer);
	if (p->found)
		text_add(t, " ── %s longer than need be, to %s", PLURAL(v->n_rows, "entry"),
			 PLURAL(p->found->n_lids, "LID"));
}

static const struct detour *detour_of(const struct view *v, uint32_t row)
{
	return &((const struct detours_pane *)v->priv)->found->at[row];
}

static int64_t detours_pane_number(const struct view *v, uint32_t row, unsigned col)
{
	const struct detours_pane *p = v->priv;
	const struct detour *d = detour_of(v, row);

	switch (col) {
	case C_LID:
		return d->lid;
	case C_LAYER:
		return nue_events_of(p->nue, d->lid) & NUE_OUTSIDE ? -1 : (int)nue_layer_of(p->nue, d->lid);
	case C_LINKS:
		return d->d.links;
	case C_LEAST:
		return d->d.least;
	case C_EXTRA:
		return d->d.links - d->d.least;
	}
	return 0;
}

/* Why this way to a LID is longer. */
static const char *reason(unsigned events, const struct nue_detour *d)
{
	if (events & NUE_FALLBACK)
		return "escape paths";
	if (events & NUE_SHORTCUT)
		return "backtracking, shortcut";
	if (events & NUE_BACKTRACKED)
		return "backtracking";
	return d->open ? "weights" : "restrictions";
}

static void detours_pane_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const struct detours_pane *p = v->priv;
	const struct detour *d = detour_of(v, row);

	if (col == C_SWITCH)
		text_add(t, "%s", switch_name(v->scene->fabric, d->d.sw));
	else if (col == C_TO)
		lid_label(v->scene->fabric, p->r->lids, d->lid, t);
	else if (col == C_EVENT)
		text_add(t, "%s", reason(nue_events_of(p->nue, d->lid), &d->d));
	else
		number_cell(detours_pane_number(v, row, col), t);
}

static void detours_pane_footer(const struct view *v, struct text *t)
{
	const struct detours_pane *p = v->priv;
	uint32_t row;

	if (!p->found || !view_selected(v, &row))
		return;
	text_add(t,
		 detour_of(v, row)->d.open ? "a way of %u hops was open; weights led elsewhere"
					   : "each way of %u hops makes a turn that the layer restricts",
		 detour_of(v, row)->d.least);
}

static bool detours_pane_about(const struct view *v, uint32_t row, struct subject *s)
{
	const struct detour *d = detour_of(v, row);

	subject_switch(v, d->d.sw, s);
	subject_lid(d->lid, s);
	s->src = (struct end){END_NODE, s->node};
	s->key = (uint64_t)d->d.sw << 16 | d->lid;
	return true;
}

const struct view_ops view_detours = {
	.name = "detours",
	.brief = "nue: lists entries whose route is longer than the shortest one, and why",
	.syntax = "[LAYER]",
	.hints = "follow=path :why=why :trace=trace back=back",
	COLUMNS(columns),
	.flags = VIEW_DETAIL | VIEW_WIDE | VIEW_CHIPS,
	.priv_size = sizeof(struct detours_pane),
	.load = detours_pane_load,
	.title = detours_pane_title,
	.footer = detours_pane_footer,
	.cell = detours_pane_cell,
	.number = detours_pane_number,
	.about = detours_pane_about,
	.enter = "pane path %src %lid",
	.fold_row = "entry",
};
