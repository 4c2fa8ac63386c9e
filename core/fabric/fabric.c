#include "core/base/defs.h"
#include "core/fabric/fabric.h"
#include "core/base/memory.h"
#include "core/fabric/names.h"
#include "core/base/counted.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void free_strings(char **s, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		free(s[i]);
	free(s);
}

static void fabric_release(struct fabric *f)
{
	counted_unref(f->switch_tables);
	counted_unref(f->managers);
	free_strings(f->node_desc, f->n_nodes);
	fabric_free_names(f);
	free_strings(f->node_chassis_place, f->n_nodes);
	if (f->port_labels)
		free_strings(f->port_labels, f->n_ports);
	void *arrays[] = {
		f->source,	f->format,	  f->generated,	     f->untold,	      f->node_type,
		f->node_guid,	f->node_sysguid,  f->node_vendor,    f->node_device,  f->node_nports,
		f->node_port,	f->node_switch,	  f->node_order,     f->node_chassis, f->port_node,
		f->port_num,	f->port_guid,	  f->port_peer,	     f->port_link,    f->port_endport,
		f->port_lid,	f->port_lmc,	  f->port_width,     f->port_speed,   f->port_widths,
		f->port_speeds, f->port_state,	  f->port_opervls,   f->port_ext,     f->switch_node,
		f->switch_port, f->switch_nports, f->switch_fdb_cap, f->switch_esp0,  f->endport_port,
		f->link_port,	f->by_guid,	  f->port_vls_told,  f->switch_rank,
	};
	for (size_t i = 0; i < ARRAY_LEN(arrays); i++)
		free(arrays[i]);
	warnings_free(&f->warnings);
	free(f);
}

/* Add "WHAT of N THINGS" when some of them are not told, "WHAT" when none is. */
static void fabric_tell_part(struct text *t, const char *what, uint32_t untold, uint32_t all,
			     const char *thing)
{
	if (untold && untold == all)
		text_add(t, "%s%s", t->len ? "; " : "", what);
	else if (untold)
		text_add(t, "%s%s of %s", t->len ? "; " : "", what, PLURAL(untold, thing));
}

void fabric_tell_untold(const struct fabric *f, struct text *t)
{
	uint32_t cabled = 2 * f->n_links, vls = 0, widths = 0, speeds = 0, lids = 0, states = 0;

	text_add(t, "%s", f->untold ? f->untold : "");
	for (uint32_t p = 0; p < f->n_ports; p++) {
		bool in_use = f->port_peer[p] != NO_ID;

		vls += in_use && !f->port_vls_told[p];
		widths += in_use && !f->port_width[p];
		speeds += in_use && !f->port_speed[p];
		states += in_use && !f->port_state[p] && !f->port_state[f->port_peer[p]];
	}
	for (uint32_t ep = 0; ep < f->n_endports; ep++)
		lids += !f->port_lid[f->endport_port[ep]];
	fabric_tell_part(t, "LIDs", lids, f->n_endports, "endport");
	fabric_tell_part(t, "widths", widths, cabled, "port");
	fabric_tell_part(t, "speeds", speeds, cabled, "port");
	fabric_tell_part(t, "VLs (8 are taken)", vls, cabled, "port");
	if (f->n_links && !f->states_told)
		text_add(t, "%sstates of ports (active where cabled)", t->len ? "; " : "");
	else
		fabric_tell_part(t, "states (active is taken)", states, cabled, "port");
}

uint32_t fabric_idle_end(const struct fabric *f, uint32_t port)
{
	uint32_t end[2] = {port, f->port_peer[port]};

	for (unsigned i = 0; end[1] != NO_ID && i < 2; i++)
		if (f->port_state[end[i]] == PORT_INIT || f->port_state[end[i]] == PORT_ARMED)
			return end[i];
	return NO_ID;
}

bool fabric_port_open(const struct fabric *f, uint32_t port)
{
	return f->port_num[port] && f->port_peer[port] == NO_ID && f->port_state[port] >= PORT_INIT &&
	       node_is_switch(f, f->port_node[port]) && f->warnings.missing;
}

const char *fabric_port_state(const struct fabric *f, uint32_t port)
{
	static const char *const word[] = {NULL, "Down", "Initialize", "Armed", "Active"};

	assert(f->port_state[port] <= PORT_ACTIVE);
	return word[f->port_state[port]];
}

const char *fabric_port_label(const struct fabric *f, uint32_t port)
{
	return f->port_labels ? f->port_labels[port] : NULL;
}

void fabric_set_port_label(struct fabric *f, uint32_t port, const char *label)
{
	char number[8];

	snprintf(number, sizeof(number), "%u", f->port_num[port]);
	if (!*label || !strcmp(label, number))
		return;
	if (!f->port_labels)
		f->port_labels = NEW_ARRAY(f->n_ports, char *);
	free(f->port_labels[port]);
	f->port_labels[port] = str_dup(label);
}

COUNTED(struct fabric, struct fabric, fabric_ref, fabric_unref, fabric_release)

/* The widest of a set of PortInfo's width bits. */
static enum link_width widest(unsigned widths)
{
	enum link_width best = WIDTH_UNKNOWN;

	for (unsigned bit = 1; bit <= 16; bit *= 2)
		if (widths & bit && link_width_of_code(bit) > best)
			best = link_width_of_code(bit);
	return best;
}

bool link_throttled(const struct fabric *f, uint32_t a)
{
	uint32_t b = f->port_peer[a];
	unsigned speeds, best;

	if (b == NO_ID)
		return false;
	if (f->port_speed[a] != f->port_speed[b] || f->port_width[a] != f->port_width[b])
		return true;
	if (!f->port_speeds[a] || !f->port_speeds[b] || !f->port_widths[a] || !f->port_widths[b])
		return false;
	speeds = f->port_speeds[a] & f->port_speeds[b];
	best = speeds ? 32 - (unsigned)__builtin_clz(speeds) : SPEED_UNKNOWN;
	return f->port_speed[a] != best || f->port_width[a] != widest(f->port_widths[a] & f->port_widths[b]);
}

uint32_t fabric_node_by_guid(const struct fabric *f, uint64_t guid)
{
	uint32_t lo = 0, hi = f->n_nodes;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		uint64_t g = f->node_guid[f->by_guid[mid]];

		if (g == guid)
			return f->by_guid[mid];
		if (g < guid)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NO_ID;
}

uint32_t fabric_endport_by_guid(const struct fabric *f, uint64_t guid)
{
	uint64_t key = guid_key(guid);
	uint32_t lo = 0, hi = f->n_endports;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (guid_key(f->port_guid[f->endport_port[mid]]) < key)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < f->n_endports && f->port_guid[f->endport_port[lo]] == guid ? lo : NO_ID;
}

uint32_t fabric_port_in(const struct fabric *to, const struct fabric *from, uint32_t port)
{
	uint32_t n;

	if (port == NO_ID)
		return NO_ID;
	n = fabric_node_by_guid(to, from->node_guid[from->port_node[port]]);
	if (n == NO_ID || from->port_num[port] > to->node_nports[n])
		return NO_ID;
	return to->node_port[n] + from->port_num[port];
}

uint32_t fabric_switch_in(const struct fabric *to, const struct fabric *from, uint32_t sw)
{
	uint32_t node = fabric_node_by_guid(to, from->node_guid[from->switch_node[sw]]);

	return node == NO_ID ? NO_ID : to->node_switch[node];
}

uint32_t fabric_endport_in(const struct fabric *to, const struct fabric *from, uint32_t ep)
{
	uint32_t port = fabric_port_in(to, from, from->endport_port[ep]);

	return port == NO_ID ? NO_ID : to->port_endport[port];
}

uint32_t fabric_link_in(const struct fabric *to, const struct fabric *from, uint32_t link)
{
	uint32_t x = fabric_port_in(to, from, from->link_port[2 * link]),
		 y = fabric_port_in(to, from, from->link_port[2 * link + 1]);

	return x == NO_ID || y == NO_ID || to->port_peer[x] != y ? NO_ID : to->port_link[x];
}

bool fabric_akin(const struct fabric *a, const struct fabric *b)
{
	uint32_t most = MAX(a->n_nodes, b->n_nodes), n = 0;

	for (uint32_t i = 0; i < a->n_nodes; i++)
		n += fabric_node_by_guid(b, a->node_guid[i]) != NO_ID;
	return 4 * n >= most;
}
