/* Nue: its graph, the steps of a run, tables from the ways that were found, and their dependencies. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/counted.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/routing/paths.h"
#include "engines/engines.h"
#include "engines/nue/nue.h"

struct nue_graph_keyed {
	uint16_t key;
	uint32_t sw;
};

COMPARATOR(by_key, struct nue_graph_keyed, UP(key) UP(sw))

static void number_nodes(struct nue_graph *g, const struct topo *t, const struct lids *l)
{
	const struct fabric *f = t->fabric;
	AUTO_FREE struct nue_graph_keyed *k = NEW_ARRAY(f->n_switches + 1u, struct nue_graph_keyed);

	for (uint32_t sw = 0; sw < f->n_switches; sw++) {
		uint32_t ep = f->port_endport[f->switch_port[sw]];

		g->node[sw] = NO_ID;
		if (switch_up(t, sw))
			k[g->n++] = (struct nue_graph_keyed){nue_lid_key(l->base[ep]), sw};
	}
	qsort(k, g->n, sizeof(*k), by_key);
	for (uint32_t u = 0; u < g->n; u++) {
		g->sw[u] = k[u].sw;
		g->node[k[u].sw] = u;
	}
}

static void add_links(struct nue_graph *g, const struct topo *t, const struct lids *l, uint32_t u, bool avoid,
		      uint32_t *channel_at)
{
	const struct fabric *f = t->fabric;
	uint32_t sw = g->sw[u];
	unsigned terminals = l->count[f->port_endport[f->switch_port[sw]]];

	for (unsigned p = 1; p <= f->switch_nports[sw]; p++) {
		uint32_t port = switch_port_id(f, sw, p), peer = t->peer[port], c = g->n_channels;

		channel_at[port] = NO_ID;
		if (peer == NO_ID)
			continue;
		/* a CA or router port counts as many LIDs as the subnet's LMC gives */
		terminals += node_is_switch(f, f->port_node[peer]) ? 0 : 1u << l->lmc;
		if (t->peer_switch[port] == NO_ID)
			continue;
		if (avoid && link_throttled(f, port)) {
			g->throttled++;
			continue;
		}
		g->from[c] = u;
		g->to[c] = g->node[t->peer_switch[port]];
		g->lport[c] = p;
		g->rport[c] = f->port_num[peer];
		channel_at[port] = c;
		g->n_channels++;
	}
	g->terminals[u] = terminals;
}

/* avoid: leave out cables whose ends differ in speed or width. */
static struct nue_graph *nue_graph_new(const struct topo *t, const struct lids *l, bool avoid)
{
	const struct fabric *f = t->fabric;
	struct nue_graph *g = NEW(struct nue_graph);
	uint32_t links = 0, *channel_at = NEW_ARRAY(f->n_ports + 1u, uint32_t);

	for (uint32_t sw = 0; sw < f->n_switches; sw++)
		FOR_PORTS(f, sw, id)
			links += t->peer_switch[id] != NO_ID;
	g->sw = NEW_ARRAY(f->n_switches + 1u, uint32_t);
	g->node = NEW_ARRAY(f->n_switches + 1u, uint32_t);
	g->first = NEW_ARRAY(f->n_switches + 1u, uint32_t);
	g->terminals = NEW_ARRAY(f->n_switches + 1u, uint8_t);
	g->from = NEW_ARRAY(links + 1u, uint32_t);
	g->to = NEW_ARRAY(links + 1u, uint32_t);
	g->rev = NEW_ARRAY(links + 1u, uint32_t);
	g->lport = NEW_ARRAY(links + 1u, uint8_t);
	g->rport = NEW_ARRAY(links + 1u, uint8_t);
	number_nodes(g, t, l);
	for (uint32_t u = 0; u < g->n; u++) {
		add_links(g, t, l, u, avoid, channel_at);
		g->first[u + 1] = g->n_channels;
	}
	assert(g->n_channels <= links);
	for (uint32_t c = 0; c < g->n_channels; c++)
		g->rev[c] = channel_at[switch_port_id(f, g->sw[g->to[c]], g->rport[c])];
	for (uint32_t ep = 0; ep < f->n_endports; ep++) {
		/* routers have LIDs, but Nue neither routes to them nor counts them here */
		if (!t->endport_up[ep] || f->node_type[endport_node(f, ep)] == NODE_ROUTER)
			continue;
		g->total += l->count[ep];
		if (l->count[ep] > g->max_lids)
			g->max_lids = l->count[ep];
	}
	free(channel_at);
	return g;
}

/* NULL is fine */
static void nue_graph_free(struct nue_graph *g)
{
	if (!g)
		return;
	FREE_EACH(g->sw, g->node, g->first, g->from, g->to, g->rev, g->lport, g->rport, g->terminals, g);
}

void nue_hops_from(const struct nue_graph *g, uint32_t u, uint32_t *d, uint32_t *queue)
{
	assert(u < g->n);
	memset(d, 0xff, g->n * sizeof(*d)); /* NO_ID */
	d[u] = 0;
	queue[0] = u;
	spread_arcs(g->first, g->to, d, queue, 1);
}

static void nue_release(struct nue *n)
{
	for (unsigned v = 0; v < NUE_MAX_LAYERS; v++) {
		if (!n->whole) {
			FREE_EACH(n->layer[v].lid, n->layer[v].betweenness);
		}
		FREE_EACH(n->layer[v].hull, n->layer[v].escape, n->layer[v].blocked);
	}
	if (!n->whole)
		nue_graph_free(n->graph);
	FREE_EACH(n->sl_of, n->event, n->weight);
	nue_unref(n->whole);
	free(n);
}

COUNTED(struct nue, struct nue, nue_ref, nue_unref, nue_release)

void nue_let_go(void *n)
{
	nue_unref(n);
}

/* Entries and weights from the ways that were found (engines/doc/nue.md 13, 14). */

/*
 * Lists nodes (without src) in x->stacks.expanded so that each comes behind the node from which it is
 * reached. False when ways form a ring.
 */
static bool order_nodes(struct nue_run *x, uint32_t src)
{
	const struct nue_graph *g = x->g;
	uint32_t *order = x->stacks.expanded, at = g->n;

	assert(x->used[src] == NO_ID);
	memset(x->children, 0, g->n * sizeof(*x->children));
	for (uint32_t v = 0; v < g->n; v++)
		if (v != src)
			x->children[g->from[x->used[v]]]++;
	for (uint32_t v = 0; v < g->n; v++)
		if (v != src && !x->children[v])
			order[--at] = v;
	for (uint32_t i = g->n; i-- > at;) {
		uint32_t p = g->from[x->used[order[i]]];

		if (!--x->children[p] && p != src)
			order[--at] = p;
	}
	return at == 1;
}

/* Within this many routes every node has its turn, in which its lightest channel is found. */
#define TURNS 32

/* Adds to the weight of every link the terminals whose way leads over it. */
static int add_weights(struct nue_run *x, unsigned lid, uint32_t src)
{
	const struct nue_graph *g = x->g;

	if (x->events & (NUE_BACKTRACKED | NUE_FALLBACK) && !order_nodes(x, src)) {
		x->out->fatal = "never ends";
		return err_set(&x->out->refused, "LID %u: the ways of OpenSM's nue go round in a ring", lid);
	}
	for (uint32_t v = 0; v < g->n; v++)
		x->sum[v] = g->terminals[v];
	for (uint32_t i = g->n; i-- > 1;) {
		uint32_t v = x->stacks.expanded[i], c = x->used[v];

		x->weight[c] += x->sum[v];
		x->hop[c].weight = nue_in_hop(x->weight[c]);
		x->sum[g->from[c]] += x->sum[v];
	}
	/* weights only grow, so what was the least remains below them */
	for (uint32_t v = x->turn++ % TURNS; v < g->n; v += TURNS) {
		x->lightest[v] = NUE_INF;
		for (uint32_t k = g->first[v]; k < g->first[v + 1]; k++)
			if (x->hop[g->rev[k]].weight < x->lightest[v])
				x->lightest[v] = x->hop[g->rev[k]].weight;
	}
	return 0;
}

/* run.c: writes the entries and weights of a LID by used[]. -1 as nue_search(). */
static int nue_write(struct nue_run *x, unsigned lid, uint32_t src)
{
	const struct nue_graph *g = x->g;
	uint8_t *port = columns_next(&x->done, lid);

	assert(x->used[src] == NO_ID);
	for (uint32_t v = 0; v < g->n; v++)
		port[v] = v == src ? x->in->topo->endport_swport[lid_owner(x->in->lids, lid)]
				   : g->rport[x->used[v]];
	x->nue->event[lid] = x->events;
	x->nue->sl_of[lid] = x->layer;
	if (x->how) {
		columns_write(&x->done);
		nue_choices(x, lid, src);
	}
	if (add_weights(x, lid, src))
		return -1;
	if (x->record)
		nue_record_routed(x);
	return 0;
}

/* Routes all switches, after the layers (engines/doc/nue.md 14). */
static int nue_route_switches(struct nue_run *x)
{
	const struct fabric *f = x->in->topo->fabric;

	progress_start(x->in->progress, "nue: switches", x->g->n);
	x->layer = 0;
	x->events = NUE_OUTSIDE;
	rec_phase(x->in, "routes to switches");
	for (uint32_t u = 0; u < x->g->n; u++) {
		unsigned lid = x->in->lids->base[f->port_endport[f->switch_port[x->g->sw[u]]]];

		x->src = u;
		if (!lid)
			continue;
		if (x->record)
			nue_record_begin(x, lid, u, true);
		nue_tree(x, u, x->used);
		for (uint32_t v = 0; v < x->g->n; v++) {
			if (v == u || x->used[v] != NO_ID)
				continue;
			x->out->fatal = "crashes";
			return err_set(&x->out->refused,
				       "%s is farther from %s than the distances of OpenSM's nue reach: "
				       "weights of links begin with %" PRIu64
				       ", the square of the number of LIDs; expected sums below 2^31",
				       switch_name(f, x->g->sw[v]), switch_name(f, x->g->sw[u]),
				       x->g->total * x->g->total);
		}
		if (x->record)
			nue_record_tree(x);
		if (nue_write(x, lid, u))
			return -1;
		if (!progress_step(x->in->progress, u))
			return err_set(&x->out->refused, CANCELLED);
	}
	return 0;
}

/* The dependencies that the routes of a layer really make. OpenSM takes some back by mistake after shortcuts
 * (engines/doc/nue.md 12.3), and adds some without a search (10). So its records may differ from the real
 * dependencies, and these may have cycles. */

struct nue_verify_check {
	struct nue_run *x;
	uint32_t *leaving; /* [ports of the fabric] channel that leaves by the port */
	uint8_t *made;	   /* [edges of the dependency graph] */
	uint32_t *before;  /* [n_channels] made edges that lead into it */
};

/* The channel by which the search came to a node, taken from the node's table entry for a LID. */
static uint32_t nue_verify_way_of(const struct nue_verify_check *k, uint32_t v, unsigned lid)
{
	uint32_t sw = k->x->g->sw[v];

	return k->x->g
		->rev[k->leaving[switch_port_id(k->x->in->topo->fabric, sw, routing_port(k->x->r, sw, lid))]];
}

/* The number of channels that are on cycles, or reached from one. */
static uint32_t count_cyclic(struct nue_verify_check *k)
{
	const struct nue_graph *g = k->x->g;
	uint32_t *queue = NEW_ARRAY(g->n_channels + 1u, uint32_t), n = 0, done = 0;

	for (uint32_t c = 0; c < g->n_channels; c++)
		if (!k->before[c])
			queue[n++] = c;
	for (; done < n; done++) {
		uint32_t c = queue[done];

		for (uint32_t y = g->first[g->to[c]]; y < g->first[g->to[c] + 1]; y++)
			if (k->made[nue_edge_of(k->x->d, c, y)] && !--k->before[y])
				queue[n++] = y;
	}
	free(queue);
	return g->n_channels - done;
}

/* run.c: checks the routes of a layer for cycles. Sets `unrecorded` and `loop` of the layer. */
static void nue_verify(struct nue_run *x, struct nue_layer *l)
{
	const struct nue_graph *g = x->g;
	const struct fabric *f = x->in->topo->fabric;
	struct nue_verify_check k = {.x = x,
				     .leaving = NEW_ARRAY(f->n_ports, uint32_t),
				     .made = NEW_ARRAY(x->d->n_edges + 1u, uint8_t),
				     .before = NEW_ARRAY(g->n_channels + 1u, uint32_t)};

	for (uint32_t c = 0; c < g->n_channels; c++)
		k.leaving[switch_port_id(f, g->sw[g->from[c]], g->lport[c])] = c;
	for (uint32_t i = 0; i < l->n_lids; i++) {
		uint32_t ep = lid_owner(x->in->lids, l->lid[i]);
		uint32_t src = nue_node_of(g, x->in->topo, ep), end = l->lid[i] + x->in->lids->count[ep];

		for (unsigned lid = l->lid[i]; lid < end; lid++)
			for (uint32_t v = 0; v < g->n; v++) {
				uint32_t c = v == src ? NO_ID : nue_verify_way_of(&k, v, lid);

				if (c == NO_ID || g->from[c] == src)
					continue;
				uint32_t e = nue_edge_of(x->d, nue_verify_way_of(&k, g->from[c], lid), c);
				k.before[c] += !k.made[e];
				k.made[e] = 1;
			}
	}
	for (uint32_t e = 0; e < x->d->n_edges; e++)
		l->unrecorded += k.made[e] && !nue_used(x->d, e);
	l->loop = count_cyclic(&k) > 0;
	FREE_EACH(k.leaving, k.made, k.before);
}

/* Nue: the steps of a run. */

/* OpenSM counts colours in 16 bits, and the links of a switch in signed 8 bits. */
#define MOST_COLOURS 65535
#define MOST_LINKS 127

/* --- destinations and layers (engines/doc/nue.md 6) -------------------------------------------- */

/* Is the endport a destination in a layer? */
static bool in_layers(const struct nue_run *x, uint32_t ep)
{
	enum node_type type = x->in->topo->fabric->node_type[endport_node(x->in->topo->fabric, ep)];

	if (!x->in->lids->count[ep] || nue_node_of(x->g, x->in->topo, ep) == NO_ID)
		return false;
	return type == NODE_CA || (type == NODE_SWITCH && x->nue->include_switches);
}

static void deal_destinations(struct nue_run *x)
{
	const struct fabric *f = x->in->topo->fabric;
	unsigned k = x->nue->vls.layers, turn = 0;

	assert(k && k <= NUE_MAX_LAYERS);
	for (unsigned v = 0; v < k; v++) {
		x->nue->layer[v].lid = NEW_ARRAY(f->n_endports / k + 1u, uint16_t);
		x->nue->layer[v].root = NO_ID;
	}
	for (uint32_t ep = 0; ep < f->n_endports; ep++) {
		struct nue_layer *l = &x->nue->layer[turn];

		if (!in_layers(x, ep))
			continue;
		l->lid[l->n_lids++] = x->in->lids->base[ep];
		turn = turn + 1 < k ? turn + 1 : 0;
	}
}

/* --- where OpenSM 3.3.23 would crash (engines/doc/nue.md 16) ----------------------------------- */

static int check_colours(struct nue_run *x)
{
	uint32_t most = 0; /* destinations in the largest layer */

	for (unsigned v = 0; v < x->nue->vls.layers; v++)
		most = MAX(x->nue->layer[v].n_lids, most);
	uint64_t colours = NUE_FIRST_COLOUR + (uint64_t)most * x->g->max_lids;
	if (colours <= MOST_COLOURS)
		return 0;
	x->out->fatal = "crashes";
	return err_set(&x->out->refused,
		       "a layer needs %" PRIu64 " colours for %u destinations with %u LIDs each, and OpenSM "
		       "counts them in 16 bits; expected at most %u",
		       colours, most, x->g->max_lids, MOST_COLOURS);
}

static int check_base_lids(struct nue_run *x)
{
	const struct fabric *f = x->in->topo->fabric;

	for (uint32_t u = 0; u < x->g->n; u++) {
		uint32_t ep = f->port_endport[f->switch_port[x->g->sw[u]]];

		if (x->in->lids->count[ep] <= 1)
			continue;
		x->out->fatal = "crashes";
		return err_set(&x->out->refused,
			       "lmc_esp0 gives port 0 of %s %u LIDs, and OpenSM's nue finds a switch by its "
			       "first LID only; expected lmc_esp0 FALSE, or lmc 0",
			       switch_name(f, x->g->sw[u]), x->in->lids->count[ep]);
	}
	return 0;
}

/* Is a destination of some layer on this node? */
static bool has_destination(const struct nue_run *x, uint32_t u)
{
	const struct topo *t = x->in->topo;

	for (uint32_t ep = 0; ep < t->fabric->n_endports; ep++)
		if (t->endport_up[ep] && nue_node_of(x->g, t, ep) == u && in_layers(x, ep))
			return true;
	return false;
}

/* OpenSM crashes if a search begins at a switch with MOST_LINKS + 1 links, or passes a switch with more. */
static int check_degrees(struct nue_run *x)
{
	const struct nue_graph *g = x->g;

	for (uint32_t u = 0; u < g->n; u++) {
		unsigned links = nue_degree(g, u);

		if (links <= MOST_LINKS || (links == MOST_LINKS + 1 && !has_destination(x, u)))
			continue;
		x->out->fatal = "crashes";
		return err_set(&x->out->refused,
			       "%s has %u links to switches, and OpenSM's nue counts them in 8 bits with "
			       "sign; expected at most %u",
			       switch_name(x->in->topo->fabric, g->sw[u]), links, MOST_LINKS);
	}
	return 0;
}

/* Refuses a fabric where the tree misses a switch. OpenSM checks this in the first layer only. */
static int check_tree(struct nue_run *x, const struct nue_layer *l)
{
	uint32_t lost = 0, first = NO_ID;

	for (uint32_t u = 0; u < x->g->n; u++) {
		if (l->escape[u] != NO_ID || u == l->root)
			continue;
		first = lost++ ? first : u;
	}
	if (!lost)
		return 0;
	return err_set_kind(&x->out->refused, x->g->throttled ? REFUSED_PLAIN : REFUSED_LIMIT,
			    "%u switch%s out of reach of the spanning tree (the first is %s): %s", lost,
			    lost == 1 ? " is" : "es are", switch_name(x->in->topo->fabric, x->g->sw[first]),
			    x->g->throttled ? "throttled links are left out"
					    : "distances of OpenSM's nue end at 2^31, and every link weighs "
					      "the square of the number of LIDs");
}

/* --- a layer ------------------------------------------------------------------------------------ */

static int prepare_layer(struct nue_run *x, struct nue_layer *l)
{
	nue_ccdg_reset(x->d, NUE_FIRST_COLOUR + l->n_lids * x->g->max_lids);
	l->edges = x->d->n_edges - x->g->n_channels;
	rec_phase(x->in, "layer %u: hull, central switch, escape paths", x->layer);
	if (x->record)
		nue_record_layer(x);
	if (!nue_find_hull(x, l) || !nue_find_root(x, l))
		return err_set(&x->out->refused, CANCELLED);
	l->escape = NEW_ARRAY(x->g->n, uint32_t);
	nue_tree(x, l->root, l->escape);
	if (!x->layer && check_tree(x, l))
		return -1;
	nue_mark_escape(x, l);
	rec_note(x->in, "%u destinations; %u switches in the hull; central switch %s", l->n_lids, l->n_hull,
		 switch_name(x->in->topo->fabric, x->g->sw[l->root]));
	rec_note(x->in, "%u channels and %u dependencies are kept for the escape paths", l->escape_channels,
		 l->escape_edges);
	rec_phase(x->in, "layer %u: destinations", x->layer);
	return 0;
}

/* Routes either the destinations on CAs, or those on switches. */
static int route_pass(struct nue_run *x, struct nue_layer *l, bool switches, uint32_t *colour)
{
	const struct fabric *f = x->in->topo->fabric;

	for (uint32_t i = 0; i < l->n_lids; i++) {
		uint32_t ep = lid_owner(x->in->lids, l->lid[i]), src = nue_node_of(x->g, x->in->topo, ep);

		if (endport_is_switch(f, ep) != switches)
			continue;
		for (unsigned k = 0; k < x->in->lids->count[ep]; k++) {
			unsigned lid = l->lid[i] + k;

			if (nue_search(x, lid, src, (*colour)++) || nue_write(x, lid, src))
				return -1;
			l->backtracked += (x->events & NUE_BACKTRACKED) != 0;
			l->shortcuts += (x->events & NUE_SHORTCUT) != 0;
			l->fallbacks += (x->events & NUE_FALLBACK) != 0;
		}
		if (!progress_step(x->in->progress, *colour))
			return err_set(&x->out->refused, CANCELLED);
	}
	return 0;
}

/* Keeps figures, and restrictions as packets see them (opposite to the search). */
static void keep_results(struct nue_run *x, struct nue_layer *l)
{
	const struct nue_graph *g = x->g;
	const struct nue_ccdg *d = x->d;

	l->searches = d->searches;
	l->merges = d->merges;
	if (d->cyclic || l->shortcuts)
		nue_verify(x, l);
	if (l->loop)
		note_add(&x->out->notes, 0,
			 "nue: the routes of layer %u have a credit loop; OpenSM's nue loses sight of some "
			 "dependencies here\n",
			 x->layer);
	l->blocked = NEW_ARRAY(d->blocked + 1, struct nue_turn);
	for (uint32_t c = 0; c < d->n_vertices; c++) {
		uint32_t v = nue_end(d, c);

		for (uint32_t y = g->first[v]; y < g->first[v + 1]; y++) {
			unsigned slot = d->edge[nue_edge_of(d, c, y)];

			l->used += slot > NUE_UNUSED;
			if (slot == NUE_BLOCKED && y != (c < g->n_channels ? g->rev[c] : NO_ID))
				l->blocked[l->n_blocked++] =
					(struct nue_turn){g->sw[v], g->lport[y], g->rport[c]};
		}
	}
}

static int route_layer(struct nue_run *x, unsigned v)
{
	struct nue_layer *l = &x->nue->layer[v];
	uint32_t colour = NUE_FIRST_COLOUR;

	assert(v < x->nue->vls.layers);
	x->layer = v;
	if (!l->n_lids) {
		if (x->nue->vls.layers > 1)
			note_add(&x->out->notes, 0, "nue: layer %u has no destination\n", v);
		return 0;
	}
	if (prepare_layer(x, l))
		return -1;
	if (v == 0 && (check_base_lids(x) || check_degrees(x)))
		return -1;
	progress_start(x->in->progress, "nue: destinations", l->n_lids * x->g->max_lids);
	if (route_pass(x, l, false, &colour) || route_pass(x, l, true, &colour))
		return -1;
	columns_write(&x->done);
	keep_results(x, l);
	if (x->record)
		nue_record_layer_done(x);
	return 0;
}

/* --- the run -------------------------------------------------------------------------------------- */

static void nue_make_room(struct nue_run *x)
{
	uint32_t n = x->g->n, channels = x->g->n_channels + 1u, vertices = n + channels;

	x->weight = x->nue->weight = NEW_ARRAY(channels, uint64_t);
	x->hop = NEW_ARRAY(channels, struct nue_hop);
	x->lightest = NEW_ARRAY(n, uint32_t);
	x->heap = heap4_new(n);
	x->dist = NEW_ARRAY(n, uint64_t);
	x->used = NEW_ARRAY(n, uint32_t);
	x->found = NEW_ARRAY(n, uint32_t);
	x->cd = NEW_ARRAY(vertices, uint64_t);
	x->candidate = NEW_ARRAY(channels, uint32_t);
	x->stacks.expanded = NEW_ARRAY(n, uint32_t);
	x->stacks.accepted = NEW_ARRAY(channels, uint32_t);
	x->stacks.head = NEW_ARRAY(n, uint32_t);
	x->stacks.tail = NEW_ARRAY(n, uint32_t);
	x->stacks.next = NEW_ARRAY(channels, uint32_t);
	x->stacks.member = NEW_ARRAY(channels, uint32_t);
	x->children = NEW_ARRAY(n, uint32_t);
	x->queue = NEW_ARRAY(n, uint32_t);
	x->sum = NEW_ARRAY(n, uint64_t);
	x->all_far = NEW_ARRAY(n, uint64_t);
	x->done = columns_new(n);
	x->nue->first_weight = x->g->total * x->g->total;
	for (uint32_t c = 0; c < x->g->n_channels; c++) {
		x->weight[c] = x->nue->first_weight;
		x->hop[c] = (struct nue_hop){x->g->to[c], nue_in_hop(x->weight[c])};
	}
	for (uint32_t u = 0; u < n; u++) {
		x->all_far[u] = heap4_item(NUE_INF, u);
		x->lightest[u] = nue_in_hop(x->nue->first_weight);
	}
}

static int nue_route_all(struct nue_run *x)
{
	uint64_t most = 0, least = UINT64_MAX; /* growth of a weight */

	if (check_colours(x))
		return -1;
	for (unsigned v = 0; v < x->nue->vls.layers; v++)
		if (route_layer(x, v))
			return -1;
	if (!x->nue->include_switches && (check_base_lids(x) || nue_route_switches(x)))
		return -1;
	columns_write(&x->done);
	for (uint32_t c = 0; c < x->g->n_channels; c++) {
		uint64_t grown = x->weight[c] - x->nue->first_weight;

		most = MAX(grown, most);
		least = MIN(grown, least);
	}
	rec_phase(x->in, "done");
	if (x->g->n_channels)
		rec_note(x->in, "the weight of channels grew by %" PRIu64 " to %" PRIu64, least, most);
	return 0;
}

static void note_layers(const struct nue *n, struct notes *notes)
{
	unsigned wanted = n->vls.asked ? n->vls.asked : n->vls.supported;

	if (!n->vls.qos && wanted > 1 && n->vls.supported > 1)
		note_add(notes, 0, "nue: one layer instead of %u, because qos is off\n",
			 MIN(wanted, n->vls.supported));
	else if (n->vls.asked > n->vls.supported)
		note_add(notes, 0, "nue: nue_max_num_vls is %u, the ports have %u VL%s\n", n->vls.asked,
			 n->vls.supported, n->vls.supported == 1 ? "" : "s");
	if (n->graph->throttled)
		note_add(notes, 0,
			 "nue does not use %u throttled cables between switches (slower than both ends "
			 "have enabled, or ends that differ)\n",
			 n->graph->throttled / 2);
}

static void begin_run(struct nue_run *x)
{
	const struct engine_input *in = x->in;
	const struct fabric *f = in->topo->fabric;
	size_t lids = in->lids->max_lid + 1u;

	x->nue = NEW(struct nue);
	x->nue->refs = 1;
	x->nue->graph = x->g =
		nue_graph_new(in->topo, in->lids, options_bool(in->options, "avoid_throttled_links"));
	struct nue_vls *v = &x->nue->vls; /* engines/doc/nue.md 5 */
	unsigned code = least_vls_code(in, &v->port);
	v->asked = options_uint(in->options, "nue_max_num_vls");
	v->qos = options_bool(in->options, "qos");
	v->supported = code ? vls_of_code(code) : 1;
	v->layers = v->qos ? v->supported : 1;
	if (v->asked)
		v->layers = MIN(v->asked, v->layers);
	x->nue->include_switches = options_bool(in->options, "nue_include_switches");
	x->nue->max_lid = in->lids->max_lid;
	x->nue->sl_of = mem_array(lids, 1);
	memset(x->nue->sl_of, NUE_NO_LAYER, lids);
	x->nue->event = mem_array(lids, 1);
	x->d = nue_ccdg_new(x->g);
	x->nue->n_edges = x->d->n_edges;
	nue_make_room(x);
	x->r = routing_new("nue", in->topo, in->lids);
	x->r->ops = &nue_ops;
	x->r->priv = x->nue;
	for (uint32_t u = 0; u < x->g->n; u++) {
		uint32_t sw = x->g->sw[u], ep = f->port_endport[f->switch_port[sw]];

		x->r->row[sw] = lft_row_new(in->lids->max_lid);
		x->done.row[u] = x->r->row[sw]->port;
		for (unsigned i = 0; i < in->lids->count[ep]; i++)
			x->r->row[sw]->port[in->lids->base[ep] + i] = 0;
	}
	deal_destinations(x);
	note_layers(x->nue, &x->out->notes);
	if (ASKED(in) || RECORDED(in)) {
		x->how = NEW_ARRAY(x->g->n, uint8_t);
		x->links = NEW_ARRAY(x->g->n, uint32_t);
		x->far = NEW_ARRAY(x->g->n, int64_t);
		x->offer = NEW_ARRAY(MAX_PORTS, struct rec_offer);
	}
	rec_phase(in, "model");
	rec_note(in,
		 "%u switches, %u channels between them, %u dependencies; %" PRIu64
		 " LIDs of CAs and switches, so every channel weighs %" PRIu64,
		 x->g->n, x->g->n_channels, x->d->n_edges - x->g->n_channels, x->g->total,
		 x->nue->first_weight);
	rec_note(in, "%u layers: %u VLs supported, nue_max_num_vls %u, qos %s", v->layers, v->supported,
		 v->asked, v->qos ? "on" : "off");
	if (RECORDED(in))
		x->record = nue_record_new(x);
}

static struct routing *nue_route(const struct engine_input *in, struct engine_output *out)
{
	struct nue_run x = {.in = in, .out = out};

	if (in->refused_before) {
		out->fatal = "crashes";
		err_set(&out->refused,
			"nue refused an earlier sweep, and OpenSM goes on with what it freed then");
		return NULL;
	}
	begin_run(&x);
	int rc = nue_route_all(&x);
	heap4_free(&x.heap);
	columns_free(&x.done);
	FREE_EACH(x.hop, x.lightest, x.dist, x.used, x.found, x.cd, x.candidate, x.stacks.expanded,
		  x.stacks.accepted, x.stacks.head, x.stacks.tail, x.stacks.next, x.stacks.member, x.children,
		  x.queue, x.sum, x.all_far, x.how, x.links, x.far, x.offer);
	nue_ccdg_free(x.d);
	nue_record_free(x.record);
	if (!rc)
		return x.r;
	routing_unref(x.r);
	return NULL;
}

static const struct optdef nue_options[] = {
	{.name = "nue_max_num_vls",
	 .flag = "--nue_max_num_vls N",
	 .type = OPT_UINT,
	 .def = "1",
	 .max = 255, /* as in opensm.conf; the command line accepts 0 to 15 */
	 .help = "nue: layers at most, each an SL and VL; 0 = as many as all ports support"},
	{.name = "nue_include_switches",
	 .type = OPT_BOOL,
	 .def = "FALSE",
	 .help = "nue: routes to switches keep to the layers too"},
	{0},
};

const struct engine engine_nue = {
	.name = "nue",
	.brief = "balanced routes within the dependency graph, free of credit loops with any number of VLs",
	.reference = "Domke, Hoefler, Matsuoka, Routing on the Dependency Graph, HPDC 2016; as OpenSM 3.3.23 "
		     "without METIS",
	.options = nue_options,
	.route = nue_route,
	.scheme = &nue_scheme,
};
