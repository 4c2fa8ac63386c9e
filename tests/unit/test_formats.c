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
	struct err e = {0};
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
	struct err e = {0};

	(void)state;
	refused("", "x: found an empty file, expected ibnetdiscover text, an ibsim net file, a libibnetdisc "
		    "cache, an opensm-subnet.lst, iblinkinfo's lines, ibdiagnet's db_csv or net_dump, or "
		    "ibdm's .topo");
	refused("# only\n\n# comments\n", "x: found only empty lines and comments");
	refused("hello world\n", "x: found no node (the text begins 'hello world'), expected");
	refused("vendid=0x2c9\n", "x: found no node");
	refused("Unicast lids [0-3] of switch Lid 1\n",
		"x: found forwarding tables (opensm-lfts.dump, dump_fts)");
	refused("dump_ucast_routes: Switch 0x1\n", "x: found forwarding tables (opensm.fdbs)");
	refused("START_PM_INFO\n", "x: found sections of ibdiagnet (db_csv) without nodes");
	refused("Ca\t : 0x0002c9 ports 1\n", "x: found a list of nodes (ibnetdiscover -l)");
	refused_n("a\0b", 3, "x: found binary data");
	assert_int_equal(fabric_load("no/such/file", &f, NULL, &e), -1);
	assert_string_equal(e.msg, "no/such/file: cannot be opened: No such file or directory");
	assert_int_equal(fabric_load("tests/unit", &f, NULL, &e), -1);
	assert_non_null(strstr(e.msg, "tests/unit: found a folder without a file of cables, expected "));
}

/* Every kind of file that people try has a hint of its own. */
static void test_foreign(void **state)
{
	static const char text[] = "Switch 4 \"a\"\r[1] \"b\"[1]\r";
	char tar[512] = "subnet.ibnetdiscover";

	(void)state;
	refused_n("\xfd"
		  "7zXZ\0\0",
		  7, "x: found data compressed by xz (unpack it first: xz -d), expected ibnetdiscover text");
	refused_n("\x1f\x8b\x08\0", 4, "x: found data compressed by gzip (unpack it first: gzip -d)");
	refused_n("BZh91AY", 7, "x: found data compressed by bzip2 (unpack it first: bzip2 -d)");
	refused_n("\x28\xb5\x2f\xfd\x04", 5, "x: found data compressed by zstd (unpack it first: zstd -d)");
	refused_n("\x04\x22\x4d\x18\x04", 5, "x: found data compressed by lz4 (unpack it first: lz4 -d)");
	refused_n("PK\3\4\x14\0", 6, "x: found a zip archive (unpack it first: unzip)");
	refused_n("7z\xbc\xaf\x27\x1c\0", 7, "x: found a 7z archive (unpack it first: 7z x)");
	memcpy(tar + 257, "ustar", 5);
	refused_n(tar, sizeof(tar), "x: found a tar archive (unpack it first: tar xf)");
	refused_n("\xff\xfe#\0\n\0", 6, "x: found UTF-16 text (convert it first: iconv -f UTF-16 -t UTF-8)");
	refused_n("\xfe\xff\0#\0\n", 6, "x: found UTF-16 text (convert it first: iconv -f UTF-16 -t UTF-8)");
	refused_n("v\0e\0n\0", 6, "x: found UTF-16 text (convert it first: iconv -f UTF-16LE -t UTF-8)");
	refused_n("\0v\0e\0n", 6, "x: found UTF-16 text (convert it first: iconv -f UTF-16BE -t UTF-8)");
	refused(text, "x: found lines that end in CR alone (convert them first: tr '\\r' '\\n')");
}

/* Lines that end in CR LF are those of a text; a byte order mark before it says nothing. */
static void test_nearly_foreign(void **state)
{
	struct fabric *f = parse("\xef\xbb\xbfSwitch 4 \"a\"\r\n[1] \"b\"[1]\r\n\r\nHca 1 \"b\"\r\n[1] "
				 "\"a\"[1]\r\n");

	(void)state;
	assert_int_equal(f->n_nodes, 2);
	assert_int_equal(f->n_links, 1);
	fabric_unref(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_which_text_format), cmocka_unit_test(test_both_readers_agree),
		cmocka_unit_test(test_no_fabric),	  cmocka_unit_test(test_foreign),
		cmocka_unit_test(test_nearly_foreign),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
