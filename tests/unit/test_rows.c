/* Readers of rows: net_dump, net_dump_ext, iblinkinfo, ibnetdiscover -p; one small fabric in each form. */
#include "tests/unit/formats.h"

#define CORPUS "tests/fuzz/corpus/fabric/"

/* Two switches, a host on each; ports of hosts by GUID where it is told. */
static void check_small(const char *file, bool labels, bool guids)
{
	AUTO_FABRIC struct fabric *f = load(file);
	uint64_t h1 = guids ? 0xb1 : 0x100003, h2 = guids ? 0xc1 : 0x100004;

	assert_int_equal(f->warnings.n, 0);
	assert_int_equal(f->n_switches, 2);
	assert_int_equal(f->n_nodes, 4);
	assert_int_equal(f->n_links, 3);
	linked(f, 0xa1, 4, 0xa2, 3);
	linked(f, 0xa1, 1, h1, 1);
	linked(f, 0xa2, 1, h2, 1);
	assert_string_equal(desc(f, 0xa1), "MF0;top:MQM9700/U1");
	assert_string_equal(desc(f, h2), "node2 HCA-1");
	assert_int_equal(f->node_nports[node(f, 0xa1)], 4);
	assert_int_equal(f->port_lid[port(f, 0xa2, 0)], 2);
	assert_int_equal(f->port_lid[port(f, h2, 1)], 4);
	assert_int_equal(f->port_guid[port(f, h1, 1)], h1);
	assert_int_equal(f->port_speed[port(f, h1, 1)], SPEED_NDR);
	assert_int_equal(f->port_width[port(f, 0xa2, 1)], WIDTH_2X);
	assert_int_equal(f->port_speed[port(f, 0xa2, 1)], SPEED_HDR);
	assert_int_equal(f->port_speed[port(f, 0xa1, 3)], SPEED_UNKNOWN);
	assert_int_equal(f->port_width[port(f, 0xa1, 3)], WIDTH_UNKNOWN);
	assert_non_null(f->untold);
	assert_int_equal(f->port_labels != NULL, labels);
	if (labels) {
		assert_string_equal(fabric_port_label(f, port(f, 0xa1, 4)), "1/2/2");
		assert_string_equal(fabric_port_label(f, port(f, h2, 1)), "B7D0F0/0/0/1");
	}
}

static void test_forms(void **state)
{
	struct fabric *f = load(CORPUS "labels.db_csv");

	check_small(CORPUS "small.net_dump", true, true);
	check_small(CORPUS "old.net_dump", false, true);
	check_small(CORPUS "small.net_dump_ext", true, true);
	check_small(CORPUS "iblinkinfo.txt", false, true);
	check_small(CORPUS "iblinkinfo-l.txt", false, true);
	check_small(CORPUS "iblinkinfo-S.txt", false, false);
	check_small(CORPUS "ibnetdiscover-p.txt", false, true);
	assert_string_equal(fabric_port_label(f, port(f, 0xa1, 4)), "1/2/2");
	assert_string_equal(f->generated, "2025-01-02 03:04:05 UTC +0000");
	fabric_unref(f);
	f = load(CORPUS "small.net_dump");
	assert_string_equal(f->generated, "2025-01-02 03:04:05 UTC +0000");
	fabric_unref(f);
}

#define LINK(lid, port, peer, peer_port, name)                                                          \
	"  " lid " " port "[  ] ==( 4X 10.0 Gbps Active/ LinkUp)==> " peer " " peer_port "[  ] \"" name \
	"\" ( )\n"

/* A host's two ports below one line; blanks as people leave them; FDR10 behind the rate. */
static void test_pasted(void **state)
{
	AUTO_FABRIC struct fabric *f = parse(
		"CA:  twice HCA-1:\n"
		"    0xf45214030091ba51" LINK(
			"6", "1", "2", "1",
			"sw") "    0xf45214030091ba52      4    2[  ] ==( 4X  10.0 Gbps (FDR10) Active/  "
			      "LinkUp)==>  2  2[  ] \"sw\" ( Could be 14.0625 Gbps)\n"
			      "Switch: 0xa1 sw:\n" LINK("2", "1", "6", "1", " twice HCA-1")
				      LINK("2", "2", "4", "2", "twice HCA-1"));
	uint32_t host = node(f, 0xf45214030091ba51);

	assert_int_equal(f->warnings.missing, 0);
	assert_int_equal(f->n_nodes, 2);
	assert_int_equal(f->node_nports[host], 2);
	assert_string_equal(f->node_desc[host], " twice HCA-1");
	assert_int_equal(f->port_guid[f->node_port[host] + 2], 0xf45214030091ba52);
	assert_int_equal(f->port_speed[f->node_port[host] + 2], SPEED_FDR10);
	assert_int_equal(f->port_speed[f->node_port[host] + 1], SPEED_QDR);
}

/* Ports of a channel adapter in rows of their own: one node when GUIDs follow and names are the same. */
static void test_siblings(void **state)
{
	static const char form[] =
		"CA     7  2 0x00000000000000c2 4x EDR - SW     1  2 0x00000000000000a1 ( '%s' - 'sw' )\n"
		"CA     6  1 0x00000000000000c1 4x EDR - SW     1  1 0x00000000000000a1 ( 'h' - 'sw' )\n"
		"SW     1  1 0x00000000000000a1 4x EDR - CA     6  1 0x00000000000000c1 ( 'sw' - 'h' )\n"
		"SW     1  2 0x00000000000000a1 4x EDR - CA     7  2 0x00000000000000c2 ( 'sw' - 'h' )\n";
	static const struct {
		const char *name;
		unsigned nodes;
	} table[] = {{"h", 2}, {"other", 3}};

	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		AUTO_FREE char *text = str_printf(form, table[i].name);
		AUTO_FABRIC struct fabric *f = parse(text);

		assert_int_equal(f->n_nodes, table[i].nodes);
		assert_int_equal(f->n_links, 2);
		assert_int_equal(f->warnings.n, 0);
	}
}

/* Rows that are cut out of a whole: told, and their peers are nodes that were not seen. */
static void test_parts(void **state)
{
	struct fabric *f = parse("Switch: 0xa1 sw:\n" LINK("2", "1", "6", "1", "host")
					 LINK("2", "3", "9", "36", "spine"));

	assert_int_equal(f->n_nodes, 3); /* the host and the other switch, both by their LIDs */
	assert_true(f->node_unseen[node(f, 0x100006)] && f->node_unseen[node(f, 0x100009)]);
	assert_int_equal(f->n_switches, 2);
	linked(f, 0xa1, 3, 0x100009, 36);
	warns(f, "cut list", 0,
	      "1 port of switches without a line, which this tool writes of all (the first: port 2");
	warns(f, "dangling link", 0, "port 3 is cabled to \"LID 9\", which is not in the file");
	fabric_unref(f);
	/* two rows name LID 6: that is a switch */
	f = parse("Switch: 0xa1 sw:\n" LINK("2", "1", "6", "1", "x") LINK("2", "2", "6", "2", "x"));
	assert_int_equal(f->n_switches, 2);
	assert_int_equal(f->n_links, 2);
	assert_int_equal(count_warnings(f, "dangling link"), 2);
	fabric_unref(f);
	f = parse("\"sw\", Mellanox, 0xa1, LID 2\n # : Sta : LWA : LSA : Neighbor Guid : N# : NLID : "
		  "Neighbor Description\n"
		  " 1 : ACT : 4x : 25 : N/A : N/A : N/A : \"\"\n");
	warns(f, "open port", 0, "port 1 is up, and what it is cabled to is not told");
	fabric_unref(f);
	f = parse("# File created at   : 2025-01-02 03:04:06 UTC +0000\n" SW_HEAD SW_LINE SW_PORT CA_RECORD);
	warns(f, "cut list", 0, "x has no last line '# File closed at'");
	fabric_unref(f);
}

/* --- lines that are not understood --------------------------------------------------------------- */

#define DUMP_HEAD                                                                                     \
	"\"sw\", Mellanox, 0xa1, LID 2\n # : Sta : LWA : LSA : Neighbor Guid : N# : NLID : Neighbor " \
	"Description\n"
#define EXT_HEAD "Ty : # : #IB : GUID : LID : Sta : LWA : LSA : Conn LID (#) : Node Desc\n"

/* A switch with n ports, all down, in each form; the bad line comes behind them. */
static char *ports_and(const char *head, const char *form, unsigned n, const char *bad)
{
	AUTO_TEXT struct text t = {0};

	text_add(&t, "%s", head);
	for (unsigned p = 1; p <= n; p++)
		text_add(&t, form, p, p);
	text_add(&t, "%s\n", bad);
	char *s = str_dup(text_str(&t));
	return s;
}

static void test_unread(void **state)
{
	static const struct {
		const char *head, *form, *bad, *expected;
	} table[] = {
		{"Switch: 0xa1 sw:\n", "  2 %u[  ] ==( Down/ Polling)==> [  ] \"\" ( )\n",
		 "  2 300[  ] ==( Down/ ",
		 "expected Switch: 0xGUID NAME:, CA: NAME: or below such a line LID PORT[ ] ==( STATE )==>"},
		{"Switch: 0xa1 sw:\n", "  2 %u[  ] ==( Down/ Polling)==> [  ] \"\" ( )\n",
		 "  2 300[  ] ==( Down/ Polling)==> [  ] \"\" ( )", "expected Switch: 0xGUID"},
		{"Switch: 0xa1 sw:\n", "  2 %u[  ] ==( Down/ Polling)==> [  ] \"\" ( )\n",
		 "Switch: sw:", "found 'Switch: sw:', expected Switch: 0xGUID"},
		{"Switch: 0xa1 sw:\n", "  2 %u[  ] ==( Down/ Polling)==> [  ] \"\" ( )\n", "CA: sw",
		 "found 'CA: sw', expected Switch: 0xGUID"},
		/* another switch, whose own line is not there */
		{"Switch: 0xa1 sw:\n", "  2 %u[  ] ==( Down/ Polling)==> [  ] \"\" ( )\n",
		 "  3 1[  ] ==( Down/ Polling)==> [  ] \"\" ( )", "expected Switch: 0xGUID"},
		{"", "0xa1 \"sw\" 2 %u[  ] ==( Down/ Polling)==> [  ] \"\" ( )\n",
		 "0xa1 \"sw\" 2 9[  ] ==( Up )==>",
		 "found '0xa1 \"sw\" 2 9[  ] ==( Up )==>', expected Switch"},
		{DUMP_HEAD, "%u : DOWN : N/A : N/A : : : : \"\"\n", "99 : DOWN : N/A",
		 "found '99 : DOWN : N/A', expected \"NAME\", VENDOR, 0xGUID, LID n, headings, and below "
		 "them rows"},
		{DUMP_HEAD, "%u : DOWN : N/A : N/A : : : : \"\"\n", "300 : DOWN : N/A : N/A : : : : \"\"",
		 "found '300 : DOWN"},
		{DUMP_HEAD, "%u : DOWN : N/A : N/A : : : : \"\"\n", "\"MF0;other\", Mellanox",
		 "found '\"MF0;other\""},
		/* headings without the switch */
		{DUMP_HEAD, "%u : DOWN : N/A : N/A : : : : \"\"\n",
		 "# : Sta : LWA : LSA : Neighbor Guid : N# : NLID : Neighbor Description\n"
		 "1 : DOWN : N/A : N/A : : : : \"\"",
		 "found '1 : DOWN"},
		{EXT_HEAD, "SW : %u : %u : 0xa1 : 2 : DOWN : N/A : N/A : : \"sw\"\n",
		 "SW : 9 : 9 : 0xa1 : 2 : DOWN", "found 'SW : 9 : 9 : 0xa1 : 2 : DOWN', expected"},
		{EXT_HEAD, "SW : %u : %u : 0xa1 : 2 : DOWN : N/A : N/A : : \"sw\"\n",
		 "XX : 9 : 9 : 0xa1 : 2 : DOWN : N/A : N/A : : \"sw\"", "found 'XX : 9"},
		{"", "SW 2 %u 0xa1 4x SDR 'sw'\n", "SW 2 9 0xa1 4x",
		 "found 'SW 2 9 0xa1 4x', expected TYPE LID PORT"},
		{"", "SW 2 %u 0xa1 4x SDR 'sw'\n", "CA 70000 1 0xb1 4x SDR 'h'",
		 "with ports of 1 to 254 and LIDs up"},
	};

	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		AUTO_FREE char *few = ports_and(table[i].head, table[i].form, 5, table[i].bad);
		char *many = ports_and(table[i].head, table[i].form, 20, table[i].bad);
		struct fabric *f = parse(many);

		warns(f, "unread line", 0, table[i].expected);
		assert_int_equal(f->n_nodes, 1);
		assert_int_equal(f->node_nports[0], 20);
		assert_int_equal(count_warnings(f, "unknown line"), 0);
		fabric_unref(f);
		refused(few, table[i].expected);
		refused(few, "1 of ");
		/* a prompt or a message is none of these lines */
		free(many);
		many = ports_and(table[i].head, table[i].form, 5, "[root@host ~]# ");
		f = parse(many);
		one_warning(f, "unknown line", 6 + (table[i].head[0] != 0) + (table[i].head[0] == '"'), "");
		assert_int_equal(f->warnings.missing, 0);
		fabric_unref(f);
		/* what the text ends within is cut, not left out */
		few[strlen(few) - 1] = 0;
		if (!strchr(table[i].bad, '\n')) {
			f = parse(few);
			warns(f, "cut record", 0, "x ends within a record");
			fabric_unref(f);
		}
		free(many);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms), cmocka_unit_test(test_pasted), cmocka_unit_test(test_siblings),
		cmocka_unit_test(test_parts), cmocka_unit_test(test_unread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
