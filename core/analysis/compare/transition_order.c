/* An order of writes without harm: what is proved here stands in doc/transition.md. */
#include "core/analysis/compare/transition_internal.h"
#include "core/base/memory.h"
#include "core/base/mix.h"

#include <stdlib.h>
#include <string.h>

#define MOST_SEARCHED 64		       /* switches; a state is a bit each */
#define SEARCH_STEPS (UINT64_C(20) << 20)      /* entries looked at for a block's search */
#define SEARCH_STEPS_ALL (UINT64_C(200) << 20) /* for that of all blocks */

/* Place of a switch in the order. */
enum part { PART_NONE, PART_FREE, PART_FIRST, PART_LAST };

struct before_after {
	uint32_t first, then; /* switches */
	uint16_t lid;
};

struct block_order {
	const struct transition *t;
	uint32_t n; /* switches of the fabric */
	unsigned block, n_lids;
	struct two_ways way[LFT_BLOCK];	      /* of the LIDs for which the order matters */
	uint8_t *part;			      /* [n] enum part; PART_FREE: not placed yet */
	uint32_t *front, n_front;	      /* [n] in order */
	uint32_t *back, n_back;		      /* [n] the last one first */
	uint32_t core[MOST_SEARCHED], n_core; /* n_core may be more: then it is not listed whole */
	struct before_after *must;	      /* [n_must] what every order must keep */
	uint32_t n_must, cap_must;
	uint32_t *next, *work;
	uint8_t *end;
	/* search */
	uint64_t steps, *seen; /* seen: [cap_seen] states + 1, 0 = free */
	size_t n_seen, cap_seen;
	bool given_up;
};

static bool changes(const struct two_ways *w, uint32_t s)
{
	return w->was[s] != w->now[s];
}

/* From a next switch on through those that do not change: the first that does, TO_HOST or NOWHERE. */
static uint32_t through(const struct two_ways *w, uint32_t s)
{
	uint32_t steps = 0;

	while (s < TO_HOST && !changes(w, s))
		s = ++steps > w->n ? NOWHERE : w->now[s];
	return s;
}

/* --- switches that can be first, or last, whatever the others do ------------------------------------- */

static bool ready(const struct block_order *o, uint32_t x, enum part side)
{
	for (unsigned k = 0; k < o->n_lids; k++) {
		const struct two_ways *w = &o->way[k];
		uint32_t y;

		if (!changes(w, x))
			continue;
		y = through(w, side == PART_FIRST ? w->now[x] : w->was[x]);
		if (y == NOWHERE || (y < TO_HOST && o->part[y] != PART_FIRST && o->part[y] != side))
			return false;
	}
	return true;
}

static void place(struct block_order *o, enum part side)
{
	uint32_t *list = side == PART_FIRST ? o->front : o->back,
		 *n = side == PART_FIRST ? &o->n_front : &o->n_back;

	for (bool again = true; again;) {
		again = false;
		for (uint32_t s = 0; s < o->n; s++)
			if (o->part[s] == PART_FREE && ready(o, s, side)) {
				o->part[s] = side;
				list[(*n)++] = s;
				again = true;
			}
	}
}

/* --- what every order must keep ------------------------------------------------------------------------ */

static void add_must(struct block_order *o, const struct two_ways *w, uint32_t first, uint32_t then)
{
	if (first == then || o->part[first] != PART_FREE || o->part[then] != PART_FREE)
		return;
	GROW(o->must, o->n_must, o->cap_must);
	o->must[o->n_must++] = (struct before_after){first, then, (uint16_t)w->lid};
}

static bool has_source(const struct block_order *o, const struct two_ways *w, uint32_t s, bool arrives)
{
	return o->t->hosts[s] && mix_sources(o->t, w, s) &&
	       (arrives ? w->from[s] == MIX_ARRIVES && w->to[s] == MIX_ARRIVES
			: w->from[s] != MIX_LOOPS && w->to[s] != MIX_LOOPS);
}

/* Does a packet come by a source between two switches that change? The first of them included. */
static bool passes_source(const struct block_order *o, const struct two_ways *w, uint32_t s, uint32_t next,
			  bool arrives)
{
	uint32_t steps = 0;

	for (; !has_source(o, w, s, arrives); s = next, next = w->now[s])
		if (next >= TO_HOST || changes(w, next) || ++steps > w->n)
			return false;
	return true;
}

static void find_must(struct block_order *o)
{
	for (unsigned k = 0; k < o->n_lids; k++) {
		const struct two_ways *w = &o->way[k];

		for (uint32_t x = 0; x < o->n; x++) {
			uint32_t y;

			if (!changes(w, x))
				continue;
			/* x by its old entry and y by its new one make a loop */
			y = through(w, w->was[x]);
			if (y < TO_HOST && through(w, w->now[y]) == x &&
			    (passes_source(o, w, x, w->was[x], false) ||
			     passes_source(o, w, y, w->now[y], false)))
				add_must(o, w, x, y);
			/* x by its old entry leads to y, whose new one ends nowhere */
			if (y < TO_HOST && through(w, w->now[y]) == NOWHERE &&
			    passes_source(o, w, x, w->was[x], true))
				add_must(o, w, x, y);
			/* x by its new entry leads to y, whose old one ends nowhere */
			y = through(w, w->now[x]);
			if (y < TO_HOST && through(w, w->was[y]) == NOWHERE &&
			    passes_source(o, w, x, w->now[x], true))
				add_must(o, w, y, x);
		}
	}
}

/* A circle of what must come before another: then there is no order.  It becomes the witness. */
static bool must_circle(struct block_order *o, struct better_order *b)
{
	uint32_t *by = NEW_ARRAY(o->n, uint32_t), *mark = NEW_ARRAY(o->n, uint32_t), s = NO_ID, n = 0;
	bool *out = NEW_ARRAY(o->n, bool);

	/* take away what nothing must precede, until all are gone or each has one before it */
	for (bool again = true; again;) {
		again = false;
		memset(by, 0, o->n * sizeof(*by));
		for (uint32_t i = 0; i < o->n_must; i++)
			if (!out[o->must[i].first])
				by[o->must[i].then] = i + 1;
		for (uint32_t v = 0; v < o->n; v++)
			if (o->part[v] == PART_FREE && !out[v] && !by[v])
				out[v] = again = true;
	}
	for (uint32_t v = 0; v < o->n && s == NO_ID; v++)
		if (o->part[v] == PART_FREE && !out[v])
			s = v;
	if (s != NO_ID && !b->n_none) {
		while (!mark[s]) {
			mark[s] = 1;
			s = o->must[by[s] - 1].first;
		}
		b->witness = NEW_ARRAY(o->n, uint32_t);
		b->witness_lid = NEW_ARRAY(o->n, uint16_t);
		/* backwards, so that each stands before the next */
		for (uint32_t v = s, i = 0; !i || v != s; v = o->must[by[v] - 1].first, i++)
			n++;
		b->n_witness = n;
		for (uint32_t v = s, i = n; i--; v = o->must[by[v] - 1].first) {
			b->witness[i] = o->must[by[v] - 1].first;
			b->witness_lid[i] = o->must[by[v] - 1].lid;
		}
	}
	free(by);
	free(mark);
	free(out);
	return s != NO_ID;
}

/* --- the rest: all orders are tried --------------------------------------------------------------------- */

static bool is_new(const struct block_order *o, uint64_t state, uint32_t s)
{
	if (o->part[s] != PART_FREE)
		return o->part[s] == PART_FIRST;
	for (uint32_t k = 0; k < o->n_core; k++)
		if (o->core[k] == s)
			return state >> k & 1;
	return false;
}

static bool harmless(struct block_order *o, uint64_t state)
{
	for (unsigned k = 0; k < o->n_lids; k++) {
		const struct two_ways *w = &o->way[k];

		for (uint32_t s = 0; s < o->n; s++)
			o->next[s] = changes(w, s) && !is_new(o, state, s) ? w->was[s] : w->now[s];
		mix_ends(o->n, o->next, o->end, o->work);
		o->steps += o->n;
		if (mix_harmed(o->t, w, o->end, false) != NO_ID)
			return false;
	}
	return true;
}

static bool seen_before(struct block_order *o, uint64_t state)
{
	size_t at;

	if (2 * (o->n_seen + 1) > o->cap_seen) {
		uint64_t *old = o->seen;
		size_t cap = o->cap_seen;

		o->cap_seen = cap ? 2 * cap : 1024;
		o->seen = NEW_ARRAY(o->cap_seen, uint64_t);
		o->n_seen = 0;
		for (size_t i = 0; i < cap; i++)
			if (old[i])
				seen_before(o, old[i] - 1);
		free(old);
	}
	for (at = mix(1, state) & (o->cap_seen - 1); o->seen[at]; at = (at + 1) & (o->cap_seen - 1))
		if (o->seen[at] == state + 1)
			return true;
	o->seen[at] = state + 1;
	o->n_seen++;
	return false;
}

/* From a state on; order[n_core] is filled from behind when all can be written. */
static bool search(struct block_order *o, uint64_t state, uint32_t depth, uint32_t *order, struct progress *p)
{
	if (depth == o->n_core)
		return true;
	for (uint32_t k = 0; k < o->n_core; k++) {
		uint64_t then = state | UINT64_C(1) << k;

		if (then == state || seen_before(o, then))
			continue;
		if (o->steps > SEARCH_STEPS || progress_cancelled(p)) {
			o->given_up = true;
			return false;
		}
		if (!harmless(o, then))
			continue;
		order[depth] = o->core[k];
		if (search(o, then, depth + 1, order, p))
			return true;
		if (o->given_up)
			return false;
	}
	return false;
}

/* --- blocks written twice ------------------------------------------------------------------------- */

/* May the entry of a LID at x be written, when those marked are? */
static bool entry_ready(const struct two_ways *w, const uint8_t *done, uint32_t x)
{
	uint32_t y = through(w, w->now[x]);

	if (y == TO_HOST || (y < TO_HOST && done[y]))
		return true;
	if (y != NOWHERE)
		return false;
	/* it ends nowhere: the others before it */
	for (uint32_t s = 0; s < w->n; s++)
		if (s != x && changes(w, s) && !done[s] && through(w, w->now[s]) != NOWHERE)
			return false;
	return true;
}

/*
 * Each LID alone has an order: behind what its new way leads to.  The writes more than one a switch that an
 * order of such entries needs: always the switch that can be finished, else that with most entries ready.
 */
static uint32_t writes_more(struct block_order *o)
{
	uint8_t *done = NEW_ARRAY((size_t)o->n * LFT_BLOCK, uint8_t);
	uint32_t more = 0;

	for (unsigned k = 0; k < o->n_lids; k++)
		for (uint32_t s = 0; s < o->n; s++)
			done[k * o->n + s] = o->part[s] == PART_FIRST;
	for (;;) {
		uint32_t best = NO_ID, most = 0;
		bool whole = false;

		for (uint32_t s = 0; s < o->n && !whole; s++) {
			uint32_t can = 0, left = 0;

			for (unsigned k = 0; k < o->n_lids; k++)
				if (changes(&o->way[k], s) && !done[k * o->n + s]) {
					left++;
					can += entry_ready(&o->way[k], done + (size_t)k * o->n, s);
				}
			whole = can && can == left;
			if (whole || can > most) {
				best = s;
				most = can;
			}
		}
		if (best == NO_ID)
			break;
		for (unsigned k = 0; k < o->n_lids; k++)
			done[k * o->n + best] |= changes(&o->way[k], best) &&
						 entry_ready(&o->way[k], done + (size_t)k * o->n, best);
		more += !whole;
	}
	free(done);
	return more;
}

/* --- a block -------------------------------------------------------------------------------------- */

static void load_block(struct block_order *o, const struct transition *t, unsigned block)
{
	o->block = block;
	o->n_lids = o->n_front = o->n_back = o->n_core = o->n_must = 0;
	o->given_up = false;
	o->steps = 0;
	o->n_seen = 0;
	memset(o->seen, 0, o->cap_seen * sizeof(*o->seen));
	memset(o->part, PART_NONE, o->n);
	for (uint32_t i = 0; i < t->n_lids; i++) {
		struct two_ways *w = &o->way[o->n_lids];

		if (t->lid[i].lid / LFT_BLOCK != block)
			continue;
		if (!w->was)
			two_ways_init(w, o->n);
		two_ways_load(w, t, t->lid[i].lid);
		mix_ends(o->n, w->was, w->from, w->work);
		for (uint32_t s = 0; s < o->n; s++)
			o->part[s] |= changes(w, s);
		o->n_lids++;
	}
}

/* Writes of the block: those that no LID here minds, then in the order found. */
static void keep_order(const struct block_order *o, const uint32_t *core, uint32_t *write)
{
	const struct transition *t = o->t;
	uint32_t at = t->first[o->block], *index = NEW_ARRAY(o->n, uint32_t);

	for (uint32_t i = t->first[o->block]; i < t->first[o->block + 1]; i++) {
		index[t->write[i].sw] = i;
		if (o->part[t->write[i].sw] == PART_NONE)
			write[at++] = i;
	}
	for (uint32_t i = 0; i < o->n_front; i++)
		write[at++] = index[o->front[i]];
	for (uint32_t i = 0; i < o->n_core; i++)
		write[at++] = index[core[i]];
	for (uint32_t i = o->n_back; i--;)
		write[at++] = index[o->back[i]];
	free(index);
}

static enum order_found order_block(struct block_order *o, struct better_order *b, uint64_t *steps,
				    struct progress *p)
{
	uint32_t order[MOST_SEARCHED];
	enum order_found found = ORDER_FOUND;

	place(o, PART_FIRST);
	place(o, PART_LAST);
	for (uint32_t s = 0; s < o->n; s++)
		if (o->part[s] == PART_FREE) {
			if (o->n_core < MOST_SEARCHED)
				o->core[o->n_core] = s;
			o->n_core++;
		}
	if (o->n_core) {
		find_must(o);
		if (must_circle(o, b))
			found = ORDER_NONE;
		else if (o->n_core > MOST_SEARCHED || *steps > SEARCH_STEPS_ALL)
			found = ORDER_UNKNOWN;
		else if (!search(o, 0, 0, order, p))
			found = o->given_up ? ORDER_UNKNOWN : ORDER_NONE;
		*steps += o->steps;
	}
	if (found == ORDER_FOUND)
		keep_order(o, order, b->write);
	else
		b->more_writes += writes_more(o);
	return found;
}

bool transition_order(struct transition *t, struct progress *p)
{
	uint32_t n = t->b->topo->fabric->n_switches;
	struct better_order *b = &t->better;
	struct block_order o = {.t = t, .n = n};
	uint64_t steps = 0;
	bool going = true;

	if (transition_safe_in_order(t))
		return true;
	o.part = NEW_ARRAY(n + 1, uint8_t);
	o.front = NEW_ARRAY(n + 1, uint32_t);
	o.back = NEW_ARRAY(n + 1, uint32_t);
	o.next = NEW_ARRAY(n + 1, uint32_t);
	o.work = NEW_ARRAY(n + 1, uint32_t);
	o.end = NEW_ARRAY(n + 1, uint8_t);
	o.cap_seen = 1024;
	o.seen = NEW_ARRAY(o.cap_seen, uint64_t);
	b->write = NEW_ARRAY(t->n_writes + 1, uint32_t);
	for (uint32_t i = 0; i < t->n_writes; i++)
		b->write[i] = i;
	b->found = ORDER_FOUND;
	progress_start(p, "looking for an order", t->n_lids);
	for (uint32_t i = 0; i < t->n_lids && going; i++) {
		enum order_found found;

		if (i && t->lid[i].lid / LFT_BLOCK == t->lid[i - 1].lid / LFT_BLOCK)
			continue;
		b->n_blocks++;
		load_block(&o, t, t->lid[i].lid / LFT_BLOCK);
		found = order_block(&o, b, &steps, p);
		if (found == ORDER_FOUND)
			continue;
		if (b->found == ORDER_FOUND || (b->found == ORDER_UNKNOWN && found == ORDER_NONE))
			b->block = (uint16_t)o.block;
		b->n_none += found == ORDER_NONE;
		b->n_unknown += found == ORDER_UNKNOWN;
		b->found = b->n_none ? ORDER_NONE : ORDER_UNKNOWN;
		going = progress_step(p, i);
	}
	if (b->found != ORDER_FOUND) {
		free(b->write);
		b->write = NULL;
	}
	for (unsigned k = 0; k < LFT_BLOCK; k++)
		two_ways_free(&o.way[k]);
	free(o.part);
	free(o.front);
	free(o.back);
	free(o.next);
	free(o.work);
	free(o.end);
	free(o.seen);
	free(o.must);
	return going;
}
