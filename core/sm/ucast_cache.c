#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/routing/paths.h"
#include "core/sm/ucast_cache.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A missing link, as a port of a switch saw it. */
struct missing {
	uint64_t far; /* node GUID at the other end */
	uint16_t lid; /* LID there */
	bool is_host, recorded;
};

/* A switch that is no longer part of the fabric at all. */
struct ghost {
	uint64_t guid;
	struct missing *missing; /* [n_ports], port 0 first */
	unsigned n_ports;
	uint8_t leaf, dropped;
	struct lft_row *row;
};

struct ucast_cache {
	const struct fabric *fabric; /* reference held */
	struct missing *missing;     /* [n_ports] by port of a switch */
	uint8_t *leaf;		     /* [n_switches] 1 = lost a host, or has hosts beside missing links */
	uint8_t *dropped;	     /* [n_switches] 1 = the switch itself is gone */
	struct lft_row **row;	     /* [n_switches] table of a dropped switch */
	struct ghost *ghost;
	size_t n_ghosts, cap_ghosts;
	char *why; /* a change of the fabric made it worthless, NULL: none did */
};

struct ucast_cache *ucast_cache_new(const struct fabric *f)
{
	struct ucast_cache *c = ARENA_NEW(NULL, struct ucast_cache);

	c->fabric = fabric_ref(f);
	c->missing = ARENA_ARRAY(c, f->n_ports, struct missing);
	c->leaf = ARENA_ARRAY(c, f->n_switches, uint8_t);
	c->dropped = ARENA_ARRAY(c, f->n_switches, uint8_t);
	c->row = ARENA_ARRAY(c, f->n_switches, struct lft_row *);
	return c;
}

static struct lft_row *row_ref(struct lft_row *r)
{
	if (r)
		atomic_fetch_add(&r->refs, 1);
	return r;
}

static void add_ghost(struct ucast_cache *c, const struct ghost *g)
{
	GROW(c->ghost, c->n_ghosts, c->cap_ghosts);
	struct ghost *to = &c->ghost[c->n_ghosts++];
	*to = *g;
	to->missing = mem_dup(g->missing, g->n_ports * sizeof(*g->missing));
	to->row = row_ref(g->row);
}

struct ucast_cache *ucast_cache_copy(const struct ucast_cache *c)
{
	const struct fabric *f = c->fabric;
	struct ucast_cache *d = ucast_cache_new(f);

	memcpy(d->missing, c->missing, f->n_ports * sizeof(*c->missing));
	memcpy(d->leaf, c->leaf, f->n_switches);
	memcpy(d->dropped, c->dropped, f->n_switches);
	for (uint32_t s = 0; s < f->n_switches; s++)
		d->row[s] = row_ref(c->row[s]);
	for (size_t i = 0; i < c->n_ghosts; i++)
		add_ghost(d, &c->ghost[i]);
	d->why = c->why ? str_dup(c->why) : NULL;
	return d;
}

void ucast_cache_free(struct ucast_cache *c)
{
	if (!c)
		return;
	for (uint32_t s = 0; s < c->fabric->n_switches; s++)
		lft_row_unref(c->row[s]);
	for (size_t i = 0; i < c->n_ghosts; i++) {
		free(c->ghost[i].missing);
		lft_row_unref(c->ghost[i].row);
	}
	free(c->ghost);
	free(c->why);
	fabric_unref(c->fabric);
	arena_free(c);
}

/* --- one check -------------------------------------------------------------------------- */

struct ucast_cache_check {
	struct ucast_cache *c;
	const struct cache_sweep *s;
	const struct fabric *f;
	uint16_t *dist; /* [n_switches] hops from the subnet manager's switch, NO_HOPS = none */
	char *why;	/* the first reason found */
};

static bool ucast_cache_is_host(const struct ucast_cache_check *k, uint32_t port)
{
	return !node_is_switch(k->f, k->f->port_node[port]);
}

static uint32_t ucast_cache_switch_of(const struct ucast_cache_check *k, uint32_t port)
{
	return k->f->node_switch[k->f->port_node[port]];
}

/* LID of the node or host port behind a port id. */
static uint16_t ucast_cache_lid_of(const struct ucast_cache_check *k, const struct lids *l, uint32_t port)
{
	uint32_t sw = ucast_cache_switch_of(k, port), ep;

	ep = k->f->port_endport[sw == NO_ID ? port : k->f->switch_port[sw]];
	return ep == NO_ID ? 0 : l->base[ep];
}

static void invalid(struct ucast_cache_check *k, const char *what, uint32_t port)
{
	char a[300];

	if (!k->why)
		k->why = str_printf("%s: %s", what, port_label(k->f, port, a, sizeof(a)));
}

static bool new_switch(const struct ucast_cache_check *k, uint32_t sw)
{
	return !switch_up(k->s->was, sw);
}

/* Is it a host port that the previous sweep did not know? */
static bool new_host(const struct ucast_cache_check *k, uint32_t port)
{
	uint32_t ep = k->f->port_endport[port];

	return ep == NO_ID || !k->s->was->endport_up[ep];
}

/* --- discovery: links that are new ----------------------------------------------------------- */

static bool matches(const struct ucast_cache_check *k, uint32_t port, uint32_t peer)
{
	const struct missing *m = &k->c->missing[port];

	return m->recorded && m->is_host == ucast_cache_is_host(k, peer) &&
	       m->lid == ucast_cache_lid_of(k, k->s->lids, peer);
}

/* Is the link decided by validation, since the LID of one end is unknown when the link is seen? */
static bool decided_later(const struct ucast_cache_check *k, uint32_t p, uint32_t q)
{
	uint32_t a = ucast_cache_switch_of(k, p), b = ucast_cache_switch_of(k, q), far;

	if (a == NO_ID || b == NO_ID)
		return new_host(k, a == NO_ID ? p : q);
	if (k->dist[a] == k->dist[b])
		return false;
	far = k->dist[a] > k->dist[b] ? a : b;
	return new_switch(k, far);
}

static void see_link(struct ucast_cache_check *k, uint32_t p, uint32_t q)
{
	struct missing *m = k->c->missing;

	if (ucast_cache_is_host(k, p) && ucast_cache_is_host(k, q)) {
		invalid(k, "two hosts were cabled to each other", p);
		return;
	}
	if (decided_later(k, p, q))
		return;
	if ((!ucast_cache_is_host(k, p) && !matches(k, p, q)) ||
	    (!ucast_cache_is_host(k, q) && !matches(k, q, p)))
		invalid(k, "a link came up that was not there when the tables were computed", p);
	m[p].recorded = m[q].recorded = false;
}

/* --- what is gone ------------------------------------------------------------------------------- */

static void record(struct ucast_cache_check *k, uint32_t port, uint32_t peer)
{
	struct missing *m = &k->c->missing[port];
	uint16_t lid = ucast_cache_lid_of(k, k->s->lids_was, peer);

	if (ucast_cache_is_host(k, port) || !lid || !ucast_cache_lid_of(k, k->s->lids_was, port))
		return;
	k->c->leaf[ucast_cache_switch_of(k, port)] |= ucast_cache_is_host(k, peer);
	if (!m->recorded)
		*m = (struct missing){k->f->node_guid[k->f->port_node[peer]], lid,
				      ucast_cache_is_host(k, peer), true};
}

/* A link that was up is not any more. */
static void lose_link(struct ucast_cache_check *k, uint32_t p, uint32_t q)
{
	if (ucast_cache_is_host(k, p) && ucast_cache_is_host(k, q))
		invalid(k, "a link between two hosts is gone", p);
	record(k, p, q);
	record(k, q, p);
}

static void drop_switch(struct ucast_cache_check *k, uint32_t s)
{
	uint32_t port0 = k->f->switch_port[s];
	bool lost_host = false; /* now or before */

	FOR_PORTS(k->f, s, id)
		lost_host |= k->c->missing[id].recorded && k->c->missing[id].is_host;
	if (!ucast_cache_lid_of(k, k->s->lids_was, port0) || !lost_host)
		invalid(k, "a switch without hosts is gone", port0);
	k->c->dropped[s] = 1;
	lft_row_unref(k->c->row[s]);
	k->c->row[s] = row_ref(k->s->tables->row[s]);
}

/* --- validation ------------------------------------------------------------------------------------ */

static bool has_records(const struct ucast_cache_check *k, uint32_t sw)
{
	FOR_PORTS(k->f, sw, port)
		if (k->c->missing[port].recorded)
			return true;
	return false;
}

/* Validates a port with a live link that came up after the last sweep. */
static void validate_new_port(struct ucast_cache_check *k, uint32_t sw, uint32_t port, uint32_t peer)
{
	struct missing *m = &k->c->missing[port];
	uint32_t other = ucast_cache_switch_of(k, peer);

	if (m->recorded) {
		if (!matches(k, port, peer))
			invalid(k, "something else came back", port);
		m->recorded = false;
		k->c->dropped[sw] = 0;
		return;
	}
	if (new_switch(k, sw))
		invalid(k, "a switch came up with a link that its record does not have", port);
	else if (other == NO_ID ? new_host(k, peer) : new_switch(k, other))
		invalid(k, "something new came up", peer);
}

static void validate_links(struct ucast_cache_check *k)
{
	for (uint32_t s = 0; s < k->f->n_switches; s++) {
		uint32_t p0 = k->f->switch_port[s];

		for (unsigned p = 1; switch_up(k->s->now, s) && p <= k->f->switch_nports[s]; p++) {
			uint32_t port = p0 + p, peer = k->s->now->peer[port];

			if (peer == NO_ID)
				continue;
			if (ucast_cache_is_host(k, peer) && !k->c->leaf[s])
				k->c->leaf[s] = has_records(k, s);
			if (new_switch(k, s) || k->s->was->peer[port] == NO_ID ||
			    (k->s->flapped && k->s->flapped[k->f->port_link[port]]))
				validate_new_port(k, s, port, peer);
		}
	}
	for (uint32_t s = 0; s < k->f->n_switches; s++)
		k->c->leaf[s] &= has_records(k, s);
}

/* Is the switch with this GUID dropped, and a leaf? It may be in the fabric or have left it. */
static bool dropped_switch(const struct ucast_cache_check *k, uint64_t guid, bool *leaf)
{
	uint32_t node = fabric_node_by_guid(k->f, guid), sw = node == NO_ID ? NO_ID : k->f->node_switch[node];

	for (size_t i = 0; sw == NO_ID && i < k->c->n_ghosts; i++)
		if (k->c->ghost[i].guid == guid) {
			*leaf = k->c->ghost[i].leaf;
			return k->c->ghost[i].dropped;
		}
	*leaf = sw != NO_ID && k->c->leaf[sw];
	return sw != NO_ID && k->c->dropped[sw];
}

/* Checks links and switches that are still missing after validation. */
static void validate_missing(struct ucast_cache_check *k)
{
	for (size_t i = 0; i < k->c->n_ghosts; i++)
		if (k->c->ghost[i].dropped && !k->c->ghost[i].leaf && !k->why)
			k->why = str_dup("a switch without hosts is gone");
	for (uint32_t s = 0; s < k->f->n_switches; s++) {
		if (k->c->dropped[s]) {
			if (!k->c->leaf[s])
				invalid(k, "a switch without hosts is gone", k->f->switch_port[s]);
			continue;
		}
		FOR_PORTS(k->f, s, port) {
			bool leaf;

			if (!k->c->missing[port].recorded || k->c->missing[port].is_host)
				continue;
			if (!dropped_switch(k, k->c->missing[port].far, &leaf))
				invalid(k, "a link between switches is gone", port);
			else if (!leaf || k->c->leaf[s])
				invalid(k, "a switch is gone whose neighbour has hosts", port);
		}
	}
}

char *ucast_cache_check(struct ucast_cache *c, const struct cache_sweep *s)
{
	struct ucast_cache_check k = {.c = c, .s = s, .f = c->fabric};

	assert(s->now->fabric->n_ports == c->fabric->n_ports && s->tables);
	if (c->why)
		return str_dup(c->why);
	if (s->now->sm_endport != s->was->sm_endport)
		return str_dup("another subnet manager took over");
	/* Present distances decide which LIDs are known when a link is seen (engines/doc/minhop.md 9.4). */
	uint32_t from = s->now->endport_switch[s->now->sm_endport];
	k.dist = NEW_ARRAY(k.f->n_switches, uint16_t);
	memset(k.dist, 0xff, k.f->n_switches * sizeof(*k.dist));
	if (from != NO_ID)
		switch_distances(s->now, from, k.dist);
	for (uint32_t l = 0; l < k.f->n_links && !k.why; l++) {
		uint32_t p = k.f->link_port[2 * l];

		if (s->now->peer[p] != NO_ID && s->was->peer[p] == NO_ID)
			see_link(&k, p, k.f->link_port[2 * l + 1]);
	}
	for (uint32_t l = 0; l < k.f->n_links; l++) {
		uint32_t p = k.f->link_port[2 * l];

		if (s->was->peer[p] != NO_ID && s->now->peer[p] == NO_ID)
			lose_link(&k, p, k.f->link_port[2 * l + 1]);
	}
	for (uint32_t sw = 0; sw < k.f->n_switches; sw++)
		if (switch_up(s->was, sw) && !switch_up(s->now, sw))
			drop_switch(&k, sw);
	validate_links(&k);
	validate_missing(&k);
	free(k.dist);
	return k.why;
}

/* --- another fabric --------------------------------------------------------------------------------- */

/* Puts one switch's part where it belongs in d. */
static void place_switch(struct ucast_cache *d, const struct ghost *g)
{
	const struct fabric *f = d->fabric;
	uint32_t node = fabric_node_by_guid(f, g->guid), to = node == NO_ID ? NO_ID : f->node_switch[node];

	if (to == NO_ID) {
		add_ghost(d, g);
		return;
	}
	unsigned n = f->switch_nports[to] + 1u;
	memcpy(d->missing + f->switch_port[to], g->missing, (MIN(n, g->n_ports)) * sizeof(*g->missing));
	d->leaf[to] = g->leaf;
	d->dropped[to] = g->dropped;
	d->row[to] = row_ref(g->row);
}

struct ucast_cache *ucast_cache_on(const struct ucast_cache *c, const struct cache_sweep *s,
				   const struct fabric *to)
{
	struct ucast_cache *lost = ucast_cache_copy(c), *d = ucast_cache_new(to);
	const struct fabric *f = c->fabric;
	struct ucast_cache_check k = {.c = lost, .s = s, .f = f, .why = lost->why};

	assert(s->was->fabric->n_ports == c->fabric->n_ports && s->tables);
	/* what is lost because the fabric `to` does not have it */
	for (uint32_t l = 0; l < f->n_links; l++) {
		uint32_t p = f->link_port[2 * l];

		if (s->was->peer[p] != NO_ID && fabric_link_in(to, f, l) == NO_ID)
			lose_link(&k, p, f->link_port[2 * l + 1]);
	}
	for (uint32_t sw = 0; sw < f->n_switches; sw++)
		if (switch_up(s->was, sw) && fabric_switch_in(to, f, sw) == NO_ID)
			drop_switch(&k, sw);
	lost->why = NULL;
	d->why = k.why;
	for (uint32_t sw = 0; sw < f->n_switches; sw++)
		place_switch(d, &(struct ghost){.guid = f->node_guid[f->switch_node[sw]],
						.missing = lost->missing + f->switch_port[sw],
						.n_ports = f->switch_nports[sw] + 1u,
						.leaf = lost->leaf[sw],
						.dropped = lost->dropped[sw],
						.row = lost->row[sw]});
	for (size_t i = 0; i < lost->n_ghosts; i++)
		place_switch(d, &lost->ghost[i]);
	ucast_cache_free(lost);
	return d;
}

/* --- the tables that stay ------------------------------------------------------------------------------ */

/* A kept routing: its accessors use the computed one. */
struct ucast_cache_kept {
	struct routing_ops ops;
	const struct routing *of; /* reference held */
	uint8_t *lost; /* [n_switches] 1 = was away since then: the engine's own data about it is lost */
	/* of another fabric: the same switch and endport there, NO_ID; NULL: of the same fabric */
	uint32_t *sw_there, *ep_there;
};

static const struct routing *origin_of(const struct routing *r)
{
	const struct ucast_cache_kept *k = r->priv;

	return k->of;
}

static bool on_lost_switch(const struct routing *r, unsigned lid)
{
	const struct ucast_cache_kept *k = r->priv;
	uint32_t ep = lid_owner(r->lids, lid), sw = ep == NO_ID ? NO_ID : r->topo->endport_switch[ep];

	return sw != NO_ID && k->lost[sw];
}

/* If SLs are kept by switch (engines/doc/lash.md 11), they become 0 for switches that left and came back. */
static struct sl_range kept_sl(const struct routing *r, unsigned slid, unsigned dlid)
{
	if (origin_of(r)->ops->sl_by_switch && (on_lost_switch(r, slid) || on_lost_switch(r, dlid)))
		return (struct sl_range){0, 0};
	return routing_sl(origin_of(r), slid, dlid);
}

static uint32_t switch_there(const struct routing *r, uint32_t sw)
{
	const struct ucast_cache_kept *k = r->priv;

	return k->sw_there ? k->sw_there[sw] : sw;
}

static unsigned kept_vl(const struct routing *r, uint32_t sw, unsigned in, unsigned out, unsigned sl)
{
	uint32_t there = switch_there(r, sw);

	return there == NO_ID ? sl : routing_vl(origin_of(r), there, in, out, sl);
}

static unsigned kept_endport_vl(const struct routing *r, uint32_t endport, unsigned sl)
{
	const struct ucast_cache_kept *k = r->priv;
	uint32_t there = k->ep_there ? k->ep_there[endport] : endport;

	return there == NO_ID ? sl : origin_of(r)->ops->endport_vl(origin_of(r), there, sl);
}

static unsigned kept_hops(const struct routing *r, uint32_t s, uint32_t d, unsigned port)
{
	uint32_t from = switch_there(r, s), to = switch_there(r, d);

	return from == NO_ID || to == NO_ID ? NO_PATH : origin_of(r)->ops->hops(origin_of(r), from, to, port);
}

static uint32_t kept_rank(const struct routing *r, uint32_t sw)
{
	uint32_t there = switch_there(r, sw);

	return there == NO_ID ? NO_RANK : origin_of(r)->ops->rank(origin_of(r), there);
}

static bool kept_is_root(const struct routing *r, uint32_t sw)
{
	uint32_t there = switch_there(r, sw);

	return there != NO_ID && origin_of(r)->ops->is_root(origin_of(r), there);
}

static char kept_direction(const struct routing *r, uint32_t sw, unsigned port)
{
	uint32_t there = switch_there(r, sw);

	return there == NO_ID ? ' ' : origin_of(r)->ops->direction(origin_of(r), there, port);
}

static unsigned kept_n_layers(const struct routing *r)
{
	return origin_of(r)->ops->n_layers(origin_of(r));
}

static uint32_t *kept_order(const struct routing *r, uint32_t *n)
{
	return origin_of(r)->ops->order(origin_of(r), n);
}

static int kept_write_extra(const struct routing *r, const char *what, FILE *f)
{
	return origin_of(r)->ops->write_extra(origin_of(r), what, f);
}

static void kept_free(void *priv)
{
	struct ucast_cache_kept *k = priv;

	routing_unref(k->of);
	arena_free(k);
}

static struct ucast_cache_kept *kept_new(const struct routing *of)
{
	const struct routing_ops *o = of->ops;
	struct ucast_cache_kept *k = ARENA_NEW(NULL, struct ucast_cache_kept);

	k->of = routing_ref(of);
	k->ops = (struct routing_ops){
		.sl = o->sl ? kept_sl : NULL,
		.sl_by_switch = o->sl_by_switch,
		.sl_by_source = o->sl_by_source,
		.vl = o->vl ? kept_vl : NULL,
		.endport_vl = o->endport_vl ? kept_endport_vl : NULL,
		.hops = o->hops ? kept_hops : NULL,
		.rank = o->rank ? kept_rank : NULL,
		.is_root = o->is_root ? kept_is_root : NULL,
		.direction = o->direction ? kept_direction : NULL,
		.n_layers = o->n_layers ? kept_n_layers : NULL,
		.order = o->order ? kept_order : NULL,
		.extras = o->extras,
		.write_extra = o->write_extra ? kept_write_extra : NULL,
		.free_priv = kept_free,
	};
	return k;
}

static bool is_kept(const struct routing *r)
{
	return r->ops->free_priv == kept_free;
}

const struct routing *routing_origin(const struct routing *r)
{
	const struct ucast_cache_kept *k = r && is_kept(r) ? r->priv : NULL;

	return k && !k->sw_there ? k->of : r;
}

const struct routing *routing_computed(const struct routing *r)
{
	while (r && is_kept(r))
		r = origin_of(r);
	return r;
}

struct routing *routing_on(const struct routing *r, const struct topo *t, const struct lids *l)
{
	const struct fabric *from = r->topo->fabric, *to = t->fabric;
	const struct ucast_cache_kept *before = is_kept(r) ? r->priv : NULL;
	struct routing *n = routing_new(r->engine, t, l);
	struct ucast_cache_kept *k = kept_new(r);

	k->ops.order = NULL;
	k->ops.extras = NULL;
	k->ops.write_extra = NULL;
	n->ops = &k->ops;
	n->priv = k;
	k->lost = ARENA_ARRAY(k, to->n_switches + 1, uint8_t);
	k->sw_there = ARENA_ARRAY(k, to->n_switches + 1, uint32_t);
	k->ep_there = ARENA_ARRAY(k, to->n_endports + 1, uint32_t);
	for (uint32_t sw = 0; sw < to->n_switches; sw++) {
		uint32_t was = fabric_switch_in(from, to, sw);

		k->sw_there[sw] = was;
		k->lost[sw] = was == NO_ID || (before && before->lost[was]);
		if (was != NO_ID)
			n->row[sw] = row_ref(r->row[was]);
	}
	for (uint32_t ep = 0; ep < to->n_endports; ep++)
		k->ep_there[ep] = fabric_endport_in(from, to, ep);
	return n;
}

struct routing *ucast_cache_routing(const struct ucast_cache *c, const struct cache_sweep *s)
{
	struct routing *r = routing_new(s->tables->engine, s->now, s->lids);
	const struct ucast_cache_kept *before = is_kept(s->tables) ? s->tables->priv : NULL;
	struct ucast_cache_kept *k = kept_new(routing_origin(s->tables));

	assert(s->now->fabric->n_ports == c->fabric->n_ports);
	r->ops = &k->ops;
	r->priv = k;
	/* away now, or when the tables were kept before */
	k->lost = ARENA_ARRAY(k, c->fabric->n_switches, uint8_t);
	for (uint32_t sw = 0; sw < c->fabric->n_switches; sw++)
		k->lost[sw] = !switch_up(s->now, sw) || (before && before->lost[sw]);
	for (uint32_t sw = 0; sw < c->fabric->n_switches; sw++) {
		if (!switch_up(s->now, sw))
			continue;
		routing_share_row(r, s->tables, sw);
		if (!r->row[sw])
			r->row[sw] = row_ref(c->row[sw]);
	}
	return r;
}
