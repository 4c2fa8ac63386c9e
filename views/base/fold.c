/* Panes folded by switch element: rows of chips stand under headers, which can be opened and closed. */
#include <assert.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "views/base/filter.h"
#include "views/base/fold.h"
#include "views/base/view.h"

static_assert(VIEW_COLUMNS <= 32, "a bit of fold_group.same for each column");

/* --- groups of rows --------------------------------------------------------------- */

void fold_free(struct view *v)
{
	struct fold *f = v->fold;

	if (!f)
		return;
	free(f->group);
	free(f->of);
	free(f->member);
	free(f->item);
	free(f->last);
	free(f->times);
	for (unsigned c = 0; c < VIEW_COLUMNS; c++)
		text_free(&f->first[c]);
	free(f);
	v->fold = NULL;
}

/* The first flexible column that is aligned left. */
static unsigned name_column(const struct view_ops *o)
{
	for (unsigned c = 0; c < o->n_columns; c++)
		if (o->column[c].flex && !o->column[c].right)
			return c;
	return 0;
}

static void too_many(struct fold *f, uint32_t n)
{
	f->chassis = NULL;
	err_set(&f->why, "%u rows are too many (at most %u): filter them first", n, VIEW_SORT_MAX);
}

void fold_start(struct view *v)
{
	const struct view_chassis *c;
	struct fold *f;

	fold_free(v);
	if (!v->scene->fold || !(v->ops->flags & VIEW_CHIPS) || !v->scene->fabric)
		return;
	f = v->fold = NEW(struct fold);
	c = f->chassis = scene_chassis(v->scene, &f->why);
	if (!c)
		return;
	if ((v->n_rows > VIEW_SORT_MAX && !v->filter[0]) || v->n_rows > UINT32_MAX / 2) {
		too_many(f, v->n_rows);
		return;
	}
	f->name = name_column(v->ops);
	f->before = NO_ID;
	f->last = NEW_ARRAY(c->el->n + 1, uint32_t);
	f->times = NEW_ARRAY(c->el->n + 1, uint32_t);
	memset(f->last, 0xff, (c->el->n + 1) * sizeof(*f->last));
}

uint32_t fold_element(const struct view *v, uint32_t row)
{
	uint32_t sw = row_chip(v, row);

	assert(v->fold && (sw == NO_ID || sw < v->scene->fabric->n_switches));
	return sw == NO_ID ? NO_ID : v->fold->chassis->of[sw];
}

static uint32_t new_group(struct fold *f, uint32_t e)
{
	struct fold_group *g;

	GROW(f->group, f->n, f->cap);
	g = &f->group[f->n];
	*g = (struct fold_group){.element = e, .same = UINT32_MAX, .all_marks = UINT_MAX};
	/* unlike keys of rows; in a sequence, several groups of an element have different keys */
	g->key = (f->chassis->el->guid[e] ^ 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u + f->times[e];
	for (unsigned c = 0; c < VIEW_COLUMNS; c++) {
		g->lo[c] = INT64_MAX;
		g->hi[c] = INT64_MIN;
	}
	f->last[e] = f->n;
	f->fresh = false;
	return f->n++;
}

void fold_note(struct view *v, uint32_t row, bool hit)
{
	struct fold *f = v->fold;
	bool sequence = v->ops->flags & VIEW_SEQUENCE;
	uint32_t e, g = NO_ID;

	assert(fold_wanted(v));
	if (!hit && !sequence)
		return;
	e = fold_element(v, row);
	if (sequence && e != f->before && e != NO_ID) {
		f->times[e]++;
		f->fresh = true;
	}
	f->before = e;
	if (!hit)
		return;
	if (e != NO_ID)
		g = f->last[e] == NO_ID || f->fresh ? new_group(f, e) : f->last[e];
	GROW(f->of, f->n_of, f->cap_of);
	f->of[f->n_of++] = g;
	if (g != NO_ID)
		f->group[g].n++;
}

/* Members are stored group by group. A header stands at the place of its first row. */
static void make_groups(struct view *v)
{
	struct fold *f = v->fold;
	uint32_t at = 0;

	assert(f->n_of == v->n_order);
	f->member = NEW_ARRAY(f->n_of + 1, uint32_t);
	f->item = NEW_ARRAY(f->n_of + 1, uint32_t);
	for (uint32_t g = 0; g < f->n; g++) {
		f->group[g].at = at;
		at += f->group[g].n;
		f->group[g].n = 0;
	}
	for (uint32_t i = 0; i < f->n_of; i++) {
		struct fold_group *g = f->of[i] == NO_ID ? NULL : &f->group[f->of[i]];

		if (!g)
			f->item[f->n_item++] = v->order[i];
		else if (!g->n)
			f->item[f->n_item++] = v->n_rows + f->of[i];
		if (g)
			f->member[g->at + g->n++] = v->order[i];
	}
	f->grouped = true;
}

/* --- cells of headers ------------------------------------------------------------- */

static void sum_number(const struct view *v, struct fold_group *g, uint32_t row, unsigned c)
{
	int64_t n = view_number(v, row, c);

	if (n < 0)
		return;
	g->lo[c] = MIN(n, g->lo[c]);
	g->hi[c] = MAX(n, g->hi[c]);
	g->sum[c] += n;
}

/* Adds a row to its group. The first row leaves its texts in f->first; later rows are compared with them. */
static void fold_sum_row(const struct view *v, struct fold_group *g, uint32_t row, bool first,
			 struct text *cell)
{
	struct text *kept = v->fold->first;
	unsigned marks = row_marks(v, row);

	g->marks |= marks;
	g->all_marks &= marks;
	for (unsigned c = 0; c < v->ops->n_columns; c++) {
		if (v->ops->column[c].numeric)
			sum_number(v, g, row, c);
		if (!(g->same >> c & 1))
			continue;
		text_clear(first ? &kept[c] : cell);
		row_cell(v, row, c, first ? &kept[c] : cell);
		if (!first && strcmp(text_str(&kept[c]), text_str(cell)))
			g->same &= ~(1u << c);
	}
}

static bool fold_sum_up(struct view *v, double end)
{
	struct fold *f = v->fold;
	AUTO_TEXT struct text cell = {0};
	unsigned count = 0;

	while (f->sum_group < f->n) {
		struct fold_group *g = &f->group[f->sum_group];

		if (f->sum_row == g->n) {
			f->sum_group++;
			f->sum_row = 0;
			continue;
		}
		fold_sum_row(v, g, f->member[g->at + f->sum_row], !f->sum_row, &cell);
		f->sum_row++;
		if (!(++count & 63) && now_seconds() > end)
			break;
	}
	return f->sum_group == f->n;
}

bool fold_work(struct view *v, double end)
{
	struct fold *f = v->fold;

	assert(fold_wanted(v));
	if (!f->grouped && v->n_order > VIEW_SORT_MAX) {
		too_many(f, v->n_order);
		return true;
	}
	if (!f->grouped)
		make_groups(v);
	return fold_sum_up(v, end);
}

const struct fold_group *fold_group_of(const struct view *v, uint32_t header)
{
	assert(v->fold && header >= v->n_rows && header - v->n_rows < v->fold->n);
	return &v->fold->group[header - v->n_rows];
}

static uint32_t first_row(const struct view *v, const struct fold_group *g)
{
	return v->fold->member[g->at];
}

static const char *element_name(const struct view *v, uint32_t e)
{
	return v->fold->chassis->el->name[e];
}

static void head_label(const struct view *v, const struct fold_group *g, struct text *t)
{
	const char *row = v->ops->fold_row;

	if (row)
		text_add(t, "%s: %u %s%s", element_name(v, g->element), g->n, row, g->n == 1 ? "" : "s");
	else
		text_add(t, "%s (%u)", element_name(v, g->element), g->n);
}

static void head_number(const struct fold_group *g, unsigned rule, unsigned c, struct text *t)
{
	if (rule == FOLD_SUM)
		text_add(t, "%" PRId64, g->sum[c]);
	else if (rule == FOLD_RANGE && g->lo[c] != g->hi[c])
		text_add(t, "%" PRId64 "..%" PRId64, g->lo[c], g->hi[c]);
	else if (rule >= FOLD_MIN)
		text_add(t, "%" PRId64, rule == FOLD_MIN ? g->lo[c] : g->hi[c]);
}

/* A cell of a header. An unknown or empty sum is shown as the rows show it, which also asks for the value. */
static void head_cell(const struct view *v, const struct fold_group *g, unsigned c, struct text *t)
{
	unsigned rule = v->ops->column[c].fold;
	bool numeric = rule >= FOLD_SUM && v->ops->column[c].numeric, none = g->lo[c] > g->hi[c];

	if (c == v->fold->name)
		text_add(t, fold_is_open(v, g) ? "- " : "+ ");
	if (v->ops->head && v->ops->head(v, element_name(v, g->element), &v->fold->member[g->at], g->n, c, t))
		return;
	if (c == v->fold->name)
		head_label(v, g, t);
	else if (numeric && (none || ((g->same >> c & 1) && (rule != FOLD_SUM || !g->sum[c] || g->n == 1))))
		row_cell(v, first_row(v, g), c, t);
	else if (numeric)
		head_number(g, rule, c, t);
	else if (g->same >> c & 1)
		row_cell(v, first_row(v, g), c, t);
}

/* A cell of a row under a header: indented, and with the chip's place in the chassis before its name. */
static void member_cell(const struct view *v, uint32_t row, unsigned c, struct text *t)
{
	const char *place = v->fold->chassis->chassis_place[row_chip(v, row)];

	if (c == v->fold->name)
		text_add(t, "  ");
	if (v->ops->column[c].fold == FOLD_CHIP && place)
		text_add(t, "%s: ", place);
	row_cell(v, row, c, t);
}

/* The short form of a cell under a header: the chip's place instead of its name; else what the pane gives. */
bool view_brief_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const char *name;
	AUTO_TEXT struct text cell = {0};
	bool named;

	if (!fold_wanted(v))
		return v->ops->brief_cell && v->ops->brief_cell(v, row, col, t);
	if (view_is_header(v, row) || v->ops->column[col].fold != FOLD_CHIP || fold_element(v, row) == NO_ID)
		return false;
	name = switch_name(v->scene->fabric, row_chip(v, row));
	row_cell(v, row, col, &cell);
	named = !strncmp(text_str(&cell), name, strlen(name));
	if (named) {
		text_add(t, col == v->fold->name ? "  " : "");
		label_member(v->fold->chassis, row_chip(v, row), t);
		text_add(t, "%s", text_str(&cell) + strlen(name));
	}
	return named;
}

void fold_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	if (row >= v->n_rows)
		head_cell(v, fold_group_of(v, row), col, t);
	else if (v->fold->chassis && fold_element(v, row) != NO_ID)
		member_cell(v, row, col, t);
	else
		row_cell(v, row, col, t);
}

/* The number of a header for sorting. Columns without a sum or maximum use the least value. */
int64_t fold_number(const struct view *v, uint32_t header, unsigned col)
{
	const struct fold_group *g = fold_group_of(v, header);
	unsigned rule = v->ops->column[col].fold;

	if (g->lo[col] > g->hi[col])
		return -1;
	if (rule == FOLD_SUM)
		return g->sum[col];
	return rule == FOLD_MAX ? g->hi[col] : g->lo[col];
}

/* A header is down only if all its rows are; if some are, it is marked as changed. */
unsigned fold_marks(const struct view *v, uint32_t header)
{
	const struct fold_group *g = fold_group_of(v, header);

	return g->marks & ~g->all_marks & MARK_DOWN ? (g->marks & ~MARK_DOWN) | MARK_CHANGED : g->marks;
}

/* The element of the chips that are up, as commands know it. False when they belong to several. */
static bool fold_place_element(const struct view *v, const struct fold_group *g, struct text *t)
{
	const struct elements *el = scene_elements(v->scene, NULL);
	uint32_t found = NO_ID;

	for (uint32_t i = 0; i < g->n && el; i++) {
		uint32_t e = el->of[row_chip(v, v->fold->member[g->at + i])];

		if (e != NO_ID && found != NO_ID && e != found)
			return false;
		found = e != NO_ID ? e : found;
	}
	if (found != NO_ID)
		word_text(el->name[found], t);
	return found != NO_ID;
}

#define PLACEHOLDER_ROWS 4096 /* rows compared, at most */

bool fold_place(const struct view *v, uint32_t header, const char *what, struct text *t)
{
	const struct fold_group *g = fold_group_of(v, header);
	AUTO_TEXT struct text first = {0}, other = {0};
	bool agree;

	if (!strcmp(what, "element"))
		return fold_place_element(v, g, t);
	if (!strcmp(what, "object")) { /* all chips together */
		const struct fabric *f = v->scene->fabric;

		text_add(t, "chassis ");
		if (!fold_place_element(v, g,
					t)) /* if the element is down, one of its switches also names it */
			word_node(f, f->switch_node[row_chip(v, first_row(v, g))], t);
		return true;
	}
	agree = g->n <= PLACEHOLDER_ROWS && row_place(v, first_row(v, g), what, &first);
	for (uint32_t i = 1; i < g->n && agree; i++) {
		text_clear(&other);
		agree = row_place(v, v->fold->member[g->at + i], what, &other) &&
			!strcmp(text_str(&first), text_str(&other));
	}
	if (agree)
		text_add(t, "%s", text_str(&first));
	return agree;
}

/* --- open and closed headers -------------------------------------------------------- */

bool fold_is_open(const struct view *v, const struct fold_group *g)
{
	for (uint32_t i = 0; i < v->n_open; i++)
		if (v->open[i] == g->key)
			return true;
	return false;
}

static void set_open(struct view *v, uint64_t key, bool open)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < v->n_open; i++)
		if (v->open[i] != key)
			v->open[n++] = v->open[i];
	v->n_open = n;
	if (!open)
		return;
	GROW(v->open, v->n_open, v->cap_open);
	v->open[v->n_open++] = key;
}

static void show_row(struct view *v, uint32_t row)
{
	GROW(v->order, v->n_order, v->cap_order);
	v->order[v->n_order++] = row;
}

/* Sums have more digits than the column's rows: make columns wider. Hidden columns stay hidden. */
static void fold_widen(struct view *v)
{
	AUTO_TEXT struct text t = {0};

	for (unsigned c = 0; c < v->ops->n_columns; c++) {
		if (v->ops->column[c].fold < FOLD_SUM || v->ops->column[c].flex || !v->width[c])
			continue;
		for (uint32_t g = 0; g < v->fold->n; g++) {
			text_clear(&t);
			head_cell(v, &v->fold->group[g], c, &t);
			if (t.len > v->width[c])
				v->width[c] = (uint8_t)(MIN(t.len, UINT8_MAX));
		}
	}
}

void fold_show(struct view *v)
{
	struct fold *f = v->fold;
	AUTO_FREE uint32_t *item = mem_dup(f->item, (f->n_item + 1) * sizeof(*item));

	assert(f->grouped);
	if (!f->ready)
		fold_widen(v);
	f->ready = true;
	if (v->sort >= 0)
		view_sort_rows(v, item, f->n_item);
	v->n_order = 0;
	for (uint32_t i = 0; i < f->n_item; i++) {
		const struct fold_group *g = item[i] >= v->n_rows ? fold_group_of(v, item[i]) : NULL;

		show_row(v, item[i]);
		if (!g || !fold_is_open(v, g))
			continue;
		for (uint32_t k = 0; k < g->n; k++)
			show_row(v, f->member[g->at + k]);
		if (v->sort >= 0)
			view_sort_rows(v, v->order + v->n_order - g->n, g->n);
	}
}

/* The group of a row with this number (or key), or NO_ID. Looks at no more than `most` rows. */
static uint32_t find_group(const struct view *v, bool by_key, uint64_t want, uint32_t most)
{
	const struct fold *f = v->fold;

	for (uint32_t g = 0, i = 0; f && f->ready && g < f->n; g++)
		for (uint32_t k = 0; k < f->group[g].n && i < most; k++, i++) {
			uint32_t row = f->member[f->group[g].at + k];

			if ((by_key ? view_key(v, row) : row) == want)
				return g;
		}
	return NO_ID;
}

bool fold_reveal(struct view *v, uint32_t row)
{
	uint32_t g = find_group(v, false, row, UINT32_MAX);

	if (g == NO_ID || fold_is_open(v, &v->fold->group[g]))
		return false;
	set_open(v, v->fold->group[g].key, true);
	fold_show(v);
	return true;
}

uint32_t fold_header_of(const struct view *v, uint64_t key, uint32_t most)
{
	uint32_t g = find_group(v, true, key, most);

	return g == NO_ID ? NO_ID : v->n_rows + g;
}

bool view_toggle(struct view *v)
{
	const struct fold_group *g;
	uint32_t row;

	if (!view_current(v, &row) || !view_is_header(v, row))
		return false;
	g = fold_group_of(v, row);
	set_open(v, g->key, !fold_is_open(v, g));
	fold_show(v);
	for (uint32_t i = 0; i < v->n_order; i++)
		if (v->order[i] == row)
			view_select(v, i);
	return true;
}

void view_fold_title(const struct view *v, struct text *t)
{
	const struct fold *f = v->fold;

	if (!f)
		return;
	if (!f->chassis)
		text_add(t, " ── not folded: %s", f->why.msg);
	else if (f->ready && !f->n)
		text_add(t, v->n_rows ? " ── nothing to fold" : "");
	else if (f->ready)
		text_add(t, " ── folded");
}

void view_inherit(struct view *v, const struct view *from)
{
	assert(v->ops == from->ops);
	v->sort = from->sort;
	v->descending = from->descending;
	memcpy(v->filter, from->filter, sizeof(v->filter));
	for (uint32_t i = 0; i < from->n_open; i++)
		set_open(v, from->open[i], true);
}
