/* Accessors for panes, and layers in words. */
#include <inttypes.h>
#include <stdlib.h>

#include "core/base/memory.h"
#include "core/routing/paths.h"
#include "core/sm/ucast_cache.h"
#include "engines/dfsssp/dfsssp.h"

/* --- weights ---------------------------------------------------------------------------------- */

uint64_t dfsssp_start_weight(const struct dfsssp *d)
{
	return d->graph->start;
}

uint64_t dfsssp_weight(const struct dfsssp *d, uint32_t port)
{
	uint32_t c = d->graph->of_port[port];

	return c == NO_ID ? 0 : d->weight[c];
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

/* The channel by which a vertex sends to a LID, NO_ID. */
static uint32_t channel_to(const struct routing *r, const struct ds_graph *g, uint32_t v, unsigned lid)
{
	unsigned port = routing_port(r, g->sw[v], lid);

	return port == NO_PATH ? NO_ID : g->of_port[switch_port_id(r->topo->fabric, g->sw[v], port)];
}

bool dfsssp_add_routes(const struct routing *r, const uint16_t *lids, uint32_t from, uint32_t n,
		       uint32_t *routes, struct progress *p)
{
	const struct ds_graph *g = dfsssp_of(r)->graph;
	uint32_t *waits = NEW_ARRAY(g->n, uint32_t), *load = NEW_ARRAY(g->n, uint32_t);
	uint32_t *next = NEW_ARRAY(g->n, uint32_t);
	bool go_on = true;

	progress_start(p, "routes per channel", n);
	for (uint32_t i = from; i < n && (go_on = progress_step(p, i)); i++) {
		for (uint32_t v = 0; v < g->n; v++) {
			next[v] = channel_to(r, g, v, lids[i]);
			load[v] = g->hosts[v];
			if (next[v] != NO_ID)
				waits[g->to[next[v]]]++;
		}
		/* from the leaves of the tree inwards */
		for (uint32_t start = 0; start < g->n; start++)
			for (uint32_t v = start; !waits[v] && next[v] != NO_ID;) {
				uint32_t c = next[v], u = g->to[c];

				routes[switch_port_id(r->topo->fabric, g->sw[v], g->port[c])] += load[v];
				load[u] += load[v];
				next[v] = NO_ID;
				waits[u]--;
				v = u;
			}
	}
	free(waits);
	free(load);
	free(next);
	return go_on;
}

unsigned dfsssp_hops(const struct routing *r, uint32_t sw, unsigned lid)
{
	const struct ds_graph *g = dfsssp_of(r)->graph;
	uint32_t ep = lid_owner(r->lids, lid), v = g->id[sw], c;
	unsigned hops = 0;

	if (ep == NO_ID || v == NO_ID || routing_port(r, sw, lid) == NO_PATH)
		return HOPS_NONE;
	while ((c = channel_to(r, g, v, lid)) != NO_ID) {
		v = g->to[c];
		hops++;
	}
	if (routing_port(r, g->sw[v], lid) == NO_PATH) /* a step of which only a part is kept */
		return HOPS_NONE;
	return hops + !endport_is_switch(r->topo->fabric, ep);
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

/* All pairs begin in layer 0. */
void dfsssp_layer(const struct routing *r, unsigned layer, struct layer_info *info)
{
	const struct ds_layers *l = dfsssp_of(routing_origin(r))->layers;

	*info = (struct layer_info){.vl = l->base[layer],
				    .lanes = l->width[layer],
				    .unit = LAYER_LID_PAIRS,
				    .pairs = l->count[layer]};
	for (unsigned i = 0; !layer && i < l->need; i++)
		info->pairs_first += l->count[i];
}

/* Classes whose two ends hang on one switch make no dependency, and are left out. */
bool dfsssp_next_route(const struct routing *kept, unsigned layer, uint64_t *cursor, struct layer_route *lr)
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

uint32_t dfsssp_channel_port(const struct dfsssp *d, const struct fabric *f, uint32_t channel)
{
	return switch_port_id(f, d->graph->sw[d->graph->from[channel]], d->graph->port[channel]);
}

/*
 * Every cut of a layer moves all classes that make the dependency: the first cut on
 * the path is the one.
 */
uint32_t dfsssp_moved_by(const struct routing *r, uint32_t sw, unsigned lid, unsigned layer)
{
	const struct dfsssp *d = dfsssp_of(r);
	uint32_t first, n = dfsssp_cuts(d, layer, &first), c, next, *after;
	uint32_t found = NO_ID;

	if (layer >= dfsssp_layer_of(d, sw, lid))
		return NO_ID;
	after = NEW_ARRAY(d->graph->n_edges, uint32_t); /* channel behind one of the path, plus 1 */
	for (c = channel_to(r, d->graph, d->graph->id[sw], lid); c != NO_ID; c = next) {
		next = channel_to(r, d->graph, d->graph->to[c], lid);
		after[c] = next == NO_ID ? 0 : next + 1;
	}
	for (uint32_t i = first; i < first + n && found == NO_ID; i++)
		if (after[d->layers->cut[i].from] == d->layers->cut[i].to + 1)
			found = i;
	free(after);
	return found;
}

/* The switch from whose CAs, that of a LID among them, routes go to another LID; NO_ID: they have no layer.
 */
static uint32_t source_switch(const struct routing *r, unsigned slid, unsigned dlid)
{
	const struct fabric *f = r->topo->fabric;
	uint32_t s = lid_owner(r->lids, slid), d = lid_owner(r->lids, dlid);

	if (s == NO_ID || d == NO_ID || f->node_type[endport_node(f, s)] != NODE_CA ||
	    f->node_type[endport_node(f, d)] == NODE_ROUTER ||
	    r->topo->endport_switch[s] == r->topo->endport_switch[d])
		return NO_ID;
	return r->topo->endport_switch[s];
}

bool dfsssp_pair_layer(const struct routing *kept, unsigned slid, unsigned dlid, struct pair_layer *l)
{
	const struct routing *r = routing_origin(kept);
	uint32_t sw = source_switch(r, slid, dlid);

	if (sw == NO_ID || routing_port(r, sw, dlid) == NO_PATH || dfsssp_of(r)->unlayered)
		return false;
	l->first = l->now = dfsssp_layer_of(dfsssp_of(r), sw, dlid);
	return true;
}

/* Where the path from a switch to a LID goes from a channel of the cycle to the next. */
static void note_own(struct witness *w, const struct routing *r, const uint32_t *cycle, uint32_t sw,
		     unsigned lid)
{
	const struct ds_graph *g = dfsssp_of(r)->graph;
	uint32_t next;

	for (uint32_t c = channel_to(r, g, g->id[sw], lid); c != NO_ID; c = next) {
		next = channel_to(r, g, g->to[c], lid);
		for (uint32_t i = 0; i < w->n; i++)
			w->edge[i].own |= cycle[i] == c && cycle[(i + 1) % w->n] == next;
	}
}

struct witness *dfsssp_witness(const struct routing *kept, unsigned slid, unsigned dlid, unsigned layer,
			       struct progress *p)
{
	const struct routing *r = routing_origin(kept);
	const struct dfsssp *d = dfsssp_of(r);
	struct witness *w = NEW(struct witness);
	uint32_t sw = source_switch(r, slid, dlid),
		 index = sw == NO_ID ? NO_ID : dfsssp_moved_by(r, sw, dlid, layer);
	const struct ds_cut *cut;

	(void)p;
	w->cut = NO_ID;
	if (index == NO_ID)
		return w;
	cut = &d->layers->cut[index];
	w->n = cut->length;
	w->cut = cut->at;
	w->edge = NEW_ARRAY(w->n, struct witness_edge);
	for (uint32_t i = 0; i < w->n; i++)
		w->edge[i] = (struct witness_edge){
			.port = dfsssp_channel_port(d, r->topo->fabric,
						    d->layers->cycle_channel[cut->first + i]),
			.routes = d->layers->cycle_left[cut->first + i],
			.sw = NO_ID,
			.sw2 = NO_ID,
		};
	note_own(w, r, d->layers->cycle_channel + cut->first, sw, dlid);
	return w;
}

/* --- in words -------------------------------------------------------------------------------------- */

static const char *channel_label(const struct routing *r, const struct dfsssp *d, uint32_t c, char *buf,
				 size_t size)
{
	return port_label(r->topo->fabric, dfsssp_channel_port(d, r->topo->fabric, c), buf, size);
}

static void tell_cut(const struct routing *r, uint32_t index, struct text *t)
{
	const struct dfsssp *d = dfsssp_of(r);
	const struct ds_layers *l = d->layers;
	const struct ds_cut *cut = &l->cut[index];
	uint32_t first;
	char a[300], b[300];

	dfsssp_cuts(d, cut->layer, &first);
	text_add(t, "Layer %u: cycle %" PRIu32 " of %" PRIu32 " channels:\n", cut->layer, index - first + 1,
		 cut->length);
	for (uint32_t i = 0; i < cut->length; i++) {
		uint32_t next = cut->first + (i + 1) % cut->length;

		text_add(t, "%s %s -> %s  %" PRIu32 " pairs%s\n", i == cut->at ? ">" : " ",
			 channel_label(r, d, l->cycle_channel[cut->first + i], a, sizeof(a)),
			 channel_label(r, d, l->cycle_channel[next], b, sizeof(b)),
			 l->cycle_left[cut->first + i], i == cut->at ? ", the fewest: cut" : "");
	}
	text_add(t, "The cut moved %" PRIu64 " pairs to layer %u, these among them.\n", cut->moved,
		 cut->layer + 1u);
}

static void tell_lanes(const struct dfsssp *d, unsigned layer, struct text *t)
{
	struct sl_range sl = dfsssp_lanes(d, layer);

	if (sl.lo == sl.hi)
		text_add(t, "Layer %u has SL %u.\n", layer, sl.lo);
	else
		text_add(t, "Layer %u has SL %u to %u: OpenSM draws one of them at random for each query.\n",
			 layer, sl.lo, sl.hi);
}

void dfsssp_explain_pair(const struct routing *kept, unsigned slid, unsigned dlid, struct text *t,
			 struct progress *p)
{
	const struct routing *r = routing_origin(kept);
	const struct dfsssp *d = dfsssp_of(r);
	const struct fabric *f = r->topo->fabric;
	uint32_t s = lid_owner(r->lids, slid), dst = lid_owner(r->lids, dlid), sw;
	unsigned layer;

	(void)p;
	if (s == NO_ID || dst == NO_ID) {
		text_add(t, "A LID that had no port when the layers were made: SL 0.\n");
		return;
	}
	if (f->node_type[endport_node(f, s)] == NODE_ROUTER ||
	    f->node_type[endport_node(f, dst)] == NODE_ROUTER) {
		text_add(t, "dfsssp puts no routes of routers in layers: SL 0.\n");
		return;
	}
	if (d->unlayered) {
		text_add(t, "No pair has a layer yet: dfsssp finds layers when all tables are done.\n");
		return;
	}
	sw = r->topo->endport_switch[s];
	if (endport_is_switch(f, s)) {
		text_add(t, "Routes that start at a switch itself stay in layer 0.\n");
		tell_lanes(d, 0, t);
		return;
	}
	layer = dfsssp_layer_of(d, sw, dlid);
	text_add(t, "All routes from the CAs of %s to LID %u are in layer %u", switch_name(f, sw), dlid,
		 layer);
	text_add(t, layer ? ".\n" : ": no cut met them there.\n");
	for (unsigned v = 0; v < layer; v++)
		tell_cut(r, dfsssp_moved_by(r, sw, dlid, v), t);
	tell_lanes(d, layer, t);
}

void dfsssp_decide_pair(const struct routing *kept, unsigned slid, unsigned dlid, struct decided *out)
{
	const struct routing *r = routing_origin(kept);
	const struct dfsssp *d = dfsssp_of(r);
	uint32_t sw = source_switch(r, slid, dlid), index, first;
	unsigned layer = sw == NO_ID ? 0 : dfsssp_layer_of(d, sw, dlid);
	const struct ds_cut *cut;

	if (d->unlayered)
		return;
	index = layer ? dfsssp_moved_by(r, sw, dlid, layer - 1) : NO_ID;
	if (index == NO_ID) {
		decide(out, WHY_FIRST_LAYER, "Layer 0, where all routes begin; no cut moved this one: SL %u.",
		       dfsssp_lanes(d, layer).lo);
		return;
	}
	cut = &d->layers->cut[index];
	dfsssp_cuts(d, cut->layer, &first);
	decide(out, WHY_CUT,
	       "Cut %" PRIu32 " of layer %u took the edge with the fewest pairs out of a cycle of %" PRIu32
	       " channels; this pair went to layer %u with it: SL %u.",
	       index - first + 1, cut->layer, cut->length, layer, dfsssp_lanes(d, layer).lo);
}

void dfsssp_explain_layers(const struct routing *kept, struct text *t)
{
	const struct routing *r = routing_origin(kept);
	const struct dfsssp *d = dfsssp_of(r);
	const struct ds_layers *l = d->layers;
	char at[300] = "no switch has a cable";

	if (d->unlayered) {
		text_add(t, "No pair has a layer yet.\n");
		return;
	}
	if (l->vls_port != NO_ID)
		port_label(r->topo->fabric, l->vls_port, at, sizeof(at));
	text_add(t,
		 "%u of %u VLs are needed (%s has the fewest); %" PRIu64 " channels, %" PRIu64
		 " dependencies in all.\n",
		 l->need, l->vls, at, l->channels, l->deps);
	for (unsigned v = 0; v < l->need; v++) {
		uint32_t first, cuts = dfsssp_cuts(d, v, &first);

		text_add(t, "Layer %u: %" PRIu64 " ordered pairs of LIDs, %" PRIu32 " cycle%s cut; ", v,
			 l->count[v], cuts, cuts == 1 ? "" : "s");
		if (l->width[v] == 1)
			text_add(t, "SL %u.\n", l->base[v]);
		else
			text_add(t, "SL %u to %u, drawn at random.\n", l->base[v],
				 l->base[v] + l->width[v] - 1u);
	}
	if (l->idle)
		text_add(t,
			 "%u VL%s nothing: OpenSM 3.3.23 loses lanes given to a layer that keeps its "
			 "number.\n",
			 l->idle, l->idle == 1 ? " carries" : "s carry");
}
