/* Disjoint sets of ids 0 .. n - 1, as a forest: parent[v] == v is the root that stands for its set. */
#ifndef IBSCOPE_DISJOINT_H
#define IBSCOPE_DISJOINT_H

#include <stdint.h>

/* The root of v's set.  Ways to it become shorter. */
static inline uint32_t disjoint_root(uint32_t *parent, uint32_t v)
{
	while (parent[v] != v)
		v = parent[v] = parent[parent[v]];
	return v;
}

#endif
