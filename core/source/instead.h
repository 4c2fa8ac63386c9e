/*
 * Functions that stand in place of a library's.  Where libraries are shared they bear the library's names,
 * and the program's come first.  Where libraries are linked in (LINKED_IN, `make static`) the linker's --wrap
 * puts them there, for the names that the Makefile tells it.  Private to core/source.
 */
#ifndef IBSCOPE_INSTEAD_H
#define IBSCOPE_INSTEAD_H

/* int INSTEAD_OF(fn)(...) { ... ORIGINAL(fn, arguments); } returns what the library's returns, -ENOSYS where
 * it has no such function. */
#ifdef LINKED_IN
#define INSTEAD_OF(fn)              \
	__typeof__(fn) __wrap_##fn; \
	int __wrap_##fn
#define ORIGINAL(fn, ...)                                                \
	do {                                                             \
		extern __typeof__(fn) __real_##fn __attribute__((weak)); \
                                                                         \
		return __real_##fn ? __real_##fn(__VA_ARGS__) : -ENOSYS; \
	} while (0)
#else
#include <dlfcn.h>
#define INSTEAD_OF(fn) int fn
#define ORIGINAL(fn, ...)                                  \
	do {                                               \
		__typeof__(fn) *real;                      \
                                                           \
		*(void **)&real = dlsym(RTLD_NEXT, #fn);   \
		return real ? real(__VA_ARGS__) : -ENOSYS; \
	} while (0)
#endif

#endif
