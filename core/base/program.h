/* Other programs, run without a shell. */
#ifndef IBSCOPE_PROGRAM_H
#define IBSCOPE_PROGRAM_H

#include <spawn.h>
#include <stdio.h>
#include "core/base/err.h"
#include "core/base/progress.h"

/*
 * Run the program argv[0], looked for in PATH, with the words argv (ended by NULL) and add to `to` what it
 * prints. Its standard input is empty, what it says on standard error is dropped, of our files it gets none,
 * and signals are as at a program's start.  -1 and *e ("NAME: ...") when there is no such program, when it
 * ended with another status than 0, and when p (may be NULL) was cancelled, which ends it and what it
 * started.  It never outlives this program, whatever ends that.
 */
int program_run(char *const *argv, FILE *to, struct progress *p, struct err *e);
/* The same with the file `in`, from where it stands, as its standard input. */
int program_filter(char *const *argv, int in, FILE *to, struct progress *p, struct err *e);

/* Is a program of this name in PATH? */
bool program_exists(const char *name);

/* Attributes with which a process starts with all signals as usual and none blocked, plus flags; to be
 * destroyed. */
void program_attributes(posix_spawnattr_t *at, short flags);

#endif
