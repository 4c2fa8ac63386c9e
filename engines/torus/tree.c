/* The torus as found: whether it can be routed, its places, and the master spanning tree. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/counted.h"
#include "core/base/memory.h"
#include "engines/torus/torus.h"

/* Can the torus be routed as it was found (engines/doc/torus-2qos.md section 6)? */

/* If several switches are missing, all must be in one column along z, each next to another missing one. */
static int check_missing(struct torus_run *r)
{
	const struct torus *t = r->t;
	unsigned c[TORUS_DIMS], first[TORUS_DIMS];
	bool any = false;
	char a[40], b[40];

	for (uint32_t i = 0; i < t->n_places; i++) {
		if (t->at[i] != NO_ID)
			continue;
		torus_coordinates(t, i, c);
		if (!any)
			torus_coordinates(t, i, first);
		any = true;
		if (t->n + 1 < t->n_places && torus_beside(t, c, 4) != NO_ID &&
		    torus_beside(t, c, 5) != NO_ID)
			return err_set(&r->out->refused,
				       "%u switches are missing, that at %s without a missing neighbour "
				       "along z (ERR 4E38)",
				       t->n_places - t->n, torus_place_text(c, a, sizeof(a)));
		if (c[0] != first[0] || c[1] != first[1])
			return err_set(&r->out->refused,
				       "%u switches are missing, those at %s and %s not in one column along "
				       "z (ERR 4E38)",
				       t->n_places - t->n, torus_place_text(first, a, sizeof(a)),
				       torus_place_text(c, b, sizeof(b)));
	}
	return 0;
}

static int torus_rings_check_line(struct torus_run *r, unsigned c[TORUS_DIMS], unsigned d)
{
	struct torus *t = r->t;
	uint32_t low = NO_ID; /* the last member without a link down */
	unsigned lows = 0, highs = 0;
	char a[40];

	for (c[d] = 0; c[d] < t->conf.radix[d]; c[d]++) {
		uint32_t m = torus_at(t, c);

		if (m == NO_ID)
			continue;
		highs += !t->member[m].count[2 * d + 1];
		lows += !t->member[m].count[2 * d];
		low = t->member[m].count[2 * d] ? low : m;
	}
	c[d] = 0;
	if (lows != highs)
		return err_set(&r->out->refused,
			       "the line through %s along %c has %u ends down and %u up (ERR 4E%u)",
			       torus_place_text(c, a, sizeof(a)), (char)('x' + d), lows, highs, 32 + 2 * d);
	if (lows > 1)
		return err_set(
			&r->out->refused,
			"the line through %s along %c is in %u pieces, expected at most one gap%s (ERR 4E%u)",
			torus_place_text(c, a, sizeof(a)), (char)('x' + d), lows,
			t->conf.open[d] ? ", and an open line has one at its end" : "", 33 + 2 * d);
	for (; c[d] < t->conf.radix[d]; c[d]++)
		if (torus_at(t, c) != NO_ID)
			t->member[torus_at(t, c)].low[d] =
				low == NO_ID ? TORUS_COMPLETE : t->member[low].at[d];
	c[d] = 0;
	if (RECORDED(r->in))
		torus_record_line(r, c, d, lows != 0);
	return 0;
}

/* Notes links of the fabric outside the torus, and end points and switches outside it. */
static void tell_leftovers(struct torus_run *r)
{
	const struct torus *t = r->t;
	const struct topo *topo = r->in->topo;
	uint32_t outside = topo->n_switches_up - t->n,
		 links = r->n_switch_links + r->n_end_links - t->n_links;

	if (outside)
		note_add(&r->out->notes, NOTE_TORUS_HOLES,
			 "torus-2QoS: %u switch%s outside the torus: no routes lead there, and none from "
			 "there\n",
			 outside, outside == 1 ? " is" : "es are");
	if (links)
		note_add(&r->out->notes, 0, "torus-2QoS does not use %u link%s no place in the torus\n",
			 links, links == 1 ? ": it has" : "s: they have");
	for (uint32_t i = 0; RECORDED(r->in) && i < t->n_places; i++) {
		unsigned c[TORUS_DIMS];
		char at[40];

		torus_coordinates(t, i, c);
		if (t->at[i] == NO_ID)
			rec_note(r->in, "no switch at %s", torus_place_text(c, at, sizeof(at)));
	}
}

int torus_check(struct torus_run *r)
{
	unsigned c[TORUS_DIMS];

	rec_phase(r->in, "can it be routed");
	tell_leftovers(r);
	if (check_missing(r))
		return -1;
	for (unsigned d = 0; d < TORUS_DIMS; d++)
		for (uint32_t i = 0; i < r->t->n_places; i++) {
			torus_coordinates(r->t, i, c);
			if (c[d] == 0 && torus_rings_check_line(r, c, d))
				return -1;
		}
	return 0;
}

/* The master spanning tree.  Every multicast group uses a part of it (engines/doc/torus-2qos.md section 10).
 * Without it OpenSM refuses the torus. */

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

/* Grows both ways from a switch to the ends of its line, over the dateline only where the ring is broken. */
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
	assert(x.n <= r->t->n);
	free(x.attached);
	return rc;
}

/* The torus as all its files see it: its places, the switches on them, and their names. */

static void torus_release(struct torus *t)
{
	for (uint32_t m = 0; m < t->n; m++)
		free(t->member[m].port[0]);
	FREE_EACH(t->member, t->at, t->of, t->group);
	if (!t->whole) {
		torus_conf_free(&t->conf);
		FREE_EACH(t->end, t->first);
	}
	torus_unref(t->whole);
	free(t);
}

COUNTED(struct torus, struct torus, torus_ref, torus_unref, torus_release)

void torus_let_go(void *t)
{
	torus_unref(t);
}

void torus_clear_places(struct torus *t)
{
	const struct fabric *f = t->topo->fabric;

	t->at = NEW_ARRAY(t->n_places, uint32_t);
	memset(t->at, 0xff, t->n_places * sizeof(*t->at)); /* NO_ID */
	t->of = NEW_ARRAY(f->n_switches + 1, uint32_t);
	memset(t->of, 0xff, f->n_switches * sizeof(*t->of));
	t->group = NEW_ARRAY(f->n_ports + 1, uint8_t);
	memset(t->group, TORUS_NO_GROUP, f->n_ports);
}

struct torus_member *torus_add_member(struct torus *t, uint32_t sw, const unsigned c[TORUS_DIMS],
				      unsigned room)
{
	assert(t->of[sw] == NO_ID && t->at[torus_place(t, c)] == NO_ID);
	GROW(t->member, t->n, t->cap);
	struct torus_member *m = &t->member[t->n];
	*m = (struct torus_member){.sw = sw, .at = {c[0], c[1], c[2]}, .parent = NO_ID};
	for (unsigned d = 0; d < TORUS_DIMS; d++)
		m->low[d] = TORUS_COMPLETE;
	m->port[0] = NEW_ARRAY((size_t)TORUS_GROUPS * room + 1, uint8_t);
	for (unsigned g = 1; g < TORUS_GROUPS; g++)
		m->port[g] = m->port[0] + (size_t)g * room;
	t->at[torus_place(t, c)] = t->n++;
	return m;
}

void torus_add_port(struct torus *t, uint32_t member, unsigned group, uint32_t port)
{
	struct torus_member *m = &t->member[member];

	assert(group < TORUS_GROUPS && t->group[port] == TORUS_NO_GROUP);
	m->port[group][m->count[group]++] = t->topo->fabric->port_num[port];
	t->group[port] = (uint8_t)group;
}

uint32_t torus_place(const struct torus *t, const unsigned c[TORUS_DIMS])
{
	return c[0] + t->conf.radix[0] * (c[1] + t->conf.radix[1] * c[2]);
}

void torus_coordinates(const struct torus *t, uint32_t place, unsigned c[TORUS_DIMS])
{
	c[0] = place % t->conf.radix[0];
	c[1] = place / t->conf.radix[0] % t->conf.radix[1];
	c[2] = place / t->conf.radix[0] / t->conf.radix[1];
}

uint32_t torus_at(const struct torus *t, const unsigned c[TORUS_DIMS])
{
	return t->at[torus_place(t, c)];
}

uint32_t torus_beside(const struct torus *t, const uint32_t c[TORUS_DIMS], unsigned direction)
{
	unsigned to[TORUS_DIMS] = {c[0], c[1], c[2]}, d = direction / 2;

	to[d] = torus_shift(t, d, c[d], direction % 2 ? 1 : -1);
	return torus_at(t, to);
}

uint32_t torus_of_lid(const struct routing *r, const struct torus *t, unsigned lid)
{
	uint32_t ep = lid_owner(r->lids, lid), sw = ep == NO_ID ? NO_ID : r->topo->endport_switch[ep];

	return sw == NO_ID ? NO_ID : t->of[sw];
}

uint32_t torus_switch_by_guid(const struct torus_run *r, uint64_t guid)
{
	const struct topo *t = r->in->topo;
	uint32_t node = fabric_node_by_guid(t->fabric, guid);

	return node != NO_ID && node_is_switch(t->fabric, node) && t->node_up[node]
		       ? t->fabric->node_switch[node]
		       : NO_ID;
}

const char *torus_place_text(const uint32_t c[TORUS_DIMS], char *buf, size_t size)
{
	snprintf(buf, size, "%u,%u,%u", c[0], c[1], c[2]);
	return buf;
}
