#include "core/base/defs.h"
#include "core/fabric/rails.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/fabric/host_set.h"

#include <stdlib.h>
#include <string.h>

const char *box_name(const char *name, size_t *len)
{
	const char *semicolon = strchr(name, ';');

	if (semicolon && strcspn(name, " /:") > (size_t)(semicolon - name))
		name = semicolon + 1;
	*len = strchr(name, ':')   ? strcspn(name, ":")
	       : strchr(name, '/') ? strcspn(name, "/")
				   : strcspn(name, " ");
	return name;
}

COMPARATOR(by_rail, struct rail_port, FIELD_BY(strverscmp, rest) UP(num))

static int by_host_name(const struct rail_port *a, const struct rail_port *b)
{
	int d = strncmp(a->name, b->name, MIN(a->len, b->len));

	return d ? d : (a->len > b->len) - (a->len < b->len);
}

static int by_host(const void *first, const void *second)
{
	int d = by_host_name(first, second);

	if (d)
		return d;
	ORDER(((const struct rail_port *)first)->rail, ((const struct rail_port *)second)->rail);
	ORDER(((const struct rail_port *)first)->port, ((const struct rail_port *)second)->port);
	return 0;
}

COMPARATOR(by_port, struct rail_port, UP(port))

/* Numbers the hosts. Where names tell nothing, each node is one. */
static void number_hosts(struct rail_port *p, size_t n)
{
	uint32_t host = 0;

	for (size_t i = 0, end; i < n; i = end, host++) {
		bool clear = p[i].len;

		for (end = i + 1; end < n && !by_host_name(&p[i], &p[end]); end++)
			clear &= p[end].rail != p[end - 1].rail;
		if (!clear)
			qsort(&p[i], end - i, sizeof(*p), by_port);
		for (size_t k = i; k < end; k++) {
			host += !clear && k > i && p[k].node != p[k - 1].node;
			p[k].host = host;
		}
	}
}

struct rail_port *rail_ports(const struct fabric *f, size_t *n)
{
	struct rail_port *p = NULL;
	size_t cap = 0;

	*n = 0;
	for (uint32_t node = 0; node < f->n_nodes; node++) {
		size_t len;
		const char *box = box_name(f->node_given[node], &len);

		if (f->node_type[node] != NODE_CA || node_is_aggregation(f, node))
			continue;
		for (unsigned k = 1; k <= f->node_nports[node]; k++) {
			uint32_t port = f->node_port[node] + k, peer = f->port_peer[port];
			uint32_t sw = peer == NO_ID ? NO_ID : f->node_switch[f->port_node[peer]];

			GROW(p, *n, cap);
			p[(*n)++] = (struct rail_port){box, len, box + len, k, node, port, sw, 0, 0};
		}
	}
	if (!*n)
		return p;
	qsort(p, *n, sizeof(*p), by_rail);
	for (size_t i = 1; i < *n; i++)
		p[i].rail = p[i - 1].rail + (by_rail(&p[i - 1], &p[i]) != 0);
	qsort(p, *n, sizeof(*p), by_host);
	number_hosts(p, *n);
	return p;
}
