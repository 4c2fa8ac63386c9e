/*
 * Live discovery, the parent's side.  It starts the discovery process, watches it, and collects what it
 * sends; live_stream.c makes a fabric of that.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "core/base/number.h"
#include "core/source/live.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/permit.h"
#include "core/base/package.h"
#include "core/base/program.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/source/live_simulator.h"
#include "core/source/live_stream.h"

#define TICK_MS 50	/* interval of checks for cancelling */
#define NO_ANSWERS 3	/* factor for silence when errors come, but no answers */
#define GONE_S 1.0	/* silence after which the simulator is checked */
#define POLITE_S 0.4	/* time to leave after a cancel, before SIGKILL */
#define END_S 3.0	/* time to end after the last output */
#define MAX_CHATTER 20	/* lines of the library to keep */
#define MOST_SAID 65536 /* bytes of its messages to keep */

enum { STREAM_OUT, STREAM_ERR, STREAM_DATA, N_STREAMS };

/* The discovery process and the data that has come from it. */
struct child {
	pid_t pid;
	int keep; /* its stdin: closing it tells it to leave */
	int fd[N_STREAMS];
	struct text line;   /* of stdout, not yet ended */
	struct text errors; /* its stderr */
	uint8_t *data;
	size_t size, cap;
	unsigned count; /* nodes found, or tables read */
	bool tables;	/* discovery is over, tables are being read */
	double silence; /* seconds allowed */
	double last;	/* when something came */
	double answer;	/* when an answer came last, or the start */
	double looked;	/* when the simulator was looked for */
};

/* --- starting ------------------------------------------------------------------ */

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* end[0]: child's stdin, end[1..]: its stdout, stderr and data. */
static int spawn(pid_t *pid, const int end[4], char **argv)
{
	static char mark[] = LIVE_CHILD_MARK "=1"; /* it is a discovery process */
	posix_spawn_file_actions_t fa;
	posix_spawnattr_t at;
	char **envp;
	int rc;

	posix_spawn_file_actions_init(&fa);
	program_attributes(&at, POSIX_SPAWN_SETSID);
	for (int i = 0; i < 4; i++)
		posix_spawn_file_actions_adddup2(&fa, end[i], i);
	posix_spawn_file_actions_addclosefrom_np(&fa, LIVE_DATA_FD + 1);
	envp = program_environment(NULL, mark);
	rc = posix_spawn(pid, "/proc/self/exe", &fa, &at, argv, envp);
	free(envp);
	posix_spawn_file_actions_destroy(&fa);
	posix_spawnattr_destroy(&at);
	return rc;
}

static int live_start(struct child *c, const char *ca, int port, enum live_tables what, struct err *e)
{
	char name[] = "ibscope", flag[] = LIVE_CHILD_FLAG, num[16], tables[4];
	char *device = str_dup(ca ? ca : "");
	char *argv[] = {name, flag, device, num, tables, NULL};
	int p[4][2], end[4], rc = 0;

	if (!live_child_possible()) {
		free(device);
		return err_set(e, "this program was not made for live discovery");
	}
	snprintf(num, sizeof(num), "%d", port);
	snprintf(tables, sizeof(tables), "%d", (int)what);
	for (int i = 0; i < 4; i++) {
		if (program_pipe(p[i]) && !rc)
			rc = errno;
		end[i] = p[i][i ? 1 : 0];
	}
	if (!rc)
		rc = spawn(&c->pid, end, argv);
	free(device);
	for (int i = 0; i < 4; i++)
		close_fd(&p[i][i ? 1 : 0]);
	if (rc) {
		for (int i = 0; i < 4; i++)
			close_fd(&p[i][i ? 0 : 1]);
		return err_set_kind(e, ERR_IO, "cannot start the discovery process: %s%s",
				    rc == ENOENT ? "/proc/self/exe: " : "", strerror(rc));
	}
	c->keep = p[0][1];
	for (int i = 0; i < N_STREAMS; i++)
		c->fd[i] = p[i + 1][0];
	c->last = c->answer = c->looked = now_seconds();
	return 0;
}

/* --- ending -------------------------------------------------------------------- */

/* Wait up to `seconds` for the end; true when it has ended. */
static bool ended(struct child *c, double seconds, int *status)
{
	double until = now_seconds() + seconds;

	for (;;) {
		pid_t r = waitpid(c->pid, status, WNOHANG);

		if (r == c->pid)
			return true;
		if (r < 0 && errno != EINTR) {
			*status = 0; /* somebody else (SIGCHLD ignored) collects children; the stream has a
					tail */
			return true;
		}
		if (now_seconds() >= until)
			return false;
		poll(NULL, 0, 10);
	}
}

/* Collect the process.  If it is not done, it is first told to leave; if it stays, it is ended by force. */
static int live_stop(struct child *c, bool done)
{
	int status = 0;

	if (!done)
		close_fd(&c->keep);
	if (!ended(c, done ? END_S : POLITE_S, &status)) {
		kill(c->pid, SIGKILL);
		ended(c, END_S, &status);
	}
	close_fd(&c->keep);
	live_remove_folder(c->pid);
	for (int i = 0; i < N_STREAMS; i++)
		close_fd(&c->fd[i]);
	return status;
}

/* --- listening ----------------------------------------------------------------- */

static int live_take(struct child *c, int stream, const char *s, size_t n, struct progress *p, struct err *e)
{
	unsigned tables;

	c->last = now_seconds();
	if (stream == STREAM_ERR) {
		for (size_t i = 0; i < n && c->errors.len < MOST_SAID; i++)
			text_putc(&c->errors, s[i] ? s[i] : ' ');
		return 0;
	}
	c->answer = c->last;
	for (size_t i = 0; stream == STREAM_OUT && i < n; i++) {
		if (s[i] != '\n') {
			if (c->line.len < MOST_SAID)
				text_putc(&c->line, s[i]);
			continue;
		}
		/* the library's "... -> new Switch {guid} ...", or a line about tables */
		if (sscanf(text_str(&c->line), "tables %u", &tables) == 1) {
			c->count = 0;
			c->tables = true;
			if (p)
				progress_start(p, "reading forwarding tables", tables);
		} else if (c->tables ? !strcmp(text_str(&c->line), "table")
				     : strstr(text_str(&c->line), " -> new ") != NULL) {
			c->count++;
		}
		text_free(&c->line);
	}
	if (stream == STREAM_OUT)
		return 0;
	if (c->size + n > c->cap) {
		if (mem_room(e, 2 * (c->size + n), "what the discovery process sends"))
			return -1;
		c->cap = 2 * (c->size + n);
		c->data = mem_resize(c->data, c->cap, 1);
	}
	memcpy(c->data + c->size, s, n);
	c->size += n;
	return 0;
}

static int read_streams(struct child *c, const struct pollfd *pf, struct progress *p, struct err *e)
{
	char buf[16384];
	int rc = 0;

	for (int i = 0; i < N_STREAMS; i++) {
		ssize_t n;

		if (pf[i].fd < 0 || !pf[i].revents)
			continue;
		n = read(c->fd[i], buf, sizeof(buf));
		if (n > 0)
			rc |= live_take(c, i, buf, (size_t)n, p, e);
		else if (n == 0 || (errno != EINTR && errno != EAGAIN))
			close_fd(&c->fd[i]);
	}
	return rc;
}

static const char *what_came(const struct child *c, char *buf, size_t size)
{
	if (!c->count)
		return "";
	snprintf(buf, size, " (%u %s had come)", c->count, c->tables ? "tables" : "nodes");
	return buf;
}

/* -1 and *e when the simulator is gone. */
static int check_simulator(const struct child *c, struct err *e)
{
	char name[100], found[64];

	if (!live_simulator_gone(name, sizeof(name)))
		return 0;
	return err_set(e, "no answer: the ibsim with the socket name \"%s\" (IBSIM_SOCKNAME) has ended%s",
		       name, what_came(c, found, sizeof(found)));
}

/* -1 and *e when nothing comes any more, or only errors. */
static int check_silence(struct child *c, struct err *e)
{
	double now = now_seconds(), silent = now - c->last;
	char buf[64];
	const char *found = what_came(c, buf, sizeof(buf));

	if (silent > GONE_S && now - c->looked > GONE_S) {
		c->looked = now;
		if (check_simulator(c, e))
			return -1;
	}
	if (silent > c->silence)
		return err_set(e, "no answer from the %s for %.0f s%s; `live wait SECONDS` waits longer",
			       c->count ? "fabric" : "InfiniBand device", c->silence, found);
	if (now - c->answer > NO_ANSWERS * c->silence)
		return err_set(
			e,
			"nothing but errors from the fabric for %.0f s%s; `live wait SECONDS` waits longer",
			NO_ANSWERS * c->silence, found);
	return 0;
}

/* Wait until the child has closed everything.  -1 and *e: cancelled, or it fell silent. */
static int live_listen_to(struct child *c, struct progress *p, struct err *e)
{
	for (;;) {
		struct pollfd pf[N_STREAMS];
		bool open = false;

		for (int i = 0; i < N_STREAMS; i++) {
			pf[i] = (struct pollfd){.fd = c->fd[i], .events = POLLIN};
			open = open || c->fd[i] >= 0;
		}
		if (!open)
			return 0;
		if (poll(pf, N_STREAMS, TICK_MS) > 0 && read_streams(c, pf, p, e))
			return -1;
		if (!progress_step(p, c->count))
			return err_set(e, CANCELLED);
		if (check_silence(c, e))
			return -1;
	}
}

/* --- messages of the library ------------------------------------------------------- */

/* A line of the library without "ibwarn: [pid] " or "file.c:123; "; NULL when it says nothing. */
static const char *plain_line(const char *s)
{
	const char *t = s;

	if (strstr(s, "sim_connect: attached") || !strncmp(s, "cannot opendir ./sys-", 21))
		return NULL; /* the simulator's library: this program removes its folder */
	if (!strncmp(s, "ibwarn: [", 9) && (t = strstr(s, "] ")))
		return t + 2;
	t = strstr(s, ".c:");
	if (t && isdigit((unsigned char)t[3])) {
		t += 3 + strspn(t + 3, "0123456789");
		if (!strncmp(t, "; ", 2))
			return t + 2;
	}
	return *s ? s : NULL;
}

/* Tells the lines of the library, as warnings or (w NULL) in one text. */
static void live_tell_said(struct text *errors, struct warnings *w, struct text *t)
{
	char *save = NULL, *s = errors->len ? strtok_r(errors->s, "\r\n", &save) : NULL;
	const char *plain;

	for (unsigned n = 0; s && n < MAX_CHATTER; s = strtok_r(NULL, "\r\n", &save)) {
		plain = plain_line(s);
		n += plain != NULL;
		if (plain && w)
			warnings_add(w, "discovery", 0, "%s", plain);
		else if (plain)
			text_add(t, "%s%s", t->len ? "; " : "", plain);
	}
}

/* Adds to *why what prevents opening any device, if anything does. */
static void device_trouble(struct text *why)
{
	glob_t g;
	bool usable = false;

	if (glob("/dev/infiniband/umad*", 0, NULL, &g)) {
		text_add(why,
			 "no InfiniBand device: /dev/infiniband/umad* does not exist (is the ib_umad module "
			 "loaded? `modprobe ib_umad`; %s loads it at start)",
			 package_of(PACKAGE_RDMA));
		return;
	}
	for (size_t i = 0; i < g.gl_pathc; i++)
		usable = usable || !access(g.gl_pathv[i], R_OK | W_OK);
	if (!usable)
		text_add(why, "no permission to open %s: run as root or join its group", g.gl_pathv[0]);
	globfree(&g);
}

static int explain(struct child *c, const char *source, int status, struct err *e)
{
	struct text why = {0}, said = {0};

	/* the simulator's end may kill the process */
	if (WIFSIGNALED(status) && check_simulator(c, e))
		return -1;
	live_tell_said(&c->errors, NULL, &said);
	if (!live_simulated())
		device_trouble(&why);
	if (!why.len)
		text_add(&why, "discovery from %s failed", source);
	if (WIFSIGNALED(status))
		text_add(&why, ": the discovery process was ended by signal %d (%s)", WTERMSIG(status),
			 strsignal(WTERMSIG(status)));
	if (said.len)
		text_add(&why, " (%s)", text_str(&said));
	err_set(e, "%s", text_str(&why));
	text_free(&why);
	text_free(&said);
	return -1;
}

int live_discover_tables(const char *ca, int port, enum live_tables what, unsigned silence,
			 struct fabric **out, struct progress *p, struct err *e)
{
	struct child c = {.pid = -1, .keep = -1, .fd = {-1, -1, -1}, .silence = silence};
	char *source = port ? str_printf("%s:%d", ca ? ca : "first CA", port)
			    : str_dup(ca ? ca : "first active port");
	int status, rc;

	if (p)
		progress_start(p, "discovering", 0);
	rc = permitted(DEED_DEVICE, "a live fabric", e) ? -1 : live_start(&c, ca, port, what, e);
	if (!rc) {
		rc = live_listen_to(&c, p, e);
		status = live_stop(&c, rc == 0);
		if (!rc && (status || !c.size))
			rc = explain(&c, source, status, e);
		else if (!rc)
			rc = live_read(c.data, c.size, source, what, out, e);
		/* what cannot be sent fails at once: the process may end before its silence is noticed */
		if (!rc && (*out)->warnings.missing && check_simulator(&c, e)) {
			fabric_unref(*out);
			rc = -1;
		}
		if (!rc)
			live_tell_said(&c.errors, &(*out)->warnings, NULL);
	}
	text_free(&c.line);
	text_free(&c.errors);
	free(c.data);
	free(source);
	return rc;
}

int live_again(char *const *argv, FILE *to, struct progress *p, struct err *e)
{
	struct text why = {0};
	int rc;

	if (permitted(DEED_DEVICE, "a live fabric", e))
		return -1;
	if (!live_child_possible())
		return err_set(e, "this program was not made for live discovery");
	rc = program_run(argv, to, p, e);
	if (!rc || progress_cancelled(p))
		return rc;
	if (!live_simulated())
		device_trouble(&why);
	if (why.len)
		err_set(e, "%s", text_str(&why));
	else
		err_set(e, "the port did not answer, or has no counters that may be read");
	text_free(&why);
	return -1;
}

int live_parse_target(const char *word, char **ca, int *port, struct err *e)
{
	const char *colon = strrchr(word, ':');
	size_t n = colon ? (size_t)(colon - word) : strlen(word);
	uint64_t v = 0;

	*ca = NULL;
	*port = 0;
	if (colon && !number_of(colon + 1, 1, MAX_PORTS, &v))
		return err_set(e, "found '%.80s', expected CA, CA:PORT or :PORT with a port from 1 to %d",
			       word, MAX_PORTS);
	*port = (int)v;
	if (n) {
		*ca = str_dup(word);
		(*ca)[n] = '\0';
	}
	return 0;
}
