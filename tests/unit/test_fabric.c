#include "core/formats/readers.h"
#include "tests/unit/fixture.h"

/* Two switches, a dual-port host between them, a host with an uncabled second port. */
static struct fabric_builder *small(void)
{
	struct fabric_builder *b = fb_new();
	uint32_t s1 = fb_add(b, NODE_SWITCH, 0x1001, 4, "sw one"),
		 s2 = fb_add(b, NODE_SWITCH, 0x0102, 4, "sw two");
	uint32_t h1 = fb_add(b, NODE_CA, 0x2000, 2, "host a"), h2 = fb_add(b, NODE_CA, 0x3000, 2, "host b");

	assert_true(fb_link(b, s1, 1, s2, 1));
	assert_true(fb_link(b, s1, 2, h1, 1));
	assert_true(fb_link(b, s2, 2, h1, 2));
	assert_true(fb_link(b, s2, 3, h2, 1));
	return b;
}

static struct fabric *finish(struct fabric_builder *b)
{
	struct fabric *f = NULL;
	struct err e;

	assert_int_equal(fb_finish(b, "test", "builder", &f, &e), 0);
	return f;
}

static void test_order(void **state)
{
	AUTO_FABRIC struct fabric *f = finish(small());

	assert_int_equal(f->n_nodes, 4);
	assert_int_equal(f->n_switches, 2);
	assert_int_equal(f->n_links, 4);
	/* byte-reversed: ..2000 and ..3000 end in 00, then 01, then 02 */
	assert_int_equal(f->node_guid[0], 0x2000);
	assert_int_equal(f->node_guid[1], 0x3000);
	assert_int_equal(f->node_guid[2], 0x1001);
	assert_int_equal(f->node_guid[3], 0x0102);
	for (uint32_t ep = 1; ep < f->n_endports; ep++)
		assert_true(guid_key(f->port_guid[f->endport_port[ep - 1]]) <
			    guid_key(f->port_guid[f->endport_port[ep]]));
	/* two switch ports 0, two ports of host a, one of host b: its second has no cable */
	assert_int_equal(f->n_endports, 5);
}

static void test_links(void **state)
{
	AUTO_FABRIC struct fabric *f = finish(small());

	for (uint32_t p = 0; p < f->n_ports; p++) {
		if (f->port_peer[p] == NO_ID) {
			assert_int_equal(f->port_link[p], NO_ID);
			continue;
		}
		assert_int_equal(f->port_peer[f->port_peer[p]], p);
		assert_int_equal(f->port_link[p], f->port_link[f->port_peer[p]]);
	}
	for (uint32_t l = 0; l < f->n_links; l++)
		assert_true(f->link_port[2 * l] < f->link_port[2 * l + 1]);
}

static void test_builder_refuses(void **state)
{
	struct fabric_builder *b = small();
	struct err e;

	assert_int_equal(fb_add(b, NODE_CA, 0x2000, 1, "twin"), NO_ID);
	assert_false(fb_link(b, 0, 1, 3, 2)); /* taken */
	assert_true(fb_link(b, 0, 1, 1, 1));  /* the same cable again */
	assert_false(fb_link(b, 0, 3, 0, 3)); /* a port to itself */
	assert_false(fb_link(b, 0, 9, 1, 4)); /* no such port */
	assert_true(fb_link(b, 0, 3, 0, 4));  /* a loop-back cable is real */
	fb_more_ports(b, 0, 9);
	assert_true(fb_link(b, 0, 9, 1, 4));
	AUTO_FABRIC struct fabric *f = finish(b);
	struct fabric *empty = NULL;
	assert_int_equal(f->n_links, 6);
	assert_int_equal(fb_finish(fb_new(), "empty", "builder", &empty, &e), -1);
	assert_non_null(strstr(e.msg, "no node"));
}

static void test_lookup(void **state)
{
	AUTO_FABRIC struct fabric *f = finish(small());
	struct err e;
	char buf[64];

	uint32_t n = fabric_node_by_name(f, "host a", &e);
	assert_int_equal(f->node_guid[n], 0x2000);
	assert_int_equal(fabric_node_by_name(f, "HOST A", &e), n);
	assert_int_equal(f->node_guid[fabric_node_by_name(f, "sw o", &e)], 0x1001);
	assert_int_equal(f->node_guid[fabric_node_by_name(f, "*two", &e)], 0x0102);
	assert_int_equal(fabric_node_by_name(f, "host", &e), NO_ID);
	assert_non_null(strstr(e.msg, "2 nodes"));
	assert_int_equal(fabric_node_by_name(f, "nobody", &e), NO_ID);
	assert_non_null(strstr(e.msg, "nobody"));
	assert_int_equal(fabric_node_by_guid(f, 0x3000), fabric_node_by_name(f, "host b", &e));
	assert_int_equal(fabric_node_by_guid(f, 0x3001), NO_ID);
	assert_int_equal(f->endport_port[fabric_endport_by_guid(f, 0x2002)], f->node_port[n] + 2);
	assert_int_equal(fabric_endport_by_guid(f, 0x3002), NO_ID);
	assert_string_equal(port_label(f, f->node_port[n] + 2, buf, sizeof(buf)), "host a[2]");
}

static void test_port_labels(void **state)
{
	AUTO_FABRIC struct fabric *plain = finish(small());
	struct fabric_builder *b = small();

	assert_null(plain->port_labels);
	assert_null(fabric_port_label(plain, 1));
	fb_label(b, 0, 1, "1/32/1", 6);
	fb_label(b, 0, 2, "2", 1); /* its number: says nothing */
	fb_label(b, 0, 3, "1/2/1 and much more than a label", 32);
	fb_label(b, 0, 3, "1/2/2\033", 6);
	fb_label(b, 0, 4, "1/2[2]", 6); /* could not be typed */
	AUTO_FABRIC struct fabric *f = finish(b);
	uint32_t n = fabric_node_by_guid(f, 0x1001);
	AUTO_FABRIC struct fabric *g = fabric_variant(f, NO_ID, false);
	assert_string_equal(fabric_port_label(g, g->node_port[n] + 1), "1/32/1");
	assert_null(fabric_port_label(g, g->node_port[n] + 2));
	assert_string_equal(fabric_port_label(g, g->node_port[n] + 3), "1/2/2 ");
	assert_null(fabric_port_label(g, g->node_port[n] + 4));
}

/* A switch alone with what its source tells of it, and one label that it tells. */
struct labelled {
	const char *desc, *place;
	uint32_t device;
	unsigned nports, ext, told;
	const char *told_label;
};

static struct fabric *labelled(const struct labelled *x)
{
	struct fabric_builder *b = fb_new();
	uint32_t n = fb_add(b, NODE_SWITCH, 0x1001, x->nports, x->desc);

	b->node[n].device = x->device;
	b->node[n].chassis_place = x->place ? str_dup(x->place) : NULL;
	if (x->ext)
		b->node[n].port[1].ext = (uint8_t)x->ext;
	if (x->told)
		fb_label(b, n, x->told, x->told_label, strlen(x->told_label));
	return finish(b);
}

static void test_label_rules(void **state)
{
	static const struct {
		struct labelled of;
		unsigned port;
		const char *label; /* NULL: none at any port, but what was told */
	} cases[] = {
		{{.desc = "MF0;a:MQM9700/U1", .device = 0xd2f2, .nports = 65}, 1, "1/1/1"},
		{{.desc = "MF0;a:MQM9700/U1", .device = 0xd2f2, .nports = 65}, 63, "1/32/1"},
		{{.desc = "MF0;a:MQM9790/U1", .device = 0, .nports = 64}, 64, "1/32/2"},
		{{.desc = "MF0;a:MQM9700/U1", .device = 0xd2f2, .nports = 65}, 65, ""}, /* no connector */
		{{.desc = "MF0;a:MQM9700/U1", .device = 0xd2f0, .nports = 65}, 1, NULL},
		{{.desc = "MF0;a:MQM9700/U1", .device = 0xd2f2, .nports = 40}, 1, NULL},
		{{.desc = "MF0;MQM9700:MQM8700/U1", .device = 0, .nports = 64}, 1, NULL},
		{{.desc = "MQM9700", .device = 0xd2f2, .nports = 65}, 1, NULL},
		{{.desc = "", .device = 0xd2f2, .nports = 65}, 1, NULL},
		/* the chip alone: who knows in what box */
		{{.desc = "Quantum-2 Mellanox Technologies", .device = 0xd2f2, .nports = 65}, 1, NULL},
		/* but where some are told, as they are in that box, the others are too */
		{{"Quantum-2 Mellanox Technologies", NULL, 0xd2f2, 65, 0, 63, "1/32/1"}, 2, "1/1/2"},
		{{"Quantum-2 Mellanox Technologies", NULL, 0xd2f2, 65, 0, 65, "65"}, 2, NULL},
		{{"Quantum-2 Mellanox Technologies", NULL, 0xd2f2, 65, 0, 63, "1/31/2"}, 2, NULL},
		{{"Quantum-2 Mellanox Technologies", NULL, 0xd2f2, 65, 0, 2, "2"}, 1, NULL},
		{{"Quantum-2 Mellanox Technologies", NULL, 0, 65, 0, 63, "1/32/1"}, 2, NULL},
		{{"MF0;a:MQM9700/U1", NULL, 0xd2f2, 65, 0, 7, "1/7"}, 8, NULL},
		{{.desc = "MF0;a:MQM8700/U1", .device = 0xd2f0, .nports = 81}, 39, "20/1"},
		{{.desc = "MF0;a:MQM8790/U1", .device = 0xd2f0, .nports = 80}, 80, "40/2"},
		{{.desc = "MF0;a:MQM8700/U1", .device = 0xd2f0, .nports = 81}, 81, ""},
		{{.desc = "MF0;a:MQM8700/U1", .device = 0xd2f0, .nports = 41}, 20, NULL},
		{{.desc = "MF0;b-A:MCS8500/L16/U2", .device = 0xd2f0, .nports = 41}, 20, "16/2/20"},
		{{.desc = "MF0;b-A:MCS8500/L01/U1", .device = 0xd2f0, .nports = 40}, 3, "1/1/3"},
		{{.desc = "MF0;b-A:MCS8500/L16/U2", .device = 0xd2f0, .nports = 41}, 21, ""}, /* to a spine */
		{{.desc = "MF0;b-A:MCS8500/S16/U1", .device = 0xd2f0, .nports = 41}, 1, NULL},
		{{.desc = "MF0;b-A:MCS8500/L16/U2/x", .device = 0xd2f0, .nports = 41}, 1, NULL},
		{{.desc = "MF0;b-A:MCS7500/L16/U2", .device = 0xcb20, .nports = 36}, 1, NULL},
		{{.desc = "MF0;c:IS5600/L34/U1", .device = 0xbd36, .nports = 36}, 18, "L34/P18"},
		{{.desc = "MF0;c:IS5600/L34/U1", .device = 0xbd36, .nports = 36}, 19, ""},
		{{.desc = "MF0;c:IS5035/U1", .device = 0xbd36, .nports = 36}, 1, NULL},
		{{.desc = "ISR9288 Voltaire", .place = "ISR9288 Line 3 Chip 1", .nports = 24, .ext = 12},
		 1,
		 "L3/12"},
		{{.desc = "ISR9288 Voltaire", .place = "ISR9288 Line 3 Chip 1", .nports = 24, .ext = 12},
		 2,
		 ""},
		{{.desc = "ISR9288 Voltaire", .place = "ISR9288 Spine 3 Chip 1", .nports = 24, .ext = 12},
		 1,
		 NULL},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_FABRIC struct fabric *f = labelled(&cases[i].of);
		AUTO_FABRIC struct fabric *g = fabric_variant(f, NO_ID, false);

		for (unsigned p = 1; p <= cases[i].of.nports; p++) {
			const char *label = fabric_port_label(g, p);
			bool told = p == cases[i].of.told;

			if (cases[i].label
				    ? p == cases[i].port && strcmp(label ? label : "", cases[i].label) != 0
				    : label && !told)
				fail_msg("%s, port %u: %s", cases[i].of.desc, p, label ? label : "no label");
		}
	}
}

static void test_variants(void **state)
{
	struct fabric_builder *b = small();
	uint64_t guid = 0x0102;
	char *name = (char *)"leaf two";
	struct name_map map = {.guid = &guid, .name = &name, .n = 1};
	struct err e;

	b->node[2].port[1].guid = 0x2000; /* as ConnectX-4 and later: port GUID = node GUID */
	AUTO_FABRIC struct fabric *f = finish(b);
	assert_int_not_equal(fabric_endport_by_guid(f, 0x2000), NO_ID);
	AUTO_FABRIC struct fabric *g = fabric_variant(f, NO_ID, true);
	assert_int_equal(fabric_endport_by_guid(g, 0x2000), NO_ID);
	assert_int_not_equal(fabric_endport_by_guid(g, 0x2001), NO_ID);
	assert_memory_equal(f->link_port, g->link_port, 2 * f->n_links * sizeof(*f->link_port));
	assert_int_equal(endport_node(g, g->sm_endport), fabric_node_by_name(g, "sw one", &e));
	AUTO_FABRIC struct fabric *moved = fabric_variant(f, fabric_endport_by_guid(f, 0x3001), false);
	assert_int_equal(endport_node(moved, moved->sm_endport), fabric_node_by_name(moved, "host b", &e));
	AUTO_FABRIC struct fabric *renamed = fabric_renamed(f, &map);
	assert_int_equal(renamed->node_guid[fabric_node_by_name(renamed, "leaf two", &e)], 0x0102);
	assert_string_equal(renamed->node_desc[fabric_node_by_name(renamed, "leaf two", &e)], "sw two");
}

static void test_topo(void **state)
{
	AUTO_FABRIC struct fabric *f = finish(small());
	AUTO_STATE struct state *st = state_new(f);
	struct topo *t = topo_new(f, st);
	struct err e;
	uint32_t s1 = f->node_switch[fabric_node_by_name(f, "sw one", &e)];
	uint32_t s2 = f->node_switch[fabric_node_by_name(f, "sw two", &e)];

	assert_int_equal(t->n_switches_up, 2);
	assert_int_equal(t->n_endports_up, 5);
	assert_int_equal(t->n_links_up, 4);
	assert_int_equal(t->peer_switch[switch_port_id(f, s1, 1)], s2);
	assert_int_equal(t->endport_switch[fabric_endport_by_guid(f, 0x2002)], s2);
	assert_int_equal(t->endport_swport[fabric_endport_by_guid(f, 0x2002)], 2);
	topo_unref(t);
	/* without the cable between the switches a dual-port host does not connect them */
	st->link_down[f->port_link[switch_port_id(f, s1, 1)]] = 1;
	t = topo_new(f, st);
	assert_int_equal(t->n_switches_up, 1);
	assert_true(switch_up(t, s1));
	assert_false(t->endport_up[fabric_endport_by_guid(f, 0x2002)]);
	assert_true(t->endport_up[fabric_endport_by_guid(f, 0x2001)]);
	assert_false(t->sm_moved);
	topo_unref(t);
	/* the SM's switch fails: somebody else takes over */
	st->node_down[f->switch_node[s1]] = 1;
	t = topo_new(f, st);
	assert_true(t->sm_moved);
	assert_true(switch_up(t, s2));
	assert_false(switch_up(t, s1));
	topo_unref(t);
}

/* A standby is assumed in the part with most hosts, not in an island that was cut off before. */
static void test_standby_place(void **state)
{
	static const char text[] = "host c1 c\nc a\nhost h1 a\na b\nhost b1 b\nhost b2 b\nsm h1\n";
	AUTO_FABRIC struct fabric *f = NULL;
	struct err e;

	assert_int_equal(fabric_parse("x", text, strlen(text), &f, &e), 0);
	AUTO_STATE struct state *st = state_new(f);
	st->link_down[f->port_link[switch_port_id(f, f->node_switch[fabric_node_by_guid(f, 0x200000)], 2)]] =
		1;
	st->node_down[endport_node(f, f->sm_endport)] = 1;
	AUTO_TOPO struct topo *t = topo_new(f, st);
	assert_true(t->sm_moved);
	assert_false(t->sm_regard);
	assert_int_equal(t->n_switches_up, 2);
	assert_int_equal(t->n_endports_up, 4);
}

/* A ring of switches; the SM runs on switch 0. */
static struct fabric *ring(unsigned n)
{
	struct fabric_builder *b = fb_new();

	for (unsigned i = 0; i < n; i++)
		fb_add(b, NODE_SWITCH, 0x1000 + i, 3, "ring");
	for (unsigned i = 0; i < n; i++)
		assert_true(fb_link(b, i, 1, (i + 1) % n, 2));
	return finish(b);
}

/* Directed routes end after 63 hops. */
static void test_far(void **state)
{
	AUTO_FABRIC struct fabric *f = ring(128);
	AUTO_STATE struct state *st = state_new(f);
	AUTO_TOPO struct topo *t = topo_new(f, st);
	uint32_t far = f->node_switch[fabric_node_by_guid(f, 0x1000 + 63)];
	uint32_t next = f->node_switch[fabric_node_by_guid(f, 0x1000 + 64)];

	assert_int_equal(t->n_switches_up, 127); /* all but the one opposite */
	assert_true(switch_up(t, far));
	assert_false(switch_up(t, next));
	assert_int_equal(t->n_cut, 2);
	assert_int_equal(t->peer[switch_port_id(f, far, 1)], NO_ID);
}

/* One switch less: both neighbours are 63 hops away, their cable is not seen. */
static void test_far_cable(void **state)
{
	AUTO_FABRIC struct fabric *f = ring(127);
	AUTO_STATE struct state *st = state_new(f);
	AUTO_TOPO struct topo *t = topo_new(f, st);
	uint32_t far = f->node_switch[fabric_node_by_guid(f, 0x1000 + 63)];
	uint32_t next = f->node_switch[fabric_node_by_guid(f, 0x1000 + 64)];

	assert_int_equal(t->n_switches_up, 127);
	assert_int_equal(t->n_cut, 2);
	assert_int_equal(t->n_links_up, 126);
	/* ... unless it was seen before */
	t->peer[switch_port_id(f, far, 1)] = switch_port_id(f, next, 2);
	t->peer[switch_port_id(f, next, 2)] = switch_port_id(f, far, 1);
	AUTO_TOPO struct topo *u = topo_after(f, st, t);
	assert_int_equal(u->n_cut, 0);
	assert_int_equal(u->n_links_up, 127);
	assert_int_equal(u->peer_switch[switch_port_id(f, far, 1)], next);
}

static void test_speeds(void **state)
{
	assert_int_equal(link_speed_parse("HDR", 3), SPEED_HDR);
	assert_int_equal(link_speed_parse("FDR10", 5), SPEED_FDR10);
	assert_int_equal(link_speed_parse("XYZ", 3), SPEED_UNKNOWN);
	assert_int_equal(link_width_parse("12x", 3), WIDTH_12X);
	assert_true(link_rate_gbps(WIDTH_4X, SPEED_QDR) == 40.0);
	assert_string_equal(link_speed_name(SPEED_UNKNOWN), "???");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_links),
		cmocka_unit_test(test_builder_refuses),
		cmocka_unit_test(test_lookup),
		cmocka_unit_test(test_port_labels),
		cmocka_unit_test(test_label_rules),
		cmocka_unit_test(test_variants),
		cmocka_unit_test(test_topo),
		cmocka_unit_test(test_far),
		cmocka_unit_test(test_far_cable),
		cmocka_unit_test(test_standby_place),
		cmocka_unit_test(test_speeds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
