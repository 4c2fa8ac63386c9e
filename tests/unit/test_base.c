#include "core/base/err.h"
#include "core/base/glob.h"
#include "core/base/progress.h"
#include "core/base/rng.h"
#include "core/base/text.h"
#include "tests/unit/fixture.h"

static void test_glob(void **state)
{
	(void)state;
	assert_true(glob_match("leaf-*", "Leaf-03"));
	assert_true(glob_match("*", ""));
	assert_true(glob_match("a?c", "abc"));
	assert_true(glob_match("a[b-d]e", "ace"));
	assert_false(glob_match("a[!b-d]e", "ace"));
	assert_true(glob_match("a[!b-d]e", "axe"));
	assert_true(glob_match("*a*b*", "xxaxxbxx"));
	assert_false(glob_match("leaf", "leaf-1"));
	assert_false(glob_match("?", ""));
	assert_true(glob_match("x[", "x["));
	assert_true(glob_match("[]]", "]"));
}

static void test_text(void **state)
{
	struct text t = {0};

	(void)state;
	assert_string_equal(text_str(&t), "");
	for (int i = 0; i < 1000; i++)
		text_add(&t, "%d,", i);
	assert_int_equal(t.len, 10 * 2 + 90 * 3 + 900 * 4);
	assert_true(!strncmp(t.s, "0,1,2,", 6));
	text_putc(&t, 'x');
	assert_int_equal(t.s[t.len - 1], 'x');
	text_free(&t);
	assert_null(t.s);
}

static void test_err(void **state)
{
	struct err e;

	(void)state;
	assert_int_equal(err_set(&e, "line %d", 7), -1);
	assert_string_equal(e.msg, "line 7");
	assert_int_equal(err_set(NULL, "nobody listens"), -1);
}

static void test_guid_key(void **state)
{
	/* the order named in the comment of OpenSM's tables: last byte first */
	uint64_t in_order[] = {0xa00000, 0xa00100, 0xa00010, 0xa00110, 0xa00020};

	(void)state;
	for (size_t i = 1; i < ARRAY_LEN(in_order); i++)
		assert_true(guid_key(in_order[i - 1]) < guid_key(in_order[i]));
}

static void test_rng(void **state)
{
	uint64_t a = 5, b = 5, seen = 0;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		uint32_t x = rng_below(&a, 10);

		assert_int_equal(x, rng_below(&b, 10));
		assert_true(x < 10);
		seen |= 1u << x;
	}
	assert_int_equal(seen, 0x3ff);
}

static void test_progress(void **state)
{
	struct progress p = {0};

	(void)state;
	assert_true(progress_step(NULL, 3));
	progress_start(&p, "work", 10);
	assert_true(progress_step(&p, 4));
	assert_int_equal(p.done, 4);
	p.cancel = true;
	assert_false(progress_step(&p, 5));
}

static void test_plural(void **state)
{
	static const struct {
		uint64_t n;
		const char *one, *text;
	} cases[] = {
		{0, "hop", "0 hops"},
		{1, "hop", "1 hop"},
		{2, "hop", "2 hops"},
		{1, "entry", "1 entry"},
		{2, "entry", "2 entries"},
		{2, "way", "2 ways"},
		{2, "switch", "2 switches"},
		{2, "leaf", "2 leaves"},
		{2, "pass", "2 passes"},
		{2, "box", "2 boxes"},
		{1, "more entry", "1 more entry"},
		{3, "more entry", "3 more entries"},
	};
	char small[5];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_string_equal(PLURAL(cases[i].n, cases[i].one), cases[i].text);
	assert_string_equal(plural(12345, "link", small, sizeof(small)), "1234");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_glob),	 cmocka_unit_test(test_text), cmocka_unit_test(test_err),
		cmocka_unit_test(test_guid_key), cmocka_unit_test(test_rng),  cmocka_unit_test(test_progress),
		cmocka_unit_test(test_plural),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
