/*
 * OpenSM's partitions.conf and QoS policy, as far as they decide about paths between ports
 * (core/formats/doc/formats.md 6.6):
 * members and SLs of partitions; of the policy the section qos-ulps.
 */
#ifndef IBSCOPE_PAIR_SLS_FILE_H
#define IBSCOPE_PAIR_SLS_FILE_H

#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/fabric/state.h"
#include "core/routing/pair_sls.h"
#include "core/sm/options.h"

/*
 * Endports that are up and told no P_Keys, *first among them, where others did (a live reading with tables,
 * files of ibdiagnet).  Without any such the P_Keys decide who may talk.
 */
uint32_t pkeys_untold(const struct topo *t, uint32_t *first);

/*
 * What the P_Keys that ports hold, the options partition_config_file and qos_policy_file mean for the ports
 * that are up.  SLs count with qos alone.  NULL: neither is set.  *unread: a file could not be read, or has
 * something that is not modelled, so that SLs may be others; *notes tells, a line each.
 */
struct pair_sls *pair_sls_read(const struct options *o, const struct topo *t, struct progress *p,
			       bool *unread, struct text *notes);

/* From memory: into p, which is empty of it.  False: something is not modelled. name is for notes. */
bool partitions_parse(struct pair_sls *p, const struct topo *t, bool qos, const char *name, const char *data,
		      size_t size, struct text *notes);
bool qos_policy_parse(struct pair_sls *p, const struct topo *t, const char *name, const char *data,
		      size_t size, struct text *notes);

#endif
