/*
 * What broke: a switch, host or cable that is gone, a switch that does not answer, wrong entries of one
 * switch. Each lost pair and each dead entry (causes.h) stands under one of them, as a number.
 *
 * What was at a port where nothing is now, the first of these that knows it:
 *   the file of an earlier check;
 *   the tables held: the LID of a device that the fabric lacks, to which this port leads;
 *   the tables held: another such port, when the two lead to each other.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/compare/causes.h"
#include "core/analysis/compare/judged.h"
#include "core/analysis/doctor/internal.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/text.h"
#include "core/routing/paths.h"
#include "core/routing/routing.h"

struct broken {
	const char *kind;	/* the rule that tells it */
	uint64_t key[2];	/* tells it from others of its kind */
	const char *why;	/* static; NULL: the kind says it */
	const char *name;	/* of what is gone, or has wrong entries; in the arena */
	uint32_t node;		/* the place in the fabric, NO_ID: none */
	uint32_t port;		/* the first port where it is missed; NO_ID: none */
	uint32_t far;		/* the other end of a cable; NO_ID: not known */
	uint32_t cables, hosts; /* cables that led to it; hosts that are gone with it */
	uint64_t pairs, entries;
	uint32_t lids, owners;	   /* LIDs concerned; hosts that have them */
	bool counted;		   /* the earlier check told its cables */
	bool down;		   /* it is in the fabric, and down */
	uint32_t src, lid, to_lid; /* a lost way: its switch (NO_ID: none), its LID; the last LID counted */
};

/* An end of a cable in the file of an earlier check, and the end at the other side. */
struct past_end {
	uint64_t guid, peer;
	unsigned port, peer_port;
};

/* What a port led to. */
struct past_peer {
	uint64_t key;	  /* of a device that is gone: its GUID, or its LID */
	uint32_t port;	  /* in the fabric: then the cable is gone; else NO_ID */
	const char *name; /* of the device that is gone; NULL: not known */
	bool is_switch;
};

struct dead_port {
	uint32_t port, mate; /* mate: the other end of its cable by the tables; NO_ID: not known */
	struct past_peer at; /* the device that is gone, by the tables */
	enum { PEER_UNKNOWN, PEER_BY_LID, PEER_BESIDE } known; /* beside: as of another cable of the switch */
};

struct brokens {
	struct doctor *d;
	struct broken *b;
	size_t n, cap;
	struct broken_way {
		uint32_t sw, lid; /* sw NO_ID: none */
	} * way;		  /* by cause made: the first lost way */
	size_t n_ways;
	struct past_end *past; /* [n_past] by GUID and port */
	size_t n_past;
	const struct switch_tables *read; /* NULL: tables are computed */
	struct dead_port *dead;		  /* [n_dead] ports where nothing is, and tables lead */
	uint32_t n_dead;
	uint32_t *direct; /* [MAX_LID + 1] of LIDs that no port has: 1 + switches with such a port to it */
	uint16_t *hops;	  /* [n_switches] to the owner of hops_of */
	uint32_t hops_of, *mark, stamp;
	uint64_t untold, cut_off; /* pairs */
	uint32_t all_idle;	  /* cables that are up, when none of them carries data; else 0 */
};

COMPARATOR(by_end, struct past_end, UP(guid) UP(port))
COMPARATOR(broken_order, struct broken,
	   DOWN(pairs) DOWN(entries) DOWN(cables) UP(node) UP(port) UP(key[0]) UP(key[1]))

static struct broken *broken_get(struct brokens *s, const char *kind, uint64_t key, uint64_t key2)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->b[i].kind, kind) && s->b[i].key[0] == key && s->b[i].key[1] == key2)
			return &s->b[i];
	ARENA_GROW(s->d->arena, s->b, s->n, s->cap);
	s->b[s->n] = (struct broken){
		.kind = kind, .key = {key, key2}, .node = NO_ID, .port = NO_ID, .far = NO_ID, .src = NO_ID};
	return &s->b[s->n++];
}

static void broken_at(const struct brokens *s, struct broken *b, uint32_t port)
{
	if (b->port != NO_ID)
		return;
	b->port = port;
	b->node = s->d->f->port_node[port];
}

/* --- what was at a port ------------------------------------------------------------------------------ */

/* The name that a device had at the earlier check; NULL: it had none. */
static const char *past_name(const struct brokens *s, uint64_t guid, bool *is_switch)
{
	return json_string_value(json_object_get(present_node(s->d->rq->present, guid, is_switch), "name"));
}

static void past_read(struct brokens *s, const json_t *present)
{
	const json_t *cables = json_object_get(present, "cables");

	s->past = ARENA_ARRAY(s->d->arena, 2 * json_array_size(cables) + 1, struct past_end);
	for (size_t i = 0; i < json_array_size(cables); i++) {
		uint64_t guid[2];
		unsigned port[2];

		if (!present_cable(json_array_get(cables, i), guid, port))
			continue;
		for (int k = 0; k < 2; k++)
			s->past[s->n_past++] = (struct past_end){guid[k], guid[!k], port[k], port[!k]};
	}
	if (s->n_past)
		qsort(s->past, s->n_past, sizeof(*s->past), by_end);
}

static uint8_t table_entry(const struct brokens *s, uint32_t sw, unsigned lid)
{
	return s->read && s->read->lft[sw] && lid <= s->read->top[sw] ? s->read->lft[sw][lid] : NO_PATH;
}

static bool leads(const struct brokens *s, uint32_t port, unsigned lid)
{
	return table_entry(s, port_switch(s->d->f, port), lid) == s->d->f->port_num[port];
}

static bool lid_is_gone(const struct brokens *s, unsigned lid)
{
	uint32_t owner = lid_owner(s->d->r->lids, lid);

	return owner == NO_ID || !s->d->t->endport_up[owner];
}

static const struct table_stranger *stranger_of(const struct brokens *s, unsigned lid)
{
	for (uint32_t i = 0; s->read && i < s->read->n_strangers; i++)
		if (s->read->stranger[i].lid == lid)
			return &s->read->stranger[i];
	return NULL;
}

/* Who has a LID that no port has now: as the tables name it, or a device of the fabric that is not reached.
 */
static struct past_peer gone_device(const struct brokens *s, unsigned lid)
{
	const struct fabric *f = s->d->f;
	const struct table_stranger *named = stranger_of(s, lid);
	uint32_t owner = lid_owner(s->d->r->lids, lid);
	char word[40];

	if (!named && owner != NO_ID)
		return (struct past_peer){f->node_guid[endport_node(f, owner)], NO_ID,
					  f->node_name[endport_node(f, owner)], endport_is_switch(f, owner)};
	bool is_switch = named ? named->is_switch : s->direct[lid] > 2;
	snprintf(word, sizeof(word), "the %s with LID %u", is_switch ? "switch" : "device", lid);
	return (struct past_peer){named ? named->guid : lid, NO_ID,
				  named && named->name ? named->name : arena_str(s->d->arena, word),
				  is_switch};
}

/* The device that is gone to whose LID a port leads.  False: none, or it is not clear. */
static bool peer_by_lid(const struct brokens *s, uint32_t port, struct past_peer *x)
{
	unsigned best = 0, top = switch_tables_top(s->read);
	bool others = false;

	for (unsigned lid = 1; lid <= top; lid++) {
		bool here = leads(s, port, lid);

		others |= here && !s->direct[lid];
		if (!here || !s->direct[lid])
			continue;
		struct past_peer peer = gone_device(s, lid);
		if (best && (peer.is_switch < x->is_switch ||
			     (peer.is_switch == x->is_switch && s->direct[lid] <= s->direct[best])))
			continue;
		best = lid;
		*x = peer;
	}
	return best && (!others || x->is_switch);
}

/* Do two ports lead to each other's switch, or (hosts) to a host there?  Both to one LID: no. */
static bool ports_lead_back(const struct brokens *s, uint32_t a, uint32_t b, bool hosts)
{
	const struct fabric *f = s->d->f;
	const struct lids *l = s->d->r->lids;
	uint32_t sw_a = port_switch(f, a), sw_b = port_switch(f, b);
	bool found = leads(s, a, l->base[f->port_endport[f->switch_port[sw_b]]]) &&
		     leads(s, b, l->base[f->port_endport[f->switch_port[sw_a]]]);

	if (sw_a == sw_b || (!found && !hosts))
		return false;
	for (unsigned lid = 1; lid <= l->max_lid; lid++) {
		bool by_a = leads(s, a, lid), by_b = leads(s, b, lid);
		uint32_t owner = by_a || by_b ? lid_owner(l, lid) : NO_ID;

		if (by_a && by_b)
			return false;
		found |= owner != NO_ID && s->d->t->endport_switch[owner] == (by_a ? sw_b : sw_a);
	}
	return found;
}

#define MATED_MOST 256 /* ports; where more are without a peer, cables are not looked for */

/* Can two ports be the ends of one cable?  Not when cables beside both lead to one switch that is gone. */
static bool may_be_mates(const struct dead_port *a, const struct dead_port *b)
{
	bool beside = a->known == PEER_BESIDE && b->known == PEER_BESIDE && a->at.key == b->at.key;

	return a->mate == NO_ID && b->mate == NO_ID && a->known != PEER_BY_LID && b->known != PEER_BY_LID &&
	       !beside;
}

/* Joins ports that lead to each other: the surest first.  Where several switches are possible: none. */
static void find_mates(struct brokens *s)
{
	const struct fabric *f = s->d->f;

	for (int hosts = 0; hosts < 2 && s->n_dead <= MATED_MOST; hosts++)
		for (struct dead_port *a = s->dead; a < s->dead + s->n_dead; a++) {
			struct dead_port *found = NULL;
			bool several = false;

			for (struct dead_port *b = s->dead; b < s->dead + s->n_dead && !several; b++) {
				if (!may_be_mates(a, b) || !ports_lead_back(s, a->port, b->port, hosts))
					continue;
				several = found && port_switch(f, found->port) != port_switch(f, b->port);
				found = found ? found : b;
			}
			if (several || !found)
				continue;
			a->mate = found->port;
			found->mate = a->port;
		}
}

/* Finds devices that are gone by their LIDs; another cable without a peer on such a switch led there, too. */
static void find_gone_peers(struct brokens *s)
{
	const struct fabric *f = s->d->f;
	struct dead_port *end = s->dead + s->n_dead;

	for (struct dead_port *a = s->dead; a < end; a++)
		if (s->read && peer_by_lid(s, a->port, &a->at))
			a->known = PEER_BY_LID;
	for (struct dead_port *a = s->dead; a < end; a++) {
		const struct dead_port *beside = NULL;
		bool several = a->known != PEER_UNKNOWN;

		for (const struct dead_port *b = s->dead; b < end && !several; b++) {
			if (b->known != PEER_BY_LID || !b->at.is_switch ||
			    port_switch(f, a->port) != port_switch(f, b->port))
				continue;
			several = beside && beside->at.key != b->at.key;
			beside = b;
		}
		if (several || !beside)
			continue;
		a->at = beside->at;
		a->known = PEER_BESIDE;
	}
}

static bool broken_is_here(const struct brokens *s, uint32_t node)
{
	const struct fabric *f = s->d->f;

	for (uint32_t p = f->node_port[node]; p <= f->node_port[node] + f->node_nports[node]; p++)
		if (state_live_peer(f, s->d->w->setup->state, p) != NO_ID)
			return true;
	return false;
}

/* What a document knows. */
static bool peer_by_past(const struct brokens *s, uint32_t port, struct past_peer *x)
{
	const struct fabric *f = s->d->f;
	const struct past_end key = {.guid = f->node_guid[f->port_node[port]], .port = f->port_num[port]};
	const struct past_end *e = s->n_past ? bsearch(&key, s->past, s->n_past, sizeof(key), by_end) : NULL;
	uint32_t node = e ? fabric_node_by_guid(f, e->peer) : NO_ID;

	if (!e)
		return false;
	*x = (struct past_peer){.key = e->peer, .port = NO_ID};
	x->name = past_name(s, e->peer, &x->is_switch);
	if (node != NO_ID && broken_is_here(s, node) && e->peer_port <= f->node_nports[node])
		x->port = f->node_port[node] + e->peer_port;
	return true;
}

/* --- causes, by what broke --------------------------------------------------------------------------- */

static struct broken *broken_cable(struct brokens *s, const char *kind, uint32_t a, uint32_t b)
{
	struct broken *x = broken_get(s, kind, MIN(a, b), b == NO_ID ? NO_ID : MAX(a, b));

	if (x->port == NO_ID)
		x->far = b;
	broken_at(s, x, a);
	return x;
}

static struct broken *broken_gone(struct brokens *s, const struct past_peer *x, const char *kind)
{
	struct broken *b = broken_get(s, kind, x->key, 0);

	b->name = x->name ? x->name : b->name;
	return b;
}

/* A port where nothing is, or what is there did not answer. */
static struct broken *broken_at_port(struct brokens *s, uint32_t port)
{
	bool silent = fabric_port_open(s->d->f, port);
	const struct dead_port *dead = s->dead;
	struct past_peer x;
	struct broken *b;

	while (dead->port != port)
		dead++;
	bool past = peer_by_past(s, port, &x), gone = !past && dead->known && dead->mate == NO_ID;
	if (gone)
		x = dead->at;
	else if (!past)
		x = (struct past_peer){.key = port, .port = NO_ID, .is_switch = true};
	if (!past && !gone && !silent)
		b = broken_cable(s, "cable-gone", port, dead->mate);
	else if (x.port != NO_ID)
		b = broken_cable(s, "cable-gone", port, x.port);
	else
		b = broken_gone(s, &x, silent ? "silent-switch" : x.is_switch ? "switch-gone" : "host-gone");
	b->cables += !b->counted;
	broken_at(s, b, port);
	return b;
}

/* Of a switch none of whose cables carries data: their number.  0: some do, or there is one cable only. */
static uint32_t idle_cables(const struct brokens *s, uint32_t node)
{
	const struct fabric *f = s->d->f;
	uint32_t n = 0;

	for (unsigned k = 1; node_is_switch(f, node) && k <= f->node_nports[node]; k++) {
		uint32_t port = f->node_port[node] + k;

		if (s->d->t->peer[port] == NO_ID)
			continue;
		if (fabric_idle_end(f, port) == NO_ID)
			return 0;
		n++;
	}
	return n > 1 ? n : 0;
}

/*
 * A cable that carries no data, as an end of it is in Initialize or Armed; or a switch with such cables only,
 * or all cables of the fabric.
 */
static struct broken *broken_idle(struct brokens *s, uint32_t link)
{
	const struct fabric *f = s->d->f;
	const uint32_t *end = &f->link_port[2 * link];
	uint32_t node = NO_ID, n = s->all_idle;

	for (int i = 0; i < 2 && !n; i++) {
		node = f->port_node[end[i]];
		n = idle_cables(s, node);
	}
	struct broken *b = broken_get(s, "not-active", n ? NO_ID : link, node);
	if (!n) {
		broken_at(s, b, fabric_idle_end(f, end[0]));
		return b;
	}
	b->name = node == NO_ID ? "the whole fabric" : f->node_name[node];
	b->node = node;
	b->far = end[0];
	b->cables = n;
	return b;
}

static bool is_bare_port(const struct cause *c)
{
	return (c->kind == CAUSE_PORT && c->port && c->peer == NO_ID) ||
	       (c->kind == CAUSE_TABLES && c->key > 1);
}

static struct broken *broken_of_cause(struct brokens *s, const struct cause *c)
{
	const struct fabric *f = s->d->f;
	uint32_t port = c->node == NO_ID ? NO_ID : f->node_port[c->node] + c->port;
	bool down = c->node != NO_ID && s->d->w->setup->state->node_down[c->node];
	bool idle = port != NO_ID && s->d->r->topo->data && f->port_link[port] != NO_ID &&
		    fabric_idle_end(f, port) != NO_ID;
	struct broken *b;

	if (s->d->strange && !idle)
		return NULL;
	if (is_bare_port(c))
		return broken_at_port(s, port);
	if ((c->kind == CAUSE_SWITCH || c->kind == CAUSE_HOST) && down) {
		b = broken_get(s, c->kind == CAUSE_SWITCH ? "switch-gone" : "host-gone",
			       f->node_guid[c->node], 0);
		b->node = c->node;
		b->name = f->node_name[c->node];
		b->down = true;
		return b;
	}
	if ((c->kind == CAUSE_CABLE || c->kind == CAUSE_HOST) && idle)
		return broken_idle(s, f->port_link[port]);
	if (c->kind == CAUSE_CABLE && c->key < f->n_links) {
		b = broken_cable(s, "cable-gone", port, c->peer);
		b->down = true;
		return b;
	}
	bool no_lid = port != NO_ID && f->port_endport[port] != NO_ID &&
		      !s->d->r->lids->base[f->port_endport[port]];
	if (c->kind == CAUSE_HOST && no_lid) /* find_unreachable() tells all of them in one line */
		return NULL;
	if (c->kind == CAUSE_CABLE || c->kind == CAUSE_TABLES || c->kind == CAUSE_LOOP ||
	    c->kind == CAUSE_REFUSAL)
		return NULL;
	b = broken_get(s, "unreachable", (uint64_t)c->kind << 32 | c->node, (uint64_t)(uintptr_t)c->why);
	b->why = c->why;
	b->name = arena_str(s->d->arena, c->what);
	b->node = c->node;
	return b;
}

/* The switch on a circle whose entry leads away from the destination most. */
static uint32_t wrong_on_circle(struct brokens *s, uint32_t at, unsigned lid)
{
	const struct topo *t = s->d->t;
	uint32_t owner = lid_owner(s->d->r->lids, lid), sw = at, worst = at;
	int most = -1;

	if (s->hops_of != owner)
		switch_distances(t, t->endport_switch[owner], s->hops);
	s->hops_of = owner;
	for (s->stamp++; s->mark[sw] != s->stamp;) {
		unsigned out = routing_port(s->d->r, sw, lid);
		uint32_t next = out && out <= t->fabric->switch_nports[sw]
					? t->peer_switch[t->fabric->switch_port[sw] + out]
					: NO_ID;

		s->mark[sw] = s->stamp;
		if (next == NO_ID)
			return worst;
		int away = (int)s->hops[next] - (int)s->hops[sw] + 1;
		if (away > most) {
			most = away;
			worst = sw;
		}
		sw = next;
	}
	return worst;
}

static void broken_add_way(void *ctx, const struct lost_way *x)
{
	struct brokens *s = ctx;

	while (s->n_ways <= x->cause) {
		size_t more = s->n_ways ? 2 * s->n_ways : 64;

		s->way = arena_resize(s->d->arena, s->way, more, sizeof(*s->way));
		memset(s->way + s->n_ways, 0xff, (more - s->n_ways) * sizeof(*s->way));
		s->n_ways = more;
	}
	if (s->way[x->cause].sw == NO_ID && x->pairs)
		s->way[x->cause] = (struct broken_way){x->sw, x->lid};
	if (!x->loops)
		return;
	uint32_t sw = wrong_on_circle(s, x->at, x->lid);
	struct broken *b = broken_get(s, "forwarding-loop", sw, 0);
	b->node = s->d->f->switch_node[sw];
	b->name = switch_name(s->d->f, sw);
	b->pairs += x->pairs;
	b->lids += b->to_lid != x->lid;
	b->to_lid = x->lid;
	if (b->src != NO_ID || !x->pairs)
		return;
	b->src = x->sw;
	b->lid = x->lid;
}

/* What the earlier check had and is gone, whether or not tables lead there. */
static void add_vanished(struct brokens *s, const struct faults *lost)
{
	const struct fabric *f = s->d->f;

	for (size_t i = 0; i < lost->n; i++) {
		const struct fault *x = &lost->f[i];
		struct past_peer gone = {.key = x->from, .is_switch = x->kind == FAULT_SWITCH_GONE};
		const struct past_end key = {.guid = x->from};
		const struct past_end *e = s->past;

		if (x->kind == FAULT_CABLE_GONE) {
			uint32_t a = fabric_node_by_guid(f, x->from), b = fabric_node_by_guid(f, x->to);

			broken_cable(s, "cable-gone", f->node_port[a] + x->port, f->node_port[b] + x->offset);
			continue;
		}
		if (x->kind != FAULT_SWITCH_GONE && x->kind != FAULT_HOST_GONE)
			continue;
		while (e < s->past + s->n_past && by_end(e, &key) < 0)
			e++;
		uint32_t peer = e < s->past + s->n_past ? fabric_node_by_guid(f, e->peer) : NO_ID;
		bool peer_here = peer != NO_ID && broken_is_here(s, peer);
		gone.name = past_name(s, x->from, &gone.is_switch);
		if (x->kind == FAULT_HOST_GONE && e < s->past + s->n_past && !peer_here) {
			struct past_peer with = {.key = e->peer, .name = past_name(s, e->peer, NULL)};

			broken_gone(s, &with, "switch-gone")->hosts++;
			continue;
		}
		struct broken *b =
			broken_gone(s, &gone, x->kind == FAULT_SWITCH_GONE ? "switch-gone" : "host-gone");
		b->counted = true;
		for (; e < s->past + s->n_past && e->guid == x->from; e++) {
			uint32_t node = fabric_node_by_guid(f, e->peer);

			b->cables++;
			if (node != NO_ID && e->peer_port <= f->node_nports[node])
				broken_at(s, b, f->node_port[node] + e->peer_port);
		}
	}
}

static void count_gone_lids(struct brokens *s)
{
	unsigned top = s->read ? switch_tables_top(s->read) : 0;

	s->direct = ARENA_ARRAY(s->d->arena, MAX_LID + 1u, uint32_t);
	for (unsigned lid = 1; lid <= top; lid++) {
		s->direct[lid] = lid_is_gone(s, lid);
		for (uint32_t i = 0; s->direct[lid] && i < s->n_dead; i++)
			s->direct[lid] += leads(s, s->dead[i].port, lid);
	}
}

/* The cables that are up, when none of them carries data; else 0. */
static uint32_t count_all_idle(const struct doctor *d)
{
	uint32_t n = 0;

	for (uint32_t l = 0; l < d->f->n_links; l++) {
		uint32_t end = d->f->link_port[2 * l];

		if (d->t->peer[end] == NO_ID)
			continue;
		if (!d->w->as_read || fabric_idle_end(d->f, end) == NO_ID)
			return 0;
		n++;
	}
	return n;
}

/* All of it, found once.  NULL and *d->e: cancelled. */
static struct brokens *brokens_of(struct doctor *d)
{
	struct brokens *s = d->broken ? d->broken : ARENA_NEW(d->arena, struct brokens);
	const struct ways_listener to = {.ctx = s, .lost = broken_add_way};
	const struct drift *drift = d->drift && d->drift->held->fabric == d->f ? d->drift : NULL;
	const struct causes_request rq = {
		.w = drift ? drift->held : d->w, .known = &d->check, .d = drift, .lost = &to};

	if (d->broken)
		return s;
	d->broken = s;
	s->d = d;
	s->read = sweep_held_tables(d->w);
	s->hops = ARENA_ARRAY(d->arena, d->f->n_switches + 1u, uint16_t);
	s->mark = ARENA_ARRAY(d->arena, d->f->n_switches + 1u, uint32_t);
	s->hops_of = NO_ID;
	past_read(s, d->rq->present);
	add_vanished(s, &d->out->lost);
	s->all_idle = count_all_idle(d);
	for (uint32_t l = 0; d->w->as_read && topo_idle(d->t, NULL) && l < d->f->n_links; l++) {
		uint32_t end = d->f->link_port[2 * l];

		if (d->t->peer[end] != NO_ID && fabric_idle_end(d->f, end) != NO_ID)
			broken_idle(s, l);
	}
	if (!d->r)
		return s;
	struct causes *c = causes_find(&rq, d->p, d->e);
	if (!c)
		return NULL;
	s->dead = ARENA_ARRAY(d->arena, c->n + 1, struct dead_port);
	for (size_t i = 0; i < c->n; i++)
		if (is_bare_port(&c->c[i]))
			s->dead[s->n_dead++] = (struct dead_port){
				.port = d->f->node_port[c->c[i].node] + c->c[i].port, .mate = NO_ID};
	count_gone_lids(s);
	find_gone_peers(s);
	find_mates(s);
	for (size_t i = 0; i < c->n; i++) {
		const struct cause *x = &c->c[i];
		struct broken *b = broken_of_cause(s, x);

		if (!b)
			continue;
		b->pairs += x->pairs;
		b->entries += x->entries;
		b->lids += x->lids;
		b->owners += x->hosts;
		if (b->src != NO_ID || x->made >= s->n_ways)
			continue;
		b->src = s->way[x->made].sw;
		b->lid = s->way[x->made].lid;
	}
	s->untold = c->untold;
	arena_free(c);
	if (s->n)
		qsort(s->b, s->n, sizeof(*s->b), broken_order);
	return progress_cancelled(d->p) ? NULL : s;
}

int pairs_untold(struct doctor *d, uint64_t *pairs)
{
	struct brokens *s = d->r && d->check.unreachable ? brokens_of(d) : NULL;

	*pairs = s ? s->untold : 0;
	return d->r && d->check.unreachable && !s ? -1 : 0;
}

/* --- in words ---------------------------------------------------------------------------------------- */

/* A host on a switch that the LID is not of. */
static uint32_t broken_source(const struct doctor *d, uint32_t sw, unsigned lid)
{
	uint32_t owner = lid_owner(d->r->lids, lid);

	for (uint32_t ep = 0; ep < d->f->n_endports; ep++)
		if (ep != owner && d->t->endport_switch[ep] == sw && routing_has_host(d->r, ep) &&
		    d->r->lids->base[ep])
			return ep;
	return NO_ID;
}

/* The way of one of the lost pairs, or `other`. */
static void broken_more(const struct doctor *d, struct finding *x, const struct broken *b, const char *other)
{
	uint32_t src = b->src == NO_ID ? NO_ID : broken_source(d, b->src, b->lid);
	AUTO_TEXT struct text line = {0};
	char label[300];

	text_add(&line, "%s", src == NO_ID ? other : "trace");
	if (src != NO_ID) {
		uint32_t owner = lid_owner(d->r->lids, b->lid);

		word_append(&line, endport_label(d->f, src, label, sizeof(label)));
		if (b->lid == d->r->lids->base[owner])
			endport_label(d->f, owner, label, sizeof(label));
		else
			snprintf(label, sizeof(label), "%u",
				 b->lid); /* of the port's LIDs this one is lost */
		word_append(&line, label);
	}
	finding_more(x, "%s", text_str(&line));
}

/* "; 896 pairs of hosts have no path, 224 entries lead there" */
static void broken_tell_costs(const struct broken *b, struct text *t)
{
	bool there = strcmp(b->kind, "unreachable") != 0;

	if (b->pairs && !strcmp(b->kind, "silent-switch"))
		text_add(t, "; of %s of hosts it cannot be told whether they have a path",
			 PLURAL(b->pairs, "pair"));
	else if (b->pairs)
		text_add(t, "; %s of hosts %s no path", PLURAL(b->pairs, "pair"),
			 b->pairs == 1 ? "has" : "have");
	if (b->entries && there)
		text_add(t, "%s %s %s there", b->pairs ? "," : ";", PLURAL(b->entries, "entry"),
			 b->entries == 1 ? "leads" : "lead");
	else if (b->entries)
		text_add(t, "%s %s", b->pairs ? "," : ";", PLURAL(b->entries, "entry"));
}

/* What is gone, and where it was. */
static void broken_tell_gone(const struct doctor *d, const struct broken *b, struct text *t)
{
	const char *is = b->down ? "down" : "gone";

	if (!strcmp(b->kind, "silent-switch"))
		text_add(t, "%s does not answer: %s to it", b->name ? b->name : "What is at the port",
			 PLURAL(b->cables, "cable"));
	else if (!strcmp(b->kind, "cable-gone") && b->far == NO_ID)
		text_add(t, "Nothing is at %s", PORT_LABEL(d->f, b->port));
	else if (!strcmp(b->kind, "cable-gone"))
		text_add(t, "Cable %s to %s is %s", PORT_LABEL(d->f, b->port), PORT_LABEL(d->f, b->far), is);
	else
		text_add(t, "%s is %s", b->name ? b->name : "A device", is);
	if (!strcmp(b->kind, "switch-gone") && b->cables)
		text_add(t, ": %s", PLURAL(b->cables, "cable"));
	if (!strcmp(b->kind, "switch-gone") && b->hosts)
		text_add(t, "%s%s", b->cables ? ", " : ": ", PLURAL(b->hosts, "host"));
	if ((!strcmp(b->kind, "host-gone") || !b->name) && !b->down && b->far == NO_ID && b->port != NO_ID &&
	    strcmp(b->kind, "cable-gone") != 0)
		text_add(t, ", last seen at %s", PORT_LABEL(d->f, b->port));
}

static struct finding *broken_tell(struct doctor *d, const struct rule *r, const struct broken *b)
{
	AUTO_TEXT struct text what = {0}, costs = {0};
	struct finding *x;

	broken_tell_costs(b, &costs);
	if (!strcmp(b->kind, "not-active") && b->name) {
		const char *state = fabric_port_state(d->f, fabric_idle_end(d->f, b->far));

		x = tell(d, r, "check",
			 "%s: all of its %u cables are in %s: no subnet manager has activated them; %s of "
			 "hosts "
			 "cross it in vain.",
			 b->name, b->cables, state, PLURAL(b->pairs, "pair"));
		finding_brief(x, "%s: all %u cables are in %s", b->name, b->cables, state);
	} else if (!strcmp(b->kind, "not-active")) {
		uint32_t peer = d->f->port_peer[b->port];

		x = tell(d, r, "check",
			 "Port %s is in %s: no subnet manager has activated it; %s of hosts cross its cable "
			 "to %s in vain.",
			 PORT_LABEL(d->f, b->port), fabric_port_state(d->f, b->port),
			 PLURAL(b->pairs, "pair"), PORT_LABEL(d->f, peer));
		finding_brief(x, "%s to %s is in %s", PORT_LABEL(d->f, b->port), PORT_LABEL(d->f, peer),
			      fabric_port_state(d->f, b->port));
	} else if (!strcmp(b->kind, "forwarding-loop")) {
		x = tell(d, r, NULL, "%s loops packets to %s (one: LID %u)%s.", b->name,
			 PLURAL(b->lids, "LID"), b->to_lid, text_str(&costs));
		finding_brief(x, "%s loops packets to %s", b->name, PLURAL(b->lids, "LID"));
		broken_more(d, x, b, "check");
	} else if (!strcmp(b->kind, "unreachable")) {
		x = tell(d, r, NULL, "%s: %s%s.", b->name, b->why, text_str(&costs));
		x->shared_lid = b->why == cause_shared_lid;
		if (x->shared_lid) /* the name says it: "LID 7 of A and B" */
			finding_brief(x, "%s", b->name);
		else
			finding_brief(x, "%s: %s", b->name, b->why);
		broken_more(d, x, b, "check");
	} else {
		broken_tell_gone(d, b, &what);
		x = tell(d, r, "check", "%s%s.", text_str(&what), text_str(&costs));
		finding_brief(x, "%s", text_str(&what));
	}
	x->pairs = b->pairs;
	x->count = MAX(b->pairs, 1);
	x->other = b->far == NO_ID || b->name ? NO_ID : d->f->port_node[b->far];
	x->node = b->node;
	if (b->port != NO_ID)
		finding_at(d, x, b->port);
	return x;
}

/* Is there something to tell of it? */
static bool broken_matters(const struct broken *b)
{
	bool gone = words_have("silent-switch switch-gone host-gone not-active", b->kind);
	bool absent = !strcmp(b->kind, "unreachable") && b->key[0] >> 32 != CAUSE_PORT;

	return b->pairs || gone || b->far != NO_ID || (b->owners && !absent);
}

int find_broken(struct doctor *d, const struct rule *r)
{
	uint64_t rest = 0, pairs = 0, n = 0;

	if (need_drift(d))
		return -1;
	struct brokens *s = brokens_of(d);
	if (!s)
		return -1;
	for (size_t i = 0; i < s->n; i++) {
		const struct broken *b = &s->b[i];

		if (strcmp(b->kind, r->kind) != 0 || !broken_matters(b))
			continue;
		if (n++ < MOST_PLACES) {
			broken_tell(d, r, b)->broke = true;
			continue;
		}
		rest++;
		pairs += b->pairs;
	}
	if (!rest)
		return 0;
	struct finding *x = tell(d, r, "check", "%" PRIu64 " more of this kind; %s of hosts.", rest,
				 PLURAL(pairs, "pair"));
	x->count = rest;
	x->pairs = pairs;
	return 0;
}

/* Apart from find_broken(), as an engine that nobody named may have made the loop. */
int find_forwarding_loop(struct doctor *d, const struct rule *r)
{
	return find_broken(d, r);
}

int find_slower(struct doctor *d, const struct rule *r)
{
	const struct faults *lost = &d->out->lost;

	for (size_t i = 0; i < lost->n; i++) {
		AUTO_TEXT struct text t = {0};

		if (lost->f[i].kind != FAULT_CABLE_SLOWER)
			continue;
		fault_text(lost, &lost->f[i], &t);
		struct finding *x = tell(d, r, "list switches", "%s.", text_str(&t));
		x->node = fabric_node_by_guid(d->f, lost->f[i].from);
		x->port = lost->f[i].port;
	}
	return 0;
}
