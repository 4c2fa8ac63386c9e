#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "core/fabric/builder.h"
#include "core/fabric/names.h"
#include "core/base/order.h"

struct finish_keyed {
	uint64_t key;
	uint32_t id;
};

COMPARATOR(keyed_compare, struct finish_keyed, UP(key) UP(id))

static void fill_node(struct fabric *f, uint32_t n, uint32_t order, const struct fb_node *from)
{
	f->node_type[n] = from->type;
	f->node_guid[n] = from->guid;
	f->node_sysguid[n] = from->sysguid;
	f->node_vendor[n] = from->vendor;
	f->node_device[n] = from->device;
	f->node_nports[n] = from->nports;
	f->node_order[n] = order;
	f->node_chassis[n] = from->chassis;
	f->node_desc[n] = str_dup(from->desc ? from->desc : "");
	f->node_given[n] =
		from->desc && *from->desc ? str_dup(from->desc) : str_printf("0x%016" PRIx64, from->guid);
	f->node_chassis_place[n] = from->chassis_place ? str_dup(from->chassis_place) : NULL;
}

static void alloc_nodes(struct fabric *f)
{
	uint32_t n = f->n_nodes;

	f->node_type = NEW_ARRAY(n, uint8_t);
	f->node_guid = NEW_ARRAY(n, uint64_t);
	f->node_sysguid = NEW_ARRAY(n, uint64_t);
	f->node_vendor = NEW_ARRAY(n, uint32_t);
	f->node_device = NEW_ARRAY(n, uint32_t);
	f->node_nports = NEW_ARRAY(n, uint8_t);
	f->node_port = NEW_ARRAY(n + 1, uint32_t);
	f->node_switch = NEW_ARRAY(n, uint32_t);
	f->node_order = NEW_ARRAY(n, uint32_t);
	f->node_desc = NEW_ARRAY(n, char *);
	f->node_given = NEW_ARRAY(n, char *);
	f->node_name = NEW_ARRAY(n, char *);
	f->node_chassis = NEW_ARRAY(n, uint16_t);
	f->node_chassis_place = NEW_ARRAY(n, char *);
}

static void alloc_ports(struct fabric *f)
{
	uint32_t n = f->n_ports;

	f->port_node = NEW_ARRAY(n, uint32_t);
	f->port_num = NEW_ARRAY(n, uint8_t);
	f->port_guid = NEW_ARRAY(n, uint64_t);
	f->port_peer = NEW_ARRAY(n, uint32_t);
	f->port_link = NEW_ARRAY(n, uint32_t);
	f->port_endport = NEW_ARRAY(n, uint32_t);
	f->port_lid = NEW_ARRAY(n, uint16_t);
	f->port_lmc = NEW_ARRAY(n, uint8_t);
	f->port_width = NEW_ARRAY(n, uint8_t);
	f->port_speed = NEW_ARRAY(n, uint8_t);
	f->port_widths = NEW_ARRAY(n, uint8_t);
	f->port_speeds = NEW_ARRAY(n, uint8_t);
	f->port_state = NEW_ARRAY(n, uint8_t);
	f->port_opervls = NEW_ARRAY(n, uint8_t);
	f->port_vls_told = NEW_ARRAY(n, bool);
	f->port_ext = NEW_ARRAY(n, uint8_t);
	memset(f->port_peer, 0xff, n * sizeof(*f->port_peer));
	memset(f->port_link, 0xff, n * sizeof(*f->port_link));
	memset(f->port_endport, 0xff, n * sizeof(*f->port_endport));
}

static uint64_t default_port_guid(const struct fb_node *n, unsigned port)
{
	if (n->type == NODE_SWITCH)
		return n->port[0].guid ? n->port[0].guid : n->guid;
	return n->port[port].guid ? n->port[port].guid : n->guid + port;
}

static void fill_ports(struct fabric *f, uint32_t node, const struct fb_node *from, const uint32_t *new_id)
{
	for (unsigned p = 0; p <= from->nports; p++) {
		uint32_t id = f->node_port[node] + p;
		const struct fb_port *q = &from->port[p];

		f->port_node[id] = node;
		f->port_num[id] = p;
		f->port_guid[id] = default_port_guid(from, p);
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
	f->switch_node = NEW_ARRAY(f->n_switches, uint32_t);
	f->switch_port = NEW_ARRAY(f->n_switches, uint32_t);
	f->switch_nports = NEW_ARRAY(f->n_switches, uint8_t);
	f->switch_fdb_cap = NEW_ARRAY(f->n_switches, uint32_t);
	f->switch_esp0 = NEW_ARRAY(f->n_switches, uint8_t);
	f->switch_rank = NEW_ARRAY(f->n_switches, uint16_t);
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
		f->switch_esp0[s++] = from->esp0;
	}
}

static void number_endports(struct fabric *f)
{
	struct finish_keyed *k = NEW_ARRAY(f->n_ports, struct finish_keyed);
	uint32_t n = 0;

	for (uint32_t p = 0; p < f->n_ports; p++) {
		bool sw = f->node_type[f->port_node[p]] == NODE_SWITCH;

		if (sw ? f->port_num[p] == 0 : f->port_peer[p] != NO_ID)
			k[n++] = (struct finish_keyed){guid_key(f->port_guid[p]), p};
	}
	qsort(k, n, sizeof(*k), keyed_compare);
	f->n_endports = n;
	f->endport_port = NEW_ARRAY(n, uint32_t);
	for (uint32_t i = 0; i < n; i++) {
		f->endport_port[i] = k[i].id;
		f->port_endport[k[i].id] = i;
	}
	free(k);
}

static void index_nodes(struct fabric *f)
{
	struct finish_keyed *k = NEW_ARRAY(f->n_nodes, struct finish_keyed);

	f->by_guid = NEW_ARRAY(f->n_nodes, uint32_t);
	f->by_name = NEW_ARRAY(f->n_nodes, uint32_t);
	for (uint32_t n = 0; n < f->n_nodes; n++)
		k[n] = (struct finish_keyed){f->node_guid[n], n};
	qsort(k, f->n_nodes, sizeof(*k), keyed_compare);
	for (uint32_t n = 0; n < f->n_nodes; n++)
		f->by_guid[n] = k[n].id;
	free(k);
	fabric_show_names(f);
}

static struct fabric *make_fabric(struct fabric_builder *b)
{
	struct fabric *f = NEW(struct fabric);
	struct finish_keyed *k = NEW_ARRAY(b->n, struct finish_keyed);
	uint32_t *new_id = NEW_ARRAY(b->n, uint32_t);
	uint32_t node, p0;

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
	f->link_port = NEW_ARRAY(2 * f->n_links, uint32_t);
	for (uint32_t p = 0, l = 0; p < f->n_ports; p++) {
		uint32_t q = f->port_peer[p];

		if (q == NO_ID || q < p)
			continue;
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
	node = new_id[b->sm_node == NO_ID ? 0 : b->sm_node];
	p0 = f->node_port[node];
	f->sm_endport = NO_ID;
	if (b->sm_port && f->node_type[node] != NODE_SWITCH && b->sm_port <= f->node_nports[node])
		f->sm_endport = f->port_endport[p0 + b->sm_port];
	for (unsigned p = 0; p <= f->node_nports[node] && f->sm_endport == NO_ID; p++)
		f->sm_endport = f->port_endport[p0 + p];
	if (f->sm_endport == NO_ID && f->n_endports)
		f->sm_endport = 0;
	free(k);
	free(new_id);
	return f;
}

int fb_finish(struct fabric_builder *b, const char *source, const char *format, struct fabric **out,
	      struct err *e)
{
	struct fabric *f;

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
	f = make_fabric(b);
	f->source = str_dup(source);
	f->format = str_dup(format);
	f->generated = b->generated;
	f->untold = b->untold;
	f->warnings = b->warnings;
	f->sm_guessed = b->sm_guessed;
	if (b->again)
		f->states_told = b->states_told;
	b->generated = b->untold = NULL;
	b->warnings = (struct warnings){0};
	if (!b->again)
		fabric_tell_oddities(f);
	fb_free(b);
	*out = f;
	return 0;
}
