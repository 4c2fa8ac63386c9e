/* What was odd about a fabric's source. */
#ifndef IBSCOPE_WARNINGS_H
#define IBSCOPE_WARNINGS_H

#include "core/base/defs.h"

/* Something odd in the input that was survived. */
struct warning {
	const char *kind; /* static, short: "one-sided link", "duplicate GUID", "unknown line", ... */
	unsigned line;	  /* 0: no line */
	char *text;
};

struct warnings {
	struct warning *w;
	size_t n, cap;
};

void warnings_add(struct warnings *w, const char *kind, unsigned line, const char *fmt, ...)
	PRINTF_LIKE(4, 5);
void warnings_free(struct warnings *w);

#endif
