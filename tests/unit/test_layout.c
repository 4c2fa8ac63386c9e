/*
 * Layouts: what shape fabrics are found to have, and that switches get the places that their names tell,
 * whatever the order of nodes, ports and GUIDs, and with links missing.
 */
#include "fixture.h"

#include "core/analysis/shape/layout.h"
#include "core/fabric/elements.h"
#include "core/formats/readers.h"

static struct layout *lay_out(const struct fabric *f)
{
	AUTO_STATE struct state *st = state_new(f);
	AUTO_TOPO struct topo *t = topo_new(f, st);
	struct err e = {0};
	struct elements *el = elements_new(t, NULL, NULL, NULL, &e);

	assert_non_null(el);
	struct layout *l = layout_new(f, el->of, NULL, &e);
	if (!l)
		fail_msg("%s", e.msg);
	elements_unref(el);
	return l;
}

static struct fabric *load_file(const char *path)
{
	struct fabric *f = NULL;
	struct err e = {0};

	if (fabric_load(path, &f, NULL, &e))
		fail_msg("%s", e.msg);
	return f;
}

/* A compressed one of tests/fabrics/real, unpacked for the time it is read. */
static struct fabric *load_real(const char *name)
{
	AUTO_TEMP char *path = temp_file("");

	shell("xz -dc tests/fabrics/real/%s >%s", name, path);
	return load_file(path);
}

static const struct layout_part *largest(const struct layout *l)
{
	assert_true(l->n_parts >= 1);
	return &l->part[0];
}

/* What holds for every layout. */
static void check_whole(const struct layout *l)
{
	AUTO_FREE uint8_t *seen = NEW_ARRAY(l->n + 1, uint8_t);
	uint32_t at = 0, blocks = 0;

	for (uint32_t k = 0; k < l->n_parts; k++) {
		const struct layout_part *p = &l->part[k];

		assert_int_equal(p->first, at);
		assert_int_equal(p->first_block, blocks);
		at += p->n;
		blocks += p->n_blocks;
		assert_true(k == 0 || p->n <= l->part[k - 1].n);
		assert_non_null(p->words);
		for (uint32_t i = p->first; i < p->first + p->n; i++) {
			uint32_t s = l->order[i], b = l->block[s];

			assert_int_equal(l->part_of[s], k);
			assert_int_equal(seen[s]++, 0);
			assert_true(b == NO_ID || (b >= p->first_block && b < blocks));
			assert_true(p->kind != LAYOUT_TREE || l->level[s] < p->levels);
			assert_true(p->kind != LAYOUT_TREE || i == p->first ||
				    l->level[s] >= l->level[l->order[i - 1]]);
			assert_true(l->x[s] >= 0 && l->x[s] <= 1 && l->y[s] >= 0 && l->y[s] <= 1);
		}
	}
	assert_int_equal(at + l->n_alone, l->n);
	assert_int_equal(blocks, l->n_blocks);
	for (uint32_t i = at; i < l->n; i++) {
		assert_int_equal(l->part_of[l->order[i]], NO_ID);
		assert_int_equal(seen[l->order[i]]++, 0);
	}
}

/* Switches of a block stand side by side in each level. */
static void check_blocks(const struct layout *l, const struct layout_part *p)
{
	for (uint32_t i = p->first; i < p->first + p->n; i++) {
		uint32_t a = l->order[i];
		bool left = false;

		for (uint32_t j = i + 1; j < p->first + p->n && l->block[a] != NO_ID; j++) {
			uint32_t b = l->order[j];

			if (l->level[b] != l->level[a])
				break;
			left |= l->block[b] != l->block[a];
			assert_false(left && l->block[b] == l->block[a]);
		}
	}
}

static struct layout *lay_out_spec(const char *spec)
{
	AUTO_FABRIC struct fabric *f = make_fabric(spec);
	struct layout *l = lay_out(f);

	check_whole(l);
	return l;
}

static void expect_words(const char *spec, enum layout_kind kind, const char *words)
{
	AUTO_LAYOUT struct layout *l = lay_out_spec(spec);

	if (largest(l)->kind != kind || strcmp(largest(l)->words, words))
		fail_msg("%s: found %s \"%s\", expected %s \"%s\"", spec, layout_kind_names[largest(l)->kind],
			 largest(l)->words, layout_kind_names[kind], words);
}

static void test_kinds(void **state)
{
	expect_words("ring:6", LAYOUT_RING, "ring of 6");
	expect_words("ring:40,shuffle=1", LAYOUT_RING, "ring of 40");
	expect_words("mesh:12", LAYOUT_CHAIN, "chain of 12");
	expect_words("mesh:2", LAYOUT_ROW, "2 switches");
	expect_words("hyperx:12", LAYOUT_FULL, "12 switches, all pairs linked");
	expect_words("hyperx:12,fail=3", LAYOUT_FULL, "12 switches, nearly all pairs linked");
	expect_words("hypercube:4", LAYOUT_GRID, "4x4 torus = hypercube 4");
	expect_words("hypercube:5", LAYOUT_GRID, "4x4x2 torus = hypercube 5");
	expect_words("hypercube:6,shuffle=1", LAYOUT_GRID, "4x4x4 torus = hypercube 6");
	expect_words("torus:4x4x4,shuffle=1", LAYOUT_GRID, "4x4x4 torus = hypercube 6");
	expect_words("hyperx:3x4x5,shuffle=1", LAYOUT_GRID, "3x4x5 hyperx");
	expect_words("published:t2hx", LAYOUT_GRID, "12x8 hyperx");
	expect_words("published:gordon", LAYOUT_GRID, "4x4x4 torus = hypercube 6");
	expect_words("published:redsky", LAYOUT_GRID, "6x6x8 torus");
	expect_words("dragonfly:4,2,2", LAYOUT_GROUPS, "9 groups of 4");
	expect_words("dragonfly:8,4,4,shuffle=1", LAYOUT_GROUPS, "33 groups of 8");
	expect_words("dragonfly:6,3,3,fail=8", LAYOUT_GROUPS, "19 groups of 6");
	expect_words("dragonfly:3,1,1", LAYOUT_GROUPS, "4 groups of 3");
	expect_words("random:24,4", LAYOUT_OTHER, "24 switches");
	expect_words("random:60,6", LAYOUT_OTHER, "60 switches");
	expect_words("random:500,12", LAYOUT_OTHER, "500 switches");
	/* a square with hosts on two of its switches is a tree, one with hosts on all a ring */
	expect_words("xgft:2,2:1,2", LAYOUT_TREE, "2 levels");
	expect_words("ring:4", LAYOUT_RING, "ring of 4");
}

/* --- grids --- */

/* The k'th number in a name. */
static unsigned number_in(const char *name, unsigned k)
{
	for (;; k--) {
		name += strcspn(name, "0123456789");
		if (!*name || !k)
			return (unsigned)strtoul(name, NULL, 10);
		name += strspn(name, "0123456789");
	}
}

/* Coordinates are the numbers (digits: single ones) of the names. */
static bool as_named(const struct fabric *f, const struct layout *l, bool digits)
{
	unsigned dims = largest(l)->n_dims;

	if (largest(l)->kind != LAYOUT_GRID)
		return false;
	for (uint32_t s = 0; s < l->n; s++) {
		const char *name = switch_name(f, s), *end = name + strlen(name) - dims;

		for (unsigned d = 0; d < dims; d++)
			if (layout_coord(l, s)[d] != (digits ? (unsigned)(end[d] - '0') : number_in(name, d)))
				return false;
	}
	return true;
}

static void expect_named(const char *shape, unsigned sizes, bool digits, const char *options)
{
	for (unsigned seed = 1; seed <= 4; seed++) {
		AUTO_FREE char *spec = str_printf("%s,shuffle=1,seed=%u%s", shape, seed, options);
		AUTO_FABRIC struct fabric *f = make_fabric(spec);
		AUTO_LAYOUT struct layout *l = lay_out(f);

		check_whole(l);
		if (largest(l)->n_dims != sizes || !as_named(f, l, digits))
			fail_msg("%s: \"%s\", not as the names say", spec, largest(l)->words);
	}
}

static void test_coordinates(void **state)
{
	static const struct {
		const char *shape;
		unsigned dims;
		bool digits, holes;
	} shapes[] = {{"torus:4x4x4", 3, true, true},  {"torus:5x5", 2, true, true},
		      {"torus:8x8", 2, true, true},    {"torus:6x4", 2, true, true},
		      {"torus:3x5x4", 3, true, true},  {"torus:4x6x8", 3, true, true},
		      {"torus:5x4x2", 3, true, true},  {"torus:3x3", 2, true, false},
		      {"torus:3x7", 2, true, false},   {"torus:12x11", 2, false, true},
		      {"torus:3x4x5", 3, true, true},  {"torus:6x6x6", 3, true, true},
		      {"mesh:6x6", 2, true, true},     {"mesh:8x7", 2, true, true},
		      {"mesh:4x4x4", 3, true, false},  {"mesh:6x6x6", 3, true, true},
		      {"mesh:11x10", 2, false, true},  {"hyperx:4x4", 2, true, true},
		      {"hyperx:3x4x5", 3, true, false}};

	for (size_t k = 0; k < ARRAY_LEN(shapes); k++) {
		expect_named(shapes[k].shape, shapes[k].dims, shapes[k].digits, "");
		if (shapes[k].holes)
			expect_named(shapes[k].shape, shapes[k].dims, shapes[k].digits, ",fail=3");
	}
}

/* Links lead one step, and no two switches are in the same place. */
static void expect_steps(const char *spec)
{
	AUTO_LAYOUT struct layout *l = lay_out_spec(spec);
	const struct layout_part *p = largest(l);

	assert_int_equal(p->kind, LAYOUT_GRID);
	for (uint32_t s = 0; s < l->n; s++) {
		const uint16_t *a = layout_coord(l, s);

		for (uint32_t v = 0; v < s; v++)
			assert_memory_not_equal(a, layout_coord(l, v), LAYOUT_DIMS * sizeof(*a));
		for (uint32_t i = l->first[s]; i < l->first[s + 1]; i++) {
			const uint16_t *b = layout_coord(l, l->to[i]);
			unsigned changed = 0;

			for (unsigned d = 0; d < p->n_dims; d++) {
				unsigned size = p->dim[d].size, up = (b[d] + size - a[d]) % size;

				assert_true(a[d] < size);
				changed += up != 0;
				assert_true(up == 0 || up == 1 || up == size - 1 ||
					    p->dim[d].kind == LAYOUT_CLIQUE);
			}
			assert_int_equal(changed, 1);
		}
	}
}

static void test_steps(void **state)
{
	expect_steps("torus:7x5x6,shuffle=1");
	expect_steps("torus:4x4x4,shuffle=1,fail=12");
	expect_steps("torus:4x4x4x4,shuffle=1");
	expect_steps("mesh:9x8,shuffle=1");
	expect_steps("hypercube:7,shuffle=1");
	expect_steps("hyperx:6x5x3,shuffle=1");
	expect_steps("published:redsky");
}

/* --- groups --- */

/* The group is what the name begins with. */
static void test_groups(void **state)
{
	static const char *const specs[] = {"dragonfly:4,2,2,shuffle=1", "dragonfly:8,4,4,shuffle=1",
					    "dragonfly:6,3,3,fail=8", "dragonfly:3,1,1"};

	for (size_t k = 0; k < ARRAY_LEN(specs); k++) {
		AUTO_FABRIC struct fabric *f = make_fabric(specs[k]);
		AUTO_LAYOUT struct layout *l = lay_out(f);

		check_whole(l);
		for (uint32_t s = 0; s < l->n; s++) {
			const char *name = switch_name(f, s), *block = l->block_name[l->block[s]];

			assert_memory_equal(block, name, strlen(block));
			assert_int_equal(name[strlen(block)], 's');
		}
	}
}

/* Dragonfly+: groups of 4 leaves and 4 spines, all pairs of these linked; each spine leads to two other
 * groups, so that each pair of the 9 groups has one link. */
static struct fabric *make_plus(uint32_t seed)
{
	struct fabric_builder *b = fb_new();
	uint32_t node[9][8], order[72], at[9] = {0};

	for (uint32_t i = 0; i < 72; i++)
		order[i] = (i * (seed ? 35 : 1) + seed) % 72;
	for (uint32_t i = 0; i < 72; i++) {
		uint32_t g = order[i] / 8, k = order[i] % 8;
		AUTO_FREE char *name = str_printf("g%u%c%u", g, k < 4 ? 'l' : 's', k % 4);

		node[g][k] = fb_add(b, NODE_SWITCH, 0x1000 + i, 8, name);
	}
	for (uint32_t g = 0; g < 9; g++)
		for (uint32_t leaf = 0; leaf < 4; leaf++) {
			AUTO_FREE char *name = str_printf("h%u%u", g, leaf);

			fb_link(b, node[g][leaf], 8,
				fb_add(b, NODE_CA, 0x9000 + 16 * (g * 4 + leaf), 1, name), 1);
			for (uint32_t s = 0; s < 4; s++)
				fb_link(b, node[g][leaf], s + 1, node[g][4 + s], leaf + 1);
		}
	for (uint32_t g = 0; g < 9; g++)
		for (uint32_t h = g + 1; h < 9; h++) {
			uint32_t x = at[g]++, y = at[h]++;

			fb_link(b, node[g][4 + x / 2], 5 + x % 2, node[h][4 + y / 2], 5 + y % 2);
		}
	return built(b);
}

static void test_plus(void **state)
{
	for (uint32_t seed = 0; seed < 5; seed++) {
		AUTO_FABRIC struct fabric *f = make_plus(seed);
		AUTO_LAYOUT struct layout *l = lay_out(f);

		check_whole(l);
		assert_int_equal(largest(l)->kind, LAYOUT_GROUPS);
		assert_int_equal(largest(l)->levels, 2);
		assert_string_equal(largest(l)->words, "9 groups of 8");
		for (uint32_t s = 0; s < l->n; s++) {
			const char *name = switch_name(f, s), *block = l->block_name[l->block[s]];

			assert_int_equal(l->level[s], name[2] == 's' ? 0 : 1);
			assert_memory_equal(block, name, 2);
			assert_int_equal(block[2], 0);
		}
	}
}

/* --- trees --- */

/* Switches of each level; blocks are pods or not. */
static void expect_tree(const struct layout *l, bool pods, uint32_t blocks, unsigned levels,
			const uint32_t *count)
{
	const struct layout_part *p = largest(l);
	uint32_t n[256] = {0};

	check_whole(l);
	check_blocks(l, p);
	assert_int_equal(p->kind, LAYOUT_TREE);
	assert_int_equal(p->wrong, 0);
	assert_int_equal(p->levels, levels);
	for (uint32_t s = 0; s < l->n; s++)
		n[l->level[s]] += l->part_of[s] == 0;
	for (unsigned k = 0; k < levels; k++)
		assert_int_equal(n[k], count[k]);
	assert_int_equal(p->n_blocks, blocks);
	assert_int_equal(p->pods, pods);
}

#define LEVELS(...)         \
	(const uint32_t[])  \
	{                   \
		__VA_ARGS__ \
	}

static void expect_spec_tree(const char *spec, bool pods, uint32_t blocks, unsigned levels,
			     const uint32_t *count)
{
	AUTO_LAYOUT struct layout *l = lay_out_spec(spec);

	expect_tree(l, pods, blocks, levels, count);
}

static void test_trees(void **state)
{
	struct fabric *f = load_file("tests/fabrics/demo-3level.ibnet");
	struct layout *l = lay_out(f);

	expect_tree(l, true, 4, 3, LEVELS(16, 16, 16));
	for (uint32_t s = 0; s < l->n; s++) {
		const char *name = switch_name(f, s);

		assert_int_equal(l->level[s], *name == 'c' ? 0 : *name == 's' ? 1 : 2);
	}
	layout_unref(l);
	fabric_unref(f);
	f = load_file("tests/fabrics/formats/stage-qdr-fdr10.ibnetdiscover");
	l = lay_out(f);
	expect_tree(l, false, 0, 2, LEVELS(2, 6));
	for (uint32_t s = 0; s < l->n; s++) {
		const char *name = switch_name(f, s);

		assert_int_equal(l->level[s] == 0, strstr(name, ";ib7:") || strstr(name, ";ib8:"));
	}
	layout_unref(l);
	fabric_unref(f);
	expect_spec_tree("xgft:4,4,4:1,4,4,shuffle=1", true, 4, 3, LEVELS(16, 16, 16));
	expect_spec_tree("xgft:4,4,8:1,4,4,shuffle=1", true, 8, 3, LEVELS(16, 32, 32)); /* 4-ary 3-tree */
	expect_spec_tree("xgft:18,18,6:1,18,18", true, 6, 3, LEVELS(324, 108, 108));
	expect_spec_tree("director:2,4,3,8", false, 2, 3, LEVELS(6, 8, 8));
	/* aggregation nodes are no hosts */
	expect_spec_tree("xgft:4,4,4:1,4,4,aggregation=1", true, 4, 3, LEVELS(16, 16, 16));
}

/* Pods of this many switches in levels 1 and 2. */
static unsigned pods_of(const struct layout *l, unsigned spines, unsigned leaves)
{
	unsigned n = 0;

	for (uint32_t b = 0; b < l->n_blocks; b++) {
		unsigned count[3] = {0};

		for (uint32_t s = 0; s < l->n; s++)
			if (l->block[s] == b)
				count[l->level[s]]++;
		assert_int_equal(count[0], 0);
		n += count[1] == spines && count[2] == leaves;
	}
	return n;
}

static const char *chip_name(const struct fabric *f, uint32_t s)
{
	const char *name = switch_name(f, s), *semi = strchr(name, ';');

	return semi ? semi + 1 : name;
}

/* CA ports cabled to a switch, aggregation nodes too. */
static uint32_t on_switch(const struct fabric *f, uint32_t s)
{
	uint32_t n = 0;

	for (unsigned p = 1; p <= f->switch_nports[s]; p++) {
		uint32_t peer = f->port_peer[switch_port_id(f, s, p)];

		n += peer != NO_ID && !node_is_switch(f, f->port_node[peer]);
	}
	return n;
}

/* Switches of a level without hosts. */
static uint32_t bare(const struct layout *l, unsigned level)
{
	uint32_t n = 0;

	for (uint32_t s = 0; s < l->n; s++)
		n += l->level[s] == level && !l->hosts[s];
	return n;
}

static void test_selene(void **state)
{
	AUTO_FABRIC struct fabric *f = load_real("selene-compute.ibnetdiscover.xz");
	AUTO_LAYOUT struct layout *l = lay_out(f);
	uint32_t hosts = 0, mspine = 0, mlg = 0, aggregation = 0;

	expect_tree(l, true, 34, 3, LEVELS(140, 322, 204));
	for (uint32_t s = 0; s < l->n; s++) {
		const char *name = chip_name(f, s);

		if (!strncmp(name, "MLG01-05", 8) || !strncmp(name, "MSPINE4-01", 10))
			assert_int_equal(l->hosts[s], 0);
		aggregation += on_switch(f, s) - l->hosts[s];
		hosts += l->hosts[s];
		mspine += !strncmp(name, "MSPINE", 6);
		mlg += !strncmp(name, "MLG", 3);
		assert_int_equal(l->level[s], strstr(name, "CORE") ? 0 : strstr(name, "SPINE") ? 1 : 2);
	}
	assert_int_equal(hosts, 3675);
	assert_int_equal(aggregation, 666); /* no hosts */
	assert_int_equal(mspine, 2);
	assert_int_equal(mlg, 4);
	assert_int_equal(pods_of(l, 10, 7), 22);
	assert_int_equal(pods_of(l, 10, 4), 8);
	assert_int_equal(pods_of(l, 10, 8), 2);
	assert_int_equal(pods_of(l, 1, 1), 2);
}

static void test_storage(void **state)
{
	AUTO_FABRIC struct fabric *f = load_real("selene-storage.ibnetdiscover.xz");
	AUTO_LAYOUT struct layout *l = lay_out(f);

	expect_tree(l, true, 4, 3, LEVELS(32, 64, 64));
	assert_int_equal(pods_of(l, 16, 16), 4);
	assert_int_equal(bare(l, 2), 4);
	for (uint32_t s = 0; s < l->n; s++) {
		const char *name = chip_name(f, s);

		assert_int_equal(l->level[s], strstr(name, "SCORE") ? 0 : strstr(name, "SSPINE") ? 1 : 2);
	}
}

static void test_director(void **state)
{
	AUTO_FABRIC struct fabric *f = load_real("sat11-director.putty-log.xz");
	AUTO_LAYOUT struct layout *l = lay_out(f);
	uint32_t inside[4] = {0};

	expect_tree(l, false, 4, 3, LEVELS(80, 160, 160));
	for (uint32_t s = 0; s < l->n; s++) {
		const char *name = switch_name(f, s);

		assert_int_equal(l->level[s], strstr(name, "/S") ? 0 : strstr(name, "/L") ? 1 : 2);
		assert_int_equal(l->block[s] == NO_ID, l->level[s] == 2);
		if (l->block[s] != NO_ID)
			inside[l->block[s]]++;
	}
	for (unsigned k = 0; k < 4; k++)
		assert_int_equal(inside[k], 60);
	assert_int_equal(bare(l, 2), 6);
}

/* --- what everything else rests on --- */

static void same_by_name(const struct fabric *f, const struct layout *l, const struct fabric *g,
			 const struct layout *m)
{
	assert_int_equal(l->n, m->n);
	assert_string_equal(largest(l)->words, largest(m)->words);
	for (uint32_t i = 0; i < l->n; i++) {
		uint32_t s = l->order[i], r = m->order[i];

		assert_string_equal(switch_name(f, s), switch_name(g, r));
		assert_int_equal(l->level[s], m->level[r]);
		assert_int_equal(l->block[s], m->block[r]);
		assert_memory_equal(layout_coord(l, s), layout_coord(m, r), LAYOUT_DIMS * sizeof(uint16_t));
		assert_true(l->x[s] == m->x[r] && l->y[s] == m->y[r]);
	}
}

/* The order of nodes, ports and GUIDs does not matter. */
static void test_any_order(void **state)
{
	static const char *const specs[] = {
		"torus:5x6",	   "torus:4x4x4",      "mesh:6x7",    "hypercube:5",	  "hyperx:5x4",
		"dragonfly:4,2,2", "xgft:4,4,4:1,4,4", "ring:9",      "director:2,4,3,8", "xgft:6,5:1,3",
		"mesh:12",	   "hyperx:7",	       "random:24,4", "random:100,6",	  "dragonfly:6,3,3"};

	for (size_t k = 0; k < ARRAY_LEN(specs); k++)
		for (unsigned seed = 1; seed <= 5; seed++) {
			char spec[100];

			snprintf(spec, sizeof(spec), "%s,seed=%u", specs[k], seed);
			AUTO_FABRIC struct fabric *f = make_fabric(spec);
			AUTO_LAYOUT struct layout *l = lay_out(f);
			snprintf(spec, sizeof(spec), "%s,shuffle=1,seed=%u", specs[k], seed);
			AUTO_FABRIC struct fabric *g = make_fabric(spec);
			AUTO_LAYOUT struct layout *m = lay_out(g);
			same_by_name(f, l, g, m);
		}
}

static void test_name_order(void **state)
{
	assert_true(layout_name_order("leaf-9", "leaf-10") < 0);
	assert_true(layout_name_order("leaf-010", "leaf-10") == 0);
	assert_true(layout_name_order("a2b10", "a2b9") > 0);
	assert_true(layout_name_order("a", "ab") < 0);
	assert_true(layout_name_order("a\xc3", "ab") > 0);
	assert_true(layout_name_order("", "") == 0);
	assert_true(layout_name_order("0", "00") == 0);
}

/* Neighbours: parallel cables count once. */
static void test_links(void **state)
{
	AUTO_LAYOUT struct layout *l = lay_out_spec("torus:4x4,parallel=3");

	assert_int_equal(largest(l)->n_links, 32);
	for (uint32_t s = 0; s < l->n; s++) {
		assert_int_equal(l->first[s + 1] - l->first[s], 4);
		for (uint32_t i = l->first[s]; i < l->first[s + 1]; i++) {
			assert_int_equal(l->cable[i + 1] - l->cable[i], 3);
			assert_int_equal(layout_arc(l, s, l->to[i]), i);
			assert_true(i == l->first[s] || l->to[i] > l->to[i - 1]);
		}
	}
}

/* Two rings and two switches alone, as nothing connects them. */
static void test_parts(void **state)
{
	AUTO_FABRIC struct fabric *f = make_two_rings();
	struct err e = {0};
	AUTO_LAYOUT struct layout *l = layout_new(f, NULL, NULL, &e);

	assert_non_null(l);
	check_whole(l);
	assert_int_equal(l->n_parts, 2);
	assert_int_equal(l->part[0].n, 6);
	assert_int_equal(l->part[1].kind, LAYOUT_RING);
	assert_int_equal(l->n_alone, 2);
	assert_string_equal(switch_name(f, l->order[6]), "s6");
	assert_string_equal(switch_name(f, l->order[11]), "s11");
}

static void test_cancel(void **state)
{
	static const char *const specs[] = {"torus:5x5", "dragonfly:4,2,2", "xgft:4,4,4:1,4,4",
					    "random:60,6"};

	for (size_t k = 0; k < ARRAY_LEN(specs); k++) {
		AUTO_FABRIC struct fabric *f = make_fabric(specs[k]);
		struct progress p = {.cancel = true};
		struct err e = {0};

		assert_null(layout_new(f, NULL, &p, &e));
		assert_string_equal(e.msg, CANCELLED);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),	  cmocka_unit_test(test_coordinates),
		cmocka_unit_test(test_steps),	  cmocka_unit_test(test_groups),
		cmocka_unit_test(test_trees),	  cmocka_unit_test(test_selene),
		cmocka_unit_test(test_storage),	  cmocka_unit_test(test_director),
		cmocka_unit_test(test_any_order), cmocka_unit_test(test_name_order),
		cmocka_unit_test(test_links),	  cmocka_unit_test(test_parts),
		cmocka_unit_test(test_cancel),	  cmocka_unit_test(test_plus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
