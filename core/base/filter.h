/*
 * Other programs that turn one text into another.
 */
#ifndef IBSCOPE_FILTER_H
#define IBSCOPE_FILTER_H

#include <stdio.h>
#include "core/base/err.h"
#include "core/base/progress.h"

/* Where a program lies along $PATH, to be freed; NULL: nowhere. */
char *filter_find(const char *program);

/*
 * Run a program (argv ends with NULL; path as filter_find() tells it) on what the file `in` holds, and
 * write what it prints to `to`; what it says on stderr is dropped.  Waits until it has ended.  0, or -1
 * and *e: it cannot be started or fails, `to` fails, or p (may be NULL) is cancelled: then it and what
 * it started are killed, within a tenth of a second.  It never outlives this program, whatever ends it.
 */
int filter_run(const char *path, char *const *argv, int in, FILE *to, struct progress *p, struct err *e);

#endif
