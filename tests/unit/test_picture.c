/*
 * Drawings, read back from their SVG: no two boxes meet, none is off the page, levels come in order, frames
 * hold what is theirs; names stay text.
 */
#include "fixture.h"

#include "core/analysis/draw/picture.h"
#include "core/base/clean.h"
#include "core/base/cursor.h"
#include "core/base/program.h"
#include "core/formats/readers.h"

struct area {
	double x, y, w, h;
};

struct page {
	double width, height;
	struct area *box, *block;
	uint32_t n_boxes, n_blocks, cap_boxes, cap_blocks;
	char *svg;
};

/* As strstr(), of which ASan measures the whole text each time. */
static const char *seek(const char *text, const char *part)
{
	for (size_t n = strlen(part); (text = strchr(text, *part)); text++)
		if (!strncmp(text, part, n))
			return text;
	return NULL;
}

static double number_in_tag(const char *tag, const char *name)
{
	AUTO_FREE char *key = str_printf(" %s=\"", name);
	const char *at = seek(tag, key);

	assert_non_null(at);
	return strtod(at + strlen(key), NULL);
}

static struct area rect_of(const char *tag)
{
	return (struct area){number_in_tag(tag, "x"), number_in_tag(tag, "y"), number_in_tag(tag, "width"),
			     number_in_tag(tag, "height")};
}

/* What a command wrote to a file. */
static struct page draw(struct session *s, const char *words)
{
	AUTO_TEMP char *path = temp_file("");
	struct page p = {0};
	size_t size;
	struct err e;

	ok_linef(s, "export svg %s %s", path, words);
	assert_int_equal(read_file(path, NULL, &p.svg, &size, &e), 0);
	p.svg = realloc(p.svg, size + 1); /* what was read has no end of its own */
	assert_non_null(p.svg);
	p.svg[size] = 0;
	p.width = number_in_tag(p.svg, "width");
	p.height = number_in_tag(p.svg, "height");
	for (const char *at = p.svg; (at = seek(at, "<rect class=\"switch\"")); at++) {
		GROW(p.box, p.n_boxes, p.cap_boxes);
		p.box[p.n_boxes++] = rect_of(at);
	}
	for (const char *at = p.svg; (at = seek(at, "<rect class=\"block\"")); at++) {
		GROW(p.block, p.n_blocks, p.cap_blocks);
		p.block[p.n_blocks++] = rect_of(at);
	}
	return p;
}

static void page_free(struct page *p)
{
	free(p->box);
	free(p->block);
	free(p->svg);
}

static bool meet(const struct area *a, const struct area *b)
{
	return a->x < b->x + b->w && b->x < a->x + a->w && a->y < b->y + b->h && b->y < a->y + a->h;
}

static bool holds(const struct area *a, const struct area *b)
{
	return a->x <= b->x && a->y <= b->y && a->x + a->w >= b->x + b->w && a->y + a->h >= b->y + b->h;
}

/* Every box is wholly in a frame or wholly out of it, and all is on the page. */
static void check_page(const struct page *p, const char *what)
{
	struct area paper = {0, 0, p->width, p->height};

	for (uint32_t a = 0; a < p->n_boxes; a++) {
		if (!holds(&paper, &p->box[a]))
			fail_msg("%s: box %u is off the page", what, a);
		for (uint32_t b = 0; b < a; b++)
			if (meet(&p->box[a], &p->box[b]))
				fail_msg("%s: boxes %u and %u meet", what, a, b);
		for (uint32_t b = 0; b < p->n_blocks; b++)
			if (meet(&p->box[a], &p->block[b]) && !holds(&p->block[b], &p->box[a]))
				fail_msg("%s: box %u is half in frame %u", what, a, b);
	}
	for (uint32_t a = 0; a < p->n_blocks; a++) {
		if (!holds(&paper, &p->block[a]))
			fail_msg("%s: frame %u is off the page", what, a);
		for (uint32_t b = 0; b < a; b++)
			if (meet(&p->block[a], &p->block[b]))
				fail_msg("%s: frames %u and %u meet", what, a, b);
	}
}

/* Boxes come in the order of the layout: their levels from above. */
static void check_levels(const struct session *s, const struct page *p, const char *what)
{
	struct err e;
	AUTO_LAYOUT struct layout *l = layout_new(s->fabric, NULL, NULL, &e);
	double lowest[256], highest[256];

	assert_non_null(l);
	for (unsigned k = 0; k < 256; k++) {
		lowest[k] = -1;
		highest[k] = 1e9;
	}
	for (uint32_t i = 0; i < l->n; i++) {
		unsigned lev = l->level[l->order[i]];

		lowest[lev] = p->box[i].y > lowest[lev] ? p->box[i].y : lowest[lev];
		highest[lev] = p->box[i].y < highest[lev] ? p->box[i].y : highest[lev];
	}
	for (unsigned k = 1; k < l->part[0].levels; k++)
		if (highest[k] <= lowest[k - 1])
			fail_msg("%s: level %u is not below level %u", what, k, k - 1);
}

static void expect_drawn(const char *line, uint32_t blocks)
{
	AUTO_SESSION struct session *s = session_after("%s", line);
	struct page p = draw(s, "");

	assert_int_equal(p.n_boxes, s->fabric->n_switches);
	assert_int_equal(p.n_blocks, blocks);
	check_page(&p, line);
	check_levels(s, &p, line);
	page_free(&p);
}

static void test_pages(void **state)
{
	expect_drawn("load tests/fabrics/demo-3level.ibnet", 4);
	expect_drawn("load tests/fabrics/formats/stage-qdr-fdr10.ibnetdiscover", 0);
	expect_drawn("synth director:2,4,3,8", 2);
	expect_drawn("synth xgft:18,18,6:1,18,18", 6);
	expect_drawn("synth torus:4x4x4", 0);
	expect_drawn("synth torus:3x3x3x3", 0);
	expect_drawn("synth torus:8x8x10", 0);
	expect_drawn("synth mesh:30x40", 0);
	expect_drawn("synth hypercube:7", 0);
	expect_drawn("synth hyperx:6x5", 0);
	expect_drawn("synth hyperx:9", 0);
	expect_drawn("synth ring:6", 0);
	expect_drawn("synth ring:3", 0);
	expect_drawn("synth ring:200", 0);
	expect_drawn("synth mesh:50", 0);
	expect_drawn("synth mesh:2", 0);
	expect_drawn("synth dragonfly:4,2,2", 9);
	expect_drawn("synth dragonfly:3,1,1", 4);
	expect_drawn("synth dragonfly:8,4,4", 33);
	expect_drawn("synth random:24,4", 0);
	expect_drawn("synth random:300,6", 0);
}

static void test_real(void **state)
{
	static const struct {
		const char *name;
		uint32_t blocks;
	} files[] = {{"selene-compute.ibnetdiscover.xz", 34},
		     {"selene-storage.ibnetdiscover.xz", 4},
		     {"sat11-director.putty-log.xz", 4}};
	uint64_t seed = test_seed();

	for (size_t k = 0; k < ARRAY_LEN(files); k++) {
		if (test_drawn(seed, k, 3))
			expect_drawn(line_of("load tests/fabrics/real/%s", files[k].name), files[k].blocks);
	}
}

static unsigned count(const char *text, const char *part)
{
	unsigned n = 0;

	for (; (text = seek(text, part)); text++)
		n++;
	return n;
}

/* A page of the size asked for, on which nothing meets, whatever the letters. */
static void test_slides(void **state)
{
	static const char *const lines[] = {"synth torus:4x4x4",
					    "synth dragonfly:4,2,2",
					    "synth ring:7",
					    "synth random:24,4",
					    "load tests/fabrics/demo-3level.ibnet",
					    "synth director:2,4,3,8"};
	static const char *const words[] = {"size=1600x900", "size=900x1600 font=16 notitle", "font=30",
					    "map state size=400x400 font=4"};

	for (size_t k = 0; k < ARRAY_LEN(lines); k++)
		for (size_t i = 0; i < ARRAY_LEN(words); i++) {
			AUTO_SESSION struct session *s = session_after("%s", lines[k]);
			struct page p = draw(s, words[i]);
			const char *view = strstr(p.svg, "viewBox=\"0 0 ");
			char *end;

			assert_non_null(view);
			if (i == 0 || i == 1) {
				assert_true(p.width == (i ? 900 : 1600) && p.height == (i ? 1600 : 900));
				assert_int_equal(count(p.svg, "font-weight"), i ? 0 : 1);
			}
			p.width = strtod(view + strlen("viewBox=\"0 0 "), &end);
			p.height = strtod(end, NULL);
			assert_int_equal(p.n_boxes, s->fabric->n_switches);
			check_page(&p, lines[k]);
			page_free(&p);
		}
}

/* Steps: a drawing that moves has a title and two groups a frame, files of steps are there, cut short or not.
 */
static void test_steps(void **state)
{
	AUTO_SESSION struct session *s =
		session_after("synth xgft:3,3:1,2; route updn; step start; step until forbidden");
	struct page p = draw(s, "animated 40 70"), still = draw(s, "map step");
	char folder[] = "/tmp/ibscope-picture-XXXXXX", line[100];

	assert_int_equal(count(p.svg, "<animate "), 2 * 31 - 1); /* boxes of the first stand outside */
	assert_int_equal(count(p.svg, "font-weight=\"bold\""), 31);
	assert_int_equal(count(p.svg, "keyTimes=\"0\""), 0); /* none is seen in all frames */
	assert_int_equal(count(still.svg, "class=\"turn1\""), 1);
	assert_non_null(strstr(still.svg, "forbidden: down and then up"));
	page_free(&p);
	page_free(&still);
	assert_non_null(mkdtemp(folder));
	ok_linef(s, "export svg %s/%%02d steps 3 14 size=300x200", folder);
	for (unsigned k = 1; k <= 13; k++) {
		snprintf(line, sizeof(line), "%s/%02u", folder, k);
		assert_int_equal(unlink(line), k <= 12 ? 0 : -1);
	}
	assert_int_equal(rmdir(folder), 0);
	line_fails(s, "export svg /tmp/none/%d steps", "/tmp/none/1");
	line_fails(s, "export svg /tmp/%d%d steps", "expected a name with one %d");
	line_fails(s, "export svg - animated 9 2", "expected two of 1 to");
	p = draw(s, "plot shifts ftree minhop");
	assert_non_null(strstr(p.svg, ">ftree</text>"));
	page_free(&p);
	line_fails(s, "export svg - plot loads torus-2QoS updn", "torus-2QoS refuses this fabric");
	p = draw(s, "why spine-01 3 via 2");
	assert_int_equal(count(p.svg, "class=\"turn1\""), 1);
	page_free(&p);
}

/* Places stay when something fails, and what failed is seen. */
static void test_failures(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth torus:5x4");
	struct page before = draw(s, ""), after;
	const char *dashes = "stroke=\"#c00000\" stroke-width=\"2.40\" stroke-dasharray";

	assert_int_equal(count(before.svg, dashes), 0);
	ok_line(s, "fail random 3 seed=1; fail switch t00");
	after = draw(s, "");
	assert_memory_equal(before.box, after.box, before.n_boxes * sizeof(*before.box));
	assert_int_equal(before.n_boxes, after.n_boxes);
	assert_true(count(after.svg, dashes) >= 6);
	assert_int_equal(count(after.svg, "host, down</title>"), 1);
	assert_int_equal(count(after.svg, "], down</title>"), 3 + 4); /* lines, each a cable */
	page_free(&before);
	page_free(&after);
}

/* One line for each pair of neighbours, in the colour of its load. */
static void test_load(void **state)
{
	struct session *s = session_after("synth ring:5; route minhop");
	struct page p = draw(s, "load");

	assert_int_equal(count(p.svg, "<path "),
			 5 + 7 + 1); /* and those of the legend, and what is outside of boxes */
	assert_non_null(strstr(p.svg, "minhop; routes of all pairs of hosts"));
	assert_int_equal(count(p.svg, "fill=\"none\" stroke=\"#5aa2cf\""), 5); /* a ring of 5 is even */
	page_free(&p);
	line_fails(s, "export svg - loads", "expected: export");
	session_free(s);
	s = session_after("synth ring:5");
	line_fails(s, "export svg - load", "nothing is routed");
	session_free(s);
}

/* A path: a line for each link of it, there and back, and a number for each switch. */
static void test_path(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth torus:4x4x4; route dor");
	struct page p = draw(s, "path t000 t223");

	assert_non_null(strstr(p.svg, "dor; path t000 -&gt; t223, 5 links; way back 5 links"));
	assert_int_equal(count(p.svg, "stroke=\"#08519c\" stroke-width=\"3.20\" class=\"mark\""), 5);
	assert_int_equal(count(p.svg, "transform=\"translate(5 4)\""), 5);
	assert_int_equal(count(p.svg, "class=\"arrow\""), 10);
	assert_int_equal(count(p.svg, "<circle "), 6);
	check_page(&p, "path");
	page_free(&p);
	line_fails(s, "export svg - path t000 nobody", "no node is named");
	line_fails(s, "export svg - path t000", "expected: export");
	line_fails(s, "export dot - path t000 nobody", "no node is named");
}

/* A ring of switches that are called so whatever that is, a host on each. */
static struct fabric *make_named(const char *const *name, uint32_t n)
{
	struct fabric_builder *b = fb_new();
	uint32_t sw[16], ca[16];
	struct fabric *f = NULL;
	struct err e = {0};

	for (uint32_t k = 0; k < n; k++) {
		AUTO_FREE char *host = str_printf("h%u", k);

		sw[k] = fb_add(b, NODE_SWITCH, 0x1000 + k, 4, name[k]);
		ca[k] = fb_add(b, NODE_CA, 0x2000 + 16 * k, 1, host);
	}
	for (uint32_t k = 0; k < n; k++) {
		fb_link(b, sw[k], 1, sw[(k + 1) % n], 2);
		fb_link(b, sw[k], 3, ca[k], 1);
	}
	if (fb_finish(b, "t\x1b[2J<\xff.txt", "test", &f, &e))
		fail_msg("%s", e.msg);
	return f;
}

/* Names that look like markup, steer a terminal or are no UTF-8 are text, and nothing but that. */
static void test_hostile(void **state)
{
	static const char *const names[] = {"</title></g><script>",
					    "b&",
					    "\"q' onload=\"x",
					    "\x1b[2J\x01",
					    "\xff",
					    "\xe2\x80\xaegpj",
					    "]]><!--",
					    "日本"};
	static const char *const kinds[] = {"",	       "load",		 "cycle", "cycle all",
					    "layer 0", "dependencies 0", "map",	  "plot hops"};
	AUTO_SESSION struct session *s = session_on(make_named(names, ARRAY_LEN(names)));

	ok_line(s, "route minhop");
	for (size_t k = 0; k < ARRAY_LEN(kinds); k++) {
		struct page p = draw(s, kinds[k]);

		assert_null(strstr(p.svg, "<script"));
		assert_null(strstr(p.svg, "<!--"));
		assert_null(strstr(p.svg, "]]>"));
		assert_null(strstr(p.svg, "b&<"));
		assert_null(strpbrk(p.svg, "\x1b\x01"));
		assert_true(is_clean(p.svg, strlen(p.svg)));
		assert_non_null(strstr(p.svg, "t\\x1b[2J&lt;\\xff.txt"));
		if (p.n_boxes) {
			assert_int_equal(p.n_boxes, ARRAY_LEN(names));
			assert_non_null(strstr(p.svg, ">&lt;/title&gt;&lt;/g&gt;&lt;script&gt;<"));
			assert_non_null(strstr(p.svg, ">b&amp;<"));
			assert_non_null(strstr(p.svg, ">\"q' onload=\"x<"));
			assert_non_null(strstr(p.svg, ">\\x1b[2J\\x01<"));
			assert_non_null(strstr(p.svg, ">\\xff<"));
			assert_non_null(strstr(p.svg, ">\\xe2\\x80\\xaegpj<"));
			assert_non_null(strstr(p.svg, ">日本<"));
			check_page(&p, kinds[k]);
		}
		page_free(&p);
	}
}

/* Every kind of drawing of fabrics of every kind, with failures, parts that fell off and all hosts gone. */
static void test_every_kind(void **state)
{
	static const char *const lines[] = {
		"synth xgft:3,3:1,2; route updn; fail random 3 seed=1",
		"synth xgft:4,4,4:1,4,4; route ftree lmc=1; fail switch spine-01 leaf-02",
		"synth torus:3x4x2; route dor; fail random 4 seed=2",
		"synth ring:5; route minhop; fail link ring0[2] ring2[2]",
		"synth mesh:1; route minhop; sweep",
		"synth mesh:2,hosts=0; route minhop; sweep",
		"synth dragonfly:3,1,1; set qos TRUE; route dfsssp; fail switch g00s0",
		"synth director:2,4,3,8; route minhop; fail switch dir1/S01/U1",
		"synth random:30,4; route nue; fail random 2 seed=5",
		"synth hyperx:3x3x2x2; route lash; sweep",
	};
	static const char *const kinds[] = {"",
					    "load",
					    "layer 0",
					    "layer 1 switches",
					    "dependencies 1 switches",
					    "diff",
					    "diff b",
					    "map",
					    "map load",
					    "map rank",
					    "map layers",
					    "map chassis",
					    "map change",
					    "map step",
					    "cycle all",
					    "cycle switches",
					    "plot loads",
					    "plot hops",
					    "plot shifts",
					    "plot shifts 3",
					    "plot survey links",
					    "plot transition",
					    "plot transition b",
					    "transition",
					    "transition b"};

	uint64_t seed = test_seed();

	for (size_t k = 0; k < ARRAY_LEN(lines); k++) {
		if (!test_drawn(seed, k, 3))
			continue;
		AUTO_SESSION struct session *s = session_after("%s; snapshot b", lines[k]);
		unsigned drawn = 0;

		if (strstr(lines[k], "fail "))
			ok_line(s, "restore all");
		for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
			char line[100];
			struct err e;
			AUTO_BY(page_free) struct page p = {0};
			int rc;

			snprintf(line, sizeof(line), "export dot - %s", kinds[i]);
			char *text = run_line(s, line, &rc, &e, false, NULL);
			assert_true(rc || strstr(text, "graph "));
			free(text);
			snprintf(line, sizeof(line), "export svg - %s", kinds[i]);
			text = run_line(s, line, &rc, &e, false, NULL);
			free(text);
			assert_true(rc == 0 || e.msg[0]); /* refused: no ranks, no loops, nothing to survey */
			if (rc)
				continue;
			p = draw(s, kinds[i]);
			drawn++;
			check_page(&p, kinds[i]);
		}
		assert_true(drawn >= 13);
	}
}

/* By librsvg's program; the first bytes of a PNG, and its size as the page says. */
static void test_png(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth ring:6; export svg /dev/null");
	AUTO_TEMP char *path = temp_file("");
	AUTO_BY(page_free) struct page p = draw(s, "");
	char *png;
	size_t size;
	struct err e;

	assert_true(program_exists("rsvg-convert"));
	ok_linef(s, "export png %s", path);
	assert_int_equal(read_file(path, NULL, &png, &size, &e), 0);
	assert_true(size > 1000);
	assert_memory_equal(png, "\x89PNG\r\n\x1a\n", 8);
	assert_int_equal((uint8_t)png[18] << 8 | (uint8_t)png[19], p.width);
	assert_int_equal((uint8_t)png[22] << 8 | (uint8_t)png[23], p.height);
	free(png);
	line_fails(s, "export png -", "found -, expected the name of a file");
}

/* What has been reached differs from what has not, and each plot says what it counts. */
static void test_what_is_drawn(void **state)
{
	AUTO_SESSION struct session *s = session_new(all_engines, all_commands);

	ok_line(s, "synth ring:4; route minhop; step start; step 30");
	struct page p = draw(s, "map step");
	assert_true(count(p.svg, "#a9c8e8") > 3);
	assert_int_equal(count(p.svg, "#cfe0f2"), 0);
	page_free(&p);
	ok_line(s, "synth xgft:2,2:1,2; route minhop");
	p = draw(s, "plot survey switches");
	assert_true(strstr(p.svg, ">pairs of hosts lost<") < strstr(p.svg, ">most routes on a link<"));
	assert_non_null(strstr(p.svg, ">pairs of hosts lost<"));
	page_free(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_drawn), cmocka_unit_test(test_pages),
		cmocka_unit_test(test_real),	      cmocka_unit_test(test_slides),
		cmocka_unit_test(test_steps),	      cmocka_unit_test(test_failures),
		cmocka_unit_test(test_load),	      cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_png),	      cmocka_unit_test(test_path),
		cmocka_unit_test(test_every_kind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
