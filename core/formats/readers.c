/* Shared by the readers: rates, node types, lines that mean nothing. */
#include "core/formats/readers.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define UNKNOWN_LISTED 10
#define ERRORS_TOLD 20

bool any_line(const struct input *in, bool is(struct cursor line))
{
	struct lines l = lines_of(in);
	struct cursor line;

	while (lines_next(&l, &line))
		if (is(line))
			return true;
	return false;
}

void parse_rate(struct cursor t, uint8_t *width, uint8_t *speed)
{
	const char *p = t.p;

	while (p < t.end && (isdigit((unsigned char)*p) || *p == '?'))
		p++;
	if (p < t.end && *p == 'x')
		p++;
	else if (p - t.p >= 2 && t.p[0] == '?')
		p = t.p + 2;
	*width = link_width_parse(t.p, p - t.p);
	*speed = link_speed_parse(p, t.end - p);
}

enum link_speed lane_speed(struct cursor c)
{
	static const struct {
		const char *text[3];
		enum link_speed speed;
	} table[] = {
		{{"2.5"}, SPEED_SDR},		{{"5", "5.0"}, SPEED_DDR},
		{{"10", "10.0"}, SPEED_QDR},	{{"FDR10", "10.3125"}, SPEED_FDR10},
		{{"14", "14.0625"}, SPEED_FDR}, {{"25", "25.78125"}, SPEED_EDR},
		{{"50", "53.125"}, SPEED_HDR},	{{"100", "106.25"}, SPEED_NDR},
		{{"200", "212.5"}, SPEED_XDR},
	};

	for (size_t i = 0; i < ARRAY_LEN(table); i++)
		for (unsigned k = 0; k < 3 && table[i].text[k]; k++)
			if (cur_same(c, cur_text(table[i].text[k])))
				return table[i].speed;
	return SPEED_UNKNOWN;
}

static void skip(struct skipped *s, unsigned line, struct cursor text)
{
	if (!s->n) {
		s->first = line;
		excerpt(text, s->example, sizeof(s->example));
	}
	if (s->n++ < UNKNOWN_LISTED)
		text_add(&s->list, "%s%u", s->n > 1 ? ", " : "", line);
	else if (s->n == UNKNOWN_LISTED + 1)
		text_add(&s->list, ", ...");
}

void unknown_line(struct unknown_lines *u, unsigned line, struct cursor text)
{
	skip(&u->unknown, line, text);
}

void unread_line(struct unknown_lines *u, const struct input *in, unsigned line, struct cursor text,
		 const char *expected)
{
	if (text.end == in->data + in->size) {
		u->cut = true;
		return;
	}
	skip(&u->unread, line, text);
	if (!u->why)
		u->why = str_printf("%s:%u: found '%s', expected %s", in->name, line, u->unread.example,
				    expected);
}

static bool at_digit(struct cursor c)
{
	return c.p < c.end && isdigit((unsigned char)*c.p);
}

static bool at_blank(struct cursor c)
{
	return c.p < c.end && isblank((unsigned char)*c.p);
}

/* "7]", or that behind one other character, which a spoiled "[" is. */
static bool begins_with_port(struct cursor c)
{
	bool number;

	c.p += c.p < c.end && !at_digit(c);
	number = at_digit(c);
	while (at_digit(c))
		c.p++;
	return number && cur_begins(c, "]");
}

/* The words of "switchguid=0x...", and of "Switch 8 \"NAME\"". */
static bool begins_with_word(struct cursor c)
{
	bool number;

	while (c.p < c.end && *c.p != '=' && !at_blank(c))
		c.p++;
	if (cur_begins(c, "="))
		return cur_begins(c, "=0x");
	while (at_blank(c))
		c.p++;
	number = at_digit(c);
	while (at_digit(c) || at_blank(c))
		c.p++;
	return number && cur_begins(c, "\"");
}

bool like_block_line(struct cursor c)
{
	cur_blanks(&c);
	if (!cur_empty(&c) && *c.p == '#')
		return begins_with_port(c);
	if (begins_with_port(c) || begins_with_word(c))
		return true;
	for (const char *p = c.p; p < c.end && (p = memchr(p, '"', (size_t)(c.end - p))); p++) {
		uint64_t guid;

		if (c.end - p > 19 && p[19] == '"' && id_guid((struct cursor){p + 1, p + 19}, &guid))
			return true;
		if (c.end - p > 2 && p[1] == '[' && isdigit((unsigned char)p[2]))
			return true;
	}
	return false;
}

bool ibdiagnet_error(struct warnings *w, const char *path, unsigned line, const char *text, uint32_t *n)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	if (*n < ERRORS_TOLD)
		warnings_add(w, IBDIAGNET_ERROR, 0, "%s:%u: %s", name, line, text);
	else if (*n == ERRORS_TOLD)
		warnings_add(w, IBDIAGNET_ERROR, 0, "%s:%u: more like these", name, line);
	else
		warnings_stand_for(w, *n - ERRORS_TOLD + 1);
	return ++*n <= ERRORS_TOLD;
}

bool ends_with_newline(const struct input *in)
{
	return in->size && in->data[in->size - 1] == '\n';
}

bool rate_word_is_whole(const struct input *in, enum link_speed speed)
{
	const struct cursor all = {in->data, in->data + in->size};

	return speed && (speed != SPEED_FDR || !cur_find(&all, "FDR10"));
}

void cut_record(const struct input *in, unsigned line, struct warnings *w)
{
	warnings_missing(w, "cut record", line,
			 "%s ends within a record: was it copied or written to its end?", in->name);
}

void unknown_free(struct unknown_lines *u)
{
	text_free(&u->unknown.list);
	text_free(&u->unread.list);
	free(u->why);
	*u = (struct unknown_lines){0};
}

int unknown_report(struct unknown_lines *u, struct warnings *w, struct err *e)
{
	const struct skipped *s = &u->unknown, *lost = &u->unread;
	unsigned all = lost->n + u->read;
	int rc = 0;

	if (s->n)
		warnings_add(w, "unknown line", s->first,
			     "%u line%s not understood and skipped: line%s %s; the first is '%s'", s->n,
			     s->n > 1 ? "s" : "", s->n > 1 ? "s" : "", text_str(&s->list), s->example);
	if (lost->n) {
		warnings_missing(w, "unread line", lost->first,
				 "%u line%s of nodes, ports or cables not understood and left out: line%s "
				 "%s; %s",
				 lost->n, lost->n > 1 ? "s" : "", lost->n > 1 ? "s" : "",
				 text_str(&lost->list), u->why);
		warnings_stand_for(w, lost->n);
	}
	if ((uint64_t)lost->n * 10 > all)
		rc = err_set(e, "%s; %u of %u lines of nodes, ports and cables are not understood", u->why,
			     lost->n, all);
	unknown_free(u);
	return rc;
}

uint32_t add_node(struct fabric_builder *b, enum node_type type, uint64_t guid, unsigned nports,
		  unsigned line)
{
	uint32_t node = fb_add(b, type, guid, nports, NULL);

	if (node == NO_ID)
		warnings_missing(&b->warnings, "duplicate GUID", line,
				 "a second node has the GUID 0x%016" PRIx64 "; it is left out", guid);
	return node;
}

void want_port(struct fabric_builder *b, uint32_t node, uint64_t port, unsigned line)
{
	if (port <= b->node[node].nports)
		return;
	warnings_add(&b->warnings, "port above count", line,
		     "port %" PRIu64 " of a node that has %u ports by its own count; taken as %" PRIu64
		     " ports",
		     port, b->node[node].nports, port);
	fb_more_ports(b, node, (unsigned)port);
}

void add_cable(struct fabric_builder *b, const uint32_t node[2], const uint64_t port[2], const char *what,
	       unsigned line)
{
	if (node[0] == node[1] && port[0] == port[1])
		warnings_add(&b->warnings, "port cabled to itself", line,
			     "port %" PRIu64 " is cabled to itself; taken as not cabled", port[0]);
	else if (!fb_link(b, node[0], (unsigned)port[0], node[1], (unsigned)port[1]))
		warnings_missing(&b->warnings, "contradicting link", line,
				 "port %" PRIu64 " of 0x%016" PRIx64 " or port %" PRIu64 " of 0x%016" PRIx64
				 " is cabled elsewhere; the %s is left out",
				 port[0], b->node[node[0]].guid, port[1], b->node[node[1]].guid, what);
}

enum node_type cur_node_type(struct cursor *c)
{
	if (cur_word(c, "Switch"))
		return NODE_SWITCH;
	if (cur_word(c, "Ca") || cur_word(c, "Hca"))
		return NODE_CA;
	return cur_word(c, "Rt") ? NODE_ROUTER : 0;
}
