/* verify: what ibsim is given, and how OpenSM's dump is compared (tests/verify/run.py runs the real one). */
#include "fixture.h"

#include "core/analysis/compare/verify.h"
#include "core/formats/readers.h"

/* Our own dump, with all `from` replaced by `to` (of one length). */
static void make_dump(const struct session *s, struct text *t, const char *from, const char *to)
{
	FILE *f = text_stream(t);

	assert_int_equal(write_lfts(f, session_routing(s), NULL), 0);
	fclose(f);
	if (from) {
		char *at = strstr(t->s, from);

		assert_non_null(at);
		memcpy(at, to, strlen(to));
	}
}

static void compare(const struct session *s, const struct text *t, struct verification *v)
{
	struct err e;

	*v = (struct verification){.sweep = session_sweep(s), .engine = str_dup("minhop")};
	assert_int_equal(verify_tables(v, t->s, t->len, NULL, &e), 0);
}

static void test_same(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth xgft:2,2:1,2; route minhop");
	struct verification v;
	AUTO_TEXT struct text t = {0};

	make_dump(s, &t, NULL, NULL);
	compare(s, &t, &v);
	/* 4 switches, 4 hosts: LIDs 1 to 8 on each of the switches */
	assert_int_equal(v.entries, 32);
	assert_int_equal(v.differ, 0);
	assert_int_equal(v.lids, 8);
	assert_int_equal(v.no_table, 0);
	assert_true(verify_same(&v));
	free(v.engine);
	v.engine = str_dup("updn");
	assert_false(verify_same(&v));
	free(v.engine);
}

static void test_one_entry(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth xgft:2,2:1,2; route minhop");
	unsigned lid = 1, port;
	struct verification v;
	AUTO_TEXT struct text t = {0};
	char from[40], to[40];

	/* the first table of the dump is that of the first switch */
	port = routing_port(session_routing(s), 0, lid);
	snprintf(from, sizeof(from), "\n0x%04X %03u ", lid, port);
	snprintf(to, sizeof(to), "\n0x%04X %03u ", lid, port + 1);
	make_dump(s, &t, from, to);
	compare(s, &t, &v);
	assert_int_equal(v.differ, 1);
	assert_int_equal(v.entry[0].lid, 1);
	assert_int_equal(v.entry[0].opensm, v.entry[0].port + 1);
	assert_int_equal(v.entry[0].port, port);
	assert_false(verify_same(&v));
	free(v.engine);
}

/* A switch that has no table differs in all its entries; a LID of another port is told. */
static void test_missing(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth xgft:2,2:1,2; route minhop");
	struct verification v;
	AUTO_TEXT struct text t = {0}, cut = {0};

	make_dump(s, &t, NULL, NULL);
	char *second = strstr(t.s + 1, "Unicast");
	text_add(&cut, "%s", second);
	compare(s, &cut, &v);
	assert_int_equal(v.no_table, 1);
	assert_int_equal(v.differ, 8);
	assert_int_equal(v.entries, 32);
	free(v.engine);
}

static void refused(const char *lines, const char *chain, const char *why)
{
	AUTO_SESSION struct session *s = session_after("%s", lines);
	struct err e = {0};
	struct verification *v = verify_run(s->setup, chain, s->engines, NULL, &e);

	assert_null(v);
	if (!strstr(e.msg, why))
		fail_msg("found \"%s\", expected \"%s\"", e.msg, why);
}

/* This program cannot start itself again, so nothing is run whatever there is. */
static void test_refused(void **state)
{
	refused("synth ring:5", "live", "OpenSM has no engine");
	refused("synth ring:5", "minhop,mincontention", "OpenSM has no engine");
	refused("synth ring:5", "minhop", "not made for starting others");
}

/* What is written for ibsim is the fabric again: cables, LIDs, GUIDs; failed nodes and names are left out. */
static void test_simulated(void **state)
{
	AUTO_SESSION struct session *s = session_after("load tests/fabrics/formats/two-leaf.ibnetdiscover");
	const struct fabric *f = s->fabric;
	AUTO_TOPO struct topo *t = topo_new(f, session_state(s));
	AUTO_TEXT struct text out = {0};
	FILE *to = text_stream(&out);
	struct fabric *g;
	struct err e;

	assert_int_equal(write_simulated(to, t, NULL), 0);
	fclose(to);
	assert_int_equal(fabric_parse("net", out.s, out.len, &g, &e), 0);
	assert_int_equal(g->n_nodes, f->n_nodes);
	assert_int_equal(g->n_links, t->n_links_up);
	for (uint32_t n = 0; n < f->n_nodes; n++) {
		assert_int_equal(g->node_guid[n], f->node_guid[n]);
		assert_null(strstr(out.s, f->node_desc[n]));
		for (unsigned p = 0; p <= f->node_nports[n]; p++) {
			uint32_t a = f->port_peer[f->node_port[n] + p], b = g->port_peer[g->node_port[n] + p];

			if (a == NO_ID) {
				assert_int_equal(b, NO_ID);
				continue;
			}
			assert_int_equal(f->node_guid[f->port_node[a]], g->node_guid[g->port_node[b]]);
			assert_int_equal(f->port_num[a], g->port_num[b]);
			assert_int_equal(f->port_lid[f->node_port[n] + p], g->port_lid[g->node_port[n] + p]);
		}
	}
	fabric_unref(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same),	  cmocka_unit_test(test_one_entry),
		cmocka_unit_test(test_missing),	  cmocka_unit_test(test_refused),
		cmocka_unit_test(test_simulated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
