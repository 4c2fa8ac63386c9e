/* Coordinates in a grid: from the directions of links, turned as names or port numbers say. */
#include <stdlib.h>
#include <string.h>

#include "core/analysis/shape/layout.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/text.h"

/* The cables of a grid do not show which dimension is x, where 0 is, and which direction is up.  Names decide
 * that, or else port numbers.  A square is both a ring of four and two dimensions of two; it is taken as the
 * latter.
 */

#define NAME_MOST 128  /* characters of names that are compared */
#define MOST_AGREE 0.7 /* of the links of a dimension change this place of the name */

static uint32_t *layout_grid_at_of(const struct lgrid *g, uint32_t u)
{
	return g->at + (size_t)u * GRID_MOST;
}

/* What names and ports show about a dimension. */
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

/* Are two switches one step apart? Returns the dimension, -1 = they are not.  A CLIQUE has no distances. */
static int lgrid_step(const struct lgrid *g, uint32_t u, uint32_t v)
{
	const uint32_t *a = layout_grid_at_of(g, u), *b = layout_grid_at_of(g, v);
	int found = -1;

	if (*a == NO_ID || *b == NO_ID)
		return -1;
	for (unsigned d = 0; d < g->n_dims; d++) {
		uint32_t apart = a[d] < b[d] ? b[d] - a[d] : a[d] - b[d];

		if (!apart)
			continue;
		if (found >= 0)
			return -1;
		if (g->kind[d] == LAYOUT_CYCLE && apart == g->size[d] - 1)
			apart = 1;
		if (g->kind[d] != LAYOUT_CLIQUE && apart != 1)
			return -1;
		found = (int)d;
	}
	return found;
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
		uint32_t old[GRID_MOST], *c = layout_grid_at_of(g, u);

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
	AUTO_FREE struct layout_grid_names_told *t = ask_names(p, g);
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
	uint32_t n = 0;

	for (uint32_t k = 0; k < 2 * p->n_links; k++)
		if (p->port[k] >= ports)
			ports = p->port[k] + 1u;
	AUTO_FREE uint32_t *x = port_pairs(p, g, a, ports), *y = port_pairs(p, g, b, ports);
	for (uint32_t k = 0; k < ports * ports; k++)
		n += MIN(x[k], y[k]);
	return n;
}

/* Merges dimension b into a: 00 10 11 01 become 0 1 2 3. */
static void merge_pair(const struct lpart *p, struct lgrid *g, unsigned a, unsigned b)
{
	unsigned from[GRID_MOST], n = 0;

	for (uint32_t u = 0; u < p->n; u++) {
		uint32_t *c = layout_grid_at_of(g, u);

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
	AUTO_FREE struct layout_grid_names_told *t = ask_names(p, g);
	uint64_t best = 0;

	for (unsigned i = 0; i < g->n_dims; i++)
		for (unsigned j = i + 1; j < g->n_dims; j++) {
			bool named = t[i].place >= 0 && t[j].place >= 0,
			     same = named && t[i].place == t[j].place;

			if (g->size[i] != 2 || g->size[j] != 2 || (named && !same && !cube))
				continue;
			uint64_t worth =
				1 + ((uint64_t)same << 32) + (named && !same ? 0 : ports_shared(p, g, i, j));
			if (worth <= best)
				continue;
			best = worth;
			*a = i;
			*b = j;
		}
	return best > 0;
}

static void layout_grid_names_pair_twos(const struct lpart *p, struct lgrid *g)
{
	unsigned a = 0, b = 0, twos = 0, n = g->n_dims;
	AUTO_FREE struct layout_grid_names_told *t = ask_names(p, g);
	bool cube = true;

	for (unsigned k = 0; k < n; k++) {
		twos += g->size[k] == 2;
		for (unsigned m = 0; m < k; m++)
			cube &= t[k].place < 0 || t[k].place != t[m].place;
	}
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
	uint32_t n = g->size[d] ? g->size[d] : 1, zero = 0;
	AUTO_FREE uint32_t *to = NEW_ARRAY(n, uint32_t);
	AUTO_FREE struct plane *plane = NEW_ARRAY(n, struct plane);

	for (uint32_t k = 0; k < n; k++)
		plane[k] = (struct plane){NO_ID, k};
	for (uint32_t u = p->n; u-- > 0;)
		if (*layout_grid_at_of(g, u) != NO_ID)
			plane[layout_grid_at_of(g, u)[d]].lowest = u;
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
		if (*layout_grid_at_of(g, u) != NO_ID)
			layout_grid_at_of(g, u)[d] = to[layout_grid_at_of(g, u)[d]];
}

/* Puts dimensions of two into pairs; names give their order and directions. false: more than LAYOUT_DIMS. */
static bool lgrid_arrange(struct lpart *p, struct lgrid *g)
{
	bool longer = false;

	order_dims(p, g); /* pairs are taken in this order */
	layout_grid_names_pair_twos(p, g);
	/* complete rows of three become rings, unless other rows are longer (HyperX) */
	for (unsigned d = 0; d < g->n_dims; d++)
		longer |= g->kind[d] == LAYOUT_CLIQUE && g->size[d] > 3;
	for (unsigned d = 0; d < g->n_dims; d++)
		if (g->kind[d] == LAYOUT_CLIQUE && g->size[d] == 3 && !longer)
			g->kind[d] = LAYOUT_CYCLE;
	order_dims(p, g);
	/* the first coordinate shows which switches are placed: it stays a number */
	for (unsigned d = 0; d < g->n_dims; d++)
		set_zero(p, g, d);
	return g->n_dims <= LAYOUT_DIMS;
}

/* Coordinates in a grid, from directions of its links. */

#define LEAST_SHARE 4	 /* a difference counts if it is 1/4 as frequent as the most frequent */
#define LEAST_LINKS 0.7	 /* of the links that a dimension needs */
#define LEAST_STEPS 0.9	 /* of all links must lead one step in one dimension */
#define LEAST_FILLED 0.8 /* of the places must be filled */
#define MOST_BESIDE 0.02 /* of the switches, or 2, may be outside */
#define MOST_APART 1024	 /* the largest differences that are counted */

/* --- places by walking --- */

struct layout_grid_walk {
	struct lpart *p;
	const struct ldirections *d;
	int32_t *at; /* [n * GRID_MOST] not wrapped */
	uint8_t *reached;
};

static uint32_t walk_start(const struct layout_grid_walk *w)
{
	uint32_t best = 0, most = 0;

	for (uint32_t u = 0; u < w->p->n; u++) {
		uint32_t n = 0;

		for (uint32_t i = w->p->first[u]; i < w->p->first[u + 1]; i++)
			n += w->d->dim[w->p->link[i]] != NO_ID;
		if (n > most) {
			most = n;
			best = u;
		}
	}
	return best;
}

/* Step along an arc in its dimension: +1 or -1. */
static int arc_step(const struct layout_grid_walk *w, uint32_t u, uint32_t arc)
{
	uint32_t l = w->p->link[arc];

	return (w->p->end[2 * l] != u) == w->d->back[l] ? 1 : -1;
}

static void layout_grid_walk_all(struct layout_grid_walk *w)
{
	struct lpart *p = w->p;
	AUTO_FREE uint32_t *queue = NEW_ARRAY(p->n, uint32_t);
	uint32_t head = 0, tail = 0;

	queue[tail++] = walk_start(w);
	w->reached[queue[0]] = 1;
	while (head < tail) {
		uint32_t u = queue[head++];

		for (uint32_t i = p->first[u]; i < p->first[u + 1]; i++) {
			uint32_t v = p->to[i], k = w->d->dim[p->link[i]];

			if (k == NO_ID || w->reached[v])
				continue;
			w->reached[v] = 1;
			memcpy(w->at + (size_t)v * GRID_MOST, w->at + (size_t)u * GRID_MOST,
			       GRID_MOST * sizeof(*w->at));
			if (!w->d->clique[k])
				w->at[(size_t)v * GRID_MOST + k] += arc_step(w, u, i);
			queue[tail++] = v;
		}
	}
}

static uint32_t gcd(uint32_t a, uint32_t b)
{
	while (b) {
		uint32_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* The size of a dimension's ring: by how much walks disagree; 0 = they agree. */
static uint32_t ring_size(const struct layout_grid_walk *w, unsigned k)
{
	uint32_t count[MOST_APART] = {0}, most = 0, size = 0;
	const struct lpart *p = w->p;

	for (uint32_t u = 0; u < p->n; u++)
		for (uint32_t i = p->first[u]; i < p->first[u + 1]; i++) {
			uint32_t v = p->to[i], dim = w->d->dim[p->link[i]];

			if (v < u || dim == NO_ID || !w->reached[u] || !w->reached[v])
				continue;
			int32_t apart = w->at[(size_t)v * GRID_MOST + k] - w->at[(size_t)u * GRID_MOST + k];
			apart -= dim == k ? arc_step(w, u, i) : 0;
			if (apart && abs(apart) < MOST_APART && ++count[abs(apart)] > most)
				most = count[abs(apart)];
		}
	for (uint32_t k2 = 3; k2 < MOST_APART; k2++)
		if (count[k2] && count[k2] * LEAST_SHARE >= most)
			size = gcd(size, k2);
	return size;
}

static void place_line(const struct layout_grid_walk *w, struct lgrid *g, unsigned k)
{
	uint32_t ring = ring_size(w, k);
	int32_t lo = INT32_MAX, hi = INT32_MIN;

	for (uint32_t u = 0; u < w->p->n; u++) {
		int32_t at = w->at[(size_t)u * GRID_MOST + k];

		if (!w->reached[u])
			continue;
		lo = MIN(at, lo);
		hi = MAX(at, hi);
	}
	g->kind[k] = ring ? LAYOUT_CYCLE : LAYOUT_PATH;
	g->size[k] = ring ? ring : (uint32_t)(hi - lo + 1);
	for (uint32_t u = 0; u < w->p->n; u++)
		if (w->reached[u])
			layout_grid_at_of(g, u)[k] =
				(uint32_t)(w->at[(size_t)u * GRID_MOST + k] - lo) % g->size[k];
}

/* Coordinates in a complete row: parts that are connected without its links. Scraps are not placed. */
static void place_clique(const struct layout_grid_walk *w, struct lgrid *g, unsigned k)
{
	const struct lpart *p = w->p;
	AUTO_FREE uint32_t *parent = NEW_ARRAY(p->n, uint32_t), *of = NEW_ARRAY(p->n, uint32_t);
	uint32_t most = 0, n = 0;
	AUTO_FREE uint32_t *size = NEW_ARRAY(p->n, uint32_t);

	for (uint32_t u = 0; u < p->n; u++)
		parent[u] = u;
	for (uint32_t l = 0; l < p->n_links; l++)
		if (w->d->dim[l] != NO_ID && w->d->dim[l] != k)
			lpart_join(parent, p->end[2 * l], p->end[2 * l + 1]);
	uint32_t sets = lpart_number(parent, p->n, of);
	for (uint32_t u = 0; u < p->n; u++)
		most = ++size[of[u]] > most ? size[of[u]] : most;
	for (uint32_t s = 0; s < sets; s++)
		size[s] = 2 * size[s] >= most ? n++ : NO_ID;
	for (uint32_t u = 0; u < p->n; u++) {
		layout_grid_at_of(g, u)[k] = size[of[u]];
		w->reached[u] &= size[of[u]] != NO_ID;
	}
	g->kind[k] = LAYOUT_CLIQUE;
	g->size[k] = n;
}

/* --- those that are left --- */

struct layout_grid_places {
	struct lpart *p;
	struct lgrid *g;
	uint32_t n;   /* product of the sizes */
	uint32_t *at; /* [n] switch, NO_ID: free */
	uint32_t unplaced;
};

static uint32_t place_number(const struct lgrid *g, const uint32_t *c)
{
	uint32_t at = 0;

	for (unsigned d = g->n_dims; d-- > 0;)
		at = at * g->size[d] + c[d];
	return at;
}

/* The best free place for u. fits: number of u's neighbours one step from it. */
struct layout_grid_candidate {
	uint32_t at[GRID_MOST];
	uint32_t fits;
	bool tie;
};

static void consider(const struct layout_grid_places *s, uint32_t u, const uint32_t *c,
		     struct layout_grid_candidate *best)
{
	uint32_t fits = 0;

	if (s->at[place_number(s->g, c)] != NO_ID)
		return;
	memcpy(layout_grid_at_of(s->g, u), c, GRID_MOST * sizeof(*c));
	for (uint32_t i = s->p->first[u]; i < s->p->first[u + 1]; i++)
		fits += lgrid_step(s->g, u, s->p->to[i]) >= 0;
	layout_grid_at_of(s->g, u)[0] = NO_ID;
	if (fits < best->fits)
		return;
	if (fits == best->fits) {
		best->tie |= place_number(s->g, c) != place_number(s->g, best->at);
		if (place_number(s->g, c) >= place_number(s->g, best->at))
			return;
	}
	best->tie = fits == best->fits && best->tie;
	best->fits = fits;
	memcpy(best->at, c, sizeof(best->at));
}

/* All places beside v that are in the box. */
static void consider_beside(const struct layout_grid_places *s, uint32_t u, uint32_t v,
			    struct layout_grid_candidate *best)
{
	const struct lgrid *g = s->g;
	uint32_t c[GRID_MOST] = {0};

	memcpy(c, layout_grid_at_of(g, v), g->n_dims * sizeof(*c));
	for (unsigned d = 0; d < g->n_dims; d++) {
		uint32_t was = c[d];

		for (uint32_t k = 0; k < g->size[d]; k++) {
			uint32_t apart = k < was ? was - k : k - was;
			bool beside = g->kind[d] == LAYOUT_CLIQUE || apart == 1 ||
				      (g->kind[d] == LAYOUT_CYCLE && apart == g->size[d] - 1);

			c[d] = k;
			if (apart && beside)
				consider(s, u, c, best);
		}
		c[d] = was;
	}
}

/* Places switches that are left. ties: even if another place is as good. */
static bool place_left(struct layout_grid_places *s, bool ties)
{
	bool changed = false;

	for (uint32_t u = 0; u < s->p->n && s->unplaced; u++) {
		struct layout_grid_candidate best = {.fits = 0};

		if (*layout_grid_at_of(s->g, u) != NO_ID)
			continue;
		for (uint32_t i = s->p->first[u]; i < s->p->first[u + 1]; i++)
			if (*layout_grid_at_of(s->g, s->p->to[i]) != NO_ID)
				consider_beside(s, u, s->p->to[i], &best);
		if (!best.fits || (best.tie && !ties))
			continue;
		memcpy(layout_grid_at_of(s->g, u), best.at, sizeof(best.at));
		s->at[place_number(s->g, best.at)] = u;
		s->unplaced--;
		changed = true;
		if (ties)
			break;
	}
	return changed;
}

static bool good_size(const struct lpart *p, const struct lgrid *g, uint32_t *places)
{
	uint64_t n = 1;

	for (unsigned d = 0; d < g->n_dims; d++) {
		n *= g->size[d];
		if (g->size[d] < 2 || n * LEAST_FILLED > p->n)
			return false;
	}
	*places = (uint32_t)n;
	return true;
}

static bool enough_links(const struct lpart *p, const struct lgrid *g)
{
	uint32_t links[GRID_MOST] = {0}, steps = 0;

	for (uint32_t l = 0; l < p->n_links; l++) {
		int d = lgrid_step(g, p->end[2 * l], p->end[2 * l + 1]);

		if (d < 0)
			continue;
		links[d]++;
		steps++;
	}
	for (unsigned d = 0; d < g->n_dims; d++) {
		double a = g->size[d], n = p->n;
		double wants = g->kind[d] == LAYOUT_CLIQUE  ? n * (a - 1) / 2
			       : g->kind[d] == LAYOUT_CYCLE ? n
							    : n * (a - 1) / a;

		if (links[d] < LEAST_LINKS * wants)
			return false;
	}
	return steps >= LEAST_STEPS * p->n_links;
}

/* Gives places to all that the walk reached, then to the rest. */
static bool settle_places(void *arena, struct lpart *p, struct lgrid *g, uint8_t *reached)
{
	struct layout_grid_places s = {.p = p, .g = g};

	if (!good_size(p, g, &s.n))
		return false;
	s.at = ARENA_ARRAY(arena, s.n, uint32_t);
	memset(s.at, 0xff, s.n * sizeof(*s.at));
	for (uint32_t u = 0; u < p->n; u++) {
		uint32_t *c = layout_grid_at_of(g, u);

		if (reached[u] && s.at[place_number(g, c)] == NO_ID) {
			s.at[place_number(g, c)] = u;
			continue;
		}
		*c = NO_ID;
		s.unplaced++;
	}
	while (s.unplaced && progress_step(p->progress, s.unplaced) &&
	       (place_left(&s, false) || place_left(&s, true)))
		;
	return (s.unplaced <= 2 || s.unplaced <= MOST_BESIDE * p->n) && enough_links(p, g);
}

static bool layout_grid_find_places(void *arena, struct lpart *p, const struct ldirections *d,
				    struct lgrid *g)
{
	struct layout_grid_walk w = {.p = p,
				     .d = d,
				     .at = ARENA_ARRAY(arena, (size_t)p->n * GRID_MOST, int32_t),
				     .reached = ARENA_ARRAY(arena, p->n, uint8_t)};

	g->n_dims = d->n_dims;
	layout_grid_walk_all(&w);
	for (unsigned k = 0; k < g->n_dims; k++) {
		if (d->clique[k])
			place_clique(&w, g, k);
		else
			place_line(&w, g, k);
	}
	return settle_places(arena, p, g, w.reached);
}

static void tell_grid(struct lpart *p)
{
	AUTO_TEXT struct text t = {0};
	uint32_t cycles = 0, paths = 0, cliques = 0, cube = 0;
	bool is_cube = true;

	for (unsigned d = 0; d < p->is.n_dims; d++) {
		unsigned size = p->is.dim[d].size, kind = p->is.dim[d].kind;

		text_add(&t, "%s%u", d ? "x" : "", size);
		cliques += kind == LAYOUT_CLIQUE;
		cycles += kind == LAYOUT_CYCLE;
		paths += kind == LAYOUT_PATH && size > 2;
		is_cube &= size == 2 || (size == 4 && kind == LAYOUT_CYCLE);
		cube += size == 4 ? 2 : 1;
	}
	text_add(&t, " %s",
		 cliques && !cycles && !paths ? "hyperx"
		 : cliques		      ? "grid"
		 : !paths		      ? "torus"
		 : !cycles		      ? "mesh"
					      : "torus and mesh");
	if (is_cube)
		text_add(&t, " = hypercube %u", cube);
	p->is.words = str_printf("%s", text_str(&t));
}

bool layout_is_grid(struct lpart *p)
{
	AUTO_ARENA void *arena = ARENA_EMPTY;
	struct ldirections d;
	struct lgrid g = {0};

	if (!ldirections_find(arena, p, &d))
		return false;
	g.at = ARENA_ARRAY(arena, (size_t)p->n * GRID_MOST, uint32_t);
	if (!layout_grid_find_places(arena, p, &d, &g) || !lgrid_arrange(p, &g))
		return false;
	p->is.kind = LAYOUT_GRID;
	p->is.n_dims = (uint8_t)g.n_dims;
	for (unsigned k = 0; k < g.n_dims; k++) {
		p->is.dim[k].size = (uint16_t)g.size[k];
		p->is.dim[k].kind = g.kind[k];
	}
	for (uint32_t u = 0; u < p->n; u++)
		for (unsigned k = 0; k < LAYOUT_DIMS; k++)
			p->coord[(size_t)u * LAYOUT_DIMS + k] =
				*layout_grid_at_of(&g, u) == NO_ID ? LAYOUT_BESIDE
				: k < g.n_dims			   ? (uint16_t)layout_grid_at_of(&g, u)[k]
								   : 0;
	tell_grid(p);
	return true;
}
