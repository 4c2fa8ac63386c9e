/* What the subnet manager keeps from one heavy sweep to the next.  For core/sm/ alone. */
#ifndef IBSCOPE_SM_MEMORY_H
#define IBSCOPE_SM_MEMORY_H

#include "core/routing/lids.h"
#include "core/routing/routing.h"
#include "core/sm/ucast_cache.h"

struct sm_memory {
	struct lid_memory *lids;
	const struct routing *tables; /* in the switches; reference held; NULL before the first success */
	bool ignore; /* ignore_existing is still set: the last sweep programmed nothing or had errors */
	struct ucast_cache *cache; /* use_ucast_cache: valid for `tables`; NULL = not valid */
	uint8_t *opervls;	   /* [n_ports] OperVLs codes of ports (core/sm/opervls.h) */
	uint8_t *active;	   /* [n_ports] 1 = ports made active (core/sm/activated.h) */
	uint64_t random;	   /* number of draws from random() so far, as each engine counts them */
	uint8_t *marked;	   /* [n_switches] as in struct engine_input */
};

#endif
