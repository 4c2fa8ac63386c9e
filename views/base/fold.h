/* Folding, as view.c drives it: rows of switch chips under a header of their element. */
#ifndef IBSCOPE_FOLD_H
#define IBSCOPE_FOLD_H

#include "core/base/err.h"
#include "core/base/text.h"
#include "views/base/view.h"

/* Rows under one header, and what they say together. */
struct fold_group {
	uint32_t element;
	uint32_t at, n; /* fold.member[at] .. [at + n - 1] */
	uint64_t key;
	unsigned marks, all_marks; /* of any row, of all rows */
	uint32_t same;		   /* bit c: all rows say the same in column c */
	int64_t lo[VIEW_COLUMNS], hi[VIEW_COLUMNS], sum[VIEW_COLUMNS]; /* lo > hi: nothing is known */
};

struct fold {
	const struct chassis
		*chassis; /* of the scene the pane is loaded from; NULL: why says why not folded */
	struct err why;
	unsigned name; /* column with the names of headers */
	bool ready;    /* headers are shown; else rows are still looked at */
	bool grouped;  /* members and items are made */
	struct fold_group *group;
	uint32_t n, cap;
	uint32_t *of; /* [n_of] group of each row found, NO_ID = none */
	uint32_t n_of, cap_of;
	uint32_t *member; /* rows of the groups, each in the order of rows */
	uint32_t *item;	  /* [n_item] headers and rows without one, by first row */
	uint32_t n_item;
	uint32_t *last;		     /* [elements] latest group of an element, NO_ID */
	uint32_t *times;	     /* [elements] how often a sequence came to it */
	uint32_t before;	     /* element of the row before, in a sequence */
	bool fresh;		     /* a sequence came to an element: its next row found begins a group */
	uint32_t sum_group, sum_row; /* next to be summed up */
	struct text first[VIEW_COLUMNS]; /* what the first row of that group says */
};

/* Begin anew, as scene.fold says; rows are then noted one after the other. */
void fold_start(struct view *v);
void fold_free(struct view *v);
static inline bool fold_wanted(const struct view *v)
{
	return v->fold && v->fold->chassis;
}

/* The next row; hit: it belongs to what is shown. */
void fold_note(struct view *v, uint32_t row, bool hit);
/* All rows found are in v->order: group and sum up until `end`; true when done. */
bool fold_work(struct view *v, double end);
/* Put headers and rows into v->order as they are shown. */
void fold_show(struct view *v);
/* Open what a row is under; false when nothing is closed there. */
bool fold_reveal(struct view *v, uint32_t row);
/* Header above a row that has this key, NO_ID when none of `most` rows has. */
uint32_t fold_header_of(const struct view *v, uint64_t key, uint32_t most);

/* Element a row is shown under, NO_ID when under none. */
uint32_t fold_element(const struct view *v, uint32_t row);
const struct fold_group *fold_group_of(const struct view *v, uint32_t header);
bool fold_is_open(const struct view *v, const struct fold_group *g);
/* Cells of rows and headers. */
void fold_cell(const struct view *v, uint32_t row, unsigned col, struct text *t);
int64_t fold_number(const struct view *v, uint32_t header, unsigned col);
unsigned fold_marks(const struct view *v, uint32_t header);
bool fold_place(const struct view *v, uint32_t header, const char *what, struct text *t);

#endif
