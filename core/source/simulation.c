/* The real OpenSM over ibsim, this program's side: start the keeper, wait for states, end it. */
#include "core/base/permit.h"
#include "core/source/simulation.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "core/base/infile.h"
#include "core/base/memory.h"
#include "core/base/program.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/source/internal.h"

#define TICK_MS 20
#define STILL_S 60   /* without use of the processor for so long, it stands still */
#define LAST_LINES 4 /* lines of a program's output in messages */
#define LAST_BYTES 600
#define QUIET_S 1.0 /* with fewer tables than switches, they are complete when opensm is idle for so long */

enum { IBSIM, OPENSM, PATHS, PROGRAMS };
static const char *const program[] = {"ibsim", "opensm", "paths"};
static_assert(ARRAY_LEN(program) == PROGRAMS, "each has its name");

struct simulation {
	pid_t keeper;
	int to, from; /* its input and output */
	char *folder; /* NULL: not known yet */
	char *refused;
	struct text line;
	pid_t pid[PROGRAMS];
	int status[PROGRAMS];
	bool has_ended[PROGRAMS];
};

/* --- the keeper ----------------------------------------------------------------------------------- */

static int spawn_keeper(struct simulation *s, int in, int out)
{
	char name[] = "ibscope", flag[] = SIMULATION_CHILD_FLAG, *argv[] = {name, flag, NULL};
	/* without preloaded libraries: the keeper is not part of a simulation */
	AUTO_FREE char **envp = program_environment("LD_PRELOAD=", NULL);
	posix_spawn_file_actions_t fa;
	posix_spawnattr_t at;

	posix_spawn_file_actions_init(&fa);
	program_attributes(&at, POSIX_SPAWN_SETSID);
	posix_spawn_file_actions_adddup2(&fa, in, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&fa, out, STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&fa, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addclosefrom_np(&fa, STDERR_FILENO + 1);
	int rc = posix_spawn(&s->keeper, "/proc/self/exe", &fa, &at, argv, envp);
	posix_spawn_file_actions_destroy(&fa);
	posix_spawnattr_destroy(&at);
	return rc;
}

/* Takes a line from the keeper. */
static void simulation_take_line(struct simulation *s, const char *line)
{
	char name[16] = "", what[8] = "";
	long n = 0;
	int at = 0;

	sscanf(line, "%7s %15s %ld", what, name, &n);
	while (at < PROGRAMS && strcmp(name, program[at]))
		at++;
	if (!strncmp(line, "folder ", 7) && !s->folder)
		s->folder = str_dup(line + 7);
	else if (!strncmp(line, "error ", 6) && !s->refused)
		s->refused = str_dup(line + 6);
	else if (!strcmp(what, "started") && at < PROGRAMS)
		s->pid[at] = (pid_t)n;
	else if (!strcmp(what, "ended") && at < PROGRAMS) {
		s->status[at] = (int)n;
		s->has_ended[at] = true;
	}
}

/* Read the keeper's new lines, with a short wait. False: it is gone. */
static bool listen_to_keeper(struct simulation *s)
{
	struct pollfd pf = {.fd = s->from, .events = POLLIN};
	char buf[512];

	if (poll(&pf, 1, TICK_MS) <= 0)
		return true;
	ssize_t n = read(s->from, buf, sizeof(buf));
	if (n <= 0)
		return n < 0 && errno == EINTR;
	for (ssize_t i = 0; i < n; i++) {
		if (buf[i] != '\n') {
			text_putc(&s->line, buf[i]);
			continue;
		}
		simulation_take_line(s, text_str(&s->line));
		text_free(&s->line);
	}
	return true;
}

int simulation_possible(struct err *e)
{
	char path[256];

	if (!simulation_child_possible())
		return err_set(e, "this program was not made for starting others over a simulator");
	if (!program_exists("ibsim"))
		return err_set(e, "no program ibsim: expected in PATH (%s)", package_of(PACKAGE_IBSIM));
	if (!program_exists("opensm") && access("/usr/sbin/opensm", X_OK))
		return err_set(e, "no program opensm: expected in PATH or /usr/sbin (%s)",
			       package_of(PACKAGE_OPENSM));
	if (!simulation_library(path, sizeof(path)))
		return err_set(e,
			       "no library libumad2sim.so, without which OpenSM would not stay in the "
			       "simulation: expected in /usr/lib/*/umad2sim or /usr/lib64/umad2sim (%s)",
			       package_of(PACKAGE_IBSIM));
	return 0;
}

struct simulation *simulation_new(struct err *e)
{
	int in[2], out[2], rc;

	if (permitted(DEED_RUN, "OpenSM", e) || simulation_possible(e))
		return NULL;
	struct simulation *s = NEW(struct simulation);
	s->to = s->from = -1;
	rc = program_pipe(in) ? errno : 0;
	if (program_pipe(out) && !rc)
		rc = errno;
	if (!rc)
		rc = spawn_keeper(s, in[0], out[1]);
	if (in[0] >= 0)
		close(in[0]);
	if (out[1] >= 0)
		close(out[1]);
	s->to = in[1];
	s->from = out[0];
	if (rc) {
		s->keeper = 0;
		err_set_kind(e, ERR_IO, "cannot start the keeper of the simulation: %s%s",
			     rc == ENOENT ? "/proc/self/exe: " : "", strerror(rc));
		simulation_end(s);
		return NULL;
	}
	while (!s->folder && !s->refused && listen_to_keeper(s))
		continue;
	if (s->folder)
		return s;
	err_set_kind(e, ERR_IO, "%s", s->refused ? s->refused : "the keeper of the simulation ended at once");
	simulation_end(s);
	return NULL;
}

void simulation_end(struct simulation *s)
{
	if (!s)
		return;
	if (s->to >= 0)
		close(s->to);
	while (s->keeper && waitpid(s->keeper, NULL, 0) < 0 && errno == EINTR)
		continue;
	if (s->from >= 0)
		close(s->from);
	free(s->folder);
	free(s->refused);
	text_free(&s->line);
	free(s);
}

/* --- files --------------------------------------------------------------------------------------- */

char *simulation_path(const struct simulation *s, const char *name)
{
	assert(!strchr(name, '/'));
	return str_printf("%s/%s", s->folder, name);
}

FILE *simulation_open(const struct simulation *s, const char *name, const char *mode, struct err *e)
{
	AUTO_FREE char *path = simulation_path(s, name);
	FILE *f = fopen(path, mode);

	if (!f)
		err_system(e, path, errno);
	return f;
}

/* Adds the last lines of a file, joined by " | ", if there are any. */
static void last_lines(const struct simulation *s, const char *name, struct text *t)
{
	FILE *f = simulation_open(s, name, "r", NULL);
	char buf[LAST_BYTES + 1];
	unsigned lines = 0;

	if (!f)
		return;
	if (fseek(f, -LAST_BYTES, SEEK_END))
		rewind(f);
	size_t n = fread(buf, 1, LAST_BYTES, f), from;
	fclose(f);
	while (n && buf[n - 1] == '\n')
		n--;
	for (from = n; from && lines < LAST_LINES; from--)
		lines += buf[from - 1] == '\n';
	from += lines == LAST_LINES;
	if (n > from)
		text_add(t, "%s", t->len ? " | " : "");
	for (size_t i = from; i < n; i++) {
		if (buf[i] == '\n')
			text_add(t, " | ");
		else
			text_putc(t, buf[i] ? buf[i] : ' ');
	}
}

static int tell_last(const struct simulation *s, int which, const char *what, struct err *e)
{
	AUTO_TEXT struct text t = {0};
	char name[20];

	assert(which < PROGRAMS);
	if (which == OPENSM)
		last_lines(s, SIMULATION_LOG, &t);
	if (!t.len) {
		snprintf(name, sizeof(name), "%s.out", program[which]);
		last_lines(s, name, &t);
	}
	return err_set(e, "%s %s%s%s", which == PATHS ? "asking for paths" : program[which], what,
		       t.len ? "; its last lines: " : "", text_str(&t));
}

/* --- waiting ------------------------------------------------------------------------------------- */

/* A growing file, and what it has shown so far. */
struct tail {
	const char *name;
	unsigned lines;					  /* lines that are not empty */
	bool ready;					  /* ibsim's output: it is ready */
	enum { SWEEPING, SUBNET_UP, SWEEP_FAILED } swept; /* OpenSM's log */
	unsigned begun, ended;				  /* number of tables in a dump */
	long at;
	char rest[256]; /* the incomplete last line */
	size_t len;
};

/* Take the file's new lines. */
static void tail_read(const struct simulation *s, struct tail *t)
{
	FILE *f = simulation_open(s, t->name, "r", NULL);
	int c;

	if (!f)
		return;
	if (!fseek(f, t->at, SEEK_SET)) {
		while ((c = getc(f)) != EOF) {
			t->at++;
			if (c != '\n') {
				if (t->len + 1 < sizeof(t->rest))
					t->rest[t->len++] = (char)c;
				continue;
			}
			t->rest[t->len] = '\0';
			t->lines += t->len > 0;
			t->ready |= strstr(t->rest, "Network simulator ready") != NULL;
			if (t->swept == SWEEPING && strstr(t->rest, "-> SUBNET UP"))
				t->swept = SUBNET_UP;
			else if (t->swept == SWEEPING && strstr(t->rest, "-> Errors during initialization"))
				t->swept = SWEEP_FAILED;
			t->begun += !strncmp(t->rest, "Unicast lids ", 13);
			t->ended += !strncmp(t->rest, "#-----", 6); /* twice an endport's maps */
			t->ended += t->len > 12 && !strcmp(t->rest + t->len - 12, " lids dumped");
			t->len = 0;
		}
	}
	fclose(f);
}

/* Clock ticks of processor time used by the programs. */
static unsigned long simulation_used(const struct simulation *s)
{
	unsigned long sum = 0;

	for (int i = 0; i < PROGRAMS; i++) {
		char path[40], line[600], *p;
		unsigned long user, sys;

		if (!s->pid[i] || s->has_ended[i])
			continue;
		snprintf(path, sizeof(path), "/proc/%ld/stat", (long)s->pid[i]);
		FILE *f = fopen(path, "r");
		if (f && fgets(line, sizeof(line), f) && (p = strrchr(line, ')')) &&
		    sscanf(p + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &sys) == 2)
			sum += user + sys;
		if (f)
			fclose(f);
	}
	return sum;
}

/* What is waited for. */
struct wait {
	struct simulation *s;
	unsigned long used;
	double moved; /* time of the last use of the processor */
	struct progress *p;
};

/* One step of waiting.  -1 and *e: the state will never come. */
static int wait_a_moment(struct wait *w, struct err *e)
{
	struct simulation *s = w->s;

	if (!listen_to_keeper(s))
		return err_set(e, "the keeper of the simulation ended");
	if (progress_cancelled(w->p))
		return err_set(e, CANCELLED);
	for (int i = IBSIM; i <= OPENSM; i++) {
		char how[80];

		if (!s->has_ended[i])
			continue;
		snprintf(how, sizeof(how),
			 s->status[i] < 0 ? "was ended by signal %d" : "ended with status %d",
			 abs(s->status[i]));
		return tell_last(s, i, how, e);
	}
	unsigned long now = simulation_used(s);
	if (now != w->used) {
		w->used = now;
		w->moved = now_seconds();
	}
	if (now_seconds() - w->moved > STILL_S)
		return tell_last(s, OPENSM, "and ibsim stand still: no processor time used for a minute", e);
	return 0;
}

static struct wait begin_wait(struct simulation *s, struct progress *p)
{
	return (struct wait){.s = s, .p = p, .moved = now_seconds()};
}

static void PRINTF_LIKE(2, 3) command(struct simulation *s, const char *fmt, ...)
{
	AUTO_TEXT struct text t = {0};
	va_list ap;

	va_start(ap, fmt);
	text_addv(&t, fmt, ap);
	va_end(ap);
	(void)!write(s->to, text_str(&t), t.len); /* a keeper that is gone is noticed during the wait */
}

/* --- a sweep --------------------------------------------------------------------------------------- */

int simulation_sweep(struct simulation *s, const struct simulation_sizes *z, const char *host,
		     struct progress *p, struct err *e)
{
	struct tail out = {.name = "ibsim.out"}, log = {.name = SIMULATION_LOG},
		    lfts = {.name = SIMULATION_LFTS}, maps = {.name = SIMULATION_MAPS};
	struct wait w = begin_wait(s, p);

	assert(z->switches <= z->nodes && z->nodes <= z->ports && !s->pid[IBSIM]);
	progress_start(p, "ibsim reads the fabric", 0);
	command(s, "ibsim %u %u %u\n", z->nodes, z->switches, z->ports);
	while (!out.ready) {
		if (wait_a_moment(&w, e))
			return -1;
		tail_read(s, &out);
	}
	w = begin_wait(s, p);
	progress_start(p, "OpenSM sweeps the simulation", 0);
	command(s, "opensm %s\n", host);
	while (log.swept == SWEEPING) {
		if (wait_a_moment(&w, e))
			return -1;
		tail_read(s, &log);
	}
	if (log.swept == SWEEP_FAILED)
		return tell_last(s, OPENSM, "ended its sweep with errors", e);
	progress_start(p, "OpenSM writes its tables", z->switches);
	while (lfts.ended < z->switches) {
		if (wait_a_moment(&w, e))
			return -1;
		tail_read(s, &lfts);
		if (lfts.ended && lfts.ended == lfts.begun && now_seconds() - w.moved > QUIET_S)
			break;
		progress_step(p, lfts.ended);
	}
	while (maps.ended / 2 < z->mapped) {
		if (wait_a_moment(&w, e))
			return -1;
		tail_read(s, &maps);
	}
	return 0;
}

int simulation_paths(struct simulation *s, const char *host, uint32_t n, struct progress *p, struct err *e)
{
	struct tail paths = {.name = SIMULATION_PATHS};
	struct wait w = begin_wait(s, p);

	assert(s->pid[OPENSM]); /* simulation_sweep() came before */
	progress_start(p, "OpenSM is asked for service levels", n);
	command(s, "paths %s\n", host);
	while (!s->has_ended[PATHS]) {
		if (wait_a_moment(&w, e))
			return -1;
		tail_read(s, &paths);
		progress_step(p, paths.lines);
	}
	tail_read(s, &paths);
	if (s->status[PATHS] || paths.lines != n)
		return tell_last(s, PATHS, "failed", e);
	return 0;
}
