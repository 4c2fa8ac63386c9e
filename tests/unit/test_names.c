/* Names of nodes: what is shown, how they are found, how they stand in a command line; lists of hosts. */
#include "core/base/hostlist.h"
#include "core/base/rng.h"
#include "core/fabric/names.h"
#include "core/session/reading.h"
#include "tests/unit/fixture.h"

#include <ctype.h>

/* --- fabrics ---------------------------------------------------------------------------- */

/*
 * Switches and hosts of these names, GUIDs 0x100.. and 0x1000.., in a row: each switch has its hosts at
 * the ports from 1 and the next switch at the last two.
 */
#define PORTS 12
static const char *row_label[PORTS + 1]; /* of their ports, for all switches; NULL: none */

static struct fabric *row_of(const char *const *sw, const char *const *host, unsigned per_switch)
{
	struct fabric_builder *b = fb_new();
	uint32_t n = 0;

	for (uint32_t i = 0; sw[i]; i++, n++)
		fb_add(b, NODE_SWITCH, 0x100 + i, PORTS, sw[i]);
	for (uint32_t i = 0; i < n; i++)
		for (unsigned p = 1; p <= PORTS; p++)
			if (row_label[p])
				fb_label(b, i, p, row_label[p], strlen(row_label[p]));
	for (uint32_t i = 0; i + 1 < n; i++)
		assert_true(fb_link(b, i, PORTS, i + 1, PORTS - 1));
	for (uint32_t i = 0; host[i]; i++) {
		uint32_t h = fb_add(b, NODE_CA, 0x1000 + 0x10 * i, 2, host[i]);

		assert_true(fb_link(b, h, 1, i / per_switch, i % per_switch + 1));
	}
	return built(b);
}

static struct session *session_of(struct fabric *f)
{
	struct session *s = session_on(f);

	ok_line(s, "route minhop");
	return s;
}

static const char *const selene_switches[] = {"MF0;CSPINE1-6:MQM8700/U1",
					      "MF0;CSPINE1-69:MQM8700/U1",
					      "MF0;LG01-07:MQM8700/U1",
					      "stage20",
					      "twin",
					      "twin",
					      NULL};
static const char *const selene_hosts[] = {"Aggregation Node",
					   "luna-0200 mlx5_0",
					   "luna-0200 mlx5_1",
					   "luna-0201 mlx5_0",
					   "stage2 mlx4_0",
					   "stage2x HCA-1",
					   "Aggregation Node",
					   "Aggregation Node",
					   "7",
					   "0x100",
					   "it\"s # a;b'c",
					   NULL};

static struct fabric *selene(void)
{
	return row_of(selene_switches, selene_hosts, 3);
}

/* GUID of what a text means, 0: nothing or several. */
static uint64_t guid_of(const struct fabric *f, const char *text)
{
	uint32_t n = fabric_node_by_name(f, text, NULL);

	return n == NO_ID ? 0 : f->node_guid[n];
}

/* --- what is shown -------------------------------------------------------------------------- */

static const char *shown(const struct fabric *f, uint64_t guid)
{
	return f->node_name[fabric_node_by_guid(f, guid)];
}

static void test_shown(void **state)
{
	AUTO_FABRIC struct fabric *f = selene();

	assert_string_equal(shown(f, 0x1000), "Aggregation Node …001000");
	assert_string_equal(shown(f, 0x1060), "Aggregation Node …001060");
	assert_string_equal(shown(f, 0x104), "twin …000104");
	assert_string_equal(shown(f, 0x1080), "7 …001080");
	assert_string_equal(shown(f, 0x1090), "0x100 …001090");
	assert_string_equal(shown(f, 0x1010), "luna-0200 mlx5_0");
	for (uint32_t n = 0; n < f->n_nodes; n++) {
		assert_int_equal(node_named(f, f->node_name[n], strlen(f->node_name[n])), n);
		assert_int_equal(guid_of(f, f->node_name[n]), f->node_guid[n]);
	}
}

/* A name map may make names unique, or the opposite; names that look like a port, or are blanks, get an
 * addition too. */
static void test_shown_again(void **state)
{
	static const char *const sw[] = {"a", "a[3]", " ", "A", NULL};
	static const char *const host[] = {" left ", "HCA", "HCA", NULL};
	struct fabric *f = row_of(sw, host, 1), *g;
	uint64_t guid[] = {0x1010, 0x1000};
	char *name[] = {(char *)"left", (char *)"left"};
	struct name_map map = {.guid = guid, .name = name, .n = 1};

	assert_string_equal(shown(f, 0x100), "a");
	assert_string_equal(shown(f, 0x103), "A");
	assert_int_equal(guid_of(f, "A"), 0x103);
	assert_int_equal(guid_of(f, "a"), 0x100);
	assert_string_equal(shown(f, 0x101), "a[3] …000101");
	assert_string_equal(shown(f, 0x102), "0x0000000000000102");
	assert_string_equal(shown(f, 0x1000), "left");
	assert_string_equal(shown(f, 0x1010), "HCA …001010");
	assert_string_equal(f->node_given[fabric_node_by_guid(f, 0x1000)], " left ");
	g = fabric_renamed(f, &map);
	assert_string_equal(shown(g, 0x1020), "HCA");
	assert_string_equal(shown(g, 0x1010), "left …001010");
	fabric_unref(f);
	f = fabric_variant(g, NO_ID, true);
	assert_string_equal(shown(f, 0x1010), "left …001010");
	fabric_unref(f);
	fabric_unref(g);
}

/* What several nodes of a fabric are called. */
struct twin {
	const char *desc;
	uint64_t guid;
	unsigned chassis;
	char *place;
};

/* Nodes as read in some order, with cables and numbers of chassis of that reading. */
static struct fabric *reading_of(const struct twin *t, uint32_t n, uint64_t *seed)
{
	struct fabric_builder *b = fb_new();
	uint32_t *at = NEW_ARRAY(n + 1, uint32_t), first = NO_ID;
	unsigned number = rng_below(seed, 2);

	for (uint32_t i = 0; i < n; i++)
		at[i] = i;
	for (uint32_t i = n; i > 1; i--) {
		uint32_t k = rng_below(seed, i), was = at[i - 1];

		at[i - 1] = at[k];
		at[k] = was;
	}
	for (uint32_t i = 0; i < n; i++) {
		const struct twin *of = &t[at[i]];
		uint32_t node = fb_add(b, NODE_SWITCH, of->guid, 40, of->desc);

		b->node[node].chassis = (uint16_t)(of->chassis && number ? 9 - of->chassis : of->chassis);
		b->node[node].chassis_place = of->place ? str_dup(of->place) : NULL;
		if (first != NO_ID)
			assert_true(fb_link(b, first, i, node, 40));
		else
			first = node;
	}
	free(at);
	return built(b);
}

static void test_twins_random(void **state)
{
	static const char *const desc[] = {
		"Quantum-2 Mellanox Technologies", "Quantum-2 NVIDIA",	"twin", "7", "",
		"Mellanox Technologies",	   "Quantum-2 …000001", "a[3]", "a"};
	uint64_t seed = test_seed();

	for (unsigned round = 0; round < test_rounds(300); round++) {
		struct twin t[30] = {{0}};
		uint32_t n = 1 + rng_below(&seed, 30);

		for (uint32_t i = 0; i < n; i++) {
			t[i].desc = desc[rng_below(&seed, ARRAY_LEN(desc))];
			t[i].guid = UINT64_C(0x2c90300000000) | (uint64_t)i << 56 | (1 + rng_below(&seed, 5));
			t[i].chassis = rng_below(&seed, 4);
			t[i].place = t[i].chassis ? str_printf("IS5600 Line %u Chip %u",
							       1 + rng_below(&seed, 3), rng_below(&seed, 2))
						  : NULL;
		}
		struct fabric *f = reading_of(t, n, &seed);
		struct fabric *g = reading_of(t, n, &seed);
		for (uint32_t i = 0; i < n; i++) {
			const char *name = shown(f, t[i].guid);
			AUTO_FREE char *port = str_printf("%s[40]", name);
			size_t len[2];

			assert_string_equal(name, shown(g, t[i].guid));
			assert_int_equal(guid_of(f, name), t[i].guid);
			assert_int_equal(node_named(f, name, strlen(name)),
					 fabric_node_by_guid(f, t[i].guid));
			assert_int_equal(names_at(f, port, len, 1), 1);
			assert_int_equal(len[0], strlen(port));
		}
		fabric_unref(f);
		fabric_unref(g);
		for (uint32_t i = 0; i < n; i++)
			free(t[i].place);
	}
}

/* By what differs: the place in a chassis, the chip, the end of the GUID, the whole of it. */
static void test_twins(void **state)
{
	struct twin t[] = {
		{"Infiniscale-IV Mellanox Technologies", 0x2c902004a5c01, 7,
		 str_dup("IS5600 Line 34 Chip 1")},
		{"Infiniscale-IV Mellanox Technologies", 0x2c902004a5c02, 5,
		 str_dup("IS5600 Line 34 Chip 1")},
		{"Infiniscale-IV Mellanox Technologies", 0x2c902004a5c03, 5,
		 str_dup("IS5600 Spine 2 Chip 1")},
		{"Infiniscale-IV Mellanox Technologies", 0x2c902004a5c04, 5,
		 str_dup("IS5600 Spine 2 Chip 2")},
		{"Infiniscale-IV Mellanox Technologies", 0x2c902004a5c05, 5, str_dup("somewhere")},
		{"Quantum-2 Mellanox Technologies", 0xfc6a1c03008a5c00, 0, NULL},
		{"Quantum-2 Mellanox Technologies", 0xfc6a1c03008a4dc0, 0, NULL},
		{"Quantum-2 Mellanox Technologies", 0xb0cf0e03008a4dc0, 0, NULL},
		{"SwitchX -  Mellanox Technologies", 0x2c902004a6000, 0, NULL},
	};
	static const char *const names[] = {"IS5600-1/L34",
					    "IS5600-2/L34",
					    "IS5600-2/S2/U1",
					    "IS5600-2/S2/U2",
					    "Infiniscale-IV …4a5c05",
					    "Quantum-2 …8a5c00",
					    "Quantum-2 (0xfc6a1c03008a4dc0)",
					    "Quantum-2 (0xb0cf0e03008a4dc0)",
					    "SwitchX -  Mellanox Technologies"};
	uint64_t seed = test_seed(), guid[] = {0xfc6a1c03008a5c00, 0xfc6a1c03008a4dc0};
	char *given[] = {(char *)"rack 7", (char *)"rack 8"};
	struct name_map map = {.guid = guid, .name = given, .n = 2};
	struct fabric *f = reading_of(t, ARRAY_LEN(t), &seed), *g = fabric_renamed(f, &map);
	struct name_hits h;

	for (uint32_t i = 0; i < ARRAY_LEN(t); i++)
		assert_string_equal(shown(f, t[i].guid), names[i]);
	assert_string_equal(shown(g, guid[0]), "rack 7"); /* a name map wins */
	assert_string_equal(shown(g, guid[1]), "rack 8");
	assert_string_equal(shown(g, 0xb0cf0e03008a4dc0), "Quantum-2 Mellanox Technologies"); /* alone now */
	/* typed without the sign, by the end alone, and by a name of another reading */
	assert_int_equal(guid_of(f, "Quantum-2 8a5c00"), guid[0]);
	assert_int_equal(guid_of(f, "8a5c00"), guid[0]);
	assert_int_equal(guid_of(f, "…8a5c00"), guid[0]);
	assert_int_equal(guid_of(g, "Quantum-2 …8a4dc0"), 0xb0cf0e03008a4dc0);
	assert_int_equal(guid_of(g, "rack …8a4dc0"), guid[1]);
	assert_int_equal(guid_of(f, "Quantum-2 …8a4dc0"), 0); /* two */
	assert_int_equal(guid_of(f, "Quantum-3 …8a5c00"), 0);
	assert_int_equal(guid_of(f, "Quantum-2-8a5c00"), 0);
	assert_int_equal(guid_of(f, "a5c00"), 0);
	assert_int_equal(names_pattern(f, "8a5c00,4a6000", NAMES_ANY, &h, NULL), 0);
	assert_int_equal(h.n, 2);
	name_hits_free(&h);
	assert_int_equal(names_pattern(f, "IS5600-2/*", NAMES_ANY, &h, NULL), 0);
	assert_int_equal(h.n, 3);
	name_hits_free(&h);
	fabric_unref(f);
	fabric_unref(g);
	for (uint32_t i = 0; i < ARRAY_LEN(t); i++)
		free(t[i].place);
}

/* --- finding ------------------------------------------------------------------------------------ */

static void test_ranks(void **state)
{
	AUTO_FABRIC struct fabric *f = selene();
	struct err e;

	assert_int_equal(guid_of(f, "CSPINE1-69"), 0x101);
	assert_int_equal(guid_of(f, "cspine1-6"), 0x100); /* whole words before a longer one */
	assert_int_equal(guid_of(f, "MF0;CSPINE1-6"), 0x100);
	assert_int_equal(guid_of(f, "LG"), 0x102);	   /* beginning of a word */
	assert_int_equal(guid_of(f, "PINE1-69:M"), 0x101); /* part */
	assert_int_equal(guid_of(f, "stage2"), 0x1040);	   /* not stage20, stage2x */
	assert_int_equal(guid_of(f, "stage2x"), 0x1050);
	assert_int_equal(guid_of(f, "stag"), 0);
	assert_int_equal(guid_of(f, "twin"), 0);
	assert_int_equal(guid_of(f, "Aggregation Node …00106"), 0x1060); /* beginning of what is shown */
	assert_int_equal(guid_of(f, ""), 0);
	assert_int_equal(fabric_node_by_name(f, "Aggregation Node", &e), NO_ID);
	assert_non_null(strstr(e.msg, "fits 3 nodes"));
	assert_non_null(strstr(e.msg, "\"Aggregation Node …001000\" (0x0000000000001000)"));
	assert_int_equal(guid_of(f, "*LG01*"), 0x102);
	assert_int_equal(guid_of(f, "*LG99*"), 0);
}

/* What looking through all names says, which cannot be wrong. */
static enum name_rank slow_rank(const struct fabric *f, uint32_t n, const char *text)
{
	const char *name = f->node_given[n], *at;
	size_t len = strlen(text);
	enum name_rank best = NAME_NONE;

	if (!strcasecmp(f->node_name[n], text))
		return NAME_WHOLE;
	if (!strncasecmp(f->node_name[n], text, len))
		best = NAME_LABEL;
	for (at = name; (at = strcasestr(at, text)); at++) {
		bool begin = at == name || !isalnum((unsigned char)at[-1]);
		bool end = !isalnum((unsigned char)at[len]);
		enum name_rank r = NAME_PART;

		if (begin && isalnum((unsigned char)*at))
			r = end ? (at == name ? NAME_FIRST : NAME_WORDS)
				: (at == name ? NAME_BEGIN : NAME_WORD_BEGIN);
		best = r > best ? r : best;
	}
	return best;
}

static char random_char(uint64_t *seed)
{
	static const char chars[] = "aab1 2;[]'\"#\\-:(0";

	return chars[rng_below(seed, sizeof(chars) - 1)];
}

static void random_name(uint64_t *seed, char *s)
{
	unsigned len = 1 + rng_below(seed, 6);

	for (unsigned i = 0; i < len; i++)
		s[i] = random_char(seed);
	s[len] = 0;
}

#define RANDOM_NODES 24
static struct fabric *random_fabric(uint64_t *seed)
{
	static char name[RANDOM_NODES][8];
	const char *sw[RANDOM_NODES / 2 + 1] = {0}, *host[RANDOM_NODES / 2 + 1] = {0};

	for (unsigned i = 0; i < RANDOM_NODES; i++) {
		random_name(seed, name[i]);
		(i % 2 ? sw : host)[i / 2] = name[i];
	}
	return row_of(sw, host, 2);
}

/* The index finds what looking at all names finds. */
static void test_ranks_random(void **state)
{
	uint64_t seed = test_seed();

	for (unsigned round = 0; round < 150; round++) {
		AUTO_FABRIC struct fabric *f = random_fabric(&seed);

		for (unsigned k = 0; k < 30; k++) {
			char text[8];
			enum name_rank best = NAME_NONE;
			AUTO_BY(name_hits_free) struct name_hits h;
			uint32_t n = 0;

			random_name(&seed, text);
			names_find(f, text, NAMES_ANY, NAME_NONE, &h);
			for (uint32_t i = 0; i < f->n_nodes; i++) {
				enum name_rank r = slow_rank(f, i, text);

				n = r > best ? 1 : n + (r == best && r != NAME_NONE);
				best = r > best ? r : best;
			}
			if (h.rank != best || (h.n != n && best != NAME_WHOLE))
				fail_msg("\"%s\": rank %d of %u nodes, expected %d of %u", text, h.rank, h.n,
					 best, n);
		}
	}
}

/* --- within a line --------------------------------------------------------------------------------- */

/* Words of a line, with '|' between; "; ..." when more follows. */
static void reads(const struct fabric *f, const char *syntax, const char *line, const char *words)
{
	AUTO_TEXT struct text t = {0};
	struct words_read w;
	struct err e;

	if (command_read(f, syntax, line, &w, NULL, &e))
		fail_msg("%s: %s", line, e.msg);
	for (int i = 0; i < w.argc; i++)
		text_add(&t, "%s%s", i ? "|" : "", w.argv[i]);
	if (w.rest)
		text_add(&t, ";%s", w.rest);
	assert_string_equal(text_str(&t), words);
	words_free(w.argc, w.argv);
}

#define TRACE "trace SRC DST"
#define FAIL "fail link NODE[PORT]... | switch S... | host H... | random N [seed=K]"
#define SHOW "show [hosts | node NODE]"

static void test_reading(void **state)
{
	AUTO_FABRIC struct fabric *f = selene();

	reads(f, TRACE, "trace luna-0200 mlx5_0 luna-0201 mlx5_0", "trace|luna-0200 mlx5_0|luna-0201 mlx5_0");
	reads(f, TRACE, "trace luna-0200 stage2;show", "trace|luna-0200|stage2;show");
	reads(f, TRACE, "trace luna-0200 mlx5_0[1] stage2 mlx4_0;show",
	      "trace|luna-0200 mlx5_0[1]|stage2 mlx4_0;show");
	reads(f, TRACE, "trace LUNA-0200 mlx5_0 1 # and why", "trace|LUNA-0200 mlx5_0|1");
	reads(f, TRACE, "trace it\"s # a;b'c MF0;LG01-07:MQM8700/U1",
	      "trace|it\"s # a;b'c|MF0;LG01-07:MQM8700/U1");
	reads(f, TRACE, "trace \"luna-0200 mlx5_0\" 'MF0;LG01-07:MQM8700/U1';x",
	      "trace|luna-0200 mlx5_0|MF0;LG01-07:MQM8700/U1;x");
	reads(f, SHOW, "show node Aggregation Node …001060[1]", "show|node|Aggregation Node …001060[1]");
	/* names that are not whole: only what has no blanks, and nothing that fits nothing */
	reads(f, SHOW, "show node MF0;CSPINE1-69;diff", "show|node|MF0;CSPINE1-69;diff");
	reads(f, SHOW, "show node MF0;CSP;diff", "show|node|MF0;CSP;diff");
	reads(f, FAIL, "fail switch MF0;CSPINE1-* twin;diff", "fail|switch|MF0;CSPINE1-*|twin;diff");
	reads(f, FAIL, "fail link MF0;LG01-07[1-3];diff", "fail|link|MF0;LG01-07[1-3];diff");
	reads(f, FAIL, "fail switch MF0;CSPINE1-[6,69]:MQM8700/U1;x",
	      "fail|switch|MF0;CSPINE1-[6,69]:MQM8700/U1;x");
	reads(f, FAIL, "fail switch stage20;MF0", "fail|switch|stage20;MF0");
	reads(f, FAIL, "fail switch stage20,MF0;CSPINE1-6:MQM8700/U1;MF0",
	      "fail|switch|stage20,MF0;CSPINE1-6:MQM8700/U1;MF0");
	/* a list of which one name fits nothing is none */
	reads(f, FAIL, "fail switch stage20,twin;show", "fail|switch|stage20,twin;show");
	reads(f, TRACE, "trace luna 1;2", "trace|luna|1;2");
	/* no node is wanted there */
	reads(f, "load FILE", "load MF0;LG01-07:MQM8700/U1", "load|MF0;LG01-07:MQM8700/U1");
	reads(f, "load FILE", "load it\\ s", "load|it s");
	reads(f, "echo [TEXT...]", "echo stage2 mlx4_0; x", "echo|stage2 mlx4_0; x");
	reads(NULL, TRACE, "trace MF0;LG01-07:MQM8700/U1", "trace|MF0;LG01-07:MQM8700/U1");
}

/* The syntax decides what may be a name, the longest name that fits it is taken, and quotes settle the rest.
 */
static void test_reading_unclear(void **state)
{
	static const char *const sw[] = {"switch 1", "1 2", "a", "a b", "b", NULL};
	static const char *const host[] = {"host 1", "a b c", "c", ";", NULL};
	AUTO_FABRIC struct fabric *f = row_of(sw, host, 1);

	reads(f, FAIL, "fail switch 1", "fail|switch|1");
	reads(f, FAIL, "fail switch switch 1", "fail|switch|switch 1");
	reads(f, FAIL, "fail switch 1 2", "fail|switch|1 2");
	reads(f, FAIL, "fail switch '1' 2", "fail|switch|1|2");
	reads(f, FAIL, "fail host host 1 c", "fail|host|host 1|c");
	reads(f, TRACE, "trace a b", "trace|a|b");
	reads(f, TRACE, "trace a b c", "trace|a b|c");
	reads(f, TRACE, "trace a b c a b c", "trace|a b c|a b c");
	reads(f, TRACE, "trace a 'b c'", "trace|a|b c");
	reads(f, TRACE, "trace ; a; b", "trace|;|a; b");
	reads(f, SHOW, "show; show", "show; show");
}

/* A reading in which all nodes are whole names comes before one with a longer name and a rest that is none.
 */
static void test_reading_overlap(void **state)
{
	static const char *const sw[] = {"a", "a b", "b c d", "'\\ '", "':", NULL};
	static const char *const host[] = {"# '", "#", "' a#(\\", "'\\", "';", ";", NULL};
	AUTO_FABRIC struct fabric *f = row_of(sw, host, 2);

	reads(f, TRACE, "trace a b c d;show", "trace|a|b c d;show");
	reads(f, TRACE, "trace a b c d[2];show", "trace|a|b c d[2];show");
	reads(f, TRACE, "trace a b c", "trace|a b|c"); /* c may be a part of a name */
	reads(f, TRACE, "trace # ' a#(\\;show", "trace|#|' a#(\\;show");
	reads(f, FAIL, "fail host # ' a#(\\", "fail|host|#|' a#(\\");
	reads(f, FAIL, "fail host # ' x", "fail|host|# '|x");
	/* behind a name with no blank a command ends: there no name begins */
	reads(f, TRACE, "trace '\\ ';;show", "trace|'\\|';;show");
	reads(f, FAIL, "fail switch a b;;", "fail|switch|a b;;");
}

/* Does a piece fit nodes, or the ports of such? */
static bool piece_fits(const struct fabric *f, const char *piece, size_t len)
{
	unsigned char set[MAX_PORTS + 1];
	char *copy = str_printf("%.*s", (int)len, piece), *open = strrchr(copy, '[');
	bool fits = names_fit(f, copy);

	if (!fits && open && copy[len - 1] == ']' &&
	    !number_set(open + 1, (size_t)(copy + len - 1 - open - 1), set, MAX_PORTS)) {
		*open = 0;
		fits = names_fit(f, copy);
	}
	free(copy);
	return fits;
}

/* The longest piece with ';' inside, of all there are, is the word. */
static void test_pieces_random(void **state)
{
	static const char *const sw[] = {"a;b", "ab", "b;a;a", "b,a;1", "a[1];b", NULL};
	static const char *const host[] = {"a1", "b;", ";a", "1", NULL};
	static const char letters[] = "aab1;;;;,,[]*?-";
	AUTO_FABRIC struct fabric *f = row_of(sw, host, 1);
	uint64_t seed = test_seed();
	unsigned whole = 0;

	for (unsigned round = 0; round < test_rounds(40000); round++) {
		char line[64] = "fail switch ", *piece = line + strlen(line), want[64] = {0};
		unsigned n = 1 + rng_below(&seed, 14);
		size_t plain, len = 0;
		struct words_read w;
		struct err e;

		for (unsigned i = 0; i < n; i++)
			piece[i] = letters[rng_below(&seed, sizeof(letters) - 1)];
		piece[n] = 0;
		for (size_t end = n; end > 2 && !len; end--)
			if ((!piece[end] || piece[end] == ';') && piece[end - 1] != ';' &&
			    memchr(piece + 1, ';', end - 2) && piece_fits(f, piece, end))
				len = end;
		whole += len > 0;
		plain = names_at(f, piece, &(size_t){0}, 1) ? 0 : strcspn(piece, ";");
		memcpy(want, piece, len ? len : plain);
		assert_int_equal(command_read(f, "fail switch [S...]", line, &w, NULL, &e), 0);
		if (plain && (w.argc < 3 || strcmp(w.argv[2], want)))
			fail_msg("\"%s\" was read as \"%s\", expected \"%s\"", line,
				 w.argc > 2 ? w.argv[2] : "", want);
		words_free(w.argc, w.argv);
	}
	assert_true(whole > 400);
}

/* A script that loads and goes on: names are those of the fabric of that moment. */
static void test_reading_later(void **state)
{
	AUTO_SESSION struct session *s = session_new(all_engines, all_commands);

	line_says(s,
		  "load tests/fabrics/formats/stage-qdr-fdr10.ibnetdiscover; show node MF0;ib5:SX6036/U1; "
		  "show node stage2 mlx4_0; synth xgft:2,2:1,1; show node leaf-01; show",
		  "switch leaf-01");
	line_fails(s, "show node MF0;ib5:SX6036/U1", "no node is named \"MF0\"");
}

/* --- the property: what is shown can be pasted -------------------------------------------------------- */

/* Does a quote begin a word of the name?  Before a ';' it may be that of a quoted word: such a name is typed
 * in quotes. */
static bool begins_quote(const char *name)
{
	for (const char *p = name; (p = strpbrk(p, "\"'")); p++)
		if (p == name || p[-1] == ' ')
			return true;
	return false;
}

static void paste(const struct fabric *f, uint64_t *seed)
{
	struct text line = {0}, back = {0};
	uint32_t a = rng_below(seed, f->n_nodes), b = rng_below(seed, f->n_nodes);
	const char *x = f->node_name[a], *y = f->node_name[b];
	bool blanks = strpbrk(x, " ") || strpbrk(y, " ");
	struct words_read w;
	char label[64];
	struct err e;

	if (begins_quote(x) || begins_quote(y))
		return;
	port_label(f, f->node_port[a] + 1, label, sizeof(label));
	text_add(&line, "show node %s;show", rng_below(seed, 2) ? x : label);
	assert_int_equal(command_read(f, SHOW, line.s, &w, NULL, &e), 0);
	if (w.argc != 3 || strncmp(w.argv[2], x, strlen(x)) || strcmp(w.rest, "show"))
		fail_msg("\"%s\" was read as %d words: %s", line.s, w.argc, w.argv[w.argc - 1]);
	words_free(w.argc, w.argv);
	text_free(&line);
	text_add(&line, "trace %s %s;show", x, y);
	assert_int_equal(command_read(f, TRACE, line.s, &w, NULL, &e), 0);
	/* blanks may be read in two ways (a name's last `;` may then end the command, before an empty one),
	 * but never so that a word is no name */
	if (w.argc != 3 || !w.rest || strcmp(w.rest + (blanks ? strspn(w.rest, ";") : 0), "show") ||
	    (!blanks && (strcmp(w.argv[1], x) || strcmp(w.argv[2], y))))
		fail_msg("\"%s\" was read as %d words", line.s, w.argc);
	text_add(&back, "trace %s %s;%s", w.argv[1], w.argv[2], w.rest);
	assert_string_equal(back.s, line.s);
	for (int i = 1; i < 3; i++)
		assert_int_not_equal(node_named(f, w.argv[i], strlen(w.argv[i])), NO_ID);
	words_free(w.argc, w.argv);
	text_free(&line);
	text_free(&back);
}

static void test_paste_random(void **state)
{
	uint64_t seed = test_seed();

	for (unsigned round = 0; round < 150; round++) {
		AUTO_FABRIC struct fabric *f = random_fabric(&seed);

		for (uint32_t n = 0; n < f->n_nodes; n++)
			assert_int_equal(guid_of(f, f->node_name[n]), f->node_guid[n]);
		for (unsigned k = 0; k < 20; k++)
			paste(f, &seed);
	}
}

/* So can labels: as they are shown with the number, and alone where they are no number and no other's. */
static void paste_label(struct session *s, uint32_t port)
{
	const struct fabric *f = s->fabric;
	const char *label = fabric_port_label(f, port);
	char shown[128], alone[128], line[160];
	struct words_read w;
	unsigned same = 0;
	struct err e;

	port_label(f, port, shown, sizeof(shown));
	snprintf(line, sizeof(line), "show node %s;show", shown);
	assert_int_equal(command_read(f, SHOW, line, &w, NULL, &e), 0);
	if (w.argc != 3 || strcmp(w.argv[2], shown) || strcmp(w.rest, "show"))
		fail_msg("\"%s\" was read as %d words: %s", line, w.argc, w.argv[w.argc - 1]);
	if (session_port(s, w.argv[2], &e) != port)
		fail_msg("%s: %s", shown, e.msg);
	words_free(w.argc, w.argv);
	for (unsigned p = 1; p <= PORTS; p++)
		same += row_label[p] && !strcasecmp(row_label[p], label);
	if (same != 1 || !label[strspn(label, "0123456789")] || label[strspn(label, "0123456789")] == ' ')
		return;
	snprintf(alone, sizeof(alone), "%s[%s]", f->node_name[f->port_node[port]], label);
	if (session_port(s, alone, &e) != port)
		fail_msg("%s: %s", alone, e.msg);
}

static void test_paste_labels(void **state)
{
	static const char *const labels[] = {NULL,   NULL,   "1/1/1",	"1/1/2",  "a b",     "7",
					     "x/1 ", "x/1 ", "A1",	"é/1",	  "1-4",     "3 1/1/1",
					     "a;b",  "0x1",  "\"1/2\"", "1/32/1", "L34/P18", "7 8"};
	uint64_t seed = test_seed();
	unsigned n = 0;

	for (unsigned round = 0; round < 100; round++) {
		for (unsigned p = 1; p <= PORTS; p++)
			row_label[p] = labels[rng_below(&seed, ARRAY_LEN(labels))];
		AUTO_SESSION struct session *s = session_on(random_fabric(&seed));
		for (uint32_t p = 0; p < s->fabric->n_ports; p++)
			if (fabric_port_label(s->fabric, p)) {
				paste_label(s, p);
				n++;
			}
	}
	memset(row_label, 0, sizeof(row_label));
	assert_true(n > 1000);
}

static bool any_begins(const struct fabric *f, char c)
{
	for (uint32_t n = 0; n < f->n_nodes; n++)
		if (*f->node_name[n] == c)
			return true;
	return false;
}

/* Completions of a shown name, as far as it is typed, hold the name; what is completed means the node. */
static void test_complete_random(void **state)
{
	uint64_t seed = test_seed();

	for (unsigned round = 0; round < 60; round++) {
		AUTO_SESSION struct session *s = session_of(random_fabric(&seed));
		const char *name = s->fabric->node_name[rng_below(&seed, s->fabric->n_nodes)];
		AUTO_FREE char *quoted = word_quoted(name), *line = str_printf("show node %s", quoted);
		size_t start = 0, n = 0;
		char **c = session_complete(s, line, &start);

		/* a node whose name begins with a quote may be meant by the quote */
		if (!any_begins(s->fabric, '"'))
			assert_int_equal(start, strlen("show node "));
		while (c[n] && strcmp(c[n], quoted))
			n++;
		if (!c[n] && !any_begins(s->fabric, '"'))
			fail_msg("%s: is not among its completions", line);
		completions_free(c);
	}
}

/* --- lists of hosts ---------------------------------------------------------------------------------- */

static void lists(const char *text, const char *names)
{
	AUTO_BY(hostlist_free) struct hostlist l;
	AUTO_TEXT struct text t = {0};
	struct err e;

	if (hostlist_read(text, &l, &e))
		fail_msg("%s: %s", text, e.msg);
	for (size_t i = 0; i < l.n; i++)
		text_add(&t, "%s%s", i ? " " : "", l.name[i]);
	assert_string_equal(text_str(&t), names);
}

static void lists_not(const char *text, const char *why)
{
	struct hostlist l;
	struct err e;

	assert_int_equal(hostlist_read(text, &l, &e), -1);
	assert_int_equal(l.n, 0);
	if (!strstr(e.msg, why))
		fail_msg("%s: %s", text, e.msg);
}

static void test_hostlist(void **state)
{
	unsigned char set[11];

	lists("luna-0160", "luna-0160");
	lists("luna-[0159-0161,0200]", "luna-0159 luna-0160 luna-0161 luna-0200");
	lists("n[9-11]", "n9 n10 n11");
	lists("r[1-2]n[3,5]x", "r1n3x r1n5x r2n3x r2n5x");
	lists("a,b[1-2],c", "a b1 b2 c");
	lists("", "");
	lists_not("a[", "no ]");
	lists_not("a[]", "[]");
	lists_not("a[b]", "[b]");
	lists_not("a[3-1]", "[3-1]");
	lists_not("a[1,]", "[1,]");
	lists_not("a[1-]", "[1-]");
	lists_not("a[0-999999999999999999]", "more than");
	lists_not("a[1-999][1-999]", "more than");
	assert_int_equal(number_set("1-3,10", 6, set, 10), 0);
	assert_memory_equal(set, "\0\1\1\1\0\0\0\0\0\0\1", 11);
	assert_int_equal(number_set("11", 2, set, 10), -1);
	assert_int_equal(number_set("", 0, set, 10), -1);
}

/* --- many at once, and one of many --------------------------------------------------------------------- */

static void test_many(void **state)
{
	AUTO_SESSION struct session *s = session_of(selene());

	line_says(s, "fail host luna-0200", "2 nodes down");
	line_fails(s, "fail host luna-0200", "all that \"luna-0200\" stands for is down already");
	line_fails(s, "fail host luna-0200 mlx5_0", "down already");
	line_says(s, "fail host luna-[0200-0201]", "1 node down");
	line_says(s, "journal", "fail host luna-[0200-0201]");
	line_says(s, "restore host luna-*", "3 nodes restored");
	line_fails(s, "restore host luna-*", "stands for is up");
	line_fails(s, "fail host luna-[0200-0203]", "no node is named luna-0202, luna-0203");
	line_fails(s, "fail host *nobody*", "\"*nobody*\" fits no node");
	line_fails(s, "fail host luna-", "fits 3 nodes");
	line_fails(s, "fail host luna-0200,x[", "no ]");
	line_says(s, "fail switch *CSPINE1-6*", "2 nodes down"); /* and not what hangs on them */
	line_says(s, "undo; fail switch twin,stage20", "3 nodes down");
	line_fails(s, "undo; fail switch luna-0201", "is no switch");
	line_fails(s, "fail host CSPINE1-69", "is a switch");
}

static void test_many_links(void **state)
{
	AUTO_SESSION struct session *s = session_of(selene());

	line_says(s, "fail link luna-0200", "2 links down");
	line_says(s, "undo; fail link luna-020[0-1]", "3 links down");
	line_says(s, "undo; fail link CSPINE1-69[1-3,12]", "4 links down");
	line_says(s, "undo; fail link *CSPINE1-*[1]", "2 links down");
	line_says(s, "undo; fail link MF0;CSPINE1-69:MQM8700/U1[12] MF0;CSPINE1-6:MQM8700/U1[1-3]",
		  "4 links down");
	line_says(s, "journal",
		  "fail link \"MF0;CSPINE1-69:MQM8700/U1[12]\" \"MF0;CSPINE1-6:MQM8700/U1[1-3]\"");
	line_says(s, "undo; flap luna-0200 LG01-07[1-2]", "routed");
	line_fails(s, "fail link CSPINE1-69[1-40]", "has no port 13");
	line_fails(s, "fail link CSPINE1-69[40]", "has no port 40");
	line_fails(s, "fail link CSPINE1-69", "expected a port as NODE[PORT]");
	line_fails(s, "fail link *CSPINE1*", "expected a port as NODE[PORT]");
	line_fails(s, "fail link luna-[0200-0209]", "luna-0202");
}

/* A host of several adapters where one port is wanted: the first that is up, which is said. */
static void test_one_of_many(void **state)
{
	AUTO_SESSION struct session *s = session_of(selene());

	line_says(s, "trace luna-0200 stage2", "luna-0200 is taken for luna-0200 mlx5_0, the first");
	line_says(s, "fail link luna-0200 mlx5_0[1]; trace stage2 luna-0200",
		  "luna-0200 is taken for luna-0200 mlx5_1, the first");
	line_says(s, "show node luna-0200", "CA luna-0200 mlx5_1");
	line_says(s, "fail host luna-0200 mlx5_1; show node luna-0200", "CA luna-0200 mlx5_0");
	line_fails(s, "trace luna-0200[1] stage2", "fits 2 nodes");
	line_fails(s, "trace luna stage2", "fits 3 nodes");
	line_fails(s, "show node Aggregation", "fits 3 nodes"); /* no host: the names are not apart */
	line_says(s, "show node MF0;CSPINE1-69:MQM8700/U1[1]", "[1] up");
	assert_int_equal(session_host(s, "stage2"), NO_ID); /* one port: nothing to say */
	assert_int_equal(session_host(s, "1"), NO_ID);
}

static void completes(struct session *s, const char *line, const char *first, size_t count)
{
	size_t start, n = 0;
	char **c = session_complete(s, line, &start);

	while (c[n])
		n++;
	if (n != count || (n && strcmp(c[0], first)))
		fail_msg("%s: %zu completions, first %s", line, n, n ? c[0] : "none");
	completions_free(c);
}

static void test_completion(void **state)
{
	AUTO_SESSION struct session *s = session_of(selene());

	completes(s, "trace MF0;CSPINE1-69", "\"MF0;CSPINE1-69:MQM8700/U1\"", 1);
	completes(s, "trace CSPINE1-69", "\"MF0;CSPINE1-69:MQM8700/U1\"", 1);
	completes(s, "trace MF0;CSPINE1-69:MQM8700/U1 luna-02", "\"luna-0200 mlx5_0\"", 3);
	completes(s, "trace luna-0200 mlx5_", "\"luna-0200 mlx5_0\"", 2);
	completes(s, "trace luna-0200 mlx5_0 luna-0201 m", "\"luna-0201 mlx5_0\"", 1);
	completes(s, "trace \"luna-0200 mlx5_", "\"luna-0200 mlx5_0\"", 2);
	completes(s, "lft LG", "\"MF0;LG01-07:MQM8700/U1\"", 1);
	completes(s, "fail link MF0;LG01-07:MQM8700/U1[1", "\"MF0;LG01-07:MQM8700/U1[1]\"", 3);
	completes(s, "undo;: trace stage2 mlx4_0;resto", "restore", 1);
	completes(s, "show # x", "", 0);
}

/* Ports by what stands on the front panel, wherever a port may stand. */
static void test_labelled(void **state)
{
	static const char *const sw[] = {"MF0;top:X/U1", "MF0;leaf:X/U1", NULL}, *const host[] = {
											 "node1 mlx5_0",
											 NULL};

	row_label[1] = "1/1/1";
	row_label[11] = "1/6/1";
	row_label[12] = "1/6/2";
	row_label[2] = row_label[3] = "A1";
	AUTO_SESSION struct session *s = session_of(row_of(sw, host, 1));
	memset(row_label, 0, sizeof(row_label));
	line_says(s, "show node top[1/6/2]", "[12 1/6/2] up   ?????   MF0;leaf:X/U1[11 1/6/1]");
	line_says(s, "show node MF0;top:X/U1[12 1/6/2];show node top[12]", "[12 1/6/2] up");
	line_says(s, "show node \"top[12 1/6/2]\"", "[12 1/6/2] up");
	line_says(s, "show node 0x100[1/6/2]", "[12 1/6/2] up");
	line_says(s, "show node 1[1/6/2]", "[12 1/6/2] up");
	line_says(s, "why top 0x101 via top[1/6/2]", "top:X/U1 by port 12 1/6/2 to MF0;leaf:X/U1[11 1/6/1]");
	line_says(s, "trace top leaf", "MF0;top:X/U1 [12 1/6/2]");
	line_says(s, "flows top[1/6/2]", "MF0;top:X/U1[12 1/6/2] -> MF0;leaf:X/U1[11 1/6/1]");
	line_says(s, "list ports top[1/6/2]", "  12 1/6/2 up");
	line_fails(s, "list ports top[1/7/2]",
		   "top:X/U1 has no port 1/7/2, expected 1 to 12 or a label as 1/6/2");
	line_says(s, "list lft top", "label");
	line_says(s, "fail link top[1/6/2]", "1 link down");
	/* kept by its number, for files of the fabric that tell no labels */
	line_says(s, "journal", "fail link \"MF0;top:X/U1[12]\"");
	line_says(s, "restore link MF0;leaf:X/U1[11 1/6/1]; flap top[1/6/2]; fail link top[1/1/1,1/6/2]",
		  "2 links down");
	line_says(s, "undo; fail link *[1/1/1,1/6/1]", "2 links down");
	line_says(s, "undo; fail link leaf[1/6/1,12]; undo", "1 link down");
	line_fails(s, "fail link top[1/6/9]",
		   "top:X/U1 has no port 1/6/9, expected 1 to 12 or a label as 1/6/2");
	line_fails(s, "fail link top[1/1/1,1/6/9]", "has no port 1/6/9");
	line_fails(s, "fail link \"top[11 1/6/2]\"", "has no port 11 1/6/2");
	line_fails(s, "fail link top[A1]", "has no port A1"); /* two have it */
	line_fails(s, "fail link *[1/6/8,1/6/9]", "none of the nodes that \"*\" fits has this port");
	line_fails(s, "fail link mlx5_0[1/1/1]", "has no port 1/1/1, expected 1 to 2");
	completes(s, "fail link top[1/", "top[1/1/1]", 2);
	completes(s, "fail link \"MF0;top:X/U1[1/6/", "\"MF0;top:X/U1[1/6/2]\"", 1);
	completes(s, "fail link top[", "top[1]", 2);
}

/* --- many nodes ----------------------------------------------------------------------------------------- */

/* An index, not a walk: looking up whole words of 10,000 names looks at a few of them. */
static void test_large(void **state)
{
	AUTO_FABRIC struct fabric *f = make_fabric("xgft:100,100:1,4");
	struct name_hits h;
	char name[32];

	for (unsigned i = 1; i <= 10000; i++) {
		snprintf(name, sizeof(name), "node%05u", i);
		names_find(f, name, NAMES_HOSTS, NAME_NONE, &h);
		assert_int_equal(h.n, 1);
		assert_int_equal(h.rank, NAME_WHOLE);
		name_hits_free(&h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shown),
		cmocka_unit_test(test_shown_again),
		cmocka_unit_test(test_twins),
		cmocka_unit_test(test_twins_random),
		cmocka_unit_test(test_ranks),
		cmocka_unit_test(test_ranks_random),
		cmocka_unit_test(test_reading),
		cmocka_unit_test(test_reading_unclear),
		cmocka_unit_test(test_pieces_random),
		cmocka_unit_test(test_reading_later),
		cmocka_unit_test(test_reading_overlap),
		cmocka_unit_test(test_paste_random),
		cmocka_unit_test(test_complete_random),
		cmocka_unit_test(test_hostlist),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_many_links),
		cmocka_unit_test(test_one_of_many),
		cmocka_unit_test(test_completion),
		cmocka_unit_test(test_paste_labels),
		cmocka_unit_test(test_labelled),
		cmocka_unit_test(test_large),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
