/* Use of ports of switches: the LIDs that the tables send out of each. */
#ifndef IBSCOPE_PORT_USE_H
#define IBSCOPE_PORT_USE_H

#include "core/base/progress.h"
#include "core/routing/routing.h"

/* Number of LIDs that leave a switch by a port. */
struct port_use {
	uint32_t lids, hosts, switches; /* all; of them those of CA and router ports, of switches */
};

/* [n_ports], zero but for ports 1 and up of switches; the caller frees.  NULL: cancelled. */
struct port_use *port_use_new(const struct routing *r, struct progress *p);

#endif
