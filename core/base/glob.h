/* Patterns with wildcards. */
#ifndef IBSCOPE_GLOB_H
#define IBSCOPE_GLOB_H

#include <stdbool.h>

/* Glob match (`*`, `?`, `[...]`) without regard to letter case. */
bool glob_match(const char *pattern, const char *s);

#endif
