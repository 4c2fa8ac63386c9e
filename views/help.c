/* Pane: keys of the loaded keymap and commands of the table. */
#include <string.h>
#include "core/base/text.h"
#include "views/views.h"

enum { C_KEY, C_WHERE, C_DOES };

static const struct column columns[] = {
	{.name = "key", .width = 10, .flex = 0},
	{.name = "where", .width = 9},
	{.name = "does", .width = 20, .flex = 1},
};

static void load(struct view *v)
{
	v->n_rows = (uint32_t)v->scene->n_help;
	for (size_t i = 0; i < v->scene->n_help; i++) {
		size_t len = strlen(v->scene->help[i].key);

		if (len > v->width[C_KEY] && len <= 16)
			v->width[C_KEY] = (uint8_t)len;
	}
}

static void title(const struct view *v, struct text *t)
{
	uint32_t n = view_count(v);

	text_add(t, "Help %u/%u ── filter to find a key or command", n ? v->sel + 1 : 0, n);
}

static void cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const struct help_line *h = &v->scene->help[row];

	text_add(t, "%s", col == C_KEY ? h->key : col == C_WHERE ? h->where : h->does);
}

static void follow(const struct view *v, uint32_t row, struct text *t)
{
	const struct help_line *h = &v->scene->help[row];

	if (!strcmp(h->where, "command"))
		text_add(t, "help %s", h->key);
	else if (!strcmp(h->where, "pane"))
		text_add(t, "pane %s", h->key);
}

const struct view_ops view_help = {
	.name = "help",
	.brief = "keys that are bound, panes and commands",
	.hints = "follow=more filter=filter search=search",
	.column = columns,
	.n_columns = ARRAY_LEN(columns),
	.flags = VIEW_WIDE,
	.load = load,
	.title = title,
	.cell = cell,
	.follow = follow,
};
