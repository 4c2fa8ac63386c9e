/* Up/Down, Down/Up, DOR, tables from files, and the unicast cache. */
#include "core/trace/recording.h"
#include "engines/updown/updown.h"
#include "fixture.h"

/* GUID of switch i of the graphs below, and of the host at a port of it. */
#define SWITCH(i) (0x2c90300a00000u + 0x10u * (i))
#define HOST(i, port) (0x2c90300f00000u + 0x100u * (i) + (port))
#define ROOT_FILE "root_guid_file"

/* --- fabrics by lists --------------------------------------------------------------------- */

/* Neighbours by port: ports of switch i, from 1; -1 = a host, -2 = nothing, -3 = the next port of itself;
 * ends with -9. */
#define END (-9)
typedef int8_t ports[12];

/* Next free port of `at` towards `of`. */
static unsigned port_to(const ports *p, unsigned at, unsigned of, const uint8_t used[][13])
{
	for (unsigned i = 0; p[at][i] != END; i++)
		if (p[at][i] == (int)of && !used[at][i + 1])
			return i + 1;
	fail_msg("no port from s%u to s%u", at, of);
	return 0;
}

static struct session *session_of(const ports *p, unsigned n)
{
	struct session *s = session_new(all_engines, all_commands);
	struct fabric_builder *b = fb_new();
	uint8_t used[16][13] = {{0}};
	struct fabric *f;
	struct err e;
	char name[32];

	for (unsigned i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "s%u", i);
		assert_int_equal(fb_add(b, NODE_SWITCH, SWITCH(i), 12, name), i);
	}
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; p[i][k] != END; k++) {
			uint32_t other = p[i][k] >= 0 ? (uint32_t)p[i][k] : i;
			unsigned port = k + 1, q = 1;

			if (used[i][port] || p[i][k] == -2)
				continue;
			used[i][port] = 1;
			if (p[i][k] == -1) {
				snprintf(name, sizeof(name), "h%u.%u", i, port);
				other = fb_add(b, NODE_CA, HOST(i, port), 1, name);
				b->node[other].port[1].guid = HOST(i, port) + 0x10;
			} else {
				q = p[i][k] == -3 ? port + 1
						  : port_to(p, other, i, (const uint8_t(*)[13])used);
				used[other][q] = 1;
			}
			assert_true(fb_link(b, i, port, other, q));
		}
	b->sm_node = 0;
	assert_int_equal(fb_finish(b, "test", "synthetic", &f, &e), 0);
	assert_int_equal(session_set_fabric(s, f, "test", NULL, &e), 0);
	return s;
}

static uint32_t sw(const struct session *s, unsigned i)
{
	return s->fabric->node_switch[fabric_node_by_guid(s->fabric, SWITCH(i))];
}

static unsigned hops(const struct session *s, unsigned from, unsigned to, unsigned port)
{
	const struct routing *r = session_routing(s);

	return r->ops->hops(r, sw(s, from), sw(s, to), port);
}

static uint32_t rank(const struct session *s, unsigned i)
{
	const struct routing *r = session_routing(s);

	return r->ops->rank(r, sw(s, i));
}

/* Entry of switch i for the host at a port of switch j. */
static unsigned entry(const struct session *s, unsigned i, unsigned j, unsigned port)
{
	const struct routing *r = session_routing(s);
	uint32_t ep = fabric_endport_by_guid(s->fabric, HOST(j, port) + 0x10);

	return routing_port(r, sw(s, i), r->lids->base[ep]);
}

static const char *notes(const struct session *s)
{
	return session_sweep(s)->notes;
}

/* --- files ----------------------------------------------------------------------------------- */

/* Give an option a file with this text; its path. */
static char *set_file(struct session *s, const char *option, const char *text)
{
	char *path = temp_file(text);

	ok_linef(s, "set %s %s", option, path);
	return path;
}

/* --- the search ---------------------------------------------------------------------------------- */

/* Switches that the search for a LID's switch visits, with the way that packets took to there. */
static void list_visits(struct session *s, uint32_t target, struct text *t)
{
	struct rec_request rq = {.sweep = session_sweep(s), .engines = all_engines, .focus = REC_EVERYTHING};
	struct err e;
	AUTO_RECORDING const struct recording *r = recording_make(&rq, &e);

	assert_non_null(r);
	for (size_t i = 1; i <= recording_steps(r); i++) {
		const struct rec_event *ev = recording_event(r, i);

		if (ev->kind == REC_VISIT && ev->b == target)
			text_add(t, "%u%c ", ev->a, ev->flags == 1 ? 'D' : 'U');
	}
}

/*
 * engines/doc/updn.md 5.5, deviation 1: a waiting switch keeps the direction of
 * the first arrival, and a path is lost.
 */
static void test_lost_path(void **state)
{
	static const ports graph[] = {{-1, 1, 3, 5, 4, END}, {-1, 0, 2, 4, END},    {-1, 1, 4, END},
				      {-1, 0, 4, 5, END},    {-1, 1, 3, 2, 0, END}, {-1, 0, 3, END}};
	static const unsigned ranks[] = {0, 1, 0, 1, 1, 1};
	AUTO_SESSION struct session *s = session_of(graph, 6);
	AUTO_TEMP char *roots = set_file(s, ROOT_FILE, "0x2c90300a00000\n0x2c90300a00020\n");
	AUTO_TEXT struct text visits = {0};

	AUTO_TEMP char *ids = set_file(s, "ids_guid_file",
				       "0x2c90300a00000 0\n0x2c90300a00010 3\n0x2c90300a00020 1\n"
				       "0x2c90300a00030 4\n0x2c90300a00040 2\n0x2c90300a00050 5\n");
	ok_line(s, "route updn");
	for (unsigned i = 0; i < 6; i++)
		assert_int_equal(rank(s, i), ranks[i]);
	assert_int_equal(hops(s, 4, 5, 0), 2);
	assert_int_equal(hops(s, 4, 5, 3), 2); /* through s3 */
	assert_int_equal(hops(s, 2, 5, 0), NO_PATH);
	assert_int_equal(entry(s, 2, 5, 1), NO_PATH);
	line_says(s, "why s2 s5", "missed");
	list_visits(s, sw(s, 5), &visits);
	/* switch ids are in GUID order: 0 .. 5 as numbered */
	assert_string_equal(text_str(&visits), "5U 0U 3U 1D 5D 4D 0U 1D 3D ");
}

/* engines/doc/updn.md 5.5, deviation 3: least ports of both kinds. */
static void test_mixed_ports(void **state)
{
	static const ports graph[] = {{-1, 1, 2, 3, END}, {-1, 0, 5, 4, 3, END}, {-1, 0, 5, END},
				      {-1, 0, 4, 1, END}, {-1, 3, 1, END},	 {-1, 1, 2, END}};
	static const unsigned ranks[] = {2, 1, 1, 2, 2, 0};
	AUTO_SESSION struct session *s = session_of(graph, 6);
	AUTO_TEMP char *roots = set_file(s, ROOT_FILE, "0x2c90300a00050\n");

	ok_line(s, "route updn");
	for (unsigned i = 0; i < 6; i++)
		assert_int_equal(rank(s, i), ranks[i]);
	assert_int_equal(hops(s, 0, 4, 0), 2);
	assert_int_equal(hops(s, 0, 4, 2), 2);
	assert_int_equal(hops(s, 0, 4, 4), 2);
	assert_int_equal(hops(s, 0, 4, 3), 4);
	assert_int_equal(hops(s, 2, 4, 0), 3);
}

/* The closed form of levelled fabrics against the search, which a loop-back cable enforces. */
static void test_closed_form(void **state)
{
	static const ports tree[] = {{-1, -1, 4, 5, -2, -2, END}, {-1, 4, 5, -2, -2, END},
				     {-1, 6, 7, -2, -2, END},	  {-1, 7, 6, 6, -2, -2, END},
				     {0, 1, 8, -2, -2, END},	  {0, 1, 9, 8, -2, -2, END},
				     {2, 3, 3, 8, -2, -2, END},	  {2, 3, 9, -2, -2, END},
				     {4, 5, 6, -2, -2, END},	  {5, 7, -2, -2, END}};
	static const char *const engines[] = {"route updn", "route updn connect_roots=TRUE",
					      "route dnup connect_roots=FALSE"};
	ports looped[ARRAY_LEN(tree)];
	AUTO_SESSION struct session *a = session_of(tree, ARRAY_LEN(tree));
	AUTO_TEMP char *roots = set_file(a, ROOT_FILE, "0x2c90300a00080\n0x2c90300a00090\n");

	memcpy(looped, tree, sizeof(tree));
	looped[9][2] = looped[9][3] = -3; /* the second one is met as already used */
	AUTO_SESSION struct session *b = session_of((const ports *)looped, ARRAY_LEN(tree));
	ok_linef(b, "set " ROOT_FILE " %s", roots);
	for (unsigned k = 0; k < ARRAY_LEN(engines); k++) {
		ok_line(a, engines[k]);
		ok_line(b, engines[k]);
		assert_non_null(updown_of(session_routing(a))->hops->level);
		assert_non_null(updown_of(session_routing(b))->hops->by_port);
		for (unsigned i = 0; i < ARRAY_LEN(tree); i++)
			for (unsigned j = 0; j < ARRAY_LEN(tree); j++)
				for (unsigned p = 0; p <= 12; p++)
					if (i != 9 || (p != 3 && p != 4))
						assert_int_equal(hops(a, i, j, p), hops(b, i, j, p));
	}
}

static void test_dnup(void **state)
{
	/* a tree with a chain on its top: hosts at s0, s1; s2 above; s3 above that */
	static const ports graph[] = {{-1, 2, END}, {-1, 2, END}, {0, 1, 3, END}, {2, 4, END}, {3, END}};
	static const ports none[] = {{1, END}, {0, END}};
	struct session *s = session_of(graph, 5);
	const struct routing *r;

	ok_line(s, "route dnup");
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(rank(s, i), i < 2 ? 0 : i - 1);
	r = session_routing(s);
	assert_int_equal(r->ops->direction(r, sw(s, 0), 2), 'U');
	assert_int_equal(r->ops->direction(r, sw(s, 2), 1), 'D');
	assert_null(r->ops->is_root);
	assert_int_equal(entry(s, 0, 1, 1), 2);
	session_free(s);
	s = session_of(none, 2);
	line_says(s, "route dnup", "nothing to rank from");
	assert_string_equal(session_routing(s)->engine, "minhop");
	session_free(s);
}

/* --- detection of roots ------------------------------------------------------------------------------ */

/*
 * s0 with `own` hosts in the middle of s1, s2 with 9 hosts or fewer each ... so
 * that `leaves` switches share `near` hosts; the verdict about s0.
 */
static enum root_verdict star(unsigned own, unsigned leaves, unsigned near, bool *routed)
{
	ports p[16];
	struct root_search *search;
	enum root_verdict v;

	memset(p, END, sizeof(p));
	for (unsigned i = 0; i < own; i++)
		p[0][i] = -1;
	for (unsigned i = 0; i < leaves; i++) {
		unsigned hosts = near / leaves + (i < near % leaves);

		p[0][own + i] = i + 1;
		p[i + 1][0] = 0;
		for (unsigned k = 0; k < hosts; k++)
			p[i + 1][k + 1] = -1;
	}
	AUTO_SESSION struct session *s = session_of((const ports *)p, leaves + 1);
	ok_line(s, "route updn");
	*routed = !strcmp(session_routing(s)->engine, "updn");
	if (*routed) {
		v = root_verdict(updown_of(session_routing(s))->search, sw(s, 0));
		assert_int_equal(v == ROOT_YES, rank(s, 0) == 0);
	} else {
		/* the matrix of the fallback serves as well */
		search = root_search_new(session_routing(s)->topo, session_routing(s)->priv);
		assert_int_equal(search->total, own + near);
		assert_int_equal(root_bars(search, sw(s, 0))[0], own);
		assert_int_equal(root_bars(search, sw(s, 0))[1], near);
		v = root_verdict(search, sw(s, 0));
		root_search_free(search);
	}
	return v;
}

static void test_thresholds(void **state)
{
	bool routed;

	assert_int_equal(star(0, 3, 18, &routed), ROOT_YES);
	assert_int_equal(star(1, 3, 19, &routed), ROOT_YES); /* exactly 5 % at home */
	assert_int_equal(star(2, 4, 38, &routed), ROOT_YES);
	assert_true(routed);
	assert_int_equal(star(3, 4, 37, &routed), ROOT_SECOND); /* 7.5 % */
	assert_int_equal(star(2, 3, 18, &routed), ROOT_SPREAD); /* exactly 90 % */
	assert_false(routed);
	assert_int_equal(star(2, 3, 19, &routed), ROOT_SECOND);
	assert_int_equal(star(0, 3, 0, &routed), ROOT_NO_HOSTS);
	assert_false(routed);
}

static void test_refusal(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth torus:4x4");

	line_says(s, "route updn", "the most: t00 has 6 ports at distance 2");
	assert_string_equal(session_routing(s)->engine, "minhop");
	ok_line(s, "route updn,dnup");
	assert_string_equal(session_routing(s)->engine, "dnup");
	AUTO_TEMP char *roots = set_file(s, ROOT_FILE, "0xdead\n");
	line_says(s, "route updn", "names no switch that is up");
}

/* --- root and id files ------------------------------------------------------------------------- */

/* Ranks of s0 .. s3 in a line of four, by a root file; "-" = updn refused. */
static void expect_ranks(const char *file, bool manual, const char *want)
{
	static const ports line[] = {{-1, 1, END}, {-1, 0, 2, END}, {-1, 1, 3, END}, {-1, 2, END}};
	AUTO_SESSION struct session *s = session_of(line, 4);
	AUTO_TEMP char *roots = set_file(s, ROOT_FILE, file);
	char got[8] = "-";

	if (manual)
		ok_line(s, "set rules manual");
	ok_line(s, "route updn");
	if (updown_of(session_routing(s)))
		snprintf(got, sizeof(got), "%u%u%u%u", rank(s, 0) % 10, rank(s, 1) % 10, rank(s, 2) % 10,
			 rank(s, 3) % 10);
	if (strcmp(got, want))
		fail_msg("roots \"%s\": ranks %s, expected %s", file, got, want);
}

static void test_root_files(void **state)
{
	expect_ranks("0x2c90300a00000\n", false, "0123");
	expect_ranks("# spine\n\n  0x2C90300A00010 # s1\r\n0xdead\n", false, "1012");
	expect_ranks("783964685991936", false, "0123");	      /* decimal, no newline */
	expect_ranks("026220140050000000\n", false, "0123");  /* octal */
	expect_ranks("-0xfffd36fcff600000\n", false, "0123"); /* negated */
	expect_ranks("2c90300a00000\n", false, "-");	      /* hexadecimal without 0x is invalid */
	expect_ranks("0x2c90300a00000,0x2c90300a00030\n", false, "-");
	expect_ranks("0x2c90300a00030\nspine\n0x2c90300a00000\n", false, "3210");
	expect_ranks("0x2c90300a00030\nspine\n0x2c90300a00000\n", true, "0110");
	expect_ranks("0x2c90300f00211\n", false, "-"); /* port GUID of the host at s2 */
	expect_ranks("0x2c90300f00211\n", true, "2101");
	expect_ranks("0x2c90300f00101\n", true, "1012"); /* node GUID of the host at s1 */
	/* the rest of a line that is too long is a line of its own */
	AUTO_FREE char *text = str_printf("0x2c90300a00000 %0*d 0x2c90300a00030\n", 238, 0);
	expect_ranks(text, false, "0110");
}

static void test_rules_differ(void **state)
{
	static const ports line[] = {{-1, 1, END}, {-1, 0, 2, END}, {-1, 1, END}};
	AUTO_SESSION struct session *s = session_of(line, 3);
	AUTO_TEMP char *roots = set_file(s, ROOT_FILE, "0x2c90300a00000\n0x2c90300f00201\n");

	ok_line(s, "route updn");
	assert_non_null(strstr(notes(s), "OpenSM and its manual differ"));
	assert_non_null(strstr(notes(s), "1 line, first 2"));
	assert_non_null(strstr(notes(s), "rules in force: opensm"));
	/* the host's own switch is named anyway: no difference */
	AUTO_TEMP char *other = set_file(s, ROOT_FILE, "0x2c90300a00000\n0x2c90300f00001\n");
	ok_line(s, "route updn");
	assert_null(strstr(notes(s), "differ"));
}

/* Direction of the cable between two neighbours of one rank. */
static char id_direction(const char *ids)
{
	static const ports triangle[] = {{-1, 1, 2, END}, {-1, 0, 2, END}, {-1, 0, 1, END}};
	AUTO_SESSION struct session *s = session_of(triangle, 3);
	AUTO_TEMP char *roots = set_file(s, ROOT_FILE, "0x2c90300a00000\n"),
		       *f = set_file(s, "ids_guid_file", ids);

	ok_line(s, "route updn");
	const struct routing *r = session_routing(s);
	char c = r->ops->direction(r, sw(s, 1), 3);
	return c;
}

static void test_id_files(void **state)
{
	assert_int_equal(id_direction("# nothing\n"), 'D'); /* to the larger GUID */
	assert_int_equal(id_direction("0x2c90300a00010 9\n0x2c90300a00020 0x5\n"), 'U');
	assert_int_equal(id_direction("0x2c90300a00010 5 # x\n0x2c90300a00020 5\n"),
			 'U');					  /* equal: up both ways */
	assert_int_equal(id_direction("0x2c90300a00020\n"), 'U'); /* no id is 0 */
	assert_int_equal(id_direction("0x2c90300a00020 5#x\n0x2c90300a00020 1\n"), 'D');
	assert_int_equal(id_direction("0x2c90300a00020 # none\n"), 'D');
	assert_int_equal(id_direction("0x2c90300a00010 1\n0x2c90300a00020 -1\n"), 'D');
	assert_int_equal(id_direction("0xdead 5#x\n0x2c90300a00020 1\n"), 'U');
}

/* --- dor -------------------------------------------------------------------------------------------- */

/* engines/doc/dor.md section 9. */
static void test_dor(void **state)
{
	static const ports graph[] = {
		{1, 1, 2, 2, END}, {0, 0, 3, END}, {0, 0, 3, END}, {1, 2, -1, -1, -1, END}};
	AUTO_SESSION struct session *s = session_of(graph, 4);

	ok_line(s, "route dor");
	assert_int_equal(entry(s, 0, 3, 3), 1);
	assert_int_equal(entry(s, 0, 3, 4), 2);
	assert_int_equal(entry(s, 0, 3, 5), 1);
	AUTO_TEMP char *order = set_file(s, "port_search_ordering_file", "0x2c90300a00000 4 2\n");
	ok_line(s, "route dor");
	assert_int_equal(entry(s, 0, 3, 3), 4);
	assert_int_equal(entry(s, 0, 3, 4), 3);
	assert_int_equal(entry(s, 0, 3, 5), 4);
}

/* --- file ---------------------------------------------------------------------------------------------- */

#define TABLE_HEAD \
	"Unicast lids [0x0-0x40] of switch DR path slid 0; dlid 0; 0 guid 0x0002c90300a00000 (s0):\n"

static void test_file(void **state)
{
	static const ports graph[] = {{-1, 1, -1, END}, {-1, 0, END}};
	AUTO_SESSION struct session *s = session_of(graph, 2);
	AUTO_TEMP char *f = set_file(
		s, "lfts_file",
		TABLE_HEAD "  Lid  Out   Destination\n"
			   "0x0031 003 : (Channel Adapter portguid 0x0002c90300f00013: 'h0.3')\n"
			   "0x0032 002 : (Channel Adapter portguid 0x0002c90300f00111: 'h1.1')\n"
			   "0x0fff 001 : (unknown node and type)\n"
			   "Unicast lids [0x0-0x40] of switch Lid 9 guid 0x0000000000001234 (gone):\n"
			   "0x0031 zzz\n");

	ok_line(s, "route file");
	assert_string_equal(session_routing(s)->engine, "file");
	assert_int_equal(entry(s, 0, 0, 3), 3);
	assert_int_equal(entry(s, 0, 1, 1), 2);
	assert_int_equal(entry(s, 0, 0, 1), NO_PATH);
	assert_int_equal(entry(s, 1, 1, 1), NO_PATH);
	assert_non_null(strstr(notes(s), "2 entries were moved"));
	assert_non_null(strstr(notes(s), "1 table of switches not in the fabric"));
	assert_non_null(strstr(notes(s), "1 entry of LIDs above"));
	assert_non_null(strstr(notes(s), "1 table without the last LID"));
	assert_non_null(strstr(notes(s), "no table of 1 switch "));
	AUTO_TEMP char *bad = set_file(s, "lfts_file", TABLE_HEAD "0x0001 255 : (illegal port)\n");
	line_says(s, "route file", ":2: found '0x0001 255");
	assert_string_equal(session_routing(s)->engine, "minhop");
}

/* A table that is refused leaves its counters to the next engine. */
static void test_leftovers(void **state)
{
	static const ports graph[] = {{-1, 1, 1, END}, {-1, 0, 0, END}};
	AUTO_SESSION struct session *s = session_of(graph, 2);

	ok_line(s, "route minhop");
	assert_int_equal(entry(s, 0, 1, 1), 2);
	AUTO_TEMP char *f = set_file(s, "lfts_file", TABLE_HEAD "0x0040 2\nUnicast lids without a switch\n");
	ok_line(s, "route file");
	assert_string_equal(session_routing(s)->engine, "minhop");
	assert_int_equal(entry(s, 0, 1, 1), 3);
}

/* Our own export, read again, is the same routing; a hop matrix decides by itself. */
static void test_own_export(void **state)
{
	static const ports graph[] = {{-1, 1, 2, END}, {-1, 0, 2, END}, {-1, 0, 1, END}};
	AUTO_SESSION struct session *s = session_of(graph, 3);
	AUTO_TEMP char *f = temp_file("");

	ok_line(s, "route minhop");
	AUTO_ROUTING const struct routing *before = routing_ref(session_routing(s));
	ok_linef(s, "export lfts %s", f);
	ok_linef(s, "set lfts_file %s", f);
	ok_line(s, "route file");
	for (uint32_t i = 0; i < 3; i++)
		for (unsigned lid = 0; lid <= before->lids->max_lid; lid++)
			assert_int_equal(routing_port(session_routing(s), i, lid),
					 routing_port(before, i, lid));
	ok_line(s, "set lfts_file (null)");
	AUTO_FREE char *line =
		str_printf("Switch: guid 0x0002c90300a00000\n0x%04x: ff ff 01 00 # longer, but less\n",
			   before->lids->base[s->fabric->port_endport[s->fabric->switch_port[sw(s, 1)]]]);
	AUTO_TEMP char *m = set_file(s, "lid_matrix_dump_file", line);
	ok_line(s, "route file");
	assert_int_equal(entry(s, 0, 1, 1), 3);
	assert_int_equal(hops(s, 0, 1, 0), 0);
	assert_int_equal(entry(s, 0, 2, 1), NO_PATH);
}

/* --- unicast cache ----------------------------------------------------------------------------- */

static void expect_cached(struct session *s, const char *line, bool cached)
{
	ok_line(s, line);
	if (session_sweep(s)->cached != cached)
		fail_msg("%s: %s; %s", line, cached ? "computed" : "cached", notes(s));
}

static void test_cache(void **state)
{
	AUTO_SESSION struct session *s =
		session_after("synth xgft:4,4:1,2; set use_ucast_cache TRUE; route updn");

	assert_false(session_sweep(s)->cached);
	AUTO_ROUTING const struct routing *before = routing_ref(session_routing(s));
	expect_cached(s, "fail host node0009", true);
	/* entries towards it stay, and are explained by the sweep that made them */
	for (uint32_t i = 0; i < s->fabric->n_switches; i++)
		assert_ptr_equal(session_routing(s)->row[i], before->row[i]);
	line_says(s, "why spine-01 node0005", "1 hop: spine-01[2] -D-> leaf-02");
	line_says(s, "ranks", "*    0 spine-01  0    4     0     0 0x0002c90300a00040\n*    0 spine-02");
	expect_cached(s, "restore host node0009", true);
	expect_cached(s, "fail switch leaf-03", true);
	assert_null(session_routing(s)
			    ->row[s->fabric->node_switch[fabric_node_by_name(s->fabric, "leaf-03", NULL)]]);
	expect_cached(s, "restore switch leaf-03", true);
	for (uint32_t i = 0; i < s->fabric->n_switches; i++)
		assert_ptr_equal(session_routing(s)->row[i], before->row[i]);
	expect_cached(s, "fail switch spine-02", false);
	expect_cached(s, "restore switch spine-02", false);
	expect_cached(s, "fail link leaf-03[5]", false);
	expect_cached(s, "restore link leaf-03[5]", false);
	expect_cached(s, "fail host node0009", true);
}

/* A lost switch whose neighbours have hosts, and a switch that comes back beside its equals. */
static void test_cache_invalid(void **state)
{
	AUTO_SESSION struct session *s =
		session_after("synth mesh:3x3; set use_ucast_cache TRUE; route minhop");

	expect_cached(s, "fail switch m22", false);
	assert_non_null(strstr(notes(s), "neighbour has hosts"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lost_path),     cmocka_unit_test(test_mixed_ports),
		cmocka_unit_test(test_closed_form),   cmocka_unit_test(test_dnup),
		cmocka_unit_test(test_thresholds),    cmocka_unit_test(test_refusal),
		cmocka_unit_test(test_root_files),    cmocka_unit_test(test_rules_differ),
		cmocka_unit_test(test_id_files),      cmocka_unit_test(test_dor),
		cmocka_unit_test(test_file),	      cmocka_unit_test(test_leftovers),
		cmocka_unit_test(test_own_export),    cmocka_unit_test(test_cache),
		cmocka_unit_test(test_cache_invalid),
	};

	return cmocka_run_group_tests_name("updn", tests, NULL, NULL);
}
