/*
 * Whose rule tables follow, up to ties: classes against counts made by hand, and engines named from the
 * tables that they made, with ties by the lowest port and drawn, healthy and with entries that a sweep kept.
 * tests/parity/confusion.py does the same with the tables of the real OpenSM.
 */
#include "fixture.h"

#include "core/analysis/compare/drift.h"
#include "core/analysis/compare/follow.h"

#define SMALL "set port_guids ibsim; synth xgft:2,2:1,2"

static char *dump; /* the file of tables */

static struct follow *follow_session(struct session *s, const char *engine)
{
	struct err e;
	struct follow *f = follow_run(session_sweep(s), engine, NULL, &e);

	if (!f)
		fail_msg("%s", e.msg);
	return f;
}

/* --- classes ------------------------------------------------------------------------------------------ */

/* Two leaves and two spines, two hosts on each leaf: 4 switches x 8 LIDs.  A leaf has two ports to the three
 * LIDs at the other leaf, a spine two to the other spine: 8 choices. */
static void classes(void **state)
{
	static const struct {
		const char *sw;
		unsigned lid, port;
		const char *engine;
		uint64_t n[FOLLOW_CLASSES];
	} cases[] = {
		/*				only first least main cable down hub lawful longer against ...
		 */
		{"", 0, 0, "minhop", {24, 8}},
		{"", 0, 0, "ar_updn", {24, 6, 0, 0, 0, 0, 2}},
		{"", 0, 0, "ftree", {24, 0, 0, 6, 0, 0, 2}},
		{"leaf-02", 2, 1, "minhop", {24, 7, 0, 0, 0, 0, 0, 0, 0, 1}},
		{"leaf-02", 2, NO_PATH, "minhop", {24, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}},
		{"spine-01", 2, 2, "updn", {23, 5, 1, 0, 0, 0, 2, 0, 0, 1}},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_SESSION struct session *s = make_session(SMALL "; route minhop");

		ok_linef(s, "export lfts %s", dump);
		if (*cases[i].sw)
			dump_change_entry(dump, cases[i].sw, cases[i].lid, cases[i].port);
		ok_linef(s, "tables %s", dump);
		AUTO_ARENA struct follow *f = follow_session(s, cases[i].engine);
		for (unsigned c = 0; c < FOLLOW_CLASSES; c++)
			if (f->try[0].n[c] != cases[i].n[c] && c != FOLLOW_FIRST && c != FOLLOW_LEAST &&
			    c != FOLLOW_ONLY)
				fail_msg("%zu: %s: %s: %" PRIu64 ", expected %" PRIu64, i, cases[i].engine,
					 follow_word[c], f->try[0].n[c], cases[i].n[c]);
		assert_int_equal(follow_entries(&f->try[0]), 32);
		assert_int_equal(f->n_entries, follow_broken(&f->try[0]) + f->try[0].n[FOLLOW_LAWFUL]);
		if (f->try[0].n[FOLLOW_HUB])
			assert_string_equal(switch_name(f->fabric, f->try[0].hub), "leaf-01");
	}
}

/* --- engines -------------------------------------------------------------------------------------------- */

static const char *const fabrics[] = {
	"xgft:4,6:1,4", "xgft:4,4,3:1,2,3", "torus:4x4", "mesh:5x4", "random:16,4", "xgft:5,3:1,4", "ring:8",
};

/*
 * Is the engine that made the tables in force, or nothing else, shorter by more than the margin?  fresh: each
 * entry keeps to its rule, too.
 */
static bool engine_found(struct session *s, const char *engine, bool fresh, const char *what)
{
	AUTO_ARENA struct follow *f = follow_session(s, NULL);
	const struct follow_try *t = follow_find(f, engine);
	AUTO_TEXT struct text verdict = {0};
	const struct follow_known known = {.n_exact = 0};

	follow_tell(f, &known, &verdict);
	if (!t && !strcmp(engine, "dor"))
		return true; /* without a choice anywhere it is minhop */
	if (fresh && (!t || follow_broken(t)))
		fail_msg("%s: %" PRIu64 " entries break its rule", what, t ? follow_broken(t) : 0);
	if (strncmp(text_str(&verdict), "These tables follow", 19) != 0)
		fail_msg("%s: %s", what, text_str(&verdict));
	if (strstr(text_str(&verdict), "would choose") || strstr(text_str(&verdict), "will change"))
		fail_msg("%s: foretells a choice: %s", what, text_str(&verdict));
	bool found = t && t->bits < f->try[0].bits + FOLLOW_MARGIN;
	if (!found)
		print_message("%s%s: %s needs %.1f bits, %s %.1f\n", what, fresh ? "" : ", kept", engine,
			      t ? t->bits : -1, f->try[0].engine, f->try[0].bits);
	return found;
}

static void own_engines(void **state)
{
	static const char *const engine[] = {"minhop", "updn", "dor", "ftree"};
	const uint64_t seed = test_seed();
	uint64_t r = seed;
	unsigned n[2] = {0}, right[2] = {0}; /* fresh tables, and those after a cut */

	for (size_t i = 0; i < ARRAY_LEN(fabrics) * ARRAY_LEN(engine) * 2; i++) {
		const char *fabric = fabrics[i / 2 % ARRAY_LEN(fabrics)],
			   *e = engine[i / 2 / ARRAY_LEN(fabrics)];
		unsigned seeds[] = {rng_below(&r, 1000), rng_below(&r, 1000)};
		AUTO_FREE char *what = str_printf(
			"SEED=%" PRIu64 ": %s, fail random 1 seed=%u, %s scatter_ports=%u, then seed=%u",
			seed, fabric, seeds[0], e, i % 2 ? 8u : 0u, seeds[1]);
		AUTO_SESSION struct session *s = make_session("");

		ok_linef(s, "synth %s; fail random 1 seed=%u", fabric, seeds[0]);
		ok_linef(s, "route %s scatter_ports=%u", e, i % 2 ? 8u : 0u);
		if (strcmp(session_routing(s)->engine, e) != 0)
			continue; /* it refuses */
		n[0]++;
		right[0] += engine_found(s, e, true, what);
		ok_linef(s, "fail random 1 seed=%u", seeds[1]);
		if (!session_routing(s) || strcmp(session_routing(s)->engine, e) != 0)
			continue;
		n[1]++;
		right[1] += engine_found(s, e, false, what);
	}
	print_message("fresh %u of %u, after a cut %u of %u\n", right[0], n[0], right[1], n[1]);
	assert_true(n[0] >= 20 && right[0] + 2 >= n[0] && right[1] * 4 >= n[1] * 3);
}

/* --- the verdict ------------------------------------------------------------------------------------------
 */

static void verdicts(void **state)
{
	static const struct {
		const char *lines, *says;
		struct follow_known known;
	} cases[] = {
		{SMALL "; route minhop", "which cannot be told apart on this fabric", {.n_exact = 0}},
		{SMALL "; route minhop",
		 "(by levels), which the log names: its rule allows 30 entries",
		 {.named = "ftree", .by = "the log"}},
		{SMALL "; route minhop",
		 "follow dfp2, which the log names; its choices",
		 {.named = "dfp2", .by = "the log"}},
		{"synth torus:5x5; route dor",
		 "These tables follow dor, although the log names updn: ",
		 {.named = "updn", .by = "the log"}},
		{"synth torus:5x5; route minhop scatter_ports=8",
		 "whether a restart draws the same is not judged",
		 {.n_exact = 0}},
		{"synth torus:5x5; route minhop",
		 "These tables follow minhop: OpenSM 3.3.23 computes every entry",
		 {.exact = {"minhop"}, .n_exact = 1}},
		/* hosts left, so what was kept is no longer the least loaded */
		{"synth xgft:4,4,3:1,2,3; fail random 1 seed=331; route updn; fail random 1 seed=183",
		 "cannot be told apart",
		 {.n_exact = 0}},
		/* no switch must climb */
		{"load tests/fabrics/formats/side-links.ibnetdiscover; route minhop",
		 "These tables follow",
		 {.n_exact = 0}},
	};

	AUTO_SESSION struct session *refused = make_session("synth ring:4; route minhop");
	line_fails(refused, "judge ftree", "no roots are known");
	line_fails(refused, "judge lash", "found \"lash\", expected minhop");
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_SESSION struct session *s = make_session(cases[i].lines);
		AUTO_ARENA struct follow *f = follow_session(s, NULL);
		AUTO_TEXT struct text t = {0};

		follow_tell(f, &cases[i].known, &t);
		if (!strstr(text_str(&t), cases[i].says))
			fail_msg("%s: \"%s\" is not in: %s", cases[i].lines, cases[i].says, text_str(&t));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(classes),
		cmocka_unit_test(own_engines),
		cmocka_unit_test(verdicts),
	};

	dump = temp_file("");
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	temp_remove(&dump);
	return failed;
}
