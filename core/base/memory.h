/*
 * Allocation and growing arrays.
 */
#ifndef IBSCOPE_MEMORY_H
#define IBSCOPE_MEMORY_H

#include "core/base/defs.h"

/* Allocation; memory exhaustion aborts (nothing sensible can be done on Linux). */
#define NEVER_NULL __attribute__((returns_nonnull))
NEVER_NULL void *mem_alloc(size_t size);	   /* zeroed */
NEVER_NULL void *mem_array(size_t n, size_t size); /* zeroed, checked for overflow */
NEVER_NULL void *mem_resize(void *p, size_t n, size_t size);
NEVER_NULL void *mem_dup(const void *p, size_t size);
NEVER_NULL char *str_dup(const char *s);

#define NEW(type) ((type *)mem_alloc(sizeof(type)))
#define NEW_ARRAY(n, type) ((type *)mem_array((n), sizeof(type)))

/* Make room for one more element in array `a` of `n` used and `cap` allocated elements. */
#define GROW(a, n, cap)                                             \
	do {                                                        \
		if ((n) >= (cap)) {                                 \
			(cap) = (cap) ? (cap)*2 : 16;               \
			(a) = mem_resize((a), (cap), sizeof(*(a))); \
		}                                                   \
	} while (0)

#endif
