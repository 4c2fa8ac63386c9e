/*
 * Rows of a table, laid out for a narrow reader.  These marks stand in the formats of out_text() (out.h). For
 * a reader without a width they go away and nothing else changes: scripts read that.  The first call of a row
 * has one of them.
 */
#ifndef IBSCOPE_NARROW_H
#define IBSCOPE_NARROW_H

#include "core/base/text.h"

#define ROW_BEGIN "\002\006"			     /* a row begins */
#define ROW_CUT(format) "\002\002" format "\003\003" /* a name, which may be cut */
#define ROW_COLUMN(format) \
	"\002\004" format "\003\003" /* the same, filled up: what follows stands below each other */
#define ROW_PROSE \
	"\002\005" /* from here to the end of the line: sentences; they go on below where they began */

bool narrow_marked(const char *fmt);
/* A format without marks; fmt itself if it has none, else *t holds it. */
const char *narrow_plain(const char *fmt, struct text *t);

/*
 * Adds the rows to t, none wider than `width` characters, if that can be.  All names give way alike: first
 * what they share is left out, then the middle; "…" stands for it, and numbers are whole or left out.
 */
void narrow_rows(const char *rows, unsigned width, struct text *t);

/*
 * Lines that somebody wrote for a wide reader, for one of `width` characters, in *t: paragraphs are filled
 * anew, and what stands in a second column, behind two blanks, goes on below it.
 */
const char *narrow_text(const char *s, unsigned width, struct text *t);

#endif
