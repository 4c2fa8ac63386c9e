/*
 * The cables of a grid do not tell which dimension is x, where 0 is, and which direction is up. Names decide
 * that, else port numbers. A square is both a ring of four and two dimensions of two: it comes as the latter.
 */
#include <stdlib.h>
#include <string.h>

#include "core/analysis/shape/internal.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/order.h"

#define NAME_MOST 128  /* characters of names that are compared */
#define MOST_AGREE 0.7 /* of the links of a dimension change this place of the name */

static uint32_t *layout_grid_names_at_of(const struct lgrid *g, uint32_t u)
{
	return g->at + (size_t)u * GRID_MOST;
}

/* What names and ports tell about a dimension. */
struct layout_grid_names_told {
	int place; /* of the name, -1 = not known */
	double port;
	uint32_t links;
	uint32_t alone[NAME_MOST],
		pair[NAME_MOST]; /* links that change this place alone, this one or the next */
};

/* The first and last place in which two names of equal length differ. false: there are none. */
static bool names_differ(const char *a, const char *b, int *lo, int *hi)
{
	size_t n = strlen(a);

	*lo = -1;
	if (n != strlen(b) || n >= NAME_MOST)
		return false;
	for (size_t k = 0; k < n; k++)
		if (a[k] != b[k]) {
			*lo = *lo < 0 ? (int)k : *lo;
			*hi = (int)k;
		}
	return *lo >= 0;
}

static int agreed_place(const struct layout_grid_names_told *t)
{
	for (int k = 0; k < NAME_MOST; k++)
		if (t->alone[k] >= MOST_AGREE * t->links)
			return k;
	for (int k = 0; k < NAME_MOST; k++)
		if (t->pair[k] >= MOST_AGREE * t->links)
			return k;
	return -1;
}

static struct layout_grid_names_told *ask_names(const struct lpart *p, const struct lgrid *g)
{
	struct layout_grid_names_told *told = NEW_ARRAY(GRID_MOST, struct layout_grid_names_told);

	for (uint32_t l = 0; l < p->n_links; l++) {
		uint32_t u = p->end[2 * l], v = p->end[2 * l + 1];
		int d = lgrid_step(g, u, v), lo, hi;

		if (d < 0)
			continue;
		told[d].links++;
		told[d].port += p->port[2 * l] + p->port[2 * l + 1];
		if (!names_differ(p->name[u], p->name[v], &lo, &hi))
			continue;
		told[d].alone[lo] += lo == hi;
		if (hi - lo <= 1)
			told[d].pair[lo]++;
		if (hi == lo && lo)
			told[d].pair[lo - 1]++;
	}
	for (unsigned d = 0; d < g->n_dims; d++) {
		told[d].place = told[d].links ? agreed_place(&told[d]) : -1;
		told[d].port /= told[d].links ? told[d].links : 1;
	}
	return told;
}

static void move_dim(const struct lpart *p, struct lgrid *g, const unsigned *from, unsigned n)
{
	struct lgrid was = *g;

	for (unsigned k = 0; k < n; k++) {
		g->size[k] = was.size[from[k]];
		g->kind[k] = was.kind[from[k]];
	}
	for (uint32_t u = 0; u < p->n; u++) {
		uint32_t old[GRID_MOST], *c = layout_grid_names_at_of(g, u);

		if (*c == NO_ID)
			continue;
		memcpy(old, c, sizeof(old));
		for (unsigned k = 0; k < n; k++)
			c[k] = old[from[k]];
	}
	g->n_dims = n;
}

/* By place in the name if each has its own, else by port numbers, else the larger one first. */
static bool goes_before(const struct lgrid *g, const struct layout_grid_names_told *t, bool by_place,
			unsigned a, unsigned b)
{
	if (by_place)
		return t[a].place < t[b].place;
	if (t[a].port != t[b].port)
		return t[a].port < t[b].port;
	return g->size[a] > g->size[b];
}

static void order_dims(const struct lpart *p, struct lgrid *g)
{
	struct layout_grid_names_told *t = ask_names(p, g);
	unsigned from[GRID_MOST];
	bool by_place = true;

	for (unsigned a = 0; a < g->n_dims; a++)
		for (unsigned b = 0; b <= a; b++)
			by_place &= t[a].place >= 0 && (a == b || t[a].place != t[b].place);
	for (unsigned k = 0; k < g->n_dims; k++) {
		unsigned at = k;

		for (; at && goes_before(g, t, by_place, k, from[at - 1]); at--)
			from[at] = from[at - 1];
		from[at] = k;
	}
	move_dim(p, g, from, g->n_dims);
	free(t);
}

/* --- two dimensions of two are a ring of four --- */

/* [ports][ports] number of a dimension's links with these two port numbers. */
static uint32_t *port_pairs(const struct lpart *p, const struct lgrid *g, unsigned dim, unsigned ports)
{
	uint32_t *count = NEW_ARRAY((size_t)ports * ports, uint32_t);

	for (uint32_t l = 0; l < p->n_links; l++) {
		unsigned a = p->port[2 * l], b = p->port[2 * l + 1];

		if (lgrid_step(g, p->end[2 * l], p->end[2 * l + 1]) == (int)dim)
			count[a < b ? a * ports + b : b * ports + a]++;
	}
	return count;
}

static uint32_t ports_shared(const struct lpart *p, const struct lgrid *g, unsigned a, unsigned b)
{
	unsigned ports = 1;
	uint32_t *x, *y, n = 0;

	for (uint32_t k = 0; k < 2 * p->n_links; k++)
		if (p->port[k] >= ports)
			ports = p->port[k] + 1u;
	x = port_pairs(p, g, a, ports);
	y = port_pairs(p, g, b, ports);
	for (uint32_t k = 0; k < ports * ports; k++)
		n += MIN(x[k], y[k]);
	free(x);
	free(y);
	return n;
}

/* Merges dimension b into a: 00 10 11 01 become 0 1 2 3. */
static void merge_pair(const struct lpart *p, struct lgrid *g, unsigned a, unsigned b)
{
	unsigned from[GRID_MOST], n = 0;

	for (uint32_t u = 0; u < p->n; u++) {
		uint32_t *c = layout_grid_names_at_of(g, u);

		if (*c != NO_ID)
			c[a] = c[b] ? 3 - c[a] : c[a];
	}
	g->size[a] = 4;
	g->kind[a] = LAYOUT_CYCLE;
	for (unsigned k = 0; k < g->n_dims; k++)
		if (k != b)
			from[n++] = k;
	move_dim(p, g, from, n);
}

/*
 * The two dimensions that belong together most: by the same place in the name, else by most common port
 * numbers, else the first two. Two with different places in the name are joined only in a hypercube.
 */
static bool best_pair(const struct lpart *p, const struct lgrid *g, bool cube, unsigned *a, unsigned *b)
{
	struct layout_grid_names_told *t = ask_names(p, g);
	uint64_t best = 0;

	for (unsigned i = 0; i < g->n_dims; i++)
		for (unsigned j = i + 1; j < g->n_dims; j++) {
			bool named = t[i].place >= 0 && t[j].place >= 0,
			     same = named && t[i].place == t[j].place;
			uint64_t worth;

			if (g->size[i] != 2 || g->size[j] != 2 || (named && !same && !cube))
				continue;
			worth = 1 + ((uint64_t)same << 32) + (named && !same ? 0 : ports_shared(p, g, i, j));
			if (worth <= best)
				continue;
			best = worth;
			*a = i;
			*b = j;
		}
	free(t);
	return best > 0;
}

static void layout_grid_names_pair_twos(const struct lpart *p, struct lgrid *g)
{
	unsigned a = 0, b = 0, twos = 0, n = g->n_dims;
	struct layout_grid_names_told *t = ask_names(p, g);
	bool cube = true;

	for (unsigned k = 0; k < n; k++) {
		twos += g->size[k] == 2;
		for (unsigned m = 0; m < k; m++)
			cube &= t[k].place < 0 || t[k].place != t[m].place;
	}
	free(t);
	cube &= twos == n;
	while (best_pair(p, g, cube, &a, &b))
		merge_pair(p, g, a, b);
}

/* --- where 0 is --- */

struct plane {
	uint32_t lowest, at;
};

COMPARATOR(plane_order, struct plane, UP(lowest))

static void set_zero(const struct lpart *p, struct lgrid *g, unsigned d)
{
	uint32_t n = g->size[d] ? g->size[d] : 1, *to = NEW_ARRAY(n, uint32_t), zero;
	struct plane *plane = NEW_ARRAY(n, struct plane);

	for (uint32_t k = 0; k < n; k++)
		plane[k] = (struct plane){NO_ID, k};
	for (uint32_t u = p->n; u-- > 0;)
		if (*layout_grid_names_at_of(g, u) != NO_ID)
			plane[layout_grid_names_at_of(g, u)[d]].lowest = u;
	zero = 0;
	for (uint32_t k = 1; k < n; k++)
		if (plane[k].lowest < plane[zero].lowest)
			zero = k;
	if (g->kind[d] == LAYOUT_CLIQUE) {
		qsort(plane, n, sizeof(*plane), plane_order);
		for (uint32_t k = 0; k < n; k++)
			to[plane[k].at] = k;
	} else if (g->kind[d] == LAYOUT_PATH) {
		bool turn = plane[n - 1].lowest < plane[0].lowest;

		for (uint32_t k = 0; k < n; k++)
			to[k] = turn ? n - 1 - k : k;
	} else {
		bool turn = plane[(zero + n - 1) % n].lowest < plane[(zero + 1) % n].lowest;

		for (uint32_t k = 0; k < n; k++)
			to[k] = turn ? (zero + n - k) % n : (k + n - zero) % n;
	}
	for (uint32_t u = 0; u < p->n; u++)
		if (*layout_grid_names_at_of(g, u) != NO_ID)
			layout_grid_names_at_of(g, u)[d] = to[layout_grid_names_at_of(g, u)[d]];
	free(plane);
	free(to);
}

/* Complete rows of three become rings, unless other rows are longer (HyperX). */
static void rings_of_three(struct lgrid *g)
{
	bool longer = false;

	for (unsigned d = 0; d < g->n_dims; d++)
		longer |= g->kind[d] == LAYOUT_CLIQUE && g->size[d] > 3;
	for (unsigned d = 0; d < g->n_dims; d++)
		if (g->kind[d] == LAYOUT_CLIQUE && g->size[d] == 3 && !longer)
			g->kind[d] = LAYOUT_CYCLE;
}

bool lgrid_arrange(struct lpart *p, struct lgrid *g)
{
	order_dims(p, g); /* pairs are taken in this order */
	layout_grid_names_pair_twos(p, g);
	rings_of_three(g);
	order_dims(p, g);
	/* the first coordinate tells who is placed: it stays a number */
	for (unsigned d = 0; d < g->n_dims; d++)
		set_zero(p, g, d);
	return g->n_dims <= LAYOUT_DIMS;
}
