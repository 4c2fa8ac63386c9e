/* Panes of sssp, dfsssp and nue, listed without a screen: they agree with the engines' own tables. */
#include "engines/dfsssp/dfsssp.h"
#include "engines/nue/nue.h"
#include "fixture.h"
#include "tests/unit/weights.h"

static const struct routing *routing_of(const struct session *s)
{
	struct scene sc = {0};

	scene_take(&sc, (struct session *)(uintptr_t)s);
	const struct routing *r = scene_routing(&sc);
	scene_release(&sc);
	return r; /* the session has it */
}

/* The object that a line prints; *rows of it. */
static json_t *list(struct session *s, const char *line, json_t **rows)
{
	struct err e;
	int rc;
	AUTO_FREE char *text = run_line(s, line, &rc, &e, true, NULL);
	json_t *o = json_loads(text, 0, NULL);

	if (rc || !o)
		fail_msg("%s: %s", line, e.msg);
	*rows = json_object_get(o, "rows");
	return o;
}

static json_int_t number(const json_t *row, const char *column)
{
	const json_t *n = json_object_get(row, column);

	if (!json_is_integer(n))
		fail_msg("%s is no number", column);
	return json_integer_value(n);
}

/* --- weights ------------------------------------------------------------------------------- */

/* Sum over the links as the engine has it in the end. */
static uint64_t engine_growth(const struct routing *r, uint32_t *links)
{
	const struct fabric *f = r->topo->fabric;
	uint64_t sum = 0;

	*links = 0;
	for (uint32_t sw = 0; sw < f->n_switches; sw++)
		for (unsigned n = 1; n <= f->switch_nports[sw]; n++) {
			uint32_t port = switch_port_id(f, sw, n), peer = r->topo->peer[port];

			if (peer == NO_ID || !node_is_switch(f, f->port_node[peer]))
				continue;
			++*links;
			sum += nue_of(r) ? nue_weight_growth(nue_of(r), sw, n)
					 : dfsssp_weight(dfsssp_of(r), port) -
						   dfsssp_start_weight(dfsssp_of(r));
		}
	return sum;
}

/* One link by one what the tables add up to is what the run's weights became. */
static void expect_growth_by_link(const struct routing *r)
{
	const struct fabric *f = r->topo->fabric;
	uint32_t *growth = NEW_ARRAY(f->n_ports, uint32_t), n;
	AUTO_FREE uint16_t *lid = nue_destinations(r, &n);

	assert_true(nue_add_routes(r, (struct lids_part){lid, 0, n / 2}, growth, NULL));
	assert_true(nue_add_routes(r, (struct lids_part){lid, n / 2, n}, growth, NULL));
	for (uint32_t sw = 0; sw < f->n_switches; sw++)
		for (unsigned k = 1; k <= f->switch_nports[sw]; k++)
			assert_int_equal(growth[switch_port_id(f, sw, k)],
					 nue_weight_growth(nue_of(r), sw, k));
	free(growth);
}

static void weights_end_where_the_run_ended(void **state)
{
	static const char *const route[] = {
		"sssp",
		"dfsssp qos=TRUE",
		"nue nue_max_num_vls=3 qos=TRUE",
		"nue nue_include_switches=TRUE",
		"sssp lmc=1",
	};

	for (size_t i = 0; i < ARRAY_LEN(route); i++) {
		AUTO_SESSION struct session *s = session_after("synth torus:4x4; route %s", route[i]);
		const struct routing *r = routing_of(s);
		uint64_t sum = 0;
		uint32_t links;
		json_t *rows, *row, *o = list(s, "list weights", &rows);
		size_t k;

		json_array_foreach(rows, k, row) sum += (uint64_t)number(row, "growth");
		assert_int_equal(sum, engine_growth(r, &links));
		assert_true(sum > 0);
		assert_int_equal(json_array_size(rows), links);
		json_decref(o);
		o = list(s, "list weights t11", &rows);
		assert_int_equal(json_array_size(rows), 4);
		json_decref(o);
		if (nue_of(r))
			expect_growth_by_link(r);
	}
}

/* --- dfsssp ---------------------------------------------------------------------------------- */

static void cuts_moved_what_is_above(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth torus:4x4; route dfsssp qos=TRUE");
	const struct dfsssp *d = dfsssp_of(routing_of(s));
	int64_t moved[DS_MAX_LAYERS + 2] = {0};
	json_t *rows, *row, *o = list(s, "list cuts", &rows), *below, *p;
	size_t k, i;

	assert_true(json_array_size(rows) > 0);
	json_array_foreach(rows, k, row)
	{
		json_int_t layer = number(row, "layer"), pairs = 0;
		char line[64];

		moved[layer + 1] += number(row, "moved");
		snprintf(line, sizeof(line), "list cuts %d %d", (int)layer, (int)number(row, "cycle"));
		json_decref(list(s, line, &below));
		snprintf(line, sizeof(line), "list moved %d %d", (int)layer, (int)number(row, "cycle"));
		p = list(s, line, &below);
		json_array_foreach(below, i, row) pairs += number(row, "pairs");
		json_decref(p);
		assert_int_equal(pairs, number(json_array_get(rows, k), "moved"));
	}
	/* what came up and did not go on is there still */
	for (unsigned l = 1; l < dfsssp_layers(d); l++)
		assert_int_equal(moved[l] - moved[l + 1], d->layers->count[l]);
	json_decref(o);
	line_says(s, "list cuts 0 1", "*");
	line_says(s, "list cuts 0 9999", "layer 0 has no cycle 9999");
	line_says(s, "list moved 14 1", "layer 14 has no cycle 1");
}

/* --- nue --------------------------------------------------------------------------------------- */

static void layers_of_nue(void **state)
{
	AUTO_SESSION struct session *s =
		session_after("synth torus:4x4; route nue nue_max_num_vls=3 qos=TRUE");
	const struct nue *n = nue_of(routing_of(s));
	json_t *rows, *row, *o = list(s, "list nue-layers", &rows), *p;
	uint32_t turns = 0;
	size_t k;

	assert_int_equal(json_array_size(rows), 3);
	json_array_foreach(rows, k, row)
	{
		json_t *tree, *blocked;
		char line[64];

		snprintf(line, sizeof(line), "list escape %zu", k);
		p = list(s, line, &tree);
		assert_int_equal(json_array_size(tree), 16);
		assert_string_equal(json_string_value(json_object_get(json_array_get(tree, 0), "switch")),
				    json_string_value(json_object_get(row, "central switch")));
		json_decref(p);
		snprintf(line, sizeof(line), "list restricted %zu", k);
		p = list(s, line, &blocked);
		assert_int_equal(json_array_size(blocked), nue_restrictions(n, k));
		assert_int_equal(number(row, "restricted"), nue_restrictions(n, k));
		turns += nue_restrictions(n, k);
		json_decref(p);
	}
	json_decref(o);
	o = list(s, "list restricted", &rows);
	assert_int_equal(json_array_size(rows), turns);
	json_decref(o);
	line_says(s, "list escape 3", "there is no layer 3, nue has 3 layers");
	line_says(s, "list detours 7", "there is no layer 7");
}

/* On a ring one layer cannot always go the shorter way round. */
static void detours_are_longer(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth ring:6; route nue");
	json_t *rows, *row, *o = list(s, "list detours", &rows);
	size_t k;

	assert_true(json_array_size(rows) > 0);
	json_array_foreach(rows, k, row)
	{
		assert_true(number(row, "links") > number(row, "least"));
		assert_int_equal(number(row, "links") - number(row, "least"), number(row, "more"));
	}
	json_decref(o);
}

/* --- the panes that all engines with layers have ------------------------------------------------- */

/* Rows of layer-pairs over all layers, and each with an end. */
static size_t expect_layers(struct session *s, size_t layers)
{
	json_t *rows, *o = list(s, "list layers", &rows), *row, *pairs;
	size_t n = 0, i;

	assert_int_equal(json_array_size(rows), layers);
	json_decref(o);
	for (size_t l = 0; l < layers; l++) {
		AUTO_FREE char *line = str_printf("list layer-pairs %zu", l);

		o = list(s, line, &pairs);
		json_array_foreach(pairs, i, row)
			assert_true(!json_object_get(row, "hops") || number(row, "hops") > 0);
		n += json_array_size(pairs);
		json_decref(o);
	}
	return n;
}

static void one_pane_for_all_engines(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth torus:4x4; route dfsssp qos=TRUE");
	const struct dfsssp *d = dfsssp_of(routing_of(s));
	json_t *rows, *row, *o = list(s, "list layers", &rows);
	json_int_t pairs = 0, moved = 0;
	size_t i;

	json_array_foreach(rows, i, row)
	{
		assert_int_equal(number(row, "pairs"), d->layers->count[i]);
		assert_string_equal(json_string_value(json_object_get(row, "loops")), "none");
		pairs += number(row, "pairs");
		moved += number(row, "moved");
	}
	assert_int_equal(pairs, number(json_array_get(rows, 0), "before"));
	assert_int_equal(moved, 0);
	json_decref(o);
	/* from 16 switches to 32 LIDs, those of their own left out */
	assert_int_equal(expect_layers(s, dfsssp_layers(d)), 16 * 30);
	line_says(s, "list layer-pairs 1", "CAs of");
	line_fails(s, "list layer-pairs 9", "expected a layer 0 .. 2");
	ok_line(s, "route nue nue_max_num_vls=4 qos=TRUE");
	assert_int_equal(expect_layers(s, 4), 16); /* switches are in no layer */
	ok_line(s, "route nue nue_max_num_vls=4 qos=TRUE nue_include_switches=TRUE");
	assert_int_equal(expect_layers(s, 4), 32);
	ok_line(s, "route lash qos=TRUE");
	assert_int_equal(expect_layers(s, 2), 16 * 15 / 2);
	ok_line(s, "route sssp");
	line_fails(s, "list layer-pairs 0", "lash, dfsssp and nue put routes in layers");
}

/* --- other engines, and tables that the unicast cache kept -------------------------------------- */

static void another_engine_is_in_force(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth torus:4x4; route minhop");

	line_says(s, "list weights", "sssp, dfsssp and nue weigh links");
	line_says(s, "list cuts", "needs layers of dfsssp");
	line_says(s, "list moved 0 1", "needs layers of dfsssp");
	line_says(s, "list nue-layers", "needs routes of nue");
	line_says(s, "list escape", "needs routes of nue");
	line_says(s, "list restricted", "needs routes of nue");
	line_says(s, "list detours", "needs routes of nue");
	ok_line(s, "route sssp");
	line_says(s, "list cuts", "needs layers of dfsssp");
}

static void kept_tables_have_their_run(void **state)
{
	AUTO_SESSION struct session *s =
		session_after("synth torus:4x4; route dfsssp qos=TRUE use_ucast_cache=TRUE");
	json_t *rows, *o = list(s, "list cuts", &rows);
	size_t cuts = json_array_size(rows);

	json_decref(o);
	ok_line(s, "fail host node0003");
	assert_null(dfsssp_of(routing_of(s))); /* the cache has put its own in front */
	o = list(s, "list cuts", &rows);
	assert_int_equal(json_array_size(rows), cuts);
	json_decref(o);
	o = list(s, "list weights", &rows);
	assert_int_equal(json_array_size(rows), 64);
	json_decref(o);
	o = list(s, "list moved 0 1", &rows);
	assert_true(json_array_size(rows) > 0);
	json_decref(o);
}

/* Of each engine with layers: as many rows before the cache as after it. */
static void kept_tables_have_their_layers(void **state)
{
	static const char *const engines[] = {"lash", "dfsssp", "nue nue_max_num_vls=3"};
	char route[100];

	for (size_t i = 0; i < ARRAY_LEN(engines); i++) {
		json_t *rows, *o;

		snprintf(route, sizeof(route), "%s qos=TRUE use_ucast_cache=TRUE", engines[i]);
		AUTO_SESSION struct session *s = session_after("synth torus:5x5; route %s", route);
		o = list(s, "list layers", &rows);
		size_t layers = json_array_size(rows);
		json_decref(o);
		assert_true(layers > 1);
		ok_line(s, "fail host node0003");
		assert_true(session_sweep(s)->cached);
		o = list(s, "list layers", &rows);
		assert_int_equal(json_array_size(rows), layers);
		json_decref(o);
		ok_line(s, "list layer-pairs 1");
		ok_line(s, "layers");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(weights_end_where_the_run_ended),
		cmocka_unit_test(cuts_moved_what_is_above),
		cmocka_unit_test(layers_of_nue),
		cmocka_unit_test(detours_are_longer),
		cmocka_unit_test(one_pane_for_all_engines),
		cmocka_unit_test(another_engine_is_in_force),
		cmocka_unit_test(kept_tables_have_their_run),
		cmocka_unit_test(kept_tables_have_their_layers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
