/* The map's overlays: marks on switches, and links drawn between them. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "core/analysis/credit/turns.h"
#include "core/analysis/traffic/drain.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/routing/paths.h"
#include "core/sm/ucast_cache.h"
#include "core/trace/walk.h"
#include "views/analysis/check.h"
#include "views/base/view.h"
#include "views/map/map.h"
#include "views/paths/witness.h"

#define STAR 0x25c6   /* ◆ */
#define HOLLOW 0x25c7 /* ◇ */

const char *const map_overlay_names[] = {"none",    "links",	    "path",  "cycle", "turn",
					 "layer",   "dependencies", "flows", "drain", "failed",
					 "changed", "transition",   NULL};
static_assert(ARRAY_LEN(map_overlay_names) == MAP_OVERLAYS + 1, "a name for each overlay");

/* --- computed by another thread ------------------------------------------------------------------ */

/* The channels of a shortest cycle, ended by NO_ID. arg: the component. */
static void *run_cycle(const struct job *j)
{
	assert(j->arg[0] < ((const struct graph *)j->base)->cdg->n_components);

	const struct graph *g = j->base;
	uint32_t *cycle = NEW_ARRAY((size_t)g->cdg->size[j->arg[0]] + 1, uint32_t),
		 n = cdg_cycle(g->cdg, j->arg[0], cycle, j->progress);

	cycle[n] = NO_ID;
	if (n)
		return cycle;
	free(cycle);
	return NULL;
}

static const struct task task_cycle = {.run = run_cycle, .free = free};

enum { FLOW_BEFORE = 1, FLOW_AFTER = 2 };

/* The state of a switch for one destination: does its route pass the link? */
enum { UNKNOWN, PASSES, MISSES, WALKED };

struct flow_walk {
	const struct routing *r;
	const struct topo *t;
	uint32_t sw; /* the switch that sends over the link, NO_ID: a host sends */
	uint32_t port;
	uint8_t *at;   /* [n_switches] for this destination */
	uint32_t *way; /* [n_switches] */
	uint8_t *out;  /* as map.flows */
};

/* The next switch of the route to a LID, and the port that leads there. NO_ID: the route ends. */
static uint32_t overlays_next_switch(const struct flow_walk *k, uint32_t sw, unsigned lid, uint32_t *port)
{
	unsigned out = routing_next_port(k->r, sw, lid);

	if (!out || out > k->t->fabric->switch_nports[sw])
		return NO_ID;
	*port = switch_port_id(k->t->fabric, sw, out);
	return k->t->peer_switch[*port];
}

/* Marks the route from a switch, if it passes the link. */
static void walk_before(struct flow_walk *k, uint32_t from, unsigned lid)
{
	uint32_t n = 0, s = from, port = 0;
	bool passes = false;

	while (s != NO_ID && k->at[s] == UNKNOWN && n < k->t->fabric->n_switches) {
		k->way[n++] = s;
		k->at[s] = MISSES; /* may be corrected below */
		if (s == k->sw) {
			overlays_next_switch(k, s, lid, &port);
			passes = port == k->port;
			break;
		}
		s = overlays_next_switch(k, s, lid, &port);
	}
	if (s != NO_ID && n && s != k->way[n - 1])
		passes = k->at[s] == PASSES;
	for (uint32_t i = 0; passes && i < n; i++) {
		k->at[k->way[i]] = PASSES;
		k->out[k->way[i]] |= FLOW_BEFORE;
		if (k->way[i] != k->sw && overlays_next_switch(k, k->way[i], lid, &port) != NO_ID)
			k->out[k->t->fabric->n_switches + port] |= FLOW_BEFORE;
	}
}

static void walk_after(struct flow_walk *k, uint32_t s, unsigned lid)
{
	uint32_t port = 0, next;

	for (uint32_t n = 0; s != NO_ID && n < k->t->fabric->n_switches; n++, s = next) {
		k->out[s] |= FLOW_AFTER;
		next = overlays_next_switch(k, s, lid, &port);
		if (next != NO_ID)
			k->out[k->t->fabric->n_switches + port] |= FLOW_AFTER;
	}
}

static void one_destination(struct flow_walk *k, unsigned lid, const uint32_t *host, uint32_t n_hosts)
{
	uint32_t port = 0;

	if (k->sw != NO_ID) {
		unsigned out = routing_next_port(k->r, k->sw, lid);

		if (!out || out > k->t->fabric->switch_nports[k->sw] ||
		    switch_port_id(k->t->fabric, k->sw, out) != k->port)
			return;
		memset(k->at, UNKNOWN, k->t->fabric->n_switches);
		for (uint32_t i = 0; i < n_hosts; i++)
			walk_before(k, host[i], lid);
		if (k->at[k->sw] != PASSES)
			return;
	}
	port = k->t->peer[k->port];
	if (port != NO_ID && k->t->fabric->node_switch[k->t->fabric->port_node[port]] != NO_ID)
		walk_after(k, k->t->fabric->node_switch[k->t->fabric->port_node[port]], lid);
}

/* The switches with hosts. */
static uint32_t *overlays_host_switches(const struct topo *t, uint32_t *n)
{
	const struct fabric *f = t->fabric;
	uint32_t *sw = NEW_ARRAY(f->n_switches + 1, uint32_t);
	AUTO_FREE uint8_t *has = NEW_ARRAY(f->n_switches + 1, uint8_t);

	*n = 0;
	for (uint32_t ep = 0; ep < f->n_endports; ep++)
		if (t->endport_up[ep] && !endport_is_switch(f, ep) && t->endport_switch[ep] != NO_ID)
			has[t->endport_switch[ep]] = 1;
	for (uint32_t s = 0; s < f->n_switches; s++)
		if (has[s])
			sw[(*n)++] = s;
	return sw;
}

/* Marks switches and ports before and after the link out of port arg[0]. */
static void *overlays_run_flows(const struct job *j)
{
	assert(j->arg[0] < j->sweep->fabric->n_ports);

	const struct fabric *f = j->sweep->fabric;
	AUTO_ARENA void *arena = ARENA_EMPTY;
	struct flow_walk k = {.r = j->sweep->routing, .t = j->sweep->topo, .port = j->arg[0]};
	uint32_t n_hosts;
	AUTO_FREE uint32_t *host = overlays_host_switches(j->sweep->topo, &n_hosts);
	bool go_on = true;

	k.sw = f->node_switch[f->port_node[j->arg[0]]];
	k.at = ARENA_ARRAY(arena, f->n_switches + 1, uint8_t);
	k.way = ARENA_ARRAY(arena, f->n_switches + 1, uint32_t);
	k.out = NEW_ARRAY((size_t)f->n_switches + f->n_ports + 1, uint8_t);
	progress_start(j->progress, "routes over the link", f->n_endports);
	for (uint32_t ep = 0; ep < f->n_endports && go_on; ep++) {
		if (j->sweep->topo->endport_up[ep] && !endport_is_switch(f, ep) && j->sweep->lids->base[ep])
			one_destination(&k, j->sweep->lids->base[ep], host, n_hosts);
		go_on = progress_step(j->progress, ep);
	}
	if (go_on)
		return k.out;
	free(k.out);
	return NULL;
}

static const struct task task_flow_marks = {.run = overlays_run_flows, .free = free};

/* --- marks ------------------------------------------------------------------------------------------ */

static uint32_t overlays_switch_of(const struct view *v, uint32_t port)
{
	const struct fabric *f = v->scene->fabric;

	return port == NO_ID ? NO_ID : f->node_switch[f->port_node[port]];
}

static void set_mark(struct map *m, uint32_t sw, uint32_t ch, enum canvas_role role)
{
	assert(sw < m->layout->n && role < CANVAS_ROLES);
	m->mark[sw] = ch;
	m->mark_role[sw] = (uint8_t)role;
}

/* Marks the channel out of a port, and adds its line if it leads to a switch. */
static void overlays_add_channel(const struct view *v, uint32_t port, unsigned bit, enum canvas_role role)
{
	assert(port < v->scene->fabric->n_ports);

	struct map *m = map_of(v);
	uint32_t from = overlays_switch_of(v, port),
		 to = overlays_switch_of(v, v->scene->fabric->port_peer[port]);

	m->channel[port] |= (uint8_t)bit;
	if (from == NO_ID || to == NO_ID || from == to)
		return;
	GROW(m->line, m->n_lines, m->cap_lines);
	m->line[m->n_lines++] = (struct map_line){from, to, port, (uint8_t)role};
}

static void add_stop(struct map *m, uint32_t sw, uint32_t port, char *text)
{
	assert(sw < m->layout->n);
	GROW(m->stop, m->n_stops, m->cap_stops);
	m->stop[m->n_stops++] = (struct map_stop){sw, port, text};
}

/* --- links of the selection --------------------------------------------------------------------------- */

static void mark_links(struct view *v)
{
	struct map *m = map_of(v);
	const struct layout *l = m->layout;
	uint32_t sw = map_selected(v);

	text_add(&m->meaning, map_colour_digits(v) ? "bold: linked" : "S selected   ● linked");
	for (uint32_t i = sw == NO_ID ? 0 : l->first[sw]; sw != NO_ID && i < l->first[sw + 1]; i++) {
		uint32_t port = l->port[l->cable[i]]; /* the busiest cable */

		for (uint32_t k = l->cable[i]; m->load && k < l->cable[i + 1]; k++)
			port = m->load[l->port[k]] > m->load[port] ? l->port[k] : port;
		set_mark(m, l->to[i], MAP_DISC, CANVAS_MARK);
		overlays_add_channel(v, port, MAP_ON_LINKS, CANVAS_MARK);
	}
}

/* --- path ---------------------------------------------------------------------------------------------- */

/* The last pair of endports looked at, swapped for the choice "back". False: there is none. */
static bool path_ends(const struct view *v, uint32_t ep[2])
{
	const struct scene *sc = v->scene;
	const struct looked *l = &sc->looked;
	bool back = map_of(v)->overlay == MAP_PATH && map_of(v)->choice == 1;

	if (!sc->fabric || !scene_routing(sc) || !l->src || !l->dst)
		return false;
	ep[back] = fabric_endport_by_guid(sc->fabric, l->src);
	ep[!back] = fabric_endport_by_guid(sc->fabric, l->dst);
	return ep[0] != NO_ID && ep[1] != NO_ID;
}

static void trace_pair(const struct view *v, const uint32_t ep[2], struct path *p)
{
	const struct sweep *w = v->scene->sweep;

	path_trace(w->routing, ep[0], w->lids->base[ep[0]], w->lids->base[ep[1]], p);
}

/* The text about a hop. The caller frees it, as those of the next functions. */
static char *hop_text(const struct view *v, const struct path *p, unsigned i)
{
	const struct map *m = map_of(v);
	const struct path_hop *h = &p->hop[i];
	struct text t = {0};

	text_add(&t, "hop %u of %u:", i + 1, p->n);
	if (h->in)
		text_add(&t, " in %u", h->in);
	if (h->out == NO_PATH)
		text_add(&t, " %s", path_end_text(p->end));
	else if (h->out)
		text_add(&t, "%s out %u", h->in ? "," : "", h->out);
	if (p->src != NO_ID && h->out && h->out != NO_PATH) /* otherwise it is a way without an SL */
		text_add(&t, ", VL %u", h->vl);
	if (m->load && h->out && h->out != NO_PATH)
		text_add(&t, ", %s",
			 PLURAL(m->load[switch_port_id(v->scene->fabric, h->sw, h->out)], "route"));
	return t.s;
}

static void mark_hops(struct view *v, const struct path *p, unsigned bit, enum canvas_role role, bool stops)
{
	const struct fabric *f = v->scene->fabric;
	struct map *m = map_of(v);

	for (unsigned i = 0; i < p->n; i++) {
		const struct path_hop *h = &p->hop[i];
		bool on = h->out && h->out != NO_PATH && h->out <= f->switch_nports[h->sw];
		uint32_t port = on ? switch_port_id(f, h->sw, h->out) : NO_ID;

		if (!m->mark[h->sw])
			set_mark(m, h->sw, role == CANVAS_BACK ? HOLLOW : STAR, role);
		if (on)
			overlays_add_channel(v, port, bit, role);
		if (stops)
			add_stop(m, h->sw, port, hop_text(v, p, i));
	}
}

/* Marks the chosen direction with A, B and its hops, and the other direction under it. */
static void overlays_mark_path(struct view *v)
{
	const struct fabric *f = v->scene->fabric;
	struct map *m = map_of(v);
	uint32_t ep[2], back[2];
	struct path p, q;

	m->n_choices = 2;
	if (!path_ends(v, ep))
		return;
	back[0] = ep[1];
	back[1] = ep[0];
	trace_pair(v, ep, &p);
	trace_pair(v, back, &q);
	text_add(&m->said, "path %s → %s, ", f->node_name[endport_node(f, ep[0])],
		 f->node_name[endport_node(f, ep[1])]);
	if (p.end == PATH_OK)
		text_add(&m->said, "%s", PLURAL(p.hops, "link"));
	else
		text_add(&m->said, "%s", path_end_text(p.end));
	mark_hops(v, &p, MAP_ON_PATH, CANVAS_PATH, true);
	mark_hops(v, &q, MAP_ON_BACK, CANVAS_BACK, false);
	if (p.n) {
		set_mark(m, p.hop[p.n - 1].sw, p.end == PATH_OK ? 'B' : '?', CANVAS_PATH);
		set_mark(m, p.hop[0].sw, 'A', CANVAS_PATH);
	}
	text_add(&m->meaning, "A B ends  ◆ path  ◇ back");
	path_free(&p);
	path_free(&q);
}

/* --- cycle and layer --------------------------------------------------------------------------- */

static uint32_t order_char(uint32_t i)
{
	static const char order[] = "123456789abcdefghijklmnopqrstuvwxyz";

	return i < sizeof(order) - 1 ? (uint32_t)(unsigned char)order[i] : STAR;
}

static char *overlays_channel_text(const struct view *v, const struct map *m, uint32_t i, uint32_t n)
{
	struct text t = {0};
	uint32_t c = m->cycle[i], dep = cdg_dependency(m->graph->cdg, c, m->cycle[(i + 1) % n]);

	text_add(&t, "channel %u of %u: ", i + 1, n);
	label_channel(v->scene->topo, m->graph->cdg->port[c], false, &t);
	text_add(&t, ", VL %u", m->graph->cdg->vl[c]);
	if (dep != NO_ID)
		text_add(&t, ", %s to the next", PLURAL(m->graph->cdg->routes[dep], "route"));
	return t.s;
}

static void overlays_mark_cycle(struct view *v)
{
	struct map *m = map_of(v);
	uint32_t n = 0;

	m->n_choices = m->graph ? m->graph->cdg->n_components : 0;
	if (!m->cycle || !m->graph)
		return;
	while (m->cycle[n] != NO_ID)
		n++;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t port = m->graph->cdg->port[m->cycle[i]], sw = overlays_switch_of(v, port);

		if (sw == NO_ID)
			continue;
		if (!m->mark[sw])
			set_mark(m, sw, order_char(i), CANVAS_CYCLE);
		overlays_add_channel(v, port, MAP_ON_CYCLE, CANVAS_CYCLE);
		add_stop(m, sw, port, overlays_channel_text(v, m, i, n));
	}
	text_add(&m->said, "cycle %u of %u, VL %u, %s", m->choice + 1, m->n_choices,
		 m->graph->cdg->vl[m->cycle[0]], PLURAL(n, "channel"));
	text_add(&m->meaning, "1 2 3 order of the cycle's channels");
}

/* The layer of a choice: the n-th that has channels. */
static int chosen_layer(const struct graph *g, unsigned choice, unsigned *n)
{
	int found = -1;

	*n = 0;
	for (int l = 0; l < CDG_VLS; l++) {
		if (!g->vl[l].channels)
			continue;
		if (*n == choice)
			found = l;
		(*n)++;
	}
	return found;
}

static void overlays_mark_layer(struct view *v)
{
	struct map *m = map_of(v);
	const struct cdg *c = m->graph ? m->graph->cdg : NULL;
	int layer = c ? chosen_layer(m->graph, m->choice, &m->n_choices) : -1;

	if (layer < 0)
		return;
	for (uint32_t i = 0; i < c->n_channels; i++) {
		uint32_t to = overlays_switch_of(v, v->scene->fabric->port_peer[c->port[i]]);

		if (c->vl[i] != layer || overlays_switch_of(v, c->port[i]) == NO_ID || to == NO_ID)
			continue;
		overlays_add_channel(v, c->port[i], MAP_ON_LAYER, CANVAS_PATH);
		for (uint32_t k = c->first[i]; k < c->first[i + 1]; k++)
			if (overlays_switch_of(v, v->scene->fabric->port_peer[c->port[c->to[k]]]) != NO_ID)
				set_mark(m, to, MAP_DISC, CANVAS_PATH);
	}
	text_add(&m->said, "layer %d, %s, %s", layer, PLURAL(m->graph->vl[layer].channels, "channel"),
		 PLURAL(m->graph->vl[layer].deps, "dependency"));
	text_add(&m->meaning,
		 map_colour_digits(v) ? "bold: dependencies meet here" : "● dependencies meet here");
}

static void mark_dependencies(struct view *v)
{
	struct map *m = map_of(v);
	unsigned n;
	size_t missing;
	int layer = m->graph ? chosen_layer(m->graph, m->choice, &n) : -1;

	overlays_mark_layer(v);
	if (layer < 0)
		return;

	AUTO_FREE uint8_t *channel = NEW_ARRAY(v->scene->fabric->n_ports + 1, uint8_t);

	m->turn = NEW_ARRAY(m->graph->cdg->n_deps + 1, struct picture_turn);
	m->n_turns = picture_turns(m->graph->cdg, layer, m->turn, channel, &missing);
	m->said.len = 0; /* what is drawn: without hosts */
	text_add(&m->said, "layer %d, %s", layer, PLURAL(m->n_turns - missing, "dependency"));
	if (m->scale != &map_whole)
		return;
	m->meaning.len = 0;
	text_add(&m->meaning, "→ waits for; red: on a credit loop%s",
		 missing ? "; dotted: other layers have it, this one does not" : "");
}

/* --- why a path is not in a lower layer -------------------------------------------------------- */

/* The layer of the pair, if it is above the lowest. */
static bool overlays_pair_layer(const struct view *v, unsigned lid[2], struct pair_layer *l)
{
	const struct routing_ops *ops = scene_ops(v->scene);
	uint32_t ep[2];

	if (!ops->witness || !ops->pair_layer || !path_ends(v, ep))
		return false;
	for (unsigned i = 0; i < 2; i++)
		lid[i] = v->scene->sweep->lids->base[ep[i]];
	return lid[0] && lid[1] && ops->pair_layer(scene_routing(v->scene), lid[0], lid[1], l) &&
	       l->first > 0;
}

/* The first hop of the current path whose turn the engine forbids. */
static bool path_turn(const struct view *v, struct path *p, unsigned *at)
{
	const struct routing *r = scene_routing(v->scene);
	uint32_t ep[2];

	if (!path_ends(v, ep) || !has_directions(r))
		return false;
	trace_pair(v, ep, p);
	*at = first_turn(r, p->hop, p->n);
	if (*at < p->n)
		return true;
	path_free(p);
	return false;
}

/* The way that the step shown forbids, or the shortest one of the last `why ... via`, if it has a forbidden
 * turn. */
static bool via_turn(const struct view *v, struct way *w, unsigned *at)
{
	const struct scene *sc = v->scene;
	const struct routing *r = scene_routing(sc);
	const struct looked *l = &sc->looked;
	uint32_t node, ep, sw, to;

	if (step_way(sc->moment, w, at))
		return true;
	if (!r || !l->via_port)
		return false;
	node = fabric_node_by_guid(sc->fabric, l->via_sw);
	ep = fabric_endport_by_guid(sc->fabric, l->via_dst);
	sw = node == NO_ID ? NO_ID : sc->fabric->node_switch[node];
	to = ep == NO_ID ? NO_ID : sc->topo->endport_switch[ep];
	return sw != NO_ID && to != NO_ID && way_forbidden(r, sw, l->via_port, to, w, at);
}

/* Marks the switches before the turn and after it, as on a path, and the turn itself. */
static void mark_way(struct view *v, const struct path *p, unsigned at)
{
	struct map *m = map_of(v);

	mark_hops(v, p, MAP_ON_PATH, CANVAS_PATH, true);
	set_mark(m, p->hop[at].sw, '!', CANVAS_BAD);
	for (unsigned i = at ? at - 1 : 0; i <= at; i++) { /* the two channels of the turn are red */
		const struct path_hop *h = &p->hop[i];
		uint32_t port;

		if (!h->out || h->out > v->scene->fabric->switch_nports[h->sw])
			continue;
		port = switch_port_id(v->scene->fabric, h->sw, h->out);
		m->channel[port] = 0;
		overlays_add_channel(v, port, MAP_ON_CYCLE, CANVAS_CYCLE);
	}
	text_add(&m->said, "forbidden turn at %s", switch_name(v->scene->fabric, p->hop[at].sw));
	text_add(&m->meaning, "! the turn, its channels red  ◆ on the way");
}

/* The channels of a cycle in their order. */
static void mark_witness(struct view *v, const struct witness *x)
{
	struct map *m = map_of(v);

	for (uint32_t i = 0; i < x->n; i++) {
		uint32_t sw = overlays_switch_of(v, x->edge[i].port);

		if (sw == NO_ID)
			continue;
		if (!m->mark[sw])
			set_mark(m, sw, order_char(i), CANVAS_CYCLE);
		overlays_add_channel(v, x->edge[i].port, MAP_ON_CYCLE, CANVAS_CYCLE);
		add_stop(m, sw, x->edge[i].port, NULL);
	}
	text_add(&m->meaning, "1 2 3 order of the cycle's channels");
}

static void mark_turn(struct view *v)
{
	struct witness *cycle = step_cycle(v->scene->moment);
	struct map *m = map_of(v);
	struct path p;
	struct way w;
	unsigned at;

	m->n_choices = 1;
	if (cycle) {
		step_cycle_title(v->scene->moment, &m->said);
		mark_witness(v, cycle);
		witness_free(cycle);
		return;
	}
	if (via_turn(v, &w, &at)) {
		p = (struct path){.end = PATH_OK, .src = NO_ID, .hop = w.hop, .n = w.n};
		mark_way(v, &p, at);
		way_free(&w);
		return;
	}
	if (m->witness) {
		text_add(&m->said, "not in layer %u: would close ", m->witness_layer);
		witness_text(v->scene->fabric, m->witness, &m->said);
		mark_witness(v, m->witness);
		return;
	}
	if (!path_turn(v, &p, &at))
		return;
	mark_way(v, &p, at);
	path_free(&p);
}

/* --- flows ------------------------------------------------------------------------------------- */

/* The last link looked at, in the direction of the choice. NO_ID: there is none. */
static uint32_t flow_port(const struct view *v)
{
	const struct fabric *f = v->scene->fabric;
	const struct looked *l = &v->scene->looked;
	uint32_t node = f && l->port ? fabric_node_by_guid(f, l->node) : NO_ID, port;

	if (node == NO_ID || l->port > f->node_nports[node] || !scene_routing(v->scene))
		return NO_ID;
	port = f->node_port[node] + l->port;
	if (f->port_peer[port] == NO_ID)
		return NO_ID;
	return map_of(v)->overlay == MAP_FLOWS && map_of(v)->choice == 1 ? f->port_peer[port] : port;
}

static void mark_flows(struct view *v)
{
	const struct fabric *f = v->scene->fabric;
	struct map *m = map_of(v);
	uint32_t port = flow_port(v);

	m->n_choices = 2;
	if (port == NO_ID || !m->flows)
		return;
	for (uint32_t s = 0; s < f->n_switches; s++)
		if (m->flows[s])
			set_mark(m, s, m->flows[s] & FLOW_AFTER ? '>' : '<',
				 m->flows[s] & FLOW_AFTER ? CANVAS_BACK : CANVAS_PATH);
	for (uint32_t p = 0; p < f->n_ports; p++)
		if (m->flows[f->n_switches + p])
			overlays_add_channel(v, p, MAP_ON_PATH,
					     m->flows[f->n_switches + p] & FLOW_AFTER ? CANVAS_BACK
										      : CANVAS_PATH);
	overlays_add_channel(v, port, MAP_ON_CYCLE, CANVAS_CYCLE);
	for (unsigned i = 0; i < 2; i++) {
		uint32_t sw = overlays_switch_of(v, i ? f->port_peer[port] : port);

		if (sw != NO_ID)
			add_stop(m, sw, port, NULL);
	}
	text_add(&m->said, "flows over ");
	label_channel(v->scene->topo, port, false, &m->said);
	text_add(&m->meaning, "< before it  > after it");
}

/* --- packets ----------------------------------------------------------------------------------- */

/* The packets that are moved in the tables that are shown; NULL: none. */
static const struct drain *packets(const struct view *v)
{
	const struct session *s = v->scene->session;

	return s && !v->scene->moment && scene_routing(v->scene) ? session_drain(s) : NULL;
}

/* Adds the channels that wait for each other as stops, in their order. */
static void add_circle(struct view *v, const struct drain *d)
{
	uint32_t n;
	AUTO_FREE uint32_t *circle = drain_circle(d, &n);

	for (uint32_t i = 0; i < n; i++) {
		uint32_t port = drain_port(circle[i]), sw = overlays_switch_of(v, port);

		if (sw != NO_ID)
			add_stop(map_of(v), sw, port,
				 str_printf("%u of %u that wait for each other", i + 1, n));
	}
}

/* A switch has the number of packets in its buffers, and is red when one of them waits. */
static void mark_drain(struct view *v)
{
	const struct fabric *f = v->scene->fabric;
	const struct drain *d = packets(v);
	struct map *m = map_of(v);
	AUTO_FREE uint32_t *held = NEW_ARRAY(f->n_switches + 1, uint32_t);

	for (uint32_t c = drain_next(d, 0); c != NO_ID; c = drain_next(d, c + 1)) {
		uint32_t port = drain_port(c), sw = overlays_switch_of(v, f->port_peer[port]);
		bool waits = drain_waits(d, c);

		overlays_add_channel(v, port, waits ? MAP_ON_CYCLE : MAP_ON_LAYER,
				     waits ? CANVAS_CYCLE : CANVAS_PATH);
		if (sw == NO_ID)
			continue;
		held[sw] += drain_held(d, c);
		set_mark(m, sw, held[sw] > 9 ? '*' : '0' + held[sw],
			 waits || (m->mark[sw] && m->mark_role[sw] == CANVAS_CYCLE) ? CANVAS_CYCLE
										    : CANVAS_PATH);
	}
	add_circle(v, d);
	drain_tell(d, &m->said);
	text_add(&m->meaning, "1 2 .. 9 * packets in a switch's buffers, red when one waits");
}

/* --- failures and changes ---------------------------------------------------------------------- */

bool map_anything_failed(const struct view *v)
{
	const struct state *st = v->scene->data;

	for (uint32_t l = 0; st && l < st->n_links; l++)
		if (st->link_down[l])
			return true;
	for (uint32_t n = 0; st && n < st->n_nodes; n++)
		if (st->node_down[n])
			return true;
	return false;
}

static void mark_failed(struct view *v)
{
	const struct fabric *f = v->scene->fabric;
	const struct state *st = v->scene->state;
	struct map *m = map_of(v);
	uint32_t links = 0, nodes = 0, idle = 0;
	char name[160];

	for (uint32_t l = 0; l < f->n_links; l++) {
		uint32_t a = f->link_port[2 * l], b = f->link_port[2 * l + 1];
		const char *state = event_idle(v->scene->event, a);

		links += st->link_down[l] != 0;
		idle += state != NULL;
		if (state_link_up(f, v->scene->data, l))
			continue;
		overlays_add_channel(v, a, MAP_ON_DOWN, CANVAS_BAD);
		m->channel[b] |= MAP_ON_DOWN;
		for (unsigned i = 0; i < 2 && v->scene->data->link_down[l]; i++) {
			uint32_t sw = overlays_switch_of(v, i ? b : a);
			const char *how = state ? state : "down";

			if (sw == NO_ID || m->mark[sw])
				continue;
			set_mark(m, sw, MAP_DISC, CANVAS_BAD);
			add_stop(m, sw, i ? b : a,
				 str_printf("%s is %s%s", port_label(f, i ? b : a, name, sizeof(name)),
					    state ? "in " : "", how));
		}
	}
	for (uint32_t n = 0; n < f->n_nodes; n++) {
		nodes += st->node_down[n] != 0;
		if (st->node_down[n] && f->node_switch[n] != NO_ID)
			add_stop(m, f->node_switch[n], NO_ID, NULL);
	}
	if (links)
		text_add(&m->said, "failed: %s", PLURAL(links, "link"));
	if (nodes)
		text_add(&m->said, "%s%s", links ? ", " : "failed: ", PLURAL(nodes, "node"));
	if (idle)
		text_add(&m->said, "%snot active: %s", links || nodes ? "; " : "", PLURAL(idle, "link"));
	text_add(&m->meaning,
		 map_colour_digits(v) ? "bold: end of a link that is down" : "● end of a link that is down");
}

static bool anything_new(const struct scene *sc)
{
	const struct fabric *f = sc->fabric, *was = sc->fabric_first;

	for (uint32_t l = 0; was != f && l < f->n_links; l++)
		if (fabric_link_in(was, f, l) == NO_ID)
			return true;
	for (uint32_t s = 0; was != f && s < f->n_switches; s++)
		if (fabric_switch_in(was, f, s) == NO_ID)
			return true;
	return false;
}

/* Was it not there when the fabric was loaded, or down before the last event? */
static bool overlays_came_up(const struct view *v, uint32_t sw)
{
	const struct scene *sc = v->scene;

	if (!switch_up(sc->topo, sw))
		return false;
	if (sc->fabric_first != sc->fabric && fabric_switch_in(sc->fabric_first, sc->fabric, sw) == NO_ID)
		return true;
	return sc->before && sc->before->fabric == sc->fabric && !switch_up(sc->before->topo, sw);
}

/* Marks cables that the fabric did not have when it was loaded.  Returns their number. */
static uint32_t mark_new_links(struct view *v)
{
	const struct fabric *f = v->scene->fabric, *was = v->scene->fabric_first;
	struct map *m = map_of(v);
	uint32_t n = 0;

	for (uint32_t l = 0; was != f && l < f->n_links; l++) {
		if (fabric_link_in(was, f, l) != NO_ID)
			continue;
		n++;
		overlays_add_channel(v, f->link_port[2 * l], MAP_ON_PATH, CANVAS_CHANGED);
		for (unsigned i = 0; i < 2; i++) {
			uint32_t port = f->link_port[2 * l + i], sw = overlays_switch_of(v, port);
			char name[160];

			m->channel[port] |= MAP_ON_PATH;
			if (sw == NO_ID)
				continue;
			set_mark(m, sw, '+', CANVAS_CHANGED);
			add_stop(m, sw, port,
				 str_printf("%s has a new cable", port_label(f, port, name, sizeof(name))));
		}
	}
	return n;
}

static void mark_changed(struct view *v)
{
	const struct layout *l = map_of(v)->layout;
	struct map *m = map_of(v);
	uint32_t n = 0, links;

	for (uint32_t i = 0; i < l->n; i++) {
		uint32_t s = l->order[i];

		if (!m->changed[s] && !overlays_came_up(v, s))
			continue;
		n++;
		set_mark(m, s, overlays_came_up(v, s) ? '+' : '!', CANVAS_CHANGED);
		add_stop(m, s, NO_ID,
			 m->changed[s] ? str_printf("%s changed", PLURAL(m->changed[s], "entry")) : NULL);
	}
	links = mark_new_links(v);
	text_add(&m->said, "changed: %s", PLURAL(n, "switch"));
	if (links)
		text_add(&m->said, ", %s", PLURAL(links, "new link"));
	text_add(&m->meaning, "! entries changed  + new since it was loaded, or came up");
}

/* --- between the old tables and the new ones ----------------------------------------------------- */

static void overlays_mark_transition(struct view *v)
{
	const struct fabric *f = v->scene->fabric;
	struct map *m = map_of(v);
	const struct transition *t = m->transition;
	AUTO_TEXT struct text when = {0};
	const struct mix_way *w = t && t->b->topo->fabric == f ? transition_shown(t, &when) : NULL;

	for (uint32_t i = 0; w && i < w->n; i++) {
		const struct mix_hop *h = &w->hop[i];
		uint32_t port = h->port && h->port <= f->switch_nports[h->sw]
					? switch_port_id(f, h->sw, h->port)
					: NO_ID;

		if (!m->mark[h->sw])
			set_mark(m, h->sw, order_char(i), CANVAS_CYCLE);
		if (port != NO_ID)
			overlays_add_channel(v, port, MAP_ON_CYCLE, CANVAS_CYCLE);
		add_stop(m, h->sw, port,
			 str_printf("hop %u of %u: out %u by the %s entry", i + 1, w->n, h->port,
				    h->now ? "new" : "old"));
	}
	if (w) {
		text_add(&m->said, "%s: ", text_str(&when));
		mix_way_text(t, w, &m->said);
		text_add(&m->meaning, w->loop ? "1 2 3 order of the hops that loop"
					      : "1 2 3 order of the hops to nowhere");
	} else if (t) {
		transition_sentence(t, &m->said);
	}
}

/* --- the overlay in force ---------------------------------------------------------------------- */

enum map_overlay map_overlay_after(const struct view *v)
{
	unsigned o = map_of(v)->overlay;

	do
		o = (o + 1) % MAP_OVERLAYS;
	while (!map_overlay_offered(v, (enum map_overlay)o));
	return (enum map_overlay)o;
}

void map_overlays_load(struct view *v)
{
	struct map *m = map_of(v);
	struct pair_layer layer;
	unsigned lid[2];
	uint32_t port;

	m->graph = NULL;
	m->cycle = NULL;
	m->flows = NULL;
	m->witness = NULL;
	m->transition = NULL;
	m->marked = false;
	m->any_new = anything_new(v->scene);
	if (m->overlay == MAP_CYCLE || m->overlay == MAP_LAYER || m->overlay == MAP_DEPENDENCIES) {
		const struct result *g = scene_routing(v->scene) ? view_ask(v, &task_graph, NULL, NULL)
								 : NULL,
				    *r;

		m->graph = g ? g->value : NULL;
		if (g && m->overlay == MAP_CYCLE && m->stepped && !m->graph->cdg->n_components) {
			m->overlay = map_overlay_after(v); /* there is no cycle */
			map_overlays_load(v);
			return;
		}
		if (g && m->overlay == MAP_CYCLE && m->graph->cdg->n_components) {
			m->choice = m->choice < m->graph->cdg->n_components ? m->choice : 0;
			r = view_ask(v, &task_cycle, g, (const uint32_t[TASK_ARGS]){m->choice});
			m->cycle = r ? r->value : NULL;
		}
	} else if (m->overlay == MAP_TURN && overlays_pair_layer(v, lid, &layer)) {
		m->witness_layer = layer.first - 1;
		m->witness = view_ask_value(v, &task_witness,
					    (const uint32_t[TASK_ARGS]){lid[0], lid[1], layer.first - 1});
	} else if (m->overlay == MAP_FLOWS) {
		port = flow_port(v);
		if (port != NO_ID)
			m->flows = view_ask_value(v, &task_flow_marks, (const uint32_t[TASK_ARGS]){port});
	} else if (m->overlay == MAP_TRANSITION) {
		const char *why;
		const struct result *r =
			view_ask_about(v, &task_transition, between_question_new(v, NULL, &why),
				       &task_between_question, NULL);

		m->transition = r ? r->value : NULL;
	}
	m->asked = v->scene->looked;
}

bool map_overlay_offered(const struct view *v, enum map_overlay o)
{
	assert(o < MAP_OVERLAYS);

	const struct map *m = map_of(v);
	struct pair_layer layer;
	uint32_t ep[2];
	unsigned lid[2], at;
	struct path p;
	struct way w;
	struct witness *cycle;

	switch (o) {
	case MAP_NONE:
	case MAP_LINKS:
		return true;
	case MAP_PATH:
		return path_ends(v, ep);
	case MAP_CYCLE:
	case MAP_LAYER:
	case MAP_DEPENDENCIES:
		return scene_routing(v->scene) != NULL;
	case MAP_TURN:
		if ((cycle = step_cycle(v->scene->moment))) {
			witness_free(cycle);
			return true;
		}
		if (via_turn(v, &w, &at)) {
			way_free(&w);
			return true;
		}
		if (overlays_pair_layer(v, lid, &layer))
			return true;
		if (!path_turn(v, &p, &at))
			return false;
		path_free(&p);
		return true;
	case MAP_FLOWS:
		return flow_port(v) != NO_ID;
	case MAP_DRAIN:
		return packets(v) != NULL;
	case MAP_FAILED:
		return map_anything_failed(v);
	case MAP_CHANGED:
		return m->most_changed != 0 || m->any_new;
	case MAP_TRANSITION:
		return m->most_changed != 0;
	default:
		return false;
	}
}

void map_overlay_mark(struct view *v)
{
	static void (*const mark[MAP_OVERLAYS])(struct view *) = {[MAP_LINKS] = mark_links,
								  [MAP_PATH] = overlays_mark_path,
								  [MAP_CYCLE] = overlays_mark_cycle,
								  [MAP_TURN] = mark_turn,
								  [MAP_LAYER] = overlays_mark_layer,
								  [MAP_DEPENDENCIES] = mark_dependencies,
								  [MAP_FLOWS] = mark_flows,
								  [MAP_DRAIN] = mark_drain,
								  [MAP_FAILED] = mark_failed,
								  [MAP_CHANGED] = mark_changed,
								  [MAP_TRANSITION] =
									  overlays_mark_transition};
	struct map *m = map_of(v);
	const struct fabric *f = v->scene->fabric;
	uint32_t sel = m->overlay == MAP_LINKS ? map_selected(v) : NO_ID;

	if (m->marked && m->marked_for == sel)
		return;
	map_overlays_free(m);
	m->mark = NEW_ARRAY(f->n_switches + 1, uint32_t);
	m->mark_role = NEW_ARRAY(f->n_switches + 1, uint8_t);
	m->channel = NEW_ARRAY(f->n_ports + 1, uint8_t);
	m->marked = true;
	m->marked_for = sel;
	m->n_choices = 1;
	if (map_overlay_offered(v, m->overlay) && mark[m->overlay])
		mark[m->overlay](v);
}

void map_overlays_free(struct map *m)
{
	for (uint32_t i = 0; i < m->n_stops; i++)
		free(m->stop[i].text);
	free(m->stop);
	free(m->line);
	free(m->mark);
	free(m->mark_role);
	free(m->channel);
	free(m->turn);
	m->turn = NULL;
	m->n_turns = 0;
	text_free(&m->said);
	text_free(&m->meaning);
	m->stop = NULL;
	m->line = NULL;
	m->mark = NULL;
	m->mark_role = m->channel = NULL;
	m->n_stops = m->cap_stops = m->n_lines = m->cap_lines = 0;
	m->marked = false;
}
