/*
 * `why` for every entry that every engine makes of small fabrics: it ends with a rule of the closed list, its
 * winner is the table's entry, and no words send the reader to another command.  The same for every port of
 * some, and for the story of every pair of hosts.
 */
#include "fixture.h"

#include "core/routing/paths.h"
#include "core/routing/routing.h"

static const char *const fabrics[] = {"ring:5", "xgft:2,2,2:1,2,2", "dragonfly:3,1,1"};

struct tally {
	size_t entries, ports, pairs, seen[N_WHY_RULES];
};

static struct session *start(const char *spec)
{
	return session_after("synth %s", spec);
}

/* The rule on which an answer ends; fails when there is none of the list, or an engine told none. */
static enum why_rule last_rule(const char *line, const char *text)
{
	const char *at = NULL, *p = text;
	enum why_rule found = WHY_UNTOLD;
	size_t len;

	while ((p = strstr(p, "Decided: "))) {
		at = p + strlen("Decided: ");
		p = at;
	}
	if (!at || !strchr(at, '\n') || strchr(at, '\n')[1]) {
		fail_msg("%s: does not end with a rule:\n%s", line, text);
		return WHY_UNTOLD;
	}
	for (enum why_rule r = 1; r < N_WHY_RULES; r++) {
		len = strlen(why_rule_name(r));
		if (strncmp(at, why_rule_name(r), len) || strncmp(at + len, ": ", 2) || at[len + 2] < ' ')
			continue;
		if (!found || len > strlen(why_rule_name(found))) /* "tie: no wrap" is not "tie" */
			found = r;
	}
	if (!found || found == WHY_ENGINE)
		fail_msg("%s: no rule of the list, or none that the engine tells:\n%s", line, text);
	return found;
}

static void check_words(const char *line, const char *text)
{
	static const char *const never[] = {"`",       "port 255", "-92233", "(null)",
					    "1 links", "1 hops",   "1 LIDs"};

	for (size_t i = 0; i < sizeof(never) / sizeof(*never); i++) {
		const char *p = strstr(text, never[i]);

		/* "11 hops" is fine, and so is what the first line quotes of a header */
		if (p && !(never[i][0] == '1' && p > text && p[-1] >= '0' && p[-1] <= '9'))
			fail_msg("%s: found \"%s\" in:\n%s", line, never[i], text);
	}
}

static enum why_rule ask(struct session *s, const char *line, char **text)
{
	struct err e;
	enum why_rule rule;
	int rc;

	*text = run_line(s, line, &rc, &e, false, NULL);
	if (rc)
		fail_msg("%s: %s", line, e.msg);
	rule = last_rule(line, *text);
	check_words(line, *text);
	return rule;
}

static void check_entry(struct session *s, uint32_t sw, unsigned lid, struct tally *n)
{
	unsigned port = routing_port(session_sweep(s)->routing, sw, lid);
	char line[200], want[60], *text;

	snprintf(line, sizeof(line), "why %s %u", switch_name(s->fabric, sw), lid);
	enum why_rule rule = ask(s, line, &text);
	if (port == NO_PATH)
		snprintf(want, sizeof(want), "has no entry for LID %u ", lid);
	else if (!port)
		snprintf(want, sizeof(want), "keeps LID %u: ", lid);
	else
		snprintf(want, sizeof(want), " out of port %u to ", port);
	if (!strstr(text, want))
		fail_msg("%s: \"%s\" is not in:\n%s", line, want, text);
	/* the candidate that is marked is the entry */
	if (strstr(text, "\n> ")) {
		snprintf(want, sizeof(want), "\n> %-4u ", port);
		if (!strstr(text, want))
			fail_msg("%s: the candidate marked is not port %u:\n%s", line, port, text);
	}
	free(text);
	n->entries++;
	n->seen[rule]++;
}

static void check_ports(struct session *s, uint32_t sw, unsigned lid, struct tally *n)
{
	const struct topo *t = session_sweep(s)->topo;
	char line[200], *text;

	for (unsigned p = 1; p <= s->fabric->switch_nports[sw]; p++) {
		if (t->peer[switch_port_id(s->fabric, sw, p)] == NO_ID)
			continue;
		snprintf(line, sizeof(line), "why %s %u via %u", switch_name(s->fabric, sw), lid, p);
		n->seen[ask(s, line, &text)]++;
		n->ports++;
		free(text);
	}
}

/* A line a switch, each with a rule of the list. */
static void check_story(const char *line, const char *text, const struct path *p)
{
	const char *at = text;
	unsigned n = 0;

	for (; (at = strstr(at, "\n  ")) && n < p->n; n++) {
		const char *end = strchr(++at, '\n');
		bool found = false;

		for (enum why_rule r = 1; r < N_WHY_RULES; r++) {
			AUTO_FREE char *part = str_printf("  %s: ", why_rule_name(r));
			const char *q = strstr(at, part);

			found |= q && q < end && r != WHY_ENGINE;
		}
		if (!found)
			fail_msg("%s: line %u has no rule:\n%s", line, n + 1, text);
	}
	assert_int_equal(n, p->n);
}

static void check_pair(struct session *s, uint32_t src, uint32_t dst, struct tally *n)
{
	const struct sweep *w = session_sweep(s);
	AUTO_BY(path_free) struct path p;
	struct err e;
	char line[200], *text;
	int rc;

	path_trace(w->routing, src, w->lids->base[src], w->lids->base[dst], &p);
	snprintf(line, sizeof(line), "why %s %s", s->fabric->node_name[endport_node(s->fabric, src)],
		 s->fabric->node_name[endport_node(s->fabric, dst)]);
	text = run_line(s, line, &rc, &e, false, NULL);
	assert_int_equal(rc, p.end == PATH_OK ? 0 : -1);
	if (p.n) {
		n->seen[last_rule(line, text)]++;
		check_story(line, text, &p);
		n->pairs++;
	}
	free(text);
}

/* One entry and one pair in 24 (LONG=1: in three), others in each process. */
static void check_all(struct session *s, bool ports, struct tally *n)
{
	const struct sweep *w = session_sweep(s);
	const struct fabric *f = s->fabric;
	unsigned at = (unsigned)getpid(), one_in = getenv("LONG") ? 3 : 24;

	for (uint32_t sw = 0; sw < f->n_switches; sw++)
		for (unsigned lid = 1; switch_up(w->topo, sw) && lid <= w->lids->max_lid; lid++) {
			if (lid_owner(w->lids, lid) == NO_ID || at++ % one_in)
				continue;
			check_entry(s, sw, lid, n);
			if (ports)
				check_ports(s, sw, lid, n);
		}
	for (uint32_t a = 0; a < f->n_endports; a++)
		for (uint32_t b = 0; b < f->n_endports; b++)
			if (a != b && routing_has_host(w->routing, a) && routing_has_host(w->routing, b) &&
			    at++ % one_in == 0)
				check_pair(s, a, b, n);
}

/* The first cable between switches of the first switch that has one. */
static void fail_cable(struct session *s)
{
	const struct topo *t = session_sweep(s)->topo;

	for (unsigned p = s->fabric->switch_nports[0]; p; p--)
		if (t->peer_switch[switch_port_id(s->fabric, 0, p)] != NO_ID) {
			ok_linef(s, "fail link %s[%u]", switch_name(s->fabric, 0), p);
			return;
		}
}

/* Files that some engines read, in a folder of the test's own. */
static char folder[] = "/tmp/ibscope-why-XXXXXX";

static void file_path(const char *name, char *buf, size_t size)
{
	snprintf(buf, size, "%s/%s", folder, name);
}

/* What an engine needs beside its name, before it is asked to route. */
static void prepare(struct session *s, const char *engine)
{
	char path[100], line[300];
	FILE *f;

	file_path(engine, path, sizeof(path));
	if (!strcmp(engine, "updn")) {
		f = fopen(path, "w");
		assert_non_null(f);
		fprintf(f, "0x%016" PRIx64 "\n", s->fabric->node_guid[s->fabric->switch_node[0]]);
		fclose(f);
		snprintf(line, sizeof(line), "set root_guid_file %s", path);
	} else if (!strcmp(engine, "file") || !strcmp(engine, "tables")) {
		ok_linef(s, "route minhop; export lfts %s", path);
		snprintf(line, sizeof(line), *engine == 'f' ? "set lfts_file %s" : "tables %s", path);
	} else if (!strcmp(engine, "script")) {
		snprintf(line, sizeof(line), "route minhop; export lfts %s; route script:cat %s", path, path);
	} else if (!strcmp(engine, "torus-2QoS")) {
		snprintf(line, sizeof(line), "set qos TRUE; torus-conf %s; set torus_config %s", path, path);
	} else {
		return;
	}
	ok_line(s, line);
}

static bool routes(struct session *s, const char *engine, unsigned lmc)
{
	struct err e;
	int rc;
	AUTO_FREE char *line = str_printf("route %s,no_fallback lmc=%u", engine, lmc);

	free(run_line(s, line, &rc, &e, false, NULL));
	return session_sweep(s) && session_sweep(s)->routing &&
	       !strcmp(session_sweep(s)->routing->engine, engine);
}

/* One engine on one fabric: with LMC 0 and 1, then without a cable. */
static void try_engine(const char *spec, const char *engine, bool ports, struct tally *n)
{
	for (unsigned lmc = 0; lmc < 2; lmc++) {
		AUTO_SESSION struct session *s = start(spec);

		prepare(s, engine);
		if (routes(s, engine, lmc)) {
			check_all(s, ports && !lmc, n);
			fail_cable(s);
			if (session_sweep(s)->routing && !strcmp(session_sweep(s)->routing->engine, engine))
				check_all(s, false, n);
		}
	}
}

static void print_tally(const char *engine, const struct tally *n)
{
	print_message("%s: %zu entries, %zu ports, %zu pairs:", engine, n->entries, n->ports, n->pairs);
	for (enum why_rule r = 1; r < N_WHY_RULES; r++)
		if (n->seen[r])
			print_message(" %s %zu,", why_rule_name(r), n->seen[r]);
	print_message("\n");
}

static void test_every_entry(void **state)
{
	uint64_t seed = test_seed();

	assert_non_null(mkdtemp(folder));
	for (const struct engine *const *g = all_engines; *g; g++) {
		struct tally n = {0};
		bool torus = !strcmp((*g)->name, "torus-2QoS");
		char path[100];

		if ((*g)->holds == HOLDS_LIVE) /* there is no fabric to be read */
			continue;
		/* the first that the engine routes (LONG=1: all), others with each seed */
		for (size_t i = 0; !torus && i < ARRAY_LEN(fabrics); i++)
			if (getenv("LONG") || !n.entries || !n.ports || !n.pairs)
				try_engine(fabrics[(seed + i) % ARRAY_LEN(fabrics)], (*g)->name, true, &n);
		if (torus)
			try_engine("torus:4x4", (*g)->name, true, &n);
		print_tally((*g)->name, &n);
		assert_true(n.entries && n.ports && n.pairs);
		file_path((*g)->name, path, sizeof(path));
		unlink(path);
	}
	rmdir(folder);
}

/* --- single rules --------------------------------------------------------------------------------- */

/* I/O nodes on spines, which only reverse hops reach. */
#define IO                                                                              \
	"synth xgft:2,2:1,2,hosts=1,hosts_on=all; set io_guid_file node0005 node0006; " \
	"set root_guid_file spine-01 spine-02; route ftree"

/* A host on every 13th switch: Down/Up has to turn, at a price, up to three times. */
#define CHAIN "synth mesh:40,hosts_on=13; route dnup connect_roots=TRUE"

/* Nue with one layer on a torus of which two cables are missing. */
#define IMPASSE "synth torus:4x4,seed=1,shuffle=1,fail=2; route nue nue_max_num_vls=1"

static void says(const char *lines, const char *why, const char *decided)
{
	AUTO_SESSION struct session *s = session_after("%s", lines);

	line_says(s, why, decided);
}

static void fails(const char *lines, const char *line, const char *part)
{
	AUTO_SESSION struct session *s = session_after("%s", lines);

	line_fails(s, line, part);
}

static void test_rules(void **state)
{
	/* columns of names are up to 40 wide; longer ones stand out */
	says("synth xgft:2,2:1,1; rename leaf-01 a2345678901234567890123456789012345678901; route minhop",
	     "why node0001 node0003",
	     "\n  spine-01                                 port 2   leaf-02   only ");
	says("synth xgft:4,4:1,2; route minhop", "why leaf-01 node0006",
	     "Decided: least count: Of 2 ports at 2 hops port 6 had ");
	says("synth xgft:4,6:1,4; route minhop scatter_ports=3", "why leaf-01 node0009",
	     "Decided: random: scatter_ports: 4 of 4 ports tie");
	says("synth xgft:4,6:1,4; route minhop port_shifting=TRUE", "why leaf-01 node0009",
	     "Decided: shifted: ");
	says("synth xgft:2,2:1,1; route minhop lmc=2", "why leaf-01 node0003",
	     "Decided: only candidate: Port ");
	says("synth torus:4x4; route dor", "why t00 node0006",
	     "Decided: first neighbour: 2 ports have 2 hops; port 2 to t10 is first in order, 4 leads to "
	     "other");
	says("synth ring:4; route mincontention lmc=1 tolerance=2", "why ring0 7 via 3",
	     "Decided: would loop: ring3 sends LID 7 here.");
	/* a way that goes beside after it came down is none of ftree's; an equal one that nobody passed on is
	 * told so */
	says("synth random:7,3,seed=836,shuffle=1,hosts_on=4,parallel=2; route ftree "
	     "root_guid_file=sw-06,sw-02 cn_guid_file=node0001,node0002",
	     "why sw-03 6 via 2",
	     "Forbidden turn at sw-04: in by port 5, level from sw-07[1]; out by port 4, up to sw-01[6].");
	says("synth random:7,3,seed=836,shuffle=1,hosts_on=4,parallel=2; route ftree "
	     "root_guid_file=sw-06,sw-02 cn_guid_file=node0001,node0002",
	     "why sw-04 2 via 1",
	     "Decided: learned: The route did not come by port 1: sw-07 did not pass it on to sw-04.");
	says("synth ring:5; set use_ucast_cache TRUE; route minhop; fail host node0003", "why ring0 node0002",
	     "Decided: cached: The unicast cache kept the tables of sweep 1; there: only candidate: ");
	fails("synth ring:5; set use_ucast_cache TRUE; route minhop; fail host node0001; remove host "
	      "node0003",
	      "step start", "the unicast cache kept the tables of sweep 1, from before the fabric changed");
	/* the fabric changed meanwhile: names of now, the choice of then */
	says("synth ring:5; set use_ucast_cache TRUE; route minhop; fail host node0001; remove host node0003",
	     "why ring1 node0005",
	     "Decided: cached: The unicast cache kept the tables of sweep 1; there: only candidate: ");
	says("synth xgft:3,3:1,2; set use_ucast_cache TRUE; route minhop; remove switch leaf-01",
	     "why spine-01 node0007", "> 3               1            0  leaf-03[4]");
	says("synth xgft:2,2,2:1,2,2; route ftree", "why spine-03 node0005",
	     "Decided: lower index: leaf-03 climbed to spine-03: load 0 like spine-04");
	says("synth director:2,2,1,2; route mincontention lmc=1", "why edge-01 node0005", "Decided: ");
	says("synth ring:5; route lash", "why ring2 ring4", "Decided: only way: ");
	says("synth random:16,4,seed=5; set root_guid_file sw-01; route updn", "why sw-14 30",
	     "Decided: mixed: Ports 2 and 4 have 2 hops; 2 turns up, 4 does not");
	says("synth ring:5; set root_guid_file ring0; route updn", "why ring2 node0005 via 2",
	     "Decided: forbidden: Every way by port 2 turns up again after a step down, the shortest (2 "
	     "hops) at "
	     "ring3.");
	says("synth xgft:2,2,2:1,2,2; route updn", "why core-01 core-02",
	     "Decided: roots apart: core-01 and core-02 are both roots");
	says("synth xgft:2,2,2:1,2,2; route ftree connect_roots=TRUE", "why core-01 core-02",
	     "Decided: connect roots: ");
	says("synth director:2,4,3,8; route mincontention", "why dir1/L02/U1 3",
	     "Decided: inside: port: Within the chassis, to dir1/L01/U1, ports 3 and 4 carried 0 LIDs each");
	says("synth director:1,3,2,4; route minhop lmc=1", "why dir1/L01/U1 5",
	     "Decided: new node: Earlier LIDs of node0009 go by 3; port 4 alone leads to another node.");
	says("synth xgft:2,4:1,2,parallel=2; route minhop lmc=2", "why leaf-01 39",
	     "Decided: least forwarded: 3 of 4 ports had 5 LIDs, the fewest; port 3 carries the fewest of "
	     "node0006, 1.");
	says("synth random:12,3,seed=45; set root_guid_file sw-01; route updn", "why sw-04 5",
	     "Decided: missed: A legal way of 3 hops leads by port 2; OpenSM's search goes on from a switch "
	     "in "
	     "the direction that reached it first, and missed it. Port 4 leads in 4.");
	says(CHAIN, "why m-06 2",
	     "Decided: priced: A turn up costs 14 (connect_roots); port 2 leads at the least cost, 24.");
	says(CHAIN, "why m-07 3",
	     "Decided: erased: Turns up cost 14 each (connect_roots), and OpenSM erases entries whose cost "
	     "reaches 64.");
	says("synth mesh:50; set guid 0x0002c90300a00190; route sssp lmc=7", "why m-00 m-49",
	     "Decided: too far: No way is nearer than 2^31, which OpenSM takes for unreachable.");
	says("synth torus:4x4; route dfsssp,minhop max_op_vls=1; sweep; reroute", "why t00 11",
	     "Decided: counter of a refused engine: Counts began at 2 for port 3 and at 6 for port 4, as an "
	     "engine that refused before left them; so of 4 ports at 4 hops port 3 had 4 LIDs, the fewest; 4 "
	     "had 7.");
	says("synth ring:4,parallel=2; route lash", "why ring0 3",
	     "Decided: cable: ring1 alone leads there in 1 hop. 2 cables lead there; lash always takes the "
	     "first, port 2.");
	says("synth ring:4,parallel=2; route lash do_mesh_analysis=TRUE", "why ring0 3",
	     "Decided: cable: ring1 alone leads there in 1 hop. 2 cables lead there; routes take them in "
	     "turn, this route takes number 1.");
	says("synth xgft:2,2,2:1,1,1; route ftree", "why core-01 node0005",
	     "Decided: main path: spine-02 climbed to core-01, its only parent.");
	says("synth director:2,2,1,2; route mincontention", "why dir1/L01/U1 3",
	     "Decided: inside: only: Within the chassis port 2 alone is on a shortest way to dir1/L02/U1");
	says("synth director:2,4,3,8; route mincontention", "why dir1/L01/U1 8",
	     "Decided: inside: usage: Within the chassis, to dir1/L04/U1, port 5 carried 8 LIDs, port 3 9.");
	says("synth random:9,3,seed=1; route mincontention lmc=1 tolerance=1", "why sw-06 17",
	     "Decided: only path: sw-06[2] is the only path of at most 4 links that other switches leave "
	     "open. Closed: sw-06[3]: sw-05 sends this LID out of port 3.");
	says("synth random:9,3,seed=1; route mincontention lmc=1 tolerance=1", "why sw-06 17 via 3",
	     "Decided: not given: A way of at most 4 links leads here, but sw-05 sends this LID out of port "
	     "3.");
	says("synth director:2,4,3,8; route mincontention lmc=2", "why dir1/L02/U1 6",
	     "Decided: inside: contention: Within the chassis, to dir1/L01/U1, port 5 has contention 1, port "
	     "3 2 "
	     "(at distances 2 and 2).");
	says("synth director:2,2,2,3,uplinks=2; route mincontention", "why dir1/L01/U1 2",
	     "Decided: own chip: dir1/L01/U1[1] and dir1/L02/U1[1] lead to the same element; the chip of the "
	     "first has the lower GUID.");
	says(IMPASSE, "why t21 19",
	     "Decided: escape tree: The search met an impasse, so all switches follow the escape tree around "
	     "t12 in layer 0.");
	says(IMPASSE, "why t11 26",
	     "Decided: backtrack: Backtracking chose port 1, so that the search reaches a neighbour of t11.");
	says("synth random:14,4,seed=1,parallel=2,hosts=2; route nue nue_max_num_vls=1", "why sw-06 41",
	     "Decided: shortcut: Backtracking opened a shorter way to sw-06: by port 3.");
	says("synth xgft:2,2:1,1; route minhop", "why spine-01 node0003 via 1",
	     "Decided: no way: No cables lead there from leaf-01 but back through spine-01.");
	says(IO, "why spine-01 node0006",
	     "Decided: not reached: No way climbs from node0006 and descends to spine-01");
	says(IO "; set max_reverse_hops 1; sweep", "why spine-01 node0006", "Decided: reverse hop: ");
	says("synth torus:4x4", "route lash max_op_vls=1",
	     "lash: 2 layers from VL 0 on, but 1 VL from the next sweep on");
}

#define TORUS(spec) "synth " spec "; torus-conf %s; set torus_config %s; set qos TRUE; route torus-2QoS"

/* Rules that come from what a file says, or where one is needed. */
static void test_files(void **state)
{
	static const struct {
		const char *content, *lines, *why, *decided;
	} table[] = {
		/* both ways out of ring0 cost 200, and each goes on at 200 */
		{"0x0002c90300a00000 2 200\n0x0002c90300a00000 3 200\n0x0002c90300a00010 2 200\n"
		 "0x0002c90300a00040 2 200\n0x0002c90300a00040 3 200\n",
		 "synth ring:5; set hop_weights_file %s; route minhop", "why ring0 ring2",
		 "Decided: cost: No way from ring0 to ring2 costs 254 or less (hop_weights_file)."},
		/* a least value that no port has */
		{"Switch: guid 0x0002c90300a00000\n0x0003: 00 ff 01 01\n",
		 "synth ring:3; set lid_matrix_dump_file %s; route file", "why ring0 ring1",
		 "Decided: not in the file: The least of 0 hops in the file's hop matrix of ring0 is none of "
		 "its "
		 "ports'. No entry."},
		{"Switch: guid 0x0002c90300a00000\n0x0003: 00 ff 01 01\nSwitch: guid zz\n",
		 "synth ring:3; set lid_matrix_dump_file %s; route file,minhop", "why ring0 ring1",
		 "Decided: counter of a refused engine: The least of 0 hops in the hop matrix of ring0 is "
		 "none "
		 "of "
		 "its ports': an engine that refused before left it. No entry."},
		{"", TORUS("torus:5x5") "; fail switch t12", "why t10 8",
		 "Decided: early turn: 0,0,1 to 0,2,3: +y, its next turn would be at a missing switch"},
		{"", TORUS("torus:4x4"), "why t00 node0011 via 2",
		 "Decided: dimension order: Packets go along x, then y, then z; y is the first in which the "
		 "places "
		 "differ, port 2 leads along z."},
		{"", TORUS("mesh:4x4"), "why m00 m32",
		 "Decided: dimension order: 0,0,0 to 0,2,3: +y, 2 steps along the open line."},
		{"torus 1 3 3\nyp_link 0x0002c90300a00000 0x0002c90300a00010\n"
		 "zp_link 0x0002c90300a00000 0x0002c90300a00050\n",
		 "synth torus:5x5; set torus_config %s; set qos TRUE; route torus-2QoS", "why t44 t00",
		 "Decided: not routed: t44 has no place in the torus that torus_config describes."},
		{"", TORUS("torus:5x5,parallel=2"), "why t00 node0003 via 7",
		 "Decided: in turn: This link leads the same way: routes use such links in turn, and route 3 "
		 "uses port 6."},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		AUTO_TEMP char *path = temp_file(table[i].content);
		AUTO_FREE char *line = str_printf(table[i].lines, path, path);

		says(line, table[i].why, table[i].decided);
	}
}

static void test_stories(void **state)
{
	says("synth ring:5; route lash", "why node0003 node0005", "Decided: opened: ");
	says("synth ring:5; route lash", "why node0004 node0002", "Decided: moved: ");
	says("synth xgft:4,4:1,2; route minhop", "why node0001 node0006",
	     "Decided: least count: At leaf-01: ");
	says("synth ring:5; route minhop", "why node0003 node0005", "2 hops, 4 links (shortest), SL 0.");
	says("synth ring:5; route minhop", "why ring2 ring3 ring4", "Decided: only candidate: Port ");
	says("synth ring:5; route minhop", "why node0003 ring2 ring1 ring0 ring4 node0005",
	     "Decided: longer: Port 3 leads there in 3 hops, port 2 in 2.");
}

/* What is told is what decided; "every", "only" and "alone" where all was looked at. */
#define GAPS(n, seed) "synth random:" n ",3,seed=" seed ",shuffle=1,parallel=1,hosts_on=2; route dnup lmc=0"
#define MISSED "OpenSM's search goes on from a switch in the direction that reached it first, and missed it. "
static void test_all_looked_at(void **state)
{
	says(GAPS("14", "122"), "why sw-02 12 via 1",
	     "Decided: missed: A legal way leads by port 1; " MISSED "No entry.");
	says(GAPS("14", "122"), "why sw-02 12",
	     "Decided: missed: A legal way of 5 hops leads by port 1; " MISSED "No entry.");
	says(GAPS("14", "122"), "why sw-04 15",
	     "Decided: missed: A legal way of 3 hops leads by port 2; " MISSED "Port 3 leads in 3.");
	says(GAPS("14", "51"), "why sw-14 9",
	     "Decided: missed: A legal way of 5 hops leads by port 3; " MISSED
	     "The way that it found there has 6.");
	says(GAPS("11", "364"), "why sw-04 7 via 2", "Shortest way the rule allows, 6 hops: ");
	says("synth torus:4x4; route dor; fail link t21[4]", "why t00 3",
	     "Decided: kept: The table had port 2, which still is one of 2 at 2 hops; nothing came up since, "
	     "so "
	     "OpenSM keeps it (anew the same).");
	says("synth xgft:3,3:1,2; route updn; fail host node0001", "why spine-01 node0004 via 1",
	     "Decided: forbidden: Every way by port 1 turns up again after a step down, the shortest (3 "
	     "hops) "
	     "at leaf-01.");
	says("synth random:10,3,seed=121,shuffle=1; route updn root_guid_file=sw-02", "why sw-09 4",
	     "Way of the tables, 3 hops: sw-09[3] -D-> sw-01[4] -D-> sw-04[2] -D-> sw-03\n"
	     "Decided: only candidate: Port 3 alone has 3 hops in the hop matrix, the fewest.");
	says("synth xgft:3,3:1,2,hosts_on=all; route minhop lmc=1 port_shifting=TRUE", "why leaf-01 22",
	     "Decided: new system: No earlier LID of node0006 has a port; port 5 had 1 LID, the fewest, as 4 "
	     "had, and is the first in order (port_shifting, from port 5 on).");
	/* an offer that came from a switch behind this one is no rival */
	says("synth xgft:3,2:1,2,hosts_on=all,hosts=1; set root_guid_file spine-01 spine-02; "
	     "set cn_guid_file node0001 node0002 node0003 node0004 node0005 node0006; "
	     "set io_guid_file node0007 node0008; "
	     "route ftree max_reverse_hops=2 quasi_ftree_indexing=TRUE; fail link leaf-01[4]",
	     "why leaf-02 11",
	     "Decided: learned: spine-01 spread the route down: offer 1 of 2; the later offers lead back "
	     "through leaf-02.");
	says("synth ring:5; route lash; step start; step to 1", "lft ring0",
	     "1 ring0             (0) (itself)");
	says("synth mesh:2x4; route lash; fail link m11[3]", "why m01 10",
	     "Decided: only way: Port 3 alone leads there in 2 hops.");
	says("synth mesh:2x3; route sssp; fail link m11[3]", "why m12 m02",
	     "Decided: shortest: Distance 158 = 1 x 144 + 14; no other port offers a way.");
	says("synth xgft:3,3:1,2; route nue qos=TRUE", "why leaf-01 spine-01",
	     "Decided: shortest: Distance 212 over 1 channel; no other port offered an open way.");
	says("synth xgft:3,3:1,2; route nue qos=TRUE", "why leaf-01 spine-01 via 5",
	     "Decided: shortest: The way of spine-02 leads over leaf-01 itself, so port 5 offers none.");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rules),	    cmocka_unit_test(test_all_looked_at),
		cmocka_unit_test(test_files),	    cmocka_unit_test(test_stories),
		cmocka_unit_test(test_every_entry),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
