/* Files that the program writes: a bad file never replaces a good one. */
#ifndef IBSCOPE_OUTFILE_H
#define IBSCOPE_OUTFILE_H

#include <stdatomic.h>
#include <stdio.h>
#include "core/base/err.h"
#include "core/base/progress.h"

/*
 * A file being written.  The old file stays until the new one is whole.  The new one is written beside the
 * target as NAME.ibscope-XXXXXX, synced to the disk and renamed.  Symbolic links are followed, even to a
 * missing target.  Mode and, where allowed, owner are kept.  Other hard links keep the old content.  A target
 * that is no regular file (a device, a FIFO, /dev/stdout) is written directly.
 */
struct outfile {
	FILE *f;	  /* write here */
	const char *path; /* as given, for messages; borrowed */
	char *target;	  /* where `path` leads to */
	char *temp;	  /* the file being written; NULL when that is the target itself */
	struct progress *progress;
	int fd;
	int failed;	  /* errno of the first write that failed, 0 = none */
	atomic_int *slot; /* the slot that names `temp`, which a signal handler removes */
	enum {
		NOT_PLACED,
		PLACED_NEW,
		PLACED_OVER,
		PLACED_SWAPPED
	} placed; /* after the swap `temp` is the old file */
};

/*
 * Opens a file for writing.  Returns 0, or -1 and *e with the name of the file; then there is nothing to
 * close.  `path` must outlast the file, and *o must not be moved.  Once `p` (may be NULL) is cancelled
 * nothing more is written; until then a FIFO without a reader keeps the program waiting.
 */
int outfile_open(struct outfile *o, const char *path, struct progress *p, struct err *e);

/*
 * Ends the file. With rc 0 the new file takes its place.  Otherwise (cancelled, failed) the new file is
 * removed, the target stays, and *e stays the caller's.  Returns rc, or -1 and *e with the name of the file
 * when something could not be written.
 */
int outfile_close(struct outfile *o, int rc, struct err *e);

/*
 * The same for n files that belong together: either all of them take their places, or none.  No file takes
 * its place before all are complete and on the disk.  If one of them then fails, those before it are put
 * back, as far as the file system can swap two names.
 */
int outfile_close_all(struct outfile *const *o, size_t n, int rc, struct err *e);

/* Remove unfinished files.  Safe in a signal handler that ends the program. */
void outfile_remove_unfinished(void);

/*
 * Makes a file without a name, in memory, for programs and readers that need a path.  Writes that path to
 * path[size]; it is valid while the descriptor is open.  Returns the descriptor, or -1 and *e.
 */
#define SCRATCH_PATH 32
int scratch_file(char path[SCRATCH_PATH], struct err *e);

/* Removes a folder that the program made and its content, as far as possible.  Links are not followed. */
void remove_tree(const char *folder);

#endif
