/* Other programs, run without a shell. */
#ifndef IBSCOPE_PROGRAM_H
#define IBSCOPE_PROGRAM_H

#include <spawn.h>
#include <stddef.h>
#include <stdio.h>

#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/base/text.h"

/* Content that is no text, or text that is not read here: packed files, archives, text of other systems. */

struct err;

/* Bytes before the text that some editors of other systems write (UTF-8 byte order mark), 0 or 3. */
size_t text_mark(const char *data, size_t size);

/*
 * What a whole content is, and how to get text out of it: "data compressed by xz (unpack it first: xz -d)".
 * NULL: it is none of the known kinds; it may still be no text.
 */
const char *foreign_content(const char *data, size_t size);
/* The program that unpacks such data with -dc ("xz").  NULL: it is not compressed, or no program is known. */
const char *foreign_unpacker(const char *data, size_t size);

/*
 * Is this the beginning of text? data may be all of it or its first line.  -1 and *e ("found ..., expected
 * ...", without file and line): it is foreign_content(), or begins with text_mark().
 */
int text_head_check(const char *data, size_t size, struct err *e);
/* May a text hold this line of len bytes?  NUL bytes are refused, with -1 and *e. */
int text_line_check(const char *line, size_t len, struct err *e);

/*
 * Run the program argv[0], looked for in PATH, with the words argv (ended by NULL), and add its output to
 * `to`.  Its standard input is empty, and its standard error is dropped.  It gets no other file of this
 * program, and signals are as at a program's start.  -1 and *e ("NAME: ..."): there is no such program, it
 * ended with another status than 0, or p (may be NULL) was cancelled, which ends it and its children.  It
 * never outlives this program, however that ends.
 */
int program_run(char *const *argv, FILE *to, struct progress *p, struct err *e);
/* The same, with the file `in` (from its present place) as standard input. */
int program_filter(char *const *argv, int in, FILE *to, struct progress *p, struct err *e);

/* How else it runs. */
struct program_way {
	int in;		   /* file as its standard input, from its present place; -1: empty */
	unsigned seconds;  /* it is ended after so many; 0: never */
	struct text *said; /* the last of its standard error, `most_said` bytes; NULL: dropped */
	size_t most_said;
	const char *name; /* of its output, for messages */
	unsigned mib;	  /* of its output, at most */
};
/*
 * The same, with its output in memory, *data, to be freed, *size bytes.
 * When it has ended, or is ended, all processes of its group are.
 */
int program_output(char *const *argv, const struct program_way *way, char **data, size_t *size,
		   struct progress *p, struct err *e);

/* Kill the programs that run now, with their groups: for signal handlers, before this program ends. */
void programs_kill(void);

/* The path of the program of this name in PATH, to be freed; NULL: there is none. */
char *program_path(const char *name);
bool program_exists(const char *name);

/*
 * A pipe whose ends are closed by exec() and lie above the numbers that a child will use.  -1 and errno, and
 * ends of -1 where there is none: close those that are there.
 */
int program_pipe(int fd[2]);
/* This program's environment without one variable ("NAME=") and with another ("NAME=1"); free the array. */
char **program_environment(const char *without, char *more);

/* Attributes of a new process: all signals at their default, none blocked, plus flags; to be destroyed. */
void program_attributes(posix_spawnattr_t *at, short flags);

#endif
