/*
 * SLs that the subnet administrator offers a pair of ports, and whether it gives them a path at all:
 * partitions and the QoS policy (core/sm/pair_sls_file.h).  Immutable once made.
 */
#ifndef IBSCOPE_PAIR_SLS_H
#define IBSCOPE_PAIR_SLS_H

#include "core/base/counted.h"
#include "core/base/defs.h"

/* A port in a partition. */
struct pkey_member {
	uint16_t pkey;
	bool full;
	uint8_t sl; /* of the partition */
};

#define NO_PAIR_SL 255 /* no SL is offered */

struct pair_sls {
	struct counted counted;
	uint32_t n_endports;
	/* [n_endports + 1] from `first` on in member[]: partitions of a port as OpenSM compares them; NULL:
	 * none are told, so all ports share one. */
	uint32_t *first;
	struct pkey_member *member;
	uint8_t *to; /* [n_endports] SL that the QoS policy gives paths to a port, NO_PAIR_SL; NULL: there is
			none */
	bool one;    /* all pairs are offered the SL `all`, and share a P_Key */
	uint8_t all;
};

/* Empty, with one reference; counted_unref(&p->counted) lets go of it. */
struct pair_sls *pair_sls_new(uint32_t n_endports);
/* The partition by which two ports get a path: the first in which both are, one of them in full.  NULL: none.
 */
const struct pkey_member *pair_sls_common(const struct pair_sls *p, uint32_t a, uint32_t b);
/* Have two ports a P_Key in common? */
bool pair_sls_share(const struct pair_sls *p, uint32_t a, uint32_t b);
/* The SL offered from a port to another. */
unsigned pair_sls_of(const struct pair_sls *p, uint32_t from, uint32_t to);

#endif
