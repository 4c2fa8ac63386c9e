/*
 * The pane `hotter`: links that carry more routes since the last event or a snapshot, then those that carry
 * fewer.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "core/session/args.h"
#include "core/analysis/traffic/load_diff.h"
#include "core/base/memory.h"
#include "views/base/question.h"

enum { C_LINK, C_PEER, C_BEFORE, C_AFTER, C_GAIN };

static const struct column columns[] = {
	COL("link", "a cable in one direction, named by the port that sends", 10, .flex = 1,
	    .fold = FOLD_CHIP),
	COL("to", "what the link leads to", 10, .flex = 1),
	NUM("before", "routes over the link before, or in the snapshot", 0, .fold = FOLD_SUM),
	NUM("now", "routes over it now", 6, .fold = FOLD_SUM),
	NUM("gain", "routes now minus routes before", 6),
};

struct hotter_pane {
	const struct load_diff *d; /* borrowed; NULL = missing */
	const char *why;	   /* static; why there is no question; NULL: there is one */
};

/* --- computed by another thread ----------------------------------------------------------------- */

FREED_BY(free_diff, load_diff_free)

static void *run_diff(const struct job *j)
{
	const struct between_question *q = j->base;

	return load_diff_new(q->ra, q->rb, j->progress);
}

static const struct task task_diff = {.run = run_diff, .free = free_diff};

/* --- the pane ------------------------------------------------------------------------------------ */

static void hotter_pane_load(struct view *v)
{
	struct hotter_pane *p = v->priv;
	struct between_question *q = between_question_new(v, v->n_words ? v->word[0] : NULL, &p->why);
	const struct result *r = view_ask_about(v, &task_diff, q, &task_between_question, NULL);

	p->d = r ? r->value : NULL;
	v->n_rows = p->d ? p->d->n : 0;
}

static void hotter_pane_title(const struct view *v, struct text *t)
{
	const struct hotter_pane *p = v->priv;

	text_add(t, "Links since %s", v->n_words ? v->word[0] : "the event before");
	if (p->d)
		text_add(t, " ── %u hotter, %u cooler ── most %u → %u", p->d->hotter, p->d->cooler,
			 p->d->max_before, p->d->max_after);
}

static const struct load_change *change_at(const struct view *v, uint32_t row)
{
	return &((const struct hotter_pane *)v->priv)->d->change[row];
}

static void hotter_pane_footer(const struct view *v, struct text *t)
{
	const struct hotter_pane *p = v->priv;

	if (p->why)
		text_add(t, "%s", p->why);
	else if (p->d && !p->d->n)
		text_add(t, "every link carries the same routes as before");
	else if (p->d)
		text_add(t, "all hosts to all; together %+" PRId64 " routes", p->d->gain);
}

static int64_t hotter_pane_number(const struct view *v, uint32_t row, unsigned col)
{
	const struct load_change *c = change_at(v, row);

	return col == C_BEFORE ? c->before : col == C_AFTER ? c->after : load_gain(c);
}

static void hotter_pane_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const struct load_change *c = change_at(v, row);
	const struct load_diff *d = ((const struct hotter_pane *)v->priv)->d;
	char buf[700], *to;

	switch (col) {
	case C_LINK:
	case C_PEER:
		load_change_label(d, c, buf, sizeof(buf));
		to = strstr(buf, " -> ");
		if (to)
			*to = 0;
		text_add(t, "%s", col == C_LINK ? buf : to ? to + 4 : "");
		break;
	case C_GAIN:
		text_add(t, "%+" PRId64, load_gain(c));
		break;
	default:
		text_add(t, "%" PRId64, hotter_pane_number(v, row, col));
	}
}

static unsigned hotter_pane_marks(const struct view *v, uint32_t row)
{
	const struct load_change *c = change_at(v, row);
	const struct load_diff *d = ((const struct hotter_pane *)v->priv)->d;

	return c->port == NO_ID || d->b->topo->peer[c->port] == NO_ID ? MARK_DOWN : MARK_CHANGED;
}

static bool hotter_pane_about(const struct view *v, uint32_t row, struct subject *s)
{
	const struct load_change *c = change_at(v, row);
	const struct fabric *f;
	uint32_t port;

	f = load_change_fabric(((const struct hotter_pane *)v->priv)->d, c, &port);
	s->key = f->node_guid[f->port_node[port]] * 256 + f->port_num[port];
	if (c->port == NO_ID)
		return false;
	subject_port(v, c->port, s);
	return true;
}

const struct view_ops view_hotter = {
	.name = "hotter",
	.brief = "lists links with more routes than before the last event (or in a snapshot), then links "
		 "with fewer",
	.syntax = "[SNAPSHOT]",
	.hints = "follow=flows :fail=fail back=back",
	COLUMNS(columns),
	.flags = VIEW_WIDE | VIEW_PRESENT | VIEW_CHIPS,
	.priv_size = sizeof(struct hotter_pane),
	.open = between_question_open,
	.load = hotter_pane_load,
	.title = hotter_pane_title,
	.footer = hotter_pane_footer,
	.cell = hotter_pane_cell,
	.number = hotter_pane_number,
	.marks = hotter_pane_marks,
	.about = hotter_pane_about,
	.enter = "pane flows %port",
	.fold_row = "link",
};
