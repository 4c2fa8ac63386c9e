/* The pane `warnings`: oddities of the input that did not stop the program. Enter shows a text in full. */
#include "views/base/view.h"

enum { C_LINE, C_KIND, C_TEXT };

static const struct column columns[] = {
	NUM("line", "line of the file", 6),
	COL("kind", "the kind of oddity", 18, .drop = 2),
	COL("text", "what the source says there", 12, .flex = 1, .prose = true),
};

static const struct warning *warning_of(const struct view *v, uint32_t row)
{
	return &v->scene->fabric->warnings.w[row];
}

static void warnings_pane_load(struct view *v)
{
	v->n_rows = v->scene->fabric ? (uint32_t)v->scene->fabric->warnings.n : 0;
}

static void warnings_pane_title(const struct view *v, struct text *t)
{
	text_add(t, "Warnings");
	if (v->scene->fabric)
		text_add(t, " of %s ── %u", v->scene->fabric->source, v->n_rows);
}

static int64_t warnings_pane_number(const struct view *v, uint32_t row, unsigned col)
{
	(void)col;
	return warning_of(v, row)->line;
}

static void warnings_pane_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const struct warning *w = warning_of(v, row);

	if (col == C_KIND)
		text_add(t, "%s", w->kind);
	else if (col == C_TEXT)
		text_add(t, "%s", w->text);
	else if (w->line)
		text_add(t, "%u", w->line);
}

static void warnings_pane_follow(const struct view *v, uint32_t row, struct text *t)
{
	const struct warning *w = warning_of(v, row);
	struct text line = {0};

	if (w->line)
		text_add(&line, "line %u: ", w->line);
	text_add(&line, "%s: %s", w->kind, w->text);
	text_add(t, "echo ");
	word_text(text_str(&line), t);
	text_free(&line);
}

const struct view_ops view_warnings = {
	.name = "warnings",
	.brief = "lists oddities of the fabric's source; Enter prints the whole text",
	.hints = "follow=print",
	COLUMNS(columns),
	.flags = VIEW_WIDE | VIEW_PRESENT,
	.load = warnings_pane_load,
	.title = warnings_pane_title,
	.cell = warnings_pane_cell,
	.number = warnings_pane_number,
	.follow = warnings_pane_follow,
};
