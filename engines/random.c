#include "engines/random.h"
#include "core/base/defs.h"

uint32_t glibc_random_next(struct glibc_random *g)
{
	/* r[i] = r[i - 3] + r[i - 31] */
	uint32_t v = g->r[g->at] + g->r[(g->at + 28) % 31];

	g->r[g->at] = v;
	g->at = (g->at + 1) % 31;
	return v >> 1;
}

void glibc_random_skip(struct glibc_random *g, uint64_t n)
{
	while (n--)
		glibc_random_next(g);
}

void glibc_random_seed(struct glibc_random *g, uint32_t seed)
{
	int32_t x = seed ? (int32_t)seed : RANDOM_DEFAULT_SEED;

	for (unsigned i = 0; i < 31; i++) {
		g->r[i] = (uint32_t)x;
		x = 16807 * (x % 127773) - 2836 * (x / 127773);
		x += x < 0 ? INT32_MAX : 0;
	}
	/* r[31 .. 33] repeat r[0 .. 2]; the first sum is r[34] = r[31] + r[3] = r[0] + r[3] */
	g->at = 3;
	glibc_random_skip(g, 310);
}
