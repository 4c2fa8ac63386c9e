/*
 * Dimensions of a torus, mesh, hypercube or HyperX.  These are products of rings, paths and complete rows:
 * opposite links of a square are of one dimension, and adjacent links that are in no square go on in the
 * same one.
 */
#include "core/analysis/shape/layout.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/order.h"

#define MAX_DEGREE 64
#define LOOK_AT 64	/* switches examined first */
#define LOOK_PAIRS 24	/* pairs of neighbours of each */
#define LEAST_SQUARE 40 /* percent of pairs that share two switches */
#define MOST_SHARED 25	/* percent that share more */
#define MOST_CLASSES 4	/* pairs of classes that meet, for each link and neighbour */

enum corner { CORNER_TRIANGLE, CORNER_STRAIGHT, CORNER_SQUARE };

/* How do u and its neighbours v, w lie? *x: the fourth corner of a square. */
static enum corner corner_of(const struct lpart *p, uint32_t u, uint32_t v, uint32_t w, uint32_t *x)
{
	uint32_t i = p->first[v], j = p->first[w], n = 0;

	if (lpart_linked(p, v, w))
		return CORNER_TRIANGLE;
	while (i < p->first[v + 1] && j < p->first[w + 1] && n < 2) {
		uint32_t a = p->to[i], b = p->to[j];

		if (a == b && a != u) {
			*x = a;
			n++;
		}
		i += a <= b;
		j += b <= a;
	}
	return n == 1 && !lpart_linked(p, u, *x) ? CORNER_SQUARE : CORNER_STRAIGHT;
}

/* Most fabrics that are not grids end here. */
static bool may_be_grid(const struct lpart *p)
{
	uint64_t pairs = 0, two = 0, more = 0;
	uint32_t looks = MIN(p->n, LOOK_AT);

	if (p->max_degree > MAX_DEGREE)
		return false;
	for (uint32_t k = 0; k < looks; k++) {
		uint32_t u = (uint32_t)((uint64_t)k * p->n / looks), seen = 0;

		for (uint32_t i = p->first[u]; i < p->first[u + 1]; i++)
			for (uint32_t j = i + 1; j < p->first[u + 1] && seen < LOOK_PAIRS; j++) {
				if (lpart_linked(p, p->to[i], p->to[j]))
					continue;
				uint32_t shared = lpart_shared(p, p->to[i], p->to[j]);
				seen++;
				pairs++;
				two += shared == 2;
				more += shared > 2;
			}
	}
	return pairs && two * 100 >= pairs * LEAST_SQUARE && more * 100 <= pairs * MOST_SHARED;
}

/* --- union-find: each member has the direction of its root, or is turned --- */

struct turned {
	uint32_t *parent;
	uint8_t *odd;
};

static struct turned turned_new(void *arena, uint32_t n)
{
	struct turned t = {ARENA_ARRAY(arena, n + 1, uint32_t), ARENA_ARRAY(arena, n + 1, uint8_t)};

	for (uint32_t k = 0; k < n; k++)
		t.parent[k] = k;
	return t;
}

static uint32_t turned_find(struct turned *t, uint32_t k, unsigned *odd)
{
	uint32_t root = k;
	unsigned sum = 0;

	for (; t->parent[root] != root; root = t->parent[root])
		sum ^= t->odd[root];
	*odd = sum;
	while (t->parent[k] != root && k != root) {
		uint32_t next = t->parent[k];
		unsigned was = t->odd[k];

		t->parent[k] = root;
		t->odd[k] = (uint8_t)sum;
		sum ^= was;
		k = next;
	}
	return root;
}

/* Join the sets of a and b; b is turned against a if odd. The common root is the lower of the two. */
static uint32_t turned_join(struct turned *t, uint32_t a, uint32_t b, unsigned odd)
{
	unsigned oa, ob;
	uint32_t ra = turned_find(t, a, &oa), rb = turned_find(t, b, &ob);
	uint32_t low = MIN(ra, rb), high = MAX(ra, rb);

	if (ra == rb)
		return ra;
	t->parent[high] = low;
	t->odd[high] = (uint8_t)(oa ^ ob ^ odd);
	return low;
}

/* --- classes of links --- */

/* Turned: the arc leads from the higher end of its link. */
static unsigned arc_odd(const struct lpart *p, uint32_t u, uint32_t arc)
{
	return p->end[2 * p->link[arc]] != u;
}

static void join_opposite(const struct lpart *p, struct turned *t, uint32_t a, uint32_t to_a, uint32_t b,
			  uint32_t to_b)
{
	uint32_t i = lpart_arc(p, a, to_a), j = lpart_arc(p, b, to_b);

	turned_join(t, p->link[i], p->link[j], arc_odd(p, a, i) ^ arc_odd(p, b, j));
}

static bool join_squares(const struct lpart *p, struct turned *t)
{
	for (uint32_t u = 0; u < p->n; u++) {
		if (!progress_step(p->progress, u))
			return false;
		for (uint32_t i = p->first[u]; i < p->first[u + 1]; i++)
			for (uint32_t j = i + 1; j < p->first[u + 1]; j++) {
				uint32_t v = p->to[i], w = p->to[j], x;

				if (corner_of(p, u, v, w, &x) != CORNER_SQUARE)
					continue;
				join_opposite(p, t, u, v, w, x);
				join_opposite(p, t, u, w, v, x);
			}
	}
	return true;
}

/* How two classes meet. on: straights that go on, less straights that turn back. */
struct meeting {
	uint32_t a, b; /* a <= b */
	uint32_t count[3];
	int32_t on;
};

struct meetings {
	struct meeting *m; /* open addressing; count all 0: free */
	uint32_t n, cap, most;
};

static struct meeting *meeting_at(struct meetings *t, uint32_t a, uint32_t b)
{
	uint64_t h = mix(1, (uint64_t)a << 32 | b);

	for (uint32_t i = (uint32_t)(h >> 32) & (t->cap - 1);; i = (i + 1) & (t->cap - 1)) {
		struct meeting *m = &t->m[i];

		if (!m->count[0] && !m->count[1] && !m->count[2]) {
			*m = (struct meeting){.a = a, .b = b};
			t->n++;
			return m;
		}
		if (m->a == a && m->b == b)
			return m;
	}
}

static void meetings_grow(struct meetings *t)
{
	struct meetings more = {.cap = t->cap ? 2 * t->cap : 1024, .most = t->most};

	if (t->cap && t->n < t->cap / 2)
		return;
	more.m = NEW_ARRAY(more.cap, struct meeting);
	for (uint32_t i = 0; i < t->cap; i++)
		if (t->m[i].count[0] || t->m[i].count[1] || t->m[i].count[2])
			*meeting_at(&more, t->m[i].a, t->m[i].b) = t->m[i];
	free(t->m);
	*t = more;
}

struct classes {
	uint32_t n;
	uint32_t *of;	/* [n_links] NO_ID: the only link of its class */
	uint8_t *odd;	/* [n_links] turned against the class */
	uint32_t *size; /* [n] */
};

static struct classes number_classes(void *arena, const struct lpart *p, struct turned *t)
{
	struct classes c = {.of = ARENA_ARRAY(arena, p->n_links + 1, uint32_t),
			    .odd = ARENA_ARRAY(arena, p->n_links + 1, uint8_t),
			    .size = ARENA_ARRAY(arena, p->n_links + 1, uint32_t)};
	AUTO_FREE uint32_t *size = NEW_ARRAY(p->n_links + 1, uint32_t);
	unsigned odd;

	for (uint32_t l = 0; l < p->n_links; l++)
		size[turned_find(t, l, &odd)]++;
	for (uint32_t l = 0; l < p->n_links; l++) {
		uint32_t root = turned_find(t, l, &odd);

		c.odd[l] = (uint8_t)odd;
		/* the root is the lowest of its set: numbered before the others */
		c.of[l] = NO_ID;
		if (size[root] < 2)
			continue;
		c.of[l] = root == l ? c.n++ : c.of[root];
		c.size[c.of[l]]++;
	}
	return c;
}

/* false: too many meetings for a grid, or cancelled. */
static bool count_meetings(const struct lpart *p, const struct classes *c, struct meetings *t)
{
	bool go_on = true;

	t->most = MOST_CLASSES * (p->n_links + 64) * (p->max_degree + 1);
	for (uint32_t u = 0; u < p->n && go_on; u++) {
		for (uint32_t i = p->first[u]; i < p->first[u + 1]; i++)
			for (uint32_t j = i + 1; j < p->first[u + 1]; j++) {
				uint32_t l = p->link[i], k = p->link[j], x;
				uint32_t a = c->of[l], b = c->of[k];

				if (a == NO_ID || b == NO_ID)
					continue;
				enum corner is = corner_of(p, u, p->to[i], p->to[j], &x);
				meetings_grow(t);
				struct meeting *m = a < b ? meeting_at(t, a, b) : meeting_at(t, b, a);
				m->count[is]++;
				/* it goes on if one link leads to u and the other leads away */
				if (is == CORNER_STRAIGHT)
					m->on += (arc_odd(p, u, i) ^ c->odd[l]) !=
								 (arc_odd(p, u, j) ^ c->odd[k])
							 ? 1
							 : -1;
			}
		go_on = progress_step(p->progress, u) && t->n <= t->most;
	}
	return go_on;
}

/* --- classes to dimensions --- */

struct joining {
	const struct classes *c;
	struct turned dims; /* over classes */
	uint32_t *next;	    /* [n] ring of the classes of a dimension */
	uint32_t *n_met;    /* [n] squares of all its classes, at the root */
	uint32_t *first;    /* [n + 1] squares of a class with others */
	uint32_t *with, *squares;
	uint8_t *clique; /* [n] at the root */
};

/* Votes for one dimension. If a square lacks a link, one end goes on and the other turns back: no effect. */
static uint32_t votes(const struct meeting *m)
{
	uint32_t straights = (uint32_t)abs(m->on);

	if (m->count[CORNER_TRIANGLE] >= straights)
		return m->count[CORNER_TRIANGLE];
	return straights >= 2 ? straights : m->count[CORNER_TRIANGLE];
}

COMPARATOR(most_votes, struct meeting, ORDER(votes(b_), votes(a_)); UP(a) UP(b))

static void index_squares(void *arena, struct joining *j, const struct meetings *t)
{
	uint32_t n = j->c->n;
	AUTO_FREE uint32_t *at = NEW_ARRAY(n + 1, uint32_t);

	for (uint32_t i = 0; i < t->n; i++)
		if (t->m[i].count[CORNER_SQUARE]) {
			j->first[t->m[i].a + 1]++;
			j->first[t->m[i].b + 1]++;
		}
	for (uint32_t k = 0; k < n; k++)
		j->first[k + 1] += j->first[k];
	memcpy(at, j->first, n * sizeof(*at));
	j->with = ARENA_ARRAY(arena, j->first[n] + 1, uint32_t);
	j->squares = ARENA_ARRAY(arena, j->first[n] + 1, uint32_t);
	for (uint32_t i = 0; i < t->n; i++) {
		const struct meeting *m = &t->m[i];

		if (!m->count[CORNER_SQUARE])
			continue;
		j->with[at[m->a]] = m->b;
		j->squares[at[m->a]++] = m->count[CORNER_SQUARE];
		j->with[at[m->b]] = m->a;
		j->squares[at[m->b]++] = m->count[CORNER_SQUARE];
	}
	for (uint32_t k = 0; k < n; k++)
		j->n_met[k] = j->first[k + 1] - j->first[k];
}

/* Squares between two dimensions, given by their roots. */
static uint64_t squares_between(struct joining *j, uint32_t a, uint32_t b)
{
	bool first = j->n_met[a] <= j->n_met[b];
	uint32_t few = first ? a : b;
	uint32_t other = first ? b : a, k = few;
	uint64_t sum = 0;
	unsigned odd;

	do {
		for (uint32_t i = j->first[k]; i < j->first[k + 1]; i++)
			if (turned_find(&j->dims, j->with[i], &odd) == other)
				sum += j->squares[i];
		k = j->next[k];
	} while (k != few);
	return sum;
}

static void try_join(struct joining *j, const struct meeting *m)
{
	unsigned odd;
	uint32_t a = turned_find(&j->dims, m->a, &odd), b = turned_find(&j->dims, m->b, &odd), root, swap;
	bool clique = m->count[CORNER_TRIANGLE] >= (uint32_t)abs(m->on);

	if (a == b) {
		j->clique[a] |= clique;
		return;
	}
	if (votes(m) <= 2 * squares_between(j, a, b))
		return;
	root = turned_join(&j->dims, m->a, m->b, m->on < 0);
	swap = j->next[a];
	j->next[a] = j->next[b];
	j->next[b] = swap;
	j->n_met[root] = j->n_met[a] + j->n_met[b];
	j->clique[root] = j->clique[a] | j->clique[b] | clique;
}

/* Numbers the dimensions that have enough links. */
static bool take_dimensions(const struct lpart *p, struct joining *j, struct ldirections *d)
{
	const struct classes *c = j->c;
	AUTO_FREE uint32_t *links = NEW_ARRAY(c->n + 1, uint32_t), *number = NEW_ARRAY(c->n + 1, uint32_t);
	unsigned odd;

	for (uint32_t k = 0; k < c->n; k++)
		links[turned_find(&j->dims, k, &odd)] += c->size[k];
	for (uint32_t k = 0; k < c->n; k++) {
		number[k] = NO_ID;
		if (!links[k] || links[k] < p->n / 3.0)
			continue;
		if (d->n_dims < GRID_MOST)
			d->clique[d->n_dims] = j->clique[k];
		number[k] = d->n_dims++;
	}
	for (uint32_t l = 0; l < p->n_links; l++) {
		d->dim[l] = NO_ID;
		if (c->of[l] == NO_ID)
			continue;
		d->dim[l] = number[turned_find(&j->dims, c->of[l], &odd)];
		d->back[l] = (uint8_t)(odd ^ c->odd[l]);
	}
	return d->n_dims && d->n_dims <= GRID_MOST;
}

static bool join_classes(const struct lpart *p, const struct classes *c, struct meetings *t,
			 struct ldirections *d)
{
	AUTO_ARENA void *arena = ARENA_EMPTY;
	struct joining j = {.c = c,
			    .dims = turned_new(arena, c->n),
			    .next = ARENA_ARRAY(arena, c->n + 1, uint32_t),
			    .n_met = ARENA_ARRAY(arena, c->n + 1, uint32_t),
			    .first = ARENA_ARRAY(arena, c->n + 1, uint32_t),
			    .clique = ARENA_ARRAY(arena, c->n + 1, uint8_t)};
	uint32_t n = 0;
	bool go_on = true;

	for (uint32_t k = 0; k < c->n; k++)
		j.next[k] = k;
	for (uint32_t i = 0; i < t->cap; i++)
		if (t->m[i].count[0] || t->m[i].count[1] || t->m[i].count[2])
			t->m[n++] = t->m[i];
	index_squares(arena, &j, t);
	if (n)
		qsort(t->m, n, sizeof(*t->m), most_votes);
	for (uint32_t i = 0; i < n && votes(&t->m[i]) && go_on; i++) {
		try_join(&j, &t->m[i]);
		go_on = progress_step(p->progress, i);
	}
	return go_on && take_dimensions(p, &j, d);
}

bool ldirections_find(void *arena, const struct lpart *p, struct ldirections *d)
{
	struct meetings t = {0};

	*d = (struct ldirections){0};
	if (!may_be_grid(p))
		return false;
	d->dim = ARENA_ARRAY(arena, p->n_links + 1, uint32_t);
	d->back = ARENA_ARRAY(arena, p->n_links + 1, uint8_t);
	struct turned links = turned_new(arena, p->n_links);
	bool found = join_squares(p, &links);
	struct classes c = number_classes(arena, p, &links);
	found = found && count_meetings(p, &c, &t) && join_classes(p, &c, &t, d);
	free(t.m);
	return found;
}
