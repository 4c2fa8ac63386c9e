#include "core/analysis/traffic/port_use.h"

#include <stdlib.h>

#include "core/base/memory.h"

static void port_use_count_switch(const struct routing *r, uint32_t s, const uint8_t *kind,
				  struct port_use *use)
{
	const struct fabric *f = r->topo->fabric;
	const struct lft_row *row = r->row[s];
	uint32_t count[4][256] = {{0}};

	for (unsigned lid = 1; row && lid <= row->top; lid++)
		count[kind[lid]][row->port[lid]]++;
	for (unsigned n = 1; n <= f->switch_nports[s]; n++) {
		struct port_use *u = &use[switch_port_id(f, s, n)];

		u->hosts = count[1][n];
		u->switches = count[2][n];
		u->lids = count[0][n] + u->hosts + u->switches;
	}
}

struct port_use *port_use_new(const struct routing *r, struct progress *p)
{
	const struct fabric *f = r->topo->fabric;
	struct port_use *use = NEW_ARRAY(f->n_ports + 1, struct port_use);
	uint8_t *kind = NEW_ARRAY(MAX_LID + 1, uint8_t);
	bool done = true;

	for (unsigned lid = 1; lid <= r->lids->max_lid; lid++) {
		uint32_t ep = lid_owner(r->lids, lid);

		kind[lid] = ep == NO_ID ? 0 : endport_is_switch(f, ep) ? 2 : 1;
	}
	progress_start(p, "usage of ports", f->n_switches);
	for (uint32_t s = 0; s < f->n_switches && done; s++) {
		port_use_count_switch(r, s, kind, use);
		done = progress_step(p, s);
	}
	free(kind);
	if (done)
		return use;
	free(use);
	return NULL;
}
