/* Known shapes of a neighbourhood; local matrices, types and classes (engines/doc/lash.md 6.1 to 6.3). */
#include <string.h>

#include "core/base/memory.h"
#include "core/base/release.h"
#include "core/base/progress.h"
#include "engines/lash/internal.h"

typedef uint32_t polynomial[MESH_LINKS + 1];

/* sum += sign * p * (c - x) if x is set, else sum += sign * p * c. All modulo 2^32. */
static void add_product(uint32_t *sum, const uint32_t *p, uint32_t c, bool x, bool minus)
{
	uint32_t s = minus ? UINT32_MAX : 1;

	for (unsigned i = 0; i <= MESH_LINKS; i++) {
		sum[i] += s * p[i] * c;
		if (x && i < MESH_LINKS)
			sum[i + 1] -= s * p[i];
	}
}

/* Laplace expansion: det[set] is the determinant of the first rows and the columns in the set. */
void mesh_polynomial(const int32_t *m, unsigned k, int32_t *poly)
{
	polynomial det[1 << MESH_LINKS];

	memset(det, 0, sizeof(*det) << k);
	det[0][0] = 1;
	for (unsigned set = 1; set < 1u << k; set++) {
		unsigned row = __builtin_popcount(set) - 1;

		for (unsigned col = 0; col < k; col++) {
			unsigned above = __builtin_popcount(set >> col >> 1);

			if (set >> col & 1)
				add_product(det[set], det[set & ~(1u << col)], m[row * MESH_LINKS + col],
					    row == col, above & 1);
		}
	}
	/* the polynomial of a switch without neighbours is 0 */
	for (unsigned i = 0; i <= k; i++)
		poly[i] = k ? (int32_t)det[(1u << k) - 1][i] : 0;
}

static void lash_mesh_types_fill_matrix(const struct mesh_shape *s, int32_t *m)
{
	/* the distance between the two neighbours on an axis */
	static const uint8_t across[7][2] = {[3] = {1, 1}, [5] = {3, 3}, [6] = {4, 6}};
	unsigned i = 0;

	for (unsigned a = 0; a < MESH_LINKS * MESH_LINKS; a++)
		m[a] = 2;
	for (unsigned d = 0; d < s->dimensions; d++) {
		m[i * MESH_LINKS + i] = 0;
		if (s->size[d] > 2) {
			m[i * MESH_LINKS + i + 1] = m[(i + 1) * MESH_LINKS + i] =
				across[s->size[d]][s->dimensions == 1];
			i++;
			m[i * MESH_LINKS + i] = 0;
		}
		i++;
	}
}

/* The next descending tuple of sizes, ordered by the reversed tuple. False when there is none. */
static bool next_sizes(struct mesh_shape *s)
{
	static const uint8_t after[] = {[2] = 3, [3] = 5, [5] = 6};
	unsigned d = 0;

	while (d < s->dimensions && s->size[d] == 6)
		d++;
	if (d == s->dimensions)
		return false;
	s->size[d] = after[s->size[d]];
	memset(s->size, s->size[d], d);
	return true;
}

void mesh_shapes(struct mesh_shape *shape)
{
	static const struct mesh_shape last = {
		.dimensions = 2, .degree = 4, .size = {6, 6}, .poly = {-192, -256, -80, 0, 1}};
	int32_t m[MESH_LINKS * MESH_LINKS];
	unsigned n = 0;

	for (unsigned d = 1; d <= MESH_DIMENSIONS; d++) {
		struct mesh_shape s = {.dimensions = d};

		memset(s.size, 2, d);
		do {
			s.degree = 0;
			for (unsigned i = 0; i < d; i++)
				s.degree += s.size[i] == 2 ? 1 : 2;
			if (s.degree > MESH_LINKS || (d == 4 && s.size[3] >= 5))
				continue;
			lash_mesh_types_fill_matrix(&s, m);
			mesh_polynomial(m, s.degree, s.poly);
			shape[n++] = s;
		} while (next_sizes(&s));
	}
	shape[n] = last;
}

/* --- the switches ---------------------------------------------------------------------------- */

/* A breadth-first search from one neighbour, until all other neighbours are found. */
struct probe {
	uint32_t *seen;		/* [n] generation in which it was last seen */
	uint32_t *dist, *queue; /* [n] */
	uint32_t generation;
	uint8_t *wanted; /* [n] 1 = neighbour of the current switch */
};

static void probe_from(const struct lash_graph *g, struct probe *p, uint32_t without, uint32_t start)
{
	uint32_t head = 0, tail = 0, left = lash_degree(g, without);

	p->generation++;
	p->seen[without] = p->seen[start] = p->generation;
	p->dist[start] = 0;
	p->queue[tail++] = start;
	left--;
	while (head < tail && left) {
		uint32_t u = p->queue[head++];

		for (uint32_t c = g->base[u]; c < g->base[u + 1]; c++) {
			uint32_t v = g->to[c];

			if (p->seen[v] == p->generation)
				continue;
			p->seen[v] = p->generation;
			p->dist[v] = p->dist[u] + 1;
			p->queue[tail++] = v;
			left -= p->wanted[v];
		}
	}
}

static void measure_switch(struct mesh_work *w, struct probe *p, uint32_t u)
{
	const struct lash_graph *g = w->g;
	const uint32_t *to = g->to + g->base[u];
	int32_t *m = w->matrix + (size_t)u * MESH_LINKS * MESH_LINKS;
	unsigned k = lash_degree(g, u);

	for (unsigned i = 0; i < k; i++)
		p->wanted[to[i]] = 1;
	for (unsigned i = 0; i < k; i++) {
		probe_from(g, p, u, to[i]);
		for (unsigned j = 0; j < k; j++)
			m[i * MESH_LINKS + j] =
				p->seen[to[j]] == p->generation ? (int32_t)p->dist[to[j]] : MESH_FAR;
	}
	for (unsigned i = 0; i < k; i++)
		p->wanted[to[i]] = 0;
	mesh_polynomial(m, k, w->poly + (size_t)u * (MESH_LINKS + 1));
}

bool mesh_measure(struct mesh_work *w)
{
	uint32_t n = w->g->n;
	struct probe p = {
		.seen = NEW_ARRAY(n, uint32_t),
		.dist = NEW_ARRAY(n, uint32_t),
		.queue = NEW_ARRAY(n, uint32_t),
		.wanted = NEW_ARRAY(n, uint8_t),
	};
	bool go_on = true;

	progress_start(w->in->progress, "mesh analysis", n);
	for (uint32_t u = 0; u < n && go_on; u++) {
		if (has_matrix(w, u))
			measure_switch(w, &p, u);
		go_on = progress_step(w->in->progress, u);
	}
	FREE_EACH(p.seen, p.dist, p.queue, p.wanted);
	return go_on;
}

/* Are the polynomials equal, without the leading coefficient? */
static bool same_poly(const int32_t *a, const int32_t *b, unsigned k)
{
	return !memcmp(a, b, k * sizeof(*a));
}

static const int32_t *poly_of(const struct mesh_work *w, uint32_t u)
{
	return w->poly + (size_t)u * (MESH_LINKS + 1);
}

static void join_class(struct mesh_work *w, uint32_t u)
{
	struct lash_mesh *m = w->m;
	unsigned k = lash_degree(w->g, u);

	for (uint32_t i = 0; i < m->n_classes; i++) {
		uint32_t x = m->class[i].exemplar;

		if (lash_degree(w->g, x) == k && same_poly(poly_of(w, x), poly_of(w, u), k)) {
			m->class[i].population++;
			if (RECORDED(w->in))
				mesh_record_class(w, u, x);
			return;
		}
	}
	if (RECORDED(w->in))
		mesh_record_class(w, u, u);
	m->class[m->n_classes++] = (struct mesh_class){.exemplar = u, .population = 1, .type = m->type[u]};
}

uint32_t mesh_classify(struct mesh_work *w)
{
	struct lash_mesh *m = w->m;
	uint32_t n = w->g->n, best = NO_CLASS;

	m->type = NEW_ARRAY(n, int8_t);
	m->class = NEW_ARRAY(n, struct mesh_class);
	for (uint32_t u = 0; u < n; u++) {
		unsigned k = lash_degree(w->g, u);

		for (unsigned t = 0; has_matrix(w, u) && !m->type[u] && t < MESH_TYPES; t++)
			if (w->shape[t].degree == k && same_poly(w->shape[t].poly, poly_of(w, u), k))
				m->type[u] = (int8_t)(t + 1);
		for (uint32_t c = w->g->base[u]; c < w->g->base[u + 1]; c++)
			if (m->type[u] && lash_degree(w->g, w->g->to[c]) > k)
				m->type[u] = -1; /* a neighbour has more links: the switch lies at an edge */
		if (RECORDED(w->in))
			mesh_record_measure(w, u);
	}
	for (uint32_t u = 0; u < n; u++)
		if (m->type[u] >= 0 && has_matrix(w, u))
			join_class(w, u);
	for (uint32_t i = 0; i < m->n_classes; i++)
		if (best == NO_CLASS || m->class[i].population > m->class[best].population)
			best = i;
	return best;
}
