/*
 * Bars: how often loads and lengths occur, against the figures of a routing; plots as SVG.
 */
#include "fixture.h"

#include <math.h>

#include "core/analysis/traffic/bisection.h"
#include "core/analysis/compare/figures.h"
#include "core/analysis/draw/picture.h"

/* --- numbers --- */

static void check_lengths(const struct routing *r, const char *what)
{
	struct buckets *b = hop_buckets(r, NULL);
	struct figures f;

	assert_non_null(b);
	assert_int_equal(figures_of_tables(r, NULL, &f, NULL), 0);
	/* without a pair it is not known how many are lost */
	if (fabs(b->mean - f.v[FIG_HOPS_MEAN]) > 1e-9 ||
	    (b->n || b->none ? (double)b->none : FIGURE_UNKNOWN) != f.v[FIG_UNREACHABLE])
		fail_msg("%s: mean %f, %f expected; %" PRIu64 " without a path, %f expected", what, b->mean,
			 f.v[FIG_HOPS_MEAN], b->none, f.v[FIG_UNREACHABLE]);
	assert_int_equal(b->n ? b->at[b->n - 1].high : 0, (uint64_t)f.v[FIG_HOPS_MOST]);
	for (uint32_t k = 0; k < b->n; k++) {
		AUTO_BY(path_free) struct path path = {0};

		assert_int_equal(b->at[k].low, b->at[k].high);
		if (!b->at[k].count) {
			assert_int_equal(b->at[k].first, NO_ID);
			continue;
		}
		path_trace(r, b->at[k].first, r->lids->base[b->at[k].first], b->at[k].lid, &path);
		assert_int_equal(path.end, PATH_OK);
		assert_int_equal(path.hops, b->at[k].low); /* the example is one */
	}
	assert_int_equal(b->none != 0, b->none_first != NO_ID);
	buckets_free(b);
}

static void check_loads(const struct routing *r, const char *what)
{
	AUTO_ARENA struct loads *l = loads_new(r, &pattern_all, NULL);
	struct buckets *b = load_buckets(r, l, 0);
	uint64_t all = 0;

	for (uint32_t k = 0; k < b->n; k++) {
		const struct bucket *x = &b->at[k];

		all += x->count;
		assert_int_equal(x->high - x->low + 1, b->step);
		assert_true(k == 0 ? x->low == 0 : x->low == b->at[k - 1].high + 1);
		assert_int_equal(x->count == 0, x->first == NO_ID);
		if (x->count)
			assert_true(l->port[x->first] >= x->low && l->port[x->first] <= x->high);
	}
	if (all != l->n_links || b->all != all || b->n > BUCKETS_MOST + 1)
		fail_msg("%s: %" PRIu64 " links in %u buckets, %u expected", what, all, b->n, l->n_links);
	assert_true(!b->n || (b->at[b->n - 1].low <= l->max && b->at[b->n - 1].high >= l->max));
	buckets_free(b);
}

static void test_buckets(void **state)
{
	static const char *const lines[] = {
		"load tests/fabrics/demo-3level.ibnet; route updn",
		"load tests/fabrics/demo-3level.ibnet; route minhop lmc=2; fail random 20 seed=3",
		"synth xgft:4,4:1,2; route updn; fail link leaf-01[5]; fail link leaf-01[6]",
		"synth torus:4x5; route minhop",
		"synth ring:9; route updn",
		"synth dragonfly:4,2,2; route dfsssp",
		"synth mesh:1; route minhop",
		"synth xgft:4,4:1,2; route minhop; scope node00[01-03]",
	};

	for (size_t k = 0; k < ARRAY_LEN(lines); k++) {
		AUTO_SESSION struct session *s = session_after("%s", lines[k]);

		check_lengths(session_routing(s), lines[k]);
		check_loads(session_routing(s), lines[k]);
	}
}

static void test_lengths_cancelled(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth ring:9; route updn");
	struct progress p = {.cancel = true};

	assert_null(hop_buckets(session_routing(s), &p));
}

/* --- plots --- */

static unsigned count(const char *text, const char *part)
{
	unsigned n = 0;

	for (; (text = strstr(text, part)); text++)
		n++;
	return n;
}

static char *drawn(const struct plot *p)
{
	char title[] = "<title>", line[] = "line", *text = NULL;
	const struct plots d = {.title = title, .line = line, .plot = {*p}, .n = 1};
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_int_equal(plot_svg(f, &svg_plain, &d, NULL), 0);
	fclose(f);
	return text;
}

static void test_steps(void **state)
{
	assert_true(round_step(0, 5) == 1);
	assert_true(round_step(5, 5) == 1);
	assert_true(round_step(6, 5) == 2);
	assert_true(round_step(24, 5) == 5);
	assert_true(round_step(26, 5) == 10);
	assert_true(round_step(12345, 5) == 5000);
	assert_true(round_step(1000, 10) == 100);
}

static void test_bars(void **state)
{
	static const double value[] = {3, 0, 6, 1}, part[] = {0, 0, 2, 1};
	static const char *const label[] = {"a<b", "x", "\x1b[2J",
					    "a name of more than twenty-eight letters"};
	struct plot p = {.x_name = "x & y",
			 .y_name = "many",
			 .value_name = "all",
			 .part_name = "some",
			 .n = 4,
			 .value = value,
			 .part = part,
			 .x0 = 1,
			 .step = 1,
			 .level = 2.5,
			 .level_name = "mean"};
	char *svg = drawn(&p);

	assert_int_equal(count(svg, "class=\"bar\""), 4); /* 3; 2 and 4 of 6; 1 of 1 */
	assert_int_equal(count(svg, "class=\"axis\""), 2);
	assert_non_null(strstr(svg, ">x &amp; y<"));
	assert_non_null(strstr(svg, ">&lt;title&gt;<"));
	assert_non_null(strstr(svg, ">mean<"));
	assert_int_equal(count(svg, ">6</text>"), 2); /* on the bar and on the axis */
	free(svg);
	p.label = label;
	svg = drawn(&p);
	assert_int_equal(count(svg, "class=\"label\""), 4);
	assert_non_null(strstr(svg, ">a&lt;b<"));
	assert_non_null(strstr(svg, ">\\x1b[2J<"));
	assert_non_null(strstr(svg, ">a name of more than twenty-e..<"));
	free(svg);
	p.n = 0;
	svg = drawn(&p);
	assert_int_equal(count(svg, "class=\"bar\""), 0);
	free(svg);
}

/* Many bars are columns as high as the highest they stand for. */
static void test_columns(void **state)
{
	static double value[10 * PLOT_COLUMNS];
	struct plot p = {.x_name = "x", .y_name = "y", .n = 10 * PLOT_COLUMNS, .value = value, .step = 1};
	char *svg;

	for (uint32_t k = 0; k < p.n; k++)
		value[k] = k % 10 == 7 ? 100 : 50;
	svg = drawn(&p);
	assert_int_equal(count(svg, "class=\"bar\""), PLOT_COLUMNS);
	assert_int_equal(count(svg, "height=\"216.67\""), PLOT_COLUMNS); /* 100 of 120: 260 high */
	free(svg);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_buckets), cmocka_unit_test(test_lengths_cancelled),
		cmocka_unit_test(test_steps),	cmocka_unit_test(test_bars),
		cmocka_unit_test(test_columns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
