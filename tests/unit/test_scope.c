/* Which hosts count: scopes and aggregation nodes, against plain counting; tables never depend on them. */
#include "core/analysis/credit/cdg.h"
#include "core/analysis/credit/check.h"
#include "core/analysis/traffic/loads.h"
#include "core/analysis/traffic/shift.h"
#include "core/base/rng.h"
#include "core/routing/paths.h"
#include "tests/unit/fixture.h"

static struct session *session_of(const char *spec, const char *engine)
{
	struct session *s = session_new(all_engines, all_commands);

	ok_linef(s, "synth %s; route %s", spec, engine);
	return s;
}

/* --- plain counting ------------------------------------------------------------------------- */

static bool counts(const struct session *s, uint32_t ep)
{
	return session_sweep(s)->hosts->in[ep] && session_sweep(s)->topo->endport_up[ep];
}

/* Pairs, those without a way, and the load of every port, path by path. */
static void expect_counts(struct session *s)
{
	const struct routing *r = session_routing(s);
	const struct fabric *f = s->fabric;
	AUTO_FREE uint32_t *load = NEW_ARRAY(f->n_ports, uint32_t);
	uint64_t pairs = 0, lost = 0;
	struct check_result c;

	for (uint32_t a = 0; a < f->n_endports; a++)
		for (uint32_t b = 0; b < f->n_endports; b++) {
			AUTO_BY(path_free) struct path p = {0};

			if (a == b || !counts(s, a) || !counts(s, b))
				continue;
			path_trace(r, a, 0, r->lids->base[b], &p);
			pairs++;
			lost += p.end != PATH_OK;
			load[f->endport_port[a]] += p.end == PATH_OK;
			for (unsigned i = 0; p.end == PATH_OK && i < p.n; i++)
				if (p.hop[i].out)
					load[switch_port_id(f, p.hop[i].sw, p.hop[i].out)]++;
		}
	assert_int_equal(check_routing(r, &c, NULL), 0);
	assert_int_equal(c.pairs, pairs);
	assert_int_equal(c.unreachable, lost);
	AUTO_ARENA struct loads *l = loads_new(r, &pattern_all, NULL);
	assert_memory_equal(l->port, load, f->n_ports * sizeof(*load));
}

/* What the last event did to pairs that count, pair by pair. */
static void expect_change(struct session *s)
{
	const struct comparison *c = session_event(s)->change;
	uint64_t lost = 0, rerouted = 0;

	for (uint32_t a = 0; a < s->fabric->n_endports; a++)
		for (uint32_t b = 0; b < s->fabric->n_endports; b++) {
			bool in = session_sweep(s)->hosts->in[a] && session_sweep(s)->hosts->in[b];
			struct path p, q;

			if (a == b || !in || !c->a->topo->endport_up[a] || !c->a->lids->base[b])
				continue;
			path_trace(c->a, a, 0, c->a->lids->base[b], &p);
			path_trace(c->b, a, 0, c->a->lids->base[b], &q);
			lost += p.end == PATH_OK && q.end != PATH_OK;
			if (p.end == PATH_OK && q.end == PATH_OK) {
				bool same = p.n == q.n;

				for (unsigned i = 0; same && i < p.n; i++)
					same = p.hop[i].sw == q.hop[i].sw && p.hop[i].out == q.hop[i].out;
				rerouted += !same;
			}
			path_free(&p);
			path_free(&q);
		}
	assert_int_equal(c->lost, lost);
	assert_int_equal(c->rerouted, rerouted);
}

static void random_scope(struct session *s, uint64_t *rng)
{
	AUTO_TEXT struct text line = {0};
	bool minus = rng_below(rng, 3) == 0;

	text_add(&line, "scope");
	for (uint32_t n = 0; n < s->fabric->n_nodes; n++)
		if (!node_is_switch(s->fabric, n) && rng_below(rng, 3) == 0)
			text_add(&line, " %s0x%016" PRIx64, minus ? "-" : "", s->fabric->node_guid[n]);
	if (line.len == 5)
		text_add(&line, " off");
	ok_line(s, text_str(&line));
}

static void test_counting(void **state)
{
	static const char *const specs[] = {"xgft:4,4:1,2,aggregation=1", "torus:3x3,aggregation=1",
					    "random:10,4,seed=%lu,aggregation=1", "xgft:2,3,2:2,2,1"};
	uint64_t rng = test_seed();

	for (unsigned i = 0; i < 12; i++) {
		AUTO_FREE char *spec =
			str_printf(specs[i % ARRAY_LEN(specs)], (unsigned long)rng_below(&rng, 1000));
		AUTO_SESSION struct session *s = session_of(spec, i % 2 ? "minhop" : "updn,minhop");

		for (unsigned k = 0; k < 5; k++) {
			char *fail =
				str_printf("fail random 1 seed=%lu", (unsigned long)rng_below(&rng, 999));

			random_scope(s, &rng);
			if (k == 2)
				ok_line(s, "set aggregation_nodes count");
			expect_counts(s);
			ok_line(s, fail);
			expect_counts(s);
			expect_change(s);
			free(fail);
		}
		random_scope(s, &rng); /* what the failure changed, for others */
		expect_change(s);
	}
}

/* --- tables ---------------------------------------------------------------------------------- */

static void same_tables(const struct session *a, const struct session *b)
{
	const struct routing *x = session_routing(a), *y = session_routing(b);

	assert_string_equal(x->engine, y->engine);
	assert_int_equal(entries_unlike(x, y), 0);
	for (uint32_t sw = 0; sw < a->fabric->n_switches; sw++)
		assert_int_equal(!x->row[sw], !y->row[sw]);
}

/* Two sessions with the same events, one of them with scopes in between. */
static void test_tables_stay(void **state)
{
	static const char *const engines[] = {"minhop", "updn", "ftree", "dfsssp", "nue", "lash", "file"};
	static const char *const lines[] = {"fail host node0002", "fail switch spine-01",
					    "restore host node0002", "sweep", "restore all"};
	uint64_t rng = test_seed();

	for (size_t i = 0; i < ARRAY_LEN(engines); i++)
		for (unsigned cache = 0; cache < 2; cache++) {
			AUTO_SESSION struct session *a = session_of("xgft:3,3:1,2,aggregation=1", engines[i]);
			AUTO_SESSION struct session *b = session_of("xgft:3,3:1,2,aggregation=1", engines[i]);

			if (cache)
				ok_line(a, "set use_ucast_cache TRUE");
			if (cache)
				ok_line(b, "set use_ucast_cache TRUE");
			for (size_t k = 0; k < ARRAY_LEN(lines); k++) {
				random_scope(a, &rng);
				ok_line(a, k % 2 ? "set aggregation_nodes count" : "unset aggregation_nodes");
				same_tables(a, b);
				ok_line(a, lines[k]);
				ok_line(b, lines[k]);
				same_tables(a, b);
			}
			ok_line(a,
				"layers; check; shifts; why leaf-01 node0005; step start leaf-01 node0005");
		}
}

/* --- the command ------------------------------------------------------------------------------ */

static uint32_t n_counted(const struct session *s)
{
	return session_sweep(s)->hosts->n;
}

static void test_words(void **state)
{
	AUTO_SESSION struct session *s = session_of("xgft:4,4:1,2,aggregation=1", "minhop");

	assert_int_equal(n_counted(s), 16);
	line_says(s, "scope", "No scope: all hosts count.");
	line_says(s, "scope node000[1-4]", "Scope node000[1-4]: 4 host ports.\n");
	assert_int_equal(n_counted(s), 4);
	ok_line(s, "scope node000* -node0003 -node000[8-9]");
	assert_int_equal(n_counted(s), 6);
	ok_line(s, "scope -node0001");
	assert_int_equal(n_counted(s), 15);
	ok_line(s, "scope node0001 node0002[1] 0x0002c90300f00041");
	assert_int_equal(n_counted(s), 3);
	line_fails(s, "scope leaf-01", "leaf-01 is a switch, expected hosts");
	line_fails(s, "scope nobody", "nobody");
	line_fails(s, "scope node0001 -node0001", "no host is left");
	line_fails(s, "scope node0099[1]", "node0099");
	assert_int_equal(n_counted(s), 3);
	line_says(s, "scope", "Scope node0001 node0002[1] 0x0002c90300f00041: 3 host ports.\n");
	line_says(s, "scope off", "All hosts count again.\n");
	line_says(s, "scope all", "All hosts count already.\n");
}

static void test_history(void **state)
{
	AUTO_SESSION struct session *s = session_of("xgft:4,4:1,2", "minhop");

	ok_line(s, "scope node000[1-4]; fail switch spine-01; scope node0001 node0005");
	line_says(s, "journal", ">  4  scope node0001 node0005");
	line_says(s, "journal", "   2  scope node000[1-4]");
	line_says(s, "diff", "of 2 pairs in the scope");
	ok_line(s, "undo");
	assert_int_equal(n_counted(s), 4);
	ok_line(s, "undo; undo");
	assert_int_equal(n_counted(s), 16);
	ok_line(s, "redo");
	assert_int_equal(n_counted(s), 4);
	ok_line(s, "fail host node0003");
	line_says(s, "scope", "Scope node000[1-4]: 4 host ports, 1 of them down or cut off.\n");
	ok_line(s, "reset");
	assert_int_equal(n_counted(s), 4);
}

/* Found by GUID in another fabric, where names may be others; those that are not there are told. */
static void test_other_fabric(void **state)
{
	AUTO_SESSION struct session *s = session_of("xgft:4,4:1,2", "minhop");
	struct err e;
	bool fault;
	int rc;
	char *text;

	ok_line(s, "scope node000[1-4]; synth xgft:4,2:1,2");
	assert_int_equal(n_counted(s), 4);
	ok_line(s, "set port_guids ibsim; unset port_guids");
	assert_int_equal(n_counted(s), 4);
	line_says(s, "synth ring:3",
		  "3 host ports; 1 of the scope not in this fabric: 0x0002c90300f00060[1].\n");
	text = run_line(s, "check", &rc, &e, false, &fault);
	assert_non_null(strstr(text, "Nothing wrong among the hosts of the scope that are there."));
	assert_true(fault);
	free(text);
	ok_line(s, "synth xgft:4,4:1,2; scope node0016; synth ring:3");
	text = run_line(s, "check", &rc, &e, true, &fault);
	assert_non_null(strstr(text, "No host counts: nothing is judged."));
	assert_non_null(strstr(text, "\"scope\":{\"hosts\":\"node0016\",\"ports\":0,\"up\":0,\"missing\":["));
	assert_non_null(strstr(text, "\"sound\":false"));
	assert_true(fault);
	free(text);
}

/* --- judgements -------------------------------------------------------------------------------- */

/* A failure that concerns nobody of the job is none for it. */
static void test_check(void **state)
{
	AUTO_SESSION struct session *s = session_of("xgft:3,3:1,2,aggregation=1", "updn");
	struct err e;
	bool fault;
	int rc;

	ok_line(s, "fail switch leaf-01");
	free(run_line(s, "check", &rc, &e, false, &fault));
	assert_true(fault);
	ok_line(s, "scope node000[4-9]");
	line_says(s, "check", "Sound within the scope: every host of it");
	free(run_line(s, "check", &rc, &e, false, &fault));
	assert_false(fault);
	line_says(s, "check", "5 aggregation nodes in switches: routed, but not counted as hosts");
	ok_line(s, "scope node000[1-5]");
	free(run_line(s, "check", &rc, &e, false, &fault));
	assert_true(fault);
	line_says(s, "survey switches", "Scope node000[1-5]: 5 host ports, 3 of them down or cut off.");
	line_says(s, "compare minhop updn", "Scope node000[1-5]");
}

/* Credit loops of hosts: those that only aggregation nodes make do not count, unless asked for. */
static void test_loops(void **state)
{
	AUTO_SESSION struct session *s = session_of("torus:4x4,aggregation=1", "minhop");
	struct err e;

	ok_line(s, "scope node0001 node0002");
	AUTO_ARENA struct cdg *few = cdg_new(session_routing(s), CDG_ALL_VLS, false, NULL, &e);
	AUTO_ARENA struct cdg *all = cdg_new(session_routing(s), CDG_ALL_VLS, true, NULL, &e);
	assert_int_equal(few->n_components, 0);
	assert_true(few->n_channels <= 8);
	assert_true(all->n_components > 0);
}

/* Shifts go round among the hosts of the scope, whatever the engine's order holds beside them. */
static void test_shifts(void **state)
{
	AUTO_SESSION struct session *s = session_of("xgft:4,4:1,4", "ftree");
	struct shift_order *o;
	struct err e;

	ok_line(s, "fail host node0002");
	o = shift_order_new(session_routing(s), s->setup, s->engines, NULL, NULL, &e);
	assert_int_equal(o->n, 16); /* with the place of the one that is missing */
	arena_free(o);
	ok_line(s, "scope node000[1-3] node0010");
	o = shift_order_new(session_routing(s), s->setup, s->engines, NULL, NULL, &e);
	assert_int_equal(o->n, 3);
	for (uint32_t i = 0; i < o->n; i++)
		assert_true(session_sweep(s)->hosts->in[o->place[i]]);
	arena_free(o);
	line_says(s, "shifts", "Order of 3 places");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counting),     cmocka_unit_test(test_tables_stay),
		cmocka_unit_test(test_words),	     cmocka_unit_test(test_history),
		cmocka_unit_test(test_other_fabric), cmocka_unit_test(test_check),
		cmocka_unit_test(test_loops),	     cmocka_unit_test(test_shifts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
