/*
 * The pane `transition`: the writes of the last event, or since a snapshot, as a line of time. After each:
 * who waits, is cut or goes round.
 */
#include <inttypes.h>
#include <stdlib.h>
#include "views/analysis/transition.h"
#include "views/base/question.h"

enum { C_WRITE, C_SWITCH, C_BLOCK, C_ENTRIES, C_WAITING, C_CUT, C_LOOPING, C_BAR };

#define CELLS 24 /* cells of the longest bar */

static const struct column columns[] = {
	NUM("write", "number of the write in OpenSM's order; 0: before the first", 5),
	COL("switch", "the switch that gets the block", 10, .flex = 1),
	NUM("block", "number of the block: its LIDs begin at 64 times this", 5, .drop = 2),
	NUM("entries", "entries that the write changes", 7, .drop = 3),
	NUM("waiting", "pairs without a path then: the new tables will serve them, the old ones did not", 7),
	NUM("cut", "pairs without a path then, though old and new tables serve them", 6),
	NUM("looping", "pairs whose packets loop then", 7),
	COL("bar", "the pairs as a bar: looping in full cells, cut in half shade, waiting light", CELLS,
	    .drop = 1),
};

struct transition_pane {
	const void *chosen;	    /* kept: the transition whose worst moment was selected */
	const struct transition *t; /* borrowed; NULL = missing */
	const char *why;	    /* static; why there is no question; NULL: there is one */
	uint64_t most;		    /* of the bars */
};

/* --- computed by another thread ----------------------------------------------------------------- */

FREED_BY(free_transition, transition_free)

static void *run_transition(const struct job *j)
{
	const struct between_question *q = j->base;

	return transition_of(q->a, q->b, q->rb, j->progress, j->e);
}

const struct task task_transition = {.run = run_transition, .free = free_transition};

/* --- the pane ------------------------------------------------------------------------------------ */

/* Row 0 is the moment before the first write. */
static const struct mix_pairs *pairs_at(const struct view *v, uint32_t row)
{
	const struct transition *t = ((const struct transition_pane *)v->priv)->t;

	return row ? &t->write[row - 1].after : &t->before;
}

static uint64_t harm_at(const struct view *v, uint32_t row)
{
	const struct mix_pairs *c = pairs_at(v, row);

	return c->cut + c->looping;
}

static uint64_t all_at(const struct view *v, uint32_t row)
{
	return harm_at(v, row) + pairs_at(v, row)->waiting;
}

static void transition_pane_load(struct view *v)
{
	struct transition_pane *p = v->priv;
	struct between_question *q = between_question_new(v, v->n_words ? v->word[0] : NULL, &p->why);
	const struct result *r = view_ask_about(v, &task_transition, q, &task_between_question, NULL);

	p->t = r ? r->value : NULL;
	v->n_rows = p->t ? p->t->n_writes + 1 : 0;
	for (uint32_t i = 0; i < v->n_rows; i++)
		p->most = all_at(v, i) > p->most ? all_at(v, i) : p->most;
	if (p->t && p->t->worst != NO_ID && p->chosen != p->t)
		v->select = (int64_t)p->t->worst + 1;
	p->chosen = p->t;
}

static void transition_pane_title(const struct view *v, struct text *t)
{
	const struct transition_pane *p = v->priv;

	text_add(t, "Transition since %s", v->n_words ? v->word[0] : "the event before");
	if (p->t)
		text_add(t, " ── %s: %s", PLURAL(p->t->n_writes, "write"), PLURAL(p->t->entries, "entry"));
}

static void transition_pane_footer(const struct view *v, struct text *t)
{
	const struct transition_pane *p = v->priv;

	if (p->why)
		text_add(t, "%s", p->why);
	else if (p->t)
		transition_sentence(p->t, t);
	if (!p->why && p->t && (p->t->credit.found != CREDIT_NONE || p->t->credit.old || p->t->credit.now)) {
		text_add(t, "  ");
		credit_sentence(p->t, t);
	}
}

static int64_t transition_pane_number(const struct view *v, uint32_t row, unsigned col)
{
	const struct transition *t = ((const struct transition_pane *)v->priv)->t;
	const struct mix_pairs *c = pairs_at(v, row);

	switch (col) {
	case C_WRITE:
		return row;
	case C_BLOCK:
		return row ? t->write[row - 1].block : -1;
	case C_ENTRIES:
		return row ? t->write[row - 1].entries : -1;
	case C_WAITING:
		return (int64_t)c->waiting;
	case C_CUT:
		return (int64_t)c->cut;
	default:
		return (int64_t)c->looping;
	}
}

/* Each kind has one cell at least, so the bar may be two cells longer than its sum. */
static void transition_pane_put_bar(const struct mix_pairs *c, uint64_t most, struct text *t)
{
	const uint64_t pairs[] = {c->looping, c->cut, c->waiting};
	static const char *const cell[] = {"█", "▒", "░"};

	for (unsigned k = 0; k < ARRAY_LEN(pairs); k++) {
		unsigned n = most ? (unsigned)((double)pairs[k] / (double)most * (CELLS - 2) + 0.5) : 0;

		for (unsigned i = 0; i < n + (pairs[k] && !n); i++)
			text_add(t, "%s", cell[k]);
	}
}

static void transition_pane_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const struct transition_pane *p = v->priv;

	if (col == C_SWITCH)
		text_add(t, "%s",
			 row ? switch_name(p->t->b->topo->fabric, p->t->write[row - 1].sw)
			     : "(before the first)");
	else if (col == C_BAR)
		transition_pane_put_bar(pairs_at(v, row), p->most, t);
	else if (transition_pane_number(v, row, col) >= 0)
		text_add(t, "%" PRId64, transition_pane_number(v, row, col));
}

/* The worst moment, and others with harm. */
static unsigned transition_pane_marks(const struct view *v, uint32_t row)
{
	const struct transition *t = ((const struct transition_pane *)v->priv)->t;

	if (!row)
		return 0;
	return row - 1 == t->worst ? MARK_HERE : harm_at(v, row) ? MARK_DETOUR : 0;
}

static bool transition_pane_about(const struct view *v, uint32_t row, struct subject *s)
{
	const struct transition *t = ((const struct transition_pane *)v->priv)->t;

	s->key = row;
	if (!row)
		return false;
	subject_switch(v, t->write[row - 1].sw, s);
	s->key = row;
	return true;
}

const struct view_ops view_transition = {
	.name = "transition",
	.brief = "follows OpenSM from the old tables to the new ones, write by write: pairs that wait, are "
		 "cut or loop meanwhile; `map overlay transition` draws the worst moment",
	.syntax = "[SNAPSHOT]",
	.hints = "follow=table back=back",
	COLUMNS(columns),
	.flags = VIEW_WIDE | VIEW_PRESENT | VIEW_SEQUENCE,
	.priv_size = sizeof(struct transition_pane),
	.priv_kept = sizeof(const void *),
	.open = between_question_open,
	.load = transition_pane_load,
	.title = transition_pane_title,
	.footer = transition_pane_footer,
	.cell = transition_pane_cell,
	.number = transition_pane_number,
	.marks = transition_pane_marks,
	.about = transition_pane_about,
	.enter = "pane lft %node",
};
