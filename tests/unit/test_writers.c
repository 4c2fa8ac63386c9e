/* Writers of fabrics, against OpenSM's own files. */
#include "tests/unit/formats.h"

struct tables {
	struct fabric *f;
	struct state *st;
	struct topo *t;
	struct lids *l;
	struct routing *r;
};

static const struct routing_ops no_ops;

/* LIDs as an opensm-lfts.dump names them. */
static struct lids *lids_of_dump(const struct fabric *f, const char *dump)
{
	struct lids *l = NEW(struct lids);
	const char *p = dump;
	unsigned top;

	assert_int_equal(sscanf(dump, "Unicast lids [0-%u]", &top), 1);
	*l = (struct lids){.refs = 1, .lmc = 1, .max_lid = top, .n_endports = f->n_endports};
	l->base = NEW_ARRAY(f->n_endports, uint16_t);
	l->count = NEW_ARRAY(f->n_endports, uint16_t);
	l->owner = NEW_ARRAY(top + 1, uint32_t);
	memset(l->owner, 0xff, (top + 1) * sizeof(*l->owner));
	for (; (p = strstr(p, "\n0x")) != NULL; p++) {
		unsigned lid, out;
		unsigned long guid;
		char type[32];
		uint32_t ep;

		if (sscanf(p, " 0x%x %u # %31[^0] 0x%lx", &lid, &out, type, &guid) < 3)
			continue;
		const char *g = strstr(p, "portguid "), *eol = strchr(p + 1, '\n');

		if (!g || g > eol || sscanf(g, "portguid 0x%lx", &guid) != 1)
			continue;
		ep = fabric_endport_by_guid(f, guid);
		assert_int_not_equal(ep, NO_ID);
		if (l->owner[lid] == NO_ID)
			l->count[ep]++;
		l->owner[lid] = ep;
		if (!l->base[ep] || lid < l->base[ep])
			l->base[ep] = lid;
	}
	return l;
}

static void fill_rows(struct routing *r, const struct fabric *f, const char *dump)
{
	const char *p = dump;
	struct lft_row *row = NULL;

	while (p && *p) {
		unsigned lid, out;
		unsigned long guid;

		if (sscanf(p, "Unicast lids [0-%*u] of switch Lid %*u guid 0x%lx", &guid) == 1) {
			row = lft_row_new(r->lids->max_lid);
			r->row[f->node_switch[node(f, guid)]] = row;
		} else if (!strncmp(p, "0x", 2) && sscanf(p, "0x%x %u", &lid, &out) == 2) {
			assert_non_null(row);
			row->port[lid] = out;
		}
		p = strchr(p, '\n');
		p = p ? p + 1 : NULL;
	}
}

static struct tables tables(const char *dump, uint64_t down)
{
	struct tables x = {.f = load(FILES "two-leaf.ibnetdiscover")};

	x.st = state_new(x.f);
	if (down)
		x.st->node_down[node(x.f, down)] = 1;
	x.t = topo_new(x.f, x.st);
	x.l = lids_of_dump(x.f, dump);
	x.r = routing_new("test", x.t, x.l);
	x.r->ops = &no_ops;
	fill_rows(x.r, x.f, dump);
	return x;
}

static void tables_free(struct tables *x)
{
	routing_unref(x->r);
	lids_unref(x->l);
	topo_unref(x->t);
	state_free(x->st);
	fabric_unref(x->f);
}

static char *output(int (*write)(FILE *, const struct routing *, struct progress *), const struct routing *r)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_int_equal(write(f, r, NULL), 0);
	fclose(f);
	return text;
}

static void check_lfts(const char *file, uint64_t down)
{
	size_t size;
	char *want = read_all(file, &size), *got;
	struct tables x = tables(want, down);

	got = output(write_lfts, x.r);
	assert_string_equal(got, want);
	free(got);
	free(want);
	tables_free(&x);
}

static void test_write_lfts(void **state)
{
	check_lfts(FILES "two-leaf.lfts", 0);
	check_lfts(FILES "two-leaf-host-lost.lfts", 0x4000); /* with lines `unknown node and type` */
}

static void test_write_fdbs(void **state)
{
	size_t size;
	char *dump = read_all(FILES "two-leaf.lfts", &size), *want = read_all(FILES "two-leaf.fdbs", &size),
	     *got;
	struct tables x = tables(dump, 0);
	struct lft_row *row = x.r->row[x.f->node_switch[node(x.f, 0x2000)]];

	got = output(write_fdbs, x.r);
	assert_string_equal(got, want);
	free(got);
	row->port[3] = 1; /* the long way round to the other leaf */
	row->port[8] = 1;
	row->port[10] = 3; /* into a host */
	row->port[11] = NO_PATH;
	got = output(write_fdbs, x.r);
	assert_non_null(strstr(got, "0x0003 : 001  : 02   : No 1 hop path possible via port 2!\n"));
	assert_non_null(strstr(got, "0x0008 : 001  : 03   : No 2 hop path possible via port 2!\n"));
	assert_non_null(strstr(got, "0x000A : 003  : HOPS UNKNOWN\n"));
	assert_non_null(strstr(got, "0x000B : UNREACHABLE\n"));
	free(got);
	free(want);
	free(dump);
	tables_free(&x);
}

/* Put zeros where ibsim invents a revision. */
static void no_revision(char *s)
{
	while ((s = strstr(s, "Rev:000000A1")) != NULL)
		memcpy(s, "Rev:00000000", 12);
}

static void test_write_subnet(void **state)
{
	size_t size;
	char *dump = read_all(FILES "two-leaf.lfts", &size), *want = read_all(FILES "two-leaf.lst", &size),
	     *got;
	struct tables x = tables(dump, 0);

	no_revision(want);
	got = output(write_subnet, x.r);
	assert_string_equal(got, want);
	free(got);
	free(want);
	free(dump);
	tables_free(&x);
}

static struct sl_range some_sl(const struct routing *r, unsigned slid, unsigned dlid)
{
	return slid == 4 && dlid == 6 ? (struct sl_range){2, 5} : (struct sl_range){3, 3};
}

static char *paths(const struct routing *r)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_int_equal(write_paths(f, r, NULL), 0);
	fclose(f);
	return text;
}

static unsigned count_lines(const char *s)
{
	unsigned n = 0;

	for (; (s = strchr(s, '\n')) != NULL; s++)
		n++;
	return n;
}

static void test_write_paths(void **state)
{
	static const struct routing_ops ops = {.sl = some_sl};
	size_t size;
	char *dump = read_all(FILES "two-leaf.lfts", &size), *got;
	struct tables x = tables(dump, 0);
	struct progress p = {.cancel = true};
	FILE *null = fopen("/dev/null", "w");

	x.r->ops = &ops;
	x.r->row[x.f->node_switch[node(x.f, 0x2000)]]->port[10] = NO_PATH;
	got = paths(x.r);
	/* 4 endports of 2 LIDs: 8 sources, 7 destinations each */
	assert_int_equal(count_lines(got), 56);
	assert_int_equal(
		strncmp(got, "4 5 3 0\n4 6 2..5 2\n4 7 3 2\n4 8 3 3\n4 9 3 3\n4 10 - -\n4 11 3 3\n", 59), 0);
	assert_non_null(strstr(got, "\n5 4 3 0\n5 6 3 2\n"));
	assert_non_null(strstr(got, "\n8 10 3 2\n"));
	assert_non_null(strstr(got, "\n11 9 3 2\n"));
	assert_non_null(strstr(got, "\n8 9 3 0\n")); /* two LIDs of one port */
	assert_null(strstr(got, "\n1 "));	     /* a switch */
	assert_int_equal(write_paths(null, x.r, &p), -1);
	fclose(null);
	free(got);
	free(dump);
	tables_free(&x);
}

/* Only what is up, with the LIDs of a sweep. */
static void test_write_restricted(void **state)
{
	size_t size;
	AUTO_FREE char *dump = read_all(FILES "two-leaf.lfts", &size), *text = NULL;
	struct tables x = tables(dump, 0x3000);
	FILE *f = open_memstream(&text, &size);

	assert_int_equal(write_ibnetdiscover(f, x.f, x.t, x.l, NULL), 0);
	fclose(f);
	AUTO_FABRIC struct fabric *g = parse(text);
	assert_int_equal(g->warnings.n, 0);
	assert_int_equal(g->n_nodes, 4);
	assert_int_equal(fabric_node_by_guid(g, 0x3000), NO_ID);
	assert_int_equal(fabric_node_by_guid(g, 0x6000), NO_ID);
	assert_int_equal(g->n_links, 3);
	assert_int_equal(g->port_lid[port(g, 0x2000, 0)], 2);
	assert_int_equal(g->port_lid[port(g, 0x5000, 1)], 6);
	assert_int_equal(g->port_lmc[port(g, 0x5000, 1)], 1);
	tables_free(&x);
}

/* The subnet manager's node is written first, because that is where readers put it. */
static void test_write_sm_first(void **state)
{
	struct fabric *f =
		parse(LST_END("CA", "00000000000000b1", "00000000000000b2", "a", "0004", "01") " " LST_END(
			"SW", "00000000000000a1", "00000000000000a1", "s", "0003",
			"01") " PHY=4x LOG=ACT SPD=25\n" LST_END("CA-SM", "00000000000000c1",
								 "00000000000000c3", "m", "0005",
								 "02") " " LST_END("SW", "00000000000000a1",
										   "00000000000000a1", "s",
										   "0003",
										   "02") " PHY=4x LOG=ACT "
											 "SPD=25\n");
	AUTO_FABRIC struct fabric *g = written(f);

	assert_int_equal(sm_node(f), 0xc1);
	assert_int_equal(sm_node(g), 0xc1);
	linked(g, 0xc1, 2, 0xa1, 2);
	fabric_unref(f);
}

static void test_write_exact(void **state)
{
	static const char want[] =
		"#\n# Topology file: generated by ibscope\n#\n"
		"# Initiated from node 00000000000000a1 port 00000000000000a1\n\n" SW_HEAD SW_LINE SW_PORT
		"\n" CA_RECORD;
	AUTO_FABRIC struct fabric *f = parse(SW_HEAD SW_LINE SW_PORT "\n" CA_RECORD);
	AUTO_FREE char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(write_ibnetdiscover(out, f, NULL, NULL, NULL), 0);
	fclose(out);
	assert_string_equal(text, want);
}

/* A full disk is told. */
static void test_write_fails(void **state)
{
	AUTO_FABRIC struct fabric *f = load(FILES "stage-qdr-fdr10.ibnetdiscover");
	FILE *full = fopen("/dev/full", "w");

	assert_non_null(full);
	assert_int_equal(write_ibnetdiscover(full, f, NULL, NULL, NULL), -1);
	fclose(full);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_write_lfts),	 cmocka_unit_test(test_write_fdbs),
		cmocka_unit_test(test_write_subnet),	 cmocka_unit_test(test_write_paths),
		cmocka_unit_test(test_write_restricted), cmocka_unit_test(test_write_sm_first),
		cmocka_unit_test(test_write_exact),	 cmocka_unit_test(test_write_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
