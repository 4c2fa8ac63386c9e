/* Other programs: which may be run, started, heard and ended. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/permit.h"
#include "core/base/program.h"
#include "core/base/progress.h"
#include "core/base/text.h"

#define TAR_AT 257 /* where a tar archive says what it is */

static const struct {
	size_t at, len;
	const char *bytes, *what, *unpacker;
} known[] = {
	{0, 6, "\xfd\x37zXZ\0", "data compressed by xz (unpack it first: xz -d)", "xz"},
	{0, 2, "\x1f\x8b", "data compressed by gzip (unpack it first: gzip -d)", "gzip"},
	{0, 3, "BZh", "data compressed by bzip2 (unpack it first: bzip2 -d)", "bzip2"},
	{0, 4, "\x28\xb5\x2f\xfd", "data compressed by zstd (unpack it first: zstd -d)", "zstd"},
	{0, 4, "\x04\x22\x4d\x18", "data compressed by lz4 (unpack it first: lz4 -d)", NULL},
	{0, 4, "PK\3\4", "a zip archive (unpack it first: unzip)", NULL},
	{0, 4, "PK\5\6", "an empty zip archive", NULL},
	{0, 6, "7z\xbc\xaf\x27\x1c", "a 7z archive (unpack it first: 7z x)", NULL},
	{TAR_AT, 5, "ustar", "a tar archive (unpack it first: tar xf)", NULL},
	{0, 2, "\xff\xfe", "UTF-16 text (convert it first: iconv -f UTF-16 -t UTF-8)", NULL},
	{0, 2, "\xfe\xff", "UTF-16 text (convert it first: iconv -f UTF-16 -t UTF-8)", NULL},
};

size_t text_mark(const char *data, size_t size)
{
	return size >= 3 && !memcmp(data, "\xef\xbb\xbf", 3) ? 3 : 0;
}

/* Is every other one of the first bytes NUL, as in UTF-16 without a mark? first: 0 = big endian. */
static bool half_nul(const char *data, size_t size, size_t first)
{
	if (size < 4)
		return false;
	for (size_t i = 0; i < 4; i++)
		if (!data[i] != (i % 2 == first))
			return false;
	return true;
}

/* Do lines of a text end in CR, and none in LF?  A text holds no NUL. */
static bool only_cr(const char *data, size_t size)
{
	const char *cr = memchr(data, '\r', size);

	while (cr && (size_t)(cr + 1 - data) < size && cr[1] == '\r')
		cr++;
	return cr && (size_t)(cr + 1 - data) < size && !memchr(data, '\n', size) && !memchr(data, 0, size);
}

static bool foreign_is_known(size_t i, const char *data, size_t size)
{
	return size >= known[i].at + known[i].len &&
	       !memcmp(data + known[i].at, known[i].bytes, known[i].len);
}

const char *foreign_unpacker(const char *data, size_t size)
{
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (foreign_is_known(i, data, size))
			return known[i].unpacker;
	return NULL;
}

const char *foreign_content(const char *data, size_t size)
{
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (foreign_is_known(i, data, size))
			return known[i].what;
	if (half_nul(data, size, 1))
		return "UTF-16 text (convert it first: iconv -f UTF-16LE -t UTF-8)";
	if (half_nul(data, size, 0))
		return "UTF-16 text (convert it first: iconv -f UTF-16BE -t UTF-8)";
	if (only_cr(data, size))
		return "lines that end in CR alone (convert them first: tr '\\r' '\\n')";
	return NULL;
}

int text_head_check(const char *data, size_t size, struct err *e)
{
	const char *what = foreign_content(data, size);

	if (what)
		return err_set(e, "found %s, expected text", what);
	if (text_mark(data, size))
		return err_set(e,
			       "found a byte order mark (EF BB BF) before the text, expected none (take it "
			       "off: tail -c +4)");
	return 0;
}

int text_line_check(const char *line, size_t len, struct err *e)
{
	const char *nul = len ? memchr(line, 0, len) : NULL;

	if (nul)
		return err_set(e, "found a NUL byte as character %zu, expected text",
			       (size_t)(nul - line) + 1);
	return 0;
}

#define TICK_MS 50 /* interval of checks for cancelling */
#define LOWEST 10  /* lowest descriptor not used by the new process */

void program_attributes(posix_spawnattr_t *at, short flags)
{
	static const int undo[] = {SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGPIPE, SIGCHLD, SIGALRM};
	sigset_t set;

	posix_spawnattr_init(at);
	sigemptyset(&set);
	posix_spawnattr_setsigmask(at, &set);
	for (size_t i = 0; i < ARRAY_LEN(undo); i++)
		sigaddset(&set, undo[i]);
	posix_spawnattr_setsigdefault(at, &set);
	posix_spawnattr_setflags(at, (short)(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | flags));
}

char *program_path(const char *name)
{
	const char *path = getenv("PATH");

	for (const char *s = path ? path : ""; *s;) {
		size_t n = strcspn(s, ":");
		char *file = str_printf("%.*s/%s", (int)n, s, name);

		if (n && !access(file, X_OK))
			return file;
		free(file);
		s += n + (s[n] == ':');
	}
	return NULL;
}

bool program_exists(const char *name)
{
	AUTO_FREE char *path = program_path(name);

	return path != NULL;
}

/*
 * Runs in the new process, with calls only that are safe after fork() in a program with threads. The process
 * leads a group, so that its children can be ended with it. It never outlives this program. It begins when a
 * byte comes from `failed`: by then its group is known to programs_kill().
 */
static void program_become(char *const *argv, int from, int out, int said, int failed, pid_t parent)
{
	static const int undo[] = {SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGPIPE, SIGCHLD, SIGALRM};
	int in = open("/dev/null", O_RDWR), error;
	sigset_t none;
	char go;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (size_t i = 0; i < ARRAY_LEN(undo); i++)
		signal(undo[i], SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	failed = fcntl(failed, F_DUPFD_CLOEXEC, LOWEST);
	out = fcntl(out, F_DUPFD, LOWEST);
	in = fcntl(in, F_DUPFD, LOWEST);
	said = said < 0 ? in : fcntl(said, F_DUPFD, LOWEST);
	from = from < 0 ? in : fcntl(from, F_DUPFD, LOWEST);
	if (recv(failed, &go, 1, 0) == 1 && getppid() == parent && dup2(from, STDIN_FILENO) >= 0 &&
	    dup2(out, STDOUT_FILENO) >= 0 && dup2(said, STDERR_FILENO) >= 0 &&
	    dup2(failed, STDERR_FILENO + 1) >= 0) {
		fcntl(STDERR_FILENO + 1, F_SETFD, FD_CLOEXEC);
		close_range(STDERR_FILENO + 2, ~0U, 0);
		failed = STDERR_FILENO + 1;
		if (strchr(argv[0], '/')) /* execvp() would give a file without a head to a shell */
			execv(argv[0], argv);
		else
			execvp(argv[0], argv);
	}
	error = errno;
	(void)!write(failed, &error, sizeof(error));
	_exit(127);
}

/* The groups of programs that run: a signal that ends this one ends them. 0: free. */
static atomic_int groups[64];

static atomic_int *group_add(pid_t pid)
{
	for (size_t i = 0; i < ARRAY_LEN(groups); i++) {
		int is_free = 0;

		if (atomic_compare_exchange_strong(&groups[i], &is_free, (int)pid))
			return &groups[i];
	}
	return NULL;
}

/*
 * Start a program with input from `in` (-1: empty), output to `out` and errors to `said` (-1: dropped).
 * Returns an errno, 0 = it runs.
 */
static int program_start(char *const *argv, int in, int out, int said, pid_t *pid, atomic_int **group)
{
	pid_t parent = getpid();
	int failed[2], error = 0;
	ssize_t n;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, failed))
		return errno;
	*pid = fork();
	if (!*pid) {
		close(failed[0]);
		program_become(argv, in, out, said, failed[1], parent);
	}
	error = *pid < 0 ? errno : 0;
	close(failed[1]);
	if (*pid > 0) {
		setpgid(*pid, *pid);
		*group = group_add(*pid);
		send(failed[0], "", 1, MSG_NOSIGNAL);
		do
			n = read(failed[0], &error, sizeof(error));
		while (n < 0 && errno == EINTR);
		if (n > 0) {
			if (*group)
				atomic_store(*group, 0);
			waitpid(*pid, NULL, 0);
		}
	}
	close(failed[0]);
	return error;
}

void programs_kill(void)
{
	for (size_t i = 0; i < ARRAY_LEN(groups); i++) {
		int pid = atomic_load(&groups[i]);

		if (pid > 0)
			kill(-pid, SIGKILL);
	}
}

/* A program that runs, and the ends from which we read; -1: closed. */
struct running {
	pid_t pid;
	atomic_int *group; /* its place among the groups; NULL: there was none */
	int out, said;
	double until; /* now_seconds() at which it is ended; 0: never */
};

/* Takes what an end has.  At its end it is closed. */
static ssize_t program_take(int *fd, char *buf, size_t size)
{
	ssize_t n = read(*fd, buf, size);

	if (!n || (n < 0 && errno != EINTR)) {
		close(*fd);
		*fd = -1;
	}
	return MAX(n, 0);
}

/* Has it ended? It stays a zombie, so that its number is still its own. */
static bool has_ended(pid_t pid)
{
	siginfo_t info = {.si_pid = 0};

	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) ? errno != EINTR
									    : info.si_pid == pid;
}

static void keep_last(struct text *t, const char *buf, size_t n, size_t most)
{
	for (size_t i = 0; i < n; i++)
		text_putc(t, buf[i]);
	if (t->len > most) {
		memmove(t->s, t->s + t->len - most, most + 1);
		t->len = most;
	}
}

/* Read until the program has ended. False: cancelled, out of time, or `to` failed. */
static bool program_listen_to(struct running *r, FILE *to, const struct program_way *way, struct progress *p)
{
	bool ended = false;
	char buf[8192];

	while (!progress_cancelled(p) && !ferror(to) && (r->until <= 0 || now_seconds() < r->until)) {
		struct pollfd pf[] = {{.fd = r->out, .events = POLLIN}, {.fd = r->said, .events = POLLIN}};
		int ms = r->out < 0 ? 1 : TICK_MS, n = poll(pf, ARRAY_LEN(pf), ended ? 0 : ms);

		if (n > 0 && pf[0].revents)
			fwrite(buf, 1, (size_t)program_take(&r->out, buf, sizeof(buf)), to);
		if (n > 0 && pf[1].revents)
			keep_last(way->said, buf, (size_t)program_take(&r->said, buf, sizeof(buf)),
				  way->most_said);
		if (!n && ended) /* all that it wrote is read */
			return !ferror(to);
		if (!n && has_ended(r->pid)) {
			ended = true;
			kill(-r->pid, SIGKILL); /* what is left of its group may have the ends open */
		}
	}
	return false;
}

/* Ends what is left of its group, and it. Returns its status. */
static int program_end(const struct running *r)
{
	int status = 0;

	assert(r->pid > 0); /* -1 would mean every process */
	kill(-r->pid, SIGKILL);
	if (r->group)
		atomic_store(r->group, 0);
	while (waitpid(r->pid, &status, 0) < 0 && errno == EINTR)
		continue;
	for (int i = 0; i < 2; i++)
		if ((i ? r->out : r->said) >= 0)
			close(i ? r->out : r->said);
	return status;
}

/* A pipe of which the program gets the second end: above the numbers that it will use. */
static int pipe_from(int fd[2])
{
	if (pipe2(fd, O_CLOEXEC))
		return -1;
	if (fd[1] <= STDERR_FILENO) { /* ours are closed */
		int high = fcntl(fd[1], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

		close(fd[1]);
		fd[1] = high;
	}
	return 0;
}

static int run(char *const *argv, const struct program_way *way, FILE *to, struct progress *p, struct err *e)
{
	struct running r = {.pid = -1};
	int out[2], said[2] = {-1, -1}, status, rc;

	assert(argv[0] && (!way->said || way->most_said));
	if (permitted(DEED_RUN, argv[0], e))
		return -1;
	if (pipe_from(out))
		return err_set_kind(e, ERR_IO, "%s: %s", argv[0], strerror(errno));
	if (way->said && pipe_from(said)) {
		rc = errno;
	} else {
		rc = program_start(argv, way->in, out[1], said[1], &r.pid, &r.group);
		if (way->said)
			close(said[1]);
	}
	close(out[1]);
	r.out = out[0];
	r.said = said[0];
	r.until = way->seconds ? now_seconds() + way->seconds : 0;
	if (rc) {
		close(out[0]);
		if (said[0] >= 0)
			close(said[0]);
		return err_set_kind(e, ERR_IO, "%s: %s", argv[0], strerror(rc));
	}
	bool whole = program_listen_to(&r, to, way, p);
	status = program_end(&r);
	if (!whole && progress_cancelled(p))
		return err_set(e, CANCELLED);
	if (!whole && ferror(to))
		return err_set_kind(e, ERR_IO, "%s: what it printed cannot be written", argv[0]);
	if (!whole)
		return err_set_kind(e, ERR_LIMIT, "%s: ended after %u s, the most that it may take", argv[0],
				    way->seconds);
	if (WIFSIGNALED(status))
		return err_set(e, "%s: ended by signal %d (%s)", argv[0], WTERMSIG(status),
			       strsignal(WTERMSIG(status)));
	return WEXITSTATUS(status) ? err_set(e, "%s: ended with status %d", argv[0], WEXITSTATUS(status)) : 0;
}

int program_filter(char *const *argv, int in, FILE *to, struct progress *p, struct err *e)
{
	return run(argv, &(struct program_way){.in = in}, to, p, e);
}

int program_run(char *const *argv, FILE *to, struct progress *p, struct err *e)
{
	return program_filter(argv, -1, to, p, e);
}

/* The output of a program, as a stream.  It fails at the limit or without memory. */
struct sink {
	const char *name;
	unsigned mib;
	char *data;
	size_t n, cap;
	struct err e; /* error of the sink */
	bool failed;
};

static ssize_t program_fill(void *cookie, const char *buf, size_t n)
{
	struct sink *s = cookie;

	if (s->n + n > (size_t)s->mib << 20) {
		s->failed =
			err_set_kind(&s->e, ERR_LIMIT, "%s: found more than %u MiB, the most that is read",
				     s->name, s->mib) != 0;
	} else if (s->n + n > s->cap) {
		size_t more = MAX(s->cap, n);

		s->failed = mem_room(&s->e, more, "reading %s", s->name) != 0;
		if (!s->failed) {
			s->cap += more;
			s->data = mem_resize(s->data, s->cap, 1);
		}
	}
	if (s->failed)
		return 0;
	memcpy(s->data + s->n, buf, n);
	s->n += n;
	return (ssize_t)n;
}

int program_output(char *const *argv, const struct program_way *way, char **data, size_t *size,
		   struct progress *p, struct err *e)
{
	static const cookie_io_functions_t io = {.write = program_fill};
	struct sink s = {.name = way->name, .mib = way->mib};
	FILE *to = fopencookie(&s, "w", io);

	assert(way->mib > 0);
	*data = NULL;
	if (!to)
		return err_system(e, way->name, errno);
	int rc = run(argv, way, to, p, e);
	fclose(to); /* writes the rest of its buffer to the sink */
	if (progress_cancelled(p))
		rc = err_set(e, CANCELLED);
	else if (s.failed)
		rc = err_copy(e, &s.e);
	if (rc)
		free(s.data);
	else
		*data = s.data ? s.data : mem_alloc(1);
	*size = s.n;
	return rc;
}

int program_pipe(int fd[2])
{
	int low[2];

	fd[0] = fd[1] = -1;
	if (pipe2(low, O_CLOEXEC))
		return -1;
	for (int i = 0; i < 2; i++) {
		fd[i] = fcntl(low[i], F_DUPFD_CLOEXEC, 10);
		close(low[i]);
	}
	return fd[0] < 0 || fd[1] < 0 ? -1 : 0;
}

char **program_environment(const char *without, char *more)
{
	size_t n = 0, k = 0;

	while (environ[n])
		n++;
	char **envp = NEW_ARRAY(n + 2, char *);
	for (size_t i = 0; i < n; i++)
		if (!without || strncmp(environ[i], without, strlen(without)))
			envp[k++] = environ[i];
	envp[k] = more;
	return envp;
}
