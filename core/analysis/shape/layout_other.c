/*
 * Two coordinates for switches in no known shape: pivot multidimensional scaling (U. Brandes, C. Pich:
 * Eigensolver methods for progressive multidimensional scaling of large data, 2006).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/shape/internal.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/routing/distances.h"

#define PIVOTS 50
#define ROUNDS 100 /* of the power iteration */

struct spread {
	struct lpart *p;
	unsigned pivots;
	double *c; /* [n * PIVOTS] doubly centred squared distances to the pivots */
	double m[PIVOTS][PIVOTS];
	double vector[2][PIVOTS];
};

/* Each pivot is as far as possible from those before it. The first has the lowest name. */
static bool take_pivots(struct spread *s)
{
	struct lpart *p = s->p;
	uint32_t *hops = NEW_ARRAY(p->n, uint32_t), *queue = NEW_ARRAY(p->n, uint32_t);
	uint32_t *nearest = NEW_ARRAY(p->n, uint32_t), at = 0;
	bool go_on = true;

	memset(nearest, 0xff, p->n * sizeof(*nearest));
	s->pivots = MIN(p->n, PIVOTS);
	for (unsigned k = 0; k < s->pivots && (go_on = progress_step(p->progress, k)); k++) {
		uint32_t far = 0;

		memset(hops, 0xff, p->n * sizeof(*hops));
		hops[at] = 0;
		queue[0] = at;
		spread_arcs(p->first, p->to, hops, queue, 1);
		for (uint32_t u = 0; u < p->n; u++) {
			s->c[(size_t)u * PIVOTS + k] = (double)hops[u] * hops[u];
			nearest[u] = MIN(hops[u], nearest[u]);
			if (nearest[u] > nearest[far])
				far = u;
		}
		at = far;
	}
	free(hops);
	free(queue);
	free(nearest);
	return go_on;
}

static void centre(struct spread *s)
{
	double column[PIVOTS] = {0}, all = 0;
	uint32_t n = s->p->n;

	for (uint32_t u = 0; u < n; u++)
		for (unsigned k = 0; k < s->pivots; k++)
			column[k] += s->c[(size_t)u * PIVOTS + k] / n;
	for (unsigned k = 0; k < s->pivots; k++)
		all += column[k] / s->pivots;
	for (uint32_t u = 0; u < n; u++) {
		double *row = s->c + (size_t)u * PIVOTS, mean = 0;

		for (unsigned k = 0; k < s->pivots; k++)
			mean += row[k] / s->pivots;
		for (unsigned k = 0; k < s->pivots; k++)
			row[k] = -(row[k] - column[k] - mean + all) / 2;
	}
}

static double dot(const struct spread *s, const double *a, const double *b)
{
	double sum = 0;

	for (unsigned k = 0; k < s->pivots; k++)
		sum += a[k] * b[k];
	return sum;
}

/* The eigenvector of the largest eigenvalue, orthogonal to those before it. */
static void find_vector(struct spread *s, unsigned which)
{
	double *v = s->vector[which], next[PIVOTS];

	for (unsigned k = 0; k < s->pivots; k++)
		v[k] = 1.0 + (double)((k * 7 + which * 3) % 11);
	for (unsigned r = 0; r < ROUNDS; r++) {
		double length, along;

		for (unsigned i = 0; i < s->pivots; i++)
			next[i] = dot(s, s->m[i], v);
		along = which ? dot(s, next, s->vector[0]) : 0;
		for (unsigned i = 0; i < s->pivots; i++)
			next[i] -= which ? along * s->vector[0][i] : 0;
		length = sqrt(dot(s, next, next));
		for (unsigned i = 0; i < s->pivots; i++)
			v[i] = length > 0 ? next[i] / length : 0;
	}
}

void layout_spread(struct lpart *p)
{
	struct spread *s = NEW(struct spread);

	s->p = p;
	s->c = NEW_ARRAY((size_t)p->n * PIVOTS, double);
	if (take_pivots(s)) {
		centre(s);
		for (uint32_t u = 0; u < s->p->n; u++) {
			const double *row = s->c + (size_t)u * PIVOTS;

			for (unsigned i = 0; i < s->pivots; i++)
				for (unsigned j = 0; j < s->pivots; j++)
					s->m[i][j] += row[i] * row[j];
		}
		for (unsigned k = 0; k < 2; k++) {
			double lo = INFINITY, hi = -INFINITY;
			float *to = k ? p->y : p->x;
			bool turn;

			find_vector(s, k);
			/* along the vector, scaled to 0 .. 1; the lowest name is in the lower half */
			for (uint32_t u = 0; u < s->p->n; u++) {
				double at = dot(s, s->c + (size_t)u * PIVOTS, s->vector[k]);

				to[u] = (float)at;
				lo = MIN(to[u], lo);
				hi = MAX(to[u], hi);
			}
			turn = to[0] > (lo + hi) / 2;
			for (uint32_t u = 0; u < s->p->n; u++)
				to[u] = hi > lo ? (float)((turn ? hi - to[u] : to[u] - lo) / (hi - lo)) : 0;
		}
	}
	free(s->c);
	free(s);
}
