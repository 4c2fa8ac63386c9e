/* The tables of SSSP and DFSSSP for panes: weights, layers, cuts, and all of them at a step. */
#include <stdlib.h>
#include <string.h>

#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/release.h"
#include "core/routing/paths.h"
#include "core/sm/sweep.h"
#include "core/sm/ucast_cache.h"
#include "core/trace/walk.h"
#include "engines/dfsssp/internal.h"
#include "engines/tree_routes.h"

const struct dfsssp *dfsssp_of(const struct routing *r)
{
	return r && (r->ops == &sssp_ops || r->ops == &dfsssp_ops) ? r->priv : NULL;
}

/* --- weights ---------------------------------------------------------------------------------- */

uint64_t dfsssp_start_weight(const struct dfsssp *d)
{
	return d->graph->start;
}

uint16_t *dfsssp_destinations(const struct routing *r, uint32_t *n)
{
	const struct ds_order *o = &dfsssp_of(r)->order;
	const struct fabric *f = r->topo->fabric;
	uint16_t *lid = NEW_ARRAY(r->lids->max_lid + 1u, uint16_t);
	const struct dfsssp *d = dfsssp_of(r);

	*n = 0;
	for (uint32_t i = 0; i < o->n; i++) {
		uint32_t ep = o->endport[i];

		for (unsigned k = 0; k < r->lids->count[ep]; k++)
			if (f->node_type[endport_node(f, ep)] != NODE_ROUTER)
				lid[(*n)++] = r->lids->base[ep] + k;
	}
	if (d->partial && d->n_lids < *n)
		*n = d->n_lids;
	return lid;
}

/* The channel by which a vertex sends to a LID, or NO_ID. */
static uint32_t dfsssp_show_channel_to(const struct routing *r, const struct ds_graph *g, uint32_t v,
				       unsigned lid)
{
	unsigned port = routing_port(r, g->sw[v], lid);

	return port == NO_PATH ? NO_ID : g->of_port[switch_port_id(r->topo->fabric, g->sw[v], port)];
}

bool dfsssp_add_routes(const struct routing *r, const uint16_t *lids, uint32_t from, uint32_t n,
		       uint32_t *routes, struct progress *p)
{
	const struct ds_graph *g = dfsssp_of(r)->graph;
	uint32_t *own = NEW_ARRAY(r->topo->fabric->n_switches, uint32_t);
	bool go_on;

	for (uint32_t v = 0; v < g->n; v++)
		own[g->sw[v]] = g->hosts[v];
	go_on = tree_routes_add(r, own, lids, from, n, routes, p);
	free(own);
	return go_on;
}

unsigned dfsssp_hops(const struct routing *r, uint32_t sw, unsigned lid)
{
	const struct ds_graph *g = dfsssp_of(r)->graph;
	uint32_t ep = lid_owner(r->lids, lid), v = g->id[sw], c;
	unsigned hops = 0;

	if (ep == NO_ID || v == NO_ID || routing_port(r, sw, lid) == NO_PATH)
		return HOPS_NONE;
	while ((c = dfsssp_show_channel_to(r, g, v, lid)) != NO_ID) {
		v = g->to[c];
		hops++;
	}
	if (routing_port(r, g->sw[v], lid) == NO_PATH) /* a step of which only a part is kept */
		return HOPS_NONE;
	return hops;
}

/* --- layers ------------------------------------------------------------------------------------ */

unsigned dfsssp_layers(const struct dfsssp *d)
{
	return d->layers ? d->layers->need : 0;
}

unsigned dfsssp_layer_of(const struct dfsssp *d, uint32_t sw, unsigned lid)
{
	const struct ds_layers *l = d->layers;
	uint32_t v = d->graph->id[sw];

	return !l || v == NO_ID || l->source_of[v] == NO_ID ? 0 : ds_layer_of(l, l->source_of[v], lid);
}

struct sl_range dfsssp_lanes(const struct dfsssp *d, unsigned layer)
{
	const struct ds_layers *l = d->layers;

	if (!l)
		return (struct sl_range){0, 0};
	return (struct sl_range){l->base[layer], l->base[layer] + l->width[layer] - 1};
}

/* All pairs start in layer 0. */
static void dfsssp_layer(const struct routing *r, unsigned layer, struct layer_info *info)
{
	const struct ds_layers *l = dfsssp_of(routing_origin(r))->layers;

	*info = (struct layer_info){.vl = l->base[layer],
				    .lanes = l->width[layer],
				    .unit = LAYER_LID_PAIRS,
				    .pairs = l->count[layer]};
	for (unsigned i = 0; !layer && i < l->need; i++)
		info->pairs_first += l->count[i];
}

/* Skips classes whose two ends are on one switch, since they make no dependency. */
static bool dfsssp_next_route(const struct routing *kept, unsigned layer, uint64_t *cursor,
			      struct layer_route *lr)
{
	const struct routing *r = routing_origin(kept);
	const struct dfsssp *d = dfsssp_of(r);
	uint64_t n = d->layers->n_sources, end = d->unlayered ? 0 : n * (r->lids->max_lid + 1u);

	for (; *cursor < end; ++*cursor) {
		unsigned lid = (unsigned)(*cursor / n), i = (unsigned)(*cursor % n);
		uint32_t sw = d->graph->sw[d->layers->source[i]], ep = lid_owner(r->lids, lid);

		if (ep == NO_ID || r->topo->endport_switch[ep] == sw || routing_port(r, sw, lid) == NO_PATH ||
		    ds_layer_of(d->layers, i, lid) != layer)
			continue;
		*lr = (struct layer_route){sw, NO_ID, (uint16_t)lid};
		++*cursor;
		return true;
	}
	return false;
}

uint32_t dfsssp_cuts(const struct dfsssp *d, unsigned layer, uint32_t *first)
{
	const struct ds_layers *l = d->layers;
	uint32_t n = 0;

	*first = 0;
	for (uint32_t i = 0; l && i < l->n_cuts; i++) {
		*first += l->cut[i].layer < layer;
		n += l->cut[i].layer == layer;
	}
	return n;
}

/* Each cut moves all classes that make its dependency, so the first cut on the path moved the class. */
uint32_t dfsssp_moved_by(const struct routing *r, uint32_t sw, unsigned lid, unsigned layer)
{
	const struct dfsssp *d = dfsssp_of(r);
	uint32_t first, n = dfsssp_cuts(d, layer, &first), c, next, *after;
	uint32_t found = NO_ID;

	if (layer >= dfsssp_layer_of(d, sw, lid))
		return NO_ID;
	after = NEW_ARRAY(d->graph->n_edges, uint32_t); /* the next channel on the path, plus 1 */
	for (c = dfsssp_show_channel_to(r, d->graph, d->graph->id[sw], lid); c != NO_ID; c = next) {
		next = dfsssp_show_channel_to(r, d->graph, d->graph->to[c], lid);
		after[c] = next == NO_ID ? 0 : next + 1;
	}
	for (uint32_t i = first; i < first + n && found == NO_ID; i++)
		if (after[d->layers->cut[i].from] == d->layers->cut[i].to + 1)
			found = i;
	free(after);
	return found;
}

uint32_t dfsssp_source_switch(const struct routing *r, unsigned slid, unsigned dlid)
{
	const struct fabric *f = r->topo->fabric;
	uint32_t s = lid_owner(r->lids, slid), d = lid_owner(r->lids, dlid);

	if (s == NO_ID || d == NO_ID || f->node_type[endport_node(f, s)] != NODE_CA ||
	    f->node_type[endport_node(f, d)] == NODE_ROUTER ||
	    r->topo->endport_switch[s] == r->topo->endport_switch[d])
		return NO_ID;
	return r->topo->endport_switch[s];
}

static bool dfsssp_pair_layer(const struct routing *kept, unsigned slid, unsigned dlid, struct pair_layer *l)
{
	const struct routing *r = routing_origin(kept);
	uint32_t sw = dfsssp_source_switch(r, slid, dlid);

	if (sw == NO_ID || routing_port(r, sw, dlid) == NO_PATH || dfsssp_of(r)->unlayered)
		return false;
	l->first = l->now = dfsssp_layer_of(dfsssp_of(r), sw, dlid);
	return true;
}

static struct witness *dfsssp_witness(const struct routing *kept, unsigned slid, unsigned dlid,
				      unsigned layer, struct progress *p)
{
	const struct routing *r = routing_origin(kept);
	const struct dfsssp *d = dfsssp_of(r);
	struct witness *w = NEW(struct witness);
	uint32_t sw = dfsssp_source_switch(r, slid, dlid),
		 index = sw == NO_ID ? NO_ID : dfsssp_moved_by(r, sw, dlid, layer);
	const struct ds_cut *cut;
	const uint32_t *cycle;

	(void)p;
	w->cut = NO_ID;
	if (index == NO_ID)
		return w;
	cut = &d->layers->cut[index];
	w->n = cut->length;
	w->cut = cut->at;
	w->edge = NEW_ARRAY(w->n, struct witness_edge);
	cycle = d->layers->cycle_channel + cut->first;
	for (uint32_t i = 0; i < w->n; i++)
		w->edge[i] = (struct witness_edge){
			.port = dfsssp_channel_port(d->graph, r->topo->fabric, cycle[i]),
			.routes = d->layers->cycle_left[cut->first + i],
			.sw = NO_ID,
			.sw2 = NO_ID,
		};
	/* marks where the path itself goes from a channel of the cycle to the next one */
	for (uint32_t c = dfsssp_show_channel_to(r, d->graph, d->graph->id[sw], dlid), next; c != NO_ID;
	     c = next) {
		next = dfsssp_show_channel_to(r, d->graph, d->graph->to[c], dlid);
		for (uint32_t i = 0; i < w->n; i++)
			w->edge[i].own |= cycle[i] == c && cycle[(i + 1) % w->n] == next;
	}
	return w;
}

/* --- operations ------------------------------------------------------------------------------ */

static void dfsssp_free(void *priv)
{
	struct dfsssp *d = priv;

	if (!d)
		return;
	ds_graph_unref(d->graph);
	ds_order_free(&d->order);
	ds_layers_unref(d->layers);
	FREE_EACH(d->weight, d);
}

/* --- accessors of the routing ----------------------------------------------------------------- */

/* OpenSM draws one of the layer's lanes at random for each query (engines/doc/dfsssp.md 7). */
static struct sl_range dfsssp_sl(const struct routing *r, unsigned slid, unsigned dlid)
{
	const struct dfsssp *d = r->priv;
	const struct fabric *f = r->topo->fabric;
	uint32_t s = lid_owner(r->lids, slid), t = lid_owner(r->lids, dlid);
	uint32_t sw;

	if (s == NO_ID || t == NO_ID || f->node_type[endport_node(f, s)] == NODE_ROUTER ||
	    f->node_type[endport_node(f, t)] == NODE_ROUTER)
		return (struct sl_range){0, 0};
	if (d->unlayered)
		return (struct sl_range){1, 0};
	sw = r->topo->endport_switch[s];
	if (sw == NO_ID || endport_is_switch(f, s))
		return dfsssp_lanes(d, 0);
	return dfsssp_lanes(d, dfsssp_layer_of(d, sw, dlid));
}

static unsigned dfsssp_n_layers(const struct routing *r)
{
	return dfsssp_layers(r->priv);
}

static unsigned dfsssp_show_layers_available(const struct routing *r)
{
	const struct dfsssp *d = r->priv;

	return d->layers ? d->layers->vls : 0;
}

/* OpenSM's LID matrix has the hops of the route at the port in use, and nothing elsewhere. */
static unsigned matrix_hops(const struct routing *r, uint32_t s, uint32_t d, unsigned port)
{
	const struct fabric *f = r->topo->fabric;
	unsigned lid = r->lids->base[f->port_endport[f->switch_port[d]]];
	unsigned out = routing_port(r, s, lid), hops;

	if (out == NO_PATH || (port && port != out))
		return NO_PATH;
	hops = dfsssp_hops(r, s, lid);
	return MIN(hops, NO_PATH);
}

const struct routing_ops sssp_ops = {
	.hops = matrix_hops,
	.free_priv = dfsssp_free,
};

const struct routing_ops dfsssp_ops = {
	.sl = dfsssp_sl,
	.sl_by_source = true,
	.hops = matrix_hops,
	.n_layers = dfsssp_n_layers,
	.layers_available = dfsssp_show_layers_available,
	.layer = dfsssp_layer,
	.next_route = dfsssp_next_route,
	.pair_layer = dfsssp_pair_layer,
	.witness = dfsssp_witness,
	.explain_pair = dfsssp_explain_pair,
	.decide_pair = dfsssp_decide_pair,
	.explain_layers = dfsssp_explain_layers,
	.free_priv = dfsssp_free,
};

/* --- the tables of a step ------------------------------------------------------------------------------ */

/* How far a run has come at a step. */
struct reach {
	uint32_t begun, weighed; /* numbers of LIDs */
	bool within;		 /* the search for the last one is still running */
	bool layered;		 /* pairs have layers */
	uint32_t cuts;
	size_t shifts; /* step of the first shift, 0 = none */
};

static struct reach reach_of(const struct walk *w)
{
	const struct recording *r = walk_recording(w);
	struct reach x = {0};

	for (size_t i = 1; i <= walk_step(w); i++) {
		const struct rec_event *ev = recording_event(r, i);

		x.begun += ev->kind == REC_TARGET;
		x.weighed += ev->kind == REC_WEIGHTS;
		x.layered |= ev->kind == REC_PATHS;
		if (ev->kind == REC_BREAK)
			x.cuts = ev->a + 1;
		if (ev->kind == REC_SHIFT && !x.shifts)
			x.shifts = i;
		if (ev->kind == REC_TARGET)
			x.within = true;
		else if (ev->kind == REC_WEIGHTS || ev->kind == REC_NOTE || ev->kind == REC_PHASE)
			x.within = false;
	}
	return x;
}

static void put_weights(const struct walk *w, struct dfsssp *d, const struct reach *x,
			const struct routing *end)
{
	const struct fabric *f = recording_sweep(walk_recording(w))->fabric;

	d->weight = NEW_ARRAY(d->graph->n_edges, uint32_t);
	for (uint32_t c = 0; c < d->graph->n_edges; c++)
		d->weight[c] = walk_value(w, T_WEIGHT, dfsssp_channel_port(d->graph, f, c));
	if (end && x->weighed < d->n_lids) { /* the recording has no weights: compute them */
		uint32_t *routes = NEW_ARRAY(f->n_ports, uint32_t), n;
		uint16_t *lid = dfsssp_destinations(end, &n);

		dfsssp_add_routes(end, lid, 0, MIN(d->n_lids, n), routes, NULL);
		for (uint32_t c = 0; c < d->graph->n_edges; c++)
			d->weight[c] =
				(uint32_t)d->graph->start + routes[dfsssp_channel_port(d->graph, f, c)];
		FREE_EACH(routes, lid);
	}
}

/* Finds the layers of the classes so far, and counts each layer's pairs. */
static void put_classes(const struct walk *w, struct ds_layers *l, const struct ds_layers *kept,
			const struct ds_graph *g)
{
	unsigned top = recording_sweep(walk_recording(w))->lids->max_lid;

	for (unsigned t = 0; t <= DS_MAX_LAYERS; t++)
		l->count[0] += kept->count[t];
	l->layer = NEW_ARRAY((top + 1u) * (size_t)l->n_sources, uint8_t);
	for (uint32_t i = 0; i < l->n_sources; i++)
		for (unsigned lid = 1; lid <= top; lid++) {
			unsigned t = walk_value(w, T_LAYER, g->sw[l->source[i]] * (top + 1u) + lid);

			if (!t || t > DS_MAX_LAYERS)
				continue;
			l->layer[(size_t)lid * l->n_sources + i] = t;
			l->count[0] -= l->ca_lids[i];
			l->count[t] += l->ca_lids[i];
		}
}

/* Lanes: one per layer, until the layers were shifted. */
static void put_lanes(const struct walk *w, struct ds_layers *l, size_t shifts)
{
	const struct recording *r = walk_recording(w);
	const uint32_t *word;

	for (unsigned t = 0; t <= DS_MAX_LAYERS; t++) {
		l->base[t] = t;
		l->width[t] = 1;
	}
	for (size_t i = shifts; i && i <= walk_step(w); i++) {
		const struct rec_event *ev = recording_event(r, i);

		if (ev->kind == REC_SHIFT && recording_extra(r, i, &word) >= 2) {
			l->base[ev->b] = word[0];
			l->width[ev->b] = word[1];
		}
	}
}

static struct ds_layers *layers_at(const struct walk *w, const struct ds_kept *k, const struct reach *x)
{
	struct ds_layers *l = NEW(struct ds_layers);
	const struct ds_layers *kept = k->layers;
	uint32_t n = k->graph->n;

	l->refs = 1;
	l->need = 1;
	put_lanes(w, l, x->shifts);
	if (!kept) { /* refused before there were layers */
		l->source_of = NEW_ARRAY(n, uint32_t);
		memset(l->source_of, 0xff, n * sizeof(*l->source_of)); /* NO_ID */
		l->vls_port = NO_ID;
		return l;
	}
	l->vls = kept->vls;
	l->vls_port = kept->vls_port;
	l->n_sources = kept->n_sources;
	l->source = mem_dup(kept->source, n * sizeof(*l->source));
	l->source_of = mem_dup(kept->source_of, n * sizeof(*l->source_of));
	l->ca_lids = mem_dup(kept->ca_lids, n * sizeof(*l->ca_lids));
	if (!x->layered)
		return l;
	l->channels = kept->channels;
	l->deps = kept->deps;
	l->idle = x->shifts ? kept->idle : 0;
	if (x->cuts) { /* the cuts so far, with their cycles */
		const struct ds_cut *last = &kept->cut[x->cuts - 1];

		l->n_cuts = l->cap_cuts = x->cuts;
		l->cut = mem_dup(kept->cut, x->cuts * sizeof(*l->cut));
		l->n_cycle = l->cap_cycle = last->first + last->length;
		l->cycle_channel = mem_dup(kept->cycle_channel, l->n_cycle * sizeof(*l->cycle_channel));
		l->cycle_left = mem_dup(kept->cycle_left, l->n_cycle * sizeof(*l->cycle_left));
		l->need = last->layer + 2u;
	}
	put_classes(w, l, kept, k->graph);
	return l;
}

static void *dfsssp_show_priv_at(struct walk *w, const struct routing *end)
{
	const struct ds_kept *k = recording_kept(walk_recording(w));
	struct reach x = reach_of(w);
	struct dfsssp *d;

	if (!k)
		return NULL;
	d = NEW(struct dfsssp);
	d->partial = true;
	d->n_lids = x.begun - x.within;
	d->graph = ds_graph_ref(k->graph);
	ds_order_copy(&d->order, &k->order, k->graph->n);
	put_weights(w, d, &x, end);
	d->unlayered = !x.layered;
	if (recording_scheme_of(walk_recording(w))->scheme == &dfsssp_scheme)
		d->layers = layers_at(w, k, &x);
	return d;
}

const struct rec_scheme sssp_scheme = {
	.rule = ds_say_rule,
	.source = ds_say_source,
	.sentence = ds_say,
	.ops = &sssp_ops,
	.priv_at = dfsssp_show_priv_at,
};

const struct rec_scheme dfsssp_scheme = {
	.rule = ds_say_rule,
	.source = ds_say_source,
	.sentence = ds_say,
	.ops = &dfsssp_ops,
	.priv_at = dfsssp_show_priv_at,
	.cell = ds_say_cell,
};
