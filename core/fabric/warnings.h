/* Oddities of a fabric's source. */
#ifndef IBSCOPE_WARNINGS_H
#define IBSCOPE_WARNINGS_H

#include "core/base/defs.h"
#include "core/base/text.h"

/* An oddity in the input that did not stop the reading. */
struct warning {
	const char *kind;    /* static, short: "one-sided link", "duplicate GUID", "unknown line", ... */
	unsigned line;	     /* 0: no line */
	uint32_t stands_for; /* number of oddities it stands for: 1, or those after the first few */
	bool missing;	     /* a part of the fabric is not in the source */
	uint8_t port;
	uint64_t guid; /* place: node and port, valid also when names change; 0: no place */
	char *text;
};

struct warnings {
	struct warning *w;
	size_t n, cap;
	size_t missing; /* of the n; with any the fabric is incomplete */
};

void warnings_add(struct warnings *w, const char *kind, unsigned line, const char *fmt, ...)
	PRINTF_LIKE(4, 5);
/*
 * The same for a part of the fabric that the source lacks, or that is left out: a cable to nothing, a port
 * that is up without another end, a text that ends within a record, a line that is not understood or
 * contradicts another, no answer.
 */
void warnings_missing(struct warnings *w, const char *kind, unsigned line, const char *fmt, ...)
	PRINTF_LIKE(4, 5);
/* Where the warning added last is. */
void warnings_place(struct warnings *w, uint64_t guid, unsigned port);
/* The warning added last stands for this many of its kind. */
void warnings_stand_for(struct warnings *w, uint32_t n);
/* The missing parts, counted by kind: "3 dangling links, 1 cut record"; "" when all is there. */
void warnings_tell_missing(const struct warnings *w, struct text *t);
/*
 * Write each missing part into a file as a comment line, "# Incomplete: KIND at GUID[PORT]: TEXT", for
 * readers of the file.  begin, end: start and end of a comment in that file ("# ", "").
 */
void warnings_write_missing(const struct warnings *w, FILE *f, const char *begin, const char *end);
/* Add the missing part that such a line with # tells.  Other lines add nothing. */
void warnings_read_missing(struct warnings *w, const char *line, size_t len);
void warnings_copy(struct warnings *to, const struct warnings *from); /* adds all */
void warnings_free(struct warnings *w);

#endif
