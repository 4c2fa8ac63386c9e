#include "core/fabric/host_set.h"
#include "core/base/memory.h"
#include "core/base/counted.h"

#include <stdlib.h>
#include <string.h>

#define AGGREGATION_NAME "Aggregation Node"

bool node_is_aggregation(const struct fabric *f, uint32_t node)
{
	return f->node_type[node] == NODE_CA &&
	       (f->node_device[node] == DEVICE_AGGREGATION || strstr(f->node_desc[node], AGGREGATION_NAME));
}

uint32_t fabric_aggregation_nodes(const struct fabric *f)
{
	uint32_t n = 0;

	for (uint32_t node = 0; node < f->n_nodes; node++)
		n += node_is_aggregation(f, node);
	return n;
}

bool port_of_host(const struct fabric *f, uint32_t port, bool aggregation)
{
	return port != NO_ID && !node_is_switch(f, f->port_node[port]) &&
	       (aggregation || !node_is_aggregation(f, f->port_node[port]));
}

/* --- scopes ------------------------------------------------------------------------------- */

struct scope *scope_new(const struct fabric *f, const char *words, const uint8_t *wanted)
{
	struct scope *s = NEW(struct scope);
	size_t cap = 0;

	atomic_init(&s->refs, 1);
	s->words = str_dup(words);
	for (uint32_t ep = 0; ep < f->n_endports; ep++) {
		if (!wanted[ep])
			continue;
		GROW(s->port, s->n, cap);
		s->port[s->n++] = (struct scope_port){f->node_guid[endport_node(f, ep)],
						      f->port_num[f->endport_port[ep]]};
	}
	return s;
}

static void scope_release(struct scope *s)
{
	free(s->words);
	free(s->port);
	free(s);
}

COUNTED(struct scope, struct scope, scope_ref, scope_unref, scope_release)

uint32_t scope_endport(const struct fabric *f, const struct scope_port *p)
{
	uint32_t node = fabric_node_by_guid(f, p->node_guid);

	if (node == NO_ID || node_is_switch(f, node) || p->port > f->node_nports[node])
		return NO_ID;
	return f->port_endport[f->node_port[node] + p->port];
}

/* --- sets --------------------------------------------------------------------------------- */

struct host_set *host_set_new(const struct fabric *f, bool aggregation, const struct scope *scope)
{
	struct host_set *h = NEW(struct host_set);
	uint8_t *wanted = NEW_ARRAY(f->n_endports + 1, uint8_t);

	atomic_init(&h->refs, 1);
	h->narrowed = scope && *scope->words;
	h->in = NEW_ARRAY(f->n_endports + 1, uint8_t);
	memset(wanted, !h->narrowed, f->n_endports);
	for (uint32_t i = 0; h->narrowed && i < scope->n; i++) {
		uint32_t ep = scope_endport(f, &scope->port[i]);

		if (ep != NO_ID)
			wanted[ep] = 1;
	}
	for (uint32_t ep = 0; ep < f->n_endports; ep++) {
		h->in[ep] = wanted[ep] && !endport_is_switch(f, ep) &&
			    (aggregation || !node_is_aggregation(f, endport_node(f, ep)));
		h->n += h->in[ep];
	}
	free(wanted);
	return h;
}

static void host_set_release(struct host_set *h)
{
	free(h->in);
	free(h);
}

COUNTED(struct host_set, struct host_set, host_set_ref, host_set_unref, host_set_release)

bool host_set_matters(const struct host_set *h, const struct fabric *f, uint32_t endport)
{
	return !h || h->in[endport] || (!h->narrowed && endport_is_switch(f, endport));
}
