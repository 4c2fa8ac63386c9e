/* The pane `pairs`: pairs of endports whose path the last event changed. */
#include <inttypes.h>
#include <stdlib.h>
#include "core/analysis/traffic/returns.h"
#include "core/routing/paths.h"
#include "views/base/view.h"

enum { C_SRC, C_DST, C_WHAT, C_HOPS, C_SL };

static const struct column columns[] = {
	COL("from", "the host that sends", 8, .flex = 1),
	COL("to", "the host that receives", 8, .flex = 1),
	COL("what", "rerouted, lost, regained, new, or SL: only the service level changed", 8, .drop = 2),
	NUM("links", "cables of the path before and now", 7),
	COL("SL", "service level before and now", 7, .right = true, .drop = 3),
};

static const struct comparison *pairs_pane_change_of(const struct view *v)
{
	return v->scene->fabric ? v->scene->real_change : NULL;
}

struct pairs_pane {
	const struct returns *back; /* NULL: missing, or nothing is routed */
};

static void *run_returns(const struct job *j)
{
	return returns_count(j->sweep->routing, j->progress);
}

static const struct task task_returns = {.run = run_returns, .free = free};

static void pairs_pane_load(struct view *v)
{
	const struct comparison *c = pairs_pane_change_of(v);
	uint64_t total = c ? comparison_listed(c) : 0;

	v->n_rows = total > UINT32_MAX - 1 ? UINT32_MAX - 1 : (uint32_t)total;
	((struct pairs_pane *)v->priv)->back =
		scene_routing(v->scene) ? view_ask_value(v, &task_returns, NULL) : NULL;
}

static void add_changed(const struct comparison *c, struct text *t)
{
	text_add(t, " ── %" PRIu64 " rerouted", c->rerouted);
	if (c->longer)
		text_add(t, " (%" PRIu64 " longer)", c->longer);
	text_add(t, ", %" PRIu64 " lost", c->lost);
	if (c->regained)
		text_add(t, ", %" PRIu64 " regained", c->regained);
	if (c->fresh)
		text_add(t, ", %" PRIu64 " new", c->fresh);
	if (c->sl_changed)
		text_add(t, ", %" PRIu64 " with another SL", c->sl_changed);
}

static void pairs_pane_title(const struct view *v, struct text *t)
{
	const struct returns *back = ((const struct pairs_pane *)v->priv)->back;

	text_add(t, "Pairs");
	if (pairs_pane_change_of(v))
		add_changed(pairs_pane_change_of(v), t);
	if (back)
		text_add(t, " ── %" PRIu64 " of %" PRIu64 " come back by other cables", back->other,
			 back->pairs);
}

static void hops_text(unsigned n, struct text *t)
{
	if (n == HOPS_NONE)
		text_putc(t, '-');
	else if (n == HOPS_LOOP)
		text_add(t, "loop");
	else
		text_add(t, "%u", n);
}

static int64_t pairs_pane_number(const struct view *v, uint32_t row, unsigned col)
{
	struct pair_group g;

	(void)col;
	comparison_pair(pairs_pane_change_of(v), row, &g);
	return g.after;
}

/* The LIDs in which the destination has its LID: those after, or before if it has none after. */
static const struct lids *pairs_pane_lids_of(const struct comparison *c, const struct pair_group *g)
{
	return lid_owner(c->b->lids, g->lid) == g->dst ? c->b->lids : c->a->lids;
}

static void pairs_pane_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	static const char *const what[] = {[PAIR_REROUTED] = "rerouted",
					   [PAIR_LOST] = "lost",
					   [PAIR_REGAINED] = "regained",
					   [PAIR_NEW] = "new",
					   [PAIR_SL] = "SL"};
	const struct fabric *f = v->scene->fabric;
	const struct comparison *c = pairs_pane_change_of(v);
	struct pair_group g;
	uint32_t ep = comparison_pair(c, row, &g);
	struct sl_range was, now;
	char sl[SL_WORD];

	switch (col) {
	case C_SRC:
		if (ep != NO_ID)
			label_endport(f, ep, t);
		break;
	case C_DST:
		lid_label(f, pairs_pane_lids_of(c, &g), g.lid, t);
		break;
	case C_WHAT:
		text_add(t, "%s", g.change <= PAIR_SL ? what[g.change] : "?");
		break;
	case C_HOPS:
		if (g.before != g.after) {
			hops_text(g.before, t);
			text_add(t, " → ");
		}
		hops_text(g.after, t);
		break;
	case C_SL:
		if (ep == NO_ID || !comparison_sls(c, &g, ep, &was, &now))
			break;
		text_add(t, "%s → ", sl_word(was, sl));
		text_add(t, "%s", sl_word(now, sl));
		break;
	}
}

static unsigned pairs_pane_marks(const struct view *v, uint32_t row)
{
	struct pair_group g;

	comparison_pair(pairs_pane_change_of(v), row, &g);
	if (g.change == PAIR_LOST)
		return MARK_CHANGED | MARK_DOWN;
	return MARK_CHANGED;
}

static bool pairs_pane_about(const struct view *v, uint32_t row, struct subject *s)
{
	const struct fabric *f = v->scene->fabric;
	const struct comparison *c = pairs_pane_change_of(v);
	struct pair_group g;
	uint32_t ep = comparison_pair(c, row, &g);

	if (ep != NO_ID) {
		subject_port(v, f->endport_port[ep], s);
		s->src = (struct end){END_PORT, s->port};
		s->sw = g.sw;
	}
	if (pairs_pane_lids_of(c, &g) == c->b->lids || lid_owner(c->b->lids, g.lid) == NO_ID)
		subject_to(g.lid, s);
	s->chip = g.sw;
	return true;
}

const struct view_ops view_pairs = {
	.name = "pairs",
	.brief =
		"lists each pair whose path the last event changed: rerouted, lost, regained, with its links",
	.hints = "follow=path :why=why :trace=trace",
	COLUMNS(columns),
	.priv_size = sizeof(struct pairs_pane),
	.flags = VIEW_DETAIL | VIEW_PRESENT | VIEW_CHIPS | VIEW_SLOW_ROWS,
	.load = pairs_pane_load,
	.title = pairs_pane_title,
	.cell = pairs_pane_cell,
	.number = pairs_pane_number,
	.marks = pairs_pane_marks,
	.about = pairs_pane_about,
	.enter = "pane path %src %dst",
	.fold_row = "pair",
};
