#include "engines/columns.h"

#include <endian.h>
#include <stdbool.h>
#include <string.h>

#include "core/base/memory.h"
#include "core/base/release.h"

struct columns columns_new(uint32_t rows)
{
	size_t stride = ((rows + 63u) / 64 | 1) * 64; /* an odd number of cache lines */

	return (struct columns){.row = NEW_ARRAY(rows + 7u, uint8_t *),
				.rows = rows,
				.of = NEW_ARRAY(COLUMNS_AT_ONCE * stride, uint8_t),
				.stride = stride};
}

void columns_free(struct columns *c)
{
	FREE_EACH(c->row, c->of);
}

/* Exchanges parts of two words: the upper one of each pair in a, the lower one in b (mask). */
static inline void exchange(uint64_t *a, uint64_t *b, unsigned shift, uint64_t mask)
{
	uint64_t x = (*a >> shift ^ *b) & mask;

	*a ^= x << shift;
	*b ^= x;
}

/* Byte j of word i and byte i of word j change places. */
static inline void turn(uint64_t w[8])
{
#pragma GCC unroll 4
	for (unsigned i = 0; i < 4; i++)
		exchange(&w[i], &w[i + 4], 32, UINT64_C(0x00000000FFFFFFFF));
#pragma GCC unroll 4
	for (unsigned i = 0; i < 4; i++)
		exchange(&w[i + (i & 2)], &w[i + (i & 2) + 2], 16, UINT64_C(0x0000FFFF0000FFFF));
#pragma GCC unroll 4
	for (unsigned i = 0; i < 8; i += 2)
		exchange(&w[i], &w[i + 1], 8, UINT64_C(0x00FF00FF00FF00FF));
}

/* Writes columns k to k + 7 of rows v to v + 7. in_row: they are so many LIDs in a row. */
static inline void write_square(const struct columns *c, uint32_t v, unsigned k, bool in_row)
{
	const uint16_t *lid = c->lid + k;
	unsigned width = c->n - k < 8 ? c->n - k : 8;
	uint64_t w[8];

#pragma GCC unroll 8
	for (unsigned i = 0; i < 8; i++) {
		memcpy(&w[i], c->of + (k + i) * c->stride + v, sizeof(w[i]));
		w[i] = le64toh(w[i]);
	}
	turn(w);
#pragma GCC unroll 8
	for (unsigned i = 0; i < 8; i++) {
		uint8_t *to = c->row[v + i]; /* there are rows, NULL, up to a multiple of 8 */
		uint64_t entries = htole64(w[i]);

		if (!to)
			continue;
		if (in_row) {
			memcpy(to + lid[0], &entries, sizeof(entries));
		} else if (width == 8) {
#pragma GCC unroll 8
			for (unsigned j = 0; j < 8; j++)
				to[lid[j]] = (uint8_t)(w[i] >> 8 * j);
		} else {
			for (unsigned j = 0; j < width; j++)
				to[lid[j]] = (uint8_t)(w[i] >> 8 * j);
		}
	}
}

void columns_write(struct columns *c)
{
	bool in_row[COLUMNS_AT_ONCE / 8];

	for (unsigned k = 0; k < c->n; k += 8) {
		in_row[k / 8] = c->n - k >= 8;
		for (unsigned i = 1; in_row[k / 8] && i < 8; i++)
			in_row[k / 8] = c->lid[k + i] == c->lid[k] + i;
	}
	for (uint32_t v = 0; v < c->rows; v += 8)
		for (unsigned k = 0; k < c->n; k += 8)
			write_square(c, v, k, in_row[k / 8]);
	c->n = 0;
}

uint8_t *columns_next(struct columns *c, unsigned lid)
{
	if (c->n == COLUMNS_AT_ONCE)
		columns_write(c);
	c->lid[c->n] = (uint16_t)lid;
	return c->of + c->n++ * c->stride;
}
