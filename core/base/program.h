/* Other programs, run without a shell. */
#ifndef IBSCOPE_PROGRAM_H
#define IBSCOPE_PROGRAM_H

#include <spawn.h>
#include <stddef.h>
#include <stdio.h>

#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/base/text.h"

/* Content that is not text, or text that is not read here: packed files, archives, text of other systems. */

struct err;

/* The number of bytes, 0 or 3, of the UTF-8 byte order mark that some editors of other systems write before
 * the text. */
size_t text_mark(const char *data, size_t size);

/*
 * Says what a whole content is, and how to get text out of it: "data compressed by xz (unpack it first: xz
 * -d)". NULL when it is not one of the known kinds; it may still not be text.
 */
const char *foreign_content(const char *data, size_t size);
/* The program that unpacks such data with -dc ("xz").  NULL when it is not compressed or no program is
 * known. */
const char *foreign_unpacker(const char *data, size_t size);

/*
 * Is this the beginning of text? data may be all of it or its first line.  Returns -1 and *e ("found ...,
 * expected ...", without file and line) when foreign_content() knows it, or when it begins with a
 * text_mark().
 */
int text_head_check(const char *data, size_t size, struct err *e);
/* Checks that a line of len bytes may be text.  Returns -1 and *e when it contains NUL bytes. */
int text_line_check(const char *line, size_t len, struct err *e);

/*
 * Runs the program argv[0], looked for in PATH, with the arguments argv (NULL at the end), and adds its
 * output to `to`.  Its standard input is empty, and its standard error is dropped.  It inherits no other open
 * file, and its signals are as at a program's start.  Returns -1 and *e ("NAME: ...") when there is no such
 * program, when its exit status is not 0, or when p (may be NULL) was cancelled, which ends it and its
 * children.  It never outlives this program, however that ends.
 */
int program_run(char *const *argv, FILE *to, struct progress *p, struct err *e);
/* The same, with the file `in` (from its present position) as standard input. */
int program_filter(char *const *argv, int in, FILE *to, struct progress *p, struct err *e);

/* Other settings for running a program. */
struct program_way {
	int in;		   /* file used as its standard input, from its present position; -1: empty input */
	unsigned seconds;  /* after which it is ended; 0: never */
	struct text *said; /* gets the last `most_said` bytes of its standard error; NULL: dropped */
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

/* Kills the programs that are running and their groups.  For signal handlers, before this program ends. */
void programs_kill(void);

/* The path of the program of this name in PATH, which the caller frees; NULL when there is none. */
char *program_path(const char *name);
bool program_exists(const char *name);

/*
 * Makes a pipe whose ends are closed by exec() and lie above the numbers that a child will use.  Returns -1
 * and errno, with -1 for an end that was not made: close the other one.
 */
int program_pipe(int fd[2]);
/* This program's environment without one variable ("NAME=") and with another ("NAME=1"); the caller frees the
 * array. */
char **program_environment(const char *without, char *more);

/* Attributes of a new process: all signals at their default, none blocked, plus flags; to be destroyed. */
void program_attributes(posix_spawnattr_t *at, short flags);

#endif
