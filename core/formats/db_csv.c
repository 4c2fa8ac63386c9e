/* ibdiagnet2.db_csv and opensm-smdb.dump, and sections of comma-separated rows in general. */
#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/cursor.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/fabric/fabric.h"
#include "core/formats/readers.h"

#define MOST_HOST_PORTS 2      /* of a channel adapter that only switches name */
#define TWO_NODES (NO_ID - 1u) /* several nodes have the LID */

enum port_state state_word(struct cursor c)
{
	static const struct {
		const char *begin;
		enum port_state state;
	} table[] = {
		{"act", PORT_ACTIVE}, {"arm", PORT_ARMED}, {"ini", PORT_INIT},
		{"down", PORT_DOWN},  {"dwn", PORT_DOWN},
	};

	for (size_t i = 0; i < ARRAY_LEN(table); i++)
		if (cur_begins(c, table[i].begin))
			return table[i].state;
	return PORT_UNKNOWN;
}

void rows_init(struct rows *r, const struct input *in)
{
	*r = (struct rows){.in = in, .lines = lines_of(in)};
}

static bool good_end(const struct row_end *e)
{
	return e->port <= MAX_PORTS && e->lid <= UINT16_MAX;
}

bool rows_add(struct rows *r, const struct row *row)
{
	if (!row->own.guid || !row->own.port || !good_end(&row->own) || !good_end(&row->peer))
		return false;
	GROW(r->row, r->n, r->cap);
	r->row[r->n++] = *row;
	r->unknown.read++;
	return true;
}

/* --- nodes --------------------------------------------------------------------------------------- */

struct formats_rows_maker {
	struct rows *r;
	struct net net;
	uint32_t *node; /* [n] builder index of a row's own node */
	uint32_t *lid;	/* [65536] node with the LID; NO_ID, TWO_NODES */
	bool alone;	/* one node alone has rows: its peers were not seen, whatever they are */
};

struct keyed_row {
	uint64_t guid;
	uint32_t row;
};

COMPARATOR(keyed_row_compare, struct keyed_row, UP(guid) UP(row))

/* Finds types that no row gives.  A GUID (and LID) on several ports, or on a high one, belongs to a
 * switch. */
static void settle_types(struct rows *r)
{
	AUTO_FREE struct keyed_row *k = NEW_ARRAY(r->n + 1, struct keyed_row);

	for (uint32_t i = 0; i < r->n; i++)
		k[i] = (struct keyed_row){r->row[i].own.guid, i};
	qsort(k, r->n, sizeof(*k), keyed_row_compare);
	for (uint32_t i = 0, end; i < r->n; i = end) {
		const struct row_end *first = &r->row[k[i].row].own;
		bool is_switch = false;

		for (end = i; end < r->n && k[end].guid == k[i].guid; end++) {
			const struct row_end *o = &r->row[k[end].row].own;

			is_switch |=
				o->port > MOST_HOST_PORTS || (o->port != first->port && o->lid == first->lid);
		}
		for (uint32_t j = i; j < end; j++)
			if (!r->row[k[j].row].own.type)
				r->row[k[j].row].own.type = is_switch ? NODE_SWITCH : NODE_CA;
	}
}

static uint32_t guid_name(struct formats_rows_maker *m, uint64_t guid)
{
	char text[24];

	return net_name(&m->net, text, (size_t)snprintf(text, sizeof(text), "0x%016" PRIx64, guid));
}

/* The node that has a GUID: its own, or that of one of its ports. */
static uint32_t guid_node(struct formats_rows_maker *m, uint64_t guid)
{
	uint32_t id = guid_name(m, guid); /* first: it may make net.name grow */

	return m->net.name[id].node;
}

/* Ports of a channel adapter with successive GUIDs and the same name belong together. */
static uint32_t sibling(const struct formats_rows_maker *m, const struct row_end *o)
{
	uint32_t node = o->port > 1 ? fb_find(m->net.b, o->guid - (o->port - 1)) : NO_ID;
	const struct fb_node *n = &m->net.b->node[node];

	AUTO_FREE char *desc = cur_clean(o->name, DESC_MAX);

	if (node == NO_ID || n->type != o->type || n->port[1].guid != n->guid || strcmp(n->desc, desc) ||
	    (o->port <= n->nports && n->port[o->port].guid))
		node = NO_ID;
	return node;
}

static uint32_t told_node(struct formats_rows_maker *m, const struct row_end *o, uint64_t guid)
{
	uint32_t node = fb_add(m->net.b, o->type, guid, (unsigned)o->port, NULL);

	assert(o->type); /* settle_types() came before */
	if (node == NO_ID)
		return fb_find(m->net.b, guid);
	m->net.b->node[node].desc = cur_clean(o->name, DESC_MAX);
	return node;
}

static uint32_t row_node(struct formats_rows_maker *m, uint32_t i)
{
	const struct row *w = &m->r->row[i];
	uint32_t node = guid_node(m, w->own.guid);

	if (i && w->group && m->r->row[i - 1].group == w->group && m->node[i - 1] != NO_ID)
		return m->node[i - 1];
	if (node == NO_ID && w->own.type != NODE_SWITCH && !w->group)
		node = sibling(m, &w->own);
	return node == NO_ID ? told_node(m, &w->own, w->own.guid) : node;
}

/* Takes a row's data about its own port. */
static void fill_port(struct formats_rows_maker *m, uint32_t i)
{
	const struct row *w = &m->r->row[i];
	uint32_t node = m->node[i], id = guid_name(m, w->own.guid);
	bool is_switch = m->net.b->node[node].type == NODE_SWITCH;

	fb_more_ports(m->net.b, node, (unsigned)w->own.port);
	struct fb_port *p = &m->net.b->node[node].port[w->own.port];
	p->state = w->state;
	p->width = w->width;
	p->speed = w->speed;
	p->widths = w->widths;
	p->speeds = w->speeds;
	if (!cur_empty(&w->own.label))
		fb_label(m->net.b, node, (unsigned)w->own.port, w->own.label.p, cur_len(w->own.label));
	p = is_switch ? &m->net.b->node[node].port[0] : p;
	p->lid = (uint16_t)w->own.lid;
	p->guid = is_switch ? 0 : w->own.guid;
	if (m->net.name[id].node == NO_ID)
		m->net.name[id].node = node;
	if (w->own.lid)
		m->lid[w->own.lid] =
			m->lid[w->own.lid] == NO_ID || m->lid[w->own.lid] == node ? node : TWO_NODES;
}

/* --- cables -------------------------------------------------------------------------------------- */

/* Number of the peer's port: as given, or by its label. 0: it has no such port. */
static uint64_t peer_port(const struct formats_rows_maker *m, uint32_t node, const struct row_end *p)
{
	const struct fb_node *n = node == NO_ID ? NULL : &m->net.b->node[node];
	const char *slash = cur_find_last(&p->label, '/');
	uint64_t v;

	for (unsigned i = 1; !p->port && n && i <= n->nports; i++)
		if (n->port[i].label && cur_same(p->label, cur_text(n->port[i].label)))
			return i;
	if (p->port || (slash && n && n->type == NODE_SWITCH))
		return p->port;
	/* the last number of "B184D0F0/0/0/1", "1/32/1" */
	return cur_is_number((struct cursor){slash ? slash + 1 : p->label.p, p->label.end}, 10, &v) &&
			       v <= MAX_PORTS
		       ? v
		       : 0;
}

static void formats_rows_add_host(struct formats_rows_maker *m, const struct row *w, uint32_t name,
				  uint64_t port)
{
	struct row_end o = w->peer;
	uint64_t guid = o.guid ? o.guid : net_made_guid(m->net.b, o.lid);

	assert(port >= 1 && port <= MOST_HOST_PORTS && w->peer.lid <= UINT16_MAX);
	o.port = port;
	o.type = NODE_CA;
	uint32_t node = told_node(m, &o, guid);
	m->net.b->node[node].unseen = m->alone;
	struct fb_port *p = &m->net.b->node[node].port[port];
	p->guid = guid;
	p->lid = (uint16_t)o.lid;
	p->width = w->width;
	p->speed = w->speed;
	p->widths = w->widths;
	p->speeds = w->speeds;
	p->state = w->state;
	if (!cur_empty(&o.label))
		fb_label(m->net.b, node, (unsigned)port, o.label.p, cur_len(o.label));
	m->net.name[name].node = node;
	m->net.name[name].port = (uint8_t)port;
}

static void formats_rows_add_cables(struct formats_rows_maker *m)
{
	struct rows *r = m->r;
	AUTO_FREE uint32_t *named = NULL, *name = NEW_ARRAY(r->n + 1, uint32_t);

	for (uint32_t i = 0; i < r->n; i++) {
		const struct row_end *p = &r->row[i].peer;
		uint32_t node = NO_ID; /* named by the row, if it has rows itself */
		char text[24];

		if (r->row[i].cabled && p->guid)
			node = guid_node(m, p->guid);
		else if (r->row[i].cabled && p->lid && m->lid[p->lid] != TWO_NODES)
			node = m->lid[p->lid];
		if (p->guid || node != NO_ID)
			name[i] = guid_name(m, p->guid ? p->guid : m->net.b->node[node].guid);
		else
			name[i] = net_name(&m->net, text,
					   (size_t)snprintf(text, sizeof(text), "LID %" PRIu64, p->lid));
		if (node != NO_ID && m->net.name[name[i]].node == NO_ID)
			m->net.name[name[i]].node = node;
	}
	m->alone = m->net.b->n == 1;
	named = NEW_ARRAY(m->net.n_names + 1, uint32_t);
	for (uint32_t i = 0; i < r->n; i++)
		named[name[i]] += r->row[i].cabled;
	for (uint32_t i = 0; i < r->n; i++) {
		const struct row *w = &r->row[i];
		uint32_t node = w->cabled ? m->net.name[name[i]].node : NO_ID;
		uint64_t port = peer_port(m, node, &w->peer);
		struct cursor label = w->peer.label;
		bool numbered = cur_find(&label, "/") && isdigit((unsigned char)*label.p);

		if (!w->cabled)
			continue;
		/* A switch has a special name (MF0;...), labels that begin with a number, many ports, and one
		 * LID and GUID on all. */
		bool like_host = named[name[i]] == 1 && port <= MOST_HOST_PORTS && !numbered &&
				 !cur_word(&(struct cursor){w->peer.name.p, w->peer.name.end}, "MF0;");
		enum node_type type = w->peer.type;
		if (!type)
			type = like_host ? NODE_CA : NODE_SWITCH;
		/* only its own LID or GUID, and the number of its port, tell a peer from others */
		bool told = port && (w->peer.guid || (w->peer.lid && m->lid[w->peer.lid] == NO_ID)) &&
			    (w->peer.port || !numbered);
		if (node == NO_ID && !r->hosts && like_host && port)
			formats_rows_add_host(m, w, name[i], port);
		if (node != NO_ID && !port)
			warnings_missing(&m->net.b->warnings, "no such port", w->line,
					 "port %" PRIu64 " is cabled to a port of %s that has no line (%.*s)",
					 w->own.port, m->net.b->node[node].desc,
					 cur_len(label) < LABEL_MAX ? (int)cur_len(label) : LABEL_MAX,
					 label.p ? label.p : "");
		else
			net_wire(&m->net, &(struct wire){.node = m->node[i],
							 .peer = name[i],
							 .line = w->line,
							 .peer_lid = (uint16_t)w->peer.lid,
							 .port = (uint8_t)w->own.port,
							 .peer_port = (uint8_t)(port ? port : 1),
							 .peer_type = told ? type : 0,
							 .peer_node_guid = w->peer.guid,
							 .peer_desc = w->peer.name});
	}
}

/* --- what is missing ------------------------------------------------------------------------------- */

/* These tools list all ports of a switch, so a port without a row is missing. */
static void formats_rows_find_gaps(struct formats_rows_maker *m)
{
	uint32_t gaps = 0, node = 0, open = 0;
	AUTO_FREE uint32_t *first = NEW_ARRAY(m->net.b->n + 1, uint32_t);
	unsigned port = 0;

	for (uint32_t i = 0; i < m->net.b->n; i++)
		first[i + 1] = first[i] + m->net.b->node[i].nports + 1;
	AUTO_FREE uint8_t *has = NEW_ARRAY(first[m->net.b->n] + 1, uint8_t);
	for (uint32_t i = 0; i < m->r->n; i++) {
		const struct row *w = &m->r->row[i];

		has[first[m->node[i]] + w->own.port] = 1;
		if (!w->cabled && w->state >= PORT_INIT && !open++)
			warnings_missing(&m->net.b->warnings, "open port", w->line,
					 "port %" PRIu64 " is up, and what it is cabled to is not told",
					 w->own.port);
	}
	for (uint32_t i = 0; i < m->net.b->n; i++)
		for (unsigned p = 1; p <= m->net.b->node[i].nports && m->net.b->node[i].type == NODE_SWITCH;
		     p++)
			if (!has[first[i] + p] && !gaps++) {
				node = i;
				port = p;
			}
	if (gaps)
		warnings_missing(
			&m->net.b->warnings, "cut list", 0,
			"%s of switches without a line, which this tool writes of all (the first: port %u "
			"of %s): was the whole copied?",
			PLURAL(gaps, "port"), port, m->net.b->node[node].desc);
}

int rows_finish(struct rows *r, const char *format, const char *untold, struct fabric **out, struct err *e)
{
	AUTO_ARENA void *arena = ARENA_EMPTY;
	struct formats_rows_maker m = {.r = r};
	const struct row *last = r->n ? &r->row[r->n - 1] : NULL;
	bool open_end = last && last->line == r->lines.no && !last->ended && !ends_with_newline(r->in);

	net_init(&m.net, r->in->name);
	m.net.unknown = r->unknown;
	m.net.listed = true;
	m.net.b->untold = str_dup(untold);
	if (m.net.unknown.cut || open_end)
		cut_record(r->in, r->lines.no, &m.net.b->warnings);
	m.node = ARENA_ARRAY(arena, r->n + 1, uint32_t);
	memset(m.node, 0xff, (r->n + 1) * sizeof(*m.node));
	m.lid = ARENA_ARRAY(arena, UINT16_MAX + 1, uint32_t);
	memset(m.lid, 0xff, (UINT16_MAX + 1) * sizeof(*m.lid));
	settle_types(r);
	/* first ports come first: others look for them */
	for (unsigned pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < m.r->n; i++) {
			const struct row *w = &m.r->row[i];
			bool first = w->own.type == NODE_SWITCH || w->own.port == 1 || w->group;

			if (first != !pass)
				continue;
			m.node[i] = row_node(&m, i);
			fill_port(&m, i);
		}
	formats_rows_add_cables(&m);
	formats_rows_find_gaps(&m);
	net_link(&m.net);
	int status = net_finish(&m.net, format, out, e);
	free(r->row);
	return status;
}

/* ibdiagnet2.db_csv and opensm-smdb.dump: sections of comma-separated rows under a line that names their
 * columns (core/formats/doc/formats.md 9.2). */

#define MAX_FIELDS 256 /* of a row; further ones are ignored */
#define MAX_COLUMNS 16 /* of a section that are read */
#define MOST_RANKS 255 /* 255 of OpenSM: it gave none */

struct db_csv_reader {
	const struct input *in;
	struct lines lines;
	struct fabric_builder *b;
	struct unknown_lines unknown;
	uint32_t n_links;
	uint32_t n_errors; /* of the present section */
	uint64_t sm_lid;
	struct managers *pkeys;
	struct unknown_lines odd_pkeys; /* rows of PKEY, which are not about nodes, ports and cables */
};

/* A section that is read: its columns, and what to do with a row (value[] in order of the columns). */
struct section {
	const char *name;
	const char *column[MAX_COLUMNS]; /* the last is NULL */
	const char *expected; /* what a row describes; NULL: nothing about nodes, ports and cables */
	unsigned needed;      /* this many of the first columns must be present */
	bool (*row)(struct db_csv_reader *r, const struct cursor *value); /* false: not understood */
};

/* --- rows -------------------------------------------------------------------------------- */

/* Takes the next field of a row, without its quotes, and the comma after it. */
static struct cursor take_field(struct cursor *c)
{
	struct cursor f;

	if (!cur_char(c, '"'))
		return cur_trimmed(cur_part(c, ','));
	f.p = c->p;
	while (c->p < c->end && (*c->p != '"' || (c->p + 1 < c->end && c->p[1] == '"')))
		c->p += *c->p == '"' ? 2 : 1;
	f.end = c->p;
	cur_part(c, ',');
	return f;
}

/* A number up to a limit, else 0. */
static unsigned small_number(struct cursor c, unsigned limit)
{
	uint64_t v;

	return cur_is_number(c, 0, &v) && v <= limit ? (unsigned)v : 0;
}

/* The text of a quoted field, with "" for one quote, of at most `most` bytes. */
static char *quoted_text(struct cursor c, size_t most)
{
	AUTO_FREE char *raw = mem_alloc((size_t)(c.end - c.p) + 1);
	size_t n = 0;

	for (; c.p < c.end; c.p++) {
		raw[n++] = *c.p;
		if (*c.p == '"' && c.p + 1 < c.end && c.p[1] == '"')
			c.p++;
	}
	return clean_text(raw, n, most);
}

/* --- the content of a row ------------------------------------------------------------------- */

enum { N_GUID, N_TYPE, N_PORTS, N_DESC, N_SYSTEM, N_PORT_GUID, N_DEVICE, N_VENDOR };

static bool node_row(struct db_csv_reader *r, const struct cursor *v)
{
	uint64_t guid, type, ports, x;

	if (!cur_is_number(v[N_GUID], 0, &guid) || !cur_is_number(v[N_TYPE], 0, &type) ||
	    !cur_is_number(v[N_PORTS], 0, &ports) || !guid || type < NODE_CA || type > NODE_ROUTER ||
	    ports > MAX_PORTS)
		return false;
	uint32_t node = add_node(r->b, (enum node_type)type, guid, (unsigned)ports, r->lines.no);
	if (node == NO_ID)
		return true;
	struct fb_node *n = &r->b->node[node];
	n->desc = quoted_text(v[N_DESC], DESC_MAX);
	cur_is_number(v[N_SYSTEM], 0, &n->sysguid);
	n->device = small_number(v[N_DEVICE], UINT16_MAX);
	n->vendor = small_number(v[N_VENDOR], 0xFFFFFF);
	if (type == NODE_SWITCH && cur_is_number(v[N_PORT_GUID], 0, &x))
		n->port[0].guid = x;
	return true;
}

enum { S_GUID, S_CAP, S_ESP0, S_RANK };

static bool switch_row(struct db_csv_reader *r, const struct cursor *v)
{
	uint64_t guid, cap, rank;

	if (!cur_is_number(v[S_GUID], 0, &guid))
		return false;
	uint32_t node = fb_find(r->b, guid);
	if (node == NO_ID)
		return false;
	if (cur_is_number(v[S_CAP], 0, &cap) && cap && cap <= UINT16_MAX)
		r->b->node[node].fdb_cap = (uint32_t)cap;
	r->b->node[node].esp0 = small_number(v[S_ESP0], 1);
	if (cur_is_number(v[S_RANK], 0, &rank) && rank < MOST_RANKS)
		r->b->node[node].rank = (uint16_t)(rank + 1);
	return true;
}

/* A set of speeds (fabric.h); 0: there are unknown ones among them, as where a simulator sets all bits. */
static unsigned speeds_of_mask(uint64_t mask)
{
	static const struct {
		uint32_t bit;
		enum link_speed speed;
	} table[] = {
		{0x1, SPEED_SDR},	{0x2, SPEED_DDR},     {0x4, SPEED_QDR},	  {0x100, SPEED_FDR},
		{0x200, SPEED_EDR},	{0x400, SPEED_HDR},   {0x800, SPEED_NDR}, {0x1000, SPEED_XDR},
		{0x10000, SPEED_FDR10}, {0x20000, SPEED_EDR},
	};
	unsigned speeds = 0;

	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		if (mask & table[i].bit)
			speeds |= 1u << (table[i].speed - 1);
		mask &= ~(uint64_t)table[i].bit;
	}
	return mask ? 0 : speeds;
}

/* Old and new bits may be set together (0x804: QDR and NDR): the fastest counts. */
static enum link_speed speed_of_mask(uint64_t mask)
{
	unsigned speeds = speeds_of_mask(mask);

	return speeds ? 32 - (unsigned)__builtin_clz(speeds) : SPEED_UNKNOWN;
}

/* The builder index of a node by its GUID, with room for a port; NO_ID: none. */
static uint32_t db_csv_node_with_port(struct db_csv_reader *r, uint64_t guid, uint64_t port)
{
	uint32_t node = port > MAX_PORTS ? NO_ID : fb_find(r->b, guid);

	if (node != NO_ID)
		want_port(r->b, node, port, r->lines.no);
	return node;
}

enum { P_NODE, P_NUM, P_GUID, P_LID, P_LMC, P_SM_LID, P_WIDTH, P_SPEED, P_STATE, P_OPVLS };
enum { P_WIDTHS = P_OPVLS + 1, P_SPEEDS, P_WIDTHS_ON, P_SPEEDS_ON };
static_assert(P_SPEEDS_ON + 1 < MAX_COLUMNS, "the last column of a section is NULL");

static bool port_row(struct db_csv_reader *r, const struct cursor *v)
{
	uint64_t guid, num, x;

	if (!cur_is_number(v[P_NODE], 0, &guid) || !cur_is_number(v[P_NUM], 0, &num))
		return false;
	uint32_t node = db_csv_node_with_port(r, guid, num);
	if (node == NO_ID)
		return false;
	struct fb_port *p = &r->b->node[node].port[num];
	/* only port 0 of a switch has its LID and port GUID */
	bool addressed = (r->b->node[node].type == NODE_SWITCH) == (num == 0);
	if (addressed) {
		p->lid = small_number(v[P_LID], UINT16_MAX);
		p->lmc = small_number(v[P_LMC], 7);
		if (cur_is_number(v[P_GUID], 0, &x) && x)
			p->guid = x;
	}
	p->state = small_number(v[P_STATE], PORT_ACTIVE);
	if (!r->sm_lid && addressed && p->state != PORT_DOWN)
		r->sm_lid = small_number(v[P_SM_LID], UINT16_MAX);
	if (!num)
		return true;
	p->width = link_width_of_code(small_number(v[P_WIDTH], 16));
	p->speed = cur_is_number(v[P_SPEED], 0, &x) ? speed_of_mask(x) : SPEED_UNKNOWN;
	/* what is enabled counts, as it may be less on purpose; where it is not told, what is supported */
	if ((cur_is_number(v[P_WIDTHS_ON], 0, &x) && x) || cur_is_number(v[P_WIDTHS], 0, &x))
		p->widths = (uint8_t)(x & 31);
	if ((cur_is_number(v[P_SPEEDS_ON], 0, &x) && x) || cur_is_number(v[P_SPEEDS], 0, &x))
		p->speeds = (uint16_t)speeds_of_mask(x);
	if (small_number(v[P_OPVLS], 5))
		p->opervls = small_number(v[P_OPVLS], 5);
	return true;
}

enum { L_NODE1, L_PORT1, L_NODE2, L_PORT2 };
static_assert(L_NODE2 == L_NODE1 + 2 && L_PORT2 == L_PORT1 + 2, "an end is two columns");

static bool link_row(struct db_csv_reader *r, const struct cursor *v)
{
	uint64_t guid[2], port[2];
	uint32_t node[2];

	for (unsigned i = 0; i < 2; i++) {
		if (!cur_is_number(v[L_NODE1 + 2 * i], 0, &guid[i]) ||
		    !cur_is_number(v[L_PORT1 + 2 * i], 0, &port[i]) || !port[i])
			return false;
		node[i] = db_csv_node_with_port(r, guid[i], port[i]);
		if (node[i] == NO_ID)
			return false;
	}
	r->n_links++;
	add_cable(r->b, node, port, "row", r->lines.no);
	return true;
}

enum { H_NODE, H_NUM, H_LABEL };

/* Labels are not part of the cabling: a row that cannot be used is ignored. */
static bool label_row(struct db_csv_reader *r, const struct cursor *v)
{
	uint64_t guid, num;
	uint32_t node = cur_is_number(v[H_NODE], 0, &guid) ? fb_find(r->b, guid) : NO_ID;

	if (node != NO_ID && cur_is_number(v[H_NUM], 0, &num) && num && num <= r->b->node[node].nports &&
	    !cur_is(v[H_LABEL], "N/A"))
		fb_label(r->b, node, (unsigned)num, v[H_LABEL].p, cur_len(v[H_LABEL]));
	return true;
}

/* A switch's state of adaptive routing: `e` says whether it is enabled. */
static bool adaptive_row(struct db_csv_reader *r, const struct cursor *v)
{
	uint64_t guid, enabled;
	uint32_t node = cur_is_number(v[0], 0, &guid) ? fb_find(r->b, guid) : NO_ID;

	if (node != NO_ID && cur_is_number(v[1], 0, &enabled))
		r->b->node[node].adaptive = enabled ? ADAPTIVE_ON : ADAPTIVE_OFF;
	return true;
}

/* The engine that routes, of the subnet manager that wrote the dump. */
static bool manager_row(struct db_csv_reader *r, const struct cursor *v)
{
	if (!r->b->sm_engine && !cur_empty(&v[0]))
		r->b->sm_engine = cur_clean(v[0], DESC_MAX);
	return true;
}

/* The time of ibdiagnet's run. */
static bool run_row(struct db_csv_reader *r, const struct cursor *v)
{
	if (!r->b->generated && !cur_empty(&v[0]))
		r->b->generated = cur_clean(v[0], 64);
	return true;
}

enum { E_NODE, E_PORT, E_EVENT, E_TEXT };

/* An error that ibdiagnet found. */
static bool error_row(struct db_csv_reader *r, const struct cursor *v)
{
	uint64_t guid = 0, port = 0;
	bool placed = cur_is_number(v[E_NODE], 0, &guid) && guid,
	     at_port = placed && cur_is_number(v[E_PORT], 0, &port) && port;
	AUTO_FREE char *summary = quoted_text(v[E_TEXT], IBDIAGNET_BYTES),
		       *event = quoted_text(v[E_EVENT], DESC_MAX);
	AUTO_TEXT struct text t = {0};

	text_add(&t, "%s", event);
	if (placed)
		text_add(&t, " at 0x%016" PRIx64, guid);
	if (at_port)
		text_add(&t, "[%" PRIu64 "]", port);
	text_add(&t, ": %s", summary);
	if (ibdiagnet_error(&r->b->warnings, r->in->name, r->lines.no, text_str(&t), &r->n_errors) && placed)
		warnings_place(&r->b->warnings, guid, port <= MAX_PORTS ? (unsigned)port : 0);
	return true;
}

enum { K_NODE, K_PORT_GUID, K_NUM, K_PKEY, K_MEMBERSHIP };

static bool pkey_row(struct db_csv_reader *r, const struct cursor *v)
{
	uint64_t x[K_MEMBERSHIP + 1];

	for (unsigned i = 0; i <= K_MEMBERSHIP; i++)
		if (!cur_is_number(v[i], 0, &x[i]))
			return false;
	if (x[K_NUM] > MAX_PORTS || x[K_PKEY] > 0x7fff || x[K_MEMBERSHIP] > 1)
		return false;
	uint32_t node = fb_find(r->b, x[K_NODE]);
	/* P_Keys of a switch's other ports belong to no port: the switch uses them to filter packets */
	if (node != NO_ID && (r->b->node[node].type == NODE_SWITCH) == (x[K_NUM] == 0))
		managers_tell_pkey(r->pkeys, x[K_PORT_GUID], (uint16_t)(x[K_PKEY] | x[K_MEMBERSHIP] << 15));
	return true;
}

/* Sections in the order of reading. Their order in the file does not matter. */
static const struct section sections[] = {
	{"NODES",
	 {"NodeGUID", "NodeType", "NumPorts", "NodeDesc", "SystemImageGUID", "PortGUID", "DeviceID",
	  "VendorID"},
	 "a row of NODES: a GUID, type 1 to 3, up to 254 ports, as many fields as the heading",
	 3,
	 node_row},
	{"SWITCHES",
	 {"NodeGUID", "LinearFDBCap", "ENP0", "Rank"},
	 "a row of SWITCHES: a switch of NODES",
	 1,
	 switch_row},
	{"PORTS",
	 {"NodeGuid", "PortNum", "PortGuid", "LID", "LMC", "MSMLID", "LinkWidthActv", "LinkSpeedActv",
	  "PortState", "OpVLs", "LinkWidthSup", "LinkSpeedSup", "LinkWidthEn", "LinkSpeedEn"},
	 "a row of PORTS: a node of NODES, a port up to 254, as many fields as the heading",
	 2,
	 port_row},
	{"PORT_HIERARCHY_INFO", {"NodeGUID", "PortNum", "Label"}, NULL, 3, label_row},
	{"RUN_INFO", {"Date"}, NULL, 1, run_row},
	{"LINKS",
	 {"NodeGuid1", "PortNum1", "NodeGuid2", "PortNum2"},
	 "a row of LINKS: two nodes of NODES with their ports",
	 4,
	 link_row},
	{"PKEY",
	 {"NodeGUID", "PortGUID", "LocalPortNum", "PKey", "Membership"},
	 "a row of PKEY: NodeGUID, PortGUID, LocalPortNum, PKey up to 0x7fff, Membership 0 or 1",
	 0,
	 pkey_row},
	{"AR_INFO", {"NodeGUID", "e"}, NULL, 0, adaptive_row},
	{"SM", {"RoutingEngine"}, NULL, 0, manager_row},
};

/* --- sections ---------------------------------------------------------------------------------- */

/* Is a line START_NAME or END_NAME? */
static bool is_mark(struct cursor line, const char *mark, const char *name)
{
	return cur_word(&line, mark) && cur_is(cur_trimmed(line), name);
}

static bool begins_nodes(struct cursor line)
{
	return is_mark(line, "START_", "NODES");
}

bool is_db_csv(const struct input *in)
{
	return any_line(in, begins_nodes);
}

/* The places of a section's columns. */
struct header {
	unsigned at[MAX_COLUMNS]; /* field of a row that holds column i, MAX_FIELDS = none does */
	unsigned n;		  /* fields */
};

/* -1 and *e when a needed column is missing. */
static int db_csv_read_header(const struct db_csv_reader *r, const struct section *s, struct cursor line,
			      struct header *h, struct err *e)
{
	unsigned *at = h->at;
	struct cursor rest = line;
	char found[60];

	for (unsigned i = 0; i < MAX_COLUMNS; i++)
		at[i] = MAX_FIELDS;
	for (h->n = 0; h->n < MAX_FIELDS && !cur_empty(&rest); h->n++) {
		struct cursor name = take_field(&rest);

		for (unsigned i = 0; s->column[i]; i++)
			if (at[i] == MAX_FIELDS && cur_is(name, s->column[i]))
				at[i] = h->n;
	}
	assert(!s->needed || s->column[s->needed - 1]);
	for (unsigned i = 0; i < s->needed; i++)
		if (at[i] == MAX_FIELDS)
			return err_set(e, "%s:%u: found columns '%s' under START_%s, expected one called %s",
				       r->in->name, r->lines.no, excerpt(line, found, sizeof(found)), s->name,
				       s->column[i]);
	return 0;
}

/* If row and header differ in the number of fields, one of them was cut off. */
static void db_csv_read_row(struct db_csv_reader *r, const struct section *s, struct cursor line,
			    const struct header *h)
{
	struct cursor field[MAX_FIELDS + 1], value[MAX_COLUMNS], rest = line;
	struct unknown_lines *odd = s->row == pkey_row ? &r->odd_pkeys : &r->unknown;
	unsigned n = 0;

	while (n < MAX_FIELDS && !cur_empty(&rest))
		field[n++] = take_field(&rest);
	for (unsigned i = 0; i < MAX_COLUMNS; i++)
		value[i] = h->at[i] < n ? field[h->at[i]] : (struct cursor){line.end, line.end};
	bool last = rest.p > line.p && rest.p[-1] == ','; /* the last field is empty */
	bool whole = n <= h->n && n + last >= h->n;
	if ((whole || s->row == error_row) && s->row(r, value)) /* an error counts, whatever its words */
		odd->read += s->expected != NULL;
	else if (s->expected)
		unread_line(odd, r->in, r->lines.no, line, s->expected);
}

/* Reads the rows from START_ to END_. */
static int db_csv_read_rows(struct db_csv_reader *r, const struct section *s, struct err *e)
{
	unsigned start = r->lines.no;
	struct header h = {.n = 0};
	struct cursor line;

	while (lines_next(&r->lines, &line)) {
		struct cursor word = line;

		if (!cur_says(line))
			continue;
		if (is_mark(line, "END_", s->name)) {
			if (!h.n && (s->needed || s->expected))
				warnings_missing(&r->b->warnings, "cut section", r->lines.no,
						 "found END_%s, expected a line of columns and rows behind "
						 "START_%s: a part of the file was cut out",
						 s->name, s->name);
			return 0;
		}
		if (cur_word(&word, "START_") || cur_word(&word, "END_"))
			break;
		if (h.n)
			db_csv_read_row(r, s, line, &h);
		else if (db_csv_read_header(r, s, line, &h, e))
			return -1;
	}
	if (s->row == pkey_row)
		unread_line(&r->odd_pkeys, r->in, start, cur_text("START_PKEY"), "END_PKEY, too");
	warnings_missing(&r->b->warnings, "cut section", start, "START_%s has no END_%s: the file is cut off",
			 s->name, s->name);
	return 0;
}

static int db_csv_read_section(struct db_csv_reader *r, const struct section *s, struct err *e)
{
	struct cursor line;

	r->lines = lines_of(r->in);
	while (lines_next(&r->lines, &line)) {
		if (is_mark(line, "START_", s->name) && db_csv_read_rows(r, s, e))
			return -1;
		if (is_mark(line, "END_", s->name))
			warnings_missing(&r->b->warnings, "cut section", r->lines.no,
					 "END_%s has no START_%s: a part of the file was cut out", s->name,
					 s->name);
	}
	return 0;
}

/* --- the fabric ---------------------------------------------------------------------------------- */

/* Reads all sections ERRORS_NAME. */
static int read_errors(struct db_csv_reader *r, struct err *e)
{
	struct cursor line;
	int rc = 0;

	r->lines = lines_of(r->in);
	while (!rc && lines_next(&r->lines, &line)) {
		struct section s = {
			NULL, {"NodeGUID", "PortNumber", "EventName", "Summary"}, NULL, 0, error_row};
		struct cursor word = cur_trimmed(line);
		AUTO_FREE char *name = NULL;

		if (!cur_word(&line, "START_ERRORS_"))
			continue;
		word.p += strlen("START_");
		name = str_printf("%.*s", CUR_ARGS(word));
		s.name = name;
		r->n_errors = 0;
		rc = db_csv_read_rows(r, &s, e);
	}
	return rc;
}

/* Finds missing rows of LINKS (a port is active without cable) and PORTS (a cabled port is not listed). */
static void db_csv_find_gaps(struct db_csv_reader *r)
{
	struct {
		uint64_t guid;
		uint32_t n;
		unsigned port;
	} gap[2] = {0}; /* of LINKS, of PORTS */
	bool states = false;

	for (uint32_t i = 0; i < r->b->n; i++) {
		const struct fb_node *n = &r->b->node[i];

		for (unsigned p = 1; p <= n->nports; p++) {
			bool cabled = n->port[p].peer_node != NO_ID;

			states |= n->port[p].state != 0;
			if (cabled ? n->port[p].state != 0 : n->port[p].state != PORT_ACTIVE)
				continue;
			if (gap[cabled].n++)
				continue;
			gap[cabled].guid = n->guid;
			gap[cabled].port = p;
		}
	}
	for (int k = 0; k < (states ? 2 : 1); k++)
		if (gap[k].n)
			warnings_missing(&r->b->warnings, "incomplete fabric", 0,
					 "%s %s that no row of %s names (the first: port %u of 0x%016" PRIx64
					 "): the fabric is incomplete",
					 PLURAL(gap[k].n, "port"), k ? "cabled" : "active",
					 k ? "PORTS" : "LINKS", gap[k].port, gap[k].guid);
}

int parse_db_csv(const struct input *in, struct fabric **out, struct err *e)
{
	struct db_csv_reader r = {.in = in, .b = fb_new(), .pkeys = managers_new(0)};
	int status = 0;

	for (size_t i = 0; !status && i < ARRAY_LEN(sections); i++)
		status = db_csv_read_section(&r, &sections[i], e);
	if (!status)
		status = read_errors(&r, e);
	if (!status)
		status = unknown_report(&r.unknown, &r.b->warnings, e);
	unknown_free(&r.unknown);
	if (!status && r.b->n > 1 && !r.n_links)
		status = err_set(
			e,
			"%s: found nodes but no cables (rows of LINKS, which some versions of ibdiagnet "
			"leave out); expected them, or load the whole folder, its .ibnetdiscover or .lst",
			in->name);
	fb_place_sm(r.b, r.sm_lid);
	db_csv_find_gaps(&r);
	/* where a row is wrong, or the section is cut, a port may hold more P_Keys than are listed */
	if (r.odd_pkeys.unread.n) {
		warnings_add(&r.b->warnings, "P_Keys left out", r.odd_pkeys.unread.first,
			     "%s; no P_Key of the file is taken", r.odd_pkeys.why);
		r.pkeys->n_pkeys = 0;
	}
	unknown_free(&r.odd_pkeys);
	if (status)
		fb_free(r.b);
	else
		status = fb_finish(r.b, in->name, "db_csv", out, e);
	fabric_take_pkeys(status ? NULL : *out, r.pkeys);
	return status;
}
