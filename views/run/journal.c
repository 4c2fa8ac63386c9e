/* The pane `journal`: the events made to the fabric. Enter goes to one. */
#include <inttypes.h>
#include "core/session/command.h"
#include "core/session/out.h"
#include "views/base/view.h"

enum { C_NUMBER, C_EVENT, C_ENGINE, C_ENTRIES, C_REROUTED, C_LOST, C_REGAINED, C_MS, C_TIME };

static const struct column columns[] = {
	NUM("event", "its number; `journal N` goes there", 0),
	COL("what", "the command, as it can be typed again", 12, .flex = 1),
	COL("engine", "the engine that routed after it", 8, .drop = 4),
	NUM("entries", "table entries that it changed", 0, .drop = 2, .meter = 12),
	NUM("rerouted", "pairs of hosts that had a path and take another one", 0, .was = "pairs", .drop = 3),
	NUM("lost", "pairs of hosts that lost their path", 0),
	NUM("regained", "pairs of hosts that had no path and have one now", 0, .drop = 4),
	NUM("ms", "milliseconds of the sweep", 8, .drop = 5, .timing = true),
	COL("time", "when it came into the journal, UTC", 20, .drop = 1, .timing = true),
};

struct journal_pane {
	uint64_t most; /* most entries that one event changed */
};

static void journal_pane_load(struct view *v)
{
	struct journal_pane *p = v->priv;

	v->n_rows = v->scene->fabric ? (uint32_t)v->scene->n_events : 0;
	for (uint32_t i = 0; i < v->n_rows; i++) {
		const struct comparison *c = v->scene->session->event[i].change;

		p->most = c && c->entries_changed > p->most ? c->entries_changed : p->most;
	}
	v->select = v->n_rows ? (int64_t)v->scene->at : -1;
}

static const struct event *journal_pane_event_of(const struct view *v, uint32_t row)
{
	return &v->scene->session->event[row];
}

static void journal_pane_title(const struct view *v, struct text *t)
{
	text_add(t, "Journal");
	if (v->n_rows)
		text_add(t, " ── at event %zu of %zu", v->scene->at, v->scene->n_events - 1);
}

static int64_t journal_pane_number(const struct view *v, uint32_t row, unsigned col)
{
	const struct event *ev = journal_pane_event_of(v, row);

	if (ev->kind == EVENT_SCOPE && col != C_NUMBER)
		return -1;
	switch (col) {
	case C_NUMBER:
		return row;
	case C_ENTRIES:
		return ev->change ? (int64_t)ev->change->entries_changed : -1;
	case C_REROUTED:
		return ev->change ? (int64_t)ev->change->rerouted : -1;
	case C_LOST:
		return ev->change ? (int64_t)ev->change->lost : -1;
	case C_REGAINED:
		return ev->change ? (int64_t)ev->change->regained : -1;
	case C_MS:
		return ev->sweep ? (int64_t)(ev->sweep->seconds * 1e6) : -1;
	}
	return 0;
}

static void journal_pane_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const struct event *ev = journal_pane_event_of(v, row);
	int64_t n = journal_pane_number(v, row, col);
	char at[OUT_UTC];

	if (col == C_EVENT)
		text_add(t, "%s", ev->text ? ev->text : "");
	else if (col == C_TIME)
		text_add(t, "%s", out_utc(ev->time, at));
	else if (col == C_ENGINE)
		text_add(t, "%s", ev->sweep && ev->sweep->routing ? ev->sweep->routing->engine : "-");
	else if (n < 0)
		text_putc(t, '-');
	else if (col == C_MS)
		text_add(t, "%.1f", (double)n / 1e3);
	else
		text_add(t, "%" PRId64, n);
}

/* Events that lost pairs are heavy. */
static bool journal_pane_meter(const struct view *v, uint32_t row, unsigned col, struct meter *m)
{
	const struct comparison *c = journal_pane_event_of(v, row)->change;
	uint64_t most = ((struct journal_pane *)v->priv)->most;

	(void)col;
	if (!c || !c->entries_changed)
		return false;
	*m = (struct meter){(double)c->entries_changed / (double)most, c->lost ? 4 : 2};
	return true;
}

static unsigned journal_pane_marks(const struct view *v, uint32_t row)
{
	return row == v->scene->at ? MARK_HERE : 0;
}

static void journal_pane_follow(const struct view *v, uint32_t row, struct text *t)
{
	if (row != v->scene->at)
		text_add(t, "journal %u", row);
}

const struct view_ops view_journal = {
	.name = "journal",
	.brief = "lists the events, and what each changed; Enter undoes or redoes up to the selected one",
	.hints = "follow=go :undo=undo :redo=redo",
	COLUMNS(columns),
	.flags = VIEW_WIDE | VIEW_PRESENT,
	.priv_size = sizeof(struct journal_pane),
	.load = journal_pane_load,
	.title = journal_pane_title,
	.cell = journal_pane_cell,
	.number = journal_pane_number,
	.marks = journal_pane_marks,
	.follow = journal_pane_follow,
	.meter = journal_pane_meter,
};
