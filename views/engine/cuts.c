/*
 * The pane `cuts`: the cycles that dfsssp has broken in its layers. Without a number it lists all of them,
 * with the cut dependency. With a number it lists the channels of that cycle.
 */
#include <inttypes.h>
#include <string.h>
#include "engines/dfsssp/dfsssp.h"
#include "views/base/view.h"

enum { C_LAYER, C_CYCLE, C_CHANNEL, C_NEXT, C_LENGTH, C_LEFT, C_MOVED, C_TO };

static const struct column columns[] = {
	NUM("layer", "the layer that had the cycle", 0),
	NUM("cycle", "number of the cycle in the layer", 0),
	COL("channel", "the channel before the dependency that is cut", 12, .flex = 1),
	COL("next channel", "the channel after it", 12, .flex = 1),
	NUM("length", "channels of the cycle", 0, .drop = 2),
	NUM("pairs", "pairs on the dependency when it was cut", 0, .drop = 3),
	NUM("moved", "pairs moved to the next layer for it", 0),
	NUM("to", "the layer they moved to", 2, .drop = 1),
};

struct cuts_pane {
	int layer;		/* -1 = all */
	uint32_t cycle;		/* number in the layer, from 1; 0 = all */
	const struct dfsssp *d; /* NULL: another engine */
	uint32_t first;		/* cut of the first row; for one cycle, its cut */
	bool none;		/* the layer has no such cycle */
};

static void cuts_pane_load(struct view *v)
{
	struct cuts_pane *p = v->priv;
	uint32_t n;

	p->layer = v->args.n ? v->args.arg[0].n : -1;
	p->cycle = v->args.n > 1 ? (uint32_t)v->args.arg[1].n : 0;
	p->d = dfsssp_of(scene_origin(v->scene));
	if (!p->d || !p->d->layers) {
		p->d = NULL;
		return;
	}
	if (p->layer < 0) {
		v->n_rows = p->d->layers->n_cuts;
		v->width[C_LEFT] = 0;
		return;
	}
	n = dfsssp_cuts(p->d, (unsigned)p->layer, &p->first);
	v->n_rows = n;
	if (!p->cycle) {
		v->width[C_LEFT] = 0;
		return;
	}
	p->none = p->cycle > n;
	p->first += p->cycle - 1;
	v->n_rows = p->none ? 0 : p->d->layers->cut[p->first].length;
	v->width[C_LAYER] = v->width[C_CYCLE] = v->width[C_LENGTH] = v->width[C_MOVED] = v->width[C_TO] = 0;
}

static const struct ds_cut *cuts_pane_cut_of(const struct cuts_pane *p, uint32_t row)
{
	return &p->d->layers->cut[p->first + (p->cycle ? 0 : row)];
}

static void cuts_pane_title(const struct view *v, struct text *t)
{
	const struct cuts_pane *p = v->priv;

	text_add(t, "Cuts");
	if (!p->d)
		text_add(t, " ── needs layers of dfsssp: `route dfsssp`");
	else if (p->layer < 0)
		text_add(t, " ── %s broken, %s", PLURAL(v->n_rows, "cycle"),
			 PLURAL(dfsssp_layers(p->d), "layer"));
	else if (!p->cycle)
		text_add(t, " of layer %d ── %s broken", p->layer, PLURAL(v->n_rows, "cycle"));
	else if (p->none)
		text_add(t, " ── layer %d has no cycle %u", p->layer, p->cycle);
	else
		text_add(t, " of layer %d ── cycle %u: %s", p->layer, p->cycle, PLURAL(v->n_rows, "channel"));
}

/* The two channels of a row's dependency. */
static void cuts_pane_channels_of(const struct cuts_pane *p, uint32_t row, uint32_t *channel, uint32_t *next)
{
	const struct ds_cut *cut = cuts_pane_cut_of(p, row);
	const uint32_t *cycle = p->d->layers->cycle_channel + cut->first;

	*channel = p->cycle ? cycle[row] : cut->from;
	*next = p->cycle ? cycle[(row + 1) % cut->length] : cut->to;
}

static uint32_t cuts_pane_port_of(const struct view *v, uint32_t row, bool next)
{
	const struct cuts_pane *p = v->priv;
	uint32_t c[2];

	cuts_pane_channels_of(p, row, &c[0], &c[1]);
	return dfsssp_channel_port(p->d->graph, scene_origin(v->scene)->topo->fabric, c[next]);
}

static uint32_t cycle_number(const struct cuts_pane *p, uint32_t row)
{
	uint32_t first;

	dfsssp_cuts(p->d, cuts_pane_cut_of(p, row)->layer, &first);
	return p->cycle ? p->cycle : p->first + row - first + 1;
}

static int64_t cuts_pane_number(const struct view *v, uint32_t row, unsigned col)
{
	const struct cuts_pane *p = v->priv;
	const struct ds_cut *cut = cuts_pane_cut_of(p, row);

	switch (col) {
	case C_LAYER:
		return cut->layer;
	case C_CYCLE:
		return cycle_number(p, row);
	case C_LENGTH:
		return cut->length;
	case C_LEFT:
		return p->d->layers->cycle_left[cut->first + (p->cycle ? row : cut->at)];
	case C_MOVED:
		return (int64_t)cut->moved;
	case C_TO:
		return cut->layer + 1;
	}
	return 0;
}

static void cuts_pane_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	if (col == C_CHANNEL || col == C_NEXT)
		label_channel(scene_origin(v->scene)->topo, cuts_pane_port_of(v, row, col == C_NEXT), false,
			      t);
	else
		text_add(t, "%" PRId64, cuts_pane_number(v, row, col));
}

static void cuts_pane_footer(const struct view *v, struct text *t)
{
	const struct cuts_pane *p = v->priv;
	const struct ds_cut *cut;
	uint32_t row;

	if (!p->d || !view_selected(v, &row))
		return;
	cut = cuts_pane_cut_of(p, row);
	if (p->cycle && row != cut->at)
		text_add(t, "%" PRId64 " pairs make this dependency; * has the fewest and was cut",
			 cuts_pane_number(v, row, C_LEFT));
	else
		text_add(t, "cut: %" PRIu64 " pairs of LIDs went to layer %u", cut->moved, cut->layer + 1u);
	if (cut->skipped && (!p->cycle || row == cut->at))
		text_add(t, "; %" PRIu64 " had moved before", cut->skipped);
}

static unsigned cuts_pane_marks(const struct view *v, uint32_t row)
{
	const struct cuts_pane *p = v->priv;

	return p->cycle && row == cuts_pane_cut_of(p, row)->at ? MARK_HERE : 0;
}

static bool cuts_pane_about(const struct view *v, uint32_t row, struct subject *s)
{
	const struct cuts_pane *p = v->priv;

	subject_port(v, cuts_pane_port_of(v, row, false), s);
	s->layer = (int)dfsssp_lanes(p->d, cuts_pane_cut_of(p, row)->layer).lo;
	return true;
}

static bool cuts_pane_placeholder(const struct view *v, uint32_t row, const char *what, struct text *t)
{
	const struct cuts_pane *p = v->priv;

	if (strcmp(what, "cycle"))
		return false;
	text_add(t, "%u %u", cuts_pane_cut_of(p, row)->layer, cycle_number(p, row));
	return true;
}

static void cuts_pane_follow(const struct view *v, uint32_t row, struct text *t)
{
	view_fill(v, row,
		  ((const struct cuts_pane *)v->priv)->cycle ? "pane moved %cycle" : "pane cuts %cycle", t);
}

const struct view_ops view_cuts = {
	.name = "cuts",
	.brief = "dfsssp: lists the cycles that it breaks in its layers, the dependency that it cuts in "
		 "each, and pairs that it moves",
	.syntax = "[LAYER [GROUP]]",
	.hints = "follow=cycle :pane_moved=moved back=back",
	COLUMNS(columns),
	.flags = VIEW_DETAIL | VIEW_WIDE,
	.priv_size = sizeof(struct cuts_pane),
	.load = cuts_pane_load,
	.title = cuts_pane_title,
	.footer = cuts_pane_footer,
	.cell = cuts_pane_cell,
	.number = cuts_pane_number,
	.marks = cuts_pane_marks,
	.about = cuts_pane_about,
	.placeholder = cuts_pane_placeholder,
	.follow = cuts_pane_follow,
};
