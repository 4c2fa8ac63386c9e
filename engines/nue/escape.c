/*
 * The spanning tree, and the escape paths along it (engines/doc/nue.md 11.4): their dependencies stay open
 * whatever else is routed.
 */
#include <string.h>
#include "core/base/memory.h"
#include "core/base/release.h"
#include "core/routing/distances.h"
#include "engines/nue/internal.h"

/* Shortest paths by weight (engines/doc/nue.md 11.3). */
void nue_tree(struct nue_run *x, uint32_t root, uint32_t *tree)
{
	const struct nue_graph *g = x->g;
	const struct nue_hop *hop = x->hop;
	struct heap4 *h = &x->heap;
	uint64_t *dist = x->dist;
	uint32_t missing = g->n - 1, most = 0;

	h->n = g->n;
	memcpy(h->item, x->all_far, g->n * sizeof(*h->item));
	for (uint32_t u = 0; u < g->n; u++) {
		dist[u] = NUE_INF;
		tree[u] = NO_ID;
		h->at[u] = u;
	}
	x->stacks.n_expanded = 0;
	dist[root] = 0;
	heap4_lower(h, root, 0);
	while (h->n) {
		uint32_t u = (uint32_t)heap4_take(h);
		uint64_t here = dist[u];

		if (!missing && !nue_may_shorten(x, (uint32_t)here, &most)) {
			nue_stop(x, u);
			break;
		}
		x->stacks.expanded[x->stacks.n_expanded++] = u;
		for (size_t c = g->first[u], end = g->first[u + 1]; c < end; c++) {
			uint32_t v = hop[c].to;
			uint64_t d = here + hop[c].weight;

			if (d >= dist[v])
				continue;
			missing -= dist[v] == NUE_INF;
			tree[v] = (uint32_t)c;
			dist[v] = d;
			heap4_lower(h, v, d);
		}
	}
}

/* --- dependencies of the tree ----------------------------------------------------------- */

static void mark_edge(struct nue_run *x, uint32_t c, uint32_t y)
{
	nue_mark_edge(x->d, c, y);
	if (x->record)
		nue_record_mark(x, nue_edge_of(x->d, c, y));
}

/*
 * Marks the step from channel n to channel c, and with `both` the way back. At the switch between them, the
 * way back also leads to all other branches of the tree.
 */
static void mark_step(struct nue_run *x, const uint32_t *esc, uint32_t n, uint32_t c, bool both)
{
	const struct nue_graph *g = x->g;
	struct nue_ccdg *d = x->d;
	uint32_t y = g->from[c], rc = g->rev[c], rn = g->rev[n];

	nue_mark_channel(d, n);
	mark_edge(x, n, c);
	if (!both)
		return;
	nue_mark_channel(d, rc);
	nue_mark_channel(d, rn);
	mark_edge(x, rc, rn);
	for (uint32_t k = g->first[y]; k < g->first[y + 1]; k++) {
		uint32_t a = esc[g->to[k]];

		if (a != NO_ID && g->from[a] == y && g->to[a] != g->to[c])
			mark_edge(x, rc, a);
	}
}

/* Marks the path along the tree from a node up to the link that leaves the root. */
static void nue_escape_mark_path(struct nue_run *x, const struct nue_layer *l, uint32_t node,
				 uint8_t *at_root)
{
	uint32_t c = l->escape[node], n;

	for (; c != NO_ID; c = n) {
		nue_mark_channel(x->d, c);
		n = l->escape[x->g->from[c]];
		if (n == NO_ID) {
			at_root[c] = 1;
			return;
		}
		mark_step(x, l->escape, n, c, l->hull[node] == 2);
	}
}

/* --- a first order ----------------------------------------------------------------------------- */

/* Hops of all nodes, from the root or from the nearest node with a destination. */
static void nue_escape_measure(const struct nue_run *x, const struct nue_layer *l, bool from_root,
			       uint32_t *d)
{
	const struct nue_graph *g = x->g;
	uint32_t n = 0, *queue = x->queue;

	for (uint32_t u = 0; u < g->n; u++) {
		bool start = from_root ? u == l->root : l->hull[u] == 2;

		d[u] = start ? 0 : NO_ID;
		if (start)
			queue[n++] = u;
	}
	spread_arcs(g->first, g->to, d, queue, n);
}

/*
 * Guesses ranks of channels so that few are reordered later: first those away from the destinations, then
 * level ones (towards the root first), then those towards the destinations.
 */
static void guess_ranks(struct nue_run *x, const struct nue_layer *l, uint32_t *rank)
{
	const struct nue_graph *g = x->g;
	uint32_t *up = x->children, *in = x->found, most = g->n;

	nue_escape_measure(x, l, false, up);
	nue_escape_measure(x, l, true, in);
	for (uint32_t c = 0; c < g->n_channels; c++) {
		uint32_t u = g->from[c], v = g->to[c];

		if (up[u] < up[v])
			rank[c] = up[u];
		else if (up[u] > up[v])
			rank[c] = 5 * most - up[u];
		else
			rank[c] = in[v] < in[u] ? 2 * most - in[u] : 2 * most + in[v];
	}
}

void nue_mark_escape(struct nue_run *x, struct nue_layer *l)
{
	const struct nue_graph *g = x->g;
	uint8_t *at_root = NEW_ARRAY(g->n_channels + 1u, uint8_t);
	uint32_t *rank = NEW_ARRAY(g->n_channels + 1u, uint32_t), end = g->first[l->root + 1];

	for (uint32_t u = 0; u < x->g->n; u++) {
		if (x->record && l->escape[u] != NO_ID)
			nue_record_escape(x, l, u);
		nue_escape_mark_path(x, l, u, at_root);
	}
	if (x->record)
		nue_record_escape(x, l, l->root);
	for (uint32_t a = g->first[l->root]; a < end; a++) {
		for (uint32_t b = g->first[l->root]; b < end; b++) {
			if (a == b || !at_root[a] || !at_root[b])
				continue;
			nue_mark_channel(x->d, a);
			nue_mark_channel(x->d, g->rev[b]);
			mark_edge(x, g->rev[b], a);
		}
	}
	for (uint32_t c = 0; c < g->n_channels; c++)
		l->escape_channels += x->d->vertex[c] == NUE_ESCAPE;
	for (uint32_t i = 0; i < x->d->n_edges; i++)
		l->escape_edges += x->d->edge[i] == NUE_ESCAPE;
	guess_ranks(x, l, rank);
	nue_ccdg_order(x->d, rank);
	FREE_EACH(at_root, rank);
}
