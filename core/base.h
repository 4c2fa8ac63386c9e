/*
 * Small things that every module needs: ids, errors, allocation, growing
 * arrays, text buffers, progress.
 */
#ifndef IBSCOPE_BASE_H
#define IBSCOPE_BASE_H

#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "None" for every dense id (node, port, switch, endport, link). */
#define NO_ID UINT32_MAX
/* Entry of a forwarding table without a route, and "no path" in hop tables. */
#define NO_PATH 255
/* Unicast LIDs are 1 .. MAX_LID. */
#define MAX_LID 0xBFFF

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define PRINTF_LIKE(f, a) __attribute__((format(printf, f, a)))

/*
 * Why something failed, in words a person can act on: file and line, what was
 * found, what was expected.  Functions that take one return 0 or -1 and set it
 * when they return -1.
 */
struct err {
	char msg[512];
};

/* Set *e; NULL is fine. */
void err_format(struct err *e, const char *fmt, ...) PRINTF_LIKE(2, 3);

static inline int err_failed(void)
{
	return -1;
}

/* Set *e and be -1, so that `return err_set(e, ...)` reads well; a macro so that analysers see the -1. */
#define err_set(...) (err_format(__VA_ARGS__), err_failed())

/* Allocation; memory exhaustion aborts (nothing sensible can be done on Linux). */
#define NEVER_NULL __attribute__((returns_nonnull))
NEVER_NULL void *mem_alloc(size_t size);	   /* zeroed */
NEVER_NULL void *mem_array(size_t n, size_t size); /* zeroed, checked for overflow */
NEVER_NULL void *mem_resize(void *p, size_t n, size_t size);
NEVER_NULL void *mem_dup(const void *p, size_t size);
NEVER_NULL char *str_dup(const char *s);
char *str_printf(const char *fmt, ...) PRINTF_LIKE(1, 2);

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

/* A growing piece of text; always NUL-terminated once something was added. */
struct text {
	char *s;
	size_t len, cap;
};

void text_add(struct text *t, const char *fmt, ...) PRINTF_LIKE(2, 3);
void text_addv(struct text *t, const char *fmt, va_list ap);
void text_putc(struct text *t, char c);
const char *text_str(const struct text *t); /* "" when empty */
void text_free(struct text *t);

/*
 * Sort key of OpenSM's tables: the GUID with its eight bytes reversed (OpenSM
 * keeps GUIDs in network byte order and compares them as native integers).
 */
static inline uint64_t guid_key(uint64_t guid)
{
	return __builtin_bswap64(guid);
}

/*
 * Progress of long work, shared between the thread that works and the one that
 * shows it.  Workers call progress_step() now and then (NULL is allowed) and
 * give up when it returns false: the work was cancelled.
 */
struct progress {
	atomic_bool cancel;
	atomic_uint done, total;
	_Atomic(const char *) what; /* static string: what is being done */
};

void progress_start(struct progress *p, const char *what, unsigned total);
bool progress_step(struct progress *p, unsigned done);
static inline bool progress_cancelled(const struct progress *p)
{
	return p && atomic_load(&p->cancel);
}

/* Message of an operation that was given up because of progress.cancel. */
#define CANCELLED "cancelled"

/* Seconds on the monotonic clock. */
double now_seconds(void);

/* A small deterministic generator (splitmix64) for seeds given by users and tests. */
uint64_t rng_next(uint64_t *state);
uint32_t rng_below(uint64_t *state, uint32_t n); /* uniform in 0 .. n-1; n > 0 */

/* Glob match (`*`, `?`, `[...]`) without regard to letter case. */
bool glob_match(const char *pattern, const char *s);

#endif
