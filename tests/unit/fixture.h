/*
 * What several unit tests need: cmocka's headers, fabrics by description, sessions that run lines, temporary
 * files, and AUTO_ words that free what a test made (see core/base/memory.h).
 */
#ifndef IBSCOPE_FIXTURE_H
#define IBSCOPE_FIXTURE_H

#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/analysis/shape/layout.h"
#include "core/base/err.h"
#include "core/base/infile.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/base/rng.h"
#include "core/base/text.h"
#include "core/fabric/builder.h"
#include "core/fabric/state.h"
#include "core/session/core_commands.h"
#include "core/session/help.h"
#include "core/source/synth.h"
#include "core/trace/recording.h"
#include "core/trace/walk.h"
#include "engines/engines.h"
#include "tui/ui.h"
#include "views/views.h"

/* cmocka hands every test a state, which few need. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
/* gcc finds unused variables, too, and knows that an AUTO_ one is used where its block ends. */
#ifdef __clang__
#pragma clang diagnostic ignored "-Wunused-variable"
#endif

/* Before the type of a local struct: release(&it) is called when its block is left. */
#define AUTO_BY(release) __attribute__((cleanup(release), unused))

#define AUTO_CANVAS AUTO_BY(canvas_free)
#define AUTO_INTERPRETER AUTO_BY(interpreter_free)
#define AUTO_SCENE AUTO_BY(auto_scene)
#define AUTO_SESSION AUTO_BY(auto_session)
#define AUTO_VIEW AUTO_BY(auto_view)

/* Panes are gone by now, so nothing that they asked for is left. */
static inline void auto_scene(struct scene *sc)
{
	scene_release(sc);
	scene_drop_results(sc);
	assert_int_equal(sc->n_results, 0);
}

static inline void auto_session(struct session **s)
{
	session_free(*s);
}

static inline void auto_view(struct view **v)
{
	view_free(*v);
}

#define AUTO_LAYOUT AUTO_BY(layout_unref_at)
static inline void layout_unref_at(void *variable)
{
	layout_unref(*(struct layout **)variable);
}

#define AUTO_RECORDING AUTO_BY(recording_unref_at)
static inline void recording_unref_at(void *variable)
{
	recording_unref(*(struct recording **)variable);
}

#define AUTO_WALK AUTO_BY(walk_free_at)
static inline void walk_free_at(void *variable)
{
	walk_free(*(struct walk **)variable);
}

/* As the program has them. */
__attribute__((unused)) static const struct command *const all_commands[] = {
#include "core/session/core_commands.def"
	view_commands, ui_commands, NULL};

/* A fresh seed, printed; SEED= in the environment repeats a run. */
static inline uint64_t test_seed(void)
{
	const char *s = getenv("SEED");
	uint64_t seed = s ? strtoull(s, NULL, 0) : (uint64_t)time(NULL) * 1000003u + (uint64_t)getpid();

	print_message("SEED=%" PRIu64 "\n", seed);
	return seed;
}

/* Rounds of what is drawn: a third of all; all with LONG=1. */
static inline unsigned test_rounds(unsigned all)
{
	return getenv("LONG") ? all : (all + 2) / 3;
}

/* Does case i run: one in `of`, others with each seed; all with LONG=1. */
static inline bool test_drawn(uint64_t seed, size_t i, unsigned of)
{
	return getenv("LONG") || (seed + i) % of == 0;
}

/* printf() into a string that holds until eight others were made. */
PRINTF_LIKE(1, 2) static inline const char *line_of(const char *fmt, ...)
{
	static char *made[8];
	static unsigned n_made;
	char **line = &made[n_made++ % ARRAY_LEN(made)];
	va_list ap;

	free(*line);
	va_start(ap, fmt);
	if (vasprintf(line, fmt, ap) < 0)
		*line = NULL;
	va_end(ap);
	assert_non_null(*line);
	return *line;
}

/* --- temporary files --- */

/* What was written there before is gone. */
static inline void file_write_bytes(const char *path, const char *data, size_t n)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

static inline void file_write(const char *path, const char *text)
{
	file_write_bytes(path, text, strlen(text));
}

/* All of a file as text; freed by the caller. */
static inline char *file_text(const char *path)
{
	struct err e = {0};
	char *data;
	size_t size;

	if (read_file(path, NULL, &data, &size, &e))
		fail_msg("%s", e.msg);
	data = mem_resize(data, size + 1, 1);
	data[size] = 0;
	return data;
}

/* The path of a new file with this text, or of a new folder: AUTO_TEMP removes it with all that is in it. */
#define AUTO_TEMP AUTO_BY(temp_remove)
static inline char *temp_file(const char *text)
{
	char *path = str_dup("/tmp/ibscope-test-XXXXXX");
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	file_write(path, text);
	return path;
}

static inline char *temp_folder(void)
{
	char *path = str_dup("/tmp/ibscope-test-XXXXXX");

	assert_non_null(mkdtemp(path));
	return path;
}

static inline int temp_remove_one(const char *path, const struct stat *st, int kind, struct FTW *walk)
{
	return remove(path);
}

static inline void temp_remove(char **path)
{
	if (*path)
		nftw(*path, temp_remove_one, 8, FTW_DEPTH | FTW_PHYS);
	free(*path);
}

/*
 * In a dump of tables (`export lfts`): another port for the LID at a switch ("": at all), and when the table
 * does not have the LID it is added; port NO_PATH: the entry is left out; lid 0: the whole table.
 */
static inline void dump_change_entry(const char *path, const char *sw, unsigned lid, unsigned port)
{
	AUTO_FREE char *data = file_text(path);
	AUTO_FREE char *name = str_printf("('%s')", sw);
	AUTO_FREE char *entry = str_printf("0x%04X ", lid);
	AUTO_TEXT struct text t = {0};
	bool here = false, found = false;

	for (char *rest = data, *line; (line = strsep(&rest, "\n")) && rest;) {
		if (!strncmp(line, "Unicast", 7)) {
			here = !*sw || strstr(line, name);
			found = !lid;
		}
		if (here && (!lid || !strncmp(line, entry, 7))) {
			found = true;
			if (port != NO_PATH)
				text_add(&t, "%s%03u%s\n", entry, port, line + 10);
			continue;
		}
		if (here && !found && port != NO_PATH && strstr(line, "dumped"))
			text_add(&t, "%s%03u # added\n", entry, port);
		text_add(&t, "%s\n", line);
	}
	file_write(path, text_str(&t));
}

/* --- fabrics --- */

static inline struct fabric *make_fabric(const char *spec)
{
	struct fabric *f = NULL;
	struct err e = {0};

	if (synth_make(spec, &f, &e))
		fail_msg("%s: %s", spec, e.msg);
	return f;
}

/* Switches s0 to s11: a ring of the first six, one of the next four, two alone; nothing else. */
static inline struct fabric *make_two_rings(void)
{
	struct fabric_builder *b = fb_new();
	struct fabric *f = NULL;
	struct err e = {0};
	uint32_t node[12];

	for (uint32_t k = 0; k < 12; k++) {
		char name[16];

		snprintf(name, sizeof(name), "s%u", k);
		node[k] = fb_add(b, NODE_SWITCH, 0x1000 + k, 4, name);
	}
	for (uint32_t k = 0; k < 6; k++)
		fb_link(b, node[k], 1, node[(k + 1) % 6], 2);
	for (uint32_t k = 0; k < 4; k++)
		fb_link(b, node[6 + k], 1, node[6 + (k + 1) % 4], 2);
	if (fb_finish(b, "test", "test", &f, &e))
		fail_msg("%s", e.msg);
	return f;
}

/* --- sessions --- */

/*
 * What outlives a line, of the session that lines were run on last.  Another session may
 * lie where one was that is freed: its generation begins anew.
 */
static inline struct interpreter *interpreter_of(struct session *s)
{
	static struct interpreter in;
	static uint64_t generation;

	if (in.session != s || s->generation < generation) {
		interpreter_free(&in);
		in = (struct interpreter){.session = s};
	}
	generation = s->generation;
	return &in;
}

/* Output of a line; freed by the caller.  *rc is the result, *e the message. */
static inline char *run_line(struct session *s, const char *line, int *rc, struct err *e, bool json,
			     bool *fault)
{
	char *text = NULL;
	size_t len = 0;
	struct command_run r = {.in = interpreter_of(s), .f = open_memstream(&text, &len), .json = json};

	memset(e, 0, sizeof(*e));
	*rc = run_text(&r, line, e);
	fclose(r.f);
	if (fault)
		*fault = r.found_fault;
	return text;
}

/* Has the engine runs to walk through, without a program of one's own? */
static inline bool walks_alone(const struct engine *e)
{
	return e->scheme && strcmp(e->name, "script") != 0;
}

/* Output of a line that must work, as text or as JSON; freed by the caller. */
static inline char *line_output(struct session *s, const char *line, bool json)
{
	struct err e;
	int rc;
	char *text = run_line(s, line, &rc, &e, json, NULL);

	if (rc)
		fail_msg("%s: %s", line, e.msg);
	return text;
}

/* A line that must work. */
static inline void ok_line(struct session *s, const char *line)
{
	free(line_output(s, line, false));
}

static inline void output_has(const char *line, const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("%s: \"%s\" is not in:\n%s", line, part, text);
}

/* A line whose output must contain a text. */
static inline void line_says(struct session *s, const char *line, const char *part)
{
	AUTO_FREE char *text = line_output(s, line, false);

	output_has(line, text, part);
}

/* A line that must work and not say a text. */
static inline void line_lacks(struct session *s, const char *line, const char *part)
{
	AUTO_FREE char *text = line_output(s, line, false);

	if (strstr(text, part))
		fail_msg("%s: \"%s\" is in:\n%s", line, part, text);
}

/* A line whose output as JSON must contain a text. */
static inline void json_says(struct session *s, const char *line, const char *part)
{
	AUTO_FREE char *text = line_output(s, line, true);

	output_has(line, text, part);
}

/* The object of a line that must work; json_decref() or json_auto_t by the caller. */
static inline json_t *line_object(struct session *s, const char *line)
{
	AUTO_FREE char *text = line_output(s, line, true);
	json_t *o = json_loads(text, 0, NULL);

	if (!o)
		fail_msg("%s: no JSON: %s", line, text);
	return o;
}

/* A line that must fail with a message that contains a text. */
static inline void line_fails(struct session *s, const char *line, const char *part)
{
	struct err e;
	int rc;

	free(run_line(s, line, &rc, &e, false, NULL));
	if (!rc)
		fail_msg("%s: worked, should have failed with \"%s\"", line, part);
	if (!strstr(e.msg, part))
		fail_msg("%s: \"%s\" is not in: %s", line, part, e.msg);
}

/* The session gets the words that the program has: topics, figures, details of commands. */
static inline void give_words(struct session *s)
{
	struct err e;

	if (ui.words == &help_words_none && palette_words_read(&e))
		fail_msg("%s", e.msg);
	s->words = ui.words;
}

/* A session with all commands and words, in which these lines worked. */
static inline struct session *make_session(const char *lines)
{
	struct session *s = session_new(all_engines, all_commands);

	give_words(s);
	ok_line(s, lines);
	return s;
}

/* The same of lines that are printed to. */
#define session_after(...) make_session(line_of(__VA_ARGS__))
#define ok_linef(s, ...) ok_line((s), line_of(__VA_ARGS__))

/* --- panes --- */

/* A pane with one word, two or none, with all that it asks for. */
static inline struct view *pane_settled(struct scene *sc, const struct view_ops *ops, const char *a,
					const char *b)
{
	AUTO_FREE char *x = a ? str_dup(a) : NULL;
	AUTO_FREE char *y = b ? str_dup(b) : NULL;
	char *argv[] = {x, y};
	struct err e;
	struct view *v = view_new(ops, sc, b ? 2 : a ? 1 : 0, argv, &e);

	if (!v)
		fail_msg("%s: %s", ops->name, e.msg);
	assert_true(view_settle(v, NULL));
	assert_false(v->waiting);
	return v;
}

static inline void pane_cell_is(const struct view *v, uint32_t row, unsigned col, const char *want)
{
	AUTO_TEXT struct text t = {0};

	assert_true(row < view_count(v));
	view_cell(v, row, col, &t);
	assert_string_equal(text_str(&t), want);
}

static inline void pane_title_is(const struct view *v, const char *want)
{
	AUTO_TEXT struct text t = {0};

	view_title(v, &t);
	assert_string_equal(text_str(&t), want);
}

static inline void pane_footer_is(const struct view *v, const char *want)
{
	AUTO_TEXT struct text t = {0};

	view_footer(v, &t);
	assert_string_equal(text_str(&t), want);
}

/* What Enter on a row does. */
static inline void pane_follow_is(const struct view *v, uint32_t row, const char *want)
{
	AUTO_TEXT struct text t = {0};

	view_follow(v, row, &t);
	assert_string_equal(text_str(&t), want);
}

/* --- fabrics, sessions ------------------------------------------------------------------------ */

static inline struct fabric *built(struct fabric_builder *b)
{
	struct fabric *f = NULL;
	struct err e;

	if (fb_finish(b, "test", "test", &f, &e))
		fail_msg("%s", e.msg);
	return f;
}

/* A fabric that is drawn: switches, and how many ports of each have a cable. */
struct drawn {
	struct fabric_builder *b;
	uint32_t node[12];
	unsigned used[12];
};

/* Up to 12 switches s0, s1, ... that are connected, by n - 1 cables or more. */
static inline struct drawn switches_drawn(uint64_t *seed, uint32_t n, uint32_t cables)
{
	struct drawn d = {.b = fb_new()};

	assert_true(n <= ARRAY_LEN(d.node) && cables >= n - 1);
	for (uint32_t k = 0; k < n; k++) {
		AUTO_FREE char *name = str_printf("s%u", k);

		d.node[k] = fb_add(d.b, NODE_SWITCH, 0x1000 + (k * 7919u) % 997, 60, name);
	}
	for (uint32_t k = 0; k < cables; k++) {
		uint32_t x = k < n - 1 ? k + 1 : rng_below(seed, n),
			 y = k < n - 1 ? rng_below(seed, k + 1) : rng_below(seed, n);

		if (x == y)
			y = (y + 1) % n;
		fb_link(d.b, d.node[x], ++d.used[x], d.node[y], ++d.used[y]);
	}
	return d;
}

/* A host h<k>, which hangs on nothing yet. */
static inline uint32_t host_drawn(struct drawn *d, uint32_t k, unsigned ports)
{
	AUTO_FREE char *name = str_printf("h%u", k);

	return fb_add(d->b, NODE_CA, 0x9000 + 16 * k, ports, name);
}

static inline void host_cabled(struct drawn *d, uint32_t host, unsigned port, uint32_t sw)
{
	fb_link(d->b, d->node[sw], ++d->used[sw], host, port);
}

/* A new session, of a fabric that is owned from now on. */
static inline struct session *session_on(struct fabric *f)
{
	struct session *s = session_new(all_engines, all_commands);
	struct err e;

	if (session_set_fabric(s, f, "test", NULL, &e))
		fail_msg("%s", e.msg);
	return s;
}

/* What an engine (NULL: the one in force) does in a run on the session's last sweep. */
static inline const struct recording *recorded(struct session *s, const char *engine, struct rec_focus focus)
{
	struct err e = {0};
	const struct recording *r = recording_make(
		&(struct rec_request){
			.sweep = session_sweep(s), .engine = engine, .focus = focus, .engines = all_engines},
		&e);

	if (!r)
		fail_msg("%s", e.msg);
	return r;
}

/* All cells of a walk, one number. */
static inline uint64_t walk_sum(const struct walk *w)
{
	const struct recording *r = walk_recording(w);
	uint64_t h = 1469598103934665603u;

	for (int t = 0; t < N_TABLES; t++)
		for (size_t i = 0; i < recording_cells(r, t); i++)
			h = (h ^ walk_value(w, t, i)) * 1099511628211u;
	return h;
}

/* A command of the shell that must work. */
static inline void shell(const char *fmt, ...) PRINTF_LIKE(1, 2);
static inline void shell(const char *fmt, ...)
{
	AUTO_TEXT struct text line = {0};
	va_list ap;

	va_start(ap, fmt);
	text_addv(&line, fmt, ap);
	va_end(ap);
	assert_int_equal(system(text_str(&line)), 0); // NOLINT(cert-env33-c): the test's own words
}

#endif
