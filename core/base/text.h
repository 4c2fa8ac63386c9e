/*
 * Text that grows.
 */
#ifndef IBSCOPE_TEXT_H
#define IBSCOPE_TEXT_H

#include <stdarg.h>
#include "core/base/defs.h"

/* A growing piece of text; always NUL-terminated once something was added. */
struct text {
	char *s;
	size_t len, cap;
};

void text_add(struct text *t, const char *fmt, ...) PRINTF_LIKE(2, 3);
void text_addv(struct text *t, const char *fmt, va_list ap);
void text_putc(struct text *t, char c);
const char *text_str(const struct text *t); /* "" when empty */
void text_free(struct text *t);

/* A new string; to be freed. */
char *str_printf(const char *fmt, ...) PRINTF_LIKE(1, 2);

#endif
