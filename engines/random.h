/* glibc's random(), from which OpenSM draws (engines/doc/lash.md 9.3): additive feedback over 31 words. */
#ifndef IBSCOPE_RANDOM_H
#define IBSCOPE_RANDOM_H

#include "core/base/defs.h"
#include <stdint.h>

#define RANDOM_DEFAULT_SEED 1

struct glibc_random {
	uint32_t r[31];
	unsigned at; /* index of the next value */
};

/* Seeds as srandom(seed). 0 counts as 1. */
void glibc_random_seed(struct glibc_random *g, uint32_t seed);
/* The next value as random() gives it, 0 .. 2^31 - 1. */
uint32_t glibc_random_next(struct glibc_random *g);
/* Skips n values. */
void glibc_random_skip(struct glibc_random *g, uint64_t n);

#endif
