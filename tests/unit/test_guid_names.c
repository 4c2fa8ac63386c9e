/* Names in place of files of GUIDs: the same tables as with the file, anew in another fabric; `roots export`.
 */
#include "core/sm/guid_names.h"
#include "tests/unit/fixture.h"

#define AUTO_GUID_FILE AUTO_BY(guid_file_free)
#define TREE "xgft:4,4,3:1,2,2,shuffle=1"

static char *folder; /* of this program's files */

static char *in_folder(const char *name)
{
	return str_printf("%s/%s", folder, name);
}

static struct session *session_of(const char *spec)
{
	return make_session(line_of("synth %s", spec));
}

static uint64_t guid_of(const struct session *s, const char *name, bool port)
{
	uint32_t n = session_node(s, name, NULL);

	assert_int_not_equal(n, NO_ID);
	return port ? s->fabric->port_guid[s->fabric->node_port[n] + 1] : s->fabric->node_guid[n];
}

/* The path of a new file of what each name stands for, with its place behind it. */
static char *write_list(const struct session *s, const char *names, bool port)
{
	AUTO_FREE char *copy = str_dup(names);
	AUTO_TEXT struct text t = {0};
	unsigned n = 0;
	char *save = NULL;

	for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save))
		text_add(&t, "0x%016" PRIx64 " %u\n", guid_of(s, w, port), ++n);
	return temp_file(text_str(&t));
}

/* An option once with names and once with a file of what they stand for. */
static void same_as_file(const char *spec, const char *engine, const char *option, const char *names,
			 const char *alone, bool port)
{
	AUTO_SESSION struct session *a = session_of(spec);
	AUTO_SESSION struct session *b = session_of(spec);
	AUTO_TEMP char *path = write_list(b, alone, port);

	ok_linef(a, "set %s %s; route %s", option, names, engine);
	ok_linef(b, "set %s %s; route %s", option, path, engine);
	assert_string_equal(session_routing(a)->engine, engine);
	assert_string_equal(session_routing(b)->engine, engine);
	assert_int_equal(entries_unlike(session_routing(a), session_routing(b)), 0);
	assert_string_equal(session_sweep(a)->notes, session_sweep(b)->notes);
	ok_linef(b, "unset %s", option);
	assert_true(entries_unlike(session_routing(a), session_routing(b)) > 0); /* it matters */
}

static void test_same_as_file(void **state)
{
	same_as_file(TREE, "updn", "root_guid_file", "leaf-0[1-2] leaf-03", "leaf-01 leaf-02 leaf-03", false);
	same_as_file("random:12,4,seed=3; set root_guid_file sw-05", "updn", "ids_guid_file",
		     "sw-1? sw-03 sw-0[1-2]", "sw-10 sw-11 sw-12 sw-03 sw-01 sw-02", false);
	same_as_file(
		TREE, "ftree", "cn_guid_file", "node000[1-9] node0040",
		"node0001 node0002 node0003 node0004 node0005 node0006 node0007 node0008 node0009 node0040",
		true);
	same_as_file(TREE, "minhop", "guid_routing_order_file", "node0033 node001?",
		     "node0033 node0010 node0011 node0012 node0013 node0014 node0015 node0016 node0017 "
		     "node0018 node0019",
		     true);
}

static void test_set(void **state)
{
	AUTO_SESSION struct session *s = session_of("xgft:4,4:1,2");
	AUTO_SESSION struct session *none = session_new(all_engines, all_commands);
	AUTO_FREE char *at = in_folder("@spine*");

	line_says(s, "set root_guid_file spine*", "root_guid_file spine*: 2 switches.\n");
	assert_string_equal(options_get(s->setup->options, "root_guid_file"), "spine*");
	assert_int_equal(options_named(s->setup->options, "root_guid_file"), 2);
	line_says(s, "set root_guid_file spine-01 0x0002c90300a00050 spine-01", ": 2 switches.\n");
	line_says(s, "route updn \"root_guid_file=spine-01 spine-02\"", ": 2 switches.\n");
	line_says(s, "journal", "route updn \"root_guid_file=spine-01 spine-02\"");
	line_says(s, "compare updn minhop root_guid_file=spine*", "updn");
	line_fails(s, "set root_guid_file nobody",
		   "expected a file that can be read, or names of switches: \"nobody\" fits none");
	line_fails(s, "set root_guid_file spine-01 nob*", "\"nob*\" fits no node");
	line_fails(s, "set root_guid_file node0001", "names of switches");
	line_fails(s, "set cn_guid_file spine-01", "names of hosts");
	line_fails(s, "set torus_config spine*", "No such file");
	line_fails(s, "set lmc 1 2", "lmc: found 2 words, expected one value");
	assert_int_equal(options_named(s->setup->options, "root_guid_file"),
			 2); /* nothing of that was taken */
	file_write(at, "0x0002c90300a00040\n");
	ok_linef(s, "set root_guid_file %s; route updn", at);
	assert_int_equal(options_named(s->setup->options, "root_guid_file"), 0); /* a file is a file */
	assert_string_equal(session_routing(s)->engine, "updn");
	ok_line(s, "unset root_guid_file");
	assert_null(options_file(s->setup->options, "root_guid_file"));
	line_fails(none, "set root_guid_file spine*", "or a fabric with switches so named");
}

/* A plain file wins over names, also one whose name begins as a list does. */
static void test_file_wins(void **state)
{
	AUTO_SESSION struct session *s = session_of("xgft:4,4:1,2");
	char was[4096];

	assert_non_null(getcwd(was, sizeof(was)));
	assert_int_equal(chdir(folder), 0);
	file_write("spine-01", "0x0002c90300a00050\n");
	file_write("@spine-01", "0x0002c90300a00050\n");
	ok_line(s, "route updn root_guid_file=spine-01");
	line_says(s, "roots", "0x0002c90300a00050 spine-02\n");
	assert_int_equal(options_named(s->setup->options, "root_guid_file"), 0);
	ok_line(s, "route updn root_guid_file=@spine-01");
	line_says(s, "roots", "0x0002c90300a00050 spine-02\n");
	unlink("spine-01");
	unlink("@spine-01");
	line_says(s, "route updn root_guid_file=spine-01", "root_guid_file spine-01: 1 switch.\n");
	line_says(s, "roots", "0x0002c90300a00040 spine-01\n");
	assert_int_equal(chdir(was), 0);
}

/* Another fabric, or the same with other GUIDs: what the names stand for there. */
static void test_anew(void **state)
{
	AUTO_SESSION struct session *s = session_of("xgft:4,4:1,2");
	AUTO_GUID_FILE struct guid_file g;

	ok_line(s, "set root_guid_file spine*; set cn_guid_file node000[1-4]; route updn");
	line_says(s, "synth " TREE,
		  "root_guid_file spine*: 6 switches.\ncn_guid_file node000[1-4]: 4 ports.\n");
	line_says(s, "synth ring:3",
		  "root_guid_file spine*: nothing in this fabric is named so; the list is empty.\n"
		  "cn_guid_file node000[1-4]: 3 ports.\n");
	line_says(s, "show", "routed by minhop (asked: updn)");
	line_says(s, "synth xgft:4,4:1,2", "root_guid_file spine*: 2 switches.");
	line_says(s, "show", "routed by updn");
	ok_line(s, "set port_guids ibsim");
	guid_file_read(&g, options_file(s->setup->options, "cn_guid_file"), false, NULL);
	assert_int_equal(g.stopped, 0);
	assert_int_equal(g.n, 4);
	for (size_t i = 0; i < g.n; i++)
		assert_int_not_equal(fabric_endport_by_guid(s->fabric, g.l[i].guid), NO_ID);
	ok_line(s, "reset");
	assert_int_equal(options_named(s->setup->options, "cn_guid_file"), 4);
}

/* Names in any order of bytes; what is in them cannot end the list's first line. */
static void test_list_as_file(void **state)
{
	static const char list[] = "@two words\n0x10\n0x20 7\n";
	struct guid_file g;

	guid_file_read(&g, list, false, NULL);
	assert_int_equal(g.n, 2);
	assert_int_equal(g.l[1].guid, 0x20);
	assert_string_equal(g.l[1].rest, "7");
	guid_file_free(&g);
	guid_file_read(&g, "@none\n", false, NULL);
	assert_int_equal(g.n + g.stopped, 0);
	guid_file_free(&g);
	guid_file_read(&g, "@none", false, NULL);
	assert_int_equal(g.n + g.stopped, 0);
	guid_file_free(&g);
	guid_file_read(&g, "@bad\nx\n", false, NULL);
	assert_int_equal(g.stopped, 1);
	assert_non_null(strstr(g.why.msg, "bad:1: found 'x'"));
	guid_file_free(&g);
}

static void test_roots_export(void **state)
{
	AUTO_SESSION struct session *s = session_of("xgft:4,4:1,2");
	AUTO_SESSION struct session *t = session_of("xgft:4,4:1,2");
	AUTO_FREE char *path = in_folder("roots");
	AUTO_FREE char *line = str_printf("roots export %s", path);
	AUTO_FREE char *back = str_printf("set root_guid_file %s; route updn", path);

	line_fails(s, line, "nothing is routed yet");
	ok_line(s, "route minhop");
	line_fails(s, line, "minhop has no roots; name switches");
	assert_int_not_equal(access(path, F_OK), 0);
	ok_line(s, "route updn root_guid_file=spine-01");
	line_says(s, line, "1 root; `set root_guid_file");
	ok_line(t, back);
	assert_int_equal(entries_unlike(session_routing(s), session_routing(t)), 0);
	line_says(s, "roots export -", "0x0002c90300a00040 # spine-01\n");
	line_says(t, line_of("roots export %s spine* leaf-01", path), "3 roots; ");
	ok_line(t, back);
	line_says(t, "roots",
		  "0x0002c90300a00000 leaf-01\n0x0002c90300a00040 spine-01\n0x0002c90300a00050 spine-02\n");
	line_fails(t, "roots export - node0001", "is no switch");
	line_fails(t, "roots export - nobody*", "fits no node");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_as_file), cmocka_unit_test(test_set),
		cmocka_unit_test(test_file_wins),    cmocka_unit_test(test_anew),
		cmocka_unit_test(test_list_as_file), cmocka_unit_test(test_roots_export),
	};

	folder = temp_folder();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	temp_remove(&folder);
	return failed;
}
