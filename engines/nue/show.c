/* Nue's tables for panes: layers, weights, detours, and all of them at a step. */
#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"
#include "core/base/release.h"
#include "core/sm/sweep.h"
#include "core/sm/ucast_cache.h"
#include "core/trace/walk.h"
#include "engines/nue/internal.h"
#include "engines/tree_routes.h"

const struct nue *nue_of(const struct routing *r)
{
	r = routing_origin(r);
	return r->ops == &nue_ops ? r->priv : NULL;
}

unsigned nue_layers(const struct nue *n)
{
	return n->vls.layers;
}

unsigned nue_layer_of(const struct nue *n, unsigned lid)
{
	return lid <= n->max_lid ? n->sl_of[lid] : NUE_NO_LAYER;
}

unsigned nue_events_of(const struct nue *n, unsigned lid)
{
	return lid <= n->max_lid ? n->event[lid] : 0;
}

bool nue_not_yet(const struct nue *n, unsigned lid)
{
	return n->whole && lid <= n->max_lid && n->whole->event[lid] && !n->event[lid];
}

static const struct nue_layer *filled(const struct nue *n, unsigned layer)
{
	return layer < n->vls.layers && n->layer[layer].root != NO_ID ? &n->layer[layer] : NULL;
}

uint32_t nue_central_switch(const struct nue *n, unsigned layer)
{
	const struct nue_layer *l = filled(n, layer);

	return l ? n->graph->sw[l->root] : NO_ID;
}

bool nue_in_hull(const struct nue *n, unsigned layer, uint32_t sw)
{
	uint32_t u = n->graph->node[sw];

	/* at a step of a recording, the hull comes before the central switch */
	return layer < n->vls.layers && n->layer[layer].hull && u != NO_ID && n->layer[layer].hull[u];
}

double nue_betweenness(const struct nue *n, unsigned layer, uint32_t sw)
{
	return filled(n, layer) && nue_in_hull(n, layer, sw) ? n->layer[layer].betweenness[n->graph->node[sw]]
							     : 0;
}

unsigned nue_escape_port(const struct nue *n, unsigned layer, uint32_t sw)
{
	const struct nue_layer *l = filled(n, layer);
	uint32_t u = n->graph->node[sw];

	if (!l || u == NO_ID)
		return NO_PATH;
	if (u == l->root)
		return 0;
	return l->escape[u] == NO_ID ? NO_PATH : n->graph->rport[l->escape[u]];
}

uint32_t nue_escape_depth(const struct nue *n, unsigned layer, uint32_t sw)
{
	const struct nue_layer *l = filled(n, layer);
	uint32_t u = n->graph->node[sw], depth = 0;

	if (!l || u == NO_ID)
		return NO_ID;
	for (; u != l->root; depth++) {
		if (l->escape[u] == NO_ID)
			return NO_ID;
		u = n->graph->from[l->escape[u]];
	}
	return depth;
}

uint32_t nue_restrictions(const struct nue *n, unsigned layer)
{
	const struct nue_layer *l = filled(n, layer);

	return l ? l->n_blocked : 0;
}

struct nue_turn nue_restriction(const struct nue *n, unsigned layer, uint32_t i)
{
	return n->layer[layer].blocked[i];
}

uint16_t *nue_destinations(const struct routing *r, uint32_t *n)
{
	const struct nue *nue = nue_of(r);
	const struct fabric *f = r->topo->fabric;
	uint16_t *lid = NEW_ARRAY(nue->max_lid + 1u, uint16_t);

	*n = 0;
	for (unsigned v = 0; v < nue->vls.layers; v++)
		for (uint32_t i = 0; i < nue->layer[v].n_lids; i++) {
			unsigned base = nue->layer[v].lid[i],
				 count = r->lids->count[lid_owner(r->lids, base)];

			for (unsigned k = 0; k < count; k++)
				if (nue->event[base + k]) /* 0 at a step of a recording before it is routed */
					lid[(*n)++] = base + k;
		}
	for (uint32_t u = 0; u < nue->graph->n; u++) {
		unsigned own = r->lids->base[f->port_endport[f->switch_port[nue->graph->sw[u]]]];

		if (own && nue->event[own] & NUE_OUTSIDE)
			lid[(*n)++] = own;
	}
	return lid;
}

bool nue_add_routes(const struct routing *r, const uint16_t *lids, uint32_t from, uint32_t n,
		    uint32_t *growth, struct progress *p)
{
	const struct nue_graph *g = nue_of(r)->graph;
	uint32_t *own = NEW_ARRAY(r->topo->fabric->n_switches, uint32_t);
	bool go_on;

	for (uint32_t u = 0; u < g->n; u++)
		own[g->sw[u]] = g->terminals[u];
	go_on = tree_routes_add(r, own, lids, from, n, growth, p);
	free(own);
	return go_on;
}

/* --- detours -------------------------------------------------------------------------------------- */

/*
 * Counts links from every switch to `to`: the fewest, in least[], and by the tables for a LID, in links[].
 * NO_ID = none.
 */
static void measure_ways(const struct routing *r, const struct nue_graph *g, uint32_t to, unsigned lid,
			 uint32_t *least, uint32_t *links, uint32_t *queue)
{
	uint32_t n;

	nue_hops_from(g, to, least, queue);
	memset(links, 0xff, g->n * sizeof(*links));
	links[to] = 0;
	for (n = 0, queue[n++] = to; n;) {
		uint32_t u = queue[--n];

		for (uint32_t c = g->first[u]; c < g->first[u + 1]; c++) {
			uint32_t v = g->to[c];

			if (links[v] != NO_ID || routing_port(r, g->sw[v], lid) != g->rport[c])
				continue;
			links[v] = links[u] + 1;
			queue[n++] = v;
		}
	}
}

/*
 * Sets open[] (zeroed by the caller) for nodes with a way of the fewest links to `to` without a restricted
 * turn.
 */
static void find_open(const struct nue_graph *g, const struct nue_layer *l, uint32_t to,
		      const uint32_t *least, bool *open)
{
	/*
	 * first[c]: first restriction on turns by which packets leave into channel c (l->blocked is sorted by
	 * c)
	 */
	uint32_t *first = NEW_ARRAY(g->n_channels + 1u, uint32_t), k = 0, n = 0;
	uint32_t *stack = NEW_ARRAY(g->n_channels + 1u, uint32_t);
	bool *seen = NEW_ARRAY(g->n_channels + 1u, bool);

	for (uint32_t c = 0; c < g->n_channels; c++) {
		first[c] = k;
		while (k < l->n_blocked && l->blocked[k].sw == g->sw[g->to[c]] &&
		       l->blocked[k].out == g->rport[c])
			k++;
	}
	first[g->n_channels] = k;
	for (uint32_t c = g->first[to]; c < g->first[to + 1]; c++)
		stack[n++] = c;
	while (n) {
		uint32_t c = stack[--n], v = g->to[c];

		open[v] = true;
		for (uint32_t y = g->first[v]; y < g->first[v + 1]; y++) {
			bool free_turn = !seen[y] && least[g->to[y]] == least[v] + 1;

			for (uint32_t i = first[c]; i < first[c + 1] && free_turn; i++)
				free_turn = l->blocked[i].in != g->lport[y];
			if (!free_turn)
				continue;
			seen[y] = true;
			stack[n++] = y;
		}
	}
	FREE_EACH(first, stack, seen);
}

uint32_t nue_detours(const struct routing *r, unsigned lid, struct nue_detour *list)
{
	const struct nue *nue = nue_of(r);
	const struct nue_graph *g = nue->graph;
	uint32_t to = nue_node_of(g, r->topo, lid_owner(r->lids, lid)), n = 0, *room, *least, *links;

	bool outside = nue_events_of(nue, lid) & NUE_OUTSIDE, *open;

	if (to == NO_ID)
		return 0;
	open = NEW_ARRAY(g->n, bool);
	room = NEW_ARRAY(3 * (size_t)g->n, uint32_t);
	least = room + g->n;
	links = least + g->n;
	measure_ways(r, g, to, lid, least, links, room);
	if (!outside && nue_layer_of(nue, lid) != NUE_NO_LAYER)
		find_open(g, &nue->layer[nue_layer_of(nue, lid)], to, least, open);
	for (uint32_t u = 0; u < g->n; u++)
		if (links[u] != NO_ID && links[u] > least[u])
			list[n++] = (struct nue_detour){g->sw[u], links[u], least[u], outside || open[u]};
	FREE_EACH(room, open);
	return n;
}

/* --- layers, in the form common to all engines ------------------------------------------------- */

/* Was the LID routed within this layer? */
static bool is_in(const struct nue *n, unsigned lid, unsigned layer)
{
	return n->sl_of[lid] == layer && n->event[lid] && !(n->event[lid] & NUE_OUTSIDE);
}

static void nue_layer_info(const struct routing *r, unsigned layer, struct layer_info *info)
{
	const struct nue *n = nue_of(r);

	*info = (struct layer_info){.vl = layer, .lanes = 1, .unit = LAYER_LIDS};
	for (unsigned lid = 1; lid <= n->max_lid; lid++)
		info->pairs += is_in(n, lid, layer);
	info->pairs_first = info->pairs;
}

static bool nue_next_route(const struct routing *r, unsigned layer, uint64_t *cursor, struct layer_route *lr)
{
	const struct nue *n = nue_of(r);

	for (*cursor += !*cursor; *cursor <= n->max_lid; ++*cursor) {
		if (!is_in(n, (unsigned)*cursor, layer))
			continue;
		*lr = (struct layer_route){NO_ID, NO_ID, (uint16_t)*cursor};
		++*cursor;
		return true;
	}
	return false;
}

static bool nue_pair_layer(const struct routing *r, unsigned slid, unsigned dlid, struct pair_layer *l)
{
	const struct nue *n = nue_of(r);

	(void)slid; /* a LID has one layer for all sources */
	if (nue_layer_of(n, dlid) == NUE_NO_LAYER || nue_events_of(n, dlid) & NUE_OUTSIDE)
		return false;
	l->first = l->now = nue_layer_of(n, dlid);
	return true;
}

/* --- service levels (engines/doc/nue.md 15) ---------------------------------------------------- */

static struct sl_range nue_sl(const struct routing *r, unsigned slid, unsigned dlid)
{
	const struct nue *n = r->priv;
	unsigned sl = nue_layer_of(n, dlid);

	(void)slid;
	if (n->vls.layers > 1 && nue_not_yet(n, dlid)) /* at a step of a recording */
		return (struct sl_range){1, 0};
	if (n->vls.layers == 1 || sl == NUE_NO_LAYER)
		sl = 0;
	return (struct sl_range){sl, sl};
}

static unsigned nue_n_layers(const struct routing *r)
{
	return nue_layers(r->priv);
}

static unsigned nue_show_layers_available(const struct routing *r)
{
	return ((const struct nue *)r->priv)->vls.supported;
}

/* With one layer every path keeps the SL that it is asked with. */
static unsigned keeps_sl(const struct routing *r)
{
	return nue_n_layers(r) <= 1 ? 15 : 0;
}

const struct routing_ops nue_ops = {
	.sl = nue_sl,
	.sl_by_source = true,
	.sl_from_qos = keeps_sl,
	.n_layers = nue_n_layers,
	.layers_available = nue_show_layers_available,
	.layer = nue_layer_info,
	.next_route = nue_next_route,
	.pair_layer = nue_pair_layer,
	.explain_pair = nue_explain_pair,
	.decide_pair = nue_decide_pair,
	.explain_layers = nue_explain_layers,
	.free_priv = nue_let_go,
};

/* --- the tables of a step ------------------------------------------------------------------------------ */

/* Applies one event. *layer: the current layer. */
static void nue_show_replay(struct nue *n, const struct recording *r, size_t step, unsigned *layer)
{
	const struct rec_event *ev = recording_event(r, step);
	const struct nue_layer *whole;
	struct nue_layer *l;
	uint32_t u = NO_ID;
	const uint32_t *extra;

	if (rec_kinds[ev->kind].b == FIELD_LAYER)
		*layer = ev->b;
	if (rec_kinds[ev->kind].a == FIELD_SWITCH)
		u = n->graph->node[ev->a];
	whole = &n->whole->layer[*layer];
	l = &n->layer[*layer];
	switch (ev->kind) {
	case REC_HULL:
		l->n_hull++;
		l->hull[u] = whole->hull[u];
		break;
	case REC_CENTRE:
		l->root = u;
		break;
	case REC_ESCAPE:
		if (ev->port)
			l->escape[u] = whole->escape[u];
		else
			l->escape_channels = whole->escape_channels;
		break;
	case REC_MERGE:
		l->merges++;
		break;
	case REC_ROUTED:
		recording_extra(r, step, &extra);
		n->event[ev->b] = extra[0];
		n->sl_of[ev->b] = extra[0] & NUE_OUTSIDE ? 0 : *layer;
		if (extra[0] & NUE_OUTSIDE)
			break;
		l->backtracked += (extra[0] & NUE_BACKTRACKED) != 0;
		l->shortcuts += (extra[0] & NUE_SHORTCUT) != 0;
		l->fallbacks += (extra[0] & NUE_FALLBACK) != 0;
		break;
	case REC_LAYER:
		l->searches = whole->searches;
		l->unrecorded = whole->unrecorded;
		l->loop = whole->loop;
		break;
	default:
		break;
	}
}

/* Counts dependencies in use, and lists restrictions as keep_results() does. */
static void count_uses(struct nue *n, struct nue_layer *l, const uint8_t *use)
{
	const struct nue_graph *g = n->graph;
	uint32_t e = 0, blocked = 0;

	for (uint32_t i = 0; i < n->n_edges; i++) {
		l->escape_edges += use[i] == USE_ESCAPE;
		l->used += use[i] != USE_NONE && use[i] != USE_BLOCKED;
		blocked += use[i] == USE_BLOCKED;
	}
	l->blocked = NEW_ARRAY(blocked + 1, struct nue_turn);
	for (uint32_t c = 0; c < g->n_channels; c++) {
		uint32_t v = g->to[c];

		for (uint32_t y = g->first[v]; y < g->first[v + 1]; y++, e++)
			if (use[e] == USE_BLOCKED)
				l->blocked[l->n_blocked++] =
					(struct nue_turn){g->sw[v], g->lport[y], g->rport[c]};
	}
}

void *nue_priv_at(struct walk *w, const struct routing *end)
{
	const struct recording *r = walk_recording(w);
	const struct nue *whole = recording_kept(r);
	const uint32_t *grown = walk_words(w, T_WEIGHT);
	const struct fabric *f = recording_sweep(r)->fabric;
	struct nue *n;
	unsigned layer = 0;

	(void)end;
	if (!whole) /* refused before a run began */
		return NULL;
	n = mem_dup(whole, sizeof(*n));
	n->refs = 1;
	n->whole = nue_ref(whole);
	n->sl_of = mem_array(n->max_lid + 1u, 1);
	memset(n->sl_of, NUE_NO_LAYER, n->max_lid + 1u);
	n->event = mem_array(n->max_lid + 1u, 1);
	n->weight = NEW_ARRAY(n->graph->n_channels + 1u, uint64_t);
	for (uint32_t c = 0; c < n->graph->n_channels; c++)
		n->weight[c] = n->first_weight +
			       grown[switch_port_id(f, n->graph->sw[n->graph->to[c]], n->graph->rport[c])];
	for (unsigned v = 0; v < n->vls.layers; v++) { /* what the whole run knows from the start */
		const struct nue_layer *l = &whole->layer[v];
		uint32_t *escape = NEW_ARRAY(n->graph->n + 1u, uint32_t);

		memset(escape, 0xff, n->graph->n * sizeof(*escape));
		n->layer[v] = (struct nue_layer){.n_lids = l->n_lids,
						 .lid = l->lid,
						 .root = NO_ID,
						 .betweenness = l->betweenness,
						 .edges = l->edges,
						 .hull = NEW_ARRAY(n->graph->n + 1u, uint8_t),
						 .escape = escape};
	}
	for (size_t i = 1; i <= walk_step(w); i++)
		nue_show_replay(n, r, i, &layer);
	for (unsigned v = 0; v < n->vls.layers; v++)
		count_uses(n, &n->layer[v], walk_bytes(w, T_COLOUR) + (size_t)v * n->n_edges);
	return n;
}
