/* The reader of ibdiagnet's db_csv and of opensm-smdb.dump. */
#include "tests/unit/formats.h"

#define DB FILES "two-leaf.ibdiagnet2/ibdiagnet2.db_csv"

static void test_db_csv(void **state)
{
	AUTO_FABRIC struct fabric *f = load(DB);

	assert_string_equal(f->format, "db_csv");
	assert_int_equal(f->warnings.n, 0);
	assert_int_equal(f->n_nodes, 6);
	assert_int_equal(f->n_switches, 3);
	assert_int_equal(f->n_links, 7);
	linked(f, 0x2000, 2, 0x3000, 2);
	linked(f, 0x6000, 2, 0x3000, 3);
	assert_int_equal(f->node_type[node(f, 0x6000)], NODE_ROUTER);
	assert_string_equal(desc(f, 0x2000), "leaf # one");
	assert_string_equal(desc(f, 0x3000), "leaf, \"two\"");
	assert_int_equal(f->port_lid[port(f, 0x2000, 0)], 2);
	assert_int_equal(f->port_lid[port(f, 0x5000, 2)], 8);
	assert_int_equal(f->port_lmc[port(f, 0x5000, 2)], 1);
	assert_int_equal(f->port_guid[port(f, 0x5000, 2)], 0x5002);
	assert_int_equal(f->node_device[node(f, 0x3000)], 54000);
	assert_int_equal(f->node_vendor[node(f, 0x3000)], 0x2c9);
	assert_int_equal(f->port_speed[port(f, 0x3000, 1)], SPEED_HDR);
	assert_int_equal(f->port_width[port(f, 0x3000, 1)], WIDTH_4X);
	assert_int_equal(f->port_state[port(f, 0x3000, 1)], PORT_ACTIVE);
	assert_int_equal(f->port_state[port(f, 0x3000, 8)], PORT_DOWN);
	assert_int_equal(f->port_opervls[port(f, 0x3000, 1)], 4);
	assert_int_equal(f->sm_endport, f->port_endport[port(f, 0x4000, 1)]); /* MSMLID 4 */
}

/* Sections in another order, blanks around commas, columns in another order and case: as smdb has them. */
static void test_smdb(void **state)
{
	AUTO_FABRIC struct fabric *f = parse(
		"START_LINKS\nPortNum1, NodeGuid1 , NodeGuid2, PortNum2\n1 , 0xa1, 0xb1 , 1\nEND_LINKS\n"
		"START_PORTS\r\nNODEGUID, PortNum, LID, LMC, PortState, LinkSpeedActv, LinkWidthActv\r\n"
		"0xa1, 0, 7, 0, 0, N/A, N/A\r\n0xa1, 1, 0, 0, 4, 0x800, 16\r\n"
		"0xb1, 1, 9, 0, 4, 0x10000, 2\r\nEND_PORTS\r\n"
		"START_OTHER\nx, y\n1, 2\nEND_OTHER\n"
		"START_NODES\nNodeGUID , NodeType, NumPorts, NodeDesc\n0xa1, 2, 4, \"s\"\n"
		"0xb1 , 1 , 1 , \"h, i\"\nEND_NODES\n");

	assert_int_equal(f->warnings.n, 0);
	linked(f, 0xa1, 1, 0xb1, 1);
	assert_string_equal(desc(f, 0xb1), "h, i");
	assert_int_equal(f->port_lid[port(f, 0xa1, 0)], 7);
	assert_int_equal(f->port_lid[port(f, 0xb1, 1)], 9);
	assert_int_equal(f->port_speed[port(f, 0xa1, 1)], SPEED_NDR);
	assert_int_equal(f->port_width[port(f, 0xa1, 1)], WIDTH_2X);
	assert_int_equal(f->port_speed[port(f, 0xb1, 1)], SPEED_FDR10);
}

/* LinkSpeedActv with an old bit beside a new one: the fastest known; unknown bits make it unknown. */
static void test_speed_bits(void **state)
{
	static const struct {
		const char *mask;
		unsigned speed;
	} table[] = {{"2052", SPEED_NDR},      {"2048", SPEED_NDR},	  {"4", SPEED_QDR},
		     {"0x10004", SPEED_FDR10}, {"0x20004", SPEED_EDR},	  {"0x104", SPEED_FDR},
		     {"0", SPEED_UNKNOWN},     {"0x2004", SPEED_UNKNOWN}, {"-1", SPEED_UNKNOWN},
		     {"N/A", SPEED_UNKNOWN}};

	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		AUTO_FREE char *text =
			str_printf("START_NODES\nNodeGUID,NodeType,NumPorts\n0xa1,2,4\n0xb1,1,1\nEND_NODES\n"
				   "START_PORTS\nNodeGuid,PortNum,LinkSpeedActv,OpVLs\n0xa1,1,%s,3\n"
				   "END_PORTS\nSTART_LINKS\nNodeGuid1,PortNum1,NodeGuid2,PortNum2\n"
				   "0xa1,1,0xb1,1\nEND_LINKS\n",
				   table[i].mask);
		AUTO_FABRIC struct fabric *f = parse(text);

		assert_int_equal(f->port_speed[port(f, 0xa1, 1)], table[i].speed);
		assert_int_equal(f->port_opervls[port(f, 0xa1, 1)], 3);
		assert_true(f->port_vls_told[port(f, 0xa1, 1)]);
		assert_false(f->port_vls_told[port(f, 0xb1, 1)]);
		assert_int_equal(f->port_opervls[port(f, 0xb1, 1)], DEFAULT_OPER_VLS);
	}
}

#define NODES "START_NODES\nNodeDesc,NumPorts,NodeType,NodeGUID\n\"s\",4,2,0xa1\n\"h\",1,1,0xb1\nEND_NODES\n"
#define LINKS "START_LINKS\nNodeGuid1,PortNum1,NodeGuid2,PortNum2\n"
#define LINK LINKS "0xa1,1,0xb1,1\nEND_LINKS\n"
#define PORTS "START_PORTS\nNodeGuid,PortNum,PortState\n"

static void test_oddities(void **state)
{
	static const struct {
		const char *text, *kind;
		unsigned line;
		const char *part;
	} cases[] = {
		{NODES PORTS "0xa1,1,4\n0xb1,1,4\n0xa1,3,4\n0xa1,4,4\nEND_PORTS\n" LINK, "incomplete fabric",
		 0, "2 ports active that no row of LINKS names (the first: port 3 of 0x"},
		{NODES PORTS "0xa1,1,4\nEND_PORTS\n" LINK, "incomplete fabric", 0,
		 "1 port cabled that no row of PORTS names (the first: port 1 of 0x"},
		{NODES PORTS "0xa1,x,4\n0xc1,1,4\nEND_PORTS\n" LINK MORE_NODES, "unread line", 8,
		 "2 lines of nodes, ports or cables not understood and left out: lines 8, 9; x:8: found "
		 "'0xa1,x,4', expected a row of PORTS: "},
		{NODES LINKS "0xa1,1,0xb1,1\n", "cut section", 6, "START_LINKS has no END_LINKS"},
		{NODES LINKS "0xa1,9,0xb1,1\nEND_LINKS\n", "port above count", 8,
		 "port 9 of a node that has 4 ports"},
		{"START_NODES\nNodeDesc,NumPorts,NodeType,NodeGUID\n\"s\",4,2,0xa1\n\"t\",4,2,0xa1\nEND_"
		 "NODES\n",
		 "duplicate GUID", 4, "0x00000000000000a1"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_FABRIC struct fabric *f = parse(cases[i].text);

		one_warning(f, cases[i].kind, cases[i].line, cases[i].part);
		if (!strcmp(cases[i].kind, "unread line"))
			assert_true(f->warnings.w[0].missing);
		if (!strcmp(cases[i].kind, "port above count"))
			linked(f, 0xa1, 9, 0xb1, 1);
	}
	AUTO_FABRIC struct fabric *f =
		parse(NODES LINKS "0xa1,1,0xb1,1\n0xa1,2,0xb1,1\n0xa1,2,0xa1,2\nEND_LINKS\n");
	assert_int_equal(count_warnings(f, "contradicting link"), 1);
	assert_int_equal(count_warnings(f, "port cabled to itself"), 1);
}

static void test_refused(void **state)
{
	refused(NODES, "x: found nodes but no cables (rows of LINKS");
	refused("START_NODES\nNodeDesc,NumPorts,NodeType\nEND_NODES\n",
		"x:2: found columns 'NodeDesc,NumPorts,NodeType' under START_NODES, expected one called "
		"NodeGUID");
	refused("START_NODES\nNodeDesc,NumPorts,NodeType,NodeGUID\nEND_NODES\n", "x: no node found");
	refused("START_PM_INFO\n", "x: found sections of ibdiagnet (db_csv) without nodes");
}

/* Rows that cannot be taken are told by their lines; the others of their section are there. */
static void test_wrong_rows(void **state)
{
	static const struct {
		const char *head, *row, *end;
	} rows[] = {
		{"START_NODES\nNodeDesc,NumPorts,NodeType,NodeGUID\n", "\"x\",4,2,g\n", "END_NODES\n"},
		{"START_NODES\nNodeDesc,NumPorts,NodeType,NodeGUID\n", "\"x\",4,2,0\n", "END_NODES\n"},
		{"START_NODES\nNodeDesc,NumPorts,NodeType,NodeGUID\n", "\"x\",4,x,0xc1\n", "END_NODES\n"},
		{"START_NODES\nNodeDesc,NumPorts,NodeType,NodeGUID\n", "\"x\",4,0,0xc1\n", "END_NODES\n"},
		{"START_NODES\nNodeDesc,NumPorts,NodeType,NodeGUID\n", "\"x\",4,4,0xc1\n", "END_NODES\n"},
		{"START_NODES\nNodeDesc,NumPorts,NodeType,NodeGUID\n", "\"x\",x,2,0xc1\n", "END_NODES\n"},
		{"START_NODES\nNodeDesc,NumPorts,NodeType,NodeGUID\n", "\"x\",255,2,0xc1\n", "END_NODES\n"},
		{"START_SWITCHES\nNodeGUID,LinearFDBCap\n", "g,100\n", "END_SWITCHES\n"},
		{"START_SWITCHES\nNodeGUID,LinearFDBCap\n", "0xc1,100\n", "END_SWITCHES\n"},
		{"START_PORTS\nNodeGuid,PortNum,PortState\n", "g,1,4\n", "END_PORTS\n"},
		{"START_PORTS\nNodeGuid,PortNum,PortState\n", "0xa1,300,1\n", "END_PORTS\n"},
		{LINKS, "g,1,0xb1,1\n", "END_LINKS\n"},
		{LINKS, "0xa1,x,0xb1,1\n", "END_LINKS\n"},
		{LINKS, "0xa1,0,0xb1,1\n", "END_LINKS\n"},
		{LINKS, "0xa1,1,0xc1,1\n", "END_LINKS\n"},
		{LINKS, "0xa1,1,0xb1,300\n", "END_LINKS\n"},
		{"START_NODES\nNodeDesc,NumPorts,NodeType,NodeGUID\n", "\"x\",4,2\n", "END_NODES\n"},
		{"START_PORTS\nNodeGuid,PortNum,PortState\n", "0xa1,2\n", "END_PORTS\n"},
		{"START_PORTS\nNodeGuid,PortNum,PortState\n", "0xa1,2,1,5\n", "END_PORTS\n"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		bool nodes = strstr(rows[i].head, "NODES"), links = strstr(rows[i].head, "LINKS");
		AUTO_FREE char *s = str_printf("%s%s%s%s%s%s", nodes ? "" : NODES, rows[i].head,
					       nodes   ? "\"s\",4,2,0xa1\n\"h\",1,1,0xb1\n"
					       : links ? "0xa1,1,0xb1,1\n"
						       : "",
					       rows[i].row, rows[i].end, links ? "" : LINK);
		AUTO_FREE char *more = str_printf("%s" MORE_NODES, s);
		AUTO_FABRIC struct fabric *f = parse(more);

		refused(s, ": found '");
		if (f->n_nodes != 22 || f->n_links != 1 || count_warnings(f, "unread line") != 1 ||
		    !f->warnings.missing)
			fail_msg("%s: %u nodes, %u links, %zu warnings", rows[i].row, f->n_nodes, f->n_links,
				 f->warnings.n);
	}
}

#define PKEY_HEAD "START_PKEY\nNodeGUID,PortGUID,LocalPortNum,BlockNum,Index,PKey,Membership\n"
#define PKEY_ROWS                                                                        \
	"0xa1,0xa1,0,0,0,0x7fff,1\n0xa1,0xa1,1,0,0,0x0005,1\n0xb1,0xb2,1,0,0,0x7fff,0\n" \
	"0xb1,0xb2,1,0,1,0x0002,1\n0xc1,0xc1,1,0,0,0x7fff,1\n"
#define TOLD NODES PORTS "0xa1,1,4\n0xb1,1,4\nEND_PORTS\n" LINK

/* P_Keys of ports with an address; where one row is wrong, or the section is cut, none is taken. */
static void test_pkeys(void **state)
{
	static const struct {
		const char *rows, *why;
		unsigned line;
		const char *kind;
	} wrong[] = {
		{"0xb1,0xb2,1,0,2,0x8002,1\nEND_PKEY\n",
		 "x:22: found '0xb1,0xb2,1,0,2,0x8002,1', expected a row of PKEY: ", 22, "P_Keys left out"},
		{"0xb1,0xb2,1,0,2,0x3,2\nEND_PKEY\n", "x:22: found '0xb1,0xb2,1,0,2,0x3,2', ", 22,
		 "P_Keys left out"},
		{"0xb1,0xb2,1,0,2,0x3\nEND_PKEY\n", "x:22: found '0xb1,0xb2,1,0,2,0x3', ", 22,
		 "P_Keys left out"},
		{"g,0xb2,1,0,2,0x3,0\nEND_PKEY\n", "x:22: found 'g,0xb2", 22, "P_Keys left out"},
		{"0xb1,0xb2,1,0,2,0x3,0\n", "x:15: found 'START_PKEY', expected END_PKEY", 15,
		 "P_Keys left out"},
		{"0xb1,0xb2,1,0,", "x:15: found 'START_PKEY', expected END_PKEY", 15, "P_Keys left out"},
		{"0xb1,0xb2,1,0,2,0x3,0\nSTART_X\nEND_X\n", "START_PKEY has no END_PKEY", 15, "cut section"},
	};
	AUTO_FABRIC struct fabric *f = parse(TOLD PKEY_HEAD PKEY_ROWS "END_PKEY\n");
	/* another version's columns */
	AUTO_FABRIC struct fabric *other = parse(TOLD "START_PKEY\nNodeGUID,PKeys\n0xa1,0x7fff\nEND_PKEY\n");
	const struct managers *m = fabric_managers(f);

	assert_int_equal(f->warnings.n, 0);
	assert_int_equal(m->n_pkeys, 3);
	assert_false(m->asked);
	assert_int_equal(pkeys_at(m, 0xa1)->pkey, 0xffff);
	const struct port_pkey *x = pkeys_at(m, 0xb2);
	assert_int_equal(x[0].pkey, 0x7fff);
	assert_int_equal(x[1].pkey, 0x8002);
	assert_null(pkeys_at(m, 0xb1));
	assert_null(pkeys_at(m, 0xc1));
	one_warning(other, "P_Keys left out", 17,
		    "x:17: found '0xa1,0x7fff', expected a row of PKEY: NodeGUID, PortGUID");
	assert_false(other->warnings.missing);
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		AUTO_FABRIC struct fabric *g =
			parse(line_of("%s%s", TOLD PKEY_HEAD PKEY_ROWS, wrong[i].rows));
		bool told = false;

		assert_null(g->managers);
		assert_int_equal(g->n_links, 1);
		for (size_t k = 0; k < g->warnings.n; k++)
			told |= !strcmp(g->warnings.w[k].kind, wrong[i].kind) &&
				g->warnings.w[k].line == wrong[i].line &&
				strstr(g->warnings.w[k].text, wrong[i].why);
		if (!told)
			fail_msg("%s: %zu warnings, the first '%s'", wrong[i].rows, g->warnings.n,
				 g->warnings.w[0].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_db_csv),	   cmocka_unit_test(test_smdb),
		cmocka_unit_test(test_speed_bits), cmocka_unit_test(test_oddities),
		cmocka_unit_test(test_refused),	   cmocka_unit_test(test_wrong_rows),
		cmocka_unit_test(test_pkeys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
