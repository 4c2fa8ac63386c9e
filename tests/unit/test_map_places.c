/*
 * Places of the map's near scales: every cable of a switch in one entry, every cable of the fabric in one
 * bundle, nothing over anything else, arrow keys that reach all there is.
 */
#include "fixture.h"

#include "core/analysis/shape/layout.h"
#include "core/base/rng.h"
#include "core/formats/readers.h"
#include "views/map/map.h"

static struct fabric *any_fabric(const char *what)
{
	struct fabric *f = NULL;
	struct err e = {0};

	if (synth_is_spec(what))
		return make_fabric(what);
	if (fabric_load(what, &f, NULL, &e))
		fail_msg("%s: %s", what, e.msg);
	return f;
}

static struct layout *lay_out(const struct fabric *f)
{
	struct err e = {0};
	struct layout *l = layout_new(f, NULL, NULL, &e);

	if (!l)
		fail_msg("%s", e.msg);
	return l;
}

static const char *const fabrics[] = {
	"tests/fabrics/demo-3level.ibnet",
	"tests/fabrics/formats/stage-qdr-fdr10.ibnetdiscover",
	"tests/fabrics/formats/sun-dcs36-2002.ibnetdiscover",
	"tests/fabrics/formats/two-leaf.ibnetdiscover",
	"tests/fabrics/formats/voltaire-2007-lmc1.ibnetdiscover",
	"xgft:4,4,4:1,2,2",
	"xgft:4,4:1,2,parallel=3",
	"xgft:18,18:1,9,fail=20,shuffle=1",
	"director:2,4,3,8",
	"torus:4x4",
	"torus:4x4,parallel=2,fail=3",
	"torus:5x3x3",
	"torus:3x3x3x2",
	"mesh:3x2",
	"mesh:8x8",
	"hyperx:4x4",
	"hyperx:3x4x2,shuffle=1",
	"hypercube:5",
	"ring:3",
	"ring:6",
	"ring:7,parallel=4",
	"ring:40",
	"mesh:12",
	"mesh:2",
	"dragonfly:4,2,2",
	"dragonfly:3,1,1",
	"dragonfly:8,1,2",
	"hyperx:12",
	"random:24,4",
	"random:60,6,fail=30",
};

/* --- entries and bundles ------------------------------------------------------------------- */

static void check_entries(const struct fabric *f, const struct layout *l, uint32_t sw)
{
	struct map_entries *m = map_entries_new(f, l, sw);
	AUTO_FREE uint8_t *seen = NEW_ARRAY(f->n_links + 1, uint8_t);
	uint32_t cabled = 0;

	assert_int_equal(m->first[0], 0);
	assert_int_equal(m->first[MAP_SIDES], m->n);
	for (uint32_t i = 0; i < m->n; i++) {
		const struct map_entry *e = &m->entry[i];

		assert_true(i >= m->first[e->side] && i < m->first[e->side + 1]);
		assert_int_equal(e->side == MAP_HOSTS, e->sw == NO_ID);
		assert_int_equal(e->port, m->port[e->first]);
		for (uint32_t k = 0; k < e->n; k++) {
			uint32_t port = m->port[e->first + k];

			assert_true(k == 0 || port > m->port[e->first + k - 1]);
			assert_int_equal(f->port_node[port], f->switch_node[sw]);
			assert_int_equal(f->port_node[f->port_peer[port]], e->node);
			assert_int_equal(seen[f->port_link[port]]++, 0);
		}
		for (uint32_t k = 0; k < i; k++) /* parallel cables are together */
			assert_true(e->sw == NO_ID || m->entry[k].sw != e->sw);
	}
	for (unsigned p = 1; p <= f->switch_nports[sw]; p++) {
		uint32_t link = f->port_link[switch_port_id(f, sw, p)];

		if (link != NO_ID)
			assert_int_equal(seen[link], 1);
	}
	for (uint32_t k = 0; k < f->n_links; k++)
		cabled += seen[k];
	assert_int_equal(cabled, m->n_cables);
	map_entries_free(m);
}

static void test_entries_complete(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(fabrics); i++) {
		AUTO_FABRIC struct fabric *f = any_fabric(fabrics[i]);
		AUTO_LAYOUT struct layout *l = lay_out(f);

		for (uint32_t sw = 0; sw < f->n_switches; sw++)
			check_entries(f, l, sw);
	}
}

static void test_bundles_complete(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(fabrics); i++) {
		AUTO_FABRIC struct fabric *f = any_fabric(fabrics[i]);
		AUTO_LAYOUT struct layout *l = lay_out(f);
		AUTO_FREE uint8_t *seen = NEW_ARRAY(f->n_links + 1, uint8_t);

		for (uint32_t s = 0; s < l->n; s++)
			for (uint32_t k = l->first[s]; k < l->first[s + 1]; k++)
				for (uint32_t c = l->cable[k]; c < l->cable[k + 1]; c++) {
					uint32_t peer = f->port_peer[l->port[c]];

					assert_true(c == l->cable[k] || l->port[c] > l->port[c - 1]);
					assert_int_equal(f->port_node[l->port[c]], f->switch_node[s]);
					assert_int_equal(f->port_node[peer], f->switch_node[l->to[k]]);
					seen[f->port_link[peer]]++;
				}
		for (uint32_t k = 0; k < f->n_links; k++) {
			uint32_t a = f->node_switch[f->port_node[f->link_port[2 * k]]];
			uint32_t c = f->node_switch[f->port_node[f->link_port[2 * k + 1]]];

			assert_int_equal(seen[k], 2 * (a != NO_ID && c != NO_ID && a != c));
		}
	}
}

static uint32_t switch_named(const struct fabric *f, const char *name)
{
	for (uint32_t s = 0; s < f->n_switches; s++)
		if (!strcmp(switch_name(f, s), name))
			return s;
	fail_msg("no switch %s", name);
	return NO_ID;
}

/* Entries of a side: "port name, ..". */
static void side_is(const char *what, const char *middle, enum map_side side, const char *expected)
{
	AUTO_FABRIC struct fabric *f = any_fabric(what);
	AUTO_LAYOUT struct layout *l = lay_out(f);
	struct map_entries *m = map_entries_new(f, l, switch_named(f, middle));
	AUTO_TEXT struct text t = {0};

	for (uint32_t i = m->first[side]; i < m->first[side + 1]; i++) {
		const struct map_entry *e = &m->entry[i];

		text_add(&t, "%s%s%s%s", t.len ? " " : "", e->way, e->way[0] ? " " : "",
			 f->node_name[e->node]);
		if (e->n > 1)
			text_add(&t, "x%u", e->n);
	}
	assert_string_equal(text_str(&t), expected);
	map_entries_free(m);
}

static void test_sides(void **state)
{
	side_is("torus:4x4", "t00", MAP_RIGHT, "x+ t10");
	side_is("torus:4x4", "t00", MAP_LEFT, "x- t30");
	side_is("torus:4x4", "t00", MAP_ABOVE, "y+ t01");
	side_is("torus:4x4", "t00", MAP_BELOW, "y- t03");
	side_is("mesh:3x3x3", "m111", MAP_ABOVE, "y+ m121 z+ m112");
	side_is("ring:6", "ring0", MAP_RIGHT, "ring1");
	side_is("ring:6", "ring0", MAP_LEFT, "ring5");
	side_is("ring:6,parallel=3", "ring2", MAP_LEFT, "ring1x3");
	side_is("mesh:6", "m5", MAP_RIGHT, "");
	side_is("mesh:6", "m5", MAP_LEFT, "m4");
	side_is("dragonfly:4,2,2", "g00s0", MAP_BELOW, "g00s1 g00s2 g00s3");
	side_is("xgft:4,4:1,2", "leaf-02", MAP_BELOW, "");
	side_is("xgft:4,4:1,2", "leaf-02", MAP_ABOVE, "spine-01 spine-02");
	side_is("xgft:4,4:1,2", "spine-02", MAP_BELOW, "leaf-01 leaf-02 leaf-03 leaf-04");
}

/* --- the whole ------------------------------------------------------------------------------- */

/* Take cells for something that stands alone; `what` is the number of its kind. */
static void take(char *cells, int w, int h, int x, int y, int n, char what)
{
	assert_true(x >= 0 && y >= 0 && y < h && x + n <= w);
	for (int i = x; i < x + n; i++) {
		if (cells[y * w + i])
			fail_msg("%c over %c at %d,%d", what, cells[y * w + i], i, y);
		cells[y * w + i] = what;
	}
}

static void check_lines(const struct whole_plan *p, const char *cells, int w, int h)
{
	for (uint32_t i = 0; i < p->n_lines; i++) {
		const struct whole_line *l = &p->line[i];
		int scale_x = l->cells ? 1 : 2, scale_y = l->cells ? 1 : 4;

		for (int k = 0; k < l->n; k++) {
			assert_in_range(l->x[k], 0, w * scale_x - 1);
			assert_in_range(l->y[k], 0, h * scale_y - 1);
		}
		if (l->cells) { /* straight, and over nothing at its ends */
			assert_true(l->x[0] == l->x[1] || l->y[0] == l->y[1]);
			assert_int_equal(cells[l->y[0] * w + l->x[0]], 0);
			assert_int_equal(cells[l->y[1] * w + l->x[1]], 0);
		}
	}
}

/* Both ends of every bundle have a label, but for those that are not drawn and not named either. */
static void check_labels(const struct whole_plan *p, const struct fabric *f)
{
	AUTO_FREE uint8_t *ends = NEW_ARRAY(2 * p->n_bundles + 1, uint8_t);
	uint32_t labelled = 0, drawn = 0, lined = 0;
	AUTO_FREE uint8_t *line = NEW_ARRAY(p->n_bundles + 1, uint8_t);

	for (uint32_t i = 0; i < p->n_labels; i++) {
		const struct whole_label *l = &p->label[i];

		assert_int_equal(ends[2 * l->bundle + l->end]++, 0);
		AUTO_FREE char *port = str_printf("%u", f->port_num[p->bundle[l->bundle].port[l->end]]);
		assert_non_null(strstr(l->text, port));
	}
	for (uint32_t i = 0; i < p->n_lines; i++)
		line[p->line[i].bundle] = 1;
	for (uint32_t i = 0; i < p->n_bundles; i++) {
		assert_int_equal(ends[2 * i], ends[2 * i + 1]);
		labelled += ends[2 * i];
		lined += line[i];
		drawn += line[i] ? p->bundle[i].n : 0;
		if (line[i])
			assert_int_equal(ends[2 * i], 1);
	}
	assert_true(lined <= labelled && labelled <= p->n_bundles);
	assert_int_equal(drawn + p->undrawn, p->n_cables);
}

static void check_plan(const struct fabric *f, const struct layout *l, int w, int h)
{
	struct whole_plan *p = whole_plan_new(f, l, 0, w, h);
	AUTO_FREE char *cells = NEW_ARRAY((size_t)w * (size_t)h + 1, char);

	if (p->why) {
		assert_int_equal(p->n_boxes + p->n_labels + p->n_lines, 0);
		assert_false(p->fits);
	} else {
		assert_int_equal(p->fits, p->need_w <= w && p->need_h <= h);
		assert_int_equal(p->n_boxes, p->fits ? l->part[0].n : 0);
	}
	for (uint32_t i = 0; i < p->n_boxes; i++)
		take(cells, w, h, p->box[i].x, p->box[i].y, p->box[i].w, 'b');
	for (uint32_t i = 0; i < p->n_labels; i++) {
		assert_int_equal(strlen(p->label[i].text), p->label[i].w);
		take(cells, w, h, p->label[i].x, p->label[i].y, p->label[i].w, 'l');
	}
	for (uint32_t i = 0; i < p->n_notes; i++)
		take(cells, w, h, p->note[i].x, p->note[i].y, p->note[i].w, 'n');
	if (p->fits) {
		check_labels(p, f);
		check_lines(p, cells, w, h);
	}
	whole_plan_free(p);
}

static void test_whole(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(fabrics); i++) {
		AUTO_FABRIC struct fabric *f = any_fabric(fabrics[i]);
		AUTO_LAYOUT struct layout *l = lay_out(f);
		struct whole_plan *p = whole_plan_new(f, l, 0, 0, 0);
		int w = p->need_w, h = p->need_h;

		assert_false(p->fits);
		assert_true(p->why ? !w && !h : w > 0 && h > 0);
		whole_plan_free(p);
		for (int more = 0; more < 60 && w; more += more / 8 + 1) {
			check_plan(f, l, w + more, h + more);
			check_plan(f, l, w + 5 * more, h + more / 3);
			check_plan(f, l, w - 1, h + more);
		}
		check_plan(f, l, 0, 0);
		check_plan(f, l, 78, 20);
		check_plan(f, l, 198, 46);
	}
}

/* "W x H" that is needed on w columns, or why there is none. */
static void needs(const char *what, int w, const char *expected)
{
	AUTO_FABRIC struct fabric *f = any_fabric(what);
	AUTO_LAYOUT struct layout *l = lay_out(f);
	struct whole_plan *p = whole_plan_new(f, l, 0, w, 1000);
	char text[80];

	if (p->why)
		snprintf(text, sizeof(text), "%s", p->why);
	else
		snprintf(text, sizeof(text), "%d x %d, %u in %u, %u not", p->need_w, p->need_h, p->n_cables,
			 p->n_bundles, p->undrawn);
	if (strcmp(text, expected) != 0)
		fail_msg("%s: %s, expected %s", what, text, expected);
	whole_plan_free(p);
}

static void test_needs(void **state)
{
	needs("tests/fabrics/demo-3level.ibnet", 78, "192 x 14, 128 in 128, 0 not");
	needs("tests/fabrics/formats/stage-qdr-fdr10.ibnetdiscover", 78, "60 x 9, 47 in 12, 0 not");
	needs("tests/fabrics/formats/stage-qdr-fdr10.ibnetdiscover", 198, "126 x 9, 47 in 12, 0 not");
	needs("xgft:4,4:1,2,parallel=3", 78, "44 x 8, 24 in 8, 0 not");
	needs("director:2,4,3,8", 78, "120 x 14, 40 in 40, 0 not");
	needs("torus:4x4", 78, "50 x 17, 32 in 32, 0 not");
	needs("torus:4x4,parallel=2,fail=3", 78, "66 x 17, 61 in 32, 0 not");
	needs("torus:5x3x3", 78, "82 x 42, 135 in 135, 45 not");
	needs("torus:5x3x3", 198, "166 x 28, 135 in 135, 45 not");
	needs("torus:5x4x4", 198, "grids of up to 64 switches have one");
	needs("mesh:8x8", 78, "94 x 31, 112 in 112, 0 not");
	needs("hyperx:4x4", 78, "110 x 15, 48 in 48, 24 not");
	needs("ring:6", 78, "40 x 5, 6 in 6, 0 not");
	needs("ring:40", 78, "62 x 69, 40 in 40, 0 not");
	needs("ring:40", 198, "190 x 37, 40 in 40, 0 not");
	needs("mesh:12", 198, "166 x 1, 11 in 11, 0 not");
	needs("dragonfly:4,2,2", 198, "192 x 17, 90 in 90, 0 not");
	needs("dragonfly:8,4,4", 198, "up to 9 groups of up to 8 switches have one");
	needs("hyperx:12", 198, "trees, grids, rings and groups have one");
	needs("random:24,4", 198, "trees, grids, rings and groups have one");
}

/* --- around ------------------------------------------------------------------------------------ */

static void check_around(const struct around_want *want, struct around_spot cursor, int top[MAP_SIDES])
{
	struct around_places p;
	AUTO_FREE char *cells = NEW_ARRAY((size_t)want->w * (size_t)want->h + 1, char);

	around_plan(want, cursor, top, &p);
	for (int y = p.box_y; y < p.box_y + p.box_h && want->h >= 12; y++)
		take(cells, want->w, want->h, p.box_x, y, p.box_w, 'B');
	for (int s = 0; s < MAP_SIDES && want->h >= 12 && want->w >= 40; s++) {
		const struct around_zone *z = &p.zone[s];

		assert_int_equal(z->n, want->n[s]);
		if (s != MAP_LEFT && s != MAP_RIGHT && z->head >= 0 && z->n)
			for (int x = 0; x < want->w; x++)
				cells[z->head * want->w + x] = 0;
		for (int i = 0; i < z->n; i++) {
			struct around_spot spot = {s, i};
			int x, y, w = z->cell < want->w ? z->cell : want->w;

			if (around_at(&p, spot, &x, &y))
				take(cells, want->w, want->h, x, y, w, 'e');
		}
	}
	if (want->h >= 12 && cursor.side != MAP_SIDES && want->w >= 60) {
		int x, y;

		assert_true(p.zone[cursor.side].line || around_at(&p, cursor, &x, &y));
	}
}

/* From the middle, arrow keys lead to every entry. */
static void check_reach(const struct around_want *want)
{
	static const int key[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
	uint8_t *seen[MAP_SIDES + 1];
	int n = 0, total = 1, top[MAP_SIDES] = {0};
	struct around_places p;

	around_plan(want, (struct around_spot){MAP_SIDES, 0}, top, &p);
	for (int s = 0; s < MAP_SIDES; s++) {
		seen[s] = NEW_ARRAY((size_t)want->n[s] + 1, uint8_t);
		total += want->n[s];
	}
	seen[MAP_SIDES] = NEW_ARRAY(1, uint8_t);
	AUTO_FREE struct around_spot *todo = NEW_ARRAY((size_t)total + 1, struct around_spot);
	todo[n++] = (struct around_spot){MAP_SIDES, 0};
	seen[MAP_SIDES][0] = 1;
	for (int at = 0; at < n; at++) {
		for (int k = 0; k < 4; k++) {
			struct around_spot to = around_step(&p, todo[at], key[k][0], key[k][1]);

			if (seen[to.side][to.i]++)
				continue;
			todo[n++] = to;
		}
	}
	assert_int_equal(n, total);
	for (int s = 0; s <= MAP_SIDES; s++)
		free(seen[s]);
}

static void test_around(void **state)
{
	uint64_t r = test_seed();

	for (int turn = 0; turn < 4000; turn++) {
		struct around_want want = {.w = (int)rng_below(&r, 210), .h = (int)rng_below(&r, 60)};
		struct around_spot cursor = {MAP_SIDES, 0};
		int top[MAP_SIDES];

		want.box_w = 24 + (int)rng_below(&r, 10);
		for (int s = 0; s < MAP_SIDES; s++) {
			want.n[s] = rng_below(&r, 2) ? (int)rng_below(&r, 5) : (int)rng_below(&r, 65);
			want.cell[s] = 8 + (int)rng_below(&r, 30);
			top[s] = (int)rng_below(&r, 70) - 5;
		}
		int at = (int)rng_below(&r, MAP_SIDES);
		if (want.n[at])
			cursor = (struct around_spot){at, (int)rng_below(&r, (uint32_t)want.n[at])};
		check_around(&want, cursor, top);
		check_reach(&want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_entries_complete),
		cmocka_unit_test(test_bundles_complete),
		cmocka_unit_test(test_sides),
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_needs),
		cmocka_unit_test(test_around),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
