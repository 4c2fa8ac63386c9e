#include "core/base/defs.h"
#include "core/sm/opervls.h"
#include "core/base/memory.h"

uint8_t *opervls_of_source(const struct fabric *f)
{
	return mem_dup(f->port_opervls, f->n_ports);
}

unsigned opervls_given(const struct topo *t, uint32_t port, unsigned max_op_vls)
{
	unsigned code = t->fabric->port_opervls[port], peer = t->fabric->port_opervls[t->peer[port]];

	if (!code)
		return 0;
	code = peer && peer < code ? peer : code;
	return MIN(max_op_vls, code);
}

void opervls_program(uint8_t *code, const struct topo *t, unsigned max_op_vls)
{
	for (uint32_t p = 0; p < t->fabric->n_ports; p++)
		if (t->peer[p] != NO_ID)
			code[p] = (uint8_t)opervls_given(t, p, max_op_vls);
}

void opervls_reset(uint8_t *code, const struct fabric *f, const struct state *before, const uint8_t *flapped)
{
	for (uint32_t l = 0; l < f->n_links; l++) {
		if (state_link_up(f, before, l) && !(flapped && flapped[l]))
			continue;
		for (unsigned end = 0; end < 2; end++) {
			uint32_t p = f->link_port[2 * l + end];

			if (!code[p])
				code[p] = f->port_opervls[p];
		}
	}
}

sl2vl_map opervls_cut(sl2vl_map m, unsigned code)
{
	unsigned mask = code && code < 5 ? (1u << (code - 1)) - 1 : 15;
	sl2vl_map cut = 0;

	for (unsigned sl = 0; sl < 16; sl++) {
		unsigned vl = sl2vl_of(m, sl);

		cut |= (sl2vl_map)(vl == 15 ? 15 : vl & mask) << (4 * sl);
	}
	return cut;
}
