/*
 * Quality of service as OpenSM 3.3.23 sets it up.  With `qos TRUE` it programs the SL-to-VL maps of all ports
 * in each sweep.  Without it, switches keep their maps.  Nothing here changes a forwarding table.
 */
#ifndef IBSCOPE_QOS_H
#define IBSCOPE_QOS_H

#include "core/base/text.h"
#include "core/fabric/state.h"
#include "core/routing/sl_tables.h"
#include "core/sm/options.h"

/* qos_sl2vl when no value is given. */
#define QOS_DEFAULT_SL2VL "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,7"

/*
 * A list of VLs by SL as OpenSM reads it: 16 numbers in C notation, with one character between them.  Text
 * that is no number counts as 0 and is skipped.  Missing numbers are 0.  Of a large number the lowest four
 * bits count.
 */
sl2vl_map qos_parse_sl2vl(const char *list);

/*
 * The maps that OpenSM programs with qos on.  They come from the option set of the port's kind, else from
 * qos_sl2vl, else VL = SL (SL 15 on VL 7).  Each is cut to the port's operational VLs. opervls: [n_ports]
 * codes of external switch ports as this sweep reads them.  CA and router ports already have the codes given
 * to them in this sweep.
 */
void qos_give_maps(struct sl_tables *l, const struct topo *t, const struct options *o,
		   const uint8_t *opervls);

/*
 * Options that are set and whose files may give pairs other SLs than those told, as words for a sentence:
 * "partition_config_file and qos_policy_file".  Not all of the files is modelled.  NULL: there are none, or
 * qos is off, and OpenSM does not look at them.  Source: sweeps of the program (tests/parity/manager.py).
 */
const char *qos_unread(const struct options *o);
/* The same of one pair, where routing.h's sl_unread is set. */
#define QOS_UNREAD_PAIR \
	"A partition or the QoS policy may give the pair another SL: not all of their files is modelled.\n"
/* Adds a line about them; nothing when there are none. */
void qos_tell_unread(const struct options *o, struct text *t);

#endif
