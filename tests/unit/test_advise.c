/*
 * advise: winners and figures, those of trees, directors and lash worked out by another program
 * (judgements of the tables, exact but for the bisection, which is a sample).
 */
#include "fixture.h"

#include "core/analysis/advise/advise.h"
#include "core/analysis/shape/torus_conf.h"

#define AUTO_ADVICE AUTO_BY(advice_end)

static void advice_end(struct advice **a)
{
	advice_free(*a);
}

static struct advice *advise(struct session *s, uint32_t failures, unsigned threads)
{
	struct advise_request rq = {.setup = s->setup,
				    .engines = all_engines,
				    .now = session_sweep(s),
				    .failures = failures,
				    .threads = threads};
	struct err e = {0};
	struct advice *a = advise_run(&rq, NULL, &e);

	if (!a)
		fail_msg("%s", e.msg);
	return a;
}

/* The row of an engine with options that contain a text ("" = none at all); NULL. */
static const struct advice_row *row_of(const struct advice *a, const char *engine, const char *part)
{
	for (unsigned i = 0; i < a->n; i++)
		if (!strcmp(a->row[i].kind->engine, engine) &&
		    (*part ? strstr(a->row[i].options, part) != NULL : !*a->row[i].options))
			return &a->row[i];
	return NULL;
}

#define LEVELS "roots by levels"
#define ROOT_IN_MIDDLE "one root"

struct figures {
	const char *fabric, *engine, *options;
	uint64_t class; /* its letter */
	unsigned vls, max_load;
	double ebb, half_width, shift_mean; /* ebb 0: not looked at */
	uint32_t shift_worst, failures, loops_after, fallbacks;
	unsigned rank; /* from 1; 0: any */
};

/*
 * dfsssp, nue and torus-2QoS were not tried when the winners of direct fabrics were first worked out.  They
 * win where they are as good in all that comes before: on the torus torus-2QoS has lash's bisection, shifts
 * and load with 2 VLs instead of 3; on dragonfly nue with all 8 VLs has lash's bisection (0.717, 0.714) and
 * a mean shift of 6.65 against 6.70; on the random graph 0.823 against lash's 0.809, and 2.40 against 2.60.
 */
static const struct figures known[] = {
	{"synth xgft:4,4,4:1,2,4", "ftree", LEVELS, 'A', 1, 120, 0.549, 0.005, 1.95, 2, 64, 0, 0, 1},
	{"synth xgft:4,4,4:1,2,4", "ftree", "", 'A', 1, 120, 0.549, 0.005, 1.95, 2, 64, 0, 64, 0},
	{"synth xgft:4,4,4:1,2,4", "minhop", "", 'A', 1, 192, 0.462, 0.005, 3.35, 4, 64, 0, 0, 0},
	{"synth director:4,6,3,16", "ftree", LEVELS, 'A', 1, 60, 0.785, 0.008, 1.75, 2, 136, 0, 0, 1},
	{"synth director:4,6,3,16", "minhop", "", 'A', 1, 104, 0.747, 0.008, 2.25, 3, 136, 0, 0, 0},
	{"synth torus:5x5", "torus-2QoS", "qos", 'A', 2, 15, 0.860, 0.005, 2.00, 2, 50, 0, 0, 1},
	{"synth torus:5x5", "lash", "qos", 'A', 3, 15, 0.869, 0.012, 2.00, 2, 50, 0, 0, 2},
	{"synth torus:5x5", "updn", ROOT_IN_MIDDLE, 'A', 1, 40, 0.790, 0.012, 3.10, 4, 50, 2, 0, 0},
	{"synth dragonfly:4,2,2", "nue", "vls 0", 'A', 8, 84, 0.717, 0.005, 6.65, 8, 90, 0, 0, 1},
	{"synth dragonfly:4,2,2", "lash", "qos", 'A', 3, 88, 0.701, 0.008, 6.70, 8, 90, 0, 0, 2},
	{"synth dragonfly:4,2,2", "updn", ROOT_IN_MIDDLE, 'C', 1, 314, 0, 0, 7.50, 10, 0, 0, 0, 0},
	{"synth mesh:4x4", "lash", "qos", 'A', 1, 16, 0.820, 0.012, 1.666667, 2, 24, 0, 0, 1},
	{"synth mesh:4x4", "dor", "", 'A', 1, 16, 0.820, 0.012, 1.666667, 2, 24, 12, 0, 0},
	{"synth hyperx:6x6", "dor", "", 'A', 1, 6, 1.000, 0, 1.00, 1, 150, 0, 0, 1},
	{"synth hyperx:6x6", "updn", ROOT_IN_MIDDLE, 'A', 1, 11, 0.978, 0.008, 1.60, 2, 150, 0, 0, 0},
	{"synth random:24,4,seed=7", "nue", "vls 0", 'A', 8, 24, 0.823, 0.006, 2.40, 4, 47, 0, 0, 1},
	{"synth random:24,4,seed=7", "lash", "qos", 'A', 3, 32, 0.819, 0.014, 2.60, 4, 47, 0, 0, 0},
	{"synth random:24,4,seed=7", "updn", ROOT_IN_MIDDLE, 'A', 1, 50, 0.718, 0.014, 3.30, 4, 47, 2, 0, 0},
	/* two switches: LASH's mesh analysis spreads five hosts over the cables better than Min Hop does */
	{"load tests/fabrics/formats/voltaire-2007-lmc1.ibnetdiscover", "lash", "mesh", 'A', 1, 4, 0.983,
	 0.006, 1.00, 1, 2, 0, 0, 1},
	{"load tests/fabrics/formats/voltaire-2007-lmc1.ibnetdiscover", "minhop", "", 'A', 1, 4, 0.986, 0.005,
	 1.25, 2, 2, 0, 0, 2},
	{"load tests/fabrics/formats/stage-qdr-fdr10.ibnetdiscover", "ftree", LEVELS, 'A', 1, 480, 0.560,
	 0.006, 3.55, 4, 47, 0, 0, 1},
	{"load tests/fabrics/formats/stage-qdr-fdr10.ibnetdiscover", "minhop", "", 'A', 1, 472, 0.557, 0.006,
	 5.30, 6, 47, 0, 0, 0},
};

static void expect(const struct figures *k, const struct advice *a)
{
	const struct advice_row *r = row_of(a, k->engine, k->options);
	AUTO_FREE char *want = str_printf("%c, %u VLs, load %u, shift %.3f %u, after %u: %u %u",
					  (int)k->class, k->vls, k->max_load, k->shift_mean, k->shift_worst,
					  k->failures, k->loops_after, k->fallbacks);

	if (!r) {
		fail_msg("%s: no %s %s", k->fabric, k->engine, k->options);
		return;
	}
	if (r->refused)
		fail_msg("%s, %s: refused: %s", k->fabric, k->engine, r->refused);
	AUTO_FREE char *got = str_printf("%c, %u VLs, load %u, shift %.3f %u, after %u: %u %u",
					 advice_letter(r), r->vls, r->max_load, r->shift_mean, r->shift_worst,
					 r->failures, r->failure_loops, r->failure_fallbacks);
	if (strcmp(got, want) != 0 || (k->rank && r != &a->row[k->rank - 1]))
		fail_msg("%s, %s %s: %s, place %d, expected %s, rank %u", k->fabric, k->engine, k->options,
			 got, (int)(r - a->row) + 1, want, k->rank);
	if (k->ebb > 0 && (r->ebb.value > k->ebb + k->half_width + r->ebb.half_width ||
			   r->ebb.value < k->ebb - k->half_width - r->ebb.half_width))
		fail_msg("%s, %s: bisection %f, expected %f", k->fabric, k->engine, r->ebb.value, k->ebb);
}

static void figures(void **state)
{
	uint64_t seed = test_seed();

	for (size_t i = 0, next, round = 0; i < ARRAY_LEN(known); i = next, round++) {
		for (next = i; next < ARRAY_LEN(known) && !strcmp(known[next].fabric, known[i].fabric);)
			next++;
		if (!test_drawn(seed, round, 4)) /* a round for each fabric */
			continue;
		AUTO_SESSION struct session *s = make_session(known[i].fabric);
		AUTO_ADVICE struct advice *a = advise(s, ADVISE_FAILURES, 0);
		for (size_t k = i; k < next; k++)
			expect(&known[k], a);
	}
}

/* Where all engines are alike the simplest comes first. */
static void all_alike(void **state)
{
	static const char *const fabrics[] = {
		"load tests/fabrics/formats/superbench-faked.ibnetdiscover-f",
		"load tests/fabrics/formats/mt43132-2009.ibnetdiscover",
		"load tests/fabrics/formats/sun-dcs36-2002.ibnetdiscover",
	};

	for (size_t i = 0; i < ARRAY_LEN(fabrics); i++) {
		AUTO_SESSION struct session *s = make_session(fabrics[i]);
		AUTO_ADVICE struct advice *a = advise(s, ADVISE_FAILURES, 1);

		assert_true(a->n_ranked > 0 && a->n_routed > a->n_ranked);
		if (strcmp(a->row[0].kind->engine, "minhop") != 0)
			fail_msg("%s: %s %s", fabrics[i], a->row[0].kind->engine, a->row[0].options);
		for (unsigned k = 0; k < a->n; k++)
			assert_true(k < a->n_ranked || k >= a->n_routed ? a->row[k].same == k
									: a->row[k].same < a->n_ranked);
	}
}

/* The same on one core and on four, and whatever was routed before. */
static void same_on_all_cores(void **state)
{
	AUTO_SESSION struct session *s = make_session("synth torus:4x4");
	AUTO_ADVICE struct advice *a = advise(s, 5, 1);

	ok_line(s, "set root_guid_file t00; route updn");
	AUTO_ADVICE struct advice *b = advise(s, 5, 4);
	assert_int_equal(a->n, b->n);
	for (unsigned i = 0; i < a->n; i++) {
		assert_ptr_equal(a->row[i].kind, b->row[i].kind);
		assert_int_equal(a->row[i].max_load, b->row[i].max_load);
		assert_int_equal(a->row[i].failure_loops, b->row[i].failure_loops);
		assert_true(a->row[i].ebb.value == b->row[i].ebb.value);
	}
}

/* --- stopped ------------------------------------------------------------------------------------------ */

struct stop {
	struct progress p;
	unsigned left;	   /* rows that are told before it is cancelled */
	unsigned hopeless; /* told so far */
};

static void one_told(void *ctx, const struct advice_row *r)
{
	struct stop *s = ctx;

	assert_false(r->unmeasured);
	/* those without hope come behind all others, refused ones too */
	assert_int_equal(r->hopeless, !r->refused && r->class == ADVICE_UNSOUND);
	assert_true(r->hopeless || !s->hopeless);
	s->hopeless += r->hopeless;
	if (!--s->left)
		atomic_store(&s->p.cancel, true);
}

/* Stopped after each number of rows: these are ranked as in the whole, the others are named. */
static void stopped(void **state)
{
	AUTO_SESSION struct session *s = make_session("synth torus:4x4");
	AUTO_ADVICE struct advice *whole = advise(s, 0, 1);

	for (unsigned n = 2; n <= whole->n; n++) /* the first that is told refuses, the second routes it */
		for (uint32_t failures = 0; failures < 3; failures += 2) {
			struct stop stop = {.left = n};
			struct advise_request rq = {.setup = s->setup,
						    .engines = all_engines,
						    .failures = failures,
						    .threads = 1,
						    .tell = one_told,
						    .ctx = &stop};
			struct err e = {0};
			AUTO_ADVICE struct advice *a = advise_run(&rq, &stop.p, &e);
			bool untried = false;

			assert_non_null(a);
			assert_int_equal(a->n_measured, n);
			assert_int_equal(a->n, whole->n);
			assert_int_equal(advice_complete(a), n == whole->n && !a->untried);
			assert_false(a->late);
			for (unsigned i = 0; i < a->n; i++)
				assert_int_equal(a->row[i].unmeasured, i >= n);
			for (unsigned i = 0, at = 0; i < a->n_ranked; i++) { /* in the order of the whole */
				while (at < whole->n && whole->row[at].kind != a->row[i].kind)
					at++;
				assert_true(at < whole->n);
				assert_true(whole->row[at].ebb.value == a->row[i].ebb.value);
				assert_int_equal(a->row[i].untried,
						 failures && a->row[i].class != ADVICE_UNSOUND);
				untried |= a->row[i].untried;
			}
			assert_int_equal(a->untried, untried);
		}
}

/* No row was measured: there is nothing to tell. */
static void stopped_at_once(void **state)
{
	AUTO_SESSION struct session *s = make_session("synth torus:4x4");
	struct progress p = {.cancel = true};
	struct advise_request rq = {.setup = s->setup, .engines = all_engines, .threads = 1};
	struct err e = {0};

	assert_null(advise_run(&rq, &p, &e));
	assert_string_equal(e.msg, CANCELLED);
	atomic_store(&p.cancel, false);
	rq.within = 1e-9; /* over before it begins: it names all that it did not try */
	AUTO_ADVICE struct advice *a = advise_run(&rq, &p, &e);
	assert_non_null(a);
	assert_true(a->late && !a->n_measured && !advice_complete(a));
	assert_false(progress_cancelled(&p)); /* the limit went with it */
}

/* --- the order alone --------------------------------------------------------------------------------- */

static void order_and_reasons(void **state)
{
	AUTO_SESSION struct session *s = make_session("synth xgft:2,2:1,2");
	AUTO_ADVICE struct advice *routed = advise(s, 0, 1);
	struct advice_row rows[6] = {0};
	struct advice a = {.row = rows, .n = ARRAY_LEN(rows)};
	static const struct {
		enum advice_class class;
		uint32_t lost, loops, max_load, fallbacks;
		double ebb, shift;
	} in[] = {
		{ADVICE_SOUND, 0, 0, 4001, 0, 0.9, 1},	/* sound, but 4001 > 4 * 1000 */
		{ADVICE_NEARLY, 3, 0, 1000, 0, 0.5, 5}, /* B */
		{ADVICE_UNSOUND, 0, 2, 10, 0, 1.0, 1},	/* C */
		{ADVICE_SOUND, 0, 0, 4000, 1, 0.7, 1},	/* falls back */
		{ADVICE_SOUND, 0, 0, 4000, 0, 0.60, 3}, /* A: as good as the next but for the shift */
		{ADVICE_SOUND, 0, 0, 4000, 0, 0.595, 2},
	};
	static const struct {
		unsigned is;
		const char *reason;
	} out[] = {
		{5, "mean shift 2.00 against 3.00 (effective bisection equal within its intervals)"},
		{4, "the next gives way to another engine after 1 failure of 9"},
		{3, "the next loses 3 pairs"},
		{1, "most routes on a link 1000 against 4001"},
		{0, "the next has 2 credit loops"},
		{2, NULL},
	};

	for (unsigned i = 0; i < a.n; i++)
		rows[i] = (struct advice_row){.kind = &drift_candidates[i],
					      .sweep = routed->row[0].sweep,
					      .class = in[i].class,
					      .lost = in[i].lost,
					      .loops = in[i].loops,
					      .max_load = in[i].max_load,
					      .vls = i + 1, /* so that none are one row */
					      .ebb = {.value = in[i].ebb, .half_width = 0.005},
					      .shift_mean = in[i].shift,
					      .failures = 9,
					      .failure_fallbacks = in[i].fallbacks};
	advice_rank(&a);
	assert_int_equal(a.n_ranked, a.n);
	for (unsigned i = 0; i < a.n; i++) {
		assert_ptr_equal(rows[i].kind, &drift_candidates[out[i].is]);
		if (out[i].reason)
			assert_string_equal(rows[i].reason, out[i].reason);
		else
			assert_null(rows[i].reason);
		free(rows[i].reason);
	}
}

/* --- the command ------------------------------------------------------------------------------------- */

static unsigned count_lines(const char *text)
{
	unsigned n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

/* Three engines that took 1, 5 and 2 s; each of 2 threads tries 10 of 20 failures.  The time is made up. */
static void those_that_take_too_long_come_last(void **state)
{
	static const struct {
		double left[3];
		unsigned order[3]; /* rows in the order in which they are tried */
		bool too_long[3];
	} all[] = {
		{{-1, -1, -1}, {0, 1, 2}, {false, false, false}}, /* no limit */
		{{81, 71, 21}, {0, 1, 2}, {false, false, false}},
		{{60, 50, 0}, {0, 1, 2}, {false, false, true}}, /* just enough for the second */
		{{60, 49.9, 29}, {0, 2, 1}, {false, true, false}},
		{{30, 20, 0}, {0, 2, 1}, {false, true, false}},
		{{30, 19.9, 9}, {0, 1, 2}, {false, true, true}},
		{{9, 5, 0}, {0, 1, 2}, {true, true, true}}, /* for none: as they rank */
		{{25, 20, 0}, {0, 2, 1}, {false, true, false}},
	};

	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		struct advice_row row[4] = {{.seconds = 1, .untried = true},
					    {.seconds = 5, .untried = true},
					    {.seconds = 2, .untried = true},
					    {.seconds = 1}}; /* not sound: not tried */
		struct advice a = {.row = row, .n = 4, .n_routed = 4};

		for (unsigned k = 0; k < 3; k++) {
			struct advice_row *r = advise_next(&a, 10, all[i].left[k]);

			assert_ptr_equal(r, &row[all[i].order[k]]);
			r->untried = false;
		}
		assert_null(advise_next(&a, 10, 0));
		for (unsigned k = 0; k < 3; k++)
			assert_int_equal(row[k].too_long, all[i].too_long[k]);
		assert_false(row[3].too_long);
	}
}

/* What is written routes as advised when it is read again. */
static void written_files(void **state)
{
	AUTO_TEMP char *folder = temp_folder();
	AUTO_SESSION struct session *s = make_session("synth xgft:4,4,4:1,2,4");

	line_says(s, line_of("advise write %s/best rank 1 failures 2", folder), "ftree, roots by levels");
	AUTO_FREE char *conf = file_text(line_of("%s/best", folder));
	AUTO_FREE char *roots = file_text(line_of("%s/best.roots", folder));
	AUTO_FREE char *cn = file_text(line_of("%s/best.cn", folder));
	assert_string_equal(conf,
			    line_of("# advised by ibscope; lines for opensm.conf\nrouting_engine ftree\n"
				    "root_guid_file %s/best.roots\ncn_guid_file %s/best.cn\n",
				    folder, folder));
	assert_int_equal(count_lines(roots), 8);
	assert_int_equal(count_lines(cn), 64);
}

static void words_wrong(void **state)
{
	AUTO_SESSION struct session *s = make_session("synth ring:3");
	struct progress p = {.cancel = true};
	struct advise_request rq = {.setup = s->setup, .engines = all_engines};
	struct err e = {0};

	line_fails(s, "advise failures -1", "expected a number from 0 to");
	line_fails(s, "advise failures 2x", "found \"2x\"");
	line_fails(s, "advise write /nowhere/x failures 0", "/nowhere/x");
	line_fails(s, "advise write /tmp/x rank 99 failures 0", "expected 1 to");
	line_fails(s, "advise write 'a#b' failures 0", "opensm.conf");
	line_fails(s, "advise rank 2", "expected: advise");
	assert_null(advise_run(&rq, &p, &e));
	assert_string_equal(e.msg, CANCELLED);
}

/* Nobody should take what has credit loops: said by the status. */
static void status(void **state)
{
	AUTO_SESSION struct session *s = make_session("synth xgft:2,2:1,2");
	struct err e;
	bool fault = true;
	int rc;
	AUTO_FREE char *text = run_line(s, "advise failures 0", &rc, &e, true, &fault);

	assert_int_equal(rc, 0);
	assert_false(fault);
	assert_non_null(strstr(text, "\"advice\""));
}

static struct advice *came[64]; /* so far, in the order in which they came */
static unsigned n_came;

static void advice_comes(void *so_far)
{
	assert_true(n_came < ARRAY_LEN(came));
	came[n_came++] = so_far;
}

/* A row comes when it is measured, and its failures when they are tried: with the figures of the end. */
static void rows_as_they_come(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth xgft:4,4:1,2; route minhop");
	struct advise_request rq = {.setup = s->setup,
				    .engines = all_engines,
				    .now = session_sweep(s),
				    .failures = 4,
				    .threads = 2,
				    .ready = advice_comes};
	struct err e;
	AUTO_ADVICE struct advice *whole = advise_run(&rq, NULL, &e);

	assert_non_null(whole);
	assert_true(n_came >= whole->n_routed && came[0]->n_measured <= 1);
	for (unsigned k = 0; k < n_came; k++) {
		const struct advice *a = came[k];

		assert_int_equal(a->n, whole->n);
		assert_true(!k || a->n_measured >= came[k - 1]->n_measured);
		for (unsigned i = 0; i < a->n_routed; i++) {
			const struct advice_row *was = &a->row[i];
			const struct advice_row *is = row_of(whole, was->kind->engine, was->options);

			assert_non_null(is);
			assert_int_equal(was->max_load, is->max_load);
			assert_true(was->ebb.value == is->ebb.value && was->class == is->class);
			assert_int_equal(was->failures, was->untried ? 0 : is->failures);
		}
	}
	assert_false(came[n_came - 1]->untried);
	while (n_came)
		advice_free(came[--n_came]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures),
		cmocka_unit_test(all_alike),
		cmocka_unit_test(same_on_all_cores),
		cmocka_unit_test(stopped),
		cmocka_unit_test(stopped_at_once),
		cmocka_unit_test(order_and_reasons),
		cmocka_unit_test(those_that_take_too_long_come_last),
		cmocka_unit_test(written_files),
		cmocka_unit_test(words_wrong),
		cmocka_unit_test(status),
		cmocka_unit_test(rows_as_they_come),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
