/* Quality of service: lists of VLs, maps cut to operational VLs, what layers become of it. */
#include "tests/unit/fixture.h"

#include "core/analysis/credit/check.h"
#include "core/base/rng.h"
#include "core/fabric/fabric.h"
#include "core/sm/engine.h"
#include "core/sm/port_groups.h"

static char folder[] = "/tmp/test_qos-XXXXXX";

static void expect_list(const char *list, const char *vls)
{
	sl2vl_map m = qos_parse_sl2vl(list);
	AUTO_TEXT struct text t = {0};

	for (unsigned sl = 0; sl < 16; sl++)
		text_add(&t, "%s%u", sl ? " " : "", sl2vl_of(m, sl));
	assert_string_equal(text_str(&t), vls);
}

/* As OpenSM 3.3.23 programmed them over ibsim, before they are cut. */
static void test_lists(void **state)
{
	expect_list(QOS_DEFAULT_SL2VL, "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 7");
	expect_list("1,2,3", "1 2 3 0 0 0 0 0 0 0 0 0 0 0 0 0");
	expect_list("", "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0");
	expect_list("1,2,3,16,17,99,255,300,-1,0x5,007,8,9,10,11,12,13",
		    "1 2 3 0 1 3 15 12 15 5 7 8 9 10 11 12");
	expect_list("a,2,3 4,5,,6", "0 0 2 3 4 5 0 6 0 0 0 0 0 0 0 0");
}

static void test_cuts(void **state)
{
	sl2vl_map m = qos_parse_sl2vl("0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15");

	assert_int_equal(opervls_cut(m, 0), m);
	assert_int_equal(opervls_cut(m, 5), m);
	assert_int_equal(opervls_cut(m, 4), UINT64_C(0xf654321076543210)); /* VL 15 stays */
	assert_int_equal(opervls_cut(m, 3), UINT64_C(0xf210321032103210));
	assert_int_equal(opervls_cut(m, 1), UINT64_C(0xf000000000000000));
}

/* Routes by their SL, from switch 0 out of its first cabled port. */
static unsigned vl_of(struct session *s, unsigned sl)
{
	return routing_vl(session_routing(s), 0, 0, 1, sl);
}

/* Switches are given OperVLs at the end of a sweep and keep them when the subnet manager starts again; CAs
 * before. */
static void test_opervls_over_sweeps(void **state)
{
	AUTO_SESSION struct session *s = session_new(all_engines, all_commands);

	ok_line(s, "synth ring:6; set qos TRUE; set max_op_vls 2");
	ok_line(s, "route minhop");
	assert_int_equal(vl_of(s, 5), 5);
	line_says(s, "export sl2vl -", "0   0   : 0  1  0  1  0  1  0  1  0  1  0  1  0  1  0  1 ");
	ok_line(s, "sweep");
	assert_int_equal(vl_of(s, 5), 1);
	ok_line(s, "route minhop max_op_vls=5");
	assert_int_equal(vl_of(s, 5), 1);
	ok_line(s, "sweep");
	assert_int_equal(vl_of(s, 5), 5);
	ok_line(s, "undo");
	assert_int_equal(vl_of(s, 5), 1);
}

/* Layers of LASH: not in force without quality of service, in force with it, merged by a list of few VLs. */
static void test_layers(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth torus:4x4");

	line_says(s, "route lash", "lash needs 2 VLs, but qos is off");
	line_says(s, "check", "ibscope takes all routes to be on VL 0");
	assert_true(routing_layers_idle(session_routing(s)));
	assert_int_equal(vl_of(s, 1), 0);
	ok_line(s, "set qos TRUE");
	assert_false(routing_layers_idle(session_routing(s)));
	assert_true(routing_keeps_layers(session_routing(s), 0, 2));
	line_says(s, "layers", "lash uses 2 layers of 8 available.");
	ok_line(s, "set qos_swe_sl2vl 3,3");
	assert_false(routing_keeps_layers(session_routing(s), 0, 2));
	line_says(s, "check", "VL 3: credit loops");
}

/* SL 0 on VL 15: the SA has no path, though the engine's SL might get through; SL 1 on it: routes are
 * dropped. */
static void test_closed(void **state)
{
	AUTO_SESSION struct session *s = session_new(all_engines, all_commands);

	ok_line(s, "synth ring:5; set qos TRUE");
	ok_line(s, "route lash qos_swe_sl2vl=15,1");
	line_says(s, "export paths -", "2 5 - -");
	line_says(s, "trace node0001 node0002", "SA gives no path");
	ok_line(s, "set qos_swe_sl2vl 0,15");
	line_says(s, "check", "dropped where their SL leads to VL 15");
	ok_line(s, "unset qos_swe_sl2vl");
	ok_line(s, "set qos_ca_sl2vl 15");
	line_says(s, "export paths -", "2 5 - -");
}

/* A file in a folder of its own; its path. */
static const char *put(const char *text)
{
	static char path[64];

	snprintf(path, sizeof(path), "%s/file", folder);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	return path;
}

static void with_file(struct session *s, const char *option, const char *text)
{
	ok_linef(s, "set %s %s", option, put(text));
}

/* Where routing leaves SLs to partitions they are theirs; of a file that cannot be read it is told.  Engines
 * with SLs of their own take none. */
static void test_partitions(void **state)
{
	AUTO_SESSION struct session *s = session_new(all_engines, all_commands);
	struct err e;
	int rc;

	ok_line(s, "synth torus:4x4,hosts=1; set qos TRUE; set partition_config_file /nowhere/file");
	line_says(s, "route minhop", "partition_config_file: not all of it is modelled here");
	line_says(s, "route updn", "No such file");
	char *text = run_line(s, "route lash; route dfsssp", &rc, &e, false, NULL);
	assert_int_equal(rc, 0);
	assert_null(strstr(text, "modelled"));
	free(text);
	/* hosts that are limited members share no P_Key */
	with_file(s, "partition_config_file", "Default=0x7fff,sl=3:SELF=full;\n");
	line_says(s, "route minhop; trace node0001 node0002", "No common P_Key");
	line_says(s, "route lash; trace node0001 node0002", "No common P_Key");
	line_says(s, "check", "240 pairs without a common P_Key");
	line_says(s, "list check",
		  "Check \u2500\u2500 Sound within the partitions; partitions keep 240 pairs apart");
	line_says(s, "list lost", "0 pairs; partitions keep 240 pairs apart");
	line_says(s, "doctor",
		  "kept-apart (fact): 240 pairs of hosts without a common P_Key (for one node0001 to");
	text = run_line(s, "export paths -", &rc, &e, false, NULL);
	assert_non_null(strstr(text, " - -"));
	free(text);
	with_file(s, "partition_config_file", "A=0x1,sl=5:ALL=full;B=0x0100,sl=6:ALL=full;\n");
	line_says(s, "route minhop; trace node0001 node0002", "SL 6");
	line_says(s, "set qos FALSE; trace node0001 node0002", "SL 0");
	line_says(s, "set qos TRUE; route nue; trace node0001 node0002", "SL 6");
	with_file(s, "partition_config_file", "A=0x1,sl=5:ALL=full;\nrubbish\n");
	line_says(s, "route minhop", "file:2: found 'rubbish': no partition; OpenSM gives the file up");
	line_says(s, "trace node0001 node0002", "SL 0");
}

/* Pairs that no P_Key joins, by partitions drawn at random: check counts as many as there are one by one,
 * with more LIDs than one, in a scope, after a failure; none is a fault. */
static void test_apart(void **state)
{
	uint64_t seed = 1, most = 0;

	for (unsigned n = 0; n < 60; n++) {
		AUTO_SESSION struct session *s = session_new(all_engines, all_commands);
		const struct routing *r;
		struct check_result c;
		AUTO_TEXT struct text t = {0};
		uint64_t apart = 0;

		ok_line(s, "synth xgft:3,4:1,2");
		const struct fabric *f = s->fabric;
		for (unsigned i = 0, parts = rng_below(&seed, 4); i <= parts; i++) {
			text_add(&t, "P%u=0x%x:SELF", i, i ? i : 0x7fffu);
			for (uint32_t ep = 0; ep < f->n_endports; ep++)
				if (!rng_below(&seed, 3))
					text_add(&t, ",0x%" PRIx64 "=%s", f->port_guid[f->endport_port[ep]],
						 rng_below(&seed, 2) ? "full" : "limited");
			text_add(&t, ";\n");
		}
		ok_line(s, n % 2 ? "set lmc 1" : "set lmc 0");
		with_file(s, "partition_config_file", text_str(&t));
		ok_line(s, "route updn");
		if (n % 3 == 1)
			ok_line(s, "scope node0001 node0003 node0006 node0007 node0012");
		if (n % 5 == 1)
			ok_line(s, "fail host node0003");
		r = session_routing(s);
		for (uint32_t a = 0; a < f->n_endports; a++)
			for (uint32_t b = 0; b < f->n_endports; b++)
				if (a != b && routing_has_host(r, a) && routing_has_host(r, b) &&
				    !routing_share_pkey(r, r->lids->base[a], r->lids->base[b]))
					apart += r->lids->count[b];
		assert_int_equal(check_routing(r, &c, NULL), 0);
		if (c.apart != apart)
			fail_msg("draw %u: %" PRIu64 " pairs, expected %" PRIu64 ", of\n%s", n, c.apart,
				 apart, text_str(&t));
		assert_true(!apart ||
			    !routing_share_pkey(r, r->lids->base[c.apart_from], r->lids->base[c.apart_to]));
		assert_true(!c.unreachable && c.apart <= c.pairs);
		line_says(s, "check", apart ? "Sound within the partitions" : "Sound");
		most = apart > most ? apart : most;
	}
	assert_true(most > 100);
}

/* What a reading told of managers and P_Keys outlives changes of the cabling; a port that is added told none.
 */
static void test_read_stays(void **state)
{
	static const char pairs[] = "6 pairs without a common P_Key",
			  of_no_master[] = "is master (node0001 is standby)";
	AUTO_SESSION struct session *s = session_new(all_engines, all_commands);
	struct fabric *f = make_fabric("xgft:2,2:1,2");
	struct managers *m = managers_new(1);
	uint64_t standby = 0;
	char told[60];
	struct err e;

	for (uint32_t ep = 0; ep < f->n_endports; ep++) {
		uint64_t guid = f->port_guid[f->endport_port[ep]];
		const char *name = f->node_name[endport_node(f, ep)];

		standby = strcmp(name, "node0001") != 0 ? standby : guid;
		managers_tell_pkey(m, guid, guid == standby || endport_is_switch(f, ep) ? 0xffff : 0x7fff);
	}
	m->asked = true;
	m->n = 1;
	m->m[0] = (struct manager){.guid = standby, .state = MANAGER_STANDBY};
	fabric_take_pkeys(f, m);
	assert_int_equal(session_set_fabric(s, f, "load x", NULL, &e), 0);
	line_says(s, "route minhop; check", pairs);
	ok_line(s, "rename node0002 other; swap other node0003; set guid other");
	line_says(s, "check", pairs);
	line_says(s, "check", of_no_master);
	line_says(s, "remove host node0004; check", "2 pairs without a common P_Key");
	line_says(s, "add host new leaf-02; check",
		  "Partitions not looked at: 1 port up told no P_Keys (the first: new)");
	line_says(s, "check", of_no_master);
	with_file(s, "partition_config_file", "A=0x7fff:ALL=full;\n");
	line_says(s, "reroute; check",
		  "Partitions are those of partition_config_file: 1 port up told no P_Keys (the first: new)");
	line_says(s, "undo; undo; undo; undo; check", pairs);
	line_says(s, "redo; redo; check", "1 port up told no P_Keys");
	line_says(s, "check", of_no_master);
	line_says(s, "undo; undo; remove host node0001; check", pairs);
	snprintf(told, sizeof(told), "is master (0x%016" PRIx64 " is standby)", standby);
	line_says(s, "check", told);
	line_says(s, "doctor", told);
}

static void test_policy(void **state)
{
	AUTO_SESSION struct session *s = session_new(all_engines, all_commands);

	ok_line(s, "synth xgft:2,2:1,1; set qos TRUE");
	with_file(
		s, "qos_policy_file",
		"qos-ulps\n default : 3 # all\n any, target-port-guid 0x1-0x2 : 4\n sdp : 7\nend-qos-ulps\n");
	line_says(s, "route minhop; trace node0001 node0002", "SL 3");
	line_says(s, "why node0001 node0002", "SL 3");
	with_file(s, "qos_policy_file", "qos-levels\n qos-level\n  name: DEFAULT\n");
	line_says(s, "route minhop", "of the QoS policy only simple lines of qos-ulps are modelled");
	line_says(s, "trace node0001 node0002", "may give the pair another SL");
	with_file(s, "qos_policy_file", "qos-ulps\n sdp : 7\nend-qos-ulps\n");
	line_says(s, "route minhop",
		  "without `default`, or without its end: OpenSM gives the whole QoS policy up");
}

/* What OpenSM 3.3.23 did with these policies over ibsim: it took them, or gave them up with ERR AC03 or AC04.
 */
static void test_policy_syntax(void **state)
{
	enum { TAKEN, GIVEN_UP, OTHER }; /* OTHER: taken, and not modelled */
	static const struct {
		const char *text; /* behind "qos-ulps\n"; !: "default : 2\nend-qos-ulps\n" */
		int is;
	} tried[] = {
		{"sdp : 1\n!", TAKEN},
		{"sdp 1\n!", GIVEN_UP},
		{"default 2\nend-qos-ulps\n", GIVEN_UP},
		{"foo : 1\n!", GIVEN_UP},
		{"default : x\nend-qos-ulps\n", GIVEN_UP},
		{"default : -1\nend-qos-ulps\n", GIVEN_UP},
		{"default : 0x2\nend-qos-ulps\n", TAKEN},
		{"sdp : 16\n!", GIVEN_UP},
		{"sdp : \n!", GIVEN_UP},
		{"sdp : 1,2\n!", GIVEN_UP},
		{"end-qos-ulps\n", GIVEN_UP},
		{"default : 2\n", GIVEN_UP},
		{"any : 1\n!", GIVEN_UP},
		{"any, : 1\n!", GIVEN_UP},
		{"srp : 1\n!", GIVEN_UP},
		{"srp, target-port-guid 0x5 : 1\n!", TAKEN},
		{"any, target-port-guid foo : 1\n!", GIVEN_UP},
		{"any, target-port-guid : 1\n!", GIVEN_UP},
		{"any, target-port-guid 0x5\n!", GIVEN_UP},
		{"any, target-port-guid 0x5 0x6 : 1\n!", GIVEN_UP},
		{"any, target-port-guid 0x5, : 1\n!", GIVEN_UP},
		{"any, target-port-guid 0x5,,0x6 : 1\n!", GIVEN_UP},
		{"any, target-port-guid 0x9-0x5 : 1\n!", TAKEN},
		{"ANY , target-port-guid 0x5:1\n!", TAKEN},
		{"any, service-id : 1\n!", GIVEN_UP},
		{"any, service-id 0x1,0x5-0x9 : 1\n!", TAKEN},
		{"any, pkey 0x7fff- : 1\n!", GIVEN_UP},
		{"any, pkey 0x18000 : 1\n!", TAKEN},
		{"sdp, port-num 70000 : 1\n!", GIVEN_UP},
		{"\"default\" : 1\n!", GIVEN_UP},
		{"!hello\n", GIVEN_UP},
		{"DEFAULT : 2\nend-qos-ulps\n", TAKEN},
		{"default : 2\nEND-QOS-ULPS\n", GIVEN_UP},
		{"!QOS-ULPS\n!", GIVEN_UP},
		{"!QOS-SETUP\nEND-QOS-SETUP\n", GIVEN_UP},
		{"any, PKEY 0x7fff : 1\n!", GIVEN_UP},
		{"!end-qos-ulps\n", GIVEN_UP},
		{"!qos-ulps\n!", TAKEN},
		{"!qos-setup\nend-qos-setup\n", OTHER},
		{"!qos-ulps default : 2\nend-qos-ulps\n", OTHER},
		{"default : 2 sdp : 3\nend-qos-ulps\n", OTHER},
		{"default : 2 end-qos-ulps\n", OTHER},
		{"any, target-port-guid 0x5,\n 0x6 : 1\n!", OTHER},
		{"any, target-port-guid 0x5\n : 1\n!", OTHER},
		{"any, target-port-guid\n 0x5 : 1\n!", OTHER},
	};
	AUTO_SESSION struct session *s = session_new(all_engines, all_commands);

	ok_line(s, "synth xgft:2,2:1,1; set qos TRUE");
	for (size_t i = 0; i < ARRAY_LEN(tried); i++) {
		AUTO_TEXT struct text t = {0};

		text_add(&t, "qos-ulps\n");
		for (const char *p = tried[i].text; *p; p++)
			text_add(&t, *p == '!' ? "default : 2\nend-qos-ulps\n" : "%c", *p);
		with_file(s, "qos_policy_file", text_str(&t));
		line_says(s, tried[i].is == TAKEN ? "route minhop; trace node0001 node0002" : "route minhop",
			  tried[i].is == TAKEN	    ? "SL 2"
			  : tried[i].is == GIVEN_UP ? "OpenSM gives the whole QoS policy up"
						    : "only simple lines of qos-ulps are modelled");
		line_says(s, "trace node0001 node0002",
			  tried[i].is == TAKEN	    ? "SL 2"
			  : tried[i].is == GIVEN_UP ? "SL 0"
						    : "may give the pair another SL");
	}
}

static int make_folder(void **state)
{
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	AUTO_FREE char *path = str_printf("%s/file", folder);

	unlink(path);
	return rmdir(folder);
}

/* A host that is the first node of all gets its map as all others. */
static void test_first_host(void **state)
{
	struct fabric_builder *b = fb_new();

	fb_add(b, NODE_CA, 1, 1, "h1");
	fb_add(b, NODE_SWITCH, 2, 4, "s1");
	fb_add(b, NODE_CA, 3, 1, "h2");
	assert_true(fb_link(b, 0, 1, 1, 1) && fb_link(b, 2, 1, 1, 2));
	AUTO_SESSION struct session *s = session_on(built(b));
	ok_line(s, "set qos TRUE; route minhop qos_ca_sl2vl=15");
	line_says(s, "trace h1 h2", "h1 (LID 1) -> h2 (LID 3): NO PATH: dropped, its SL is mapped to VL 15");
	line_says(s, "trace h1 h2", "h2 (LID 3) -> h1 (LID 1): NO PATH: dropped, its SL is mapped to VL 15");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_cuts),
		cmocka_unit_test(test_opervls_over_sweeps),
		cmocka_unit_test(test_layers),
		cmocka_unit_test(test_closed),
		cmocka_unit_test(test_first_host),
		cmocka_unit_test(test_partitions),
		cmocka_unit_test(test_read_stays),
		cmocka_unit_test(test_apart),
		cmocka_unit_test(test_policy),
		cmocka_unit_test(test_policy_syntax),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
