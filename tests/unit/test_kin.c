/* views/base/kin: what names of one form share is left out, and what tells them apart stays. */
#include "fixture.h"
#include "core/base/hostlist.h"

static void cut_is(const struct kin *k, const char *name, unsigned w, const char *expected)
{
	AUTO_TEXT struct text t = {0};

	kin_cut(k, name, w, &t);
	assert_string_equal(text_str(&t), expected);
}

static struct kin noted(const char *const *name)
{
	struct kin k = {0};

	for (; *name; name++)
		kin_note(&k, *name);
	return k;
}

#define NOTED(...) noted((const char *const[]){__VA_ARGS__, NULL})

static void test_forms(void **state)
{
	struct kin k = NOTED("MF0;sat11-0101-0901-01ib1-A:MCS8500/S01/U1", "SAT111092905053 ibp213s0f0",
			     "MF0;sat11-0101-0903-01ib1-A:MCS8500/L16/U2", "SAT111092905037 ibp11s0f0");

	/* as much of the begin as fits; numbers are whole, and a letter stays with its number */
	cut_is(&k, "MF0;sat11-0101-0901-01ib1-A:MCS8500/S01/U1", 42,
	       "MF0;sat11-0101-0901-01ib1-A:MCS8500/S01/U1");
	cut_is(&k, "MF0;sat11-0101-0901-01ib1-A:MCS8500/S01/U1", 39,
	       "MF0;sat11-0101-0901-01ib1-A:MCS…S01/U1");
	cut_is(&k, "MF0;sat11-0101-0901-01ib1-A:MCS8500/S01/U1", 24, "MF0;sat11-…0901…S01/U1");
	cut_is(&k, "MF0;sat11-0101-0903-01ib1-A:MCS8500/L16/U2", 12, "…0903…L16/U2");
	cut_is(&k, "SAT111092905037 ibp11s0f0", 24, "SAT111092905037 …11s0f0");
	cut_is(&k, "SAT111092905053 ibp213s0f0", 20, "SAT111092905053…213…");
	/* more than is shared is not cut here; an unknown form stays */
	cut_is(&k, "MF0;sat11-0101-0903-01ib1-A:MCS8500/L16/U2", 5, "…0903…L16/U2");
	cut_is(&k, "another one altogether", 8, "another one altogether");
	kin_free(&k);
}

static void test_ends(void **state)
{
	struct kin k = NOTED("hall-a rack[1] → hall-b rack[1]", "hall-a rack[1] → hall-c rack[1]",
			     "hall-a rack[1] → hall-b rack[2]");

	cut_is(&k, "hall-a rack[1] → hall-b rack[1]", 16, "…[1] → …b …[1]");
	kin_free(&k);
	/* one name tells nothing of what is shared */
	k = NOTED("hall-a rack-1", "hall-a rack-1");
	cut_is(&k, "hall-a rack-1", 6, "hall-a rack-1");
	kin_free(&k);
	/* characters are counted, not bytes */
	k = NOTED("Höhe-1", "Höhe-2");
	cut_is(&k, "Höhe-1", 6, "Höhe-1");
	cut_is(&k, "Höhe-1", 5, "…1");
	kin_free(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
