/* Tables of switches from files: formats, LIDs, the round trip of what is exported, adaptive-routing groups.
 */
#include "fixture.h"

#include "core/analysis/credit/cdg.h"
#include "core/analysis/credit/check.h"
#include "core/base/cursor.h"
#include "core/base/program.h"
#include "core/base/rng.h"
#include "core/formats/readers.h"
#include "core/formats/tables.h"
#include "core/routing/paths.h"

#include <limits.h>

#define FILES "tests/fabrics/formats/"
#define FOLDER FILES "two-leaf.ibdiagnet2"

static char folder[] = "/tmp/ibscope-tables-XXXXXX";

static char *content(const char *path)
{
	struct err e;
	char *data, *text;
	size_t size;

	if (read_file(path, NULL, &data, &size, &e))
		fail_msg("%s", e.msg);
	text = mem_alloc(size + 1);
	memcpy(text, data, size);
	free(data);
	return text;
}

/* A file in the folder of the test; the path lasts until the next call but three. */
static const char *file(const char *name)
{
	static char path[4][100];
	static unsigned at;

	at = (at + 1) % 4;
	snprintf(path[at], sizeof(path[at]), "%s/%s", folder, name);
	return path[at];
}

static const char *put(const char *name, const char *text)
{
	const char *path = file(name);
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	return path;
}

static void same_files(const char *a, const char *b, const char *what)
{
	AUTO_FREE char *x = content(a), *y = content(b);

	if (strcmp(x, y))
		fail_msg("%s: %s and %s differ", what, a, b);
}

/* --- formats ------------------------------------------------------------------------------ */

/* What OpenSM dumped comes out again byte for byte, before anything was routed. */
static void test_dump_of_opensm(void **state)
{
	AUTO_SESSION struct session *s = session_after("load " FILES "two-leaf.ibnetdiscover");

	line_says(s, "tables " FILES "two-leaf.lfts", "It names the LIDs of 7 ports.");
	line_says(s, "trace 4 10", "host one (LID 4) -> router (LID 10): SL 0, 3 links");
	ok_linef(s, "export lfts %s", file("a"));
	same_files(file("a"), FILES "two-leaf.lfts", "lfts");
	ok_linef(s, "export fdbs %s", file("b"));
	same_files(file("b"), FILES "two-leaf.fdbs", "fdbs");
}

/* The dump after a host was unplugged still has its LIDs, of nobody. */
static void test_dump_without_a_host(void **state)
{
	AUTO_SESSION struct session *s = session_after("load " FILES "two-leaf.ibnetdiscover");

	ok_line(s, "fail host 0x4000");
	ok_line(s, "tables " FILES "two-leaf-host-lost.lfts");
	ok_linef(s, "export lfts %s", file("a"));
	same_files(file("a"), FILES "two-leaf-host-lost.lfts", "lfts");
}

/* .fdbs names no LIDs: they are the source's. */
static void test_fdbs(void **state)
{
	AUTO_SESSION struct session *s = session_after("load " FOLDER "/ibdiagnet2.db_csv");

	line_says(s, "tables " FILES "two-leaf.fdbs", "It names no LIDs; those of 7 ports are the source's.");
	ok_linef(s, "export lfts %s", file("a"));
	ok_line(s, "tables " FILES "two-leaf.lfts");
	ok_linef(s, "export lfts %s", file("b"));
	same_files(file("a"), file("b"), "lfts");
}

#define HEAD                                                                                            \
	"Unicast lids [0x0-0xb] of switch DR path slid 0; dlid 0; 0,3 guid 0x0000000000002000 (leaf # " \
	"one):\n"

/* Output of dump_fts: all its forms of lines, those without a route too; of one switch only. */
static void test_dump_fts(void **state)
{
	AUTO_SESSION struct session *s = session_after("load " FOLDER "/ibdiagnet2.db_csv");
	const struct routing *r;

	ok_linef(s, "tables %s",
		 put("fts",
		     HEAD "  Lid  Out   Destination\n       Port     Info \n"
			  "0x0002 000 : (Switch portguid 0x0000000000002000: 'leaf # one')\n"
			  "0x0004 003 : (path #1 out of 2: portguid 0x0000000000004001)\n"
			  "0x0006 004 \n0x0007 255 : (illegal port)\n"
			  "0x0008 009 : (Channel Adapter portguid 0x0000000000005002: 'host two')\n"
			  "5 valid lids dumped \n\n"
			  "Multicast mlids [0xc000-0xc3ff] of switch Lid 2 guid 0x2000 (leaf):\n0xc000 x\n"));
	r = session_routing(s);
	assert_string_equal(r->engine, "tables");
	assert_int_equal(routing_port(r, 1, 2), 0);
	assert_int_equal(routing_port(r, 1, 4), 3);
	assert_int_equal(routing_port(r, 1, 6), 4);
	assert_int_equal(routing_port(r, 1, 7), NO_PATH);
	assert_int_equal(routing_port(r, 1, 8), NO_PATH); /* the switch has 8 ports */
	assert_int_equal(routing_port(r, 0, 2), NO_PATH);
	assert_int_equal(r->lids->max_lid, 11);
}

/* Ports of one, two and three digits, and 0, are read as they were written. */
static void test_all_ports(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth ring:3,hosts=120");

	ok_line(s, "route minhop");
	ok_linef(s, "export lfts %s", file("before"));
	ok_linef(s, "tables %s", file("before"));
	ok_linef(s, "export lfts %s", file("after"));
	same_files(file("before"), file("after"), "tables");
}

static void test_oddities(void **state)
{
	struct session *s = session_after("load " FOLDER "/ibdiagnet2.db_csv");
	char buf[200];

	put("odd",
	    "Unicast lids [0x0-0x40] of switch Lid 2 guid 0x2000 (leaf):\n0x0002 000\n0x0004 x\n0xffff 001\n"
	    "0x0005 003 # Channel Adapter portguid 0x0000000000005001: 'moved'\n"
	    "Unicast lids [0-11] of switch Lid 9 guid 0x9000 (who):\n0x0002 000\n"
	    "Unicast lids [0-11] of switch Lid 3 guid 0x3000 (leaf):\n"
	    "0x0005 002 # Channel Adapter portguid 0x0000000000004001: 'other'\n"
	    "0x0007 002 # Channel Adapter portguid 0x0000000000007777: 'who'\n");
	snprintf(buf, sizeof(buf), "tables %s", file("odd"));
	line_says(s, buf, "1 switch not in the fabric, the first 0x0000000000009000");
	line_says(s, buf, "2 lines not understood and left out; the first, line 3, is '0x0004 x'");
	line_says(s, buf, "1 table may lack the entry of the last LID");
	line_says(s, buf, "1 entry with another port GUID in one table than in another; the first counts");
	line_says(s, buf,
		  "1 port with another LID than in " FOLDER
		  "/ibdiagnet2.db_csv, the first host two[1]: 5 here, 6");
	line_says(s, buf, "2 LIDs of ports that the fabric does not have");
	line_says(s, buf, "2 ports without LID: neither the file nor"); /* 5 and 9 are others' now */
	line_says(s, buf, "3 LIDs not sent there by the port's own switch, the first 3 (leaf, \"two\")");
	line_says(s, buf, "tables: of 1 switch there is no table in");
	put("none", "Unicast lids [0-11] of switch Lid 9 guid 0x9000 (who):\n0x0002 000\n");
	snprintf(buf, sizeof(buf), "tables %s", file("none"));
	line_fails(
		s, buf,
		"found tables of 1 switch, none of which is in the fabric (the first is 0x0000000000009000)");
	line_fails(s, "tables " FILES "two-leaf.lst", "found no table of a switch (the text begins '{ SW");
	line_fails(s, "tables /no/such/file", "cannot be opened");
	session_free(s);
	s = session_new(all_engines, all_commands);
	line_fails(s, "tables " FILES "two-leaf.lfts", "no fabric is loaded");
	session_free(s);
}

static void has_lids(const struct session *s, uint64_t guid, unsigned base, unsigned count)
{
	const struct lids *l = session_routing(s)->lids;
	uint32_t ep = fabric_endport_by_guid(s->fabric, guid);

	assert_int_not_equal(ep, NO_ID);
	assert_int_equal(l->base[ep], base);
	assert_int_equal(l->count[ep], count);
}

#define OF(guid) " # Channel Adapter portguid " guid ": 'x'\n"

/* A base switch port 0 has one LID, also where the fabric's source says more. */
static void test_base_port_0(void **state)
{
	struct session *s;

	put("base.topo", "switchguid=0x1000(1000)\n"
			 "Switch\t2 \"S-0000000000001000\"\t\t# \"sw\" base port 0 lid 2 lmc 1\n"
			 "[1]\t\"H-0000000000004000\"[1](4001) \t\t# \"h1\" lid 4 4xQDR\n"
			 "[2]\t\"H-0000000000005000\"[1](5001) \t\t# \"h2\" lid 6 4xQDR\n\n"
			 "caguid=0x4000\nCa\t1 \"H-0000000000004000\"\t\t# \"h1\"\n"
			 "[1](4001) \t\"S-0000000000001000\"[1]\t\t# lid 4 lmc 0 \"sw\" lid 2 4xQDR\n\n"
			 "caguid=0x5000\nCa\t1 \"H-0000000000005000\"\t\t# \"h2\"\n"
			 "[1](5001) \t\"S-0000000000001000\"[2]\t\t# lid 6 lmc 0 \"sw\" lid 2 4xQDR\n");
	put("base", "Unicast lids [0-6] of switch Lid 2 guid 0x1000 ('sw'):\n"
		    "0x0002 000" OF("0x1000") "0x0004 001" OF("0x4001") "0x0006 002" OF("0x5001"));
	s = session_after("load %s", file("base.topo"));
	ok_linef(s, "tables %s", file("base"));
	has_lids(s, 0x1000, 2, 1);
	line_says(s, "drift minhop", "The next sweep would change nothing.");
	session_free(s);
}

/*
 * Ranges of LIDs of which some have no entry, the first too: the size that others show tells them.  The head
 * of a table tells the switch's LID, where entries name another port for it, and where it has none.
 */
static void test_ranges(void **state)
{
	AUTO_SESSION struct session *s = session_after("load " FILES "two-leaf.lst");
	AUTO_FREE char *buf = str_printf("tables %s", file("ranges"));

	put("ranges",
	    "Unicast lids [0-40] of switch Lid 8 guid 0x1000 ('spine'):\n"
	    "0x0012 001" OF(
		    "0x4001") "Unicast lids [0-40] of switch Lid 8 guid 0x2000 ('leaf'):\n"
			      "0x0008 000" OF("0x2000") "0x0009 000" OF("0x2000") "0x0013 003" OF(
				      "0x4001") "0x0014 001" OF("0x5002") "0x0017 001" OF("0x5002") "Unicast "
												    "lids "
												    "[0-40] "
												    "of "
												    "switch "
												    "Lid 0 "
												    "guid "
												    "0x3000 "
												    "('leaf')"
												    ":\n");
	line_says(s, buf, "1 port without LID");
	has_lids(s, 0x1000, 8, 1);
	assert_int_equal(lid_owner(session_routing(s)->lids, 8), fabric_endport_by_guid(s->fabric, 0x2000));
	has_lids(s, 0x2000, 8, 2);
	has_lids(s, 0x3000, 0, 0);
	has_lids(s, 0x4001, 16, 4); /* of 18 and 19 alone 18..19 were */
	has_lids(s, 0x5002, 20, 4);
	put("ranges",
	    "Unicast lids [0-40] of switch Lid 0x8 guid 0x2000 ('leaf'):\n" /* no number: not told */
	    "0x0001 003" OF("0x4001") "0x0002 003" OF("0x4001") /* a range of LMC 2 would begin at 0 */
	    "0x0006 001" OF("0x5002") "0x0009 001" OF("0x5002") /* 0..15 has LIDs of others */
	    "0x000b 000" OF("0x2000"));
	ok_line(s, buf);
	has_lids(s, 0x2000, 11, 1);
	has_lids(s, 0x4001, 1, 2);
	has_lids(s, 0x5002, 6, 4);
}

/* --- lines that are wrong in one place ------------------------------------------------------------ */

struct read {
	struct switch_tables *t;
	struct tables_info info;
	struct text notes;
	struct err e;
	int rc;
};

static struct read read_text(const struct fabric *f, const char *text)
{
	struct read r = {0};
	struct input in = {.name = "x", .data = text, .size = strlen(text)};

	r.t = tables_parse(&in, f, NULL, &r.info, &r.notes, &r.e);
	r.rc = r.t ? 0 : -1;
	return r;
}

static void read_done(struct read *r)
{
	if (r->t)
		counted_unref(&r->t->counted);
	text_free(&r->notes);
}

static struct fabric *loaded(const char *path)
{
	struct fabric *f = NULL;
	struct err e;

	if (fabric_load(path, &f, NULL, &e))
		fail_msg("%s", e.msg);
	return f;
}

static struct fabric *two_leaf(void)
{
	return loaded(FOLDER "/ibdiagnet2.db_csv");
}

/* Each is one line of a table in which nothing else is odd; top: LIDs that it then reaches up to. */
static void test_odd_lines(void **state)
{
	static const struct {
		const char *head, *line, *odd; /* odd: the line that is told, NULL = none */
		unsigned top;
	} table[] = {
#define LFTS "Unicast lids [0-11] of switch Lid 2 guid 0x2000 (leaf):\n0x0002 000\n"
#define FDBS "dump_ucast_routes: Switch 0x2000\nLID : Port\n0x0002 : 000 : 00 : yes\n"
		{LFTS, "0x0003", "line 3, is '0x0003'", 11},
		{LFTS, "0x0003 x", "line 3, is '0x0003 x'", 11},
		{LFTS, "0x0000 001", "line 3, is '0x0000 001'", 11},
		{LFTS, "0xc000 001", "line 3, is '0xc000 001'", 11},
		{LFTS, "0x0003 256", "line 3, is '0x0003 256'", 11},
		{LFTS, "0x0003 001 # Switch portguid 0x", NULL, 11},
		{LFTS, "0x000c 001", NULL, 12},
		{LFTS, "Unicast lids [0-11] of switch Lid 2", "line 3, is 'Unicast lids", 11},
		{LFTS, "Unicast lids [0-11] of switch Lid 2 guid 0xx", "line 3, is 'Unicast lids", 11},
		{"Unicast lids of switch Lid 2 guid 0x2000:\n0x0002 000\n", "", NULL, 2},
		{"Unicast lids [5] of switch Lid 2 guid 0x2000:\n0x0002 000\n", "", NULL, 2},
		{"Unicast lids [0-x] of switch Lid 2 guid 0x2000:\n0x0002 000\n", "", NULL, 2},
		{"Unicast lids [0-9 of switch Lid 2 guid 0x2000:\n0x0002 000\n", "", NULL, 2},
		{"Unicast lids [0-70000] of switch Lid 70000 guid 0x2000:\n0x0002 000\n", "", NULL, 2},
		{"Unicast lids [0-64] of switch Lid 2 is guid 0x2000:\n0x0002 000\n", "0x0040 001", NULL, 64},
		{FDBS, "0x0003", "line 4, is '0x0003'", 2},
		{FDBS, "0x0003 001", "line 4, is '0x0003 001'", 2},
		{FDBS, "0x0003 : x", "line 4, is '0x0003 : x'", 2},
		{FDBS, "0x0003 : 256", "line 4, is '0x0003 : 256'", 2},
		{FDBS, "0xc000 : UNREACHABLE", "line 4, is '0xc000", 2},
		{FDBS, "0x0003 : UNREACHABLE", NULL, 3},
		{"0x0009 : 001\nosm_ucast_mgr_dump_ucast_routes: Switch 0x2000\n0x0002 : 0\n", "", NULL, 2},
		{FDBS, "dump_ucast_routes: Switch x\n0x0009 : 001", NULL, 2},
	};
	AUTO_FABRIC struct fabric *f = two_leaf();

	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		AUTO_FREE char *text = str_printf("%s%s\n", table[i].head, table[i].line);
		struct read r = read_text(f, text);

		if (r.rc)
			fail_msg("%s: %s", table[i].line, r.e.msg);
		assert_int_equal(r.t->top[1], table[i].top);
		assert_int_equal(r.t->lft[1][2], 0);
		if (table[i].odd && !strstr(text_str(&r.notes), table[i].odd))
			fail_msg("expected \"%s\" in \"%s\"", table[i].odd, text_str(&r.notes));
		if (!table[i].odd)
			assert_null(strstr(text_str(&r.notes), "not understood"));
		read_done(&r);
	}
}

/* Rows of a .far that are wrong in one place: told, and what they would have said is not there. */
static void test_far_odd(void **state)
{
	static const struct {
		const char *group, *entry;
		unsigned odd; /* rows told */
	} table[] = {
		{"", "", 0},
		{"x7 0 - 1", "", 0}, /* no digit: the rows end */
		{"7x 0 - 1", "", 1},
		{"65535 0 - 1", "", 1},
		{"8 0 - 0,1,2,99", "", 0},
		{"8 0 - 1;2", "", 1},
		{"8", "", 0},
		{"8 0 - 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1", "", 0},
		{"", "0x0009x 1 Free 7", 1},
		{"", "0x0009 1x Free 7", 1},
		{"", "0x0009", 1},
		{"", "0x0009 1", 0},
		{"", "0x0009 1 Free x", 0},
		{"", "0x0009 1 Free 65535", 0},
		{"", "0x0009 1 Freeze", 0},
		{"", "0x0009 1 Stat", 0},
	};
	AUTO_FABRIC struct fabric *f = two_leaf();

	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		AUTO_FREE char *text =
			str_printf("Switch one\nSwitch 0x9999\nLFT Definition:\nh\n-\n0x0001 9 Static\n"
				   "Switch 0x2000\nGroups Definition:\n\nGroup\tSub\tFlag\tPorts \n---\n"
				   "7 0 - 1,2\n%s\n\nLFT Definition:\nh\n---\n0x0008 2 Free 7\n%s\n",
				   table[i].group, table[i].entry);
		struct read r = read_text(f, text);

		assert_int_equal(r.rc, 0);
		assert_int_equal(adaptive_find(r.t->adaptive, 1, 8)->ports.word[0], 1 << 1 | 1 << 2);
		assert_null(adaptive_find(r.t->adaptive, 1, 9));
		AUTO_FREE char *told =
			str_printf("%u line%s not understood", table[i].odd, table[i].odd > 1 ? "s" : "");
		if (!strstr(text_str(&r.notes), told) != !table[i].odd)
			fail_msg("%s%s: \"%s\"", table[i].group, table[i].entry, text_str(&r.notes));
		assert_non_null(strstr(text_str(&r.notes),
				       "1 switch not in the fabric, the first 0x0000000000009999"));
		read_done(&r);
	}
	{
		struct read r = read_text(f, "LFT Definition:\nh\n-\n0x0001 1 Static\nSwitch one\n");

		assert_int_equal(r.rc, -1);
		assert_non_null(strstr(r.e.msg, "x: found no table of a switch"));
		read_done(&r);
		r = read_text(f, "Unicast lids [0-1] of switch Lid 1 guid 0x91\nUnicast lids [0-1] of switch "
				 "Lid 1 guid "
				 "0x92\n");
		assert_int_equal(r.rc, -1);
		assert_non_null(strstr(
			r.e.msg, "found tables of 2 switches, none of which is in the fabric (the first "
				 "is 0x0000000000000091)"));
		read_done(&r);
	}
}

/* Tables of one switch over those of another file, as a folder has them; what was held by another fabric. */
static void test_gathered(void **state)
{
	static const char groups[] =
		"Switch 0x2000\nGroups Definition:\nh\n-\n%u 0 - 1\n\nLFT Definition:\nh\n-\n"
		"0x0008 2 Free %u\n";
	AUTO_FABRIC struct fabric *f = two_leaf(), *live = NULL;
	struct tables_reader r;
	struct tables_info info;
	AUTO_TEXT struct text notes = {0};
	struct err e;

	tables_begin(&r, f);
	for (unsigned i = 7; i < 9; i++) {
		AUTO_FREE char *text = str_printf(groups, i, i);

		assert_int_equal(tables_read(&r, &(struct input){"x", text, strlen(text), NULL}, &e), 0);
	}
	struct switch_tables *t = tables_finish(&r, "x", NULL, &info, &notes);
	assert_int_equal(adaptive_find(t->adaptive, 1, 8)->number, 8); /* the later counts */
	counted_unref(&t->counted);

	live = loaded(FOLDER);
	tables_begin(&r, f);
	tables_copy(&r, live);
	t = tables_finish(&r, NULL, NULL, &info, &notes);
	assert_string_equal(info.format, "live");
	assert_null(t->source);
	assert_int_equal(info.n_switches, 3);
	assert_int_equal(info.n_named, 7);
	for (uint32_t s = 0; s < 3; s++) {
		const struct switch_tables *from = fabric_switch_tables(live);

		assert_int_equal(t->top[s], from->top[s]);
		assert_memory_equal(t->lft[s] + 1, from->lft[s] + 1, t->top[s]);
	}
	for (uint32_t p = 0; p < f->n_ports; p++)
		assert_int_equal(t->lid[p], live->port_lid[p]);
	counted_unref(&t->counted);
	tables_begin(&r, f);
	tables_copy(&r, f); /* nothing was held */
	tables_drop(&r);
}

static void test_cancelled(void **state)
{
	struct fabric *f = two_leaf(), *g = NULL;
	struct progress p = {.cancel = true};
	struct input in = {.name = FILES "two-leaf.lfts", .progress = &p};
	struct tables_info info;
	AUTO_TEXT struct text notes = {0};
	struct err e;

	assert_null(tables_load(in, f, NULL, &info, &notes, &e));
	assert_string_equal(e.msg, "cancelled");
	assert_int_equal(fabric_load(FOLDER, &g, &p, &e), -1);
	assert_string_equal(e.msg, "cancelled");
	assert_null(g);
	fabric_unref(f);
}

struct given {
	unsigned guid, lid, lmc;
};

/* The ports up to GUID 0 get these LIDs from a table. */
static void gives_lids(const struct fabric *f, const char *text, const struct given *want)
{
	AUTO_BY(read_done) struct read r = read_text(f, text);

	for (; want->guid; want++) {
		uint32_t port = f->endport_port[fabric_endport_by_guid(f, want->guid)];

		if (r.t->lid[port] != want->lid || r.t->lmc[port] != want->lmc)
			fail_msg("%s: 0x%x has LID %u, LMC %u, expected %u, %u", text, want->guid,
				 r.t->lid[port], r.t->lmc[port], want->lid, want->lmc);
	}
}

/* LIDs far from each other, at the end of those that there are, or of ports without a switch. */
static void test_lids_at_odds(void **state)
{
#define FROM(lid) "Unicast lids [0-130] of switch Lid " lid " guid 0x1:\n"
	static const struct {
		const char *text;
		struct given want[6];
	} cases[] = {
		/* some LIDs of the source's range, all of 0x31; a head that tells none though an entry does
		 */
		{FROM("0") "0x0003 000" OF("0x1") "0x0042 001" OF("0x11") "0x0060 002" OF("0x21"),
		 {{0x1, 0, 0}, {0x11, 64, 2}, {0x21, 96, 1}, {0x31, 128, 0}}},
		/* other LIDs than the source's, up to the last, 128; that of 0x31 another has; none is 49200
		 */
		{"Unicast lids [0-130] of switch guid 0x1:\n0x0041 002" OF("0x21") "0x0042 001" OF(
			 "0x11") "0x0080 001" OF("0x11"),
		 {{0x1, 0, 0}, {0x21, 65, 0}, {0x11, 66, 6}, {0x31, 0, 0}, {0x41, 129, 0}}},
		/* 34 and 41 are in 32..47, where 43 is another's */
		{FROM("1") "0x0022 001" OF("0x11") "0x0029 001" OF("0x11") "0x002b 002" OF("0x21"),
		 {{0x11, 34, 3}, {0x21, 43, 0}}},
		/* 1 and 0xbfff are in no range together; 0xbffe and 0xbfff are one */
		{FROM("1") "0x0002 001" OF("0x11") "0xbffd 001" OF("0x11") "0xbffe 002" OF(
			 "0x21") "0xbfff 002" OF("0x21"),
		 {{0x1, 1, 0}, {0x11, 2, 7}, {0x21, 0xbffe, 1}}},
	};
	static const char net[] =
		"switchguid=0x1\nSwitch 4 \"s\" # \"s\" lid 49200\n[1] \"a\"[1]\n[2] \"b\"[1]\n\n"
		"caguid=0x10\nHca 1 \"a\"\n[1] \"s\"[1] # lid 64 lmc 2 \"s\"\n\n"
		"caguid=0x20\nHca 1 \"b\"\n[1] \"s\"[2] # lid 96 lmc 1 \"s\"\n\n"
		"caguid=0x30\nHca 1 \"c\"\n[1] \"d\"[1] # lid 128 \"d\"\n\n"
		"caguid=0x40\nHca 1 \"d\"\n[1] \"c\"[1] # lid 129 \"c\"\n";
	static const char at_39[] = "switchguid=0x1\nSwitch 4 \"s\" # \"s\" lid 1\n[1] \"a\"[1]\n\n"
				    "caguid=0x10\nHca 1 \"a\"\n[1] \"s\"[1] # lid 39 lmc 3 \"s\"\n";
	AUTO_FABRIC struct fabric *f = NULL, *g = NULL;
	struct err e;

	assert_int_equal(fabric_parse("net", net, strlen(net), &f, &e), 0);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		gives_lids(f, cases[i].text, cases[i].want);
	/* the source tells a range of 8 that begins at 39: it holds 40 and 41, and is none (SEED=986925667,
	 * random-7) */
	assert_int_equal(fabric_parse("net", at_39, strlen(at_39), &g, &e), 0);
	gives_lids(g, FROM("1") "0x0028 001" OF("0x11") "0x0029 001" OF("0x11"),
		   (const struct given[]){{0x11, 40, 1}, {0}});
}

/* What of a folder cannot be used is told, and the rest is there. */
static void test_folder_odd(void **state)
{
	struct fabric *f = NULL;
	char here[PATH_MAX];

	assert_non_null(getcwd(here, sizeof(here)));
	shell("cd %s && mkdir o o/opensm-lfts.dump && printf 'START_NODES\nx\n' >o/a.db_csv && printf "
	      "'odd\n' "
	      ">o/b.ibnetdiscover && cp %s/" FILES
	      "two-leaf.lst o/opensm-subnet.lst && printf 'no groups\n' >o/x.far",
	      folder, here);
	f = loaded(file("o"));
	assert_int_equal(f->warnings.n, 3);
	assert_non_null(strstr(f->warnings.w[0].text, "a.db_csv:2: found columns"));
	assert_non_null(strstr(f->warnings.w[0].text, "; "));
	assert_non_null(strstr(f->warnings.w[0].text, "b.ibnetdiscover: found no node"));
	assert_non_null(strstr(f->warnings.w[1].text, "opensm-lfts.dump"));
	assert_non_null(strstr(f->warnings.w[2].text, "x.far: found no table of a switch"));
	fabric_unref(f);
	shell("cd %s/o && rm -r opensm-lfts.dump *.far a.db_csv b.ibnetdiscover && cp opensm-subnet.lst "
	      "ibdiagnet2.lst",
	      folder);
	f = loaded(file("o"));
	assert_int_equal(f->warnings.n, 0);
	assert_null(f->switch_tables);
	fabric_unref(f);
	/* odd tables, odd maps; maps that cannot be read at all */
	put("o/opensm-lfts.dump",
	    "Unicast lids [0-11] of switch Lid 2 guid 0x2000 (leaf):\n0x0002 000\n0x0003 x\n");
	put("o/x.slvl", "0x0000000000009999 0 0 0x01 0x23 0x45 0x67 0x01 0x23 0x45 0x67\n");
	f = loaded(file("o"));
	assert_non_null(fabric_switch_tables(f));
	assert_string_equal(f->warnings.w[0].kind, "tables");
	assert_non_null(strstr(f->warnings.w[0].text, "1 line not understood and left out"));
	assert_string_equal(f->warnings.w[f->warnings.n - 1].kind, "maps");
	fabric_unref(f);
	shell("cd %s/o && rm x.slvl && mkdir x.slvl", folder);
	f = loaded(file("o"));
	assert_null(fabric_switch_tables(f)->sl_tables);
	assert_string_equal(f->warnings.w[f->warnings.n - 1].kind, "file left out");
	fabric_unref(f);
	shell("cd %s/o && rmdir x.slvl", folder);
	put("o/x.slvl", "Switch 0x1000, base LID 1, \"s\"\n#in out : 0 1\n0 1 : 99 99\n");
	f = loaded(file("o"));
	assert_null(fabric_switch_tables(f)->sl_tables);
	assert_non_null(strstr(f->warnings.w[f->warnings.n - 1].text, "x.slvl:3: found"));
	fabric_unref(f);
}

#define DATE " UTC +0000\n"
#define RUN_INFO(date)                                                                                    \
	"START_RUN_INFO\nIBDIAGNET_Version,Date,Args\n\"IBDIAGNET 2.10.0\",\"" date " UTC +0000\",\"\"\n" \
	"END_RUN_INFO\n"
#define FRAME(date) "# Running command   : ibdiagnet \n# Running timestamp : " date DATE
#define RUN "2025-03-31 23:43:18"
#define OLD "2025-03-15 06:54:44"

/* A file of two-leaf.ibdiagnet2 behind a head, with a tail, in folder "run". */
static void put_run(const char *name, const char *head, const char *tail)
{
	AUTO_FREE char *there = str_printf(FOLDER "/%s", name), *text = content(there);
	AUTO_FREE char *all = str_printf("%s%s%s", head, text, tail), *path = str_printf("run/%s", name);

	put(path, all);
}

/* The only warning of a kind that has a text; NULL. */
static const struct warning *warned(const struct fabric *f, const char *kind, const char *part)
{
	const struct warning *found = NULL;

	for (size_t i = 0; i < f->warnings.n; i++)
		if (!strcmp(f->warnings.w[i].kind, kind) && strstr(f->warnings.w[i].text, part)) {
			assert_null(found);
			found = &f->warnings.w[i];
		}
	return found;
}

/* Files of another run are told and left out, whichever they are; without a time nothing is. */
static void test_two_runs(void **state)
{
	struct fabric *f = NULL;

	shell("mkdir %s/run", folder);
	put_run("ibdiagnet2.db_csv", RUN_INFO(RUN), "");
	put_run("ibdiagnet2.fdbs", FRAME(RUN), "");
	put_run("ibdiagnet2.far", FRAME(RUN), "");
	put_run("ibdiagnet2.slvl", "", "");
	put("run/ibdiagnet2.log",
	    "Running version: \"IBDIAGNET 2.6\"\nTimestamp: " RUN DATE "-I- Discovery\n");
	put("run/notes.txt", "Timestamp: yesterday\n");
	f = loaded(file("run"));
	assert_int_equal(f->warnings.n, 0);
	assert_non_null(fabric_switch_tables(f)->sl_tables);
	fabric_unref(f);
	put_run("ibdiagnet2.far", FRAME(OLD), "");
	put("run/ibdiagnet2.cables", FRAME(OLD));
	put("run/ibdiagnet2.log", "Timestamp: " OLD DATE "-E- an old error\n");
	put("run/other.db_csv", RUN_INFO(OLD));
	shell("gzip -n %s/run/ibdiagnet2.cables", folder);
	f = loaded(file("run"));
	assert_int_equal(f->warnings.n, 4);
	assert_non_null(warned(f, "other run",
			       "ibdiagnet2.far is of another run (" OLD
			       " UTC +0000) than ibdiagnet2.db_csv (" RUN " UTC +0000); it is left out"));
	assert_non_null(warned(f, "other run", "ibdiagnet2.cables.gz is of another run (" OLD));
	assert_non_null(warned(f, "other run", "ibdiagnet2.log is of another run"));
	assert_non_null(warned(f, "other run", "other.db_csv is of another run"));
	assert_null(fabric_switch_tables(f)->adaptive); /* the groups of .far */
	fabric_unref(f);
	/* nothing to compare with */
	put_run("ibdiagnet2.db_csv", "", "");
	f = loaded(file("run"));
	assert_null(warned(f, "other run", ""));
	assert_non_null(fabric_switch_tables(f)->adaptive);
	fabric_unref(f);
}

#define ERRORS(name) "START_ERRORS_" name "\nScope,NodeGUID,PortGUID,PortNumber,EventName,Summary\n"

/* What ibdiagnet called errors: rows of db_csv with their places, lines of the log that no row tells. */
static void test_ibdiagnet_errors(void **state)
{
	struct fabric *f = NULL;
	AUTO_TEXT struct text t = {0};

	put_run("ibdiagnet2.db_csv", RUN_INFO(RUN),
		ERRORS("LINKS_SPEED") "PORT,0x2000,0x2000,0x03,LINK_WRONG_SPEED,\"Unexpected speed- "
				      "\"\"HDR\"\"- on it\"\n"
				      "END_ERRORS_LINKS_SPEED\n" ERRORS(
					      "SM") "CLUSTER,0x00,0x00,0,NO_SM,no master, really\n"
						    "END_ERRORS_SM\n"
						    "START_WARNINGS_X\nScope,NodeGUID,PortGUID,PortNumber,"
						    "EventName,Summary\nNODE,0x1000,0,0,ODD,\"odd\"\nEND_"
						    "WARNINGS_X\n");
	put("run/ibdiagnet2.log",
	    "Running timestamp: " RUN DATE "-E- Links Speed Check finished with errors\n"
	    "-E- leaf # one/P3 - Unexpected speed, \"HDR\", on it\n-W- a warning\n"
	    "-E- Discovery failed\n");
	f = loaded(file("run"));
	const struct warning *w =
		warned(f, "ibdiagnet error",
		       "LINK_WRONG_SPEED at 0x0000000000002000[3]: Unexpected speed- \"HDR\"- on it");
	assert_non_null(w);
	assert_non_null(strstr(w->text, "ibdiagnet2.db_csv:81: "));
	assert_int_equal(w->guid, 0x2000);
	assert_int_equal(w->port, 3);
	assert_non_null(warned(f, "ibdiagnet error", "ibdiagnet2.db_csv:85: NO_SM: no master"));
	assert_non_null(warned(f, "ibdiagnet error", "ibdiagnet2.log:5: Discovery failed"));
	assert_null(warned(f, "ibdiagnet error", "odd"));
	assert_null(warned(f, "ibdiagnet error", "finished"));
	fabric_unref(f);
	struct session *s = session_after("echo");
	ok_linef(s, "load %s", file("run"));
	line_says(s, "doctor",
		  "warning ibdiagnet (fact): ibdiagnet found 3 errors.\n    ibdiagnet2.db_csv:81: ");
	line_says(s, "doctor",
		  "on it (leaf # one[3])\n    ibdiagnet2.db_csv:85: NO_SM: no master\n    ibdiagnet2.log:5: "
		  "Discovery failed\n");
	session_free(s);
	/* many: the first few, and how many more */
	text_add(&t, ERRORS("MANY"));
	for (int i = 0; i < 100; i++)
		text_add(&t, "PORT,0x2000,0x2000,1,EVENT,\"error %d of many\"\n", i);
	put_run("ibdiagnet2.db_csv", RUN_INFO(RUN), text_str(&t));
	f = loaded(file("run"));
	assert_non_null(warned(f, "ibdiagnet error", "error 19 of many"));
	assert_null(warned(f, "ibdiagnet error", "error 20 of many"));
	w = warned(f, "ibdiagnet error", "more like these");
	assert_non_null(w);
	assert_int_equal(w->stands_for, 80);
	assert_non_null(warned(f, "cut section", "START_ERRORS_MANY has no END_ERRORS_MANY"));
	fabric_unref(f);
}

/* Compressed files of a folder are read as what is in them; what is damaged, or cannot be unpacked, is told.
 */
static void test_packed(void **state)
{
	static const char *const tools[][2] = {
		{"xz", "xz"}, {"gzip", "gz"}, {"bzip2", "bz2"}, {"zstd", "zst"}};
	struct fabric *whole = NULL, *f = NULL;
	unsigned tried = 0;
	struct err e;
	char buf[600];

	whole = loaded(FOLDER);
	for (size_t i = 0; i < ARRAY_LEN(tools); i++) {
		if (!program_exists(tools[i][0]))
			continue;
		tried++;
		shell("rm -rf '%s/p[1]'; cp -r " FOLDER
		      " '%s/p[1]' && cd '%s/p[1]' && %s ibdiagnet2.* 2>/dev/null && rm -f "
		      "ibdiagnet2.??? ibdiagnet2.???? ibdiagnet2.db_csv && test -f ibdiagnet2.db_csv.%s",
		      folder, folder, folder, tools[i][0], tools[i][1]);
		f = loaded(file("p[1]"));
		assert_int_equal(f->n_links, whole->n_links);
		assert_int_equal(f->warnings.n, 0);
		assert_non_null(fabric_switch_tables(f)->adaptive);
		assert_non_null(fabric_switch_tables(f)->sl_tables);
		for (uint32_t s = 0; s < f->n_switches; s++)
			assert_memory_equal(fabric_switch_tables(f)->lft[s],
					    fabric_switch_tables(whole)->lft[s],
					    fabric_switch_tables(f)->top[s] + 1);
		fabric_unref(f);
		shell("cd '%s/p[1]' && head -c 60 ibdiagnet2.db_csv.%s >../cut", folder, tools[i][1]);
		assert_int_equal(fabric_load(file("cut"), &f, NULL, &e), -1);
		snprintf(buf, sizeof(buf), "cut: cannot be unpacked: %s: ended with status ", tools[i][0]);
		assert_non_null(strstr(e.msg, buf));
	}
	assert_true(tried > 0);
	fabric_unref(whole);
}

/* Without the program the data is refused with what to do; packed twice it is not unpacked twice. */
static void test_not_unpacked(void **state)
{
	struct fabric *f = NULL;
	struct err e;
	char *path = str_dup(getenv("PATH"));

	shell("gzip -c " FILES "two-leaf.lst >%s/once.gz && gzip -c %s/once.gz >%s/twice.gz", folder, folder,
	      folder);
	f = loaded(file("once.gz"));
	assert_int_equal(f->n_nodes, 6);
	fabric_unref(f);
	assert_int_equal(fabric_load(file("twice.gz"), &f, NULL, &e), -1);
	assert_non_null(strstr(e.msg, "twice.gz: found data compressed by gzip (unpack it first: gzip -d)"));
	setenv("PATH", "/nonexistent", 1);
	assert_int_equal(fabric_load(file("once.gz"), &f, NULL, &e), -1);
	assert_non_null(strstr(e.msg, "once.gz: found data compressed by gzip (unpack it first: gzip -d)"));
	setenv("PATH", path, 1);
	free(path);
}

/* --- in a session ---------------------------------------------------------------------------- */

static void test_journal(void **state)
{
	struct session *s = session_after("load " FILES "two-leaf.ibnetdiscover");

	ok_line(s, "route minhop");
	ok_linef(s, "export lfts %s", file("minhop"));
	ok_line(s, "snapshot before");
	ok_line(s, "tables " FILES "two-leaf.lfts");
	line_says(s, "journal", "tables " FILES "two-leaf.lfts  [tables");
	ok_line(s, "set lmc 3"); /* LIDs stay those of the tables */
	ok_line(s, "reset");
	assert_string_equal(session_routing(s)->engine, "tables");
	assert_int_equal(session_sweep(s)->lids->lmc, 1);
	ok_line(s, "unset lmc");
	ok_linef(s, "names %s", put("names", "0x4000 \"renamed\"\n"));
	line_says(s, "trace 4 10", "renamed (LID 4) -> router (LID 10): SL 0, 3 links");
	line_says(s, "why 0x2000 10", "held this entry");
	ok_line(s, "route minhop lmc=1"); /* keeps the LIDs that ports carry */
	ok_linef(s, "export lfts %s", file("again"));
	session_free(s);
	s = session_after("load " FILES "two-leaf.ibnetdiscover");
	ok_line(s, "tables " FILES "two-leaf.lfts");
	ok_line(s, "route minhop lmc=1");
	line_says(s, "diff", "0 entries on 0 switches changed");
	ok_line(s, "undo");
	assert_string_equal(session_routing(s)->engine, "tables");
	ok_line(s, "redo");
	line_fails(s, "load " FILES "no", "cannot be opened");
	ok_line(s, "route tables,no_fallback");
	ok_line(s, "load " FILES "two-leaf.lst"); /* another fabric: the tables were not its */
	assert_null(session_routing(s));
	line_says(s, "route tables", "no tables of this fabric were read; `tables FILE` reads them");
	session_free(s);
}

static void test_json(void **state)
{
	AUTO_SESSION struct session *s = session_after("load " FILES "two-leaf.ibnetdiscover");
	struct err e;
	json_t *o, *t;
	int rc;
	AUTO_FREE char *text = run_line(s, "tables " FILES "two-leaf.lfts", &rc, &e, true, NULL);

	assert_int_equal(rc, 0);
	o = json_loads(text, 0, NULL);
	assert_string_equal(json_string_value(json_object_get(o, "command")), "tables");
	assert_string_equal(json_string_value(json_object_get(json_object_get(o, "routing"), "engine")),
			    "tables");
	t = json_object_get(o, "tables");
	assert_string_equal(json_string_value(json_object_get(t, "format")), "lfts");
	assert_int_equal(json_integer_value(json_object_get(t, "switches")), 3);
	assert_int_equal(json_integer_value(json_object_get(t, "entries")), 33);
	assert_int_equal(json_integer_value(json_object_get(json_object_get(t, "lids"), "named")), 7);
	json_decref(o);
}

/* A folder of ibdiagnet: cables, LIDs, tables with groups and maps at once; OpenSM's folder too. */
static void test_folder(void **state)
{
	struct session *s = session_after("load " FOLDER);
	char buf[300];

	assert_string_equal(session_routing(s)->engine, "tables");
	assert_non_null(session_routing(s)->adaptive);
	assert_non_null(session_routing(s)->sl_tables);
	line_says(s, "trace 4 10", "any of 1 *2 (group 3)");
	line_says(s, "show warnings", "no warnings");
	ok_linef(s, "export lfts %s", file("a"));
	ok_line(s, "load " FOLDER "/ibdiagnet2.db_csv");
	ok_line(s, "tables " FILES "two-leaf.lfts");
	ok_linef(s, "export lfts %s", file("b"));
	same_files(file("a"), file("b"), "folder");
	session_free(s);

	s = session_after("load " FOLDER "/ibdiagnet2.db_csv");
	shell("mkdir %s; cp " FILES "two-leaf.lst %s/opensm-subnet.lst; cp " FILES
	      "two-leaf.lfts %s/opensm-lfts.dump; printf 'START_NODES\\nx\\n' > %s/x.db_csv",
	      file("osm"), file("osm"), file("osm"), file("osm"));
	ok_linef(s, "load %s", file("osm"));
	assert_string_equal(s->fabric->format, "subnet.lst");
	line_says(s, "show warnings", "file left out: ");
	line_says(s, "trace 4 10", "SL 0, 3 links");
	ok_line(s, "route minhop"); /* an engine in force routes */
	ok_linef(s, "load %s", file("osm"));
	assert_string_equal(session_routing(s)->engine, "minhop");
	line_says(s, "route tables", "tables routed");
	snprintf(buf, sizeof(buf), "load %s", folder);
	line_fails(s, buf, "found a folder without a file of cables");
	session_free(s);
}

#define PKEY_LIST(hosts, member)                                                                          \
	"# ibdiagnet\nGROUP PKey:0x0001 Hosts:" hosts "\n  Full a b/P1 lid=0x0004 guid=0x4001 dev=4119\n" \
	"  Full spine guid=0x9/P0 lid=0x0001 guid=0x1000 dev=54000\n  Full l/P0 guid=0x2000\n"            \
	"  Full l/P0 guid=0x3000\n\nGROUP PKey:0x0002 Hosts:3\n  Limited h/P1 guid=0x5001\n"              \
	"  Part h/P2 guid=0x5002\n" member "\n# File closed at : now\n"

/* ibdiagnet's list of partitions, beside tables of cables that tell no P_Keys, says who may talk. */
static void test_folder_pkeys(void **state)
{
	static const struct {
		const char *list, *why;
	} odd[] = {
		{PKEY_LIST("4", "  Fuller r guid=0x6002"),
		 "x.pkey:11: found 'Fuller r guid=0x6002', expected 'GROUP"},
		{PKEY_LIST("4", "  Full r lid=0x9"), "x.pkey:11: found 'Full r lid=0x9'"},
		{PKEY_LIST("4", ""), "x.pkey:12: found 'the end'"},
		{PKEY_LIST("3", "  Full r guid=0x6002"), "x.pkey:6: found 'Full l/P0 guid=0x3000'"},
		{PKEY_LIST("5", "  Full r guid=0x6002"), "x.pkey:8: found 'GROUP PKey:0x0002 Hosts:3'"},
	};
	AUTO_FREE char *files = str_printf("mkdir %s; cp " FOLDER "/*.db_csv %s", file("p"), file("p"));

	assert_int_equal(system(files), 0);
	put("p/x.pkey", PKEY_LIST("4", "  Full r/P2 lid=0x000a guid=0x6002 dev=1"));
	AUTO_SESSION struct session *s = session_after("load " FOLDER "/ibdiagnet2.db_csv");
	ok_line(s, "route minhop");
	line_says(s, "check", "Partitions not looked at: no P_Keys were read, and");
	ok_linef(s, "load %s", file("p"));
	line_says(s, "show warnings", "no warnings");
	/* of the four hosts one is alone, and two are limited members of one partition: 6 and 2 pairs */
	line_says(s, "check", "Sound within the partitions");
	line_says(s, "check", "8 pairs without a common P_Key");
	line_says(s, "trace 4 10", "No common P_Key");
	put("p/x.pkey", PKEY_LIST("4", "  Full other guid=0x7"));
	ok_linef(s, "load %s", file("p"));
	line_says(s, "check", "Partitions not looked at: 1 port up told no P_Keys (the first: ");
	for (size_t i = 0; i < ARRAY_LEN(odd); i++) {
		put("p/x.pkey", odd[i].list);
		ok_linef(s, "load %s", file("p"));
		line_says(s, "show warnings", odd[i].why);
		line_says(s, "check", "Partitions not looked at: no P_Keys were read, and");
	}
}

#define PKEY_ROW(keys) \
	"   0: " keys " 0x0000 0x0000 0x0000 0x0000 0x0000 0x0000\n8 pkeys capacity for this port\n"
/* What smpquery prints of P_Keys joins the ports that were asked. */
static void test_pasted_pkeys(void **state)
{
	AUTO_FREE char *files = str_printf("mkdir %s; cp " FOLDER "/*.db_csv %s", file("k"), file("k"));
	AUTO_SESSION struct session *s = session_after("load " FOLDER "/ibdiagnet2.db_csv");

	assert_int_equal(system(files), 0);
	put("k/smpquery.txt",
	    "$ smpquery PKeyTable 4\nibwarn: [1] attached\n" PKEY_ROW(
		    "0xffff 0x8001") "$ smpquery -C mlx5_0 pkeys 6 1\n" PKEY_ROW("0x7fff 0x8001") "$ "
												  "smpquery "
												  "pkeys 1 "
												  "3"
												  "\n" PKEY_ROW(
													  "0x"
													  "ff"
													  "ff"
													  " 0"
													  "x8"
													  "00"
													  "2") /* a switch's port is not its endport */
	    "$ smpquery pkeys -D 0,1\n" PKEY_ROW("0xffff 0x8003"));
	put("k/my-pkeys", "# smpquery -G pkeys 0x5002\n" PKEY_ROW("0x7fff 0x8001"));
	ok_linef(s, "load %s; route minhop", file("k"));
	line_says(s, "show warnings", "no warnings");
	line_says(s, "list partitions", "0x0001");
	const struct managers *m = fabric_managers(s->fabric);
	static const uint16_t held[][3] = {
		{0x4001, 0x8001, 0xffff}, {0x5001, 0x7fff, 0x8001}, {0x5002, 0x7fff, 0x8001}};
	for (size_t i = 0; i < ARRAY_LEN(held); i++) {
		const struct port_pkey *x = pkeys_at(m, held[i][0]);

		assert_non_null(x);
		assert_int_equal(x[0].pkey, 0);
		assert_int_equal(x[1].pkey, held[i][1]);
		assert_int_equal(x[2].pkey, held[i][2]);
	}
	assert_null(pkeys_at(m, 0x1000));
	put("k/other", "$ smpquery pkeys 4\n" PKEY_ROW("0xffff 0x0000"));
	line_says(s, line_of("partitions %s", file("k/other")), "loses 0x0001: none, before: full");
	put("k/other", PKEY_ROW("0xffff 0x0000"));
	line_fails(s, line_of("partitions %s", file("k/other")),
		   "of no port of this fabric; expected `smpquery pkeys LID`");
}

/* Counters and parts of cables that lie in the folder are the reading, until another one is taken. */
static void test_folder_counters(void **state)
{
	static const char told[] = "START_PM_INFO\nNodeGUID,PortGUID,PortNumber,SymbolErrorCounter\n"
				   "0x2000,0x2000,1,12\nEND_PM_INFO\n"
				   "START_CABLE_INFO\nNodeGuid,PortGuid,PortNum,Vendor,PN,SN\n"
				   "0x2000,0x2000,1,Fine,P-77,S-88\nEND_CABLE_INFO\n";
	AUTO_FREE char *cables = file_text(FOLDER "/ibdiagnet2.db_csv");
	AUTO_FREE char *folder_of = str_printf("mkdir %s", file("c"));

	assert_int_equal(system(folder_of), 0);
	put("c/a.db_csv", line_of("%s%s", cables, told));
	AUTO_SESSION struct session *s = session_after("load %s; route minhop", file("c"));
	line_says(s, "list cables sort errors reverse", "   12 ");
	line_says(s, "list cables", "P-77");
	line_says(s, "counters all", "Counted since the counters were reset: ");
	line_says(s, "triage", "errors");
	assert_false(s->counted[1] != NULL);
	ok_linef(s, "counters all %s", file("c")); /* the same again: no second reading */
	line_says(s, "list cables sort errors reverse", "   12 ");
	ok_linef(s, "counters all %s", file("c")); /* one of these is */
	assert_non_null(s->counted[1]);
	ok_linef(s, "counters all forget; load %s; load " FOLDER "/ibdiagnet2.db_csv", file("c"));
	assert_null(s->counted[0]);
	/* what is of another run than the cables stays out */
	put("c/a.db_csv", line_of("# Running timestamp : 2025-03-31 23:43:18 UTC +0000\n%s%s", cables, told));
	put("c/b.cables", "# Running timestamp : 2025-03-15 06:54:44 UTC +0000\n"
			  "Port=2 Lid=0x2 GUID=0x2000 Port Name=a/U1/P2\nTemperature: 81C\n");
	ok_linef(s, "load %s", file("c"));
	assert_non_null(s->counted[0]);
	assert_null(s->counted[0]->other);
	line_says(s, "list cables sort errors reverse", "   12 ");
}

/* --- the round trip --------------------------------------------------------------------------- */

/* What is exported loads with an identical result, whatever fabric, engine, LMC and failures. */
static void test_round_trip(void **state)
{
	static const char *const shapes[] = {
		"xgft:3,3:1,2", "torus:4x3",   "random:8,5,hosts=2,seed=%u",
		"ring:5",	"hypercube:3", "random:12,4,hosts=1,parallel=2,seed=%u"};
	static const char *const engines[] = {"minhop", "updn", "ftree", "dor", "sssp"};
	uint64_t seed = test_seed();

	for (unsigned i = 0; i < test_rounds(40); i++) {
		char spec[120], fail[100], shape[100];
		struct session *s;

		/* NOLINTNEXTLINE(clang-diagnostic-format-nonliteral): one of the list above */
		snprintf(shape, sizeof(shape), shapes[rng_below(&seed, ARRAY_LEN(shapes))],
			 (unsigned)rng_below(&seed, 1000));
		snprintf(spec, sizeof(spec), "synth %s", shape);
		snprintf(fail, sizeof(fail), "fail random %u seed=%u", 1 + (unsigned)rng_below(&seed, 2),
			 (unsigned)rng_below(&seed, 1000));
		s = session_after("%s", spec);
		ok_linef(s, "route %s lmc=%u", engines[rng_below(&seed, ARRAY_LEN(engines))],
			 (unsigned)rng_below(&seed, 3));
		ok_line(s, fail);
		ok_linef(s, "export lfts %s", file("lfts"));
		ok_linef(s, "export fdbs %s", file("fdbs"));
		ok_linef(s, "tables %s", file("fdbs"));
		ok_linef(s, "export lfts %s", file("a"));
		same_files(file("lfts"), file("a"), spec);
		session_free(s);
		s = session_after("%s", spec);
		ok_line(s, fail);
		ok_linef(s, "tables %s", file("lfts"));
		ok_linef(s, "export lfts %s", file("a"));
		same_files(file("lfts"), file("a"), spec);
		session_free(s);
	}
}

/* --- adaptive routing ---------------------------------------------------------------------------- */

static const struct adaptive_group *group_of(const struct session *s, uint32_t sw, unsigned lid)
{
	return adaptive_find(session_routing(s)->adaptive, sw, lid);
}

#define FAR(columns, groups, entry_columns, entries)                                        \
	"# text\nSwitch 0x0000000000002000 (leaf)\nrubbish\n  Groups Definition:\n" columns \
	"\n-----\n" groups "\nLFT Definition:\n" entry_columns "\n----\n" entries "\n0x0001 1 Static\n"

/* Columns by name, blanks or bars, sub-groups that add up, rows without ports or group. */
static void test_far(void **state)
{
	AUTO_SESSION struct session *s = session_after("load " FOLDER "/ibdiagnet2.db_csv");
	AUTO_FREE char *buf = str_printf("tables %s", file("far"));

	put("far", FAR("Group   SubGroup  Flag  Ports", "0  0  0\n7  0  W  1\n7  1  W  2,9\n",
		       "LID   Static Port   LID State   Group",
		       "0x0008  2  Free  7\n0x0009  255  HBF  7\n0x000a 2 Static 7\n"
		       "0x000b 2 Free 5"));
	line_says(s, buf, "4 entries, 3 of them with an adaptive-routing group");
	assert_int_equal(group_of(s, 1, 8)->number, 7);
	assert_int_equal(group_of(s, 1, 8)->ports.word[0], 1 << 1 | 1 << 2); /* no port 9 */
	assert_int_equal(group_of(s, 1, 9)->number, 7);
	assert_int_equal(routing_port(session_routing(s), 1, 9), NO_PATH);
	assert_null(group_of(s, 1, 10));
	assert_int_equal(group_of(s, 1, 11)->ports.word[0], 0); /* a group that is not defined */
	assert_int_equal(routing_next_port(session_routing(s), 1, 9), 1);
	put("far", FAR("1|Ports|Group", "0|1,3|7\n", "LID|Group|LidState|StaticPort",
		       "0x0008|7|Free|4\n0x0009||Static|3"));
	ok_line(s, buf);
	assert_int_equal(group_of(s, 1, 8)->ports.word[0], 1 << 1 | 1 << 3);
	assert_int_equal(routing_port(session_routing(s), 1, 8), 4);
	assert_int_equal(routing_port(session_routing(s), 1, 9), 3);
	put("far", FAR("Group|SubGroup|WHBF|Ports", "70000|0||1\n1|0||x\n", "LID|StaticPort|LidState|Group",
		       "0x0008|2|Free|1\n0xfffff|2|Free|1\n"));
	line_says(s, buf, "3 lines not understood and left out; the first, line 7, is '70000|0||1'");
}

/* Ports that a person sees: the group, the entry marked, what is down marked. */
static void test_shown(void **state)
{
	AUTO_SESSION struct session *s = session_after("load " FOLDER);

	line_says(s, "lft 0x2000", "1 *2 (group 3)");
	line_says(s, "list path 4 10", ", out by any of 1 *2 (group 3)");
	line_says(s, "trace 4 10", "By other ports of the groups up to 4 links.");
	ok_line(s, "fail link 0x2000[2]");
	line_says(s, "trace 4 10", "any of 1 *x2 (group 3)");
	line_says(s, "check", "Sound");
	ok_line(s, "fail link 0x2000[1]");
	line_says(s, "check", "NOT SOUND");
}

/* Entries of switches that b reaches and a has too are those of a. */
static void same_entries(const struct routing *a, const struct routing *b)
{
	const struct fabric *f = a->topo->fabric, *g = b->topo->fabric;
	unsigned seen = 0;

	for (uint32_t s = 0; s < g->n_switches; s++) {
		uint32_t was = fabric_switch_in(f, g, s);

		for (unsigned lid = 1; was != NO_ID && b->row[s] && lid <= a->lids->max_lid; lid++) {
			assert_int_equal(routing_port(b, s, lid), routing_port(a, was, lid));
			seen += routing_port(b, s, lid) != NO_PATH;
		}
	}
	assert_true(seen > 20);
}

/* The fabric changes under tables that were read: they stay with their switches, and what is gone dangles. */
static void test_changed(void **state)
{
	struct session *s = session_new(all_engines, all_commands);
	uint64_t rng = test_seed();
	uint32_t with = 0;

	ok_line(s, "synth torus:4x3,hosts=2,shuffle=1");
	ok_line(s, "route dor");
	ok_linef(s, "export lfts %s", file("dor"));
	ok_linef(s, "tables %s", file("dor"));
	struct sweep *read = sweep_ref(session_sweep(s));
	for (unsigned i = 0; i < 8; i++) {
		const struct fabric *f = s->fabric;
		uint32_t sw = (uint32_t)(rng_next(&rng) % f->n_switches);
		unsigned port = 1;

		while (f->port_peer[switch_port_id(f, sw, port)] == NO_ID)
			port++;
		if (i % 2)
			ok_linef(s, "remove switch 0x%" PRIx64, f->node_guid[f->switch_node[sw]]);
		else
			ok_linef(s, "remove link 0x%" PRIx64 "[%u]", f->node_guid[f->switch_node[sw]], port);
		assert_string_equal(session_routing(s)->engine, "tables");
		same_entries(read->routing, session_routing(s));
	}
	sweep_unref(read);
	/* a switch that lost a cable has room */
	for (bool room = false; !room; with += !room)
		for (unsigned port = 1; port <= s->fabric->switch_nports[with]; port++)
			room |= s->fabric->port_peer[switch_port_id(s->fabric, with, port)] == NO_ID;
	ok_linef(s, "add host new 0x%" PRIx64, s->fabric->node_guid[s->fabric->switch_node[with]]);
	assert_int_equal(
		session_lids(s)
			->base[s->fabric->port_endport
				       [s->fabric->node_port[session_node(s, "new", &(struct err){0})] + 1]],
		0); /* no subnet manager gave it one */
	session_free(s);

	s = session_after("load " FOLDER); /* groups, and maps of SLs to VLs */
	read = sweep_ref(session_sweep(s));
	ok_line(s, "remove switch 0x1000");
	same_entries(read->routing, session_routing(s));
	line_says(s, "lft 0x2000", "1 *2 (group 3)");
	for (unsigned in = 0; in <= 4; in++)
		for (unsigned out = 1; out <= 4; out++)
			assert_int_equal(routing_vl(session_routing(s),
						    fabric_switch_in(s->fabric, read->fabric, 1), in, out, 3),
					 routing_vl(read->routing, 1, in, out, 3));
	sweep_unref(read);
	ok_line(s, "undo");
	ok_line(s, "load " FILES "two-leaf.ibnetdiscover next"); /* without tables of its own */
	line_says(s, "lft 0x2000", "1 *2 (group 3)");
	session_free(s);
}

/* A choice of the spine leads back: check and trace find it, though the static ports arrive. */
static void test_loop(void **state)
{
	AUTO_SESSION struct session *s = session_after("load " FOLDER);

	put("loop",
	    "Switch 0x1000\nGroups Definition:\nh\n-\n1 0 - 1,2\n\nLFT Definition:\nh\n-\n0x0001 0 Static 0\n"
	    "0x0002 1 Static 0\n0x0003 2 Static 0\n0x0004 1 Static 0\n0x0006 1 Static 0\n0x0008 2 Static 0\n"
	    "0x000a 2 Free 1\n\n"
	    "Switch 0x2000\nGroups Definition:\nh\n-\n1 0 - 1,2\n\nLFT Definition:\nh\n-\n0x0001 1 Static 0\n"
	    "0x0002 0 Static 0\n0x0003 2 Static 0\n0x0004 3 Static 0\n0x0006 4 Static 0\n0x0008 2 Static 0\n"
	    "0x000a 2 Free 1\n"
	    "Switch 0x3000\nLFT Definition:\nh\n-\n0x0001 1 Static 0\n0x0002 2 Static 0\n0x0003 0 Static 0\n"
	    "0x0004 2 Static 0\n0x0006 2 Static 0\n0x0008 4 Static 0\n0x000a 3 Static 0\n");
	ok_linef(s, "tables %s", file("loop"));
	line_says(s, "trace 4 10",
		  "NOT by all ports of the groups: forwarding loop\n    [3] leaf # one [1]  VL 0");
	line_says(s, "check", "of them loop");
	line_says(s, "check", "  loop    ");
	line_says(s, "check all", "fault: forwarding loop from ");
}

/* Every way from a switch by plain recursion: the longest, HOPS_LOOP, HOPS_NONE; channels passed. */
struct brute {
	const struct routing *r;
	uint32_t owner;
	uint8_t *on_way; /* [n_switches] */
	bool *dep;	 /* [n_ports * n_ports], NULL = not asked for */
	unsigned lid;
};

static unsigned longest(struct brute *b, uint32_t sw, uint32_t last, bool count)
{
	const struct topo *t = b->r->topo;
	const struct fabric *f = t->fabric;
	struct port_set set;
	unsigned worst = 0;
	bool none = true, loop = false, dead = false;

	if (b->on_way[sw])
		return HOPS_LOOP;
	routing_ports(b->r, sw, b->lid, &set);
	b->on_way[sw] = 1;
	for (unsigned p = 0; p < 256; p++) {
		uint32_t port = switch_port_id(f, sw, p), q;
		unsigned h;

		if (!port_set_has(&set, p))
			continue;
		none = false;
		q = p && p <= f->switch_nports[sw] ? t->peer[port] : NO_ID;
		if (!p)
			h = f->port_endport[port] == b->owner ? 0 : HOPS_NONE;
		else if (q == NO_ID)
			h = HOPS_NONE;
		else if (!node_is_switch(f, f->port_node[q]))
			h = f->port_endport[q] == b->owner ? 1 : HOPS_NONE;
		else
			h = longest(b, f->node_switch[f->port_node[q]], port, count);
		if (q != NO_ID && count && b->dep && last != NO_ID && h < HOPS_LOOP)
			b->dep[(size_t)last * f->n_ports + port] = true;
		if (p && q != NO_ID && node_is_switch(f, f->port_node[q]) && h < HOPS_LOOP)
			h++;
		loop |= h == HOPS_LOOP;
		dead |= h == HOPS_NONE;
		worst = h < HOPS_LOOP && h > worst ? h : worst;
	}
	b->on_way[sw] = 0;
	return loop ? HOPS_LOOP : dead || none ? HOPS_NONE : worst;
}

/* Groups at random on top of a routing: mostly ports that lead nearer, at times any. */
static char *random_groups(const struct routing *r, uint64_t *seed, bool any)
{
	const struct fabric *f = r->topo->fabric;
	struct text t = {0};

	for (uint32_t s = 0; s < f->n_switches; s++) {
		text_add(&t, "Switch 0x%016" PRIx64 "\nGroups Definition:\nh\n--\n",
			 f->node_guid[f->switch_node[s]]);
		for (unsigned d = 0; d < f->n_switches; d++) {
			bool first = true;

			text_add(&t, "%u 0 - ", d);
			for (unsigned p = 1; p <= f->switch_nports[s]; p++) {
				bool nearer = r->ops->hops(r, s, d, p) == r->ops->hops(r, s, d, 0);

				if (d == s || r->topo->peer_switch[switch_port_id(f, s, p)] == NO_ID ||
				    !(nearer ? rng_below(seed, 2) : any && !rng_below(seed, 12)))
					continue;
				text_add(&t, "%s%u", first ? "" : ",", p);
				first = false;
			}
			text_add(&t, "\n");
		}
		text_add(&t, "\nLFT Definition:\nh\n--\n");
		for (unsigned lid = 1; lid <= r->lids->max_lid; lid++)
			text_add(&t, "0x%04x %u Free %u\n", lid, routing_port(r, s, lid),
				 r->topo->endport_switch[lid_owner(r->lids, lid)]);
	}
	return t.s;
}

static void compare_ways(const struct routing *r, bool *dep)
{
	const struct fabric *f = r->topo->fabric;
	struct brute b = {.r = r, .on_way = NEW_ARRAY(f->n_switches, uint8_t), .dep = dep};
	AUTO_ARENA struct dest_ways *w = dest_ways_new(NULL, r);

	for (b.lid = 1; b.lid <= r->lids->max_lid; b.lid++) {
		b.owner = lid_owner(r->lids, b.lid);
		dest_ways(r, b.lid, w);
		for (uint32_t s = 0; s < f->n_switches; s++)
			assert_int_equal(w->worst[s], longest(&b, s, NO_ID, false));
		for (uint32_t ep = 0; ep < f->n_endports; ep++)
			if (!endport_is_switch(f, ep) && ep != b.owner && !endport_is_switch(f, b.owner) &&
			    longest(&b, r->topo->endport_switch[ep], NO_ID, false) < HOPS_LOOP)
				longest(&b, r->topo->endport_switch[ep], f->endport_port[ep], true);
	}
	free(b.on_way);
}

static struct session *with_groups(const char *spec, uint64_t *seed, bool any)
{
	struct session *s = session_after("%s", spec);

	ok_line(s, "route minhop");
	AUTO_FREE char *text = random_groups(session_routing(s), seed, any);
	ok_linef(s, "tables %s", put("groups", text));
	assert_non_null(session_routing(s)->adaptive);
	return s;
}

/* Against plain recursion over all choices, with dead ends and loops. */
static void test_ways(void **state)
{
	static const char *const specs[] = {"synth ring:5,hosts=1", "synth torus:3x3,hosts=1",
					    "synth random:7,4,hosts=1,seed=3", "synth xgft:2,3:1,2"};
	uint64_t seed = test_seed();

	for (unsigned i = 0; i < 12; i++) {
		AUTO_SESSION struct session *s = with_groups(specs[i % ARRAY_LEN(specs)], &seed, i % 3 == 2);

		compare_ways(session_routing(s), NULL);
	}
}

/* Dependencies between channels are those of all ways of the pairs whose ways all arrive: none is missing and
 * none is more. */
static void test_dependencies(void **state)
{
	uint64_t seed = test_seed();

	for (unsigned i = 0; i < 12; i++) {
		AUTO_SESSION struct session *s = with_groups(
			i % 2 ? "synth torus:3x3,hosts=1" : "synth xgft:3,2:1,2", &seed, i % 3 == 2);
		const struct routing *r = session_routing(s);
		uint32_t n = r->topo->fabric->n_ports;
		AUTO_FREE bool *dep = NEW_ARRAY((size_t)n * n, bool);
		AUTO_ARENA struct cdg *c = cdg_new(r, CDG_ALL_VLS, false, NULL, NULL);

		compare_ways(r, dep);
		for (uint32_t k = 0; k < c->n_channels; k++)
			for (uint32_t d = c->first[k]; d < c->first[k + 1]; d++) {
				bool *cell = &dep[(size_t)c->port[k] * n + c->port[c->to[d]]];

				assert_true(*cell);
				*cell = false;
			}
		for (size_t k = 0; k < (size_t)n * n; k++)
			assert_false(dep[k]);
	}
}

/* A ring where packets may go round either way: the static ports make no credit loop, the groups do. */
static void test_credit_loop(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth ring:4,hosts=1");
	const struct fabric *f = s->fabric;
	AUTO_TEXT struct text t = {0};

	ok_line(s, "route updn");
	line_says(s, "check", "Sound");
	const struct routing *r = session_routing(s);
	for (uint32_t sw = 0; sw < f->n_switches; sw++) {
		text_add(&t, "Switch 0x%016" PRIx64 "\nGroups Definition:\nh\n--\n",
			 f->node_guid[f->switch_node[sw]]);
		for (unsigned p = 1; p <= f->switch_nports[sw]; p++)
			if (r->topo->peer_switch[switch_port_id(f, sw, p)] != NO_ID)
				text_add(&t, "1 0 - %u\n", p);
		text_add(&t, "\nLFT Definition:\nh\n--\n");
		for (unsigned lid = 1; lid <= r->lids->max_lid; lid++) {
			uint32_t to = r->topo->endport_switch[lid_owner(r->lids, lid)];
			bool opposite = to != sw;

			for (unsigned p = 1; p <= f->switch_nports[sw]; p++)
				opposite &= r->topo->peer_switch[switch_port_id(f, sw, p)] != to;
			text_add(&t, "0x%04x %u %s 1\n", lid, routing_port(r, sw, lid),
				 opposite ? "Free" : "Static");
		}
	}
	ok_linef(s, "tables %s", put("ring", t.s));
	line_says(s, "check", "0 unreachable");
	line_says(s, "check", "NOT SOUND");
	line_says(s, "cycles", "redit loop");
}

static int remove_folder(void **state)
{
	AUTO_FREE char *buf = str_printf("rm -r %s", folder);

	return system(buf);
}

static int make_folder(void **state)
{
	return mkdtemp(folder) ? 0 : -1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dump_of_opensm),
		cmocka_unit_test(test_dump_without_a_host),
		cmocka_unit_test(test_fdbs),
		cmocka_unit_test(test_dump_fts),
		cmocka_unit_test(test_oddities),
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_base_port_0),
		cmocka_unit_test(test_packed),
		cmocka_unit_test(test_not_unpacked),
		cmocka_unit_test(test_odd_lines),
		cmocka_unit_test(test_far_odd),
		cmocka_unit_test(test_gathered),
		cmocka_unit_test(test_cancelled),
		cmocka_unit_test(test_lids_at_odds),
		cmocka_unit_test(test_folder_odd),
		cmocka_unit_test(test_two_runs),
		cmocka_unit_test(test_ibdiagnet_errors),
		cmocka_unit_test(test_journal),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_folder),
		cmocka_unit_test(test_folder_pkeys),
		cmocka_unit_test(test_pasted_pkeys),
		cmocka_unit_test(test_folder_counters),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_all_ports),
		cmocka_unit_test(test_far),
		cmocka_unit_test(test_shown),
		cmocka_unit_test(test_changed),
		cmocka_unit_test(test_loop),
		cmocka_unit_test(test_ways),
		cmocka_unit_test(test_dependencies),
		cmocka_unit_test(test_credit_loop),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
