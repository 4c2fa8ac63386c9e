/*
 * Loaded before the explorer, it makes the machine look quick: whenever the thread of the screen has given work to
 * another thread, it goes on only when all others sleep.  They have ended their work then, or wait for what the test
 * holds, so that no line and no title shows work that ends by itself.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static bool has_given_work; /* only the thread of the screen writes and reads it */

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
		has_given_work = false;
		for (unsigned looks = 0; looks < 4; looks = others_sleep() ? looks + 1 : 0)
			nanosleep(&a_while, NULL);
	}
	return rc;
}
