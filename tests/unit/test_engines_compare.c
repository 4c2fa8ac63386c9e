/* Engines side by side: every figure against plain path tracing, the request, the pane. */
#include "core/base/rng.h"
#include "tests/unit/fixture.h"

#include "core/analysis/credit/check.h"
#include "core/analysis/compare/figures.h"
#include "core/routing/paths.h"

/* --- the slow count --------------------------------------------------------------------------- */

struct slow {
	uint64_t unreachable, paths, hops, elements, cases, first, link_cases, links;
	uint32_t most_hops, most_elements, least_first, least_links, usage;
};

static bool is_host(const struct routing *r, uint32_t ep)
{
	return r->topo->endport_up[ep] && !endport_is_switch(r->topo->fabric, ep) &&
	       r->topo->endport_switch[ep] != NO_ID;
}

static void slow_pair(struct slow *s, const struct routing *r, const struct elements *el, uint32_t src,
		      uint32_t dst)
{
	for (unsigned k = 0; k < r->lids->count[dst]; k++) {
		uint32_t elements = 1;
		struct path p;

		path_trace(r, src, 0, r->lids->base[dst] + k, &p);
		if (p.end != PATH_OK) {
			s->unreachable++;
		} else {
			for (unsigned i = 1; i < p.n; i++)
				elements += el->of[p.hop[i].sw] != el->of[p.hop[i - 1].sw];
			s->paths++;
			s->hops += p.hops;
			s->elements += elements;
			s->most_hops = p.hops > s->most_hops ? p.hops : s->most_hops;
			s->most_elements = elements > s->most_elements ? elements : s->most_elements;
		}
		path_free(&p);
	}
}

/* All LIDs of a host, from one host on a switch: the sets of ports met, as a byte a port. */
static void slow_spread(struct slow *s, const struct routing *r, uint32_t src, uint32_t dst)
{
	const struct fabric *f = r->topo->fabric;
	uint32_t sw = r->topo->endport_switch[src], first = 0, links = 0;
	AUTO_FREE uint8_t *met = NEW_ARRAY(f->n_ports, uint8_t);
	uint8_t out[256] = {0};

	for (unsigned k = 0; k < r->lids->count[dst]; k++) {
		unsigned lid = r->lids->base[dst] + k;
		struct path p;

		out[routing_port(r, sw, lid)] = 1;
		path_trace(r, src, 0, lid, &p);
		for (unsigned i = 0; p.end == PATH_OK && i + 1 < p.n; i++)
			met[switch_port_id(f, p.hop[i].sw, p.hop[i].out)] = 1;
		path_free(&p);
	}
	for (unsigned p = 0; p < NO_PATH; p++)
		first += out[p];
	for (uint32_t p = 0; p < f->n_ports; p++)
		links += met[p];
	s->cases += first > 0;
	s->first += first;
	s->least_first = first && first < s->least_first ? first : s->least_first;
	s->link_cases += links > 0;
	s->links += links;
	s->least_links = links && links < s->least_links ? links : s->least_links;
}

static uint32_t slow_usage(const struct routing *r)
{
	const struct fabric *f = r->topo->fabric;
	uint32_t most = 0;

	for (uint32_t sw = 0; sw < f->n_switches; sw++) {
		for (unsigned p = 1; p <= f->switch_nports[sw]; p++) {
			uint32_t n = 0;

			for (unsigned lid = 1; lid <= MAX_LID; lid++)
				n += routing_port(r, sw, lid) == p;
			if (r->topo->peer_switch[switch_port_id(f, sw, p)] != NO_ID && n > most)
				most = n;
		}
	}
	return most;
}

static struct slow slow_count(const struct routing *r, const struct elements *el)
{
	const struct fabric *f = r->topo->fabric;
	struct slow s = {.least_first = UINT32_MAX, .least_links = UINT32_MAX};

	for (uint32_t dst = 0; dst < f->n_endports; dst++) {
		AUTO_FREE uint8_t *seen = NEW_ARRAY(f->n_switches, uint8_t);

		for (uint32_t src = 0; is_host(r, dst) && src < f->n_endports; src++) {
			if (src == dst || !is_host(r, src))
				continue;
			slow_pair(&s, r, el, src, dst);
			uint32_t sw = r->topo->endport_switch[src];
			if (sw != r->topo->endport_switch[dst] && !seen[sw] && r->lids->base[src]) {
				seen[sw] = 1;
				slow_spread(&s, r, src, dst);
			}
		}
	}
	s.usage = slow_usage(r);
	return s;
}

static double mean(uint64_t sum, uint64_t n)
{
	return n ? (double)sum / (double)n : 0;
}

static void expect_figures(const struct routing *r, const struct elements *el, const struct figures *f)
{
	struct slow s = slow_count(r, el);

	/* where there is no pair it is not known, which is not 0 */
	assert_true(f->v[FIG_UNREACHABLE] ==
		    (s.paths || s.unreachable ? (double)s.unreachable : FIGURE_UNKNOWN));
	assert_true(f->v[FIG_HOPS_MEAN] == mean(s.hops, s.paths));
	assert_true(f->v[FIG_HOPS_MOST] == s.most_hops);
	assert_true(f->v[FIG_ELEMENTS_MEAN] == mean(s.elements, s.paths));
	assert_true(f->v[FIG_ELEMENTS_MOST] == s.most_elements);
	assert_true(f->v[FIG_FIRST_MEAN] == mean(s.first, s.cases));
	assert_true(f->v[FIG_FIRST_LEAST] == (s.cases ? s.least_first : 0));
	assert_true(f->v[FIG_LINKS_MEAN] == mean(s.links, s.link_cases));
	assert_true(f->v[FIG_LINKS_LEAST] == (s.link_cases ? s.least_links : 0));
	assert_true(f->v[FIG_USAGE_MOST] == s.usage);
}

static void measure_and_compare(const struct routing *r)
{
	struct elements *el = elements_new(r->topo, NULL, NULL, NULL, NULL);
	struct check_result c;
	struct figures f;

	assert_int_equal(figures_of_tables(r, el, &f, NULL), 0);
	expect_figures(r, el, &f);
	assert_int_equal(check_routing(r, &c, NULL), 0);
	assert_true(f.v[FIG_UNREACHABLE] == (c.pairs ? (double)c.unreachable : FIGURE_UNKNOWN));
	assert_true(f.v[FIG_HOPS_MOST] == c.max_hops);
	assert_true(f.v[FIG_LOOPS] == FIGURE_UNKNOWN && f.v[FIG_DIFFER] == FIGURE_UNKNOWN);
	assert_int_equal(figures_of_tables(r, NULL, &f, NULL), 0);
	assert_true(f.v[FIG_ELEMENTS_MEAN] == FIGURE_UNKNOWN && f.v[FIG_HOPS_MOST] == c.max_hops);
	elements_unref(el);
}

/* Entries that lead nowhere, back, or to another host: what the engine promised is true no more. */
static void spoil(struct routing *r, uint64_t *seed)
{
	r->exact = NULL;
	for (int i = 0; i < 30; i++) {
		uint32_t sw = rng_below(seed, r->topo->fabric->n_switches);

		if (r->row[sw])
			r->row[sw]->port[1 + rng_below(seed, r->row[sw]->top)] =
				(uint8_t)(rng_below(seed, 3)
						  ? rng_below(seed, r->topo->fabric->switch_nports[sw] + 1u)
						  : 250 + rng_below(seed, 6)); /* 255: none */
	}
}

static void test_against_tracing(void **state)
{
	static const char *const specs[] = {"xgft:3,3,2:1,2,2",
					    "torus:3x3,hosts=2",
					    "director:2,3,2,4",
					    "ring:7",
					    "random:9,3,hosts=2,parallel=2,shuffle=1,seed=5",
					    "xgft:4:2"};
	static const char *const engines[] = {"minhop", "updn", "mincontention", "lash"};
	uint64_t seed = test_seed();

	for (unsigned i = 0; i < ARRAY_LEN(specs) * 4; i++) {
		const char *line = line_of("synth %s; route %s lmc=%u", specs[i / 4],
					   engines[rng_below(&seed, ARRAY_LEN(engines))], i % 4);
		AUTO_SESSION struct session *s = make_session(line);

		print_message("%s\n", line);
		measure_and_compare(session_routing(s));
		if (rng_below(&seed, 2)) {
			struct err e;
			int rc;

			/* there may be too few links */
			free(run_line(s, line_of("fail random 2 seed=%u", rng_below(&seed, 1000)), &rc, &e,
				      false, NULL));
			measure_and_compare(session_routing(s));
		}
		spoil((struct routing *)session_routing(s), &seed);
		measure_and_compare(session_routing(s));
	}
}

/* --- the request and what comes out ------------------------------------------------------------ */

static struct side_request *request(struct session *s, const char *words, struct err *e)
{
	struct side_base at = {.setup = s->setup, .list = s->engines, .sweep = session_sweep(s)};
	const char *rest;
	char **argv;
	int argc;

	assert_int_equal(words_split(words, &rest, &argc, &argv, e), 0);
	struct side_request *rq = side_request_new(&at, argc, argv, e);
	words_free(argc, argv);
	return rq;
}

static void test_request(void **state)
{
	static const struct {
		const char *before, *words;
		bool equal;
	} cases[] = {
		{"show", "minhop updn", true},
		{"show", "updn minhop", false},
		{"show", "minhop updn lmc=0", true},
		{"show", "minhop lmc=1 updn", false},
		{"fail link leaf-01[5]", "minhop updn", false},
	};
	AUTO_SESSION struct session *s = make_session("synth xgft:4,4:1,4; route minhop");
	struct err e;
	struct side_request *a = request(s, "minhop updn", &e);

	assert_ptr_equal(a->lids_of, session_sweep(s));
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		ok_line(s, cases[i].before);
		struct side_request *b = request(s, cases[i].words, &e);
		if (side_request_equal(a, b) != cases[i].equal)
			fail_msg("%s; %s", cases[i].before, cases[i].words);
		/* restarted with another LMC: from these LIDs */
		assert_ptr_equal(b->lids_of, session_sweep(s));
		side_request_unref(b);
	}
	side_request_unref(a);
	assert_null(request(s, "minhop nosuch", &e));
	assert_non_null(strstr(e.msg, "nosuch"));
	assert_null(request(s, "minhop lmc=8", &e));
	assert_null(request(s, "minhop what=8", &e));
	assert_null(request(
		s, "updn updn updn updn updn updn updn updn updn updn updn updn updn updn updn updn updn",
		&e));
	assert_non_null(strstr(e.msg, "16"));
}

/* What is measured outlives the session's event; the tables that differ are those the comparison counts. */
static void test_measure(void **state)
{
	AUTO_SESSION struct session *s = make_session("synth xgft:4,4:1,4; route minhop");
	struct engine_figures *f[3];
	struct progress stop = {.cancel = true};
	struct err e;
	char buf[40];

	struct side_request *rq = request(s, "minhop lash ftree lmc=1", &e);
	assert_null(side_measure(rq, 0, NULL, &stop, &e));
	assert_string_equal(e.msg, CANCELLED);
	ok_line(s, "fail link leaf-01[5]");
	for (unsigned i = 0; i < 3; i++)
		assert_non_null(f[i] = side_measure(rq, i, i ? f[0] : NULL, NULL, &e));
	assert_null(f[0]->refused);
	assert_true(f[0]->f.v[FIG_DIFFER] == 0);
	assert_int_equal(f[0]->routing->lids->lmc, 1);
	assert_true(f[0]->f.v[FIG_FIRST_MEAN] == 2 && f[0]->f.v[FIG_LINKS_LEAST] == 4);
	assert_string_equal(figure_text(&f[0]->f, FIG_HOPS_MEAN, buf, sizeof(buf)), "3.600");
	assert_string_equal(figure_text(&f[1]->f, FIG_SLS, buf, sizeof(buf)), "0");
	/* as asked for before the failure: 2 x 4 x 12 pairs with one end at a leaf, over its four cables */
	assert_true(f[0]->f.v[FIG_BOUND] == 24 && f[0]->f.v[FIG_EDGE_MOST] == 24);
	assert_true(f[0]->f.v[FIG_VLS] == 1 && f[1]->f.v[FIG_VLS] == 1);
	assert_non_null(strstr(f[2]->refused, "lmc"));
	assert_null(f[1]->routing);
	ok_line(s, "undo; set lmc 1; route lash");
	const struct routing *other = session_routing(s);
	assert_true(f[1]->f.v[FIG_DIFFER] == (double)entries_unlike(f[0]->routing, other));
	AUTO_ARENA struct comparison *c = compare_routings(f[0]->routing, other, NULL);
	assert_true(f[1]->f.v[FIG_DIFFER] == (double)c->entries_changed);
	assert_true(c->entries_changed > 0);
	side_request_unref(rq);
	for (unsigned i = 0; i < 3; i++)
		engine_figures_free(f[i]);
}

/* Figures of "tables" beside minhop and lash. */
static void measure_handed(struct session *s, struct engine_figures *f[3])
{
	struct err e;
	struct side_request *rq = request(s, "tables minhop lash", &e);

	for (unsigned i = 0; i < 3; i++) {
		assert_non_null(f[i] = side_measure(rq, i, i ? f[0] : NULL, NULL, &e));
		assert_null(f[i]->refused);
	}
	side_request_unref(rq);
}

/*
 * Tables and SLs that somebody hands in: those of LASH without its name are judged as LASH is, engines beside
 * them have their own SLs, and so has an engine that routes afterwards; with SL 0 for all the same tables
 * have loops.
 */
static void test_handed_in(void **state)
{
	static const char *const fabrics[] = {"ring:5", "ring:8", "torus:4x4", "torus:5x5"};
	AUTO_TEMP char *lfts = temp_file("");
	AUTO_TEMP char *sls = temp_file("");

	for (unsigned i = 0; i < ARRAY_LEN(fabrics); i++) {
		AUTO_SESSION struct session *s = make_session(line_of("synth %s; set qos TRUE", fabrics[i]));
		struct engine_figures *f[3];
		struct err e;

		struct side_request *rq = request(s, "minhop", &e);
		assert_non_null(f[0] = side_measure(rq, 0, NULL, NULL, &e));
		double minhop_loops = f[0]->f.v[FIG_LOOPS];
		engine_figures_free(f[0]);
		side_request_unref(rq);
		ok_linef(s, "route lash; export lfts %s; export paths %s; tables %s %s", lfts, sls, lfts,
			 sls);
		measure_handed(s, f);
		assert_true(f[0]->f.v[FIG_SLS] == f[2]->f.v[FIG_SLS] && f[0]->f.v[FIG_SLS] >= 2);
		assert_true(f[0]->f.v[FIG_LOOPS] == 0 && f[2]->f.v[FIG_LOOPS] == 0);
		assert_true(f[2]->f.v[FIG_DIFFER] == 0);
		for (unsigned k = FIG_UNREACHABLE; k < FIG_SLS; k++)
			assert_true(f[0]->f.v[k] == f[2]->f.v[k]);
		assert_true(f[1]->f.v[FIG_SLS] == 1 && f[1]->f.v[FIG_LOOPS] == minhop_loops);
		for (unsigned k = 0; k < 3; k++)
			engine_figures_free(f[k]);
		/* the engine's own SLs; the handed-in ones come back with their tables */
		line_says(s, "check", "Sound");
		ok_line(s, "route minhop");
		assert_string_equal(options_get(s->setup->options, "path_sl_file"), "");
		line_says(s, "check", minhop_loops > 0 ? "VL 0: credit loops" : "Sound");
		ok_line(s, "undo");
		assert_string_equal(options_get(s->setup->options, "path_sl_file"), sls);
		line_says(s, "check", "Sound");

		AUTO_TEXT struct text zero = {0};
		for (unsigned a = 1; a <= session_routing(s)->lids->max_lid; a++)
			for (unsigned b = 1; b <= session_routing(s)->lids->max_lid; b++)
				if (a != b)
					text_add(&zero, "%u %u 0\n", a, b);
		file_write(sls, text_str(&zero));
		ok_linef(s, "tables %s %s", lfts, sls);
		measure_handed(s, f);
		assert_true(f[0]->f.v[FIG_SLS] == 1 && f[0]->f.v[FIG_LOOPS] > 0);
		assert_true(f[2]->f.v[FIG_SLS] >= 2 && f[2]->f.v[FIG_LOOPS] == 0 &&
			    f[2]->f.v[FIG_DIFFER] == 0);
		for (unsigned k = 0; k < 3; k++)
			engine_figures_free(f[k]);
	}
}

static void test_diff(void **state)
{
	AUTO_SESSION struct session *s =
		make_session("synth xgft:4,4:1,4; route minhop lmc=2; fail link leaf-01[5]");

	line_says(s, "diff", "first links per host, least   4 -> 3");
	line_says(s, "diff", "all links per host, mean      8.00 -> 7.00");
	json_auto_t *root = line_object(s, "diff");
	const json_t *o = json_object_get(json_object_get(root, "figures"), "links_min");
	assert_int_equal(json_integer_value(json_object_get(o, "was")), 8);
	assert_int_equal(json_integer_value(json_object_get(o, "now")), 6);
	ok_line(s, "snapshot here");
	line_lacks(s, "diff here here", "links per host");
}

/* --- the pane ----------------------------------------------------------------------------------- */

/* As the interface does: compute what is asked for until nothing is; the number of engines measured. */
static unsigned settle(struct scene *sc, struct view *v)
{
	struct progress p = {0};
	unsigned n = 0, before;

	do {
		before = n;
		view_refresh(v);
		for (unsigned i = 0; i < v->n_ask; i++) {
			const struct ask *a = &v->ask[i];

			if (scene_result(sc, a))
				continue;
			n += a->task != &task_loads; /* asked for besides, for what Enter opens */
			scene_add_result(sc, ask_run(a, &p, NULL));
		}
	} while (n > before || v->waiting);
	assert_false(v->waiting);
	return n;
}

static void expect_cell(const struct view *v, uint32_t row, unsigned col, const char *want)
{
	AUTO_TEXT struct text t = {0};

	row_cell(v, row, col, &t);
	assert_string_equal(text_str(&t), want);
}

static void expect_text(void (*say)(const struct view *, struct text *), const struct view *v,
			const char *want)
{
	AUTO_TEXT struct text t = {0};

	say(v, &t);
	assert_string_equal(text_str(&t), want);
}

static void expect_follow(const struct view *v, uint32_t row, const char *want)
{
	AUTO_TEXT struct text t = {0};

	view_follow(v, row, &t);
	assert_string_equal(text_str(&t), want);
}

static void take_again(struct scene *sc, struct session *s)
{
	scene_take(sc, s);
	scene_drop_results(sc);
}

static void test_pane(void **state)
{
	AUTO_SESSION struct session *s = make_session("synth xgft:4,4:1,4; route lash");
	char *argv[] = {(char[]){"mincontention"}, (char[]){"lash"}, (char[]){"ftree"}, (char[]){"lmc=2"}};
	AUTO_SCENE struct scene sc = {0};
	struct err e;

	scene_take(&sc, s);
	AUTO_VIEW struct view *v = view_new(&view_compare, &sc, 4, argv, &e);
	assert_non_null(v);
	assert_int_equal(settle(&sc, v), 3);
	assert_int_equal(v->n_rows, FIGURES + 1);
	assert_string_equal(view_column_name(v, 2), "lash "); /* another LMC than in force */
	assert_string_equal(view_column_name(v, 3), "ftree ");
	assert_string_equal(view_column_name(v, 4), "");
	assert_int_equal(v->width[4], 0);
	assert_int_equal(view_column(v, "mincon", &e), 1);
	expect_text(v->ops->title, v, "Compare 3 engines ── lmc=2");
	expect_text(v->ops->footer, v, "* best of its row; each as if it started now");
	assert_int_equal(row_marks(v, 0), MARK_DOWN);
	expect_cell(v, 0, 0,
		    "ftree refuses: lmc is 2, and fat-tree routing knows one LID a port only; `set lmc 0`");
	expect_cell(v, 1 + FIG_UNREACHABLE, 1, "0 ");
	expect_cell(v, 1 + FIG_FIRST_LEAST, 1, "4*");
	expect_cell(v, 1 + FIG_FIRST_LEAST, 2, "1 ");
	expect_cell(v, 1 + FIG_FIRST_LEAST, 3, "- ");
	expect_cell(v, 1 + FIG_DIFFER, 1, "- ");
	expect_follow(v, 0, "");
	expect_follow(v, 1 + FIG_LOOPS, "pane cycle all");
	expect_follow(v, 1 + FIG_HOPS_MEAN, "pane histogram");
	assert_int_equal(view_key(v, 0), FIGURES + 2);
	/* nothing changed: nothing is computed again; a link lost: everything is */
	take_again(&sc, s);
	assert_int_equal(settle(&sc, v), 0);
	ok_line(s, "fail link leaf-01[5]");
	take_again(&sc, s);
	assert_int_equal(settle(&sc, v), 3);
	expect_cell(v, 1 + FIG_FIRST_LEAST, 1, "3*");
}

/* Without arguments, without tables, without a fabric. */
static void test_pane_alone(void **state)
{
	AUTO_SESSION struct session *s = session_new(all_engines, all_commands);
	char *argv[] = {(char[]){"nosuch"}};
	AUTO_SCENE struct scene sc = {0};
	struct err e;

	scene_take(&sc, s);
	assert_null(view_new(&view_compare, &sc, 1, argv, &e));
	AUTO_VIEW struct view *v = view_new(&view_compare, &sc, 0, NULL, &e);
	assert_int_equal(settle(&sc, v), 0);
	assert_int_equal(v->n_rows, 0);
	ok_line(s, "synth ring:5");
	take_again(&sc, s);
	assert_int_equal(settle(&sc, v), 3);
	expect_text(v->ops->title, v, "Compare 3 engines");
	expect_text(v->ops->footer, v, "* best of its row; each as if it started now");
	assert_int_equal(v->n_rows, FIGURES + 2); /* a ring has neither roots nor a top */
	expect_cell(v, 2 + FIG_LOOPS, 1, "2 ");
	expect_follow(v, 2 + FIG_LOOPS, "");
	ok_line(s, "route lash qos=TRUE");
	take_again(&sc, s);
	assert_int_equal(settle(&sc, v), 4);
	assert_string_equal(view_column_name(v, 1), "[lash]");
	expect_text(v->ops->footer, v, "[lash] in force, * best of its row; each as if it started now");
	expect_cell(v, 2 + FIG_LOOPS, 1, "0*");
	assert_null(view_new(&view_compare, &sc, 1, argv, &e));
	assert_non_null(strstr(e.msg, "nosuch"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_tracing),
		cmocka_unit_test(test_request),
		cmocka_unit_test(test_measure),
		cmocka_unit_test(test_handed_in),
		cmocka_unit_test(test_diff),
		cmocka_unit_test(test_pane),
		cmocka_unit_test(test_pane_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
