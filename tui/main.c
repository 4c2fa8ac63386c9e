/* ibscope: the command line, batch mode, and the start of the explorer. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core/analysis/compare/judged.h"
#include "core/base/builtin.h"
#include "core/base/clean.h"
#include "core/base/cursor.h"
#include "core/base/err.h"
#include "core/base/infile.h"
#include "core/base/memory.h"
#include "core/base/permit.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/session/core_commands.h"
#include "core/sm/script.h"
#include "core/source/live.h"
#include "core/source/simulation.h"
#include "core/source/synth.h"
#include "engines/engines.h"
#include "tui/ui.h"
#include "views/base/canvas.h"

struct main_piece {
	bool file; /* -x FILE, else -e COMMANDS */
	const char *text;
};

struct command_line {
	const char *live; /* "" = the first device; NULL = not requested */
	const char *fabric, *engines, *config, *names, *keymap;
	struct main_piece *piece;
	size_t n_pieces, cap_pieces;
	bool json, serve, version, no_text, no_timing;
	bool rc, no_rc, no_names;
};

static void show_usage(void)
{
	fputs("usage: ibscope [OPTION]... [FABRIC]\n"
	      "Explore the routing of an InfiniBand fabric: what a subnet manager would\n"
	      "program, and what failures change.\n"
	      "\n"
	      "  FABRIC                   a saved fabric (its format is recognised), or a\n"
	      "                           synthetic one such as xgft:4,4:1,2  torus:4x4x4\n"
	      "                           mesh:8x8  hypercube:5  dragonfly:4,2,2, or `demo`,\n"
	      "                           a small one that is in the program\n",
	      stdout);
	options_usage(stdout);
	fputs("\n"
	      "Exit status: 0 all done and well; 1 a fault was found; 2 the command line or the\n"
	      "words of a command are wrong; 3 what was asked for cannot be told (no such file\n"
	      "or node, nothing routed, a part of the fabric unknown ...).\n",
	      stdout);
}

/* The option reader has said what is wrong. */
static int wrong_usage(void)
{
	fputs("Try `ibscope --help`.\n", stderr);
	return exit_status(NULL, &(struct err){.kind = ERR_SYNTAX});
}

PRINTF_LIKE(1, 2) static int main_wrong(const char *fmt, ...)
{
	va_list ap;

	fputs("ibscope: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return wrong_usage();
}

static bool is_standard(const char *name)
{
	return !strcmp(name, "-");
}

/* Prints a file that is built into the program. */
static int show_builtin(const char *path)
{
	struct builtin b;

	if (!builtin_find(path, &b))
		return main_wrong("%s is not in this program", path);
	printf("%.*s", (int)b.size, b.data);
	return STATUS_DONE;
}

/* The revision is unknown for sources without git: "", or the place that git did not fill in. */
static int show_version(bool json)
{
	const char *revision = *about.revision == '$' ? "" : about.revision;

	if (json) {
		json_t *o =
			json_make("{s:s, s:s, s:s, s:i, s:i}", "program", "ibscope", "version", about.version,
				  "revision", revision, "schema", JSON_SCHEMA, "interface", INTERFACE);
		AUTO_FREE char *dump = json_dumps(o, JSON_COMPACT | JSON_ENSURE_ASCII);

		puts(dump);
		json_decref(o);
		return STATUS_DONE;
	}
	if (*revision)
		printf("ibscope %s (git %s)\n", about.version, revision);
	else
		printf("ibscope %s\n", about.version);
	puts("Sources: MIT licence.  The program, with GNU readline in it: GPL, version 3 or "
	     "later.  See --licences.");
	return STATUS_DONE;
}

/* Prints what makes a shell complete our command lines. */
static int show_completion(const char *shell)
{
	static const char *const names[] = {"bash", "zsh", "fish"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (!strcmp(shell, names[i])) {
			AUTO_FREE char *path = str_printf(BUILTIN "ibscope.%s", names[i]);

			return show_builtin(path);
		}
	return main_wrong("--completion: found \"%s\", expected bash, zsh or fish", shell);
}

/* Returns -1 to continue, else the exit status. */
static int main_parse(struct command_line *cl, int argc, char **argv)
{
	const char *shell;
	int c;

	while ((c = option_next(argc, argv)) != -1) {
		switch (c) {
		case 'L':
			cl->live = optarg ? optarg : "";
			break;
		case 'R':
			cl->engines = optarg;
			break;
		case 'F':
			cl->config = optarg;
			break;
		case 'e':
		case 'x':
			GROW(cl->piece, cl->n_pieces, cl->cap_pieces);
			cl->piece[cl->n_pieces++] = (struct main_piece){(c == 'x'), optarg};
			break;
		case 'k':
			cl->keymap = optarg;
			break;
		case OPT_NAMES:
			cl->names = optarg;
			break;
		case OPT_NO_MAP:
			cl->no_names = true;
			break;
		case OPT_RC:
		case OPT_NO_RC:
			cl->rc = c == OPT_RC;
			cl->no_rc = c == OPT_NO_RC;
			break;
		case OPT_JSON:
			cl->json = true;
			break;
		case OPT_NO_TEXT:
			cl->no_text = true;
			break;
		case OPT_NO_TIMING:
			cl->no_timing = true;
			break;
		case OPT_SERVE:
			cl->serve = cl->json = true;
			break;
		case OPT_READ_ONLY:
			permit_reading_only();
			break;
		case OPT_COMPLETION:
			shell = option_word(argc, argv);
			return show_completion(shell ? shell : "bash");
		case OPT_MAN:
			return main_wrong("--man stands alone, or before json");
		case OPT_LICENCES:
			return show_builtin(BUILTIN "LICENSE");
		case 'h':
			show_usage();
			return STATUS_DONE;
		case 'V':
			cl->version = true;
			break;
		default:
			return wrong_usage();
		}
	}
	if (cl->version)
		return show_version(cl->json);
	if (argc - optind > 1)
		return main_wrong("found \"%s\" behind the fabric \"%s\", expected one fabric",
				  argv[optind + 1], argv[optind]);
	cl->fabric = argv[optind];
	if (cl->fabric && cl->live)
		return main_wrong("found a fabric (\"%s\") and --live, expected one of them", cl->fabric);
	return -1;
}

/* Checks for options that exclude each other, or are impossible here. Returns as main_parse(). */
static int main_check_line(const struct command_line *cl)
{
	unsigned readers = (cl->fabric && is_standard(cl->fabric)) + cl->serve;
	struct err e;

	for (size_t i = 0; i < cl->n_pieces; i++)
		readers += cl->piece[i].file && is_standard(cl->piece[i].text);
	if (readers > 1)
		return main_wrong("\"-\" (standard input) stands for %u things, expected one", readers);
	if (cl->serve && cl->n_pieces)
		return main_wrong("--serve takes its commands from standard input: expected no -e and no -x");
	if (cl->no_text && !cl->json)
		return main_wrong("--no-text goes with --json");
	if (cl->no_timing && !cl->n_pieces && !cl->serve)
		return main_wrong("--no-timing goes with -e, -x or --serve");
	if (cl->serve)
		return -1;
	if (!cl->n_pieces && !isatty(STDOUT_FILENO))
		return main_wrong(
			"standard output is no terminal; use -e COMMANDS or -x FILE to run without one");
	if (!cl->n_pieces && term_check(&e))
		return main_wrong("%s", e.msg);
	if (cl->json && !cl->n_pieces)
		return main_wrong("--json goes with -e or -x");
	return -1;
}

/* --- the options as commands ------------------------------------------------------- */

struct line_list {
	char **line;
	size_t n, cap;
};

static void main_add_line(struct line_list *l, const char *command, const char *arg)
{
	struct text t = {0};

	text_add(&t, "%s", command);
	if (arg && *arg) {
		text_putc(&t, ' ');
		word_text(arg, &t);
	}
	GROW(l->line, l->n, l->cap);
	l->line[l->n++] = t.s;
}

/* Options and names, which come before the fabric, and the fabric. */
static void first_lines(const struct command_line *cl, struct line_list *options, struct line_list *fabric)
{
	if (cl->config)
		main_add_line(options, "config", cl->config);
	if (cl->names)
		main_add_line(options, "names", cl->names);
	if (cl->fabric)
		main_add_line(fabric,
			      synth_is_spec(cl->fabric) && access(cl->fabric, F_OK) ? "synth" : "load",
			      cl->fabric);
	if (cl->live)
		main_add_line(fabric, "live", cl->live);
	if (cl->live && !cl->engines) { /* what the switches hold comes before what is computed (judged.h) */
		char **last = &fabric->line[fabric->n - 1], *live = *last;

		*last = str_printf("%s tables", live);
		free(live);
	}
}

/* -R ENGINES; of 'script:PROGRAM ARG...' the words as in a command, but never a second command. */
static void main_add_engines(struct line_list *l, const char *engines)
{
	AUTO_TEXT struct text t = {0};
	const char *rest;
	char **argv;
	int argc;

	if (words_split(engines, &rest, &argc, &argv, NULL))
		argc = 0;
	if (!argc || rest || strncmp(argv[0], SCRIPT_PREFIX, strlen(SCRIPT_PREFIX)) != 0) {
		main_add_line(l, "route", engines);
	} else {
		text_add(&t, "route");
		for (int i = 0; i < argc; i++) {
			text_putc(&t, ' ');
			word_text(argv[i], &t);
		}
		main_add_line(l, text_str(&t), NULL);
	}
	words_free(argc, argv);
}

/* An option file without an engine means minhop, as for OpenSM.  A line says so. */
static void route_lines(const struct command_line *cl, struct command_run *r, bool read, struct line_list *l)
{
	const char *engines = cl->engines ? cl->engines : r->in->session->configured;
	bool held = !cl->engines && sweep_held_tables(session_sweep(r->in->session));

	if (held && engines && !r->json)
		fprintf(r->f,
			"%s gives options only, as tables in the switches are there: `route %s` computes.\n",
			cl->config, engines);
	if (held)
		return;
	if (!engines && r->in->session->not_computed) {
		r->noteworthy = true;
		return;
	}
	if (!engines && read && cl->config && (cl->fabric || cl->live)) {
		engines = default_chain(r->in->session->setup->options);
		r->noteworthy = true;
		if (!r->json)
			fprintf(r->f, "%s names no routing_engine: %s, as OpenSM does.\n", cl->config,
				engines);
	}
	if (!engines || (!cl->fabric && !cl->live && !cl->engines))
		return;
	if (cl->engines)
		main_add_engines(l, engines);
	else /* in the explorer the fabric is yet to come, and may bring tables */
		main_add_line(l, read ? "route" : "tables held else", engines);
}

static void main_free_lines(struct line_list *l)
{
	while (l->n)
		free(l->line[--l->n]);
	free(l->line);
	*l = (struct line_list){0};
}

/* --- batch ------------------------------------------------------------------------- */

/* r: NULL when no command ran. */
static int main_failed(const struct command_run *r, const struct err *e)
{
	fflush(stdout);
	fprintf(stderr, "ibscope: %s\n", e->msg);
	return exit_status(r, e);
}

static int run_piece(struct command_run *r, const struct main_piece *p, struct err *e)
{
	bool standard = p->file && is_standard(p->text);
	const char *name = p->file ? p->text : "-e";
	FILE *in;
	int rc;

	if (!p->file && !*p->text)
		return 0;
	if (standard)
		in = stdin;
	else if (p->file)
		in = fopen(p->text, "re");
	else
		in = fmemopen((void *)(uintptr_t)p->text, strlen(p->text), "r");
	if (!in) {
		rc = errno == ENOMEM ? err_system(e, name, errno)
				     : err_set_kind(e, ERR_IO, "cannot read %s: %s", name, strerror(errno));
		tell_unread(r, "source", e);
		return rc;
	}
	name = standard ? "standard input" : name;
	rc = run_script(r, in, name, e);
	if (!standard)
		fclose(in);
	return rc;
}

/* Does a command of this line write a document to standard output?  *e is set where memory is out. */
static bool line_writes(const struct session *s, const char *line, struct err *e)
{
	bool found = false;
	char **argv;
	int argc;

	while (line && !found && !words_split(line, &line, &argc, &argv, e)) {
		const struct command *pane = argc ? command_of_pane(s, argv[0]) : NULL;
		const struct command *c = pane || !argc ? pane : command_find(s, argv[0], NULL);

		found = writes_output(c, argc, argv);
		words_free(argc, argv);
	}
	return found;
}

/*
 * Do -e or a file, which is read ahead, have such a command?  What comes through a pipe cannot be read ahead,
 * nor the scripts of `source`: there each such command by itself keeps its messages out of its document.
 * Other faults of the text are told when it runs.  -1 and *e: memory is out.
 */
static int piece_writes(const struct session *s, const struct main_piece *p, bool *found, struct err *e)
{
	struct text line = {0};
	struct stat st;
	FILE *f = NULL;

	*e = (struct err){0};
	errno = 0;
	if (!p->file && *p->text)
		f = fmemopen((void *)(uintptr_t)p->text, strlen(p->text), "r");
	else if (p->file && !is_standard(p->text) && !stat(p->text, &st) && S_ISREG(st.st_mode))
		f = fopen(p->text, "re");
	if (!f && errno == ENOMEM)
		return err_system(e, p->file ? p->text : "-e", errno);
	while (f && !*found && e->kind != ERR_MEMORY && read_text_line(f, p->text, &line, e) > 0)
		*found = line_writes(s, line.s, e);
	if (f)
		fclose(f);
	text_free(&line);
	return e->kind == ERR_MEMORY ? -1 : 0;
}

/* Runs the lines of the options, and frees them. */
static int run_lines(struct command_run *r, struct line_list *l, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < l->n && !rc && !r->in->quit; i++)
		rc = run_text(r, l->line[i], e);
	main_free_lines(l);
	return rc;
}

/* Runs the lines for options, fabric and engine. */
static int main_run_start(struct command_run *r, const struct command_line *cl, struct err *e)
{
	struct line_list l = {0};

	first_lines(cl, &l, &l);
	if (run_lines(r, &l, e))
		return -1;
	route_lines(cl, r, true, &l);
	r->only_looks = run_lines(r, &l, e) != 0;
	return r->only_looks ? -1 : 0;
}

/* Warns that only a part of the fabric is known, on which all results depend. */
static void tell_incomplete(const struct fabric *f)
{
	AUTO_TEXT struct text t = {0};

	if (!f || !f->warnings.missing)
		return;
	warnings_tell_missing(&f->warnings, &t);
	fprintf(stderr, "ibscope: %s is incomplete (%s; `show warnings`)\n", f->source, text_str(&t));
}

/*
 * Loads the fabric and routes it. Standard output is for the results of commands. The text of these steps
 * matters only if an engine refused or noted something; then it goes to stderr. In JSON mode these are
 * ordinary commands.
 */
static int main_prepare(struct command_run *r, const struct command_line *cl, struct err *e)
{
	struct command_run quiet = *r;
	AUTO_TEXT struct text said = {0};
	int rc;

	if (r->json) {
		rc = main_run_start(r, cl, e);
		tell_incomplete(r->in->session->loaded);
		return rc;
	}
	quiet.f = text_stream(&said);
	quiet.aside = NULL;
	rc = main_run_start(&quiet, cl, e);
	fclose(quiet.f);
	r->found_fault = quiet.found_fault;
	r->unanswered = quiet.unanswered;
	r->only_looks = quiet.only_looks;
	const struct sweep *w = session_sweep(r->in->session);
	if (quiet.noteworthy || (w && (w->n_refusals || *w->notes)))
		fputs(text_str(&said), stderr);
	else
		tell_incomplete(r->in->session->loaded);
	return rc;
}

/* Runs the commands of the machine's and the person's rc files.  Failures are reported, and the rest still
 * runs. */
static int run_rc(struct command_run *r, struct err *e)
{
	char *path[RC_FILES];
	size_t n = rc_files(path);
	int rc = 0;

	for (size_t i = 0; i < n; i++) {
		FILE *f = rc ? NULL : fopen(path[i], "re");
		AUTO_TEXT struct text errors = {0};

		if (f) {
			rc = run_whole_script(r, f, path[i], &errors, e);
			fclose(f);
		} else if (!rc) {
			rc = err_system(e, path[i], errno);
		}
		if (errors.len)
			fprintf(stderr, "%s", text_str(&errors));
		free(path[i]);
	}
	return rc;
}

/* All commands. */
static const struct command *const all_commands[] = {
#include "core/session/core_commands.def"
	view_commands, ui_commands, NULL};

static struct session *open_session(void)
{
	struct session *s = session_new(all_engines, all_commands);

	s->words = ui.words;
	s->named = name_all;
	return s;
}

/* The columns of the terminal behind fd; COLUMNS goes first. 0: it is none, scripts read it. */
static unsigned columns_of_reader(int fd)
{
	const char *said = getenv("COLUMNS");
	struct winsize size = {0};
	uint64_t n = 0;

	if (!isatty(fd))
		return 0;
	if (said && number_of(said, 1, UINT16_MAX, &n))
		return (unsigned)n;
	return ioctl(fd, TIOCGWINSZ, &size) ? 0 : size.ws_col;
}

/* How drawings of batch mode are written where TERM or the locale that is asked for has no UTF-8; else
 * NULL. */
static uint32_t (*drawn_in_ascii(void))(uint32_t)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
	const char *locale = NULL;

	for (size_t i = 0; i < ARRAY_LEN(names) && (!locale || !*locale); i++)
		locale = getenv(names[i]);
	return (locale && *locale && strcmp(nl_langinfo(CODESET), "UTF-8") != 0) || term_type_is_ascii()
		       ? canvas_ascii
		       : NULL;
}

/* Nothing could be routed at the start.  Says so, and runs what only looks at the fabric; the status is that
 * of the failure. */
static int main_look_on(struct command_run *r, const struct command_line *cl, const struct err *why)
{
	int status = main_failed(r, why);
	struct err e = {0};

	for (size_t i = 0; i < cl->n_pieces && !r->in->quit && !progress_cancelled(r->progress); i++)
		if (run_piece(r, &cl->piece[i], &e))
			main_failed(r, &e);
	return output_flush(stdout, &e) ? main_failed(r, &e) : status;
}

/* From here on, all standard output goes through the stream that cleans it. */
static int batch(struct interpreter *in, const struct command_line *cl)
{
	struct command_run r = {.in = in,
				.json = cl->json,
				.errors = stderr,
				.progress = &batch_progress,
				.program = about.version,
				.no_text = cl->no_text,
				.no_timing = cl->no_timing,
				.rounds = &batch_rounds};
	FILE *requests = cl->serve ? serve_input() : NULL;
	struct err e = {0};
	bool bad = false, document = false;

	if (cl->serve)
		r.id = json_null();
	for (size_t i = 0; i < cl->n_pieces && !bad && !document && !r.json; i++)
		bad = piece_writes(in->session, &cl->piece[i], &document, &e) != 0;
	r.aside = document ? stderr : NULL;
	r.f = stdout = clean_stream(STDOUT_FILENO, r.aside || r.json ? NULL : drawn_in_ascii());
	/* a bad keymap is an error even without a screen */
	if (!bad && cl->keymap && keymap_choose(cl->keymap, &e))
		bad = true;
	fputs(text_str(&ui.key_errors), stderr);
	if (!r.json)
		r.width = columns_of_reader(r.aside ? STDERR_FILENO : STDOUT_FILENO);
	int rc = bad || (cl->rc && run_rc(&r, &e)) || main_prepare(&r, cl, &e) ? -1 : 0;
	if (cl->serve)
		serve_done(stdout, NULL, exit_status(&r, rc ? &e : NULL), NULL);
	if (rc && r.only_looks && !cl->serve && !progress_cancelled(r.progress))
		return main_look_on(&r, cl, &e);
	if (rc)
		return main_failed(&r, &e);
	if (cl->serve)
		return serve(requests, &r, open_session, &e) ? main_failed(&r, &e) : STATUS_DONE;
	for (size_t i = 0; i < cl->n_pieces && !in->quit; i++)
		if (run_piece(&r, &cl->piece[i], &e))
			return main_failed(&r, &e);
	return output_flush(stdout, &e) ? main_failed(&r, &e) : exit_status(&r, NULL);
}

/* --- the explorer ------------------------------------------------------------------ */

/* A fabric came through standard input, so keys are read from the terminal itself. */
static int take_terminal(struct err *e)
{
	int fd = open("/dev/tty", O_RDWR | O_CLOEXEC);

	if (fd < 0 || dup2(fd, STDIN_FILENO) < 0)
		return err_set_kind(e, ERR_IO, "/dev/tty: %s; there are no keys to be read", strerror(errno));
	close(fd);
	return 0;
}

/* The lines for this machine's map of names, and for commands of its rc files. True: there are such. */
static bool machine_lines(const struct command_line *cl, struct line_list *l)
{
	char *names = cl->names || cl->no_names ? NULL : default_node_names();
	char *path[RC_FILES];
	size_t n = cl->no_rc ? 0 : rc_files(path);

	assert(n <= RC_FILES);
	if (names)
		main_add_line(l, "names", names);
	free(names);
	for (size_t i = 0; i < n; i++) {
		AUTO_TEXT struct text t = {0};

		text_add(&t, "source ");
		word_text(path[i], &t);
		text_add(&t, " whole");
		main_add_line(l, text_str(&t), NULL);
		free(path[i]);
	}
	return n > 0;
}

/* Neither the requested locale nor one for UTF-8 exists. */
static bool locale_missing;

/*
 * Options are read before the screen is taken, so that errors in them are told on the normal screen. The rest
 * becomes lines that run in the explorer, except for a fabric from standard input. If there are commands of
 * rc files, which may need the screen, options become such lines too and run after them: the command line
 * wins.
 */
static int start_explorer(struct interpreter *in, const struct command_line *cl, struct ui_config *c,
			  struct line_list *start, struct err *e)
{
	bool standard = cl->fabric && is_standard(cl->fabric);
	struct line_list before = {0};
	struct text said = {0};
	struct command_run r = {.in = in};

	if (cl->fabric && !standard && !synth_is_spec(cl->fabric) &&
	    builtin_fabric(cl->fabric) == cl->fabric && access(cl->fabric, R_OK))
		return err_set_kind(e, ERR_IO, "cannot read %s: %s", cl->fabric, strerror(errno));
	if (locale_missing) /* stays readable after the screen ends */
		fprintf(stderr,
			"ibscope: this machine has no locale for UTF-8; the screen is drawn in ASCII (%s)\n",
			package_of(PACKAGE_LOCALE));
	bool later = machine_lines(cl, start);
	first_lines(cl, later ? start : &before, standard ? &before : start);
	r.f = text_stream(&said);
	int rc = run_lines(&r, &before, e);
	route_lines(cl, &r, !later, start);
	fclose(r.f);
	c->greeting = said.s;
	if (!rc && standard)
		rc = take_terminal(e);
	c->start = start->line;
	c->n_start = start->n;
	return rc;
}

static int explore(struct interpreter *in, const struct command_line *cl)
{
	struct ui_config c = {.about = &about, .keymap = cl->keymap};
	struct line_list start = {0};
	struct err e = {0};
	int rc = start_explorer(in, cl, &c, &start, &e);

	if (!rc)
		rc = ui_run(in, &c, &e);
	free(c.greeting);
	main_free_lines(&start);
	return rc ? main_failed(&(struct command_run){.in = in}, &e) : STATUS_DONE;
}

/* --complete LINE [TEXT]: for what stands in it, commands are completed with the fabric that is named
 * before. */
static int main_complete(int argc, char **argv)
{
	struct shell_line l;
	struct command_line cl = {0};
	struct interpreter in = {.session = open_session()};
	AUTO_TEXT struct text said = {0};
	struct command_run r = {.in = &in, .f = text_stream(&said)};
	struct line_list lines = {0};
	struct err e;

	ui.about = &about;
	shell_read(argv[2], &l);
	cl.fabric = l.fabric;
	cl.names = l.names;
	cl.config = l.config;
	if (l.commands)
		first_lines(&cl, &lines, &lines);
	for (size_t i = 0; i < lines.n; i++) /* a file that cannot be read only means fewer words */
		(void)run_text(&r, lines.line[i], &e);
	main_free_lines(&lines);
	shell_offer(&l, in.session, argc > 3 ? argv[3] : NULL);
	shell_free(&l);
	fclose(r.f);
	interpreter_free(&in);
	session_free(in.session);
	return output_flush(stdout, &e) ? main_failed(NULL, &e) : STATUS_DONE;
}

static int main_run(int argc, char **argv)
{
	struct command_line cl = {0};
	struct interpreter in = {0};
	struct err e;
	int rc = main_parse(&cl, argc, argv);

	if (rc == STATUS_DONE && output_flush(stdout, &e)) /* --help, --version */
		rc = main_failed(NULL, &e);
	if (rc < 0)
		rc = main_check_line(&cl);
	if (rc < 0) {
		in.session = open_session();
		ui.about = &about;
		rc = cl.n_pieces || cl.serve ? batch(&in, &cl) : explore(&in, &cl);
		interpreter_free(&in);
		session_free(in.session);
	}
	free(cl.piece);
	signals_end();
	return rc;
}

int main(int argc, char **argv)
{
	int rc = live_child_main(argc, argv);
	struct err e;

	if (rc < 0)
		rc = simulation_child_main(argc, argv);
	if (rc >= 0) /* started by the program itself, to discover a live fabric or for a simulation */
		return rc;
	if (palette_words_read(&e)) {
		fprintf(stderr, "ibscope: %s\n", e.msg);
		return exit_status(NULL, &e);
	}
	rc = manual_main(argc, argv, all_commands, all_engines);
	if (rc >= 0) /* requested by the build, for the manual page */
		return rc;
	locale_missing = !setlocale(LC_CTYPE, "") && !setlocale(LC_CTYPE, "C.UTF-8");
	/* Messages may contain command words, names, texts of libraries: standard error is cleaned. */
	stderr = clean_stream(STDERR_FILENO, drawn_in_ascii()); /* the GNU C library allows this */
	setvbuf(stderr, NULL, _IONBF, 0);
	signals_start();
	rc = (argc == 3 || argc == 4) && !strcmp(argv[1], "--complete") ? main_complete(argc, argv)
									: main_run(argc, argv);
	fclose(stdout);
	fclose(stderr);
	return rc;
}
