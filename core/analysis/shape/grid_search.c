/*
 * The search behind grid_find().  A switch can only be at a free place beside all
 * its neighbours that are placed.  While there is a switch with one such place it
 * goes there; when there is none, the switch with the fewest is tried at each.
 */
#include <stdlib.h>
#include <string.h>

#include "core/analysis/shape/grid_search.h"
#include "core/base/memory.h"
#include "core/base/rng.h"

struct undo {
	uint32_t node;
	int lo[GRID_DIMS], hi[GRID_DIMS];
	uint32_t unlinked;
};

struct search {
	const struct switch_graph *g;
	const struct grid_shape *s;
	/* Open dimensions have room on both sides until both ends are known. */
	unsigned size[GRID_DIMS];
	uint32_t *at;	       /* [product of size] node, NO_ID */
	int (*pos)[GRID_DIMS]; /* [n] */
	uint8_t *placed;       /* [n] */
	int lo[GRID_DIMS], hi[GRID_DIMS];
	uint32_t unlinked, most_unlinked; /* neighbours by place without a link */
	struct undo *trail;
	uint32_t n_placed;
	uint32_t *queue, n_queue;
	uint8_t *queued;
	uint64_t budget; /* placements still allowed */
	unsigned order[GRID_DIRECTIONS];
	struct progress *progress;
	struct grid_failure *why;
	uint32_t start;
};

static uint32_t index_of(const struct search *x, const int c[GRID_DIMS])
{
	return (uint32_t)c[0] + x->size[0] * ((uint32_t)c[1] + x->size[1] * (uint32_t)c[2]);
}

/* One step on; false: there is no such place. */
static bool beside(const struct search *x, const int from[GRID_DIMS], unsigned direction, int to[GRID_DIMS])
{
	unsigned d = direction / 2;
	int r = (int)x->s->radix[d], by = direction % 2 ? 1 : -1;

	if (r == 1)
		return false;
	memcpy(to, from, sizeof(int) * GRID_DIMS);
	to[d] += by;
	if (!x->s->open[d]) {
		to[d] = (to[d] + r) % r;
		return true;
	}
	return to[d] > x->hi[d] - r && to[d] < x->lo[d] + r;
}

static bool are_beside(const struct search *x, const int a[GRID_DIMS], const int b[GRID_DIMS])
{
	unsigned steps = 0;

	for (unsigned d = 0; d < GRID_DIMS; d++) {
		unsigned apart = (unsigned)abs(a[d] - b[d]);

		if (!x->s->open[d] && x->s->radix[d] - apart < apart)
			apart = x->s->radix[d] - apart;
		steps += apart;
	}
	return steps == 1;
}

static bool fits(const struct search *x, uint32_t w, const int c[GRID_DIMS])
{
	const struct switch_graph *g = x->g;

	for (uint32_t i = g->first[w]; i < g->first[w + 1]; i++)
		if (x->placed[g->to[i]] && !are_beside(x, c, x->pos[g->to[i]]))
			return false;
	return true;
}

/* Free places where a switch fits. */
static unsigned candidates(const struct search *x, uint32_t w, int c[GRID_DIRECTIONS][GRID_DIMS])
{
	const struct switch_graph *g = x->g;
	uint32_t i = g->first[w];
	unsigned n = 0;

	while (i < g->first[w + 1] && !x->placed[g->to[i]])
		i++;
	if (i == g->first[w + 1])
		return UINT32_MAX; /* nothing is known of it */
	for (unsigned k = 0; k < GRID_DIRECTIONS; k++)
		if (beside(x, x->pos[g->to[i]], x->order[k], c[n]) && x->at[index_of(x, c[n])] == NO_ID &&
		    fits(x, w, c[n]))
			n++;
	return n;
}

static void push(struct search *x, uint32_t w)
{
	if (x->placed[w] || x->queued[w])
		return;
	x->queued[w] = 1;
	x->queue[x->n_queue++] = w;
}

static void push_neighbours(struct search *x, uint32_t u)
{
	for (uint32_t i = x->g->first[u]; i < x->g->first[u + 1]; i++)
		push(x, x->g->to[i]);
}

/* What a placement may decide: neighbours, those that lost a place, and all when an open end became known. */
static void push_concerned(struct search *x, uint32_t w, bool ends)
{
	int c[GRID_DIMS];

	push_neighbours(x, w);
	for (unsigned k = 0; k < GRID_DIRECTIONS; k++)
		if (beside(x, x->pos[w], k, c) && x->at[index_of(x, c)] != NO_ID)
			push_neighbours(x, x->at[index_of(x, c)]);
	for (uint32_t u = 0; ends && u < x->g->n; u++)
		push(x, u);
}

static uint32_t count_unlinked(const struct search *x, uint32_t w)
{
	int c[GRID_DIMS];
	uint32_t n = 0;

	for (unsigned k = 0; k < GRID_DIRECTIONS; k++)
		if (beside(x, x->pos[w], k, c) && x->at[index_of(x, c)] != NO_ID)
			n += !switch_graph_linked(x->g, w, x->at[index_of(x, c)]);
	return n;
}

/* false: more neighbours without a link than may be. */
static bool put(struct search *x, uint32_t w, const int c[GRID_DIMS])
{
	struct undo *u = &x->trail[x->n_placed++];
	bool ends = false;

	u->node = w;
	memcpy(u->lo, x->lo, sizeof(x->lo));
	memcpy(u->hi, x->hi, sizeof(x->hi));
	u->unlinked = x->unlinked;
	memcpy(x->pos[w], c, sizeof(x->pos[w]));
	x->placed[w] = 1;
	x->at[index_of(x, c)] = w;
	for (unsigned d = 0; d < GRID_DIMS; d++) {
		int was = x->hi[d] - x->lo[d];

		x->lo[d] = c[d] < x->lo[d] ? c[d] : x->lo[d];
		x->hi[d] = c[d] > x->hi[d] ? c[d] : x->hi[d];
		ends |= x->s->open[d] && x->hi[d] - x->lo[d] != was;
	}
	x->unlinked += count_unlinked(x, w);
	x->budget -= x->budget > 0;
	push_concerned(x, w, ends);
	return x->unlinked <= x->most_unlinked;
}

static void take_back(struct search *x, uint32_t to)
{
	while (x->n_placed > to) {
		struct undo *u = &x->trail[--x->n_placed];

		x->placed[u->node] = 0;
		x->at[index_of(x, x->pos[u->node])] = NO_ID;
		memcpy(x->lo, u->lo, sizeof(x->lo));
		memcpy(x->hi, u->hi, sizeof(x->hi));
		x->unlinked = u->unlinked;
	}
}

static void clear_queue(struct search *x)
{
	while (x->n_queue)
		x->queued[x->queue[--x->n_queue]] = 0;
}

static void record_place(const struct search *x, uint32_t u, unsigned c[GRID_DIMS])
{
	for (unsigned d = 0; d < GRID_DIMS; d++)
		c[d] = (unsigned)(x->s->open[d] ? x->pos[u][d] - x->lo[d] : x->pos[u][d]);
}

/* Remember the furthest try. */
static void record(struct search *x, uint32_t w)
{
	struct grid_failure *f = x->why;
	const struct switch_graph *g = x->g;

	if (x->n_placed <= f->placed)
		return;
	*f = (struct grid_failure){.shape = *x->s, .placed = x->n_placed, .stuck = w, .a = NO_ID, .b = NO_ID};
	for (uint32_t i = g->first[w]; i < g->first[w + 1]; i++) {
		if (!x->placed[g->to[i]])
			continue;
		f->b = f->a;
		memcpy(f->at_b, f->at_a, sizeof(f->at_b));
		f->a = g->to[i];
		record_place(x, f->a, f->at_a);
	}
}

/* Put every switch that has but one place.  false: one has none. */
static bool settle(struct search *x)
{
	int c[GRID_DIRECTIONS][GRID_DIMS];

	while (x->n_queue) {
		uint32_t w = x->queue[--x->n_queue];
		unsigned n;

		x->queued[w] = 0;
		if (x->placed[w])
			continue;
		n = candidates(x, w, c);
		if (n > 1)
			continue;
		if (!n || !x->budget || !put(x, w, c[0])) {
			record(x, w);
			clear_queue(x);
			return false;
		}
	}
	return true;
}

/* The switch with the fewest places, NO_ID when all are placed. */
static uint32_t most_decided(const struct search *x)
{
	int c[GRID_DIRECTIONS][GRID_DIMS];
	uint32_t best = NO_ID;
	unsigned least = UINT32_MAX;

	for (uint32_t w = 0; w < x->g->n; w++) {
		unsigned n = x->placed[w] ? UINT32_MAX : candidates(x, w, c);

		if (n >= least)
			continue;
		least = n;
		best = w;
	}
	return best;
}

/* A try in progress: a switch, its places, which is tried, and how many were placed before. */
struct choice {
	uint32_t node, before;
	unsigned n, next;
	int c[GRID_DIRECTIONS][GRID_DIMS];
};

/* Try the next place of the last choice, going back as far as needed.  false: none is left. */
static bool advance(struct search *x, struct choice *stack, uint32_t *depth)
{
	while (*depth) {
		struct choice *k = &stack[*depth - 1];

		take_back(x, k->before);
		if (k->next == k->n || !x->budget) {
			(*depth)--;
			continue;
		}
		if (put(x, k->node, k->c[k->next++]) && settle(x))
			return true;
		clear_queue(x);
	}
	return false;
}

static bool run(struct search *x)
{
	struct choice *stack = NEW_ARRAY(x->g->n + 1u, struct choice);
	uint32_t depth = 0, steps = 0;
	bool going = true;

	while (going && x->n_placed < x->g->n) {
		struct choice *k = &stack[depth++];

		going = progress_step(x->progress, steps++);
		k->node = most_decided(x);
		k->before = x->n_placed;
		k->next = 0;
		k->n = k->node == NO_ID ? 0 : candidates(x, k->node, k->c);
		going = going && advance(x, stack, &depth);
	}
	free(stack);
	return going;
}

static void draw_order(struct search *x, unsigned variant)
{
	uint64_t seed = variant;

	for (unsigned k = 0; k < GRID_DIRECTIONS; k++)
		x->order[k] = k ^ 1; /* up before down */
	for (unsigned k = GRID_DIRECTIONS; variant && k > 1; k--) {
		unsigned j = rng_below(&seed, k), was = x->order[k - 1];

		x->order[k - 1] = x->order[j];
		x->order[j] = was;
	}
}

/* The first of the switches with most neighbours; other variants begin elsewhere. */
static uint32_t start_at(const struct switch_graph *g, unsigned variant)
{
	uint32_t n = 0, best = 0;

	for (uint32_t u = 0; u < g->n; u++) {
		if (g->first[u + 1] - g->first[u] != g->max_degree)
			continue;
		best = u;
		if (n++ == variant)
			break;
	}
	return best;
}

static void search_begin(struct search *x)
{
	uint32_t n = x->g->n;
	int c[GRID_DIMS];
	size_t places = 1;

	for (unsigned d = 0; d < GRID_DIMS; d++) {
		x->size[d] = x->s->open[d] ? 2 * x->s->radix[d] - 1 : x->s->radix[d];
		x->lo[d] = x->hi[d] = c[d] = x->s->open[d] ? (int)x->s->radix[d] - 1 : 0;
		places *= x->size[d];
	}
	x->at = NEW_ARRAY(places, uint32_t);
	memset(x->at, 0xFF, places * sizeof(*x->at));
	x->pos = mem_array(n, sizeof(*x->pos));
	x->placed = NEW_ARRAY(n, uint8_t);
	x->queued = NEW_ARRAY(n, uint8_t);
	x->queue = NEW_ARRAY(n, uint32_t);
	x->trail = NEW_ARRAY(n, struct undo);
	x->budget = 60 * (uint64_t)n + 20000;
	put(x, x->start, c);
	clear_queue(x);
}

bool grid_search(const struct switch_graph *g, const struct grid_shape *s, unsigned variant, unsigned *coord,
		 struct progress *p, struct grid_failure *why)
{
	struct search x = {.g = g, .s = s, .most_unlinked = grid_most_unlinked(g), .progress = p, .why = why};
	bool found;

	x.most_unlinked = s->lost < x.most_unlinked ? s->lost : x.most_unlinked;

	x.start = start_at(g, variant);
	draw_order(&x, variant);
	search_begin(&x);
	found = run(&x);
	for (uint32_t u = 0; found && u < g->n; u++)
		record_place(&x, u, &coord[(size_t)u * GRID_DIMS]);
	free(x.at);
	free(x.pos);
	free(x.placed);
	free(x.queued);
	free(x.queue);
	free(x.trail);
	return found;
}
