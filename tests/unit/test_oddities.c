/* What is odd about a fabric as a whole, and a subnet manager whose place is a guess. */
#include "fixture.h"
#include "formats.h"

/* Two switches with three links between them, a host on each; to be changed before it is finished. */
static struct fabric_builder *pair(void)
{
	struct fabric_builder *b = fb_new();
	uint32_t one = fb_add(b, NODE_SWITCH, 0x10, 8, "one"), two = fb_add(b, NODE_SWITCH, 0x20, 8, "two"),
		 x = fb_add(b, NODE_CA, 0x11, 1, "x"), y = fb_add(b, NODE_CA, 0x21, 1, "y");

	for (unsigned p = 1; p <= 3; p++) {
		assert_true(fb_link(b, one, p, two, p));
		b->node[one].port[p].width = b->node[two].port[p].width = WIDTH_4X;
		b->node[one].port[p].speed = b->node[two].port[p].speed = SPEED_HDR;
	}
	assert_true(fb_link(b, one, 4, x, 1));
	assert_true(fb_link(b, two, 4, y, 1));
	b->node[one].port[0].lid = 1;
	b->node[two].port[0].lid = 2;
	b->node[x].port[1].lid = 3;
	b->node[y].port[1].lid = 4;
	return b;
}

static struct fabric *finished(struct fabric_builder *b)
{
	return built(b);
}

static void test_none(void **state)
{
	AUTO_FABRIC struct fabric *f = finished(pair());

	assert_int_equal(f->warnings.n, 0);
}

static void test_slow(void **state)
{
	struct fabric_builder *b = pair();

	b->node[0].port[2].width = b->node[1].port[2].width = WIDTH_1X;
	b->node[0].port[3].speed = b->node[1].port[3].speed = SPEED_EDR;
	AUTO_FABRIC struct fabric *f = finished(b);
	assert_int_equal(f->warnings.n, 2);
	assert_string_equal(f->warnings.w[0].kind, "slow link");
	assert_string_equal(f->warnings.w[0].text, "one[2] to two[2] is 1xHDR, a link beside it is 4xHDR");
	assert_string_equal(f->warnings.w[1].text, "one[3] to two[3] is 4xEDR, a link beside it is 4xHDR");
}

static void test_lids(void **state)
{
	struct fabric_builder *b = pair();

	b->node[2].port[1].lmc = 1; /* 3 and 4 */
	b->node[1].port[0].lid = 0xC000;
	AUTO_FABRIC struct fabric *f = finished(b);
	assert_int_equal(f->warnings.n, 2);
	assert_int_equal(count_warnings(f, "duplicate LID"), 1);
	assert_int_equal(count_warnings(f, "LID out of range"), 1);
	assert_string_equal(f->warnings.w[1].text, "LID 4 of y[1] is one of x[1], too");
	assert_string_equal(f->warnings.w[0].text,
			    "LIDs 49152 to 49152 of two[0]: unicast LIDs end at 49151");
}

/* Of many of a kind the first are told, and how many there are besides. */
static void test_many(void **state)
{
	struct fabric_builder *b = pair();

	for (unsigned i = 0; i < 30; i++) {
		uint32_t n = fb_add(b, NODE_SWITCH, 0x100 + i, 2, "more");

		b->node[n].port[0].lid = 1;
	}
	AUTO_FABRIC struct fabric *f = finished(b);
	assert_int_equal(count_warnings(f, "duplicate LID"), 21);
	assert_string_equal(f->warnings.w[20].text, "and 10 more");
}

static void test_guids(void **state)
{
	struct fabric_builder *b = pair();

	b->node[3].port[1].guid = b->node[2].port[1].guid = 0x77;
	AUTO_FABRIC struct fabric *f = finished(b);
	one_warning(f, "duplicate GUID", 0, "port GUID 0x0000000000000077 is of x[1] and of y[1]");
}

/* One switch and its host at the far end of a single link; the file begins there. */
static const char lopsided[] =
	"switchguid=0x10(10)\nSwitch\t4 \"S-0000000000000010\"\t# \"small\"\n"
	"[1]\t\"S-0000000000000020\"[1]\n[2]\t\"H-0000000000000011\"[1](12)\n\n"
	"switchguid=0x20(20)\nSwitch\t4 \"S-0000000000000020\"\t# \"large\"\n"
	"[1]\t\"S-0000000000000010\"[1]\n[2]\t\"H-0000000000000021\"[1](22)\n"
	"[3]\t\"H-0000000000000031\"[1](32)\n\n"
	"caguid=0x11\nCa\t1 \"H-0000000000000011\"\t# \"a\"\n[1](12)\t\"S-0000000000000010\"[2]\n\n"
	"caguid=0x21\nCa\t1 \"H-0000000000000021\"\t# \"b\"\n[1](22)\t\"S-0000000000000020\"[2]\n\n"
	"caguid=0x31\nCa\t1 \"H-0000000000000031\"\t# \"c\"\n[1](32)\t\"S-0000000000000020\"[3]\n";

static void test_guess(void **state)
{
	AUTO_SESSION struct session *s = session_new(all_engines, all_commands);
	struct err e;

	assert_int_equal(session_set_fabric(s, parse(lopsided), "load x", NULL, &e), 0);
	ok_line(s, "route minhop");
	line_says(s, "show", "subnet manager: small (guessed, the source does not tell; `set guid` does)");
	line_says(
		s, "fail link small[1]",
		"ibscope does not know where the subnet manager runs: it takes large, in the part with most "
		"hosts; lost pairs depend on it");
	/* what is left of `small` is on its own: b and c still reach each other */
	const struct comparison *c = session_event(s)->change;
	assert_int_equal(c->lost, 4);
	assert_int_equal(c->cut_off, 4);
	assert_int_equal(c->between_survivors, 0);
	/* where it is known it stays, whatever hangs on it */
	ok_line(s, "reset; set guid 0x12; route minhop; fail link small[1]");
	assert_false(session_sweep(s)->topo->sm_regard);
	assert_int_equal(session_event(s)->change->lost, 6);
	assert_int_equal(session_event(s)->change->cut_off, 6);
}

/* What is lost is told in two parts. */
static void test_survivors(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth torus:4x4; route minhop; fail switch t11");

	assert_true(session_event(s)->change->lost > 0);
	assert_int_equal(session_event(s)->change->cut_off + session_event(s)->change->between_survivors,
			 session_event(s)->change->lost);
	line_says(s, "survey switches",
		  "lost  between  loops     load   longer rerouted  entries   gone  switches");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_none),	  cmocka_unit_test(test_slow),	cmocka_unit_test(test_lids),
		cmocka_unit_test(test_many),	  cmocka_unit_test(test_guids), cmocka_unit_test(test_guess),
		cmocka_unit_test(test_survivors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
