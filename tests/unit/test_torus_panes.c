/* The panes torus, sl2vl and sls, by the command `list`; their selection; `why` under torus-2QoS. */
#include "torus_session.h"

/* --- the map -------------------------------------------------------------------------------- */

static void whole_torus(void **state)
{
	struct session *s = torus_session("torus:4x4");

	line_says(s, "list torus",
		  "  z grid\n"
		  "  0  t00 ─1.0─ t01 ─1.5─ t02 ─1.0─ t03 ─0.5║\n"
		  "     │1.0      │1.0      │1.0      │1.0\n"
		  "  1  t10 ─1.0─ t11 ─1.5─ t12 ─1.0─ t13 ─0.5║\n"
		  "     │1.5      │1.5      │1.5      │1.5\n"
		  "  2  t20 ─1.0─ t21 ─1.5─ t22 ─1.0─ t23 ─0.5║\n"
		  "     │1.0      │1.0      │1.0      │1.0\n"
		  "  3  t30 ─1.0─ t31 ─1.5─ t32 ─1.0─ t33 ─0.5║\n"
		  "     │0.5═     │0.5═     │0.5═     │0.5═\n");
	torus_session_end(s);
}

static void switch_and_link_down(void **state)
{
	struct session *s = torus_session("torus:4x4");

	ok_line(s, "fail switch t11");
	ok_line(s, "fail link t32[4]");
	line_says(s, "list torus",
		  "  0  t00 ─0.9─ t01 ─1.4─ t02 ─0.9─ t03 ─0.5║\n"
		  "x    │0.9      x         │1.0      │0.9\n"
		  "x 1  t10 ──x──xt11 ──x── t12 ─1.3─ t13 ─0.9║\n"
		  "x    │1.4      x         │1.6      │1.4\n"
		  "  2  t20 ─1.0─ t21 ─1.6─ t22 ─0.9─ t23 ─0.5║\n"
		  "     │0.9      │1.3      │0.9      │0.9\n"
		  "x 3  t30 ─1.9─!t31 ─1.4─!t32 ──x──!t33 ─1.4║\n");
	line_says(s, "list torus filter down z:3", "x 3  t30");
	torus_session_end(s);
}

static void path_with_lanes(void **state)
{
	struct session *s = torus_session("torus:4x4");

	/* both dimensions by the dateline: it leaves t00 by the link drawn behind t03 */
	line_says(s, "list torus node0001 node0016", "* 0 *t00 ─1.0─ t01 ─1.5─ t02 ─1.0─*t03 ←VL1║\n");
	ok_line(s, "fail switch t11");
	ok_line(s, "fail link t32[4]");
	line_says(s, "list torus node0005 node0010",
		  "x 1 *t10 ──x──xt11 ──x── t12 ─1.3─ t13 ─0.9║\n"
		  "x    ↓VL0      x         │1.6      │1.4\n"
		  "~ 2 ~t20 →VL2→*t21 ─1.6─");
	line_fails(s, "list torus node0001", "expected [SRC DST]");
	torus_session_end(s);
}

static void three_dimensions(void **state)
{
	struct session *s = torus_session("torus:3x4x5,parallel=2");
	int rc, rows = 0;
	struct err e;
	char *text = run_line(s, "list torus", &rc, &e, false, NULL);

	assert_int_equal(rc, 0);
	for (const char *c = text; *c; c++)
		rows += *c == '\n';
	/* x is the longest; for 3 x 4 lines of switches as many of y and z links; the header */
	assert_int_equal(rows, 1 + 3 * 3 * 4);
	assert_non_null(strstr(text, " z y grid"));
	free(text);
	ok_line(s, "fail link t000[3]");
	line_says(s, "list torus filter z:0", "x"); /* one of two cables */
	torus_session_end(s);
	s = torus_session("mesh:3x3x3");
	text = run_line(s, "list torus", &rc, &e, false, NULL);
	assert_null(strstr(text, "═"));
	assert_null(strstr(text, "║"));
	assert_non_null(strstr(text, "z"));
	free(text);
	torus_session_end(s);
}

static void engines_without(void **state)
{
	struct session *s = torus_session("torus:4x4");

	ok_line(s, "route minhop");
	line_says(s, "list torus", "minhop is in force; ");
	line_says(s, "list torus", "route torus-2QoS");
	ok_line(s, "set qos FALSE");
	ok_line(s, "route torus-2QoS,minhop");
	line_says(s, "list torus", "torus-2QoS refused: qos is FALSE");
	torus_session_end(s);
}

/* Left and Right choose a switch; Enter and placeholders are about it. */
static void switches_are_chosen(void **state)
{
	struct session *s = torus_session("torus:4x4");
	struct scene sc = {0};
	AUTO_TEXT struct text t = {0};
	struct err e;

	scene_take(&sc, s);
	struct view *v = view_new(&view_torus, &sc, 0, NULL, &e);
	assert_true(view_settle(v, NULL));
	v->room[2] = 25; /* two columns of the map */
	view_select(v, 2);
	view_follow(v, 2, &t);
	assert_string_equal(text_str(&t), "pane ports t10");
	for (unsigned i = 0; i < 2; i++)
		v->ops->across(v, 1);
	text_clear(&t);
	view_follow(v, 2, &t);
	assert_string_equal(text_str(&t), "pane ports t12");
	text_clear(&t);
	view_cell(v, 2, 2, &t);
	assert_string_equal(text_str(&t), " t11 ─1.5─>t12 ─1.0─ t13 ─0.5║");
	assert_string_equal(view_column_name(v, 2), "y1         2         3        ");
	text_clear(&t);
	view_footer(v, &t);
	assert_string_equal(text_str(&t), "t12 at 0,2,1; up y: 1 link, 8 routes");
	text_clear(&t);
	assert_true(view_place(v, 3, "port", &t)); /* the link below */
	text_clear(&t);
	for (unsigned i = 0; i < 9; i++)
		v->ops->across(v, -1);
	view_cell(v, 2, 2, &t);
	assert_int_equal(strncmp(text_str(&t), ">t10 ", 5), 0);
	view_free(v);
	scene_release(&sc);
	scene_drop_results(&sc);
	torus_session_end(s);
}

/* Pieces of a line with their tones: its text without gaps. */
static void links_have_tones(void **state)
{
	static const uint8_t want[] = {TONE_CHANGED, TONE_DOWN, TONE_DOWN, TONE_DOWN};
	struct session *s = torus_session("torus:4x4");
	struct scene sc = {0};
	struct span sp;
	struct err e;
	unsigned end = 0;

	ok_line(s, "fail switch t11");
	scene_take(&sc, s);
	struct view *v = view_new(&view_torus, &sc, 0, NULL, &e);
	assert_true(view_settle(v, NULL));
	for (unsigned i = 0; v->ops->span(v, 2, 2, i, &sp); i++) {
		assert_int_equal(sp.from, end);
		end += sp.n;
		if (i < ARRAY_LEN(want))
			assert_int_equal(sp.tone, want[i]);
	}
	assert_int_equal(end, 40);
	assert_true(v->ops->span(v, 5, 2, 1, &sp)); /* 1.4 of the mean above, 0.5 at the dateline */
	assert_int_equal(sp.tone, TONE_PLAIN);
	assert_true(v->ops->span(v, 7, 2, 1, &sp));
	assert_int_equal(sp.tone, TONE_LIGHT);
	assert_false(v->ops->span(v, 7, 1, 0, &sp));
	view_free(v);
	scene_release(&sc);
	scene_drop_results(&sc);
	torus_session_end(s);
}

/* --- SLs and maps ------------------------------------------------------------------------------- */

static void maps_of_ports(void **state)
{
	struct session *s = torus_session("torus:4x4");

	/* port 2 leads along z: SL bit 2 chooses the lane, bit 3 the upper four */
	line_says(s, "list sl2vl t20[2]", " 4 t21[5]      0 0 0 0 1 1 1 1 4 4  4  4  5  5  5  5\n");
	/* a turn from z back to y: VL bit 1 as well */
	line_says(s, "list sl2vl t20[4]", " 3 t10[2]      2 2 3 3 2 2 3 3 6 6  7  7  6  6  7  7\n");
	line_says(s, "list sl2vl node0005[1]", "the port's node 0 0 0 0 0 0 0 0 1 1  1  1  1  1  1  1\n");
	line_fails(s, "list sl2vl", "expected NODE[PORT]");
	ok_line(s, "set qos FALSE");
	ok_line(s, "route minhop");
	line_says(s, "list sl2vl t20[4]", "0 itself      0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15\n");
	line_says(s, "list sl2vl node0005[1]", "not known of CA ports here");
	ok_line(s, "fail switch t20");
	line_says(s, "list sl2vl t20[4]", "the switch is down");
	torus_session_end(s);
}

static void sls_of_hosts(void **state)
{
	struct session *s = torus_session("torus:4x4");

	line_says(s, "list sls node0001 filter node0016",
		  "  lid destination SL at    bits\n"
		  "   31 node0016     6 0,3,3 y 0→3 crosses: 2, z 0→3 crosses: 4\n");
	line_says(s, "list sls node0001 filter t00", "same switch");
	ok_line(s, "route minhop");
	line_says(s, "list sls node0001 filter node0016", "  lid destination SL\n   31 node0016     0\n");
	ok_line(s, "fail host node0001");
	line_says(s, "list sls node0001", "it is down or has no LID");
	torus_session_end(s);
}

static void why_tells_the_rule(void **state)
{
	struct session *s = torus_session("torus:4x4");

	line_says(s, "why node0001 node0016", "SL bit 1 is 1: the shorter way along y from 0 to 3 crosses");
	line_says(s, "why node0001 node0016", "SL bit 3 is the QoS level");
	line_says(s, "why t00 node0016", "-y, 1 step against 3 the other way");
	ok_line(s, "fail switch t11");
	line_says(s, "why node0005 node0010", "y is blocked by a missing switch, so it turns early: +z");
	line_says(s, "why node0005 node0010", "VL 2: turn back to an earlier dimension");
	line_says(s, "why t10 node0010", "y is blocked by a missing switch, so it turns early: +z");
	torus_session_end(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_torus),	    cmocka_unit_test(switch_and_link_down),
		cmocka_unit_test(path_with_lanes),  cmocka_unit_test(three_dimensions),
		cmocka_unit_test(engines_without),  cmocka_unit_test(switches_are_chosen),
		cmocka_unit_test(links_have_tones), cmocka_unit_test(maps_of_ports),
		cmocka_unit_test(sls_of_hosts),	    cmocka_unit_test(why_tells_the_rule),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
