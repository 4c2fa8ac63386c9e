/* The search for one destination within the dependency graph (engines/doc/nue.md 12). */
#include <string.h>
#include "engines/nue/internal.h"

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

/* --- after the first backtracking -------------------------------------------------------------- */

/* Channel c, from cur, offers a shorter way into v. */
static void shorter(struct nue_run *x, uint32_t cur, uint32_t c, uint32_t v, uint64_t dist)
{
	uint32_t old, forbids;

	if (nue_refused(x, cur, c))
		return;
	if (x->used[v] == NO_ID || x->found[v] == x->step) {
		x->found[v] = x->step;
		nue_search_take(x, c, v, dist);
		return;
	}
	old = x->used[v];
	forbids = nue_shortcut(x, v, c);
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
	uint32_t c;

	if (x->heap.n)
		return (uint32_t)heap4_take(&x->heap);
	if (x->count == x->g->n)
		return NO_ID;
	c = nue_backtrack(x);
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
