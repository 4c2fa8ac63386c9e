/* The graph of switches, and the shapes that its numbers allow. */
#include <stdlib.h>
#include <string.h>

#include "core/analysis/shape/grid_search.h"
#include "core/base/memory.h"
#include "core/base/order.h"

/* --- graph --------------------------------------------------------------------------------- */

static void note_degree(struct switch_graph *g, uint32_t u)
{
	unsigned degree = g->first[u + 1] - g->first[u];

	if (u && degree <= g->max_degree)
		return;
	g->max_degree = degree;
	g->widest = u;
}

struct switch_graph *switch_graph_new(const struct topo *t)
{
	const struct fabric *f = t->fabric;
	struct switch_graph *g = NEW(struct switch_graph);
	uint32_t *id = NEW_ARRAY(f->n_switches + 1u, uint32_t),
		 *mark = NEW_ARRAY(f->n_switches + 1u, uint32_t), n = 0;

	g->sw = NEW_ARRAY(f->n_switches + 1u, uint32_t);
	g->first = NEW_ARRAY(f->n_switches + 2u, uint32_t);
	g->to = NEW_ARRAY(f->n_ports + 1u, uint32_t);
	for (uint32_t sw = 0; sw < f->n_switches; sw++) {
		id[sw] = switch_up(t, sw) ? g->n : NO_ID;
		if (id[sw] != NO_ID)
			g->sw[g->n++] = sw;
	}
	for (uint32_t u = 0; u < g->n; u++) {
		g->first[u] = n;
		for (unsigned p = 1; p <= f->switch_nports[g->sw[u]]; p++) {
			uint32_t peer = t->peer_switch[switch_port_id(f, g->sw[u], p)],
				 v = peer == NO_ID ? NO_ID : id[peer];

			if (v == NO_ID || mark[v] == u + 1)
				continue;
			mark[v] = u + 1;
			g->to[n++] = v;
		}
		g->first[u + 1] = n;
		note_degree(g, u);
	}
	g->n_edges = n / 2;
	free(id);
	free(mark);
	return g;
}

struct switch_graph *switch_graph_without(const struct switch_graph *g, uint32_t u, uint32_t v)
{
	struct switch_graph *h = NEW(struct switch_graph);
	bool whole = v == NO_ID;
	uint32_t n = 0;

	h->sw = NEW_ARRAY(g->n + 1u, uint32_t);
	h->first = NEW_ARRAY(g->n + 2u, uint32_t);
	h->to = NEW_ARRAY(g->first[g->n] + 1u, uint32_t);
	for (uint32_t a = 0; a < g->n; a++) {
		if (whole && a == u)
			continue;
		h->sw[h->n] = g->sw[a];
		h->first[h->n] = n;
		for (uint32_t i = g->first[a]; i < g->first[a + 1]; i++) {
			uint32_t b = g->to[i];

			if (whole ? b == u : (a == u && b == v) || (a == v && b == u))
				continue;
			h->to[n++] = whole && b > u ? b - 1 : b;
		}
		h->first[++h->n] = n;
		note_degree(h, h->n - 1);
	}
	h->n_edges = n / 2;
	return h;
}

void switch_graph_free(struct switch_graph *g)
{
	if (!g)
		return;
	free(g->sw);
	free(g->first);
	free(g->to);
	free(g);
}

bool switch_graph_linked(const struct switch_graph *g, uint32_t u, uint32_t v)
{
	for (uint32_t i = g->first[u]; i < g->first[u + 1]; i++)
		if (g->to[i] == v)
			return true;
	return false;
}

/* --- shapes ---------------------------------------------------------------------------------- */

/* Switches that may be missing. */
static uint32_t most_missing(const struct switch_graph *g)
{
	return g->n < 16 ? 1 : g->n < 64 ? g->n / 8 : 8;
}

uint32_t grid_most_unlinked(const struct switch_graph *g)
{
	return 3 + g->n_edges / 20;
}

struct shape_list {
	struct grid_shape *s;
	size_t n, cap;
};

static uint32_t shape_links(const struct grid_shape *s)
{
	uint32_t places = s->radix[0] * s->radix[1] * s->radix[2], n = 0;

	for (unsigned d = 0; d < GRID_DIMS; d++)
		if (s->radix[d] > 1)
			n += s->open[d] ? places / s->radix[d] * (s->radix[d] - 1) : places;
	return n;
}

static unsigned shape_degree(const struct grid_shape *s)
{
	unsigned n = 0;

	for (unsigned d = 0; d < GRID_DIMS; d++)
		n += s->radix[d] == 1 ? 0 : s->open[d] && s->radix[d] == 2 ? 1 : 2;
	return n;
}

static void add_shape(struct shape_list *l, const struct switch_graph *g, struct grid_shape s)
{
	uint32_t links = shape_links(&s);

	if (s.radix[0] == 4 && s.radix[1] == 1 && !s.open[0])
		return; /* a single ring of four is called a 2 x 2 mesh */
	if (links < g->n_edges || shape_degree(&s) < g->max_degree)
		return;
	s.lost = links - g->n_edges;
	if (s.lost > grid_most_unlinked(g) + s.missing * shape_degree(&s))
		return;
	GROW(l->s, l->n, l->cap);
	l->s[l->n++] = s;
}

/* All ways to loop its dimensions; of equal radices the looped ones come first. */
static void add_loops(struct shape_list *l, const struct switch_graph *g, struct grid_shape s)
{
	for (unsigned bits = 0; bits < 1u << GRID_DIMS; bits++) {
		bool good = true;

		for (unsigned d = 0; d < GRID_DIMS; d++) {
			s.open[d] = bits >> d & 1;
			good &= s.radix[d] > 2 || s.open[d];
			good &= !d || s.radix[d] != s.radix[d - 1] || s.open[d] >= s.open[d - 1];
		}
		if (good)
			add_shape(l, g, s);
	}
}

static void add_radices(struct shape_list *l, const struct switch_graph *g, uint32_t missing)
{
	uint32_t n = g->n + missing;

	for (uint32_t x = n; x > 1; x--) {
		if (n % x)
			continue;
		for (uint32_t y = n / x; y >= 1; y--)
			if (n / x % y == 0 && y <= x && n / x / y <= y)
				add_loops(
					l, g,
					(struct grid_shape){.radix = {x, y, n / x / y}, .missing = missing});
	}
}

COMPARATOR(by_likelihood, struct grid_shape, UP(missing) UP(lost))

struct grid_shape *grid_shapes(const struct switch_graph *g, size_t *n)
{
	struct shape_list l = {0};

	for (uint32_t missing = 0; missing <= most_missing(g); missing++)
		add_radices(&l, g, missing);
	if (l.n)
		qsort(l.s, l.n, sizeof(*l.s), by_likelihood);
	*n = l.n;
	return l.s;
}
