/* The pane `moved`: the routes that a cut of dfsssp moved one layer up, by source switch and LID. */
#include <inttypes.h>
#include <stdlib.h>
#include "core/base/memory.h"
#include "core/sm/ucast_cache.h"
#include "engines/dfsssp/dfsssp.h"
#include "views/base/view.h"

enum { C_FROM, C_LID, C_TO, C_PAIRS, C_HOPS, C_NOW };

static const struct column columns[] = {
	COL("CAs of", "the hosts of this switch send", 8, .flex = 1, .fold = FOLD_CHIP),
	NUM("LID", "the LID they send to", 3),
	COL("to", "the host they send to", 8, .flex = 1),
	NUM("pairs", "pairs of LIDs that moved", 0, .fold = FOLD_SUM),
	NUM("hops", "cables between switches on the path", 0, .was = "links", .fold = FOLD_RANGE),
	NUM("layer now", "the layer it is in at the end", 0, .fold = FOLD_RANGE),
};

struct class
{
	uint32_t sw;
	uint16_t lid;
};

struct moved {
	struct class *class;
	uint32_t n, cap;
};

struct moved_pane {
	unsigned layer;
	uint32_t cycle; /* number in the layer, from 1 */
	bool layered;	/* dfsssp's tables are in force */
	uint64_t pairs; /* pairs of LIDs that were moved */
	const struct moved *m;
};

/* --- computed by another thread -------------------------------------------------------------- */

static void free_moved(void *value)
{
	struct moved *m = value;

	free(m->class);
	free(m);
}

/* Do packets to the LID that come over the first channel continue over the second? */
static bool makes_dependency(const struct routing *r, const struct ds_graph *g, const struct ds_cut *cut,
			     unsigned lid)
{
	return routing_port(r, g->sw[g->from[cut->from]], lid) == g->port[cut->from] &&
	       routing_port(r, g->sw[g->from[cut->to]], lid) == g->port[cut->to];
}

/* Adds the sources whose routes to the LID were moved by the cut. */
static void add_sources(struct moved *m, const struct routing *r, uint32_t index, unsigned lid)
{
	const struct dfsssp *d = dfsssp_of(r);
	const struct ds_layers *l = d->layers;

	for (uint32_t i = 0; i < l->n_sources; i++) {
		uint32_t sw = d->graph->sw[l->source[i]];

		if (ds_layer_of(l, i, lid) <= l->cut[index].layer ||
		    dfsssp_moved_by(r, sw, lid, l->cut[index].layer) != index)
			continue;
		GROW(m->class, m->n, m->cap);
		m->class[m->n++] = (struct class){sw, (uint16_t)lid};
	}
}

static void *run_moved(const struct job *j)
{
	const struct routing *r = routing_origin(j->sweep->routing);
	const struct dfsssp *d = dfsssp_of(r);
	struct moved *m = NEW(struct moved);
	uint32_t first, n = dfsssp_cuts(d, j->arg[0], &first), n_lids;
	uint16_t *lid = dfsssp_destinations(r, &n_lids);
	bool go_on = true;

	progress_start(j->progress, "routes moved", n_lids);
	for (uint32_t i = 0; j->arg[1] <= n && i < n_lids && (go_on = progress_step(j->progress, i)); i++)
		if (makes_dependency(r, d->graph, &d->layers->cut[first + j->arg[1] - 1], lid[i]))
			add_sources(m, r, first + j->arg[1] - 1, lid[i]);
	free(lid);
	if (go_on)
		return m;
	free_moved(m);
	return NULL;
}

static const struct task task_moved = {.run = run_moved, .free = free_moved};

/* --- the pane ---------------------------------------------------------------------------------- */

static void moved_pane_load(struct view *v)
{
	struct moved_pane *p = v->priv;
	const struct dfsssp *d = dfsssp_of(scene_origin(v->scene));
	uint32_t first;

	p->layer = (unsigned)v->args.arg[0].n;
	p->cycle = (uint32_t)v->args.arg[1].n;
	p->layered = d && d->layers;
	if (!p->layered)
		return;
	if (p->cycle <= dfsssp_cuts(d, p->layer, &first))
		p->pairs = d->layers->cut[first + p->cycle - 1].moved;
	p->m = view_ask_value(v, &task_moved, (const uint32_t[TASK_ARGS]){p->layer, p->cycle});
	v->n_rows = p->m ? p->m->n : 0;
}

static void moved_pane_title(const struct view *v, struct text *t)
{
	const struct moved_pane *p = v->priv;

	text_add(t, "Moved");
	if (!p->layered)
		text_add(t, " ── needs layers of dfsssp: `route dfsssp`");
	else if (!p->pairs)
		text_add(t, " ── layer %u has no cycle %u", p->layer, p->cycle);
	else
		text_add(t, " by cut %u of layer %u ── %" PRIu64 " pairs of LIDs", p->cycle, p->layer,
			 p->pairs);
}

static int64_t moved_pane_number(const struct view *v, uint32_t row, unsigned col)
{
	const struct moved_pane *p = v->priv;
	const struct class *c = &p->m->class[row];
	const struct dfsssp *d = dfsssp_of(scene_origin(v->scene));

	switch (col) {
	case C_LID:
		return c->lid;
	case C_PAIRS:
		return d->layers->ca_lids[d->layers->source_of[d->graph->id[c->sw]]];
	case C_HOPS:
		return dfsssp_hops(scene_origin(v->scene), c->sw, c->lid);
	case C_NOW:
		return dfsssp_layer_of(d, c->sw, c->lid);
	}
	return 0;
}

static void moved_pane_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const struct class *c = &((const struct moved_pane *)v->priv)->m->class[row];

	if (col == C_FROM)
		text_add(t, "%s", switch_name(v->scene->fabric, c->sw));
	else if (col == C_TO)
		lid_label(v->scene->fabric, scene_origin(v->scene)->lids, c->lid, t);
	else
		number_cell(moved_pane_number(v, row, col), t);
}

static bool moved_pane_about(const struct view *v, uint32_t row, struct subject *s)
{
	const struct class *c = &((const struct moved_pane *)v->priv)->m->class[row];

	subject_switch(v, c->sw, s);
	subject_lid(c->lid, s);
	s->src = (struct end){END_ON_SWITCH, c->sw};
	s->key = (uint64_t)c->sw << 16 | c->lid;
	return true;
}

const struct view_ops view_moved = {
	.name = "moved",
	.brief = "dfsssp: lists the routes that one cut moved to the next layer",
	.syntax = "LAYER GROUP",
	.hints = "follow=path :why=why :trace=trace back=back",
	COLUMNS(columns),
	.flags = VIEW_DETAIL | VIEW_WIDE | VIEW_CHIPS,
	.priv_size = sizeof(struct moved_pane),
	.load = moved_pane_load,
	.title = moved_pane_title,
	.cell = moved_pane_cell,
	.number = moved_pane_number,
	.about = moved_pane_about,
	.enter = "pane path %src %lid",
	.fold_row = "route",
};
