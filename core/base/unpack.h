/* Files that may be compressed.  The reader gets their unpacked content. */
#ifndef IBSCOPE_UNPACK_H
#define IBSCOPE_UNPACK_H

#include <stddef.h>
#include "core/base/err.h"
#include "core/base/progress.h"

/*
 * Content of a file in a new buffer, as read_file() gives it.  Data compressed by xz, gzip, bzip2 or zstd is
 * unpacked by that program (`xz -dc`, looked for in PATH), at most FILE_MIB.  Without the program the content
 * stays compressed, and the reader refuses it.  -1 and *e: it cannot be read or unpacked, or p (may be NULL)
 * was cancelled.
 */
int read_packed_file(const char *path, struct progress *p, char **data, size_t *size, struct err *e);

/* The same for content in memory, which is replaced; on failure it is freed. */
int unpack(const char *name, struct progress *p, char **data, size_t *size, struct err *e);

#endif
