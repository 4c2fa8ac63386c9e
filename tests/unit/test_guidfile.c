/* GUID files. */
#include "tests/unit/formats.h"

static struct guid_file guids(const char *text, bool discard)
{
	struct guid_file g;

	guid_file_parse(&g, "g", text, strlen(text), discard);
	return g;
}

static void entry(const struct guid_file *g, size_t i, uint64_t guid, unsigned line, const char *rest)
{
	assert_in_range(i, 0, g->n - 1);
	assert_int_equal(g->l[i].guid, guid);
	assert_int_equal(g->l[i].line, line);
	assert_string_equal(g->l[i].rest, rest);
}

static void test_guid_lines(void **state)
{
	AUTO_BY(guid_file_free)
	struct guid_file g = guids(
		"# head\n\n  \t\n0x10\n \t0x20   rest of it  \n18\n010\n0x30#x\n0x40 # c\r\n0x50\r\n-1\n+7\n"
		"99999999999999999999 z\n0x60",
		false);

	assert_int_equal(g.stopped, 0);
	assert_int_equal(g.n, 11);
	entry(&g, 0, 0x10, 4, "");
	entry(&g, 1, 0x20, 5, "rest of it  ");
	entry(&g, 2, 18, 6, "");
	entry(&g, 3, 8, 7, "");
	entry(&g, 4, 0x30, 8, "#x");
	entry(&g, 5, 0x40, 9, "# c\r");
	entry(&g, 6, 0x50, 10, "");
	entry(&g, 7, UINT64_MAX, 11, "");
	entry(&g, 8, 7, 12, "");
	entry(&g, 9, UINT64_MAX, 13, "z");
	entry(&g, 10, 0x60, 14, "");
}

static void test_guid_stops(void **state)
{
	static const char *const bad[] = {"0002c903 x", "0x10,0x20", "word", "0x",
					  "\"0x10\"",	"0xg",	     "12ab", ";"};

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		AUTO_FREE char *s = str_printf("0x1\n# c\n%s\n0x2\n", bad[i]);
		struct guid_file g = guids(s, false);

		assert_int_equal(g.stopped, 3);
		assert_int_equal(g.n, 1);
		assert_int_equal(strncmp(g.why.msg, "g:3: found '", 12), 0);
		assert_non_null(strstr(g.why.msg, bad[i]));
		assert_non_null(strstr(g.why.msg, "expected a GUID in C notation"));
		guid_file_free(&g);
		g = guids(s, true);
		assert_int_equal(g.stopped, 0);
		assert_int_equal(g.n, 2);
		assert_int_equal(g.skipped, 1);
		assert_int_equal(g.first_skipped, 3);
		entry(&g, 1, 2, 4, "");
		guid_file_free(&g);
	}
}

/* A line is read 255 bytes at a time; what is left is a line of its own. */
static void test_guid_long_lines(void **state)
{
	char *s = str_printf("0x10 %250s0x20 tail\n0x30\n", "");
	struct guid_file g = guids(s, false);

	assert_int_equal(g.n, 3);
	entry(&g, 0, 0x10, 1, "");
	entry(&g, 1, 0x20, 1, "tail");
	entry(&g, 2, 0x30, 2, "");
	guid_file_free(&g);
	free(s);
	s = str_printf("#%254s0x20\n", ""); /* the second piece of a comment is no comment */
	g = guids(s, false);
	assert_int_equal(g.n, 1);
	entry(&g, 0, 0x20, 1, "");
	guid_file_free(&g);
	free(s);
	s = str_printf("%252s0x123\n", ""); /* cut within the number: 0x1 and 23 */
	g = guids(s, false);
	assert_int_equal(g.n, 2);
	entry(&g, 0, 1, 1, "");
	entry(&g, 1, 23, 1, "");
	guid_file_free(&g);
	free(s);
}

static void test_guid_files(void **state)
{
	struct guid_file g;

	guid_file_read(&g, "no/such/file", false, NULL);
	assert_int_equal(g.stopped, UINT_MAX);
	assert_int_equal(g.n, 0);
	assert_string_equal(g.why.msg, "no/such/file: cannot be opened: No such file or directory");
	guid_file_free(&g);
	g = guids("", false);
	assert_int_equal(g.stopped, 0);
	assert_int_equal(g.n, 0);
	guid_file_free(&g);
	guid_file_parse(&g, "g", "0x1\0 2\n0x3\n", 11, false); /* NUL ends a piece */
	assert_int_equal(g.n, 2);
	entry(&g, 0, 1, 1, "");
	guid_file_free(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_guid_lines),
		cmocka_unit_test(test_guid_stops),
		cmocka_unit_test(test_guid_long_lines),
		cmocka_unit_test(test_guid_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
