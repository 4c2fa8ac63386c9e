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
 * The character at the beginning of s, of len bytes (for a string that NUL ends, 4 will do).
 * Returns the bytes that it takes, and *c.  If it is no UTF-8 (RFC 3629: shortest form, no surrogates): 0,
 * and *c is the byte.  If s ends within a character: -1.
 */
int utf8_decode(const char *s, size_t len, uint32_t *c);

bool is_clean(const char *s, size_t len);

/* Add s to t, cleaned. */
void clean_add(struct text *t, const char *s, size_t len);

/* The same on one line, for comments: ends of lines are spelled, too. */
void clean_line(struct text *t, const char *s);

/* Clean the text in t from byte `from` on. */
void clean_rest(struct text *t, size_t from);

/* s itself when it is clean.  Otherwise a clean copy, held by *t (its former content is gone). */
const char *clean_string(const char *s, struct text *t);

/*
 * A stream that writes clean text to the file descriptor fd; the caller keeps fd.  A character may come in
 * parts; one that never ends is written at fclose().  To a terminal it writes in lines.  in_ascii: what is
 * written for a character of drawings ('?': it stays); NULL: all stay.
 */
FILE *clean_stream(int fd, uint32_t (*in_ascii)(uint32_t c));

#endif
