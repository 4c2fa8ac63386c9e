/* The tables of weights and cuts: `weights`, `cuts` and `moved`. */
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

/* The table `cuts`: the cycles that dfsssp has broken in its layers. Without a number it lists all of them,
 * with the cut dependency. With a number it lists the channels of that cycle. */

static const struct column cuts_columns[] = {
	NUM("layer", "the layer that had the cycle", 0),
	NUM("cycle", "number of the cycle in the layer", 0),
	COL("channel", "the channel before the dependency that is cut", 12, .flex = 1, .kind = CELL_LINK),
	COL("next channel", "the channel after it", 12, .flex = 1, .kind = CELL_LINK),
	NUM("length", "channels of the cycle", 0, .drop = 2),
	NUM("pairs", "pairs on the dependency when it was cut", 0, .drop = 3),
	NUM("moved", "pairs moved to the next layer for it", 0),
	NUM("to", "the layer they moved to", 2, .drop = 1),
};

struct cuts_pane {
	uint32_t cycle;		/* number in the layer, from 1; 0 = all */
	const struct dfsssp *d; /* with layers */
	uint32_t first;		/* cut of the first row; for one cycle, its cut */
};

/* Begins the title. Returns dfsssp's run, or NULL if there are no layers, which the title tells. */
static const struct dfsssp *cuts_begin(struct view *v, const char *name)
{
	const struct dfsssp *d = dfsssp_of(scene_origin(v->scene));

	text_add(&v->title, "%s", name);
	if (d && d->layers)
		return d;
	text_add(&v->title, " ── needs layers of dfsssp: `route dfsssp`");
	return NULL;
}

static void cuts_load(struct view *v)
{
	static const uint8_t of_cycles[] = {0, 1, 4, 6, 7}; /* columns that are the same in all rows of one */
	struct cuts_pane *p = v->priv;
	int layer = v->args.n ? v->args.arg[0].n : -1;

	p->cycle = v->args.n > 1 && layer >= 0 ? (uint32_t)v->args.arg[1].n : 0;
	p->d = cuts_begin(v, "Cuts");
	if (!p->d)
		return;
	v->n_rows = layer < 0 ? p->d->layers->n_cuts : dfsssp_cuts(p->d, (unsigned)layer, &p->first);
	if (!p->cycle) {
		v->width[5] = 0;
		if (layer < 0)
			text_add(&v->title, " ── %s broken, %s", PLURAL(v->n_rows, "cycle"),
				 PLURAL(dfsssp_layers(p->d), "layer"));
		else
			text_add(&v->title, " of layer %d ── %s broken", layer, PLURAL(v->n_rows, "cycle"));
		return;
	}
	for (unsigned i = 0; i < ARRAY_LEN(of_cycles); i++)
		v->width[of_cycles[i]] = 0;
	p->first += p->cycle - 1;
	v->n_rows = p->cycle > v->n_rows ? 0 : p->d->layers->cut[p->first].length;
	if (v->n_rows)
		text_add(&v->title, " of layer %d ── cycle %u: %s", layer, p->cycle,
			 PLURAL(v->n_rows, "channel"));
	else
		text_add(&v->title, " ── layer %d has no cycle %u", layer, p->cycle);
}

static void cuts_row(const struct view *v, uint32_t row, struct table_row *r)
{
	const struct cuts_pane *p = v->priv;
	const struct ds_layers *l = p->d->layers;
	const struct fabric *f = v->scene->fabric;
	uint32_t index = p->first + (p->cycle ? 0 : row), first;
	const struct ds_cut *cut = &l->cut[index];
	uint32_t at = p->cycle ? row : cut->at, left = l->cycle_left[cut->first + at];
	const uint32_t *cycle = l->cycle_channel + cut->first;
	uint32_t port = dfsssp_channel_port(p->d->graph, f, cycle[at]);

	dfsssp_cuts(p->d, cut->layer, &first);
	ROW_VALUES(v, r, cut->layer, index - first + 1, port,
		   dfsssp_channel_port(p->d->graph, f, cycle[(at + 1) % cut->length]), cut->length, left,
		   (int64_t)cut->moved, cut->layer + 1);
	if (at != cut->at)
		r->footer = row_text(r, "%u pairs make this dependency; * has the fewest and was cut", left);
	else
		r->footer = row_text(r, "cut: %" PRIu64 " pairs of LIDs went to layer %u", cut->moved,
				     cut->layer + 1u);
	if (cut->skipped && at == cut->at)
		text_add(&r->text, "; %" PRIu64 " had moved before", cut->skipped);
	r->marks = mark_if(p->cycle && at == cut->at, MARK_HERE);
	r->follow = p->cycle ? row_text(r, "pane moved %%cycle") : 0;
	subject_port(v, port, &r->about);
	r->about.layer = (int)dfsssp_lanes(p->d, cut->layer).lo;
}

static bool cuts_placeholder(const struct view *v, uint32_t row, const char *what, struct text *t)
{
	if (strcmp(what, "cycle"))
		return false;
	text_add(t, "%" PRId64 " %" PRId64, view_number(v, row, 0), view_number(v, row, 1));
	return true;
}

const struct view_ops view_cuts = {
	.name = "cuts",
	.brief = "dfsssp: lists the cycles that it breaks in its layers, the dependency that it cuts in "
		 "each, and pairs that it moves",
	.syntax = "[LAYER [GROUP]]",
	.hints = "follow=cycle :pane_moved=moved back=back",
	COLUMNS(cuts_columns),
	.flags = VIEW_DETAIL | VIEW_WIDE,
	.priv_size = sizeof(struct cuts_pane),
	.load = cuts_load,
	.row = cuts_row,
	.enter = "pane cuts %cycle",
	.placeholder = cuts_placeholder,
};

/* The table `moved`: the routes that a cut of dfsssp moved one layer up, by source switch and LID. */

static const struct column moved_columns[] = {
	COL("CAs of", "the hosts of this switch send", 8, .flex = 1, .fold = FOLD_CHIP, .kind = CELL_SWITCH),
	NUM("LID", "the LID they send to", 3),
	COL("to", "the host they send to", 8, .flex = 1, .kind = CELL_LID),
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
	const struct dfsssp *d; /* with layers */
	const struct moved *m;
};

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
	AUTO_FREE uint16_t *lid = dfsssp_destinations(r, &n_lids);
	bool go_on = true;

	progress_start(j->progress, "routes moved", n_lids);
	for (uint32_t i = 0; j->arg[1] <= n && i < n_lids && (go_on = progress_step(j->progress, i)); i++)
		if (makes_dependency(r, d->graph, &d->layers->cut[first + j->arg[1] - 1], lid[i]))
			add_sources(m, r, first + j->arg[1] - 1, lid[i]);
	if (go_on)
		return m;
	free_moved(m);
	return NULL;
}

static const struct task task_moved = {.run = run_moved, .free = free_moved};

static void moved_load(struct view *v)
{
	struct moved_pane *p = v->priv;
	uint32_t layer = (uint32_t)v->args.arg[0].n, cycle = (uint32_t)v->args.arg[1].n, first;

	p->d = cuts_begin(v, "Moved");
	if (!p->d)
		return;
	if (cycle <= dfsssp_cuts(p->d, layer, &first) && p->d->layers->cut[first + cycle - 1].moved)
		text_add(&v->title, " by cut %u of layer %u ── %" PRIu64 " pairs of LIDs", cycle, layer,
			 p->d->layers->cut[first + cycle - 1].moved);
	else
		text_add(&v->title, " ── layer %u has no cycle %u", layer, cycle);
	p->m = view_ask_value(v, &task_moved, (const uint32_t[TASK_ARGS]){layer, cycle});
	v->n_rows = p->m ? p->m->n : 0;
}

static void moved_row(const struct view *v, uint32_t row, struct table_row *r)
{
	const struct moved_pane *p = v->priv;
	const struct class *c = &p->m->class[row];

	ROW_VALUES(v, r, c->sw, c->lid, c->lid,
		   p->d->layers->ca_lids[p->d->layers->source_of[p->d->graph->id[c->sw]]],
		   dfsssp_hops(scene_origin(v->scene), c->sw, c->lid), dfsssp_layer_of(p->d, c->sw, c->lid));
	subject_switch(v, c->sw, &r->about);
	subject_lid(c->lid, &r->about);
	r->about.src = (struct end){END_ON_SWITCH, c->sw};
	r->about.key = (uint64_t)c->sw << 16 | c->lid;
}

const struct view_ops view_moved = {
	.name = "moved",
	.brief = "dfsssp: lists the routes that one cut moved to the next layer",
	.syntax = "LAYER GROUP",
	.hints = "follow=path :why=why :trace=trace back=back",
	COLUMNS(moved_columns),
	.flags = VIEW_DETAIL | VIEW_WIDE | VIEW_CHIPS,
	.priv_size = sizeof(struct moved_pane),
	.load = moved_load,
	.row = moved_row,
	.enter = "pane path %src %lid",
	.fold_row = "route",
};

/* The table `weights`: the final weight of each directed link between switches in a run of sssp, dfsssp or
 * nue, and its growth from destination to destination. */

#define POINTS 16 /* points of a plot */

static const struct column weights_columns[] = {
	COL("link", "a cable in one direction, named by the port that sends", 14, .flex = 1,
	    .fold = FOLD_CHIP, .kind = CELL_LINK),
	NUM("weight", "weight at the end of the run; it grows with each route over the cable", 8, .drop = 2),
	NUM("growth", "how much the weight grew in the run", 0, .fold = FOLD_SUM),
	NUM("half by", "share of the run after which the weight had half of its growth", 0, .drop = 1),
	COL("over the run", "the growth from destination to destination, as a small plot", POINTS),
};

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
	AUTO_FREE uint32_t *routes = NEW_ARRAY(g->n_ports + 1, uint32_t);
	struct lids_part part = {.lid = lid};
	bool go_on = true;

	for (unsigned k = 0; k < POINTS && go_on; k++) {
		part.to = (uint32_t)((uint64_t)g->n_lids * (k + 1) / POINTS);
		go_on = nue_of(r) ? nue_add_routes(r, part, routes, p)
				  : dfsssp_add_routes(r, part, routes, p);
		memcpy(g->at + (size_t)k * g->n_ports, routes, g->n_ports * sizeof(*routes));
		part.from = part.to;
	}
	for (uint32_t i = 0; i < g->n; i++)
		if (routes[g->link[i]] > g->most)
			g->most = routes[g->link[i]];
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

static uint32_t point(const struct weights_pane_growth *g, uint32_t port, unsigned k)
{
	assert(port < g->n_ports && k < POINTS);
	return g->at[(size_t)k * g->n_ports + port];
}

/* Shows only the links of a switch. */
static void weights_of_switch(struct view *v, uint64_t guid)
{
	struct weights_pane *p = v->priv;
	const struct fabric *f = v->scene->fabric;
	uint32_t node = fabric_node_by_guid(f, guid), end;

	while (p->from < p->g->n && f->port_node[p->g->link[p->from]] != node)
		p->from++;
	for (end = p->from; end < p->g->n && f->port_node[p->g->link[end]] == node;)
		end++;
	v->n_rows = end - p->from;
}

static void weights_load(struct view *v)
{
	struct weights_pane *p = v->priv;
	const struct routing *r = scene_routing(v->scene);

	text_add(&v->title, "Weights");
	if (!weighted(r)) {
		text_add(&v->title, " ── sssp, dfsssp and nue weigh links: `route dfsssp`");
		return;
	}
	text_add(&v->title, " of %s", r->engine);
	p->g = view_ask_value(v, &task_growth, (const uint32_t[TASK_ARGS]){0});
	if (!p->g)
		return;
	v->n_rows = p->g->n;
	if (v->args.arg[0].guid)
		weights_of_switch(v, v->args.arg[0].guid);
	text_add(&v->title, " ── %s from %" PRIu64 " on, %s", PLURAL(v->n_rows, "link"), p->g->start,
		 PLURAL(p->g->n_lids, "destination"));
}

static void weights_row(const struct view *v, uint32_t row, struct table_row *r)
{
	const struct weights_pane *p = v->priv;
	uint32_t port = p->g->link[p->from + row], end = point(p->g, port, POINTS - 1);
	size_t plot = row_text(r, "%s", "");
	uint64_t n[POINTS];
	int half = 0; /* points after which the weight has half of its growth */

	for (unsigned k = 0; k < POINTS; k++) {
		n[k] = point(p->g, port, k);
		half += 2 * n[k] < end;
	}
	/* eighths of the largest growth of any link */
	text_levels(&r->text, n, POINTS, p->g->most);
	half = end ? (half + 1) * 100 / POINTS : -1;
	ROW_VALUES(v, r, port, (int64_t)(p->g->start + end), end, half, (int64_t)plot);
	if (end)
		r->says[3] = row_text(r, "%d%%", half);
	r->footer = row_text(r, "%u of at most %u routes; plot: each sign a %uth of the destinations", end,
			     p->g->most, POINTS);
	row_touch(v, r, 1, T_WEIGHT, port);
	subject_port(v, port, &r->about);
	r->about.key = port;
}

const struct view_ops view_weights = {
	.name = "weights",
	.brief = "sssp, dfsssp, nue: shows the weight of each link at the end of the run, and how it grew",
	.syntax = "[SWITCH]",
	.hints = "follow=ports :pane_usage=usage :fail=fail back=back",
	COLUMNS(weights_columns),
	.flags = VIEW_WIDE | VIEW_CHIPS,
	.priv_size = sizeof(struct weights_pane),
	.load = weights_load,
	.row = weights_row,
	.enter = "pane ports %node; select %number",
	.fold_row = "link",
};
