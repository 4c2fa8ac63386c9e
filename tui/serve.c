/* Requests on standard input, answers on standard output. */
#include "tui/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
#include "core/base/clean.h"
#include "core/base/cursor.h"
#include "core/base/memory.h"
#include "core/base/words.h"
#include "tui/status.h"

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

static int read_id(struct serve_request *q, struct err *e)
{
	const json_t *id = json_object_get(q->object, "id");

	if (id && !json_is_string(id) && !json_is_integer(id) && !json_is_null(id))
		return err_set(e, "\"id\": expected a string or an integer");
	q->id = id;
	return 0;
}

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
	return read_id(q, e) || read_members(q, e) ? -1 : 0;
}

static void request_free(struct serve_request *q)
{
	json_decref(q->object);
	free(q->line);
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

	free(s->name);
	interpreter_free(&s->in);
	session_free(s->in.session);
	*s = sessions.of[--sessions.n];
}

/* --- answers ----------------------------------------------------------------------- */

void serve_done(FILE *to, const json_t *id, int status, const struct err *error)
{
	json_t *done = json_object();
	char *dump;

	json_object_set_new(done, "id", id ? json_deep_copy(id) : json_null());
	json_object_set_new(done, "done", json_true());
	json_object_set_new(done, "status", json_integer(status));
	if (error) {
		json_object_set_new(done, "error", json_text(error->msg));
		json_object_set_new(done, "error_kind", json_text(err_kind_words[err_kind(error)]));
	}
	dump = json_dumps(done, JSON_COMPACT | JSON_ENSURE_ASCII);
	fprintf(to, "%s\n", dump);
	fflush(to);
	free(dump);
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
	int rc;

	if (find_session(q->session, &at, e)) {
		serve_done(r.f, id, exit_status(&r, e), e);
		json_decref(id);
		return true;
	}
	r.in = &sessions.of[at].in;
	r.id = id;
	atomic_store(&progress.cancel, false);
	set_deadline(q->deadline);
	rc = run_text(&r, q->line, e);
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
	request_free(&q);
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
