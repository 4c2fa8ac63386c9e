#include "core/fabric/managers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/fabric/labels.h"

const char *const manager_state_word[MANAGER_STATES] = {"inactive", "discovering", "standby", "master",
							"silent"};

static void managers_release(struct counted *c)
{
	struct managers *m = (struct managers *)c;

	free(m->m);
	free(m->pkey);
	free(m);
}

struct managers *managers_new(uint32_t most)
{
	struct managers *m = NEW(struct managers);

	counted_init(&m->counted, managers_release);
	m->m = NEW_ARRAY(most + 1u, struct manager);
	return m;
}

void managers_tell_pkey(struct managers *m, uint64_t port_guid, uint16_t pkey)
{
	GROW(m->pkey, m->n_pkeys, m->cap_pkeys);
	m->pkey[m->n_pkeys++] = (struct port_pkey){port_guid, pkey & 0x7fff ? pkey : 0};
}

COMPARATOR(pkeys_by_port, struct port_pkey, UP(guid) UP(pkey))

void managers_order_pkeys(struct managers *m)
{
	if (m->n_pkeys)
		qsort(m->pkey, m->n_pkeys, sizeof(*m->pkey), pkeys_by_port);
}

void fabric_take_pkeys(struct fabric *f, struct managers *m)
{
	managers_order_pkeys(m);
	if (f && m->n_pkeys)
		f->managers = &m->counted;
	else
		counted_unref(&m->counted);
}

const struct manager *manager_at(const struct managers *m, uint64_t port_guid)
{
	for (uint32_t i = 0; m && i < m->n; i++)
		if (m->m[i].guid == port_guid)
			return &m->m[i];
	return NULL;
}

const struct port_pkey *pkeys_at(const struct managers *m, uint64_t port_guid)
{
	uint32_t low = 0, high = m ? m->n_pkeys : 0;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (m->pkey[mid].guid < port_guid)
			low = mid + 1;
		else
			high = mid;
	}
	return m && low < m->n_pkeys && m->pkey[low].guid == port_guid ? &m->pkey[low] : NULL;
}

const char *manager_label(const struct fabric *f, const struct manager *m, char *buf, size_t size)
{
	uint32_t ep = fabric_endport_by_guid(f, m->guid);

	if (ep != NO_ID)
		return endport_label(f, ep, buf, size);
	snprintf(buf, size, "0x%016" PRIx64, m->guid);
	return buf;
}

static uint32_t managers_in_state(const struct managers *m, unsigned from, unsigned to)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < m->n; i++)
		n += m->m[i].state >= from && m->m[i].state <= to;
	return n;
}

enum managers_fault managers_fault(const struct fabric *f)
{
	const struct managers *m = fabric_managers(f);
	uint32_t masters = m ? managers_in_state(m, MANAGER_MASTER, MANAGER_MASTER) : 0;

	if (!m || !m->asked || masters == 1)
		return MANAGERS_GOOD;
	if (masters)
		return MANAGERS_SEVERAL;
	return managers_in_state(m, MANAGER_INACTIVE, MANAGER_STANDBY) ? MANAGERS_NO_MASTER : MANAGERS_NONE;
}

#define MANAGERS_NAMED 3

void managers_tell_fault(const struct fabric *f, struct text *t)
{
	const struct managers *m = fabric_managers(f);
	enum managers_fault fault = managers_fault(f);
	uint32_t told = 0;
	char label[300];

	if (fault == MANAGERS_GOOD)
		return;
	if (fault == MANAGERS_NONE) {
		text_add(t, "no subnet manager answers");
		return;
	}
	if (fault == MANAGERS_SEVERAL)
		text_add(t, "%u subnet managers are master",
			 managers_in_state(m, MANAGER_MASTER, MANAGER_MASTER));
	else
		text_add(t, "no subnet manager is master");
	for (uint32_t i = 0; i < m->n; i++) {
		bool named = fault == MANAGERS_SEVERAL ? m->m[i].state == MANAGER_MASTER
						       : m->m[i].state < MANAGER_MASTER;

		if (!named || told++ >= MANAGERS_NAMED)
			continue;
		text_add(t, "%s%s%s%s", told > 1 ? ", " : " (",
			 manager_label(f, &m->m[i], label, sizeof(label)),
			 fault == MANAGERS_SEVERAL ? "" : " is ",
			 fault == MANAGERS_SEVERAL ? "" : manager_state_word[m->m[i].state]);
	}
	text_add(t, told > MANAGERS_NAMED ? ", ...)" : ")");
}

const char *managers_consequence(const struct fabric *f)
{
	static const char *const follows[] = {
		[MANAGERS_NONE] = "nobody will repair this",
		[MANAGERS_NO_MASTER] = "nobody will repair this before one takes over",
		[MANAGERS_SEVERAL] = "each writes over what the other one wrote",
	};

	return follows[managers_fault(f)];
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
