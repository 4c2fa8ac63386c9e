/* opensm.conf, against what OpenSM 3.3.23 was seen to make of the same lines. */
#include "core/formats/conf.h"
#include "tests/unit/fixture.h"

static const struct optdef table[] = {
	{.name = "partition_config_file", .type = OPT_STRING, .def = ""},
	{.name = "qos_policy_file", .type = OPT_STRING, .def = ""},
	{.name = "lmc", .type = OPT_UINT, .def = "0", .max = 7},
	{.name = "scatter_ports", .type = OPT_UINT, .def = "0", .max = UINT32_MAX, .nvidia = "8"},
	{.name = "rules",
	 .type = OPT_CHOICE,
	 .def = "opensm",
	 .choices = "opensm|manual|nvidia",
	 .nvidia = "opensm"},
	{.name = "routing_threads_num", .type = OPT_UINT, .def = "0", .max = 65535},
	{.name = "max_op_vls", .type = OPT_UINT, .def = "5", .max = 255, .nvidia = "2"},
	{.name = "lash_start_vl", .type = OPT_UINT, .def = "0", .max = 255},
	{.name = "max_reverse_hops", .type = OPT_UINT, .def = "0", .max = 65535},
	{.name = "connect_roots", .type = OPT_BOOL, .def = "FALSE"},
	{.name = "port_shifting", .type = OPT_BOOL, .def = "FALSE"},
	{.name = "qos", .type = OPT_BOOL, .def = "FALSE"},
	{.name = "guid", .type = OPT_STRING, .def = ""},
	{.name = "root_guid_file", .type = OPT_FILE, .def = ""},
	{.name = "port_search_ordering_file", .type = OPT_FILE, .def = ""},
	{.name = "torus_config", .type = OPT_FILE, .def = ""},
	{.name = "port_guids", .type = OPT_CHOICE, .def = "file", .choices = "file|ibsim"},
	{0},
};

static const struct optdef *const tables[] = {table, NULL};

struct read {
	struct options *o;
	char *engines;
	struct text notes;
	struct err e;
	int rc;
};

static struct read parse_n(const char *text, size_t n)
{
	struct read r = {.o = options_new(tables)};

	r.rc = conf_parse(r.o, &(struct input){"x.conf", text, n, NULL}, &r.engines, &r.notes, &r.e);
	return r;
}

static struct read parse(const char *text)
{
	return parse_n(text, strlen(text));
}

#define AUTO_READ AUTO_BY(read_free)
static void read_free(struct read *r)
{
	options_free(r->o);
	free(r->engines);
	text_free(&r->notes);
}

static void value(const char *text, const char *name, const char *want)
{
	AUTO_READ struct read r = parse(text);

	if (r.rc)
		fail_msg("%s: %s", text, r.e.msg);
	assert_string_equal(options_get(r.o, name), want);
}

static void refused(const char *text, const char *want)
{
	AUTO_READ struct read r = parse(text);

	assert_int_equal(r.rc, -1);
	assert_string_equal(r.e.msg, want);
	assert_null(r.engines);
	for (size_t i = 0; i < options_count(r.o); i++)
		assert_false(options_is_set(r.o, options_at(r.o, i)->name));
}

/* The text is read; want NULL: with any notes. */
static void noted(const char *text, const char *want)
{
	AUTO_READ struct read r = parse(text);

	assert_int_equal(r.rc, 0);
	if (want)
		assert_string_equal(text_str(&r.notes), want);
}

static void test_values(void **state)
{
	value("lmc   3   # three\n", "lmc", "3");
	value("  lmc\t2", "lmc", "2");
	value("lmc 0x3\nlmc 1\n", "lmc", "1");
	value("scatter_ports 010\n", "scatter_ports", "8");
	value("lmc 2\r\nqos TRUE\r\n\r\n", "lmc", "2");
	value("lmc 2\r\nqos TRUE\r\n\r\n", "qos", "TRUE");
	value("qos \"TRUE\"\n", "qos", "TRUE");
	value("qos 'TRUE'\n", "qos", "TRUE");
	value("qos  TRUE\t \n", "qos", "TRUE");
	value("#qos TRUE\n", "qos", "FALSE");
	value("qos#TRUE\n", "qos", "FALSE");
	value("", "qos", "FALSE");
	value("LMC 2\nqos TRUE\n", "lmc", "0");
}

static void test_only_true_is_true(void **state)
{
	value("qos true\n", "qos", "FALSE");
	value("qos TRUEx\n", "qos", "FALSE");
	value("qos TRUE\nqos 1\n", "qos", "FALSE");
	noted("qos TRUE\nqos FALSE\n", "");
	noted("\nqos yes\n", "x.conf:2: qos: only TRUE is true to OpenSM, anything else counts as FALSE\n");
	noted("qos\n", "x.conf:1: qos: only TRUE is true to OpenSM, anything else counts as FALSE\n");
}

/* A file of NVIDIA's OpenSM brings its rules; of its own keys those are told that bear on routes and were
 * changed. */
static void test_nvidia_keys(void **state)
{
	static const char conf[] = "routing_threads_num 24\nscatter_ports 8\npfrn_sl 0\nar_sl_mask 65535\n"
				   "updn_lid_tracking_mode TRUE\nroutin_flags 1\n";

	value(conf, "rules", "nvidia");
	value(conf, "routing_threads_num", "24");
	value(conf, "max_op_vls", "2");
	value("routing_engine ar_updn\nmax_op_vls 3\n", "max_op_vls", "3");
	value("scatter_ports 8\n", "rules", "opensm");
	noted(conf,
	      "x.conf: options of NVIDIA's OpenSM: its rules count from now on, as far as they are known "
	      "(`help nvidia`; `set rules opensm` goes back)\n"
	      "x.conf:1: routing_threads_num: 24: ibscope uses it\n"
	      "x.conf:5: updn_lid_tracking_mode: TRUE: updn then chooses ports by a rule that is not "
	      "published; its choices among equal ports are not those shown\n"
	      "x.conf:6: routin_flags: unknown key, ignored as OpenSM ignores it\n"
	      "x.conf: 4 keys of NVIDIA's own: those that bear on routes are told where they are not at "
	      "their "
	      "default, the others have nothing to do with routes\n");
}

static void test_engines(void **state)
{
	static const char *const cases[][2] = {
		{"routing_engine updn, minhop \n", "updn,minhop"},
		{"routing_engine ftree updn\tno_fallback\n", "ftree,updn,no_fallback"},
		{"routing_engine \"nue\"\n", "nue"},
		{"routing_engine updn\nrouting_engine lash\n", "lash"},
		{"routing_engine updn\nrouting_engine (null)\n", NULL},
		{"routing_engine (null)\n", NULL},
		{"routing_engine , ,\n", NULL},
		{"routing_engine\n", NULL},
		{"lmc 1\n", NULL},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_READ struct read r = parse(cases[i][0]);

		assert_int_equal(r.rc, 0);
		if (cases[i][1])
			assert_string_equal(r.engines, cases[i][1]);
		else
			assert_null(r.engines);
	}
}

static void test_keys(void **state)
{
	noted("log_flags 0x03\nsm_priority 3\nlmc 1\n",
	      "x.conf: 2 options that do not concern routing were skipped\n");
	/* files that are not read: a sweep tells of them (tests/cli) */
	value("qos TRUE\nqos_policy_file /x\n", "qos_policy_file", "/x");
	value("partition_config_file (null)\n", "partition_config_file", "");
	noted("nonsense 12\nlmc 1\n", "x.conf:1: nonsense: unknown key, ignored as OpenSM ignores it\n");
	/* One of ours that OpenSM does not have. */
	value("port_guids ibsim\nlmc 1\n", "port_guids", "file");
	noted("port_guids ibsim\nlmc 1\n",
	      "x.conf:1: port_guids: unknown key, ignored as OpenSM ignores it\n");
}

static void test_guid(void **state)
{
	value("guid 0x0000000000000000\n", "guid", "");
	value("guid 10\n", "guid", "0x000000000000000a");
	value("guid 0x0002c90300001234 # here\n", "guid", "0x0002c90300001234");
	refused("guid here\n",
		"x.conf:1: guid: found 'here', expected a port GUID such as 0x0002c90300001234 (0 = none)");
	refused("guid 0x1234567890abcdef0\n",
		"x.conf:1: guid: found '0x1234567890abcdef0', expected a port GUID such as "
		"0x0002c90300001234 (0 = none)");
}

static void test_refused(void **state)
{
	refused("qos TRUE\nlmc 9\n", "x.conf:2: lmc: found '9', expected a number from 0 to 7");
	refused("lmc banana\nlmc 1\n", "x.conf:1: lmc: found 'banana', expected a number from 0 to 7");
	refused("lmc\n", "x.conf:1: lmc: found '', expected a number from 0 to 7");
	refused("routing_engine updn\nscatter_ports 5x\n",
		"x.conf:2: scatter_ports: found '5x', expected a number from 0 to 4294967295");
	refused("max_reverse_hops 70000\n",
		"x.conf:1: max_reverse_hops: found '70000', expected a number from 0 to 65535");
	refused("max_reverse_hops -1\n",
		"x.conf:1: max_reverse_hops: found '-1', expected a number from 0 to 65535");
	refused("\n\nroot_guid_file /nowhere/roots\n",
		"x.conf:3: root_guid_file: /nowhere/roots: No such file or directory; "
		"expected a file that can be read");
}

static void test_files(void **state)
{
	AUTO_TEMP char *folder = temp_folder();
	AUTO_FREE char *name = str_printf("%s/a file", folder);

	file_write(name, "");
	value(line_of("root_guid_file %s  # roots\n", name), "root_guid_file", name);
	value(line_of("dimn_ports_file \"%s\"\n", name), "port_search_ordering_file", name);
	value(line_of("root_guid_file %s\nroot_guid_file (null)\n", name), "root_guid_file", "");
	noted("root_guid_file \"\"\n",
	      "x.conf:1: root_guid_file: no value, taken as none (OpenSM would try to open a "
	      "file without name)\n");
	if (access("/etc/opensm/torus-2QoS.conf", R_OK))
		value("torus_config /etc/opensm/torus-2QoS.conf\n", "torus_config", "");
	value("torus_config /usr/local/etc/opensm/torus-2QoS.conf\n", "torus_config", "");
}

/* OpenSM takes 1022 characters at a time; what follows is another line. */
static void test_long_lines(void **state)
{
	char text[1100];

	memset(text, ' ', sizeof(text));
	memcpy(text, "lmc 1", 5);
	memcpy(text + 1022, "qos TRUE\n", 10);
	value(text, "lmc", "1");
	value(text, "qos", "TRUE");
	memcpy(text + 1022, "qos what\n", 10);
	noted(text, "x.conf:1: qos: only TRUE is true to OpenSM, anything else counts as FALSE\n");
	memset(text, '#', 1022);
	memcpy(text + 1022, "qos TRUE\n", 10);
	value(text, "qos", "TRUE");
}

static void test_zero_bytes(void **state)
{
	static const char text[] = "lmc 1\0 7\nqos TRUE\n";
	AUTO_READ struct read r = parse_n(text, sizeof(text) - 1);

	assert_int_equal(r.rc, 0);
	assert_int_equal(options_uint(r.o, "lmc"), 1);
	assert_true(options_bool(r.o, "qos"));
	assert_non_null(strstr(text_str(&r.notes),
			       "x.conf:1: found a NUL byte as character 6, expected text; "
			       "OpenSM does not read what stands behind it"));
}

static void test_no_text(void **state)
{
	refused("\xef\xbb\xbfqos TRUE\n", "x.conf:1: found a byte order mark (EF BB BF) before the text, "
					  "expected none (take it off: tail -c +4)");
	refused("qos TRUE\rlmc 1\r", "x.conf:1: found lines that end in CR alone (convert them first: tr "
				     "'\\r' '\\n'), expected text");
	refused("PK\3\4 and more", "x.conf:1: found a zip archive (unpack it first: unzip), expected text");
}

static void test_keeps_others(void **state)
{
	AUTO_READ struct read r = parse("lmc 2\n");
	const struct input in = {.name = "y.conf", .data = "lmc 3\nlash_start_vl 1\n", .size = 22};
	struct err e;

	assert_int_equal(options_set(r.o, "qos", "TRUE", &e), 0);
	free(r.engines);
	assert_int_equal(conf_parse(r.o, &in, &r.engines, NULL, &e), 0);
	assert_int_equal(options_uint(r.o, "lmc"), 3);
	assert_true(options_bool(r.o, "qos"));
}

static void test_read(void **state)
{
	AUTO_TEMP char *name = temp_file("lmc 1\nrouting_engine dor");
	AUTO_READ struct read r = {.o = options_new(tables)};

	assert_int_equal(conf_read(r.o, name, NULL, &r.engines, &r.notes, &r.e), 0);
	assert_string_equal(r.engines, "dor");
	assert_int_equal(options_uint(r.o, "lmc"), 1);
	free(r.engines);
	assert_int_equal(conf_read(r.o, "/nowhere/opensm.conf", NULL, &r.engines, &r.notes, &r.e), -1);
	assert_string_equal(r.e.msg, "/nowhere/opensm.conf: No such file or directory");
	assert_int_equal(conf_read(r.o, "/", NULL, &r.engines, &r.notes, &r.e), -1);
	assert_string_equal(r.e.msg, "/: cannot be read: Is a directory");
	assert_int_equal(conf_read(r.o, "/dev/zero", NULL, &r.engines, &r.notes, &r.e), -1);
	assert_string_equal(r.e.msg, "/dev/zero: found more than 16 MiB, the most that is read");
	assert_null(r.engines);
}

/* A file without an option of OpenSM is of another kind, and said to be. */
static void test_other_files(void **state)
{
	static const struct {
		const char *text, *part;
	} files[] = {
		{"Default=0x7fff,ipoib: ALL=full;\n", "x.conf: found OpenSM's partitions (partitions.conf), "
						      "which have no bearing on routes, expected "
						      "options of OpenSM (opensm.conf)"},
		{"0xa1 \"leaf one\"\n",
		 "x.conf: found a node-name-map, expected options of OpenSM (opensm.conf); `names FILE` or "
		 "--node-name-map takes it"},
		{"0xa1\n0xa2\n",
		 "x.conf: found a list of GUIDs (root_guid_file and its like), expected options"},
		{"0xa1 1\n", "x.conf: found GUIDs with numbers behind them (a port-profile, "},
		{"qos-ulps\n default: 0\nend-qos-ulps\n", "x.conf: found a policy (port groups, QoS)"},
		{"vendid=0x2c9\n",
		 "x.conf: found a fabric, expected options of OpenSM (opensm.conf); `load FILE` reads"},
		{"{ SW Ports:24 SystemGUID:1\n", "x.conf: found a fabric"},
		{"START_NODES\n", "x.conf: found a fabric"},
		{"Switch 8 \"a\"\n", "x.conf: found a fabric"},
		{"SW    24 1 0xa1 4x SDR     'a'\n", "x.conf: found a fabric"},
		{"  2  1[  ] ==( Down/ Polling)==>   [  ] \"\" ( )\n", "x.conf: found a fabric"},
		{"# c\n\nrouting-engine updn\n", "x.conf:3: found 'routing-engine updn' and no option of "
						 "OpenSM; expected lines of opensm.conf, as"},
		{"# This database file was automatically generated by IBDIAG\n",
		 "x.conf: found a file of ibdiagnet"},
	};

	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		AUTO_READ struct read r = parse(files[i].text);

		assert_int_equal(r.rc, -1);
		assert_null(r.engines);
		if (!strstr(r.e.msg, files[i].part))
			fail_msg("expected \"%s\" in \"%s\"", files[i].part, r.e.msg);
	}
	/* one option is enough, and so is saying nothing */
	noted("Default=0x7fff\nlmc 1\n", NULL);
	noted("# all is as by default\n\n", NULL);
	noted("daemon FALSE\n", "x.conf: 1 option that does not concern routing was skipped\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),	    cmocka_unit_test(test_only_true_is_true),
		cmocka_unit_test(test_nvidia_keys), cmocka_unit_test(test_engines),
		cmocka_unit_test(test_keys),	    cmocka_unit_test(test_guid),
		cmocka_unit_test(test_refused),	    cmocka_unit_test(test_files),
		cmocka_unit_test(test_long_lines),  cmocka_unit_test(test_zero_bytes),
		cmocka_unit_test(test_no_text),	    cmocka_unit_test(test_keeps_others),
		cmocka_unit_test(test_other_files), cmocka_unit_test(test_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
