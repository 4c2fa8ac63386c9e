/* The fabric itself, speeds of its links, sets of hosts, rails, and where subnet managers are. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/counted.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/fabric/fabric.h"
#include "core/fabric/names.h"

static const char *const speed_names[] = {
	"???", "SDR", "DDR", "QDR", "FDR10", "FDR", "EDR", "HDR", "NDR", "XDR",
};
static const char *const width_names[] = {"??", "1x", "2x", "4x", "8x", "12x"};
static_assert(ARRAY_LEN(speed_names) == SPEED_COUNT && ARRAY_LEN(width_names) == WIDTH_COUNT,
	      "each speed and width has its name");

const char *link_speed_name(enum link_speed s)
{
	return s < SPEED_COUNT ? speed_names[s] : speed_names[0];
}

const char *link_width_name(enum link_width w)
{
	return w < WIDTH_COUNT ? width_names[w] : width_names[0];
}

static unsigned name_index(const char *const *names, unsigned n, const char *s, size_t len)
{
	for (unsigned i = 1; i < n; i++)
		if (strlen(names[i]) == len && !strncasecmp(names[i], s, len))
			return i;
	return 0;
}

enum link_speed link_speed_parse(const char *s, size_t len)
{
	return name_index(speed_names, SPEED_COUNT, s, len);
}

enum link_width link_width_parse(const char *s, size_t len)
{
	return name_index(width_names, WIDTH_COUNT, s, len);
}

enum link_width link_width_of_code(unsigned code)
{
	switch (code) {
	case 1:
		return WIDTH_1X;
	case 2:
		return WIDTH_4X;
	case 4:
		return WIDTH_8X;
	case 8:
		return WIDTH_12X;
	case 16:
		return WIDTH_2X;
	default:
		return WIDTH_UNKNOWN;
	}
}

double link_rate_gbps(enum link_width w, enum link_speed s)
{
	static const double lane[] = {0, 2.5, 5, 10, 10.3125, 14.0625, 25.78125, 53.125, 106.25, 212.5};
	static const unsigned lanes[] = {0, 1, 2, 4, 8, 12};

	static_assert(ARRAY_LEN(lane) == SPEED_COUNT && ARRAY_LEN(lanes) == WIDTH_COUNT, "each has its rate");
	return s < SPEED_COUNT && w < WIDTH_COUNT ? lane[s] * lanes[w] : 0;
}

double fabric_port_gbps(const struct fabric *f, uint32_t port)
{
	assert(port < f->n_ports);
	return link_rate_gbps(f->port_width[port], f->port_speed[port]);
}

static void free_strings(char **s, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		free(s[i]);
}

static void fabric_release(struct fabric *f)
{
	counted_unref(f->switch_tables);
	counted_unref(f->managers);
	counted_unref(f->log);
	free_strings(f->node_desc, f->n_nodes);
	fabric_free_names(f);
	free_strings(f->node_chassis_place, f->n_nodes);
	if (f->port_labels)
		free_strings(f->port_labels, f->n_ports);
	FREE_EACH(f->source, f->format, f->generated, f->untold, f->sm_engine, f->port_labels);
	warnings_free(&f->warnings);
	arena_free(f);
}

/* Adds "WHAT of N THINGS" when some of them are not reported, "WHAT" when none is. */
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

	static_assert(ARRAY_LEN(word) == PORT_ACTIVE + 1, "each state has its word");
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

	assert(port < f->n_ports && strlen(label) <= LABEL_MAX);
	snprintf(number, sizeof(number), "%u", f->port_num[port]);
	if (!*label || !strcmp(label, number))
		return;
	if (!f->port_labels)
		f->port_labels = NEW_ARRAY(f->n_ports, char *);
	free(f->port_labels[port]);
	f->port_labels[port] = str_dup(label);
}

COUNTED(struct fabric, struct fabric, fabric_ref, fabric_unref, fabric_release)
COUNTED_LATER(struct fabric, fabric_unref)

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

	assert(a < f->n_ports);
	if (b == NO_ID)
		return false;
	if (f->port_speed[a] != f->port_speed[b] || f->port_width[a] != f->port_width[b])
		return true;
	enum link_width width;
	enum link_speed speed;
	return link_enabled(f, a, &width, &speed) && (f->port_speed[a] != speed || f->port_width[a] != width);
}

bool link_enabled(const struct fabric *f, uint32_t a, enum link_width *width, enum link_speed *speed)
{
	uint32_t b = f->port_peer[a];

	assert(a < f->n_ports && b != NO_ID);
	unsigned speeds = f->port_speeds[a] & f->port_speeds[b];
	*speed = speeds ? 32 - (unsigned)__builtin_clz(speeds) : SPEED_UNKNOWN;
	*width = widest(f->port_widths[a] & f->port_widths[b]);
	return f->port_speeds[a] && f->port_speeds[b] && f->port_widths[a] && f->port_widths[b];
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
	if (port == NO_ID)
		return NO_ID;
	assert(port < from->n_ports);
	uint32_t n = fabric_node_by_guid(to, from->node_guid[from->port_node[port]]);
	if (n == NO_ID || from->port_num[port] > to->node_nports[n])
		return NO_ID;
	return to->node_port[n] + from->port_num[port];
}

uint32_t fabric_switch_in(const struct fabric *to, const struct fabric *from, uint32_t sw)
{
	uint32_t node = fabric_node_by_guid(to, from->node_guid[from->switch_node[sw]]);

	assert(sw < from->n_switches);
	return node == NO_ID ? NO_ID : to->node_switch[node];
}

uint32_t fabric_endport_in(const struct fabric *to, const struct fabric *from, uint32_t ep)
{
	uint32_t port = fabric_port_in(to, from, from->endport_port[ep]);

	assert(ep < from->n_endports);
	return port == NO_ID ? NO_ID : to->port_endport[port];
}

uint32_t fabric_link_in(const struct fabric *to, const struct fabric *from, uint32_t link)
{
	uint32_t x = fabric_port_in(to, from, from->link_port[2 * link]),
		 y = fabric_port_in(to, from, from->link_port[2 * link + 1]);

	assert(link < from->n_links);
	return x == NO_ID || y == NO_ID || to->port_peer[x] != y ? NO_ID : to->port_link[x];
}

bool fabric_akin(const struct fabric *a, const struct fabric *b)
{
	uint32_t most = MAX(a->n_nodes, b->n_nodes), n = 0;

	for (uint32_t i = 0; i < a->n_nodes; i++)
		n += fabric_node_by_guid(b, a->node_guid[i]) != NO_ID;
	return 4 * n >= most;
}

#define AGGREGATION_NAME "Aggregation Node"

bool node_is_aggregation(const struct fabric *f, uint32_t node)
{
	return f->node_type[node] == NODE_CA &&
	       (f->node_device[node] == DEVICE_AGGREGATION || strstr(f->node_desc[node], AGGREGATION_NAME));
}

uint32_t fabric_aggregation_nodes(const struct fabric *f)
{
	uint32_t n = 0;

	for (uint32_t node = 0; node < f->n_nodes; node++)
		n += node_is_aggregation(f, node);
	return n;
}

bool port_of_host(const struct fabric *f, uint32_t port, bool aggregation)
{
	return port != NO_ID && !node_is_switch(f, f->port_node[port]) &&
	       (aggregation || !node_is_aggregation(f, f->port_node[port]));
}

/* --- scopes ------------------------------------------------------------------------------- */

struct scope *scope_new(const struct fabric *f, const char *words, const uint8_t *wanted)
{
	struct scope *s = NEW(struct scope);
	size_t cap = 0;

	atomic_init(&s->refs, 1);
	s->words = str_dup(words);
	for (uint32_t ep = 0; ep < f->n_endports; ep++) {
		if (!wanted[ep])
			continue;
		GROW(s->port, s->n, cap);
		s->port[s->n++] = (struct scope_port){f->node_guid[endport_node(f, ep)],
						      f->port_num[f->endport_port[ep]]};
	}
	return s;
}

static void scope_release(struct scope *s)
{
	free(s->words);
	free(s->port);
	free(s);
}

COUNTED(struct scope, struct scope, scope_ref, scope_unref, scope_release)

uint32_t scope_endport(const struct fabric *f, const struct scope_port *p)
{
	uint32_t node = fabric_node_by_guid(f, p->node_guid);

	if (node == NO_ID || node_is_switch(f, node) || p->port > f->node_nports[node])
		return NO_ID;
	return f->port_endport[f->node_port[node] + p->port];
}

/* --- sets --------------------------------------------------------------------------------- */

struct host_set *host_set_new(const struct fabric *f, bool aggregation, const struct scope *scope)
{
	struct host_set *h = NEW(struct host_set);
	AUTO_FREE uint8_t *wanted = NEW_ARRAY(f->n_endports + 1, uint8_t);

	atomic_init(&h->refs, 1);
	h->narrowed = scope && *scope->words;
	h->in = NEW_ARRAY(f->n_endports + 1, uint8_t);
	memset(wanted, !h->narrowed, f->n_endports);
	for (uint32_t i = 0; h->narrowed && i < scope->n; i++) {
		uint32_t ep = scope_endport(f, &scope->port[i]);

		if (ep != NO_ID)
			wanted[ep] = 1;
	}
	for (uint32_t ep = 0; ep < f->n_endports; ep++) {
		h->in[ep] = wanted[ep] && !endport_is_switch(f, ep) &&
			    (aggregation || !node_is_aggregation(f, endport_node(f, ep)));
		h->n += h->in[ep];
	}
	return h;
}

static void host_set_release(struct host_set *h)
{
	free(h->in);
	free(h);
}

COUNTED(struct host_set, struct host_set, host_set_ref, host_set_unref, host_set_release)

bool host_set_matters(const struct host_set *h, const struct fabric *f, uint32_t endport)
{
	assert(endport < f->n_endports);
	return !h || h->in[endport] || (!h->narrowed && endport_is_switch(f, endport));
}

const char *box_name(const char *name, size_t *len)
{
	const char *semicolon = strchr(name, ';');

	if (semicolon && strcspn(name, " /:") > (size_t)(semicolon - name))
		name = semicolon + 1;
	*len = strchr(name, ':')   ? strcspn(name, ":")
	       : strchr(name, '/') ? strcspn(name, "/")
				   : strcspn(name, " ");
	return name;
}

COMPARATOR(by_rail, struct rail_port, FIELD_BY(strverscmp, rest) UP(num))

static int by_host_name(const struct rail_port *a, const struct rail_port *b)
{
	int d = strncmp(a->name, b->name, MIN(a->len, b->len));

	return d ? d : (a->len > b->len) - (a->len < b->len);
}

static int by_host(const void *first, const void *second)
{
	int d = by_host_name(first, second);

	if (d)
		return d;
	ORDER(((const struct rail_port *)first)->rail, ((const struct rail_port *)second)->rail);
	ORDER(((const struct rail_port *)first)->port, ((const struct rail_port *)second)->port);
	return 0;
}

COMPARATOR(by_port, struct rail_port, UP(port))

/* Numbers the hosts.  Where names do not help, each node is a host. */
static void number_hosts(struct rail_port *p, size_t n)
{
	uint32_t host = 0;

	for (size_t i = 0, end; i < n; i = end, host++) {
		bool clear = p[i].len;

		for (end = i + 1; end < n && !by_host_name(&p[i], &p[end]); end++)
			clear &= p[end].rail != p[end - 1].rail;
		if (!clear)
			qsort(&p[i], end - i, sizeof(*p), by_port);
		for (size_t k = i; k < end; k++) {
			host += !clear && k > i && p[k].node != p[k - 1].node;
			p[k].host = host;
		}
	}
}

struct rail_port *rail_ports(const struct fabric *f, size_t *n)
{
	struct rail_port *p = NULL;
	size_t cap = 0;

	*n = 0;
	for (uint32_t node = 0; node < f->n_nodes; node++) {
		size_t len;
		const char *box = box_name(f->node_given[node], &len);

		if (f->node_type[node] != NODE_CA || node_is_aggregation(f, node))
			continue;
		for (unsigned k = 1; k <= f->node_nports[node]; k++) {
			uint32_t port = f->node_port[node] + k, peer = f->port_peer[port];
			uint32_t sw = peer == NO_ID ? NO_ID : f->node_switch[f->port_node[peer]];

			GROW(p, *n, cap);
			p[(*n)++] = (struct rail_port){box, len, box + len, k, node, port, sw, 0, 0};
		}
	}
	if (!*n)
		return p;
	qsort(p, *n, sizeof(*p), by_rail);
	for (size_t i = 1; i < *n; i++)
		p[i].rail = p[i - 1].rail + (by_rail(&p[i - 1], &p[i]) != 0);
	qsort(p, *n, sizeof(*p), by_host);
	number_hosts(p, *n);
	return p;
}

const char *const manager_state_word[] = {"inactive", "discovering", "standby", "master", "silent"};
static_assert(ARRAY_LEN(manager_state_word) == MANAGER_STATES, "each state has its word");

static void managers_release(struct counted *c)
{
	AUTO_FREE struct managers *m = (struct managers *)c;

	free(m->m);
	free(m->pkey);
}

struct managers *managers_new(uint32_t most)
{
	struct managers *m = NEW(struct managers);

	counted_init(&m->counted, managers_release);
	m->m = NEW_ARRAY(most + 1u, struct manager);
	return m;
}

void managers_tell_pkey(struct managers *m, uint64_t port_guid, uint16_t pkey)
{
	GROW(m->pkey, m->n_pkeys, m->cap_pkeys);
	m->pkey[m->n_pkeys++] = (struct port_pkey){port_guid, pkey & 0x7fff ? pkey : 0};
}

COMPARATOR(pkeys_by_port, struct port_pkey, UP(guid) UP(pkey))

void managers_order_pkeys(struct managers *m)
{
	if (m->n_pkeys)
		qsort(m->pkey, m->n_pkeys, sizeof(*m->pkey), pkeys_by_port);
}

void fabric_take_pkeys(struct fabric *f, struct managers *m)
{
	assert(!f || !f->managers);
	managers_order_pkeys(m);
	if (f && m->n_pkeys)
		f->managers = &m->counted;
	else
		counted_unref(&m->counted);
}

const struct manager *manager_at(const struct managers *m, uint64_t port_guid)
{
	for (uint32_t i = 0; m && i < m->n; i++)
		if (m->m[i].guid == port_guid)
			return &m->m[i];
	return NULL;
}

const struct port_pkey *pkeys_at(const struct managers *m, uint64_t port_guid)
{
	uint32_t low = 0, high = m ? m->n_pkeys : 0;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (m->pkey[mid].guid < port_guid)
			low = mid + 1;
		else
			high = mid;
	}
	return m && low < m->n_pkeys && m->pkey[low].guid == port_guid ? &m->pkey[low] : NULL;
}

const char *manager_label(const struct fabric *f, const struct manager *m, char *buf, size_t size)
{
	uint32_t ep = fabric_endport_by_guid(f, m->guid);

	if (ep != NO_ID)
		return endport_label(f, ep, buf, size);
	snprintf(buf, size, "0x%016" PRIx64, m->guid);
	return buf;
}

static uint32_t managers_in_state(const struct managers *m, unsigned from, unsigned to)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < m->n; i++)
		n += m->m[i].state >= from && m->m[i].state <= to;
	return n;
}

enum managers_fault managers_fault(const struct fabric *f)
{
	const struct managers *m = fabric_managers(f);
	uint32_t masters = m ? managers_in_state(m, MANAGER_MASTER, MANAGER_MASTER) : 0;

	if (!m || !m->asked || masters == 1)
		return MANAGERS_GOOD;
	if (masters)
		return MANAGERS_SEVERAL;
	return managers_in_state(m, MANAGER_INACTIVE, MANAGER_STANDBY) ? MANAGERS_NO_MASTER : MANAGERS_NONE;
}

#define MANAGERS_NAMED 3

void managers_tell_fault(const struct fabric *f, struct text *t)
{
	const struct managers *m = fabric_managers(f);
	enum managers_fault fault = managers_fault(f);
	uint32_t told = 0;
	char label[300];

	if (fault == MANAGERS_GOOD)
		return;
	if (fault == MANAGERS_NONE) {
		text_add(t, "no subnet manager answers");
		return;
	}
	if (fault == MANAGERS_SEVERAL)
		text_add(t, "%u subnet managers are master",
			 managers_in_state(m, MANAGER_MASTER, MANAGER_MASTER));
	else
		text_add(t, "no subnet manager is master");
	for (uint32_t i = 0; i < m->n; i++) {
		bool named = fault == MANAGERS_SEVERAL ? m->m[i].state == MANAGER_MASTER
						       : m->m[i].state < MANAGER_MASTER;

		if (!named || told++ >= MANAGERS_NAMED)
			continue;
		text_add(t, "%s%s%s%s", told > 1 ? ", " : " (",
			 manager_label(f, &m->m[i], label, sizeof(label)),
			 fault == MANAGERS_SEVERAL ? "" : " is ",
			 fault == MANAGERS_SEVERAL ? "" : manager_state_word[m->m[i].state]);
	}
	text_add(t, told > MANAGERS_NAMED ? ", ...)" : ")");
}

const char *managers_consequence(const struct fabric *f)
{
	static const char *const follows[] = {
		[MANAGERS_NONE] = "nobody will repair this",
		[MANAGERS_NO_MASTER] = "nobody will repair this before one takes over",
		[MANAGERS_SEVERAL] = "each writes over what the other one wrote",
	};

	static_assert(ARRAY_LEN(follows) == MANAGERS_SEVERAL + 1, "each fault has its consequence");
	return follows[managers_fault(f)];
}

uint32_t managers_master(const struct fabric *f)
{
	const struct managers *m = fabric_managers(f);

	for (uint32_t ep = 0; m && m->lid && ep < f->n_endports; ep++) {
		uint32_t port = f->endport_port[ep], lid = f->port_lid[port];

		if (lid && m->lid >= lid && m->lid < lid + (1u << f->port_lmc[port]))
			return ep;
	}
	return NO_ID;
}
