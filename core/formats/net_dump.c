/*
 * ibdiagnet's .net_dump and .net_dump_ext: rows of columns separated by colons, below a line that names them
 * (core/formats/doc/formats.md 9.5).
 */
#include "core/formats/rows.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum column {
	TYPE,
	LABEL,
	NUMBER,
	GUID,
	LID,
	STATE,
	WIDTH,
	SPEED,
	PEER_GUID,
	PEER_LABEL,
	PEER_LID,
	PEER,
	CONNECTED,
	DESC,
	COLUMNS
};

/* Headings. If there are two names, both are in use. */
static const char *const headings[COLUMNS][2] = {
	[TYPE] = {"Ty"},
	[LABEL] = {"#"},
	[NUMBER] = {"IB#", "#IB"},
	[GUID] = {"GUID"},
	[LID] = {"LID"},
	[STATE] = {"Sta"},
	[WIDTH] = {"LWA"},
	[SPEED] = {"LSA"},
	[PEER_GUID] = {"Neighbor Guid"},
	[PEER_LABEL] = {"N#"},
	[PEER_LID] = {"NLID"},
	[PEER] = {"Neighbor Description"},
	[CONNECTED] = {"Conn LID (#)"},
	[DESC] = {"Node Desc"},
};

#define MOST_FIELDS 64

struct net_dump_reader {
	struct rows rows;
	unsigned at[COLUMNS]; /* field of each column, MOST_FIELDS = none */
	unsigned n_fields;    /* of the header, 0 = no header yet */
	struct row_end node;  /* its rows follow; guid 0 = none */
	bool begun;	      /* the last line but comments was the node's; headings follow */
};

/* Splits a line at colons into at most n fields. The last takes the rest. */
static unsigned net_dump_split(struct cursor line, struct cursor *field, unsigned n)
{
	unsigned k = 0;
	bool more = true;

	while (k < n && more) {
		struct cursor one = k + 1 < n ? cur_part(&line, ':') : line;

		more = one.end != line.end;
		field[k++] = cur_trimmed(one);
	}
	return k;
}

/* Is it a line that names columns, both ends among them? */
static bool net_dump_read_header(struct cursor line, unsigned *at, unsigned *n_fields)
{
	struct cursor field[MOST_FIELDS];
	unsigned n = net_dump_split(line, field, MOST_FIELDS);

	for (unsigned c = 0; c < COLUMNS; c++) {
		at[c] = MOST_FIELDS;
		for (unsigned i = 0; i < n && at[c] == MOST_FIELDS; i++)
			if (cur_is(field[i], headings[c][0]) ||
			    (headings[c][1] && cur_is(field[i], headings[c][1])))
				at[c] = i;
	}
	*n_fields = n;
	return at[LABEL] < n && at[STATE] < n &&
	       ((at[PEER_GUID] < n && at[PEER_LABEL] < n) || (at[GUID] < n && at[CONNECTED] < n));
}

static bool is_header(struct cursor line)
{
	unsigned at[COLUMNS], n;

	return net_dump_read_header(line, at, &n);
}

bool is_net_dump(const struct input *in)
{
	struct cursor all = {in->data, in->data + in->size};

	return cur_find(&all, "Sta") && any_line(in, is_header);
}

static struct cursor unquoted(struct cursor c)
{
	if (c.end - c.p >= 2 && *c.p == '"' && c.end[-1] == '"')
		return (struct cursor){c.p + 1, c.end - 1};
	return c;
}

/* `"NAME", Mellanox, 0xb0cf0e0300e5b940, LID 24`: a switch; its rows follow. */
static bool net_dump_read_switch(struct net_dump_reader *r, struct cursor line)
{
	struct row_end n = {.type = NODE_SWITCH};
	const char *quote = cur_find_last(&line, '"');
	struct cursor c = {quote ? quote + 1 : line.end, line.end};

	if (!cur_char(&line, '"') || line.p > quote || !cur_behind(&c, "0x") ||
	    !cur_number(&c, 16, &n.guid) || !n.guid)
		return false;
	if (cur_char(&c, ',') && cur_word(&c, "LID"))
		cur_number(&c, 10, &n.lid);
	n.name = (struct cursor){line.p, quote};
	r->node = n;
	r->begun = true;
	r->rows.unknown.read++;
	return true;
}

/* "N/A" and the like are 0. */
static uint64_t number_or_0(struct cursor c)
{
	uint64_t v;

	return cur_number(&c, 0, &v) ? v : 0;
}

static bool net_dump_read_row(struct net_dump_reader *r, struct cursor line)
{
	struct cursor field[MOST_FIELDS + 1] = {0}, none = {line.end, line.end}, f[COLUMNS];
	struct row w = {.own = r->node, .line = r->rows.lines.no};
	unsigned n = net_dump_split(line, field, r->n_fields);

	if (n != r->n_fields)
		return false;
	w.ended = cur_len(unquoted(field[n - 1])) < cur_len(field[n - 1]);
	for (unsigned c = 0; c < COLUMNS; c++)
		f[c] = r->at[c] < n ? field[r->at[c]] : none;
	if (r->at[GUID] < n) {
		struct cursor type = f[TYPE];
		bool is_switch = cur_word(&type, "SW");
		const char *end;

		if (!is_switch && !cur_word(&type, "CA") && !cur_word(&type, "RT"))
			return false;
		w.own = (struct row_end){.type = is_switch	     ? NODE_SWITCH
						 : *f[TYPE].p == 'C' ? NODE_CA
								     : NODE_ROUTER,
					 .guid = number_or_0(f[GUID]),
					 .lid = number_or_0(f[LID]),
					 .name = unquoted(f[DESC])};
		/* "156   (B184D0F0/0/0/1)": LID and port */
		w.peer.lid = number_or_0(f[CONNECTED]);
		cur_token(&f[CONNECTED]);
		end = cur_find_last(&f[CONNECTED], ')');
		if (cur_char(&f[CONNECTED], '(') && end && f[CONNECTED].p < end)
			w.peer.label = cur_trimmed((struct cursor){f[CONNECTED].p, end});
	} else {
		w.peer = (struct row_end){.guid = number_or_0(f[PEER_GUID]),
					  .lid = number_or_0(f[PEER_LID]),
					  .name = unquoted(f[PEER]),
					  .label = f[PEER_LABEL]};
	}
	w.own.label = f[LABEL];
	if (!cur_is_number(r->at[NUMBER] < n ? f[NUMBER] : f[LABEL], 10, &w.own.port))
		return false;
	cur_is_number(w.peer.label, 10, &w.peer.port);
	w.state = state_word(f[STATE]);
	w.cabled = w.state != PORT_DOWN && (w.peer.guid || w.peer.lid);
	if (w.cabled) {
		w.width = link_width_parse(f[WIDTH].p, cur_len(f[WIDTH]));
		w.speed = lane_speed(f[SPEED]);
	}
	return w.state && rows_add(&r->rows, &w);
}

/* Does the line begin like that of a switch or row, or have columns? */
static bool net_dump_of_record(struct cursor c)
{
	struct cursor field[4], type = c;

	return *c.p == '"' || isdigit((unsigned char)*c.p) || cur_word(&type, "SW ") ||
	       cur_word(&type, "CA ") || cur_word(&type, "RT ") || net_dump_split(c, field, 4) == 4;
}

int parse_net_dump(const struct input *in, struct fabric **out, struct err *e)
{
	struct net_dump_reader r = {0};
	struct cursor line;
	bool ext = false;

	rows_init(&r.rows, in);
	while (lines_next(&r.rows.lines, &line)) {
		struct cursor c = cur_trimmed(line);
		unsigned at[COLUMNS], n;

		if (cur_empty(&c))
			continue;
		if (net_dump_read_header(c, at, &n)) {
			memcpy(r.at, at, sizeof(at));
			r.n_fields = n;
			ext |= at[GUID] < n;
			if (!r.begun) /* the line of their switch is missing */
				r.node = (struct row_end){0};
			r.begun = false;
		} else if (*c.p == '#' || (*c.p == '"' && net_dump_read_switch(&r, c)) ||
			   (r.n_fields && net_dump_read_row(&r, c))) {
			continue;
		} else if (net_dump_of_record(c)) {
			unread_line(&r.rows.unknown, in, r.rows.lines.no, line,
				    "\"NAME\", VENDOR, 0xGUID, LID n, headings, and below them rows of as "
				    "many columns, with ports of 1 to 254 and LIDs up to 65535");
			if (*c.p == '"')
				r.node = (struct row_end){0};
		} else {
			unknown_line(&r.rows.unknown, r.rows.lines.no, line);
		}
	}
	r.rows.hosts = ext;
	return rows_finish(
		&r.rows, ext ? "net_dump_ext" : "net_dump",
		ext ? "node GUIDs of hosts (that of the first port is taken), their other ports, system "
		      "images"
		    : "node GUIDs of hosts (that of the port is taken), their other ports, system images",
		out, e);
}
