/* Causes as rows of a pane; the panes drift and check have them. */
#ifndef IBSCOPE_VIEWS_CAUSE_ROWS_H
#define IBSCOPE_VIEWS_CAUSE_ROWS_H

#include "core/analysis/compare/causes.h"
#include "views/base/view.h"

struct cause_rows {
	const struct cause *c; /* [n] borrowed */
	uint32_t n;
	char **last; /* [n] owned; labels of what was last at a port where nothing is; NULL: none */
};

/* Sets the rows of a pane; cause_rows_free() at its unload. */
void cause_rows_load(struct view *v, struct cause_rows *r, const struct cause *c, size_t n);
void cause_rows_free(struct cause_rows *r);
void cause_cell(const struct cause_rows *r, uint32_t row, const struct column *col, struct text *t);
int64_t cause_number(const struct cause_rows *r, uint32_t row, const struct column *col);
unsigned cause_marks(const struct cause *c);
bool cause_about(const struct view *v, const struct cause *c, struct subject *s);

#endif
