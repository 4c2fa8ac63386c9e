#include "core/fabric/labels.h"

#include <stdio.h>

const char *endport_label(const struct fabric *f, uint32_t ep, char *buf, size_t size)
{
	uint32_t node = endport_node(f, ep), n = 0;

	for (unsigned p = 1; p <= f->node_nports[node]; p++)
		n += f->port_endport[f->node_port[node] + p] != NO_ID;
	if (n > 1)
		return port_label(f, f->endport_port[ep], buf, size);
	snprintf(buf, size, "%s", f->node_name[node]);
	return buf;
}

const char *lft_port_label(unsigned port, char *buf, size_t size)
{
	if (port == NO_PATH)
		return "-";
	snprintf(buf, size, "%u", port);
	return buf;
}
