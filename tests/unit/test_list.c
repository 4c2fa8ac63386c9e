/* The command `list`: every pane without a screen, as text and as JSON; what panes leave out. */
#include "core/session/syntax.h"
#include "torus_session.h"

/* The object that a line prints; *rc is its result. */
static json_t *json_line(struct session *s, const char *line, int *rc)
{
	struct err e;
	AUTO_FREE char *text = run_line(s, line, rc, &e, true, NULL);
	json_t *o = json_loads(text, 0, NULL);

	if (!o)
		fail_msg("%s: no JSON: %s", line, text);
	return o;
}

/* A word that stands for one of a syntax on this fabric; "" = none does. */
static void find_word(const struct session *s, const char *what, size_t len, char *word, size_t size)
{
	static const char *const endports[] = {"H", "HOST", "LID", "SRC", "DST", "DESTINATION"};
	const struct fabric *f = s->fabric;
	uint64_t guid = f->node_guid[f->switch_node[f->n_switches / 2]];

	snprintf(word, size, "%.*s", (int)len, what);
	if (syntax_fixed(what, len) == len)
		return;
	for (size_t i = 0; i < ARRAY_LEN(endports); i++) {
		if (strcmp(word, endports[i]))
			continue;
		snprintf(word, size, "0x%016" PRIx64,
			 f->port_guid[f->endport_port[i % 2 ? 0 : f->n_endports - 1]]);
		return;
	}
	if (!strcmp(word, "NODE") || !strcmp(word, "S") || !strcmp(word, "SWITCH") ||
	    !strcmp(word, "ELEMENT"))
		snprintf(word, size, "0x%016" PRIx64, guid);
	else if (!strcmp(word, "NODE[PORT]"))
		snprintf(word, size, "0x%016" PRIx64 "[1]", guid);
	else if (!strcmp(word, "GROUP") || !strcmp(word, "STEP") || !strcmp(word, "SHIFT"))
		snprintf(word, size, "1");
	else if (!strcmp(word, "PANE"))
		snprintf(word, size, "lft");
	else if (!strcmp(word, "LAYER") || !strcmp(word, "VL"))
		snprintf(word, size, "0");
	else if (!strncmp(word, "ENGINE", 6))
		snprintf(word, size, "minhop");
	else if (!strcmp(word, "N"))
		snprintf(word, size, "1");
	else if (!strcmp(word, "seed=K"))
		snprintf(word, size, "seed=3");
	else if (strchr(word, '|') && !strncmp(word, "links", 5))
		snprintf(word, size, "links");
	else if (!strcmp(word, "COMMAND"))
		snprintf(word, size, "trace");
	else if (!strcmp(word, "FILE"))
		snprintf(word, size, "tests/fabrics/demo-3level.ibnet");
	else if (!strcmp(word, "WORD")) /* fits several nodes */
		snprintf(word, size, "%.1s", switch_name(s->fabric, 0));
	else if (!strcmp(word, "OPTION=VALUE") || !strcmp(word, "SNAPSHOT") || !strcmp(word, "CHASSIS") ||
		 !strcmp(word, "CARD"))
		*word = 0;
	else
		fail_msg("no word for %s", word);
}

static void expect_row(const json_t *row, const json_t *columns)
{
	static const char *const older[] = {"links", "pairs", "routes"};
	size_t was = 0;
	size_t i;
	json_t *name;

	assert_true(json_is_string(json_object_get(row, "key")));
	assert_true(json_is_array(json_object_get(row, "marks")));
	json_array_foreach(columns, i, name)
	{
		const json_t *cell = json_object_get(row, json_string_value(name));

		assert_true(json_is_string(cell) || json_is_number(cell) || json_is_null(cell));
	}
	for (size_t k = 0; k < ARRAY_LEN(older); k++) {
		bool column = false;

		json_array_foreach(columns, i, name) column |= !strcmp(json_string_value(name), older[k]);
		was += json_object_get(row, older[k]) && !column;
	}
	/* a column that had another name before has that as a key, too */
	assert_int_equal(json_object_size(row), json_array_size(columns) + 3 + was);
}

/* Both outputs agree; the number of rows, or -1 when the pane refuses. */
static int expect_list(struct session *s, const char *line)
{
	int rc, text_rc, lines = 0;
	json_t *o = json_line(s, line, &rc), *row;
	const json_t *columns = json_object_get(o, "columns"), *rows = json_object_get(o, "rows");
	struct err e;
	char *text = run_line(s, line, &text_rc, &e, false, NULL);
	size_t i;
	int n;

	assert_int_equal(rc, text_rc);
	if (rc) {
		assert_true(json_is_string(json_object_get(o, "error")));
		assert_true(strlen(e.msg) > 0);
		free(text);
		json_decref(o);
		return -1;
	}
	assert_true(json_array_size(columns) > 0);
	json_array_foreach(rows, i, row) expect_row(row, columns);
	for (const char *c = text; *c; c++)
		lines += *c == '\n';
	/* the header, or the title when there is nothing else; cells have no line ends */
	assert_int_equal(lines, (int)json_array_size(rows) + 1);
	n = (int)json_array_size(rows);
	free(text);
	json_decref(o);
	return n;
}

#define MOST_WORDS 3 /* behind the pane */
#define LESS_WORDS 1 /* after failures, when all have been tried without */
#define MANY 8	     /* more words than these behind another: the first and the middle one stand for all */

/* Words that may stand behind others. */
struct next {
	const struct session *s;
	char word[32][32];
	size_t n;
};

static void take_next(void *ctx, const char *what, size_t len)
{
	struct next *n = ctx;

	assert_true(n->n < ARRAY_LEN(n->word));
	find_word(n->s, what, len, n->word[n->n], sizeof(n->word[0]));
	for (size_t i = 0; i < n->n; i++)
		if (!strcmp(n->word[i], n->word[n->n]))
			return;
	n->n += *n->word[n->n] != 0;
}

/* Rows of words that the pane's syntax offers, up to `most` of them; every word comes first; rows in all. */
static int list_words(struct session *s, const char *syntax, int most, int argc, char **argv)
{
	struct next next = {.s = s};
	AUTO_TEXT struct text t = {0};
	int rows = 0;

	text_add(&t, "list");
	for (int i = 0; i < argc; i++)
		text_add(&t, " %s", argv[i]);
	if (syntax_fits(syntax, argc, argv))
		rows += expect_list(s, text_str(&t)) > 0;
	if (argc > most)
		return rows;
	syntax_next(syntax, argc, argv, take_next, &next);
	for (size_t i = 0; i<next.n; i += argc> 1 && next.n > MANY ? next.n / 2 : 1) {
		argv[argc] = next.word[i];
		rows += list_words(s, syntax, most, argc + 1, argv);
	}
	return rows;
}

static int list_pane(struct session *s, const struct view_ops *ops, int most)
{
	char *argv[MOST_WORDS + 2] = {(char *)(uintptr_t)ops->name};
	AUTO_TEXT struct text syntax = {0};

	text_add(&syntax, "%s %s", ops->name, view_syntax(ops));
	return list_words(s, text_str(&syntax), most, 1, argv);
}

static const struct {
	const char *spec, *route;
} cases[] = {
	{"xgft:4,4:1,2", NULL},
	{"xgft:4,4,4:1,2,2", "minhop"},
	{"xgft:4,4:1,2", "ftree"},
	{"torus:4x4", "updn"},
	{"torus:4x4", "dnup"},
	{"torus:4x4", "lash do_mesh_analysis=TRUE"},
	{"torus:4x4", "lash"},
	{"ring:6", "dor"},
	{"director:2,4,3,4", "mincontention lmc=1"},
	{"torus:4x4", "ftree"},
	{"hypercube:3", "minhop"},
	{"torus:4x4", "dfsssp qos=TRUE"},
	{"torus:4x4", "nue nue_max_num_vls=2 qos=TRUE"},
	{"ring:6", "nue"},
	{"ring:6", "sssp"},
};

/* The last of the words for one pane in three, others in each process; most: of panes that had rows before;
 * only_new: those are left out.
 */
static size_t list_panes(struct session *s, int *rows, int most, bool only_new)
{
	static unsigned turn;
	size_t n = 0;

	turn = turn ? turn + 1 : (unsigned)getpid();

	for (; all_views[n]; n++) {
		/* these route again and again: once, then in one of eight, their words one by one */
		bool long_one = !strcmp(all_views[n]->name, "advise") ||
				!strcmp(all_views[n]->name, "survey") || !strcmp(all_views[n]->name, "drift");

		if (only_new && rows[n])
			continue;
		if (long_one) {
			if (!rows[n] || (turn + n) % 8 == 0)
				rows[n] += list_pane(s, all_views[n], most > LESS_WORDS);
		} else
			rows[n] += list_pane(s, all_views[n],
					     !rows[n] ? MOST_WORDS
						      : most - (most > LESS_WORDS && (turn + n) % 3));
	}
	return n;
}

/* Each pane has rows somewhere: none is listed by being empty. */
static void every_pane_can_be_listed(void **state)
{
	int rows[64] = {0};
	size_t n = 0;
	unsigned one_in = getenv("LONG") ? 3 : 12;
	uint64_t seed = test_seed();

	for (size_t k = 0; k < ARRAY_LEN(cases); k++) {
		AUTO_SESSION struct session *s = session_after("synth %s", cases[k].spec);
		bool drawn = test_drawn(seed, k, 5);

		if (cases[k].route)
			ok_linef(s, "route %s", cases[k].route);
		/* all words in every twelfth case (LONG=1: third), in the others when other processes try */
		list_panes(s, rows, ((unsigned)getpid() + k) % one_in ? LESS_WORDS : MOST_WORDS, !drawn);
		if (cases[k].route) {
			ok_line(s, "fail random 2 seed=3");
			list_panes(s, rows, LESS_WORDS, !drawn);
		}
	}
	struct session *torus = torus_session("torus:4x4");
	ok_line(torus, "drain all");
	ok_line(torus, "drain round 1");
	n = list_panes(torus, rows, test_drawn(seed, 0, 4) ? MOST_WORDS : LESS_WORDS, false);
	ok_line(torus, "fail random 2 seed=3");
	list_panes(torus, rows, LESS_WORDS, false);
	torus_session_end(torus);
	for (size_t i = 0; i < n; i++)
		if (!rows[i] && !words_have("warnings partitions", all_views[i]->name))
			fail_msg("pane %s never has a row", all_views[i]->name);
}

static void nothing_is_loaded(void **state)
{
	AUTO_SESSION struct session *s = session_new(all_engines, all_commands);

	for (size_t i = 0; all_views[i]; i++) {
		struct err e;
		int rc;
		AUTO_FREE char *line = str_printf("list %s", all_views[i]->name);

		free(run_line(s, line, &rc, &e, false, NULL));
		if (rc && !strstr(e.msg, "expected") && !strstr(e.msg, "no fabric") && !strstr(e.msg, "lash"))
			fail_msg("%s: %s", line, e.msg);
	}
	line_fails(s, "list lft leaf-01", "pane lft: no fabric is loaded");
}

static void rows_as_asked_for(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth xgft:4,4:1,2; route minhop");

	line_says(s, "list switches sort name reverse filter spine",
		  "  name     lid ports up lids changed hosts guid\n"
		  "  spine-02  12     4  4   22             0 0x0002c90300a00050\n"
		  "  spine-01   9     4  4   22             0 0x0002c90300a00040\n");
	ok_line(s, "fail link leaf-01[5]");
	line_says(s, "list switches filter changed", "! leaf-01");
	line_says(s, "list ports leaf-01 filter down", "x    5 down ");
	line_says(s, "list hosts filter nothing-like-it", "Hosts 0/0");
}

/* At 80 columns (78 inside the REPL's frame) no line of what is printed wraps. */
static void line_fits(struct session *s, const char *line)
{
	AUTO_TEXT struct text t = {0};
	struct command_run r = {.in = interpreter_of(s), .width = 78};
	size_t n = 0, most = 0;
	struct err e;

	r.f = text_stream(&t);
	assert_int_equal(run_text(&r, line, &e), 0);
	fclose(r.f);
	/* sentences, which wrap, end with a full stop */
	for (const char *c = text_str(&t); *c; c++) {
		n = *c == '\n' ? 0 : n + ((*c & 0xc0) != 0x80);
		if (n > most && c[strcspn(c, "\n") - 1] != '.')
			most = n;
	}
	if (most > 78 || most < 40)
		fail_msg("%s: a line of %zu characters:\n%.2000s", line, most, text_str(&t));
}

static void tables_fit(void **state)
{
	static const char *const lines[] = {"lft leaf-01", "lft spine-01", "hops leaf-01", "switches",
					    "hosts"};
	AUTO_SESSION struct session *s = session_after("synth xgft:18,36:1,18; route minhop");

	ok_line(s, "fail link leaf-01[20]");
	for (size_t i = 0; i < ARRAY_LEN(lines); i++)
		line_fits(s, lines[i]);
}

/* So does a survey: columns of zeros are told in a line, and long names stand below their figures. */
static void survey_fits(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth xgft:4,4:1,4; route minhop");

	line_fits(s, "survey links");
	line_fits(s, "survey switches");
	line_fits(s, "survey pairs 20 seed=1");
	line_fits(s, "survey pairs 20 switches seed=1");
}

#define PREFIX "datacenter-west-hall-7-row-" /* names of 34 letters */

/* Gives all nodes long names that differ at their end. */
static void long_names(struct session *s)
{
	AUTO_TEXT struct text names = {0};

	for (uint32_t n = 0; n < s->fabric->n_nodes; n++)
		text_add(&names, "0x%016" PRIx64 " \"" PREFIX "%s\"\n", s->fabric->node_guid[n],
			 s->fabric->node_name[n]);
	AUTO_TEMP char *path = temp_file(text_str(&names));
	ok_linef(s, "names %s", path);
}

/* Is a line a sentence, which may be longer than the screen: the REPL breaks it between words? */
static bool is_sentence(const char *line, size_t len)
{
	return strchr(".;:", line[len - 1]) || strcspn(line, ";") < len || (*line >= 'A' && *line <= 'Z') ||
	       *line == '`' || !strncmp(line, PREFIX, strlen(PREFIX));
}

/* What a line prints for a reader of `width` columns; 0: for one without. */
static char *printed(struct session *s, const char *line, unsigned width)
{
	struct text t = {0};
	struct command_run r = {.in = interpreter_of(s), .width = width};
	struct err e;

	r.f = text_stream(&t);
	if (run_text(&r, line, &e))
		fail_msg("%s: %s", line, e.msg);
	fclose(r.f);
	return t.s;
}

/*
 * With names of 34 letters no row of a command is wider than the REPL: names give way alike, with a mark, and
 * the end of each, which tells it apart, stays.  A reader without a width gets names whole.
 */
static void rows_of_commands_fit(void **state)
{
	static const struct {
		const char *line, *row; /* how a row of it goes on */
	} all[] = {
		{"help", "compare two routings"},
		{"help export", "write tables, paths"},
		{"help step", "walk has only the steps about it.  `step` shows"},
		{"help step", "\n  refused      this happens; so opened"},
		{"show options", "LIDs a CA port gets"},
		{"show engines", "fewest hops"},
		{"show links", "…leaf-01[4] "},
		{"show lids", "row-leaf-01"},
		{"show node leaf-01", "row-spine-02[1]"},
		{"diff all", "…spine-02[1] -> "},
		{"diff all", "(LID 2)  links 4 -> 4"},
		{"shifts", "…spine-02[2] -> "},
		{"outage", "-leaf-01[4]   10 12 14"},
		{"equal-paths", "datacenter-"},
		{"drift", "  right "},
		{"load-map", "…leaf-01[5]"},
		{"flows leaf-01[5]", " -> "},
		{"cdg", "…leaf-01"},
		{"elements leaf-01", "…leaf-01[5]"},
		{"why leaf-01 node0009", "  datacenter-west-hall-7-row-spine-02[1]\n"},
		{"transition", "  datacenter-west-…leaf-01\n"},
		{"step start; step list 30", "reaches\n         datacenter"},
		{"step end; doctor", "single-point"},
		{"survey links; survey switches", "spine-01"},
		{"synth", "dimension"},
	};
	AUTO_SESSION struct session *s = session_after("synth xgft:3,3:1,2; route updn");

	long_names(s);
	ok_line(s, "fail link leaf-01[4]");
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		char *narrow = printed(s, all[i].line, 78), *wide;
		size_t most = 0;

		for (const char *c = narrow, *next; *c; c = next) {
			size_t len = strcspn(c, "\n"), n = 0;

			next = c + len + (c[len] != 0);
			for (size_t k = 0; k < len; k++)
				n += (c[k] & 0xc0) != 0x80;
			if (n > 78 && !is_sentence(c, len))
				fail_msg("%s: %zu characters: %.*s", all[i].line, n, (int)len, c);
			most = n > most ? n : most;
		}
		if (!strstr(narrow, all[i].row))
			fail_msg("%s: found no \"%s\" in\n%s", all[i].line, all[i].row, narrow);
		wide = printed(s, all[i].line, 0);
		if (strstr(wide, "…") || strpbrk(wide, "\002\003\004\005"))
			fail_msg("%s: cut without a width:\n%s", all[i].line, wide);
		free(narrow);
		free(wide);
	}
}

/* Rows that a filter leaves of `list WHAT`, told by the keys that JSON gives them. */
static size_t rows_left(struct session *s, const char *what, const char *filter)
{
	AUTO_FREE char *line = str_printf("list %s filter %s", what, filter);
	json_t *o;
	size_t n;
	int rc;

	o = json_line(s, line, &rc);
	if (rc)
		fail_msg("%s: %s", line, json_string_value(json_object_get(o, "error")));
	n = json_array_size(json_object_get(o, "rows"));
	json_decref(o);
	return n;
}

static void filters_know_columns(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth xgft:4,4:1,2; route minhop");

	ok_line(s, "fail link leaf-03[5]");
	assert_int_equal(rows_left(s, "lft leaf-03", "was:5"), 10);
	assert_int_equal(rows_left(s, "lft leaf-03", "was:6"), 0); /* what did not change had no other port */
	assert_int_equal(rows_left(s, "lft leaf-03", "now:5"), 0);
	assert_int_equal(rows_left(s, "lft leaf-03", "now:6"), 17);
	assert_int_equal(rows_left(s, "lft leaf-03", "NOW:6 lid:2"), 1); /* a number is a whole one */
	assert_int_equal(rows_left(s, "lft leaf-03", "lid:/2/"), 5);
	assert_int_equal(rows_left(s, "lft leaf-03", "dest:node0001"), 1); /* begin of the header */
	assert_int_equal(rows_left(s, "ports leaf-03", "-peer:node"), 2);
	assert_int_equal(rows_left(s, "hosts", "switch:leaf-03 name:node001"), 3);
	line_says(s, "list lft leaf-03 sort now filter was:5", "5 \xe2\x86\x92 6");
}

static void filters_by_regular_expression(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth xgft:4,4:1,2; route minhop");

	assert_int_equal(rows_left(s, "switches", "/^leaf-0[13]$/"), 2); /* begin and end of a cell */
	assert_int_equal(rows_left(s, "switches", "/^(LEAF|spine)-02$/"), 2);
	assert_int_equal(rows_left(s, "switches", "-/^leaf/"), 2);
	assert_int_equal(rows_left(s, "switches", "name:/0[^1]$/"), 4);
	assert_int_equal(rows_left(s, "switches", "name:/^1/"), 0);
	assert_int_equal(rows_left(s, "hosts", "'/3\\[2/'"), 1);
	assert_int_equal(rows_left(s, "hosts", "\"switch:/leaf-03.[12]. ?/ /9$/\""), 1);
	assert_int_equal(rows_left(s, "switches", "leaf-0[13]"), 0); /* text, as names are written */
	assert_int_equal(rows_left(s, "hosts", "leaf-03[2]"), 1);
	line_fails(s, "list switches filter name:/[/", "/[/: ");
	line_fails(s, "list switches filter /(a{1,300}){1,300}/", "more than 1000 repeats");
	line_fails(s, "list switches filter '/(a*)*\\1/'", "back-reference");
}

static void unknown_columns_of_filters(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth xgft:4,4:1,2; route minhop");
	struct err e;

	line_fails(s, "list switches filter nosuch:7",
		   "pane switches has no column 'nosuch', expected one of");
	line_fails(s, "list hosts filter leaf no-such:7",
		   "no column 'no-such', expected one of name lid switch");
	line_fails(s, "list hosts filter -nosuch:7", "no column 'nosuch'");
	line_fails(s, "list lft leaf-01 filter nosuch:/7/", "was \xe2\x86\x92 now");
	/* text with a colon in it is text where a row holds it */
	struct fabric *f = make_fabric("xgft:4,4:1,2");
	free(f->node_given[f->switch_node[0]]);
	f->node_given[f->switch_node[0]] = str_dup("MF0;LG01:MQM8700/U1");
	fabric_show_names(f);
	assert_int_equal(session_set_fabric(s, f, "names", NULL, &e), 0);
	assert_int_equal(rows_left(s, "switches", "\"MF0;LG01:MQM8700/U1\""), 1);
	assert_int_equal(rows_left(s, "switches", "lg01:mqm -spine"), 1);
	assert_int_equal(rows_left(s, "switches", "-LG01:MQM"), 5);
	line_fails(s, "list switches filter LG01:MQM87001", "no column 'LG01'");
}

static void letters_in_order(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth xgft:4,4:1,2; route minhop");
	const struct search best = {.dir = 1, .start = true, .best = true, .seconds = 100};
	const struct search next = {.dir = 1, .seconds = 100};
	struct scene sc = {0};
	struct err e;

	scene_take(&sc, s);
	struct view *v = view_new(view_find("switches"), &sc, 0, NULL, &e);
	assert_true(view_settle(v, NULL));
	assert_int_equal(view_search(v, "lf3", &best, &e), 0);
	assert_true(view_search_like(v, "lf3", &best));
	assert_int_equal(v->sel, 2);
	assert_true(view_search_like(v, "SP 0", &next));
	assert_int_equal(v->sel, 4);
	assert_true(view_search_like(v, "sp0", &next));
	assert_int_equal(v->sel, 5);
	assert_false(view_search_like(v, "3fl", &best)); /* not in this order */
	assert_false(view_search_like(v, "0x", &best));	 /* GUIDs are no names */
	assert_int_equal(view_search(v, "nosuch:1", &best, &e), -1);
	assert_string_equal(e.msg,
			    "pane switches has no column 'nosuch', expected one of rank name lid ports up "
			    "lids changed hosts guid");
	view_free(v);
	scene_release(&sc);
}

/* Panes without arguments where something was looked at, as on the screen. */
static void what_was_looked_at(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth xgft:4,4:1,2; route minhop");
	const struct fabric *f = s->fabric;
	struct scene sc = {0};
	struct err e;

	scene_take(&sc, s);
	assert_null(view_new(view_find("lft"), &sc, 0, NULL, &e));
	assert_string_equal(e.msg, "pane lft: found 0 arguments, expected SWITCH [DESTINATION]");
	sc.looked.sw = f->node_guid[f->switch_node[2]];
	struct view *v = view_new(view_find("lft"), &sc, 0, NULL, &e);
	assert_int_equal(v->args.arg[0].guid, sc.looked.sw);
	assert_int_equal(v->args.n, 1);
	view_free(v);
	assert_null(view_new(view_find("path"), &sc, 0, NULL, &e));
	sc.looked.src = f->port_guid[f->endport_port[0]];
	sc.looked.dst = f->port_guid[f->endport_port[f->n_endports - 1]];
	v = view_new(view_find("path"), &sc, 0, NULL, &e);
	assert_int_equal(v->args.arg[1].guid, sc.looked.dst);
	view_free(v);
	v = view_new(view_find("ports"), &sc, 0, NULL, &e); /* may be left out: the first switch */
	assert_int_equal(v->args.n, 0);
	view_free(v);
	sc.looked.node = f->node_guid[f->switch_node[1]];
	sc.looked.port = 3;
	v = view_new(view_find("ports"), &sc, 0, NULL, &e);
	assert_int_equal(v->args.arg[0].guid, sc.looked.node);
	view_free(v);
	v = view_new(view_find("sl2vl"), &sc, 0, NULL, &e);
	assert_int_equal(v->args.arg[0].n, 3);
	view_free(v);
	sc.looked.sw = 1; /* of another fabric */
	assert_null(view_new(view_find("lft"), &sc, 0, NULL, &e));
	scene_release(&sc);
}

static void ports_at_a_port(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth xgft:4,4:1,2; route minhop");
	char word[] = "leaf-03[5]", *argv[] = {word};
	struct scene sc = {0};
	struct err e;

	scene_take(&sc, s);
	struct view *v = view_new(view_find("ports"), &sc, 1, argv, &e);
	assert_true(view_settle(v, NULL));
	assert_int_equal(v->sel, 4);
	view_free(v);
	snprintf(word, sizeof(word), "leaf-0[9]");
	assert_null(view_new(view_find("ports"), &sc, 1, argv, &e));
	line_fails(s, "list ports leaf-03[99]", "99");
	line_fails(s, "list ports nobody", "nobody");
	line_says(s, "list ports leaf-03[5]", "     5 up ");
	scene_release(&sc);
	scene_drop_results(&sc);
}

static void mistakes_are_told(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth xgft:4,4:1,2; route minhop");

	line_fails(s, "list", "expected: list PANE");
	line_fails(s, "list nonsense", "expected one of switches");
	line_fails(s, "list switches 3", "pane switches: found 3, expected no argument");
	line_fails(s, "list lft", "pane lft: found 0 arguments, expected SWITCH [DESTINATION]");
	line_fails(s, "list lft node0001", "pane lft: node0001 is no switch");
	line_fails(s, "list path node0001", "pane path: found 1 argument, expected SRC DST");
	line_fails(s, "list cdg 16", "expected a VL, 0 to 15");
	line_fails(s, "list cycle 0 x", "expected a number from 1");
	line_fails(s, "list layers nonsense", "expected [switches]");
	line_fails(s, "list switches sort", "expected a column");
	line_fails(s, "list switches columns", "found nothing behind columns");
	line_fails(s, "list switches columns name,,lid", "has no column ''");
	line_fails(s, "list switches csv columns name,lid,name", "found name twice");
	line_fails(s, "list switches columns name,key", "has no column 'key'");
	line_fails(s, "list switches columns name csv",
		   "found \"csv\", expected columns, sort or filter TEXT");
	line_says(s, "list switches csv columns lid,name,marks filter leaf-02",
		  "lid,name,marks\n4,leaf-02,\n");
	line_says(s, "list switches csv columns name filter nobody", "name\n");
	line_fails(s, "list switches sort nonsense", "has no column 'nonsense'");
	line_fails(s, "list switches sort name backwards", "expected reverse or filter");
}

static void json_tells_types_and_marks(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth xgft:4,4:1,2; route minhop");
	json_t *o, *row;
	int rc;

	ok_line(s, "fail link leaf-01[5]");
	o = json_line(s, "list ports leaf-01 filter down", &rc);
	assert_int_equal(rc, 0);
	row = json_array_get(json_object_get(o, "rows"), 0);
	assert_int_equal(json_integer_value(json_object_get(row, "port")), 5);
	assert_string_equal(json_string_value(json_object_get(row, "state")), "down");
	assert_string_equal(json_string_value(json_array_get(json_object_get(row, "marks"), 0)), "down");
	json_decref(o);
	o = json_line(s, "list path node0001 node0016", &rc);
	assert_string_equal(json_string_value(json_array_get(json_object_get(o, "columns"), 8)), "VL 2");
	json_decref(o);
}

static void cancelled_at_once(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth torus:4x4; route lash");
	struct scene sc = {0};
	struct progress p = {0};
	struct err e;

	scene_take(&sc, s);
	struct view *v = view_new(&view_layers, &sc, 0, NULL, &e);
	atomic_store(&p.cancel, true);
	assert_false(view_settle(v, &p));
	atomic_store(&p.cancel, false);
	assert_true(view_settle(v, &p));
	view_free(v);
	scene_release(&sc);
	scene_drop_results(&sc);
}

static void completed_from_descriptions(void **state)
{
	static const struct {
		const char *line, *word;
	} want[] = {
		{"list sw", "switches"},
		{"list lft le", "leaf-01"},
		{"list lft leaf-01 no", "node0001"},
		{"list cycle ", "all"},
		{"list cycle le", "leaf-01"},
		{"list cdg 0 leaf-01[", "leaf-01[1]"},
		{"list layers ", "switches"},
		{"list usage a", "all"},
		{"list compare up", "updn"},
		{"list compare minhop lm", "lmc="},
		{"list his le", "leaf-01"},
	};
	AUTO_SESSION struct session *s = session_after("synth xgft:4,4:1,2; route minhop");

	for (size_t i = 0; i < ARRAY_LEN(want); i++) {
		size_t at;
		char **c = session_complete(s, want[i].line, &at);
		bool found = false;

		for (size_t k = 0; c[k]; k++)
			found |= !strcmp(c[k], want[i].word);
		if (!found)
			fail_msg("%s: %s is not offered", want[i].line, want[i].word);
		completions_free(c);
	}
}

/* --- the least a pane may be -------------------------------------------------------------- */

static void least_load(struct view *v)
{
	v->n_rows = 12;
}

static void least_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	if (col)
		text_add(t, row == 3 ? "-" : "%u links", (row * 7) % 12);
	else
		text_add(t, "row %u", row);
}

static void least_pane(void **state)
{
	static const struct column columns[] = {{.name = "what", .width = 8, .flex = 1},
						{.name = "n", .numeric = true}};
	static const struct view_ops ops = {.name = "least",
					    .column = columns,
					    .n_columns = ARRAY_LEN(columns),
					    .load = least_load,
					    .cell = least_cell};
	AUTO_SESSION struct session *s = session_after("synth director:2,4,3,4; route minhop");
	struct scene sc = {0};
	AUTO_TEXT struct text t = {0};
	struct err e;
	char word[] = "word", *argv[] = {word};

	scene_take(&sc, s);
	sc.fold = true;
	assert_null(view_new(&ops, &sc, 1, argv, &e));
	assert_string_equal(e.msg, "pane least: found word, expected no argument");
	struct view *v = view_new(&ops, &sc, 0, NULL, &e);
	assert_true(view_settle(v, NULL));
	view_title(v, &t);
	assert_string_equal(text_str(&t), "Least 1/12");
	assert_string_equal(view_hints(&ops), "");
	assert_string_equal(view_brief(&ops), "");
	assert_string_equal(view_syntax(&ops), "");
	assert_int_equal(view_sort(v, 1, false, &e), 0);
	assert_int_equal(view_row(v, 0), 3); /* unknown before 0 */
	assert_int_equal(view_row(v, 1), 0);
	assert_int_equal(view_number(v, view_row(v, 11), 1), 11);
	view_filter(v, "what:3");
	assert_int_equal(view_count(v), 1);
	assert_int_equal(view_expand(v, "fail %object", &t, &e), -1);
	assert_int_equal(view_search(v, "row", &(struct search){.dir = 1, .start = true, .seconds = 1}, &e),
			 1);
	assert_false(view_toggle(v));
	view_free(v);
	scene_release(&sc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_pane_can_be_listed),
		cmocka_unit_test(nothing_is_loaded),
		cmocka_unit_test(rows_as_asked_for),
		cmocka_unit_test(tables_fit),
		cmocka_unit_test(rows_of_commands_fit),
		cmocka_unit_test(survey_fits),
		cmocka_unit_test(mistakes_are_told),
		cmocka_unit_test(filters_know_columns),
		cmocka_unit_test(filters_by_regular_expression),
		cmocka_unit_test(unknown_columns_of_filters),
		cmocka_unit_test(letters_in_order),
		cmocka_unit_test(what_was_looked_at),
		cmocka_unit_test(ports_at_a_port),
		cmocka_unit_test(json_tells_types_and_marks),
		cmocka_unit_test(cancelled_at_once),
		cmocka_unit_test(completed_from_descriptions),
		cmocka_unit_test(least_pane),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
