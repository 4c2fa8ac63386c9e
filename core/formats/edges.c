/*
 * Edge lists: small fabrics written by hand (core/formats/doc/formats.md 9.7).  A line describes a cable, or
 * a node and perhaps its cable.  Ports and GUIDs that are left out are chosen here.  A wrong line is an
 * error.
 */
#include "core/base/cursor.h"
#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/formats/readers.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define FIRST_SWITCH 0x200000u
#define FIRST_CA 0x80000000u
#define AN_END \
	"NAME or NAME[PORT] with a port from 1 to " STR(MAX_PORTS) " (names with blanks in double quotes)"

/* Words KEY=VALUE behind a node's name; a list has a value for each port of a host. */
enum option { GUID, SYSGUID, PORTGUID, VENDOR, DEVICE, LIDS, LMCS, OPTIONS };
static const struct {
	const char *key, *expected;
	uint64_t most;
	bool list;
} options[OPTIONS] = {
	[GUID] = {"guid=", "a GUID such as guid=0x2c903000a1b2c", UINT64_MAX, false},
	[SYSGUID] = {"sysguid=", "a GUID such as sysguid=0x2c903000a1b2c", UINT64_MAX, false},
	[PORTGUID] = {"portguid=", "a GUID for each port, such as portguid=0xa1,0xa2", UINT64_MAX, true},
	[VENDOR] = {"vendor=", "a number such as vendor=0x2c9", UINT32_MAX, false},
	[DEVICE] = {"device=", "a number such as device=0xd2f0", UINT32_MAX, false},
	[LIDS] = {"lid=", "a LID up to 65535 for each port, such as lid=3", UINT16_MAX, true},
	[LMCS] = {"lmc=", "an LMC up to 7 for each port, such as lmc=1", MAX_LMC, true},
};

/* `A`, `A[3]`, `"name with blanks"[3]` */
struct edges_end {
	struct cursor word, name;
	uint64_t port;	/* 0: left out */
	uint32_t node;	/* id of the name */
	unsigned given; /* the port it got */
};

struct edges_cable {
	struct edges_end end[2];
	uint8_t width, speed;
	unsigned line;
};

struct edge_node {
	uint8_t type;	/* 0: it has no line of its own */
	uint64_t ports; /* told; 0: not */
	unsigned line;
	bool enhanced;
	struct cursor option[OPTIONS];
	uint64_t cabled[4]; /* bit p: port p has a cable */
	unsigned highest;
};
static_assert(MAX_PORTS < 8 * sizeof(((struct edge_node *)0)->cabled), "each port has a bit");

struct edges_reader {
	const struct input *in;
	struct net net; /* names and builder */
	struct edge_node *node;
	uint32_t cap_nodes;
	struct edges_cable *edge;
	size_t n, cap;
	struct edges_end sm;
	unsigned sm_line;
	struct err *e;
};

/* --- words ------------------------------------------------------------------------------------------- */

static bool edges_more(struct cursor *c)
{
	cur_blanks(c);
	return !cur_empty(c) && *c->p != '#';
}

/* Takes an end. Nothing is taken if there is none. */
static bool take_end(struct cursor *c, struct edges_end *x)
{
	struct cursor d = *c;

	*x = (struct edges_end){0};
	if (!edges_more(&d))
		return false;
	x->word.p = d.p;
	if (*d.p == '"') {
		if (!cur_quoted(&d, &x->name))
			return false;
	} else {
		if (!isalnum((unsigned char)*d.p) && *d.p != '_')
			return false;
		x->name.p = d.p;
		while (!cur_empty(&d) && !isspace((unsigned char)*d.p) && *d.p != '[' && *d.p != '"' &&
		       *d.p != '=')
			d.p++;
		x->name.end = d.p;
	}
	if (cur_empty(&x->name) || (!cur_empty(&d) && *d.p == '[' &&
				    (!cur_in_brackets(&d, &x->port) || !x->port || x->port > MAX_PORTS)))
		return false;
	if (!cur_empty(&d) && !isspace((unsigned char)*d.p))
		return false;
	x->word.end = d.p;
	*c = d;
	return true;
}

/* "4xHDR", or "HDR" for 4x. */
static bool take_rate(struct cursor *c, struct edges_cable *x)
{
	struct cursor d = *c, word = cur_token(&d);
	char known[32];

	x->width = WIDTH_4X;
	x->speed = link_speed_parse(word.p, cur_len(word));
	if (!x->speed) {
		parse_rate(word, &x->width, &x->speed);
		snprintf(known, sizeof(known), "%s%s", link_width_name(x->width), link_speed_name(x->speed));
		if ((!x->width && !x->speed) || strlen(known) != cur_len(word) ||
		    strncasecmp(word.p, known, cur_len(word)) != 0)
			return false;
	}
	*c = d;
	return true;
}

/* The type that a line's first word names, NODE_ROUTER + 1 for `sm`; 0: the line is a cable. */
static unsigned take_keyword(struct cursor *c)
{
	static const char *const word[] = {"", "host", "switch", "router", "sm"};
	struct cursor d = *c, first = cur_token(&d);

	static_assert(ARRAY_LEN(word) == NODE_ROUTER + 2, "`sm` stands behind the types");
	for (unsigned i = 1; i < ARRAY_LEN(word); i++)
		if (cur_same(first, cur_text(word[i]))) {
			*c = d;
			return i;
		}
	return 0;
}

/* --- is it one? -------------------------------------------------------------------------------------- */

/*
 * Two columns of words alone are many things. They are taken for cables if all lines are such, there are
 * several, and each has a name of one before it. Otherwise a port, a rate or words behind a node decide, if
 * half of the lines fit.
 */
enum likeness edges_likeness(const struct input *in)
{
	struct lines l = lines_of(in);
	struct net names;
	struct cursor line;
	unsigned all = 0, fit = 0;
	bool told = false, joined = true, first = false;

	net_init(&names, in->name);
	while (lines_next(&l, &line)) {
		struct edges_end a, b;
		struct edges_cable rate;
		uint32_t before = names.n_names;

		if (!edges_more(&line))
			continue;
		all++;
		unsigned keyword = take_keyword(&line);
		if (!take_end(&line, &a) || (!keyword && !take_end(&line, &b))) {
			told |= memchr(line.p, '[', cur_len(line)) != NULL; /* a port that is wrong */
			continue;
		}
		told |= a.port || (keyword ? edges_more(&line) : b.port != 0);
		if (!keyword && edges_more(&line)) {
			if (!take_rate(&line, &rate))
				continue;
			told = true;
		}
		fit++;
		first |= all == 1;
		if (!keyword) {
			net_name(&names, a.name.p, cur_len(a.name));
			net_name(&names, b.name.p, cur_len(b.name));
			joined &= !before || names.n_names < before + 2;
		}
	}
	net_free(&names);
	if (told && fit == all)
		return LIKE_NOTHING_ELSE;
	if (told)
		first &= 2 * fit >= all;
	else
		first &= joined && fit == all && all > 1;
	return first ? LIKE_THAT : NOT_LIKE_THAT;
}

/* --- lines ------------------------------------------------------------------------------------------- */

static int edges_wrong(struct edges_reader *r, unsigned line, struct cursor found, const char *expected)
{
	char word[64];

	if (cur_empty(&found))
		return err_set(r->e, "%s:%u: found the end of the line, expected %s", r->in->name, line,
			       expected);
	return err_set(r->e, "%s:%u: found '%s', expected %s", r->in->name, line,
		       excerpt(found, word, sizeof(word)), expected);
}

/* The next word is wrong. */
static int wrong_word(struct edges_reader *r, unsigned line, struct cursor c, const char *expected)
{
	return edges_wrong(r, line, edges_more(&c) ? cur_token(&c) : (struct cursor){c.p, c.p}, expected);
}

/* The node of an end. */
static struct edge_node *edges_at(struct edges_reader *r, struct edges_end *x)
{
	uint32_t before = r->net.n_names;

	x->node = net_name(&r->net, x->name.p, cur_len(x->name));
	if (x->node == before) {
		GROW(r->node, before, r->cap_nodes);
		r->node[before] = (struct edge_node){0};
	}
	return &r->node[x->node];
}

/* The next value of a list. */
static bool edges_take_value(struct cursor *list, uint64_t most, uint64_t *v)
{
	struct cursor part = cur_part(list, ',');

	return cur_len(part) <= 18 && cur_is_number(part, 0, v) && *v <= most;
}

/* Takes `36`, `enhanced`, `lid=3`. 1: there was such a word, 0: another one; -1 and *e. */
static int take_option(struct edges_reader *r, struct edge_node *n, struct cursor *c, unsigned line)
{
	struct cursor d = *c;
	uint64_t v;

	if (!edges_more(&d))
		return 0;
	struct cursor word = cur_token(&d);
	if (isdigit((unsigned char)*word.p)) {
		if (!cur_is_number(word, 10, &n->ports) || !n->ports || n->ports > MAX_PORTS)
			return edges_wrong(r, line, word, "a number of ports from 1 to " STR(MAX_PORTS));
	} else if (n->type == NODE_SWITCH && cur_is(word, "enhanced")) {
		n->enhanced = true;
	} else {
		unsigned i = 0;
		struct cursor list;

		while (i < OPTIONS && !cur_begins(word, options[i].key))
			i++;
		if (i == OPTIONS)
			return 0;
		n->option[i] = list = (struct cursor){word.p + strlen(options[i].key), word.end};
		do
			if (!edges_take_value(&list, options[i].most, &v) ||
			    (!cur_empty(&list) && (!options[i].list || n->type == NODE_SWITCH)))
				return edges_wrong(r, line, word, options[i].expected);
		while (!cur_empty(&list));
	}
	*c = d;
	return 1;
}

/* `switch A 36`, `host h1 guid=0xa1 A[3] 4xHDR` */
static int edges_read_node(struct edges_reader *r, enum node_type type, struct cursor *c,
			   struct edges_cable *x)
{
	int more_options;

	if (!take_end(c, &x->end[0]))
		return wrong_word(r, x->line, *c, AN_END);
	struct edge_node *n = edges_at(r, &x->end[0]);
	unsigned first = n->line;
	if (n->type) {
		AUTO_FREE char *expected =
			str_printf("one line for a node, which line %u is (other cables: NAME NAME)", first);

		return edges_wrong(r, x->line, x->end[0].word, expected);
	}
	n->type = type;
	n->line = x->line;
	while ((more_options = take_option(r, n, c, x->line)) > 0)
		;
	return more_options;
}

static int edges_read_line(struct edges_reader *r, struct cursor c, unsigned line)
{
	struct edges_cable x = {.line = line};
	unsigned type = take_keyword(&c);

	if (type > NODE_ROUTER) {
		if (r->sm_line)
			return edges_wrong(r, line, cur_text("sm"), "one such line in a file");
		r->sm_line = line;
		if (!take_end(&c, &r->sm))
			return wrong_word(r, line, c, AN_END);
		return edges_more(&c) ? wrong_word(r, line, c, "the end of the line") : 0;
	}
	if (type && edges_read_node(r, type, &c, &x))
		return -1;
	if (type && !edges_more(&c) && !x.end[0].port)
		return 0;
	if (!type && !take_end(&c, &x.end[0]))
		return wrong_word(r, line, c, AN_END ", or host, switch, router, sm");
	if (!take_end(&c, &x.end[1]))
		return wrong_word(r, line, c,
				  type ? "a number of ports, KEY=VALUE (guid, sysguid, portguid, vendor, "
					 "device, lid, lmc), or the other end: " AN_END
				       : "the other end: " AN_END);
	if (edges_more(&c) && !take_rate(&c, &x))
		return wrong_word(r, line, c, "a rate such as 4xHDR, or the end of the line");
	if (edges_more(&c))
		return wrong_word(r, line, c, "the end of the line");
	edges_at(r, &x.end[0]);
	edges_at(r, &x.end[1]);
	GROW(r->edge, r->n, r->cap);
	r->edge[r->n++] = x;
	return 0;
}

/* --- ports ------------------------------------------------------------------------------------------- */

static bool has_cable(const struct edge_node *n, unsigned port)
{
	return n->cabled[port / 64] >> (port % 64) & 1;
}

/* The line before that cables a port. */
static unsigned edges_line_of(const struct edges_reader *r, const struct edges_end *x)
{
	for (size_t i = 0; i < r->n; i++)
		for (int k = 0; k < 2; k++)
			if (r->edge[i].end[k].node == x->node && r->edge[i].end[k].port == x->port)
				return r->edge[i].line;
	return 0;
}

static int give_port(struct edges_reader *r, const struct edges_cable *x, struct edges_end *end)
{
	struct edge_node *n = &r->node[end->node];
	unsigned most = n->ports ? (unsigned)n->ports : MAX_PORTS, port = (unsigned)end->port;
	AUTO_FREE char *expected = NULL;

	assert(end->node < r->net.n_names);
	if (port > most)
		expected = str_printf("a port up to %u, as line %u tells", most, n->line);
	else if (port && has_cable(n, port))
		expected = str_printf("a port without a cable (line %u cables it)", edges_line_of(r, end));
	while (!end->port && ++port <= most && has_cable(n, port))
		;
	if (port > most && !end->port)
		expected = str_printf("a node with a free port (all %u have cables)", most);
	if (expected)
		return edges_wrong(r, x->line, end->word, expected);
	assert(port >= 1 && port <= MAX_PORTS);
	end->given = port;
	n->cabled[port / 64] |= UINT64_C(1) << (port % 64);
	n->highest = MAX(n->highest, port);
	return 0;
}

/* Assigns the given ports, then the others: in order of lines, the left end first, the lowest port without a
 * cable. */
static int give_ports(struct edges_reader *r)
{
	for (int told = 1; told >= 0; told--)
		for (size_t i = 0; i < r->n; i++)
			for (int k = 0; k < 2; k++) {
				struct edges_end *end = &r->edge[i].end[k];

				if ((end->port != 0) == told && give_port(r, &r->edge[i], end))
					return -1;
			}
	return 0;
}

static unsigned edges_ports_of(const struct edge_node *n)
{
	return n->ports ? (unsigned)n->ports : MAX(n->highest, 1);
}

/* --- nodes ------------------------------------------------------------------------------------------- */

/* The given GUIDs of nodes and ports, ascending. */
struct guids {
	uint64_t *g;
	size_t n, cap;
};

static void edges_add_guid(struct guids *t, uint64_t g)
{
	GROW(t->g, t->n, t->cap);
	t->g[t->n++] = g;
}

static struct guids told_guids(const struct edges_reader *r)
{
	struct guids t = {0};

	for (uint32_t i = 0; i < r->net.n_names; i++) {
		const struct edge_node *n = &r->node[i];
		struct cursor guid = n->option[GUID], list = n->option[PORTGUID];
		uint64_t v;

		if (edges_take_value(&guid, UINT64_MAX, &v))
			for (unsigned p = 0; p <= (n->type == NODE_SWITCH ? 0 : edges_ports_of(n)); p++)
				edges_add_guid(&t, v + p);
		while (edges_take_value(&list, UINT64_MAX, &v))
			edges_add_guid(&t, v);
	}
	if (t.n)
		qsort(t.g, t.n, sizeof(*t.g), order_u64);
	return t;
}

/* The next `step` consecutive GUIDs that are not given.  All below t->g[*from] are before *next. */
static uint64_t next_guids(uint64_t *next, unsigned step, const struct guids *t, size_t *from)
{
	for (; *from < t->n && t->g[*from] < *next + step; (*from)++)
		if (t->g[*from] >= *next)
			*next = t->g[*from] + 1;
	*next += step;
	return *next - step;
}

/* The value of an option with a single one. */
static bool edges_told(const struct edge_node *n, enum option o, uint64_t *v)
{
	struct cursor c = n->option[o];

	return edges_take_value(&c, options[o].most, v);
}

/* Sets what a list says about each port. */
static int set_ports(struct edges_reader *r, const struct edge_node *n, struct fb_node *to, enum option o)
{
	struct cursor list = n->option[o];
	unsigned p = to->type == NODE_SWITCH ? 0 : 1;
	uint64_t v;

	for (; edges_take_value(&list, options[o].most, &v); p++) {
		if (p > to->nports)
			return edges_wrong(r, n->line, n->option[o], "at most a value for each port");
		if (o == PORTGUID)
			to->port[p].guid = v;
		else if (o == LIDS)
			to->port[p].lid = (uint16_t)v;
		else
			to->port[p].lmc = (uint8_t)v;
	}
	return 0;
}

static int make_nodes(struct edges_reader *r)
{
	struct guids t = told_guids(r);
	uint64_t next[2] = {FIRST_CA, FIRST_SWITCH}, guid, v;
	size_t from[2] = {0, 0};
	int rc = 0;

	for (uint32_t i = 0; i < r->net.n_names && !rc; i++) {
		const struct edge_node *n = &r->node[i];
		const struct net_name *name = &r->net.name[i];
		enum node_type type = n->type ? n->type : NODE_SWITCH;
		bool sw = type == NODE_SWITCH;

		if (!edges_told(n, GUID, &guid))
			guid = next_guids(&next[sw], sw ? 1 : edges_ports_of(n) + 1, &t, &from[sw]);
		if (fb_add(r->net.b, type, guid, edges_ports_of(n), NULL) == NO_ID) {
			rc = edges_wrong(r, n->line, n->option[GUID], "a GUID that no other node has");
			break;
		}
		assert(r->net.b->n == i + 1); /* names and nodes have the same numbers */
		struct fb_node *to = &r->net.b->node[i];
		to->desc = clean_text(r->net.chars.s + name->text, name->len, DESC_MAX);
		to->esp0 = n->enhanced;
		to->sysguid = edges_told(n, SYSGUID, &v) ? v : guid;
		to->vendor = edges_told(n, VENDOR, &v) ? (uint32_t)v : 0;
		to->device = edges_told(n, DEVICE, &v) ? (uint32_t)v : 0;
		rc = set_ports(r, n, to, PORTGUID) || set_ports(r, n, to, LIDS) || set_ports(r, n, to, LMCS);
	}
	free(t.g);
	return rc;
}

/* `sm h1`; without such a line it is a guess. */
static int place_sm(struct edges_reader *r)
{
	struct fabric_builder *b = r->net.b;
	uint32_t names = r->net.n_names;
	bool good = false;

	if (!r->sm_line)
		return 0;
	r->sm.node = net_name(&r->net, r->sm.name.p, cur_len(r->sm.name));
	if (r->sm.node == names)
		return edges_wrong(r, r->sm_line, r->sm.word, "a node that another line tells");
	const struct fb_node *n = &b->node[r->sm.node];
	for (unsigned p = 0; p <= n->nports; p++)
		good |= (!r->sm.port || p == r->sm.port || n->type == NODE_SWITCH) &&
			(p ? n->port[p].peer_node != NO_ID : n->type == NODE_SWITCH);
	if (!good)
		return edges_wrong(r, r->sm_line, r->sm.word, "a switch, or a host's port with a cable");
	b->sm_node = r->sm.node;
	b->sm_port = (uint8_t)r->sm.port;
	b->sm_guessed = false;
	return 0;
}

static void edges_lay_cables(struct edges_reader *r)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct edges_cable *x = &r->edge[i];

		fb_link(r->net.b, x->end[0].node, x->end[0].given, x->end[1].node, x->end[1].given);
		for (int k = 0; k < 2; k++) {
			struct fb_port *p = &r->net.b->node[x->end[k].node].port[x->end[k].given];

			p->width = x->width;
			p->speed = x->speed;
		}
	}
}

/*
 * Is the last line whole, without a newline behind it?  It is a cable, and ends with a rate; or, if no cable
 * has one, with "]" or a quote.  A bare name may be the beginning of another one.
 */
static bool last_cable_is_whole(const struct edges_reader *r, struct cursor line, unsigned no)
{
	const struct edges_cable *x = r->n ? &r->edge[r->n - 1] : NULL;
	char last = cur_trimmed(line).end[-1];

	if (!x || x->line != no)
		return false;
	if (x->width)
		return rate_word_is_whole(r->in, x->speed);
	for (size_t i = 0; i < r->n; i++)
		if (r->edge[i].width)
			return false;
	return last == ']' || last == '"';
}

int parse_edges(const struct input *in, struct fabric **out, struct err *e)
{
	struct edges_reader r = {.in = in, .e = e};
	struct lines l = lines_of(in);
	struct cursor line = {0};
	int rc = 0;

	net_init(&r.net, in->name);
	while (!rc && lines_next(&l, &line))
		if (cur_says(line))
			rc = edges_read_line(&r, line, l.no);
	if (!rc && cur_says(line) && line.end == in->data + in->size && !last_cable_is_whole(&r, line, l.no))
		cut_record(in, l.no, &r.net.b->warnings);
	rc = rc || give_ports(&r) || make_nodes(&r) ? -1 : 0;
	if (!rc) {
		edges_lay_cables(&r);
		net_guess_sm(&r.net);
		rc = place_sm(&r);
	}
	if (!rc) {
		rc = fb_finish(r.net.b, in->name, "edges", out, e);
		r.net.b = NULL;
	}
	free(r.node);
	free(r.edge);
	net_free(&r.net);
	return rc;
}
