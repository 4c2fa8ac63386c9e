/*
 * A filter or a search: words that a row must all match.
 *
 *   TEXT         in any cell, letter case ignored; changed, down and detour also mean the marks
 *   /REGEX/      an extended regular expression, in any cell; it may hold blanks
 *   COLUMN:TEXT  in the columns that COLUMN names (columns_named()); a number in a column of numbers
 *   COLUMN:/REGEX/
 *   -WORD        must not occur
 *
 * "MF0;LG01:MQM8700" has a colon, but is plain text if a row has it. A word that no row has is an error if
 * its COLUMN does not exist.
 */
#ifndef IBSCOPE_FILTER_H
#define IBSCOPE_FILTER_H

#include "views/base/view.h"

struct filter;

/*
 * A column that a word names, and the part of its cells: "was → now" has parts 0 and 1; -1 = the whole cell.
 */
struct column_part {
	unsigned col;
	int part;
};

/*
 * Finds columns by name, else by a word of their header, else the first whose header begins so; letter case
 * is ignored. Returns their number, at most VIEW_COLUMNS.
 */
unsigned columns_named(const struct view *v, const char *word, size_t len, struct column_part *to);
/* Sets the error that there is no such column. Returns -1. */
int no_column(const struct view *v, const char *word, size_t len, struct err *e);

/*
 * Reads a filter for the columns of the last load(). Never NULL; the caller frees it. Errors are kept in it.
 */
struct filter *filter_new(const struct view *v, const char *text);
void filter_free(struct filter *f);
/* Does a row (or a header) match? If the filter is wrong, no row does. */
bool filter_row(struct filter *f, const struct view *v, uint32_t row);
/*
 * Checks the filter: is a regular expression wrong, or is a column missing and no row has the word? Returns
 * 0, or -1 and *e.
 */
int filter_check(const struct filter *f, const struct view *v, struct err *e);

/*
 * Do the letters of `what` (without blanks) occur in order in one text of a row? Letter case is ignored.
 * Returns the least number of characters over which they stretch. 0: they do not occur, or are too far apart.
 */
unsigned row_likeness(const struct view *v, uint32_t row, const char *what);
/*
 * How well a word fits a text, letter case ignored. 1: a word of the text begins with it; 2: it is within a
 * word; 3 or more: its letters occur in order, close together. 0: none of that.
 */
unsigned word_likeness(const char *text, const char *word, size_t len);

#endif
