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
		{" RDMA_Write BW Test\n local address: LID 0x05 QPN 1\n remote address: LID 0x0a QPN 2\n"
		 " #bytes #iterations BW peak[MB/sec] BW average[MB/sec] MsgRate[Mpps]\n"
		 " 2 1000 3.0 2.9 0.1\n 65536 1000 95.5 94.5 0.1\n",
		 "perftest", 1, false, 94.5},
		{" RDMA_Write Bidirectional BW Test\n local address: LID 0x05 QPN 1\n"
		 " remote address: LID 0x0a QPN 2\n 65536 1000 95.5 190 0.1\n",
		 "perftest", 2, false, 190},
		{"a b\n\n# OSU MPI Bandwidth Test v7.0\n# Datatype: MPI_CHAR.\n# Size Bandwidth (MB/s)\n1 "
		 "2.5\n"
		 "4194304 9000.5\n+ mpirun -np 2 -H c,d osu_bw\n# OSU MPI Bandwidth Test v7.0\n1 3\n",
		 "osu", 4, false, 9000.5},
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

/* The cables that a way crosses, each as its lower port, by following the tables entry by entry.  The switch
 * behind cable[i] is of node port_node[its other port]. */
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
		for (uint32_t k = 0; k < b->place[i].n; k++) {
			const struct suspect *x = &b->place[i].same[k];

			if ((x->kind == BLAME_LINK || x->kind == BLAME_CABLE) &&
			    (x->id == cable || f->port_peer[x->id] == cable))
				return true;
		}
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
	/* each crossing is looked at four times, and each suspect once a place.  A way crosses each link as a
	 * direction, as a cable and with a switch or host; there are at most four suspects a link. */
	assert_true(b->work <= 3 * 4ull * crossed + 4ull * (BLAMED_MOST + 1) * b->links);
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
	assert_int_equal(b->place[0].n, 2 * b->links + 1); /* a switch between two links, and two hosts */
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
		assert_true(b->place[0].same[0].kind == BLAME_CABLE && b->place[0].likely);
		assert_int_equal(b->place[0].explained, b->bad);
		assert_int_equal(b->unexplained, 0);
		blame_free(b);
	}
}

/* Does a way cross a suspect?  By its cables and ends alone. */
static bool way_meets(const struct fabric *f, const uint32_t *cable, unsigned n, const struct suspect *x)
{
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < 2; k++) {
			uint32_t port = k ? f->port_peer[cable[i]] : cable[i], node = f->port_node[port];
			bool cabled = x->kind == BLAME_CABLE && cable[i] == x->id;
			/* hosts of this fabric are called "n01 m1", "n01 m2": two adapters, one on each rail
			 */
			bool its = !node_is_switch(f, node) && x->kind == BLAME_HOST &&
				   !strncmp(f->node_name[node], f->node_name[x->id], 3);
			bool rail = !node_is_switch(f, node) && x->kind == BLAME_RAIL &&
				    !strcmp(strchr(f->node_name[node], ' '),
					    strchr(f->node_name[f->port_node[x->id]], ' '));

			if (cabled || its || rail ||
			    ((x->kind == BLAME_HCA || x->kind == BLAME_SWITCH) && node == x->id))
				return true;
		}
	return false;
}

/* Two rails, each of two leaves and a spine; hosts with two adapters. */
static const char *rails_fabric(void)
{
	static char text[4000];
	size_t n = 0;

	for (unsigned rail = 1; rail <= 2; rail++) {
		n += (size_t)snprintf(
			text + n, sizeof(text) - n,
			"switch spine%u 36\nswitch spineb%u 36\nswitch leaf%ua 36\nswitch leaf%ub 36\n"
			"spine%u[1] leaf%ua[33]\nspine%u[2] leaf%ub[33]\n"
			"spineb%u[1] leaf%ua[34]\nspineb%u[2] leaf%ub[34]\n",
			rail, rail, rail, rail, rail, rail, rail, rail, rail, rail, rail, rail);
		if (rail == 2)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "spine1[30] spine2[30]\n");
		for (unsigned host = 1; host <= 12; host++)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "host \"n%02u m%u\" leaf%u%c[%u]\n",
					      host, rail, rail, host > 6 ? 'b' : 'a', host);
	}
	return text;
}

/*
 * A culprit of each kind, drawn: without noise it stands in the first place (alone, or among what the same
 * pairs cross), in many rows and in few; with noise it does so in many rows.
 */
static void culprits_of_each_kind(void **state)
{
	static const unsigned kinds[] = {BLAME_HOST, BLAME_HCA, BLAME_CABLE, BLAME_SWITCH, BLAME_RAIL};
	AUTO_TEMP char *path = temp_file(rails_fabric());
	AUTO_SESSION struct session *s = session_after("load %s; route minhop", path);
	uint64_t seed = test_seed();
	unsigned lost = 0, draws = 0;
	struct err e = {0};
	const struct routing *r = session_routing(s);
	const struct fabric *f = r->topo->fabric;
	for (unsigned draw = 0; draw < 60; draw++) {
		const bool few = draw % 3 == 1, noise = draw % 3 == 2, both = rng_below(&seed, 2);
		uint32_t n, cable[64], rows = few ? 6 : 300;
		AUTO_FREE uint32_t *host = pattern_hosts(r, &n);
		AUTO_TRIED struct tried t = {.bad = NEW_ARRAY(rows, bool), .undirected = both};
		struct suspect bad = {.kind = (uint8_t)kinds[draw / 3 % ARRAY_LEN(kinds)]};
		unsigned links, any = 0;
		uint32_t src = host[rng_below(&seed, n)], dst = host[rng_below(&seed, n)];

		if (!(links = cables_of(r, src, dst, cable)) || src == dst)
			continue;
		bad.id = bad.kind == BLAME_CABLE    ? cable[rng_below(&seed, links)]
			 : bad.kind == BLAME_RAIL   ? f->endport_port[src]
			 : bad.kind == BLAME_SWITCH ? f->port_node[f->port_peer[f->endport_port[src]]]
						    : endport_node(f, src);
		for (uint32_t i = 0; i < rows; i++) {
			uint32_t a = i ? host[rng_below(&seed, n)] : src,
				 b = i ? host[rng_below(&seed, n)] : dst;
			unsigned m = a == b ? 0 : cables_of(r, a, b, cable);

			if (!m)
				continue;
			bool is_bad = way_meets(f, cable, m, &bad);
			tried_add(&t, t.n_pairs, a, b);
			m = cables_of(r, b, a, cable);
			is_bad = is_bad || (both && way_meets(f, cable, m, &bad));
			if (both)
				tried_add(&t, t.n_pairs, b, a);
			any += is_bad;
			t.bad[t.n_pairs++] = is_bad != (noise && rng_below(&seed, 100) < NOISE);
		}
		if (any == t.n_pairs || !any)
			continue;
		struct blame *b = blame_new(r, &t, NULL, NULL, &e);
		bool found = false;
		assert_non_null(b);
		for (uint32_t k = 0; b->n && k < b->place[0].n; k++) {
			struct suspect x = b->place[0].same[k];
			AUTO_TEXT struct text its = {0}, told = {0};

			if (bad.kind == BLAME_CABLE &&
			    x.kind == BLAME_LINK) /* crossed in one direction alone */
				x = (struct suspect){BLAME_CABLE, MIN(x.id, f->port_peer[x.id]), 0};
			suspect_name(f, &x, &told);
			suspect_name(f, &bad, &its);
			found |= x.kind == bad.kind && !strcmp(text_str(&told), text_str(&its));
		}
		blame_free(b);
		draws++;
		lost += !found;
		if (!found && !noise)
			fail_msg("draw %u: kind %u is not in the first place", draw, bad.kind);
	}
	print_message("%u of %u culprits not first\n", lost, draws);
	assert_true(draws > 40 && lost <= 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(perfquery),
		cmocka_unit_test(written),
		cmocka_unit_test(queryerrors),
		cmocka_unit_test(ibdiagnet),
		cmocka_unit_test(no_values),
		cmocka_unit_test(differences),
		cmocka_unit_test(results),
		cmocka_unit_test(bad_links_are_found),
		cmocka_unit_test(same_pairs),
		cmocka_unit_test(both_directions),
		cmocka_unit_test(culprits_of_each_kind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
