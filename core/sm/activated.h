/*
 * Ports that the subnet manager has made active.  It does so for both ends of a
 * cable it knows; one that it cannot follow because directed routes end there
 * (topo's n_cut) keeps its end in state INIT, and any such port of a switch makes a
 * sweep ignore existing entries (engines/doc/minhop.md sections 1.4 and 8).
 */
#ifndef IBSCOPE_ACTIVATED_H
#define IBSCOPE_ACTIVATED_H

#include "core/fabric/state.h"

/*
 * Before a sweep: ports of links that were down in `before`, or that went down and
 * up since (flapped: [n_links]; NULL = none), start over.  active: [n_ports] 1 = made active.
 */
void activated_reset(uint8_t *active, const struct fabric *f, const struct state *before,
		     const uint8_t *flapped);

/* Is a switch reached that has a live port in state INIT which no sweep can follow?  That port, or NO_ID. */
uint32_t activated_lacking(const uint8_t *active, const struct topo *t, const struct state *s);

/* After a sweep: both ends of the cables it knows are active. */
void activated_program(uint8_t *active, const struct topo *t);

#endif
