/* Allocation, growing arrays, and how much memory the machine has left. */
#ifndef IBSCOPE_MEMORY_H
#define IBSCOPE_MEMORY_H

#include <assert.h>
#include <pthread.h>
#include <string.h>

#include "core/base/defs.h"
#include "core/base/err.h"

/*
 * Allocation never fails: without memory, mem_exhausted() ends the program.  Before something large is
 * allocated, mem_room() checks that there is room, so that only the command fails and the session goes on.
 */
#define NEVER_NULL __attribute__((returns_nonnull))
NEVER_NULL void *mem_alloc(size_t size);	   /* zeroed */
NEVER_NULL void *mem_array(size_t n, size_t size); /* zeroed, checked for overflow */
NEVER_NULL void *mem_resize(void *p, size_t n, size_t size);
/* Asks for large pages, where the kernel has them, for memory that will be filled: fewer faults. */
void mem_in_large_pages(void *p, size_t size);
NEVER_NULL void *mem_dup(const void *p, size_t size);
NEVER_NULL char *str_dup(const char *s);

/* Are both texts equal, or both NULL? */
static inline bool str_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

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

/*
 * An arena is a block of memory that owns other blocks. What a result holds is allocated in the result's own
 * block, and arena_free() frees all of it at once. Every block of an arena is itself an arena, and
 * arena_free() may free it before the rest.  With `arena` NULL nothing owns the new block.  Blocks are
 * zeroed, and a failed allocation ends the program as above.  Each block is one malloc(), so the sanitizers
 * see where it ends.  An arena belongs to one thread at a time.
 */
#define ARENA_NEW(arena, type) ((type *)arena_array((arena), 1, sizeof(type)))
#define ARENA_EMPTY arena_array(NULL, 0, 0)
#define ARENA_ARRAY(arena, n, type) ((type *)arena_array((arena), (n), sizeof(type)))
NEVER_NULL void *arena_array(void *arena, size_t n, size_t size);
/* p is NULL or a block of this arena; the new part is not zeroed. */
NEVER_NULL void *arena_resize(void *arena, void *p, size_t n, size_t size);
NEVER_NULL void *arena_dup(void *arena, const void *p, size_t size);
NEVER_NULL char *arena_str(void *arena, const char *s);
void arena_free(const void *p); /* NULL is fine */
/* Calls end(p) when the arena is freed. */
void arena_end(void *arena, void (*end)(void *p), const void *p);
/* Makes a lock that ends with the arena. */
void arena_mutex(void *arena, pthread_mutex_t *lock);

/* GROW() for an array in an arena. */
#define ARENA_GROW(arena, a, n, cap)                                           \
	do {                                                                   \
		if ((n) >= (cap)) {                                            \
			(cap) = (cap) ? (cap)*2 : 16;                          \
			(a) = arena_resize((arena), (a), (cap), sizeof(*(a))); \
		}                                                              \
	} while (0)

/*
 * Is there memory for `size` bytes? The other arguments name what needs them ("the hop matrix of 300
 * switches").  Returns 0, or -1 and *e: "out of memory: 1.2 GB needed for the hop matrix of 30000 switches,
 * 0.8 GB available".  Sizes below MEM_LARGE are not checked.
 */
int mem_room(struct err *e, size_t size, const char *what, ...) PRINTF_LIKE(3, 4);
#define MEM_LARGE ((size_t)4 << 20)

/*
 * Returns the bytes that this process may still get: what the machine has free or can free.  Limits of the
 * process (address space, data) or of its control groups (version 1 and 2) apply when they are lower.  `root`
 * is put before /proc and /sys in paths; it is "" except in tests.  Nothing is allocated.
 */
size_t mem_available(const char *root);

/* "512 bytes", "1.2 GB" (powers of 1000) in buf. */
const char *mem_text(size_t size, char *buf, size_t room);

/*
 * Ends the program because there is no memory: removes unfinished files, writes the message to standard
 * error, and exits with status 3. fn (may be NULL) runs first to restore the terminal; it may not allocate.
 */
#define EXIT_MEMORY 3
void mem_exhausted(size_t size) __attribute__((noreturn));
void mem_before_end(void (*fn)(void));

/* Freeing what a function owns. */

/*
 * Put before the type of local pointers: what they point to is freed when their block is left, in whatever
 * way.  They must be initialised where they are declared.
 */
#define AUTO_FREE __attribute__((cleanup(auto_free)))
#define AUTO_ARENA __attribute__((cleanup(auto_arena)))
void auto_free(void *variable);
void auto_arena(void *variable);

/* Calls free() on each of the pointers; NULL is fine. */
#define FREE_EACH(...) free_each((void *[]){__VA_ARGS__}, ARRAY_LEN(((void *[]){__VA_ARGS__})))
void free_each(void *const *p, size_t n);

#endif
