/*
 * Cells of the map's overview: each switch has one, in the area where there is room; two switches share one
 * only where it is said; levels are in order, blocks together; planes have the places of their coordinates.
 */
#include "fixture.h"

#include "core/analysis/shape/layout.h"
#include "core/fabric/elements.h"
#include "core/formats/readers.h"
#include "views/map/map.h"

static struct layout *lay_out(const struct fabric *f)
{
	AUTO_STATE struct state *st = state_new(f);
	AUTO_TOPO struct topo *t = topo_new(f, st);
	struct err e = {0};
	struct elements *el = elements_new(t, NULL, NULL, NULL, &e);
	struct layout *l = el ? layout_new(f, el->of, NULL, &e) : NULL;

	if (!l)
		fail_msg("%s", e.msg);
	elements_unref(el);
	return l;
}

/* What holds for cells of any layout and size. */
static void check_cells(const struct layout *l, const struct map_cells *c, int w)
{
	uint32_t same = 0, most = 0;

	assert_int_equal(c->n, l->n);
	for (uint32_t i = 0; i < c->n; i++) {
		uint32_t s = c->order[i], b = i ? c->order[i - 1] : s;

		assert_int_equal(c->at[s], i);
		assert_true(c->x[s] >= 0 && c->x[s] < w);
		assert_true(c->y[s] >= 0 && c->y[s] < c->height);
		assert_true(!i || c->y[b] < c->y[s] || (c->y[b] == c->y[s] && c->x[b] <= c->x[s]));
		same = i && c->x[b] == c->x[s] && c->y[b] == c->y[s] ? same + 1 : 1;
		most = same > most ? same : most;
		/* a cell is of one block, one level, one part */
		if (i && c->x[b] == c->x[s] && c->y[b] == c->y[s]) {
			bool ring = l->part_of[s] != NO_ID && l->part[l->part_of[s]].kind == LAYOUT_RING;

			assert_int_equal(l->part_of[b], l->part_of[s]);
			assert_int_equal(l->level[b], l->level[s]);
			assert_true(ring || l->block[b] == l->block[s]);
		}
	}
	assert_int_equal(c->most, most);
}

static void check_levels(const struct layout *l, const struct map_cells *c)
{
	for (uint32_t i = 1; i < l->part[0].n; i++) {
		uint32_t a = l->order[i - 1], b = l->order[i];

		if (l->part[0].kind != LAYOUT_TREE || l->level[a] == l->level[b])
			continue;
		assert_int_equal(l->level[b], l->level[a] + 1);
		assert_true(c->y[b] > c->y[a]);
	}
	for (uint32_t i = 0; l->part[0].kind == LAYOUT_TREE && i < l->part[0].n; i++)
		for (unsigned lev = 0; lev < l->part[0].levels; lev++) {
			uint32_t s = l->order[i];

			assert_true(l->level[s] > lev || c->y[s] < c->below[lev] || l->level[s] == lev + 1);
			assert_true(l->level[s] != lev || c->y[s] < c->below[lev]);
			assert_true(l->level[s] != lev + 1 || c->y[s] >= c->next[lev]);
		}
}

/* Columns of pods do not overlap. */
static void check_pods(const struct layout *l, const struct map_cells *c)
{
	AUTO_FREE int *left = NEW_ARRAY(l->n_blocks + 1, int), *right = NEW_ARRAY(l->n_blocks + 1, int);

	for (uint32_t b = 0; b < l->n_blocks; b++)
		left[b] = INT32_MAX;
	for (uint32_t s = 0; s < l->n; s++) {
		uint32_t b = l->block[s];

		if (b == NO_ID)
			continue;
		left[b] = c->x[s] < left[b] ? c->x[s] : left[b];
		right[b] = c->x[s] > right[b] ? c->x[s] : right[b];
	}
	for (uint32_t b = 1; b < l->n_blocks; b++)
		assert_true(right[b - 1] < left[b]);
}

static const char *const specs[] = {
	"xgft:4,4,4:1,4,4", "xgft:18,18,6:1,18,18",
	"torus:4x4x4",	    "torus:5x5",
	"mesh:8x8",	    "hypercube:6",
	"hyperx:3x4x5",	    "ring:6",
	"ring:7",	    "ring:400",
	"mesh:12",	    "dragonfly:4,2,2",
	"dragonfly:8,4,4",  "random:24,4",
	"random:500,12",    "director:2,4,3,8",
	"hyperx:12",	    "torus:4x4x4x3",
	"mesh:2",	    "torus:16x16x6",
};

static void test_any_size(void **state)
{
	static const int sizes[][2] = {{78, 20}, {198, 46}, {78, 10}, {38, 8}, {22, 3},
				       {3, 2},	 {1, 1},    {300, 4}, {5, 60}};

	for (size_t k = 0; k < ARRAY_LEN(specs); k++) {
		AUTO_FABRIC struct fabric *f = make_fabric(specs[k]);
		AUTO_LAYOUT struct layout *l = lay_out(f);

		for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
			struct map_cells *c = map_cells_new(f, l, sizes[i][0], sizes[i][1]);

			check_cells(l, c, sizes[i][0]);
			check_levels(l, c);
			if (l->part[0].pods && i < 2)
				check_pods(l, c);
			/* there is room: nothing below the edge, no cell shared where one each is enough */
			if (i < 2)
				assert_true(c->height <= sizes[i][1]);
			if (i < 2 && l->n <= 160)
				assert_int_equal(c->most, 1);
			map_cells_free(c);
		}
	}
}

static uint32_t named(const struct fabric *f, const char *name)
{
	uint32_t n = fabric_node_by_name(f, name, NULL);

	assert_int_not_equal(n, NO_ID);
	return f->node_switch[n];
}

/* Planes side by side, y upwards; links that wrap around have no stroke. */
static void test_torus(void **state)
{
	AUTO_FABRIC struct fabric *f = make_fabric("torus:4x4x4");
	AUTO_LAYOUT struct layout *l = lay_out(f);
	struct map_cells *c = map_cells_new(f, l, 78, 10);
	uint32_t o = named(f, "t000"), x = named(f, "t100"), y = named(f, "t010"), z = named(f, "t001");

	assert_int_equal(c->x[x] - c->x[o], 4);
	assert_int_equal(c->y[x], c->y[o]);
	assert_int_equal(c->x[y], c->x[o]);
	assert_int_equal(c->y[o] - c->y[y], 2);
	assert_int_equal(c->y[z], c->y[o]);
	assert_true(c->x[z] > c->x[named(f, "t300")]);
	assert_int_equal(c->n_strokes, 4 * (12 + 12));
	for (uint32_t i = 0; i < c->n_strokes; i++)
		assert_int_equal(abs(c->stroke[i].x0 - c->stroke[i].x1) +
					 2 * abs(c->stroke[i].y0 - c->stroke[i].y1),
				 4);
	map_cells_free(c);
}

/* A ring is closed, and walked clockwise. */
static void test_ring(void **state)
{
	AUTO_FABRIC struct fabric *f = make_fabric("ring:6");
	AUTO_LAYOUT struct layout *l = lay_out(f);
	struct map_cells *c = map_cells_new(f, l, 78, 12);

	assert_int_equal(c->n_strokes, 6);
	assert_int_equal(c->n_labels, 6);
	assert_true(c->x[named(f, "ring1")] > c->x[named(f, "ring0")]);
	assert_true(c->y[named(f, "ring3")] > c->y[named(f, "ring2")]);
	assert_int_equal(c->x[named(f, "ring3")], c->x[named(f, "ring2")]);
	assert_true(c->x[named(f, "ring4")] < c->x[named(f, "ring3")]);
	assert_int_equal(c->x[named(f, "ring5")], c->x[named(f, "ring0")]);
	map_cells_free(c);
}

static bool labelled(const struct map_cells *c, const char *text)
{
	for (uint32_t i = 0; i < c->n_labels; i++)
		if (!strncmp(c->label[i].text, text, strlen(text)))
			return true;
	return false;
}

/* Levels by a word of their names; by what they are where the word would be cut, or is that of twins. */
static void test_level_words(void **state)
{
	static const struct {
		const char *top, *low, *labels[2];
	} table[] = {
		{"core", "edge", {"0 core   1", "1 edge   4"}},
		{"core", "concentrator", {"0 core   1", "1 leaves 4"}},
		{"distribution", "edge", {"0 roots  1", "1 edge   4"}},
		{"core", NULL, {"0 roots  1", "1 leaves 4"}}, /* all leaves have one name */
	};

	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		AUTO_TEXT struct text t = {0};
		AUTO_FABRIC struct fabric *f = NULL;
		struct err e = {0};
		struct layout *l;

		text_add(&t, "Switch 4 \"%s\"\n", table[i].top);
		for (unsigned k = 1; k <= 4; k++)
			text_add(&t, "[%u] \"s%u\"[2]\n", k, k);
		for (unsigned k = 1; k <= 4; k++)
			text_add(&t, "\nSwitch 2 \"s%u\" # \"%s-%u\"\n[1] \"h%u\"[1]\n\nHca 1 \"h%u\"\n", k,
				 table[i].low ? table[i].low : "edge", table[i].low ? k : 1, k, k);
		if (fabric_parse("x", text_str(&t), t.len, &f, &e))
			fail_msg("%s", e.msg);
		l = lay_out(f);
		struct map_cells *c = map_cells_new(f, l, 78, 12);
		for (unsigned k = 0; k < 2; k++)
			if (!labelled(c, table[i].labels[k]))
				fail_msg("no label \"%s\"; the first: \"%s\"", table[i].labels[k],
					 c->n_labels ? c->label[0].text : "");
		map_cells_free(c);
		layout_unref(l);
	}
}

/* The whole of a real tree at the smallest terminal, one switch a cell. */
static void test_selene(void **state)
{
	AUTO_TEMP char *path = temp_file("");
	AUTO_FABRIC struct fabric *f = NULL;
	struct err e = {0};

	shell("xz -dc tests/fabrics/real/selene-compute.ibnetdiscover.xz >%s", path);
	assert_int_equal(fabric_load(path, &f, NULL, &e), 0);
	AUTO_LAYOUT struct layout *l = lay_out(f);
	struct map_cells *c = map_cells_new(f, l, 78, 18);
	check_cells(l, c, 78);
	check_levels(l, c);
	check_pods(l, c);
	assert_int_equal(c->most, 1);
	assert_true(c->height <= 18);
	map_cells_free(c);
	c = map_cells_new(f, l, 78, 10);
	check_cells(l, c, 78);
	check_pods(l, c);
	assert_int_equal(c->most, 2);
	map_cells_free(c);
}

/* Two rings and two switches alone: beside each other, the two below them. */
static void test_parts(void **state)
{
	static const char *const ring[] = {"s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9"};
	AUTO_FABRIC struct fabric *f = make_two_rings();
	AUTO_LAYOUT struct layout *l = lay_out(f);
	struct map_cells *c = map_cells_new(f, l, 78, 18);

	check_cells(l, c, 78);
	assert_int_equal(c->most, 1);
	for (uint32_t k = 0; k < 6; k++) /* the larger one is left of the other, both above those alone */
		for (uint32_t i = 6; i < 10; i++)
			assert_true(c->x[named(f, ring[k])] < c->x[named(f, ring[i])]);
	assert_true(c->y[named(f, "s10")] > c->y[named(f, "s4")]);
	map_cells_free(c);
	for (int w = 1; w < 60; w += 3)
		for (int h = 1; h < 12; h++) {
			c = map_cells_new(f, l, w, h);
			check_cells(l, c, w);
			map_cells_free(c);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_size),    cmocka_unit_test(test_torus),
		cmocka_unit_test(test_ring),	    cmocka_unit_test(test_selene),
		cmocka_unit_test(test_level_words), cmocka_unit_test(test_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
