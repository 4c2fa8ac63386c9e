/* Cells of CSV files for spreadsheets, which compute what looks like a formula: names come from outside. */
#ifndef IBSCOPE_CSV_H
#define IBSCOPE_CSV_H

#include "core/base/text.h"

/*
 * Adds s as text_csv() does.  safe: what begins with = + - @, a tab or a carriage return, and is no number,
 * gets an apostrophe before it, so that a spreadsheet takes it for text.
 */
void csv_add_cell(struct text *t, const char *s, bool safe);

#endif
