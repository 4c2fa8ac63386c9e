#include "core/formats/rows.h"
#include "core/base/memory.h"
#include "core/base/order.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MOST_HOST_PORTS 2      /* of a channel adapter that only switches name */
#define HOST_GUIDS 0x100000    /* GUIDs for hosts with only a LID and a name in the source */
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
	uint32_t *node;	 /* [n] builder index of a row's own node */
	uint32_t *lid;	 /* [65536] node with the LID; NO_ID, TWO_NODES */
	uint8_t *row_of; /* [n_nodes * (MAX_PORTS + 1)]: 1: the port has a row */
};

struct keyed_row {
	uint64_t guid;
	uint32_t row;
};

COMPARATOR(keyed_row_compare, struct keyed_row, UP(guid) UP(row))

/* Finds types that no row tells. A GUID (and LID) on several ports, or on a high one, is a switch's. */
static void settle_types(struct rows *r)
{
	struct keyed_row *k = NEW_ARRAY(r->n + 1, struct keyed_row);

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
	free(k);
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

	char *desc = cur_clean(o->name, DESC_MAX);

	if (node == NO_ID || n->type != o->type || n->port[1].guid != n->guid || strcmp(n->desc, desc) ||
	    (o->port <= n->nports && n->port[o->port].guid))
		node = NO_ID;
	free(desc);
	return node;
}

static uint32_t told_node(struct formats_rows_maker *m, const struct row_end *o, uint64_t guid)
{
	uint32_t node = fb_add(m->net.b, o->type, guid, (unsigned)o->port, NULL);

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
	struct fb_port *p;

	fb_more_ports(m->net.b, node, (unsigned)w->own.port);
	p = &m->net.b->node[node].port[w->own.port];
	p->state = w->state;
	p->width = w->width;
	p->speed = w->speed;
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
	uint64_t guid = o.guid ? o.guid : HOST_GUIDS + o.lid;
	struct fb_port *p;
	uint32_t node;

	o.port = port;
	o.type = NODE_CA;
	while (!o.guid && fb_find(m->net.b, guid) != NO_ID)
		guid += UINT16_MAX + 1;
	node = told_node(m, &o, guid);
	p = &m->net.b->node[node].port[port];
	p->guid = guid;
	p->lid = (uint16_t)o.lid;
	p->width = w->width;
	p->speed = w->speed;
	p->state = w->state;
	if (!cur_empty(&o.label))
		fb_label(m->net.b, node, (unsigned)port, o.label.p, cur_len(o.label));
	m->net.name[name].node = node;
	m->net.name[name].port = (uint8_t)port;
}

static void formats_rows_add_cables(struct formats_rows_maker *m)
{
	struct rows *r = m->r;
	uint32_t *name = NEW_ARRAY(r->n + 1, uint32_t), *named;

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
		/*
		 * Is a peer without rows a host that only switches name? A switch would have a special name
		 * (MF0;...), labels that begin with a number, many ports, and one LID and GUID on all.
		 */
		if (node == NO_ID && !r->hosts && named[name[i]] == 1 && port && port <= MOST_HOST_PORTS &&
		    !numbered && !cur_word(&(struct cursor){w->peer.name.p, w->peer.name.end}, "MF0;"))
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
							 .peer_port = (uint8_t)(port ? port : 1)});
	}
	free(named);
	free(name);
}

/* --- what is missing ------------------------------------------------------------------------------- */

/* These tools list all ports of a switch, so a port without a row is missing. */
static void formats_rows_find_gaps(struct formats_rows_maker *m)
{
	uint32_t *first = NEW_ARRAY(m->net.b->n + 1, uint32_t), gaps = 0, node = 0, open = 0;
	unsigned port = 0;
	uint8_t *has;

	for (uint32_t i = 0; i < m->net.b->n; i++)
		first[i + 1] = first[i] + m->net.b->node[i].nports + 1;
	has = NEW_ARRAY(first[m->net.b->n] + 1, uint8_t);
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
	free(has);
	free(first);
}

int rows_finish(struct rows *r, const char *format, const char *untold, struct fabric **out, struct err *e)
{
	struct formats_rows_maker m = {.r = r};
	const struct row *last = r->n ? &r->row[r->n - 1] : NULL;
	bool open_end = last && last->line == r->lines.no && !last->ended && !ends_with_newline(r->in);
	int status = 0;

	net_init(&m.net, r->in->name);
	m.net.unknown = r->unknown;
	m.net.listed = true;
	m.net.b->untold = str_dup(untold);
	if (m.net.unknown.cut || open_end)
		cut_record(r->in, r->lines.no, &m.net.b->warnings);
	m.node = NEW_ARRAY(r->n + 1, uint32_t);
	memset(m.node, 0xff, (r->n + 1) * sizeof(*m.node));
	m.lid = NEW_ARRAY(UINT16_MAX + 1, uint32_t);
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
	status = net_finish(&m.net, format, out, e);
	free(m.node);
	free(m.lid);
	free(r->row);
	return status;
}
