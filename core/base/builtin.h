/*
 * Files built into the program, so that a single copied file is complete: keymaps, lessons, the demo fabric,
 * completion.  Their paths begin with BUILTIN and may be given wherever infile_open() reads.  The build makes
 * one archive of them: a line "NAME SIZE" before each file's bytes.
 */
#ifndef IBSCOPE_BUILTIN_H
#define IBSCOPE_BUILTIN_H

#include <stdbool.h>
#include <stddef.h>

#define BUILTIN "builtin:"

struct builtin {
	const char *name; /* "keymaps/default.keys"; not ended by NUL */
	size_t name_len;
	const char *data; /* not ended by NUL */
	size_t size;
};

/* Goes on to the next file; from a *b of zeros to the first.  Returns false when there are no more. */
bool builtin_next(struct builtin *b);

/* Sets *b to the file with this path.  Returns false when the path does not begin with BUILTIN or no file has
 * it. */
bool builtin_find(const char *path, struct builtin *b);

/* Returns the demo fabric's path for "demo", unless a file has that name; otherwise returns word. */
const char *builtin_fabric(const char *word);

#endif
