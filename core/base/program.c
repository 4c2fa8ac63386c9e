#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "core/base/memory.h"
#include "core/base/program.h"
#include "core/base/text.h"

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

bool program_exists(const char *name)
{
	const char *path = getenv("PATH");
	bool found = false;

	for (const char *s = path ? path : ""; *s && !found;) {
		size_t n = strcspn(s, ":");
		char *file = str_printf("%.*s/%s", (int)n, s, name);

		found = n && !access(file, X_OK);
		free(file);
		s += n + (s[n] == ':');
	}
	return found;
}

/*
 * Runs in the new process, with calls only that are safe after fork() in a program with threads. The process
 * leads a group, so that its children can be ended with it. It never outlives this program.
 */
static void become(char *const *argv, int from, int out, int failed, pid_t parent)
{
	static const int undo[] = {SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGPIPE, SIGCHLD, SIGALRM};
	int in = open("/dev/null", O_RDWR), error;
	sigset_t none;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (size_t i = 0; i < ARRAY_LEN(undo); i++)
		signal(undo[i], SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	failed = fcntl(failed, F_DUPFD_CLOEXEC, LOWEST);
	out = fcntl(out, F_DUPFD, LOWEST);
	in = fcntl(in, F_DUPFD, LOWEST);
	from = from < 0 ? in : fcntl(from, F_DUPFD, LOWEST);
	if (getppid() == parent && dup2(from, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 &&
	    dup2(in, STDERR_FILENO) >= 0 && dup2(failed, STDERR_FILENO + 1) >= 0) {
		fcntl(STDERR_FILENO + 1, F_SETFD, FD_CLOEXEC);
		close_range(STDERR_FILENO + 2, ~0U, 0);
		failed = STDERR_FILENO + 1;
		execvp(argv[0], argv);
	}
	error = errno;
	(void)!write(failed, &error, sizeof(error));
	_exit(127);
}

/* Start a program with input from `in` (-1: empty) and output to `out`. Returns an errno, 0 = it runs. */
static int start(char *const *argv, int in, int out, pid_t *pid)
{
	pid_t parent = getpid();
	int failed[2], error = 0;
	ssize_t n;

	if (pipe2(failed, O_CLOEXEC))
		return errno;
	*pid = fork();
	if (!*pid)
		become(argv, in, out, failed[1], parent);
	error = *pid < 0 ? errno : 0;
	close(failed[1]);
	if (*pid > 0) {
		do
			n = read(failed[0], &error, sizeof(error));
		while (n < 0 && errno == EINTR);
		if (n > 0)
			waitpid(*pid, NULL, 0);
	}
	close(failed[0]);
	return error;
}

/* Read until the program closes its output. False: cancelled, or `to` failed. */
static bool take_output(int from, FILE *to, struct progress *p)
{
	struct pollfd pf = {.fd = from, .events = POLLIN};
	char buf[8192];

	while (!progress_cancelled(p) && !ferror(to)) {
		ssize_t n;

		if (poll(&pf, 1, TICK_MS) <= 0)
			continue;
		n = read(from, buf, sizeof(buf));
		if (n > 0)
			fwrite(buf, 1, (size_t)n, to);
		else if (!n || errno != EINTR)
			return true;
	}
	return false;
}

/* After the output's end, wait for the program's end. False: cancelled. */
static bool has_ended(pid_t pid, int *status, struct progress *p)
{
	pid_t done;

	while (!(done = waitpid(pid, status, WNOHANG)) || (done < 0 && errno == EINTR)) {
		if (progress_cancelled(p))
			return false;
		poll(NULL, 0, 5);
	}
	return true;
}

int program_filter(char *const *argv, int in, FILE *to, struct progress *p, struct err *e)
{
	int out[2], status = 0, rc;
	pid_t pid = -1;
	bool whole;

	if (pipe2(out, O_CLOEXEC))
		return err_set(e, "%s: %s", argv[0], strerror(errno));
	if (out[1] <= STDERR_FILENO) { /* ours are closed: the child would use these numbers */
		int high = fcntl(out[1], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

		close(out[1]);
		out[1] = high;
	}
	rc = start(argv, in, out[1], &pid);
	close(out[1]);
	if (rc) {
		close(out[0]);
		return err_set(e, "%s: %s", argv[0], strerror(rc));
	}
	whole = take_output(out[0], to, p) && has_ended(pid, &status, p);
	close(out[0]);
	if (!whole) {
		kill(-pid, SIGKILL);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			continue;
		return progress_cancelled(p) ? err_set(e, CANCELLED)
					     : err_set(e, "%s: what it printed cannot be written", argv[0]);
	}
	if (WIFSIGNALED(status))
		return err_set(e, "%s: ended by signal %d (%s)", argv[0], WTERMSIG(status),
			       strsignal(WTERMSIG(status)));
	return WEXITSTATUS(status) ? err_set(e, "%s: ended with status %d", argv[0], WEXITSTATUS(status)) : 0;
}

int program_run(char *const *argv, FILE *to, struct progress *p, struct err *e)
{
	return program_filter(argv, -1, to, p, e);
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
	char **envp;

	while (environ[n])
		n++;
	envp = NEW_ARRAY(n + 2, char *);
	for (size_t i = 0; i < n; i++)
		if (!without || strncmp(environ[i], without, strlen(without)))
			envp[k++] = environ[i];
	envp[k] = more;
	return envp;
}
