/*
 * To be preloaded: clocks that are set back and forth, by up to a day each time they are asked.
 *
 *	CLOCK_JUMPS=real	the time of day, as who sets it does
 *	CLOCK_JUMPS=all		those that never go back as well, as libfaketime does
 *	CLOCK_TOLD=FILE		a line is appended there when the program ends: how often they were asked
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

static unsigned long asked;
static _Thread_local uint64_t next = 88172645463325252u;

static long jump(void)
{
	next ^= next << 13;
	next ^= next >> 7;
	next ^= next << 17;
	__atomic_fetch_add(&asked, 1, __ATOMIC_RELAXED);
	return (long)(next % 172800) - 86400;
}

int clock_gettime(clockid_t id, struct timespec *t)
{
	int (*real)(clockid_t, struct timespec *);
	const char *what = getenv("CLOCK_JUMPS");
	int rc;

	*(void **)&real = dlsym(RTLD_NEXT, "clock_gettime");
	rc = real(id, t);
	if (what && (id == CLOCK_REALTIME || !strcmp(what, "all")))
		t->tv_sec += 100000 + jump();
	return rc;
}

int gettimeofday(struct timeval *restrict t, void *restrict zone)
{
	struct timespec now;

	(void)zone;
	clock_gettime(CLOCK_REALTIME, &now);
	t->tv_sec = now.tv_sec;
	t->tv_usec = now.tv_nsec / 1000;
	return 0;
}

time_t time(time_t *t)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (t)
		*t = now.tv_sec;
	return now.tv_sec;
}

__attribute__((destructor)) static void tell(void)
{
	const char *name = getenv("CLOCK_TOLD");
	FILE *f = name ? fopen(name, "a") : NULL;

	if (f) {
		fprintf(f, "%lu\n", asked);
		fclose(f);
	}
}
