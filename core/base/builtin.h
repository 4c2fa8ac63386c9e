/*
 * Files that are in the program itself, so that one file copied alone is whole: keymaps, lessons, the demo
 * fabric, completion.  Their paths begin with BUILTIN and go wherever infile_open() reads.  The build makes
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

/* The i-th file; false: there are no more. */
bool builtin_at(size_t i, struct builtin *b);

/* The file of a path; false: it begins otherwise, or there is none of that name. */
bool builtin_find(const char *path, struct builtin *b);

/* The file that a word means: "demo" is the demo fabric's path if no file has that name; else word. */
const char *builtin_fabric(const char *word);

#endif
