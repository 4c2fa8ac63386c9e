/*
 * The words of a command line, read with the names of the fabric at hand.  Names of nodes need no quotes, so
 * printed names can be pasted back.
 *
 * Where the syntax wants a node or port, the longest piece that is a whole name, `NAME` or `NAME[PORT]`, is
 * one word.  Blanks, ';', quotes and # may be in it.  A piece without blanks that holds ';' is one word too
 * if it fits a name in any other way, or as a pattern.  If several readings fit the syntax, the first in
 * which all nodes are whole names counts, or else the first; quotes settle the meaning.  Everything else is
 * read as words_split() does.
 */
#ifndef IBSCOPE_READING_H
#define IBSCOPE_READING_H

#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/fabric/fabric.h"

#define UNQUOTED_MOST 4096 /* bytes of an unquoted list of names with ';' */

/* Words as words_split() gives them, and the text behind them. */
struct words_read {
	int argc;
	char **argv;
	const char *rest;
};

/*
 * Reads the first command of a text, as words_split() does. `syntax` is the command's. f and p may be NULL.
 * The time grows with the words.  -1 and *e also when cancelled.
 */
int command_read(const struct fabric *f, const char *syntax, const char *text, struct words_read *w,
		 struct progress *p, struct err *e);

#endif
