/*
 * Port groups of NVIDIA's subnet manager (pgrp_policy_file, core/formats/doc/formats.md 6.5): sets of ports
 * by GUIDs, by names, by a regular expression over names. A line of a file of GUIDs may name a group.
 */
#ifndef IBSCOPE_PORT_GROUPS_H
#define IBSCOPE_PORT_GROUPS_H

#include "core/base/err.h"
#include "core/base/guidfile.h"
#include "core/base/progress.h"
#include "core/fabric/fabric.h"
#include "core/sm/options.h"

/*
 * As guid_file_read() of the file of an option, which must be set. With pgrp_policy_file a line may be the
 * name of a group: GUIDs of its members, of the kind that the option takes, stand in its place.
 */
void option_guids_read(const struct options *o, const char *option, const struct fabric *f,
		       bool discard_invalid, struct progress *p, struct guid_file *g);

struct port_groups; /* what a policy file says */
/* From memory; NULL and *e ("FILE:LINE: ..."). name is for messages. */
struct port_groups *port_groups_parse(const char *name, const char *data, size_t size, struct err *e);
void port_groups_free(struct port_groups *g);
/*
 * Sets in[port id] ([n_ports], zeroed) for endports in a group. 1; 0: there is no such group; -1 and *e: it
 * is made of groups that are not there, or of itself.
 */
int port_groups_members(const struct port_groups *g, const char *group, const struct fabric *f, uint8_t *in,
			struct err *e);

#endif
