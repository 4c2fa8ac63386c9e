/* Requests on standard input, the program's options, and the table of limits. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "core/analysis/advise/advise.h"
#include "core/analysis/compare/figures.h"
#include "core/analysis/survey/survey.h"
#include "core/analysis/traffic/bisection.h"
#include "core/base/clean.h"
#include "core/base/cursor.h"
#include "core/base/defs.h"
#include "core/base/hostlist.h"
#include "core/base/infile.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/fabric/state.h"
#include "core/formats/conf.h"
#include "core/formats/readers.h"
#include "core/session/command.h"
#include "core/session/interpreter.h"
#include "core/session/reading.h"
#include "core/sm/script.h"
#include "core/source/live.h"
#include "core/source/synth.h"
#include "tui/keymap.h"
#include "tui/ui.h"
#include "views/base/view.h"

/* Requests on standard input, answers on standard output. */

struct served {
	char *name; /* NULL: the one at the start */
	struct interpreter in;
};

static struct {
	struct served *of;
	size_t n, cap;
	struct session *(*open)(void);
} sessions;

struct serve_request {
	json_t *object;
	const json_t *id; /* borrowed */
	char *line;
	const char *session; /* NULL: the one without a name */
	double deadline;     /* 0: none */
};

static struct progress progress; /* of the request that is answered */

/* --- the deadline ------------------------------------------------------------------ */

static void on_deadline(int sig)
{
	(void)sig;
	atomic_store(&progress.cancel, true);
}

static void set_deadline(double seconds)
{
	struct itimerval t = {.it_value.tv_sec = (time_t)seconds,
			      .it_value.tv_usec = (suseconds_t)((seconds - floor(seconds)) * 1e6)};

	setitimer(ITIMER_REAL, &t, NULL);
}

/* --- requests ---------------------------------------------------------------------- */

/* The words become a line that is split into the same words again. */
static int serve_read_words(struct serve_request *q, const json_t *argv, struct err *e)
{
	struct text line = {0};
	size_t n = json_array_size(argv);

	if (!n)
		return err_set(e, "\"argv\": expected a list of words, the command first");
	for (size_t i = 0; i < n; i++) {
		const char *w = json_string_value(json_array_get(argv, i));

		if (!w) {
			text_free(&line);
			return err_set(e, "\"argv\": word %zu is no string", i + 1);
		}
		word_append(&line, w);
	}
	q->line = line.s;
	return 0;
}

static int read_members(struct serve_request *q, struct err *e)
{
	static const char known[] = "id argv line session deadline";
	const char *key, *line = json_string_value(json_object_get(q->object, "line"));
	json_t *value, *argv = json_object_get(q->object, "argv"),
		       *deadline = json_object_get(q->object, "deadline"),
		       *session = json_object_get(q->object, "session");

	json_object_foreach(q->object, key, value) if (!words_have(known, key)) return err_set(
		e, "found \"%s\", expected id, argv or line, session, deadline", key);
	if (session && !json_string_length(session))
		return err_set(e, "\"session\": expected a name");
	q->session = json_string_value(session);
	q->deadline = json_number_value(deadline);
	if (deadline && !(q->deadline > 0 && q->deadline <= SERVE_DEADLINE_MOST))
		return err_set(e, "\"deadline\": expected seconds, more than 0, up to %d",
			       SERVE_DEADLINE_MOST);
	if (argv && !json_object_get(q->object, "line"))
		return serve_read_words(q, argv, e);
	if (!line || argv || strchr(line, '\n'))
		return err_set(e, "expected \"argv\" (a list of words) or \"line\" (one line of commands)");
	q->line = str_dup(line);
	return 0;
}

static int read_request(const struct text *line, struct serve_request *q, struct err *e)
{
	json_error_t why;

	*q = (struct serve_request){.object = json_loadb(line->s, line->len, JSON_REJECT_DUPLICATES, &why)};
	if (!q->object)
		return err_set(e, "column %d: %s", why.column, why.text);
	if (!json_is_object(q->object))
		return err_set(e, "expected an object");
	const json_t *id = json_object_get(q->object, "id");
	if (id && !json_is_string(id) && !json_is_integer(id) && !json_is_null(id))
		return err_set(e, "\"id\": expected a string or an integer");
	q->id = id;
	return read_members(q, e);
}

/* --- sessions ---------------------------------------------------------------------- */

static int find_session(const char *name, size_t *at, struct err *e)
{
	for (*at = 0; *at < sessions.n; ++*at)
		if (!name || (*at && !strcmp(sessions.of[*at].name, name)))
			return 0;
	if (sessions.n > SERVE_SESSIONS_MOST) /* the first one has no name */
		return err_set_kind(e, ERR_LIMIT, "found %d sessions, expected no more; `quit` ends one",
				    SERVE_SESSIONS_MOST);
	GROW(sessions.of, sessions.n, sessions.cap);
	sessions.of[sessions.n++] = (struct served){.name = str_dup(name), .in.session = sessions.open()};
	return 0;
}

static void end_session(size_t at)
{
	struct served *s = &sessions.of[at];

	assert(at >= 1 && at < sessions.n); /* the first ends with the program */
	free(s->name);
	interpreter_free(&s->in);
	session_free(s->in.session);
	*s = sessions.of[--sessions.n];
}

/* --- answers ----------------------------------------------------------------------- */

void serve_done(FILE *to, const json_t *id, int status, const struct err *error)
{
	json_t *done = json_object();

	assert(!error || err_kind(error) < N_ERR_KINDS);
	json_object_set_new(done, "id", id ? json_deep_copy(id) : json_null());
	json_object_set_new(done, "done", json_true());
	json_object_set_new(done, "status", json_integer(status));
	if (error) {
		json_object_set_new(done, "error", json_text(error->msg));
		json_object_set_new(done, "error_kind", json_text(err_kind_words[err_kind(error)]));
	}
	AUTO_FREE char *dump = json_dumps(done, JSON_COMPACT | JSON_ENSURE_ASCII);
	fprintf(to, "%s\n", dump);
	fflush(to);
	json_decref(done);
}

/* Runs the request.  False: `quit` of the first session. */
static bool serve_answer(const struct serve_request *q, struct command_run *first, struct err *e)
{
	struct command_run r = {.f = first->f,
				.json = true,
				.errors = stderr,
				.progress = &progress,
				.begun = first->begun,
				.program = first->program,
				.no_text = first->no_text,
				.no_timing = first->no_timing};
	json_t *id = q->id ? json_deep_copy(q->id) : json_null();
	size_t at;

	if (find_session(q->session, &at, e)) {
		serve_done(r.f, id, exit_status(&r, e), e);
		json_decref(id);
		return true;
	}
	r.in = &sessions.of[at].in;
	r.id = id;
	atomic_store(&progress.cancel, false);
	set_deadline(q->deadline);
	int rc = run_text(&r, q->line, e);
	set_deadline(0);
	first->begun = r.begun;
	serve_done(r.f, id, exit_status(&r, rc ? e : NULL), NULL);
	json_decref(id);
	rc = r.in->quit;
	if (rc && at)
		end_session(at);
	return !rc || at;
}

/* Whatever is wrong with the line, its writer must change it. */
static void serve_no_request(FILE *to, const json_t *id, const struct err *e)
{
	serve_done(to, id, exit_status(NULL, &(struct err){.kind = ERR_SYNTAX}), e);
}

static bool serve_line(const struct text *line, struct command_run *r)
{
	struct serve_request q;
	struct err e = {0};
	bool more = true;

	if (read_request(line, &q, &e)) {
		err_default(&e, ERR_SYNTAX);
		serve_no_request(r->f, q.id, &e);
	} else {
		more = serve_answer(&q, r, &e);
	}
	json_decref(q.object);
	free(q.line);
	return more;
}

FILE *serve_input(void)
{
	int fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1),
	    null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (null >= 0)
		dup2(null, STDIN_FILENO);
	if (null > STDERR_FILENO)
		close(null);
	return fd < 0 ? NULL : fdopen(fd, "r");
}

int serve(FILE *from, struct command_run *r, struct session *(*open)(void), struct err *error)
{
	struct sigaction alarm = {.sa_handler = on_deadline, .sa_flags = SA_RESTART};
	struct text line = {0};
	struct err e = {0};
	int got;

	sigemptyset(&alarm.sa_mask);
	sigaction(SIGALRM, &alarm, NULL);
	assert(!sessions.n); /* once */
	sessions.open = open;
	GROW(sessions.of, sessions.n, sessions.cap);
	sessions.of[sessions.n++] = (struct served){.in = *r->in};
	while (!ferror(r->f) && (got = read_text_line(from, "standard input", &line, &e)) && !ferror(from)) {
		if (got < 0) {
			serve_no_request(r->f, NULL, &e);
			if (!skip_text_line(from))
				break;
		} else if (!words_end(words_skip(line.s)) && !serve_line(&line, r)) {
			break;
		}
	}
	text_free(&line);
	while (sessions.n > 1)
		end_session(sessions.n - 1);
	*r->in = sessions.of[0].in;
	free(sessions.of);
	got = ferror(from) ? err_set_kind(error, ERR_IO, "standard input: %s", strerror(errno)) : 0;
	fclose(from);
	return got ? got : output_flush(r->f, error);
}

#define HELP_INDENT "                           "
#define HELP_COLUMN (sizeof(HELP_INDENT) - 1)

const struct program_option program_options[] = {
	{"live", 'L', "[=CA[:PORT]]", NULL, "discover the fabric this machine is connected to"},
	{"routing-engine", 'R', "E[,E...]", "ENGINE[,ENGINE...]", "route at start (names as in opensm -R)"},
	{"config", 'F', "FILE", "FILE", "take routing options from an opensm.conf"},
	{"execute", 'e', "COMMANDS", NULL, "run commands (';' between them), print, exit; repeatable"},
	{"script", 'x', "FILE", "FILE|-", "the same from a file, '-' for standard input"},
	{"keymap", 'k', "NAME|FILE", "FILE", "default, vi, emacs, or a file of key bindings"},
	{"node-name-map", OPT_NAMES, "FILE", "FILE", "names for GUIDs, as infiniband-diags take them"},
	{"no-node-name-map", OPT_NO_MAP, NULL, NULL, "do not look for a map where infiniband-diags do"},
	{"rc", OPT_RC, NULL, NULL,
	 "run the rc files /etc/ibscope/rc and ~/.config/ibscope/rc first, with -e and -x too"},
	{"no-rc", OPT_NO_RC, NULL, NULL, "do not run the rc files; the explorer runs them without this"},
	{"json", OPT_JSON, NULL, NULL, "-e and -x print a JSON object for each command"},
	{"no-text", OPT_NO_TEXT, NULL, NULL, "with --json: no lines of text in the objects"},
	{"no-timing", OPT_NO_TIMING, NULL, NULL,
	 "nothing that differs between runs: no time, no milliseconds"},
	{"serve", OPT_SERVE, NULL, NULL,
	 "answer requests on standard input, a JSON object a line, until it ends"},
	{"read-only", OPT_READ_ONLY, NULL, NULL, "write no file, run no program, touch no InfiniBand device"},
	{"help", 'h', NULL, NULL, "this text; `ibscope -e help` lists the commands"},
	{"man", OPT_MAN, "[json]", "json",
	 "the manual, as for `| less` or `| man -l -`; json: the page of JSON objects"},
	{"completion", OPT_COMPLETION, "[SHELL]", "bash|zsh|fish",
	 "completion for bash, zsh or fish; in a shell's rc file: `source <(ibscope --completion bash)`"},
	{"licences", OPT_LICENCES, NULL, NULL, "the terms of the program and of what is in it"},
	{"version", 'V', NULL, NULL, "the version and the terms in short"},
	{NULL, 0, NULL, NULL, NULL},
};

bool option_takes_next(const struct program_option *o)
{
	return o->arg && strncmp(o->arg, "[=", 2) != 0;
}

void options_usage(FILE *f)
{
	AUTO_TEXT struct text all = {0};

	for (const struct program_option *o = program_options; o->name; o++) {
		struct text t = {0};

		if (o->code < OPT_NAMES)
			text_add(&t, "  -%c, ", o->code);
		else
			text_add(&t, "      ");
		text_add(&t, "--%s", o->name);
		if (o->arg)
			text_add(&t, "%s%s", option_takes_next(o) ? " " : "", o->arg);
		if (t.len >= HELP_COLUMN) {
			text_add(&all, "%s\n", text_str(&t));
			text_free(&t);
		}
		text_add(&t, "%*s", (int)(HELP_COLUMN - t.len), "");
		wrap_text(&all, o->help, 80, text_str(&t), HELP_INDENT);
		text_free(&t);
	}
	fputs(text_str(&all), f);
}

int option_next(int argc, char **argv)
{
	static struct option names[ARRAY_LEN(program_options)];
	static char letters[3 * ARRAY_LEN(program_options)];

	for (size_t i = 0, n = 0; i < ARRAY_LEN(program_options) && program_options[i].name; i++) {
		const struct program_option *o = &program_options[i];
		int has = !o->arg || (*o->arg == '[' && option_takes_next(o)) ? no_argument
			  : *o->arg == '['				      ? optional_argument
									      : required_argument;

		names[i] = (struct option){o->name, has, NULL, o->code};
		if (o->code >= OPT_NAMES)
			continue;
		letters[n++] = (char)o->code;
		for (int k = 0; k < has; k++)
			letters[n++] = ':';
		letters[n] = 0;
	}
	return getopt_long(argc, argv, letters, names, NULL);
}

const char *option_word(int argc, char **argv)
{
	return optind < argc && *argv[optind] != '-' ? argv[optind++] : NULL;
}

/* The table of limits. Each number comes from the code that enforces it. */

const struct limit limits[] = {
	/* the fabric */
	{"unicast LIDs", MAX_LID, "ports for which none are left get no LID and no routes: `gets no LID`"},
	{"LMC", MAX_LMC, "refused: `expected a number from 0 to #`; in a file it counts as 0"},
	{"ports of a switch or host", MAX_PORTS, "the file is refused: `expected at most #`"},
	{"hops from the subnet manager", DR_MAX_HOPS,
	 "what lies behind is not discovered, as by OpenSM: `where directed routes end`"},
	{"bytes of a node's name", DESC_MAX,
	 "cut off behind them, as by OpenSM; a node-name-map may have longer ones"},
	/* synthetic fabrics */
	{"endports of a synthetic fabric", SYNTH_MAX_ENDPORTS,
	 "refused: `endports (switches and CA ports), expected at most #`"},
	{"switch ports of a synthetic fabric", SYNTH_MAX_PORTS,
	 "refused: `switch ports in all, expected at most #`"},
	{"ports of a synthetic host", SYNTH_MAX_CA_PORTS, "refused: `ports of a host, expected at most #`"},
	{"dimensions or levels of a synthetic fabric", SYNTH_MAX_DIMS, "refused: `more than # numbers`"},
	{"characters of a synthetic fabric's shape", SYNTH_MAX_SHAPE,
	 "refused: `characters, expected at most #`"},
	/* files */
	{"MiB of a file", FILE_MIB, "refused: `found more than # MiB, the most that is read`"},
	{"MiB of a list of hosts, jobs, pairs or a plan", LIST_FILE_MIB,
	 "refused: `found more than # MiB, the most that is read`"},
	{"MiB that a program of `route script:` prints", SCRIPT_MIB,
	 "refused: `found more than # MiB, the most that is read`"},
	{"MiB of an opensm.conf, a list of GUIDs, a node-name-map, partitions or a QoS policy",
	 SMALL_FILE_MIB, "refused: `found more than # MiB, the most that is read`"},
	{"bytes of a line of a script, keymap or guid2lid file", LINE_BYTES_MOST,
	 "refused: `found a line of more than # bytes`"},
	{"lines of a keymap or guid2lid file", LINES_MOST, "refused: `found more than # lines`"},
	{"scripts within each other", MAX_SOURCE_DEPTH,
	 "refused: `scripts call each other more than # deep`"},
	{"ibsim net files within each other", IBSIM_INCLUDE_DEPTH,
	 "the file is refused: `too many includes inside each other, expected at most #`"},
	{"includes of an ibsim net file", IBSIM_INCLUDE_FILES,
	 "the file is refused: `too many includes in all, expected at most #`"},
	{"chips of a .topo", TOPO_CHIPS,
	 "the file is refused: `found more chips than are read, expected at most #`"},
	{"boards of a .topo within each other", TOPO_BOARD_DEPTH,
	 "the file is refused: `found boards more than # deep within each other`"},
	{"keymaps within each other", KEYMAP_INCLUDE_DEPTH,
	 "the line is left out: `include: more than # files within each other`"},
	{"files of a keymap", KEYMAP_FILES,
	 "the line is left out: `include: more than # files in one keymap`"},
	{"keys of a binding", KEY_SEQ, "the line is left out: `or a key such as`"},
	/* requests */
	{"engines of `compare`", SIDES_MOST, "refused: `more than # engines`"},
	{"engines in the pane compare", COMPARE_MOST, "refused: `engines, expected at most #`"},
	{"names of a list such as n[1-20]", HOSTLIST_MOST, "refused: `stands for more than # names`"},
	{"bytes of a list of names with ';' without quotes", UNQUOTED_MOST, "its first `;` ends the command"},
	{"pairs of failures of a survey", SURVEY_MOST_PAIRS, "refused: `expected pairs from 1 to #`"},
	{"shares of a survey", SURVEY_MOST_SHARES, "refused: `the I-th of N shares (N up to #)`"},
	{"threads of a survey", SURVEY_MOST_THREADS, "refused: `expected threads from 1 to #`"},
	{"failures that `advise` tries with each engine", ADVISE_MOST_FAILURES,
	 "refused: `expected a number from 0 to #`"},
	{"random pairings of `load-map ebb`", EBB_MOST,
	 "what they give is told, with the half-width it has: `# random pairings`"},
	{"seconds that `live` waits for an answer", LIVE_SILENCE_MOST,
	 "refused: `expected seconds from 1 to #`"},
	{"seconds between the readings of `watch`", LIVE_WATCH_MOST, "refused: `expected a number up to #`"},
	{"readings of `watch`, where they are counted", LIVE_WATCH_ROUNDS,
	 "refused: `expected a number up to #`"},
	{"rows that are sorted or folded", VIEW_SORT_MAX,
	 "refused until they are filtered: `rows are too many to sort (at most #)`"},
	{"characters of a filter", VIEW_FILTER_MAX, "`list` refuses them: `characters, expected at most #`"},
	{"bytes of a line that Tab completes", COMPLETED_MOST, "nothing is offered"},
	{"words that Tab offers", MOST_COMPLETIONS, "the rest is not offered"},
	{"lines of the history", HISTORY_LINES, "the oldest are forgotten"},
	{"rows or columns of the screen", SCREEN_MOST, "what is beyond stays empty"},
	{"panes behind each other", STACK_DEPTH, "the oldest is closed"},
	{0},
};

char *limit_beyond(const struct limit *l)
{
	struct text t = {0};

	for (const char *s = l->beyond; *s; s++) {
		if (*s == '#')
			text_add(&t, "%llu", (unsigned long long)l->most);
		else
			text_putc(&t, *s);
	}
	return t.s; /* never empty */
}
