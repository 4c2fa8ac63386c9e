/* Freeing what a structure or a function owns. */
#ifndef IBSCOPE_RELEASE_H
#define IBSCOPE_RELEASE_H

#include "core/base/defs.h"

/* free() each of the pointers; NULL is fine. */
#define FREE_EACH(...) free_each((void *[]){__VA_ARGS__}, ARRAY_LEN(((void *[]){__VA_ARGS__})))
void free_each(void *const *p, size_t n);

#endif
