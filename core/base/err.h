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
};

/* Set *e; NULL is fine. */
void err_format(struct err *e, const char *fmt, ...) PRINTF_LIKE(2, 3);

static inline int err_failed(void)
{
	return -1;
}

/* Set *e and be -1, so that `return err_set(e, ...)` reads well; a macro so that analysers see the -1. */
#define err_set(...) (err_format(__VA_ARGS__), err_failed())

#endif
