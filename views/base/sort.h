/* Order of rows and what is selected in it, for view.c and fold.c. */
#ifndef IBSCOPE_VIEW_SORT_H
#define IBSCOPE_VIEW_SORT_H

#include "views/base/view.h"

/* Put rows and headers into the order of v->sort. */
void view_sort_rows(const struct view *v, uint32_t *row, uint32_t n);
/* The selected row is to be found again when they have another order. */
void view_note_selection(struct view *v);

#endif
