#include "core/fabric/fabric.h"
#include "core/base/err.h"
#include "core/base/glob.h"
#include "core/base/memory.h"
#include "core/base/rng.h"
#include "core/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const speed_names[SPEED_COUNT] = {
	"???", "SDR", "DDR", "QDR", "FDR10", "FDR", "EDR", "HDR", "NDR", "XDR",
};
static const char *const width_names[WIDTH_COUNT] = {"??", "1x", "2x", "4x", "8x", "12x"};

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
	static const double lane[SPEED_COUNT] = {0,	  2.5,	    5,	    10,	    10.3125,
						 14.0625, 25.78125, 53.125, 106.25, 212.5};
	static const unsigned lanes[WIDTH_COUNT] = {0, 1, 2, 4, 8, 12};

	return s < SPEED_COUNT && w < WIDTH_COUNT ? lane[s] * lanes[w] : 0;
}

void warnings_add(struct warnings *w, const char *kind, unsigned line, const char *fmt, ...)
{
	struct text t = {0};
	va_list ap;

	va_start(ap, fmt);
	text_addv(&t, fmt, ap);
	va_end(ap);
	GROW(w->w, w->n, w->cap);
	w->w[w->n++] = (struct warning){kind, line, t.s};
}

void warnings_free(struct warnings *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->w[i].text);
	free(w->w);
	*w = (struct warnings){0};
}

/* --- building --------------------------------------------------------------- */

struct fabric_builder *fb_new(void)
{
	struct fabric_builder *b = NEW(struct fabric_builder);

	b->sm_node = NO_ID;
	return b;
}

void fb_free(struct fabric_builder *b)
{
	if (!b)
		return;
	for (uint32_t i = 0; i < b->n; i++) {
		free(b->node[i].desc);
		free(b->node[i].place);
		free(b->node[i].port);
	}
	free(b->node);
	free(b->hash);
	free(b->generated);
	warnings_free(&b->warnings);
	free(b);
}

/* Place of a GUID in the hash: where it is, or the free place where it belongs. */
static uint32_t *hash_slot(const struct fabric_builder *b, uint64_t guid)
{
	uint64_t seed = guid;
	uint32_t i = rng_next(&seed) & (b->hash_size - 1);

	while (b->hash[i] != NO_ID && b->node[b->hash[i]].guid != guid)
		i = (i + 1) & (b->hash_size - 1);
	return &b->hash[i];
}

static void hash_grow(struct fabric_builder *b)
{
	b->hash_size = b->hash_size ? b->hash_size * 4 : 256;
	free(b->hash);
	b->hash = NEW_ARRAY(b->hash_size, uint32_t);
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

	if (n->port && nports <= n->nports)
		return;
	n->port = mem_resize(n->port, nports + 1, sizeof(*n->port));
	for (unsigned p = from; p <= nports; p++)
		n->port[p] = (struct fb_port){.peer_node = NO_ID, .opervls = DEFAULT_OPER_VLS};
	n->nports = nports;
}

uint32_t fb_add(struct fabric_builder *b, enum node_type type, uint64_t guid, unsigned nports,
		const char *desc)
{
	struct fb_node *n;

	if (2 * (b->n + 1) > b->hash_size)
		hash_grow(b);
	if (fb_find(b, guid) != NO_ID)
		return NO_ID;
	GROW(b->node, b->n, b->cap);
	n = &b->node[b->n];
	*n = (struct fb_node){.guid = guid, .type = type, .fdb_cap = DEFAULT_FDB_CAP};
	n->desc = desc ? str_dup(desc) : NULL;
	fb_more_ports(b, b->n, nports);
	*hash_slot(b, guid) = b->n;
	return b->n++;
}

bool fb_link(struct fabric_builder *b, uint32_t n1, unsigned p1, uint32_t n2, unsigned p2)
{
	struct fb_port *a, *z;

	if (n1 >= b->n || n2 >= b->n || p1 < 1 || p2 < 1 || p1 > b->node[n1].nports ||
	    p2 > b->node[n2].nports)
		return false;
	if (n1 == n2 && p1 == p2)
		return false;
	a = &b->node[n1].port[p1];
	z = &b->node[n2].port[p2];
	if (a->peer_node != NO_ID || z->peer_node != NO_ID)
		return a->peer_node == n2 && a->peer_port == p2;
	a->peer_node = n2;
	a->peer_port = p2;
	z->peer_node = n1;
	z->peer_port = p1;
	return true;
}

/* --- finishing: numbering and flat arrays -------------------------------------- */

struct keyed {
	uint64_t key;
	uint32_t id;
};

static int keyed_compare(const void *x, const void *y)
{
	const struct keyed *a = x, *b = y;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

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
	f->node_name[n] =
		from->desc && *from->desc ? str_dup(from->desc) : str_printf("0x%016lx", from->guid);
	f->node_place[n] = from->place ? str_dup(from->place) : NULL;
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
	f->node_name = NEW_ARRAY(n, char *);
	f->node_chassis = NEW_ARRAY(n, uint16_t);
	f->node_place = NEW_ARRAY(n, char *);
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
	f->port_state = NEW_ARRAY(n, uint8_t);
	f->port_opervls = NEW_ARRAY(n, uint8_t);
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
		f->port_opervls[id] = q->opervls;
		f->port_ext[id] = q->ext;
		f->port_state[id] = q->state;
		if (q->peer_node != NO_ID)
			f->port_peer[id] = f->node_port[new_id[q->peer_node]] + q->peer_port;
		if (!q->state && q->peer_node != NO_ID)
			f->port_state[id] = PORT_ACTIVE;
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
		f->switch_esp0[s++] = from->esp0;
	}
}

static void number_links(struct fabric *f)
{
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
}

static void number_endports(struct fabric *f)
{
	struct keyed *k = NEW_ARRAY(f->n_ports, struct keyed);
	uint32_t n = 0;

	for (uint32_t p = 0; p < f->n_ports; p++) {
		bool sw = f->node_type[f->port_node[p]] == NODE_SWITCH;

		if (sw ? f->port_num[p] == 0 : f->port_peer[p] != NO_ID)
			k[n++] = (struct keyed){guid_key(f->port_guid[p]), p};
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

static int by_name_compare(const void *x, const void *y, void *ctx)
{
	const struct fabric *f = ctx;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	int d = strcasecmp(f->node_name[a], f->node_name[b]);

	return d ? d : a < b ? -1 : a > b;
}

static void index_names(struct fabric *f)
{
	for (uint32_t n = 0; n < f->n_nodes; n++)
		f->by_name[n] = n;
	qsort_r(f->by_name, f->n_nodes, sizeof(*f->by_name), by_name_compare, f);
}

static void index_nodes(struct fabric *f)
{
	struct keyed *k = NEW_ARRAY(f->n_nodes, struct keyed);

	f->by_guid = NEW_ARRAY(f->n_nodes, uint32_t);
	f->by_name = NEW_ARRAY(f->n_nodes, uint32_t);
	for (uint32_t n = 0; n < f->n_nodes; n++)
		k[n] = (struct keyed){f->node_guid[n], n};
	qsort(k, f->n_nodes, sizeof(*k), keyed_compare);
	for (uint32_t n = 0; n < f->n_nodes; n++)
		f->by_guid[n] = k[n].id;
	free(k);
	index_names(f);
}

/* Where the SM runs: the builder's choice, else port 0 or the first cabled port of the first node, else any
 * endport. */
static void place_sm(struct fabric *f, const struct fabric_builder *b, const uint32_t *new_id)
{
	uint32_t node = new_id[b->sm_node == NO_ID ? 0 : b->sm_node];
	uint32_t p0 = f->node_port[node];

	f->sm_endport = NO_ID;
	if (b->sm_port && f->node_type[node] != NODE_SWITCH && b->sm_port <= f->node_nports[node])
		f->sm_endport = f->port_endport[p0 + b->sm_port];
	for (unsigned p = 0; p <= f->node_nports[node] && f->sm_endport == NO_ID; p++)
		f->sm_endport = f->port_endport[p0 + p];
	if (f->sm_endport == NO_ID && f->n_endports)
		f->sm_endport = 0;
}

static struct fabric *make_fabric(struct fabric_builder *b)
{
	struct fabric *f = NEW(struct fabric);
	struct keyed *k = NEW_ARRAY(b->n, struct keyed);
	uint32_t *new_id = NEW_ARRAY(b->n, uint32_t);

	f->refs = 1;
	f->n_nodes = b->n;
	alloc_nodes(f);
	for (uint32_t i = 0; i < b->n; i++)
		k[i] = (struct keyed){guid_key(b->node[i].guid), i};
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
	number_links(f);
	number_endports(f);
	index_nodes(f);
	place_sm(f, b, new_id);
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
	f = make_fabric(b);
	f->source = str_dup(source);
	f->format = str_dup(format);
	f->generated = b->generated;
	f->warnings = b->warnings;
	b->generated = NULL;
	b->warnings = (struct warnings){0};
	fb_free(b);
	*out = f;
	return 0;
}

/* --- life ---------------------------------------------------------------------- */

struct fabric *fabric_ref(const struct fabric *f)
{
	struct fabric *g = (struct fabric *)f;

	atomic_fetch_add(&g->refs, 1);
	return g;
}

static void free_strings(char **s, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		free(s[i]);
	free(s);
}

void fabric_unref(const struct fabric *cf)
{
	struct fabric *f = (struct fabric *)cf;

	if (!f || atomic_fetch_sub(&f->refs, 1) != 1)
		return;
	counted_unref(f->held);
	free_strings(f->node_desc, f->n_nodes);
	free_strings(f->node_name, f->n_nodes);
	free_strings(f->node_place, f->n_nodes);
	void *arrays[] = {
		f->source,	 f->format,	  f->generated,	   f->node_type,     f->node_guid,
		f->node_sysguid, f->node_vendor,  f->node_device,  f->node_nports,   f->node_port,
		f->node_switch,	 f->node_order,	  f->node_chassis, f->port_node,     f->port_num,
		f->port_guid,	 f->port_peer,	  f->port_link,	   f->port_endport,  f->port_lid,
		f->port_lmc,	 f->port_width,	  f->port_speed,   f->port_state,    f->port_opervls,
		f->port_ext,	 f->switch_node,  f->switch_port,  f->switch_nports, f->switch_fdb_cap,
		f->switch_esp0,	 f->endport_port, f->link_port,	   f->by_guid,	     f->by_name,
	};
	for (size_t i = 0; i < ARRAY_LEN(arrays); i++)
		free(arrays[i]);
	warnings_free(&f->warnings);
	free(f);
}

/* A builder that holds the fabric again; node i of it is node node_order^-1(i). */
static struct fabric_builder *builder_from(const struct fabric *f)
{
	struct fabric_builder *b = fb_new();
	uint32_t *at = NEW_ARRAY(f->n_nodes, uint32_t);

	for (uint32_t n = 0; n < f->n_nodes; n++)
		at[f->node_order[n]] = n;
	for (uint32_t i = 0; i < f->n_nodes; i++) {
		uint32_t n = at[i];
		uint32_t s = f->node_switch[n];
		struct fb_node *to;

		fb_add(b, f->node_type[n], f->node_guid[n], f->node_nports[n], f->node_desc[n]);
		to = &b->node[i];
		to->sysguid = f->node_sysguid[n];
		to->vendor = f->node_vendor[n];
		to->device = f->node_device[n];
		to->chassis = f->node_chassis[n];
		to->place = f->node_place[n] ? str_dup(f->node_place[n]) : NULL;
		if (s != NO_ID) {
			to->fdb_cap = f->switch_fdb_cap[s];
			to->esp0 = f->switch_esp0[s];
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
				.state = f->port_state[id],
				.opervls = f->port_opervls[id],
				.ext = f->port_ext[id],
			};
			if (q != NO_ID) {
				to->port[p].peer_node = f->node_order[f->port_node[q]];
				to->port[p].peer_port = f->port_num[q];
			}
		}
	}
	for (size_t i = 0; i < f->warnings.n; i++)
		warnings_add(&b->warnings, f->warnings.w[i].kind, f->warnings.w[i].line, "%s",
			     f->warnings.w[i].text);
	if (f->sm_endport != NO_ID) {
		b->sm_node = f->node_order[endport_node(f, f->sm_endport)];
		b->sm_port = f->port_num[f->endport_port[f->sm_endport]];
	}
	b->generated = f->generated ? str_dup(f->generated) : NULL;
	free(at);
	return b;
}

struct fabric *fabric_renamed(const struct fabric *f, const struct name_map *map)
{
	struct fabric *g = NULL;

	if (fb_finish(builder_from(f), f->source, f->format, &g, NULL))
		abort(); /* a finished fabric can always be built again */
	g->held = counted_ref(f->held);
	for (size_t i = 0; i < map->n; i++) {
		uint32_t n = fabric_node_by_guid(g, map->guid[i]);

		if (n == NO_ID)
			continue;
		free(g->node_name[n]);
		g->node_name[n] = str_dup(map->name[i]);
	}
	index_names(g);
	return g;
}

struct fabric *fabric_variant(const struct fabric *f, uint32_t sm_endport, bool as_ibsim)
{
	struct fabric_builder *b = builder_from(f);
	struct fabric *g = NULL;

	if (sm_endport != NO_ID) {
		b->sm_node = f->node_order[endport_node(f, sm_endport)];
		b->sm_port = f->port_num[f->endport_port[sm_endport]];
	}
	for (uint32_t i = 0; as_ibsim && i < b->n; i++)
		for (unsigned p = 0; p <= b->node[i].nports; p++) {
			b->node[i].port[p].guid = 0;
			if (b->node[i].type == NODE_ROUTER)
				b->node[i].port[p].lid = b->node[i].port[p].lmc = 0;
		}
	if (fb_finish(b, f->source, f->format, &g, NULL))
		abort(); /* as above */
	g->held = counted_ref(f->held);
	for (uint32_t n = 0; n < f->n_nodes; n++) {
		free(g->node_name[n]);
		g->node_name[n] = str_dup(f->node_name[n]);
	}
	index_names(g);
	return g;
}

/* --- look-ups -------------------------------------------------------------------- */

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

/* First place in by_name whose name does not sort before `name`. */
static uint32_t name_lower_bound(const struct fabric *f, const char *name)
{
	uint32_t lo = 0, hi = f->n_nodes;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (strcasecmp(f->node_name[f->by_name[mid]], name) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

struct name_search {
	uint32_t found, n;
	struct text names;
};

static void name_hit(struct name_search *s, const struct fabric *f, uint32_t node)
{
	s->found = node;
	if (s->n++ < 4)
		text_add(&s->names, "%s\"%s\"", s->n > 1 ? ", " : "", f->node_name[node]);
}

static uint32_t name_result(struct name_search *s, const char *name, struct err *e)
{
	if (!s->n)
		err_set(e,
			"no node is named \"%s\" (expected a GUID, a LID, a name, a unique prefix or a glob)",
			name);
	else if (s->n > 1)
		err_set(e, "\"%s\" fits %u nodes: %s%s; say more of the name, or use the GUID", name, s->n,
			text_str(&s->names), s->n > 4 ? ", ..." : "");
	text_free(&s->names);
	return s->n == 1 ? s->found : NO_ID;
}

uint32_t fabric_node_by_name(const struct fabric *f, const char *name, struct err *e)
{
	struct name_search s = {0};
	uint32_t from = name_lower_bound(f, name);
	size_t len = strlen(name);

	for (uint32_t i = from; i < f->n_nodes && !strcasecmp(f->node_name[f->by_name[i]], name); i++)
		name_hit(&s, f, f->by_name[i]);
	if (s.n || !len)
		return name_result(&s, name, e);
	for (uint32_t i = from; i < f->n_nodes && !strncasecmp(f->node_name[f->by_name[i]], name, len); i++)
		name_hit(&s, f, f->by_name[i]);
	if (s.n || !strpbrk(name, "*?["))
		return name_result(&s, name, e);
	for (uint32_t i = 0; i < f->n_nodes; i++)
		if (glob_match(name, f->node_name[f->by_name[i]]))
			name_hit(&s, f, f->by_name[i]);
	return name_result(&s, name, e);
}

const char *port_label(const struct fabric *f, uint32_t port, char *buf, size_t size)
{
	if (port == NO_ID)
		snprintf(buf, size, "-");
	else
		snprintf(buf, size, "%s[%u]", f->node_name[f->port_node[port]], f->port_num[port]);
	return buf;
}
