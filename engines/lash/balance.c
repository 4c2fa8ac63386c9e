/*
 * Balancing moves randomly chosen pairs from the fullest layer to the emptiest one (engines/doc/lash.md 9).
 */
#include <stdlib.h>
#include <string.h>

#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/release.h"
#include "engines/lash/internal.h"

#define CLOSE_ENOUGH 6	    /* ordered pairs: balancing ends below this difference of layers */
#define NO_DESTINATION 9999 /* a layer with so many ordered pairs is never chosen as the emptiest */

/* The pairs of one layer that may still move, and the pairs that the layer refused to take. */
struct movable {
	uint64_t *bits;	   /* [n * words] each pair in both orders */
	uint32_t *row;	   /* [n] number of bits set in a row */
	uint64_t *refused; /* [n * words] */
	size_t *flagged;   /* pairs s * n + d cleared in bits because the emptiest layer refused them */
	size_t n_flagged, cap_flagged;
	bool was_source;
};

struct balance {
	struct lash *l;
	const struct lash_plan *p;
	struct lash_cdgs *c;
	const struct engine_input *in;
	struct engine_output *out;
	struct movable m[LASH_MAX_LAYERS];
	struct glibc_random random;
	struct dependency *deps;
	size_t n, words;
	unsigned mx, mn;
	int64_t trials;
	uint32_t drawn[2]; /* the last two random numbers */
	bool warned;
};

static void put_bit(const struct balance *b, struct movable *m, size_t s, size_t d, bool on)
{
	uint64_t *w = m->bits + s * b->words + d / 64, mask = (uint64_t)1 << (d & 63);

	if (!(*w & mask) == on) { /* NOLINT(clang-analyzer-core.NullDereference): movable() made the bits */
		*w ^= mask;
		m->row[s] += on ? 1 : -1u;
	}
}

static void put_pair(const struct balance *b, struct movable *m, size_t s, size_t d, bool on)
{
	put_bit(b, m, s, d, on);
	put_bit(b, m, d, s, on);
}

static void clear_flags(const struct balance *b, struct movable *m)
{
	for (size_t i = 0; i < m->n_flagged; i++)
		put_pair(b, m, m->flagged[i] / b->n, m->flagged[i] % b->n, true);
	m->n_flagged = 0;
}

/* The first bit set at or after place `from` in a row of n bits, cyclically. The row must not be empty. */
static size_t next_bit(const uint64_t *row, size_t words, size_t from)
{
	uint64_t m = row[from / 64] & (UINT64_MAX << (from & 63));

	for (size_t w = from / 64; !m;) {
		w = w + 1 == words ? 0 : w + 1;
		m = row[w];
		from = w * 64;
	}
	return from / 64 * 64 + __builtin_ctzll(m);
}

/*
 * Draws two switches, and takes the first movable pair of layer mx from there on. False when there is none.
 */
static bool draw_pair(struct balance *b, size_t *s, size_t *d)
{
	const struct movable *m = &b->m[b->mx];
	size_t src = glibc_random_next(&b->random) % b->n, dst = glibc_random_next(&b->random) % b->n;

	b->drawn[0] = src;
	b->drawn[1] = dst;
	b->l->draws += 2;
	for (size_t i = 0; i < b->n; i++) {
		*s = src + i < b->n ? src + i : src + i - b->n;
		if (!m->row[*s])
			continue;
		*d = next_bit(m->bits + *s * b->words, b->words, dst);
		return true;
	}
	return false;
}

/*
 * Adds the pair to layer mn if that closes no cycle. A refusal is final, since dependencies are only added.
 */
static bool lash_balance_takes(struct balance *b, size_t s, size_t d)
{
	size_t lo = MIN(s, d), hi = MAX(s, d);
	uint64_t *w = b->m[b->mn].refused + lo * b->words + hi / 64, mask = (uint64_t)1 << (hi & 63);
	unsigned n;

	/*
	 * The dependencies of pairs that moved away stay in the layer; OpenSM's own book-keeping is inexact
	 * here.
	 */
	if (b->m[b->mn].was_source && !b->warned) {
		b->warned = true;
		note_add(&b->out->notes, 0,
			 "lash: balancing gives pairs back to layer %u; OpenSM 3.3.23 keeps wrong counts "
			 "there, so its service levels may differ\n",
			 b->mn);
	}
	if (b->mn < b->p->first[lo * b->n + hi] || (*w & mask))
		return false;
	if (!b->c->layer[b->mn])
		b->c->layer[b->mn] = lash_layer_before(b->p, b->mn, b->p->graph->n, 0, NULL);
	n = lash_pair_dependencies(b->p, lo, hi, b->deps);
	if (acyclic_add(b->c->layer[b->mn], b->deps, n))
		return true;
	*w |= mask;
	return false;
}

static void move_or_flag(struct balance *b, size_t s, size_t d)
{
	struct lash *l = b->l;
	struct movable *m = &b->m[b->mx];
	bool moved = lash_balance_takes(b, s, d);

	put_pair(b, m, s, d, false);
	if (moved) {
		put_pair(b, &b->m[b->mn], s, d, true);
		m->was_source = true;
		l->layer[s * b->n + d] = l->layer[d * b->n + s] = b->mn;
		l->count[b->mx] -= 2;
		l->count[b->mn] += 2;
		l->moved++;
	} else {
		GROW(m->flagged, m->n_flagged, m->cap_flagged);
		m->flagged[m->n_flagged++] = s * b->n + d;
		b->trials -= 2;
		l->refused++;
	}
	if (b->c->record)
		lash_record_turn(b->c->record,
				 &(struct lash_turn){.s = s,
						     .d = d,
						     .from = b->mx,
						     .to = b->mn,
						     .drawn = {b->drawn[0], b->drawn[1]},
						     .moved = moved,
						     .count = {l->count[b->mx], l->count[b->mn]},
						     .trials = b->trials,
						     .layer = l->layer,
						     .target = b->c->layer[b->mn]},
				 b->deps);
}

/* Chooses the emptiest and the fullest layer again. */
static void choose_layers(struct balance *b)
{
	const uint64_t *count = b->l->count;
	unsigned mx = b->mx, mn = b->mn, least = UINT32_MAX;

	b->mx = 0;
	for (unsigned v = 0; v < b->p->need; v++) {
		if (count[v] < NO_DESTINATION && (least == UINT32_MAX || count[v] < count[least]))
			least = v;
		if (count[v] > count[b->mx])
			b->mx = v;
	}
	b->mn = least == UINT32_MAX ? mn : least;
	if (b->mn != mn) {
		b->trials = count[b->mx];
		clear_flags(b, &b->m[b->mx]);
	}
	if (b->mx != mx) {
		b->trials = count[b->mx];
		clear_flags(b, &b->m[mx]);
	}
}

static int run_turns(struct balance *b)
{
	bool stop = false;

	while (!stop) {
		size_t s, d;

		if (!draw_pair(b, &s, &d)) {
			b->out->fatal = "never ends";
			return err_set(&b->out->refused, "balancing of the layers never ends with these "
							 "random numbers: OpenSM 3.3.23 would hang");
		}
		move_or_flag(b, s, d);
		stop = !b->trials || (int64_t)(b->l->count[b->mx] - b->l->count[b->mn]) < CLOSE_ENOUGH;
		choose_layers(b);
		if (!(b->l->draws & 0xfff) && !progress_step(b->in->progress, b->l->moved))
			return err_set(&b->out->refused, CANCELLED);
	}
	return 0;
}

/*
 * The random numbers continue from sweep to sweep, unless scatter_ports seeds them before each attempt. The
 * generator's last state saves drawing the earlier numbers again.
 */
static void start_random(struct balance *b)
{
	const struct lash *old = b->in->previous ? lash_of(b->in->previous) : NULL;
	unsigned seed = options_uint(b->in->options, "scatter_ports");
	uint64_t skip = b->in->random && !seed && *b->in->random != RANDOM_BY_CLOCK ? *b->in->random : 0;

	if (old && old->random_at && old->random_at <= skip) {
		b->random = old->random;
		skip -= old->random_at;
	} else {
		glibc_random_seed(&b->random, seed ? seed : RANDOM_DEFAULT_SEED);
	}
	glibc_random_skip(&b->random, skip);
}

int lash_balance(struct lash *l, struct lash_cdgs *c, const struct engine_input *in,
		 struct engine_output *out)
{
	struct balance *b = NEW(struct balance);
	size_t n = l->plan->graph->n;
	int rc;

	if (c->record && lash_record_balance(c->record, &out->refused)) {
		free(b);
		return -1;
	}
	*b = (struct balance){
		.l = l, .p = l->plan, .c = c, .in = in, .out = out, .n = n, .words = (n + 63) / 64};
	b->deps = NEW_ARRAY(2 * n, struct dependency);
	b->mn = l->plan->need - 1;
	b->trials = l->count[0];
	rec_phase(in, "balancing of the layers");
	progress_start(in->progress, "balancing layers", 0);
	for (unsigned v = 0; v < l->plan->need; v++) {
		b->m[v].bits = NEW_ARRAY(n * b->words, uint64_t);
		b->m[v].refused = NEW_ARRAY(n * b->words, uint64_t);
		b->m[v].row = NEW_ARRAY(n, uint32_t);
	}
	for (size_t s = 0; s < n; s++)
		for (size_t d = 0; d < n; d++)
			if (s != d)
				put_bit(b, &b->m[l->plan->first[s * n + d]], s, d, true);
	start_random(b);
	rc = run_turns(b);
	l->by_clock = l->draws && in->random && *in->random == RANDOM_BY_CLOCK &&
		      !options_uint(in->options, "scatter_ports");
	if (l->by_clock)
		note_add(&out->notes, 0,
			 "lash: dfsssp in routing_engine seeds OpenSM's random numbers by the clock, so a "
			 "pair may have "
			 "any SL from %u to %u; one draw is judged (scatter_ports sets the seed)\n",
			 l->vls.start, l->vls.start + l->plan->need - 1);
	else if (!rc && in->random && !options_uint(in->options, "scatter_ports")) {
		*in->random += l->draws; /* the next sweep continues from here */
		l->random = b->random;
		l->random_at = *in->random;
	}
	for (unsigned v = 0; v < LASH_MAX_LAYERS; v++)
		FREE_EACH(b->m[v].bits, b->m[v].row, b->m[v].refused, b->m[v].flagged);
	FREE_EACH(b->deps, b);
	return rc;
}
