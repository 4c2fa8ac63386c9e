#include "core/routing/switch_tables.h"
#include "core/base/memory.h"

#include <stdlib.h>

static void switch_tables_free(struct counted *c)
{
	struct switch_tables *h = (struct switch_tables *)c;

	for (uint32_t s = 0; s < h->n_switches; s++)
		free(h->lft[s]);
	free(h->lft);
	free(h->top);
	free(h->source);
	free(h->lid);
	free(h->lmc);
	free(h->lid_owner);
	sl_tables_unref(h->sl_tables);
	if (h->adaptive)
		counted_unref(&h->adaptive->counted);
	free(h);
}

struct switch_tables *switch_tables_new(uint32_t n_switches)
{
	struct switch_tables *h = NEW(struct switch_tables);

	counted_init(&h->counted, switch_tables_free);
	h->n_switches = n_switches;
	h->read_at = time(NULL);
	h->top = NEW_ARRAY(n_switches + 1u, uint16_t);
	h->lft = NEW_ARRAY(n_switches + 1u, uint8_t *);
	return h;
}

/* LIDs and LMCs that ports had with them. */
static void lids_on_ports(struct switch_tables *t, const struct switch_tables *h, const struct fabric *from,
			  const struct fabric *to)
{
	t->lid = mem_dup(to->port_lid, to->n_ports * sizeof(*t->lid));
	t->lmc = mem_dup(to->port_lmc, to->n_ports);
	for (uint32_t p = 0; p < to->n_ports; p++) {
		uint32_t q = fabric_port_in(from, to, p);

		if (q == NO_ID)
			continue;
		t->lid[p] = h->lid[q];
		t->lmc[p] = h->lmc[q];
	}
}

struct switch_tables *switch_tables_on(const struct switch_tables *h, const struct fabric *from,
				       const struct fabric *to)
{
	struct switch_tables *t = switch_tables_new(to->n_switches);

	t->source = h->source ? str_dup(h->source) : NULL;
	t->read_at = h->read_at;
	for (uint32_t s = 0; s < to->n_switches; s++) {
		uint32_t was = fabric_switch_in(from, to, s);

		if (was == NO_ID || !h->lft[was])
			continue;
		t->top[s] = h->top[was];
		t->lft[s] = mem_dup(h->lft[was], h->top[was] + 1u);
	}
	t->sl_tables = h->sl_tables ? sl_tables_maps_on(h->sl_tables, from, to) : NULL;
	t->adaptive = h->adaptive ? adaptive_on(h->adaptive, from, to) : NULL;
	if (h->lid)
		lids_on_ports(t, h, from, to);
	if (h->lid_owner) {
		t->lid_owner = mem_dup(h->lid_owner, (MAX_LID + 1u) * sizeof(*t->lid_owner));
		for (unsigned lid = 0; lid <= MAX_LID; lid++)
			if (h->lid_owner[lid] != NO_ID)
				t->lid_owner[lid] = fabric_endport_in(to, from, h->lid_owner[lid]);
	}
	return t;
}

uint8_t *switch_tables_told(const struct switch_tables *h, unsigned top)
{
	uint8_t *told = NEW_ARRAY(top + 1u, uint8_t);

	for (unsigned lid = 0; lid <= top && !h->source; lid++)
		told[lid] = 1;
	for (uint32_t s = 0; s < h->n_switches && h->source; s++)
		for (unsigned lid = 1; h->lft[s] && lid <= h->top[s] && lid <= top; lid++)
			told[lid] |= h->lft[s][lid] != NO_PATH;
	return told;
}

unsigned switch_tables_top(const struct switch_tables *h)
{
	unsigned top = 0;

	for (uint32_t s = 0; s < h->n_switches; s++)
		if (h->lft[s] && h->top[s] > top)
			top = h->top[s];
	return top;
}
