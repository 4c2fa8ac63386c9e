/*
 * The step from old tables to new ones against brute force: every mix of old and new switches, on random
 * fabrics of up to 12 switches with random tables.
 */
#include "engine_run.h"

#include "core/analysis/compare/transition.h"
#include "core/base/rng.h"

#define MOST 12
#define MOST_LIDS 64

/* A connected fabric of 3 to 12 switches; most have a host or two. */
static struct fabric *draw(uint64_t *seed)
{
	uint32_t n = 3 + rng_below(seed, MOST - 2);
	struct drawn d = switches_drawn(seed, n, n + rng_below(seed, n));

	for (uint32_t k = 0; k < n + n / 2; k++) {
		uint32_t sw = k < n ? k : rng_below(seed, n);

		if (k <= 1 || rng_below(seed, 4) != 0)
			host_cabled(&d, host_drawn(&d, k, 1), 1, sw);
	}
	return built(d.b);
}

/*
 * Tables in which each LID has a tree that grew at random, so that ways may be long; now and then an entry is
 * missing, or leads anywhere.  share: entries that are taken from `like`, in percent.
 */
static struct routing *random_tables(struct run *x, uint64_t *seed, const struct routing *like,
				     unsigned share, unsigned wrong)
{
	const struct fabric *f = x->f;
	struct routing *r = routing_new("test", x->t, x->l);
	uint32_t n = f->n_switches;

	for (uint32_t s = 0; s < n; s++)
		r->row[s] = lft_row_new(x->l->max_lid);
	for (unsigned lid = 1; lid <= x->l->max_lid; lid++) {
		uint32_t owner = lid_owner(x->l, lid), in[MOST], n_in = 0;
		bool same = like && rng_below(seed, 100) < share;

		if (owner == NO_ID)
			continue;
		in[n_in++] = x->t->endport_switch[owner];
		r->row[in[0]]->port[lid] = x->t->endport_swport[owner];
		for (uint32_t tries = 0; n_in < n && tries < 10000; tries++) {
			uint32_t s = rng_below(seed, n), port = f->switch_port[s] + 1 + rng_below(seed, 40),
				 to = x->t->peer_switch[port];

			if (to == NO_ID || s == in[0] || r->row[s]->port[lid] != NO_PATH ||
			    (to != in[0] && r->row[to]->port[lid] == NO_PATH))
				continue;
			in[n_in++] = s;
			r->row[s]->port[lid] = (uint8_t)(port - f->switch_port[s]);
		}
		for (uint32_t s = 0; s < n; s++) {
			if (s != in[0] && rng_below(seed, 100) < wrong)
				r->row[s]->port[lid] =
					rng_below(seed, 2) ? NO_PATH : (uint8_t)rng_below(seed, 41);
			if (same)
				r->row[s]->port[lid] = like->row[s]->port[lid];
		}
	}
	return r;
}

/* --- brute force: no line of it is the product's -----------------------------------------------------------
 */

struct brute {
	const struct run *x;
	const struct routing *old, *now;
	uint32_t n;
	uint8_t *harm; /* by mix: 0 not known yet, 1 none, 2 harm */
};

static unsigned entry(const struct routing *r, uint32_t s, unsigned lid)
{
	return r->row[s] ? r->row[s]->port[lid] : NO_PATH;
}

/* 0: arrives, 1: ends nowhere, 2: goes round. mix: bit s, the switch is new. */
static int walk(const struct brute *b, uint32_t mix, uint32_t s, unsigned lid)
{
	const struct fabric *f = b->x->f;
	uint32_t owner = lid_owner(b->x->l, lid);

	for (unsigned steps = 0; steps <= b->n; steps++) {
		unsigned port = entry(mix >> s & 1 ? b->now : b->old, s, lid);
		uint32_t peer;

		if (port > f->switch_nports[s] || !port)
			return 1;
		peer = b->x->t->peer[f->switch_port[s] + port];
		if (peer == NO_ID)
			return 1;
		if (f->node_switch[f->port_node[peer]] == NO_ID)
			return f->port_endport[peer] == owner ? 0 : 1;
		s = f->node_switch[f->port_node[peer]];
	}
	return 2;
}

static bool is_host(const struct brute *b, uint32_t ep)
{
	return b->x->l->base[ep] && !endport_is_switch(b->x->f, ep) && b->x->t->endport_up[ep];
}

/* Each pair (source host, LID) once. */
#define FOR_PAIRS(b, src, lid)                                                                             \
	for (unsigned lid = 1; lid <= (b)->x->l->max_lid; lid++)                                           \
		for (uint32_t src = 0; src < (b)->x->f->n_endports; src++)                                 \
			if (lid_owner((b)->x->l, lid) != NO_ID && is_host(b, lid_owner((b)->x->l, lid)) && \
			    is_host(b, src) && src != lid_owner((b)->x->l, lid))

static struct mix_pairs count(const struct brute *b, uint32_t mix)
{
	struct mix_pairs c = {0};
	uint32_t all = (1u << b->n) - 1;

	FOR_PAIRS(b, src, lid)
	{
		uint32_t s = b->x->t->endport_switch[src];
		int end = walk(b, mix, s, lid);

		c.looping += end == 2;
		if (end == 1 && walk(b, all, s, lid) == 0)
			*(walk(b, 0, s, lid) == 0 ? &c.cut : &c.waiting) += 1;
	}
	return c;
}

static void same_pairs(struct mix_pairs a, struct mix_pairs b)
{
	assert_int_equal(a.waiting, b.waiting);
	assert_int_equal(a.cut, b.cut);
	assert_int_equal(a.looping, b.looping);
}

/* Every mix: which pairs may go round, which may be cut. */
static void check_any_order(const struct brute *b, const struct transition *t)
{
	uint64_t loops[MOST_LIDS] = {0}, cuts[MOST_LIDS] = {0}, all_loops = 0, all_cuts = 0;
	uint32_t all = (1u << b->n) - 1, listed = 0;

	FOR_PAIRS(b, src, lid)
	{
		uint32_t s = b->x->t->endport_switch[src];
		bool may_loop = false, may_cut = false, changed = false,
		     kept = walk(b, 0, s, lid) == 0 && walk(b, all, s, lid) == 0;

		for (uint32_t k = 0; k < b->n; k++)
			changed |= entry(b->old, k, lid) != entry(b->now, k, lid);
		for (uint32_t mix = 0; changed && mix <= all; mix++) {
			int end = walk(b, mix, s, lid);

			may_loop |= end == 2;
			may_cut |= end == 1 && kept;
		}
		loops[lid] += may_loop;
		cuts[lid] += may_cut;
	}
	for (uint32_t i = 0; i < t->n_lids; i++) {
		assert_int_equal(t->lid[i].loops, loops[t->lid[i].lid]);
		assert_int_equal(t->lid[i].cuts, cuts[t->lid[i].lid]);
	}
	for (unsigned lid = 0; lid < MOST_LIDS; lid++) {
		listed += loops[lid] || cuts[lid];
		all_loops += loops[lid];
		all_cuts += cuts[lid];
	}
	assert_int_equal(listed, t->n_lids);
	assert_int_equal(all_loops, t->loops);
	assert_int_equal(all_cuts, t->cuts);
	assert_int_equal(transition_safe(t), !all_loops && !all_cuts);
}

/* A way that is shown: each hop leads to the next by the entry that it says, in one mix. */
static void check_way(const struct brute *b, const struct transition *t, const struct mix_way *w)
{
	uint32_t mix = 0;

	if (!w->lid)
		return;
	for (uint32_t i = 0; i < w->n; i++) {
		assert_int_equal(w->hop[i].port,
				 entry(w->hop[i].now ? b->now : b->old, w->hop[i].sw, w->lid));
		assert_false(!w->hop[i].now && mix >> w->hop[i].sw & 1);
		mix |= (uint32_t)w->hop[i].now << w->hop[i].sw;
		if (i + 1 < w->n || w->loop) {
			uint32_t port = b->x->f->switch_port[w->hop[i].sw] + w->hop[i].port;

			assert_int_equal(b->x->t->peer_switch[port], w->hop[(i + 1) % w->n].sw);
		}
	}
	assert_int_equal(walk(b, mix, w->hop[0].sw, w->lid), w->loop ? 2 : 1);
}

/* Harm that the old and the new tables do not do themselves: to pairs that go round in neither. */
static bool harms(const struct brute *b, uint32_t mix)
{
	uint32_t all = (1u << b->n) - 1;

	FOR_PAIRS(b, src, lid)
	{
		uint32_t s = b->x->t->endport_switch[src];
		int end = b->harm[mix] ? 0 : walk(b, mix, s, lid), was, is;

		if (!end)
			continue;
		was = walk(b, 0, s, lid);
		is = walk(b, all, s, lid);
		if ((end == 2 && was != 2 && is != 2) || (end == 1 && !was && !is))
			b->harm[mix] = 2;
	}
	b->harm[mix] |= !b->harm[mix];
	return b->harm[mix] == 2;
}

/* The line of time, and what may be while four writes are under way. */
static void check_order(const struct brute *b, const struct transition *t)
{
	uint32_t mix = 0, last = 0, any_bad = 0, wire = 0;
	struct mix_pairs c;

	same_pairs(t->before, count(b, 0));
	for (uint32_t i = 0; i < t->n_writes; i++) {
		if (i) {
			assert_true(t->write[i].block == t->write[i - 1].block && t->write[i].sw > last);
		}
		last = t->write[i].sw;
		for (uint32_t some = 0; some < 8; some++) {
			uint32_t m = mix | 1u << last;

			for (uint32_t k = 0; k < 3 && k < i; k++)
				if (some >> k & 1)
					m &= ~(1u << t->write[i - 1 - k].sw);
			wire += harms(b, m);
		}
		mix |= 1u << last;
		c = count(b, mix);
		same_pairs(t->write[i].after, c);
		any_bad += c.cut || c.looping;
		if (c.cut + c.looping)
			assert_true(t->write[t->worst].after.cut + t->write[t->worst].after.looping >=
				    c.cut + c.looping);
	}
	assert_int_equal(any_bad > 0, t->worst != NO_ID);
	if (t->worst == NO_ID)
		assert_int_equal(wire > 0, t->wire_lids > 0);
}

/* --- credit loops ------------------------------------------------------------------------------ */

#define FEW 8	/* switches: all mixes are tried */
#define LANES 3 /* VLs in use; VL 15 drops */
#define CHANNELS (4 * MOST * LANES)

/* SLs and VLs by chance, but the same whenever asked. */
static unsigned chance(const struct routing *r, unsigned x, unsigned y, unsigned z)
{
	uint64_t h = *(const uint64_t *)r->priv * 1000003 + x * 7919u + y * 104729u + z * 1299709u;

	rng_below(&h, 2);
	return rng_below(&h, 1u << 20);
}

static struct sl_range random_sl(const struct routing *r, unsigned slid, unsigned dlid)
{
	unsigned sl = chance(r, slid, dlid, 0) % 3;

	return (struct sl_range){(uint8_t)sl, (uint8_t)(sl + (sl < 2 && slid % 3 == 0))};
}

/* The same map in all tables. */
static unsigned one_vl(const struct routing *r, uint32_t sw, unsigned in, unsigned out, unsigned sl)
{
	return (sw + 3 * in + out) % 11 == 0 ? 15 : (sl + in * sw) % LANES;
}

static unsigned random_vl(const struct routing *r, uint32_t sw, unsigned in, unsigned out, unsigned sl)
{
	return chance(r, sw, in * 64 + out, sl + 1) % 12 == 0 ? 15 : chance(r, sw, in * 64 + out, sl) % 2;
}

static const struct routing_ops lanes[] = {
	{0}, {.sl = random_sl}, {.sl = random_sl, .vl = one_vl}, {.sl = random_sl, .vl = random_vl}};

struct waits {
	uint32_t number[MOST]
		       [41]; /* channels by switch and port, from 0, times LANES; only between switches */
	uint8_t new_map[MOST][41][41];
	uint8_t dep[CHANNELS][CHANNELS];
};

/* The dependencies of one packet's way in a mix, unless it goes round. */
static void walk_channels(const struct brute *b, struct waits *q, uint32_t mix, uint32_t src, unsigned lid,
			  unsigned sl)
{
	const struct fabric *f = b->x->f;
	uint32_t s = b->x->t->endport_switch[src], last = NO_ID;
	unsigned in = b->x->t->endport_swport[src];

	if (walk(b, mix, s, lid) == 2)
		return;
	for (;;) {
		unsigned out = entry(mix >> s & 1 ? b->now : b->old, s, lid), vl = sl;
		const struct routing *by;
		uint32_t peer =
			out && out <= f->switch_nports[s] ? b->x->t->peer[f->switch_port[s] + out] : NO_ID;

		if (peer == NO_ID || f->node_switch[f->port_node[peer]] == NO_ID)
			return;
		by = q->new_map[s][in][out] ? b->now : b->old;
		if (by->ops->vl)
			vl = by->ops->vl(by, s, in, out, sl);
		if (vl == 15)
			return;
		if (last != NO_ID)
			q->dep[last][q->number[s][out] + vl] = 1;
		last = q->number[s][out] + vl;
		s = f->node_switch[f->port_node[peer]];
		in = f->port_num[peer];
	}
}

/* All packets of a mix, with SLs of the old tables (1), the new ones (2) or both (3). */
static void fill_waits(const struct brute *b, struct waits *q, uint32_t mix, unsigned records)
{
	uint32_t all = (1u << b->n) - 1;

	memset(q->dep, 0, sizeof(q->dep));
	FOR_PAIRS(b, src, lid)
	{
		for (unsigned k = 0; k < 2; k++) {
			const struct routing *r = k ? b->now : b->old;
			struct sl_range sl = {0, 0};

			if (!(records >> k & 1))
				continue;
			if (r->ops->sl) {
				if (walk(b, k ? all : 0, b->x->t->endport_switch[src], lid))
					continue;
				sl = r->ops->sl(r, b->x->l->base[src], lid);
			}
			for (unsigned v = sl.lo; v <= sl.hi; v++)
				walk_channels(b, q, mix, src, lid, v);
		}
	}
}

/* Channels for which none waits are taken away until there are no more: is any left that waits? */
static bool has_circle(const struct waits *q)
{
	uint8_t gone[CHANNELS] = {0};
	bool again = true, left = false;

	while (again) {
		again = left = false;
		for (uint32_t c = 0; c < CHANNELS; c++) {
			bool waited = false;

			for (uint32_t k = 0; k < CHANNELS && !gone[c] && !waited; k++)
				waited = !gone[k] && q->dep[k][c];
			again |= !gone[c] && !waited;
			gone[c] |= !waited;
			left |= waited;
		}
	}
	return left;
}

static void set_maps(struct waits *q, uint64_t *seed, int side)
{
	for (size_t i = 0; i < sizeof(q->new_map); i++)
		((uint8_t *)q->new_map)[i] = side < 0 ? (uint8_t)rng_below(seed, 2) : (uint8_t)side;
}

/* The circle is there in the mixes that have what it needs, whatever else they have. */
static void check_circle(const struct brute *b, struct waits *q, const struct transition *t, uint64_t *seed)
{
	const struct mix_credit *c = &t->credit;
	const struct fabric *f = b->x->f;

	assert_true(c->n >= 2);
	for (unsigned tries = 0; tries < 8; tries++) {
		uint32_t mix = tries < 2 ? tries - 1 : rng_below(seed, 1u << b->n);

		set_maps(q, seed, -1);
		for (uint32_t i = 0; i < c->n_need; i++) {
			const struct mix_need *n = &c->need[i];

			if (n->block == MIX_NEEDS_MAP)
				q->new_map[n->sw][n->in][n->out] = n->now;
			else
				mix = (mix & ~(1u << n->sw)) | (uint32_t)n->now << n->sw;
		}
		fill_waits(b, q, mix & ((1u << b->n) - 1), 3);
		for (uint32_t i = 0; i < c->n; i++) {
			const struct mix_channel *x = &c->circle[i], *y = &c->circle[(i + 1) % c->n];
			uint32_t from = f->node_switch[f->port_node[x->port]],
				 to = f->node_switch[f->port_node[y->port]];

			assert_true(q->dep[q->number[from][f->port_num[x->port]] + x->vl]
					  [q->number[to][f->port_num[y->port]] + y->vl]);
		}
	}
}

static void check_credit(const struct brute *b, struct waits *q, const struct transition *t, uint64_t *seed,
			 unsigned found[4])
{
	const struct fabric *f = b->x->f;
	const struct mix_credit *c = &t->credit;
	bool old, now, some = false, known = b->old->ops->vl != random_vl;
	uint32_t n = 0, all = (1u << b->n) - 1;

	for (uint32_t s = 0; s < b->n; s++)
		for (unsigned port = 1; port <= f->switch_nports[s]; port++)
			if (b->x->t->peer_switch[f->switch_port[s] + port] != NO_ID) {
				q->number[s][port] = n;
				n += LANES;
			}
	assert_true(n <= CHANNELS);
	set_maps(q, seed, 0);
	fill_waits(b, q, 0, 1);
	old = has_circle(q);
	set_maps(q, seed, 1);
	fill_waits(b, q, all, 2);
	now = has_circle(q);
	assert_int_equal(c->old, old);
	assert_int_equal(c->now, now);
	for (uint32_t mix = 0; mix <= all && !some; mix++) {
		set_maps(q, seed, known ? 0 : -1);
		fill_waits(b, q, mix, 3);
		some = has_circle(q);
	}
	found[c->found]++;
	if (c->found == CREDIT_MADE)
		check_circle(b, q, t, seed);
	if (old || now)
		return;
	if (some)
		assert_true(c->found == CREDIT_MADE || c->found == CREDIT_UNKNOWN);
	else if (known)
		assert_true(c->found != CREDIT_MADE);
}

static void test_credit(void **state)
{
	uint64_t seed = test_seed();
	unsigned found[4] = {0};
	AUTO_FREE struct waits *q = NEW(struct waits);

	/* Circles that no single mix holds are rare: once the rounds are over, more are drawn until one is
	 * met. */
	for (unsigned round = 0; round < test_rounds(400) || (round < 20000 && !found[CREDIT_NOT_MADE]);
	     round++) {
		struct run x;
		struct err e;
		uint64_t chances[2];

		run_start(&x, draw(&seed), engine_find(all_engines, "minhop"), (struct lid_options){0});
		struct brute b = (struct brute){.x = &x, .n = x.f->n_switches};
		if (b.n > FEW) {
			run_free(&x);
			continue;
		}
		b.old = random_tables(&x, &seed, NULL, 0, round % 3 ? 0 : 4);
		b.now = random_tables(&x, &seed, b.old, 30 + 15 * (round % 5), round % 5 ? 0 : 4);
		for (unsigned k = 0; k < 2; k++) {
			struct routing *r = (struct routing *)(k ? b.now : b.old);

			chances[k] = rng_below(&seed, 1000000);
			r->ops = &lanes[round % 4];
			r->priv = &chances[k];
		}
		AUTO_ARENA struct transition *t =
			transition_new(b.old, b.now, (struct transition_sent){NULL, false}, NULL, &e);
		assert_non_null(t);
		check_credit(&b, q, t, &seed, found);
		routing_unref(b.old);
		routing_unref(b.now);
		run_free(&x);
	}
	print_message("credit loops: none %u, none in one mix %u, not decided %u, some %u\n",
		      found[CREDIT_NONE], found[CREDIT_NOT_MADE], found[CREDIT_UNKNOWN], found[CREDIT_MADE]);
	assert_true(found[CREDIT_NONE] && found[CREDIT_NOT_MADE] && found[CREDIT_MADE]);
}

static void test_random(void **state)
{
	uint64_t seed = test_seed();
	unsigned safe = 0, in_order = 0;

	for (unsigned round = 0; round < test_rounds(150); round++) {
		AUTO_BY(run_free) struct run x;
		struct err e;

		run_start(&x, draw(&seed), engine_find(all_engines, "minhop"), (struct lid_options){0});
		struct brute b =
			(struct brute){.x = &x, .n = x.f->n_switches, .harm = NEW_ARRAY(1u << MOST, uint8_t)};
		b.old = random_tables(&x, &seed, NULL, 0, round % 3 ? 0 : 4);
		b.now = random_tables(&x, &seed, b.old, 20 * (round % 6), round % 5 ? 0 : 4);
		AUTO_ARENA struct transition *t =
			transition_new(b.old, b.now, (struct transition_sent){NULL, false}, NULL, &e);
		assert_non_null(t);
		check_any_order(&b, t);
		check_way(&b, t, &t->any);
		check_way(&b, t, &t->at_worst);
		check_way(&b, t, &t->on_wire);
		check_order(&b, t);
		safe += transition_safe(t);
		in_order += transition_safe_in_order(t);
		routing_unref(b.old);
		routing_unref(b.now);
		free(b.harm);
	}
	print_message("safe in any order %u, in OpenSM's %u, of %u\n", safe, in_order, test_rounds(150));
	assert_true(safe && safe < test_rounds(150) && in_order && in_order < test_rounds(150));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_credit)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
