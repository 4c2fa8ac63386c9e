/*
 * Text that is fit to be shown.  Names, words and files come from outside and may hold anything,
 * also what steers a terminal.  What is printed or drawn, and the strings of JSON, are made clean
 * here: UTF-8 without control characters (but newline and tab) and without those that cannot be seen
 * or change the direction of what stands around them.  Each byte of what is left out is spelled
 * `\xNN`.  A backslash stays as it is, so clean text stays the same when it is cleaned once more.
 *
 * Files get text as it is.
 */
#ifndef IBSCOPE_CLEAN_H
#define IBSCOPE_CLEAN_H

#include <stdio.h>
#include "core/base/defs.h"
#include "core/base/text.h"

/*
 * The character that s, of len bytes, begins with (len > 0; 4 will do for a string that NUL ends).
 * Bytes it takes and *c; 0 and *c the byte where that is no UTF-8 (RFC 3629: shortest form, no
 * surrogates), -1 when s ends within a character.
 */
int utf8_decode(const char *s, size_t len, uint32_t *c);

bool is_clean(const char *s, size_t len);

/* Add s to t, cleaned. */
void clean_add(struct text *t, const char *s, size_t len);

/* Clean what stands in t from byte `from` on. */
void clean_rest(struct text *t, size_t from);

/* s itself when it is clean, else a clean copy, which *t holds (what t held before is gone). */
const char *clean_string(const char *s, struct text *t);

/*
 * A stream that writes to the file descriptor fd, which stays the caller's, all that is clean and
 * the rest cleaned.  A character may come in parts; one that never ends is written at fclose().
 * Writes in lines to a terminal.
 */
FILE *clean_stream(int fd);

#endif
