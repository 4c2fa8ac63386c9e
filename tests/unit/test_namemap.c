/* Node name maps. */
#include "tests/unit/formats.h"

static void test_name_map(void **state)
{
	static const char text[] =
		"# map\n0x20  \"Spine #2\"  # old\n0x10 \"Leaf one\"# c\n0x30 plain name   # c\n"
		"0x40\n0x10 \"second\"\nodd line\n0x50 \"open\n";
	AUTO_BY(warnings_free) struct warnings w = {0};
	AUTO_BY(name_map_free) struct name_map m;

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
}

/* Blanks of every kind behind a name without quotes; many names; one GUID three times; no line at all. */
static void test_name_map_odd(void **state)
{
	AUTO_TEXT struct text t = {0};
	AUTO_BY(warnings_free) struct warnings w = {0};
	AUTO_BY(name_map_free) struct name_map m;

	name_map_parse("m", "", 0, &m, &w);
	assert_int_equal(m.n, 0);
	assert_int_equal(w.n, 0);
	text_add(&t, "odd\nodder\n0x1 first\t \r\n0x1 second\n0x1 \"third\"\n0x2 tab!\v#\n0x3 \\\n");
	for (unsigned i = 100; i < 300; i++)
		text_add(&t, "0x%x \"name %u\"\n", 400 - i, i);
	name_map_parse("m", t.s, t.len, &m, &w);
	assert_int_equal(m.n, 203);
	assert_string_equal(m.name[0], "first");
	assert_string_equal(m.name[1], "tab!");
	assert_string_equal(m.name[3], "name 299");
	assert_int_equal(m.guid[3], 101);
	assert_int_equal(w.n, 3);
	assert_string_equal(w.w[0].text,
			    "m: 2 lines without a GUID (0x...) and skipped, the first is line 1");
	assert_int_equal(w.w[1].line, 4);
	assert_int_equal(w.w[2].line, 5);
}

static void test_name_map_missing(void **state)
{
	struct warnings w = {0};
	struct name_map m;
	struct err e = {0};

	assert_int_equal(name_map_load("no/such/map", &m, &w, NULL, &e), -1);
	assert_string_equal(e.msg, "no/such/map: cannot be opened: No such file or directory");
	assert_int_equal(m.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_name_map),
		cmocka_unit_test(test_name_map_odd),
		cmocka_unit_test(test_name_map_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
