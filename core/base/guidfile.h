/*
 * OpenSM's GUID files: lines `<guid> <rest>` (engines/doc/minhop.md 1.3): root_guid_file,
 * cn_guid_file, guid_routing_order_file, hop_weights_file, ...
 */
#ifndef IBSCOPE_GUIDFILE_H
#define IBSCOPE_GUIDFILE_H

#include "core/base/err.h"
#include "core/base/progress.h"

struct guid_line {
	uint64_t guid;
	unsigned line; /* number in the file, from 1 */
	char *rest;    /* text behind the GUID and white space, without the newline; "" when none */
};

struct guid_file {
	struct guid_line *l;
	size_t n, cap;
	/*
	 * 0: all was read.  Otherwise the line at which reading stopped (entries before it are in l);
	 * UINT_MAX: the file could not be opened.
	 */
	unsigned stopped;
	struct err why; /* message when stopped */
	/* Invalid lines that were skipped (discard_invalid), and the first of them. */
	unsigned skipped, first_skipped;
};

/*
 * A list may replace a path.  It begins with this mark, then its name up to the first newline, then lines as
 * in a file.  A path that begins with the mark is written "./@...".
 */
#define GUID_LIST_MARK '@'

/*
 * Read as OpenSM 3.3.23 reads (255 characters a piece, C number, then white
 * space, '#' or end).  discard_invalid: an invalid line is skipped instead of
 * ending the file (what OpenSM's manual promises).  Never fails: see `stopped`.
 */
void guid_file_read(struct guid_file *g, const char *path, bool discard_invalid, struct progress *p);
/* The same from memory; name is for the message. */
void guid_file_parse(struct guid_file *g, const char *name, const char *data, size_t size,
		     bool discard_invalid);
void guid_file_free(struct guid_file *g);

#endif
