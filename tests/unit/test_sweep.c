/* What a heavy sweep keeps, recomputes and falls back to (engines/doc/minhop.md sections 8 and 10). */
#include "core/base/rng.h"
#include "tests/unit/fixture.h"

static const struct sweep *now(const struct session *s)
{
	return session_sweep(s);
}

static struct session *random_fabric(const char *spec)
{
	struct session *s = session_new(all_engines, all_commands);

	ok_linef(s, "synth %s; route minhop", spec);
	return s;
}

/* Switches whose rows say the same, or that have none in both. */
static uint32_t equal_rows(const struct routing *a, const struct routing *b)
{
	uint32_t n = 0;

	for (uint32_t sw = 0; sw < a->topo->fabric->n_switches; sw++) {
		const struct lft_row *x = a->row[sw], *y = b->row[sw];

		if (x && y)
			n += x->top == y->top && !memcmp(x->port, y->port, x->top + 1u);
		else
			n += !x && !y;
	}
	return n;
}

static bool tables_equal(const struct routing *a, const struct routing *b)
{
	return equal_rows(a, b) == a->topo->fabric->n_switches;
}

static void test_reasons(void **state)
{
	AUTO_SESSION struct session *s = random_fabric("random:12,4,hosts=2,parallel=2,seed=3");

	assert_string_equal(now(s)->scratch_reason, "first sweep");
	assert_int_equal(now(s)->number, 0);
	ok_line(s, "sweep");
	assert_false(now(s)->from_scratch);
	assert_int_equal(now(s)->number, 1);
	ok_line(s, "fail random 2 seed=1");
	assert_false(now(s)->from_scratch);
	ok_line(s, "sweep");
	assert_false(now(s)->from_scratch);
	ok_line(s, "restore all");
	assert_non_null(strstr(now(s)->scratch_reason, "came up"));
	ok_line(s, "reroute");
	assert_non_null(strstr(now(s)->scratch_reason, "reroute"));
}

/* The sweep shares rows that came out as they were, whichever engine made them. */
static uint32_t check_sharing(const char *spec, const char *route)
{
	AUTO_SESSION struct session *s = random_fabric(spec);
	uint32_t shared = 0;

	ok_line(s, route);
	const struct routing *a = session_routing(s);
	ok_line(s, "sweep");
	const struct routing *b = session_routing(s);
	assert_ptr_not_equal(a, b);
	for (uint32_t sw = 0; sw < s->fabric->n_switches; sw++)
		assert_ptr_equal(a->row[sw], b->row[sw]); /* nothing happened: nothing is copied */
	ok_line(s, "fail random 1 seed=1");
	b = session_routing(s);
	for (uint32_t sw = 0; sw < s->fabric->n_switches; sw++)
		shared += a->row[sw] == b->row[sw];
	assert_int_equal(shared, equal_rows(a, b));
	return shared;
}

static void test_sharing(void **state)
{
	static const char *const routes[] = {"route minhop",	   "route minhop lmc=1", "route updn",
					     "route dnup",	   "route dor",		 "route lash",
					     "route mincontention"};

	for (size_t i = 0; i < ARRAY_LEN(routes); i++)
		check_sharing("random:20,4,hosts=2,parallel=2,seed=5", routes[i]);
	check_sharing("xgft:4,4,4:1,2,4", "route ftree");
	assert_true(check_sharing("random:20,4,hosts=2,parallel=2,seed=5", "route minhop") > 0);
}

/* Down and up again ends with the original tables; down twice equals down at once in reach, not in tables. */
static void test_restoring(void **state)
{
	uint64_t seed = test_seed();

	for (int i = 0; i < 5; i++) {
		AUTO_FREE char *spec = str_printf("random:15,4,hosts=2,parallel=2,shuffle=1,seed=%u",
						  rng_below(&seed, 99999));

		AUTO_SESSION struct session *s = random_fabric(spec);
		const struct routing *first = session_routing(s);
		ok_linef(s, "fail random 3 seed=%u", rng_below(&seed, 99999));
		ok_line(s, "restore all");
		assert_true(tables_equal(first, session_routing(s)));
	}
}

/* LIDs of what left stay reserved, and come back. */
static void test_lids_stay(void **state)
{
	AUTO_SESSION struct session *s = random_fabric("xgft:3,3:1,2");
	struct err e;
	unsigned lid, again;
	uint32_t ep = session_endport(s, "node0005", &lid, &e);
	uint16_t top = now(s)->lids->max_lid;

	assert_true(lid > 0);
	ok_line(s, "fail host node0005");
	assert_int_equal(now(s)->lids->base[ep], 0);
	assert_int_equal(now(s)->lids->max_lid, top);
	for (uint32_t sw = 0; sw < s->fabric->n_switches; sw++)
		assert_int_equal(routing_port(session_routing(s), sw, lid), NO_PATH);
	ok_line(s, "restore host node0005");
	session_endport(s, "node0005", &again, &e);
	assert_int_equal(again, lid);
}

static void test_chain(void **state)
{
	AUTO_SESSION struct session *s = random_fabric("xgft:3,3:1,2");

	line_says(s, "route minhop,bogus", "minhop routed");
	line_says(s, "route bogus,minhop", "does not know the engine");
	line_says(s, "route minhop,no_fallback", "minhop routed");
}

static size_t no_room(const struct engine_input *in, const char **what)
{
	*what = "what the first needs";
	return SIZE_MAX / 4;
}

static size_t no_room_either(const struct engine_input *in, const char **what)
{
	*what = "what the second needs";
	return SIZE_MAX / 4;
}

static struct routing *never(const struct engine_input *in, struct engine_output *out)
{
	fail_msg("an engine was asked for whose tables have no room");
	return NULL;
}

/* Where an engine has no memory, no other takes its place: it would have routed. */
static void test_no_memory(void **state)
{
	static const struct engine first = {.name = "first", .route = never, .room = no_room},
				   second = {.name = "second", .route = never, .room = no_room_either};
	const struct engine *list[] = {&first, &second, engine_find(all_engines, "minhop"), NULL};
	static const char *const lines[] = {"route first,second", "route first,minhop", "route first"};
	AUTO_SESSION struct session *s = session_new(list, all_commands);

	ok_line(s, "synth xgft:3,3:1,2");
	for (size_t i = 0; i < ARRAY_LEN(lines); i++)
		line_fails(s, lines[i], "what the first needs");
	line_fails(s, "route second,first", "what the second needs");
	assert_null(session_sweep(s));
}

static void test_manager_moves(void **state)
{
	AUTO_SESSION struct session *s = random_fabric("xgft:3,3:1,2");

	line_says(s, "fail switch leaf-01", "standby");
	assert_true(now(s)->topo->sm_moved);
	assert_true(now(s)->from_scratch);
	ok_line(s, "check"); /* what is left is routed */
	assert_int_equal(now(s)->topo->n_switches_up, 4);
}

/* A standby has tables as long as before, and without honor_guid2lid_file forgets what left; a restart does
 * not. */
static void test_standby(void **state)
{
	AUTO_SESSION struct session *s = random_fabric("ring:5,hosts=2");
	uint16_t top = now(s)->lids->max_lid;

	ok_line(s, "fail host node0009");
	line_says(s, "show lids", "1 range reserved");
	ok_line(s, "failover node0002");
	assert_true(now(s)->from_scratch);
	assert_int_equal(now(s)->lids->max_lid, top);
	line_says(s, "show lids", "0 ranges reserved");
	line_fails(s, "failover node0002", "the subnet manager runs on node0002 already");
	line_fails(s, "failover node0009", "node0009 has no port that the subnet manager reaches");
	ok_line(s, "undo; set honor_guid2lid_file TRUE; failover node0003");
	line_says(s, "show lids", "1 range reserved");
	ok_line(s, "failover node0002 down");
	line_says(s, "show lids", "2 ranges reserved");
	line_says(s, "journal", "failover node0002 down");
	ok_line(s, "restart");
	line_says(s, "show lids", "not there: reserved");
	ok_line(s, "restart guid2lid_file=/dev/null");
	line_says(s, "show lids", "0 ranges reserved");
	ok_line(s, "reset");
	assert_int_equal(now(s)->topo->sm_endport, s->loaded->sm_endport);
}

/* The subnet manager moves in mid-session: what failed stays so, and it can be undone. */
static void test_place_set(void **state)
{
	AUTO_SESSION struct session *s = random_fabric("ring:5,hosts=2");
	uint32_t place = now(s)->topo->sm_endport;

	ok_line(s, "fail host node0009; set guid node0002");
	line_says(s, "journal", "fail host node0009");
	assert_int_not_equal(now(s)->topo->sm_endport, place);
	assert_int_equal(now(s)->topo->n_endports_up, s->fabric->n_endports - 1);
	ok_line(s, "undo");
	assert_int_equal(now(s)->topo->sm_endport, place);
	line_says(s, "show lids", "1 range reserved");
}

/* A flapped link makes the sweep start from scratch though nothing seems to differ. */
static void test_flap(void **state)
{
	AUTO_SESSION struct session *s = random_fabric("random:12,4,hosts=2,parallel=2,seed=9");
	const struct routing *first = session_routing(s);

	ok_line(s, "fail random 2 seed=8; restore all");
	assert_true(tables_equal(first, session_routing(s)));
	ok_line(s, "flap 0x0002c90300a00000[1]");
	assert_non_null(strstr(now(s)->scratch_reason, "came up"));
}

/* One switch without a table by LIDs, whichever it is, ends OpenSM. */
static void test_no_table(void **state)
{
	for (unsigned k = 0; k < 3; k++) {
		struct fabric_builder *b = fb_new();

		for (unsigned i = 0; i < 3; i++) {
			AUTO_FREE char *name = str_printf("s%u", i);

			fb_add(b, NODE_SWITCH, 0x1000 + i, 4, name);
		}
		for (unsigned i = 0; i < 2; i++)
			assert_true(fb_link(b, i, 1, i + 1, 2));
		b->node[k].fdb_cap = 0;
		AUTO_SESSION struct session *s = session_on(built(b));
		line_says(s, "route minhop", "has LinearFDBCap 0, no table by LIDs");
	}
}

static struct sweep *again_with(const struct sweep *w, unsigned threads)
{
	struct err e;
	struct sweep *again = sweep_run(
		&(struct sweep_request){
			.setup = w->setup, .engines = all_engines, .prev = w->prev, .threads = threads},
		&e);

	assert_non_null(again);
	return again;
}

/* Tables do not depend on the threads that fill them, in a first sweep and after a failure. */
static void test_threads(void **state)
{
	static const char *const engine[] = {"minhop", "updn", "dnup", "dor"};
	static const char *const options[] = {"", " lmc=2", " port_shifting=TRUE", " scatter_ports=7"};

	uint64_t seed = test_seed();

	for (size_t i = 0; i < ARRAY_LEN(engine) * ARRAY_LEN(options); i++) {
		if (!test_drawn(seed, i, 3))
			continue;
		AUTO_SESSION struct session *s = random_fabric("random:40,5,hosts=3,parallel=2,seed=5");
		const struct sweep *w;

		ok_linef(s, "route %s%s", engine[i / 4], options[i % 4]);
		ok_line(s, "fail random 3 seed=2");
		for (w = now(s); w; w = w->prev) {
			AUTO_SWEEP struct sweep *alone = again_with(w, 0);

			for (unsigned threads = 1; threads <= 8; threads++) {
				AUTO_SWEEP struct sweep *again = again_with(w, threads);

				assert_true(tables_equal(again->routing, alone->routing));
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_table),  cmocka_unit_test(test_reasons),
		cmocka_unit_test(test_sharing),	  cmocka_unit_test(test_restoring),
		cmocka_unit_test(test_lids_stay), cmocka_unit_test(test_chain),
		cmocka_unit_test(test_no_memory), cmocka_unit_test(test_manager_moves),
		cmocka_unit_test(test_standby),	  cmocka_unit_test(test_place_set),
		cmocka_unit_test(test_flap),	  cmocka_unit_test(test_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
