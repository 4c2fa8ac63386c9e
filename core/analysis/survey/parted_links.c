/* Pairs of links and of switches that part hosts, by connectivity. */
#include <stdlib.h>
#include <string.h>

#include "core/analysis/survey/parted_net.h"
#include "core/base/defs.h"
#include "core/base/disjoint.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/parallel.h"

/* A depth-first forest.  Switches stand by their number in preorder from here on: `at`. */
struct forest {
	uint32_t n;
	uint32_t *order;  /* [n] switch at a place */
	uint32_t *at;	  /* [n] place of a switch; NO_ID: not visited */
	uint32_t *parent; /* [n] place; NO_ID: a root */
	uint32_t *edge;	  /* [n] link to the parent */
	uint32_t *last;	  /* [n] last place of the subtree */
	uint32_t *low;	  /* [n] first place that the subtree touches but by the link to its parent */
	uint32_t *hosts;  /* [n] in the subtree */
	uint32_t *root;	  /* [n] place */
	uint32_t *next;	  /* [n] arc that is looked at next */
};

static void forest_init(struct forest *t, uint32_t n)
{
	uint32_t **all[] = {&t->order, &t->at,	  &t->parent, &t->edge, &t->last,
			    &t->low,   &t->hosts, &t->root,   &t->next};

	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		*all[i] = NEW_ARRAY((size_t)n + 1, uint32_t);
}

static void forest_free(struct forest *t)
{
	free(t->order);
	free(t->at);
	free(t->parent);
	free(t->edge);
	free(t->last);
	free(t->low);
	free(t->hosts);
	free(t->root);
	free(t->next);
}

static uint32_t visit(struct forest *t, const struct parted_net *g, uint32_t sw, uint32_t parent,
		      uint32_t edge)
{
	uint32_t v = t->n++;

	t->order[v] = sw;
	t->at[sw] = v;
	t->parent[v] = parent;
	t->edge[v] = edge;
	t->low[v] = v;
	t->hosts[v] = g->hosts[sw];
	t->root[v] = parent == NO_ID ? v : t->root[parent];
	t->next[v] = g->off[sw];
	return v;
}

/* One tree from a switch; a switch `gone` is not there. */
static void parted_links_grow(struct forest *t, const struct parted_net *g, uint32_t from, uint32_t gone)
{
	uint32_t v = visit(t, g, from, NO_ID, NO_ID);

	while (v != NO_ID) {
		uint32_t up = t->parent[v];

		if (t->next[v] < g->off[t->order[v] + 1]) {
			const struct net_arc *c = &g->arc[t->next[v]++];

			if (c->to == gone || c->edge == t->edge[v])
				continue;
			if (t->at[c->to] == NO_ID)
				v = visit(t, g, c->to, v, c->edge);
			else if (t->at[c->to] < t->low[v])
				t->low[v] = t->at[c->to];
			continue;
		}
		t->last[v] = t->n - 1;
		if (up != NO_ID) {
			t->hosts[up] += t->hosts[v];
			t->low[up] = MIN(t->low[v], t->low[up]);
		}
		v = up;
	}
}

static void grow_all(struct forest *t, const struct parted_net *g, uint32_t gone)
{
	t->n = 0;
	memset(t->at, 0xff, g->n * sizeof(*t->at));
	for (uint32_t s = 0; s < g->n; s++)
		if (s != gone && t->at[s] == NO_ID)
			parted_links_grow(t, g, s, gone);
}

/* --- links ---------------------------------------------------------------------------------------------- */

/* The cover of the link from a place to its parent. */
struct cover {
	uint32_t place, size, high; /* high: the lowest place but last at which a covering link ends above */
	uint32_t one;		    /* links in it, added by exclusive or: the only one of a cover of 1 */
};

COMPARATOR(by_cover, struct cover, UP(high) UP(size) UP(place))

/* Tree links get `high` from the deepest upper ends first; a link that has one is passed over. */
static void set_high(struct cover *c, const struct parted_net *g, const struct forest *t)
{
	uint32_t *open = NEW_ARRAY((size_t)t->n + 1, uint32_t);

	for (uint32_t v = 0; v < t->n; v++)
		open[v] = v;
	for (uint32_t w = t->n; w-- > 0;)
		for (uint32_t i = g->off[t->order[w]]; i < g->off[t->order[w] + 1]; i++) {
			uint32_t u = t->at[g->arc[i].to];

			if (u <= w || t->edge[u] == g->arc[i].edge)
				continue;
			c[u].size++;
			c[w].size--;
			c[u].one ^= g->arc[i].edge;
			c[w].one ^= g->arc[i].edge;
			for (u = disjoint_root(open, u); u > w; u = disjoint_root(open, u)) {
				c[u].high = w;
				open[u] = t->parent[u];
			}
		}
	free(open);
}

/* Links in a circle, in order: without any two of them it falls apart.  Hosts lie behind each one. */
static void mark_circle(struct parted_net *g, const uint32_t *edge, const uint32_t *behind, uint32_t n)
{
	uint32_t *group = NEW_ARRAY((size_t)n + 1, uint32_t), most = 0;

	for (uint32_t i = 1; i < n; i++)
		group[i] = most += behind[i - 1] != 0;
	for (uint32_t i = 0; i < n; i++)
		group[i] = group[i] == most && !behind[n - 1] ? 0 : group[i];
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = i + 1; k < n; k++)
			if (group[i] != group[k])
				pair_mark(g->bad, pair_bit(g, edge[i], edge[k]));
	free(group);
}

/* Covers c[0 .. n - 1] are equal, the upper link first. */
static void mark_chain(struct parted_net *g, const struct forest *t, const struct cover *c, uint32_t n)
{
	uint32_t *edge = NEW_ARRAY((size_t)n + 1, uint32_t), *behind = NEW_ARRAY((size_t)n + 1, uint32_t);
	uint32_t outside = t->hosts[t->root[c->place]] - t->hosts[c->place], last;

	for (uint32_t i = 0; i < n; i++) {
		edge[i] = t->edge[c[i].place];
		behind[i] = t->hosts[c[i].place] - (i + 1 < n ? t->hosts[c[i + 1].place] : 0);
	}
	last = n;
	if (c->size == 1) {
		edge[last++] = c->one;
		behind[n] = outside;
	} else {
		behind[n - 1] += outside;
	}
	mark_circle(g, edge, behind, last);
	free(edge);
	free(behind);
}

int parted_links(struct parted_net *g, struct progress *p, struct err *e)
{
	struct forest t = {0};
	struct cover *c = NEW_ARRAY((size_t)g->n + 1, struct cover);

	forest_init(&t, g->n);
	grow_all(&t, g, NO_ID);
	for (uint32_t v = 0; v < t.n; v++)
		c[v].place = v;
	set_high(c, g, &t);
	for (uint32_t v = t.n; v-- > 0;)
		if (t.parent[v] != NO_ID) {
			c[t.parent[v]].size += c[v].size;
			c[t.parent[v]].one ^= c[v].one;
		}
	for (uint32_t v = 0; v < t.n; v++)
		if (t.parent[v] != NO_ID && !c[v].size)
			g->alone[t.edge[v]] = t.hosts[v] && t.hosts[v] < t.hosts[t.root[v]];
	qsort(c, t.n, sizeof(*c), by_cover);
	for (uint32_t i = 0, next; i < t.n && !progress_cancelled(p); i = next) {
		for (next = i + 1; next < t.n && c[next].high == c[i].high && c[next].size == c[i].size &&
				   c[next].place <= t.last[c[next - 1].place];
		     next++)
			;
		if (c[i].size && t.parent[c[i].place] != NO_ID)
			mark_chain(g, &t, c + i, next - i);
	}
	free(c);
	forest_free(&t);
	return progress_cancelled(p) ? err_set(e, CANCELLED) : 0;
}

/* --- switches ------------------------------------------------------------------------------------------- */

/* pieces[v]: parts with hosts that are left without place v, as if nothing else were gone. */
static void count_pieces(const struct parted_net *g, const struct forest *t, uint32_t *pieces, uint32_t *rest)
{
	uint32_t trees = 0;

	for (uint32_t v = 0; v < t->n; v++) {
		trees += t->root[v] == v && t->hosts[v];
		pieces[v] = 0;
		rest[v] = t->hosts[t->root[v]] - g->hosts[t->order[v]];
	}
	for (uint32_t v = 0, up; v < t->n; v++) {
		up = t->parent[v];
		if (up == NO_ID || t->low[v] < up)
			continue;
		pieces[up] += t->hosts[v] != 0;
		rest[up] -= t->hosts[v];
	}
	for (uint32_t v = 0; v < t->n; v++)
		pieces[v] += trees - (t->hosts[t->root[v]] != 0) + (rest[v] != 0);
}

static int try_switch(void *ctx, unsigned worker, unsigned i, struct progress *p, struct err *e)
{
	struct parted_net *g = ctx;
	uint32_t *pieces = NEW_ARRAY((size_t)g->n + 1, uint32_t),
		 *rest = NEW_ARRAY((size_t)g->n + 1, uint32_t);
	struct forest t = {0};

	(void)worker;
	(void)p;
	(void)e;
	forest_init(&t, g->n);
	grow_all(&t, g, i < g->n_parts ? g->sw_of[i] : NO_ID);
	count_pieces(g, &t, pieces, rest);
	for (uint32_t v = 0; v < t.n; v++) {
		uint32_t b = g->part_of[t.order[v]];

		if (b == NO_ID || pieces[v] < 2)
			continue;
		if (i == g->n_parts)
			g->alone[b] = 1;
		else if (b > i)
			pair_mark(g->bad, pair_bit(g, i, b));
	}
	forest_free(&t);
	free(pieces);
	free(rest);
	return 0;
}

int parted_switches(struct parted_net *g, struct progress *p, struct err *e)
{
	struct parallel par = {.n = g->n_parts + 1, .work = try_switch, .ctx = g};

	return parallel_run(&par, "pairs of switches", p, e);
}
