/*
 * The edge and the top of a fabric, found from its cables and hosts alone, without any engine.  OpenSM finds
 * roots by counting.  That fails where switches carry aggregation nodes, or where a few hosts stand on a
 * spine.
 */
#ifndef IBSCOPE_LEVELS_H
#define IBSCOPE_LEVELS_H

#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/fabric/state.h"

struct levels {
	uint32_t n_switches;
	uint32_t *hosts;  /* [n_switches] hosts that count on each */
	uint8_t *edge;	  /* [n_switches] 1 = edge switch */
	uint16_t *level;  /* [n_switches] links to the nearest edge switch; NO_HOPS: it reaches none, or is
			     down */
	double *share;	  /* [n_ports] even shares with the hosts on edge switches only (spread.h) */
	unsigned top;	  /* highest level with a switch of positive share; 0: a direct fabric */
	uint32_t n_edges; /* edge switches */
	/* [n_switches] 1 = on the top level with a positive share; of a direct fabric the switch in its
	 * middle */
	uint8_t *root;
	uint32_t n_roots;
};

/* hosts: [n_switches] number that counts on each, copied.  NULL when cancelled. */
struct levels *levels_new(const struct topo *t, const uint32_t *hosts, struct progress *p);
void levels_free(struct levels *l);

/*
 * GUIDs in the form of OpenSM's files, a line each: of the roots; or of the host ports in `in` [n_endports],
 * those on edge switches (edge) or the others.
 */
void levels_root_guids(const struct levels *l, const struct fabric *f, struct text *t);
void levels_host_guids(const struct levels *l, const struct topo *tp, const uint8_t *in, bool edge,
		       struct text *t);

#endif
