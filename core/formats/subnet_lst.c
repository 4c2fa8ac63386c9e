/* opensm-subnet.lst and the .lst of ibdiagnet: a line a port with a cable. */
#include "core/base/cursor.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/formats/readers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One end of a cable, `{ SW Ports:24 SystemGUID:.. ... {DESC} LID:0040 PN:0D }`. */
struct end {
	enum node_type type;
	bool sm;
	uint64_t nports, sysguid, node_guid, port_guid, vendor, device, lid, port;
	struct cursor desc;
};

/* What a node's lines have told so far. */
struct seen {
	uint64_t guid_of_port; /* port GUID of its first line */
	uint8_t first_port;
	bool one_guid; /* a second port has the same GUID: such a node is a switch */
};

struct reader {
	const struct input *in;
	struct lines lines;
	struct fabric_builder *b;
	struct seen *seen;
	size_t n_seen, cap_seen;
	struct unknown_lines unknown;
};

static bool read_type(struct cursor *c, struct end *n)
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

bool is_subnet_lst(const struct input *in)
{
	struct lines l = {in->data, in->data + in->size, 0, NULL};
	struct cursor line, c;
	struct end n;

	while (lines_next(&l, &line)) {
		c = line;
		cur_blanks(&c);
		if (!cur_empty(&c) && *c.p != '#')
			return cur_char(&c, '{') && read_type(&c, &n) && cur_word(&c, "Ports:");
	}
	return false;
}

static bool read_field(struct cursor *c, const char *name, uint64_t *v)
{
	return cur_word(c, name) && cur_number(c, 16, v);
}

/* "LID:0040 PN:0D }" */
static bool read_place(struct cursor *c, struct end *n)
{
	return read_field(c, "LID:", &n->lid) && read_field(c, "PN:", &n->port) && cur_char(c, '}');
}

/* Everything before the description. */
static bool read_head(struct cursor *c, struct end *n)
{
	uint64_t revision;

	return cur_char(c, '{') && read_type(c, n) && read_field(c, "Ports:", &n->nports) &&
	       read_field(c, "SystemGUID:", &n->sysguid) && read_field(c, "NodeGUID:", &n->node_guid) &&
	       read_field(c, "PortGUID:", &n->port_guid) && read_field(c, "VenID:", &n->vendor) &&
	       read_field(c, "DevID:", &n->device) && read_field(c, "Rev:", &revision) && cur_char(c, '{');
}

static bool begins_end(struct cursor c)
{
	struct end n;

	return cur_char(&c, '{') && read_type(&c, &n) && cur_word(&c, "Ports:");
}

/*
 * One end.  A description may hold anything, "} LID:" too: `last` tells that
 * no other end follows and the last such place counts; otherwise it is the
 * first behind which another end begins.
 */
static bool read_end(struct cursor *c, struct end *n, bool last)
{
	const char *behind = NULL;
	struct cursor d;

	*n = (struct end){0};
	if (!read_head(c, n))
		return false;
	for (d = *c; (d.p = cur_find(&d, "} LID:")) != NULL; d.p++) {
		struct cursor look = {d.p + 1, d.end};
		struct end trial = {0};

		if (!read_place(&look, &trial))
			continue;
		if (!last && !begins_end(look))
			continue;
		n->desc = (struct cursor){c->p, d.p};
		n->lid = trial.lid;
		n->port = trial.port;
		behind = look.p;
		if (!last)
			break;
	}
	if (behind)
		c->p = behind;
	return behind != NULL;
}

/* "PHY=4x LOG=ACT SPD=10"; the last two may be missing. */
static void read_rate(struct cursor c, struct fb_port *p)
{
	struct cursor t;

	if (cur_word(&c, "PHY=")) {
		t = cur_token(&c);
		p->width = link_width_parse(t.p, t.end - t.p);
	}
	if (cur_word(&c, "LOG=")) {
		t = cur_token(&c);
		p->state = cur_word(&t, "ACT")	 ? PORT_ACTIVE
			   : cur_word(&t, "ARM") ? PORT_ARMED
			   : cur_word(&t, "INI") ? PORT_INIT
			   : cur_word(&t, "DWN") ? PORT_DOWN
						 : PORT_UNKNOWN;
	}
	if (cur_word(&c, "SPD="))
		p->speed = lane_speed(cur_token(&c));
}

/* What an end should have; NULL: it has. */
static const char *bad_end(const struct end *n)
{
	if (n->nports > MAX_PORTS)
		return "at most 254 (FE) ports";
	if (n->port < 1 || n->port > MAX_PORTS)
		return "port numbers (PN) of 1 to 254 (FE)";
	return n->lid > UINT16_MAX ? "LIDs up to 65535 (FFFF)" : NULL;
}

/* Builder index of an end's node, which is added when new. */
static uint32_t end_node(struct reader *r, const struct end *n)
{
	uint32_t node = fb_find(r->b, n->node_guid);
	uint32_t device = n->device > 0xFFFF ? n->device >> 16 : n->device;
	struct fb_node *f;

	if (node == NO_ID) {
		node = fb_add(r->b, n->type, n->node_guid, n->nports, NULL);
		f = &r->b->node[node];
		f->desc = clean_text(n->desc.p, n->desc.end - n->desc.p, DESC_MAX);
		f->sysguid = n->sysguid;
		f->vendor = n->vendor;
		GROW(r->seen, r->n_seen, r->cap_seen);
		r->seen[r->n_seen++] = (struct seen){n->port_guid, n->port, false};
	}
	f = &r->b->node[node];
	if (!f->device)
		f->device = device;
	if (n->port > f->nports) {
		warnings_add(&r->b->warnings, "port above count", r->lines.no,
			     "port %" PRIu64
			     " of a node that has %u ports by its own count; taken as %" PRIu64 " ports",
			     n->port, f->nports, n->port);
		fb_more_ports(r->b, node, n->port);
	}
	if (n->port != r->seen[node].first_port && n->port_guid == r->seen[node].guid_of_port)
		r->seen[node].one_guid = true;
	return node;
}

/* LID and GUID: kept at the port, moved to port 0 when all lines are known. */
static void note_end(struct reader *r, uint32_t node, const struct end *n)
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

/* NULL, or what was expected of a line that is left out. */
static const char *read_line(struct reader *r, struct cursor c)
{
	struct end a, b;
	uint32_t na, nb;

	if (!read_end(&c, &a, false) || !read_end(&c, &b, true))
		return "two ends of a cable, each { SW Ports:.. ... {NAME} LID:.. PN:.. }";
	if (bad_end(&a) || bad_end(&b))
		return bad_end(&a) ? bad_end(&a) : bad_end(&b);
	na = end_node(r, &a);
	nb = end_node(r, &b);
	note_end(r, na, &a);
	note_end(r, nb, &b);
	read_rate(c, &r->b->node[na].port[a.port]);
	if (na == nb && a.port == b.port)
		warnings_add(&r->b->warnings, "port cabled to itself", r->lines.no,
			     "port %" PRIu64 " is cabled to itself; taken as not cabled", a.port);
	else if (!fb_link(r->b, na, a.port, nb, b.port))
		warnings_missing(&r->b->warnings, "contradicting link", r->lines.no,
				 "port %" PRIu64 " of 0x%016" PRIx64 " or port %" PRIu64 " of 0x%016" PRIx64
				 " is cabled elsewhere; the line is left out",
				 a.port, a.node_guid, b.port, b.node_guid);
	return NULL;
}

/* A switch has one LID and one GUID; they stood on its ports. */
static void settle_switch(struct fb_node *n)
{
	n->type = NODE_SWITCH;
	for (unsigned p = 1; p <= n->nports; p++) {
		if (!n->port[0].guid)
			n->port[0].guid = n->port[p].guid;
		if (!n->port[0].lid)
			n->port[0].lid = n->port[p].lid;
		n->port[p].guid = 0;
		n->port[p].lid = 0;
	}
}

static bool has_line(const struct fb_port *p)
{
	return p->width || p->speed || p->state;
}

/* Rate of ends that had no line of their own. */
static void settle_rates(struct fabric_builder *b, struct fb_node *n)
{
	for (unsigned p = 1; p <= n->nports; p++) {
		struct fb_port *q = &n->port[p], *z;

		if (q->peer_node == NO_ID)
			continue;
		z = &b->node[q->peer_node].port[q->peer_port];
		if (!has_line(z)) {
			z->width = q->width;
			z->speed = q->speed;
			z->state = q->state;
		}
	}
}

/*
 * OpenSM writes a line for each end of a cable, some tools one for both.  Where some cables
 * have both, an end without is of a node whose lines are missing.
 */
static void look_for_halves(struct reader *r)
{
	uint32_t halves = 0, whole = 0, node = NO_ID;

	for (uint32_t i = 0; i < r->b->n; i++) {
		const struct fb_node *n = &r->b->node[i];

		for (unsigned p = 1; p <= n->nports; p++) {
			const struct fb_port *q = &n->port[p];

			if (q->peer_node == NO_ID || !has_line(&r->b->node[q->peer_node].port[q->peer_port]))
				continue;
			whole += has_line(q);
			node = has_line(q) || halves++ ? node : i;
		}
	}
	if (whole && halves)
		warnings_missing(
			&r->b->warnings, "cut list", 0,
			"ends of cables without a line of their own, as others have: %u, the first at %s; "
			"was the file written to its end?",
			halves, r->b->node[node].desc);
}

static void settle(struct reader *r)
{
	unsigned misnamed = 0;
	uint64_t first = 0;

	for (uint32_t i = 0; i < r->b->n; i++) {
		struct fb_node *n = &r->b->node[i];

		if (n->type != NODE_SWITCH && r->seen[i].one_guid && !misnamed++)
			first = n->guid;
		if (n->type == NODE_SWITCH || r->seen[i].one_guid)
			settle_switch(n);
	}
	if (misnamed)
		warnings_add(&r->b->warnings, "node type", 0,
			     "%u node%s not called a switch but with one GUID on all ports (0x%016" PRIx64
			     " the first); "
			     "taken as switches",
			     misnamed, misnamed > 1 ? "s" : "", first);
	for (uint32_t i = 0; i < r->b->n; i++)
		settle_rates(r->b, &r->b->node[i]);
}

int parse_subnet_lst(const struct input *in, struct fabric **out, struct err *e)
{
	struct reader r = {
		.in = in, .b = fb_new(), .lines = {in->data, in->data + in->size, 0, in->progress}};
	struct cursor line = {0}, c;
	const char *expected;

	r.b->sm_guessed = true; /* until a line tells */
	while (lines_next(&r.lines, &line)) {
		c = line;
		cur_blanks(&c);
		if (cur_empty(&c) || *c.p == '#')
			continue;
		if (*c.p != '{') {
			unknown_line(&r.unknown, r.lines.no, line);
			continue;
		}
		expected = read_line(&r, c);
		if (expected)
			unread_line(&r.unknown, in, r.lines.no, line, expected);
		else
			r.unknown.read++;
	}
	if (in->data[in->size - 1] != '\n' && *line.p == '{')
		cut_record(in, r.lines.no, &r.b->warnings);
	look_for_halves(&r);
	settle(&r);
	free(r.seen);
	if (unknown_report(&r.unknown, &r.b->warnings, e)) {
		fb_free(r.b);
		return -1;
	}
	return fb_finish(r.b, in->name, "subnet.lst", out, e);
}
