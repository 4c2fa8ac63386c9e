/*
 * Packets moved round by round: what must always hold, on random fabrics, engines, maps of VLs and groups of
 * adaptive routing; and a ring by hand.  tests/model/drained.py moves them by a model of its own.
 */
#include "fixture.h"

#include "core/analysis/traffic/drain.h"
#include "core/base/rng.h"

/* --- a routing to try ------------------------------------------------------------------------- */

static struct session *routed(const char *spec, const char *before, const char *engine)
{
	return make_session(line_of("%s; synth %s; route %s", before ? before : "", spec, engine));
}

static const struct routing *tables(const struct session *s)
{
	return session_sweep(s)->routing;
}

/* VLs that differ from port to port; with some SLs a switch drops. */
static unsigned odd_vl(const struct routing *r, uint32_t sw, unsigned in, unsigned out, unsigned sl)
{
	return (sw + in + 2 * out + sl) % 3;
}

static unsigned dropping_vl(const struct routing *r, uint32_t sw, unsigned in, unsigned out, unsigned sl)
{
	return (sw + in + out + sl) % 9 ? odd_vl(r, sw, in, out, sl) : 15;
}

static struct sl_range odd_sl(const struct routing *r, unsigned slid, unsigned dlid)
{
	return (struct sl_range){(uint8_t)((slid + dlid) % 3), (uint8_t)((slid + dlid) % 3 + slid % 3)};
}

static unsigned odd_end(const struct routing *r, uint32_t endport, unsigned sl)
{
	return (endport + sl) % 2;
}

static const struct routing_ops odd[] = {
	{.sl = odd_sl},
	{.sl = odd_sl, .vl = odd_vl},
	{.sl = odd_sl, .vl = odd_vl, .endport_vl = odd_end},
	{.sl = odd_sl, .vl = dropping_vl, .endport_vl = odd_end},
};

/* A copy with other maps. */
static struct routing *with_ops(const struct routing *r, const struct routing_ops *ops)
{
	struct routing *c = routing_with_hosts(r, r->hosts);

	c->ops = ops;
	return c;
}

/* A copy with groups for some LIDs: the port of the table and others that lead nearer, or anywhere. */
static struct routing *with_groups(const struct routing *r, uint64_t *seed)
{
	struct routing *c = routing_with_hosts(r, r->hosts);
	const struct fabric *f = r->topo->fabric;
	AUTO_FREE uint16_t *hops = NEW_ARRAY(f->n_switches, uint16_t);
	AUTO_FREE uint32_t *work = NEW_ARRAY(f->n_switches, uint32_t);
	uint32_t wild = rng_below(seed, 10) ? 0 : 9;

	c->adaptive = adaptive_new(f->n_switches);
	for (unsigned lid = 1; lid <= r->lids->max_lid; lid++) {
		dest_hops(r, lid, hops, work);
		for (uint32_t s = 0; s < f->n_switches; s++) {
			unsigned port = routing_port(r, s, lid);

			if (port == NO_PATH || !port || rng_below(seed, 4) == 0)
				continue;
			unsigned g = adaptive_group_index(&c->adaptive->sw[s], lid);
			port_set_add(&c->adaptive->sw[s].group[g].ports, port);
			for (unsigned p = 1; p <= f->switch_nports[s]; p++) {
				uint32_t to = r->topo->peer_switch[switch_port_id(f, s, p)];

				if (to != NO_ID && (hops[to] < hops[s] || rng_below(seed, 10) < wild))
					port_set_add(&c->adaptive->sw[s].group[g].ports, p);
			}
			adaptive_set(&c->adaptive->sw[s], lid, g);
		}
	}
	return c;
}

/* --- what must hold ------------------------------------------------------------------------------ */

/* Everything that is seen at a round, as one number. */
static uint64_t digest(const struct drain *d)
{
	uint64_t sum = d->round * 31u + d->arrived * 7u + d->dropped * 5u + d->inside * 3u + (unsigned)d->end;

	for (uint32_t c = drain_next(d, 0); c != NO_ID; c = drain_next(d, c + 1))
		for (unsigned k = 0; k < drain_held(d, c); k++) {
			uint64_t x = sum ^ ((uint64_t)c << 32 | drain_packet_in(d, c, k));

			sum = rng_next(&x) + drain_waits(d, c);
		}
	return sum;
}

/* Packets are where they may be, and none is lost. */
static void is_whole(const struct drain *d)
{
	AUTO_FREE uint8_t *seen = NEW_ARRAY(d->n_packets + 1u, uint8_t);
	uint32_t inside = 0;

	for (uint32_t c = drain_next(d, 0); c != NO_ID; c = drain_next(d, c + 1)) {
		assert_in_range(drain_held(d, c), 1, d->buffers);
		inside += drain_held(d, c);
		for (unsigned k = 0; k < drain_held(d, c); k++)
			assert_int_equal(seen[drain_packet_in(d, c, k)]++, 0);
	}
	assert_int_equal(inside, d->inside);
	assert_true(d->arrived + d->dropped + d->inside <= d->n_packets);
}

/* The same round is the same, whichever way one comes there. */
static void goes_both_ways(struct drain *d, uint64_t *seed)
{
	AUTO_FREE uint64_t *sum = NEW_ARRAY(d->rounds + 1u, uint64_t);

	for (uint32_t i = 0; i <= d->rounds; i++) {
		assert_true(drain_to(d, i, NULL));
		assert_int_equal(d->round, i);
		is_whole(d);
		sum[i] = digest(d);
	}
	for (uint32_t n = 0; n < 40; n++) {
		uint32_t i = rng_below(seed, d->rounds + 1);

		assert_true(drain_to(d, i, NULL));
		assert_int_equal(digest(d), sum[i]);
	}
	for (uint32_t i = d->rounds; i-- > 0 && d->rounds - i < 20;) {
		assert_true(drain_to(d, i, NULL));
		assert_int_equal(digest(d), sum[i]);
	}
	assert_true(drain_to(d, UINT32_MAX, NULL));
	assert_int_equal(d->round, d->rounds);
	assert_int_equal(d->end, d->verdict);
}

/* Those who wait are a cycle of the graph. */
static void circle_is_a_cycle(const struct drain *d, const struct cdg *c)
{
	uint32_t n;
	AUTO_FREE uint32_t *circle = drain_circle(d, &n);

	assert_true((n > 0) == (d->end == DRAIN_STOPPED));
	for (uint32_t i = 0; i < n; i++) {
		uint32_t a = circle[i], b = circle[(i + 1) % n], ca = cdg_find(c, drain_port(a), drain_vl(a)),
			 cb = cdg_find(c, drain_port(b), drain_vl(b));

		assert_int_equal(drain_wants(d, a), b);
		assert_int_equal(drain_held(d, b), d->buffers);
		assert_true(ca != NO_ID && cb != NO_ID);
		assert_int_not_equal(cdg_dependency(c, ca, cb), NO_ID);
	}
}

struct seen {
	uint32_t loops, sound, stopped, dropped, at_hosts, on_way;
};

static void try_seeds(const struct routing *r, const struct cdg *c, uint64_t *seed, struct seen *seen)
{
	struct pattern some = {0};
	struct err e = {0};

	pattern_random(r, rng_next(seed), &some);
	for (size_t i = 0; i < some.n; i++)
		some.flow[i].weight = 1 + rng_below(seed, 40);
	for (unsigned i = 0; i < 6; i++) {
		unsigned buffers = 1 + rng_below(seed, 3);
		AUTO_ARENA struct drain *d =
			drain_new(r, i % 3 ? &pattern_all : &some, buffers, i ? rng_next(seed) : 0, NULL, &e);

		assert_non_null(d);
		assert_true(drain_run(d, NULL));
		is_whole(d);
		assert_true(c->n_components || d->verdict == DRAIN_DONE);
		assert_true(d->verdict == DRAIN_STOPPED || d->arrived + d->dropped == d->n_packets);
		circle_is_a_cycle(d, c);
		seen->stopped += d->verdict == DRAIN_STOPPED;
		seen->dropped += d->dropped != 0;
		if (i < 2)
			goes_both_ways(d, seed);
	}
	pattern_free(&some);
}

static void try_cycles(const struct cdg *c, uint64_t *seed, struct seen *seen)
{
	struct err e = {0};

	for (uint32_t i = 0; i < c->n_components && i < 2; i++) {
		unsigned buffers = 1 + rng_below(seed, 2);
		AUTO_FREE uint32_t *cycle = NEW_ARRAY(c->size[i], uint32_t);
		uint32_t n = cdg_cycle(c, i, cycle, NULL);
		AUTO_ARENA struct drain *d = drain_cycle(c, i, buffers, NULL, &e);

		assert_non_null(d);
		assert_int_equal(d->round, 0);
		assert_int_equal(d->n_packets, n * buffers);
		assert_true(d->lead >= 0 || d->inside == 0);
		seen->at_hosts += d->lead < 0;
		seen->on_way += d->lead >= 0;
		assert_true(drain_run(d, NULL));
		assert_int_equal(d->verdict, DRAIN_STOPPED);
		assert_int_equal(d->inside, d->n_packets);
		circle_is_a_cycle(d, c);
		goes_both_ways(d, seed);
	}
}

static void try_routing(const struct routing *r, uint64_t *seed, struct seen *seen)
{
	struct err e;
	AUTO_ARENA struct cdg *c = cdg_new(r, CDG_ALL_VLS, false, NULL, &e);

	assert_non_null(c);
	seen->loops += c->n_components != 0;
	seen->sound += c->n_components == 0;
	try_seeds(r, c, seed, seen);
	try_cycles(c, seed, seen);
}

static bool all_seen(const struct seen *x)
{
	return x->loops && x->sound && x->stopped && x->dropped && x->at_hosts && x->on_way;
}

/* Without a loop nothing stops; with one, its packets do.  DRAIN_FABRICS of them, more until each kind came.
 */
static void test_random(void **state)
{
	static const char *const engines[] = {"minhop", "minhop", "updn", "dnup",
					      "dor",	"lash",	  "nue",  "dfsssp"};
	const char *many = getenv("DRAIN_FABRICS");
	uint32_t n = many ? (uint32_t)strtoul(many, NULL, 10) : 25;
	uint64_t seed = test_seed();
	struct seen seen = {0};

	for (uint32_t i = 0; i < n || (i < 20 * n && !all_seen(&seen)); i++) {
		const char *spec =
			rng_below(&seed, 4)
				? line_of("random:%u,%u,hosts=%u,seed=%u", 4 + rng_below(&seed, 8),
					  2 + rng_below(&seed, 3), 1 + rng_below(&seed, 2),
					  rng_below(&seed, 1000000))
				: line_of("torus:%ux%u", 3 + rng_below(&seed, 2), 3 + rng_below(&seed, 2));
		AUTO_SESSION struct session *s = routed(spec, rng_below(&seed, 2) ? "set qos TRUE" : NULL,
							engines[rng_below(&seed, ARRAY_LEN(engines))]);
		try_routing(tables(s), &seed, &seen);
		AUTO_ROUTING struct routing *grouped = with_groups(tables(s), &seed);
		try_routing(grouped, &seed, &seen);
		AUTO_ROUTING struct routing *mapped =
			with_ops(tables(s), &odd[rng_below(&seed, ARRAY_LEN(odd))]);
		try_routing(mapped, &seed, &seen);
	}
	print_message("%u with loops, %u without; %u stopped, %u dropped; of %u loops %u from hosts\n",
		      seen.loops, seen.sound, seen.stopped, seen.dropped, seen.at_hosts + seen.on_way,
		      seen.at_hosts);
	assert_true(all_seen(&seen));
}

/* --- by hand -------------------------------------------------------------------------------------- */

/* Five packets, in their hosts' cables after round 1, in the ring after round 2: there they stay. */
static void test_ring(void **state)
{
	AUTO_SESSION struct session *s = routed("ring:5", NULL, "minhop");
	struct err e;
	AUTO_ARENA struct cdg *c = cdg_new(tables(s), CDG_ALL_VLS, false, NULL, &e);
	AUTO_ARENA struct drain *d = drain_cycle(c, 0, 1, NULL, &e);
	uint32_t n;

	assert_int_equal(d->n_packets, 5);
	assert_int_equal(d->lead, -1);
	assert_true(drain_to(d, 1, NULL));
	assert_int_equal(d->inside, 5);
	assert_int_equal(drain_waiting(d), 0);
	assert_int_equal(d->end, DRAIN_GOES_ON);
	assert_true(drain_to(d, 9, NULL));
	assert_int_equal(d->round, 2);
	assert_int_equal(d->end, DRAIN_STOPPED);
	assert_int_equal(drain_waiting(d), 5);
	AUTO_FREE uint32_t *circle = drain_circle(d, &n);
	assert_int_equal(n, 5);
	line_says(s, "drain all", "nobody can move");
	line_says(s, "drain first", "Round 0: 0 of 20 packets arrived, 20 at their hosts.");
	line_says(s, "drain next 2", "Round 2");
	line_says(s, "drain back", "Round 1");
	line_says(s, "drain round 5", "Round 5");
	ok_line(s, "route nue");
	line_fails(s, "drain next", "no packets are moved");
	line_fails(s, "drain cycle", "there are no credit loops");
	line_says(s, "drain all", "all 20 packets have arrived");
	line_fails(s, "drain all buffers=0", "places from 1 to 64");
}

/* Those engines that keep loops out bring everything through, with qos where they need it. */
static void test_engines(void **state)
{
	static const char *const fabric[] = {"ring:5", "torus:4x4", "xgft:3,3:1,2"};
	static const char *const engine[] = {"lash", "dfsssp", "nue"};

	for (size_t f = 0; f < ARRAY_LEN(fabric); f++)
		for (size_t i = 0; i < ARRAY_LEN(engine); i++) {
			AUTO_SESSION struct session *s = routed(fabric[f], "set qos TRUE", engine[i]);

			assert_string_equal(tables(s)->engine, engine[i]);
			line_says(s, "drain all", "packets have arrived");
			line_says(s, "drain random 200 seed=3", "all 200 packets have arrived");
		}
	AUTO_SESSION struct session *s = routed("xgft:3,3:1,2", NULL, "updn");
	line_says(s, "drain all", "packets have arrived");
}

/* A cancelled run leaves nothing behind, and the session goes on. */
static void test_cancel(void **state)
{
	AUTO_SESSION struct session *s = routed("torus:4x4", NULL, "minhop");
	struct progress p = {0};
	struct pattern all = pattern_all;
	struct err e;
	AUTO_ARENA struct drain *d = drain_new(tables(s), &all, 1, 0, NULL, &e);

	p.cancel = true;
	assert_false(drain_run(d, &p));
	assert_int_equal(d->round, 0);
	assert_null(drain_new(tables(s), &all, 1, 0, &p, &e));
	assert_string_equal(e.msg, CANCELLED);
	p.cancel = false;
	assert_true(drain_run(d, &p));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_ring),
		cmocka_unit_test(test_engines),
		cmocka_unit_test(test_cancel),
	};

	return cmocka_run_group_tests_name("drain", tests, NULL, NULL);
}
