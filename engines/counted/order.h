/*
 * The order in which destinations are routed (engines/doc/minhop.md section 5): first those of
 * guid_routing_order_file, then hosts (those of switches with most hosts first), then the rest. Also the GUID
 * files about single switches.
 */
#ifndef IBSCOPE_ORDER_H
#define IBSCOPE_ORDER_H

#include "core/base/defs.h"
#include "core/sm/engine.h"

struct order {
	uint32_t n;	   /* endports that are up */
	uint32_t *endport; /* [n] each once */
	uint8_t *scatter;  /* [n] 1 = its first LID is scattered (with scatter_ports) */
};

/* Builds the order as OpenSM 3.3.23. Bad lines of the file become notes. Free with order_free(). */
void order_build(const struct engine_input *in, struct engine_output *out, struct order *o);
void order_free(struct order *o);

/*
 * The port search order of each switch (port_search_ordering_file): its ports 0 .. N are listed at
 * order[switch_port[sw]], and has[sw] = 1 if a line gave the order. Both members are NULL when the option is
 * not set.
 */
struct search_order {
	uint8_t *order; /* [n_ports] */
	uint8_t *has;	/* [n_switches] */
};

void search_order_read(const struct engine_input *in, struct engine_output *out, struct search_order *s);
void search_order_free(struct search_order *s);

/*
 * The ports of port_prof_ignore_file: [n_ports], 1 = routes through the port do not count. NULL when the
 * option is not set.
 */
uint8_t *ignored_ports_read(const struct engine_input *in, struct engine_output *out);

#endif
