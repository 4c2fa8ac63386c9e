/* Shared by the readers, beyond text: rates, node types, lines that mean nothing. */
#include "core/formats/readers.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define UNKNOWN_LISTED 10

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

void unknown_line(struct unknown_lines *u, unsigned line, struct cursor text)
{
	if (!u->n) {
		u->first = line;
		excerpt(text, u->example, sizeof(u->example));
	}
	if (u->n++ < UNKNOWN_LISTED)
		text_add(&u->list, "%s%u", u->n > 1 ? ", " : "", line);
}

void cut_record(const struct input *in, unsigned line, struct warnings *w)
{
	warnings_missing(w, "cut record", line,
			 "%s ends within a record: was it copied or written to its end?", in->name);
}

void unknown_report(struct unknown_lines *u, struct warnings *w)
{
	if (u->n)
		warnings_add(w, "unknown line", u->first,
			     "%u line%s not understood and skipped: line%s %s%s; the first is '%s'", u->n,
			     u->n > 1 ? "s" : "", u->n > 1 ? "s" : "", text_str(&u->list),
			     u->n > UNKNOWN_LISTED ? ", ..." : "", u->example);
	text_free(&u->list);
	u->n = 0;
}

enum node_type cur_node_type(struct cursor *c)
{
	if (cur_word(c, "Switch"))
		return NODE_SWITCH;
	if (cur_word(c, "Ca") || cur_word(c, "Hca"))
		return NODE_CA;
	return cur_word(c, "Rt") ? NODE_ROUTER : 0;
}
