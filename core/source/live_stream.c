/*
 * Reads the discovery stream. Its sender talks to a fabric that may lie, and that may take the sender over.
 * So nothing in the stream is trusted. Data that this program never sends is an error. Wrong data that can
 * come from a fabric is left out and reported, and makes the fabric incomplete.
 */
#include <inttypes.h>
#include <stdlib.h>
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/base/order.h"
#include "core/fabric/builder.h"
#include "core/fabric/managers.h"
#include "core/routing/switch_tables.h"
#include "core/source/live_stream.h"

#define MOST_PORTS (1u << 22) /* ports of all nodes: more than MAX_LID nodes have */
#define NOT_SENT 255	      /* number of a port without a record */

struct live_stream_reader {
	const uint8_t *data;
	size_t size, at;
	const char *source;
	struct err *e;
	struct fabric_builder *b;
	struct live_port **port; /* by builder index and number: the records */
	uint32_t n_ports;
};

static bool unreadable(const struct live_stream_reader *r, const char *found, uint64_t value,
		       const char *expected)
{
	err_format(r->e,
		   "discovery from %s: before byte %zu of what the discovery process sent: found %s %" PRIu64
		   ", expected %s",
		   r->source, r->at, found, value, expected);
	return false;
}

static bool live_stream_room(const struct live_stream_reader *r, size_t size)
{
	return r->size - r->at >= size || unreadable(r, "bytes that are left:", r->size - r->at, "more");
}

static bool get(struct live_stream_reader *r, void *to, size_t size)
{
	if (!live_stream_room(r, size))
		return false;
	memcpy(to, r->data + r->at, size);
	r->at += size;
	return true;
}

/* Reports something impossible about a port; the truth is not known. */
static void live_stream_tell(struct live_stream_reader *r, const char *kind, uint32_t node, unsigned port,
			     const char *fmt, ...) PRINTF_LIKE(5, 6);
static void live_stream_tell(struct live_stream_reader *r, const char *kind, uint32_t node, unsigned port,
			     const char *fmt, ...)
{
	struct text t = {0};
	va_list ap;

	va_start(ap, fmt);
	text_addv(&t, fmt, ap);
	va_end(ap);
	warnings_missing(&r->b->warnings, kind, 0, "%s[%u] %s", r->b->node[node].desc, port, t.s);
	warnings_place(&r->b->warnings, r->b->node[node].guid, port);
	text_free(&t);
}

#define IMPOSSIBLE "impossible value"

static void live_stream_set_lid(struct live_stream_reader *r, uint32_t node, const struct live_port *p)
{
	struct fb_node *n = &r->b->node[node];

	if (p->lmc > MAX_LMC || (p->lmc && n->type == NODE_SWITCH && !n->esp0))
		live_stream_tell(r, IMPOSSIBLE, node, p->num, "tells LMC %u", p->lmc);
	else if (p->lid > MAX_LID || p->lid & ((1u << p->lmc) - 1))
		live_stream_tell(r, IMPOSSIBLE, node, p->num, "tells LID %u with LMC %u", p->lid, p->lmc);
	else {
		n->port[p->num].lid = p->lid;
		n->port[p->num].lmc = p->lmc;
	}
	if (!p->guid)
		live_stream_tell(r, IMPOSSIBLE, node, p->num, "tells GUID 0");
}

static void set_port(struct live_stream_reader *r, uint32_t node, const struct live_port *p)
{
	struct fb_node *n = &r->b->node[node];
	struct fb_port *q = &n->port[p->num];

	q->guid = p->guid;
	q->widths = p->widths;
	q->speeds = p->speeds;
	q->ext = p->ext;
	if (p->state <= PORT_ACTIVE)
		q->state = p->state;
	else
		live_stream_tell(r, IMPOSSIBLE, node, p->num, "tells state %u", p->state);
	/* no port that a subnet manager has set up has 0; a base port 0 has no value */
	if (p->opervls > 5 || (!p->opervls && p->num && p->state >= PORT_ARMED))
		live_stream_tell(r, IMPOSSIBLE, node, p->num, "tells OperVLs %u", p->opervls);
	else if (p->opervls)
		q->opervls = p->opervls;
	if (n->type != NODE_SWITCH || !p->num)
		live_stream_set_lid(r, node, p);
}

static uint32_t live_stream_add_node(struct live_stream_reader *r, const struct live_node *n)
{
	uint32_t at = NO_ID;

	if (n->guid && n->type >= NODE_CA && n->type <= NODE_ROUTER && n->nports && n->nports <= MAX_PORTS)
		at = fb_add(r->b, n->type, n->guid, n->nports, n->desc);
	if (at == NO_ID)
		warnings_missing(
			&r->b->warnings, "impossible node", 0,
			"node 0x%016" PRIx64 " (%s) of type %u with %u ports is left out: %s", n->guid,
			n->desc, n->type, n->nports,
			fb_find(r->b, n->guid) == NO_ID
				? "expected type 1 (CA), 2 (switch) or 3 (router), 1 to 254 ports, a GUID"
				: "there is one of this GUID already");
	return at;
}

/* Reads a node and its ports. Cables come later, when all nodes are there. */
static bool get_node(struct live_stream_reader *r)
{
	struct live_node n;
	struct fb_node *to;
	uint32_t at;
	int last = -1;

	if (!get(r, &n, sizeof(n)))
		return false;
	if (n.n_ports > n.nports + 1u || (r->n_ports += n.nports + 1u) > MOST_PORTS)
		return unreadable(r, "records of ports:", n.n_ports, "at most one a port");
	n.desc[sizeof(n.desc) - 1] = n.chassis_place[sizeof(n.chassis_place) - 1] = '\0';
	at = live_stream_add_node(r, &n);
	if (at != NO_ID) {
		to = &r->b->node[at];
		to->sysguid = n.sysguid;
		to->vendor = n.vendor;
		to->device = n.device;
		to->chassis = n.chassis;
		to->esp0 = n.esp0 != 0;
		to->chassis_place = *n.chassis_place ? str_dup(n.chassis_place) : NULL;
		if (n.fdb_cap)
			to->fdb_cap = n.fdb_cap;
		else if (n.type == NODE_SWITCH)
			live_stream_tell(r, "silent switch", at, 0,
					 "did not tell how many LIDs its table holds (SwitchInfo)");
		r->port[at] = NEW_ARRAY(n.nports + 1u, struct live_port);
		for (unsigned p = 0; p <= n.nports; p++)
			r->port[at][p].num = NOT_SENT;
	}
	for (uint32_t i = 0; i < n.n_ports; i++) {
		struct live_port p;

		if (!get(r, &p, sizeof(p)))
			return false;
		if (p.num > n.nports || p.num <= last)
			return unreadable(r, "port", p.num, "the node's ports in ascending order");
		last = p.num;
		if (at != NO_ID) {
			r->port[at][p.num] = p;
			set_port(r, at, &p);
		}
	}
	return true;
}

static void live_stream_cable(struct live_stream_reader *r, uint32_t node, const struct live_port *p)
{
	const struct fb_node *n = &r->b->node[node];
	uint32_t peer = fb_find(r->b, p->peer_guid);
	const struct live_port *q;

	if (peer == NO_ID) {
		live_stream_tell(r, "dangling link", node, p->num,
				 "leads to node 0x%016" PRIx64 ", which is not there", p->peer_guid);
		return;
	}
	q = p->peer_port <= r->b->node[peer].nports ? &r->port[peer][p->peer_port] : NULL;
	if (peer == node && q == p) {
		warnings_add(&r->b->warnings, "looped port", 0, "%s[%u] is cabled to itself", n->desc,
			     p->num);
		return;
	}
	if (!q || q->num != p->peer_port || q->peer_guid != n->guid || q->peer_port != p->num ||
	    !fb_link(r->b, node, p->num, peer, p->peer_port)) {
		live_stream_tell(r, "one-sided link", node, p->num,
				 "leads to %s[%u], which names another cable", r->b->node[peer].desc,
				 p->peer_port);
		return;
	}
	if (p->state == PORT_DOWN)
		live_stream_tell(r, IMPOSSIBLE, node, p->num,
				 "tells that it is down, but its other end answered");
	if (!p->state) /* already reported: no PortInfo came */
		return;
	if (!p->width || p->width >= WIDTH_COUNT || !p->speed || p->speed >= SPEED_COUNT) {
		live_stream_tell(r, IMPOSSIBLE, node, p->num, "tells a width or speed that there is not");
		return;
	}
	n->port[p->num].width = p->width;
	n->port[p->num].speed = p->speed;
}

/*
 * Adds the cables of a node, and reports what is unknown. Without the PortInfo of a port, libibnetdisc has no
 * port, or one without a state. It asks a CA only for the ports by which it came in.
 */
static void cable_node(struct live_stream_reader *r, uint32_t node)
{
	const struct fb_node *n = &r->b->node[node];
	bool sw = n->type == NODE_SWITCH;

	for (unsigned i = 0; i <= n->nports; i++) {
		const struct live_port *p = &r->port[node][i];
		bool sent = p->num != NOT_SENT;

		if (sw ? !sent || (i && !p->state) : sent && !p->state)
			live_stream_tell(r, "silent port", node, i, "did not tell its state%s",
					 sw && i ? ", so what is at its other end is not known" : " and LID");
		if (sent && p->peer_guid)
			live_stream_cable(r, node, p);
		else if (sent && i && p->state >= PORT_INIT)
			live_stream_tell(r, "open port", node, i,
					 "is up, but what is at its other end did not answer");
	}
}

static bool get_nodes(struct live_stream_reader *r, struct live_head *h)
{
	if (!get(r, h, sizeof(*h)))
		return false;
	if (h->magic != LIVE_HEAD)
		return unreadable(r, "number", h->magic, "that of a stream");
	if (h->n_nodes > MAX_LID || h->n_tables > h->n_nodes)
		return unreadable(r, "nodes:", h->n_nodes, "no more than a subnet has LIDs, nor more tables");
	r->port = NEW_ARRAY(h->n_nodes + 1u, struct live_port *);
	for (uint32_t i = 0; i < h->n_nodes; i++)
		if (!get_node(r))
			return false;
	for (uint32_t i = 0; i < r->b->n; i++)
		cable_node(r, i);
	/* the endport with the local port's SM LID, else the local port */
	r->b->sm_node = fb_find(r->b, h->from_guid);
	r->b->sm_port = h->from_port;
	if (r->b->sm_node == NO_ID)
		warnings_missing(&r->b->warnings, "dangling link", 0,
				 "the local node 0x%016" PRIx64 " is not there", h->from_guid);
	fb_place_sm(r->b, h->sm_lid);
	return true;
}

static bool get_table(struct live_stream_reader *r, const struct fabric *f, struct switch_tables *t)
{
	struct live_table h;
	uint32_t node, sw;
	unsigned ports;
	size_t size;

	if (!get(r, &h, sizeof(h)))
		return false;
	size = h.n_entries + (size_t)h.n_maps * 8;
	if (h.n_entries > MAX_LID + 1)
		return unreadable(r, "entries:", h.n_entries, "at most one a LID");
	if (!live_stream_room(r, size))
		return false;
	node = fabric_node_by_guid(f, h.guid);
	sw = node == NO_ID ? NO_ID : f->node_switch[node];
	if (sw != NO_ID) { /* else the switch was left out */
		ports = f->switch_nports[sw] + 1u;
		if (t->lft[sw])
			return unreadable(r, "tables of the same switch:", 2, "1");
		if (h.n_maps && (!t->sl_tables || !h.n_entries || h.n_maps != ports * ports))
			return unreadable(r, "maps:", h.n_maps, "none, or those of all pairs of ports");
		if (h.n_entries) {
			t->top[sw] = (uint16_t)(h.n_entries - 1);
			t->lft[sw] = mem_dup(r->data + r->at, h.n_entries);
		}
		for (uint32_t i = 0; i < h.n_maps; i++)
			sl_tables_set_map(t->sl_tables, sw, i / ports, i % ports,
					  sl2vl_of_bytes(r->data + r->at + h.n_entries + 8 * (size_t)i));
	}
	r->at += size;
	return true;
}

static bool get_tables(struct live_stream_reader *r, struct fabric *f, const struct live_head *h,
		       enum live_tables what)
{
	struct switch_tables *t = what ? switch_tables_new(f->n_switches) : NULL;

	f->switch_tables = t ? &t->counted : NULL;
	if (h->n_tables && !t)
		return unreadable(r, "tables:", h->n_tables, "none");
	if (t && what == LIVE_LFTS_SL2VL)
		t->sl_tables = sl_tables_new(f, 0);
	for (uint32_t i = 0; i < h->n_tables; i++)
		if (!get_table(r, f, t))
			return false;
	return true;
}

/* The SM LID that most endports tell, the lowest of several. */
static void count_masters(const struct live_stream_reader *r, struct managers *m)
{
	uint32_t *told = NEW_ARRAY(MAX_LID + 1u, uint32_t), all = 0;

	for (uint32_t i = 0; i < r->b->n; i++)
		for (unsigned p = 0; p <= r->b->node[i].nports; p++) {
			const struct live_port *q = &r->port[i][p];
			bool endport = q->num != NOT_SENT && (r->b->node[i].type == NODE_SWITCH ? !p : p > 0);

			if (!endport || !q->sm_lid || q->sm_lid > MAX_LID)
				continue;
			told[q->sm_lid]++;
			all++;
		}
	for (unsigned lid = 1; lid <= MAX_LID; lid++)
		if (told[lid] > told[m->lid])
			m->lid = (uint16_t)lid;
	m->others = all - told[m->lid];
	free(told);
}

COMPARATOR(manager_by_guid, struct manager, UP(guid))

static bool get_managers(struct live_stream_reader *r, struct fabric *f, const struct live_head *h,
			 struct managers *m)
{
	for (uint32_t i = 0; i < h->n_managers; i++) {
		struct live_manager x;
		struct manager *to = &m->m[m->n];

		if (!get(r, &x, sizeof(x)))
			return false;
		if (fabric_endport_by_guid(f, x.guid) == NO_ID || manager_at(m, x.guid))
			continue;
		if (x.answered && x.state > MANAGER_MASTER)
			warnings_missing(&f->warnings, IMPOSSIBLE, 0,
					 "the subnet manager at port 0x%016" PRIx64 " tells state %u", x.guid,
					 x.state);
		*to = (struct manager){.guid = x.guid,
				       .lid = x.lid,
				       .state = x.answered && x.state <= MANAGER_MASTER ? x.state
											: MANAGER_SILENT,
				       .priority = x.answered ? x.priority : 0};
		m->n++;
	}
	qsort(m->m, m->n, sizeof(*m->m), manager_by_guid);
	return true;
}

static bool get_pkeys(struct live_stream_reader *r, const struct live_head *h, struct managers *m)
{
	for (uint32_t i = 0; i < h->n_pkey_ports; i++) {
		struct live_pkeys x;

		if (!get(r, &x, sizeof(x)))
			return false;
		if (x.n > UINT16_MAX + 1u)
			return unreadable(r, "P_Keys:", x.n, "at most 65536 a port");
		managers_tell_pkey(m, x.guid, 0); /* it told its table, perhaps an empty one */
		for (uint32_t k = 0; k < x.n; k++) {
			uint16_t pkey;

			if (!get(r, &pkey, sizeof(pkey)))
				return false;
			if (pkey & 0x7fff)
				managers_tell_pkey(m, x.guid, pkey);
		}
	}
	managers_order_pkeys(m);
	return true;
}

static bool get_tail(struct live_stream_reader *r)
{
	uint32_t tail;

	if (!get(r, &tail, sizeof(tail)))
		return false;
	if (tail != LIVE_TAIL || r->at != r->size)
		return unreadable(r, "bytes behind the end:", r->size - r->at,
				  "none, and the number that ends a stream");
	return true;
}

int live_read(const void *data, size_t size, const char *source, enum live_tables what, struct fabric **out,
	      struct err *e)
{
	struct live_stream_reader r = {.data = data, .size = size, .source = source, .e = e, .b = fb_new()};
	struct live_head h = {0};
	struct fabric *f = NULL;
	struct managers *m = NULL;
	int rc = -1;

	if (!get_nodes(&r, &h)) {
		fb_free(r.b);
	} else {
		m = managers_new(h.n_managers);
		m->asked = true;
		m->local_lid = h.sm_lid;
		count_masters(&r, m);
		if (fb_finish(r.b, source, "live", &f, e)) {
			counted_unref(&m->counted);
		} else {
			f->managers = &m->counted;
			rc = get_tables(&r, f, &h, what) && get_managers(&r, f, &h, m) &&
					     get_pkeys(&r, &h, m) && get_tail(&r)
				     ? 0
				     : -1;
		}
	}
	for (uint32_t i = 0; r.port && i < h.n_nodes; i++)
		free(r.port[i]);
	free(r.port);
	if (rc)
		fabric_unref(f);
	else
		*out = f;
	return rc;
}
