/* The kind of a file that was given in place of another kind, for messages. */
#ifndef IBSCOPE_KINDS_H
#define IBSCOPE_KINDS_H

#include "core/base/cursor.h"

/* Static texts: a file `is` this, and `use` tells which command takes it; NULL: none does. */
struct file_kind {
	const char *is, *use;
	bool fabric; /* it looks like one, whether it can be read or not */
};

/*
 * The kind of a text by its lines.  Known are fabrics, options, and some forty kinds of files of InfiniBand's
 * tools, Slurm and benchmarks.  false: an unknown kind, or a text without content.
 */
bool file_kind(const struct input *in, struct file_kind *k);

#endif
