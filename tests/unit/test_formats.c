/*
 * Readers and writers of fabrics, GUID files and name maps.  The files in
 * tests/fabrics/formats/ named two-leaf.* were written by OpenSM 3.3.23 and
 * libibnetdisc 44 over ibsim 0.10, and so were the values the tests expect of
 * the ibsim-*.net files.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "core/base/cursor.h"
#include "core/base/err.h"
#include "core/base/guidfile.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/formats/formats.h"
#include "core/formats/readers.h"

#define FILES "tests/fabrics/formats/"

/* --- small tools ---------------------------------------------------------------- */

static struct fabric *load(const char *file)
{
	struct fabric *f = NULL;
	struct err e = {""};

	if (fabric_load(file, &f, &e))
		fail_msg("%s", e.msg);
	return f;
}

static struct fabric *parse(const char *text)
{
	struct fabric *f = NULL;
	struct err e = {""};

	if (fabric_parse("x", text, strlen(text), &f, &e))
		fail_msg("%s", e.msg);
	return f;
}

/* The text must be refused with a message that holds `part`. */
static void refused_n(const char *data, size_t n, const char *part)
{
	struct fabric *f = NULL;
	struct err e = {""};

	assert_int_equal(fabric_parse("x", data, n, &f, &e), -1);
	assert_null(f);
	if (!strstr(e.msg, part))
		fail_msg("expected \"%s\" in \"%s\"", part, e.msg);
}

static void refused(const char *text, const char *part)
{
	refused_n(text, strlen(text), part);
}

static unsigned count_warnings(const struct fabric *f, const char *kind)
{
	unsigned n = 0;

	for (size_t i = 0; i < f->warnings.n; i++)
		n += !strcmp(f->warnings.w[i].kind, kind);
	return n;
}

/* Exactly one warning, of this kind, line and with this text in it. */
static void one_warning(const struct fabric *f, const char *kind, unsigned line, const char *part)
{
	assert_int_equal(f->warnings.n, 1);
	assert_string_equal(f->warnings.w[0].kind, kind);
	assert_int_equal(f->warnings.w[0].line, line);
	if (!strstr(f->warnings.w[0].text, part))
		fail_msg("expected \"%s\" in \"%s\"", part, f->warnings.w[0].text);
}

static uint32_t node(const struct fabric *f, uint64_t guid)
{
	uint32_t n = fabric_node_by_guid(f, guid);

	assert_int_not_equal(n, NO_ID);
	return n;
}

static uint32_t port(const struct fabric *f, uint64_t guid, unsigned num)
{
	uint32_t n = node(f, guid);

	assert_in_range(num, 0, f->node_nports[n]);
	return f->node_port[n] + num;
}

static void linked(const struct fabric *f, uint64_t g1, unsigned p1, uint64_t g2, unsigned p2)
{
	assert_int_equal(f->port_peer[port(f, g1, p1)], port(f, g2, p2));
	assert_int_equal(f->port_peer[port(f, g2, p2)], port(f, g1, p1));
}

static const char *desc(const struct fabric *f, uint64_t guid)
{
	return f->node_desc[node(f, guid)];
}

static char *read_all(const char *path, size_t *size)
{
	struct err e = {""};
	char *data;

	if (read_file(path, &data, size, &e))
		fail_msg("%s", e.msg);
	data = mem_resize(data, *size + 1, 1);
	data[*size] = 0;
	return data;
}

static uint64_t sm_node(const struct fabric *f)
{
	assert_int_not_equal(f->sm_endport, NO_ID);
	return f->node_guid[endport_node(f, f->sm_endport)];
}

/* Two fabrics are the same but for source, format and warnings. */
static void same_fabric(const struct fabric *a, const struct fabric *b)
{
	assert_int_equal(a->n_nodes, b->n_nodes);
	assert_int_equal(a->n_ports, b->n_ports);
	assert_int_equal(a->n_links, b->n_links);
	assert_int_equal(a->n_endports, b->n_endports);
	assert_int_equal(a->sm_endport, b->sm_endport);
	for (uint32_t n = 0; n < a->n_nodes; n++) {
		assert_int_equal(a->node_type[n], b->node_type[n]);
		assert_int_equal(a->node_guid[n], b->node_guid[n]);
		assert_int_equal(a->node_sysguid[n], b->node_sysguid[n]);
		assert_int_equal(a->node_vendor[n], b->node_vendor[n]);
		assert_int_equal(a->node_device[n], b->node_device[n]);
		assert_string_equal(a->node_desc[n], b->node_desc[n]);
	}
	for (uint32_t p = 0; p < a->n_ports; p++) {
		assert_int_equal(a->port_guid[p], b->port_guid[p]);
		assert_int_equal(a->port_peer[p], b->port_peer[p]);
		assert_int_equal(a->port_lid[p], b->port_lid[p]);
		assert_int_equal(a->port_lmc[p], b->port_lmc[p]);
		assert_int_equal(a->port_width[p], b->port_width[p]);
		assert_int_equal(a->port_speed[p], b->port_speed[p]);
	}
	for (uint32_t s = 0; s < a->n_switches; s++)
		assert_int_equal(a->switch_esp0[s], b->switch_esp0[s]);
}

static struct fabric *written(const struct fabric *f)
{
	struct fabric *g = NULL;
	struct err e = {""};
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(write_ibnetdiscover(out, f, NULL, NULL), 0);
	fclose(out);
	if (fabric_parse("written", text, size, &g, &e))
		fail_msg("%s", e.msg);
	free(text);
	return g;
}

static void round_trip(const char *file)
{
	struct fabric *f = load(file), *g = written(f);

	same_fabric(f, g);
	assert_int_equal(g->warnings.n, 0);
	fabric_unref(f);
	fabric_unref(g);
}

/* --- ibnetdiscover ------------------------------------------------------------------ */

#define SW_HEAD "vendid=0x2c9\ndevid=0xd2f0\nsysimgguid=0xa0\nswitchguid=0xa1(a1)\n"
#define SW_LINE "Switch\t4 \"S-00000000000000a1\"\t\t# \"sw\" enhanced port 0 lid 3 lmc 0\n"
#define CA_RECORD                                                    \
	"vendid=0x2c9\ndevid=0x101b\nsysimgguid=0xb0\ncaguid=0xb1\n" \
	"Ca\t1 \"H-00000000000000b1\"\t\t# \"host\"\n"               \
	"[1](b2) \t\"S-00000000000000a1\"[1]\t\t# lid 4 lmc 1 \"sw\" lid 3 4xHDR\n"
#define SW_PORT "[1]\t\"H-00000000000000b1\"[1](b2) \t\t# \"host\" lid 4 4xHDR\n"

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
	assert_int_equal(f->port_state[port(f, 0xa1, 1)], PORT_ACTIVE);
	assert_int_equal(sm_node(f), 0xa1);
}

static void good_pair(const char *text)
{
	struct fabric *f = parse(text);

	check_pair(f);
	assert_int_equal(f->warnings.n, 0);
	fabric_unref(f);
}

static void test_plain(void **state)
{
	(void)state;
	good_pair("#\n# Topology file: generated on X\n#\n\n" SW_HEAD SW_LINE SW_PORT "\n" CA_RECORD);
}

static void test_no_empty_lines(void **state)
{
	(void)state;
	good_pair(SW_HEAD SW_LINE SW_PORT CA_RECORD);
	good_pair(SW_HEAD SW_LINE SW_PORT " \n \t\n" CA_RECORD);
}

/* A terminal swallowed the tabs, and every line ends in CR LF. */
static void test_terminal_copy(void **state)
{
	(void)state;
	good_pair("vendid=0x2c9\r\ndevid=0xd2f0\r\nsysimgguid=0xa0\r\nswitchguid=0xa1(a1)\r\n"
		  "Switch4 \"S-00000000000000a1\"# \"sw\" enhanced port 0 lid 3 lmc 0\r\n"
		  "[1]\"H-00000000000000b1\"[1](b2)# \"host\" lid 4 4xHDR\r\r\n\r\n"
		  "vendid=0x2c9\r\ndevid=0x101b\r\nsysimgguid=0xb0\r\ncaguid=0xb1\r\n"
		  "Ca1\"H-00000000000000b1\"# \"host\"\r\n"
		  "[1](b2)\"S-00000000000000a1\"[1]# lid 4 lmc 1 \"sw\" lid 3 4xHDR\r\n");
}

static void test_blanks_everywhere(void **state)
{
	(void)state;
	good_pair("vendid=0x2c9\ndevid=0xd2f0\nsysimgguid=0xa0\nswitchguid = 0xa1 ( a1 )\n"
		  " Switch  4  \"S-00000000000000a1\"          # \"sw\" enhanced port 0 lid 3 lmc 0\n"
		  "[ 1 ]     \"H-00000000000000b1\" [1] (b2)          # \"host\" lid 4 4xHDR\n" CA_RECORD);
}

static void test_extra_fields(void **state)
{
	(void)state;
	good_pair(SW_HEAD SW_LINE
		  "[1]\t\"H-00000000000000b1\"[1](b2) \t\t# \"host\" lid 4 4xHDR s=4 w=2 v=4 e=4\n"
		  "vendid=0x2c9\ndevid=0x101b\nsysimgguid=0xb0\ncaguid=0xb1\n"
		  "Ca\t1 \"H-00000000000000b1\"\t\t# \"host\" slot 3\n"
		  "[1](b2) \t\"S-00000000000000a1\"[1]\t\t# lid 4 lmc 1 \"sw\" lid 3 4xHDR (scp)\n");
}

/* Messages of libraries between the lines, in the midst of a record too. */
static void test_mixed_in_lines(void **state)
{
	struct fabric *f =
		parse("$ ibnetdiscover\n" SW_HEAD SW_LINE
		      "src/query_smp.c:195; umad (DR path slid 0; dlid 0; 0,1) bad status 110\n" SW_PORT
		      "ibwarn: [123] mad_rpc: timeout\n\n" CA_RECORD "$ \n");

	(void)state;
	check_pair(f);
	one_warning(f, "unknown line", 1, "4 lines not understood and skipped: lines 1, 7, 9, 17");
	fabric_unref(f);
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

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(text); i++) {
		char *s = str_printf(SW_HEAD
				     "Switch\t4 \"S-00000000000000a1\"\t\t# \"%s\" base port 0 lid 3 lmc 2\n",
				     text[i]);
		struct fabric *f = parse(s), *g = written(f);

		assert_string_equal(desc(f, 0xa1), text[i]);
		assert_int_equal(f->port_lid[port(f, 0xa1, 0)], 3);
		assert_int_equal(f->port_lmc[port(f, 0xa1, 0)], 2);
		assert_int_equal(f->switch_esp0[0], 0);
		same_fabric(f, g);
		fabric_unref(f);
		fabric_unref(g);
		free(s);
	}
}

static void test_description_bytes(void **state)
{
	char longer[81];
	struct fabric *f;
	char *s;

	(void)state;
	memset(longer, 'd', 80);
	longer[80] = 0;
	longer[3] = '\x1b';
	longer[4] = '\xe4';
	s = str_printf(SW_HEAD "Switch\t4 \"S-00000000000000a1\"\t\t# \"%s\" base port 0 lid 3 lmc 2\n",
		       longer);
	f = parse(s);
	assert_int_equal(strlen(desc(f, 0xa1)), 63);
	assert_memory_equal(desc(f, 0xa1), "ddd  ddd", 8);
	fabric_unref(f);
	free(s);
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

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		char *s = str_printf(SW_HEAD SW_LINE "[1]\t\"S-00000000000000a1\"[2]\t\t# \"sw\" lid 3 %s\n"
						     "[2]\t\"S-00000000000000a1\"[1]\t\t# \"sw\" lid 3 %s\n",
				     t[i].text, t[i].text);
		struct fabric *f = parse(s);

		linked(f, 0xa1, 1, 0xa1, 2); /* a loop-back cable */
		assert_int_equal(f->warnings.n, 0);
		assert_int_equal(f->port_width[port(f, 0xa1, 1)], t[i].w);
		assert_int_equal(f->port_speed[port(f, 0xa1, 1)], t[i].s);
		fabric_unref(f);
		free(s);
	}
}

static void test_lids(void **state)
{
	struct fabric *f =
		parse(SW_HEAD "Switch 4 \"S-00000000000000a1\" # \"sw\" base port 0 lid 65535 lmc 0\n\n");

	(void)state;
	assert_int_equal(f->port_lid[port(f, 0xa1, 0)], 65535);
	assert_int_equal(f->warnings.n, 0);
	fabric_unref(f);
	f = parse(SW_HEAD "Switch 4 \"S-00000000000000a1\" # \"sw\" base port 0 lid 65536 lmc 0\n");
	assert_int_equal(f->port_lid[port(f, 0xa1, 0)], 0);
	one_warning(f, "LID out of range", 5, "found LID 65536");
	fabric_unref(f);
	f = parse(SW_HEAD "Switch 4 \"S-00000000000000a1\" # \"sw\" base port 0 lid 5 lmc 9\n");
	assert_int_equal(f->port_lmc[port(f, 0xa1, 0)], 0);
	one_warning(f, "LMC out of range", 5, "found LMC 9");
	fabric_unref(f);
}

static void test_dangling(void **state)
{
	struct fabric *f = parse(SW_HEAD SW_LINE SW_PORT);

	(void)state;
	assert_int_equal(f->n_links, 0);
	one_warning(f, "dangling link", 6,
		    "port 1 is cabled to \"H-00000000000000b1\", which is not in the file");
	fabric_unref(f);
}

/* Only the switch has a line; LID and GUID of the host are learnt from it. */
static void test_one_sided(void **state)
{
	struct fabric *f =
		parse(SW_HEAD SW_LINE SW_PORT "\ncaguid=0xb1\nCa 1 \"H-00000000000000b1\" # \"host\"\n");

	(void)state;
	linked(f, 0xa1, 1, 0xb1, 1);
	assert_int_equal(f->port_lid[port(f, 0xb1, 1)], 4);
	assert_int_equal(f->port_guid[port(f, 0xb1, 1)], 0xb2);
	assert_int_equal(f->port_speed[port(f, 0xb1, 1)], SPEED_HDR);
	one_warning(f, "one-sided link", 6,
		    "port 1 is cabled to \"H-00000000000000b1\"[1], which has no line for it");
	fabric_unref(f);
}

static void test_contradiction(void **state)
{
	struct fabric *f =
		parse(SW_HEAD SW_LINE SW_PORT
		      "[2]\t\"H-00000000000000b1\"[1](b2) \t\t# \"host\" lid 4 4xHDR\n\n" CA_RECORD);

	(void)state;
	linked(f, 0xa1, 1, 0xb1, 1);
	assert_int_equal(f->n_links, 1);
	one_warning(f, "contradicting link", 7, "names \"S-00000000000000a1\"[1] in line 14");
	fabric_unref(f);
}

static void test_cabled_to_itself(void **state)
{
	struct fabric *f = parse(SW_HEAD SW_LINE "[2] \"S-00000000000000a1\"[2] # \"sw\" lid 3 4xHDR\n");

	(void)state;
	assert_int_equal(f->n_links, 0);
	one_warning(f, "port cabled to itself", 6, "port 2 is cabled to itself");
	fabric_unref(f);
}

static void test_port_twice(void **state)
{
	struct fabric *f = parse(SW_HEAD SW_LINE SW_PORT SW_PORT "\n" CA_RECORD);

	(void)state;
	linked(f, 0xa1, 1, 0xb1, 1);
	one_warning(f, "port listed twice", 7, "has a cable in line 6 already");
	fabric_unref(f);
}

static void test_duplicate_guid(void **state)
{
	struct fabric *f =
		parse(SW_HEAD SW_LINE SW_PORT "\n" CA_RECORD "\n" SW_HEAD SW_LINE
					      "[3] \"H-00000000000000b1\"[1](b2) # \"host\" lid 4 4xHDR\n");

	(void)state;
	check_pair(f);
	one_warning(f, "duplicate name", 19, "a second node is called \"S-00000000000000a1\"");
	fabric_unref(f);
	f = parse(SW_HEAD SW_LINE "\n" SW_HEAD
				  "Switch 4 \"S-00000000000000ff\" # \"other\" base port 0 lid 9 lmc 0\n");
	assert_int_equal(f->n_nodes, 1);
	one_warning(f, "duplicate GUID", 11, "a second node has the GUID 0x00000000000000a1");
	fabric_unref(f);
}

static void test_ports_above_count(void **state)
{
	struct fabric *f = parse(SW_HEAD "Switch 1 \"S-00000000000000a1\" # \"sw\" base port 0 lid 3 lmc 0\n"
					 "[3] \"S-00000000000000a1\"[4] # \"sw\" lid 3 4xHDR\n"
					 "[4] \"S-00000000000000a1\"[3] # \"sw\" lid 3 4xHDR\n");

	(void)state;
	linked(f, 0xa1, 3, 0xa1, 4);
	assert_int_equal(f->node_nports[0], 4);
	assert_int_equal(count_warnings(f, "port above count"), 2);
	fabric_unref(f);
	f = parse(SW_HEAD SW_LINE "[255] \"H-00000000000000b1\"[1](b2) # \"host\" lid 4 4xHDR\n"
				  "[0] \"H-00000000000000b1\"[1](b2) # \"host\" lid 4 4xHDR\n");
	assert_int_equal(count_warnings(f, "bad port number"), 2);
	assert_string_equal(f->warnings.w[0].text, "found port 255, expected 1 to 254; the line is left out");
	fabric_unref(f);
}

static void test_too_many_ports(void **state)
{
	(void)state;
	refused(SW_HEAD "Switch 255 \"S-00000000000000a1\" # \"sw\" base port 0 lid 3 lmc 0\n",
		"x:5: found a switch with 255 ports, expected at most 254");
	refused(SW_HEAD "Switch 99999999999999999999999 \"S-00000000000000a1\" # \"sw\"\n",
		"x:5: found a switch with ");
}

static void test_ca_to_ca(void **state)
{
	struct fabric *f =
		parse("caguid=0xb1\nCa 2 \"H-00000000000000b1\" # \"one\"\n"
		      "[2](b3) \"H-00000000000000c1\"[1] (c2) # lid 7 lmc 0 \"two\" lid 8 4xQDR\n\n"
		      "caguid=0xc1\nCa 1 \"H-00000000000000c1\" # \"two\"\n"
		      "[1](c2) \"H-00000000000000b1\"[2] (b3) # lid 8 lmc 0 \"one\" lid 7 4xQDR\n");

	(void)state;
	linked(f, 0xb1, 2, 0xc1, 1);
	assert_int_equal(f->n_switches, 0);
	assert_int_equal(f->port_lid[port(f, 0xb1, 2)], 7);
	assert_int_equal(f->port_lid[port(f, 0xc1, 1)], 8);
	assert_int_equal(f->sm_endport, f->port_endport[port(f, 0xb1, 2)]);
	assert_int_equal(f->warnings.n, 0);
	fabric_unref(f);
}

/* The subnet manager cannot run on a node without any cable. */
static void test_first_node_uncabled(void **state)
{
	struct fabric *f = parse("caguid=0xc1\nCa 1 \"H-00000000000000c1\" # \"lone\"\n\n" SW_HEAD SW_LINE);

	(void)state;
	assert_int_equal(sm_node(f), 0xa1);
	one_warning(f, "place of the subnet manager", 0, "the first node has no cable");
	fabric_unref(f);
}

static void test_public_files(void **state)
{
	static const struct {
		const char *file;
		unsigned nodes, switches, links;
		const char *generated;
	} t[] = {
		{FILES "mt43132-2009.ibnetdiscover", 3, 1, 2, "generated on Wed May  6 15:14:42 2009"},
		{FILES "sun-dcs36-2002.ibnetdiscover", 2, 1, 1, "generated on Sat Apr 13 22:28:55 2002"},
		{FILES "voltaire-2007-lmc1.ibnetdiscover", 6, 2, 7, "generated on Tue Jun  5 14:15:10 2007"},
		{FILES "stage-qdr-fdr10.ibnetdiscover", 152, 8, 192, "generated on Sun Oct  5 21:59:42 2014"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		struct fabric *f = load(t[i].file);

		assert_string_equal(f->format, "ibnetdiscover");
		assert_int_equal(f->warnings.n, 0);
		assert_int_equal(f->n_nodes, t[i].nodes);
		assert_int_equal(f->n_switches, t[i].switches);
		assert_int_equal(f->n_links, t[i].links);
		assert_string_equal(f->generated, t[i].generated);
		fabric_unref(f);
		round_trip(t[i].file);
	}
}

static void test_superbench(void **state)
{
	struct fabric *f = load(FILES "superbench-faked.ibnetdiscover-f");

	(void)state;
	assert_int_equal(f->n_nodes, 18);
	assert_int_equal(f->n_links, 17);
	one_warning(f, "dangling link", 10, "\"H-0ff08c43213b3f38\", which is not in the file");
	fabric_unref(f);
}

static void test_voltaire_details(void **state)
{
	struct fabric *f = load(FILES "voltaire-2007-lmc1.ibnetdiscover");

	(void)state;
	linked(f, 0x5442ba00003080, 8, 0x8f10403960558, 2);
	linked(f, 0x5442ba00003080, 12, 0x8f10403960558, 1);
	assert_int_equal(f->port_lid[port(f, 0x8f10403960558, 2)], 14);
	assert_int_equal(f->port_lmc[port(f, 0x8f10403960558, 2)], 1);
	assert_int_equal(f->port_width[port(f, 0x8f10400410015, 1)], WIDTH_1X);
	assert_int_equal(f->node_chassis[node(f, 0x5442ba00003080)], 0);
	fabric_unref(f);
}

static void test_grouping(void **state)
{
	struct fabric *f = load(FILES "voltaire-chassis.ibnetdiscover-g");

	(void)state;
	assert_int_equal(f->warnings.n, 0);
	assert_int_equal(f->n_nodes, 3);
	assert_int_equal(f->node_chassis[node(f, 0x8f10400410101)], 1);
	assert_int_equal(f->node_chassis[node(f, 0x8f10400410102)], 1);
	assert_int_equal(f->node_chassis[node(f, 0x8f10400410200)], 0);
	assert_string_equal(f->node_place[node(f, 0x8f10400410102)], "ISR9096 Spine 1 Chip 1");
	assert_null(f->node_place[node(f, 0x8f10400410200)]);
	fabric_unref(f);
}

static void test_external_ports(void **state)
{
	struct fabric *f = parse(
		"Chassis 2 (guid 0x10)\nHostname: director-1\n\n# Line Nodes\nvendid=0x8f1\n"
		"sysimgguid=0xa0\t\t# Chassis 2 (director-1)\nswitchguid=0xa1(a1)\t# ISR9288 Line 3 Chip 1\n"
		"Switch\t24 \"S-00000000000000a1\"\t\t# \"l\" base port 0 lid 1 lmc 0\n"
		"[12][ext 3]\t\"S-00000000000000a2\"[7][ext 21]\t\t# \"m\" lid 2 4xDDR\n\n"
		"Non-Chassis Nodes\n\nvendid=0x8f1\nswitchguid=0xa2(a2)\t# \n"
		"Switch\t24 \"S-00000000000000a2\"\t\t# \"m\" base port 0 lid 2 lmc 0\n"
		"[7][ext 21]\t\"S-00000000000000a1\"[12][ext 3]\t\t# \"l\" lid 1 4xDDR\n");

	(void)state;
	assert_int_equal(f->warnings.n, 0);
	linked(f, 0xa1, 12, 0xa2, 7);
	assert_int_equal(f->port_ext[port(f, 0xa1, 12)], 3);
	assert_int_equal(f->port_ext[port(f, 0xa2, 7)], 21);
	assert_int_equal(f->node_chassis[node(f, 0xa1)], 2);
	assert_string_equal(f->node_place[node(f, 0xa1)], "ISR9288 Line 3 Chip 1");
	assert_int_equal(f->node_chassis[node(f, 0xa2)], 0);
	assert_null(f->node_place[node(f, 0xa2)]);
	fabric_unref(f);
}

/* --- ibsim ---------------------------------------------------------------------------- */

static void test_ibsim_defaults(void **state)
{
	struct fabric *f = load(FILES "ibsim-defaults.net");

	(void)state;
	assert_string_equal(f->format, "ibsim");
	assert_int_equal(f->n_nodes, 9);
	assert_int_equal(f->warnings.n, 0);
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
	fabric_unref(f);
}

static void test_ibsim_modules(void **state)
{
	struct fabric *f = load(FILES "ibsim-modules.net");

	(void)state;
	assert_int_equal(f->n_nodes, 7);
	assert_string_equal(desc(f, 0x200000), "m1#A");
	linked(f, 0x200000, 1, 0x200001, 1);
	linked(f, 0x200002, 1, 0x200000, 3); /* "m1@up" */
	linked(f, 0x200002, 2, 0x200000, 2); /* "m1@dn" */
	linked(f, 0x200004, 3, 0x200003, 1); /* "@al" */
	linked(f, 0x200004, 4, 0x200005, 2);
	one_warning(f, "port cabled to itself", 14, "port 4 is cabled to itself");
	fabric_unref(f);
}

static void test_ibsim_include(void **state)
{
	struct fabric *f = load(FILES "include/top.net");

	(void)state;
	assert_int_equal(f->n_nodes, 3);
	assert_int_equal(f->warnings.n, 0);
	assert_int_equal(sm_node(f), 0x100000); /* the innermost file comes first */
	linked(f, 0x200001, 1, 0x200000, 1);
	linked(f, 0x200001, 2, 0x200000, 2); /* do Link */
	linked(f, 0x100000, 1, 0x200000, 3);
	fabric_unref(f);
	refused("include \"no/such.net\"\n", "x:1: include: no/such.net: cannot be opened: No such file");
	refused("include \"" FILES "include/top.net\"\nSwitch 0 \"A\"\n",
		"x:2: found a node without a number of ports");
}

static void test_ibsim_include_itself(void **state)
{
	char name[] = "/tmp/ibscope-include-XXXXXX";
	struct fabric *f = NULL;
	struct err e = {""};
	int fd = mkstemp(name);

	(void)state;
	assert_true(fd >= 0);
	dprintf(fd, "include \"%s\"\n", name);
	close(fd);
	assert_int_equal(fabric_load(name, &f, &e), -1);
	assert_non_null(strstr(e.msg, "found too many includes inside each other, expected at most 9"));
	unlink(name);
}

static void test_ibsim_line_behind_ports(void **state)
{
	struct fabric *f =
		parse("Switch 2 \"A\"\n[1] \"B\"[1]\nswitchguid=0x77\nSwitch 2 \"B\"\n[1] \"A\"[1]\n");

	(void)state;
	linked(f, 0x200000, 1, 0x200001, 1);
	one_warning(f, "lost line", 3, "ibsim skips the line right behind a node's ports");
	fabric_unref(f);
}

/* Lines are taken 255 bytes at a time; what is left ends the record. */
static void test_ibsim_long_line(void **state)
{
	char pad[300];
	struct fabric *f;
	char *s;

	(void)state;
	memset(pad, 'z', sizeof(pad));
	pad[sizeof(pad) - 1] = 0;
	s = str_printf("Switch 2 \"A\"\n[1] \"B\"[1] # %s\n[2] \"B\"[2]\n\nSwitch 2 \"B\"\n[1] \"A\"[1]\n",
		       pad);
	f = parse(s);
	linked(f, 0x200000, 1, 0x200001, 1);
	assert_int_equal(f->n_links, 1);
	assert_int_equal(count_warnings(f, "lost line"), 1);
	assert_int_equal(count_warnings(f, "unknown line"), 1);
	fabric_unref(f);
	free(s);
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

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		char *s = str_printf("Switch 2 \"A\"\n[1] \"B\"[1]%s\n\nSwitch 2 \"B\"\n[1] \"A\"[1]%s\n",
				     t[i].a, t[i].b);
		struct fabric *f = parse(s);

		linked(f, 0x200000, 1, 0x200001, 1);
		assert_int_equal(f->port_width[port(f, 0x200000, 1)], t[i].w);
		assert_int_equal(f->port_speed[port(f, 0x200001, 1)], t[i].s);
		fabric_unref(f);
		free(s);
	}
	{
		struct fabric *f =
			parse("speed=7\nwidth=1\nextspeed=1\nSwitch 2 \"A\"\n[1] \"A\"[2]\n[2] \"A\"[1]\n");

		assert_int_equal(f->port_width[port(f, 0x200000, 1)], WIDTH_1X);
		assert_int_equal(f->port_speed[port(f, 0x200000, 1)], SPEED_FDR);
		fabric_unref(f);
	}
}

static void test_ibsim_errors(void **state)
{
	(void)state;
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

/* Ids like ibnetdiscover's alone do not make it one; lines that tell GUIDs do. */
static void test_which_text_format(void **state)
{
	struct fabric *f = parse("Switch 4 \"S-00000000000000a1\"\n[1] \"S-00000000000000a1\"[2]\n"
				 "[2] \"S-00000000000000a1\"[1]\n");

	(void)state;
	assert_string_equal(f->format, "ibsim");
	assert_int_equal(f->node_guid[0], 0x200000);
	fabric_unref(f);
	f = parse("switchguid=0xa1\nSwitch 4 \"node\"\n");
	assert_string_equal(f->format, "ibsim");
	fabric_unref(f);
	f = parse("switchguid=0xa1\nSwitch 4 \"S-00000000000000a1\"\n");
	assert_string_equal(f->format, "ibnetdiscover");
	fabric_unref(f);
}

/* A file that both understand gives the same fabric, GUIDs of CA ports aside. */
static void test_both_readers_agree(void **state)
{
	struct err e = {""};
	struct fabric *a = load(FILES "stage-qdr-fdr10.ibnetdiscover"), *b = NULL;
	struct input in = {.name = "x"};
	char *data = read_all(FILES "stage-qdr-fdr10.ibnetdiscover", &in.size);

	(void)state;
	in.data = data;
	assert_int_equal(parse_ibsim(&in, &b, &e), 0);
	same_fabric(a, b); /* port GUIDs of this file happen to be node GUID + port */
	fabric_unref(a);
	fabric_unref(b);
	free(data);
}

/* --- libibnetdisc cache --------------------------------------------------------------- */

static void test_cache(void **state)
{
	struct fabric *a = load(FILES "two-leaf.ibnetdiscover"), *b = load(FILES "two-leaf.cache");

	(void)state;
	/* ibsim runs the ports of routers at SDR */
	a->port_speed[port(a, 0x6000, 2)] = a->port_speed[port(a, 0x3000, 3)] = SPEED_SDR;
	assert_string_equal(b->format, "cache");
	assert_int_equal(b->warnings.n, 0);
	same_fabric(a, b);
	assert_int_equal(b->port_state[port(b, 0x2000, 3)], PORT_INIT);
	assert_int_equal(b->port_state[port(b, 0x2000, 8)], PORT_DOWN);
	assert_int_equal(b->switch_fdb_cap[0], 49152);
	assert_int_equal(sm_node(b), 0x1000); /* where the discovery began */
	fabric_unref(a);
	fabric_unref(b);
}

static void test_cache_cut(void **state)
{
	size_t size;
	char *data = read_all(FILES "two-leaf.cache", &size);

	(void)state;
	for (size_t n = 4; n < size; n++)
		refused_n(data, n, "the libibnetdisc cache is cut off or damaged");
	free(data);
}

static void test_cache_damaged(void **state)
{
	size_t size;
	char *data = read_all(FILES "two-leaf.cache", &size), keep;

	(void)state;
	data[4] = 2;
	refused_n(data, size, "x: found version 2 of the libibnetdisc cache, expected version 1");
	data[4] = 1;
	keep = data[8];
	data[11] = 0x7f;
	refused_n(data, size, "cut off or damaged");
	data[11] = 0;
	data[8] = keep;
	data[28 + 76] = 9; /* type of the first node */
	refused_n(data, size, "x: found node type 9 at 0x");
	free(data);
}

/* Any single byte may be wrong: refused or read, never more than that (sanitizers watch). */
static void test_cache_any_byte(void **state)
{
	size_t size;
	char *data = read_all(FILES "two-leaf.cache", &size);
	unsigned loaded = 0, bad = 0;

	(void)state;
	for (size_t i = 4; i < size; i++) {
		struct fabric *f = NULL;
		struct err e;
		char keep = data[i];

		data[i] ^= 0xff;
		if (fabric_parse("x", data, size, &f, &e))
			bad++;
		else
			loaded++;
		fabric_unref(f);
		data[i] = keep;
	}
	assert_true(loaded > 0);
	assert_true(bad > 0);
	free(data);
}

/* --- opensm-subnet.lst ---------------------------------------------------------------- */

static void test_lst(void **state)
{
	struct fabric *f = load(FILES "two-leaf.lst");

	(void)state;
	assert_string_equal(f->format, "subnet.lst");
	assert_int_equal(f->warnings.n, 0);
	assert_int_equal(f->n_nodes, 6);
	assert_int_equal(f->n_switches, 3);
	linked(f, 0x2000, 2, 0x3000, 2);
	linked(f, 0x6000, 2, 0x3000, 3);
	assert_int_equal(f->node_type[node(f, 0x6000)], NODE_ROUTER);
	assert_string_equal(desc(f, 0x2000), "leaf # one");
	assert_int_equal(f->port_lid[port(f, 0x2000, 0)], 2);
	assert_int_equal(f->port_lid[port(f, 0x5000, 2)], 8);
	assert_int_equal(f->port_guid[port(f, 0x5000, 2)], 0x5002);
	assert_int_equal(f->node_device[node(f, 0x3000)], 0xc738);
	assert_int_equal(f->port_speed[port(f, 0x3000, 1)], SPEED_QDR);
	assert_int_equal(f->port_width[port(f, 0x3000, 1)], WIDTH_4X);
	assert_int_equal(sm_node(f), 0x1000); /* SW-SM */
	fabric_unref(f);
}

#define LST_END(type, guid, pguid, desc, lid, pn)                                           \
	"{ " type " Ports:02 SystemGUID:0000000000000000 NodeGUID:" guid " PortGUID:" pguid \
	" VenID:0002C9 DevID:1003 Rev:000000A1 {" desc "} LID:" lid " PN:" pn " }"

static void test_lst_sm_on_ca(void **state)
{
	struct fabric *f =
		parse(LST_END("CA", "00000000000000b1", "00000000000000b2", "a", "0004", "01") " " LST_END(
			"SW", "00000000000000a1", "00000000000000a1", "s", "0003",
			"01") " PHY=4x LOG=ACT SPD=25\n" LST_END("CA-SM", "00000000000000c1",
								 "00000000000000c3", "} LID:0009 PN:09 } x",
								 "0005",
								 "02") " " LST_END("SW", "00000000000000a1",
										   "00000000000000a1", "s",
										   "0003",
										   "02") " PHY=12x LOG=INI "
											 "SPD=??\n");

	(void)state;
	assert_int_equal(f->warnings.n, 0);
	assert_int_equal(f->sm_endport, f->port_endport[port(f, 0xc1, 2)]);
	assert_string_equal(desc(f, 0xc1), "} LID:0009 PN:09 } x");
	assert_int_equal(f->port_speed[port(f, 0xb1, 1)], SPEED_EDR);
	assert_int_equal(f->port_speed[port(f, 0xa1, 1)], SPEED_EDR);
	assert_int_equal(f->port_width[port(f, 0xc1, 2)], WIDTH_12X);
	assert_int_equal(f->port_state[port(f, 0xc1, 2)], PORT_INIT);
	assert_int_equal(f->port_lid[port(f, 0xa1, 0)], 3);
	fabric_unref(f);
}

/* Files of simulators call every node CA; one GUID on all ports gives switches away. */
static void test_lst_switch_called_ca(void **state)
{
	struct fabric *f =
		parse(LST_END("CA", "00000000000000a1", "00000000000000a1", "s", "0003", "01") " " LST_END(
			"CA", "00000000000000b1", "00000000000000b2", "h", "0004",
			"01") " PHY=4x LOG=ACT\n" LST_END("CA", "00000000000000a1", "00000000000000a1", "s",
							  "0003",
							  "02") " " LST_END("CA", "00000000000000c1",
									    "00000000000000c2", "i", "0005",
									    "01") " PHY=4x LOG=ACT\n");

	(void)state;
	assert_int_equal(f->n_switches, 1);
	assert_int_equal(f->port_lid[port(f, 0xa1, 0)], 3);
	one_warning(f, "node type", 0, "1 node not called a switch but with one GUID on all ports");
	fabric_unref(f);
}

static void test_lst_bad(void **state)
{
	struct fabric *f =
		parse(LST_END("CA", "00000000000000b1", "00000000000000b2", "a", "0004", "01") " " LST_END(
			"SW", "00000000000000a1", "00000000000000a1", "s", "0003",
			"09") " PHY=4x LOG=ACT\n"
			      "rubbish\n" LST_END("CA", "00000000000000c1", "00000000000000c2", "a", "0004",
						  "00") " " LST_END("SW", "00000000000000a1",
								    "00000000000000a1", "s", "0003",
								    "02") " PHY=4x LOG=ACT\n");

	(void)state;
	assert_int_equal(f->n_nodes, 2);
	assert_int_equal(count_warnings(f, "port above count"), 1);
	assert_int_equal(count_warnings(f, "bad line"), 1);
	assert_int_equal(count_warnings(f, "unknown line"), 1);
	fabric_unref(f);
	refused("{ CA Ports:02 nothing more\n", "x: found no line of a cabled port that can be used");
}

/* --- files that hold no fabric ------------------------------------------------------------ */

static void test_no_fabric(void **state)
{
	struct fabric *f = NULL;
	struct err e = {""};

	(void)state;
	refused("", "x: found an empty file, expected ibnetdiscover text, an ibsim net file, a libibnetdisc "
		    "cache or");
	refused("# only\n\n# comments\n", "x: found only empty lines and comments");
	refused("hello world\n", "x: found no node (the text begins 'hello world'), expected");
	refused("vendid=0x2c9\n", "x: found no node");
	refused("Unicast lids [0-3] of switch Lid 1\n",
		"x: found forwarding tables (opensm-lfts.dump, dump_fts)");
	refused("dump_ucast_routes: Switch 0x1\n", "x: found forwarding tables (opensm.fdbs)");
	refused("START_NODES\n", "x: found tables of ibdiagnet (db_csv)");
	refused("Ca\t : 0x0002c9 ports 1\n", "x: found a list of nodes (ibnetdiscover -l)");
	refused_n("\xfd"
		  "7zXZ\0\0",
		  7, "x: found data compressed by xz (unpack it first: xz -d)");
	refused_n("\x1f\x8b\x08\0", 4, "x: found data compressed by gzip");
	refused_n("a\0b", 3, "x: found binary data");
	assert_int_equal(fabric_load("no/such/file", &f, &e), -1);
	assert_string_equal(e.msg, "no/such/file: cannot be opened: No such file or directory");
	assert_int_equal(fabric_load(FILES, &f, &e), -1);
	assert_non_null(strstr(e.msg, "cannot be read: Is a directory"));
}

/* --- GUID files ------------------------------------------------------------------------------ */

static struct guid_file guids(const char *text, bool discard)
{
	struct guid_file g;

	guid_file_parse(&g, "g", text, strlen(text), discard);
	return g;
}

static void entry(const struct guid_file *g, size_t i, uint64_t guid, unsigned line, const char *rest)
{
	assert_in_range(i, 0, g->n - 1);
	assert_int_equal(g->l[i].guid, guid);
	assert_int_equal(g->l[i].line, line);
	assert_string_equal(g->l[i].rest, rest);
}

static void test_guid_lines(void **state)
{
	struct guid_file g = guids(
		"# head\n\n  \t\n0x10\n \t0x20   rest of it  \n18\n010\n0x30#x\n0x40 # c\r\n0x50\r\n-1\n+7\n"
		"99999999999999999999 z\n0x60",
		false);

	(void)state;
	assert_int_equal(g.stopped, 0);
	assert_int_equal(g.n, 11);
	entry(&g, 0, 0x10, 4, "");
	entry(&g, 1, 0x20, 5, "rest of it  ");
	entry(&g, 2, 18, 6, "");
	entry(&g, 3, 8, 7, "");
	entry(&g, 4, 0x30, 8, "#x");
	entry(&g, 5, 0x40, 9, "# c\r");
	entry(&g, 6, 0x50, 10, "");
	entry(&g, 7, UINT64_MAX, 11, "");
	entry(&g, 8, 7, 12, "");
	entry(&g, 9, UINT64_MAX, 13, "z");
	entry(&g, 10, 0x60, 14, "");
	guid_file_free(&g);
}

static void test_guid_stops(void **state)
{
	static const char *const bad[] = {"0002c903 x", "0x10,0x20", "word", "0x",
					  "\"0x10\"",	"0xg",	     "12ab", ";"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		char *s = str_printf("0x1\n# c\n%s\n0x2\n", bad[i]);
		struct guid_file g = guids(s, false);

		assert_int_equal(g.stopped, 3);
		assert_int_equal(g.n, 1);
		assert_int_equal(strncmp(g.why.msg, "g:3: found '", 12), 0);
		assert_non_null(strstr(g.why.msg, bad[i]));
		assert_non_null(strstr(g.why.msg, "expected a GUID in C notation"));
		guid_file_free(&g);
		g = guids(s, true);
		assert_int_equal(g.stopped, 0);
		assert_int_equal(g.n, 2);
		assert_int_equal(g.skipped, 1);
		assert_int_equal(g.first_skipped, 3);
		entry(&g, 1, 2, 4, "");
		guid_file_free(&g);
		free(s);
	}
}

/* A line is read 255 bytes at a time; what is left is a line of its own. */
static void test_guid_long_lines(void **state)
{
	char *s = str_printf("0x10 %250s0x20 tail\n0x30\n", "");
	struct guid_file g = guids(s, false);

	(void)state;
	assert_int_equal(g.n, 3);
	entry(&g, 0, 0x10, 1, "");
	entry(&g, 1, 0x20, 1, "tail");
	entry(&g, 2, 0x30, 2, "");
	guid_file_free(&g);
	free(s);
	s = str_printf("#%254s0x20\n", ""); /* the second piece of a comment is no comment */
	g = guids(s, false);
	assert_int_equal(g.n, 1);
	entry(&g, 0, 0x20, 1, "");
	guid_file_free(&g);
	free(s);
	s = str_printf("%252s0x123\n", ""); /* cut within the number: 0x1 and 23 */
	g = guids(s, false);
	assert_int_equal(g.n, 2);
	entry(&g, 0, 1, 1, "");
	entry(&g, 1, 23, 1, "");
	guid_file_free(&g);
	free(s);
}

static void test_guid_files(void **state)
{
	struct guid_file g;

	(void)state;
	guid_file_read(&g, "no/such/file", false);
	assert_int_equal(g.stopped, UINT_MAX);
	assert_int_equal(g.n, 0);
	assert_string_equal(g.why.msg, "no/such/file: cannot be opened: No such file or directory");
	guid_file_free(&g);
	g = guids("", false);
	assert_int_equal(g.stopped, 0);
	assert_int_equal(g.n, 0);
	guid_file_free(&g);
	guid_file_parse(&g, "g", "0x1\0 2\n0x3\n", 11, false); /* NUL ends a piece */
	assert_int_equal(g.n, 2);
	entry(&g, 0, 1, 1, "");
	guid_file_free(&g);
}

/* --- node-name-map ----------------------------------------------------------------------------- */

static void test_name_map(void **state)
{
	static const char text[] =
		"# map\n0x20  \"Spine #2\"  # old\n0x10 \"Leaf one\"# c\n0x30 plain name   # c\n"
		"0x40\n0x10 \"second\"\nodd line\n0x50 \"open\n";
	struct warnings w = {0};
	struct name_map m;

	(void)state;
	name_map_parse("m", text, sizeof(text) - 1, &m, &w);
	assert_int_equal(m.n, 4);
	assert_int_equal(m.guid[0], 0x10);
	assert_string_equal(m.name[0], "Leaf one");
	assert_int_equal(m.guid[1], 0x20);
	assert_string_equal(m.name[1], "Spine "); /* OpenSM ends a name at '#' too */
	assert_string_equal(m.name[2], "plain name");
	assert_string_equal(m.name[3], "open");
	assert_int_equal(w.n, 3);
	assert_string_equal(w.w[0].text, "m: 1 line without a GUID (0x...) and skipped, the first is line 7");
	assert_string_equal(w.w[1].kind, "duplicate GUID");
	assert_int_equal(w.w[1].line, 6);
	assert_string_equal(w.w[2].text, "m:5: found no name behind 0x0000000000000040, expected \"name\"");
	warnings_free(&w);
	name_map_free(&m);
}

static void test_name_map_missing(void **state)
{
	struct warnings w = {0};
	struct name_map m;
	struct err e = {""};

	(void)state;
	assert_int_equal(name_map_load("no/such/map", &m, &w, &e), -1);
	assert_string_equal(e.msg, "no/such/map: cannot be opened: No such file or directory");
	assert_int_equal(m.n, 0);
}

/* --- writers: against OpenSM's own files ------------------------------------------------------- */

struct tables {
	struct fabric *f;
	struct state *st;
	struct topo *t;
	struct lids *l;
	struct routing *r;
};

static const struct routing_ops no_ops;

/* LIDs as an opensm-lfts.dump names them. */
static struct lids *lids_of_dump(const struct fabric *f, const char *dump)
{
	struct lids *l = NEW(struct lids);
	const char *p = dump;
	unsigned top;

	assert_int_equal(sscanf(dump, "Unicast lids [0-%u]", &top), 1);
	*l = (struct lids){.refs = 1, .lmc = 1, .max_lid = top, .n_endports = f->n_endports};
	l->base = NEW_ARRAY(f->n_endports, uint16_t);
	l->count = NEW_ARRAY(f->n_endports, uint16_t);
	l->owner = NEW_ARRAY(top + 1, uint32_t);
	memset(l->owner, 0xff, (top + 1) * sizeof(*l->owner));
	for (; (p = strstr(p, "\n0x")) != NULL; p++) {
		unsigned lid, out;
		unsigned long guid;
		char type[32];
		uint32_t ep;

		if (sscanf(p, " 0x%x %u # %31[^0] 0x%lx", &lid, &out, type, &guid) < 3)
			continue;
		const char *g = strstr(p, "portguid "), *eol = strchr(p + 1, '\n');

		if (!g || g > eol || sscanf(g, "portguid 0x%lx", &guid) != 1)
			continue;
		ep = fabric_endport_by_guid(f, guid);
		assert_int_not_equal(ep, NO_ID);
		if (l->owner[lid] == NO_ID)
			l->count[ep]++;
		l->owner[lid] = ep;
		if (!l->base[ep] || lid < l->base[ep])
			l->base[ep] = lid;
	}
	return l;
}

static void fill_rows(struct routing *r, const struct fabric *f, const char *dump)
{
	const char *p = dump;
	struct lft_row *row = NULL;

	while (p && *p) {
		unsigned lid, out;
		unsigned long guid;

		if (sscanf(p, "Unicast lids [0-%*u] of switch Lid %*u guid 0x%lx", &guid) == 1) {
			row = lft_row_new(r->lids->max_lid);
			r->row[f->node_switch[node(f, guid)]] = row;
		} else if (!strncmp(p, "0x", 2) && sscanf(p, "0x%x %u", &lid, &out) == 2) {
			assert_non_null(row);
			row->port[lid] = out;
		}
		p = strchr(p, '\n');
		p = p ? p + 1 : NULL;
	}
}

static struct tables tables(const char *dump, uint64_t down)
{
	struct tables x = {.f = load(FILES "two-leaf.ibnetdiscover")};

	x.st = state_new(x.f);
	if (down)
		x.st->node_down[node(x.f, down)] = 1;
	x.t = topo_new(x.f, x.st);
	x.l = lids_of_dump(x.f, dump);
	x.r = routing_new("test", x.t, x.l);
	x.r->ops = &no_ops;
	fill_rows(x.r, x.f, dump);
	return x;
}

static void tables_free(struct tables *x)
{
	routing_unref(x->r);
	lids_unref(x->l);
	topo_unref(x->t);
	state_free(x->st);
	fabric_unref(x->f);
}

static char *output(int (*write)(FILE *, const struct routing *), const struct routing *r)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_int_equal(write(f, r), 0);
	fclose(f);
	return text;
}

static void check_lfts(const char *file, uint64_t down)
{
	size_t size;
	char *want = read_all(file, &size), *got;
	struct tables x = tables(want, down);

	got = output(write_lfts, x.r);
	assert_string_equal(got, want);
	free(got);
	free(want);
	tables_free(&x);
}

static void test_write_lfts(void **state)
{
	(void)state;
	check_lfts(FILES "two-leaf.lfts", 0);
	check_lfts(FILES "two-leaf-host-lost.lfts", 0x4000); /* with lines `unknown node and type` */
}

static void test_write_fdbs(void **state)
{
	size_t size;
	char *dump = read_all(FILES "two-leaf.lfts", &size), *want = read_all(FILES "two-leaf.fdbs", &size),
	     *got;
	struct tables x = tables(dump, 0);
	struct lft_row *row = x.r->row[x.f->node_switch[node(x.f, 0x2000)]];

	(void)state;
	got = output(write_fdbs, x.r);
	assert_string_equal(got, want);
	free(got);
	row->port[3] = 1; /* the long way round to the other leaf */
	row->port[8] = 1;
	row->port[10] = 3; /* into a host */
	row->port[11] = NO_PATH;
	got = output(write_fdbs, x.r);
	assert_non_null(strstr(got, "0x0003 : 001  : 02   : No 1 hop path possible via port 2!\n"));
	assert_non_null(strstr(got, "0x0008 : 001  : 03   : No 2 hop path possible via port 2!\n"));
	assert_non_null(strstr(got, "0x000A : 003  : HOPS UNKNOWN\n"));
	assert_non_null(strstr(got, "0x000B : UNREACHABLE\n"));
	free(got);
	free(want);
	free(dump);
	tables_free(&x);
}

/* Put zeros where ibsim invents a revision. */
static void no_revision(char *s)
{
	while ((s = strstr(s, "Rev:000000A1")) != NULL)
		memcpy(s, "Rev:00000000", 12);
}

static void test_write_subnet(void **state)
{
	size_t size;
	char *dump = read_all(FILES "two-leaf.lfts", &size), *want = read_all(FILES "two-leaf.lst", &size),
	     *got;
	struct tables x = tables(dump, 0);

	(void)state;
	no_revision(want);
	got = output(write_subnet, x.r);
	assert_string_equal(got, want);
	free(got);
	free(want);
	free(dump);
	tables_free(&x);
}

static struct sl_range some_sl(const struct routing *r, unsigned slid, unsigned dlid)
{
	(void)r;
	return slid == 4 && dlid == 6 ? (struct sl_range){2, 5} : (struct sl_range){3, 3};
}

static char *paths(const struct routing *r)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_int_equal(write_paths(f, r, NULL), 0);
	fclose(f);
	return text;
}

static unsigned count_lines(const char *s)
{
	unsigned n = 0;

	for (; (s = strchr(s, '\n')) != NULL; s++)
		n++;
	return n;
}

static void test_write_paths(void **state)
{
	static const struct routing_ops ops = {.sl = some_sl};
	size_t size;
	char *dump = read_all(FILES "two-leaf.lfts", &size), *got;
	struct tables x = tables(dump, 0);
	struct progress p = {.cancel = true};
	FILE *null = fopen("/dev/null", "w");

	(void)state;
	x.r->ops = &ops;
	x.r->row[x.f->node_switch[node(x.f, 0x2000)]]->port[10] = NO_PATH;
	got = paths(x.r);
	/* 4 endports of 2 LIDs: 8 sources, 7 destinations each */
	assert_int_equal(count_lines(got), 56);
	assert_int_equal(
		strncmp(got, "4 5 3 0\n4 6 2..5 2\n4 7 3 2\n4 8 3 3\n4 9 3 3\n4 10 - -\n4 11 3 3\n", 59), 0);
	assert_non_null(strstr(got, "\n5 4 3 0\n5 6 3 2\n"));
	assert_non_null(strstr(got, "\n8 10 3 2\n"));
	assert_non_null(strstr(got, "\n11 9 3 2\n"));
	assert_non_null(strstr(got, "\n8 9 3 0\n")); /* two LIDs of one port */
	assert_null(strstr(got, "\n1 "));	     /* a switch */
	assert_int_equal(write_paths(null, x.r, &p), -1);
	fclose(null);
	free(got);
	free(dump);
	tables_free(&x);
}

/* Only what is up, with the LIDs of a sweep. */
static void test_write_restricted(void **state)
{
	size_t size;
	char *dump = read_all(FILES "two-leaf.lfts", &size), *text = NULL;
	struct tables x = tables(dump, 0x3000);
	FILE *f = open_memstream(&text, &size);
	struct fabric *g;

	(void)state;
	assert_int_equal(write_ibnetdiscover(f, x.f, x.t, x.l), 0);
	fclose(f);
	g = parse(text);
	assert_int_equal(g->warnings.n, 0);
	assert_int_equal(g->n_nodes, 4);
	assert_int_equal(fabric_node_by_guid(g, 0x3000), NO_ID);
	assert_int_equal(fabric_node_by_guid(g, 0x6000), NO_ID);
	assert_int_equal(g->n_links, 3);
	assert_int_equal(g->port_lid[port(g, 0x2000, 0)], 2);
	assert_int_equal(g->port_lid[port(g, 0x5000, 1)], 6);
	assert_int_equal(g->port_lmc[port(g, 0x5000, 1)], 1);
	fabric_unref(g);
	free(text);
	free(dump);
	tables_free(&x);
}

/* The subnet manager's node is written first, because that is where readers put it. */
static void test_write_sm_first(void **state)
{
	struct fabric *f =
		parse(LST_END("CA", "00000000000000b1", "00000000000000b2", "a", "0004", "01") " " LST_END(
			"SW", "00000000000000a1", "00000000000000a1", "s", "0003",
			"01") " PHY=4x LOG=ACT SPD=25\n" LST_END("CA-SM", "00000000000000c1",
								 "00000000000000c3", "m", "0005",
								 "02") " " LST_END("SW", "00000000000000a1",
										   "00000000000000a1", "s",
										   "0003",
										   "02") " PHY=4x LOG=ACT "
											 "SPD=25\n");
	struct fabric *g = written(f);

	(void)state;
	assert_int_equal(sm_node(f), 0xc1);
	assert_int_equal(sm_node(g), 0xc1);
	linked(g, 0xc1, 2, 0xa1, 2);
	fabric_unref(f);
	fabric_unref(g);
}

static void test_write_exact(void **state)
{
	static const char want[] =
		"#\n# Topology file: generated by ibscope\n#\n"
		"# Initiated from node 00000000000000a1 port 00000000000000a1\n\n" SW_HEAD SW_LINE SW_PORT
		"\n" CA_RECORD;
	struct fabric *f = parse(SW_HEAD SW_LINE SW_PORT "\n" CA_RECORD);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	assert_int_equal(write_ibnetdiscover(out, f, NULL, NULL), 0);
	fclose(out);
	assert_string_equal(text, want);
	free(text);
	fabric_unref(f);
}

/* A full disk is told. */
static void test_write_fails(void **state)
{
	struct fabric *f = load(FILES "stage-qdr-fdr10.ibnetdiscover");
	FILE *full = fopen("/dev/full", "w");

	(void)state;
	assert_non_null(full);
	assert_int_equal(write_ibnetdiscover(full, f, NULL, NULL), -1);
	fclose(full);
	fabric_unref(f);
}

int main(void)
{
	const struct CMUnitTest ibnetdiscover[] = {
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_no_empty_lines),
		cmocka_unit_test(test_terminal_copy),
		cmocka_unit_test(test_blanks_everywhere),
		cmocka_unit_test(test_extra_fields),
		cmocka_unit_test(test_mixed_in_lines),
		cmocka_unit_test(test_descriptions),
		cmocka_unit_test(test_description_bytes),
		cmocka_unit_test(test_rates),
		cmocka_unit_test(test_lids),
		cmocka_unit_test(test_dangling),
		cmocka_unit_test(test_one_sided),
		cmocka_unit_test(test_contradiction),
		cmocka_unit_test(test_cabled_to_itself),
		cmocka_unit_test(test_port_twice),
		cmocka_unit_test(test_duplicate_guid),
		cmocka_unit_test(test_ports_above_count),
		cmocka_unit_test(test_too_many_ports),
		cmocka_unit_test(test_ca_to_ca),
		cmocka_unit_test(test_first_node_uncabled),
		cmocka_unit_test(test_public_files),
		cmocka_unit_test(test_superbench),
		cmocka_unit_test(test_voltaire_details),
		cmocka_unit_test(test_grouping),
		cmocka_unit_test(test_external_ports),
	};
	const struct CMUnitTest ibsim[] = {
		cmocka_unit_test(test_ibsim_defaults),
		cmocka_unit_test(test_ibsim_modules),
		cmocka_unit_test(test_ibsim_include),
		cmocka_unit_test(test_ibsim_include_itself),
		cmocka_unit_test(test_ibsim_line_behind_ports),
		cmocka_unit_test(test_ibsim_long_line),
		cmocka_unit_test(test_ibsim_rates),
		cmocka_unit_test(test_ibsim_errors),
		cmocka_unit_test(test_which_text_format),
		cmocka_unit_test(test_both_readers_agree),
	};
	const struct CMUnitTest others[] = {
		cmocka_unit_test(test_cache),
		cmocka_unit_test(test_cache_cut),
		cmocka_unit_test(test_cache_damaged),
		cmocka_unit_test(test_cache_any_byte),
		cmocka_unit_test(test_lst),
		cmocka_unit_test(test_lst_sm_on_ca),
		cmocka_unit_test(test_lst_switch_called_ca),
		cmocka_unit_test(test_lst_bad),
		cmocka_unit_test(test_no_fabric),
	};
	const struct CMUnitTest maps[] = {
		cmocka_unit_test(test_guid_lines),	cmocka_unit_test(test_guid_stops),
		cmocka_unit_test(test_guid_long_lines), cmocka_unit_test(test_guid_files),
		cmocka_unit_test(test_name_map),	cmocka_unit_test(test_name_map_missing),
	};
	const struct CMUnitTest writers[] = {
		cmocka_unit_test(test_write_lfts),	 cmocka_unit_test(test_write_fdbs),
		cmocka_unit_test(test_write_subnet),	 cmocka_unit_test(test_write_paths),
		cmocka_unit_test(test_write_restricted), cmocka_unit_test(test_write_sm_first),
		cmocka_unit_test(test_write_exact),	 cmocka_unit_test(test_write_fails),
	};
	int failed = 0;

	failed += cmocka_run_group_tests_name("ibnetdiscover", ibnetdiscover, NULL, NULL);
	failed += cmocka_run_group_tests_name("ibsim", ibsim, NULL, NULL);
	failed += cmocka_run_group_tests_name("cache, lst, strangers", others, NULL, NULL);
	failed += cmocka_run_group_tests_name("GUID files, name maps", maps, NULL, NULL);
	failed += cmocka_run_group_tests_name("writers", writers, NULL, NULL);
	return failed != 0;
}
