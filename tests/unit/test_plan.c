/* Plans of cables: readers, and how names of a plan find nodes; tests/model/plan.py compares random ones. */
#include "core/analysis/compare/plan.h"
#include "core/formats/cabling.h"
#include "core/source/synth.h"
#include "tests/unit/formats.h"

static struct cabling read_text(const char *text, size_t n)
{
	struct cabling c;
	struct err e = {0};

	if (cabling_parse(&(struct input){"x", text, n, NULL}, &c, &e))
		fail_msg("%s", e.msg);
	return c;
}

static struct cabling read_plan(const char *text)
{
	return read_text(text, strlen(text));
}

static void no_plan(const char *text, const char *part)
{
	struct cabling c;
	struct err e = {0};

	assert_int_equal(cabling_parse(&(struct input){"x", text, strlen(text), NULL}, &c, &e), -1);
	cabling_free(&c);
	if (!strstr(e.msg, part))
		fail_msg("expected \"%s\" in \"%s\"", part, e.msg);
}

/* Row i is "DEVICE|PORT|DEVICE|PORT", "?" for a port that is not told. */
static void row_is(const struct cabling *c, size_t i, unsigned line, const char *text)
{
	const struct planned_end *e = c->row[i].end;
	AUTO_FREE char *found = str_printf("%s|%s|%s|%s", e[0].device, e[0].port ? e[0].port : "?",
					   e[1].device, e[1].port ? e[1].port : "?");

	assert_true(i < c->n);
	assert_string_equal(found, text);
	assert_int_equal(c->row[i].line, line);
}

static void test_table(void **state)
{
	struct cabling c = read_plan("# made by hand\n,rack,#Fields:EndDevice,StartPort,EndPort,U "
				     "height,StartDevice,Speed,Width,\n"
				     ",R1,spine,Port 21,\"Blade 1_Port 1/1\",U1,leaf,200000,12x,a note\n"
				     ",,,,,,,,,a note alone\n"
				     ",R1,\"a, b\",-, ,U1,\"sp\xc3\xa4t\",QDR,,\r\n"
				     ",R1,l\xe4t,007,99999999999999999999,,x,4xEDR,\n");

	assert_string_equal(c.format, "cabling list");
	assert_int_equal(c.n, 3);
	assert_int_equal(c.odd.n, 0);
	row_is(&c, 0, 3, "leaf|Port 21|spine|Blade 1_Port 1/1");
	assert_int_equal(c.row[0].speed, SPEED_HDR);
	assert_int_equal(c.row[0].width, WIDTH_12X);
	/* bytes that cannot be printed are blanks, as in the names of nodes */
	row_is(&c, 1, 5, "sp  t|?|a, b|?");
	assert_int_equal(c.row[1].speed, SPEED_QDR);
	assert_int_equal(c.row[1].width, WIDTH_UNKNOWN);
	row_is(&c, 2, 6, "x|007|l t|99999999999999999999");
	assert_int_equal(c.row[2].speed, SPEED_EDR);
	cabling_free(&c);
	c = read_plan("\xef\xbb\xbfnode\tport\tnode\tport\r\na\t1\tb\t2\r\nnode\tport\tnode\tport\r\nc\t\"3\""
		      "\td\t4");
	assert_int_equal(c.n, 2);
	row_is(&c, 0, 2, "a|1|b|2");
	row_is(&c, 1, 4, "c|3|d|4");
	cabling_free(&c);
}

static void test_other_kinds(void **state)
{
	struct cabling c = read_plan("# a\nX H1\tP1 X GZ L1/P1\r\nX H2 P1\tX GZ  U1/P2\n");

	assert_string_equal(c.format, "cables");
	row_is(&c, 0, 2, "H1|P1|GZ|L1/P1");
	row_is(&c, 1, 3, "H2|P1|GZ|U1/P2");
	cabling_free(&c);
	c = read_plan("# a\nT GZ\n  L1/P1 -> X H1 P1\n  L1/P2 -12x-5G-> X H2 P1\nT G2\n P3 -> T GZ L2/P1\n");
	assert_string_equal(c.format, "topo");
	assert_int_equal(c.n, 3);
	row_is(&c, 1, 4, "GZ|L1/P2|H2|P1");
	assert_int_equal(c.row[1].width, WIDTH_12X);
	assert_int_equal(c.row[1].speed, SPEED_DDR);
	row_is(&c, 2, 6, "G2|P3|GZ|L2/P1");
	cabling_free(&c);
	c = read_plan(
		"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n<fabric speed=\"QDR\" width=\"12x\">\n"
		"<linklist name=\"a\">\n<port num=\"1\"><r_port>2</r_port><r_node>b &amp; "
		"l\xe4t</r_node></port>\n"
		"<port num=\"5\" width=\"4x\"><r_port>-</r_port><r_node>c</r_node></port><!-- <port "
		"num=\"6\"/> -->\n"
		"</linklist>\n<linklist name=\"d\" speed=\"EDR\"><port "
		"num=\"1\"><r_node>e</r_node></port></linklist></fabric>\n");
	assert_int_equal(c.n, 3);
	row_is(&c, 0, 4, "a|1|b & l  t|2");
	assert_int_equal(c.row[0].width, WIDTH_12X);
	row_is(&c, 1, 5, "a|5|c|?");
	assert_int_equal(c.row[1].width, WIDTH_4X);
	assert_int_equal(c.row[1].speed, SPEED_QDR);
	row_is(&c, 2, 7, "d|1|e|?");
	assert_int_equal(c.row[2].speed, SPEED_EDR);
	cabling_free(&c);
}

static void test_slurm(void **state)
{
	struct cabling c = read_plan(
		"# x\nSwitchName=s0 Nodes=jpbi-[001-002]-l1-[01,03] \\\n  LinkSpeed=1 # hosts\n"
		"switchname=s1 Level=0 LinkSpeed=1 nodes=a\n"
		"SwitchName=top Level=1 Nodes=a,b[1-9] Switches=s[0-1]\nSwitchName=s2 Level=2 Nodes=c\n");

	assert_int_equal(c.kind, CABLING_LEAVES);
	assert_int_equal(c.n, 5);
	row_is(&c, 1, 2, "jpbi-001-l1-03|?|s0|?");
	row_is(&c, 4, 4, "a|?|s1|?");
	cabling_free(&c);
	c = read_plan("BlockSizes=2,4\nBlockName=b1 BlockIndex=0 Nodes=a[1-2] BlockSize=2\n#BlockName=b2 "
		      "Nodes=c\n");
	assert_int_equal(c.kind, CABLING_BLOCKS);
	assert_int_equal(c.n, 2);
	row_is(&c, 1, 2, "a2|?|b1|?");
	cabling_free(&c);
}

static void test_wrong(void **state)
{
	AUTO_BY(cabling_free) struct cabling c;
	AUTO_TEXT struct text many = {0};

	no_plan("", "expected a plan of cables");
	no_plan("\n# a\nhello there\n", "x:3: found \"hello there\", expected a plan of cables");
	no_plan("StartDevice,StartPort,EndDevice,EndPort\n", "x: found no cable");
	no_plan("node,port,node,port\na,1,b,2\na,2,,3\n", "x:3: found \"a,2,,3\", expected two devices");
	no_plan("X a P1 X b P2\nX a P2 X\n", "x:2: found \"X a P2 X\", expected TYPE NAME PORT");
	no_plan("T a\n P1 -> X b P1\n P2 -> X\n", "x:3: found \"P2 -> X\", expected TYPE NAME or PORT ->");
	no_plan("SwitchName=a Nodes=b[1-\n",
		"x:1: found \"SwitchName=a Nodes=b[1-\", expected SwitchName=NAME");
	no_plan("SwitchName= Nodes=b1\n", "x:1: found \"SwitchName= Nodes=b1\", expected SwitchName=NAME");
	no_plan("SwitchName=a Nodes=b\nhello\n", "x:2: found \"hello");
	no_plan("BlockSizes=2\n#BlockName=a Nodes=b\n", "x: found no cable");
	no_plan("<html><p></p></html>", "x: found other XML");
	no_plan("<fabric>\n<linklist name='a'>\n<port num='1'>", "x:3: found no element found, expected XML");
	no_plan("<fabric>\n<port num='1'><r_node>b</r_node></port></fabric>",
		"x:2: found \"<port>\", expected <port num=");
	/* one of twelve is left out and told */
	text_add(&many, "node,port,node,port\n,1,b,2\n");
	for (int i = 0; i < 11; i++)
		text_add(&many, "a,%d,c,%d\n", i + 3, i + 3);
	c = read_plan(many.s);
	assert_int_equal(c.n, 11);
	assert_int_equal(c.odd.missing, 1);
	assert_int_equal(c.odd.w[0].line, 2);
}

/* Cut behind every byte: rows before the cut are as in the whole, or there is an error. */
static void test_cut(void **state)
{
	static const char *const whole[] = {
		"StartDevice,StartPort,EndDevice,EndPort\na,1,b,1\na,2,b,2\na,3,b,3\n",
		"X a P1 X b P1\nX a P2 X b P2\nX a P3 X b P3\n",
		"T a\n P1 -> X b P1\n P2 -> X b P2\n",
		"<fabric><linklist name='a'>\n<port num='1'><r_node>b</r_node></port>\n</linklist></fabric>",
		"SwitchName=a Nodes=b[1-3]\nSwitchName=c Nodes=d[1-3]\n",
	};

	for (size_t k = 0; k < sizeof(whole) / sizeof(whole[0]); k++) {
		AUTO_BY(cabling_free) struct cabling all = read_plan(whole[k]);

		for (size_t n = 0; n < strlen(whole[k]); n++) {
			AUTO_BY(cabling_free) struct cabling c;
			struct err e = {0};
			AUTO_FREE char *part =
				mem_dup(whole[k], n + 1); /* so that a sanitizer sees a read behind it */

			if (!cabling_parse(&(struct input){"x", part, n, NULL}, &c, &e)) {
				assert_in_range(c.n, 1, all.n);
				for (size_t i = 0; i < c.n; i++)
					if (memchr(part, '\n', n) && c.row[i].line < c.row[c.n - 1].line)
						assert_string_equal(c.row[i].end[1].device,
								    all.row[i].end[1].device);
			} else {
				assert_memory_equal(e.msg, "x:", 2);
			}
		}
	}
}

/* --- names ------------------------------------------------------------------------------------------ */

static const char net[] =
	"Switch 4 \"MF0;top:MQM8700/U1\"\n[1] \"MF0;Dir-A:MCS8500/L16/U2\"[3]\n\n"
	"Switch 8 \"MF0;Dir-A:MCS8500/L16/U2\"\n[3] \"MF0;top:MQM8700/U1\"[1]\n[4] \"h mlx5_0\"[1]\n"
	"[5] \"h mlx5_1\"[1]\n[6] \"MF0;Dir-A:MCS8500/L16/U1\"[6]\n\n"
	"Switch 8 \"MF0;Dir-A:MCS8500/L16/U1\"\n[6] \"MF0;Dir-A:MCS8500/L16/U2\"[6]\n\n"
	"Hca 1 \"h mlx5_0\"\n[1] \"MF0;Dir-A:MCS8500/L16/U2\"[4]\n\n"
	"Hca 1 \"h mlx5_1\"\n[1] \"MF0;Dir-A:MCS8500/L16/U2\"[5]\n\nSwitch 4 \"plain\"\n";

/* What a device and port find: NODE[PORT], or why not. */
static void finds(const char *device, const char *port, const char *expected)
{
	AUTO_FABRIC struct fabric *f = parse(net);
	struct plan_names *x = plan_names_new(f);
	struct plan_end end;
	char text[300];
	bool whole;
	AUTO_FREE char *why = plan_find(
		x, &(struct planned_end){(char *)(uintptr_t)device, (char *)(uintptr_t)port}, &end, &whole);

	if (why)
		snprintf(text, sizeof(text), "%s", why);
	else if (end.port != NO_ID)
		port_label(f, end.port, text, sizeof(text));
	else
		snprintf(text, sizeof(text), "%u nodes, port %u", end.n, end.number);
	assert_string_equal(text, expected);
	assert_int_equal(whole, why && end.n == 0 && !strcmp(why, "no node of the fabric is named so"));
	plan_names_free(x);
}

static void test_names(void **state)
{
	static const char chip[] = "MF0;Dir-A:MCS8500/L16/U2[3]";

	finds("top", "Port 1", "MF0;top:MQM8700/U1[1]");
	finds("TOP", "U1/P1", "MF0;top:MQM8700/U1[1]");
	finds("mf0;TOP:mqm8700/u1", "1/4", "MF0;top:MQM8700/U1[4]");
	finds("top", "U2/P1", "it has no \"U2/P1\"");
	finds("top", "5", "MF0;top:MQM8700/U1 has no port 5, expected 1 to 4");
	finds("top", "0", "found port \"0\", expected a number, a label or an adapter's name");
	finds("top", "99999999999",
	      "found port \"99999999999\", expected a number, a label or an adapter's name");
	finds("to", "1", "no node of the fabric is named so");
	finds("dir-a", "Blade 16_Port 2/3", chip);
	finds("dir", "L16/U2/P3", chip);
	finds("Dir-A", "leaf16/U2/3", chip);
	finds("dir-b", "L16/U2/3", "no node of the fabric is named so");
	finds("dir", "Blade 17_Port 2/3", "it has no \"Blade 17_Port 2/3\"");
	finds("dir", "Blade 16_Port 3", "2 nodes fit: MF0;Dir-A:MCS8500/L16/U2, MF0;Dir-A:MCS8500/L16/U1");
	finds("h", "mlx5_1", "h mlx5_1[1]");
	finds("h.example.org", "h MLX5_1", "h mlx5_1[1]");
	finds("h", NULL, "2 nodes, port 0");
	finds("h", "P1", "2 nodes, port 1");
	finds("h mlx5_0", NULL, "h mlx5_0[1]");
	finds("plain", "1/3", "plain[3]");
	finds("0x0", "1", "no node of the fabric is named so");
}

/* --- comparing -------------------------------------------------------------------------------------- */

/* The changes of a plan for that net, "missing 2, ..." by line. */
static void differs(const char *plan, uint32_t cables, uint32_t there, const char *expected)
{
	AUTO_FABRIC struct fabric *f = parse(net);
	AUTO_BY(cabling_free) struct cabling c = read_plan(plan);
	AUTO_BY(plan_free) struct plan_report r;
	AUTO_TEXT struct text t = {0};

	assert_int_equal(plan_compare(f, &c, &r, NULL, NULL), 0);
	for (size_t i = 0; i < r.n; i++)
		text_add(&t, "%s%s %u", i ? ", " : "", plan_change_word[r.d[i].change],
			 r.d[i].row == NO_ID ? 0 : c.row[r.d[i].row].line);
	assert_string_equal(text_str(&t), expected);
	assert_int_equal(r.cables, cables);
	assert_int_equal(r.there, there);
}

#define HEAD "node,port,node,port\n"

static void test_compare(void **state)
{
	differs(HEAD "top,1,dir,L16/U2/3\n", 1, 1, "");
	/* the same cable twice, and once with a port left open */
	differs(HEAD "top,1,dir,L16/U2/3\ndir,L16/U2/3,top,1\ntop,1,dir,-\n", 1, 1, "");
	differs(HEAD "top,1,dir,L16/U2/3\ntop,1,plain,2\n", 1, 1, "twice 3");
	/* cables of hosts count where the plan has one */
	differs(HEAD "h,mlx5_0,dir,L16/U2/4\n", 1, 1, "extra 0");
	differs(HEAD "h,,dir,\nh,,dir,\n", 2, 2, "");
	differs(HEAD "h,,dir,\nh,,dir,\nh,,dir,\n", 3, 2, "missing 4");
	differs(HEAD "top,1,plain,2\n", 1, 0, "wrong-port 2");
	differs(HEAD "top,2,plain,2\n", 1, 0, "missing 2, extra 0");
	differs(HEAD "h,mlx5_0,dir,L16/U2/5\nh,mlx5_1,dir,L16/U2/4\n", 2, 0, "swapped 2");
	/* a ring of three, and a line whose last end is free */
	differs(HEAD "h,mlx5_0,dir,L16/U2/5\nh,mlx5_1,dir,L16/U2/3\ntop,1,dir,L16/U2/4\n", 3, 0,
		"wrong-port 2, wrong-port 3, wrong-port 4");
	differs(HEAD "h,mlx5_0,dir,L16/U2/5\nh,mlx5_1,dir,L16/U2/7\n", 2, 0, "wrong-port 3, wrong-port 2");
	differs(HEAD "gone,1,dir,L16/U2/3\ntop,2,dir,L16/U2/7\n", 1, 0, "not-found 2, missing 3");
	differs(HEAD "gone,1,lost,3\ntop,1,dir,-\n", 1, 1, "not-found 2");
}

static void test_sat11(void **state)
{
	AUTO_FABRIC struct fabric *f = load("tests/fabrics/real/sat11-director.putty-log.xz");
	AUTO_BY(cabling_free) struct cabling c;
	AUTO_BY(plan_free) struct plan_report r;

	assert_int_equal(cabling_load("tests/fabrics/cabling/sat11-switch-to-switch.ndt.xz", &c, NULL, NULL),
			 0);
	assert_int_equal(c.n, 6390);
	assert_int_equal(plan_compare(f, &c, &r, NULL, NULL), 0);
	assert_int_equal(r.cables, 3195);
	assert_int_equal(r.there, 3195);
	assert_int_equal(r.n, 0);
}

static void test_cancelled(void **state)
{
	struct progress p = {.cancel = true};
	AUTO_FABRIC struct fabric *f = parse(net);
	struct cabling c = read_plan(HEAD "top,1,plain,2\n");
	struct plan_report r;
	struct err e;

	assert_int_equal(plan_compare(f, &c, &r, &p, &e), -1);
	assert_string_equal(e.msg, CANCELLED);
	cabling_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),	  cmocka_unit_test(test_other_kinds),
		cmocka_unit_test(test_slurm),	  cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_cut),	  cmocka_unit_test(test_names),
		cmocka_unit_test(test_compare),	  cmocka_unit_test(test_sat11),
		cmocka_unit_test(test_cancelled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
