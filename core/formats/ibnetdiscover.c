/*
 * Text of ibnetdiscover (infiniband-diags 44 and the layouts since 2006), also with -g and -f.  A terminal
 * may have changed it.
 */
#include "core/base/cursor.h"
#include "core/formats/readers.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The lines before a node's own line. */
struct pending {
	uint64_t guid, port_guid, sysguid, vendor, device;
	unsigned chassis;
	char *chassis_place;
	bool has_guid, hidden, unseen;
};

struct ibnetdiscover_reader {
	const struct input *in;
	struct net net;
	struct lines lines;
	struct pending pend;
	unsigned section;		 /* chassis whose section this is, 0 = none */
	uint32_t node;			 /* its port lines follow, NO_ID = none */
	bool bare;			 /* this node has had no port line yet */
	unsigned whole;			 /* port lines with all data after their # */
	unsigned ended;			 /* the last port line whose rate ends it */
	unsigned short_n, short_line;	 /* the others: number, first */
	bool skipping;			 /* port lines belong to a node that was left out */
	bool hidden;			 /* GUIDs were taken out of the text */
	struct cursor id, desc;		 /* of this node; id: empty when it tells the GUID */
	unsigned n_hidden, first_hidden; /* nodes without a GUID: number, line of the first */
	int status;
	struct err *e;
};

static void pending_clear(struct ibnetdiscover_reader *r)
{
	free(r->pend.chassis_place);
	r->pend = (struct pending){0};
}

bool hides_guid(struct cursor line)
{
	static const char *const keys[] = {"switchguid=", "caguid=", "hcaguids=", "rtguid="};
	uint64_t v;

	if (cur_empty(&line) || !strchr("schr", *line.p)) /* most lines are of ports */
		return false;
	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (cur_word(&line, keys[i]))
			return !cur_empty(&line) &&
			       !(cur_number(&line, 16, &v) && (cur_empty(&line) || strchr(" \t(", *line.p)));
	return false;
}

static bool ibnetdiscover_read_guid(struct cursor *c, uint64_t *guid)
{
	return cur_char(c, '=') && cur_number(c, 16, guid);
}

/* "(2c9020025a4ed)", if it is there. */
static void read_port_guid(const struct ibnetdiscover_reader *r, struct cursor *c, uint64_t *guid)
{
	struct cursor d = *c;
	uint64_t v;

	if (!cur_char(&d, '('))
		return;
	if (r->hidden && cur_find(&d, ")")) {
		cur_is_number(cur_part(&d, ')'), 16, guid);
		*c = d;
	} else if (cur_number(&d, 16, &v) && cur_char(&d, ')')) {
		*guid = v;
		*c = d;
	}
}

/* Lines `key=value` that begin a record. */
static bool ibnetdiscover_read_key(struct ibnetdiscover_reader *r, struct cursor c)
{
	struct pending *p = &r->pend;
	static const char *const guids[] = {"switchguid", "caguid", "hcaguids", "hcaguid", "rtguid"};
	uint64_t v;

	if (hides_guid(c)) {
		p->hidden = true;
		return true;
	}
	if (cur_word(&c, "vendid"))
		return ibnetdiscover_read_guid(&c, &p->vendor);
	if (cur_word(&c, "devid"))
		return ibnetdiscover_read_guid(&c, &p->device);
	if (cur_word(&c, "sysimgguid")) {
		if (!ibnetdiscover_read_guid(&c, &p->sysguid))
			return false;
		/* "# Chassis 3 (name)" may follow */
		if (cur_char(&c, '#') && cur_word(&c, "Chassis") && cur_number(&c, 10, &v) && v <= UINT16_MAX)
			p->chassis = v;
		return true;
	}
	for (size_t i = 0; i < ARRAY_LEN(guids); i++) {
		if (!cur_word(&c, guids[i]))
			continue;
		if (!ibnetdiscover_read_guid(&c, &p->guid))
			return false;
		p->has_guid = true;
		read_port_guid(r, &c, &p->port_guid);
		/* "# ISR9288 Spine 1 Chip 0" may follow */
		if (cur_char(&c, '#') && (c = cur_trimmed(c), !cur_empty(&c))) {
			free(p->chassis_place);
			p->chassis_place = cur_clean(c, 128);
		}
		return true;
	}
	return false;
}

/* A LID or LMC. One above `most` is reported and taken as 0. */
static unsigned in_range(struct ibnetdiscover_reader *r, uint64_t v, unsigned most)
{
	bool lid = most == UINT16_MAX;

	if (v <= most)
		return (unsigned)v;
	warnings_add(&r->net.b->warnings, lid ? "LID out of range" : "LMC out of range", r->lines.no,
		     lid ? "found LID %" PRIu64 ", expected at most 65535; taken as 0"
			 : "found LMC %" PRIu64 ", expected 0 to 7; taken as 0",
		     v);
	return 0;
}

/* "lid 320 lmc 0" */
static void read_lid(struct ibnetdiscover_reader *r, struct cursor c, struct fb_port *p)
{
	uint64_t v;

	if (cur_word(&c, "lid") && cur_number(&c, 10, &v))
		p->lid = in_range(r, v, UINT16_MAX);
	if (cur_word(&c, "lmc") && cur_number(&c, 10, &v))
		p->lmc = in_range(r, v, MAX_LMC);
}

bool id_guid(struct cursor id, uint64_t *guid)
{
	if (cur_len(id) != 18 || id.p[1] != '-' || !memchr("SHR?", id.p[0], 4))
		return false;
	id.p += 2;
	return cur_is_number(id, 16, guid);
}

enum node_type id_type(struct cursor id)
{
	if (cur_len(id) < 2 || id.p[1] != '-')
		return 0;
	if (*id.p == 'S')
		return NODE_SWITCH;
	return *id.p == 'R' ? NODE_ROUTER : NODE_CA;
}

/* The name of a node by its id; where that hides the GUID, by its description and LID, too. */
static uint32_t id_name(struct ibnetdiscover_reader *r, struct cursor id, struct cursor desc, unsigned lid)
{
	AUTO_FREE char *text = NULL;
	uint64_t guid;

	if (!r->hidden || id_guid(id, &guid))
		return net_name(&r->net, id.p, cur_len(id));
	text = str_printf("%.*s \"%.*s\" LID %u", CUR_ARGS(id), CUR_ARGS(desc), lid);
	return net_name(&r->net, text, strlen(text));
}

/* Gives this node, whose GUID is hidden, the name by which others know it: its id, description and LID. */
static void name_hidden(struct ibnetdiscover_reader *r, unsigned lid)
{
	assert(r->hidden && r->node != NO_ID);
	struct net_name *m = &r->net.name[id_name(r, r->id, r->desc, lid)];

	m->shared |= m->node != NO_ID && m->node != r->node;
	m->node = m->shared ? NO_ID : r->node;
}

/* Split a comment into the text before its quoted part, inside it, and after it. False: no quotes. */
static bool split_quoted(struct cursor c, struct cursor *before, struct cursor *inside, struct cursor *behind)
{
	const char *a = cur_empty(&c) ? NULL : memchr(c.p, '"', c.end - c.p), *z = cur_find_last(&c, '"');

	if (!a || a == z)
		return false;
	*before = (struct cursor){c.p, a};
	*inside = (struct cursor){a + 1, z};
	*behind = (struct cursor){z + 1, c.end};
	return true;
}

/* "# "DESC" enhanced port 0 lid 1600 lmc 0" after a node's id. */
static void read_node_comment(struct ibnetdiscover_reader *r, struct cursor c, struct fb_node *n)
{
	struct cursor before, inside, tail;

	if (!cur_char(&c, '#') || !split_quoted(c, &before, &inside, &tail))
		return;
	n->desc = cur_clean(inside, DESC_MAX);
	r->desc = inside;
	if (n->type != NODE_SWITCH)
		return;
	if (cur_word(&tail, "enhanced port 0"))
		n->esp0 = 1;
	else
		cur_word(&tail, "base port 0");
	read_lid(r, tail, &n->port[0]);
}

/* Switch<TAB>41 "S-1c34da0300728866" # ... ; false: not such a line. */
static bool ibnetdiscover_read_node(struct ibnetdiscover_reader *r, struct cursor c)
{
	enum node_type type = cur_node_type(&c);
	struct pending *p = &r->pend;
	struct cursor id;
	uint64_t ports, guid;

	if (!type || !cur_number(&c, 10, &ports) || !cur_quoted(&c, &id))
		return false;
	bool told = id_guid(id, &guid);
	char line[20] = "";
	if (!told && !p->has_guid && !p->hidden)
		return false;
	if (told && p->has_guid && guid != p->guid)
		warnings_missing(&r->net.b->warnings, "impossible value", r->lines.no,
				 "found the GUID 0x%016" PRIx64
				 " before the node \"%.*s\"; the former counts",
				 p->guid, CUR_ARGS(id));
	if (p->has_guid)
		guid = p->guid;
	else if (!told)
		guid = net_made_guid(r->net.b, 0);
	const bool hidden = !told && r->hidden;
	if (hidden)
		snprintf(line, sizeof(line), "line %u", r->lines.no);
	if (hidden && !r->n_hidden++)
		r->first_hidden = r->lines.no;
	r->id = hidden ? id : (struct cursor){0};
	r->desc = (struct cursor){id.end, id.end};
	r->status = net_take_ports(&r->net, type, ports, r->lines.no, r->e);
	r->node = r->status ? NO_ID
			    : net_node(&r->net, type, guid, ports, hidden ? cur_text(line) : id, r->lines.no);
	r->skipping = r->node == NO_ID;
	r->bare = !r->skipping;
	if (!r->skipping) {
		struct fb_node *n = &r->net.b->node[r->node];
		n->sysguid = p->sysguid ? p->sysguid : guid; /* ibsim does so without the line */
		n->vendor = p->vendor;
		n->device = p->device;
		n->chassis = p->chassis ? p->chassis : r->section;
		n->chassis_place = p->chassis_place;
		p->chassis_place = NULL;
		if (type == NODE_SWITCH)
			n->port[0].guid = p->port_guid;
		n->unseen = p->unseen;
		read_node_comment(r, c, n);
		if (hidden && type == NODE_SWITCH)
			name_hidden(r, n->port[0].lid);
	}
	pending_clear(r);
	return true;
}

/* "[ext 3]", if it is there. */
static unsigned read_ext(struct cursor *c)
{
	struct cursor d = *c;
	uint64_t v;

	if (!cur_char(&d, '[') || !cur_word(&d, "ext") || !cur_number(&d, 10, &v) || !cur_char(&d, ']'))
		return 0;
	*c = d;
	return v <= UINT8_MAX ? v : 0;
}

/* "(1/32/1)", with text inside. */
static bool read_pair(struct cursor *c, struct cursor *inside)
{
	if (!cur_char(c, '('))
		return false;
	const char *end = cur_find(c, ")");
	*inside = (struct cursor){c->p, end};
	c->p = end ? end + 1 : c->p;
	return end && inside->p < end;
}

/* The near end in a port's line. */
struct local {
	uint64_t port, guid; /* guid 0: not given */
	unsigned ext;
	struct cursor label; /* empty: not given */
};

/*
 * "[1]", "[1][ext 3]", "[1](2c9020025a4ed)"; of ibdiagnet "[1](1/1/1)", and of a channel adapter
 * "[1](1)(2c9020025a4ed)": a label comes first.  A switch's port has no GUID.
 */
static bool read_local(struct ibnetdiscover_reader *r, struct cursor *c, bool of_switch, struct local *l)
{
	*l = (struct local){0};
	if (!cur_in_brackets(c, &l->port))
		return false;
	l->ext = read_ext(c);
	struct cursor d = *c;
	if (read_pair(&d, &l->label) &&
	    (of_switch || cur_find(&l->label, "/") || (!cur_empty(&d) && *d.p == '(')))
		*c = d;
	else
		l->label = (struct cursor){0};
	read_port_guid(r, c, &l->guid);
	return true;
}

/* The other end: "S-000b8cffff004663"[2], with [ext 2] and (port GUID) maybe. */
static bool read_remote(struct ibnetdiscover_reader *r, struct cursor *c, struct cursor *id, uint64_t *port,
			uint64_t *guid)
{
	if (!cur_quoted(c, id))
		return false;
	*port = 1;
	if (!cur_in_brackets(c, port) && cur_char(c, '['))
		return false;
	read_ext(c);
	read_port_guid(r, c, guid);
	return true;
}

/* "lid 837 4xHDR" after a description: the far end's LID, this port's rate; then the label of `save`. */
static void read_tail(struct ibnetdiscover_reader *r, struct cursor c, unsigned port, uint16_t *lid)
{
	struct fb_port *p = &r->net.b->node[r->node].port[port];
	uint64_t v;

	if (!cur_word(&c, "lid") || !cur_number(&c, 10, &v))
		return;
	*lid = in_range(r, v, UINT16_MAX);
	struct cursor rate = c;
	if (!cur_word(&c, "label")) {
		parse_rate(cur_token(&rate), &p->width, &p->speed);
		c = rate;
		if (!cur_word(&c, "label")) {
			r->ended = p->width && rate_word_is_whole(r->in, p->speed) ? r->lines.no : 0;
			return;
		}
	}
	cur_blanks(&c);
	if (!cur_empty(&c))
		fb_label(r->net.b, r->node, port, c.p, cur_len(c));
}

static bool ibnetdiscover_read_port(struct ibnetdiscover_reader *r, struct cursor c)
{
	uint64_t peer_port, peer_guid = 0;
	struct cursor id, before, inside = {0}, tail;
	struct wire w = {.node = r->node, .line = r->lines.no};
	struct local l;
	bool of_switch = r->node != NO_ID && r->net.b->node[r->node].type == NODE_SWITCH;

	if (!read_local(r, &c, of_switch, &l) || !read_remote(r, &c, &id, &peer_port, &peer_guid))
		return false;
	if (r->skipping)
		return true;
	if (r->node == NO_ID)
		return false;
	if (l.port < 1 || l.port > MAX_PORTS || peer_port < 1 || peer_port > MAX_PORTS)
		return false;
	want_port(r->net.b, r->node, l.port, r->lines.no);
	r->bare = false;
	struct fb_port *p = &r->net.b->node[r->node].port[l.port];
	if (!of_switch && l.guid)
		p->guid = l.guid;
	p->ext = l.ext;
	if (!cur_empty(&l.label))
		fb_label(r->net.b, r->node, (unsigned)l.port, l.label.p, cur_len(l.label));
	if (cur_char(&c, '#') && split_quoted(c, &before, &inside, &tail)) {
		if (!of_switch)
			read_lid(r, before, p);
		read_tail(r, tail, (unsigned)l.port, &w.peer_lid);
		r->whole++;
	} else if (!r->short_n++) {
		r->short_line = r->lines.no;
	}
	if (!of_switch && !cur_empty(&r->id))
		name_hidden(r, p->lid);
	w.port = l.port;
	w.peer_port = peer_port;
	w.peer_guid = peer_guid;
	w.peer = id_name(r, id, inside, w.peer_lid);
	w.peer_type = id_type(id);
	w.peer_desc = inside;
	net_wire(&r->net, &w);
	return true;
}

/* Does the line begin like one of a record? */
static bool ibnetdiscover_of_record(struct cursor c)
{
	static const char *const begins[] = {
		"vendid=", "devid=", "sysimgguid=", "switchguid=", "caguid=", "hcaguid",
		"rtguid=", "Switch", "Ca",	    "Hca",	   "Rt"};

	if (c.end - c.p > 1 && *c.p == '[')
		return c.p[1] >= '0' && c.p[1] <= '9';
	for (size_t i = 0; i < ARRAY_LEN(begins); i++)
		if (cur_word(&c, begins[i])) /* "Cannot ..." is not a record */
			return cur_empty(&c) || !isalpha((unsigned char)*c.p) || c.p[-1] == '=';
	return false;
}

/* Section headings of -g. */
static bool ibnetdiscover_read_section(struct ibnetdiscover_reader *r, struct cursor c)
{
	uint64_t v = 0;

	if (cur_word(&c, "Hostname:"))
		return true;
	if (!cur_word(&c, "Non-Chassis Nodes") && !(cur_word(&c, "Chassis") && cur_number(&c, 10, &v)))
		return false;
	r->section = v <= UINT16_MAX ? v : 0;
	return true;
}

static void ibnetdiscover_read_line(struct ibnetdiscover_reader *r, struct cursor line)
{
	struct cursor c = line;
	bool known;

	cur_blanks(&c);
	if (cur_empty(&c))
		return;
	if (*c.p == '#' && cur_word(&c, "# " NOT_SEEN)) {
		r->pend.unseen = true;
		return;
	}
	if (*c.p == '#' && !like_block_line(c)) { /* "# Topology file: generated on ..." */
		if (!r->net.b->generated && cur_word(&c, "# Topology file:"))
			r->net.b->generated = cur_clean((cur_blanks(&c), c), 256);
		return;
	}
	if (*c.p == '[') {
		known = ibnetdiscover_read_port(r, c);
	} else if (ibnetdiscover_read_key(r, c) || ibnetdiscover_read_section(r, c)) {
		known = true;
		r->node = NO_ID;
		r->skipping = false;
	} else {
		known = ibnetdiscover_read_node(r, c);
	}
	if (known)
		r->net.unknown.read += ibnetdiscover_of_record(c);
	else if (!ibnetdiscover_of_record(c) && !like_block_line(c))
		unknown_line(&r->net.unknown, r->lines.no, line);
	else
		unread_line(&r->net.unknown, r->in, r->lines.no, line,
			    *c.p == '[' || r->node != NO_ID
				    ? "[PORT] \"ID\"[PORT] below its node's line, with ports of 1 to 254"
				    : "Switch PORTS \"ID\" (or Ca, Rt), or numbers behind vendid=, "
				      "switchguid= and their like");
}

int parse_ibnetdiscover(const struct input *in, struct fabric **out, struct err *e)
{
	struct ibnetdiscover_reader r = {
		.in = in, .node = NO_ID, .e = e, .lines = lines_of(in), .hidden = any_line(in, hides_guid)};
	struct cursor line = {0};

	net_init(&r.net, in->name);
	while (!r.status && lines_next(&r.lines, &line))
		ibnetdiscover_read_line(&r, line);
	/*
	 * A terminal's prompt after the text is not a record.  A node without cables is not cut.  But if it
	 * is alone in the file, it is cut, unless an empty line ends it.
	 */
	if (r.pend.has_guid || r.pend.vendor || (r.bare && r.net.b->n == 1 && !cur_empty(&line)) ||
	    (!ends_with_newline(in) && ibnetdiscover_of_record(line) && r.ended != r.lines.no))
		cut_record(in, r.lines.no, &r.net.b->warnings);
	pending_clear(&r);
	if (r.status) {
		net_free(&r.net);
		return -1;
	}
	if (r.n_hidden) {
		warnings_missing(
			&r.net.b->warnings, "impossible value", r.first_hidden,
			"%s without a GUID: they are told apart by name and LID, and have GUIDs made up here",
			PLURAL(r.n_hidden, "node"));
		warnings_stand_for(&r.net.b->warnings, r.n_hidden);
	}
	if (r.whole && r.short_n)
		warnings_add(&r.net.b->warnings, "short line", r.short_line,
			     "%s of ports without description and LID behind #, as others have",
			     PLURAL(r.short_n, "line"));
	net_link(&r.net);
	return net_finish(&r.net, "ibnetdiscover", out, e);
}
