/* The known shapes of a switch's neighbourhood, and their polynomials (engines/doc/lash.md 6.1, 6.2). */
#include <string.h>

#include "core/base/defs.h"
#include "engines/lash/mesh.h"

typedef uint32_t polynomial[MESH_LINKS + 1];

/* sum += sign * p * (c - x), when x is set, else sum += sign * p * c; all modulo 2^32. */
static void add_product(uint32_t *sum, const uint32_t *p, uint32_t c, bool x, bool minus)
{
	uint32_t s = minus ? UINT32_MAX : 1;

	for (unsigned i = 0; i <= MESH_LINKS; i++) {
		sum[i] += s * p[i] * c;
		if (x && i < MESH_LINKS)
			sum[i + 1] -= s * p[i];
	}
}

/* Expansion by rows; det[set] belongs to the first rows and the columns of the set. */
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
	/* a switch without neighbours has the polynomial 0 */
	for (unsigned i = 0; i <= k; i++)
		poly[i] = k ? (int32_t)det[(1u << k) - 1][i] : 0;
}

/* Distance between the two neighbours on one axis. */
static int32_t across(unsigned size, unsigned dimensions)
{
	if (size == 6)
		return dimensions == 1 ? 6 : 4;
	return size == 5 ? 3 : 1;
}

static void fill_matrix(const struct mesh_shape *s, int32_t *m)
{
	unsigned i = 0;

	for (unsigned a = 0; a < MESH_LINKS * MESH_LINKS; a++)
		m[a] = 2;
	for (unsigned d = 0; d < s->dimensions; d++) {
		m[i * MESH_LINKS + i] = 0;
		if (s->size[d] > 2) {
			m[i * MESH_LINKS + i + 1] = m[(i + 1) * MESH_LINKS + i] =
				across(s->size[d], s->dimensions);
			i++;
			m[i * MESH_LINKS + i] = 0;
		}
		i++;
	}
}

static unsigned degree_of(const struct mesh_shape *s)
{
	unsigned n = 0;

	for (unsigned d = 0; d < s->dimensions; d++)
		n += s->size[d] == 2 ? 1 : 2;
	return n;
}

/* The next descending tuple of sizes, in order of the reversed tuple; false when there is none. */
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

static bool is_known(const struct mesh_shape *s)
{
	return degree_of(s) <= MESH_LINKS && !(s->dimensions == 4 && s->size[3] >= 5);
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
			if (!is_known(&s))
				continue;
			s.degree = degree_of(&s);
			fill_matrix(&s, m);
			mesh_polynomial(m, s.degree, s.poly);
			shape[n++] = s;
		} while (next_sizes(&s));
	}
	shape[n] = last;
}
