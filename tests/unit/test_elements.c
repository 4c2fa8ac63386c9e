/* Switch elements: grouping, names, links, distances; the commands that show them. */
#include "tests/unit/fixture.h"

#include "core/analysis/traffic/spread.h"
#include "core/fabric/elements.h"

struct net {
	struct fabric_builder *b;
	struct fabric *f;
	struct state *st;
	struct topo *t;
	struct elements *el;
	struct text notes;
	char *file;
};

static void net_new(struct net *n)
{
	*n = (struct net){.b = fb_new()};
}

static uint32_t add(struct net *n, uint64_t guid, uint64_t sys, const char *name)
{
	uint32_t sw = fb_add(n->b, NODE_SWITCH, guid, 8, name);

	n->b->node[sw].sysguid = sys;
	return sw;
}

static void cable(struct net *n, uint32_t a, unsigned p, uint32_t b, unsigned q)
{
	assert_true(fb_link(n->b, a, p, b, q));
}

static void finish(struct net *n)
{
	struct err e;

	if (fb_finish(n->b, "test", "synthetic", &n->f, &e))
		fail_msg("%s", e.msg);
	n->st = state_new(n->f);
}

static void give_file(struct net *n, const char *lines)
{
	temp_remove(&n->file);
	n->file = temp_file(lines);
}

static void group(struct net *n, const char *file)
{
	struct err e;

	elements_unref(n->el);
	topo_unref(n->t);
	text_free(&n->notes);
	n->t = topo_new(n->f, n->st);
	n->el = elements_new(n->t, file, NULL, &n->notes, &e);
	if (!n->el)
		fail_msg("%s", e.msg);
}

static void group_fails(struct net *n, const char *part)
{
	struct err e;

	assert_null(elements_new(n->t, n->file, NULL, NULL, &e));
	if (!strstr(e.msg, part))
		fail_msg("\"%s\" is not in: %s", part, e.msg);
}

#define AUTO_NET AUTO_BY(net_free)
static void net_free(struct net *n)
{
	temp_remove(&n->file);
	elements_unref(n->el);
	topo_unref(n->t);
	text_free(&n->notes);
	state_free(n->st);
	fabric_unref(n->f);
}

static uint32_t of(const struct net *n, uint64_t guid)
{
	return n->el->of[n->f->node_switch[fabric_node_by_guid(n->f, guid)]];
}

static uint32_t link_of(const struct net *n, uint64_t guid, unsigned port)
{
	return n->f->port_link[n->f->node_port[fabric_node_by_guid(n->f, guid)] + port];
}

/* Everything a group of elements must agree on. */
static void assert_consistent(const struct elements *el)
{
	const struct fabric *f = el->topo->fabric;
	uint32_t chips = 0;

	for (uint32_t e = 0; e < el->n; e++) {
		assert_true(!e || el->guid[e - 1] < el->guid[e]);
		for (uint32_t c = el->first_chip[e]; c < el->first_chip[e + 1]; c++, chips++) {
			assert_int_equal(el->of[el->chip[c]], e);
			assert_int_equal(el->chip_index[el->chip[c]], c - el->first_chip[e]);
		}
		for (uint32_t l = el->first_link[e]; l < el->first_link[e + 1]; l++) {
			assert_int_equal(el->of[f->node_switch[f->port_node[el->link_port[l]]]], e);
			assert_int_equal(el->link_back[el->link_back[l]], l);
			assert_int_equal(el->link_to[el->link_back[l]], e);
			assert_int_not_equal(el->link_to[l], e);
			assert_int_equal(el->port_link[el->link_port[l]], l);
		}
		for (uint32_t a = 0; a < element_chips(el, e); a++)
			for (uint32_t b = 0; b < element_chips(el, e); b++) {
				assert_int_equal(element_hops(el, e, a, b), element_hops(el, e, b, a));
				assert_int_equal(element_hops(el, e, a, b) == 0, a == b);
				assert_true(element_hops(el, e, a, b) < element_chips(el, e));
			}
	}
	assert_int_equal(chips, el->topo->n_switches_up);
}

/* A chassis of a line chip 1, a spine chip 2, a line chip 3; 4 stands alone and shares its GUID with a CA. */
static void chassis(struct net *n)
{
	net_new(n);
	uint32_t l1 = add(n, 0x30, 7, "core/L01/U1");
	uint32_t s = add(n, 0x20, 7, "core/S01/U1");
	uint32_t l2 = add(n, 0x40, 7, "core/L02/U1");
	uint32_t alone = add(n, 0x10, 9, "edge");
	uint32_t ca = fb_add(n->b, NODE_CA, 0x50, 1, "host");
	n->b->node[ca].sysguid = 9;
	cable(n, l1, 1, s, 1);
	cable(n, l2, 1, s, 2);
	cable(n, l2, 2, s, 3);
	cable(n, l1, 5, alone, 1);
	cable(n, l2, 5, alone, 2);
	cable(n, alone, 3, ca, 1);
	finish(n);
}

static void test_system(void **state)
{
	AUTO_NET struct net n;

	chassis(&n);
	group(&n, NULL);
	assert_consistent(n.el);
	assert_int_equal(n.el->n, 2);
	assert_string_equal(n.el->name[0], "edge");
	assert_string_equal(n.el->name[1], "core");
	assert_int_equal(n.el->rule[0], ELEMENT_ALONE);
	assert_int_equal(n.el->rule[1], ELEMENT_SYSTEM);
	assert_true(n.el->guid[1] == 0x20);
	assert_int_equal(n.el->hosts[0], 1);
	assert_int_equal(n.el->hosts[1], 0);
	assert_int_equal(element_inside_links(n.el, 1), 3);
	assert_int_equal(n.el->n_links, 4);
	/* chips by GUID: S01 (0x20), L01, L02; links by chip and port */
	assert_int_equal(element_hops(n.el, 1, 1, 2), 2);
	assert_int_equal(element_hops(n.el, 1, 0, 2), 1);
	assert_string_equal(switch_name(n.f, n.f->node_switch[n.f->port_node[n.el->link_port[2]]]),
			    "core/L01/U1");
}

/* Chips of one chassis section that have system image GUIDs of their own, or none, or one of another chip. */
static void test_sections(void **state)
{
	static const uint64_t sys[] = {0x21, 0, 0x31, 0x31, 0x41};
	static const uint16_t number[] = {1, 1, 1, 0, 2};
	AUTO_NET struct net n;
	uint32_t sw[5];

	net_new(&n);
	for (unsigned i = 0; i < 5; i++) {
		sw[i] = add(&n, i + 1, sys[i], "chip");
		n.b->node[sw[i]].chassis = number[i];
		if (i)
			cable(&n, sw[i], 1, sw[i - 1], 2);
	}
	finish(&n);
	group(&n, NULL);
	assert_consistent(n.el);
	/* 1, 2 and 3 by number, 4 by the GUID it shares with 3; 5 is another chassis */
	assert_int_equal(n.el->n, 2);
	assert_int_equal(element_chips(n.el, 0), 4);
	assert_int_equal(n.el->rule[0], ELEMENT_CHASSIS);
	assert_int_equal(n.el->rule[1], ELEMENT_ALONE);
	/* the file counts alone */
	give_file(&n, "0x2 left\n0x1 left\n");
	group(&n, n.file);
	assert_int_equal(n.el->n, 3);
	assert_string_equal(n.el->name[0], "left");
	assert_int_equal(element_chips(n.el, 1), 2);
	assert_int_equal(n.el->rule[1], ELEMENT_SYSTEM);
}

/* A chassis that loses what holds it together makes elements of its parts, and is whole again with it. */
static void test_parts(void **state)
{
	AUTO_NET struct net n;

	chassis(&n);
	n.st->node_down[fabric_node_by_guid(n.f, 0x20)] = 1;
	group(&n, NULL);
	assert_consistent(n.el);
	assert_int_equal(n.el->n, 3);
	assert_int_not_equal(of(&n, 0x30), of(&n, 0x40));
	assert_string_equal(n.el->name[of(&n, 0x30)], "core/L01/U1");
	assert_int_equal(n.el->of[n.f->node_switch[fabric_node_by_guid(n.f, 0x20)]], NO_ID);
	n.st->node_down[fabric_node_by_guid(n.f, 0x20)] = 0;
	n.st->link_down[link_of(&n, 0x40, 1)] = 1;
	group(&n, NULL);
	assert_int_equal(n.el->n, 2); /* a parallel cable is left */
	n.st->link_down[link_of(&n, 0x40, 2)] = 1;
	group(&n, NULL);
	assert_consistent(n.el);
	assert_int_equal(n.el->n, 3);
	assert_int_equal(of(&n, 0x20), of(&n, 0x30));
}

/* Members that only meet through others are not connected among themselves. */
static void test_through_others(void **state)
{
	AUTO_NET struct net n;

	net_new(&n);
	uint32_t a = add(&n, 1, 5, "box");
	uint32_t b = add(&n, 2, 0, "between");
	uint32_t c = add(&n, 3, 5, "box");
	uint32_t d = add(&n, 4, 0, "last");
	cable(&n, a, 1, b, 1);
	cable(&n, b, 2, c, 1);
	cable(&n, c, 2, d, 1);
	finish(&n);
	group(&n, NULL);
	assert_int_equal(n.el->n, 4);
	assert_string_equal(n.el->name[0], "box …000001");
	assert_string_equal(n.el->name[2], "box …000003");
	assert_string_equal(n.el->name[1], "between"); /* GUID 0 makes no group */
	give_file(&n, "# two boxes\n0x1 rack\n0x3 rack\n0x2 wires  \n4 wires\n");
	group(&n, n.file);
	assert_consistent(n.el);
	assert_int_equal(n.el->n, 4);
	assert_string_equal(n.el->name[0], "rack part 1");
	assert_string_equal(n.el->name[2], "rack part 2");
	assert_string_equal(n.el->name[3], "wires part 2");
}

static void test_file(void **state)
{
	AUTO_NET struct net n;

	chassis(&n);
	give_file(&n, "0x10 all of it\n0x30 all of it \n0x99 nobody\n");
	group(&n, n.file);
	assert_consistent(n.el);
	/* the file takes chip 0x30 out of its chassis */
	assert_int_equal(of(&n, 0x10), of(&n, 0x30));
	assert_int_equal(of(&n, 0x20), of(&n, 0x40));
	assert_string_equal(n.el->name[of(&n, 0x10)], "all of it");
	assert_string_equal(n.el->name[of(&n, 0x20)], "core");
	assert_int_equal(n.el->rule[0], ELEMENT_FILE);
	assert_non_null(strstr(text_str(&n.notes), ":3: 0x0000000000000099 is no switch"));
	give_file(&n, "0x10\n");
	group_fails(&n, ":1: found a GUID alone");
	give_file(&n, "0x10 a\n0x20 a\n0x10 b\n");
	group_fails(&n, ":3: 0x0000000000000010 is in \"b\", and in \"a\" by line 1");
	give_file(&n, "0x10 a\nspine b\n");
	group_fails(&n, ":2: found 'spine b'");
	unlink(n.file);
	group_fails(&n, n.file);
}

static void test_names(void **state)
{
	AUTO_NET struct net n;
	uint32_t sw[6];

	net_new(&n);
	for (unsigned i = 0; i < 6; i++) {
		sw[i] = add(&n, i + 1, 100 + i / 2,
			    i % 2 ? "ISR9288 Voltaire sFB-12" : "ISR9288 Voltaire sLB-24");
		n.b->node[sw[i]].chassis = i < 4 ? (uint16_t)(i / 2 + 1) : 0;
		if (i % 2)
			cable(&n, sw[i], 1, sw[i - 1], 1);
		if (i >= 2)
			cable(&n, sw[i], 2 + i % 2, sw[i - 2], 4 + i % 2);
	}
	finish(&n);
	group(&n, NULL);
	assert_int_equal(n.el->n, 3);
	assert_string_equal(n.el->name[0], "chassis 1");
	assert_string_equal(n.el->name[1], "chassis 2");
	assert_string_equal(n.el->name[2], "system 0x0000000000000066");
}

static void test_find(void **state)
{
	struct err e;
	AUTO_NET struct net n;

	chassis(&n);
	group(&n, NULL);
	assert_int_equal(elements_find(n.el, "core", &e), 1);
	assert_int_equal(elements_find(n.el, "CO", &e), 1);
	assert_int_equal(elements_find(n.el, "*dg*", &e), 0);
	assert_int_equal(elements_find(n.el, "2", &e), 1);
	assert_int_equal(elements_find(n.el, "3", &e), NO_ID);
	assert_int_equal(elements_find(n.el, "*e*", &e), NO_ID);
	assert_non_null(strstr(e.msg, "may be 2 elements"));
}

static void test_equal_paths(void **state)
{
	static const struct {
		const char *spec;
		unsigned pairs, unequal;
	} cases[] = {{"xgft:4,4:1,2", 12, 0},	{"xgft:2,3,4:1,2,2", 132, 0}, {"director:2,4,3,8", 56, 0},
		     {"ring:4", 12, 8},		{"ring:5", 20, 20},	      {"ring:2", 2, 0},
		     {"director:2,4,3,0", 0, 0}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_FABRIC struct fabric *f = make_fabric(cases[i].spec);
		AUTO_STATE struct state *st = state_new(f);
		AUTO_TOPO struct topo *t = topo_new(f, st);
		struct elements *el = elements_new(t, NULL, NULL, NULL, NULL);
		struct unequal_paths *u = unequal_paths_new(el, NULL);

		assert_consistent(el);
		assert_int_equal(u->pairs, cases[i].pairs);
		assert_int_equal(u->n, cases[i].unequal);
		for (size_t k = 0; k < u->n; k++)
			assert_int_equal(u->pair[k].least + u->pair[k].most, cases[i].spec[5] - '0');
		arena_free(u);
		elements_unref(el);
	}
}

/* A - X, X - W, X - Y, Y - W, W - B: the longer way forks off behind the only link of A. */
static void test_sideways(void **state)
{
	static const uint8_t link[][2] = {{0, 1}, {1, 2}, {1, 3}, {3, 2}, {2, 4}};
	unsigned next[5] = {0};
	uint32_t sw[5], ca[2];
	AUTO_NET struct net n;

	net_new(&n);
	for (unsigned i = 0; i < 5; i++)
		sw[i] = add(&n, 0x10 + i, 0, "switch");
	for (unsigned i = 0; i < ARRAY_LEN(link); i++)
		cable(&n, sw[link[i][0]], ++next[link[i][0]], sw[link[i][1]], ++next[link[i][1]]);
	for (unsigned i = 0; i < 2; i++) {
		ca[i] = fb_add(n.b, NODE_CA, 0x50 + i, 1, "host");
		cable(&n, sw[4 * i], 8, ca[i], 1);
	}
	finish(&n);
	group(&n, NULL);
	struct unequal_paths *u = unequal_paths_new(n.el, NULL);
	assert_int_equal(u->pairs, 2);
	assert_int_equal(u->n, 2);
	for (size_t k = 0; k < u->n; k++) {
		assert_int_equal(u->pair[k].least, 3);
		assert_int_equal(u->pair[k].most, 4);
		assert_int_equal(u->pair[k].n_least, 1);
		assert_int_equal(u->pair[k].n_longer, 1);
	}
	arena_free(u);
}

static void test_commands(void **state)
{
	AUTO_SESSION struct session *s = session_new(all_engines, all_commands);

	line_fails(s, "elements", "no fabric is loaded");
	line_fails(s, "equal-paths", "no fabric is loaded");
	line_fails(s, "compare minhop updn", "no fabric is loaded");
	ok_line(s, "synth director:2,4,3,8");
	line_says(s, "elements", "10 elements, 2 of them of several chips; 16 links between them.");
	line_says(s, "elements dir1", "Element dir1: 7 chips");
	line_says(s, "elements dir2/S01/U1", "Element dir2: 7 chips");
	line_says(s, "elements 3", "edge-01[5] -> dir1/L01/U1[1]  (dir1)");
	line_fails(s, "elements nowhere", "no element \"nowhere\"");
	line_fails(s, "elements a b", "expected: elements");
	line_says(s, "equal-paths", "Equal paths: a tolerance of 0");
	line_fails(s, "equal-paths some", "expected: equal-paths");
	ok_line(s, "synth ring:9");
	line_says(s, "equal-paths", "... 52 more pairs");
}

/* A step's candidates in other chips of the element say in which one; those of the chip itself do not. */
static void test_candidates(void **state)
{
	AUTO_SESSION struct session *s =
		make_session("synth director:2,4,3,8; route mincontention; step start; step 51");

	json_says(s, "step show", "\"chip\":\"dir2/L03/U1\",\"chip_guid\":");
	ok_line(s, "step 10");
	AUTO_FREE char *text = line_output(s, "step show", true);
	output_has("step show", text, "\"candidates\":[");
	assert_null(strstr(text, "\"chip\":"));
}

/* Asked for with a file that is not there, nothing is left in memory. */
static void test_no_file(void **state)
{
	AUTO_SESSION struct session *s = make_session("synth director:2,4,3,8");
	AUTO_TEMP char *path = temp_file("");

	ok_linef(s, "set chassis_file %s", path);
	unlink(path);
	line_fails(s, "elements", path);
	line_fails(s, "equal-paths", path);
}

/* The field of one engine in `compare`. */
static json_t *compared(const json_t *root, size_t i)
{
	return json_array_get(json_object_get(root, "compare"), i);
}

static int number(json_t *o, const char *key)
{
	assert_true(json_is_integer(json_object_get(o, key)));
	return (int)json_integer_value(json_object_get(o, key));
}

static void test_compare(void **state)
{
	AUTO_SESSION struct session *s = make_session("synth ring:5");
	json_auto_t *ring = line_object(s, "compare minhop lash ftree qos=TRUE");
	json_t *o = compared(ring, 0);

	assert_string_equal(json_string_value(json_object_get(o, "engine")), "minhop");
	assert_int_equal(number(o, "hops_max"), 4);
	assert_int_equal(number(o, "path_links_max"), 4);
	assert_int_equal(number(o, "load_max"), 3);
	assert_int_equal(number(o, "credit_loops"), 2);
	assert_int_equal(number(o, "entries_unlike_first"), 0);
	/* hosts beside one another: 3 links, the others: 4 */
	assert_true(json_number_value(json_object_get(o, "hops_mean")) == 3.5);
	assert_true(json_number_value(json_object_get(o, "path_links_mean")) == 3.5);
	o = compared(ring, 1);
	assert_int_equal(number(o, "credit_loops"), 0);
	assert_string_equal(json_string_value(json_object_get(o, "sls")), "0-1");
	o = compared(ring, 2);
	assert_non_null(strstr(json_string_value(json_object_get(o, "refused")), "AB2B"));
	ok_line(s, "synth xgft:4,4:1,4; route minhop");
	json_auto_t *tree = line_object(s, "compare minhop mincontention lmc=2");
	o = compared(tree, 1);
	assert_int_equal(number(o, "first_links_min"), 4);
	assert_int_equal(number(o, "unreachable"), 0);
	/* the session is as it was */
	assert_int_equal(session_sweep(s)->lids->lmc, 0);
	assert_string_equal(session_routing(s)->engine, "minhop");
	line_fails(s, "compare minhop", "expected: compare");
	line_fails(s, "compare minhop nosuch", "no engine \"nosuch\"");
	line_fails(s, "compare minhop updn lmc=9", "lmc");
	line_fails(s, "compare minhop updn what=9", "unknown option \"what\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_system),	   cmocka_unit_test(test_sections),
		cmocka_unit_test(test_parts),	   cmocka_unit_test(test_through_others),
		cmocka_unit_test(test_file),	   cmocka_unit_test(test_names),
		cmocka_unit_test(test_find),	   cmocka_unit_test(test_equal_paths),
		cmocka_unit_test(test_sideways),   cmocka_unit_test(test_commands),
		cmocka_unit_test(test_candidates), cmocka_unit_test(test_no_file),
		cmocka_unit_test(test_compare),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
