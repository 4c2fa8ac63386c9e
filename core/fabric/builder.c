/* Building of fabrics: nodes and cables taken in, checked, put in order; a fabric built anew from one. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/cursor.h"
#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/rng.h"
#include "core/base/text.h"
#include "core/fabric/builder.h"
#include "core/fabric/names.h"

/* Oddities of a fabric as a whole.  They become warnings; nothing is changed. */

#define TOLD 20		     /* of one kind are reported; the others are only counted */
#define LAST_UNICAST 0xBFFFu /* LIDs above are multicast */

struct sanity_held {
	uint64_t value; /* a GUID, or a LID */
	uint32_t port;
};

COMPARATOR(held_compare, struct sanity_held, UP(value) UP(port))

/* Tells the number of further ones after TOLD of a kind. */
static void sanity_tell_rest(struct fabric *f, const char *kind, uint32_t n)
{
	if (n <= TOLD)
		return;
	warnings_add(&f->warnings, kind, 0, "and %u more", n - TOLD);
	warnings_stand_for(&f->warnings, n - TOLD);
}

/* Gives the last warning the place of a port. */
static void sanity_at_port(struct fabric *f, uint32_t port)
{
	warnings_place(&f->warnings, f->node_guid[f->port_node[port]], f->port_num[port]);
}

static void port_guids(struct fabric *f)
{
	AUTO_FREE struct sanity_held *h = NEW_ARRAY(f->n_endports, struct sanity_held);
	uint32_t n = 0;
	char a[300], b[300];

	for (uint32_t ep = 0; ep < f->n_endports; ep++)
		h[ep] = (struct sanity_held){f->port_guid[f->endport_port[ep]], f->endport_port[ep]};
	qsort(h, f->n_endports, sizeof(*h), held_compare);
	for (uint32_t i = 1; i < f->n_endports; i++)
		if (h[i].value == h[i - 1].value && n++ < TOLD) {
			warnings_add(&f->warnings, "duplicate GUID", 0,
				     "port GUID 0x%016" PRIx64 " is of %s and of %s", h[i].value,
				     port_label(f, h[i - 1].port, a, sizeof(a)),
				     port_label(f, h[i].port, b, sizeof(b)));
			sanity_at_port(f, h[i].port);
		}
	sanity_tell_rest(f, "duplicate GUID", n);
}

/* Checks the LIDs of all ports: the first port with each is its owner. */
static void lids(struct fabric *f)
{
	AUTO_FREE uint32_t *owner = NEW_ARRAY(UINT16_MAX + 1u, uint32_t); /* endport + 1 */
	uint32_t twice = 0, beyond = 0;
	char a[300], b[300];

	for (uint32_t ep = 0; ep < f->n_endports; ep++) {
		uint32_t port = f->endport_port[ep], lid = f->port_lid[port];
		uint32_t last = lid + (1u << f->port_lmc[port]) - 1, other = 0;

		if (!lid)
			continue;
		if (last > LAST_UNICAST && beyond++ < TOLD) {
			warnings_add(&f->warnings, "LID out of range", 0,
				     "LIDs %u to %u of %s: unicast LIDs end at %u", lid, last,
				     port_label(f, port, a, sizeof(a)), LAST_UNICAST);
			sanity_at_port(f, port);
		}
		for (uint32_t l = lid; l <= last && last <= LAST_UNICAST; l++) {
			other = owner[l] && !other ? owner[l] : other;
			owner[l] = owner[l] ? owner[l] : ep + 1;
		}
		if (other && twice++ < TOLD) {
			warnings_add(&f->warnings, "duplicate LID", 0, "LID %u of %s is one of %s, too", lid,
				     port_label(f, port, a, sizeof(a)),
				     port_label(f, f->endport_port[other - 1], b, sizeof(b)));
			sanity_at_port(f, port);
		}
	}
	sanity_tell_rest(f, "LID out of range", beyond);
	sanity_tell_rest(f, "duplicate LID", twice);
}

/* A cable by the nodes that it joins. */
struct sanity_cable {
	uint32_t low, high; /* nodes */
	uint32_t link;
};

COMPARATOR(cable_compare, struct sanity_cable, UP(low) UP(high) UP(link))

static double sanity_rate_of(const struct fabric *f, uint32_t link)
{
	return fabric_port_gbps(f, f->link_port[2 * link]);
}

static void slow_link(struct fabric *f, uint32_t link, uint32_t best, uint32_t *told)
{
	uint32_t p = f->link_port[2 * link], q = f->link_port[2 * link + 1], r = f->link_port[2 * best];
	char a[300], b[300];

	if ((*told)++ >= TOLD)
		return;
	warnings_add(&f->warnings, "slow link", 0, "%s to %s is %s%s, a link beside it is %s%s",
		     port_label(f, p, a, sizeof(a)), port_label(f, q, b, sizeof(b)),
		     link_width_name(f->port_width[p]), link_speed_name(f->port_speed[p]),
		     link_width_name(f->port_width[r]), link_speed_name(f->port_speed[r]));
	sanity_at_port(f, p);
}

/* Links between the same two nodes ought to be alike. */
static void siblings(struct fabric *f)
{
	AUTO_FREE struct sanity_cable *c = NEW_ARRAY(f->n_links, struct sanity_cable);
	uint32_t told = 0;

	for (uint32_t l = 0; l < f->n_links; l++) {
		uint32_t a = f->port_node[f->link_port[2 * l]], b = f->port_node[f->link_port[2 * l + 1]];

		c[l] = (struct sanity_cable){MIN(a, b), MAX(a, b), l};
	}
	qsort(c, f->n_links, sizeof(*c), cable_compare);
	for (uint32_t first = 0, end; first < f->n_links; first = end) {
		uint32_t best = c[first].link;

		for (end = first;
		     end < f->n_links && c[end].low == c[first].low && c[end].high == c[first].high; end++)
			best = sanity_rate_of(f, c[end].link) > sanity_rate_of(f, best) ? c[end].link : best;
		for (uint32_t i = first; i < end; i++)
			if (sanity_rate_of(f, c[i].link) > 0 &&
			    sanity_rate_of(f, c[i].link) < sanity_rate_of(f, best))
				slow_link(f, c[i].link, best, &told);
	}
	sanity_tell_rest(f, "slow link", told);
}

struct finish_keyed {
	uint64_t key;
	uint32_t id;
};

COMPARATOR(keyed_compare, struct finish_keyed, UP(key) UP(id))

static void fill_node(struct fabric *f, uint32_t n, uint32_t order, const struct fb_node *from)
{
	assert(from->type >= NODE_CA && from->type <= NODE_ROUTER);
	f->node_type[n] = from->type;
	f->node_guid[n] = from->guid;
	f->node_sysguid[n] = from->sysguid;
	f->node_vendor[n] = from->vendor;
	f->node_device[n] = from->device;
	f->node_nports[n] = from->nports;
	f->node_order[n] = order;
	f->node_unseen[n] = from->unseen;
	f->node_chassis[n] = from->chassis;
	f->node_desc[n] = str_dup(from->desc ? from->desc : "");
	f->node_given[n] =
		from->desc && *from->desc ? str_dup(from->desc) : str_printf("0x%016" PRIx64, from->guid);
	f->node_chassis_place[n] = from->chassis_place ? str_dup(from->chassis_place) : NULL;
}

static void alloc_nodes(struct fabric *f)
{
	uint32_t n = f->n_nodes;

	f->node_type = ARENA_ARRAY(f, n, uint8_t);
	f->node_guid = ARENA_ARRAY(f, n, uint64_t);
	f->node_sysguid = ARENA_ARRAY(f, n, uint64_t);
	f->node_vendor = ARENA_ARRAY(f, n, uint32_t);
	f->node_device = ARENA_ARRAY(f, n, uint32_t);
	f->node_nports = ARENA_ARRAY(f, n, uint8_t);
	f->node_port = ARENA_ARRAY(f, n + 1, uint32_t);
	f->node_switch = ARENA_ARRAY(f, n, uint32_t);
	f->node_order = ARENA_ARRAY(f, n, uint32_t);
	f->node_desc = ARENA_ARRAY(f, n, char *);
	f->node_given = ARENA_ARRAY(f, n, char *);
	f->node_name = ARENA_ARRAY(f, n, char *);
	f->node_unseen = ARENA_ARRAY(f, n, bool);
	f->node_chassis = ARENA_ARRAY(f, n, uint16_t);
	f->node_chassis_place = ARENA_ARRAY(f, n, char *);
}

static void alloc_ports(struct fabric *f)
{
	uint32_t n = f->n_ports;

	f->port_node = ARENA_ARRAY(f, n, uint32_t);
	f->port_num = ARENA_ARRAY(f, n, uint8_t);
	f->port_guid = ARENA_ARRAY(f, n, uint64_t);
	f->port_peer = ARENA_ARRAY(f, n, uint32_t);
	f->port_link = ARENA_ARRAY(f, n, uint32_t);
	f->port_endport = ARENA_ARRAY(f, n, uint32_t);
	f->port_lid = ARENA_ARRAY(f, n, uint16_t);
	f->port_lmc = ARENA_ARRAY(f, n, uint8_t);
	f->port_width = ARENA_ARRAY(f, n, uint8_t);
	f->port_speed = ARENA_ARRAY(f, n, uint8_t);
	f->port_widths = ARENA_ARRAY(f, n, uint8_t);
	f->port_speeds = ARENA_ARRAY(f, n, uint16_t);
	f->port_state = ARENA_ARRAY(f, n, uint8_t);
	f->port_opervls = ARENA_ARRAY(f, n, uint8_t);
	f->port_vls_told = ARENA_ARRAY(f, n, bool);
	f->port_ext = ARENA_ARRAY(f, n, uint8_t);
	memset(f->port_peer, 0xff, n * sizeof(*f->port_peer));
	memset(f->port_link, 0xff, n * sizeof(*f->port_link));
	memset(f->port_endport, 0xff, n * sizeof(*f->port_endport));
}

static void fill_ports(struct fabric *f, uint32_t node, const struct fb_node *from, const uint32_t *new_id)
{
	for (unsigned p = 0; p <= from->nports; p++) {
		uint32_t id = f->node_port[node] + p;
		const struct fb_port *q = &from->port[p];
		unsigned own = from->type == NODE_SWITCH ? 0 : p; /* all ports of a switch have one GUID */

		f->port_node[id] = node;
		f->port_num[id] = p;
		f->port_guid[id] = from->port[own].guid ? from->port[own].guid : from->guid + own;
		f->port_lid[id] = q->lid;
		f->port_lmc[id] = q->lmc & 7;
		f->port_width[id] = q->width;
		f->port_speed[id] = q->speed;
		f->port_widths[id] = q->widths;
		f->port_speeds[id] = q->speeds;
		f->port_opervls[id] = q->opervls ? q->opervls : DEFAULT_OPER_VLS;
		f->port_vls_told[id] = q->opervls != 0;
		f->port_ext[id] = q->ext;
		if (q->label)
			fabric_set_port_label(f, id, q->label);
		f->port_state[id] = q->state;
		f->states_told |= q->state && q->peer_node != NO_ID;
		if (q->peer_node != NO_ID)
			f->port_peer[id] = f->node_port[new_id[q->peer_node]] + q->peer_port;
	}
}

static void number_switches(struct fabric *f, const struct fabric_builder *b)
{
	uint32_t s = 0;

	for (uint32_t n = 0; n < f->n_nodes; n++)
		f->n_switches += f->node_type[n] == NODE_SWITCH;
	f->switch_node = ARENA_ARRAY(f, f->n_switches, uint32_t);
	f->switch_port = ARENA_ARRAY(f, f->n_switches, uint32_t);
	f->switch_nports = ARENA_ARRAY(f, f->n_switches, uint8_t);
	f->switch_fdb_cap = ARENA_ARRAY(f, f->n_switches, uint32_t);
	f->switch_esp0 = ARENA_ARRAY(f, f->n_switches, uint8_t);
	f->switch_rank = ARENA_ARRAY(f, f->n_switches, uint16_t);
	f->switch_adaptive = ARENA_ARRAY(f, f->n_switches, uint8_t);
	for (uint32_t n = 0; n < f->n_nodes; n++) {
		const struct fb_node *from = &b->node[f->node_order[n]];

		f->node_switch[n] = NO_ID;
		if (f->node_type[n] != NODE_SWITCH)
			continue;
		f->node_switch[n] = s;
		f->switch_node[s] = n;
		f->switch_port[s] = f->node_port[n];
		f->switch_nports[s] = f->node_nports[n];
		f->switch_fdb_cap[s] = from->fdb_cap;
		f->switch_rank[s] = from->rank;
		f->switch_adaptive[s] = from->adaptive;
		f->switch_esp0[s++] = from->esp0;
	}
}

static void number_endports(struct fabric *f)
{
	AUTO_FREE struct finish_keyed *k = NEW_ARRAY(f->n_ports, struct finish_keyed);
	uint32_t n = 0;

	for (uint32_t p = 0; p < f->n_ports; p++) {
		bool sw = f->node_type[f->port_node[p]] == NODE_SWITCH;

		if (sw ? f->port_num[p] == 0 : f->port_peer[p] != NO_ID)
			k[n++] = (struct finish_keyed){guid_key(f->port_guid[p]), p};
	}
	qsort(k, n, sizeof(*k), keyed_compare);
	f->n_endports = n;
	f->endport_port = ARENA_ARRAY(f, n, uint32_t);
	for (uint32_t i = 0; i < n; i++) {
		f->endport_port[i] = k[i].id;
		f->port_endport[k[i].id] = i;
	}
}

static void index_nodes(struct fabric *f)
{
	AUTO_FREE struct finish_keyed *k = NEW_ARRAY(f->n_nodes, struct finish_keyed);

	f->by_guid = ARENA_ARRAY(f, f->n_nodes, uint32_t);
	f->by_name = ARENA_ARRAY(f, f->n_nodes, uint32_t);
	for (uint32_t n = 0; n < f->n_nodes; n++)
		k[n] = (struct finish_keyed){f->node_guid[n], n};
	qsort(k, f->n_nodes, sizeof(*k), keyed_compare);
	for (uint32_t n = 0; n < f->n_nodes; n++)
		f->by_guid[n] = k[n].id;
	fabric_show_names(f);
}

static struct fabric *make_fabric(struct fabric_builder *b)
{
	struct fabric *f = ARENA_NEW(NULL, struct fabric);
	AUTO_FREE struct finish_keyed *k = NEW_ARRAY(b->n, struct finish_keyed);
	AUTO_FREE uint32_t *new_id = NEW_ARRAY(b->n, uint32_t);

	f->refs = 1;
	f->n_nodes = b->n;
	alloc_nodes(f);
	for (uint32_t i = 0; i < b->n; i++)
		k[i] = (struct finish_keyed){guid_key(b->node[i].guid), i};
	qsort(k, b->n, sizeof(*k), keyed_compare);
	for (uint32_t n = 0; n < b->n; n++) {
		new_id[k[n].id] = n;
		fill_node(f, n, k[n].id, &b->node[k[n].id]);
		f->node_port[n + 1] = f->node_port[n] + f->node_nports[n] + 1;
	}
	f->n_ports = f->node_port[b->n];
	alloc_ports(f);
	for (uint32_t n = 0; n < b->n; n++)
		fill_ports(f, n, &b->node[k[n].id], new_id);
	number_switches(f, b);
	for (uint32_t p = 0; p < f->n_ports; p++)
		f->n_links += f->port_peer[p] > p && f->port_peer[p] != NO_ID;
	f->link_port = ARENA_ARRAY(f, 2 * f->n_links, uint32_t);
	for (uint32_t p = 0, l = 0; p < f->n_ports; p++) {
		uint32_t q = f->port_peer[p];

		if (q == NO_ID || q < p)
			continue;
		assert(q != p && q < f->n_ports && f->port_peer[q] == p);
		f->link_port[2 * l] = p;
		f->link_port[2 * l + 1] = q;
		f->port_link[p] = f->port_link[q] = l++;
	}
	number_endports(f);
	index_nodes(f);
	/*
	 * The SM's place is the builder's choice; else port 0 or the first cabled port of the first node;
	 * else any endport.
	 */
	uint32_t node = new_id[b->sm_node == NO_ID ? 0 : b->sm_node];
	uint32_t p0 = f->node_port[node];
	f->sm_endport = NO_ID;
	if (b->sm_port && f->node_type[node] != NODE_SWITCH && b->sm_port <= f->node_nports[node])
		f->sm_endport = f->port_endport[p0 + b->sm_port];
	for (unsigned p = 0; p <= f->node_nports[node] && f->sm_endport == NO_ID; p++)
		f->sm_endport = f->port_endport[p0 + p];
	if (f->sm_endport == NO_ID && f->n_endports)
		f->sm_endport = 0;
	return f;
}

int fb_finish(struct fabric_builder *b, const char *source, const char *format, struct fabric **out,
	      struct err *e)
{
	if (!b->n) {
		fb_free(b);
		return err_set(e, "%s: no node found, expected switches and channel adapters", source);
	}
	if (b->sm_node != NO_ID && b->sm_node >= b->n) {
		fb_free(b);
		return err_set(e, "%s: the subnet manager's node does not exist", source);
	}
	for (uint32_t n = 0; n < b->n && !b->again; n++)
		fb_make_labels(&b->node[n]);
	struct fabric *f = make_fabric(b);
	f->source = str_dup(source);
	f->format = str_dup(format);
	f->generated = b->generated;
	f->untold = b->untold;
	f->sm_engine = b->sm_engine;
	f->n_adaptive = NO_ID;
	f->warnings = b->warnings;
	f->sm_guessed = b->sm_guessed;
	if (b->again)
		f->states_told = b->states_told;
	b->generated = b->untold = b->sm_engine = NULL;
	b->warnings = (struct warnings){0};
	if (!b->again) {
		port_guids(f);
		lids(f);
		siblings(f);
	}
	fb_free(b);
	*out = f;
	return 0;
}

struct fabric_builder *fb_new(void)
{
	struct fabric_builder *b = NEW(struct fabric_builder);

	b->sm_node = NO_ID;
	return b;
}

static void free_node(struct fb_node *n)
{
	for (unsigned p = 0; p <= n->nports; p++)
		free(n->port[p].label);
	free(n->desc);
	free(n->chassis_place);
	free(n->port);
}

void fb_free(struct fabric_builder *b)
{
	if (!b)
		return;
	for (uint32_t i = 0; i < b->n; i++)
		free_node(&b->node[i]);
	free(b->node);
	free(b->hash);
	free(b->generated);
	free(b->untold);
	free(b->sm_engine);
	warnings_free(&b->warnings);
	free(b);
}

/* Place of a GUID in the hash: its own, or the free place where it belongs. */
static uint32_t *hash_slot(const struct fabric_builder *b, uint64_t guid)
{
	uint64_t seed = guid;
	uint32_t i = rng_next(&seed) & (b->hash_size - 1);

	while (b->hash[i] != NO_ID && b->node[b->hash[i]].guid != guid)
		i = (i + 1) & (b->hash_size - 1);
	return &b->hash[i];
}

static void hash_again(struct fabric_builder *b)
{
	memset(b->hash, 0xff, b->hash_size * sizeof(*b->hash));
	for (uint32_t i = 0; i < b->n; i++)
		*hash_slot(b, b->node[i].guid) = i;
}

uint32_t fb_find(const struct fabric_builder *b, uint64_t guid)
{
	return b->hash_size ? *hash_slot(b, guid) : NO_ID;
}

void fb_more_ports(struct fabric_builder *b, uint32_t node, unsigned nports)
{
	struct fb_node *n = &b->node[node];
	unsigned from = n->port ? n->nports + 1u : 0;

	assert(nports <= UINT8_MAX);
	if (n->port && nports <= n->nports)
		return;
	n->port = mem_resize(n->port, nports + 1, sizeof(*n->port));
	for (unsigned p = from; p <= nports; p++)
		n->port[p] = (struct fb_port){.peer_node = NO_ID};
	n->nports = nports;
}

uint32_t fb_add(struct fabric_builder *b, enum node_type type, uint64_t guid, unsigned nports,
		const char *desc)
{
	if (2 * (b->n + 1) > b->hash_size) {
		b->hash_size = b->hash_size ? b->hash_size * 4 : 256;
		free(b->hash);
		b->hash = NEW_ARRAY(b->hash_size, uint32_t);
		hash_again(b);
	}
	if (fb_find(b, guid) != NO_ID)
		return NO_ID;
	GROW(b->node, b->n, b->cap);
	struct fb_node *n = &b->node[b->n];
	*n = (struct fb_node){.guid = guid, .type = type, .fdb_cap = DEFAULT_FDB_CAP};
	n->desc = desc ? str_dup(desc) : NULL;
	fb_more_ports(b, b->n, nports);
	*hash_slot(b, guid) = b->n;
	return b->n++;
}

enum link_speed fb_speed_of_codes(unsigned extended, unsigned plain)
{
	static const uint8_t fast[33] = {
		[1] = SPEED_FDR, [2] = SPEED_EDR, [4] = SPEED_HDR, [8] = SPEED_NDR, [32] = SPEED_XDR};
	static const uint8_t slow[5] = {[1] = SPEED_SDR, [2] = SPEED_DDR, [4] = SPEED_QDR};

	if (extended)
		return extended < ARRAY_LEN(fast) ? fast[extended] : SPEED_UNKNOWN;
	return plain < ARRAY_LEN(slow) ? slow[plain] : SPEED_UNKNOWN;
}

void fb_place_sm(struct fabric_builder *b, uint64_t lid)
{
	b->sm_guessed = true;
	for (uint32_t n = 0; lid && b->sm_guessed && n < b->n; n++)
		for (unsigned p = 0; b->sm_guessed && p <= b->node[n].nports; p++) {
			const struct fb_port *q = &b->node[n].port[p];

			if (!q->lid || lid < q->lid || lid >= q->lid + (1u << q->lmc))
				continue;
			b->sm_node = n;
			b->sm_port = (uint8_t)p;
			b->sm_guessed = false;
		}
}

void fb_label(struct fabric_builder *b, uint32_t node, unsigned port, const char *s, size_t len)
{
	struct fb_port *p = &b->node[node].port[port];

	assert(node < b->n && port <= b->node[node].nports);
	free(p->label);
	p->label = clean_text(s, len, LABEL_MAX);
	if (p->label[strcspn(p->label, "[],")]) { /* such a label would look like NODE[PORT] */
		free(p->label);
		p->label = NULL;
	}
}

bool fb_link(struct fabric_builder *b, uint32_t n1, unsigned p1, uint32_t n2, unsigned p2)
{
	if (n1 >= b->n || n2 >= b->n || p1 < 1 || p2 < 1 || p1 > b->node[n1].nports ||
	    p2 > b->node[n2].nports)
		return false;
	if (n1 == n2 && p1 == p2)
		return false;
	struct fb_port *a = &b->node[n1].port[p1];
	struct fb_port *z = &b->node[n2].port[p2];
	if (a->peer_node != NO_ID || z->peer_node != NO_ID)
		return a->peer_node == n2 && a->peer_port == p2;
	a->peer_node = n2;
	a->peer_port = p2;
	z->peer_node = n1;
	z->peer_port = p1;
	return true;
}

void fb_unlink(struct fabric_builder *b, uint32_t node, unsigned port)
{
	struct fb_port *p = &b->node[node].port[port];

	assert(node < b->n && port <= b->node[node].nports);
	if (p->peer_node == NO_ID)
		return;
	struct fb_port *q = &b->node[p->peer_node].port[p->peer_port];
	p->peer_node = q->peer_node = NO_ID;
	p->state = q->state = PORT_DOWN;
}

void fb_remove(struct fabric_builder *b, uint32_t node)
{
	assert(node < b->n);
	for (unsigned p = 1; p <= b->node[node].nports; p++)
		fb_unlink(b, node, p);
	free_node(&b->node[node]);
	memmove(b->node + node, b->node + node + 1, (--b->n - node) * sizeof(*b->node));
	for (uint32_t i = 0; i < b->n; i++)
		for (unsigned p = 1; p <= b->node[i].nports; p++) {
			struct fb_port *q = &b->node[i].port[p];

			q->peer_node -= q->peer_node != NO_ID && q->peer_node > node;
		}
	if (b->sm_node == node)
		b->sm_node = NO_ID; /* the first node, as if it had never been reported */
	else if (b->sm_node != NO_ID && b->sm_node > node)
		b->sm_node--;
	hash_again(b);
}

void fb_replace(struct fabric_builder *b, uint32_t node, uint64_t guid)
{
	struct fb_node *n = &b->node[node];

	assert(node < b->n && fb_find(b, guid) == NO_ID);
	n->sysguid = n->sysguid == n->guid ? guid : n->sysguid;
	n->guid = guid;
	for (unsigned p = 0; p <= n->nports; p++) {
		n->port[p].guid = 0;
		n->port[p].lid = n->port[p].lmc = 0;
	}
	hash_again(b);
}

struct fabric_builder *fb_from(const struct fabric *f)
{
	struct fabric_builder *b = fb_new();
	AUTO_FREE uint32_t *at = NEW_ARRAY(f->n_nodes, uint32_t);

	for (uint32_t n = 0; n < f->n_nodes; n++)
		at[f->node_order[n]] = n;
	for (uint32_t i = 0; i < f->n_nodes; i++) {
		uint32_t n = at[i];
		uint32_t s = f->node_switch[n];

		fb_add(b, f->node_type[n], f->node_guid[n], f->node_nports[n], f->node_desc[n]);
		assert(b->n == i + 1); /* GUIDs and places in the order are different */
		struct fb_node *to = &b->node[i];
		to->sysguid = f->node_sysguid[n];
		to->vendor = f->node_vendor[n];
		to->device = f->node_device[n];
		to->unseen = f->node_unseen[n];
		to->chassis = f->node_chassis[n];
		to->chassis_place = f->node_chassis_place[n] ? str_dup(f->node_chassis_place[n]) : NULL;
		if (s != NO_ID) {
			to->fdb_cap = f->switch_fdb_cap[s];
			to->esp0 = f->switch_esp0[s];
			to->rank = f->switch_rank[s];
			to->adaptive = f->switch_adaptive[s];
		}
		for (unsigned p = 0; p <= to->nports; p++) {
			uint32_t id = f->node_port[n] + p, q = f->port_peer[id];

			to->port[p] = (struct fb_port){
				.guid = f->port_guid[id],
				.peer_node = NO_ID,
				.lid = f->port_lid[id],
				.lmc = f->port_lmc[id],
				.width = f->port_width[id],
				.speed = f->port_speed[id],
				.widths = f->port_widths[id],
				.speeds = f->port_speeds[id],
				.state = f->port_state[id],
				.opervls = f->port_vls_told[id] ? f->port_opervls[id] : 0,
				.ext = f->port_ext[id],
			};
			if (fabric_port_label(f, id))
				to->port[p].label = str_dup(fabric_port_label(f, id));
			if (q != NO_ID) {
				to->port[p].peer_node = f->node_order[f->port_node[q]];
				to->port[p].peer_port = f->port_num[q];
			}
		}
	}
	warnings_copy(&b->warnings, &f->warnings);
	if (f->sm_endport != NO_ID) {
		b->sm_node = f->node_order[endport_node(f, f->sm_endport)];
		b->sm_port = f->port_num[f->endport_port[f->sm_endport]];
	}
	b->generated = f->generated ? str_dup(f->generated) : NULL;
	b->untold = f->untold ? str_dup(f->untold) : NULL;
	b->sm_engine = f->sm_engine ? str_dup(f->sm_engine) : NULL;
	b->sm_guessed = f->sm_guessed;
	b->states_told = f->states_told;
	b->again = true;
	return b;
}

struct fabric *fb_again(struct fabric_builder *b, const struct fabric *f)
{
	struct fabric *g = NULL;

	if (fb_finish(b, f->source, f->format, &g, NULL))
		abort(); /* a finished fabric can always be built again */
	g->managers = counted_ref(f->managers);
	g->n_adaptive = f->n_adaptive;
	g->log = counted_ref(f->log);
	return g;
}

struct fabric *fabric_at_place(const struct fabric *f, uint32_t node, unsigned port)
{
	struct fabric_builder *b = fb_from(f);

	assert(node < f->n_nodes && port <= f->node_nports[node]);
	b->sm_node = f->node_order[node];
	b->sm_port = (uint8_t)port;
	struct fabric *g = fb_again(b, f);
	g->switch_tables = counted_ref(f->switch_tables);
	return g;
}

struct fabric *fabric_renamed(const struct fabric *f, const struct name_map *map)
{
	struct fabric *g = fb_again(fb_from(f), f);

	g->switch_tables = counted_ref(f->switch_tables);
	for (size_t i = 0; i < map->n; i++) {
		uint32_t n = fabric_node_by_guid(g, map->guid[i]);

		if (n == NO_ID)
			continue;
		free(g->node_given[n]);
		g->node_given[n] = str_dup(map->name[i]);
	}
	fabric_show_names(g);
	return g;
}

struct fabric *fabric_variant(const struct fabric *f, uint32_t sm_endport, bool as_ibsim)
{
	struct fabric_builder *b = fb_from(f);

	assert(sm_endport == NO_ID || sm_endport < f->n_endports);
	if (sm_endport != NO_ID) {
		b->sm_node = f->node_order[endport_node(f, sm_endport)];
		b->sm_port = f->port_num[f->endport_port[sm_endport]];
	}
	b->sm_guessed = b->sm_guessed && sm_endport == NO_ID && !as_ibsim; /* with ibsim the place is known */
	for (uint32_t i = 0; as_ibsim && i < b->n; i++)
		for (unsigned p = 0; p <= b->node[i].nports; p++) {
			b->node[i].port[p].guid = 0;
			if (b->node[i].type == NODE_ROUTER)
				b->node[i].port[p].lid = b->node[i].port[p].lmc = 0;
		}
	struct fabric *g = fb_again(b, f);
	g->switch_tables = counted_ref(f->switch_tables);
	for (uint32_t n = 0; n < f->n_nodes; n++) {
		free(g->node_given[n]);
		g->node_given[n] = str_dup(f->node_given[n]);
	}
	fabric_show_names(g);
	return g;
}
