/* One number for many: places in hash tables, fingerprints.  Saved shares of a survey hold such numbers. */
#ifndef IBSCOPE_MIX_H
#define IBSCOPE_MIX_H

#include <stdint.h>

/* The number of a sequence, with one more behind it. */
static inline uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 29;
}

#endif
