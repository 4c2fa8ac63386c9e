/* Nue's search in one layer: its hull, the escape tree, the search for a destination, backtracking. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/routing/paths.h"
#include "engines/nue/nue.h"

/* The switches that matter to a layer, and the most central of them (engines/doc/nue.md 11.1, 11.2). */

struct hull_work {
	struct nue_run *x;
	const struct nue_graph *g;
	uint32_t from; /* the node from which d[] counts */
	struct nue_layer *l;
	uint32_t *d, *queue;
	uint8_t *done;
};

/* Adds to the hull all nodes on shortest paths from j to the node from which d[] counts. */
static void draw_in(struct hull_work *w, uint32_t j)
{
	const struct nue_graph *g = w->g;
	uint32_t n = 0;

	w->done[j] = 1;
	w->queue[n++] = j;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t v = w->queue[i];

		for (uint32_t c = g->first[v]; c < g->first[v + 1]; c++) {
			uint32_t u = g->to[c];

			if (w->done[u] || w->d[u] + 1 != w->d[v])
				continue;
			if (!w->l->hull[u]) {
				if (w->x->record)
					nue_record_hull(w->x, u, w->from, j);
				w->l->n_hull++;
				w->l->hull[u] = 1;
			}
			w->done[u] = 1;
			w->queue[n++] = u;
		}
	}
}

bool nue_find_hull(struct nue_run *x, struct nue_layer *l)
{
	uint32_t n = x->g->n;
	struct hull_work w = {.x = x,
			      .g = x->g,
			      .l = l,
			      .d = NEW_ARRAY(n, uint32_t),
			      .queue = NEW_ARRAY(n, uint32_t),
			      .done = NEW_ARRAY(n, uint8_t)};
	bool go_on = true;

	l->hull = NEW_ARRAY(n, uint8_t);
	for (uint32_t i = 0; i < l->n_lids; i++) {
		uint32_t u = nue_node_of(x->g, x->in->topo, lid_owner(x->in->lids, l->lid[i]));

		if (x->record && !l->hull[u])
			nue_record_hull(x, u, NO_ID, NO_ID);
		l->n_hull += !l->hull[u];
		l->hull[u] = 2;
	}
	progress_start(x->in->progress, "nue: convex hull", n);
	/* stop once the hull has all nodes */
	for (uint32_t i = 0; i < n && l->n_hull < n && go_on; i++) {
		if (!l->hull[i])
			continue;
		w.from = i;
		nue_hops_from(x->g, i, w.d, w.queue);
		memset(w.done, 0, n);
		w.done[i] = 1;
		for (uint32_t j = 0; j < n; j++)
			if (l->hull[j] && !w.done[j])
				draw_in(&w, j);
		go_on = progress_step(x->in->progress, i);
	}
	FREE_EACH(w.d, w.queue, w.done);
	return go_on;
}

/* --- betweenness centrality (U. Brandes, A Faster Algorithm for Betweenness Centrality, 2001) -------- */

/* A node in the search from one source. */
struct between {
	uint64_t sigma;
	uint32_t d;
	uint32_t end; /* its predecessors, in the order in which they were met: pred[first[v]] to pred[end -
			 1] */
	double paths; /* sigma */
	double delta;
};

struct brandes {
	const struct nue_graph *g;
	const struct nue_layer *l;
	double *b;  /* [n] */
	uint8_t *t; /* [n] CAs of the layer on the switch, modulo 256 */
	struct between *node;
	uint32_t *order, n_order;
	uint32_t *pred;
};

static void count_paths(struct brandes *b, uint32_t s)
{
	const struct nue_graph *g = b->g;
	struct between *node = b->node;
	uint32_t n = 0;

	for (uint32_t v = 0; v < g->n; v++) /* one outside the hull is never the next */
		node[v] = (struct between){.d = b->l->hull[v] ? NO_ID : 0, .end = g->first[v]};
	node[s].sigma = 1;
	node[s].d = 0;
	b->order[n++] = s;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t u = b->order[i], next = node[u].d + 1;
		uint64_t paths = node[u].sigma;

		node[u].paths = (double)paths;
		for (uint32_t c = g->first[u], end = g->first[u + 1]; c < end; c++) {
			uint32_t v = g->to[c];
			struct between *to = &node[v];

			if (to->d < next)
				continue;
			if (to->d == NO_ID) {
				to->d = next;
				b->order[n++] = v;
			}
			to->sigma += paths;
			b->pred[to->end++] = u;
		}
	}
	b->n_order = n;
}

static double plus_times(double x, double y, unsigned n)
{
	while (n--)
		x += y;
	return x;
}

/*
 * OpenSM repeats this for each of the sources on switch s; only the value of s itself differs between the
 * first and the others. Sums are added in OpenSM's order, since rounding decides ties.
 */
static void nue_hull_add_dependencies(struct brandes *b, uint32_t s)
{
	const struct nue_graph *g = b->g;
	struct between *node = b->node;
	unsigned t = b->t[s];

	for (uint32_t i = b->n_order; i-- > 1;) {
		uint32_t v = b->order[i], *pred = &b->pred[g->first[v]], *end = &b->pred[node[v].end];
		double delta = plus_times(node[v].delta, 1, b->t[v]), paths = -1, share = 0;

		b->b[v] = plus_times(b->b[v], delta, t + 1);
		for (; pred < end; pred++) {
			struct between *u = &node[*pred];

			if (u->paths != paths) { /* many are alike */
				paths = u->paths;
				share = (paths / node[v].paths) * (1 + delta);
			}
			u->delta += share;
		}
	}
	double own = t ? plus_times(node[s].delta, 1, t - 1) : 0;
	b->b[s] = plus_times(b->b[s], own, t);
}

bool nue_find_root(struct nue_run *x, struct nue_layer *l)
{
	uint32_t n = x->g->n;
	bool go_on = true;
	struct brandes b = {.g = x->g,
			    .l = l,
			    .b = NEW_ARRAY(n, double),
			    .t = NEW_ARRAY(n, uint8_t),
			    .node = NEW_ARRAY(n, struct between),
			    .order = NEW_ARRAY(n, uint32_t),
			    .pred = NEW_ARRAY(x->g->n_channels + 1u, uint32_t)};

	for (uint32_t i = 0; i < l->n_lids; i++) {
		uint32_t ep = lid_owner(x->in->lids, l->lid[i]);

		if (!endport_is_switch(x->in->topo->fabric, ep))
			b.t[nue_node_of(x->g, x->in->topo, ep)]++;
	}
	progress_start(x->in->progress, "nue: central switch", n);
	for (uint32_t s = 0; s < n && go_on; s++) {
		if (l->hull[s]) {
			count_paths(&b, s);
			nue_hull_add_dependencies(&b, s);
		}
		go_on = progress_step(x->in->progress, s);
	}
	l->betweenness = b.b;
	l->root = NO_ID;
	for (uint32_t u = 0; u < n; u++)
		if (l->hull[u] && (l->root == NO_ID || b.b[u] > b.b[l->root]))
			l->root = u;
	if (x->record && go_on)
		nue_record_centre(x, l->root);
	FREE_EACH(b.t, b.node, b.order, b.pred);
	return go_on;
}

/* The spanning tree, and the escape paths along it (engines/doc/nue.md 11.4): their dependencies stay open
 * whatever else is routed. */

/* Shortest paths by weight (engines/doc/nue.md 11.3). */
void nue_tree(struct nue_run *x, uint32_t root, uint32_t *tree)
{
	const struct nue_graph *g = x->g;
	const struct nue_hop *hop = x->hop;
	struct heap4 *h = &x->heap;
	uint64_t *dist = x->dist;
	uint32_t missing = g->n - 1, most = 0;

	assert(root < g->n);
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

/* The search for one destination within the dependency graph (engines/doc/nue.md 12). */

/* v leaves the heap, and the edge of its way leaves the subgraph. */
static void nue_search_leave(struct nue_run *x, uint32_t v)
{
	uint32_t old = x->used[v], before = x->used[x->g->from[old]];

	heap4_delete(&x->heap, v);
	if (before != NO_ID)
		nue_take_back(x, before, old);
}

/* Takes channel c as the way into v. The search will continue from v. */
static inline void nue_search_take(struct nue_run *x, uint32_t c, uint32_t v, uint64_t dist)
{
	if (x->used[v] != NO_ID)
		nue_search_leave(x, v);
	else
		x->count++;
	x->cd[c] = dist;
	heap4_insert(&x->heap, v, dist);
	x->dist[v] = dist;
	x->used[v] = c;
	if (x->record)
		nue_record_reach(x, v);
}

/* --- before the first backtracking --------------------------------------------------------- */

/* free: its dependency on cur is not in use yet. */
static inline void look_first(struct nue_run *x, uint32_t cur, uint64_t base, uint32_t c, bool free)
{
	uint32_t v = x->hop[c].to;
	uint64_t dist = base + x->hop[c].weight;

	if (dist >= x->dist[v] || ((free || x->record) && nue_refused(x, cur, c)))
		return;
	nue_search_take(x, c, v, dist);
	x->stacks.accepted[c] = x->serial;
}

/*
 * Channels that offer no shorter way are skipped at once, since distances only shrink. Channels that OpenSM
 * would put on a stack are collected later, if a stack is needed.
 */
static void expand_first(struct nue_run *x, uint32_t v, uint32_t cur)
{
	const struct nue_graph *g = x->g;
	const struct nue_hop *hop = x->hop;
	uint32_t free = 0, *list = x->candidate;
	size_t end = g->first[v + 1], n = 0;
	uint64_t base = x->cd[cur];
	const uint64_t *dist = x->dist;
	const uint16_t *edge = x->d->edge;
	uint32_t at = x->d->first_edge[cur];

	if (x->record)
		nue_record_expand(x, cur);
	x->stacks.expanded[x->stacks.n_expanded++] = v;
	for (size_t c = g->first[v]; c < end; c++) {
		list[n] = (uint32_t)c;
		n += base + hop[c].weight < dist[hop[c].to];
	}
	for (size_t i = 0; i < n; i++)
		if (edge[at + list[i]] > NUE_UNUSED)
			look_first(x, cur, base, list[i], false);
		else
			list[free++] = list[i];
	for (uint32_t i = 0; i < free; i++)
		if (edge[at + list[i]] == NUE_UNUSED)
			look_first(x, cur, base, list[i], true);
}

/* Backtracking: how switches are reached that the search did not reach (engines/doc/nue.md 12.3 - 12.5). */

static void nue_stack_add(struct nue_run *x, uint32_t v, uint32_t c)
{
	struct nue_stacks *s = &x->stacks;

	if (s->member[c] == x->serial)
		return;
	s->member[c] = x->serial;
	s->next[c] = NO_ID;
	if (s->head[v] == NO_ID)
		s->head[v] = c;
	else
		s->next[s->tail[v]] = c;
	s->tail[v] = c;
}

/*
 * Makes the stacks as OpenSM has filled them so far: a channel is on a stack if a dependency in use led to it
 * when its switch was expanded, and if it was not taken as a way.
 */
static void make_stacks(struct nue_run *x)
{
	const struct nue_graph *g = x->g;
	struct nue_stacks *s = &x->stacks;

	for (uint32_t v = 0; v < g->n; v++)
		s->head[v] = x->found[v] = NO_ID;
	for (uint32_t i = 0; i < s->n_expanded; i++) {
		uint32_t v = s->expanded[i], cur = nue_way_into(x, v);

		for (uint32_t c = g->first[v]; c < g->first[v + 1]; c++) {
			if (s->accepted[c] == x->serial || !nue_used(x->d, nue_edge_of(x->d, cur, c)))
				continue;
			x->cd[c] = x->cd[cur] + x->weight[c];
			nue_stack_add(x, g->to[c], c);
		}
	}
	s->made = true;
}

/* --- backtracking --------------------------------------------------------------------------------- */

/* A new way Q -> A -> U. c is the channel into A, k the one from U to A. */
struct nue_backtrack_candidate {
	uint64_t distance;
	uint32_t place, k, c;
};

struct candidates {
	struct nue_backtrack_candidate *of;
	size_t n, cap;
};

COMPARATOR(by_distance, struct nue_backtrack_candidate, UP(distance) UP(place))

/* Does d lead straight back to the switch from which c comes? */
static bool nue_backtrack_turns_back(const struct nue_graph *g, uint32_t c, uint32_t d)
{
	return g->from[c] == g->to[d] && g->to[c] == g->from[d];
}

/* Can all nodes that are reached over A still be reached if c is the way into A? */
static bool carries_all(const struct nue_run *x, uint32_t a, uint32_t c)
{
	const struct nue_graph *g = x->g;

	for (uint32_t k = g->first[a]; k < g->first[a + 1]; k++) {
		uint32_t d = x->used[g->to[k]];

		if (d == NO_ID || g->from[d] != a)
			continue;
		if (nue_backtrack_turns_back(g, c, d) || !nue_used(x->d, nue_edge_of(x->d, c, d)))
			return false;
	}
	return true;
}

static void find_candidates(struct nue_run *x, uint32_t u, struct candidates *l)
{
	const struct nue_graph *g = x->g;

	l->n = 0;
	for (uint32_t k = g->first[u]; k < g->first[u + 1]; k++) {
		uint32_t a = g->to[k];

		if (x->dist[a] == NUE_INF)
			continue;
		for (uint32_t c = x->stacks.head[a]; c != NO_ID; c = x->stacks.next[c]) {
			if (!carries_all(x, a, c))
				continue;
			GROW(l->of, l->n, l->cap);
			l->of[l->n] = (struct nue_backtrack_candidate){x->cd[c], (uint32_t)l->n, k, c};
			l->n++;
		}
	}
	if (l->n)
		qsort(l->of, l->n, sizeof(*l->of), by_distance);
}

/* Notes the dependency that forbids a way. */
static enum nue_verdict forbidden(struct nue_way *w, enum nue_verdict why, uint32_t from, uint32_t to)
{
	w->from = from;
	w->to = to;
	return why;
}

/* Takes both dependencies q -> c -> h into use, or neither. */
static enum nue_verdict open_way(struct nue_run *x, struct nue_way *w)
{
	struct nue_ccdg *d = x->d;
	uint32_t c = w->c, h = w->h;

	if (d->edge[nue_edge_of(d, c, h)] == NUE_BLOCKED)
		return forbidden(w, NUE_STAYS_BLOCKED, c, h);
	if (x->g->from[c] == x->src)
		return NUE_FROM_SOURCE;
	uint32_t q = x->used[x->g->from[c]];
	if (q == NO_ID || nue_backtrack_turns_back(x->g, c, q))
		return NUE_TURNS_BACK;
	uint32_t e1 = nue_edge_of(d, q, c);
	bool was = d->edge_wet[e1];
	if (d->edge[e1] == NUE_BLOCKED)
		return forbidden(w, NUE_LEADER_BLOCKED, q, c);
	if (nue_refused(x, q, c))
		return forbidden(w, NUE_CYCLE, q, c);
	if (!nue_refused(x, c, h))
		return NUE_TAKEN;
	if (!was)
		nue_take_back(x, q, c);
	return forbidden(w, NUE_CYCLE, c, h);
}

/* Tries to reach U. Returns the channel into U, or NO_ID. */
static uint32_t try_candidates(struct nue_run *x, uint32_t u, const struct candidates *l)
{
	uint32_t way = NO_ID;

	for (size_t i = 0; i < l->n; i++) {
		uint32_t c = l->of[i].c, h = x->g->rev[l->of[i].k];
		struct nue_way w = {u, h, c, (uint32_t)i + 1, (uint32_t)l->n, NO_ID, NO_ID};
		enum nue_verdict verdict = open_way(x, &w);

		if (verdict == NUE_TAKEN)
			x->cd[h] = x->cd[c] + x->weight[h];
		if (verdict == NUE_TAKEN && way != NO_ID) {
			nue_stack_add(x, u, h);
			verdict = NUE_KEPT_ASIDE;
		}
		if (verdict == NUE_TAKEN) {
			uint32_t a = x->g->to[c];

			if (x->how) {
				x->how[u] = NUE_BY_BACKTRACKING;
				x->how[a] = NUE_BY_WAY_AROUND;
			}
			x->used[u] = way = h;
			x->dist[u] = x->cd[h];
			x->used[a] = c;
			x->dist[a] = x->cd[c];
		}
		if (x->record)
			nue_record_backtrack(x, &w, verdict);
	}
	return way;
}

static uint32_t nue_backtrack(struct nue_run *x)
{
	struct candidates l = {0};
	uint32_t way = NO_ID;

	if (!x->stacks.made)
		make_stacks(x);
	for (uint32_t u = 0; u < x->g->n && way == NO_ID; u++) {
		if (x->dist[u] != NUE_INF)
			continue;
		find_candidates(x, u, &l);
		way = try_candidates(x, u, &l);
	}
	free(l.of);
	return way;
}

/* --- shortcuts ------------------------------------------------------------------------------------ */

/*
 * Takes all dependencies from c to list[] into use, and returns n. If one is refused, takes back those
 * painted here, and returns the index of the refused one.
 */
static uint32_t lead_on(struct nue_run *x, uint32_t c, const uint32_t *list, uint32_t n)
{
	struct nue_ccdg *d = x->d;
	uint8_t was[256] = {0};
	uint32_t i;

	assert(n <= ARRAY_LEN(was));
	for (i = 0; i < n; i++)
		was[i] = d->edge_wet[nue_edge_of(d, c, list[i])];
	for (i = 0; i < n; i++)
		if (d->edge[nue_edge_of(d, c, list[i])] == NUE_BLOCKED || nue_refused(x, c, list[i]))
			break;
	for (uint32_t k = i; i < n && k-- > 0;)
		if (d->edge[nue_edge_of(d, c, list[k])] != NUE_BLOCKED && !was[k])
			nue_take_back(x, c, list[k]);
	return i;
}

/* Makes c the way into v if all nodes reached over v can stay. NO_ID, or the first node that cannot. */
static uint32_t nue_shortcut(struct nue_run *x, uint32_t v, uint32_t c)
{
	const struct nue_graph *g = x->g;
	uint32_t old = x->used[v], before = x->used[g->from[old]], list[256], n = 0;

	for (uint32_t k = g->first[v]; k < g->first[v + 1]; k++) { /* the channels that lead on from v */
		uint32_t way = x->used[g->to[k]];

		if (way != NO_ID && g->from[way] == v)
			list[n++] = way;
	}
	uint32_t led = lead_on(x, c, list, n);
	if (led < n)
		return x->g->to[list[led]];
	if (x->how)
		x->how[v] = NUE_BY_SHORTCUT;
	x->events |= NUE_SHORTCUT;
	if (before != NO_ID)
		nue_take_back(x, before, old);
	/* OpenSM's mistake: the dependencies of the old way should be taken back */
	for (uint32_t i = 0; i < n; i++)
		nue_take_back(x, c, list[i]);
	return NO_ID;
}

/* --- impasse ----------------------------------------------------------------------------------------- */

static void nue_escape_fallback(struct nue_run *x)
{
	const struct nue_layer *l = &x->nue->layer[x->layer];
	uint32_t next;

	for (uint32_t u = 0; u < x->g->n; u++)
		x->used[u] = l->escape[u];
	uint32_t c = x->used[x->src];
	x->used[x->src] = NO_ID;
	for (; c != NO_ID; c = next) {
		uint32_t y = x->g->from[c];

		next = x->used[y];
		x->used[y] = x->g->rev[c];
	}
}

/* --- after the first backtracking -------------------------------------------------------------- */

/* Channel c, from cur, offers a shorter way into v. */
static void shorter(struct nue_run *x, uint32_t cur, uint32_t c, uint32_t v, uint64_t dist)
{
	if (nue_refused(x, cur, c))
		return;
	if (x->used[v] == NO_ID || x->found[v] == x->step) {
		x->found[v] = x->step;
		nue_search_take(x, c, v, dist);
		return;
	}
	uint32_t old = x->used[v], forbids = nue_shortcut(x, v, c);
	if (forbids == NO_ID) {
		x->dist[v] = dist;
		x->used[v] = c;
	}
	if (x->record)
		nue_record_shortcut(x, v, old, c, forbids);
}

static void nue_search_look_again(struct nue_run *x, uint32_t cur, uint32_t c)
{
	uint32_t v = x->g->to[c];
	uint64_t dist = x->cd[cur] + x->weight[c];

	if (dist < x->dist[v]) {
		shorter(x, cur, c, v, dist);
	} else if (nue_used(x->d, nue_edge_of(x->d, cur, c)) && x->used[v] == NO_ID) {
		x->cd[c] = dist;
		nue_stack_add(x, v, c);
	}
}

static void expand_again(struct nue_run *x, uint32_t v, uint32_t cur)
{
	const struct nue_graph *g = x->g;
	uint32_t end = g->first[v + 1], at = x->d->first_edge[cur];

	if (x->record)
		nue_record_expand(x, cur);
	for (uint32_t c = g->first[v]; c < end; c++)
		if (x->d->edge[at + c] > NUE_UNUSED)
			nue_search_look_again(x, cur, c);
	for (uint32_t c = g->first[v]; c < end; c++)
		if (x->d->edge[at + c] == NUE_UNUSED)
			nue_search_look_again(x, cur, c);
}

/* --- the whole ----------------------------------------------------------------------------------- */

static void nue_search_begin(struct nue_run *x, unsigned lid, uint32_t src, uint32_t colour)
{
	uint32_t n = x->g->n;

	for (uint32_t u = 0; u < n; u++)
		x->dist[u] = NUE_INF;
	memset(x->used, 0xff, n * sizeof(*x->used));
	x->heap.n = 0;
	x->stacks.made = false;
	x->stacks.n_expanded = 0;
	x->serial++;
	x->src = src;
	x->colour = colour;
	x->count = 1;
	x->step = 0;
	x->events = NUE_ROUTED;
	x->dist[src] = 0;
	if (x->how)
		memset(x->how, NUE_BY_SEARCH, n);
	if (x->record)
		nue_record_begin(x, lid, src, false);
}

/* The node from which the search goes on, or NO_ID. */
static inline uint32_t next_node(struct nue_run *x)
{
	if (x->heap.n)
		return (uint32_t)heap4_take(&x->heap);
	if (x->count == x->g->n)
		return NO_ID;
	uint32_t c = nue_backtrack(x);
	if (c != NO_ID) {
		x->count++;
		x->step++;
		x->events |= NUE_BACKTRACKED;
		return x->g->to[c];
	}
	nue_escape_fallback(x);
	if (x->record)
		nue_record_fallback(x);
	x->step = 0;
	x->events |= NUE_FALLBACK;
	return NO_ID;
}

int nue_search(struct nue_run *x, unsigned lid, uint32_t src, uint32_t colour)
{
	uint32_t most = 0;

	assert(src < x->g->n && x->layer < x->nue->vls.layers);
	nue_search_begin(x, lid, src, colour);
	x->cd[nue_begin(x->d, src, colour)] = 0;
	for (uint32_t v = src; v != NO_ID && !x->d->endless; v = next_node(x)) {
		uint32_t cur = nue_way_into(x, v);

		if ((x->step || x->stacks.n_expanded % 64 == 0) && progress_cancelled(x->in->progress))
			return err_set(&x->out->refused, CANCELLED);
		if (x->count == x->g->n && !x->step && !x->record &&
		    !nue_may_shorten(x, (uint32_t)x->cd[cur], &most)) {
			nue_stop(x, v);
			break;
		}
		if (x->step)
			expand_again(x, v, cur);
		else
			expand_first(x, v, cur);
	}
	if (x->d->endless) {
		x->out->fatal = "never ends";
		return err_set(&x->out->refused,
			       "LID %u: the dependencies in use of layer %u have a cycle, in which OpenSM's "
			       "search for cycles goes round for ever",
			       lid, x->layer);
	}
	/* OpenSM continues as if all were reached */
	for (uint32_t u = x->count < x->g->n ? 0 : x->g->n; u < x->g->n; u++) {
		if (x->used[u] != NO_ID || u == x->src)
			continue;
		x->out->fatal = "crashes";
		return err_set(&x->out->refused,
			       "LID %u: %s is farther away than the distances of OpenSM's nue reach, and no "
			       "escape path leads there; expected sums of weights below 2^31",
			       lid, switch_name(x->in->topo->fabric, x->g->sw[u]));
	}
	nue_end_destination(x->d, x->used, src);
	if (x->record)
		nue_record_end_search(x);
	return 0;
}
