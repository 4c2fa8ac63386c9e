/*
 * Net files of ibsim, read as ibsim 0.10 reads them: in pieces of 255 bytes; the first word of a line counts;
 * the line after a node's port lines is lost. Port GUIDs count up from their node's.
 */
#include "core/base/cursor.h"
#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/formats/readers.h"
#include "core/formats/tables.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PIECE 255     /* bytes taken as one line */
#define MODULE_MAX 20 /* bytes of a module's name */
#define NAME_MAX_LEN 63

/* Enabled rates of a port, as bit masks of PortInfo. */
struct ibsim_rates {
	uint8_t width, speed, ext;
	bool fdr10;
};

struct node_rates {
	struct ibsim_rates *port; /* [n] */
	unsigned n;
};

/* The next GUIDs for one type of nodes. */
struct ibsim_counter {
	uint64_t next, absolute;
};

struct ibsim_reader {
	struct net net;
	struct ibsim_counter sw, ca, rt;
	uint64_t vendor, device, sysguid;
	struct ibsim_rates defaults;
	char module[MODULE_MAX + 1];
	struct node_rates *rates; /* [nodes added] */
	size_t n_rates, cap_rates;
	unsigned depth, includes;
	int status;
	struct err *e;
};

/* One of the nested files. */
struct source {
	const char *name;
	const char *p, *end;
	unsigned line; /* of the last piece */
	bool mid_line; /* the next piece continues a line */
};

/* Takes the next piece: as much as fgets() reads with a buffer of 256. */
static bool ibsim_next_piece(struct source *s, struct cursor *piece)
{
	size_t left = s->end - s->p, n = MIN(left, PIECE);

	if (!n)
		return false;
	const char *nl = memchr(s->p, '\n', n);
	if (!s->mid_line)
		s->line++;
	s->mid_line = !nl;
	piece->p = s->p;
	piece->end = nl ? nl : s->p + n;
	s->p = nl ? nl + 1 : s->p + n;
	while (piece->end > piece->p && piece->end[-1] == '\r')
		piece->end--;
	return true;
}

static void warn(struct ibsim_reader *r, const struct source *s, const char *kind, const char *text)
{
	if (r->depth > 1)
		warnings_add(&r->net.b->warnings, kind, s->line, "%s: %s", s->name, text);
	else
		warnings_add(&r->net.b->warnings, kind, s->line, "%s", text);
}

/* --- names --------------------------------------------------------------------- */

/* Ids are kept as "module#name".  A name with a module stays as it is. */
static uint32_t full_name(struct ibsim_reader *r, struct cursor name, char sep)
{
	char buf[MODULE_MAX + 1 + NAME_MAX_LEN + 1];

	if (!*r->module || memchr(name.p, '#', cur_len(name)))
		return net_name(&r->net, name.p, cur_len(name));
	int n = snprintf(buf, sizeof(buf), "%s%c%.*s", r->module, sep, CUR_ARGS(name));
	return net_name(&r->net, buf, (size_t)n < sizeof(buf) ? (size_t)n : sizeof(buf) - 1);
}

/* --- lines before a node ------------------------------------------------------- */

/* `switchguid=0x..` sets, `switchguid+3` counts from the last one set. */
static bool read_counter(struct cursor *c, struct ibsim_counter *k)
{
	bool plus = cur_char(c, '+');
	uint64_t v;

	if (!plus && !cur_char(c, '='))
		return false;
	cur_char(c, '+'); /* a signed number */
	if (!cur_number(c, 0, &v))
		return false;
	if (!plus)
		k->absolute = v;
	k->next = plus ? k->absolute + v : v;
	return true;
}

static bool read_mask(struct cursor *c, unsigned max, uint8_t *mask)
{
	uint64_t v;

	if (!cur_char(c, '=') || !cur_number(c, 0, &v) || v > max)
		return false;
	*mask = v;
	return true;
}

static bool ibsim_read_value(struct cursor *c, uint64_t *v)
{
	return cur_char(c, '=') && cur_number(c, 0, v);
}

/* Returns 1 if the line is a setting, 0 for another kind of line, -1 for a wrong setting. */
static int read_setting(struct ibsim_reader *r, struct cursor c)
{
	struct cursor name;

	if (cur_word(&c, "vendid"))
		return ibsim_read_value(&c, &r->vendor) ? 1 : -1;
	if (cur_word(&c, "devid"))
		return ibsim_read_value(&c, &r->device) ? 1 : -1;
	if (cur_word(&c, "sysimgguid"))
		return ibsim_read_value(&c, &r->sysguid) ? 1 : -1;
	if (cur_word(&c, "switchguid"))
		return read_counter(&c, &r->sw) ? 1 : -1;
	if (cur_word(&c, "caguid") || cur_word(&c, "hcaguid"))
		return (cur_word(&c, "s"), read_counter(&c, &r->ca)) ? 1 : -1;
	if (cur_word(&c, "rtguid"))
		return read_counter(&c, &r->rt) ? 1 : -1;
	if (cur_word(&c, "width"))
		return read_mask(&c, 31, &r->defaults.width) ? 1 : -1;
	if (cur_word(&c, "extspeed"))
		return read_mask(&c, 15, &r->defaults.ext) ? 1 : -1;
	if (cur_word(&c, "speed"))
		return read_mask(&c, 7, &r->defaults.speed) ? 1 : -1;
	if (cur_word(&c, "module")) {
		if (!cur_char(&c, '=') || !cur_quoted(&c, &name))
			return -1;
		snprintf(r->module, sizeof(r->module), "%.*s", CUR_ARGS(name));
		return 1;
	}
	return 0;
}

/* --- nodes --------------------------------------------------------------------- */

/* The text after '#', in quotes or up to the words about port 0; the id if there is none. */
static struct cursor description(struct cursor c, struct cursor id, struct cursor *tail)
{
	static const char *const stop[] = {" enhanced port ", " base port ", " lid ", " lmc "};
	struct cursor d;
	const char *z, *at;

	*tail = (struct cursor){c.end, c.end};
	if (!cur_char(&c, '#'))
		return id;
	cur_blanks(&c);
	if (cur_empty(&c))
		return id;
	z = cur_find_last(&c, '"');
	if (*c.p == '"' && z > c.p) {
		d = (struct cursor){c.p + 1, z++};
	} else { /* without quotes */
		d = c;
		for (size_t i = 0; i < ARRAY_LEN(stop); i++)
			if ((at = cur_find(&c, stop[i])) && at < d.end)
				d.end = at;
		z = d.end;
	}
	*tail = (struct cursor){z, c.end};
	while (*c.p != '"' && isspace((unsigned char)d.end[-1])) /* it does not begin with a blank */
		d.end--;
	return d.end > d.p ? d : id;
}

static int bad_line(struct ibsim_reader *r, const struct source *s, const char *found, const char *expected)
{
	return r->status = err_set(r->e, "%s:%u: found %s, expected %s", s->name, s->line, found, expected);
}

/* Reads the line of a node.  Returns its builder index or NO_ID; r->status shows a failure. */
static uint32_t ibsim_read_node(struct ibsim_reader *r, const struct source *s, enum node_type type,
				struct cursor c)
{
	struct ibsim_counter *k = type == NODE_SWITCH ? &r->sw : type == NODE_CA ? &r->ca : &r->rt;
	struct cursor id, full, tail, desc;
	uint64_t ports, v, guid = k->next;

	if (!cur_number(&c, 10, &ports) || !ports)
		return bad_line(r, s, "a node without a number of ports", "e.g. Switch 8 \"id\""), NO_ID;
	if (!cur_quoted(&c, &id) || id.p == id.end)
		return bad_line(r, s, "a node without id", "an id in double quotes"), NO_ID;
	if (memchr(id.p, '#', cur_len(id)) || memchr(id.p, '@', cur_len(id)))
		return bad_line(r, s, "'#' or '@' in a node's id",
				"ids without these two reserved characters"),
		       NO_ID;
	uint32_t name = full_name(r, id, '#');
	AUTO_FREE char *copy = mem_dup(r->net.chars.s + r->net.name[name].text,
				       r->net.name[name].len + 1); /* the pool may move */
	full = (struct cursor){copy, copy + r->net.name[name].len};
	r->status = net_take_ports(&r->net, type, ports, s->line, r->e);
	uint32_t node = r->status ? NO_ID : net_node(&r->net, type, guid, ports, full, s->line);
	if (node != NO_ID) {
		struct ibsim_rates *t = NEW_ARRAY(ports + 1, struct ibsim_rates);
		for (unsigned p = 0; p <= ports; p++)
			t[p] = r->defaults;
		GROW(r->rates, r->n_rates, r->cap_rates);
		r->rates[r->n_rates++] = (struct node_rates){t, ports + 1};
		assert(r->n_rates == r->net.b->n);
		struct fb_node *n = &r->net.b->node[node];
		desc = description(c, full, &tail);
		n->desc = cur_clean(desc, DESC_MAX);
		n->vendor = r->vendor;
		n->device = r->device;
		n->sysguid = r->sysguid ? r->sysguid : n->guid;
		if (type == NODE_SWITCH) {
			n->esp0 = cur_find(&tail, "enhanced port 0") != NULL;
			desc = tail;
			if (cur_behind(&desc, "lid ") && cur_number(&desc, 0, &v) && v <= UINT16_MAX)
				n->port[0].lid = v;
			if (cur_behind(&tail, "lmc ") && cur_number(&tail, 0, &v) && v <= MAX_LMC)
				n->port[0].lmc = v;
		}
		k->next += type == NODE_SWITCH ? 1 : ports + 1;
	}
	r->vendor = r->sysguid = 0; /* forgotten after a node; devid stays */
	return node;
}

/* --- ports --------------------------------------------------------------------- */

/* Enabled rates from the comment of a saved port line: all up to the rate seen. */
static void rates_of(uint8_t width, uint8_t speed, struct ibsim_rates *t)
{
	static const uint8_t mask[] = {3, 1, 16, 3, 7, 11};

	static_assert(ARRAY_LEN(mask) == WIDTH_COUNT, "each width has its mask");
	if (width)
		t->width = mask[width];
	if (!speed)
		return;
	t->speed = speed >= SPEED_QDR ? 7 : (1 << speed) - 1;
	t->fdr10 = speed == SPEED_FDR10;
	t->ext = speed >= SPEED_FDR ? (1 << (speed - SPEED_FDR + 1)) - 1 : 0;
}

/* "# lid 30 lmc 0 "DESC" lid 3 4xQDR": own LID of a channel adapter, rate of the port. */
static void read_port_comment(struct cursor c, enum node_type type, struct fb_port *p, struct ibsim_rates *t)
{
	const char *quote = cur_find_last(&c, '"');
	struct cursor own = c, tail = c;
	uint8_t width, speed;
	uint64_t v;

	if (type == NODE_ROUTER) /* ibsim leaves these lines of a router alone */
		return;
	if (type == NODE_CA && cur_word(&own, "lid") && cur_number(&own, 0, &v)) {
		p->lid = v <= UINT16_MAX ? v : 0;
		if (cur_word(&own, "lmc") && cur_number(&own, 0, &v))
			p->lmc = v <= MAX_LMC ? v : 0;
	}
	if (quote)
		tail.p = quote + 1;
	else if (type == NODE_CA)
		return;
	if (!cur_word(&tail, "lid") || !cur_number(&tail, 10, &v))
		return;
	cur_blanks(&tail);
	for (own = (struct cursor){tail.p, tail.p}; own.end < tail.end && !isspace((unsigned char)*own.end);)
		own.end++;
	parse_rate(own, &width, &speed);
	rates_of(width, speed, t);
}

/* "w=1 s=2 e=1": the letter before '=' counts; false: a value out of range. */
static bool read_port_options(struct cursor c, struct ibsim_rates *t)
{
	c = cur_part(&c, '#');
	for (const char *eq; (eq = cur_find(&c, "=")) != NULL;) {
		char letter = eq > c.p ? eq[-1] : 0;
		bool good = true;

		c.p = eq;
		if (letter == 'w')
			good = read_mask(&c, 31, &t->width);
		else if (letter == 's')
			good = read_mask(&c, 7, &t->speed);
		else if (letter == 'e')
			good = read_mask(&c, 15, &t->ext);
		else
			c.p++;
		if (!good)
			return false;
	}
	return true;
}

static int ibsim_read_port(struct ibsim_reader *r, const struct source *s, uint32_t node, struct cursor c)
{
	struct wire w = {.node = node, .line = s->line};
	struct fb_node *n = &r->net.b->node[node];
	uint64_t port, peer_port = 1;
	struct cursor id;

	if (!cur_in_brackets(&c, &port) || port < 1 || port > n->nports)
		return bad_line(r, s, "a wrong port number", "[1] up to the node's number of ports");
	const char *quote = cur_find(&c, "\"");
	if (quote) /* "(portguid)" may stand between */
		c.p = quote;
	if (!cur_quoted(&c, &id))
		return bad_line(r, s, "a port without the id of the other end", "[port] \"id\"[port]");
	if ((!cur_in_brackets(&c, &peer_port) && cur_char(&c, '[')) || peer_port < 1 || peer_port > MAX_PORTS)
		return bad_line(r, s, "a wrong port number at the other end", "[port] \"id\"[port]");
	struct ibsim_rates *t = &r->rates[node].port[port];
	if (!read_port_options(c, t))
		return bad_line(r, s, "a wrong w=, s= or e= value", "w=1..31, s=1..7, e=0..15");
	c.p = cur_find(&c, "#") ? cur_find(&c, "#") + 1 : c.end;
	if (!cur_empty(&c))
		read_port_comment(c, n->type, &n->port[port], t);
	w.port = port;
	w.peer_port = peer_port;
	if (!cur_empty(&id) && *id.p == '@' && *r->module) {
		id.p++;
		w.peer = full_name(r, id, '@');
	} else if (memchr(id.p, '@', cur_len(id))) {
		w.peer = net_name(&r->net, id.p, cur_len(id));
	} else {
		w.peer = full_name(r, id, '#');
	}
	net_wire(&r->net, &w);
	return 0;
}

/* Reports a line of a node or port that is left out, as ibsim leaves it out. */
static void ibsim_unread(struct ibsim_reader *r, const struct source *s, struct cursor line,
			 const char *expected)
{
	struct input rest = {.name = s->name, .data = line.p, .size = (size_t)(s->end - line.p)};

	unread_line(&r->net.unknown, &rest, s->line, line, expected);
}

static bool ibsim_of_record(struct cursor c)
{
	cur_blanks(&c);
	return cur_node_type(&c) || (c.end - c.p > 1 && *c.p == '[' && isdigit((unsigned char)c.p[1]));
}

/* The same for one whose first characters are spoiled; lines without a quoted name lose no cable. */
static bool like_port_or_node(struct cursor c)
{
	return cur_find(&c, "\"") && like_block_line(c);
}

/* Reads the port lines of a node. The line that ends them is lost, as in ibsim. */
static int ibsim_read_ports(struct ibsim_reader *r, struct source *s, uint32_t node)
{
	struct cursor c, rest, name;
	uint64_t port;
	uint32_t id;

	while (ibsim_next_piece(s, &c)) {
		if (!cur_empty(&c) && *c.p == '#' && !like_block_line(c))
			continue;
		if (cur_empty(&c) || (*c.p != '[' && *c.p != '@')) {
			rest = c;
			cur_blanks(&rest);
			if (ibsim_of_record(rest) || like_port_or_node(rest))
				ibsim_unread(
					r, s, rest,
					"an empty line between: ibsim skips the line right behind a node's "
					"ports");
			else if (!cur_empty(&rest))
				warn(r, s, "lost line",
				     "ibsim skips the line right behind a node's ports; put an empty one "
				     "between");
			return 0;
		}
		if (node == NO_ID)
			continue;
		if (*c.p == '@') {
			c.p++; /* `@[3] "name"`: the port gets a name */
			if (!cur_in_brackets(&c, &port) || !cur_quoted(&c, &name) || port < 1 ||
			    port > r->net.b->node[node].nports)
				return bad_line(r, s, "a wrong name of a port",
						"@[port] \"name\" with a port of this node");
			if (*r->module) {
				id = full_name(r, name, '@');
			} else {
				AUTO_FREE char *at = str_printf("@%.*s", CUR_ARGS(name));
				id = net_name(&r->net, at, strlen(at));
			}
			r->net.name[id].node = node;
			r->net.name[id].port = port;
		} else if (ibsim_read_port(r, s, node, c)) {
			return -1;
		}
		r->net.unknown.read++;
	}
	return 0;
}

/* --- other lines ---------------------------------------------------------------- */

static int read_source(struct ibsim_reader *r, struct source *s);

/* Reads regular files only: a device or pipe might never end. */
static int read_regular(const char *path, char **data, size_t *size, struct err *e)
{
	struct stat st;

	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return err_set(e, "%s: is not a regular file", path);
	return read_file(path, NULL, data, size, e);
}

static int ibsim_read_include(struct ibsim_reader *r, const struct source *s, struct cursor c)
{
	const char *slash = strrchr(s->name, '/');
	AUTO_FREE char *path = NULL, *data = NULL;
	int rc = -1;
	struct cursor name;
	struct err why;
	size_t size;

	if (!cur_quoted(&c, &name) || name.p == name.end)
		return bad_line(r, s, "include without a file", "include \"file\"");
	if (r->depth > IBSIM_INCLUDE_DEPTH)
		return bad_line(r, s, "too many includes inside each other",
				"at most " STR(IBSIM_INCLUDE_DEPTH));
	if (r->includes++ >= IBSIM_INCLUDE_FILES)
		return bad_line(r, s, "too many includes in all", "at most " STR(IBSIM_INCLUDE_FILES));
	/* relative to the file that includes it, else to the working folder */
	if (slash && *name.p != '/') {
		path = str_printf("%.*s/%.*s", (int)(slash - s->name), s->name, CUR_ARGS(name));
		rc = read_regular(path, &data, &size, NULL);
	}
	if (rc) {
		free(path);
		path = str_printf("%.*s", CUR_ARGS(name));
		rc = read_regular(path, &data, &size, &why);
	}
	if (rc)
		return r->status = err_set(r->e, "%s:%u: include: %s", s->name, s->line, why.msg);
	return read_source(r, &(struct source){path, data, data + size, 0, false});
}

/* One end of `do Link`. */
static bool ibsim_read_end(struct ibsim_reader *r, struct cursor *c, uint32_t *name, uint64_t *port)
{
	struct cursor id;

	if (!cur_quoted(c, &id) || !cur_in_brackets(c, port))
		return false;
	*name = net_name(&r->net, id.p, cur_len(id));
	return true;
}

/* `do Link "A"[1] "B"[2]`; other console commands change nothing here. */
static int read_do(struct ibsim_reader *r, const struct source *s, struct cursor c)
{
	uint64_t port[2];
	uint32_t name[2];
	struct wire w = {.line = s->line};

	if (!cur_word(&c, "Link")) {
		warn(r, s, "console command", "a command of ibsim's console is not carried out");
		return 0;
	}
	if (!ibsim_read_end(r, &c, &name[0], &port[0]) || !ibsim_read_end(r, &c, &name[1], &port[1]))
		return bad_line(r, s, "a wrong Link command", "do Link \"A\"[1] \"B\"[2]");
	for (int i = 0; i < 2; i++) {
		uint32_t node = r->net.name[name[i]].node;

		if (node == NO_ID)
			return bad_line(r, s, "a link to an unknown node",
					"nodes that stand before the command");
		if (port[i] < 1 || port[i] > r->net.b->node[node].nports)
			return bad_line(r, s, "a wrong port number", "ports that the nodes have");
	}
	for (int i = 0; i < 2; i++) {
		w.node = r->net.name[name[i]].node;
		w.port = port[i];
		w.peer = name[!i];
		w.peer_port = port[!i];
		net_wire(&r->net, &w);
	}
	return 0;
}

static int ibsim_read_piece(struct ibsim_reader *r, struct source *s, struct cursor line)
{
	struct cursor c = line;

	if (cur_empty(&c) || (*c.p == '#' && !like_block_line(c)))
		return 0;
	if (!isspace((unsigned char)*c.p)) { /* the first word is at the very beginning */
		enum node_type type = cur_node_type(&c);
		if (type) {
			while (c.p < c.end &&
			       isalpha((unsigned char)*c.p)) /* ibsim looks at the beginning of the word */
				c.p++;
			uint32_t node = ibsim_read_node(r, s, type, c);
			r->net.unknown.read++;
			return r->status ? -1 : ibsim_read_ports(r, s, node);
		}
		if (cur_word(&c, "include"))
			return ibsim_read_include(r, s, c);
		if (cur_word(&c, "do "))
			return read_do(r, s, c);
		int known = read_setting(r, c);
		if (known < 0)
			return bad_line(r, s, "a value that cannot be used",
					"a number (a quoted name for module)");
		if (known)
			return 0;
	}
	cur_blanks(&c);
	if (ibsim_of_record(c) || like_port_or_node(c))
		ibsim_unread(r, s, c,
			     !cur_node_type(&(struct cursor){c.p, c.end})
				     ? "a port right below its node's line"
				     : "a node's line without blanks before it");
	else if (!cur_empty(&c) && r->depth == 1)
		unknown_line(&r->net.unknown, s->line, line);
	return 0;
}

static int read_source(struct ibsim_reader *r, struct source *s)
{
	struct cursor piece;

	r->depth++;
	while (!r->status && ibsim_next_piece(s, &piece))
		ibsim_read_piece(r, s, piece);
	r->depth--;
	return r->status;
}

/* --- rates of links ---------------------------------------------------------------- */

/* The rates of a port. Ports above the node's number of ports have the defaults. */
static const struct ibsim_rates *rates_at(const struct ibsim_reader *r, uint32_t node, unsigned port)
{
	return port < r->rates[node].n ? &r->rates[node].port[port] : &r->defaults;
}

/* Sets the fastest rate that both ends of each cable have. */
static void negotiate(struct ibsim_reader *r)
{
	for (uint32_t i = 0; i < r->net.b->n; i++) {
		struct fb_node *n = &r->net.b->node[i];

		for (unsigned p = 1; p <= n->nports; p++) {
			struct fb_port *q = &n->port[p];
			unsigned mask, ext;

			if (q->peer_node == NO_ID)
				continue;
			const struct ibsim_rates *a = rates_at(r, i, p);
			const struct ibsim_rates *b = rates_at(r, q->peer_node, q->peer_port);
			mask = a->width & b->width;
			ext = a->ext & b->ext;
			q->width = mask & 8    ? WIDTH_12X
				   : mask & 4  ? WIDTH_8X
				   : mask & 2  ? WIDTH_4X
				   : mask & 16 ? WIDTH_2X
				   : mask & 1  ? WIDTH_1X
					       : WIDTH_UNKNOWN;
			mask = a->speed & b->speed;
			q->speed = ext			  ? SPEED_FDR + (31 - __builtin_clz(ext))
				   : a->fdr10 && b->fdr10 ? SPEED_FDR10
				   : mask & 4		  ? SPEED_QDR
				   : mask & 2		  ? SPEED_DDR
				   : mask & 1		  ? SPEED_SDR
							  : SPEED_UNKNOWN;
			q->widths = a->width;
			q->speeds = SPEED_BITS(a->speed, a->fdr10, a->ext);
		}
	}
}

int parse_ibsim(const struct input *in, struct fabric **out, struct err *e)
{
	struct ibsim_reader r = {
		.sw = {0x200000, 0x200000},
		.ca = {0x100000, 0x100000},
		.defaults = {3, 1, 0, false},
		.e = e,
	};
	struct source s = {in->name, in->data, in->data + in->size, 0, false};

	net_init(&r.net, in->name);
	read_source(&r, &s);
	if (!r.status) {
		if (r.net.unknown.cut)
			cut_record(in, s.line, &r.net.b->warnings);
		net_link(&r.net);
		negotiate(&r);
	}
	for (size_t i = 0; i < r.n_rates; i++)
		free(r.rates[i].port);
	free(r.rates);
	if (r.status) {
		net_free(&r.net);
		return -1;
	}
	return net_finish(&r.net, "ibsim", out, e);
}

/* What ibsim's console prints (dump), core/formats/doc/formats.md 2: each end of a cable has a line. */

bool ibsim_shown_node(struct cursor c, struct ibsim_shown *n)
{
	n->type = cur_word(&c, "Router ") ? NODE_ROUTER : cur_node_type(&c);
	return n->type && cur_number(&c, 10, &n->ports) && cur_quoted(&c, &n->id) &&
	       cur_word(&c, "nodeguid ") && cur_number(&c, 16, &n->guid) && cur_word(&c, "sysimgguid ") &&
	       cur_number(&c, 16, &n->sysguid);
}

bool ibsim_shown_port(struct cursor c, struct ibsim_shown_port *p)
{
	uint64_t manager;

	*p = (struct ibsim_shown_port){.peer_port = 0};
	if (!cur_number(&c, 16, &p->guid) || !cur_in_brackets(&c, &p->port) || p->port > MAX_PORTS)
		return false;
	if (cur_quoted(&c, &p->peer) && (!cur_in_brackets(&c, &p->peer_port) || p->peer_port > MAX_PORTS))
		return false;
	if (cur_word(&c, "lid ") &&
	    (!cur_number(&c, 10, &p->lid) || p->lid > UINT16_MAX || !cur_word(&c, "lmc ") ||
	     !cur_number(&c, 10, &p->lmc) || p->lmc > MAX_LMC))
		return false;
	if (cur_word(&c, "smlid "))
		cur_number(&c, 10, &manager);
	struct cursor width = cur_token(&c), speed = cur_part(&c, 'G');
	p->width = link_width_parse(width.p, cur_len(width));
	p->speed = lane_speed(cur_trimmed(speed));
	p->state = state_word(cur_trimmed(c));
	return p->state != PORT_UNKNOWN || cur_empty(&width);
}

static bool ibsim_shows_node(struct cursor line)
{
	return ibsim_shown_node(line, &(struct ibsim_shown){0});
}

bool is_ibsim_dump(const struct input *in)
{
	return any_line(in, ibsim_shows_node);
}

/* A line of a port of this node. */
static bool ibsim_read_shown_port(struct net *net, uint32_t node, struct cursor line, unsigned number)
{
	struct ibsim_shown_port s;

	if (node == NO_ID || !ibsim_shown_port(line, &s))
		return false;
	const bool own = (s.port == 0) == (net->b->node[node].type == NODE_SWITCH);
	want_port(net->b, node, s.port, number);
	struct fb_port *p = &net->b->node[node].port[s.port];
	if (own)
		p->guid = s.guid;
	p->lid = (uint16_t)s.lid;
	p->lmc = (uint8_t)s.lmc;
	p->width = s.width;
	p->speed = s.speed;
	p->state = s.state;
	if (s.port && s.peer_port)
		net_wire(net, &(struct wire){.node = node,
					     .peer = net_name(net, s.peer.p, cur_len(s.peer)),
					     .line = number,
					     .port = (uint8_t)s.port,
					     .peer_port = (uint8_t)s.peer_port});
	return true;
}

int parse_ibsim_dump(const struct input *in, struct fabric **out, struct err *e)
{
	struct lines lines = lines_of(in);
	struct ibsim_shown n;
	struct cursor line;
	struct net net;
	uint64_t nodes = 0, told;
	uint32_t node = NO_ID;
	int status = 0;

	net_init(&net, in->name);
	net.listed = true;
	while (!status && lines_next(&lines, &line)) {
		struct cursor c = cur_trimmed(line);

		if (cur_empty(&c) || cur_word(&c, "sim>"))
			continue;
		if (cur_char(&c, '#')) {
			if (cur_word(&c, "dumped ") && cur_number(&c, 10, &told) && told != nodes)
				warnings_missing(&net.b->warnings, "cut list", lines.no,
						 "%" PRIu64 " nodes, of which %" PRIu64 " are here", told,
						 nodes);
			continue;
		}
		if (ibsim_shown_node(c, &n)) {
			status = net_take_ports(&net, n.type, n.ports, lines.no, e);
			node = status ? NO_ID : net_node(&net, n.type, n.guid, n.ports, n.id, lines.no);
			if (node != NO_ID) {
				net.b->node[node].desc = cur_clean(n.id, DESC_MAX);
				net.b->node[node].sysguid = n.sysguid;
			}
			nodes++;
			net.unknown.read++;
		} else if (ibsim_read_shown_port(&net, node, c, lines.no)) {
			net.unknown.read++;
		} else if (cur_node_type(&(struct cursor){c.p, c.end}) || isxdigit((unsigned char)*c.p)) {
			unread_line(
				&net.unknown, in, lines.no, line,
				"TYPE PORTS \"ID\" nodeguid GUID sysimgguid GUID, or below such a line GUID "
				"[PORT] \"ID\"[PORT] WIDTH SPEED STATE");
		} else {
			unknown_line(&net.unknown, lines.no, line);
		}
	}
	if (status) {
		net_free(&net);
		return -1;
	}
	if (net.unknown.cut)
		cut_record(in, lines.no, &net.b->warnings);
	net_link(&net);
	status = net_finish(&net, "ibsim dump", out, e);
	if (!status)
		tables_take(*out, in);
	return status;
}
