/*
 * The master spanning tree.  Every multicast group uses a part of it (engines/doc/torus-2qos.md section 10).
 * Without it OpenSM refuses the torus.
 */
#include <stdlib.h>

#include "core/base/memory.h"
#include "engines/torus/internal.h"

struct torus_tree {
	struct torus *t;
	uint8_t *attached; /* [n] */
	uint32_t n;
};

static bool line_is_full(const struct torus *t, unsigned d, unsigned x, unsigned y, unsigned z)
{
	unsigned c[TORUS_DIMS] = {x, y, z};

	for (c[d] = 0; c[d] < t->conf.radix[d]; c[d]++)
		if (torus_at(t, c) == NO_ID)
			return false;
	return true;
}

static uint32_t middle_if_full(const struct torus *t, unsigned x, unsigned y, unsigned z)
{
	unsigned c[TORUS_DIMS] = {x, y, z};

	return line_is_full(t, 0, x, y, z) && line_is_full(t, 1, x, y, z) ? torus_at(t, c) : NO_ID;
}

/* A switch near the middle of plane z, on complete lines along x and y. */
static uint32_t torus_tree_middle(const struct torus *t, unsigned z)
{
	unsigned xm = t->conf.radix[0] / 2, ym = t->conf.radix[1] / 2;
	uint32_t m = middle_if_full(t, xm, ym, z);

	for (unsigned k = 1; m == NO_ID && k <= xm && k <= ym; k++) {
		m = middle_if_full(t, xm - k, ym - k, z);
		if (m == NO_ID)
			/* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): no radix is 0 */
			m = middle_if_full(t, (xm + k) % t->conf.radix[0], (ym + k) % t->conf.radix[1], z);
	}
	return m;
}

/* The same, but only in a plane without missing switches. */
static uint32_t full_plane_middle(const struct torus *t, unsigned z)
{
	uint32_t plane = t->conf.radix[0] * t->conf.radix[1];

	for (uint32_t i = z * plane; i < (z + 1) * plane; i++)
		if (t->at[i] == NO_ID)
			return NO_ID;
	return torus_tree_middle(t, z);
}

/* Attaches the neighbour of a tip. False when there is none, or when the tree has it already. */
static bool torus_tree_grow(struct torus_tree *x, uint32_t *tip, unsigned direction)
{
	const struct torus_member *m = &x->t->member[*tip];
	uint32_t next = m->count[direction] ? torus_beside(x->t, m->at, direction) : NO_ID;

	if (next == NO_ID || x->attached[next])
		return false;
	x->attached[next] = 1;
	x->n++;
	x->t->member[next].parent = *tip;
	*tip = next;
	return true;
}

static bool grow_many(struct torus_tree *x, uint32_t *tip, unsigned direction, unsigned most)
{
	for (unsigned i = 0; i < most; i++)
		if (!torus_tree_grow(x, tip, direction))
			return false;
	return true;
}

/*
 * Grows both ways from a switch to the ends of its line. It crosses the dateline only where the ring is
 * broken.
 */
static void branch(struct torus_tree *x, uint32_t base, unsigned d)
{
	unsigned radix = x->t->conf.radix[d], at = x->t->member[base].at[d];
	uint32_t down = base, up = base;
	bool down_goes = grow_many(x, &down, 2 * d, at),
	     up_goes = grow_many(x, &up, 2 * d + 1, radix - 1 - at);

	if (down_goes && up_goes)
		return;
	for (unsigned i = 0; i < radix && (down_goes || up_goes); i++) {
		down_goes = down_goes && torus_tree_grow(x, &down, 2 * d);
		up_goes = up_goes && torus_tree_grow(x, &up, 2 * d + 1);
	}
}

static void torus_tree_grow_one(struct torus_tree *x)
{
	const struct torus *t = x->t;
	const uint32_t *root = t->member[t->root].at;
	unsigned c[TORUS_DIMS];

	x->attached[t->root] = 1;
	x->n = 1;
	branch(x, t->root, 0);
	for (c[0] = 0; c[0] < t->conf.radix[0]; c[0]++) {
		c[1] = root[1];
		c[2] = root[2];
		if (torus_at(t, c) != NO_ID)
			branch(x, torus_at(t, c), 1);
		for (c[1] = 0; c[1] < t->conf.radix[1]; c[1]++)
			if (torus_at(t, c) != NO_ID)
				branch(x, torus_at(t, c), 2);
	}
}

int torus_span(struct torus_run *r)
{
	struct torus_tree x = {.t = r->t};
	unsigned radix = r->t->conf.radix[2], zm = radix / 2;
	uint32_t root = NO_ID;
	int rc = 0;

	for (unsigned dz = 0; root == NO_ID && dz <= zm; dz++) {
		root = full_plane_middle(r->t, zm - dz);
		if (root == NO_ID && dz)
			root = full_plane_middle(r->t, (zm + dz) % radix);
	}
	r->t->root = root == NO_ID ? torus_tree_middle(r->t, zm) : root;
	if (r->t->root == NO_ID)
		return err_set(
			&r->out->refused,
			"no switch has whole lines along x and y to be root of the master spanning tree");
	x.attached = NEW_ARRAY(r->t->n, uint8_t);
	torus_tree_grow_one(&x);
	if (RECORDED(r->in))
		torus_record_span(r, x.n);
	for (uint32_t m = 0; m < r->t->n && !rc; m++)
		if (!x.attached[m])
			rc = err_set(&r->out->refused,
				     "the master spanning tree does not reach %s (ERR 4E43)",
				     torus_name(r->t, m));
	free(x.attached);
	return rc;
}
