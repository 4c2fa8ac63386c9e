/* Folding, used by view.c: rows of switch chips under a header for their element. */
#ifndef IBSCOPE_FOLD_H
#define IBSCOPE_FOLD_H

#include "core/base/err.h"
#include "core/base/text.h"
#include "views/base/view.h"

/* The rows under one header, and their sums. */
struct fold_group {
	uint32_t element;
	uint32_t at, n; /* fold.member[at] .. [at + n - 1] */
	uint64_t key;
	unsigned marks, all_marks; /* marks of any row, marks of all rows */
	uint32_t same;		   /* bit c: all rows have the same text in column c */
	int64_t lo[VIEW_COLUMNS], hi[VIEW_COLUMNS], sum[VIEW_COLUMNS]; /* lo > hi: no number is known */
};

struct fold {
	const struct view_chassis *chassis; /* of the loaded scene; NULL: `why` tells why not */
	struct err why;
	unsigned name; /* column with the names of headers */
	bool ready;    /* headers are shown; otherwise rows are still being read */
	bool grouped;  /* members and items were made */
	struct fold_group *group;
	uint32_t n, cap;
	uint32_t *of; /* [n_of] group of each found row, NO_ID = none */
	uint32_t n_of, cap_of;
	uint32_t *member; /* rows of the groups, each group in the order of rows */
	uint32_t *item;	  /* [n_item] headers, and rows without header, in the order of their first rows */
	uint32_t n_item;
	uint32_t *last;	 /* [elements] latest group of an element, or NO_ID */
	uint32_t *times; /* [elements] number of groups that a sequence made of it */
	uint32_t before; /* element of the row before, in a sequence */
	bool fresh;	 /* a sequence has come to an element: its next found row begins a group */
	uint32_t sum_group, sum_row;	 /* next row to be summed up */
	struct text first[VIEW_COLUMNS]; /* texts of the first row of that group */
};

/* Begins again, by scene.fold. Then rows are noted one after the other. */
void fold_start(struct view *v);
void fold_free(struct view *v);
static inline bool fold_wanted(const struct view *v)
{
	return v->fold && v->fold->chassis;
}

/* Notes the next row. hit: the row passes the filter. */
void fold_note(struct view *v, uint32_t row, bool hit);
/* Groups and sums up the found rows in v->order until time `end`. True when finished. */
bool fold_work(struct view *v, double end);
/* Puts the headers and rows that are shown into v->order. */
void fold_show(struct view *v);
/* Opens the header of a row. False when it is not closed. */
bool fold_reveal(struct view *v, uint32_t row);
/* The header of a row with this key, or NO_ID. Looks at no more than `most` rows. */
uint32_t fold_header_of(const struct view *v, uint64_t key, uint32_t most);

/* The element under which a row is shown, or NO_ID. */
uint32_t fold_element(const struct view *v, uint32_t row);
const struct fold_group *fold_group_of(const struct view *v, uint32_t header);
bool fold_is_open(const struct view *v, const struct fold_group *g);
/* Cells, numbers, marks and placeholders: fold_cell() for rows and headers, the others for headers. */
void fold_cell(const struct view *v, uint32_t row, unsigned col, struct text *t);
int64_t fold_number(const struct view *v, uint32_t header, unsigned col);
unsigned fold_marks(const struct view *v, uint32_t header);
bool fold_place(const struct view *v, uint32_t header, const char *what, struct text *t);

#endif
