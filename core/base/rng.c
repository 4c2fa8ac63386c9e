#include <assert.h>

#include "core/base/rng.h"

/* splitmix64: S. Vigna's public-domain generator. */
uint64_t rng_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

uint32_t rng_below(uint64_t *state, uint32_t n)
{
	assert(n > 0);
	/* multiply-shift; the bias of 2^-32 does not matter for choosing things */
	return (uint32_t)(((rng_next(state) >> 32) * n) >> 32);
}
