/*
 * Words that the program says about itself: topics, figures, what commands are.
 * They stand in text files built into the program (builtin.h); to change them needs no C:
 *
 *	# a comment
 *	name: lid
 *	text: the local identifier: the 16-bit address that
 *	  the subnet manager gives an endport.
 *	details:
 *	  a line, printed with its blanks
 *	  and another one
 *
 * The first of the file's keys begins an entry.  A line that begins with a blank
 * continues the value before it: after one blank, or as a line of its own where
 * nothing follows the colon.
 */
#ifndef IBSCOPE_WORDLIST_H
#define IBSCOPE_WORDLIST_H

#include <stddef.h>

struct err;

/*
 * The entries of all files whose names end so (".topics"), in the order of the program's files.  keys: "name
 * also? text"; an entry may lack what has a `?`.  Returns rows, the last one empty: each is a struct of one
 * `const char *` for each key, in their order, NULL where it is missing.  The arena owns all of it.  NULL and
 * *e, with file and line: a file has another form.
 */
void *wordlist_read(void *arena, const char *ending, const char *keys, struct err *e);
/* The same of one file's text [size]; name is for messages. */
void *wordlist_parse(void *arena, const char *name, const char *data, size_t size, const char *keys,
		     struct err *e);

#endif
