/* LASH: the graph, routes, layers, tables, and the steps of a run in order. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/counted.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/sm/engine.h"
#include "engines/engines.h"
#include "engines/lash/lash.h"

/* The switch graph of LASH: how it is built and renumbered, and how channels and dependencies are found in
 * it. */

/* LASH id of the neighbour at a port, or NO_ID. */
static uint32_t lash_graph_neighbour(const struct lash_graph *g, const struct topo *t, uint32_t sw,
				     unsigned p)
{
	uint32_t peer = t->peer_switch[switch_port_id(t->fabric, sw, p)];

	return peer == NO_ID ? NO_ID : g->id[peer];
}

/* Lists the channels out of u, one per neighbour, by lowest port. mark[v] >= base[u]: that to v exists. */
static void lash_graph_list_links(struct lash_graph *g, const struct topo *t, uint32_t u, uint32_t *mark,
				  uint32_t *n_ports)
{
	uint32_t sw = g->sw[u], first = g->n_channels;
	unsigned nports = t->fabric->switch_nports[sw];

	for (unsigned p = 1; p <= nports; p++) {
		uint32_t v = lash_graph_neighbour(g, t, sw, p);

		if (v == NO_ID || (mark[v] != NO_ID && mark[v] >= first))
			continue;
		mark[v] = g->n_channels;
		g->from[g->n_channels] = u;
		g->to[g->n_channels] = v;
		g->port_at[g->n_channels++] = *n_ports;
		for (unsigned q = p; q <= nports; q++)
			if (lash_graph_neighbour(g, t, sw, q) == v)
				g->port[(*n_ports)++] = q;
	}
}

static void find_reverse(struct lash_graph *g)
{
	for (uint32_t c = 0; c < g->n_channels; c++) {
		uint32_t v = g->to[c], r = g->base[v];

		while (g->to[r] != g->from[c])
			r++;
		g->rev[c] = r;
	}
}

struct lash_graph *lash_graph_new(const struct topo *t)
{
	struct lash_graph *g = NEW(struct lash_graph);
	const struct fabric *f = t->fabric;
	uint32_t cables = 0, n_ports = 0;

	g->sw = NEW_ARRAY(f->n_switches, uint32_t);
	g->id = NEW_ARRAY(f->n_switches, uint32_t);
	for (uint32_t sw = 0; sw < f->n_switches; sw++) {
		g->id[sw] = switch_up(t, sw) && f->switch_fdb_cap[sw] ? g->n : NO_ID;
		if (g->id[sw] != NO_ID)
			g->sw[g->n++] = sw;
	}
	for (uint32_t u = 0; u < g->n; u++)
		for (unsigned p = 1; p <= f->switch_nports[g->sw[u]]; p++)
			cables += lash_graph_neighbour(g, t, g->sw[u], p) != NO_ID;
	g->base = NEW_ARRAY(g->n + 1u, uint32_t);
	g->from = NEW_ARRAY(cables, uint32_t);
	g->to = NEW_ARRAY(cables, uint32_t);
	g->rev = NEW_ARRAY(cables, uint32_t);
	g->port_at = NEW_ARRAY(cables + 1u, uint32_t);
	g->port = NEW_ARRAY(cables, uint8_t);
	AUTO_FREE uint32_t *mark = NEW_ARRAY(g->n, uint32_t);
	memset(mark, 0xff, g->n * sizeof(*mark));
	for (uint32_t u = 0; u < g->n; u++) {
		g->base[u] = g->n_channels;
		lash_graph_list_links(g, t, u, mark, &n_ports);
	}
	g->base[g->n] = g->n_channels;
	g->port_at[g->n_channels] = n_ports;
	assert(g->n_channels <= cables && n_ports == cables);
	find_reverse(g);
	return g;
}

void lash_graph_free(struct lash_graph *g)
{
	if (!g)
		return;
	FREE_EACH(g->sw, g->id, g->base, g->from, g->to, g->rev, g->port_at, g->port, g);
}

/* Do both have the same switches, links and ports in the same order? */
static bool lash_graph_equal(const struct lash_graph *a, const struct lash_graph *b)
{
	uint32_t n = a->n, c = a->n_channels;

	return n == b->n && c == b->n_channels && a->port_at[c] == b->port_at[c] &&
	       !memcmp(a->sw, b->sw, n * sizeof(*a->sw)) && !memcmp(a->base, b->base, n * sizeof(*a->base)) &&
	       !memcmp(a->to, b->to, c * sizeof(*a->to)) &&
	       !memcmp(a->port_at, b->port_at, c * sizeof(*a->port_at)) &&
	       !memcmp(a->port, b->port, a->port_at[c]);
}

void lash_graph_map(const struct lash_graph *old, const struct lash_graph *g, uint32_t *now)
{
	uint32_t *to = NEW_ARRAY(g->n + 1u, uint32_t); /* channel of g to each switch, from one switch */

	memset(now, 0xff, old->n_channels * sizeof(*now));
	memset(to, 0xff, g->n * sizeof(*to));
	for (uint32_t u = 0; u < g->n; u++) {
		uint32_t was = old->id[g->sw[u]];

		if (was == NO_ID)
			continue;
		for (uint32_t c = g->base[u]; c < g->base[u + 1]; c++)
			to[g->to[c]] = c;
		for (uint32_t c = old->base[was]; c < old->base[was + 1]; c++) {
			uint32_t v = g->id[old->sw[old->to[c]]];

			now[c] = v == NO_ID ? NO_ID : to[v];
		}
		for (uint32_t c = g->base[u]; c < g->base[u + 1]; c++)
			to[g->to[c]] = NO_ID;
	}
	free(to);
}

void lash_graph_reorder(struct lash_graph *g, const uint32_t *old, const uint32_t *link, uint32_t *moved)
{
	struct lash_graph o = *g;
	uint32_t *id = NEW_ARRAY(g->n, uint32_t), n_ports = 0, c = 0;

	g->sw = NEW_ARRAY(g->n, uint32_t);
	g->base = NEW_ARRAY(g->n + 1u, uint32_t);
	g->from = NEW_ARRAY(g->n_channels, uint32_t);
	g->to = NEW_ARRAY(g->n_channels, uint32_t);
	g->port_at = NEW_ARRAY(g->n_channels + 1u, uint32_t);
	g->port = NEW_ARRAY(o.port_at[g->n_channels], uint8_t);
	for (uint32_t u = 0; u < g->n; u++) {
		id[old[u]] = u;
		g->sw[u] = o.sw[old[u]];
		g->id[g->sw[u]] = u;
	}
	for (uint32_t u = 0; u < g->n; u++) {
		g->base[u] = c;
		for (uint32_t k = o.base[old[u]]; k < o.base[old[u] + 1]; k++, c++) {
			uint32_t was = link[k], ports = o.port_at[was + 1] - o.port_at[was];

			g->from[c] = u;
			g->to[c] = id[o.to[was]];
			g->port_at[c] = n_ports;
			memcpy(g->port + n_ports, o.port + o.port_at[was], ports);
			n_ports += ports;
			if (moved)
				moved[c] = was;
		}
	}
	g->base[g->n] = c;
	g->port_at[c] = n_ports;
	assert(c == g->n_channels && n_ports == o.port_at[c]);
	find_reverse(g);
	FREE_EACH(id, o.sw, o.base, o.from, o.to, o.port_at, o.port);
}

uint32_t lash_channel_of(const struct lash_graph *g, uint32_t u, unsigned port)
{
	assert(u < g->n);
	for (uint32_t c = g->base[u]; c < g->base[u + 1]; c++)
		for (uint32_t i = g->port_at[c]; i < g->port_at[c + 1]; i++)
			if (g->port[i] == port)
				return c;
	return NO_ID;
}

uint32_t *lash_number_dependencies(const struct lash_graph *g)
{
	uint32_t *first = NEW_ARRAY(g->n_channels + 1u, uint32_t);

	for (uint32_t c = 0; c < g->n_channels; c++)
		first[c + 1] = first[c] + lash_degree(g, g->to[c]);
	return first;
}

struct dependency lash_dependency_at(const struct lash_graph *g, const uint32_t *first, uint32_t number)
{
	uint32_t lo = 0, hi = g->n_channels;

	assert(number < first[g->n_channels]);
	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (first[mid] <= number)
			lo = mid;
		else
			hi = mid;
	}
	return (struct dependency){lo, g->base[g->to[lo]] + number - first[lo]};
}

/* Layers for pairs of switches (engines/doc/lash.md 8). */

struct assignment {
	struct lash_plan *p;
	const struct lash_plan *old; /* NULL = none */
	uint32_t *now;		     /* old channel -> channel of the new graph */
	struct lash_cdgs *c;
	const struct engine_input *in;
	unsigned avail;
	struct dependency *deps;
};

static void open_layer(const struct assignment *a, unsigned v)
{
	a->c->layer[v] = acyclic_new(a->p->graph);
	if (a->old && v < a->old->need)
		acyclic_recall(a->c->layer[v], a->old->memory[v], a->now);
}

/* Puts a pair in the first layer that takes it, or in a new one. False when no more layers are allowed. */
static bool place_pair(const struct assignment *a, uint32_t s, uint32_t d)
{
	struct lash_plan *p = a->p;
	size_t switches = p->graph->n;
	struct lash_record *r = a->c->record;
	unsigned n = lash_pair_dependencies(p, s, d, a->deps), v;
	struct lash_pair pair = {s, d, a->deps, n};

	for (v = 0; v < p->need; v++) {
		if (r)
			lash_record_try(r, &pair, v);
		if (acyclic_add(a->c->layer[v], a->deps, n))
			break;
		if (r)
			lash_record_refuse(r, &pair, v, a->c->layer[v]);
	}
	if (v == p->need) {
		if (++p->need > a->avail)
			return false;
		open_layer(a, v);
		acyclic_add(a->c->layer[v], a->deps, n);
		if (r)
			lash_record_open(r, &pair, v);
	}
	if (r)
		lash_record_accept(r, &pair, v);
	p->first[s * switches + d] = p->first[d * switches + s] = v;
	p->count[v] += 2;
	return true;
}

/*
 * Fills first[], need, count[], memory[] and searches of the plan, and the layers' dependencies. old (or
 * NULL) is a plan of nearly the same switches: then only changed dependencies cost a search.  Needing too
 * many layers is not an error here (need is then avail + 1). -1 and *e when cancelled.
 */
static int lash_assign_layers(struct lash_plan *p, const struct lash_plan *old, struct lash_cdgs *c,
			      unsigned avail, const struct engine_input *in, struct err *e)
{
	size_t n = p->graph->n;
	struct assignment a = {.p = p, .old = old, .c = c, .in = in, .avail = avail};
	bool enough = true, go_on = true;

	assert(avail && avail <= LASH_MAX_LAYERS);
	rec_phase(in, "layers for pairs of switches");
	a.deps = NEW_ARRAY(2 * n, struct dependency);
	if (old) {
		a.now = NEW_ARRAY(old->graph->n_channels + 1u, uint32_t);
		lash_graph_map(old->graph, p->graph, a.now);
	}
	p->first = mem_array(n * n, 1);
	memset(p->first, LASH_NO_LAYER, n * n);
	p->need = 1;
	p->kept = old != NULL;
	open_layer(&a, 0);
	progress_start(in->progress, "assigning layers", n);
	for (uint32_t s = 0; s < n && enough && go_on; s++) {
		for (uint32_t d = s + 1; d < n && enough; d++)
			enough = place_pair(&a, s, d);
		go_on = progress_step(in->progress, s);
	}
	FREE_EACH(a.deps, a.now);
	if (!go_on)
		return err_set(e, CANCELLED);
	for (unsigned v = 0; v < LASH_MAX_LAYERS && c->layer[v]; v++) {
		p->memory[v] = acyclic_remember(c->layer[v]);
		p->searches += acyclic_searches(c->layer[v]);
		p->deps += acyclic_count(c->layer[v]);
	}
	return 0;
}

struct acyclic *lash_layer_before(const struct lash_plan *p, unsigned layer, uint32_t s, uint32_t d,
				  struct progress *progress)
{
	size_t n = p->graph->n;
	struct dependency *deps = NEW_ARRAY(2 * n, struct dependency);
	uint32_t *same = NEW_ARRAY(p->graph->n_channels + 1u, uint32_t);
	struct acyclic *a = acyclic_new(p->graph);
	bool go_on = true;

	assert(layer < p->need && p->memory[layer] && s <= n);
	for (uint32_t c = 0; c < p->graph->n_channels; c++)
		same[c] = c;
	acyclic_recall(a, p->memory[layer], same);
	progress_start(progress, "making a layer again", s + 1);
	for (uint32_t i = 0; i <= s && i < n && go_on; i++) {
		for (uint32_t j = i + 1; j < (i == s ? d : n); j++)
			if (p->first[i * n + j] == layer)
				acyclic_add(a, deps, lash_pair_dependencies(p, i, j, deps));
		go_on = progress_step(progress, i);
	}
	FREE_EACH(deps, same);
	if (go_on)
		return a;
	acyclic_free(a);
	return NULL;
}

static void lash_free_cdgs(struct lash_cdgs *c)
{
	for (unsigned v = 0; v < LASH_MAX_LAYERS; v++)
		acyclic_free(c->layer[v]);
	lash_record_free(c->record);
	*c = (struct lash_cdgs){{NULL}, NULL};
}

/* A plan: shortest routes from breadth-first trees (engines/doc/lash.md 7), and the data kept with them. */

static void lash_plan_release(struct lash_plan *p)
{
	FREE_EACH(p->out, p->root, p->first);
	if (p->whole) {
		lash_plan_unref(p->whole);
		lash_mesh_free(p->mesh);
		free(p);
		return;
	}
	lash_graph_free(p->graph);
	lash_graph_free(p->before);
	lash_mesh_free(p->mesh);
	for (unsigned v = 0; v < LASH_MAX_LAYERS; v++)
		acyclic_forget(p->memory[v]);
	free(p);
}

COUNTED(struct lash_plan, struct lash_plan, lash_plan_ref, lash_plan_unref, lash_plan_release)

void lash_mesh_free(struct lash_mesh *m)
{
	if (!m)
		return;
	FREE_EACH(m->coord, m->axis, m->type, m->class, m);
}

/* --- routes ---------------------------------------------------------------------------------- */

struct lash_plan_tree {
	uint32_t *queue; /* [n] switches in order of discovery */
	uint32_t *up;	 /* [n] channel from the switch's parent to it, or NO_ID */
	uint32_t n;
};

static void lash_plan_grow_tree(const struct lash_graph *g, uint32_t root, struct lash_plan_tree *t)
{
	memset(t->up, 0xff, g->n * sizeof(*t->up));
	t->n = 0;
	t->queue[t->n++] = root;
	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t u = t->queue[i];

		for (uint32_t c = g->base[u]; c < g->base[u + 1]; c++) {
			uint32_t v = g->to[c];

			if (v == root || t->up[v] != NO_ID)
				continue;
			t->up[v] = c;
			t->queue[t->n++] = v;
		}
	}
}

/* Sets the entries that are still open, on the way from each switch up to the root. */
static void take_routes(struct lash_plan *p, uint32_t root, const struct lash_plan_tree *t)
{
	const struct lash_graph *g = p->graph;

	for (uint32_t i = 1; i < t->n; i++) {
		uint32_t d = t->queue[i];
		size_t row = (size_t)d * g->n;

		for (uint32_t c = t->up[d]; c != NO_ID; c = t->up[g->from[c]]) {
			uint32_t u = g->from[c];

			if (p->out[row + u] != LASH_NO_LINK)
				continue;
			p->out[row + u] = c - g->base[u];
			if (p->root)
				p->root[row + u] = root;
		}
	}
}

/* Fills out[], and root[] when somebody asks. False when cancelled. */
static bool lash_find_paths(struct lash_plan *p, const struct engine_input *in)
{
	size_t n = p->graph->n;
	struct lash_plan_tree t = {.queue = NEW_ARRAY(n, uint32_t), .up = NEW_ARRAY(n, uint32_t)};
	uint8_t *before = NULL;
	bool go_on = true;

	rec_phase(in, "routes from breadth-first trees");
	p->out = mem_array(n * n, 1);
	memset(p->out, LASH_NO_LINK, n * n);
	if (ASKED(in))
		p->root = NEW_ARRAY(n * n, uint32_t);
	if (RECORDED(in))
		before = mem_dup(p->out, n * n);
	progress_start(in->progress, "finding routes", n);
	for (uint32_t r = 0; r < n && go_on; r++) {
		lash_plan_grow_tree(p->graph, r, &t);
		take_routes(p, r, &t);
		if (RECORDED(in)) {
			lash_record_tree(p, in, r, before);
			memcpy(before, p->out, n * n);
		}
		go_on = progress_step(in->progress, r);
	}
	FREE_EACH(t.queue, t.up, before);
	return go_on;
}

unsigned lash_route(const struct lash_plan *p, uint32_t s, uint32_t d, uint32_t *channel)
{
	const struct lash_graph *g = p->graph;
	const uint8_t *out = p->out + (size_t)d * g->n;
	unsigned n = 0;

	assert(s < g->n && d < g->n);
	while (s != d && out[s] != LASH_NO_LINK) {
		uint32_t c = g->base[s] + out[s];

		if (channel)
			channel[n] = c;
		n++;
		s = g->to[c];
	}
	return s == d ? n : 0;
}

static unsigned route_dependencies(const struct lash_plan *p, uint32_t s, uint32_t d, struct dependency *deps)
{
	const struct lash_graph *g = p->graph;
	const uint8_t *out = p->out + (size_t)d * g->n;
	unsigned n = 0;
	uint32_t c;

	if (out[s] == LASH_NO_LINK)
		return 0;
	for (c = g->base[s] + out[s]; g->to[c] != d; n++) {
		uint32_t u = g->to[c], next = g->base[u] + out[u];

		deps[n] = (struct dependency){c, next};
		c = next;
	}
	return n;
}

unsigned lash_pair_dependencies(const struct lash_plan *p, uint32_t s, uint32_t d, struct dependency *deps)
{
	unsigned n = route_dependencies(p, s, d, deps);

	return n + route_dependencies(p, d, s, deps + n);
}

/* Forwarding tables from the routes (engines/doc/lash.md 10). */

struct lash_tables_filling {
	const struct lash *l;
	const struct engine_input *in;
	const struct lash_graph *g;
	uint32_t *at;	 /* [max_lid + 1] LASH id of the LID's switch, or NO_ID */
	uint8_t *port;	 /* [max_lid + 1] port of that switch */
	uint8_t *cursor; /* [links] next parallel cable to use */
	uint8_t *rule;	 /* [n] for recordings: rule of the link to each switch, WHY_UNTOLD = open; or NULL */
};

/* The rule that lash_tell_choice() would report, for a recording. */
static enum why_rule lash_tables_rule_of(const struct lash_tables_filling *f, uint32_t u, unsigned lid,
					 unsigned port)
{
	uint32_t d = f->at[lid];
	struct decided none = {0};

	if (d == u)
		return port ? WHY_ATTACHED : WHY_OWN_LID;
	if (port == NO_PATH) {
		decide_common(f->in->topo, f->in->lids, f->g->sw[u], lid, port, &none);
		enum why_rule rule = none.rule ? none.rule : WHY_NOT_ROUTED;
		decided_free(&none);
		return rule;
	}
	if (!f->rule[d])
		f->rule[d] = lash_weigh(f->l->plan, u, d, lash_channel_of(f->g, u, port)).rule;
	return f->rule[d];
}

static unsigned lash_tables_choose_port(const struct lash_tables_filling *f, uint32_t u, unsigned lid,
					const uint8_t *link)
{
	const struct lash_graph *g = f->g;
	uint32_t d = f->at[lid];

	if (d == NO_ID)
		return NO_PATH;
	if (d == u)
		return f->port[lid];
	if (link[d] == LASH_NO_LINK)
		return NO_PATH;
	uint32_t c = g->base[u] + link[d];
	unsigned port = g->port[g->port_at[c] + f->cursor[link[d]]];
	uint32_t cables = g->port_at[c + 1] - g->port_at[c];
	if (f->l->plan->collapsed)
		f->cursor[link[d]] = (f->cursor[link[d]] + 1u) % cables;
	return port;
}

static struct lft_row *lash_tables_fill_row(const struct lash_tables_filling *f, uint32_t u, uint8_t *link)
{
	unsigned top = f->in->lids->max_lid;
	struct lft_row *row = lft_row_new(top);

	for (size_t d = 0; d < f->g->n; d++)
		link[d] = f->l->plan->out[d * f->g->n + u];
	memset(f->cursor, 0, MAX_PORTS + 1);
	if (f->rule)
		memset(f->rule, WHY_UNTOLD, f->g->n);
	for (unsigned lid = 1; lid <= top && !progress_cancelled(f->in->progress); lid++) {
		row->port[lid] = lash_tables_choose_port(f, u, lid, link);
		if (ASKED(f->in) && lid_owner(f->in->lids, lid) != NO_ID)
			lash_tell_choice(f->in, f->l->plan, u, f->at[lid], lid, row->port[lid]);
		if (RECORDED(f->in) && lid_owner(f->in->lids, lid) != NO_ID)
			lash_record_choice(f->in, f->g->sw[u], lid, row->port[lid],
					   lash_tables_rule_of(f, u, lid, row->port[lid]));
	}
	if (RECORDED(f->in))
		rec_event(f->in->record, REC_TABLE, 0, 0, f->g->sw[u], 0);
	return row;
}

/* false: cancelled */
static bool lash_fill_tables(const struct lash *l, const struct engine_input *in, struct routing *r)
{
	size_t lids = in->lids->max_lid + 1u;
	struct lash_tables_filling f = {
		.l = l,
		.in = in,
		.g = l->plan->graph,
		.at = NEW_ARRAY(lids, uint32_t),
		.port = NEW_ARRAY(lids, uint8_t),
		.cursor = NEW_ARRAY(MAX_PORTS + 1, uint8_t),
		.rule = RECORDED(in) ? NEW_ARRAY(l->plan->graph->n + 1u, uint8_t) : NULL,
	};
	uint8_t *link = NEW_ARRAY(f.g->n, uint8_t);
	bool go_on = true;

	rec_phase(in, LASH_TABLES);
	progress_start(in->progress, "forwarding tables", f.g->n);
	for (unsigned lid = 0; lid < lids; lid++) {
		uint32_t ep = lid_owner(in->lids, lid),
			 sw = ep == NO_ID ? NO_ID : in->topo->endport_switch[ep];

		f.at[lid] = sw == NO_ID ? NO_ID : f.g->id[sw];
		f.port[lid] = sw == NO_ID ? NO_PATH : in->topo->endport_swport[ep];
	}
	for (uint32_t u = 0; u < f.g->n && (go_on = progress_step(in->progress, u)); u++)
		r->row[f.g->sw[u]] = lash_tables_fill_row(&f, u, link);
	FREE_EACH(f.at, f.port, f.cursor, f.rule, link);
	return go_on && !progress_cancelled(in->progress);
}

/* LASH: virtual lanes, settings, and the steps of a run in order. */

/* Refuses settings with which LASH cannot run. */
static int check_settings(const struct engine_input *in, const struct lash_vls *v, struct engine_output *out)
{
	char at[300] = "the default";

	if (v->port != NO_ID)
		port_label(in->topo->fabric, v->port, at, sizeof(at));
	if (!v->avail) {
		out->fatal = in->previous && lash_of(in->previous) ? "crashes" : NULL;
		return err_set(&out->refused,
			       "lash_start_vl is %u, but switch ports have only %u VLs (%s); expected less "
			       "than that%s",
			       v->start, v->vls, at,
			       out->fatal
				       ? "; lash routed the sweep before, whose structures OpenSM frees twice"
				       : "");
	}
	if (!in->lids->lmc)
		return 0;
	if (manual_rules(in->options))
		return err_set(&out->refused, "lmc is %u; lash works with LMC 0 only, says the manual",
			       in->lids->lmc);
	note_add(&out->notes, NOTE_RULES,
		 "lash: the manual says that LMC > 0 is refused; OpenSM 3.3.23 accepts it\n");
	return 0;
}

/* Makes graph, mesh analysis, routes and layers. old: see lash_assign_layers(). NULL: out->refused is set. */
static struct lash_plan *plan_new(const struct lash_plan *old, struct lash_cdgs *c, unsigned avail,
				  const struct engine_input *in, struct engine_output *out)
{
	struct lash_plan *p = NEW(struct lash_plan);
	int rc = 0;

	p->refs = 1;
	p->collapsed = options_bool(in->options, "do_mesh_analysis");
	p->graph = lash_graph_new(in->topo);
	if (p->collapsed) {
		p->before = lash_graph_new(in->topo);
		p->mesh = lash_mesh_new(p->graph, in, &out->refused);
		rc = p->mesh ? 0 : -1;
		if (rc && !progress_cancelled(in->progress))
			out->fatal = "never ends";
	}
	if (!rc && !lash_find_paths(p, in))
		rc = err_set(&out->refused, CANCELLED);
	if (!rc && RECORDED(in))
		c->record = lash_record_new(p, in, avail);
	if (!rc)
		rc = lash_assign_layers(p, old, c, avail, in, &out->refused);
	if (!rc)
		return p;
	lash_plan_unref(p);
	return NULL;
}

static void note_counts(const struct lash *l, const uint64_t *count, bool balanced,
			const struct engine_input *in)
{
	AUTO_TEXT struct text t = {0};

	lash_say_counts(count, l->plan->need, &t);
	if (balanced)
		rec_note(in, "%s moved, %" PRIu64 " refused, %s; pairs per layer now %s",
			 PLURAL(l->moved, "pair"), l->refused, PLURAL(l->draws, "random number"),
			 text_str(&t));
	else
		rec_note(in, "%s of %u; ordered pairs per layer %s", PLURAL(l->plan->need, "layer"),
			 l->vls.avail, text_str(&t));
}

/* Balances the layers of the plan. c is used up. */
static int lash_finish(struct lash *l, struct lash_cdgs *c, const struct engine_input *in,
		       struct engine_output *out)
{
	size_t n = l->plan->graph->n;
	unsigned avail = l->vls.avail;

	if (l->plan->need > avail)
		return err_set(&out->refused,
			       "the routes need more than %s, and there %s %s from lash_start_vl %u on",
			       PLURAL(avail, "layer"), avail == 1 ? "is" : "are", PLURAL(avail, "VL"),
			       l->vls.start);
	l->layer = mem_dup(l->plan->first, n * n);
	memcpy(l->count, l->plan->count, sizeof(l->count));
	if (RECORDED(in))
		note_counts(l, l->plan->count, false, in);
	if (l->plan->need > 1 && lash_balance(l, c, in, out))
		return -1;
	if (RECORDED(in) && l->plan->need > 1)
		note_counts(l, l->count, true, in);
	return 0;
}

/*
 * OpenSM routes with the VLs that it finds, and sets VLs by max_op_vls only at the end of the sweep.  This
 * notes when the VLs of the next sweep (15 when nothing is reported) will be too few.
 */
static void note_next_sweep(const struct lash *l, const struct engine_input *in, struct notes *notes)
{
	const struct topo *t = in->topo;
	unsigned max = (unsigned)options_uint(in->options, "max_op_vls"), least = VLS_CODE_MAX;

	for (uint32_t sw = 0; sw < t->fabric->n_switches; sw++) {
		if (!switch_up(t, sw))
			continue;
		FOR_PORTS(t->fabric, sw, id) {
			unsigned code = t->peer[id] == NO_ID ? 0 : opervls_given(t, id, max);

			if (code && code < least)
				least = code;
		}
	}
	unsigned vls = vls_of_code(least);
	if (vls >= l->vls.vls || l->plan->need + l->vls.start <= vls)
		return;
	note_add(notes, 0,
		 "lash: %s from VL %u on, but %s from the next sweep on, as max_op_vls is %u: it will refuse "
		 "then\n",
		 PLURAL(l->plan->need, "layer"), l->vls.start, PLURAL(vls, "VL"), max);
}

/* Does the old plan hold? Routes and layers depend only on the switches and their links. */
static bool plan_holds(const struct lash_plan *old, unsigned avail, const struct engine_input *in)
{
	if (!old || old->need > avail || old->collapsed != options_bool(in->options, "do_mesh_analysis"))
		return false;
	struct lash_graph *g = lash_graph_new(in->topo);
	bool same = lash_graph_equal(old->before ? old->before : old->graph, g);
	lash_graph_free(g);
	return same;
}

/* old: the plan of the previous routing, or NULL. Balancing draws again in any case. */
static struct routing *route_from(const struct lash_plan *old, const struct engine_input *in,
				  struct engine_output *out)
{
	struct lash *l = NEW(struct lash);
	struct lash_cdgs c = {{NULL}, NULL};
	struct lash_vls *v = &l->vls; /* engines/doc/lash.md 4 */
	struct routing *r = NULL;
	unsigned code = least_vls_code(in, &v->port);

	if (!code || code >= VLS_CODE_MAX)
		v->port = NO_ID;
	v->start = options_uint(in->options, "lash_start_vl");
	v->vls = vls_of_code(code ? code : VLS_CODE_MAX);
	v->avail = v->start < v->vls ? v->vls - v->start : 0;
	rec_note(in, "%u VLs, layers from VL %u on: %u may be used", v->vls, v->start, v->avail);
	if (!check_settings(in, v, out))
		l->plan = plan_holds(old, v->avail, in) ? lash_plan_ref(old)
							: plan_new(old, &c, v->avail, in, out);
	if (l->plan && l->plan->mesh && l->plan->mesh->none)
		note_add(&out->notes, 0, "lash: mesh analysis found no geometry: %s\n", l->plan->mesh->none);
	if (l->plan && !lash_finish(l, &c, in, out)) {
		lash_free_cdgs(&c); /* they take as much as the tables */
		note_next_sweep(l, in, &out->notes);
		r = routing_new("lash", in->topo, in->lids);
		r->ops = &lash_ops;
		r->priv = l;
		if (!lash_fill_tables(l, in, r)) {
			routing_unref(r);
			r = NULL;
			err_set(&out->refused, CANCELLED);
		}
	} else {
		lash_free(l);
	}
	lash_free_cdgs(&c);
	return r;
}

static struct routing *route(const struct engine_input *in, struct engine_output *out)
{
	return route_from(NULL, in, out);
}

/* If routes or layers change, layers are filled again, starting from the old order and cycles. */
static struct routing *lash_update(const struct engine_input *in, struct engine_output *out)
{
	const struct lash *old = in->previous ? lash_of(in->previous) : NULL;

	if (!old || ASKED(in) || in->previous->topo->fabric != in->topo->fabric)
		return route(in, out);
	return route_from(old->plan, in, out);
}

static const struct optdef options[] = {
	{.name = "do_mesh_analysis",
	 .flag = "--do_mesh_analysis",
	 .type = OPT_BOOL,
	 .def = "FALSE",
	 .help = "lash: recognise meshes and tori and route them by dimension"},
	{.name = "lash_start_vl",
	 .flag = "--lash_start_vl N",
	 .type = OPT_UINT,
	 .def = "0",
	 .max = 255, /* as in opensm.conf; the engine refuses more than the VLs */
	 .help = "lash: first SL and VL used"},
	{0},
};

/* Routes, first and last layers; for listeners the roots, too. Balancing takes two bits per layer. */
static size_t lash_room(const struct engine_input *in, const char **what)
{
	const struct fabric *f = in->topo->fabric;
	size_t n = in->topo->n_switches_up, layers = LASH_MAX_LAYERS;
	size_t deps = 0; /* pairs of consecutive cables */

	for (uint32_t s = 0; s < f->n_switches; s++) {
		size_t degree = 0;

		FOR_PORTS(f, s, port)
			degree += in->topo->peer_switch[port] != NO_ID;
		deps += degree * degree;
	}
	*what = "routes, layers";
	return n * n * (3 + (ASKED(in) ? sizeof(uint32_t) : 0) + RECORDED(in)) + 2 * layers * n * n / 8 +
	       (RECORDED(in) ? layers * sizeof(uint32_t) * deps : 0);
}

const struct engine engine_lash = {
	.name = "lash",
	.brief = "shortest routes between switches, put in layers free of credit loops",
	.reference = "Skeie, Lysne, Theiss, Layered Shortest Path (LASH) Routing, CAC 2002; as OpenSM 3.3.23",
	.options = options,
	.route = route,
	.update = lash_update,
	.room = lash_room,
	.scheme = &lash_scheme,
};
