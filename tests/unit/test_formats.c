/* Which format a file has, and files that hold no fabric. */
#include "tests/unit/formats.h"

static void test_which_text_format(void **state)
{
	struct fabric *f = parse("Switch 4 \"S-00000000000000a1\"\n[1] \"S-00000000000000a1\"[2]\n"
				 "[2] \"S-00000000000000a1\"[1]\n");

	(void)state;
	assert_string_equal(f->format, "ibsim");
	assert_int_equal(f->node_guid[0], 0x200000);
	fabric_unref(f);
	f = parse("switchguid=0xa1\nSwitch 4 \"node\"\n");
	assert_string_equal(f->format, "ibsim");
	fabric_unref(f);
	f = parse("switchguid=0xa1\nSwitch 4 \"S-00000000000000a1\"\n");
	assert_string_equal(f->format, "ibnetdiscover");
	fabric_unref(f);
}

/* A file that both understand gives the same fabric, GUIDs of CA ports aside. */
static void test_both_readers_agree(void **state)
{
	struct err e = {""};
	struct fabric *a = load(FILES "stage-qdr-fdr10.ibnetdiscover"), *b = NULL;
	struct input in = {.name = "x"};
	char *data = read_all(FILES "stage-qdr-fdr10.ibnetdiscover", &in.size);

	(void)state;
	in.data = data;
	assert_int_equal(parse_ibsim(&in, &b, &e), 0);
	same_fabric(a, b); /* port GUIDs of this file happen to be node GUID + port */
	fabric_unref(a);
	fabric_unref(b);
	free(data);
}

static void test_no_fabric(void **state)
{
	struct fabric *f = NULL;
	struct err e = {""};

	(void)state;
	refused("", "x: found an empty file, expected ibnetdiscover text, an ibsim net file, a libibnetdisc "
		    "cache or");
	refused("# only\n\n# comments\n", "x: found only empty lines and comments");
	refused("hello world\n", "x: found no node (the text begins 'hello world'), expected");
	refused("vendid=0x2c9\n", "x: found no node");
	refused("Unicast lids [0-3] of switch Lid 1\n",
		"x: found forwarding tables (opensm-lfts.dump, dump_fts)");
	refused("dump_ucast_routes: Switch 0x1\n", "x: found forwarding tables (opensm.fdbs)");
	refused("START_NODES\n", "x: found tables of ibdiagnet (db_csv)");
	refused("Ca\t : 0x0002c9 ports 1\n", "x: found a list of nodes (ibnetdiscover -l)");
	refused_n("\xfd"
		  "7zXZ\0\0",
		  7, "x: found data compressed by xz (unpack it first: xz -d)");
	refused_n("\x1f\x8b\x08\0", 4, "x: found data compressed by gzip");
	refused_n("a\0b", 3, "x: found binary data");
	assert_int_equal(fabric_load("no/such/file", &f, NULL, &e), -1);
	assert_string_equal(e.msg, "no/such/file: cannot be opened: No such file or directory");
	assert_int_equal(fabric_load(FILES, &f, NULL, &e), -1);
	assert_non_null(strstr(e.msg, "cannot be read: Is a directory"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_which_text_format),
		cmocka_unit_test(test_both_readers_agree),
		cmocka_unit_test(test_no_fabric),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
