/*
 * tui/answer: the answer to OSC 11, and whatever else the terminal says, in whatever parts, never becomes
 * keys; Esc of a person is one within 50 ms.
 */
#include "tests/unit/fixture.h"

#define WHITE "]11;rgb:ffff/ffff/ffff"

/* Reads all of a part as the terminal's reader does: Esc with a key behind it is Meta. Returns the keys. */
static const char *read_part(struct answer *a, const char *part, double now, char *keys, size_t size)
{
	size_t n = 0;

	for (keycode k = 0; k != K_NONE;) {
		if (a->n_back) {
			k = answer_back(a);
		} else if (!*part) {
			k = K_NONE;
		} else {
			k = (keycode)*part++;
			if (k == K_ESC && *part)
				k = (keycode)*part++ | KEYF_META;
		}
		k = answer_key(a, k, now);
		if (k == K_NONE || k == NO_KEY || k == K_SEQUENCE)
			continue;
		assert_true(n + 2 < size);
		if (k & KEYF_META)
			keys[n++] = 'M';
		keys[n++] = k == K_ESC ? 'E' : (char)(k & 0x7f);
	}
	keys[n] = 0;
	return keys;
}

static void test_in_parts(void **state)
{
	static const char *const ends[] = {"\a", "\033\\"};
	char whole[64], part[64], keys[64];

	for (size_t e = 0; e < ARRAY_LEN(ends); e++)
		for (size_t at = 1; at <= strlen("\033" WHITE) + strlen(ends[e]); at++) {
			struct answer a = {.asked = true};

			snprintf(whole, sizeof(whole), "\033" WHITE "%s", ends[e]);
			snprintf(part, sizeof(part), "%.*s", (int)at, whole);
			assert_string_equal(read_part(&a, part, 5.0, keys, sizeof(keys)), "");
			assert_string_equal(read_part(&a, whole + at, 5.04, keys, sizeof(keys)), "");
			assert_string_equal(a.text, "11;rgb:ffff/ffff/ffff");
			assert_false(a.asked);
			assert_string_equal(read_part(&a, "x\033", 6, keys, sizeof(keys)), "xE");
		}
}

/* A terminal that never answers: Esc is a key 50 ms later, the second one at once. */
static void test_never_answered(void **state)
{
	struct answer a = {.asked = true};
	char keys[64];

	assert_string_equal(read_part(&a, "\033", 5.0, keys, sizeof(keys)), "");
	assert_string_equal(read_part(&a, "", 5.04, keys, sizeof(keys)), "");
	assert_string_equal(read_part(&a, "", 5.06, keys, sizeof(keys)), "E");
	assert_string_equal(read_part(&a, "\033", 5.07, keys, sizeof(keys)), "E");
	/* after all, and its Esc was taken for a key: the rest is none */
	assert_string_equal(read_part(&a, WHITE "\a", 5.2, keys, sizeof(keys)), "");
	assert_string_equal(a.text, "11;rgb:ffff/ffff/ffff");
}

/* What is typed is typed, at once or as soon as it cannot be an answer. */
static void test_typed(void **state)
{
	static const struct {
		const char *typed, *keys;
	} cases[] = {
		{"\033", ""},	     {"\033q", "Mq"},	   {"q\033", "qE"}, {"]11;", "]11;"},
		{"\033P\r", "MP\r"}, {"\033_\033_", "M_"}, /* repeated: the second one is held */
	};
	char keys[64];

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct answer a = {.asked = true};

		assert_string_equal(read_part(&a, cases[i].typed, 5.0, keys, sizeof(keys)), cases[i].keys);
	}
	for (int rest = 0; rest < 2; rest++) { /* Esc in a part of its own */
		struct answer a = {.asked = true};

		assert_string_equal(read_part(&a, "\033", 5.0, keys, sizeof(keys)), "");
		assert_string_equal(read_part(&a, rest ? "]1-\a" : "q", 5.01, keys, sizeof(keys)),
				    rest ? "" : "Eq");
	}
	for (int rest = 0; rest < 2; rest++) { /* behind a typed key */
		struct answer a = {.asked = true};

		assert_string_equal(read_part(&a, "x\033", 5.0, keys, sizeof(keys)), "xE");
		assert_string_equal(read_part(&a, rest ? "]1-" : "]", 5.01, keys, sizeof(keys)),
				    rest ? "]1-" : "]");
	}
}

/* Strings and sequences that nobody asked for, cut at any place, before and behind the person's first key. */
static void test_unasked(void **state)
{
	static const struct {
		const char *said, *sequence;
	} cases[] = {
		{"\033]0;title q\a", NULL},
		{"\033]lq\r:quit\r\033\\", NULL},
		{"\033]\a", NULL},
		{"\033]52;c;cXF4cXFxcXFxcXFxcXFxcXFxcXFxcXFxcXFxcXFxcXFxcXFxcXFxcXFxcXFxcXFxcXFxcXFx\a",
		 NULL},
		{"\033]11;rgb:ffff/ffff/ffff\a", NULL},
		{"\033P1$r0m\a\033\\", NULL},
		{"\033_Gi=1;OK\033\\", NULL},
		{"\033^q\033\\", NULL},
		{"\033Xq\033\\", NULL},
		{"\033[I", "[I"},
		{"\033[4~", "[4~"},
		{"\033[?1;2c", "[?1;2c"},
		{"\033[1;5D", "[1;5D"},
		{"\033[?2026;2$y", "[?2026;2$y"},
		{"\033[[A", "[[A"},
		{"\033Oj", "Oj"},
	};
	char part[128], keys[64];

	for (unsigned c = 0; c < 2 * ARRAY_LEN(cases); c++) {
		const char *said = cases[c / 2].said, *sequence = cases[c / 2].sequence;

		for (size_t at = 2; at <= strlen(said); at++) {
			struct answer a = {.typed = c % 2};

			snprintf(part, sizeof(part), "%.*s", (int)at, said);
			assert_string_equal(read_part(&a, part, 5.0, keys, sizeof(keys)), "");
			assert_string_equal(
				read_part(&a, said + at, at == 2 ? 5.04 : 5.9, keys, sizeof(keys)), "");
			if (sequence) {
				assert_int_equal(a.kind, *sequence);
				assert_string_equal(a.text, sequence + 1);
			}
			assert_string_equal(read_part(&a, "x\033", 6, keys, sizeof(keys)), "xE");
		}
	}
}

/* A key of a person that begins like a sequence, and a string whose end never comes. */
static void test_cut(void **state)
{
	static const char *const typed[] = {"\033[", "\033]", "\033P", "\033O", "\033_", "\033^"};
	struct answer a = {0};
	char keys[64];

	for (size_t i = 0; i < ARRAY_LEN(typed); i++) {
		const char meta[] = {'M', typed[i][1], 0};

		assert_string_equal(read_part(&a, typed[i], 5.0, keys, sizeof(keys)), "");
		assert_string_equal(read_part(&a, "", 5.06, keys, sizeof(keys)), meta);
		assert_string_equal(read_part(&a, "q", 5.1, keys, sizeof(keys)), "q");
	}
	assert_string_equal(read_part(&a, "\033P12", 5.0, keys, sizeof(keys)), "");
	assert_string_equal(read_part(&a, "34", 5.9, keys, sizeof(keys)), "");
	assert_string_equal(read_part(&a, "", 6.8, keys, sizeof(keys)), "");
	assert_string_equal(read_part(&a, "56", 6.85, keys, sizeof(keys)), "");
	assert_string_equal(read_part(&a, "", 7.9, keys, sizeof(keys)), "");
	assert_string_equal(read_part(&a, "q", 8, keys, sizeof(keys)), "q");
	assert_string_equal(read_part(&a, "\033]0;x\003q", 9, keys, sizeof(keys)), "\003q"); /* C-c ends it */
	assert_string_equal(read_part(&a, "\033[4\033[5~q", 9, keys, sizeof(keys)), "q");
	assert_string_equal(read_part(&a, "\033[4\rq", 9, keys, sizeof(keys)), "\rq");
	/* asked, and never answered: M-] of a person is held for longer, and is a key when another one comes
	 */
	a.asked = true;
	assert_string_equal(read_part(&a, "\033]", 10, keys, sizeof(keys)), "");
	assert_string_equal(read_part(&a, "", 10.1, keys, sizeof(keys)), "");
	assert_string_equal(read_part(&a, "x", 10.2, keys, sizeof(keys)), "M]x");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_in_parts), cmocka_unit_test(test_never_answered),
		cmocka_unit_test(test_typed),	 cmocka_unit_test(test_unasked),
		cmocka_unit_test(test_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
