#include "engines/counted/counted.h"

#include <assert.h>
#include <string.h>

#define NONE UINT32_MAX
#define LOOK_EVERY 256 /* LIDs, between two looks whether the work is cancelled */

/* Cases that need no candidates. True when the choice is made. */
static inline bool choose_early(const struct assign *a, const struct dest *d, unsigned lid,
				const uint64_t **mask, struct choice *c)
{
	if (d->target == a->sw) {
		*c = (struct choice){.port = d->swport, .rule = d->is_switch ? WHY_OWN_LID : WHY_ATTACHED};
		return true;
	}
	c->port = NO_PATH;
	if (d->target == NO_ID) {
		c->rule = WHY_NOT_ATTACHED;
		return true;
	}
	if (hops_least(a->h, a->sw, d->target) == NO_PATH) {
		c->rule = WHY_NO_WAY;
		return true;
	}
	*mask = a->mask + (size_t)d->target * a->words;
	unsigned q = current_port(a->current, lid);
	if (q < a->num_ports && mask_has(*mask, q)) {
		c->port = q;
		c->rule = WHY_KEPT;
		return true;
	}
	return false;
}

/* --- the choice with any options and several LIDs per port ------------------------------ */

static uint32_t remote_node(const struct assign *a, unsigned port)
{
	return a->f->port_node[a->t->peer[a->p0 + port]];
}

/* Adds a candidate to the n before it. DOR drops it if it leads to another node than the first one. */
static inline unsigned add_cand(struct assign *a, unsigned n, unsigned port)
{
	if (a->dor && n && remote_node(a, port) != remote_node(a, a->cand[0].port))
		return n;
	a->cand[n] = (struct cand){.port = port, .count = a->count[port]};
	return n + 1;
}

/* The bits of word w that stand for ports below `port`. */
static inline uint64_t bits_below(unsigned w, unsigned port)
{
	if (port / 64 != w)
		return port / 64 > w ? UINT64_MAX : 0;
	return ((uint64_t)1 << (port & 63)) - 1;
}

unsigned assign_list_candidates(struct assign *a, const uint64_t *mask, unsigned start)
{
	unsigned first = start % a->num_ports, n = 0;

	if (a->order) {
		for (unsigned k = 0, i = first; k < a->num_ports; k++, i = i + 1 < a->num_ports ? i + 1 : 0)
			if (mask_has(mask, a->order[i]))
				n = add_cand(a, n, a->order[i]);
		return n;
	}
	for (unsigned w = 0; w < a->words; w++)
		for (uint64_t m = mask[w] & ~bits_below(w, first); m; m &= m - 1)
			n = add_cand(a, n, w * 64 + __builtin_ctzll(m));
	for (unsigned w = 0; w < a->words; w++)
		for (uint64_t m = mask[w] & bits_below(w, first); m; m &= m - 1)
			n = add_cand(a, n, w * 64 + __builtin_ctzll(m));
	return n;
}

/* The best ports so far, by the rules for several LIDs per port. */
struct best {
	uint32_t paths, sys, node, fwd; /* smallest counts */
	uint8_t port, port_sys, port_node;
};

#define BEST_NONE ((struct best){NONE, NONE, NONE, NONE, 0, 0, 0})

/* Weighs a candidate by earlier LIDs, and keeps the best port to a new system and to a new node. */
static void weigh_lmc(const struct assign *a, uint32_t dest, struct cand *k, struct best *b, bool *fn)
{
	const struct fabric *f = a->f;
	const struct track *t = a->track + ((size_t)dest << a->lmc), *end = t + a->n_track[dest];
	uint32_t peer = a->t->peer[a->p0 + k->port], node = f->port_node[peer];
	bool sys = false;

	for (; t < end; t++) { /* what earlier LIDs used */
		sys |= f->node_sysguid[t->node] == f->node_sysguid[node];
		if (t->node == node && (!a->dor || t->port == f->port_num[peer]))
			break;
	}
	t = t < end ? t : NULL;
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

/*
 * The first pass over n candidates. When scattering, ties receives those of least count, otherwise the first
 * of them. Returns their number.
 */
static unsigned weigh(struct assign *a, uint32_t dest, bool scatter, unsigned n, struct best *b,
		      uint8_t *ties)
{
	unsigned n_ties = 0;
	bool fn = false;

	*b = BEST_NONE;
	for (unsigned i = 0; i < n; i++) {
		struct cand *k = &a->cand[i];

		if (a->lmc)
			weigh_lmc(a, dest, k, b, &fn);
		if (k->count < b->paths) {
			b->port = k->port;
			b->paths = k->count;
			n_ties = 0;
			ties[n_ties++] = k->port;
			if (k->present && k->forwarded < b->fwd)
				b->fwd = k->forwarded;
		} else if (scatter && k->count == b->paths) {
			ties[n_ties++] = k->port;
		} else if (k->present && k->count == b->paths && k->forwarded < b->fwd) {
			b->fwd = k->forwarded;
			b->port = k->port;
		}
	}
	return n_ties;
}

/* Weighs one candidate in the second pass of port_shifting. */
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

unsigned assign_shift(const struct assign *a, unsigned n)
{
	uint64_t total = 0;

	assert(n);
	for (unsigned i = 0; i < n; i++)
		total += a->cand[i].count;
	return total / n % n;
}

/*
 * The choice by the words of OpenSM's manual (the program looks at all earlier LIDs instead). `before` is the
 * port of the LID before. A port to another system than that one's is best, then to another node, then the
 * least count. Under manual rules, candidates are marked accordingly. *as_good: is port `other` equally good
 * by these words?
 */
static struct choice assign_switch_by_manual(struct assign *a, unsigned before, unsigned n, unsigned other,
					     bool *as_good)
{
	static const enum why_rule rules[] = {WHY_NEW_SYSTEM, WHY_NEW_NODE, WHY_UNTOLD};
	unsigned at = a->shifting ? assign_shift(a, n) : 0, port[3] = {0}, best = 0, others = 0;
	uint32_t old = remote_node(a, before), least[3] = {NONE, NONE, NONE}, count = 0;

	for (unsigned i = 0; i < n; i++, at = at + 1 < n ? at + 1 : 0) {
		struct cand *k = &a->cand[at];
		uint32_t node = remote_node(a, k->port);
		unsigned class = a->f->node_sysguid[node] != a->f->node_sysguid[old] ? 0
				 : node != old					     ? 1
										     : 2;

		if (a->manual)
			*k = (struct cand){k->port, class > 0, class > 1, false, k->count, 0};
		if (k->port == other) {
			others = class;
			count = k->count;
		}
		if (k->count < least[class]) {
			least[class] = k->count;
			port[class] = k->port;
		}
	}
	while (!port[best])
		best++;
	*as_good = others == best && count == least[best];
	return (struct choice){.port = port[best], .rule = rules[best], .n = n};
}

/* The choice with any options and LMC for LID number `off` of a destination. */
static inline void assign_switch_choose(struct assign *a, uint32_t dest, unsigned off, const uint64_t *mask,
					struct choice *c)
{
	const struct dest *d = &a->dest[dest];
	unsigned before = off ? a->row[d->lid + off - 1] : NO_PATH; /* the port of the LID before */
	unsigned n = assign_list_candidates(a, mask, off && !a->dor ? before + 1 : 1);
	bool scatter = !off && d->scatter;
	uint8_t ties[256];
	struct best b;

	c->n = n;
	if (!n)
		return;
	if (n == 1 && !scatter && !a->asked) {
		c->port = a->cand[0].port;
		return;
	}
	c->ties = weigh(a, dest, scatter, n, &b, ties);
	if (scatter) {
		c->drawn = glibc_random_next(a->random);
		/* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): there is at least one tie */
		c->port = ties[c->drawn % c->ties];
		c->rule = WHY_RANDOM;
		return;
	}
	if (a->shifting) {
		unsigned at = assign_shift(a, n);

		b = BEST_NONE;
		for (unsigned i = 0; i < n; i++, at = at + 1 < n ? at + 1 : 0)
			weigh_shifted(a, &a->cand[at], &b);
	}
	c->port = b.port;
	if (a->lmc && b.port && b.port_sys) {
		c->port = b.port_sys;
		c->rule = a->dor ? WHY_UNTOLD : WHY_NEW_SYSTEM; /* dor marks no port as used */
	} else if (a->lmc && b.port && b.port_node) {
		c->port = b.port_node;
		c->rule = WHY_NEW_NODE;
	}
	if (before && before < a->num_ports && !a->dor) {
		bool as_good;
		struct choice m = assign_switch_by_manual(a, before, n, c->port, &as_good);

		a->n_other += !as_good;
		if (a->manual)
			*c = m;
	}
}

/* --- one switch --------------------------------------------------------------------------- */

/* Counts a route, and remembers the node through which it goes. */
static inline void account(struct assign *a, uint32_t dest, unsigned port)
{
	const struct dest *d = &a->dest[dest];

	if (!assign_counts(a, d, port))
		return;
	a->count[port]++;
	if (!a->lmc || !port)
		return;
	uint32_t peer = a->t->peer[a->p0 + port];
	struct track *t = a->track + ((size_t)dest << a->lmc), *end = t + a->n_track[dest];
	while (t < end && !(t->node == a->f->port_node[peer] && (!a->dor || t->port == a->f->port_num[peer])))
		t++;
	if (t == end) {
		*t = (struct track){.node = a->f->port_node[peer], .port = a->f->port_num[peer]};
		a->n_track[dest]++;
	}
	t->forwarded++;
}

/* Assigns one LID, with all options, and informs those who ask or record. */
static void assign_lid(struct assign *a, uint32_t dest, unsigned off)
{
	const struct dest *d = &a->dest[dest];
	const uint64_t *mask = NULL;
	unsigned lid = d->lid + off;
	struct choice c = {.port = NO_PATH};

	if (!choose_early(a, d, lid, &mask, &c))
		assign_switch_choose(a, dest, off, mask, &c);
	a->row[lid] = c.port;
	if (a->asked)
		assign_tell_choice(a, d, lid, mask, &c);
	if (RECORDED(a->in))
		assign_record_choice(a, d, lid, mask, &c);
	account(a, dest, c.port);
}

void assign_switch(struct assign *a, uint32_t sw)
{
	const struct engine_input *in = a->in;
	const struct rec_ask *q = in->ask;

	assert(switch_up(a->t, sw));
	a->sw = sw;
	a->p0 = a->f->switch_port[sw];
	a->num_ports = a->f->switch_nports[sw] + 1;
	a->words = mask_words(a->f, sw);
	a->current = in->current ? in->current->row[sw] : NULL;
	a->order = a->search.has && a->search.has[sw] ? a->search.order + a->p0 : NULL;
	a->ignore = a->ignored ? a->ignored + a->p0 : NULL;
	a->asked = q && (q->sw == NO_ID || q->sw == sw);
	memset(a->count, 0, sizeof(a->count));
	if (in->left && in->left->count)
		memcpy(a->count, in->left->count + a->p0, a->num_ports * sizeof(*a->count));
	if (a->farther && a->plain && !a->asked && !RECORDED(in)) {
		assign_repair(a);
		return;
	}
	a->out->row[sw] = lft_row_new(in->lids->max_lid);
	a->row = a->out->row[sw]->port;
	if (a->n_track)
		memset(a->n_track, 0, a->n_dest);
	hops_masks(a->h, a->t, sw, a->mask);
	if (a->plain && !a->asked && !RECORDED(a->in)) {
		assign_plain(a);
		return;
	}
	for (unsigned off = 0; off < 1u << a->lmc; off++)
		for (uint32_t i = 0; i < a->n_dest; i++) {
			if ((a->asked || i % LOOK_EVERY == 0) && progress_cancelled(a->in->progress))
				break;
			if (off < a->dest[i].count)
				assign_lid(a, i, off);
		}
	if (RECORDED(a->in))
		assign_record_switch(a);
}
