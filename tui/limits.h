/* The limits of the program, and what happens beyond them: the table of the manual page. */
#ifndef IBSCOPE_LIMITS_H
#define IBSCOPE_LIMITS_H

#include <stdint.h>

struct limit {
	const char *what; /* "scripts within each other" */
	uint64_t most;
	const char *beyond; /* a sentence; `...` is a message, in which # is the number */
};

/* In the order of the manual page, ended by what == NULL. Each row has a test in tests/unit/test_limits.c. */
extern const struct limit limits[];

/* The sentence with the number in place of each #. The caller frees it. */
char *limit_beyond(const struct limit *l);

#endif
