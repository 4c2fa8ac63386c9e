/* Whose rule do tables follow, up to ties?  Classes of entries, and engines compared by bits. */
#include "core/analysis/compare/follow.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/shape/levels.h"
#include "core/base/defs.h"
#include "core/base/infile.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/routing/paths.h"
#include "core/sm/port_groups.h"

#define FOLLOW_FAR 255	    /* no way; the longest of 254 hops is longer than any that OpenSM makes */
#define FOLLOW_MOST_HOPS 64 /* of a way in the tables; a longer one is a loop */
#define FOLLOW_BREAK_BITS 8 /* of an entry that breaks the rule, besides those of its port */
#define FOLLOW_SPINE_HOSTS \
	2 /* a switch with more is a leaf, as max_cas_on_spine of NVIDIA's OpenSM is by default */
#define FOLLOW_MOST_SINGLE 3 /* single roots that are tried, of those with the fewest turns */
#define FOLLOW_MOST_TURNS                                                                      \
	UINT64_C(4000000000)	   /* no single roots, where looking for them takes more steps \
				    */
#define FOLLOW_NONE FOLLOW_CLASSES /* no entry, and no way by the rule */

struct follow_cable {
	uint32_t to, back, first; /* back: the same cable seen from `to`; first: the first cable to `to` */
	uint8_t port;
};

struct follow_dest {
	uint32_t sw, hosts; /* switch with the port, and for a host's LID how many hosts that switch has */
	uint16_t lid;
	uint8_t port; /* at the switch; 0: its own LID */
	bool host;
};

COMPARATOR(follow_by_list, struct follow_dest, DOWN(host) DOWN(hosts) UP(sw) UP(port) UP(lid))
COMPARATOR(follow_by_lid, struct follow_dest, UP(lid))

/* Which ports an engine's rule allows. */
struct follow_rule {
	const char *roots; /* how they were found; "" = it has none */
	uint8_t *root;	   /* [n] 1 = a root */
	uint8_t *rank;	   /* [n] NULL: any way of fewest hops */
	uint8_t *up;	   /* [n_cables] 1: a step towards the roots */
	/* [n * n] by target and switch: hops of the shortest way that only goes down, and of the shortest
	 * one that may go up before */
	uint8_t *down, *any;
	bool one_way; /* dor: only cables to the first neighbour */
	bool single;  /* the root was chosen among all switches */
	uint32_t hub;
};

/* The ways to a LID that the tables have. */
enum follow_state { FOLLOW_OPEN, FOLLOW_ON_WAY, FOLLOW_ARRIVES, FOLLOW_LOST };

struct follow_walk {
	bool made;
	uint32_t *next, *turn, *top,
		*stack;		       /* [n] cable; the last turn up; the first switch of lowest rank */
	uint8_t *state, *hops, *turns; /* turns: up after a step down; 2: two or more */
};

/* A set of highest switches that sources and a destination have in common. */
struct follow_group {
	uint64_t *set;			   /* bits of switches */
	uint32_t rank, size, source, main; /* source: one of them; main: the top named */
	bool free;			   /* some source has a choice */
};

enum follow_context { FOLLOW_ONE, FOLLOW_ZERO, FOLLOW_MANY, FOLLOW_ON_MAIN, FOLLOW_ON_DOWN, FOLLOW_CONTEXTS };

/* What the rule leaves open: the class, among those possible in its context, and the choice inside it. */
struct follow_code {
	uint64_t n[FOLLOW_CONTEXTS][FOLLOW_CLASSES + 1];
	double extra;
};

/* The engines that are looked at. */
enum { FOLLOW_MINHOP, FOLLOW_DOR, FOLLOW_UPDN, FOLLOW_FTREE };
static const char *const follow_engine[FOLLOW_ENGINES] = {"minhop", "dor", "updn", "ftree"};

/* One engine, by one rule, in one order of destinations. */
struct follow_plan {
	unsigned engine, rule;
	const struct follow_dest *dest;
};

struct follow_work {
	const struct sweep *held;
	const struct routing *r;
	const struct fabric *f;
	struct progress *p;
	uint32_t n, n_cables, words;
	uint32_t *off; /* [n + 1] cables of a switch */
	struct follow_cable *cable;
	uint32_t *of_port; /* [n_ports] its cable; NO_ID */
	uint8_t *judged;   /* [n] 1: has a table */
	uint32_t *hosts;   /* [n] */
	struct follow_dest *list, *by_lid;
	uint32_t n_dests;
	uint8_t *dist;	/* [n * n] hops */
	uint8_t *ways;	/* [2 * n * n] of the present rule with roots */
	double lg[257]; /* log2() */
	struct follow_rule *rule;
	unsigned n_rules, cap_rules;
	/* of the present target: lawful cables of each switch, from off[] on */
	uint32_t target, *lawful;
	uint8_t *n_lawful;
	struct follow_walk walk;
	uint32_t *queue;       /* [2 * n] */
	uint32_t *load, *used; /* [n_cables] LIDs of hosts by a cable; ftree: main ways by its first cable */
	/* ftree */
	uint64_t *above;			 /* [n * words] switches that steps up reach, and itself */
	struct follow_group **group, **group_of; /* of the present target; [n] of a source */
	uint32_t n_groups, cap_groups, *votes;
	uint64_t *level, *common; /* switches of each rank; a set */
	struct follow *into;	  /* takes entries; NULL: they are only counted */
	size_t cap;
};

/* --- the fabric and its tables ----------------------------------------------------------------- */

static void follow_take_cables(struct follow_work *k)
{
	const struct topo *t = k->held->topo;
	uint32_t at = 0;

	for (uint32_t port = 0; port < k->f->n_ports; port++)
		k->of_port[port] = NO_ID;
	for (uint32_t s = 0; s < k->n; s++) {
		k->off[s] = at;
		FOR_CABLES(t, s, port, to) {
			struct follow_cable *c = &k->cable[at];

			*c = (struct follow_cable){.to = to, .first = at, .port = k->f->port_num[port]};
			for (uint32_t i = k->off[s]; c->first == at && i < at; i++)
				if (k->cable[i].to == to)
					c->first = k->cable[i].first;
			k->of_port[port] = at++;
		}
	}
	k->off[k->n] = k->n_cables = at;
	for (uint32_t s = 0; s < k->n; s++)
		FOR_CABLES(t, s, port, to)
			k->cable[k->of_port[port]].back = k->of_port[t->peer[port]];
}

static void follow_take_dests(struct follow_work *k, struct follow *result)
{
	const struct topo *t = k->held->topo;
	const struct lids *l = k->held->lids;
	const struct switch_tables *read = setup_tables(k->held->setup);
	AUTO_FREE uint8_t *told = read ? switch_tables_told(read, l->max_lid) : NULL;

	for (uint32_t ep = 0; ep < k->f->n_endports; ep++)
		if (t->endport_up[ep] && t->endport_switch[ep] != NO_ID && !endport_is_switch(k->f, ep))
			k->hosts[t->endport_switch[ep]]++;
	for (unsigned lid = 1; lid <= l->max_lid; lid++) {
		uint32_t ep = l->owner[lid];

		if (ep == NO_ID || !t->endport_up[ep] || t->endport_switch[ep] == NO_ID)
			continue;
		if (told && !told[lid]) {
			result->n_untold++;
			continue;
		}
		bool host = !endport_is_switch(k->f, ep);
		k->list[k->n_dests++] =
			(struct follow_dest){.sw = t->endport_switch[ep],
					     .hosts = host ? k->hosts[t->endport_switch[ep]] : 0,
					     .lid = (uint16_t)lid,
					     .port = t->endport_swport[ep],
					     .host = host};
	}
	memcpy(k->by_lid, k->list, k->n_dests * sizeof(*k->list));
	qsort(k->list, k->n_dests, sizeof(*k->list), follow_by_list);
	qsort(k->by_lid, k->n_dests, sizeof(*k->by_lid), follow_by_lid);
}

/* Hops between switches, from every target. */
static bool follow_take_hops(struct follow_work *k)
{
	AUTO_FREE uint16_t *hops = NEW_ARRAY(k->n, uint16_t);

	progress_start(k->p, "hops between switches", k->n);
	for (uint32_t t = 0; t < k->n && progress_step(k->p, t); t++) {
		switch_distances(k->held->topo, t, hops);
		for (uint32_t s = 0; s < k->n; s++)
			k->dist[(size_t)t * k->n + s] = (uint8_t)MIN(hops[s], FOLLOW_FAR);
	}
	return !progress_cancelled(k->p);
}

static bool follow_has_table(const struct routing *r, uint32_t sw)
{
	const struct lft_row *row = r->row[sw];

	for (unsigned lid = 1; row && lid <= row->top; lid++)
		if (row->port[lid] != NO_PATH)
			return true;
	return false;
}

static struct follow_work *follow_work_new(const struct sweep *held, struct follow *result,
					   struct progress *p, struct err *e)
{
	const struct fabric *f = held->fabric;
	uint32_t n = f->n_switches;

	if (mem_room(e, (size_t)n * n * 3, "the ways between %u switches", n))
		return NULL;
	struct follow_work *k = ARENA_NEW(NULL, struct follow_work);
	*k = (struct follow_work){
		.held = held, .r = held->routing, .f = f, .p = p, .n = n, .words = n / 64 + 1};
	k->off = ARENA_ARRAY(k, n + 1, uint32_t);
	k->cable = ARENA_ARRAY(k, f->n_ports, struct follow_cable);
	k->of_port = ARENA_ARRAY(k, f->n_ports, uint32_t);
	k->judged = ARENA_ARRAY(k, n, uint8_t);
	k->hosts = ARENA_ARRAY(k, n, uint32_t);
	k->list = ARENA_ARRAY(k, held->lids->max_lid + 1u, struct follow_dest);
	k->by_lid = ARENA_ARRAY(k, held->lids->max_lid + 1u, struct follow_dest);
	k->dist = ARENA_ARRAY(k, (size_t)n * n, uint8_t);
	k->lawful = ARENA_ARRAY(k, f->n_ports, uint32_t);
	k->n_lawful = ARENA_ARRAY(k, n, uint8_t);
	k->queue = ARENA_ARRAY(k, 2 * (size_t)n, uint32_t);
	k->load = ARENA_ARRAY(k, f->n_ports, uint32_t);
	k->used = ARENA_ARRAY(k, f->n_ports, uint32_t);
	k->group_of = ARENA_ARRAY(k, n, struct follow_group *);
	k->level = ARENA_ARRAY(k, (size_t)FOLLOW_FAR * k->words, uint64_t);
	k->votes = ARENA_ARRAY(k, n, uint32_t);
	k->above = ARENA_ARRAY(k, (size_t)n * k->words, uint64_t);
	k->common = ARENA_ARRAY(k, k->words, uint64_t);
	uint32_t **by_switch[] = {&k->walk.next, &k->walk.turn, &k->walk.top, &k->walk.stack};
	uint8_t **small[] = {&k->walk.state, &k->walk.hops, &k->walk.turns};
	for (size_t i = 0; i < ARRAY_LEN(by_switch); i++)
		*by_switch[i] = ARENA_ARRAY(k, n, uint32_t);
	for (size_t i = 0; i < ARRAY_LEN(small); i++)
		*small[i] = ARENA_ARRAY(k, n, uint8_t);
	for (unsigned i = 1; i < ARRAY_LEN(k->lg); i++)
		k->lg[i] = log2(i);
	for (uint32_t s = 0; s < n; s++) {
		k->judged[s] = switch_up(held->topo, s) && follow_has_table(held->routing, s);
		result->n_switches += k->judged[s];
		result->n_silent += switch_up(held->topo, s) && !k->judged[s];
	}
	follow_take_cables(k);
	follow_take_dests(k, result);
	return k;
}

/* --- rules ------------------------------------------------------------------------------------- */

/* Is the step a -> b of a packet one towards the roots?  Equal ranks: towards the lower GUID. */
static bool follow_up(const struct follow_work *k, const uint8_t *rank, uint32_t a, uint32_t b)
{
	const uint64_t *guid = k->f->node_guid;

	if (rank[a] != rank[b])
		return rank[a] > rank[b];
	return !rank[a] || guid[k->f->switch_node[a]] > guid[k->f->switch_node[b]];
}

/* Shortest ways to a target that go down, and that go up before; searched from the target. */
static void follow_legal_ways(struct follow_work *k, struct follow_rule *u, uint32_t t)
{
	uint8_t *hops[2] = {u->down + (size_t)t * k->n, u->any + (size_t)t * k->n};
	uint32_t end = 0;

	hops[0][t] = hops[1][t] = 0;
	k->queue[end++] = 2 * t;
	k->queue[end++] = 2 * t + 1;
	for (uint32_t i = 0; i < end; i++) {
		uint32_t x = k->queue[i] / 2, may_rise = k->queue[i] % 2;
		unsigned next = hops[may_rise][x] + 1u;

		for (uint32_t c = k->off[x]; next < FOLLOW_FAR && c < k->off[x + 1]; c++) {
			uint32_t y = k->cable[c].to, up = u->up[k->cable[c].back];

			if (up != may_rise)
				continue;
			for (uint32_t state = up; state < 2; state++)
				if (hops[state][y] == FOLLOW_FAR) {
					hops[state][y] = (uint8_t)next;
					k->queue[end++] = 2 * y + state;
				}
		}
	}
}

/* The lawful cables of every switch towards a target. */
static void follow_aim(struct follow_work *k, const struct follow_rule *u, uint32_t t)
{
	const uint8_t *far[2] = {u->down + (size_t)t * k->n, u->any + (size_t)t * k->n};

	assert(t < k->n);
	if (k->target == t)
		return;
	k->target = t;
	for (uint32_t s = 0; s < k->n; s++) {
		unsigned hops = far[1][s];
		uint32_t *lawful = k->lawful + k->off[s];
		uint8_t found = 0;

		for (uint32_t c = k->off[s]; hops != FOLLOW_FAR && s != t && c < k->off[s + 1]; c++) {
			bool other = u->one_way && found && k->cable[c].to != k->cable[lawful[0]].to;

			if (far[u->up ? u->up[c] : 1][k->cable[c].to] + 1u == hops && !other)
				lawful[found++] = c;
		}
		k->n_lawful[s] = found;
	}
}

/* The cable by which a switch sends on; NO_ID. */
static uint32_t follow_cable_of(const struct follow_work *k, uint32_t sw, unsigned port)
{
	return port && port <= k->f->switch_nports[sw] ? k->of_port[switch_port_id(k->f, sw, port)] : NO_ID;
}

static void follow_join(struct follow_walk *w, const struct follow_work *k, const struct follow_rule *u,
			uint32_t x)
{
	uint32_t c = w->next[x], y = c == NO_ID ? x : k->cable[c].to;

	w->state[x] = FOLLOW_LOST;
	if (c == NO_ID || w->state[y] != FOLLOW_ARRIVES || w->hops[y] >= FOLLOW_MOST_HOPS)
		return;
	bool turns = !u->up[c] && w->next[y] != NO_ID && u->up[w->next[y]];
	w->state[x] = FOLLOW_ARRIVES;
	w->hops[x] = w->hops[y] + 1;
	w->turns[x] = (uint8_t)MIN(2, w->turns[y] + turns);
	w->turn[x] = turns ? y : w->turn[y];
	w->top[x] = u->rank[x] <= u->rank[w->top[y]] ? x : w->top[y];
}

/* Follows the tables to a LID from everywhere. */
static struct follow_walk *follow_walk_to(struct follow_work *k, const struct follow_rule *u,
					  const struct follow_dest *d)
{
	struct follow_walk *w = &k->walk;

	assert(u->rank && k->target == d->sw);
	if (w->made)
		return w;
	w->made = true;
	memset(w->state, FOLLOW_OPEN, k->n);
	w->state[d->sw] = FOLLOW_ARRIVES;
	w->hops[d->sw] = w->turns[d->sw] = 0;
	w->next[d->sw] = w->turn[d->sw] = NO_ID;
	w->top[d->sw] = d->sw;
	for (uint32_t s = 0; s < k->n; s++) {
		uint32_t at = s, depth = 0;

		while (at != NO_ID && w->state[at] == FOLLOW_OPEN) {
			w->state[at] = FOLLOW_ON_WAY;
			w->next[at] = follow_cable_of(k, at, routing_port(k->r, at, d->lid));
			w->stack[depth++] = at;
			at = w->next[at] == NO_ID ? NO_ID : k->cable[w->next[at]].to;
		}
		while (depth)
			follow_join(w, k, u, w->stack[--depth]);
	}
	return w;
}

/* The one switch at which all ways turn that the rule lacks. */
static uint32_t follow_find_hub(struct follow_work *k, const struct follow_rule *u)
{
	uint32_t hub = NO_ID;

	k->target = NO_ID;
	progress_start(k->p, "looking for a hub", k->n_dests);
	for (uint32_t i = 0; i < k->n_dests && progress_step(k->p, i); i++) {
		const struct follow_dest *d = &k->list[i];

		if (d->host)
			continue;
		k->walk.made = false;
		follow_aim(k, u, d->sw);
		for (uint32_t s = 0; s < k->n; s++) {
			bool lacks = k->judged[s] && s != d->sw && !k->n_lawful[s];

			if (!lacks || routing_port(k->r, s, d->lid) == NO_PATH)
				continue;
			const struct follow_walk *w = follow_walk_to(k, u, d);
			if (w->state[s] != FOLLOW_ARRIVES || w->turns[s] != 1 ||
			    (hub != NO_ID && hub != w->turn[s]))
				return NO_ID;
			hub = w->turn[s];
		}
	}
	return hub;
}

static bool follow_by_hub(struct follow_work *k, const struct follow_rule *u, const struct follow_dest *d,
			  uint32_t s)
{
	if (u->hub == NO_ID)
		return false;
	const struct follow_walk *w = follow_walk_to(k, u, d);
	return w->state[s] == FOLLOW_ARRIVES && w->turns[s] == 1 && w->turn[s] == u->hub;
}

/* --- codes ------------------------------------------------------------------------------------- */

static bool follow_breaks(unsigned class)
{
	return class >= FOLLOW_LONGER && class < FOLLOW_CLASSES;
}

/* bits: the choice among what the class leaves open. */
static void follow_code_add(struct follow_code *code, enum follow_context ctx, unsigned class, double bits)
{
	if (class == FOLLOW_ONLY)
		ctx = FOLLOW_ONE;
	else if (class == FOLLOW_HUB || class == FOLLOW_EXTRA || class == FOLLOW_NONE)
		ctx = FOLLOW_ZERO;
	code->n[ctx][class]++;
	code->extra += bits + (follow_breaks(class) ? FOLLOW_BREAK_BITS : 0);
}

static double follow_code_bits(const struct follow_code *code)
{
	double bits = code->extra;

	for (unsigned ctx = 0; ctx < FOLLOW_CONTEXTS; ctx++) {
		uint64_t all = 0;
		unsigned kinds = 0;

		for (unsigned c = 0; c <= FOLLOW_CLASSES; c++) {
			all += code->n[ctx][c];
			kinds += code->n[ctx][c] > 0;
		}
		for (unsigned c = 0; c <= FOLLOW_CLASSES; c++)
			if (code->n[ctx][c])
				bits -= (double)code->n[ctx][c] * log2((double)code->n[ctx][c] / (double)all);
		bits += kinds ? (kinds - 1) * 0.5 * log2((double)all + 1) : 0;
	}
	return bits;
}

static void follow_code_all(struct follow_code code[FOLLOW_TIES], enum follow_context ctx, unsigned class,
			    double bits)
{
	for (unsigned ties = 0; ties < FOLLOW_TIES; ties++)
		follow_code_add(&code[ties], ctx, class, bits);
}

/* Lists an entry, where entries are asked for. */
static void follow_list(struct follow_work *k, uint32_t sw, const struct follow_dest *d, unsigned class)
{
	struct follow *f = k->into;

	if (!f || class < FOLLOW_LAWFUL || class >= FOLLOW_CLASSES)
		return;
	ARENA_GROW(f, f->entry, f->n_entries, k->cap);
	f->entry[f->n_entries++] =
		(struct follow_entry){sw, d->lid, (uint8_t)routing_port(k->r, sw, d->lid), (uint8_t) class};
}

/*
 * The class of an entry that any rule decides: on the LID's own switch, where nothing or one port is lawful,
 * and where it is none of these.  FOLLOW_LAWFUL: it is one of several.
 */
static unsigned follow_plain(struct follow_work *k, const struct follow_rule *u, const struct follow_dest *d,
			     uint32_t s)
{
	unsigned port = routing_port(k->r, s, d->lid), n = k->n_lawful[s];
	bool lawful = false;

	if (s == d->sw && port != NO_PATH)
		return port == d->port ? FOLLOW_ONLY : FOLLOW_AGAINST;
	if (port == NO_PATH)
		return n || s == d->sw ? FOLLOW_MISSING : FOLLOW_NONE;
	if (!n)
		return follow_by_hub(k, u, d, s) ? FOLLOW_HUB : FOLLOW_EXTRA;
	for (unsigned i = 0; i < n && !lawful; i++)
		lawful = k->cable[k->lawful[k->off[s] + i]].port == port;
	if (lawful)
		return n == 1 ? FOLLOW_ONLY : FOLLOW_LAWFUL;
	if (!u->rank)
		return FOLLOW_AGAINST;
	const struct follow_walk *w = follow_walk_to(k, u, d);
	return w->state[s] == FOLLOW_ARRIVES && !w->turns[s] ? FOLLOW_LONGER : FOLLOW_AGAINST;
}

/* The bits that name the port of an entry of a plain class. */
static double follow_plain_bits(const struct follow_work *k, uint32_t s, unsigned class)
{
	uint32_t ports = k->off[s + 1] - k->off[s];

	return follow_breaks(class) && class != FOLLOW_MISSING && ports ? k->lg[ports] : 0;
}

/* How many of n cables have the least load?  *class: FOLLOW_FIRST if `cable` is the first of these,
 * FOLLOW_LEAST if it is another one, FOLLOW_LAWFUL if it is none. */
static unsigned follow_least(const uint32_t *load, const uint32_t *c, unsigned n, uint32_t cable,
			     enum follow_class *class)
{
	uint32_t least = UINT32_MAX, first = NO_ID;
	unsigned among = 0;

	assert(n && cable != NO_ID);
	for (unsigned i = 0; i < n; i++) {
		if (load[c[i]] < least) {
			least = load[c[i]];
			first = c[i];
			among = 0;
		}
		among += load[c[i]] == least;
	}
	*class = cable == first ? FOLLOW_FIRST : FOLLOW_LEAST;
	if (load[cable] != least)
		*class = FOLLOW_LAWFUL;
	return among;
}

/* The class of an entry that is one of several lawful ones, where each switch chooses for itself. */
static enum follow_class follow_local_entry(const struct follow_work *k, uint32_t s, uint32_t step,
					    struct follow_code code[FOLLOW_TIES])
{
	unsigned n = k->n_lawful[s];
	enum follow_class class;
	unsigned least = follow_least(k->load, k->lawful + k->off[s], n, step, &class);
	bool kept = class == FOLLOW_LAWFUL;
	double bits = k->lg[kept ? n : least];

	follow_code_add(&code[FOLLOW_TIES_FIRST], FOLLOW_MANY, class, class == FOLLOW_FIRST ? 0 : bits);
	follow_code_add(&code[FOLLOW_TIES_DRAWN], FOLLOW_MANY, kept ? FOLLOW_LAWFUL : FOLLOW_LEAST, bits);
	follow_code_add(&code[FOLLOW_TIES_ANY], FOLLOW_MANY, FOLLOW_LAWFUL, k->lg[n]);
	return class;
}

/* --- ftree: one main way to each destination --------------------------------------------------- */

static bool follow_has(const uint64_t *set, uint32_t sw)
{
	return set[sw / 64] >> sw % 64 & 1;
}

static bool follow_meet(const struct follow_work *k, uint32_t sw, const uint64_t *set)
{
	const uint64_t *above = k->above + (size_t)sw * k->words;
	uint64_t met = 0;

	for (uint32_t w = 0; w < k->words; w++)
		met |= above[w] & set[w];
	return met != 0;
}

/* Switches that steps to lower ranks reach, and the switches of each rank. */
static void follow_take_above(struct follow_work *k, const uint8_t *rank)
{
	memset(k->above, 0, (size_t)k->n * k->words * sizeof(*k->above));
	memset(k->level, 0, (size_t)FOLLOW_FAR * k->words * sizeof(*k->level));
	for (uint32_t level = 0; level < FOLLOW_FAR; level++)
		for (uint32_t s = 0; s < k->n; s++) {
			uint64_t *above = k->above + (size_t)s * k->words;

			if (rank[s] != level)
				continue;
			k->level[(size_t)level * k->words + s / 64] |= UINT64_C(1) << s % 64;
			above[s / 64] |= UINT64_C(1) << s % 64;
			for (uint32_t c = k->off[s]; c < k->off[s + 1]; c++)
				for (uint32_t w = 0; rank[k->cable[c].to] < level && w < k->words; w++)
					above[w] |= k->above[(size_t)k->cable[c].to * k->words + w];
		}
}

/* Finds the nearest switches above both of two, into k->common.  *rank: their rank.  Returns their number. */
static uint32_t follow_common(struct follow_work *k, uint32_t a, uint32_t b, uint32_t *rank)
{
	const uint64_t *above[2] = {k->above + (size_t)a * k->words, k->above + (size_t)b * k->words};
	uint32_t size = 0;

	for (uint32_t level = *rank + 1; level-- > 0 && !size; *rank = level)
		for (uint32_t w = 0; w < k->words; w++) {
			k->common[w] = above[0][w] & above[1][w] & k->level[(size_t)level * k->words + w];
			size += (uint32_t)__builtin_popcountll(k->common[w]);
		}
	return size;
}

/* The group of sources with the tops k->common. */
static struct follow_group *follow_group_of(struct follow_work *k, uint32_t rank, uint32_t size)
{
	size_t bytes = k->words * sizeof(*k->common);

	for (uint32_t g = 0; g < k->n_groups; g++)
		if (k->group[g]->size == size && !memcmp(k->group[g]->set, k->common, bytes))
			return k->group[g];
	if (k->n_groups == k->cap_groups) {
		ARENA_GROW(k, k->group, k->n_groups, k->cap_groups);
		for (uint32_t g = k->n_groups; g < k->cap_groups; g++) {
			k->group[g] = ARENA_NEW(k, struct follow_group);
			k->group[g]->set = ARENA_ARRAY(k, k->words, uint64_t);
		}
	}
	struct follow_group *g = k->group[k->n_groups++];
	memcpy(g->set, k->common, bytes);
	*g = (struct follow_group){.set = g->set, .rank = rank, .size = size};
	return g;
}

/* Nearer to the hosts first, then larger sets. */
static int follow_by_tops(const void *first, const void *second)
{
	const struct follow_group *a = *(const struct follow_group *const *)first;
	const struct follow_group *b = *(const struct follow_group *const *)second;

	ORDER(b->rank, a->rank);
	ORDER(b->size, a->size);
	ORDER(a->source, b->source);
	return 0;
}

/* Groups the sources that must climb to reach the present target. */
static void follow_group_sources(struct follow_work *k, const uint8_t *rank)
{
	const uint64_t *mine = k->above + (size_t)k->target * k->words;

	k->n_groups = 0;
	for (uint32_t s = 0; s < k->n; s++) {
		uint32_t lowest = MIN(FOLLOW_FAR - 1u, MIN(rank[s], rank[k->target])), size = 0;

		k->group_of[s] = NULL;
		if (s != k->target && k->judged[s] && !follow_has(mine, s) && k->n_lawful[s])
			size = follow_common(k, s, k->target, &lowest);
		if (!size)
			continue;
		k->group_of[s] = follow_group_of(k, lowest, size);
		k->group_of[s]->free |= k->n_lawful[s] > 1;
		k->group_of[s]->source = MAX(k->group_of[s]->source, s);
	}
	if (k->n_groups)
		qsort(k->group, k->n_groups, sizeof(struct follow_group *), follow_by_tops);
}

/* The top that most sources of a group use for the present destination; NO_ID: no packet arrives. */
static uint32_t follow_vote(struct follow_work *k, const struct follow_walk *w, const struct follow_group *g)
{
	uint32_t best = NO_ID;

	memset(k->votes, 0, k->n * sizeof(*k->votes));
	for (uint32_t s = 0; s < k->n; s++) {
		if (k->group_of[s] != g || w->state[s] != FOLLOW_ARRIVES)
			continue;
		k->votes[w->top[s]]++;
		if (best == NO_ID || k->votes[w->top[s]] > k->votes[best])
			best = w->top[s];
	}
	return best;
}

/*
 * Which parent of `at` the main way to a destination takes when it goes to the top `main` of a group: the
 * least used one?  Returns false when that top is no parent.
 */
static bool follow_main_parent(struct follow_work *k, const uint8_t *rank, const struct follow_group *g,
			       uint32_t at, bool host, struct follow_code code[FOLLOW_TIES])
{
	uint32_t parent[MAX_PORTS], main = NO_ID;
	enum follow_class class;
	unsigned n = 0;

	for (uint32_t c = k->off[at]; c < k->off[at + 1]; c++) {
		uint32_t to = k->cable[c].to;

		if (k->cable[c].first != c || rank[to] >= rank[at] || !follow_meet(k, to, g->set))
			continue;
		parent[n++] = c;
		main = to == g->main ? c : main;
	}
	if (main == NO_ID)
		return false;
	unsigned least = follow_least(k->used, parent, n, main, &class);
	bool kept = class == FOLLOW_LAWFUL;
	double drawn = k->lg[kept ? n : least];
	follow_code_add(&code[FOLLOW_TIES_FIRST], FOLLOW_ON_MAIN, class, class == FOLLOW_FIRST ? 0 : drawn);
	follow_code_add(&code[FOLLOW_TIES_DRAWN], FOLLOW_ON_MAIN, kept ? FOLLOW_LAWFUL : FOLLOW_LEAST, drawn);
	k->used[main] += host;
	return true;
}

/* Names a top for each group of sources.  A group that can use one that is already named uses it. */
static void follow_name_tops(struct follow_work *k, const struct follow_rule *u, const struct follow_dest *d,
			     struct follow_code code[FOLLOW_TIES])
{
	const struct follow_walk *w = follow_walk_to(k, u, d);
	uint32_t at = d->sw, n_named = 0, *named = k->queue;

	for (uint32_t i = 0; i < k->n_groups; i++) {
		struct follow_group *g = k->group[i];
		bool first = true; /* of its rank */

		g->main = NO_ID;
		for (uint32_t j = 0; j < n_named && g->main == NO_ID; j++) {
			first &= u->rank[named[j]] != g->rank;
			if (follow_has(g->set, named[j]))
				g->main = named[j];
		}
		if (g->main != NO_ID || (g->main = follow_vote(k, w, g)) == NO_ID)
			continue;
		named[n_named++] = g->main;
		if (!g->free)
			continue;
		code[FOLLOW_TIES_ANY].extra += log2(g->size);
		if (!first || !follow_main_parent(k, u->rank, g, at, d->host, code)) {
			/* FOLLOW_MAIN: here a top that is no parent */
			follow_code_add(&code[FOLLOW_TIES_FIRST], FOLLOW_ON_MAIN, FOLLOW_MAIN, log2(g->size));
			follow_code_add(&code[FOLLOW_TIES_DRAWN], FOLLOW_ON_MAIN, FOLLOW_MAIN, log2(g->size));
		}
		at = first ? g->main : at;
	}
}

/* The class of an entry that is one of several lawful ones: on the main way, or down. */
static enum follow_class follow_tree_entry(struct follow_work *k, uint32_t s, uint32_t step,
					   struct follow_code code[FOLLOW_TIES])
{
	uint32_t c[MAX_PORTS], main = k->group_of[s] ? k->group_of[s]->main : NO_ID;
	bool climbs = main != NO_ID && k->walk.state[s] == FOLLOW_ARRIVES;
	unsigned n = 0, lawful = k->n_lawful[s];
	enum follow_class least;
	bool on_it = false;

	for (unsigned i = 0; i < lawful; i++) {
		uint32_t cable = k->lawful[k->off[s] + i];

		if (climbs && !follow_has(k->above + (size_t)k->cable[cable].to * k->words, main))
			continue;
		c[n++] = cable;
		on_it |= cable == step;
	}
	if (!on_it) {
		follow_code_all(code, FOLLOW_MANY, FOLLOW_LAWFUL, k->lg[lawful]);
		return FOLLOW_LAWFUL;
	}
	unsigned among = follow_least(k->load, c, n, step, &least);
	if (least != FOLLOW_LAWFUL) {
		enum follow_class class = climbs ? FOLLOW_MAIN : FOLLOW_DOWN;
		enum follow_context ctx = climbs ? FOLLOW_MANY : FOLLOW_ON_DOWN;

		follow_code_add(&code[FOLLOW_TIES_FIRST], ctx, class,
				least == FOLLOW_FIRST ? 0 : k->lg[among]);
		follow_code_add(&code[FOLLOW_TIES_DRAWN], ctx, class, k->lg[among]);
		follow_code_add(&code[FOLLOW_TIES_ANY], ctx, class, k->lg[among]);
		return class;
	}
	/* not the least used cable: a class of its own, so that its share costs bits */
	if (!climbs)
		follow_code_all(code, FOLLOW_ON_DOWN, FOLLOW_LAWFUL, k->lg[n]);
	else
		follow_code_all(code, FOLLOW_MANY, FOLLOW_CABLE, k->lg[n]);
	return climbs ? FOLLOW_CABLE : FOLLOW_DOWN;
}

/* Classes of all entries by a rule; tree: by ftree's main ways, too.  Returns false when cancelled. */
static bool follow_score(struct follow_work *k, const struct follow_plan *plan,
			 struct follow_code code[FOLLOW_TIES], uint64_t n[FOLLOW_CLASSES + 1])
{
	const struct follow_rule *u = &k->rule[plan->rule];
	bool tree = plan->engine == FOLLOW_FTREE;

	k->target = NO_ID;
	memset(k->load, 0, k->n_cables * sizeof(*k->load));
	memset(k->used, 0, k->n_cables * sizeof(*k->used));
	if (tree)
		follow_take_above(k, u->rank);
	progress_start(k->p, follow_engine[plan->engine], k->n_dests);
	for (uint32_t i = 0; i < k->n_dests && progress_step(k->p, i); i++) {
		const struct follow_dest *d = &plan->dest[i];
		bool grouped = k->target == d->sw;

		k->walk.made = false;
		follow_aim(k, u, d->sw);
		if (tree && !grouped)
			follow_group_sources(k, u->rank);
		if (tree)
			follow_name_tops(k, u, d, code);
		for (uint32_t s = 0; s < k->n; s++) {
			if (!k->judged[s])
				continue;
			uint32_t step = follow_cable_of(k, s, routing_port(k->r, s, d->lid));
			enum follow_class class = follow_plain(k, u, d, s);
			bool counts = !tree && s != d->sw && step != NO_ID;

			if (class != FOLLOW_LAWFUL) {
				follow_code_all(code, FOLLOW_MANY, class, follow_plain_bits(k, s, class));
			} else if (tree) {
				class = follow_tree_entry(k, s, step, code);
				counts = class != FOLLOW_LAWFUL;
			} else {
				class = follow_local_entry(k, s, step, code);
			}
			k->load[counts ? step : 0] += counts && d->host;
			n[class]++;
			follow_list(k, s, d, class);
		}
	}
	return !progress_cancelled(k->p);
}

/* --- roots ------------------------------------------------------------------------------------- */

/* Distances from the nearest switch of a set. */
static void follow_from(const struct follow_work *k, const uint8_t *set, uint8_t *hops)
{
	memset(hops, FOLLOW_FAR, k->n);
	for (uint32_t s = 0; s < k->n; s++)
		for (uint32_t x = 0; set[s] && x < k->n; x++)
			hops[x] = MIN(hops[x], k->dist[(size_t)s * k->n + x]);
}

/* Adds the rule of updn and ftree for some roots; NULL: for the ranks that the source tells. */
static void follow_add_roots(struct follow_work *k, const uint8_t *root, const char *words, bool single)
{
	struct follow_rule u = {.roots = words, .single = single, .hub = NO_ID};

	u.root = ARENA_ARRAY(k, k->n, uint8_t);
	u.rank = ARENA_ARRAY(k, k->n, uint8_t);
	for (uint32_t s = 0; s < k->n; s++)
		u.root[s] = root ? root[s] : k->f->switch_rank[s] == 1;
	follow_from(k, u.root, u.rank);
	for (uint32_t s = 0; !root && s < k->n; s++)
		u.rank[s] = (uint8_t)MIN(k->f->switch_rank[s] - 1u, FOLLOW_FAR);
	for (unsigned i = 0; i < k->n_rules; i++)
		if (k->rule[i].root && !memcmp(k->rule[i].root, u.root, k->n))
			return;
	u.up = ARENA_ARRAY(k, k->n_cables + 1, uint8_t);
	for (uint32_t s = 0; s < k->n; s++)
		for (uint32_t c = k->off[s]; c < k->off[s + 1]; c++)
			u.up[c] = follow_up(k, u.rank, s, k->cable[c].to);
	ARENA_GROW(k, k->rule, k->n_rules, k->cap_rules);
	k->rule[k->n_rules++] = u;
}

/* As OpenSM 3.3.23 finds them: one distance has more than 90 % of the hosts, and no other more than 5 %. */
static bool follow_by_hosts(const struct follow_work *k, uint8_t *root)
{
	uint64_t all = 0;

	for (uint32_t s = 0; s < k->n; s++)
		all += k->hosts[s];
	for (uint32_t x = 0; x < k->n; x++) {
		uint64_t at[FOLLOW_FAR + 1] = {0};
		unsigned most = 0, some = 0;

		for (uint32_t s = 0; s < k->n; s++)
			at[k->dist[(size_t)x * k->n + s]] += k->hosts[s];
		for (unsigned hops = 0; hops < FOLLOW_FAR; hops++) {
			most += 10 * at[hops] > 9 * all;
			some += 20 * at[hops] > all;
		}
		root[x] = most == 1 && some == 1;
	}
	return memchr(root, 1, k->n) != NULL;
}

struct follow_single {
	uint64_t turns;
	uint32_t sw;
};

COMPARATOR(follow_by_turns, struct follow_single, UP(turns) UP(sw))

/* Single roots with the fewest turns from down to up on the ways to switches. */
static void follow_add_singles(struct follow_work *k, uint8_t *root)
{
	AUTO_FREE struct follow_single *best = NEW_ARRAY(k->n + 1, struct follow_single);
	uint32_t *next = k->walk.next, *after = k->walk.top; /* switches one and two hops on; NO_ID */

	if ((uint64_t)k->n * k->n * k->n > FOLLOW_MOST_TURNS)
		return;
	for (uint32_t x = 0; x < k->n; x++)
		best[x].sw = x;
	progress_start(k->p, "looking for a root", k->n_dests);
	for (uint32_t i = 0; i < k->n_dests && progress_step(k->p, i); i++) {
		if (k->list[i].host)
			continue;
		for (uint32_t s = 0; s < k->n; s++) {
			uint32_t c = follow_cable_of(k, s, routing_port(k->r, s, k->list[i].lid));

			next[s] = c == NO_ID ? NO_ID : k->cable[c].to;
		}
		for (uint32_t s = 0; s < k->n; s++)
			after[s] = next[s] == NO_ID ? NO_ID : next[next[s]];
		for (uint32_t x = 0; x < k->n; x++) {
			const uint8_t *rank = k->dist + (size_t)x * k->n;

			for (uint32_t s = 0; s < k->n; s++)
				best[x].turns += after[s] != NO_ID && !follow_up(k, rank, s, next[s]) &&
						 follow_up(k, rank, next[s], after[s]);
		}
	}
	qsort(best, k->n, sizeof(*best), follow_by_turns);
	for (uint32_t i = 0; i < MIN(k->n, FOLLOW_MOST_SINGLE) && best[i].turns == best[0].turns; i++) {
		memset(root, 0, k->n);
		root[best[i].sw] = 1;
		follow_add_roots(k, root, "a single root, found by the tables", true);
	}
}

static bool follow_named_roots(const struct follow_work *k, uint8_t *root)
{
	const struct options *o = k->held->setup->options;
	struct guid_file g = {0};

	if (!options_find(o, "root_guid_file") || !options_file(o, "root_guid_file"))
		return false;
	option_guids_read(o, "root_guid_file", k->f, false, k->p, &g);
	for (size_t i = 0; i < g.n; i++) {
		uint32_t node = fabric_node_by_guid(k->f, g.l[i].guid);

		if (node != NO_ID && node_is_switch(k->f, node))
			root[k->f->node_switch[node]] = 1;
	}
	guid_file_free(&g);
	return memchr(root, 1, k->n) != NULL;
}

static void follow_find_roots(struct follow_work *k)
{
	AUTO_FREE uint8_t *root = NEW_ARRAY(k->n + 1, uint8_t);
	AUTO_ARENA uint32_t *hosts = routing_hosts(NULL, k->r);

	if (follow_named_roots(k, root)) {
		follow_add_roots(k, root, "given by root_guid_file", false);
	} else if (topo_ranks_told(k->held->topo)) {
		follow_add_roots(k, NULL, "by the ranks that the source tells", false);
	} else {
		AUTO_ARENA struct levels *l = levels_new(k->held->topo, hosts, k->p);

		if (l && l->n_roots && l->top)
			follow_add_roots(k, l->root, "by levels", false);
		if (switches_farthest(k->held->topo, FOLLOW_SPINE_HOSTS, root).n)
			follow_add_roots(k, root, "farthest from switches with more than 2 hosts", false);
		if (follow_by_hosts(k, root))
			follow_add_roots(k, root, "as OpenSM 3.3.23 finds them", false);
		follow_add_singles(k, root);
	}
}

const struct follow_try *follow_find(const struct follow *f, const char *engine)
{
	const char *plain = !strncmp(engine, "ar_", 3) ? engine + 3 : engine;

	for (unsigned i = 0; i < f->n; i++)
		if (!strcmp(f->try[i].engine, plain))
			return &f->try[i];
	return NULL;
}

uint64_t follow_entries(const struct follow_try *t)
{
	uint64_t all = 0;

	for (unsigned c = 0; c < FOLLOW_CLASSES; c++)
		all += t->n[c];
	return all;
}

uint64_t follow_broken(const struct follow_try *t)
{
	return t->n[FOLLOW_LONGER] + t->n[FOLLOW_AGAINST] + t->n[FOLLOW_EXTRA] + t->n[FOLLOW_MISSING];
}

uint64_t follow_free(const struct follow_try *t)
{
	return t->n[FOLLOW_FIRST] + t->n[FOLLOW_LEAST] + t->n[FOLLOW_MAIN] + t->n[FOLLOW_CABLE] +
	       t->n[FOLLOW_LAWFUL];
}

/* --- all of it --------------------------------------------------------------------------------- */

/* Takes what a plan's variants cost into the best try of its engine. scatter: as in follow_run(). */
static void follow_keep(struct follow *f, const struct follow_plan *plan, const double bits[FOLLOW_TIES],
			int scatter, struct follow_try *t)
{
	struct follow_try *best = &f->try[plan->engine];
	bool tree = plan->engine == FOLLOW_FTREE;

	for (unsigned ties = 0; ties < FOLLOW_TIES; ties++) {
		bool any = tree || ties == FOLLOW_TIES_ANY;
		bool allowed = any || scatter < 0 || (ties == FOLLOW_TIES_DRAWN) == (scatter > 0);

		if (any || ties == FOLLOW_TIES_DRAWN)
			best->bits_drawn = fmin(best->bits_drawn, bits[ties]);
		if (any || ties == FOLLOW_TIES_FIRST)
			best->bits_first = fmin(best->bits_first, bits[ties]);
		if (!allowed || bits[ties] >= best->bits)
			continue;
		t->bits = bits[ties];
		t->ties = ties;
		t->bits_drawn = best->bits_drawn;
		t->bits_first = best->bits_first;
		*best = *t;
	}
}

static bool follow_judge(struct follow_work *k, const struct follow_plan *plan, int scatter, struct follow *f)
{
	const struct follow_rule *u = &k->rule[plan->rule];
	struct follow_try t = {
		.engine = follow_engine[plan->engine], .roots = u->roots, .root = u->root, .hub = u->hub};
	struct follow_code code[FOLLOW_TIES] = {{.extra = 0}};
	uint64_t n[FOLLOW_CLASSES + 1] = {0};
	double bits[FOLLOW_TIES], found = log2(k->n); /* one of all switches */

	if (!follow_score(k, plan, code, n))
		return false;
	memcpy(t.n, n, sizeof(t.n));
	for (unsigned ties = 0; ties < FOLLOW_TIES; ties++)
		bits[ties] = follow_code_bits(&code[ties]) + (u->single ? found : 0) +
			     (u->hub != NO_ID ? found : 0);
	follow_keep(f, plan, bits, scatter, &t);
	return true;
}

/* Is the rule one of the plan's engine, and worth a look? */
static bool follow_applies(const struct follow_work *k, const struct follow *f,
			   const struct follow_plan *plan)
{
	const struct follow_rule *u = &k->rule[plan->rule];
	const struct follow_try *minhop = &f->try[FOLLOW_MINHOP];
	bool levels = false;

	for (uint32_t s = 0; u->rank && s < k->n; s++)
		levels |= u->rank[s] > 0 && u->rank[s] < FOLLOW_FAR;
	if (plan->engine == FOLLOW_MINHOP)
		return !u->rank && !u->one_way;
	if (plan->engine == FOLLOW_DOR) /* without a choice anywhere it is minhop */
		return u->one_way && (!minhop->engine || follow_free(minhop));
	if (plan->engine == FOLLOW_UPDN)
		return u->rank != NULL;
	return levels && !u->single && plan->dest == k->list;
}

static void follow_make_rules(struct follow_work *k)
{
	size_t all = (size_t)k->n * k->n;
	struct follow_rule plain = {.roots = "", .down = k->dist, .any = k->dist, .hub = NO_ID};

	k->rule = ARENA_ARRAY(k, k->cap_rules = 16, struct follow_rule);
	k->rule[k->n_rules++] = plain;
	plain.one_way = true;
	k->rule[k->n_rules++] = plain;
	follow_find_roots(k);
	k->ways = ARENA_ARRAY(k, 2 * all + 1, uint8_t);
}

/* Makes the ways of a rule with roots.  They replace those of the rule before. */
static bool follow_make_ways(struct follow_work *k, struct follow_rule *u)
{
	size_t all = (size_t)k->n * k->n;

	if (!u->rank)
		return true;
	u->down = k->ways;
	u->any = k->ways + all;
	memset(k->ways, FOLLOW_FAR, 2 * all);
	progress_start(k->p, "legal ways", k->n);
	for (uint32_t t = 0; t < k->n && progress_step(k->p, t); t++)
		follow_legal_ways(k, u, t);
	u->hub = follow_find_hub(k, u);
	return !progress_cancelled(k->p);
}

COMPARATOR(follow_by_bits, struct follow_try, UP(bits))

/* Compacts and orders the tries: fewest bits first. */
static void follow_order(const struct follow_work *k, struct follow *f)
{
	qsort(f->try, FOLLOW_ENGINES, sizeof(*f->try), follow_by_bits);
	while (f->n < FOLLOW_ENGINES && f->try[f->n].engine)
		f->n++;
	for (unsigned i = 0; i < f->n; i++)
		if (f->try[i].root)
			f->try[i].root = arena_dup(f, f->try[i].root, k->n);
}

static bool follow_try_all(struct follow_work *k, struct follow *f, const char *engine, int scatter)
{
	struct follow_plan best = {.rule = NO_ID};

	for (unsigned g = 0; g < FOLLOW_ENGINES; g++)
		f->try[g].bits = f->try[g].bits_drawn = f->try[g].bits_first = INFINITY;
	for (unsigned i = 0; i < 2 * FOLLOW_ENGINES * k->n_rules; i++) {
		struct follow_plan plan = {i / 2 % FOLLOW_ENGINES, i / 2 / FOLLOW_ENGINES,
					   i % 2 ? k->by_lid : k->list};
		double before = f->try[plan.engine].bits;

		if (!(i % (2 * FOLLOW_ENGINES)) && !follow_make_ways(k, &k->rule[plan.rule]))
			return false;
		if ((engine && strcmp(engine, follow_engine[plan.engine]) != 0) ||
		    !follow_applies(k, f, &plan))
			continue;
		if (!follow_judge(k, &plan, scatter, f))
			return false;
		best = f->try[plan.engine].bits < before ? plan : best;
	}
	k->into = engine && best.rule != NO_ID ? f : NULL;
	if (k->into && !(follow_make_ways(k, &k->rule[best.rule]) && follow_judge(k, &best, scatter, f)))
		return false;
	follow_order(k, f);
	return true;
}

COMPARATOR(follow_by_place, struct follow_entry, UP(sw) UP(lid))

struct follow *follow_run(const struct sweep *held, const char *engine, struct progress *p, struct err *e)
{
	assert(held->routing);
	struct follow *f = ARENA_NEW(NULL, struct follow);
	const struct options *o = held->setup->options;
	int scatter = -1, rc = -1; /* scatter: 1 ties are known to be drawn, 0 not to be, -1 unknown */

	if (engine && !strncmp(engine, "ar_", 3))
		engine += 3;
	f->fabric = fabric_unref_later(f, fabric_ref(held->fabric));
	f->try = ARENA_ARRAY(f, FOLLOW_ENGINES, struct follow_try);
	f->scatter_known = options_is_set(o, "scatter_ports") || nvidia_rules(o);
	if (f->scatter_known)
		scatter = options_uint(o, "scatter_ports") > 0;
	AUTO_ARENA struct follow_work *k = follow_work_new(held, f, p, e);
	if (k && (!k->n_dests || !f->n_switches)) {
		err_set(e, "there is nothing to judge: no switch has a table");
	} else if (k) {
		bool done = follow_take_hops(k);

		if (done)
			follow_make_rules(k);
		rc = done && follow_try_all(k, f, engine, scatter) ? 0 : err_set(e, CANCELLED);
	}
	if (!rc && f->n) {
		if (f->n_entries)
			qsort(f->entry, f->n_entries, sizeof(*f->entry), follow_by_place);
		return f;
	}
	bool known = false;
	for (unsigned i = 0; engine && i < FOLLOW_ENGINES; i++)
		known |= !strcmp(engine, follow_engine[i]);
	if (!rc && known)
		err_set(e, "no roots are known, from which %s has its levels: `set root_guid_file FILE`",
			engine);
	else if (!rc)
		err_set(e, "found \"%s\", expected minhop, dor, updn, ftree or one of these with ar_",
			engine);
	arena_free(f);
	return NULL;
}
