/* How links get their dimension (engines/doc/lash.md 6.4, 6.5). */
#include "engines/lash/internal.h"

/*
 * Was an axis assigned in this repetition of the passes? An assigned 0 is not `real`, but OpenSM repeats for
 * it, too.
 */
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

void mesh_seed_axes(struct mesh_work *w)
{
	uint32_t seed = w->m->seed, base = w->g->base[seed];
	unsigned k = lash_degree(w->g, seed);

	for (unsigned a = 0; a < w->m->dimensions; a++) {
		unsigned i = with_axis(w, seed, 0), j;

		if (i == k)
			continue;
		lash_mesh_axes_assign(w, base + i, 2 * a + 1, MESH_SEED);
		j = lash_mesh_axes_facing(w, seed, i, true);
		if (j < k)
			lash_mesh_axes_assign(w, base + j, 2 * a + 2, MESH_FACING);
	}
}

/* The code of the link on the opposite side of the switch; 0 when it is not known. */
unsigned mesh_opposite(const struct mesh_work *w, uint32_t u, unsigned code)
{
	unsigned k = lash_degree(w->g, u), i;

	if (!has_matrix(w, u) || !code)
		return 0;
	i = with_axis(w, u, code);
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

bool mesh_induce_axes(struct mesh_work *w)
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
