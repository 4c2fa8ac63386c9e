/* Coordinates, and the order of links and switches that follows from them (engines/doc/lash.md 6.6 - 6.8). */
#include <stdlib.h>
#include <string.h>

#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/release.h"
#include "engines/lash/internal.h"

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
		int32_t step = c != d ? 0 : code & 1 ? 1 : -1;
		int32_t x = (int32_t)((uint32_t)from[c] + (uint32_t)step);

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

void mesh_place(struct mesh_work *w)
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

/* Appends the links of switch u that have this code (or any) and are not taken yet. */
static unsigned lash_mesh_coordinates_take_links(const struct mesh_work *w, uint32_t u, unsigned code,
						 bool any, uint8_t *taken, unsigned n, uint32_t *link)
{
	uint32_t base = w->g->base[u];

	for (uint32_t l = base; l < w->g->base[u + 1]; l++) {
		if (taken[l] || (!any && w->m->axis[l] != code))
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
							     false, taken, n, link);
		}
	}
	lash_mesh_coordinates_take_links(w, u, 0, true, taken, n, link);
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

void mesh_reorder(struct mesh_work *w)
{
	struct lash_graph *g = w->g;
	uint32_t *link = NEW_ARRAY(g->n_channels, uint32_t), *moved = NEW_ARRAY(g->n_channels, uint32_t);
	uint32_t *old = NEW_ARRAY(g->n, uint32_t), *tmp = NEW_ARRAY(g->n, uint32_t);
	uint8_t *taken = NEW_ARRAY(g->n_channels, uint8_t);

	for (uint32_t u = 0; u < g->n; u++) {
		order_links(w, u, taken, link);
		old[u] = u;
	}
	sort_switches(w, old, g->n, tmp);
	lash_graph_reorder(g, old, link, moved);
	lash_mesh_coordinates_follow(w->m, g, old, moved);
	if (RECORDED(w->in))
		mesh_record_numbers(w, old);
	FREE_EACH(link, moved, old, tmp, taken);
}
