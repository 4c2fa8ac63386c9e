/*
 * Files that the program reads.  What is no regular file (a FIFO, a terminal, a device) may keep its reader
 * waiting for ever: the program waits only until the work is cancelled.
 */
#ifndef IBSCOPE_INFILE_H
#define IBSCOPE_INFILE_H

#include <stdio.h>
#include "core/base/err.h"
#include "core/base/progress.h"

/*
 * Open a file for reading, or one that is in the program (builtin.h); fclose() closes it.  NULL and errno
 * when that fails. p: once it is cancelled, reading fails with ECANCELED within a twentieth of a second
 * (NULL: never); it must outlast the file.
 */
FILE *infile_open(const char *path, struct progress *p);

/* The most that is read of a file that people write: options, GUIDs, names. Far beyond any real one. */
#define SMALL_FILE_MIB 16

/* Like read_file() (cursor.h), of such a file. */
int read_small_file(const char *path, struct progress *p, char **data, size_t *size, struct err *e);

#endif
