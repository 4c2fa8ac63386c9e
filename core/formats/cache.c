/*
 * Cache of libibnetdisc (`ibnetdiscover --cache`), version 1, read by its layout: little endian, a head,
 * nodes, ports. Every size and reference is checked: the library itself crashes on damaged files.
 */
#include "core/base/cursor.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/formats/readers.h"

#include <assert.h>
#include <infiniband/mad.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC 0x8FE7832Bu
#define VERSION_KNOWN 1
#define HEAD_SIZE 28
#define NODE_SIZE 207 /* without its list of ports */
#define KEY_SIZE 9    /* port GUID and number */
#define PORT_SIZE 95
#define INFO_SIZE 64

/* Bytes still to be read. At their end, failed is set. */
struct bytes {
	const uint8_t *p, *end;
	bool failed;
};

static const uint8_t *cache_take(struct bytes *b, size_t n)
{
	static const uint8_t zero[INFO_SIZE];

	if ((size_t)(b->end - b->p) < n) {
		b->failed = true;
		b->p = b->end;
		return zero;
	}
	b->p += n;
	return b->p - n;
}

static uint64_t take_le(struct bytes *b, unsigned n)
{
	const uint8_t *p = cache_take(b, n);
	uint64_t v = 0;

	assert(n <= sizeof(v));
	for (unsigned i = n; i-- > 0;)
		v = v << 8 | p[i];
	return v;
}

struct port_record {
	uint64_t guid, node_guid, peer_guid;
	uint8_t num, peer_num;
	bool has_peer;
};

/* Ports by GUID and number, to find the other end of a cable. */
struct port_ref {
	uint64_t guid;
	uint32_t node;
	uint8_t num;
};

struct cache_reader {
	const struct input *in;
	struct bytes b;
	struct fabric_builder *fb;
	struct port_record *port;
	struct port_ref *port_ref;
	uint32_t n_ports, n_port_refs;
};

bool is_cache(const struct input *in)
{
	struct bytes b = {(const uint8_t *)in->data, (const uint8_t *)in->data + in->size, false};

	return take_le(&b, 4) == MAGIC;
}

/* libibmad has a call for fields of up to 32 bits, and one for longer fields. Their parameter is not
 * const. */
static uint64_t field(const uint8_t *info, enum MAD_FIELDS f)
{
	uint8_t copy[INFO_SIZE];

	memcpy(copy, info, sizeof(copy));
	return f == IB_NODE_SYSTEM_GUID_F || f == IB_NODE_PORT_GUID_F ? mad_get_field64(copy, 0, f)
								      : mad_get_field(copy, 0, f);
}

static int truncated(const struct cache_reader *r, struct err *e)
{
	return err_set(e, "%s: found %zu bytes, expected more: the libibnetdisc cache is cut off or damaged",
		       r->in->name, r->in->size);
}

static int cache_read_node(struct cache_reader *r, struct err *e)
{
	unsigned lid = take_le(&r->b, 2), lmc = take_le(&r->b, 1), esp0 = take_le(&r->b, 1);
	const uint8_t *swinfo = cache_take(&r->b, INFO_SIZE), *info, *desc;
	uint64_t guid = take_le(&r->b, 8);
	unsigned type = take_le(&r->b, 1), nports = take_le(&r->b, 1), stored;

	info = cache_take(&r->b, INFO_SIZE);
	desc = cache_take(&r->b, INFO_SIZE);
	stored = take_le(&r->b, 1);
	cache_take(&r->b, (size_t)stored * KEY_SIZE);
	if (r->b.failed)
		return truncated(r, e);
	if (type < NODE_CA || type > NODE_ROUTER)
		return err_set(e,
			       "%s: found node type %u at 0x%016" PRIx64
			       ", expected 1 (CA), 2 (switch) or 3 (router)",
			       r->in->name, type, guid);
	if (nports > MAX_PORTS)
		return err_set(e, "%s: found a node of %u ports, expected at most %d", r->in->name, nports,
			       MAX_PORTS);
	uint32_t node = add_node(r->fb, type, guid, nports, 0);
	if (node == NO_ID)
		return 0;
	struct fb_node *n = &r->fb->node[node];
	n->desc = clean_text((const char *)desc, strnlen((const char *)desc, INFO_SIZE), DESC_MAX);
	n->vendor = field(info, IB_NODE_VENDORID_F);
	n->device = field(info, IB_NODE_DEVID_F);
	n->sysguid = field(info, IB_NODE_SYSTEM_GUID_F);
	if (type != NODE_SWITCH)
		return 0;
	n->esp0 = esp0 != 0;
	n->port[0].lid = lid;
	n->port[0].lmc = lmc <= MAX_LMC ? lmc : 0;
	n->port[0].guid = field(info, IB_NODE_PORT_GUID_F);
	if (field(swinfo, IB_SW_LINEAR_FDB_CAP_F))
		n->fdb_cap = field(swinfo, IB_SW_LINEAR_FDB_CAP_F);
	return 0;
}

static int cache_read_ports(struct cache_reader *r, struct err *e)
{
	for (uint32_t i = 0; i < r->n_ports; i++) {
		struct port_record *p = &r->port[i];
		unsigned num, ext, lid, lmc, state, vls;

		p->guid = take_le(&r->b, 8);
		p->num = num = take_le(&r->b, 1);
		ext = take_le(&r->b, 1);
		lid = take_le(&r->b, 2);
		lmc = take_le(&r->b, 1);
		const uint8_t *info = cache_take(&r->b, INFO_SIZE);
		p->node_guid = take_le(&r->b, 8);
		p->has_peer = take_le(&r->b, 1) != 0;
		p->peer_guid = take_le(&r->b, 8);
		p->peer_num = take_le(&r->b, 1);
		uint32_t node = fb_find(r->fb, p->node_guid);
		if (node == NO_ID)
			return err_set(
				e, "%s: found a port of node 0x%016" PRIx64 ", expected a node of the cache",
				r->in->name, p->node_guid);
		if (num > r->fb->node[node].nports)
			return err_set(e, "%s: found port %u at node 0x%016" PRIx64 ", expected at most %u",
				       r->in->name, num, p->node_guid, r->fb->node[node].nports);
		r->port_ref[r->n_port_refs++] = (struct port_ref){p->guid, node, p->num};
		struct fb_port *q = &r->fb->node[node].port[num];
		state = field(info, IB_PORT_STATE_F);
		if (state <= PORT_ACTIVE)
			q->state = state;
		vls = field(info, IB_PORT_OPER_VLS_F);
		if (vls >= 1 && vls <= 5)
			q->opervls = vls;
		q->ext = ext;
		if (num && p->has_peer) {
			q->width = link_width_of_code(field(info, IB_PORT_LINK_WIDTH_ACTIVE_F));
			q->speed = fb_speed_of_codes(field(info, IB_PORT_LINK_SPEED_EXT_ACTIVE_F),
						     field(info, IB_PORT_LINK_SPEED_ACTIVE_F));
		}
		if (r->fb->node[node].type != NODE_SWITCH) {
			q->guid = p->guid;
			q->lid = lid;
			q->lmc = lmc <= MAX_LMC ? lmc : 0;
		}
	}
	return 0;
}

COMPARATOR(port_ref_compare, struct port_ref, UP(guid) UP(num))

static void link_ports(struct cache_reader *r)
{
	struct warnings *w = &r->fb->warnings;

	qsort(r->port_ref, r->n_port_refs, sizeof(*r->port_ref), port_ref_compare);
	for (uint32_t i = 0; i < r->n_ports; i++) {
		const struct port_record *p = &r->port[i];
		struct port_ref key = {p->peer_guid, 0, p->peer_num}, *peer;
		uint32_t node = fb_find(r->fb, p->node_guid);
		const struct fb_node *n = &r->fb->node[node];

		assert(node != NO_ID); /* cache_read_ports() found it */
		if (!p->num)
			continue;
		if (!p->has_peer) {
			/* a switch's port that is up must lead somewhere */
			if (n->type != NODE_SWITCH || n->port[p->num].state < PORT_INIT)
				continue;
			warnings_missing(w, "open port", 0,
					 "port %u of node 0x%016" PRIx64
					 " is up, but what is at its other end is not known",
					 p->num, p->node_guid);
			warnings_place(w, p->node_guid, p->num);
			continue;
		}
		peer = bsearch(&key, r->port_ref, r->n_port_refs, sizeof(*r->port_ref), port_ref_compare);
		if (!peer) {
			warnings_missing(w, "dangling link", 0,
					 "port %u of node 0x%016" PRIx64 " is cabled to port 0x%016" PRIx64
					 ", which is not in the cache",
					 p->num, p->node_guid, p->peer_guid);
			warnings_place(w, p->node_guid, p->num);
		} else if (peer->node == node && peer->num == p->num) {
			warnings_add(w, "port cabled to itself", 0,
				     "port %u of node 0x%016" PRIx64
				     " is cabled to itself; taken as not cabled",
				     p->num, p->node_guid);
		} else if (!fb_link(r->fb, node, p->num, peer->node, peer->num)) {
			warnings_missing(w, "contradicting link", 0,
					 "port %u of node 0x%016" PRIx64
					 " is cabled to port %u of 0x%016" PRIx64
					 ", which is cabled elsewhere; left out",
					 p->num, p->node_guid, p->peer_num, p->peer_guid);
		}
	}
}

/* Reads head, nodes and ports into r->fb. */
static int cache_read_all(struct cache_reader *r, uint64_t *from, struct err *e)
{
	take_le(&r->b, 4);
	uint64_t version = take_le(&r->b, 4);
	uint64_t nodes = take_le(&r->b, 4);
	uint64_t ports = take_le(&r->b, 4);
	*from = take_le(&r->b, 8);
	take_le(&r->b, 4);
	if (r->b.failed)
		return truncated(r, e);
	if (version != VERSION_KNOWN)
		return err_set(e,
			       "%s: found version %" PRIu64 " of the libibnetdisc cache, expected version %d",
			       r->in->name, version, VERSION_KNOWN);
	uint64_t left = r->b.end - r->b.p;
	if (nodes * NODE_SIZE + ports * PORT_SIZE > left)
		return truncated(r, e);
	for (uint64_t i = 0; i < nodes; i++)
		if (cache_read_node(r, e))
			return -1;
	if ((uint64_t)(r->b.end - r->b.p) < ports * PORT_SIZE)
		return truncated(r, e);
	r->n_ports = ports;
	r->port = NEW_ARRAY(ports, struct port_record);
	r->port_ref = NEW_ARRAY(ports, struct port_ref);
	return cache_read_ports(r, e);
}

int parse_cache(const struct input *in, struct fabric **out, struct err *e)
{
	struct cache_reader r = {.in = in, .fb = fb_new()};
	uint64_t from = 0;

	r.b.p = (const uint8_t *)in->data;
	r.b.end = r.b.p + in->size;
	int status = cache_read_all(&r, &from, e);
	if (!status) {
		link_ports(&r);
		/* the subnet manager is taken to be where the discovery began */
		uint32_t node = fb_find(r.fb, from);
		if (node == NO_ID)
			warnings_add(&r.fb->warnings, "place of the subnet manager", 0,
				     "the discovery began at 0x%016" PRIx64
				     ", which is not in the cache; the first node is taken",
				     from);
		else
			r.fb->sm_node = node;
		r.fb->sm_guessed = true;
	}
	free(r.port);
	free(r.port_ref);
	if (status) {
		fb_free(r.fb);
		return -1;
	}
	return fb_finish(r.fb, in->name, "cache", out, e);
}
