/* Sorting of rows, and the selection in them, for view.c and fold.c. */
#ifndef IBSCOPE_VIEW_SORT_H
#define IBSCOPE_VIEW_SORT_H

#include "views/base/view.h"

/* Sorts rows and headers by v->sort. */
void view_sort_rows(const struct view *v, uint32_t *row, uint32_t n);
/* Remembers the selected row, to find it again in another order. */
void view_note_selection(struct view *v);

#endif
