/* What a file is that was given where another is wanted, for messages. */
#ifndef IBSCOPE_KINDS_H
#define IBSCOPE_KINDS_H

#include "core/base/cursor.h"

/* Static texts: a file `is` this, and `use` tells which command takes it; NULL: none does. */
struct file_kind {
	const char *is, *use;
	bool fabric; /* it looks like one, whether it can be read or not */
};

/*
 * The kind of a text by its lines: fabrics, options, and some forty kinds of files that InfiniBand's tools,
 * Slurm and benchmarks write.  false: it is of none that is known, or says nothing.
 */
bool file_kind(const struct input *in, struct file_kind *k);

#endif
