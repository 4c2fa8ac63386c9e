/* The reader of libibnetdisc caches. */
#include "tests/unit/formats.h"

static void test_cache(void **state)
{
	AUTO_FABRIC struct fabric *a = load(FILES "two-leaf.ibnetdiscover");
	AUTO_FABRIC struct fabric *b = load(FILES "two-leaf.cache");

	/* ibsim runs the ports of routers at SDR */
	a->port_speed[port(a, 0x6000, 2)] = a->port_speed[port(a, 0x3000, 3)] = SPEED_SDR;
	assert_string_equal(b->format, "cache");
	assert_int_equal(b->warnings.n, 0);
	same_fabric(a, b);
	assert_int_equal(b->port_state[port(b, 0x2000, 3)], PORT_INIT);
	assert_int_equal(b->port_state[port(b, 0x2000, 8)], PORT_DOWN);
	assert_int_equal(b->switch_fdb_cap[0], 49152);
	assert_int_equal(sm_node(b), 0x1000); /* where the discovery began */
}

static void test_cache_cut(void **state)
{
	size_t size;
	AUTO_FREE char *data = read_all(FILES "two-leaf.cache", &size);

	for (size_t n = 4; n < size; n++)
		refused_n(data, n, "the libibnetdisc cache is cut off or damaged");
}

static void test_cache_damaged(void **state)
{
	size_t size;
	AUTO_FREE char *data = read_all(FILES "two-leaf.cache", &size);

	data[4] = 2;
	refused_n(data, size, "x: found version 2 of the libibnetdisc cache, expected version 1");
	data[4] = 1;
	char keep = data[8];
	data[11] = 0x7f;
	refused_n(data, size, "cut off or damaged");
	data[11] = 0;
	data[8] = keep;
	data[28 + 76] = 9; /* type of the first node */
	refused_n(data, size, "x: found node type 9 at 0x");
}

/* Any single byte may be wrong: refused or read, never more than that (sanitizers watch). */
static void test_cache_any_byte(void **state)
{
	size_t size;
	AUTO_FREE char *data = read_all(FILES "two-leaf.cache", &size);
	unsigned loaded = 0, bad = 0;
	uint64_t seed = test_seed();

	for (size_t i = 4; i < size; i++) {
		if (!test_drawn(seed, i, 4))
			continue;
		struct fabric *f = NULL;
		struct err e;
		char keep = data[i];

		data[i] ^= 0xff;
		if (fabric_parse("x", data, size, &f, &e))
			bad++;
		else
			loaded++;
		fabric_unref(f);
		data[i] = keep;
	}
	assert_true(loaded > 0);
	assert_true(bad > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cache),
		cmocka_unit_test(test_cache_cut),
		cmocka_unit_test(test_cache_damaged),
		cmocka_unit_test(test_cache_any_byte),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
