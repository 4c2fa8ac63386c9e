/* Keymaps: names of keys, bindings, mistakes named with file and line. */
#include "fixture.h"
#include "tui/keymap.h"

static bool action(const char *name)
{
	return !strcmp(name, "up") || !strcmp(name, "follow") || !strcmp(name, "prompt");
}

static bool pane(const char *name)
{
	return !strcmp(name, "ports");
}

static const struct keymap_check check = {action, pane, NULL};

/* Reads a keymap that has this text. */
static void read_keys(struct keymap *km, const char *text, struct text *errors)
{
	AUTO_TEMP char *path = temp_file(text);
	struct err e;

	assert_int_equal(keymap_load(km, path, &check, errors, &e), 0);
}

static void names_round_trip(void **state)
{
	static const char *const names[] = {"x",  "C-x", "M-x", "Enter", "Tab",	  "S-Tab",    "Esc", "Space",
					    "Up", "F1",	 "F12", "PgDn",	 "M-C-a", "\xc3\xa9", "?",   "C-_"};
	char buf[32], with[40];

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		keycode k, again;

		assert_true(key_parse(names[i], strlen(names[i]), &k));
		key_text(k, buf, sizeof(buf));
		strcpy(with, buf);
		assert_true(key_parse(with, strlen(with), &again));
		assert_int_equal(k, again);
	}
}

static void bad_names(void **state)
{
	static const char *const names[] = {"", "F13", "F0", "C-%", "Foo", "C-", "xy", "M-M-x", "\xff"};
	keycode k;

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		assert_false(key_parse(names[i], strlen(names[i]), &k));
	assert_int_equal(keys_parse("C-x,", &k), 0);
}

static void panes_before_all(void **state)
{
	AUTO_BY(keymap_clear) struct keymap km = {0};
	struct text errors = {0};
	keycode key[2] = {'f', 0};
	bool more;

	read_keys(&km, "bind f :fail %object\nbind ports f :fail link %port # of the row\nbind g,g up\n",
		  &errors);
	assert_string_equal(text_str(&errors), "");
	assert_string_equal(keymap_find(&km, "ports", key, 1, &more)->does, ":fail link %port");
	assert_string_equal(keymap_find(&km, "hosts", key, 1, &more)->does, ":fail %object");
	assert_null(keymap_find(&km, "repl", key, 1, &more));
	key[0] = key[1] = 'g';
	assert_null(keymap_find(&km, "hosts", key, 1, &more));
	assert_true(more);
	assert_string_equal(keymap_find(&km, "hosts", key, 2, &more)->does, "up");
	assert_string_equal(keymap_which(&km, "ports", ":fail")->map, "ports");
}

static void mistakes_leave_the_rest(void **state)
{
	AUTO_BY(keymap_clear) struct keymap km = {0};
	AUTO_TEXT struct text errors = {0};

	read_keys(&km,
		  "# c\nbind x up\nbnid y up\nbind C-% up\nbind y nonsense\nbind z\nbind x,y up\nunbind "
		  "q\nbind w up",
		  &errors);
	assert_int_equal(km.n, 2);
	assert_non_null(strstr(errors.s, ":3: found \"bnid\""));
	assert_non_null(strstr(errors.s, ":4: "));
	assert_non_null(strstr(errors.s, ":5: unknown action \"nonsense\""));
	assert_non_null(strstr(errors.s, ":6: "));
	assert_non_null(strstr(errors.s, ":7: x y clashes"));
}

/* Read a file of these bytes, which must be there; what is complained of. */
static char *complaints(const char *path, const char *bytes, size_t size, size_t *bindings)
{
	AUTO_BY(keymap_clear) struct keymap km = {0};
	struct text errors = {0};
	struct err e;
	FILE *f = fopen(path, "w");

	assert_int_equal(fwrite(bytes, 1, size, f), size);
	fclose(f);
	assert_int_equal(keymap_load(&km, path, &check, &errors, &e), 0);
	*bindings = km.n;
	return errors.s ? errors.s : str_dup("");
}

/* Twice in one map of one file: the first stays. Another map or file may, and so may the file after unbind.
 */
static void bound_twice(void **state)
{
	char path[] = "/tmp/ibscope-twice-XXXXXX", *said, *want, *own;
	size_t n;

	(void)state;
	close(mkstemp(path));
	own = str_dup("bind x up\nbind ports x up\nbind C-x,o up\nbind y up\nunbind y\nbind y follow\nbind "
		      "C-x,o follow\nbind all x follow\nbind ports x follow\n");
	said = complaints(path, own, strlen(own), &n);
	want = str_printf("%s:7: C-x o is bound twice in map all, first at line 3 of this file\n"
			  "%s:8: x is bound twice in map all, first at line 1 of this file\n"
			  "%s:9: x is bound twice in map ports, first at line 2 of this file\n",
			  path, path, path);
	assert_string_equal(said, want);
	assert_int_equal(n, 4);
	free(said);
	free(want);
	free(own);
	unlink(path);
}

/* Files read later, by include or as a person's own after the keymap, bind anew. */
static void bound_again(void **state)
{
	char path[] = "/tmp/ibscope-again-XXXXXX", *text;
	struct keymap km = {0};
	struct text errors = {0};
	FILE *f = fdopen(mkstemp(path), "w");
	keycode x = 'x';
	bool more;

	(void)state;
	assert_non_null(f);
	fputs("bind x follow\n", f);
	fclose(f);
	text = str_printf("bind x up\ninclude %s\nbind x prompt\n", path);
	read_keys(&km, text, &errors);
	assert_string_equal(text_str(&errors), "");
	assert_string_equal(keymap_find(&km, "all", &x, 1, &more)->does, "prompt");
	read_keys(&km, "# a person's own\n\nbind x up\n", &errors);
	assert_string_equal(text_str(&errors), "");
	assert_string_equal(keymap_find(&km, "all", &x, 1, &more)->does, "up");
	free(text);
	keymap_clear(&km);
	unlink(path);
}

static void missing_file(void **state)
{
	struct keymap km = {0};
	struct text errors = {0};
	struct err e;

	(void)state;
	assert_int_equal(keymap_load(&km, "/nonexistent/x.keys", &check, &errors, &e), -1);
	assert_non_null(strstr(e.msg, "/nonexistent/x.keys"));
}

static unsigned lines_in(const char *s)
{
	unsigned n = 0;

	while ((s = strchr(s, '\n'))) {
		s++;
		n++;
	}
	return n;
}

/* Files that include each other end, whatever they include, and each mistake is told once. */
static void includes_end(void **state)
{
	AUTO_TEMP char *path = temp_file("");
	AUTO_FREE char *deep = str_printf("%s:3: include: more than 8 files within each other\n", path);
	AUTO_FREE char *many = str_printf("%s:22: include: more than 64 files in one keymap\n", path);
	AUTO_TEXT struct text t = {0};
	size_t n;

	text_add(&t, "bind x up\nbind y nonsense\n");
	for (int i = 0; i < 20; i++)
		text_add(&t, "include %s\n", path);
	AUTO_FREE char *said = complaints(path, t.s, t.len, &n);
	assert_int_equal(n, 1);
	assert_non_null(strstr(said, deep));
	assert_non_null(strstr(said, many));
	assert_true(lines_in(said) <= 1 + 20 + 20);
}

static void no_text(void **state)
{
	static const char mark[] = "\xef\xbb\xbf"
				   "bind x up\n";
	AUTO_TEMP char *path = temp_file("");
	AUTO_FREE char *nul = str_printf("%s:2: found a NUL byte as character 7, expected text\n", path);
	AUTO_FREE char *bom = str_printf("%s:1: found a byte order mark (EF BB BF) before the text, expected "
					 "none (take it off: tail -c +4)\n",
					 path);
	size_t n;

	AUTO_FREE char *said = complaints(path, "bind x up\nbind y\0up\nbind z up\n", 31, &n);
	assert_int_equal(n, 1);
	assert_string_equal(said, nul);
	AUTO_FREE char *then = complaints(path, mark, strlen(mark), &n);
	assert_string_equal(then, bom);
}

/* --- where keymaps are found --------------------------------------------------- */

static char top[64]; /* a folder of its own for every test */

/* An empty file below top, with the folders it needs. */
static void put(const char *path)
{
	shell("mkdir -p \"$(dirname %s/%s)\" && : >%s/%s", top, path, top, path);
}

/* What is found for a name, as seen from top; "" for nothing. */
static void expect_found(const char *name, const char *want)
{
	AUTO_FREE char *program = str_printf("%s/a/bin/program", top),
		       *installed = str_printf("%s/installed", top);
	AUTO_FREE char *path = keymap_path(name, program, installed),
		       *whole = path ? realpath(path, NULL) : NULL;

	assert_string_equal(whole ? whole + strlen(top) + 1 : "", want);
}

static int new_top(void **state)
{
	strcpy(top, "/tmp/ibscope-keymap-XXXXXX");
	if (!mkdtemp(top))
		return -1;
	AUTO_FREE char *config = str_printf("%s/config", top);
	setenv("XDG_CONFIG_HOME", config, 1);
	put("a/bin/program");
	return 0;
}

static int drop_top(void **state)
{
	AUTO_FREE char *line = str_printf("rm -rf %s", top);

	return system(line);
}

/* Each place comes before those that were filled earlier. */
static void places_in_order(void **state)
{
	static const char *const places[] = {"installed/x.keys", "a/share/ibscope/keymaps/x.keys",
					     "a/keymaps/x.keys", "a/bin/keymaps/x.keys",
					     "config/ibscope/x.keys"};

	expect_found("x", "");
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		put(places[i]);
		expect_found("x", places[i]);
	}
	expect_found("y", "");
}

/* A link in another folder leads to the program, and so to its keymaps. */
static void link_to_program(void **state)
{
	AUTO_FREE char *link = str_printf("%s/link", top), *target = str_printf("%s/a/bin/program", top);

	put("a/share/ibscope/keymaps/x.keys");
	assert_int_equal(symlink(target, link), 0);
	AUTO_FREE char *path = keymap_path("x", link, "/nonexistent");
	assert_non_null(path);
}

/* A file by its path; a folder of that name is none. */
static void by_path(void **state)
{
	put("mine/my.keys");
	char *name = str_printf("%s/mine/my.keys", top);
	AUTO_FREE char *path = keymap_path(name, "/nonexistent", "/nonexistent");
	assert_string_equal(path, name);
	free(name);
	name = str_printf("%s/mine", top);
	assert_null(keymap_path(name, "/nonexistent", "/nonexistent"));
	free(name);
}

static char *given(const char *file)
{
	char *program = str_printf("%s/a/bin/program", top),
	     *path = keymap_given(file, program, "/nonexistent");

	free(program);
	return path;
}

/* `include FILE` is beside the file that includes it; otherwise one of those that come with the program, so
 * that a user's default.keys may include default.keys. */
static void include_given(void **state)
{
	struct keymap_check with_given = check;
	AUTO_BY(keymap_clear) struct keymap km = {0};
	AUTO_TEXT struct text errors = {0};
	struct err e;
	AUTO_FREE char *path = str_printf("%s/mine/default.keys", top);
	FILE *f;
	bool more;
	keycode x = 'x', y = 'y', z = 'z';

	with_given.given = given;
	put("a/share/ibscope/keymaps/default.keys");
	put("mine/beside.keys");
	for (int i = 0; i < 3; i++) {
		static const char *const names[] = {"mine/default.keys", "mine/beside.keys",
						    "a/share/ibscope/keymaps/default.keys"};
		AUTO_FREE char *to = str_printf("%s/%s", top, names[i]);

		put(names[i]);
		f = fopen(to, "we");
		assert_non_null(f);
		fputs(i == 0   ? "include default.keys\ninclude beside.keys\nbind z up\ninclude none.keys\n"
		      : i == 1 ? "bind y up\n"
			       : "bind x up\n",
		      f);
		fclose(f);
	}
	assert_int_equal(keymap_load(&km, path, &with_given, &errors, &e), 0);
	assert_non_null(keymap_find(&km, "all", &x, 1, &more));
	assert_non_null(keymap_find(&km, "all", &y, 1, &more));
	assert_non_null(keymap_find(&km, "all", &z, 1, &more));
	assert_non_null(strstr(text_str(&errors), "default.keys:4: include: cannot read"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_round_trip),
		cmocka_unit_test(bad_names),
		cmocka_unit_test(panes_before_all),
		cmocka_unit_test(mistakes_leave_the_rest),
		cmocka_unit_test(bound_twice),
		cmocka_unit_test(bound_again),
		cmocka_unit_test(missing_file),
		cmocka_unit_test(includes_end),
		cmocka_unit_test(no_text),
		cmocka_unit_test_setup_teardown(places_in_order, new_top, drop_top),
		cmocka_unit_test_setup_teardown(link_to_program, new_top, drop_top),
		cmocka_unit_test_setup_teardown(by_path, new_top, drop_top),
		cmocka_unit_test_setup_teardown(include_given, new_top, drop_top),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
