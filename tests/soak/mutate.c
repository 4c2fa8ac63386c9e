#include "tests/soak/mutate.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/memory.h"
#include "core/base/rng.h"

#define MOST_BYTES (256 << 10) /* a content does not grow beyond */

struct content content_read(const char *path)
{
	const char *slash = strrchr(path, '/');
	struct content c = {.name = str_dup(slash ? slash + 1 : path)};
	size_t cap = 0, got;
	FILE *f = fopen(path, "rbe");

	if (!f) {
		perror(path);
		exit(2);
	}
	do {
		c.data = mem_resize(c.data, cap += 1 << 14, 1);
		c.n += got = fread(c.data + c.n, 1, cap - c.n, f);
	} while (got);
	fclose(f);
	c.data = mem_resize(c.data, c.n, 1);
	return c;
}

static size_t at_random(uint64_t *rng, size_t n)
{
	return n ? rng_below(rng, (uint32_t)n) : 0;
}

/* Put `with` in the place of the bytes from .. to. */
static void replace(struct content *c, size_t from, size_t to, const char *with, size_t len)
{
	char *data;

	if (c->n - (to - from) + len > MOST_BYTES)
		return;
	data = mem_resize(NULL, c->n - (to - from) + len, 1);
	memcpy(data, c->data, from);
	memcpy(data + from, with, len);
	memcpy(data + from + len, c->data + to, c->n - to);
	free(c->data);
	c->data = data;
	c->n = c->n - (to - from) + len;
}

/* A line at random, its end included. */
static void some_line(uint64_t *rng, const struct content *c, size_t *from, size_t *to)
{
	*from = *to = at_random(rng, c->n);
	while (*from && c->data[*from - 1] != '\n')
		--*from;
	while (*to < c->n && c->data[(*to)++] != '\n')
		;
}

static void change_byte(uint64_t *rng, struct content *c)
{
	static const char telling[] = "\n\r\t \"'#[](){}-:;=,.0x1fF\\/@\x00\x7f\x80\xff\x1b";
	char b = (char)rng_next(rng);
	size_t at = at_random(rng, c->n), kind = rng_below(rng, 4);

	if (kind > 1)
		b = telling[rng_below(rng, sizeof(telling) - 1)];
	if (kind == 1 && c->n)
		b = (char)(c->data[at] ^ (1 << rng_below(rng, 8)));
	replace(c, at, at + (c->n && rng_below(rng, 3)), &b, 1);
}

static void change_range(uint64_t *rng, struct content *c, const struct content *other)
{
	size_t from = at_random(rng, c->n), to = from + at_random(rng, c->n - from), cut, len;

	if (rng_below(rng, 2) && to - from > 16)
		to = from + 1 + rng_below(rng, 16);
	switch (rng_below(rng, 4)) {
	case 0:
		replace(c, from, to, "", 0);
		break;
	case 1: { /* twice */
		char *copy = mem_dup(c->data + from, to - from);

		replace(c, to, to, copy, to - from);
		free(copy);
		break;
	}
	case 2:
		replace(c, from, c->n, "", 0);
		break;
	default:
		cut = at_random(rng, other->n);
		len = at_random(rng, other->n - cut);
		replace(c, from, to, other->data + cut, len);
	}
}

static void change_line(uint64_t *rng, struct content *c, const struct content *other)
{
	size_t from, to, from2, to2;
	char *line;

	some_line(rng, c, &from, &to);
	switch (rng_below(rng, 4)) {
	case 0:
		replace(c, from, to, "", 0);
		return;
	case 1:
		some_line(rng, other, &from2, &to2);
		replace(c, from, rng_below(rng, 2) ? from : to, other->data + from2, to2 - from2);
		return;
	default: /* to another place, or there as well */
		line = mem_dup(c->data + from, to - from);
		if (rng_below(rng, 2))
			replace(c, from, to, "", 0);
		some_line(rng, c, &from2, &to2);
		replace(c, from2, from2, line, to - from);
		free(line);
	}
}

/* A number becomes one that is at an edge. */
static void change_number(uint64_t *rng, struct content *c)
{
	static const char *const edges[] = {"0",
					    "-1",
					    "1",
					    "255",
					    "256",
					    "65535",
					    "65536",
					    "49151",
					    "4294967295",
					    "4294967296",
					    "0x",
					    "00000",
					    "18446744073709551616",
					    "1e9"};
	const char *with = edges[rng_below(rng, sizeof(edges) / sizeof(*edges))];
	size_t from = at_random(rng, c->n), to;

	while (from < c->n && !(c->data[from] >= '0' && c->data[from] <= '9'))
		from++;
	for (to = from; to < c->n && c->data[to] >= '0' && c->data[to] <= '9';)
		to++;
	replace(c, from, to, with, strlen(with));
}

struct content mutate(uint64_t *rng, const struct content *from, const struct content *other)
{
	struct content c = {.name = str_dup(from->name), .data = mem_resize(NULL, from->n, 1), .n = from->n};

	memcpy(c.data, from->data, from->n);
	for (unsigned n = 1 + rng_below(rng, 1u << rng_below(rng, 5)); n; n--)
		switch (rng_below(rng, 4)) {
		case 0:
			change_byte(rng, &c);
			break;
		case 1:
			change_range(rng, &c, other);
			break;
		case 2:
			change_line(rng, &c, other);
			break;
		default:
			change_number(rng, &c);
		}
	return c;
}
