/* What all names of a column share at begin and end. */
#include "fixture.h"
#include "views/base/view.h"

static struct affix noted(const char *const *name)
{
	struct affix a = {0};

	for (; *name; name++)
		affix_note(&a, *name, (int)strlen(*name));
	return a;
}

/* What is left out, as "BEGIN|END", and what is left of the first name. */
static void shares(const char *const *name, const char *ends, const char *rest)
{
	struct affix a = noted(name);
	AUTO_TEXT struct text t = {0};
	size_t pre, suf;

	affix_get(&a, &pre, &suf);
	text_add(&t, "%.*s|%s", (int)pre, a.like, a.like + a.len - suf);
	assert_string_equal(text_str(&t), ends);
	t.len = 0;
	affix_strip(&a, pre, suf, name[0], &t);
	assert_string_equal(text_str(&t), rest);
	affix_free(&a);
}

#define SHARES(ends, rest, ...) shares((const char *const[]){__VA_ARGS__, NULL}, ends, rest)

static void test_names(void **state)
{
	SHARES("MF0;|:MQM8700/U1", "LG01-02", "MF0;LG01-02:MQM8700/U1", "MF0;MSP-1:MQM8700/U1");
	/* words and numbers stay whole */
	SHARES("luna-|", "0474 mlx5_9", "luna-0474 mlx5_9", "luna-0475 mlx5_8");
	SHARES("spine|", "11", "spine11", "spine12");
	SHARES("|", "selene-1", "selene-1", "server-1");
	/* one name, or the same one everywhere, is no reason to leave anything out */
	SHARES("|", "MF0;a:b", "MF0;a:b");
	SHARES("|", "MF0;a:b", "MF0;a:b", "MF0;a:b");
	/* too little to be worth it */
	SHARES("|", "r-1", "r-1", "r-2");
	/* something is left of the shortest */
	SHARES("abc-def-|", "x-def", "abc-def-x-def", "abc-def-def");
}

static void test_ports(void **state)
{
	SHARES("MF0;|:U1", "a1[12]", "MF0;a1:U1[12]", "MF0;b:U1[12]", "-", "");
	assert_int_equal(affix_name_len("x[12]"), 1);
	assert_int_equal(affix_name_len("x[]"), 3);
	assert_int_equal(affix_name_len("[12]"), 4);
	assert_int_equal(affix_name_len("x[a]"), 4);
	assert_int_equal(affix_name_len("x [41])"), 7);
}

/* A name that has not what the others share is shown whole, and what is shared shrinks. */
static void test_odd_one(void **state)
{
	struct affix a = noted((const char *const[]){"MF0;a:U1", "MF0;b:U1", NULL});
	AUTO_TEXT struct text t = {0};
	size_t pre, suf;

	affix_get(&a, &pre, &suf);
	affix_strip(&a, pre, suf, "host[1]", &t);
	assert_string_equal(text_str(&t), "host[1]");
	affix_note(&a, "host[1]", 7);
	affix_get(&a, &pre, &suf);
	assert_int_equal(pre + suf, 0);
	assert_int_equal(a.widest, 8);
	affix_free(&a);
}

/* Characters of several bytes are not torn apart. */
static void test_utf8(void **state)
{
	struct affix a = noted((const char *const[]){"sw\xc3\xa4z", "sw\xc3\xb6z", NULL});
	size_t pre, suf;

	affix_most(&a, &pre, &suf);
	assert_int_equal(pre, 2);
	assert_int_equal(suf, 1);
	affix_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_ports),
		cmocka_unit_test(test_odd_one),
		cmocka_unit_test(test_utf8),
	};

	return cmocka_run_group_tests_name("affix", tests, NULL, NULL);
}
