#include "engines/assign.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/base/text.h"

#include <stdlib.h>
#include <string.h>
#include "engines/order.h"
#include "engines/random.h"

#define MAX_WORDS 4 /* of a mask: 255 ports */
#define NONE UINT32_MAX

/* --- the work ------------------------------------------------------------------------ */

/* A destination: an endport, ready for the loop over the LIDs. */
struct dest {
	uint32_t endport;
	uint32_t target; /* switch it hangs on, NO_ID = none */
	uint16_t lid, count;
	uint8_t swport; /* port at that switch */
	bool is_switch, scatter;
};

/* Remote node that some LIDs of a destination go through at the present switch. */
struct track {
	uint32_t node;
	uint32_t forwarded;
	uint8_t port; /* number of the remote port */
};

/* A candidate of one choice. */
struct cand {
	uint8_t port;
	bool sys_used, node_used;
	bool present; /* its track exists (DOR: always) */
	uint32_t count, forwarded;
};

struct assign {
	const struct engine_input *in;
	const struct topo *t;
	const struct fabric *f;
	const struct hops *h;
	struct routing *out;
	bool dor, shifting, profile_switches, plain;
	unsigned lmc;
	struct dest *dest;
	uint32_t n_dest;
	struct search_order search;
	uint8_t *ignored; /* [n_ports] or NULL */
	struct glibc_random random;
	struct track *track; /* [n_dest << lmc], lmc > 0 only */
	uint8_t *n_track;    /* [n_dest] */
	uint64_t *mask;	     /* [n_switches * MAX_WORDS] */
	uint8_t *row;	     /* [max_lid + 1] new table of the present switch */

	/* the present switch */
	uint32_t sw, p0;
	unsigned num_ports, words;
	const struct lft_row *current;
	const uint8_t *order;  /* port search order, NULL = ascending */
	const uint8_t *ignore; /* [num_ports] or NULL */
	uint32_t count[256];
	struct cand cand[256];
	bool observed;
};

/* --- choosing ------------------------------------------------------------------------- */

/* What a choice was made of, beside the port. */
struct choice {
	uint8_t port;
	const char *rule;
	unsigned n;	      /* candidates in a->cand, when looked at */
	uint32_t drawn, ties; /* random value, ports it was drawn for */
};

static const char rule_kept[] = "kept", rule_random[] = "random";

static inline bool mask_has(const uint64_t *mask, unsigned p)
{
	return mask[p / 64] >> (p & 63) & 1;
}

/* The entry of the switch's present table, NO_PATH when there is none to be looked at. */
static inline unsigned current_port(const struct lft_row *row, unsigned lid)
{
	return row && lid <= row->top ? row->port[lid] : NO_PATH;
}

/* Early results: true when the choice is made. */
static inline bool choose_early(const struct assign *a, const struct dest *d, unsigned lid,
				const uint64_t **mask, struct choice *c)
{
	unsigned q;

	if (d->target == a->sw) {
		*c = (struct choice){.port = d->swport, .rule = d->is_switch ? "own LID" : "attached here"};
		return true;
	}
	c->port = NO_PATH;
	if (d->target == NO_ID) {
		c->rule = "not attached to a switch";
		return true;
	}
	if (hops_least(a->h, a->sw, d->target) == NO_PATH) {
		c->rule = "unreachable";
		return true;
	}
	*mask = a->mask + (size_t)d->target * a->words;
	q = current_port(a->current, lid);
	if (q < a->num_ports && mask_has(*mask, q)) {
		c->port = q;
		c->rule = rule_kept;
		return true;
	}
	return false;
}

/* No options, LMC 0: the first of the candidates with the smallest count. */
static inline unsigned least_count(const uint32_t *count, const uint64_t *mask, unsigned words)
{
	uint32_t least = NONE;
	unsigned best = NO_PATH;

	for (unsigned w = 0; w < words; w++)
		for (uint64_t m = mask[w]; m; m &= m - 1) {
			unsigned p = w * 64 + __builtin_ctzll(m);
			bool less = count[p] < least;

			best = less ? p : best;
			least = less ? count[p] : least;
		}
	return best;
}

static uint32_t remote_node(const struct assign *a, unsigned port)
{
	return a->f->port_node[a->t->peer[a->p0 + port]];
}

/* Add a candidate, unless DOR drops it: it leads to another node than the first one does. */
static inline void add_cand(struct assign *a, struct choice *c, unsigned port)
{
	if (a->dor && c->n && remote_node(a, port) != remote_node(a, a->cand[0].port))
		return;
	a->cand[c->n++] = (struct cand){.port = port, .count = a->count[port]};
}

/* Bits of word w that stand for ports below `port`. */
static inline uint64_t bits_below(unsigned w, unsigned port)
{
	if (port / 64 != w)
		return port / 64 > w ? UINT64_MAX : 0;
	return ((uint64_t)1 << (port & 63)) - 1;
}

/* The candidates in the order in which they are looked at (engines/doc/minhop.md 6.1). */
static void list_candidates(struct assign *a, const uint64_t *mask, unsigned start, struct choice *c)
{
	unsigned first = start % a->num_ports;

	if (a->order) {
		for (unsigned k = 0, i = first; k < a->num_ports; k++, i = i + 1 < a->num_ports ? i + 1 : 0)
			if (mask_has(mask, a->order[i]))
				add_cand(a, c, a->order[i]);
		return;
	}
	for (unsigned w = 0; w < a->words; w++)
		for (uint64_t m = mask[w] & ~bits_below(w, first); m; m &= m - 1)
			add_cand(a, c, w * 64 + __builtin_ctzll(m));
	for (unsigned w = 0; w < a->words; w++)
		for (uint64_t m = mask[w] & bits_below(w, first); m; m &= m - 1)
			add_cand(a, c, w * 64 + __builtin_ctzll(m));
}

/* Best ports so far under the rules for several LIDs a port. */
struct best {
	uint32_t paths, sys, node, fwd; /* smallest counts */
	uint8_t port, port_sys, port_node;
};

static const struct best best_none = {NONE, NONE, NONE, NONE, 0, 0, 0};

/* Look up what the LIDs before used: sets sys_used, node_used, present, forwarded; returns the track, NULL =
 * none. */
static const struct track *find_track(const struct assign *a, uint32_t dest, struct cand *k, bool *sys)
{
	const struct fabric *f = a->f;
	const struct track *t = a->track + ((size_t)dest << a->lmc), *end = t + a->n_track[dest];
	uint32_t peer = a->t->peer[a->p0 + k->port], node = f->port_node[peer];

	*sys = false;
	for (; t < end; t++) {
		*sys |= f->node_sysguid[t->node] == f->node_sysguid[node];
		if (t->node == node && (!a->dor || t->port == f->port_num[peer]))
			return t;
	}
	return NULL;
}

/* Fill in what depends on earlier LIDs and keep the best new system and new node. */
static void weigh_lmc(const struct assign *a, uint32_t dest, struct cand *k, struct best *b, bool *fn)
{
	bool sys;
	const struct track *t = find_track(a, dest, k, &sys);

	k->present = t || a->dor;
	k->forwarded = t ? t->forwarded : 0;
	if (a->dor)
		return;
	if (!sys) {
		if (k->count < b->sys) {
			b->sys = k->count;
			b->port_sys = k->port;
			b->fwd = 0;
		}
	} else {
		if (!t && k->count < b->node) {
			b->node = k->count;
			b->port_node = k->port;
			b->fwd = 0;
		}
		*fn = t != NULL;
		k->sys_used = true;
	}
	k->node_used = *fn;
}

/* The first pass over the candidates; ties gets those of smallest count when scattering. */
static void weigh(struct assign *a, uint32_t dest, bool scatter, struct choice *c, struct best *b,
		  uint8_t *ties)
{
	bool fn = false;

	*b = best_none;
	for (unsigned i = 0; i < c->n; i++) {
		struct cand *k = &a->cand[i];

		if (a->lmc)
			weigh_lmc(a, dest, k, b, &fn);
		if (k->count < b->paths) {
			b->port = k->port;
			b->paths = k->count;
			c->ties = 0;
			ties[c->ties++] = k->port;
			if (k->present && k->forwarded < b->fwd)
				b->fwd = k->forwarded;
		} else if (scatter && k->count == b->paths) {
			ties[c->ties++] = k->port;
		} else if (k->present && k->count == b->paths && k->forwarded < b->fwd) {
			b->fwd = k->forwarded;
			b->port = k->port;
		}
	}
}

/* One candidate of the second pass of port_shifting. */
static void weigh_shifted(const struct assign *a, const struct cand *k, struct best *b)
{
	bool used = a->lmc && (k->sys_used || k->node_used);

	if (a->lmc && !k->sys_used && k->count < b->sys) {
		b->sys = k->count;
		b->port_sys = k->port;
		b->fwd = 0;
	} else if (a->lmc && !k->node_used && k->count < b->node) {
		b->node = k->count;
		b->port_node = k->port;
		b->fwd = 0;
	}
	if (k->count < b->paths) {
		b->port = k->port;
		b->paths = k->count;
		if (used && k->forwarded < b->fwd)
			b->fwd = k->forwarded;
	} else if (used && k->count == b->paths && k->forwarded < b->fwd) {
		b->fwd = k->forwarded;
		b->port = k->port;
	}
}

static void shift(const struct assign *a, const struct choice *c, struct best *b)
{
	uint64_t total = 0;
	unsigned at;

	for (unsigned i = 0; i < c->n; i++)
		total += a->cand[i].count;
	at = total / c->n % c->n;
	*b = best_none;
	for (unsigned i = 0; i < c->n; i++, at = at + 1 < c->n ? at + 1 : 0)
		weigh_shifted(a, &a->cand[at], b);
}

/* Words for the rule that made a port win by its count. */
static const char *count_rule(const struct assign *a, const struct choice *c)
{
	uint32_t least = NONE;
	unsigned equal = 0;
	uint8_t first = 0;

	for (unsigned i = 0; i < c->n; i++) {
		if (a->cand[i].count < least) {
			least = a->cand[i].count;
			first = a->cand[i].port;
			equal = 0;
		}
		equal += a->cand[i].count == least;
	}
	if (equal == 1)
		return "least count";
	if (a->shifting)
		return "shifted";
	return first == c->port ? "first of equals" : "least forwarded";
}

/* Any options, any LMC. */
static void choose_full(struct assign *a, uint32_t dest, const uint64_t *mask, unsigned start, bool scatter,
			struct choice *c)
{
	uint8_t ties[256];
	struct best b;

	list_candidates(a, mask, start, c);
	if (!c->n) {
		c->rule = "no candidate";
		return;
	}
	if (c->n == 1 && !scatter && !a->observed) {
		c->port = a->cand[0].port;
		return;
	}
	weigh(a, dest, scatter, c, &b, ties);
	if (scatter) {
		c->drawn = glibc_random_next(&a->random);
		c->port = ties[c->drawn % c->ties];
		c->rule = rule_random;
		return;
	}
	if (a->shifting)
		shift(a, c, &b);
	c->port = b.port;
	if (a->lmc && b.port && b.port_sys) {
		c->port = b.port_sys;
		c->rule = "new system";
	} else if (a->lmc && b.port && b.port_node) {
		c->port = b.port_node;
		c->rule = "new node";
	}
}

/* --- telling the observer ------------------------------------------------------------- */

static const char *const quantity_names[] = {"hops", "routes", "system used", "node used", "forwarded"};

static const char *why_not_counted(const struct assign *a, const struct dest *d, unsigned port)
{
	if (port == NO_PATH)
		return "no entry";
	if (d->is_switch && !a->profile_switches)
		return "not counted: routes to switches are not";
	if (a->ignore && a->ignore[port])
		return "not counted: the port is in port_prof_ignore_file";
	return "counted";
}

/* Candidates of a plain choice are listed only for somebody who listens. */
static void report_choice(struct assign *a, const struct dest *d, unsigned lid, const uint64_t *mask,
			  struct choice *c)
{
	struct step_candidate sc[256];
	struct step s = {.kind = STEP_CHOICE,
			 .sw = a->sw,
			 .sw2 = d->target,
			 .lid = lid,
			 .port = c->port,
			 .quantity = quantity_names,
			 .candidate = sc};
	struct text t = {0};

	if (mask && !c->n && (!c->rule || c->rule == rule_kept))
		list_candidates(a, mask, 1, c);
	s.n_quantities = a->lmc ? 5 : 2;
	s.old_port = current_port(a->current, lid);
	if (c->n == 1 && c->rule != rule_kept)
		s.rule = "only candidate";
	else
		s.rule = c->rule ? c->rule : count_rule(a, c);
	s.n_candidates = c->n;
	for (unsigned i = 0; i < c->n; i++) {
		const struct cand *k = &a->cand[i];

		sc[i] = (struct step_candidate){
			.port = k->port,
			.peer = a->t->peer[a->p0 + k->port],
			.q = {hops_least(a->h, a->sw, d->target), k->count, k->sys_used, k->node_used,
			      k->forwarded, INT64_MIN},
		};
	}
	text_add(&t, "%s", s.rule);
	if (c->n)
		text_add(&t, " of %u candidate%s at %u hops", c->n, c->n == 1 ? "" : "s",
			 hops_least(a->h, a->sw, d->target));
	if (c->rule == rule_random)
		text_add(&t, ", %u with the least count, value %u", c->ties, c->drawn);
	text_add(&t, "; %s", why_not_counted(a, d, c->port));
	s.text = text_str(&t);
	observe(a->in, &s);
	text_free(&t);
}

static void report_switch(const struct assign *a)
{
	struct text t = {0};
	unsigned entries = 0;

	for (unsigned lid = 1; lid <= a->in->lids->max_lid; lid++)
		entries += a->row[lid] != NO_PATH;
	text_add(&t, "table finished: %u entries; routes counted per port:", entries);
	for (unsigned p = 0; p < a->num_ports; p++)
		if (a->count[p])
			text_add(&t, " %u:%u", p, a->count[p]);
	observe_text(a->in, STEP_SWITCH, a->sw, "%s", text_str(&t));
	text_free(&t);
}

/* --- one switch --------------------------------------------------------------------------- */

/* Count a route, and remember the node it goes through. */
static inline void account(struct assign *a, uint32_t dest, unsigned port)
{
	const struct dest *d = &a->dest[dest];
	uint32_t peer;
	struct track *t, *end;

	if (port == NO_PATH || (d->is_switch && !a->profile_switches) || (a->ignore && a->ignore[port]))
		return;
	a->count[port]++;
	if (!a->lmc || !port)
		return;
	peer = a->t->peer[a->p0 + port];
	t = a->track + ((size_t)dest << a->lmc);
	end = t + a->n_track[dest];
	while (t < end && !(t->node == a->f->port_node[peer] && (!a->dor || t->port == a->f->port_num[peer])))
		t++;
	if (t == end) {
		*t = (struct track){.node = a->f->port_node[peer], .port = a->f->port_num[peer]};
		a->n_track[dest]++;
	}
	t->forwarded++;
}

/* One LID with everything that options and listeners may want. */
static void assign_lid(struct assign *a, uint32_t dest, unsigned off, bool plain)
{
	const struct dest *d = &a->dest[dest];
	const uint64_t *mask = NULL;
	unsigned lid = d->lid + off, start = 1;
	struct choice c = {.port = NO_PATH};

	if (off && !a->dor)
		start = a->row[lid - 1] + 1;
	if (!choose_early(a, d, lid, &mask, &c)) {
		if (plain)
			c.port = least_count(a->count, mask, a->words);
		else
			choose_full(a, dest, mask, start, !off && d->scatter, &c);
	}
	a->row[lid] = c.port;
	if (a->observed && (!a->in->observer->lid || a->in->observer->lid == lid))
		report_choice(a, d, lid, mask, &c);
	account(a, dest, c.port);
}

/* The loop for LMC 0 without options and listeners; `words` is a constant where it is inlined. */
static inline void assign_plain(struct assign *a, unsigned words)
{
	bool profile = a->profile_switches;

	for (uint32_t i = 0; i < a->n_dest; i++) {
		const struct dest *d = &a->dest[i];
		const uint64_t *mask;
		struct choice c;

		if (!choose_early(a, d, d->lid, &mask, &c))
			c.port = least_count(a->count, mask, words);
		a->row[d->lid] = c.port;
		a->count[c.port] +=
			c.port != NO_PATH && (profile | !d->is_switch) && !(a->ignore && a->ignore[c.port]);
	}
}

static void start_switch(struct assign *a, uint32_t sw)
{
	const struct engine_input *in = a->in;
	const struct observer *o = in->observer;

	a->sw = sw;
	a->p0 = a->f->switch_port[sw];
	a->num_ports = a->f->switch_nports[sw] + 1;
	a->words = mask_words(a->f, sw);
	a->current = in->current ? in->current->row[sw] : NULL;
	a->order = a->search.has && a->search.has[sw] ? a->search.order + a->p0 : NULL;
	a->ignore = a->ignored ? a->ignored + a->p0 : NULL;
	a->observed = o && (o->sw == NO_ID || o->sw == sw);
	memset(a->count, 0, sizeof(a->count));
	if (in->left && in->left->count)
		memcpy(a->count, in->left->count + a->p0, a->num_ports * sizeof(*a->count));
	memset(a->row, NO_PATH, in->lids->max_lid + 1u);
	if (a->n_track)
		memset(a->n_track, 0, a->n_dest);
	hops_masks(a->h, a->t, sw, a->mask);
}

static void assign_switch(struct assign *a, uint32_t sw)
{
	bool plain;

	start_switch(a, sw);
	plain = a->plain && !a->order;
	if (plain && !a->observed) {
		if (a->words == 1)
			assign_plain(a, 1);
		else
			assign_plain(a, a->words);
		return;
	}
	for (unsigned off = 0; off < 1u << a->lmc; off++)
		for (uint32_t i = 0; i < a->n_dest; i++)
			if (off < a->dest[i].count)
				assign_lid(a, i, off, plain);
	if (a->observed && !a->in->observer->lid)
		report_switch(a);
}

/* Does a routing have the very row that was just made? */
static bool same_row(const struct assign *a, const struct routing *r)
{
	unsigned top = a->in->lids->max_lid;
	const struct lft_row *old = r ? r->row[a->sw] : NULL;

	return old && old->top == top && !memcmp(old->port, a->row, top + 1);
}

static void store_row(struct assign *a)
{
	const struct engine_input *in = a->in;
	unsigned top = in->lids->max_lid;

	if (same_row(a, in->previous)) {
		routing_share_row(a->out, in->previous, a->sw);
	} else if (same_row(a, in->current)) {
		routing_share_row(a->out, in->current, a->sw);
	} else {
		a->out->row[a->sw] = lft_row_new(top);
		memcpy(a->out->row[a->sw]->port, a->row, top + 1);
	}
}

/* --- all switches ---------------------------------------------------------------------------- */

static void fill_dests(struct assign *a, const struct order *o)
{
	const struct lids *l = a->in->lids;

	a->dest = NEW_ARRAY(o->n, struct dest);
	for (uint32_t i = 0; i < o->n; i++) {
		uint32_t ep = o->endport[i];

		if (!l->base[ep])
			continue;
		a->dest[a->n_dest++] = (struct dest){
			.endport = ep,
			.target = a->t->endport_switch[ep],
			.swport = a->t->endport_swport[ep],
			.lid = l->base[ep],
			.count = l->count[ep],
			.is_switch = endport_is_switch(a->f, ep),
			.scatter = o->scatter[i],
		};
	}
}

static void assign_start(struct assign *a, struct engine_output *out)
{
	const struct options *op = a->in->options;
	unsigned seed = options_uint(op, "scatter_ports");
	struct order o;

	a->lmc = a->in->lids->lmc;
	a->shifting = options_bool(op, "port_shifting");
	a->profile_switches = options_bool(op, "port_profile_switch_nodes");
	a->plain = !a->lmc && !a->shifting && !a->dor && !seed;
	glibc_random_seed(&a->random, seed);
	order_build(a->in, out, &o);
	fill_dests(a, &o);
	order_free(&o);
	search_order_read(a->in, out, &a->search);
	a->ignored = ignored_ports_read(a->in, out);
	a->mask = NEW_ARRAY((size_t)a->f->n_switches * MAX_WORDS, uint64_t);
	a->row = NEW_ARRAY(a->in->lids->max_lid + 1u, uint8_t);
	if (a->lmc) {
		a->track = NEW_ARRAY((size_t)a->n_dest << a->lmc, struct track);
		a->n_track = NEW_ARRAY(a->n_dest, uint8_t);
	}
}

static void assign_end(struct assign *a)
{
	free(a->dest);
	search_order_free(&a->search);
	free(a->ignored);
	free(a->mask);
	free(a->row);
	free(a->track);
	free(a->n_track);
	free(a);
}

/* Is there nothing to hear from a switch?  Random numbers couple it to those before it. */
static bool skipped(const struct assign *a, uint32_t sw)
{
	const struct observer *o = a->in->observer;

	if (!switch_up(a->t, sw))
		return true;
	if (!o || o->sw == NO_ID || o->sw == sw)
		return false;
	return sw > o->sw || !options_uint(a->in->options, "scatter_ports");
}

bool assign_ports(const struct engine_input *in, struct engine_output *out, const struct hops *h, bool dor,
		  const uint8_t *touched, struct routing *r)
{
	struct assign *a = NEW(struct assign);
	uint32_t n = in->topo->fabric->n_switches;
	bool go_on = true;

	a->in = in;
	a->t = in->topo;
	a->f = in->topo->fabric;
	a->h = h;
	a->out = r;
	a->dor = dor;
	assign_start(a, out);
	observe_text(in, STEP_PHASE, NO_ID, "choice of ports, switch by switch");
	progress_start(in->progress, "choosing ports", n);
	for (uint32_t sw = 0; sw < n && (go_on = progress_step(in->progress, sw)); sw++) {
		if (skipped(a, sw))
			continue;
		if (touched && !touched[sw]) {
			routing_share_row(r, in->current, sw);
			continue;
		}
		assign_switch(a, sw);
		store_row(a);
	}
	assign_end(a);
	return go_on;
}

struct routing *assign_routing(const char *engine, const struct engine_input *in, struct engine_output *out,
			       struct hops *h, bool dor, const uint8_t *touched)
{
	struct routing *r = routing_new(engine, in->topo, in->lids);

	r->ops = &hops_routing_ops;
	r->priv = h;
	if (assign_ports(in, out, h, dor, touched, r))
		return r;
	err_set(&out->refused, CANCELLED);
	routing_unref(r);
	return NULL;
}

struct routing *min_hop_route(const char *engine, bool dor, const struct engine_input *in,
			      struct engine_output *out)
{
	struct hops *h = hops_build(in, out);

	if (h)
		return assign_routing(engine, in, out, h, dor, NULL);
	err_set(&out->refused, CANCELLED);
	return NULL;
}

/* Are the LIDs the same, at the same places? */
static bool same_dests(const struct engine_input *in, const struct routing *old)
{
	const struct lids *a = in->lids, *b = old->lids;
	const struct topo *t = in->topo, *u = old->topo;
	size_t n = t->fabric->n_endports;

	return a->max_lid == b->max_lid && a->lmc == b->lmc &&
	       !memcmp(a->base, b->base, n * sizeof(*a->base)) &&
	       !memcmp(a->count, b->count, n * sizeof(*a->count)) &&
	       !memcmp(t->endport_switch, u->endport_switch, n * sizeof(*t->endport_switch)) &&
	       !memcmp(t->endport_swport, u->endport_swport, n * sizeof(*t->endport_swport));
}

/*
 * Switches where no cost and no mask changed keep every entry that choose()
 * would look at, so their tables stay, unless LIDs came, went or moved.
 */
struct routing *min_hop_update(const char *engine, bool dor, const struct engine_input *in,
			       struct engine_output *out)
{
	const struct routing *old = in->previous;
	struct hops *h = NULL;
	struct routing *r;
	uint8_t *touched;

	if (!old || OBSERVED(in) || (in->left && in->left->hops) ||
	    options_file(in->options, "hop_weights_file") || old->ops != &hops_routing_ops ||
	    strcmp(old->engine, engine) || old->topo->fabric != in->topo->fabric)
		return min_hop_route(engine, dor, in, out);
	touched = NEW_ARRAY(in->topo->fabric->n_switches, uint8_t);
	h = hops_update(old->priv, old->topo, in->topo, touched);
	if (h)
		r = assign_routing(engine, in, out, h, dor,
				   in->current == old && same_dests(in, old) ? touched : NULL);
	else
		r = min_hop_route(engine, dor, in, out);
	free(touched);
	return r;
}
