#include "core/base/memory.h"

#include <stdlib.h>
#include <string.h>

void *mem_alloc(size_t size)
{
	return mem_array(1, size);
}

void *mem_array(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size ? size : 1);

	if (!p)
		abort();
	return p;
}

void *mem_resize(void *p, size_t n, size_t size)
{
	void *q = reallocarray(p, n ? n : 1, size ? size : 1);

	if (!q)
		abort();
	return q;
}

void *mem_dup(const void *p, size_t size)
{
	void *q = mem_alloc(size);

	if (size)
		memcpy(q, p, size);
	return q;
}

char *str_dup(const char *s)
{
	return mem_dup(s, strlen(s) + 1);
}
