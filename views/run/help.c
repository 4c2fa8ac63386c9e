/* The pane `help`: the columns of a pane, keys of the loaded keymap by task, panes, commands, and topics. */
#include <stdlib.h>
#include <string.h>
#include "core/session/args.h"
#include "core/base/memory.h"
#include "core/session/topics.h"
#include "core/session/command.h"
#include "views/base/view.h"

enum { C_TASK, C_KEY, C_WHERE, C_DOES };

static const struct column columns[] = {
	COL("task", "what it is for", 16),
	COL("key", "the key, or the name", 9),
	COL("where", "the pane in which the key holds, or the kind of the name", 9),
	COL("does", "what it does", 20, .flex = 1),
};

/* Columns come first; then keys, which the interface knows; then panes, commands and topics. */
struct priv {
	const struct view_ops *about; /* the pane whose columns are told; NULL = none */
	struct help_line *line;	      /* [n_rows] borrowed texts */
	size_t n, cap;
};

static void unload(struct view *v)
{
	free(((struct priv *)v->priv)->line);
}

static int open_view(struct view *v, const struct args *a, struct err *e)
{
	struct priv *p = v->priv;

	p->about = a->n ? view_in(v->scene->panes, a->arg[0].word, e) : NULL;
	return a->n && !p->about ? -1 : 0;
}

static void add(struct priv *p, struct help_line l)
{
	GROW(p->line, p->n, p->cap);
	p->line[p->n++] = l;
}

static void add_columns(struct priv *p, const struct session *s)
{
	for (unsigned c = 0; p->about && c < p->about->n_columns; c++) {
		const struct column *k = &p->about->column[c];
		const struct topic *t = k->help ? NULL : topic_of_column(s, k->name);

		if (t)
			add(p, (struct help_line){k->name, "column", t->text, t->name, "Columns"});
		else if (k->help)
			add(p, (struct help_line){k->name, "column", k->help, "", "Columns"});
	}
}

static void add_topics(struct priv *p, const struct session *s)
{
	const struct topic *t;

	for (size_t i = 0; (t = topic_at(s, i)); i++)
		add(p, (struct help_line){t->name, "topic", t->text, "", "Words of the field"});
}

static void load(struct view *v)
{
	const struct scene *sc = v->scene;
	struct priv *p = v->priv;

	add_columns(p, sc->session);
	for (size_t i = 0; i < sc->n_help; i++)
		add(p, sc->help[i]);
	for (const struct view_ops *const *o = sc->panes; o && *o; o++)
		add(p, (struct help_line){(*o)->name, "pane", view_brief(*o), view_syntax(*o), "Panes"});
	for (size_t t = 0; sc->session->commands && sc->session->commands[t]; t++)
		for (const struct command *c = sc->session->commands[t]; c->name; c++)
			add(p, (struct help_line){c->name, "command", c->syntax ? c->syntax : c->name,
						  c->help, "Commands"});
	add_topics(p, sc->session);
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

	const struct view_ops *about = ((const struct priv *)v->priv)->about;

	text_add(t, "Help %u/%u%s%s ── filter to find a key or command", n ? v->sel + 1 : 0, n,
		 about ? " from " : "", about ? about->name : "");
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

	if (!strcmp(h->where, "column"))
		text_add(t, "help %s", *h->more ? h->more : h->key);
	else if (!strcmp(h->where, "command") || !strcmp(h->where, "topic"))
		text_add(t, "help %s", h->key);
	else if (!strcmp(h->where, "pane"))
		text_add(t, "pane %s", h->key);
}

const struct view_ops view_help = {
	.name = "help",
	.brief = "words of a pane's columns; keys that are bound, by task; panes, commands, topics",
	.syntax = "[PANE]",
	.hints = "follow=more filter=filter search=search",
	COLUMNS(columns),
	.flags = VIEW_WIDE | VIEW_TIMELESS,
	.priv_size = sizeof(struct priv),
	.priv_kept = offsetof(struct priv, line),
	.open = open_view,
	DOES(load, unload, title, cell, follow),
};
