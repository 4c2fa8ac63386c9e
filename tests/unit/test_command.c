/* Splitting, finding, running and completing commands; the session behind them. */
#include "core/base/infile.h"
#include "core/session/syntax.h"
#include "core/trace/walk.h"
#include "tests/unit/fixture.h"

/* Those of the interface too: without one they say so. */
static struct session *tree(void)
{
	return make_session("synth xgft:3,3:1,2; route minhop");
}

static void test_words(void **state)
{
	static const struct {
		const char *line;
		int n;
		const char *word[2], *rest;
	} cases[] = {
		{"", 0, {NULL}, NULL},
		{"  # nothing", 0, {NULL}, NULL},
		{"load x", 2, {"load", "x"}, NULL},
		{"load \"a b\";show", 2, {"load", "a b"}, "show"},
		{"load 'a;b' # c", 2, {"load", "a;b"}, NULL},
		{"x a\\ b", 2, {"x", "a b"}, NULL},
		{"x \"q\\\"q\"", 2, {"x", "q\"q"}, NULL},
		{"x node#3", 2, {"x", "node#3"}, NULL},
		{"x ''", 2, {"x", ""}, NULL},
		{";;", 0, {NULL}, ";"},
	};
	const char *rest;
	char **argv;
	struct err e;
	int n;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		if (words_split(cases[i].line, &rest, &n, &argv, &e) || n != cases[i].n ||
		    !str_same(rest, cases[i].rest))
			fail_msg("%s: %d words, the rest is %s", cases[i].line, n, rest);
		for (int k = 0; k < n; k++)
			assert_string_equal(argv[k], cases[i].word[k]);
		words_free(n, argv);
	}
	assert_int_equal(words_split("load \"open", &rest, &n, &argv, &e), -1);
	assert_non_null(strstr(e.msg, "closing"));
}

static void test_finding(void **state)
{
	AUTO_SESSION struct session *s = session_new(all_engines, all_commands);
	struct err e;

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
}

/* Every command must survive being called with nothing and with too much. */
static void test_arguments(void **state)
{
	AUTO_SESSION struct session *s = tree();
	struct err e;
	int rc;

	for (size_t t = 0; s->commands[t]; t++)
		for (const struct command *c = s->commands[t]; c->name; c++) {
			if (!strcmp(c->name, "quit"))
				continue;
			assert_non_null(c->help);
			assert_non_null(strstr(c->syntax, c->name));
			const char *line = c->name;
			for (unsigned n = 0; n <= 6; n++) {
				free(run_line(s, line, &rc, &e, n % 2, NULL));
				assert_non_null(s->fabric);
				line = line_of("%s /nonexistent/a", line);
			}
		}
}

static void test_failing(void **state)
{
	AUTO_SESSION struct session *s = tree();

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
}

static void test_history(void **state)
{
	AUTO_SESSION struct session *s = tree();
	const struct routing *before = session_routing(s);

	ok_line(s, "fail link leaf-01[4]");
	const struct routing *after = session_routing(s);
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
}

static void test_snapshots(void **state)
{
	AUTO_SESSION struct session *s = tree();

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
}

static void test_options(void **state)
{
	AUTO_SESSION struct session *s = tree();

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
	line_fails(s, "set rules maybe", "one of opensm|manual|nvidia");
	ok_line(s, "route minhop lmc=1; unset lmc");
	assert_int_equal(session_sweep(s)->lids->lmc, 0);
	line_fails(s, "set guid 0x1234", "guid");
}

static void test_names(void **state)
{
	AUTO_SESSION struct session *s = tree();
	struct err e;
	unsigned lid;

	assert_int_equal(session_node(s, "0x0002c90300a00000", &e),
			 fabric_node_by_name(s->fabric, "leaf-01", &e));
	assert_int_equal(session_node(s, "1", &e),
			 fabric_node_by_name(s->fabric, "leaf-01", &e)); /* the SM's LID */
	assert_int_equal(session_node(s, "0xdead", &e), NO_ID);
	assert_non_null(strstr(e.msg, "0xdead"));
	uint32_t ep = session_endport(s, "node0002", &lid, &e);
	assert_int_equal(lid, session_sweep(s)->lids->base[ep]);
	assert_int_equal(session_endport(s, "node0002[1]", &lid, &e), ep);
	assert_int_equal(session_port(s, "leaf-01[4]", &e),
			 s->fabric->node_port[session_node(s, "leaf-01", &e)] + 4);
	assert_int_equal(session_port(s, "leaf-01[x]", &e), NO_ID);
}

static void test_trace_and_why(void **state)
{
	AUTO_SESSION struct session *s = tree();

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
}

/* "why" must name the port that stands in the table, for every entry, also after failures. */
static void test_why_is_right(void **state)
{
	AUTO_SESSION struct session *s = make_session(
		"synth random:9,3,hosts=2,parallel=2,seed=11; route minhop lmc=1; fail random 3 seed=4");
	for (uint32_t sw = 0; sw < s->fabric->n_switches; sw++)
		for (unsigned lid = 1; lid <= session_sweep(s)->lids->max_lid; lid++) {
			unsigned port = routing_port(session_routing(s), sw, lid);

			if (lid_owner(session_sweep(s)->lids, lid) == NO_ID)
				continue;
			json_says(s,
				  line_of("why 0x%" PRIx64 " %u",
					  s->fabric->node_guid[s->fabric->switch_node[sw]], lid),
				  line_of("\"port\":%u,\"rule\"", port));
		}
}

static void test_json(void **state)
{
	AUTO_SESSION struct session *s = tree();
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

	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		AUTO_FREE char *text = run_line(s, lines[i], &rc, &e, true, NULL);
		json_auto_t *v = json_loads(text, 0, NULL);

		if (!json_is_object(v))
			fail_msg("%s: no JSON object: %s", lines[i], text);
		assert_int_equal(json_is_true(json_object_get(v, "ok")), rc == 0);
		assert_true(json_is_string(json_object_get(v, "command")));
	}
}

/* How often a word is offered; when it is, *start is where what it replaces begins. */
static unsigned times_offered(struct session *s, const char *line, const char *word, int *start)
{
	size_t begin;
	char **c = session_complete(s, line, &begin);
	unsigned n = 0;

	for (size_t i = 0; c[i]; i++)
		n += !strcmp(c[i], word);
	if (n)
		*start = (int)begin;
	completions_free(c);
	return n;
}

/* Each kind of word is offered once, in place of what begins at `start`. */
static void test_completion(void **state)
{
	enum { NEVER = -1 };
	static const struct {
		const char *line, *word;
		int start;
	} rows[] = {
		{"jo", "journal", 0},
		{"show; jo", "journal", 6},
		{"fail ", "link", 5},
		{"fail ", "leaf-01", NEVER}, /* the kinds come first */
		{"fail l", "leaf-01", NEVER},
		{"fail le", "leaf-01", 5},
		{"fail leaf-01[", "leaf-01[4]", 5},
		{"fail leaf-01 le", "leaf-02", 13},
		{"fail random 1", "node0001", NEVER},
		{"restore node0001 node", "node0002", 17},
		{"swi", "switches", 0},
		{"lf", "lft", 0},
		{"path node0001 node", "node0002", 14},
		{"hosts fil", "filter", 6},
		{"fail link leaf", "leaf-01[", 10},
		{"fail link leaf-01[", "leaf-01[4]", 10},
		{"fail switch sp", "spine-02", 12},
		{"fail switch no", "node0001", NEVER},
		{"fail host no", "node0001", 10},
		{"trace node0001 le", "leaf-01", 15},
		{"trace 0x0002c90300a0", "0x0002c90300a00000", 6},
		{"route min", "minhop", 6},
		{"route minhop,up", "minhop,updn", 6},
		{"route minhop,min", "minhop,minhop", NEVER}, /* is in the list already */
		{"route minhop,no", "minhop,no_fallback", 6},
		{"route minhop lm", "lmc=", 13},
		{"set port_sh", "port_shifting", 4},
		{"set port_shifting T", "TRUE", 18},
		{"set rules man", "manual", 10},
		{"export lf", "lfts", 7},
		{"export lfts /et", "/etc/", 12},
		{"scope @/et", "@/etc/", 6},
		{"scope node0001 -@/et", "-@/etc/", 15},
		{"fail host @/et", "@/etc/", 10},
		{"help und", "undo", 5},
		{":und", "undo", 1},
		{"pane ho", "hosts", 5},
		{"pan ho", "hosts", 4},
		{"pane path node0001 node", "node0002", 19},
		{"fail random 3 ", "seed=", 14},
		{"fail random 3 seed=1 ", "seed=", NEVER},
		{"export svg x cdg 0 ", "switches", 19},
		{"why leaf-01 node0009 ", "via", 21},
		{"why leaf-01 node00", "node0009", 12},
		{"undo ", "undo", NEVER},
		{"trace \"unclosed", "leaf-01", NEVER},
		{"set root_guid_file /et", "/etc/", 19},
		{"set root_guid_file spine-0", "spine-02", 19},
		{"set cn_guid_file node000", "node0001", 17},
		{"set qos F", "FALSE", 8},
		{"set ru", "rules", 4},
		{"unset lm", "lmc", 6},
		{"route updn ro", "root_guid_file=", 11},
		{"route updn qos=T", "qos=TRUE", 11},
		{"route updn qos=", "qos=FALSE", 11},
		{"route updn rules=man", "rules=manual", 11},
		{"route updn root_guid_file=/et", "root_guid_file=/etc/", 11},
		{"synth tor", "torus:", 6},
		{"synth le", "lesson:", 6},
		{"load /et", "/etc/", 5},
		{"help limi", "limits", 5},
		{"help qo", "qos", 5},
		{"help chec", "check", 5},
		{"diff firs", "first", 5},
		{"diff seco", "second", 5},
		{"compare minhop updn la", "lash", 20},
		{"pane compare la", "lash", 13},
		{"pane compare lash lm", "lmc=", 18},
		{"pane hosts la", "lash", NEVER},
	};
	AUTO_SESSION struct session *s = tree();

	ok_line(s, "route updn; snapshot first; snapshot second");
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		int start = NEVER;
		unsigned n = times_offered(s, rows[i].line, rows[i].word, &start);

		if (n > 1 || start != rows[i].start)
			fail_msg("%s: %s is offered %u times at %d", rows[i].line, rows[i].word, n, start);
	}
}

/* All of a list, each once. */
static void test_completion_lists(void **state)
{
	AUTO_SESSION struct session *s = tree();
	const struct command *list = command_find(s, "list", NULL);
	char **lesson = lesson_names();
	struct subcommand pane;
	int start;

	for (size_t i = 0; lesson[i]; i++) {
		assert_int_equal(times_offered(s, "lesson ", lesson[i], &start), 1);
		free(lesson[i]);
	}
	free(lesson);
	for (size_t i = 0; list->subcommand(i, &pane); i++)
		if (times_offered(s, "", pane.name, &start) != 1)
			fail_msg("pane %s is not offered once", pane.name);
	for (size_t t = 0; s->commands[t]; t++)
		for (const struct command *k = s->commands[t]; k->name; k++)
			assert_int_equal(times_offered(s, "", k->name, &start), 1);
}

/* Lines of each number of words. */
static void test_many_words(void **state)
{
	AUTO_SESSION struct session *s = tree();
	AUTO_TEXT struct text line = {0};
	AUTO_TEXT struct text said = {0};

	text_add(&line, "echo");
	for (int i = 1; i < 140; i++) {
		text_add(&line, " w%d", i);
		text_add(&said, "%sw%d", i > 1 ? " " : "", i);
		line_says(s, text_str(&line), text_str(&said));
	}
}

/* The command in its words is cancelled, as by another thread, when it has begun and before it first looks.
 */
static int cmd_given_up(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const struct command *c = command_find(s, args->argv[1], e);
	struct args words = {.argc = args->argc - 1, .argv = args->argv + 1};

	if (!c || args_read(s, c->syntax, c->numbers, &words, e))
		fail_msg("%s: %s", args->argv[1], e->msg);
	atomic_store(&o->run->progress->cancel, true);
	int rc = c->run(s, &words, o, e);
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
	static const char *const lines[] = {
		"check",
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
		"synth ring:5",
	};
	AUTO_SESSION struct session *s = session_new(all_engines, tables);

	ok_line(s, "synth xgft:3,3:1,2; route updn");
	for (size_t i = 0; i < 2 * ARRAY_LEN(lines); i++) {
		struct progress p = {0};
		AUTO_FREE char *text = NULL;
		size_t len = 0;
		struct command_run r = {.in = interpreter_of(s),
					.f = open_memstream(&text, &len),
					.json = i % 2,
					.progress = &p};
		struct err e = {0};

		if (run_text(&r, line_of("given-up %s", lines[i / 2]), &e))
			assert_string_not_equal(e.msg, "");
		assert_true(progress_cancelled(&p));
		assert_int_equal(run_text(&r, lines[i / 2], &e), -1); /* the same run: it stays cancelled */
		assert_string_equal(e.msg, CANCELLED);
		fclose(r.f);
	}
}

/* Files with a NUL byte: in a list of pairs an error; a script's line is told as a command that failed. */
static void test_nul_bytes(void **state)
{
	AUTO_SESSION struct session *s = tree();
	AUTO_TEMP char *path = temp_file("");
	struct err e;
	int rc;

	file_write_bytes(path, "node0001 node0003\n\0x\n", 21);
	line_fails(s, line_of("load-map pairs %s", path), ":2: found a NUL byte, expected text");
	file_write_bytes(path, "echo one twoooooo\nec\0ho\n", 24);
	AUTO_FREE char *text = run_line(s, line_of("source %s", path), &rc, &e, true, NULL);
	assert_int_equal(rc, -1);
	output_has("source", text,
		   "\n{\"command\":\"ec\",\"ok\":false,\"error\":\"found a NUL byte as character 3,");
}

static void test_nothing_kept(void **state)
{
	AUTO_SESSION struct session *s = tree();

	json_says(s, "show options", line_of("\"options\":{\"%s\":", options_at(s->setup->options, 0)->name));
	line_says(s, "snapshot", "no snapshots\n");
	ok_line(s, "step start");
	line_fails(s, "step list 0", "expected: step");
	ok_line(s, "step end; route updn");
	json_says(s, "roots", "\"roots\":[{\"name\":\"spine-01\",\"guid\":\"0x");
}

static int on_no_screen(const struct command *c, const struct args *args, struct out *o, struct err *e)
{
	return err_set(e, "%s", c->name);
}

/* On a screen a word that several nodes have is offered for choice; other wrong lines are not. */
static void test_unclear(void **state)
{
	AUTO_SESSION struct session *s = tree();
	FILE *f = fopen("/dev/null", "w");
	struct command_run r = {.in = interpreter_of(s), .f = f, .on_screen = on_no_screen};
	struct err e;

	assert_int_equal(run_text(&r, "nonsense node*", &e), -1);
	assert_null(r.unclear);
	assert_int_equal(run_text(&r, "trace node* node0001 node0002", &e), -1);
	assert_null(r.unclear);
	assert_int_equal(run_text(&r, "lft sp*", &e), -1);
	assert_non_null(r.unclear);
	free(r.unclear);
	fclose(f);
}

/* A node's GUID may be 1: a host can be added beside it. */
static void test_guid_of_one(void **state)
{
	AUTO_SESSION struct session *s = session_new(all_engines, all_commands);
	struct fabric_builder *b = fb_new();
	struct fabric *f;
	struct err e;

	fb_add(b, NODE_SWITCH, 1, 4, "s1");
	fb_add(b, NODE_CA, 2, 1, "h1");
	assert_true(fb_link(b, 0, 1, 1, 1));
	assert_int_equal(fb_finish(b, "test", "test", &f, &e), 0);
	assert_int_equal(session_set_fabric(s, f, "test", NULL, &e), 0);
	ok_line(s, "add host h2 s1[2]");
	assert_int_equal(s->fabric->n_nodes, 3);
}

/* What commands read is closed again, and nothing of it stays in memory. */
static void test_files_read(void **state)
{
	AUTO_SESSION struct session *s = tree();
	AUTO_TEMP char *path = temp_file("lmc 1\n");
	AUTO_TEMP char *other = temp_file("");
	AUTO_TEXT struct text plan = {0};
	int next = open("/dev/null", O_RDONLY);

	close(next);
	ok_linef(s, "sighup %s", path);
	file_write(path, "echo 1\n");
	ok_linef(s, "source %s", path);
	file_write(path, "lmc 0\n#");
	ok_linef(s, "config %s", path);
	ok_linef(s, "save %s; remove switch spine-01; changes %s", path, path);
	line_says(s, line_of("save %s; changes %s %s", other, path, other),
		  "As one event from the first's tables (minhop): ");
	text_add(&plan, "node,port,node,port\n,1,b,2\n,2,b,3\n");
	for (int i = 0; i < 28; i++)
		text_add(&plan, "a,%d,c,%d\n", i + 3, i + 3);
	file_write(path, plan.s);
	AUTO_FREE char *text = line_output(s, line_of("plan %s all", path), false);
	output_has("plan", text, ":2: found \",1,b,2\"");
	output_has("plan", text, ":3: found \",2,b,3\"");
	int now = open("/dev/null", O_RDONLY);
	assert_int_equal(now, next); /* the same number is free again */
	close(now);
	ok_line(s, "set guid leaf-02");
}

/* Slurm's topology is YAML where the file's name ends so; a name that is nothing but ".yaml" has no ending.
 */
static void test_ending(void **state)
{
	AUTO_SESSION struct session *s = tree();
	AUTO_TEMP char *folder = temp_folder();
	int here = open(".", O_RDONLY | O_DIRECTORY);
	static const struct {
		const char *line, *file, *begin;
	} cases[] = {
		{"export slurm .yaml", ".yaml", "# Slurm's topology.conf, for TopologyPlugin=topology/tree;"},
		{"export slurm a.yaml", "a.yaml", "---"},
	};

	assert_true(here >= 0);
	assert_int_equal(chdir(folder), 0);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char text[100] = "";

		ok_line(s, cases[i].line);
		FILE *f = fopen(cases[i].file, "r");
		assert_non_null(f);
		assert_non_null(fgets(text, sizeof(text), f));
		fclose(f);
		assert_memory_equal(text, cases[i].begin, strlen(cases[i].begin));
	}
	assert_int_equal(fchdir(here), 0);
	close(here);
}

/* Hops of a path, and the schema's kinds, in JSON. */
static void test_json_lists(void **state)
{
	AUTO_SESSION struct session *s = tree();
	json_says(s, "trace node0001 node0004", "\"path\":[{\"in\":1,\"out\":");
	line_says(s, "schema json-schema", "\"kind guid\": {\n   \"description\": \"a GUID, or as many bits");
	line_says(s, "schema json-schema", "\"pattern\": \"^0x[0-9a-f]{16}$\"");
	ok_line(s, "synth mesh:2,parallel=32; route minhop");
	line_says(s, "quiz port seed=1", "m0[32]");
}

/* After an event `check` counts the pairs it cost. */
static void test_cost_of_event(void **state)
{
	AUTO_SESSION struct session *s =
		make_session("synth xgft:2,2:1,1; route minhop; fail link leaf-01[3]");
	json_says(s, "check", "\"cut_off\":10,\"between_survivors\":0,");
}

/* The rule behind a rank: those of the roots are settled first, all others by their neighbours'. */
static void test_quiz_rank(void **state)
{
	AUTO_SESSION struct session *s = make_session("synth xgft:4,4:1,2; route updn");

	line_says(s, "quiz rank seed=1; quiz answer 9",
		  "Wrong: it is rank 0.\nWhich switches have rank 0 is settled before all others.\n");
	line_says(s, "quiz rank seed=7; quiz answer 9",
		  "Wrong: it is rank 1.\nThe least rank of its neighbours is 0, one more than that is its "
		  "own.\n");
}

static void never_says(struct session *s, const char *line, const char *part)
{
	bool fault = false;
	struct err e;
	int rc;
	AUTO_FREE char *text = run_line(s, line, &rc, &e, false, &fault);

	assert_int_equal(rc, 0);
	assert_false(fault);
	if (strstr(text, part))
		fail_msg("%s: \"%s\" is in:\n%s", line, part, text);
}

/* A dump of tables with ports of two digits, read back by engine file, gives the same entries. */
static void test_ports_of_two_digits(void **state)
{
	AUTO_TEMP char *path = temp_file("");
	AUTO_SESSION struct session *s =
		make_session(line_of("synth xgft:12,3:1,12; route updn; export lfts %s", path));
	AUTO_FREE char *before = line_output(s, "export lfts -", false);

	ok_linef(s, "route file lfts_file=%s", path);
	AUTO_FREE char *after = line_output(s, "export lfts -", false);
	assert_string_equal(session_routing(s)->engine, "file");
	assert_non_null(strstr(before, " 012 # "));
	assert_string_equal(before, after);
}

/* Lines that are told where they hold, and nowhere else. */
static void test_told_where_it_holds(void **state)
{
	AUTO_TEMP char *folder = temp_folder();
	AUTO_FREE char *path = str_printf("%s/tree.ibnet", folder);
	AUTO_SESSION struct session *s = tree();

	ok_linef(s, "save %s; load %s; route updn", path, path);
	/* the same fabric later: nothing failed that would not be taken over, nothing differs */
	never_says(s, line_of("load %s next", path), "is not taken over");
	ok_line(s, "fail switch spine-01");
	line_says(s, line_of("load %s next", path), "What failed in the session is not taken over");
	never_says(s, line_of("changes %s", path), "differ from");
	never_says(s, line_of("changes %s %s", path, path), "!");
	line_says(s, line_of("changes %s %s", path, path), "Nothing differs.\n");
	ok_line(s, "synth xgft:4,4:1,4; route minhop");
	line_fails(s, "spread", "found tables without groups of adaptive routing");
	/* what goes to standard output is no file that a report could name */
	ok_line(s, "export svg -");
	assert_int_equal(s->n_drawings, 0);
	ok_linef(s, "export svg %s", path);
	assert_int_equal(s->n_drawings, 1);
	line_fails(s, "tables live x:999", "found 'x:999', expected CA");
	line_fails(s, "tables live", ""); /* this program discovers nothing */
}

/* The line that help shows is what words are checked by. */
static void test_syntax(void **state)
{
	static const char synth[] = "synth [SPEC]", live[] = "live [CA[:PORT]] [tables|sl2vl]",
			  fail[] = "fail link NODE[PORT]... | switch S... | host H... | random N [seed=K]",
			  any[] = "fail link NODE[PORT]... | random N [seed=K] | TARGET...",
			  why[] = "why SWITCH DST [via PORT] | why NODE NODE NODE...",
			  load[] = "load-map [all | shift K | bisection [seed=K] | hotspot NODE] [all]",
			  route[] = "route ENGINE[,ENGINE...] [OPTION=VALUE]...";
	static const struct {
		const char *syntax, *line;
		bool fits;
	} cases[] = {
		{"undo", "undo", true},
		{"undo", "undo x", false},
		{synth, "synth", true},
		{synth, "synth x", true},
		{synth, "synth x y", false},
		{fail, "fail", false},
		{fail, "fail link", false},
		{fail, "fail cable a", false},
		{any, "fail link a", true},
		{any, "fail a", true},
		{any, "fail a link", true},
		{any, "fail link", false},
		{any, "fail random", false},
		{fail, "fail link a", true},
		{fail, "fail link a b c d", true},
		{fail, "fail random 3", true},
		{fail, "fail random 3 seed=4", true},
		{fail, "fail random 3 4", false},
		{fail, "fail random 3 seed=4 seed=5", false},
		{why, "why a b", true},
		{why, "why a b via 3", true},
		{why, "why a b c d e", true},
		{why, "why a", false},
		{load, "load-map", true},
		{load, "load-map all all", true},
		{load, "load-map shift 1 all", true},
		{load, "load-map shift", false},
		{load, "load-map nothing", false},
		{live, "live tables", true},
		{live, "live a tables sl2vl", false},
		{route, "route a b=c d=e f=g", true},
		{route, "route", false},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *rest;
		char **argv;
		struct err e;
		int argc;

		assert_int_equal(words_split(cases[i].line, &rest, &argc, &argv, &e), 0);
		if (syntax_fits(cases[i].syntax, argc, argv) != cases[i].fits)
			fail_msg("\"%s\" and %s", cases[i].line, cases[i].syntax);
		words_free(argc, argv);
	}
}

/* Words that do not fit are told what fits, after what is missing. */
static void test_usage(void **state)
{
	AUTO_SESSION struct session *s = session_new(all_engines, all_commands);

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
}

static int cmd_cancel(struct session *s, const struct args *args, struct out *o, struct err *e)
{
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
	AUTO_SESSION struct session *s = session_new(all_engines, tables);
	AUTO_INTERPRETER struct interpreter in = {.session = s};
	AUTO_TEMP char *path = temp_file("echo one\ncancel-now\necho two\n");
	AUTO_FREE char *text = NULL;
	struct progress p = {0};
	size_t len = 0;
	struct command_run r = {.in = &in, .f = open_memstream(&text, &len), .progress = &p};
	struct err e;

	assert_int_equal(run_text(&r, line_of("source %s; echo three", path), &e), -1);
	assert_non_null(strstr(e.msg, ":3: " CANCELLED));
	assert_int_equal(run_text(&r, "echo four", &e), -1); /* the same run: it stays cancelled */
	fclose(r.f);
	assert_string_equal(text, "one\n");
}

/* A setup is shared, never copied, by all that follow from it. */
static void test_setup(void **state)
{
	AUTO_SESSION struct session *s = tree();
	const struct setup *before = s->setup;

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
}

static void test_scripts(void **state)
{
	AUTO_SESSION struct session *s = session_new(all_engines, all_commands);
	AUTO_TEMP char *path = temp_file("");
	AUTO_INTERPRETER struct interpreter in = {.session = s};
	struct command_run r = {.in = &in, .f = fopen("/dev/null", "w")};
	struct err e;

	/* a script that calls itself ends with a message */
	file_write(path, line_of("source %s\n", path));
	assert_int_equal(run_text(&r, line_of("source %s", path), &e), -1);
	assert_non_null(strstr(e.msg, "deep"));
	assert_int_equal(r.depth, 0);
	assert_int_equal(run_text(&r, "quit; frob", &e), 0);
	assert_true(in.quit);
	fclose(r.f);
}

static void test_wrong_scripts(void **state)
{
#define SCRIPT(text) text, sizeof(text) - 1
	static const struct {
		const char *script;
		size_t size;
		const char *message;
	} cases[] = {
		{SCRIPT("synth ring:4\n# comment\n\nroute minhop\nfrob\nshow\n"), "s.ibs:5: unknown command"},
		{SCRIPT("synth ring:4\nshow\0show\n"), "s.ibs:2: found a NUL byte as character 5, expected "
						       "text (take such bytes out: tr -d '\\0')"},
		{SCRIPT("\xef\xbb\xbfsynth ring:4\n"), "s.ibs:1: found a byte order mark (EF BB BF) before "
						       "the text, expected none (take it off: tail "
						       "-c +4)"},
		{SCRIPT("synth ring:4\rshow\r"), "s.ibs:1: found lines that end in CR alone (convert them "
						 "first: tr '\\r' '\\n'), expected text"},
		{SCRIPT("s\0h\0o\0w\0\n\0"),
		 "s.ibs:1: found UTF-16 text (convert it first: iconv -f UTF-16LE -t UTF-8), expected text"},
	};
	AUTO_SESSION struct session *s = session_new(all_engines, all_commands);
	AUTO_INTERPRETER struct interpreter in = {.session = s};
	struct command_run r = {.in = &in, .f = fopen("/dev/null", "w")};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		FILE *f = fmemopen((void *)(uintptr_t)cases[i].script, cases[i].size, "r");
		struct err e;

		assert_int_equal(run_script(&r, f, "s.ibs", &e), -1);
		if (i)
			assert_string_equal(e.msg, cases[i].message);
		else
			assert_non_null(strstr(e.msg, cases[i].message));
		fclose(f);
	}
	fclose(r.f);
}

static void test_steps(void **state)
{
	AUTO_SESSION struct session *s = tree();

	line_says(s, "step 1", "hop matrix");
	line_says(s, "step find \"order of destinations\"", "order of destinations");
	line_fails(s, "step find nonsense", "nonsense");
	line_fails(s, "step 0", "expected");
	line_says(s, "step start leaf-01 node0009", "steps of minhop");
	AUTO_FREE char *all = line_output(s, "step all", false);
	output_has("step all", all, "leaf-01 LID 3 (node0009)");
	assert_null(strstr(all, "leaf-02 LID"));
	output_has("step all", all, "The run is over");
	line_fails(s, "step start node0001", "no switch");
	ok_line(s, "fail link leaf-01[4]");
	line_says(s, "step 1", "     1 "); /* another run now, of all switches */
	assert_true(recording_steps(walk_recording(session_walk(s))) > 3);
	/* words as they come, as the help of `step find` says */
	line_says(s, "step find order of destinations", "order of destinations");
	line_fails(s, "step find order of nonsense", "contains \"order of nonsense\"");
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
	AUTO_SESSION struct session *s = tree();

	ok_line(s, "step start");
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_FREE char *text = line_output(s, cases[i].line, false);
		char *end = text + strlen(text) - 1;

		while (end > text && end[-1] != '\n')
			end--;
		if (strncmp(text, cases[i].first, 7) || strncmp(end, cases[i].last, 7))
			fail_msg("%zu: %s: expected %s to %s, found:\n%s", i, cases[i].line, cases[i].first,
				 cases[i].last, text);
	}
}

/* The layer of the pair asked for is told, in layer 0 too, and of no other pair. */
static void test_steps_of_a_pair(void **state)
{
	static const char *const ends[][2] = {{"t00", "t11"}, {"t32", "t04"}, {"t04", "t32"}};
	AUTO_SESSION struct session *s = make_session("synth torus:5x5; route lash");

	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		unsigned told = 0;

		ok_linef(s, "step start %s %s", ends[i][0], ends[i][1]);
		AUTO_FREE char *text = line_output(s, "step all", false);
		for (const char *at = text; (at = strstr(at, "put in layer")); at++)
			told++;
		if (told != 1)
			fail_msg("%s, %s: expected one layer, found:\n%s", ends[i][0], ends[i][1], text);
	}
}

/* Conditions, boundaries, breakpoints and commands at a step, on rings small enough to be told by hand. */
static void test_walks(void **state)
{
	AUTO_SESSION struct session *s = make_session("synth ring:5; route lash; step start");

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
}

/* One of a thing is told in the singular. */
static void test_one_thing(void **state)
{
	AUTO_SESSION struct session *s = tree();

	line_says(s, "trace leaf-01 spine-01", "SL 0, 1 link\n");
	line_says(s, "why spine-01 leaf-01", "only candidate at 1 hop;");
	line_says(s, "step start; step find round 2", "round 2");
	ok_line(s, "fail link leaf-01[1]");
	line_says(s, "check", "1 endport cut off");
	line_lacks(s, "check", " 1 endports");
}

/* Neither step nor why shows how "does not apply" and "no entry" are written inside the program. */
static void test_nothing_is_no_number(void **state)
{
	AUTO_TEMP char *path = temp_file("Unicast lids [0-1] of switch Lid 1 guid 0x0002c90300a00000 "
					 "('leaf-01'):\n0x0001 000\n");
	AUTO_SESSION struct session *s = make_session("synth director:2,4,3,8; route mincontention");

	AUTO_FREE char *all = line_output(s, "step all", false);
	assert_null(strstr(all, "-922337"));
	output_has("step all", all, "dir1/L02/U1 LID 3 (node0001) -> port 3: lowest port inside");
	output_has("step all", all, "lowest port inside; element dir1: contention 0, distance 2, usage 0");
	ok_linef(s, "synth xgft:3,3:1,2; route file lfts_file=%s", path);
	line_says(s, "why leaf-01 5 via 4", "no entry for the LID");
	line_lacks(s, "why leaf-01 5 via 4", "255");
	json_says(s, "why leaf-01 5 via 4", "\"chosen\":null");
}

/* A failed load leaves fabric, history and tables as they were. */
static void test_failed_load(void **state)
{
	AUTO_SESSION struct session *s = tree();
	const struct routing *r = session_routing(s);

	ok_line(s, "fail link leaf-01[4]; undo");
	line_fails(s, "load /dev/null", "/dev/null");
	line_fails(s, "synth ring:1000000", "ring");
	assert_ptr_equal(session_routing(s), r);
	ok_line(s, "redo; fail random 1");
}

static void test_cancel(void **state)
{
	AUTO_SESSION struct session *s = tree();
	struct progress p = {.cancel = true};
	struct change_request rq = {
		.kind = EVENT_ROUTE, .setup.chain = "minhop", .text = "route minhop", .progress = &p};
	const struct routing *r = session_routing(s);
	struct err e;

	assert_int_equal(session_change(s, &rq, &e), -1);
	assert_string_equal(e.msg, CANCELLED);
	assert_ptr_equal(session_routing(s), r);
	ok_line(s, "route minhop"); /* a new command is not cancelled */
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
		cmocka_unit_test(test_completion_lists),
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
		cmocka_unit_test(test_wrong_scripts),
		cmocka_unit_test(test_failed_load),
		cmocka_unit_test(test_cancel),
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_syntax),
		cmocka_unit_test(test_usage),
		cmocka_unit_test(test_setup),
		cmocka_unit_test(test_cancelled_script),
		cmocka_unit_test(test_steps_back),
		cmocka_unit_test(test_steps_of_a_pair),
		cmocka_unit_test(test_nothing_is_no_number),
		cmocka_unit_test(test_walks),
		cmocka_unit_test(test_one_thing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
