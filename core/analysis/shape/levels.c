/* Levels of a tree and axes of a grid, derived from cables and names. */
#include <assert.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/shape/layout.h"
#include "core/analysis/shape/levels.h"
#include "core/analysis/traffic/spread.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/text.h"
#include "core/routing/paths.h"

void grid_coordinates(const struct grid *g, uint32_t place, unsigned c[GRID_DIMS])
{
	assert(place < g->n_places);
	c[0] = place % g->radix[0];
	c[1] = place / g->radix[0] % g->radix[1];
	c[2] = place / g->radix[0] / g->radix[1];
}

static uint32_t grid_place(const struct grid *g, const unsigned c[GRID_DIMS])
{
	return c[0] + g->radix[0] * (c[1] + g->radix[1] * c[2]);
}

uint32_t grid_beside(const struct grid *g, uint32_t place, unsigned direction)
{
	assert(direction < GRID_DIRECTIONS);
	unsigned c[GRID_DIMS], d = direction / 2, r = g->radix[d];

	grid_coordinates(g, place, c);
	if (r == 1 || (g->open[d] && c[d] == (direction % 2 ? r - 1 : 0)))
		return NO_ID;
	c[d] = (c[d] + (direction % 2 ? 1 : r - 1)) % r;
	return grid_place(g, c);
}

const char *grid_text(const struct grid *g, char *buf, size_t size)
{
	bool torus = true, mesh = true;
	size_t len = 0;

	for (unsigned d = 0; d < GRID_DIMS; d++) {
		torus &= g->radix[d] == 1 || !g->open[d];
		mesh &= g->radix[d] == 1 || g->open[d];
	}
	buf[0] = '\0';
	for (unsigned d = 0; d < GRID_DIMS && len < size; d++)
		if (g->radix[d] > 1)
			len += (size_t)snprintf(buf + len, size - len, "%s%u%s", len ? " x " : "",
						g->radix[d],
						torus || mesh ? ""
						: g->open[d]  ? " (open)"
							      : " (looped)");
	if (len < size)
		snprintf(buf + len, size - len, " %s", mesh ? "mesh" : "torus");
	return buf;
}

static bool linked(const struct topo *t, uint32_t sw, uint32_t other)
{
	const struct fabric *f = t->fabric;

	for (unsigned p = 1; p <= f->switch_nports[sw]; p++)
		if (t->peer_switch[switch_port_id(f, sw, p)] == other)
			return true;
	return false;
}

uint32_t grid_neighbour(const struct grid *g, const struct topo *t, uint32_t place, unsigned direction)
{
	assert(place < g->n_places && g->at[place] != NO_ID);
	uint32_t to = grid_beside(g, place, direction), sw = to == NO_ID ? NO_ID : g->at[to];

	return sw != NO_ID && linked(t, g->at[place], sw) ? sw : NO_ID;
}

bool grid_adjacent(const struct grid *g, uint32_t a, uint32_t b)
{
	for (unsigned k = 0; k < GRID_DIRECTIONS; k++)
		if (grid_beside(g, a, k) == b)
			return true;
	return false;
}

/* After rings are closed, every link must be a step in the grid. The first other link is the error. */
static int look_at_links(struct grid *g, const struct topo *t, struct err *e)
{
	const struct fabric *f = t->fabric;
	unsigned a[GRID_DIMS], b[GRID_DIMS];
	char shape[80];

	for (uint32_t i = 0; i < 2 * f->n_ports; i++) {
		uint32_t p = i % f->n_ports, sw = f->node_switch[f->port_node[p]];
		uint32_t to = sw == NO_ID ? NO_ID : t->peer_switch[p];

		if (to == NO_ID || grid_adjacent(g, g->place[sw], g->place[to]))
			continue;
		grid_coordinates(g, g->place[sw], a);
		grid_coordinates(g, g->place[to], b);
		if (i < f->n_ports) {
			unsigned differ = 0, dim = 0;

			for (unsigned d = 0; d < GRID_DIMS; d++) {
				differ += a[d] != b[d];
				dim = a[d] != b[d] ? d : dim;
			}
			if (differ == 1 && g->radix[dim] > 2 && (!a[dim] || !b[dim]) &&
			    a[dim] + b[dim] == g->radix[dim] - 1)
				g->open[dim] = false;
		} else
			return err_set(e,
				       "the link between %s (at %u,%u,%u) and %s (at %u,%u,%u) breaks the "
				       "pattern: without it this is a %s",
				       switch_name(f, sw), a[0], a[1], a[2], switch_name(f, to), b[0], b[1],
				       b[2], grid_text(g, shape, sizeof(shape)));
	}
	return 0;
}

static void count_missing_links(struct grid *g, const struct topo *t)
{
	const struct fabric *f = t->fabric;

	for (uint32_t place = 0; place < g->n_places; place++)
		for (unsigned k = 1; k < GRID_DIRECTIONS && g->at[place] != NO_ID; k += 2) {
			uint32_t to = grid_beside(g, place, k), sw = to == NO_ID ? NO_ID : g->at[to];

			if (sw == NO_ID || linked(t, g->at[place], sw))
				continue;
			g->missing_links++;
			if (g->missing_link)
				continue;
			g->missing_link =
				str_printf("%s - %s", switch_name(f, g->at[place]), switch_name(f, sw));
			arena_end(g, free, g->missing_link);
		}
}

/* --- dimensions ---------------------------------------------------------------------------------------- */

#define NONE UINT_MAX

/*
 * A dimension: one of the layout, or one or two with two places each. A ring of four counts as two of the
 * latter, so that its halves can also be paired with others.
 */
struct dim {
	unsigned a, b; /* 2 x a dimension of the layout, + 1: the second half of its ring; b: NONE, or as a */
	unsigned size;
	bool open;
};

struct dims {
	struct dim dim[2 * LAYOUT_DIMS];
	unsigned n;
};

static bool is_ring_of_four(const struct layout_part *is, unsigned d)
{
	return is->dim[d].size == 4 && is->dim[d].kind == LAYOUT_CYCLE;
}

static unsigned grid_along(const struct lpart *p, uint32_t u, unsigned from)
{
	unsigned c = from == NONE ? 0 : p->coord[(size_t)u * LAYOUT_DIMS + from / 2];

	if (from == NONE || !is_ring_of_four(&p->is, from / 2))
		return c;
	return from % 2 ? c >= 2 : c == 1 || c == 2;
}

/* Pair the dimensions that have two places, differently for each variant. false: no more variants. */
static bool grid_pair_twos(struct dims *x, unsigned *two, unsigned n, unsigned variant)
{
	if (n % 2)
		two[n++] = NONE;
	while (n) {
		unsigned k = 1 + variant % (n - 1), b = two[k];

		variant /= n - 1;
		x->dim[x->n++] = (struct dim){two[0], b, b == NONE ? 2 : 4, b == NONE};
		memmove(two + k, two + k + 1, (n - k - 1) * sizeof(*two));
		memmove(two, two + 1, (n - 2) * sizeof(*two));
		n -= 2;
	}
	return !variant;
}

COMPARATOR(by_size, struct dim, DOWN(size) UP(open) DOWN(a))

/* The largest dimension comes first; of equal ones, the last by name. false: there are more than three, or
 * one has complete rows. */
static bool take_dims(const struct layout_part *is, unsigned variant, struct dims *x)
{
	unsigned two[2 * LAYOUT_DIMS + 1], n = 0;

	for (unsigned d = 0; d < is->n_dims; d++) {
		if (is_ring_of_four(is, d)) {
			two[n++] = 2 * d;
			two[n++] = 2 * d + 1;
		} else if (is->dim[d].size > 2) {
			if (is->dim[d].kind == LAYOUT_CLIQUE)
				return false;
			x->dim[x->n++] =
				(struct dim){2 * d, NONE, is->dim[d].size, is->dim[d].kind == LAYOUT_PATH};
		}
	}
	for (unsigned d = 0; d < is->n_dims; d++)
		if (is->dim[d].size == 2)
			two[n++] = 2 * d;
	if (!grid_pair_twos(x, two, n, variant) || x->n > GRID_DIMS)
		return false;
	qsort(x->dim, x->n, sizeof(*x->dim), by_size);
	return true;
}

static void put_at(struct grid *g, const struct topo *t, uint32_t sw, uint32_t place)
{
	if (!switch_up(t, sw))
		return;
	g->at[place] = sw;
	g->place[sw] = place;
	g->missing_switches--;
}

static void grid_set_size(struct grid *g)
{
	g->missing_switches = g->n_places = g->radix[0] * g->radix[1] * g->radix[2];
	g->at = ARENA_ARRAY(g, g->n_places, uint32_t);
	memset(g->at, 0xFF, g->n_places * sizeof(*g->at));
}

static int blame_all(const struct lpart *p, struct err *e)
{
	uint32_t widest = 0;

	for (uint32_t u = 0; u < p->n; u++)
		widest = lpart_degree(p, u) > lpart_degree(p, widest) ? u : widest;
	if (p->max_degree > GRID_DIRECTIONS)
		return err_set(e,
			       "no torus or mesh: %s has %u neighbour switches, expected at most %u in three "
			       "dimensions",
			       p->name[widest], p->max_degree, GRID_DIRECTIONS);
	return err_set(e,
		       "no torus or mesh of up to three dimensions: the fabric has %u switches and %u pairs "
		       "of neighbours, up to %u of them with %s, and no such grid fits them",
		       p->n, p->n_links, p->max_degree, p->name[widest]);
}

/* Lays a part out as a grid.  Links may be missing, or too many.  Returns NULL when it is not a grid. */
static struct grid *grid_lay_out(struct lpart *p, const struct topo *t, unsigned variant)
{
	struct grid *g = ARENA_NEW(NULL, struct grid);
	struct dims x = {.n = 0};

	g->place = ARENA_ARRAY(g, t->fabric->n_switches, uint32_t);
	memset(g->place, 0xFF, t->fabric->n_switches * sizeof(*g->place));
	if (layout_is_line(p)) {
		bool square = p->is.kind == LAYOUT_RING && p->n == 4;

		g->radix[0] = square ? 2 : p->n;
		g->radix[1] = square ? 2 : 1;
		g->radix[2] = 1;
		for (unsigned d = 0; d < GRID_DIMS; d++)
			g->open[d] = square || d || p->is.kind != LAYOUT_RING;
		grid_set_size(g);
		for (uint32_t i = 0; i < p->n; i++)
			put_at(g, t, p->sw[p->order[i]], square ? i ^ i >> 1 : i);
	} else if (layout_is_grid(p) && take_dims(&p->is, variant, &x)) {
		for (unsigned d = 0; d < GRID_DIMS; d++) {
			g->radix[d] = d < x.n ? x.dim[d].size : 1;
			g->open[d] = d >= x.n || x.dim[d].open;
		}
		grid_set_size(g);
		for (uint32_t u = 0; u < p->n; u++) {
			unsigned c[GRID_DIMS] = {0};

			for (unsigned d = 0; d < x.n; d++) {
				c[d] = grid_along(p, u, x.dim[d].a);
				if (grid_along(p, u, x.dim[d].b)) /* 00 10 11 01 are 0 1 2 3 */
					c[d] = 3 - c[d];
			}
			if (p->coord[(size_t)u * LAYOUT_DIMS] != LAYOUT_BESIDE)
				put_at(g, t, p->sw[u], grid_place(g, c));
		}
	} else {
		arena_free(g);
		return NULL;
	}
	return g;
}

static int grid_check(struct grid *g, const struct topo *t, struct err *e)
{
	char shape[80];

	for (uint32_t sw = 0; sw < t->fabric->n_switches; sw++)
		if (switch_up(t, sw) && g->place[sw] == NO_ID)
			return err_set(e, "%s breaks the pattern: without it this is a %s",
				       switch_name(t->fabric, sw), grid_text(g, shape, sizeof(shape)));
	if (look_at_links(g, t, e))
		return -1;
	count_missing_links(g, t);
	return 0;
}

/* Finds the grid in what is up, or in all cables (all): the layout also places what is down. */
static struct grid *find_in(const struct topo *t, bool all, unsigned variant, struct progress *p,
			    struct err *e)
{
	AUTO_FREE uint32_t *hosts = NEW_ARRAY(t->fabric->n_switches + 1, uint32_t);
	uint32_t r = 0;
	struct lpart part = {.progress = p};
	AUTO_ARENA void *arena = ARENA_EMPTY;
	struct lgraph graph;

	lgraph_make(arena, &graph, t->fabric, all ? NULL : t, NULL);
	while (!switch_up(t, graph.by[r].sw))
		r++;
	lpart_make(arena, &part, &graph, hosts, graph.part[r], false);
	struct grid *g = grid_lay_out(&part, t, variant);
	if (progress_cancelled(p))
		err_set(e, CANCELLED);
	else if (!g)
		blame_all(&part, e);
	if (g && (progress_cancelled(p) || grid_check(g, t, e))) {
		arena_free(g);
		g = NULL;
	}
	free(part.is.words);
	return g;
}

struct grid *grid_find(const struct topo *t, unsigned variant, struct progress *p, struct err *e)
{
	struct err other;

	progress_start(p, "looking for a torus or mesh", 0);
	if (t->n_switches_up < 2) {
		err_set(e, "found %s, expected at least two", PLURAL(t->n_switches_up, "switch"));
		return NULL;
	}
	struct grid *g = find_in(t, false, variant, p, e);
	return g || progress_cancelled(p) ? g : find_in(t, true, variant, p, &other);
}

/* A switch with at least a quarter of the usual number of hosts is strong. */
#define STRONG_PART 4

/* Twice the median number of hosts on switches with hosts. Twice, so that it is a whole number. */
static uint64_t twice_median(const struct levels *l)
{
	AUTO_FREE uint32_t *n = NEW_ARRAY(l->n_switches + 1, uint32_t);
	uint32_t with = 0;

	for (uint32_t s = 0; s < l->n_switches; s++)
		if (l->hosts[s])
			n[with++] = l->hosts[s];
	qsort(n, with, sizeof(*n), order_u32);
	return with ? (uint64_t)n[(with - 1) / 2] + n[with / 2] : 0;
}

/* Are less than half of the distinct neighbours strong? Then it is a small leaf, not a spine with hosts. */
static bool among_weak(const struct topo *t, const uint8_t *strong, uint32_t s, uint32_t *seen)
{
	unsigned neighbours = 0, n = 0;

	FOR_CABLES(t, s, port, d) {
		if (d == s || seen[d] == s + 1)
			continue;
		seen[d] = s + 1;
		neighbours++;
		n += strong[d];
	}
	return 2 * n < neighbours || !neighbours;
}

/* Finds links to the nearest edge switch, by one search from all edge switches. */
static void levels_find(struct levels *l, const struct topo *t)
{
	AUTO_FREE uint32_t *queue = NEW_ARRAY(l->n_switches + 1, uint32_t);
	uint32_t n = 0;

	for (uint32_t s = 0; s < l->n_switches; s++) {
		l->level[s] = l->edge[s] ? 0 : NO_HOPS;
		if (l->edge[s])
			queue[n++] = s;
	}
	spread_hops(t, l->level, queue, n);
}

static bool has_share(const struct levels *l, const struct topo *t, uint32_t s)
{
	FOR_PORTS(t->fabric, s, id)
		if (l->share[id] > 0)
			return true;
	return false;
}

/* Finds the root of a direct fabric: by least largest distance, then least sum, then id. false: cancelled. */
static bool find_middle(struct levels *l, const struct topo *t, struct progress *p)
{
	AUTO_FREE uint16_t *hops = NEW_ARRAY(l->n_switches, uint16_t);
	uint64_t best = UINT64_MAX;
	uint32_t middle = NO_ID;
	bool go_on = true;

	progress_start(p, "the middle", l->n_switches);
	for (uint32_t s = 0; s < l->n_switches && (go_on = progress_step(p, s)); s++) {
		uint64_t sum = 0, far = 0;

		if (l->level[s] != 0)
			continue;
		switch_distances(t, s, hops);
		for (uint32_t d = 0; d < l->n_switches; d++) {
			sum += hops[d] == NO_HOPS ? 0 : hops[d];
			far = hops[d] != NO_HOPS && hops[d] > far ? hops[d] : far;
		}
		if ((far << 48 | sum) >= best)
			continue;
		best = far << 48 | sum;
		middle = s;
	}
	if (middle != NO_ID)
		l->root[middle] = 1;
	l->n_roots = middle != NO_ID;
	return go_on;
}

static bool find_roots(struct levels *l, const struct topo *t, struct progress *p)
{
	for (uint32_t s = 0; s < l->n_switches; s++)
		if (l->level[s] != NO_HOPS && l->level[s] > l->top && has_share(l, t, s))
			l->top = l->level[s];
	if (!l->top)
		return find_middle(l, t, p);
	for (uint32_t s = 0; s < l->n_switches; s++) {
		l->root[s] = l->level[s] == l->top && has_share(l, t, s);
		l->n_roots += l->root[s];
	}
	return true;
}

struct levels *levels_new(const struct topo *t, const uint32_t *hosts, struct progress *p)
{
	uint32_t n = t->fabric->n_switches;
	AUTO_FREE uint32_t *on_edges = NEW_ARRAY(n, uint32_t), *seen = NEW_ARRAY(n, uint32_t);
	AUTO_FREE uint8_t *strong = NEW_ARRAY(n, uint8_t);
	struct levels *l = ARENA_NEW(NULL, struct levels);

	l->n_switches = n;
	l->hosts = arena_dup(l, hosts, n * sizeof(*hosts));
	l->edge = ARENA_ARRAY(l, n, uint8_t);
	l->level = ARENA_ARRAY(l, n, uint16_t);
	l->root = ARENA_ARRAY(l, n, uint8_t);
	uint64_t median = twice_median(l);
	for (uint32_t s = 0; s < n; s++)
		strong[s] = l->hosts[s] && 2ull * STRONG_PART * l->hosts[s] >= median;
	for (uint32_t s = 0; s < n; s++) {
		l->edge[s] = strong[s] || (l->hosts[s] && among_weak(t, strong, s, seen));
		l->n_edges += l->edge[s];
	}
	levels_find(l, t);
	for (uint32_t s = 0; s < n; s++)
		on_edges[s] = l->edge[s] ? hosts[s] : 0;
	l->share = even_shares(t, on_edges, p);
	arena_end(l, free, l->share);
	if (l->share && find_roots(l, t, p))
		return l;
	arena_free(l);
	return NULL;
}

void levels_root_guids(const struct levels *l, const struct fabric *f, struct text *t)
{
	assert(l->n_switches == f->n_switches);
	for (uint32_t s = 0; s < l->n_switches; s++)
		if (l->root[s])
			text_add(t, "0x%016" PRIx64 "\n", f->node_guid[f->switch_node[s]]);
}

void levels_host_guids(const struct levels *l, const struct topo *tp, const uint8_t *in, bool edge,
		       struct text *t)
{
	const struct fabric *f = tp->fabric;

	assert(l->n_switches == f->n_switches);
	for (uint32_t ep = 0; ep < f->n_endports; ep++)
		if (in[ep] && tp->endport_switch[ep] != NO_ID && l->edge[tp->endport_switch[ep]] == edge)
			text_add(t, "0x%016" PRIx64 "\n", f->port_guid[f->endport_port[ep]]);
}
