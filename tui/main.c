/* ibscope: the command line; batch mode; start of the explorer. */
#include <errno.h>
#include <getopt.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core/base/cursor.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/source/live.h"
#include "core/source/synth.h"
#include "engines/engines.h"
#include "tui/ui.h"

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

struct piece {
	bool file; /* -x FILE, else -e COMMANDS */
	const char *text;
};

struct command_line {
	const char *live; /* "" = the first device; NULL = not asked for */
	const char *fabric, *engines, *config, *names, *keymap;
	struct piece *piece;
	size_t n_pieces, cap_pieces;
	bool json;
};

static const char usage[] =
	"usage: ibscope [OPTION]... [FABRIC]\n"
	"Explore the routing of an InfiniBand fabric: what a subnet manager would program, and what failures "
	"change.\n"
	"\n"
	"  FABRIC                   a saved fabric (its format is recognised), or a synthetic one such as\n"
	"                           xgft:4,4:1,2  torus:4x4x4  mesh:8x8  hypercube:5  dragonfly:4,2,2\n"
	"  -L, --live[=CA[:PORT]]   discover the fabric this machine is connected to\n"
	"  -R, --routing-engine E[,E...]\n"
	"                           route at start (names as in opensm -R)\n"
	"  -F, --config FILE        take routing options from an opensm.conf\n"
	"  -e, --execute COMMANDS   run commands (';' between them), print, exit; repeatable\n"
	"  -x, --script FILE        the same from a file, '-' for standard input\n"
	"  -k, --keymap NAME|FILE   default, vi, emacs, or a file of key bindings\n"
	"      --node-name-map FILE names for GUIDs, as infiniband-diags take them\n"
	"      --json               -e and -x print a JSON object for each command\n"
	"  -h, --help               this text; `ibscope -e help` lists the commands\n"
	"  -V, --version\n"
	"\n"
	"Exit status: 0 all done, 1 a command failed or found a fault, 2 the command line is wrong.\n";

static int wrong(const char *fmt, ...) PRINTF_LIKE(1, 2);
static int wrong(const char *fmt, ...)
{
	va_list ap;

	fputs("ibscope: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputs("\nTry `ibscope --help`.\n", stderr);
	return EXIT_USAGE;
}

static void add_piece(struct command_line *cl, bool file, const char *text)
{
	GROW(cl->piece, cl->n_pieces, cl->cap_pieces);
	cl->piece[cl->n_pieces++] = (struct piece){file, text};
}

/* -1 to go on, else the exit status. */
static int parse(struct command_line *cl, int argc, char **argv)
{
	enum { OPT_NAMES = 256, OPT_JSON };
	static const struct option options[] = {
		{"live", optional_argument, NULL, 'L'},
		{"routing-engine", required_argument, NULL, 'R'},
		{"config", required_argument, NULL, 'F'},
		{"execute", required_argument, NULL, 'e'},
		{"script", required_argument, NULL, 'x'},
		{"keymap", required_argument, NULL, 'k'},
		{"node-name-map", required_argument, NULL, OPT_NAMES},
		{"json", no_argument, NULL, OPT_JSON},
		{"help", no_argument, NULL, 'h'},
		{"version", no_argument, NULL, 'V'},
		{NULL, 0, NULL, 0},
	};
	int c;

	while ((c = getopt_long(argc, argv, "L::R:F:e:x:k:hV", options, NULL)) != -1) {
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
			add_piece(cl, c == 'x', optarg);
			break;
		case 'k':
			cl->keymap = optarg;
			break;
		case OPT_NAMES:
			cl->names = optarg;
			break;
		case OPT_JSON:
			cl->json = true;
			break;
		case 'h':
			fputs(usage, stdout);
			return EXIT_DONE;
		case 'V':
			puts("ibscope " VERSION);
			return EXIT_DONE;
		default:
			fputs("Try `ibscope --help`.\n", stderr);
			return EXIT_USAGE;
		}
	}
	if (argc - optind > 1)
		return wrong("found \"%s\" behind the fabric \"%s\", expected one fabric", argv[optind + 1],
			     argv[optind]);
	cl->fabric = argv[optind];
	if (cl->fabric && cl->live)
		return wrong("found a fabric (\"%s\") and --live, expected one of them", cl->fabric);
	return -1;
}

/* --- what the options ask for, as commands ----------------------------------------- */

struct line_list {
	char **line;
	size_t n, cap;
};

static void add_line(struct line_list *l, const char *command, const char *arg)
{
	struct text t = {0};

	text_add(&t, "%s", command);
	if (arg && *arg) {
		text_putc(&t, ' ');
		word_text(arg, &t);
	}
	GROW(l->line, l->n, l->cap);
	l->line[l->n++] = str_dup(text_str(&t));
	text_free(&t);
}

/* Options and names come before the fabric. */
static void option_lines(const struct command_line *cl, struct line_list *l)
{
	if (cl->config)
		add_line(l, "config", cl->config);
	if (cl->names)
		add_line(l, "names", cl->names);
}

static void fabric_lines(const struct command_line *cl, const struct session *s, struct line_list *l)
{
	const char *engines = cl->engines ? cl->engines : s->config_chain;

	if (cl->fabric)
		add_line(l, synth_is_spec(cl->fabric) && access(cl->fabric, F_OK) ? "synth" : "load",
			 cl->fabric);
	if (cl->live)
		add_line(l, "live", cl->live);
	if (engines && (cl->fabric || cl->live || cl->engines))
		add_line(l, "route", engines);
}

static void free_lines(struct line_list *l)
{
	while (l->n)
		free(l->line[--l->n]);
	free(l->line);
	memset(l, 0, sizeof(*l));
}

/* --- batch ------------------------------------------------------------------------- */

static int failed(const struct err *e)
{
	fflush(stdout);
	fprintf(stderr, "ibscope: %s\n", e->msg);
	return EXIT_FAILED;
}

static int run_piece(struct session *s, const struct piece *p, struct out *o, struct err *e)
{
	bool standard = p->file && !strcmp(p->text, "-");
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
	if (!in)
		return err_set(e, "cannot read %s: %s", p->file ? p->text : "-e", strerror(errno));
	rc = session_script(s, in, standard ? "standard input" : p->file ? p->text : "-e", o, e);
	if (!standard)
		fclose(in);
	return rc;
}

static int run_lines(struct session *s, const struct line_list *l, struct out *o, struct err *e)
{
	for (size_t i = 0; i < l->n && !s->quit; i++)
		if (session_execute(s, l->line[i], o, e))
			return -1;
	return 0;
}

/*
 * Get the fabric and route it.  Standard output is for the commands' results;
 * what is said here only matters when an engine refused or noted something, and goes to stderr then.
 */
static int prepare(struct session *s, const struct command_line *cl, struct line_list *start, struct err *e)
{
	char *said = NULL;
	size_t size = 0;
	struct out o = {.f = open_memstream(&said, &size)};
	int rc = run_lines(s, start, &o, e);

	free_lines(start);
	fabric_lines(cl, s, start);
	if (!rc)
		rc = run_lines(s, start, &o, e);
	fclose(o.f);
	if (session_sweep(s) && (session_sweep(s)->n_refusals || *session_sweep(s)->notes))
		fputs(said, stderr);
	free(said);
	return rc;
}

static int batch(struct session *s, const struct command_line *cl, struct line_list *start)
{
	struct out o = {.f = stdout, .json = cl->json};
	struct err e = {{0}};

	if (prepare(s, cl, start, &e))
		return failed(&e);
	for (size_t i = 0; i < cl->n_pieces && !s->quit; i++)
		if (run_piece(s, &cl->piece[i], &o, &e))
			return failed(&e);
	if (fflush(stdout) || ferror(stdout)) {
		err_set(&e, "cannot write standard output: %s", strerror(errno));
		return failed(&e);
	}
	return o.found_fault ? EXIT_FAILED : EXIT_DONE;
}

/* Options are read before the screen is taken, so that mistakes in them are told on it. */
static int explore(struct session *s, const struct command_line *cl, struct line_list *start)
{
	struct ui_config c = {.keymap = cl->keymap};
	struct err e = {{0}};
	size_t size = 0;
	FILE *said;
	int rc;

	if (cl->fabric && !synth_is_spec(cl->fabric) && access(cl->fabric, R_OK)) {
		err_set(&e, "cannot read %s: %s", cl->fabric, strerror(errno));
		return failed(&e);
	}
	said = open_memstream(&c.greeting, &size);
	rc = run_lines(s, start, &(struct out){.f = said}, &e);
	fclose(said);
	if (!rc) {
		free_lines(start);
		fabric_lines(cl, s, start);
		c.start = start->line;
		c.n_start = start->n;
		rc = ui_run(s, &c, &e);
	}
	free(c.greeting);
	return rc ? failed(&e) : EXIT_DONE;
}

/* All commands there are. */
static const struct command *const all_commands[] = {CORE_COMMANDS, ui_commands, NULL};

int main(int argc, char **argv)
{
	struct command_line cl = {0};
	struct line_list start = {0};
	struct session *s;
	int rc = live_child_main(argc, argv);

	if (rc >= 0) /* started by ourselves to discover a live fabric */
		return rc;
	setlocale(LC_CTYPE, "");
	rc = parse(&cl, argc, argv);
	if (rc < 0 && !cl.n_pieces && !isatty(STDOUT_FILENO))
		rc = wrong("standard output is no terminal; use -e COMMANDS or -x FILE to run without one");
	if (rc < 0 && cl.json && !cl.n_pieces)
		rc = wrong("--json goes with -e or -x");
	if (rc >= 0) {
		free(cl.piece);
		return rc;
	}
	s = session_new(all_engines, all_commands);
	option_lines(&cl, &start);
	rc = cl.n_pieces ? batch(s, &cl, &start) : explore(s, &cl, &start);
	session_free(s);
	free_lines(&start);
	free(cl.piece);
	return rc;
}
