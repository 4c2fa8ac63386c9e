/* Changes files at random, byte by byte and line by line; the same seed makes the same file. */
#ifndef IBSCOPE_SOAK_MUTATE_H
#define IBSCOPE_SOAK_MUTATE_H

#include <stddef.h>
#include <stdint.h>

struct content {
	char *name, *data; /* owned; data is not ended by NUL */
	size_t n;
};

/* Whole content of a file; exits with a message when it cannot be read.  name: its last part. */
struct content content_read(const char *path);

/*
 * A new content, of one to a few changes to `from`; pieces are taken from `other`, too.
 * data is just n bytes long, so that a sanitizer sees who reads behind it; to be freed.
 */
struct content mutate(uint64_t *rng, const struct content *from, const struct content *other);

#endif
