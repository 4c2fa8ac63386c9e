/* Words in text files: the form that is read, what is refused, and that all files have it. */
#include "core/base/memory.h"
#include "core/base/wordlist.h"
#include "core/session/command.h"
#include "core/session/help.h"
#include "core/source/synth.h"
#include "tests/unit/fixture.h"

struct row {
	const char *name, *more, *lines;
};

static struct row *read_rows(void *arena, const char *text, struct err *e)
{
	return wordlist_parse(arena, "f", text, strlen(text), "name more lines?", e);
}

static void entries(void **state)
{
	static const char text[] = "# words\n"
				   "\n"
				   "name: a\n"
				   "more: one\n"
				   "  two\n"
				   "\n"
				   "# between\n"
				   "    three: 3\n"
				   "lines:\n"
				   "  x  y\n"
				   "\n"
				   "    z\n"
				   "name: b b\n"
				   "lines: c\n"
				   "more:\n"
				   " last";
	AUTO_ARENA void *arena = ARENA_EMPTY;
	struct err e;
	struct row *r = read_rows(arena, text, &e);

	(void)state;
	assert_non_null(r);
	assert_string_equal(r[0].name, "a");
	assert_string_equal(r[0].more, "one two three: 3");
	assert_string_equal(r[0].lines, "  x  y\n    z\n");
	assert_string_equal(r[1].name, "b b");
	assert_string_equal(r[1].more, " last\n");
	assert_string_equal(r[1].lines, "c");
	assert_null(r[2].name);
	r = read_rows(arena, "", &e);
	assert_non_null(r);
	assert_null(r->name);
}

static void refused(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"name: a\nmore: b\nless: c\n",
		 "f:3: found less: c, expected KEY: VALUE with one of the keys name more lines?"},
		{"name\n", "f:1: found name, expected KEY: VALUE with one of the keys name more lines?"},
		{"\n b\n", "f:2: found a line that begins with a blank, expected KEY: VALUE before it"},
		{"more: b\n",
		 "f:1: found more: b, expected each key once, behind the first one of its entry"},
		{"name: a\nmore: b\nmore: c\n",
		 "f:3: found more: c, expected each key once, behind the first one of its entry"},
		{"name: a\nlines: c\n\nname: b\nmore: d\n",
		 "f:1: found an entry without it, expected a value of more"},
		{"name: a\nmore: b\nname: c\nmore:\n",
		 "f:3: found an entry without it, expected a value of more"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_ARENA void *arena = ARENA_EMPTY;
		struct err e;

		assert_null(read_rows(arena, cases[i].text, &e));
		assert_string_equal(e.msg, cases[i].message);
	}
}

/* The entries of a kind have names that differ. */
#define DIFFER(type, list)                                \
	for (const type *a = (list); a->name; a++)        \
		for (const type *b = a + 1; b->name; b++) \
			if (!strcmp(a->name, b->name))    \
	fail_msg("two entries are called %s", a->name)

static void files(void **state)
{
	struct session *s = session_new(all_engines, all_commands);

	(void)state;
	give_words(s);
	DIFFER(struct topic, s->words->topics);
	DIFFER(struct figure_meaning, s->words->figures);
	DIFFER(struct help_more, s->words->commands);
	for (const struct figure_meaning *m = s->words->figures; m->name; m++) {
		AUTO_TEXT struct text t = {0};

		figure_tell(m, &t); /* asserts that its words are known */
		assert_true(t.len > strlen(m->what));
	}
	for (size_t i = 0; i < N_GROUPS; i++)
		assert_non_null(aim_groups[i].name);
	assert_string_equal(help_also(s->words, "echo"), "");
	assert_null(help_details(s->words, "echo"));
	assert_non_null(strstr(help_details(s->words, "flows"), "\n  all          one route"));
	assert_null(strstr(help_details(s->words, "flows"), "<"));
	session_free(s);
}

/* What the palette offers without a row has a group of commands. */
static void tasks(void **state)
{
	size_t groups = 0;

	(void)state;
	palette_build(NULL);
	for (size_t i = 0; i < ui.scene.n_help; i++) {
		const struct help_line *h = &ui.scene.help[i];
		size_t g = 0;

		if (strcmp(h->where, "deed") != 0)
			continue;
		while (g < N_GROUPS && strcmp(aim_groups[g].name, h->task) != 0)
			g++;
		if (g == N_GROUPS)
			fail_msg("palette.deeds: %s: found task %s, expected a group of commands", h->does,
				 h->task);
		groups |= (size_t)1 << g;
	}
	assert_int_equal(groups, (1 << N_GROUPS) - 1);
	palette_free();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries),
		cmocka_unit_test(refused),
		cmocka_unit_test(files),
		cmocka_unit_test(tasks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
