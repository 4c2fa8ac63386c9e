/*
 * Port groups of NVIDIA's subnet manager (pgrp_policy_file, core/formats/doc/formats.md 6.5): sets of ports
 * by GUIDs, by names, by a regular expression over names. A line of a file of GUIDs may name a group.
 */
#ifndef IBSCOPE_PORT_GROUPS_H
#define IBSCOPE_PORT_GROUPS_H

#include "core/base/err.h"
#include "core/base/infile.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/fabric/fabric.h"
#include "core/fabric/state.h"
#include "core/routing/routing.h"
#include "core/sm/options.h"

/*
 * Quality of service as OpenSM 3.3.23 sets it up.  With `qos TRUE` it programs the SL-to-VL maps of all ports
 * in each sweep.  Without it, switches keep their maps.  Nothing here changes a forwarding table.
 */

/* The value of qos_sl2vl when none is given. */
#define QOS_DEFAULT_SL2VL "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,7"

/*
 * A list of VLs by SL as OpenSM reads it: 16 numbers in C notation, with one character between them.  Text
 * that is not a number counts as 0 and is skipped.  Missing numbers are 0.  Only the lowest four bits of a
 * number count.
 */
sl2vl_map qos_parse_sl2vl(const char *list);

/*
 * The maps that OpenSM programs with qos on.  They come from the option set of the port's kind, else from
 * qos_sl2vl, else VL = SL (SL 15 on VL 7).  Each is cut to the port's operational VLs. opervls: [n_ports]
 * codes of external switch ports as this sweep reads them.  CA and router ports already have the codes that
 * this sweep gives them.
 */
void qos_give_maps(struct sl_tables *l, const struct topo *t, const struct options *o,
		   const uint8_t *opervls);

/*
 * The options that are set and whose files may give pairs other SLs than those shown, because the files are
 * not modelled completely, as words for a sentence: "partition_config_file and qos_policy_file".  NULL when
 * there are none, or qos is off, so that OpenSM ignores them.  Source: sweeps of the program
 * (tests/parity/manager.py).
 */
const char *qos_unread(const struct options *o);
/* The same for one pair, where routing.h's sl_unread is set. */
#define QOS_UNREAD_PAIR \
	"A partition or the QoS policy may give the pair another SL: not all of their files is modelled.\n"
/* Adds a line about these options; adds nothing when there are none. */
void qos_tell_unread(const struct options *o, struct text *t);

/*
 * Reads the file of an option as guid_file_read() does.  With pgrp_policy_file a line may be the name of a
 * group: the GUIDs of its members, of the kind that the option takes, replace it.
 */
void option_guids_read(const struct options *o, const char *option, const struct fabric *f,
		       bool discard_invalid, struct progress *p, struct guid_file *g);

struct port_groups; /* the content of a policy file */
/* Parses text in memory; NULL and *e ("FILE:LINE: ...") on failure. `name` is for messages. */
struct port_groups *port_groups_parse(const char *name, const char *data, size_t size, struct err *e);
void port_groups_free(struct port_groups *g);
/*
 * Sets in[port id] ([n_ports], zeroed) for endports in a group.  Returns 1, 0 when there is no such group, or
 * -1 and *e when it refers to missing groups or to itself.
 */
int port_groups_members(const struct port_groups *g, const char *group, const struct fabric *f, uint8_t *in,
			struct err *e);

#endif
