/* Plans of cables as tables with a heading (UFM's .ndt among them), .cables, and what all readers share. */
#include "core/formats/cabling.h"
#include "core/base/foreign.h"
#include "core/base/memory.h"
#include "core/base/unpack.h"
#include "core/formats/readers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define COLUMNS 256 /* of a table; further ones are ignored */

void cabling_free(struct cabling *c)
{
	for (size_t i = 0; i < c->n; i++)
		for (int k = 0; k < 2; k++) {
			free(c->row[i].end[k].device);
			free(c->row[i].end[k].port);
		}
	free(c->row);
	for (size_t i = 0; i < c->n_devices; i++)
		free(c->device[i]);
	free(c->device);
	warnings_free(&c->odd);
	*c = (struct cabling){0};
}

bool cabling_add(struct cabling *c, const struct cursor text[4], uint8_t width, uint8_t speed, unsigned line)
{
	struct planned_cable row = {.width = width, .speed = speed, .line = line};
	char **to[4] = {&row.end[0].device, &row.end[0].port, &row.end[1].device, &row.end[1].port};

	for (int k = 0; k < 4; k++) {
		struct cursor word = cur_trimmed(text[k]);

		if (!cur_empty(&word) && !(k % 2 && cur_is(word, "-")))
			*to[k] = cur_clean(word, SIZE_MAX);
	}
	if (row.end[0].device && row.end[1].device) {
		GROW(c->row, c->n, c->cap);
		c->row[c->n++] = row;
		return true;
	}
	for (int k = 0; k < 4; k++)
		free(*to[k]);
	return false;
}

void cabling_odd(struct cabling *c, unsigned line, const char *expected, struct cursor found)
{
	char text[48];

	warnings_missing(&c->odd, "missing part", line, "found \"%s\", expected %s",
			 excerpt(found, text, sizeof(text)), expected);
}

static char *device_of(const struct fabric *f, uint32_t node, const struct fabric *to)
{
	bool same = fabric_node_by_guid(to, f->node_guid[node]) != NO_ID;

	return same ? str_printf("0x%016" PRIx64, f->node_guid[node]) : str_dup(f->node_name[node]);
}

static struct planned_end cabling_end_of(const struct fabric *f, uint32_t port, const struct fabric *to)
{
	struct planned_end end;

	end.device = device_of(f, f->port_node[port], to);
	end.port = str_printf("Port %u", f->port_num[port]);
	return end;
}

void cabling_of_fabric(const struct fabric *f, const struct fabric *to, struct cabling *c)
{
	*c = (struct cabling){.format = "fabric", .whole = true};
	for (uint32_t n = 0; n < f->n_nodes; n++) {
		GROW(c->device, c->n_devices, c->cap_devices);
		c->device[c->n_devices++] = device_of(f, n, to);
	}
	for (uint32_t l = 0; l < f->n_links; l++) {
		uint32_t p = f->link_port[2 * l], q = f->link_port[2 * l + 1];

		GROW(c->row, c->n, c->cap);
		c->row[c->n++] = (struct planned_cable){{cabling_end_of(f, p, to), cabling_end_of(f, q, to)},
							f->port_width[p],
							f->port_speed[p],
							0};
	}
}

/* --- tables with a heading ------------------------------------------------------------------------- */

enum role { NO_ROLE, DEVICE, PORT, SPEED, WIDTH };

/* Numbers of a table's columns, from 1; 0: none. */
struct heading {
	char between;
	unsigned end[4]; /* device, port, device, port */
	unsigned speed, width;
};

static bool cabling_ends_with(struct cursor c, const char *word)
{
	size_t n = strlen(word);

	return cur_len(c) >= n && !strncasecmp(c.end - n, word, n);
}

/* The role of a column by its heading. *side: 0 start, 1 end, -1: not told. */
static enum role role_of(struct cursor c, int *side)
{
	c = cur_trimmed(c);
	if (cur_begins(c, "#"))
		c.p++;
	if (cur_begins(c, "Fields:"))
		c.p += strlen("Fields:");
	c = cur_trimmed(c);
	*side = cur_begins(c, "start") ? 0 : cur_begins(c, "end") ? 1 : -1;
	if (cabling_ends_with(c, "device") || cabling_ends_with(c, "node"))
		return DEVICE;
	if (cabling_ends_with(c, "port"))
		return PORT;
	if (cur_len(c) != 5)
		return NO_ROLE;
	return cabling_ends_with(c, "speed") ? SPEED : cabling_ends_with(c, "width") ? WIDTH : NO_ROLE;
}

/* Is the line a heading with devices and ports of both ends? */
static bool cabling_read_heading(struct cursor line, char between, struct heading *h)
{
	*h = (struct heading){.between = between};
	for (unsigned i = 1; i <= COLUMNS && line.p; i++) {
		int side;
		enum role role = role_of(cur_csv(&line, between), &side);

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
	return cabling_read_heading(line, ',', h) || cabling_read_heading(line, ';', h) ||
	       cabling_read_heading(line, '\t', h);
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

	c = cur_trimmed(c);
	parse_rate(c, width, speed);
	if (*speed || !cur_number(&c, 10, &n))
		return;
	n = n >= 10000 ? n / 1000 : n;
	for (size_t i = 0; i < ARRAY_LEN(rate); i++)
		if (rate[i].gbps == n) {
			*speed = rate[i].speed;
			*width = WIDTH_4X;
		}
}

static void cabling_read_row(struct cabling *c, struct cursor line, unsigned no, struct heading *h)
{
	struct cursor text[4] = {{0}}, field, rest = line;
	uint8_t width = 0, speed = 0;
	struct heading again;
	int side;
	bool any = false;

	for (unsigned i = 1; i <= COLUMNS && rest.p; i++) {
		field = cur_trimmed(cur_csv(&rest, h->between));
		for (int k = 0; k < 4; k++)
			if (i == h->end[k]) {
				text[k] = field;
				any |= !cur_empty(&field);
			}
		if (i == h->speed)
			read_speed(field, &width, &speed);
		if (i == h->width)
			width = link_width_parse(field.p, cur_len(field));
	}
	if (!cur_empty(&text[0]) && role_of(text[0], &side) == DEVICE && is_heading(line, &again))
		*h = again;
	else if (any && !cabling_add(c, text, width, speed, no)) /* other columns may hold notes */
		cabling_odd(c, no, "two devices in the columns of the heading", line);
}

/* --- .cables: TYPE NAME PORT TYPE NAME PORT ---------------------------------------------------------- */

/* Ports have numbers. Other tables with six columns may have none. */
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

/* --- all --------------------------------------------------------------------------------------------- */

/* Reads lines by what they look like. */
static int cabling_read_lines(const struct input *in, struct cabling *c, struct err *e)
{
	struct lines lines = lines_of(in);
	struct cursor line, text[4], first = {0};
	struct heading h;
	unsigned no = 0;
	char found[48];

	while (lines_next(&lines, &line)) {
		if (is_heading(line, &h)) {
			c->format = "cabling list";
			while (lines_next(&lines, &line))
				if (cur_says(line))
					cabling_read_row(c, line, lines.no, &h);
			return 0;
		}
		if (!no && cur_says(line)) {
			first = line;
			no = lines.no;
		}
	}
	if (cable_words(first, text)) {
		c->format = "cables";
		for (lines = lines_of(in); lines_next(&lines, &line);)
			if (cur_says(line) &&
			    !(cable_words(line, text) && cabling_add(c, text, 0, 0, lines.no)))
				cabling_odd(c, lines.no, "TYPE NAME PORT TYPE NAME PORT", line);
		return 0;
	}
	return err_set(
		e,
		"%s:%u: found \"%s\", expected a plan of cables: a table with the heading StartDevice, "
		"StartPort, EndDevice, EndPort or node,port,node,port, .topo, .cables, ibfabricconf (XML), "
		"or Slurm's topology.conf",
		in->name, no, excerpt(first, found, sizeof(found)));
}

int cabling_parse(const struct input *in, struct cabling *c, struct err *e)
{
	size_t mark = text_mark(in->data, in->size); /* spreadsheets begin UTF-8 with it */
	struct input text = {in->name, in->data + mark, in->size - mark, in->progress};
	int (*parse)(const struct input *in, struct cabling *c, struct err *e) = cabling_read_lines;

	*c = (struct cabling){0};
	if (cur_char(&(struct cursor){text.data, text.data + text.size}, '<'))
		parse = cabling_xml;
	else if (is_slurm_topology(&text))
		parse = cabling_slurm;
	else if (is_topo(&text))
		parse = cabling_topo;
	if (parse(&text, c, e))
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
