/* Texts and marks of rows and headers, and of the pane itself. */
#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/clean.h"
#include "core/base/err.h"
#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/trace/walk.h"
#include "views/base/fold.h"
#include "views/base/view.h"

/* --- tables ----------------------------------------------------------------- */

void row_values(const struct view *v, struct table_row *r, size_t n, const int64_t *value)
{
	assert(n == v->ops->n_columns);
	memcpy(r->value, value, n * sizeof(*value));
}

size_t row_text(struct table_row *r, const char *fmt, ...)
{
	size_t at;
	va_list ap;

	text_putc(&r->text, 0); /* ends the text before */
	at = r->text.len;
	va_start(ap, fmt);
	text_addv(&r->text, fmt, ap);
	va_end(ap);
	return at;
}

void row_fields(const struct view *v, struct table_row *r, const struct field *f, const void *x)
{
	for (unsigned c = 0; c < v->ops->n_columns; c++) {
		const struct field *shown = field_of_column(f, v->ops->column[c].name);

		if (!shown)
			continue;
		r->value[c] = field_number(shown, x);
		r->says[c] = row_text(r, "%s", "");
		field_cell(shown, x, &r->text);
	}
}

void row_touch(const struct view *v, struct table_row *r, unsigned col, unsigned table, uint32_t at)
{
	assert(col < v->ops->n_columns);
	r->touched |= (unsigned)moment_touched(v->scene->moment, table, at) << col;
}

/* Asks for a row, unless it is the one asked for last: its cells are wanted one after the other. */
static const struct table_row *table_row_told(const struct view *v, uint32_t row)
{
	struct table_row *r = v->told;
	struct text text = r->text;

	assert(row < v->n_rows);
	if (r->row == row)
		return r;
	text_clear(&text);
	*r = (struct table_row){.row = row, .about = SUBJECT_NONE(row), .text = text};
	v->ops->row(v, row, r);
	return r;
}

static void table_cell(const struct view *v, const struct table_row *r, unsigned col, struct text *t)
{
	const struct fabric *f = v->scene->fabric;
	const struct topo *tp;
	uint32_t id = (uint32_t)r->value[col];

	if (r->says[col]) {
		text_add(t, "%s", r->text.s + r->says[col]);
		return;
	}
	switch (v->ops->column[col].kind) {
	case CELL_SWITCH:
		text_add(t, "%s", id == NO_ID ? "-" : switch_name(f, id));
		return;
	case CELL_GUID:
		text_add(t, "0x%016" PRIx64, f->node_guid[f->switch_node[id]]);
		return;
	case CELL_LINK:
		label_channel(scene_origin(v->scene)->topo, id, false, t);
		return;
	case CELL_PEER:
		tp = scene_origin(v->scene)->topo;
		if (id != NO_ID && tp->peer[id] != NO_ID)
			text_add(t, "%s", f->node_name[f->port_node[tp->peer[id]]]);
		return;
	case CELL_LID:
		lid_label(f, scene_origin(v->scene)->lids, id, t);
		return;
	}
	if (v->ops->column[col].numeric)
		number_cell(r->value[col], t);
	else if (r->value[col])
		text_add(t, "%s", r->text.s + r->value[col]);
}

void row_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	if (v->ops->row)
		table_cell(v, table_row_told(v, row), col, t);
	else
		v->ops->cell(v, row, col, t);
}

unsigned row_marks(const struct view *v, uint32_t row)
{
	if (v->ops->row)
		return table_row_told(v, row)->marks;
	return v->ops->marks ? v->ops->marks(v, row) : 0;
}

bool row_about(const struct view *v, uint32_t row, struct subject *s)
{
	*s = SUBJECT_NONE(row);
	if (!v->ops->row)
		return v->ops->about && v->ops->about(v, row, s);
	*s = table_row_told(v, row)->about;
	return true;
}

uint64_t view_key(const struct view *v, uint32_t row)
{
	struct subject s;

	if (view_is_header(v, row))
		return fold_group_of(v, row)->key;
	view_subject(v, row, &s);
	return s.key;
}

bool view_selected(const struct view *v, uint32_t *row)
{
	return view_current(v, row) && !view_is_header(v, *row);
}

bool view_current(const struct view *v, uint32_t *row)
{
	if (v->sel >= view_count(v))
		return false;
	*row = view_row(v, v->sel);
	return true;
}

void view_note_selection(struct view *v)
{
	uint32_t row;

	if (!view_current(v, &row))
		return;
	v->noted = true;
	v->sel_key = v->sel_inner = view_key(v, row);
	if (view_is_header(v, row))
		v->sel_inner = view_key(v, v->fold->member[fold_group_of(v, row)->at]);
}

void view_select(struct view *v, int64_t i)
{
	int64_t n = view_count(v);

	if (i >= n)
		i = n - 1;
	v->sel = i < 0 ? 0 : (uint32_t)i;
	view_note_selection(v);
}

const char *view_syntax(const struct view_ops *ops)
{
	return ops->syntax ? ops->syntax : "";
}

const char *view_brief(const struct view_ops *ops)
{
	return ops->brief ? ops->brief : "";
}

const char *view_hints(const struct view_ops *ops)
{
	return ops->hints ? ops->hints : "";
}

void title_place(const struct view *v, const char *name, struct text *t)
{
	uint32_t n = view_count(v);

	text_add(t, "%c%s %u/%u", toupper((unsigned char)*name), name + 1, n ? v->sel + 1 : 0, n);
}

void view_title(const struct view *v, struct text *t)
{
	if (v->ops->title)
		v->ops->title(v, t);
	else if (v->title.len)
		text_add(t, "%s", v->title.s);
	else
		title_place(v, v->ops->name, t);
	if (v->scene->moment && v->ops->flags & VIEW_PRESENT)
		text_add(t, " ── present");
}

void view_footer(const struct view *v, struct text *t)
{
	const struct table_row *r;
	uint32_t row;

	if (v->ops->footer) {
		v->ops->footer(v, t);
		return;
	}
	text_add(t, "%s", text_str(&v->footer));
	if (!v->ops->row || !view_selected(v, &row))
		return;
	r = table_row_told(v, row);
	text_add(t, "%s", r->footer ? r->text.s + r->footer : "");
}

const char *view_column_name(const struct view *v, unsigned col)
{
	assert(col < v->ops->n_columns);
	return v->ops->column_name ? v->ops->column_name(v, col) : v->ops->column[col].name;
}

void view_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	size_t from = t->len;

	assert(col < v->ops->n_columns && (v->fold || row < v->n_rows));
	if (v->fold)
		fold_cell(v, row, col, t);
	else
		row_cell(v, row, col, t);
	clean_rest(t, from);
}

/* The number at the start of a cell, or -1. */
static int64_t number_of_cell(const struct view *v, uint32_t row, unsigned col)
{
	AUTO_TEXT struct text t = {0};
	char *end;
	int64_t n;

	row_cell(v, row, col, &t);
	n = strtoll(text_str(&t), &end, 10);
	return end == text_str(&t) ? -1 : n;
}

int64_t view_number(const struct view *v, uint32_t row, unsigned col)
{
	if (view_is_header(v, row))
		return fold_number(v, row, col);
	if (v->ops->row)
		return table_row_told(v, row)->value[col];
	return v->ops->number ? v->ops->number(v, row, col) : number_of_cell(v, row, col);
}

/* The element of a row, also if it has only one chip. */
static bool view_row_place_element(const struct view *v, uint32_t row, struct text *t)
{
	const struct elements *el = v->ops->flags & VIEW_CHIPS ? scene_elements(v->scene, NULL) : NULL;
	uint32_t sw = el ? row_chip(v, row) : NO_ID;
	uint32_t e = sw == NO_ID ? NO_ID : el->of[sw];

	if (e != NO_ID)
		word_text(el->name[e], t);
	return e != NO_ID;
}

bool view_place(const struct view *v, uint32_t row, const char *what, struct text *t)
{
	if (view_is_header(v, row))
		return fold_place(v, row, what, t);
	return row_place(v, row, what, t) || (!strcmp(what, "element") && view_row_place_element(v, row, t));
}

static bool row_touched(const struct view *v, uint32_t row, unsigned col)
{
	if (v->ops->row)
		return table_row_told(v, row)->touched >> col & 1;
	return v->ops->touched && v->ops->touched(v, row, col);
}

bool view_touched(const struct view *v, uint32_t row, unsigned col)
{
	return v->scene->moment && !view_is_header(v, row) && row_touched(v, row, col);
}

unsigned view_marks(const struct view *v, uint32_t row)
{
	unsigned marks;

	if (view_is_header(v, row))
		return fold_marks(v, row);
	marks = row_marks(v, row);
	for (unsigned c = 0; v->scene->moment && c < v->ops->n_columns; c++)
		marks |= mark_if(row_touched(v, row, c), MARK_STEP);
	return marks;
}

char marks_sign(unsigned marks)
{
	if (marks & MARK_DOWN)
		return 'x';
	if (marks & MARK_CHANGED)
		return '!';
	if (marks & MARK_STEP)
		return '+';
	if (marks & MARK_DETOUR)
		return '~';
	return marks & MARK_HERE ? '*' : ' ';
}

void view_progress(const struct view *v, struct text *t)
{
	for (unsigned i = 0; i < 20; i++)
		text_add(t, "%s", i < v->scene->percent / 5 ? "█" : "░");
	text_add(t, " %u%%", v->scene->percent);
	if (v->scene->left >= 0)
		text_add(t, ", %.0f s left", v->scene->left);
	text_add(t, "; Esc stops");
}

/* --- command lines ---------------------------------------------------------- */

const struct view_word view_words[] = {
	{"node", "the node that the row is about"},
	{"switch", "the switch that it is about, or that the entry stands in"},
	{"host", "the host that it is about"},
	{"port", "the port, as NODE[PORT]"},
	{"number", "the number of the port"},
	{"peer", "the node at the other end of the cable"},
	{"far", "the port at the other end"},
	{"element", "the switch element (chassis)"},
	{"object", "what fails when the row does: `link NODE[PORT]`, `switch NODE` or `host NODE`"},
	{"guid", "the GUID of the node"},
	{"name", "the name of the node"},
	{"lid", "the LID"},
	{"endport", "the host port, or the switch, that has the LID"},
	{"src", "where the path begins"},
	{"dst", "where the path, or the entry, leads"},
	{"vl", "the virtual lane, in the panes layers and cdg"},
	{"layer", "the engine's layer; in panes of VLs the VL"},
	{"loop", "in the pane cdg: the credit loop of the channel, as the pane cycle takes it"},
	{"cycle", "in the pane cuts: the cycle that was cut"},
	{"hottest", "in the pane path: the port with most routes"},
	{"finding", "in the pane doctor: the whole text"},
	{"advice", "in the pane advise: the whole text"},
	{"step", "in the pane step: the step"},
	{"why", "in the pane step: what `why` is asked about it"},
	{"pane", "the name of the pane"},
	{"here", "behind `prompt`: where the cursor stands, for what is typed"},
	{"other", "what is selected in the pane used before, as a condition of `step until`"},
	{NULL, NULL},
};

static bool view_row_is_word(const char *name)
{
	for (const struct view_word *w = view_words; w->name; w++)
		if (!strcmp(w->name, name))
			return true;
	return false;
}

/* Fills in a command line. row NO_ID: there is no row. */
static int view_row_fill(const struct view *v, uint32_t row, const char *line, struct text *t, struct err *e)
{
	for (const char *p = line; *p;) {
		char name[24];
		size_t n = 0;

		if (*p != '%' || !islower((unsigned char)p[1])) {
			text_putc(t, *p++);
			continue;
		}
		for (p++; islower((unsigned char)*p) && n + 1 < sizeof(name); p++)
			name[n++] = *p;
		name[n] = 0;
		if (!strcmp(name, "pane"))
			text_add(t, "%s", v->ops->name);
		else if (!strcmp(name, "here"))
			text_add(t, "%s", PLACE_HERE);
		else if (row == NO_ID || !view_place(v, row, name, t))
			return err_set(e,
				       view_row_is_word(name)
					       ? "no %s in this row of pane %s"
					       : "found %%%s, expected a word that `help keys` "
						 "lists (pane %s)",
				       name, v->ops->name);
	}
	return 0;
}

int view_expand(const struct view *v, const char *line, struct text *t, struct err *e)
{
	uint32_t row;

	return view_row_fill(v, view_current(v, &row) ? row : NO_ID, line, t, e);
}

void view_fill(const struct view *v, uint32_t row, const char *line, struct text *t)
{
	AUTO_TEXT struct text whole = {0};

	if (!view_row_fill(v, row, line, &whole, NULL))
		text_add(t, "%s", text_str(&whole));
}

bool view_has_subjects(const struct view *v)
{
	return v->ops->about || v->ops->row;
}

bool view_leads(const struct view *v)
{
	return v->ops->enter || v->ops->follow;
}

void view_follow(const struct view *v, uint32_t row, struct text *t)
{
	assert(!view_is_header(v, row));
	const struct table_row *r = v->ops->row ? table_row_told(v, row) : NULL;
	const char *line = r && r->follow ? r->text.s + r->follow : v->ops->enter;

	if (v->ops->follow)
		v->ops->follow(v, row, t);
	else if (line)
		view_fill(v, row, line, t);
}

const struct view_ops *view_in(const struct view_ops *const *panes, const char *name, struct err *e)
{
	const struct view_ops *found = NULL;
	size_t len = strlen(name);
	AUTO_TEXT struct text t = {0};
	unsigned n = 0;

	for (size_t i = 0; panes && panes[i]; i++) {
		if (!strcmp(panes[i]->name, name))
			return panes[i];
		if (!strncmp(panes[i]->name, name, len)) {
			found = panes[i];
			n++;
		}
	}
	if (n == 1)
		return found;
	for (size_t i = 0; panes && panes[i]; i++)
		text_add(&t, " %s", panes[i]->name);
	err_word(e, "found pane \"%s\", expected one of%s", name, text_str(&t));
	return NULL;
}
