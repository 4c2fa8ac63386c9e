/* The list of all engines, and what several of them use: files of GUIDs, random numbers, rules,
 * lanes, columns. */
#include <assert.h>
#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "core/base/defs.h"
#include "core/base/infile.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/base/wordlist.h"
#include "core/sm/port_groups.h"
#include "engines/engines.h"

/* One line per engine. `engine_NAME` is defined in the engine's file. */
#define ENGINES(X)       \
	X(minhop)        \
	X(updn)          \
	X(ar_updn)       \
	X(dnup)          \
	X(dor)           \
	X(file)          \
	X(ftree)         \
	X(lash)          \
	X(nue)           \
	X(sssp)          \
	X(dfsssp)        \
	X(torus)         \
	X(mincontention) \
	X(live)          \
	X(tables)        \
	X(script)

#define DECLARE(name) extern const struct engine engine_##name;
#define LIST(name) &engine_##name,

ENGINES(DECLARE)

const struct engine *const all_engines[] = {ENGINES(LIST) NULL};

bool read_guid_option(const struct engine_input *in, struct engine_output *out, const char *option,
		      struct guid_file *g)
{
	*g = (struct guid_file){0};
	if (!options_file(in->options, option))
		return false;
	option_guids_read(in->options, option, in->topo->fabric, false, in->progress, g);
	if (g->stopped)
		note_add(&out->notes, NOTE_GUID_FILE, "%s: OpenSM stops reading: %s\n", option, g->why.msg);
	return true;
}

void note_ignored(const struct engine_input *in, struct engine_output *out, const char *option, unsigned line,
		  const char *fmt, ...)
{
	va_list ap;

	note_add(&out->notes, NOTE_GUID_FILE, "%s: %s:%u ignored: ", option, options_get(in->options, option),
		 line);
	va_start(ap, fmt);
	text_addv(&out->notes.text, fmt, ap);
	va_end(ap);
	text_putc(&out->notes.text, '\n');
}

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

struct rule_difference *rules_read(void *arena, struct err *e)
{
	return wordlist_read(arena, ".rules", "what program manual shows", e);
}

unsigned least_vls_code(const struct engine_input *in, uint32_t *port)
{
	const struct fabric *f = in->topo->fabric;
	const uint8_t *known = in->opervls ? in->opervls : f->port_opervls;
	unsigned least = 0;

	*port = NO_ID;
	for (uint32_t sw = 0; sw < f->n_switches; sw++) {
		if (!switch_up(in->topo, sw))
			continue;
		FOR_PORTS(f, sw, id) {
			unsigned code = in->topo->peer[id] == NO_ID ? 0 : known[id];

			if (!code || (least && code >= least))
				continue;
			least = code;
			*port = id;
		}
	}
	return least;
}

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

/* Writes columns k to k + 7 of rows v to v + 7. in_row: their LIDs are consecutive. */
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
	assert(lid <= MAX_LID && c->n <= COLUMNS_AT_ONCE);
	if (c->n == COLUMNS_AT_ONCE)
		columns_write(c);
	c->lid[c->n] = (uint16_t)lid;
	return c->of + c->n++ * c->stride;
}
