/* Routings of two fabrics compared: what is in both, as if it were one; journals that go on, snapshots that
 * stay. */
#include "core/base/rng.h"
#include "core/formats/readers.h"
#include "tests/unit/fixture.h"

static char *folder; /* of this program's files */

static struct session *session_of(const char *spec)
{
	return make_session(line_of("synth %s; route minhop", spec));
}

static void same_pairs(const struct comparison *x, const struct comparison *y)
{
	assert_int_equal(x->rerouted, y->rerouted);
	assert_int_equal(x->lost, y->lost);
	assert_int_equal(x->regained, y->regained);
	assert_int_equal(x->longer, y->longer);
	assert_int_equal(x->shorter, y->shorter);
	assert_int_equal(x->pairs, y->pairs);
	assert_true(x->mean_hops_before == y->mean_hops_before && x->mean_hops_after == y->mean_hops_after);
}

/* The same fabric loaded twice, and what happened to it in between. */
static void test_equal_fabrics(void **state)
{
	static const char *const specs[] = {"xgft:4,4:1,3", "torus:4x3,hosts=2", "random:12,4,seed=5",
					    "xgft:3,3,3:1,2,2"};
	uint64_t rng = test_seed();

	for (unsigned i = 0; i < 20; i++) {
		AUTO_SESSION struct session *s = session_of(specs[i % 4]);
		AUTO_SESSION struct session *t = session_of(specs[i % 4]);
		AUTO_FREE char *fail =
			str_printf("fail random %u seed=%u", 1 + rng_below(&rng, 3), rng_below(&rng, 99));
		AUTO_ROUTING const struct routing *was = routing_ref(session_routing(s));

		ok_line(s, fail);
		ok_line(t, i % 3 ? fail : "show");
		AUTO_ARENA struct comparison *c = compare_routings(was, session_routing(t), NULL);
		assert_non_null(c->across);
		assert_int_equal(c->across->only[0].switches + c->across->only[1].hosts, 0);
		if (i % 3) {
			AUTO_ARENA struct comparison *d = compare_routings(was, session_routing(s), NULL);

			assert_null(d->across);
			same_pairs(c, d);
			assert_int_equal(c->entries_changed, d->entries_changed);
			assert_int_equal(c->entries_lost, d->entries_lost);
			assert_int_equal(c->switches_changed, d->switches_changed);
			assert_int_equal(c->n_dests, d->n_dests);
		} else {
			assert_int_equal(c->entries_changed + c->rerouted + c->lost + c->regained, 0);
		}
	}
}

/* A fabric that lacks what failed in another one: the same pairs change as when it failed. */
static void test_without_a_switch(void **state)
{
	static const char *const gone[] = {"spine-01", "spine-03", "core-01"};

	for (unsigned i = 0; i < 3; i++) {
		AUTO_SESSION struct session *s = session_of("xgft:3,3,3:1,2,2,shuffle=1");
		AUTO_ROUTING const struct routing *was = routing_ref(session_routing(s));

		ok_linef(s, "fail switch %s", gone[i]);
		ok_linef(s, "save %s/net; export lfts %s/lfts", folder, folder);
		const struct comparison *d = session_event(s)->change;
		AUTO_SESSION struct session *t =
			make_session(line_of("load %s/net; tables %s/lfts", folder, folder));
		AUTO_ARENA struct comparison *c = compare_routings(was, session_routing(t), NULL);
		same_pairs(c, d);
		assert_true(c->rerouted > 0);
		assert_int_equal(c->switches_gone, 1);
		assert_int_equal(c->across->only[0].switches, 1);
		assert_int_equal(c->across->only[0].hosts, 0);
		assert_string_equal(c->across->only[0].names, gone[i]);
		/* and the other way round: it came back */
		AUTO_ARENA struct comparison *back = compare_routings(session_routing(t), was, NULL);
		assert_int_equal(back->rerouted, d->rerouted);
		assert_int_equal(back->longer, d->shorter);
		assert_int_equal(back->across->only[1].switches, 1);
	}
}

/* Hosts of one side are told, and their pairs and entries are no change. */
static void test_other_hosts(void **state)
{
	AUTO_SESSION struct session *s = session_of("xgft:4,4:1,2");

	ok_line(s, "snapshot whole; fail host node0007 node0008");
	ok_linef(s, "save %s/few; load %s/few", folder, folder);
	line_says(s, "diff whole", "(0 new, 0 gone); of 182 pairs 0 take another path");
	line_says(s, "diff whole",
		  "Only before, and not compared: 0 switches, 2 host ports (node0007, node0008).\n");
	ok_line(s, "snapshot few; synth xgft:4,4:1,2");
	line_says(s, "diff few",
		  "Only now, and not compared: 0 switches, 2 host ports (node0007, node0008).\n");
	line_says(s, "diff few all", "of 182 pairs");
	line_says(s, "snapshot", "few");
	ok_line(s, "synth ring:4");
	line_says(s, "diff whole", "Only before, and not compared: ");
	line_says(s, "diff whole few", "2 host ports (node0007, node0008)");
}

/* --- the journal goes on -------------------------------------------------------------------------- */

static void discovered(struct session *s, const char *spec)
{
	struct err e;

	if (session_go_on(s, make_fabric(spec), EVENT_LOAD, "live", NULL, &e))
		fail_msg("%s", e.msg);
}

static void test_goes_on(void **state)
{
	AUTO_SESSION struct session *s = session_of("xgft:4,4:1,2");
	const struct fabric *first = s->fabric, *loaded = s->loaded;
	uint32_t entries;

	ok_line(s, "snapshot before; fail switch spine-01");
	discovered(s, "xgft:4,4:1,2");
	assert_int_equal(s->n_events, 4);
	assert_int_equal(s->at, 3);
	assert_ptr_not_equal(s->fabric, first);
	line_says(s, "diff before", "0 entries on 0 switches changed");
	assert_non_null(session_event(s)->change); /* spine-01 is back */
	assert_true(session_event(s)->change->entries_gained > 0);
	line_says(s, "diff", "0 switches gone, 1 switch new.");
	ok_line(s, "fail link leaf-01[5]");
	entries = (uint32_t)session_event(s)->change->entries_changed;
	line_says(s, "journal", ">  4  fail link leaf-01[5]");
	line_says(s, "journal", "   3  live");
	line_says(s, "journal", "   0  synth xgft:4,4:1,2");
	ok_line(s, "undo; undo");
	assert_ptr_equal(s->fabric, first);
	assert_ptr_equal(s->loaded, loaded);
	line_says(s, "show", "failed: 0 links, 1 node");
	line_says(s, "trace node0001 node0016", "node0016");
	ok_line(s, "redo; redo");
	assert_int_equal(session_event(s)->change->entries_changed, entries);
	ok_line(s, "journal 3; set port_guids ibsim");
	line_says(s, "journal", ">  0  live "); /* a new journal, on what was discovered */
	line_says(s, "snapshot", "before");
	discovered(s, "ring:4");
	ok_line(s, "fail random 1; reset");
	line_says(s, "journal", ">  0  live ");
	line_says(s, "diff before", "Only before");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal_fabrics),
		cmocka_unit_test(test_without_a_switch),
		cmocka_unit_test(test_other_hosts),
		cmocka_unit_test(test_goes_on),
	};

	folder = temp_folder();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	temp_remove(&folder);
	return failed;
}
