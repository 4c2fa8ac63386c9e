#include "core/analysis/compare/compare.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/progress.h"

#include <assert.h>
#include <endian.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/routing/paths.h"

enum { STAYED, LEFT, CAME };

#define EQUAL_RUN 64		/* entries compared at once */
#define LONG_RUN 1024		/* the same, where all of them are equal */
#define MOST_CHANGES (1u << 20) /* with more, all ways are walked */
#define MANY_ENTRIES (1u << 22) /* with this many or more, threads share the tables */

/* The switch of a host in r. NO_ID: the host is not up there, or does not count in c. */
static uint32_t host_switch(const struct comparison *c, const struct routing *r, uint32_t ep)
{
	return r->topo->endport_up[ep] && routing_counts(c->b, ep) ? r->topo->endport_switch[ep] : NO_ID;
}

static bool elsewhere(uint32_t sa, uint32_t sb)
{
	return sa != NO_ID && sb != NO_ID && sa != sb;
}

/* Is a source up at another switch than before? */
static bool compare_moved(const struct comparison *c, uint32_t ep)
{
	return elsewhere(host_switch(c, c->a, ep), host_switch(c, c->b, ep));
}

/*
 * Sort sources by (switch, class). A source that moved is LEFT at the old switch and CAME at the new one, in
 * each of these behind all others.
 */
static void compare_list_sources(struct comparison *c, const struct fabric *f)
{
	uint32_t n_keys = 3 * f->n_switches;
	bool some_moved = false;

	c->source_at = ARENA_ARRAY(c, n_keys + 1, uint32_t);
	c->source = ARENA_ARRAY(c, 2 * f->n_endports, uint32_t);
	for (int pass = 0; pass < 2; pass++) {
		AUTO_FREE uint32_t *fill = pass ? mem_dup(c->source_at, (n_keys + 1) * sizeof(*fill)) : NULL;
		for (uint32_t i = 0; i < (pass && some_moved ? 2 : 1) * f->n_endports; i++) {
			uint32_t ep = i < f->n_endports ? i : i - f->n_endports;
			uint32_t sa = host_switch(c, c->a, ep), sb = host_switch(c, c->b, ep);
			uint32_t key[2] = {NO_ID, NO_ID};
			bool moves = elsewhere(sa, sb);

			some_moved |= moves;
			if (pass && moves != (i >= f->n_endports))
				continue;
			if (sa == sb && sa != NO_ID)
				key[0] = 3 * sa + STAYED;
			else if (sa != NO_ID)
				key[0] = 3 * sa + LEFT;
			if (sb != NO_ID && sa != sb)
				key[1] = 3 * sb + CAME;
			for (int k = 0; k < 2; k++) {
				if (key[k] == NO_ID)
					continue;
				if (pass)
					c->source[fill[key[k]]++] = ep;
				else
					c->source_at[key[k] + 1]++;
			}
		}
		for (uint32_t k = 0; !pass && k < n_keys; k++)
			c->source_at[k + 1] += c->source_at[k];
	}
}

static unsigned same_lid(const struct lids *from, const struct lids *to, unsigned lid)
{
	uint32_t ep = lid_owner(from, lid);

	if (from == to || ep == NO_ID || !to->base[ep])
		return lid;
	unsigned off = lid - from->base[ep];
	return off < to->count[ep] ? to->base[ep] + off : 0;
}

static uint8_t compare_entry(const struct routing *r, uint32_t sw, unsigned lid)
{
	return r && lid ? routing_port(r, sw, lid) : NO_PATH;
}

/* Changed entries, by LID after sort_changes(). */
struct compare_changes {
	uint32_t *at; /* [largest LID + 2] sw[at[lid]] to sw[at[lid + 1] - 1] */
	uint32_t *sw;
	uint16_t *lid; /* [n] */
	size_t n, cap, cap_lid;
};

static void sort_changes(void *arena, struct compare_changes *d, unsigned top)
{
	uint32_t *by_lid = ARENA_ARRAY(arena, d->n + 1, uint32_t);

	d->at = ARENA_ARRAY(arena, top + 2, uint32_t);
	for (size_t i = 0; i < d->n; i++)
		d->at[d->lid[i]]++;
	for (unsigned lid = 0; lid <= top; lid++)
		d->at[lid + 1] += d->at[lid];
	for (size_t i = d->n; i--;)
		by_lid[--d->at[d->lid[i]]] = d->sw[i];
	d->sw = by_lid;
}

/* What one worker found of changed entries. */
struct compare_found {
	uint8_t *marked; /* [top + 1] LIDs with such entries get 1 */
	struct compare_changes few;
	uint64_t changed, lost, gained;
	uint32_t switches, gone, came;
};

/*
 * Count changed entries of one switch and mark their LIDs: those of b, or of a if b does not have them. few:
 * they are listed, too.
 */
static void compare_rows(const struct comparison *c, uint32_t sw, const uint16_t *lid_a, unsigned top,
			 bool few, struct compare_found *x)
{
	struct compare_changes *d = &x->few;
	uint8_t *marked = x->marked;
	const struct lft_row *ra = c->a->row[sw], *rb = c->b->row[sw];
	bool plain = !lid_a && !c->across;
	unsigned next_run = 0, next_long = 0;

	if (!ra || !rb) {
		x->gone += ra != NULL;
		x->came += rb != NULL;
		if (!few && ra != rb)
			memset(marked, 1, top + 1);
		return;
	}
	if (ra == rb && !lid_a)
		return;
	unsigned held = MIN(ra->top, rb->top);
	for (unsigned lid = 1; lid <= top; lid++) {
		uint8_t pa;

		/* most of two rows is often equal */
		while (plain && lid >= next_long && lid + LONG_RUN <= held &&
		       !memcmp(ra->port + lid, rb->port + lid, LONG_RUN))
			lid += LONG_RUN;
		next_long = lid >= next_long ? lid + LONG_RUN : next_long;
		while (plain && lid >= next_run && lid + EQUAL_RUN <= held &&
		       !memcmp(ra->port + lid, rb->port + lid, EQUAL_RUN))
			lid += EQUAL_RUN;
		next_run = lid >= next_run ? lid + EQUAL_RUN : next_run;
		while (plain && lid < next_run && lid < held && ra->port[lid] == rb->port[lid])
			lid++;
		if (plain && lid <= held)
			pa = ra->port[lid];
		else
			pa = compare_entry(c->a, sw, lid_a ? lid_a[lid] : lid);
		uint8_t pb = routing_port(c->b, sw, lid);

		if (c->across && c->across->skip[lid])
			marked[lid] = 1;
		if (pa == pb || (c->across && c->across->skip[lid]))
			continue;
		c->switch_entries[sw]++;
		x->lost += pb == NO_PATH;
		x->gained += pa == NO_PATH;
		marked[lid] = 1;
		if (!few || d->n == MOST_CHANGES)
			continue;
		GROW(d->sw, d->n, d->cap);
		GROW(d->lid, d->n, d->cap_lid);
		d->sw[d->n] = sw;
		d->lid[d->n++] = (uint16_t)lid;
	}
	x->changed += c->switch_entries[sw];
	x->switches += c->switch_entries[sw] > 0;
}

/* Cables that are live on one side only change paths, though entries stay. Marks the LIDs of such entries. */
static void compare_mark_cables(const struct comparison *c, unsigned top, uint8_t *marked)
{
	const struct topo *ta = c->a->topo, *tb = c->b->topo;
	const struct fabric *f = ta->fabric;

	if (ta == tb)
		return;
	for (uint32_t sw = 0; sw < f->n_switches; sw++)
		for (unsigned p = 1; c->b->row[sw] && p <= f->switch_nports[sw]; p++) {
			uint32_t id = f->switch_port[sw] + p;

			if (ta->peer[id] == tb->peer[id])
				continue;
			for (unsigned lid = 1; lid <= top; lid++)
				marked[lid] |= routing_port(c->b, sw, lid) == p;
		}
}

struct pair_list {
	pthread_mutex_t lock;
	const struct pair_dest *of; /* NULL: none was asked for */
	struct pair_group *group;
	size_t n, cap;
	uint16_t *lid_a; /* map_lids(), made for the first LID */
};

/* A group for each leaf and destination would take much more than the tables: just the LID is kept. */
static void compare_add(struct comparison *c, const struct pair_group *g)
{
	uint64_t first = comparison_listed(c);

	if (c->listing) {
		ARENA_GROW(c->list, c->list->group, c->list->n, c->list->cap);
		c->list->group[c->list->n] = *g;
		c->list->group[c->list->n++].first = first;
	} else if (!c->n_dests || c->dest[c->n_dests - 1].lid != g->lid ||
		   c->dest[c->n_dests - 1].dst != g->dst) {
		ARENA_GROW(c, c->dest, c->n_dests, c->cap_dests);
		c->dest[c->n_dests++] = (struct pair_dest){.first = first, .dst = g->dst, .lid = g->lid};
	}
}

/* Links from a host of a switch with so many hops. */
static uint16_t links_of_hops(uint16_t hops)
{
	return hops < HOPS_LOOP ? hops + 1 : hops;
}

/* Counts a group, and keeps it. */
static void compare_add_pairs(struct comparison *c, const struct pair_group *g)
{
	compare_add(c, g);
	switch (g->change) {
	case PAIR_REROUTED:
		c->rerouted += g->n;
		c->longer += g->after > g->before ? g->n : 0;
		c->shorter += g->after < g->before ? g->n : 0;
		break;
	case PAIR_LOST:
		c->lost += g->n;
		*(g->who != LEFT && c->b->topo->endport_up[g->dst] ? &c->between_survivors : &c->cut_off) +=
			g->n;
		break;
	case PAIR_REGAINED:
		c->regained += g->n;
		break;
	case PAIR_NEW:
		c->fresh += g->n;
		break;
	default:
		c->sl_alone += g->n;
	}
}

/* Sources that stayed on a switch, without the destination. */
static uint32_t stayed_but(const struct comparison *c, uint32_t sw, uint32_t dst)
{
	const uint32_t *at = c->source_at + 3 * sw + STAYED;

	return at[1] - at[0] - (host_switch(c, c->a, dst) == sw && host_switch(c, c->b, dst) == sw);
}

/* All pairs of a class of sources, but of those that moved. */
static void compare_add_group(struct comparison *c, struct pair_group *g)
{
	const uint32_t *at = c->source_at + 3 * g->sw + g->who;

	g->n = g->who == STAYED ? stayed_but(c, g->sw, g->dst) : 0;
	for (uint32_t i = at[0]; g->who != STAYED && i < at[1] && !compare_moved(c, c->source[i]); i++)
		g->n += c->source[i] != g->dst;
	if (g->n)
		compare_add_pairs(c, g);
}

/* What becomes of a pair with so many hops before and after, one of which at least is a way. */
static enum pair_change compare_change(uint16_t before, uint16_t after, enum pair_change gained)
{
	if (after >= HOPS_LOOP)
		return PAIR_LOST;
	return before >= HOPS_LOOP ? gained : PAIR_REROUTED;
}

/* --- service levels ---------------------------------------------------------------------------- */

static bool other_sl(const struct comparison *c, uint32_t src, unsigned lid, struct sl_range *was,
		     struct sl_range *now)
{
	*was = routing_sl(c->a, c->a->lids->base[src], same_lid(c->b->lids, c->a->lids, lid));
	*now = routing_sl(c->b, c->b->lids->base[src], lid);
	return was->lo != now->lo || was->hi != now->hi;
}

bool comparison_sls(const struct comparison *c, const struct pair_group *g, uint32_t src,
		    struct sl_range *was, struct sl_range *now)
{
	return !c->across && (g->change == PAIR_SL || g->change == PAIR_REROUTED) &&
	       other_sl(c, src, g->lid, was, now);
}

/* Pairs of a group that have a path before and after: each run with another SL. moved: another path. */
static void compare_sls_of_pairs(struct comparison *c, bool by_switch, struct pair_group *g, bool moved)
{
	uint32_t at = c->source_at[3 * g->sw + STAYED], end = c->source_at[3 * g->sw + STAYED + 1], k = 0;
	struct sl_range was, now;

	g->change = PAIR_SL;
	g->before = g->after;
	g->n = 0;
	if (by_switch) { /* one tells for all */
		uint32_t n = stayed_but(c, g->sw, g->dst);
		bool differs =
			n && other_sl(c, c->source[at + (c->source[at] == g->dst)], g->lid, &was, &now);

		c->sl_changed += differs ? n : 0;
		g->n = differs && !moved ? n : 0;
		at = end;
	}
	for (uint32_t i = at; i < end; i++) {
		if (c->source[i] == g->dst)
			continue;
		bool differs = other_sl(c, c->source[i], g->lid, &was, &now);
		c->sl_changed += differs;
		if (!differs && g->n)
			compare_add_pairs(c, g);
		g->n = differs && !moved ? g->n + 1 : 0;
		g->skip = ++k - g->n;
	}
	if (g->n)
		compare_add_pairs(c, g);
}

/* Over all pairs, on one side. */
struct hop_sums {
	unsigned max;
	uint64_t sum, n; /* links, pairs */
};

struct compare_walk {
	void *arena;
	struct comparison *c;
	bool sls;	    /* some pair may have another SL */
	bool sls_by_switch; /* all sources on a switch have the same to one LID */
	uint8_t *col_a, *col_b;
	uint16_t *ha, *hb;
	uint32_t *work, *order;
	/*
	 * Of a switch, once a LID of a host on it was walked: hb[] and order[] of that LID, n_switches of
	 * each. To most other LIDs there the ways are as long.
	 */
	uint16_t **known; /* [n_switches] NULL: none yet */
	uint8_t *changed;
	uint32_t *with, n_with;	 /* switches with sources */
	struct hop_sums sums[2]; /* before, after */
	/* [switches of a's own fabric], if a has another fabric */
	uint8_t *own_col;
	uint16_t *own_hops;
	uint32_t *own_work;
	/*
	 * [n_switches] by routing.exact, before and after; NULL: ways must be walked. The first alone is
	 * NULL: those of LIDs with changed entries.
	 */
	struct to_switch *to[2];
	struct compare_changes few; /* changed entries, with to[0] */
	uint8_t *mark;		    /* [n_switches] all 0 */
	uint8_t *reach;		    /* [n_switches] 1: other switches than before have a way to it */
	uint32_t *others, n_others; /* switches with sources that left, came or moved there */
};

/* The pairs to one LID of a host on a switch. */
struct to_switch {
	uint32_t sum, n; /* total of their links, and number of pairs */
	uint16_t max;
};

/* Sorts switches by hops, those from 256 on together. */
static void order_by_hops(struct compare_walk *w)
{
	uint32_t n = w->c->b->topo->fabric->n_switches, count[258] = {0};

	for (uint32_t s = 0; s < n; s++)
		count[(MIN(w->hb[s], 256)) + 1]++;
	for (unsigned h = 0; h < 257; h++)
		count[h + 1] += count[h];
	for (uint32_t s = 0; s < n; s++)
		w->order[count[MIN(w->hb[s], 256)]++] = s;
}

/* Mark switches whose paths differ while both arrive. By ascending hops, the next switch is known first. */
static void mark_changed_paths(struct compare_walk *w, const uint8_t *ca, const uint8_t *cb)
{
	const struct topo *tb = w->c->b->topo;
	const struct fabric *f = tb->fabric;
	const uint32_t *port = f->switch_port, *peer = tb->peer_switch, *order = w->order;
	bool across = w->c->across;
	uint8_t *changed = w->changed;

	for (uint32_t i = 0; i < f->n_switches; i++) {
		uint32_t s = order[i], id = port[s] + cb[s];
		/* between two fabrics, a cable that is live in both may lead elsewhere */
		uint8_t other = ca[s] != cb[s] || w->hb[s] >= 256 ||
				(across && tb->peer[id] != w->c->a->topo->peer[id]);

		if (!other && w->hb[s]) {
			uint32_t q = peer[id];
			other = q != NO_ID && changed[q];
		}
		changed[s] = other;
	}
}

/* Pairs to a LID from sources that left a switch, came to it or moved there. w: hops of all such switches. */
static void compare_others(struct compare_walk *w, uint32_t s, unsigned lid, uint32_t dst,
			   enum pair_change gained)
{
	struct comparison *c = w->c;
	struct pair_group left = {.sw = s,
				  .lid = lid,
				  .dst = dst,
				  .who = LEFT,
				  .change = PAIR_LOST,
				  .before = links_of_hops(w->ha[s]),
				  .after = HOPS_NONE};
	struct pair_group came = {.sw = s,
				  .lid = lid,
				  .dst = dst,
				  .who = CAME,
				  .change = gained,
				  .before = HOPS_NONE,
				  .after = links_of_hops(w->hb[s])};

	if (w->ha[s] < HOPS_LOOP)
		compare_add_group(c, &left);
	if (w->hb[s] < HOPS_LOOP)
		compare_add_group(c, &came);
	came.n = 1; /* of those that moved, each by itself */
	for (uint32_t i = c->source_at[3 * s + CAME]; i < c->source_at[3 * s + CAME + 1]; i++) {
		uint32_t ep = c->source[i];

		if (ep == dst)
			continue;
		if (compare_moved(c, ep)) {
			uint16_t before = w->ha[c->a->topo->endport_switch[ep]];

			came.before = links_of_hops(before);
			came.change = compare_change(before, w->hb[s], gained);
			if (before < HOPS_LOOP || w->hb[s] < HOPS_LOOP)
				compare_add_pairs(c, &came);
		}
		came.skip++;
	}
}

/* fresh: the endport did not have this LID before. */
static void compare_lid(struct compare_walk *w, unsigned lid, uint32_t dst, bool fresh, const uint8_t *ca,
			const uint8_t *cb)
{
	struct comparison *c = w->c;
	enum pair_change gained = fresh ? PAIR_NEW : PAIR_REGAINED;

	mark_changed_paths(w, ca, cb);
	for (uint32_t i = 0; i < w->n_with; i++) {
		uint32_t s = w->with[i];
		bool ok_a = w->ha[s] < HOPS_LOOP, ok_b = w->hb[s] < HOPS_LOOP;
		bool differ = ok_a != ok_b || (ok_a && w->changed[s]), sls = ok_a && ok_b && w->sls;

		if (differ || sls) {
			struct pair_group g = {
				.sw = s, .lid = lid, .dst = dst, .after = links_of_hops(w->hb[s])};

			if (differ) {
				g.change = compare_change(w->ha[s], w->hb[s], gained);
				g.before = links_of_hops(w->ha[s]);
				compare_add_group(c, &g);
			}
			if (sls)
				compare_sls_of_pairs(c, w->sls_by_switch, &g, w->changed[s]);
		}
		if (c->source_at[3 * s + LEFT] < c->source_at[3 * s + CAME + 1])
			compare_others(w, s, lid, dst, gained);
	}
}

/* Sources on a switch before (LEFT) or after (CAME). */
static uint32_t sources_on(const struct comparison *c, uint32_t s, unsigned other)
{
	const uint32_t *at = c->source_at + 3 * s;

	return at[STAYED + 1] - at[STAYED] + at[other + 1] - at[other];
}

/* Adds up the links of all pairs to one destination, before or now. */
static void sum_hops(struct compare_walk *w, bool now, uint32_t dst)
{
	const uint16_t *hops = now ? w->hb : w->ha;
	uint32_t own = host_switch(w->c, now ? w->c->b : w->c->a, dst);
	struct hop_sums sums = w->sums[now];
	unsigned other = now ? CAME : LEFT;

	for (uint32_t i = 0; i < w->n_with; i++) {
		uint32_t s = w->with[i], k = sources_on(w->c, s, other) - (s == own);

		if (hops[s] >= HOPS_LOOP || !k)
			continue;
		sums.max = MAX(hops[s] + 1u, sums.max);
		sums.sum += (uint64_t)k * (hops[s] + 1u);
		sums.n += k;
	}
	w->sums[now] = sums;
}

/* Adds the pairs from the hosts on switch s to a host on each of switches first to n - 1, by its row of
 * routing.exact. */
static void compare_sum_row(struct to_switch *to, uint32_t s, uint32_t here, const uint8_t *least,
			    uint32_t first, uint32_t n)
{
	uint16_t max = to[s].max;

	for (uint32_t d = first; d < n; d++) {
		uint32_t k = least[d] <= NO_PATH - 2u ? here : 0;
		uint16_t hops = k ? least[d] + 2u : 0;

		to[d].sum += k * hops;
		to[d].n += k;
		to[d].max = MAX(hops, to[d].max);
	}
	to[s].sum -= 2; /* the destination itself */
	to[s].n--;
	to[s].max = here > 1 ? to[s].max : max;
}

#define MOST_ROWS 256 /* whose octets fit in 16 bits, summed up */
#define TOP_BITS 0x8080808080808080ull
#define EVEN_OCTETS 0x00ff00ff00ff00ffull

/*
 * Sums of such rows, of switches with equally many hosts, not yet added to to[].  Eight octets of a row are
 * added at once: the even ones and the odd ones, each in 16 bits.
 */
struct row_sums {
	struct to_switch *to;
	uint32_t n, here, rows;
	uint64_t *sum; /* [2 * n / 8] */
	uint64_t *max; /* [n / 8] the largest of each octet; the highest bit of an octet is 0 */
};

static uint64_t octets(const uint8_t *at)
{
	uint64_t x;

	memcpy(&x, at, sizeof(x));
	return le64toh(x);
}

static void flush_sums(struct row_sums *x)
{
	for (uint32_t d = 0; x->rows && d < x->n / 8 * 8; d++) {
		struct to_switch *to = &x->to[d];
		uint32_t sum = x->sum[d / 8 * 2 + d % 2] >> (d % 8 / 2 * 16) & 0xffff,
			 hops = (x->max[d / 8] >> (d % 8 * 8) & 0xff) + 2;

		to->sum += x->here * (sum + 2 * x->rows);
		to->n += x->here * x->rows;
		to->max = hops > to->max ? (uint16_t)hops : to->max;
	}
	memset(x->sum, 0, x->n / 8 * 2 * sizeof(*x->sum));
	memset(x->max, 0, x->n / 8 * sizeof(*x->max));
	x->rows = 0;
}

/* Does what compare_sum_row() does, after flush_sums(). */
static void compare_add_row(struct row_sums *x, uint32_t s, uint32_t here, const uint8_t *least)
{
	uint32_t words = x->n / 8;
	uint64_t all = 0;

	for (uint32_t k = 0; k < words; k++)
		all |= octets(least + 8 * k);
	if (here < 2 || all & TOP_BITS) {
		compare_sum_row(x->to, s, here, least, 0, x->n);
		return;
	}
	if (x->here != here || x->rows == MOST_ROWS)
		flush_sums(x);
	x->here = here;
	x->rows++;
	for (uint32_t k = 0; k < words; k++) {
		uint64_t now = octets(least + 8 * k), was = x->max[k],
			 more = (((now | TOP_BITS) - was) & TOP_BITS) >> 7, take = more * 0xff;

		x->sum[2 * k] += now & EVEN_OCTETS;
		x->sum[2 * k + 1] += now >> 8 & EVEN_OCTETS;
		x->max[k] = (now & take) | (was & ~take);
	}
	compare_sum_row(x->to, s, here, least, 8 * words, x->n);
}

/*
 * The same for all switches: to[1] by b, and to[0] by a, if that promises its ways.  Parts that are alike in
 * both are added once; the others also set reach[].
 */
static void sum_exact(struct compare_walk *w, bool both)
{
	const struct comparison *c = w->c;
	uint32_t n = c->b->topo->fabric->n_switches;
	AUTO_FREE uint8_t *equal = NEW_ARRAY(n, uint8_t);
	struct row_sums sums[2];

	for (int i = 0; i < 2; i++)
		sums[i] = (struct row_sums){.n = n,
					    .sum = ARENA_ARRAY(w->arena, n / 8 * 2 + 1, uint64_t),
					    .max = ARENA_ARRAY(w->arena, n / 8 + 1, uint64_t)};
	sums[1].to = w->to[1] = ARENA_ARRAY(w->arena, n, struct to_switch);
	for (int other = 0; other < 2; other++) {
		if (other && both) {
			flush_sums(&sums[1]);
			sums[0].to = w->to[0] = arena_dup(w->arena, w->to[1], n * sizeof(*w->to[1]));
		}
		for (uint32_t s = 0; s < n; s++) {
			const uint8_t *now = c->b->exact + (size_t)s * n;
			const uint8_t *was = both ? c->a->exact + (size_t)s * n : now;
			uint32_t before = sources_on(c, s, LEFT), after = sources_on(c, s, CAME);
			bool stayed = c->source_at[3 * s + STAYED] < c->source_at[3 * s + STAYED + 1];

			if (!other)
				equal[s] = (was == now || !memcmp(was, now, n)) && (!both || before == after);
			for (uint32_t d = 0; other && !equal[s] && stayed && d < n; d++)
				w->reach[d] |= (was[d] == NO_PATH) != (now[d] == NO_PATH);
			if (equal[s] == other)
				continue;
			if (after)
				compare_add_row(&sums[1], s, after, now);
			if (other && both && before)
				compare_add_row(&sums[0], s, before, was);
		}
	}
	for (int i = 0; i < 2; i++)
		flush_sums(&sums[i]);
}

/* Sums by routing.exact, where they say enough. Otherwise all ways are walked. */
static void exact_start(struct compare_walk *w, unsigned top, uint8_t *marked, bool sources_changed)
{
	const struct comparison *c = w->c;
	uint32_t n = c->b->topo->fabric->n_switches;
	bool both = c->a->exact && w->few.n != MOST_CHANGES;

	if (!both && (sources_changed || c->switches_gone || c->switches_new)) {
		memset(marked, 1, top + 1);
		return;
	}
	w->mark = ARENA_ARRAY(w->arena, n, uint8_t);
	w->reach = ARENA_ARRAY(w->arena, n, uint8_t);
	w->others = ARENA_ARRAY(w->arena, n, uint32_t);
	for (uint32_t s = 0; s < n; s++)
		if (c->source_at[3 * s + LEFT] < c->source_at[3 * s + CAME + 1])
			w->others[w->n_others++] = s;
	sum_exact(w, both);
	if (both)
		sort_changes(w->arena, &w->few, top);
}

/* Hops from a switch to a LID of a host on switch d, by routing.exact. */
static uint16_t hops_by(const struct routing *r, uint32_t s, uint32_t d)
{
	uint8_t least = r->exact[(size_t)s * r->topo->fabric->n_switches + d];

	return least == NO_PATH ? HOPS_NONE : least + 1;
}

/*
 * Lists the pairs to a LID of a host on switch d that take another path, those behind the changed entries,
 * and those from sources that left, came or moved.
 */
static bool few_changes(struct compare_walk *w, unsigned lid, uint32_t dst, uint32_t d)
{
	struct comparison *c = w->c;
	uint32_t n = c->b->topo->fabric->n_switches, m = w->few.at[lid + 1] - w->few.at[lid];

	if (w->reach[d] || m > FEW_SWITCHES(n) || c->a->topo->endport_switch[dst] != d)
		return false;
	memcpy(w->order, w->few.sw + w->few.at[lid], m * sizeof(*w->order));
	m = switches_behind(c->b, lid, w->order, m, FEW_SWITCHES(n), w->mark);
	if (m == NO_ID)
		return false;
	qsort(w->order, m, sizeof(*w->order), order_u32);
	for (uint32_t i = 0; i < m; i++) {
		uint32_t sw = w->order[i];
		struct pair_group g = {.sw = sw,
				       .lid = lid,
				       .dst = dst,
				       .change = PAIR_REROUTED,
				       .before = links_of_hops(hops_by(c->a, sw, d)),
				       .after = links_of_hops(hops_by(c->b, sw, d))};

		if (g.after < HOPS_LOOP)
			compare_add_group(c, &g);
	}
	for (uint32_t i = 0; i < w->n_others; i++) {
		w->ha[w->others[i]] = hops_by(c->a, w->others[i], d);
		w->hb[w->others[i]] = hops_by(c->b, w->others[i], d);
	}
	for (uint32_t i = 0; i < w->n_others; i++)
		compare_others(w, w->others[i], lid, dst, PAIR_REGAINED);
	return true;
}

static void add_sum(struct hop_sums *sums, const struct to_switch *to)
{
	sums->max = MAX(to->max, sums->max);
	sums->sum += to->sum;
	sums->n += to->n;
}

/* Does what compare_walk_lid() does, if that can be done without walking. */
static bool by_exact(struct compare_walk *w, unsigned lid, bool marked)
{
	struct comparison *c = w->c;
	uint32_t dst = lid_owner(c->b->lids, lid);

	if (!w->to[1] || (marked && !w->to[0]) || dst != lid_owner(c->a->lids, lid))
		return false;
	if (dst == NO_ID || !routing_counts(c->b, dst))
		return true;
	uint32_t d = host_switch(c, c->b, dst);
	if (d == NO_ID || (marked && !few_changes(w, lid, dst, d)))
		return false;
	add_sum(&w->sums[0], &w->to[!marked][d]);
	add_sum(&w->sums[1], &w->to[1][d]);
	return true;
}

/* Hops from the switches of b to a LID in a's own fabric. Their ways may use parts that b lacks. */
static void hops_before(struct compare_walk *w, unsigned lid, uint32_t owner)
{
	const struct across *x = w->c->across;
	const struct routing *own = x->own;
	uint32_t n = own->topo->fabric->n_switches;

	for (uint32_t s = 0; s < n; s++)
		w->own_col[s] = (uint8_t)(lid ? routing_port(own, s, lid) : NO_PATH);
	column_hops(own->topo, w->own_col, owner == NO_ID || !lid ? NO_ID : lid_owner(own->lids, lid),
		    w->own_hops, w->own_work);
	for (uint32_t s = 0; s < w->c->b->topo->fabric->n_switches; s++)
		w->ha[s] = x->sw[s] == NO_ID ? HOPS_NONE : w->own_hops[x->sw[s]];
}

/* Are these the hops by a column? What leads one link nearer everywhere, and ends so, does. */
static bool leads_so(const struct topo *t, const uint8_t *col, uint32_t owner, const uint16_t *hops)
{
	const struct fabric *f = t->fabric;

	for (uint32_t s = 0; s < f->n_switches; s++) {
		const uint32_t *peer = t->peer_switch + f->switch_port[s];
		uint32_t next = col[s] <= f->switch_nports[s] ? peer[col[s]] : NO_ID;

		if (hops[s] == HOPS_NONE && !switch_up(t, s))
			continue;
		if (next != NO_ID ? hops[s] >= HOPS_LOOP || hops[next] + 1u != hops[s]
				  : end_hops(t, s, col[s], owner, &next) != hops[s])
			return false;
	}
	return owner != NO_ID;
}

/* Finds hb[] and order[] of a LID of b. */
static void hops_after(struct compare_walk *w, uint32_t owner, const uint8_t *col)
{
	const struct topo *t = w->c->b->topo;
	uint32_t n = t->fabric->n_switches, d = owner == NO_ID ? NO_ID : t->endport_switch[owner];
	uint16_t **known = d == NO_ID || endport_is_switch(t->fabric, owner) ? NULL : &w->known[d];

	if (known && *known && leads_so(t, col, owner, *known)) {
		memcpy(w->hb, *known, n * sizeof(*w->hb));
		for (uint32_t i = 0; i < n; i++)
			w->order[i] = (*known)[n + i];
		return;
	}
	column_hops(t, col, owner, w->hb, w->work);
	order_by_hops(w);
	if (!known || *known || n > UINT16_MAX)
		return;
	*known = ARENA_ARRAY(w->arena, 2 * n, uint16_t);
	memcpy(*known, w->hb, n * sizeof(*w->hb));
	for (uint32_t i = 0; i < n; i++)
		(*known)[n + i] = (uint16_t)w->order[i];
}

/* Compares one LID of b (or of a, for a destination that b lacks). */
static void compare_walk_lid(struct compare_walk *w, unsigned lid, unsigned in_a, const uint8_t *ca,
			     const uint8_t *cb, bool marked)
{
	struct comparison *c = w->c;
	uint32_t oa = in_a ? lid_owner(c->a->lids, in_a) : NO_ID, ob = lid_owner(c->b->lids, lid);
	uint32_t dst = ob != NO_ID ? ob : oa;

	if (dst == NO_ID || !routing_counts(c->b, dst))
		return;
	if (oa != dst)
		oa = NO_ID;
	hops_after(w, ob, cb);
	if (c->across)
		hops_before(w, in_a, oa);
	else if ((marked || oa != ob) && !leads_so(c->a->topo, ca, oa, w->hb))
		column_hops(c->a->topo, ca, oa, w->ha, w->work);
	else
		memcpy(w->ha, w->hb, c->b->topo->fabric->n_switches * sizeof(*w->ha));
	sum_hops(w, false, dst);
	sum_hops(w, true, dst);
	if (marked || oa != ob || w->sls)
		compare_lid(w, lid, dst, oa == NO_ID && c->a->topo->endport_up[dst] && c->a->lids->base[dst],
			    ca, cb);
}

/* Is this a LID of a whose endport lost it, and that another one has in b? */
static bool taken_over(const struct comparison *c, unsigned lid)
{
	const struct lids *a = c->a->lids, *b = c->b->lids;
	uint32_t was = lid_owner(a, lid);

	return was != NO_ID && lid_owner(b, lid) != NO_ID &&
	       (!b->base[was] || lid - a->base[was] >= b->count[was]);
}

/* Compares such a LID: nothing leads to its endport any more. */
static void walk_taken(struct compare_walk *w, unsigned lid)
{
	struct comparison *c = w->c;
	uint32_t n = c->b->topo->fabric->n_switches, dst = lid_owner(c->a->lids, lid);

	if (!routing_counts(c->b, dst))
		return;
	for (uint32_t s = 0; s < n; s++) {
		w->col_a[s] = compare_entry(c->a, s, lid);
		w->col_b[s] = NO_PATH;
	}
	column_hops(c->b->topo, w->col_b, NO_ID, w->hb, w->work);
	order_by_hops(w);
	if (c->across)
		hops_before(w, lid, dst);
	else
		column_hops(c->a->topo, w->col_a, dst, w->ha, w->work);
	sum_hops(w, false, dst);
	compare_lid(w, lid, dst, false, w->col_a, w->col_b);
}

static void load_columns(struct compare_walk *w, unsigned lid0, const uint16_t *lid_a)
{
	uint32_t n = w->c->b->topo->fabric->n_switches;

	if (!lid_a)
		routing_columns(w->c->a, lid0, COLUMN_BLOCK, w->col_a);
	for (unsigned i = 0; lid_a && i < COLUMN_BLOCK; i++)
		for (uint32_t s = 0; s < n; s++)
			w->col_a[(size_t)i * n + s] = compare_entry(w->c->a, s, lid_a[lid0 + i]);
	routing_columns(w->c->b, lid0, COLUMN_BLOCK, w->col_b);
}

static bool compare_walk_all(struct compare_walk *w, const uint16_t *lid_a, unsigned top,
			     const uint8_t *marked, bool sources_changed, struct progress *p)
{
	uint32_t n = w->c->b->topo->fabric->n_switches;

	progress_start(p, "comparing paths", top);
	for (unsigned lid0 = 1; lid0 <= top; lid0 += COLUMN_BLOCK) {
		bool loaded = false;

		if (!progress_step(p, lid0))
			return false;
		for (unsigned i = 0; i < COLUMN_BLOCK && lid0 + i <= top; i++) {
			if (by_exact(w, lid0 + i, marked[lid0 + i] || sources_changed))
				continue;
			if (!loaded)
				load_columns(w, lid0, lid_a);
			loaded = true;
			compare_walk_lid(w, lid0 + i, lid_a ? lid_a[lid0 + i] : lid0 + i,
					 w->col_a + (size_t)i * n, w->col_b + (size_t)i * n,
					 marked[lid0 + i] || sources_changed);
		}
	}
	for (unsigned lid = 1; lid <= top; lid++)
		if (taken_over(w->c, lid))
			walk_taken(w, lid);
	return true;
}

/* Empty tables, in place of a routing that is missing. */
static const struct routing *empty_like(const struct routing *r)
{
	struct routing *none = routing_new("none", r->topo, r->lids);

	none->hosts = host_set_ref(r->hosts);
	return none;
}

/* For each LID of b, the LID of its endport in a (0: none). NULL: all endports in both have the same LIDs. */
static uint16_t *map_lids(void *arena, const struct comparison *c, unsigned top)
{
	const struct lids *a = c->a->lids, *b = c->b->lids;
	bool differ = false;

	for (uint32_t ep = 0; ep < a->n_endports; ep++)
		differ |= a->base[ep] && b->base[ep] &&
			  (a->base[ep] != b->base[ep] || a->count[ep] != b->count[ep]);
	if (!differ)
		return NULL;
	uint16_t *map = ARENA_ARRAY(arena, top + COLUMN_BLOCK + 1, uint16_t);
	for (unsigned lid = 1; lid <= top; lid++) {
		uint32_t was = lid_owner(a, lid);
		/* free in b, because its endport has another LID there */
		bool moved =
			lid_owner(b, lid) == NO_ID && was != NO_ID && b->base[was] && same_lid(a, b, lid);

		map[lid] = moved ? 0 : same_lid(b, a, lid);
	}
	return map;
}

static unsigned compare_top_lid(const struct comparison *c)
{
	unsigned a = c->a->lids->max_lid, b = c->b->lids->max_lid;

	return MAX(a, b);
}

struct counting {
	struct comparison *c;
	const uint16_t *lid_a;
	bool few;
	struct compare_found *found; /* by worker */
};

static int compare_count_switch(void *ctx, unsigned worker, unsigned sw, struct progress *p, struct err *e)
{
	struct counting *x = ctx;

	(void)p, (void)e;
	compare_rows(x->c, sw, x->lid_a, compare_top_lid(x->c), x->few, &x->found[worker]);
	return 0;
}

/* Adds what a worker found to all. */
static void add_found(void *arena, struct comparison *c, struct compare_found *x, uint8_t *marked,
		      struct compare_changes *d)
{
	c->entries_changed += x->changed;
	c->entries_lost += x->lost;
	c->entries_gained += x->gained;
	c->switches_changed += x->switches;
	c->switches_gone += x->gone;
	c->switches_new += x->came;
	for (unsigned lid = 0; lid <= compare_top_lid(c); lid++)
		marked[lid] |= x->marked[lid];
	for (size_t i = 0; d && i < x->few.n && d->n < MOST_CHANGES; i++) {
		ARENA_GROW(arena, d->sw, d->n, d->cap);
		ARENA_GROW(arena, d->lid, d->n, d->cap_lid);
		d->sw[d->n] = x->few.sw[i];
		d->lid[d->n++] = x->few.lid[i];
	}
	FREE_EACH(x->marked, x->few.sw, x->few.lid);
}

/* Counts all entries that differ, until cancelled.  Sets marked[top + 1] to 1 for LIDs with such entries; d
 * (may be NULL) gets all of them, if they are few. */
static void compare_count_entries(void *arena, struct comparison *c, const uint16_t *lid_a, uint8_t *marked,
				  struct compare_changes *d, struct progress *p)
{
	uint32_t n = c->b->topo->fabric->n_switches;
	struct counting x = {.c = c, .lid_a = lid_a, .few = d != NULL};
	struct parallel job = {
		.n = n,
		.threads = parallel_inside() || (uint64_t)n * compare_top_lid(c) < MANY_ENTRIES ? 1 : 0,
		.work = compare_count_switch,
		.ctx = &x};
	unsigned workers = parallel_workers(&job);
	struct err e;

	c->switch_entries = ARENA_ARRAY(c, n, uint32_t);
	x.found = NEW_ARRAY(workers, struct compare_found);
	for (unsigned i = 0; i < workers; i++)
		x.found[i].marked = NEW_ARRAY(compare_top_lid(c) + 1, uint8_t);
	parallel_run(&job, "comparing entries", p, &e);
	for (unsigned i = 0; i < workers; i++)
		add_found(arena, c, &x.found[i], marked, d);
	free(x.found);
}

uint64_t entries_unlike(const struct routing *a, const struct routing *b)
{
	uint32_t n = b->topo->fabric->n_switches;
	AUTO_ARENA void *arena = ARENA_EMPTY;
	struct comparison c = {.a = a, .b = b, .switch_entries = ARENA_ARRAY(arena, n, uint32_t)};
	struct compare_found x = {.marked = ARENA_ARRAY(arena, compare_top_lid(&c) + 1, uint8_t)};
	uint16_t *lid_a = map_lids(arena, &c, compare_top_lid(&c));

	assert(a->topo->fabric->n_switches == n);
	for (uint32_t s = 0; s < n; s++)
		compare_rows(&c, s, lid_a, compare_top_lid(&c), false, &x);
	return x.changed;
}

static uint64_t compare_count_pairs(const struct comparison *c, const struct routing *r)
{
	uint64_t hosts = 0, lids = 0;

	for (uint32_t ep = 0; ep < r->topo->fabric->n_endports; ep++)
		if (host_switch(c, r, ep) != NO_ID) {
			hosts++;
			lids += r->lids->count[ep];
		}
	return hosts ? lids * (hosts - 1) : 0;
}

/* For this many columns at once. */
static struct compare_walk compare_walk_new(void *arena, struct comparison *c, unsigned columns)
{
	uint32_t n = c->b->topo->fabric->n_switches;
	uint32_t n_own = c->across ? c->across->own->topo->fabric->n_switches : 0;

	struct compare_walk w = {
		.arena = arena,
		.c = c,
		.col_a = ARENA_ARRAY(arena, (size_t)n * columns, uint8_t),
		.col_b = ARENA_ARRAY(arena, (size_t)n * columns, uint8_t),
		.ha = ARENA_ARRAY(arena, n, uint16_t),
		.hb = ARENA_ARRAY(arena, n, uint16_t),
		.work = ARENA_ARRAY(arena, n, uint32_t),
		.order = ARENA_ARRAY(arena, n, uint32_t),
		.changed = ARENA_ARRAY(arena, n, uint8_t),
		.own_col = ARENA_ARRAY(arena, n_own + 1, uint8_t),
		.own_hops = ARENA_ARRAY(arena, n_own + 1, uint16_t),
		.own_work = ARENA_ARRAY(arena, n_own + 1, uint32_t),
		.sls = !c->across && c->a != c->b && (routing_has_sls(c->a) || routing_has_sls(c->b)),
		.sls_by_switch = routing_sls_by_source(c->a) && routing_sls_by_source(c->b),
		.with = ARENA_ARRAY(arena, n, uint32_t),
		.known = ARENA_ARRAY(arena, n, uint16_t *),
	};

	for (uint32_t s = 0; s < n; s++)
		if (c->source_at[3 * s] < c->source_at[3 * s + 3])
			w.with[w.n_with++] = s;
	return w;
}

static bool run_comparison(struct comparison *c, struct progress *p)
{
	const struct fabric *f = c->b->topo->fabric;
	unsigned top = compare_top_lid(c);
	AUTO_FREE uint8_t *marked = NEW_ARRAY(top + 1, uint8_t);
	AUTO_ARENA void *arena = ARENA_EMPTY;
	uint16_t *lid_a = map_lids(arena, c, top);
	bool sources_changed = false;

	compare_list_sources(c, f);
	struct compare_walk w = compare_walk_new(arena, c, COLUMN_BLOCK);
	bool exact = c->b->exact && !c->across && !lid_a && !w.sls;
	compare_count_entries(arena, c, lid_a, marked, exact && c->a->exact ? &w.few : NULL, p);
	compare_mark_cables(c, top, marked);
	for (uint32_t s = 0; s < f->n_switches; s++)
		sources_changed |= c->source_at[3 * s + LEFT] != c->source_at[3 * s + LEFT + 2];
	if (exact)
		exact_start(&w, top, marked, sources_changed);
	bool done = compare_walk_all(&w, lid_a, top, marked, sources_changed, p);
	c->pairs = compare_count_pairs(c, c->b);
	c->pairs_before = compare_count_pairs(c, c->a);
	assert(!done || (c->cut_off + c->between_survivors == c->lost && c->lost <= c->pairs_before));
	c->max_hops_before = w.sums[0].max;
	c->max_hops_after = w.sums[1].max;
	c->mean_hops_before = w.sums[0].n ? (double)w.sums[0].sum / w.sums[0].n : 0;
	c->mean_hops_after = w.sums[1].n ? (double)w.sums[1].sum / w.sums[1].n : 0;
	return done;
}

struct comparison *compare_routings(const struct routing *a, const struct routing *b, struct progress *p)
{
	struct comparison *c = ARENA_NEW(NULL, struct comparison);

	assert(a || b);
	if (a && b && a->topo->fabric != b->topo->fabric)
		c->across = across_new(c, a, b);
	if (c->across) {
		a = c->across->a;
		b = c->across->b;
	}
	c->a = routing_unref_later(c, a ? routing_ref(a) : empty_like(b));
	c->b = routing_unref_later(c, b ? routing_ref(b) : empty_like(a));
	c->list = ARENA_NEW(c, struct pair_list);
	arena_mutex(c->list, &c->list->lock);
	if (c->across)
		c->switches_gone = c->across->only[0].switches;
	if (!run_comparison(c, p)) {
		arena_free(c);
		return NULL;
	}
	return c;
}

bool entry_changed(const struct comparison *c, uint32_t sw, unsigned lid, uint8_t *before, uint8_t *after)
{
	assert(sw < c->b->topo->fabric->n_switches);
	*before = compare_entry(c->a, sw, same_lid(c->b->lids, c->a->lids, lid));
	*after = compare_entry(c->b, sw, lid);
	return *before != *after && !(c->across && c->across->skip[lid]);
}

/* Lists the pairs of a LID as they were counted. */
static void list_pairs(const struct comparison *c, const struct pair_dest *d)
{
	struct comparison one = *c;
	AUTO_ARENA void *arena = ARENA_EMPTY;
	struct compare_walk w = compare_walk_new(arena, &one, 1);
	unsigned lid = d->lid, in_a = lid;
	uint32_t owner = lid_owner(c->b->lids, lid);

	if (!c->list->of)
		c->list->lid_a = map_lids(c->list, c, compare_top_lid(c));
	if (c->list->lid_a)
		in_a = c->list->lid_a[lid];
	c->list->of = d;
	c->list->n = 0;
	one.listing = true;
	one.rerouted = d->first;
	one.lost = one.regained = one.fresh = one.sl_alone = 0;
	for (uint32_t s = 0; s < c->b->topo->fabric->n_switches; s++) {
		w.col_a[s] = compare_entry(c->a, s, in_a);
		w.col_b[s] = compare_entry(c->b, s, lid);
	}
	if (owner != NO_ID && owner != d->dst)
		walk_taken(&w, lid);
	else
		compare_walk_lid(&w, lid, in_a, w.col_a, w.col_b, true);
}

uint32_t comparison_pair(const struct comparison *c, uint64_t i, struct pair_group *g)
{
	struct pair_list *l = c->list;
	size_t lo = 0, hi = c->n_dests;

	*g = (struct pair_group){0};
	if (i >= comparison_listed(c))
		return NO_ID;
	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;

		if (c->dest[mid].first <= i)
			lo = mid;
		else
			hi = mid;
	}
	pthread_mutex_lock(&l->lock);
	if (l->of != &c->dest[lo])
		list_pairs(c, &c->dest[lo]);
	for (lo = 0, hi = l->n; hi - lo > 1;) {
		size_t mid = lo + (hi - lo) / 2;

		if (l->group[mid].first <= i)
			lo = mid;
		else
			hi = mid;
	}
	*g = l->group[lo];
	pthread_mutex_unlock(&l->lock);
	uint32_t at = c->source_at[3 * g->sw + g->who];
	uint64_t k = i - g->first + g->skip;
	for (; c->source[at] == g->dst || k; at++)
		k -= c->source[at] != g->dst;
	return c->source[at];
}
