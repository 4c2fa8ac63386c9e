#include "core/fabric/managers.h"

#include <stdlib.h>
#include "core/base/memory.h"

const char *const manager_state_word[MANAGER_STATES] = {"inactive", "discovering", "standby", "master",
							"silent"};

static void release(struct counted *c)
{
	struct managers *m = (struct managers *)c;

	free(m->m);
	free(m);
}

struct managers *managers_new(uint32_t most)
{
	struct managers *m = NEW(struct managers);

	counted_init(&m->counted, release);
	m->m = NEW_ARRAY(most + 1u, struct manager);
	return m;
}

const struct manager *manager_at(const struct managers *m, uint64_t port_guid)
{
	for (uint32_t i = 0; m && i < m->n; i++)
		if (m->m[i].guid == port_guid)
			return &m->m[i];
	return NULL;
}

uint32_t managers_master(const struct fabric *f)
{
	const struct managers *m = fabric_managers(f);

	for (uint32_t ep = 0; m && m->lid && ep < f->n_endports; ep++) {
		uint32_t port = f->endport_port[ep], lid = f->port_lid[port];

		if (lid && m->lid >= lid && m->lid < lid + (1u << f->port_lmc[port]))
			return ep;
	}
	return NO_ID;
}
