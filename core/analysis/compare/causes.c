/* Why hosts have no way to a LID, each cause once; the parts of a fabric that have vanished. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/compare/causes.h"
#include "core/analysis/compare/internal.h"
#include "core/analysis/compare/judged.h"
#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/text.h"
#include "core/fabric/names.h"
#include "core/routing/json_names.h"
#include "core/routing/paths.h"
#include "core/routing/routing.h"

#define ROW(key, member, type, column, help) FIELD(key, struct cause, member, type, column, help)

const struct field cause_fields[] = {
	ROW("kind", word, "string(tables/refusal/switch/cable/port/host/loop/rule)", "kind",
	    "tables: they were not read; refusal: of the engine; loop: entries lead in a circle; rule: of "
	    "the engine"),
	ROW("what", what, NULL, "what", "the port, cable, switch, host or engine"),
	ROW("why", why, NULL, "why", "what is wrong with it"),
	FIELD_BY_CODE("where", "node", "its node; null: it has no place"),
	FIELD_BY_CODE("port", "portnum?", "its port"),
	ROW("last_peer", last, "string?", "last peer", "what is, or was last, at the other end"),
	ROW("pairs", pairs, NULL, "pairs", "pairs lost by this cause alone"),
	ROW("entries", entries, NULL, "entries", "of drift: entries that are not right"),
	ROW("lids", lids, NULL, "lids", "LIDs concerned"),
	ROW("hosts", hosts, NULL, "hosts", "hosts that have these LIDs, or are cut off"),
	{.key = NULL},
};

const char *const cause_word[CAUSE_KINDS] = {"tables", "refusal", "switch", "cable",
					     "port",   "host",	  "loop",   "rule"};

struct causes_work {
	const struct fabric *f;
	const struct topo *t;
	const struct state *st;
	const struct switch_tables *read; /* NULL: an engine made the tables */
	uint32_t *hosts;		  /* [n_switches] that count */
	uint32_t *slot;			  /* [n_slots] place in c + 1, 0 = free; n_slots is a power of two */
	size_t n_slots;
	uint32_t *mark, stamp;	/* [n_switches] of one walk */
	uint32_t lid;		/* that `missing` is about */
	bool missing;		/* most switches with a table have no entry for it */
	struct dest_ways *ways; /* with adaptive routing, of the LID ways_of */
	uint32_t ways_of;
	const struct ways_listener *to; /* NULL: nobody listens */
	uint32_t ended;			/* the switch where the last walk did */
	uint32_t *part, n_parts;	/* [n_switches] connected parts of what is up, NO_ID: it is down */
	bool count_lids;
};

/* --- the list --------------------------------------------------------------------------------------- */

static size_t causes_hash(const struct causes_work *k, unsigned kind, uint64_t key, const char *why)
{
	return mix(mix(kind, key), (uint64_t)(uintptr_t)why) & (k->n_slots - 1);
}

static void causes_rehash(struct causes *s)
{
	struct causes_work *k = s->work;

	k->n_slots = k->n_slots ? k->n_slots * 2 : 64;
	arena_free(k->slot);
	k->slot = ARENA_ARRAY(k, k->n_slots, uint32_t);
	for (size_t i = 0; i < s->n; i++) {
		size_t h = causes_hash(k, s->c[i].kind, s->c[i].key, s->c[i].why);

		while (k->slot[h])
			h = (h + 1) & (k->n_slots - 1);
		k->slot[h] = (uint32_t)i + 1;
	}
}

/* The cause of a kind, made when it is new: then node, port and peer are NO_ID, 0 and NO_ID. */
static struct cause *cause_of(struct causes *s, enum cause_kind kind, uint64_t key, const char *why)
{
	struct causes_work *k = s->work;
	size_t h;

	if (2 * s->n >= k->n_slots)
		causes_rehash(s);
	for (h = causes_hash(k, kind, key, why); k->slot[h]; h = (h + 1) & (k->n_slots - 1)) {
		struct cause *c = &s->c[k->slot[h] - 1];

		if (c->kind == kind && c->key == key && c->why == why)
			return c;
	}
	ARENA_GROW(s, s->c, s->n, s->cap);
	s->c[s->n] = (struct cause){.kind = (uint8_t)kind,
				    .key = key,
				    .why = why,
				    .word = cause_word[kind],
				    .node = NO_ID,
				    .peer = NO_ID,
				    .last_lid = NO_ID,
				    .last_host = NO_ID,
				    .made = (uint32_t)s->n};
	k->slot[h] = (uint32_t)++s->n;
	return &s->c[s->n - 1];
}

static struct cause *causes_at_port(struct causes *s, enum cause_kind kind, uint64_t key, const char *why,
				    uint32_t port)
{
	const struct fabric *f = s->work->f;
	struct cause *c = cause_of(s, kind, key, why);

	if (c->node == NO_ID) {
		c->node = f->port_node[port];
		c->port = f->port_num[port];
		c->peer = f->port_peer[port];
	}
	return c;
}

static struct cause *at_node(struct causes *s, enum cause_kind kind, const char *why, uint32_t node)
{
	struct cause *c = cause_of(s, kind, node, why);

	c->node = node;
	return c;
}

const char cause_shared_lid[] = "two ports have it, and the tables lead to the other one";

static const char *const idle_text[] = {
	"the port is in Initialize: no subnet manager has activated it",
	"the port is in Armed: no subnet manager has activated it",
};

/* A port by which nothing goes on, though the tables or a host want that. */
static struct cause *dead_port(struct causes *s, uint32_t port)
{
	const struct fabric *f = s->work->f;
	uint32_t peer = f->port_peer[port], link = f->port_link[port],
		 idle = s->work->t->data ? fabric_idle_end(f, port) : NO_ID;

	if (fabric_port_open(f, port))
		return causes_at_port(s, CAUSE_TABLES, 2ull + port,
				      "what is at the port did not answer: it cannot be told", port);
	if (peer == NO_ID)
		return causes_at_port(s, CAUSE_PORT, port, "nothing is at the port", port);
	uint32_t node = f->port_node[peer];
	if (s->work->st->node_down[node])
		return at_node(s, node_is_switch(f, node) ? CAUSE_SWITCH : CAUSE_HOST, "it is down", node);
	if (idle != NO_ID && state_link_up(f, s->work->st, link))
		return causes_at_port(s, CAUSE_CABLE, link, idle_text[f->port_state[idle] == PORT_ARMED],
				      idle);
	return causes_at_port(s, CAUSE_CABLE, link, "it is down", port);
}

/* --- tables that were read ---------------------------------------------------------------------------- */

uint32_t tables_lacking(const struct sweep *w, uint32_t *all)
{
	const struct switch_tables *read = sweep_held_tables(w);
	uint32_t n = 0, up = 0;

	for (uint32_t sw = 0; sw < w->fabric->n_switches; sw++)
		if (switch_up(w->topo, sw)) {
			up++;
			n += read && !read->lft[sw];
		}
	if (all)
		*all = up;
	return n;
}

bool tables_strange(const struct sweep *w)
{
	const struct switch_tables *read = sweep_held_tables(w);

	return read && read->strange;
}

/* --- where a path ends ------------------------------------------------------------------------------ */

static unsigned causes_entry(const struct causes *s, uint32_t sw, unsigned lid)
{
	const struct switch_tables *read = s->work->read;

	if (!read)
		return routing_port(s->r, sw, lid);
	return read->lft[sw] && lid <= read->top[sw] ? read->lft[sw][lid] : NO_PATH;
}

static bool causes_has_table(const struct causes *s, uint32_t sw)
{
	return s->work->read ? s->work->read->lft[sw] != NULL : s->r->row[sw] != NULL;
}

/* Have half of the switches, or more, no entry for the LID? */
static bool missing_almost_everywhere(const struct causes *s, unsigned lid)
{
	struct causes_work *k = s->work;
	uint32_t with = 0, all = 0;

	if (k->lid == lid)
		return k->missing;
	for (uint32_t sw = 0; sw < k->f->n_switches; sw++)
		if (causes_has_table(s, sw) && switch_up(k->t, sw)) {
			all++;
			with += causes_entry(s, sw, lid) != NO_PATH;
		}
	k->lid = lid;
	k->missing = 2 * with <= all;
	return k->missing;
}

static struct cause *causes_no_entry(struct causes *s, uint32_t sw, unsigned lid, uint32_t owner)
{
	const struct causes_work *k = s->work;

	if (!causes_has_table(s, sw)) {
		struct cause *c = cause_of(s, CAUSE_TABLES, 0, "no table was read");

		c->node = c->node == NO_ID ? k->f->switch_node[sw] : c->node;
		return c;
	}
	if (!k->read)
		return cause_of(s, CAUSE_RULE, 0, "it makes no entry: its rule leaves no way");
	if (owner != NO_ID && missing_almost_everywhere(s, lid))
		return causes_at_port(s, CAUSE_HOST, k->f->endport_port[owner],
				      "most switches have no entry for it", k->f->endport_port[owner]);
	return at_node(s, CAUSE_SWITCH, "entries are missing", k->f->switch_node[sw]);
}

/*
 * The walk came to a switch where it was before.  The circle is named by its lowest switch, and the port
 * there by which the packets go round.
 */
static struct cause *circle(struct causes *s, uint32_t sw, unsigned lid)
{
	struct causes_work *k = s->work;
	uint32_t least = sw, at = sw;

	k->ended = sw;
	do {
		at = k->t->peer_switch[k->f->switch_port[at] + causes_entry(s, at, lid)];
		least = MIN(at, least);
	} while (at != sw);
	uint32_t port = k->f->switch_port[least] + causes_entry(s, least, lid);
	return causes_at_port(s, CAUSE_LOOP, port, "entries lead in a circle", port);
}

/* How a packet at switch sw ends that goes by a port, when it does not go on to another switch. */
static struct cause *ends_at(struct causes *s, uint32_t sw, unsigned out, unsigned lid, uint32_t owner)
{
	const struct fabric *f = s->work->f;

	s->work->ended = sw;
	if (out == NO_PATH)
		return causes_no_entry(s, sw, lid, owner);
	if (out > f->switch_nports[sw])
		return at_node(s, CAUSE_SWITCH, "entries name ports that it does not have",
			       f->switch_node[sw]);
	uint32_t port = f->switch_port[sw] + out;
	if (!out)
		return causes_at_port(s, CAUSE_PORT, port, "entries for LIDs of others end here", port);
	uint32_t peer = s->work->t->peer[port];
	if (peer == NO_ID)
		return dead_port(s, port);
	if (owner != NO_ID && f->port_endport[peer] != NO_ID &&
	    lids_holds(s->r->lids, f->port_endport[peer], lid))
		return causes_at_port(s, CAUSE_HOST, f->endport_port[owner], cause_shared_lid,
				      f->endport_port[owner]);
	if (f->port_node[peer] == f->switch_node[sw])
		return causes_at_port(s, CAUSE_PORT, port, "the cable leads to the switch itself", port);
	return causes_at_port(s, CAUSE_PORT, port, "what is there does not have the LID", port);
}

/* Why packets for a LID do not arrive from a switch on. */
static struct cause *causes_follow(struct causes *s, uint32_t sw, unsigned lid, uint32_t owner)
{
	struct causes_work *k = s->work;

	for (k->stamp++;;) {
		unsigned out = causes_entry(s, sw, lid);
		uint32_t next = out && out <= k->f->switch_nports[sw]
					? k->t->peer_switch[k->f->switch_port[sw] + out]
					: NO_ID;

		k->mark[sw] = k->stamp;
		if (next == NO_ID)
			return ends_at(s, sw, out, lid, owner);
		if (k->mark[next] == k->stamp)
			return circle(s, next, lid);
		sw = next;
	}
}

/* The same by the ports that adaptive routing may take. */
static struct cause *follow_ways(struct causes *s, uint32_t sw, unsigned lid, uint32_t owner)
{
	struct causes_work *k = s->work;
	const struct fabric *f = k->f;
	struct cause *c;
	struct path p;

	if (k->ways_of != lid)
		dest_ways(s->r, lid, k->ways);
	k->ways_of = lid;
	path_trace_worst(s->r, f->port_endport[f->switch_port[sw]], 0, lid, k->ways, &p);
	if (p.end == PATH_LOOP) {
		const struct path_hop *h = &p.hop[p.n - 1];
		uint32_t port = f->switch_port[h->sw] + h->out;

		k->ended = h->sw;
		c = causes_at_port(s, CAUSE_LOOP, f->n_ports, "entries lead in a circle", port);
	} else {
		c = ends_at(s, p.hop[p.n - 1].sw, p.hop[p.n - 1].out, lid, owner);
	}
	path_free(&p);
	return c;
}

static void causes_count_lid(struct cause *c, unsigned lid, uint32_t owner, const struct fabric *f)
{
	c->lids += c->last_lid != lid;
	c->last_lid = lid;
	c->hosts += owner != NO_ID && c->last_host != owner && !endport_is_switch(f, owner);
	c->last_host = owner;
}

/* --- pairs ------------------------------------------------------------------------------------------- */

static void add_broken(void *ctx, uint32_t sw, unsigned lid, bool loops)
{
	struct causes *s = ctx;
	struct causes_work *k = s->work;
	uint32_t owner = lid_owner(s->r->lids, lid);
	struct cause *c = s->r->adaptive ? follow_ways(s, sw, lid, owner) : causes_follow(s, sw, lid, owner);
	uint64_t n = k->hosts[sw] - (k->t->endport_switch[owner] == sw);

	c->pairs += n;
	if (k->to && k->to->lost)
		k->to->lost(k->to->ctx, &(struct lost_way){sw, k->ended, lid, loops, (enum cause_kind)c->kind,
							   c->made, n});
	if (k->count_lids)
		causes_count_lid(c, lid, owner, k->f);
}

/* Parts of the fabric that hang together by cables that are up. */
static void causes_find_parts(struct causes_work *k)
{
	const struct fabric *f = k->f;
	AUTO_FREE uint32_t *queue = NEW_ARRAY(f->n_switches + 1u, uint32_t);

	k->part = arena_array(k, f->n_switches + 1u, sizeof(*k->part));
	memset(k->part, 0xff, f->n_switches * sizeof(*k->part));
	for (uint32_t first = 0; first < f->n_switches; first++) {
		uint32_t n = 1;

		if (k->part[first] != NO_ID || k->st->node_down[f->switch_node[first]])
			continue;
		queue[0] = first;
		k->part[first] = first;
		for (uint32_t i = 0; i < n; i++)
			for (unsigned p = 1; p <= f->switch_nports[queue[i]]; p++) {
				uint32_t q = state_live_peer(f, k->st, f->switch_port[queue[i]] + p);
				uint32_t sw = q == NO_ID ? NO_ID : f->node_switch[f->port_node[q]];

				if (sw == NO_ID || k->part[sw] != NO_ID)
					continue;
				k->part[sw] = first;
				queue[n++] = sw;
			}
	}
}

/*
 * Why the part of a switch is parted from the rest: one switch or cable that is down, or the first of several
 * cables.
 */
static struct cause *parted(struct causes *s, uint32_t part)
{
	const struct causes_work *k = s->work;
	const struct fabric *f = k->f;
	uint32_t node = NO_ID, first = NO_ID, n = 0;
	bool one_node = true;

	for (uint32_t sw = 0; sw < f->n_switches; sw++)
		for (unsigned p = 1; k->part[sw] == part && p <= f->switch_nports[sw]; p++) {
			uint32_t port = f->switch_port[sw] + p, q = f->port_peer[port];

			if (q == NO_ID || state_live_peer(f, k->st, port) != NO_ID ||
			    !node_is_switch(f, f->port_node[q]) ||
			    k->part[f->node_switch[f->port_node[q]]] == part)
				continue;
			uint32_t at = k->st->node_down[f->port_node[q]] ? f->port_node[q] : NO_ID;
			one_node &= at != NO_ID && (node == NO_ID || node == at);
			node = at;
			first = first == NO_ID ? port : first;
			n++;
		}
	if (n == 1 || (n && one_node))
		return dead_port(s, first);
	if (n)
		return causes_at_port(s, CAUSE_CABLE, (uint64_t)f->n_links + part,
				      "it and all others that lead away from there are down", first);
	return at_node(s, CAUSE_SWITCH, "no cable leads from its part to the subnet manager",
		       f->switch_node[part]);
}

/* Why the subnet manager does not reach a host or switch. */
static struct cause *cut_off(struct causes *s, uint32_t ep)
{
	struct causes_work *k = s->work;
	const struct fabric *f = k->f;
	uint32_t port = f->endport_port[ep], peer = state_live_peer(f, k->st, port),
		 sw = f->node_switch[f->port_node[port]];

	if (sw == NO_ID && peer == NO_ID) { /* the port of the switch is where the host is missed */
		peer = f->port_peer[port];
		return dead_port(s, peer == NO_ID || k->st->node_down[f->port_node[peer]] ? port : peer);
	}
	if (sw == NO_ID)
		sw = f->node_switch[f->port_node[peer]];
	if (sw == NO_ID)
		return causes_at_port(s, CAUSE_HOST, port, "no switch is at its cable", port);
	if (!k->part)
		causes_find_parts(k);
	return parted(s, k->part[sw]);
}

/* Is a switch, by itself, cut off or without a LID? */
static bool switch_lost(const struct causes *s, uint32_t ep)
{
	return endport_is_switch(s->work->f, ep) && host_set_matters(s->w->hosts, s->work->f, ep) &&
	       (is_cut_off(s->w, ep) || (s->work->t->endport_up[ep] && !s->r->lids->base[ep]));
}

/* Hosts with a LID whose own cables carry no data: what they send is lost, to each LID of another host. */
static void add_mute(struct causes *s)
{
	const struct causes_work *k = s->work;
	const struct lids *l = s->r->lids;
	uint64_t lids = k->t->data ? routing_host_lids(s->r) : 0;

	for (uint32_t ep = 0; k->t->data && ep < k->f->n_endports; ep++) {
		uint32_t port = k->f->endport_port[ep];
		uint64_t pairs = lids - l->count[ep];

		if (!routing_mute_host(s->r, ep) || !l->base[ep])
			continue;
		struct cause *c = dead_port(s, k->f->port_peer[port]);
		c->pairs += pairs;
		if (k->count_lids)
			causes_count_lid(c, l->base[ep], ep, k->f);
		if (k->to && k->to->end)
			k->to->end(k->to->ctx, ep, c->made, pairs);
	}
}

/* Hosts whose LID another port has, too: some or all that is sent to them arrives there. */
static void add_shared(struct causes *s)
{
	const struct causes_work *k = s->work;
	uint64_t pairs, lost;

	for (uint32_t ep = 0; ep < k->f->n_endports; ep++) {
		if (!check_shared_lid(s->r, k->hosts, ep, &pairs, &lost) || !lost)
			continue;
		struct cause *c = causes_at_port(s, CAUSE_HOST, k->f->endport_port[ep], cause_shared_lid,
						 k->f->endport_port[ep]);
		c->pairs += lost;
		causes_count_lid(c, s->r->lids->base[ep], ep, k->f);
		if (k->to && k->to->end)
			k->to->end(k->to->ctx, ep, c->made, lost);
	}
}

static bool is_here(const struct routing *r, uint32_t ep)
{
	return routing_has_host(r, ep) || routing_mute_host(r, ep);
}

/* Hosts and switches that are cut off, and those without a LID.  No pair is lost by such a switch alone. */
static void causes_add_ends(struct causes *s)
{
	const struct causes_work *k = s->work;
	const struct fabric *f = k->f;
	uint32_t here = 0, cut = 0, with_lid = 0;

	for (uint32_t ep = 0; ep < f->n_endports; ep++)
		if (is_here(s->r, ep)) {
			here++;
			with_lid += s->r->lids->base[ep] != 0;
		} else if (!endport_is_switch(f, ep) && routing_counts(s->r, ep) && is_cut_off(s->w, ep)) {
			cut++;
		}
	s->n_hosts = here + cut;
	add_mute(s);
	for (uint32_t ep = 0; ep < f->n_endports; ep++) {
		bool sw = endport_is_switch(f, ep), away = is_cut_off(s->w, ep);
		/* from it to all others, and to it from those that can send */
		uint64_t pairs = sw ? 0 : (uint64_t)with_lid + s->n_hosts - 1;
		struct cause *c;

		if (sw	   ? !k->count_lids || !switch_lost(s, ep)
		    : away ? !routing_counts(s->r, ep)
			   : !is_here(s->r, ep) || s->r->lids->base[ep])
			continue;
		if (away)
			c = cut_off(s, ep);
		else if (tables_strange(s->w))
			c = cause_of(s, CAUSE_TABLES, 1, "most GUIDs in it are not in the fabric");
		else
			c = causes_at_port(s, sw ? CAUSE_SWITCH : CAUSE_HOST, f->endport_port[ep],
					   "it has no LID", f->endport_port[ep]);
		c->pairs += pairs;
		c->hosts += k->count_lids && !sw;
		if (k->to && k->to->end)
			k->to->end(k->to->ctx, ep, c->made, pairs);
	}
}

/* --- entries of drift ---------------------------------------------------------------------------------- */

/* Who has a LID, or had it by the tables. */
static uint32_t owner_of(const struct causes *s, const struct drift *d, unsigned lid)
{
	const struct switch_tables *read = s->work->read;
	uint32_t owner = lid_owner(d->next->lids, lid);

	return owner == NO_ID && read && read->lid_owner ? read->lid_owner[lid] : owner;
}

static struct cause *of_entry(struct causes *s, const struct drift *d, const struct drift_entry *x)
{
	uint32_t owner = owner_of(s, d, x->lid);

	switch (x->class) {
	case DRIFT_RESTART:
		if (d->next->n_refusals)
			return cause_of(s, CAUSE_REFUSAL, 0, d->next->refusal[0].why);
		return cause_of(s, CAUSE_RULE, 1, x->why);
	case DRIFT_MISSING:
		return causes_no_entry(s, x->sw, x->lid, owner);
	default:
		return causes_follow(s, x->sw, x->lid, owner);
	}
}

struct causes_placed {
	uint32_t lid, sw, at; /* at: in the drift's entries */
};

COMPARATOR(by_lid, struct causes_placed, UP(lid) UP(sw))

static void add_entries(struct causes *s, const struct drift *d)
{
	AUTO_FREE struct causes_placed *x = mem_alloc(d->n_entries * sizeof(*x) + 1);
	size_t n = 0;

	s->of_entry = arena_array(s, d->n_entries + 1u, sizeof(*s->of_entry));
	memset(s->of_entry, 0xff, d->n_entries * sizeof(*s->of_entry));
	for (size_t i = 0; i < d->n_entries; i++)
		if (d->entry[i].class != DRIFT_KEPT)
			x[n++] = (struct causes_placed){d->entry[i].lid, d->entry[i].sw, (uint32_t)i};
	if (n)
		qsort(x, n, sizeof(*x), by_lid);
	for (size_t i = 0; i < n; i++) {
		struct cause *c = of_entry(s, d, &d->entry[x[i].at]);

		c->entries++;
		causes_count_lid(c, x[i].lid, owner_of(s, d, x[i].lid), s->work->f);
		s->of_entry[x[i].at] = c->made;
	}
}

COMPARATOR(most_first, struct cause, DOWN(pairs) DOWN(entries) UP(kind) UP(node) UP(port) UP(key))

static void sort_causes(struct causes *s, const struct drift *d)
{
	AUTO_FREE uint32_t *place = mem_alloc(s->n * sizeof(*place) + 1);

	if (s->n)
		qsort(s->c, s->n, sizeof(*s->c), most_first);
	for (size_t i = 0; i < s->n; i++)
		place[s->c[i].made] = (uint32_t)i;
	for (size_t i = 0; d && i < d->n_entries; i++)
		if (s->of_entry[i] != NO_ID)
			s->of_entry[i] = place[s->of_entry[i]];
}

/* --- names --------------------------------------------------------------------------------------------- */

static void name_cause(struct causes *s, struct cause *c, const struct drift *d, const struct last_seen *seen)
{
	const struct fabric *f = s->work->f;
	uint32_t port = c->node == NO_ID ? NO_ID : f->node_port[c->node] + c->port;
	AUTO_TEXT struct text t = {0};
	AUTO_FREE char *last = NULL;

	if (c->kind == CAUSE_TABLES && c->key == 1) {
		text_add(&t, "%s", s->work->read->source ? s->work->read->source : "the live fabric");
	} else if (c->kind == CAUSE_TABLES && !c->key) {
		uint32_t lacking = tables_lacking(s->w, NULL);
		text_add(&t, "%s", PLURAL(lacking, "switch"));
	} else if (c->kind == CAUSE_REFUSAL) {
		text_add(&t, "%s", (d ? d->next : s->w)->refusal[0].engine);
	} else if (c->why == cause_shared_lid) {
		uint32_t ep = f->port_endport[port], other = lids_other_holder(s->r->lids, ep);

		text_add(&t, "LID %u of %s", s->r->lids->base[ep], PORT_LABEL(f, port));
		if (other != NO_ID)
			text_add(&t, " and %s", ENDPORT_LABEL(f, other));
	} else if (c->node == NO_ID) {
		text_add(&t, "%s", c->key ? d->engine : s->r->engine);
	} else if (c->kind == CAUSE_SWITCH || (c->kind == CAUSE_HOST && !c->port)) {
		text_add(&t, "%s", f->node_name[c->node]);
	} else {
		text_add(&t, "%s", PORT_LABEL(f, port));
	}
	c->what = arena_str(s, text_str(&t));
	if (c->peer != NO_ID && c->kind != CAUSE_HOST)
		c->last = arena_str(s, PORT_LABEL(f, c->peer));
	else if (c->kind == CAUSE_PORT && seen)
		last = seen->peer(seen->ctx, f->node_guid[c->node], c->port);
	if (last)
		c->last = arena_str(s, last);
}

void cause_text(const struct cause *c, struct text *t)
{
	text_add(t, "%s: %s; ", c->what, c->why);
	if (c->entries)
		text_add(t, "%s, ", PLURAL(c->entries, "entry"));
	text_add(t, "%s, ", PLURAL(c->pairs, "pair"));
	if (c->lids)
		text_add(t, "%s, ", PLURAL(c->lids, "LID"));
	text_add(t, "%s", PLURAL(c->hosts, "host"));
	if (c->last)
		text_add(t, "; last peer %s", c->last);
}

/* --- all together -------------------------------------------------------------------------------------- */

struct causes *causes_find(const struct causes_request *rq, struct progress *p, struct err *e)
{
	const struct sweep *w = rq->w;
	const struct drift *d = rq->d;

	assert(w->routing && (!d || d->held == w));
	struct causes *s = ARENA_NEW(NULL, struct causes);
	AUTO_ARENA struct causes_work *k = ARENA_NEW(NULL, struct causes_work);
	const struct check_listener to = {add_broken, s};
	const struct routing *r = w->routing;
	struct check_result counts;
	int rc = 0;

	*s = (struct causes){.w = w, .r = r, .work = k};
	k->to = rq->lost;
	k->f = w->fabric;
	k->t = r->topo;
	k->st = w->setup->state;
	k->read = sweep_held_tables(w);
	k->hosts = routing_hosts(k, r);
	k->mark = ARENA_ARRAY(k, k->f->n_switches + 1u, uint32_t);
	k->lid = k->ways_of = NO_ID;
	k->count_lids = !d;
	k->ways = dest_ways_new(k, r);
	if (d)
		add_entries(s, d);
	else if (w->n_refusals)
		cause_of(s, CAUSE_REFUSAL, 0, w->refusal[0].why);
	if (!rq->known || rq->known->unreachable)
		rc = check_routing_to(r, &counts, &to, p);
	causes_add_ends(s);
	add_shared(s);
	for (size_t i = 0; i < s->n; i++) {
		s->lost += s->c[i].pairs;
		s->untold += s->c[i].kind == CAUSE_TABLES ? s->c[i].pairs : 0;
		name_cause(s, &s->c[i], d, rq->seen);
	}
	assert(s->untold <= s->lost);
	sort_causes(s, d);
	s->work = NULL;
	if (!rc)
		return s;
	arena_free(s);
	err_set(e, CANCELLED);
	return NULL;
}

/* The parts that a fabric has, for a later check; and the parts that have vanished by then. */

/* Does a node have a cable that is up? st NULL: any cable. */
static bool cabled(const struct fabric *f, const struct state *st, uint32_t node)
{
	for (uint32_t p = f->node_port[node]; p <= f->node_port[node] + f->node_nports[node]; p++)
		if (f->port_link[p] != NO_ID && (!st || state_link_up(f, st, f->port_link[p])))
			return true;
	return false;
}

json_t *present_json(const struct fabric *f, const struct lids *l, const struct state *st)
{
	json_t *list[2] = {json_array(), json_array()}, *cables = json_array();
	char cable[64];

	for (uint32_t n = 0; n < f->n_nodes; n++)
		if (cabled(f, st, n))
			json_array_append_new(list[node_is_switch(f, n)], json_node(f, l, n));
	for (uint32_t k = 0; k < f->n_links; k++) {
		uint32_t a = f->link_port[2 * k], b = f->link_port[2 * k + 1];

		if (!state_link_up(f, st, k))
			continue;
		snprintf(cable, sizeof(cable), "0x%016" PRIx64 "[%u] 0x%016" PRIx64 "[%u]%s%s%s",
			 f->node_guid[f->port_node[a]], f->port_num[a], f->node_guid[f->port_node[b]],
			 f->port_num[b], fabric_port_gbps(f, a) > 0 ? " " : "",
			 fabric_port_gbps(f, a) > 0 ? link_width_name(f->port_width[a]) : "",
			 fabric_port_gbps(f, a) > 0 ? link_speed_name(f->port_speed[a]) : "");
		json_array_append_new(cables, json_text(cable));
	}
	return json_make("{s:o, s:o, s:o}", "hosts", list[0], "switches", list[1], "cables", cables);
}

static const char *vanished_member(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

/* Does a word name a node of the document: by its GUID, its name or the first words of that? */
static bool vanished_is_named(const json_t *node, const char *word)
{
	const char *name = vanished_member(node, "name");
	size_t len = strlen(word);

	return !strcasecmp(vanished_member(node, "guid"), word) ||
	       (len && !strncasecmp(name, word, len) && (!name[len] || name[len] == ' '));
}

static const json_t *next_present(const json_t *present, size_t *i)
{
	const json_t *hosts = json_object_get(present, "hosts");
	size_t n = json_array_size(hosts), at = (*i)++;

	return at < n ? json_array_get(hosts, at)
		      : json_array_get(json_object_get(present, "switches"), at - n);
}

const json_t *present_node(const json_t *present, uint64_t guid, bool *is_switch)
{
	size_t hosts = json_array_size(json_object_get(present, "hosts")), i = 0;
	const json_t *x;
	char word[24];

	snprintf(word, sizeof(word), "0x%016" PRIx64, guid);
	while ((x = next_present(present, &i)) && strcmp(vanished_member(x, "guid"), word) != 0)
		;
	if (is_switch)
		*is_switch = i > hosts;
	return x;
}

bool present_cable(const json_t *cable, uint64_t guid[2], unsigned port[2])
{
	const char *text = json_string_value(cable);

	return text && sscanf(text, "0x%" SCNx64 "[%3u] 0x%" SCNx64 "[%3u]", &guid[0], &port[0], &guid[1],
			      &port[1]) == 4;
}

static void vanished_add_end(const json_t *present, uint64_t guid, unsigned port, json_t *list)
{
	const json_t *x = present_node(present, guid, NULL);
	AUTO_FREE char *word = str_printf("0x%016" PRIx64, guid);
	char label[400];

	snprintf(label, sizeof(label), "%s[%u]", x ? vanished_member(x, "name") : word, port);
	json_array_append_new(list, json_text(label));
}

void present_peers(const json_t *present, const char *word, unsigned port, json_t *list)
{
	const json_t *cables = json_object_get(present, "cables"), *x;

	for (size_t i = 0; (x = next_present(present, &i));)
		for (size_t k = 0; vanished_is_named(x, word) && k < json_array_size(cables); k++) {
			const json_t *cable = json_array_get(cables, k);
			const char *text = json_string_value(cable);
			uint64_t guid[2];
			unsigned p[2];

			const char *at = text ? strstr(text, vanished_member(x, "guid")) : NULL;
			if (!at || !present_cable(cable, guid, p))
				continue;
			unsigned end = at != text;
			if (!port || p[end] == port)
				vanished_add_end(present, guid[!end], p[!end], list);
		}
}

/* A node of the document. */
struct known {
	uint64_t guid;
	const json_t *object;
	uint32_t node; /* in this fabric, or NO_ID */
	uint8_t kind;  /* kind of fault, if the node is gone */
	bool up;       /* it has a cable that is up */
	bool silent;   /* a port that led to it is open: it may be there, without an answer */
};

struct vanished_look {
	struct faults *out;
	const struct sweep *w;
	const char *path;
	struct known *known;
	size_t n, here;
	struct err *e;
};

COMPARATOR(by_guid, struct known, UP(guid))

static int read_nodes(struct vanished_look *k, const json_t *list, enum fault_kind kind)
{
	const struct fabric *f = k->w->fabric;

	k->known = mem_resize(k->known, k->n + json_array_size(list) + 1, sizeof(*k->known));
	for (size_t i = 0; i < json_array_size(list); i++) {
		struct known x = {.object = json_array_get(list, i), .kind = (uint8_t)kind};
		const char *guid = json_string_value(json_object_get(x.object, "guid"));

		if (!guid || !number_of_hex(guid, &x.guid))
			return err_set(k->e, "%s: list of present nodes: found %s, expected a GUID", k->path,
				       guid ? guid : "nothing");
		x.node = fabric_node_by_guid(f, x.guid);
		x.up = x.node != NO_ID && cabled(f, k->w->setup->state, x.node);
		k->here += x.node != NO_ID;
		k->known[k->n++] = x;
	}
	return 0;
}

/* Is a host's loss no fault of its own: is it reported as cut off, or outside of the scope? */
static bool told_otherwise(const struct sweep *w, uint32_t node)
{
	const struct fabric *f = w->fabric;
	bool counts = !w->hosts->narrowed;

	for (uint32_t p = 0; node != NO_ID && p <= f->node_nports[node]; p++) {
		uint32_t ep = f->port_endport[f->node_port[node] + p];

		counts |= ep != NO_ID && w->hosts->in[ep];
	}
	return !counts || (node != NO_ID && !w->setup->state->node_down[node] && cabled(f, NULL, node));
}

/* Is the rate behind a cable of the document higher than that of the cable now? NULL: no, or not known. */
static const char *faster_before(const struct fabric *f, uint32_t port, const char *cable)
{
	const char *rate = strrchr(cable, ' ') + 1, *x = strchr(rate, 'x');
	double was = x && *rate != '0' ? link_rate_gbps(link_width_parse(rate, (size_t)(x - rate) + 1),
							link_speed_parse(x + 1, strlen(x + 1)))
				       : 0;

	return was > 0 && fabric_port_gbps(f, port) > 0 && fabric_port_gbps(f, port) < was ? rate : NULL;
}

/* The ends of a cable of the document.  False: its words are wrong, or name a node that it does not list. */
static bool vanished_cable_ends(const struct vanished_look *k, const json_t *cable, struct known *end[2],
				unsigned port[2])
{
	uint64_t guid[2];

	if (!present_cable(cable, guid, port))
		return false;
	for (int i = 0; i < 2; i++)
		end[i] =
			bsearch(&(struct known){.guid = guid[i]}, k->known, k->n, sizeof(*k->known), by_guid);
	return end[0] && end[1];
}

/* Marks what does not answer, and what only it leads to. */
static void vanished_mark_silent(struct vanished_look *k, const json_t *cables)
{
	const struct fabric *f = k->w->fabric;
	struct known *end[2];
	unsigned port[2];

	for (bool more = true; more;) {
		more = false;
		for (size_t i = 0; i < json_array_size(cables); i++) {
			if (!vanished_cable_ends(k, json_array_get(cables, i), end, port))
				continue;
			for (int e = 0; e < 2; e++) {
				const struct known *to = end[!e];
				bool open = to->node != NO_ID && port[!e] <= f->node_nports[to->node] &&
					    fabric_port_open(f, f->node_port[to->node] + port[!e]);

				if (end[e]->node != NO_ID || end[e]->silent || (!to->silent && !open))
					continue;
				end[e]->silent = more = true;
			}
		}
	}
}

/* A cable that is gone, or slower.  It is reported only if both of its nodes are still there. */
static int cable_gone(struct vanished_look *k, const json_t *cable)
{
	const char *text = json_string_value(cable);
	const struct fabric *f = k->w->fabric;
	struct known *end[2];
	unsigned port[2];
	struct fault x = {.kind = FAULT_CABLE_GONE};

	if (!vanished_cable_ends(k, cable, end, port))
		return err_set(k->e,
			       "%s: list of cables: found %s, expected GUID[PORT] GUID[PORT] of nodes in the "
			       "same file",
			       k->path, text ? text : "nothing");
	if (!end[0]->up || !end[1]->up)
		return 0;
	uint32_t p = port[0] > f->node_nports[end[0]->node] ? NO_ID : f->node_port[end[0]->node] + port[0];
	uint32_t q = p == NO_ID || f->port_link[p] == NO_ID ||
				     !state_link_up(f, k->w->setup->state, f->port_link[p])
			     ? NO_ID
			     : f->port_peer[p];
	x.port = (uint8_t)port[0];
	x.offset = (uint16_t)port[1];
	x.from = end[0]->guid;
	x.to = end[1]->guid;
	x.at_from.object = end[0]->object;
	x.at_to.object = end[1]->object;
	if (q != NO_ID && f->port_node[q] == end[1]->node && f->port_num[q] == port[1]) {
		x.kind = FAULT_CABLE_SLOWER;
		x.u.what = faster_before(f, p, text);
	}
	if (x.kind == FAULT_CABLE_GONE || x.u.what)
		fault_put(k->out, &x);
	return 0;
}

static int look_for(struct vanished_look *k, const json_t *present)
{
	const json_t *cables = json_object_get(present, "cables");
	size_t nodes = k->w->fabric->n_nodes;
	int rc = 0;

	if (!present)
		return err_set(k->e,
			       "%s: the check in it does not list what is present; let this version of "
			       "ibscope write the file",
			       k->path);
	if (read_nodes(k, json_object_get(present, "hosts"), FAULT_HOST_GONE) ||
	    read_nodes(k, json_object_get(present, "switches"), FAULT_SWITCH_GONE))
		return -1;
	if (!k->n || 4 * k->here < MAX(k->n, nodes))
		return err_set(k->e,
			       "%s: it seems to be of another fabric: of its %zu hosts and switches, %zu are "
			       "among the %zu of %s by GUID; expected at least a quarter of both",
			       k->path, k->n, k->here, nodes, k->w->fabric->source);
	qsort(k->known, k->n, sizeof(*k->known), by_guid);
	vanished_mark_silent(k, cables);
	for (size_t i = 0; i < k->n; i++) {
		const struct known *x = &k->known[i];

		if (!x->up && !x->silent && (x->kind == FAULT_SWITCH_GONE || !told_otherwise(k->w, x->node)))
			fault_put(k->out, &(struct fault){.kind = x->kind,
							  .from = x->guid,
							  .at_from.object = x->object});
	}
	for (size_t i = 0; !rc && i < json_array_size(cables); i++)
		rc = cable_gone(k, json_array_get(cables, i));
	return rc;
}

int faults_vanished(struct faults *out, const json_t *present, const struct sweep *w, const char *path,
		    struct err *e)
{
	struct vanished_look k = {.out = out, .w = w, .path = path, .e = e};

	faults_begin(out, NULL, NULL, e);
	int rc = look_for(&k, present);
	free(k.known);
	return rc ? -1 : faults_sort(out);
}
