/* The panes `cycle` and `drain`: channels that wait for each other. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/traffic/drain.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/session/command.h"
#include "core/session/lesson.h"
#include "core/trace/walk.h"
#include "views/base/view.h"
#include "views/paths/witness.h"

/* The pane `cycle`: a cycle of channels as a closed walk, and the routes that hold each channel while they
 * wait for the next one. For a layer: a shortest cycle of one of its groups, or one step of the cycle with
 * all its routes. For two endports: the cycle that keeps the path between them out of a layer. */

enum { C_WALK, C_VL };

static const struct column cycle_columns[] = {
	COL("channel, and who holds it and wants the next",
	    "a channel of the loop, and below it the routes that hold it while they wait for the next one",
	    20, .flex = 1),
	COL("VL", "the virtual lane of the channel", 2, .right = true, .drop = 1),
	COL("routes", "number of these routes", 0, .right = true),
};

#define HOLDERS 3 /* routes shown per dependency, unless it is shown alone */

/* --- a shortest cycle of a component ------------------------------------------------------ */

struct cycle_pane_walk {
	uint32_t n;
	uint32_t *channel;
	uint32_t *n_routes; /* [n] listed routes */
	struct cdg_route **route;
};

static void free_walk(void *value)
{
	struct cycle_pane_walk *w = value;

	free(w->channel);
	for (uint32_t i = 0; i < w->n; i++)
		free(w->route[i]);
	free(w->n_routes);
	free(w->route);
	free(w);
}

static void find_routes(struct cycle_pane_walk *w, const struct cdg *c, uint32_t i, uint32_t max,
			struct progress *p)
{
	uint32_t dep = cdg_dependency(c, w->channel[i], w->channel[(i + 1) % w->n]),
		 room = MIN(c->routes[dep], max);

	assert(i < w->n && dep != NO_ID);
	w->route[i] = NEW_ARRAY(room, struct cdg_route);
	w->n_routes[i] = (uint32_t)cdg_routes(c, dep, w->route[i], room, p);
}

/* arg: the component; then 0, or the number of the step that is shown alone, from 1. */
static void *run_walk(const struct job *j)
{
	assert(j->base && j->arg[0] < ((const struct graph *)j->base)->cdg->n_components);

	const struct graph *g = j->base;
	const struct cdg *c = g->cdg;
	struct cycle_pane_walk *w = NEW(struct cycle_pane_walk);
	bool go_on;

	w->channel = NEW_ARRAY(c->size[j->arg[0]] + 1, uint32_t);
	w->n = cdg_cycle(c, j->arg[0], w->channel, j->progress);
	w->n_routes = NEW_ARRAY(w->n + 1, uint32_t);
	w->route = NEW_ARRAY(w->n + 1, struct cdg_route *);
	progress_start(j->progress, "routes on the cycle", w->n);
	go_on = w->n != 0;
	for (uint32_t i = 0; i < w->n && go_on; i++) {
		if (!j->arg[1] || j->arg[1] == i + 1)
			find_routes(w, c, i, j->arg[1] ? UINT32_MAX : HOLDERS, j->progress);
		go_on = progress_step(j->progress, i);
	}
	if (go_on)
		return w;
	free_walk(w);
	return NULL;
}

static const struct task task_walk = {.run = run_walk, .free = free_walk};

/* --- the pane ---------------------------------------------------------------------------------- */

enum kind { EDGE, ROUTE, PAIR, OWN, LID, MORE, CLOSE, NEXT };

struct cycle_pane_line {
	enum kind kind;
	uint32_t edge; /* index in the walk */
	uint32_t k;    /* ROUTE: its number; MORE: the number of them */
};

struct cycle_pane {
	bool pair;		    /* about two endports */
	bool told;		    /* at a step of an engine whose events tell cycles: that cycle, or none */
	struct witness *step_cycle; /* owned; NULL: the step tells none */
	bool switches;		    /* routes of switches count, too */
	int want_vl;		    /* CDG_ALL_VLS: the first VL with a group */
	unsigned group;		    /* from 0, among those that touch the VL */
	unsigned step;		    /* the one shown alone, from 1; 0 = all */
	uint64_t guid[2];	    /* port GUIDs of the endports */
	unsigned want_lid[2];
	int want_layer; /* a layer that refused them, -1 = the highest one */
	int vl, layer;	/* those shown; -1 = none */
	const struct graph *graph;
	const struct cycle_pane_walk *walk;
	const struct witness *witness;
	unsigned lid[2]; /* 0 = there is none */
	uint32_t n_groups, component;
	struct cycle_pane_line *line;
	uint32_t n, cap;
};

static void cycle_pane_unload(struct view *v)
{
	struct cycle_pane *p = v->priv;

	free(p->line);
	witness_free(p->step_cycle);
}

/* Is it a cycle that keeps something out of a layer? */
static bool is_witness(const struct cycle_pane *p)
{
	return p->pair || p->told;
}

static void cycle_pane_add_line(struct cycle_pane *p, enum kind kind, uint32_t edge, uint32_t k)
{
	GROW(p->line, p->n, p->cap);
	p->line[p->n++] = (struct cycle_pane_line){kind, edge, k};
}

static uint32_t edge_routes(const struct cycle_pane *p, uint32_t i)
{
	const struct cdg *c;
	const struct cycle_pane_walk *w = p->walk;

	if (is_witness(p))
		return p->witness->edge[i].routes;
	c = p->graph->cdg;
	return c->routes[cdg_dependency(c, w->channel[i], w->channel[(i + 1) % w->n])];
}

static void list_walk(struct cycle_pane *p)
{
	const struct cycle_pane_walk *w = p->walk;

	assert(p->graph && w->n);
	for (uint32_t i = 0; i < w->n; i++) {
		uint32_t all = edge_routes(p, i);

		if (p->step && p->step != i + 1)
			continue;
		cycle_pane_add_line(p, EDGE, i, 0);
		for (uint32_t k = 0; k < w->n_routes[i]; k++)
			cycle_pane_add_line(p, ROUTE, i, k);
		if (all > w->n_routes[i] && !p->step)
			cycle_pane_add_line(p, MORE, i, all - w->n_routes[i]);
	}
	if (p->step)
		return;
	cycle_pane_add_line(p, CLOSE, 0, 0);
	if (p->group + 1 < p->n_groups)
		cycle_pane_add_line(p, NEXT, 0, p->group + 2);
}

static void list_witness(struct cycle_pane *p)
{
	const struct witness *w = p->witness;

	for (uint32_t i = 0; i < w->n; i++) {
		cycle_pane_add_line(p, EDGE, i, 0);
		if (w->edge[i].own)
			cycle_pane_add_line(p, OWN, i, 0);
		if (w->edge[i].routes && w->edge[i].sw != NO_ID)
			cycle_pane_add_line(p, PAIR, i, 0);
		if (w->edge[i].routes > 1 && w->edge[i].sw != NO_ID)
			cycle_pane_add_line(p, MORE, i, w->edge[i].routes - 1);
	}
	if (w->n)
		cycle_pane_add_line(p, CLOSE, 0, 0);
}

/* Finds the requested group of the VL; without a VL, the first one. */
static bool find_component(struct cycle_pane *p)
{
	for (int l = 0; l < CDG_VLS; l++) {
		p->n_groups = p->graph->vl[l].components;
		if (p->want_vl == l || (p->want_vl < 0 && p->n_groups)) {
			p->vl = l;
			p->component = cdg_component_on(p->graph->cdg, l, p->group);
			return p->component != NO_ID;
		}
	}
	p->n_groups = 0;
	return false;
}

static void load_cycle(struct view *v)
{
	struct cycle_pane *p = v->priv;
	const struct result *g, *r;

	g = view_ask(v, &task_graph, NULL, (const uint32_t[TASK_ARGS]){p->switches});

	if (!g)
		return;
	p->graph = g->value;
	if (!find_component(p))
		return;
	r = view_ask(v, &task_walk, g, (const uint32_t[TASK_ARGS]){p->component, p->step});
	if (!r)
		return;
	p->walk = r->value;
	list_walk(p);
}

/* The requested LID, if the endport still has it; else its first LID. */
static unsigned lid_now(const struct scene *sc, uint64_t guid, unsigned want)
{
	uint32_t ep = fabric_endport_by_guid(sc->fabric, guid);

	if (ep == NO_ID)
		return 0;
	return want && lid_owner(sc->sweep->lids, want) == ep ? want : sc->sweep->lids->base[ep];
}

static bool layer_of_pair(const struct view *v, struct pair_layer *pl)
{
	const struct cycle_pane *p = v->priv;
	const struct routing_ops *ops = scene_ops(v->scene);

	return ops->pair_layer && p->lid[0] && p->lid[1] &&
	       ops->pair_layer(scene_routing(v->scene), p->lid[0], p->lid[1], pl);
}

static void load_pair(struct view *v)
{
	struct cycle_pane *p = v->priv;
	struct pair_layer pl;

	for (unsigned i = 0; i < 2; i++)
		p->lid[i] = lid_now(v->scene, p->guid[i], p->want_lid[i]);
	if (!scene_ops(v->scene)->witness || !layer_of_pair(v, &pl) || p->layer >= (int)pl.first)
		return;
	if (p->layer < 0)
		p->layer = (int)pl.first - 1;
	if (p->layer < 0)
		return;
	p->witness = view_ask_value(v, &task_witness,
				    (const uint32_t[TASK_ARGS]){p->lid[0], p->lid[1], (uint32_t)p->layer});
	if (p->witness)
		list_witness(p);
}

/* Shows the cycle of the step, not those of the tables so far. */
static void cycle_pane_load_step(struct view *v)
{
	struct cycle_pane *p = v->priv;

	p->witness = p->step_cycle = step_cycle(v->scene->moment);
	if (p->witness && step_holder(v->scene->moment, 0) >= 0) { /* trees of LIDs hold its channels */
		for (uint32_t i = 0; i < p->witness->n; i++) {
			cycle_pane_add_line(p, EDGE, i, 0);
			cycle_pane_add_line(p, LID, i, 0);
		}
		cycle_pane_add_line(p, CLOSE, 0, 0);
	} else if (p->witness) {
		list_witness(p);
	}
}

static void cycle_pane_load(struct view *v)
{
	struct cycle_pane *p = v->priv;
	const struct moment *m = v->scene->moment;

	p->switches = v->args.flag;
	p->pair = v->args.arg[0].kind == VIEW_ARG_ENDPORT;
	p->want_vl = v->args.n && !p->pair ? v->args.arg[0].n : CDG_ALL_VLS;
	p->want_layer = p->pair && v->args.n > 2 ? v->args.arg[2].n : -1;
	for (unsigned i = 0; p->pair && i < 2; i++) {
		p->guid[i] = v->args.arg[i].guid;
		p->want_lid[i] = (unsigned)v->args.arg[i].n;
	}
	p->group = !p->pair && v->args.n > 1 ? (unsigned)v->args.arg[1].n - 1 : 0;
	p->step = !p->pair && v->args.n > 2 ? (unsigned)v->args.arg[2].n : 0;
	p->told = m && !p->pair && (recording_cells(m->rec, T_LAYER) || recording_cells(m->rec, T_COLOUR));
	p->vl = p->want_vl;
	p->layer = p->want_layer;
	if (!v->scene->fabric || !scene_routing(v->scene))
		return;
	if (p->pair)
		load_pair(v);
	else if (p->told)
		cycle_pane_load_step(v);
	else
		load_cycle(v);
	v->n_rows = p->n;
	if (is_witness(p))
		v->width[C_VL] = 0;
}

/* --- cells ----------------------------------------------------------------------------------------- */

/* Tells which layer took a path that was not refused, or not by the requested layer. */
static void taken_title(const struct view *v, struct text *t)
{
	const struct cycle_pane *p = v->priv;
	struct pair_layer pl;

	if (!layer_of_pair(v, &pl))
		text_add(t, " ── in no layer");
	else if (!scene_ops(v->scene)->witness)
		text_add(t, " ── in layer %u; %s keeps nothing out of a layer for a cycle", pl.now,
			 scene_routing(v->scene)->engine);
	else if (p->layer >= 0)
		text_add(t, " ── layer %d did not refuse the pair", p->layer);
	else if (pl.now == pl.first)
		text_add(t, " ── the lowest layer took the pair");
	else
		text_add(t, " ── layer %u took the pair; balancing moved it to layer %u", pl.first, pl.now);
}

static void pair_title(const struct view *v, struct text *t)
{
	const struct cycle_pane *p = v->priv;
	const struct fabric *f = v->scene->fabric;

	for (unsigned i = 0; i < 2; i++) {
		uint32_t ep = f ? fabric_endport_by_guid(f, p->guid[i]) : NO_ID;

		text_add(t, i ? " and " : "");
		if (ep == NO_ID)
			text_putc(t, '?');
		else
			label_endport(f, ep, t);
	}
	if (!f || !scene_ops(v->scene)->pair_layer)
		text_add(t, " ── no layers: routed by lash, dfsssp or nue they would have one");
	else if (v->waiting || p->n)
		text_add(t, " ── why not in layer %d", p->layer);
	else
		taken_title(v, t);
}

static void step_title(const struct view *v, struct text *t)
{
	const struct cycle_pane *p = v->priv;
	const struct moment *m = v->scene->moment;

	text_add(t, "Cycle");
	if (!p->witness)
		text_add(t, " ── no refusal at this step");
	if (!p->witness)
		return;
	text_add(t, " ── ");
	step_cycle_title(m, t);
	text_add(t, ": %s", PLURAL(p->witness->n, "channel"));
}

static void cycle_pane_title(const struct view *v, struct text *t)
{
	const struct cycle_pane *p = v->priv;

	if (p->pair || p->told) {
		(p->pair ? pair_title : step_title)(v, t);
		return;
	}
	text_add(t, "Credit loops");
	if (p->vl >= 0)
		text_add(t, " of VL %d", p->vl);
	if (p->switches)
		text_add(t, " with switches");
	if (!p->graph)
		return;
	if (!p->n_groups)
		text_add(t, " ── none, %u dependencies are free of cycles",
			 p->vl < 0 ? p->graph->cdg->n_deps : p->graph->vl[p->vl].deps);
	else if (p->group >= p->n_groups)
		text_add(t, " ── %s, no number %u", PLURAL(p->n_groups, "group"), p->group + 1);
	else
		text_add(t, " ── group %u of %u: %u channels", p->group + 1, p->n_groups,
			 p->graph->cdg->size[p->component]);
	if (p->step && p->walk)
		text_add(t, p->step > p->walk->n ? ", no step %u" : ", step %u", p->step);
}

static void cycle_pane_footer(const struct view *v, struct text *t)
{
	const struct cycle_pane *p = v->priv;

	if (p->walk && p->step)
		text_add(t, "all routes of a step; the cycle has %u", p->walk->n);
	else if (p->walk)
		text_add(t, "a shortest cycle of the group: %s", PLURAL(p->walk->n, "channel"));
	if (p->told)
		text_add(t, "%s", v->scene->moment->sentence);
	else if (p->witness && p->witness->n)
		text_add(t,
			 p->witness->cut == NO_ID ? "%u channels: the pair would have closed the cycle"
						  : "%u channels: the cut moved the pair one layer up",
			 p->witness->n);
}

static uint32_t edge_port(const struct cycle_pane *p, uint32_t i)
{
	return is_witness(p) ? p->witness->edge[i].port : p->graph->cdg->port[p->walk->channel[i]];
}

static void walk_cell(const struct view *v, const struct cycle_pane_line *l, struct text *t)
{
	const struct cycle_pane *p = v->priv;
	const struct fabric *f = v->scene->fabric;
	const struct cdg_route *route;
	uint32_t port;
	int lid;

	switch (l->kind) {
	case EDGE:
		label_channel(v->scene->topo, edge_port(p, l->edge), true, t);
		if (is_witness(p) && p->witness->cut == l->edge)
			text_add(t, "; the fewest go on: cut here");
		break;
	case ROUTE:
		route = &p->walk->route[l->edge][l->k];
		text_add(t, "    ");
		label_endport(f, route->source, t);
		text_add(t, " to ");
		lid_label(f, v->scene->sweep->lids, route->dlid, t);
		text_add(t, " (LID %u)", route->dlid);
		break;
	case PAIR:
		text_add(t, "    %s to %s", switch_name(f, p->witness->edge[l->edge].sw),
			 switch_name(f, p->witness->edge[l->edge].sw2));
		break;
	case OWN:
		text_add(t, "    ");
		if (p->told)
			text_add(t, "%s to %s, ", switch_name(f, p->witness->edge[l->edge].sw),
				 switch_name(f, p->witness->edge[l->edge].sw2));
		text_add(t, "this pair");
		break;
	case LID: /* the tree that holds a channel of a step's cycle */
		lid = step_holder(v->scene->moment, l->edge);
		text_add(t, "    ");
		if (lid <= 0) {
			text_add(t, "the escape paths");
			break;
		}
		lid_label(f, v->scene->sweep->lids, (unsigned)lid, t);
		text_add(t, " (LID %d)", lid);
		break;
	case MORE:
		text_add(t, "    and %u more", l->k);
		break;
	case CLOSE:
		port = edge_port(p, 0);
		text_add(t, "%s, where it began", f->node_name[f->port_node[port]]);
		break;
	case NEXT:
		text_add(t, "next: group %u of %u", l->k, p->n_groups);
		break;
	}
}

static void cycle_row(const struct view *v, uint32_t row, struct table_row *r)
{
	const struct cycle_pane *p = v->priv;
	const struct cycle_pane_line *l = &p->line[row];
	size_t walk = row_text(r, "%s", ""), vl = 0, routes = 0;
	struct subject *s = &r->about;

	walk_cell(v, l, &r->text);
	if (l->kind == EDGE && !is_witness(p))
		vl = row_text(r, "%u", p->graph->cdg->vl[p->walk->channel[l->edge]]);
	if (l->kind == EDGE)
		routes = row_text(r, "%u", edge_routes(p, l->edge));
	ROW_VALUES(v, r, (int64_t)walk, (int64_t)vl, (int64_t)routes);
	r->marks = mark_if(l->kind == EDGE || l->kind == CLOSE, MARK_HERE);
	if (p->told) {
		/* the dependency that would close the cycle */
		r->touched = mark_if(l->kind != CLOSE && p->witness->edge[l->edge].own, 1 << C_WALK);
		s->layer = step_layer(v->scene->moment);
	}
	if (l->kind == NEXT)
		return;
	subject_port(v, edge_port(p, l->edge), s);
	if (l->kind == CLOSE)
		s->chip = NO_ID;
	if (l->kind == ROUTE) {
		s->src = (struct end){END_LID, p->walk->route[l->edge][l->k].slid};
		s->dst = (struct end){END_LID, p->walk->route[l->edge][l->k].dlid};
	}
}

/* The channels out of chips of the element, and where the last one leads. */
static bool cycle_pane_head(const struct view *v, const char *element, const uint32_t *row, uint32_t n,
			    unsigned col, struct text *t)
{
	const struct cycle_pane *p = v->priv;
	const struct topo *tp = v->scene->topo;
	uint32_t edges = 0, peer;

	if (col != C_WALK)
		return false;
	for (uint32_t i = 0; i < n; i++)
		edges += p->line[row[i]].kind == EDGE;
	text_add(t, "%s: %u channel%s", element, edges, edges == 1 ? "" : "s");
	peer = tp->peer[edge_port(p, p->line[row[n - 1]].edge)];
	if (peer != NO_ID)
		text_add(t, ", to %s", tp->fabric->node_name[tp->fabric->port_node[peer]]);
	return true;
}

static void cycle_pane_follow(const struct view *v, uint32_t row, struct text *t)
{
	const struct cycle_pane *p = v->priv;
	const struct fabric *f = v->scene->fabric;
	const struct cycle_pane_line *l = &p->line[row];

	if (l->kind == ROUTE) {
		const struct cdg_route *r = &p->walk->route[l->edge][l->k];

		text_add(t, "pane path %u %u", r->slid, r->dlid);
	} else if (l->kind == OWN && p->pair) {
		text_add(t, "pane path %u %u", p->lid[0], p->lid[1]);
	} else if (l->kind == PAIR || (l->kind == OWN && p->told)) {
		const struct witness_edge *e = &p->witness->edge[l->edge];

		text_add(t, "pane path ");
		word_node(f, f->switch_node[e->sw], t);
		text_putc(t, ' ');
		word_node(f, f->switch_node[e->sw2], t);
	} else if (l->kind == NEXT) {
		text_add(t, "pane cycle %d %u", p->vl, l->k);
	} else if (l->kind == MORE && !is_witness(p)) {
		text_add(t, "pane cycle %d %u %u", p->vl, p->group + 1, l->edge + 1);
	} else if (!is_witness(p)) {
		text_add(t, "pane cdg %u ", p->graph->cdg->vl[p->walk->channel[l->edge]]);
		word_port(f, edge_port(p, l->edge), t);
	}
	if (p->switches && !is_witness(p) && l->kind != ROUTE)
		text_add(t, " switches");
}

static bool cycle_pane_placeholder(const struct view *v, uint32_t row, const char *what, struct text *t)
{
	const struct cycle_pane *p = v->priv;
	const struct cycle_pane_line *l = &p->line[row];

	if (p->told || p->pair || l->kind == NEXT || strcmp(what, "layer"))
		return false;
	text_add(t, p->switches ? "%u switches" : "%u", p->graph->cdg->vl[p->walk->channel[l->edge]]);
	return true;
}

const struct view_ops view_cycle = {
	.name = "cycle",
	.brief = "shows a credit loop channel by channel, with routes that hold each; or the loop that keeps "
		 "a path out of a layer",
	.syntax = "[VL [GROUP [STEP]] [switches] | all [switches] | SRC DST [LAYER]]",
	.hints = "follow=follow :fail=fail :trace=trace back=back",
	COLUMNS(cycle_columns),
	.flags = VIEW_DETAIL | VIEW_WIDE | VIEW_SEQUENCE | VIEW_CHIPS,
	.priv_size = sizeof(struct cycle_pane),
	.load = cycle_pane_load,
	.row = cycle_row,
	.unload = cycle_pane_unload,
	.title = cycle_pane_title,
	.footer = cycle_pane_footer,
	.placeholder = cycle_pane_placeholder,
	.follow = cycle_pane_follow,
	.head = cycle_pane_head,
};

/* The pane `drain`: channels with packets at the round that is shown, and what they wait for. */

static const struct column drain_columns[] = {
	COL("channel", "a directed cable; its buffer is at its far end", 20, .flex = 1),
	COL("VL", "its virtual lane", 2, .right = true, .drop = 1),
	NUM("held", "packets in it", 4),
	COL("first packet", "from whom to whom the first packet goes", 20, .flex = 1),
	COL("wants", "the channel that it goes on to; empty: a host takes it", 16, .flex = 1, .drop = 2),
	COL("waits", "waits: that channel is full; circle: it is one of those that wait for each other", 6),
};

/* Copied, as the packets move on. */
struct drain_pane_row {
	uint32_t channel, wants;
	uint32_t src;
	uint16_t lid;
	uint8_t held;
	bool waits, circle;
};

struct drain_pane {
	struct drain_pane_row *row; /* [n_rows], those of the circle first */
	uint32_t round, rounds, arrived, packets;
	enum drain_end end;
	unsigned buffers; /* 0: no packets are moved */
};

static struct drain_pane_row drain_pane_row_of(const struct drain *d, uint32_t c, bool circle)
{
	const struct drain_packet *p = &d->packet[drain_packet_in(d, c, 0)];

	return (struct drain_pane_row){.channel = c,
				       .wants = drain_wants(d, c),
				       .src = p->src,
				       .lid = p->lid,
				       .held = (uint8_t)drain_held(d, c),
				       .waits = drain_waits(d, c),
				       .circle = circle};
}

static void drain_pane_load(struct view *v)
{
	struct drain_pane *p = v->priv;
	const struct drain *d = v->scene->session ? session_drain(v->scene->session) : NULL;
	uint32_t n;
	AUTO_FREE uint32_t *circle = NULL;
	AUTO_FREE uint8_t *taken = NULL;

	if (!d || !v->scene->real) {
		text_add(&v->footer,
			 "`drain cycle` fills a credit loop, `drain all` sends from every host to every "
			 "other");
		return;
	}
	text_add(&v->footer, "%s a channel; a model, not a timing", PLURAL(d->buffers, "place"));
	p->buffers = d->buffers;
	p->round = d->round;
	p->rounds = d->rounds;
	p->arrived = d->arrived;
	p->packets = d->n_packets;
	p->end = d->end;
	p->row = VIEW_ARRAY(v, d->inside + 1u, struct drain_pane_row);
	taken = NEW_ARRAY((size_t)v->scene->fabric->n_ports * DRAIN_VLS + 1, uint8_t);
	circle = drain_circle(d, &n);
	for (uint32_t i = 0; i < n; i++) {
		p->row[v->n_rows++] = drain_pane_row_of(d, circle[i], true);
		taken[circle[i]] = 1;
	}
	for (uint32_t c = drain_next(d, 0); c != NO_ID; c = drain_next(d, c + 1))
		if (!taken[c])
			p->row[v->n_rows++] = drain_pane_row_of(d, c, false);
}

static void drain_pane_title(const struct view *v, struct text *t)
{
	const struct drain_pane *p = v->priv;
	int pace = p->buffers ? session_playing(v->scene->session) : -1;

	text_add(t, "Drain");
	if (!p->buffers) {
		text_add(t, " ── no packets are moved");
		return;
	}
	if (pace >= 0)
		text_add(t, " plays, %u rounds/s", play_paces[pace].frames);
	text_add(t, " %u/%u ── %s%u of %u arrived", p->round, p->rounds,
		 p->end == DRAIN_STOPPED ? "nobody can move: " : "", p->arrived, p->packets);
}

static void drain_row(const struct view *v, uint32_t row, struct table_row *r)
{
	const struct drain_pane_row *d = &((const struct drain_pane *)v->priv)->row[row];
	const struct topo *tp = v->scene->real_topo;
	size_t channel = row_text(r, "%s", ""), first, wants, waits = 0;

	label_channel(tp, drain_port(d->channel), true, &r->text);
	first = row_text(r, "%s", "");
	label_endport(tp->fabric, d->src, &r->text);
	text_add(&r->text, " to ");
	lid_label(tp->fabric, v->scene->real->lids, d->lid, &r->text);
	wants = row_text(r, "%s", "");
	if (d->wants != NO_ID)
		label_channel(tp, drain_port(d->wants), false, &r->text);
	if (d->circle || d->waits)
		waits = row_text(r, d->circle ? "circle" : "waits");
	ROW_VALUES(v, r, (int64_t)channel, row_text(r, "%u", drain_vl(d->channel)), d->held, (int64_t)first,
		   (int64_t)wants, (int64_t)waits);
	r->marks = mark_if(d->circle, MARK_HERE);
	subject_port(v, drain_port(d->channel), &r->about);
	r->about.key = r->about.key << 4 ^ drain_vl(d->channel);
	r->about.src = (struct end){END_LID, v->scene->real->lids->base[d->src]};
	r->about.dst = (struct end){END_LID, d->lid};
}

const struct view_ops view_drain = {
	.name = "drain",
	.brief = "shows the packets that `drain` moves: who is in which channel, what they want, who "
		 "waits for whom",
	.hints = ":drain_next=next :drain_back=back :drain_last=last :drain_first=first :drain_pause=play "
		 "follow=path",
	.enter = "pane path %src %dst",
	COLUMNS(drain_columns),
	.flags = VIEW_PRESENT,
	.priv_size = sizeof(struct drain_pane),
	.load = drain_pane_load,
	.row = drain_row,
	.title = drain_pane_title,
};
