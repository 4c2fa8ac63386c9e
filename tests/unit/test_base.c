#include <errno.h>
#include <limits.h>
#include <sys/wait.h>

#include "core/base/clean.h"
#include "core/base/json.h"
#include "core/base/rng.h"
#include "tests/unit/fixture.h"

static void test_glob(void **state)
{
	static const struct {
		const char *glob, *text;
		bool matches;
	} cases[] = {
		{"leaf-*", "Leaf-03", true},
		{"*", "", true},
		{"a?c", "abc", true},
		{"a[b-d]e", "ace", true},
		{"a[!b-d]e", "ace", false},
		{"a[!b-d]e", "axe", true},
		{"*a*b*", "xxaxxbxx", true},
		{"leaf", "leaf-1", false},
		{"?", "", false},
		{"x[", "x[", true},
		{"[]]", "]", true},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		if (glob_match(cases[i].glob, cases[i].text) != cases[i].matches)
			fail_msg("%s and \"%s\"", cases[i].glob, cases[i].text);
}

static void test_text(void **state)
{
	struct text t = {0};

	assert_string_equal(text_str(&t), "");
	for (int i = 0; i < 1000; i++)
		text_add(&t, "%d,", i);
	assert_int_equal(t.len, 10 * 2 + 90 * 3 + 900 * 4);
	assert_true(!strncmp(t.s, "0,1,2,", 6));
	text_putc(&t, 'x');
	assert_int_equal(t.s[t.len - 1], 'x');
	text_free(&t);
	assert_null(t.s);
	text_csv(&t, "plain  #;");
	text_csv(&t, "a,b");
	text_csv(&t, "say \"x\"");
	text_csv(&t, "");
	text_csv(&t, "\n");
	assert_string_equal(text_str(&t), "plain  #;\"a,b\"\"say \"\"x\"\"\"\"\n\"");
	text_free(&t);
}

static void test_err(void **state)
{
	struct err e;

	assert_int_equal(err_set(&e, "line %d", 7), -1);
	assert_string_equal(e.msg, "line 7");
	assert_int_equal(err_set(NULL, "nobody listens"), -1);
}

static void test_guid_key(void **state)
{
	/* the order named in the comment of OpenSM's tables: last byte first */
	uint64_t in_order[] = {0xa00000, 0xa00100, 0xa00010, 0xa00110, 0xa00020};

	for (size_t i = 1; i < ARRAY_LEN(in_order); i++)
		assert_true(guid_key(in_order[i - 1]) < guid_key(in_order[i]));
}

static void test_rng(void **state)
{
	uint64_t a = 5, b = 5, seen = 0;

	for (int i = 0; i < 1000; i++) {
		uint32_t x = rng_below(&a, 10);

		assert_int_equal(x, rng_below(&b, 10));
		assert_true(x < 10);
		seen |= 1u << x;
	}
	assert_int_equal(seen, 0x3ff);
}

static unsigned arena_ended[2], arena_ends;

static void arena_test_end(void *p)
{
	unsigned *which = p;

	arena_ended[arena_ends++] = *which;
}

/* Blocks stay whole while their neighbours grow, move and go; the sanitizers see what is lost. */
static void test_arena(void **state)
{
	AUTO_ARENA void *top = ARENA_EMPTY;
	struct text **list = NULL;
	unsigned which[2] = {1, 2};
	size_t n = 0, cap = 0;
	char *name[3];

	for (int i = 0; i < 3; i++)
		name[i] = arena_str(top, "name");
	for (; n < 1000; n++) {
		ARENA_GROW(top, list, n, cap);
		list[n] = ARENA_NEW(list, struct text); /* the owner moves as it grows */
		assert_null(list[n]->s);
		list[n]->s = arena_dup(list[n], "text", 5);
	}
	arena_free(name[1]);
	for (int i = 0; i < 3; i += 2) {
		name[i] = arena_resize(top, name[i], 100000, 1);
		assert_string_equal(name[i], "name");
	}
	for (size_t i = 0; i < n; i++)
		assert_string_equal(list[i]->s, "text");
	for (int i = 0; i < 2; i++)
		arena_end(list, arena_test_end, &which[i]);
	arena_free(list);
	assert_int_equal(arena_ends, 2);
	assert_true(arena_ended[0] == 2 && arena_ended[1] == 1); /* the last first */
	arena_free(NULL);
}

static void test_progress(void **state)
{
	struct progress p = {0};

	assert_true(progress_step(NULL, 3));
	progress_start(&p, "work", 10);
	assert_true(progress_step(&p, 4));
	assert_int_equal(p.done, 4);
	p.cancel = true;
	assert_false(progress_step(&p, 5));
}

static int mark_piece(void *ctx, unsigned worker, unsigned i, struct progress *p, struct err *e)
{
	if (i == 90)
		return err_set(e, "piece %u", i);
	((unsigned char *)ctx)[i]++;
	return 0;
}

/* Each piece is done once; who waits is told what is done, and how much of it. */
static void test_parallel(void **state)
{
	unsigned char done[100] = {0};
	struct parallel j = {.n = 80, .threads = 3, .work = mark_piece, .ctx = done};
	struct progress p = {0};
	struct err e = {0};

	assert_int_equal(parallel_run(&j, "pieces", &p, &e), 0);
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(done[i], i < 80);
	assert_string_equal(p.what, "pieces");
	assert_int_equal(p.total, 80);
	assert_int_equal(p.done, 80);
	j.n = 100;
	assert_int_equal(parallel_run(&j, "more pieces", &p, &e), -1);
	assert_string_equal(e.msg, "piece 90");
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

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_string_equal(PLURAL(cases[i].n, cases[i].one), cases[i].text);
	assert_string_equal(plural(12345, "link", small, sizeof(small)), "1234");
}

/* --- clean text ------------------------------------------------------------------- */

static const struct {
	const char *raw, *clean;
} cleaned[] = {
	{"", ""},
	{"leaf-01", "leaf-01"},
	{"two\nlines\tand a tab", "two\nlines\tand a tab"},
	{"\x1b[2J", "\\x1b[2J"},
	{"a\rb\x7f", "a\\x0db\\x7f"},
	{"\\x1b", "\\x1b"},
	{"d\xc3\xa9j\xc3\xa0 \xe6\x97\xa5 \xf0\x9f\x92\xa1",
	 "d\xc3\xa9j\xc3\xa0 \xe6\x97\xa5 \xf0\x9f\x92\xa1"},
	{"\xc2\x9b"
	 "2J",
	 "\\xc2\\x9b2J"}, /* CSI of C1 */
	{"\xc2\xa0", "\xc2\xa0"},
	{"\xe2\x80\xae"
	 "x",
	 "\\xe2\\x80\\xaex"},		     /* right-to-left override */
	{"\xe2\x81\xa6", "\\xe2\\x81\\xa6"}, /* left-to-right isolate */
	{"\xd8\x9c", "\\xd8\\x9c"},	     /* Arabic letter mark */
	{"\xe2\x80\x8b", "\\xe2\\x80\\x8b"}, /* zero width space */
	{"\xe2\x80\xa8", "\\xe2\\x80\\xa8"}, /* line separator */
	{"\xef\xbb\xbf", "\\xef\\xbb\\xbf"}, /* byte order mark */
	{"\xef\xbf\xbd", "\xef\xbf\xbd"},
	{"\xf3\xa0\x81\x81", "\\xf3\\xa0\\x81\\x81"}, /* a tag letter */
	{"\x9b"
	 "2J",
	 "\\x9b2J"},
	{"\xc0\xaf", "\\xc0\\xaf"},		      /* too long a form */
	{"\xe0\x9f\xbf", "\\xe0\\x9f\\xbf"},	      /* the same */
	{"\xed\xa0\x80", "\\xed\\xa0\\x80"},	      /* half of a surrogate pair */
	{"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"}, /* above U+10FFFF */
	{"\xe2\x80"
	 "a",
	 "\\xe2\\x80"
	 "a"},
	{"a\xe2\x80", "a\\xe2\\x80"},
	{"\xff\xfe", "\\xff\\xfe"},
};

static void test_clean(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(cleaned); i++) {
		size_t len = strlen(cleaned[i].raw);
		struct text t = {0};
		const char *s = clean_string(cleaned[i].raw, &t);

		assert_string_equal(s, cleaned[i].clean);
		assert_int_equal(is_clean(cleaned[i].raw, len), !strcmp(cleaned[i].raw, cleaned[i].clean));
		assert_int_equal(s == cleaned[i].raw, is_clean(cleaned[i].raw, len));
		assert_true(is_clean(s, strlen(s)));
		text_free(&t);
		text_add(&t, "\x1b");
		text_add(&t, "%s", cleaned[i].raw);
		clean_rest(&t, 1);
		assert_int_equal(t.s[0], '\x1b');
		assert_string_equal(t.s + 1, cleaned[i].clean);
		text_free(&t);
	}
}

static size_t utf8(uint32_t c, char out[4])
{
	if (c < 0x80)
		return out[0] = (char)c, 1;
	if (c < 0x800)
		return out[0] = (char)(0xc0 | c >> 6), out[1] = (char)(0x80 | (c & 0x3f)), 2;
	if (c < 0x10000)
		return out[0] = (char)(0xe0 | c >> 12), out[1] = (char)(0x80 | (c >> 6 & 0x3f)),
		       out[2] = (char)(0x80 | (c & 0x3f)), 3;
	return out[0] = (char)(0xf0 | c >> 18), out[1] = (char)(0x80 | (c >> 12 & 0x3f)),
	       out[2] = (char)(0x80 | (c >> 6 & 0x3f)), out[3] = (char)(0x80 | (c & 0x3f)), 4;
}

/* All characters of Unicode: those that leave no mark are not clean, all others are. */
static void test_clean_all(void **state)
{
	/* each run of them: the first, and the first behind it */
	static const uint32_t edge[] = {0x0,	0x9,	 0xb,	  0x20,	   0x7f,    0xa0,    0xad,    0xae,
					0x61c,	0x61d,	 0x180e,  0x180f,  0x200b,  0x2010,  0x2028,  0x202f,
					0x2060, 0x2070,	 0xd800,  0xe000,  0xfeff,  0xff00,  0xfff9,  0xfffc,
					0xfffe, 0x10000, 0x1d173, 0x1d17b, 0xe0000, 0xe0080, 0x110000};
	bool clean = true;
	char s[4];

	for (uint32_t c = 0, i = 0; c < 0x110000; c++) {
		while (i < ARRAY_LEN(edge) && c == edge[i]) {
			clean = !clean;
			i++;
		}
		if (is_clean(s, utf8(c, s)) != clean)
			fail_msg("U+%04X", c);
	}
}

/* Whatever the bytes, clean text is made of them, and it is as it was when cleaned again. */
static void test_clean_random(void **state)
{
	static const char first[8] = "\xe2\x80\xc2\xf0\xed"; /* of long characters; 0 stands for any byte */
	uint64_t seed = test_seed();

	for (int round = 0; round < 20000; round++) {
		char raw[24];
		AUTO_TEXT struct text once = {0};
		AUTO_TEXT struct text again = {0};
		size_t len = rng_below(&seed, sizeof(raw));

		for (size_t i = 0; i < len; i++)
			raw[i] = first[rng_below(&seed, 8)];
		for (size_t i = 0; i < len; i++)
			raw[i] = raw[i] ? raw[i] : (char)rng_below(&seed, 256);
		clean_add(&once, raw, len);
		assert_true(is_clean(text_str(&once), once.len));
		clean_add(&again, text_str(&once), once.len);
		assert_string_equal(text_str(&once), text_str(&again));
	}
}

/* What a stream wrote to a file. */
static char *read_back(int fd, char *buf, size_t size)
{
	ssize_t n = pread(fd, buf, size - 1, 0);

	assert_true(n >= 0);
	buf[n] = 0;
	return buf;
}

/* Byte by byte comes out what comes out of the whole. */
static void test_clean_stream(void **state)
{
	char buf[256];

	for (size_t i = 0; i < ARRAY_LEN(cleaned); i++) {
		FILE *file = tmpfile();

		assert_non_null(file);
		FILE *f = clean_stream(fileno(file), NULL);
		setvbuf(f, NULL, _IONBF, 0);
		for (const char *s = cleaned[i].raw; *s; s++)
			assert_int_equal(fputc(*s, f), (unsigned char)*s);
		assert_int_equal(fclose(f), 0);
		assert_string_equal(read_back(fileno(file), buf, sizeof(buf)), cleaned[i].clean);
		fclose(file);
	}
}

static void test_clean_stream_fails(void **state)
{
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	FILE *f = clean_stream(fd, NULL);

	assert_true(fd >= 0);
	fputs("\x1b is lost\n", f);
	assert_int_equal(fflush(f), EOF);
	assert_int_equal(errno, ENOSPC);
	assert_true(ferror(f));
	fclose(f);
	close(fd);
}

static void test_json(void **state)
{
	json_auto_t *v = json_make("{s:s, s:s*, s:[i,b,f], s:I, s:o, s:{s:s}}", "name", "a\x1b\xff\xc3\xa9",
				   "none", NULL, "list", 1, true, 0.5, "long", (json_int_t)1 << 40, "guid",
				   json_guid(0x2c9), "in", "key", "");
	AUTO_FREE char *s = json_dumps(v, JSON_COMPACT | JSON_SORT_KEYS);

	assert_string_equal(s, "{\"guid\":\"0x00000000000002c9\",\"in\":{\"key\":\"\"},\"list\":[1,true,0.5],"
			       "\"long\":1099511627776,\"name\":\"a\\\\x1b\\\\xff\xc3\xa9\"}");
	json_auto_t *nul = json_textn("a\0b", 3);
	assert_string_equal(json_string_value(nul), "a\\x00b");
}

static void has_word(const char *line, int at, const char *x)
{
	const char *rest;
	char **argv;
	struct err e;
	int n;

	assert_int_equal(words_split(line, &rest, &n, &argv, &e), 0);
	assert_null(rest);
	assert_in_range(n, at + 1, 3);
	assert_string_equal(argv[at], x);
	words_free(n, argv);
}

/* split(word_quoted(x)) is x, in the middle of a line, too; the typed form is one line of clean text. */
static void quoted(const char *x)
{
	AUTO_FREE char *typed = word_quoted(x);
	AUTO_FREE char *line = str_printf("a %s b", typed);
	char *begun = word_begun(typed);
	AUTO_TEXT struct text t = {0};

	assert_null(strchr(typed, '\n'));
	assert_true(is_clean(typed, strlen(typed)));
	has_word(typed, 0, x);
	has_word(line, 1, x);
	word_text(x, &t);
	has_word(text_str(&t), 0, x);
	assert_string_equal(begun, x);
	free(begun);
	if (typed[strlen(typed) - 1] == (typed[0] == '$' ? '\'' : '"')) { /* completion reads an open quote */
		typed[strlen(typed) - 1] = 0;
		begun = word_begun(typed);
		assert_string_equal(begun, x);
		free(begun);
	}
}

static void test_word_quoted(void **state)
{
	static const char often[] = "$'\"\\ \t\n\r\v\f;#:x0a[]*%\xc3\xa9\xe2\x80\xae\xff";
	uint64_t r = test_seed();
	char x[41];
	const char *rest;
	char **argv;
	struct err e;
	int n;

	unsigned step = getenv("LONG") ? 1 : 3; /* others with each seed */

	quoted("");
	for (unsigned a = 0x100 + r % step; a < 0x10000; a += step) {
		x[0] = (char)(a >> 8);
		x[1] = (char)a;
		x[2] = 0;
		quoted(x);
	}
	for (unsigned i = 0; i < test_rounds(20000); i++) {
		size_t len = rng_below(&r, sizeof(x));

		for (size_t k = 0; k < len; k++)
			x[k] = rng_below(&r, 2) ? often[rng_below(&r, sizeof(often) - 1)]
						: (char)(1 + rng_below(&r, 255));
		x[len] = 0;
		quoted(x);
	}
	has_word("$'a\\n\\x41\\x4x\\'\\q'b", 0, "a\nA\4x'qb");
	has_word("$'\\a\\b\\f\\r\\t\\v\\\\'", 0, "\a\b\f\r\t\v\\");
	has_word("$'\\x'", 0, "x");
	has_word("$ a$b \"$'\"", 2, "$'");
	assert_int_equal(words_split("load $'a\\x00b'", &rest, &n, &argv, &e), -1);
	assert_non_null(strstr(e.msg, "NUL"));
	assert_int_equal(words_split("load $'a\\'", &rest, &n, &argv, &e), -1);
	assert_non_null(strstr(e.msg, "no closing '"));
}

#ifdef __SANITIZE_ADDRESS__
/* What every unit test relies on: a signed sum that is too large ends the program. */
static void test_undefined(void **state)
{
	int status, out[2];
	char said[4000];
	size_t n = 0;

	assert_int_equal(pipe(out), 0);
	pid_t pid = fork();
	if (!pid) {
		volatile int most = INT_MAX;

		dup2(out[1], STDERR_FILENO);
		most = most + 1;
		_exit(0);
	}
	close(out[1]);
	for (ssize_t got; (got = read(out[0], said + n, sizeof(said) - 1 - n)) > 0;)
		n += (size_t)got;
	said[n] = 0;
	close(out[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(status != 0);
	assert_non_null(strstr(said, "AddressSanitizer: ILL"));
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_glob),	     cmocka_unit_test(test_text),
		cmocka_unit_test(test_err),	     cmocka_unit_test(test_guid_key),
		cmocka_unit_test(test_rng),	     cmocka_unit_test(test_arena),
		cmocka_unit_test(test_progress),     cmocka_unit_test(test_parallel),
		cmocka_unit_test(test_plural),	     cmocka_unit_test(test_clean),
		cmocka_unit_test(test_clean_all),    cmocka_unit_test(test_clean_random),
		cmocka_unit_test(test_clean_stream), cmocka_unit_test(test_clean_stream_fails),
		cmocka_unit_test(test_json),	     cmocka_unit_test(test_word_quoted),
#ifdef __SANITIZE_ADDRESS__
		cmocka_unit_test(test_undefined),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
