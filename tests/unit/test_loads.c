/* Loads, flows, load diff, shares and effective bisection: figures worked out by hand or counted over all
 * cases.  tests/model/run.py compares them with a model of its own. */
#include "fixture.h"

#include <math.h>

#include "core/analysis/credit/cdg.h"
#include "core/analysis/traffic/bisection.h"
#include "core/analysis/traffic/flows.h"
#include "core/analysis/traffic/loads.h"
#include "core/analysis/traffic/shift.h"
#include "core/analysis/traffic/spread.h"
#include "core/base/cursor.h"
#include "core/base/rng.h"
#include "core/session/patterns.h"
#include "core/session/interpreter.h"

#define DEMO "tests/fabrics/demo-3level.ibnet"

static struct session *routed(const char *fabric, const char *engine)
{
	return session_after("%s %s; route %s", strchr(fabric, '/') ? "load" : "synth", fabric, engine);
}

/* --- effective bisection ---------------------------------------------------------------------------- */

struct exact {
	struct ebb_sampler *s;
	uint32_t host[16], order[16], n, used; /* used: bit i = host i has its place */
	bool both;
	double sum;
	uint32_t samples;
};

/* All matchings, each with all choices of who sends: the first host that is left with every other, both ways
 * round; with an odd number each host rests in turn (it is put behind the others). */
static void all_matchings(struct exact *x, uint32_t placed, uint32_t most)
{
	uint32_t first = 0;

	if (placed == most) {
		x->sum += ebb_sample(x->s, x->order, most, x->both);
		x->samples++;
		return;
	}
	while (x->used >> first & 1)
		first++;
	for (uint32_t k = first + 1; k < x->n; k++) {
		if (x->used >> k & 1)
			continue;
		x->used ^= 1u << first | 1u << k;
		for (unsigned turned = 0; turned < 2; turned++) {
			x->order[placed] = x->host[turned ? k : first];
			x->order[placed + 1] = x->host[turned ? first : k];
			all_matchings(x, placed + 2, most);
		}
		x->used ^= 1u << first | 1u << k;
	}
}

static double exact_ebb(const struct routing *r, bool both, uint32_t *samples)
{
	struct exact x = {.both = both};
	AUTO_FREE uint32_t *host = pattern_hosts(r, &x.n);

	assert_true(x.n <= 16);
	memcpy(x.host, host, x.n * sizeof(*host));
	x.s = ebb_sampler_new(r, x.n);
	for (uint32_t rests = 0; rests < (x.n % 2 ? x.n : 1); rests++) {
		x.used = x.n % 2 ? 1u << rests : 0;
		all_matchings(&x, 0, x.n / 2 * 2);
	}
	arena_free(x.s);
	*samples = x.samples;
	return x.sum / x.samples;
}

static void bisection_exact(void **state)
{
	static const struct {
		const char *fabric, *engine;
		double one, both;
		uint32_t samples;
	} cases[] = {
		{"ring:4", "minhop", 11.0 / 12, 0.8333333, 12},
		{"xgft:2,2:1,2", "minhop", 1, 1, 12},
		{"xgft:2,2:1,2", "lash", 0.8333333, 0.6666667, 12},
		{"torus:3x3", "minhop", 0.968254, 0.942460, 15120},
		{"xgft:2,2,2:1,2,2", "minhop", 0.861905, 0.733333, 1680},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_SESSION struct session *s = routed(cases[i].fabric, cases[i].engine);
		const struct routing *r = session_routing(s);

		for (unsigned both = 0; both < 2; both++) {
			const struct ebb_request rq = {.seed = 1, .both = both};
			uint32_t samples;
			double exact = exact_ebb(r, both, &samples);
			struct ebb e;

			assert_int_equal(samples, cases[i].samples);
			if (fabs(exact - (both ? cases[i].both : cases[i].one)) > 1e-6)
				fail_msg("%s %s: %.6f", cases[i].fabric, cases[i].engine, exact);
			assert_int_equal(ebb_estimate(r, &rq, NULL, &e, NULL), 0);
			if (fabs(e.value - exact) > 2 * e.half_width + 1e-12)
				fail_msg("%s %s: sampled %.4f +- %.4f, exact %.4f", cases[i].fabric,
					 cases[i].engine, e.value, e.half_width, exact);
			assert_true(e.samples >= EBB_LEAST && e.samples <= EBB_MOST);
			assert_true(e.half_width <= EBB_HALF_WIDTH || e.samples == EBB_MOST);
		}
	}
}

static void bisection_sampled(void **state)
{
	static const struct {
		const char *fabric, *engine;
		bool both;
		double value, half_width;
	} cases[] = {
		{DEMO, "minhop", false, 0.534, 0.004},
		{DEMO, "ftree", false, 0.796, 0.004},
		{DEMO, "lash", false, 0.225, 0.003},
		{DEMO, "minhop", true, 0.385, 0.005},
		{DEMO, "ftree", true, 0.649, 0.005},
		{DEMO, "lash", true, 0.155, 0.005},
		{"xgft:4,4,4:1,2,4", "minhop", false, 0.462, 0.003},
		{"xgft:4,4,4:1,2,4", "ftree", false, 0.549, 0.003},
		{"torus:5x5", "dor", false, 0.862, 0.005},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_SESSION struct session *s = routed(cases[i].fabric, cases[i].engine);
		const struct ebb_request rq = {.seed = 1, .both = cases[i].both};
		struct ebb e, again;

		assert_int_equal(ebb_estimate(session_routing(s), &rq, NULL, &e, NULL), 0);
		if (fabs(e.value - cases[i].value) > e.half_width + cases[i].half_width)
			fail_msg("%s %s: %.4f +- %.4f, expected %.3f", cases[i].fabric, cases[i].engine,
				 e.value, e.half_width, cases[i].value);
		assert_int_equal(ebb_estimate(session_routing(s), &rq, NULL, &again, NULL), 0);
		assert_memory_equal(&e, &again, sizeof(e));
	}
}

/* Pairs without a way have no share; fewer than two hosts have no value; it can be cancelled. */
static void bisection_odd(void **state)
{
	AUTO_SESSION struct session *s = routed("ring:4", "minhop");
	struct ebb_request rq = {.seed = 1};
	struct progress p = {0};
	struct ebb e;

	p.cancel = true;
	assert_int_equal(ebb_estimate(session_routing(s), &rq, &p, &e, NULL), -1);
	ok_line(s, "scope node0001");
	assert_int_equal(ebb_estimate(session_routing(s), &rq, NULL, &e, NULL), 0);
	assert_int_equal(e.samples, 0);
	assert_int_equal(e.hosts, 1);
	ok_line(s, "scope node0001 node0002");
	rq.both = true;
	assert_int_equal(ebb_estimate(session_routing(s), &rq, NULL, &e, NULL), 0);
	assert_true(e.value == 1 && e.half_width == 0 && e.samples == EBB_LEAST);
	line_says(s, "load-map ebb both", "1.000");
	line_fails(s, "load-map ebb seed=x", "expected a number");
}

/* --- loads -------------------------------------------------------------------------------------------- */

/* With connect_roots a root may be reached from a switch that it has no way to: loads are those of the ways.
 */
static void loads_one_way(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth xgft:2,4:1,3,fail=2,esp0=1,seed=640; route "
						       "updn connect_roots=TRUE root_guid_file=spine-*");
	const struct routing *r = session_routing(s);
	const struct topo *t = r->topo;
	const struct fabric *f = t->fabric;
	AUTO_ARENA struct loads *l = loads_new(r, &pattern_all, NULL);
	AUTO_FREE uint32_t *want = NEW_ARRAY(f->n_ports, uint32_t);
	unsigned ways = 0, none = 0;

	for (uint32_t src = 0; src < f->n_endports; src++)
		for (uint32_t dst = 0; routing_has_host(r, src) && dst < f->n_endports; dst++) {
			uint32_t sw = t->endport_switch[src];

			if (src == dst || !routing_has_host(r, dst))
				continue;
			while (sw != NO_ID) {
				uint8_t port = routing_port(r, sw, r->lids->base[dst]);
				uint32_t id = switch_port_id(f, sw, port == NO_PATH ? 0 : port);

				none += port == NO_PATH;
				sw = port == NO_PATH ? NO_ID : t->peer_switch[id];
				want[id] += sw != NO_ID;
			}
			ways++;
		}
	for (uint32_t p = 0; p < f->n_ports; p++)
		if (t->peer_switch[p] != NO_ID && node_is_switch(f, f->port_node[p]))
			assert_int_equal(l->port[p], want[p]);
	assert_int_equal(ways, 56);
	assert_int_equal(none, 0);
}

static void loads_of_small(void **state)
{
	static const struct {
		const char *fabric, *engine;
		uint32_t count[9]; /* channels with that load */
		uint32_t shift[9]; /* most flows, 0 = the end */
	} cases[] = {
		{"ring:4", "minhop", {0, 2, 4, 2}, {1, 2, 1}},
		{"xgft:2,2:1,2", "minhop", {0, 0, 8}, {1, 1, 1}},
		{"xgft:2,2:1,2", "lash", {4, 0, 0, 0, 4}, {1, 2, 1}},
		{"torus:3x3", "minhop", {0, 4, 8, 12, 8, 4}, {2, 1, 1, 2, 1, 1, 2, 1}},
		{"xgft:2,2,2:1,2,2", "minhop", {8, 0, 0, 0, 0, 0, 16, 0, 8}, {1, 1, 2, 2, 2, 1, 1}},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_SESSION struct session *s = routed(cases[i].fabric, cases[i].engine);
		const struct routing *r = session_routing(s);
		AUTO_ARENA struct loads *l = loads_new(r, &pattern_all, NULL);
		struct err e;
		uint32_t count[9] = {0};

		AUTO_ARENA struct shift_order *o = shift_order_new(r, s->setup, s->engines, NULL, NULL, &e);
		assert_non_null(o);
		AUTO_ARENA struct shifts *sh = shifts_new(r, o, 0, 3, NULL);
		for (uint32_t p = 0; p < r->topo->fabric->n_ports; p++)
			if (r->topo->peer_switch[p] != NO_ID) {
				assert_true(l->port[p] < 9);
				count[l->port[p]]++;
			}
		for (unsigned k = 0; k < 9; k++)
			if (count[k] != cases[i].count[k])
				fail_msg("%s %s: %u channels with %u routes", cases[i].fabric,
					 cases[i].engine, count[k], k);
		for (uint32_t k = 0; k < sh->n; k++)
			assert_int_equal(sh->load[k].max, cases[i].shift[k]);
		assert_int_equal(cases[i].shift[sh->n], 0);
	}
}

static void patterns(void **state)
{
	AUTO_SESSION struct session *s = routed("torus:3x3", "minhop");
	const struct routing *r = session_routing(s);
	uint64_t seed = test_seed();

	for (unsigned turn = 0; turn < 50; turn++) {
		AUTO_BY(pattern_free) struct pattern p = {0};
		AUTO_FREE uint32_t *sent = NEW_ARRAY(s->fabric->n_endports, uint32_t);
		AUTO_FREE uint32_t *got = NEW_ARRAY(s->fabric->n_endports, uint32_t);

		pattern_random(r, rng_next(&seed), &p);
		assert_int_equal(p.n, 9);
		for (size_t i = 0; i < p.n; i++) {
			assert_int_not_equal(p.flow[i].src, p.flow[i].dst);
			assert_int_equal(sent[p.flow[i].src]++, 0);
			assert_int_equal(got[p.flow[i].dst]++, 0);
		}
	}
	line_says(s, "load-map random", "9 routes");
	line_says(s, "load-map to node0001", "8 routes");
	line_says(s, "load-map to node0001 node000[1-3] all", "24 routes");
	line_fails(s, "load-map to t00", "host");
	line_fails(s, "load-map random seed=", "expected a number");
	line_fails(s, "load-map pairs no/such/file", "no/such/file");
	ok_line(s, "scope node000[1-4]");
	line_says(s, "load-map", "12 routes");
	line_says(s, "load-map random", "4 routes");
	line_says(s, "load-map to node0001", "3 routes");
	line_fails(s, "load-map to node0009", "is not a host that is up and counted");
	ok_linef(s, "scope node0001");
	line_says(s, "load-map random", "0 routes");
}

static void parse(const struct fabric *f, const char *text, const char *wrong, struct pairs_file *p)
{
	struct err e = {0};
	int rc = pairs_parse(p, f, &(struct input){"pairs", text, strlen(text), NULL}, &e);

	if (!wrong != !rc || (wrong && !strstr(e.msg, wrong)))
		fail_msg("\"%s\": \"%s\", expected \"%s\"", text, e.msg, wrong ? wrong : "nothing");
}

static void pairs_files(void **state)
{
	static const char *const wrong[][2] = {
		{"a b\nc\n", "pairs:2: "},
		{"a b 0", "pairs:1: found \"0\", expected a weight"},
		{"a b -1", "expected a weight"},
		{"a b 1.5", "expected a weight"},
		{"a b 4294967296", "expected a weight"},
		{"a b 1 2", "pairs:1: "},
		{"a b; c d", "';'"},
		{"a 'b", "pairs:1: "},
		{"# x\n\na b 4294967295\na b", "pairs:4: found weights that add up to 4294967296"},
	};
	AUTO_FABRIC struct fabric *f = make_fabric("ring:4");
	struct pairs_file p;

	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		parse(f, wrong[i][0], wrong[i][1], &p);
		pairs_file_free(&p);
	}
	parse(f, "# c\n\n node0001 node0003 7 # c\r\n'a b' \"c\"\n", NULL, &p);
	assert_int_equal(p.n, 2);
	assert_string_equal(p.pair[0].dst, "node0003");
	assert_int_equal(p.pair[0].weight, 7);
	assert_int_equal(p.pair[0].line, 3);
	assert_string_equal(p.pair[1].src, "a b");
	assert_int_equal(p.pair[1].weight, 1);
	pairs_file_free(&p);
	AUTO_FREE char *text = str_printf("a b%*s\na b", LINE_BYTES_MOST - 3, "");
	parse(f, text, NULL, &p);
	assert_int_equal(p.n, 2);
	pairs_file_free(&p);
	text[LINE_BYTES_MOST] = ' ';
	text[LINE_BYTES_MOST + 1] = '\n';
	parse(f, text, "pairs:1: found a line of 1000001 bytes, expected at most 1000000", &p);
	pairs_file_free(&p);
}

/* --- flows -------------------------------------------------------------------------------------------- */

/* On every port as many flows as the loads say, and groups that add up to them. */
static void flows_are_loads(struct session *s, int argc, char **argv)
{
	const struct routing *r = session_routing(s);
	const struct fabric *f = s->fabric;
	struct command_run run = {.f = fopen("/dev/null", "w")};
	struct out out = {.run = &run};
	AUTO_BY(pattern_free) struct pattern pt;
	struct args args = {.argc = argc, .argv = argv};
	struct err e;

	assert_non_null(run.f);
	assert_int_equal(args_read(s, "flow-test [" PATTERN_SYNTAX "]", NULL, &args, &e), 0);
	assert_int_equal(session_pattern(s, r, &args, &pt, &out, &e), 0);
	fclose(run.f);
	args_free(&args);
	AUTO_ARENA struct loads *l = loads_new(r, &pt, NULL);
	for (uint32_t p = 0; p < f->n_ports; p++) {
		struct flow_list *list;

		if (r->topo->peer[p] == NO_ID)
			continue;
		list = flows_over(r, &pt, p, NULL, &e);
		if (list->pairs != l->port[p])
			fail_msg("port %u: %" PRIu64 " flows, %u routes", p, list->pairs, l->port[p]);
		for (unsigned by = 0; by < FLOWS_BYS; by++) {
			uint64_t sum = 0, before = UINT64_MAX;
			size_t n;
			AUTO_FREE struct flow_group *g = flow_groups(list, r, (enum flow_by)by, NULL, &n);

			for (size_t i = 0; i < n; i++) {
				assert_true(g[i].pairs <= before);
				sum += before = g[i].pairs;
			}
			assert_int_equal(sum, list->pairs);
		}
		flow_list_free(list);
	}
}

static void flows_random(void **state)
{
	static const char *const lines[] = {"all",	 "lids",   "shift 3",
					    "bisection", "random", "to node0002 node0003"};
	uint64_t seed = test_seed();
	char line[200];

	snprintf(line, sizeof(line), "random:8,3,hosts=2,parallel=2,seed=%u", rng_below(&seed, 99999));
	AUTO_SESSION struct session *s = routed(line, "minhop");
	ok_line(s, "set lmc 1");
	ok_line(s, "fail random 2 seed=3");
	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		const char *rest;
		struct err e;
		char **argv;
		int argc;

		snprintf(line, sizeof(line), "flow-test %s", lines[i]);
		assert_int_equal(words_split(line, &rest, &argc, &argv, &e), 0);
		flows_are_loads(s, argc, argv);
		words_free(argc, argv);
	}
}

static void flows_small(void **state)
{
	struct session *s = routed("ring:4", "minhop");

	line_says(s, "flows ring2[2]",
		  "ring2[2] -> ring3[3]: 3 pairs of hosts\nBy source switch:\n       2  from ring2\n       1 "
		  " from "
		  "ring1\nBy destination switch:\n       2  to ring3\n       1  to ring0\n");
	line_says(s, "flows ring2[2] by pair",
		  "       1  node0002 -> node0004\n       1  node0003 -> node0001\n       1  node0003 -> "
		  "node0004\n");
	line_fails(s, "flows ring2[2] by nothing", "expected: flows");
	line_fails(s, "flows ring2[2] by scope", "no scope");
	line_fails(s, "flows node0001 node0001", "one port");
	ok_line(s, "scope node0003 node0004");
	line_says(s, "flows ring2[2] by scope",
		  "       1  others -> the scope\n       1  the scope -> others\n       1  the scope -> the "
		  "scope\n");
	line_says(s, "flows ring2[2]", ": 1 pair of hosts");
	session_free(s);
	s = routed("xgft:2,2:1,2", "minhop");
	line_says(s, "flows leaf-01[3]",
		  "Pairs:\n       1  node0001 -> node0003\n       1  node0002 -> node0003\n");
	line_says(s, "flows leaf-01[3] to node0003 node0001", ": 2 pairs of hosts");
	session_free(s);
	s = routed("torus:3x3", "minhop");
	line_says(s, "flows t02[2]",
		  "t02[2] -> t12[3]: 5 pairs of hosts\nBy source switch:\n       3  from t02\n       1  from "
		  "t00\n   "
		  "    1  from t01\nBy destination switch:\n       3  to t12\n       1  to t10\n       1  to "
		  "t11\n");
	session_free(s);
}

/* --- load diff ---------------------------------------------------------------------------------------- */

static void load_diffs(void **state)
{
	static const struct {
		const char *engine, *fail, *says;
	} cases[] = {
		{"minhop", "switch spine-01",
		 "Loads: 91 links hotter, 40 cooler; most routes on a link 192 -> 192.\n       0 -> 96       "
		 "    +96  "
		 "core-02[1] -> spine-02[5]\n       0 -> 64           +64  spine-02[5] -> core-02[1]\n"},
		{"updn", "switch spine-01",
		 "Loads: 102 links hotter, 40 cooler; most routes on a link 192 -> 192.\n       0 -> 96      "
		 "     +96 "
		 " core-02[1] -> spine-02[5]\n"},
		{"minhop", "link leaf-01[5]",
		 "Loads: 50 links hotter, 40 cooler; most routes on a link 192 -> 192.\n      60 -> 120      "
		 "    +60  "
		 "spine-02[1] -> leaf-01[6]\n"},
		{"ftree,minhop", "switch core-01",
		 "Loads: 18 links hotter, 8 cooler; most routes on a link 60 -> 96.\n      48 -> 96          "
		 " +48  "
		 "core-05[1] -> spine-01[6]\n"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_SESSION struct session *s = routed(DEMO, cases[i].engine);

		ok_line(s, "snapshot before");
		ok_linef(s, "fail %s", cases[i].fail);
		line_says(s, "diff", cases[i].says);
		line_says(s, "diff before", cases[i].says);
		AUTO_ARENA struct load_diff *d =
			load_diff_new(session_find_snapshot(s, "before")->routing, session_routing(s), NULL);
		assert_int_equal(d->gain, 0); /* same pairs, same lengths */
		assert_int_equal(d->n, d->hotter + d->cooler);
	}
}

/* Channels are found again by GUID in another fabric; what is on one side only counts as 0 on the other. */
static void load_diff_across(void **state)
{
	AUTO_SESSION struct session *s = routed("ring:4", "minhop");

	ok_line(s, "snapshot four");
	ok_line(s, "synth ring:5");
	ok_line(s, "route minhop");
	struct load_diff *d =
		load_diff_new(session_find_snapshot(s, "four")->routing, session_routing(s), NULL);
	assert_int_equal(d->max_before, 3);
	assert_int_equal(d->gain, 5 * 4 * 3 / 2 - 16); /* hops between switches of all pairs */
	arena_free(d);
	d = load_diff_new(session_routing(s), session_find_snapshot(s, "four")->routing, NULL);
	assert_int_equal(d->gain, 16 - 5 * 4 * 3 / 2);
	arena_free(d);
	line_says(s, "diff four", "Loads: ");
}

/* --- spread ------------------------------------------------------------------------------------------- */

static double most_share(const struct topo *t, const double *share)
{
	double m = 0;

	for (uint32_t p = 0; p < t->fabric->n_ports; p++)
		if (t->peer_switch[p] != NO_ID && share[p] > m)
			m = share[p];
	return m;
}

/* Each switch divides flow over all ports of least hops. */
static void shares_even(void **state)
{
	static const struct {
		const char *fabric;
		double most;
	} cases[] = {
		{"ring:4", 2},	   {"torus:3x3", 3},	{"torus:4x4", 8},
		{"torus:5x5", 15}, {"mesh:4x4", 18.6},	{"dragonfly:4,2,2", 94},
		{"hyperx:6x6", 6}, {"xgft:2,2:1,2", 2}, {"xgft:4,4,4:1,2,4", 120},
		{DEMO, 60},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_SESSION struct session *s = routed(cases[i].fabric, "minhop");
		const struct routing *r = session_routing(s);
		AUTO_ARENA uint32_t *hosts = routing_hosts(NULL, r);
		AUTO_FREE double *even = even_shares(r->topo, hosts, NULL);

		if (fabs(most_share(r->topo, even) - cases[i].most) > 0.05)
			fail_msg("%s: %.3f", cases[i].fabric, most_share(r->topo, even));
	}
}

/* Groups that tables have: those across the square send by both ports. */
static void shares_of_groups(void **state)
{
	AUTO_SESSION struct session *s = routed("lesson:square", "dor");
	struct spread_left left = {0};

	ok_line(s, "tables lesson:square.far");
	const struct routing *r = session_routing(s);
	AUTO_FREE double *share = spread_shares(r, &left, NULL);
	assert_int_equal(left.pairs, 12);
	assert_int_equal(left.left, 0);
	for (uint32_t p = 0; p < s->fabric->n_ports; p++)
		if (r->topo->peer_switch[p] != NO_ID && node_is_switch(s->fabric, s->fabric->port_node[p]))
			assert_true(fabs(share[p] - 2) < 1e-9);
}

/* A link at a quarter of the others' rate is the busiest; with equal rates nothing is said of them. */
static void rates(void **state)
{
	AUTO_SESSION struct session *s = routed("xgft:8,8:1,4", "minhop");
	struct fabric *f = (struct fabric *)s->fabric;
	uint32_t port = f->switch_port[0] + 9;
	struct err e;
	int rc;

	assert_true(channels_fastest(session_sweep(s)->topo) == 0);
	AUTO_FREE char *alike = run_line(s, "load-map", &rc, &e, true, NULL);
	assert_null(strstr(alike, "by_rate"));
	f->port_width[port] = f->port_width[f->port_peer[port]] = WIDTH_1X;
	assert_true(channels_fastest(session_sweep(s)->topo) == 212.5);
	line_says(s, "load-map",
		  "mean 112.0, max 112\n     112  leaf-01[9] -> spine-01[1], 1xHDR: as 448 on the fastest\n");
	line_says(s, "flows leaf-01[9]", "112 pairs of hosts, 1xHDR: as 448 on the fastest\n");
	AUTO_FREE char *map = run_line(s, "load-map", &rc, &e, true, NULL);
	assert_non_null(strstr(map, "\"ports\":[{\"routes\":112,\"rate\":53.125,\"by_rate\":448.0,"));
	AUTO_FREE char *flows = run_line(s, "flows leaf-01[10]", &rc, &e, true, NULL);
	assert_non_null(strstr(flows, "\"rate\":212.5,\"by_rate\":112.0"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bisection_exact),  cmocka_unit_test(bisection_sampled),
		cmocka_unit_test(bisection_odd),    cmocka_unit_test(loads_of_small),
		cmocka_unit_test(loads_one_way),    cmocka_unit_test(patterns),
		cmocka_unit_test(pairs_files),	    cmocka_unit_test(flows_random),
		cmocka_unit_test(flows_small),	    cmocka_unit_test(load_diffs),
		cmocka_unit_test(load_diff_across), cmocka_unit_test(shares_even),
		cmocka_unit_test(shares_of_groups), cmocka_unit_test(rates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
