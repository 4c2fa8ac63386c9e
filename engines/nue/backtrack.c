/* Backtracking: how switches are reached that the search did not reach (engines/doc/nue.md 12.3 - 12.5). */
#include <stdlib.h>
#include "core/base/memory.h"
#include "engines/nue/internal.h"
#include "core/base/order.h"

/* --- stacks ------------------------------------------------------------------------------------- */

void nue_stack_add(struct nue_run *x, uint32_t v, uint32_t c)
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
	uint32_t q, e1, c = w->c, h = w->h;
	bool was;

	if (d->edge[nue_edge_of(d, c, h)] == NUE_BLOCKED)
		return forbidden(w, NUE_STAYS_BLOCKED, c, h);
	if (x->g->from[c] == x->src)
		return NUE_FROM_SOURCE;
	q = x->used[x->g->from[c]];
	if (q == NO_ID || nue_backtrack_turns_back(x->g, c, q))
		return NUE_TURNS_BACK;
	e1 = nue_edge_of(d, q, c);
	was = d->edge_wet[e1];
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

uint32_t nue_backtrack(struct nue_run *x)
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

uint32_t nue_shortcut(struct nue_run *x, uint32_t v, uint32_t c)
{
	const struct nue_graph *g = x->g;
	uint32_t old = x->used[v], before = x->used[g->from[old]], list[256], n = 0, led;

	for (uint32_t k = g->first[v]; k < g->first[v + 1]; k++) { /* the channels that lead on from v */
		uint32_t way = x->used[g->to[k]];

		if (way != NO_ID && g->from[way] == v)
			list[n++] = way;
	}
	led = lead_on(x, c, list, n);
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

void nue_escape_fallback(struct nue_run *x)
{
	const struct nue_layer *l = &x->nue->layer[x->layer];
	uint32_t c, next;

	for (uint32_t u = 0; u < x->g->n; u++)
		x->used[u] = l->escape[u];
	c = x->used[x->src];
	x->used[x->src] = NO_ID;
	for (; c != NO_ID; c = next) {
		uint32_t y = x->g->from[c];

		next = x->used[y];
		x->used[y] = x->g->rev[c];
	}
}
