/* Lessons: lines of running text, places in a session; topics; one shift in full. */
#include "core/analysis/traffic/shift.h"
#include "core/base/infile.h"
#include "core/routing/paths.h"
#include "core/session/lesson.h"
#include "fixture.h"

#include <sys/stat.h>

static void wraps(const char *s, unsigned columns, const char *want)
{
	AUTO_TEXT struct text t = {0};

	wrap_text(&t, s, columns, "> ", "  ");
	assert_string_equal(text_str(&t), want);
}

static void test_wrap(void **state)
{
	wraps("", 10, "> \n");
	wraps("one two", 10, "> one two\n");
	wraps("one two three", 10, "> one two\n  three\n");
	wraps("one two  three", 9, "> one two\n  three\n");
	wraps("abcdefghijk lm", 10, "> abcdefgh\n  ijk lm\n");
	wraps("éé éé éé", 7, "> éé éé\n  éé\n"); /* characters, not bytes */
	wraps("abc", 1, "> a\n  b\n  c\n");
}

/* Whatever is wrapped has all words in their order, in lines that are not longer. */
static void test_wrap_random(void **state)
{
	uint64_t seed = test_seed();

	for (unsigned round = 0; round < 2000; round++) {
		char text[80];
		AUTO_TEXT struct text t = {0}, plain = {0};
		unsigned columns = 1 + (unsigned)(seed % 20), n = (unsigned)(seed >> 8) % sizeof(text);

		for (unsigned i = 0; i < n; i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			text[i] = (seed >> 33) % 4 ? (char)('a' + (seed >> 40) % 26) : ' ';
		}
		text[n] = 0;
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		wrap_text(&t, text, columns, "", "");
		for (char *line = t.s, *end; *line; line = end + 1) {
			end = strchr(line, '\n');
			assert_true((size_t)(end - line) <= columns);
		}
		for (const char *c = t.s; *c; c++)
			if (*c != ' ' && *c != '\n')
				text_putc(&plain, *c);
		for (unsigned i = 0, k = 0; i < n; i++)
			if (text[i] != ' ')
				assert_int_equal(text_str(&plain)[k++], text[i]);
	}
}

static void test_places(void **state)
{
	AUTO_SESSION struct session *s = session_new(all_engines, all_commands);

	line_fails(s, "lesson next", "no lesson is being played");
	ok_line(s, "synth torus:4x4");
	ok_line(s, "route minhop lmc=2");
	ok_line(s, "lesson ring check");
	assert_string_equal(s->fabric->source, "torus:4x4");
	assert_null(s->lesson);
	ok_line(s, "lesson ring 2");
	assert_string_equal(s->fabric->source, "ring:5");
	assert_int_equal(options_uint(s->setup->options, "lmc"), 0);
	assert_int_equal(s->lesson->step, 1);
	assert_true(s->lesson->generation == s->generation);
	const struct lesson_place *held = lesson_place_ref(s->lesson);
	ok_line(s, "lesson answer");
	assert_true(s->lesson->answered && !held->answered);
	assert_true(s->lesson->generation == s->generation);
	lesson_place_unref(held);
	ok_line(s, "fail switch ring0");
	assert_true(s->lesson->generation != s->generation);
	ok_line(s, "lesson answer");
	assert_true(s->lesson->generation != s->generation); /* what failed is still down */
	ok_line(s, "lesson again");
	assert_true(s->lesson->generation == s->generation);
	assert_false(session_state(s)->node_down[s->fabric->switch_node[0]]);
	line_fails(s, "lesson ring 5", "expected a step from 1 to 4");
}

static void test_files(void **state)
{
	struct err e;

	assert_null(lesson_name("ring:5"));
	assert_string_equal(lesson_name("lesson:ring5"), "ring5");
	assert_null(lesson_file("", &e));
	assert_null(lesson_file(".", &e));
	assert_null(lesson_file("../lessons/fabrics", &e));
	assert_null(lesson_file("nothing-of-this-name", &e));
	free(lesson_file("fabrics", &e));
	assert_null(lesson_read("nothing-of-this-name", NULL, &e));
}

/* A value of very many lines, the values before and behind it, and a number between. */
static void test_many_lines(void **state)
{
	enum { LINES = 300000 };
	struct text t = {0};
	struct err e;

	text_add(&t, "title: one\n two\nnumber: 3\ntext: a\n");
	for (unsigned i = 0; i < LINES; i++)
		text_add(&t, "\tb\n");
	text_add(&t, "ask:\n\n c?\r\nanswer: d\npoints: 4\n");
	struct lesson *l = lesson_parse("own", "own", t.s, &e);
	assert_non_null(l);
	assert_string_equal(l->title, "one two");
	assert_int_equal(l->number, 3);
	assert_int_equal(strlen(l->step[0].text), 1 + 2 * LINES);
	assert_memory_equal(l->step[0].text, "a b b b", 7);
	assert_string_equal(l->step[0].ask, " c?");
	assert_string_equal(l->step[0].answer, "d");
	assert_int_equal(l->step[0].points, 4);
	lesson_free(l);
	text_free(&t);
	text_add(&t, "title: t\ntext: a\n b\nnumber: 1\n c\n");
	assert_null(lesson_parse("own", "own", t.s, &e));
	assert_string_equal(e.msg,
			    "own:5: found a line that begins with a blank, expected KEY: VALUE before it");
	text_free(&t);
}

/* `help` offers every topic. */
static void completed(struct session *s)
{
	for (const struct topic *t = s->words->topics; t->name; t++) {
		AUTO_FREE char *line = str_printf("help %s", t->name);
		size_t start;
		char **c = session_complete(s, line, &start);
		bool found = false;

		for (size_t k = 0; c[k]; k++)
			found |= !strcmp(c[k], t->name);
		assert_true(found);
		completions_free(c);
	}
}

/* Lines of running text stay in their order. */
static void test_not_sorted(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth ring:3");

	line_fails(s, "list lesson sort lesson",
		   "pane lesson is running text: its lines stay in their order");
}

static void test_topics(void **state)
{
	AUTO_SESSION struct session *s = session_new(all_engines, all_commands);

	assert_null(s->words->topics->name);
	give_words(s);
	assert_string_equal(topic_find(s, "Credit Loop", true)->name, "credit-loop");
	assert_string_equal(topic_find(s, "credit_loops", true)->name, "credit-loop");
	assert_string_equal(topic_find(s, "lids", true)->name, "lid");
	assert_null(topic_find(s, "credit-l", true));
	assert_string_equal(topic_find(s, "credit-l", false)->name, "credit-loop");
	assert_null(topic_find(s, "re", false)); /* several begin so */
	assert_null(topic_find(s, "", false));
	completed(s);
}

/* Pairs of a link are all and only those whose way goes over it; sums are those of shifts_new(). */
static void shift_in_full(const struct routing *r, const struct shift_order *o, const struct shift_load *want)
{
	struct err e;
	struct shift_links *s = shift_links_new(r, o, want->shift, NULL, &e);
	uint64_t on = 0, pairs = 0;

	assert_int_equal(s->load.max, want->max);
	assert_int_equal(s->load.flows, want->flows);
	assert_int_equal(s->load.lost, want->lost);
	for (uint32_t i = 0; i < s->n; i++) {
		const struct shift_link *l = &s->link[i];

		assert_true(!i || s->link[i - 1].flows >= l->flows);
		on += l->flows;
		for (uint32_t k = 0; k < l->flows; k++) {
			const struct shift_pair *p = &s->pair[s->pair_of[l->first + k]];
			uint32_t sw = r->topo->endport_switch[p->src];
			uint32_t port = r->topo->fabric->endport_port[p->src];

			while (port != l->port) {
				unsigned out = routing_next_port(r, sw, r->lids->base[p->dst]);

				assert_true(out && out != NO_PATH);
				port = switch_port_id(r->topo->fabric, sw, out);
				if (port != l->port)
					sw = r->topo->peer_switch[port];
			}
		}
	}
	for (uint32_t i = 0; i < s->load.flows; i++) {
		AUTO_BY(path_free) struct path path;

		path_trace(r, s->pair[i].src, r->lids->base[s->pair[i].src], r->lids->base[s->pair[i].dst],
			   &path);
		pairs += path.hops;
	}
	assert_int_equal(on, pairs);
	arena_free(s);
}

static void test_shift_links(void **state)
{
	static const struct {
		const char *fabric, *route, *then;
	} cases[] = {{"xgft:2,2,2:1,2,2", "route updn", NULL},
		     {"xgft:2,2,2:1,2,2", "route ftree", NULL},
		     {"torus:3x3,hosts=2", "route minhop", "fail switch t11"},
		     {"random:12,4,seed=3", "route updn root_guid_file=sw-01", "fail random 3 seed=4"}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_SESSION struct session *s = session_new(all_engines, all_commands);
		struct err e;
		struct shift_order *o;
		struct shifts *all;

		assert_int_equal(
			session_set_fabric(s, make_fabric(cases[i].fabric), cases[i].fabric, NULL, &e), 0);
		ok_line(s, cases[i].route);
		if (cases[i].then)
			ok_line(s, cases[i].then);
		o = shift_order_new(session_routing(s), s->setup, s->engines, NULL, NULL, &e);
		assert_non_null(o);
		all = shifts_new(session_routing(s), o, 0, 1, NULL);
		assert_true(all->n > 2);
		for (uint32_t k = 0; k < all->n; k++)
			shift_in_full(session_routing(s), o, &all->load[k]);
		arena_free(o);
		arena_free(all);
	}
}

/* A lesson of the user's folder that is named as one of the program's is told once; whatever else lies there
 * is none. */
static void test_names_once(void **state)
{
	static const char *const file[] = {"ring.lesson", "own.lesson", "note.txt", ".lesson", "own.edges"};
	char folder[] = "/tmp/test-lesson-XXXXXX", *config = getenv("XDG_CONFIG_HOME"), *was = NULL;
	unsigned ring = 0, own = 0, all = 0;

	was = config ? str_dup(config) : NULL;
	assert_non_null(mkdtemp(folder));
	setenv("XDG_CONFIG_HOME", folder, 1);
	for (int at = -2; at < (int)ARRAY_LEN(file); at++) {
		char *path =
			str_printf("%s/ibscope%s%s", folder, at > -2 ? "/lessons" : "", at >= 0 ? "/" : "");
		AUTO_FREE char *one = str_printf("%s%s", path, at >= 0 ? file[at] : "");

		if (at < 0)
			assert_int_equal(mkdir(one, 0700), 0);
		else
			fclose(fopen(one, "w"));
		free(path);
	}
	char **name = lesson_names();
	for (size_t i = 0; name[i]; i++) {
		ring += !strcmp(name[i], "ring");
		own += !strcmp(name[i], "own");
		all++;
		free(name[i]);
	}
	free(name);
	assert_int_equal(ring, 1);
	assert_int_equal(own, 1);
	unsetenv("XDG_CONFIG_HOME");
	name = lesson_names();
	for (size_t i = 0; name[i]; i++) {
		all--;
		free(name[i]);
	}
	free(name);
	assert_int_equal(all, 1);
	if (was)
		setenv("XDG_CONFIG_HOME", was, 1);
	free(was);
	for (int at = (int)ARRAY_LEN(file) - 1; at >= -2; at--) {
		AUTO_FREE char *one = str_printf("%s/ibscope%s%s%s", folder, at > -2 ? "/lessons" : "",
						 at >= 0 ? "/" : "", at >= 0 ? file[at] : "");

		assert_int_equal(remove(one), 0);
	}
	rmdir(folder);
}

/* Answers handed in are counted from 1; two of one file are judged, a step that is none is named. */
static void test_grade(void **state)
{
	AUTO_SESSION struct session *s = session_new(all_engines, all_commands);
	char path[] = "/tmp/test_lesson.XXXXXX", line[100];
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	snprintf(line, sizeof(line), "grade adaptive %s", path);
	assert_int_equal(pwrite(fd, "2: seven\n3: eight\n", 18, 0), 18);
	line_says(s, line, "  step 2   0 of 1  wrong: seven\n  step 3   0 of 1  wrong: eight\n");
	assert_int_equal(pwrite(fd, "0: seven\n6: eight\n", 18, 0), 18);
	line_fails(s, line,
		   ":1: found \"0: seven\", expected STEP: ANSWER with a step of lesson adaptive, 1 to 5");
	assert_int_equal(pwrite(fd, "2", 1, 0), 1);
	line_fails(s, line, ":2: found \"6: eight\", expected STEP: ANSWER");
	close(fd);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_grade),	    cmocka_unit_test(test_wrap),
		cmocka_unit_test(test_wrap_random), cmocka_unit_test(test_places),
		cmocka_unit_test(test_files),	    cmocka_unit_test(test_many_lines),
		cmocka_unit_test(test_not_sorted),  cmocka_unit_test(test_topics),
		cmocka_unit_test(test_shift_links), cmocka_unit_test(test_names_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
