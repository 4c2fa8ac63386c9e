/* The reader of ibsim files. */
#include "tests/unit/formats.h"

static void test_ibsim_defaults(void **state)
{
	AUTO_FABRIC struct fabric *f = load(FILES "ibsim-defaults.net");

	assert_string_equal(f->format, "ibsim");
	assert_int_equal(f->n_nodes, 9);
	assert_int_equal(f->warnings.n, 1);
	one_warning(f, "slow link", 0, "is 1xDDR, a link beside it is 4xSDR");
	assert_int_equal(sm_node(f), 0x5000);
	linked(f, 0x5000, 1, 0x5001, 2);
	linked(f, 0x5000, 2, 0x100000, 1);
	linked(f, 0x5000, 5, 0x100003, 1);
	linked(f, 0x5000, 6, 5, 1);
	linked(f, 0x5000, 7, 0x5000, 8);
	assert_int_equal(f->node_type[node(f, 5)], NODE_ROUTER);
	assert_int_equal(f->node_type[node(f, 8)], NODE_ROUTER);
	assert_int_equal(f->node_nports[node(f, 0x5003)], 3); /* switchguid+3 */
	assert_int_equal(f->node_nports[node(f, 9)], 3);      /* switchguid=+9 */
	assert_int_equal(f->node_type[node(f, 0x100006)], NODE_CA);
	assert_int_equal(f->port_guid[port(f, 0x100003, 1)], 0x100004); /* whatever stands in parentheses */
	assert_int_equal(f->port_guid[port(f, 0x5000, 0)], 0x5000);
	assert_int_equal(f->port_lid[port(f, 0x5000, 0)], 7);
	assert_int_equal(f->port_lmc[port(f, 0x5000, 0)], 2);
	assert_int_equal(f->port_lid[port(f, 0x5001, 0)], 5);
	assert_int_equal(f->port_lmc[port(f, 0x5001, 0)], 1);
	assert_int_equal(f->port_lid[port(f, 0x100000, 1)], 11);
	assert_int_equal(f->port_lid[port(f, 0x100000, 2)], 16);
	assert_int_equal(f->port_lid[port(f, 5, 1)], 0); /* a router's is not taken */
	assert_string_equal(desc(f, 0x5001), "plain name # with");
	assert_string_equal(desc(f, 0x100000), "lid 1 \"foo\"");
	assert_string_equal(desc(f, 0x100003), "h4");
	assert_int_equal(f->node_sysguid[node(f, 0x5000)], 0x77);
	assert_int_equal(f->node_sysguid[node(f, 0x5001)], 0x5001);
	assert_int_equal(f->node_vendor[node(f, 0x5001)], 0);
	assert_int_equal(f->node_device[node(f, 0x100003)], 0x1234);
	assert_int_equal(f->port_width[port(f, 0x5000, 2)], WIDTH_1X);
	assert_int_equal(f->port_speed[port(f, 0x100000, 1)], SPEED_DDR);
	assert_int_equal(f->port_width[port(f, 0x5000, 1)], WIDTH_4X);
	assert_int_equal(f->port_speed[port(f, 0x5000, 1)], SPEED_SDR);
}

static void test_ibsim_modules(void **state)
{
	AUTO_FABRIC struct fabric *f = load(FILES "ibsim-modules.net");

	assert_int_equal(f->n_nodes, 7);
	assert_string_equal(desc(f, 0x200000), "m1#A");
	linked(f, 0x200000, 1, 0x200001, 1);
	linked(f, 0x200002, 1, 0x200000, 3); /* "m1@up" */
	linked(f, 0x200002, 2, 0x200000, 2); /* "m1@dn" */
	linked(f, 0x200004, 3, 0x200003, 1); /* "@al" */
	linked(f, 0x200004, 4, 0x200005, 2);
	one_warning(f, "port cabled to itself", 14, "port 4 is cabled to itself");
}

static void test_ibsim_include(void **state)
{
	AUTO_FABRIC struct fabric *f = load(FILES "include/top.net");

	assert_int_equal(f->n_nodes, 3);
	assert_int_equal(f->warnings.n, 0);
	assert_int_equal(sm_node(f), 0x100000); /* the innermost file comes first */
	linked(f, 0x200001, 1, 0x200000, 1);
	linked(f, 0x200001, 2, 0x200000, 2); /* do Link */
	linked(f, 0x100000, 1, 0x200000, 3);
	refused("include \"no/such.net\"\n", "x:1: include: no/such.net: cannot be opened: No such file");
	refused("include \"" FILES "include/top.net\"\nSwitch 0 \"A\"\n",
		"x:2: found a node without a number of ports");
}

static void test_ibsim_include_itself(void **state)
{
	AUTO_TEMP char *name = temp_file("");
	struct fabric *f = NULL;
	struct err e = {0};

	file_write(name, line_of("include \"%s\"\n", name));
	assert_int_equal(fabric_load(name, &f, NULL, &e), -1);
	assert_non_null(strstr(e.msg, "found too many includes inside each other, expected at most 9"));
}

static void test_ibsim_line_behind_ports(void **state)
{
	AUTO_FABRIC struct fabric *f =
		parse("Switch 2 \"A\"\n[1] \"B\"[1]\nswitchguid=0x77\nSwitch 2 \"B\"\n[1] \"A\"[1]\n");

	linked(f, 0x200000, 1, 0x200001, 1);
	one_warning(f, "lost line", 3, "ibsim skips the line right behind a node's ports");
	AUTO_FABRIC struct fabric *g = parse(
		"Switch 2 \"A\"\n[1] \"B\"[1]\nSwitch 2 \"C\"\n\nSwitch 2 \"B\"\n[1] \"A\"[1]\n" MORE_IBSIM);
	one_warning(
		g, "unread line", 3,
		"x:3: found 'Switch 2 \"C\"', expected an empty line between: ibsim skips the line right");
	assert_true(g->warnings.w[0].missing);
	refused("Switch 2 \"A\"\n[1] \"B\"[1]\nSwitch 2 \"C\"\n\nSwitch 2 \"B\"\n[1] \"A\"[1]\n",
		"x:3: found 'Switch 2 \"C\"'");
}

/* Lines are taken 255 bytes at a time; what is left ends the record. */
static void test_ibsim_long_line(void **state)
{
	char pad[300];

	memset(pad, 'z', sizeof(pad));
	pad[sizeof(pad) - 1] = 0;
	AUTO_FREE char *s =
		str_printf("Switch 2 \"A\"\n[1] \"B\"[1] # %s\n[2] \"B\"[2]\n\nSwitch 2 \"B\"\n[1] "
			   "\"A\"[1]\n" MORE_IBSIM,
			   pad);
	AUTO_FABRIC struct fabric *f = parse(s);
	linked(f, 0x200000, 1, 0x200001, 1);
	assert_int_equal(f->n_links, 1);
	assert_int_equal(count_warnings(f, "lost line"), 1);
	assert_int_equal(count_warnings(f, "unread line"), 1);
}

static void test_ibsim_rates(void **state)
{
	static const struct {
		const char *a, *b;
		enum link_width w;
		enum link_speed s;
	} t[] = {
		{"", "", WIDTH_4X, SPEED_SDR},
		{" # lid 1 4xQDR", " # lid 1 4xDDR", WIDTH_4X, SPEED_DDR},
		{" # \"x\" lid 1 4xHDR", " # \"x\" lid 1 4xEDR", WIDTH_4X, SPEED_EDR},
		{" # \"x\" lid 1 4xFDR10", " # \"x\" lid 1 4xFDR10", WIDTH_4X, SPEED_FDR10},
		{" w=1", "", WIDTH_1X, SPEED_SDR},
		{" s=4", " s=7", WIDTH_4X, SPEED_QDR},
		{" s=1 e=7", " s=7 e=3", WIDTH_4X, SPEED_EDR},
		{" # \"x\" lid 1 1xSDR", " # \"x\" lid 1 4xSDR", WIDTH_1X, SPEED_SDR},
	};

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		AUTO_FREE char *s = str_printf(
			"Switch 2 \"A\"\n[1] \"B\"[1]%s\n\nSwitch 2 \"B\"\n[1] \"A\"[1]%s\n", t[i].a, t[i].b);
		AUTO_FABRIC struct fabric *f = parse(s);

		linked(f, 0x200000, 1, 0x200001, 1);
		assert_int_equal(f->port_width[port(f, 0x200000, 1)], t[i].w);
		assert_int_equal(f->port_speed[port(f, 0x200001, 1)], t[i].s);
	}
	{
		AUTO_FABRIC struct fabric *f =
			parse("speed=7\nwidth=1\nextspeed=1\nSwitch 2 \"A\"\n[1] \"A\"[2]\n[2] \"A\"[1]\n");

		assert_int_equal(f->port_width[port(f, 0x200000, 1)], WIDTH_1X);
		assert_int_equal(f->port_speed[port(f, 0x200000, 1)], SPEED_FDR);
	}
}

/* Each line is wrong in one place more to the right than the one before. */
static void test_ibsim_wrong_lines(void **state)
{
	static const struct {
		const char *line, *found; /* behind `Switch 2 "A"` */
	} ports[] = {
		{"[", "wrong port number"},
		{"[x]", "wrong port number"},
		{"[1", "wrong port number"},
		{"[1]", "without the id"},
		{"[1] \"B", "without the id"},
		{"[1](b2) B", "without the id"},
		{"[1] \"B\"[", "at the other end"},
		{"[1] \"B\"[x]", "at the other end"},
		{"[1] \"B\"[1", "at the other end"},
		{"[1] \"B\"[0]", "at the other end"},
		{"[1] \"B\"[300]", "at the other end"},
		{"[1] \"B\"[1] w=32", "wrong w="},
		{"[1] \"B\"[1] w=x", "wrong w="},
		{"[1] \"B\"[1] e=16", "wrong w="},
		{"@", "wrong name of a port"},
		{"@[", "wrong name of a port"},
		{"@[x] \"n\"", "wrong name of a port"},
		{"@[1 \"n\"", "wrong name of a port"},
		{"@[1] n", "wrong name of a port"},
		{"@[0] \"n\"", "wrong name of a port"},
	};
	static const char *const settings[] = {
		"width",	"width=",	"width=x",	"speed",      "speed=8",
		"extspeed=16",	"vendid",	"vendid=",	"vendid=x",   "devid",
		"devid=",	"sysimgguid",	"sysimgguid=x", "switchguid", "switchguid=",
		"switchguid=x", "switchguid+x", "caguid",	"hcaguid=x",  "caguids+",
		"rtguid",	"rtguid=x",	"module",	"module=",    "module=x",
	};
	static const char *const links[] = {"do Link",
					    "do Link A",
					    "do Link \"A\"",
					    "do Link \"A\"[",
					    "do Link \"A\"[x]",
					    "do Link \"A\"[1",
					    "do Link \"A\"[1] \"B\"",
					    "do Link \"A\"[1] \"B\"[x]",
					    "do Link \"A\"[9] \"A\"[1]",
					    "do Link \"A\"[1] \"A\"[9]"};

	for (size_t i = 0; i < ARRAY_LEN(ports); i++)
		refused(line_of("Switch 2 \"A\"\n%s\n", ports[i].line), ports[i].found);
	for (size_t i = 0; i < ARRAY_LEN(settings); i++)
		refused(line_of("%s\nSwitch 2 \"A\"\n", settings[i]),
			"x:1: found a value that cannot be used");
	for (size_t i = 0; i < ARRAY_LEN(links); i++)
		refused(line_of("Switch 2 \"A\"\n\n%s\n", links[i]), "x:3: found a");
	refused("Switch\n", "found no node");
	refused("Switch 2 \"A\"\n\nSwitch 0 \"B\"\n", "x:3: found a node without a number of ports");
	refused("Switch 2 \"A\"\n\nSwitch x \"B\"\n", "x:3: found a node without a number of ports");
	refused("Switch 2 \"A\"\n\nSwitch 2 \"\"\n", "x:3: found a node without id");
	refused("Switch 2 \"A\"\n\nSwitch 2 \"A@b\"\n", "x:3: found '#' or '@'");
	refused("Switch 2 \"A\"\n\ninclude\n", "include without a file");
	refused("Switch 2 \"A\"\n\ninclude \"\"\n", "include without a file");
	{
		AUTO_FABRIC struct fabric *f =
			parse("Switch 2 \"A\"\n[1] \"B\"[1]\n\nSwitch 2 \"B\"\n\ndo Unlink \"A\"[1]\n");

		assert_int_equal(count_warnings(f, "console command"), 1);
		assert_int_equal(f->n_links, 1);
	}
}

static void test_ibsim_errors(void **state)
{
	refused("Switch \"A\"\n", "found no node");
	refused("Switch 4 \"A\"\n\nSwitch 4 B\n",
		"x:3: found a node without id, expected an id in double quotes");
	refused("Switch 4 \"A#b\"\n", "x:1: found '#' or '@' in a node's id");
	refused("Switch 300 \"A\"\n", "x:1: found a switch with 300 ports, expected at most 254");
	refused("Switch 2 \"A\"\n[3] \"B\"[1]\n", "x:2: found a wrong port number, expected [1] up to");
	refused("Switch 2 \"A\"\n[0] \"B\"[1]\n", "x:2: found a wrong port number");
	refused("Switch 2 \"A\"\n[1] B\n", "x:2: found a port without the id of the other end");
	refused("Switch 2 \"A\"\n[1] \"B\"[1] s=9\n", "x:2: found a wrong w=, s= or e= value");
	refused("width=99\nSwitch 2 \"A\"\n", "x:1: found a value that cannot be used");
	refused("Switch 2 \"A\"\n\ndo Link \"A\"[1] \"Z\"[1]\n", "x:3: found a link to an unknown node");
	refused("Switch 2 \"A\"\n\ndo Link \"A\"[1]\n", "x:3: found a wrong Link command");
	refused("Switch 2 \"A\"\n@[7] \"n\"\n", "x:2: found a wrong name of a port");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ibsim_defaults),
		cmocka_unit_test(test_ibsim_modules),
		cmocka_unit_test(test_ibsim_include),
		cmocka_unit_test(test_ibsim_include_itself),
		cmocka_unit_test(test_ibsim_line_behind_ports),
		cmocka_unit_test(test_ibsim_long_line),
		cmocka_unit_test(test_ibsim_rates),
		cmocka_unit_test(test_ibsim_errors),
		cmocka_unit_test(test_ibsim_wrong_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
