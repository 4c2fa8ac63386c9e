/* What people paste: parts of a fabric, files without GUIDs, and what other tools write. */
#include "core/formats/tables.h"
#include "tests/unit/formats.h"

#define SWITCH(guid, lid)                                                     \
	"vendid=0x2c9\nswitchguid=0x" guid "(" guid ")\nSwitch\t36 \"S-" guid \
	"\"\t# \"leaf\" base port 0 lid " lid " lmc 0\n"
#define S1 "00000000000000a1"
#define S2 "00000000000000a2"

static void unseen(const struct fabric *f, uint64_t guid, unsigned lid)
{
	uint32_t n = node(f, guid);

	assert_true(f->node_unseen[n]);
	assert_int_equal(node_lid(f, NULL, n), lid);
}

/* One switch of ibnetdiscover: its peers are nodes that were not seen, and what is written again says so. */
static void test_one_switch(void **state)
{
	AUTO_FABRIC struct fabric *f =
		parse(SWITCH(S1, "1") "[1]\t\"H-00000000000000b0\"[2](b2)\t\t# \"node1 HCA-1\" lid 7 4xHDR\n"
				      "[3]\t\"S-" S2 "\"[20]\t\t# \"spine\" lid 9 4xHDR\n"
				      "[4]\t\"S-" S2 "\"[21]\t\t# \"spine\" lid 9 4xHDR\n");
	AUTO_FABRIC struct fabric *g = written(f);

	assert_int_equal(count_warnings(f, "dangling link"), 3);
	for (unsigned i = 0; i < 2; i++) {
		const struct fabric *x = i ? g : f;

		assert_int_equal(x->n_nodes, 3);
		assert_int_equal(x->n_links, 3);
		assert_false(x->node_unseen[node(x, 0xa1)]);
		unseen(x, 0xb0, 7);
		unseen(x, 0xa2, 9);
		linked(x, 0xa1, 1, 0xb0, 2);
		linked(x, 0xa1, 4, 0xa2, 21);
		assert_int_equal(x->port_guid[port(x, 0xb0, 2)], 0xb2);
		assert_string_equal(desc(x, 0xa2), "spine");
		assert_int_equal(x->port_speed[port(x, 0xa2, 20)], SPEED_HDR);
	}
}

/* Channel adapters alone name their switches. */
static void test_adapters_alone(void **state)
{
	AUTO_FABRIC struct fabric *f =
		parse("caguid=0xb0\nCa\t1 \"H-00000000000000b0\"\t# \"node1\"\n"
		      "[1](b1) \t\"S-" S1 "\"[41]\t\t# lid 7 lmc 0 \"leaf\" lid 3 4xHDR\n\n"
		      "caguid=0xc0\nCa\t1 \"H-00000000000000c0\"\t# \"node2\"\n"
		      "[1](c1) \t\"S-" S1 "\"[5]\t\t# lid 8 lmc 0 \"leaf\" lid 3 4xHDR\n");

	assert_int_equal(f->n_switches, 1);
	assert_int_equal(f->n_links, 2);
	unseen(f, 0xa1, 3);
	linked(f, 0xa1, 41, 0xb0, 1);
	linked(f, 0xa1, 5, 0xc0, 1);
}

static uint32_t called(const struct fabric *f, const char *name)
{
	for (uint32_t n = 0; n < f->n_nodes; n++)
		if (!strcmp(f->node_desc[n], name))
			return n;
	return NO_ID;
}

/* Nodes whose GUIDs are hidden are told apart by name and LID, and found again by both. */
static void test_hidden(void **state)
{
	static const char text[] =
		"vendid=0x2c9\nsysimgguid=0x9c<redacted>\nswitchguid=0x9c<redacted>(9c<redacted>)\n"
		"Switch\t36 \"S-9c<redacted>\"\t# \"leaf\" base port 0 lid 1 lmc 0\n"
		"[1]\t\"H-94<redacted>\"[1](94<redacted>) \t# \"node1\" lid 7 4xHDR\n"
		"[2]\t\"H-94<redacted>\"[1](94<redacted>) \t# \"node2\" lid 8 4xHDR\n"
		"[3]\t\"H-94<redacted>\"[1](94<redacted>) \t# \"node2\" lid 9 4xHDR\n\n"
		"vendid=0x2c9\ncaguid=0x94<redacted>\nCa\t1 \"H-94<redacted>\"\t# \"node2\"\n"
		"[1](94<redacted>) \t\"S-9c<redacted>\"[2]\t# lid 8 lmc 0 \"leaf\" lid 1 4xHDR\n\n"
		"vendid=0x2c9\ncaguid=0x94<redacted>\nCa\t1 \"H-94<redacted>\"\t# \"node2\"\n"
		"[1](94<redacted>) \t\"S-9c<redacted>\"[3]\t# lid 9 lmc 0 \"leaf\" lid 1 4xHDR\n";
	AUTO_FABRIC struct fabric *f = parse(text);

	assert_string_equal(f->format, "ibnetdiscover");
	assert_int_equal(f->n_nodes, 4);
	assert_int_equal(f->n_links, 3);
	assert_int_equal(count_warnings(f, "dangling link"), 1);
	assert_int_equal(count_warnings(f, "impossible value"), 1);
	assert_true(f->node_unseen[called(f, "node1")]);
	assert_false(f->node_unseen[called(f, "node2")]);
	assert_int_equal(f->warnings.n, 2);
}

/* Two records that nothing tells apart stand for neither of their peers. */
static void test_hidden_alike(void **state)
{
	AUTO_FABRIC struct fabric *f =
		parse("switchguid=0xxx\nSwitch\t36 \"S-xx\"\t# \"sw\" base port 0 lid 0 lmc 0\n"
		      "[1]\t\"S-xx\"[2]\t# \"sw\" lid 0 4xHDR\n\n"
		      "switchguid=0xxx\nSwitch\t36 \"S-xx\"\t# \"sw\" base port 0 lid 0 lmc 0\n"
		      "[2]\t\"S-xx\"[1]\t# \"sw\" lid 0 4xHDR\n");

	assert_int_equal(f->n_nodes, 2);
	assert_int_equal(f->n_links, 0);
	assert_int_equal(count_warnings(f, "dangling link"), 2);
}

/* iblinkinfo of OFED 1.5 has no colon behind `Switch`. */
static void test_ofed_15(void **state)
{
	AUTO_FABRIC struct fabric *f =
		parse("Switch 0xa1 IBM HSSM:\n"
		      "  4  1[  ] ==( 4X 5.0 Gbps Active/  LinkUp)==>  1  1[  ] \"node1 HCA-1\" ( )\n"
		      "  4  2[  ] ==( 4X 2.5 Gbps   Down/Disabled)==>     [  ] \"\" ( )\n");

	assert_int_equal(f->warnings.n, 0);
	assert_int_equal(f->n_links, 1);
	assert_string_equal(desc(f, 0xa1), "IBM HSSM");
	assert_true(f->node_unseen[called(f, "node1 HCA-1")]); /* one switch alone tells it */
}

#define DUMP                                                                                             \
	"sim> dump\n# Net status - Thu Jun 18 04:34:53 2026\n\n"                                         \
	"Switch 8 \"A\"\tnodeguid 200000\tsysimgguid 200000\n#\tlinearcap 49152 FDBtop 3 portchange 0\n" \
	"#\tForwarding table 0-3: [0]FF [1]0 [2]A [3]1\n"                                                \
	"200000\t[0]\t\"Sma Port\"[0]\t lid 1 lmc 0 smlid 1  4x  2.5G Active/LinkUp\n"                   \
	"200000\t[1]\t\"h\"[1]\t  4x 10.0G Active/LinkUp\n200000\t[2]\t\t  4x  2.5G Down/Polling\n\n"    \
	"Ca 2 \"h\"\tnodeguid 100000\tsysimgguid 100000\n"                                               \
	"100001\t[1]\t\"A\"[1]\t lid 3 lmc 0 smlid 1  4x 10.0G Active/LinkUp\n"                          \
	"100002\t[2]\t\t lid 0 lmc 0 smlid 0  4x  2.5G Down/Polling\n"

/* ibsim's console: cables, LIDs, speeds and tables. */
static void test_ibsim_dump(void **state)
{
	AUTO_FABRIC struct fabric *f = parse(DUMP "#  dumped 2 nodes\n");
	const struct switch_tables *t = fabric_switch_tables(f);

	assert_int_equal(f->warnings.n, 0);
	assert_string_equal(f->format, "ibsim dump");
	linked(f, 0x200000, 1, 0x100000, 1);
	assert_int_equal(f->port_lid[port(f, 0x100000, 1)], 3);
	assert_int_equal(f->port_speed[port(f, 0x100000, 1)], SPEED_QDR);
	assert_int_equal(f->port_state[port(f, 0x200000, 2)], PORT_DOWN);
	assert_non_null(t);
	assert_int_equal(t->lft[0][1], 0);
	assert_int_equal(t->lft[0][2], 10); /* ports are hexadecimal */
	assert_int_equal(t->lft[0][3], 1);
	fabric_unref(f);
	f = parse(DUMP "#  dumped 3 nodes\n");
	warns(f, "cut list", 0, "3 nodes, of which 2 are here");
	assert_true(f->warnings.missing);
}

#define NDAT                                                                                            \
	"{\"network_info\":{},\"node_info\":{"                                                          \
	"\"0000:0000:0000:00b1\":{\"node_type\":2,\"log_id\":\"3\",\"desc\":\"'h1 HCA-1'\"},"           \
	"\"0000:0000:0000:00a1\":{\"node_type\":1,\"log_id\":\"1\",\"desc\":\"'sw'\"}},\"edge_info\":{" \
	"\"7\":{\"src_node_id\":\"0000:0000:0000:00b1\",\"src_port_id\":\"1\",\"dest_node_id\":"        \
	"\"0000:0000:0000:00a1\",\"dest_port_id\":\"4\",\"speed\":\"QDR\",\"width\":\"4x\"},"           \
	"\"8\":{\"src_node_id\":\"0000:0000:0000:00a1\",\"src_port_id\":\"4\",\"dest_node_id\":"        \
	"\"0000:0000:0000:00b1\",\"dest_port_id\":\"1\",\"speed\":\"QDR\",\"width\":\"4x\"}}}"

/* netloc's nodes; its paths are tables of the fabric in that file alone. */
static void test_netloc(void **state)
{
	static const char paths[] = "{\"path_info\":{\"0000:0000:0000:00a1\":{\"0000:0000:0000:00b1\":[8]}}}";
	AUTO_FABRIC struct fabric *f = parse(NDAT), *other = parse(SWITCH(S1, "1"));
	struct input in = {.name = "paths", .data = paths, .size = sizeof(paths) - 1};
	AUTO_TEXT struct text notes = {0};
	struct tables_info info;
	struct err e;

	assert_int_equal(f->warnings.n, 0);
	linked(f, 0xa1, 4, 0xb1, 1);
	assert_string_equal(desc(f, 0xb1), "h1 HCA-1");
	assert_int_equal(f->port_guid[port(f, 0xb1, 1)], 0xb1);
	assert_int_equal(f->port_lid[port(f, 0xb1, 1)], 3);
	assert_int_equal(f->port_speed[port(f, 0xa1, 4)], SPEED_QDR);
	assert_null(tables_parse(&in, other, NULL, &info, &notes, &e));
	assert_string_equal(
		e.msg, "paths: found paths of netloc, expected the fabric of its -nodes.ndat loaded before");
	refused(paths, "x: found paths of netloc (-log-paths.ndat, -phy-paths.ndat), which name no cables");
	refused("{\"node_info\":{},\"edge_info\":{", "x: found a part of netloc's .ndat");
}

#define NED                                                                                          \
	"// a comment\nnetwork small\n{\n    submodules:\n        H[4]: HCA;\n"                      \
	"        leaf[2]: Switch {\n            parameters:\n                numSwitchPorts = 3;\n"  \
	"            gates:\n                port[3];\n        }\n        core: Switch {\n"          \
	"            gates:\n                port[2];\n        }\n    connections:\n"                \
	"        for i = 0..1, j = 0..1 {\n"                                                         \
	"            H[i * 2 + j].port <--> IB4XQDRWire <--> leaf[int(i)].port[j % 2];\n        }\n" \
	"        leaf[0].port[(4-2)*1] <--> core.port[0]; // up\n"                                   \
	"        leaf[1].port[2] <--> core.port[1];\n}\n"

/* OMNeT++: the tables belong to the switches where they lead. */
static void test_omnet(void **state)
{
	static const char tables[] = "0: 255 0 0 1 1\n1: 255 0 1 2 2\n2: 255 2 2 0 1\n";
	AUTO_FABRIC struct fabric *f = parse(NED);
	struct input in = {.name = "x.fdbs", .data = tables, .size = sizeof(tables) - 1};
	AUTO_TEXT struct text notes = {0};
	struct tables_info info;
	struct switch_tables *t;
	struct err e;
	uint32_t leaf = called(f, "leaf-1"), core = called(f, "core"), host = called(f, "H-3");

	assert_int_equal(f->warnings.n, 0);
	assert_int_equal(f->n_links, 6);
	linked(f, f->node_guid[leaf], 2, f->node_guid[host], 1);
	linked(f, f->node_guid[leaf], 3, f->node_guid[core], 2);
	assert_int_equal(f->port_speed[port(f, f->node_guid[host], 1)], SPEED_QDR);
	assert_int_equal(node_lid(f, NULL, host), 4);
	t = tables_parse(&in, f, NULL, &info, &notes, &e);
	assert_non_null(t);
	assert_int_equal(t->lft[f->node_switch[leaf]][3], 1);
	assert_int_equal(t->lft[f->node_switch[leaf]][1], 3);
	assert_int_equal(t->lft[f->node_switch[core]][1], 1);
	assert_int_equal(t->lft[f->node_switch[core]][4], 2);
	assert_int_equal(info.n_misfits, 0);
	counted_unref(&t->counted);
	refused("network x {\nsubmodules:\n a[2]: Switch;\nconnections:\n a[0].port <--> b.port;\n}\n",
		"x:5: found ';");
}

/* Files of other tools are told by their kind; a binary one by its first bytes. */
static void test_kinds(void **state)
{
	refused("   0: 0xffff 0x0000 0x0000 0x0000 0x0000 0x0000 0x0000 0x0000\n8 pkeys capacity for this "
		"port\n",
		"x: found P_Keys of a port (smpquery pkeys)");
	refused("# SL2VL table: Lid 2\n#                 SL: | 0| 1|\nports: in  0, out  0: | 0| 1|\n",
		"x: found the SL-to-VL table of a port (smpquery sl2vl)");
	refused("MCMemberRecord group dump:\n\t\tMGID....................ff12::1\n\t\tMlid....0xC004\n",
		"x: found multicast groups (saquery -g)");
	refused("MCMemberRecord member dump:\n\t\tMGID....................ff12::1\n\t\tMlid....0xC004\n",
		"x: found members of multicast groups (saquery -m)");
	refused_n("\4\0\0\0\r\0\0\0\4\0\r\0", 12,
		  "x: found binary data (its first bytes: 04 00 00 00 0d 00 00 00)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_switch), cmocka_unit_test(test_adapters_alone),
		cmocka_unit_test(test_hidden),	   cmocka_unit_test(test_hidden_alike),
		cmocka_unit_test(test_ofed_15),	   cmocka_unit_test(test_ibsim_dump),
		cmocka_unit_test(test_netloc),	   cmocka_unit_test(test_omnet),
		cmocka_unit_test(test_kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
