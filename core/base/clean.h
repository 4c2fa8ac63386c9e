/*
 * Text that is fit to be shown.  Names, words and files come from outside and may hold anything, also what
 * steers a terminal.  Everything printed or drawn, and every string of JSON, is made clean here.  Clean text
 * is UTF-8 without control characters (newline and tab may stay).  It has no characters that cannot be seen
 * or that change the direction of the text around them.  Each byte that is left out is spelled `\xNN`.  A
 * backslash stays, so cleaning clean text changes nothing.
 *
 * Files get text as it is.
 */
#ifndef IBSCOPE_CLEAN_H
#define IBSCOPE_CLEAN_H

#include <stdio.h>
#include "core/base/defs.h"
#include "core/base/text.h"

/*
 * Decodes the character at the beginning of s, which has len bytes (4 will do for a string that ends with
 * NUL). Returns the number of bytes that the character takes, and sets *c to it.  Returns 0 and the byte in
 * *c when it is not UTF-8 (RFC 3629: shortest form, no surrogates).  Returns -1 when s ends within a
 * character.
 */
int utf8_decode(const char *s, size_t len, uint32_t *c);

bool is_clean(const char *s, size_t len);

/* Add s to t, cleaned. */
void clean_add(struct text *t, const char *s, size_t len);

/* The same on one line, for comments: line ends are also spelled as `\xNN`. */
void clean_line(struct text *t, const char *s);

/* Clean the text in t from byte `from` on. */
void clean_rest(struct text *t, size_t from);

/* Returns s itself when it is clean, otherwise a clean copy held by *t (its former content is lost). */
const char *clean_string(const char *s, struct text *t);

/*
 * Returns a stream that writes clean text to the file descriptor fd, which the caller keeps.  A character may
 * arrive in parts; one that is never completed is written at fclose().  On a terminal the stream is
 * line-buffered.  in_ascii() returns what replaces a drawing character ('?' keeps it); NULL keeps all of
 * them.
 */
FILE *clean_stream(int fd, uint32_t (*in_ascii)(uint32_t c));

#endif
