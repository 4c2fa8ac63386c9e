/* Content that is no text, or text that is not read here: packed files, archives, text of other systems. */
#ifndef IBSCOPE_FOREIGN_H
#define IBSCOPE_FOREIGN_H

#include <stddef.h>

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

#endif
