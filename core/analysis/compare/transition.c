/* Transitions: the writes between two routings, what each of them breaks, and their description. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/compare/transition.h"
#include "core/analysis/compare/transition_internal.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/fabric/names.h"
#include "core/routing/paths.h"
#include "core/sm/sweep.h"

/* What is reported about a transition. */

struct transition *transition_of(const struct sweep *from, const struct sweep *to,
				 const struct routing *counted, struct progress *p, struct err *e)
{
	assert(from->routing);
	return transition_new(from->routing, counted, (struct transition_sent){to->flapped, !to->number}, p,
			      e);
}

void mix_way_text(const struct transition *t, const struct mix_way *w, struct text *to)
{
	const struct fabric *f = t->b->topo->fabric;
	const char *arrow = w->loop && w->n == 2 ? " <-> " : " -> ";
	uint32_t shown = MIN(w->n, 8);

	assert(w->lid && w->n);
	for (uint32_t i = 0; i < shown; i++)
		text_add(to, "%s%s", i ? arrow : "", switch_name(f, w->hop[i].sw));
	if (shown < w->n)
		text_add(to, " -> ... %u more", w->n - shown);
	if (!w->loop)
		text_add(to, " -> nowhere");
	else if (w->n != 2)
		text_add(to, " -> %s", switch_name(f, w->hop[0].sw));
	text_add(to, " for LID %u", w->lid);
}

static void transition_text_example(const struct transition *t, const struct mix_way *w, struct text *to)
{
	if (!w->lid)
		return;
	text_add(to, ": ");
	mix_way_text(t, w, to);
}

/* "310 pairs loop and 20 are cut" */
static void harm(uint64_t looping, uint64_t cut, struct text *to)
{
	if (looping)
		text_add(to, "%s %s", PLURAL(looping, "pair"), looping == 1 ? "loops" : "loop");
	if (cut && looping)
		text_add(to, " and %" PRIu64 " %s cut", cut, cut == 1 ? "is" : "are");
	else if (cut)
		text_add(to, "%s %s cut", PLURAL(cut, "pair"), cut == 1 ? "is" : "are");
}

void transition_sentence(const struct transition *t, struct text *to)
{
	const struct mix_pairs *w = t->worst == NO_ID ? NULL : &t->write[t->worst].after;

	if (!t->pairs) {
		text_add(to, "No pair of hosts: there is nothing to judge.");
	} else if (!t->entries) {
		text_add(to, "Nothing to write: no entry changes.");
	} else if (w) {
		if (t->bad_from == t->bad_to)
			text_add(to, "After write %u, ", t->bad_from + 1);
		else
			text_add(to, "Between writes %u and %u up to ", t->bad_from + 1, t->bad_to + 1);
		harm(w->looping, w->cut, to);
		transition_text_example(t, &t->at_worst, to);
		text_add(to, ".");
	} else if (t->b->topo->fabric->warnings.missing) {
		text_add(to, "No harm found in the part of the fabric that is known.");
	} else if (t->before.looping) {
		text_add(to, "The old tables loop %s; the order of writes adds nothing to it.",
			 PLURAL(t->before.looping, "pair"));
	} else if (t->wire_lids) {
		text_add(to,
			 "Safe in OpenSM's order only one write after the other: with %d under way pairs to "
			 "%s ",
			 WRITES_ON_WIRE, PLURAL(t->wire_lids, "LID"));
		text_add(to, "can loop or be cut");
		transition_text_example(t, &t->on_wire, to);
		text_add(to, ".");
	} else if (!transition_safe(t)) {
		text_add(to, "Safe in OpenSM's order, though not in any.");
	} else {
		text_add(to, "Safe in any order: no pair loops, and none is cut that was not.");
	}
}

/* "leaf-01[3] -> spine-02[4] -> leaf-01[3], VL 0" */
static void circle_text(const struct fabric *f, const struct mix_credit *c, struct text *to)
{
	uint32_t shown = MIN(c->n, 8);
	bool one_vl = true;

	for (uint32_t i = 0; i < c->n; i++)
		one_vl &= c->circle[i].vl == c->circle[0].vl;
	for (uint32_t i = 0; i <= shown; i++) {
		const struct mix_channel *ch = &c->circle[i == shown ? 0 : i];

		if (i == shown && shown < c->n)
			text_add(to, " -> ... %u more", c->n - shown);
		text_add(to, "%s%s", i ? " -> " : "", PORT_LABEL(f, ch->port));
		if (!one_vl)
			text_add(to, " VL %u", ch->vl);
	}
	if (one_vl)
		text_add(to, ", VL %u", c->circle[0].vl);
}

void credit_sentence(const struct transition *t, struct text *to)
{
	const struct mix_credit *c = &t->credit;
	const struct fabric *f = t->b->topo->fabric;
	const char *mixed = routing_has_sls(t->a) || routing_has_sls(t->b) ? "old and new routes and SLs"
									   : "old and new routes";

	if (!t->pairs || !t->entries)
		return;
	if (c->found == CREDIT_MADE)
		text_add(to, "A mix of %s makes a credit loop: ", mixed);
	else if (c->found == CREDIT_UNKNOWN)
		text_add(to, "It was not decided whether a mix of %s makes this credit loop: ", mixed);
	else if (c->found == CREDIT_NOT_MADE)
		text_add(to, "No single mix makes a new credit loop; all %s together do: ", mixed);
	else if (c->old || c->now)
		text_add(to, "Credit loops as before: ");
	else
		text_add(to, "No credit loop in any mix of %s%s.", mixed,
			 f->warnings.missing ? " that are known" : "");
	if (c->found != CREDIT_NONE) {
		circle_text(f, c, to);
		text_add(to, ".");
	}
	if (c->old || c->now)
		text_add(to, "%sthe %s tables have some of their own.",
			 c->found == CREDIT_NONE ? "" : "  Beside it, ",
			 c->old && c->now ? "old and the new"
			 : c->old	  ? "old"
					  : "new");
}

const struct mix_way *transition_shown(const struct transition *t, struct text *when)
{
	if (t->at_worst.lid) {
		text_add(when, "after write %u", t->worst + 1);
		return &t->at_worst;
	}
	if (t->on_wire.lid) {
		text_add(when, "while writes up to %u are under way", t->wire_write + 1);
		return &t->on_wire;
	}
	if (t->any.lid)
		text_add(when, "in some order of the writes");
	return t->any.lid ? &t->any : NULL;
}

/* --- what is written ------------------------------------------------------------------------ */

/* The port at the other end in the old topology, in ids of the new fabric; NO_ID. */
static uint32_t peer_before(const struct topo *before, const struct fabric *f, uint32_t port)
{
	uint32_t own = before->fabric == f ? port : fabric_port_in(before->fabric, f, port);
	uint32_t peer = own == NO_ID ? NO_ID : before->peer[own];

	return before->fabric == f ? peer : fabric_port_in(f, before->fabric, peer);
}

/*
 * OpenSM sends all blocks to a switch that reports a changed port, to a switch that it did not know, and in
 * every sweep to a switch without an active port: the lone switch it runs on (tests/parity/ordered.py lone).
 */
static bool all_sent(const struct transition *t, uint32_t sw, struct transition_sent sent)
{
	const struct topo *now = t->b->topo;
	const struct fabric *f = now->fabric;
	bool active = false;

	if (!t->was[sw] || sent.all)
		return true;
	FOR_PORTS(f, sw, port) {
		uint32_t link = f->port_link[port];

		if (peer_before(t->a->topo, f, port) != now->peer[port] ||
		    (sent.flapped && link != NO_ID && sent.flapped[link] && now->peer[port] != NO_ID))
			return true;
		active |= now->peer[port] != NO_ID;
	}
	return !active;
}

static unsigned entries_in_block(const struct lft_row *was, const struct lft_row *now, unsigned block)
{
	unsigned n = 0, lid0 = block * LFT_BLOCK;

	if (was == now || (was && lid0 + LFT_BLOCK <= was->top && lid0 + LFT_BLOCK <= now->top &&
			   !memcmp(was->port + lid0, now->port + lid0, LFT_BLOCK)))
		return 0;
	for (unsigned lid = lid0; lid < lid0 + LFT_BLOCK; lid++)
		n += row_port(was, lid) != row_port(now, lid);
	return n;
}

static void transition_list_writes(struct transition *t, struct transition_sent sent)
{
	const struct topo *topo = t->b->topo;
	uint32_t n = topo->fabric->n_switches, cap = 0;
	AUTO_FREE uint8_t *all = NEW_ARRAY(n + 1, uint8_t);

	for (uint32_t s = 0; s < n; s++)
		all[s] = t->b->row[s] && all_sent(t, s, sent);
	t->n_blocks = t->b->lids->max_lid / LFT_BLOCK + 1u;
	t->first = ARENA_ARRAY(t, t->n_blocks + 1, uint32_t);
	for (uint32_t k = 0; k < t->n_blocks; k++) {
		t->first[k] = t->n_writes;
		for (uint32_t s = 0; s < n; s++) {
			unsigned entries = t->b->row[s] ? entries_in_block(t->was[s], t->b->row[s], k) : 0;

			if (!entries && !all[s])
				continue;
			ARENA_GROW(t, t->write, t->n_writes, cap);
			t->write[t->n_writes++] = (struct table_write){
				.sw = s, .block = (uint16_t)k, .entries = (uint16_t)entries};
			t->entries += entries;
		}
	}
	t->first[t->n_blocks] = t->n_writes;
}

/* --- one LID in both tables ------------------------------------------------------------------ */

void two_ways_init(void *arena, struct two_ways *w, uint32_t n)
{
	*w = (struct two_ways){.n = n,
			       .was = ARENA_ARRAY(arena, n + 1, uint32_t),
			       .now = ARENA_ARRAY(arena, n + 1, uint32_t),
			       .from = ARENA_ARRAY(arena, n + 1, uint8_t),
			       .to = ARENA_ARRAY(arena, n + 1, uint8_t),
			       .work = ARENA_ARRAY(arena, n + 1, uint32_t)};
}

void mix_ends(uint32_t n, const uint32_t *next, uint8_t *end, uint32_t *work)
{
	enum { OPEN = 254, WALKING = 255 };

	memset(end, OPEN, n);
	for (uint32_t s = 0; s < n; s++) {
		uint32_t depth = 0, at = s;

		while (at < TO_HOST && end[at] == OPEN) {
			end[at] = WALKING;
			work[depth++] = at;
			at = next[at];
		}
		uint8_t found = at >= TO_HOST	     ? at == TO_HOST ? MIX_ARRIVES : MIX_CUT
				: end[at] == WALKING ? MIX_LOOPS
						     : end[at];
		while (depth)
			end[work[--depth]] = found;
	}
}

uint32_t mix_next(const struct topo *t, uint32_t sw, unsigned port, uint32_t owner)
{
	uint32_t next = NO_ID;
	uint16_t hops = port == NO_PATH ? HOPS_NONE : end_hops(t, sw, port, owner, &next);

	if (hops == HOPS_ON)
		return next;
	return hops == HOPS_NONE ? NOWHERE : TO_HOST;
}

uint32_t mix_owner(const struct routing *r, unsigned lid)
{
	uint32_t owner = lid_owner(r->lids, lid);

	return owner != NO_ID && !endport_is_switch(r->topo->fabric, owner) && routing_has_host(r, owner)
		       ? owner
		       : NO_ID;
}

bool two_ways_load(struct two_ways *w, const struct transition *t, unsigned lid)
{
	const struct routing *b = t->b;

	assert(w->n == b->topo->fabric->n_switches);
	w->lid = lid;
	w->owner = mix_owner(b, lid);
	if (w->owner == NO_ID)
		return false;
	for (uint32_t s = 0; s < w->n; s++) {
		unsigned was = row_port(t->was[s], lid), now = row_port(b->row[s], lid);

		w->now[s] = b->row[s] ? mix_next(b->topo, s, now, w->owner) : NOWHERE;
		w->was[s] = !b->row[s]	 ? NOWHERE
			    : was == now ? w->now[s]
					 : mix_next(b->topo, s, was, w->owner);
	}
	mix_ends(w->n, w->now, w->to, w->work);
	return true;
}

/* --- whatever the order -------------------------------------------------------------------------- */

/* The graph of a LID's old and new ways, searched backwards. */
struct both_ways {
	uint32_t *first, *from; /* [n + 1], [2n] switches that may lead to one */
	uint8_t *left;		/* [n] ways on that are not known to end */
	uint8_t *cut;		/* [n] some mix leads nowhere from here */
	uint32_t *queue;	/* [2n] */
};

static unsigned ways_on(const struct two_ways *w, uint32_t s, uint32_t to[2])
{
	to[0] = w->now[s];
	to[1] = w->was[s];
	return to[0] == to[1] ? 1 : 2;
}

static void turn_round(struct both_ways *g, const struct two_ways *w)
{
	uint32_t to[2], n = w->n;

	memset(g->first, 0, (n + 1) * sizeof(*g->first));
	for (uint32_t s = 0; s < n; s++)
		for (unsigned k = ways_on(w, s, to); k--;)
			if (to[k] < TO_HOST)
				g->first[to[k] + 1]++;
	for (uint32_t s = 0; s < n; s++)
		g->first[s + 1] += g->first[s];
	memcpy(g->queue, g->first, n * sizeof(*g->first));
	for (uint32_t s = 0; s < n; s++)
		for (unsigned k = ways_on(w, s, to); k--;)
			if (to[k] < TO_HOST)
				g->from[g->queue[to[k]]++] = s;
}

/* Where all ways end is taken away until nothing more can be: what is left may go round. */
static void find_loops(struct both_ways *g, const struct two_ways *w)
{
	uint32_t tail = 0, to[2];

	for (uint32_t s = 0; s < w->n; s++) {
		g->left[s] = 0;
		for (unsigned k = ways_on(w, s, to); k--;)
			g->left[s] += to[k] < TO_HOST;
		if (!g->left[s])
			g->queue[tail++] = s;
	}
	for (uint32_t head = 0; head < tail; head++)
		for (uint32_t i = g->first[g->queue[head]]; i < g->first[g->queue[head] + 1]; i++)
			if (!--g->left[g->from[i]])
				g->queue[tail++] = g->from[i];
}

static void find_cuts(struct both_ways *g, const struct two_ways *w)
{
	uint32_t tail = 0;

	for (uint32_t s = 0; s < w->n; s++) {
		g->cut[s] = w->now[s] == NOWHERE || w->was[s] == NOWHERE;
		if (g->cut[s])
			g->queue[tail++] = s;
	}
	for (uint32_t head = 0; head < tail; head++)
		for (uint32_t i = g->first[g->queue[head]]; i < g->first[g->queue[head] + 1]; i++)
			if (!g->cut[g->from[i]]) {
				g->cut[g->from[i]] = 1;
				g->queue[tail++] = g->from[i];
			}
}

static void add_hop(struct mix_way *to, struct transition *t, uint32_t sw, bool now)
{
	to->hop = arena_resize(t, to->hop, to->n + 1u, sizeof(*to->hop));
	to->hop[to->n++] =
		(struct mix_hop){sw, (uint8_t)row_port(now ? t->b->row[sw] : t->was[sw], to->lid), now};
}

static void begin_way(struct mix_way *to, const struct two_ways *w, bool loop)
{
	arena_free(to->hop);
	to->hop = NULL;
	to->n = 0;
	to->lid = (uint16_t)w->lid;
	to->loop = loop;
}

/* Only what stands from a hop on is kept. */
static void keep_from(struct mix_way *to, uint32_t first)
{
	if (to->n)
		memmove(to->hop, to->hop + first, (to->n - first) * sizeof(*to->hop));
	to->n -= first;
}

/* From a source into a loop of what may go round; only the loop is kept. */
static void show_loop(struct transition *t, const struct two_ways *w, uint32_t s, const uint8_t *in,
		      struct mix_way *to)
{
	AUTO_FREE uint32_t *place = NEW_ARRAY(w->n, uint32_t);

	begin_way(to, w, true);
	while (!place[s]) {
		bool now = w->now[s] < TO_HOST && in[w->now[s]];

		add_hop(to, t, s, now);
		place[s] = to->n;
		s = now ? w->now[s] : w->was[s];
	}
	keep_from(to, place[s] - 1);
}

/* A shortest way from a source to where it ends, breadth first over old and new entries. */
static void show_cut(struct transition *t, const struct two_ways *w, uint32_t s, struct mix_way *to)
{
	uint32_t tail = 0, on[2];
	AUTO_FREE uint32_t *by = NEW_ARRAY(w->n, uint32_t), *queue = NEW_ARRAY(w->n, uint32_t);
	uint32_t end = NO_ID;

	queue[tail++] = s;
	by[s] = s + 1;
	for (uint32_t head = 0; end == NO_ID && head < tail; head++)
		for (unsigned k = 0; k < ways_on(w, queue[head], on); k++) {
			if (on[k] == NOWHERE)
				end = queue[head];
			else if (on[k] < TO_HOST && !by[on[k]]) {
				by[on[k]] = queue[head] + 1;
				queue[tail++] = on[k];
			}
		}
	begin_way(to, w, false);
	for (uint32_t at = end, next = NOWHERE; at != NO_ID; next = at, at = at == s ? NO_ID : by[at] - 1)
		add_hop(to, t, at, w->now[at] == next);
	for (uint32_t i = 0; i < to->n / 2; i++) {
		struct mix_hop h = to->hop[i];

		to->hop[i] = to->hop[to->n - 1 - i];
		to->hop[to->n - 1 - i] = h;
	}
}

static void any_order(struct transition *t, struct both_ways *g, const struct two_ways *w)
{
	struct mixed_lid m = {.lid = (uint16_t)w->lid};
	uint32_t loops = NO_ID, cuts = NO_ID;

	turn_round(g, w);
	find_loops(g, w);
	find_cuts(g, w);
	for (uint32_t s = 0; s < w->n; s++) {
		uint32_t sources = t->hosts[s] ? mix_sources(t, w, s) : 0;

		if (sources && g->left[s]) {
			m.loops += sources;
			loops = loops == NO_ID ? s : loops;
		}
		if (sources && g->cut[s] && w->from[s] == MIX_ARRIVES && w->to[s] == MIX_ARRIVES) {
			m.cuts += sources;
			cuts = cuts == NO_ID ? s : cuts;
		}
	}
	if (!m.loops && !m.cuts)
		return;
	if (m.loops && !t->loops)
		show_loop(t, w, loops, g->left, &t->any);
	else if (!t->any.lid)
		show_cut(t, w, cuts, &t->any);
	t->loops += m.loops;
	t->cuts += m.cuts;
	ARENA_GROW(t, t->lid, t->n_lids, t->cap_lids);
	t->lid[t->n_lids++] = m;
}

/* --- in an order ------------------------------------------------------------------------------------- */

/* One LID on its way: the tables of a moment, kept with who leads to whom. */
struct moment_ways {
	uint32_t *next;			/* [n] */
	uint8_t *end;			/* [n] enum mix_end */
	uint32_t *child, *left, *right; /* [n] switches that lead here: the first, and its neighbours */
	uint32_t *stack;		/* [n] */
};

static void *transition_words(void *arena, uint32_t n)
{
	return ARENA_ARRAY(arena, n + 1, uint32_t);
}

static void hang(struct moment_ways *m, uint32_t s)
{
	uint32_t to = m->next[s];

	if (to >= TO_HOST)
		return;
	m->left[s] = NO_ID;
	m->right[s] = m->child[to];
	if (m->right[s] != NO_ID)
		m->left[m->right[s]] = s;
	m->child[to] = s;
}

static void unhang(struct moment_ways *m, uint32_t s)
{
	uint32_t to = m->next[s];

	if (to >= TO_HOST)
		return;
	if (m->left[s] == NO_ID)
		m->child[to] = m->right[s];
	else
		m->right[m->left[s]] = m->right[s];
	if (m->right[s] != NO_ID)
		m->left[m->right[s]] = m->left[s];
}

/* Add a switch's pairs to the count of what becomes of them now; sign 1 or -1. */
static void transition_count_switch(const struct transition *t, const struct two_ways *w, uint32_t s,
				    unsigned end, int sign, struct mix_pairs *c)
{
	uint64_t n = t->hosts[s] ? mix_sources(t, w, s) : 0;

	n = sign < 0 ? -n : n;
	if (end == MIX_LOOPS)
		c->looping += n;
	else if (end == MIX_CUT && w->to[s] == MIX_ARRIVES)
		*(w->from[s] == MIX_ARRIVES ? &c->cut : &c->waiting) += n;
}

/* A switch's entry becomes the new one; c: what that changes is added. */
static void moment_write(struct moment_ways *m, const struct transition *t, const struct two_ways *w,
			 uint32_t s, struct mix_pairs *c)
{
	uint32_t to = w->now[s], depth = 0;
	uint8_t end;

	unhang(m, s);
	m->next[s] = to;
	hang(m, s);
	if (to == TO_HOST)
		end = MIX_ARRIVES;
	else
		end = to == NOWHERE ? MIX_CUT : m->end[to];
	/* if the next one's way ends as this one's did, it may have led through here */
	if (to < TO_HOST && end != MIX_LOOPS && end == m->end[s])
		for (uint32_t at = to; at < TO_HOST && end != MIX_LOOPS; at = m->next[at])
			end = at == s ? MIX_LOOPS : end;
	if (end == m->end[s])
		return;
	m->stack[depth++] = s;
	transition_count_switch(t, w, s, m->end[s], -1, c);
	transition_count_switch(t, w, s, end, 1, c);
	m->end[s] = end;
	while (depth)
		for (uint32_t k = m->child[m->stack[--depth]]; k != NO_ID; k = m->right[k]) {
			if (m->end[k] == end)
				continue;
			transition_count_switch(t, w, k, m->end[k], -1, c);
			transition_count_switch(t, w, k, end, 1, c);
			m->end[k] = end;
			m->stack[depth++] = k;
		}
}

/* The way of a moment from a source, when it loops or ends nowhere. */
static void show_moment(struct transition *t, const struct two_ways *w, const uint32_t *next, uint32_t s,
			struct mix_way *to)
{
	AUTO_FREE uint32_t *place = NEW_ARRAY(w->n, uint32_t);

	begin_way(to, w, false);
	for (; s < TO_HOST && !place[s]; s = next[s]) {
		add_hop(to, t, s, next[s] == w->now[s]);
		place[s] = to->n;
	}
	to->loop = s < TO_HOST;
	if (to->loop)
		keep_from(to, place[s] - 1);
}

/*
 * A source that goes round, else one that is cut though both tables take it there; NO_ID.  end[n]: of a mix.
 * Sources that loop in the old or the new tables count only with `anyway`.
 */
static uint32_t mix_harmed(const struct transition *t, const struct two_ways *w, const uint8_t *end,
			   bool anyway)
{
	uint32_t cut = NO_ID;

	for (uint32_t s = 0; s < w->n; s++) {
		if (end[s] == MIX_ARRIVES || !t->hosts[s] || !mix_sources(t, w, s) ||
		    (!anyway && (w->from[s] == MIX_LOOPS || w->to[s] == MIX_LOOPS)))
			continue;
		if (end[s] == MIX_LOOPS)
			return s;
		if (cut == NO_ID && w->from[s] == MIX_ARRIVES && w->to[s] == MIX_ARRIVES)
			cut = s;
	}
	return cut;
}

/* --- several writes under way ------------------------------------------------------------------- */

struct under_way {
	uint32_t sw[WRITES_ON_WIRE - 1], n; /* writes before that may not be done yet */
	uint8_t *seen;			    /* [n_switches] */
	uint32_t *next, *work, *queue;	    /* [n_switches] */
	uint8_t *end;
};

/* May a packet that goes on from x by its new entry come back, or end nowhere? */
static bool may_go_wrong(struct under_way *u, const struct moment_ways *m, const struct two_ways *w,
			 uint32_t x)
{
	uint32_t tail = 0;
	bool wrong = false;

	u->queue[tail++] = w->now[x];
	for (uint32_t head = 0; head < tail && !wrong; head++) {
		uint32_t s = u->queue[head], on[2], ways = 1;

		if (s == TO_HOST)
			continue;
		wrong = s == NOWHERE || s == x;
		if (wrong || u->seen[s])
			continue;
		u->seen[s] = 1;
		on[0] = m->next[s];
		for (uint32_t k = 0; k < u->n; k++)
			if (u->sw[k] == s)
				ways = ways_on(w, s, on);
		while (ways--)
			u->queue[tail++] = on[ways];
	}
	while (tail)
		if (u->queue[--tail] < TO_HOST)
			u->seen[u->queue[tail]] = 0;
	return wrong;
}

/* x is written, and any of those before it are or are not: a source that this harms; NO_ID. */
static uint32_t harmed(struct under_way *u, const struct transition *t, const struct moment_ways *m,
		       const struct two_ways *w, uint32_t x)
{
	uint32_t source = NO_ID;

	memcpy(u->next, m->next, w->n * sizeof(*u->next));
	u->next[x] = w->now[x];
	for (uint32_t mix = 0; source == NO_ID && mix < 1u << u->n; mix++) {
		for (uint32_t k = 0; k < u->n; k++)
			u->next[u->sw[k]] = (mix >> k & 1 ? w->now : w->was)[u->sw[k]];
		mix_ends(w->n, u->next, u->end, u->work);
		source = mix_harmed(t, w, u->end, false);
	}
	return source;
}

/* Write number i, at x, is sent while up to three before it may be on their way. */
static bool look_under_way(struct under_way *u, struct transition *t, const struct moment_ways *m,
			   const struct two_ways *w, uint32_t i)
{
	uint32_t x = t->write[i].sw, begin = t->first[t->write[i].block];

	u->n = 0;
	for (uint32_t k = 1; k < WRITES_ON_WIRE && k <= i - begin; k++) {
		uint32_t s = t->write[i - k].sw;

		if (w->was[s] != w->now[s])
			u->sw[u->n++] = s;
	}
	if (!u->n || !may_go_wrong(u, m, w, x))
		return false;
	uint32_t source = harmed(u, t, m, w, x);
	if (source == NO_ID)
		return false;
	if (!t->wire_lids) {
		show_moment(t, w, u->next, source, &t->on_wire);
		t->wire_write = i;
	}
	return true;
}

/* --- the line of time ------------------------------------------------------------------------------- */

static void transition_add_pairs(struct mix_pairs *to, const struct mix_pairs *c)
{
	to->waiting += c->waiting;
	to->cut += c->cut;
	to->looping += c->looping;
}

static void transition_sum_up(struct transition *t)
{
	struct mix_pairs now = t->before;
	uint64_t most = 0;

	t->worst = t->bad_from = t->bad_to = NO_ID;
	for (uint32_t i = 0; i < t->n_writes; i++) {
		struct mix_pairs *c = &t->write[i].after;

		transition_add_pairs(&now, c);
		*c = now;
		uint64_t bad = now.cut + now.looping;
		if (!bad)
			continue;
		t->bad_from = t->bad_from == NO_ID ? i : t->bad_from;
		t->bad_to = i;
		if (bad > most)
			t->worst = i;
		most = MAX(bad, most);
	}
}

static void transition_one_lid(struct transition *t, struct two_ways *w, struct moment_ways *m,
			       struct both_ways *g, struct under_way *u, unsigned lid)
{
	unsigned block = lid / LFT_BLOCK;
	struct mix_pairs start = {0};
	bool changes = false, wire = false;

	if (!two_ways_load(w, t, lid))
		return;
	for (uint32_t s = 0; s < w->n; s++) {
		uint64_t sources = t->hosts[s] ? mix_sources(t, w, s) : 0;

		t->pairs += sources;
		t->lost += w->to[s] == MIX_ARRIVES ? 0 : sources;
		changes |= w->was[s] != w->now[s];
	}
	memcpy(w->from, w->to, w->n);
	if (changes)
		mix_ends(w->n, w->was, w->from, w->work);
	for (uint32_t s = 0; s < w->n; s++)
		if (w->from[s] != MIX_ARRIVES)
			transition_count_switch(t, w, s, w->from[s], 1, &start);
	t->before.waiting += start.waiting;
	t->before.looping += start.looping;
	if (!changes)
		return;
	any_order(t, g, w);
	bool harm = t->n_lids && t->lid[t->n_lids - 1].lid == lid;
	memcpy(m->next, w->was, w->n * sizeof(*m->next));
	memcpy(m->end, w->from, w->n);
	memset(m->child, 0xff, w->n * sizeof(*m->child));
	for (uint32_t s = 0; s < w->n; s++)
		hang(m, s);
	bool bad = start.looping > 0;
	for (uint32_t i = t->first[block]; i < t->first[block + 1]; i++) {
		uint32_t s = t->write[i].sw;
		struct mix_pairs c = {0};

		if (w->was[s] == w->now[s])
			continue;
		if (harm && !bad && !wire)
			wire = look_under_way(u, t, m, w, i);
		moment_write(m, t, w, s, &c);
		start.cut += c.cut;
		start.looping += c.looping;
		bad |= start.cut || start.looping;
		transition_add_pairs(&t->write[i].after, &c);
	}
	t->wire_lids += wire && !bad;
}

/* The tables of a LID when `done` writes are. */
static void moment_next(const struct transition *t, uint32_t done, const struct two_ways *w, uint32_t *next)
{
	unsigned block = w->lid / LFT_BLOCK;

	memcpy(next, w->was, w->n * sizeof(*next));
	for (uint32_t i = t->first[block]; i < t->first[block + 1] && i < done; i++)
		next[t->write[i].sw] = w->now[t->write[i].sw];
}

/* The first LID of the worst write's block that it harms. */
static void show_worst(struct transition *t, struct two_ways *w, struct moment_ways *m)
{
	unsigned lid0 = t->write[t->worst].block * LFT_BLOCK;

	for (unsigned pass = 0; pass < 2 && !t->at_worst.lid; pass++)
		for (unsigned lid = pass ? 1 : lid0; lid <= t->b->lids->max_lid && !t->at_worst.lid; lid++) {
			if ((!pass && lid >= lid0 + LFT_BLOCK) || !two_ways_load(w, t, lid))
				continue;
			mix_ends(w->n, w->was, w->from, w->work);
			moment_next(t, t->worst + 1, w, m->next);
			mix_ends(w->n, m->next, m->end, w->work);
			uint32_t s = mix_harmed(t, w, m->end, true);
			if (s != NO_ID)
				show_moment(t, w, m->next, s, &t->at_worst);
		}
}

static bool transition_judge(struct transition *t, struct progress *p)
{
	uint32_t n = t->b->topo->fabric->n_switches;
	AUTO_ARENA void *arena = ARENA_EMPTY;
	struct both_ways g = {transition_words(arena, n), transition_words(arena, 2 * n),
			      ARENA_ARRAY(arena, n + 1, uint8_t), ARENA_ARRAY(arena, n + 1, uint8_t),
			      transition_words(arena, 2 * n)};
	struct two_ways w;
	struct moment_ways m = {.next = transition_words(arena, n),
				.end = ARENA_ARRAY(arena, n + 1, uint8_t),
				.child = transition_words(arena, n),
				.left = transition_words(arena, n),
				.right = transition_words(arena, n),
				.stack = transition_words(arena, n)};
	struct under_way u = {.seen = ARENA_ARRAY(arena, n + 1, uint8_t),
			      .next = transition_words(arena, n),
			      .work = transition_words(arena, n),
			      .queue = transition_words(arena, n + 2 * WRITES_ON_WIRE),
			      .end = ARENA_ARRAY(arena, n + 1, uint8_t)};
	bool going = true;

	two_ways_init(arena, &w, n);
	progress_start(p, "judging the transition", t->b->lids->max_lid);
	for (unsigned lid = 1; lid <= t->b->lids->max_lid && going; lid++) {
		transition_one_lid(t, &w, &m, &g, &u, lid);
		going = progress_step(p, lid);
	}
	transition_sum_up(t);
	if (going && t->worst != NO_ID)
		show_worst(t, &w, &m);
	return going;
}

struct transition *transition_new(const struct routing *a, const struct routing *b,
				  struct transition_sent sent, struct progress *p, struct err *e)
{
	const struct fabric *f = b->topo->fabric;
	struct transition *t = ARENA_NEW(NULL, struct transition);

	t->a = routing_unref_later(t, routing_ref(a));
	t->b = routing_unref_later(t, routing_ref(b));
	t->hosts = routing_hosts(t, b);
	t->was = ARENA_ARRAY(t, f->n_switches + 1, const struct lft_row *);
	for (uint32_t s = 0; s < f->n_switches; s++) {
		uint32_t own = a->topo->fabric == f ? s : fabric_switch_in(a->topo->fabric, f, s);

		t->was[s] = own == NO_ID ? NULL : a->row[own];
	}
	transition_list_writes(t, sent);
	if (!transition_judge(t, p) || !transition_credit(t, p)) {
		arena_free(t);
		err_format(e, CANCELLED);
		return NULL;
	}
	return t;
}
