/* Errors as values. */
#ifndef IBSCOPE_ERR_H
#define IBSCOPE_ERR_H

#include "core/base/defs.h"

/*
 * Why something failed, in words on which a person can act: file and line, what was found, what was expected.
 * Functions that take one return 0 or -1, and set it when they return -1.
 */
struct err {
	char msg[512];
	unsigned kind; /* 0, or what the function that sets it means by it */
};

/* Set *e; NULL is fine. */
void err_format(struct err *e, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Why a system call failed on NAME, into *e: "NAME: No such file or directory".  ENOMEM: memory is out. */
void err_format_system(struct err *e, const char *name, int error);

/*
 * Was there too little memory? Then the exit status in batch is 3, and no other way is tried.  The message
 * itself tells, so the answer is the same when other text stands before it.
 */
#define OUT_OF_MEMORY "out of memory: "
bool err_is_memory(const struct err *e);

static inline int err_failed(void)
{
	return -1;
}

/* Set *e; the value is -1, so `return err_set(e, ...)` reads well.  A macro, so that analysers see the -1. */
#define err_set(...) (err_format(__VA_ARGS__), err_failed())
/* The same with a kind. */
#define err_set_kind(e, number, ...) (err_format(e, __VA_ARGS__), (e)->kind = (number), err_failed())
#define err_system(...) (err_format_system(__VA_ARGS__), err_failed())

#endif
