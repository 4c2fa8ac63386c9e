/* OpenSM's log: forms of both families, places by GUID, LID and path, flaps by cable, the table of codes. */
#include "fixture.h"

#include "core/base/wordlist.h"
#include "core/formats/opensm_log.h"

#define FOLDER "tests/fabrics/formats/opensm-log"
#define AT "Nov 29 10:00:00 123456 [A1B2C3D4] "

static struct opensm_log *log_of(const char *text)
{
	struct err e;
	struct opensm_log *log = opensm_log_parse(&(struct input){"t", text, strlen(text), NULL}, &e);

	if (!log)
		fail_msg("%s", e.msg);
	return log;
}

/* The errors of a log beside the fabric of the folder, as "CODE COUNT PLACES; ..." */
static void faults_are(const char *text, const char *expected)
{
	AUTO_SESSION struct session *s = make_session("load " FOLDER);
	AUTO_ARENA void *arena = ARENA_EMPTY;
	AUTO_TEXT struct text t = {0};
	struct opensm_log *log = log_of(text);
	struct err e;
	const struct log_fault *x = log_faults(arena, log_join_new(arena, log, s->fabric, NULL), &e);

	for (assert_non_null(x); x->code; x++)
		text_add(&t, "%s%s %u %s", t.len ? "; " : "", x->code, x->count, x->places ? x->places : "-");
	assert_string_equal(text_str(&t), expected);
	opensm_log_unref(log);
}

/* The flaps of a log, as "PORT COUNT/ONE_OF ..." by the first port of each cable that went down. */
static void flaps_are(const char *text, const char *expected)
{
	AUTO_SESSION struct session *s = make_session("load " FOLDER);
	AUTO_ARENA void *arena = ARENA_EMPTY;
	AUTO_TEXT struct text t = {0};
	struct opensm_log *log = log_of(text);
	const struct log_join *j = log_join_new(arena, log, s->fabric, NULL);

	for (uint32_t link = 0; link < s->fabric->n_links; link++)
		if (j->cable[link].flaps)
			text_add(&t, "%s%s %u/%u", t.len ? ", " : "",
				 PORT_LABEL(s->fabric, s->fabric->link_port[2 * link]), j->cable[link].flaps,
				 j->cable[link].one_of);
	assert_string_equal(text_str(&t), expected);
	opensm_log_unref(log);
}

static void places(void **state)
{
	(void)state;
	/* over two lines; the path stands in the next entry of the same thread, from the manager's port */
	faults_are(AT "0x02 -> osm_opensm_bind: Setting IS_SM on port 0x0000000000100001\n" AT
		      "0x01 -> log_send_error: ERR 5411: DR SMP Send completed with error (IB_TIMEOUT) -- "
		      "dropping\n\t\t\tMethod 0x1, Attr 0x20, TID 0x11f51\n"
		      "Nov 29 10:00:00 123456 [B1B2C3D4] 0x02 -> Received SMP on a 1 hop path: Initial path "
		      "= 0,1\n" AT
		      "0x01 -> Received SMP on a 2 hop path: Initial path = 0,1,6, Return path  = 0,0,0\n" AT
		      "0x01 -> sm_mad_ctrl_send_err_cb: ERR 3113: MAD completed in error (IB_TIMEOUT)\n",
		   "3113 1 -; 5411 1 leaf-01[6]");
	/* a prompt in front; GUID and port; a LID; a GUID that nobody has; a code of both */
	faults_are(
		"OpenSM $ " AT
		"0x01 -> x: ERR 3315: Unknown remote side for node 0x0000000000200000 (leaf-01) "
		"port 6. Adding\n" AT "0x01 -> y: ERR 2109: No port found with requested LID 1\n" AT
		"0x01 -> z: ERR 0D01: node 0x77 is new\n" AT
		"0x01 -> perfmgr_x: ERR 5402: h1 (0x100000) port 1 LID 2\n" AT
		"0x01 -> log_trap_info: Received Generic Notice type:0 num:129 (Link) Producer:2 (Switch) "
		"from "
		"LID:2 Port 5 TID:0x0\n",
		"0D01 1 0x77; 2109 1 h1[1]; 3315 1 leaf-01[6]; PerfMgr-5402 1 h1[1]; trap129 1 leaf-01[5]");
}

#define CHANGE(lid)                                                                                        \
	AT "0x01 -> log_trap_info: Received Generic Notice type:1 num:128 (Link state change) Producer:2 " \
	   "(Switch) from LID:" lid " TID:0x0\n"
#define UP AT "0x02 -> SUBNET UP\n"

static void flaps(void **state)
{
	(void)state;
	/* NVIDIA's: both ends tell of one */
	flaps_are(AT "0x02 -> osm_pi_rcv_process: Switch 0x200000 leaf-01 port 5 changed state from ACTIVE "
		     "to DOWN\n" AT "0x02 -> osm_pi_rcv_process: Switch 0x200002 sp port 1 (S1/1) changed "
		     "state from ACTIVE to DOWN\n" AT
		     "0x02 -> osm_pi_rcv_process: Switch 0x200002 sp port 1 (S1/1) changed state from DOWN "
		     "to INIT\n" CHANGE("2") CHANGE("4") UP,
		  "leaf-01[5] 1/1");
	/* traps alone: down and up are one; the notice of one end may be lost; parallel cables */
	flaps_are(CHANGE("2") CHANGE("4") UP CHANGE("4") CHANGE("2") UP, "leaf-01[5] 1/1");
	flaps_are(CHANGE("2") UP CHANGE("2") CHANGE("4") UP CHANGE("4") UP CHANGE("2") CHANGE("4") UP,
		  "leaf-01[5] 2/1");
	flaps_are(CHANGE("3") CHANGE("6") UP, "leaf-02[6] 1/2, leaf-02[7] 1/2");
	/* a host that left alone, and two at once, which is no flap */
	flaps_are(CHANGE("3") AT
		  "0x02 -> drop_mgr_remove_port: Removed port with GUID:0x0000000000100005 LID "
		  "range [7, 7] of node:h3\n" UP,
		  "leaf-02[1] 1/1");
	flaps_are(AT "0x02 -> drop_mgr_remove_port: Removed port with GUID:0x0000000000100005 LID range\n" AT
		     "0x02 -> drop_mgr_remove_port: Removed port with GUID:0x0000000000100007 LID range\n" UP,
		  "");
}

static void engines(void **state)
{
	struct opensm_log *log =
		log_of(" Activate 'updn,minhop' routing engine(s)\n"
		       "*********************** HEAVY SWEEP START ************************\n" AT
		       "0x80 -> Entering MASTER state\n" AT
		       "0x02 -> updn_lid_matrices: disabling UPDN algorithm, no root nodes were found\n" AT
		       "0x01 -> ucast_mgr_route: updn: cannot build lid matrices.\n" AT
		       "0x02 -> osm_ucast_mgr_process: minhop tables configured on all switches\n" UP AT
		       "0x01 -> Errors during initialization\n");
	uint32_t n;

	(void)state;
	assert_string_equal(opensm_log_last(log, LOGGED_WANTED, NULL, NULL)->word, "updn");
	assert_string_equal(opensm_log_last(log, LOGGED_ENGINE, NULL, NULL)->word, "minhop");
	assert_string_equal(opensm_log_last(log, LOGGED_REFUSED, NULL, NULL)->word, "updn");
	assert_string_equal(opensm_log_last(log, LOGGED_REFUSED, NULL, NULL)->text,
			    "disabling UPDN algorithm, no root nodes were found");
	assert_string_equal(opensm_log_last(log, LOGGED_STATE, NULL, NULL)->word, "MASTER");
	opensm_log_last(log, LOGGED_SWEEP, "heavy", &n);
	assert_int_equal(n, 1);
	opensm_log_last(log, LOGGED_SWEEP, "failed", &n);
	assert_int_equal(n, 1);
	assert_int_equal(log->entries, 6);
	opensm_log_unref(log);
}

static void no_log(void **state)
{
	struct err e;

	(void)state;
	assert_null(opensm_log_load("tests/fabrics/formats/two-leaf.lst", NULL, &e));
	assert_non_null(strstr(e.msg, "two-leaf.lst: found no entry of OpenSM's log, expected 'Nov 29 "));
}

/* Many entries of few places stay few. */
static void large(void **state)
{
	AUTO_TEXT struct text t = {0};

	(void)state;
	for (unsigned i = 0; i < 20000; i++)
		text_add(&t,
			 AT "0x01 -> x: ERR 3315: Unknown remote side for node 0x200000 (leaf) port %u.\n",
			 i % 5 + 1);
	struct opensm_log *log = log_of(text_str(&t));
	assert_int_equal(log->n, 5);
	assert_true(log->cap < 10000);
	assert_int_equal(log->group[0].count, 4000);
	opensm_log_unref(log);
}

/* What a person does: the command, the pane, what is refused. */
static void words(void **state)
{
	AUTO_SESSION struct session *s = make_session("load " FOLDER);

	(void)state;
	line_says(s, "log",
		  "14 x ftree refused the fabric, last Nov 29 19:57:35: Fabric topology is not a fat-tree");
	line_says(s, "log",
		  "10 x 5411: a management packet is not answered, at leaf-02[6], leaf-02[7], leaf-01[6]");
	line_says(s, "list cables sort flaps reverse",
		  "leaf-01[5] spine-01[1] up    4xSDR     3 Nov 29 19:56:58");
	ok_line(s, "synth ring:4");
	line_fails(s, "log", "no log of a subnet manager is known: `log FILE`, or load its folder");
}

struct code_row {
	const char *code, *brief, *means, *remedy, *with, *severity;
};

/* Each code stands once; what is short stays short. */
static void codes(void **state)
{
	AUTO_ARENA void *arena = ARENA_EMPTY;
	AUTO_TEXT struct text all = {0};
	struct err e;
	const struct code_row *row =
		wordlist_read(arena, ".codes", "code brief means remedy? with? severity?", &e);
	unsigned n = 0;

	(void)state;
	for (assert_non_null(row); row->code; row++) {
		assert_true(strlen(row->brief) <= 38);
		assert_true(!row->severity || !strcmp(row->severity, "error") ||
			    !strcmp(row->severity, "note"));
		for (const char *c = row->code; *c; c += strcspn(c, " "), c += strspn(c, " "), n++) {
			AUTO_FREE char *code = str_printf("%.*s", (int)strcspn(c, " "), c);

			if (words_have(text_str(&all), code))
				fail_msg("%s stands twice", code);
			text_add(&all, "%s ", code);
		}
	}
	assert_true(n >= 300);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(places), cmocka_unit_test(flaps), cmocka_unit_test(engines),
		cmocka_unit_test(no_log), cmocka_unit_test(large), cmocka_unit_test(words),
		cmocka_unit_test(codes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
