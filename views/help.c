/* Pane: keys of the loaded keymap by task, panes, and commands of the table. */
#include <stdlib.h>
#include <string.h>
#include "core/base/memory.h"
#include "core/base/text.h"
#include "views/views.h"

enum { C_TASK, C_KEY, C_WHERE, C_DOES };

static const struct column columns[] = {
	{.name = "task", .width = 16},
	{.name = "key", .width = 9},
	{.name = "where", .width = 9},
	{.name = "does", .width = 20, .flex = 1},
};

/* Keys first, which the interface knows; then panes; then commands. */
struct priv {
	struct help_line *line; /* [n_rows] borrowed texts */
	size_t n, cap;
};

static void close_view(struct view *v)
{
	struct priv *p = v->priv;

	free(p->line);
	memset(p, 0, sizeof(*p));
}

static void add(struct priv *p, struct help_line l)
{
	GROW(p->line, p->n, p->cap);
	p->line[p->n++] = l;
}

static void load(struct view *v)
{
	const struct scene *sc = v->scene;
	struct priv *p = v->priv;

	close_view(v);
	for (size_t i = 0; i < sc->n_help; i++)
		add(p, sc->help[i]);
	for (size_t i = 0; all_views[i]; i++)
		add(p, (struct help_line){all_views[i]->name, "pane", view_brief(all_views[i]),
					  view_syntax(all_views[i]), "Panes"});
	for (size_t t = 0; sc->session->commands && sc->session->commands[t]; t++)
		for (const struct command *c = sc->session->commands[t]; c->name; c++)
			add(p, (struct help_line){c->name, "command", c->syntax ? c->syntax : c->name,
						  c->help, "Commands"});
	v->n_rows = (uint32_t)p->n;
	for (size_t i = 0; i < p->n; i++) {
		size_t len = strlen(p->line[i].key), task = strlen(p->line[i].task);

		if (len > v->width[C_KEY] && len <= 16)
			v->width[C_KEY] = (uint8_t)len;
		if (task > v->width[C_TASK] && task <= 24)
			v->width[C_TASK] = (uint8_t)task;
	}
}

static void title(const struct view *v, struct text *t)
{
	uint32_t n = view_count(v);

	text_add(t, "Help %u/%u ── filter to find a key or command", n ? v->sel + 1 : 0, n);
}

static void cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const struct help_line *h = &((const struct priv *)v->priv)->line[row];

	if (col == C_TASK) {
		text_add(t, "%s", h->task);
		return;
	}
	text_add(t, "%s", col == C_KEY ? h->key : col == C_WHERE ? h->where : h->does);
	if (col == C_DOES && *h->more)
		text_add(t, " ── %s", h->more);
}

static void follow(const struct view *v, uint32_t row, struct text *t)
{
	const struct help_line *h = &((const struct priv *)v->priv)->line[row];

	if (!strcmp(h->where, "command"))
		text_add(t, "help %s", h->key);
	else if (!strcmp(h->where, "pane"))
		text_add(t, "pane %s", h->key);
}

const struct view_ops view_help = {
	.name = "help",
	.brief = "keys that are bound, by task; panes and commands",
	.hints = "follow=more filter=filter search=search",
	.column = columns,
	.n_columns = ARRAY_LEN(columns),
	.flags = VIEW_WIDE,
	.priv_size = sizeof(struct priv),
	.load = load,
	.close = close_view,
	.title = title,
	.cell = cell,
	.follow = follow,
};
