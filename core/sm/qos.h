/*
 * Quality of service as OpenSM 3.3.23 sets it up: with `qos TRUE` it programs the
 * SL-to-VL maps of all ports in each sweep; without, switches keep the maps they
 * have.  Nothing here changes a forwarding table.
 */
#ifndef IBSCOPE_QOS_H
#define IBSCOPE_QOS_H

#include "core/fabric/state.h"
#include "core/routing/sl_tables.h"
#include "core/sm/options.h"

/* qos_sl2vl where none is given. */
#define QOS_DEFAULT_SL2VL "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,7"

/*
 * A list of VLs by SL as OpenSM reads it: 16 numbers in C notation, one character
 * between them; what is no number counts 0 and is passed over, missing ones are
 * 0, of large ones the lowest four bits count.
 */
sl2vl_map qos_parse_sl2vl(const char *list);

/*
 * The maps OpenSM programs with qos on: of the option set of the port's kind, else of
 * qos_sl2vl, else VL = SL (SL 15 on VL 7), each cut to the port's operational VLs.
 * opervls: [n_ports] codes of external switch ports as this sweep reads them; CA and
 * router ports have already got those they are given in this sweep.
 */
void qos_give_maps(struct sl_tables *l, const struct topo *t, const struct options *o,
		   const uint8_t *opervls);

#endif
