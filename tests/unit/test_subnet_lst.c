/* The reader of opensm-subnet.lst. */
#include "tests/unit/formats.h"

static void test_lst(void **state)
{
	AUTO_FABRIC struct fabric *f = load(FILES "two-leaf.lst");

	assert_string_equal(f->format, "subnet.lst");
	assert_int_equal(f->warnings.n, 0);
	assert_int_equal(f->n_nodes, 6);
	assert_int_equal(f->n_switches, 3);
	linked(f, 0x2000, 2, 0x3000, 2);
	linked(f, 0x6000, 2, 0x3000, 3);
	assert_int_equal(f->node_type[node(f, 0x6000)], NODE_ROUTER);
	assert_string_equal(desc(f, 0x2000), "leaf # one");
	assert_int_equal(f->port_lid[port(f, 0x2000, 0)], 2);
	assert_int_equal(f->port_lid[port(f, 0x5000, 2)], 8);
	assert_int_equal(f->port_guid[port(f, 0x5000, 2)], 0x5002);
	assert_int_equal(f->node_device[node(f, 0x3000)], 0xc738);
	assert_int_equal(f->port_speed[port(f, 0x3000, 1)], SPEED_QDR);
	assert_int_equal(f->port_width[port(f, 0x3000, 1)], WIDTH_4X);
	assert_int_equal(sm_node(f), 0x1000); /* SW-SM */
}

static void test_lst_sm_on_ca(void **state)
{
	struct fabric *f =
		parse(LST_END("CA", "00000000000000b1", "00000000000000b2", "a", "0004", "01") " " LST_END(
			"SW", "00000000000000a1", "00000000000000a1", "s", "0003",
			"01") " PHY=4x LOG=ACT SPD=25\n" LST_END("CA-SM", "00000000000000c1",
								 "00000000000000c3", "} LID:0009 PN:09 } x",
								 "0005",
								 "02") " " LST_END("SW", "00000000000000a1",
										   "00000000000000a1", "s",
										   "0003",
										   "02") " PHY=12x LOG=INI "
											 "SPD=??\n");

	assert_int_equal(f->warnings.n, 0);
	assert_int_equal(f->sm_endport, f->port_endport[port(f, 0xc1, 2)]);
	assert_string_equal(desc(f, 0xc1), "} LID:0009 PN:09 } x");
	assert_int_equal(f->port_speed[port(f, 0xb1, 1)], SPEED_EDR);
	assert_int_equal(f->port_speed[port(f, 0xa1, 1)], SPEED_EDR);
	assert_int_equal(f->port_width[port(f, 0xc1, 2)], WIDTH_12X);
	assert_int_equal(f->port_state[port(f, 0xc1, 2)], PORT_INIT);
	assert_int_equal(f->port_lid[port(f, 0xa1, 0)], 3);
	fabric_unref(f);
}

/* Files of simulators call every node CA; one GUID on all ports gives switches away. */
static void test_lst_switch_called_ca(void **state)
{
	struct fabric *f =
		parse(LST_END("CA", "00000000000000a1", "00000000000000a1", "s", "0003", "01") " " LST_END(
			"CA", "00000000000000b1", "00000000000000b2", "h", "0004",
			"01") " PHY=4x LOG=ACT\n" LST_END("CA", "00000000000000a1", "00000000000000a1", "s",
							  "0003",
							  "02") " " LST_END("CA", "00000000000000c1",
									    "00000000000000c2", "i", "0005",
									    "01") " PHY=4x LOG=ACT\n");

	assert_int_equal(f->n_switches, 1);
	assert_int_equal(f->port_lid[port(f, 0xa1, 0)], 3);
	one_warning(f, "node type", 0, "1 node not called a switch but with one GUID on all ports");
	fabric_unref(f);
}

static void test_lst_bad(void **state)
{
	struct fabric *f = parse(
		MORE_LST LST_END("CA", "00000000000000b1", "00000000000000b2", "a", "0004", "01") " " LST_END(
			"SW", "00000000000000a1", "00000000000000a1", "s", "0003",
			"09") " PHY=4x LOG=ACT\n"
			      "rubbish\n" LST_END("CA", "00000000000000c1", "00000000000000c2", "a", "0004",
						  "00") " " LST_END("SW", "00000000000000a1",
								    "00000000000000a1", "s", "0003",
								    "02") " PHY=4x LOG=ACT\n");

	assert_int_equal(f->n_nodes, 4);
	assert_int_equal(f->node_nports[node(f, 0xa1)], 9);
	assert_int_equal(count_warnings(f, "unread line"), 1);
	assert_int_equal(count_warnings(f, "unknown line"), 1);
	fabric_unref(f);
	refused("{ CA Ports:02 nothing more\n",
		"x:1: found '{ CA Ports:02 nothing more', expected two ends of a cable");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lst),
		cmocka_unit_test(test_lst_sm_on_ca),
		cmocka_unit_test(test_lst_switch_called_ca),
		cmocka_unit_test(test_lst_bad),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
