/*
 * survey: figures of a three-level fat tree (worked out by another program), each row by the difference
 * against the same from nothing, shares that are merged, pairs drawn, chassis and cards.
 */
#include "fixture.h"

#include <sys/stat.h>

#include "core/analysis/survey/survey.h"
#include "core/analysis/survey/share.h"
#include "core/base/json.h"
#include "core/base/progress.h"
#include "core/session/patterns.h"
#include "core/base/rng.h"
#include "core/fabric/elements.h"

#define DEMO "load tests/fabrics/demo-3level.ibnet"

/* One to three links and nodes at once, several times: hosts leave switches that stay. */
static struct parts *draw_plan(const struct fabric *f, uint64_t seed)
{
	struct parts *p = NEW(struct parts);

	*p = (struct parts){.fabric = fabric_ref(f), .kind = PART_MIXED, .n = 12};
	p->first = NEW_ARRAY(p->n + 1, uint32_t);
	p->id = NEW_ARRAY(3 * p->n, uint32_t);
	p->name = NEW_ARRAY(p->n, char *);
	for (uint32_t i = 0; i < p->n; i++) {
		p->name[i] = str_printf("part %u", i);
		p->first[i + 1] = p->first[i] + 1 + rng_below(&seed, 3);
		for (uint32_t k = p->first[i]; k < p->first[i + 1]; k++)
			p->id[k] = rng_below(&seed, f->n_links + (rng_below(&seed, 2) ? f->n_nodes : 0));
	}
	return p;
}

/* By words as behind the command; or "plan SEED". */
static struct survey *survey(struct session *s, const char *words, unsigned threads, bool whole)
{
	struct survey_request rq = {0};
	bool plan = sscanf(words, "plan %" SCNu64, &rq.seed) == 1;
	char *copy = str_dup(plan ? "links" : words), *save = NULL, *argv[16], name[] = "survey";
	struct err e = {0};
	struct args args;
	int argc = 1;

	if (plan) {
		rq.plan = draw_plan(session_sweep(s)->fabric, rq.seed);
		rq.n_alone = rq.plan->n;
	}
	argv[0] = name;

	for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save))
		argv[argc++] = w;
	args = (struct args){.argc = argc, .argv = argv};
	if (args_read(s, command_find(s, name, &e)->syntax, NULL, &args, &e) || survey_asked(&rq, &args, &e))
		fail_msg("%s: %s", words, e.msg);
	args_free(&args);
	rq.before = session_sweep(s);
	rq.engines = all_engines;
	rq.threads = threads;
	rq.whole = whole;
	struct survey *found = survey_run(&rq, NULL, &e);
	if (!found)
		fail_msg("%s: %s", words, e.msg);
	free(copy);
	return found;
}

/* A row as one line: what, lost, cut off, between, engine, load, rerouted, entries. */
static void expect_row(const struct survey *s, uint32_t i, const char *want)
{
	assert_true(i < s->n);
	AUTO_FREE char *what = survey_what(s->parts, s->row[i].part);
	AUTO_FREE char *got =
		str_printf("%s: %" PRIu64 " = %" PRIu64 " + %" PRIu64 ", %s, %u, %" PRIu64 ", %" PRIu64, what,
			   s->row[i].lost, s->row[i].cut_off, s->row[i].between_survivors, s->row[i].engine,
			   s->row[i].load_after, s->row[i].rerouted, s->row[i].entries);
	assert_string_equal(got, want);
}

static uint32_t rows_with(const struct survey *s, uint32_t load, uint64_t rerouted)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->n; i++)
		n += s->row[i].load_after == load && s->row[i].rerouted == rerouted;
	return n;
}

static void links_of_a_tree(void **state)
{
	AUTO_SESSION struct session *s = session_after(DEMO "; route minhop");
	struct survey *v = survey(s, "links", 2, false);
	bool found = false;

	assert_int_equal(v->n, 128);
	assert_int_equal(v->load_before, 192);
	expect_row(v, 0, "spine-01[5] core-01[1]: 0 = 0 + 0, minhop, 192, 384, 109");
	expect_row(v, 1, "core-01[2] spine-05[5]: 0 = 0 + 0, minhop, 192, 384, 79");
	assert_int_equal(rows_with(v, 192, 384), 16);
	expect_row(v, 16, "leaf-01[5] spine-01[1]: 0 = 0 + 0, minhop, 192, 120, 121");
	for (uint32_t i = 0; i < v->n; i++) {
		assert_int_equal(v->row[i].load_after, 192);
		assert_int_equal(v->row[i].new_loops, 0);
		assert_false(v->row[i].fallback);
	}
	arena_free(v);
	ok_line(s, "route updn");
	v = survey(s, "links", 2, false);
	expect_row(v, 0, "leaf-01[5] spine-01[1]: 0 = 0 + 0, updn, 192, 960, 1186");
	expect_row(v, 1, "spine-01[2] leaf-02[5]: 0 = 0 + 0, updn, 192, 960, 1186");
	expect_row(v, 2, "spine-01[3] leaf-03[5]: 0 = 0 + 0, updn, 192, 960, 1186");
	for (uint32_t i = 0; i < v->n; i++) {
		AUTO_FREE char *what = survey_what(v->parts, v->row[i].part);

		assert_false(v->row[i].fallback);
		if (strcmp(what, "leaf-01[6] spine-02[1]") == 0) {
			expect_row(v, i, "leaf-01[6] spine-02[1]: 0 = 0 + 0, updn, 192, 960, 946");
			found = true;
		}
	}
	assert_true(found);
	arena_free(v);
	ok_line(s, "route ftree");
	v = survey(s, "links", 2, false);
	assert_int_equal(v->load_before, 60);
	expect_row(v, 0, "leaf-01[5] spine-01[1]: 0 = 0 + 0, minhop, 120, 120, 889");
	for (uint32_t i = 0; i < v->n; i++) {
		assert_true(v->row[i].fallback);
		assert_int_equal(v->row[i].load_after, i < 64 ? 120 : 96);
	}
	arena_free(v);
}

static void switches_of_a_tree(void **state)
{
	static const char *const first[] = {"leaf-01", "leaf-05", "leaf-09", "leaf-13"};
	AUTO_SESSION struct session *s = session_after(DEMO "; route minhop");
	struct survey *v = survey(s, "switches", 2, false);

	assert_int_equal(v->n, 48);
	for (uint32_t i = 0; i < 4; i++) {
		AUTO_FREE char *want = str_printf("%s: 492 = 492 + 0, minhop, 176, 0, 331", first[i]);

		expect_row(v, i, want);
		assert_int_equal(v->row[i].hosts_gone, 4);
		assert_int_equal(v->row[i].outside, 0);
	}
	expect_row(v, 4, "leaf-02: 492 = 492 + 0, minhop, 176, 0, 235");
	expect_row(v, 16, "core-01: 0 = 0 + 0, minhop, 192, 768, 155");
	arena_free(v);
	ok_line(s, "route updn");
	v = survey(s, "switches", 2, false);
	for (uint32_t i = 0; i < 16; i++) {
		AUTO_FREE char *want = str_printf("leaf-%02u: 492 = 492 + 0, updn, 176, 0, 235", i + 1);

		expect_row(v, i, want);
	}
	expect_row(v, 16, "spine-01: 0 = 0 + 0, updn, 192, 960, 1169");
	arena_free(v);
	ok_line(s, "route ftree");
	v = survey(s, "switches", 2, false);
	expect_row(v, 0, "leaf-01: 492 = 492 + 0, minhop, 176, 2016, 1594");
	for (uint32_t i = 0; i < v->n; i++) {
		assert_true(v->row[i].fallback);
		if (i && i < 16)
			assert_true(v->row[i].cut_off == 492 && v->row[i].load_after == 56 &&
				    !v->row[i].rerouted && v->row[i].entries == 1051);
	}
	arena_free(v);
}

/* --- the difference, threads and shares give the same ------------------------------------------------ */

static char *json_of(const struct survey *v)
{
	json_auto_t *list = json_array();

	for (uint32_t i = 0; i < v->n; i++)
		json_array_append_new(list, survey_row_json(v, &v->row[i]));
	return json_dumps(list, JSON_SORT_KEYS);
}

static void expect_same(struct session *s, const char *place, const char *words)
{
	AUTO_ARENA struct survey *a = survey(s, words, 1, true), *b = survey(s, words, 3, false),
				 *c = survey(s, words, 1, false);
	AUTO_FREE char *x = json_of(a), *y = json_of(b), *z = json_of(c);

	assert_int_equal(a->load_before, b->load_before);
	for (uint32_t i = 0; strcmp(x, y) != 0 && i < a->n; i++) {
		json_t *p = survey_row_json(a, &a->row[i]), *q = survey_row_json(b, &b->row[i]);

		if (!json_equal(p, q))
			fail_msg("%s, survey %s: row %u from nothing:\n%s\nby the difference:\n%s", place,
				 words, i, json_dumps(p, 0), json_dumps(q, 0));
		json_decref(p);
		json_decref(q);
	}
	assert_string_equal(y, z);
}

/* What a share and a sample say of themselves. */
static void told(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth xgft:2,2:1,2; route minhop");
	AUTO_TEMP char *path = temp_file("node,port,ticket\nleaf-01,4,T1\nleaf-02,4,T2\n");
	AUTO_FREE char *line = str_printf("survey file %s", path);
	size_t n = 0;
	struct err e;
	int rc;

	line_says(s, "survey links shard 1/2", "Share 1 of 2: 2 of 4 failures of links under minhop;");
	ok_line(s, "synth xgft:3,3:1,2; route minhop");
	line_says(
		s, "survey pairs 5 links seed=1",
		"Bad: 1 of 5 (not routed, pairs lost between survivors, new credit loops, or pairs lost that "
		"neither failure costs alone): 20.00 %, of all pairs 3.62 to 62.45 % (95 % interval).");
	AUTO_FREE char *text = run_line(s, line, &rc, &e, true, NULL);
	assert_int_equal(rc, 0);
	for (const char *p = text; (p = strstr(p, "\"when\":\"")); p += 8) {
		static const char *const when[] = {"alone\"", "alone\"", "in order\"", "together\""};

		assert_true(n < 4);
		assert_memory_equal(p + 8, when[n], strlen(when[n]));
		n++;
	}
	assert_int_equal(n, 4);
}

static void difference_tells(void **state)
{
	static const char *const fabric[] = {"xgft:3,3,2:1,2,2",
					     "torus:4x3,fail=2",
					     "ring:6",
					     "mesh:3x3",
					     "random:12,3,seed=5",
					     "dragonfly:2,2,1",
					     "director:2,3,2,4,hosts=2",
					     "xgft:2,2:1,2"};
	static const char *const route[] = {
		"route minhop",	      "route updn",	     "route minhop lmc=1",    "route ftree",
		"route lash",	      "route lash qos=TRUE", "route dfsssp qos=TRUE", "route dor",
		"route nue qos=TRUE", "route sssp"};
	static const char *const words[] = {"links",  "switches", "pairs 6", "pairs 4 switches seed=9",
					    "plan 1", "plan 2",	  "plan 3",  "plan 4"};
	uint64_t seed = test_seed();
	struct err e;
	int rc;

	for (int k = 0; k < 14; k++) {
		const char *f = fabric[rng_below(&seed, ARRAY_LEN(fabric))];
		const char *r = route[rng_below(&seed, ARRAY_LEN(route))];
		AUTO_FREE char *place = str_printf("%s, %s", f, r);
		AUTO_SESSION struct session *s = session_after("synth %s", f);

		if (rng_below(&seed, 3) == 0)
			ok_line(s, "set aggregation_nodes count");
		free(run_line(s, r, &rc, &e, false, NULL));
		if (!rc && rng_below(&seed, 3) == 0)
			free(run_line(s, "fail random 1 seed=3", &rc, &e, false, NULL));
		if (!rc && rng_below(&seed, 4) == 0) {
			free(run_line(s, "scope node000[1-5]", &rc, &e, false, NULL));
			rc = 0;
		}
		if (!rc && session_sweep(s) && session_sweep(s)->routing)
			expect_same(s, place, words[rng_below(&seed, ARRAY_LEN(words))]);
	}
}

/* New credit loops, and pairs in a part that the subnet manager does not see. */
static void loops_and_parts(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth mesh:4x4; route dor");
	struct survey *v = survey(s, "links", 2, false);
	uint32_t loops = 0;

	for (uint32_t i = 0; i < v->n; i++) {
		loops += v->row[i].new_loops != 0;
		assert_int_equal(survey_bad(&v->row[i]), v->row[i].new_loops != 0);
		if (i)
			assert_true(survey_order(&v->row[i - 1], &v->row[i]) < 0);
	}
	assert_int_equal(v->n, 24);
	assert_int_equal(loops, 12);
	arena_free(v);
	expect_same(s, "mesh:4x4, dor", "links");
	/* a chain of four switches with two hosts each: the middle cable parts 2 from 2 */
	ok_line(s, "synth mesh:4x1,hosts=2");
	ok_line(s, "route minhop");
	v = survey(s, "links", 2, false);
	assert_int_equal(v->n, 3);
	expect_row(v, 1, "m10[3] m20[4]: 44 = 44 + 0, minhop, 4, 0, 12");
	assert_int_equal(v->row[1].cut_off, 2 * 4 * 4 + 4 * 3);
	assert_int_equal(v->row[1].outside, 4 * 3);
	assert_int_equal(v->row[1].hosts_gone, 4);  /* hosts alone, not the two switches */
	assert_int_equal(v->row[0].outside, 6 * 5); /* the subnet manager's part has two hosts */
	arena_free(v);
	expect_same(s, "a chain", "links");
	expect_same(s, "a chain", "switches");
	expect_same(s, "a chain", "pairs 10 switches");
	/* the manager's switch fails: it is in another part then, whose channels were not there before */
	ok_line(s, "synth ring:6");
	ok_line(s, "route minhop lmc=1 qos=TRUE");
	ok_line(s, "fail random 2 seed=142375");
	expect_same(s, "a ring in parts", "switches");
}

/* Ways that move one by one: kept entries into the cable, loops in the end, no way before, turns of all
 * kinds. */
static void ways_that_move(void **state)
{
	static const char *const place[] = {"torus:5x5", "dragonfly:3,2,1", "xgft:4,4,3:1,4,4",
					    "random:20,4,seed=3"};
	char folder[] = "/tmp/test-survey-XXXXXX", *lfts, *file, *path;
	struct session *s = session_new(all_engines, all_commands);
	uint64_t seed = test_seed();

	assert_non_null(mkdtemp(folder));
	path = str_printf("%s/lfts", folder);
	lfts = str_printf("export lfts %s", path);
	file = str_printf("route file lfts_file=%s", path);
	for (size_t i = 0; i < ARRAY_LEN(place); i++) {
		AUTO_FREE char *synth = str_printf("synth %s", place[i]);

		if (!test_drawn(seed, i, 2))
			continue;
		ok_line(s, synth);
		ok_line(s, "route minhop");
		expect_same(s, place[i], "links");
		ok_line(s, lfts);
		ok_line(s, file); /* its entries stay, also into cables that are down */
		expect_same(s, place[i], "links");
		ok_line(s, "fail random 2 seed=4"); /* pairs without a way before the survey */
		expect_same(s, place[i], "links");
		expect_same(s, place[i], "pairs 5");
	}
	session_free(s);
	free(lfts);
	free(file);
	remove(path);
	free(path);
	rmdir(folder);
}

/* --- pairs -------------------------------------------------------------------------------------------- */

static void pairs_drawn(void **state)
{
	uint32_t *a, *b;
	bool sampled;
	double low, high;
	uint32_t n = survey_draw(5, 10, 1, &a, &sampled);

	assert_int_equal(n, 10);
	assert_false(sampled);
	assert_true(a[0] == 0 && a[1] == 1 && a[18] == 3 && a[19] == 4);
	free(a);
	n = survey_draw(20, 189, 7, &a, &sampled); /* of 190 */
	assert_int_equal(n, 189);
	assert_true(sampled);
	for (uint32_t i = 0; i < n; i++) {
		assert_true(a[2 * i] < a[2 * i + 1] && a[2 * i + 1] < 20);
		for (uint32_t k = 0; k < i; k++)
			assert_false(a[2 * i] == a[2 * k] && a[2 * i + 1] == a[2 * k + 1]);
	}
	survey_draw(20, 189, 7, &b, &sampled);
	assert_memory_equal(a, b, 2 * sizeof(*a) * n);
	free(b);
	survey_draw(20, 189, 8, &b, &sampled);
	assert_memory_not_equal(a, b, 2 * sizeof(*a) * n);
	free(a);
	free(b);
	assert_int_equal(survey_draw(1, 3, 1, &a, &sampled), 0);
	free(a);
	/* worked examples of the formula */
	wilson_interval(0, 10, &low, &high);
	assert_true(low == 0 && high > 0.2775 && high < 0.2776);
	wilson_interval(5, 10, &low, &high);
	assert_true(low > 0.2365 && low < 0.2367 && high > 0.7633 && high < 0.7635);
	wilson_interval(10, 10, &low, &high);
	assert_true(high == 1 && low > 0.7224 && low < 0.7225);
}

static void pairs_cost_more(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth xgft:2,2:1,2; route minhop");
	AUTO_ARENA struct survey *v = survey(s, "pairs 100 switches", 2, false);
	const struct survey_row *r = NULL;

	assert_int_equal(v->n, 6);
	assert_false(v->sampled);
	for (uint32_t i = 0; i < v->n; i++) {
		AUTO_FREE char *what = survey_what(v->parts, v->row[i].part);

		if (!strcmp(what, "spine-01 + spine-02"))
			r = &v->row[i];
		else
			assert_int_equal(v->row[i].beyond, 0);
	}
	/* each spine alone costs nothing; both: 2 + 2 hosts of 4 still reach each other in one part */
	assert_non_null(r);
	assert_true(r->lost == 10 && r->beyond == 10 && survey_bad(r));
}

/* --- chassis and cards --------------------------------------------------------------------------------- */

static void chassis_and_cards(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth director:4,6,3,16; route minhop");
	struct survey *v = survey(s, "chassis", 2, false);

	assert_int_equal(v->n, 4);
	expect_row(v, 0, "dir4: 0 = 0 + 0, minhop, 176, 960, 627");
	char *line = survey_command(v->parts, v->row[0].part);
	assert_string_equal(line, "fail chassis dir4");
	free(line);
	arena_free(v);
	v = survey(s, "cards", 2, false);
	assert_int_equal(v->n, 36);
	expect_row(v, 0, "dir1/L01: 0 = 0 + 0, minhop, 208, 1648, 884");
	line = survey_command(v->parts, v->row[0].part);
	assert_string_equal(line, "fail card dir1/L01");
	ok_line(s, line);
	free(line);
	arena_free(v);
	line_says(s, "restore card dir1/L01/U1", "1 node restored");
	line_says(s, "fail chassis dir2", "9 nodes down");
	line_fails(s, "fail chassis dir2", "all of dir2 is down already");
	line_fails(s, "restore chassis dir3", "no switch of dir3 did fail");
	line_fails(s, "fail chassis edge-01", "there is no chassis \"edge-01\"; found chassis like \"dir1\"");
	line_says(s, "restore chassis dir2/S01/U1", "9 nodes restored");
	line_fails(s, "fail chassis dir", "\"dir\" may be 4 chassis (dir1, ...)");
	ok_line(s, "synth ring:4");
	line_fails(s, "fail card ring0",
		   "there is no card \"ring0\": nothing tells which chips are on one card");
	ok_line(s, "route minhop");
	line_fails(s, "survey chassis", "found no chassis that is up");
}

/* Both cards of real names: line cards of two chips, spine cards of one. */
static void cards_of_a_director(void **state)
{
	AUTO_SESSION struct session *s =
		session_after("load tests/fabrics/real/sat11-director.putty-log.xz; route minhop");
	struct err e;
	struct elements *el = setup_elements(s->setup, NULL, NULL, &e);
	struct parts *p = parts_new(s->fabric, PART_CARD, el);
	uint32_t chips[3] = {0};

	elements_unref(el);
	for (uint32_t i = 0; i < p->n; i++)
		chips[p->first[i + 1] - p->first[i]]++;
	assert_int_equal(p->n, 160);
	assert_int_equal(chips[2], 80);
	assert_int_equal(chips[1], 80);
	parts_free(p);
}

/* --- shares ------------------------------------------------------------------------------------ */

static char *run_json(struct session *s, const char *line)
{
	struct err e;
	int rc;
	char *text = run_line(s, line, &rc, &e, true, NULL);

	if (rc)
		fail_msg("%s: %s", line, e.msg);
	return text;
}

static int read_share(json_t *shares, const char *name, const char *text, struct err *e)
{
	return survey_shares_read(shares, &(struct input){name, text, strlen(text), NULL}, e);
}

static void merge_fails(const json_t *shares, const char *want)
{
	struct err e = {0};
	json_t *o = survey_merge(shares, &e);

	assert_null(o);
	if (!strstr(e.msg, want))
		fail_msg("\"%s\" does not hold \"%s\"", e.msg, want);
}

static void shares_merged(void **state)
{
	static const char *const what[] = {"links", "pairs 40 links seed=6", "switches"};
	AUTO_SESSION struct session *s = session_after(DEMO "; route updn");

	for (size_t k = 0; k < ARRAY_LEN(what); k++) {
		json_t *shares = json_array(), *one, *all, *rows;
		char *line = str_printf("survey %s", what[k]), *text = run_json(s, line);
		struct err e;

		one = json_loads(text, 0, NULL);
		free(text);
		free(line);
		for (int i = 5; i >= 1; i--) {
			line = str_printf("survey %s shard %d/5", what[k], i);
			text = run_json(s, line);
			assert_int_equal(read_share(shares, "part", text, &e), 0);
			free(text);
			free(line);
		}
		all = survey_merge(shares, &e);
		assert_non_null(all);
		rows = json_object_get(all, "survey");
		assert_true(json_equal(rows, json_object_get(one, "survey")));
		assert_true(json_equal(json_object_get(all, "survey_of"), json_object_get(one, "survey_of")));
		json_decref(all);
		json_decref(one);
		json_array_remove(shares, 2);
		merge_fails(shares, "missing: 1 share of 5 (3)");
		json_array_append(shares, json_array_get(shares, 0));
		merge_fails(shares, "share 5 is there twice");
		json_decref(shares);
	}
}

static void shares_of_others(void **state)
{
	static const struct {
		const char *change, *words, *want;
	} cases[] = {
		{"route minhop", "links shard 2/2",
		 "is of another engine: found \"minhop\", expected \"updn\""},
		{"fail random 1", "links shard 2/2", "is of another state before: what is down, who counts"},
		{"set lmc 1; route updn", "links shard 2/2", "is of another set of options"},
		{"synth ring:5; route updn", "links shard 2/2", "is of another fabric"},
		{"show", "links shard 2/3", "is of another number of shares: found \"3\", expected \"2\""},
		{"show", "switches shard 2/2", "is of another kind of failures"},
		{"show", "links", "is of another number of shares"},
		{"scope node000[1-3]", "links shard 2/2",
		 "is of another state before: what is down, who counts"},
	};

	for (size_t k = 0; k < ARRAY_LEN(cases); k++) {
		AUTO_SESSION struct session *s = session_after("synth xgft:3,3:1,2; route updn");
		json_auto_t *shares = json_array();
		char *text = run_json(s, "survey links shard 1/2"), *line;
		struct err e;
		int rc;

		assert_int_equal(read_share(shares, "first", text, &e), 0);
		free(text);
		text = run_line(s, cases[k].change, &rc, &e, false, NULL);
		free(text);
		assert_int_equal(rc, 0);
		line = str_printf("survey %s", cases[k].words);
		text = run_json(s, line);
		assert_int_equal(read_share(shares, "second", text, &e), 0);
		merge_fails(shares, cases[k].want);
		merge_fails(shares, "second");
		free(text);
		free(line);
	}
}

static void shares_spoilt(void **state)
{
	json_t *shares = json_array(), *v;
	AUTO_SESSION struct session *s = session_after("synth xgft:3,3:1,2; route updn");
	char *text = run_json(s, "survey links shard 1/1"), *other;
	struct err e;

	assert_int_equal(read_share(shares, "x", "", &e), -1);
	assert_string_equal(e.msg,
			    "x: found no survey in it, expected what `ibscope --json -e 'survey ... shard "
			    "I/N'` prints");
	assert_int_equal(read_share(shares, "x", "{}\n\n{", &e), -1);
	assert_non_null(strstr(e.msg, "x:3: found no JSON"));
	assert_int_equal(read_share(shares, "x", "{\"command\":\"survey\",\"schema\":99}", &e), -1);
	assert_non_null(strstr(e.msg, "a newer ibscope wrote it"));
	v = json_loads(text, 0, NULL);
	json_array_remove(json_object_get(v, "survey"), 1);
	other = json_dumps(v, 0);
	assert_int_equal(read_share(shares, "short", other, &e), 0);
	merge_fails(shares, "short: found 5 rows of share 1, expected 6: it is cut off");
	json_decref(v);
	free(other);
	json_array_clear(shares);
	assert_int_equal(
		read_share(shares, "y",
			   "[{\"command\":\"survey\",\"ok\":true,\"survey_of\":{\"shards\":1,\"shard\":1,"
			   "\"failures\":1},\"survey\":[7]}]",
			   &e),
		0);
	merge_fails(shares, "y: row 1: found index \"\", expected a whole number");
	json_array_clear(shares);
	assert_int_equal(
		read_share(shares, "y",
			   "{\"command\":\"survey\",\"survey_of\":{\"shards\":900000},\"survey\":[]}", &e),
		0);
	merge_fails(shares, "no share of one");
	json_decref(shares);
	free(text);
}

/* What a share says is checked; whether a row is bad follows from its figures, not from what it says. */
static void shares_forged(void **state)
{
	static const struct {
		const char *key, *value, *want; /* of the second row; key "ok": of the share */
	} cases[] = {
		{"index", "0", "row 2: the failure with index 0 is there twice"},
		{"index", "6", "row 2: found index \"6\", expected a number below that of the failures"},
		{"index", "-1", "row 2: found index \"-1\", expected a whole number below 2^32"},
		{"index", "\"1\"", "row 2: found index \"1\", expected a whole number"},
		{"lost", "9223372036854775807", "expected a whole number below 2^32"},
		{"lost", "3", "found lost \"3\", expected the sum of cut_off and between_survivors"},
		{"rerouted", "0", "expected at most rerouted"},
		{"outside", "5", "expected at most cut_off"},
		{"entries", "1.5", "expected a whole number"},
		{"b_port", "9223372036854775807", "expected a port up to 254"},
		{"a_lid", "65536", "expected a LID up to 65535"},
		{"fallback", "0", "found fallback \"0\", expected true or false"},
		{"engine", "0", "expected a name or null"},
		{"what", "null", "expected a text"},
		{"ok", "false", "did not end well"},
		{"bad", "true", NULL},
		{"engine", "null", NULL},
	};
	AUTO_SESSION struct session *s = session_after("synth xgft:3,3:1,2; route updn");
	AUTO_FREE char *text = run_json(s, "survey links shard 1/1");
	struct err e;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		json_t *share = json_loads(text, 0, NULL), *shares = json_array(), *all;
		json_t *row = json_array_get(json_object_get(share, "survey"), 1);
		bool of_share = !strcmp(cases[i].key, "ok");
		char *forged;

		json_object_set_new(row, "longer", json_integer(1));
		json_object_set_new(of_share ? share : row, cases[i].key,
				    json_loads(cases[i].value, JSON_DECODE_ANY, NULL));
		forged = json_dumps(share, 0);
		assert_int_equal(read_share(shares, "x", forged, &e), 0);
		if (cases[i].want) {
			merge_fails(shares, cases[i].want);
		} else {
			uint32_t bad = 0;

			all = survey_merge(shares, &e);
			assert_non_null(all);
			for (size_t k = 0; k < json_array_size(json_object_get(all, "survey")); k++)
				bad += json_is_true(json_object_get(
					json_array_get(json_object_get(all, "survey"), k), "bad"));
			assert_int_equal(bad, !strcmp(cases[i].key, "engine"));
			json_decref(all);
		}
		free(forged);
		json_decref(share);
		json_decref(shares);
	}
}

/* --- words, and giving up ---------------------------------------------------------------------- */

static void words_wrong(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth xgft:3,3:1,2; route updn");

	line_fails(s, "survey links shard 3/2", "found \"3/2\", expected I/N");
	line_fails(s, "survey links shard 0/2", "found \"0/2\"");
	line_fails(s, "survey links shard x", "found \"x\"");
	line_fails(s, "survey links threads=0", "found \"0\", expected threads from 1 to 256");
	line_fails(s, "survey pairs 0", "found \"0\", expected pairs from 1");
	line_fails(s, "survey pairs 5 seed=x", "seed: found \"x\"");
	line_fails(s, "survey merge /nonexistent", "No such file");
}

/* What failed tasks left beside the shares is told, and not what lies where the program runs. */
static void tasks_told(void **state)
{
	static const char *const file[][2] = {{"share-1.json", "{}"},
					      {"share-1.err", "one\nthe first said so\n\n"},
					      {"share-2.err", ""},
					      {"share-3.err", "the third said so"},
					      {"other.err", "another"}};
	char folder[] = "/tmp/test-survey-XXXXXX", *here = getcwd(NULL, 0), *merge;
	AUTO_SESSION struct session *s = session_after(DEMO "; route updn");

	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
	assert_int_equal(mkdir("shares", 0700), 0);
	for (size_t i = 0; i < ARRAY_LEN(file); i++) {
		AUTO_FREE char *path = str_printf("shares/%s", file[i][0]);
		FILE *f = fopen(path, "w");

		fputs(file[i][1], f);
		fclose(f);
	}
	line_fails(s, "survey merge shares/share-1.json",
		   "; shares/share-1.err: the first said so; shares/share-2.err: ; shares/share-3.err: the "
		   "third said so");
	merge = str_printf("survey merge %s/shares/share-1.json", folder);
	line_fails(s, merge, "/shares/share-1.err: the first said so");
	assert_int_equal(chdir("shares"), 0);
	line_fails(s, "survey merge share-1.json", "; share-1.err: the first said so");
	for (size_t i = 0; i < ARRAY_LEN(file); i++)
		unlink(file[i][0]);
	assert_int_equal(chdir(here), 0);
	merge[strlen(merge) - strlen("/share-1.json")] = 0;
	rmdir(strchr(merge, '/'));
	rmdir(folder);
	free(merge);
	free(here);
}

static int give_up_at(void *ctx, unsigned worker, unsigned i, struct progress *p, struct err *e)
{
	struct progress *whole = ctx;

	if (i == 20)
		atomic_store(&whole->cancel, true);
	return 0;
}

static int fail_from(void *ctx, unsigned worker, unsigned i, struct progress *p, struct err *e)
{
	return i >= 20 ? err_set(e, "no piece from 20 on") : 0;
}

static void given_up(void **state)
{
	AUTO_SESSION struct session *s = session_after(DEMO "; route updn");
	struct progress p = {0};
	struct survey_request rq = {.before = session_sweep(s), .engines = all_engines};
	struct parallel j = {.n = 1000000, .threads = 3, .work = give_up_at, .ctx = &p};
	struct err e;

	assert_int_equal(parallel_run(&j, "counting", &p, &e), -1);
	assert_string_equal(e.msg, CANCELLED);
	assert_true(atomic_load(&p.done) < 1000000);
	assert_null(survey_run(&rq, &p, &e));
	assert_string_equal(e.msg, CANCELLED);
	atomic_store(&p.cancel, false);
	atomic_store(&p.since, 100.0);
	atomic_store(&p.total, 1000);
	atomic_store(&p.done, 250);
	assert_true(progress_left(&p, 110.0) == 30.0);
	assert_true(progress_left(&p, 100.5) < 0);
	atomic_store(&p.done, 1);
	assert_true(progress_left(&p, 110.0) < 0);
	j.work = fail_from;
	assert_int_equal(parallel_run(&j, "counting", NULL, &e), -1);
	assert_string_equal(e.msg, "no piece from 20 on");
	j.n = 20;
	assert_int_equal(parallel_run(&j, "counting", NULL, &e), 0);
}

static struct survey *came[64]; /* so far, in the order in which they came */
static unsigned n_came;

static void survey_comes(void *so_far)
{
	assert_true(n_came < ARRAY_LEN(came));
	came[n_came++] = so_far;
}

/* Rows that are ready come before the whole is: each time more of them, as they are in the end. */
static void rows_as_they_come(void **state)
{
	AUTO_SESSION struct session *s = session_after(DEMO "; route updn");
	struct survey_request rq = {
		.before = session_sweep(s), .engines = all_engines, .threads = 3, .ready = survey_comes};
	struct err e;
	AUTO_ARENA struct survey *whole = survey_run(&rq, NULL, &e);

	assert_non_null(whole);
	assert_true(n_came > 3 && came[0]->n == 1);
	for (unsigned k = 0; k < n_came; k++) {
		const struct survey *c = came[k];

		assert_true(c->n < whole->n && (!k || c->n > came[k - 1]->n));
		for (uint32_t i = 0, at = 0; i < c->n; i++, at++) { /* in the order of the whole */
			while (at < whole->n && whole->row[at].index != c->row[i].index)
				at++;
			assert_true(at < whole->n);
			assert_memory_equal(&c->row[i], &whole->row[at], sizeof(c->row[i]));
		}
	}
	while (n_came)
		arena_free(came[--n_came]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(links_of_a_tree),
		cmocka_unit_test(tasks_told),
		cmocka_unit_test(switches_of_a_tree),
		cmocka_unit_test(difference_tells),
		cmocka_unit_test(told),
		cmocka_unit_test(loops_and_parts),
		cmocka_unit_test(ways_that_move),
		cmocka_unit_test(pairs_drawn),
		cmocka_unit_test(pairs_cost_more),
		cmocka_unit_test(chassis_and_cards),
		cmocka_unit_test(cards_of_a_director),
		cmocka_unit_test(shares_merged),
		cmocka_unit_test(shares_of_others),
		cmocka_unit_test(shares_spoilt),
		cmocka_unit_test(shares_forged),
		cmocka_unit_test(words_wrong),
		cmocka_unit_test(given_up),
		cmocka_unit_test(rows_as_they_come),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
