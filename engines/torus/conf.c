#include "engines/torus/conf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"

#define SEPARATORS " \t\r\n"

struct torus_conf_reading {
	struct torus_conf *c;
	const char *name;
	unsigned line, bad;
	char *rest; /* of the line, for strtok_r() */
	struct text *errors;
};

static bool torus_conf_wrong(struct torus_conf_reading *r, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Adds an error for the current line. Returns false. */
static bool torus_conf_wrong(struct torus_conf_reading *r, const char *fmt, ...)
{
	va_list ap;

	r->bad++;
	text_add(r->errors, "%s:%u: ", r->name, r->line);
	va_start(ap, fmt);
	text_addv(r->errors, fmt, ap);
	va_end(ap);
	text_putc(r->errors, '\n');
	return false;
}

static char *torus_conf_next_word(struct torus_conf_reading *r)
{
	return strtok_r(NULL, SEPARATORS, &r->rest);
}

/* As in OpenSM, a number keeps only its lower 32 bits. */
static unsigned torus_conf_number_of(const char *word, char **end)
{
	return (unsigned)strtoul(word, end, 0);
}

static struct torus_seed *open_seed(struct torus_conf_reading *r)
{
	struct torus_conf *c = r->c;

	GROW(c->seed, c->n_seeds, c->cap_seeds);
	c->seed[c->n_seeds] = (struct torus_seed){.line = r->line};
	return &c->seed[c->n_seeds++];
}

static struct torus_seed *present_seed(struct torus_conf_reading *r)
{
	return r->c->n_seeds ? &r->c->seed[r->c->n_seeds - 1] : open_seed(r);
}

/* --- keywords ---------------------------------------------------------------------------- */

static bool read_shape(struct torus_conf_reading *r, unsigned mesh)
{
	if (r->c->line)
		return torus_conf_wrong(
			r, "found a second torus or mesh, the first is in line %u; expected one", r->c->line);
	for (unsigned d = 0; mesh && d < TORUS_DIMS; d++)
		r->c->open[d] = true;
	for (unsigned d = 0; d < TORUS_DIMS; d++) {
		char *word = torus_conf_next_word(r), *end;

		if (!word)
			return torus_conf_wrong(r, "found %u radices, expected three", d);
		r->c->radix[d] = torus_conf_number_of(word, &end);
		if (r->c->radix[d] && (*end == 't' || *end == 'T'))
			r->c->open[d] = false;
		if (r->c->radix[d] == 2 || (r->c->radix[d] && (*end == 'm' || *end == 'M')))
			r->c->open[d] = true;
	}
	r->c->line = r->line;
	return true;
}

static bool read_link(struct torus_conf_reading *r, unsigned direction)
{
	struct torus_seed *s = present_seed(r);
	const char *a = torus_conf_next_word(r), *b = torus_conf_next_word(r);

	if (!a || !b)
		return torus_conf_wrong(r, "found %s, expected two switch GUIDs", a ? "one GUID" : "no GUID");
	s->link[direction] = (struct torus_seed_link){strtoull(a, NULL, 0), strtoull(b, NULL, 0), r->line};
	return true;
}

static bool read_dateline(struct torus_conf_reading *r, unsigned d)
{
	struct torus_seed *s = present_seed(r);
	const char *word = torus_conf_next_word(r);
	int64_t radix = r->c->radix[d];

	if (!word)
		return torus_conf_wrong(r, "found no position, expected a number");
	s->dateline[d] = (int)strtol(word, NULL, 0);
	if (s->dateline[d] < radix && (s->dateline[d] >= 0 || s->dateline[d] > -radix))
		return true;
	if (!radix)
		return torus_conf_wrong(
			r,
			"found a dateline before the torus or mesh line, expected it behind it (ERR 4E10)");
	return torus_conf_wrong(r, "found %d, expected a position above -%u and below %u (ERR 4E10)",
				s->dateline[d], r->c->radix[d], r->c->radix[d]);
}

static bool read_next_seed(struct torus_conf_reading *r, unsigned unused)
{
	(void)unused;
	open_seed(r);
	return true;
}

static bool read_most(struct torus_conf_reading *r, unsigned changes)
{
	const char *word = torus_conf_next_word(r);

	if (!word)
		return torus_conf_wrong(r, "found no number, expected the most %s",
					changes ? "changes to be told" : "ports a group may have");
	*(changes ? &r->c->max_changes : &r->c->max_ports) = torus_conf_number_of(word, NULL);
	return true;
}

/* Appends the missing ports in ascending order. */
static void fill_order(struct torus_conf *c, unsigned n, bool *seen)
{
	for (unsigned p = 0; p < TORUS_PORTS; p++)
		if (!seen[p])
			c->port_order[n++] = (uint8_t)p;
}

static bool read_port_order(struct torus_conf_reading *r, unsigned unused)
{
	bool seen[TORUS_PORTS] = {false};
	unsigned n = 0;
	char *word;

	(void)unused;
	r->c->order_line = r->line;
	while ((word = torus_conf_next_word(r))) {
		unsigned p = torus_conf_number_of(word, NULL);

		if (p >= TORUS_PORTS)
			return torus_conf_wrong(r, "found port %u, expected at most %u (ERR 4E21)", p,
						TORUS_PORTS - 1);
		if (!seen[p])
			r->c->port_order[n++] = (uint8_t)p;
		seen[p] = true;
	}
	fill_order(r->c, n, seen);
	return true;
}

struct keyword {
	const char *word;
	bool (*read)(struct torus_conf_reading *r, unsigned argument);
	unsigned argument;
};

static const struct keyword keywords[] = {{"torus", read_shape, 0},
					  {"mesh", read_shape, 1},
					  {"xm_link", read_link, 0},
					  {"xp_link", read_link, 1},
					  {"ym_link", read_link, 2},
					  {"yp_link", read_link, 3},
					  {"zm_link", read_link, 4},
					  {"zp_link", read_link, 5},
					  {"x_dateline", read_dateline, 0},
					  {"y_dateline", read_dateline, 1},
					  {"z_dateline", read_dateline, 2},
					  {"next_seed", read_next_seed, 0},
					  {"portgroup_max_ports", read_most, 0},
					  {"port_order", read_port_order, 0},
					  {"max_changes", read_most, 1}};

static void torus_conf_read_line(struct torus_conf_reading *r, char *line)
{
	const char *word = strtok_r(line, SEPARATORS, &r->rest);

	if (!word || *word == '#')
		return;
	r->c->first = r->c->first ? r->c->first : r->line;
	for (size_t i = 0; i < ARRAY_LEN(keywords); i++)
		if (!strcmp(word, keywords[i].word)) {
			keywords[i].read(r, keywords[i].argument);
			return;
		}
	torus_conf_wrong(r,
			 "found \"%.60s\", expected torus, mesh, [xyz][pm]_link, [xyz]_dateline, next_seed, "
			 "portgroup_max_ports, port_order or max_changes (ERR 4E12)",
			 word);
}

unsigned torus_conf_parse(struct torus_conf *c, const char *name, const char *data, size_t size,
			  struct text *errors)
{
	struct torus_conf_reading r = {.c = c, .name = name, .errors = errors};
	bool none[TORUS_PORTS] = {false};
	char *copy = mem_alloc(size + 1), *line = copy;

	*c = (struct torus_conf){.max_ports = 16, .max_changes = 32};
	fill_order(c, 0, none);
	memcpy(copy, data, size);
	while (line < copy + size) {
		char *end = memchr(line, '\n', (size_t)(copy + size - line));

		if (!end)
			end = copy + size;
		*end = '\0';
		r.line++;
		torus_conf_read_line(&r, line);
		line = end + 1;
	}
	free(copy);
	return r.bad;
}

void torus_conf_free(struct torus_conf *c)
{
	free(c->seed);
	*c = (struct torus_conf){0};
}

const char *torus_direction_name(unsigned direction)
{
	static const char *const name[] = {"-x", "+x", "-y", "+y", "-z", "+z", "local"};

	return direction < ARRAY_LEN(name) ? name[direction] : "none";
}

const char *torus_direction_keyword(unsigned direction)
{
	static const char *const name[] = {"xm_link", "xp_link", "ym_link", "yp_link", "zm_link", "zp_link"};

	return name[direction];
}
