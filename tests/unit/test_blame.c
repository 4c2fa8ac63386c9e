/* Counters as tools wrote them, differences of two readings, and links that explain bad pairs. */
#include "fixture.h"

#include "core/analysis/blame/blame.h"
#include "core/analysis/traffic/loads.h"
#include "core/base/rng.h"
#include "core/formats/pair_results.h"
#include "core/session/out.h"

#define SELENE "load tests/fabrics/real/selene-compute.ibnetdiscover.xz"
#define LEAF 0x2c90300a00000 /* of synth: leaf-01 */

#define AUTO_READING AUTO_BY(counters_free)
#define AUTO_TRIED AUTO_BY(tried_free)

static struct session *routed(const char *load)
{
	return make_session(line_of("%s; route updn", load));
}

static struct counter_reading reading(const char *text)
{
	struct counter_reading r = {0};
	struct err e = {0};

	if (counters_parse(&(struct input){"test", text, strlen(text), NULL}, &r, &e))
		fail_msg("%s", e.msg);
	return r;
}

/* --- readers -------------------------------------------------------------------------------------------- */

static void perfquery(void **state)
{
	AUTO_READING struct counter_reading r =
		reading("# Port counters: Lid 4 port 1 (CapMask: 0x5A00)\n"
			"PortSelect:......................1\n"
			"SymbolErrorCounter:..............65535\n"
			"# Port extended counters: Lid 4 port 2 (CapMask: 0x5300 CapMask2: 0x2)\n"
			"PortSelect:......................2\n"
			"PortXmitData:....................8589934592\n"
			"SymbolErrorCounter:..............3\n"
			"# Port extended counters: Lid 4 port 3 (CapMask: 0x5A00 CapMask2: 0x0)\n"
			"PortSelect:......................3\n"
			"PortXmitData:....................7\n"
			"SymbolErrorCounter:..............0\n"
			"# PortRcvErrorDetails counters: Lid 4 port 3\n"
			"PortSelect:......................3\n"
			"PortXmitData:....................9\n"
			"# Port counters: Lid 4 port 255\nPortSelect:....255\nPortRcvErrors:...1\n");
	const uint32_t symbol = 1u << COUNT_SYMBOL, sent = 1u << COUNT_TRANSMIT_DATA;

	assert_int_equal(r.n, 3);
	assert_int_equal(r.sums, 1);
	assert_int_equal(r.port[0].told, symbol);
	assert_int_equal(r.port[0].wide, 0);
	assert_int_equal(r.port[1].wide, symbol | sent);
	assert_int_equal(r.port[1].value[COUNT_TRANSMIT_DATA], 8589934592);
	assert_int_equal(r.port[2].told, sent); /* without counters of errors of 64 bits perfquery writes 0 */
	assert_int_equal(r.port[2].value[COUNT_TRANSMIT_DATA], 7);
}

/* What is written of a live reading is the same when it is read. */
static void written(void **state)
{
	AUTO_READING struct counter_reading r = {.when = str_dup("2026-01-02T03:04:05Z")};
	AUTO_TEXT struct text t = {0};
	FILE *f = text_stream(&t);

	for (unsigned k = 0; k < N_COUNTERS; k++) {
		struct counted_port *c = counters_add(&r);

		c->lid = (uint16_t)(k + 1);
		c->port = (uint8_t)(3 * k);
		for (unsigned i = 0; i <= k; i++)
			counters_set(c, i, i % 3 ? counter_tops[i] : 5u + k, (i + k) % 2);
	}
	counters_write(&r, f);
	fclose(f);
	AUTO_READING struct counter_reading back = reading(text_str(&t));
	assert_int_equal(back.n, r.n);
	assert_int_equal(back.unread, 0);
	assert_string_equal(back.when, r.when);
	for (size_t i = 0; i < r.n; i++)
		assert_memory_equal(&back.port[i], &r.port[i], sizeof(*r.port));
}

static void queryerrors(void **state)
{
	AUTO_READING struct counter_reading r = reading(
		"Errors for \"db01 S 10.1.1.1,10.1.1.2 HCA-1\"\n"
		"   GUID 0x10e0000192ab51 port ALL: [VL15Dropped == 9]\n"
		"   GUID 0x10e0000192ab51 port 1: [LinkDownedCounter == 8] [PortXmitData == "
		"19892634015130 (  infPB)] [PortXmitPkts == 54122042328 (50.405G)] [PortRcvErrors == -1]\n"
		"#warn: counter RcvSwRelayErrors = 225   (threshold 100) lid 193 port 14\n"
		"#warn: counter LinkDowned = 23  (threshold 10) lid 193 port 14\n");

	assert_int_equal(r.n, 2);
	assert_int_equal(r.sums, 1);
	assert_int_equal(r.port[0].guid, 0x10e0000192ab51);
	assert_int_equal(r.port[0].value[COUNT_DOWNED], 8);
	assert_int_equal(r.port[0].value[COUNT_TRANSMIT_DATA], 19892634015130);
	assert_int_equal(r.port[0].value[COUNT_TRANSMIT_PACKETS], 54122042328);
	assert_false(r.port[0].told >> COUNT_RECEIVE & 1);
	assert_true(r.port[0].sparse);
	assert_int_equal(r.port[1].lid, 193);
	assert_int_equal(r.port[1].port, 14);
	assert_int_equal(r.port[1].value[COUNT_RELAY], 225);
	assert_int_equal(r.port[1].value[COUNT_DOWNED], 23);
}

static void ibdiagnet(void **state)
{
	AUTO_READING struct counter_reading r = reading(
		"START_RUN_INFO\nArgs,Date\n\"\",\"2026-03-31 23:43:18\"\nEND_RUN_INFO\n"
		"START_PM_INFO\nNodeGUID,PortGUID,PortNumber,LinkDownedCounter,PortXmitData,"
		"PortXmitDataExtended,"
		"SymbolErrorCounterExt\n0x5,0x5,1,2,4294967295,299195507523,-1\nEND_PM_INFO\n"
		"START_CABLE_INFO\nNodeGuid,PortGuid,PortNum,Vendor,PN,SN,Temperature\n"
		"0x5,0x5,1,\"Fine, Cables\",P,S,58C\nEND_CABLE_INFO\n"
		"Port=2 Lid=0x1 GUID=0x5 Port Name=a/U1/P2\nTemperature: 81C\nAlarmTemperatureHighThresh: "
		"80C\n"
		"WarnTemperatureHighThresh: N/A\n"
		"Port=3 Lid=0x1 GUID=0x5 Port Name=a/U1/P3\nTemperature: 0C\nAlarmTemperatureHighThresh: 0C\n"
		"Ty : #IB : GUID : Raw BER : Effective BER : Symbol BER : Node Desc\n"
		"SW : 4 : 0x5 : 1E-8 : 2E-10 :  : \"a: b\"\nSW : 5 : 0x5 :  :  :  : \"a: b\"\n");

	assert_int_equal(r.n, 5);
	assert_string_equal(r.when, "2026-03-31 23:43:18");
	assert_int_equal(r.port[0].told, 1u << COUNT_DOWNED | 1u << COUNT_TRANSMIT_DATA);
	assert_int_equal(r.port[0].value[COUNT_TRANSMIT_DATA], 299195507523);
	assert_string_equal(cable_text(r.port[1].cable, (char[CABLE_TEXT]){0}), "Fine, Cables P S");
	assert_string_equal(r.port[1].cable->serial, "S");
	assert_true(r.port[1].temperature == 58);
	assert_true(r.port[2].temperature == 81 && r.port[2].most == 80);
	assert_true(r.port[3].most == TEMPERATURE_NONE);
	assert_true(r.port[4].ber[BER_RAW] == 1e-8 && r.port[4].ber[BER_EFFECTIVE] == 2e-10 &&
		    r.port[4].ber[BER_SYMBOL] < 0);
}

/* A real adapter's counter of 64 bits below zero beside its short one at the top; real files without BERs,
 * and without a bandwidth. */
static void no_values(void **state)
{
	AUTO_READING struct counter_reading r =
		reading("Port=1 Lid=0x1 GUID=0x5 Port Name=a/P1\nport_rcv_errors=0x0000ffff\n"
			"port_rcv_errors_extended=0xffffffffffffffd8\n"
			"port_xmit_data_extended=0x7fffffffffffffff\n");
	const char *const unfinished =
		"JOB=1\n# nThread 1 nGpus 1\n#  Rank  0 Group  0 Pid 1 on a device 0\n";
	const char *const empty =
		"Ty : #IB : GUID : Raw BER : Effective BER : Symbol BER\nSW : 5 : 0x5 :  :  :  \n";
	AUTO_READING struct counter_reading none = {0};
	struct pair_results p;
	struct err e = {0};

	assert_int_equal(r.n, 1);
	assert_int_equal(r.port[0].told, 1u << COUNT_RECEIVE | 1u << COUNT_TRANSMIT_DATA);
	assert_int_equal(r.port[0].wide, 1u << COUNT_TRANSMIT_DATA);
	assert_int_equal(r.port[0].value[COUNT_RECEIVE], 65535);
	assert_int_equal(counters_parse(&(struct input){"test", empty, strlen(empty), NULL}, &none, &e), -1);
	assert_string_equal(e.msg, "test: none of its 1 rows of ports holds a value");
	assert_int_equal(
		pair_results_parse(&(struct input){"run", unfinished, strlen(unfinished), NULL}, &p, &e), -1);
	assert_string_equal(e.msg, "run: found no pair of hosts (nccl-tests)");
	pair_results_free(&p);
}

/* --- differences --------------------------------------------------------------------------------------- */

/* What leaf-01[4] counted between two texts, of which each has its counters. */
static struct measured_port between(struct session *s, const char *before, const char *now)
{
	AUTO_READING struct counter_reading was =
		reading(line_of("   GUID 0x2c90300a00000 port 4: %s\n", before));
	AUTO_READING struct counter_reading is =
		reading(line_of("   GUID 0x2c90300a00000 port 4: %s\n", now));
	struct measured *m = measured_new(s->fabric, session_lids(s), &is, &was);
	uint32_t port = s->fabric->node_port[fabric_node_by_guid(s->fabric, LEAF)] + 4;
	struct measured_port x = *measured_of(m, port);

	measured_free(m);
	return x;
}

static void differences(void **state)
{
	AUTO_SESSION struct session *s = routed("synth xgft:3,3:1,2");
	struct measured_port x = between(s, "[SymbolErrorCounter == 5] [PortXmitData == 4294967290]",
					 "[SymbolErrorCounter == 12] [PortXmitData == 10]");
	AUTO_TEXT struct text t = {0};

	/* data of 32 bits go round; errors do not */
	assert_int_equal(x.grown[COUNT_SYMBOL], 7);
	assert_int_equal(x.grown[COUNT_TRANSMIT_DATA], 16);
	assert_int_equal(x.wrapped, 1u << COUNT_TRANSMIT_DATA);
	assert_false(x.reset);
	assert_int_equal(x.faults, 1u << FAULT_ERRORS);
	x = between(s, "[SymbolErrorCounter == 5] [PortXmitData == 4294967290]",
		    "[SymbolErrorCounter == 3] [PortXmitData == 10]");
	assert_true(x.reset);
	assert_int_equal(x.grown[COUNT_SYMBOL], 3);
	assert_int_equal(x.grown[COUNT_TRANSMIT_DATA], 10);
	/* 64 bits never go round */
	x = between(s, "[PortXmitData == 42949672900]", "[PortXmitData == 10]");
	assert_true(x.reset);
	/* at the top it may have been more, and what was there before is not new */
	x = between(s, "[SymbolErrorCounter == 65000] [LinkDownedCounter == 255]",
		    "[SymbolErrorCounter == 65535] [LinkDownedCounter == 255]");
	assert_int_equal(x.top, 1u << COUNT_SYMBOL | 1u << COUNT_DOWNED);
	assert_int_equal(x.grown[COUNT_SYMBOL], 535);
	assert_int_equal(x.grown[COUNT_DOWNED], 0);
	measured_tell(&x, x.faults, &t);
	assert_string_equal(text_str(&t), "symbol_errors >= 535");
	/* errors that ibqueryerrors does not name are 0 */
	x = between(s, "[PortXmitWait == 3]", "[LinkDownedCounter == 1] [PortXmitWait == 3]");
	assert_int_equal(x.grown[COUNT_DOWNED], 1);
	assert_int_equal(x.faults, 1u << FAULT_FLAPPED);
	x = between(s, "[PortXmitData == 0] [PortXmitWait == 0]",
		    "[PortXmitData == 5000000] [PortXmitWait == 2000000]");
	assert_int_equal(x.faults, 1u << FAULT_CONGESTED);
}

/* --- results of benchmarks ---------------------------------------------------------------------------- */

static void results(void **state)
{
	static const struct {
		const char *text, *format;
		size_t n;
		bool less;
		double first;
	} file[] = {
		{"to,a,b,c\na,,2,3\nb,4,,x\nc,5,6,\n", "matrix", 5, false, 2},
		{"a b c\na 0 2 3\nb 4 0 7\nc 5 6 0\n", "matrix", 6, false, 2},
		{"src,dst,latency_us\n\"a x\",b,7.5\nb,a,2\n", "rows", 2, true, 7.5},
		{"# bad\na b\nb c fail\nc a ok\n", "rows", 3, false, 0},
		{"a,b,7\na,c,fail\nc,a,ok\n", "rows", 3, false, 7},
		{"a,b,7\nb,c,fail\n", "rows", 2, false, 7},
		{"var hostlist = \n[ \"a\", \"b\", ]\n;\nvar bandwidth = \n[ [ 0.000, 9.5, ], [ 8.0, 0.0, ], "
		 "]\n;\n",
		 "hp2p", 2, false, 9.5},
		{"# nThread 1\n#  Rank  0 Group  0 Pid 1 on a device 0\n#  Rank  1 Group  0 Pid 2 on a "
		 "device 1\n"
		 "#  Rank  2 Group  0 Pid 3 on b device 0\n# Avg bus bandwidth    : 38.5 \n",
		 "nccl-tests", 2, false, 38.5},
	};
	static const char *const wrong[] = {"a\n", "", "a b c\na 0 2 3\nb 4 0\n", "a b 1\na b later\n",
					    "var hostlist = [\"a\", \"b\"];\nvar bandwidth = [[0, 1]\n"};
	struct pair_results p;
	struct err e;

	for (size_t i = 0; i < ARRAY_LEN(file); i++) {
		if (pair_results_parse(&(struct input){"test", file[i].text, strlen(file[i].text), NULL}, &p,
				       &e))
			fail_msg("%s: %s", file[i].text, e.msg);
		assert_string_equal(p.format, file[i].format);
		assert_int_equal(p.n, file[i].n);
		assert_int_equal(p.less, file[i].less);
		assert_true(p.pair[0].value == file[i].first);
		pair_results_free(&p);
	}
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		assert_int_equal(
			pair_results_parse(&(struct input){"test", wrong[i], strlen(wrong[i]), NULL}, &p, &e),
			-1);
		assert_memory_equal(e.msg, "test", 4);
		pair_results_free(&p);
	}
}

/* --- draws ---------------------------------------------------------------------------------------------- */

#define PARTNERS 8 /* each host sends to so many others */
#define NOISE 5	   /* of 100 pairs: told as the contrary */
#define BAD_MOST 3
#define FIRST 5

/* The cables that a way crosses, each as its lower port, by following the tables entry by entry. */
static unsigned cables_of(const struct routing *r, uint32_t src, uint32_t dst, uint32_t *cable)
{
	const struct fabric *f = r->topo->fabric;
	uint32_t port = f->endport_port[src];
	unsigned n = 0;

	while (n < 64) {
		uint32_t peer = f->port_peer[port], sw = f->node_switch[f->port_node[peer]];

		cable[n++] = port < peer ? port : peer;
		if (sw == NO_ID)
			return peer == f->endport_port[dst] ? n : 0;
		port = switch_port_id(f, sw, routing_port(r, sw, r->lids->base[dst]));
	}
	return 0;
}

static bool among_first(const struct fabric *f, const struct blame *b, uint32_t cable)
{
	for (size_t i = 0; i < b->n && i < FIRST; i++)
		for (uint32_t k = 0; k < b->place[i].n; k++)
			if (b->place[i].port[k] == cable || f->port_peer[b->place[i].port[k]] == cable)
				return true;
	return false;
}

/* One draw: 1 if all bad cables are among the first places. */
static unsigned draw(const struct routing *r, uint64_t *seed)
{
	const struct fabric *f = r->topo->fabric;
	uint32_t n, bad[BAD_MOST], n_bad = 1 + rng_below(seed, BAD_MOST);
	AUTO_FREE uint32_t *host = pattern_hosts(r, &n);
	AUTO_TRIED struct tried t = {.bad = NEW_ARRAY((size_t)n * PARTNERS, bool)};
	uint32_t cable[64], crossed = 0;
	struct err e;
	unsigned all = 1;

	for (uint32_t i = 0; i < n_bad; i++) {
		/* a cable of a drawn way: each is crossed by some pair */
		unsigned k = cables_of(r, host[rng_below(seed, n)], host[rng_below(seed, n)], cable);

		bad[i] = k ? cable[rng_below(seed, k)] : bad[i ? i - 1 : 0];
		i -= !k;
	}
	for (uint32_t i = 0; i < n; i++)
		for (unsigned k = 0; k < PARTNERS; k++) {
			uint32_t to = host[(i + 1 + rng_below(seed, n - 1)) % n];
			unsigned links = cables_of(r, host[i], to, cable);

			assert_true(links > 0);
			crossed += links;
			for (unsigned c = 0; c < links; c++)
				for (uint32_t x = 0; x < n_bad; x++)
					t.bad[t.n_pairs] = t.bad[t.n_pairs] || cable[c] == bad[x];
			if (rng_below(seed, 100) < NOISE)
				t.bad[t.n_pairs] = !t.bad[t.n_pairs];
			tried_add(&t, t.n_pairs++, host[i], to);
		}
	struct blame *b = blame_new(r, &t, NULL, NULL, &e);
	assert_non_null(b);
	assert_int_equal(b->no_path, 0);
	/* each crossing is looked at four times, and each link once a place (and its other direction) */
	assert_true(b->work <= 4ull * crossed + (uint64_t)(2 * BLAMED_MOST + 1) * b->links);
	for (uint32_t x = 0; x < n_bad; x++)
		all &= among_first(f, b, bad[x]);
	blame_free(b);
	return all;
}

/* BLAMED= draws; the night has 200. */
static void bad_links_are_found(void **state)
{
	AUTO_SESSION struct session *s = routed(SELENE);
	uint64_t seed = test_seed();
	const char *draws = getenv("BLAMED");
	unsigned n = draws ? (unsigned)strtoul(draws, NULL, 10) : 5, found = 0;

	for (unsigned i = 0; i < n; i++)
		found += draw(session_routing(s), &seed);
	print_message("%u of %u draws\n", found, n);
	/* 95 of 100; of few draws two may fail: one of 50 does */
	assert_true(found + (n < 20 ? 2 : n / 20) >= n);
}

/* Two cables in a row without a branch: named together. */
static void same_pairs(void **state)
{
	AUTO_SESSION struct session *s = routed("synth ring:4");
	const struct routing *r = session_routing(s);
	uint32_t n;
	AUTO_FREE uint32_t *host = pattern_hosts(r, &n);
	AUTO_TRIED struct tried t = {.bad = NEW_ARRAY(n, bool)};
	struct err e;

	/* one pair alone: all its links are one place */
	tried_add(&t, 0, host[0], host[n - 1]);
	t.n_pairs = 1;
	t.bad[0] = true;
	t.only_bad = true;
	struct blame *b = blame_new(r, &t, NULL, NULL, &e);
	assert_non_null(b);
	assert_int_equal(b->n, 1);
	assert_int_equal(b->place[0].n, b->links);
	assert_int_equal(b->unexplained + b->place[0].explained, b->place[0].likely ? 1 : 2);
	blame_free(b);
}

/* All pairs over one cable are bad, whichever way they cross it: it is one place, which explains them all. */
static void both_directions(void **state)
{
	AUTO_SESSION struct session *s = routed("synth xgft:4,4:1,2");
	const struct routing *r = session_routing(s);
	const struct fabric *f = r->topo->fabric;
	uint32_t n, cable[64], bad = f->link_port[2 * (f->n_links - 1)];
	AUTO_FREE uint32_t *host = pattern_hosts(r, &n);

	for (unsigned only_bad = 0; only_bad < 2; only_bad++) {
		AUTO_TRIED struct tried t = {.bad = NEW_ARRAY((size_t)n * n, bool), .only_bad = only_bad};
		struct err e;

		for (uint32_t i = 0; i < n; i++)
			for (uint32_t k = 0; k < n; k++) {
				unsigned links = i == k ? 0 : cables_of(r, host[i], host[k], cable);
				bool crosses = false;

				for (unsigned c = 0; c < links; c++)
					crosses |= cable[c] == bad;
				if (i == k || (only_bad && !crosses))
					continue;
				t.bad[t.n_pairs] = crosses;
				tried_add(&t, t.n_pairs++, host[i], host[k]);
			}
		struct blame *b = blame_new(r, &t, NULL, NULL, &e);
		assert_non_null(b);
		assert_true(b->bad > 10);
		assert_int_equal(b->n, 1);
		assert_true(b->place[0].back != NO_ID && b->place[0].likely);
		assert_int_equal(b->place[0].explained, b->bad);
		assert_int_equal(b->unexplained, 0);
		blame_free(b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(perfquery),   cmocka_unit_test(written),
		cmocka_unit_test(queryerrors), cmocka_unit_test(ibdiagnet),
		cmocka_unit_test(no_values),   cmocka_unit_test(differences),
		cmocka_unit_test(results),     cmocka_unit_test(bad_links_are_found),
		cmocka_unit_test(same_pairs),  cmocka_unit_test(both_directions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
