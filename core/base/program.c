#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "core/base/memory.h"
#include "core/base/program.h"
#include "core/base/text.h"

#define TICK_MS 50 /* how often cancelling is looked at */

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

/* Start it with its output to `out`; an errno, 0 = it runs. */
static int start(char *const *argv, int out, pid_t *pid)
{
	posix_spawn_file_actions_t fa;
	posix_spawnattr_t at;
	int rc;

	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_addopen(&fa, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&fa, out, STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&fa, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addclosefrom_np(&fa, STDERR_FILENO + 1);
	program_attributes(&at, 0);
	rc = posix_spawnp(pid, argv[0], &fa, &at, argv, environ);
	posix_spawn_file_actions_destroy(&fa);
	posix_spawnattr_destroy(&at);
	return rc;
}

/* Until it closes its output; false: cancelled. */
static bool take_output(int from, FILE *to, struct progress *p)
{
	struct pollfd pf = {.fd = from, .events = POLLIN};
	char buf[8192];

	while (!progress_cancelled(p)) {
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

int program_run(char *const *argv, FILE *to, struct progress *p, struct err *e)
{
	int out[2], status = 0, rc;
	pid_t pid;
	bool whole;

	if (pipe2(out, O_CLOEXEC))
		return err_set(e, "%s: %s", argv[0], strerror(errno));
	if (out[1] <= STDERR_FILENO) { /* ours are closed: the numbers are given out anew in the child */
		int high = fcntl(out[1], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

		close(out[1]);
		out[1] = high;
	}
	rc = start(argv, out[1], &pid);
	close(out[1]);
	if (rc) {
		close(out[0]);
		return err_set(e, "%s: %s", argv[0], strerror(rc));
	}
	whole = take_output(out[0], to, p);
	close(out[0]);
	if (!whole)
		kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	if (!whole)
		return err_set(e, CANCELLED);
	if (WIFSIGNALED(status))
		return err_set(e, "%s: ended by signal %d (%s)", argv[0], WTERMSIG(status),
			       strsignal(WTERMSIG(status)));
	return WEXITSTATUS(status) ? err_set(e, "%s: ended with status %d", argv[0], WEXITSTATUS(status)) : 0;
}
