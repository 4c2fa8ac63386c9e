/*
 * Put before a program by LD_PRELOAD: one of its allocations fails, or all from one on.
 * FAIL_AT=N: the N-th, from 1; FAIL_ON=1: and all behind it.  FAIL_COUNT=FILE: how many there were,
 * written when the program ends.  Programs that it starts are let be.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static atomic_ulong count;
static unsigned long at;
static int on;
static const char *count_path;

__attribute__((constructor)) static void start(void)
{
	const char *n = getenv("FAIL_AT");

	at = n ? strtoul(n, NULL, 10) : 0;
	on = getenv("FAIL_ON") != NULL;
	count_path = getenv("FAIL_COUNT");
	unsetenv("LD_PRELOAD");
	atomic_store(&count, 0);
}

__attribute__((destructor)) static void end(void)
{
	char text[32];
	int fd = count_path ? open(count_path, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;

	if (fd < 0)
		return;
	(void)!write(fd, text, (size_t)snprintf(text, sizeof(text), "%lu\n", atomic_load(&count)));
	close(fd);
}

static int fails(void)
{
	unsigned long n = atomic_fetch_add(&count, 1) + 1;

	if (!at || n < at || (n > at && !on))
		return 0;
	errno = ENOMEM;
	return 1;
}

void *malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	return fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
	return fails() ? NULL : __libc_realloc(p, size);
}

void *reallocarray(void *p, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(p, bytes);
}

int posix_memalign(void **p, size_t alignment, size_t size)
{
	if (fails())
		return ENOMEM;
	*p = __libc_memalign(alignment, size);
	return *p ? 0 : ENOMEM;
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return fails() ? NULL : __libc_memalign(alignment, size);
}
