/* Lines of fabrics that are right but for one place: what each reader makes of the rest. */
#include "tests/unit/formats.h"

#include <infiniband/mad.h>
#include <sys/stat.h>

static struct fabric *parse_parts(const char *a, const char *b, const char *c)
{
	AUTO_FREE char *text = str_printf("%s%s%s", a, b, c);

	return parse(text);
}

/* --- ibnetdiscover ---------------------------------------------------------------------------- */

/* A switch and a host; the switch's lines before and behind its own are given. */
static struct fabric *two_nodes(const char *before, const char *ports)
{
	AUTO_FREE char *text = str_printf("vendid=0x2c9\n%s%s%s\n%s", before, SW_LINE, ports, CA_RECORD);

	return parse(text);
}

static void test_chassis(void **state)
{
	static const struct {
		const char *before, *place;
		unsigned chassis;
	} table[] = {
		{"sysimgguid=0xa0\t\t# Chassis 3\nswitchguid=0xa1(a1)\t# ISR Spine 1  \n", "ISR Spine 1", 3},
		{"sysimgguid=0xa0\t\t# Chassis x\nswitchguid=0xa1(a1)\t#   \n", NULL, 0},
		{"sysimgguid=0xa0\t\t# Chassis 70000\nswitchguid=0xa1(a1)\n", NULL, 0},
		{"sysimgguid=0xa0\t\t# Rack 3\nswitchguid=0xa1(a1\n", NULL, 0},
		{"sysimgguid=0xa0\t\tChassis 3\nswitchguid=0xa1(zz)\n", NULL, 0},
		{"Chassis 70000 (guid 0x1)\nsysimgguid=0xa0\nswitchguid=0xa1\n", NULL, 0},
		{"Chassis 7\nsysimgguid=0xa0\nswitchguid=0xa1\n", NULL, 7},
	};

	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		AUTO_FABRIC struct fabric *f = two_nodes(table[i].before, SW_PORT);
		uint32_t n = node(f, 0xa1);

		assert_int_equal(f->node_chassis[n], table[i].chassis);
		if (table[i].place)
			assert_string_equal(f->node_chassis_place[n], table[i].place);
		else
			assert_null(f->node_chassis_place[n]);
		assert_int_equal(f->warnings.n, 0);
	}
}

/* Nodes whose id tells no GUID, with and without the line that does. */
static void test_ids(void **state)
{
	static const char *const bad[] = {"S-00000000000000g1", "S-0000000000000g01", "S_00000000000000a1",
					  "X-00000000000000a1", "S-a1"};
	struct fabric *f;

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		char *text =
			str_printf("%sSwitch\t4 \"%s\"\t# \"odd\"\n" MORE_RECORDS, CA_RECORD "\n", bad[i]);

		f = parse(text);
		assert_int_equal(f->n_nodes, 4);
		warns(f, "unread line", 0,
		      "1 line of nodes, ports or cables not understood and left out: line 8; x:8: found "
		      "'Switch 4 \"");
		fabric_unref(f);
		free(text);
		text = str_printf(
			"%s\nswitchguid=0xa1\nSwitch\t4 \"%s\"\t# \"odd\"\n[1] \"H-00000000000000b1\"[1]\n",
			CA_RECORD, bad[i]);
		f = parse(text);
		assert_string_equal(desc(f, 0xa1), "odd");
		assert_int_equal(count_warnings(f, "unread line"), 0);
		fabric_unref(f);
		free(text);
	}
	/* the GUID before the line is another than that in the id */
	f = parse(SW_HEAD "Switch\t4 \"S-00000000000000a2\"\t# \"odd\"\n" CA_RECORD);
	warns(f, "impossible value", 0,
	      "found the GUID 0x00000000000000a1 before the node \"S-00000000000000a2\"");
	fabric_unref(f);
}

/* Port lines that end or differ somewhere: left out and told, or taken as far as they go. */
static void test_ports(void **state)
{
	static const char *const bad[] = {
		"[1",
		"[1 \"H-00000000000000b1\"[1]",
		"[1]",
		"[1] \"H-00000000000000b1\"[x]",
		"[1] \"open",
		"[1] \"H-00000000000000b1\"[1",
		"[1] \"H-b1\"[255]",
		"[0] \"H-00000000000000b1\"[1]",
		"[x] \"H-00000000000000b1\"[1]",
	};
	static const char *const prompts[] = {"[", "[root@host ~]# more"};
	static const char *const good[] = {
		"[1][ext 300]\t\"H-00000000000000b1\"[1](b2) # \"host\" lid 4 4xHDR\n",
		"[1][ext x]\t\"H-00000000000000b1\"[1](b2) # \"host\" lid 4 4xHDR\n"};
	struct fabric *f;
	char *text;

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		char *ports = str_printf(SW_PORT "%s\n", bad[i]);

		f = two_nodes("switchguid=0xa1(a1)\n", ports);
		linked(f, 0xa1, 1, 0xb1, 1);
		warns(f, "unread line", 0,
		      "1 line of nodes, ports or cables not understood and left out: line 5; x:5: found '[");
		fabric_unref(f);
		/* two of twelve are too many */
		free(ports);
		ports = str_printf(SW_PORT "%s\n%s\n", bad[i], bad[i]);
		text = str_printf("vendid=0x2c9\nswitchguid=0xa1\n%s%s" CA_RECORD, SW_LINE, ports);
		refused(text,
			"expected [PORT] \"ID\"[PORT] below its node's line, with ports of 1 to 254; 2 of "
			"12 lines of nodes, ports and cables are not understood");
		free(text);
		free(ports);
	}
	for (size_t i = 0; i < ARRAY_LEN(prompts); i++) {
		AUTO_FREE char *ports = str_printf(SW_PORT "%s\n", prompts[i]);

		f = two_nodes("switchguid=0xa1(a1)\n", ports);
		warns(f, "unknown line", 0, "1 line not understood and skipped: line 5");
		assert_int_equal(f->warnings.missing, 0);
		fabric_unref(f);
	}
	f = two_nodes("switchguid=0xa1(a1)\n", good[0]);
	assert_int_equal(f->port_ext[port(f, 0xa1, 1)], 0);
	assert_int_equal(f->port_speed[port(f, 0xa1, 1)], SPEED_HDR);
	assert_int_equal(f->warnings.n, 0);
	fabric_unref(f);
	f = two_nodes("switchguid=0xa1(a1)\n", good[1]);
	warns(f, "unread line", 0, "line 4");
	fabric_unref(f);
}

/* Comments of port lines: LIDs, LMC and rate, each only when it is one. */
static void test_port_comments(void **state)
{
	static const struct {
		const char *comment;
		unsigned lid, lmc, speed;
	} table[] = {
		{"# lid 4 lmc 1 \"sw\" lid 3 4xHDR", 4, 1, SPEED_HDR},
		{"# lid 4 lmc x \"sw\" lid 3 4xHDR\t", 4, 0, SPEED_HDR},
		{"# lid 4 \"sw\" lid 3 4xHDR more", 4, 0, SPEED_HDR},
		{"# lid x \"sw\" lid x 4xHDR", 0, 0, SPEED_UNKNOWN},
		{"# \"sw\" 4xHDR", 0, 0, SPEED_UNKNOWN},
		{"# \"sw", 0, 0, SPEED_UNKNOWN},
		{"#", 0, 0, SPEED_UNKNOWN},
		{"", 0, 0, SPEED_UNKNOWN},
	};

	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		char *text =
			str_printf("%s%s\ncaguid=0xb1\nCa\t1 \"H-00000000000000b1\"\t# \"h\"\n[1] "
				   "\"S-00000000000000a1\"[1] %s\n",
				   SW_HEAD SW_LINE, "[1] \"H-00000000000000b1\"[1](b2)\n", table[i].comment);
		AUTO_FABRIC struct fabric *f = parse(text);
		uint32_t p = port(f, 0xb1, 1);

		linked(f, 0xa1, 1, 0xb1, 1);
		assert_int_equal(f->port_lid[p], table[i].lid);
		assert_int_equal(f->port_lmc[p], table[i].lmc);
		assert_int_equal(f->port_speed[p], table[i].speed);
		assert_int_equal(f->port_guid[p], 0xb2); /* told by the other end alone */
		free(text);
	}
}

/* Prompts of a terminal behind the text are no records cut off; port lines are. */
static void test_last_line(void **state)
{
	static const struct {
		const char *end;
		bool cut;
	} table[] = {
		{"[root@host ~]#", false}, {"[ x", false}, {"[", false}, {"[2] \"H", true}, {"Rt", true}};

	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		AUTO_FABRIC struct fabric *f =
			parse_parts(SW_HEAD SW_LINE SW_PORT "\n" CA_RECORD "\n", table[i].end, "");

		assert_int_equal(count_warnings(f, "cut record"), table[i].cut);
	}
}

/* --- cables named at both ends ------------------------------------------------------------------ */

static void test_cables(void **state)
{
	struct fabric *f =
		parse("Switch 4 \"a\"\n[1] \"b\"[9]\n[2] \"b\"[9]\n[3] \"c\"[1]\n\nSwitch 4 \"b\"\n[1] "
		      "\"c\"[1]\n\nSwitch 2 \"c\"\n[1] \"b\"[1]\n");

	warns(f, "port above count", 0,
	      "port 9 of a switch that has 4 ports by its own count; taken as 9 ports");
	linked(f, 0x200000, 1, 0x200001, 9);
	warns(f, "contradicting link", 0, "port 2 is cabled to \"b\"[9], which is cabled elsewhere");
	warns(f, "contradicting link", 1, "port 3 is cabled to \"c\"[1], which names \"b\"[1]");
	linked(f, 0x200001, 1, 0x200002, 1);
	fabric_unref(f);
	f = parse("Hca 2 \"a\"\n[1] \"r\"[7]\n\nRt 2 \"r\"\n[1] \"no\"[1]\n[2] \"gone\"[1]\n");
	warns(f, "port above count", 0, "port 7 of a router that has 2 ports");
	assert_int_equal(count_warnings(f, "dangling link"), 2);
	fabric_unref(f);
	f = parse("Hca 2 \"a\"\n[1] \"h\"[7]\n\nHca 2 \"h\"\n\nSwitch 1 \"s\"\n[1] \"h\"[1]\n");
	warns(f, "port above count", 0, "port 7 of a channel adapter that has 2 ports");
	fabric_unref(f);
	f = parse("Hca 1 \"a\"\n\nHca 1 \"b\"\n");
	warns(f, "place of the subnet manager", 0, "neither has any other");
	assert_int_equal(f->sm_endport, NO_ID);
	fabric_unref(f);
	f = parse("Hca 1 \"a\"\n\nHca 2 \"b\"\n[2] \"c\"[1]\n\nHca 1 \"c\"\n[1] \"b\"[2]\n");
	warns(f, "place of the subnet manager", 0, "taken to run at the first one that has");
	fabric_unref(f);
}

/* --- ibsim ---------------------------------------------------------------------------------------- */

static char folder[] = "/tmp/ibscope-odd-XXXXXX";

static char *put(const char *name, const char *text)
{
	char *path = str_printf("%s/%s", folder, name);
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	return path;
}

static void test_ibsim_descriptions(void **state)
{
	static const struct {
		const char *behind, *desc;
		unsigned lid, lmc;
	} table[] = {
		{"# \"open", "\"open", 0, 0},
		{"# \"\" lid 3", "a", 3, 0},
		{"# name   ", "name", 0, 0},
		{"#", "a", 0, 0},
		{"#  ", "a", 0, 0},
		{"", "a", 0, 0},
		{"# n lid x lmc y", "n", 0, 0},
		{"# n lid 70000 lmc 9", "n", 0, 0},
		{"# n lid 5 lmc 2", "n", 5, 2},
	};

	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		AUTO_FREE char *text = str_printf("Switch 4 \"a\" %s\n", table[i].behind);
		AUTO_FABRIC struct fabric *f = parse(text);

		assert_string_equal(f->node_desc[0], table[i].desc);
		assert_int_equal(f->port_lid[port(f, 0x200000, 0)], table[i].lid);
		assert_int_equal(f->port_lmc[port(f, 0x200000, 0)], table[i].lmc);
	}
}

/* Rates and LIDs in the comments of port lines, and in w=, s=, e=. */
static void test_ibsim_rates(void **state)
{
	static const struct {
		const char *a, *b; /* behind the two ends of a cable: of a host and of a switch */
		unsigned width, speed, lid, lmc;
	} table[] = {
		{"", "", WIDTH_4X, SPEED_SDR, 0, 0},
		{" # lid 4 lmc 1 \"s\" lid 3 4xEDR", " # \"h\" lid 4 4xEDR", WIDTH_4X, SPEED_EDR, 4, 1},
		{" # lid 70000 lmc 9 \"s\" lid 3 4xQDR", " # \"h\" lid 4 4xQDR", WIDTH_4X, SPEED_QDR, 0, 0},
		{" # lid x \"s\" lid 3 4xQDR", " # \"h\" lid 4 4xQDR ok", WIDTH_4X, SPEED_QDR, 0, 0},
		{" # lid 4 lmc x \"s\" lid x 4xQDR", " # \"h\" 4xQDR", WIDTH_4X, SPEED_SDR, 4, 0},
		{" # lid 4 \"s\" lid 3 QDR", " # lid 4 4xQDR", WIDTH_4X, SPEED_QDR, 4, 0},
		{" # \"s\" lid 3 4xFDR10", " # \"h\" lid 4 4xFDR10", WIDTH_4X, SPEED_FDR10, 0, 0},
		{" # lid 4", " # lid 4 4x", WIDTH_4X, SPEED_SDR, 4, 0},
		{" w=4 s=2 e=1", " w=7 s=3 e=1 #", WIDTH_8X, SPEED_FDR, 0, 0},
		{" w=16 s=1", " w=31 s=7", WIDTH_2X, SPEED_SDR, 0, 0},
		{" w=8 s=2 z=3", " =2 w=15 s=2", WIDTH_12X, SPEED_DDR, 0, 0},
		{" w=1 s=4", " w=1 s=4", WIDTH_1X, SPEED_QDR, 0, 0},
		{" w=1 s=4", " w=8 s=2", WIDTH_UNKNOWN, SPEED_UNKNOWN, 0, 0},
	};

	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		AUTO_FREE char *text =
			str_printf("Hca 1 \"h\"\n[1] \"s\"[1]%s\n\nSwitch 4 \"s\"\n[1] \"h\"[1]%s\n",
				   table[i].a, table[i].b);
		AUTO_FABRIC struct fabric *f = parse(text);
		uint32_t p = port(f, 0x100000, 1);

		linked(f, 0x100000, 1, 0x200000, 1);
		assert_int_equal(f->port_width[p], table[i].width);
		assert_int_equal(f->port_speed[p], table[i].speed);
		assert_int_equal(f->port_lid[p], table[i].lid);
		assert_int_equal(f->port_lmc[p], table[i].lmc);
	}
	refused("Switch 4 \"s\"\n[1] \"h\"[1] w=32\n", "x:2: found a wrong w=, s= or e= value");
	refused("Switch 4 \"s\"\n[1] \"h\"[1] w=x\n", "x:2: found a wrong w=, s= or e= value");
}

static void test_ibsim_names(void **state)
{
	static const char *const alias[] = {"@",      "@[x] \"n\"", "@[1 \"n\"",
					    "@[1] n", "@[0] \"n\"", "@[5] \"n\""};
	char longest[200];

	/* within a module: its own aliases, names that have a module, names too long for ibsim */
	struct fabric *f = parse(
		"module=\"m\"\nSwitch 4 \"a\"\n@[2] \"up\"\n\nSwitch 4 \"b\"\n[1] \"@up\"\n[2] \"m#a\"[3]\n");
	linked(f, 0x200001, 1, 0x200000, 2);
	linked(f, 0x200001, 2, 0x200000, 3);
	fabric_unref(f);
	memset(longest, 'n', 120);
	longest[120] = 0;
	char *text = str_printf("module=\"m\"\nSwitch 4 \"%s\"\n[1] \"%s\"[2]\n", longest, longest);
	f = parse(text);
	assert_int_equal(f->n_links, 1);
	fabric_unref(f);
	free(text);
	for (size_t i = 0; i < ARRAY_LEN(alias); i++) {
		text = str_printf("Switch 4 \"a\"\n%s\n", alias[i]);
		refused(text, "x:2: found a wrong name of a port, expected @[port] \"name\"");
		free(text);
	}
	/* letters behind the word, blanks before it, port lines of a node that is left out */
	f = parse("Switches 4 \"a\"\n[1] \"b\"[1]\n\nSwitch 4 \"a\"\n[1] \"b\"[1]\n\n Switch 4 \"c\"\n  "
		  "\nodd\n" MORE_IBSIM);
	assert_int_equal(f->n_nodes, 21);
	warns(f, "duplicate name", 0, "a second node is called \"a\"");
	warns(f, "unread line", 0,
	      "line 7; x:7: found 'Switch 4 \"c\"', expected a node's line without blanks before it");
	warns(f, "unknown line", 0, "1 line not understood and skipped: line 9");
	fabric_unref(f);
}

static void test_ibsim_refused(void **state)
{
	static const struct {
		const char *text, *part;
	} table[] = {
		{"Switch 4 \"a\"\n[x] \"b\"[1]\n", "x:2: found a wrong port number"},
		{"Switch 4 \"a\"\n[1 \"b\"[1]\n", "x:2: found a wrong port number"},
		{"Switch 4 \"a\"\n[0] \"b\"[1]\n", "x:2: found a wrong port number"},
		{"Switch 4 \"a\"\n[5] \"b\"[1]\n", "x:2: found a wrong port number"},
		{"Switch 4 \"a\"\n[1] b\n", "x:2: found a port without the id of the other end"},
		{"Switch 4 \"a\"\n[1] \"b\n", "x:2: found a port without the id of the other end"},
		{"Switch 4 \"a\"\n[1] \"b\"[x]\n", "x:2: found a wrong port number at the other end"},
		{"Switch 4 \"a\"\n[1] \"b\"[1\n", "x:2: found a wrong port number at the other end"},
		{"Switch 4 \"a\"\n[1] \"b\"[0]\n", "x:2: found a wrong port number at the other end"},
		{"Switch 4 \"a\"\n[1] \"b\"[255]\n", "x:2: found a wrong port number at the other end"},
		{"Switch 4 \"a\"\n\ndo Link \"a\"[0] \"a\"[1]\n", "x:3: found a wrong port number"},
		{"Switch 4 \"a\"\n\ndo Link \"a\"[1] \"a\"[5]\n", "x:3: found a wrong port number"},
		{"Switch 4 \"a\"\n\ndo Link \"a\"[1] \"b\"[5]\n", "x:3: found a link to an unknown node"},
		{"Switch 4 \"a\"\n\ndo Link a[1] \"b\"[5]\n", "x:3: found a wrong Link command"},
		{"Switch 4 \"a\"\n\ndo Link \"a\" \"b\"[5]\n", "x:3: found a wrong Link command"},
		{"Switch 4 \"a\"\n\ndo Link \"a\"[x] \"b\"[5]\n", "x:3: found a wrong Link command"},
		{"Switch 4 \"a\"\n\ndo Link \"a\"[1] \"b\"[5\n", "x:3: found a wrong Link command"},
		{"Switch 4 \"a\"\n\nmodule=m\n", "x:3: found a value that cannot be used"},
		{"Switch 4 \"a\"\n\nmodule \"m\"\n", "x:3: found a value that cannot be used"},
		{"Switch 4 \"a\"\n\nwidth=32\n", "x:3: found a value that cannot be used"},
		{"Switch 4 \"a\"\n\nspeed=\n", "x:3: found a value that cannot be used"},
		{"Switch 4 \"a\"\n\nextspeed 1\n", "x:3: found a value that cannot be used"},
		{"Switch 4 \"a\"\n\nrtguid\n", "x:3: found a value that cannot be used"},
		{"Switch 4 \"a\"\n\nrtguid=x\n", "x:3: found a value that cannot be used"},
		{"Switch 255 \"a\"\n", "x:1: found a switch with 255 ports, expected at most 254"},
		{"Rt 255 \"a\"\n", "x:1: found a router with 255 ports"},
		{"Switch 4 \"a\"\n\nSwitch 0 \"b\"\n", "x:3: found a node without a number of ports"},
		{"Switch 4 \"a\"\n\nSwitch 4 \"\"\n", "x:3: found a node without id"},
		{"Switch 4 \"a\"\n\nSwitch 4 \"b@c\"\n", "x:3: found '#' or '@' in a node's id"},
		{"Switch 4 \"a\"\n\ninclude \"\"\n", "x:3: found include without a file"},
		{"Switch 4 \"a\"\n\ninclude \".\"\n", "x:3: include: .: is not a regular file"},
		{"Switch 4 \"a\"\n\ninclude \"/no/such\"\n", "x:3: include: /no/such: cannot be opened"},
		{"include it\n", "x: found no node"},
	};

	for (size_t i = 0; i < ARRAY_LEN(table); i++)
		refused(table[i].text, table[i].part);
}

/* Oddities within an included file name it; a file that is not beside it is sought where we are. */
static void test_ibsim_includes(void **state)
{
	char *inner = put("inner.net", "Switch 4 \"b\"\n[1] \"a\"[1]\nlost\nodd\n [3] \"c\"\n" MORE_IBSIM),
	     *outer, *text;

	text = str_printf("include \"inner.net\"\ninclude \"%s\"\ninclude \"" FILES "include/top.net\"\n",
			  inner);
	outer = put("outer.net", text);
	struct fabric *f = load(outer);
	free(text);
	warns(f, "lost line", 0, "inner.net: ibsim skips the line right behind a node's ports");
	assert_int_equal(count_warnings(f, "unknown line"), 0);
	warns(f, "unread line", 0, "inner.net:5: found '[3] \"c\"', expected a port right below its node's");
	fabric_unref(f);
	free(inner);
	refused("include \"/dev/null\"\n", "x:1: include: /dev/null: is not a regular file");
	inner = put("empty.net", "");
	text = str_printf("include \"%s\"\n", inner);
	refused(text, "x: no node found");
	free(text);
	free(inner);
	free(outer);
}

/* --- opensm-subnet.lst ------------------------------------------------------------------------------ */

#define SW(lid, pn) LST_END("SW", "00000000000000a1", "00000000000000a1", "sw", lid, pn)
#define CA(lid, pn) LST_END("CA", "00000000000000b1", "00000000000000b2", "host", lid, pn)
#define GOOD SW("0003", "01") " " CA("0004", "01") " PHY=4x LOG=ACT SPD=10\n"

static void test_lst_lines(void **state)
{
	static const char *const bad[] = {
		"{ SW",
		"{ XX Ports:02 }",
		"{ SW Ports:02 SystemGUID:x }",
		"odd",
		"{ SW Ports:02 SystemGUID:0 NodeGUID:1 PortGUID:1 VenID:1 DevID:1 Rev:1 [",
		SW("0003", "01"),
		SW("x", "01") " " CA("0004", "01"),
		SW("0003", "x") " " CA("0004", "01"),
		SW("0003", "01") " " CA("0004", "x")};

	static const char good[] = GOOD;

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		AUTO_FABRIC struct fabric *f = parse_parts("# comment\n\n" GOOD, bad[i], "\n" MORE_LST);

		linked(f, 0xa1, 1, 0xb1, 1);
		if (*bad[i] == '{')
			warns(f, "unread line", 0, "left out: line 4; x:4: found '{ ");
		else
			warns(f, "unknown line", 0, "1 line not understood and skipped: line 4");
	}
	refused(GOOD "{ SW\n{ CA\n",
		"x:2: found '{ SW', expected two ends of a cable, each { SW Ports:.. ... "
		"{NAME} LID:.. PN:.. }; 2 of 3 lines of nodes, ports and cables are not "
		"understood");
	refused(good + 1, "x: found no node"); /* no brace */
	refused("{ Port:02\n", "x: found no node");
	refused("{ SW Port:02\n", "x: found no node");
	refused("{ SW Ports:02\n", "x:1: found '{ SW Ports:02', expected two ends of a cable");
}

static void test_lst_values(void **state)
{
	static const char *const bad[][2] = {
		{SW("0003", "01") " " CA("0004", "FF"), "port numbers (PN) of 1 to 254 (FE)"},
		{SW("0003", "00") " " CA("0004", "01"), "port numbers (PN) of 1 to 254 (FE)"},
		{SW("10000", "01") " " CA("0004", "01"), "LIDs up to 65535 (FFFF)"},
		{SW("0003",
		    "02") " { CA Ports:FF SystemGUID:0 NodeGUID:c1 PortGUID:c2 VenID:1 DevID:1 Rev:1 {d} "
			  "LID:0005 PN:01 }",
		 "at most 254 (FE) ports"},
	};
	static const struct {
		const char *rate;
		unsigned width, speed, state;
	} rates[] = {{"PHY=4x\tLOG=INI SPD=25", WIDTH_4X, SPEED_EDR, PORT_INIT},
		     {"PHY=4x LOG=DWN SPD=FDR10", WIDTH_4X, SPEED_FDR10, PORT_DOWN},
		     {"PHY=12x LOG=ARM SPD=9", WIDTH_12X, SPEED_UNKNOWN, PORT_ARMED},
		     {"PHY=?? LOG=? SPD=2.5", WIDTH_UNKNOWN, SPEED_SDR, PORT_UNKNOWN},
		     {"SPD=14", WIDTH_UNKNOWN, SPEED_FDR, PORT_UNKNOWN},
		     {"", WIDTH_UNKNOWN, SPEED_UNKNOWN, PORT_UNKNOWN}}; /* not told */
	struct fabric *f;

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		f = parse_parts(GOOD, bad[i][0], "\n" MORE_LST);
		warns(f, "unread line", 0, bad[i][1]);
		assert_int_equal(f->n_links, 17);
		fabric_unref(f);
	}
	for (size_t i = 0; i < ARRAY_LEN(rates); i++) {
		f = parse_parts(SW("0003", "01") " " CA("0004", "01") " ", rates[i].rate, "\n");
		uint32_t p = port(f, 0xa1, 1);
		assert_int_equal(f->port_width[p], rates[i].width);
		assert_int_equal(f->port_speed[p], rates[i].speed);
		assert_int_equal(f->port_state[p], rates[i].state);
		fabric_unref(f);
	}
}

static void test_lst_cables(void **state)
{
	struct fabric *f = parse(GOOD SW("0003", "02") " " SW("0003", "02") " PHY=4x\n" SW(
		"0003", "01") " " SW("0003", "02") " PHY=4x\n{");

	warns(f, "port cabled to itself", 0, "port 2 is cabled to itself");
	warns(f, "contradicting link", 0, "port 1 of 0x00000000000000a1 or port 2 of 0x00000000000000a1");
	warns(f, "cut record", 0, "x ends within a record");
	fabric_unref(f);
	/* routers by both names; nodes called hosts that have one GUID on all ports are switches */
	f = parse(LST_END("RT", "c1", "c2", "r", "5", "01") " " LST_END("Rt", "d1", "d2", "q", "6",
									"01") " PHY=4x\n" //
		  LST_END("CA", "e1", "e1", "x", "7", "01") " " LST_END("CA", "f1", "f1", "y", "8",
									"01") " PHY=4x\n" //
		  LST_END("CA", "e1", "e1", "x", "7", "02") " " LST_END("CA", "f1", "f1", "y", "8",
									"02") " PHY=4x\n");
	assert_int_equal(f->node_type[node(f, 0xc1)], NODE_ROUTER);
	assert_int_equal(f->node_type[node(f, 0xd1)], NODE_ROUTER);
	assert_int_equal(f->node_type[node(f, 0xe1)], NODE_SWITCH);
	warns(f, "node type", 0,
	      "2 nodes not called a switch but with one GUID on all ports (0x00000000000000e1");
	fabric_unref(f);
}

/* Thirty hosts: the list of nodes seen grows. */
static void test_lst_many(void **state)
{
	AUTO_TEXT struct text t = {0};
	struct fabric *f;

	for (unsigned i = 1; i <= 30; i++)
		text_add(&t,
			 "{ SW Ports:24 SystemGUID:0 NodeGUID:1 PortGUID:1 VenID:1 DevID:1 Rev:1 {sw} "
			 "LID:0001 PN:%02X } "
			 "{ CA Ports:01 SystemGUID:0 NodeGUID:%x PortGUID:%x VenID:1 DevID:1 Rev:1 {h} "
			 "LID:%04X PN:01 } "
			 "PHY=4x LOG=ACT SPD=10\n",
			 i, 0x100 + 2 * i, 0x101 + 2 * i, i + 1);
	f = parse(t.s);
	assert_int_equal(f->n_links, 30);
	assert_int_equal(f->switch_nports[0], 36);
	linked(f, 1, 30, 0x13c, 1);
	fabric_unref(f);
}

/* --- db_csv -------------------------------------------------------------------------------------------- */

#define CSV_NODES                                                                                       \
	"START_NODES\nNodeDesc,NumPorts,NodeType,NodeGUID,PortGUID,DeviceID,VendorID,SystemImageGUID\n" \
	"\"sw\",4,2,0xa1,0xa1,1,2,0xa0\n\"host\",1,1,0xb1,0xb2,1,2,0xb0\n"
#define CSV_PORTS                                                                                      \
	"START_PORTS\nNodeGuid,PortNum,PortGuid,LID,LMC,MSMLID,LinkWidthActv,LinkSpeedActv,PortState," \
	"OpVLs\n"                                                                                      \
	"0xa1,0,0xa1,3,0,4,0,0,4,0\n0xa1,1,0xa1,0,0,0,2,4,4,2\n0xb1,1,0xb2,4,1,4,2,4,4,2\n"
#define CSV_LINKS "START_LINKS\nNodeGuid1,PortNum1,NodeGuid2,PortNum2\n0xa1,1,0xb1,1\n"

/* Three sections, with rows added to each. */
static struct fabric *csv(const char *nodes, const char *ports, const char *links)
{
	AUTO_FREE char *text = str_printf("xSTART_NODES\n" CSV_NODES "%s\n   \nEND_NODES\n" CSV_PORTS
					  "%s\nEND_PORTS\n" CSV_LINKS "%s\nEND_LINKS\n" MORE_NODES,
					  nodes, ports, links);

	return parse(text);
}

static void test_csv_rows(void **state)
{
	static const struct {
		const char *nodes, *ports, *links;
		unsigned line;
	} table[] = {
		{"\"n\",1,1,N/A", "", "", 6},
		{"\"n\",1,x,0xc1", "", "", 6},
		{"\"n\",1 1,1,0xc1", "", "", 6},
		{"\"n\",1,1,0", "", "", 6},
		{"\"n\",1,0,0xc1", "", "", 6},
		{"\"n\",1,4,0xc1", "", "", 6},
		{"\"n\",255,1,0xc1", "", "", 6},
		{"\"n\"", "", "", 6},
		{"\"n", "", "", 6},
		{"", "x,1", "", 14},
		{"", "0xa1", "", 14},
		{"", "0xa1,x", "", 14},
		{"", "0xa1,255", "", 14},
		{"", "0xc1,1", "", 14},
		{"", "", "0xa1,2,0xb1", 19},
		{"", "", "0xa1,0,0xb1,1", 19},
		{"", "", "x,1,0xb1,1", 19},
		{"", "", "0xa1,x,0xb1,1", 19},
		{"", "", "0xa1,2,0xc1,1", 19},
	};

	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		AUTO_FABRIC struct fabric *f = csv(table[i].nodes, table[i].ports, table[i].links);
		AUTO_FREE char *line =
			str_printf("left out: line %u; x:%u: found '", table[i].line, table[i].line);

		assert_int_equal(f->n_nodes, 22);
		linked(f, 0xa1, 1, 0xb1, 1);
		warns(f, "unread line", 0, line);
		assert_int_equal(sm_node(f), 0xb1);
	}
}

/* Values that are missing, too large, or of no known code. */
static void test_csv_values(void **state)
{
	struct fabric *f =
		csv("\"a \"\"b\"\"\",2,1,0xc1,N/A,70000,N/A,N/A\n \"c\"x ,1,2,0xd1,N/A,,,\n   plain  "
		    ",1,2,0xe1,0,1,1,1",
		    "0xc1,1,0,70000,8,x,3,0x40,9,9\n0xc1,2,x,9,1,5,1,N/A,4,0\n0xa1,2,0,0,0,9,2,0x10000,1,1",
		    "0xc1,2,0xa1,3\n0xa1,4,0xa1,4\n0xb1,1,0xc1,1\n0xd1,9,0xe1,1");

	assert_string_equal(desc(f, 0xc1), "a \"b\"");
	assert_string_equal(desc(f, 0xd1), "c");
	assert_string_equal(desc(f, 0xe1), "plain");
	assert_int_equal(f->node_device[node(f, 0xc1)], 0);
	assert_int_equal(f->port_lid[port(f, 0xc1, 1)], 0);
	assert_int_equal(f->port_lmc[port(f, 0xc1, 1)], 0);
	assert_int_equal(f->port_speed[port(f, 0xc1, 1)], SPEED_UNKNOWN);
	assert_int_equal(f->port_state[port(f, 0xc1, 1)], 0);
	assert_int_equal(f->port_lid[port(f, 0xc1, 2)], 9);
	assert_int_equal(f->port_speed[port(f, 0xa1, 2)], SPEED_FDR10);
	linked(f, 0xc1, 2, 0xa1, 3);
	warns(f, "port cabled to itself", 0, "port 4 is cabled to itself");
	warns(f, "contradicting link", 0, "port 1 of 0x00000000000000b1 or port 1 of 0x00000000000000c1");
	warns(f, "port above count", 0, "port 9 of a node that has 1 ports");
	assert_int_equal(sm_node(f), 0xb1);
	fabric_unref(f);
}

static void test_csv_sections(void **state)
{
	/* SWITCHES: rows of no switch, capacities that are none */
	struct fabric *f = parse(
		CSV_NODES
		"END_NODES\nSTART_SWITCHES\nNodeGUID,LinearFDBCap,ENP0\n0xa1,N/A,1\n0xa1,0,1\n0xa1,70000,1\n"
		"0xc1,1,1\nN/A,1,1\n\nEND_SWITCHES\n" CSV_PORTS "END_PORTS\n" MORE_NODES CSV_LINKS);
	warns(f, "unread line", 0,
	      "left out: lines 11, 12; x:11: found '0xc1,1,1', expected a row of SWITCHES: a switch of "
	      "NODES");
	assert_true(f->switch_esp0[0]);
	assert_int_equal(f->switch_fdb_cap[0], 0xC000);
	warns(f, "cut section", 0, "START_LINKS has no END_LINKS");
	fabric_unref(f);
	/* lines that begin or end sections are lost */
	f = parse(CSV_NODES "END_NODES\n" CSV_PORTS CSV_LINKS "END_LINKS\n");
	warns(f, "cut section", 0, "START_PORTS has no END_PORTS");
	linked(f, 0xa1, 1, 0xb1, 1);
	fabric_unref(f);
	f = parse(CSV_NODES "END_NODES\nNodeGuid,PortNum,LID\n0xb1,1,4\nEND_PORTS\n" CSV_LINKS "END_LINKS\n");
	warns(f, "cut section", 0, "END_PORTS has no START_PORTS: a part of the file was cut out");
	fabric_unref(f);
	/* the end stands where the columns were */
	f = parse(CSV_NODES "END_NODES\nSTART_PORTS\nEND_PORTS\n0xb1,1,4\nNodeGuid,PortNum,LID\n" CSV_LINKS
			    "END_LINKS\n");
	warns(f, "cut section", 0, "found END_PORTS, expected a line of columns");
	fabric_unref(f);
	/* a LID of the subnet manager that nobody has: it is guessed */
	f = parse(CSV_NODES
		  "END_NODES\nSTART_PORTS\nNodeGuid,PortNum,LID,LMC,MSMLID,PortState\n0xa1,0,3,0,99,1\n"
		  "0xa1,0,3,0,99,4\n0xb1,1,4,1,77,4\nEND_PORTS\n" CSV_LINKS "END_LINKS\n");
	assert_true(f->sm_guessed);
	fabric_unref(f);
	refused("START_NODES\nNodeGUID,NumPorts\n",
		"x:2: found columns 'NodeGUID,NumPorts' under START_NODES, expected "
		"one called NodeType");
	refused("#START_NODES\nSTART_NODESX\n", "x: found sections of ibdiagnet (db_csv) without nodes");
	refused("#START_NODES\nodd\n", "x: found no node");
	refused(CSV_NODES "END_NODES\n" CSV_PORTS, "x: found nodes but no cables");
}

/* --- the cache of libibnetdisc ------------------------------------------------------------------------ */

#define PORT_RECORD 95
#define PORT_INFO 13

/* Of the cache of two-leaf: the first port record that a test says is right. */
static uint8_t *record_of(char *data, size_t size, uint64_t node_guid, unsigned num)
{
	uint32_t n;

	memcpy(&n, data + 12, 4);
	for (uint32_t i = 0; i < n; i++) {
		uint8_t *r = (uint8_t *)data + size - (size_t)(n - i) * PORT_RECORD;
		uint64_t guid;

		memcpy(&guid, r + PORT_INFO + 64, 8);
		if (guid == node_guid && r[8] == num)
			return r;
	}
	fail_msg("no such port in the cache");
	return NULL;
}

static struct fabric *parse_n(const char *data, size_t size)
{
	struct fabric *f = NULL;
	struct err e = {0};

	if (fabric_parse("x", data, size, &f, &e))
		fail_msg("%s", e.msg);
	return f;
}

static void test_cache_values(void **state)
{
	static const struct {
		unsigned ext, plain, speed;
	} table[] = {{1, 4, SPEED_FDR}, {2, 4, SPEED_EDR}, {4, 4, SPEED_HDR}, {8, 4, SPEED_NDR},
		     {0, 1, SPEED_SDR}, {0, 2, SPEED_DDR}, {0, 4, SPEED_QDR}, {0, 7, SPEED_UNKNOWN}};
	size_t size;
	AUTO_FREE char *data = read_all(FILES "two-leaf.cache", &size);
	uint8_t *r = record_of(data, size, 0x2000, 3);
	struct fabric *f;

	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		mad_set_field(r + PORT_INFO, 0, IB_PORT_LINK_SPEED_EXT_ACTIVE_F, table[i].ext);
		mad_set_field(r + PORT_INFO, 0, IB_PORT_LINK_SPEED_ACTIVE_F, table[i].plain);
		f = parse_n(data, size);
		assert_int_equal(f->port_speed[port(f, 0x2000, 3)], table[i].speed);
		fabric_unref(f);
	}
	mad_set_field(r + PORT_INFO, 0, IB_PORT_OPER_VLS_F, 6); /* no such code */
	mad_set_field(r + PORT_INFO, 0, IB_PORT_STATE_F, 7);
	record_of(data, size, 0x4000, 1)[12] = 9; /* LMC */
	f = parse_n(data, size);
	assert_int_equal(f->port_state[port(f, 0x2000, 3)], PORT_UNKNOWN);
	assert_int_equal(f->port_lmc[port(f, 0x4000, 1)], 0);
	fabric_unref(f);
	mad_set_field(r + PORT_INFO, 0, IB_PORT_STATE_F, PORT_ACTIVE);
	r[PORT_INFO + 72] = 0; /* up without an other end */
	f = parse_n(data, size);
	warns(f, "open port", 0, "port 3 of node 0x0000000000002000 is up");
	fabric_unref(f);
	r[PORT_INFO + 72] = 1;
	memcpy(r + PORT_INFO + 73, "\0\x30\0\0\0\0\0\0", 8); /* to a port that another cable has */
	r[PORT_INFO + 81] = 1;
	f = parse_n(data, size);
	warns(f, "contradicting link", 0, "port 3 of node 0x0000000000002000 is cabled to port 1 of 0x");
	fabric_unref(f);
}

static void test_cache_nodes(void **state)
{
	size_t size, second, sw = 28;
	char *data = read_all(FILES "two-leaf.cache", &size), *again;
	uint64_t first;

	while (data[sw + 76] != NODE_SWITCH) /* the first switch */
		sw += 207 + 9 * (size_t)(uint8_t)data[sw + 206];
	memcpy(&first, data + sw + 68, 8);
	second = 28 + 207 + 9 * (size_t)(uint8_t)data[28 + 206];
	char ports = data[28 + 77];
	data[28 + 77] = (char)255;
	refused_n(data, size, "x: found a node of 255 ports, expected at most 254");
	data[28 + 77] = ports;
	again = mem_dup(data, size);
	memcpy(again + second + 68, again + 28 + 68, 8);	/* the GUID of the first node */
	refused_n(again, size, "expected a node of the cache"); /* its ports are nobody's then */
	free(again);
	mad_set_field((uint8_t *)data + sw + 4, 0, IB_SW_LINEAR_FDB_CAP_F, 0); /* not told */
	again = mem_dup(data, size);
	again[sw + 2] = 9; /* LMC */
	struct fabric *f = parse_n(again, size);
	assert_int_equal(f->switch_fdb_cap[f->node_switch[node(f, first)]], MAX_LID + 1);
	assert_int_equal(f->port_lmc[port(f, first, 0)], 0);
	fabric_unref(f);
	memset(again + 8, 0, 8); /* one node and no port; its list of ports ends behind the file */
	again[8] = 1;
	again[28 + 206] = (char)255;
	refused_n(again, 28 + 207 + 9,
		  "x: found 244 bytes, expected more: the libibnetdisc cache is cut off");
	free(again);
	free(data);
}

/* --- whatever was asked for can be cancelled ------------------------------------------------------------ */

static void test_cancelled(void **state)
{
	static const char *const sources[] = {FILES "two-leaf.lst", FILES "two-leaf.ibnetdiscover",
					      FILES "two-leaf.ibdiagnet2", FILES "ibsim-defaults.net"};
	struct progress p = {.cancel = true};

	for (size_t i = 0; i < ARRAY_LEN(sources); i++) {
		struct fabric *f = NULL;
		struct err e = {0};

		assert_int_equal(fabric_load(sources[i], &f, &p, &e), -1);
		assert_string_equal(e.msg, "cancelled");
		assert_null(f);
	}
}

/* "-" is standard input. */
static void test_standard_input(void **state)
{
	assert_non_null(freopen(FILES "two-leaf.lst", "r", stdin));
	AUTO_FABRIC struct fabric *f = load("-");
	assert_string_equal(f->source, "standard input");
	assert_int_equal(f->n_nodes, 6);
}

static int make_folder(void **state)
{
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	AUTO_FREE char *buf = str_printf("rm -r %s", folder);

	return system(buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_chassis),
		cmocka_unit_test(test_ids),
		cmocka_unit_test(test_ports),
		cmocka_unit_test(test_port_comments),
		cmocka_unit_test(test_last_line),
		cmocka_unit_test(test_cables),
		cmocka_unit_test(test_ibsim_descriptions),
		cmocka_unit_test(test_ibsim_rates),
		cmocka_unit_test(test_ibsim_names),
		cmocka_unit_test(test_ibsim_refused),
		cmocka_unit_test(test_ibsim_includes),
		cmocka_unit_test(test_lst_lines),
		cmocka_unit_test(test_lst_values),
		cmocka_unit_test(test_lst_cables),
		cmocka_unit_test(test_lst_many),
		cmocka_unit_test(test_csv_rows),
		cmocka_unit_test(test_csv_values),
		cmocka_unit_test(test_csv_sections),
		cmocka_unit_test(test_cache_values),
		cmocka_unit_test(test_cache_nodes),
		cmocka_unit_test(test_cancelled),
		cmocka_unit_test(test_standard_input),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
