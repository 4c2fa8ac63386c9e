/*
 * Files the program writes: a good one is never lost to a bad one.
 */
#ifndef IBSCOPE_OUTFILE_H
#define IBSCOPE_OUTFILE_H

#include <stdatomic.h>
#include <stdio.h>
#include "core/base/err.h"
#include "core/base/progress.h"

/*
 * A file being written.  What is there stays as it is until the new one is whole: it is written
 * beside its target as NAME.ibscope-XXXXXX, brought to the disk and renamed.  Symbolic links are
 * followed, also to what is not there yet; mode and, where that is allowed, owner are kept; a hard
 * link keeps the old content.  What is no regular file (a device, a FIFO, /dev/stdout) is written
 * straight to.
 */
struct outfile {
	FILE *f;	  /* write here */
	const char *path; /* as it was given, for messages; borrowed */
	char *target;	  /* where `path` leads to */
	char *temp;	  /* what is written meanwhile; NULL: straight to the target */
	struct progress *progress;
	int fd;
	int failed;	  /* errno of the first write that failed, 0 = none */
	atomic_int *slot; /* of the name of `temp` among those to be removed by a signal */
};

/*
 * 0, or -1, *e that names the file, and nothing to be closed.  `path` must outlast it, and *o stay
 * where it is.  Once `p` (NULL
 * is fine) is cancelled nothing more is written; a FIFO that nobody reads is waited for until then.
 */
int outfile_open(struct outfile *o, const char *path, struct progress *p, struct err *e);

/*
 * End it.  rc 0: the file takes its place.  Else what was being written is given up (cancelled,
 * failed) and the target left as it was; *e is the caller's.  Returns rc, or -1 and *e, which
 * names the file, where something could not be written.
 */
int outfile_close(struct outfile *o, int rc, struct err *e);

/* Remove what is written beside its target; safe in a signal handler, for one that ends the program. */
void outfile_remove_unfinished(void);

/*
 * A file without a name, in memory, for programs and readers that want a path.  Writes the path to
 * be opened (valid while the descriptor is open) to path[size]; the descriptor, or -1 and *e.
 */
#define SCRATCH_PATH 32
int scratch_file(char path[SCRATCH_PATH], struct err *e);

/* Remove a folder of ours with all it holds, as far as that can be done; links are not followed. */
void remove_tree(const char *folder);

#endif
