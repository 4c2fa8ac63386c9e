/*
 * Errors as values.
 */
#ifndef IBSCOPE_ERR_H
#define IBSCOPE_ERR_H

#include "core/base/defs.h"

/*
 * Why something failed, in words a person can act on: file and line, what was
 * found, what was expected.  Functions that take one return 0 or -1 and set it
 * when they return -1.
 */
struct err {
	char msg[512];
	unsigned kind; /* 0, or what the function that sets it means by it */
};

/* Set *e; NULL is fine. */
void err_format(struct err *e, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* *e says why a call to the system failed on NAME: "NAME: No such file or directory"; ENOMEM: memory is out.
 */
void err_format_system(struct err *e, const char *name, int error);

/*
 * Was there not enough memory?  The exit status in batch is 3 then, and no other way is tried.  The message
 * tells, so that it is known also where something was told before it.
 */
#define OUT_OF_MEMORY "out of memory: "
bool err_is_memory(const struct err *e);

static inline int err_failed(void)
{
	return -1;
}

/* Set *e and be -1, so that `return err_set(e, ...)` reads well; a macro so that analysers see the -1. */
#define err_set(...) (err_format(__VA_ARGS__), err_failed())
/* The same with a kind. */
#define err_set_kind(e, number, ...) (err_format(e, __VA_ARGS__), (e)->kind = (number), err_failed())
#define err_system(...) (err_format_system(__VA_ARGS__), err_failed())

#endif
