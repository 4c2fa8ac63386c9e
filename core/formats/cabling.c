/* Plans of cables as tables with a heading (UFM's .ndt among them), .cables, and what all readers share. */
#include "core/formats/cabling.h"
#include "core/base/memory.h"
#include "core/base/unpack.h"
#include "core/formats/ibnl.h"
#include "core/formats/readers.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define COLUMNS 256 /* of a table, those behind are not looked at */

void cabling_free(struct cabling *c)
{
	for (size_t i = 0; i < c->n; i++)
		for (int k = 0; k < 2; k++) {
			free(c->row[i].end[k].device);
			free(c->row[i].end[k].port);
		}
	free(c->row);
	warnings_free(&c->odd);
	*c = (struct cabling){0};
}

static struct cursor trimmed(struct cursor c)
{
	cur_blanks(&c);
	while (!cur_empty(&c) && (c.end[-1] == ' ' || (c.end[-1] >= '\t' && c.end[-1] <= '\r')))
		c.end--;
	return c;
}

static char *text_of(struct cursor c)
{
	c = trimmed(c);
	return cur_empty(&c) ? NULL : clean_text(c.p, (size_t)(c.end - c.p), (size_t)(c.end - c.p));
}

bool cabling_add(struct cabling *c, const struct cursor text[4], uint8_t width, uint8_t speed, unsigned line)
{
	struct planned_cable row = {.width = width, .speed = speed, .line = line};

	for (int k = 0; k < 2; k++) {
		row.end[k].device = text_of(text[2 * k]);
		row.end[k].port = text_of(text[2 * k + 1]);
		if (row.end[k].port && !strcmp(row.end[k].port, "-")) {
			free(row.end[k].port);
			row.end[k].port = NULL;
		}
	}
	if (row.end[0].device && row.end[1].device) {
		GROW(c->row, c->n, c->cap);
		c->row[c->n++] = row;
		return true;
	}
	for (int k = 0; k < 2; k++) {
		free(row.end[k].device);
		free(row.end[k].port);
	}
	return false;
}

void cabling_odd(struct cabling *c, unsigned line, const char *expected, struct cursor found)
{
	char text[48];

	warnings_missing(&c->odd, "missing part", line, "found \"%s\", expected %s",
			 excerpt(found, text, sizeof(text)), expected);
}

static bool says(struct cursor line)
{
	cur_blanks(&line);
	return !cur_empty(&line) && *line.p != '#';
}

/* --- tables with a heading ------------------------------------------------------------------------- */

enum role { NO_ROLE, DEVICE, PORT, SPEED, WIDTH };

/* Where a table has what; numbers of columns from 1, 0: nowhere. */
struct heading {
	char between;
	unsigned end[4]; /* device, port, device, port */
	unsigned speed, width;
};

/* The next field of a row; false: there is none.  *at is NULL behind the last. */
static bool next_field(const char **at, const char *end, char between, struct cursor *field)
{
	const char *p = *at, *stop;
	struct cursor rest;
	bool quoted = false;

	if (!p)
		return false;
	while (p < end && *p == ' ')
		p++;
	rest = (struct cursor){p, end};
	if (p < end && *p == '"' && (quoted = cur_quoted(&rest, field))) {
		while (!cur_empty(&rest) && *rest.p == '"' && cur_quoted(&rest, &(struct cursor){0}))
			field->end = rest.p - 1; /* "" within: both stay */
		p = rest.p;
	}
	stop = p < end ? memchr(p, between, (size_t)(end - p)) : NULL;
	if (!quoted)
		*field = (struct cursor){p, stop ? stop : end};
	*at = stop ? stop + 1 : NULL;
	return true;
}

static bool ends_with(struct cursor c, const char *word)
{
	size_t n = strlen(word);

	return (size_t)(c.end - c.p) >= n && !strncasecmp(c.end - n, word, n);
}

static bool begins_with(struct cursor c, const char *word)
{
	size_t n = strlen(word);

	return (size_t)(c.end - c.p) >= n && !strncasecmp(c.p, word, n);
}

/* What a column is by its heading; *side: 0 start, 1 end, -1: not told. */
static enum role role_of(struct cursor c, int *side)
{
	c = trimmed(c);
	if (begins_with(c, "#"))
		c.p++;
	if (begins_with(c, "Fields:"))
		c.p += strlen("Fields:");
	c = trimmed(c);
	*side = begins_with(c, "start") ? 0 : begins_with(c, "end") ? 1 : -1;
	if (ends_with(c, "device") || ends_with(c, "node"))
		return DEVICE;
	if (ends_with(c, "port"))
		return PORT;
	if (c.end - c.p != 5)
		return NO_ROLE;
	return ends_with(c, "speed") ? SPEED : ends_with(c, "width") ? WIDTH : NO_ROLE;
}

/* Is the line a heading that tells all four? */
static bool read_heading(struct cursor line, char between, struct heading *h)
{
	const char *at = line.p;
	struct cursor field;

	*h = (struct heading){.between = between};
	for (unsigned i = 1; i <= COLUMNS && next_field(&at, line.end, between, &field); i++) {
		int side;
		enum role role = role_of(field, &side);

		if (role == DEVICE || role == PORT) {
			unsigned *to = &h->end[role == PORT];

			side = side >= 0 ? side : to[0] != 0;
			if (!to[2 * side])
				to[2 * side] = i;
		} else if (role == SPEED || role == WIDTH) {
			unsigned *to = role == SPEED ? &h->speed : &h->width;

			*to = *to ? *to : i;
		}
	}
	return h->end[0] && h->end[1] && h->end[2] && h->end[3];
}

static bool is_heading(struct cursor line, struct heading *h)
{
	return read_heading(line, ',', h) || read_heading(line, ';', h) || read_heading(line, '\t', h);
}

/* "HDR", "4xHDR", or a rate of four lanes: "200000", "200", "200G". */
static void read_speed(struct cursor c, uint8_t *width, uint8_t *speed)
{
	static const struct {
		unsigned gbps;
		uint8_t speed;
	} rate[] = {{10, SPEED_SDR},  {20, SPEED_DDR},	{40, SPEED_QDR},  {56, SPEED_FDR},
		    {100, SPEED_EDR}, {200, SPEED_HDR}, {400, SPEED_NDR}, {800, SPEED_XDR}};
	uint64_t n;

	c = trimmed(c);
	parse_rate(c, width, speed);
	if (*speed || !cur_number(&c, 10, &n))
		return;
	n = n >= 10000 ? n / 1000 : n;
	for (size_t i = 0; i < sizeof(rate) / sizeof(rate[0]); i++)
		if (rate[i].gbps == n) {
			*speed = rate[i].speed;
			*width = WIDTH_4X;
		}
}

static void read_row(struct cabling *c, struct cursor line, unsigned no, struct heading *h)
{
	struct cursor text[4] = {{0}}, field;
	uint8_t width = 0, speed = 0;
	const char *at = line.p;
	struct heading again;
	int side;
	bool any = false;

	for (unsigned i = 1; i <= COLUMNS && next_field(&at, line.end, h->between, &field); i++) {
		field = trimmed(field);
		for (int k = 0; k < 4; k++)
			if (i == h->end[k]) {
				text[k] = field;
				any |= !cur_empty(&field);
			}
		if (i == h->speed)
			read_speed(field, &width, &speed);
		if (i == h->width)
			width = link_width_parse(field.p, (size_t)(field.end - field.p));
	}
	if (!cur_empty(&text[0]) && role_of(text[0], &side) == DEVICE && is_heading(line, &again))
		*h = again;
	else if (any && !cabling_add(c, text, width, speed, no)) /* other columns may hold notes */
		cabling_odd(c, no, "two devices in the columns of the heading", line);
}

static int read_table(struct lines *lines, struct cabling *c, struct heading *h)
{
	struct cursor line;

	c->format = "cabling list";
	while (lines_next(lines, &line))
		if (says(line))
			read_row(c, line, lines->no, h);
	return 0;
}

/* --- .cables: TYPE NAME PORT TYPE NAME PORT ---------------------------------------------------------- */

/* Ports are numbered; words of other tables with six columns need not be. */
static bool has_digit(struct cursor c)
{
	while (!cur_empty(&c) && (*c.p < '0' || *c.p > '9'))
		c.p++;
	return !cur_empty(&c);
}

static bool cable_words(struct cursor line, struct cursor text[4])
{
	struct cursor w[7];

	for (int i = 0; i < 7; i++)
		w[i] = cur_token(&line);
	text[0] = w[1];
	text[1] = w[2];
	text[2] = w[4];
	text[3] = w[5];
	return has_digit(w[2]) && has_digit(w[5]) && cur_empty(&w[6]);
}

static int read_cables(struct lines *lines, struct cabling *c)
{
	struct cursor line, text[4];

	c->format = "cables";
	while (lines_next(lines, &line))
		if (says(line) && !(cable_words(line, text) && cabling_add(c, text, 0, 0, lines->no)))
			cabling_odd(c, lines->no, "TYPE NAME PORT TYPE NAME PORT", line);
	return 0;
}

/* --- all --------------------------------------------------------------------------------------------- */

/* By what its lines look like. */
static int read_lines(const struct input *in, struct cabling *c, struct err *e)
{
	struct lines lines = {in->data, in->data + in->size, 0, in->progress};
	struct cursor line, text[4], first = {0};
	struct heading h;
	unsigned no = 0;
	char found[48];

	while (lines_next(&lines, &line)) {
		if (is_heading(line, &h))
			return read_table(&lines, c, &h);
		if (!no && says(line)) {
			first = line;
			no = lines.no;
		}
	}
	if (cable_words(first, text)) {
		lines = (struct lines){in->data, in->data + in->size, 0, in->progress};
		return read_cables(&lines, c);
	}
	return err_set(
		e,
		"%s:%u: found \"%s\", expected a plan of cables: a table with the heading StartDevice, "
		"StartPort, EndDevice, EndPort or node,port,node,port, .topo, .cables, ibfabricconf "
		"(XML), or Slurm's topology.conf",
		in->name, no, excerpt(first, found, sizeof(found)));
}

static int read_kind(const struct input *in, struct cabling *c, struct err *e)
{
	struct cursor all = {in->data, in->data + in->size};

	if (cur_char(&all, '<'))
		return cabling_xml(in, c, e);
	if (is_slurm_topology(in))
		return cabling_slurm(in, c, e);
	return is_topo(in) ? cabling_topo(in, c, e) : read_lines(in, c, e);
}

int cabling_parse(const struct input *in, struct cabling *c, struct err *e)
{
	static const char mark[] = "\xef\xbb\xbf"; /* as spreadsheets begin UTF-8 */
	struct input text = *in;

	*c = (struct cabling){0};
	if (in->size >= 3 && !memcmp(in->data, mark, 3)) {
		text.data += 3;
		text.size -= 3;
	}
	if (read_kind(&text, c, e))
		return -1;
	if (progress_cancelled(in->progress))
		return err_set(e, CANCELLED);
	if (c->odd.n * 10 > c->n + c->odd.n)
		return err_set(e, "%s:%u: %s; %zu of %zu lines are like this", in->name, c->odd.w[0].line,
			       c->odd.w[0].text, c->odd.n, c->n + c->odd.n);
	return c->n ? 0 : err_set(e, "%s: found no cable, expected some", in->name);
}

int cabling_load(const char *path, struct cabling *c, struct progress *p, struct err *e)
{
	char *data;
	size_t size;
	int rc;

	*c = (struct cabling){0};
	if (read_packed_file(path, p, &data, &size, e))
		return -1;
	rc = cabling_parse(&(struct input){path, data, size, p}, c, e);
	free(data);
	return rc;
}
