/* Files that may be compressed: read as what is in them. */
#ifndef IBSCOPE_UNPACK_H
#define IBSCOPE_UNPACK_H

#include <stddef.h>
#include "core/base/err.h"
#include "core/base/progress.h"

/*
 * Content of a file in a new buffer, as read_file() gives it; what xz, gzip, bzip2 or zstd have compressed is
 * unpacked by that program (`xz -dc`, looked for in PATH), at most FILE_MIB.  Without the program the content
 * stays as it is, for the reader to refuse.  -1 and *e: it cannot be read or unpacked, or p (may be NULL)
 * was cancelled.
 */
int read_packed_file(const char *path, struct progress *p, char **data, size_t *size, struct err *e);

/* The same with content that is there already and is replaced; on failure it is freed. */
int unpack(const char *name, struct progress *p, char **data, size_t *size, struct err *e);

#endif
