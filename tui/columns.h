/* Columns of a list pane: their widths on the screen, and how long cells are shortened. */
#ifndef IBSCOPE_COLUMNS_H
#define IBSCOPE_COLUMNS_H

#include "views/base/view.h"

#define GUTTER 3 /* cursor, mark, blank */

/* How cells that are too long are cut. */
struct cut {
	unsigned head;	       /* percent of a name's room for its begin; the rest is for its end */
	int most;	       /* most columns of a name when cells are compared, 0 = no limit */
	char pre[64], suf[64]; /* shared begin and end of names, left out first */
};

struct fit {
	int x[VIEW_COLUMNS], w[VIEW_COLUMNS]; /* w 0 = not shown; x counts from the pane's inner edge */
	size_t pre[VIEW_COLUMNS], suf[VIEW_COLUMNS]; /* bytes of names that the header shows */
	struct cut cut[VIEW_COLUMNS];
	unsigned shift[VIEW_COLUMNS]; /* columns by which its cells are scrolled to the left */
	int meter[VIEW_COLUMNS];      /* cells of the meter behind its cells; 0 = none */
	unsigned hidden, behind;      /* columns that have no room; those of them after the last that has */
};

/* The cells that all columns of a list need, names without what they share. */
int columns_need(struct view *v);
/* Computes widths within w columns, from the cells that columns_note() has seen. */
void columns_fit(const struct view *v, int w, struct fit *f);
/* Examines the rows on the screen (`rows` from v->top), and once after each load a sample of all rows. */
void columns_note(struct view *v, int rows);
/* Decides where cells on the screen are cut, so that they still differ, and how far they are scrolled. */
void columns_cut(struct view *v, int rows, struct fit *f);
/* A cell as it is drawn. Returns its room, including empty cells to its right. */
int columns_cell(const struct view *v, uint32_t row, unsigned col, const struct fit *f, struct text *t);
/* What the names share: "MF0;…:MQM8700/U1". Nothing if names are shown in full. */
void columns_shared(const struct view *v, unsigned col, const struct fit *f, struct text *t);
/*
 * Shortens a cell to w columns. Ports in brackets and arrows stay. Names first lose what they share (by
 * `how`), then the middle. bare: without ports and arrows, for comparisons.
 */
void cut_cell(const char *s, int w, const struct cut *how, bool bare, struct text *t);

#endif
