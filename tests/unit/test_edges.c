/* Edge lists: what a line means, what is given where it is left out, wrong words, writing. */
#include "tests/unit/formats.h"

static uint32_t named(const struct fabric *f, const char *name)
{
	for (uint32_t n = 0; n < f->n_nodes; n++)
		if (!strcmp(f->node_desc[n], name))
			return n;
	fail_msg("no node %s", name);
	return NO_ID;
}

/* "name[port]" at the other end, or "-". */
static const char *peer(const struct fabric *f, const char *name, unsigned port)
{
	static char text[80];
	uint32_t p = f->port_peer[f->node_port[named(f, name)] + port];

	if (p == NO_ID)
		return "-";
	snprintf(text, sizeof(text), "%s[%u]", f->node_desc[f->port_node[p]], f->port_num[p]);
	return text;
}

/* Told ports count first, whatever their lines; the others are given by line, the left end first. */
static void test_ports(void **state)
{
	AUTO_FABRIC struct fabric *f = load(FILES "five.edges");
	uint32_t h2 = named(f, "h 2"), s3 = named(f, "s3");

	assert_string_equal(f->format, "edges");
	assert_int_equal(f->warnings.n, 0);
	assert_int_equal(f->n_switches, 5);
	assert_int_equal(f->n_links, 10);
	assert_string_equal(peer(f, "s1", 1), "s2[1]");
	assert_string_equal(peer(f, "s1", 2), "s5[2]");
	assert_string_equal(peer(f, "s1", 3), "s3[2]");
	assert_string_equal(peer(f, "s1", 4), "h1[1]");
	assert_string_equal(peer(f, "s3", 1), "s2[2]");
	assert_string_equal(peer(f, "s3", 7), "s4[7]");
	assert_string_equal(peer(f, "s4", 3), "h 2[2]");
	assert_string_equal(peer(f, "h 2", 1), "s5[4]");
	assert_int_equal(f->node_nports[s3], 36);
	assert_int_equal(f->node_nports[named(f, "s1")], 4);
	assert_int_equal(f->port_lid[f->node_port[s3]], 9);
	assert_int_equal(f->port_lid[f->node_port[h2] + 1], 0);
	assert_int_equal(f->node_guid[named(f, "s2")], 0x200001);
	assert_int_equal(f->node_guid[named(f, "h1")], 0x80000000);
	assert_int_equal(f->node_guid[h2], 0x2c90300000010);
	assert_int_equal(f->node_sysguid[h2], 0x2c90300000010);
	uint32_t p = f->node_port[h2] + 1;
	assert_int_equal(f->port_guid[p + 1], 0x2c90300000012);
	assert_int_equal(f->port_width[p], WIDTH_4X);
	assert_int_equal(f->port_speed[p], SPEED_HDR);
	assert_int_equal(f->port_speed[f->port_peer[p]], SPEED_HDR);
	assert_int_equal(f->port_speed[p + 1], SPEED_UNKNOWN);
	assert_int_equal(f->port_node[f->endport_port[f->sm_endport]], named(f, "h1"));
	assert_false(f->sm_guessed);
	/* the first mentioned is the first */
	assert_int_equal(f->node_order[named(f, "s1")], 0);
}

/* GUIDs that are given meet no told one of a node or port. */
static void test_guids(void **state)
{
	AUTO_FABRIC struct fabric *f =
		parse("switch a guid=0x200001 b\nb c\nc d\nhost x guid=0x80000003 2 a\nhost y 2 a\n"
		      "host z b\nhost v portguid=0x80000008 c\nhost w d\n");
	static const struct {
		const char *name;
		uint64_t guid;
	} table[] = {{"b", 0x200000},	{"c", 0x200002},   {"d", 0x200003},  {"y", 0x80000000},
		     {"z", 0x80000006}, {"v", 0x80000009}, {"w", 0x8000000b}};

	for (size_t i = 0; i < ARRAY_LEN(table); i++)
		assert_int_equal(f->node_guid[named(f, table[i].name)], table[i].guid);
	assert_true(f->sm_guessed);
	assert_int_equal(f->port_node[f->endport_port[f->sm_endport]], named(f, "a"));
}

/* Names alone are taken for cables where they are joined, and there are several. */
static void test_kind(void **state)
{
	static const char *const good[] = {"a b\nb c\n",	   "1 2\n# more\n2 3 # 4\n",
					   "a[1] b[1]\n",	   "a b 4xHDR\n",
					   "host h1 a\n",	   "switch a 3\n",
					   "a b EDR\r\nb c\r\n",   "\"a b\" \"c\"\n\"c\" d\n",
					   "\"host\" a\na host\n", "switch a guid=0x1\n",
					   "a a\na b\n",	   "host a b\n"};
	static const char *const bad[] = {"a b\n",
					  "a b\nc d\n",
					  "host a\nhostname b\nuser c\n",
					  "a b\nb c d\n",
					  "a b c d\na[1] b[2]\na b c\n",
					  "host h1\n",
					  "{ a b\nb c\n",
					  "sm a\n"};

	for (size_t i = 0; i < ARRAY_LEN(good); i++)
		fabric_unref(parse(good[i]));
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		refused(bad[i], "found no node");
	/* one of two lines is wrong */
	refused("a b\nb[3 c\n", "x:2: found 'b[3', expected NAME");
}

/* Each wrong word is told with its line. */
static void test_wrong(void **state)
{
	static const struct {
		const char *line, *message;
	} table[] = {
		{"a[0] b", "x:4: found 'a[0]', expected NAME or NAME[PORT] with a port from 1 to 254"},
		{"a[3]b c", "x:4: found 'a[3]b', expected NAME"},
		{"a \"b", "x:4: found '\"b', expected the other end: NAME"},
		{"a", "x:4: found the end of the line, expected the other end"},
		{"a b[255]", "x:4: found 'b[255]', expected the other end"},
		{"a b 5xHDR?", "x:4: found '5xHDR?', expected a rate such as 4xHDR"},
		{"a b 4xFOO", "x:4: found '4xFOO', expected a rate such as 4xHDR"},
		{"a b HDR c", "x:4: found 'c', expected the end of the line"},
		{"a[9] b", "x:4: found 'a[9]', expected a port without a cable (line 1 cables it)"},
		{"b[1] b[1]", "x:4: found 'b[1]', expected a port without a cable (line 4 cables it)"},
		{"host", "x:4: found the end of the line, expected NAME"},
		{"host h0 a", "x:4: found 'h0', expected one line for a node, which line 2 is"},
		{"host h 300 a", "x:4: found '300', expected a number of ports from 1 to 254"},
		{"host h 0", "x:4: found '0', expected a number of ports"},
		{"host h 2x a", "x:4: found '2x', expected a number of ports"},
		{"host h enhanced=1 a", "x:4: found 'enhanced=1', expected a number of ports, KEY=VALUE"},
		{"host h lid=70000 a", "x:4: found 'lid=70000', expected a LID up to 65535"},
		{"host h lid= a", "x:4: found 'lid=', expected a LID"},
		{"host h lmc=8 a", "x:4: found 'lmc=8', expected an LMC up to 7"},
		{"switch s lid=1,2", "x:4: found 'lid=1,2', expected a LID"},
		{"host h guid=0x12345678901234567 a",
		 "x:4: found 'guid=0x12345678901234567', expected a GUID"},
		{"host h guid=1,2 a", "x:4: found 'guid=1,2', expected a GUID"},
		{"switch s guid=0x51", "x:4: found '0x51', expected a GUID that no other node has"},
		{"host h lid=1,2 a", "x:4: found '1,2', expected at most a value for each port"},
		{"c[3] a", "x:4: found 'c[3]', expected a port up to 2, as line 3 tells"},
		{"c a\nc a\nc a", "x:6: found 'c', expected a node with a free port (all 2 have cables)"},
		{"sm", "x:4: found the end of the line, expected NAME"},
		{"sm q", "x:4: found 'q', expected a node that another line tells"},
		{"sm h0[2]", "x:4: found 'h0[2]', expected a switch, or a host's port with a cable"},
		{"sm a b", "x:4: found 'b', expected the end of the line"},
		{"sm a\nsm a", "x:5: found 'sm', expected one such line in a file"},
	};

	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		AUTO_FREE char *text = str_printf(
			"a[9] b[9] 4xHDR\nhost h0 2 b\nswitch c 2 guid=0x51\n%s\na b\na b\na b\na b\n",
			table[i].line);

		refused(text, table[i].message);
	}
}

/* What does not end with a line end may be cut, unless its last word cannot go on. */
static void test_cut_line(void **state)
{
	static const struct {
		const char *text;
		bool cut;
	} cases[] = {
		{"a[1] b[1]\na[2] b", true},
		{"a[1] b[1]\na[2] b[2]", false},
		{"a[1] b[1]\na[2] b[2]\n# end", false},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_FABRIC struct fabric *f = parse(cases[i].text);

		if (f->warnings.missing != cases[i].cut)
			fail_msg("%s: %zu parts are missing", cases[i].text, (size_t)f->warnings.missing);
		if (cases[i].cut)
			assert_string_equal(f->warnings.w[0].kind, "cut record");
	}
}

static char *as_text(const struct fabric *f, bool edges)
{
	char *text = NULL;
	size_t size;
	struct text t = {0};
	struct err e = {0};

	if (edges) {
		if (edges_text(f, NULL, NULL, NULL, &t, &e))
			fail_msg("%s", e.msg);
		return t.s;
	}
	FILE *out = open_memstream(&text, &size);
	assert_int_equal(write_ibnetdiscover(out, f, NULL, NULL, NULL), 0);
	fclose(out);
	return text;
}

/* Read back it is the same fabric; what it cannot hold is refused. */
static void test_writing(void **state)
{
	static const char *const files[] = {FILES "five.edges", "tests/fuzz/corpus/fabric/saved.edges",
					    FILES "two-leaf.ibnetdiscover"};
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		AUTO_FABRIC struct fabric *f = load(files[i]);
		AUTO_FREE char *list = as_text(f, true);
		AUTO_FABRIC struct fabric *g = parse(list);
		assert_int_equal(g->sm_endport, f->sm_endport);
		AUTO_FREE char *once = as_text(f, false);
		AUTO_FREE char *again = as_text(g, false);
		/* only the line of the source's maker is lost */
		assert_string_equal(strstr(again, "# Initiated"), strstr(once, "# Initiated"));
	}
}

static void has_no_list(struct fabric *f, const char *part)
{
	AUTO_FABRIC struct fabric *owned = f;
	AUTO_TEXT struct text t = {0};
	struct err e = {0};

	assert_int_equal(edges_text(owned, NULL, NULL, NULL, &t, &e), -1);
	assert_non_null(strstr(e.msg, part));
}

static void test_not_written(void **state)
{
	has_no_list(load(FILES "voltaire-2007-lmc1.ibnetdiscover"),
		    "an edge list cannot hold this fabric: an edge list:5: found");
	has_no_list(parse("vendid=0x1\nswitchguid=0xa(a)\nSwitch\t2 \"S-000000000000000a\"\t\t# \"a\" base "
			  "port 0 "
			  "lid 0 lmc 0\n"
			  "[1]\t\"S-000000000000000b\"[1]\t\t# \"b\" lid 0 4xHDR label x/1\n\n"
			  "vendid=0x1\nswitchguid=0xb(b)\nSwitch\t2 \"S-000000000000000b\"\t\t# \"b\" base "
			  "port 0 "
			  "lid 0 lmc 0\n"
			  "[1]\t\"S-000000000000000a\"[1]\t\t# \"a\" lid 0 4xHDR\n"),
		    "label, rate or GUID of a[1] would be lost");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ports),	    cmocka_unit_test(test_guids),
		cmocka_unit_test(test_kind),	    cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_cut_line),    cmocka_unit_test(test_writing),
		cmocka_unit_test(test_not_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
