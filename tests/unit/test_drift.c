/*
 * drift: classes of entries against figures worked out by hand or checked with OpenSM 3.3.23
 * (tests/parity/run.py does that anew in each run), and which engine made tables.
 */
#include "fixture.h"

#include "core/analysis/compare/drift.h"
#include "core/base/cursor.h"
#include "core/base/json.h"
#include "core/base/rng.h"

#define DEMO "load tests/fabrics/demo-3level.ibnet"
#define SMALL "set port_guids ibsim; synth xgft:2,2:1,2"

static char *dump; /* the file of tables */

/* Lines with the name of the file of tables at %s. */
static void with_dump(struct session *s, const char *fmt)
{
	ok_linef(s, fmt, dump); // NOLINT(clang-diagnostic-format-nonliteral)
}

/* Tables of a fresh run. */
static void make_tables(const char *fabric, const char *route)
{
	AUTO_SESSION struct session *s = make_session(fabric);

	ok_line(s, route);
	with_dump(s, "export lfts %s");
}

/* The object of `drift ...`; *fault: it found something. */
static json_t *drift_object(struct session *s, const char *line, bool *fault)
{
	struct err e;
	int rc;
	AUTO_FREE char *text = run_line(s, line, &rc, &e, true, fault);
	json_t *o = json_loads(text, 0, NULL);

	if (rc || !o)
		fail_msg("%s: %s: %s", line, e.msg, text);
	return o;
}

static const char *word_of(const json_t *o, const char *key)
{
	return json_string_value(json_object_get(o, key));
}

/* Counts in the order of enum drift_class. */
static void expect_classes(struct session *s, const char *line, const unsigned long *want)
{
	bool fault = false;
	json_auto_t *o = drift_object(s, line, &fault);
	json_t *classes = json_object_get(o, "classes");
	unsigned long wrong =
		want[DRIFT_UNKNOWN] + want[DRIFT_MISSING] + want[DRIFT_DEAD] + want[DRIFT_RESTART];

	for (unsigned c = 0; c < DRIFT_CLASSES; c++) {
		json_int_t got = json_integer_value(json_object_get(classes, drift_word[c]));

		if ((unsigned long)got != want[c])
			fail_msg("%s: %s %ld, expected %lu", line, drift_word[c], (long)got, want[c]);
	}
	assert_int_equal(fault, wrong > 0);
}

/* --- small changes by hand --------------------------------------------------------------------------- */

static void by_hand(void **state)
{
	static const struct {
		const char *sw;
		unsigned lid, port;
		unsigned long want[DRIFT_CLASSES];
		int would; /* of the entry told first; -1 = none is told */
		const char *why;
	} cases[] = {
		{"leaf-02", 2, 3, {0, 0, 0, 0, 32, 0}, -1, NULL},
		{"leaf-02", 2, 4, {0, 0, 0, 0, 31, 1}, 4, "first of equals"},
		{"leaf-02", 2, 1, {0, 0, 1, 0, 31, 0}, 3, "it leads to a port that does not have the LID"},
		{"leaf-02", 2, 0, {0, 0, 1, 0, 31, 0}, 3, "port 0, but the LID is not the switch's"},
		{"leaf-02", 2, 77, {0, 0, 1, 0, 31, 0}, 3, "the switch has no such port"},
		{"spine-01", 2, 2, {0, 0, 0, 1, 31, 0}, 1, "only candidate"},
		{"leaf-02", 2, NO_PATH, {0, 1, 0, 0, 31, 0}, 3, "first of equals"},
		{"leaf-02", 99, 3, {1, 0, 0, 0, 32, 0}, NO_PATH, "no port has the LID"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		make_tables(SMALL, "route minhop");
		dump_change_entry(dump, cases[i].sw, cases[i].lid, cases[i].port);
		AUTO_SESSION struct session *s = make_session(SMALL);
		with_dump(s, "tables %s");
		expect_classes(s, "drift minhop", cases[i].want);
		json_auto_t *o = drift_object(s, "drift minhop all", NULL);
		const json_t *first = json_array_get(json_object_get(o, "entries"), 0);
		assert_int_equal(first != NULL, cases[i].would >= 0);
		if (first) {
			assert_int_equal(json_integer_value(json_object_get(first, "would")), cases[i].would);
			assert_int_equal(json_integer_value(json_object_get(first, "lid")), cases[i].lid);
			assert_string_equal(word_of(first, "switch"), cases[i].sw);
			assert_string_equal(word_of(first, "why"), cases[i].why);
		}
	}
}

/* --- what fails behind the subnet manager's back ----------------------------------------------- */

static void no_sweep_yet(void **state)
{
	static const struct {
		const char *fabric, *route, *fails, *drift;
		unsigned long want[DRIFT_CLASSES];
	} cases[] = {
		{SMALL, "route minhop", "fail link leaf-02[3]", "drift minhop", {0, 0, 6, 2, 24, 0}},
		{SMALL, "route minhop", "fail host node0003", "drift minhop", {0, 0, 4, 0, 24, 4}},
		{SMALL,
		 "route minhop",
		 "fail host node0003",
		 "drift minhop use_ucast_cache=TRUE",
		 {0, 0, 0, 0, 24, 8}},
		{DEMO, "route minhop", "fail link leaf-03[6]", "drift minhop", {0, 0, 28, 15, 5243, 90}},
		{DEMO, "route updn", "fail link leaf-03[6]", "drift updn", {0, 396, 28, 522, 3530, 480}},
		{DEMO, "route minhop", "fail switch spine-01", "drift minhop", {0, 0, 347, 225, 4416, 276}},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		make_tables(cases[i].fabric, cases[i].route);
		AUTO_SESSION struct session *s = make_session(cases[i].fabric);
		with_dump(s, "tables %s");
		ok_line(s, cases[i].fails);
		expect_classes(s, cases[i].drift, cases[i].want);
	}
}

static void table_of_what_is_gone(void **state)
{
	make_tables(DEMO, "route minhop");
	AUTO_SESSION struct session *s = make_session(DEMO);
	with_dump(s, "tables %s");
	ok_line(s, "fail switch spine-01");
	line_says(s, "drift minhop", "1 table of switches that are gone: not judged");
	line_says(s, "drift minhop",
		  "Port states unknown: if a port came up since the last sweep, the 276 kept entries");
}

/* Without `all` 20 entries are in JSON, and the text has only their causes. */
static void many(void **state)
{
	AUTO_SESSION struct session *s = make_session("synth torus:5x5; route minhop");
	json_auto_t *all = drift_object(s, "drift dfsssp all", NULL);
	json_auto_t *some = drift_object(s, "drift dfsssp", NULL);
	json_t *x;
	json_int_t entries = 0;
	size_t i, n = json_array_size(json_object_get(all, "entries")), lines = 0, faults = 0;

	json_array_foreach(json_object_get(all, "entries"), i, x) faults +=
		strcmp(word_of(x, "class"), "kept") != 0;
	assert_int_equal(json_array_size(json_object_get(some, "entries")), 20);
	json_array_foreach(json_object_get(some, "causes"), i, x) entries +=
		json_integer_value(json_object_get(x, "entries"));
	assert_int_equal(entries, faults);
	line_lacks(s, "drift dfsssp", "\n! ");
	line_says(s, "drift dfsssp", "\n  rule    dfsssp: ");
	AUTO_FREE char *text = line_output(s, "drift dfsssp all", false);
	for (const char *p = text; (p = strstr(p, "\n! ")); p++)
		lines++;
	assert_int_equal(lines, n);
}

/* After each event the engine's own tables are right or kept, whatever happened before. */
static void own_tables(void **state)
{
	static const char *const fabrics[] = {"synth xgft:3,4,3:1,2,3", "synth torus:4x4",
					      "synth dragonfly:3,1,2"};
	static const char *const engines[] = {"minhop", "updn", "dnup", "dor", "ftree"};
	uint64_t rng = test_seed();

	for (size_t i = 0; i < ARRAY_LEN(fabrics); i++) {
		AUTO_SESSION struct session *s = make_session(fabrics[i]);

		ok_linef(s, "route %s", engines[rng_below(&rng, ARRAY_LEN(engines))]);
		for (unsigned n = 0; n < 4; n++) {
			bool fault = true;

			ok_linef(s, "fail random 1 seed=%u", (unsigned)rng_below(&rng, 1000));
			const char *line = line_of("drift %s", session_sweep(s)->setup->chain);
			json_auto_t *o = drift_object(s, line, &fault);
			if (fault)
				fail_msg("%s: drift on %s: %s", line, fabrics[i], json_dumps(o, 0));
			assert_float_equal(json_number_value(json_object_get(o, "agreement")), 1, 0);
		}
	}
}

/* --- which engine? ----------------------------------------------------------------------------- */

static bool same_tables(struct session *s, const char *engine)
{
	AUTO_FREE char *text = line_output(s, line_of("snapshot held; route %s; diff held", engine), false);

	return strstr(text, " 0 entries on 0 switches changed") != NULL;
}

static void named(void **state)
{
	static const char *const fabrics[] = {"synth torus:4x4,hosts=2", "synth xgft:3,4,3:1,2,3",
					      "synth random:12,4,seed=%u",
					      /* minhop needs 5 % of kept entries for the tables of dfsssp */
					      "synth random:12,4,seed=320"};
	static const char *const engines[] = {"minhop", "updn", "dnup", "ftree", "lash",
					      "dfsssp", "sssp", "nue",	"dor"};
	uint64_t seed = test_seed();

	for (size_t i = 0; i < ARRAY_LEN(fabrics) * ARRAY_LEN(engines); i++) {
		const char *engine = engines[i % ARRAY_LEN(engines)];
		const char *fabric =
			line_of(fabrics[i / ARRAY_LEN(engines)], (unsigned)(seed % 1000)); // NOLINT

		make_tables(fabric, line_of("route %s", engine));
		AUTO_SESSION struct session *s = make_session(fabric);
		with_dump(s, "tables %s");
		json_auto_t *o = drift_object(s, "drift", NULL);
		const char *was = word_of(json_array_get(json_object_get(o, "engines"), 0), "engine");
		assert_float_equal(json_number_value(json_object_get(o, "agreement")), 1, 0);
		if (strcmp(was, engine) && !same_tables(s, was))
			fail_msg("%s: tables of %s are said to be of %s", fabric, engine, was);
	}
}

static void not_explained(void **state)
{
	make_tables("synth torus:5x5", "route lash");
	AUTO_SESSION struct session *s = make_session("synth torus:5x5");
	with_dump(s, "tables %s");
	line_says(s, "drift minhop", "agreement 1.0000"); /* keeps what is least */
	dump_change_entry(dump, "t22", 1, 1);
	dump_change_entry(dump, "t22", 1, 4);
	json_decref(drift_object(s, "drift", NULL));
	line_fails(s, "drift nonsense", "no engine of \"nonsense\" is known");
	line_fails(s, "drift minhop what", "found \"what\", expected OPTION=VALUE or \"all\"");
	line_fails(s, "drift minhop colour=red", "unknown option \"colour\"");
	ok_line(s, "synth ring:4");
	line_fails(s, "drift minhop", "no tables are known");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_hand),
		cmocka_unit_test(no_sweep_yet),
		cmocka_unit_test(table_of_what_is_gone),
		cmocka_unit_test(many),
		cmocka_unit_test(own_tables),
		cmocka_unit_test(named),
		cmocka_unit_test(not_explained),
	};

	dump = temp_file("");
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	temp_remove(&dump);
	return failed;
}
