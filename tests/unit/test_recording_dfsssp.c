/*
 * Recordings of sssp and dfsssp: distances at every step are those of shortest paths by the weights then, the
 * rule of an entry is that of `why`, cuts, moves and lanes are those of engines/doc/dfsssp.md 16.1, a run
 * that refuses ends in the cycle it has no VL for, and a part of a run knows the weights of the whole.
 */
#include "core/base/rng.h"
#include "core/session/session.h"
#include "core/sm/sweep.h"
#include "core/trace/walk.h"
#include "engines/dfsssp/dfsssp.h"
#include "tests/unit/fixture.h"
#include "tests/unit/weights.h"

/* The first step from `from` on of a kind; must be there. */
static size_t next_of(const struct recording *r, enum rec_kind kind, size_t from)
{
	while (from <= recording_steps(r) && recording_event(r, from)->kind != kind)
		from++;
	assert_true(from <= recording_steps(r));
	return from;
}

/* --- the search --------------------------------------------------------------------------------- */

/* Before the routes to a LID count: each switch but the last is as far as its nearest neighbour and cable. */
static void distances_are_least(const struct walk *w, unsigned lid)
{
	const struct sweep *s = recording_sweep(walk_recording(w));
	const struct fabric *f = s->fabric;
	uint32_t end = s->topo->endport_switch[lid_owner(s->lids, lid)];

	for (uint32_t sw = 0; sw < f->n_switches; sw++) {
		uint64_t least = UINT64_MAX;

		for (unsigned p = 1; switch_up(s->topo, sw) && sw != end && p <= f->switch_nports[sw]; p++) {
			uint32_t port = switch_port_id(f, sw, p), peer = s->topo->peer_switch[port];
			uint64_t d;

			if (peer == NO_ID || peer == sw)
				continue;
			d = (uint64_t)walk_value(w, T_DIST, peer) + walk_value(w, T_WEIGHT, port);
			least = d < least ? d : least;
		}
		if (least != UINT64_MAX && least != walk_value(w, T_DIST, sw))
			fail_msg("LID %u: switch %u is %u away, not %lu", lid, sw, walk_value(w, T_DIST, sw),
				 (unsigned long)least);
	}
}

struct rules {
	const struct recording *r;
	unsigned seen;
};

/* What `why` hears of an entry: the recording has it by the same rule. */
static void hear(void *ctx, const struct rec_choice *c)
{
	struct rules *x = ctx;

	for (size_t i = 1; i <= recording_steps(x->r); i++) {
		const struct rec_event *ev = recording_event(x->r, i);

		if (ev->kind != REC_CHOICE || ev->a != c->sw || ev->b != c->lid)
			continue;
		assert_int_equal(ev->port, c->port);
		assert_true(c->decided.rule);
		assert_string_equal(recording_rule(x->r, ev), why_rule_name(c->decided.rule));
		x->seen++;
		return;
	}
	fail_msg("switch %u LID %u is not in the recording", c->sw, c->lid);
}

static void test_searches(void **state)
{
	static const char *const shapes[] = {"xgft:2,2,2:1,2,2", "torus:4x4", "xgft:4,3:1,2,parallel=2",
					     "random:12,4,hosts=2"};
	uint64_t seed = test_seed();

	for (size_t i = 0; i < ARRAY_LEN(shapes); i++) {
		struct rules x = {0};
		struct rec_ask ask = {.tell = hear, .ctx = &x, .sw = NO_ID};
		struct sweep_repeat again = {.engines = all_engines, .ask = &ask};
		struct err e;

		AUTO_SESSION struct session *s =
			session_after("synth %s; fail random 1 seed=%u; route sssp lmc=%u", shapes[i],
				      rng_below(&seed, 10000), rng_below(&seed, 2));
		x.r = recorded(s, NULL, REC_EVERYTHING);
		struct walk *w = walk_new(x.r);
		for (size_t at = 1; at <= recording_steps(x.r); at++)
			if (recording_event(x.r, at)->kind == REC_WEIGHTS) {
				walk_to(w, at - 1, NULL);
				distances_are_least(w, recording_event(x.r, at)->b);
			}
		walk_free(w);
		assert_int_equal(sweep_repeat(session_sweep(s), &again, NULL, &e), 0);
		assert_true(x.seen > 0);
		recording_unref(x.r);
	}
}

/* --- layers ------------------------------------------------------------------------------------- */

/* Pairs of LIDs in the first two layers at a step. */
static void expect_counts(struct walk *w, size_t step, uint64_t first, uint64_t second)
{
	walk_to(w, step, NULL);
	AUTO_SWEEP const struct sweep *s = walk_moment(w);
	assert_int_equal(dfsssp_of(s->routing)->layers->count[0], first);
	assert_int_equal(dfsssp_of(s->routing)->layers->count[1], second);
}

static void says(struct walk *w, size_t step, const char *text)
{
	AUTO_TEXT struct text t = {0};

	walk_to(w, step, NULL);
	walk_sentence(w, &t);
	assert_string_equal(text_str(&t), text);
}

static void test_ring(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth ring:5; route dfsssp");
	AUTO_RECORDING const struct recording *r = recorded(s, NULL, REC_EVERYTHING);
	AUTO_WALK struct walk *w = walk_new(r);
	const uint32_t *extra;
	size_t at = next_of(r, REC_PATHS, 1);

	expect_counts(w, at - 1, 0, 0);
	expect_counts(w, at, 90, 0);
	at = next_of(r, REC_BREAK, at);
	assert_int_equal(recording_extra(r, at, &extra), 10); /* 5 channels, 2 pairs on each edge */
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(extra[2 * i + 1], 2);
	says(w, at,
	     "cycle 1 of layer 0: ring1 -> ring0 -> ring4 -> ring3 -> ring2 -> ring1: 5 edges with 2, 2, 2, "
	     "2, 2 "
	     "pairs; dfsssp cuts the first with 2, ring1[3] -> ring0[3]: 2 pairs go to layer 1");
	expect_counts(w, at, 90, 0);
	at = next_of(r, REC_MOVE, at);
	says(w, at,
	     "ring1 - ring4: 1 LID of the hosts there to LID 10 (node0005): moved from layer 0 to layer 1 "
	     "by the cut of cycle 1");
	expect_counts(w, at, 89, 1);
	expect_counts(w, at + 1, 88, 2);
	at = next_of(r, REC_SEARCH, at);
	expect_counts(w, at, 86, 4);
	at = next_of(r, REC_SHIFT, at);
	says(w, at, "layer 1, 4 pairs, has SL 7");
	says(w, at + 1, "layer 0, 86 pairs, has SL 0 to 6: OpenSM draws one for each query");
}

/* Words and boundaries that lead to steps of layers; a path without a layer has no SL. */
static void test_steps(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth ring:5; route dfsssp; step start");

	line_says(s, "step until text cycle", "cycle 1 of layer 0");
	line_says(s, "step until refused", "cycle 2 of layer 0");
	line_says(s, "step back until opened", "ring1 - ring4: opens layer 1");
	line_says(s, "step until moved", "moved from layer 0 to layer 1");
	line_says(s, "step next pair", "ring0 - ring2");
	line_says(s, "step next layer", "layer 0 has no cycle left after 2 cuts: 86 pairs stay");
	line_says(s, "step next phase", "2 of 8 VLs are needed");
	line_says(s, "step back until lid 7 and switch ring0", "ring0 LID 7 (ring4)");
	line_says(s, "trace node0001 node0005", "SL -, 3 links");
	line_says(s, "step until phase layers", "pairs put in layers");
	line_says(s, "layers", "No pair has a layer yet.");
}

/* It refuses with the cycle of its last layer. */
static void test_refused(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth torus:8x8; route dfsssp");
	AUTO_RECORDING const struct recording *r = recorded(s, "dfsssp", REC_EVERYTHING);
	size_t n = recording_steps(r);
	AUTO_WALK struct walk *w = walk_new(r);
	const uint32_t *extra;

	assert_non_null(strstr(recording_refusal(r), "AD25"));
	assert_int_equal(recording_event(r, n - 1)->kind, REC_CYCLE);
	assert_int_equal(recording_event(r, n - 1)->b, 7);
	assert_true(recording_extra(r, n - 1, &extra) > 4);
	walk_to(w, n, NULL);
	const struct sweep *m = walk_moment(w);
	assert_int_equal(dfsssp_layers(dfsssp_of(m->routing)), 8);
	sweep_unref(m);
	print_message("%zu steps, %zu bytes\n", n, recording_bytes(r));
	assert_true(recording_bytes(r) < 2000000);
}

/* Where the weights are left out of a recording, a step has them nevertheless. */
static void test_part(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth xgft:6,6,6:1,6,6; route sssp");
	struct err e = {0};
	AUTO_RECORDING const struct recording *whole = recorded(s, NULL, REC_EVERYTHING);
	AUTO_RECORDING const struct recording *part =
		recording_make(&(struct rec_request){.sweep = session_sweep(s),
						     .focus = REC_EVERYTHING,
						     .limit = 800000,
						     .engines = all_engines},
			       &e);
	AUTO_WALK struct walk *a = walk_new(whole), *b = walk_new(part);
	size_t at = next_of(whole, REC_WEIGHTS, recording_steps(whole) / 2), step = 1;
	unsigned lid = recording_event(whole, at)->b;

	assert_true(recording_part(part)[0]);
	while (recording_event(part, step)->kind != REC_TARGET || recording_event(part, step)->b != lid)
		step++;
	walk_to(a, at, NULL);
	walk_to(b, next_of(part, REC_TARGET, step + 1), NULL); /* the next LID: that one is done */
	AUTO_SWEEP const struct sweep *x = walk_moment(a);
	AUTO_SWEEP const struct sweep *y = walk_moment(b);
	for (uint32_t port = 0; port < s->fabric->n_ports; port++)
		assert_int_equal(dfsssp_weight(dfsssp_of(x->routing), port),
				 dfsssp_weight(dfsssp_of(y->routing), port));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_searches), cmocka_unit_test(test_ring), cmocka_unit_test(test_steps),
		cmocka_unit_test(test_refused),	 cmocka_unit_test(test_part),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
