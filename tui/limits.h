/* What the program takes at most, and what happens beyond: the table of the manual page. */
#ifndef IBSCOPE_LIMITS_H
#define IBSCOPE_LIMITS_H

#include <stdint.h>

struct limit {
	const char *what; /* "scripts within each other" */
	uint64_t most;
	const char *beyond; /* a sentence; `...` is what is said, # in it the number */
};

/* In the manual page's order, ended by what == NULL.  Each row has a test in tests/unit/test_limits.c. */
extern const struct limit limits[];

/* The sentence with the number in place of each #; to be freed. */
char *limit_beyond(const struct limit *l);

#endif
