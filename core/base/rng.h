/* Random numbers that a seed repeats. */
#ifndef IBSCOPE_RNG_H
#define IBSCOPE_RNG_H

#include <stdint.h>

/* A small deterministic generator (splitmix64) for seeds given by users and tests. */
uint64_t rng_next(uint64_t *state);
uint32_t rng_below(uint64_t *state, uint32_t n); /* uniform in 0 .. n-1 */

#endif
