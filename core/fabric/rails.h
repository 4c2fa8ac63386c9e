/*
 * Hosts of several ports, and their rails.  A host is all channel adapters whose names begin with the same
 * word; a rail is the rest of the name with the number of the port.  Aggregation nodes are not among them.
 */
#ifndef IBSCOPE_RAILS_H
#define IBSCOPE_RAILS_H

#include "core/fabric/fabric.h"

/* A port of a channel adapter. */
struct rail_port {
	const char *name; /* of the node; the host's name is name[len] */
	size_t len;
	const char *rest; /* behind the host's name */
	unsigned num;	  /* of the port */
	uint32_t node, port;
	uint32_t sw;   /* the switch that it leads to, NO_ID: none */
	uint32_t rail; /* number of (rest, num), by the order of strverscmp() */
	uint32_t host; /* number of the host, by name */
};

/*
 * Ports by host, then rail; *n of them; the caller frees them.  Where names tell nothing (a host would have
 * two ports of a rail, or no name) each node is a host.
 */
struct rail_port *rail_ports(const struct fabric *f, size_t *n);

/* The name of the box or host in a node's name, after "MF0;". */
const char *box_name(const char *name, size_t *len);

#endif
