/* Columns of a list pane: how wide they are on the screen, and how long cells are shortened. */
#ifndef IBSCOPE_COLUMNS_H
#define IBSCOPE_COLUMNS_H

#include "views/base/view.h"

#define GUTTER 3 /* cursor, mark, blank */

/* How cells that are too long are cut. */
struct cut {
	unsigned head;	       /* percent of a name's room that is for its begin, the rest for its end */
	int most;	       /* columns of a name at most when cells are compared, 0 = as there is room */
	char pre[64], suf[64]; /* what names begin and end with that is left out first */
};

struct fit {
	int x[VIEW_COLUMNS], w[VIEW_COLUMNS];	     /* w 0 = left out; x from the pane's inner edge */
	size_t pre[VIEW_COLUMNS], suf[VIEW_COLUMNS]; /* bytes of names that stand in the header */
	struct cut cut[VIEW_COLUMNS];
	unsigned shift[VIEW_COLUMNS]; /* columns its cells are moved to the left */
};

/* Widths within w columns; what is known of the cells is what columns_note() has seen. */
void columns_fit(const struct view *v, int w, struct fit *f);
/* Look at rows on the screen (`rows` from v->top), and once after each load at a sample of all. */
void columns_note(struct view *v, int rows);
/* Where the cells of the rows on the screen are cut, so that they differ; and how far they are moved. */
void columns_cut(struct view *v, int rows, struct fit *f);
/* A cell as it is drawn, and the room for it, which empty cells on its right lend to it. */
int columns_cell(const struct view *v, uint32_t row, unsigned col, const struct fit *f, struct text *t);
/* What its names share: "MF0;…:MQM8700/U1"; nothing where they are shown whole. */
void columns_shared(const struct view *v, unsigned col, const struct fit *f, struct text *t);
/*
 * Shorten to w columns: port numbers in brackets and arrows stay, names lose first what `how` says they
 * share, then what is between their begin and their end.  bare: without ports and arrows, to compare.
 */
void cut_cell(const char *s, int w, const struct cut *how, bool bare, struct text *t);

#endif
