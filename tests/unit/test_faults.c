/* Faults: to JSON and back they are the same; what is new and gone against a plain look at all of them. */
#include "tests/unit/fixture.h"

#include "core/analysis/compare/internal.h"
#include "core/base/rng.h"

#define ROUNDS 36

#define AUTO_FAULTS AUTO_BY(faults_free)

/* The path of a new file with a check that has these faults. */
static char *write_check(const struct faults *s)
{
	json_auto_t *o = json_make("{s:s, s:b, s:o}", "command", "check", "ok", 1, "faults", faults_json(s));
	AUTO_FREE char *text = json_dumps(o, JSON_COMPACT | JSON_ENSURE_ASCII);

	return temp_file(text);
}

static bool draw(uint64_t *seed, unsigned percent)
{
	return rng_below(seed, 100) < percent;
}

/* Faults of all kinds on a fabric, with whole blocks of ways among them; so many in a hundred of all there
 * are. */
static void random_faults(struct faults *s, const struct sweep *w, uint64_t *seed, unsigned percent)
{
	static const char *const kinds[] = {"dangling link", "cut record"};
	const struct fabric *f = w->fabric;
	static struct err e;

	faults_begin(s, f, w->lids, &e);
	for (unsigned lid = 1; lid <= w->lids->max_lid; lid++) {
		bool all = draw(seed, percent / 4), loops = draw(seed, 30);

		for (uint32_t sw = 0; lid_owner(w->lids, lid) != NO_ID && sw < f->n_switches; sw++)
			if (all || draw(seed, percent))
				faults_add_path(s, sw, lid, loops);
	}
	for (uint32_t ep = 0; ep < f->n_endports; ep++)
		if (draw(seed, percent))
			faults_add_endport(s, draw(seed, 50) ? FAULT_NO_LID : FAULT_CUT_OFF, ep);
	for (uint32_t p = 0; p < f->n_ports; p++) {
		static const uint8_t those[] = {FAULT_CREDIT_LOOP, FAULT_MISSING, FAULT_NOT_HERE};
		struct fault one = {.kind = those[rng_below(seed, 3)],
				    .port = f->port_num[p],
				    .from = f->node_guid[f->port_node[p]],
				    .at_from.id = f->port_node[p],
				    .at_to.id = NO_ID};

		if (one.kind == FAULT_CREDIT_LOOP)
			one.vl = (uint8_t)rng_below(seed, 3);
		else if (one.kind == FAULT_MISSING)
			one.u.what = kinds[rng_below(seed, 2)];
		if (draw(seed, percent))
			fault_put(s, &one);
	}
	for (unsigned n = (unsigned)rng_below(seed, 4); n; n--) /* without a place, several alike */
		fault_put(s, &(struct fault){.kind = FAULT_MISSING,
					     .u.what = kinds[1],
					     .at_from.id = NO_ID,
					     .at_to.id = NO_ID});
	if (draw(seed, percent))
		fault_put(s, &(struct fault){.kind = FAULT_DROPPED,
					     .u.routes = 1 + rng_below(seed, 3),
					     .at_from.id = NO_ID,
					     .at_to.id = NO_ID});
	assert_int_equal(faults_sort(s), 0);
}

/* All that tells one, in words; the same for equal faults alone. */
static char *identity(const struct fault *f)
{
	return str_printf("%u %" PRIx64 "+%u %" PRIx64 "[%u] VL %u %s", f->kind, f->to, f->offset, f->from,
			  f->port, f->vl, f->kind == FAULT_MISSING ? f->u.what : "");
}

static char **identities(const struct faults *s)
{
	char **id = NEW_ARRAY(s->n + 1, char *);

	for (size_t i = 0; i < s->n; i++)
		id[i] = identity(&s->f[i]);
	return id;
}

static void free_identities(char **id)
{
	for (char **p = id; *p; p++)
		free(*p);
	free(id);
}

/* Faults of a that b has fewer of, counted in the plainest way. */
static size_t plain_minus(const struct faults *a, const struct faults *b)
{
	char **mine = identities(a), **other = identities(b);
	AUTO_FREE bool *taken = NEW_ARRAY(b->n, bool);
	size_t n = 0, k;

	for (size_t i = 0; i < a->n; i++) {
		for (k = 0; k < b->n && (taken[k] || strcmp(mine[i], other[k]) != 0); k++)
			;
		if (k < b->n)
			taken[k] = true;
		n += k == b->n || (a->f[i].kind == FAULT_DROPPED && a->f[i].u.routes > b->f[k].u.routes);
	}
	free_identities(mine);
	free_identities(other);
	return n;
}

static void both_ways(const struct faults *a, const struct faults *b)
{
	AUTO_FAULTS struct faults fresh, gone;

	assert_int_equal(faults_minus(a, b, &fresh), plain_minus(a, b));
	assert_int_equal(faults_minus(b, a, &gone), plain_minus(b, a));
}

static void one_round(const struct sweep *w, uint64_t *seed)
{
	AUTO_FAULTS struct faults now, was, read;
	struct err e = {0};

	random_faults(&now, w, seed, 1 + (unsigned)rng_below(seed, 60));
	random_faults(&was, w, seed, 1 + (unsigned)rng_below(seed, 60));
	AUTO_TEMP char *path = write_check(&was);
	if (faults_read(&read, path, NULL, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(read.n, was.n);
	assert_int_equal(plain_minus(&read, &was) + plain_minus(&was, &read), 0);
	both_ways(&now, &was);
	both_ways(&now, &read);
	json_auto_t *first = faults_json(&was);
	json_auto_t *again = faults_json(&read);
	assert_true(json_equal(first, again));
}

static void test_there_and_back(void **state)
{
	static const char *const specs[] = {"xgft:3,3:1,2", "torus:3x3,hosts=2", "random:9,4,seed=3"};
	uint64_t seed = test_seed();

	for (size_t i = 0; i < ARRAY_LEN(specs); i++) {
		AUTO_SESSION struct session *s =
			make_session(line_of("synth %s; set lmc %zu; route minhop", specs[i], i));

		for (unsigned r = 0; r < ROUNDS / ARRAY_LEN(specs); r++)
			one_round(session_sweep(s), &seed);
	}
}

/* Ways from the same switches are told together: a part that is apart is one fault. */
static void test_groups(void **state)
{
	AUTO_SESSION struct session *s = make_session("synth xgft:3,3:1,2; route minhop");
	AUTO_FAULTS struct faults f;
	struct err e;

	faults_begin(&f, s->fabric, session_lids(s), &e);
	for (unsigned lid = 2; lid <= 6; lid += 2)
		for (uint32_t sw = 0; sw < 3; sw++)
			faults_add_path(&f, sw, lid, false);
	faults_add_path(&f, 0, 8, false);
	assert_int_equal(faults_sort(&f), 0);
	json_auto_t *list = faults_json(&f);
	assert_int_equal(json_array_size(list), 2);
	for (size_t i = 0; i < 2; i++) {
		json_t *o = json_array_get(list, i);
		size_t from = json_array_size(json_object_get(o, "from")),
		       to = json_array_size(json_object_get(o, "to"));

		assert_true((from == 3 && to == 3) || (from == 1 && to == 1));
		assert_int_equal(json_integer_value(json_object_get(o, "count")), from * to);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_there_and_back),
		cmocka_unit_test(test_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
