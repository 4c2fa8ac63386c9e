/* Option tables and values. */
#include "fixture.h"
#include <sys/wait.h>
#include "core/sm/options.h"

static const struct optdef table_a[] = {
	{.name = "lmc", .type = OPT_UINT, .def = "0", .max = 7},
	{.name = "connect_roots", .type = OPT_BOOL, .def = "FALSE"},
	{.name = "root_guid_file", .type = OPT_FILE, .def = ""},
	{0},
};

static const struct optdef table_b[] = {
	{.name = "nue_max_num_vls", .type = OPT_UINT, .def = "1", .min = 1, .max = 255},
	{.name = "connect_roots", .type = OPT_BOOL, .def = "TRUE"}, /* there already: the first one counts */
	{.name = "guid", .type = OPT_UINT, .def = "0x0000000000000000", .max = UINT64_MAX},
	{.name = "torus_config", .type = OPT_FILE, .def = "/nowhere/torus-2QoS.conf"},
	{.name = "note", .type = OPT_STRING, .def = "none yet"},
	{.name = "part_enforce", .type = OPT_CHOICE, .def = "both", .choices = "both|in|out|off"},
	{.name = "a_first", .type = OPT_BOOL, .def = NULL},
	{0},
};

static const struct optdef *const tables[] = {table_a, table_b, table_a, NULL};

static int setup(void **state)
{
	*state = options_new(tables);
	return 0;
}

static int teardown(void **state)
{
	options_free(*state);
	return 0;
}

static void refused(struct options *o, const char *name, const char *value, const char *expected)
{
	AUTO_FREE char *before = str_dup(options_find(o, name) ? options_get(o, name) : "");
	struct err e = {0};

	assert_int_equal(options_set(o, name, value, &e), -1);
	if (!strstr(e.msg, expected))
		fail_msg("'%s' does not contain '%s'", e.msg, expected);
	if (options_find(o, name))
		assert_string_equal(options_get(o, name), before);
}

static void accepted(struct options *o, const char *name, const char *value, const char *shown)
{
	struct err e = {0};

	if (options_set(o, name, value, &e))
		fail_msg("%s %s: %s", name, value, e.msg);
	assert_string_equal(options_get(o, name), shown);
}

static void test_tables(void **state)
{
	static const char *const order[] = {"lmc",    "connect_roots", "root_guid_file", "nue_max_num_vls",
					    "guid",   "torus_config",  "note",		 "part_enforce",
					    "a_first"};
	struct options *o = *state;

	assert_int_equal(options_count(o), ARRAY_LEN(order));
	for (size_t i = 0; i < ARRAY_LEN(order); i++) {
		assert_string_equal(options_at(o, i)->name, order[i]);
		assert_ptr_equal(options_find(o, order[i]), options_at(o, i));
		assert_false(options_is_set(o, order[i]));
	}
	assert_ptr_equal(options_find(o, "connect_roots"), &table_a[1]);
	assert_null(options_find(o, "lm"));
	assert_null(options_find(o, "lmcx"));
	assert_null(options_find(o, ""));
}

static void test_defaults(void **state)
{
	struct options *o = *state;

	assert_int_equal(options_uint(o, "lmc"), 0);
	assert_int_equal(options_uint(o, "nue_max_num_vls"), 1);
	assert_false(options_bool(o, "connect_roots"));
	assert_null(options_file(o, "root_guid_file"));
	assert_string_equal(options_file(o, "torus_config"), "/nowhere/torus-2QoS.conf");
	assert_string_equal(options_get(o, "note"), "none yet");
	assert_string_equal(options_get(o, "guid"), "0x0000000000000000");
	assert_false(options_bool(o, "a_first"));
}

static void test_bool(void **state)
{
	static const char *const yes[] = {"TRUE", "true", "yes", "on", "1", "Yes"};
	static const char *const no[] = {"FALSE", "false", "no", "off", "0"};
	struct options *o = *state;

	for (size_t i = 0; i < ARRAY_LEN(yes); i++) {
		accepted(o, "connect_roots", yes[i], "TRUE");
		assert_true(options_bool(o, "connect_roots"));
		assert_true(options_is_set(o, "connect_roots"));
	}
	refused(o, "connect_roots", "maybe", "found 'maybe', expected TRUE or FALSE");
	refused(o, "connect_roots", "", "expected TRUE or FALSE");
	for (size_t i = 0; i < ARRAY_LEN(no); i++) {
		accepted(o, "connect_roots", no[i], "FALSE");
		assert_false(options_is_set(o, "connect_roots"));
	}
}

static void test_uint(void **state)
{
	struct options *o = *state;

	accepted(o, "lmc", "3", "3");
	accepted(o, "lmc", "0x7", "7");
	accepted(o, "lmc", "07", "7");
	assert_int_equal(options_uint(o, "lmc"), 7);
	refused(o, "lmc", "8", "found '8', expected a number from 0 to 7");
	refused(o, "lmc", "-1", "found '-1'");
	refused(o, "lmc", " 1", "found ' 1'");
	refused(o, "lmc", "1x", "found '1x'");
	refused(o, "lmc", "09", "found '09'");
	refused(o, "lmc", "", "expected a number");
	refused(o, "lmc", "0x", "expected a number");
	refused(o, "lmc", "99999999999999999999", "expected a number");
	refused(o, "nue_max_num_vls", "0", "expected a number from 1 to 255");
	refused(o, "guid", "0xzz", "guid: found '0xzz', expected a number from 0x0 to 0xffffffffffffffff");
	accepted(o, "guid", "10", "0x000000000000000a");
	accepted(o, "guid", "0xffffffffffffffff", "0xffffffffffffffff");
	assert_int_equal(options_uint(o, "guid"), UINT64_MAX);
	accepted(o, "guid", "0", "0x0000000000000000");
	assert_false(options_is_set(o, "guid"));
}

static void test_file(void **state)
{
	struct options *o = *state;
	AUTO_TEMP char *name = temp_file("");

	accepted(o, "root_guid_file", name, name);
	assert_string_equal(options_file(o, "root_guid_file"), name);
	refused(o, "root_guid_file", "/nowhere/roots", "/nowhere/roots: No such file or directory");
	refused(o, "root_guid_file", "/", "/ is a directory");
	accepted(o, "root_guid_file", "(null)", "");
	assert_null(options_file(o, "root_guid_file"));
	assert_false(options_is_set(o, "root_guid_file"));
	accepted(o, "torus_config", name, name);
	accepted(o, "torus_config", "", "");
	assert_true(options_is_set(o, "torus_config"));
	assert_null(options_file(o, "torus_config"));
	accepted(o, "torus_config", "/nowhere/torus-2QoS.conf", "/nowhere/torus-2QoS.conf");
	assert_false(options_is_set(o, "torus_config"));
}

static void test_choice_and_string(void **state)
{
	struct options *o = *state;

	accepted(o, "part_enforce", "IN", "in");
	accepted(o, "part_enforce", "off", "off");
	refused(o, "part_enforce", "bot", "found 'bot', expected one of both|in|out|off");
	refused(o, "part_enforce", "in|out", "expected one of");
	refused(o, "part_enforce", "", "expected one of");
	accepted(o, "note", "some text", "some text");
	accepted(o, "note", "(null)", "");
	accepted(o, "note", "none yet", "none yet");
	assert_false(options_is_set(o, "note"));
}

static void test_unknown(void **state)
{
	refused(*state, "lmcc", "1", "unknown option 'lmcc'");
}

static void test_copy(void **state)
{
	struct options *o = *state, *c;

	accepted(o, "lmc", "2", "2");
	c = options_copy(o);
	accepted(o, "lmc", "3", "3");
	accepted(c, "connect_roots", "TRUE", "TRUE");
	assert_int_equal(options_uint(c, "lmc"), 2);
	assert_false(options_bool(o, "connect_roots"));
	options_unset(c, "lmc");
	assert_int_equal(options_uint(c, "lmc"), 0);
	assert_int_equal(options_uint(o, "lmc"), 3);
	assert_int_equal(options_count(c), options_count(o));
	options_free(c);
	options_free(NULL);
}

/* A name that no table has is a programming error. */
static void test_wrong_name(void **state)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		options_get(*state, "no_such_option");
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGABRT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_tables, setup, teardown),
		cmocka_unit_test_setup_teardown(test_defaults, setup, teardown),
		cmocka_unit_test_setup_teardown(test_bool, setup, teardown),
		cmocka_unit_test_setup_teardown(test_uint, setup, teardown),
		cmocka_unit_test_setup_teardown(test_file, setup, teardown),
		cmocka_unit_test_setup_teardown(test_choice_and_string, setup, teardown),
		cmocka_unit_test_setup_teardown(test_unknown, setup, teardown),
		cmocka_unit_test_setup_teardown(test_copy, setup, teardown),
		cmocka_unit_test_setup_teardown(test_wrong_name, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
