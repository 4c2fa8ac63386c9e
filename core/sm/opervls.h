/*
 * Operational VLs: the number of virtual lanes that a port uses.  The subnet manager reads the code that a
 * port reports (OperVLs of PortInfo: 1, 2, 3, 4, 5 for 1, 2, 4, 8, 15 data VLs) and routes by it.  Before the
 * sweep ends it programs the least of both ends and max_op_vls.  The next sweep reads that value (as OpenSM
 * 3.3.23).
 */
#ifndef IBSCOPE_OPERVLS_H
#define IBSCOPE_OPERVLS_H

#include "core/fabric/state.h"
#include "core/routing/sl_tables.h"

/* Codes as the source tells them, [n_ports]; the caller frees. */
uint8_t *opervls_of_source(const struct fabric *f);

/*
 * The code that the subnet manager gives a port with a live cable: the least of both ends in the source and
 * max_op_vls (a max_op_vls of 0 is programmed as 0).  0: the source does not tell.
 */
unsigned opervls_given(const struct topo *t, uint32_t port, unsigned max_op_vls);

/* Program all ports with a live cable; the others keep theirs. */
void opervls_program(uint8_t *code, const struct topo *t, unsigned max_op_vls);

/*
 * Ports that were programmed with 0 report the source's value again when their link was down in `before`, or
 * went down and came up since (flapped: [n_links]; NULL = none).  This was seen with ibsim.  Other codes
 * stay.  The reach of the subnet manager does not matter: a link that comes back behind a gap counts too.
 */
void opervls_reset(uint8_t *code, const struct fabric *f, const struct state *before, const uint8_t *flapped);

/*
 * An SL-to-VL map on a port with a code.  VLs are cut to the port's lanes (of 8 lanes, VL 8 becomes 0).  VL
 * 15 stays.  Code 0 cuts nothing.
 */
sl2vl_map opervls_cut(sl2vl_map m, unsigned code);

#endif
