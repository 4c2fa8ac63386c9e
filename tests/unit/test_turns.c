/* Forbidden turns: in tables, on given ways, and what `why` and `check` say about them. */
#include "core/analysis/credit/turns.h"
#include "core/base/progress.h"
#include "fixture.h"

/* OpenSM's updn leaves one turn in this fabric when sw-02 is the root. */
#define TURN_FABRIC "random:12,4,hosts=1,seed=58"
#define SW_02 "0x0002c90300a00010"

static uint32_t sw(const struct session *s, const char *name)
{
	struct err e;
	uint32_t node = fabric_node_by_name(s->fabric, name, &e);

	assert_int_not_equal(node, NO_ID);
	return s->fabric->node_switch[node];
}

/* The same figures from every path, one by one. */
static void expect_counts(const struct session *s)
{
	const struct routing *r = session_routing(s);
	const struct fabric *f = s->fabric;
	struct turns t, want = {0};
	uint64_t taken = 0, sum = 0;

	for (uint32_t a = 0; a < f->n_endports; a++) {
		if (endport_is_switch(f, a) || !r->topo->endport_up[a])
			continue;
		for (unsigned lid = 1; lid <= r->lids->max_lid; lid++) {
			uint32_t b = lid_owner(r->lids, lid);
			AUTO_BY(path_free) struct path p = {0};

			if (b == NO_ID || b == a)
				continue;
			path_trace(r, a, r->lids->base[a], lid, &p);
			bool bad = p.end == PATH_OK && first_turn(r, p.hop, p.n) < p.n;
			for (unsigned i = 0; p.end == PATH_OK && i < p.n; i++)
				taken += turn_forbidden(r, p.hop[i].sw, p.hop[i].in, p.hop[i].out);
			if (endport_is_switch(f, b)) {
				want.switch_routes += p.end == PATH_OK;
				want.switch_bad += bad;
			} else {
				want.routes += p.end == PATH_OK;
				want.bad += bad;
			}
		}
	}
	assert_int_equal(turns_count(r, &t, NULL), 0);
	assert_int_equal(t.routes, want.routes);
	assert_int_equal(t.bad, want.bad);
	assert_int_equal(t.switch_routes, want.switch_routes);
	assert_int_equal(t.switch_bad, want.switch_bad);
	for (uint32_t i = 0; i < t.n; i++) {
		const struct turn *x = &t.turn[i];
		struct path p;
		unsigned h;

		sum += x->routes;
		assert_true(turn_forbidden(r, x->sw, x->in, x->out));
		path_trace(r, x->source, r->lids->base[x->source], x->dlid, &p); /* the example takes it */
		for (h = 0;
		     h < p.n && (p.hop[h].sw != x->sw || p.hop[h].in != x->in || p.hop[h].out != x->out); h++)
			;
		assert_true(h < p.n);
		path_free(&p);
		for (uint32_t k = 0; k < i; k++)
			assert_false(t.turn[k].sw == x->sw && t.turn[k].in == x->in &&
				     t.turn[k].out == x->out);
	}
	assert_int_equal(sum, taken);
	turns_free(&t);
}

static void test_tree(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth xgft:4,4,4:1,2,2; route updn");
	struct turns t;

	expect_counts(s);
	assert_int_equal(turns_count(session_routing(s), &t, NULL), 0);
	assert_int_equal(t.n, 0);
	assert_int_equal(t.routes, 64 * 63);
	line_says(s, "check", "No path turns from down to up.");
}

static void test_left_by_opensm(void **state)
{
	AUTO_TEMP char *root = temp_file(SW_02 "\n");
	AUTO_SESSION struct session *s =
		session_after("synth " TURN_FABRIC "; set root_guid_file %s; route updn", root);
	struct turns t;

	expect_counts(s);
	assert_int_equal(turns_count(session_routing(s), &t, NULL), 0);
	assert_int_equal(t.n, 1);
	assert_int_equal(t.bad, 1);
	assert_int_equal(t.turn[0].sw, sw(s, "sw-04"));
	turns_free(&t);
	line_says(s, "check", "on 1 of 132 paths between hosts");
	line_says(s, "check", "Sound");
	line_says(s, "why node0012 sw-12 sw-04 sw-01 sw-10 node0010", "the path that the tables take");
	line_says(s, "why node0012 sw-12 sw-04 sw-01 sw-10 node0010",
		  "Forbidden turn at sw-04: in by port 2");
}

/* dnup with connect_roots takes turns at a price. */
static void test_many(void **state)
{
	AUTO_TEMP char *root = temp_file(SW_02 "\n");
	AUTO_TEMP char *roots = temp_file(SW_02 "\n0x0002c90300a00050\n");
	struct session *s = session_after("synth xgft:3,3:1,2; route dnup");

	expect_counts(s);
	ok_line(s, "set connect_roots true");
	ok_line(s, "route dnup");
	expect_counts(s);
	session_free(s);
	s = session_after("synth random:12,4,hosts=1,seed=7; set root_guid_file %s; route updn", root);
	ok_line(s, "fail random 3");
	expect_counts(s);
	ok_line(s, "set lmc 1");
	expect_counts(s);
	session_free(s);
	s = session_after("synth random:14,3,hosts=2,seed=9; set root_guid_file %s; route updn", roots);
	ok_line(s, "set connect_roots true");
	ok_line(s, "route updn");
	expect_counts(s);
	session_free(s);
}

/* Engines without directions forbid nothing. */
static void test_none(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth ring:6; route minhop");
	struct turns t;
	struct err e;
	bool fault;
	int rc;

	assert_int_equal(turns_count(session_routing(s), &t, NULL), 0);
	assert_true(!t.n && !t.routes && !t.turn);
	AUTO_FREE char *text = run_line(s, "check", &rc, &e, false, &fault);
	assert_null(strstr(text, "down to up"));
}

static void test_cancel(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth xgft:4,4:1,2; route updn");
	struct progress p = {.cancel = true};
	struct turns t;

	assert_int_equal(turns_count(session_routing(s), &t, &p), -1);
	assert_null(t.turn);
}

static void test_ways(void **state)
{
	AUTO_SESSION struct session *s =
		session_after("synth xgft:4,4:1,2; route updn"); /* 4 leaves, spines t00 and t01 */
	const struct routing *r = session_routing(s);
	uint32_t leaf = sw(s, "leaf-01"), spine = sw(s, "spine-01"), to = sw(s, "leaf-04");
	struct way w;

	assert_true(way_find(r, leaf, 5, to, true, &w)); /* up, down */
	assert_int_equal(w.links, 2);
	assert_int_equal(w.n, 3);
	assert_int_equal(w.hop[0].sw, leaf);
	assert_int_equal(w.hop[0].out, 5);
	assert_int_equal(w.hop[1].sw, spine);
	assert_int_equal(w.hop[2].sw, to);
	assert_int_equal(w.hop[2].out, 0);
	way_free(&w);
	assert_true(way_find(r, spine, 2, to, false, &w)); /* not back through the spine */
	assert_int_equal(w.links, 3);
	assert_int_equal(first_turn(r, w.hop, w.n), 1);
	assert_int_equal(w.hop[2].sw, sw(s, "spine-02"));
	way_free(&w);
	assert_false(way_find(r, spine, 2, to, true, &w));
	assert_false(way_find(r, leaf, 1, to, false, &w)); /* a host */
	assert_false(turn_forbidden(r, leaf, 0, 5));
	assert_true(turn_forbidden(r, leaf, 5, 6));
	assert_false(turn_forbidden(r, spine, 1, 2));
}

static void test_why(void **state)
{
	struct session *s = session_after("synth xgft:4,4:1,2; route updn");

	line_says(s, "why spine-01 node0013 via 2", "forbidden by the up/down rule of updn");
	line_says(s, "why spine-01 node0013 via 2", "turn at leaf-02: in by port 5, down from spine-01[2]");
	line_says(s, "why spine-01 node0013 via spine-01[4]", "this is the port it takes");
	line_says(s, "why leaf-01 leaf-03 via 6", "equal, but not chosen");
	line_says(s, "why leaf-01 leaf-03 via 1", "is no switch and forwards nothing");
	line_says(s, "why leaf-01 node0001 via 5", "on this very switch");
	line_says(s, "why node0001 leaf-01 spine-01 leaf-02 spine-02 leaf-03 node0009",
		  "forbidden by the up/down");
	line_says(s, "why node0001 leaf-01 spine-01 leaf-02 spine-02 leaf-03 node0009", "up to spine-02[2]");
	line_says(s, "why leaf-01[6] spine-02 leaf-03", "equal, but not chosen");
	line_says(s, "why leaf-01[6] spine-02 leaf-03", "The tables part from it at leaf-01");
	line_says(s, "why leaf-01 leaf-03", "leaf-01 sends LID");
	line_fails(s, "why spine-01 node0013 via 9", "expected a port of spine-01, 1 to 4");
	line_fails(s, "why leaf-01 leaf-02 leaf-03", "no live link leads from leaf-01 to leaf-02");
	line_fails(s, "why leaf-01 node0001 leaf-01", "only the ends of a path may be hosts");
	line_fails(s, "why leaf-01 node0001 via", "expected: why SWITCH DST");
	ok_line(s, "fail link leaf-01[6]");
	line_fails(s, "why leaf-01 leaf-03 via 6", "has no live link");
	session_free(s);
	s = session_after("synth ring:6; route minhop");
	line_says(s, "why ring0 ring1 via 3", "longer than by port 2, by 4 hops");
	session_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tree),   cmocka_unit_test(test_left_by_opensm),
		cmocka_unit_test(test_many),   cmocka_unit_test(test_none),
		cmocka_unit_test(test_cancel), cmocka_unit_test(test_ways),
		cmocka_unit_test(test_why),
	};

	return cmocka_run_group_tests_name("turns", tests, NULL, NULL);
}
