/* Synthetic fabrics: sizes, degrees, names, options, messages. */
#include "core/base/rng.h"
#include "tests/unit/fixture.h"

static struct fabric *make(const char *spec)
{
	struct fabric *f = make_fabric(spec);

	assert_int_equal(f->warnings.n, 0);
	return f;
}

static unsigned trunks_of(const struct fabric *f, uint32_t sw)
{
	unsigned n = 0;

	for (unsigned p = 1; p <= f->switch_nports[sw]; p++) {
		uint32_t peer = f->port_peer[switch_port_id(f, sw, p)];

		n += peer != NO_ID && node_is_switch(f, f->port_node[peer]);
	}
	return n;
}

static unsigned hosts_of(const struct fabric *f, uint32_t sw)
{
	unsigned n = 0;

	for (unsigned p = 1; p <= f->switch_nports[sw]; p++) {
		uint32_t peer = f->port_peer[switch_port_id(f, sw, p)];

		n += peer != NO_ID && !node_is_switch(f, f->port_node[peer]);
	}
	return n;
}

/* Switches that can be reached from switch 0. */
static uint32_t reached(const struct fabric *f)
{
	AUTO_FREE uint8_t *seen = NEW_ARRAY(f->n_switches, uint8_t);
	uint32_t *queue = NEW_ARRAY(f->n_switches, uint32_t), n = 1;

	seen[0] = 1;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t sw = queue[i];

		for (unsigned p = 1; p <= f->switch_nports[sw]; p++) {
			uint32_t peer = f->port_peer[switch_port_id(f, sw, p)];
			uint32_t to = peer == NO_ID ? NO_ID : f->node_switch[f->port_node[peer]];

			if (to != NO_ID && !seen[to]) {
				seen[to] = 1;
				queue[n++] = to;
			}
		}
	}
	free(queue);
	return n;
}

static void check_links(const struct fabric *f)
{
	for (uint32_t l = 0; l < f->n_links; l++) {
		uint32_t a = f->link_port[2 * l], b = f->link_port[2 * l + 1];

		assert_int_equal(f->port_peer[a], b);
		assert_int_equal(f->port_peer[b], a);
		assert_int_not_equal(f->port_node[a], f->port_node[b]);
	}
}

static void check_names(const struct fabric *f)
{
	for (uint32_t i = 0; i + 1 < f->n_nodes; i++) {
		const char *a = f->node_name[f->by_name[i]], *b = f->node_name[f->by_name[i + 1]];

		if (!strstr(a, "Aggregation"))
			assert_string_not_equal(a, b);
	}
}

/* --- sizes ------------------------------------------------------------------- */

static void test_sizes(void **state)
{
	static const struct {
		const char *spec;
		uint32_t switches, cas, links;
	} want[] = {
		{"xgft:4,4:1,2", 6, 16, 16 + 8},
		{"xgft:18,18,6:1,18,18", 540, 1944, 3 * 1944},
		{"xgft:18,18:1,18", 36, 324, 648},
		{"torus:4x4x4", 64, 64, 64 + 192},
		{"mesh:8x8", 64, 64, 64 + 112},
		{"torus:2x5", 10, 10, 10 + 5 + 10},
		{"torus:1x3", 3, 3, 3 + 3},
		{"hypercube:5", 32, 32, 32 + 80},
		{"dragonfly:4,2,2", 36, 72, 72 + 9 * 6 + 36},
		{"dragonfly:4,2,2,5", 20, 40, 40 + 5 * 6 + 20},
		{"hyperx:6x6", 36, 36, 36 + 36 * 10 / 2},
		{"ring:8", 8, 8, 16},
		{"ring:8,hosts=3,parallel=2", 8, 24, 24 + 16},
		{"torus:4x4,hosts_on=4", 16, 4, 4 + 32},
		{"director:2,6,3,12", 30, 48, 48 + 36 + 24},
		{"director:1,4,2,0", 6, 16, 16 + 8},
		{"xgft:4,4:1,2,aggregation=1", 6, 22, 24 + 6},
		{"mesh:4x4,fail=3", 16, 16, 16 + 24 - 3},
		{"published:t2hx", 96, 672, 672 + 864},
		{"published:gordon", 64, 1088, 1088 + 576},
		{"published:deimos", 108, 724, 724 + 3 * 288 + 60},
		{"published:summit", 1484, 9216, 9216 + 9216 + 18 * 648},
		{"published:salomon", 128, 1152, 1152 + 64 * 27},
	};

	for (size_t i = 0; i < ARRAY_LEN(want); i++) {
		AUTO_FABRIC struct fabric *f = make(want[i].spec);

		if (f->n_switches != want[i].switches || f->n_nodes - f->n_switches != want[i].cas ||
		    f->n_links != want[i].links)
			fail_msg("%s: %u switches, %u CAs, %u links", want[i].spec, f->n_switches,
				 f->n_nodes - f->n_switches, f->n_links);
		check_links(f);
		check_names(f);
		assert_string_equal(f->format, "synthetic");
		assert_string_equal(f->source, want[i].spec);
	}
}

static void test_published_all(void **state)
{
	static const char *const names[] = {"t2hx", "tsubame2", "summit", "sierra", "narval",  "deimos",
					    "odin", "salomon",	"gordon", "redsky", "superpod"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		AUTO_FREE char *spec = str_printf("published:%s", names[i]);
		AUTO_FABRIC struct fabric *f = make(spec);

		assert_int_equal(reached(f), f->n_switches);
		for (uint32_t n = 0; n < f->n_nodes; n++) /* each host has its cable */
			if (f->node_type[n] != NODE_SWITCH && f->port_peer[f->node_port[n] + 1] == NO_ID)
				fail_msg("%s: no cable at %s", spec, f->node_name[n]);
		check_names(f);
		assert_non_null(strstr(synth_help, names[i]));
	}
}

/* --- degrees ----------------------------------------------------------------- */

static void check_regular(const char *spec, unsigned trunks, unsigned hosts)
{
	AUTO_FABRIC struct fabric *f = make(spec);

	for (uint32_t s = 0; s < f->n_switches; s++) {
		if (trunks_of(f, s) != trunks || hosts_of(f, s) != hosts)
			fail_msg("%s: %s has %u links and %u hosts", spec, switch_name(f, s), trunks_of(f, s),
				 hosts_of(f, s));
	}
	assert_int_equal(reached(f), f->n_switches);
}

static void test_regular(void **state)
{
	check_regular("torus:4x4x4", 6, 1);
	check_regular("torus:3x5,parallel=2,hosts=4", 8, 4);
	check_regular("hypercube:6", 6, 1);
	check_regular("hyperx:3x4,hosts=0", 5, 0);
	check_regular("dragonfly:4,2,3", 5, 3);
	check_regular("ring:2", 1, 1);
	check_regular("published:t2hx", 18, 7);
	check_regular("regular:20,3,seed=5", 3, 1);
	check_regular("regular:7,2", 2, 1);
	check_regular("regular:9,8", 8, 1);
	check_regular("regular:1000,3,seed=2,hosts=0", 3, 0);
	check_regular("slimfly:13,hosts=9", 19, 9);
	check_regular("cascade:1", 15 + 15, 4);
	check_regular("cascade:3", 15 + 15 + 10, 4);
}

/* --- graphs of published texts ------------------------------------------------- */

/* Adds the hops from `from` to each other switch to *sum.  Returns the longest. */
static unsigned hops_from(const struct fabric *f, uint32_t from, uint64_t *sum)
{
	uint32_t *queue = NEW_ARRAY(f->n_switches, uint32_t), n = 1;
	unsigned *far = NEW_ARRAY(f->n_switches, unsigned), longest;

	queue[0] = from;
	far[from] = 1;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = queue[i];

		*sum += far[at] - 1;
		for (unsigned p = 1; p <= f->switch_nports[at]; p++) {
			uint32_t peer = f->port_peer[f->switch_port[at] + p];
			uint32_t to = peer == NO_ID ? NO_ID : f->node_switch[f->port_node[peer]];

			if (to == NO_ID || far[to])
				continue;
			far[to] = far[at] + 1;
			queue[n++] = to;
		}
	}
	assert_int_equal(n, f->n_switches);
	longest = far[queue[n - 1]] - 1;
	free(queue);
	free(far);
	return longest;
}

/* Sizes, degrees (in cables), diameter and mean distance as the texts have them, or as counted by hand. */
static void test_graphs(void **state)
{
	static const struct {
		const char *spec;
		uint32_t switches, cas, cables;
		unsigned least, most, diameter, mean; /* mean: of ordered pairs, in 1/10000 */
	} want[] = {
		{"kautz:2,2", 6, 6, 12, 4, 4, 2, 14000},
		{"kautz:2,3", 12, 12, 24, 4, 4, 3, 19091},
		{"kautz:3,2", 12, 12, 36, 6, 6, 2, 15455},
		{"kautz:3,3", 36, 36, 108, 6, 6, 3, 22381},
		{"kautz:2,4", 24, 24, 48, 4, 4, 4, 25000},
		{"kautz:5,3,hosts=7", 150, 1050, 750, 10, 10, 3, 25409},
		{"kautz:3,1", 4, 4, 12, 6, 6, 1, 10000},
		{"kautz:11,2", 132, 132, 1452, 22, 22, 2, 0},
		{"debruijn:2,3", 8, 8, 14, 2, 4, 3, 16429},
		{"debruijn:2,4", 16, 16, 30, 2, 4, 4, 21417},
		{"debruijn:3,2", 9, 9, 24, 4, 6, 2, 14167},
		{"debruijn:4,2", 16, 16, 60, 6, 8, 2, 15500},
		{"slimfly:3", 18, 54, 45, 5, 5, 2, 0},
		{"slimfly:4", 32, 96, 96, 6, 6, 2, 0},
		{"slimfly:5", 50, 200, 175, 7, 7, 2, 18571},
		{"slimfly:7", 98, 98 * 6, 539, 11, 11, 2, 0},
		{"slimfly:8", 128, 128 * 6, 768, 12, 12, 2, 0},
		{"slimfly:9", 162, 162 * 7, 1053, 13, 13, 2, 0},
		{"slimfly:11", 242, 242 * 9, 2057, 17, 17, 2, 0},
		{"slimfly:13", 338, 3380, 3211, 19, 19, 2, 19436},
		{"slimfly:16,hosts=0", 512, 0, 6144, 24, 24, 2, 0},
		{"polarfly:2", 7, 14, 9, 2, 3, 2, 15714},
		{"polarfly:3", 13, 26, 24, 3, 4, 2, 16923},
		{"polarfly:4", 21, 63, 50, 4, 5, 2, 0},
		{"polarfly:5", 31, 93, 90, 5, 6, 2, 18065},
		{"polarfly:7", 57, 228, 224, 7, 8, 2, 18596},
		{"polarfly:8", 73, 365, 324, 8, 9, 2, 0},
		{"polarfly:9", 91, 455, 450, 9, 10, 2, 0},
		{"polarfly:11", 133, 798, 792, 11, 12, 2, 19098},
		{"polarfly:23,hosts=1", 553, 553, 6624, 23, 24, 2, 0},
		/* 16 * 15 cables between chassis, 6 * 120 within; far: 960 of each group */
		{"cascade:1", 96, 384, 1440, 30, 30, 2, 0},
		{"cascade:2", 192, 768, 2 * 1440 + 960, 40, 40, 3, 0},
		{"cascade:2,2,hosts=8", 192, 1536, 3072, 32, 32, 0, 0},
		{"tsubame:2", 412, 1408, 5472, 18, 36, 4, 0},
	};

	for (size_t i = 0; i < ARRAY_LEN(want); i++) {
		AUTO_FABRIC struct fabric *f = make(want[i].spec);
		unsigned least = ~0u, most = 0, diameter = 0, mean;
		uint64_t sum = 0, pairs = (uint64_t)f->n_switches * (f->n_switches - 1);
		uint32_t hosts = f->n_nodes - f->n_switches;

		for (uint32_t s = 0; s < f->n_switches; s++) {
			unsigned n = trunks_of(f, s), far = hops_from(f, s, &sum);

			least = n < least ? n : least;
			most = n > most ? n : most;
			diameter = far > diameter ? far : diameter;
		}
		mean = (unsigned)((sum * 10000 + pairs / 2) / pairs);
		if ((want[i].switches && (f->n_switches != want[i].switches || hosts != want[i].cas ||
					  f->n_links - hosts != want[i].cables)) ||
		    least != want[i].least || most != want[i].most ||
		    (want[i].diameter && diameter != want[i].diameter) ||
		    (want[i].mean && mean != want[i].mean))
			fail_msg(
				"%s: %u switches, %u hosts, %u cables, degree %u to %u, diameter %u, mean %u",
				want[i].spec, f->n_switches, hosts, f->n_links - hosts, least, most, diameter,
				mean);
		check_links(f);
		check_names(f);
	}
}

/* The wiring of a real installation and of codes: their sets for q = 5, {1,4} and {2,3}. */
static void test_slimfly_wiring(void **state)
{
	AUTO_FABRIC struct fabric *f = make("slimfly:5");
	unsigned found = 0;

	for (uint32_t l = 0; l < f->n_links; l++) {
		uint32_t a = f->node_switch[f->port_node[f->link_port[2 * l]]];
		uint32_t b = f->node_switch[f->port_node[f->link_port[2 * l + 1]]];
		const char *x;

		if (a == NO_ID || b == NO_ID)
			continue;
		x = switch_name(f, a);
		const char *y = switch_name(f, b);
		if (x[1] == y[1]) {
			int step = abs(x[3] - y[3]);

			assert_int_equal(x[2], y[2]);
			assert_int_equal(step == 1 || step == 4, x[1] == '0');
		} else {
			const char *p = x[1] == '0' ? x : y, *m = x[1] == '0' ? y : x;

			assert_int_equal(p[3] - '0', ((m[2] - '0') * (p[2] - '0') + m[3] - '0') % 5);
		}
		found++;
	}
	assert_int_equal(found, 175);
}

/* Leaves: M1 hosts and W2 parents; the middle: M2 and W3; the top: M3. */
static void test_xgft_levels(void **state)
{
	AUTO_FABRIC struct fabric *f = make("xgft:3,4,5:1,2,6");

	for (uint32_t s = 0; s < f->n_switches; s++) {
		const char *name = switch_name(f, s);

		if (!strncmp(name, "leaf-", 5)) {
			assert_int_equal(hosts_of(f, s), 3);
			assert_int_equal(trunks_of(f, s), 2);
		} else if (!strncmp(name, "spine-", 6)) {
			assert_int_equal(trunks_of(f, s), 4 + 6);
		} else {
			assert_int_equal(strncmp(name, "core-", 5), 0);
			assert_int_equal(trunks_of(f, s), 5);
		}
	}
	assert_int_equal(reached(f), f->n_switches);
}

static void test_two_port_hosts(void **state)
{
	AUTO_FABRIC struct fabric *f = make("xgft:4,4:2,2");
	uint32_t endports = f->n_switches;

	for (uint32_t n = 0; n < f->n_nodes; n++) {
		if (node_is_switch(f, n))
			continue;
		assert_int_equal(f->node_nports[n], 2);
		endports += 2;
		/* the two ports hang on different leaves */
		assert_int_not_equal(f->port_node[f->port_peer[f->node_port[n] + 1]],
				     f->port_node[f->port_peer[f->node_port[n] + 2]]);
	}
	assert_int_equal(f->n_endports, endports);
}

/* In a grid a direction has the same port number everywhere. */
static void test_grid_ports(void **state)
{
	AUTO_FABRIC struct fabric *f = make("torus:4x4");

	for (uint32_t s = 0; s < f->n_switches; s++)
		for (unsigned p = 2; p <= 5; p++) {
			uint32_t peer = f->port_peer[switch_port_id(f, s, p)];

			assert_int_equal(f->port_num[peer], p % 2 ? p - 1 : p + 1);
		}
}

static void test_director_system(void **state)
{
	AUTO_FABRIC struct fabric *f = make("director:2,4,2,4");
	unsigned chips[3] = {0};

	for (uint32_t s = 0; s < f->n_switches; s++) {
		uint32_t n = f->switch_node[s];

		assert_in_range(f->node_chassis[n], 0, 2);
		chips[f->node_chassis[n]]++;
		if (f->node_chassis[n]) {
			assert_non_null(f->node_chassis_place[n]);
			assert_int_not_equal(fabric_node_by_guid(f, f->node_sysguid[n]), NO_ID);
			assert_int_equal(f->node_chassis[fabric_node_by_guid(f, f->node_sysguid[n])],
					 f->node_chassis[n]);
		}
	}
	assert_int_equal(chips[0], 4);
	assert_int_equal(chips[1], 6);
	assert_int_equal(chips[2], 6);
}

static void test_random_graph(void **state)
{
	for (unsigned seed = 1; seed <= 40; seed++) {
		AUTO_FREE char *spec = str_printf("random:%u,%u,seed=%u", 3 + seed, 2 + seed % 5, seed);
		AUTO_FABRIC struct fabric *f = make(spec);

		assert_int_equal(reached(f), f->n_switches);
		for (uint32_t s = 0; s < f->n_switches; s++)
			assert_in_range(trunks_of(f, s), 1, 2 + seed % 5);
	}
}

/* --- options --------------------------------------------------------------------- */

static bool same(const struct fabric *a, const struct fabric *b)
{
	return a->n_ports == b->n_ports && a->n_links == b->n_links &&
	       !memcmp(a->port_peer, b->port_peer, a->n_ports * sizeof(*a->port_peer)) &&
	       !memcmp(a->node_order, b->node_order, a->n_nodes * sizeof(*a->node_order));
}

static void test_same_seed(void **state)
{
	static const char *const kinds[] = {"random:24,4", "torus:4x4,fail=5", "xgft:4,4:1,2,shuffle=1",
					    "regular:24,4"};

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		struct fabric *f[3];

		for (int k = 0; k < 3; k++) {
			AUTO_FREE char *spec = str_printf("%s,seed=%d", kinds[i], k == 2 ? 8 : 7);

			f[k] = make(spec);
		}
		assert_true(same(f[0], f[1]));
		assert_false(same(f[0], f[2]));
		for (int k = 0; k < 3; k++)
			fabric_unref(f[k]);
	}
}

static int by_value(const void *a, const void *b)
{
	return *(const unsigned *)a < *(const unsigned *)b ? -1 : *(const unsigned *)a > *(const unsigned *)b;
}

static unsigned *degrees(const struct fabric *f)
{
	unsigned *d = NEW_ARRAY(f->n_switches, unsigned);

	for (uint32_t s = 0; s < f->n_switches; s++)
		d[s] = trunks_of(f, s) * 1000 + hosts_of(f, s);
	qsort(d, f->n_switches, sizeof(*d), by_value);
	return d;
}

/* Cables between nodes of the same names, whatever their ports and GUIDs. */
static void test_shuffle(void **state)
{
	AUTO_FABRIC struct fabric *a = make("mesh:5x6,hosts=3,parallel=2"),
				  *b = make("mesh:5x6,hosts=3,parallel=2,shuffle=1");
	AUTO_FREE unsigned *da = degrees(a), *db = degrees(b);

	assert_int_equal(a->n_links, b->n_links);
	assert_memory_equal(da, db, a->n_switches * sizeof(*da));
	for (uint32_t s = 0; s < a->n_switches; s++) {
		struct err e;
		uint32_t node = fabric_node_by_name(b, switch_name(a, s), &e);

		assert_int_not_equal(node, NO_ID);
		assert_int_equal(trunks_of(a, s), trunks_of(b, b->node_switch[node]));
	}
	assert_false(same(a, b));
	check_links(b);
}

static void test_source_order(void **state)
{
	static const struct {
		const char *spec;
		enum node_type first;
	} want[] = {
		{"xgft:4,4:1,2", NODE_SWITCH},
		{"xgft:4,4:1,2,shuffle=1,seed=5", NODE_SWITCH},
		{"xgft:4,4:1,2,sm=host", NODE_CA},
		{"ring:4,shuffle=1,sm=host,aggregation=1", NODE_CA},
	};

	for (size_t i = 0; i < ARRAY_LEN(want); i++) {
		AUTO_FABRIC struct fabric *f = make(want[i].spec);
		uint32_t node = endport_node(f, f->sm_endport);

		assert_int_equal(f->node_order[node], 0);
		assert_int_equal(f->node_type[node], want[i].first);
		assert_null(strstr(f->node_name[node], "Aggregation"));
	}
}

static void test_lids(void **state)
{
	AUTO_FABRIC struct fabric *f = make("ring:5,hosts=2,shuffle=1,lids=1,lmc=2");
	AUTO_FREE uint8_t *used = NEW_ARRAY(MAX_LID + 1, uint8_t);

	for (uint32_t ep = 0; ep < f->n_endports; ep++) {
		uint32_t port = f->endport_port[ep];
		unsigned n = 1u << f->port_lmc[port];

		assert_int_equal(f->port_lmc[port], endport_is_switch(f, ep) ? 0 : 2);
		assert_int_not_equal(f->port_lid[port], 0);
		assert_int_equal(f->port_lid[port] % n, 0);
		for (unsigned k = 0; k < n; k++)
			assert_int_equal(used[f->port_lid[port] + k]++, 0);
	}
}

static void test_aggregation(void **state)
{
	AUTO_FABRIC struct fabric *f =
		make("xgft:4,4:1,2,aggregation=1,ports=12,shuffle=1,esp0=1,speed=EDR,width=2x");

	for (uint32_t s = 0; s < f->n_switches; s++) {
		uint32_t top = switch_port_id(f, s, f->switch_nports[s]),
			 ca = f->port_node[f->port_peer[top]];

		assert_int_equal(f->switch_nports[s], 13);
		assert_string_equal(f->node_given[ca], "Mellanox Technologies Aggregation Node");
		assert_int_equal(f->node_nports[ca], 1);
		assert_int_equal(f->node_sysguid[ca], f->node_guid[f->switch_node[s]]);
		assert_int_equal(f->switch_esp0[s], 1);
		assert_int_equal(f->port_speed[top], SPEED_EDR);
		assert_int_equal(f->port_width[top], WIDTH_2X);
	}
}

/* --- messages ------------------------------------------------------------------- */

static void test_messages(void **state)
{
	static const struct {
		const char *spec, *part;
	} want[] = {
		{"torsu:4x4", "expected one of xgft: torus:"},
		{"torus:", "expected a number from 1 to 48000 (AxBx..)"},
		{"torus:hosts=2", "expected a number from 1 to 48000 (AxBx..)"},
		{"torus:4y4", "found 'y4'"},
		{"torus:4x0", "found '0'"},
		{"torus:4x4,foo=1", "unknown option 'foo=1'"},
		{"torus:4x4,hosts=300", "hosts=300: expected a number from 0 to 254"},
		{"torus:4x4,hosts=-1", "hosts=-1: expected a number"},
		{"torus:4x4,seed=99999999999999999999", "seed=99999999999999999999: expected"},
		{"torus:4x4,shuffle=", "shuffle=: expected a number from 0 to 1"},
		{"torus:4x4,seed=1,x", "found 'x' behind the options"},
		{"torus:4x4,lmc=1", "expected lids=1"},
		{"torus:4x4,fail=99", "only 32 cables"},
		{"torus:4x4,hosts=0,sm=host", "there is no host"},
		{"torus:4x4,sm=moon", "expected sm=switch or sm=host"},
		{"torus:4x4,speed=WARP", "expected a speed"},
		{"torus:4x4,uplinks=2", "for director: only"},
		{"torus:4x4,hosts_on=0", "expected 'all' or a number"},
		{"xgft:4,4:1", "2 numbers before the colon and 1 behind"},
		{"xgft:4,4", "expected ':'"},
		{"xgft:4,4:17,2", "W1 = 17"},
		{"xgft:4,4:1,2,hosts=3", "expected hosts_on=all"},
		{"dragonfly:4,2", "2 numbers, expected dragonfly:A,H,P[,G]"},
		{"dragonfly:4,2,2,10", "expected 1 to A*H+1 = 9"},
		{"random:5,1", "cannot be connected"},
		{"regular:5,3", "no connected graph of 5 switches has exactly 3 links"},
		{"regular:4,4", "no connected graph"},
		{"regular:4,1", "no connected graph"},
		{"regular:4", "1 numbers, expected regular:SWITCHES,DEGREE"},
		{"kautz:2", "1 numbers, expected kautz:D,K"},
		{"kautz:0,2", "expected a number from 1"},
		{"kautz:2,17", "17 letters, expected at most 16"},
		{"kautz:127,2", "255 ports on a switch"},
		{"debruijn:2,x", "found 'x'"},
		{"debruijn:9,9", "endports"},
		{"ring:", "expected a number from 2 to"},
		{"slimfly:6", "Q = 6, expected a power of a prime"},
		{"slimfly:28", "Q = 28, expected a power of a prime"},
		{"slimfly:2", "expected a power of a prime from 3 on"},
		{"slimfly:1", "Q = 1, expected a power of a prime"},
		{"slimfly:0", "Q = 0, expected a power of a prime"},
		{"slimfly:257", "more than 254 ports"},
		{"slimfly:5,5", "expected slimfly:Q"},
		{"polarfly:12", "Q = 12, expected a power of a prime"},
		{"polarfly:251", "endports"},
		{"cascade:0", "expected 1 to 961 groups"},
		{"cascade:2,0", "0 cables each to others, expected 1 to 1 groups"},
		{"tsubame:3", "expected tsubame:2"},
		{"tsubame:2,parallel=2", "has its own hosts"},
		{"tsubame:2,hosts=3", "tsubame says itself how many hosts"},
		{"director:0,1,1,1", "expected at least one of each"},
		{"hypercube:16", "expected a number from 1 to 15"},
		{"published:nowhere", "unknown name 'nowhere'"},
		{"published:odin,parallel=2", "has its own hosts and cables"},
		/* sizes */
		{"ring:48000", "96000 endports"},
		{"torus:48000x48000x48000x48000x48000x48000", "expected at most 48000"},
		{"xgft:48000,48000,48000:1,48000,48000", "expected at most 48000"},
		{"hyperx:300", "300 ports on a switch, expected at most 254"},
		{"ring:4,parallel=254", "509 ports on a switch"},
		{"ring:4,ports=254,aggregation=1", "255 ports on a switch"},
		{"mesh:150x150,ports=254", "switch ports in all"},
		{"random:24000,1,hosts=0", "cannot be connected"},
		{"ring:300,hosts=100,lids=1,lmc=7", "more LIDs than"},
	};

	for (size_t i = 0; i < ARRAY_LEN(want); i++) {
		struct fabric *f = NULL;
		struct err e = {0};

		assert_int_equal(synth_make(want[i].spec, &f, &e), -1);
		assert_null(f);
		if (!strstr(e.msg, want[i].part))
			fail_msg("%s: message is \"%s\"", want[i].spec, e.msg);
	}
}

static void test_is_spec(void **state)
{
	assert_true(synth_is_spec("torus:4x4"));
	assert_true(synth_is_spec("torsu:4x4"));
	assert_false(synth_is_spec("fabric.topo"));
	assert_false(synth_is_spec("./torus:4x4"));
	assert_false(synth_is_spec("torus"));
	assert_false(synth_is_spec(""));
}

/* Broken descriptions neither crash nor hang; what is made is sound. */
static void test_mutations(void **state)
{
	static const char *const seeds[] = {"xgft:4,4:1,2,shuffle=1",
					    "torus:3x3x3,fail=2",
					    "dragonfly:4,2,2,5",
					    "director:2,6,3,12,uplinks=2",
					    "random:24,4,seed=7",
					    "hyperx:3x4,lids=1",
					    "ring:8,hosts_on=2,aggregation=1",
					    "xgft:3,2:2,2,hosts_on=all",
					    "kautz:2,3,hosts_on=2",
					    "debruijn:3,2,fail=1",
					    "slimfly:4,hosts=0",
					    "polarfly:3,shuffle=1",
					    "regular:12,3,seed=4",
					    "cascade:1,10,hosts=0"};
	static const char letters[] = "0123456789,:x=ahlnopst";
	uint64_t rng = test_seed();

	for (unsigned round = 0; round < test_rounds(3000); round++) {
		AUTO_FABRIC struct fabric *f = NULL;
		struct err e = {0};
		AUTO_FREE char *spec = str_printf("%s", seeds[round % ARRAY_LEN(seeds)]);
		size_t len = strlen(spec);

		for (unsigned k = rng_below(&rng, 3) + 1; k; k--)
			spec[rng_below(&rng, (uint32_t)len)] = letters[rng_below(&rng, sizeof(letters) - 1)];
		if (rng_below(&rng, 4) == 0)
			spec[rng_below(&rng, (uint32_t)len)] = 0;
		if (synth_make(spec, &f, &e)) {
			assert_non_null(strchr(e.msg, ':'));
			continue;
		}
		assert_in_range(f->n_endports, 1, 48000);
		check_links(f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),		cmocka_unit_test(test_published_all),
		cmocka_unit_test(test_regular),		cmocka_unit_test(test_xgft_levels),
		cmocka_unit_test(test_two_port_hosts),	cmocka_unit_test(test_grid_ports),
		cmocka_unit_test(test_director_system), cmocka_unit_test(test_random_graph),
		cmocka_unit_test(test_same_seed),	cmocka_unit_test(test_shuffle),
		cmocka_unit_test(test_source_order),	cmocka_unit_test(test_lids),
		cmocka_unit_test(test_aggregation),	cmocka_unit_test(test_messages),
		cmocka_unit_test(test_is_spec),		cmocka_unit_test(test_mutations),
		cmocka_unit_test(test_graphs),		cmocka_unit_test(test_slimfly_wiring),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
