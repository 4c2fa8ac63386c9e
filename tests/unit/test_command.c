/* Splitting, finding, running and completing commands; the session behind them. */
#include <fcntl.h>
#include <inttypes.h>
#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/base/infile.h"
#include "core/session/syntax.h"
#include "core/trace/walk.h"
#include "tests/unit/fixture.h"

#include <unistd.h>

#include "tui/ui.h"

/* Those of the interface too: without one they say so. */
static struct session *tree(void)
{
	struct session *s = session_new(all_engines, all_commands);

	ok_line(s, "synth xgft:3,3:1,2; route minhop");
	return s;
}

static void split(const char *line, int argc, const char *a, const char *b, const char *rest)
{
	const char *r;
	char **argv;
	struct err e;
	int n;

	assert_int_equal(words_split(line, &r, &n, &argv, &e), 0);
	assert_int_equal(n, argc);
	if (argc > 0)
		assert_string_equal(argv[0], a);
	if (argc > 1)
		assert_string_equal(argv[1], b);
	if (rest)
		assert_string_equal(r, rest);
	else
		assert_null(r);
	words_free(n, argv);
}

static void test_words(void **state)
{
	const char *rest;
	char **argv;
	struct err e;
	int n;

	(void)state;
	split("", 0, NULL, NULL, NULL);
	split("  # nothing", 0, NULL, NULL, NULL);
	split("load x", 2, "load", "x", NULL);
	split("load \"a b\";show", 2, "load", "a b", "show");
	split("load 'a;b' # c", 2, "load", "a;b", NULL);
	split("x a\\ b", 2, "x", "a b", NULL);
	split("x \"q\\\"q\"", 2, "x", "q\"q", NULL);
	split("x node#3", 2, "x", "node#3", NULL);
	split("x ''", 2, "x", "", NULL);
	split(";;", 0, NULL, NULL, ";");
	assert_int_equal(words_split("load \"open", &rest, &n, &argv, &e), -1);
	assert_non_null(strstr(e.msg, "closing"));
}

static void test_finding(void **state)
{
	struct session *s = session_new(all_engines, all_commands);
	struct err e;

	(void)state;
	give_words(s);
	assert_string_equal(command_find(s, "jour", &e)->name, "journal");
	assert_string_equal(command_find(s, "re", &e) ? "found" : "none", "none");
	assert_non_null(strstr(e.msg, "restore"));
	assert_null(command_find(s, "frobnicate", &e));
	assert_string_equal(command_find(s, "exit", &e)->name, "quit");
	assert_string_equal(command_find(s, "q", &e)->name, "quit"); /* not one of quit, quiz */
	assert_string_equal(command_find(s, "colors", &e)->name, "colours");
	/* a pane's whole name is a command of its own, except where there is one */
	assert_string_equal(command_of_pane(s, "cycle")->name, "list");
	assert_null(command_of_pane(s, "cycl"));
	assert_null(command_of_pane(s, "lft"));
	s->on_screen = true;
	assert_string_equal(command_of_pane(s, "cycle")->name, "pane");
	s->on_screen = false;
	line_says(s, "warnings", "Warnings");
	line_fails(s, "swiches", "is `switches` meant");
	line_fails(s, "fial", "is `fail` meant");
	line_fails(s, "deadlock", "see `check`");
	line_fails(s, "frobnicate", "unknown command");
	line_fails(s, "route minhop", "no fabric");
	line_fails(s, "trace a b", "no fabric");
	line_fails(s, "undo", "nothing to undo");
	line_fails(s, "fail link", "no fabric");
	line_fails(s, "load /nonexistent/file", "/nonexistent/file");
	line_fails(s, "synth torus:0", "torus");
	line_fails(s, "screen x", "curses");
	line_fails(s, "scre x", "screen: needs the curses");
	line_fails(s, "pan hosts", "pane: needs the curses");
	line_says(s, "help", "fail link");
	line_says(s, "help set", "opensm");
	session_free(s);
}

/* Every command must survive being called with nothing and with too much. */
static void test_arguments(void **state)
{
	struct session *s = tree();
	struct err e;
	char line[200];
	int rc;

	(void)state;
	for (size_t t = 0; s->commands[t]; t++)
		for (const struct command *c = s->commands[t]; c->name; c++) {
			if (!strcmp(c->name, "quit"))
				continue;
			assert_non_null(c->help);
			assert_non_null(strstr(c->syntax, c->name));
			free(run_line(s, c->name, &rc, &e, false, NULL));
			snprintf(line, sizeof(line), "%s", c->name);
			for (unsigned n = 1; n <= 6; n++) {
				strcat(line, " /nonexistent/a");
				free(run_line(s, line, &rc, &e, n % 2, NULL));
				assert_non_null(s->fabric);
			}
		}
	session_free(s);
}

static void test_failing(void **state)
{
	struct session *s = tree();

	(void)state;
	line_says(s, "fail link leaf-01[4]", "1 link down");
	assert_int_equal(session_event(s)->change->lost, 0);
	assert_true(session_event(s)->change->rerouted > 0);
	line_fails(s, "fail link leaf-01[4]", "down already");
	line_fails(s, "fail link leaf-01[99]", "no port 99");
	line_fails(s, "fail link leaf-01", "NODE[PORT]");
	line_fails(s, "fail switch node0001", "no switch");
	line_fails(s, "fail host leaf-01", "is a switch");
	line_fails(s, "fail random 0", "number of links");
	line_fails(s, "fail random 3 seed=x", "seed");
	line_fails(s, "fail random 999", "number of links");
	line_says(s, "fail switch spine-01", "1 node down");
	line_says(s, "fail host node0009", "1 node down");
	assert_true(session_event(s)->change->lost > 0);
	line_fails(s, "restore link leaf-02[4]", "did not fail");
	line_says(s, "restore all", "restored");
	assert_true(session_event(s)->change->regained > 0);
	line_fails(s, "restore all", "nothing is down");
	session_free(s);
}

static void test_history(void **state)
{
	struct session *s = tree();
	const struct routing *before = session_routing(s), *after;

	(void)state;
	ok_line(s, "fail link leaf-01[4]");
	after = session_routing(s);
	assert_ptr_not_equal(before, after);
	ok_line(s, "undo");
	assert_ptr_equal(session_routing(s), before);
	ok_line(s, "redo");
	assert_ptr_equal(session_routing(s), after);
	line_fails(s, "redo", "nothing to redo");
	ok_line(s, "undo; fail switch spine-01");
	line_fails(s, "redo", "nothing to redo");
	line_says(s, "journal", "fail switch spine-01");
	ok_line(s, "journal 0");
	assert_null(session_routing(s));
	line_fails(s, "journal 77", "no event 77");
	ok_line(s, "journal 2; reset");
	assert_int_equal(s->n_events, 1);
	assert_non_null(session_routing(s)); /* reset keeps the engine in force */
	session_free(s);
}

static void test_snapshots(void **state)
{
	struct session *s = tree();

	(void)state;
	line_fails(s, "diff", "no tables");
	line_says(s, "snapshot good", "kept");
	ok_line(s, "fail link leaf-01[4]");
	line_says(s, "diff", "leaf-01");
	line_says(s, "diff good", "rerouted");
	ok_line(s, "snapshot bad");
	line_says(s, "diff good bad all", "->");
	line_says(s, "diff bad bad", "0 entries");
	line_fails(s, "diff nobody", "no snapshot");
	line_says(s, "snapshot", "good");
	ok_line(s, "reset"); /* the fabric stays the same, so they stay */
	line_says(s, "diff good", "0 entries");
	ok_line(s, "synth ring:4");
	line_says(s, "diff good", "Only before, and not compared: ");
	line_says(s, "snapshot", "good");
	session_free(s);
}

static void test_options(void **state)
{
	struct session *s = tree();

	(void)state;
	line_says(s, "set lmc", "lmc");
	ok_line(s, "set lmc 2");
	assert_int_equal(session_sweep(s)->lids->lmc, 2);
	ok_line(s, "undo");
	assert_int_equal(session_sweep(s)->lids->lmc, 0);
	assert_int_equal(options_uint(s->setup->options, "lmc"), 0);
	line_fails(s, "set lmc 8", "7");
	line_fails(s, "set nonsense 1", "unknown option");
	line_fails(s, "route minhop lmc=x", "lmc");
	line_fails(s, "route minhop lmc", "OPTION=VALUE");
	line_fails(s, "route nonsense", "no engine");
	line_fails(s, "set rules maybe", "opensm or manual");
	ok_line(s, "route minhop lmc=1; unset lmc");
	assert_int_equal(session_sweep(s)->lids->lmc, 0);
	line_fails(s, "set guid 0x1234", "guid");
	session_free(s);
}

static void test_names(void **state)
{
	struct session *s = tree();
	struct err e;
	unsigned lid;
	uint32_t ep;

	(void)state;
	assert_int_equal(session_node(s, "0x0002c90300a00000", &e),
			 fabric_node_by_name(s->fabric, "leaf-01", &e));
	assert_int_equal(session_node(s, "1", &e),
			 fabric_node_by_name(s->fabric, "leaf-01", &e)); /* the SM's LID */
	assert_int_equal(session_node(s, "0xdead", &e), NO_ID);
	assert_non_null(strstr(e.msg, "0xdead"));
	ep = session_endport(s, "node0002", &lid, &e);
	assert_int_equal(lid, session_sweep(s)->lids->base[ep]);
	assert_int_equal(session_endport(s, "node0002[1]", &lid, &e), ep);
	assert_int_equal(session_port(s, "leaf-01[4]", &e),
			 s->fabric->node_port[session_node(s, "leaf-01", &e)] + 4);
	assert_int_equal(session_port(s, "leaf-01[x]", &e), NO_ID);
	session_free(s);
}

static void test_trace_and_why(void **state)
{
	struct session *s = tree();

	(void)state;
	line_says(s, "trace node0001 node0009", "4 links");
	line_says(s, "trace node0001 node0002", "2 links");
	line_says(s, "why leaf-01 node0009", "leaf-01 sends LID");
	line_says(s, "why leaf-01 node0001", "out of port 1");
	line_says(s, "why leaf-01 leaf-01", "own port 0");
	line_says(s, "why node0001 node0002", "SL 0");
	line_says(s, "lft spine-01", "LFT of spine-01");
	line_says(s, "hops leaf-01", "leaf-03");
	ok_line(s, "fail switch leaf-03");
	line_fails(s, "why leaf-03 node0001", "down");
	line_fails(s, "lft leaf-03", "down");
	session_free(s);
}

/* "why" must name the port that stands in the table, for every entry, also after failures. */
static void test_why_is_right(void **state)
{
	struct session *s = session_new(all_engines, all_commands);
	char line[100];
	struct err e;
	int rc;

	(void)state;
	ok_line(s, "synth random:9,3,hosts=2,parallel=2,seed=11; route minhop lmc=1; fail random 3 seed=4");
	for (uint32_t sw = 0; sw < s->fabric->n_switches; sw++)
		for (unsigned lid = 1; lid <= session_sweep(s)->lids->max_lid; lid++) {
			unsigned port = routing_port(session_routing(s), sw, lid);
			char expected[40], *text;
			bool fault;

			if (lid_owner(session_sweep(s)->lids, lid) == NO_ID)
				continue;
			snprintf(line, sizeof(line), "why 0x%" PRIx64 " %u",
				 s->fabric->node_guid[s->fabric->switch_node[sw]], lid);
			snprintf(expected, sizeof(expected), "\"port\":%u,\"rule\"", port);
			text = run_line(s, line, &rc, &e, true, &fault);
			if (rc || !strstr(text, expected))
				fail_msg("%s: \"%s\" is not in %s %s", line, expected, text, e.msg);
			free(text);
		}
	session_free(s);
}

static void test_json(void **state)
{
	struct session *s = tree();
	static const char *const lines[] = {
		"show",
		"show options",
		"show engines",
		"show switches",
		"show links",
		"show hosts",
		"show warnings",
		"fail link leaf-01[4]",
		"journal",
		"trace node0001 node0009",
		"lft leaf-01",
		"check",
		"diff",
		"load-map",
		"survey links",
		"help",
		"nonsense",
		"why leaf-01 node0009",
		"load-map shift 1",
	};
	struct err e;
	int rc;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		char *text = run_line(s, lines[i], &rc, &e, true, NULL);
		json_t *v = json_loads(text, 0, NULL);

		if (!json_is_object(v))
			fail_msg("%s: no JSON object: %s", lines[i], text);
		assert_int_equal(json_is_true(json_object_get(v, "ok")), rc == 0);
		assert_true(json_is_string(json_object_get(v, "command")));
		json_decref(v);
		free(text);
	}
	session_free(s);
}

static bool offers(struct session *s, const char *line, const char *word, size_t expected_start)
{
	size_t start;
	char **c = session_complete(s, line, &start);
	bool found = false;

	for (size_t i = 0; c[i]; i++)
		found |= !strcmp(c[i], word);
	if (found)
		assert_int_equal(start, expected_start);
	completions_free(c);
	return found;
}

/* How often a word is offered. */
static unsigned times(struct session *s, const char *line, const char *word)
{
	size_t start;
	char **c = session_complete(s, line, &start);
	unsigned n = 0;

	for (size_t i = 0; c[i]; i++)
		n += !strcmp(c[i], word);
	completions_free(c);
	return n;
}

static void test_completion(void **state)
{
	struct session *s = tree();

	(void)state;
	assert_true(offers(s, "jo", "journal", 0));
	assert_true(offers(s, "show; jo", "journal", 6));
	assert_true(offers(s, "fail ", "link", 5));
	assert_false(offers(s, "fail ", "leaf-01", 5)); /* the kinds come first */
	assert_false(offers(s, "fail l", "leaf-01", 5));
	assert_true(offers(s, "fail le", "leaf-01", 5));
	assert_true(offers(s, "fail leaf-01[", "leaf-01[4]", 5));
	assert_true(offers(s, "fail leaf-01 le", "leaf-02", 13));
	assert_false(offers(s, "fail random 1", "node0001", 12));
	assert_true(offers(s, "restore node0001 node", "node0002", 17));
	assert_true(offers(s, "swi", "switches", 0));
	assert_int_equal(times(s, "lf", "lft"), 1);
	assert_true(offers(s, "path node0001 node", "node0002", 14));
	assert_true(offers(s, "hosts fil", "filter", 6));
	assert_true(offers(s, "fail link leaf", "leaf-01[", 10));
	assert_true(offers(s, "fail link leaf-01[", "leaf-01[4]", 10));
	assert_true(offers(s, "fail switch sp", "spine-02", 12));
	assert_false(offers(s, "fail switch no", "node0001", 12));
	assert_true(offers(s, "fail host no", "node0001", 10));
	assert_true(offers(s, "trace node0001 le", "leaf-01", 15));
	assert_true(offers(s, "trace 0x0002c90300a0", "0x0002c90300a00000", 6));
	assert_true(offers(s, "route min", "minhop", 6));
	assert_true(offers(s, "route minhop,up", "minhop,updn", 6));
	assert_false(offers(s, "route minhop,min", "minhop,minhop", 6)); /* is in the list already */
	assert_true(offers(s, "route minhop,no", "minhop,no_fallback", 6));
	assert_true(offers(s, "route minhop lm", "lmc=", 13));
	assert_true(offers(s, "set port_sh", "port_shifting", 4));
	assert_true(offers(s, "set port_shifting T", "TRUE", 18));
	assert_true(offers(s, "set rules man", "manual", 10));
	assert_true(offers(s, "export lf", "lfts", 7));
	assert_true(offers(s, "export lfts /et", "/etc/", 12));
	assert_true(offers(s, "scope @/et", "@/etc/", 6));
	assert_true(offers(s, "scope node0001 -@/et", "-@/etc/", 15));
	assert_true(offers(s, "fail host @/et", "@/etc/", 10));
	assert_true(offers(s, "help und", "undo", 5));
	assert_true(offers(s, ":und", "undo", 1));
	assert_true(offers(s, "pane ho", "hosts", 5));
	assert_true(offers(s, "pan ho", "hosts", 4));
	assert_true(offers(s, "pane path node0001 node", "node0002", 19));
	assert_true(offers(s, "fail random 3 ", "seed=", 14));
	assert_false(offers(s, "fail random 3 seed=1 ", "seed=", 21));
	assert_true(offers(s, "export svg x cdg 0 ", "switches", 19));
	assert_true(offers(s, "why leaf-01 node0009 ", "via", 21));
	assert_int_equal(times(s, "why leaf-01 node00", "node0009"), 1);
	assert_false(offers(s, "undo ", "undo", 5));
	assert_false(offers(s, "trace \"unclosed", "leaf-01", 6));
	session_free(s);
}

/* Each kind of word, all of its list, each once. */
static void test_completion_kinds(void **state)
{
	static const struct {
		const char *line, *word;
	} row[] = {
		{"set root_guid_file /et", "/etc/"},
		{"set root_guid_file spine-0", "spine-02"},
		{"set cn_guid_file node000", "node0001"},
		{"set qos F", "FALSE"},
		{"set ru", "rules"},
		{"unset lm", "lmc"},
		{"route updn ro", "root_guid_file="},
		{"route updn qos=T", "qos=TRUE"},
		{"route updn qos=", "qos=FALSE"},
		{"route updn rules=man", "rules=manual"},
		{"route updn root_guid_file=/et", "root_guid_file=/etc/"},
		{"synth tor", "torus:"},
		{"synth le", "lesson:"},
		{"load /et", "/etc/"},
		{"help limi", "limits"},
		{"help qo", "qos"},
		{"help chec", "check"},
		{"diff firs", "first"},
		{"diff seco", "second"},
	};
	struct session *s = tree();
	const struct command *list = command_find(s, "list", NULL);
	char **lesson = lesson_names();
	struct subcommand pane;

	(void)state;
	ok_line(s, "route updn");
	ok_line(s, "snapshot first");
	ok_line(s, "snapshot second");
	for (size_t i = 0; i < ARRAY_LEN(row); i++)
		if (times(s, row[i].line, row[i].word) != 1)
			fail_msg("%s: %s is offered %u times", row[i].line, row[i].word,
				 times(s, row[i].line, row[i].word));
	for (size_t i = 0; lesson[i]; i++) {
		assert_int_equal(times(s, "lesson ", lesson[i]), 1);
		free(lesson[i]);
	}
	free(lesson);
	for (size_t i = 0; list->subcommand(i, &pane); i++)
		if (times(s, "", pane.name) != 1)
			fail_msg("pane %s is offered %u times", pane.name, times(s, "", pane.name));
	for (size_t t = 0; s->commands[t]; t++)
		for (const struct command *k = s->commands[t]; k->name; k++)
			assert_int_equal(times(s, "", k->name), 1);
	session_free(s);
}

/* Lines of each number of words. */
static void test_many_words(void **state)
{
	struct session *s = tree();
	struct text line = {0}, said = {0};

	(void)state;
	text_add(&line, "echo");
	for (int i = 1; i < 140; i++) {
		text_add(&line, " w%d", i);
		text_add(&said, "%sw%d", i > 1 ? " " : "", i);
		line_says(s, text_str(&line), text_str(&said));
	}
	text_free(&line);
	text_free(&said);
	session_free(s);
}

/* The command in its words is cancelled, as by another thread, when it has begun and before it first looks.
 */
static int cmd_given_up(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const struct command *c = command_find(s, args->argv[1], e);
	struct args words = {.argc = args->argc - 1, .argv = args->argv + 1};
	int rc;

	if (!c || args_read(s, c->syntax, c->numbers, &words, e))
		fail_msg("%s: %s", args->argv[1], e->msg);
	atomic_store(&o->run->progress->cancel, true);
	rc = c->run(s, &words, o, e);
	args_free(&words);
	return rc;
}

static const struct command given_up[] = {
	{.name = "given-up", .syntax = "given-up TEXT...", .help = "for tests", .run = cmd_given_up},
	{.name = NULL},
};

/* Cancelled, commands end with nothing done or all of it, and leave nothing in memory. */
static void test_cancelled(void **state)
{
	static const struct command *const tables[] = {
#include "core/session/core_commands.def"
		view_commands, ui_commands, given_up, NULL};
	static const char *const lines[] = {"check",
					    "equal-paths",
					    "equal-paths all",
					    "elements",
					    "load-map",
					    "load-map shift 3",
					    "load-map ebb both seed=1",
					    "shifts",
					    "flows leaf-01[4]",
					    "cycles",
					    "cdg",
					    "layers",
					    "doctor",
					    "drift",
					    "compare minhop updn",
					    "survey links",
					    "advise",
					    "diff all",
					    "roots",
					    "why leaf-01 node0009",
					    "trace node0001 node0009",
					    "export paths -",
					    "export svg -",
					    "report -",
					    "fail random 1",
					    "route ftree",
					    "fail switch spine-01",
					    "undo",
					    "quiz port seed=1",
					    "quiz layer seed=1",
					    "quiz rank seed=1",
					    "lesson ring check",
					    "step start",
					    "outage",
					    "transition",
					    "plan fabrics",
					    "synth ring:5"};
	struct session *s = session_new(all_engines, tables);
	struct text line = {0};

	(void)state;
	ok_line(s, "synth xgft:3,3:1,2; route updn");
	for (size_t i = 0; i < 2 * ARRAY_LEN(lines); i++) {
		struct progress p = {0};
		char *text = NULL;
		size_t len = 0;
		struct command_run r = {.in = interpreter_of(s),
					.f = open_memstream(&text, &len),
					.json = i % 2,
					.progress = &p};
		struct err e = {0};

		text_clear(&line);
		text_add(&line, "given-up %s", lines[i / 2]);
		if (run_text(&r, text_str(&line), &e))
			assert_string_not_equal(e.msg, "");
		assert_true(progress_cancelled(&p));
		assert_int_equal(run_text(&r, lines[i / 2], &e), -1); /* the same run: it stays cancelled */
		assert_string_equal(e.msg, CANCELLED);
		fclose(r.f);
		free(text);
	}
	text_free(&line);
	session_free(s);
}

/* Files with a NUL byte: in a list of pairs an error; a script's line is told as a command that failed. */
static void test_nul_bytes(void **state)
{
	struct session *s = tree();
	char path[] = "/tmp/ibscope-test-XXXXXX", line[100], *text;
	int fd = mkstemp(path), rc;
	struct err e;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "node0001 node0003\n\0x\n", 21), 21);
	snprintf(line, sizeof(line), "load-map pairs %s", path);
	line_fails(s, line, ":2: found a NUL byte, expected text");
	assert_int_equal(pwrite(fd, "echo one twoooooo\nec\0ho\n", 24, 0), 24);
	snprintf(line, sizeof(line), "source %s", path);
	text = run_line(s, line, &rc, &e, true, NULL);
	assert_int_equal(rc, -1);
	assert_non_null(strstr(
		text, "\n{\"command\":\"ec\",\"ok\":false,\"error\":\"found a NUL byte as character 3,"));
	free(text);
	close(fd);
	unlink(path);
	session_free(s);
}

static void test_nothing_kept(void **state)
{
	struct session *s = tree();

	struct err e;
	char *text, first[100];
	int rc;

	(void)state;
	snprintf(first, sizeof(first), "\"options\":{\"%s\":", options_at(s->setup->options, 0)->name);
	text = run_line(s, "show options", &rc, &e, true, NULL);
	assert_non_null(strstr(text, first));
	free(text);
	line_says(s, "snapshot", "no snapshots\n");
	ok_line(s, "step start");
	line_fails(s, "step list 0", "expected: step");
	ok_line(s, "step end; route updn");
	text = run_line(s, "roots", &rc, &e, true, NULL);
	assert_int_equal(rc, 0);
	assert_non_null(strstr(text, "\"roots\":[{\"name\":\"spine-01\",\"guid\":\"0x"));
	free(text);
	session_free(s);
}

static int on_no_screen(const struct command *c, const struct args *args, struct out *o, struct err *e)
{
	(void)args;
	(void)o;
	return err_set(e, "%s", c->name);
}

/* On a screen a word that several nodes have is offered for choice; other wrong lines are not. */
static void test_unclear(void **state)
{
	struct session *s = tree();
	FILE *f = fopen("/dev/null", "w");
	struct command_run r = {.in = interpreter_of(s), .f = f, .on_screen = on_no_screen};
	struct err e;

	(void)state;
	assert_int_equal(run_text(&r, "nonsense node*", &e), -1);
	assert_null(r.unclear);
	assert_int_equal(run_text(&r, "trace node* node0001 node0002", &e), -1);
	assert_null(r.unclear);
	assert_int_equal(run_text(&r, "lft sp*", &e), -1);
	assert_non_null(r.unclear);
	free(r.unclear);
	fclose(f);
	session_free(s);
}

/* A node's GUID may be 1: a host can be added beside it. */
static void test_guid_of_one(void **state)
{
	struct session *s = session_new(all_engines, all_commands);
	struct fabric_builder *b = fb_new();
	struct fabric *f;
	struct err e;

	(void)state;
	fb_add(b, NODE_SWITCH, 1, 4, "s1");
	fb_add(b, NODE_CA, 2, 1, "h1");
	assert_true(fb_link(b, 0, 1, 1, 1));
	assert_int_equal(fb_finish(b, "test", "test", &f, &e), 0);
	assert_int_equal(session_set_fabric(s, f, "test", NULL, &e), 0);
	ok_line(s, "add host h2 s1[2]");
	assert_int_equal(s->fabric->n_nodes, 3);
	session_free(s);
}

/* What commands read is closed again, and nothing of it stays in memory. */
static void test_files_read(void **state)
{
	struct session *s = tree();
	char path[] = "/tmp/ibscope-test-XXXXXX", line[100], *text;
	int fd = mkstemp(path), next = dup(fd), rc;
	struct text plan = {0};
	FILE *f;
	struct err e;

	(void)state;
	close(next);
	assert_int_equal(pwrite(fd, "lmc 1\n", 6, 0), 6);
	snprintf(line, sizeof(line), "sighup %s", path);
	ok_line(s, line);
	assert_int_equal(pwrite(fd, "echo 1\n", 7, 0), 7);
	snprintf(line, sizeof(line), "source %s", path);
	ok_line(s, line);
	snprintf(line, sizeof(line), "config %s", path);
	assert_int_equal(pwrite(fd, "lmc 0\n#", 7, 0), 7);
	ok_line(s, line);
	snprintf(line, sizeof(line), "save %s; remove switch spine-01; changes %s", path, path);
	ok_line(s, line);
	snprintf(line, sizeof(line), "save %s.b; changes %s %s.b", path, path, path);
	line_says(s, line, "As one event from the first's tables (minhop): ");
	snprintf(line, sizeof(line), "%s.b", path);
	unlink(line);
	text_add(&plan, "node,port,node,port\n,1,b,2\n,2,b,3\n");
	for (int i = 0; i < 28; i++)
		text_add(&plan, "a,%d,c,%d\n", i + 3, i + 3);
	f = fopen(path, "w");
	fputs(plan.s, f);
	fclose(f);
	text_free(&plan);
	snprintf(line, sizeof(line), "plan %s all", path);
	text = run_line(s, line, &rc, &e, false, NULL);
	assert_int_equal(rc, 0);
	assert_non_null(strstr(text, ":2: found \",1,b,2\""));
	assert_non_null(strstr(text, ":3: found \",2,b,3\""));
	free(text);
	rc = dup(fd);
	assert_int_equal(rc, next); /* the same number is free again */
	close(rc);
	close(fd);
	unlink(path);
	ok_line(s, "set guid leaf-02");
	session_free(s);
}

/* Slurm's topology is YAML where the file's name ends so; a name that is nothing but ".yaml" has no ending.
 */
static void test_ending(void **state)
{
	struct session *s = tree();
	char folder[] = "/tmp/ibscope-test-XXXXXX";
	int here = open(".", O_RDONLY | O_DIRECTORY);
	static const struct {
		const char *line, *file, *begin;
	} cases[] = {
		{"export slurm .yaml", ".yaml", "# Slurm's topology.conf, for TopologyPlugin=topology/tree;"},
		{"export slurm a.yaml", "a.yaml", "---"},
	};

	(void)state;
	assert_true(here >= 0);
	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char text[100] = "";
		FILE *f;

		ok_line(s, cases[i].line);
		f = fopen(cases[i].file, "r");
		assert_non_null(f);
		assert_non_null(fgets(text, sizeof(text), f));
		fclose(f);
		unlink(cases[i].file);
		assert_memory_equal(text, cases[i].begin, strlen(cases[i].begin));
	}
	assert_int_equal(fchdir(here), 0);
	close(here);
	rmdir(folder);
	session_free(s);
}

/* Hops of a path, and the schema's kinds, in JSON. */
static void test_json_lists(void **state)
{
	struct session *s = tree();
	struct err e;
	char *text;
	int rc;

	(void)state;
	text = run_line(s, "trace node0001 node0004", &rc, &e, true, NULL);
	assert_int_equal(rc, 0);
	assert_non_null(strstr(text, "\"path\":[{\"in\":1,\"out\":"));
	free(text);
	text = run_line(s, "schema json-schema", &rc, &e, false, NULL);
	assert_int_equal(rc, 0);
	assert_non_null(strstr(text, "\"kind guid\": {\n   \"description\": \"a GUID, or as many bits"));
	assert_non_null(strstr(text, "\"pattern\": \"^0x[0-9a-f]{16}$\""));
	free(text);
	ok_line(s, "synth mesh:2,parallel=32; route minhop");
	line_says(s, "quiz port seed=1", "m0[32]");
	session_free(s);
}

/* After an event `check` counts the pairs it cost. */
static void test_cost_of_event(void **state)
{
	struct session *s = session_new(all_engines, all_commands);
	struct err e;
	char *text;
	int rc;

	(void)state;
	ok_line(s, "synth xgft:2,2:1,1; route minhop; fail link leaf-01[3]");
	text = run_line(s, "check", &rc, &e, true, NULL);
	assert_int_equal(rc, 0);
	assert_non_null(strstr(text, "\"cut_off\":10,\"between_survivors\":0,"));
	free(text);
	session_free(s);
}

/* The rule behind a rank: those of the roots are settled first, all others by their neighbours'. */
static void test_quiz_rank(void **state)
{
	struct session *s = session_new(all_engines, all_commands);

	(void)state;
	ok_line(s, "synth xgft:4,4:1,2; route updn");
	line_says(s, "quiz rank seed=1; quiz answer 9",
		  "Wrong: it is rank 0.\nWhich switches have rank 0 is settled before all others.\n");
	line_says(s, "quiz rank seed=7; quiz answer 9",
		  "Wrong: it is rank 1.\nThe least rank of its neighbours is 0, one more than that is its "
		  "own.\n");
	session_free(s);
}

static void never_says(struct session *s, const char *line, const char *part)
{
	bool fault = false;
	struct err e;
	int rc;
	char *text = run_line(s, line, &rc, &e, false, &fault);

	assert_int_equal(rc, 0);
	assert_false(fault);
	if (strstr(text, part))
		fail_msg("%s: \"%s\" is in:\n%s", line, part, text);
	free(text);
}

/* A dump of tables with ports of two digits, read back by engine file, gives the same entries. */
static void test_ports_of_two_digits(void **state)
{
	char folder[] = "/tmp/test-command-XXXXXX", *path, *line, *before, *after;
	struct session *s = tree();
	struct err e;
	int rc;

	(void)state;
	assert_non_null(mkdtemp(folder));
	path = str_printf("%s/lfts", folder);
	line = str_printf("synth xgft:12,3:1,12; route updn; export lfts %s", path);
	ok_line(s, line);
	free(line);
	before = run_line(s, "export lfts -", &rc, &e, false, NULL);
	line = str_printf("route file lfts_file=%s", path);
	ok_line(s, line);
	free(line);
	after = run_line(s, "export lfts -", &rc, &e, false, NULL);
	assert_string_equal(session_routing(s)->engine, "file");
	assert_non_null(strstr(before, " 012 # "));
	assert_string_equal(before, after);
	free(before);
	free(after);
	unlink(path);
	rmdir(folder);
	free(path);
	session_free(s);
}

/* Lines that are told where they hold, and nowhere else. */
static void test_told_where_it_holds(void **state)
{
	char folder[] = "/tmp/test-command-XXXXXX", *path, *line;
	struct session *s = tree();

	(void)state;
	assert_non_null(mkdtemp(folder));
	path = str_printf("%s/tree.ibnet", folder);
	line = str_printf("save %s; load %s; route updn", path, path);
	ok_line(s, line);
	free(line);
	/* the same fabric later: nothing failed that would not be taken over, nothing differs */
	line = str_printf("load %s next", path);
	never_says(s, line, "is not taken over");
	ok_line(s, "fail switch spine-01");
	line_says(s, line, "What failed in the session is not taken over");
	free(line);
	line = str_printf("changes %s", path);
	never_says(s, line, "differ from");
	free(line);
	line = str_printf("changes %s %s", path, path);
	never_says(s, line, "!");
	line_says(s, line, "Nothing differs.\n");
	free(line);
	ok_line(s, "synth xgft:4,4:1,4; route minhop");
	line_fails(s, "spread", "found tables without groups of adaptive routing");
	/* what goes to standard output is no file that a report could name */
	ok_line(s, "export svg -");
	assert_int_equal(s->n_drawings, 0);
	line = str_printf("export svg %s", path);
	ok_line(s, line);
	free(line);
	assert_int_equal(s->n_drawings, 1);
	line_fails(s, "tables live x:999", "found 'x:999', expected CA");
	line_fails(s, "tables live", ""); /* this program discovers nothing */
	unlink(path);
	rmdir(folder);
	free(path);
	session_free(s);
}

static bool fits(const char *syntax, const char *line)
{
	const char *rest;
	char **argv;
	struct err e;
	int argc;
	bool yes;

	assert_int_equal(words_split(line, &rest, &argc, &argv, &e), 0);
	yes = syntax_fits(syntax, argc, argv);
	words_free(argc, argv);
	return yes;
}

/* The line that help shows is what words are checked by. */
static void test_syntax(void **state)
{
	static const char fail[] = "fail link NODE[PORT]... | switch S... | host H... | random N [seed=K]",
			  any[] = "fail link NODE[PORT]... | random N [seed=K] | TARGET...",
			  why[] = "why SWITCH DST [via PORT] | why NODE NODE NODE...",
			  load[] = "load-map [all | shift K | bisection [seed=K] | hotspot NODE] [all]";

	(void)state;
	assert_true(fits("undo", "undo"));
	assert_false(fits("undo", "undo x"));
	assert_true(fits("synth [SPEC]", "synth") && fits("synth [SPEC]", "synth x"));
	assert_false(fits("synth [SPEC]", "synth x y"));
	assert_false(fits(fail, "fail") || fits(fail, "fail link") || fits(fail, "fail cable a"));
	assert_true(fits(any, "fail link a") && fits(any, "fail a") && fits(any, "fail a link"));
	assert_false(fits(any, "fail link") || fits(any, "fail random"));
	assert_true(fits(fail, "fail link a") && fits(fail, "fail link a b c d"));
	assert_true(fits(fail, "fail random 3") && fits(fail, "fail random 3 seed=4"));
	assert_false(fits(fail, "fail random 3 4") || fits(fail, "fail random 3 seed=4 seed=5"));
	assert_true(fits(why, "why a b") && fits(why, "why a b via 3") && fits(why, "why a b c d e"));
	assert_false(fits(why, "why a"));
	assert_true(fits(load, "load-map") && fits(load, "load-map all all") &&
		    fits(load, "load-map shift 1 all"));
	assert_false(fits(load, "load-map shift") || fits(load, "load-map nothing"));
	assert_true(fits("live [CA[:PORT]] [tables|sl2vl]", "live tables"));
	assert_false(fits("live [CA[:PORT]] [tables|sl2vl]", "live a tables sl2vl"));
	assert_true(fits("route ENGINE[,ENGINE...] [OPTION=VALUE]...", "route a b=c d=e f=g"));
	assert_false(fits("route ENGINE[,ENGINE...] [OPTION=VALUE]...", "route"));
}

/* Words that do not fit are told what fits, after what is missing. */
static void test_usage(void **state)
{
	struct session *s = session_new(all_engines, all_commands);

	(void)state;
	line_fails(s, "undo twice", "expected: undo");
	line_fails(s, "load", "expected: load FILE");
	line_fails(s, "check all", "no fabric");
	ok_line(s, "synth ring:4");
	line_fails(s, "check all", "nothing is routed");
	ok_line(s, "route minhop");
	line_fails(s, "check all all", "expected: check");
	line_fails(s, "fail cable x", "found \"cable\", expected link, switch, ");
	line_fails(s, "fail random", "expected: fail link");
	line_fails(s, "show node", "expected: show");
	session_free(s);
}

static int cmd_cancel(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	(void)s;
	(void)args;
	(void)e;
	atomic_store(&o->run->progress->cancel, true); /* as another thread would */
	return 0;
}

static const struct command cancel_commands[] = {
	{.name = "cancel-now", .syntax = "cancel-now", .help = "for tests", .run = cmd_cancel},
	{.name = NULL},
};

/* Between two commands, also of a script within a script, cancelling stops all of it. */
static void test_cancelled_script(void **state)
{
	static const struct command *const tables[] = {
#include "core/session/core_commands.def"
		cancel_commands, NULL};
	struct session *s = session_new(all_engines, tables);
	struct interpreter in = {.session = s};
	char path[] = "/tmp/ibscope-test-XXXXXX", *text = NULL, line[100];
	struct progress p = {0};
	size_t len = 0;
	struct command_run r = {.in = &in, .f = open_memstream(&text, &len), .progress = &p};
	FILE *f = fdopen(mkstemp(path), "w");
	struct err e;

	(void)state;
	fputs("echo one\ncancel-now\necho two\n", f);
	fclose(f);
	snprintf(line, sizeof(line), "source %s; echo three", path);
	assert_int_equal(run_text(&r, line, &e), -1);
	assert_non_null(strstr(e.msg, ":3: " CANCELLED));
	assert_int_equal(run_text(&r, "echo four", &e), -1); /* the same run: it stays cancelled */
	fclose(r.f);
	assert_string_equal(text, "one\n");
	free(text);
	unlink(path);
	interpreter_free(&in);
	session_free(s);
}

/* A setup is shared, never copied, by all that follow from it. */
static void test_setup(void **state)
{
	struct session *s = tree();
	const struct setup *before = s->setup;

	(void)state;
	assert_ptr_equal(session_event(s)->setup, before);
	assert_ptr_equal(session_sweep(s)->setup, before);
	ok_line(s, "fail link leaf-01[4]");
	assert_ptr_not_equal(s->setup, before);
	assert_ptr_equal(s->setup->options, before->options);
	assert_ptr_equal(s->setup->fabric, before->fabric);
	ok_line(s, "undo");
	assert_ptr_equal(s->setup, before);
	ok_line(s, "set rules manual");
	assert_true(manual_rules(session_sweep(s)->setup->options));
	assert_ptr_equal(s->setup->state, before->state);
	ok_line(s, "undo");
	assert_false(manual_rules(s->setup->options));
	session_free(s);
}

static void test_scripts(void **state)
{
	struct session *s = session_new(all_engines, all_commands);
	char text[] = "synth ring:4\n# comment\n\nroute minhop\nfrob\nshow\n",
	     path[] = "/tmp/ibscope-test-XXXXXX";
	struct interpreter in = {.session = s};
	struct command_run r = {.in = &in, .f = fopen("/dev/null", "w")};
	FILE *f = fmemopen(text, strlen(text), "r");
	struct err e;
	int fd = mkstemp(path);

	(void)state;
	assert_int_equal(run_script(&r, f, "test.ibs", &e), -1);
	assert_non_null(strstr(e.msg, "test.ibs:5: unknown command"));
	fclose(f);
	/* a script that calls itself ends with a message */
	f = fdopen(fd, "w");
	fprintf(f, "source %s\n", path);
	fclose(f);
	snprintf(text, sizeof(text), "source %s", path);
	assert_int_equal(run_text(&r, text, &e), -1);
	assert_non_null(strstr(e.msg, "deep"));
	assert_int_equal(r.depth, 0);
	assert_int_equal(run_text(&r, "quit; frob", &e), 0);
	assert_true(in.quit);
	unlink(path);
	fclose(r.f);
	interpreter_free(&in);
	session_free(s);
}

/* A script of these bytes fails with this message. */
static void script_says(struct command_run *r, const char *bytes, size_t size, const char *want)
{
	FILE *f = fmemopen((void *)(uintptr_t)bytes, size, "r");
	struct err e;

	assert_int_equal(run_script(r, f, "s.ibs", &e), -1);
	assert_string_equal(e.msg, want);
	fclose(f);
}

static void test_odd_scripts(void **state)
{
	struct session *s = session_new(all_engines, all_commands);
	struct interpreter in = {.session = s};
	struct command_run r = {.in = &in, .f = fopen("/dev/null", "w")};

	(void)state;
	script_says(
		&r, "synth ring:4\nshow\0show\n", 23,
		"s.ibs:2: found a NUL byte as character 5, expected text (take such bytes out: tr -d '\\0')");
	script_says(
		&r, "\xef\xbb\xbfsynth ring:4\n", 16,
		"s.ibs:1: found a byte order mark (EF BB BF) before the text, expected none (take it off: "
		"tail -c +4)");
	script_says(&r, "synth ring:4\rshow\r", 18,
		    "s.ibs:1: found lines that end in CR alone (convert them first: tr '\\r' '\\n'), "
		    "expected text");
	script_says(
		&r, "s\0h\0o\0w\0\n\0", 10,
		"s.ibs:1: found UTF-16 text (convert it first: iconv -f UTF-16LE -t UTF-8), expected text");
	fclose(r.f);
	interpreter_free(&in);
	session_free(s);
}

static void test_steps(void **state)
{
	struct session *s = tree();
	struct err e;
	char *all;
	int rc;

	(void)state;
	line_says(s, "step 1", "hop matrix");
	line_says(s, "step find \"order of destinations\"", "order of destinations");
	line_fails(s, "step find nonsense", "nonsense");
	line_fails(s, "step 0", "expected");
	line_says(s, "step start leaf-01 node0009", "steps of minhop");
	all = run_line(s, "step all", &rc, &e, false, NULL);
	assert_non_null(strstr(all, "leaf-01 LID 3 (node0009)"));
	assert_null(strstr(all, "leaf-02 LID"));
	assert_non_null(strstr(all, "The run is over"));
	free(all);
	line_fails(s, "step start node0001", "no switch");
	ok_line(s, "fail link leaf-01[4]");
	line_says(s, "step 1", "     1 "); /* another run now, of all switches */
	assert_true(recording_steps(walk_recording(session_walk(s))) > 3);
	session_free(s);
}

/* Output of a line that must work. */
static char *said(struct session *s, const char *line)
{
	struct err e;
	int rc;
	char *text = run_line(s, line, &rc, &e, false, NULL);

	if (rc)
		fail_msg("%s: %s", line, e.msg);
	return text;
}

/* What `back` shows ends where that begins which was shown last, whatever its length. */
static void test_steps_back(void **state)
{
	static const struct {
		const char *line, *first, *last;
	} cases[] = {
		{"step 40", "     1 ", "    40 "},   {"step 3", "    41 ", "    43 "},
		{"step back", "    26 ", "    40 "}, {"step", "    41 ", "    55 "},
		{"step back", "    26 ", "    40 "}, {"step back", "    11 ", "    25 "},
		{"step back", "     1 ", "    10 "}, {"step back", "     1 ", "    15 "},
		{"step 1", "    16 ", "    16 "},    {"step back", "     1 ", "    15 "},
	};
	struct session *s = tree();

	(void)state;
	ok_line(s, "step start");
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char *text = said(s, cases[i].line), *end = text + strlen(text) - 1;

		while (end > text && end[-1] != '\n')
			end--;
		if (strncmp(text, cases[i].first, 7) || strncmp(end, cases[i].last, 7))
			fail_msg("%zu: %s: expected %s to %s, found:\n%s", i, cases[i].line, cases[i].first,
				 cases[i].last, text);
		free(text);
	}
	session_free(s);
}

/* `step find` takes its words as they come, as its help says. */
static void test_steps_found(void **state)
{
	struct session *s = tree();

	(void)state;
	line_says(s, "step find order of destinations", "order of destinations");
	line_fails(s, "step find order of nonsense", "contains \"order of nonsense\"");
	session_free(s);
}

/* The layer of the pair asked for is told, in layer 0 too, and of no other pair. */
static void test_steps_of_a_pair(void **state)
{
	static const char *const ends[][2] = {{"t00", "t11"}, {"t32", "t04"}, {"t04", "t32"}};
	struct session *s = session_new(all_engines, all_commands);

	(void)state;
	ok_line(s, "synth torus:5x5; route lash");
	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		char line[60], *text, *at;
		unsigned told = 0;

		snprintf(line, sizeof(line), "step start %s %s", ends[i][0], ends[i][1]);
		ok_line(s, line);
		text = said(s, "step all");
		for (at = text; (at = strstr(at, "put in layer")); at++)
			told++;
		if (told != 1)
			fail_msg("%s: expected one layer, found:\n%s", line, text);
		free(text);
	}
	session_free(s);
}

/* Conditions, boundaries, breakpoints and commands at a step, on rings small enough to be told by hand. */
static void test_walks(void **state)
{
	struct session *s = session_new(all_engines, all_commands);

	(void)state;
	ok_line(s, "synth ring:5; route lash; step start");
	line_says(
		s, "step until refused",
		"ring2 - ring4: not in layer 0: it would close the cycle ring3 -> ring4 -> ring0 -> ring1 -> "
		"ring2 -> ring3; ring3-ring4-ring0 held by ring0 - ring3, ring4-ring0-ring1 by ring1 - "
		"ring4, "
		"ring0-ring1-ring2 by ring0 - ring2, ring1-ring2-ring3 by ring1 - ring3, ring2-ring3-ring4 "
		"is new");
	line_says(s, "layers", "as they were put there: 16.");
	line_says(s, "step until moved", "ring3 - ring1: moved from layer 0 to layer 1: 16 and 4 pairs");
	line_says(s, "step back until pair ring2 ring4 and opened", "opens layer 1");
	line_says(s, "step next phase", "balancing");
	line_fails(s, "step until round 7", "no such step after");
	line_fails(s, "step until switch node0001", "no switch");
	ok_line(s, "step break moved");
	line_says(s, "step breaks", "1 moved");
	line_says(s, "step go", "moved from layer");
	line_says(s, "step to last", "the run is over");
	line_fails(s, "step go", "no breakpoint after step");
	line_fails(s, "step to 100000", "expected 0 to");
	line_fails(s, "step play", "needs a screen");
	ok_line(s, "fail link ring0[2]");
	assert_null(session_walk(s)); /* every event ends it */
	ok_line(s, "reset; route updn");
	line_says(s, "step start updn", "up to its refusal");
	line_says(s, "step until refused", "updn refuses: no root switches");
	line_fails(s, "step start dor", "no run to walk through");
	session_free(s);
}

/* One of a thing is told in the singular. */
static void test_one_thing(void **state)
{
	struct session *s = tree();
	char *text;

	(void)state;
	line_says(s, "trace leaf-01 spine-01", "SL 0, 1 link\n");
	line_says(s, "why spine-01 leaf-01", "only candidate at 1 hop;");
	line_says(s, "step start; step find round 2", "round 2");
	ok_line(s, "fail link leaf-01[1]");
	text = said(s, "check");
	assert_non_null(strstr(text, "1 endport cut off"));
	assert_null(strstr(text, " 1 endports"));
	free(text);
	session_free(s);
}

/* Neither step nor why shows how "does not apply" and "no entry" are written inside the program. */
static void test_nothing_is_no_number(void **state)
{
	char path[] = "/tmp/ibscope-test-XXXXXX", line[80], *text;
	struct session *s = session_new(all_engines, all_commands);
	int fd = mkstemp(path);
	struct err e;
	int rc;

	(void)state;
	ok_line(s, "synth director:2,4,3,8; route mincontention");
	text = said(s, "step all");
	assert_null(strstr(text, "-922337"));
	assert_non_null(strstr(text, "dir1/L02/U1 LID 3 (node0001) -> port 3: lowest port inside"));
	assert_non_null(strstr(text, "lowest port inside; element dir1: contention 0, distance 2, usage 0"));
	free(text);
	assert_true(fd >= 0);
	assert_true(dprintf(fd, "Unicast lids [0-1] of switch Lid 1 guid 0x0002c90300a00000 "
				"('leaf-01'):\n0x0001 000\n") > 0);
	close(fd);
	snprintf(line, sizeof(line), "synth xgft:3,3:1,2; route file lfts_file=%s", path);
	ok_line(s, line);
	text = said(s, "why leaf-01 5 via 4");
	assert_non_null(strstr(text, "no entry for the LID"));
	assert_null(strstr(text, "255"));
	free(text);
	text = run_line(s, "why leaf-01 5 via 4", &rc, &e, true, NULL);
	assert_non_null(strstr(text, "\"chosen\":null"));
	free(text);
	unlink(path);
	session_free(s);
}

/* A failed load leaves fabric, history and tables as they were. */
static void test_failed_load(void **state)
{
	struct session *s = tree();
	const struct routing *r = session_routing(s);

	(void)state;
	ok_line(s, "fail link leaf-01[4]; undo");
	line_fails(s, "load /dev/null", "/dev/null");
	line_fails(s, "synth ring:1000000", "ring");
	assert_ptr_equal(session_routing(s), r);
	ok_line(s, "redo; fail random 1");
	session_free(s);
}

static void test_cancel(void **state)
{
	struct session *s = tree();
	struct progress p = {.cancel = true};
	struct change_request rq = {
		.kind = EVENT_ROUTE, .setup.chain = "minhop", .text = "route minhop", .progress = &p};
	const struct routing *r = session_routing(s);
	struct err e;

	(void)state;
	assert_int_equal(session_change(s, &rq, &e), -1);
	assert_string_equal(e.msg, CANCELLED);
	assert_ptr_equal(session_routing(s), r);
	ok_line(s, "route minhop"); /* a new command is not cancelled */
	session_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_finding),
		cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_failing),
		cmocka_unit_test(test_history),
		cmocka_unit_test(test_snapshots),
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_trace_and_why),
		cmocka_unit_test(test_why_is_right),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_completion),
		cmocka_unit_test(test_completion_kinds),
		cmocka_unit_test(test_many_words),
		cmocka_unit_test(test_cancelled),
		cmocka_unit_test(test_cost_of_event),
		cmocka_unit_test(test_quiz_rank),
		cmocka_unit_test(test_files_read),
		cmocka_unit_test(test_json_lists),
		cmocka_unit_test(test_ending),
		cmocka_unit_test(test_unclear),
		cmocka_unit_test(test_guid_of_one),
		cmocka_unit_test(test_nul_bytes),
		cmocka_unit_test(test_nothing_kept),
		cmocka_unit_test(test_told_where_it_holds),
		cmocka_unit_test(test_ports_of_two_digits),
		cmocka_unit_test(test_scripts),
		cmocka_unit_test(test_odd_scripts),
		cmocka_unit_test(test_failed_load),
		cmocka_unit_test(test_cancel),
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_syntax),
		cmocka_unit_test(test_usage),
		cmocka_unit_test(test_setup),
		cmocka_unit_test(test_cancelled_script),
		cmocka_unit_test(test_steps_back),
		cmocka_unit_test(test_steps_found),
		cmocka_unit_test(test_steps_of_a_pair),
		cmocka_unit_test(test_nothing_is_no_number),
		cmocka_unit_test(test_walks),
		cmocka_unit_test(test_one_thing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
