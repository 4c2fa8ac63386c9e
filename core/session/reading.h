/*
 * The words of a command line by someone who knows the fabric: names of nodes need no quotes, so that
 * whatever was printed can be pasted back.
 *
 * Where the command's syntax wants a node or port, the longest piece of the line that names one as a
 * whole, `NAME` or `NAME[PORT]`, is one word, whatever blanks, ';', quotes or # are in it.  So is a
 * piece without blanks that holds ';' and fits a name in any other way, or fits as a pattern.  Of several
 * readings the first that fits the syntax counts; quotes settle what is meant.  All else is read as
 * by words_split().
 */
#ifndef IBSCOPE_READING_H
#define IBSCOPE_READING_H

#include "core/base/err.h"
#include "core/fabric/fabric.h"

/*
 * Read the first command of a text, as words_split() does; syntax is that of the command.  f may be NULL.
 */
int command_read(const struct fabric *f, const char *syntax, const char *text, const char **rest, int *argc,
		 char ***argv, struct err *e);

#endif
