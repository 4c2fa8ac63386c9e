#include "core/base/filter.h"
#include "core/base/memory.h"
#include "core/base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define WAIT_MS 50 /* how often cancelling is looked at */
#define NOT_RUN 127

char *filter_find(const char *program)
{
	const char *at = getenv("PATH");

	for (at = at ? at : "/usr/local/bin:/usr/bin:/bin"; *at; at += *at == ':') {
		size_t n = strcspn(at, ":");
		char *path = str_printf("%.*s/%s", n ? (int)n : 1, n ? at : ".", program);

		if (!access(path, X_OK))
			return path;
		free(path);
		at += n;
	}
	return NULL;
}

/* In the new process: only calls that are safe behind fork() in a program with threads. */
static void become(const char *path, char *const *argv, int in, int out, pid_t parent)
{
	int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	sigset_t none;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGPIPE, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (getppid() == parent && nowhere >= 0 && dup2(in, STDIN_FILENO) >= 0 &&
	    dup2(out, STDOUT_FILENO) >= 0 && dup2(nowhere, STDERR_FILENO) >= 0)
		execv(path, argv);
	_exit(NOT_RUN);
}

/* Copy what comes; false: it is to be ended. */
static bool copy(int from, FILE *to, struct progress *p)
{
	unsigned kib = 0;
	char buf[16384];

	while (progress_step(p, kib) && !ferror(to)) {
		struct pollfd f = {.fd = from, .events = POLLIN};
		ssize_t n;

		if (poll(&f, 1, WAIT_MS) <= 0)
			continue;
		n = read(from, buf, sizeof(buf));
		if (n == 0)
			return true;
		if (n > 0)
			fwrite(buf, 1, (size_t)n, to);
		kib += n > 0 ? (unsigned)((n + 1023) / 1024) : 0;
	}
	return false;
}

/* It printed all it had: wait for its end; -1: it does not end before it is cancelled. */
static int collect(pid_t pid, struct progress *p)
{
	int status = 0;
	pid_t done;

	while (!(done = waitpid(pid, &status, WNOHANG)) && !progress_cancelled(p))
		poll(NULL, 0, 5);
	return done ? status : -1;
}

int filter_run(const char *path, char *const *argv, int in, FILE *to, struct progress *p, struct err *e)
{
	pid_t parent = getpid(), pid;
	int out[2], status = -1;

	if (pipe2(out, O_CLOEXEC))
		return err_set(e, "%s: %s", path, strerror(errno));
	pid = fork();
	if (!pid)
		become(path, argv, in, out[1], parent);
	close(out[1]);
	if (pid < 0) {
		close(out[0]);
		return err_set(e, "%s: %s", path, strerror(errno));
	}
	setpgid(pid, pid); /* whoever comes first: it may be killed right now */
	if (copy(out[0], to, p))
		status = collect(pid, p);
	close(out[0]);
	if (status == -1) {
		kill(-pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	if (progress_cancelled(p))
		return err_set(e, CANCELLED);
	if (ferror(to))
		return err_set(e, "what %s printed cannot be written: %s", path, strerror(errno));
	return status ? err_set(e, "%s failed", path) : 0;
}
