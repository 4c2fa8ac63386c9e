#include "tests/unit/fixture.h"

/* The cell as it is cut; what it is read from has nothing before its first byte, so that ASan sees who reads
 * there. */
static char *cut(const char *cell, int w, const struct cut *how, bool bare)
{
	char *s = str_dup(cell);
	AUTO_TEXT struct text t = {0};

	cut_cell(s, w, how, bare, &t);
	free(s);
	s = str_dup(text_str(&t));
	return s;
}

static void becomes(const char *cell, int w, const struct cut *how, bool bare, const char *want)
{
	AUTO_FREE char *got = cut(cell, w, how, bare);

	assert_string_equal(got, want);
}

static void test_empty(void **state)
{
	for (int w = 0; w < 12; w++) {
		becomes("", w, &(struct cut){0}, true, "");
		becomes("", w, &(struct cut){.head = 50, .most = 3, .pre = "a", .suf = "b"}, false, "");
	}
}

static void test_names(void **state)
{
	becomes("leaf-01", 20, &(struct cut){.head = 50}, false, "leaf-01");
	becomes("spine-of-room-17", 9, &(struct cut){.head = 100}, false, "spine-of…");
	becomes("spine-of-room-17", 9, &(struct cut){.head = 50}, false, "spin…m-17");
	becomes("spine-of-room-17", 12, &(struct cut){.head = 100, .pre = "spine-of-"}, false, "…room-17");
	becomes("leaf-01[12]", 20, &(struct cut){.head = 50}, false, "leaf-01[12]");
	/* GUIDs of a fabric begin alike */
	becomes("0x0002c90300a00040", 9, &(struct cut){.head = 100}, false, "0x…a00040");
	becomes("system 0x0002c90300a00040[3]", 12, &(struct cut){.head = 100}, false, "sy…a00040[3]");
	/* to compare: without the port */
	becomes("leaf-01[12]", 20, &(struct cut){.head = 50}, true, "leaf-01");
}

/* The work grows with the cell, not with its square: that would take hours here.  Signs of two bytes are not
 * cut. */
static void test_long(void **state)
{
	enum { LONG = 4000000 };
	AUTO_FREE char *cell = NEW_ARRAY(LONG + 1, char);

	memset(cell, 'a', LONG);
	memcpy(cell + LONG - 8, "\u00e9\u00e9\u00e9\u00e9", 8);
	becomes(cell, 7, &(struct cut){.head = 50}, false, "aaa…\u00e9\u00e9\u00e9");
	becomes(cell, 7, &(struct cut){.head = 0}, false, "…aa\u00e9\u00e9\u00e9\u00e9");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_long),
	};

	return cmocka_run_group_tests_name("columns", tests, NULL, NULL);
}
