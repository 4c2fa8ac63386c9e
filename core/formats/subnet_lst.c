/* opensm-subnet.lst and the .lst of ibdiagnet; forwarding tables written as OpenSM's users know them. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/cursor.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/formats/readers.h"
#include "core/routing/paths.h"

/* opensm-subnet.lst and the .lst of ibdiagnet: a line a port with a cable. */

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
	uint64_t revision;

	*n = (struct subnet_lst_end){0};
	if (!cur_char(c, '{') || !read_type(c, n) || !read_field(c, "Ports:", &n->nports) ||
	    !read_field(c, "SystemGUID:", &n->sysguid) || !read_field(c, "NodeGUID:", &n->node_guid) ||
	    !read_field(c, "PortGUID:", &n->port_guid) || !read_field(c, "VenID:", &n->vendor) ||
	    !read_field(c, "DevID:", &n->device) || !read_field(c, "Rev:", &revision) || !cur_char(c, '{'))
		return false;
	for (struct cursor d = *c; (d.p = cur_find(&d, "} LID:")) != NULL; d.p++) {
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
	assert(r->n_seen == r->b->n);
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

	assert(n->port >= 1 && n->port <= r->b->node[node].nports);
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
	struct fb_port *p = &r->b->node[node[0]].port[a.port];
	if (cur_word(&c, "PHY=")) { /* and "LOG=ACT SPD=10", which may be missing */
		struct cursor word = cur_token(&c);
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
 * Is the last line complete, without a newline behind it?  It is when it ends with a speed. "5" and "10" may
 * be the beginning of "50" and "100": then the line of the cable's other end has to confirm it.
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
	struct subnet_lst_reader r = {.b = fb_new(), .lines = lines_of(in)};
	struct cursor line = {0}, c;
	uint32_t halves = 0, whole = 0, node = NO_ID;

	r.b->sm_guessed = true; /* until a line gives it */
	while (lines_next(&r.lines, &line)) {
		c = line;
		cur_blanks(&c);
		if (cur_empty(&c) || *c.p == '#')
			continue;
		if (*c.p != '{') {
			unknown_line(&r.unknown, r.lines.no, line);
			continue;
		}
		const char *expected = subnet_lst_read_line(&r, c);
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

/* Writing forwarding tables and paths in the forms OpenSM's users know. */

/* --- opensm-lfts.dump ------------------------------------------------------------ */

/* OpenSM prints the name from a node-name-map, if any, cut to the 63 bytes of a description. */
static const char *dump_name(const struct fabric *fb, uint32_t node)
{
	return *fb->node_desc[node] ? fb->node_given[node] : "";
}

int write_lfts(FILE *f, const struct routing *r, struct progress *p)
{
	static const char *const type[] = {"", "Channel Adapter", "Switch", "Router"};
	static const char hex[] = "0123456789abcdef";
	const struct fabric *fb = r->topo->fabric;
	uint32_t n = fb->n_switches;
	/* the text after the port number in the line of each LID: tails.s[at[lid]] .. tails.s[at[lid + 1]] */
	AUTO_TEXT struct text tails = {0};
	AUTO_FREE size_t *at = NEW_ARRAY(r->lids->max_lid + 2u, size_t);
	bool go_on = true;

	static_assert(ARRAY_LEN(type) == NODE_ROUTER + 1, "each type has its word");
	for (unsigned lid = 0; lid <= r->lids->max_lid; lid++) {
		uint32_t ep = lid_owner(r->lids, lid);

		if (ep == NO_ID) {
			text_add(&tails, " # unknown node and type\n");
		} else {
			uint32_t node = endport_node(fb, ep);

			text_add(&tails, " # %s portguid 0x%016" PRIx64 ": '%.63s'\n",
				 type[fb->node_type[node]], fb->port_guid[fb->endport_port[ep]],
				 dump_name(fb, node));
		}
		at[lid + 1] = tails.len;
	}
	progress_start(p, "writing tables", n);
	for (uint32_t s = 0; s < n && (go_on = progress_step(p, s)); s++)
		if (r->row[s] && switch_up(r->topo, s)) {
			uint32_t node = fb->switch_node[s];
			unsigned top = r->row[s]->top;
			char head[10];

			fprintf(f, "Unicast lids [0-%u] of switch Lid %u guid 0x%016" PRIx64 " ('%.63s'):\n",
				top, r->lids->base[fb->port_endport[fb->switch_port[s]]], fb->node_guid[node],
				dump_name(fb, node));
			for (unsigned lid = 0; lid <= top; lid++) {
				unsigned port = routing_port(r, s, lid);

				if (port > fb->switch_nports[s] || port == NO_PATH)
					continue;
				/* "0x0012 003" without printf: a large dump has millions of lines */
				memcpy(head, "0x", 2);
				for (int i = 0; i < 4; i++)
					head[2 + i] = hex[lid >> (12 - 4 * i) & 15];
				head[6] = ' ';
				head[7] = '0' + port / 100;
				head[8] = '0' + port / 10 % 10;
				head[9] = '0' + port % 10;
				fwrite(head, 1, sizeof(head), f);
				fwrite(tails.s + at[lid], 1, at[lid + 1] - at[lid], f);
			}
			fprintf(f, "%u lids dumped\n", top);
		}
	return go_on ? write_status(f) : -1;
}

/* --- opensm.fdbs ------------------------------------------------------------------- */

/* Hops between switches: the engine's own matrix, or plain distances. */
struct distances {
	const struct routing *r;
	uint8_t *d; /* [n * n], NULL when the engine has a matrix */
	uint32_t n;
};

/* False: cancelled. */
static bool distances_init(struct distances *x, const struct routing *r, struct progress *p)
{
	bool go_on = true;

	*x = (struct distances){.r = r, .n = r->topo->fabric->n_switches};
	if (r->ops->hops)
		return true;
	x->d = NEW_ARRAY((size_t)x->n * x->n, uint8_t);
	AUTO_FREE uint16_t *hops = NEW_ARRAY(x->n + 1, uint16_t);
	progress_start(p, "distances", x->n);
	for (uint32_t s = 0; s < x->n && (go_on = progress_step(p, s)); s++) {
		uint8_t *d = x->d + (size_t)s * x->n;

		switch_distances(x->r->topo, s, hops);
		for (uint32_t to = 0; to < x->n; to++)
			d[to] = MIN(hops[to], NO_PATH);
	}
	return go_on;
}

/* Hops from switch s to d through a port, or the best way (port 0). NO_PATH: there is none. */
static unsigned distance(const struct distances *x, uint32_t s, uint32_t d, unsigned port)
{
	const struct topo *t = x->r->topo;

	if (!x->d)
		return x->r->ops->hops(x->r, s, d, port);
	if (!port)
		return x->d[(size_t)s * x->n + d];
	uint32_t next = t->peer_switch[switch_port_id(t->fabric, s, port)];
	unsigned rest = next == NO_ID ? NO_PATH : x->d[(size_t)next * x->n + d];
	return rest >= NO_PATH - 1 ? NO_PATH : rest + 1;
}

static unsigned best_port(const struct distances *x, uint32_t s, uint32_t d, unsigned best)
{
	for (unsigned p = 1; p <= x->r->topo->fabric->switch_nports[s]; p++)
		if (distance(x, s, d, p) == best)
			return p;
	return 0;
}

static void fdbs_entry(FILE *f, const struct distances *x, uint32_t s, unsigned lid)
{
	const struct topo *t = x->r->topo;
	unsigned port = routing_port(x->r, s, lid), best, hops, more;
	uint32_t ep = lid_owner(x->r->lids, lid), d;

	if (port == NO_PATH || port > t->fabric->switch_nports[s]) {
		fprintf(f, "0x%04X : UNREACHABLE\n", lid);
		return;
	}
	d = ep == NO_ID ? NO_ID : t->endport_switch[ep];
	more = ep != NO_ID && !endport_is_switch(t->fabric, ep); /* the link to a channel adapter */
	best = hops = d == NO_ID ? NO_PATH : 0;
	if (d != NO_ID && d != s)
		best = distance(x, s, d, 0);
	if (d != NO_ID && (d != s || (port && port != t->endport_swport[ep])))
		hops = distance(x, s, d, port);
	if (hops == NO_PATH || best == NO_PATH)
		fprintf(f, "0x%04X : %03u  : HOPS UNKNOWN\n", lid, port);
	else if (hops == best)
		fprintf(f, "0x%04X : %03u  : %02u   : yes\n", lid, port, hops + more);
	else
		fprintf(f, "0x%04X : %03u  : %02u   : No %u hop path possible via port %u!\n", lid, port,
			hops + more, best + more, d == s ? t->endport_swport[ep] : best_port(x, s, d, best));
}

size_t write_fdbs_room(const struct routing *r)
{
	size_t n = r->topo->fabric->n_switches;

	return r->ops->hops ? 0 : n * n;
}

int write_fdbs(FILE *f, const struct routing *r, struct progress *p)
{
	const struct fabric *fb = r->topo->fabric;
	struct distances x;
	bool go_on = distances_init(&x, r, p);

	progress_start(p, "writing tables", fb->n_switches);
	for (uint32_t s = 0; go_on && s < fb->n_switches && (go_on = progress_step(p, s)); s++) {
		if (!r->row[s] || !switch_up(r->topo, s))
			continue;
		fprintf(f, "dump_ucast_routes: Switch 0x%016" PRIx64 "\nLID    : Port : Hops : Optimal\n",
			fb->node_guid[fb->switch_node[s]]);
		for (unsigned lid = 1; lid <= r->row[s]->top; lid++)
			fdbs_entry(f, &x, s, lid);
	}
	free(x.d);
	return go_on ? write_status(f) : -1;
}

/* --- paths -------------------------------------------------------------------------- */

/* A LID of a channel adapter or router that is up. */
struct end_lid {
	uint32_t ep;
	unsigned lid;
};

/* Hops to every destination LID from the switches that have sources. */
struct path_table {
	const struct routing *r;
	struct end_lid *end;
	size_t n_ends;
	uint32_t *column; /* [n_switches] column of a switch that has sources, NO_ID for others */
	uint32_t n_columns;
	uint16_t *hops; /* [n_ends * n_columns] */
};

static void lfts_find_ends(struct path_table *t)
{
	const struct lids *l = t->r->lids;
	const struct fabric *fb = t->r->topo->fabric;

	t->end = NEW_ARRAY(l->max_lid + 1u, struct end_lid);
	t->column = NEW_ARRAY(fb->n_switches, uint32_t);
	memset(t->column, 0xff, fb->n_switches * sizeof(*t->column));
	for (unsigned lid = 1; lid <= l->max_lid; lid++) {
		uint32_t ep = lid_owner(l, lid), sw;

		if (ep == NO_ID || endport_is_switch(fb, ep) || !t->r->topo->endport_up[ep])
			continue;
		t->end[t->n_ends++] = (struct end_lid){ep, lid};
		sw = t->r->topo->endport_switch[ep];
		if (sw != NO_ID && t->column[sw] == NO_ID)
			t->column[sw] = t->n_columns++;
	}
}

/* Links from a source to destination number d; HOPS_LOOP or above: no path. */
static unsigned path_hops(const struct path_table *t, uint32_t src, size_t d)
{
	const struct topo *top = t->r->topo;
	uint32_t sw = top->endport_switch[src];

	if (src == t->end[d].ep) /* another LID of the same port: the packet does not leave it */
		return routing_sa_refuses(t->r, src, false) ? HOPS_NONE : 0;
	if (routing_sa_refuses(t->r, src, sw != NO_ID) ||
	    (t->r->pair_sls && !pair_sls_share(t->r->pair_sls, src, t->end[d].ep)))
		return HOPS_NONE;
	if (sw == NO_ID) /* two adapters wired to each other */
		return top->peer[top->fabric->endport_port[src]] == top->fabric->endport_port[t->end[d].ep]
			       ? 1
			       : HOPS_NONE;
	unsigned h = t->hops[d * t->n_columns + t->column[sw]];
	return h >= HOPS_LOOP ? h : h + 1;
}

static char *put_number(char *p, unsigned v)
{
	char digits[10];
	unsigned n = 0;

	do
		digits[n++] = '0' + v % 10;
	while ((v /= 10));
	while (n)
		*p++ = digits[--n];
	return p;
}

/* Writes "SLID DLID SL HOPS". Returns the place after the newline. */
static char *lfts_put_path(char *p, const struct routing *r, unsigned slid, unsigned dlid, unsigned hops)
{
	p = put_number(p, slid);
	*p++ = ' ';
	p = put_number(p, dlid);
	if (hops >= HOPS_LOOP) {
		memcpy(p, " - -\n", 5);
		return p + 5;
	}
	struct sl_range sl = routing_sl_by_chance(r, slid, dlid);
	*p++ = ' ';
	p = put_number(p, sl.lo);
	if (sl.hi != sl.lo) {
		*p++ = '.';
		*p++ = '.';
		p = put_number(p, sl.hi);
	}
	*p++ = ' ';
	p = put_number(p, hops);
	*p++ = '\n';
	return p;
}

#define LINE_ROOM 64
#define PATH_BUFFER (1 << 14)
static_assert(LINE_ROOM > sizeof("65535 65535 15..15 4294967295\n"), "any line has room");

static void write_sources(FILE *f, const struct path_table *t, size_t s, char *buf)
{
	char *p = buf;

	for (size_t d = 0; d < t->n_ends; d++) {
		if (d == s)
			continue;
		p = lfts_put_path(p, t->r, t->end[s].lid, t->end[d].lid, path_hops(t, t->end[s].ep, d));
		if (p + LINE_ROOM > buf + PATH_BUFFER) {
			fwrite(buf, 1, p - buf, f);
			p = buf;
		}
	}
	fwrite(buf, 1, p - buf, f);
}

size_t write_paths_room(const struct routing *r)
{
	struct path_table t = {.r = r};

	lfts_find_ends(&t);
	size_t size = t.n_ends * t.n_columns * sizeof(*t.hops);
	free(t.end);
	free(t.column);
	return size;
}

int write_paths(FILE *f, const struct routing *r, struct progress *p)
{
	struct path_table t = {.r = r};
	AUTO_FREE char *buf = NEW_ARRAY(PATH_BUFFER, char);
	uint32_t n = r->topo->fabric->n_switches;
	AUTO_FREE uint32_t *work = NEW_ARRAY(n, uint32_t);
	AUTO_FREE uint16_t *hops = NEW_ARRAY(n, uint16_t);
	int status = 0;

	lfts_find_ends(&t);
	t.hops = NEW_ARRAY(t.n_ends * t.n_columns, uint16_t);
	progress_start(p, "hops of all destinations", t.n_ends);
	for (size_t i = 0; i < t.n_ends && !status; i++) {
		dest_hops(t.r, t.end[i].lid, hops, work);
		for (uint32_t s = 0; s < n; s++)
			if (t.column[s] != NO_ID)
				t.hops[i * t.n_columns + t.column[s]] = hops[s];
		if (!progress_step(p, i))
			status = -1;
	}
	if (!status)
		progress_start(p, "writing paths", t.n_ends);
	for (size_t s = 0; s < t.n_ends && !status; s++) {
		write_sources(f, &t, s, buf);
		if (ferror(f) || !progress_step(p, s))
			status = -1;
	}
	free(t.end);
	free(t.column);
	free(t.hops);
	return status ? -1 : write_status(f);
}
