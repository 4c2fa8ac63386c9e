/*
 * Up/Down and Down/Up on fabrics without links between equal ranks: no forbidden
 * turn, no credit loop, ever; found by code that knows no engine.  Where such links
 * exist OpenSM's Up/Down may leave both, and then they must be found.
 */
#include "core/base/defs.h"
#include "core/base/rng.h"
#include "tests/unit/fixture.h"

#include "core/analysis/credit/cdg.h"
#include "core/analysis/credit/turns.h"
#include "engines/updown/updown.h"

static void count(const struct routing *r, uint64_t *turns, uint32_t *loops)
{
	AUTO_ARENA struct cdg *c = cdg_new(r, CDG_ALL_VLS, true, NULL, NULL);
	AUTO_BY(turns_free) struct turns t;

	assert_int_equal(turns_count(r, &t, NULL), 0);
	*turns = t.bad + t.switch_bad;
	*loops = c->n_components;
}

/* Route, fail some links, look again after each. */
static unsigned levelled_states(const char *spec, const char *engine, uint64_t *seed)
{
	AUTO_SESSION struct session *s = session_new(all_engines, all_commands);
	unsigned seen = 0;

	ok_linef(s, "synth %s; route %s", spec, engine);
	for (int i = 0; i < 5; i++) {
		const struct updown *u = updown_of(session_routing(s));
		uint64_t turns;
		uint32_t loops;

		if (u && !u->n_level) {
			count(session_routing(s), &turns, &loops);
			if (turns || loops)
				fail_msg("%s %s: %" PRIu64
					 " turns, %u loops though no link joins equal ranks",
					 spec, engine, turns, loops);
			seen++;
		}
		ok_linef(s, "fail random 1 seed=%u", rng_below(seed, 100000));
	}
	return seen;
}

static void test_no_cycles(void **state)
{
	static const char *const shapes[] = {"xgft:4,4:1,3", "xgft:3,3,3:1,2,2", "xgft:2,4,4:1,2,4",
					     "xgft:2,2,3,3:1,2,2,2", "xgft:4,6:1,3,parallel=2"};
	uint64_t seed = test_seed();
	unsigned seen = 0;
	char spec[120];

	for (size_t i = 0; i < ARRAY_LEN(shapes); i++)
		for (int k = 0; k < 3; k++) {
			snprintf(spec, sizeof(spec), "%s,shuffle=1,fail=%d,seed=%u", shapes[i], k,
				 rng_below(&seed, 100000));
			seen += levelled_states(spec, "updn", &seed);
			seen += levelled_states(spec, "dnup", &seed);
		}
	assert_true(seen > 40); /* the property was really looked at */
}

/* On a ring whose switches all have hosts Down/Up is Min Hop: its loop must be seen. */
static void test_loops_are_seen(void **state)
{
	AUTO_SESSION struct session *s = session_new(all_engines, all_commands);
	uint64_t turns;
	uint32_t loops;

	ok_line(s, "synth ring:6; route dnup");
	assert_true(updown_of(session_routing(s))->n_level > 0);
	count(session_routing(s), &turns, &loops);
	assert_true(loops > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_cycles),
					   cmocka_unit_test(test_loops_are_seen)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
