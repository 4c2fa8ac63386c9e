/*
 * Files of pairs, for traffic patterns.  Each line is `A B [WEIGHT]`: A sends to B.  Names are as in
 * commands, also without quotes.  `#` begins a comment; empty lines are skipped.
 */
#ifndef IBSCOPE_PAIRS_FILE_H
#define IBSCOPE_PAIRS_FILE_H

#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/fabric/fabric.h"

struct pair_line {
	char *src, *dst; /* words, as typed */
	uint32_t weight; /* 1 where none is given */
	unsigned line;	 /* from 1 */
};

struct pairs_file {
	struct pair_line *pair;
	size_t n, cap;
};

/* The largest sum of the weights in a file. */
#define PAIRS_WEIGHT_MOST UINT32_MAX

/*
 * Read from memory; name is for messages: "NAME:LINE: found ..., expected ...". f: the fabric that the names
 * belong to.  -1 and *e; in either case free what was read.
 */
int pairs_parse(struct pairs_file *p, const struct fabric *f, const char *name, const char *data, size_t size,
		struct progress *pr, struct err *e);
int pairs_read(struct pairs_file *p, const struct fabric *f, const char *path, struct progress *pr,
	       struct err *e);
void pairs_file_free(struct pairs_file *p);

#endif
