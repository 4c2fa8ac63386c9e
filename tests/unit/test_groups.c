/* Groups of commands and panes, other words for them, and how well typed words fit a text. */
#include "core/session/command.h"
#include "fixture.h"
#include "views/base/filter.h"

static const struct command *const tables[] = {
#include "core/session/core_commands.def"
	view_commands, NULL};

/* A group is none of those without a name, and commands of all are there. */
static void each_has_one(void **state)
{
	bool used[N_GROUPS] = {false};

	for (size_t t = 0; tables[t]; t++)
		for (const struct command *c = tables[t]; c->name; c++) {
			assert_in_range(c->group, 0, N_GROUPS - 1);
			used[c->group] = true;
		}
	for (unsigned g = 0; g < N_GROUPS; g++)
		if (!used[g] || !aim_groups[g].name || !aim_groups[g].aim)
			fail_msg("group %u has no command, or no name", g);
}

/* Engines that panes are about exist. */
static void engines_of_panes(void **state)
{
	for (size_t i = 0; all_views[i]; i++) {
		const char *w = all_places[i].engines;

		for (; w && *w; w += strcspn(w, " "), w += *w == ' ') {
			const char *name = line_of("%.*s", (int)strcspn(w, " "), w);

			if (!engine_find(all_engines, name))
				fail_msg("pane %s: no engine %s", all_views[i]->name, name);
		}
	}
}

/* Does the pane of this name fit what is in force? */
static bool fits(const struct scene *sc, const char *pane)
{
	size_t i = 0;

	while (strcmp(all_views[i]->name, pane) != 0)
		i++;
	return pane_fits(&all_places[i], sc);
}

/* A pane fits an engine that it names, not one whose name is a part of such a name. */
static void panes_of_engines(void **state)
{
	AUTO_SESSION struct session *s = session_new(all_engines, tables);
	AUTO_SCENE struct scene sc = {.panes = all_views, .places = all_places};

	ok_line(s, "synth ring:5");
	scene_take(&sc, s);
	assert_false(fits(&sc, "weights"));
	assert_true(fits(&sc, "switches"));
	ok_line(s, "route sssp");
	scene_take(&sc, s);
	assert_true(fits(&sc, "weights"));
	assert_false(fits(&sc, "cuts"));
	ok_line(s, "route dfsssp");
	scene_take(&sc, s);
	assert_true(fits(&sc, "cuts"));
}

/* Typed words lead to what is named otherwise. */
static void other_words(void **state)
{
	struct session *s = session_new(all_engines, tables);

	(void)state;
	give_words(s);
	assert_non_null(strstr(help_also(s->words, "cycles"), "deadlock"));
	assert_non_null(strstr(help_also(s->words, "fail"), "broken cable"));
	assert_string_equal(help_also(s->words, "echo"), "");
	session_free(s);
}

static void likeness(void **state)
{
	assert_int_equal(word_likeness("credit loops: can it deadlock?", "dead", 4), 1);
	assert_int_equal(word_likeness("credit loops: can it deadlock?", "LOCK", 4), 2);
	assert_int_equal(word_likeness("fail this link", "link", 4), 1);
	assert_true(word_likeness("credit loops", "crdt", 4) > 2);
	assert_int_equal(word_likeness("credit loops", "crps", 4), 3 + 12 - 4);
	assert_int_equal(word_likeness("fail this link", "zz", 2), 0);
	assert_int_equal(word_likeness("", "a", 1), 0);
	assert_int_equal(word_likeness("text", "", 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_has_one),	    cmocka_unit_test(engines_of_panes),
		cmocka_unit_test(panes_of_engines), cmocka_unit_test(other_words),
		cmocka_unit_test(likeness),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
