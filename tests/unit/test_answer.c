/* tui/answer: the answer to OSC 11, in whatever parts, never becomes keys; Esc of a person is one within 50
 * ms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "core/base/defs.h"
#include "tui/answer.h"

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
		if (k == K_NONE || k == NO_KEY)
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

	(void)state;
	for (size_t e = 0; e < ARRAY_LEN(ends); e++)
		for (size_t at = 1; at <= strlen("\033" WHITE) + strlen(ends[e]); at++) {
			struct answer a = {.asked = true};

			snprintf(whole, sizeof(whole), "\033" WHITE "%s", ends[e]);
			snprintf(part, sizeof(part), "%.*s", (int)at, whole);
			assert_string_equal(read_part(&a, part, 5.0, keys, sizeof(keys)), "");
			assert_string_equal(read_part(&a, whole + at, 5.04, keys, sizeof(keys)), "");
			assert_string_equal(a.rgb, "rgb:ffff/ffff/ffff");
			assert_false(a.asked);
			assert_string_equal(read_part(&a, "x\033", 6, keys, sizeof(keys)), "xE");
		}
}

/* A terminal that never answers: Esc is a key 50 ms later, the second one at once. */
static void test_never_answered(void **state)
{
	struct answer a = {.asked = true};
	char keys[64];

	(void)state;
	assert_string_equal(read_part(&a, "\033", 5.0, keys, sizeof(keys)), "");
	assert_string_equal(read_part(&a, "", 5.04, keys, sizeof(keys)), "");
	assert_string_equal(read_part(&a, "", 5.06, keys, sizeof(keys)), "E");
	assert_string_equal(read_part(&a, "\033", 5.07, keys, sizeof(keys)), "E");
	/* after all, and its Esc was taken for a key: the rest is none */
	assert_string_equal(read_part(&a, WHITE "\a", 5.2, keys, sizeof(keys)), "");
	assert_string_equal(a.rgb, "rgb:ffff/ffff/ffff");
}

/* What is typed is typed, at once or as soon as it cannot be an answer. */
static void test_typed(void **state)
{
	static const struct {
		const char *typed, *keys;
	} cases[] = {
		{"\033", ""},
		{"\033q", "Mq"},
		{"q\033", "qE"},
		{"\033]x", "M]x"},
		{"\033]1x", "M]1x"},
		{"\033]11x", "M]11x"},
		{"\033]11x\033", "M]11xE"},
		{"]11;", "]11;"},
	};
	char keys[64];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct answer a = {.asked = true};

		assert_string_equal(read_part(&a, cases[i].typed, 5.0, keys, sizeof(keys)), cases[i].keys);
	}
	for (int rest = 0; rest < 2; rest++) { /* Esc in a part of its own */
		struct answer a = {.asked = true};

		assert_string_equal(read_part(&a, "\033", 5.0, keys, sizeof(keys)), "");
		assert_string_equal(read_part(&a, rest ? "]1-" : "q", 5.01, keys, sizeof(keys)),
				    rest ? "E]1-" : "Eq");
	}
	for (int rest = 0; rest < 2; rest++) { /* behind a typed key */
		struct answer a = {.asked = true};

		assert_string_equal(read_part(&a, "x\033", 5.0, keys, sizeof(keys)), "xE");
		assert_string_equal(read_part(&a, rest ? "]1-" : "]", 5.01, keys, sizeof(keys)),
				    rest ? "]1-" : "]");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_in_parts),
		cmocka_unit_test(test_never_answered),
		cmocka_unit_test(test_typed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
