#include <math.h>
#include <stdlib.h>

#include "core/analysis/survey/survey.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/rng.h"
#include "core/base/mix.h"

/* Pairs seen: open addressing, 0 = free. */
struct survey_random_seen {
	uint64_t *slot;
	size_t mask;
};

static bool survey_random_is_new(struct survey_random_seen *s, uint64_t key)
{
	size_t at = (size_t)(mix(0, key) >> 20) & s->mask;

	for (; s->slot[at]; at = (at + 1) & s->mask)
		if (s->slot[at] == key)
			return false;
	s->slot[at] = key;
	return true;
}

uint32_t survey_draw(uint32_t n, uint32_t want, uint64_t seed, uint32_t **out, bool *sampled)
{
	uint64_t total = n ? (uint64_t)n * (n - 1) / 2 : 0;
	struct survey_random_seen seen = {.mask = 16};
	uint32_t k = 0;

	*sampled = total > want;
	*out = NEW_ARRAY(2 * (size_t)(*sampled ? want : total) + 1, uint32_t);
	for (uint32_t i = 0; !*sampled && i < n; i++)
		for (uint32_t j = i + 1; j < n; j++) {
			(*out)[2 * (size_t)k] = i;
			(*out)[2 * (size_t)k++ + 1] = j;
		}
	if (!*sampled)
		return k;
	while (seen.mask < 2 * (size_t)want)
		seen.mask *= 2;
	seen.slot = NEW_ARRAY(seen.mask, uint64_t);
	seen.mask--;
	while (k < want) {
		uint32_t i = rng_below(&seed, n), j = rng_below(&seed, n - 1);

		j += j >= i;
		if (!survey_random_is_new(&seen, i < j ? (uint64_t)i << 32 | j : (uint64_t)j << 32 | i))
			continue;
		(*out)[2 * (size_t)k] = MIN(i, j);
		(*out)[2 * (size_t)k++ + 1] = MAX(i, j);
	}
	free(seen.slot);
	return k;
}

#define Z95 1.959963984540054

void wilson_interval(uint64_t hits, uint64_t n, double *low, double *high)
{
	double share, middle, half, z2 = Z95 * Z95;

	*low = 0;
	*high = 1;
	if (!n)
		return;
	share = (double)hits / (double)n;
	middle = (share + z2 / (2 * (double)n)) / (1 + z2 / (double)n);
	half = Z95 * sqrt(share * (1 - share) / (double)n + z2 / (4.0 * (double)n * (double)n)) /
	       (1 + z2 / (double)n);
	*low = hits && middle > half ? middle - half : 0;
	*high = hits < n && middle + half < 1 ? middle + half : 1;
}
