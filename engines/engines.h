#ifndef IBSCOPE_ENGINES_H
#define IBSCOPE_ENGINES_H

#include "core/sm/engine.h"

/* All engines, ended by NULL. A new engine is one line in engines.c. */
extern const struct engine *const all_engines[];

#endif
