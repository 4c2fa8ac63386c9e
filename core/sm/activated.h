/*
 * Ports that the subnet manager has made active.  It does so for both ends of a cable that it knows.  Where
 * directed routes end, it cannot follow a cable (topo's n_cut): the near end stays in state INIT.  One such
 * port of a switch makes a sweep ignore existing entries (engines/doc/minhop.md sections 1.4 and 8).
 */
#ifndef IBSCOPE_ACTIVATED_H
#define IBSCOPE_ACTIVATED_H

#include "core/fabric/state.h"

/*
 * Before a sweep: a port starts over when its link was down in `before`, or went down and up since (flapped:
 * [n_links]; NULL = none). active: [n_ports] 1 = made active.
 */
void activated_reset(uint8_t *active, const struct fabric *f, const struct state *before,
		     const uint8_t *flapped);

/* A live port in state INIT that no sweep can follow, on a switch that is reached.  NO_ID: there is none. */
uint32_t activated_lacking(const uint8_t *active, const struct topo *t, const struct state *s);

/* After a sweep: both ends of the cables it knows are active. */
void activated_program(uint8_t *active, const struct topo *t);

#endif
