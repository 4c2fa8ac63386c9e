/* The torus as all its files see it: its places, the switches on them, and their names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"
#include "core/base/release.h"
#include "engines/torus/internal.h"
#include "core/base/counted.h"

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
	struct torus_member *m;

	GROW(t->member, t->n, t->cap);
	m = &t->member[t->n];
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
