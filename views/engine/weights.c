/* The panes of weights and cuts: `weights`, `cuts` and `moved`. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"
#include "core/sm/ucast_cache.h"
#include "core/trace/walk.h"
#include "engines/dfsssp/dfsssp.h"
#include "engines/nue/nue.h"
#include "views/base/view.h"

/* The pane `cuts`: the cycles that dfsssp has broken in its layers. Without a number it lists all of them,
 * with the cut dependency. With a number it lists the channels of that cycle. */

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
static_assert(ARRAY_LEN(columns) == C_TO + 1, "a column for each C_");

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
	assert(p->first + (p->cycle ? 0 : row) < p->d->layers->n_cuts);
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

/* The pane `moved`: the routes that a cut of dfsssp moved one layer up, by source switch and LID. */

enum { C_FROM, C_LID, moved_C_TO, C_PAIRS, C_HOPS, C_NOW };

static const struct column moved_columns[] = {
	COL("CAs of", "the hosts of this switch send", 8, .flex = 1, .fold = FOLD_CHIP),
	NUM("LID", "the LID they send to", 3),
	COL("to", "the host they send to", 8, .flex = 1),
	NUM("pairs", "pairs of LIDs that moved", 0, .fold = FOLD_SUM),
	NUM("hops", "cables between switches on the path", 0, .was = "links", .fold = FOLD_RANGE),
	NUM("layer now", "the layer it is in at the end", 0, .fold = FOLD_RANGE),
};
static_assert(ARRAY_LEN(moved_columns) == C_NOW + 1, "a column for each C_");

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
	else if (col == moved_C_TO)
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
	COLUMNS(moved_columns),
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

/* The pane `weights`: the final weight of each directed link between switches in a run of sssp, dfsssp or
 * nue, and its growth from destination to destination. */

enum { weights_C_CHANNEL, C_WEIGHT, C_GROWTH, C_HALF, C_RUN };

#define POINTS 16 /* points of a plot */

static const struct column weights_columns[] = {
	COL("link", "a cable in one direction, named by the port that sends", 14, .flex = 1,
	    .fold = FOLD_CHIP),
	NUM("weight", "weight at the end of the run; it grows with each route over the cable", 8, .drop = 2),
	NUM("growth", "how much the weight grew in the run", 0, .fold = FOLD_SUM),
	NUM("half by", "share of the run after which the weight had half of its growth", 0, .drop = 1),
	COL("over the run", "the growth from destination to destination, as a small plot", POINTS),
};
static_assert(ARRAY_LEN(weights_columns) == C_RUN + 1, "a column for each C_");

/* Routes on links after each of POINTS equal parts of the run. */
struct weights_pane_growth {
	uint32_t n_ports, n_lids;
	uint64_t start; /* initial weight of each link */
	uint32_t most;	/* largest final number on a link */
	uint32_t *at;	/* [POINTS * n_ports] */
	uint32_t *link; /* [n] port ids, sorted by switch and port */
	uint32_t n;
};

struct weights_pane {
	const struct weights_pane_growth *g;
	uint32_t from; /* link of the first row */
};

/* The run that made the tables, even if the unicast cache kept them. NULL: none with weights. */
static const struct routing *weighted(const struct routing *kept)
{
	const struct routing *r = routing_origin(kept);

	return r && (dfsssp_of(r) || nue_of(r)) ? r : NULL;
}

/* --- computed by another thread -------------------------------------------------------------- */

static void free_growth(void *value)
{
	struct weights_pane_growth *g = value;

	free(g->at);
	free(g->link);
	free(g);
}

static void weights_pane_list_links(struct weights_pane_growth *g, const struct routing *r)
{
	const struct fabric *f = r->topo->fabric;

	g->link = NEW_ARRAY(g->n_ports + 1, uint32_t);
	for (uint32_t sw = 0; sw < f->n_switches; sw++)
		for (unsigned n = 1; n <= f->switch_nports[sw]; n++) {
			uint32_t port = switch_port_id(f, sw, n), peer = r->topo->peer[port];

			if (peer != NO_ID && node_is_switch(f, f->port_node[peer]))
				g->link[g->n++] = port;
		}
}

static bool fill_points(struct weights_pane_growth *g, const struct routing *r, const uint16_t *lid,
			struct progress *p)
{
	uint32_t *routes = NEW_ARRAY(g->n_ports + 1, uint32_t), from = 0;
	bool go_on = true;

	for (unsigned k = 0; k < POINTS && go_on; k++) {
		uint32_t to = (uint32_t)((uint64_t)g->n_lids * (k + 1) / POINTS);

		go_on = nue_of(r) ? nue_add_routes(r, lid, from, to, routes, p)
				  : dfsssp_add_routes(r, lid, from, to, routes, p);
		memcpy(g->at + (size_t)k * g->n_ports, routes, g->n_ports * sizeof(*routes));
		from = to;
	}
	for (uint32_t i = 0; i < g->n; i++)
		if (routes[g->link[i]] > g->most)
			g->most = routes[g->link[i]];
	free(routes);
	return go_on;
}

static void *run_growth(const struct job *j)
{
	const struct routing *r = weighted(j->sweep->routing);
	struct weights_pane_growth *g = NEW(struct weights_pane_growth);
	uint16_t *lid;
	bool done;

	assert(r);
	g->n_ports = r->topo->fabric->n_ports;
	g->at = NEW_ARRAY((size_t)POINTS * g->n_ports, uint32_t);
	g->start = nue_of(r) ? nue_of(r)->first_weight : dfsssp_start_weight(dfsssp_of(r));
	lid = nue_of(r) ? nue_destinations(r, &g->n_lids) : dfsssp_destinations(r, &g->n_lids);
	weights_pane_list_links(g, r);
	done = fill_points(g, r, lid, j->progress);
	free(lid);
	if (done)
		return g;
	free_growth(g);
	return NULL;
}

static const struct task task_growth = {.run = run_growth, .free = free_growth};

/* --- the pane ---------------------------------------------------------------------------------- */

static uint32_t point(const struct weights_pane_growth *g, uint32_t port, unsigned k)
{
	assert(port < g->n_ports && k < POINTS);
	return g->at[(size_t)k * g->n_ports + port];
}

static uint32_t weights_pane_port_of(const struct view *v, uint32_t row)
{
	const struct weights_pane *p = v->priv;

	assert(p->from + row < p->g->n);
	return p->g->link[p->from + row];
}

static void weights_pane_load(struct view *v)
{
	struct weights_pane *p = v->priv;
	const struct fabric *f = v->scene->fabric;
	uint32_t node;

	if (!weighted(scene_routing(v->scene)))
		return;
	p->g = view_ask_value(v, &task_growth, (const uint32_t[TASK_ARGS]){0});
	if (!p->g)
		return;
	v->n_rows = p->g->n;
	if (!v->args.arg[0].guid)
		return;
	node = fabric_node_by_guid(f, v->args.arg[0].guid);
	while (p->from < p->g->n && f->port_node[p->g->link[p->from]] != node)
		p->from++;
	for (v->n_rows = 0;
	     p->from + v->n_rows < p->g->n && f->port_node[weights_pane_port_of(v, v->n_rows)] == node;)
		v->n_rows++;
}

static void weights_pane_title(const struct view *v, struct text *t)
{
	const struct weights_pane *p = v->priv;
	const struct routing *r = scene_routing(v->scene);

	text_add(t, "Weights");
	if (!weighted(r)) {
		text_add(t, " ── sssp, dfsssp and nue weigh links: `route dfsssp`");
		return;
	}
	text_add(t, " of %s", r->engine);
	if (p->g)
		text_add(t, " ── %s from %" PRIu64 " on, %s", PLURAL(v->n_rows, "link"), p->g->start,
			 PLURAL(p->g->n_lids, "destination"));
}

static int64_t weights_pane_number(const struct view *v, uint32_t row, unsigned col)
{
	const struct weights_pane *p = v->priv;
	uint32_t port = weights_pane_port_of(v, row), end = point(p->g, port, POINTS - 1);
	unsigned k = 0;

	switch (col) {
	case C_WEIGHT:
		return (int64_t)(p->g->start + end);
	case C_GROWTH:
		return end;
	case C_HALF:
		while (end && 2 * (uint64_t)point(p->g, port, k) < end)
			k++;
		return end ? (int64_t)((k + 1) * 100 / POINTS) : -1;
	}
	return 0;
}

/* Plots one sign per part of the run, in eighths of the largest growth of any link. */
static void plot(const struct weights_pane_growth *g, uint32_t port, struct text *t)
{
	uint64_t n[POINTS];

	for (unsigned k = 0; k < POINTS; k++)
		n[k] = point(g, port, k);
	text_levels(t, n, POINTS, g->most);
}

static bool weights_pane_touched(const struct view *v, uint32_t row, unsigned col)
{
	return col == C_WEIGHT && moment_touched(v->scene->moment, T_WEIGHT, weights_pane_port_of(v, row));
}

static void weights_pane_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const struct weights_pane *p = v->priv;
	int64_t n;

	switch (col) {
	case weights_C_CHANNEL:
		label_channel(scene_origin(v->scene)->topo, weights_pane_port_of(v, row), false, t);
		break;
	case C_RUN:
		plot(p->g, weights_pane_port_of(v, row), t);
		break;
	case C_HALF:
		n = weights_pane_number(v, row, col);
		text_add(t, n < 0 ? "-" : "%d%%", (int)n);
		break;
	default:
		text_add(t, "%" PRId64, weights_pane_number(v, row, col));
	}
}

static void weights_pane_footer(const struct view *v, struct text *t)
{
	const struct weights_pane *p = v->priv;
	uint32_t row;

	if (p->g && view_selected(v, &row))
		text_add(t, "%" PRId64 " of at most %u routes; plot: each sign a %uth of the destinations",
			 weights_pane_number(v, row, C_GROWTH), p->g->most, POINTS);
}

static bool weights_pane_about(const struct view *v, uint32_t row, struct subject *s)
{
	s->key = weights_pane_port_of(v, row);
	subject_port(v, weights_pane_port_of(v, row), s);
	return true;
}

const struct view_ops view_weights = {
	.name = "weights",
	.brief = "sssp, dfsssp, nue: shows the weight of each link at the end of the run, and how it grew",
	.syntax = "[SWITCH]",
	.hints = "follow=ports :pane_usage=usage :fail=fail back=back",
	COLUMNS(weights_columns),
	.flags = VIEW_WIDE | VIEW_CHIPS,
	.priv_size = sizeof(struct weights_pane),
	.load = weights_pane_load,
	.title = weights_pane_title,
	.footer = weights_pane_footer,
	.cell = weights_pane_cell,
	.number = weights_pane_number,
	.touched = weights_pane_touched,
	.about = weights_pane_about,
	.enter = "pane ports %node; select %number",
	.fold_row = "link",
};
