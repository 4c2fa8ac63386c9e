/* Edge switches, levels, roots and even shares: figures of real fabrics, and of small ones worked out by
 * hand. */
#include "fixture.h"

#include "core/analysis/shape/levels.h"
#include "core/analysis/traffic/spread.h"

#define REAL "tests/fabrics/real/"

/* A session with a fabric that Min Hop routes, so that hosts have LIDs. */
static struct session *routed(const char *fabric)
{
	return session_after("%s %s; route minhop", strchr(fabric, '/') ? "load" : "synth", fabric);
}

static struct levels *levels_of(const struct session *s)
{
	uint32_t *hosts = routing_hosts(NULL, session_routing(s));
	struct levels *l = levels_new(session_routing(s)->topo, hosts, NULL);

	arena_free(hosts);
	assert_non_null(l);
	return l;
}

static void roots(void **state)
{
	static const struct {
		const char *fabric;
		uint32_t n_roots;
		unsigned top;
		const char *name; /* all roots' names begin with it; NULL = any */
	} cases[] = {
		{REAL "selene-compute.ibnetdiscover.xz", 140, 2, "MF0;CCORE"},
		{REAL "selene-storage.ibnetdiscover.xz", 32, 2, NULL},
		{REAL "sat11-director.putty-log.xz", 80, 2, NULL},
		{"tests/fabrics/formats/stage-qdr-fdr10.ibnetdiscover", 2, 1, NULL},
		{"tests/fabrics/formats/superbench-faked.ibnetdiscover-f", 1, 2, NULL},
		{"tests/fabrics/demo-3level.ibnet", 16, 2, "core-"},
		{"xgft:2,2:1,2", 2, 1, "spine-"},
		{"torus:5x5", 1, 0, NULL},
	};

	uint64_t seed = test_seed();

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		if (!test_drawn(seed, i, 3))
			continue;
		AUTO_SESSION struct session *s = routed(cases[i].fabric);
		AUTO_ARENA struct levels *l = levels_of(s);
		if (l->n_roots != cases[i].n_roots || l->top != cases[i].top)
			fail_msg("%s: %u roots on level %u, expected %u on %u", cases[i].fabric, l->n_roots,
				 l->top, cases[i].n_roots, cases[i].top);
		for (uint32_t sw = 0; cases[i].name && sw < l->n_switches; sw++)
			if (l->root[sw] &&
			    strncmp(switch_name(s->fabric, sw), cases[i].name, strlen(cases[i].name)) != 0)
				fail_msg("%s: %s is a root", cases[i].fabric, switch_name(s->fabric, sw));
	}
}

/* The largest share on a channel between switches. */
static double most(const struct topo *t, const double *share)
{
	double m = 0;

	for (uint32_t p = 0; p < t->fabric->n_ports; p++)
		if (t->peer_switch[p] != NO_ID && share[p] > m)
			m = share[p];
	return m;
}

static void shares(void **state)
{
	static const struct {
		const char *fabric;
		double most;
	} cases[] = {
		{"ring:4", 2},
		{"torus:3x3", 3},
		{"torus:4x4", 8},
		{"torus:5x5", 15},
		{"mesh:4x4", 18.6},
		{"dragonfly:4,2,2", 94},
		{"hyperx:6x6", 6},
		{"xgft:2,2:1,2", 2},
		{"xgft:4,4,4:1,2,4", 120},
		{"tests/fabrics/demo-3level.ibnet", 60},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_SESSION struct session *s = routed(cases[i].fabric);
		const struct topo *t = session_routing(s)->topo;
		AUTO_ARENA uint32_t *hosts = routing_hosts(NULL, session_routing(s));
		AUTO_FREE double *share = even_shares(t, hosts, NULL);

		if (most(t, share) < cases[i].most - 0.05 || most(t, share) > cases[i].most + 0.05)
			fail_msg("%s: %.3f, expected %.3f", cases[i].fabric, most(t, share), cases[i].most);
	}
}

/* What flows out of a switch is what flows in, but for what its hosts send and take. */
static void nothing_is_lost(void **state)
{
	uint32_t *hosts, all = 0;
	AUTO_FREE char *spec =
		str_printf("random:20,4,hosts=3,parallel=2,seed=%u", (unsigned)(test_seed() % 100000));

	AUTO_SESSION struct session *s = routed(spec);
	const struct topo *t = session_routing(s)->topo;
	const struct fabric *f = t->fabric;
	hosts = routing_hosts(NULL, session_routing(s));
	AUTO_FREE double *share = even_shares(t, hosts, NULL);
	for (uint32_t sw = 0; sw < f->n_switches; sw++)
		all += hosts[sw];
	for (uint32_t sw = 0; sw < f->n_switches; sw++) {
		double out = 0, in = 0, own = (double)hosts[sw] * (all - hosts[sw]);

		for (unsigned p = 1; p <= f->switch_nports[sw]; p++) {
			uint32_t port = switch_port_id(f, sw, p);

			if (t->peer_switch[port] == NO_ID)
				continue;
			out += share[port];
			in += share[t->peer[port]];
		}
		assert_float_equal(out, in, 1e-6);
		assert_true(out >= own - 1e-6);
	}
	arena_free(hosts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(roots),
		cmocka_unit_test(shares),
		cmocka_unit_test(nothing_is_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
