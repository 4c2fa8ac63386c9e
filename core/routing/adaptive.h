/*
 * Adaptive routing: for some LIDs a switch chooses among a group of ports, by load or by a hash of the flow.
 * Its forwarding table holds the static port: packets that may not be spread take it.  Immutable once made.
 */
#ifndef IBSCOPE_ADAPTIVE_H
#define IBSCOPE_ADAPTIVE_H

#include "core/base/counted.h"
#include "core/base/defs.h"
#include "core/fabric/fabric.h"

/* Ports of a switch: bit p % 64 of word p / 64. */
struct port_set {
	uint64_t word[4];
};

static inline void port_set_add(struct port_set *s, unsigned port)
{
	s->word[port / 64] |= UINT64_C(1) << port % 64;
}

static inline bool port_set_has(const struct port_set *s, unsigned port)
{
	return s->word[port / 64] >> port % 64 & 1;
}

/* First port of a set from `port` on, 256: none.  for (p = port_set_next(s, 0); p < 256; p = ..(s, p + 1)) */
unsigned port_set_next(const struct port_set *s, unsigned port);

#define NO_ADAPTIVE 0xFFFF

struct adaptive_group {
	uint16_t number; /* as the switch has it */
	struct port_set ports;
};

struct adaptive_switch {
	uint32_t n_lids;	      /* of_lid has so many entries */
	uint16_t *of_lid;	      /* index of a group, NO_ADAPTIVE = the static port alone */
	struct adaptive_group *group; /* [n_groups] */
	uint32_t n_groups, cap_groups;
};

struct adaptive {
	struct counted counted;
	uint32_t n_switches;
	struct adaptive_switch *sw; /* [n_switches] */
};

/* It has one reference; counted_unref(&a->counted) lets go of it. */
struct adaptive *adaptive_new(uint32_t n_switches);

/* The same groups on another fabric: switches are found by GUID.  A new object. */
struct adaptive *adaptive_on(const struct adaptive *a, const struct fabric *from, const struct fabric *to);

/* Index of a group of a switch.  A new index is added, without ports. */
unsigned adaptive_group_index(struct adaptive_switch *s, unsigned number);
/* Give a LID a group (an index, NO_ADAPTIVE). */
void adaptive_set(struct adaptive_switch *s, unsigned lid, unsigned group);
/* Forget all of a switch. */
void adaptive_clear(struct adaptive_switch *s);

/* The group of a LID; NULL = the static port alone.  NULL also when there is no adaptive routing. */
const struct adaptive_group *adaptive_find(const struct adaptive *a, uint32_t sw, unsigned lid);

#endif
