/*
 * The pane `weights`: the final weight of each directed link between switches in a run of sssp, dfsssp or
 * nue, and its growth from destination to destination.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/memory.h"
#include "core/sm/ucast_cache.h"
#include "core/trace/moment.h"
#include "engines/dfsssp/dfsssp.h"
#include "engines/nue/nue.h"
#include "views/base/view.h"

enum { C_CHANNEL, C_WEIGHT, C_GROWTH, C_HALF, C_RUN };

#define POINTS 16 /* points of a plot */

static const struct column columns[] = {
	COL("link", "a cable in one direction, named by the port that sends", 14, .flex = 1,
	    .fold = FOLD_CHIP),
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
	return g->at[(size_t)k * g->n_ports + port];
}

static uint32_t weights_pane_port_of(const struct view *v, uint32_t row)
{
	const struct weights_pane *p = v->priv;

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
	case C_CHANNEL:
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
	COLUMNS(columns),
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
