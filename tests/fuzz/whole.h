/* What holds of every fabric that a reader made, whatever it read. */
#ifndef IBSCOPE_FUZZ_WHOLE_H
#define IBSCOPE_FUZZ_WHOLE_H

#include <stdio.h>
#include <stdlib.h>
#include "core/formats/readers.h"

/* Peers are mutual, links and endports are where the ports say, types and numbers of ports are some there
 * are. */
static inline void check_fabric(const struct fabric *f)
{
	for (uint32_t n = 0; n < f->n_nodes; n++)
		if (f->node_type[n] < NODE_CA || f->node_type[n] > NODE_ROUTER ||
		    f->node_nports[n] > MAX_PORTS)
			abort();
	for (uint32_t p = 0; p < f->n_ports; p++) {
		uint32_t q = f->port_peer[p];

		if (q != NO_ID && (q >= f->n_ports || f->port_peer[q] != p || q == p))
			abort();
		if ((q == NO_ID) != (f->port_link[p] == NO_ID))
			abort();
	}
	for (uint32_t i = 0; i < f->n_endports; i++)
		if (f->port_endport[f->endport_port[i]] != i)
			abort();
	if (f->n_endports && f->sm_endport >= f->n_endports)
		abort();
}

/* As ibnetdiscover text; free with free(). */
static inline char *fabric_text(const struct fabric *f, size_t *size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, size);

	if (write_ibnetdiscover(out, f, NULL, NULL, NULL))
		abort();
	fclose(out);
	return text;
}

#endif
