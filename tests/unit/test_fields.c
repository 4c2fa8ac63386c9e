/* Rows told by one list: JSON, lines of the contract, cells, numbers to sort by. */
#include "fixture.h"

#include "core/base/json.h"

struct thing {
	bool good;
	uint8_t port;
	uint16_t lid;
	uint32_t links;
	uint64_t pairs;
	double share;
	const char *name, *why, *gone;
};

#define ROW(key, member, type, column) FIELD(key, struct thing, member, type, column, "help of " key)

static const struct field fields[] = {
	ROW("good", good, NULL, NULL),
	ROW("port", port, NULL, "out"),
	ROW("lid", lid, NULL, "lid"),
	FIELD_BY_CODE("where", "node?", "the place"),
	ROW("links", links, NULL, NULL),
	ROW("pairs", pairs, NULL, "pairs"),
	{.key = "share",
	 .help = "help of share",
	 .column = "share",
	 .kind = MEMBER_REAL,
	 .offset = offsetof(struct thing, share),
	 .decimals = 2},
	ROW("name", name, NULL, "name"),
	ROW("why", why, "string?", NULL),
	ROW("gone", gone, "string|null", NULL),
	{.key = NULL},
};

static const struct thing thing = {true, 254, 0xbfff, 4000000000u, 1ull << 60, 0.625, "a", NULL, NULL};

static void as_json(void **state)
{
	json_auto_t *o = json_object();

	fields_json(o, fields, &thing);
	AUTO_FREE char *s = json_dumps(o, JSON_COMPACT);
	assert_string_equal(s, "{\"good\":true,\"port\":254,\"lid\":49151,\"links\":4000000000,"
			       "\"pairs\":1152921504606846976,\"share\":0.625,\"name\":\"a\",\"gone\":null}");
}

static void as_contract(void **state)
{
	AUTO_TEXT struct text t = {0};

	fields_contract(&t, "x[].", fields);
	assert_non_null(strstr(text_str(&t),
			       "x[].good boolean help of good\nx[].port integer(0..255) help of port\n"));
	assert_non_null(strstr(text_str(&t), "x[].where node? the place\n"));
	assert_non_null(strstr(text_str(&t),
			       "x[].share number help of share\nx[].name string help of name\n"
			       "x[].why string? help of why\nx[].gone string|null help of gone\n"));
}

static void as_cells(void **state)
{
	static const char *const want[][2] = {{"out", "254"},
					      {"lid", "49151"},
					      {"pairs", "1152921504606846976"},
					      {"share", "0.62"},
					      {"name", "a"}};
	for (size_t i = 0; i < ARRAY_LEN(want); i++) {
		AUTO_TEXT struct text t = {0};

		field_cell(field_of_column(fields, want[i][0]), &thing, &t);
		assert_string_equal(text_str(&t), want[i][1]);
	}
	assert_null(field_of_column(fields, "links"));
	assert_int_equal(field_number(field_of_column(fields, "share"), &thing), 625000);
	assert_int_equal(field_number(field_of_column(fields, "lid"), &thing), 0xbfff);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_json),
		cmocka_unit_test(as_contract),
		cmocka_unit_test(as_cells),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
