/*
 * From a hop matrix to forwarding tables: each switch chooses one port of least cost for every LID
 * (engines/doc/minhop.md section 6).  Shared by minhop, dor, updn, dnup and file.
 */
#ifndef IBSCOPE_ASSIGN_H
#define IBSCOPE_ASSIGN_H

#include "core/base/defs.h"
#include "engines/counted/hops.h"

/*
 * Fill the rows of r from the matrix, as OpenSM 3.3.23.  dor: the rules of the DOR engine.  touched
 * [n_switches] or NULL: switches with 0 keep the row of in->current without a look (the caller knows that all
 * its entries stay).
 *
 * Where somebody asks about one switch only, only that one's row is filled. false: cancelled.
 */
bool assign_ports(const struct engine_input *in, struct engine_output *out, const struct hops *h, bool dor,
		  const uint8_t *touched, struct routing *r);

/*
 * What an engine with a hop matrix of its own does once it has it: a routing with that matrix behind
 * hops_routing_ops.  Takes over the caller's reference to h.  NULL: cancelled (out->refused says so).
 */
struct routing *assign_routing(const char *engine, const struct engine_input *in, struct engine_output *out,
			       struct hops *h, bool dor, const uint8_t *touched);

#endif
