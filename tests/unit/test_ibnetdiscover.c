/* The reader of ibnetdiscover files. */
#include "tests/unit/formats.h"

static void check_pair(const struct fabric *f)
{
	assert_string_equal(f->format, "ibnetdiscover");
	assert_int_equal(f->n_nodes, 2);
	linked(f, 0xa1, 1, 0xb1, 1);
	assert_string_equal(desc(f, 0xa1), "sw");
	assert_string_equal(desc(f, 0xb1), "host");
	assert_int_equal(f->port_lid[port(f, 0xa1, 0)], 3);
	assert_int_equal(f->port_lid[port(f, 0xb1, 1)], 4);
	assert_int_equal(f->port_lmc[port(f, 0xb1, 1)], 1);
	assert_int_equal(f->port_guid[port(f, 0xb1, 1)], 0xb2);
	assert_int_equal(f->node_sysguid[node(f, 0xb1)], 0xb0);
	assert_int_equal(f->node_device[node(f, 0xa1)], 0xd2f0);
	assert_int_equal(f->node_vendor[node(f, 0xa1)], 0x2c9);
	assert_int_equal(f->switch_esp0[0], 1);
	assert_int_equal(f->port_width[port(f, 0xa1, 1)], WIDTH_4X);
	assert_int_equal(f->port_speed[port(f, 0xb1, 1)], SPEED_HDR);
	assert_int_equal(f->port_state[port(f, 0xa1, 1)], PORT_UNKNOWN);
	assert_int_equal(sm_node(f), 0xa1);
}

/* One pair in many writings. */
static void test_pair(void **state)
{
	static const char *const writings[] = {
		"#\n# Topology file: generated on X\n#\n\n" SW_HEAD SW_LINE SW_PORT "\n" CA_RECORD,
		/* without empty lines, and with blank ones */
		SW_HEAD SW_LINE SW_PORT CA_RECORD,
		SW_HEAD SW_LINE SW_PORT " \n \t\n" CA_RECORD,
		/* a terminal swallowed the tabs, and every line ends in CR LF */
		"vendid=0x2c9\r\ndevid=0xd2f0\r\nsysimgguid=0xa0\r\nswitchguid=0xa1(a1)\r\n"
		"Switch4 \"S-00000000000000a1\"# \"sw\" enhanced port 0 lid 3 lmc 0\r\n"
		"[1]\"H-00000000000000b1\"[1](b2)# \"host\" lid 4 4xHDR\r\r\n\r\n"
		"vendid=0x2c9\r\ndevid=0x101b\r\nsysimgguid=0xb0\r\ncaguid=0xb1\r\n"
		"Ca1\"H-00000000000000b1\"# \"host\"\r\n"
		"[1](b2)\"S-00000000000000a1\"[1]# lid 4 lmc 1 \"sw\" lid 3 4xHDR\r\n",
		/* blanks everywhere */
		"vendid=0x2c9\ndevid=0xd2f0\nsysimgguid=0xa0\nswitchguid = 0xa1 ( a1 )\n"
		" Switch  4  \"S-00000000000000a1\"          # \"sw\" enhanced port 0 lid 3 lmc 0\n"
		"[ 1 ]     \"H-00000000000000b1\" [1] (b2)          # \"host\" lid 4 4xHDR\n" CA_RECORD,
		/* more fields */
		SW_HEAD SW_LINE
		"[1]\t\"H-00000000000000b1\"[1](b2) \t\t# \"host\" lid 4 4xHDR s=4 w=2 v=4 e=4\n"
		"vendid=0x2c9\ndevid=0x101b\nsysimgguid=0xb0\ncaguid=0xb1\n"
		"Ca\t1 \"H-00000000000000b1\"\t\t# \"host\" slot 3\n"
		"[1](b2) \t\"S-00000000000000a1\"[1]\t\t# lid 4 lmc 1 \"sw\" lid 3 4xHDR (scp)\n",
	};

	for (size_t i = 0; i < ARRAY_LEN(writings); i++) {
		AUTO_FABRIC struct fabric *f = parse(writings[i]);

		print_message("writing %zu\n", i);
		check_pair(f);
		assert_int_equal(f->warnings.n, 0);
	}
}

/* Messages of libraries between the lines, in the midst of a record too. */
static void test_mixed_in_lines(void **state)
{
	AUTO_FABRIC struct fabric *f =
		parse("$ ibnetdiscover\n" SW_HEAD SW_LINE
		      "src/query_smp.c:195; umad (DR path slid 0; dlid 0; 0,1) bad status 110\n" SW_PORT
		      "ibwarn: [123] mad_rpc: timeout\n\n" CA_RECORD "$ \n");

	check_pair(f);
	one_warning(f, "unknown line", 1, "4 lines not understood and skipped: lines 1, 7, 9, 17");
}

static void test_descriptions(void **state)
{
	static const char *const text[] = {"Voltaire 4036 # 4036-8C5C",
					   " 5FB0406-spine-IB02 ",
					   "a\"b\"c",
					   "x; y: (z) 'q' / lid 9 lmc 2",
					   "fake\" lid 77 lmc 7 \"end",
					   "",
					   "# lid 5"};

	for (size_t i = 0; i < ARRAY_LEN(text); i++) {
		AUTO_FREE char *s = str_printf(
			SW_HEAD "Switch\t4 \"S-00000000000000a1\"\t\t# \"%s\" base port 0 lid 3 lmc 2\n",
			text[i]);
		AUTO_FABRIC struct fabric *f = parse(s);
		AUTO_FABRIC struct fabric *g = written(f);

		assert_string_equal(desc(f, 0xa1), text[i]);
		assert_int_equal(f->port_lid[port(f, 0xa1, 0)], 3);
		assert_int_equal(f->port_lmc[port(f, 0xa1, 0)], 2);
		assert_int_equal(f->switch_esp0[0], 0);
		same_fabric(f, g);
	}
}

static void test_description_bytes(void **state)
{
	char longer[81];

	memset(longer, 'd', 80);
	longer[80] = 0;
	longer[3] = '\x1b';
	longer[4] = '\xe4';
	AUTO_FREE char *s = str_printf(
		SW_HEAD "Switch\t4 \"S-00000000000000a1\"\t\t# \"%s\" base port 0 lid 3 lmc 2\n", longer);
	AUTO_FABRIC struct fabric *f = parse(s);
	assert_int_equal(strlen(desc(f, 0xa1)), 63);
	assert_memory_equal(desc(f, 0xa1), "ddd  ddd", 8);
}

static void test_rates(void **state)
{
	static const struct {
		const char *text;
		enum link_width w;
		enum link_speed s;
	} t[] = {
		{"1xSDR", WIDTH_1X, SPEED_SDR},		  {"2xHDR", WIDTH_2X, SPEED_HDR},
		{"4xFDR10", WIDTH_4X, SPEED_FDR10},	  {"8xDDR", WIDTH_8X, SPEED_DDR},
		{"12xQDR", WIDTH_12X, SPEED_QDR},	  {"4xNDR", WIDTH_4X, SPEED_NDR},
		{"4xXDR", WIDTH_4X, SPEED_XDR},		  {"4x???", WIDTH_4X, SPEED_UNKNOWN},
		{"?????", WIDTH_UNKNOWN, SPEED_UNKNOWN},  {"??EDR", WIDTH_UNKNOWN, SPEED_EDR},
		{"", WIDTH_UNKNOWN, SPEED_UNKNOWN},	  {"4x", WIDTH_4X, SPEED_UNKNOWN},
		{"99xABC", WIDTH_UNKNOWN, SPEED_UNKNOWN},
	};

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		AUTO_FREE char *s =
			str_printf(SW_HEAD SW_LINE "[1]\t\"S-00000000000000a1\"[2]\t\t# \"sw\" lid 3 %s\n"
						   "[2]\t\"S-00000000000000a1\"[1]\t\t# \"sw\" lid 3 %s\n",
				   t[i].text, t[i].text);
		AUTO_FABRIC struct fabric *f = parse(s);

		linked(f, 0xa1, 1, 0xa1, 2); /* a loop-back cable */
		assert_int_equal(f->warnings.n, 0);
		assert_int_equal(f->port_width[port(f, 0xa1, 1)], t[i].w);
		assert_int_equal(f->port_speed[port(f, 0xa1, 1)], t[i].s);
	}
}

/* one switch alone would be a file that ends too early */
#define ANOTHER "switchguid=0xa2(a2)\nSwitch 4 \"S-00000000000000a2\" # \"another\"\n"

#define SW_LIDS "Switch 4 \"S-00000000000000a1\" # \"sw\" base port 0 lid "

static void test_lids(void **state)
{
	static const struct {
		const char *text;
		unsigned lid, lmc;
		const char *kind;
		unsigned line;
		const char *part;
	} cases[] = {
		{SW_HEAD SW_LIDS "65535 lmc 0\n\n" ANOTHER, 65535, 0, "LID out of range", 0,
		 "LIDs 65535 to 65535 of sw[0]: unicast LIDs end at 49151"},
		{SW_HEAD SW_LIDS "65536 lmc 0\n" ANOTHER, 0, 0, "LID out of range", 5, "found LID 65536"},
		{SW_HEAD SW_LIDS "5 lmc 9\n" ANOTHER, 5, 0, "LMC out of range", 5, "found LMC 9"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_FABRIC struct fabric *f = parse(cases[i].text);

		uint32_t p = port(f, 0xa1, 0);
		if (f->port_lid[p] != cases[i].lid || f->port_lmc[p] != cases[i].lmc)
			fail_msg("%s: LID %u, LMC %u", cases[i].text, f->port_lid[p], f->port_lmc[p]);
		one_warning(f, cases[i].kind, cases[i].line, cases[i].part);
	}
}

/* A switch and a host; whether they are linked, and the one warning. */
static void test_cables(void **state)
{
	static const struct {
		const char *text;
		unsigned links;
		const char *kind;
		unsigned line;
		const char *part;
	} cases[] = {
		{SW_HEAD SW_LINE SW_PORT, 1, "dangling link", 6,
		 "port 1 is cabled to \"H-00000000000000b1\", which is not in the file; host is made of "
		 "what"},
		{SW_HEAD SW_LINE SW_PORT
		 "[2]\t\"H-00000000000000b1\"[1](b2) \t\t# \"host\" lid 4 4xHDR\n\n" CA_RECORD,
		 1, "contradicting link", 7, "names \"S-00000000000000a1\"[1] in line 14"},
		{SW_HEAD SW_LINE "[2] \"S-00000000000000a1\"[2] # \"sw\" lid 3 4xHDR\n", 0,
		 "port cabled to itself", 6, "port 2 is cabled to itself"},
		{SW_HEAD SW_LINE SW_PORT SW_PORT "\n" CA_RECORD, 1, "port listed twice", 7,
		 "has a cable in line 6 already"},
		/* ends before it tells all, where others do not */
		{SW_HEAD SW_LINE "[1]\t\"H-00000000000000b1\"[1](b2) # \"ho\n" CA_RECORD, 1, "short line", 6,
		 "1 line of ports without description and LID behind #, as others have"},
		/* the subnet manager cannot run on a node without any cable */
		{"caguid=0xc1\nCa 1 \"H-00000000000000c1\" # \"lone\"\n\n" SW_HEAD SW_LINE, 0,
		 "place of the subnet manager", 0, "the first node has no cable"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_FABRIC struct fabric *f = parse(cases[i].text);

		if (f->n_links != cases[i].links)
			fail_msg("%s: %u links", cases[i].text, f->n_links);
		if (f->n_links)
			linked(f, 0xa1, 1, 0xb1, 1);
		assert_int_equal(sm_node(f), 0xa1);
		one_warning(f, cases[i].kind, cases[i].line, cases[i].part);
	}
}

/* Only the switch has a line; LID and GUID of the host are learnt from it. */
static void test_one_sided(void **state)
{
	AUTO_FABRIC struct fabric *f =
		parse(SW_HEAD SW_LINE SW_PORT "\ncaguid=0xb1\nCa 1 \"H-00000000000000b1\" # \"host\"\n");

	linked(f, 0xa1, 1, 0xb1, 1);
	assert_int_equal(f->port_lid[port(f, 0xb1, 1)], 4);
	assert_int_equal(f->port_guid[port(f, 0xb1, 1)], 0xb2);
	assert_int_equal(f->port_speed[port(f, 0xb1, 1)], SPEED_HDR);
	one_warning(f, "one-sided link", 6,
		    "port 1 is cabled to \"H-00000000000000b1\"[1], which has no line for it");
}

static void test_duplicate_guid(void **state)
{
	AUTO_FABRIC struct fabric *f =
		parse(SW_HEAD SW_LINE SW_PORT "\n" CA_RECORD "\n" SW_HEAD SW_LINE
					      "[3] \"H-00000000000000b1\"[1](b2) # \"host\" lid 4 4xHDR\n");

	check_pair(f);
	one_warning(f, "duplicate name", 19, "a second node is called \"S-00000000000000a1\"");
	AUTO_FABRIC struct fabric *g =
		parse(SW_HEAD SW_LINE
		      "\n" SW_HEAD "Switch 4 \"S-00000000000000ff\" # \"other\" base port 0 lid 9 lmc 0\n");
	assert_int_equal(g->n_nodes, 1);
	assert_int_equal(g->warnings.n, 2);
	assert_int_equal(count_warnings(g, "impossible value"), 1); /* the id has another GUID */
	assert_string_equal(g->warnings.w[1].kind, "duplicate GUID");
	assert_true(g->warnings.w[1].missing);
	assert_non_null(strstr(g->warnings.w[1].text, "a second node has the GUID 0x00000000000000a1"));
}

static void test_ports_above_count(void **state)
{
	AUTO_FABRIC struct fabric *f =
		parse(SW_HEAD "Switch 1 \"S-00000000000000a1\" # \"sw\" base port 0 lid 3 lmc 0\n"
			      "[3] \"S-00000000000000a1\"[4] # \"sw\" lid 3 4xHDR\n"
			      "[4] \"S-00000000000000a1\"[3] # \"sw\" lid 3 4xHDR\n");

	linked(f, 0xa1, 3, 0xa1, 4);
	assert_int_equal(f->node_nports[0], 4);
	assert_int_equal(count_warnings(f, "port above count"), 2);
	AUTO_FABRIC struct fabric *g = parse(
		SW_HEAD SW_LINE "[255] \"H-00000000000000b1\"[1](b2) # \"host\" lid 4 4xHDR\n" MORE_RECORDS);
	one_warning(g, "unread line", 6,
		    "1 line of nodes, ports or cables not understood and left out: line 6; x:6: found '[255] "
		    "\"H-00000000000000b1\"[1](b2) # \"host\" l...', expected [PORT] \"ID\"[PORT] below its "
		    "node's line, with ports of 1 to 254");
	assert_true(g->warnings.w[0].missing);
}

static void test_too_many_ports(void **state)
{
	refused(SW_HEAD "Switch 255 \"S-00000000000000a1\" # \"sw\" base port 0 lid 3 lmc 0\n",
		"x:5: found a switch with 255 ports, expected at most 254");
	refused(SW_HEAD "Switch 99999999999999999999999 \"S-00000000000000a1\" # \"sw\"\n",
		"x:5: found a switch with ");
}

static void test_ca_to_ca(void **state)
{
	AUTO_FABRIC struct fabric *f =
		parse("caguid=0xb1\nCa 2 \"H-00000000000000b1\" # \"one\"\n"
		      "[2](b3) \"H-00000000000000c1\"[1] (c2) # lid 7 lmc 0 \"two\" lid 8 4xQDR\n\n"
		      "caguid=0xc1\nCa 1 \"H-00000000000000c1\" # \"two\"\n"
		      "[1](c2) \"H-00000000000000b1\"[2] (b3) # lid 8 lmc 0 \"one\" lid 7 4xQDR\n");

	linked(f, 0xb1, 2, 0xc1, 1);
	assert_int_equal(f->n_switches, 0);
	assert_int_equal(f->port_lid[port(f, 0xb1, 2)], 7);
	assert_int_equal(f->port_lid[port(f, 0xc1, 1)], 8);
	assert_int_equal(f->sm_endport, f->port_endport[port(f, 0xb1, 2)]);
	assert_int_equal(f->warnings.n, 0);
}

static void test_public_files(void **state)
{
	static const struct {
		const char *file;
		unsigned nodes, switches, links, slow;
		const char *generated;
	} t[] = {
		{FILES "mt43132-2009.ibnetdiscover", 3, 1, 2, 0, "generated on Wed May  6 15:14:42 2009"},
		{FILES "sun-dcs36-2002.ibnetdiscover", 2, 1, 1, 0, "generated on Sat Apr 13 22:28:55 2002"},
		{FILES "voltaire-2007-lmc1.ibnetdiscover", 6, 2, 7, 2,
		 "generated on Tue Jun  5 14:15:10 2007"},
		{FILES "stage-qdr-fdr10.ibnetdiscover", 152, 8, 192, 0,
		 "generated on Sun Oct  5 21:59:42 2014"},
	};

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		AUTO_FABRIC struct fabric *f = load(t[i].file);

		assert_string_equal(f->format, "ibnetdiscover");
		assert_int_equal(f->warnings.n, t[i].slow);
		assert_int_equal(count_warnings(f, "slow link"), t[i].slow);
		assert_int_equal(f->n_nodes, t[i].nodes);
		assert_int_equal(f->n_switches, t[i].switches);
		assert_int_equal(f->n_links, t[i].links);
		assert_string_equal(f->generated, t[i].generated);
		round_trip(t[i].file);
	}
}

static void test_superbench(void **state)
{
	AUTO_FABRIC struct fabric *f = load(FILES "superbench-faked.ibnetdiscover-f");

	assert_int_equal(f->n_nodes, 19);
	assert_int_equal(f->n_links, 18);
	one_warning(f, "dangling link", 10, "\"H-0ff08c43213b3f38\", which is not in the file");
}

static void test_voltaire_details(void **state)
{
	AUTO_FABRIC struct fabric *f = load(FILES "voltaire-2007-lmc1.ibnetdiscover");

	linked(f, 0x5442ba00003080, 8, 0x8f10403960558, 2);
	linked(f, 0x5442ba00003080, 12, 0x8f10403960558, 1);
	assert_int_equal(f->port_lid[port(f, 0x8f10403960558, 2)], 14);
	assert_int_equal(f->port_lmc[port(f, 0x8f10403960558, 2)], 1);
	assert_int_equal(f->port_width[port(f, 0x8f10400410015, 1)], WIDTH_1X);
	assert_int_equal(f->node_chassis[node(f, 0x5442ba00003080)], 0);
}

static void test_grouping(void **state)
{
	AUTO_FABRIC struct fabric *f = load(FILES "voltaire-chassis.ibnetdiscover-g");

	assert_int_equal(f->warnings.n, 0);
	assert_int_equal(f->n_nodes, 3);
	assert_int_equal(f->node_chassis[node(f, 0x8f10400410101)], 1);
	assert_int_equal(f->node_chassis[node(f, 0x8f10400410102)], 1);
	assert_int_equal(f->node_chassis[node(f, 0x8f10400410200)], 0);
	assert_string_equal(f->node_chassis_place[node(f, 0x8f10400410102)], "ISR9096 Spine 1 Chip 1");
	assert_null(f->node_chassis_place[node(f, 0x8f10400410200)]);
}

static void test_external_ports(void **state)
{
	AUTO_FABRIC struct fabric *f = parse(
		"Chassis 2 (guid 0x10)\nHostname: director-1\n\n# Line Nodes\nvendid=0x8f1\n"
		"sysimgguid=0xa0\t\t# Chassis 2 (director-1)\nswitchguid=0xa1(a1)\t# ISR9288 Line 3 Chip 1\n"
		"Switch\t24 \"S-00000000000000a1\"\t\t# \"l\" base port 0 lid 1 lmc 0\n"
		"[12][ext 3]\t\"S-00000000000000a2\"[7][ext 21]\t\t# \"m\" lid 2 4xDDR\n\n"
		"Non-Chassis Nodes\n\nvendid=0x8f1\nswitchguid=0xa2(a2)\t# \n"
		"Switch\t24 \"S-00000000000000a2\"\t\t# \"m\" base port 0 lid 2 lmc 0\n"
		"[7][ext 21]\t\"S-00000000000000a1\"[12][ext 3]\t\t# \"l\" lid 1 4xDDR\n");

	assert_int_equal(f->warnings.n, 0);
	linked(f, 0xa1, 12, 0xa2, 7);
	assert_int_equal(f->port_ext[port(f, 0xa1, 12)], 3);
	assert_int_equal(f->port_ext[port(f, 0xa2, 7)], 21);
	assert_int_equal(f->node_chassis[node(f, 0xa1)], 2);
	assert_string_equal(f->node_chassis_place[node(f, 0xa1)], "ISR9288 Line 3 Chip 1");
	assert_int_equal(f->node_chassis[node(f, 0xa2)], 0);
	assert_null(f->node_chassis_place[node(f, 0xa2)]);
}

/*
 * Lines that are wrong in one place, behind a switch's head line: what is right in them up to there is not
 * taken, and what stands around them is.
 */
static void test_wrong_lines(void **state)
{
	static const char *const lines[] = {
		"[",
		"[2",
		"[x]",
		"[2]",
		"[2](",
		"[2](g)",
		"[2](a1",
		"[2][",
		"[2][ext",
		"[2][ext x]",
		"[2][ext 3",
		"[2] S-2",
		"[2] \"S-00000000000000b1",
		"[2] \"S-00000000000000b1\"",
		"[2] \"S-00000000000000b1\"[",
		"[2] \"S-00000000000000b1\"[x]",
		"[2] \"S-00000000000000b1\"[1",
		"[0] \"S-00000000000000b1\"[1]",
		"[300] \"S-00000000000000b1\"[1]",
		"[2] \"S-00000000000000b1\"[0]",
		"[2] \"S-00000000000000b1\"[300]",
		"Switch",
		"Switch x",
		"Switch 4",
		"Switch 4 x",
		"Switch\t4 \"S-00000000000000g1\"",
		"Switch\t4 \"X-00000000000000c1\"",
		"Switch\t4 \"S+00000000000000c1\"",
		"Switch\t4 \"S-00000000000000c\"",
		"Chassis",
		"Chassis x",
		"vendid",
		"vendid=",
		"devid=g",
		"sysimgguid",
		"switchguid=",
		"caguid",
		"nonsense",
	};

	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		AUTO_FREE char *text = str_printf(SW_HEAD SW_LINE "%s\n" SW_PORT "\n" CA_RECORD, lines[i]);
		/* in front of all, lines of a node make another format of the text */
		AUTO_FREE char *before = str_printf("%s\n" SW_HEAD SW_LINE SW_PORT "\n" CA_RECORD, lines[i]);
		const char *texts[] = {text, *lines[i] == 'S' ? text : before};

		for (size_t k = 0; k < ARRAY_LEN(texts); k++) {
			AUTO_FABRIC struct fabric *f = parse(texts[k]);

			if (f->n_nodes != 2 || f->n_links != 1 || !f->warnings.n)
				fail_msg("%s%s: %u nodes, %u links, %zu warnings", lines[i],
					 k ? " in front" : "", f->n_nodes, f->n_links, f->warnings.n);
		}
	}
}

/* ibdiagnet's own way: blanks for tabs, labels in parentheses, a host's before its port GUID. */
static void test_ibdiagnet(void **state)
{
	AUTO_FABRIC struct fabric *f =
		parse("# This database file was automatically generated by IBDIAG\n\n"
		      "vendid=0x2c9\ndevid=0xd2f2\nsysimgguid=0xa0\nswitchguid=0xa1(a1)\n"
		      "Switch  65 \"S-00000000000000a1\"      # \"sw\" base port 0 lid 13 lmc 0\n"
		      "[1](1/1/1) \"H-00000000000000b1\"[1](b2)      # \"host\" lid 4 4xNDR\n"
		      "[2](2) \"H-00000000000000c1\"[1](c1)      # \"agg\" lid 5 4xNDR\n"
		      "[63](1/32/1) \"S-00000000000000a1\"[64]      # \"sw\" lid 13 4xNDR\n"
		      "[64](1/32/2) \"S-00000000000000a1\"[63]      # \"sw\" lid 13 2xXDR\n\n\n"
		      "vendid=0x2c9\ndevid=0x1021\nsysimgguid=0xb0\ncaguid=0xb1\n"
		      "Ca  1 \"H-00000000000000b1\"      # \"host\"\n"
		      "[1](B184D0F0/0/0/1)(b2) \"S-00000000000000a1\"[1] # lid 4 lmc 0 \"sw\" lid 13 "
		      "4xNDR\n\n\n"
		      "vendid=0x2c9\ndevid=0xcf09\nsysimgguid=0xc0\ncaguid=0xc1\n"
		      "Ca  1 \"H-00000000000000c1\"      # \"agg\"\n"
		      "[1](1)(c1) \"S-00000000000000a1\"[2] # lid 5 lmc 0 \"sw\" lid 13 4xNDR\n");

	assert_int_equal(f->warnings.n, 0);
	assert_int_equal(f->n_links, 3);
	linked(f, 0xa1, 63, 0xa1, 64);
	assert_string_equal(fabric_port_label(f, port(f, 0xa1, 1)), "1/1/1");
	assert_null(fabric_port_label(f, port(f, 0xa1, 2))); /* its number */
	assert_string_equal(fabric_port_label(f, port(f, 0xa1, 64)), "1/32/2");
	assert_null(fabric_port_label(f, port(f, 0xa1, 3)));
	assert_string_equal(fabric_port_label(f, port(f, 0xb1, 1)), "B184D0F0/0/0/1");
	assert_int_equal(f->port_guid[port(f, 0xb1, 1)], 0xb2);
	assert_int_equal(f->port_guid[port(f, 0xc1, 1)], 0xc1);
	assert_int_equal(f->port_lid[port(f, 0xb1, 1)], 4);
	assert_int_equal(f->port_speed[port(f, 0xa1, 64)], SPEED_XDR);
	assert_false(f->port_vls_told[port(f, 0xa1, 1)]);
	AUTO_FABRIC struct fabric *g = written(f); /* `save` keeps labels, behind the rate */
	assert_int_equal(g->warnings.n, 0);
	for (uint32_t p = 0; p < f->n_ports; p++)
		if (fabric_port_label(f, p))
			assert_string_equal(fabric_port_label(g, p), fabric_port_label(f, p));
	assert_int_equal(g->port_speed[port(g, 0xa1, 64)], SPEED_XDR);
	AUTO_FABRIC struct fabric *h =
		parse(SW_HEAD SW_LINE
		      "[1]\t\"H-00000000000000b1\"[1](b2)\t\t# \"host\" lid 4 label a b\n" CA_RECORD);
	assert_string_equal(fabric_port_label(h, port(h, 0xa1, 1)), "a b");
	assert_int_equal(h->port_width[port(h, 0xa1, 1)], WIDTH_UNKNOWN);
	/* parentheses that never end are no label */
	AUTO_FABRIC struct fabric *open =
		parse(SW_HEAD SW_LINE SW_PORT "[2](1/2 \"H-00000000000000b1\"[1]\n" CA_RECORD);
	assert_int_equal(count_warnings(open, "unread line"), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ibdiagnet),
		cmocka_unit_test(test_pair),
		cmocka_unit_test(test_wrong_lines),
		cmocka_unit_test(test_mixed_in_lines),
		cmocka_unit_test(test_descriptions),
		cmocka_unit_test(test_description_bytes),
		cmocka_unit_test(test_rates),
		cmocka_unit_test(test_lids),
		cmocka_unit_test(test_cables),
		cmocka_unit_test(test_one_sided),
		cmocka_unit_test(test_duplicate_guid),
		cmocka_unit_test(test_ports_above_count),
		cmocka_unit_test(test_too_many_ports),
		cmocka_unit_test(test_ca_to_ca),
		cmocka_unit_test(test_public_files),
		cmocka_unit_test(test_superbench),
		cmocka_unit_test(test_voltaire_details),
		cmocka_unit_test(test_grouping),
		cmocka_unit_test(test_external_ports),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
