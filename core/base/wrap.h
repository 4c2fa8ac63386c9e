/* Running text in lines. */
#ifndef IBSCOPE_WRAP_H
#define IBSCOPE_WRAP_H

#include "core/base/text.h"

/*
 * Number of bytes in the first line of s, when lines have `columns` characters (at least 1) and break between
 * words.  A longer word is cut, behind a "|" if it has one.  *rest: the beginning of the next line, NULL
 * behind the last.  Every character counts as one column.
 */
size_t wrap_line(const char *s, unsigned columns, const char **rest);

/* Lines of `columns` characters, each ended; `first` stands before the first one, `other` before the rest. */
void wrap_text(struct text *t, const char *s, unsigned columns, const char *first, const char *other);

#endif
