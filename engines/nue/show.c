/* Accessors for panes, and the layers in words. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/memory.h"
#include "engines/nue/nue.h"

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

	/* at a step of a recording the hull comes before the central switch */
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

uint64_t nue_weight_growth(const struct nue *n, uint32_t sw, unsigned port)
{
	const struct nue_graph *g = n->graph;
	uint32_t u = g->node[sw];

	/* packets leave by the port that the channel comes in by */
	for (uint32_t c = u == NO_ID ? 0 : g->first[u]; u != NO_ID && c < g->first[u + 1]; c++)
		if (g->lport[c] == port)
			return n->weight[g->rev[c]] - n->first_weight;
	return 0;
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
				if (nue->event[base + k]) /* not yet, at a step of a recording */
					lid[(*n)++] = base + k;
		}
	for (uint32_t u = 0; u < nue->graph->n; u++) {
		unsigned own = r->lids->base[f->port_endport[f->switch_port[nue->graph->sw[u]]]];

		if (own && nue->event[own] & NUE_OUTSIDE)
			lid[(*n)++] = own;
	}
	return lid;
}

/* The channel by which the way of a node to a LID is searched (packets go it backwards), NO_ID. */
static uint32_t channel_from(const struct routing *r, const struct nue_graph *g, uint32_t u, unsigned lid)
{
	unsigned port = routing_port(r, g->sw[u], lid);

	for (uint32_t c = g->first[u]; c < g->first[u + 1]; c++)
		if (g->lport[c] == port)
			return g->rev[c];
	return NO_ID;
}

/* What comes in and what is there goes on, from the ends of the tree inwards. */
static void add_tree(const struct routing *r, const struct nue_graph *g, uint32_t *next, uint32_t *waits,
		     uint32_t *sum, uint32_t *growth)
{
	for (uint32_t start = 0; start < g->n; start++)
		for (uint32_t u = start; !waits[u] && next[u] != NO_ID;) {
			uint32_t c = next[u], to = g->from[c];

			growth[switch_port_id(r->topo->fabric, g->sw[u], g->rport[c])] += sum[u];
			sum[to] += sum[u];
			next[u] = NO_ID;
			waits[to]--;
			u = to;
		}
}

bool nue_add_routes(const struct routing *r, const uint16_t *lids, uint32_t from, uint32_t n,
		    uint32_t *growth, struct progress *p)
{
	const struct nue_graph *g = nue_of(r)->graph;
	uint32_t *next = NEW_ARRAY(3 * (size_t)g->n, uint32_t), *waits = next + g->n, *sum = waits + g->n;
	bool go_on = true;

	progress_start(p, "weights of links", n);
	for (uint32_t i = from; i < n && (go_on = progress_step(p, i)); i++) {
		for (uint32_t u = 0; u < g->n; u++) {
			next[u] = channel_from(r, g, u, lids[i]);
			sum[u] = g->terminals[u];
			if (next[u] != NO_ID)
				waits[g->from[next[u]]]++;
		}
		add_tree(r, g, next, waits, sum, growth);
	}
	free(next);
	return go_on;
}

/* --- detours -------------------------------------------------------------------------------------- */

/* Links from every switch to `to`: least[], and by the table towards a LID: links[].  NO_ID = none. */
static void measure_ways(const struct routing *r, const struct nue_graph *g, uint32_t to, unsigned lid,
			 uint32_t *least, uint32_t *links, uint32_t *queue)
{
	uint32_t n = 0;

	memset(least, 0xff, g->n * sizeof(*least));
	memset(links, 0xff, g->n * sizeof(*links));
	least[to] = links[to] = 0;
	queue[n++] = to;
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t c = g->first[queue[i]]; c < g->first[queue[i] + 1]; c++)
			if (least[g->to[c]] == NO_ID) {
				least[g->to[c]] = least[queue[i]] + 1;
				queue[n++] = g->to[c];
			}
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

/* first[c]: the restrictions of a layer on turns into channel c, by which packets leave (l->blocked is by c).
 */
static uint32_t *index_restrictions(const struct nue_graph *g, const struct nue_layer *l)
{
	uint32_t *first = NEW_ARRAY(g->n_channels + 1u, uint32_t), i = 0;

	for (uint32_t c = 0; c < g->n_channels; c++) {
		first[c] = i;
		while (i < l->n_blocked && l->blocked[i].sw == g->sw[g->to[c]] &&
		       l->blocked[i].out == g->rport[c])
			i++;
	}
	first[g->n_channels] = i;
	return first;
}

/* Nodes with a way of the fewest links to `to` without a restricted turn: open[] (zeroed) is set. */
static void find_open(const struct nue_graph *g, const struct nue_layer *l, uint32_t to,
		      const uint32_t *least, bool *open)
{
	uint32_t *first = index_restrictions(g, l), *stack = NEW_ARRAY(g->n_channels + 1u, uint32_t), n = 0;
	bool *seen = NEW_ARRAY(g->n_channels + 1u, bool);

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
	free(first);
	free(stack);
	free(seen);
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
	free(room);
	free(open);
	return n;
}

/* --- layers as all engines tell of them ------------------------------------------------------------------
 */

/* In a layer, and not routed after all of them. */
static bool is_in(const struct nue *n, unsigned lid, unsigned layer)
{
	return n->sl_of[lid] == layer && n->event[lid] && !(n->event[lid] & NUE_OUTSIDE);
}

void nue_layer_info(const struct routing *r, unsigned layer, struct layer_info *info)
{
	const struct nue *n = nue_of(r);

	*info = (struct layer_info){.vl = layer, .lanes = 1, .unit = LAYER_LIDS};
	for (unsigned lid = 1; lid <= n->max_lid; lid++)
		info->pairs += is_in(n, lid, layer);
	info->pairs_first = info->pairs;
}

bool nue_next_route(const struct routing *r, unsigned layer, uint64_t *cursor, struct layer_route *lr)
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

bool nue_pair_layer(const struct routing *r, unsigned slid, unsigned dlid, struct pair_layer *l)
{
	const struct nue *n = nue_of(r);

	(void)slid; /* a LID has its layer from wherever */
	if (nue_layer_of(n, dlid) == NUE_NO_LAYER || nue_events_of(n, dlid) & NUE_OUTSIDE)
		return false;
	l->first = l->now = nue_layer_of(n, dlid);
	return true;
}

/* --- in words ---------------------------------------------------------------------------------------- */

static void tell_limit(const struct routing *r, const struct nue *n, struct text *t)
{
	char a[300] = "no port counts";

	if (n->vls.port != NO_ID)
		port_label(r->topo->fabric, n->vls.port, a, sizeof(a));
	text_add(t, "%u layer%s: the ports support %u (%s), nue_max_num_vls is %u", n->vls.layers,
		 n->vls.layers == 1 ? "" : "s", n->vls.supported, a, n->vls.asked);
	text_add(t, "%s.\n",
		 n->vls.qos || n->vls.supported == 1 || n->vls.asked == 1 ? "" : ", but qos is off");
}

static void tell_layer(const struct routing *r, const struct nue *n, unsigned v, struct text *t)
{
	const struct nue_layer *l = filled(n, v);

	if (!l) {
		text_add(t, "Layer %u: no destination.\n", v);
		return;
	}
	text_add(t,
		 "Layer %u: %u destinations; %u of %u switches in the hull, central switch %s; %u channels "
		 "and "
		 "%u dependencies kept for escape paths; in the end %" PRIu64 " of %" PRIu64
		 " dependencies in use, %u would close a cycle.\n",
		 v, l->n_lids, l->n_hull, n->graph->n, switch_name(r->topo->fabric, n->graph->sw[l->root]),
		 l->escape_channels, l->escape_edges, l->used, l->edges, l->n_blocked);
	if (l->backtracked || l->fallbacks)
		text_add(t,
			 "  %u LIDs needed backtracking, %u of them took shortcuts; %u follow the escape "
			 "paths "
			 "altogether.\n",
			 l->backtracked, l->shortcuts, l->fallbacks);
	if (l->unrecorded)
		text_add(t, "  Routes make %u dependencies that OpenSM has no record of%s.\n", l->unrecorded,
			 l->loop ? ", and they have a CREDIT LOOP" : "; they have no credit loop");
}

void nue_explain_layers(const struct routing *r, struct text *t)
{
	const struct nue *n = nue_of(r);

	tell_limit(r, n, t);
	for (unsigned v = 0; v < n->vls.layers; v++)
		tell_layer(r, n, v, t);
	if (!n->include_switches)
		text_add(t,
			 "Routes to switches themselves keep to no layer (nue_include_switches FALSE): they "
			 "are shortest paths by weight, on SL 0.\n");
}

static void tell_destination(const struct nue *n, const struct nue_layer *l, unsigned layer, uint16_t base,
			     struct text *t)
{
	uint32_t i = 0;

	while (i < l->n_lids && l->lid[i] != base)
		i++;
	if (n->vls.layers == 1)
		text_add(t, "There is one layer, for all destinations; LID %u is its destination %u.\n", base,
			 i + 1);
	else
		text_add(t,
			 "Destinations are dealt to %u layers in turn, in order of port GUIDs; LID %u is "
			 "number "
			 "%u of all, so layer %u.  The source plays no part.\n",
			 n->vls.layers, base, i * n->vls.layers + layer + 1, layer);
}

static void tell_events(unsigned events, struct text *t)
{
	if (events & NUE_FALLBACK)
		text_add(t, "The search met an impasse: all switches follow the escape paths to it.\n");
	else if (events & NUE_BACKTRACKED)
		text_add(t, "Some switches were only reached by backtracking%s.\n",
			 events & NUE_SHORTCUT ? ", which opened shortcuts to others" : "");
}

static void tell_length(const struct routing *r, uint32_t from, unsigned dlid, struct text *t)
{
	struct nue_detour *list = NEW_ARRAY(r->topo->fabric->n_switches, struct nue_detour);
	uint32_t n = nue_detours(r, dlid, list);

	for (uint32_t i = 0; i < n; i++)
		if (list[i].sw == from)
			text_add(t, "From %s it is a detour of %u links: %u would do, %s.\n",
				 switch_name(r->topo->fabric, from), list[i].links, list[i].least,
				 list[i].open ? "by ways that nothing restricts, but weights led elsewhere"
					      : "but each such way makes a turn that the layer restricts");
	free(list);
}

void nue_explain_pair(const struct routing *r, unsigned slid, unsigned dlid, struct text *t,
		      struct progress *p)
{
	const struct nue *n = nue_of(r);
	uint32_t src = lid_owner(r->lids, slid), dst = lid_owner(r->lids, dlid);
	unsigned layer = nue_layer_of(n, dlid);

	(void)p;
	if (nue_not_yet(n, dlid)) {
		text_add(t, "LID %u is not routed yet at this step.\n", dlid);
		return;
	}
	if (layer == NUE_NO_LAYER || src == NO_ID || dst == NO_ID) {
		text_add(t, "Nue gives LID %u no route: it is no CA and no switch.\n", dlid);
		return;
	}
	if (n->event[dlid] & NUE_OUTSIDE)
		text_add(t, "LID %u is a switch: routed after the layers, on SL 0.\n", dlid);
	else
		tell_destination(n, &n->layer[layer], layer, r->lids->base[dst], t);
	tell_events(n->event[dlid], t);
	if (r->topo->endport_switch[src] != NO_ID)
		tell_length(r, r->topo->endport_switch[src], dlid, t);
}

void nue_decide_pair(const struct routing *r, unsigned slid, unsigned dlid, struct decided *d)
{
	const struct nue *n = nue_of(r);
	unsigned layer = nue_layer_of(n, dlid), i = 0;
	uint32_t dst = lid_owner(r->lids, dlid);

	(void)slid;
	if (layer == NUE_NO_LAYER || dst == NO_ID)
		return;
	if (n->event[dlid] & NUE_OUTSIDE) {
		decide(d, WHY_LAYER, "LID %u is a switch: routed after the layers, on SL 0.", dlid);
		return;
	}
	while (i < n->layer[layer].n_lids && n->layer[layer].lid[i] != r->lids->base[dst])
		i++;
	decide(d, WHY_LAYER, "LID %u is destination %u of all; dealt to %s in turn it is in layer %u.", dlid,
	       i * n->vls.layers + layer + 1, PLURAL(n->vls.layers, "layer"), layer);
}
