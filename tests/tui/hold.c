/*
 * Loaded before the program: a poll() that begins while the file $HOLD is there removes it, and begins only
 * when the terminal has another size and the signal for that has come: just before the program waits.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int poll(struct pollfd *fds, nfds_t n, int ms)
{
	const struct timespec a_while = {.tv_nsec = 10000000};
	const char *hold = getenv("HOLD");
	struct winsize was, now;
	sigset_t change, usual;
	bool signalled = false;

	/* the signal comes in ppoll() alone: none is missed beside it */
	sigemptyset(&change);
	sigaddset(&change, SIGWINCH);
	pthread_sigmask(SIG_BLOCK, &change, &usual);
	if (hold && !ioctl(0, TIOCGWINSZ, &was) && !unlink(hold))
		do {
			signalled |= ppoll(NULL, 0, &a_while, &usual) < 0 && errno == EINTR;
			ioctl(0, TIOCGWINSZ, &now);
		} while (!signalled || now.ws_col == was.ws_col);
	pthread_sigmask(SIG_SETMASK, &usual, NULL);
	return (int)syscall(SYS_poll, fds, n, ms);
}
