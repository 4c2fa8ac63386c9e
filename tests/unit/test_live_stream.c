/* The discovery stream: what is whole is read, all else is an error or an incomplete fabric. */
#include "tests/unit/fixture.h"
#include "core/routing/routing.h"
#include "core/source/live.h"

/* A switch of 3 ports, hosts on ports 1 and 2; port 3 is down.  A test changes it before it is sent. */
struct sample {
	struct live_head head;
	struct live_node node[3];
	struct live_port port[6]; /* 4 of the switch, one a host */
	struct live_table table;
	uint8_t lft[4], maps[16][8];
	uint32_t tail;
};

enum { SW, H1, H2 };
enum { SW0, SW1, SW2, SW3, P_H1, P_H2 };

static struct sample sample(void)
{
	struct sample s = {
		.head = {.magic = LIVE_HEAD,
			 .n_nodes = 3,
			 .n_tables = 1,
			 .sm_lid = 2,
			 .from_port = 1,
			 .from_guid = 0x11},
		.node = {{.guid = 0x10,
			  .fdb_cap = 1024,
			  .n_ports = 4,
			  .type = NODE_SWITCH,
			  .nports = 3,
			  .desc = "sw"},
			 {.guid = 0x11, .n_ports = 1, .type = NODE_CA, .nports = 1, .desc = "h1"},
			 {.guid = 0x12, .n_ports = 1, .type = NODE_CA, .nports = 1, .desc = "h2"}},
		.port = {{.guid = 0x10, .lid = 1, .num = 0, .state = PORT_ACTIVE},
			 {.guid = 0x10, .num = 1, .peer_guid = 0x11, .peer_port = 1},
			 {.guid = 0x10, .num = 2, .peer_guid = 0x12, .peer_port = 1},
			 {.guid = 0x10, .num = 3, .state = PORT_DOWN, .opervls = 4},
			 {.guid = 0x21, .lid = 2, .num = 1, .peer_guid = 0x10, .peer_port = 1},
			 {.guid = 0x22, .lid = 3, .num = 1, .peer_guid = 0x10, .peer_port = 2}},
		.table = {.guid = 0x10, .n_entries = 4, .n_maps = 16},
		.lft = {NO_PATH, 0, 1, 2},
		.tail = LIVE_TAIL,
	};

	for (int i = 0; i < 6; i++) {
		if (!s.port[i].peer_guid)
			continue;
		s.port[i].state = PORT_ACTIVE;
		s.port[i].opervls = 4;
		s.port[i].width = WIDTH_4X;
		s.port[i].speed = SPEED_HDR;
	}
	return s;
}

static size_t put(uint8_t *to, size_t at, const void *from, size_t size)
{
	memcpy(to + at, from, size);
	return at + size;
}

/* Its bytes, as the counts in it say (no more than it has); returns their number. */
static size_t bytes_of(const struct sample *s, uint8_t *to)
{
	size_t n = put(to, 0, &s->head, sizeof(s->head));

	n = put(to, n, &s->node[SW], sizeof(s->node[SW]));
	n = put(to, n, &s->port[SW0], 4 * sizeof(s->port[0]));
	n = put(to, n, &s->node[H1], sizeof(s->node[H1]));
	n = put(to, n, &s->port[P_H1], sizeof(s->port[0]));
	n = put(to, n, &s->node[H2], sizeof(s->node[H2]));
	n = put(to, n, &s->port[P_H2], sizeof(s->port[0]));
	n = put(to, n, &s->table, sizeof(s->table));
	n = put(to, n, s->lft, sizeof(s->lft));
	n = put(to, n, s->maps, sizeof(s->maps));
	return put(to, n, &s->tail, sizeof(s->tail));
}

/* n bytes in a block of their own, so that the sanitizer sees what lies behind them. */
static int read_bytes(const uint8_t *data, size_t n, struct fabric **f, struct err *e)
{
	AUTO_FREE uint8_t *copy = malloc(n ? n : 1);

	memcpy(copy, data, n);
	*f = NULL;
	return live_read(copy, n, "test", LIVE_LFTS_SL2VL, f, e);
}

static void test_whole(void **state)
{
	struct sample s = sample();
	uint8_t data[sizeof(s) + 64];
	struct fabric *f;
	struct err e;

	for (unsigned i = 0; i < sizeof(s.maps); i++)
		s.maps[i / 8][i % 8] = (uint8_t)(0x17 + 5 * i);
	assert_int_equal(read_bytes(data, bytes_of(&s, data), &f, &e), 0);
	assert_int_equal(f->n_nodes, 3);
	assert_int_equal(f->n_links, 2);
	assert_int_equal(f->warnings.n, 0);
	assert_false(f->sm_guessed);
	assert_int_equal(f->port_guid[f->endport_port[f->sm_endport]], 0x21);
	const struct switch_tables *t = fabric_switch_tables(f);
	assert_int_equal(t->top[0], 3);
	assert_memory_equal(t->lft[0], s.lft, 4);
	for (unsigned i = 0; i < 16; i++) /* the maps of all pairs of ports */
		for (unsigned sl = 0; sl < 16; sl++)
			assert_int_equal(sl2vl_of(sl_tables_map(t->sl_tables, 0, i / 4, i % 4), sl),
					 s.maps[i][sl / 2] >> (sl % 2 ? 0 : 4) & 15);
	fabric_unref(f);
}

/* Without its tail, or cut anywhere, or with more behind it, it is none. */
static void test_cut(void **state)
{
	struct sample s = sample();
	uint8_t data[sizeof(s) + 64] = {0};
	size_t size = bytes_of(&s, data);
	struct fabric *f;
	struct err e;

	for (size_t n = 0; n <= size + 4; n++) {
		int rc = read_bytes(data, n, &f, &e);

		assert_int_equal(rc, n == size ? 0 : -1);
		if (!rc)
			fabric_unref(f);
		else
			assert_non_null(strstr(e.msg, "discovery from test: before byte"));
	}
	data[size - 1] ^= 1; /* another tail */
	assert_int_equal(read_bytes(data, size, &f, &e), -1);
}

static void is_error(const struct sample *s, const char *words)
{
	uint8_t data[sizeof(*s) + 64];
	struct fabric *f;
	struct err e = {0};

	assert_int_equal(read_bytes(data, bytes_of(s, data), &f, &e), -1);
	if (!strstr(e.msg, words))
		fail_msg("'%s' is not in '%s'", words, e.msg);
}

/* What this program never sends. */
static void test_errors(void **state)
{
	static const struct {
		size_t at;
		uint32_t value;
		unsigned size;
		const char *words;
	} wrong[] = {
#define STREAM_FIELD(field, value, words) \
	{offsetof(struct sample, field), value, sizeof(((struct sample *)NULL)->field), words}
		STREAM_FIELD(head.magic, 1, "expected that of a stream"),
		STREAM_FIELD(head.n_nodes, 0xffffffff, "no more than a subnet has LIDs"),
		STREAM_FIELD(head.n_nodes, 4, "expected"),
		STREAM_FIELD(head.n_nodes, 0, "no more than a subnet has LIDs"),
		STREAM_FIELD(head.n_tables, 4, "nor more tables"),
		STREAM_FIELD(head.n_tables, 0, "bytes behind the end"),
		STREAM_FIELD(node[SW].n_ports, 5, "at most one a port"),
		STREAM_FIELD(node[SW].n_ports, 0xffffffff, "at most one a port"),
		STREAM_FIELD(node[SW].nports, 2, "at most one a port"),
		STREAM_FIELD(port[SW1].num, 0, "ascending order"),
		STREAM_FIELD(port[SW1].num, 2, "ascending order"),
		STREAM_FIELD(port[SW3].num, 4, "found port 4"),
		STREAM_FIELD(port[P_H1].num, 255, "found port 255"),
		STREAM_FIELD(table.n_entries, MAX_LID + 2, "at most one a LID"),
		STREAM_FIELD(table.n_entries, 0xffffffff, "at most one a LID"),
		STREAM_FIELD(table.n_entries, 0, "found maps"),
		STREAM_FIELD(table.n_maps, 0xffffffff, "expected more"),
		STREAM_FIELD(table.n_maps, 15, "found maps"),
#undef STREAM_FIELD
	};

	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		struct sample s = sample();

		memcpy((char *)&s + wrong[i].at, &wrong[i].value, wrong[i].size);
		is_error(&s, wrong[i].words);
	}
}

/* What no device can have said right: the fabric is incomplete, and the kind is told. */
static void test_incomplete(void **state)
{
	static const struct {
		size_t at;
		uint64_t value;
		unsigned size;
		const char *kind, *words;
	} wrong[] = {
#define STREAM_FIELD(field, value, kind, words) \
	{offsetof(struct sample, field), value, sizeof(((struct sample *)NULL)->field), kind, words}
		STREAM_FIELD(node[SW].type, 0, "impossible node", "of type 0 with 3 ports is left out"),
		STREAM_FIELD(node[H1].type, 4, "impossible node", "of type 4 with 1 ports is left out"),
		STREAM_FIELD(node[H1].type, 255, "impossible node", "(h1) of type 255"),
		STREAM_FIELD(node[SW].nports, 255, "impossible node", "with 255 ports"),
		STREAM_FIELD(node[H2].guid, 0, "impossible node", "node 0x0000000000000000 (h2)"),
		STREAM_FIELD(node[H2].guid, 0x11, "impossible node", "there is one of this GUID already"),
		STREAM_FIELD(node[SW].fdb_cap, 0, "silent switch", "sw[0] did not tell how many LIDs"),
		STREAM_FIELD(head.from_guid, 0x77, "dangling link",
			     "the local node 0x0000000000000077 is not there"),
		STREAM_FIELD(port[SW1].peer_guid, 0x99, "dangling link",
			     "sw[1] leads to node 0x0000000000000099, which is not"),
		STREAM_FIELD(port[SW1].peer_guid, 0x12, "one-sided link",
			     "sw[1] leads to h2[1], which names another cable"),
		STREAM_FIELD(port[SW1].peer_guid, 0, "open port", "sw[1] is up, but"),
		STREAM_FIELD(port[SW1].peer_port, 2, "one-sided link", "sw[1] leads to h1[2]"),
		STREAM_FIELD(port[SW1].peer_port, 0, "one-sided link", "sw[1] leads to h1[0]"),
		STREAM_FIELD(port[P_H1].peer_port, 3, "one-sided link", "h1[1] leads to sw[3]"),
		STREAM_FIELD(port[P_H1].peer_guid, 0, "one-sided link", "sw[1] leads to h1[1]"),
		STREAM_FIELD(port[SW1].state, 0, "silent port", "sw[1] did not tell its state"),
		STREAM_FIELD(port[P_H1].state, 0, "silent port", "h1[1] did not tell its state and LID"),
		STREAM_FIELD(port[SW1].state, PORT_DOWN, "impossible value",
			     "sw[1] tells that it is down, but"),
		STREAM_FIELD(port[SW3].state, 15, "impossible value", "sw[3] tells state 15"),
		STREAM_FIELD(port[SW3].state, PORT_INIT, "open port", "sw[3] is up, but"),
		STREAM_FIELD(port[SW1].opervls, 6, "impossible value", "sw[1] tells OperVLs 6"),
		STREAM_FIELD(port[P_H2].opervls, 0, "impossible value", "h2[1] tells OperVLs 0"),
		STREAM_FIELD(port[SW1].width, 0, "impossible value",
			     "sw[1] tells a width or speed that there is not"),
		STREAM_FIELD(port[SW1].width, WIDTH_COUNT, "impossible value", "width or speed"),
		STREAM_FIELD(port[P_H1].speed, 0, "impossible value", "h1[1] tells a width or speed"),
		STREAM_FIELD(port[P_H1].speed, 255, "impossible value", "h1[1] tells a width or speed"),
		STREAM_FIELD(port[P_H1].lid, MAX_LID + 1, "impossible value",
			     "h1[1] tells LID 49152 with LMC 0"),
		STREAM_FIELD(port[SW0].lid, 65535, "impossible value", "sw[0] tells LID 65535"),
		STREAM_FIELD(port[P_H2].lmc, 1, "impossible value", "h2[1] tells LID 3 with LMC 1"),
		STREAM_FIELD(port[P_H2].lmc, 40, "impossible value", "h2[1] tells LMC 40"),
		STREAM_FIELD(port[SW0].lmc, 1, "impossible value", "sw[0] tells LMC 1"),
		STREAM_FIELD(port[P_H1].guid, 0, "impossible value", "h1[1] tells GUID 0"),
#undef STREAM_FIELD
	};
	bool told;

	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		struct sample s = sample();
		uint8_t data[sizeof(s) + 64];
		struct fabric *f;
		struct err e = {0};

		memcpy((char *)&s + wrong[i].at, &wrong[i].value, wrong[i].size);
		if (read_bytes(data, bytes_of(&s, data), &f, &e))
			fail_msg("%zu: %s", i, e.msg);
		told = false;
		for (size_t k = 0; k < f->warnings.n; k++)
			told = told ||
			       (f->warnings.w[k].missing && !strcmp(f->warnings.w[k].kind, wrong[i].kind) &&
				strstr(f->warnings.w[k].text, wrong[i].words));
		if (!told)
			fail_msg("%zu: no '%s: %s'; first: %s", i, wrong[i].kind, wrong[i].words,
				 f->warnings.n ? f->warnings.w[0].text : "none");
		fabric_unref(f);
	}
}

/* A plug that leads back into its port hides nothing; a port whose record did not come does. */
static void test_looped(void **state)
{
	struct sample s = sample();
	uint8_t data[sizeof(s) + 64];
	struct fabric *f;
	struct err e;

	s.port[SW3] = s.port[SW1];
	s.port[SW3].num = s.port[SW3].peer_port = 3;
	s.port[SW3].peer_guid = 0x10;
	assert_int_equal(read_bytes(data, bytes_of(&s, data), &f, &e), 0);
	assert_int_equal(f->n_links, 2);
	assert_int_equal(f->warnings.n, 1);
	assert_int_equal(f->warnings.missing, 0);
	assert_string_equal(f->warnings.w[0].text, "sw[3] is cabled to itself");
	fabric_unref(f);
}

/* The corpus of the fuzz target is made of streams that are read. */
static void test_corpus(void **state)
{
	static const char *const name[] = {"fabric", "tables", "maps"};

	for (int what = LIVE_NO_TABLES; what <= LIVE_LFTS_SL2VL; what++) {
		AUTO_FREE char *path = str_printf("tests/fuzz/corpus/live/%s", name[what]);
		uint8_t data[16384];
		FILE *in = fopen(path, "rb");
		AUTO_FABRIC struct fabric *f = NULL;
		struct err e = {0};

		assert_non_null(in);
		size_t n = fread(data, 1, sizeof(data), in);
		fclose(in);
		if (live_read(data, n, "corpus", what, &f, &e))
			fail_msg("%s", e.msg);
		assert_int_equal(f->n_nodes, 11);
		assert_int_equal(f->warnings.missing, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),  cmocka_unit_test(test_cut),
		cmocka_unit_test(test_errors), cmocka_unit_test(test_incomplete),
		cmocka_unit_test(test_looped), cmocka_unit_test(test_corpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
