/* Text that grows. */
#ifndef IBSCOPE_TEXT_H
#define IBSCOPE_TEXT_H

#include <stdarg.h>
#include <stdio.h>
#include "core/base/defs.h"

/* A growing piece of text; always NUL-terminated once something was added. */
struct text {
	char *s;
	size_t len, cap;
};

void text_add(struct text *t, const char *fmt, ...) PRINTF_LIKE(2, 3);
void text_addv(struct text *t, const char *fmt, va_list ap);
void text_putc(struct text *t, char c);
/* s as a field of a CSV file (RFC 4180): in quotes where it has a comma, a quote or an end of line. */
void text_csv(struct text *t, const char *s);
/* A line of history: a sign for each number, "·" for 0, then eighths of the largest: "▁" to "█". */
void text_levels(struct text *t, const uint64_t *n, size_t count, uint64_t most);
/* A stream that appends to t. t is up to date after a flush or close.  Writing never fails. */
FILE *text_stream(struct text *t);
const char *text_str(const struct text *t); /* "" when empty */
void text_free(struct text *t);

/* A new string; to be freed. */
char *str_printf(const char *fmt, ...) PRINTF_LIKE(1, 2);

/* "1 link", "3 links", "2 entries", "4 more switches": a count with its noun, given for one. */
const char *plural(uint64_t n, const char *one, char *buf, size_t size);
/* The same in a buffer of its own that lasts to the end of the block, for arguments of a format. */
#define PLURAL(n, one) plural(n, one, (char[64]){0}, 64)

#endif
