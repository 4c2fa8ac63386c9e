/* A routing: forwarding tables, layers, SLs of pairs, SL-to-VL maps. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/counted.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/routing/routing.h"

void witness_free(struct witness *w)
{
	if (!w)
		return;
	free(w->edge);
	free(w);
}

static void pair_sls_free(struct counted *c)
{
	AUTO_FREE struct pair_sls *p = (struct pair_sls *)c;

	free(p->first);
	free(p->member);
	free(p->to);
	FREE_EACH(p->line, p->file, p->given_up);
}

struct pair_sls *pair_sls_new(uint32_t n_endports)
{
	struct pair_sls *p = NEW(struct pair_sls);

	counted_init(&p->counted, pair_sls_free);
	p->n_endports = n_endports;
	return p;
}

/* OpenSM compares P_Keys as a little-endian machine reads them from the network. */
static unsigned order_of(const struct pkey_member *m)
{
	return (m->pkey & 0xffu) << 8 | m->pkey >> 8;
}

const struct pkey_member *pair_sls_common(const struct pair_sls *p, uint32_t a, uint32_t b, bool limited)
{
	assert(p->first && a < p->n_endports && b < p->n_endports);

	uint32_t i = p->first[a], k = p->first[b];

	while (i < p->first[a + 1] && k < p->first[b + 1]) {
		const struct pkey_member *x = &p->member[i], *y = &p->member[k];

		if (x->pkey == y->pkey && (x->full || y->full || limited))
			return x;
		i += order_of(x) <= order_of(y);
		k += order_of(y) <= order_of(x);
	}
	return NULL;
}

const struct partition_line *partition_defined(const struct pair_sls *p, uint16_t pkey)
{
	for (uint32_t i = 0; i < p->n_lines; i++)
		if (p->line[i].pkey == pkey && !p->line[i].guid)
			return &p->line[i];
	return NULL;
}

bool pair_sls_share(const struct pair_sls *p, uint32_t a, uint32_t b)
{
	return p->one || !p->first || a == b || pair_sls_common(p, a, b, false);
}

unsigned pair_sls_of(const struct pair_sls *p, uint32_t from, uint32_t to)
{
	assert(from < p->n_endports && to < p->n_endports);
	if (p->one)
		return p->all;
	if (p->to && p->to[to] != NO_PAIR_SL)
		return p->to[to];
	const struct pkey_member *m = p->first ? pair_sls_common(p, from, to, false) : NULL;
	return m ? m->sl : NO_PAIR_SL;
}

struct sl_tables *sl_tables_new(const struct fabric *f, uint16_t top)
{
	struct sl_tables *l = NEW(struct sl_tables);

	l->refs = 1;
	l->n_switches = f->n_switches;
	l->n_endports = f->n_endports;
	l->ports = mem_dup(f->switch_nports, f->n_switches);
	l->map = NEW_ARRAY(f->n_switches + 1u, sl2vl_map *);
	l->out = NEW_ARRAY(f->n_switches + 1u, sl2vl_map *);
	l->sl = NEW_ARRAY(f->n_endports + 1u, uint8_t *);
	l->top = top;
	return l;
}

static void sl_tables_release(struct sl_tables *l)
{
	for (uint32_t s = 0; s < l->n_switches; s++) {
		free(l->map[s]);
		free(l->out[s]);
	}
	for (uint32_t e = 0; e < l->n_endports; e++)
		free(l->sl[e]);
	free(l->map);
	free(l->out);
	free(l->endport);
	free(l->sl);
	free(l->ports);
	free(l);
}

COUNTED(struct sl_tables, struct sl_tables, sl_tables_ref, sl_tables_unref, sl_tables_release)

static sl2vl_map *identities(size_t n)
{
	sl2vl_map *m = NEW_ARRAY(n, sl2vl_map);

	for (size_t i = 0; i < n; i++)
		m[i] = SL_TABLES_IDENTITY;
	return m;
}

void sl_tables_set_map(struct sl_tables *l, uint32_t sw, unsigned in, unsigned out, sl2vl_map m)
{
	assert(sw < l->n_switches && !l->out[sw]);

	unsigned ports = l->ports[sw], n = (ports + 1) * (ports + 1);

	if (in > ports || out > ports)
		return;
	if (!l->map[sw]) {
		l->map[sw] = identities(n);
		l->n_maps++;
	}
	l->map[sw][in * (ports + 1) + out] = m;
}

void sl_tables_set_out(struct sl_tables *l, uint32_t sw, unsigned out, sl2vl_map m)
{
	assert(sw < l->n_switches && !l->map[sw]);
	if (out > l->ports[sw])
		return;
	if (!l->out[sw]) {
		l->out[sw] = identities(l->ports[sw] + 1u);
		l->n_maps++;
	}
	l->out[sw][out] = m;
}

void sl_tables_set_all(struct sl_tables *l, sl2vl_map m)
{
	l->one = true;
	l->all = m;
	l->n_maps = l->n_switches;
}

void sl_tables_set_endport(struct sl_tables *l, uint32_t ep, sl2vl_map m)
{
	assert(ep < l->n_endports);
	if (!l->endport)
		l->endport = identities(l->n_endports);
	l->endport[ep] = m;
}

bool sl_tables_set_sl(struct sl_tables *l, uint32_t source, unsigned dlid, unsigned sl)
{
	if (source >= l->n_endports || dlid > l->top)
		return false;
	if (!l->sl[source]) {
		l->sl[source] = mem_alloc(l->top + 1u);
		memset(l->sl[source], SL_TABLES_NO_SL, l->top + 1u);
	}
	l->n_sls += l->sl[source][dlid] == SL_TABLES_NO_SL;
	l->sl[source][dlid] = sl & 15;
	return true;
}

void sl_tables_copy_maps(struct sl_tables *l, const struct sl_tables *from)
{
	assert(l->n_switches == from->n_switches && l->n_endports == from->n_endports);
	l->one = from->one;
	l->all = from->all;
	l->n_maps = from->n_maps;
	for (uint32_t s = 0; s < l->n_switches; s++) {
		size_t n = l->ports[s] + 1u;

		free(l->map[s]);
		free(l->out[s]);
		l->map[s] = from->map[s] ? mem_dup(from->map[s], n * n * sizeof(sl2vl_map)) : NULL;
		l->out[s] = from->out[s] ? mem_dup(from->out[s], n * sizeof(sl2vl_map)) : NULL;
	}
	free(l->endport);
	l->endport = from->endport ? mem_dup(from->endport, l->n_endports * sizeof(sl2vl_map)) : NULL;
}

/* The maps, without SLs, on another fabric: found by GUID and port.  A new object. */
static struct sl_tables *sl_tables_maps_on(const struct sl_tables *l, const struct fabric *from,
					   const struct fabric *to)
{
	struct sl_tables *t = sl_tables_new(to, 0);

	assert(l->n_switches == from->n_switches && l->n_endports == from->n_endports);
	t->one = l->one;
	t->all = l->all;
	for (uint32_t s = 0; s < to->n_switches; s++) {
		uint32_t was = fabric_switch_in(from, to, s);
		size_t n = t->ports[s] + 1u;

		if (was == NO_ID || l->ports[was] != t->ports[s])
			continue;
		t->map[s] = l->map[was] ? mem_dup(l->map[was], n * n * sizeof(sl2vl_map)) : NULL;
		t->out[s] = l->out[was] ? mem_dup(l->out[was], n * sizeof(sl2vl_map)) : NULL;
		t->n_maps += t->map[s] || t->out[s];
	}
	if (l->one)
		t->n_maps = t->n_switches;
	for (uint32_t ep = 0; l->endport && ep < to->n_endports; ep++) {
		uint32_t was = fabric_endport_in(from, to, ep);

		sl_tables_set_endport(t, ep, was == NO_ID ? SL_TABLES_IDENTITY : l->endport[was]);
	}
	return t;
}

static void switch_tables_free(struct counted *c)
{
	AUTO_FREE struct switch_tables *h = (struct switch_tables *)c;

	for (uint32_t s = 0; s < h->n_switches; s++)
		free(h->lft[s]);
	free(h->lft);
	free(h->top);
	free(h->source);
	free(h->lid);
	free(h->lmc);
	free(h->lid_owner);
	for (uint32_t i = 0; i < h->n_strangers; i++)
		free(h->stranger[i].name);
	free(h->stranger);
	sl_tables_unref(h->sl_tables);
	if (h->adaptive)
		counted_unref(&h->adaptive->counted);
}

struct switch_tables *switch_tables_new(uint32_t n_switches)
{
	struct switch_tables *h = NEW(struct switch_tables);

	counted_init(&h->counted, switch_tables_free);
	h->n_switches = n_switches;
	h->read_at = time(NULL);
	h->top = NEW_ARRAY(n_switches + 1u, uint16_t);
	h->lft = NEW_ARRAY(n_switches + 1u, uint8_t *);
	return h;
}

void switch_tables_add_stranger(struct switch_tables *h, unsigned lid, uint64_t guid, bool is_switch,
				const char *name)
{
	assert(lid && lid <= MAX_LID);
	GROW(h->stranger, h->n_strangers, h->cap_strangers);
	h->stranger[h->n_strangers++] =
		(struct table_stranger){(uint16_t)lid, is_switch, guid, name ? str_dup(name) : NULL};
}

/* LIDs and LMCs that ports had with them. */
static void lids_on_ports(struct switch_tables *t, const struct switch_tables *h, const struct fabric *from,
			  const struct fabric *to)
{
	assert(h->lid && h->lmc);
	t->lid = mem_dup(to->port_lid, to->n_ports * sizeof(*t->lid));
	t->lmc = mem_dup(to->port_lmc, to->n_ports);
	for (uint32_t p = 0; p < to->n_ports; p++) {
		uint32_t q = fabric_port_in(from, to, p);

		if (q == NO_ID)
			continue;
		t->lid[p] = h->lid[q];
		t->lmc[p] = h->lmc[q];
	}
}

struct switch_tables *switch_tables_on(const struct switch_tables *h, const struct fabric *from,
				       const struct fabric *to)
{
	struct switch_tables *t = switch_tables_new(to->n_switches);

	assert(h->n_switches == from->n_switches);
	t->source = h->source ? str_dup(h->source) : NULL;
	t->read_at = h->read_at;
	for (uint32_t s = 0; s < to->n_switches; s++) {
		uint32_t was = fabric_switch_in(from, to, s);

		if (was == NO_ID || !h->lft[was])
			continue;
		t->top[s] = h->top[was];
		t->lft[s] = mem_dup(h->lft[was], h->top[was] + 1u);
	}
	t->sl_tables = h->sl_tables ? sl_tables_maps_on(h->sl_tables, from, to) : NULL;
	t->adaptive = h->adaptive ? adaptive_on(h->adaptive, from, to) : NULL;
	for (uint32_t i = 0; i < h->n_strangers; i++) {
		const struct table_stranger *x = &h->stranger[i];

		switch_tables_add_stranger(t, x->lid, x->guid, x->is_switch, x->name);
	}
	if (h->lid)
		lids_on_ports(t, h, from, to);
	if (h->lid_owner) {
		t->lid_owner = mem_dup(h->lid_owner, (MAX_LID + 1u) * sizeof(*t->lid_owner));
		for (unsigned lid = 0; lid <= MAX_LID; lid++)
			if (h->lid_owner[lid] != NO_ID)
				t->lid_owner[lid] = fabric_endport_in(to, from, h->lid_owner[lid]);
	}
	return t;
}

uint8_t *switch_tables_told(const struct switch_tables *h, unsigned top)
{
	uint8_t *told = NEW_ARRAY(top + 1u, uint8_t);

	for (unsigned lid = 0; lid <= top && !h->source; lid++)
		told[lid] = 1;
	for (uint32_t s = 0; s < h->n_switches && h->source; s++)
		for (unsigned lid = 1; h->lft[s] && lid <= h->top[s] && lid <= top; lid++)
			told[lid] |= h->lft[s][lid] != NO_PATH;
	return told;
}

unsigned switch_tables_top(const struct switch_tables *h)
{
	unsigned top = 0;

	for (uint32_t s = 0; s < h->n_switches; s++)
		if (h->lft[s] && h->top[s] > top)
			top = h->top[s];
	return top;
}

struct lft_row *lft_row_new(unsigned top)
{
	assert(top <= UINT16_MAX);

	struct lft_row *r = mem_resize(NULL, 1, sizeof(*r) + top + 1); /* filled below, once */

	*r = (struct lft_row){.refs = 1, .top = top};
	memset(r->port, NO_PATH, top + 1);
	return r;
}

struct lft_row *lft_row_copy(const struct lft_row *from)
{
	struct lft_row *r = mem_resize(NULL, 1, sizeof(*r) + from->top + 1); /* filled below, once */

	*r = (struct lft_row){.refs = 1, .top = from->top, .edited = true};
	memcpy(r->port, from->port, from->top + 1u);
	return r;
}

void lft_row_unref(struct lft_row *r)
{
	if (r && atomic_fetch_sub(&r->refs, 1) == 1)
		FREE_EACH(r->kept, r);
}

static const struct routing_ops no_ops;

struct routing *routing_new(const char *engine, const struct topo *t, const struct lids *l)
{
	struct routing *r = NEW(struct routing);

	assert(l->n_endports == t->fabric->n_endports);
	r->refs = 1;
	r->engine = engine;
	r->topo = topo_ref(t);
	r->lids = lids_ref(l);
	r->row = NEW_ARRAY(t->fabric->n_switches, struct lft_row *);
	r->ops = &no_ops;
	return r;
}

/* The same tables over another view of the topo, with other hosts that count. */
static struct routing *routing_like(const struct routing *r, const struct topo *t,
				    const struct host_set *hosts)
{
	struct routing *c = routing_new(r->engine, t, r->lids);

	assert(fabric_alike(t->fabric, r->topo->fabric));
	for (uint32_t s = 0; s < r->topo->fabric->n_switches; s++)
		routing_share_row(c, r, s);
	c->ops = r->ops;
	c->sl_tables = r->sl_tables ? sl_tables_ref(r->sl_tables) : NULL;
	c->adaptive = (struct adaptive *)counted_ref(r->adaptive ? &r->adaptive->counted : NULL);
	c->priv = r->priv;
	c->exact = t == r->topo ? r->exact : NULL;
	c->pair_sls = (struct pair_sls *)counted_ref(r->pair_sls ? &r->pair_sls->counted : NULL);
	c->offered_bits = r->offered_bits;
	c->sl_unread = r->sl_unread;
	c->hosts = host_set_ref(hosts);
	c->same = routing_ref(r->same ? r->same : r);
	return c;
}

struct routing *routing_with_hosts(const struct routing *r, const struct host_set *hosts)
{
	return routing_like(r, r->topo, hosts);
}

struct routing *routing_on_data(const struct routing *r)
{
	AUTO_TOPO struct topo *t = topo_data(r->topo);

	return t == r->topo ? routing_ref(r) : routing_like(r, t, r->hosts);
}

const struct routing *routing_discovered(const struct routing *r)
{
	return r && r->topo->data && r->same ? r->same : r;
}

static void routing_release(struct routing *r)
{
	for (uint32_t s = 0; s < r->topo->fabric->n_switches; s++)
		lft_row_unref(r->row[s]);
	free(r->row);
	if (r->ops->free_priv && !r->same)
		r->ops->free_priv(r->priv);
	sl_tables_unref(r->sl_tables);
	if (r->adaptive)
		counted_unref(&r->adaptive->counted);
	if (r->pair_sls)
		counted_unref(&r->pair_sls->counted);
	topo_unref(r->topo);
	lids_unref(r->lids);
	host_set_unref(r->hosts);
	routing_unref(r->same); /* never a long chain: r->same is not a copy itself */
	free(r);
}

COUNTED(struct routing, struct routing, routing_ref, routing_unref, routing_release)
COUNTED_LATER(struct routing, routing_unref)

static bool port_live(const struct routing *r, uint32_t sw, unsigned port)
{
	const struct topo *t = r->topo;

	return port && port <= t->fabric->switch_nports[sw] &&
	       t->peer[switch_port_id(t->fabric, sw, port)] != NO_ID;
}

bool routing_ports(const struct routing *r, uint32_t sw, unsigned lid, struct port_set *set)
{
	const struct adaptive_group *g = adaptive_find(r->adaptive, sw, lid);
	unsigned entry = routing_port(r, sw, lid);
	bool any = false;

	*set = (struct port_set){{0}};
	for (unsigned p = g ? port_set_next(&g->ports, 0) : 256; p < 256;
	     p = port_set_next(&g->ports, p + 1)) {
		if (!port_live(r, sw, p))
			continue;
		port_set_add(set, p);
		any = true;
	}
	if (entry != NO_PATH && (!any || port_live(r, sw, entry)))
		port_set_add(set, entry);
	return g != NULL;
}

uint32_t *routing_hosts(void *arena, const struct routing *r)
{
	const struct fabric *f = r->topo->fabric;
	uint32_t *n = ARENA_ARRAY(arena, f->n_switches, uint32_t);

	for (uint32_t ep = 0; ep < f->n_endports; ep++)
		if (routing_has_host(r, ep) && r->lids->base[ep])
			n[r->topo->endport_switch[ep]]++;
	return n;
}

uint64_t routing_host_lids(const struct routing *r)
{
	const struct fabric *f = r->topo->fabric;
	uint64_t n = 0;

	for (uint32_t ep = 0; ep < f->n_endports; ep++)
		if (routing_counts(r, ep) && !endport_is_switch(f, ep))
			n += r->lids->count[ep];
	return n;
}

unsigned routing_next_port(const struct routing *r, uint32_t sw, unsigned lid)
{
	unsigned entry = routing_port(r, sw, lid);
	struct port_set set;

	if (!r->adaptive || port_live(r, sw, entry) || !routing_ports(r, sw, lid, &set) ||
	    (entry != NO_PATH && port_set_has(&set, entry)))
		return entry;
	entry = port_set_next(&set, 0);
	return MIN(entry, NO_PATH);
}

void routing_ports_text(const struct routing *r, uint32_t sw, unsigned lid, struct text *t)
{
	const struct adaptive_group *g = adaptive_find(r->adaptive, sw, lid);
	unsigned entry = routing_port(r, sw, lid);

	if (!g)
		return;
	for (unsigned p = 0; p < NO_PATH; p++) {
		if (p != entry && !port_set_has(&g->ports, p))
			continue;
		if (p == entry)
			text_putc(t, '*');
		if (p && !port_live(r, sw, p))
			text_putc(t, 'x');
		text_add(t, "%u ", p);
	}
	text_add(t, "(group %u)", g->number);
}

void routing_share_equal_row(struct routing *r, const struct routing *from, uint32_t sw)
{
	const struct lft_row *a = r->row[sw], *b = from->row[sw];

	if (a && b && a != b && !a->edited && a->top == b->top && !memcmp(a->port, b->port, a->top + 1u))
		routing_share_row(r, from, sw);
}

void routing_share_row(struct routing *r, const struct routing *from, uint32_t sw)
{
	struct lft_row *row = from->row[sw];

	assert(r->topo->fabric->n_switches == from->topo->fabric->n_switches);
	if (row == r->row[sw])
		return;
	if (row)
		atomic_fetch_add(&row->refs, 1);
	lft_row_unref(r->row[sw]);
	r->row[sw] = row;
}

const char *sl_word(struct sl_range sl, char buf[SL_WORD])
{
	if (sl_is_open(sl))
		snprintf(buf, SL_WORD, "-");
	else
		snprintf(buf, SL_WORD, sl.lo == sl.hi ? "%u" : "%u..%u", sl.lo, sl.hi);
	return buf;
}

/* Do these bits differ among pairs? */
static bool offers_differ(const struct routing *r)
{
	return r->pair_sls && !r->pair_sls->one && r->offered_bits;
}

bool routing_share_pkey(const struct routing *r, unsigned slid, unsigned dlid)
{
	uint32_t from = lid_owner(r->lids, slid), to = lid_owner(r->lids, dlid);

	return !r->pair_sls || from == NO_ID || to == NO_ID || pair_sls_share(r->pair_sls, from, to);
}

/* The engine's SL with the bits that it leaves to partitions and the QoS policy. */
static struct sl_range with_offer(const struct routing *r, unsigned slid, unsigned dlid, struct sl_range sl)
{
	unsigned bits = r->pair_sls ? r->offered_bits : 0, offer;

	if (!bits || sl_is_open(sl))
		return sl;
	uint32_t from = lid_owner(r->lids, slid);
	uint32_t to = lid_owner(r->lids, dlid);
	if (from == NO_ID || to == NO_ID)
		return sl;
	offer = pair_sls_of(r->pair_sls, from, to);
	if (offer == NO_PAIR_SL)
		return sl;
	return (struct sl_range){(uint8_t)((sl.lo & ~bits & 15) | (offer & bits)),
				 (uint8_t)((sl.hi & ~bits & 15) | (offer & bits))};
}

struct sl_range routing_sl_by_chance(const struct routing *r, unsigned slid, unsigned dlid)
{
	bool file = r->sl_tables && r->sl_tables->n_sls;

	return r->ops->sl_by_chance && !file ? with_offer(r, slid, dlid, r->ops->sl_by_chance(r, slid, dlid))
					     : routing_sl(r, slid, dlid);
}

struct sl_range routing_sl(const struct routing *r, unsigned slid, unsigned dlid)
{
	uint32_t source = r->sl_tables && r->sl_tables->n_sls ? lid_owner(r->lids, slid) : NO_ID;
	unsigned sl = source == NO_ID ? SL_TABLES_NO_SL : sl_tables_sl(r->sl_tables, source, dlid);

	if (sl != SL_TABLES_NO_SL)
		return (struct sl_range){sl, sl};
	return with_offer(r, slid, dlid, r->ops->sl ? r->ops->sl(r, slid, dlid) : (struct sl_range){0, 0});
}

unsigned routing_vl(const struct routing *r, uint32_t sw, unsigned in, unsigned out, unsigned sl)
{
	if (r->sl_tables && r->sl_tables->n_maps)
		return sl2vl_of(sl_tables_map(r->sl_tables, sw, in, out), sl);
	return r->ops->vl ? r->ops->vl(r, sw, in, out, sl) : sl;
}

bool routing_endport_known(const struct routing *r)
{
	return (r->sl_tables && r->sl_tables->endport) || r->ops->endport_vl;
}

sl2vl_map routing_endport_map(const struct routing *r, uint32_t endport)
{
	sl2vl_map m = 0;

	assert(routing_endport_known(r) && endport < r->topo->fabric->n_endports);
	if (r->sl_tables && r->sl_tables->endport)
		return r->sl_tables->endport[endport];
	for (unsigned sl = 0; sl < 16; sl++)
		m |= (sl2vl_map)(r->ops->endport_vl(r, endport, sl) & 15) << (4 * sl);
	return m;
}

bool routing_sa_refuses(const struct routing *r, uint32_t endport, bool through_switches)
{
	const struct sl_tables *l = r->sl_tables;

	if (!l || !l->programmed)
		return false;
	return (through_switches && l->closed) || (l->endport && sl2vl_of(l->endport[endport], 0) == 15);
}

bool routing_has_sls(const struct routing *r)
{
	return r->ops->sl || (r->sl_tables && r->sl_tables->n_sls) || (r->pair_sls && r->offered_bits);
}

bool routing_sls_by_switch(const struct routing *r)
{
	return !(r->sl_tables && r->sl_tables->n_sls) && !offers_differ(r) &&
	       (!r->ops->sl || r->ops->sl_by_switch);
}

bool routing_sls_by_source(const struct routing *r)
{
	return !(r->sl_tables && r->sl_tables->n_sls) && !offers_differ(r) &&
	       (!r->ops->sl || r->ops->sl_by_switch || r->ops->sl_by_source);
}

bool routing_has_maps(const struct routing *r)
{
	return r->ops->vl || (r->sl_tables && r->sl_tables->n_maps);
}

bool routing_vl_by_sl(const struct routing *r)
{
	if (r->sl_tables && r->sl_tables->n_maps)
		return r->sl_tables->one;
	return !r->ops->vl;
}

bool routing_keeps_layers(const struct routing *r, unsigned first, unsigned n)
{
	assert(first + n <= 16);
	if (!routing_vl_by_sl(r) || (r->sl_tables && r->sl_tables->n_sls) || (r->pair_sls && r->offered_bits))
		return false;
	for (unsigned sl = first; sl < first + n; sl++)
		if (routing_vl(r, 0, 0, 0, sl) != sl)
			return false;
	return true;
}

bool routing_layers_idle(const struct routing *r)
{
	return r->sl_tables && r->sl_tables->assumed;
}
