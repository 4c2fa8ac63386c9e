/*
 * What a filter or a search asks of rows: words that must all occur.
 *
 *   TEXT         in any cell, letter case ignored; changed, down and detour also mean the marks
 *   /REGEX/      an extended regular expression, in any cell; it may hold blanks
 *   COLUMN:TEXT  in the columns that COLUMN names (columns_named()); a number in a column of numbers
 *   COLUMN:/REGEX/
 *   -WORD        must not occur
 *
 * "MF0;LG01:MQM8700" is text although there is a colon in it, when a row holds it; only a
 * word that no row holds is taken for a column that there is not.
 */
#ifndef IBSCOPE_FILTER_H
#define IBSCOPE_FILTER_H

#include "views/base/view.h"

struct filter;

/* A column that a word names, and which part of its cells: "was → now" has 0 and 1, -1 = all of it. */
struct column_part {
	unsigned col;
	int part;
};

/*
 * Columns by name, else by a word of their header, else the first that begins so, letter
 * case ignored; their number, at most VIEW_COLUMNS.
 */
unsigned columns_named(const struct view *v, const char *word, size_t len, struct column_part *to);
/* The message that there is no such column; -1. */
int no_column(const struct view *v, const char *word, size_t len, struct err *e);

/* For the columns as the view was loaded last; never NULL, to be freed.  What is wrong with it is kept. */
struct filter *filter_new(const struct view *v, const char *text);
void filter_free(struct filter *f);
/* Does a row, or a header, match?  Nothing does when the filter is wrong. */
bool filter_row(struct filter *f, const struct view *v, uint32_t row);
/*
 * A regular expression is wrong; or a column is missing and no row looked at holds the word.  0, or -1 and
 * *e.
 */
int filter_check(const struct filter *f, const struct view *v, struct err *e);

/*
 * Do the letters of `what` (without blanks) come in order in one text of a row? Letter case is ignored.
 * Returns the least number of characters they stretch over.  0: they are not there, or too far apart.
 */
unsigned row_likeness(const struct view *v, uint32_t row, const char *what);

#endif
