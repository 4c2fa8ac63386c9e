/* Cells of CSV files for spreadsheets.  Names come from outside, and a spreadsheet computes whatever looks
 * like a formula. */
#ifndef IBSCOPE_CSV_H
#define IBSCOPE_CSV_H

#include "core/base/text.h"

/*
 * Adds s as text_csv() does.  With `safe`, text that begins with = + - @, a tab or a carriage return and is
 * not a number gets an apostrophe in front, so that a spreadsheet takes it for text.
 */
void csv_add_cell(struct text *t, const char *s, bool safe);

#endif
