/*
 * Files of pairs, for traffic patterns: a line `A B [WEIGHT]` for each, A sends to B; names as in commands,
 * also without quotes.  `#` begins a comment; empty lines count for nothing.
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

/* Weights of a file together, at most. */
#define PAIRS_WEIGHT_MOST UINT32_MAX

/*
 * From memory; name is for messages: "NAME:LINE: found ..., expected ...".  f: whose names the words may be.
 * -1 and *e; what was read is to be freed in either case.
 */
int pairs_parse(struct pairs_file *p, const struct fabric *f, const char *name, const char *data, size_t size,
		struct progress *pr, struct err *e);
int pairs_read(struct pairs_file *p, const struct fabric *f, const char *path, struct progress *pr,
	       struct err *e);
void pairs_file_free(struct pairs_file *p);

#endif
