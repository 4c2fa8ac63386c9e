/* Sources of which a part is missing: told, kept in variants, and never taken for whole. */
#include "core/fabric/changes.h"
#include "core/formats/readers.h"
#include "formats.h"

#include "core/source/live.h"

/* A file of which any part at the end is missing is told to be incomplete, or has lost no link. */
static void every_cut(const char *path, size_t from)
{
	AUTO_FABRIC struct fabric *whole = load(path);
	uint32_t told = 0;
	size_t size;
	AUTO_FREE char *data = read_all(path, &size);

	assert_int_equal(whole->warnings.missing, 0);
	uint64_t seed = test_seed();
	for (size_t cut = from; cut < size; cut++) {
		if (!test_drawn(seed, cut, 4))
			continue;
		AUTO_FABRIC struct fabric *f = NULL;
		struct err e;

		if (fabric_parse("x", data, cut, &f, &e))
			continue;
		if (!f->warnings.missing && f->n_links != whole->n_links)
			fail_msg("%s cut behind %zu bytes: %u of %u links, and nothing is missing", path, cut,
				 f->n_links, whole->n_links);
		told += f->warnings.missing != 0;
	}
	assert_true(told > 5);
}

static void test_cuts(void **state)
{
	every_cut("tests/fabrics/formats/two-leaf.ibnetdiscover", 1);
	/* as long as no cable has two lines, the list may be one of a line a cable */
	every_cut("tests/fabrics/formats/two-leaf.lst", 1200);
}

/* Reads a text without its last newline.  Returns how many parts are missing. */
static uint64_t missing_without_newline(const char *text)
{
	size_t size = strlen(text);
	AUTO_FABRIC struct fabric *f = NULL;
	struct err e;

	assert_int_equal(text[size - 1], '\n');
	if (fabric_parse("x", text, size - 1, &f, &e))
		fail_msg("%s", e.msg);
	return f->warnings.missing;
}

/* A file whose last record is complete is whole, whether a newline ends it or not. */
static void test_last_newline(void **state)
{
	static const char *const file[] = {
		"tests/fabrics/formats/two-leaf.lst", "tests/fabrics/formats/two-leaf.ibnetdiscover",
		"tests/fabrics/demo-3level.ibnet", "tests/fabrics/formats/voltaire-2007-lmc1.ibnetdiscover",
		"tests/fabrics/formats/ibsim-defaults.net"};
	static const char switch_row[] =
		"Switch: 0x0000000000001000 one:\n"
		"      1    1[  ] ==( 4X       53.125 Gbps Active/  LinkUp)==>       2    1[  ] \"h1\" ( )\n";
	static const char by_port[] =
		"CA   2  1 0x0000000000002000 4x HDR - SW   1  1 0x0000000000001000 ( 'h1' - 'one' )\n"
		"SW   1  1 0x0000000000001000 4x HDR - CA   2  1 0x0000000000002000 ( 'one' - 'h1' )\n";
	static const struct {
		const char *text;
		uint64_t missing;
	} edges[] = {
		{"host h1 A[1] HDR\nA[2] B[1] 4xHDR\n", 0},
		{"host h1 A[1] FDR\nA[2] B[1] FDR\n", 0},
		{"host h1 A[1] FDR10\nA[2] B[1] FDR\n", 1}, /* of FDR10 */
		{"host h1 A[1]\nA[2] B[1]\n", 0},
		{"host h1 A[1] HDR\nA[2] B[1]\n", 1}, /* its rate may be cut off */
		{"host h1 A[1]\nA[2] B\n", 1},	      /* of "B2" */
	};

	for (size_t i = 0; i < ARRAY_LEN(file); i++) {
		size_t size;
		AUTO_FREE char *data = read_all(file[i], &size);

		assert_int_equal(missing_without_newline(data), 0);
	}
	assert_int_equal(missing_without_newline(switch_row), 0);
	assert_int_equal(missing_without_newline(by_port), 0);
	for (size_t i = 0; i < ARRAY_LEN(edges); i++)
		if (missing_without_newline(edges[i].text) != edges[i].missing)
			fail_msg("%s", edges[i].text);
}

/* What a terminal's prompt leaves behind the text is no record. */
static void test_prompt(void **state)
{
	static const char text[] = "vendid=0x2c9\ndevid=0xc738\nswitchguid=0x1000(1000)\n"
				   "Switch\t2 \"S-0000000000001000\"\t# \"one\" base port 0 lid 1 lmc 0\n"
				   "[1]\t\"S-0000000000002000\"[1]\t\t# \"two\" lid 2 4xQDR\n\n"
				   "vendid=0x2c9\ndevid=0xc738\nswitchguid=0x2000(2000)\n"
				   "Switch\t2 \"S-0000000000002000\"\t# \"two\" base port 0 lid 2 lmc 0\n"
				   "[1]\t\"S-0000000000001000\"[1]\t\t# \"one\" lid 1 4xQDR\n";
	static const struct {
		const char *behind;
		bool cut;
	} ends[] = {{"[root@ufm ~]# ", false}, {"$ ", false}, {"vendid=0x2c9", true},
		    {"[2]\t\"S-00", true},     {"", false},   {"vendid=0x2c9\n", true}};

	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		AUTO_FABRIC struct fabric *f = parse(line_of("%s%s", text, ends[i].behind));

		assert_int_equal(f->warnings.missing, ends[i].cut);
	}
}

/* A switch alone: cut, unless an empty line ends it; what is saved of one has it. */
static void test_alone(void **state)
{
	static const char text[] = "vendid=0x2c9\ndevid=0xc738\nswitchguid=0x1000(1000)\n"
				   "Switch\t2 \"S-0000000000001000\"\t# \"one\" base port 0 lid 1 lmc 0\n";
	AUTO_FABRIC struct fabric *cut = parse(text);
	AUTO_FABRIC struct fabric *ended = parse(line_of("%s\n", text));
	AUTO_FABRIC struct fabric *saved = written(ended);

	assert_int_equal(cut->warnings.missing, 1);
	assert_int_equal(ended->warnings.missing, 0);
	assert_int_equal(saved->warnings.missing, 0);
}

/* Two switches, a host on each; the switches' port 2 is up: what it leads to is as asked. */
static struct fabric *discovered(bool second, bool open)
{
	struct fabric_builder *b = fb_new();
	uint32_t one = fb_add(b, NODE_SWITCH, 0x10, 4, "one"), host = fb_add(b, NODE_CA, 0x11, 1, "host1");
	struct fabric *f;
	struct err e;

	assert_true(fb_link(b, one, 1, host, 1));
	if (second) {
		uint32_t two = fb_add(b, NODE_SWITCH, 0x20, 4, "two"),
			 far = fb_add(b, NODE_CA, 0x21, 1, "host2");

		assert_true(fb_link(b, one, 2, two, 2));
		assert_true(fb_link(b, two, 1, far, 1));
	}
	b->node[one].port[2].state = second || open ? PORT_ACTIVE : PORT_DOWN;
	if (open)
		warnings_missing(&b->warnings, "open port", 0, "one[2]");
	assert_int_equal(fb_finish(b, "test", "live", &f, &e), 0);
	return f;
}

static void test_changes(void **state)
{
	AUTO_FABRIC struct fabric *before = discovered(true, false);
	AUTO_FABRIC struct fabric *silent = discovered(false, true);
	AUTO_FABRIC struct fabric *gone = discovered(false, false);
	AUTO_TEXT struct text t = {0};

	assert_int_equal(fabric_changes(before, silent, NULL, &t, NULL), 2);
	assert_string_equal(text_str(&t), "? node host2 (0x0000000000000021, CA, 1 port)\n"
					  "    link host2[1] -- two[1]\n"
					  "? node two (0x0000000000000020, switch, 4 ports)\n"
					  "    link two[1] -- host2[1]\n"
					  "    link two[2] -- one[2]\n");
	text_clear(&t);
	assert_int_equal(fabric_changes(before, gone, NULL, &t, NULL), 2);
	assert_string_equal(text_str(&t), "- node host2 (0x0000000000000021, CA, 1 port)\n"
					  "    link host2[1] -- two[1]\n"
					  "- node two (0x0000000000000020, switch, 4 ports)\n"
					  "    link two[1] -- host2[1]\n"
					  "    link two[2] -- one[2]\n");
}

/* Told by kind; kept when names or chassis make another variant of the fabric. */
static void test_told(void **state)
{
	AUTO_SESSION struct session *s = session_new(all_engines, all_commands);
	AUTO_TEXT struct text t = {0};

	assert_int_equal(session_set_fabric(s, discovered(false, true), "live", NULL, NULL), 0);
	warnings_tell_missing(&s->fabric->warnings, &t);
	assert_string_equal(text_str(&t), "1 open port");
	ok_line(s, "route minhop");
	line_says(s, "check",
		  "INCOMPLETE: a part of the fabric is not in test (1 open port; `show warnings`)");
	line_says(s, "check", "whether the fabric is sound is not");
	line_says(s, "show", "INCOMPLETE");
	ok_line(s, "set port_guids ibsim");
	line_says(s, "show", "INCOMPLETE"); /* of another variant */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cuts),	cmocka_unit_test(test_last_newline),
		cmocka_unit_test(test_prompt),	cmocka_unit_test(test_alone),
		cmocka_unit_test(test_changes), cmocka_unit_test(test_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
