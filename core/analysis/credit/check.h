/*
 * Is a routing sound?  Unreachable pairs, forwarding loops, tables that lead to dead ports.  It looks only at
 * tables and knows no engine.  With adaptive routing packets may take several ports.  A pair counts as
 * unreachable when any choice of ports does not arrive.  Its hops are those of the longest way.
 */
#ifndef IBSCOPE_CHECK_H
#define IBSCOPE_CHECK_H

#include "core/base/progress.h"
#include "core/routing/paths.h"

struct check_example {
	uint32_t sw; /* the switch from which it fails */
	uint16_t lid;
	enum path_end end;
};

struct check_result {
	uint64_t pairs;		     /* ordered pairs (source host, LID of another host), all present; hosts:
					routing_has_host() */
	uint64_t unreachable;	     /* of these without a path */
	uint64_t looping;	     /* of the unreachable: forwarding loops */
	uint64_t misled;	     /* of the unreachable: they reach another port that has the LID */
	uint64_t switch_unreachable; /* (source port, switch LID) without a path: information, not a fault by
					itself */
	uint32_t no_lid;	     /* present endports without LID */
	uint32_t cut_off;	     /* endports that are up but not reached from the SM */
	/* of pairs: those whose ports share no P_Key, so that partitions keep them apart on purpose and the
	 * SA gives no path, whatever the tables do; and one example, source and destination */
	uint64_t apart;
	uint64_t apart_limited; /* of these: share one, but both as limited members */
	uint32_t apart_from, apart_to;
	unsigned max_hops;
	uint64_t hops_count[64]; /* pairs by number of links; the last also counts longer ones */
	struct check_example example[16];
	unsigned n_examples;
};

/*
 * The same.  It also reports each way that does not arrive, from a switch with hosts to a LID of another
 * host.  Order: by LID, then by switch.
 */
struct check_listener {
	void (*broken)(void *ctx, uint32_t sw, unsigned lid, bool loops);
	void *ctx;
};
int check_routing_to(const struct routing *r, struct check_result *c, const struct check_listener *to,
		     struct progress *p);

/* 0; -1 when cancelled. */
int check_routing(const struct routing *r, struct check_result *c, struct progress *p);
/*
 * Does another port have the same LID as a host and count as its owner (lid_owner())?  Packets for the LID
 * reach one of the two.  Counts the pairs to the host, and those that do not reach it.  Returns false when
 * the LID is the host's own. hosts: routing_hosts().  With adaptive routing the entries of the tables are
 * followed.
 */
bool check_shared_lid(const struct routing *r, const uint32_t *hosts, uint32_t endport, uint64_t *pairs,
		      uint64_t *lost);

#endif
