/* OpenSM's guid2lid file: `<guid> <min lid> <max lid>`, each line followed by an empty one. */
#ifndef IBSCOPE_GUID2LID_H
#define IBSCOPE_GUID2LID_H

#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/routing/lids.h"

/* *entries is to be freed.  -1 and *e (file, line) when the file cannot be read or has a broken line. */
int guid2lid_read(const char *path, struct progress *p, struct guid2lid **entries, size_t *n, struct err *e);

#endif
