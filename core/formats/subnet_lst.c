/* opensm-subnet.lst and the .lst of ibdiagnet: a line a port with a cable. */
#include "core/base/cursor.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/formats/rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One end of a cable, `{ SW Ports:24 SystemGUID:.. ... {DESC} LID:0040 PN:0D }`. */
struct subnet_lst_end {
	enum node_type type;
	bool sm;
	uint64_t nports, sysguid, node_guid, port_guid, vendor, device, lid, port;
	struct cursor desc;
};

/* Data from a node's lines so far. */
struct subnet_lst_seen {
	uint64_t guid_of_port; /* port GUID of its first line */
	uint8_t first_port;
	bool one_guid; /* a second port has the same GUID: the node is a switch */
};

struct subnet_lst_reader {
	const struct input *in;
	struct lines lines;
	struct fabric_builder *b;
	struct subnet_lst_seen *seen;
	size_t n_seen, cap_seen;
	struct unknown_lines unknown;
	uint32_t last_node; /* port of the last line that was understood */
	unsigned last_port, last_line;
};

static bool read_type(struct cursor *c, struct subnet_lst_end *n)
{
	if (cur_word(c, "CA"))
		n->type = NODE_CA;
	else if (cur_word(c, "SW"))
		n->type = NODE_SWITCH;
	else if (cur_word(c, "Rt") || cur_word(c, "RT"))
		n->type = NODE_ROUTER;
	else
		return false;
	n->sm = cur_word(c, "-SM");
	return true;
}

/* "{ SW Ports:": an end begins. */
static bool begins_end(struct cursor c)
{
	struct subnet_lst_end n;

	return cur_char(&c, '{') && read_type(&c, &n) && cur_word(&c, "Ports:");
}

bool is_subnet_lst(const struct input *in)
{
	struct lines l = lines_of(in);
	struct cursor line;

	while (lines_next(&l, &line))
		if (cur_says(line))
			return begins_end(line);
	return false;
}

static bool read_field(struct cursor *c, const char *name, uint64_t *v)
{
	return cur_word(c, name) && cur_number(c, 16, v);
}

/*
 * Reads one end. A description may hold anything, even "} LID:". With `last`, no other end follows and the
 * last such place counts; otherwise the first one that is followed by another end.
 */
static bool subnet_lst_read_end(struct cursor *c, struct subnet_lst_end *n, bool last)
{
	const char *behind = NULL;
	struct cursor d;
	uint64_t revision;

	*n = (struct subnet_lst_end){0};
	if (!cur_char(c, '{') || !read_type(c, n) || !read_field(c, "Ports:", &n->nports) ||
	    !read_field(c, "SystemGUID:", &n->sysguid) || !read_field(c, "NodeGUID:", &n->node_guid) ||
	    !read_field(c, "PortGUID:", &n->port_guid) || !read_field(c, "VenID:", &n->vendor) ||
	    !read_field(c, "DevID:", &n->device) || !read_field(c, "Rev:", &revision) || !cur_char(c, '{'))
		return false;
	for (d = *c; (d.p = cur_find(&d, "} LID:")) != NULL; d.p++) {
		struct cursor look = {d.p + 1, d.end};
		uint64_t lid, port;

		if (!read_field(&look, "LID:", &lid) || !read_field(&look, "PN:", &port) ||
		    !cur_char(&look, '}') || !(last || begins_end(look)))
			continue;
		n->desc = (struct cursor){c->p, d.p};
		n->lid = lid;
		n->port = port;
		behind = look.p;
		if (!last)
			break;
	}
	if (behind)
		c->p = behind;
	return behind != NULL;
}

/* What a bad end should have; NULL: it is good. */
static const char *bad_end(const struct subnet_lst_end *n)
{
	if (n->nports > MAX_PORTS)
		return "at most 254 (FE) ports";
	if (n->port < 1 || n->port > MAX_PORTS)
		return "port numbers (PN) of 1 to 254 (FE)";
	return n->lid > UINT16_MAX ? "LIDs up to 65535 (FFFF)" : NULL;
}

/* The builder index of an end's node, which is added if new. */
static uint32_t end_node(struct subnet_lst_reader *r, const struct subnet_lst_end *n)
{
	uint32_t node = fb_find(r->b, n->node_guid);
	uint32_t device = n->device > 0xFFFF ? n->device >> 16 : n->device;
	struct fb_node *f;

	if (node == NO_ID) {
		node = fb_add(r->b, n->type, n->node_guid, n->nports, NULL);
		f = &r->b->node[node];
		f->desc = cur_clean(n->desc, DESC_MAX);
		f->sysguid = n->sysguid;
		f->vendor = n->vendor;
		GROW(r->seen, r->n_seen, r->cap_seen);
		r->seen[r->n_seen++] = (struct subnet_lst_seen){n->port_guid, n->port, false};
	}
	f = &r->b->node[node];
	if (!f->device)
		f->device = device;
	want_port(r->b, node, n->port, r->lines.no);
	if (n->port != r->seen[node].first_port && n->port_guid == r->seen[node].guid_of_port)
		r->seen[node].one_guid = true;
	return node;
}

/* Notes LID and GUID at the port. They move to port 0 when all lines are known. */
static void note_end(struct subnet_lst_reader *r, uint32_t node, const struct subnet_lst_end *n)
{
	struct fb_port *p = &r->b->node[node].port[n->port];

	p->guid = n->port_guid;
	p->lid = n->lid;
	if (!n->sm)
		return;
	r->b->sm_node = node;
	r->b->sm_guessed = false;
	r->b->sm_port = n->port;
}

/* Reads a line. Returns NULL, or what was expected if the line is left out. */
static const char *subnet_lst_read_line(struct subnet_lst_reader *r, struct cursor c)
{
	struct subnet_lst_end a, b;
	struct cursor word;
	struct fb_port *p;
	uint32_t node[2];

	if (!subnet_lst_read_end(&c, &a, false) || !subnet_lst_read_end(&c, &b, true))
		return "two ends of a cable, each { SW Ports:.. ... {NAME} LID:.. PN:.. }";
	if (bad_end(&a) || bad_end(&b))
		return bad_end(&a) ? bad_end(&a) : bad_end(&b);
	node[0] = end_node(r, &a);
	node[1] = end_node(r, &b);
	note_end(r, node[0], &a);
	note_end(r, node[1], &b);
	r->last_node = node[0];
	r->last_port = (unsigned)a.port;
	r->last_line = r->lines.no;
	p = &r->b->node[node[0]].port[a.port];
	if (cur_word(&c, "PHY=")) { /* and "LOG=ACT SPD=10", which may be missing */
		word = cur_token(&c);
		p->width = link_width_parse(word.p, cur_len(word));
	}
	if (cur_word(&c, "LOG="))
		p->state = state_word(cur_token(&c));
	if (cur_word(&c, "SPD="))
		p->speed = lane_speed(cur_token(&c));
	add_cable(r->b, node, (uint64_t[]){a.port, b.port}, "line", r->lines.no);
	return NULL;
}

static bool has_line(const struct fb_port *p)
{
	return p->width || p->speed || p->state;
}

/*
 * Is the last line whole, without a newline behind it?  It is when it ends with a speed.  "5" and "10" may be
 * the beginning of "50" and "100": the line of the cable's other end then has to tell the same.
 */
static bool last_line_is_whole(const struct subnet_lst_reader *r)
{
	const struct fb_port *p =
		r->last_line == r->lines.no ? &r->b->node[r->last_node].port[r->last_port] : NULL;

	if (!p || p->peer_node == NO_ID || !p->width || !p->state || !p->speed)
		return false;
	return (p->speed != SPEED_DDR && p->speed != SPEED_QDR) ||
	       r->b->node[p->peer_node].port[p->peer_port].speed == p->speed;
}

static void subnet_lst_settle(struct subnet_lst_reader *r)
{
	unsigned misnamed = 0;
	uint64_t first = 0;

	for (uint32_t i = 0; i < r->b->n; i++) {
		struct fb_node *n = &r->b->node[i];

		if (n->type != NODE_SWITCH && r->seen[i].one_guid && !misnamed++)
			first = n->guid;
		if (n->type != NODE_SWITCH && !r->seen[i].one_guid)
			continue;
		n->type = NODE_SWITCH; /* its one LID and GUID were on its ports */
		for (unsigned p = 1; p <= n->nports; p++) {
			if (!n->port[0].guid)
				n->port[0].guid = n->port[p].guid;
			if (!n->port[0].lid)
				n->port[0].lid = n->port[p].lid;
			n->port[p].guid = 0;
			n->port[p].lid = 0;
		}
	}
	if (misnamed)
		warnings_add(&r->b->warnings, "node type", 0,
			     "%u node%s not called a switch but with one GUID on all ports (0x%016" PRIx64
			     " the first); taken as switches",
			     misnamed, misnamed > 1 ? "s" : "", first);
	/* ends without a line get the rate of the other end */
	for (uint32_t i = 0; i < r->b->n; i++)
		for (unsigned p = 1; p <= r->b->node[i].nports; p++) {
			struct fb_port *q = &r->b->node[i].port[p];
			struct fb_port *z =
				q->peer_node == NO_ID ? q : &r->b->node[q->peer_node].port[q->peer_port];

			if (!has_line(z)) {
				z->width = q->width;
				z->speed = q->speed;
				z->state = q->state;
			}
		}
}

int parse_subnet_lst(const struct input *in, struct fabric **out, struct err *e)
{
	struct subnet_lst_reader r = {.in = in, .b = fb_new(), .lines = lines_of(in)};
	struct cursor line = {0}, c;
	const char *expected;
	uint32_t halves = 0, whole = 0, node = NO_ID;

	r.b->sm_guessed = true; /* until a line tells it */
	while (lines_next(&r.lines, &line)) {
		c = line;
		cur_blanks(&c);
		if (cur_empty(&c) || *c.p == '#')
			continue;
		if (*c.p != '{') {
			unknown_line(&r.unknown, r.lines.no, line);
			continue;
		}
		expected = subnet_lst_read_line(&r, c);
		if (expected)
			unread_line(&r.unknown, in, r.lines.no, line, expected);
		else
			r.unknown.read++;
	}
	if (!ends_with_newline(in) && *line.p == '{' && !last_line_is_whole(&r))
		cut_record(in, r.lines.no, &r.b->warnings);
	/*
	 * OpenSM writes a line for each end of a cable; some tools write one for both. If some cables have
	 * two lines, an end without one belongs to a node whose lines are missing.
	 */
	for (uint32_t i = 0; i < r.b->n; i++) {
		const struct fb_node *n = &r.b->node[i];

		for (unsigned p = 1; p <= n->nports; p++) {
			const struct fb_port *q = &n->port[p];

			if (q->peer_node == NO_ID || !has_line(&r.b->node[q->peer_node].port[q->peer_port]))
				continue;
			whole += has_line(q);
			node = has_line(q) || halves++ ? node : i;
		}
	}
	if (whole && halves)
		warnings_missing(
			&r.b->warnings, "cut list", 0,
			"ends of cables without a line of their own, as others have: %u, the first at %s; "
			"was the file written to its end?",
			halves, r.b->node[node].desc);
	subnet_lst_settle(&r);
	free(r.seen);
	if (unknown_report(&r.unknown, &r.b->warnings, e)) {
		fb_free(r.b);
		return -1;
	}
	return fb_finish(r.b, in->name, "subnet.lst", out, e);
}
