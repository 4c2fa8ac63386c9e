/* Node name maps. */
#include "tests/unit/formats.h"

static void test_name_map(void **state)
{
	static const char text[] =
		"# map\n0x20  \"Spine #2\"  # old\n0x10 \"Leaf one\"# c\n0x30 plain name   # c\n"
		"0x40\n0x10 \"second\"\nodd line\n0x50 \"open\n";
	struct warnings w = {0};
	struct name_map m;

	(void)state;
	name_map_parse("m", text, sizeof(text) - 1, &m, &w);
	assert_int_equal(m.n, 4);
	assert_int_equal(m.guid[0], 0x10);
	assert_string_equal(m.name[0], "Leaf one");
	assert_int_equal(m.guid[1], 0x20);
	assert_string_equal(m.name[1], "Spine "); /* OpenSM ends a name at '#' too */
	assert_string_equal(m.name[2], "plain name");
	assert_string_equal(m.name[3], "open");
	assert_int_equal(w.n, 3);
	assert_string_equal(w.w[0].text, "m: 1 line without a GUID (0x...) and skipped, the first is line 7");
	assert_string_equal(w.w[1].kind, "duplicate GUID");
	assert_int_equal(w.w[1].line, 6);
	assert_string_equal(w.w[2].text, "m:5: found no name behind 0x0000000000000040, expected \"name\"");
	warnings_free(&w);
	name_map_free(&m);
}

static void test_name_map_missing(void **state)
{
	struct warnings w = {0};
	struct name_map m;
	struct err e = {""};

	(void)state;
	assert_int_equal(name_map_load("no/such/map", &m, &w, NULL, &e), -1);
	assert_string_equal(e.msg, "no/such/map: cannot be opened: No such file or directory");
	assert_int_equal(m.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_name_map),
		cmocka_unit_test(test_name_map_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
