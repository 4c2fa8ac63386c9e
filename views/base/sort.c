/* Rows and headers in the order of a column. */
#include <stdlib.h>
#include <string.h>
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/text.h"
#include "views/base/fold.h"
#include "views/base/sort.h"

struct sort_item {
	int64_t number;
	const char *text;
	uint32_t row, place;
};

COMPARATOR(by_number, struct sort_item, UP(number) UP(place))

COMPARATOR(by_text, struct sort_item, FIELD_BY(strverscmp, text) UP(place))

/* The name column of a header is sorted by its element's name. */
static void sort_text(const struct view *v, uint32_t row, struct text *t)
{
	if (view_is_header(v, row) && v->sort == (int)v->fold->name)
		/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a header is of a chassis */
		text_add(t, "%s", v->fold->chassis->el->name[fold_group_of(v, row)->element]);
	else
		view_cell(v, row, (unsigned)v->sort, t);
}

/* The text keys of all rows stand one after the other in one buffer. */
static void sort_by_text(const struct view *v, struct sort_item *it, uint32_t n)
{
	size_t *at = NEW_ARRAY((size_t)n + 1, size_t);
	struct text keys = {0};

	for (uint32_t i = 0; i < n; i++) {
		at[i] = keys.len;
		sort_text(v, it[i].row, &keys);
		text_putc(&keys, 0);
	}
	for (uint32_t i = 0; i < n; i++)
		it[i].text = keys.s + at[i];
	qsort(it, n, sizeof(*it), by_text);
	text_free(&keys);
	free(at);
}

void view_sort_rows(const struct view *v, uint32_t *row, uint32_t n)
{
	struct sort_item *it = NEW_ARRAY((size_t)n + 1, struct sort_item);

	for (uint32_t i = 0; i < n; i++)
		it[i] = (struct sort_item){.row = row[i], .place = i};
	if (v->ops->column[v->sort].numeric) {
		for (uint32_t i = 0; i < n; i++)
			it[i].number = view_number(v, row[i], (unsigned)v->sort);
		qsort(it, n, sizeof(*it), by_number);
	} else {
		sort_by_text(v, it, n);
	}
	for (uint32_t i = 0; i < n; i++)
		row[v->descending ? n - 1 - i : i] = it[i].row;
	free(it);
}
