/* Routings of two fabrics compared: what is in both, as if it were one; journals that go on, snapshots that
 * stay. */
#include "core/base/memory.h"
#include "core/base/rng.h"
#include "core/base/text.h"
#include "core/formats/readers.h"
#include "tests/unit/fixture.h"

static char folder[] = "/tmp/test_across-XXXXXX";

static struct session *session_of(const char *spec)
{
	struct session *s = session_new(all_engines, all_commands);
	char *line = str_printf("synth %s; route minhop", spec);

	ok_line(s, line);
	free(line);
	return s;
}

static void ok_printf(struct session *s, const char *fmt, const char *a)
{
	char *line = str_printf(fmt, a, a); /* NOLINT(clang-diagnostic-format-nonliteral) */

	ok_line(s, line);
	free(line);
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

	(void)state;
	for (unsigned i = 0; i < 20; i++) {
		struct session *s = session_of(specs[i % 4]), *t = session_of(specs[i % 4]);
		char *fail =
			str_printf("fail random %u seed=%u", 1 + rng_below(&rng, 3), rng_below(&rng, 99));
		struct comparison *c, *d;
		const struct routing *was = routing_ref(session_routing(s));

		ok_line(s, fail);
		ok_line(t, i % 3 ? fail : "show");
		c = compare_routings(was, session_routing(t), NULL);
		assert_non_null(c->across);
		assert_int_equal(c->across->only[0].switches + c->across->only[1].hosts, 0);
		if (i % 3) {
			d = compare_routings(was, session_routing(s), NULL);
			assert_null(d->across);
			same_pairs(c, d);
			assert_int_equal(c->entries_changed, d->entries_changed);
			assert_int_equal(c->entries_lost, d->entries_lost);
			assert_int_equal(c->switches_changed, d->switches_changed);
			assert_int_equal(c->n_dests, d->n_dests);
			arena_free(d);
		} else {
			assert_int_equal(c->entries_changed + c->rerouted + c->lost + c->regained, 0);
		}
		arena_free(c);
		routing_unref(was);
		free(fail);
		session_free(s);
		session_free(t);
	}
}

/* A fabric that lacks what failed in another one: the same pairs change as when it failed. */
static void test_without_a_switch(void **state)
{
	static const char *const gone[] = {"spine-01", "spine-03", "core-01"};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct session *s = session_of("xgft:3,3,3:1,2,2,shuffle=1"), *t;
		const struct comparison *d;
		struct comparison *c;
		const struct routing *was = routing_ref(session_routing(s));
		char *paths = str_printf("save %s/net; export lfts %s/lfts", folder, folder);
		char *back = str_printf("load %s/net; tables %s/lfts", folder, folder);

		ok_printf(s, "fail switch %s", gone[i]);
		ok_line(s, paths);
		d = session_event(s)->change;
		t = session_new(all_engines, all_commands);
		ok_line(t, back);
		c = compare_routings(was, session_routing(t), NULL);
		same_pairs(c, d);
		assert_true(c->rerouted > 0);
		assert_int_equal(c->switches_gone, 1);
		assert_int_equal(c->across->only[0].switches, 1);
		assert_int_equal(c->across->only[0].hosts, 0);
		assert_string_equal(c->across->only[0].names, gone[i]);
		arena_free(c);
		/* and the other way round: it came back */
		c = compare_routings(session_routing(t), was, NULL);
		assert_int_equal(c->rerouted, d->rerouted);
		assert_int_equal(c->longer, d->shorter);
		assert_int_equal(c->across->only[1].switches, 1);
		arena_free(c);
		routing_unref(was);
		session_free(s);
		session_free(t);
		free(paths);
		free(back);
	}
}

/* Hosts of one side are told, and their pairs and entries are no change. */
static void test_other_hosts(void **state)
{
	struct session *s = session_of("xgft:4,4:1,2");

	(void)state;
	ok_line(s, "snapshot whole; fail host node0007 node0008");
	ok_printf(s, "save %s/few; load %s/few", folder);
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
	session_free(s);
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
	struct session *s = session_of("xgft:4,4:1,2");
	const struct fabric *first = s->fabric, *loaded = s->loaded;
	uint32_t entries;

	(void)state;
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
	session_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal_fabrics),
		cmocka_unit_test(test_without_a_switch),
		cmocka_unit_test(test_other_hosts),
		cmocka_unit_test(test_goes_on),
	};
	static const char *const files[] = {"net", "lfts", "few"};
	int failed;

	if (!mkdtemp(folder))
		return 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		char *path = str_printf("%s/%s", folder, files[i]);

		unlink(path);
		free(path);
	}
	rmdir(folder);
	return failed;
}
