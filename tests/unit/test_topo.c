/* .topo of ibdm with types of systems from .ibnl files; tests/topo/run.py compares with ibdm itself. */
#include "core/formats/ibnl.h"
#include "tests/unit/formats.h"

/* The node of a name. */
static uint64_t named(const struct fabric *f, const char *name)
{
	for (uint32_t n = 0; n < f->n_nodes; n++)
		if (!strcmp(f->node_desc[n], name))
			return f->node_guid[n];
	fail_msg("no node is called %s", name);
	return 0;
}

static void cabled(const struct fabric *f, const char *a, unsigned p, const char *b, unsigned q,
		   unsigned width, unsigned speed)
{
	uint32_t at = port(f, named(f, a), p);

	linked(f, named(f, a), p, named(f, b), q);
	assert_int_equal(f->port_width[at], width);
	assert_int_equal(f->port_speed[at], speed);
}

static void test_pair(void **state)
{
	AUTO_FABRIC struct fabric *f = load(FILES "topo/pair.topo");

	assert_string_equal(f->format, "topo");
	assert_int_equal(f->n_switches, 7); /* one: 4, two: 3 */
	cabled(f, "one/spines/U1", 1, "one/spines/U2", 1, WIDTH_4X, SPEED_SDR);
	cabled(f, "one/spines/U1", 2, "one/card1/U1", 3, WIDTH_4X, SPEED_DDR);
	cabled(f, "one/spines/U2", 3, "one/card2/U1", 4, WIDTH_4X, SPEED_SDR);
	cabled(f, "two/spines/U2", 2, "two/card1/U1", 4, WIDTH_4X, SPEED_SDR);
	cabled(f, "one/card1/U1", 1, "h-1/U1", 1, WIDTH_4X, SPEED_QDR);	       /* the chip's wire tells */
	cabled(f, "one/card1/U1", 2, "h-1/U1", 2, WIDTH_8X, SPEED_SDR);	       /* the card's does */
	cabled(f, "two/card1/U1", 1, "one/card2/U1", 1, WIDTH_12X, SPEED_QDR); /* the cable does */
	assert_int_equal(count_warnings(f, "no such port"), 3);
	warns(f, "no such port", 0, "two, a DIR2, has no port L1/P1"); /* it is a wide card */
	warns(f, "no such port", 1, "two, a DIR2, has no port L1/P1");
	warns(f, "no such port", 2, "two, a DIR2, has no port L2/P1"); /* it is not there */
	warns(f, "contradicting link", 0, "port 1 of two/card1/U1 or port 1 of h-3/U1 is cabled elsewhere");
	warns(f, "unread line", 0,
	      "left out: line 13; " FILES
	      "topo/pair.topo:13: found 'odd', expected TYPE NAME, or below such a line");
	assert_int_equal(f->node_sysguid[node(f, named(f, "one/card2/U1"))],
			 f->node_sysguid[node(f, named(f, "one/spines/U1"))]);
	assert_int_not_equal(f->node_sysguid[node(f, named(f, "two/card1/U1"))],
			     f->node_sysguid[node(f, named(f, "one/spines/U1"))]);
	assert_true(f->sm_guessed);
}

static void add(struct ibnl_library *l, const char *text)
{
	ibnl_add(l, "types", str_dup(text), strlen(text));
}

/* The fabric of a .topo and one file of types; NULL: refused with `why`. */
static struct fabric *made(const char *types, const char *topo, const char *why)
{
	struct input in = {.name = "x", .data = topo, .size = strlen(topo)};
	struct ibnl_library l = {0};
	struct fabric *f = NULL;
	struct err e = {0};

	assert_true(is_topo(&in));
	add(&l, types);
	int rc = topo_with_types(&in, &l, "here", &f, &e);
	ibnl_free(&l);
	if (!why && rc)
		fail_msg("%s", e.msg);
	if (why && (!rc || !strstr(e.msg, why)))
		fail_msg("expected \"%s\" in \"%s\"", why, rc ? e.msg : "a fabric");
	return f;
}

#define SW2                                                              \
	"TOPSYSTEM X\nNODE SW 2 C U1\n 1 -> P1\n 2 -> P2\n# comment\n\n" \
	"TOPSYSTEM S,T\nNODE SW 2 C U1\n 1 -> P1\n 2 -> P2\nTOPSYSTEM R\nNODE SW 2 C U1\n 1 -> P1\n"

static void test_is_topo(void **state)
{
	static const struct {
		const char *text;
		bool is;
	} table[] = {{"S a\n P1 -> S b P1\n", true},
		     {"# c\n\nS a\nS b CFG: x=R\n P1 -4x-5G-> S b P1\n", true},
		     {"S a\n", false},
		     {"", false},
		     {"S\n P1 -> S b P1\n", false},
		     {"S a b\n P1 -> S b P1\n", false},
		     {"P1 -> S b P1\n", false},
		     {"S a\n P1 -> S b\n", false},
		     {"S a\n P1 -> S b P1 P2\n", false},
		     {"S a\n P1 S b P1\n", false},
		     {"digraph g {\n a -> b\n}\n", false},
		     {"S a\n P1 -4y-> S b P1\n", false},
		     {"S a\n P1 -4x> S b P1\n", false},
		     {"S a\n P1 - S b P1\n", false},
		     {"S a\n P1 >> S b P1\n", false}};

	for (size_t i = 0; i < ARRAY_LEN(table); i++)
		assert_int_equal(is_topo(&(struct input){"x", table[i].text, strlen(table[i].text), NULL}),
				 table[i].is);
}

static void test_refused(void **state)
{
	AUTO_TEXT struct text deep = {0}, many = {0};

	made(SW2, "S a\n P1 -> U b P1\n",
	     "x:2: found a system of type 'U', expected one that an .ibnl file of these folders tells: here");
	for (unsigned i = 0; i < 12; i++)
		text_add(&deep, "SYSTEM B%u\nSUBSYSTEM B%u b\n", i, i + 1);
	text_add(&deep, "SYSTEM B12\nNODE SW 2 C U1\nTOPSYSTEM D\nSUBSYSTEM B0 b\n");
	made(deep.s, "D a\n P1 -> D b P1\n", "types: found boards more than 8 deep within each other");
	made("SYSTEM B\nSUBSYSTEM B b\nTOPSYSTEM D\nSUBSYSTEM B b\n", "D a\n P1 -> D b P1\n",
	     "types: found boards more than 8 deep");
	/* each level has 25 of the next: 25^4 chips */
	for (unsigned i = 0; i < 4; i++) {
		text_add(&many, i < 3 ? "SYSTEM B%u\n" : "TOPSYSTEM M\n", i);
		for (unsigned k = 0; k < 25; k++)
			text_add(&many, i ? "SUBSYSTEM B%u b%u\n" : "NODE SW 1 C%u U%u\n", i - 1, k);
	}
	made(many.s, "M a\n P1 -> M b P1\n", "x:1: found more chips than are read, expected at most 100000");
}

/* A file of types with lines that are wrong in one place: told once, and the rest is there. */
static void test_odd_types(void **state)
{
	static const char *const bad[] = {"NODE",	    "NODE SW",	      "NODE XX 2 C U9",
					  "NODE SW x C U9", "NODE SW 0 C U9", "NODE SW 255 C U9",
					  "NODE SW 2 C",    "SUBSYSTEM B",    "1",
					  "1 P1",	    "1 ->",	      "1 -> U1 2 3",
					  "1 -4y-> P9",	    "1 -4x> P9",      "1 -> a b c",
					  "1 -x P9",	    "a=b c"};

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		AUTO_FREE char *types = str_printf(SW2 "%s\n", bad[i]);
		AUTO_FABRIC struct fabric *f = made(types, "S a\n P1 -2.5G-4x-> S b P2\n\nR c\n", NULL);

		assert_int_equal(f->n_nodes, 3);
		cabled(f, "a/U1", 1, "b/U1", 2, WIDTH_4X, SPEED_SDR);
		assert_int_equal(count_warnings(f, "unread line"), 1); /* for both systems of the file */
		warns(f, "unread line", 0, "left out: line 14; types:14: found '");
		warns(f, "unread line", 0, bad[i]);
	}
	/* before any system; wires of no part */
	made("NODE SW 2 C U1\nSUBSYSTEM B b\n 1 -> P1\n" SW2, "S a\n P1 -> S b P1\n",
	     "types:1: found 'NODE SW 2 C U1', expected a line of SYSTEM, NODE, SUBSYSTEM or a wire; 3 of 14 "
	     "lines");
}

/* Lines of a .topo that are wrong: told, and cables behind such a line are no other system's. */
static void test_odd_lines(void **state)
{
	AUTO_TEXT struct text t = {0};

	for (unsigned i = 0; i < 40; i++)
		text_add(&t, "S a%u\n P1 -> S b%u P1\n", i, i);
	text_add(&t, "S\n P2 -> S c P1\nS d\n P1 -> S e P1\n P2 -> S f\n");
	struct fabric *f = made(SW2, text_str(&t), NULL);
	warns(f, "unread line", 0,
	      "3 lines of nodes, ports or cables not understood and left out: lines 81, 82, 85; x:81: found "
	      "'S'");
	cabled(f, "d/U1", 1, "e/U1", 1, WIDTH_4X, SPEED_SDR);
	assert_int_equal(f->n_links, 41);
	fabric_unref(f);
	made(SW2, "S a\n P1 -> S b P1\nS\n",
	     "x:3: found 'S', expected TYPE NAME, or below such a line PORT -> ");
	text_add(&t, " P2 -> S");
	f = made(SW2, text_str(&t), NULL);
	warns(f, "cut record", 0, "x ends within a record");
	assert_int_equal(count_warnings(f, "unread line"), 1);
	fabric_unref(f);
}

/* Ports that a chip or board does not have; a port that two wires take; what a system is called twice. */
static void test_contradictions(void **state)
{
	static const char types[] =
		"SYSTEM B\nNODE SW 2 C U1\n 1 -> P1\nTOPSYSTEM D\nNODE SW 4 C U1\n 1 -> U2 1\n 2 -> U2 1\n"
		" 3 -> P3\n 9 -> P9\n x -> P8\n 4 -> U3 1\n 4x -> P4\nNODE SW 2 C U2\n 2 -> b P1\n 2 -> b "
		"P7\n"
		"SUBSYSTEM B b\n P1 -> U2 2\n P7 -> P7\n";
	struct fabric *f =
		made(types,
		     "D a\n P3 -> D b P3\n P3 -> D b P3\n P9 -> D b P7\n\nE b CFG: x\n\nD a CFG: b=R, c=R\n",
		     NULL);

	assert_int_equal(f->n_switches, 5); /* a has no board */
	warns(f, "contradicting link", 0, "port 2 of a/U1 or port 1 of a/U2 is cabled elsewhere");
	warns(f, "no such port", 0, "a, a D, has no port P9");
	warns(f, "no such port", 1, "b, a D, has no port P7");
	warns(f, "two types", 0, "b is a E here, but a D in line 2, which counts");
	cabled(f, "a/U1", 3, "b/U1", 3, WIDTH_4X, SPEED_SDR);
	cabled(f, "b/U2", 2, "b/b/U1", 1, WIDTH_4X, SPEED_SDR);
	fabric_unref(f);
	f = made("TOPSYSTEM D\nNODE CA 1 C U1\n 1 -> P1\nSUBSYSTEM B b\n",
		 "D a CFG: bb=R,b=q\n P1 -> D c P1\n P1 -> D a P1\n", NULL);
	warns(f, "unknown board", 0, "a/b is a B:q, which types does not tell; it is left out");
	warns(f, "unknown board", 1, "c/b is a B, which types does not tell");
	warns(f, "contradicting link", 0,
	      "port 1 of a/U1 or port 1 of a/U1 is cabled elsewhere or to itself");
	assert_int_equal(f->n_links, 1);
	fabric_unref(f);
}

/* Folders of types: beside the file, those of IBDM_IBNL_PATH. */
static void test_folders(void **state)
{
	static const char topo[] = "Director d\n L1/P1 -> Host h P1\n";
	struct fabric *f = NULL;
	struct err e = {0};

	setenv("IBDM_IBNL_PATH", "/no/such/folder::" FILES "topo", 1);
	assert_int_equal(fabric_parse("-", topo, strlen(topo), &f, &e), 0);
	assert_int_equal(f->n_nodes, 5);
	fabric_unref(f);
	unsetenv("IBDM_IBNL_PATH");
	assert_int_equal(fabric_parse("/no/file", "Xyz d\n P1 -> Xyz h P1\n", 22, &f, &e), -1);
	assert_non_null(strstr(
		e.msg, "/no/file:1: found a system of type 'Xyz', expected one that an .ibnl file of these "
		       "folders tells: /no, /usr/lib/*/ibdm*/ibnl"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pair),	       cmocka_unit_test(test_is_topo),
		cmocka_unit_test(test_refused),	       cmocka_unit_test(test_odd_types),
		cmocka_unit_test(test_contradictions), cmocka_unit_test(test_folders),
		cmocka_unit_test(test_odd_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
