/*
 * Recordings as `step` uses them: of a run above record_limit the part in focus is kept and tells of itself
 * what the whole tells; rules are those of `why`; jumps are fast.  On random fabrics by a fresh seed.
 */
#include "core/base/memory.h"
#include "core/base/rng.h"
#include "core/session/step_about.h"
#include "core/sm/walk.h"
#include "tests/unit/fixture.h"

static const char *const shapes[] = {
	"ring:5",	    "torus:4x4",       "xgft:2,2,2:1,2,2",	  "random:12,4,hosts=2",
	"mesh:3x3,hosts=2", "dragonfly:3,1,1", "xgft:4,6:1,3,parallel=2", "director:2,2,1,2",
};

static const struct recording *record(struct session *s, struct rec_focus focus, size_t limit, uint32_t sw,
				      struct err *e)
{
	return recording_make(&(struct rec_request){.sweep = session_sweep(s),
						    .focus = focus,
						    .engines = all_engines,
						    .limit = limit,
						    .selected = sw == NO_ID ? 0 : sw + 1},
			      e);
}

/* --- parts ------------------------------------------------------------------------------------------ */

static bool same_event(const struct rec_event *a, const struct rec_event *b)
{
	return a->kind == b->kind && a->rule == b->rule && a->port == b->port && a->flags == b->flags &&
	       a->a == b->a && a->b == b->b;
}

/* Cells that the part keeps are as in the whole, the others as they begin. */
static void same_cells(const struct walk *part, const struct walk *whole, const char *what)
{
	static const enum rec_table tables[] = {T_ENTRY, T_HOPS, T_PLAIN};
	const struct recording *r = walk_recording(part);

	for (size_t k = 0; k < ARRAY_LEN(tables); k++)
		for (size_t i = 0; i < recording_cells(r, tables[k]); i++) {
			unsigned v = walk_value(part, tables[k], i);

			if (v != (recording_keeps(r, tables[k], i) ? walk_value(whole, tables[k], i)
								   : rec_tables[tables[k]].start))
				fail_msg("%s: %s %zu at step %zu of the part, %zu of all: %u, not %u", what,
					 rec_tables[tables[k]].name, i, walk_step(part), walk_step(whole), v,
					 walk_value(whole, tables[k], i));
		}
}

static void same_decided(const struct walk *part, const struct walk *whole, const char *what)
{
	const struct recording *r = walk_recording(part);
	const struct sweep *s = recording_sweep(r);

	for (uint32_t sw = 0; sw < s->fabric->n_switches; sw++)
		for (unsigned lid = 0; lid <= s->lids->max_lid; lid++) {
			bool kept = recording_keeps(r, T_ENTRY, sw * (s->lids->max_lid + 1u) + lid);

			if (walk_decided(part, sw, lid) != (kept && walk_decided(whole, sw, lid)))
				fail_msg("%s: switch %u LID %u: decided at step %zu", what, sw, lid,
					 walk_step(part));
		}
}

static bool about_part(const struct recording *r, const struct rec_event *ev)
{
	const struct rec_focus *keep = recording_kept_part(r);

	if (rec_kinds[ev->kind].a != FIELD_SWITCH)
		return true;
	return keep->sw != NO_ID ? ev->a == keep->sw : ev->kind == REC_CHOICE && ev->b == keep->lid;
}

static void same_sentence(struct walk *part, struct walk *whole, const char *what)
{
	struct text a = {0}, b = {0};

	walk_sentence(part, &a);
	walk_sentence(whole, &b);
	if (strcmp(text_str(&a), text_str(&b)) != 0)
		fail_msg("%s: step %zu of the part: %s\nbut %zu of all: %s", what, walk_step(part),
			 text_str(&a), walk_step(whole), text_str(&b));
	text_free(&a);
	text_free(&b);
}

/* Both walks side by side: each step of the part is one of the whole, in the same order. */
static void side_by_side(const struct recording *r, const struct recording *all, uint64_t *seed,
			 const char *what)
{
	struct walk *part = walk_new(r), *whole = walk_new(all);
	size_t j = 0, n = recording_steps(r);

	for (size_t i = 1; i <= n; i++) {
		for (j++; j <= recording_steps(all) &&
			  !same_event(recording_event(r, i), recording_event(all, j));)
			j++;
		if (j > recording_steps(all))
			fail_msg("%s: step %zu of the part is none of all", what, i);
		if (i < n && rng_below(seed, (uint32_t)n / 40 + 1))
			continue;
		walk_to(part, i, NULL);
		walk_to(whole, j, NULL);
		same_cells(part, whole, what);
		same_decided(part, whole, what);
		if (about_part(r, recording_event(r, i)))
			same_sentence(part, whole, what);
	}
	walk_to(part, 0, NULL);
	walk_to(whole, 0, NULL);
	same_cells(part, whole, what);
	walk_free(part);
	walk_free(whole);
}

/* All cells of a walk, one number. */
static uint64_t sum(const struct walk *w)
{
	const struct recording *r = walk_recording(w);
	uint64_t h = 1469598103934665603u;

	for (int t = 0; t < N_TABLES; t++)
		for (size_t i = 0; i < recording_cells(r, t); i++)
			h = (h ^ walk_value(w, t, i)) * 1099511628211u;
	return h;
}

/* A step of a part is the same from wherever it was come to. */
static void ways_agree(const struct recording *r, uint64_t *seed, const char *what)
{
	struct walk *a = walk_new(r), *b = walk_new(r);
	uint32_t n = (uint32_t)recording_steps(r);

	for (int k = 0; k < 4; k++) {
		size_t to = rng_below(seed, n + 1);

		walk_to(a, to, NULL);
		walk_to(b, n, NULL);
		walk_to(b, rng_below(seed, n + 1), NULL);
		walk_to(b, to, NULL);
		if (sum(a) != sum(b))
			fail_msg("%s: step %zu of %u differs by the way to it", what, to, n);
	}
	walk_free(a);
	walk_free(b);
}

/* All that tells of a step can be asked at any step of a part. */
static void told_at(struct session *s, const struct recording *r, uint64_t *seed)
{
	static const char *const lines[] = {"lft 1",  "hops 1", "ranks",    "layers",
					    "cycles", "check",	"load-map", "trace node0001 node0002"};
	struct walk *w = walk_new(r);

	walk_to(w, rng_below(seed, (uint32_t)recording_steps(r) + 1), NULL);
	session_set_walk(s, w);
	session_walk_moved(s);
	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		struct err e;
		int rc;
		char *text = run_line(s, lines[i], &rc, &e, false, NULL);

		if (rc ? !*e.msg : strncmp(text, "As of step", 10) != 0)
			fail_msg("%s at step %zu: %s", lines[i], walk_step(w), text);
		free(text);
	}
	session_set_walk(s, NULL);
}

/* A part of a run at a limit: is there one, and is it right?  Number of stages that were needed, 0: none. */
static unsigned part(struct session *s, const struct recording *all, const struct rec_focus *focus,
		     size_t limit, uint64_t *seed, const char *what)
{
	struct err e = {{0}};
	uint32_t sw = rng_below(seed, s->fabric->n_switches);
	const struct recording *r;
	unsigned kept;

	while (!switch_up(session_sweep(s)->topo, sw))
		sw = rng_below(seed, s->fabric->n_switches);
	r = record(s, *focus, limit, sw, &e);
	if (!r) {
		assert_non_null(strstr(e.msg, "record_limit"));
		return 0;
	}
	assert_true(recording_bytes(r) <= limit + 4096);
	kept = *recording_part(r) != 0;
	if (rec_focus_is_all(focus))
		assert_int_equal(recording_kept_part(r)->sw, sw);
	side_by_side(r, all, seed, what);
	ways_agree(r, seed, what);
	told_at(s, r, seed);
	recording_unref(r);
	return kept;
}

/* A LID of the fabric at random. */
static uint16_t some_lid(const struct session *s, uint64_t *seed)
{
	const struct lids *l = session_sweep(s)->lids;
	unsigned lid;

	do
		lid = 1 + rng_below(seed, l->max_lid);
	while (lid_owner(l, lid) == NO_ID);
	return (uint16_t)lid;
}

static void test_parts(void **state)
{
	uint64_t seed = test_seed();
	unsigned parts = 0, tried = 0;

	(void)state;
	for (size_t g = 0; all_engines[g]; g++)
		for (size_t i = 0; i < ARRAY_LEN(shapes); i++) {
			struct session *s = session_new(all_engines, all_commands);
			struct rec_focus one = REC_EVERYTHING, all = REC_EVERYTHING;
			const struct recording *whole;
			struct err e = {{0}};
			char line[200];

			snprintf(line, sizeof(line), "synth %s; route %s", shapes[i], all_engines[g]->name);
			if (!all_engines[g]->scheme || all_engines[g]->holds != HOLDS_NOTHING) {
				session_free(s);
				continue;
			}
			ok_line(s, line);
			whole = record(s, all, 0, NO_ID, &e);
			if (!whole)
				fail_msg("%s: %s", line, e.msg);
			one.lid = some_lid(s, &seed);
			for (unsigned k = 1; k <= 5; k++) {
				size_t limit = recording_bytes(whole) * (6 - k) / 7;

				parts += part(s, whole, k == 2 ? &one : &all, limit, &seed, line);
				tried++;
			}
			recording_unref(whole);
			session_free(s);
		}
	print_message("%u parts of %u\n", parts, tried);
	assert_true(parts > tried / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
