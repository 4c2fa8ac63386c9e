/* LASH's analysis of meshes: types of switches, axes of links, coordinates. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "engines/lash/lash.h"

/* Known shapes of a neighbourhood; local matrices, types and classes (engines/doc/lash.md 6.1 to 6.3). */

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
	assert(k <= MESH_LINKS);
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
	assert(n == MESH_TYPES - 1);
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

	assert(has_matrix(w, u));
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

/*
 * mesh_measure() makes matrices and polynomials (false: cancelled). mesh_classify() sets the types and
 * returns the largest class, or NO_CLASS.
 */
static bool mesh_measure(struct mesh_work *w)
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

static uint32_t mesh_classify(struct mesh_work *w)
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

/* How links get their dimension (engines/doc/lash.md 6.4, 6.5). */

/* Was an axis assigned in this repetition? An assigned 0 is not `real`, but OpenSM repeats for it, too. */
struct lash_mesh_axes_changes {
	bool any, real;
};

static uint8_t *axes(const struct mesh_work *w, uint32_t u)
{
	return w->m->axis + w->g->base[u];
}

/*
 * The first link j other than i whose neighbour is not 2 away from that of i (with `open`: and that has no
 * axis), or k.
 */
static unsigned lash_mesh_axes_facing(const struct mesh_work *w, uint32_t u, unsigned i, bool open)
{
	unsigned k = lash_degree(w->g, u), j = 0;

	while (j < k && (j == i || apart(w, u, i, j) == 2 || (open && axes(w, u)[j])))
		j++;
	return j;
}

static unsigned with_axis(const struct mesh_work *w, uint32_t u, unsigned code)
{
	unsigned k = lash_degree(w->g, u), i = 0;

	while (i < k && axes(w, u)[i] != code)
		i++;
	return i;
}

static void lash_mesh_axes_assign(struct mesh_work *w, uint32_t channel, unsigned code,
				  enum mesh_axis_rule rule)
{
	if (RECORDED(w->in) && code)
		mesh_record_axis(w, channel, code, rule);
	w->m->axis[channel] = code;
}

static void mesh_seed_axes(struct mesh_work *w)
{
	uint32_t seed = w->m->seed, base = w->g->base[seed];
	unsigned k = lash_degree(w->g, seed);

	for (unsigned a = 0; a < w->m->dimensions; a++) {
		unsigned i = with_axis(w, seed, 0);

		if (i == k)
			continue;
		lash_mesh_axes_assign(w, base + i, 2 * a + 1, MESH_SEED);
		unsigned j = lash_mesh_axes_facing(w, seed, i, true);
		if (j < k)
			lash_mesh_axes_assign(w, base + j, 2 * a + 2, MESH_FACING);
	}
}

/* The code of the link on the opposite side of the switch; 0 when it is not known. */
static unsigned mesh_opposite(const struct mesh_work *w, uint32_t u, unsigned code)
{
	unsigned k = lash_degree(w->g, u);

	if (!has_matrix(w, u) || !code)
		return 0;
	unsigned i = with_axis(w, u, code);
	if (i == k)
		return 0;
	return lash_mesh_axes_facing(w, u, i, false) < k ? ((code - 1) ^ 1) + 1 : code;
}

static void induce(struct mesh_work *w, uint32_t channel, unsigned code, enum mesh_axis_rule rule,
		   struct lash_mesh_axes_changes *c)
{
	lash_mesh_axes_assign(w, channel, code, rule);
	c->any = true;
	c->real |= code != 0;
}

/* The only link whose neighbour is not two hops from that of link i; k when there is none, or several. */
static unsigned only_facing(const struct mesh_work *w, uint32_t u, unsigned i)
{
	unsigned k = lash_degree(w->g, u), found = k;

	for (unsigned j = 0; j < k; j++) {
		if (j == i || apart(w, u, i, j) == 2)
			continue;
		if (found != k)
			return k;
		found = j;
	}
	return found;
}

static void pass_straight(struct mesh_work *w, uint32_t u, struct lash_mesh_axes_changes *c)
{
	unsigned k = lash_degree(w->g, u);
	const uint8_t *axis = axes(w, u);

	if (k < lash_degree(w->g, w->m->seed) && k <= 2)
		return;
	for (unsigned i = 0; i < k; i++) {
		unsigned j = axis[i] ? only_facing(w, u, i) : k;

		if (j < k && apart(w, u, i, j) <= 4 && !axis[j])
			induce(w, w->g->base[u] + j, mesh_opposite(w, w->m->seed, axis[i]), MESH_STRAIGHT, c);
	}
}

static void pass_across(struct mesh_work *w, uint32_t u, struct lash_mesh_axes_changes *c)
{
	const struct lash_graph *g = w->g;
	const uint8_t *axis = w->m->axis;

	for (uint32_t l = g->base[u]; l < g->base[u + 1]; l++)
		if (axis[l] && has_matrix(w, g->to[l]) && !axis[g->rev[l]])
			induce(w, g->rev[l], mesh_opposite(w, w->m->seed, axis[l]), MESH_ACROSS, c);
}

/* Finds the first switch other than u next to both a and b, and the channels *p and *q to it from a and b. */
static bool lash_mesh_axes_meet(const struct lash_graph *g, uint32_t u, uint32_t a, uint32_t b, uint32_t *p,
				uint32_t *q)
{
	for (*p = g->base[a]; *p < g->base[a + 1]; ++*p) {
		if (g->to[*p] == u)
			continue;
		for (*q = g->base[b]; *q < g->base[b + 1]; ++*q)
			if (g->to[*q] == g->to[*p])
				return true;
	}
	return false;
}

static void pass_squares(struct mesh_work *w, uint32_t u, struct lash_mesh_axes_changes *c)
{
	const struct lash_graph *g = w->g;
	unsigned k = lash_degree(g, u);
	const uint8_t *axis = w->m->axis, *own = axes(w, u);

	for (unsigned i = 0; i < k; i++) {
		for (unsigned j = 0; j < k; j++) {
			uint32_t p, q;

			if (i == j || !own[i] || !own[j] || apart(w, u, i, j) != 2)
				continue;
			if (!lash_mesh_axes_meet(g, u, g->to[g->base[u] + i], g->to[g->base[u] + j], &p, &q))
				continue;
			if (!axis[p])
				induce(w, p, own[j], MESH_SQUARE, c);
			if (!axis[q])
				induce(w, q, own[i], MESH_SQUARE, c);
		}
	}
}

/* False when OpenSM 3.3.23 would repeat the passes for ever. */
static bool mesh_induce_axes(struct mesh_work *w)
{
	static void (*const pass[])(struct mesh_work *, uint32_t, struct lash_mesh_axes_changes *) = {
		pass_straight, pass_across, pass_squares};
	struct lash_mesh_axes_changes c;

	do {
		c = (struct lash_mesh_axes_changes){false, false};
		for (unsigned i = 0; i < ARRAY_LEN(pass); i++)
			for (uint32_t u = 0; u < w->g->n; u++)
				if (has_matrix(w, u))
					pass[i](w, u, &c);
		if (c.any && !c.real)
			return false;
	} while (c.any);
	return true;
}

/* Coordinates, and the order of links and switches that follows from them (engines/doc/lash.md 6.6 - 6.8). */

static int32_t *lash_mesh_coordinates_place_of(const struct mesh_work *w, uint32_t u)
{
	return w->m->coord + (size_t)u * w->m->dimensions;
}

static bool spread_link(struct mesh_work *w, uint32_t link)
{
	unsigned code = w->m->axis[link], d = (code - 1) / 2;
	const int32_t *from = lash_mesh_coordinates_place_of(w, w->g->from[link]);
	int32_t *to = lash_mesh_coordinates_place_of(w, w->g->to[link]), was[MESH_DIMENSIONS];
	bool changed = false;

	memcpy(was, to, w->m->dimensions * sizeof(*was));

	for (unsigned c = 0; c < w->m->dimensions; c++) {
		int32_t step = code & 1 ? 1 : -1;
		int32_t x = c == d ? (int32_t)((uint32_t)from[c] + (uint32_t)step) : from[c];

		/* take the smaller absolute value, and of two equal ones the positive */
		if (abs(x) < abs(to[c]) || (abs(x) == abs(to[c]) && x > to[c])) {
			to[c] = x;
			changed = true;
		}
	}
	if (changed && RECORDED(w->in))
		mesh_record_place(w, w->g->to[link], w->g->from[link], was);
	return changed;
}

static void spread_places(struct mesh_work *w)
{
	const struct lash_graph *g = w->g;
	size_t n = (size_t)g->n * w->m->dimensions;
	int32_t far[MESH_DIMENSIONS];
	bool changed;

	w->m->coord = NEW_ARRAY(n, int32_t);
	for (size_t i = 0; i < n; i++)
		w->m->coord[i] = MESH_FAR;
	memcpy(far, lash_mesh_coordinates_place_of(w, w->m->seed), w->m->dimensions * sizeof(*far));
	memset(lash_mesh_coordinates_place_of(w, w->m->seed), 0, w->m->dimensions * sizeof(int32_t));
	if (RECORDED(w->in))
		mesh_record_place(w, w->m->seed, NO_ID, far);
	do {
		changed = false;
		for (uint32_t u = 0; u < g->n; u++) {
			if (lash_mesh_coordinates_place_of(w, u)[0] == MESH_FAR)
				continue;
			for (uint32_t l = g->base[u]; l < g->base[u + 1]; l++)
				if (w->m->axis[l])
					changed |= spread_link(w, l);
		}
	} while (changed);
}

void mesh_measure_sizes(struct lash_mesh *m, uint32_t n)
{
	assert(m->dimensions <= MESH_DIMENSIONS && m->coord);
	for (unsigned c = 0; c < m->dimensions; c++) {
		int32_t min = 0, max = 0; /* of the seed */

		for (uint32_t u = 0; u < n; u++) {
			int32_t x = m->coord[(size_t)u * m->dimensions + c];

			if (x == MESH_FAR)
				continue;
			min = MIN(x, min);
			max = MAX(x, max);
		}
		m->size[c] = (uint32_t)(max - min + 1);
	}
}

static void mesh_place(struct mesh_work *w)
{
	struct lash_mesh *m = w->m;

	spread_places(w);
	mesh_measure_sizes(m, w->g->n);
	for (unsigned c = 0; c < m->dimensions; c++) {
		unsigned at = c;

		for (; at && m->size[m->order[at - 1]] < m->size[c]; at--)
			m->order[at] = m->order[at - 1];
		m->order[at] = c;
	}
}

/* Appends the links of switch u that have this code to the n before, and marks them. */
static unsigned lash_mesh_coordinates_take_links(const struct mesh_work *w, uint32_t u, unsigned code,
						 uint8_t *taken, unsigned n, uint32_t *link)
{
	uint32_t base = w->g->base[u];

	for (uint32_t l = base; l < w->g->base[u + 1]; l++) {
		if (taken[l] || w->m->axis[l] != code)
			continue;
		taken[l] = 1;
		link[base + n++] = l;
	}
	return n;
}

static void order_links(const struct mesh_work *w, uint32_t u, uint8_t *taken, uint32_t *link)
{
	const struct lash_mesh *m = w->m;
	unsigned n = 0;

	for (unsigned i = 0; i < m->dimensions; i++) {
		unsigned c = m->order[i];

		for (unsigned code = 2 * c + 1; code <= 2 * c + 2; code++) {
			bool turned = lash_mesh_coordinates_place_of(w, u)[c] > 0;

			n = lash_mesh_coordinates_take_links(w, u, turned ? mesh_opposite(w, u, code) : code,
							     taken, n, link);
		}
	}
	for (uint32_t l = w->g->base[u]; l < w->g->base[u + 1]; l++) /* those of no dimension come last */
		if (!taken[l])
			link[w->g->base[u] + n++] = l;
}

/* Differences wrap around as in OpenSM. */
static int32_t compare_places(const struct mesh_work *w, uint32_t a, uint32_t b)
{
	for (unsigned i = 0; i < w->m->dimensions; i++) {
		unsigned c = w->m->order[i];
		int32_t d = (int32_t)((uint32_t)lash_mesh_coordinates_place_of(w, a)[c] -
				      (uint32_t)lash_mesh_coordinates_place_of(w, b)[c]);

		if (d)
			return d;
	}
	return 0;
}

/* Top-down merge sort as in glibc's qsort(). The comparison is not transitive, so the algorithm matters. */
static void sort_switches(const struct mesh_work *w, uint32_t *s, uint32_t n, uint32_t *tmp)
{
	uint32_t n1 = n / 2, i = 0, j = n1, k = 0;

	if (n <= 1)
		return;
	sort_switches(w, s, n1, tmp);
	sort_switches(w, s + n1, n - n1, tmp);
	while (i < n1 && j < n)
		tmp[k++] = compare_places(w, s[i], s[j]) <= 0 ? s[i++] : s[j++];
	while (i < n1)
		tmp[k++] = s[i++];
	memcpy(s, tmp, k * sizeof(*s));
}

/* Moves data kept per switch and per channel to the new numbers. */
static void lash_mesh_coordinates_follow(struct lash_mesh *m, const struct lash_graph *g, const uint32_t *old,
					 const uint32_t *moved)
{
	uint32_t *id = NEW_ARRAY(g->n, uint32_t);
	int32_t *coord = NEW_ARRAY((size_t)g->n * m->dimensions, int32_t);
	uint8_t *axis = NEW_ARRAY(g->n_channels, uint8_t);
	int8_t *type = NEW_ARRAY(g->n, int8_t);

	for (uint32_t u = 0; u < g->n; u++) {
		id[old[u]] = u;
		type[u] = m->type[old[u]];
		memcpy(coord + (size_t)u * m->dimensions, m->coord + (size_t)old[u] * m->dimensions,
		       m->dimensions * sizeof(*coord));
	}
	for (uint32_t c = 0; c < g->n_channels; c++)
		axis[c] = m->axis[moved[c]];
	for (uint32_t i = 0; i < m->n_classes; i++)
		m->class[i].exemplar = id[m->class[i].exemplar];
	m->seed = id[m->seed];
	FREE_EACH(m->coord, m->axis, m->type, id);
	m->coord = coord;
	m->axis = axis;
	m->type = type;
}

/* mesh_place() finds coordinates and sizes. mesh_reorder() puts links and switches in their new order. */
static void mesh_reorder(struct mesh_work *w)
{
	struct lash_graph *g = w->g;
	AUTO_FREE uint32_t *link = NEW_ARRAY(g->n_channels, uint32_t),
			   *moved = NEW_ARRAY(g->n_channels, uint32_t);
	AUTO_FREE uint32_t *old = NEW_ARRAY(g->n, uint32_t), *tmp = NEW_ARRAY(g->n, uint32_t);
	AUTO_FREE uint8_t *taken = NEW_ARRAY(g->n_channels, uint8_t);

	for (uint32_t u = 0; u < g->n; u++) {
		order_links(w, u, taken, link);
		old[u] = u;
	}
	sort_switches(w, old, g->n, tmp);
	lash_graph_reorder(g, old, link, moved);
	lash_mesh_coordinates_follow(w->m, g, old, moved);
	if (RECORDED(w->in))
		mesh_record_numbers(w, old);
}

/* The steps of mesh analysis, in order. */

/* Goes from the seed's class to coordinates. False when OpenSM would not terminate. */
static bool find_geometry(struct mesh_work *w, uint32_t class)
{
	struct lash_mesh *m = w->m;
	struct text t = {0}, remark = {0};

	assert(class < m->n_classes && m->class[class].type);
	m->seed = m->class[class].exemplar;
	m->shape = w->shape[m->class[class].type - 1];
	m->dimensions = m->shape.dimensions;
	m->axis = NEW_ARRAY(w->g->n_channels, uint8_t);
	mesh_name_shape(&m->shape, " x ", &t);
	if (m->shape.dimensions > 1)
		mesh_shape_remark(&m->shape, &remark);
	if (remark.len)
		text_add(&t, " (%s)", text_str(&remark));
	rec_note(w->in, "seed %s: %s", switch_name(w->in->topo->fabric, w->g->sw[m->seed]), text_str(&t));
	text_free(&remark);
	text_free(&t);
	rec_phase(w->in, MESH_PHASE ": axes of links");
	mesh_seed_axes(w);
	if (!mesh_induce_axes(w))
		return false;
	rec_phase(w->in, MESH_PHASE ": coordinates");
	mesh_place(w);
	for (unsigned d = 0; d < m->dimensions; d++)
		text_add(&t, "%s%u", d ? " x " : "", m->size[d]);
	rec_note(w->in, "%s switches along the dimensions; the longest counts first", text_str(&t));
	text_free(&t);
	rec_phase(w->in, MESH_PHASE ": order of switches and links");
	mesh_reorder(w);
	return true;
}

struct lash_mesh *lash_mesh_new(struct lash_graph *g, const struct engine_input *in, struct err *e)
{
	struct mesh_work *w = NEW(struct mesh_work);
	struct lash_mesh *m = NEW(struct lash_mesh);
	uint32_t class = NO_CLASS;
	int rc = 0;

	rec_phase(in, MESH_PHASE);
	*w = (struct mesh_work){.g = g, .in = in, .m = m};
	w->matrix = NEW_ARRAY((size_t)g->n * MESH_LINKS * MESH_LINKS, int32_t);
	w->poly = NEW_ARRAY((size_t)g->n * (MESH_LINKS + 1), int32_t);
	mesh_shapes(w->shape);
	m->seed = NO_ID;
	if (!mesh_measure(w))
		rc = err_set(e, CANCELLED);
	else
		class = mesh_classify(w);
	if (!rc && class == NO_CLASS)
		m->none = "no switch has 8 neighbours or less and lies off the edge";
	else if (!rc && !m->class[class].type)
		m->none = "the most frequent neighbourhood is that of no known mesh or torus";
	else if (!rc && !find_geometry(w, class))
		rc = err_set(e, "mesh analysis of this fabric never ends: OpenSM 3.3.23 would hang; set "
				"do_mesh_analysis FALSE");
	if (rc) {
		lash_mesh_free(m);
		m = NULL;
	} else if (m->none) {
		rec_note(in, "no geometry: %s", m->none);
	}
	FREE_EACH(w->matrix, w->poly, w);
	return m;
}
