/* Comparison, checks and loads against plain path tracing on random fabrics. */
#include "core/base/rng.h"
#include "tests/unit/fixture.h"

#include "core/analysis/credit/check.h"
#include "core/analysis/traffic/loads.h"
#include "core/routing/paths.h"

struct tally {
	uint64_t hops, reached; /* of the second routing */
	unsigned longest;
	uint64_t pairs, rerouted, lost, regained, longer, shorter;
};

static bool is_host(const struct routing *r, uint32_t ep)
{
	return r->topo->endport_up[ep] && !endport_is_switch(r->topo->fabric, ep) &&
	       r->topo->endport_switch[ep] != NO_ID;
}

static bool same_path(const struct path *a, const struct path *b)
{
	if (a->n != b->n)
		return false;
	for (unsigned i = 0; i < a->n; i++)
		if (a->hop[i].sw != b->hop[i].sw || a->hop[i].out != b->hop[i].out)
			return false;
	return true;
}

static void tally_pair(struct tally *t, const struct routing *a, const struct routing *b, uint32_t src,
		       unsigned lid)
{
	struct path p, q;

	path_trace(a, src, 0, lid, &p);
	path_trace(b, src, 0, lid, &q);
	bool ok_a = p.end == PATH_OK && is_host(a, src) && lid_owner(a->lids, lid) != NO_ID;
	bool ok_b = q.end == PATH_OK && is_host(b, src) && lid_owner(b->lids, lid) != NO_ID;
	t->lost += ok_a && !ok_b;
	t->regained += !ok_a && ok_b;
	t->reached += ok_b;
	t->hops += ok_b ? q.hops : 0;
	t->longest = ok_b && q.hops > t->longest ? q.hops : t->longest;
	if (ok_a && ok_b && !same_path(&p, &q)) {
		t->rerouted++;
		t->longer += q.hops > p.hops;
		t->shorter += q.hops < p.hops;
	}
	path_free(&p);
	path_free(&q);
}

static struct tally tally_all(const struct routing *a, const struct routing *b)
{
	const struct fabric *f = a->topo->fabric;
	struct tally t = {0};

	for (uint32_t src = 0; src < f->n_endports; src++) {
		if (!is_host(a, src) && !is_host(b, src))
			continue;
		for (unsigned lid = 1; lid <= b->lids->max_lid; lid++) {
			uint32_t ob = lid_owner(b->lids, lid),
				 dst = ob != NO_ID ? ob : lid_owner(a->lids, lid);

			if (dst == NO_ID || dst == src || endport_is_switch(f, dst))
				continue;
			t.pairs += is_host(b, src) && ob != NO_ID;
			tally_pair(&t, a, b, src, lid);
		}
	}
	return t;
}

/* The pairs that are found when they are asked for are those that were counted. */
static void check_pair_list(const struct comparison *c)
{
	uint64_t total = comparison_listed(c), seen[PAIR_SL + 1] = {0};
	struct pair_group g;

	for (uint64_t i = 0; i < total; i++) {
		uint32_t src = comparison_pair(c, i, &g), dst = lid_owner(c->b->lids, g.lid);

		assert_int_not_equal(src, NO_ID);
		if (dst == NO_ID)
			dst = lid_owner(c->a->lids, g.lid);
		assert_int_not_equal(src, dst);
		assert_false(endport_is_switch(c->b->topo->fabric, src));
		assert_true(g.first <= i && i < g.first + g.n);
		seen[g.change]++;
	}
	assert_int_equal(seen[PAIR_REROUTED], c->rerouted);
	assert_int_equal(seen[PAIR_LOST], c->lost);
	assert_int_equal(seen[PAIR_REGAINED], c->regained);
	assert_int_equal(seen[PAIR_NEW], c->fresh);
	assert_int_equal(seen[PAIR_SL], c->sl_alone);
	assert_int_equal(comparison_pair(c, total, &g), NO_ID);
}

/* What an engine promises of its tables is true of every entry. */
static void check_exact(const struct routing *r)
{
	uint32_t n = r->topo->fabric->n_switches;
	AUTO_FREE uint16_t *hops = NEW_ARRAY(n, uint16_t);
	AUTO_FREE uint32_t *work = NEW_ARRAY(n, uint32_t);

	for (unsigned lid = 1; r->exact && lid <= r->lids->max_lid; lid++) {
		uint32_t ep = lid_owner(r->lids, lid), d = ep == NO_ID ? NO_ID : r->topo->endport_switch[ep];

		if (d == NO_ID || !r->topo->endport_up[ep])
			continue;
		dest_hops(r, lid, hops, work);
		for (uint32_t s = 0; s < n; s++) {
			unsigned exact = r->exact[(size_t)s * n + d];

			if (switch_up(r->topo, s) && s != d)
				assert_int_equal(hops[s],
						 exact == NO_PATH
							 ? HOPS_NONE
							 : exact + !endport_is_switch(r->topo->fabric, ep));
		}
	}
}

static void compare_both_ways(const struct routing *a, const struct routing *b)
{
	AUTO_ARENA struct comparison *c = compare_routings(a, b, NULL);
	struct tally t = tally_all(a, b);
	const struct fabric *f = a->topo->fabric;
	uint64_t entries = 0;

	assert_int_equal(c->rerouted, t.rerouted);
	assert_int_equal(c->lost, t.lost);
	assert_int_equal(c->regained, t.regained);
	assert_int_equal(c->longer, t.longer);
	assert_int_equal(c->shorter, t.shorter);
	assert_int_equal(c->pairs, t.pairs);
	assert_int_equal(c->max_hops_after, t.longest);
	check_exact(b);
	assert_true(c->mean_hops_after == (t.reached ? (double)t.hops / t.reached : 0));
	for (uint32_t s = 0; s < f->n_switches; s++)
		for (unsigned lid = 1; a->row[s] && b->row[s] && lid <= b->lids->max_lid; lid++)
			entries += routing_port(a, s, lid) != routing_port(b, s, lid);
	assert_int_equal(c->entries_changed, entries);
	check_pair_list(c);
}

static void random_failures(const char *spec, uint64_t *seed)
{
	static const char *const engines[] = {"minhop", "minhop", "dor", "updn", "dnup"};
	const char *engine = engines[rng_below(seed, ARRAY_LEN(engines))];
	AUTO_SESSION struct session *s =
		make_session(line_of("synth %s; route %s lmc=%u", spec, engine, rng_below(seed, 3)));

	if (!strcmp(engine, "minhop") || !strcmp(engine, "dor"))
		assert_non_null(session_routing(s)->exact);
	for (int i = 0; i < 6; i++) {
		size_t before = s->at;
		uint32_t host = rng_below(seed, s->fabric->n_nodes);
		const char *line = "restore all";
		struct err e;
		int rc;

		if (rng_below(seed, 3) && session_state(s)->node_down[host] == 0)
			line = line_of("fail %s 0x%" PRIx64,
				       node_is_switch(s->fabric, host) ? "switch" : "host",
				       s->fabric->node_guid[host]);
		else if (rng_below(seed, 4))
			line = line_of("fail random %u seed=%u", 1 + rng_below(seed, 3),
				       rng_below(seed, 1000));
		/* may fail for want of links: then nothing happened */
		free(run_line(s, line, &rc, &e, false, NULL));
		if (s->at == before)
			continue;
		compare_both_ways(s->event[before].sweep->routing, s->event[s->at].sweep->routing);
		compare_both_ways(s->event[1].sweep->routing, s->event[s->at].sweep->routing);
	}
}

static void test_against_tracing(void **state)
{
	uint64_t seed = test_seed();

	for (int i = 0; i < 6; i++)
		random_failures(line_of("random:%u,%u,hosts=2,parallel=2,shuffle=1,seed=%u",
					8 + rng_below(&seed, 10), 3 + rng_below(&seed, 2),
					rng_below(&seed, 100000)),
				&seed);
	random_failures("xgft:3,3,2:1,2,2", &seed);
	random_failures("torus:3x3,hosts=2", &seed);
}

static void test_check(void **state)
{
	AUTO_SESSION struct session *s = make_session("synth xgft:3,3:1,2; route minhop");
	struct check_result c;
	struct err e;
	bool fault;
	int rc;

	assert_int_equal(check_routing(session_routing(s), &c, NULL), 0);
	assert_int_equal(c.unreachable + c.no_lid, 0);
	assert_int_equal(c.pairs, 9 * 8);
	assert_int_equal(c.hops_count[2], 9 * 2); /* same leaf */
	assert_int_equal(c.hops_count[4], 9 * 6);
	assert_int_equal(c.max_hops, 4);
	free(run_line(s, "check", &rc, &e, false, &fault));
	assert_false(fault);
	/* cut a leaf off: its hosts are gone for the subnet manager, and check says so */
	ok_line(s, "fail link leaf-02[4] leaf-02[5]");
	free(run_line(s, "check", &rc, &e, false, &fault));
	assert_int_equal(rc, 0);
	assert_true(fault);
}

/* Hand-made tables: a loop and a dead port are found by trace and check. */
static void test_faults(void **state)
{
	AUTO_SESSION struct session *s = make_session("synth ring:4,hosts=1; route minhop");
	struct check_result c;
	struct path p;
	struct err e;
	uint32_t dst;
	unsigned slid, dlid;

	const struct routing *r = session_routing(s);
	uint32_t src = session_endport(
		s, s->fabric->node_name[endport_node(s->fabric, lid_owner(r->lids, 5))], &slid, &e);
	for (dlid = 1; dlid <= r->lids->max_lid; dlid++) {
		dst = lid_owner(r->lids, dlid);
		if (dst != NO_ID && dst != src && !endport_is_switch(s->fabric, dst) &&
		    r->topo->endport_switch[dst] != r->topo->endport_switch[src])
			break;
	}
	if (endport_is_switch(s->fabric, src)) {
		src = lid_owner(r->lids, dlid);
		for (dlid++; endport_is_switch(s->fabric, lid_owner(r->lids, dlid)); dlid++)
			;
	}
	dst = lid_owner(r->lids, dlid);
	uint32_t sw = r->topo->endport_switch[dst];
	path_trace(r, src, slid, dlid, &p);
	assert_int_equal(p.end, PATH_OK);
	assert_true(p.n >= 2);
	unsigned back = p.hop[p.n - 1].in;
	path_free(&p);
	r->row[sw]->port[dlid] = back; /* the last switch sends it back where it came from */
	path_trace(r, src, slid, dlid, &p);
	assert_int_equal(p.end, PATH_LOOP);
	path_free(&p);
	check_routing(r, &c, NULL);
	assert_true(c.looping > 0);
	assert_true(c.unreachable > 0);
	r->row[sw]->port[dlid] = NO_PATH;
	path_trace(r, src, slid, dlid, &p);
	assert_int_equal(p.end, PATH_NO_ENTRY);
	path_free(&p);
	check_routing(r, &c, NULL);
	assert_int_equal(c.looping, 0);
	assert_int_equal(c.unreachable, 3);
}

/* Ports that get other LIDs lose nothing. */
static void test_moved_lids(void **state)
{
	AUTO_SESSION struct session *s = make_session("synth xgft:4,4:1,4; route minhop");

	line_says(s, "set lmc 2",
		  "(384 new, 0 gone); of 960 pairs 0 take another path, 0 lost, 0 regained, "
		  "720 new (LIDs that were not there)");
}

/* Another subnet manager deals out the LIDs anew: the pairs of those who had them before are lost. */
static void test_lids_dealt_again(void **state)
{
	AUTO_SESSION struct session *s =
		make_session("synth mesh:2x1,hosts=3; fail link m00[4]; route minhop");

	line_says(s, "fail switch m00",
		  "of 6 pairs 0 take another path, 6 lost (all cut off), 6 regained; longest path still 2 "
		  "links, "
		  "mean 2.00.");
	line_says(s, "diff all", "x lost      node0002 -> node0001 (LID 2)  links 2 -> none\n");
	line_says(s, "diff all", "+ regained  node0005 -> node0004 (LID 2)  links none -> 2\n");
	line_says(s, "list pairs", "node0002 node0001 lost ");
}

/* Routes traced one by one, to base LIDs or to all. */
static void count_pattern(const struct routing *r, const struct pattern *pattern)
{
	const struct fabric *f = r->topo->fabric;
	AUTO_ARENA struct loads *l = loads_new(r, pattern, NULL);
	AUTO_FREE uint32_t *count = NEW_ARRAY(f->n_ports, uint32_t);
	uint64_t routes = 0;

	for (uint32_t a = 0; a < f->n_endports; a++)
		for (uint32_t b = 0; b < f->n_endports; b++) {
			unsigned n = pattern->kind == PATTERN_LIDS ? r->lids->count[b] : 1;

			for (unsigned k = 0; a != b && is_host(r, a) && is_host(r, b) && k < n; k++) {
				struct path p;

				path_trace(r, a, 0, r->lids->base[b] + k, &p);
				assert_int_equal(p.end, PATH_OK);
				count[f->endport_port[a]]++;
				for (unsigned i = 0; i < p.n; i++)
					count[switch_port_id(f, p.hop[i].sw, p.hop[i].out)]++;
				routes++;
				path_free(&p);
			}
		}
	assert_int_equal(l->routes, routes);
	assert_memory_equal(l->port, count, f->n_ports * sizeof(*count));
}

static void test_loads(void **state)
{
	uint64_t seed = test_seed();
	AUTO_SESSION struct session *s = make_session(line_of(
		"synth random:14,4,hosts=3,parallel=2,seed=%u; route minhop", rng_below(&seed, 99999)));

	count_pattern(session_routing(s), &pattern_all);
	count_pattern(session_routing(s), &pattern_lids);
	ok_line(s, "set lmc 2");
	count_pattern(session_routing(s), &pattern_all);
	count_pattern(session_routing(s), &pattern_lids);
	line_says(s, "load-map shift 5", "42 routes");
	line_says(s, "load-map bisection seed=4", "42 routes");
	line_fails(s, "load-map shift x", "found \"x\"");
	line_fails(s, "load-map nonsense", "expected: load-map");
}

static void assert_same_comparison(const struct comparison *x, const struct comparison *y)
{
	assert_int_equal(x->entries_changed, y->entries_changed);
	assert_int_equal(x->entries_lost, y->entries_lost);
	assert_int_equal(x->entries_gained, y->entries_gained);
	assert_int_equal(x->switches_changed, y->switches_changed);
	assert_int_equal(x->switches_gone, y->switches_gone);
	assert_int_equal(x->switches_new, y->switches_new);
	assert_int_equal(x->rerouted, y->rerouted);
	assert_int_equal(x->longer, y->longer);
	assert_int_equal(x->shorter, y->shorter);
	assert_int_equal(x->lost, y->lost);
	assert_int_equal(x->cut_off, y->cut_off);
	assert_int_equal(x->between_survivors, y->between_survivors);
	assert_int_equal(x->regained, y->regained);
	assert_int_equal(x->max_hops_before, y->max_hops_before);
	assert_int_equal(x->max_hops_after, y->max_hops_after);
	assert_true(x->mean_hops_before == y->mean_hops_before && x->mean_hops_after == y->mean_hops_after);
	assert_int_equal(x->n_dests, y->n_dests);
	for (size_t i = 0; i < x->n_dests; i++) {
		assert_int_equal(x->dest[i].lid, y->dest[i].lid);
		assert_int_equal(x->dest[i].dst, y->dest[i].dst);
		assert_int_equal(x->dest[i].first, y->dest[i].first);
	}
}

/* In a fabric that threads share: what an engine promises of its ways tells what walking them tells. */
static void test_large(void **state)
{
	AUTO_SESSION struct session *s = make_session("synth xgft:13,13,26:1,13,13; route minhop");
	uint64_t seed = test_seed();

	ok_linef(s, "fail switch leaf-%03u spine-%03u", 1 + (unsigned)rng_below(&seed, 338),
		 1 + (unsigned)rng_below(&seed, 338));
	for (int back = 0; back < 2; back++) {
		const struct routing *a = s->event[back ? s->at : 1].sweep->routing,
				     *b = s->event[back ? 1 : s->at].sweep->routing;
		AUTO_ARENA struct comparison *c = compare_routings(a, b, NULL);
		const uint8_t *exact = b->exact;

		assert_non_null(exact);
		((struct routing *)b)->exact = NULL;
		AUTO_ARENA struct comparison *walked = compare_routings(a, b, NULL);
		((struct routing *)b)->exact = exact;
		assert_true(c->rerouted && c->n_dests);
		assert_int_equal(c->lost > 0, !back);
		assert_same_comparison(c, walked);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_tracing),
		cmocka_unit_test(test_check),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_moved_lids),
		cmocka_unit_test(test_lids_dealt_again),
		cmocka_unit_test(test_loads),
		cmocka_unit_test(test_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
