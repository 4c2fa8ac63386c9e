/*
 * Random command lines on sessions with small fabrics, in this process and under the sanitizers.
 *
 *	build/soak/driver --count 100000	what `make check` does
 *	build/soak/driver --seconds 600		as many as there is time for
 *	build/soak/driver --seed N ...		the sessions of a seed (without: a new one, printed)
 *	build/soak/driver --session N		one session again: all that it does comes from its number
 *	build/soak/driver --keep FILE		where the lines of the session at work stand
 *(build/soak/lines)
 *
 * After every line: what only looks changes nothing; ports of tables are there; a failure has a message;
 * every line of JSON is an object.  Now and then undo, redo and `journal` are tried: the tables must be
 * those of before.  Files are written into a folder of its own alone.
 */
#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/base/rng.h"
#include "core/base/text.h"
#include "core/session/core_commands.h"
#include "engines/engines.h"
#include "tests/soak/lines.h"
#include "tui/ui.h"
#include "views/views.h"

#define HANGS 120	/* seconds of CPU time that a line may take */
#define MOST_LINES 80	/* of a session */
#define MOST_FILE 12000 /* bytes of a file that commands are given: fabrics stay small */

static struct {
	uint64_t seed, session; /* of the session at work */
	bool one;		/* that session alone */
	unsigned long count;	/* lines at most; 0: no bound */
	double end;		/* 0: no bound */
	int keep;
	unsigned long tried, failed, compared;
	char *folder; /* of its own, the current one */
	const char *line;
	struct maker maker;
	struct interpreter in;
} d;

static void __attribute__((noreturn)) __attribute__((format(printf, 1, 2))) wrong(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fprintf(stderr, "driver: ");
	vfprintf(stderr, fmt, ap);
	fprintf(stderr, "\nline: %s\nrepeat: build/soak/driver --session %" PRIu64 "\n", d.line, d.session);
	va_end(ap);
	exit(1);
}

/* --- what a session is in --------------------------------------------------------------- */

static uint64_t mix(uint64_t h, const void *data, size_t n)
{
	const unsigned char *p = data;

	while (n--)
		h = (h ^ *p++) * 0x100000001b3u;
	return h;
}

/* Failures, LIDs, tables, and what is said of the sweep. */
static uint64_t fingerprint(const struct session *s)
{
	const struct sweep *w = session_sweep(s);
	const struct routing *r = session_routing(s);
	const struct state *st = session_state(s);
	uint64_t h = mix(0xcbf29ce484222325u, &s->fabric, sizeof(s->fabric));

	h = mix(h, &s->at, sizeof(s->at));
	if (st) {
		h = mix(h, st->link_down, st->n_links);
		h = mix(h, st->node_down, st->n_nodes);
	}
	if (w)
		h = mix(h, w->notes, strlen(w->notes));
	if (!r)
		return h;
	h = mix(h, r->engine, strlen(r->engine));
	h = mix(h, r->lids->base, r->lids->n_endports * sizeof(*r->lids->base));
	for (uint32_t sw = 0; sw < r->topo->fabric->n_switches; sw++)
		if (r->row[sw])
			h = mix(h, r->row[sw]->port, r->row[sw]->top + 1u);
	return h;
}

static void check_tables(const struct routing *r)
{
	const struct fabric *f = r ? r->topo->fabric : NULL;

	for (uint32_t sw = 0; r && sw < f->n_switches; sw++)
		for (unsigned lid = 0; r->row[sw] && lid <= r->row[sw]->top; lid++) {
			unsigned port = r->row[sw]->port[lid];

			if (port != NO_PATH && port > f->switch_nports[sw])
				wrong("%s: LID %u leaves %s by port %u of %u", r->engine, lid,
				      switch_name(f, sw), port, f->switch_nports[sw]);
		}
}

/* --- running ------------------------------------------------------------------------------ */

static void keep_line(const char *line)
{
	char *text = str_printf("%s\n", line);

	if (write(d.keep, text, strlen(text)) < 0)
		perror("driver: the line cannot be kept");
	free(text);
}

static void check_json(const char *text)
{
	json_error_t why;

	for (const char *end; *text; text = end + 1) {
		json_t *o;

		end = strchr(text, '\n');
		if (!end)
			wrong("JSON without an end of line: %s", text);
		o = json_loadb(text, (size_t)(end - text), 0, &why);
		if (!json_is_object(o))
			wrong("no JSON object (%s): %.*s", why.text, (int)(end - text), text);
		json_decref(o);
	}
}

/* The result of a line. */
static int run(const char *line, bool json, bool cancelled)
{
	const struct itimerval hang = {.it_value.tv_sec = HANGS};
	struct progress p = {.cancel = cancelled};
	struct err e = {0};
	size_t len;
	char *text = NULL;
	struct command_run r = {.in = &d.in, .json = json, .progress = &p, .f = open_memstream(&text, &len)};
	int rc;

	d.line = line;
	keep_line(line);
	setitimer(ITIMER_PROF, &hang, NULL);
	rc = run_text(&r, line, &e);
	fclose(r.f);
	if (rc && !*e.msg)
		wrong("failed without a word");
	if (json)
		check_json(text);
	free(text);
	d.in.quit = false;
	d.tried++;
	d.failed += rc != 0;
	return rc;
}

static uint64_t after(const char *line)
{
	if (run(line, false, false))
		wrong("fails");
	return fingerprint(d.in.session);
}

/* There and back again: the same tables as before. */
static void check_history(struct session *s)
{
	char *before = str_printf("journal %zu", s->at - 1), *now = str_printf("journal %zu", s->at);
	uint64_t here = fingerprint(s), there = after("undo");

	if (after("redo") != here)
		wrong("undo and redo: another routing than before");
	if (after(before) != there)
		wrong("%s: another routing than undo made", before);
	if (after(now) != here)
		wrong("%s: another routing than before", now);
	d.compared += 3;
	free(before);
	free(now);
}

static void complete(struct session *s, const char *line)
{
	char *part = mem_dup(line, strlen(line) + 1);
	size_t start;

	part[rng_below(d.maker.rng, (uint32_t)strlen(line) + 1)] = 0;
	d.line = part;
	completions_free(session_complete(s, part, &start));
	free(part);
}

static void one_line(struct session *s)
{
	char *line = make_line(&d.maker);
	uint64_t *rng = d.maker.rng, before = d.maker.reads ? fingerprint(s) : 0;
	const struct sweep *sweep = session_sweep(s);

	if (!rng_below(rng, 20))
		complete(s, line);
	run(line, !rng_below(rng, 4), !rng_below(rng, 60));
	if (d.maker.reads && fingerprint(s) != before)
		wrong("a line that only looks has changed the session");
	if (session_sweep(s) != sweep)
		check_tables(session_routing(s));
	free(line);
	/* options set since are no part of the history */
	if (s->n_events && s->at && setup_equal(s->setup, s->event[s->at].setup) && !rng_below(rng, 8))
		check_history(s);
}

static void empty_folder(void)
{
	DIR *dir = opendir(".");
	struct dirent *e;

	while (dir && (e = readdir(dir)))
		unlink(e->d_name);
	if (dir)
		closedir(dir);
}

static bool more(void)
{
	return (!d.count || d.tried < d.count) && (!d.end || now_seconds() < d.end);
}

/* All of it comes from its number. */
static void session(uint64_t number)
{
	static const struct command *const commands[] = {
#include "core/session/core_commands.def"
		view_commands, ui_commands, NULL};
	uint64_t rng = number;
	struct session *s = session_new(all_engines, commands);
	struct err e;
	char *spec = make_spec(&rng), *line;

	empty_folder();
	d.session = number;
	if (ftruncate(d.keep, 0) || lseek(d.keep, 0, SEEK_SET))
		perror("driver: the lines cannot be kept");
	line = str_printf("# build/soak/driver --session %" PRIu64 "; lines before: %lu", number, d.tried);
	keep_line(line);
	free(line);
	if (!ui.rules->what && palette_words_read(&e)) /* once */
		wrong("%s", e.msg);
	s->words = ui.words;
	d.in = (struct interpreter){.session = s};
	d.maker.s = s;
	d.maker.rng = &rng;
	line = str_printf("synth %s", spec);
	run(line, false, false);
	free(line);
	free(spec);
	if (rng_below(&rng, 8)) {
		line = make_route(&d.maker);
		run(line, false, false);
		check_tables(session_routing(s));
		free(line);
	}
	for (unsigned n = 1 + rng_below(&rng, MOST_LINES); n && (d.one || more()); n--)
		one_line(s);
	interpreter_free(&d.in);
	session_free(s);
}

/* --- set-up --------------------------------------------------------------------------------- */

/* Those that are small enough, from where the sources are. */
static void read_files(void)
{
	static const char *const folders[] = {"tests/fabrics/formats/*.*", "tests/fuzz/corpus/*/*",
					      "keymaps/*"};
	size_t cap = 0;
	glob_t g;

	for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
		if (glob(folders[i], 0, NULL, &g)) {
			fprintf(stderr, "driver: no files %s: run it where the sources are\n", folders[i]);
			exit(2);
		}
		for (size_t k = 0; k < g.gl_pathc; k++) {
			struct content c = content_read(g.gl_pathv[k]);
			struct content *file = (struct content *)d.maker.file;

			if (c.n > MOST_FILE) {
				free(c.data);
				free(c.name);
				continue;
			}
			GROW(file, d.maker.n_files, cap);
			file[d.maker.n_files++] = c;
			d.maker.file = file;
		}
		globfree(&g);
	}
}

static int usage(void)
{
	fprintf(stderr, "usage: driver [--count N] [--seconds S] [--seed N] [--session N] [--keep FILE]\n");
	return 2;
}

static void clean_up(void)
{
	empty_folder();
	rmdir(d.folder);
	free(d.folder);
}

static int start(const char *keep)
{
	const char *env = getenv("SEED"), *tmp = getenv("TMPDIR");
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (!d.seed)
		d.seed = env ? strtoull(env, NULL, 0) : (uint64_t)time(NULL) * 1000003u + (uint64_t)getpid();
	read_files();
	d.keep = open(keep, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	d.folder = str_printf("%s/ibscope-driver-XXXXXX", tmp ? tmp : "/tmp");
	if (d.keep < 0 || nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || !mkdtemp(d.folder) ||
	    chdir(d.folder)) {
		perror("driver");
		return 2;
	}
	close(nothing);
	atexit(clean_up);
	return 0;
}

int main(int argc, char **argv)
{
	const char *keep = "build/soak/lines";
	uint64_t one = 0;

	for (int i = 1; i < argc; i += 2) {
		if (i + 1 == argc)
			return usage();
		if (!strcmp(argv[i], "--count"))
			d.count = strtoul(argv[i + 1], NULL, 0);
		else if (!strcmp(argv[i], "--seconds"))
			d.end = now_seconds() + strtod(argv[i + 1], NULL);
		else if (!strcmp(argv[i], "--seed"))
			d.seed = strtoull(argv[i + 1], NULL, 0);
		else if (!strcmp(argv[i], "--session"))
			d.one = true, one = strtoull(argv[i + 1], NULL, 0);
		else if (!strcmp(argv[i], "--keep"))
			keep = argv[i + 1];
		else
			return usage();
	}
	if (!d.one && !d.count && d.end == 0)
		return usage();
	if (start(keep))
		return 2;
	printf("SEED=%" PRIu64 "\n", d.seed);
	fflush(stdout);
	if (d.one)
		session(one);
	for (uint64_t seed = d.seed; !d.one && more();)
		session(rng_next(&seed));
	for (size_t i = 0; i < d.maker.n_files; i++) {
		free(d.maker.file[i].name);
		free(d.maker.file[i].data);
	}
	free((struct content *)d.maker.file);
	printf("%lu lines, %lu of them refused; %lu times undone and redone\n", d.tried, d.failed,
	       d.compared);
	printf("tried %lu\n1 passed, 0 failed\n", d.tried);
	return 0;
}
