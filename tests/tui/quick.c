/*
 * Loaded before the explorer, it makes the machine look quick: whenever the thread of the screen has given
 * work to another thread, it goes on only when all others sleep.  They have ended their work then, or wait
 * for what the test holds, so that no line and no title shows work that ends by itself.  The clock runs only
 * while the thread of the screen waits for a key: work takes no time.  What has taken PATIENCE of the
 * processor is seen on any machine.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE 10.0 /* seconds */

static bool has_given_work;    /* only the thread of the screen writes and reads it */
static _Atomic int64_t waited; /* nanoseconds that the thread of the screen has waited */

static bool is_screen_thread(void)
{
	return gettid() == getpid();
}

static bool thread_sleeps(const char *tid)
{
	char path[64], stat[512], *end;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%.20s/stat", tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return true; /* it has ended */
	n = read(fd, stat, sizeof(stat) - 1);
	close(fd);
	if (n <= 0)
		return true;
	stat[n] = '\0';
	end = strrchr(stat, ')');
	return !end || end[2] != 'R';
}

static bool others_sleep(void)
{
	DIR *threads = opendir("/proc/self/task");
	bool sleep = true;
	struct dirent *d;

	while (threads && sleep && (d = readdir(threads)))
		sleep = d->d_name[0] == '.' || atoi(d->d_name) == getpid() || thread_sleeps(d->d_name);
	if (threads)
		closedir(threads);
	return sleep;
}

/* As syscall() of the C library, which is ours now. */
static long real_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	static long (*real)(long, ...);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "syscall");
	return real(number, a, b, c, d, e, f);
}

static int64_t real_clock(clockid_t id)
{
	struct timespec t;

	real_syscall(SYS_clock_gettime, id, (long)&t, 0, 0, 0, 0);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* Of the arguments only as many are used as the call has. */
long syscall(long number, ...)
{
	long arg[6];
	va_list ap;

	va_start(ap, number);
	for (unsigned i = 0; i < 6; i++)
		arg[i] = va_arg(ap, long);
	va_end(ap);
	if (number == SYS_clock_gettime && arg[0] == CLOCK_MONOTONIC) {
		struct timespec *t = (struct timespec *)arg[1]; /* NOLINT(performance-no-int-to-ptr) */

		t->tv_sec = 1000 + waited / INT64_C(1000000000);
		t->tv_nsec = waited % INT64_C(1000000000);
		return 0;
	}
	return real_syscall(number, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
}

int poll(struct pollfd *fds, nfds_t n, int ms)
{
	int64_t since = real_clock(CLOCK_MONOTONIC);
	int ready = (int)real_syscall(SYS_poll, (long)fds, (long)n, ms, 0, 0, 0);

	if (is_screen_thread())
		waited += real_clock(CLOCK_MONOTONIC) - since;
	return ready;
}

int pthread_cond_signal(pthread_cond_t *c)
{
	int (*real)(pthread_cond_t *);

	*(void **)&real = dlsym(RTLD_NEXT, "pthread_cond_signal");
	has_given_work |= is_screen_thread();
	return real(c);
}

int pthread_cond_broadcast(pthread_cond_t *c)
{
	int (*real)(pthread_cond_t *);

	*(void **)&real = dlsym(RTLD_NEXT, "pthread_cond_broadcast");
	has_given_work |= is_screen_thread();
	return real(c);
}

int pthread_mutex_unlock(pthread_mutex_t *m)
{
	const struct timespec a_while = {.tv_nsec = 300000};
	static int (*real)(pthread_mutex_t *);
	int rc;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "pthread_mutex_unlock");
	rc = real(m);
	if (is_screen_thread() && has_given_work) {
		int64_t end = real_clock(CLOCK_PROCESS_CPUTIME_ID) + (int64_t)(PATIENCE * 1e9);
		unsigned looks = 0;

		has_given_work = false;
		while (looks < 4 && real_clock(CLOCK_PROCESS_CPUTIME_ID) < end) {
			nanosleep(&a_while, NULL);
			looks = others_sleep() ? looks + 1 : 0;
		}
	}
	return rc;
}
