/*
 * doctor: on real fabrics its findings and figures, worked out beforehand by other means; every rule is met
 * by a fabric that has what it looks for; healthy fabrics have nothing.
 */
#include "fixture.h"

#include "core/analysis/doctor/doctor.h"
#include "core/base/cursor.h"
#include "core/base/json.h"

#define REAL "load tests/fabrics/real/"
#define SMALL "load tests/fabrics/formats/"
#define SELENE REAL "selene-compute.ibnetdiscover.xz"
#define STORAGE REAL "selene-storage.ibnetdiscover.xz"
#define SAT11 REAL "sat11-director.putty-log.xz"
#define RHINO REAL "RhinoBased512.lst.xz"
#define MTS REAL "mts-directors.lst.xz"
#define STAGE SMALL "stage-qdr-fdr10.ibnetdiscover"
#define DEMO "load tests/fabrics/demo-3level.ibnet"
/* As generated-k4n3, a 4-ary tree of three levels with 80 switches. */
#define K4N3 "synth xgft:4,4,8:1,4,4"

/* "manual" is part of its name: what is found goes by the kinds of notes, never by their words. */
static char file[] = "/tmp/ibscope-manual-XXXXXX";

/* Kinds that some test found. */
static bool met[96];

static void meet(const char *kind)
{
	const char *k, *meaning;

	for (size_t i = 0; doctor_rule(i, &k, &meaning); i++)
		met[i] |= !strcmp(k, kind);
}

/* Lines with the name of the file at %s. */
static void with_file(struct session *s, const char *fmt)
{
	ok_linef(s, fmt, file, file); // NOLINT(clang-diagnostic-format-nonliteral)
}

static void write_text(const char *text)
{
	file_write(file, text);
}

/* --- what is proposed ------------------------------------------------------------------------- */

#define TRIED_OF_A_KIND 3
#define LARGE 100 /* switches: there only what smaller fabrics of this file do not have is tried */

static const char of_large[] =
	"aggregation-roots aggregation-nodes cabling uneven slow sm-decides unknown-lines";

/* How often each kind's command and cure were tried. */
static unsigned tried[96], cured[96];

static size_t event_number(const struct session *s)
{
	return session_event(s) ? (size_t)(session_event(s) - s->event) : 0;
}

/* A line that doctor proposes works; what it changed is undone. */
static void proposal_works(struct session *s, const char *kind, const char *line)
{
	size_t before = event_number(s);
	struct err e;
	int rc;
	AUTO_FREE char *text = run_line(s, line, &rc, &e, false, NULL);

	if (rc)
		fail_msg("%s (%s routed) proposes `%s`: %s", kind, session_routing(s) ? "" : "not", line,
			 e.msg);
	while (event_number(s) > before)
		ok_line(s, "undo");
}

/* The command in a cure's words, with what it leaves open: "set guid: where ..." and "`roots export FILE`
 * ..." */
static char *command_in(struct session *s, const char *cure)
{
	const struct fabric *f = s->fabric;
	const char *quote = strchr(cure, '`');

	if (!strncmp(cure, "set guid NODE", 13)) {
		for (uint32_t ep = f->n_endports; ep-- > 0;)
			if (!endport_is_switch(f, ep) && session_endport_up(s, ep))
				return str_printf("set guid 0x%" PRIx64, f->port_guid[f->endport_port[ep]]);
		return NULL;
	}
	if (!strncmp(cure, "set ", 4))
		return str_printf("%.*s", (int)strcspn(cure, ",;"), cure);
	if (quote && !strncmp(quote, "`roots export FILE`", 19))
		return str_printf("roots export /dev/null");
	return quote ? str_printf("%.*s", (int)strcspn(quote + 1, "`"), quote + 1) : NULL;
}

/* Each command of a finding can be run at once, and so can each cure that is one. */
static void proposals_work(struct session *s, const json_t *findings)
{
	const json_t *x;
	const char *k, *meaning;
	size_t i;

	json_array_foreach(findings, i, x)
	{
		const char *kind = json_string_value(json_object_get(x, "kind"));
		const char *more = json_string_value(json_object_get(x, "more"));
		const char *cure = json_string_value(json_object_get(x, "cure"));
		size_t rule = 0;

		while (doctor_rule(rule, &k, &meaning) && strcmp(k, kind) != 0)
			rule++;
		if (s->fabric->n_switches >= LARGE && (tried[rule] || !strstr(of_large, kind)))
			continue;
		if (tried[rule] < TRIED_OF_A_KIND) {
			tried[rule]++;
			proposal_works(s, kind, more);
		}
		AUTO_FREE char *command = cure && cured[rule] < TRIED_OF_A_KIND ? command_in(s, cure) : NULL;
		cured[rule] += command != NULL;
		if (command)
			proposal_works(s, kind, command);
	}
}

/* The object of `doctor`; its exit status is told by errors alone. */
static json_t *doctor_object(struct session *s)
{
	bool fault = false;
	struct err e;
	int rc;
	AUTO_FREE char *text = run_line(s, "doctor", &rc, &e, true, &fault);
	json_t *o = json_loads(text, 0, NULL), *x;
	size_t i;

	if (rc || !o)
		fail_msg("doctor: %s: %s", e.msg, text);
	assert_int_equal(fault, json_integer_value(json_object_get(o, "errors")) > 0);
	json_array_foreach(json_object_get(o, "findings"), i, x)
		meet(json_string_value(json_object_get(x, "kind")));
	proposals_work(s, json_object_get(o, "findings"));
	return o;
}

static const char *word_of(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

/* "error credit-loop, warning thin, warning thin": what is worse than a note, in order. */
static void tell_bad(const json_t *o, struct text *t)
{
	const json_t *x;
	size_t i;

	text_add(t, "%s", "");
	json_array_foreach(json_object_get(o, "findings"), i, x) if (strcmp(word_of(x, "severity"), "note"))
		text_add(t, "%s%s %s", t->len ? ", " : "", word_of(x, "severity"), word_of(x, "kind"));
}

/* A finding of a kind whose text or detail has a part; NULL. */
static const json_t *find(const json_t *o, const char *kind, const char *part)
{
	const json_t *x;
	size_t i;

	json_array_foreach(
		json_object_get(o, "findings"), i,
		x) if (!strcmp(word_of(x, "kind"), kind) &&
		       (strstr(word_of(x, "text"), part) || strstr(word_of(x, "detail"), part))) return x;
	return NULL;
}

static void need(const json_t *o, const char *kind, const char *part)
{
	if (!find(o, kind, part))
		fail_msg("no %s with \"%s\" in %s", kind, part,
			 json_dumps(json_object_get(o, "findings"), JSON_INDENT(1)));
}

/* What doctor says of the session has such a finding. */
static void doctor_finds(struct session *s, const char *kind, const char *part)
{
	json_auto_t *o = doctor_object(s);

	need(o, kind, part);
}

/* ... has none of this kind. */
static void doctor_lacks(struct session *s, const char *kind)
{
	json_auto_t *o = doctor_object(s);

	if (find(o, kind, ""))
		fail_msg("%s: %s", kind, word_of(find(o, kind, ""), "text"));
}

/* The text of the tables in force. */
static char *tables_of(struct session *s)
{
	with_file(s, "export lfts %s");
	return file_text(file);
}

/* The manager's place named after routing, as doctor says it: LIDs and tables are those of that place. */
static void place_named_later(void **state)
{
	static const char *const lines[] = {"load %s", SMALL "mt43132-2009.ibnetdiscover"};

	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		AUTO_SESSION struct session *before = session_new(all_engines, all_commands);
		AUTO_SESSION struct session *after = session_new(all_engines, all_commands);

		write_text("host h1 a\nhost h2 b\nhost h3 c\na b\nb c\nc d\nd a\nhost h4 d\n");
		with_file(before, lines[i]);
		with_file(after, lines[i]);
		json_auto_t *o = doctor_object(after);
		const json_t *guessed = find(o, "sm-guessed", "");
		assert_non_null(guessed);
		assert_non_null(strstr(word_of(guessed, "cure"), "`reset`"));
		AUTO_FREE char *cure = command_in(after, word_of(guessed, "cure"));
		ok_line(before, cure);
		ok_line(before, "route minhop");
		ok_line(after, "route minhop");
		ok_line(after, cure);
		ok_line(after, "reset; route minhop");
		doctor_lacks(after, "sm-guessed");
		AUTO_FREE char *x = tables_of(before);
		AUTO_FREE char *y = tables_of(after);
		assert_string_equal(x, y);
	}
}

/* --- real fabrics ------------------------------------------------------------------------------------ */

struct part {
	const char *kind, *text;
};

struct expected {
	const char *lines;
	const char *bad;      /* all that is worse than a note */
	struct part part[16]; /* findings there must be */
	const char *none;     /* kind that there must not be; NULL = any */
};

static const struct expected reals[] = {
	{SELENE,
	 "error credit-loop, warning thin, warning thin, warning cabling, warning hot-cable, warning "
	 "hot-cable, "
	 "warning sm-decides",
	 {{"credit-loop", "VL 0: credit loop of 4 channels; 124 of 17022 channels"},
	  {"credit-loop", "with the routes of aggregation nodes: 16950 channels"},
	  {"thin", "16 of 203 edge switches"},
	  {"thin", "with 2: MF0;MLG01-02:MQM8700/U1, MF0;MLG01-01:MQM8700/U1\nwith 14: "
		   "MF0;MLG01-04:MQM8700/U1\nwith 19: "},
	  {"thin", "15 of 321 switches above the edge"},
	  {"thin", "with 12: MF0;CSPINE1-31:MQM8700/U1\nwith 13: "},
	  {"cabling", "MF0;MSPINE3-01:MQM8700/U1: no link is missing, but the links lead to 7 neighbours in "
		      "place of 14"},
	  {"hot-cable", "With any engine, 21 channels at the edge would carry up to 2.65 times"},
	  {"hot-cable", "MF0;CSPINE1-80:MQM8700/U1[39] to MF0;MLG01-02:MQM8700/U1: 2.12"},
	  {"hot-cable", "56 channels above the edge would carry up to 1.47 times"},
	  {"sm-decides", "MF0;CSPINE1-80:MQM8700/U1"},
	  {"single-point", "3 switches are the only way to 11 hosts"},
	  {"empty-leaf", "2 switches"},
	  {"aggregation-nodes", "666 aggregation nodes"},
	  {"uneven", "on 4 channels"},
	  {"idle", "75 of 17022 channels"}},
	 "sm-guessed"},
	{STORAGE,
	 "warning thin, warning thin",
	 {{"thin", "4 of 60 edge switches"},
	  {"thin",
	   "with 14: MF0;SLG01-09:MQM8700/U1, MF0;SLG01-10:MQM8700/U1\nwith 15: MF0;SLG01-13:MQM8700/U1, "
	   "MF0;SLG02-07:MQM8700/U1"},
	  {"thin", "2 of 64 switches above the edge"},
	  {"thin", "with 15: MF0;SSPINE4-14:MQM8700/U1, MF0;SSPINE2-02:MQM8700/U1"},
	  {"sm-guessed", ""},
	  {"empty-leaf", "4 switches"},
	  {"uneven", "up to 8.1 times the even share on 93 channels"},
	  {"idle", "292 of 4078 channels"}},
	 "sm-decides"},
	{SAT11,
	 "warning no-lid, warning thin",
	 {{"no-lid", "631 host ports and 1 switch without a valid LID"},
	  {"thin", "5 of 154 edge switches have fewer uplinks than the rest (19 at least, usually 20)"},
	  {"slow", "4 of 2328 host links are slower than the rest (4xEDR instead of 4xHDR)"},
	  {"empty-leaf", "6 switches"},
	  {"uneven", "up to 7.1 times the even share on 314 channels"},
	  {"sm-guessed", ""},
	  {"unknown-lines", "2 lines"},
	  {"idle", "1774 of 12790 channels"}},
	 NULL},
	{STAGE,
	 "warning thin, warning hot-cable",
	 {{"thin",
	   "1 of 6 edge switches has fewer uplinks than the rest (7 at least, usually 8): MF0;ib1:SX6036/U1"},
	  {"hot-cable",
	   "With any engine, 3 channels at the edge would carry up to 1.33 times the usual share: "
	   "MF0;ib8:SX6036/U1[2], MF0;ib8:SX6036/U1[4], MF0;ib8:SX6036/U1[8]"},
	  {"ends-above-edge", "3 hosts on 1 switch above the edge: MF0;ib7:SX6036/U1"},
	  {"sm-guessed", ""}},
	 "idle"},
	{SMALL "voltaire-2007-lmc1.ibnetdiscover",
	 "warning slow-sibling, warning slow-sibling",
	 {{"slow-sibling",
	   "1 of 2 links is slower than a link beside (1xSDR instead of 4xSDR), 7.5 of 10.0 Gbit/s lost (75 "
	   "%): SW-6IB4 Voltaire[1] to ISR9024 Voltaire[10]."},
	  {"sm-guessed", ""}},
	 "idle"},
	{SMALL "mt43132-2009.ibnetdiscover", "", {{"sm-guessed", ""}}, "idle"},
	{SMALL "sun-dcs36-2002.ibnetdiscover", "", {{"sm-guessed", ""}}, "idle"},
	{SMALL "superbench-faked.ibnetdiscover-f",
	 "error incomplete",
	 {{"incomplete", "1 dangling link (first: MF0;rmd70-0101-0908-01ib1-A:MCS8500/S01/U1, port 41 "},
	  {"single-point", "3 switches"}},
	 "idle"},
	{MTS,
	 "",
	 {{"empty-leaf", "34 switches"}, {"single-point", "1 switch"}, {"idle", "312 of 338 channels"}},
	 "thin"},
	{RHINO,
	 "error credit-loop",
	 {{"credit-loop", "credit loop of 6 channels; 4321 of 4480 channels"},
	  {"idle", "8 of 4480 channels"}},
	 "thin"},
	{K4N3, "", {{"idle", "192 of 512 channels"}}, "uneven"},
	/* Up/Down */
	{SELENE "; route updn",
	 NULL,
	 {{"engine-refused", "updn refuses, minhop routes: no root switches"},
	  {"aggregation-roots", "Aggregation nodes on 140 upper switches"}},
	 "roots-fragile"},
	{STAGE "; route updn",
	 "warning thin, warning hot-cable",
	 {{"root-with-hosts", "1 root has 3 hosts: MF0;ib7:SX6036/U1"},
	  {"switch-lids", "(3 pairs of host and LID)"}},
	 "roots-fragile"},
	{K4N3 "; route updn", "warning roots-fragile", {{"roots-fragile", "one of 128 links"}}, NULL},
	{DEMO "; route updn",
	 "warning roots-fragile",
	 {{"roots-fragile",
	   "If one of 128 links fails (leaf-01[5], leaf-01[6], leaf-01[7] and 125 more), up to 4 of 16 root "
	   "switches lose that role"}},
	 NULL},
	{"synth director:4,6,3,16; route updn",
	 "warning roots-fragile, warning sm-place",
	 {{"roots-fragile", "one of 136 links"}, {"sm-place", "The subnet manager runs on dir1/L01/U1"}},
	 NULL},
	{"synth xgft:4,19:1,4; route updn",
	 "warning roots-fragile",
	 {{"roots-fragile", "one of 76 links"}, {"roots-fragile", "of 4 root switches"}},
	 "all-roots"},
	{"synth xgft:4,20:1,4; route updn",
	 "warning all-roots",
	 {{"all-roots", "24 of 24 switches"}},
	 "roots-fragile"},
	{"synth xgft:12,24:1,6; route updn", NULL, {{"all-roots", ""}}, "roots-fragile"},
	{STORAGE "; route updn", "warning thin, warning thin", {{NULL, NULL}}, "roots-fragile"},
	{RHINO "; route updn",
	 "warning idle",
	 {{"idle", "2317 of 4480 channels between switches carry no host traffic, as none passes"}},
	 "credit-loop"},
	/* the manager on a root, which no way up and then down leads from to the other */
	{"synth xgft:4,4:1,2; route updn; set guid spine-01",
	 "warning roots-fragile, warning sm-place",
	 {{"sm-place",
	   "The subnet manager runs on spine-01. Under updn it has no path to 1 switch: spine-02"}},
	 NULL},
	{"synth xgft:4,4:1,2; route updn; set guid node0001",
	 "warning roots-fragile",
	 {{NULL, NULL}},
	 "sm-place"},
	{"synth xgft:4,4:1,2; set guid spine-01; route minhop", NULL, {{NULL, NULL}}, "sm-place"},
	/* fat-tree */
	{STORAGE "; route ftree", NULL, {{"engine-refused", "(AB0A)"}}, "ftree-single"},
	{SAT11 "; route ftree", NULL, {{"engine-refused", "(AB09)"}}, NULL},
	{STAGE "; route ftree", NULL, {{"engine-refused", "(AB26)"}}, NULL},
	{SELENE "; route ftree", NULL, {{"engine-refused", "(AB2B)"}, {"aggregation-roots", "140"}}, NULL},
	{DEMO "; route ftree", "warning ftree-single", {{"ftree-single", "minhop"}}, NULL},
};

static void expect(const struct expected *x, const char *text)
{
	AUTO_SESSION struct session *s = session_new(all_engines, all_commands);

	write_text(text);
	with_file(s, x->lines);
	json_auto_t *o = doctor_object(s);
	AUTO_TEXT struct text bad = {0};

	tell_bad(o, &bad);
	if (x->bad && strcmp(text_str(&bad), x->bad))
		fail_msg("%s: %s, expected %s", x->lines, text_str(&bad), x->bad);
	for (size_t i = 0; i < ARRAY_LEN(x->part) && x->part[i].kind; i++)
		need(o, x->part[i].kind, x->part[i].text);
	if (x->none && find(o, x->none, ""))
		fail_msg("%s: %s", x->lines, x->none);
}

static void real_fabrics(void **state)
{
	uint64_t seed = test_seed();

	/* large ones that are routed: one in four, others with each seed */
	for (size_t i = 0; i < ARRAY_LEN(reals); i++)
		if (!strstr(reals[i].lines, REAL) || !strstr(reals[i].lines, "; route") ||
		    test_drawn(seed, i, 4))
			expect(&reals[i], "");
}

/* --- what a rule looks for ------------------------------------------------------------------------------ */

#define THREE_THIN                                                                     \
	"synth xgft:8,8:1,4; fail link leaf-01[9] leaf-01[10] leaf-01[11] leaf-02[9] " \
	"leaf-02[10] leaf-02[11] leaf-05[9] leaf-05[10] leaf-05[11]"

static const struct expected faults[] = {
	{"synth torus:5x5; route minhop",
	 "error credit-loop",
	 {{"credit-loop", "credit loop of 4 channels; 100 of 100"}},
	 NULL},
	{"synth xgft:3,3:1,2; route minhop; fail switch leaf-01",
	 "error switch-gone, error cut-off",
	 {{"switch-gone", "leaf-01 is down; 42 pairs of hosts have no path."},
	  {"cut-off", "3 endports cut off from the subnet manager (node0001[1], node0002[1], node0003[1])"}},
	 NULL},
	{"synth xgft:3,3:1,2; route minhop; scope node0001",
	 "",
	 {{"no-pair", "No pair of hosts: 1 host up and counted"}},
	 "cut-off"},
	{"synth torus:5x5; route lash",
	 "error credit-loop, error layers-not-in-force",
	 {{"layers-not-in-force", "lash needs 3 VLs, but qos is off"}},
	 NULL},
	{"synth torus:5x5; route lash qos=TRUE", "", {{NULL, NULL}}, "credit-loop"},
	{"synth torus:5x5; route lash qos=TRUE max_op_vls=2",
	 "warning vls-later",
	 {{"vls-later", "From the second sweep on, minhop routes in place of lash"}},
	 NULL},
	{"synth torus:5x5; route lash qos=TRUE max_op_vls=3", "", {{NULL, NULL}}, "vls-later"},
	{"synth torus:5x5; route dfsssp qos=TRUE max_op_vls=1; sweep",
	 NULL,
	 {{"dfsssp-cap", "(AD25)"}, {"engine-refused", "dfsssp refuses, minhop routes"}},
	 NULL},
	/* 120 hosts with 64 LIDs, 40 switches with 1: 39 hops of 7,720 LIDs squared are beyond 2^31, 36 are
	   not */
	{"synth mesh:40x1,hosts=3; set guid 0x0002c90300f00781; route sssp lmc=6",
	 NULL,
	 {{"dfsssp-cap", "sssp counts distances only up to a limit: 7720 LIDs, 39 hops between switches; "
			 "with so many LIDs it makes no route longer than 36 hops"}},
	 NULL},
	{"synth mesh:40x1,hosts=3; route sssp lmc=6",
	 NULL,
	 {{"dfsssp-cap", "sssp refuses: 3 of 40 switches are not reached"}},
	 NULL},
	{"synth mesh:36x1,hosts=3; route sssp lmc=6", NULL, {{NULL, NULL}}, "dfsssp-cap"},
	{"synth mesh:5x4,fail=3,shuffle=1,seed=12; route lash do_mesh_analysis=TRUE",
	 "error hang, warning hot-cable",
	 {{"hang", "OpenSM hangs while it routes here: lash"}},
	 "credit-loop"},
	{"synth mesh:5x4,seed=12; route lash lash_start_vl=2 max_op_vls=1",
	 "error crash",
	 {{"crash", "OpenSM crashes at its next sweep: lash"}},
	 "hang"},
	{"synth torus:4x4; route ftree,no_fallback",
	 "error no-routing",
	 {{"no-routing", "No engine can route"}},
	 "engine-refused"},
	{"synth mesh:4x4; route lash lmc=1", "", {{"rules-differ", "the manual says that LMC > 0"}}, NULL},
	{"synth xgft:6,12:1,6; fail link leaf-01[7]",
	 NULL,
	 {{"thin", "1 of 12 edge switches has fewer uplinks than the rest (5 at least, usually 6): leaf-01"}},
	 NULL},
	{"synth torus:8x8; fail link t00[2]", NULL, {{"thin", "2 of 64 switches have fewer links"}}, NULL},
	/* most leaves show what is usual; without a majority, nothing does */
	{THREE_THIN,
	 NULL,
	 {{"thin", "3 of 8 edge switches have fewer uplinks than the rest (1 at least, usually 4): leaf-01, "
		   "leaf-02, leaf-05; 9 of 12 lost (75 %), 1912.5 Gbit/s."}},
	 NULL},
	{THREE_THIN "; fail link leaf-03[9] leaf-03[10] leaf-03[11]", NULL, {{NULL, NULL}}, "thin"},
	/* two spines that the way up and down does not use since two cables changed places */
	{"synth xgft:8,8:1,4; route updn; swap leaf-01[9] leaf-02[10]",
	 NULL,
	 {{"idle", "32 of 64 channels between switches carry no host traffic, as none passes spine-01, "
		   "spine-02: 50 % of bandwidth lost, 6800.0 Gbit/s."}},
	 NULL},
	{"synth random:24,4,seed=7", NULL, {{"thin", "sw-18"}}, "hot-cable"},
	/* loops that the routes of hosts, or of hosts in the scope, do not make */
	{MTS "; route minhop", "", {{"credit-loop", "(only routes to or from switches close it)"}}, NULL},
	{"synth torus:5x5; route minhop; scope node0001 node0002",
	 "warning credit-loop",
	 {{"credit-loop", "(only routes of what is outside the scope close it)"}},
	 NULL},
};

static void made_faults(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(faults); i++)
		expect(&faults[i], "");
}

static void healthy(void **state)
{
	static const char *const spec[] = {
		"xgft:2,2:1,2",	      "xgft:6,12:1,6",	 "xgft:12,24:1,6", "xgft:4,4,4:1,2,4",
		"xgft:4,4,8:1,4,4",   "torus:4x4",	 "torus:5x5",	   "torus:8x4",
		"torus:4x4x4",	      "mesh:4x4",	 "mesh:8x8",	   "ring:8",
		"hypercube:5",	      "dragonfly:4,2,2", "hyperx:6x6",	   "director:4,6,3,16",
		"published:tsubame2",
	};

	for (size_t i = 0; i < ARRAY_LEN(spec); i++) {
		static const char *const never[] = {"thin",	    "cabling", "hot-cable",    "slow",
						    "single-point", "no-lid",  "slow-sibling", "rails"};
		AUTO_SESSION struct session *s = make_session(line_of("synth %s", spec[i]));
		json_auto_t *o = doctor_object(s);
		for (size_t k = 0; k < ARRAY_LEN(never); k++)
			if (find(o, never[k], ""))
				fail_msg("%s: %s: %s", spec[i], never[k],
					 word_of(find(o, never[k], ""), "text"));
	}
}

/* --- files with faults ------------------------------------------------------------------------- */

/* A file of the project with `from` replaced by `to`, everywhere. */
static void edit(const char *path, const char *from, const char *to)
{
	AUTO_TEXT struct text t = {0};
	AUTO_FREE char *data = file_text(path);
	char *at;

	assert_non_null(strstr(data, from));
	for (char *p = data; *p; p = at + strlen(from)) {
		at = strstr(p, from);
		text_add(&t, "%.*s%s", (int)(at ? at - p : (long)strlen(p)), p, at ? to : "");
		if (!at)
			break;
	}
	write_text(text_str(&t));
}

static void need_in_file(const char *kind, const char *part)
{
	AUTO_SESSION struct session *s = make_session("set rules opensm");

	with_file(s, "load %s");
	doctor_finds(s, kind, part);
}

/* What ibdiagnet found, and files of its folder that are not used. */
#define FOLDER "tests/fabrics/formats/two-leaf.ibdiagnet2/ibdiagnet2.db_csv"
#define SPINE(n, digit, rate) "\"S-0002c90300a000" digit "0\"[1]\t\t# \"spine-0" n "\" lid 0 " rate "\n"
#define NODE1(rate) \
	"[1](2c90300f00001) \t\"S-0002c90300a00000\"[1]\t\t# lid 0 lmc 0 \"leaf-01\" lid 0 " rate "\n"

/* A file, one change of it, and what is found then; text NULL: nothing of that kind. */
static void slow_links(void **state)
{
	static const char ends[] = ",31,31,1,65535,1024,"; /* as a simulator tells them: all bits */
	AUTO_TEMP char *dir = temp_folder();
	AUTO_FREE char *tree = str_printf("%s/tree", dir);
	AUTO_SESSION struct session *made = make_session("synth xgft:8,8:1,4");
	const struct {
		const char *path, *from, *to, *kind, *text;
	} cases[] = {
		{tree, SPINE("1", "8", "4xHDR"), SPINE("1", "8", "1xHDR"), "slow",
		 "1 of 32 links is slower than the rest (1xHDR instead of 4xHDR), 159.4 of 212.5 Gbit/s lost "
		 "(75 %): leaf-01[9] to spine-01[1]."},
		{tree, SPINE("1", "8", "4xHDR"), SPINE("1", "8", "1xHDR"), "thin", NULL},
		/* two such uplinks are as good as half of one */
		{tree, SPINE("1", "8", "4xHDR") "[10]\t" SPINE("2", "9", "4xHDR"),
		 SPINE("1", "8", "1xHDR") "[10]\t" SPINE("2", "9", "1xHDR"), "thin",
		 "1 of 8 edge switches has fewer uplinks than the rest (3 at least, usually 4): leaf-01; 1.5 "
		 "of 4 lost (38 %), 318.8 Gbit/s."},
		{tree, NODE1("4xHDR"), NODE1("4xEDR"), "slow",
		 "1 of 64 host links is slower than the rest (4xEDR instead of 4xHDR), 109.4 of 212.5 Gbit/s "
		 "lost (51 %): node0001[1] to leaf-01[1]."},
		/* enabled at both ends; as fast as what is enabled; not known */
		{FOLDER, ends, ",31,31,1,3845,1024,", "slow", "both ends can (4xHDR instead of 4xNDR)"},
		{FOLDER, ends, ",31,31,1,1797,1024,", "slow", NULL},
		{FOLDER, ends, ends, "slow", NULL},
	};

	ok_linef(made, "save %s", tree);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_SESSION struct session *s = make_session("set rules opensm");

		edit(cases[i].path, cases[i].from, cases[i].to);
		with_file(s, "load %s");
		if (cases[i].text)
			doctor_finds(s, cases[i].kind, cases[i].text);
		else
			doctor_lacks(s, cases[i].kind);
	}
}

/* What iblinkinfo says that a link could be.  A simulator says 12X of each. */
static void could_be(void **state)
{
	static const char *const cases[][2] = {
		{"( Could be 53.125 Gbps)", "1 of 3 host links is slower than both ends can (4xEDR instead "
					    "of 4xHDR), 109.4 of 212.5 Gbit/s"},
		{"(Could be 12X Could be FDR10 (Found link at 25.78125 Gbps))", NULL},
		{"( )", NULL},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_SESSION struct session *s = make_session("set rules opensm");

		write_text(
			line_of("Switch: 0xa1 sw:\n"
				"  1 1[ ] ==( 4X 25.78125 Gbps Active/ LinkUp)==> 2 1[ ] \"a HCA-1\" %s\n"
				"  1 2[ ] ==( 4X 53.125 Gbps Active/ LinkUp)==> 3 1[ ] \"b HCA-1\" ( )\n"
				"  1 3[ ] ==( 4X 25.78125 Gbps Active/ LinkUp)==> 4 1[ ] \"c HCA-1\" ( )\n",
				cases[i][0]));
		with_file(s, "load %s");
		if (cases[i][1])
			doctor_finds(s, "slow", cases[i][1]);
		else
			doctor_lacks(s, "slow");
	}
}

/* Eight hosts with n rails, each rail on a switch of its own, under a spine. */
static void write_rails(unsigned n)
{
	AUTO_TEXT struct text t = {0};

	text_add(&t, "Switch 40 \"spine\"\n");
	for (unsigned rail = 0; rail < n; rail++)
		text_add(&t, "[%u] \"leaf-%u\"[30]\n", 1 + rail, rail);
	for (unsigned rail = 0; rail < n; rail++) {
		text_add(&t, "\nSwitch 40 \"leaf-%u\"\n[30] \"spine\"[%u]\n", rail, 1 + rail);
		for (unsigned host = 0; host < 8; host++)
			text_add(&t, "[%u] \"gpu%u mlx5_%u\"[1]\n", 1 + host, host, rail);
	}
	for (unsigned host = 0; host < 8; host++)
		for (unsigned rail = 0; rail < n; rail++)
			text_add(&t, "\nHca 1 \"gpu%u mlx5_%u\"\n[1] \"leaf-%u\"[%u]\n", host, rail, rail,
				 1 + host);
	write_text(text_str(&t));
}

static void rails(void **state)
{
	static const struct {
		unsigned rails;
		const char *line, *text; /* NULL: nothing */
	} cases[] = {
		{8, "show", NULL},
		{8, "swap \"gpu3 mlx5_2\" \"gpu3 mlx5_5\"",
		 "Rails 3 and 6 are swapped: gpu3 mlx5_2[1] is on leaf-5 and gpu3 mlx5_5[1] on leaf-2, of "
		 "other hosts the other way round; 2 of 8 ports off their rails (25 %), 20.0 Gbit/s."},
		{2, "move host \"gpu3 mlx5_1\" leaf-0",
		 "Rails 1 and 2 are on one switch: gpu3 mlx5_0[1] is on leaf-0 and so is gpu3 mlx5_1[1], of "
		 "other hosts on leaf-1; 1 of 2 ports off their rails (50 %), 10.0 Gbit/s."},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_SESSION struct session *s = make_session("set rules opensm");

		write_rails(cases[i].rails);
		with_file(s, "load %s");
		ok_line(s, cases[i].line);
		if (cases[i].text)
			doctor_finds(s, "rails", cases[i].text);
		else
			doctor_lacks(s, "rails");
	}
}

static void ibdiagnet_folders(void **state)
{
	AUTO_TEMP char *dir = temp_folder();
	AUTO_FREE char *table = file_text("tests/fabrics/formats/two-leaf.lst");

	edit("tests/fabrics/formats/two-leaf.ibdiagnet2/ibdiagnet2.db_csv", "START_SWITCHES\n",
	     "START_ERRORS_X\nScope,NodeGUID,PortGUID,PortNumber,EventName,Summary\nPORT,0x2000,0x2000,3,BAD,"
	     "\"so bad\"\nEND_ERRORS_X\nSTART_SWITCHES\n");
	need_in_file("ibdiagnet", "BAD at 0x0000000000002000[3]: so bad (leaf # one[3])");
	file_write(line_of("%s/x.lst", dir), table);
	file_write(line_of("%s/x.far", dir), "x\n");
	AUTO_SESSION struct session *s = make_session(line_of("load %s", dir));
	doctor_finds(s, "left-out", "x.far: found no table of a switch");
}

/* The engine is one of adaptive routing: who says so, and who says that it is off. */
static void adaptive_routing_off(void **state)
{
#define AR_INFO "START_AR_INFO\nNodeGUID,e\n0x1000,1\n0x2000,%s\n0x3000,%s\nEND_AR_INFO\n"
#define AR_LOG "Adaptive Routing is enabled on %s switches.\n"
	static const struct {
		const char *ar_info, *log, *far, *command, *found; /* found NULL: nothing */
	} cases[] = {
		{"0", NULL, NULL, "route ar_updn", "off on 2 of 3 switches: leaf # one, leaf, \"two\": "},
		{"1", NULL, NULL, "route ar_updn", NULL},
		{"0", NULL, NULL, "route minhop", NULL},
		{"0", NULL, NULL, "config %s", "ar_ftree routes, but adaptive routing is off on 2 of 3 "},
		{NULL, "0", NULL, "route ar_updn", "off on 3 of 3 switches: "},
		{NULL, "2", NULL, "route ar_updn", "off on 1 of 3 switches: "},
		{NULL, "3", NULL, "route ar_updn", NULL},
		{NULL, NULL, NULL, "route ar_updn", NULL},
		{NULL, NULL, "Static", "route ar_updn", "off on 3 of 3 switches: "},
		{NULL, NULL, "Free", "route ar_updn", NULL},
	};

	write_text("routing_engine ar_ftree,updn\n");
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_TEMP char *dir = temp_folder();
		AUTO_FREE char *db = file_text("tests/fabrics/formats/two-leaf.ibdiagnet2/ibdiagnet2.db_csv");
		const char *e = cases[i].ar_info;
		AUTO_SESSION struct session *s = make_session("set rules opensm");

		file_write(line_of("%s/x.db_csv", dir), line_of("%s%s", db, e ? line_of(AR_INFO, e, e) : ""));
		if (cases[i].log)
			file_write(line_of("%s/my-console.txt", dir), line_of(AR_LOG, cases[i].log));
		if (cases[i].far)
			file_write(
				line_of("%s/x.far", dir),
				line_of("Switch 0x1000\nGroups Definition:\n-\n0|0|0|1\n\nLFT Definition:\n"
					"-\n0x2|1|%s|0\n",
					cases[i].far));
		ok_linef(s, "load %s", dir);
		with_file(s, cases[i].command);
		if (cases[i].found)
			doctor_finds(s, "adaptive-off", cases[i].found);
		else
			doctor_lacks(s, "adaptive-off");
		bool told = cases[i].ar_info || cases[i].log || cases[i].far;
		json_auto_t *o = doctor_object(s);
		AUTO_FREE char *missed = json_dumps(json_object_get(o, "not_looked_at"), 0);
		assert_int_equal(strstr(missed, "\"AR state\"") != NULL, !told);
	}
	edit("tests/fabrics/formats/two-leaf.ibdiagnet2/ibdiagnet2.db_csv", "START_SWITCHES\n",
	     "START_SM\nPortGUID,RoutingEngine\n0x4001,ar_updn\nEND_SM\n"
	     "START_AR_INFO\nNodeGUID,e\n0x2000,0\nEND_AR_INFO\nSTART_SWITCHES\n");
	need_in_file("adaptive-off",
		     "ar_updn routes, but adaptive routing is off on 1 of 3 switches: leaf # one");
}

static void bad_sources(void **state)
{
	static const char two_leaf[] = "tests/fabrics/formats/two-leaf.ibnetdiscover";
	static const struct {
		const char *path, *from, *to, *kind, *text;
	} cases[] = {
		{two_leaf, " lid 0 lmc 0\n", " lid 7 lmc 0\n", "duplicate-lid",
		 "2 duplicate LIDs; first: LID 7"},
		{two_leaf, "5001", "4001", "duplicate-guid", "4001"},
		{two_leaf, "[1]	\"S-0000000000001000\"[1]		# \"spine one\" lid 0 4xQDR\n", "",
		 "one-way", "which has no line for it"},
		{two_leaf, "(4001) 		# \"host one\" lid 0", "(4001) 		# \"host one\" lid 3",
		 "no-lid", ""},
		{"tests/fabrics/formats/two-leaf.lst", "LOG=ACT", "LOG=INI", "not-active",
		 "are in Initialize: no subnet manager has activated them"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		edit(cases[i].path, cases[i].from, cases[i].to);
		need_in_file(cases[i].kind, cases[i].text);
	}
}

/* --- tables that were read --------------------------------------------------------------------- */

#define TREE "set port_guids ibsim; synth xgft:2,2:1,2"

/* Tables of minhop on TREE, but for an entry; see dump_change_entry(). */
static void change_entry(const char *sw, unsigned lid, unsigned port)
{
	AUTO_SESSION struct session *s = make_session(TREE "; route minhop");

	with_file(s, "export lfts %s");
	dump_change_entry(file, sw, lid, port);
}

static unsigned lid_of(const char *host)
{
	AUTO_SESSION struct session *s = make_session(TREE "; route minhop");
	unsigned lid = 0;
	struct err e;

	session_endport(s, host, &lid, &e);
	assert_int_not_equal(lid, 0);
	return lid;
}

static void held_tables(void **state)
{
	static const struct {
		const char *sw;
		bool all; /* entries, not only that of node0001 */
		unsigned port;
		struct part part[3];
	} cases[] = {
		{"leaf-02",
		 false,
		 NO_PATH,
		 {{"unreachable", "leaf-02: entries are missing; 2 pairs of hosts have no path, 1 entry."},
		  {"stale", "1 entry is not what minhop computes: a restart writes it."}}},
		{"leaf-02",
		 false,
		 1,
		 {{"unreachable", "leaf-02[1]: what is there does not have the LID; 2 pairs of hosts"},
		  {"drift-unknown", "No engine explains the tables: best is minhop with 96.9 %"}}},
		{"spine-01", false, 2, {{"forwarding-loop", "spine-01 loops packets to 1 LID (one: LID"}}},
		{"leaf-02",
		 true,
		 NO_PATH,
		 {{"incomplete-tables", "INCOMPLETE TABLES: 1 switch of 4 has no table: leaf-02."}}},
		{"",
		 false,
		 NO_PATH,
		 {{"unreachable", "6 pairs of hosts have no path: 1 host has no LID (node0001[1])"}}},
	};
	static const char *const untold[] = {"unreachable", "idle",    "uneven",       "switch-lids",
					     "sm-place",    "no-pair", "drift-unknown"};
	unsigned lid = lid_of("node0001");

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_SESSION struct session *s = make_session(TREE);

		change_entry(cases[i].sw, cases[i].all ? 0 : lid, cases[i].port);
		with_file(s, "tables %s");
		json_auto_t *o = doctor_object(s);
		for (size_t k = 0; k < ARRAY_LEN(cases[i].part) && cases[i].part[k].kind; k++)
			need(o, cases[i].part[k].kind, cases[i].part[k].text);
		if (!i)
			assert_int_equal(
				json_integer_value(json_object_get(find(o, "unreachable", ""), "pairs")), 2);
		if (!cases[i].all)
			continue;
		assert_false(json_boolean_value(json_object_get(o, "tables_complete")));
		for (size_t k = 0; k < ARRAY_LEN(untold); k++)
			if (find(o, untold[k], ""))
				fail_msg("no table: %s", untold[k]);
	}
}

static json_int_t unreachable_of(struct session *s)
{
	bool fault;
	struct err e;
	int rc;
	AUTO_FREE char *text = run_line(s, "check", &rc, &e, true, &fault);
	json_auto_t *o = json_loads(text, 0, NULL);

	return json_integer_value(json_object_get(o, "unreachable"));
}

/* The finding that nothing else stands over, and the number of those with it. */
static const json_t *only_cause(const json_t *o, size_t *n)
{
	const json_t *x, *first = NULL;
	size_t i;

	*n = 0;
	json_array_foreach(json_object_get(o, "findings"), i, x)
	{
		if (!strcmp(word_of(x, "severity"), "note") || json_object_get(x, "follows"))
			continue;
		first = first ? first : x;
		++*n;
	}
	return first;
}

/* The cables of that tree: four hosts a leaf, a cable to each of two spines. */
static void write_plan(const char *path)
{
	AUTO_TEXT struct text t = {0};

	text_add(&t, "node,port,node,port\n");
	for (unsigned leaf = 1; leaf <= 4; leaf++) {
		for (unsigned k = 1; k <= 4; k++)
			text_add(&t, "leaf-%02u,%u,node%04u,1\n", leaf, k, 4 * leaf - 4 + k);
		for (unsigned k = 1; k <= 2; k++)
			text_add(&t, "leaf-%02u,%u,spine-%02u,%u\n", leaf, 4 + k, k, leaf);
	}
	file_write(path, text_str(&t));
}

/* What a plan has that was compared before is the cause of what tables show; another fabric's says nothing.
 */
static void plan_of_session(void **state)
{
	AUTO_TEMP char *dir = temp_folder();
	AUTO_SESSION struct session *made =
		session_after("synth xgft:4,4:1,2; route minhop; export lfts %s/tables; "
			      "remove switch spine-02; save %s/now",
			      dir, dir);
	AUTO_SESSION struct session *s = session_after("load %s/now; tables %s/tables", dir, dir);
	bool fault;
	struct err e;
	int rc;

	write_plan(line_of("%s/plan.csv", dir));
	AUTO_FREE char *told = run_line(s, line_of("plan %s/plan.csv", dir), &rc, &e, false, &fault);
	assert_true(fault);
	doctor_finds(s, "switch-gone", "spine-02 is gone: 4 cables; 96 pairs of hosts");
	AUTO_FREE char *triage = run_line(s, "triage", &rc, &e, false, &fault);
	assert_non_null(strstr(triage, "\nerror   96 pairs: spine-02 is gone: 4 cables ["));
	AUTO_FREE char *json =
		run_line(s, line_of("doctor --baseline %s/plan.csv", dir), &rc, &e, true, &fault);
	assert_non_null(strstr(json, "\"name\":\"spine-02\",\"lid\":null,\"guid\":null"));
	ok_line(s, "synth torus:4x4; route minhop");
	doctor_lacks(s, "switch-gone");
	line_fails(s, line_of("doctor --baseline %s/plan.csv", dir),
		   "the plan seems to be of another fabric");
}

/* Ports that are up and lead nowhere follow from the switch that is gone; without tables they are all that is
 * told. */
static void neighbours_of_gone(void **state)
{
	AUTO_TEMP char *dir = temp_folder();
	AUTO_SESSION struct session *made = session_after(
		"synth xgft:4,4:1,2; route minhop; export lfts %s/tables; fail switch leaf-02; save %s/now",
		dir, dir);
	AUTO_SESSION struct session *s = session_after("load %s/now", dir);
	bool fault;
	struct err e;
	int rc;
	AUTO_FREE char *bare = run_line(s, "triage", &rc, &e, false, &fault);

	assert_non_null(strstr(bare, "error   A part of the fabric is "));
	ok_linef(s, "tables %s/tables", dir);
	AUTO_FREE char *told = run_line(s, "triage", &rc, &e, false, &fault);
	assert_non_null(strstr(told, "\nerror   leaf-02 is gone: 2 cables [check]\nNot looked at"));
	doctor_finds(s, "incomplete", "4 cut-off ports");
}

/* Tables of before on a fabric that lacks a part: one cause by its name, and all lost pairs under it. */
static void one_cause(void **state)
{
	static const struct {
		const char *edit, *with, *kind, *text;
	} cases[] = {
		{"remove switch spine-02", "", "switch-gone",
		 "spine-02 is gone: 4 cables; 96 pairs of hosts"},
		{"remove switch spine-02", "before", "switch-gone", "spine-02 is gone: 4 cables; 96 pairs"},
		{"remove switch leaf-02", "before", "switch-gone", "leaf-02 is gone: 6 cables, 4 hosts"},
		{"remove link leaf-01[5]", "", "cable-gone", "Cable leaf-01[5] to spine-01[1] is gone; "},
		{"remove link spine-01[1]", "before", "cable-gone", "leaf-01[5] to spine-01[1] is gone; "},
		{"remove host node0003", "", "host-gone", "node0003 is gone, last seen at leaf-01[3]"},
		{"remove host node0003", "before", "host-gone", "node0003 is gone, last seen at leaf-01[3]"},
		{"speed leaf-01[5] 4xQDR", "before", "cable-slower", "leaf-01[5]"},
		{"set lmc 0", "before", NULL, NULL},
		{"remove switch spine-02", "plan.csv", "switch-gone",
		 "spine-02 is gone: 4 cables; 96 pairs of hosts"},
		{"remove switch leaf-02", "plan.csv", "switch-gone", "leaf-02 is gone: 6 cables, 4 hosts"},
		{"remove link spine-01[1]", "plan.csv", "cable-gone", "leaf-01[5] to spine-01[1] is gone; "},
		{"remove host node0003", "plan.csv", "host-gone",
		 "node0003 is gone, last seen at leaf-01[3]"},
		{"set lmc 0", "plan.csv", NULL, NULL},
	};
	static const char tree[] = "set port_guids ibsim; synth xgft:4,4:1,2";
	AUTO_TEMP char *dir = temp_folder();
	size_t n;

	AUTO_SESSION struct session *before =
		session_after("%s; route minhop; save %s/before; export lfts %s/tables", tree, dir, dir);
	write_plan(line_of("%s/plan.csv", dir));
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		bool fault;
		int rc;
		struct err e;

		AUTO_SESSION struct session *edited =
			session_after("%s; %s; save %s/now", tree, cases[i].edit, dir);
		AUTO_SESSION struct session *s = session_after("load %s/now; tables %s/tables", dir, dir);
		const char *line = "doctor";
		if (*cases[i].with)
			line = line_of("doctor --baseline %s/%s", dir, cases[i].with);
		AUTO_FREE char *text = run_line(s, line, &rc, &e, true, &fault);
		json_auto_t *o = json_loads(text, 0, NULL);
		const json_t *x = only_cause(o, &n);

		assert_int_equal(fault, cases[i].kind != NULL);
		if (!cases[i].kind) {
			assert_null(x);
			continue;
		}
		meet(cases[i].kind);
		assert_string_equal(word_of(x, "kind"), cases[i].kind);
		if (n != 1 || !strstr(word_of(x, "text"), cases[i].text))
			fail_msg("%s, %s: %zu causes: %s", cases[i].edit, line, n, text);
		assert_int_equal(json_integer_value(json_object_get(x, "pairs")), (int)unreachable_of(s));
		proposals_work(s, json_object_get(o, "findings"));
		AUTO_FREE char *told = run_line(s, line, &rc, &e, false, &fault);
		size_t lines = 0;
		for (const char *c = told; *c; c++)
			lines += *c == '\n';
		if (lines > 20)
			fail_msg("%zu lines: %s", lines, told);
	}
}

/* A switch that answers nothing while its links are up. */
static void silent_switch(void **state)
{
	edit("tests/fabrics/formats/two-leaf.ibdiagnet2/ibdiagnet2.db_csv",
	     "0x0000000000001000,1,0x0000000000002000,1\n0x0000000000001000,2,0x0000000000003000,1\n", "");
	AUTO_SESSION struct session *s = make_session("set rules opensm");

	with_file(s, "load %s");
	ok_line(s, "tables tests/fabrics/formats/two-leaf.fdbs");
	doctor_finds(s, "silent-switch", "does not answer");
}

/* Lines of triage are never wider than a terminal, whatever the names. */
static void triage_width(void **state)
{
	static const char *const states[] = {
		SELENE "; fail switch \"MF0;CSPINE3-69:MQM8700/U1\"", STORAGE "; fail random 3",
		"synth torus:5x5; route minhop",
		"synth xgft:4,4:1,2; rename leaf-01 "
		"\"\xe2\x82\xac a name that is as long as the name of a switch may ever be\"; "
		"route minhop; fail switch leaf-02; fail link 0x0002c90300f00000[1]"};
	bool fault;
	struct err e;
	int rc;

	for (size_t i = 0; i < ARRAY_LEN(states); i++) {
		AUTO_SESSION struct session *s = make_session(states[i]);
		AUTO_FREE char *text = run_line(s, "triage", &rc, &e, false, &fault);
		size_t lines = 0;

		assert_int_equal(rc, 0);
		for (const char *c = text, *end; (end = strchr(c, '\n')); c = end + 1, lines++)
			if (text_characters(c, (size_t)(end - c)) > TRIAGE_COLUMNS)
				fail_msg("%s: %.*s", states[i], (int)(end - c), c);
		assert_true(lines >= 2 && lines <= 10);
	}
}

/* Tables of dfsssp where the configuration says something else; found only where they are those alone. */
static void tables_of_another_engine(void **state)
{
	static const char fabric[] = "synth xgft:4,4:1,4";
	static const struct {
		const char *conf, *made, *edit, *found; /* NULL: nothing */
	} cases[] = {
		{"ftree", "dfsssp", "",
		 "The switches hold the tables of dfsssp, the configuration says ftree: a restart changes 20 "
		 "entries."},
		{"sssp", "dfsssp", "", NULL},
		{"dfsssp", "dfsssp", "", NULL},
		{"dfsssp", "ftree", "",
		 "The switches hold the tables of updn or dnup or ftree, the configuration says dfsssp: a "
		 "restart changes 20 "},
		/* they are not wholly those of an engine */
		{"ftree", "dfsssp", "fail link leaf-01[5]; ", NULL},
		/* minhop keeps what is as short */
		{"minhop", "dfsssp", "", NULL},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_SESSION struct session *made = make_session(fabric);
		AUTO_SESSION struct session *s = make_session(fabric);

		ok_linef(made, "%sroute %s", cases[i].edit, cases[i].made);
		with_file(made, "export lfts %s");
		with_file(s, "tables %s");
		write_text(line_of("routing_engine %s\n", cases[i].conf));
		with_file(s, "config %s");
		if (cases[i].found)
			doctor_finds(s, "other-engine", cases[i].found);
		else
			doctor_lacks(s, "other-engine");
	}
}

/* Is a finding about an engine that nobody said is running? */
static bool what_if(struct session *s, const char *kind)
{
	json_auto_t *o = doctor_object(s);

	need(o, kind, "");
	return json_boolean_value(json_object_get(find(o, kind, ""), "what_if"));
}

static void engines_that_nobody_named(void **state)
{
	AUTO_SESSION struct session *s = make_session("synth torus:5x5,fail=1,seed=3");
	AUTO_SESSION struct session *held = make_session(TREE);
	unsigned lid = lid_of("node0001");

	assert_true(what_if(s, "credit-loop"));
	assert_false(what_if(s, "thin"));
	ok_line(s, "route minhop");
	assert_false(what_if(s, "credit-loop"));

	/* of tables: guessed from them, or named by its options */
	change_entry("leaf-02", lid, NO_PATH);
	with_file(held, "tables %s");
	assert_true(what_if(held, "stale"));
	assert_false(what_if(held, "unreachable"));
	write_text("routing_engine minhop\n");
	with_file(held, "config %s");
	change_entry("leaf-02", lid, NO_PATH);
	with_file(held, "tables %s");
	assert_false(what_if(held, "stale"));
}

/* Loops that only aggregation nodes make are notes, unless these count. */
static void loops_of_others(void **state)
{
	AUTO_TEXT struct text t = {0};
	AUTO_SESSION struct session *s = make_session("set rules opensm");

	for (unsigned k = 0; k < 5; k++) {
		text_add(&t, "Switch 8 \"s%u\"\n[1] \"s%u\"[2]\n[2] \"s%u\"[1]\n", k, (k + 1) % 5,
			 (k + 4) % 5);
		text_add(&t, "[3] \"Aggregation Node %u\"[1]\n%s", k, k < 2 ? "" : "\n");
		if (k < 2)
			text_add(&t, "[4] \"h%u\"[1]\n\nHca 1 \"h%u\"\n[1] \"s%u\"[4]\n\n", k, k, k);
		text_add(&t, "Hca 1 \"Aggregation Node %u\"\n[1] \"s%u\"[3]\n\n", k, k);
	}
	write_text(text_str(&t));
	with_file(s, "load %s");
	ok_line(s, "route minhop");
	json_auto_t *o = doctor_object(s);
	need(o, "credit-loop", "(only routes of aggregation nodes close it)");
	assert_string_equal(word_of(find(o, "credit-loop", ""), "severity"), "note");
	ok_line(s, "set aggregation_nodes count");
	json_auto_t *counted = doctor_object(s);
	assert_string_equal(word_of(find(counted, "credit-loop", ""), "severity"), "error");
}

/* --- files of GUIDs, a torus, maps ------------------------------------------------------------- */

#define LEVELS "synth xgft:4,4,4:1,2,4; "

static const struct {
	struct expected found; /* its lines have the name of the file at %s */
	const char *text;      /* what the file holds */
} with_files[] = {
	{{LEVELS "route updn root_guid_file=%s",
	  NULL,
	  {{"guid-file", "OpenSM looks for roots as well"}},
	  NULL},
	 "0x1 nobody\nrubbish\n"},
	/* "manual" in the name of the file makes no difference between OpenSM and its manual */
	/* a leaf and two of four spines */
	{{"synth xgft:8,8:1,4; route updn root_guid_file=%s",
	  NULL,
	  {{"idle", "as none passes spine-03, spine-04: 50 % of bandwidth lost, 6800.0 Gbit/s"}},
	  NULL},
	 "0x2c90300a00000\n0x2c90300a00080\n0x2c90300a00090\n"},
	{{LEVELS "route ftree root_guid_file=%s", NULL, {{"guid-file", "ignored: "}}, "rules-differ"},
	 "0x1 nobody\n"},
	{{LEVELS "route ftree; ranks; roots export %s; route ftree cn_guid_file=node00*",
	  NULL,
	  {{NULL, NULL}},
	  "not-listed"},
	 ""},
	{{LEVELS "route ftree cn_guid_file=node000*",
	  NULL,
	  {{"not-listed", "55 hosts are neither in cn_guid_file nor in io_guid_file"}},
	  NULL},
	 ""},
	{{"synth ring:4; route minhop partition_config_file=%s",
	  "",
	  {{"kept-apart", "12 pairs of hosts without a common P_Key"}},
	  NULL},
	 "X=0x1:SELF=full;\n"},
	/* 0x2c90300f00021 is the port of node0002, whose GUID is one less */
	{{"synth ring:4; route minhop partition_config_file=%s",
	  "warning partition-guid, warning no-full-member",
	  {{"partition-guid", ":2: OpenSM wants the GUID of a port, not of a node: 0x0002c90300f00020 is "
			      "node0002, ports 0x0002c90300f00021; P gets no port by it."},
	   {"partition-guid", ":3: no port has this GUID: 0x000000000000dead; P gets no port by it."},
	   {"no-full-member",
	    ":4: all members of 0x0003 Q are limited: none of 2 can talk to another by it."},
	   {"no-partition", "2 host ports in no partition but the default one, limited: node0002[1], "},
	   {"kept-apart", "12 pairs of hosts without a common P_Key"},
	   {"kept-apart", "; 12 of them share one, but both as limited members."}},
	  NULL},
	 "# "
	 "P\nP=2:0x2c90300f00001=full,0x2c90300f00020=full,\n0xdead;\nQ=3:0x2c90300f00001,0x2c90300f00041;"
	 "\n"},
	{{"synth ring:4; route minhop partition_config_file=%s",
	  "warning partition-file",
	  {{"partition-file", ":2: found '0x100002-0x100005=full': no GUID of a port; OpenSM gives the file "
			      "up."}},
	  "partition-guid"},
	 "P=2:0xdead=full;\nQ=3:0x100002-0x100005=full;\n"},
	/* all hosts may talk to all */
	{{"synth ring:4; route minhop partition_config_file=%s", "", {{NULL, NULL}}, "no-partition"},
	 "Default=0x7fff:ALL=full;\nP=2:0x2c90300f00001=full,0x2c90300f00041;\n"},
	{{"synth mesh:5x4; set qos TRUE; route torus-2QoS torus_config=%s",
	  NULL,
	  {{"torus-holes", "4 switches are outside the torus"}},
	  NULL},
	 "mesh 4 4 1\nxp_link 0x2c90300a00000 0x2c90300a00040\nyp_link 0x2c90300a00000 0x2c90300a00010\n"},
	/* a leaf with two CAs and a cable to its neighbour */
	{{"set rules opensm; load %s; route ftree",
	  NULL,
	  {{"ftree-lottery", "differs from run to run on this fabric"}},
	  NULL},
	 "Switch 8 \"spine1\"\n[1] \"leaf1\"[1]\n[2] \"leaf2\"[1]\n\n"
	 "Switch 8 \"spine2\"\n[1] \"leaf1\"[2]\n[2] \"leaf2\"[2]\n\n"
	 "Switch 8 \"leaf1\"\n[1] \"spine1\"[1]\n[2] \"spine2\"[1]\n[3] \"leaf2\"[3]\n[4] \"h1\"[1]\n[5] "
	 "\"h2\"[1]\n\n"
	 "Switch 8 \"leaf2\"\n[1] \"spine1\"[2]\n[2] \"spine2\"[2]\n[3] \"leaf1\"[3]\n[4] \"h3\"[1]\n[5] "
	 "\"h4\"[1]\n\n"
	 "Hca 1 \"h1\"\n[1] \"leaf1\"[4]\n\nHca 1 \"h2\"\n[1] \"leaf1\"[5]\n\n"
	 "Hca 1 \"h3\"\n[1] \"leaf2\"[4]\n\nHca 1 \"h4\"\n[1] \"leaf2\"[5]\n"},
	/* what ports did, each kind once */
	{{"synth xgft:3,3:1,2; route updn; counters all %s",
	  "warning roots-fragile, warning errors, warning flapped, warning degraded",
	  {{NULL, NULL}},
	  NULL},
	 "   GUID 0x2c90300a00000 port 4: [SymbolErrorCounter == 12] [LinkDownedCounter == 10]\n"
	 "   GUID 0x2c90300a00000 port 5: [PortXmitDiscards == 100] [LinkDownedCounter == 9]\n"
	 "#IB : GUID : Raw BER : Effective BER : Symbol BER\n"
	 "4 : 0x2c90300a00000 : 1E-7 : 1E-13 : 1E-13\n"
	 "5 : 0x2c90300a00000 : 1E-7 : 1E-11 : 1E-13\n"},
};

static void files_of_options(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(with_files); i++)
		expect(&with_files[i].found, with_files[i].text);
}

/* SL 0 leads to VL 15 at all switches. */
static void dropped(void **state)
{
	AUTO_SESSION struct session *s = make_session("synth ring:4; route minhop qos=TRUE");

	with_file(s, "export sl2vl %s");
	edit(file, ": 0  1 ", ": 15 1 ");
	with_file(s, "route minhop sl2vl_file=%s");
	doctor_finds(s, "dropped", "an SL leads to VL 15");
}

/* --- the rest ---------------------------------------------------------------------------------- */

/* Findings are by severity, then by pairs; every one says what it means and which command shows more. */
static void order_and_words(void **state)
{
	static const char *const severities = "error warning note";
	AUTO_SESSION struct session *s = make_session(SELENE "; route updn");
	json_auto_t *o = doctor_object(s);
	json_t *list = json_object_get(o, "findings"), *x;
	const char *last = severities;
	size_t i;

	json_array_foreach(list, i, x)
	{
		const char *at = strstr(severities, word_of(x, "severity"));

		assert_true(at && at >= last);
		last = at;
		assert_true(*word_of(x, "meaning") && *word_of(x, "more") && *word_of(x, "sure"));
	}
	assert_true(json_array_size(list) > 10);
}

/* The pane lists the same, and Enter on each leads to a command that there is. */
static void pane(void **state)
{
	AUTO_SESSION struct session *s = make_session(STAGE "; route updn");
	json_auto_t *o = doctor_object(s);
	json_t *x;
	AUTO_SCENE struct scene sc = {0};
	struct err e;
	size_t i;
	uint32_t row = 0; /* those that follow from another one have none */

	scene_take(&sc, s);
	AUTO_VIEW struct view *v = view_new(view_find("doctor"), &sc, 0, NULL, &e);
	assert_non_null(v);
	assert_true(view_settle(v, NULL));
	json_array_foreach(json_object_get(o, "findings"), i, x)
	{
		AUTO_TEXT struct text t = {0};
		AUTO_TEXT struct text line = {0};
		char word[20];

		if (json_object_get(x, "follows"))
			continue;
		view_cell(v, row, 4, &t);
		assert_string_equal(text_str(&t), word_of(x, "text"));
		view_follow(v, row++, &line);
		assert_int_equal(sscanf(text_str(&line), "%19s", word), 1);
		assert_non_null(command_find(s, word, &e));
	}
	assert_int_equal(v->n_rows, row);
	assert_true(row < json_array_size(json_object_get(o, "findings")));
}

static void cancelling(void **state)
{
	AUTO_SESSION struct session *s = make_session(SELENE);
	struct progress p = {.cancel = true};
	struct doctor_request rq = {.setup = s->setup, .engines = s->engines};
	struct err e;

	assert_null(doctor_run(&rq, &p, &e));
	assert_string_equal(e.msg, CANCELLED);
}

/* What the subnet managers of a live fabric answered. */
static void managers_of_live(void **state)
{
	static const struct {
		enum manager_state state[3];
		unsigned n;
		const char *kind, *text, *check;
	} cases[] = {
		{{0}, 0, "no-manager", "No subnet manager answers.", "nobody will repair this"},
		{{MANAGER_SILENT}, 1, "no-manager", "No subnet manager answers.", "nobody will repair this"},
		{{MANAGER_STANDBY, MANAGER_SILENT},
		 2,
		 "no-manager",
		 "No subnet manager is master (node0001 is standby).",
		 "before one takes over"},
		{{MANAGER_MASTER, MANAGER_STANDBY, MANAGER_MASTER},
		 3,
		 "two-masters",
		 "2 subnet managers are master (node0001, ",
		 "each writes over"},
		{{MANAGER_STANDBY, MANAGER_MASTER}, 2, NULL, NULL, NULL},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_SESSION struct session *s = make_session("synth xgft:4,4:1,2; route minhop");
		struct fabric *f = (struct fabric *)(uintptr_t)s->fabric;
		struct managers *m = managers_new(cases[i].n);
		uint32_t host = 0;

		m->asked = true;
		for (; m->n < cases[i].n; host++)
			if (!endport_is_switch(f, host))
				m->m[m->n] = (struct manager){.guid = f->port_guid[f->endport_port[host]],
							      .state = cases[i].state[m->n]},
				m->n++;
		f->managers = &m->counted;
		json_auto_t *o = doctor_object(s);
		if (cases[i].kind) {
			need(o, cases[i].kind, cases[i].text);
			line_says(s, "check", cases[i].check);
		} else {
			assert_null(find(o, "no-manager", ""));
			assert_null(find(o, "two-masters", ""));
		}
	}
}

#define LOGGED SMALL "opensm-log"

/* What the subnet manager's log tells, of this fabric and of another one. */
static void managers_log(void **state)
{
	AUTO_SESSION struct session *s = make_session(LOGGED);
	json_auto_t *o = doctor_object(s);

	(void)state;
	need(o, "log-errors",
	     "The manager's log: a management packet is not answered (5411), 10 times at leaf-02[6], "
	     "leaf-02[7], "
	     "leaf-01[6], last Nov 29 19:57:31, before the last good sweep.");
	need(o, "log-errors", "(3315), 6 times at leaf-01[6], leaf-02[6], leaf-02[7]");
	need(o, "log-flaps",
	     "leaf-01[5] - spine-01[1] went down 3 times, first Nov 29 19:56:46, last Nov 29 19:56:58");
	need(o, "log-flaps", "leaf-02[6] - spine-02[2] or a cable beside it went down 2 times");
	need(o, "log-flaps", "leaf-02[1] - h3[1] went down 2 times");
	need(o, "log-fallback",
	     "engine ftree refused the fabric 14 times, last Nov 29 19:57:35 (Fabric topology is not a "
	     "fat-tree); "
	     "minhop routed.");
	assert_null(find(o, "log-strange", ""));
	ok_line(s, "synth ring:4; route minhop; log tests/fabrics/formats/opensm-log/opensm.log");
	json_auto_t *other = doctor_object(s);
	need(other, "log-strange", "is another fabric's log: of ");
	assert_null(find(other, "log-errors", ""));
	ok_line(s, "log forget");
	json_auto_t *none = doctor_object(s);
	assert_null(find(none, "log-strange", ""));
}

/* Every rule of the table was met by a test above. */
static void all_rules(void **state)
{
	const char *kind, *meaning;

	for (size_t i = 0; doctor_rule(i, &kind, &meaning); i++) {
		assert_true(i < ARRAY_LEN(met) && *meaning);
		if (!met[i])
			fail_msg("no test has %s", kind);
		if (!tried[i])
			fail_msg("nobody tried what %s proposes", kind);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(real_fabrics),
		cmocka_unit_test(made_faults),
		cmocka_unit_test(healthy),
		cmocka_unit_test(bad_sources),
		cmocka_unit_test(slow_links),
		cmocka_unit_test(could_be),
		cmocka_unit_test(rails),
		cmocka_unit_test(held_tables),
		cmocka_unit_test(one_cause),
		cmocka_unit_test(plan_of_session),
		cmocka_unit_test(neighbours_of_gone),
		cmocka_unit_test(silent_switch),
		cmocka_unit_test(triage_width),
		cmocka_unit_test(tables_of_another_engine),
		cmocka_unit_test(files_of_options),
		cmocka_unit_test(dropped),
		cmocka_unit_test(order_and_words),
		cmocka_unit_test(pane),
		cmocka_unit_test(cancelling),
		cmocka_unit_test(ibdiagnet_folders),
		cmocka_unit_test(adaptive_routing_off),
		cmocka_unit_test(engines_that_nobody_named),
		cmocka_unit_test(loops_of_others),
		cmocka_unit_test(place_named_later),
		cmocka_unit_test(managers_of_live),
		cmocka_unit_test(managers_log),
		cmocka_unit_test(all_rules),
	};
	int fd = mkstemp(file);

	if (fd < 0)
		return 1;
	close(fd);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(file);
	return failed;
}
