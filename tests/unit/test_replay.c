/* The commands that lead to a session, and Slurm's topology of small fabrics (tests/sessions/run.py has real
 * ones). */
#include "fixture.h"

#include "core/formats/readers.h"
#include "core/session/out.h"
#include "core/session/replay.h"

static void check_script(const char *lines, const char *script, const char *lost)
{
	AUTO_SESSION struct session *s = session_after("%s", lines);
	AUTO_BY(replay_free) struct replay r;

	replay_make(&r, s, NULL, NULL, NULL);
	assert_string_equal(text_str(&r.script), script);
	assert_string_equal(text_str(&r.lost), lost);
}

static void test_script(void **state)
{
	check_script("synth ring:5", "synth ring:5\n", "");
	check_script("load demo; route minhop", "load demo\nroute minhop\n", "");
	check_script("set lmc 1; synth ring:5; route minhop; snapshot 'a b'; fail switch ring1; undo",
		     "set lmc 1\nsynth ring:5\nroute minhop\nsnapshot \"a b\"\nfail switch ring1\nundo\n",
		     "");
	check_script("synth ring:5; set qos TRUE; route minhop; unset qos",
		     "synth ring:5\nset qos TRUE\nroute minhop\nunset qos\n", "");
	check_script("synth ring:5; route minhop; reset; fail link ring0[1]",
		     "synth ring:5\nroute minhop\nreset\nfail link ring0[1]\n", "");
	check_script("synth ring:5; route minhop; snapshot a; synth ring:6",
		     "synth ring:6\nroute minhop\nreset\n",
		     "Snapshot \"a\": it is of no event of this journal.\n");
	check_script("synth ring:5; route minhop; snapshot $'a\\nb'; synth ring:5",
		     "synth ring:5\nroute minhop\nreset\n",
		     "Snapshot \"a\\x0ab\": it is of no event of this journal.\n");
}

/* Tables that were read live are a comment of their own line; what follows is a command. */
static void test_live_tables(void **state)
{
	static const char *const read[] = {"tables live", "tables live ca0:1", "route live"};

	for (size_t i = 0; i < ARRAY_LEN(read); i++) {
		struct session *s =
			session_after("synth ring:5; route minhop; reroute; snapshot a; fail switch ring1");
		AUTO_FREE char *want = str_printf(
			"synth ring:5\nroute minhop\n# %s\nsnapshot a\nfail switch ring1\n", read[i]);
		struct event *ev = &s->event[s->n_events - 2];
		AUTO_BY(replay_free) struct replay r;

		free(ev->text);
		ev->text = str_dup(read[i]); /* as if a device had been there */
		replay_make(&r, s, NULL, NULL, NULL);
		assert_string_equal(text_str(&r.script), want);
		assert_non_null(strstr(text_str(&r.lost), read[i]));
		session_free(s);
	}
}

/* Readings of counters: files are read again, live ones have files of their own, the older one first. */
static void test_counted(void **state)
{
	char now[] = "a now", before[] = "before", *of[] = {now, before};
	AUTO_SESSION struct session *s = session_after("synth ring:5; route minhop");
	struct replay r;

	session_count(s, &(struct counter_reading){.source = str_dup("/dev/null")});
	session_count(s, &(struct counter_reading){.source = NULL});
	replay_make(&r, s, NULL, NULL, of);
	assert_string_equal(text_str(&r.script),
			    "synth ring:5\nroute minhop\ncounters all /dev/null \"a now\"\n");
	assert_true(r.needs_counted && !r.lost.len);
	replay_free(&r);
	replay_make(&r, s, NULL, NULL, NULL);
	assert_string_equal(text_str(&r.lost), "A reading of counters: live.\n");
	assert_false(r.needs_counted);
	replay_free(&r);
	session_count(s, &(struct counter_reading){.source = str_dup("/gone\nfail random 1")});
	replay_make(&r, s, NULL, NULL, of);
	assert_string_equal(text_str(&r.script), "synth ring:5\nroute minhop\ncounters all before\n");
	assert_string_equal(text_str(&r.lost), "A reading of counters: /gone\\x0afail random 1.\n");
	replay_free(&r);
}

/* What was done before the fabric was read anew cannot be done again, and is counted. */
static void test_read_anew(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth ring:5; route minhop; fail switch ring1");
	struct err e = {0};
	AUTO_BY(replay_free) struct replay r;

	assert_int_equal(session_go_on(s, make_fabric("ring:5"), EVENT_LOAD, "load x", NULL, &e), 0);
	replay_make(&r, s, NULL, NULL, NULL);
	assert_non_null(strstr(text_str(&r.lost), "Events before `load x`: 3.\n"));
}

/* A file that is gone by then, of a name with an end of line: none of it becomes a command. */
static void test_gone(void **state)
{
	char path[] = "/tmp/ibscope-test-gone\nfail random 1\r-XXXXXX", *quoted, *line, *comment;
	int fd = mkstemp(path);
	FILE *f = fdopen(fd, "w");
	struct replay r;

	fputs("Switch 2 \"S\"\n[1] \"A\"[1]\n\nHca 1 \"A\"\n[1] \"S\"[1]\n", f);
	fclose(f);
	quoted = word_quoted(path);
	line = str_printf("load %s", quoted);
	AUTO_SESSION struct session *s = session_after("%s", line);
	unlink(path);
	comment = str_printf("# load /tmp/ibscope-test-gone\\x0afail random 1\\x0d%s\n", strrchr(path, '-'));
	replay_make(&r, s, NULL, NULL, NULL);
	assert_string_equal(text_str(&r.script), comment);
	assert_int_equal(strcspn(text_str(&r.lost), "\n"), r.lost.len - 1);
	replay_free(&r);
	replay_make(&r, s, "/x\ny.ibnet", NULL, NULL);
	assert_string_equal(text_str(&r.script), "load $'/x\\x0ay.ibnet'\n");
	assert_int_equal(strcspn(text_str(&r.lost), "\n"), r.lost.len - 1);
	replay_free(&r);
	free(quoted);
	free(line);
	free(comment);
}

static void check_slurm(const char *lines, bool yaml, const char *expected)
{
	AUTO_SESSION struct session *s = session_after("%s", lines);
	AUTO_TOPO struct topo *t = topo_new(s->fabric, session_state(s));
	AUTO_TEXT struct text out = {0}, notes = {0};
	FILE *f = text_stream(&out);

	assert_int_equal(write_slurm(f, t, yaml, &notes, NULL), 0);
	fclose(f);
	if (!strstr(text_str(&out), expected))
		fail_msg("found \"%s\", expected \"%s\"", text_str(&out), expected);
}

static void test_slurm(void **state)
{
	check_slurm("synth xgft:2,2,2:1,2,2", false,
		    "SwitchName=leaf-01 Nodes=node[0001-0002]\nSwitchName=leaf-02 Nodes=node[0003-0004]\n"
		    "SwitchName=leaf-03 Nodes=node[0005-0006]\nSwitchName=leaf-04 Nodes=node[0007-0008]\n");
	check_slurm("synth xgft:2,2:1,2", true,
		    "---\n- topology: default\n  cluster_default: true\n  tree:\n    switches:\n");
	check_slurm("synth xgft:2,2:1,2", false, "SwitchName=level2-1 Switches=leaf-[01-02]\n");
	check_slurm("synth xgft:2,2:1,2; fail host node0001", false, "SwitchName=leaf-01 Nodes=node0002\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_script),	  cmocka_unit_test(test_live_tables),
		cmocka_unit_test(test_read_anew), cmocka_unit_test(test_counted),
		cmocka_unit_test(test_gone),	  cmocka_unit_test(test_slurm)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
