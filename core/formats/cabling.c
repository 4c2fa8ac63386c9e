/* Plans of cables read from tables, from Slurm's topology and from XML. */
#include <expat.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/hostlist.h"
#include "core/base/infile.h"
#include "core/base/memory.h"
#include "core/base/program.h"
#include "core/base/progress.h"
#include "core/formats/cabling.h"
#include "core/formats/readers.h"

/* Plans from Slurm's topology.conf and `scontrol show topology` (tree and block): the switch of each host. */

/* `KEY=VALUE` of a line; letter case of keys does not matter. */
static bool cabling_slurm_take(struct cursor word, const char *key, struct cursor *value)
{
	struct cursor name = cur_part(&word, '=');

	if (name.end == word.end || !cur_is(name, key))
		return false;
	*value = word;
	return true;
}

/* The content of a line. */
struct cabling_slurm_branch {
	struct cursor name, nodes, level;
	bool block, leaf; /* leaf: it names no switches below */
};

static bool read_branch(struct cursor line, struct cabling_slurm_branch *b)
{
	struct cursor word, switches;

	*b = (struct cabling_slurm_branch){.leaf = true};
	while (word = cur_token(&line), !cur_empty(&word) && *word.p != '#') {
		if (cabling_slurm_take(word, "BlockName", &b->name))
			b->block = true;
		else if (cabling_slurm_take(word, "Switches", &switches))
			b->leaf &= cur_empty(&switches);
		else if (!cabling_slurm_take(word, "SwitchName", &b->name) &&
			 !cabling_slurm_take(word, "Nodes", &b->nodes))
			cabling_slurm_take(word, "Level", &b->level);
	}
	if (!cur_empty(&b->level) && *b->level.p != '0')
		b->leaf = false;
	return b->name.p != NULL;
}

static bool is_slurm_topology(const struct input *in)
{
	struct lines l = lines_of(in);
	struct cursor line;
	struct cabling_slurm_branch b;

	while (lines_next(&l, &line))
		if (cur_says(line))
			return cur_word(&line, "BlockSizes=") || read_branch(line, &b);
	return false;
}

static void cabling_slurm_add_branch(struct cabling *c, const struct cabling_slurm_branch *b,
				     struct cursor line, unsigned no)
{
	AUTO_FREE char *list = cur_clean(b->nodes, SIZE_MAX);
	struct hostlist l;
	struct err why;

	if (cur_empty(&b->name) || hostlist_read(list, &l, &why)) {
		cabling_odd(c, no, "SwitchName=NAME or BlockName=NAME with Nodes=LIST", line);
		return;
	}
	for (size_t i = 0; i < l.n; i++) {
		struct cursor text[4] = {cur_text(l.name[i]), {0}, b->name, {0}};

		cabling_add(c, text, 0, 0, no);
	}
	hostlist_free(&l);
}

static int cabling_slurm(const struct input *in, struct cabling *c, struct err *e)
{
	struct lines lines = lines_of(in);
	AUTO_TEXT struct text joined = {0};
	struct cursor line;
	unsigned first = 0;
	int rc = 0;

	c->format = "topology";
	c->kind = CABLING_LEAVES;
	while (!rc && lines_next(&lines, &line)) {
		bool more = !cur_empty(&line) && line.end[-1] == '\\';
		struct cabling_slurm_branch b;

		first = joined.len ? first : lines.no;
		text_add(&joined, "%.*s ", (int)(line.end - line.p) - more, line.p);
		if (joined.len > LINE_BYTES_MOST)
			rc = err_set(e, "%s:%u: found a line of more than %d bytes", in->name, first,
				     LINE_BYTES_MOST);
		if (rc || more)
			continue;
		struct cursor all = {joined.s, joined.s + joined.len - 1};
		if (read_branch(all, &b)) {
			c->kind = b.block ? CABLING_BLOCKS : c->kind;
			if (b.leaf && !cur_empty(&b.nodes))
				cabling_slurm_add_branch(c, &b, all, first);
		} else if (cur_says(all) && !cur_find(&all, "BlockSizes=") &&
			   !cur_find(&all, "AggregatedBlock")) {
			cabling_odd(c, first, "SwitchName=NAME or BlockName=NAME with Nodes=LIST", all);
		}
		joined.len = 0;
	}
	return rc;
}

/* ibfabricconf.xml: for each node a list of ports with the port and node at the other end. */

/* Expat 2.9 deprecates XML_GetCurrentLineNumber. */
#if XML_MAJOR_VERSION * 100 + XML_MINOR_VERSION >= 209
#define CURRENT_LINE(xml) ((unsigned)XML_GetCurrentLineNumber64(xml))
#else
#define CURRENT_LINE(xml) ((unsigned)XML_GetCurrentLineNumber(xml))
#endif

#define PIECE (1 << 20) /* bytes between two checks for cancelling */

struct rate {
	uint8_t width, speed;
};

struct cabling_xml_reader {
	struct cabling *c;
	XML_Parser xml;
	/* of <fabric>, <linklist>, <port>; an element without a rate has that of the one around it */
	struct rate all, list, cable;
	char *node, *port; /* present ones */
	struct text peer_port, peer_node;
	struct text *into; /* receives the text of the present element */
	unsigned line;
	bool known; /* the outermost element was <fabric> or <linklist> */
};

static const char *attribute(const char **list, const char *name)
{
	for (; *list; list += 2)
		if (!strcmp(*list, name))
			return list[1];
	return NULL;
}

static struct rate cabling_xml_rate_of(struct rate around, const char **list)
{
	const char *width = attribute(list, "width"), *speed = attribute(list, "speed");

	if (width)
		around.width = link_width_parse(width, strlen(width));
	if (speed)
		around.speed = link_speed_parse(speed, strlen(speed));
	return around;
}

static void cabling_xml_keep(char **to, const char *text)
{
	free(*to);
	*to = text ? str_dup(text) : NULL;
}

static void cabling_xml_begin(void *ctx, const char *name, const char **list)
{
	struct cabling_xml_reader *r = ctx;

	if (!strcmp(name, "fabric")) {
		r->known = true;
		r->all = cabling_xml_rate_of(r->all, list);
	} else if (!strcmp(name, "linklist")) {
		r->known = true;
		cabling_xml_keep(&r->node, attribute(list, "name"));
		r->list = cabling_xml_rate_of(r->all, list);
	} else if (!strcmp(name, "port")) {
		cabling_xml_keep(&r->port, attribute(list, "num"));
		r->cable = cabling_xml_rate_of(r->list, list);
		r->line = CURRENT_LINE(r->xml);
		text_free(&r->peer_port);
		text_free(&r->peer_node);
	}
	r->into = NULL;
	if (!strcmp(name, "r_port"))
		r->into = &r->peer_port;
	else if (!strcmp(name, "r_node"))
		r->into = &r->peer_node;
}

static void cabling_xml_end(void *ctx, const char *name)
{
	struct cabling_xml_reader *r = ctx;
	struct cursor text[4] = {cur_text(r->node), cur_text(r->port), cur_text(text_str(&r->peer_node)),
				 cur_text(text_str(&r->peer_port))};

	r->into = NULL;
	if (strcmp(name, "port"))
		return;
	if (!r->port || !cabling_add(r->c, text, r->cable.width, r->cable.speed, r->line))
		cabling_odd(r->c, r->line,
			    "<port num=...> with <r_port> and <r_node> in a <linklist name=...>",
			    cur_text("<port>"));
}

static void cabling_xml_characters(void *ctx, const char *s, int len)
{
	struct cabling_xml_reader *r = ctx;

	if (r->into && r->into->len < LINE_BYTES_MOST)
		text_add(r->into, "%.*s", len, s);
}

static int cabling_xml(const struct input *in, struct cabling *c, struct err *e)
{
	struct cabling_xml_reader r = {.c = c, .xml = XML_ParserCreate(NULL)};
	enum XML_Status status = XML_STATUS_OK;
	int rc = 0;

	if (!r.xml)
		mem_exhausted(PIECE);
	c->format = "ibfabricconf";
	XML_SetUserData(r.xml, &r);
	XML_SetElementHandler(r.xml, cabling_xml_begin, cabling_xml_end);
	XML_SetCharacterDataHandler(r.xml, cabling_xml_characters);
	for (size_t at = 0; at < in->size && status == XML_STATUS_OK && !progress_cancelled(in->progress);) {
		size_t n = in->size - at < PIECE ? in->size - at : PIECE;

		status = XML_Parse(r.xml, in->data + at, (int)n, at + n == in->size);
		at += n;
	}
	if (status != XML_STATUS_OK)
		rc = err_set(e, "%s:%u: found %s, expected XML with <fabric> and <linklist>", in->name,
			     CURRENT_LINE(r.xml), XML_ErrorString(XML_GetErrorCode(r.xml)));
	else if (!r.known)
		rc = err_set(e, "%s: found other XML, expected <fabric> with <linklist name=...>", in->name);
	XML_ParserFree(r.xml);
	free(r.node);
	free(r.port);
	text_free(&r.peer_port);
	text_free(&r.peer_node);
	return rc;
}

/* Plans of cables as tables with a heading (UFM's .ndt among them), .cables, and what all readers share. */

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

/* The role of a column by its heading. *side: 0 start, 1 end, -1: not stated. */
static enum role role_of(struct cursor c, int *side)
{
	c = cur_trimmed(c);
	if (cur_begins(c, "#"))
		c.p++;
	if (cur_begins(c, "Fields:"))
		c.p += strlen("Fields:");
	c = cur_trimmed(c);
	*side = cur_begins(c, "end") ? 1 : -1;
	if (cur_begins(c, "start"))
		*side = 0;
	if (cabling_ends_with(c, "device") || cabling_ends_with(c, "node"))
		return DEVICE;
	if (cabling_ends_with(c, "port"))
		return PORT;
	if (cur_len(c) != 5)
		return NO_ROLE;
	if (cabling_ends_with(c, "speed"))
		return SPEED;
	return cabling_ends_with(c, "width") ? WIDTH : NO_ROLE;
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
	AUTO_FREE char *data = NULL;
	size_t size;

	*c = (struct cabling){0};
	if (read_packed_file(path, p, &data, &size, e))
		return -1;
	return cabling_parse(&(struct input){path, data, size, p}, c, e);
}
