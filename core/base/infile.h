/*
 * Files that the program reads.  A file that is not regular (a FIFO, a terminal, a device) may keep its
 * reader waiting for ever, so the program waits only until the work is cancelled.
 */
#ifndef IBSCOPE_INFILE_H
#define IBSCOPE_INFILE_H

#include <stddef.h>
#include <stdio.h>

#include "core/base/err.h"
#include "core/base/permit.h"
#include "core/base/progress.h"

/*
 * Opens a file for reading, or one built into the program (builtin.h); fclose() closes it.  Returns NULL and
 * sets errno when that fails. Once p is cancelled, reading fails with ECANCELED within a twentieth of a
 * second (NULL: never); p must outlast the file.
 */
FILE *infile_open(const char *path, struct progress *p);

/* The most that is read from a file that people write: options, GUIDs, names. Real ones are far smaller. */
#define SMALL_FILE_MIB 16

/* Like read_file() (cursor.h), but for such a small file. */
int read_small_file(const char *path, struct progress *p, char **data, size_t *size, struct err *e);

/* Files that may be compressed.  The reader gets the unpacked content. */

/*
 * Content of a file in a new buffer, as read_file() gives it.  Data compressed by xz, gzip, bzip2 or zstd is
 * unpacked by that program (`xz -dc`, looked for in PATH), at most FILE_MIB.  Without the program the content
 * stays compressed, and the reader refuses it.  -1 and *e: it cannot be read or unpacked, or p (may be NULL)
 * was cancelled.
 */
int read_packed_file(const char *path, struct progress *p, char **data, size_t *size, struct err *e);

/* The same for a list of hosts, jobs or pairs, at most LIST_FILE_MIB: a list that comes from a device never
 * ends. */
#define LIST_FILE_MIB 256
int read_packed_list(const char *path, struct progress *p, char **data, size_t *size, struct err *e);

/* The same as read_packed_file() for content in memory, which is replaced; on failure it is freed. */
int unpack(const char *name, struct progress *p, char **data, size_t *size, struct err *e);

/* The package that provides something this program needs and did not find. */

enum package {
	PACKAGE_OPENSM,
	PACKAGE_IBSIM,
	PACKAGE_TERMINFO,
	PACKAGE_LOCALE,
	PACKAGE_GRAPHVIZ,
	PACKAGE_RSVG,
	PACKAGE_RDMA
};

/*
 * "package opensm", under the name it has on this machine's system according to /etc/os-release (Debian and
 * Ubuntu, RHEL and Rocky and Fedora, SLES and openSUSE); on other systems all three names.  Static.
 */
const char *package_of(enum package what);

/*
 * Files used by lessons, found by a short name: NAME.lesson, lists of GUIDs, the list of small fabrics. They
 * lie in $XDG_CONFIG_HOME/ibscope/lessons, beside the program, in ../views/lessons where it was built, or in
 * ../share/ibscope/lessons where it is installed; otherwise the built-in ones are used.
 */

/* The NAME in "lesson:NAME", a form that specifications of fabrics and values of options may have; otherwise
 * NULL. */
const char *lesson_name(const char *word);

/* The path of such a file, which the caller frees.  NULL and *e when it does not exist or the name is not a
 * plain file name. */
char *lesson_file(const char *name, struct err *e);

/* The same as permitted() for reading a file, but commands of a lesson may read the files used by lessons. */
int permitted_to_read(const char *path, struct err *e);

/* Names of all lessons, each once, sorted, with NULL at the end.  Free the names and the list. */
char **lesson_names(void);

/*
 * OpenSM's GUID files: lines `<guid> <rest>` (engines/doc/minhop.md 1.3): root_guid_file,
 * cn_guid_file, guid_routing_order_file, hop_weights_file, ...
 */

struct guid_line {
	uint64_t guid;
	unsigned line; /* number in the file, from 1 */
	char *rest;    /* text behind the GUID and white space, without the newline; "" when none */
};

struct guid_file {
	struct guid_line *l;
	size_t n, cap;
	/*
	 * 0 when everything was read.  Otherwise the line at which reading stopped (l holds the entries
	 * before it), or UINT_MAX when the file could not be opened.
	 */
	unsigned stopped;
	struct err why; /* message when stopped */
	/* The number of invalid lines that were skipped (discard_invalid), and the first one's line. */
	unsigned skipped, first_skipped;
};

/*
 * A list may replace a path.  It begins with this mark, followed by its name up to the first newline, then
 * lines as in a file.  A path that begins with the mark is written "./@...".
 */
#define GUID_LIST_MARK '@'

/*
 * Reads a file as OpenSM 3.3.23 does (255 characters at a time; a C number, then white space, '#' or the
 * end).  With discard_invalid an invalid line is skipped instead of ending the file (as OpenSM's manual
 * promises).  Never fails: see `stopped`.
 */
void guid_file_read(struct guid_file *g, const char *path, bool discard_invalid, struct progress *p);
/* The same from memory; name is for the message. */
void guid_file_parse(struct guid_file *g, const char *name, const char *data, size_t size,
		     bool discard_invalid);
void guid_file_free(struct guid_file *g);

#endif
