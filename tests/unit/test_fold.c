/* Panes folded by switch element: headers, what they say, what stays open and selected. */
#include "fixture.h"

static struct session *routed(const char *spec)
{
	return make_session(line_of("synth %s; route minhop", spec));
}

/* A pane of the session, folded and finished. */
static struct view *open_pane(struct scene *sc, struct session *s, const struct view_ops *ops, const char *a,
			      const char *b)
{
	AUTO_FREE char *x = a ? str_dup(a) : NULL;
	AUTO_FREE char *y = b ? str_dup(b) : NULL;
	char *argv[] = {x, y};
	struct err e = {0};

	if (scene_stale(sc, s))
		scene_take(sc, s);
	sc->fold = true;
	struct view *v = view_new(ops, sc, b ? 2 : a ? 1 : 0, argv, &e);
	if (!v)
		fail_msg("%s", e.msg);
	view_refresh(v);
	while (!view_work(v, 1))
		;
	return v;
}

static void do_line(struct scene *sc, struct session *s, struct view *v, const char *line)
{
	ok_line(s, line);
	scene_take(sc, s);
	view_refresh(v);
	while (!view_work(v, 1))
		;
}

/* The shown place i, column `name`. */
static void expect(const struct view *v, uint32_t i, const char *name, const char *want)
{
	AUTO_TEXT struct text t = {0};
	struct err e;
	int col = view_column(v, name, &e);

	assert_true(col >= 0);
	assert_true(i < view_count(v));
	view_cell(v, view_row(v, i), (unsigned)col, &t);
	assert_string_equal(text_str(&t), want);
}

static void expect_place(const struct view *v, uint32_t i, const char *what, const char *want)
{
	AUTO_TEXT struct text t = {0};
	bool known = view_place(v, view_row(v, i), what, &t);

	if (known != (want != NULL))
		fail_msg("%s: found \"%s\"", what, text_str(&t));
	assert_string_equal(text_str(&t), want ? want : "");
}

/* 2 directors of 4 line cards and 3 spines, 8 edge switches. */
static void test_headers(void **state)
{
	AUTO_SESSION struct session *s = routed("director:2,4,3,8");
	AUTO_SCENE struct scene sc = {0};
	AUTO_VIEW struct view *v = open_pane(&sc, s, &view_switches, NULL, NULL);
	int64_t routes = 0;

	assert_int_equal(view_count(v), 10);
	expect(v, 0, "name", "+ dir1 (7)");
	expect(v, 0, "ports", "32");
	expect(v, 0, "hosts", "0");
	expect(v, 0, "lid", "");
	expect(v, 2, "name", "edge-01");
	expect_place(v, 0, "element", "dir1");
	expect_place(v, 0, "node", NULL);
	expect_place(v, 2, "element", "edge-01");
	view_select(v, 0);
	assert_true(view_toggle(v));
	assert_int_equal(view_count(v), 17);
	expect(v, 0, "name", "- dir1 (7)");
	expect(v, 1, "name", "  Line 1: dir1/L01/U1");
	expect(v, 7, "name", "  Spine 3: dir1/S03/U1");
	expect_place(v, 1, "element", "dir1");
	expect_place(v, 1, "node", "dir1/L01/U1");
	for (uint32_t i = 1; i < 8; i++)
		routes += view_number(v, view_row(v, i), 5);
	assert_int_equal(view_number(v, view_row(v, 0), 5), routes);
	assert_true(view_toggle(v));
	assert_int_equal(view_count(v), 10);
	view_select(v, 2);
	assert_false(view_toggle(v));
}

static void test_events(void **state)
{
	AUTO_SESSION struct session *s = routed("director:2,4,3,8");
	AUTO_SCENE struct scene sc = {0};
	AUTO_VIEW struct view *v = open_pane(&sc, s, &view_switches, NULL, NULL);
	uint32_t row;

	view_select(v, 0);
	view_toggle(v);
	view_select(v, 3);
	do_line(&sc, s, v, "fail switch dir1/L01/U1"); /* the chip whose GUID named the element */
	assert_int_equal(view_count(v), 17);
	assert_int_equal(v->sel, 3);
	expect(v, 0, "name", "- dir1 (7)");
	assert_int_equal(marks_sign(view_marks(v, view_row(v, 0))), '!');
	assert_int_equal(marks_sign(view_marks(v, view_row(v, 1))), 'x');
	do_line(&sc, s, v, "undo");
	assert_int_equal(view_count(v), 17);
	/* folded away: the selection goes to the header, and when nothing is folded to the first row of it */
	view_select(v, 0);
	assert_false(view_selected(v, &row));
	assert_true(view_current(v, &row));
	assert_true(view_is_header(v, row));
	sc.fold = false;
	view_refresh(v);
	assert_int_equal(view_count(v), 22);
	expect(v, v->sel, "name", "dir1/L01/U1");
	view_select(v, 9);
	sc.fold = true;
	view_refresh(v);
	expect(v, v->sel, "name", "+ dir2 (7)");
}

/* What is up of a chassis says nothing about what belongs to it. */
static void test_parts(void **state)
{
	AUTO_SESSION struct session *s = routed("director:2,3,2,4");
	AUTO_SCENE struct scene sc = {0};
	AUTO_VIEW struct view *v = open_pane(&sc, s, &view_switches, NULL, NULL);

	view_select(v, 0);
	view_toggle(v);
	assert_int_equal(view_count(v), 11);
	do_line(&sc, s, v, "fail switch dir1/S01/U1 dir1/S02/U1");
	expect(v, 0, "name", "- dir1 (5)");
	expect(v, 5, "name", "  Spine 2: dir1/S02/U1");
	expect(v, 6, "name", "+ dir2 (5)");
	expect_place(v, 0, "element", NULL); /* of several by now */
	expect_place(v, 6, "element", "dir2");
	assert_int_equal(marks_sign(view_marks(v, view_row(v, 0))), '!');
	assert_int_equal(view_count(v), 11);
	do_line(&sc, s, v, "fail switch dir1/L01/U1 dir1/L02/U1 dir1/L03/U1");
	assert_int_equal(marks_sign(view_marks(v, view_row(v, 0))), 'x');
	do_line(&sc, s, v, "reset");
	assert_int_equal(view_count(v), 11);
	expect(v, 0, "name", "- dir1 (5)");
}

/* A chassis that no cable leads to from the SM. */
static void test_out_of_reach(void **state)
{
	static const char *const engine[] = {"route minhop", "route mincontention"};
	AUTO_SESSION struct session *s = routed("director:2,3,2,0");
	AUTO_SCENE struct scene sc = {0};
	AUTO_VIEW struct view *v = open_pane(&sc, s, &view_switches, NULL, NULL);

	for (size_t i = 0; i < ARRAY_LEN(engine); i++) {
		do_line(&sc, s, v, engine[i]);
		assert_int_equal(view_count(v), 2);
		expect(v, 0, "name", "+ dir1 (5)");
		expect(v, 1, "name", "+ dir2 (5)");
		assert_int_equal(marks_sign(view_marks(v, view_row(v, 1))), 'x');
		expect_place(v, 1, "element", NULL);
	}
}

static void test_find(void **state)
{
	AUTO_SESSION struct session *s = routed("director:2,4,3,8");
	AUTO_SCENE struct scene sc = {0};
	AUTO_VIEW struct view *v = open_pane(&sc, s, &view_switches, NULL, NULL);
	struct err e;

	view_filter(v, "spine");
	assert_int_equal(view_count(v), 2);
	expect(v, 0, "name", "+ dir1 (3)");
	expect(v, 0, "ports", "12");
	view_filter(v, "dir2");
	assert_int_equal(view_count(v), 1);
	expect(v, 0, "name", "+ dir2 (7)");
	view_filter(v, "");
	/* below a closed header */
	assert_int_equal(view_search(v, "dir2/S02", &(struct search){.dir = 1, .seconds = 1}, NULL), 1);
	expect(v, v->sel, "name", "+ dir2 (7)");
	assert_int_equal(view_sort(v, view_column(v, "ports", &e), true, &e), 0);
	expect(v, 0, "name", "+ dir2 (7)");
	expect(v, 1, "name", "+ dir1 (7)");
	expect(v, 2, "name", "edge-08");
	view_toggle(v);
	expect(v, 1, "name", "  Line 4: dir2/L04/U1");
	expect(v, 7, "name", "  Spine 1: dir2/S01/U1");
	expect(v, 8, "name", "+ dir1 (7)");
	assert_int_equal(view_sort(v, view_column(v, "name", &e), false, &e), 0);
	expect(v, 0, "name", "+ dir1 (7)");
	expect(v, 9, "name", "edge-01");
}

/* A load that asks for a row opens what it is under. */
static void test_reveal(void **state)
{
	AUTO_SESSION struct session *s = routed("director:2,4,3,8");
	AUTO_SCENE struct scene sc = {0};
	AUTO_VIEW struct view *v = open_pane(&sc, s, &view_lft, "edge-01", "dir1/S02/U1");

	expect(v, v->sel, "destination", "  dir1/S02/U1");
}

static void test_ports(void **state)
{
	AUTO_SESSION struct session *s = routed("director:2,4,3,8");
	AUTO_SCENE struct scene sc = {0};
	AUTO_VIEW struct view *v = open_pane(&sc, s, &view_ports, "dir1/L01/U1", NULL);

	assert_int_equal(view_count(v), 3);
	expect(v, 2, "peer", "+ dir1: 3 links");
	expect(v, 2, "state", "up");
	expect(v, 2, "port", "");
	do_line(&sc, s, v, "fail link dir1/L01/U1[4]");
	expect(v, 2, "state", "");
	assert_int_equal(marks_sign(view_marks(v, view_row(v, 2))), '!');
	do_line(&sc, s, v, "fail link dir1/L01/U1[3] dir1/L01/U1[5]");
	assert_int_equal(marks_sign(view_marks(v, view_row(v, 2))), 'x');
}

/* Hops of one element in a row are one; there and back stay side by side. */
static void test_path(void **state)
{
	AUTO_SESSION struct session *s = routed("director:2,4,3,8");
	AUTO_SCENE struct scene sc = {0};
	AUTO_VIEW struct view *v = open_pane(&sc, s, &view_path, "node0001", "node0005");

	assert_int_equal(view_count(v), 6); /* two ends, two edge switches, the chassis, the SL */
	expect(v, 2, "there", "+ dir1 (3)");
	expect(v, 2, "back", "dir1 (3)");
	expect(v, 2, "in", "1");  /* of its first chip */
	expect(v, 2, "out", "1"); /* of its last one */
	expect(v, 0, "in", "");
	expect(v, 0, "out", "1");
	expect(v, 4, "there", "node0005");
	expect(v, 4, "in", "1");
	expect(v, 4, "out", "");
	view_select(v, 2);
	view_toggle(v);
	assert_int_equal(view_count(v), 9);
	expect_place(v, 3, "switch", "dir1/L01/U1");
	expect_place(v, 2, "src", "3");
	expect_place(v, 2, "switch", NULL);
}

/* Cells as short as they stay clear; column `name` of place i. */
static void expect_brief(const struct view *v, uint32_t i, const char *name, const char *want)
{
	AUTO_TEXT struct text t = {0};
	struct err e;
	bool known = view_brief_cell(v, view_row(v, i), (unsigned)view_column(v, name, &e), &t);

	assert_int_equal(known, want != NULL);
	assert_string_equal(text_str(&t), want ? want : "");
}

static void test_brief(void **state)
{
	AUTO_SESSION struct session *s = routed("director:2,4,3,8");
	AUTO_SCENE struct scene sc = {0};
	AUTO_VIEW struct view *v = open_pane(&sc, s, &view_ports, "dir1/L01/U1", NULL);

	view_select(v, 2);
	view_toggle(v);
	expect(v, 3, "peer", "  Spine 1: dir1/S01/U1[1]");
	expect_brief(v, 3, "peer", "  Spine 1[1]");
	expect_brief(v, 2, "peer", NULL);
	expect_brief(v, 0, "peer", NULL);
	view_free(v);
	/* two boards with one place, and a type that all places begin with */
	ok_line(s, "load tests/fabrics/formats/voltaire-chassis.ibnetdiscover-g");
	v = open_pane(&sc, s, &view_switches, NULL, NULL);
	view_select(v, 0);
	view_toggle(v);
	assert_int_equal(view_count(v), 3);
	expect(v, 1, "name", "  Spine 1: ISR9024D-M …410102");
	expect_brief(v, 1, "name", "  Spine 1: 410102");
	expect_brief(v, 2, "name", "  Spine 1: 410101");
}

/* A column gives room for the sum, and takes it back with the fold. */
static void test_widths(void **state)
{
	AUTO_SESSION struct session *s = routed("director:2,30,10,60");
	AUTO_SCENE struct scene sc = {0};
	AUTO_VIEW struct view *v = open_pane(&sc, s, &view_switches, NULL, NULL);
	AUTO_TEXT struct text t = {0};
	struct err e;
	unsigned up = (unsigned)view_column(v, "up", &e);

	view_cell(v, view_row(v, 0), up, &t);
	assert_int_equal(t.len, 3);
	assert_int_equal(v->width[up], 3);
	sc.fold = false;
	view_refresh(v);
	assert_int_equal(v->width[up], 2);
}

/* All panes about switches can be folded, opened and read to the last cell. */
static void test_all(void **state)
{
	static const struct {
		const struct view_ops *ops;
		const char *a, *b;
	} panes[] = {
		{&view_switches, NULL, NULL},	 {&view_ports, "edge-01", NULL},
		{&view_hosts, NULL, NULL},	 {&view_lft, "edge-01", NULL},
		{&view_hops, "edge-01", NULL},	 {&view_changes, NULL, NULL},
		{&view_pairs, NULL, NULL},	 {&view_ranks, NULL, NULL},
		{&view_histogram, NULL, NULL},	 {&view_tree, NULL, NULL},
		{&view_groups, "edge-01", NULL}, {&view_path, "node0001", "node0032"},
		{&view_caorder, NULL, NULL},	 {&view_bars, NULL, NULL},
		{&view_elements, NULL, NULL},
	};
	AUTO_SESSION struct session *s = routed("director:2,4,3,8");
	AUTO_SCENE struct scene sc = {0};

	ok_line(s, "route ftree; fail switch dir1/S01/U1");
	for (size_t i = 0; i < ARRAY_LEN(panes); i++) {
		AUTO_VIEW struct view *v = open_pane(&sc, s, panes[i].ops, panes[i].a, panes[i].b);
		uint32_t plain = 0, headers = 0;
		AUTO_TEXT struct text t = {0};

		for (uint32_t k = 0; k < view_count(v); k++) {
			view_select(v, k);
			view_toggle(v);
			view_row(v, k) < v->n_rows ? plain++ : headers++;
			for (unsigned c = 0; c < v->ops->n_columns; c++)
				view_cell(v, view_row(v, k), c, &t);
			view_marks(v, view_row(v, k));
		}
		assert_int_equal(plain, v->n_rows); /* each row is shown once */
		assert_true((v->ops->flags & VIEW_CHIPS) || !headers);
	}
}

/* --- a list too long -------------------------------------------------------------- */

static void load_many(struct view *v)
{
	v->n_rows = VIEW_SORT_MAX + 1000;
}

static void many_title(const struct view *v, struct text *t)
{
	text_add(t, "Many");
}

static void many_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	text_add(t, "%s %u", row & 1 ? "odd" : "even", row);
}

static bool many_about(const struct view *v, uint32_t row, struct subject *s)
{
	s->chip = row % v->scene->fabric->n_switches;
	return false;
}

static void test_too_many(void **state)
{
	static const struct column column = {.name = "row", .flex = 1};
	static const struct view_ops ops = {.name = "many",
					    .column = &column,
					    .n_columns = 1,
					    .flags = VIEW_CHIPS,
					    .load = load_many,
					    .title = many_title,
					    .cell = many_cell,
					    .about = many_about};
	AUTO_SESSION struct session *s = routed("director:2,4,3,8");
	AUTO_SCENE struct scene sc = {0};
	AUTO_VIEW struct view *v = open_pane(&sc, s, &ops, NULL, NULL);
	uint32_t many = v->n_rows / 2, headers = 0;
	AUTO_TEXT struct text t = {0};

	assert_int_equal(view_count(v), v->n_rows);
	view_fold_title(v, &t);
	assert_non_null(strstr(text_str(&t), "not folded: 401000 rows are too many"));
	view_filter(v, "odd");
	while (!view_work(v, 1))
		;
	assert_false(v->ordering);
	assert_true(view_count(v) < many);
	for (uint32_t i = 0; i < view_count(v) && headers < 2; i++) {
		view_select(v, i);
		headers += view_toggle(v);
	}
	assert_int_equal(view_count(v), many + headers);
}

static void test_bad_file(void **state)
{
	AUTO_SESSION struct session *s = routed("director:1,2,2,2");
	AUTO_SCENE struct scene sc = {0};
	AUTO_TEMP char *path = temp_file("no grouping\n");
	AUTO_TEXT struct text t = {0};

	ok_linef(s, "set chassis_file %s", path);
	AUTO_VIEW struct view *v = open_pane(&sc, s, &view_switches, NULL, NULL);
	assert_int_equal(view_count(v), v->n_rows);
	view_fold_title(v, &t);
	assert_non_null(strstr(text_str(&t), "not folded: "));
	assert_non_null(strstr(text_str(&t), path));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_headers),	 cmocka_unit_test(test_events),
		cmocka_unit_test(test_parts),	 cmocka_unit_test(test_out_of_reach),
		cmocka_unit_test(test_brief),	 cmocka_unit_test(test_widths),
		cmocka_unit_test(test_find),	 cmocka_unit_test(test_reveal),
		cmocka_unit_test(test_ports),	 cmocka_unit_test(test_path),
		cmocka_unit_test(test_all),	 cmocka_unit_test(test_too_many),
		cmocka_unit_test(test_bad_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
