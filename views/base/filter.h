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

#include "core/base/err.h"
#include "core/base/text.h"
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

/* Helpers for panes about switch elements: arguments, short names of chips, ports between chips. */

/*
 * Finds the element that a word names, by its own name or that of a chip. *guid: its lowest chip. -1 and *e.
 */
int view_element_argument(struct scene *sc, const char *word, uint64_t *guid, struct err *e);
/* The element of a chip, or NO_ID when the chip is not up. */
uint32_t element_of_guid(const struct elements *el, uint64_t guid);

/* An element as a word of the command language: its name if commands find it by that, else its first chip. */
void word_element(const struct elements *el, uint32_t e, struct text *t);

/* The chip's name without what all chips of its element share: "L01". */
void label_chip(const struct elements *el, uint32_t sw, struct text *t);
/*
 * A port within its element: "L01[3]", the chip's name without what all chips of the element share, or "[3]"
 * for the only chip. Port 0 is "port 0".
 */
void label_chip_port(const struct elements *el, uint32_t port, struct text *t);
/*
 * A chip within its chassis: its place, then what distinguishes equal places. Without known places, only the
 * latter.
 */
void label_member(const struct view_chassis *c, uint32_t sw, struct text *t);
/*
 * Places of chips, [n_switches], owned by the caller. NULL where unknown, and for switches that stand alone.
 * Leaves out words with which all places of an element begin ("ISR9288"), and " Chip N" where a whole board
 * has the same.
 */
char **chassis_places(const struct elements *el);
/*
 * The other end of a live port: an element, or a node of the same element or of none. "-" when there is none.
 */
void label_far(const struct elements *el, uint32_t port, struct text *t);

#endif
