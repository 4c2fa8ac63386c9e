/*
 * Words read by syntax lines: every command's and pane's own line with good, wrong and random words; what a
 * reading is where there are several; numbers at the edges of their ranges.
 */
#include "core/base/rng.h"
#include "core/session/command.h"
#include "fixture.h"

static struct session *routed(void)
{
	return make_session("synth xgft:3,3:1,2; route minhop");
}

/* A line read by a syntax line; what args_read() says. */
static int read_line(const struct session *s, const char *syntax, const struct arg_number *numbers,
		     const char *line, struct args *a, char ***argv, struct err *e)
{
	const char *rest;

	assert_int_equal(words_split(line, &rest, &a->argc, argv, e), 0);
	a->argv = *argv;
	return args_read(s, syntax, numbers, a, e);
}

static void forget(struct args *a, char **argv)
{
	words_free(a->argc, argv);
	args_free(a);
}

static void test_numbers(void **state)
{
	static const char *const none[] = {"",
					   " 1",
					   "1 ",
					   "-1",
					   "+1",
					   "1x",
					   "0x1",
					   "18446744073709551616",
					   "99999999999999999999",
					   "-18446744073709551615",
					   "4294967297"};
	uint64_t n = 7;

	for (size_t i = 0; i < ARRAY_LEN(none); i++)
		assert_false(number_of(none[i], 0, UINT32_MAX, &n));
	assert_int_equal(n, 7);
	assert_true(number_of("18446744073709551615", 0, UINT64_MAX, &n) && n == UINT64_MAX);
	assert_true(number_of("007", 7, 7, &n) && n == 7);
	assert_false(number_of("6", 7, 9, &n) || number_of("10", 7, 9, &n));
	assert_true(number_of_any("0x10", 0, 99, &n) && n == 16);
	assert_true(number_of_any("010", 0, 99, &n) && n == 8);
	assert_true(number_of_any("0", 0, 99, &n) && n == 0);
	assert_false(number_of_any("0x", 0, 99, &n) || number_of_any("08", 0, 99, &n));
	assert_false(number_of_any("0x10000000000000000", 0, UINT64_MAX, &n) ||
		     number_of_any("-0x1", 0, 9, &n));
	assert_true(number_of_hex("0xfFffFFFFffffFFFF", &n) && n == UINT64_MAX);
	assert_false(number_of_hex("10", &n) || number_of_hex("0xg", &n) || number_of_hex("0x", &n));
	assert_true(number_of_part("12/34", 2, 1, 99, &n) && n == 12);
}

/* Which of several readings is the one. */
static void test_readings(void **state)
{
	static const char cycle[] = "x [LAYER [GROUP [STEP]] [switches] | all [switches] | SRC DST [LAYER]]",
			  start[] = "x [ENGINE] [SWITCH [DST]] | [ENGINE] all | pair SWITCH SWITCH";
	AUTO_SESSION struct session *s = routed();
	struct args a;
	struct err e;
	char **argv;

	assert_int_equal(read_line(s, cycle, NULL, "x 3 2", &a, &argv, &e), 0);
	assert_true(a.form == 0 && args_number(&a, "LAYER", 9) == 3 && args_number(&a, "GROUP", 9) == 2);
	assert_false(args_has(&a, "switches") || args_get(&a, "SRC"));
	forget(&a, argv);
	assert_int_equal(read_line(s, cycle, NULL, "x node0001 node0002 4", &a, &argv, &e), 0);
	assert_true(args_get(&a, "SRC")->lid && args_get(&a, "DST")->id != args_get(&a, "SRC")->id);
	assert_int_equal(args_number(&a, "LAYER", 9), 4);
	forget(&a, argv);
	assert_int_equal(read_line(s, cycle, NULL, "x all switches", &a, &argv, &e), 0);
	assert_true(args_has(&a, "all") && args_end(&a, "switches") && !args_end(&a, "all"));
	forget(&a, argv);
	assert_int_equal(read_line(s, cycle, NULL, "x 16", &a, &argv, &e), -1);
	assert_non_null(strstr(e.msg, "found \"16\", expected a layer, 0 to 15"));
	forget(&a, argv);
	assert_int_equal(read_line(s, start, NULL, "x minhop leaf-01 node0001", &a, &argv, &e), 0);
	assert_string_equal(args_word(&a, "ENGINE", "-"), "minhop");
	assert_true(args_get(&a, "SWITCH") && args_get(&a, "DST"));
	forget(&a, argv);
	assert_int_equal(read_line(s, start, NULL, "x leaf-01 node0001", &a, &argv, &e), 0);
	assert_true(!args_get(&a, "ENGINE") && args_get(&a, "SWITCH") && args_get(&a, "DST"));
	forget(&a, argv);
	assert_int_equal(read_line(s, start, NULL, "x minhop all", &a, &argv, &e), 0);
	assert_true(args_has(&a, "all") && a.form == 1);
	forget(&a, argv);
	assert_int_equal(read_line(s, "x [NODE|NODE[PORT]]", NULL, "x leaf-01[2]", &a, &argv, &e), 0);
	assert_int_equal(a.arg[0].kind, KIND_PORT);
	forget(&a, argv);
	assert_int_equal(read_line(s, "x [NODE|NODE[PORT]]", NULL, "x leaf-01[99]", &a, &argv, &e), -1);
	assert_non_null(strstr(e.msg, "no port 99"));
	forget(&a, argv);
}

/* A number stands behind the small word that its key has. */
static void test_keys(void **state)
{
	static const struct arg_number numbers[] = {
		{.key = "rank N", .least = 1, .most = 3, .what = "a rank", .lead = "rank"},
		{.key = "EVENT", .most = 5},
		{.key = NULL},
	};
	static const char syntax[] = "x [EVENT] | write FILE [rank N] [failures N]";
	AUTO_SESSION struct session *s = session_new(all_engines, all_commands);
	struct args a;
	struct err e;
	char **argv;

	assert_int_equal(read_line(s, syntax, numbers, "x write f rank 2 failures 9", &a, &argv, &e), 0);
	assert_true(args_number(&a, "rank N", 0) == 2 && args_number(&a, "failures N", 0) == 9);
	assert_string_equal(args_word(&a, "FILE", ""), "f");
	forget(&a, argv);
	assert_int_equal(read_line(s, syntax, numbers, "x write f rank 4", &a, &argv, &e), -1);
	assert_string_equal(e.msg, "rank: found \"4\", expected a rank");
	forget(&a, argv);
	assert_int_equal(read_line(s, syntax, numbers, "x 6", &a, &argv, &e), 1);
	forget(&a, argv);
	assert_int_equal(read_line(s, syntax, numbers, "x write", &a, &argv, &e), 1);
	forget(&a, argv);
}

/* A word for one of the syntax: right mostly. */
static const char *some_word(const char *word, size_t len, uint64_t *seed, char *buf, size_t size)
{
	static const char *const others[] = {
		"node0001", "leaf-01", "leaf-01[2]",	       "3",  "minhop", "lmc=1",
		"*",	    "",	       "99999999999999999999", "-1", "seed=5", "spine-01",
		"all",	    "0x10"};
	size_t fixed = syntax_fixed(word, len);

	if (rng_below(seed, 5) && fixed)
		snprintf(buf, size, "%.*s%s", (int)fixed, word, fixed < len ? "7" : "");
	else
		snprintf(buf, size, "%s", others[rng_below(seed, ARRAY_LEN(others))]);
	return buf;
}

struct choice {
	const char *word[200];
	size_t len[200], n;
};

static void offer(void *ctx, const char *word, size_t len)
{
	struct choice *c = ctx;

	assert_true(c->n < ARRAY_LEN(c->word));
	c->word[c->n] = word;
	c->len[c->n++] = len;
}

/* Random words that the syntax led to: read, refused with a message, or they do not fit; never more. */
static void try_words(const struct session *s, const char *syntax, const struct arg_number *numbers,
		      uint64_t *seed)
{
	char buf[8][60], *argv[10] = {buf[0]};
	int argc = 1;
	struct args a;
	struct err e = {0};

	snprintf(buf[0], sizeof(buf[0]), "%.*s", (int)strcspn(syntax, " "), syntax);
	for (; argc < 8 && rng_below(seed, 8); argc++) {
		struct choice c = {.n = 0};

		syntax_next(syntax, argc, argv, offer, &c);
		if (!c.n)
			break;
		unsigned k = rng_below(seed, (unsigned)c.n);
		some_word(c.word[k], c.len[k], seed, buf[argc], sizeof(buf[argc]));
		argv[argc] = buf[argc];
	}
	a = (struct args){.argc = argc, .argv = argv};
	switch (args_read(s, syntax, numbers, &a, &e)) {
	case 0:
		assert_true(syntax_fits(syntax, argc, argv));
		assert_int_equal(a.n, argc - 1);
		for (int i = 0; i < a.n; i++) {
			const struct arg *x = &a.arg[i];

			assert_true(!x->small ||
				    (strlen(x->word) == x->len && !strncmp(x->word, x->name, x->len)));
			assert_true(x->kind != KIND_SWITCH || !x->id || x->id < s->fabric->n_nodes);
			assert_true(args_next(&a, "no such word", NULL) == NULL);
		}
		break;
	case -1:
		assert_true(e.msg[0]);
		break;
	default:
		break;
	}
	args_free(&a);
}

static void test_random_words(void **state)
{
	AUTO_SESSION struct session *s = routed();
	uint64_t seed = test_seed();
	size_t panes = 0;

	for (size_t t = 0; s->commands[t]; t++)
		for (const struct command *c = s->commands[t]; c->name; c++)
			for (unsigned i = 0; i < 40; i++)
				try_words(s, c->syntax, c->numbers, &seed);
	for (struct subcommand pane; command_find(s, "list", NULL)->subcommand(panes, &pane); panes++) {
		AUTO_FREE char *syntax = str_printf("%s %s", pane.name, pane.syntax);

		for (unsigned i = 0; i < 40; i++)
			try_words(s, syntax, NULL, &seed);
	}
	assert_true(panes > 40);
}

/* What was taken for another number is refused, with what was found and what was expected. */
static void test_refused(void **state)
{
	static const char *const lines[][2] = {
		{"cdg -18446744073709551615", "found \"-18446744073709551615\", expected a VL, 0 to 15"},
		{"cdg 18446744073709551617", "expected a VL"},
		{"shifts -18446744073709551613", "expected how many shifts to look at, from 1"},
		{"advise failures \"\"", "failures: found \"\", expected a number from 0 to"},
		{"fail random 1 seed=99999999999999999999",
		 "seed: found \"99999999999999999999\", expected a number"},
		{"fail random -18446744073709551615", "expected a number of links from 1"},
		{"survey pairs 2 seed=-1", "seed: found \"-1\""},
		{"survey links threads=4294967297", "expected threads from 1"},
		{"survey links shard 18446744073709551617/2", "shard: found"},
		{"quiz seed=18446744073709551616", "seed: found"},
		{"journal -18446744073709551616", "expected: journal"},
		{"load-map shift 4294967297", "pattern shift: found"},
		{"load-map random seed=-5", "seed: found"},
		{"export dot - cdg group 4294967297", "found \"4294967297\", expected the number of a group"},
		{"watch 1 rounds -18446744073709551615", "expected a number up to"},
		{"live wait 18446744073709551617", "expected seconds from 1"},
		{"list cycle 0 4294967297", "pane cycle: found \"4294967297\""},
		{"list advise failures \"\"", "failures: found"},
	};
	AUTO_SESSION struct session *s = routed();

	for (size_t i = 0; i < ARRAY_LEN(lines); i++)
		line_fails(s, lines[i][0], lines[i][1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),	     cmocka_unit_test(test_readings),
		cmocka_unit_test(test_keys),	     cmocka_unit_test(test_refused),
		cmocka_unit_test(test_random_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
