/* iblinkinfo as printed by default, with -l and --switches-only; ibnetdiscover -p. */
#include "core/formats/readers.h"

#include <ctype.h>
#include <string.h>

struct linkinfo_reader {
	struct rows rows;
	struct row_end node; /* iblinkinfo: its rows follow; type 0 = none */
	unsigned group;	     /* line that names it */
};

/* --- iblinkinfo -------------------------------------------------------------------------------------- */

/* `Switch: 0x0002c9020046c588 NAME:`, `CA: NAME:`, `Router: NAME:`; of OFED 1.5 `Switch 0x0008f10500380136
 * NAME:` */
static bool linkinfo_read_node(struct linkinfo_reader *r, struct cursor c)
{
	struct row_end n = {0};

	if (cur_word(&c, "Switch:") ||
	    (cur_word(&c, "Switch") && cur_word(&(struct cursor){c.p, c.end}, "0x")))
		n.type = NODE_SWITCH;
	else if (cur_word(&c, "CA:"))
		n.type = NODE_CA;
	else if (cur_word(&c, "Router:") || cur_word(&c, "RT:"))
		n.type = NODE_ROUTER;
	else
		return false;
	if (n.type == NODE_SWITCH && (!cur_number(&c, 0, &n.guid) || !n.guid))
		return false;
	if (c.end - c.p < 2 || *c.p != ' ' || c.end[-1] != ':')
		return false;
	n.name = (struct cursor){c.p + 1, c.end - 1};
	r->node = n;
	r->group = r->rows.lines.no;
	r->rows.hosts |= n.type != NODE_SWITCH;
	return true;
}

/* "532 1[ ]": LID, port, external port. What is missing stays 0. */
static bool read_place(struct cursor *c, struct row_end *o)
{
	uint64_t a = 0, b = 0;
	bool one = cur_number(c, 10, &a), two = one && cur_number(c, 10, &b);

	o->lid = two ? a : 0;
	o->port = two ? b : a;
	if (!cur_char(c, '['))
		return false;
	return cur_behind(c, "]");
}

/* Takes the text between the first and the last quote. *c moves past the latter. */
static bool read_name(struct cursor *c, struct cursor *name)
{
	const char *last = cur_find_last(c, '"');

	if (!cur_char(c, '"') || last < c->p)
		return false;
	*name = (struct cursor){c->p, last};
	c->p = last + 1;
	return true;
}

/* "( Could be 4X Could be 53.125 Gbps)": what both ends support, where the link is less. */
static void linkinfo_read_could_be(struct row *t, struct cursor c)
{
	enum link_width width = t->width;
	enum link_speed speed = t->speed;
	uint8_t bit = 16;

	while (cur_behind(&c, "Could be ")) {
		struct cursor word = cur_token(&c);
		enum link_width w = link_width_parse(word.p, cur_len(word));

		width = w ? w : width;
		speed = w ? speed : MAX(lane_speed(word), speed);
	}
	while (bit && link_width_of_code(bit) != width)
		bit /= 2;
	t->widths = bit;
	t->speeds = speed ? (uint16_t)(1u << (speed - 1)) : 0;
}

static bool read_linkinfo_row(struct linkinfo_reader *r, struct cursor c)
{
	struct row w = {.own = r->node, .line = r->rows.lines.no, .group = r->group};
	const char *arrow, *close;

	for (struct cursor left = c;
	     (arrow = cur_find(&left, "==(")) != NULL && (close = cur_find(&left, ")==>")) != NULL;
	     left.p = arrow + 1) {
		struct cursor own = {c.p, arrow}, state = {arrow + 3, close}, peer = {close + 4, c.end};
		struct row t = w;

		if (cur_word(&(struct cursor){own.p, own.end},
			     "0x")) /* "0x248a07030017b12c", if it is there */
			cur_number(&own, 0, &t.own.guid);
		if (cur_char(&own, '"')) { /* -l: rows of any node, with its name padded on the left */
			own.p--;
			if (!read_name(&own, &t.own.name))
				continue;
			t.own.name = cur_trimmed(t.own.name);
			t.own.type = 0;
			t.group = 0;
		}
		if (close < arrow || !read_place(&own, &t.own))
			continue;
		/* "4X  25.78125 Gbps (FDR10) Active/  LinkUp" or "Down/ Polling" */
		if (cur_find(&state, "Gbps")) {
			struct cursor width = cur_token(&state);
			t.width = link_width_parse(width.p, cur_len(width));
			t.speed = lane_speed(cur_token(&state));
			if (!cur_word(&state, "Gbps"))
				continue;
			if (cur_word(&state, "(FDR10)"))
				t.speed = SPEED_FDR10;
		}
		t.state = state_word(cur_trimmed(state));
		if (t.state == PORT_UNKNOWN)
			continue;
		if (cur_word(&(struct cursor){peer.p, peer.end}, "0x"))
			cur_number(&peer, 0, &t.peer.guid);
		if (!read_place(&peer, &t.peer) || !read_name(&peer, &t.peer.name))
			return false;
		peer = cur_trimmed(peer); /* "( )" or "( Could be 5.0 Gbps)" */
		t.ended = !cur_empty(&peer) && *peer.p == '(' && peer.end[-1] == ')';
		linkinfo_read_could_be(&t, peer);
		t.cabled = t.state != PORT_DOWN && t.peer.port;
		if (t.group && t.own.type == NODE_SWITCH) { /* another LID: the node's own line is missing */
			if (r->node.lid && t.own.lid != r->node.lid) {
				r->node = (struct row_end){0}; /* the next rows belong to an unknown node */
				r->group = 0;
				return false;
			}
			r->node.lid = t.own.lid;
		}
		return (t.group || !cur_empty(&t.own.name)) && rows_add(&r->rows, &t);
	}
	return false;
}

/* Does the line begin like that of a node? */
static bool of_node(struct cursor c)
{
	static const char *const begins[] = {"Switch", "CA", "Router", "RT"};

	for (size_t i = 0; i < ARRAY_LEN(begins); i++) {
		struct cursor d = c;

		if (cur_word(&d, begins[i]))
			return cur_empty(&d) || !isalnum((unsigned char)*d.p);
	}
	return false;
}

/* Is it a row? ibqueryerrors has the same text, but after other words. */
static bool linkinfo_is_row(struct cursor line)
{
	cur_blanks(&line);
	return !cur_empty(&line) && isdigit((unsigned char)*line.p) && cur_find(&line, "]") &&
	       cur_find(&line, "==(") && cur_find(&line, ")==>");
}

bool is_linkinfo(const struct input *in)
{
	return any_line(in, linkinfo_is_row);
}

int parse_linkinfo(const struct input *in, struct fabric **out, struct err *e)
{
	struct linkinfo_reader r = {0};
	struct cursor line;
	bool by_lines = false;

	rows_init(&r.rows, in);
	while (lines_next(&r.rows.lines, &line)) {
		struct cursor c = cur_trimmed(line);

		if (cur_empty(&c) || *c.p == '#')
			continue;
		if (linkinfo_read_node(&r, c)) {
			r.rows.unknown.read++;
		} else if (read_linkinfo_row(&r, c)) {
			by_lines |= !r.rows.row[r.rows.n - 1].group;
		} else if (of_node(c) || isdigit((unsigned char)*c.p) || cur_find(&c, "==(")) {
			unread_line(&r.rows.unknown, in, r.rows.lines.no, line,
				    "Switch: 0xGUID NAME:, CA: NAME: or below such a line LID PORT[ ] ==( "
				    "STATE )==> LID PORT[ ] \"NAME\"");
			if (of_node(c)) {
				r.node = (struct row_end){0};
				r.group = 0;
			}
		} else {
			unknown_line(&r.rows.unknown, r.rows.lines.no, line);
		}
	}
	r.rows.hosts |= by_lines;
	return rows_finish(
		&r.rows, "iblinkinfo",
		r.rows.hosts ? "node GUIDs of hosts (that of the first port is taken), their other ports, "
			       "system images"
			     : "GUIDs of hosts (made from their LIDs), their other ports, system images",
		out, e);
}

/* --- ibnetdiscover -p ---------------------------------------------------------------------------------- */

static enum node_type port_type(struct cursor word)
{
	return cur_same(word, cur_text("SW"))	? NODE_SWITCH
	       : cur_same(word, cur_text("CA")) ? NODE_CA
	       : cur_same(word, cur_text("RT")) ? NODE_ROUTER
						: 0;
}

/* `SW  1719 10 0x7cfe9003009ce5b0` */
static bool linkinfo_read_port(struct cursor *c, struct row_end *o)
{
	o->type = port_type(cur_token(c));
	return o->type && cur_number(c, 10, &o->lid) && cur_number(c, 10, &o->port) && cur_word(c, "0x") &&
	       cur_number(c, 16, &o->guid) && o->guid;
}

/* `'NAME'`, or the same without the quotes, as some versions have it. */
static struct cursor plain_name(struct cursor c)
{
	c = cur_trimmed(c);
	if (c.end - c.p >= 2 && *c.p == '\'' && c.end[-1] == '\'')
		return (struct cursor){c.p + 1, c.end - 1};
	return c;
}

static bool read_p_row(struct rows *r, struct cursor c)
{
	struct row w = {.line = r->lines.no};

	if (!linkinfo_read_port(&c, &w.own))
		return false;
	struct cursor width = cur_token(&c);
	struct cursor speed = cur_token(&c);
	if (width.end == width.p || width.end[-1] != 'x' || cur_empty(&speed))
		return false;
	w.cabled = cur_char(&c, '-');
	if (!w.cabled) {
		w.own.name = plain_name(c);
		return !cur_empty(&w.own.name) && rows_add(r, &w);
	}
	c = cur_trimmed(c);
	if (!linkinfo_read_port(&c, &w.peer) || !cur_char(&c, '(') || cur_empty(&c) || c.end[-1] != ')')
		return false;
	c.end--;
	w.ended = c.end[-1] == ' '; /* names may hold ")" */
	const char *between = cur_find(&c, "' - '");
	between = between ? between + 1 : cur_find(&c, " - ");
	if (!between)
		return false;
	w.own.name = plain_name((struct cursor){c.p, between});
	w.peer.name = plain_name((struct cursor){between + 3, c.end});
	w.width = link_width_parse(width.p, cur_len(width));
	w.speed = link_speed_parse(speed.p, cur_len(speed));
	return rows_add(r, &w);
}

static bool linkinfo_is_port(struct cursor line)
{
	return linkinfo_read_port(&line, &(struct row_end){0});
}

bool is_port_list(const struct input *in)
{
	return any_line(in, linkinfo_is_port);
}

int parse_port_list(const struct input *in, struct fabric **out, struct err *e)
{
	struct rows r;
	struct cursor line;

	rows_init(&r, in);
	r.hosts = true;
	while (lines_next(&r.lines, &line)) {
		struct cursor c = cur_trimmed(line);

		if (cur_empty(&c) || *c.p == '#' || read_p_row(&r, c))
			continue;
		if (port_type(cur_token(&c)))
			unread_line(&r.unknown, in, r.lines.no, line,
				    "TYPE LID PORT 0xGUID RATE - TYPE LID PORT 0xGUID ( 'NAME' - 'NAME' ), "
				    "with ports of 1 to 254 and LIDs up to 65535");
		else
			unknown_line(&r.unknown, r.lines.no, line);
	}
	return rows_finish(
		&r, "ibnetdiscover -p",
		"node GUIDs of hosts (that of the first port is taken), their ports without a cable, system "
		"images",
		out, e);
}
