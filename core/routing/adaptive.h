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

#define ADAPTIVE_BLOCK 64 /* LIDs; mostly all of a block have one group */
#define ADAPTIVE_OWN 0x10000

struct adaptive_switch {
	/* index of a block's group, NO_ADAPTIVE = the static port alone; or ADAPTIVE_OWN + its place in own[]
	 */
	uint32_t *block;
	uint16_t (*own)[ADAPTIVE_BLOCK]; /* such an index for each LID */
	uint32_t n_blocks, cap_blocks, n_own, cap_own;
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
/* The same for the LIDs 0 to n - 1 of a switch, for which none was set; no group is added later. */
void adaptive_fill(struct adaptive_switch *s, const uint16_t *of_lid, unsigned n);
/* Forget all of a switch. */
void adaptive_clear(struct adaptive_switch *s);

/* The group of a LID; NULL = the static port alone.  NULL also when there is no adaptive routing. */
static inline const struct adaptive_group *adaptive_find(const struct adaptive *a, uint32_t sw, unsigned lid)
{
	const struct adaptive_switch *s = a ? &a->sw[sw] : NULL;
	uint32_t g = s && lid / ADAPTIVE_BLOCK < s->n_blocks ? s->block[lid / ADAPTIVE_BLOCK] : NO_ADAPTIVE;

	if (g >= ADAPTIVE_OWN)
		g = s->own[g - ADAPTIVE_OWN][lid % ADAPTIVE_BLOCK];
	return g == NO_ADAPTIVE ? NULL : &s->group[g];
}

#endif
