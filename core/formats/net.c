/* Nodes and cables for formats where each end of a cable has a line, and .net_dump. */
#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/cursor.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/formats/readers.h"

#define MADE_GUIDS 0x100000 /* the first GUID made up for a node */

/* ibdiagnet's .net_dump and .net_dump_ext: rows of columns separated by colons, below a line that names them
 * (core/formats/doc/formats.md 9.5). */

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
static_assert(COLUMNS <= MOST_FIELDS, "a row has room for each column");

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

/* "N/A" and similar words are 0. */
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
		const char *end = cur_find_last(&f[CONNECTED], ')');
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

/* Nodes and cables, for formats where each end of a cable has its own line and names the other end. */

void net_init(struct net *n, const char *source)
{
	*n = (struct net){.source = source, .b = fb_new()};
}

void net_free(struct net *n)
{
	fb_free(n->b);
	free(n->name);
	free(n->hash);
	text_free(&n->chars);
	free(n->wire);
	free(n->first);
	free(n->at);
	unknown_free(&n->unknown);
	*n = (struct net){0};
}

/* --- names -------------------------------------------------------------------- */

static uint32_t *net_name_slot(const struct net *n, const char *s, size_t len)
{
	uint64_t h = 0xcbf29ce484222325u; /* FNV-1a */

	for (size_t k = 0; k < len; k++)
		h = (h ^ (unsigned char)s[k]) * 0x100000001b3u;
	uint32_t i = (uint32_t)(h ^ (h >> 32)) & (n->hash_size - 1);
	for (; n->hash[i] != NO_ID; i = (i + 1) & (n->hash_size - 1)) {
		const struct net_name *m = &n->name[n->hash[i]];

		if (m->len == len && !memcmp(n->chars.s + m->text, s, len))
			break;
	}
	return &n->hash[i];
}

uint32_t net_name(struct net *n, const char *s, size_t len)
{
	if (2 * (n->n_names + 1) > n->hash_size) {
		n->hash_size = n->hash_size ? n->hash_size * 4 : 1024;
		free(n->hash);
		n->hash = NEW_ARRAY(n->hash_size, uint32_t);
		memset(n->hash, 0xff, n->hash_size * sizeof(*n->hash));
		for (uint32_t i = 0; i < n->n_names; i++)
			*net_name_slot(n, n->chars.s + n->name[i].text, n->name[i].len) = i;
	}
	uint32_t *slot = net_name_slot(n, s, len);
	if (*slot != NO_ID)
		return *slot;
	uint32_t offset = n->chars.len;
	for (size_t i = 0; i < len; i++)
		text_putc(&n->chars, s[i]);
	text_putc(&n->chars, 0);
	GROW(n->name, n->n_names, n->cap_names);
	n->name[n->n_names] = (struct net_name){.text = offset, .len = len, .node = NO_ID};
	return *slot = n->n_names++;
}

static const char *net_name_text(const struct net *n, uint32_t name)
{
	assert(name < n->n_names);
	return n->chars.s + n->name[name].text;
}

void net_wire(struct net *n, const struct wire *w)
{
	assert(w->node < n->b->n && w->peer < n->n_names && w->port >= 1 && w->peer_port >= 1);
	GROW(n->wire, n->n_wires, n->cap_wires);
	n->wire[n->n_wires++] = *w;
}

static const char *net_type_word(enum node_type t)
{
	if (t == NODE_SWITCH)
		return "switch";
	return t == NODE_ROUTER ? "router" : "channel adapter";
}

int net_take_ports(const struct net *n, enum node_type type, uint64_t nports, unsigned line, struct err *e)
{
	return nports <= MAX_PORTS
		       ? 0
		       : err_set(e, "%s:%u: found a %s with %" PRIu64 " ports, expected at most %d",
				 n->source, line, net_type_word(type), nports, MAX_PORTS);
}

uint32_t net_node(struct net *n, enum node_type type, uint64_t guid, uint64_t nports, struct cursor name,
		  unsigned line)
{
	uint32_t id = net_name(n, name.p, cur_len(name)), node;

	assert(nports <= MAX_PORTS);
	if (n->name[id].node != NO_ID) {
		warnings_missing(&n->b->warnings, "duplicate name", line,
				 "a second node is called \"%s\"; it is left out", net_name_text(n, id));
		return NO_ID;
	}
	node = add_node(n->b, type, guid, nports, line);
	if (node == NO_ID)
		return NO_ID;
	n->name[id].node = node;
	return node;
}

/* --- cables -------------------------------------------------------------------- */

static void check_port_number(struct net *n, uint32_t node, unsigned port, unsigned line)
{
	if (port <= n->b->node[node].nports)
		return;
	warnings_add(&n->b->warnings, "port above count", line,
		     "port %u of a %s that has %u ports by its own count; taken as %u ports", port,
		     net_type_word(n->b->node[node].type), n->b->node[node].nports, port);
	fb_more_ports(n->b, node, port);
}

/* Node and port at the other end of a wire. False: no node has that name. */
static bool wire_peer(const struct net *n, const struct wire *w, uint32_t *node, unsigned *port)
{
	const struct net_name *m = &n->name[w->peer];

	*node = m->node;
	*port = m->port ? m->port : w->peer_port;
	return m->node != NO_ID;
}

uint64_t net_made_guid(const struct fabric_builder *b, uint64_t lid)
{
	uint64_t guid = MADE_GUIDS + lid;

	while (fb_find(b, guid) != NO_ID)
		guid += UINT16_MAX + 1;
	return guid;
}

/* Adds the nodes that only their neighbours name. */
static void net_add_unseen(struct net *n)
{
	for (uint32_t i = 0; i < n->n_wires; i++) {
		const struct wire *w = &n->wire[i];
		struct net_name *m = &n->name[w->peer];

		assert(!w->peer_type || w->peer_type <= NODE_ROUTER);
		if (m->node == NO_ID && w->peer_type && !m->shared) {
			uint64_t guid = w->peer_node_guid;
			struct cursor id = cur_text(net_name_text(n, w->peer));
			bool made = !guid && !(id_type(id) && id_guid(id, &guid));

			if (made)
				guid = net_made_guid(n->b, w->peer_lid);
			m->node = fb_add(n->b, w->peer_type, guid, w->peer_port, NULL);
			m->shared = m->node == NO_ID; /* another name stands for the GUID */
			if (m->shared)
				continue;
			n->b->node[m->node].desc = cur_clean(w->peer_desc, DESC_MAX);
			n->b->node[m->node].sysguid = guid;
			n->b->node[m->node].unseen = true;
			if (w->peer_type != NODE_SWITCH && made)
				n->b->node[m->node].port[w->peer_port].guid = guid;
		}
		if (m->node != NO_ID && n->b->node[m->node].unseen) {
			fb_more_ports(n->b, m->node, w->peer_port);
			const bool is_switch = n->b->node[m->node].type == NODE_SWITCH;
			n->b->node[m->node].port[is_switch ? 0 : w->peer_port].lid = w->peer_lid;
		}
	}
}

static void index_wires(struct net *n)
{
	uint32_t total = 0;

	n->first = NEW_ARRAY(n->b->n + 1, uint32_t);
	for (uint32_t i = 0; i < n->b->n; i++) {
		n->first[i] = total;
		total += n->b->node[i].nports + 1;
	}
	n->first[n->b->n] = total;
	n->at = NEW_ARRAY(total, uint32_t);
	memset(n->at, 0xff, total * sizeof(*n->at));
	for (uint32_t i = 0; i < n->n_wires; i++) {
		struct wire *w = &n->wire[i];
		uint32_t *at = &n->at[n->first[w->node] + w->port];

		if (*at == NO_ID) {
			*at = i;
			continue;
		}
		w->linked = true; /* settled: it counts no more */
		bool same = w->peer == n->wire[*at].peer && w->peer_port == n->wire[*at].peer_port;
		(same ? warnings_add : warnings_missing)(
			&n->b->warnings, "port listed twice", w->line,
			"port %u of this node has a%s cable in line %u already; this line is left out",
			w->port, same ? "" : "nother", n->wire[*at].line);
	}
}

/* Two lines that name each other. */
static void link_mutual(struct net *n, struct wire *w)
{
	uint32_t peer, at, back_node;
	unsigned port, back_port;

	if (w->linked || !wire_peer(n, w, &peer, &port))
		return;
	at = n->at[n->first[peer] + port];
	if (peer == w->node && port == w->port) {
		w->linked = true;
		warnings_add(&n->b->warnings, "port cabled to itself", w->line,
			     "port %u is cabled to itself; taken as not cabled", w->port);
	} else if (at == NO_ID && n->name[w->peer].port) { /* an alias has no line of its own */
		w->linked = fb_link(n->b, w->node, w->port, peer, port);
	} else if (at != NO_ID) {
		struct wire *back = &n->wire[at];
		if (!back->linked && wire_peer(n, back, &back_node, &back_port) && back_node == w->node &&
		    back_port == w->port)
			w->linked = back->linked = fb_link(n->b, w->node, w->port, peer, port);
	}
}

static void link_one_sided(struct net *n, struct wire *w)
{
	struct warnings *warn = &n->b->warnings;
	uint32_t peer, other = NO_ID;
	unsigned port;

	if (w->linked)
		return;
	if (wire_peer(n, w, &peer, &port))
		other = n->at[n->first[peer] + port];
	if (peer == NO_ID) {
		warnings_missing(warn, "dangling link", w->line,
				 "port %u is cabled to \"%s\", which is not in the file", w->port,
				 net_name_text(n, w->peer));
	} else if (other != NO_ID) {
		warnings_missing(warn, "contradicting link", w->line,
				 "port %u is cabled to \"%s\"[%u], which names \"%s\"[%u] in line %u; %s",
				 w->port, net_name_text(n, w->peer), port,
				 net_name_text(n, n->wire[other].peer), n->wire[other].peer_port,
				 n->wire[other].line, "taken as not cabled");
	} else if (!fb_link(n->b, w->node, w->port, peer, port)) {
		warnings_missing(
			warn, "contradicting link", w->line,
			"port %u is cabled to \"%s\"[%u], which is cabled elsewhere; taken as not cabled",
			w->port, net_name_text(n, w->peer), port);
	} else {
		const struct fb_port *own = &n->b->node[w->node].port[w->port];
		struct fb_port *p = &n->b->node[peer].port[port];
		const bool unseen = n->b->node[peer].unseen, host = n->b->node[peer].type != NODE_SWITCH;
		if (host)
			p->lid = p->lid ? p->lid : w->peer_lid;
		if (host || unseen) { /* data that the other end's own line would have */
			p->width = own->width;
			p->speed = own->speed;
		}
		if (unseen)
			p->state = own->state;
		if (unseen)
			warnings_missing(
				warn, "dangling link", w->line,
				"port %u is cabled to \"%s\", which is not in the file; %s is made of "
				"what this line tells, as a node not seen",
				w->port, net_name_text(n, w->peer), n->b->node[peer].desc);
		else
			(n->listed ? warnings_missing : warnings_add)(
				warn, "one-sided link", w->line,
				"port %u is cabled to \"%s\"[%u], which has no line for it", w->port,
				net_name_text(n, w->peer), port);
	}
	warnings_place(warn, n->b->node[w->node].guid, w->port);
}

void net_link(struct net *n)
{
	uint32_t node;
	unsigned port;

	assert(!n->at); /* once */
	net_add_unseen(n);
	for (uint32_t i = 0; i < n->n_wires; i++) {
		const struct wire *w = &n->wire[i];

		check_port_number(n, w->node, w->port, w->line);
		if (wire_peer(n, w, &node, &port))
			check_port_number(n, node, port, w->line);
	}
	index_wires(n);
	for (uint32_t i = 0; i < n->n_wires; i++)
		link_mutual(n, &n->wire[i]);
	for (uint32_t i = 0; i < n->n_wires; i++)
		link_one_sided(n, &n->wire[i]);
	/* port GUIDs of channel adapters that only the other end of the cable gives */
	for (uint32_t i = 0; i < n->n_wires; i++) {
		const struct wire *w = &n->wire[i];

		if (!w->peer_guid || !wire_peer(n, w, &node, &port) || n->b->node[node].type == NODE_SWITCH)
			continue;
		struct fb_port *p = &n->b->node[node].port[port];
		if (!p->guid)
			p->guid = w->peer_guid;
		if (p->guid != w->peer_guid)
			warnings_missing(&n->b->warnings, "impossible value", w->line,
					 "port %u is cabled to a port of the GUID 0x%016" PRIx64
					 ", which has 0x%016" PRIx64 " elsewhere; the latter counts",
					 w->port, w->peer_guid, p->guid);
	}
}

void net_guess_sm(struct net *n)
{
	struct fabric_builder *b = n->b;

	b->sm_node = NO_ID;
	for (uint32_t i = 0; i < b->n && b->sm_node == NO_ID; i++)
		for (unsigned p = 0; p <= b->node[i].nports; p++)
			if (p ? b->node[i].port[p].peer_node != NO_ID : b->node[i].type == NODE_SWITCH)
				b->sm_node = i;
	b->sm_guessed = true;
}

int net_finish(struct net *n, const char *format, struct fabric **out, struct err *e)
{
	struct fabric_builder *b = n->b;

	assert(n->at || !n->n_wires); /* net_link() came before */
	if (unknown_report(&n->unknown, &b->warnings, e)) {
		net_free(n);
		return -1;
	}
	net_guess_sm(n);
	b->sm_guessed = strcmp(format, "ibsim") != 0; /* ibsim attaches programs to the first node */
	if (b->n && b->sm_node != 0)
		warnings_add(
			&b->warnings, "place of the subnet manager", 0, "the first node has no cable; %s",
			b->sm_node == NO_ID ? "neither has any other"
					    : "the subnet manager is taken to run at the first one that has");
	n->b = NULL;
	int status = fb_finish(b, n->source, format, out, e);
	net_free(n);
	return status;
}
