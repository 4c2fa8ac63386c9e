/* What the process may do besides reading files and computing.  It is chosen once, before other threads run.
 */
#ifndef IBSCOPE_PERMIT_H
#define IBSCOPE_PERMIT_H

#include "core/base/err.h"

/* From now on nothing writes a file, runs another program, or touches an InfiniBand device (--read-only). */
void permit_reading_only(void);
bool permit_reads_only(void);

/* 0, or -1 and *e: what would be done ("writing", "FILE") is refused. */
int permitted(const char *deed, const char *to, struct err *e);

#endif
