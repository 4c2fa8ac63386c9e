/*
 * From a hop matrix to forwarding tables: each switch chooses one port of least cost for every LID
 * (engines/doc/minhop.md section 6). Shared by minhop, dor, updn, dnup and file.
 */
#ifndef IBSCOPE_ASSIGN_H
#define IBSCOPE_ASSIGN_H

#include "core/base/defs.h"
#include "engines/counted/hops.h"

/*
 * Fills the rows of r from the matrix, as OpenSM 3.3.23. dor: use the rules of the DOR engine. touched:
 * [n_switches] or NULL; a switch with 0 keeps its row of in->current (the caller knows that all its entries
 * stay); one with TOUCHED too, but for LIDs at the switches that farther[] tells (hops_update()).
 *
 * If somebody asks about one switch only, only its row is filled. False when cancelled.
 */
bool assign_ports(const struct engine_input *in, struct engine_output *out, const struct hops *h, bool dor,
		  const uint8_t *touched, const uint8_t *farther, struct routing *r);

/*
 * A switch where no cost and no mask changed keeps every entry that would be considered. So its table stays,
 * but for LIDs that went; unless LIDs came or moved: false; or entries of `old` do not count.
 */
bool assign_keeps(const struct engine_input *in, const struct routing *old);

/*
 * Makes a routing from an engine's own hop matrix, which then stands behind hops_routing_ops. Takes over the
 * caller's reference to h. NULL: cancelled (out->refused says so).
 */
struct routing *assign_routing(const char *engine, const struct engine_input *in, struct engine_output *out,
			       struct hops *h, bool dor, const uint8_t *touched, const uint8_t *farther);

#endif
