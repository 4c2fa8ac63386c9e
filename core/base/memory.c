#include "core/base/memory.h"
#include "core/base/outfile.h"
#include "core/base/program.h"
#include "core/base/release.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void (*_Atomic before_end)(void);

void mem_before_end(void (*fn)(void))
{
	atomic_store(&before_end, fn);
}

void mem_exhausted(size_t size)
{
	void (*fn)(void) = atomic_load(&before_end);
	char size_text[32], said[96];
	int n = snprintf(said, sizeof(said), "ibscope: " OUT_OF_MEMORY "%s needed for\n",
			 mem_text(size, size_text, sizeof(size_text)));

	outfile_remove_unfinished();
	programs_kill();
	if (fn)
		fn();
	(void)!write(STDERR_FILENO, said, (size_t)n);
	_exit(EXIT_MEMORY);
}

void *mem_alloc(size_t size)
{
	return mem_array(1, size);
}

/* n * size bytes, or SIZE_MAX if that overflows. */
static size_t total(size_t n, size_t size)
{
	size_t bytes;

	return __builtin_mul_overflow(n, size, &bytes) ? SIZE_MAX : bytes;
}

void *mem_array(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size ? size : 1);

	if (!p)
		mem_exhausted(total(n, size));
	return p;
}

void *mem_resize(void *p, size_t n, size_t size)
{
	void *q = reallocarray(p, n ? n : 1, size ? size : 1);

	if (!q)
		mem_exhausted(total(n, size));
	return q;
}

void *mem_dup(const void *p, size_t size)
{
	void *q = mem_alloc(size);

	if (size)
		memcpy(q, p, size);
	return q;
}

void free_each(void *const *p, size_t n)
{
	while (n--)
		free(*p++);
}

char *str_dup(const char *s)
{
	return mem_dup(s, strlen(s) + 1);
}
