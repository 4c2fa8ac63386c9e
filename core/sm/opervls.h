/*
 * Operational VLs: how many virtual lanes a port uses.  The subnet manager reads
 * the code a port reports (OperVLs of PortInfo: 1, 2, 3, 4, 5 for 1, 2, 4, 8, 15
 * data VLs), routes by what it read, and programs the least of both ends and
 * max_op_vls before the sweep ends: the next sweep reads that (as OpenSM 3.3.23).
 */
#ifndef IBSCOPE_OPERVLS_H
#define IBSCOPE_OPERVLS_H

#include "core/fabric/state.h"
#include "core/routing/sl_tables.h"

/* Codes as the source tells them, [n_ports]; the caller frees. */
uint8_t *opervls_of_source(const struct fabric *f);

/*
 * The code the subnet manager gives a port with a live cable: the least of both
 * ends in the source and max_op_vls (0 is programmed as it is: max_op_vls 0).  0: not told.
 */
unsigned opervls_given(const struct topo *t, uint32_t port, unsigned max_op_vls);

/* Program all ports with a live cable; the others keep theirs. */
void opervls_program(uint8_t *code, const struct topo *t, unsigned max_op_vls);

/*
 * Ports of a link that was down in `before`, or that went down and came up since
 * (flapped: [n_links]; NULL = none), and that were programmed with 0 report what the
 * source tells again (seen with ibsim; other codes stay), be they in the subnet
 * manager's reach or not: a link that comes back behind a gap counts too.
 */
void opervls_reset(uint8_t *code, const struct fabric *f, const struct state *before, const uint8_t *flapped);

/*
 * A map under a code: VLs are cut to its lanes (VL 8 becomes 0 of 8 lanes), VL 15
 * stays.  Code 0 cuts nothing.
 */
sl2vl_map opervls_cut(sl2vl_map m, unsigned code);

#endif
