/*
 * The pane `cdg`: the channel dependency graph of a layer (VL). Without a channel: all channels, those on
 * cycles first. With a channel: its dependencies in both directions.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/trace/walk.h"
#include "views/base/view.h"

enum { C_CHANNEL, C_VL, C_IN, C_OUT, C_ROUTES, C_GROUP, C_HOLDER };

static const struct column cdg_columns[] = {
	COL("channel", "a cable in one direction, named by the port that sends", 19, .flex = 1,
	    .fold = FOLD_CHIP),
	NUM("VL", "the virtual lane of the channel", 2),
	NUM("in", "channels that may wait for this one", 3, .drop = 2, .fold = FOLD_SUM),
	NUM("out", "channels that this one may wait for", 0, .drop = 1, .fold = FOLD_SUM),
	NUM("routes", "routes that go over it", 0, .fold = FOLD_SUM),
	NUM("loop", "number of the group of channels that wait for each other; empty: in none", 4, .drop = 3),
	COL("brought by", "at a step: the pair whose routes brought the dependency", 10,
	    .flex = 1), /* at a step, of a dependency */
};
static_assert(ARRAY_LEN(cdg_columns) == C_HOLDER + 1, "a column for each C_");

/* A channel of the list; or a dependency of the selected channel. */
struct cdg_pane_line {
	uint32_t channel; /* the other channel */
	uint32_t dep;	  /* NO_ID in the list of all channels */
	bool before;	  /* the other channel comes before the selected one */
};

struct cdg_pane {
	int vl;	       /* CDG_ALL_VLS */
	bool switches; /* routes of switches count, too */
	uint64_t guid; /* node of the selected channel, and its port: */
	unsigned port; /* 0 = all channels */
	const struct graph *graph;
	uint32_t self; /* the selected channel, NO_ID = it carries nothing */
	struct cdg_pane_line *line;
	uint32_t n, cap;
	/* At a step of an engine that keeps the dependencies of its layers: these. */
	struct rec_dependency *held;
	uint32_t n_held;
	struct witness *refused; /* the cycle that the step tells, NULL = none */
};

static void cdg_pane_unload(struct view *v)
{
	struct cdg_pane *p = v->priv;

	free(p->line);
	free(p->held);
	witness_free(p->refused);
}

static void cdg_pane_add_line(struct cdg_pane *p, uint32_t channel, uint32_t dep, bool before)
{
	assert(channel < p->graph->cdg->n_channels);
	GROW(p->line, p->n, p->cap);
	p->line[p->n++] = (struct cdg_pane_line){channel, dep, before};
}

struct cdg_pane_placed {
	uint32_t component, channel;
};

COMPARATOR(by_component, struct cdg_pane_placed, UP(component) UP(channel))

/* Components come first, each one together. NO_ID sorts after them. */
static void list_channels(struct cdg_pane *p)
{
	const struct cdg *c = p->graph->cdg;
	AUTO_FREE struct cdg_pane_placed *a = NEW_ARRAY(c->n_channels + 1, struct cdg_pane_placed);
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->n_channels; i++)
		if (p->vl < 0 || c->vl[i] == p->vl)
			a[n++] = (struct cdg_pane_placed){c->component[i], i};
	if (c->n_components)
		qsort(a, n, sizeof(*a), by_component);
	for (uint32_t i = 0; i < n; i++)
		cdg_pane_add_line(p, a[i].channel, NO_ID, false);
}

static uint32_t find_self(const struct view *v)
{
	const struct cdg_pane *p = v->priv;
	const struct fabric *f = v->scene->fabric;
	uint32_t node = fabric_node_by_guid(f, p->guid), found = NO_ID;

	if (node == NO_ID || p->port > f->node_nports[node])
		return NO_ID;
	for (unsigned vl = 0; vl < CDG_VLS && found == NO_ID; vl++)
		if (p->vl < 0 || (unsigned)p->vl == vl)
			found = cdg_find(p->graph->cdg, f->node_port[node] + p->port, vl);
	return found;
}

/* Lists where routes continue after the channel, then where they come from. */
static void list_dependencies(struct cdg_pane *p)
{
	const struct cdg *c = p->graph->cdg;

	assert(p->self < c->n_channels && c->first[c->n_channels] == c->n_deps);
	for (uint32_t i = c->first[p->self]; i < c->first[p->self + 1]; i++)
		cdg_pane_add_line(p, c->to[i], i, false);
	for (uint32_t from = 0, i = 0; i < c->n_deps; i++) {
		while (i >= c->first[from + 1])
			from++;
		if (c->to[i] == p->self)
			cdg_pane_add_line(p, from, i, true);
	}
}

/* --- at a step --------------------------------------------------------------------------------- */

/* An engine's layers are between switches, and so are their dependencies. */
static void cdg_pane_load_step(struct view *v)
{
	struct cdg_pane *p = v->priv;
	const struct moment *m = v->scene->moment;
	const struct rec_scheme *scheme = m ? recording_scheme_of(m->rec)->scheme : NULL;

	if (!scheme || v->scene->sweep == v->scene->real) /* the end of the run is the present */
		return;
	if (scheme->dependencies)
		p->held = scheme->dependencies(m->rec, m->step, &p->n_held);
	p->refused = step_cycle(m);
	if (p->held && p->port)
		v->width[C_HOLDER] = cdg_columns[C_HOLDER].width;
}

/* The first VL of a layer. */
static unsigned lane_of(const struct view *v, unsigned layer)
{
	const struct routing *r = scene_routing(v->scene);
	struct layer_info info = {0};

	if (r->ops->layer && layer < r->ops->n_layers(r))
		r->ops->layer(r, layer, &info);
	return info.vl;
}

/* The layer's dependency that a line is about. NULL: a channel of the list, or no pair brought it. */
static const struct rec_dependency *held_by(const struct view *v, const struct cdg_pane_line *l)
{
	const struct cdg_pane *p = v->priv;
	const struct cdg *c = p->graph->cdg;
	const struct rec_dependency *other = NULL; /* in another layer, if all layers are on one VL */
	uint32_t from, to;

	if (l->dep == NO_ID)
		return NULL;
	from = c->port[l->before ? l->channel : p->self];
	to = c->port[l->before ? p->self : l->channel];
	for (uint32_t i = 0; i < p->n_held; i++) {
		if (p->held[i].from != from || p->held[i].to != to)
			continue;
		if (lane_of(v, p->held[i].layer) == c->vl[l->channel])
			return &p->held[i];
		other = other ? other : &p->held[i];
	}
	return other;
}

/* Dependencies that the last move added, or those of a refusal that would have closed a cycle. */
static bool cdg_channel_touched(const struct view *v, const struct cdg_pane_line *l)
{
	const struct cdg_pane *p = v->priv;
	uint32_t port = p->graph->cdg->port[l->channel];

	for (uint32_t i = 0; p->refused && i < p->refused->n; i++)
		if (p->refused->edge[i].port == port)
			return true;
	for (uint32_t i = 0; l->dep == NO_ID && i < p->n_held; i++)
		if ((p->held[i].from == port || p->held[i].to == port) &&
		    moment_touched(v->scene->moment, T_DEP, p->held[i].at))
			return true;
	return false;
}

/* --- the pane ---------------------------------------------------------------------------------- */

static void cdg_pane_load(struct view *v)
{
	struct cdg_pane *p = v->priv;
	const struct result *r = NULL;

	p->switches = v->args.flag;
	p->vl = v->args.n ? v->args.arg[0].n : CDG_ALL_VLS;
	p->guid = v->args.arg[1].guid;
	p->port = (unsigned)v->args.arg[1].n;
	p->self = NO_ID;
	v->width[C_VL] = v->width[C_GROUP] = v->width[C_HOLDER] = 0;
	cdg_pane_load_step(v);
	if (v->scene->fabric)
		r = view_ask(v, &task_graph, NULL, (const uint32_t[TASK_ARGS]){p->switches || p->held});
	if (!r)
		return;
	p->graph = r->value;
	if (p->port)
		p->self = find_self(v);
	if (!p->port)
		list_channels(p);
	else if (p->self != NO_ID)
		list_dependencies(p);
	v->n_rows = p->n;
	if ((p->vl < 0 && p->graph->cdg->used & (p->graph->cdg->used - 1)) ||
	    (p->port && p->graph->cdg->crosses))
		v->width[C_VL] = cdg_columns[C_VL].width;
	if (p->graph->cdg->n_components)
		v->width[C_GROUP] = cdg_columns[C_GROUP].width;
}

static void self_title(const struct view *v, struct text *t)
{
	const struct cdg_pane *p = v->priv;
	const struct cdg *c = p->graph->cdg;

	if (p->self == NO_ID) {
		text_add(t, " ── no route leaves port %u on it", p->port);
		return;
	}
	text_add(t, ": ");
	label_channel(v->scene->topo, c->port[p->self], false, t);
	text_add(t, ", %s", PLURAL(c->load[p->self], "route"));
}

static void cdg_pane_title(const struct view *v, struct text *t)
{
	const struct cdg_pane *p = v->priv;
	const struct graph *g = p->graph;
	uint32_t deps = 0;

	text_add(t, "CDG");
	if (p->vl >= 0)
		text_add(t, " of VL %d", p->vl);
	if (p->switches)
		text_add(t, " with switches");
	if (!g)
		return;
	if (p->port) {
		self_title(v, t);
		return;
	}
	for (int l = 0; l < CDG_VLS; l++)
		deps += p->vl < 0 || p->vl == l ? g->vl[l].deps : 0;
	text_add(t, " ── %s, %s", PLURAL(p->n, "channel"), PLURAL(deps, "dep"));
	if (v->scene->moment && scene_unfinished(v->scene, T_LAYER))
		text_add(t, " so far");
}

static void cdg_pane_footer(const struct view *v, struct text *t)
{
	const struct cdg_pane *p = v->priv;
	uint32_t row, routes, cyclic = 0;

	if (!p->graph)
		return;
	if (p->port && view_selected(v, &row)) {
		routes = p->graph->cdg->routes[p->line[row].dep];
		text_add(t, "%s %s", PLURAL(routes, "route"),
			 p->line[row].before ? (routes == 1 ? "comes from there" : "come from there")
					     : (routes == 1 ? "goes on there" : "go on there"));
		return;
	}
	if (p->refused) {
		text_add(t, "%s", v->scene->moment->sentence);
		return;
	}
	for (int l = 0; l < CDG_VLS; l++)
		cyclic += p->vl < 0 || p->vl == l ? p->graph->vl[l].on_cycles : 0;
	if (cyclic)
		text_add(t, "* %u channels are on cycles", cyclic);
	else
		text_add(t, "no cycle");
}

static void cdg_row(const struct view *v, uint32_t row, struct table_row *r)
{
	const struct cdg_pane *p = v->priv;
	const struct cdg_pane_line *l = &p->line[row];
	const struct cdg *c = p->graph->cdg;
	const struct fabric *f = v->scene->fabric;
	const struct rec_dependency *held = held_by(v, l);
	uint32_t channel = l->channel, group = c->component[channel];
	const char *way = l->before ? "from " : "to ";
	size_t name = row_text(r, "%s", l->dep == NO_ID ? "" : way), holder = 0;

	if (p->self != NO_ID && group != c->component[p->self])
		group = NO_ID;
	label_channel(v->scene->topo, c->port[channel], false, &r->text);
	if (held)
		holder = row_text(r, "%s - %s", switch_name(f, held->pair / f->n_switches),
				  switch_name(f, held->pair % f->n_switches));
	ROW_VALUES(v, r, (int64_t)name, c->vl[channel], p->graph->in[channel],
		   c->first[channel + 1] - c->first[channel],
		   l->dep == NO_ID ? c->load[channel] : c->routes[l->dep], group == NO_ID ? 0 : group + 1,
		   (int64_t)holder);
	if (group == NO_ID)
		r->says[C_GROUP] = row_text(r, "-");
	r->marks = mark_if(group != NO_ID, MARK_HERE);
	if (held)
		row_touch(v, r, C_HOLDER, T_DEP, held->at);
	else if (v->scene->moment && cdg_channel_touched(v, l))
		r->touched = 1 << C_CHANNEL;
	subject_port(v, c->port[channel], &r->about);
	r->about.key = (uint64_t)c->port[channel] << 8 | (uint64_t)c->vl[channel] << 1 | l->before;
}

/* Of a dependency: without the switch that both channels meet at, and that the title names. */
static bool brief_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const struct cdg_pane *p = v->priv;
	const struct cdg_pane_line *l = &p->line[row];
	const struct topo *tp = v->scene->topo;
	uint32_t port = p->graph->cdg->port[l->channel], peer = tp->peer[port];
	char buf[256];

	if (col != C_CHANNEL || l->dep == NO_ID || peer == NO_ID)
		return false;
	if (l->before)
		text_add(t, "from %s", port_label(tp->fabric, port, buf, sizeof(buf)));
	else
		text_add(t, "to [%s] → %s", port_number(tp->fabric, port, buf, sizeof(buf)),
			 tp->fabric->node_name[tp->fabric->port_node[peer]]);
	return true;
}

static void cdg_pane_follow(const struct view *v, uint32_t row, struct text *t)
{
	const struct cdg_pane *p = v->priv;
	const struct cdg *c = p->graph->cdg;

	text_add(t, "pane cdg %u ", c->vl[p->line[row].channel]);
	word_port(v->scene->fabric, c->port[p->line[row].channel], t);
	if (p->switches)
		text_add(t, " switches");
}

static bool cdg_pane_placeholder(const struct view *v, uint32_t row, const char *what, struct text *t)
{
	const struct cdg_pane *p = v->priv;
	const struct cdg *c = p->graph->cdg;
	uint32_t channel = p->line[row].channel, k = c->component[channel];
	bool loop = !strcmp(what, "loop");

	if (!loop && strcmp(what, "layer") && strcmp(what, "vl"))
		return false;
	text_add(t, "%u", c->vl[channel]);
	if (loop && k != NO_ID) /* not on a cycle: show what is on its VL */
		text_add(t, " %u", cdg_components_below(c, c->vl[channel], k) + 1);
	if (p->switches)
		text_add(t, " switches");
	return true;
}

const struct view_ops view_cdg = {
	.name = "cdg",
	.brief = "lists the channels of a VL, and how many others they wait for or hold up; Enter follows a "
		 "dependency",
	.syntax = "[VL|all [NODE[PORT]]] [switches]",
	.hints = "follow=follow :pane_cycle=loop back=back",
	COLUMNS(cdg_columns),
	.flags = VIEW_DETAIL | VIEW_CHIPS,
	.priv_size = sizeof(struct cdg_pane),
	.load = cdg_pane_load,
	.row = cdg_row,
	.unload = cdg_pane_unload,
	.title = cdg_pane_title,
	.footer = cdg_pane_footer,
	.placeholder = cdg_pane_placeholder,
	.follow = cdg_pane_follow,
	.brief_cell = brief_cell,
	.fold_row = "channel",
};
